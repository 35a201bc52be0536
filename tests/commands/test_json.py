"""What commands print for programs: with --format json always JSON, also where they fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from rankmark._native import __version__
from rankmark.cli import main
from rankmark.rendering.formats.json import SCHEMA
from small_tables import FILES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with tables."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    rm.evaluate("qrels.txt", "a.run", "AP").save("saved.rankmark")
    return tmp_path


def printed(capfd: pytest.CaptureFixture[str], *args: str) -> tuple[int, Any]:
    """The exit code and the document."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    code = main([*args, "--format", "json"])
    document = json.loads(capfd.readouterr().out, parse_constant=refuse)
    assert list(document.items())[:2] == [("schema", SCHEMA), ("rankmark", __version__)]
    return code, document


@pytest.mark.parametrize(
    "line",
    [
        "eval qrels.txt a.run",
        "eval qrels.txt a.run b.run -q --bounds",
        "eval qrels.txt a.run -m nDCG@10 --like trec_eval --like lightgbm",
        "predictions p.csv",
        "predictions p.csv -m AUC --query user -q --by country --intervals",
        "predictions p.csv --system a=score --system b=other --baseline a --rope .01",
        "predictions pets.csv --predicted guess --per-class --confusion",
        "curve p.csv ROC",
        "curve p.csv calibration",
        "compare qrels.txt a.run b.run --movers 1 --margin .1 --rope .01 --posterior signed-rank --anova -q",
        "gate qrels.txt a.run b.run -m RR --max-drop .1",
        "gate qrels.txt a.run --at-least RR=.1 --confidence .9",
        "gate-predictions p.csv --system a=other --system b=score -m AUC --max-drop 5%",
        "explain qrels.txt a.run -m AP --query q1",
        "explain qrels.txt a.run b.run -m AP --query q1",
        "check qrels.txt a.run",
        "check-predictions p.csv",
        "agree a.run b.run -q",
        "show saved.rankmark -q",
        "agree --qrels qrels.txt -m AP -m RR a.run b.run",
    ],
)
def test_everything_is_json(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert printed(capfd, *line.split())[0] == 0


@pytest.mark.parametrize(
    ("line", "code", "kind", "message"),
    [
        ("eval qrels.txt a.run -m NDGC@10", 2, "MeasureError", "no measure 'NDGC'"),
        ("eval qrels.txt none.run", 2, "FileMissingError", "none.run"),
        ("eval qrels.txt broken.run", 1, "FormatError", "line 1"),
        ("eval qrels.txt", 2, "UsageError", "Missing argument"),
        ("eval qrels.txt a.run --ties sideways", 2, "ChoiceError", "--ties sideways"),
        ("predictions p.csv --label nothing", 1, "ColumnError", "nothing"),
        ("gate qrels.txt a.run broken.run -m RR --max-drop .1", 2, "FormatError", "not decided"),
        ("gate qrels.txt a.run b.run -m RR --max-drop 200%", 2, "ChoiceError", "cannot fail"),
        ("check qrels.txt broken.run", 1, "FormatError", "line 1"),
        ("check qrels.txt broken.run --strict", 2, "FormatError", "not checked"),
        ("nothing", 2, "UsageError", "No such command"),
    ],
)
def test_an_error_is_json_too(
    line: str, code: int, kind: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    ended, document = printed(capfd, *line.split())
    error = document["error"]
    assert (ended, error["exit_code"], error["kind"]) == (code, code, kind)
    assert message in error["message"]


def test_an_error_is_json_if_that_is_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", "qrels.txt", "broken.run"]) == 1
    assert capfd.readouterr().out == ""
    assert main(["eval", "qrels.txt", "broken.run", "--format=json"]) == 1
    out, err = capfd.readouterr()
    assert err == f"rankmark: error: {json.loads(out)['error']['message']}\n"


@pytest.mark.parametrize("option", [["-o", "gate.json"], ["-ogate.json"], ["--output=gate.json"]])
def test_an_error_takes_the_place_of_an_older_result(
    option: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    """So that nobody reads yesterday's pass where today nothing was decided."""
    Path("gate.json").write_text('{"passed": true}')
    assert main(["gate", "qrels.txt", "none.run", "--at-least", "RR=.1", *option]) == 2
    assert capfd.readouterr().out == ""
    written = json.loads(Path("gate.json").read_text())
    assert "passed" not in written
    assert (written["error"]["exit_code"], written["error"]["kind"]) == (2, "FileMissingError")
    assert main(["gate", "qrels.txt", "--no-such-option", *option]) == 2
    assert json.loads(Path("gate.json").read_text())["error"]["kind"] == "UsageError"


def test_an_error_is_written_over_no_input(capfd: pytest.CaptureFixture[str]) -> None:
    Path("qrels.json").write_text('{"q1": {"a": 1}}')
    for option in (["-o", "qrels.json"], ["--output=./qrels.json"], ["-oqrels.json"]):
        assert main(["eval", "qrels.json", "a.run", *option]) == 2
    assert Path("qrels.json").read_text() == '{"q1": {"a": 1}}'
    assert "would overwrite the input" in capfd.readouterr().err


def test_of_a_file_of_another_format_it_is_said_that_it_stays(capfd: pytest.CaptureFixture[str]) -> None:
    Path("gate.md").write_text("passed")
    assert main(["gate", "qrels.txt", "none.run", "--at-least", "RR=.1", "-o", "gate.md"]) == 2
    assert Path("gate.md").read_text() == "passed"
    assert "gate.md was not written; it is what was there before" in capfd.readouterr().err
