"""Two systems in one list, and which of them clicks prefer."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binomtest

import rankmark as rm
from rankmark import statistics
from rankmark.logs.interleaved import METHODS

A = {f"q{i}": [f"d{j}" for j in range(6)] for i in range(30)}
B = {f"q{i}": [f"d{(j * 5 + i) % 7}" for j in range(6)] for i in range(30)}
TEAMS: dict[str, list[Any]] = {
    "query": ["q"] * 8,
    "list": [1, 1, 2, 2, 3, 3, 4, 4],
    "item": ["a", "b"] * 4,
    "position": [1, 2] * 4,
    "team": ["A", "B"] * 4,
    "click": [1, 0, 1, 0, 0, 1, 1, 1],
}


@pytest.mark.parametrize("method", METHODS)
def test_lists_depend_on_the_seed_the_query_and_their_number_alone(method: Any) -> None:
    made = rm.interleave(A, B, method=method, k=4, lists=3).frame
    assert made.group_by("query", "list").len()["len"].unique().to_list() == [4]
    part = rm.interleave({"q7": A["q7"]}, B, method=method, k=4, lists=3).frame
    assert made.filter(pl.col("query") == "q7").equals(part)
    assert made.equals(rm.interleave(A, B, method=method, k=4, lists=3).frame)
    assert not made.equals(rm.interleave(A, B, method=method, k=4, lists=3, seed=1).frame)


def test_ranks_teams_and_credits_stand_beside_items() -> None:
    made = rm.interleave({"q": ["a", "b"]}, {"q": ["b", "c"]}, k=3).frame
    ranks = {item: (one, other) for item, one, other in made["item", "rank_a", "rank_b"].iter_rows()}
    assert ranks == {"a": (1, None), "b": (2, 1), "c": (None, 2)}
    assert made["credit"].to_list() == [1 if team == "A" else -1 for team in made["team"]]
    made = rm.interleave({"q": ["a", "b"]}, {"q": ["b", "a"]}, method="optimized", k=2).frame
    assert dict(made["item", "credit"].iter_rows()) == {"a": 0.5, "b": -0.5}
    assert made["team"].to_list() == [None, None]


def test_equal_scores_are_ordered_as_everywhere() -> None:
    run = {"q": {"a": 1.0, "b": 1.0, "c": 2.0}}
    for ties, wanted in (("item-desc", ["c", "b", "a"]), ("item-asc", ["c", "a", "b"])):
        made = rm.interleave(run, run, ties=ties, k=3)  # type: ignore[arg-type] # of parameters
        assert made.frame["item"].to_list() == wanted
    with pytest.raises(rm.ChoiceError, match="ties='expected' needs judgements"):
        rm.interleave(run, run, ties="expected")


def test_queries_of_one_run_are_left_out_and_said() -> None:
    made = rm.interleave({**A, "alone": ["x"]}, B)
    assert "1 query of one run alone left out" in made.notes
    with pytest.raises(rm.DataError, match="no query in common"):
        rm.interleave({"x": ["a"]}, {"y": ["a"]})


def test_wins_and_delta_by_hand() -> None:
    found = rm.evaluate_interleaving(TEAMS)
    assert (found.wins_a, found.wins_b, found.ties, found.clicked) == (2, 1, 1, 4)
    assert found.delta == (2 + 0.5) / 4 - 0.5
    assert found.win_rate == pytest.approx(2 / 3)
    assert found.p == binomtest(2, 3).pvalue
    assert (found.win_low, found.win_high) == statistics.wilson_interval([1, 1, 0])
    assert found.credit == (1 + 1 - 1 + 0) / 4
    assert found.preferences["preference"].to_list() == [1, 1, -1, 0]
    by_credit = {**{name: own for name, own in TEAMS.items() if name != "team"}, "credit": [1, -1] * 4}
    found_by_credit = rm.evaluate_interleaving(by_credit)
    assert {**found_by_credit.to_dict(), "notes": ()} == {**found.to_dict(), "notes": ()}
    assert any("no column of teams" in note for note in found_by_credit.notes)


def test_balanced_clicks_are_credited_down_to_the_lowest_clicked_rank() -> None:
    log = {
        "query": ["q"] * 8,
        "list": [1] * 4 + [2] * 4,
        "item": ["a", "b", "d", "c"] * 2,
        "position": [1, 2, 3, 4] * 2,
        "rank_a": [1, 2, None, 3] * 2,
        "rank_b": [3, 1, 2, None] * 2,
        "click": [0, 1, 1, 0, 1, 0, 0, 0],
    }
    found = rm.evaluate_interleaving(log, method="balanced")
    # b and d are the first two of B, and one of them of A; a is the first of A.
    assert found.preferences["preference"].to_list() == [-1, 1]
    assert math.isnan(found.credit)


def test_clusters_count_together() -> None:
    log = pl.DataFrame(TEAMS).with_columns(user=pl.Series(["u", "u", "u", "u", "v", "v", "w", "w"]))
    found = rm.evaluate_interleaving(log, clusters="user")
    values, labels = [1, 1, -1, 0], [0, 0, 1, 2]
    # Clusters have the sums 2, -1 and 0: of the signs of 2 and 1 all four are as extreme as 1 or more.
    assert found.p == 1.0
    half = [each / 2 for each in values]
    low, high = statistics.t_interval(half, clusters=labels)
    assert (found.delta_low, found.delta_high) == (max(low, -0.5), min(high, 0.5))
    assert not any("clusters=" in note for note in rm.evaluate_interleaving(TEAMS).notes)
    assert found.test == "randomisation test of clusters"
    assert any("3 clusters cannot have p of 0.05 or less" in note for note in found.notes)
    assert any("there are 3 clusters" in note for note in found.notes)
    with pytest.raises(rm.DataError, match="clusters='item': that column has several values in one list"):
        rm.evaluate_interleaving(log, clusters="item")


@pytest.mark.parametrize("method", ["optimized", "probabilistic"])
def test_few_lists_with_credit_do_not_prefer_one(method: Any) -> None:
    """Where signs are a coin's, four alike are one choice of eight; Student's t would say 4.5%."""
    lists = 100
    log = {
        "query": ["q"] * 2 * lists,
        "list": [i // 2 for i in range(2 * lists)],
        "item": ["a", "b"] * lists,
        "position": [1, 2] * lists,
        "credit": [0.5, -0.5] * lists,
        "click": [i < 8 and i % 2 == 0 for i in range(2 * lists)],
    }
    found = rm.evaluate_interleaving(log, method=method)
    assert (found.wins_a, found.wins_b, found.test) == (4, 0, "randomisation test")
    assert found.p == 2 / 2**4
    assert found.preferred is None


@pytest.mark.parametrize("method", METHODS)
def test_the_better_system_is_preferred_and_equal_ones_are_not(method: Any) -> None:
    rng = np.random.default_rng(0)
    good = {f"q{i}": [f"d{j}" for j in range(6)] for i in range(150)}
    bad = {query: own[::-1] for query, own in good.items()}
    for other, preferred in ((bad, "A"), (good, None)):
        made = rm.interleave(good, other, method=method, k=4, lists=2).frame
        rate = 0.6 - 0.1 * made["item"].str.slice(1).cast(pl.Int64).to_numpy()
        clicks = rng.random(made.height) < rate / made["position"].to_numpy()
        found = rm.evaluate_interleaving(made.with_columns(click=pl.Series(clicks)), method=method)
        assert found.preferred == preferred


def test_files_have_all_that_credits_need(tmp_path: Path) -> None:
    for method in METHODS:
        made = rm.interleave(A, B, method=method, k=3)
        made.write(tmp_path / "lists.csv")
        made.save(tmp_path / "lists.rankmark")
        loaded = rm.load(tmp_path / "lists.rankmark")
        assert isinstance(loaded, rm.results.InterleavedLists)
        assert loaded.frame.equals(made.frame)
        log = pl.read_csv(tmp_path / "lists.csv").with_columns(click=pl.col("position") == 1)
        log.write_csv(tmp_path / "log.csv")
        found = rm.evaluate_interleaving(tmp_path / "log.csv", method=method)
        assert found.to_dict() == pytest.approx(
            rm.evaluate_interleaving(
                made.frame.with_columns(click=pl.col("position") == 1), method=method
            ).to_dict(),
            nan_ok=True,
        )


def test_lists_that_were_shown_several_times_have_their_own_impressions() -> None:
    log = {**{name: [*own, *own] for name, own in TEAMS.items()}, "session": [i // 2 for i in range(16)]}
    assert rm.evaluate_interleaving(log).preferences.height == 8


@pytest.mark.parametrize(
    ("method", "own", "message"),
    [
        ("team-draft", {"team": ["A", "C"] * 4}, "4 of 8 rows have another team than A or B, such as 'C'"),
        (
            "optimized",
            {},
            "does not say to whom a click of optimised interleaving is credited: it needs 'credit'",
        ),
        ("balanced", {"rank_a": [1, 2] * 4}, "it needs 'rank_a' and 'rank_b'"),
        (
            "probabilistic",
            {"team": [None] * 8, "credit": [math.nan] * 8},
            "the column of credits has what are no numbers",
        ),
        (
            "team-draft",
            {"team": [*"ABABAB", None, "B"]},
            "1 of 8 rows have another .* None of item 'a' at pos",
        ),
        ("team-draft", {"team": [None] * 8}, "the column of teams is empty"),
        ("optimized", {"credit": [0.5, -0.5] * 4}, "its column of teams says that team draft made the lists"),
        (
            "balanced",
            {"team": [None] * 8, "credit": [0.5] * 8, "rank_a": [1, 2] * 4, "rank_b": [2, 1] * 4},
            "its items have credits",
        ),
        ("optimized", {"team": [None] * 8, "credit": [None] * 8}, "the column of credits is empty"),
        ("team-draft", {"list": [1] * 8}, "an item stands twice|a position stands twice"),
    ],
)
def test_bad_logs(method: Any, own: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.DataError, match=message):
        rm.evaluate_interleaving(TEAMS | own, method=method)


def test_credits_that_team_draft_does_not_give_are_refused() -> None:
    log = {name: own for name, own in TEAMS.items() if name != "team"} | {"credit": [0.5, -0.5] * 4}
    with pytest.raises(rm.DataError, match=r"8 of 8 rows have a credit such as 0.5, and those of team draft"):
        rm.evaluate_interleaving(log)


def test_lists_without_any_click_have_no_intervals() -> None:
    found = rm.evaluate_interleaving(TEAMS | {"click": [0] * 8})
    assert (found.delta, found.credit) == (0, 0)
    ends = (found.delta_low, found.delta_high, found.credit_low, found.credit_high)
    assert all(math.isnan(end) for end in ends)


def test_intervals_of_delta_stay_in_its_range() -> None:
    log = {name: own[:4] for name, own in TEAMS.items()} | {"click": [1, 0, 0, 1]}
    found = rm.evaluate_interleaving(log)
    assert (found.delta_low, found.delta_high) == (-0.5, 0.5)


@pytest.mark.parametrize("names", [("X", "X"), ("X", "Y", "Z"), ("", "Y"), "XY", (1, 2)])
def test_names_that_do_not_tell_systems_apart_are_refused(names: Any) -> None:
    for call in (
        lambda: rm.interleave(A, B, names=names),
        lambda: rm.evaluate_interleaving(TEAMS, names=names),
    ):
        with pytest.raises(rm.ChoiceError, match="two different texts"):
            call()


def test_wrong_calls() -> None:
    with pytest.raises(rm.ChoiceError, match="method='team'"):
        rm.interleave(A, B, method="team")  # type: ignore[arg-type]
    with pytest.raises(rm.ChoiceError, match="k=0 is not a whole number from 1"):
        rm.interleave(A, B, k=0)
    with pytest.raises(rm.ChoiceError, match="softness=-1 is not a number above 0"):
        rm.interleave(A, B, method="probabilistic", softness=-1)
