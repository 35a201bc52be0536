"""What commands save with -o NAME.rankmark, and what `rankmark show` makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankmark as rm
from rankmark.cli import main
from small_tables import FILES


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory with tables, and a saved result."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("shown.csv").write_text(SHOWN)
    Path("preferred.csv").write_text("system_a,system_b,winner\nnew,old,a\nnew,old,b\nold,new,tie\n")
    Path("likely.txt").write_text("q1 0 d1 0.8\nq1 0 d2 0.4\nq2 0 d2 0.5\n")
    rm.evaluate("qrels.txt", "a.run", "AP").save("saved.rankmark")
    drawn = rm.sample_candidates({"u": ["a"]}, {"u": ["b"]}, 2, items=[*"abcdef"])
    drawn.to_file("c.parquet")
    drawn.frame.select("query", "item", score=drawn.frame["relevance"]).write_csv("c.run")


SHOWN = """query,list,item,position,team,click
q,1,a,1,A,1
q,1,b,2,B,0
q,2,b,1,B,1
q,2,a,2,A,0
q,3,a,1,A,0
q,3,b,2,B,1
"""
SAVING = {
    "eval qrels.txt a.run": "ListResult",
    "eval qrels.txt a.run b.run": "Runs",
    "eval qrels.txt a.run -m AP --worst-of half --attributes halves.csv --intervals": "DerivedResult",
    "eval qrels.txt a.run -m nDCG@10 --like trec_eval --like lightgbm": "Differences",
    "predictions p.csv": "PredictionResult",
    "predictions p.csv --system a=score --system b=other --baseline a": "PredictionComparison",
    "curve p.csv ROC": "CurveTable",
    "compare qrels.txt a.run b.run": "Comparison",
    "identify qrels.txt a.run -m nDCG@10 --value 0.5": "Identification",
    "gate qrels.txt a.run --at-least RR=.1": "Gate",
    "explain qrels.txt a.run -m AP --query q1": "Explanation",
    "check qrels.txt a.run": "CheckReport",
    "agree a.run b.run": "Agreement",
    "clicks shown.csv --resamples 5": "ClickModel",
    "interleaving a.run b.run": "InterleavedLists",
    "interleaving shown.csv": "Interleaving",
    "preferences preferred.csv --baseline old": "PreferenceRanking",
    "logged log.csv --policy new -e IPS": "LoggedEvaluation",
    "judge qrels.txt qrels.txt a.run b.run -m RR": "JudgeEvaluation",
    "judge qrels.txt qrels.txt a.run b.run --agreement -m RR": "LabelAgreement",
    "pool qrels.txt a.run b.run --resamples 20": "Pool",
    "correct-sampled c.parquet c.run -m HR@1": "SampledCorrection",
    "answers nuggets.csv": "Runs",
    "eval-expected likely.txt a.run -m RR": "DerivedResult",
    "eval-preferences items.csv a.run -m ppref@2": "DerivedResult",
    "instructions qrels.txt a.run b.run --intervals": "DerivedResult",
    "abstention qrels.txt a.run -m AP -m R@2 --intervals --resamples 9": "Abstention",
}


@pytest.mark.parametrize("line", SAVING)
def test_what_is_saved_is_shown_as_the_command_shows_it(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 0
    shown = capfd.readouterr().out
    assert main([*line.split(), "-o", "x.rankmark"]) == 0
    assert type(rm.load("x.rankmark")).__name__ == SAVING[line]
    assert main(["show", "x.rankmark"]) == 0
    assert capfd.readouterr().out == shown


def test_a_saved_result_knows_its_inputs() -> None:
    main(["eval", "qrels.txt", "a.run", "-o", "x.rankmark"])
    found = rm.load("x.rankmark")
    assert isinstance(found, rm.results.ListResult)
    assert found.inputs == rm.evaluate("qrels.txt", "a.run", "AP", hash_inputs=True).inputs


def test_options_of_what_is_shown(capfd: pytest.CaptureFixture[str]) -> None:
    main(["eval", "qrels.txt", "a.run", "-m", "AP", "-o", "x.rankmark"])
    assert main(["show", "x.rankmark", "-q", "--format", "csv"]) == 0
    assert capfd.readouterr().out == "query,AP\nq1,1.0\nq2,0.5\nq3,0.0\n"
    assert main(["show", "x.rankmark", "--short-signature", "-o", "x.txt"]) == 0
    assert Path("x.txt").read_text().endswith("AP|rankmark:0.1.0\n")


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("show none.rankmark", 2, "there is no file 'none.rankmark'"),
        ("show qrels.txt", 1, "'qrels.txt' holds no saved result"),
        ("show saved.rankmark --movers 3", 2, "--movers shows nothing of a ListResult"),
        ("show saved.rankmark --confusion", 2, "there are lists here, and no classes"),
        ("show saved.rankmark -o saved.rankmark", 2, "would overwrite the input saved.rankmark"),
        ("eval qrels.txt a.run --format rankmark", 2, "--format rankmark is no text but a file from which"),
    ],
)
def test_what_cannot_be_shown(line: str, code: int, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == code
    assert message in capfd.readouterr().err


def test_a_saved_comparison_is_shown_with_whatever_is_asked_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("query,old,new\nq1,.1,.2\nq2,.3,.2\nq3,.5,.8\n")
    saved, asked = str(tmp_path / "saved.rankmark"), ["--margin", ".3", "--rope", "0", "--anova", "--details"]
    assert main(["compare-matrix", str(matrix), "-m", "AP", *asked]) == 0
    fresh = capsys.readouterr().out
    assert main(["compare-matrix", str(matrix), "-m", "AP", *asked, "-o", saved]) == 0
    assert main(["show", saved, *asked]) == 0
    assert capsys.readouterr().out == fresh
    assert main(["show", saved, *asked, "--movers", "2", "--format", "latex"]) == 0
    shown = capsys.readouterr().out
    for header in ("within 0.3", "P(within 0)", "mean square", "statistic", "before"):
        assert header in shown
    for option, column in (("--margin", "p_not_worse"), ("--rope", "equivalent"), ("--anova", "mean_square")):
        own = [option] if option == "--anova" else [option, ".3"]
        assert main(["show", saved, *own, "--format", "csv"]) == 0
        assert column in capsys.readouterr().out.splitlines()[0].split(",")
    assert main(["show", saved, "--margin", ".3", "--anova", "--format", "csv"]) == 2
    assert "CSV is one table: take one of margin, anova, or another format" in capsys.readouterr().err
