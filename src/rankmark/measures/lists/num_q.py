"""NumQ."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure("NumQ", aliases=("num_q",), bounds=(1, 1), aggregate="sum", order="nothing", extremes="ends")
def num_q(lists: JudgedLists) -> Values:
    """Number of queries that were evaluated.

        NumQ = Σ_q 1

    Which these are is decided by `missing`.

    Range: 1 a query.
    No relevant item: makes no difference.
    Equal scores: make no difference.

    Source: trec_eval's num_q.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
        >>> rm.evaluate(qrels, {"q1": ["a"], "q2": ["x"]}, "NumQ")["NumQ"]
        2.0

    """
    return np.ones(len(lists.retrieved))
