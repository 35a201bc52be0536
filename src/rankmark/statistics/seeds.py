"""Means and differences over queries and seeds, both of which were drawn: crossed random effects."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.rendering.records import Record
from rankmark.statistics.chance import LEAST_P, Evidence, PValue
from rankmark.statistics.intervals import Interval, known_leverage, standard_error
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Clusters, Floats, as_columns, as_floats, check_share
from rankmark.statistics.spread import standard_deviation, without_rounding

if TYPE_CHECKING:
    from rankmark.statistics.significance import Alternative

__all__ = ["Crossed", "NewSeeds", "SeedSpread", "VariancePart", "crossed"]


class VariancePart(NamedTuple):
    """A part of the variance of an estimate.

    Attributes:
        squared: the part: a squared standard error.
        freedom: its degrees of freedom.
        units: how many queries, clusters of them, or seeds it is of.

    """

    squared: float
    freedom: float
    units: int


class SeedSpread(NamedTuple):
    """What was seen of the seeds of a system.

    Attributes:
        squared: s²_m, the variance of the seeds' means.
        noise: s²_ε/n, what of it is expected of the noise of each query and seed.
        seeds: a, how many there are.
        times: how often a seed's variance is in that of the estimate.

    """

    squared: float
    noise: float
    seeds: int
    times: float

    def part(self, squared: Any = None) -> VariancePart:
        """What they add to the variance of the estimate, or would with other variances of seeds' means."""
        seen = self.squared if squared is None else squared
        own = np.maximum(0.0, seen - (1 - 2 / self.seeds) * self.noise) * self.times
        return VariancePart(own if squared is not None else float(own), self.seeds - 1, self.seeds)


class NewSeeds(NamedTuple):
    """What new seeds could add, a draw each.

    Attributes:
        reach: how far the truth would seem to be for them alone.
        error: the standard error that truly comes of them.

    """

    reach: Floats
    error: Floats


