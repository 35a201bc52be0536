"""NCU."""

from __future__ import annotations

from typing import Annotated, Literal

from rankmark import _numpy as np
from rankmark.kinds.gains import Beta, Gain, blended_ratio, gain_of
from rankmark.kinds.lists import JudgedLists, Values, ratio
from rankmark.kinds.ranges import Between
from rankmark.language.registry import list_measure


@list_measure(
    "NCU",
    variants={
        "NCUgu,P": {"stop": "graded", "utility": "precision"},
        "NCUgu,BR": {"stop": "graded", "utility": "blended"},
        "NCUrb,P": {"stop": "geometric", "utility": "precision"},
        "NCUrb,BR": {"stop": "geometric", "utility": "blended"},
    },
    bounds=(0, 1),
    expected=False,
)
def normalised_cumulative_utility(
    lists: JudgedLists,
    *,
    stop: Literal["graded", "geometric", "uniform"] = "graded",
    utility: Literal["blended", "precision"] = "blended",
    gain: Gain = "linear",
    beta: Beta = 1,
    p: Annotated[float, Between(0, 1)] = 0.95,
) -> Values:
    """Normalised cumulative utility: the utility expected by readers who each stop at some relevant item.

        NCU = Σ_i Pr(i) · U(i)

    Pr(i) is the share of readers who stop at rank i, where a relevant item is, U(i) how useful the list
    is down to there. Those who would stop at an item that was not retrieved get nothing. An item is
    relevant if it gains anything.

    Args:
        stop: Pr(i). ``graded`` is gain_i / Σ_d gain_d, over all relevant items d ("gu" in NTCIREVAL);
            ``geometric`` is p^(C(i)−1) / Σ_{j≤R} p^(j−1), where the item is the C(i)-th relevant one of
            the list and R the number of relevant items ("rb"); ``uniform`` is 1/R.
        utility: U(i). ``blended`` is BR(i) = (C(i) + β · cg(i)) / (i + β · cg*(i)), where cg(i) is what
            the first i items gain together and cg*(i) what the first i of the best order would;
            ``precision`` is C(i) / i. With ``stop=uniform`` they give Q-measure and average precision.
        gain: ``linear`` is the grade itself, ``exp2`` is 2^grade − 1; a mapping gives each grade its
            gain; from Python any function of a grade.
        beta: β, how much gains weigh beside hits in the blended ratio.
        p: of ``stop=geometric``, the chance to go on from a relevant item.

    Range: 0 to 1. Under ``stop=graded`` the best order need not have the highest value.
    No relevant item: decided by `no_relevant`.
    Equal scores: no closed form of the mean over all orders.

    Source: [sakai2008].

    Example:
        Grade 1 at rank 1 and grade 2 at rank 4: (1/3) · (1/1) + (2/3) · (2/4).

        >>> import rankmark as rm
        >>> measure = "NCU(utility=precision)"
        >>> round(rm.evaluate({"q": {"a": 1, "d": 2}}, {"q": ["a", "b", "c", "d"]}, measure)[measure], 6)
        0.666667

    """
    blended, gains = blended_ratio(lists, gain, beta)
    possible = np.maximum(gain_of(lists.ideal.relevance, gain), 0.0)
    relevant = lists.ideal.sum(possible > 0)
    found = lists.running_sum(gains > 0)
    if stop == "graded":
        share, whole = gains, lists.ideal.sum(possible)
    elif stop == "geometric":
        share, whole = np.power(p, found - 1), (1 - np.power(p, relevant)) / (1 - p)
    else:
        share, whole = np.ones(len(gains)), relevant
    useful = blended if utility == "blended" else found / lists.rank
    return ratio(lists.sum(share * useful * (gains > 0)), whole, relevant)
