"""infNDCG."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.gains import Gain, gain_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.kinds.samples import Strata
from rankmark.language.registry import item_measure


@item_measure(
    "infNDCG",
    aliases=("infnDCG", "inferred_nDCG"),
    bounds=(0, None),
    needs=("strata",),
    order="top",
    undefined="nothing relevant",
)
def inferred_ndcg(lists: RecommendedLists, *, cutoff: int | None = None, gain: Gain = "linear") -> Values:
    """Inferred nDCG: nDCG estimated from a sample of each stratum of a pool.

        infNDCG@k = D̂ / Î
        D̂ = Σ_s (d_s / ñ_s) Σ_{i≤k, i in s} gain(rel_i) / log₂(i + 1)
        Î = Σ_{i≤k} gain(g_i) / log₂(i + 1)

    d_s items among the first k are of stratum s of the pool, ñ_s of them sampled. ``g_i`` are the grades of
    the best order, in which each grade g stands as often as is estimated, ⌊Σ_s r_s(g) · N_s / n_s + ½⌋
    times: of the N_s items of stratum s n_s were sampled, and r_s(g) of these have that grade. An item of
    the pool that was not sampled has a negative grade in the judgements (-1); one that is not in the
    judgements is not in the pool.

    Args:
        gain: ``linear`` is the grade itself (sample_eval), ``exp2`` is 2^grade − 1; a mapping gives each
            grade its gain; from Python any function of a grade.

    Needs: judgements of a sample with the stratum of each item: a column ``stratum``, or TREC judgements of
    five fields, ``query iter item stratum relevance``.

    Range: from 0; an estimate can exceed 1. With all of the pool judged it is nDCG.
    No relevant item (Î = 0): decided by `no_relevant`.
    NIST's sample_eval, whose rounding since 2011 this is, ends lists after rank 1000: ``infNDCG@1000``.

    Source: [yilmazkanoulas2008].

    Example:
        Of four items of one stratum a and d were judged: a, of grade 2, at rank 1, and three of the pool in
        the list, two of them sampled: D̂ = 3/2 · 2. Two of grade 2 are estimated: Î = 2 + 2 / log₂3 = 3.26186.

        >>> import rankmark as rm
        >>> rows = [("a", 2), ("b", -1), ("c", -1), ("d", 0)]
        >>> qrels = [{"query": "q", "item": i, "stratum": "1", "relevance": g} for i, g in rows]
        >>> round(rm.evaluate(qrels, {"q": ["a", "b", "d"]}, "infNDCG")["infNDCG"], 6)
        0.919721

    """
    found = Strata(lists.top(cutoff))
    judged = found.grade >= 0
    gains = np.where(judged, np.maximum(gain_of(np.maximum(found.grade, 0.0), gain), 0.0), 0.0)
    strata = len(found.of)
    each = np.bincount(found.stratum, gains / np.log2(found.rank + 1.0), strata)
    here, seen = np.bincount(found.stratum, minlength=strata), np.bincount(found.stratum, judged, strata)
    share = np.divide(here, seen, out=np.zeros(strata), where=seen > 0)
    dcg = np.bincount(found.of, each * share, found.queries)
    ideal = _ideal(found, gain, cutoff)
    return ratio(dcg, ideal, ideal)


def _ideal(found: Strata, gain: Gain, cutoff: int | None) -> Values:
    """What the best order of as many items of each grade as are estimated would have; one a query."""
    grades = np.unique(found.pool_grade[found.pool_grade > 0])
    gains = gain_of(grades, gain)
    counts = [np.floor(found.estimated(found.pool_grade == grade) + 0.5) for grade in grades]
    ideal, above = np.zeros(found.queries), np.zeros(found.queries, dtype=np.int64)
    deepest = int(sum(count.max(initial=0) for count in counts))
    upto = np.concatenate(([0.0], np.cumsum(1 / np.log2(np.arange(1, deepest + 1) + 1.0))))
    last = deepest if cutoff is None else min(cutoff, deepest)
    for place in np.argsort(-gains, kind="stable"):
        if gains[place] <= 0:
            continue
        end = above + counts[place].astype(np.int64)
        ideal += gains[place] * (upto[np.minimum(end, last)] - upto[np.minimum(above, last)])
        above = end
    return ideal