@dataclass(frozen=True, slots=True, repr=False)
class Crossed(Record):
    """A mean, or a difference of two, with how sure it is for other queries and other seeds; see `crossed`.

    Attributes:
        estimate: the mean or the difference.
        queries: the variance that comes of the queries, and of the noise of each query and seed.
        spreads: what was seen of the seeds of each system that is known to have some.

    """

    estimate: float
    queries: VariancePart
    spreads: tuple[SeedSpread, ...] = ()

    @property
    def seeds(self) -> tuple[VariancePart, ...]:
        """What seeds add, a part for each system that is known to have some."""
        return tuple(each.part() for each in self.spreads)

    @property
    def error(self) -> float:
        """The standard error; NaN of fewer than two queries."""
        return math.sqrt(self.queries.squared + sum(each.squared for each in self.seeds))

    def reach(self, chance: float) -> float:
        """How far the estimate is from the truth with at most this chance: half of an interval."""
        if not self.queries.freedom:
            return math.nan
        return math.sqrt(_reach(self.queries, chance) + _reach_of_seeds(self.seeds, chance))

    def reach_of_seeds(self, chance: float) -> float:
        """How far from it is the truth for what seeds add alone."""
        return math.sqrt(_reach_of_seeds(self.seeds, chance))

    def detectable(
        self, *, alpha: float = 0.05, power: float = 0.8, alternative: Alternative = "two-sided"
    ) -> float:
        """The true difference that as many new queries and seeds are to show with this power.

        The `power` quantile, over draws of what the variances could be and of what would be seen then, of how
        far an estimate has to be from 0 less by how much it is off. A variance of f degrees of freedom is
        drawn as s²·f/χ²_f, that of seeds as what this leaves of s²_m over the noise, 0 or more, of all
        systems together: they are taken to vary alike by seeds. Where they do, at least 78% of such
        differences are found of 80%, and up to 95% where two seeds cannot show that seeds do not matter;
        where only one of two systems varies of which both have several seeds, it can be 60%.
        NaN of fewer than two queries.
        """
        check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        check_share(alpha=alpha, power=power)
        if not self.queries.freedom:
            return math.nan
        chance = alpha if alternative == "two-sided" else 2 * alpha
        seeds, rng = self.new_seeds(chance), np.random.default_rng(1)
        freedom = self.queries.freedom
        true = self.queries.squared * freedom / rng.chisquare(freedom, DRAWS)
        squared: Any = true * rng.chisquare(freedom, DRAWS) / freedom
        seen = self.queries._replace(squared=squared)
        reach = np.sqrt(_reach(seen, chance) + seeds.reach**2)
        off = np.hypot(np.sqrt(true), seeds.error) * rng.standard_normal(DRAWS)
        return float(np.quantile(reach - off, power))

    def new_seeds(self, chance: float) -> NewSeeds:
        """What as many new seeds would add, in draws of what is not known; see `detectable`."""
        rng = np.random.default_rng(0)
        freedom = sum(each.seeds - 1 for each in self.spreads)
        if not freedom:
            return NewSeeds(np.zeros(DRAWS), np.zeros(DRAWS))
        pooled = sum((each.seeds - 1) * each.squared for each in self.spreads) / freedom
        noise = sum((each.seeds - 1) * each.noise for each in self.spreads) / freedom
        true = np.maximum(0.0, pooled * freedom / rng.chisquare(freedom, DRAWS) - noise)
        parts = [
            each.part((true + each.noise) * rng.chisquare(each.seeds - 1, DRAWS) / (each.seeds - 1))
            for each in self.spreads
        ]
        error = np.sqrt(true * sum(each.times for each in self.spreads))
        return NewSeeds(np.sqrt(_reach_of_seeds(tuple(parts), chance)), error)

    def interval(self, confidence: float = 0.95) -> Interval:
        """The confidence interval: NaN of fewer than two queries."""
        check_share(confidence=confidence)
        reach = self.reach(1 - confidence)
        return Interval(self.estimate - reach, self.estimate + reach)

    def p(self, alternative: Alternative = "two-sided", null: float = 0.0) -> PValue:
        """The p-value of the hypothesis that the truth is `null`: where the interval just leaves it out.

        NaN of fewer than two queries. Without spread (see `spread`) 1 if the estimate is `null`, else NaN.
        """
        check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        distance, known = self.estimate - null, self.queries.freedom
        t = distance / self.error if known and self.error else math.nan
        return PValue(
            self._p(distance, alternative),
            Evidence("t", self.queries.units if known else 0, t, self._freedom_of(distance)),
        )

    def _freedom_of(self, distance: float) -> float | None:
        """With how many degrees of freedom t has the p-value of this distance, on which they depend."""
        from scipy.optimize import brentq
        from scipy.special import stdtr

        known = self.queries.freedom
        if not (known and self.error and any(each.squared for each in self.seeds)):
            return known
        both, t = self._two_sided(abs(distance)), abs(distance) / self.error
        if not LEAST_P < both < 1:
            return None

        def over(freedom: float) -> float:
            return math.log(2 * stdtr(freedom, -t)) - math.log(both)

        least, most = 0.5, known + sum(each.freedom for each in self.seeds)
        return float(brentq(over, least, most)) if over(least) > 0 > over(most) else None

    def _p(self, distance: float, alternative: Alternative) -> float:
        if not self.queries.freedom:
            return math.nan
        if not self.error:
            return math.nan if distance else 1.0
        both = self._two_sided(abs(distance))
        if alternative == "two-sided":
            return both
        return both / 2 if (distance > 0) == (alternative == "greater") else 1 - both / 2

    def _two_sided(self, distance: float) -> float:
        from scipy import optimize, stats

        if not distance:
            return 1.0
        if not any(each.squared for each in self.seeds):
            t = distance / math.sqrt(self.queries.squared)
            return 2 * float(stats.t.sf(t, self.queries.freedom))

        def over(logarithm: float) -> float:
            return distance - self.reach(math.exp(logarithm))

        least = math.log(LEAST_P)
        if over(least) >= 0:
            return LEAST_P
        return math.exp(optimize.brentq(over, least, 0.0, xtol=1e-12))


