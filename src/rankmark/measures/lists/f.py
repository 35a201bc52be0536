"""F."""

from __future__ import annotations

from typing import Annotated

from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ranges import Above
from rankmark.language.registry import list_measure


@list_measure(
    "F",
    aliases=("F1", "F1Beta", "SetF"),
    variants={"F2": {"beta": 2}},
    bounds=(0, 1),
    order="set",
    extremes="found",
)
def f_measure(
    lists: JudgedLists, *, cutoff: int | None = None, rel: float = 1, beta: Annotated[float, Above(0)] = 1
) -> Values:
    """F measure: the weighted harmonic mean of precision and recall.

        F_β@k = (1 + β²) · P@k · R@k / (β² · P@k + R@k)

    P@k divides the hits among the first k by k, R@k divides them by the number of relevant items;
    without a cutoff the whole list counts and P divides by its length. 0 where nothing was hit.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        beta: β, how many times as much recall weighs as precision; 1 gives F1. It is β that is given,
            not β², which is what trec_eval's set_F takes.

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [vanrijsbergen1979].

    Example:
        One hit among the first two, of four relevant: P = 1/2, R = 1/4, F1 = 2 · (1/8) / (3/4) = 1/3.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "w": 1, "x": 1, "y": 1}}
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "F@2")["F@2"], 6)
        0.333333

    """
    hits = lists.hits(rel).count(cutoff)
    relevant = lists.relevant(rel)
    size = lists.length(None) if cutoff is None else float(cutoff)
    # P and R put in, the fraction becomes linear in the hits.
    return ratio((1 + beta**2) * hits, beta**2 * relevant + size, relevant)
