"""AP."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.errors import MeasureError
from rankmark.kinds.lists import JudgedLists, Values, compiled_hits, ratio
from rankmark.language.registry import list_measure


@list_measure(
    "AP",
    aliases=(
        "MAP",
        "map_cut",
        "average_precision",
        "mean_average_precision",
        "LRAP",
        "label_ranking_average_precision",
        "ranking_average_precision",
    ),
    variants={"TAP": {"denominator": "min"}},
    bounds=(0, 1),
    expected=lambda given: given["denominator"] != "hits",
    compiled=compiled_hits("precisions", denominator="relevant"),
    extremes="counts",
)
def average_precision(
    lists: JudgedLists,
    *,
    cutoff: int | None = None,
    rel: float = 1,
    denominator: Literal["relevant", "min", "retrieved", "cutoff", "hits"] = "relevant",
) -> Values:
    """Average precision: the mean, over the relevant items, of the precision at each one's rank.

        AP@k = (1/D) Σ_{i≤k} [rel_i ≥ rel] · P@i

    ``rel_i`` is the grade of the item at rank i, P@i the share of relevant items among the first i.
    Items that are not retrieved contribute 0. Its mean over queries is MAP.

    Args:
        rel: the least grade that counts as relevant; an unjudged item never does.
        denominator: D. With R relevant items, n retrieved and cutoff k: ``relevant`` is R (trec_eval
            and most of search), ``min`` is min(R, k), so that a full list of k hits scores 1 (RecBole,
            RePlay, LightGBM), ``retrieved`` is min(R, n, k) (LensKit), ``cutoff`` is k, ``hits`` is the
            number of hits found: it does not punish what was missed (torchmetrics).

    Range: 0 to 1.
    No relevant item: decided by `no_relevant`.
    Equal scores under ``ties="expected"``: the mean over all orders, in closed form (McSherry & Najork
    2008), except with ``denominator=hits``, which has none. scikit-learn's label ranking average
    precision (LRAP) is AP too, but gives tied items all the last rank of the tie.

    Source: [buckley2000].

    Example:
        Relevant items at ranks 1, 4, 5 and 6: (1/1 + 2/4 + 3/5 + 4/6) / 4 = 0.691667.

        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 1, "d": 1, "e": 1, "f": 1}}
        >>> run = {"q": ["a", "b", "c", "d", "e", "f"]}
        >>> result = rm.evaluate(qrels, run, ["AP", "AP@3", "AP(denominator=min)@3"])
        >>> [round(value, 6) for value in result.values.values()]
        [0.691667, 0.25, 0.333333]

    """
    hits = lists.hits(rel).top(cutoff)
    total = hits.sum(hits.precision(cutoff))
    relevant = lists.relevant(rel)
    if denominator == "relevant":
        return ratio(total, relevant, relevant)
    if denominator == "hits":
        return ratio(total, hits.count(), relevant)
    if denominator == "cutoff":
        if cutoff is None:
            raise MeasureError("AP(denominator=cutoff) needs a cutoff, as in AP(denominator=cutoff)@10")
        return ratio(total, cutoff, relevant)
    most = lists.length(cutoff) if denominator == "retrieved" else np.inf if cutoff is None else cutoff
    return ratio(total, np.minimum(relevant, most), relevant)
