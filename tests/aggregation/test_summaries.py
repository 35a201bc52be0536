"""What the values of queries come to besides their mean: ``mean=median``, quantiles, ``std``, ``trimmed``."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankmark as rm
from rankmark.errors import ChoiceError, MeasureError
from rankmark.statistics.summaries import SUMMARIES

QUERIES = [f"q{i:02}" for i in range(41)]
RNG = np.random.default_rng(8)
QRELS = {q: {f"d{i}": int(RNG.integers(0, 2)) for i in range(8)} | {"d9": 1} for q in QUERIES}
RUN = {q: {f"d{i}": float(RNG.normal()) for i in range(10)} for q in QUERIES}
VALUES = rm.evaluate(QRELS, RUN, "AP").query_values("AP")
EXPECTED = {
    "median": np.median(VALUES),
    "q10": np.quantile(VALUES, 0.1),
    "q90": np.quantile(VALUES, 0.9),
    "std": np.std(VALUES, ddof=1),
    "trimmed": stats.trim_mean(VALUES, 0.1),
}


@pytest.mark.parametrize(("mean", "value"), EXPECTED.items())
def test_the_value_is_numpys_or_scipys_by_every_way(mean: Any, value: float) -> None:
    name = f"AP(mean={mean})"
    result = rm.evaluate(QRELS, RUN, name)
    assert result[name] == pytest.approx(value, rel=1e-12)
    assert result.query_terms(name).value() == result[name]
    assert f"mean:{mean}" in result.signature(name)
    assert rm.from_signature(result.signature(name)).evaluate(QRELS, RUN)[name] == result[name]
    evaluator = rm.Evaluator(name)
    for half in (QUERIES[:20], QUERIES[20:]):
        evaluator.update({q: QRELS[q] for q in half}, {q: RUN[q] for q in half})
    assert evaluator.result()[name] == pytest.approx(value, rel=1e-12)


def test_intervals_of_quantiles_are_from_value_to_value() -> None:
    """Ranks 14 and 28 of 41 for the median: P(B ≤ 13) = .0138, P(B ≤ 14) = .0298 (binomial tables)."""
    found = rm.evaluate(QRELS, RUN, "AP(mean=median)", intervals=True).intervals["AP(mean=median)"]
    ordered = np.sort(VALUES)
    assert (found.low, found.high) == (ordered[13], ordered[27])
    assert found.method == "exact"
    few = {q: QRELS[q] for q in QUERIES[:5]}
    none = rm.evaluate(few, RUN, "AP(mean=median)", intervals=True).intervals["AP(mean=median)"]
    assert np.isnan([none.low, none.high]).all()
    assert none.note == "the queries do not vary, or are too few"
    told = str(rm.evaluate(few, RUN, ["AP(mean=q05)"], intervals=True)).replace("\n  ", " ")
    assert "none of AP(mean=q05): the queries do not vary, or are too few" in told


def test_the_interval_of_a_trimmed_mean_is_scipys() -> None:
    found = rm.evaluate(QRELS, RUN, "AP(mean=trimmed)", intervals=True).intervals["AP(mean=trimmed)"]
    low, high = stats.mstats.trimmed_mean_ci(VALUES, (0.1, 0.1), alpha=0.05)
    # SciPy divides by 1 − 2·0.1, here by the share that is left: 33 of 41.
    scale = 0.8 / (33 / 41)
    value = EXPECTED["trimmed"]
    assert found.high - value == pytest.approx((high - value) * scale, rel=1e-6)
    assert value - found.low == pytest.approx((value - low) * scale, rel=1e-6)


def test_intervals_hold_what_they_say() -> None:
    """Of 1,000 samples of 40 normal values; four standard errors of such a share are 2.8 points."""
    rng = np.random.default_rng(1)
    true = {"median": 0.0, "q90": stats.norm.ppf(0.9), "std": 1.0, "trimmed": 0.0}
    held = dict.fromkeys(true, 0)
    for _ in range(1_000):
        values = rng.normal(size=40)
        for name, truth in true.items():
            low, high = SUMMARIES[name].interval(values, 0.95)
            held[name] += low <= truth <= high
    assert held["median"] >= 922
    assert held["q90"] >= 922
    assert 922 <= held["trimmed"] <= 978
    assert held["std"] >= 880  # with 40 values; normal ones are the best of cases


def test_what_is_no_mean_is_neither_compared_nor_resampled() -> None:
    one, other = (
        rm.evaluate(QRELS, run, "AP(mean=median)") for run in (RUN, {q: list(RUN[q]) for q in QUERIES})
    )
    for refused in (
        lambda: rm.compare_results({"one": one, "other": other}),
        lambda: one.query_terms("AP(mean=median)").linear(),
    ):
        with pytest.raises(MeasureError, match=r"AP\(mean=median\) is no mean over queries"):
            refused()
    with pytest.raises(ChoiceError, match="is no mean: only intervals=True has one"):
        rm.evaluate(QRELS, RUN, "AP(mean=median)", intervals="bca")
    with pytest.raises(MeasureError, match="mean=mode is not arithmetic or geometric or median"):
        rm.evaluate(QRELS, RUN, "AP(mean=mode)")


def test_slices_have_the_value_and_its_interval_and_no_test() -> None:
    halves = {q: "a" if number % 2 else "b" for number, q in enumerate(QUERIES)}
    found = rm.evaluate(QRELS, RUN, "AP(mean=median)", by=halves).slices
    assert found is not None
    row = found["a"][0]
    assert row.value == pytest.approx(np.median(VALUES[1::2]))
    assert row.low < row.value < row.high
    assert np.isnan(row.difference)
