"""Analysis of variance of values by system, query, and what else they were replicated over."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError
from rankmark.rendering.records import Record
from rankmark.statistics.chance import LEAST_P, never_zero
from rankmark.statistics.resampling import Clusters, Floats, as_columns, as_floats, cluster_totals
from rankmark.statistics.spread import without_rounding

__all__ = ["Anova", "AnovaRow", "balanced_anova", "by_clusters", "two_way_anova"]

RESIDUAL = "residual"


class AnovaRow(NamedTuple):
    """One source of variance; NaN where a figure has no meaning.

    Attributes:
        squares: the sum of squares.
        freedom: its degrees of freedom.
        mean_square: squares / freedom.
        f: mean_square over that of the error.
        p: the chance of as great an F if the source had no effect; without error 1 if the source has no
            squares either, else NaN.
        eta_squared: the partial η²: f·freedom / (f·freedom + error_freedom), which is squares / (squares +
            those of the error) where the error is one source.
        omega_squared: the partial ω², which has less bias: freedom·(f − 1) / (freedom·(f − 1) + N), N the
            number of values.
        variance: of a random source, its component of the variance of a value, at least 0.
        error: the source that F is over, or the sum of several.
        error_freedom: the degrees of freedom of this; of a sum Satterthwaite's, which η² is by, while p is by
            those of each part (see `balanced_anova`).

    """

    squares: float
    freedom: int
    mean_square: float
    f: float = math.nan
    p: float = math.nan
    eta_squared: float = math.nan
    omega_squared: float = math.nan
    variance: float = math.nan
    error: str = ""
    error_freedom: float = math.nan


@dataclass(frozen=True, repr=False)
class Anova(Record):
    """A table of variance: ``anova["system"]`` is the row of a source.

    Attributes:
        rows: each source by its name, such as ``system``, ``query × system``, ``seed(system)``; the last is
            the ``residual``.
        levels: of each factor.

    """

    rows: Mapping[str, AnovaRow]
    levels: Mapping[str, int]

    def __getitem__(self, source: str) -> AnovaRow:
        return self.rows[source]


def two_way_anova(values: ArrayLike, *, clusters: Clusters = None) -> Anova:
    """The two-way analysis of variance without replication: x_ij = μ + query_i + system_j + ε_ij.

    For n queries and k systems SS_system = n·Σ_j (x̄_·j − x̄)², SS_query = k·Σ_i (x̄_i· − x̄)², SS_residual is
    what is left of Σ(x_ij − x̄)²; F has k − 1, or n − 1, and (n − 1)(k − 1) degrees of freedom. With clusters
    these take the place of queries (see `by_clusters`), so that of two systems F is the square of the t of
    `paired_t_test`, of clusters where these are of one size; where a few have most queries it finds too much,
    which t by clusters does not.

    Args:
        values: [queries, systems]; queries without a value of every system are left out.
        clusters: a label a query.

    Raises:
        DataError: fewer than two systems, or fewer than two queries, or clusters, with a value of each.

    Source:
        R. A. Fisher, "Statistical Methods for Research Workers", 1925, chapter VII; for retrieval J.
        Tague-Sutcliffe and J. Blustein, "A statistical analysis of the TREC-3 data", 1995.

    """
    table = as_columns(values)
    there = ~np.isnan(table).any(axis=1)
    if clusters is None:
        return balanced_anova(table[there], ("query", "system"))
    return balanced_anova(by_clusters(table[there], np.asarray(clusters)[there]), ("cluster", "system"))


def by_clusters(table: Floats, clusters: Clusters) -> Floats:
    """A value a cluster whose mean is that of the rows, and whose spread is what they know of it.

    z_c = x̄ + G/n · (S_c − m_c·x̄) for a cluster of m_c of n rows of sum S_c, of G clusters; its mean where
    all are of one size.

    Args:
        table: [rows, …] without NaN.
        clusters: a label a row.

    """
    labels = np.asarray(clusters)
    if labels.shape != table.shape[:1]:
        raise DataError("an analysis of variance knows clusters of one kind; give one label a query")
    columns = table.reshape(len(table), -1)
    totals, sizes = cluster_totals(columns, labels)
    mean = columns.mean(axis=0)
    return np.asarray(mean + (totals - sizes * mean) * len(sizes) / len(columns)).reshape(
        -1, *table.shape[1:]
    )


def balanced_anova(
    values: ArrayLike,
    factors: Sequence[str],
    *,
    random: Iterable[str] = (),
    nested: Mapping[str, str] | None = None,
) -> Anova:
    """The analysis of variance of any number of factors, with as many values of each combination: one.

    Sources are the factors and all that several of them do together; what all do is the residual. F is
    over the mean squares that are expected to be as great if the source has no effect, in the model
    without restrictions: E[MS_A] = Σ c_B·σ²_B over A and all random sources B that contain A, c_B the
    values of each level of B; where no source is that, a sum of several. The components σ² are those that
    make the expectations equal to the mean squares; those of REML where none of these is below 0.

    Of the sum MS_B + MS_C − MS_R, C the source that is nested or else named later, the parts are MS_B
    and, for each of the G levels that C is nested in, v_g = max(0, MS_Cg − (1 − 2/c)·MS_Rg) / G, c the
    levels of C in each of A: the noise is in MS_B, too, and so is taken out here, the less, the fewer
    levels there are. p is the α for which MS_A = F_α(ν_A, ν_B)·MS_B + F_α(ν_A, ν)·Σ v, of the upper
    quantiles of F, ν Satterthwaite's degrees of freedom of Σ v. Of two systems with seeds F is t² of
    `crossed`, and p the same. Satterthwaite's of the whole sum would find up to 6.4 of 100 differences
    that are none at 5% and 1.8 at 1% where there are two seeds. Any other sum has them.

    Topics, systems and shards of a collection are three factors, of which topics and shards are random; the
    seeds of a system are random and nested in it.

    Args:
        values: an axis a factor; levels of the first without all values are left out.
        factors: what the axes are, such as ``("query", "system", "shard")``.
        random: those whose levels were drawn from many; a source with one of them is random. Without any,
            every F is over the residual.
        nested: of a factor the one whose levels have each their own, ``{"seed": "system"}``.

    Raises:
        ChoiceError: factors that are not those of the axes.
        DataError: a factor of fewer than two levels.

    Source:
        S. R. Searle, G. Casella and C. E. McCulloch, "Variance Components", 1992, chapter 4; F. E.
        Satterthwaite, Biometrics Bulletin 2, 1946; quantiles by parts S. K. Banerjee, Sankhyā 22, 1960;
        ω² S. Olejnik and J. Algina, Psychological Methods 8, 2003; replicates by partition E. M.
        Voorhees, D. Samarov and I. Soboroff, "Using replicates in information retrieval evaluation", TOIS
        36, 2017; shards N. Ferro, Y. Kim and M. Sanderson, "Using collection shards to study retrieval
        performance effect sizes", TOIS 37, 2019.

    """
    names, parents, drawn = _checked(factors, nested or {}, tuple(random))
    table = as_floats(values)
    if table.ndim != len(names):
        raise ChoiceError(f"values of {table.ndim} dimensions, and {len(names)} factors; name each dimension")
    if np.isinf(table).any():
        raise DataError(f"{np.count_nonzero(np.isinf(table))} of the values are infinite: they have no mean")
    table = table[~np.isnan(table).reshape(len(table), -1).any(axis=1)]
    levels = dict(zip(names, table.shape, strict=True))
    if min(table.shape) < 2:
        counts = ", ".join(f"{name}: {count}" for name, count in levels.items())
        raise DataError(f"an analysis of variance needs two or more levels of each factor ({counts})")
    sources = _sources(table, names, parents)
    return Anova(_rows(sources, levels, frozenset(drawn), parents), levels)


Source = frozenset[str]


class _Squares(NamedTuple):
    """A sum of squares.

    Attributes:
        squares: the sum.
        freedom: its degrees of freedom.
        levels: the sum of each level of what the source is nested in; of one that is not, the sum.

    """

    squares: float
    freedom: int
    levels: Floats

    @property
    def mean(self) -> float:
        return self.squares / self.freedom

    @property
    def means(self) -> Floats:
        """The mean square of each of the levels."""
        return self.levels * len(self.levels) / self.freedom


class _Part(NamedTuple):
    """A part of what F is over, and its degrees of freedom."""

    mean: float
    freedom: float


def _checked(
    factors: Sequence[str], nested: Mapping[str, str], random: Sequence[str]
) -> tuple[tuple[str, ...], Mapping[str, str], Sequence[str]]:
    names = tuple(factors)
    if len(set(names)) < len(names) or len(names) < 2:
        raise ChoiceError(f"factors={factors!r}: give two or more, each once")
    for each in (*random, *nested, *nested.values()):
        if each not in names:
            raise ChoiceError(f"{each!r} is not one of the factors {', '.join(names)}")
    return names, nested, random


def _sources(table: Floats, names: Sequence[str], parents: Mapping[str, str]) -> dict[Source, _Squares]:
    """The sum of squares of each source; what is of a nested factor is of that within its parent."""
    axes = range(table.ndim)
    centred = table - table.mean()
    effects: dict[tuple[int, ...], Floats] = {}
    found: dict[Source, tuple[Floats, int]] = {}
    for of in chain.from_iterable(combinations(axes, count) for count in range(1, table.ndim + 1)):
        others = tuple(axis for axis in axes if axis not in of)
        own = centred.mean(axis=others, keepdims=True)
        for smaller, effect in effects.items():
            if set(smaller) < set(of):
                own = own - effect
        effects[of] = own = without_rounding(own, table)
        freedom = math.prod(table.shape[axis] - 1 for axis in of)
        source = frozenset(names[axis] for axis in of)
        source |= {parents[name] for name in source if name in parents}
        known, more = found.get(source, (np.zeros(1), 0))
        found[source] = np.asarray(known + own), more + freedom
    within = {source: {names.index(parents[name]) for name in source if name in parents} for source in found}
    return {source: _squares(*effect, within[source], table.size) for source, effect in found.items()}


def _squares(effect: Floats, freedom: int, within: set[int], size: int) -> _Squares:
    """Those of an effect on so many values, which is nested in these axes."""
    others = tuple(axis for axis in range(effect.ndim) if axis not in within)
    levels = np.ravel(np.sum(effect**2, axis=others)) * (size / effect.size)
    return _Squares(float(levels.sum()), freedom, levels)


def _rows(
    sources: Mapping[Source, _Squares],
    levels: Mapping[str, int],
    drawn: Source,
    parents: Mapping[str, str],
) -> dict[str, AnovaRow]:
    whole = frozenset(levels)
    random = [source for source in sources if source & drawn or source == whole]
    size = math.prod(levels.values())
    weights = {source: size / math.prod(levels[name] for name in source) for source in random}
    expected = np.array([[weights[b] * (a <= b) for b in random] for a in random])
    names = {source: _name(source, whole, levels, parents) for source in sources}
    rows = {}
    for source, own in sources.items():
        if source == whole:
            rows[names[source]] = AnovaRow(*own[:2], own.mean, variance=own.mean)
            continue
        wanted = np.array([weights[b] * (source < b) for b in random])
        parts = np.rint(np.linalg.solve(expected.T, wanted))
        error = {b: float(part) for b, part in zip(random, parts, strict=True) if part}
        over, apart = _error(source, error, sources, levels)
        row = _row(own, apart, size)
        if source in weights:
            expects = sum(part * sources[b].mean for b, part in error.items())
            row = row._replace(variance=max(0.0, own.mean - expects) / weights[source])
        rows[names[source]] = row._replace(error=_sum({names[b]: part for b, part in over.items()}))
    return rows


def _error(
    of: Source, error: Mapping[Source, float], sources: Mapping[Source, _Squares], levels: Mapping[str, int]
) -> tuple[Mapping[Source, float], list[_Part]]:
    """What F of a source is over: how much of which mean squares, and the parts of it."""
    if sorted(error.values()) != [-1, 1, 1]:
        return error, [
            _whole([_Part(part * sources[b].mean, sources[b].freedom) for b, part in error.items()])
        ]
    *both, rest = sorted(error, key=lambda b: (error[b] < 0, len(sources[b].levels), _place(b - of, levels)))
    first, second = both
    kept = 1 - 2 / math.prod(levels[name] for name in second - of)
    own, noise = sources[second], sources[rest]
    means, noises = own.means, noise.means
    if len(means) != len(noises):
        means, noises = np.array([own.mean]), np.array([noise.mean])
    apart = np.maximum(0.0, means - kept * noises) / len(means)
    second_part = _whole([_Part(float(each), own.freedom / len(means)) for each in apart])
    over = {b: -kept if b == rest else 1.0 for b in error if b != rest or kept}
    return over, [_Part(sources[first].mean, sources[first].freedom), second_part]


def _place(source: Source, levels: Mapping[str, int]) -> int:
    """Where the first factor of a source is named."""
    return min([*levels].index(name) for name in source)


def _whole(parts: Sequence[_Part]) -> _Part:
    """The sum of parts, with Satterthwaite's degrees of freedom."""
    mean = sum(part.mean for part in parts)
    spread = sum(part.mean**2 / part.freedom for part in parts)
    return _Part(mean, mean**2 / spread if spread else sum(part.freedom for part in parts))


