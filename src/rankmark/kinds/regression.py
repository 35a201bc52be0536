"""What measures of predicted numbers, such as ratings, share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.kinds.rankings import Rankings
from rankmark.kinds.rows import ROUNDING, PerQuery, Rows, Undefined, Values

__all__ = [
    "Average",
    "check_both_vary",
    "check_unweighted",
    "is_of_queries",
    "mean_of",
    "mean_of_rankings",
    "query_means",
    "query_spreads",
]

Average: TypeAlias = Literal["micro", "macro", "weighted"]
"""Whether a measure is of all rows, or the mean of the values of the queries, which count alike or as much as
their rows weigh."""
ALL_THE_SAME = "whose labels or scores are all the same"


def is_of_queries(arguments: Mapping[str, Any]) -> bool:
    """Whether a measure with these arguments is a mean over queries, and needs them."""
    return bool(arguments["average"] != "micro")


def mean_of(values: Values, rows: Rows, average: Average, skipped: str = ALL_THE_SAME) -> PerQuery:
    """The values of the queries, to be averaged."""
    weights = rows.query_errors.weights
    return PerQuery(
        np.where(weights > 0, values, np.nan),
        weights if average == "weighted" else np.ones(len(values)),
        skipped,
    )


def query_means(sums: Values, rows: Rows, average: Average, skipped: str = "without a weight") -> PerQuery:
    """The means of each query, of sums over its rows."""
    weights = rows.query_errors.weights
    means = np.divide(sums, weights, out=np.full(len(sums), np.nan), where=weights > 0)
    return mean_of(means, rows, average, skipped)


def query_spreads(rows: Rows) -> tuple[Values, Values, Values, Values]:
    """`rankmark.kinds.rows.Moments` of each query: of labels, of scores, of both, of errors."""
    by = rows.by_query

    def spread(apart: Values, numbers: Values) -> Values:
        squares = by.sum(by.weight * apart**2)
        # Of numbers that are all the same the mean is off by the rounding of its sum, and no more.
        rounding = by.sum(by.weight * (ROUNDING * numbers) ** 2)
        return np.where(squares <= rounding, 0.0, squares)

    with np.errstate(invalid="ignore"):  # infinite scores leave their query without a value
        label, score, error = (by.apart(each) for each in (by.label, by.score, by.score - by.label))
        both, errors = by.sum(by.weight * label * score), by.sum(by.weight * error**2)
        return spread(label, by.label), spread(score, by.score), both, errors


def mean_of_rankings(rows: Rows, average: Average, value: Callable[[Rankings], Values]) -> PerQuery:
    """What `value` makes of the labels and the scores of each query as two rankings, to be averaged."""
    if rows.weighted:
        without = np.full(len(rows.query_errors.weights), np.nan)
        return mean_of(without, rows, average, "of rows with weights, for which it is not defined")
    by = rows.by_query
    label, score = (np.unique(each, return_inverse=True)[1].astype(np.int64) for each in (by.label, by.score))
    return mean_of(value(Rankings(by.offsets, label, score)), rows, average)


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
