"""Confidence intervals of measures of predictions.

What is drawn are queries where there is a column of them, and else rows: rows of one query are alike. AUC has
DeLong's interval. A measure that is a function of sums over rows is resampled by its sums, which is quick;
any other is computed again from the rows drawn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from rankmark import _native
from rankmark.aggregation.terms import Terms
from rankmark.errors import ChoiceError, DataError, MeasureError
from rankmark.forking import need_polars_threads
from rankmark.kinds.row_core import NotMergedError, Sum, SumsAlone
from rankmark.kinds.rows import PerQuery, Rows, Undefined
from rankmark.language.measure import Measure
from rankmark.statistics.delong import AUCSpread, auc_spread
from rankmark.statistics.intervals import Interval, bca_interval, percentile_interval
from rankmark.statistics.resampling import Floats, check_drawn, check_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.inputs.predictions.labelled import Predictions

__all__ = [
    "METHODS",
    "Drawn",
    "IntervalMethod",
    "Labelled",
    "OfRows",
    "PredictionInterval",
    "Sample",
    "Sampling",
    "Units",
    "bootstrapped",
    "explained",
    "interval_of",
    "is_auc",
    "numbered",
    "of_queries",
    "samples",
    "way",
]

IntervalMethod = Literal["delong", "delta", "bca", "percentile"]
METHODS: tuple[IntervalMethod, ...] = get_args(IntervalMethod)

RESAMPLES = 10_000
LEAST, MOST, ROWS = 200, 1_000, 20_000_000
"""Resamples of a measure that is computed again for each: as many as come to so many rows, within these."""
GROUPS = 10_000
"""Units above which they are drawn in so many random groups: no less right, and quick for any table."""
LEFT_OUT = 200
"""Groups of units that are left out in turn, to know how skewed a measure is."""


class PredictionInterval(NamedTuple):
    """The confidence interval of one measure of predictions.

    Attributes:
        low: the lower end; NaN where there are too few rows or queries for an interval.
        high: the upper end.
        confidence: the share of such intervals that hold the true value.
        method: ``delong``, ``delta``, ``bca`` or ``percentile``.
        unit: what is taken for independent: ``queries`` or ``rows``.
        units: how many of them there are; for a measure that is a mean over queries those with a value.
        resamples: how many were drawn; None for a method that draws none.
        undefined: resamples in which the measure has no value, which are left out.

    """

    low: float
    high: float
    confidence: float
    method: IntervalMethod
    unit: Unit
    units: int
    resamples: int | None = None
    undefined: int = 0


Unit: TypeAlias = Literal["queries", "rows"]


@dataclass(frozen=True, slots=True)
class Sampling:
    """How intervals are made.

    Attributes:
        method: None for DeLong's where the measure is AUC, and for others the bootstrap (BCa).
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
        if self.method is not None and self.method not in METHODS:
            raise ChoiceError(f"intervals={self.method!r} is not one of {', '.join(METHODS)}, True, False")
        check_share(confidence=self.confidence)
        check_drawn(RESAMPLES if self.resamples is None else self.resamples, self.seed)


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

    def at(self, rows: NDArray[np.bool_]) -> Units:
        """Those of some rows."""
        if self.query is None:
            return Units(int(np.count_nonzero(rows)), None)
        return Units(int(np.count_nonzero(rows)), np.unique(self.query[rows], return_inverse=True)[1])

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

    def error(self) -> float:
        """The standard error by the delta method; NaN where there is none."""
        raise NotImplementedError


class OfSums(Sample):
    """A value that is a function of sums over units.

    Attributes:
        terms: what each unit adds to each sum, [units, sums].
        value_of: the value, of sums; NaN where there is none.

    """

    def __init__(self, terms: Floats, value_of: Callable[[Floats], float]) -> None:
        super().__init__()
        self.terms, self.value_of = terms, value_of
        self.value = value_of(terms.sum(axis=0))
        self.units = len(terms)

    def _drawn(self, sampling: Sampling) -> Drawn:
        terms = self._grouped(GROUPS, sampling.seed)
        resamples = sampling.resamples or RESAMPLES
        sums = _native.bootstrap_sums(
            np.ascontiguousarray(terms), resamples, sampling.seed, sampling.threads
        ).reshape(resamples, -1)
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

    def _slopes(self, sums: Floats) -> Floats:
        """The derivatives by each sum, as central differences."""
        slopes = np.zeros(len(sums))
        for place, size in enumerate(sums):
            step = np.zeros(len(sums))
            step[place] = 1e-6 * abs(size)
            if step[place]:
                rise = self.value_of(sums + step) - self.value_of(sums - step)
                slopes[place] = rise / (2 * step[place])
        return slopes


