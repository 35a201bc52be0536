"""Confidence intervals of measures of predictions.

What stands for itself are queries where there is a column of them, and else rows: rows of a query are alike.
AUC has DeLong's interval, a share of rows Wilson's, a mean over queries that of `rankmark.evaluate`. Any
other function of sums over rows is computed without each unit in turn. What is none is computed again from
rows that are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from rankmark.aggregation.terms import Terms
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError
from rankmark.forking import need_polars_threads
from rankmark.kinds.calibration import binned
from rankmark.kinds.row_core import NotMergedError, Sum, SumsAlone
from rankmark.kinds.rows import PerQuery, Rows, Undefined
from rankmark.language.measure import Measure
from rankmark.rendering.records import record_html
from rankmark.rendering.words import resamples_words
from rankmark.statistics.calibration import DRAWS, Calibrated, Gaps
from rankmark.statistics.delong import AreaInterval, AUCDifference, AUCSpread, auc_spread
from rankmark.statistics.intervals import (
    CAUTIONS,
    INTERVALS,
    Caution,
    Interval,
    bca_interval,
    made_interval,
    percentile_interval,
    wilson_interval,
)
from rankmark.statistics.jackknife import all_at_bound, jackknife_interval
from rankmark.statistics.resampling import Floats, check_drawn, check_share, resampled_sums
from rankmark.statistics.spread import without_rounding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.inputs.predictions.labelled import Predictions

__all__ = [
    "FEWEST",
    "FEWEST_DRAWN",
    "LEFT_OUT",
    "METHODS",
    "ROWS",
    "STEP",
    "UPWARD",
    "Drawn",
    "IntervalMethod",
    "Labelled",
    "OfGaps",
    "OfRows",
    "OfShare",
    "OfSums",
    "PredictionInterval",
    "Sample",
    "Sampling",
    "Units",
    "bootstrapped",
    "cleared",
    "explained",
    "interval_of",
    "is_auc",
    "numbered",
    "of_queries",
    "of_values",
    "paired",
    "samples",
    "slopes_of",
    "way",
    "ways_of",
]

IntervalMethod = Literal[
    "delong-logit",
    "delong-t",
    "delong",
    "wilson",
    "exact",
    "tango",
    "t",
    "studentised",
    "jackknife",
    "delta",
    "bca",
    "percentile",
    "gaps",
    "none",
]
METHODS: tuple[IntervalMethod, ...] = (
    "delong-logit",
    "delong",
    "wilson",
    "jackknife",
    "delta",
    "bca",
    "percentile",
)
"""Intervals of values that can be asked for."""

RESAMPLES = 10_000
LEAST, MOST, ROWS = 200, 1_000, 20_000_000
"""Resamples of a measure that is computed again for each: as many as come to so many rows, within these."""
GROUPS = 10_000
"""Units above which they are drawn in so many random groups: no less right, and quick for any table."""
FEW_KINDS = 8
"""So few kinds of rows there are where a measure is a share of them."""
LEFT_OUT = 200
"""Groups of units that are left out in turn, to know how skewed a measure is."""


class PredictionInterval(NamedTuple):
    """The confidence interval of one measure of predictions.

    Attributes:
        low: the lower end; NaN where there is no interval.
        high: the upper end.
        confidence: the share of such intervals that hold the true value.
        method: which of `METHODS`; or of a mean over queries ``t`` or ``studentised``; ``exact`` where all
            units have the least or the greatest value; ``gaps`` of ECE and ACE; ``none`` of a measure that
            has none.
        unit: what is taken for independent: ``queries``, ``rows`` or ``clusters`` of queries; or what a
            `DerivedResult` is of, such as ``groups``.
        units: how many of them there are; for a measure that is a mean over queries those with a value.
        resamples: how many were drawn; None for a method that draws none.
        undefined: resamples in which the measure has no value, which are left out.
        note: why there is no interval, or why it may hold the true value less often; empty if nothing is.
        calibrated_low: of ECE and ACE, the lower end of what calibrated scores would have on these rows.
        calibrated_high: the upper end.
        calibrated_p: the chance of one as great as the value, if the scores were calibrated.

    """

    low: float
    high: float
    confidence: float
    method: IntervalMethod
    unit: str
    units: int
    resamples: int | None = None
    undefined: int = 0
    note: str = ""
    calibrated_low: float | None = None
    calibrated_high: float | None = None
    calibrated_p: float | None = None

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return record_html(self)


Unit: TypeAlias = Literal["queries", "rows"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How intervals are made.

    Attributes:
        method: None for the usual one of each measure.
        confidence: the share of intervals that hold the true value.
        resamples: how many; None for `RESAMPLES`, fewer for measures that take long.
        seed: of the resamples.
        threads: how many to use; 0 for all cores.

    """

    method: IntervalMethod | None = None
    confidence: float = 0.95
    resamples: int | None = None
    seed: int = 0
    threads: int = 0

    def __post_init__(self) -> None:
        check_share(confidence=self.confidence)
        check_drawn(RESAMPLES if self.resamples is None else self.resamples, self.seed)
        if self.resamples is not None and (made := INTERVALS.get(str(self.method))):
            made.check(self.resamples, self.confidence)

    @property
    def of_queries(self) -> dict[str, Any]:
        """What `query_intervals.interval_of_terms` is told."""
        draws = {"resamples": self.resamples or RESAMPLES, "seed": self.seed, "threads": self.threads or None}
        return {"confidence": self.confidence, "draws": draws}


