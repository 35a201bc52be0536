"""Explanations of what is recommended: what items are like, who had them, and what each adds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main

ITEMS = pl.DataFrame(
    {
        "item": list("abcd"),
        "category": [["x", "y"], ["y"], ["z"], ["x"]],
        "price": [3.0, 1.5, 2.0, 9.0],
        "vector": [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.5]],
        "score": [1, 2, 3, 4],
    }
)
TRAIN = {"u1": ["a", "a"], "u2": ["a", "b"], "u3": ["a", "c"]}
QRELS = {"u1": {"b": 1}, "u2": {"c": 2}}
RUN = {"u1": ["a", "b", "c"], "u2": ["d", "c"]}
KNOWN = {"items": ITEMS, "train": TRAIN}


def explained(measure: str, **more: Any) -> rm.results.Explanation:
    return rm.explain(QRELS, RUN, measure, query="u1", **KNOWN, **more)


@pytest.mark.parametrize("measure", ["Novelty@2", "nDCG@2", "IntraListDiversity@3"])
def test_items_stand_with_what_is_known_of_them(measure: str) -> None:
    rows = explained(measure).rows
    assert rows["item"].to_list() == ["a", "b", "c"]
    assert rows["category"].to_list() == ["x, y", "y", "z"]
    assert rows["price"].to_list() == [3.0, 1.5, 2.0]
    assert rows["popularity"].to_list() == [3, 1, 1]  # users, of whom one had it twice
    assert rows["had"].to_list() == [True, False, False]
    assert rows["score of item"].to_list() == [1, 2, 3]
    assert "vector" not in rows.columns


def test_an_item_contributes_its_part_of_a_mean() -> None:
    # −log₂ of 3 of 3 and 1 of 3 users.
    shown = explained("Novelty@2")
    assert shown.rows["term"].to_list() == [0.0, pytest.approx(1.584962500721156), None]
    assert shown.rows["contribution"].sum() == pytest.approx(shown.value)
    assert explained("NotInTrain@3").rows["contribution"].to_list() == pytest.approx([0, 1 / 3, 1 / 3])


@pytest.mark.parametrize("measure", ["IntraListDiversity@3", "CategoryEntropy", "EPC@3", "Serendipity@3"])
def test_what_is_no_mean_shows_what_the_value_gains_by_each(measure: str) -> None:
    shown = explained(measure)
    assert shown.rows["contribution"].sum() == pytest.approx(shown.value)
    for depth in (1, 2):
        alone = rm.evaluate(QRELS, {"u1": RUN["u1"][:depth]}, measure, missing="skip", **KNOWN)
        running = shown.rows["running"][depth - 1] if "running" in shown.rows.columns else None
        if running is not None and measure == "CategoryEntropy":
            assert running == pytest.approx(next(iter(alone.values.values())))


def test_without_judgements_no_item_has_a_grade() -> None:
    shown = rm.explain(None, RUN, "Novelty@3", query="u2", train=TRAIN)
    assert shown.rows["grade"].null_count() == 2
    assert shown.ideal.is_empty()
    assert "judged items" not in str(shown)
    with pytest.raises(rm.UsageError, match=r"run has no query 'u7'"):
        rm.explain(None, RUN, "Novelty@3", query="u7", train=TRAIN)


def test_two_runs_differ_by_their_items() -> None:
    other = {"u1": ["c", "b"], "u2": ["a"]}
    shown = rm.explain(QRELS, RUN, "Novelty@3", query="u1", other=other, train=TRAIN)
    assert shown.rows["difference"].sum() == pytest.approx(shown.difference)
    assert set(shown.rows.filter(pl.col("difference") != 0)["item"]) == {"b", "c"}
    assert shown.rows.columns[:4] == ["item", "grade", "popularity", "had"]
    counts = rm.explain(QRELS, other, "Novelty@3", query="u1", train=TRAIN).rows
    of_c = pl.col("item") == "c"
    assert shown.rows.filter(of_c)["popularity"].item() == counts.filter(of_c)["popularity"].item()


def test_what_contributions_are_is_said() -> None:
    """The second of three items alone is relevant and unexpected: the third makes 1/2 of it 1/3."""
    train, run = {"q": ["c"], "r": ["b"]}, {"q": ["b", "a", "c"]}
    shown = rm.explain({"q": {"a": 1}}, run, "Serendipity@3", query="q", items=list("abc"), train=train)
    assert shown.rows["contribution"].to_list() == pytest.approx([0, 1 / 2, 1 / 3 - 1 / 2])
    assert "less than 0 where" in str(shown)
    assert "a mean of terms" in str(rm.explain(None, RUN, "Novelty@3", query="u2", train=TRAIN))


@pytest.mark.parametrize(
    ("measure", "known", "said"),
    [
        ("CatalogueCoverage@3", KNOWN, r"CatalogueCoverage@3 is of the whole run"),
        ("Novelty@3", {}, r"Novelty@3 needs the interactions before"),
        ("IntraListDiversity(by=colour)", KNOWN, r"no column 'colour'"),
    ],
)
def test_what_cannot_be_explained_is_refused(measure: str, known: Any, said: str) -> None:
    with pytest.raises(rm.RankmarkError, match=said):
        rm.explain(QRELS, RUN, measure, query="u1", **known)


def test_the_command_line_explains_what_is_recommended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.csv").write_text("query,item,score\nu1,a,3\nu1,b,2\n")
    Path("items.csv").write_text("item,category\na,x|y\nb,y\n")
    Path("train.csv").write_text("query,item\nu1,a\nu2,a\n")
    known = ["--items", "items.csv", "--train", "train.csv"]
    assert main(["explain", "--no-qrels", "run.csv", "-m", "Novelty@2", "--query", "u1", *known]) == 0
    said = capsys.readouterr().out
    assert "x, y" in said
    assert "popularity" in said
    assert main(["explain", "run.csv", "-m", "AP", "--query", "u1"]) == 2
    assert "Missing argument" in capsys.readouterr().err
    runs = ["run.csv"] * 3
    assert main(["explain", "--no-qrels", *runs, "-m", "Novelty", "--query", "u1", *known]) == 2
    assert "two beside each other, not 3" in " ".join(capsys.readouterr().err.split())


def test_a_measure_of_each_group_says_which_there_are() -> None:
    with pytest.raises(
        rm.MeasureError, match=r"at a time, not 3: .*choose one, group=x or group=y or group=z$"
    ):
        explained("GroupExposure(by=category)@2")
    with pytest.raises(rm.MeasureError, match=r"at a time, not 2: 'Novelty AP'$"):
        explained("Novelty AP")


def test_calibration_shows_the_shares_of_categories_before_and_in_the_list() -> None:
    # u1 had a, which is of x and y alike; the list down to 3 has a of both, b of y and c of z.
    found = explained("Miscalibration@3")
    assert found.shares is not None
    assert found.shares["category"].to_list() == ["x", "y", "z"]
    assert found.shares["before"].to_list() == [0.5, 0.5, 0.0]
    assert found.shares["list"].to_list() == pytest.approx([1 / 6, 1 / 2, 1 / 3])
    assert "Shares of categories before and in the list:" in str(found)
    assert json.loads(found.format("json"))["shares"][2]["category"] == "z"
    assert explained("Novelty@2").shares is None


def test_shares_are_kept_in_files(tmp_path: Path) -> None:
    found = explained("Miscalibration@3")
    found.save(tmp_path / "x.rankmark")
    again = rm.load(tmp_path / "x.rankmark")
    assert isinstance(again, rm.results.Explanation)
    assert again.shares is not None
    assert again.shares.equals(found.shares)
