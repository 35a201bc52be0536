"""MeanP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _numpy as np
from rankmark.kinds.browsing import harmonic
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray


@list_measure("MeanP", bounds=(0, 1), extremes="ends")
def mean_precision(lists: JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> Values:
    """Mean precision: the mean of P@1, P@2 … P@k, which Elliot calls MAP.

        MeanP@k = (1/k) Σ_{j≤k} P@j = (1/k) Σ_{i≤k} [rel_i ≥ rel] · (1/i + 1/(i+1) + … + 1/k)

    ``rel_i`` is the grade of the item at rank i. It is not average precision, which looks at P@j only
    where a relevant item is. A list shorter than k is filled up with items that are not relevant;
    without a cutoff k is the length of the list.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [anelli2021].

    Example:
        A hit at rank 2: (0/1 + 1/2 + 1/3) / 3 = 0.277778.

        >>> import rankmark as rm
        >>> round(rm.evaluate({"q": {"b": 1}}, {"q": ["a", "b", "c"]}, "MeanP@3")["MeanP@3"], 6)
        0.277778

    """
    size = lists.length(None) if cutoff is None else np.full(len(lists.retrieved), float(cutoff))

    def above(rank: NDArray[np.int64]) -> Values:
        return harmonic(np.minimum(rank - 1.0, np.inf if cutoff is None else cutoff))

    tail = lists.spread(harmonic(size)) - lists.at_rank(above)
    return ratio(lists.sum((lists.relevance >= rel) * tail), size, lists.relevant(rel))
