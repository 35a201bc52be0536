"""`rankmark clicks` and `rankmark interleaving`: what they write is what Python gives."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main

LOG = {
    "query": ["q"] * 40,
    "list": list(range(40)),
    "item": ["a"] * 20 + ["b"] * 20,
    "position": ([1] * 10 + [2] * 10) * 2,
    "click": [1] * 8 + [0] * 2 + [1] * 4 + [0] * 6 + [1] * 4 + [0] * 6 + [1] * 2 + [0] * 8,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pl.DataFrame(LOG).write_csv("log.csv")
    for name, items in (("old", "ab"), ("new", "ca")):
        Path(f"{name}.run").write_text(
            "".join(f"q Q0 {item} 0 {-i} {name}\n" for i, item in enumerate(items))
        )


def test_clicks_shows_a_model_and_writes_judgements(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["clicks", "log.csv", "--resamples", "0", "--clip", ".6", "--qrels", "qrels.csv"]) == 0
    model = rm.click_model("log.csv", resamples=0)
    out, err = capfd.readouterr()
    assert out == f"{model}\n"
    assert "qrels.csv: clip=0.6 raised the propensities of 20 rows" in err
    assert pl.read_csv("qrels.csv")["relevance"].to_list() == pytest.approx(
        rm.qrels_from_clicks("log.csv", model, clip=0.6).frame["relevance"].to_list()
    )
    assert main(["eval", "qrels.csv", "old.run", "-m", "DCG@2"]) == 0


def test_judgements_by_propensities_of_ones_own(capfd: pytest.CaptureFixture[str]) -> None:
    Path("own.csv").write_text("position,propensity\n1,1\n2,.4\n")
    line = ["clicks", "log.csv", "--propensities", "own.csv", "--clip", ".5", "--qrels", "qrels.csv"]
    assert main(line) == 0
    wanted = rm.qrels_from_clicks("log.csv", {1: 1.0, 2: 0.4}, clip=0.5)
    assert capfd.readouterr().out == f"{wanted}\n"
    assert pl.read_csv("qrels.csv")["relevance"].to_list() == wanted.frame["relevance"].to_list()
    assert main([*line[:4], "-o", "kept.rankmark"]) == 0
    assert isinstance(rm.load("kept.rankmark"), rm.results.ClickQrels)


def test_interleaving_makes_lists_and_credits_clicks(capfd: pytest.CaptureFixture[str]) -> None:
    for file in ("lists.csv", "lists.parquet"):
        assert main(["interleaving", "old.run", "new.run", "-k", "3", "--lists", "2", "-o", file]) == 0
    made = rm.interleave("old.run", "new.run", k=3, lists=2)
    assert pl.read_parquet("lists.parquet").equals(made.frame)
    assert "lists.csv: team draft; 2 lists of 1 query, 3 positions at most" in capfd.readouterr().err
    made.frame.with_columns(click=pl.col("team") == "A").write_csv("clicked.csv")
    capfd.readouterr()
    assert main(["interleaving", "clicked.csv"]) == 0
    assert capfd.readouterr().out == f"{rm.evaluate_interleaving('clicked.csv')}\n"
    assert main(["interleaving", "clicked.csv", "--names", "old", "new"]) == 0
    assert "prefer old" in capfd.readouterr().out
    assert main(["interleaving", "clicked.csv", "--method", "optimized"]) == 1
    assert "say --method team-draft, or leave it out with --column team=" in capfd.readouterr().err
    assert main(["interleaving", "x=old.run", "y=new.run", "-o", "made.rankmark"]) == 0
    loaded = rm.load("made.rankmark")
    assert isinstance(loaded, rm.results.InterleavedLists)
    assert loaded.names == ("x", "y")


def test_a_run_is_measured_by_clicks(capfd: pytest.CaptureFixture[str]) -> None:
    line = ["clicks", "log.csv", "--run", "old.run", "-m", "DCG@1 DCG@2", "--resamples", "20", "--seed", "3"]
    assert main(line) == 0
    wanted = rm.evaluate_clicks("log.csv", "old.run", ["DCG@1", "DCG@2"], resamples=20, seed=3)
    assert capfd.readouterr().out == f"{wanted}\n"


def test_names_of_systems_stay_with_the_lists(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["interleaving", "x=old.run", "y=new.run", "-k", "3", "-o", "lists.csv"]) == 0
    made = pl.read_csv("lists.csv")
    shown = made.with_columns(click=pl.col("team") == "A")
    assert rm.evaluate_interleaving(shown).names == ("x", "y")
    assert rm.evaluate_interleaving(shown, names=("u", "v")).names == ("u", "v")
    shown.write_csv("clicked.csv")
    assert main(["interleaving", "clicked.csv"]) == 0
    assert "1 prefer x" in capfd.readouterr().out
    other = shown.with_columns(query=pl.lit("p"), name_b=pl.lit("z"))
    with pytest.raises(rm.DataError, match="several pairs of systems: x as A, and y and z as B"):
        rm.evaluate_interleaving(pl.concat([shown, other]))


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("clicks log.csv --clip .1", 2, "--clip is of --qrels FILE: add it"),
        ("clicks log.csv --method guess", 2, "is none of the position-based model, which knows conditional"),
        ("clicks log.csv --qrels log.csv", 2, "--qrels log.csv would overwrite the input log.csv"),
        ("clicks log.csv --propensities log.csv --seed 1", 2, "--seed is of models, and --propensities is"),
        ("clicks log.csv --propensities log.csv", 1, "they need position and propensity"),
        ("clicks log.csv --propensities no.csv", 2, "there is no file 'no.csv'"),
        ("clicks log.csv -m DCG@10", 2, "-m is of --run RUN: add it"),
        ("clicks log.csv --run old.run --held-out .1", 2, "--held-out does not go with --run"),
        ("clicks log.csv --run old.run -m RR(mean=geometric)", 2, "RR"),
        ("clicks nothing.csv", 2, "there is no file 'nothing.csv'"),
        ("clicks log.csv --model dbn", 1, "positions are missing"),
        ("clicks log.csv --column click=c", 1, "no column 'c', which --column click=… asks for"),
        ("interleaving old.run new.run --alpha .1", 2, "--alpha is of a log of clicks"),
        ("interleaving log.csv -k 3", 2, "-k is of lists that are made of two runs"),
        ("interleaving log.csv", 1, "does not say to whom a click of team draft is credited"),
        ("interleaving a.run b.run c.run", 2, "3 files given"),
    ],
)
def test_mistakes(line: str, code: int, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == code
    assert message in capfd.readouterr().err
