"""RBPResidual."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from rankmark.lists import JudgedLists, Values
from rankmark.measure import list_measure
from rankmark.parameters import Between


@list_measure("RBPResidual", bounds=(0, 1), cite="moffat2008", better="neither")
def rbp_residual(
    lists: JudgedLists, *, cutoff: int | None = None, p: Annotated[float, Between(0, 1)] = 0.8
) -> Values:
    """Residual of rank-biased precision: how much RBP would rise if all that is not known were relevant.

        RBPResidual@k = 1 − (1 − p) Σ_{i≤k} [item i is judged] · p^(i−1)

    Not known are the items that nobody judged and all that follows the list, or rank k. RBP and RBP +
    RBPResidual are the least and the most that RBP can be; a wide gap says that more judgements are needed.

    Args:
        p: the reader's patience, as in `RBP`.

    Range: 0 to 1.
    No relevant item: makes no difference.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval effectiveness",
    TOIS 27(1), 2008.

    Example:
        With p = 0.5 the ranks weigh 1/2, 1/4, 1/8 …; only the first and the third item are judged.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 0}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "RBPResidual(p=0.5)")["RBPResidual(p=0.5)"]
        0.375

    """

    def weight(rank: NDArray[np.int64]) -> Values:
        weights: Values = (1 - p) * np.power(p, rank - 1.0)
        return weights * (True if cutoff is None else rank <= cutoff)

    return 1.0 - lists.sum(lists.at_rank(weight))
