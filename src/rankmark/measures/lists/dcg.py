"""DCG."""

from __future__ import annotations

from rankmark.kinds.gains import CumulatedGain, Discount, discounted_sum, gain_of
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.language.registry import list_measure


@list_measure("DCG", variants={"dcg_burges": {"gain": "exp2"}}, bounds=(0, None), extremes="ends")
def dcg(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    gain: CumulatedGain = "linear",
    discount: Discount = "log2",
) -> Values:
    """Discounted cumulated gain: the gains of the list's items, each worth less the lower it stands.

        DCG@k = Σ_{i≤k} gain(rel_i) · discount(i)

    ``rel_i`` is the grade of the item at rank i, 0 if it is not judged.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1, ``binary`` is 1 for every grade
            above 0; a mapping such as ``{1:3,2:9}`` gives each grade its gain, and a judged grade
            other than 0 that it lacks is an error; from Python any function of a grade. Unjudged items
            gain nothing, nor do negative grades unless a mapping or a function says so.
        discount: ``log2`` is 1/log₂(i + 1); ``log2max`` is 1/log₂(max(i, 2)), by which ranks 1 and 2
            weigh the same; a number b above 1 is 1/log_b(i + 1).

    Range: from 0 (gains of the caller's own may be negative); compare it only between systems on the
    same queries.
    No relevant item: 0.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form (McSherry & Najork
    2008).

    Source: [jarvelin2002].

    Example:
        3/log₂2 + 2/log₂3 = 4.261860; with ``log2max`` both ranks weigh 1, so 3 + 2 = 5.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 3, "b": 2, "c": 3}}
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c"]}, ["DCG@2", "DCG(discount=log2max)@2"])
        >>> round(result["DCG@2"], 6), result["DCG(discount=log2max)@2"]
        (4.26186, 5.0)

    """
    return discounted_sum(lists, gain_of(lists.relevance, gain), cutoff, discount)
