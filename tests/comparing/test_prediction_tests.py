"""Tests of the difference between systems' predictions: what is swapped, and what is independent."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmark as rm
from rankmark import statistics
from rankmark.errors import ChoiceError
from rankmark.statistics.drawing import draws_needed

SYSTEMS = {"old": "old", "new": "new"}


def clicks(rows: int = 60, users: int | None = None, seed: int = 0, better: float = 0.0) -> dict[str, Any]:
    """Rows with the scores of two systems, which are probabilities; the new one is better by so much."""
    rng = np.random.default_rng(seed)
    label = (rng.random(rows) < 0.4).astype(int)
    label[:2] = 0, 1
    logits = {name: (1 + by) * (label - 0.5) for name, by in (("old", 0.0), ("new", better))}
    table = {name: 1 / (1 + np.exp(-each - rng.normal(0, 1, rows))) for name, each in logits.items()}
    return {"label": label, **table} | ({} if users is None else {"user": np.arange(rows) % users})


def compared(table: Any, measures: Any, **how: Any) -> rm.results.PredictionComparison:
    return rm.compare_predictions(table, SYSTEMS, measures, baseline="old", **{"resamples": 50} | how)


def p_of(table: Any, measure: str, **how: Any) -> float:
    return compared(table, measure, **how).pair(measure, "new").p


def losses(table: dict[str, Any], system: str) -> Any:
    return -np.where(table["label"], np.log(table[system]), np.log1p(-table[system]))


@pytest.mark.parametrize("test", ["randomisation", "t"])
def test_of_a_mean_over_rows_the_test_is_that_of_the_rows_differences(test: Any) -> None:
    table = clicks(30)
    own = losses(table, "new") - losses(table, "old")
    function = {"randomisation": statistics.randomisation_test, "t": statistics.paired_t_test}[test]
    assert p_of(table, "LogLoss", test=test) == pytest.approx(function(own), rel=1e-6)


@pytest.mark.parametrize("test", ["randomisation", "t"])
def test_of_a_mean_over_queries_the_test_is_that_of_the_queries_values(test: Any) -> None:
    table = clicks(120, users=15)
    measure = "GAUC(weight=uniform)"
    values = [
        rm.evaluate_predictions(table, measure, score=name, query="user").query_values(measure)
        for name in ("new", "old")
    ]
    function = {"randomisation": statistics.randomisation_test, "t": statistics.paired_t_test}[test]
    expected = function(values[0] - values[1])
    assert p_of(table, measure, query="user", test=test) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("measure", ["PCOPC", "RMSE", "Accuracy", "LogLoss"])
def test_random_signs_swap_the_systems_user_by_user(measure: str) -> None:
    table = clicks(60, users=8, better=0.5)
    found = []
    for swapped in product([False, True], repeat=8):
        at = np.array(swapped)[table["user"]]
        new, old = np.where(at, table["old"], table["new"]), np.where(at, table["new"], table["old"])
        values = [
            rm.evaluate_predictions({"label": table["label"], "p": each}, measure, score="p")[measure]
            for each in (new, old)
        ]
        found.append(abs(values[0] - values[1]))
    extreme = np.mean(np.array(found) >= found[0] - 1e-12)
    assert p_of(table, measure, query="user") == pytest.approx(extreme, abs=1e-12)


def test_accuracy_over_rows_is_tested_as_by_mcnemar_exactly() -> None:
    table = clicks(200, better=1.0)
    right = {name: (table[name] >= 0.5) == table["label"] for name in SYSTEMS}
    expected = statistics.sign_test(right["new"].astype(float) - right["old"])
    assert p_of(table, "Accuracy") == pytest.approx(expected, rel=1e-9)


def test_accuracy_over_users_is_tested_by_all_signs_with_sums_that_tie() -> None:
    random = np.random.default_rng(4)
    user, label = np.repeat(np.arange(60), 9), np.arange(540) % 2
    right = random.random((2, 540)) < 0.6
    one, other = np.where(right, label, 1 - label) * 0.8 + 0.1
    more = np.bincount(user, right[0].astype(int) - right[1]).astype(int)
    assert np.abs(more).max() == 6  # a sixth has no end in decimals
    reach = int(np.abs(more).sum())
    chances = np.zeros(2 * reach + 1)
    chances[reach] = 1
    for each in more:
        chances = (np.roll(chances, each) + np.roll(chances, -each)) / 2
    far = np.abs(np.arange(-reach, reach + 1)) >= abs(more.sum())
    table = {"label": label, "user_id": user, "one": one, "other": other}
    found = rm.compare_predictions(table, {"one": "one", "other": "other"}, "Accuracy", query="user_id")
    assert found.pairs[0].p == pytest.approx(chances[far].sum(), rel=1e-9)


@pytest.mark.parametrize("measure", ["AUC", "KS", "AveragePrecision", "F1(threshold=max)"])
@pytest.mark.parametrize("users", [None, 12])
def test_systems_may_have_scores_on_other_scales(measure: str, users: int | None) -> None:
    table = clicks(90, users)
    scaled = table | {"new": 1000 * table["new"] ** 3}
    how = {"query": "user" if users else ""}
    assert p_of(scaled, measure, **how) == pytest.approx(p_of(table, measure, **how), rel=1e-9)


def test_two_users_with_the_same_difference_show_nothing() -> None:
    table = clicks(40, users=2, better=5.0)
    result = compared(table, "LogLoss", query="user")
    (pair,) = result.pairs
    assert (pair.p, pair.units, pair.unit, pair.significant) == (0.5, 2, "queries", False)
    note = "LogLoss: nothing can be significant over 2 queries: the least p-value of random signs is 0.5"
    assert note in result.account()
    assert not any("nothing can be" in line for line in compared(clicks(40), "LogLoss").account())


def test_no_floor_hides_a_clear_winner_of_a_measure_that_is_computed_again() -> None:
    table = clicks(400, better=1.5)
    table |= {"third": clicks(400, better=2.5)["new"], "last": 0.5 * table["old"] + 0.25}
    names = {name: name for name in ("old", "new", "third", "last")}
    result = rm.compare_predictions(table, names, "AveragePrecision", test="t", resamples=50)
    p = {(pair.system, pair.baseline): pair.corrected for pair in result.pairs}
    assert p["new", "old"] < 0.01
    assert p["last", "old"] == 1
    assert {(pair.units, pair.groups) for pair in result.pairs} == {(400, 200)}


def test_pairs_are_of_the_queries_that_count_for_either() -> None:
    # By Pearson's r the new system has no value of the last user, whose scores are all the same.
    table = clicks(60, users=6)
    constant = table | {"new": np.where(table["user"] == 5, 0.5, table["new"])}
    result = compared(constant, "Pearson(average=macro)", query="user")
    (pair,) = result.pairs
    assert pair.units == 6
    assert pair.low < pair.difference < pair.high
    (own,) = compared(constant, "Pearson(average=macro)", query="user", interval="bca").pairs
    assert own.low < own.difference < own.high


def test_a_threshold_is_compared_in_the_precision_of_the_scores() -> None:
    import polars as pl

    scores = pl.Series([0.3, 0.3, 0.9, 0.1, 0.3, 0.2], dtype=pl.Float32)
    frame = pl.DataFrame({"label": [1, 0, 1, 0, 1, 0], "score": scores})
    result = rm.evaluate_predictions(frame, "Accuracy(threshold=0.3)", intervals="bca", resamples=50)
    own = result.intervals["Accuracy(threshold=0.3)"]
    assert result["Accuracy(threshold=0.3)"] == pytest.approx(5 / 6)
    assert own.low <= 5 / 6 <= own.high


def test_what_a_test_is_not_of_is_refused() -> None:
    with pytest.raises(rm.MeasureError, match='test="delong" is of AUC, not of LogLoss'):
        compared(clicks(), "LogLoss", test="delong")
    with pytest.raises(rm.MeasureError, match='interval="delong-t" is of AUC, not of LogLoss'):
        compared(clicks(), "LogLoss", interval="delong-t")
    with pytest.raises(rm.ChoiceError, match="test='wilcoxon' is not one of delong-t, delong, randomisation"):
        compared(clicks(), "LogLoss", test="wilcoxon")


def test_what_was_tested_is_told() -> None:
    for how in ({"query": "user"}, {"query": ""}):
        result = compared(clicks(60, 20), ["AUC", "LogLoss", "KS"], **how)
        assert [pair.test for pair in result.pairs] == ["delong-t", "randomisation", "t"]
        unit, units = ("queries", 20) if how["query"] else ("rows", 60)
        assert {(pair.unit, pair.units, pair.groups) for pair in result.pairs} == {(unit, units, None)}
        told = (
            f"LogLoss by the randomisation test (random signs) over {units} {unit}; KS by the paired t test"
        )
        assert any(told in each for each in result.account())


def test_pairs_say_what_stands_behind_their_p_values() -> None:
    table = clicks(60, 20)
    by = {
        test: compared(table, "LogLoss", query="user", test=test).pairs[0] for test in ("randomisation", "t")
    }
    for pair in by.values():
        assert pair.evidence is not None
        assert pair.evidence.n == 20
    assert (by["randomisation"].figures["way"], by["t"].figures["way"]) == ("exact", "t")
    assert by["t"].figures["freedom"] == 19
    assert by["t"].figures["statistic"] == pytest.approx(
        stats.t.isf(by["t"].p / 2, 19) * sign(by["t"]), rel=1e-9
    )
    (delong,) = compared(clicks(60), "AUC", test="delong").pairs
    assert delong.figures["way"] == "normal"
    assert delong.p == pytest.approx(2 * stats.norm.sf(abs(delong.figures["statistic"])), rel=1e-9)


def sign(pair: Any) -> float:
    return float(np.sign(pair.difference))


def test_a_floor_of_the_draws_is_told_or_drawn_below() -> None:
    table = clicks(300, better=1.2)
    names = {"old": "old", "new": "new", "third": "third", "last": "last"}
    table |= {"third": clicks(300, better=2.5)["new"], "last": clicks(300, seed=4, better=0.1)["old"]}
    told = rm.compare_predictions(table, names, "KS", test="bootstrap", resamples=50)
    assert any("raise resamples" in line for line in told.account())
    drawn = rm.compare_predictions(table, names, "KS", test="randomisation", resamples=50)
    assert min(pair.p for pair in drawn.pairs) < 1 / 51
    assert not any("raise resamples" in line for line in drawn.account())


def test_systems_that_nothing_tells_apart_are_named() -> None:
    table = clicks(users=12)
    found = compared(table | {"new": table["old"] ** 2}, "AUC GAUC LogLoss")
    line = "2 pairs, such as new against old by AUC: no query tells them apart, and an interval without width"
    assert [each for each in found.account() if each.startswith(line)]
    assert not [each for each in compared(table, "AUC GAUC").account() if "tells them apart" in each]


def test_a_p_value_that_lacks_spread_says_so() -> None:
    label = np.repeat([0, 1], 10)
    table = {"label": label, "old": np.where(label, 0.9, 0.1), "new": np.where(label, 0.8, 0.2)}
    line = "no p-value of 2 pairs, such as new against old by LogLoss: all rows differ by the same"
    found = compared(table, "LogLoss RMSE", test="t")
    assert np.isnan(found.pair("LogLoss", "new").p)
    assert [each for each in found.account() if line in each]
    assert not [each for each in compared(table, "LogLoss RMSE").account() if "no p-value" in each]
    sliced = compared(table, "LogLoss", test="t", by=np.array(["a", "b"] * 10)).slices
    assert sliced is not None
    assert [each for each in sliced.notes if line in each]


def test_slices_draw_for_all_their_tests() -> None:
    how = {"by": np.arange(600) % 12, "test": "randomisation", "resamples": 50}
    slices = compared(clicks(600, better=1.0), "LogLoss", **how).slices
    assert slices is not None
    draws = [each.pair.evidence.draws or 0 for each in slices.pairs if each.pair.evidence]
    assert max(draws) == draws_needed(12, 0.05, 50) > draws_needed(1, 0.05, 50)


def test_counts_are_whole() -> None:
    text = str(compared(clicks(), "Confusion", by=np.arange(60) % 2))
    found = compared(clicks(), "Confusion").results["old"]["Confusion"]
    assert f" {found:.0f} " in text
    assert f"{found:.4f}" not in text


def test_few_rows_that_are_so_skewed_are_said_to_have_too_small_p_values() -> None:
    label = np.arange(60) % 2
    old = np.where(label, 0.8, 0.2) + np.random.default_rng(0).normal(0, 0.01, 60)
    new = np.where(np.arange(60) < 4, 1 - old, old)
    line = "1 p-value, of new against old by LogLoss, may be too small as of mean differences"
    for how in ({}, {"by": np.zeros(60)}):
        found = compared({"label": label, "old": old, "new": new}, "LogLoss", **how)
        notes = found.account() if found.slices is None else found.slices.notes
        assert [each for each in notes if each.startswith(line)]
    assert not [each for each in compared(clicks(), "LogLoss").account() if "too small" in each]


def test_the_difference_of_two_accuracies_of_rows_has_tangos_interval() -> None:
    rows = 60
    label = np.arange(rows) % 2
    old, new = label.copy(), label.copy()
    old[:9] ^= 1
    new[7:12] ^= 1
    frame = pl.DataFrame({"label": label, "old": old * 0.8 + 0.1, "new": new * 0.8 + 0.1})
    pair = compared(frame, "Accuracy").pairs[0]
    expected = statistics.tango_interval((new == label).astype(float) - (old == label))
    assert pair.method == "tango"
    assert (pair.low, pair.high) == pytest.approx(expected)
    assert compared(frame, "Accuracy", interval="delta").pairs[0].method == "delta"
    same = rm.compare_predictions(frame, {"old": "old", "new": "old"}, "Accuracy").pairs[0]
    assert same.high > 0.05


def test_how_likely_predictions_are_worse_equivalent_or_better(tmp_path: Path) -> None:
    table = clicks(80, better=0.8)
    found = compared(table, ["LogLoss", "AUC", "KS"], rope=0.02)
    own = losses(table, "new") - losses(table, "old")
    expected = statistics.student_posterior(own, 0.02)
    of_loss = found.pair("LogLoss", "new").posterior
    assert of_loss is not None
    assert of_loss.better == pytest.approx(expected.below, rel=1e-6)
    assert (of_loss.low, of_loss.high) == pytest.approx((expected.low, expected.high), rel=1e-6)
    area = found.pair("AUC", "new")
    assert area.posterior is not None
    assert (area.posterior.low, area.posterior.high) == pytest.approx((area.low, area.high))
    flat = compared(table, "AUC", rope=0, alternative="greater").pair("AUC", "new")
    assert flat.posterior is not None
    assert flat.posterior.worse == pytest.approx(flat.p)
    assert "P(within 0.02)" in str(found)
    assert {"worse", "equivalent", "better", "credible_low"} <= set(found.table.columns)
    assert "worse" not in compared(table, "AUC").table.columns
    found.save(tmp_path / "compared.rankmark")
    assert rm.load(tmp_path / "compared.rankmark").pairs == found.pairs  # type: ignore[union-attr]
    with pytest.raises(ChoiceError, match="rope=1: values of AUC are from 0 to 1"):
        compared(table, "AUC", rope=1)
    with pytest.raises(ChoiceError, match="rope=-1 is not a number from 0"):
        compared(table, "AUC", rope=-1)


def test_it_is_said_where_p_and_interval_disagree() -> None:
    """As where one of several users has most rows, and all of them are better off."""
    sizes = [400, *[10] * 12]
    user = np.repeat(np.arange(len(sizes)), sizes)
    label = np.arange(len(user)) % 2
    old = np.full(len(user), 0.5)
    new = np.where(label == 1, 0.52, 0.48) + np.where(user == 0, np.where(label == 1, 0.3, -0.3), 0)
    table = {"label": label, "user": user, "old": old, "new": new}
    found = rm.compare_predictions(table, {"old": "old", "new": "new"}, "LogLoss", baseline="old")
    (pair,) = found.pairs
    assert pair.p <= 0.05
    assert pair.low <= 0 <= pair.high
    (line,) = [line for line in found.account() if "disagree" in line]
    assert "the 95% interval holds 0" in line
    assert "wide where a few queries or rows move" in line
    less = rm.compare_predictions(
        table, {"old": "old", "new": "new"}, "LogLoss", baseline="old", alternative="less"
    )
    assert not [line for line in less.account() if "disagree" in line]