def _row(own: _Squares, parts: Sequence[_Part], size: int) -> AnovaRow:
    """The row of a source, F over the sum of these parts."""
    over, freedom = _whole(parts)
    row = AnovaRow(*own[:2], own.mean)
    if over <= 0:
        return row._replace(p=1.0) if not own.squares and not over else row
    f = own.mean / over
    gained = own.freedom * (f - 1)
    return row._replace(
        f=f,
        p=_chance(own, [part for part in parts if part.mean]),
        eta_squared=f * own.freedom / (f * own.freedom + freedom),
        omega_squared=gained / (gained + size),
        error_freedom=freedom,
    )


def _chance(own: _Squares, parts: Sequence[_Part]) -> float:
    """The chance at which the quantiles of F over the parts come to this mean square."""
    from scipy import optimize, stats

    if len(parts) == 1:
        return never_zero(float(stats.f.sf(own.mean / parts[0].mean, own.freedom, parts[0].freedom)))
    if not own.mean:
        return 1.0

    def beyond(logarithm: float) -> float:
        """Above 0 where the mean square is greater than the quantiles come to; these can be infinite."""
        reach = 0.0
        for mean, freedom in parts:
            share = _beta_quantile(freedom / 2, own.freedom / 2, logarithm)
            f = freedom * (1 - share) / (own.freedom * share) if share else math.inf
            reach += mean * f
        return own.mean / (own.mean + reach) - 0.5

    least = math.log(LEAST_P)
    if beyond(least) >= 0:
        return LEAST_P
    return math.exp(optimize.brentq(beyond, least, 0.0, xtol=1e-12))


