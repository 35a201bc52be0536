"""Means in which some queries weigh more than others, and what follows from them."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmark as rm
from rankmark import statistics
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError

RNG = np.random.default_rng(11)
QUERIES = [f"q{i:02}" for i in range(30)]
ITEMS = [f"d{i}" for i in range(8)]
QRELS = {q: {d: int(RNG.integers(0, 3)) for d in ITEMS} for q in QUERIES}
RUN = {q: {d: float(RNG.normal()) for d in ITEMS} for q in QUERIES}
OTHER = {q: {d: QRELS[q][d] + float(RNG.normal()) for d in ITEMS} for q in QUERIES}
WEIGHTS = {q: float(RNG.integers(0, 9)) for q in QUERIES}
MEASURES = ["nDCG@5", "AP"]


@pytest.fixture(scope="module")
def result() -> rm.results.ListResult:
    return rm.evaluate(QRELS, RUN, MEASURES, weights=WEIGHTS, intervals="t")


def test_the_value_and_its_interval_are_those_of_a_weighted_mean(result: Any) -> None:
    """The jackknife of the ratio (Cochran 1977, 6.17), as `survey` of R has it by replicate weights (JK1)."""
    counted = [q for q in QUERIES if WEIGHTS[q]]
    plain = rm.evaluate(QRELS, RUN, MEASURES)
    w = np.array([WEIGHTS[q] for q in counted])
    for measure in MEASURES:
        known = dict(zip(plain.query_ids, plain.query_values(measure), strict=True))
        v, n = np.array([known[q] for q in counted]), len(counted)
        value = math.fsum(w * v) / math.fsum(w)
        moves = w * (v - value) / (w.sum() - w)  # by how much the mean is less without each query
        error = math.sqrt((n - 1) / n * np.sum(moves**2))
        kurtosis = n * np.sum(moves**4) / np.sum(moves**2) ** 2
        reach = stats.t.ppf(0.975, min(n - 1, 2 * n / (kurtosis - 1))) * error
        assert result[measure] == pytest.approx(value, abs=1e-15)
        interval = result.intervals[measure]
        assert interval[:2] == pytest.approx((value - reach, value + reach), abs=1e-12)
        assert interval.units == n


def test_weights_that_are_all_the_same_change_nothing() -> None:
    same = rm.evaluate(QRELS, RUN, MEASURES, weights=dict.fromkeys(QUERIES, 0.1), intervals=True)
    plain = rm.evaluate(QRELS, RUN, MEASURES, intervals=True)
    assert same.values == plain.values
    assert same.intervals == plain.intervals


def test_a_query_of_weight_0_is_as_if_it_were_not_there() -> None:
    half = {q: float(i % 2) for i, q in enumerate(QUERIES)}
    odd = {q: QRELS[q] for q in QUERIES if half[q]}
    weighed = rm.evaluate(QRELS, RUN, MEASURES, weights=half, intervals=True)
    assert weighed.values == rm.evaluate(odd, RUN, MEASURES).values
    assert weighed.intervals == rm.evaluate(odd, RUN, MEASURES, intervals=True).intervals


def test_whole_weights_give_the_value_of_queries_that_stand_there_so_often() -> None:
    often = {(q, i): q for q in QUERIES for i in range(int(WEIGHTS[q]))}
    qrels = {f"{q}.{i}": QRELS[q] for q, i in often}
    run = {f"{q}.{i}": RUN[q] for q, i in often}
    repeated = rm.evaluate(qrels, run, MEASURES)
    weighed = rm.evaluate(QRELS, RUN, MEASURES, weights=WEIGHTS)
    assert weighed.values == pytest.approx(repeated.values, abs=1e-14)


def test_they_stand_in_a_column_a_mapping_a_series_or_an_array() -> None:
    pd = pytest.importorskip("pandas")
    rows = [(q, d, grade, WEIGHTS[q]) for q, own in QRELS.items() for d, grade in own.items()]
    qrels = pl.DataFrame(rows, schema=["query", "item", "relevance", "traffic"], orient="row")
    users = pl.DataFrame({"query": QUERIES, "traffic": [str(int(WEIGHTS[q])) for q in QUERIES]})
    expected = rm.evaluate(QRELS, RUN, MEASURES, weights=WEIGHTS).values
    for given, attributes in (
        ("traffic", None),
        ("traffic", users),
        (pd.Series(WEIGHTS), None),
        (qrels["traffic"], None),
        (qrels["traffic"].to_numpy(), None),
    ):
        found = rm.evaluate(qrels, RUN, MEASURES, weights=given, attributes=attributes)
        assert found.values == expected
    assert rm.evaluate(QRELS, RUN, MEASURES).with_weights([WEIGHTS[q] for q in QUERIES]).values == expected


def test_slices_weigh_too() -> None:
    slices = {q: "a" if i < 12 else "b" for i, q in enumerate(QUERIES)}
    found = rm.evaluate(QRELS, RUN, "AP", weights=WEIGHTS, by=slices).slices
    assert found is not None
    first = rm.evaluate({q: QRELS[q] for q in QUERIES[:12]}, RUN, "AP", weights=WEIGHTS)
    assert next(row.value for row in found if row.slice == "a") == pytest.approx(first["AP"], abs=1e-15)


def test_a_comparison_tests_the_difference_of_the_weighted_means() -> None:
    """Random signs of w·(difference), whose p-value does not depend on what the weights add up to."""
    comparison = rm.compare(QRELS, {"old": RUN, "new": OTHER}, "AP", weights=WEIGHTS, interval="t")
    old, new = (rm.evaluate(QRELS, run, "AP", weights=WEIGHTS) for run in (RUN, OTHER))
    pair = comparison.pair("AP", "new")
    w = np.array([WEIGHTS[q] for q in QUERIES])
    differences = (w * (new.query_values("AP") - old.query_values("AP")))[w > 0]
    assert pair.difference == pytest.approx(new["AP"] - old["AP"], abs=1e-15)
    assert pair.queries == len(differences)
    assert pair.p == pytest.approx(statistics.randomisation_test(differences), abs=1e-12)
    again = rm.compare_results(
        {"old": rm.evaluate(QRELS, RUN, "AP"), "new": new}, weights=WEIGHTS, interval="t"
    )
    assert again.pairs == comparison.pairs
    assert "weighed by 'weights'" in str(comparison)
    assert json.loads(comparison.format("json"))["weights"] == "weights"


def test_values_computed_elsewhere_can_be_weighed() -> None:
    matrix = {"old": [0.0, 0.5, 1.0], "new": [0.5, 1.0, 1.0]}
    found = rm.compare_matrix(matrix, "AP", weights=[1, 1, 2])
    assert (found.value("old", "AP"), found.value("new", "AP")) == (0.625, 0.875)


def test_results_that_weigh_otherwise_are_not_compared(result: Any) -> None:
    plain = rm.evaluate(QRELS, RUN, MEASURES)
    with pytest.raises(ChoiceError, match="weighed in the result of 'a', and not in that of 'b'"):
        rm.compare_results({"a": result, "b": plain})
    with pytest.raises(ChoiceError, match="weigh 1 query otherwise, such as 'q03'"):
        rm.compare_results({"a": result, "b": plain.with_weights({**WEIGHTS, "q03": 77})})


def test_they_are_told_saved_and_had_again(result: Any, tmp_path: Path) -> None:
    assert "weighed by 'weights', as many as" in str(result)
    assert "of weight 0 left out" in " ".join(str(result).split())
    assert json.loads(result.format("json"))["weights"]["name"] == "weights"
    result.save(tmp_path / "one.rankmark")
    for again in (rm.load(tmp_path / "one.rankmark"), pickle.loads(pickle.dumps(result))):
        assert isinstance(again, rm.results.ListResult)
        assert again.weights == WEIGHTS
        assert again.format("json") == result.format("json")
        assert again.query_terms("AP").value() is not None


def test_a_signature_names_them_and_asks_for_them(result: Any) -> None:
    for short in (False, True):
        evaluation = rm.from_signature(result.signature("AP", short=short))
        assert evaluation.weights == "weights"
        assert evaluation.evaluate(QRELS, RUN, weights=WEIGHTS)["AP"] == result["AP"]
        with pytest.raises(rm.errors.ColumnError, match="weights='weights': no table has such a column"):
            evaluation.evaluate(QRELS, RUN)
        with pytest.raises(UsageError, match="weighs queries by 'weights': give these as weights="):
            evaluation.evaluate_arrays(np.ones((1, 2)), [[0]])
        scores = np.array([[RUN[q][d] for d in ITEMS] for q in QUERIES])
        grades = np.array([[QRELS[q][d] for d in ITEMS] for q in QUERIES])
        for ids, given in ((None, [*WEIGHTS.values()]), (QUERIES, WEIGHTS)):
            of_arrays = evaluation.evaluate_arrays(scores, grades, queries=ids, weights=given)
            assert of_arrays["AP"] == result["AP"]
            assert "|weights:weights|" in of_arrays.signature("AP")
    with pytest.raises(UsageError, match="names no weights"):
        rm.from_signature("AP|rankmark:0.1.0").evaluate(QRELS, RUN, weights=WEIGHTS)
    named = rm.evaluate(QRELS, RUN, "AP").with_weights(pl.Series("none", range(30)))
    assert rm.from_signature(named.signature("AP")).weights == "none"


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        (
            {**WEIGHTS, "q03": -1},
            "1 of 30 judged queries have one below 0 or infinite, such as 'q03' with -1",
        ),
        ({**WEIGHTS, "q03": math.inf}, "1 of 30 judged queries have one below 0 or infinite, such as 'q03'"),
        ({**WEIGHTS, "q03": math.nan}, "1 of 30 judged queries have none or NaN, such as 'q03'"),
        (dict.fromkeys(QUERIES[:20], 1), "10 of 30 judged queries have none"),
        (dict.fromkeys(QUERIES, 0), "those of 30 judged queries are all 0"),
        ({**WEIGHTS, "q03": "much"}, "weights='weights': no number, but 'much', is that of query 'q03'"),
    ],
)
def test_what_is_no_weight_is_refused_with_where_and_how_many(weights: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        rm.evaluate(QRELS, RUN, MEASURES, weights=weights)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("HitRatio@5", "a ratio of sums"),
        ("NumRel", "a sum"),
        ("AP(mean=geometric)", "a geometric mean"),
        ("AP(mean=median)", "no mean"),
    ],
)
def test_measures_that_are_no_means_know_no_weights(measure: str, said: str) -> None:
    with pytest.raises(MeasureError, match=f"is {said}"):
        rm.evaluate(QRELS, RUN, ["AP", measure], weights=WEIGHTS)


def test_measures_of_the_whole_run_say_why_they_know_no_weights() -> None:
    with pytest.raises(MeasureError, match="of the whole run, in which a list is there or not"):
        rm.evaluate(QRELS, RUN, ["AP", "Coverage@5"], weights=WEIGHTS, items=ITEMS)


def test_what_was_made_without_them_is_not_weighed_after(result: Any) -> None:
    with pytest.raises(UsageError, match="weights come first"):
        result.with_weights(WEIGHTS)
    with pytest.raises(UsageError, match="leave out bounds or weights"):
        rm.evaluate(QRELS, RUN, "AP", weights=WEIGHTS, bounds=True)
    with pytest.raises(UsageError, match="one column"):
        rm.evaluate(QRELS, RUN, "AP", weights=["a", "b"])
