"""statAP."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.aspects import sums
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.kinds.samples import Sampled
from rankmark.language.registry import item_measure


@item_measure(
    "statAP",
    bounds=(0, None),
    needs=("probabilities",),
    order="top",
    undefined="nothing relevant",
)
def statistical_average_precision(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    itself: Literal["once", "weighted"] = "once",
) -> Values:
    """Statistical average precision: AP estimated from items that were sampled with known probabilities.

        statAP@k = (1/R̂) Σ_{i≤k} [rel_i ≥ rel] · P̂_i / π_i,  R̂ = Σ_d [rel_d ≥ rel] / π_d
        P̂_i = (1/i) (w_i + Σ_{j<i} [rel_j ≥ rel] / π_j)

    ``rel_i`` is the grade of the item at rank i and π_i the probability with which it was sampled to be
    judged (Horvitz–Thompson). Sums are over sampled items alone. An item with the probability 0 was judged
    but not sampled, and does not count.

    Args:
        rel: the least grade that counts as relevant.
        itself: what the item at rank i counts in the precision there, w_i: ``once`` 1, since it is there
            whenever it is sampled (π_ii = π_i among pairs), so that Σ P̂_i / π_i has no bias where items are
            sampled independently; ``weighted`` 1/π_i, as every other, which is too much by (1/π_i − 1) / i.

    Needs: judgements of a sample with the probability of each item: a column ``inclusion_probability``, or
    lines of the Million Query tracks, ``query item relevance method probability``.

    Range: from 0; an estimate can exceed 1. With all probabilities 1 it is AP.
    No relevant item: decided by `no_relevant`. As a quotient of two estimates it is biased where few relevant
    items are sampled.

    Source: [aslam2007].

    Example:
        a was sampled with probability 1, c with ½: R̂ = 1 + 2. At rank 1 the precision is 1, at rank 3
        (1 + 1) / 3: (1/1 + (2/3) / ½) / 3 = 7/9. Weighted there as well, c makes (1 + 2) / 3 of it: 1.

        >>> import rankmark as rm
        >>> rows = [("a", 1, 1.0), ("b", 0, 1.0), ("c", 1, 0.5)]
        >>> names = ["query", "item", "relevance", "inclusion_probability"]
        >>> qrels = [dict(zip(names, ("q", *row))) for row in rows]
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c"]}, ["statAP", "statAP(itself=weighted)"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.777778, 1.0]

    """
    found = Sampled(lists.top(cutoff))
    chance = found.lists.facts.aspects().weight
    weight = np.divide(1.0, chance, out=np.zeros(len(chance)), where=chance > 0)
    relevant = sums(found.pool_query, weight * (found.pool_grade >= rel), found.queries)
    own = weight[found.row] * (found.grade >= rel)
    above = found.running(own) - own
    precision = (above + (np.ones(len(own)) if itself == "once" else own)) / found.rank
    return ratio(found.sum(own * precision), relevant, relevant)
