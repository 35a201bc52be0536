"""Rows that stand query after query and whose grades stay, while scores come anew, as in training loops.

What does not depend on the scores is made once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.pairs import offsets_of

if TYPE_CHECKING:
    from rankmark.language.choices import Ties

__all__ = ["Grouped"]

Places = NDArray[np.int64]


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
        self._preferred = self._in_order(ties)

    def lists(self, scores: Values) -> JudgedLists:
        """The lists by falling score; one score a row, none of them NaN."""
        relevance, ties = _native.segment_ranked(
            scores, self._preferred, self._grades, self._offsets, self._shares_ranks
        )
        return JudgedLists(self._rank, relevance, self._offsets, self.sizes, ties=ties, ideal=self._ideal)

    def _in_order(self, ties: Ties) -> Places:
        """All rows, query after query, in the order that they have where all scores are equal."""
        rows = np.arange(len(self._grades))
        query = np.repeat(np.arange(len(self.sizes)), self.sizes)
        if ties == "input":
            return rows
        by_grade = {"best": -self._grades, "worst": self._grades}.get(ties, np.zeros(len(rows)))
        return np.lexsort((-rows, by_grade, query))
