"""What a gate decides by: figures of values, and how great they could be with some confidence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankmark.aggregation.intervals import OfGaps, OfSums, paired
from rankmark.aggregation.terms import Terms
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, UsageError
from rankmark.statistics.bounded import LEAST_CHANGED, LEAST_UNITS, Rows, least_root
from rankmark.statistics.delong import AUCSpread
from rankmark.statistics.intervals import bca_interval
from rankmark.statistics.resampling import Floats
from rankmark.statistics.seeds import Crossed, NewSeeds, crossed
from rankmark.statistics.sequences import evidence
from rankmark.statistics.summaries import Quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.aggregation.intervals import Sample, Sampling, Unit
    from rankmark.statistics.intervals import Interval

__all__ = [
    "POWER",
    "Bound",
    "By",
    "Decider",
    "Ends",
    "Figure",
    "Foreseen",
    "OfCalibration",
    "OfQueries",
    "OfSamples",
    "OfSpreads",
    "OfValues",
]

By: TypeAlias = Literal[
    "point",
    "gaffke",
    "gaffke-seen",
    "gaffke-blocks",
    "seeds",
    "seeds-seen",
    "betting",
    "bca",
    "delong",
    "unseen",
    "exact",
    "gaps",
    "ranks",
    "few",
    "none",
]
"""What decides: the estimate alone, or a bound. ``gaffke`` knows the worst that a query can add, and
``gaffke-seen`` takes the worst that was seen for it, ``gaffke-blocks`` that of blocks of queries; ``seeds``
and ``seeds-seen`` are these, widened by what seeds vary; ``betting`` holds at every number of queries;
``ranks`` is that of quantiles; ``few`` is none, as too few differ."""
Ends: TypeAlias = "tuple[float | None, float | None]"
"""The least and the greatest value that a measure can have; None where there is none."""
POWER = 0.8
"""The chance with which a gate is to pass a candidate that should."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What may not be too great: Σ above·v of the values v of systems, or that divided by Σ below·v.

    Attributes:
        above: a factor a system.
        below: likewise; None where nothing divides.

    """

    above: tuple[float, ...]
    below: tuple[float, ...] | None = None

    def of(self, values: Sequence[ArrayLike]) -> Floats:
        """The figure of values, or of arrays of them."""
        above, below = self.parts(values)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(above / below)

    def parts(self, values: Sequence[ArrayLike]) -> tuple[Floats, Floats]:
        """What stands above the line, and below it."""
        own = [np.asarray(each, float) for each in values]
        above = sum((k * v for k, v in zip(self.above, own, strict=True)), np.zeros_like(own[0]))
        if self.below is None:
            return above, np.ones_like(above)
        return above, sum((k * v for k, v in zip(self.below, own, strict=True)), np.zeros_like(own[0]))

    def excess(
        self, values: Sequence[Floats], figure: float, ends: tuple[float, float]
    ) -> tuple[Floats, tuple[float, float]]:
        """What each query adds to Σ above·v − figure · Σ below·v, and the least and the most that one can."""
        above, below = self.parts(values)
        factors = [
            a - figure * b for a, b in zip(self.above, self.below or (0,) * len(self.above), strict=True)
        ]
        rest = -figure if self.below is None else 0.0
        pairs = [sorted(k * end for end in ends) for k in factors]
        return above - figure * below, (rest + sum(a for a, _ in pairs), rest + sum(b for _, b in pairs))

    def worst(self, ends: Ends) -> list[float] | None:
        """The values within these ends that make it greatest; None if there are none."""
        low, high = ends
        found = [high if k > 0 else low for k in self.above]
        return None if None in found else [each for each in found if each is not None]

    def at_worst(self, intervals: Sequence[Interval]) -> float:
        """The greatest figure of values in these intervals; infinite if one of their ends is.

        Raises:
            DataError: what stands below the line can be 0 there, or of another sign.

        """
        ends = [each.high if k > 0 else each.low for k, each in zip(self.above, intervals, strict=True)]
        if not all(map(math.isfinite, ends)):
            return math.inf
        if self.below is not None and not float(self.parts(ends)[1]) > 0:
            raise _no_share()
        return float(self.of(ends))

    def slopes(self, values: Sequence[float]) -> list[float]:
        """Its derivatives by each value."""
        figure, (_, below) = float(self.of(values)), self.parts(values)
        under = self.below or (0.0,) * len(values)
        return [float((a - figure * b) / below) for a, b in zip(self.above, under, strict=True)]


class Bound(NamedTuple):
    """The one-sided upper bound of a figure.

    Attributes:
        value: it is no greater with the confidence asked for.
        by: how it was made.
        resamples: of the bootstrap.

    """

    value: float
    by: By
    resamples: int | None = None


class Foreseen(NamedTuple):
    """What these units can show, of candidates like this one.

    Attributes:
        detectable: the distance from a limit at which four of five such gates pass.
        needed: how many units it takes for the distance asked for; None where no number of them does.

    """

    detectable: float
    needed: int | None


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

    @property
    def clusters(self) -> int | None:
        """How many clusters these are in; None where each stands for itself."""

    @property
    def seeds(self) -> tuple[int, ...] | None:
        """How many each system has; None where all have one."""

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """The bound of a figure of the values."""

    def foreseen(self, figure: Figure, distance: float, confidence: float) -> Foreseen | None:
        """What these units can show; None where that is not known."""


class _ByRows:
    """By what each unit adds to a figure."""

    def rows(self, figure: Figure) -> Rows:
        """What the units add, and what the worst could."""
        raise NotImplementedError

    seeds: tuple[int, ...] | None = None

    @property
    def units(self) -> int:
        """As `Decider.units`."""
        raise NotImplementedError

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`, by Gaffke's bound."""
        rows = self.rows(figure)
        if not rows.decide:
            return Bound(math.inf, "few")
        value = rows.bound(confidence)
        if value == math.inf:
            raise _no_share()
        return Bound(value, "gaffke-seen" if rows.worst is None else "gaffke")

    def foreseen(self, figure: Figure, distance: float, confidence: float) -> Foreseen | None:
        """As `Decider.foreseen`."""
        rows = self.rows(figure)
        if not rows.decide:
            return None
        seeds = self.new_seeds(figure, confidence)
        needed = rows.needed(distance, confidence, POWER, seeds)
        each = self.units / len(rows.above)
        detectable = rows.detectable(confidence, POWER, seeds)
        if needed is not None and rows.worst is None:
            needed = max(needed, LEAST_UNITS)
        return Foreseen(detectable, None if needed is None else math.ceil(needed * each))

    def new_seeds(self, figure: Figure, confidence: float) -> NewSeeds | None:  # noqa: ARG002 - none
        """What new seeds could add to the figure; None where there are none."""
        return None


