"""Overlap."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark._native import CompiledCoefficient
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs
from rankmark.kinds.rankings import quotient
from rankmark.language.coefficient import coefficient


@coefficient(
    "Overlap",
    bounds=(0, 1),
    compiled=lambda given: CompiledCoefficient.overlap(given["denominator"] == "shorter", given["cutoff"]),
)
def overlap(pairs: Pairs, *, denominator: Literal["longer", "shorter"] = "longer") -> Values:
    """Overlap: the items in both lists as a share of the longer list, or of the shorter.

        Overlap = |A ∩ B| / max(|A|, |B|)

    Args:
        denominator: what it is a share of: the ``longer`` list, or the ``shorter``, so that a list all of
            whose items are in the other has 1.

    Range: 0 to 1.
    Not defined: of empty lists.

    Source: [simpson1943] (of the shorter list).

    Example:
        Two items are in both lists, one of which has three and one two.

        >>> import rankmark as rm
        >>> names = ["Overlap", "Overlap(denominator=shorter)"]
        >>> values = rm.rank_correlation(["a", "b", "c"], ["b", "a"], names)
        >>> [round(value, 4) for value in values.values()]
        [0.6667, 1.0]

    """
    most = np.maximum if denominator == "longer" else np.minimum
    return quotient(np.diff(pairs.offsets), most(pairs.a.length, pairs.b.length))
