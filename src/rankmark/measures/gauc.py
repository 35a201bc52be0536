"""GAUC."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark.measure import row_measure
from rankmark.rows import PerQuery, Rows


@row_measure(
    "GAUC",
    aliases=("group_auc", "grouped_auc", "user_auc"),
    variants={"avgAUC": {"weight": "uniform"}, "uAUC": {"weight": "uniform"}},
    bounds=(0, 1),
    cite="zhu2017",
    labels="binary",
    per_query=True,
)
def group_auc(rows: Rows, *, weight: Literal["impressions", "clicks", "uniform"] = "impressions") -> PerQuery:
    """Group AUC: the mean of the AUC of each query (user, session, impression).

        GAUC = Σ_q v_q · AUC_q / Σ_q v_q

    q runs over the queries that have rows of both classes; AUC_q is the AUC of the rows of q.

    Args:
        weight: v, what a query counts for: its ``impressions``, the weight of its rows (the DIN paper,
            FuxiCTR's gAUC); its ``clicks``, the weight of its positive rows (RecBole); or ``uniform``, the
            same as any other (FuxiCTR's avgAUC).

    Range: 0 to 1; 1/2 is what chance gives.
    Queries of one class have no AUC: they are left out and counted. Without any other: undefined.

    Source: H. Zhu et al., "Optimized cost per click in Taobao display advertising", KDD 2017; G. Zhou et al.,
    "Deep interest network for click-through rate prediction", KDD 2018.

    Example:
        User a has an AUC of 1 over 2 rows, b of 1/2 over 3 rows (of two pairs one is in order), and c no
        click: (2 · 1 + 3 · 1/2) / 5, and with equal weights (1 + 1/2) / 2.

        >>> import rankmark as rm
        >>> table = {
        ...     "user_id": ["a", "a", "b", "b", "b", "c"],
        ...     "click": [1, 0, 1, 0, 0, 0],
        ...     "score": [0.9, 0.2, 0.5, 0.7, 0.1, 0.3],
        ... }
        >>> rm.evaluate_predictions(table, ["GAUC", "GAUC(weight=uniform)"]).values
        {'GAUC': 0.7, 'GAUC(weight=uniform)': 0.75}

    """
    queries = rows.queries
    weights = {
        "impressions": queries.weight,
        "clicks": queries.positive,
        "uniform": np.ones(len(queries.rows)),
    }
    return PerQuery(queries.auc, weights[weight], skipped="of one class")
