"""Systems compared by what they recommend."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm

ITEMS = [f"i{i}" for i in range(150)]
USERS = [f"u{u}" for u in range(60)]


def run_of(seed: int, steepness: float, k: int = 5) -> dict[str, list[str]]:
    """Lists of items, of which the first are drawn the more often the steeper."""
    draw = np.random.default_rng(seed)
    shares = np.arange(1, len(ITEMS) + 1) ** -steepness
    return {u: list(draw.choice(ITEMS, k, replace=False, p=shares / shares.sum())) for u in USERS}


EVEN, STEEP = run_of(1, 0.3), run_of(2, 1.6)
TRAIN = run_of(3, 1.0)
QRELS = {user: dict.fromkeys(items, 1) for user, items in run_of(4, 1.0).items()}
PER_USER = ["Novelty@5", "NotInTrain@5"]


def test_measures_of_each_user_are_compared_as_any_other() -> None:
    runs = {"even": EVEN, "steep": STEEP}
    compared = rm.compare(QRELS, runs, [*PER_USER, "nDCG@5"], items=ITEMS, train=TRAIN)
    results = {
        name: rm.evaluate(QRELS, run, PER_USER, items=ITEMS, train=TRAIN) for name, run in runs.items()
    }
    for measure in PER_USER:
        pair = compared.pair(measure, "steep", "even")
        apart = results["steep"].query_values(measure) - results["even"].query_values(measure)
        assert pair.difference == pytest.approx(apart.mean(), rel=1e-12)
        assert pair.interval.low < pair.difference < pair.interval.high
        assert (pair.wins, pair.losses) == (int((apart > 1e-12).sum()), int((apart < -1e-12).sum()))
    assert compared.pair("Novelty@5", "steep", "even").significant


def test_they_are_compared_without_judgements() -> None:
    compared = rm.compare(None, {"even": EVEN, "steep": STEEP}, PER_USER, train=TRAIN)
    assert compared.pair("Novelty@5", "steep", "even").queries == len(USERS)
    with pytest.raises(rm.UsageError, match="without judgements there is no 'nDCG@5'"):
        rm.compare(None, {"even": EVEN, "steep": STEEP}, "nDCG@5")
    with pytest.raises(rm.UsageError, match="Novelty@5 needs"):
        rm.compare(None, {"even": EVEN, "steep": STEEP}, "Novelty@5")


def test_a_gate_decides_by_them() -> None:
    how: dict[str, Any] = {"train": TRAIN, "max_drop": 0.05}
    assert not rm.gate(None, EVEN, STEEP, "Novelty@5", **how)
    assert rm.gate(None, STEEP, EVEN, "Novelty@5", **how, confidence=0.95)
    assert rm.gate(QRELS, None, EVEN, at_least={"Novelty@5": 0.5}, train=TRAIN)


OF_RUNS = ["Coverage@5", "ExposureGini@5", "Personalisation@5"]
KNOWN: dict[str, Any] = {"items": ITEMS}


def results(**more: Any) -> dict[str, rm.results.ListResult]:
    runs = {"even": EVEN, "steep": STEEP}
    return {name: rm.evaluate(None, run, OF_RUNS, **KNOWN, **more) for name, run in runs.items()}


def test_measures_of_the_whole_run_are_compared_by_what_they_are_without_some_queries() -> None:
    compared = rm.compare(None, {"even": EVEN, "steep": STEEP}, OF_RUNS, **KNOWN)
    own = results(intervals=True)
    for measure in OF_RUNS:
        pair = compared.pair(measure, "steep", "even")
        assert pair.difference == own["steep"][measure] - own["even"][measure]
        assert pair.interval.low < pair.difference < pair.interval.high
        assert pair.queries == len(USERS)
        assert pair.significant
        assert (pair.wins, pair.ties, pair.losses) == (0, 0, 0)
        found = own["even"].intervals[measure]
        assert compared.interval("even", measure) == (found.low, found.high)
    # Less is better of the Gini index, and more of the others: all say that the steep one is worse.
    assert {pair.better for pair in compared.pairs} == {False}
    assert "of the whole run, of as many queries" in " ".join(str(compared).split())
    assert compared.plot("forest").to_svg()


def test_one_run_under_two_names_has_no_difference() -> None:
    pair = rm.compare(None, {"one": EVEN, "again": EVEN}, "Coverage@5", **KNOWN).pairs[0]
    assert (pair.difference, pair.p, pair.significant) == (0, 1, False)


def test_queries_in_another_order_change_nothing() -> None:
    reversed_run = dict(reversed(STEEP.items()))
    one = rm.compare(None, {"even": EVEN, "steep": STEEP}, "Coverage@5", **KNOWN).pairs[0]
    other = rm.compare(None, {"even": EVEN, "steep": reversed_run}, "Coverage@5", **KNOWN).pairs[0]
    assert one.interval == pytest.approx(other.interval, rel=1e-12)
    assert one.p == pytest.approx(other.p)


def test_queries_that_not_both_have_are_left_out() -> None:
    fewer = {user: items for user, items in STEEP.items() if user not in USERS[:20]}
    with_fewer = rm.compare(None, {"even": EVEN, "steep": fewer}, "Coverage@5", **KNOWN)
    kept = {user: EVEN[user] for user in USERS[20:]}
    assert (
        with_fewer.value("even", "Coverage@5") == rm.evaluate(None, kept, "Coverage@5", **KNOWN)["Coverage@5"]
    )


@pytest.mark.parametrize(
    ("how", "said"),
    [({"test": "wilcoxon"}, "take randomisation or t"), ({"interval": "bca"}, 'take "t"')],
)
def test_what_takes_values_of_queries_is_refused(how: dict[str, Any], said: str) -> None:
    with pytest.raises(rm.ChoiceError, match=said):
        rm.compare_results(results(), "Coverage@5", **how)


def test_what_is_of_queries_alone_is_refused_or_leaves_them_out() -> None:
    compared = rm.compare(
        None, {"even": EVEN, "steep": STEEP}, ["Coverage@5", "NotInTrain@5"], **KNOWN, train=TRAIN
    )
    for refused in (compared.anova, compared.power):
        with pytest.raises(rm.ChoiceError, match="of the whole run"):
            refused("Coverage@5")
    with pytest.raises(rm.NotEvaluatedError, match="of the whole run"):
        compared.query_values("even", "Coverage@5")
    with pytest.raises(rm.UsageError, match="a board ranks systems on each query"):
        rm.board(compared, "Coverage@5")
    with pytest.raises(rm.UsageError, match="no planning"):
        rm.power(compared)
    assert {mover.measure.name for mover in compared.movers()} == {"NotInTrain"}
    assert set(compared.differences["measure"]) == {"NotInTrain@5"}
    assert "Coverage@5" in compared.to_html_report()


def test_slices_have_no_wins_and_say_how_they_are_compared() -> None:
    by = dict(zip(USERS, ["x", "y"] * 30, strict=True))
    compared = rm.compare(QRELS, {"even": EVEN, "steep": STEEP}, ["Coverage@5", "nDCG@5"], by=by, items=ITEMS)
    shown = str(compared.slices)
    assert [row.split()[-1].count("/") for row in shown.splitlines()[2:6]] == [0, 0, 2, 2]
    assert "Coverage@5: of the whole run" in shown


def test_slices_have_the_value_of_their_queries_alone() -> None:
    by = {user: "odd" if i % 2 else "even" for i, user in enumerate(USERS)}
    odd = {user: items for user, items in EVEN.items() if by[user] == "odd"}
    expected = rm.evaluate(None, odd, "Coverage@5", **KNOWN)["Coverage@5"]
    (row,) = rm.evaluate(None, EVEN, "Coverage@5", **KNOWN, by=by).slices["odd"]
    assert row.value == expected
    assert row.low < row.value < row.high
    assert np.isnan(row.difference)
    compared = rm.compare(None, {"even": EVEN, "steep": STEEP}, "Coverage@5", **KNOWN, by=by)
    (pair,) = compared.slices["odd"]
    assert pair.baseline_value == expected


def test_saved_results_are_compared_and_gated_as_before(tmp_path: Path) -> None:
    own, paths = results(), {}
    for name, result in own.items():
        paths[name] = str(tmp_path / f"{name}.rankmark")
        result.save(paths[name])
    again = rm.compare_results(paths)
    assert [pair.figures for pair in again.pairs] == [pair.figures for pair in rm.compare_results(own).pairs]
    gate = rm.gate(None, paths["even"], paths["steep"], "Coverage@5", max_drop=0.1, confidence=0.95)
    assert not gate
    again.save(tmp_path / "compared.rankmark")
    assert str(rm.load(tmp_path / "compared.rankmark")) == str(again)
    with pytest.raises(rm.NotEvaluatedError, match="without its lists"):
        rm.load(paths["even"]).by(dict.fromkeys(USERS[:30], "x"))
    assert pickle.loads(pickle.dumps(own["even"])).values == own["even"].values


def test_a_gate_bounds_them() -> None:
    gate = rm.gate(None, STEEP, EVEN, OF_RUNS, max_drop=0.05, confidence=0.95, **KNOWN)
    assert {own.by for own in gate.measures} == {"gaffke-blocks"}
    assert "decided by Gaffke's one-sided bound from the worst of some blocks of queries on 60" in str(gate)
    assert gate
    assert {own.units for own in gate.measures} == {len(USERS)}
    assert {own.needed for own in gate.measures} == {None}
    clusters = {user: i // 2 for i, user in enumerate(USERS)}
    gate = rm.gate(None, STEEP, EVEN, OF_RUNS, max_drop=0.05, confidence=0.95, clusters=clusters, **KNOWN)
    assert {(own.units, own.clusters) for own in gate.measures} == {(len(USERS), len(USERS) // 2)}
    how: dict[str, Any] = {"max_drop": 0.05, "confidence": 0.95, "always_valid": True}
    with pytest.raises(rm.UsageError, match="leave out always_valid"):
        rm.gate(None, STEEP, EVEN, "Coverage@5", **how, **KNOWN)


def test_of_what_is_neither_better_nor_worse_no_system_wins() -> None:
    items = {item: {"group": "ab"[i % 3 == 0]} for i, item in enumerate(ITEMS)}
    shown = str(rm.compare(None, {"even": EVEN, "steep": STEEP}, "DemographicParity(group=b)@5", items=items))
    assert "by DemographicParity(group=b)@5 different from it" in " ".join(shown.split())
    shown = str(rm.compare(None, {"even": EVEN, "steep": STEEP}, "Popularity@5", train=TRAIN))
    assert "neither more nor less is better of Popularity@5" in " ".join(shown.split())
    with pytest.raises(rm.MeasureError, match="neither more nor less"):
        rm.gate(None, EVEN, STEEP, "DemographicParity(group=b)@5", max_drop=0.1, items=items)
