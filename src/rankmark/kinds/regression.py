"""What measures of predicted numbers, such as ratings, share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np

from rankmark.kinds.rows import PerQuery, Rows, Undefined, Values

__all__ = ["Average", "check_both_vary", "check_unweighted", "is_macro", "query_means"]

Average: TypeAlias = Literal["micro", "macro"]
"""Whether a measure sums over all rows, or is the mean of the values of the queries."""


def is_macro(arguments: Mapping[str, Any]) -> bool:
    """Whether a measure with these arguments is a mean over queries, and needs them."""
    return bool(arguments["average"] == "macro")


def query_means(sums: Values, rows: Rows, skipped: str = "without a weight") -> PerQuery:
    """The means of each query, of sums over its rows; each query counts the same."""
    weights = rows.query_errors.weights
    means = np.divide(sums, weights, out=np.full(len(sums), np.nan), where=weights > 0)
    return PerQuery(means, np.ones(len(means)), skipped)


def check_both_vary(labels: bool, scores: bool) -> None:
    """For a correlation.

    Raises:
        Undefined: the labels or the scores do not vary.

    """
    if not labels:
        raise Undefined("every label is the same")
    if not scores:
        raise Undefined("every score is the same")


def check_unweighted(rows: Rows) -> None:
    """For a measure that no weights are defined for.

    Raises:
        Undefined: the rows have weights.

    """
    if rows.weighted:
        raise Undefined("it is not defined for rows with weights")
