from __future__ import annotations

from pathlib import Path

import pytest

from rankmark.cli import main

pytest.importorskip("jinja2", reason="NOT COMPARED: jinja2 is not installed")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with judgements, two runs, and predictions."""
    monkeypatch.chdir(tmp_path)
    queries = [f"q{i}" for i in range(6)]
    Path("qrels.txt").write_text("".join(f"{query} 0 a 1\n{query} 0 b 0\n" for query in queries))
    for name, items in {"old.run": "ba", "new.run": "ab"}.items():
        rows = (f"{q} Q0 {item} {rank} {-rank} t\n" for q in queries for rank, item in enumerate(items))
        Path(name).write_text("".join(rows))
    Path("clicks.csv").write_text("click,p\n" + "1,0.8\n0,0.3\n1,0.4\n0,0.6\n" * 20)
    return tmp_path


def test_a_report_of_runs_has_the_command_that_makes_it_again() -> None:
    assert main(["report", "qrels.txt", "old.run", "new.run", "-m", "RR", "-o", "out.html"]) == 0
    page = Path("out.html").read_text("utf-8")
    assert "rankmark report qrels.txt old.run new.run -m RR -o out.html" in page
    assert page.startswith("<!doctype html>")


def test_a_report_of_what_is_recommended() -> None:
    Path("items.csv").write_text("item,title\na,Title of a\nc,Title of c\n")
    Path("seen.csv").write_text("query,item\nq0,a\nq1,b\n")
    asked = [
        "report",
        "qrels.txt",
        "old.run",
        "new.run",
        "-m",
        "Novelty@1",
        "--train",
        "seen.csv",
        "-o",
        "out.html",
    ]
    assert main([*asked, "--items", "items.csv"]) == 1  # which lacks b
    assert main([*asked, "--items", "items.csv", "--open-catalogue"]) == 0
    page = Path("out.html").read_text("utf-8")
    assert "Novelty@1" in page
    assert main([*asked, "--open-catalogue"]) == 2
    assert main([*asked, "--items", "items.csv", "--open-catalogue", "-m", "Coverage@1"]) == 2


def test_a_report_of_predictions() -> None:
    assert main(["report", "--predictions", "clicks.csv", "-m", "AUC", "-o", "out.html"]) == 0
    assert "AUC" in Path("out.html").read_text("utf-8")


def test_a_report_of_what_was_saved() -> None:
    for name in ("old", "new"):
        assert main(["eval", "qrels.txt", f"{name}.run", "-m", "RR", "-o", f"{name}.rankmark"]) == 0
    assert main(["report", "old.rankmark", "new.rankmark", "--baseline", "old", "-o", "out.html"]) == 0
    compared = Path("out.html").read_text("utf-8")
    assert "better than" in compared
    assert main(["report", "old.rankmark", "-o", "out.html"]) == 0
    assert "better than" not in Path("out.html").read_text("utf-8").partition("</main>")[0]
    assert main(["report", "old.rankmark", "new.rankmark", "--ties", "best", "-o", "out.html"]) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["qrels.txt", "old.run"], 2, "Missing option '-o'"),
        (["qrels.txt", "-o", "out.html"], 2, "there is no run"),
        (["qrels.txt", "old.run", "-o", "old.run"], 2, "old.run: a report is a page: FILE.html"),
        (["qrels.txt", "old.run", "-o", "none/out.html"], 2, "there is no folder"),
        (["qrels.txt", "old.run", "--score", "p", "-o", "out.html"], 2, "--score is of predictions"),
        (["--predictions", "clicks.csv", "--items", "i.csv", "-o", "out.html"], 2, "--items is of lists"),
        (["qrels.txt", "nothing.run", "-o", "out.html"], 2, "nothing.run"),
        (["qrels.txt", "old.run", "--items", "clicks.csv", "-o", "out.html"], 1, "call them item and title"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(
    arguments: list[str], code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    before = Path("old.run").read_text()
    assert main(["report", *arguments]) == code
    assert message in capfd.readouterr().err
    assert not Path("out.html").exists()
    assert Path("old.run").read_text() == before


def test_runs_of_the_same_name_are_told_apart_by_what_differs(capfd: pytest.CaptureFixture[str]) -> None:
    Path("old").mkdir()
    Path("old", "new.run").write_text(Path("old.run").read_text())
    Path("new.trec").write_text(Path("new.run").read_text())
    here = str(Path.cwd())
    assert main(["eval", f"{here}/qrels.txt", f"{here}/new.run", f"{here}/new.trec", "-m", "RR"]) == 0
    assert capfd.readouterr().out.split()[:3] == ["measure", "new.run", "new.trec"]
    assert main(["eval", "qrels.txt", f"{here}/old/new.run", f"{here}/new.run", "-m", "RR"]) == 0
    assert capfd.readouterr().out.split()[:3] == ["measure", "old/new.run", f"{Path.cwd().name}/new.run"]
