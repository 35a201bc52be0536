"""RBPResidual."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ranges import Between
from rankmark.language.registry import list_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray


@list_measure("RBPResidual", bounds=(0, 1), better="neither", tells_unjudged=True)
def rbp_residual(
    lists: JudgedLists,
    *,
    p: Annotated[float, Between(0, 1)] = 0.8,
    tail: Literal["always", "unjudged"] = "always",
) -> Values:
    """Residual of rank-biased precision: by how much RBP could be higher, had everything been judged.

        RBPResidual = (1 − p) Σ_{i≤n} [item i is unjudged] · p^(i−1) + p^n

    n is the length of the list. What nobody judged, and what would come after the end of the list, could
    all be relevant: the true RBP lies between RBP and RBP + RBPResidual. An item judged below 0 was
    pooled but not judged (trec_eval's convention), and counts as unjudged.

    Args:
        p: the reader's patience, as in RBP. Tools differ in their default: 0.8 here, 0.9 in trec_eval.
        tail: whether p^n counts: ``always``, or only in lists with an ``unjudged`` item (trec_eval's
            rbp_resid, which so calls a list without one certain, an empty list too).

    Range: 0 to 1.
    No relevant item: makes no difference.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [moffat2008].

    Example:
        With p = 0.5 an unjudged item at rank 2 of two weighs 0.25, and so does all beyond.

        >>> import rankmark as rm
        >>> rm.evaluate({"q": {"a": 1}}, {"q": ["a", "x"]}, "RBPResidual(p=0.5)")["RBPResidual(p=0.5)"]
        0.5

    """

    def weight(rank: NDArray[np.int64]) -> Values:
        weights: Values = (1 - p) * np.power(p, rank - 1.0)
        return weights

    judged = lists.relevance >= 0
    # All ranks of an endless list weigh 1 together.
    residual = np.maximum(1.0 - lists.sum(judged * lists.at_rank(weight)), 0.0)
    return residual if tail == "always" else residual * (lists.retrieved > lists.sum(judged))
