"""NumRel."""

from __future__ import annotations

from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure(
    "NumRel", aliases=("num_rel",), bounds=(0, None), aggregate="sum", order="nothing", extremes="ends"
)
def num_rel(lists: JudgedLists, *, rel: float = 1) -> Values:
    """Number of relevant items, retrieved or not, over all queries their sum.

        NumRel = Σ_d [rel_d ≥ rel]

    ``rel_d`` is the grade of judged item d.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.

    Range: from 0.
    No relevant item: 0.
    Equal scores: make no difference.

    Source: trec_eval's num_rel.

    Example:
        >>> import rankmark as rm
        >>> rm.evaluate({"q": {"a": 1, "b": 0, "z": 2}}, {"q": ["a"]}, "NumRel")["NumRel"]
        2.0

    """
    return lists.relevant(rel)
