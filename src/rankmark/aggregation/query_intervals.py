"""Confidence intervals of measures over queries, from what each query adds to them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from rankmark.aggregation.intervals import PredictionInterval
from rankmark.aggregation.terms import Terms, resampled_values
from rankmark.errors import ChoiceError
from rankmark.statistics.intervals import (
    CAUTIONS,
    INTERVALS,
    Interval,
    IntervalName,
    Made,
    made_interval,
)
from rankmark.statistics.summaries import Quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.intervals import IntervalMethod
    from rankmark.statistics.resampling import Floats

__all__ = ["check_of_run", "interval_of_terms", "made_of_terms"]


def made_of_terms(
    terms: Terms,
    labels: NDArray[Any] | None,
    *,
    method: IntervalName,
    confidence: float,
    draws: Mapping[str, Any],
    together: int = 1,
    resampled: Callable[[], Floats] | None = None,
) -> Made:
    """The interval of a measure's value, over the queries that have one.

    That of the mean of their linearised terms (`Terms.linear`); of a geometric mean that of the mean
    logarithm, of which e to the power is taken. ``bca`` and ``percentile`` are of the values of resamples.

    Args:
        terms: what the queries add to the value.
        labels: the cluster of each query; None where each stands for itself.
        method: which of `INTERVALS`.
        confidence: the share of such intervals that hold the true value, 0 to 1.
        draws: ``resamples``, ``seed`` and ``threads``.
        together: how many intervals are made, as for `made_interval`.
        resampled: gives the values of resamples, where they are known.

    """
    there = terms.there
    if terms.whole is not None:
        return _of_run(terms.at(there), method, confidence)
    own, clusters = terms.at(there), None if labels is None else labels[there]
    if own.summary:
        return _of_summary(own, method, confidence, clustered=labels is not None)
    logarithms = own.logarithms()
    how: dict[str, Any] = {"confidence": confidence, "draws": draws, "together": together}
    if logarithms is None or "resampled" in INTERVALS[method].takes:
        # Ranks that are all 1 are no shares.
        how["differences"] = terms.measure.bounds != (0, 1)
        how["resampled"] = resampled or (
            lambda: next(resampled_values([own], clusters, **draws)).mean(axis=1)
        )
        return made_interval(method, own.linear(), clusters, own.leverage(), bounds=own.bounds, **how)
    made = made_interval(method, logarithms, clusters, differences=True, **how)
    ends = Interval(float(np.exp(made.low)), float(np.exp(made.high))).within(own.bounds)
    return made._replace(**ends._asdict())


def _of_run(terms: Terms, method: IntervalName, confidence: float) -> Made:
    """The interval of what is of the whole run: t over blocks of queries that are left out in turn."""
    return made_interval(
        check_of_run(terms, method), terms.linear(), confidence=confidence, bounds=terms.bounds
    )


def check_of_run(terms: Terms, method: IntervalName) -> IntervalName:
    """The method for what is of the whole run.

    Raises:
        ChoiceError: another was asked for.

    """
    if method not in ("auto", "t"):
        raise ChoiceError(
            f'{terms.measure} is of the whole run: it has no values of queries for "{method}"; take "t", by '
            "what it is without blocks of queries"
        )
    return "t"


def _of_summary(terms: Terms, method: IntervalName, confidence: float, *, clustered: bool) -> Made:
    """The interval of what is no mean."""
    assert terms.summary is not None
    if method != "auto" or clustered:
        raise ChoiceError(f"{terms.measure} is no mean: only intervals=True has one, without clusters")
    ends = terms.summary.interval(terms.above[:, 0], confidence).within(terms.bounds)
    return Made(*ends, "exact" if isinstance(terms.summary, Quantile) else "t")


def interval_of_terms(
    terms: Terms,
    labels: NDArray[Any] | None = None,
    *,
    method: IntervalName = "auto",
    confidence: float = 0.95,
    draws: Mapping[str, Any],
    together: int = 1,
    unit: str = "queries",
) -> PredictionInterval:
    """The same as a record of a result, over what its `unit` says where there are no clusters."""
    made = made_of_terms(terms, labels, method=method, confidence=confidence, draws=draws, together=together)
    units = terms.queries if terms.whole is not None else int(np.count_nonzero(terms.there))
    if labels is not None and terms.whole is not None:
        units = len(np.unique(labels))
    elif labels is not None:
        units = min(len(np.unique(each)) for each in np.atleast_2d(labels[terms.there].T))
    unit = unit if labels is None else "clusters"
    note = CAUTIONS[made.caution] if made.caution else ""
    return PredictionInterval(
        made.low,
        made.high,
        confidence,
        cast("IntervalMethod", made.method if terms.whole is None else "jackknife"),
        unit,
        units,
        made.resamples,
        note=note or (f"the {unit} do not vary, or are too few" if math.isnan(made.low) else ""),
    )
