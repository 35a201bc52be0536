"""What values come to besides their mean: quantiles, the standard deviation, the trimmed mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.statistics.spread import standard_deviation

if TYPE_CHECKING:
    from rankmark.statistics.intervals import Interval
    from rankmark.statistics.resampling import Floats

__all__ = ["SUMMARIES", "Deviation", "Quantile", "Summary", "TrimmedMean"]


@dataclass(frozen=True, slots=True)
class Summary:
    """One number of values, which is no mean of them.

    Attributes:
        title: what it is called in sentences.

    """

    title: str

    def of(self, values: Floats) -> float:
        """That of values without NaN; NaN of none."""
        raise NotImplementedError

    def interval(self, values: Floats, confidence: float) -> Interval:
        """Its confidence interval; NaN where there are too few values."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Quantile(Summary):
    """The quantile of a share of the values, between the two nearest by their distance.

    Its interval is from one value to another, by their ranks, which the number of values below the true
    quantile decides (binomial): it holds this at least as often as it says, however values are distributed.

    Attributes:
        share: 0 to 1.

    Source:
        R. J. Hyndman, Y. Fan, "Sample quantiles in statistical packages", The American Statistician 50, 1996,
        definition 7; W. J. Conover, "Practical Nonparametric Statistics", 1999, section 3.2.

    """

    share: float

    def of(self, values: Floats) -> float:
        """As `Summary.of`."""
        return float(np.quantile(values, self.share)) if len(values) else math.nan

    def interval(self, values: Floats, confidence: float) -> Interval:
        """As `Summary.interval`; NaN where no two values are far enough apart."""
        from rankmark.statistics.intervals import Interval

        ends = self.ends(values, (1 - confidence) / 2)
        return ends if all(map(math.isfinite, ends)) else Interval(math.nan, math.nan)

    def ends(self, values: Floats, chance: float) -> Interval:
        """A lower and an upper bound, each wrong with at most this chance; infinite of too few values."""
        from scipy import stats

        from rankmark.statistics.intervals import Interval

        count = len(values)
        below = stats.binom(count, self.share)
        # The greatest rank with P(B < rank) ≤ chance, and the least with P(B ≥ rank) ≤ chance.
        ranks = np.arange(1, count + 1)
        low, high = ranks[below.cdf(ranks - 1) <= chance], ranks[below.sf(ranks - 1) <= chance]
        ordered = np.sort(values)
        return Interval(
            float(ordered[low[-1] - 1]) if len(low) else -math.inf,
            float(ordered[high[0] - 1]) if len(high) else math.inf,
        )


@dataclass(frozen=True, slots=True)
class Deviation(Summary):
    """The standard deviation √(Σ(x − x̄)² / (n − 1)); its interval is by t of its linearised terms."""

    def of(self, values: Floats) -> float:
        """As `Summary.of`; NaN of fewer than two."""
        return standard_deviation(values)

    def interval(self, values: Floats, confidence: float) -> Interval:
        """As `Summary.interval`."""
        from rankmark.statistics.intervals import Interval, t_interval

        deviation = standard_deviation(values)
        if not deviation > 0:
            return Interval(math.nan, math.nan)
        squares = (values - values.mean()) ** 2
        low, high = t_interval((squares - squares.mean()) / (2 * deviation), confidence=confidence)
        return Interval(max(deviation + low, 0.0), deviation + high)


@dataclass(frozen=True, slots=True)
class TrimmedMean(Summary):
    """The mean without the least and the greatest values: a share at either end, rounded down.

    Its interval is T ± t·s_w / ((1 − 2·share)·√n), s_w the standard deviation of the values in which those
    left out are as the nearest that is not, t of as many values as are left.

    Attributes:
        cut: the share at either end, below a half.

    Source:
        J. W. Tukey, D. H. McLaughlin, "Less vulnerable confidence and significance procedures for location
        based on a single sample", Sankhyā A 25, 1963.

    """

    cut: float

    def of(self, values: Floats) -> float:
        """As `Summary.of`."""
        out = int(self.cut * len(values))
        return float(np.sort(values)[out : len(values) - out].mean()) if len(values) else math.nan

    def interval(self, values: Floats, confidence: float) -> Interval:
        """As `Summary.interval`."""
        from scipy import special

        from rankmark.statistics.intervals import Interval

        count = len(values)
        out = int(self.cut * count)
        if count - 2 * out < 2:
            return Interval(math.nan, math.nan)
        ordered = np.sort(values)
        kept = np.clip(ordered, ordered[out], ordered[count - out - 1])
        error = standard_deviation(kept) / ((1 - 2 * out / count) * math.sqrt(count))
        reach = float(special.stdtrit(count - 2 * out - 1, (1 + confidence) / 2)) * error
        value = self.of(values)
        return Interval(value - reach, value + reach)


SUMMARIES: Mapping[str, Summary] = MappingProxyType(
    {
        "median": Quantile("the median", 0.5),
        **{
            f"q{share:02}": Quantile(f"the {share}% quantile", share / 100)
            for share in (5, 10, 25, 75, 90, 95)
        },
        "std": Deviation("the standard deviation"),
        "trimmed": TrimmedMean("the mean without a tenth at either end", 0.1),
    }
)
"""What ``mean=`` can be besides a mean."""
