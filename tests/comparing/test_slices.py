"""Comparisons in slices: of results that exist, and of predictions."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm

QUERIES = [f"q{i}" for i in range(10)]
QRELS = {query: {"a": 1} for query in QUERIES}
GOOD, BAD = ({query: list(items) for query in QUERIES} for items in ("ab", "ba"))
NEW = {query: (GOOD if place < 6 else BAD)[query] for place, query in enumerate(QUERIES)}
OLD = {query: (BAD if place < 6 else GOOD)[query] for place, query in enumerate(QUERIES)}
BINS = {query: "(5, 10]" if place < 6 else "(10, 20]" for place, query in enumerate(QUERIES)}


def results() -> dict[str, rm.results.Result]:
    return {name: rm.evaluate(QRELS, run, "RR P@1") for name, run in (("old", OLD), ("new", NEW))}


@pytest.mark.parametrize(
    "how",
    [
        {"by": BINS},
        {"by": pd.Series(BINS)},
        {"by": BINS.get},
        {"by": pl.Series(BINS.values())},
        {"by": "age", "attributes": pl.DataFrame({"query": QUERIES, "age": BINS.values()})},
    ],
)
def test_results_that_exist_are_compared_in_slices(how: Any) -> None:
    found = rm.compare_results(results(), baseline="old", **how).slices
    assert found is not None
    # As tests/comparing/test_comparison.py has them of tables.
    assert [
        (each.pair.measure.name, each.slice, each.members, each.pair.difference) for each in found.pairs
    ] == [
        ("RR", "(5, 10]", 6, 0.5),
        ("RR", "(10, 20]", 4, -0.5),
        ("P", "(5, 10]", 6, 1.0),
        ("P", "(10, 20]", 4, -1.0),
    ]
    assert found["(5, 10]"][0].p == 2 / 64
    with pytest.raises(rm.ChoiceError, match=r"no slice '\(5,10\]'; did you mean"):
        found["(5,10]"]
    assert len(found) == 4
    assert list(found) == list(found.pairs)
    assert "(5, 10]" in found
    assert "nix" not in found


def test_slices_call_measures_as_they_were_asked_for() -> None:
    asked = {name: rm.evaluate(QRELS, run, "MRR NDCG@1") for name, run in (("old", OLD), ("new", NEW))}
    comparison = rm.compare_results(asked, baseline="old", by=BINS)
    assert comparison.slices is not None
    names = dict.fromkeys(each["measure"] for each in comparison.slices.records())
    assert list(names) == ["MRR", "NDCG@1"] == [measure.label for measure in comparison.measures]
    assert "MRR of query" in str(rm.explain(QRELS, NEW, "MRR", query="q0"))


def test_attributes_alone_say_nothing() -> None:
    with pytest.raises(rm.UsageError, match="attributes without by"):
        rm.compare_results(results(), attributes=pl.DataFrame({"query": QUERIES}))


def clicks(rows: int = 60) -> pl.DataFrame:
    random = np.random.default_rng(1)
    click = np.arange(rows) % 2
    return pl.DataFrame(
        {
            "user_id": np.arange(rows) // 4,
            "item_id": np.arange(rows),
            "click": click,
            "old": random.random(rows),
            "new": random.random(rows) * 0.5 + click * 0.4,
            "bin": np.array(["<5", "5-20", "≥20"])[np.arange(rows) // 2 % 3],
        }
    )


def compared(table: Any, scores: Any, **how: Any) -> rm.results.PredictionComparison:
    return rm.compare_predictions(table, scores, "AUC Brier", baseline="old", resamples=50, **how)


def test_each_slice_is_a_comparison_of_its_rows_corrected_for_all() -> None:
    table, scores = clicks(), {"old": "old", "new": "new"}
    slices = compared(table, scores, by="bin").slices
    assert slices is not None
    assert [(each.pair.measure.name, each.slice) for each in slices.pairs] == [
        (measure, name) for measure in ("AUC", "Brier") for name in ("<5", "5-20", "≥20")
    ]
    for each in slices.pairs:
        alone = compared(table.filter(bin=each.slice), scores).pair(each.pair.measure, "new")
        for figure in ("value", "baseline_value", "difference", "low", "high", "p"):
            assert getattr(each.pair, figure) == getattr(alone, figure)
    p_values = [each.pair.p for each in slices.pairs]
    corrected = rm.statistics.corrected(p_values, "holm")
    assert [each.pair.corrected for each in slices.pairs] == pytest.approx(corrected.tolist())


def test_a_table_of_each_system_can_lack_the_column() -> None:
    table = clicks()
    whole = compared(table, {"old": "old", "new": "new"}, by="bin").slices
    old = table.drop("new").rename({"old": "p"})
    new = table.drop("old", "bin").rename({"new": "p"}).sample(fraction=1, shuffle=True, seed=1)
    apart = compared({"old": old, "new": new}, "p", by="bin").slices
    turned = compared({"new": new, "old": old}, "p", by="bin").slices
    assert str(whole) == str(apart)
    assert turned is not None
    assert turned.frame["difference"].to_list() == pytest.approx(apart.frame["difference"].to_list())  # type: ignore[union-attr]
    with pytest.raises(
        rm.ColumnError, match="every system's table has no column 'bn' to slice by; did you mean"
    ):
        compared({"old": old, "new": new}, "p", by="bn")


def test_slices_without_a_value_are_told() -> None:
    table = clicks().with_columns(click=pl.when(pl.col("bin") == "<5").then(1).otherwise(pl.col("click")))
    text = str(compared(table, {"old": "old", "new": "new"}, by="bin"))
    assert "no value of AUC in 1 slice (<5): every row is positive" in text


def test_slices_are_in_every_format_of_a_comparison() -> None:
    lists = rm.compare_results(results(), baseline="old", by=BINS)
    rows = compared(clicks(), {"old": "old", "new": "new"}, by="bin")
    for comparison, name in ((lists, "(5, 10]"), (rows, "5-20")):
        slices: Any = comparison.slices
        assert str(slices) in str(comparison)
        assert comparison.to_csv() == slices.to_csv()
        assert json.loads(comparison.to_json())["slices"] == json.loads(slices.to_json())["slices"]
        assert f">{name}</td>".replace("<5", "&lt;5") in comparison._repr_html_()
        assert slices.to_markdown().rstrip() in comparison.to_markdown()
        assert slices.to_latex().partition("\n%")[0] in comparison.to_latex()
        assert str(pickle.loads(pickle.dumps(comparison))) == str(comparison)
    assert lists.to_csv(per_query=True).startswith("measure,query")
