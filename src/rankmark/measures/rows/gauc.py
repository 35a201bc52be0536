"""GAUC."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.errors import MeasureError
from rankmark.kinds.decisions import share
from rankmark.kinds.rows import PerQuery, Rows, Values
from rankmark.language.parameters import Column
from rankmark.language.registry import row_measure


@row_measure(
    "GAUC",
    aliases=("group_auc", "grouped_auc", "user_auc"),
    variants={"avgAUC": {"weight": "uniform"}, "uAUC": {"weight": "uniform"}},
    bounds=(0, 1),
    labels="binary",
    per_query=True,
)
def group_auc(
    rows: Rows,
    *,
    weight: Literal["impressions", "clicks", "uniform"] | Column = "impressions",
    of_rows: Literal["sum", "mean"] = "sum",
) -> PerQuery:
    """Group AUC: the mean of the AUC of each query (user, session, impression).

        GAUC = Σ_q v_q · AUC_q / Σ_q v_q

    q runs over the queries that have rows of both classes; AUC_q is the AUC of the rows of q.

    Args:
        weight: v, what a query counts for: its ``impressions``, the weight of its rows (the DIN paper,
            FuxiCTR's gAUC); its ``clicks``, the weight of its positive rows (RecBole); ``uniform``, the
            same as any other (FuxiCTR's avgAUC); or else a column of the table, of numbers from 0, such as
            ``weight=spend``, in quotes if it is not one word, ``weight='ad spend'``.
        of_rows: what of that column counts over the rows of a query: their ``sum``, Σ w·c, as with
            impressions and clicks; or their ``mean``, Σ w·c / Σ w, for what is one value of the query that
            each of its rows has.

    Range: 0 to 1; 1/2 is what chance gives.
    Queries of one class have no AUC: they are left out and counted. Without any other: undefined.

    Source: [zhu2017]; [zhou2018].

    Example:
        User a has an AUC of 1 over 2 rows, and b of 1/2 over 3 rows (of two pairs one is in order); c has no
        click. That is (2 · 1 + 3 · 1/2) / 5, and with equal weights (1 + 1/2) / 2; since a spent 6 and b 2,
        with these (6 · 1 + 2 · 1/2) / 8.

        >>> import rankmark as rm
        >>> table = {
        ...     "user_id": ["a", "a", "b", "b", "b", "c"],
        ...     "click": [1, 0, 1, 0, 0, 0],
        ...     "score": [0.9, 0.2, 0.5, 0.7, 0.1, 0.3],
        ...     "spend": [4, 2, 1, 0, 1, 9],
        ... }
        >>> rm.evaluate_predictions(table, ["GAUC", "GAUC(weight=uniform)", "GAUC(weight=spend)"]).values
        {'GAUC': 0.7, 'GAUC(weight=uniform)': 0.75, 'GAUC(weight=spend)': 0.875}

    """
    if weight in ("impressions", "clicks", "uniform") and of_rows != "sum":
        raise MeasureError(f"GAUC: of_rows={of_rows} is of a column, and weight={weight} is none")
    return PerQuery(rows.queries.auc, _weights(rows, weight, of_rows), skipped="of one class")


def _weights(rows: Rows, weight: str, of_rows: str) -> Values:
    queries = rows.queries
    if weight == "impressions":
        return queries.weight
    if weight == "clicks":
        return queries.positive
    if weight == "uniform":
        return np.ones(len(queries.rows))
    totals = rows.query_totals(weight)
    return totals if of_rows == "sum" else share(totals, queries.weight)