@dataclass(frozen=True)
class Units:
    """What of a table is drawn: its queries with all their rows, or its rows.

    Attributes:
        count: how many rows it has.
        query: the number of each row's query; None where there is no column of them.

    """

    count: int
    query: NDArray[np.intp] | None

    @property
    def unit(self) -> Unit:
        """What is drawn."""
        return "rows" if self.query is None else "queries"

    @property
    def units(self) -> int:
        """How many of them there are."""
        return self.count if self.query is None else int(self.query.max()) + 1

    def by_unit(self, terms: Floats) -> Floats:
        """Terms of rows, [rows, terms], summed up in each unit."""
        return terms if self.query is None else _by_code(terms, self.query, self.units)

    def rows_of(self, drawn: NDArray[np.intp]) -> NDArray[np.intp]:
        """The numbers of the rows of units, each as often as it is drawn."""
        if self.query is None:
            return drawn
        order, starts, sizes = self._by_query
        own = sizes[drawn]
        place = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
        return np.asarray(order[np.repeat(starts[drawn], own) + place])

    @cached_property
    def _by_query(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """The rows by query, where each begins among them, and how many it has."""
        assert self.query is not None
        sizes = np.bincount(self.query, minlength=self.units)
        return np.argsort(self.query, kind="stable"), np.cumsum(sizes) - sizes, sizes


@dataclass(frozen=True)
class Labelled(Units):
    """The rows of a table as arrays, and what of them is drawn.

    Attributes:
        count: how many there are.
        query: the number of each one's query; None where there is no column of them.
        label: y of labels that are numbers.
        positive: whether a row is positive.
        score: its score.
        weight: its weight.

    """

    label: Floats
    positive: NDArray[np.bool_]
    score: Floats
    weight: Floats

    @classmethod
    def of(cls, read: Predictions) -> Labelled:
        """The rows of a table that was read.

        Raises:
            DataError: rows without a query.

        """
        import polars as pl

        columns, frame = read.columns, pl.DataFrame(read.table)
        label = frame[columns.label].cast(pl.Float64).to_numpy()
        positive = label == (1.0 if read.positive is None else read.positive)
        weight = frame[columns.weight].cast(pl.Float64).to_numpy() if columns.weight else np.ones(len(label))
        score = frame[columns.score].cast(pl.Float64).to_numpy()
        query = numbered(frame, columns.query, read.name)
        return cls(len(label), query, label, positive, score, weight)

    def spread(self) -> AUCSpread:
        """The AUC and what moves it."""
        return auc_spread(self.positive, self.score, self.weight, self.query)

    def apart(self, inside: NDArray[np.bool_], confidence: float) -> AUCDifference | None:
        """The AUC of some rows less that of the others; None where one of them has rows of one class."""
        weights = self.weight * inside, self.weight * ~inside
        classes = self.positive, ~self.positive
        if any(not (own * of).any() for own in weights for of in classes):
            return None
        if self.query is None or self.units == self.count:
            one, other = (
                auc_spread(self.positive[of], self.score[of], self.weight[of], None)
                for of in (inside, ~inside)
            )
            return one.apart_from(other, confidence, "two-sided")
        one, other = (auc_spread(self.positive, self.score, own, self.query) for own in weights)
        return one.apart_from(other, confidence, "two-sided")


def numbered(frame: Any, query: str | None, name: str) -> NDArray[np.intp] | None:
    """The number of each row's query; None without a column of them.

    Raises:
        DataError: rows without a query.

    """
    if query is None:
        return None
    if nulls := frame[query].null_count():
        count = "1 null" if nulls == 1 else f"{nulls:,} nulls"
        raise DataError(
            f"{name}: the query column {query!r} has {count}, and intervals draw queries; give each row one"
        )
    need_polars_threads()
    return np.asarray(frame[query].rank("dense").to_numpy(), dtype=np.intp) - 1


def _by_code(terms: Floats, codes: NDArray[np.intp], count: int) -> Floats:
    return np.column_stack([np.bincount(codes, column, count) for column in terms.T])


# --- A value that can be drawn again ------------------------------------------------------------------


class Drawn(NamedTuple):
    """Values of resamples, NaN where there is none, and those with groups of units left out."""

    resampled: Floats
    left_out: Floats


class Sample:
    """A measure's value, which can be had of other units than those of the table.

    Attributes:
        value: that of the table.
        units: how many units it has.

    """

    value: float
    units: int

    def __init__(self) -> None:
        self._known: dict[Sampling, Drawn] = {}

    def drawn(self, sampling: Sampling) -> Drawn:
        """The values of resamples, and those without each of some groups of units; drawn once."""
        if sampling not in self._known:
            with np.errstate(invalid="ignore", divide="ignore"):  # what has no value is NaN
                self._known[sampling] = self._drawn(sampling)
        return self._known[sampling]

    def _drawn(self, sampling: Sampling) -> Drawn:
        raise NotImplementedError

    @property
    def zeros_and_ones(self) -> Floats | None:
        """What the value is the mean of, if that is 0 and 1, of the rows that have a value of their own."""
        return None

    def error(self) -> float:
        """The standard error by the delta method; NaN where there is none."""
        raise NotImplementedError

    @property
    def swaps(self) -> bool:
        """Whether `differences` change sign unit by unit where the two systems are swapped there."""
        return False

    def moves(self, sampling: Sampling) -> Floats:
        """What each unit, or random group of units, moves the value by, together 0; NaN if unknown."""
        raise NotImplementedError

    def differences(self, other: Sample, sampling: Sampling) -> Floats:
        """One number a unit, for paired tests of the difference from another value of the same units.

        Their mean is that difference (but for curvature), their spread is its spread, and where the systems
        are swapped they have the other sign.
        """
        values = np.array([self.value, other.value])
        moves = without_rounding(self.moves(sampling) - other.moves(sampling), values)
        return without_rounding(values[:1] - values[1], values) + len(moves) * moves


class OfSums(Sample):
    """A value that is a function of sums over units.

    Attributes:
        terms: what each unit adds to each sum, [units, sums].
        value_of: the value, of sums; NaN where there is none.
        places: the numbers of the units among all that there are; None if these are all.
        means: the units' own values, if the value is their mean.
        queries: what the queries add to the value, if these are the units.

    """

    def __init__(
        self,
        terms: Floats,
        value_of: Callable[[Floats], float],
        places: NDArray[np.intp] | None = None,
        means: Floats | None = None,
        queries: Terms | None = None,
    ) -> None:
        super().__init__()
        self.terms, self.value_of, self.places, self.means = terms, value_of, places, means
        self.queries = queries
        self.value = value_of(terms.sum(axis=0))
        self.units = len(terms)

    def _drawn(self, sampling: Sampling) -> Drawn:
        terms = self._grouped(GROUPS, sampling.seed)
        resamples = sampling.resamples or RESAMPLES
        sums = resampled_sums(np.ascontiguousarray(terms), resamples, sampling.seed, sampling.threads)
        without = terms.sum(axis=0) - self._grouped(LEFT_OUT, sampling.seed)
        return Drawn(*(np.array([self.value_of(each) for each in of]) for of in (sums, without)))

    def _grouped(self, most: int, seed: int) -> Floats:
        codes = _groups(self.units, most, seed)
        return self.terms if codes is None else _by_code(self.terms, codes, most)

    def error(self) -> float:
        """√(n/(n − 1) · Σ u²), u = Σ_k ∂f/∂S_k · (t_k − S_k/n) for a unit that adds t_k to the sum S_k."""
        sums = self.terms.sum(axis=0)
        moved = (self.terms - sums / self.units) @ self._slopes(sums)
        return math.sqrt(self.units / (self.units - 1) * float(moved @ moved))

    def moves(self, _: Sampling) -> Floats:
        """As `Sample.moves`, by the derivatives."""
        sums = self.terms.sum(axis=0)
        return np.asarray((self.terms - sums / self.units) @ self._slopes(sums))

    def differences(self, other: Sample, _: Sampling) -> Floats:
        """As `Sample.differences`: n·Σ_k ∂f/∂S_k·(t_k − u_k), for a unit that adds t_k, of the other u_k.

        The derivatives are at the mean of both systems' sums, which stays where units are swapped: without an
        effect each has either sign with the same probability, whatever f is.
        """
        assert isinstance(other, OfSums)
        slopes = self._slopes((self.terms.sum(axis=0) + other.terms.sum(axis=0)) / 2)
        magnitudes = (np.abs(self.terms) + np.abs(other.terms)) @ np.abs(slopes)
        return self.units * cleared((self.terms - other.terms) @ slopes, magnitudes)

    def beside(self, other: OfSums) -> tuple[Floats, Floats]:
        """What each unit of this and of another value of other units moves the value of both together by."""
        terms = np.concatenate([self.terms, other.terms])
        values = len(terms) * (terms @ self._slopes(terms.sum(axis=0)))
        return values[: self.units], values[self.units :]

    def among(self, places: NDArray[np.intp]) -> OfSums:
        """The same of more units, those with these numbers, of which the others add nothing."""
        assert self.places is not None
        terms = np.zeros((len(places), self.terms.shape[1]))
        terms[np.searchsorted(places, self.places)] = self.terms
        return OfSums(terms, self.value_of, places)

    @property
    def swaps(self) -> bool:
        """As `Sample.swaps`: the derivatives stay."""
        return True

    def left_out(self, seed: int) -> Floats:
        """The values without each unit, or each of `GROUPS` random groups of them."""
        terms = self._grouped(GROUPS, seed)
        return np.array([self.value_of(each) for each in terms.sum(axis=0) - terms])

    @cached_property
    def zeros_and_ones(self) -> Floats | None:
        """As `Sample.zeros_and_ones`."""
        found = _few_kinds(self.terms)
        if found is None:
            return None
        kinds, counts = found
        own = np.array([self.value_of(each) for each in kinds])
        there = ~np.isnan(own)
        values = np.repeat(own[there], np.array(counts)[there])
        is_share = len(values) and np.isin(values, (0, 1)).all()
        return values if is_share and math.isclose(values.mean(), self.value, rel_tol=1e-12) else None

    def told(self) -> int:
        """How many units have a value of their own."""
        kinds, counts = np.unique(self.terms, axis=0, return_counts=True)
        return sum(int(n) for each, n in zip(kinds, counts, strict=True) if not np.isnan(self.value_of(each)))

    def _slopes(self, sums: Floats) -> Floats:
        return slopes_of(self.value_of, sums, STEP * np.abs(sums))


STEP = 1e-5
"""The share of a sum by which it is moved for a derivative, for which the digits of both are best used."""


def slopes_of(value_of: Callable[[Floats], float], sums: Floats, steps: Floats) -> Floats:
    """The derivatives of a function of sums by each, as central differences of these steps."""
    slopes = np.zeros(len(sums))
    for place in np.flatnonzero(steps):
        step = np.zeros(len(sums))
        step[place] = steps[place]
        slopes[place] = (value_of(sums + step) - value_of(sums - step)) / (2 * steps[place])
    return slopes


def cleared(apart: Floats, of: Floats) -> Floats:
    """Differences between such magnitudes, by derivatives: those alike to the digits that these have are."""
    apart = without_rounding(apart, of)
    greatest = float(np.abs(apart).max(initial=0.0)) or 1.0
    rounded = np.asarray(greatest * np.round(apart / greatest, 8))
    least = float(np.abs(rounded[rounded != 0]).min(initial=greatest))
    # Counts stay multiples of one, so that their sums tie: a third in eight digits is none of a whole.
    one = greatest / round(greatest / least)
    multiples = np.rint(rounded / one)
    are_counts = np.abs(rounded - one * multiples).max(initial=0.0) <= 1e-8 * greatest
    return np.asarray(one * multiples) if are_counts else rounded


class OfRows(Sample):
    """A value that is computed again from the rows of the units drawn."""

    def __init__(self, rows: Units, value: float, evaluate: Callable[[NDArray[np.intp]], float]) -> None:
        super().__init__()
        self.rows, self.evaluate = rows, evaluate
        self.value = value
        self.units = rows.units
        self._left_out: dict[int, Floats] = {}

    def _drawn(self, sampling: Sampling) -> Drawn:
        random = np.random.default_rng(sampling.seed)
        usual = min(MOST, max(LEAST, ROWS // self.rows.count))
        draws = (random.integers(self.units, size=self.units) for _ in range(sampling.resamples or usual))
        return Drawn(self._values(draws), self.left_out(sampling.seed))

    def left_out(self, seed: int) -> Floats:
        """The values without each unit, or each of `LEFT_OUT` random groups of units; computed once."""
        if seed not in self._left_out:
            self._left_out[seed] = self._values(self._without(seed))
        return self._left_out[seed]

    def moves(self, sampling: Sampling) -> Floats:
        """As `Sample.moves`, by the jackknife: (g − 1)/g·(mean − value without it) of g units or groups.

        Source:
            B. Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", 1982, chapter 3.

        """
        left_out = self.left_out(sampling.seed)
        groups = len(left_out)
        return np.asarray((left_out.mean() - left_out) * (groups - 1) / groups)

    def _values(self, draws: Iterable[NDArray[np.intp]]) -> Floats:
        return np.array([self.evaluate(self.rows.rows_of(units)) for units in draws])

    def _without(self, seed: int) -> Iterator[NDArray[np.intp]]:
        codes = _groups(self.units, LEFT_OUT, seed)
        codes = np.arange(self.units) if codes is None else codes
        return (np.flatnonzero(codes != group) for group in range(min(self.units, LEFT_OUT)))

    def error(self) -> float:
        """None: the value is no function of sums."""
        return math.nan


class OfShare(OfRows):
    """A share of all rows, which weigh the same."""

    @property
    def zeros_and_ones(self) -> Floats | None:
        """As `Sample.zeros_and_ones`."""
        ones = self.value * self.rows.count
        if abs(ones - round(ones)) > 1e-9 * self.rows.count:  # rows that are right in part
            return None
        return (np.arange(self.rows.count) < round(ones)).astype(np.float64)


class OfGaps(OfRows):
    """An error of calibration that is a mean of what bins are off by."""

    gaps: Gaps

    @classmethod
    def of(
        cls, measure: Measure, value: float, rows: Labelled, core: Rows, evaluate: Callable[..., float]
    ) -> OfRows:
        """As that, if the measure is one."""
        found = cls(rows, value, evaluate)
        asked = measure.arguments
        plain = asked.get("norm", "l1") == "l1" and asked.get("estimator", "plugin") == "plugin"
        if measure.name not in ("ECE", "ACE") or not plain or asked["bins"] == "sweep":
            return OfRows(rows, value, evaluate)
        bins = binned(core, asked["bins"], asked.get("binning", "mass"))
        codes = np.minimum(np.searchsorted(bins.high, rows.score), len(bins.high) - 1)
        shares = bins.share if measure.name == "ECE" else np.full(len(bins.high), 1 / len(bins.high))
        found.gaps = Gaps(codes, rows.score, rows.weight, rows.positive.astype(float), shares, rows.query)
        # Borders of scores in few digits can lie otherwise here.
        return found if math.isclose(found.gaps.error, value, rel_tol=1e-9) else OfRows(rows, value, evaluate)


class OfAUC(OfRows):
    """An AUC, of which DeLong's components say what each unit moves it by."""

    rows: Labelled

    def moves(self, _: Sampling) -> Floats:
        """As `Sample.moves`."""
        spread = self.rows.spread()
        if not spread.alone:
            return spread.ours + spread.theirs
        moved = np.empty(self.rows.count)
        moved[self.rows.positive], moved[~self.rows.positive] = spread.ours, spread.theirs
        return moved


def paired(one: Sample, other: Sample) -> tuple[Sample, Sample]:
    """Two values of the same rows as those of the same units: of those that count for either."""
    if not (isinstance(one, OfSums) and isinstance(other, OfSums)):
        return one, other
    if one.places is None or other.places is None or np.array_equal(one.places, other.places):
        return one, other
    places = np.union1d(one.places, other.places)
    return one.among(places), other.among(places)


def _few_kinds(terms: Floats) -> tuple[list[Floats], list[int]] | None:
    """The rows that there are, and how many of each; None for more than a few kinds."""
    kinds: list[Floats] = []
    counts, left = [], terms
    while len(left) and len(kinds) < FEW_KINDS:
        same = (left == left[0]).all(axis=1)
        kinds.append(left[0])
        counts.append(int(same.sum()))
        left = left[~same]
    return None if len(left) else (kinds, counts)


def _groups(units: int, most: int, seed: int) -> NDArray[np.intp] | None:
    """A random group for each unit, where there are more than so many."""
    if units <= most:
        return None
    return np.asarray(np.random.default_rng(seed).permutation(units) % most)


# --- Which measures are functions of sums -------------------------------------------------------------


class _Terms:
    """The terms of sums over rows, kept as a measure takes them."""

    def __init__(self, rows: Labelled, precision: float) -> None:
        self._rows, self._narrow = rows, precision > 2.0**-52
        self._made: Mapping[str, Callable[..., Floats]] = {
            "binary_sums": self._binary,
            "number_sums": self._numbers,
            "log_loss": self._log_loss,
            "confusion": self._confusion,
        }
        self.kept: dict[Sum, Floats] = {}

    def sums(self, asked: Sum) -> tuple[float, ...]:
        """As the core's; of others the terms are not known."""
        name, arguments = asked
        if name not in self._made:
            raise NotMergedError
        self.kept[asked] = self._made[name](*arguments)
        return tuple(self.kept[asked].sum(axis=0).tolist())

    def _binary(self) -> Floats:
        y = self._rows.positive.astype(float)
        return np.column_stack([self._products(y, (self._rows.score - y) ** 2), y])

    def _numbers(self) -> Floats:
        y, error = self._rows.label, self._rows.score - self._rows.label
        return np.column_stack([self._products(y, error**2), self._rows.weight * np.abs(error)])

    def _log_loss(self, clip: float) -> Floats:
        score = np.clip(self._rows.score, clip, 1 - clip)
        loss = -np.where(self._rows.positive, np.log(score), np.log1p(-score))
        return np.column_stack([self._rows.weight * loss])

    def _confusion(self, threshold: float) -> Floats:
        # In the precision of the scores, as the core compares them.
        least = float(np.float32(threshold)) if self._narrow else threshold
        found, positive = self._rows.score >= least, self._rows.positive
        cells = (found & positive, found & ~positive, ~found & positive, ~found & ~positive)
        return np.column_stack([self._rows.weight * cell for cell in cells])

    def _products(self, y: Floats, squares: Floats) -> Floats:
        score, weight = self._rows.score, self._rows.weight
        return np.column_stack([weight, weight * y, weight * score, weight * squares])


def _of_sums(measure: Measure, rows: Labelled, like: Rows) -> OfSums | None:
    """The measure as a function of sums over rows, if it is one."""
    terms = _Terms(rows, like.precision)
    try:
        with np.errstate(invalid="ignore"):  # infinite scores, of a measure that takes more than sums
            measure.compute_rows(like.of_core(SumsAlone(terms.sums)))
    except NotMergedError:
        return None
    ends = np.cumsum([own.shape[1] for own in terms.kept.values()])[:-1]

    def value_of(sums: Floats) -> float:
        parts = np.split(sums, ends)
        known = {asked: tuple(part.tolist()) for asked, part in zip(terms.kept, parts, strict=True)}
        try:
            value = measure.compute_rows(like.of_core(SumsAlone(known.__getitem__)))
            return float(value)  # type: ignore[arg-type]
        except (Undefined, ZeroDivisionError, ValueError):  # a mean without rows, a logarithm of none
            return math.nan

    return OfSums(rows.by_unit(np.column_stack(list(terms.kept.values()))), value_of)


def of_queries(terms: Terms, units: Units | None = None) -> OfSums:
    """A measure of the queries that have a value and count for something.

    `units` are what the queries belong to, where these are drawn instead of queries.
    """
    there = terms.there if terms.below is None else terms.there & (terms.below[:, 0] > 0)
    if terms.summary:
        raise terms.no_mean()
    kept = terms.at(there)
    below = np.ones_like(kept.above) if kept.below is None else kept.below

    def value_of(sums: Floats) -> float:
        if not sums[1]:
            return math.nan
        mean = sums[0] / sums[1]
        return float(mean if kept.below is not None else kept.of_means(mean, None))

    measure, means = terms.measure, None
    averaged = measure.page.kind == "row" or measure.page.aggregate == "mean"
    if averaged and measure.mean == "arithmetic" and len(below) and np.ptp(below) == 0:
        means = kept.above[:, 0] / below[:, 0]
    parts, queries = np.column_stack([kept.above, below]), np.flatnonzero(there)
    if units is not None and units.query is not None:
        queries, codes = np.unique(units.query[there], return_inverse=True)
        return OfSums(_by_code(parts, codes, len(queries)), value_of, queries)
    return OfSums(parts, value_of, queries, means, kept)


def samples(
    values: Mapping[Measure, float],
    rows: Labelled,
    core: Rows,
    evaluate: Callable[[Measure, NDArray[np.intp]], float],
    query_terms: Callable[[Measure], Terms],
) -> Iterator[tuple[Measure, Sample | None]]:
    """Each measure as what can be drawn again; None for what has no finite value.

    Args:
        values: of the measures.
        rows: the rows as arrays.
        core: the same as measures see them.
        evaluate: a measure of the rows with these numbers.
        query_terms: what the queries add to a measure of lists.

    """
    for measure, value in values.items():
        page = measure.page
        if not math.isfinite(value):
            yield measure, None
        elif page.kind == "list":
            yield measure, of_queries(query_terms(measure))
        else:
            yield measure, _of_sums(measure, rows, core) or _of_rows(measure, value, rows, core, evaluate)


def _of_rows(
    measure: Measure,
    value: float,
    rows: Labelled,
    core: Rows,
    evaluate: Callable[[Measure, NDArray[np.intp]], float],
) -> Sample:
    """A measure that looks at more than sums over all rows."""
    each = measure.compute_rows(core)
    if isinstance(each, PerQuery):
        return of_queries(Terms.of(measure, each.values, (each.weights * each.values, each.weights)))
    if is_auc(measure):
        return OfAUC(rows, value, lambda taken: evaluate(measure, taken))
    return OfGaps.of(measure, value, rows, core, lambda taken: evaluate(measure, taken))


# --- Intervals ----------------------------------------------------------------------------------------


def is_auc(measure: Measure) -> bool:
    """Whether the measure is the whole AUC, of which DeLong's interval is."""
    return measure.name == "AUC" and not measure.parameters


def interval_of(measure: Measure, sample: Sample, rows: Units, sampling: Sampling) -> PredictionInterval:
    """The interval of one measure.

    Raises:
        MeasureError: the method asked for is not one of this measure.

    """
    method = sampling.method or _usual(measure, sample, rows)
    unit: Unit = "queries" if measure.page.kind == "list" else rows.unit
    if sample.units < 2:
        found = _Found(Interval(math.nan, math.nan), method, note=f"there is but one of the {unit}")
    else:
        found = _Maker(measure, sample, rows, sampling).made(method)
    interval, note = found.interval, found.note
    if math.isnan(interval.low) and note in ("", FEW, FEW_MOVE):
        note = f"the {unit} do not vary, or are too few"
    elif interval.low == interval.high:
        interval = interval if sampling.method else Interval(math.nan, math.nan)
        note = f"the {unit} do not vary, or are few, so that it would be a point, which no interval is"
    low, high, p = found.calibrated or (None, None, None)
    return PredictionInterval(
        *interval.within(measure.bounds),
        sampling.confidence,
        found.method,
        unit,
        sample.units,
        resamples=found.resamples,
        undefined=found.undefined,
        note=note,
        calibrated_low=low,
        calibrated_high=high,
        calibrated_p=p,
    )


UPWARD = ("ECE", "ACE", "MCE", "BrierReliability")
"""Errors of calibration: chance adds to them, so that resamples have more of them than the rows."""


def _usual(measure: Measure, sample: Sample, rows: Units) -> IntervalMethod:
    """The method that is taken for a measure if none is asked for."""
    if is_auc(measure) and isinstance(rows, Labelled):
        return "delong-logit"
    if measure.name in UPWARD:
        return "gaps" if isinstance(sample, OfGaps) else "none"
    if isinstance(sample, OfSums) and sample.means is not None:
        return "t"
    if rows.unit == "rows" and sample.zeros_and_ones is not None:
        return "wilson"
    return "jackknife" if isinstance(sample, OfSums) else "bca"


class _Found(NamedTuple):
    """An interval, and how it was made."""

    interval: Interval
    method: IntervalMethod
    resamples: int | None = None
    undefined: int = 0
    note: str = ""
    calibrated: Calibrated | None = None


@dataclass(frozen=True, slots=True)
class _Maker:
    """What makes the interval of one measure."""

    measure: Measure
    sample: Sample
    rows: Units
    sampling: Sampling

    def made(self, method: IntervalMethod) -> _Found:
        """By one of the methods."""
        if method == "none":
            note = "chance adds to it, and more so to resamples, which would lie above the true value"
            return _Found(Interval(math.nan, math.nan), method, note=note)
        if method == "delong-logit" or method == "delong":
            if not (is_auc(self.measure) and isinstance(self.rows, Labelled)):
                raise self._refused(method, "AUC")
            return self._delong(self.rows, method)
        if method in ("bca", "percentile"):
            return self._drawn(method)
        if isinstance(self.sample, OfGaps) and method == "gaps":
            gaps, told = self.sample.gaps, {"draws": self.sampling.resamples or DRAWS}
            known = {**told, "confidence": self.sampling.confidence, "seed": self.sampling.seed}
            return _Found(gaps.interval(**known), method, calibrated=gaps.calibrated(**known))  # type: ignore[arg-type]
        if method == "wilson":
            return self._wilson()
        if not isinstance(self.sample, OfSums):
            raise self._refused(method, "functions of sums")
        if method == "t" and self.sample.means is not None:
            return self._of_means(self.sample.means)
        if method == "jackknife":
            return self._jackknife(self.sample)
        return _Found(_delta(self.sample, self.sampling.confidence), method)

    def _refused(self, method: IntervalMethod, what: str) -> MeasureError:
        return MeasureError(
            f'intervals="{method}" is of {what}, not of {self.measure}; True takes the usual one of each'
        )

    def _delong(self, rows: Labelled, method: AreaInterval) -> _Found:
        spread = rows.spread()
        found = spread.interval(self.sampling.confidence, method)
        if method == "delong" or spread.left_out_error != 0 or math.isnan(found.low):
            few = method != "delong" and spread.freedom < FEWEST
            return _Found(found, method, note=FEW_MOVE if few else "")
        return _Found(found, "exact", note=_same_order(spread))

    def _of_means(self, values: Floats) -> _Found:
        """As of the queries of lists."""
        how = self.sampling.of_queries
        made = made_interval("auto", values, **how)
        if made.caution == "alike":
            return self._at_bound(len(values))
        note = CAUTIONS[made.caution] if made.caution else ""
        return _Found(made.ends, cast("IntervalMethod", made.method), made.resamples, note=note)

    def _wilson(self) -> _Found:
        values = None if self.rows.query is not None else self.sample.zeros_and_ones
        if values is None:
            raise self._refused("wilson", "means of zeros and ones over rows")
        ones = int(values.sum())
        few: Caution = "small" if len(values) < FEWEST else "few"
        note = CAUTIONS[few] if min(ones, len(values) - ones) < FEWEST else ""
        return _Found(wilson_interval(values, confidence=self.sampling.confidence), "wilson", note=note)

    def _jackknife(self, sample: OfSums) -> _Found:
        bounds, confidence = self.measure.page.bounds, self.sampling.confidence
        if sample.value in bounds:
            return self._at_bound(sample.told())
        with np.errstate(invalid="ignore", divide="ignore"):
            left_out = sample.left_out(self.sampling.seed)
        found = jackknife_interval(sample.value, left_out, bounds=bounds, confidence=confidence)
        if not np.isfinite(left_out).all():
            return _Found(found, "jackknife", note="without one of them it has no value")
        return _Found(found, "jackknife", note=FEW if sample.units < FEWEST else "")

    def _at_bound(self, count: int) -> _Found:
        """Of a value that is the least or greatest that there is, or which all units have."""
        value = self.sample.value
        if self.measure.page.bounds != (0, 1) or value not in (0, 1) or not count:
            return _Found(Interval(math.nan, math.nan), "jackknife", note="all have the same value")
        found = all_at_bound(value, count, self.sampling.confidence)
        return _Found(found, "exact", note="all have the same value: the bound is exact for independent ones")

    def _drawn(self, method: IntervalMethod) -> _Found:
        drawn = self.sample.drawn(self.sampling)
        ends = bootstrapped(drawn, self.sample.value, method, self.sampling.confidence)
        undefined = int(np.isnan(drawn.resampled).sum())
        few = self.sample.units < FEWEST_DRAWN
        return _Found(ends, method, len(drawn.resampled), undefined, FEW if few else "")


FEWEST, FEWEST_DRAWN = 10, 25
"""Units from which the jackknife, and the bootstrap, hold about as often as they say; the first also the rows
of either kind from which Wilson's interval does."""
FEW_MOVE = "few of them make up most of its spread, and it may hold the true value less often"
FEW = "there are few of them, and it holds the true value less often"


def _same_order(spread: AUCSpread) -> str:
    """Of an AUC that no row moves."""
    order = "all scores are equal" if spread.auc == 0.5 else "all pairs are in the same order"
    return f"{order}: the bound is of {spread.apart:,} pairs that share no row"


def bootstrapped(drawn: Drawn, value: float, method: IntervalMethod, confidence: float) -> Interval:
    """The bootstrap interval, of the resamples that have a value."""
    resampled, left_out = (values[~np.isnan(values)] for values in drawn)
    if len(resampled) < 2 or not np.isfinite(resampled).all():
        return Interval(math.nan, math.nan)
    if method == "percentile" or len(left_out) < 2:
        return percentile_interval(resampled, confidence=confidence)
    return bca_interval(resampled, value, left_out, confidence=confidence)


def _delta(sample: OfSums, confidence: float) -> Interval:
    from scipy import special

    if sample.units < 2:
        return Interval(math.nan, math.nan)
    reach = float(special.stdtrit(sample.units - 1, (1 + confidence) / 2)) * sample.error()
    return Interval(sample.value - reach, sample.value + reach)


NAMES: Mapping[str, str] = {
    "wilson": "Wilson",
    "exact": "an exact bound",
    "tango": "Tango",
    "t": "t",
    "studentised": "the studentised bootstrap",
    "jackknife": "the jackknife with t",
    "gaps": "the spread of their bins' gaps (conservative)",
    "delong-logit": "DeLong on the logit scale",
    "delong-t": "DeLong with t",
    "delong": "DeLong",
    "delta": "the delta method",
    "bca": "the bootstrap (BCa)",
    "percentile": "the bootstrap (percentiles)",
}


MOST_NAMES = 3
"""Measures of one kind of interval that are named; of more it says that all others have it."""
SPANS = "low, high: "
"""With what the line begins that explains a result's own intervals."""


def explained(intervals: Mapping[str, PredictionInterval]) -> str:
    """How the intervals were made, over how many queries or rows, and what there is to heed in them."""
    return "; ".join([_made(intervals.items(), counted=True), *of_values(intervals)])


def ways_of(several: Iterable[Mapping[str, PredictionInterval]]) -> str:
    """How the intervals of several tables were made."""
    return _made(chain.from_iterable(each.items() for each in several), counted=False)


def of_values(intervals: Mapping[str, PredictionInterval]) -> Iterator[str]:
    """What there is to heed in the intervals of some rows."""
    yield from _noted(intervals)
    for name, each in intervals.items():
        if each.undefined:
            yield f"{each.undefined:,} resamples without a value of {name} left out"


def _made(named: Iterable[tuple[str, PredictionInterval]], *, counted: bool) -> str:
    intervals = list(named)
    ways: dict[IntervalMethod, dict[str, list[int | None]]] = {}
    for name, each in intervals:
        if not math.isnan(each.low):
            ways.setdefault(each.method, {}).setdefault(name, []).append(each.resamples)
    usual = max(ways, key=lambda method: len(ways[method]), default=None)
    if usual is not None and len(ways[usual]) <= MOST_NAMES:
        usual = None
    texts = [
        f"{'all others' if method == usual else ', '.join(named)} by "
        f"{way(method, chain.from_iterable(named.values()))}"
        for method, named in sorted(ways.items(), key=lambda each: each[0] == usual)
    ]
    if len(texts) == 1:
        texts = [text.replace("all others", "all", 1) for text in texts]
    first = intervals[0][1]
    most = max(each.units for _, each in intervals)
    over = f"{most:,} {first.unit}" if counted and most != 1 else first.unit
    line = f"{SPANS}{100 * first.confidence:g}% intervals over {over}"
    return f"{line}: {'; '.join(texts)}" if texts else line


def _noted(intervals: Mapping[str, PredictionInterval]) -> Iterator[str]:
    """Why there is no interval of some measures, or an unsure one."""
    notes: dict[tuple[bool, str], list[str]] = {}
    for name, each in intervals.items():
        if each.note:
            notes.setdefault((math.isnan(each.low), each.note), []).append(name)
    for name, each in intervals.items():
        if each.calibrated_p is not None:
            ends = f"{each.calibrated_low:.4f} … {each.calibrated_high:.4f}"
            p = f"p = {each.calibrated_p:.2g} for one as great"
            yield f"{name} of calibrated scores would be {ends} ({p})"
    for (none, note), names in notes.items():
        yield f"{'none of ' if none else ''}{', '.join(names)}: {note}"


def way(method: IntervalMethod, resamples: Iterable[int | None]) -> str:
    """How intervals were made, of so many resamples."""
    drawn = resamples_words(resamples)
    return f"{NAMES[method]}, {drawn}" if drawn else NAMES[method]
