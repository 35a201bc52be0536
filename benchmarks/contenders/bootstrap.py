"""Confidence intervals of ten measures' means: the BCa bootstrap, from per-query values that are ready."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

import rankmark as rm
from benchmarks.contenders import MANY, Call, Contender, Means
from benchmarks.data import Data

TEN = MANY[:10]
RESAMPLES = 10_000
TOLERANCE = 0.3
"""Of ends of intervals in standard errors, from other resamples: twice what chance does to 500 queries."""

Floats = NDArray[np.float64]


def rankmark(data: Data) -> Call:
    """All measures from the same resamples."""
    values = _values(data)

    def work() -> Means:
        from rankmark.statistics import bca_interval, bootstrap_means
        from rankmark.statistics.intervals import left_out_means

        resampled = bootstrap_means(values, resamples=RESAMPLES)
        return _ends(
            values,
            (
                bca_interval(drawn, float(own.mean()), left_out_means(own))
                for drawn, own in zip(resampled.T, values.T, strict=True)
            ),
        )

    return work


def scipy(data: Data) -> Call:
    """All measures from the same resamples, as many at a time as 100 MB hold."""
    values = _values(data)
    batch = max(1, 100_000_000 // (8 * values.size))

    def work() -> Means:
        from scipy.stats import bootstrap

        found = bootstrap(
            (values.T,),
            np.mean,
            axis=-1,
            vectorized=True,
            n_resamples=RESAMPLES,
            method="BCa",
            batch=batch,
            rng=0,
        )
        low, high = found.confidence_interval
        return _ends(values, zip(low, high, strict=True))

    return work


def _values(data: Data) -> Floats:
    result = rm.evaluate(data.qrels, data.run, TEN)
    return np.column_stack([result.query_values(measure) for measure in TEN])


def _ends(values: Floats, intervals: Iterable[tuple[float, float]]) -> Means:
    """The ends as standard errors from the mean, so that one tolerance is right for all."""
    means, errors = values.mean(axis=0), values.std(axis=0) / np.sqrt(len(values))
    return {
        f"{measure} {side}": float((end - mean) / error)
        for measure, interval, mean, error in zip(TEN, intervals, means, errors, strict=True)
        for side, end in zip(("low", "high"), interval, strict=True)
    }


RANKMARK = Contender("rankmark", rankmark)
SCIPY = Contender("SciPy", scipy, "scipy", most_rows=500_000)
