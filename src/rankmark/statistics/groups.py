"""Which systems cannot be told apart: groups and ranks that follow from tests of all pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.errors import DataError

__all__ = ["RankInterval", "groups_of", "rank_intervals"]


class RankInterval(NamedTuple):
    """The ranks that a system can have."""

    low: int
    high: int


def rank_intervals(better: ArrayLike) -> list[RankInterval]:
    """The ranks that each of k systems can have: 1 + those shown better than it, to k − those shown worse.

    Where the tests of all pairs are corrected so that no false positive is among them with confidence 1 − α,
    all of these intervals hold the systems' true ranks at once with that confidence.

    Args:
        better: bool [systems, systems]; whether the one of the row was shown better than the one of the
            column.

    Raises:
        DataError: it is not square, or two systems are each better than the other.

    Source:
        D. Al Mohamad, J. J. Goeman and E. W. van Zwet, "Simultaneous confidence intervals for ranks with
        application to ranking institutions", Biometrics 78, 2022.

    """
    shown = _checked(better)
    count = len(shown)
    above, below = shown.sum(axis=0), shown.sum(axis=1)
    return [RankInterval(int(1 + a), int(count - b)) for a, b in zip(above, below, strict=True)]


def groups_of(better: ArrayLike) -> list[tuple[int, ...]]:
    """The groups of a compact letter display: two systems share one just if none was shown better.

    Args:
        better: as for `rank_intervals`.

    Returns:
        Each group's systems; a system can be in several. The groups are in the order of their first systems.

    Source:
        H.-P. Piepho, "An algorithm for a letter-based representation of all-pairwise comparisons", Journal of
        Computational and Graphical Statistics 13, 2004 (insert and absorb).

    """
    shown = _checked(better)
    groups = [frozenset(range(len(shown)))]
    for one, other in zip(*np.nonzero(shown | shown.T), strict=True):
        if one < other:
            groups = _told_apart(groups, int(one), int(other))
    return sorted(tuple(sorted(group)) for group in groups)


def _told_apart(groups: list[frozenset[int]], one: int, other: int) -> list[frozenset[int]]:
    """The groups without any that has both; those within another are left out."""
    kept = [group for group in groups if not (one in group and other in group)]
    made = [group - {each} for group in groups if one in group and other in group for each in (one, other)]
    for group in sorted(set(made), key=len, reverse=True):
        if not any(group <= another for another in kept):
            kept.append(group)
    return kept


def _checked(better: ArrayLike) -> NDArray[np.bool_]:
    shown = np.asarray(better, dtype=bool)
    if shown.ndim != 2 or shown.shape[0] != shown.shape[1]:
        raise DataError(
            f"the shape is {list(shown.shape)}; say which is better than which, [systems, systems]"
        )
    if (shown & shown.T).any():
        raise DataError("a system was shown both better and worse than another")
    return shown
