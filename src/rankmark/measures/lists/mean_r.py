"""MeanR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray


@list_measure("MeanR", aliases=("MAR", "mean_average_recall"), bounds=(0, 1), extremes="counts")
def mean_recall(lists: JudgedLists, *, cutoff: int | None = None, rel: float = 1) -> Values:
    """Mean recall: the mean of R@1, R@2 … R@k, which Elliot calls MAR.

        MeanR@k = (1/k) Σ_{j≤k} R@j = (1/R) Σ_{i≤k} [rel_i ≥ rel] · (k − i + 1) / k

    ``rel_i`` is the grade of the item at rank i, R the number of relevant items. Without a cutoff k is the
    length of the list.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [anelli2021].

    Example:
        One of two relevant items at rank 2: (0 + 1/2 + 1/2) / 3.

        >>> import rankmark as rm
        >>> round(rm.evaluate({"q": {"b": 1, "z": 1}}, {"q": ["a", "b", "c"]}, "MeanR@3")["MeanR@3"], 6)
        0.333333

    """
    size = lists.length(None) if cutoff is None else np.full(len(lists.retrieved), float(cutoff))

    def above(rank: NDArray[np.int64]) -> Values:
        above: Values = np.minimum(rank - 1.0, np.inf if cutoff is None else cutoff)
        return above

    tail = lists.spread(size) - lists.at_rank(above)
    relevant = lists.relevant(rel)
    return ratio(lists.sum((lists.relevance >= rel) * tail), size * relevant, relevant)
