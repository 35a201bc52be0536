"""Sums of columns and of their products, which merge, and ratios of them with standard errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.statistics.exact_sums import exact, total
from rankmark.statistics.resampling import Clusters, Floats, cluster_totals, resampled_sums

__all__ = ["Moments", "Ratios", "Spread", "resampled_values"]

Ratios: TypeAlias = "tuple[tuple[int, int], ...]"
"""Σⱼ (sum of one column) / (sum of another), by the numbers of the columns. Column 0 is 1 in every row."""

PARTS = 64
"""Numbers that may add up to a sum before they are made few."""
BITS = 45
"""Bits of a float that a bin of `Spread` leaves open: its ends are less than 0.8% apart."""
TOP = 0.01
"""The share of the largest weights that is looked at."""


@dataclass(slots=True)
class Spread:
    """How the sizes of numbers spread: in bins of a hundredth, which merge.

    Attributes:
        counts: how many there are in each bin.
        sums: what they add up to.
        largest: the largest.

    """

    counts: dict[int, int] = field(default_factory=dict)
    sums: dict[int, float] = field(default_factory=dict)
    largest: float = 0.0

    @classmethod
    def of(cls, values: Floats) -> Spread:
        """That of some numbers, whatever their signs."""
        sizes = np.abs(values)
        place = sizes.view(np.int64) >> BITS  # fewer than 2¹⁹
        counts, sums = np.bincount(place), np.bincount(place, sizes)
        own = np.flatnonzero(counts)
        return cls(
            dict(zip(own.tolist(), counts[own].tolist(), strict=True)),
            dict(zip(own.tolist(), sums[own].tolist(), strict=True)),
            float(sizes.max(initial=0.0)),
        )

    def add(self, other: Spread) -> None:
        """Takes in other numbers."""
        for own, others in ((self.counts, other.counts), (self.sums, other.sums)):
            for place, number in others.items():
                own[place] = own.get(place, 0) + number  # type: ignore[assignment]
        self.largest = max(self.largest, other.largest)

    def top_share(self) -> float:
        """How much of their sum the largest hundredth has, one number at least; NaN of nothing but 0.

        Of the bin in which the hundredth ends, numbers count alike, which are so to 0.8%.
        """
        whole = math.fsum(self.sums.values())
        if not whole:
            return math.nan
        left = max(1, math.ceil(TOP * sum(self.counts.values())))
        share = 0.0
        for place in sorted(self.counts, reverse=True):
            taken = min(left, self.counts[place])
            share += self.sums[place] * taken / self.counts[place]
            left -= taken
            if not left:
                break
        return share / whole


class _Found(NamedTuple):
    """The value of ratios, and by how much each column moves it."""

    value: float
    slopes: Floats


@dataclass(slots=True)
class Moments:
    """What the rows of some columns come to; the first column is 1.

    The parts of a table, however it was cut, merge into the same sums, bit for bit; products are the same to
    rounding.

    Attributes:
        rows: how many there are.
        units: how many rows stand for themselves, or clusters of them.
        sums: that of each column, as a few numbers that add up to it.
        products: those of every two columns, added up over the units, of which each is the sum of its rows.

    """

    rows: int
    units: int
    sums: list[list[float]]
    products: Floats

    @classmethod
    def of(cls, columns: Floats, clusters: Clusters = None) -> Moments:
        """Those of a table, [rows, columns], whose first column is 1."""
        units = columns if clusters is None else cluster_totals(columns, np.asarray(clusters))[0]
        return cls(len(columns), len(units), [exact(each) for each in columns.T], units.T @ units)

    def add(self, other: Moments) -> None:
        """Takes in other rows, of other units."""
        self.rows += other.rows
        self.units += other.units
        self.sums = [one + two for one, two in zip(self.sums, other.sums, strict=True)]
        if any(len(each) > PARTS for each in self.sums):
            self.sums = [exact(np.array(each)) for each in self.sums]
        self.products = self.products + other.products

    def regroup(self, units: Floats) -> None:
        """Takes the rows for these units, [units, columns], of which each is the sum of its rows."""
        self.units, self.products = len(units), units.T @ units

    def to_record(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "rows": self.rows,
            "units": self.units,
            "sums": self.sums,
            "products": self.products.tolist(),
        }

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Moments:
        """What was sent as JSON."""
        return cls(**{**record, "products": np.array(record["products"])})

    def total(self, column: int) -> float:
        """The sum of a column, rounded once."""
        return total(self.sums[column])

    def value(self, ratios: Ratios) -> float:
        """What ratios come to; NaN where one has nothing below."""
        return self._found(ratios).value

    def covariance(self, one: Ratios, other: Ratios) -> float:
        """That of what two come to, linearised: n/(n − 1) · Σ u·v over the n units, u = Σⱼ (a − A/B·b)/B.

        NaN of fewer than two units.

        Source:
            W. G. Cochran, "Sampling Techniques", 1977, section 6.3.

        """
        if self.units < 2:
            return math.nan
        slopes, others = self._found(one).slopes, self._found(other).slopes
        scale = np.sqrt(np.maximum(np.diag(self.products), 0.0))
        reach = float((np.abs(slopes) * scale).sum() * (np.abs(others) * scale).sum())
        found = float(slopes @ self.products @ others)
        # Values that are alike leave nothing but rounding.
        return 0.0 if abs(found) <= 1e-14 * reach else found * self.units / (self.units - 1)

    def error(self, ratios: Ratios, less: Ratios = ()) -> float:
        """The standard error of what ratios come to, or of how much more that is than what others do."""
        spread = self.covariance(ratios, ratios)
        if less:
            spread += self.covariance(less, less) - 2 * self.covariance(ratios, less)
        return math.sqrt(max(spread, 0.0)) if not math.isnan(spread) else math.nan

    def effective(self, *columns: int) -> float:
        """Kish's effective number of units weighed by the sum of columns, (Σ w)² / Σ w²; 0 where all is 0."""
        squares = float(self.products[np.ix_(columns, columns)].sum())
        return math.fsum(map(self.total, columns)) ** 2 / squares if squares > 0 else 0.0

    def _found(self, ratios: Ratios) -> _Found:
        slopes, values = np.zeros(len(self.sums)), []
        for above, below in ratios:
            divisor = self.total(below)
            if not divisor:
                return _Found(math.nan, np.full(len(self.sums), math.nan))
            value = self.total(above) / divisor
            values.append(value)
            slopes[above] += 1 / divisor
            slopes[below] -= value / divisor
        return _Found(math.fsum(values), slopes)


def _values_of(sums: Floats, ratios: Ratios) -> Floats:
    """What ratios come to by sums of columns, [resamples, columns]; NaN where one has nothing below."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = [sums[:, above] / sums[:, below] for above, below in ratios]
    return np.asarray(np.sum(parts, axis=0))


def resampled_values(
    units: Floats, asked: Sequence[Ratios], resamples: int, seed: int, threads: int | None
) -> list[NDArray[np.float64]]:
    """What each comes to in resamples of the units, [units, columns], drawn with replacement."""
    sums = resampled_sums(np.ascontiguousarray(units), resamples, seed, threads)
    return [_values_of(sums, ratios) for ratios in asked]
