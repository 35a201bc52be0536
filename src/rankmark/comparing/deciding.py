"""What a gate decides by: figures of values, and how great they could be with some confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from rankmark.aggregation.terms import Terms, resampled_values
from rankmark.errors import DataError, UsageError
from rankmark.statistics.delong import AUCSpread
from rankmark.statistics.intervals import bca_interval, left_out_means
from rankmark.statistics.resampling import Floats

if TYPE_CHECKING:
    from rankmark.aggregation.intervals import Sample, Sampling, Unit

__all__ = ["Bound", "By", "Decider", "Figure", "OfQueries", "OfSamples", "OfSpreads", "OfValues"]

By: TypeAlias = Literal["point", "bca", "delong"]
"""What decides: the estimate alone, or a bound by the bootstrap or by DeLong's variance."""
Figure: TypeAlias = Callable[..., Floats]
"""What may not be too great, of arrays of the values of each system."""


class Bound(NamedTuple):
    """The one-sided upper bound of a figure.

    Attributes:
        value: it is no greater with the confidence asked for.
        by: how it was made.
        resamples: of the bootstrap.

    """

    value: float
    by: By
    resamples: int | None


class Decider(Protocol):
    """A measure's values of one system or of several, and what else they could be."""

    @property
    def values(self) -> Sequence[float]:
        """One a system."""

    @property
    def units(self) -> int:
        """How many queries or rows they are of."""

    @property
    def unit(self) -> Unit:
        """Which of the two."""

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """The bound of a figure of the values."""


@dataclass(frozen=True)
class OfQueries:
    """By what queries add to each value, on the same queries."""

    terms: Sequence[Terms]
    draws: Mapping[str, Any]
    unit: Unit = "queries"

    @property
    def values(self) -> list[float]:
        """As `Decider.values`."""
        return [each.value() for each in self.terms]

    @property
    def units(self) -> int:
        """As `Decider.units`."""
        return len(self.terms[0].above)

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`, by the bootstrap."""
        resampled = figure(*(each[:, 0] for each in resampled_values(self.terms, **self.draws)))
        left_out = figure(*(left_out_means(each.linear()) for each in self.terms))
        return _bootstrapped(resampled, _estimate(figure, self.values), left_out, confidence)


@dataclass(frozen=True)
class OfSamples:
    """By rows or queries of predictions that are drawn again."""

    values: Sequence[float]
    samples: Sequence[Sample]
    sampling: Sampling
    unit: Unit

    @property
    def units(self) -> int:
        """As `Decider.units`."""
        return self.samples[0].units

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`, by the bootstrap."""
        drawn = [each.drawn(self.sampling) for each in self.samples]
        resampled, left_out = (figure(*each) for each in zip(*drawn, strict=True))
        # Where too few rows of a class are drawn, there is no value.
        kept = (values[~np.isnan(values)] for values in (resampled, left_out))
        return _bootstrapped(next(kept), _estimate(figure, self.values), next(kept), confidence)


@dataclass(frozen=True)
class OfSpreads:
    """By what rows move each AUC."""

    spreads: Sequence[AUCSpread]
    units: int
    unit: Unit

    @property
    def values(self) -> list[float]:
        """As `Decider.values`."""
        return [each.auc for each in self.spreads]

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`, by DeLong's variance and, of shares, the delta method."""
        values = np.array(self.values)
        steps = 1e-6 * np.eye(len(values))
        slopes = [float(figure(*(values + s)) - figure(*(values - s))) / 2e-6 for s in steps]
        moved = AUCSpread.combined(_estimate(figure, values), self.spreads, slopes)
        return Bound(moved.bound(confidence), "delong", None)


@dataclass(frozen=True)
class OfValues:
    """By values alone, such as those of a saved result of predictions."""

    values: Sequence[float]
    units: int
    unit: Unit

    def upper(self, figure: Figure, confidence: float) -> Bound:  # noqa: ARG002 - there is none
        """None: what they could be is not known.

        Raises:
            UsageError: always.

        """
        raise UsageError(
            "a saved result of predictions has values and no rows to draw: leave out the confidence, or give "
            "the baseline's table"
        )


def _estimate(figure: Figure, values: Sequence[float] | Floats) -> float:
    return float(figure(*map(np.asarray, values)))


def _bootstrapped(resampled: Floats, estimate: float, left_out: Floats, confidence: float) -> Bound:
    """The upper end of the interval that leaves as much out on both sides."""
    if len(resampled) < 2 or len(left_out) < 2 or not np.isfinite(resampled).all():
        raise DataError(
            "some resamples have no value, or those of the baseline one of 0; give max_drop as a number"
        )
    ends = bca_interval(resampled, estimate, left_out, confidence=2 * confidence - 1)
    return Bound(ends.high, "bca", len(resampled))
