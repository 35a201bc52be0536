"""What policies would have earned: by hand, the same in memory and in batches, and what is refused."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.errors import ChoiceError, ColumnError, DataError, IdTypeError, UsageError

LOG: dict[str, list[Any]] = {
    "query": ["q1", "q1", "q2", "q2"],
    "item": ["a", "b", "a", "c"],
    "propensity": [0.5, 0.25, 0.5, 0.25],
    "click": [1, 0, 0, 1],
}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 3.0, "a": 1.0}}
LISTS: dict[str, list[Any]] = {
    "impression": [1, 1, 2, 2],
    "query": ["q1", "q1", "q2", "q2"],
    "item": ["a", "b", "a", "c"],
    "position": [1, 2, 2, 1],
    "propensity": [0.5, 0.5, 0.4, 0.5],
    "click": [1, 0, 1, 1],
}


def value(log: Any, policies: Any, estimator: str, **how: Any) -> float:
    found = rm.evaluate_logged(log, policies, estimator, **how)
    (row,) = (each for each in found.rows if each.policy != "logged" and not each.slice)
    return row.value


def test_a_column_of_chances_is_a_policy() -> None:
    log = LOG | {"new": [0.25, 0.5, 1.0, 0.1]}
    found = rm.evaluate_logged(log, "new", ["IPS", "SNIPS"])
    weights = [0.5, 2.0, 2.0, 0.4]
    assert found["new", "IPS"].value == pytest.approx(0.9 / 4)
    assert found["new", "SNIPS"].value == pytest.approx(0.9 / sum(weights))
    assert found.logged.value == 0.5
    assert found.differences[0].difference == pytest.approx(0.9 / 4 - 0.5)
    assert found["new", "IPS"].cautions == ("few",)
    assert math.isnan(found["new", "IPS"].low)


def test_a_run_shows_its_best_item() -> None:
    assert value(LOG, {"best": RUN}, "IPS") == pytest.approx((2 + 4) / 4)
    assert value(LOG, RUN, "SNIPS") == pytest.approx(1.0)


def test_a_run_can_explore() -> None:
    log = {name: values[:2] for name, values in LOG.items()}
    greedy = 0.8 + 0.2 / 2
    assert value(log, RUN, "IPS", choose="epsilon-greedy(epsilon=0.2)") == pytest.approx(greedy / 0.5 / 2)
    soft = math.exp(2) / (math.exp(2) + math.exp(1))
    assert value(log, RUN, "IPS", choose="softmax") == pytest.approx(soft / 0.5 / 2)
    soft = math.exp(4) / (math.exp(4) + math.exp(2))
    assert value(log, RUN, "IPS", choose="softmax(temperature=0.5)") == pytest.approx(soft / 0.5 / 2)


@pytest.mark.parametrize("score", [30.0, 38.0, 2000.0])
def test_what_a_sure_first_item_leaves_is_shared_among_the_others(score: float) -> None:
    log = {
        "impression": [1, 1, 2, 2],
        "query": ["q"] * 4,
        "item": ["a", "b", "a", "c"],
        "position": [1, 2, 1, 2],
        "reward": [0, 1, 0, 1],
        "propensity": [1 / 3, 1 / 2] * 2,
    }
    run = {"q": {"a": score, "b": 0.0, "c": -1.0}}
    assert value(log, run, "IPS", choose="softmax") == pytest.approx(3, abs=1e-10)


def test_softmax_is_of_all_that_is_left_in_whatever_order_items_are_shown() -> None:
    scores = {"a": 3.0, "b": 2.5, "c": 0.0, "d": -40.0}
    shown = ["c", "a", "d", "b"]
    chance, left = 1.0, dict(scores)
    for item in shown:
        chance *= math.exp(left[item]) / sum(map(math.exp, left.values()))
        del left[item]
    log = {
        "impression": [1] * 4,
        "query": ["q"] * 4,
        "item": shown,
        "position": [1, 2, 3, 4],
        "reward": [0, 0, 0, 1],
        "propensity": [1.0] * 4,
    }
    assert value(log, {"q": scores}, "IPS", choose="softmax") == pytest.approx(chance, rel=1e-12)


@pytest.mark.parametrize(("score", "choose"), [(math.inf, "softmax"), (1.0, "softmax(temperature=1e-320)")])
def test_softmax_of_scores_without_a_finite_difference_is_refused(score: float, choose: str) -> None:
    log = {name: values[:2] for name, values in LOG.items()}
    with pytest.raises(DataError, match="of 2 they are not, the first that of item"):
        rm.evaluate_logged(log, {"new": {"q": {"a": score, "b": 0.0}}}, "IPS", choose=choose)


def test_lists_are_rows_of_an_impression_by_position() -> None:
    # Impression 1 shows a, b as the run does; impression 2 shows c, a, as it does, too.
    assert value(LISTS, RUN, "IPS") == pytest.approx((1 / 0.25 * 1 + 1 / 0.2 * 2) / 2)
    assert value(LISTS, RUN, "RIPS") == pytest.approx((2 * 1 + 2 * 1 + 5 * 1) / 2)
    assert value(LISTS, RUN, "IIPS", chances="independent") == pytest.approx((2 + 2 + 2.5) / 2)
    assert value(LISTS, RUN, "PI", chances="independent") == pytest.approx((3 * 1 + 3.5 * 2) / 2)
    assert value(LISTS, RUN, "RIPS", value="DCG") == pytest.approx((2 + 2 + 5 / math.log2(3)) / 2)
    assert value(LISTS, RUN, "RIPS", value="sum@1") == pytest.approx((2 + 2) / 2)
    assert value(LISTS, RUN, "RIPS", value="RBP(p=0.5)") == pytest.approx((0.5 * 2 + 0.5 * 2 + 0.25 * 5) / 2)
    slates = LISTS | {"propensity": [0.25, 0.25, 0.2, 0.2]}
    assert value(slates, RUN, "IPS", chances="slate") == value(LISTS, RUN, "IPS")


@pytest.mark.parametrize("choose", ["top", "epsilon-greedy(epsilon=0.3)", "softmax(temperature=0.7)"])
def test_chances_of_all_lists_add_up_to_1(choose: str) -> None:
    items = {"a": 2.0, "b": 1.5, "c": 1.5, "d": -1.0}
    orders = list(itertools.permutations(items, 3))
    log = pl.DataFrame(
        [(i, "q", item, k, 1.0, 1.0) for i, order in enumerate(orders) for k, item in enumerate(order)],
        schema=["impression", "query", "item", "position", "propensity", "click"],
        orient="row",
    )
    total = value(log, {"q": items}, "IPS", choose=choose, value="sum@1") * len(orders)
    assert total == pytest.approx(1.0)


def test_rewards_are_predicted_for_runs_by_other_impressions() -> None:
    rng = np.random.default_rng(0)
    items = rng.integers(0, 3, 3_000)
    clicks = (rng.random(3_000) < np.array([0.1, 0.5, 0.3])[items]).astype(int)
    log = {
        "query": ["q"] * 3_000,
        "item": [f"i{item}" for item in items],
        "propensity": [1 / 3] * 3_000,
        "click": clicks.tolist(),
    }
    found = rm.evaluate_logged(log, {"best": {"q": {"i1": 1.0}}}, ["DM", "DR", "IPS"])
    assert found["best", "DM"].value == pytest.approx(clicks[items == 1].mean(), abs=0.02)
    assert found["best", "DR"].error < found["best", "IPS"].error
    assert found["best", "DM"].cautions == ("model",)
    assert any("predicted by the mean of the item" in note for note in found.notes)
    soft = rm.evaluate_logged(log, {"best": {"q": {"i0": 0.0, "i1": 1.0}}}, "DM", choose="softmax")
    chance = math.exp(1) / (1 + math.exp(1))
    means = [clicks[items == item].mean() for item in (0, 1)]
    assert soft["best", "DM"].value == pytest.approx((1 - chance) * means[0] + chance * means[1], abs=0.02)


def test_predictions_can_be_given() -> None:
    log = LOG | {"new": [0.25, 0.5, 1.0, 0.1], "q_hat": [0.5] * 4, "v": [0.4] * 4}
    expected = 0.4 + (0.5 * 0.5 - 2 * 0.5 - 2 * 0.5 + 0.4 * 0.5) / 4
    assert value(log, "new", "DR", expected="v") == pytest.approx(expected)
    assert value(log, {"x": "new"}, "DR", expected={"x": "v"}) == pytest.approx(expected)
    with pytest.raises(ChoiceError, match="DR needs a model of rewards"):
        rm.evaluate_logged(log, "new", "DR")


def test_propensities_can_be_counted() -> None:
    log = {name: values * 50 for name, values in LOG.items() if name != "propensity"}
    found = rm.evaluate_logged(log, {"best": RUN}, "IPS", strata="query")
    assert found["best", "IPS"].value == pytest.approx((2 + 2) / 4)
    assert found["best", "IPS"].mean_weight == pytest.approx(1.0)
    assert any("propensities are counted" in note for note in found.notes)
    assert "propensity:counted in query" in found.signature("best", "IPS")
    with pytest.raises(ColumnError, match="no column for the propensity"):
        rm.evaluate_logged(log, {"best": RUN}, "IPS")


def test_propensities_of_lists_are_counted_position_by_position() -> None:
    log = {name: values * 50 for name, values in LISTS.items() if name != "propensity"}
    log["impression"] = np.repeat(np.arange(100), 2).tolist()
    asked: dict[str, Any] = {"estimators": "IIPS", "strata": ["query", "position"]}
    with pytest.raises(ChoiceError, match='say chances="marginal"'):
        rm.evaluate_logged(log, {"best": RUN}, **asked)
    found = rm.evaluate_logged(log, {"best": RUN}, chances="marginal", **asked)
    assert found["best", "IIPS"].value == found.logged.value  # each query had one list


def test_clicks_that_are_all_alike_are_said() -> None:
    log = {name: values * 50 for name, values in LOG.items()} | {"click": [0] * 200}
    assert "alike" in rm.evaluate_logged(log, {"best": RUN}).logged.cautions


def test_several_estimators_can_stand_in_one_text(tmp_path: Path) -> None:
    pl.DataFrame({"query": ["q1", "q2"], "item": ["a", "c"], "score": [1.0, 1.0]}).write_csv(
        tmp_path / "r.csv"
    )
    found = rm.evaluate_logged(LOG, tmp_path / "r.csv", "IPS, SNIPS IPS(clip=1)")
    assert [row.estimator for row in found.rows] == ["mean", "IPS", "SNIPS", "IPS(clip=1)"]
    assert found.rows[1].policy == str(tmp_path / "r.csv")


def test_lists_in_a_random_order_need_no_propensities() -> None:
    items = ["a", "b", "c", "d"]
    orders = list(itertools.permutations(items, 2))
    worth = {("a", 0): 0.9, ("b", 1): 0.7, ("c", 0): 0.2, ("a", 1): 0.4}  # of an item at its position
    log = pl.DataFrame(
        [
            (number, "q", item, slot + 1, 4, worth.get((item, slot), 0.1))
            for number, order in enumerate(orders)
            for slot, item in enumerate(order)
        ],
        schema=["impression", "query", "item", "position", "candidates", "reward"],
        orient="row",
    )
    asked: dict[str, Any] = {"chances": "uniform"}
    for estimator in ("PI", "SNPI", "IPS", "RIPS", "IIPS"):  # over all orders, which are equally likely
        assert value(log, {"q": ["a", "b"]}, estimator, **asked) == pytest.approx(1.6), estimator
    with pytest.raises(ChoiceError, match="show one list for a query"):
        rm.evaluate_logged(log, {"q": {"a": 1.0}}, "PI", choose="softmax", **asked)
    with pytest.raises(DataError, match="12 impressions of 12 do not have a whole number of candidates"):
        rm.evaluate_logged(log.with_columns(candidates=1), {"q": ["a", "b"]}, "PI", **asked)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"estimators": None}, "estimators=None is neither a text nor several"),
        ({"estimators": [3]}, "neither a text nor several"),
        ({"by": 3}, "by=3 is neither"),
        ({"clusters": 3}, "clusters=3 is not the name of a column"),
        ({"expected": 3, "estimators": "DR"}, "expected=3 is neither a column nor one for each policy"),
        ({"reward_range": 3}, "rewards=3 are the least and the greatest"),
        ({"largest_weight": "x"}, "largest_weight='x' is a number above 0"),
    ],
)
def test_arguments_of_other_types_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rm.evaluate_logged(LOG | {"new": [0.5] * 4}, "new", **given)


def test_what_cannot_be_added_up_is_refused() -> None:
    for changed in ({"propensity": [1e-320, 0.5, 0.5, 0.5]}, {"click": [1e308, 1e308, 0, 1]}):
        with pytest.raises(DataError, match="cannot be added up"):
            rm.evaluate_logged(LOG | changed | {"new": [0.5] * 4}, "new")


def test_a_run_of_other_queries_is_refused() -> None:
    with pytest.raises(DataError, match="the run of policy 'other' has none of the log's queries"):
        rm.evaluate_logged(LOG, {"other": {"x1": {"a": 1.0}}})


def test_ids_can_be_categories_and_one_estimate_is_found_by_its_policy() -> None:
    log = pl.DataFrame(LOG).with_columns(pl.col("item", "query").cast(pl.Categorical))
    found = rm.evaluate_logged(log, {"best": RUN}, "IPS")
    assert found["best"] == found["best", "IPS"]
    assert found["best"].value == value(LOG, {"best": RUN}, "IPS")
    with pytest.raises(rm.NotEvaluatedError, match="best has several estimates: give one of IPS, SNIPS"):
        rm.evaluate_logged(log, {"best": RUN})["best"]


def simulated(count: int = 2_000) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "impression": np.repeat(np.arange(count), 3),
            "query": np.repeat([f"q{i % 7}" for i in range(count)], 3),
            "item": [f"i{i}" for _ in range(count) for i in rng.permutation(5)[:3]],
            "position": np.tile([1, 2, 3], count),
            "propensity": np.tile([1 / 5, 1 / 4, 1 / 3], count),
            "click": rng.random(3 * count) < 0.3,
            "country": np.repeat(rng.choice(["DE", "FR"], count), 3),
            "user": np.repeat(rng.integers(0, 300, count), 3),
        }
    )


RUNS = {f"q{q}": {f"i{i}": float((i + q) % 5) for i in range(5)} for q in range(7)}


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_batches_give_the_same_values_bit_for_bit(tmp_path: Path, form: str, monkeypatch: Any) -> None:
    monkeypatch.setattr("rankmark.logs.feedback.BATCH", 4_000)  # batches of 16 KiB
    log, path = simulated(), tmp_path / f"log.{form}"
    log.write_parquet(path) if form == "parquet" else log.write_csv(path)
    asked: dict[str, Any] = {"estimators": ["IPS", "SNRIPS", "RIPS"], "by": "country", "columns": {}}
    one = rm.evaluate_logged(path, {"new": RUNS}, **asked)
    other = rm.evaluate_logged(path, {"new": RUNS}, engine="stream", memory="64MiB", **asked)
    for ours, theirs in zip(one.rows, sorted(other.rows, key=lambda r: _place(one, r)), strict=True):
        assert (ours.value, ours.largest_weight) == (theirs.value, theirs.largest_weight)
        assert ours.low == pytest.approx(theirs.low, rel=1e-9)
        assert ours.cautions == theirs.cautions


def _place(result: Any, row: Any) -> int:
    own = row.policy, row.estimator, row.slice
    return [(each.policy, each.estimator, each.slice) for each in result.rows].index(own)


def test_rows_of_an_impression_that_are_not_together_are_refused_in_batches(tmp_path: Path) -> None:
    log = simulated(50)
    pl.concat([log[1:], log[:1]]).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(DataError, match="1 impression are not together"):
        rm.evaluate_logged(tmp_path / "log.parquet", {"new": RUNS}, engine="stream")


@pytest.mark.parametrize("interval", ["t", "percentile"])
@pytest.mark.parametrize("clusters", ["user", "query"])
def test_clusters_in_several_batches_are_those_in_memory(
    tmp_path: Path, interval: Any, clusters: str, monkeypatch: Any
) -> None:
    monkeypatch.setattr("rankmark.logs.feedback.BATCH", 4_000)  # batches of 16 KiB
    monkeypatch.setattr("rankmark.logs.parts.SUMS", 100)
    path = tmp_path / "log.parquet"
    simulated(500).write_parquet(path)
    asked: dict[str, Any] = {"by": "country", "clusters": clusters, "interval": interval}
    one = rm.evaluate_logged(path, {"new": RUNS}, **asked)
    other = rm.evaluate_logged(path, {"new": RUNS}, engine="stream", memory="64MiB", **asked)
    for ours, theirs in zip(one.rows, other.rows, strict=True):
        assert (ours.policy, ours.slice, ours.value) == (theirs.policy, theirs.slice, theirs.value)
        ends = ours.low, ours.high, ours.error, ours.effective
        wanted = theirs.low, theirs.high, theirs.error, theirs.effective
        assert ends == pytest.approx(wanted, rel=1e-9, nan_ok=True)
    for kept, again in zip(one.differences, other.differences, strict=True):
        assert (kept.low, kept.high) == pytest.approx((again.low, again.high), rel=1e-9, nan_ok=True)


def test_what_batches_cannot_tell_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    path = tmp_path / "log.parquet"
    simulated(50).write_parquet(path)
    with pytest.raises(
        UsageError, match=r'interval="percentile" needs the log in memory; use engine="local"'
    ):
        rm.evaluate_logged(path, {"new": RUNS}, engine="stream", interval="percentile")
    monkeypatch.setattr("rankmark.logs.parts.SUMS", 0)
    with pytest.raises(UsageError, match=r"the sums of the clusters by 'user' need more than 0 bytes"):
        rm.evaluate_logged(path, {"new": RUNS}, engine="stream", clusters="user")


def test_clusters_slices_and_baselines() -> None:
    log = simulated()
    other = {q: dict(reversed([(i, -s) for i, s in each.items()])) for q, each in RUNS.items()}
    found = rm.evaluate_logged(
        log, {"new": RUNS, "old": other}, ["RIPS"], by="country", clusters="user", baseline="old"
    )
    assert {row.slice for row in found.rows} == {"", "country=DE", "country=FR"}
    assert {(each.policy, each.baseline) for each in found.differences} == {("new", "old")}
    whole = found["new", "RIPS"].value - found["old", "RIPS"].value
    assert found.differences[0].difference == pytest.approx(whole)
    parts = [row for row in found.rows if row.slice and row.policy == "new"]
    mean = sum(row.value * row.impressions for row in parts) / found.logged.impressions
    assert mean == pytest.approx(found["new", "RIPS"].value)


def test_what_the_log_never_shows_is_said() -> None:
    log = {name: values * 100 for name, values in LOG.items()}
    found = rm.evaluate_logged(log, {"new": {"q1": {"z": 1.0}, "q2": {"c": 1.0}}}, ["IPS", "SNIPS"])
    assert "new: shows in 200 of 400 impressions an item that the log shows in none" in found.notes
    assert found.logged.cautions == ()
    assert all("uncovered" in found["new", each].cautions for each in ("IPS", "SNIPS"))
    assert any("log with some chance what it shows" in line for line in found.account())
    half = rm.evaluate_logged(log | {"propensity": [0.5] * 400}, {"new": {"q1": {"a": 1.0}}}, "IPS")
    assert half["new", "IPS"].cautions == ("uncovered",)
    assert any("nothing for the query of 200 of 400" in note for note in half.notes)
    above = rm.evaluate_logged(log | {"p": [0.5] * 400, "propensity": [0.1] * 400}, "p", "IPS")
    assert above["p", "IPS"].cautions == ("above",)


def test_what_is_known_never_to_be_shown_is_said_where_weights_do_not_tell() -> None:
    log = {name: values * 100 for name, values in LOG.items()} | {"propensity": [0.25, *[0.5] * 399]}
    run = {"q1": {"a": 1.0, "b": 0.5}, "q2": {"z": 2.0, "a": 1.0, "c": 0.5}}
    found = rm.evaluate_logged(log, {"new": run}, "IPS", choose="epsilon-greedy(epsilon=1.0)")
    assert found["new"].mean_weight + 3 * found["new"].weight_error > 0.5
    assert "uncovered" in found["new"].cautions


def test_positions_without_impressions_are_refused() -> None:
    log = {name: values for name, values in LISTS.items() if name != "impression"}
    with pytest.raises(DataError, match=r"has positions 1 to 2, and no column that says .*impression"):
        rm.evaluate_logged(log, {"new": RUN}, chances="independent")
    found = rm.evaluate_logged(log, {"new": RUN}, columns={"position": None}, chances="independent")
    note = "each row is an impression by itself: the log has no column of impressions, and so"
    assert f'{note} chances="independent" says nothing' in found.notes
    assert "chances" not in found.choices
    assert not any("each row" in each for each in rm.evaluate_logged(LISTS, {"new": RUN}).notes)


def test_the_order_of_rows_is_not_taken_for_positions() -> None:
    log: dict[str, Any] = {name: values for name, values in LISTS.items() if name != "position"}
    log["new"] = [0.5] * 4
    for policies, how, what in (
        ("new", {"estimators": ["IPS", "RIPS"]}, "RIPS needs them"),
        ("new", {"value": "DCG"}, 'value="DCG" needs them'),
        (RUN, {}, "a run, which shows its items in order, needs them"),
    ):
        with pytest.raises(DataError, match=f"2 rows an impression and no column of positions, and {what}"):
            rm.evaluate_logged(log, policies, **how)
    asked: dict[str, Any] = {"estimators": ["IPS", "IIPS", "PI"], "chances": "independent"}
    found = rm.evaluate_logged(log, "new", **asked)
    assert "the log has no positions: none of these estimates depends on the order of rows" in found.notes
    backwards = {name: values[::-1] for name, values in log.items()}
    assert [row.value for row in rm.evaluate_logged(backwards, "new", **asked).rows] == [
        row.value for row in found.rows
    ]


def test_slices_have_the_order_of_their_values() -> None:
    log = {name: values * 50 for name, values in LOG.items()} | {"new": [0.5] * 200}
    log |= {"hour": [10, 2] * 100, "country": ["FR", "FR", "DE", "DE"] * 50}
    found = rm.evaluate_logged(log, "new", "IPS", by=["hour", "country"])
    slices = list(dict.fromkeys(row.slice for row in found.rows))
    assert slices == ["", "hour=2", "hour=10", "country=DE", "country=FR"]
    assert list(dict.fromkeys(each.slice for each in found.differences)) == slices


def test_heavy_weights_and_cut_ones_are_said() -> None:
    log = {
        "propensity": [0.001, *[0.5] * 399],
        "new": [1.0, *[0.5] * 399],
        "reward": [1.0, *[0.0] * 200, *[1.0] * 199],
    }
    found = rm.evaluate_logged(log, "new", ["IPS", "IPS(clip=0.2)"])
    assert found["new", "IPS"].cautions == ("few",)
    milder = log | {"propensity": [0.04, *[0.5] * 399]}
    assert rm.evaluate_logged(milder, "new", "IPS")["new", "IPS"].cautions == ("heavy",)
    assert found["new", "IPS(clip=0.2)"].cautions == ("clipped",)


def test_an_estimator_that_assumes_less_speaks_against_another() -> None:
    rng = np.random.default_rng(3)
    shown = rng.integers(0, 2, (4_000, 2))
    clicks = np.column_stack([shown[:, 0], np.where(shown[:, 0] == 1, 0, shown[:, 1])])  # of those above, too
    log = {
        "impression": np.repeat(np.arange(4_000), 2),
        "position": np.tile([1, 2], 4_000),
        "propensity": np.full(8_000, 0.5),
        "new": np.where(shown == 1, 0.9, 0.1).ravel(),
        "reward": clicks.ravel(),
    }
    found = rm.evaluate_logged(log, "new", ["IIPS", "RIPS"], chances="independent")
    assert found["new", "IIPS"].cautions == ("doubted",)
    assert found["new", "RIPS"].cautions == ()
    assert found["new", "RIPS"].value == pytest.approx(0.9 + 0.1 * 0.9, abs=0.05)


def test_one_impression_has_no_standard_error() -> None:
    found = str(rm.evaluate_logged({"propensity": [0.5], "click": [1], "new": [0.25]}, "new", "IPS"))
    assert "0.500" in found
    assert "nan" not in found


def test_shown_with_what_speaks_against_it() -> None:
    log = LOG | {"new": [0.25, 0.5, 1.0, 0.1]}
    found = rm.evaluate_logged(log, "new", "IPS")
    text = str(found)
    assert "few: fewer than 10 effective impressions" in text
    assert "IPS: the log shows with some chance all that the policy can show" in text
    assert found.to_dict()["logged mean"] == 0.5
    assert repr(found) == "<LoggedEvaluation of 1 policy by 4 impressions>"
    assert found.signature("new", "IPS").startswith("IPS|policy:new|value:sum|propensity:logged|interval:t|")
    with pytest.raises(rm.NotEvaluatedError, match="new, SNIPS was not evaluated"):
        found["new", "SNIPS"]


def test_tables_are_no_wider_than_a_terminal_and_json_says_why_there_is_no_number() -> None:
    log = LOG | {"country": ["DE", "NO"] * 2, "newer_policy": [0.25, 0.5, 1.0, 0.1]}
    found = rm.evaluate_logged(log, "newer_policy", ["SNIPS", "IPS(clip=10)"], by="country")
    assert max(map(len, str(found).splitlines())) <= 90
    logged, snips, *_ = json.loads(found.format("json"))["estimates"]
    assert logged["effective_reason"] == logged["bias_bound_reason"] == "it has no weights"
    assert snips["low_reason"] == snips["high_reason"] == "fewer than 10 effective impressions"
    assert snips["bias_bound_reason"] == "no weights are cut, or some rewards are below 0"
    one = rm.evaluate_logged({name: values[:1] for name, values in log.items()}, "newer_policy")
    logged, *_ = json.loads(one.format("json"))["estimates"]
    assert logged["low_reason"] == "one impression or cluster has no standard error"


def test_all_parameters_that_estimators_lack_are_named() -> None:
    with pytest.raises(ChoiceError, match=r"SwitchDR needs threshold, .*; DRos needs shrinkage, such as"):
        rm.evaluate_logged(LOG, {"new": RUN}, "SwitchDR, IPS, DRos")


def test_weights_whose_mean_is_too_great_are_said_of_clipped_ones_too() -> None:
    log = {"item": ["a", "b"] * 500, "propensity": [0.1] * 1000, "click": [1, 0, 0, 0] * 250}
    found = rm.evaluate_logged(log | {"new": [0.9, 0.1] * 500}, "new", ["IPS", "IPS(clip=20)"])
    assert "above" in found["new", "IPS"].cautions
    assert "above" in found["new", "IPS(clip=20)"].cautions


@pytest.mark.parametrize(
    ("changed", "given", "error", "message"),
    [
        (
            {"propensity": [0.5, 0.0, 0.5, 0.1]},
            {},
            DataError,
            r"are no chance above 0 to 1.* is row 1",
        ),
        ({"propensity": [0.5, 1.5, 0.5, 0.1]}, {}, DataError, r"5 rows of the propensity column"),
        ({"propensity": [0.5, math.nan, 0.5, 0.1]}, {}, DataError, r"NaN or infinite, the first is row 1"),
        ({"propensity": [0.5, None, 0.5, 0.1]}, {}, DataError, r"are null, the first is row 1"),
        ({"click": [1, 0, 1, math.inf]}, {}, DataError, r"reward column 'click' are NaN or infinite"),
        ({"click": ["a", "b", "c", "d"]}, {}, DataError, r"reward column 'click' is String, not numbers"),
        ({"item": [1, 2, 3, 4]}, {}, IdTypeError, r"item ids such as 1, and the run of policy"),
        ({}, {"columns": {"reword": "click"}}, UsageError, r"did you mean 'reward'"),
        ({}, {"columns": {"reward": "clicks"}}, ColumnError, r"did you mean 'click'"),
        ({}, {"choose": "softmx"}, ChoiceError, r"did you mean 'softmax'"),
        ({}, {"choose": "softmax(epsilon=1)"}, ChoiceError, r"it takes temperature"),
        ({}, {"choose": "epsilon-greedy(epsilon=2)"}, ChoiceError, r"above 0, 1 at most"),
        ({}, {"value": "nDCG"}, ChoiceError, r"value='nDCG' is not one of"),
        ({}, {"estimators": "SNIP"}, ChoiceError, r"did you mean 'SNIPS'"),
        ({}, {"estimators": "IPS(clip=-1)"}, ChoiceError, r"clip is a number above 0"),
        ({}, {"baseline": "old"}, ChoiceError, r"baseline='old' is not one of logged, new"),
        ({}, {"by": "land"}, UsageError, r"no column 'land'"),
        (
            {},
            {"interval": "bernstein"},
            ChoiceError,
            r"lacks those of the rewards.*reward_range=.*largest_weight=",
        ),
        (
            {},
            {"interval": "bernstein", "largest_weight": 15},
            ChoiceError,
            r"reward_range=, such as 0 and 1$",
        ),
        ({}, {"interval": "bernstein", "reward_range": (0, 1)}, ChoiceError, r"lacks those of the weights"),
    ],
)
def test_what_cannot_be_is_refused(
    changed: dict[str, Any], given: dict[str, Any], error: type[Exception], message: str
) -> None:
    log = {name: values * 5 for name, values in (LOG | changed).items()}
    with pytest.raises(error, match=message):
        rm.evaluate_logged(log, {"new": RUN}, **({"estimators": "IPS"} | given))


def test_policies_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="policy 'nwe' is neither a column of the log nor a file"):
        rm.evaluate_logged(LOG, "nwe")
    with pytest.raises(UsageError, match="cannot be called 'logged'"):
        rm.evaluate_logged(LOG, {"logged": RUN})
    with pytest.raises(DataError, match=r"1 row of a position that their impression has already"):
        rm.evaluate_logged(LISTS | {"position": [1, 1, 1, 2]}, RUN)
    with pytest.raises(ChoiceError, match='chances="independent" are others'):
        rm.evaluate_logged(LISTS, RUN, "IIPS", chances="independent", choose="softmax")
    with pytest.raises(DataError, match=r"has several values of 'country'"):
        rm.evaluate_logged(LISTS | {"country": ["a", "b", "a", "a"]}, RUN, clusters="country")
