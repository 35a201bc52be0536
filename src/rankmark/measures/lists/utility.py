"""Utility."""

from __future__ import annotations

from typing import Annotated

from rankmark import _numpy as np
from rankmark.errors import DataError, MeasureError
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ranges import Within
from rankmark.language.registry import list_measure


@list_measure("Utility", bounds=(None, None), order="set")
def utility(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    relevant: float = 1,
    nonrelevant: float = -1,
    missed: float = 0,
    rejected: float = 0,
    items: Annotated[float, Within(0, 2**53)] = 0,
) -> Values:
    """Linear utility: what the items shown and not shown are worth, added up.

        Utility@k = relevant · a + nonrelevant · b + missed · c + rejected · d

    Among the first k items a are relevant and b are not; c relevant ones are not among them, and d are
    neither relevant nor among them. For filtering and alerts, where the size of the list is the
    system's choice. Unjudged items are not relevant.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        relevant: the worth of a relevant item in the list.
        nonrelevant: the worth of any other item in the list, usually negative: the reader's time.
        missed: the worth of a relevant item that is not in the list.
        rejected: the worth of any other item that is not in the list; it needs `items`.
        items: how many items there are in the collection; 0 if that is not known.

    Range: any number; it grows with the list and the number of relevant items.
    No relevant item: the worth of what is shown.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: trec_eval's utility; the filtering tracks of TREC ([robertson2002]) use relevant=2.

    Example:
        Two relevant items and one that is not: 2 · 2 − 1 = 3, and one is missed.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "c": 1, "z": 1}}
        >>> measures = ["Utility(relevant=2)", "Utility(relevant=2,missed=-0.5)"]
        >>> list(rm.evaluate(qrels, {"q": ["a", "b", "c"]}, measures).values.values())
        [3.0, 2.5]

    """
    found = lists.hits(rel).count(cutoff)
    other = lists.length(cutoff) - found
    not_found = lists.relevant(rel) - found
    worth = relevant * found + nonrelevant * other + missed * not_found
    return worth + rejected * _others_left(found + other + not_found, items) if rejected else worth


def _others_left(counted: Values, items: float) -> Values:
    if not items:
        raise MeasureError("Utility(rejected=…) needs items=…, the number of items in the collection")
    most = np.max(counted, initial=0)
    if items < most:
        raise DataError(f"Utility: items={items:g}, but one query alone has {most:g}")
    return items - counted
