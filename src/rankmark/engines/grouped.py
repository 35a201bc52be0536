"""Rows that stand query after query and whose grades stay, while scores come anew, as in training loops.

What does not depend on the scores is made once. Scores are sorted query by query, side by side with those of
other queries that have about as many rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.pairs import offsets_of

if TYPE_CHECKING:
    from rankmark.language.choices import Ties

__all__ = ["Grouped"]

Places = NDArray[np.int64]


class _Block(NamedTuple):
    """Queries of about the same number of rows.

    Attributes:
        rows: [queries, longest], the rows of each in the order that they have where scores are equal; behind
            a query's last the number of all rows.
        places: where these rows are in the lists, query after query.

    """

    rows: Places
    places: Places


class Grouped:
    """Graded rows, all of which are in the list of their query.

    Args:
        grades: one a row.
        sizes: how many rows each query has, in the order in which they stand.
        ties: the order of equal scores, by the number of the row where it goes by items; not ``random``.

    """

    def __init__(self, grades: Values, sizes: Places, ties: Ties) -> None:
        self.sizes = np.ascontiguousarray(sizes, dtype=np.int64)
        self._grades = np.ascontiguousarray(grades, dtype=np.float64)
        self._offsets = offsets_of(self.sizes)
        self._rank = _native.segment_ranks(self._offsets)
        self._ideal = JudgedLists.perfect(
            _native.segment_descending(self._grades, self._offsets), self._offsets
        )
        self._shares_ranks = ties == "expected"
        self._opens = np.zeros(len(grades), dtype=np.bool_)
        self._opens[self._offsets[:-1][self.sizes > 0]] = True
        self._blocks = list(self._in_blocks(self._preferred(ties)))

    def lists(self, scores: Values) -> JudgedLists:
        """The lists by falling score; one score a row, none of them NaN."""
        order = np.empty(len(self._grades), dtype=np.int64)
        falling = np.append(-scores, np.inf)
        for rows, places in self._blocks:
            ordered = rows.reshape(-1)[_by_falling(falling[rows])].reshape(-1)
            order[places] = ordered if len(ordered) == len(places) else ordered[ordered < len(scores)]
        ties = self._ties(scores[order]) if self._shares_ranks else None
        return JudgedLists(
            self._rank, self._grades[order], self._offsets, self.sizes, ties=ties, ideal=self._ideal
        )

    def _ties(self, ordered: Values) -> tuple[Places, Places] | None:
        """The first and the last rank of the items tied with each, if any are."""
        opens = self._opens.copy()
        opens[1:] |= ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(opens)
        if len(starts) == len(ordered):
            return None
        lengths = np.diff(starts, append=len(ordered))
        first = self._rank[starts]
        return np.repeat(first, lengths), np.repeat(first + lengths - 1, lengths)

    def _preferred(self, ties: Ties) -> Places:
        """All rows, query after query, in the order that they have where all scores are equal."""
        rows = np.arange(len(self._grades))
        query = np.repeat(np.arange(len(self.sizes)), self.sizes)
        if ties == "input":
            return rows
        by_grade = {"best": -self._grades, "worst": self._grades}.get(ties, np.zeros(len(rows)))
        return np.lexsort((-rows, by_grade, query))

    def _in_blocks(self, preferred: Places) -> list[_Block]:
        """The queries by how many rows they have, up to a power of 2."""
        found = []
        width = np.int64(np.ceil(np.log2(np.maximum(self.sizes, 1))))
        for each in np.unique(width):
            queries = np.flatnonzero((width == each) & (self.sizes > 0))
            sizes = self.sizes[queries]
            place = np.arange(sizes.max(initial=0))
            places = self._offsets[queries][:, None] + place
            inside = place < sizes[:, None]
            rows = np.full(places.shape, len(preferred))
            rows[inside] = preferred[places[inside]]
            found.append(_Block(rows, places[inside]))
        return found


def _by_falling(negated: Values) -> Places:
    """The places of all numbers in an order in which those of each row rise; equal ones stay in theirs.

    NumPy's fast sort of floats leaves equal ones in any order, and its stable one takes several times longer.
    """
    width = negated.shape[1]
    starts = np.arange(len(negated))[:, None] * width
    places = np.argsort(negated, axis=1)
    ordered = negated.reshape(-1)[places + starts]
    changes = ordered[:, 1:] != ordered[:, :-1]
    if not changes.all():
        bits = width.bit_length()
        places[:, 1:] += np.cumsum(changes, axis=1) << bits
        places.sort(axis=1)
        places &= (1 << bits) - 1
    places += starts
    return places