def crossed(
    values: ArrayLike,
    others: ArrayLike | None = None,
    *,
    clusters: Clusters = None,
    leverage: ArrayLike | None = None,
    seedless: bool = False,
) -> Crossed:
    """The mean over queries and seeds, or the difference of two systems' means, with parts of its variance.

    A value is μ + query + seed + noise, y_qi = μ + Q_q + S_i + ε_qi, the seeds being each system's own. Of a
    and b seeds on n queries the variance of the difference has the parts

    - of queries: s²_d / n, s²_d the variance of the differences between each query's means over seeds; n − 1
      degrees of freedom;
    - of seeds, for each system: v_a = max(0, s²_m − (1 − 2/a)·s²_ε/n) / a, s²_m the variance of the seeds'
      means, s²_ε that of the noise (the mean square of y_qi − ȳ_q − ȳ_i + ȳ); a − 1 degrees of freedom. The
      noise is in s²_d, too, and so is taken out here; the less, the fewer seeds there are.

    The interval of chance α reaches √(t²_(n−1)·s²_d/n + min(Σ t²_(a−1)·v_a, t²_ν·Σ v_a)), t the quantiles
    1 − α/2, v the parts of seeds and ν Satterthwaite's degrees of freedom (Σ v)² / Σ(v²/(a − 1)), at most
    twice the fewer of both; a p-value is the α at which it reaches 0. Satterthwaite's degrees of freedom over
    all parts would find up to 8 of 100 differences that are none at 1%, where one of two systems has two
    seeds and the other none that matter; this finds at most 1.5 at 1% and 5 at 5%
    (`python -m benchmarks.coverage seeds`).

    Args:
        values: [queries, seeds], or [queries] of one seed; a query without a value of every seed of both is
            left out.
        others: those of another system on the same queries, that is subtracted; None for the mean.
        clusters: a label a query; whole clusters are then what varies, see `t_interval`.
        leverage: how much of all each query stands for; see `t_interval`.
        seedless: a system with one column depends on no seed. Else, beside one with several, it is taken to
            vary by seeds as much as that one; where both have one column, nothing is known of seeds, and the
            parts are those of queries.

    Raises:
        DataError: both are not of the same queries.

    Source:
        S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components", 1992, chapter 4 (moments); S. K.
        Banerjee, "Approximate confidence interval for linear functions of means of k populations when the
        population variances are not equal", Sankhyā 22, 1960 (Σ t²·v); F. E. Satterthwaite, "An approximate
        distribution of estimates of variance components", Biometrics Bulletin 2, 1946; why seeds count: X.
        Bouthillier et al., "Accounting for variance in machine learning benchmarks", MLSys 2021.

    """
    tables = [as_columns(each) for each in (values, others) if each is not None]
    lengths = sorted({len(each) for each in tables})
    if len(lengths) > 1:
        raise DataError(
            f"the systems have values of {' and '.join(map(str, lengths))} queries; give the same"
        )
    there = np.asarray(~np.isnan(np.column_stack(tables)).any(axis=1))
    labels = None if clusters is None else _labels(clusters, there)
    kept = [each[there] for each in tables]
    means = [each.mean(axis=1) for each in kept]
    own = means[0] if others is None else means[0] - means[1]
    shares = None if leverage is None else known_leverage(own, as_floats(leverage)[there])
    error, freedom, units = standard_error(own, labels, shares)
    estimate = float(without_rounding(own, np.column_stack(kept)).mean()) if len(own) else math.nan
    queries = VariancePart(error**2, freedom, units)
    if not freedom:
        return Crossed(estimate, queries)
    return Crossed(estimate, queries, tuple(_of_seeds(kept, labels, seedless)))


def _labels(clusters: NDArray[Any] | list[Any], there: NDArray[np.bool_]) -> NDArray[Any]:
    labels = np.asarray(clusters)
    if labels.shape[:1] != there.shape:
        raise DataError(f"{len(labels)} clusters for {len(there)} queries; give one a query")
    return labels[there]


DRAWS = 20_000
"""Of what could be."""


def _of_seeds(tables: list[Floats], labels: Clusters, seedless: bool) -> list[SeedSpread]:
    """What is seen of the seeds of each system; those of one with a single seed are in those of the other."""
    parts = []
    single = len(tables) == 2 and not seedless and any(each.shape[1] == 1 for each in tables)
    for table in tables:
        seeds = table.shape[1]
        if seeds > 1:
            times = 1 / seeds + (1 if single else 0)
            parts.append(SeedSpread(*_between_seeds(table, labels), seeds, times))
    return parts


def _between_seeds(table: Floats, labels: Clusters) -> tuple[float, float]:
    """The variance of the seeds' means, s²_m, and what of it is expected of noise, s²_ε/n."""
    seeds: int = table.shape[1]
    of_seeds = table.mean(axis=0)
    noise = without_rounding(table - table.mean(axis=1, keepdims=True) - (of_seeds - of_seeds.mean()), table)
    if labels is None:
        squared = float(np.sum(noise**2)) / ((len(table) - 1) * len(table) * (seeds - 1))
    else:
        squared = sum(standard_error(column, labels).error ** 2 for column in noise.T) / (seeds - 1)
    return standard_deviation(of_seeds) ** 2, squared


# Both take numbers and arrays of them.


@np.errstate(over="ignore", invalid="ignore")
def _reach(part: VariancePart, chance: float) -> Any:
    """The square of how far a part reaches, 0 where nothing varies, however small the chance."""
    return np.where(part.squared > 0, part.squared * _squared_t(chance, part.freedom), 0.0)


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def _reach_of_seeds(parts: tuple[VariancePart, ...], chance: float) -> Any:
    """The square of how far the seeds reach: Banerjee's sum, or less by the degrees of freedom of all."""
    each = sum(_reach(part, chance) for part in parts)
    whole: Any = sum(part.squared for part in parts)
    if len(parts) < 2:
        return each
    freedom = 1 / sum((np.asarray(part.squared) / whole) ** 2 / part.freedom for part in parts)
    most = 2 * min(part.freedom for part in parts)
    together = whole * _squared_t(chance, np.minimum(freedom, most))
    # Not known of fractions of a degree of freedom at the least of chances.
    return np.where(whole > 0, np.fmin(each, together), each)


def _squared_t(chance: float, freedom: Any) -> Any:
    from scipy.special import stdtrit

    return np.square(stdtrit(freedom, chance / 2))
