"""Weights, clusters and intervals by every door: the same, bit for bit, as of the same data as tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.errors import ColumnError, DataError, MeasureError, UsageError

RNG = np.random.default_rng(3)
QUERIES = [f"q{number:02}" for number in range(40)]
ITEMS = [f"d{number}" for number in range(8)]
GRADES = RNG.integers(0, 3, (len(QUERIES), len(ITEMS)))
SCORES = RNG.permuted(np.tile(np.arange(8.0), (len(QUERIES), 1)), axis=1)
QRELS = {
    q: {d: int(g) for d, g in zip(ITEMS, row, strict=True)} for q, row in zip(QUERIES, GRADES, strict=True)
}
RUN = {
    q: {d: float(s) for d, s in zip(ITEMS, row, strict=True)} for q, row in zip(QUERIES, SCORES, strict=True)
}
WEIGHTS = {q: float(w) for q, w in zip(QUERIES, RNG.pareto(1.5, len(QUERIES)).round(3), strict=True)}
WEIGHTS["q07"] = 0.0
USERS = {q: f"u{number % 12}" for number, q in enumerate(QUERIES)}
MEASURES = ["nDCG@5", "RR@5", "P@1"]

Door = Callable[..., rm.results.ListResult]


def _of_tables(**how: Any) -> rm.results.ListResult:
    return rm.evaluate(QRELS, RUN, how.pop("measures", MEASURES), **how)


def _of_arrays(**how: Any) -> rm.results.ListResult:
    return rm.evaluate_arrays(SCORES, GRADES, how.pop("measures", MEASURES), queries=QUERIES, **how)


def _of_candidates(**how: Any) -> rm.results.ListResult:
    items = np.tile(np.arange(8), (len(QUERIES), 1))
    measures = how.pop("measures", MEASURES)
    return rm.evaluate_arrays(SCORES, GRADES, measures, items=items, queries=QUERIES, **how)


def _of_factors(**how: Any) -> rm.results.ListResult:
    measures = how.pop("measures", MEASURES)
    return rm.evaluate_factors(SCORES, np.eye(8), GRADES, measures, queries=QUERIES, **how)


def _best(users: Any, k: int) -> list[list[str]]:
    return [sorted(RUN[user], key=RUN[user].__getitem__, reverse=True)[:k] for user in users]


def _of_model(**how: Any) -> rm.results.ListResult:
    return rm.evaluate_model(_best, QRELS, how.pop("measures", MEASURES), k=8, **how)


def _of_parts(**how: Any) -> rm.results.ListResult:
    """Two evaluators, of tables and of arrays, merged."""
    measures, result = how.pop("measures", MEASURES), {"resamples", "intervals", "confidence", "clusters"}
    result |= {"weights", "by", "attributes"}
    evaluators = [rm.Evaluator(measures, **{k: v for k, v in how.items() if k not in result}) for _ in "ab"]
    evaluators[0].update_arrays(SCORES[25:], GRADES[25:], queries=QUERIES[25:])
    numbered = [{q: dict(enumerate(own.values())) for q, own in each.items()} for each in (QRELS, RUN)]
    evaluators[1].update(*({q: each[q] for q in QUERIES[:25]} for each in numbered))
    evaluators[0].merge(evaluators[1])
    return evaluators[0].result(**{k: v for k, v in how.items() if k in result})


DOORS = [_of_arrays, _of_candidates, _of_factors, _of_model, _of_parts]


@pytest.mark.parametrize("door", DOORS)
def test_weights_give_what_they_give_of_tables(door: Door) -> None:
    """Two kinds of intervals: one that draws by the seed, and the default."""
    for more in ({"intervals": True}, {"intervals": "bca", "resamples": 700, "seed": 5, "confidence": 0.9}):
        how: Any = {"weights": WEIGHTS, "by": USERS, **more}
        expected, found = _of_tables(**how), door(**how)
        assert found.values == expected.values
        assert found.intervals == expected.intervals
        assert found.weights == expected.weights
        assert str(found.slices) == str(expected.slices)
        assert "|weights:weights|" in found.signature("RR@5")
        assert found.account()[0] == expected.account()[0]


@pytest.mark.parametrize("door", DOORS)
def test_clusters_give_the_intervals_that_they_give_of_tables(door: Door) -> None:
    topics = {q: number % 11 for number, q in enumerate(QUERIES)}
    users = pl.DataFrame({"query": QUERIES, "user": USERS.values(), "w": WEIGHTS.values()})
    for how in (
        {"clusters": USERS},
        {"clusters": [USERS, topics], "weights": WEIGHTS},
        {"clusters": "user", "weights": "w", "attributes": users},
    ):
        expected, found = (each(intervals=True, **how) for each in (_of_tables, door))
        assert found.intervals == expected.intervals
        assert found.intervals["RR@5"].unit == "clusters"


def test_weights_of_rows_are_those_of_the_rows_of_arrays() -> None:
    expected = _of_tables(weights=WEIGHTS).values
    for given in ([*WEIGHTS.values()], np.array([*WEIGHTS.values()]), pl.Series("w", WEIGHTS.values())):
        for door in (_of_arrays, _of_candidates, _of_factors):
            assert door(weights=given).values == expected
    # Of an evaluator they are those of the queries in the order of its result, that of their ids.
    assert _of_parts(weights=[*WEIGHTS.values()]).values == expected
    with pytest.raises(UsageError, match=r"weights has 3 values, and the array has 40 rows; give a value a"):
        _of_arrays(weights=[1, 2, 3])


REFUSED: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "missing": ({"weights": {"q00": 1}}, DataError, "39 of 40 judged queries have none or NaN, such as"),
    "negative": ({"weights": {**WEIGHTS, "q03": -1}}, DataError, "1 of 40 .* below 0 or infinite, .*'q03'"),
    "nan": ({"weights": {**WEIGHTS, "q03": math.nan}}, DataError, "1 of 40 .* have none or NaN, .*'q03'"),
    "zero": ({"weights": dict.fromkeys(QUERIES, 0)}, DataError, "those of 40 judged queries are all 0"),
    "text": ({"weights": {**WEIGHTS, "q03": "much"}}, DataError, "no number, but 'much', is that of query"),
    "none": ({"weights": ["a", "b"]}, UsageError, "weights are one column, {query: weight}, a Series or an"),
    "column": ({"weights": "traffic"}, ColumnError, "weights='traffic': no table has such a column"),
    "measure": (
        {"weights": WEIGHTS, "measures": "NumRel"},
        MeasureError,
        "a sum over queries, in which none",
    ),
    "clusters": ({"clusters": USERS}, UsageError, "clusters are for intervals: say intervals=True, too"),
    "kinds": ({"clusters": [USERS] * 3, "intervals": True}, UsageError, "or two such in a list"),
}


@pytest.mark.parametrize("door", [_of_tables, *DOORS])
@pytest.mark.parametrize("what", REFUSED)
def test_every_door_refuses_the_same_in_the_same_words(door: Door, what: str) -> None:
    how, error, words = REFUSED[what]
    with pytest.raises(error, match=words):
        door(**how)


@pytest.mark.parametrize("door", [_of_tables, _of_arrays, _of_factors])
def test_bounds_know_no_weights(door: Door) -> None:
    with pytest.raises(UsageError, match="leave out bounds or weights"):
        door(weights=WEIGHTS, bounds=True)
