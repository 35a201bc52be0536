"""nERR-IA."""

from __future__ import annotations

from rankmark.kinds.aspects import Alpha, Ideal, share_of_ideal
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.language.registry import item_measure


@item_measure(
    "nERR_IA",
    aliases=("nERRIA",),
    bounds=(0, None),
    needs=("aspects",),
    order="top",
    undefined="nothing relevant",
)
def nerr_ia(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    alpha: Alpha = 0.5,
    ideal: Ideal = "greedy",
) -> Values:
    """Normalised intent-aware ERR: ERR-IA as a share of what a list has that covers aspects early.

        nERR_IA@k = ERR-IA@k / ERR-IA*@k

    `ERR_IA` says what items gain, and ERR-IA* is that of the ideal list of `alpha_nDCG`, which has at each
    rank the judged item that gains most after those above it.

    Args:
        rel: the least grade that counts as relevant to an aspect.
        alpha: the chance that a relevant item satisfies.
        ideal: ``greedy`` (ndeval), or ``exact``, which is looked for among all lists, and refused where a
            query has too many.

    Needs: judgements of aspects (subtopics, intents); aspects to which nothing is relevant are left out.

    Range: 0 to 1, or a little above where another list than the ideal one has more.
    No relevant item: decided by `no_relevant`.

    Source: [chapelle2011]; [clarke2011].

    Example:
        a gains 2 and b, a second time for aspect 1, ½ / 2; the ideal list has a and c: 2.25 / 2.5.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": {"1": 1, "2": 1}, "b": {"1": 1}, "c": {"3": 1}}}
        >>> rm.evaluate(qrels, {"q": ["a", "b"]}, "nERR_IA@2")["nERR_IA@2"]
        0.9

    """
    return share_of_ideal(lists, cutoff, rel, alpha, ideal, lambda ranks: 1 / ranks)
