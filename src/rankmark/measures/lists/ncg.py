"""NCG."""

from __future__ import annotations

from typing import Literal

from rankmark.kinds.gains import CumulatedGain, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure("NCG", aliases=("nCG",), bounds=(0, 1), order="set", extremes="gains")
def normalised_cumulated_gain(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    gain: CumulatedGain = "linear",
    ideal: Literal["judged", "retrieved"] = "judged",
) -> Values:
    """Normalised cumulated gain: what the list's items gain, wherever they stand, as a share of the most.

        NCG@k = Σ_{i≤k} gain(rel_i) / Σ_{i≤k} gain(g_i)

    ``rel_i`` is the grade of the item at rank i, 0 if it is not judged; ``g_i`` that of the item at rank i
    of the ideal list. It is nDCG without a discount, and with gains of 0 and 1 recall with at most k to
    find. For the first stage of a search, after which others order what it found.

    Args:
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1, ``binary`` is 1 for every grade above
            0; a mapping such as ``{1:3,2:9}`` gives each grade its gain, and a judged grade other than 0
            that it lacks is an error; from Python any function of a grade. Unjudged items gain nothing, nor
            do negative grades unless a mapping or a function says so.
        ideal: ``judged`` is the best order of all judged items, retrieved or not; ``retrieved`` that of the
            judged items that the list holds, at whatever rank.

    Range: 0 to 1.
    No relevant item (nothing gains anything): decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form.

    Source: [jarvelin2002].

    Example:
        The first two gain 3 + 0, of at most 3 + 2.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 3, "b": 0, "c": 2, "z": 1}}
        >>> rm.evaluate(qrels, {"q": ["a", "b", "c"]}, "NCG@2")["NCG@2"]
        0.6

    """
    gained = lists.sum(gain_of(lists.relevance, gain) * lists.within(cutoff))
    best = lists.ideal if ideal == "judged" else lists.perfect(lists.relevance, lists.offsets)
    gains = best.descending(gain_of(best.relevance, gain))
    most = best.sum(gains * best.within(cutoff))
    return ratio(gained, most, most)
