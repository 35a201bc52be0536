"""Measures that are no means over queries, and one value of a measure wherever it is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark import statistics
from rankmark.statistics.intervals import percentile_interval
from strategies import at_most

OTHERS = ["HitRatio@2", "MeanRank", "MPR(items=50)", "NumRelRet", "AP(mean=geometric)", "RR", "nDCG@3"]
# Of 12 relevant items the one finds 8 and the other 7, of three queries.
QRELS: dict[str, Any] = {"big": {f"d{i}": 1 for i in range(10)}, "s": {"a": 1}, "t": {"b": 1}}
OLD = {"big": [f"d{i}" for i in range(7)], "s": ["a"], "t": ["x"]}
NEW = {"big": [f"d{i}" for i in range(5)], "s": ["a"], "t": ["b"]}


def test_a_comparison_shows_the_ratio_and_not_the_mean_of_the_queries_ratios() -> None:
    compared = rm.compare(QRELS, {"old": OLD, "new": NEW}, "HitRatio", baseline="old")
    (pair,) = compared.pairs
    assert (pair.baseline_value, pair.value) == (8 / 12, 7 / 12)
    assert (pair.wins, pair.ties, pair.losses) == (1, 1, 1)
    # With other signs the differences −2, 0 and 1 of what is found add up to ±1 or ±3, never to less.
    assert pair.p == 1.0


@pytest.mark.parametrize("measure", OTHERS)
def test_an_interval_is_of_what_the_measure_is_of_resampled_queries(measure: str) -> None:
    rng = np.random.default_rng(1)
    items = [f"d{i}" for i in range(20)]
    qrels = {f"q{i}": dict.fromkeys(items[: 1 + i % 7], 1) for i in range(25)}
    runs = {
        system: {q: {d: rng.normal(d in own, 1) for d in items} for q, own in qrels.items()}
        for system in "ab"
    }
    compared = rm.compare(qrels, runs, measure, interval="percentile", resamples=60, seed=5)
    counts = np.rint(25 * statistics.bootstrap_means(np.eye(25), resamples=60, seed=5)).astype(int)

    def value(system: str, drawn: Any) -> float:
        again = {f"{q} {n}": q for q, times in zip(qrels, drawn, strict=True) for n in range(times)}
        judged = {new: qrels[q] for new, q in again.items()}
        return rm.evaluate(judged, {new: runs[system][q] for new, q in again.items()}, measure)[measure]

    values = {system: np.array([value(system, drawn) for drawn in counts]) for system in runs}
    assert compared.interval("a", measure) == pytest.approx(percentile_interval(values["a"]), rel=1e-9)
    (pair,) = compared.pairs
    assert pair.interval == pytest.approx(percentile_interval(values["b"] - values["a"]), rel=1e-9)


ranked = st.lists(st.sampled_from("abcdef"), unique=True, min_size=1, max_size=6)
graded = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), min_size=1)
some = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), ranked).map(lambda run: {"q1": ["x"], **run})


@settings(max_examples=at_most(40))
@given(
    st.fixed_dictionaries(dict.fromkeys(("q1", "q2", "q3"), graded)),
    st.fixed_dictionaries({"a": some, "b": some}),
    st.sampled_from(["zero", "skip"]),
    st.sampled_from(["zero", "skip", "one"]),
)
def test_a_measure_has_one_value_wherever_it_is_shown(
    qrels: Any, systems: Any, missing: Any, no_relevant: Any
) -> None:
    choices: Any = {"missing": missing, "no_relevant": no_relevant}
    results = {name: rm.evaluate(qrels, run, OTHERS, **choices) for name, run in systems.items()}
    compared = rm.compare_results(results, resamples=2)
    everything = {name: result.by(dict.fromkeys(qrels, "all"))["all"] for name, result in results.items()}
    for place, measure in enumerate(OTHERS):
        for name, result in results.items():
            shown = [everything[name][place].value]
            if not compared.left_out:  # the means of a comparison are of the queries that both have
                shown.append(compared.value(name, measure))
            np.testing.assert_array_equal(shown, [result[measure]] * len(shown))
        if measure in ("NumRelRet", "RR"):
            gated = rm.gate(qrels, *systems.values(), measure, max_drop=0).measures[0]
            whole = (rm.evaluate(qrels, run, measure)[measure] for run in systems.values())
            assert (gated.baseline, gated.candidate) == tuple(whole)


def test_queries_that_weigh_are_compared_and_sliced_with_their_weights() -> None:
    # GAUC of users with 2 and 4 rows: (2·1 + 4·0.75) / 6 and (2·0 + 4·1) / 6.
    users, labels = ["a", "a", "b", "b", "b", "b"], [1, 0, 1, 0, 1, 0]
    scores = {"one": [0.9, 0.1, 0.9, 0.1, 0.4, 0.5], "other": [0.1, 0.9, 0.9, 0.1, 0.8, 0.2]}
    results = {
        name: rm.evaluate_predictions({"user": users, "label": labels, "score": own}, ["GAUC"])
        for name, own in scores.items()
    }
    compared = rm.compare_results(results, resamples=10)
    assert [compared.value(name, "GAUC") for name in scores] == [5 / 6, 4 / 6]
    assert [result["GAUC"] for result in results.values()] == [5 / 6, 4 / 6]
    assert results["one"].by({"a": "x", "b": "x"})["x"][0].value == 5 / 6


def test_predictions_have_intervals_of_measures_of_lists_that_are_no_means() -> None:
    rng = np.random.default_rng(0)
    users = np.repeat(np.arange(40), 6)
    table = {"user": users, "label": rng.integers(0, 2, 240), "score": rng.normal(size=240)}
    result = rm.evaluate_predictions(table, ["HitRatio@2", "AP(mean=geometric)", "NumRelRet"], intervals=True)
    for name, interval in result.intervals.items():
        assert interval.low < result[name] < interval.high