class OfRows(Sample):
    """A value that is computed again from the rows of the units drawn."""

    def __init__(self, rows: Units, value: float, evaluate: Callable[[NDArray[np.intp]], float]) -> None:
        super().__init__()
        self.rows, self.evaluate = rows, evaluate
        self.value = value
        self.units = rows.units

    def _drawn(self, sampling: Sampling) -> Drawn:
        random = np.random.default_rng(sampling.seed)
        usual = min(MOST, max(LEAST, ROWS // self.rows.count))
        draws = (random.integers(self.units, size=self.units) for _ in range(sampling.resamples or usual))
        return Drawn(self._values(draws), self._values(self._without(sampling.seed)))

    def _values(self, draws: Iterable[NDArray[np.intp]]) -> Floats:
        return np.array([self.evaluate(self.rows.rows_of(units)) for units in draws])

    def _without(self, seed: int) -> Iterator[NDArray[np.intp]]:
        codes = _groups(self.units, LEFT_OUT, seed)
        codes = np.arange(self.units) if codes is None else codes
        return (np.flatnonzero(codes != group) for group in range(min(self.units, LEFT_OUT)))

    def error(self) -> float:
        """None: the value is no function of sums."""
        return math.nan


def _groups(units: int, most: int, seed: int) -> NDArray[np.intp] | None:
    """A random group for each unit, where there are more than so many."""
    if units <= most:
        return None
    return np.asarray(np.random.default_rng(seed).permutation(units) % most)


# --- Which measures are functions of sums -------------------------------------------------------------


class _Terms:
    """The terms of sums over rows, kept as a measure takes them."""

    def __init__(self, rows: Labelled) -> None:
        self._rows = rows
        self._made: Mapping[str, Callable[..., Floats]] = {
            "binary_sums": self._binary,
            "number_sums": self._numbers,
            "log_loss": self._log_loss,
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

    def _products(self, y: Floats, squares: Floats) -> Floats:
        score, weight = self._rows.score, self._rows.weight
        return np.column_stack([weight, weight * y, weight * score, weight * squares])


def _of_sums(measure: Measure, rows: Labelled, like: Rows) -> OfSums | None:
    """The measure as a function of sums over rows, if it is one."""
    terms = _Terms(rows)
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
    kept = terms.at(there)
    below = np.ones_like(kept.above) if kept.below is None else kept.below

    def value_of(sums: Floats) -> float:
        if not sums[1]:
            return math.nan
        mean = sums[0] / sums[1]
        return float(mean if kept.below is not None else kept.of_means(mean, None))

    parts = np.column_stack([kept.above, below])
    return OfSums(parts if units is None else units.at(there).by_unit(parts), value_of)


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
    return OfRows(rows, value, lambda taken: evaluate(measure, taken))


# --- Intervals ----------------------------------------------------------------------------------------


def is_auc(measure: Measure) -> bool:
    """Whether the measure is the whole AUC, of which DeLong's interval is."""
    return measure.name == "AUC" and not measure.parameters


def interval_of(measure: Measure, sample: Sample, rows: Units, sampling: Sampling) -> PredictionInterval:
    """The interval of one measure.

    Raises:
        MeasureError: the method asked for is not one of this measure.

    """
    method = sampling.method or ("delong" if is_auc(measure) else "bca")
    unit: Unit = "queries" if measure.page.kind == "list" else rows.unit
    known = {"confidence": sampling.confidence, "method": method, "unit": unit, "units": sample.units}
    if method == "delong":
        if not (is_auc(measure) and isinstance(rows, Labelled)):
            raise MeasureError(f'intervals="delong" is of AUC, not of {measure}; {OTHERWISE}')
        return PredictionInterval(*rows.spread().interval(sampling.confidence), **known)  # type: ignore[arg-type]
    if method == "delta":
        if not isinstance(sample, OfSums):
            raise MeasureError(
                f'intervals="delta" is of functions of sums, which {measure} is not; {OTHERWISE}'
            )
        return PredictionInterval(*_delta(sample, sampling.confidence), **known)  # type: ignore[arg-type]
    if sample.units < 2:
        return PredictionInterval(math.nan, math.nan, **known)  # type: ignore[arg-type]
    drawn = sample.drawn(sampling)
    ends = bootstrapped(drawn, sample.value, method, sampling.confidence)
    undefined = int(np.isnan(drawn.resampled).sum())
    return PredictionInterval(*ends, **known, resamples=len(drawn.resampled), undefined=undefined)  # type: ignore[arg-type]


OTHERWISE = "True takes DeLong's for AUC and the bootstrap for others"


def bootstrapped(drawn: Drawn, value: float, method: IntervalMethod, confidence: float) -> Interval:
    """The bootstrap interval, of the resamples that have a value."""
    resampled, left_out = (values[~np.isnan(values)] for values in drawn)
    if len(resampled) < 2 or not np.isfinite(resampled).all():
        return Interval(math.nan, math.nan)
    if method == "percentile" or len(left_out) < 2:
        return percentile_interval(resampled, confidence=confidence)
    return bca_interval(resampled, value, left_out, confidence=confidence)


def _delta(sample: OfSums, confidence: float) -> Interval:
    from scipy import stats

    if sample.units < 2:
        return Interval(math.nan, math.nan)
    reach = float(stats.t.ppf((1 + confidence) / 2, sample.units - 1)) * sample.error()
    return Interval(sample.value - reach, sample.value + reach)


NAMES: Mapping[str, str] = {
    "delong": "DeLong",
    "delta": "the delta method",
    "bca": "the bootstrap (BCa)",
    "percentile": "the bootstrap (percentiles)",
}


def explained(intervals: Mapping[str, PredictionInterval], *, counted: bool = True) -> str:
    """How the intervals were made, and over how many queries or rows if these are to be counted."""
    ways: dict[tuple[Any, ...], list[str]] = {}
    for name, each in intervals.items():
        ways.setdefault((each.method, each.resamples), []).append(name)
    texts = [f"{', '.join(names)} by {way(*each)}" for each, names in ways.items()]
    texts += [
        f"{i.undefined:,} resamples without a value of {m} left out"
        for m, i in intervals.items()
        if i.undefined
    ]
    first = next(iter(intervals.values()))
    most = max(each.units for each in intervals.values())
    over = f"{most:,} {first.unit}" if counted and most != 1 else first.unit
    return f"low, high: {100 * first.confidence:g}% intervals over {over}: {'; '.join(texts)}"


def way(method: IntervalMethod, resamples: int | None) -> str:
    """How an interval was made."""
    return NAMES[method] if resamples is None else f"{NAMES[method]}, {resamples:,} resamples"