@dataclass(frozen=True)
class OfQueries(_ByRows):
    """By what queries add to each value, on the same queries.

    Attributes:
        terms: what they add, of each system.
        labels: the cluster of each query; None where each stands for itself.
        always_valid: whether the bound is to hold at every number of queries at once.
        seedless: whether a system with one run depends on no seed, see `statistics.crossed`.
        unit: what is counted.

    """

    terms: Sequence[Terms]
    labels: NDArray[Any] | None = None
    always_valid: bool = False
    seedless: bool = False
    unit: Unit = "queries"

    @property
    def values(self) -> list[float]:
        """As `Decider.values`."""
        return [each.value() for each in self.terms]

    @property
    def units(self) -> int:
        """As `Decider.units`."""
        return self.terms[0].queries

    @property
    def clusters(self) -> int | None:
        """As `Decider.clusters`."""
        return None if self.labels is None else len(np.unique(self.labels))

    def rows(self, figure: Figure) -> Rows:
        """As `_ByRows.rows`; the worst query is at the ends of the measure, and weighs as much as any.

        Of a measure of the whole run they are blocks of queries, of which the worst seen stands for it.
        """
        ends, shared = figure.worst(self.terms[0].measure.bounds), self._shared
        if self._of_run:
            ends = None
        if shared is not None:
            # Not linearised: a query is as a cluster of so many that are alike.
            above, below = figure.parts([each.above.mean(axis=1) for each in self.terms])
            below = shared if figure.below is None else below
            own = None if ends is None else [shared.max() * part for part in figure.parts(ends)]
        else:
            above, below = figure.parts([each.linear() for each in self.terms])
            own = None
            if ends is not None:
                linear = [each.linear_of(end) for each, end in zip(self.terms, ends, strict=True)]
                own = [*figure.parts(linear)]
        worst = None if own is None else (float(own[0]), float(own[1]))
        return Rows.of(above, below, worst, self._labels)

    @property
    def _labels(self) -> NDArray[Any] | None:
        """The cluster of each of what adds to the values, which blocks of queries are themselves."""
        return None if self._of_run else self.labels

    @cached_property
    def _shared(self) -> Floats | None:
        """What all systems' and seeds' sums are divided by, such as weights; None where that is not one."""
        below = [each.below for each in self.terms if each.below is not None]
        if not below:
            return None
        first = below[0][:, 0]
        return first if all((each == first[:, None]).all() for each in below) else None

    @property
    def _of_run(self) -> bool:
        """Whether the values are of the whole run."""
        return self.terms[0].whole is not None

    @property
    def _no_means(self) -> bool:
        """Whether the values are no means of what queries add, such as medians."""
        return any(each.summary for each in self.terms)

    @property
    def seeds(self) -> tuple[int, ...] | None:  # type: ignore[override]
        """As `Decider.seeds`."""
        counts = tuple(each.above.shape[1] for each in self.terms)
        return counts if max(counts) > 1 else None

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`: Gaffke's bound, or one by betting, for queries in the order that they have.

        With seeds that of the means over seeds, u, is widened to r + √((u − r)² + s²), r the figure and s how
        far what seeds add reaches on one side (`statistics.crossed`). Of quantiles it is by ranks.
        """
        if self._no_means:
            return self._by_ranks(figure, confidence)
        if self.always_valid and self._of_run:
            raise UsageError(
                f"{self.terms[0].measure} is of the whole run, which is another for more queries: leave out "
                "always_valid"
            )
        if self.always_valid:
            return self._by_betting(figure, confidence)
        bound = super().upper(figure, confidence)
        if self._of_run and bound.by == "gaffke-seen":
            bound = Bound(bound.value, "gaffke-blocks")
        if self.seeds is None or bound.by == "few":
            return bound
        if self.units < 2:
            return Bound(math.inf, "few")
        ratio = float(figure.of(self.values))
        reach = self._crossed(figure).reach_of_seeds(2 * (1 - confidence))
        value = ratio + math.hypot(bound.value - ratio, reach)
        return Bound(value, "seeds" if bound.by == "gaffke" else "seeds-seen")

    def foreseen(self, figure: Figure, distance: float, confidence: float) -> Foreseen | None:
        """As `Decider.foreseen`; not known of bets, nor of what is no mean or is another for more queries."""
        if self.always_valid or self._no_means or self._of_run:
            return None
        return super().foreseen(figure, distance, confidence)

    def new_seeds(self, figure: Figure, confidence: float) -> NewSeeds | None:
        """As `_ByRows.new_seeds`."""
        return None if self.seeds is None else self._crossed(figure).new_seeds(2 * (1 - confidence))

    def _crossed(self, figure: Figure) -> Crossed:
        """The figure, linearised, over queries and seeds."""
        slopes = figure.slopes(self.values)
        own = [k * each.linear_by_seed() for k, each in zip(slopes, self.terms, strict=True)]
        others = -own[1] if len(own) > 1 else None
        return crossed(own[0], others, clusters=self._labels, seedless=self.seedless)

    def _by_ranks(self, figure: Figure, confidence: float) -> Bound:
        """Of the worst ends of quantiles, each wrong with its part of the chance."""
        ends = []
        for each in self.terms:
            summary, (low, high) = each.summary, each.bounds
            if (
                not isinstance(summary, Quantile)
                or self.seeds
                or self.labels is not None
                or self.always_valid
            ):
                raise UsageError(
                    f"{each.measure} is no mean over queries, and a gate has no bound of it"
                    f"{' with clusters, seeds or always_valid' * isinstance(summary, Quantile)}: leave out "
                    "the confidence, so that the value itself decides, or ask for the mean"
                )
            found = summary.ends(each.above[:, 0], (1 - confidence) / len(self.terms))
            ends.append(found.within((low, high)))
        value = figure.at_worst(ends)
        return Bound(value, "few") if value == math.inf else Bound(value, "ranks")

    def _by_betting(self, figure: Figure, confidence: float) -> Bound:
        """The least value that was ruled out after any of the queries."""
        measure = self.terms[0].measure
        low, high = measure.bounds
        if low is None or high is None or not self.terms[0].is_mean or self.labels is not None:
            raise UsageError(
                f"{measure}: an always-valid bound is of means of queries, without clusters or weights, "
                "whose values have a least and a greatest one"
            )
        values, alpha = [each.linear() for each in self.terms], 1 - confidence

        def lacking(value: float) -> float:
            """How much evidence is lacking to rule a value of the figure out."""
            excess, (least, most) = figure.excess(values, value, (low, high))
            if most <= 0:
                return -1.0
            return -math.log(alpha) - float(
                evidence((excess - least) / (most - least), -least / (most - least), alpha).max()
            )

        ruled_out = least_root(lacking, float(figure.of(self.values)), 0.01)
        if ruled_out == math.inf:
            raise _no_share()
        return Bound(ruled_out, "betting")


@dataclass(frozen=True)
class OfSamples(_ByRows):
    """By rows or queries of predictions; those that are no function of sums are drawn again.

    Attributes:
        values: of the systems.
        samples: the same, as what they are of.
        sampling: how they are drawn.
        unit: what is counted.
        ends: the least and the greatest value of a row, of means over rows; None of others. One unit more
            counts, as large as any and all of it as bad as can be.
        sizes: how many rows each unit has.
        certain: whether that counts wherever it can be, and not just where too few differ to go by the worst
            unit seen, as of losses without an end but by their clip.

    """

    values: Sequence[float]
    samples: Sequence[Sample]
    sampling: Sampling
    unit: Unit
    ends: Ends
    sizes: Floats
    certain: bool
    clusters: None = None

    @property
    def units(self) -> int:
        """As `Decider.units`."""
        return self.samples[0].units

    def rows(self, figure: Figure) -> Rows:
        """As `_ByRows.rows`."""
        if self._shares is not None:
            above, below = figure.parts(figure.worst((0.0, 1.0)) or [])
            return Rows.of(*figure.parts(self._shares), (float(above), float(below)))
        moves = [each.moves(self.sampling) for each in self._sums or self.samples]
        if self.ends == (None, None):
            linear = [v + len(own) * own for v, own in zip(self.values, moves, strict=True)]
            return Rows.of(*figure.parts(linear), None)
        # Not linearised: of few that differ a large unit says much more than a small one.
        sums = [v * self.sizes + self.sizes.sum() * own for v, own in zip(self.values, moves, strict=True)]
        above, below = figure.parts(sums)
        rows = Rows(above, self.sizes if figure.below is None else below, None)
        worst = figure.worst(self.ends)
        if worst is None or (rows.decide and not self.certain):
            return rows
        most = [float(self.sizes.max() * part) for part in figure.parts(worst)]
        return replace(rows, worst=(most[0], most[1]))

    @cached_property
    def _shares(self) -> list[Floats] | None:
        """The rows' zeros and ones, if the values are shares of the same rows; else None."""
        if self.unit != "rows":
            return None
        ones = [each.zeros_and_ones for each in self.samples]
        if len(ones) == 1:
            return None if ones[0] is None else [ones[0]]
        if not self._sums or any(each is None or len(each) < self.units for each in ones):
            return None
        moves = (each.moves(self.sampling) for each in self.samples)
        return [np.round(v + self.units * own) for v, own in zip(self.values, moves, strict=True)]

    @property
    def _sums(self) -> list[Sample]:
        """The samples, if all are functions of sums, of which it is known what each unit adds."""
        if not all(isinstance(each, OfSums) for each in self.samples):
            return []
        one, *others = self.samples
        return [*paired(one, others[0])] if others else [one]

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`: by what units add, or where that is by the jackknife or the bootstrap, by both.

        BCa knows nothing of rare losses: where 5% of the positive rows fall to the end of the list, it passes
        41 of 100 drops of AveragePrecision that are just too great if 20 rows are positive, and 19 if 40 are;
        the greater of both passes 3 and 11, and a caution stands beside it.
        """
        bound = super().upper(figure, confidence)
        if self._shares is not None and len(self.samples) == 1:
            return bound._replace(by="exact")
        if self._sums or bound.by == "few":
            return bound
        return max(bound, self._by_bca(figure, confidence), key=lambda each: each.value)

    def _by_bca(self, figure: Figure, confidence: float) -> Bound:
        resampled, left_out = self._drawn(figure)
        if len(np.unique(resampled)) < LEAST_CHANGED:
            return Bound(math.inf, "few")
        estimate = float(figure.of(self.values))
        if len(left_out) < 2 or not np.isfinite(resampled).all():
            raise DataError(
                "some resamples have no value, or those of the baseline one of 0; give max_drop as a number"
            )
        # The upper end of the interval that leaves as much out on both sides.
        ends = bca_interval(resampled, estimate, left_out, confidence=2 * confidence - 1)
        return Bound(max(ends.high, estimate), "bca", len(resampled))

    def _drawn(self, figure: Figure) -> tuple[Floats, Floats]:
        """The figure of resamples, and of those with units left out; of too few rows of a class it is NaN."""
        drawn = [each.drawn(self.sampling) for each in self.samples]
        resampled, left_out = (figure.of(each) for each in zip(*drawn, strict=True))
        return resampled[~np.isnan(resampled)], left_out[~np.isnan(left_out)]


@dataclass(frozen=True)
class OfCalibration:
    """By the intervals of errors to which chance adds, of which resamples have more; others have no bound."""

    values: Sequence[float]
    samples: Sequence[Sample]
    sampling: Sampling
    unit: Unit
    clusters: None = None
    seeds: None = None

    @property
    def units(self) -> int:
        """As `Decider.units`."""
        return self.samples[0].units

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`: of the worst ends, each wrong with its part of the chance."""
        outside = 2 * (1 - confidence) / len(self.samples)
        ends = []
        for each in self.samples:
            if not isinstance(each, OfGaps):
                return Bound(math.inf, "none")
            ends.append(each.gaps.interval(1 - outside, seed=self.sampling.seed))
        return Bound(figure.at_worst(ends), "gaps")

    def foreseen(self, figure: Figure, distance: float, confidence: float) -> None:
        """None: it is not known."""


