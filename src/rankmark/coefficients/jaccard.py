"""Jaccard."""

from __future__ import annotations

import numpy as np

from rankmark._native import CompiledCoefficient
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Pairs
from rankmark.kinds.rankings import quotient
from rankmark.language.coefficient import coefficient


@coefficient("Jaccard", bounds=(0, 1), compiled=lambda given: CompiledCoefficient.jaccard(given["cutoff"]))
def jaccard(pairs: Pairs) -> Values:
    """Jaccard's index: the items in both lists as a share of those in either.

        Jaccard = |A ∩ B| / |A ∪ B|

    Range: 0 to 1.
    Not defined: of empty lists.

    Source: [jaccard1912].

    Example:
        Of four items two are in both lists.

        >>> import rankmark as rm
        >>> rm.rank_correlation(["a", "b", "c"], ["b", "a", "d"], "Jaccard")
        0.5

    """
    common = np.diff(pairs.offsets)
    return quotient(common, pairs.a.length + pairs.b.length - common)
