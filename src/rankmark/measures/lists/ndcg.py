"""nDCG."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.gains import CumulatedGain, Discount, compiled_gains, discounted_sum, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.language.registry import list_measure


@list_measure(
    "nDCG",
    aliases=("ndcg_cut", "MSnDCG", "normalized_dcg"),
    variants={"ndcg_burges": {"gain": "exp2"}},
    bounds=(0, 1),
    compiled=compiled_gains,
    extremes=lambda given: "gains" if isinstance(given["ideal"], str) else "ends",
)
def ndcg(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    gain: CumulatedGain = "linear",
    discount: Discount = "log2",
    ideal: Literal["judged", "retrieved"] | Sequence[float] = "judged",
) -> Values:
    """Normalised discounted cumulated gain: DCG as a share of what the best order would have.

        nDCG@k = DCG@k / IDCG@k
        DCG@k = Σ_{i≤k} gain(rel_i) · discount(i)

    ``rel_i`` is the grade of the item at rank i, 0 if it is not judged; IDCG is the DCG of the ideal
    list. Tools differ in all three choices below, and all of them print "NDCG@k".

    Args:
        gain: ``linear`` is the grade itself (trec_eval, scikit-learn), ``exp2`` is 2^grade − 1 (Burges
            et al. 2005; LightGBM, TF-Ranking), ``binary`` is 1 for every grade above 0 (RecBole, RePlay,
            LensKit); a mapping such as ``{1:3,2:9}`` gives each grade its gain, and a judged grade other
            than 0 that it lacks is an error; from Python any function of a grade. Unjudged items gain
            nothing, nor do negative grades unless a mapping or a function says so.
        discount: ``log2`` is 1/log₂(i + 1); ``log2max`` is 1/log₂(max(i, 2)), by which ranks 1 and 2
            weigh the same (Järvelin & Kekäläinen 2002; LensKit; NTCIREVAL's nDCG, whereas its
            MSnDCG has ``log2``); a number b above 1 is 1/log_b(i + 1).
        ideal: ``judged`` is the best order of all judged items, retrieved or not; ``retrieved`` the
            best order of the judged items that the list holds, at whatever rank: what one gets from
            tools that are only handed the returned items, and right only for fixed candidate lists; a
            list of grades is itself the ideal list, the same for every query.

    Range: 0 to 1 with an ideal of judged items; an ideal given by the caller can be beaten.
    No relevant item (IDCG = 0): decided by `no_relevant`. With ``ideal=retrieved`` this includes lists
    that hold nothing relevant.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form (McSherry &
    Najork 2008).

    Source: [jarvelin2002]; [burges2005].

    Example:
        Grades 3, 2, 3, 0, 1, 2 in rank order, all judged items retrieved: DCG = 6.861127 and IDCG =
        7.140995.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 3, "b": 2, "c": 3, "d": 0, "e": 1, "f": 2}}
        >>> run = {"q": ["a", "b", "c", "d", "e", "f"]}
        >>> result = rm.evaluate(qrels, run, ["nDCG", "nDCG(gain=exp2)@3"])
        >>> round(result["nDCG"], 6), round(result["nDCG(gain=exp2)@3"], 6)
        (0.960808, 0.959454)

    """
    dcg = discounted_sum(lists, gain_of(lists.relevance, gain), cutoff, discount)
    best = _ideal_list(lists, ideal)
    gains = gain_of(best.relevance, gain)
    if ideal != "judged" or not isinstance(gain, str):  # else they descend as the grades do
        gains = best.descending(gains)
    idcg = discounted_sum(best, gains, cutoff, discount)
    return ratio(dcg, idcg, relevant=idcg)


def _ideal_list(lists: JudgedLists, ideal: Literal["judged", "retrieved"] | Sequence[float]) -> JudgedLists:
    if ideal == "judged":
        return lists.ideal
    if ideal == "retrieved":
        return lists.perfect(lists.relevance, lists.offsets)
    grades = np.array(ideal, dtype=np.float64)
    queries = len(lists.retrieved)
    return lists.perfect(np.tile(grades, queries), np.arange(queries + 1) * len(grades))
