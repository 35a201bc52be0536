"""Kendall."""

from __future__ import annotations

import math

from rankmark.kinds.rankings import tau_b
from rankmark.kinds.regression import (
    Average,
    check_both_vary,
    check_unweighted,
    is_of_queries,
    mean_of_rankings,
)
from rankmark.kinds.rows import PerQuery, Rows
from rankmark.language.registry import row_measure


@row_measure(
    "Kendall",
    aliases=("kendalltau", "kendall_tau", "tau_b"),
    bounds=(-1, 1),
    labels="numbers",
    per_query=is_of_queries,
)
def kendall(rows: Rows, *, average: Average = "micro") -> float | PerQuery:
    """Kendall's rank correlation τ_b of labels and scores: pairs of rows in order against those that are not.

        Kendall = (C − D) / √((C + D + T_y) · (C + D + T_s))

    C counts the pairs of rows in which the greater label has the greater score, D those in which it has the
    smaller one, T_y those in which only the labels are equal, and T_s those in which only the scores are.

    Args:
        average: ``micro`` is of all rows; ``macro`` is the mean of the values of the queries, and
            ``weighted`` counts each query as much as its rows weigh. Queries without a value are left out
            and counted.

    Range: −1 to 1; 0 is what chance gives.
    Every label, or every score, the same, or rows with weights: undefined.

    Source: [kendall1945].

    Example:
        Two pairs are in order and one is not: (2 − 1) / 3.

        >>> import rankmark as rm
        >>> table = {"rating": [1, 2, 3], "pred": [0.1, 0.9, 0.4]}
        >>> round(rm.evaluate_predictions(table, ["Kendall"])["Kendall"], 6)
        0.333333

    """
    if average != "micro":
        return mean_of_rankings(rows, average, tau_b)
    check_unweighted(rows)
    concordant, discordant, tied_labels, tied_scores = rows.correlation.pairs
    ordered = concordant + discordant
    check_both_vary(ordered + tied_scores > 0, ordered + tied_labels > 0)
    return (concordant - discordant) / math.sqrt((ordered + tied_labels) * (ordered + tied_scores))
