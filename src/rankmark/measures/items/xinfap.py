"""xinfAP."""

from __future__ import annotations

from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values, ratio
from rankmark.kinds.samples import Strata
from rankmark.language.registry import item_measure

EPSILON = 1e-5


@item_measure(
    "xinfAP",
    aliases=("extended_infAP",),
    bounds=(0, None),
    needs=("strata",),
    order="top",
    undefined="nothing relevant",
)
def extended_inferred_average_precision(
    lists: RecommendedLists, *, cutoff: int | None = None, rel: float = 1
) -> Values:
    """Extended inferred average precision: AP estimated from a sample of each stratum of a pool.

        xinfAP@k = (1/R̂) Σ_{i≤k} [rel_i ≥ rel] · (N_s / n_s) · P̂_i,  R̂ = Σ_s r_s · N_s / n_s
        P̂_i = 1/i + (1/i) Σ_t d_t · (r̃_t + ε) / (ñ_t + 3ε)

    ``rel_i`` is the grade of the item at rank i, and s its stratum, of whose N_s items n_s were sampled and
    r_s of these are relevant. Above rank i stand d_t items of stratum t, ñ_t of them sampled and r̃_t
    relevant; ε = 0.00001. An item of the pool that was not sampled has a negative grade in the judgements
    (-1); one that is not in the judgements is not in the pool, and counts as not relevant.

    Args:
        rel: the least grade that counts as relevant.

    Needs: judgements of a sample with the stratum of each item: a column ``stratum``, or TREC judgements of
    five fields, ``query iter item stratum relevance``.

    Range: from 0; an estimate can exceed 1. With all of the pool judged it is AP (but for ε).
    No relevant item: decided by `no_relevant`.
    NIST's sample_eval calls it infAP; it ends lists after rank 1000, which is ``xinfAP@1000``.

    Source: [yilmazkanoulas2008]; with ε as in sample_eval.

    Example:
        The first stratum is judged wholly, of the four items of the second two: c is relevant, d is not, so
        that two are estimated to be. R̂ = 1 + 1 · 4/2 = 3. At rank 1 a: 1. At rank 3 c, above it a and b,
        which was not sampled: 1/3 + (1 · 1 + 1 · ε / 3ε) / 3 = 0.777778, and c stands for 4/2 items:
        (1 + 2 · 0.777778) / 3.

        >>> import rankmark as rm
        >>> rows = [("a", "1", 1), ("b", "2", -1), ("c", "2", 1), ("d", "2", 0), ("e", "2", -1)]
        >>> qrels = [{"query": "q", "item": i, "stratum": s, "relevance": g} for i, s, g in rows]
        >>> result = rm.evaluate(qrels, {"q": ["a", "b", "c", "d"]}, "xinfAP")
        >>> round(result["xinfAP"], 4)
        0.8518

    """
    found = Strata(lists.top(cutoff))
    hit = found.grade >= rel
    relevant = found.estimated(found.pool_grade >= rel)
    precision = (1 + found.above(hit, EPSILON, 3 * EPSILON)) / found.rank
    return ratio(found.sum(hit * precision * found.weight[found.stratum]), relevant, relevant)