def _beta_quantile(a: float, b: float, logarithm: float) -> float:
    """The quantile of the beta distribution for the logarithm of a share.

    SciPy has none of shares such as 10⁻¹³⁰ for some a; there it is (share·a·B(a, b))^(1/a), but for x².
    """
    from scipy import special

    found = float(special.betaincinv(a, b, math.exp(logarithm)))
    if math.isnan(found):
        return math.exp((logarithm + math.log(a) + float(special.betaln(a, b))) / a)
    return found


def _name(source: Source, whole: Source, levels: Mapping[str, int], parents: Mapping[str, str]) -> str:
    """``query × seed(system)``; parents are named with what is nested in them."""
    if source == whole:
        return RESIDUAL
    within = {parents[name] for name in source if name in parents}
    own = (name for name in levels if name in source and name not in within)
    return " × ".join(f"{name}({parents[name]})" if name in parents else name for name in own)


def _sum(parts: Mapping[str, float]) -> str:
    """``a + b − 1/3 c``."""
    shares = {name: Fraction(abs(part)).limit_denominator(10**6) for name, part in parts.items()}
    words = [
        f"{'+' if part > 0 else '−'} {'' if shares[name] == 1 else f'{shares[name]} '}{name}"
        for name, part in parts.items()
    ]
    return " ".join(words).removeprefix("+ ")