@dataclass(frozen=True)
class OfSpreads:
    """By what rows move each AUC."""

    spreads: Sequence[AUCSpread]
    units: int
    unit: Unit
    clusters: None = None
    seeds: None = None

    @property
    def values(self) -> list[float]:
        """As `Decider.values`."""
        return [each.auc for each in self.spreads]

    def upper(self, figure: Figure, confidence: float) -> Bound:
        """As `Decider.upper`: DeLong's bound, or that of pairs as bad as can be none of which was seen.

        Of shares the first is by the delta method; of one AUC it is on the scale of the log odds. A share p
        of pairs that share no unit is missed by k of them with a chance of (1 − p)^k, so that p may be
        1 − (1 − confidence)^(1/k). DeLong's variance knows nothing of it.
        """
        if self.units < LEAST_UNITS:
            return Bound(math.inf, "few")
        if len(self.spreads) == 1 and self.spreads[0].is_plain:
            return Bound(self._of_one(figure, confidence), "exact")
        seen = (
            self._of_one(figure, confidence) if len(self.spreads) == 1 else self._of_two(figure, confidence)
        )
        unseen = self._with_unseen(figure, self.values, 1 - (1 - confidence) ** (1 / self._apart))
        return Bound(seen, "delong") if seen >= unseen else Bound(unseen, "unseen")

    def _of_one(self, figure: Figure, confidence: float) -> float:
        ends = self.spreads[0].interval(2 * confidence - 1)
        (sign,) = figure.above
        return sign * (ends.high if sign > 0 else ends.low)

    def _of_two(self, figure: Figure, confidence: float) -> float:
        moved = self._moved(figure)
        return moved.bound(confidence) if moved.left_out_error > 0 else moved.auc

    def _with_unseen(self, figure: Figure, values: Sequence[float], share: float) -> float:
        """The figure where so great a share of the pairs are as bad as can be."""
        worst = figure.worst((0.0, 1.0)) or []
        return float(figure.of([(1 - share) * v + share * w for v, w in zip(values, worst, strict=True)]))

    @property
    def _apart(self) -> int:
        """How many pairs of rows of both classes there are that share no unit."""
        return min(each.apart for each in self.spreads)

    def foreseen(self, figure: Figure, distance: float, confidence: float) -> Foreseen | None:
        """As `Decider.foreseen`; at least what is to be shown of pairs none of which was seen."""
        from scipy.optimize import brentq

        normal = _normal(self._moved(figure).error, self.units, distance, confidence)
        level = [self.values[0]] * len(self.values)

        def lost(share: float) -> float:
            return self._with_unseen(figure, level, share) - float(figure.of(level))

        least = lost(1 - (1 - confidence) ** (1 / self._apart))
        detectable = least if normal is None else max(least, normal.detectable)
        if not distance > 0:
            return Foreseen(detectable, None)
        needed = LEAST_UNITS if normal is None else normal.needed or LEAST_UNITS
        if lost(1.0) > distance:
            pairs = math.log(1 - confidence) / math.log1p(-brentq(lambda p: lost(p) - distance, 0.0, 1.0))
            needed = max(needed, math.ceil(self.units * pairs / self._apart))
        return Foreseen(detectable, needed)

    def _moved(self, figure: Figure) -> AUCSpread:
        """What rows move the figure."""
        return AUCSpread.combined(float(figure.of(self.values)), self.spreads, figure.slopes(self.values))


@dataclass(frozen=True)
class OfValues:
    """By values alone, such as those of a saved result of predictions."""

    values: Sequence[float]
    units: int
    unit: Unit
    clusters: None = None
    seeds: None = None

    def upper(self, figure: Figure, confidence: float) -> Bound:  # noqa: ARG002 - there is none
        """None: what they could be is not known.

        Raises:
            UsageError: always.

        """
        raise UsageError(
            "a saved result of predictions has values and no rows to draw: leave out the confidence, or give "
            "the baseline's table"
        )

    def foreseen(self, figure: Figure, distance: float, confidence: float) -> None:
        """None: it is not known."""


def _no_share() -> DataError:
    """The error for a share of a baseline of which nothing can be told."""
    return DataError("the baseline's value can be 0 for all that these show; give max_drop as a number")


def _normal(error: float, units: int, distance: float, confidence: float) -> Foreseen | None:
    """What is foreseen of a figure that is nearly normal."""
    from scipy.special import ndtri

    detectable = float(ndtri(confidence) + ndtri(POWER)) * error
    if not detectable > 0:
        return None
    if not distance > 0:
        return Foreseen(detectable, None)
    return Foreseen(detectable, max(LEAST_UNITS, math.ceil(units * (detectable / distance) ** 2)))
