"""How much aspects weigh, as a table of their own says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmark as rm

QRELS = {"q": {"a": {"2": 1}, "b": {"1": 1, "2": 1}, "c": {"3": 1}}}
RUN = {"q": ["a", "b"]}
WEIGHTS = {"q": {"1": 0.5, "2": 0.3, "3": 0.2}}
ROWS = [("q", aspect, weight) for aspect, weight in WEIGHTS["q"].items()]
FRAME = pl.DataFrame(ROWS, schema=["query", "aspect", "weight"], orient="row")
NRBP = 0.75 * (0.3 + 0.65 / 2)  # a gains 0.3, then b 0.5 + 0.15


@pytest.mark.parametrize("form", ["dicts", "tuples", "polars", "pandas", "csv", "parquet", "other names"])
def test_weights_are_read_of_whatever_holds_them(form: str, tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "weights.csv")
    FRAME.write_parquet(tmp_path / "weights.parquet")
    weights: Any = {
        "dicts": WEIGHTS,
        "tuples": ROWS,
        "polars": FRAME,
        "pandas": FRAME.rename({"aspect": "intent", "weight": "probability"}).to_pandas(),
        "csv": tmp_path / "weights.csv",
        "parquet": str(tmp_path / "weights.parquet"),
        "other names": FRAME.rename({"query": "topic", "aspect": "subtopic", "weight": "w"}),
    }[form]
    qrels = rm.read_qrels(QRELS, aspect_weights=weights)
    assert rm.evaluate(qrels, RUN, "NRBP")["NRBP"] == pytest.approx(NRBP, rel=1e-14)


def test_every_door_takes_them() -> None:
    qrels = rm.read_qrels(QRELS, aspect_weights=WEIGHTS)
    evaluator = rm.Evaluator("NRBP")
    evaluator.update(qrels, RUN)
    assert evaluator.result()["NRBP"] == pytest.approx(NRBP, rel=1e-14)
    assert rm.explain(qrels, RUN, "NRBP", query="q").value == pytest.approx(NRBP, rel=1e-14)
    compared = rm.compare(qrels, {"a": RUN, "b": {"q": ["c"]}}, "NRBP")
    assert compared.pairs[0].difference == pytest.approx(0.75 * 0.2 - NRBP, rel=1e-12)


def test_ids_that_are_numbers_are_those_that_are_texts() -> None:
    qrels = rm.read_qrels(
        [{"query": 7, "item": 1, "aspect": 2, "relevance": 1}], aspect_weights={"7": {"2": 3}}
    )
    assert rm.evaluate(qrels, {7: [1]}, "alpha_DCG@1")["alpha_DCG@1"] == 3


def test_aspects_for_which_nothing_is_judged_are_told() -> None:
    qrels = rm.read_qrels(QRELS, aspect_weights={"q": {**WEIGHTS["q"], "4": 1}, "other": {"1": 1}})
    result = rm.evaluate(qrels, RUN, "NRBP")
    assert result["NRBP"] == pytest.approx(NRBP, rel=1e-14)
    assert "no item is judged for 1 aspect, such as '4' of query 'q'" in str(result.notes)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (
            {"q": {"1": 1, "2": 1}},
            r"1 of the 3 aspects .* has no weight.* is '3' of query 'q'; it has '1', '2'",
        ),
        ({"p": {"1": 1}}, "3 of the 3 aspects .* have no weight.*; it has no such query"),
        ({"q": {**WEIGHTS["q"], "3": -1}}, r"1 weight of 3 is none, such as -1.0 of aspect '3' of query 'q'"),
        ({"q": {**WEIGHTS["q"], "3": float("nan")}}, "such as nan of aspect '3'"),
        (pl.concat([FRAME, FRAME]), r"aspect '1' of query 'q' has several weights"),
        (FRAME.with_columns(weight=pl.lit("x")), "not numbers"),
        (FRAME.drop("aspect"), "no column of aspects among 'query', 'weight'"),
        (FRAME.drop("weight"), "no column of weights among 'query', 'aspect'"),
        (FRAME.with_columns(more=1, others=2).drop("weight"), "several columns of weights"),
        (3, "aspect_weights is of type int"),
        ("nowhere.csv", "no file 'nowhere.csv'"),
    ],
)
def test_what_are_no_weights_is_refused(weights: Any, said: str) -> None:
    with pytest.raises(rm.RankmarkError, match=said):
        rm.read_qrels(QRELS, aspect_weights=weights)


def test_weights_go_with_aspects_that_have_none_yet() -> None:
    with pytest.raises(rm.ColumnError, match="aspect_weights needs judgements of aspects"):
        rm.read_qrels({"q": {"a": 1}}, aspect_weights=WEIGHTS)
    table = FRAME.with_columns(item=pl.lit("a"), relevance=1)
    with pytest.raises(rm.UsageError, match="leave out one of them"):
        rm.read_qrels(table, {"aspect_weight": "weight"}, aspect_weights=WEIGHTS)


def test_a_column_of_another_role_is_not_the_aspect(tmp_path: Path) -> None:
    FRAME.write_csv(tmp_path / "judged.csv")
    read = rm.read_qrels(tmp_path / "judged.csv", {"item": "aspect", "relevance": "weight"})
    assert rm.evaluate(read, {"q": ["2"]}, "RR")["RR"] == 0  # 0.3 is below 1
