"""FallOut."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.unretrieved import Catalogue, catalogue
from rankmark.language.registry import list_measure


@list_measure(
    "FallOut",
    bounds=(0, 1),
    better="less",
    order="set",
    tells_unjudged=lambda given: given["items"] == "judged",
)
def fall_out(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    items: Literal["judged"] | Catalogue = "judged",
) -> Values:
    """Fall-out: the share of the items that are not relevant that are among the first k.

        FallOut@k = (1/M) Σ_{i≤k} [item i is one of the M items that are not relevant]

    It is the false positive rate of the first k.

    Args:
        rel: the least grade that counts as relevant.
        items: where M is counted. ``judged``: the items judged for the query (torchmetrics, which is
            handed those alone); a number N: of all N items that there are those are not relevant that
            were not judged so.

    Range: 0 to 1; less is better.
    No relevant item: makes no difference; where all items are relevant, decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.
    More retrieved or judged items than `items` are a DataError.

    Source: [vanrijsbergen1979].

    Example:
        One of two items judged not relevant is among the first two; of 101 items, 100 are not relevant.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "b": 0, "z": 0}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c"]}, ["FallOut@2", "FallOut(items=101)@2"])
        >>> list(result.values.values())
        [0.5, 0.01]

    """
    inside, miss = lists.within(cutoff), lists.relevance < rel
    if items == "judged":
        others, misses = lists.judged - lists.relevant(rel), lists.sum(inside * miss)
    else:
        others = catalogue(lists, "FallOut", items) - lists.relevant(rel)
        misses = lists.length(cutoff) - lists.sum(inside * ~miss)
    return ratio(misses, others, others)
