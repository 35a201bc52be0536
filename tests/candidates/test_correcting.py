"""Values among all items, of ranks among sampled ones."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.inputs.sampling import METADATA

MEASURES = ["HR@3", "R@3", "P@3", "nDCG@3", "nDCG", "AP", "AP@4", "RR", "RR@2", "ListAUC"]
METHODS: list[Any] = ["bv", "cls", "mes", "mle"]


def shop(users: int, items: int, held: int, seed: int = 0) -> tuple[Any, Any, Any]:
    """What users had, what is held out, and scores of all items, better ones of held-out items."""
    rng = np.random.default_rng(seed)
    train, test, scores = {}, {}, {}
    for user in range(users):
        own = rng.permutation(items)[: 3 + held].tolist()
        train[user], test[user] = own[:3], own[3:]
        value = rng.random(items)
        value[own[3:]] = value[own[3:]] ** 0.2
        scores[user] = {item: float(value[item]) for item in range(items) if item not in own[:3]}
    return train, test, scores


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("held", [1, 3])
def test_a_sample_of_all_items_has_their_values(method: Any, held: int) -> None:
    train, test, scores = shop(30, 20, held)
    drawn = rm.sample_candidates(train, test, 50, items=range(20))
    found = rm.correct_sampled(drawn, measures=MEASURES, run=scores, method=method, resamples=5)
    judged = {user: {item: int(item in test[user]) for item in scores[user]} for user in scores}
    exact = rm.evaluate(judged, scores, MEASURES)
    for measure in MEASURES:
        assert found[measure] == pytest.approx(exact[measure]), measure
        value = next(each for each in found.values if each.measure == measure)
        assert value.sampled == pytest.approx(exact[measure])
        assert value.remaining == pytest.approx(0, abs=1e-12)


def test_sampled_values_are_those_of_evaluating_the_candidates() -> None:
    train, test, scores = shop(60, 80, 2)
    drawn = rm.sample_candidates(train, test, 9, items=range(80), seed=4)
    listed = {
        user: {item: scores[user][item] for item in drawn.frame.filter(query=user)["item"]} for user in test
    }
    found = rm.correct_sampled(drawn, measures=MEASURES, run=scores)
    plain = rm.evaluate(drawn, listed, MEASURES, candidates=drawn.mark)
    for value in found.values:
        assert value.sampled == pytest.approx(plain[value.measure])
    assert found.candidates == drawn.mark == "sampled-9"
    assert found.items == 77


def test_the_expected_sampled_hit_rate_by_hand() -> None:
    """The item has 2 of 10 others above it: of 4 drawn none is with chance C(8,4)/C(10,4), so it is first."""
    test = {user: [0] for user in range(20_000)}
    train = {user: [11] for user in range(20_000)}
    drawn = rm.sample_candidates(train, test, 4, items=range(12))
    scores = {0: 0.5, 1: 0.9, 2: 0.8} | {item: 0.1 / item for item in range(3, 11)}
    found = rm.correct_sampled(drawn, measures="HR@1", run=dict.fromkeys(test, scores), method="cls")
    first = comb(8, 4) / comb(10, 4)
    assert found.values[0].sampled == pytest.approx(first, abs=4 * (first * (1 - first) / 20_000) ** 0.5)
    assert found.values[0].least <= 0 <= found.values[0].most  # which it is among all


def test_ranks_alone_and_candidates_say_the_same() -> None:
    train, test, scores = shop(50, 60, 1)
    drawn = rm.sample_candidates(train, test, 9, items=range(60))
    ranks = {}
    for user, (held,) in test.items():
        others = drawn.frame.filter(query=user, relevance=0)["item"]
        ranks[user] = 1 + sum(scores[user][item] > scores[user][held] for item in others)
    by_run = rm.correct_sampled(drawn, measures=["HR@3", "RR"], run=scores)
    by_rank = rm.correct_sampled(ranks, 57, 9, ["HR@3", "RR"])
    assert by_rank.to_dict() == by_run.to_dict()
    assert rm.correct_sampled(np.array([*ranks.values()]), 57, 9, ["HR@3", "RR"]).values == by_run.values


@pytest.mark.parametrize("method", METHODS)
def test_corrections_come_nearer_than_the_sample(method: Any) -> None:
    rng = np.random.default_rng(2)
    above = np.floor(5_000 * rng.random(4_000) ** 2).astype(int)
    ranks = 1 + rng.hypergeometric(above, 4_999 - above, 99)
    found = rm.correct_sampled(ranks, 5_000, 99, ["HR@20", "nDCG@20"], method=method, resamples=20)
    exact = {"HR@20": (above < 20).mean(), "nDCG@20": ((above < 20) / np.log2(above + 2)).mean()}
    for value in found.values:
        truth = exact[value.measure]
        assert abs(value.corrected - truth) < 0.2 * abs(value.sampled - truth)
        assert value.least <= truth <= value.most
    assert "one sampled item stands for 50 of all" in found.notes[2]


def test_a_sample_can_put_systems_into_the_other_order() -> None:
    """One system is first for a tenth and last for the others, one is 30th for all, of 1,000 items."""
    sharp = np.where(np.arange(1_000) < 100, 0, 999)
    steady = np.full(1_000, 29)
    rng = np.random.default_rng(3)
    found = []
    for above in (sharp, steady):
        ranks = 1 + rng.hypergeometric(above, 999 - above, 99)
        found.append(rm.correct_sampled(ranks, 1_000, 99, "HR@10").values[0])
    assert (sharp < 10).mean() > (steady < 10).mean()
    assert found[0].sampled < found[1].sampled
    assert found[0].corrected > found[1].corrected


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([1, 2], 10), {}, "n_items=10 and n_sampled=None are not whole numbers from 1"),
        (([1, 9], 10, 4), {}, "ranks: 9 of user 1 .from 0. is no rank of its own from 1 to 5"),
        (({"u": [1, 1]}, 10, 4), {}, "ranks: 1 of user 0 .from 0. is no rank of its own"),
        (([1, 2], 4, 4), {}, "4 were drawn of 3 others"),
        (([], 10, 4), {}, "ranks of no user"),
        (([1], 10, 4), {"measures": "RBP"}, "cannot be corrected: measures of the ranks"),
        (([1], 10, 4), {"measures": "AP(rel=2)"}, "cannot be corrected"),
        (([1], 10, 4), {"method": "em"}, "method='em' is not one of bv, cls, mes, mle"),
        (([1], 10, 4), {"run": {}}, "run goes with what sample_candidates gave"),
    ],
)
def test_what_cannot_be_corrected(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.correct_sampled(*arguments, **options)


def test_candidates_that_are_not_uniform_or_have_no_scores_are_refused() -> None:
    train, test, scores = shop(10, 30, 1)
    popular = rm.sample_candidates(train, test, 5, method="popularity")
    with pytest.raises(rm.UsageError, match="corrections hold for uniform ones"):
        rm.correct_sampled(popular, run=scores)
    drawn = rm.sample_candidates(train, test, 5, items=range(30))
    with pytest.raises(rm.UsageError, match="give run="):
        rm.correct_sampled(drawn)
    del scores[3]
    with pytest.raises(rm.DataError, match="6 of 60 candidates have no score"):
        rm.correct_sampled(drawn, run=scores)


def test_candidates_of_a_file_are_corrected_as_those_that_were_written(tmp_path: Path) -> None:
    train, test, scores = shop(40, 60, 2)
    drawn = rm.sample_candidates(train, test, 9, items=range(60))
    expected = rm.correct_sampled(drawn, run=scores)
    for name in ("c.parquet", "c.rankmark"):
        drawn.to_file(tmp_path / name)
        assert rm.correct_sampled(tmp_path / name, run=scores) == expected
    drawn.to_file(tmp_path / "c.csv")
    with pytest.raises(rm.FormatError, match="does not say how its candidates were sampled"):
        rm.correct_sampled(tmp_path / "c.csv", run=scores)
    with pytest.raises(rm.FileMissingError):
        rm.correct_sampled(tmp_path / "none.parquet", run=scores)
    sampling = json.dumps(drawn.sampling())
    drawn.frame.drop("probability").write_parquet(tmp_path / "x.parquet", metadata={METADATA: sampling})
    with pytest.raises(rm.FormatError, match="is not as candidates are written"):
        rm.correct_sampled(tmp_path / "x.parquet", run=scores)


def test_a_result_says_what_its_intervals_do_not_hold() -> None:
    """All are 30th of 1,000, none of which the interval of bv holds."""
    above = np.full(500, 29)
    ranks = 1 + np.random.default_rng(3).hypergeometric(above, 999 - above, 99)
    found = rm.correct_sampled(ranks, 1_000, 99, "HR@10", method="cls")
    [value] = found.values
    assert value.low > 0
    assert value.least <= 0 <= value.most
    assert "not the value among all items: corrections are biased" in found.notes[0]
    assert "95% over users" in str(found)
    exact = rm.correct_sampled([1, 3, 2], 3, 2, "HR@1")
    assert not any("biased" in note for note in exact.notes)


def test_scores_come_in_any_order_and_those_alike_as_in_evaluate() -> None:
    train, test, scores = shop(60, 40, 3)
    drawn = rm.sample_candidates(train, test, 12, items=range(40), seed=2)
    rounded = {user: {item: round(3 * value) for item, value in own.items()} for user, own in scores.items()}
    listed = drawn.frame.select("query", "item").with_columns(
        score=pl.Series([rounded[user][item] for user, item in drawn.frame.select("query", "item").rows()])
    )
    expected = rm.evaluate(drawn, listed, MEASURES, ties="item-desc").values
    again = pl.concat(
        [listed.sample(fraction=1, shuffle=True, seed=1), listed.with_columns(score=pl.lit(0, pl.Int64))]
    )
    for run in (listed, listed.sample(fraction=1, shuffle=True, seed=1), again):
        found = rm.correct_sampled(drawn, measures=MEASURES, run=run, method="cls")
        assert {each.measure: each.sampled for each in found.values} == pytest.approx(expected)


def test_more_sampled_items_tell_systems_apart_by_less() -> None:
    rng = np.random.default_rng(2)
    above = np.floor(1_000 * rng.random(2_000) ** 2).astype(int)
    widths = []
    for drawn in (20, 200):
        ranks = 1 + rng.hypergeometric(above, 999 - above, drawn)
        found = rm.correct_sampled(ranks, 1_000, drawn, "HR@10")
        widths.append(found.values[0].most - found.values[0].least)
        assert f"of HR@10 by some {widths[-1]:.2f}; more sampled items" in found.notes[1]
    assert widths[1] < 0.7 * widths[0]


def test_users_without_a_rank_and_too_many_items_are_refused() -> None:
    with pytest.raises(rm.DataError, match="1 of 2 users have no held-out item, first user 1"):
        rm.correct_sampled({"a": [1], "b": []}, 100, 9, "HR@5")
    with pytest.raises(rm.UsageError, match="more than the 20,000,000"):
        rm.correct_sampled([1, 2], 10**12, 9, "HR@5")


@pytest.mark.parametrize("method", METHODS)
def test_users_that_do_not_differ_have_no_interval(method: Any) -> None:
    for ranks in ([1], [10] * 50):
        found = rm.correct_sampled(ranks, 1_000, 9, "HR@5", method=method, resamples=20)
        assert np.isnan([found.values[0].low, found.values[0].high]).all()
        assert found.values[0].least < found.values[0].most
        assert "users do not differ" in str(found) or len(ranks) == 1


def test_users_for_a_margin_by_hand() -> None:
    found = rm.correct_sampled([1, 1, 2, 5, 9, 3], 1_000, 9, "RR", method="cls")
    half = (found.values[0].high - found.values[0].low) / 2
    assert found.users_for("RR", half) == 6
    assert found.users_for("RR", half / 2) == 24
    for margin in (0.0, float("nan")):
        with pytest.raises(rm.UsageError, match="is not a number above 0"):
            found.users_for("RR", margin)
    alike = rm.correct_sampled([2, 2, 2], 1_000, 9, "RR", method="cls")
    with pytest.raises(rm.UsageError, match="RR has no interval: users do not differ"):
        alike.users_for("RR", 0.1)


def test_corrections_and_candidates_have_every_format() -> None:
    found = rm.correct_sampled([1, 1, 2, 5], 1_000, 9, "HR@5, RR", method="cls")
    assert found.to_csv().splitlines()[0] == "measure,sampled,corrected,low,high,remaining,least,most"
    assert pl.read_csv(found.to_csv().encode())["corrected"].to_list() == [
        each.corrected for each in found.values
    ]
    drawn = rm.sample_candidates({"a": ["x"]}, {"a": ["y"]}, 1, items=["x", "y", "z"])
    assert drawn.to_csv() == "query,item,relevance,probability\na,y,1,1.0\na,z,0,1.0\n"
    for each in (found, drawn):
        assert each.to_latex().startswith("\\begin{tabular}")
        assert "| " in each.to_markdown()
        assert "#table(" in each.to_typst()
