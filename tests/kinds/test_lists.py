"""Lists in which items share ranks: what the core computes of them, and the same from its definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankmark.kinds.lists import JudgedLists
from strategies import at_most


@st.composite
def lists_with_ties(draw: Any) -> JudgedLists:
    """Lists in which some of those that share ranks are judged, and some lists are empty."""
    first, last, lengths, judged = [], [], [], []
    for groups in draw(st.lists(st.lists(st.integers(1, 5), max_size=6), min_size=1, max_size=4)):
        rank = 1
        for size in groups:
            here = draw(st.integers(0, size))
            first += [rank] * here
            last += [rank + size - 1] * here
            rank += size
        lengths.append(rank - 1)
        judged.append(len(first))
    relevance = draw(
        st.lists(st.sampled_from([0.0, 0.1, 1.0, 3.0]), min_size=len(first), max_size=len(first))
    )
    ties = np.array(first, dtype=np.int64), np.array(last, dtype=np.int64)
    offsets = np.array([0, *judged])
    return JudgedLists(ties[0], np.array(relevance), offsets, np.array(lengths), ties=ties)


@settings(max_examples=at_most(100))
@given(lists=lists_with_ties(), depth=st.integers(0, 30), one=st.booleans())
def test_shared_ranks_weigh_their_mean_to_the_last_bit(lists: JudgedLists, depth: int, one: bool) -> None:
    weights = 1 / np.log2(np.arange(1, depth + 1) + 1.0)
    padded = np.append(weights, np.zeros(40))
    x = 0.3 if one else lists.relevance
    expected = lists.sum(lists.at_rank(lambda rank: padded[rank - 1]) * x)
    assert lists.weighted_sum(x, weights).tolist() == expected.tolist()


@settings(max_examples=at_most(100))
@given(lists=lists_with_ties(), cutoff=st.none() | st.integers(1, 12))
def test_precision_at_shared_ranks_is_its_closed_form_to_the_last_bit(
    lists: JudgedLists, cutoff: int | None
) -> None:
    assert lists.ties is not None
    (first, last), (above, tied) = lists.ties, lists.tied()
    end = np.maximum(first - 1, last if cutoff is None else np.minimum(last, cutoff))
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, 60))))
    inverse = harmonic[end] - harmonic[first - 1]
    size = last - first + 1
    others = (tied - 1) / np.maximum(size - 1, 1)
    mean = ((above + 1) * inverse + others * (end - first + 1 - first * inverse)) / size
    expected = np.where(size == 1, (above + 1) / first, mean)
    assert lists.precision(cutoff).tolist() == expected.tolist()


@settings(max_examples=at_most(50))
@given(lists=lists_with_ties(), data=st.data())
def test_what_stays_in_lists_keeps_its_ranks(lists: JudgedLists, data: Any) -> None:
    assert lists.ties is not None
    items = len(lists.rank)
    kept = np.array(data.draw(st.lists(st.booleans(), min_size=items, max_size=items)), dtype=np.bool_)
    fewer = lists.where(kept)
    assert fewer.ties is not None
    assert [each.tolist() for each in fewer.ties] == [each[kept].tolist() for each in lists.ties]
    assert fewer.query.tolist() == lists.query[kept].tolist()


def test_precision_without_ties_is_the_place_over_the_rank() -> None:
    ranks = np.array([1, 4, 2])
    lists = JudgedLists(ranks, np.ones(3), np.array([0, 2, 3]), np.array([5, 2]))
    assert lists.precision() == pytest.approx([1, 2 / 4, 1 / 2])
