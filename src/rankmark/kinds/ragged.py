"""Arrays of lists of different lengths, flat, with offsets; and what is found in ascending numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankmark import _numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["found_in", "offsets_of", "pieces", "spread", "sums_by_key"]

PIECE = 1 << 22
"""Numbers that are looked at at once."""


def offsets_of(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where lists of these lengths begin one after the other, and where the last ends."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths, dtype=np.int64)))


def spread(first: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each first one, so many of each, one after the other."""
    before = offsets_of(lengths)
    return np.repeat(first - before[:-1], lengths) + np.arange(before[-1])


def pieces(lengths: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Which lists of these lengths, one after the other, are looked at at once: first ones and ends."""
    ends = np.cumsum(lengths)
    start = 0
    while start < len(ends):
        before = ends[start - 1] if start else 0
        stop = max(int(np.searchsorted(ends, before + PIECE, side="right")), start + 1)
        yield start, stop
        start = stop


def sums_by_key(
    keys: NDArray[np.int64], x: NDArray[np.float64], size: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The different keys, from 0 to below `size`, ascending, and the sum of `x` over each."""
    if size <= 4 * len(keys):  # a place for each takes less time than sorting
        distinct = np.flatnonzero(np.bincount(keys, minlength=size)).astype(np.int64, copy=False)
        sums = np.bincount(keys, x, size)[distinct]
    else:
        distinct, places = np.unique(keys, return_inverse=True)
        sums = np.bincount(places, x, len(distinct))
    return distinct, sums.astype(np.float64, copy=False)


def found_in(x: NDArray[np.int64], known: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each is among some ascending numbers."""
    if not len(known):
        return np.zeros(len(x), dtype=np.bool_)
    places = np.minimum(np.searchsorted(known, x), len(known) - 1)
    found: NDArray[np.bool_] = known[places] == x
    return found
