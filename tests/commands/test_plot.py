"""`rankmark plot`: pictures of what was saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import rankmark as rm
from drawn import DRAWN
from rankmark.cli import main
from rankmark.figures.registry import pictures

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with saved results."""
    monkeypatch.chdir(tmp_path)
    for name in ("differences", "conventions"):
        DRAWN[name]().save(f"{name}.rankmark")


def test_files_are_pictures_and_a_pipe_gets_svg(capfd: Captured) -> None:
    loaded = rm.load("differences.rankmark")
    assert isinstance(loaded, rm.results.Comparison)
    assert main(["plot", "differences.rankmark", "differences", "-m", "RR", "-o", "x.svg"]) == 0
    assert Path("x.svg").read_text() == loaded.plot("differences", measure="RR").to_svg()
    assert main(["plot", "differences.rankmark", "differences", "-m", "RR"]) == 0
    assert capfd.readouterr().out.rstrip() == Path("x.svg").read_text()
    assert main(["plot", "differences.rankmark", "-o", "x.pdf"]) == 0
    assert Path("x.pdf").read_bytes().startswith(b"%PDF")


def test_what_a_picture_says_of_options_is_in_words_of_the_command_line(capfd: Captured) -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(12)}
    runs: dict[str, Any] = {f"run{i}": {query: ["b", "a"] for query in qrels} for i in range(7)}
    days = {query: f"2024-01-0{1 + i % 4}" for i, query in enumerate(qrels)}
    results = rm.evaluate(qrels, runs, "RR", by=days)
    assert "system= chooses one" in str(results.plot("trend"))
    results.save("runs.rankmark")
    assert main(["plot", "runs.rankmark", "trend", "--format", "table"]) == 0
    said = " ".join(capfd.readouterr().out.split())
    assert "the first 6 of 7 systems; --system chooses one" in said
    assert "system=" not in said


def test_several_measures_and_systems_are_named_in_one_text(capfd: Captured) -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    runs: dict[str, Any] = {name: {"q1": ["a"], "q2": ["a", "b"]} for name in ("old", "new", "my run")}
    rm.evaluate(qrels, runs, "nDCG@10 RR P@1").save("runs.rankmark")
    shown = []
    for words in (
        ["--measures", "nDCG@10,RR", "--systems", "old, new"],
        ["--measures", "nDCG@10", "--measures", "RR", "--systems", "old", "--systems", "new"],
    ):
        assert main(["plot", "runs.rankmark", "values", *words, "--format", "csv"]) == 0
        shown.append(capfd.readouterr().out)
    assert shown[0] == shown[1]
    assert main(["plot", "runs.rankmark", "values", "--systems", "my run"]) == 0
    assert main(["plot", "runs.rankmark", "values", "--systems", "old,none"]) == 2
    assert "'old,none' is not one of the systems" in capfd.readouterr().err


def test_width_and_theme(capfd: Captured) -> None:
    assert main(["plot", "conventions.rankmark", "--width", "400", "--theme", "dark"]) == 0
    root = ElementTree.fromstring(capfd.readouterr().out)
    assert root.attrib["width"] == "400"
    assert not list(root.iter("{http://www.w3.org/2000/svg}style"))
    sizes = []
    for width in ("300", "600"):
        assert main(["plot", "conventions.rankmark", "--width", width, "-o", "x.png", "--theme", "dark"]) == 0
        sizes.append(int.from_bytes(Path("x.png").read_bytes()[16:20]))
    assert sizes == [600, 1200]


def test_digits_are_of_the_picture_if_it_takes_them(capfd: Captured) -> None:
    assert main(["plot", "conventions.rankmark", "--digits", "1", "--format", "json"]) == 0
    loaded = rm.load("conventions.rankmark")
    assert isinstance(loaded, rm.results.Differences)
    assert json.loads(capfd.readouterr().out)["subtitle"] == loaded.plot(digits=1).subtitle


def test_its_numbers_as_tables(capfd: Captured) -> None:
    assert main(["plot", "differences.rankmark", "differences", "--format", "table", "--digits", "3"]) == 0
    assert "query by query" in capfd.readouterr().out
    assert main(["plot", "conventions.rankmark", "--format", "csv"]) == 0
    assert capfd.readouterr().out.startswith("mark,label,number,value\n")


def test_every_picture_is_listed_with_its_options(capfd: Captured) -> None:
    assert main(["plot", "--list"]) == 0
    out = capfd.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    listed = [line.split()[0].lower() for line in out.splitlines() if line[:1].strip() and " (of " in line]
    assert listed == sorted(listed)
    for name, each in pictures().items():
        assert f"\n{name} (of " in f"\n{out}"
        assert each.summary
        for option in each.options.values():
            assert option.told, f"{name} does not say what {option.name} is"
    assert main(["plot", "--list", "differences"]) == 0
    assert "system: one of the pair" in capfd.readouterr().out


def test_the_pictures_of_a_result_are_listed_and_what_others_lack(capfd: Captured) -> None:
    assert main(["plot", "differences.rankmark", "--list"]) == 0
    out = capfd.readouterr().out
    assert "differences (of " in out
    assert "conventions" not in out
    curve = rm.curve({"score": [0.1, 0.4, 0.8], "label": [0, 0, 1]}, "ROC")
    curve.save("curve.rankmark")
    assert main(["plot", "curve.rankmark", "--list"]) == 0
    assert "not reliability of this one: " in capfd.readouterr().out


def test_help_lists_the_options_of_every_picture(capfd: Captured) -> None:
    assert main(["plot", "--help"]) == 0
    out = capfd.readouterr().out
    for each in pictures().values():
        for option in each.options:
            assert f"--{option.replace('_', '-')}" in out


def test_a_terminal_gets_no_svg(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert main(["plot", "conventions.rankmark"]) == 2
    assert "say -o FILE.svg, .png or .pdf" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("plot", 2, "which result?"),
        ("plot none.rankmark", 2, "there is no file 'none.rankmark'"),
        ("plot differences.rankmark diferences", 2, "did you mean 'differences'"),
        ("plot differences.rankmark reliability", 2, "reliability is a picture of CurveTable, and not of"),
        ("plot differences.rankmark differences --system x", 2, "--system x"),
        (
            "plot differences.rankmark differences -m AP -m RR",
            2,
            "--measure is said 2 times, and this picture",
        ),
        (
            "plot conventions.rankmark --system x",
            2,
            "--system is no option of conventions; it takes --measure, --digits",
        ),
        (
            "plot conventions.rankmark conventions --system x",
            2,
            "--system is no option of conventions",
        ),
        ("plot conventions.rankmark -o x.docx", 2, "a picture is a file that ends with .svg, .png, .pdf"),
        ("plot conventions.rankmark -o conventions.rankmark", 2, "a picture is a file that ends with .svg"),
        ("plot conventions.rankmark --format csv --width 300", 2, "--width is of pictures, and --format csv"),
        ("plot conventions.rankmark --width 3", 2, "3 is not in the range"),
        ("plot conventions.rankmark --theme blue", 2, "'blue' is not one of 'auto', 'light', 'dark'"),
    ],
)
def test_what_cannot_be_drawn(line: str, code: int, message: str, capfd: Captured) -> None:
    assert main(line.split()) == code
    assert message in capfd.readouterr().err


def test_help_in_python_lists_every_picture() -> None:
    assert rm.pictures.__doc__ is not None
    for name in pictures():
        assert f"{name} (of " in rm.pictures.__doc__
