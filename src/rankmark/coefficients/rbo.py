"""RBO."""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from rankmark import _native
from rankmark._native import CompiledCoefficient
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Lists, Pairs, Whole, offsets_of
from rankmark.kinds.ranges import Between
from rankmark.kinds.rankings import CELLS
from rankmark.language.coefficient import coefficient

KEPT = 1 << 12
"""The longest lists of which the core computes it: few powers, but as many as a small call has time for."""


def _compiled(given: Mapping[str, Any]) -> CompiledCoefficient | None:
    if given["tail"] != "extrapolated" or given["unseen"] != "whole":
        return None
    return _kept(given["p"], given["cutoff"])


@functools.lru_cache(maxsize=16)
def _kept(p: float, cutoff: int | None) -> CompiledCoefficient:
    powers = np.power(p, np.arange(KEPT + 1) + 0.0)
    return CompiledCoefficient.rbo(((1 - p) * powers[:-1]).tolist(), powers[1:].tolist(), cutoff)


@coefficient("RBO", bounds=(0, 1), compiled=_compiled)
def rank_biased_overlap(
    pairs: Pairs,
    *,
    p: Annotated[float, Between(0, 1)] = 0.9,
    tail: Literal["extrapolated", "lower", "upper", "truncated"] = "extrapolated",
    ties: Literal["b", "a", "w"] = "b",
    unseen: Literal["whole", "tied"] = "whole",
) -> Values:
    """Rank-biased overlap: how much the lists agree at each depth, for a reader who goes on with chance p.

        RBO = (1 − p) Σ_d p^(d−1) · A_d,   A_d = X_d / N_d

    X_d is the overlap of the first d items of each list, N_d = d without ties. Where items are tied across
    depth d, each counts in its list with its share c of the orders in which it is among the first d, and
    X_d = Σ_i c_a(i) · c_b(i).

    Args:
        p: the chance that the reader goes on to the next depth.
        tail: ``extrapolated`` supposes that unseen items agree as the seen ones do, A_d = (X_d + A_s(d − s))
            / N_d beyond the end s of the shorter list, and A_l beyond the end l of the longer; ``lower``
            supposes that nothing unseen is common, ``upper`` that as much is as can be; ``truncated`` ends
            with the longer list.
        ties: ``a`` has N_d = d, so that it is the mean over all orders; ``b`` N_d = √(Σ c_a² · Σ c_b²), so
            that a list agrees with itself; ``w`` counts whoever is tied across depth d as wholly in, and N_d
            is the mean of both numbers.
        unseen: what an unseen item of the shorter list adds to X_d where it is supposed to be one of the
            longer: ``whole`` adds 1, with which ``a`` is the mean over all orders; ``tied`` adds the item's
            share in the longer list, as the program of Corsi and Urbano does: the mean of those shares that
            are not 0 for ``extrapolated``, those of the first d − s items that the longer list has alone for
            ``upper``. They differ where lists of different lengths have ties, by up to some hundredths.

    Range: 0 to 1.
    Not defined: of empty lists.

    Source: [webber2010]; ties: [corsi2024].

    Example:
        The first items differ, all else agrees: 1 − (1 − p) with p = 1/2.

        >>> import rankmark as rm
        >>> rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "RBO(p=0.5)")
        0.5

    """
    length_a, length_b = pairs.a.length, pairs.b.length
    shorter, longer = np.minimum(length_a, length_b), np.maximum(length_a, length_b)
    cells = offsets_of(longer)
    depth = _native.segment_ranks(cells)
    overlaps = _overlaps(pairs, cells, ties)
    sizes = [_sizes(lists, cells, depth, ties) for lists in (pairs.a, pairs.b)]
    norm = (
        depth if ties == "a" else np.sqrt(sizes[0] * sizes[1]) if ties == "b" else (sizes[0] + sizes[1]) / 2
    )
    deepest = int(longer.max(initial=0))
    weight = ((1 - p) * np.power(p, np.arange(deepest) + 0.0))[depth - 1]
    filled = shorter > 0
    missing = np.maximum(depth - np.repeat(shorter, longer), 0)
    if tail == "extrapolated":
        at = cells[:-1] + np.maximum(shorter, 1) - 1
        agreement = np.zeros(len(shorter))
        agreement[filled] = overlaps[at[filled]] / norm[at[filled]]
        share = _mean_share(pairs, cells, depth, ties) if unseen == "tied" else 1.0
        overlaps = overlaps + np.repeat(agreement, longer) * missing * share
    elif tail == "upper" and unseen == "tied":
        overlaps = overlaps + _first_shares(pairs, cells, depth, missing, ties)
    elif tail == "upper":
        overlaps = np.minimum(overlaps + missing, norm)
    total = _native.segment_sum(weight * overlaps / norm, cells)
    last = np.zeros(len(longer))
    last[longer > 0] = overlaps[cells[1:][longer > 0] - 1]
    if tail == "extrapolated":
        total += np.power(p, longer) * last / np.maximum(longer, 1)
    elif tail == "lower":
        total += (1 - p) * last * _inverse_tail(longer, p)
    elif tail == "upper":
        # Each list goes on with what the other has alone, until all is common.
        end = (2 * longer - last).astype(np.int64)
        between = _inverse_tail(longer, p) - _inverse_tail(end, p)
        total += (1 - p) * (last - 2 * longer) * between + 2 * np.power(p, longer) - np.power(p, end)
    return np.where(longer > 0, np.clip(total, 0.0, 1.0), np.nan)


