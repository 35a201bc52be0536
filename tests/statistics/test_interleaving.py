"""Two rankings in one list. Examples are worked by hand from the papers' algorithms."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError

A, B = ["a", "b", "c", "d"], ["b", "d", "c", "a"]
UNFAIR = ["a", "b", "c"], ["b", "c", "a"]


@st.composite
def rankings(draw: Any) -> tuple[list[int], list[int]]:
    items = st.lists(st.integers(0, 8), min_size=1, max_size=5, unique=True)
    return draw(items), draw(items)


@given(rankings(), st.integers(1, 7), st.integers(0, 99))
def test_every_list_of_team_draft_and_balanced_is_a_draft(both: Any, k: int, seed: int) -> None:
    a, b = both
    made = statistics.team_draft(a, b, k, Random(seed))
    items = [slot.item for slot in made]
    assert len(set(items)) == len(items) == min(k, len({*a[:k], *b[:k]}))
    for place, slot in enumerate(made):
        own = a if slot.credit > 0 else b
        assert slot.item == next(item for item in own if item not in items[:place])
    balanced = statistics.balanced_interleaving(a, b, k, a_first=bool(seed % 2))
    assert len(set(balanced)) == len(balanced) == min(k, len({*a, *b}))


def test_teams_of_a_draft_are_as_large() -> None:
    made = statistics.team_draft(list("abcdef"), list("uvwxyz"), 6, Random(1))
    for place in (2, 4, 6):
        assert sum(slot.credit for slot in made[:place]) == 0


def test_balanced_lists_by_who_is_first() -> None:
    assert statistics.balanced_interleaving(A, B, 4, a_first=True) == ["a", "b", "d", "c"]
    assert statistics.balanced_interleaving(A, B, 4, a_first=False) == ["b", "a", "d", "c"]


@pytest.mark.parametrize(
    ("rank_a", "rank_b", "wanted"),
    [
        ([], [], 0),
        ([1], [3], 1),
        ([1, 2], [None, 1], 0),  # to depth 1: A has its first, B its first
        ([2, None], [1, 2], -1),
        ([2, 4], [1, 2], -1),
        ([None, None], [None, None], 0),
    ],
)
def test_balanced_clicks_count_down_to_the_lowest(rank_a: Any, rank_b: Any, wanted: int) -> None:
    assert statistics.balanced_preference(rank_a, rank_b) == wanted
    arrays = (np.array(ranks, dtype=float) for ranks in (rank_a, rank_b))
    assert statistics.balanced_preference(*arrays) == wanted  # type: ignore[arg-type] # in an array


def test_optimised_probabilities_by_hand() -> None:
    """Credits 3, −1, −2, 0 of a, b, d, c leave three lists, and one solution of the fairness equations."""
    found = statistics.optimized_interleaving(A, B, 4, credit="linear")
    shown = {"".join(str(slot.item) for slot in each): share for each, share in zip(*found[:2], strict=True)}
    assert shown == pytest.approx({"abdc": 0.25, "badc": 0.35, "bdac": 0.4})


@settings(max_examples=40, deadline=None)
@given(rankings(), st.integers(1, 5), st.sampled_from(["inverse", "linear"]))
def test_optimised_lists_are_fair_to_random_clicks(both: Any, k: int, credit: Any) -> None:
    found = statistics.optimized_interleaving(*both, k, credit=credit)
    assert found.bias < 1e-7
    assert sum(found.probabilities) == pytest.approx(1)
    for made in found.lists:
        items = [slot.item for slot in made]
        for place, item in enumerate(items):
            firsts = [next((i for i in own if i not in items[:place]), None) for own in both]
            assert item in firsts


def test_optimised_lists_that_nothing_makes_fair() -> None:
    # a, b and c have the credits 1, −1 and −1, and so −1 together in whichever order.
    with pytest.raises(DataError, match="credit='binary': no probabilities of the"):
        statistics.optimized_interleaving(*UNFAIR, 3, credit="binary")
    with pytest.raises(ChoiceError, match="k=13: optimised lists have 12 positions at most"):
        statistics.optimized_interleaving(A, B, 13)


def test_probabilistic_credit_is_the_chance_of_who_drew() -> None:
    made = statistics.probabilistic_interleaving(["a", "b"], ["b", "c"], 3, Random(5))
    pools = [{"a": 1.0, "b": 1 / 8}, {"b": 1.0, "c": 1 / 8}]
    for slot in made:
        one, other = (pool.get(str(slot.item), 0) / sum(pool.values()) if pool else 0 for pool in pools)
        assert slot.credit == pytest.approx((one - other) / (one + other))
        for pool in pools:
            pool.pop(str(slot.item), None)
    assert len(made) == 3


def test_whatever_the_softness_somebody_draws() -> None:
    made = statistics.probabilistic_interleaving([*"abcde"], [*"cbfag"], 7, Random(1), softness=3000.0)
    assert sorted(str(item) for item, _ in made) == [*"abcdefg"]


def test_probabilistic_lists_come_as_often_as_they_should() -> None:
    random = Random(0)
    firsts = [
        statistics.probabilistic_interleaving(["a", "b"], ["b", "a"], 1, random)[0].item for _ in range(4000)
    ]
    assert firsts.count("a") / 4000 == pytest.approx(0.5, abs=0.03)
    pairs = [
        statistics.probabilistic_interleaving(["a", "b", "c"], ["a", "b", "c"], 2, random)
        for _ in range(4000)
    ]
    first = sum(made[0].item == "a" for made in pairs) / 4000
    assert first == pytest.approx(1 / (1 + 1 / 8 + 1 / 27), abs=0.03)
    assert all(slot.credit == 0 for made in pairs for slot in made)
    assert all(one.item != other.item for made in pairs for one, other in pairwise(made))
