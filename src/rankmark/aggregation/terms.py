"""What each query adds to a measure's value, so that it can be had again of other queries.

The value of n queries of values v is, by the measure:

- their mean, Σ v / n;
- a ratio of sums, Σ a / Σ b, such as a mean that weighs its queries;
- their sum, Σ v;
- their geometric mean, exp(Σ log max(v, 0.00001) / n);
- no mean of them, such as their median, which only `Terms.value` gives;
- of the whole run, such as its coverage, to which blocks of queries add; see `whole_runs`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark import _native
from rankmark.aggregation.settled import LEAST_FACTOR, settled_as
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError
from rankmark.statistics.summaries import SUMMARIES, Summary

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.language.measure import Measure
    from rankmark.statistics.intervals import Bounds
    from rankmark.statistics.resampling import Clusters, Floats

__all__ = ["BEYOND", "Terms", "Whole", "exchangeable", "resampled_values"]

BEYOND = 1e-9
"""So much a value is beyond its measure's bounds by the rounding of whoever computed it."""


class Whole(NamedTuple):
    """What is of a whole run.

    Attributes:
        values: that of each seed.
        queries: of how many queries it is.

    """

    values: tuple[float, ...]
    queries: int


@dataclass(frozen=True, slots=True)
class Terms:
    """What the queries add to a measure's value, by each seed of a system.

    Attributes:
        measure: what was measured.
        above: [queries, seeds]: a of a ratio, the logarithm of v for a geometric mean, else v.
            NaN where a query is left out.
        below: b of a ratio, alike; None for any other.
        whole: of a measure of the whole run its values, to which blocks of queries add `above`; else None.

    """

    measure: Measure
    above: Floats
    below: Floats | None = None
    whole: Whole | None = None

    @classmethod
    def of(cls, measure: Measure, values: Floats, parts: tuple[Floats, Floats] | None) -> Terms:
        """Those of one result.

        Args:
            measure: what was measured.
            values: [queries]; NaN where one is left out.
            parts: the numerators and the denominators of a ratio.

        """
        left_out = np.isnan(values)
        if parts is not None:
            above, below = (np.where(left_out, np.nan, part)[:, None] for part in parts)
            return cls(measure, above, below)
        if measure.mean == "geometric":
            values = np.log(np.maximum(values, LEAST_FACTOR))
        return cls(measure, values[:, None])

    @classmethod
    def of_seeds(cls, seeds: Sequence[Terms]) -> Terms:
        """Those of several seeds of one system, on the same queries."""
        above = np.column_stack([each.above for each in seeds])
        below = [each.below for each in seeds if each.below is not None]
        wholes = [each.whole for each in seeds if each.whole is not None]
        whole = Whole(tuple(v for each in wholes for v in each.values), wholes[0].queries) if wholes else None
        return cls(seeds[0].measure, above, np.column_stack(below) if below else None, whole)

    @property
    def there(self) -> NDArray[np.bool_]:
        """The queries that have a value by every seed, or blocks of them."""
        return np.asarray(~np.isnan(self.above).any(axis=1))

    @property
    def queries(self) -> int:
        """How many queries they are of."""
        return len(self.above) if self.whole is None else self.whole.queries

    def at(self, rows: slice | NDArray[Any]) -> Terms:
        """Those of some queries, or blocks of them."""
        if isinstance(rows, np.ndarray) and rows.dtype == np.bool_ and rows.all() and self._in_rows:
            return self
        places = np.flatnonzero(rows) if isinstance(rows, np.ndarray) and rows.dtype == np.bool_ else rows
        below = None if self.below is None else _rows_of(self.below, places)
        return Terms(self.measure, _rows_of(self.above, places), below, self.whole)

    @property
    def _in_rows(self) -> bool:
        """Whether the numbers lie as those that are taken out do, on which the order of sums depends."""
        return all(each is None or each.flags.c_contiguous for each in (self.above, self.below))

    def joined(self, other: Terms) -> Terms:
        """Those of these queries and of others that have values."""
        parts = [each.at(each.there) for each in (self, other)]
        below = [each.below for each in parts if each.below is not None]
        above = np.concatenate([each.above for each in parts])
        return Terms(self.measure, above, np.concatenate(below) if below else None)

    def value(self) -> float:
        """The measure's value, of queries that all have one: the mean over seeds; NaN of no queries."""
        return float(np.mean(self.seed_values()))

    def seed_values(self) -> list[float]:
        """The same of each seed."""
        return [self._of_seed(seed) for seed in range(self.above.shape[1])]

    def _of_seed(self, seed: int) -> float:
        if self.whole is not None:
            return self.whole.values[seed]
        if not len(self.above):
            return math.nan
        if self.summary:
            return self.summary.of(self.above[:, seed])
        columns = [self.above] if self.below is None else [self.above, self.below]
        sums = [_native.exact_sum(np.ascontiguousarray(each[:, seed])) for each in columns]
        return settled_as(self.measure, sums, len(self.above), geometric=self._geometric)

    def linear(self) -> Floats:
        """One number a query: the mean over seeds of `linear_by_seed`."""
        return _over_seeds(self.linear_by_seed())

    def leverage(self) -> Floats | None:
        """How much of a ratio each query stands for, b / Σ b, the mean over seeds; None of any other."""
        if self.below is None or not self.below.sum(axis=0).all():
            return None
        return np.asarray((self.below / self.below.sum(axis=0)).mean(axis=1))

    def linear_by_seed(self) -> Floats:
        """One number a query and seed, whose mean is the seed's value and whose spread that of the value.

        Its linearisation: v of a mean; n·v of a sum; R + (a − R·b) / b̄ of a ratio R; G + G·(l − l̄) of a
        geometric mean G with logarithms l.

        Source:
            W. G. Cochran, "Sampling Techniques", 1977, chapter 6.

        """
        if self.summary:
            raise self.no_mean()
        if not len(self.above):
            return np.empty(self.above.shape)
        if self.below is not None:
            ratio = self.above.sum(axis=0) / self.below.sum(axis=0)
            return np.asarray(ratio + (self.above - ratio * self.below) / self.below.mean(axis=0))
        if self._geometric:
            mean = self.above.mean(axis=0)
            return np.asarray(np.exp(mean) * (1 + self.above - mean))
        return self.above * self._scale

    @property
    def summary(self) -> Summary | None:
        """What the value is of the queries' values, if it is no mean of them."""
        return SUMMARIES.get(self.measure.mean)

    def no_mean(self) -> MeasureError:
        """The error where a mean is needed."""
        return MeasureError(
            f"{self.measure} is no mean over queries: it has an interval in `evaluate`, and is neither "
            "compared, tested nor resampled; ask for the mean, too"
        )

    def logarithms(self) -> Floats | None:
        """Those of the values, of which a geometric mean of one seed is made; None for any other."""
        return self.above[:, 0] if self._geometric and self.above.shape[1] == 1 else None

    def linear_of(self, value: float) -> float:
        """What `linear` is of one more query with this value; of a ratio it weighs as much as any here."""
        if self.below is not None:
            ratio = self.above.sum(axis=0) / self.below.sum(axis=0)
            own = ratio + (value - ratio) * self.below.max(axis=0) / self.below.mean(axis=0)
        elif self._geometric:
            mean = self.above.mean(axis=0)
            own = np.exp(mean) * (1 + math.log(max(value, LEAST_FACTOR)) - mean)
        else:
            return value * self._scale
        return float(own.mean())

    def reach(self, other: Terms, ends: tuple[float, float]) -> float:
        """How far `linear` of one more query can be from that of another system, of values between ends."""
        low, high = ends
        ways = ((high, low), (low, high))
        return max(abs(self.linear_of(one) - other.linear_of(another)) for one, another in ways)

    def of_means(self, above: Floats, below: Floats | None) -> Floats:
        """The values of resamples, of the mean terms in each."""
        if self.summary:
            raise self.no_mean()
        if below is not None:
            return np.asarray(above / below)
        return np.exp(above) if self._geometric else above * self._scale

    @property
    def bounds(self) -> Bounds:
        """Between which ends the value is, of any queries; None where there is none.

        They are those of the measure, but for sums, and for values computed elsewhere that lie beyond them,
        such as those in per cent.
        """
        bounds = self.measure.bounds
        if self.whole is not None:
            return bounds
        above = np.exp(self.above) if self._geometric else self.above
        below = 1.0 if self.below is None else self.below
        farthest = (above, above)
        if self.below is None:  # the least and the greatest tell it of all
            least = np.fmin.reduce(above, axis=None, initial=np.inf)
            farthest = (least, np.fmax.reduce(above, axis=None, initial=-np.inf))
        beyond = (
            end is not None and np.any(sign * (own - end * below) > BEYOND)
            for sign, end, own in zip((-1, 1), bounds, farthest, strict=True)
        )
        return (None, None) if self.measure.page.aggregate == "sum" or any(beyond) else bounds

    @property
    def is_mean(self) -> bool:
        """Whether the value is the mean of the queries' values."""
        return self.below is None and not self._geometric and self.measure.page.aggregate != "sum"

    @property
    def _geometric(self) -> bool:
        return self.measure.mean == "geometric"

    @property
    def _scale(self) -> int:
        return len(self.above) if self.measure.page.aggregate == "sum" else 1