def _overlaps(pairs: Pairs, cells: Whole, ties: str) -> Values:
    """X_d at each depth of each query."""
    query = pairs.query
    (first_a, last_a), (first_b, last_b) = pairs.tied("a"), pairs.tied("b")
    first, last = np.maximum(first_a, first_b), np.maximum(last_a, last_b)
    whole = first if ties == "w" else last
    found = np.bincount(cells[query] + whole - 1, minlength=cells[-1]).astype(np.float64)
    overlaps = _native.segment_running_sum(found, cells)
    partly = np.flatnonzero(first < last) if ties != "w" else np.zeros(0, dtype=np.int64)
    for start in range(0, len(partly), CELLS // 16):
        some = partly[start : start + CELLS // 16]
        each = np.repeat(some, (last - first)[some])
        depth = (
            first[each]
            + np.arange(len(each))
            - np.repeat(np.cumsum((last - first)[some]) - (last - first)[some], (last - first)[some])
        )
        shares = _share(depth, first_a[each], last_a[each]) * _share(depth, first_b[each], last_b[each])
        overlaps += np.bincount(cells[query[each]] + depth - 1, shares, minlength=cells[-1])
    return overlaps


def _share(depth: Whole, first: Whole, last: Whole) -> Values:
    """In how many orders an item tied from rank to rank is among the first `depth`, as a share."""
    share: Values = np.minimum((depth - first + 1) / (last - first + 1), 1.0)
    return share


def _sizes(lists: Lists, cells: Whole, depth: Whole, ties: str) -> Values:
    """The size of the first d items at each depth: their squared shares, or all tied with one of them.

    Beyond a list's end unseen items are as many as depths, none of them tied.
    """
    sizes = depth.astype(np.float64)
    if not lists.tied:
        return sizes
    at = np.repeat(cells[:-1], lists.length) + _native.segment_ranks(lists.offsets) - 1
    if ties == "w":
        sizes[at] = lists.last
    else:
        inside = depth[at] - lists.first + 1
        sizes[at] = lists.first - 1 + inside**2 / (lists.last - lists.first + 1)
    return sizes


def _mean_share(pairs: Pairs, cells: Whole, depth: Whole, ties: str) -> Values:
    """The mean share at each depth of the items that the longer list has alone, of those that have one."""
    before, upto, share = _alone(pairs, cells, depth, ties)
    mean: Values = (before + (upto - before) * share) / np.maximum(upto, 1)
    return mean


def _first_shares(pairs: Pairs, cells: Whole, depth: Whole, missing: Whole, ties: str) -> Values:
    """The shares at each depth of so many of the first items that the longer list has alone."""
    before, upto, share = _alone(pairs, cells, depth, ties)
    wholly = np.minimum(missing, before)
    sum_of_shares: Values = wholly + (np.minimum(missing, upto) - wholly) * share
    return sum_of_shares


def _alone(pairs: Pairs, cells: Whole, depth: Whole, ties: str) -> tuple[Values, Values, Values]:
    """Of items that the longer list has alone: those before the tied across each depth, up to these, a share.

    Two numbers of items, then the share that each of the tied has at that depth.
    """
    first, last = np.ones(cells[-1], dtype=np.int64), np.ones(cells[-1], dtype=np.int64)
    alone = np.ones(cells[-1])
    a_is_longer = pairs.a.length >= pairs.b.length
    sides = ((pairs.a, pairs.rank_a, a_is_longer), (pairs.b, pairs.rank_b, ~a_is_longer))
    for lists, rank, is_longer in sides:
        own = np.repeat(is_longer, lists.length)
        at = (np.repeat(cells[:-1], lists.length) + _native.segment_ranks(lists.offsets) - 1)[own]
        first[at], last[at] = lists.first[own], lists.last[own]
        common = is_longer[pairs.query]
        alone[(cells[pairs.query] + rank - 1)[common]] = 0
    upto = _native.segment_running_sum(alone, cells)
    start = np.repeat(cells[:-1], np.diff(cells))
    before = np.where(first > 1, upto[start + np.maximum(first - 2, 0)], 0.0)
    share = np.ones(cells[-1]) if ties == "w" else _share(depth, first, last)
    return before, upto[start + last - 1], share


def _inverse_tail(ends: Whole, p: float) -> Values:
    """Σ p^(d−1)/d over the depths d after each end."""
    depths = np.arange(1, int(ends.max(initial=0)) + 1)
    running = np.concatenate(([0.0], np.cumsum(np.power(p, depths - 1.0) / depths)))
    tail: Values = np.maximum(-math.log1p(-p) / p - running[ends], 0.0)
    return tail
