"""Effect sizes: how much, where a p-value says how surely."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rankmark.statistics.resampling import known
from rankmark.statistics.significance import signs
from rankmark.statistics.spread import standard_deviation

__all__ = ["cliffs_delta", "cohens_d", "probability_of_superiority"]


def cohens_d(differences: ArrayLike) -> float:
    """Cohen's d of paired differences (d_z): mean / standard deviation (n − 1); NaN without spread.

    Source:
        J. Cohen, "Statistical Power Analysis for the Behavioral Sciences", 1988, section 2.3.5.

    """
    own, _ = known(differences)
    deviation = standard_deviation(own)
    return float(own.mean()) / deviation if deviation > 0 else math.nan


def cliffs_delta(values: ArrayLike, baseline: ArrayLike) -> float:
    """Cliff's δ: (#(x > y) − #(x < y)) / (n·m) over all pairs of a value x and a baseline's y; −1 to 1.

    It compares the two distributions and does not pair the queries; NaN is left out.

    Source:
        N. Cliff, "Dominance statistics: ordinal analyses to answer ordinal questions", 1993.

    """
    x, y = known(values)[0], np.sort(known(baseline)[0])
    if not len(x) or not len(y):
        return math.nan
    below, up_to = np.searchsorted(y, x, side="left"), np.searchsorted(y, x, side="right")
    return float((below.sum() - (len(y) - up_to).sum()) / (len(x) * len(y)))


def probability_of_superiority(differences: ArrayLike) -> float:
    """The share of queries with a difference above 0, and half of those with none; 0 to 1, 0.5 for no effect.

    Source:
        R. J. Grissom and J. J. Kim, "Effect Sizes for Research", 2012.

    """
    own = signs(known(differences)[0])
    return float((own.mean() + 1) / 2) if len(own) else math.nan