def _over_seeds(values: Floats) -> Floats:
    """The mean of each row."""
    # The mean of one is that one, and 0 for -0; NumPy takes far longer to say so.
    return values[:, 0] + 0.0 if values.shape[1] == 1 else np.asarray(values.mean(axis=1))


def _rows_of(values: Floats, rows: slice | NDArray[Any]) -> Floats:
    """Some rows; `take` is several times as fast as an index."""
    return values[rows] if isinstance(rows, slice) else values.take(rows, axis=0)


def exchangeable(systems: Sequence[Terms]) -> list[Floats]:
    """One number a query and system, alike in sum where the systems' values are, for tests that swap systems.

    Of a ratio (a − R·b) / b̄ + R, with R that of all systems together, so that it is a / b̄ where all have the
    same denominators; of others the terms themselves. The mean over seeds.
    """
    for each in systems:
        if each.summary:
            raise each.no_mean()
    above = [_over_seeds(each.above) for each in systems]
    below = [_over_seeds(each.below) for each in systems if each.below is not None]
    if not below:
        return above
    there = ~np.isnan(np.sum(above, axis=0))
    whole = float(np.sum([each[there] for each in below]))
    if not whole:
        return above
    ratio = float(np.sum([each[there] for each in above])) / whole
    mean = whole / (len(below) * np.count_nonzero(there))
    return [ratio + (a - ratio * b) / mean for a, b in zip(above, below, strict=True)]


def resampled_values(terms: Sequence[Terms], clusters: Clusters = None, **draws: Any) -> Iterator[Floats]:
    """The values of resamples of the queries, which all share: of each [resamples, seeds].

    Args:
        terms: NaN where a query is left out.
        clusters: see `bootstrap_means`.
        **draws: ``resamples``, ``seed`` and ``threads``.

    """
    from rankmark.statistics.resampling import bootstrap_means

    columns = [part for each in terms for part in (each.above, each.below) if part is not None]
    means = bootstrap_means(np.column_stack(columns), clusters=clusters, **draws)
    parts = iter(np.split(means, np.cumsum([part.shape[1] for part in columns])[:-1], axis=1))
    for each in terms:
        above = next(parts)
        kept = each.at(each.there)
        yield kept.of_means(above, None if each.below is None else next(parts))
