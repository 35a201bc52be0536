"""Paired tests: whether the mean difference between two systems is more than chance.

All take differences, one a query, and give a p-value, a number that has as `evidence` what stands behind it.
``alternative="greater"`` asks whether the differences are above 0, ``less`` whether they are below,
``two-sided`` whether they are either. NaN is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Literal, cast, get_args, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, did_you_mean
from rankmark.statistics.bounded import Rows
from rankmark.statistics.chance import Evidence, PValue, Way
from rankmark.statistics.drawing import Counted, Drawn, drawn_p
from rankmark.statistics.intervals import ENOUGH, FEWEST, Sample, known_leverage, skewness
from rankmark.statistics.record import Statistic, check_choice, table
from rankmark.statistics.resampling import (
    Clusters,
    Floats,
    as_columns,
    bootstrap_means,
    check_drawn,
    cluster_totals,
    known,
    signed_counts,
)
from rankmark.statistics.signflips import tail_bounds, upper_tails
from rankmark.statistics.spread import ROUNDING, deviations, without_rounding

__all__ = [
    "ALTERNATIVES",
    "TESTS",
    "Alternative",
    "PairedTest",
    "TestName",
    "bootstrap_shift_test",
    "bounded_test",
    "level_of_skewed",
    "paired_t_test",
    "randomisation_test",
    "randomisation_tests",
    "shift_p",
    "sign_test",
    "signs",
    "t_of",
    "wilcoxon_test",
    "wins_and_losses",
]

Alternative = Literal["two-sided", "greater", "less"]
TestName = Literal["randomisation", "t", "wilcoxon", "sign", "bootstrap", "bounded"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)


def paired_t_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    clusters: Clusters = None,
    leverage: ArrayLike | None = None,
    null: float = 0.0,
) -> PValue:
    """Student's paired t test: t = (d̄ − null) / SE with n − 1 degrees of freedom.

    SE is that of `t_interval`, and so are the degrees of freedom with clusters, of one kind or two. Without
    spread (see `spread`) p is 1 if d̄ is `null`, else NaN.

    Args:
        differences: one a query.
        alternative: see the module.
        clusters: a label a query, or two: [queries, 2].
        leverage: how much of all each query stands for; see `t_interval`.
        null: the mean difference without an effect.

    Source:
        Student, "The probable error of a mean", Biometrika 6, 1908.

    """
    check_choice("alternative", alternative, ALTERNATIVES)
    own, labels = known(differences, clusters)
    return t_of(Sample(own, labels, known_leverage(differences, leverage)), alternative, null)


def t_of(sample: Sample, alternative: Alternative, null: float = 0.0) -> PValue:
    """The same of a sample."""
    from scipy import special

    own, (error, freedom, units) = sample.values, sample.error
    effect = sample.mean - null if len(own) else math.nan
    t = effect / error if freedom and error else math.nan
    evidence = Evidence("t", units if freedom else len(own), t, freedom, skewness=sample.skewness)
    if math.isnan(t):
        same = freedom and not without_rounding(np.array([effect]), own).any()
        return PValue(1.0 if same else math.nan, evidence)
    if alternative == "two-sided":
        return PValue(2 * float(special.stdtr(freedom, -abs(t))), evidence)
    return PValue(float(special.stdtr(freedom, -t if alternative == "greater" else t)), evidence)


def wilcoxon_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Literal["wilcox", "pratt"] = "wilcox",
    method: Literal["auto", "exact", "normal"] = "auto",
    continuity: bool = True,
    digits: int | None = 12,
) -> PValue:
    """Wilcoxon's signed-rank test: of the sum of the ranks of |d|, each with the sign of d.

    Ties share their mean rank. The exact distribution is that over all signs of the ranks as they are, also
    where some are shared; other tools then take the normal one. Without any difference p is 1.

    It is not a test of the mean: of 50 differences of which one in five gains what the others lose, with the
    mean 0, it has p < .05 in 9 of 10 cases (the sign test always, the t test in 1 of 10).

    Args:
        differences: one a query.
        alternative: see the module.
        zeros: whether differences of 0 are left out before ranking (``wilcox``) or after it (``pratt``).
        method: ``exact``; ``normal``, the normal approximation with the variance that ties leave; ``auto``,
            which is exact for up to some 360 differences.
        continuity: whether the normal approximation moves the statistic by a half towards its mean (R does).
        digits: differences alike to so many decimals of the greatest share a rank, as 0.3 − 0.2 and 0.2 − 0.1
            should; None tells apart whatever rounding left, as R and SciPy do.

    Raises:
        ChoiceError: ``exact`` of too many differences, or a choice that there is not.

    Source:
        F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945; J. W. Pratt,
        "Remarks on zeros and ties in the Wilcoxon signed rank procedures", JASA 54, 1959.

    """
    from scipy import stats

    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("zeros", zeros, ("wilcox", "pratt"))
    check_choice("method", method, ("auto", "exact", "normal"))
    if not isinstance(continuity, bool):
        raise ChoiceError(f"continuity={continuity!r} is neither True nor False")
    whole = hasattr(digits, "__index__") and not isinstance(digits, bool)
    if digits is not None and not (whole and 1 <= digits <= MOST_DIGITS):
        raise ChoiceError(f"digits={digits!r} is neither a whole number from 1 to {MOST_DIGITS} nor None")
    own = _without_noise(known(differences)[0], digits)
    none = int(np.count_nonzero(own == 0))
    if zeros == "wilcox":
        own = own[own != 0]
    ranks = stats.rankdata(np.abs(own))
    met, shared = np.unique(np.abs(own[own != 0]), return_counts=True)
    tied = int(shared[shared > 1].sum())

    def found(p: float, way: Way) -> PValue:
        plus = float(ranks[own > 0].sum())
        return PValue(p, Evidence(way, len(own), plus, zeros=none, tied=tied))

    if not len(met):
        return found(1.0, "exact")
    if method != "normal":
        (exact,) = _exact_p((np.sign(own) * ranks)[:, None], alternative)
        if not math.isnan(exact):
            return found(exact, "exact")
        if method == "exact":
            raise ChoiceError(f'method="exact" takes too long for {len(own)} differences; choose "normal"')
    normal = stats.wilcoxon(
        own, zero_method=zeros, correction=continuity, alternative=alternative, method="asymptotic"
    )
    return found(float(normal.pvalue), "normal")


def sign_test(differences: ArrayLike, *, alternative: Alternative = "two-sided", tie: float = 0.0) -> PValue:
    """The sign test, by the binomial distribution: whether half of what is no tie is above 0.

    It asks of none how far above, and so is not a test of the mean; see `wilcoxon_test`.

    Args:
        differences: one a query.
        alternative: see the module.
        tie: up to this magnitude a difference is a tie, and left out.

    Source:
        W. J. Dixon and A. M. Mood, "The statistical sign test", JASA 41, 1946; with `tie` as in C. J. van
        Rijsbergen, "Information Retrieval", 1979, chapter 7.

    """
    from scipy import stats

    check_choice("alternative", alternative, ALTERNATIVES)
    if not isinstance(tie, int | float) or isinstance(tie, bool) or not 0 <= tie < math.inf:
        raise ChoiceError(f"tie={tie!r} is not a number from 0")
    own, _ = known(differences)
    above, below = wins_and_losses(own, tie)
    moved = above + below
    evidence = Evidence("exact", moved, float(above), zeros=len(own) - moved)
    return PValue(float(stats.binomtest(above, moved, 0.5, alternative).pvalue) if moved else 1.0, evidence)


def signs(differences: Floats, tie: float = 0.0) -> Floats:
    """−1, 0 or 1 for each difference, 0 up to the magnitude `tie` (but for rounding); NaN for NaN.

    Rounding is what is less than 10⁻¹² of the tie or of the greatest difference.
    """
    return np.where(np.abs(differences) <= _reach(differences, tie), 0.0, np.sign(differences))


def wins_and_losses(differences: Floats, tie: float = 0.0) -> tuple[int, int]:
    """How many of the `signs` are 1, and how many −1."""
    reach = _reach(differences, tie)
    return int(np.count_nonzero(differences > reach)), int(np.count_nonzero(differences < -reach))


def _reach(differences: Floats, tie: float) -> float:
    """Up to which magnitude a difference is a tie."""
    greatest = float(np.nanmax(np.abs(differences), initial=0.0))
    return tie + ROUNDING * max(greatest, tie)


@overload
def randomisation_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = ...,
    method: Literal["auto", "exact", "monte-carlo"] = ...,
    clusters: Clusters = ...,
    resamples: int = ...,
    most: int | None = ...,
    seed: int = ...,
    threads: int | None = ...,
    each: Literal[False] = ...,
) -> PValue: ...
@overload
def randomisation_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = ...,
    method: Literal["auto", "exact", "monte-carlo"] = ...,
    clusters: Clusters = ...,
    resamples: int = ...,
    most: int | None = ...,
    seed: int = ...,
    threads: int | None = ...,
    each: Literal[True],
) -> Floats: ...
def randomisation_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    clusters: Clusters = None,
    resamples: int = 10_000,
    most: int | None = None,
    seed: int = 0,
    threads: int | None = None,
    each: bool = False,
) -> PValue | Floats:
    """Fisher's randomisation test: if the systems were alike, each difference could have either sign.

    p is the share of the choices of signs under which T = Σ ±d_i is as extreme as Σd_i: |T| ≥ |Σd_i|, or
    one-sided T ≥ Σd_i or T ≤ Σd_i. It is exact where that is feasible (see `signflips.upper_tails`), else
    from m random choices, of which b are as extreme: (b + 1) / (m + 1). Where p is so small that all the
    choices would tell no more than that it is below 1 / (m + 1), it is a bound that p is certain not to
    exceed (see `signflips.tail_bounds`). With clusters the sums of whole clusters change signs:
    these may be of any sizes, have to be symmetric around 0 where systems are alike, and fewer than six give
    no p of 0.05 or less.

    It holds its level where the systems can be exchanged. As a test of the mean difference it is as good as
    the t test: of few and very skewed differences with the mean 0 it finds too many, of which
    `level_of_skewed` says about how many, and `bounded_test` not.

    Args:
        differences: one a query.
        alternative: see the module.
        method: ``exact``, ``monte-carlo``, or ``auto``: exact where feasible.
        clusters: a label a query.
        resamples: m.
        most: up to which m rises where fewer than 100 choices are as extreme (see `drawing`); `resamples` if
            None.
        seed: of the signs, which all columns share.
        threads: how many to use; all cores if None.
        each: whether the differences are [queries, columns], to be tested column by column.

    Returns:
        The p-value, or float64 [columns].

    Raises:
        ChoiceError: ``exact`` where that takes too long, or a choice that there is not.

    Source:
        R. A. Fisher, "The Design of Experiments", 1935, section 21; M. D. Smucker, J. Allan and B.
        Carterette, "A comparison of statistical significance tests for information retrieval evaluation",
        CIKM 2007; for b + 1, B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", 2010.

    """
    found = randomisation_tests(
        differences,
        alternative=alternative,
        method=method,
        clusters=clusters,
        resamples=resamples,
        most=most,
        seed=seed,
        threads=threads,
    )
    return np.array(found, dtype=np.float64) if each else found[0]


def randomisation_tests(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    method: Literal["auto", "exact", "monte-carlo"] = "auto",
    clusters: Clusters = None,
    resamples: int = 10_000,
    most: int | None = None,
    seed: int = 0,
    threads: int | None = None,
) -> list[PValue]:
    """`randomisation_test` of each column of the differences, with what stands behind it."""
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("method", method, ("auto", "exact", "monte-carlo"))
    check_drawn(resamples, seed, threads)
    # What is left out adds nothing, whatever its sign.
    given = as_columns(differences)
    table, there = np.nan_to_num(given, nan=0.0), ~np.isnan(given)
    means = table.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    if clusters is not None:
        table, _ = cluster_totals(table, np.asarray(clusters))
        there = cluster_totals(there.astype(float), np.asarray(clusters))[0] > 0
    counts = there.sum(axis=0)
    most = max(resamples, most or 0)
    p, draws = np.full(table.shape[1], np.nan), np.zeros(table.shape[1], dtype=np.int64)
    ways = np.full(table.shape[1], "exact", dtype="<U5")
    if method != "monte-carlo":
        p = _exact_p(table, alternative, threads)
    if method == "exact" and np.isnan(p).any():
        raise ChoiceError(f'method="exact" takes too long for {len(table)} differences; choose "auto"')
    if method == "auto":
        left = np.flatnonzero(np.isnan(p))
        bounds = _bounded_p(table[:, left], alternative)
        certain = bounds <= 1 / (most + 1)
        p[left[certain]], ways[left[certain]] = bounds[certain], "bound"
    left = np.flatnonzero(np.isnan(p))
    ways[left] = "drawn"
    p[left], draws[left] = _drawn_signs(table[:, left], alternative, resamples, most, seed, threads)
    evidence = (
        Evidence(
            cast("Way", str(way)),
            int(count),
            float(mean),
            draws=int(drawn) or None,
            skewness=skewness(*known(column, clusters)),
        )
        for way, count, mean, drawn, column in zip(ways, counts, means, draws, given.T, strict=True)
    )
    return [PValue(float(own), behind) for own, behind in zip(p, evidence, strict=True)]


def _drawn_signs(
    table: Floats, alternative: Alternative, resamples: int, most: int, seed: int, threads: int | None
) -> Drawn:
    """The p-values of columns by random signs."""
    low, high = _reaches(table.sum(axis=0), ROUNDING * np.abs(table).sum(axis=0), alternative)

    def extreme(first: int, end: int, columns: NDArray[np.intp]) -> Counted:
        some = low[columns], high[columns]
        return signed_counts(table[:, columns], *some, first=first, end=end, seed=seed, threads=threads)

    return drawn_p(extreme, table.shape[1], resamples=resamples, most=most)


def bootstrap_shift_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    clusters: Clusters = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> PValue:
    """The bootstrap-shift test: resampled means, shifted to be around 0, against the observed one.

    With T* the mean of a resample less the observed mean d̄, b of m of them are as extreme: |T*| ≥ |d̄|, or
    one-sided T* ≥ d̄ or T* ≤ d̄; p = (b + 1) / (m + 1). Where all differences are the same, and not 0, every
    resample is alike and p is NaN. So it is for fewer than 10 differences, or clusters, which are drawn again
    in too few ways to say how new ones vary: of two, half of the resamples are all of one.

    Args:
        differences: one a query.
        alternative: see the module.
        clusters: a label a query; whole clusters are drawn.
        resamples: m.
        seed: of the resamples.
        threads: how many to use; all cores if None.

    Source:
        E. W. Noreen, "Computer-Intensive Methods for Testing Hypotheses", 1989; compared with others by J.
        Urbano, H. Lima and A. Hanjalic, "Statistical significance testing in information retrieval", SIGIR
        2019.

    """
    check_choice("alternative", alternative, ALTERNATIVES)
    own, labels = known(differences, clusters)
    if not len(own):
        return PValue(math.nan, Evidence("drawn", 0))
    means = bootstrap_means(own, clusters=labels, resamples=resamples, seed=seed, threads=threads)
    return shift_p(means, own, alternative, labels)


FEWEST_RESAMPLED = 10
"""How many units have to be there for a test of resamples."""


def shift_p(
    resampled: Floats,
    differences: Floats,
    alternative: Alternative,
    clusters: Clusters = None,
    *,
    units: int | None = None,
) -> PValue:
    """The bootstrap-shift test's p-value for means that have been resampled; differences have no NaN.

    It is NaN where all resamples are alike, and not 0 (see `spread`), and for fewer than 10 units: `units` if
    given, else differences or clusters of them.
    """
    mean = float(differences.mean())
    if units is None:
        units = len(differences) if clusters is None else len(np.unique(clusters))
    skewed = skewness(differences, clusters)
    evidence = Evidence("drawn", units, mean, draws=len(resampled), skewness=skewed)
    if mean and (units < FEWEST_RESAMPLED or not deviations(resampled).any()):
        return PValue(math.nan, evidence)
    slack = np.array([ROUNDING * np.abs(differences).mean()])
    low, high = _reaches(np.array([mean]), slack, alternative)
    shifted = resampled - mean
    extreme = np.count_nonzero((shifted <= low) | (shifted >= high))
    return PValue((extreme + 1) / (len(resampled) + 1), evidence)


def bounded_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    reach: float = 1.0,
    clusters: Clusters = None,
) -> PValue:
    """The test of the mean by Gaffke's bound (`gaffke_bound`), of differences that have a greatest magnitude.

    One-sided p is P(Σ E_i·d_i ≤ reach·E_0), or with −d_i of ``less``, the E independent and exponential: 1 −
    the confidence at which the bound of the mean is 0. Two-sided it is twice the less of both, 1 at most.

    It assumes independent differences of one law and that none is beyond `reach`, and nothing else of them:
    it holds its level however skewed they are and however few change, as far as the bound does. That costs
    power, for one query more is counted, which goes against the effect as far as one can: of 50 differences
    of average precision it finds 37% where t finds 80%, and of 200 67%. Effects that are small beside `reach`
    / n it cannot find, also where every query has them: 60 differences of 0.01 have p = 1 with a reach of 1.

    Args:
        differences: one a query.
        alternative: see the module.
        reach: what no difference of the population exceeds in magnitude: 1 of measures from 0 to 1.
        clusters: a label a query; then the one more is a cluster as large as the largest seen.

    Raises:
        DataError: a difference beyond `reach`.

    Source:
        That of `gaffke_bound`; for tests from bounds E. L. Lehmann, J. P. Romano, "Testing Statistical
        Hypotheses", 2005, section 3.5.

    """
    check_choice("alternative", alternative, ALTERNATIVES)
    if not isinstance(reach, int | float) or isinstance(reach, bool) or not 0 < reach < math.inf:
        raise ChoiceError(f"reach={reach!r} is not a number above 0")
    own, labels = known(differences, clusters)
    if not len(own):
        return PValue(math.nan, Evidence("bound", 0))
    if beyond := int(np.count_nonzero(np.abs(own) > reach * (1 + ROUNDING))):
        raise DataError(
            f"{beyond} of {len(own)} differences are beyond reach={reach:g}, up to {np.abs(own).max():g}: "
            "the bounded test is of differences that are not"
        )

    def towards(sign: int) -> float:
        rows = Rows.of(-sign * own, np.ones_like(own), (reach, 1.0), labels)
        return rows.chance_above(0.0)

    units = len(own) if labels is None else len(np.unique(labels))
    evidence = Evidence("bound", units, float(own.mean()))
    if alternative == "two-sided":
        return PValue(min(1.0, 2 * towards(1), 2 * towards(-1)), evidence)
    return PValue(towards(1 if alternative == "greater" else -1), evidence)


def level_of_skewed(evidence: Evidence, level: float, alternative: Alternative = "two-sided") -> float | None:
    """How often, about, a test of the mean finds a difference at this level where it is 0, and d so skewed.

    For n differences with the skewness γ, to the order of 1/n: level + 2φ(z)·z·(z⁴ + 2z² − 3)·γ²/(18n) with z
    = Φ⁻¹(1 − level/2), or one-sided to that of 1/√n: level ∓ φ(z)·(2z² + 1)·γ/(6√n) with z = Φ⁻¹(1 − level).
    It is of Student's t, which random signs and resampled means come close to. Of few differences the
    skewness of those that are there is less than that of all, so that it may be more.

    Returns:
        None where n > 25γ², of other tests, where it is not more than the level, and of fewer than 10
        differences, whose skewness nobody knows.

    Source:
        P. Hall, "The Bootstrap and Edgeworth Expansion", 1992, section 2.6.

    """
    from scipy.special import ndtri

    skewed, n = evidence.skewness, evidence.n
    if skewed is None or n > ENOUGH * skewed**2 or n < FEWEST:
        return None
    z = float(-ndtri(level / 2 if alternative == "two-sided" else level))
    density = math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    if alternative == "two-sided":
        more = 2 * density * z * (z**4 + 2 * z**2 - 3) * skewed**2 / (18 * n)
    else:
        towards = 1 if alternative == "less" else -1
        more = towards * density * (2 * z**2 + 1) * skewed / (6 * math.sqrt(n))
    return min(level + more, 1.0) if more > 0 else None


def _reaches(observed: Floats, slack: Floats, alternative: Alternative) -> tuple[Floats, Floats]:
    """Of each column up to where, and from where, what is drawn is as extreme as what was observed."""
    if alternative == "two-sided":
        high = np.abs(observed) - slack
        return -high, high
    if alternative == "greater":
        return np.full_like(observed, -np.inf), observed - slack
    return observed + slack, np.full_like(observed, np.inf)


def _exact_p(table: Floats, alternative: Alternative, threads: int | None = None) -> Floats:
    """The exact p-values of columns; NaN where that takes too long."""
    observed = table.sum(axis=0)
    if alternative != "two-sided":
        return np.minimum(1.0, upper_tails(table, _towards(observed, alternative), threads=threads))
    p = np.ones(len(observed))
    apart = np.abs(observed) > ROUNDING * np.abs(table).sum(axis=0)
    tails = upper_tails(table[:, apart], np.abs(observed[apart]), threads=threads)
    p[apart] = np.minimum(1.0, 2 * tails)
    return p


def _bounded_p(table: Floats, alternative: Alternative) -> Floats:
    """What the p-values of columns are certain not to exceed."""
    observed = _towards(table.sum(axis=0), alternative)
    sides = 2 if alternative == "two-sided" else 1
    return np.minimum(1.0, sides * tail_bounds(table, observed))


def _towards(observed: Floats, alternative: Alternative) -> Floats:
    """The sums as far as they go in the direction that the alternative has."""
    if alternative == "two-sided":
        return np.abs(observed)
    return observed if alternative == "greater" else -observed


def _without_noise(differences: Floats, digits: int | None) -> Floats:
    """The differences as shares of the greatest, to so many decimals."""
    greatest = float(np.abs(differences).max(initial=0.0))
    return differences if digits is None or not greatest else np.round(differences / greatest, digits)


MOST_DIGITS = 15
"""Decimals that floats of up to 1 have."""
TOLD = (
    "differences",
    "alternative",
    "clusters",
    "leverage",
    "null",
    "resamples",
    "most",
    "seed",
    "threads",
    "each",
)
"""What a test is told by whoever runs it; all else are its options."""


@dataclass(frozen=True, slots=True)
class PairedTest(Statistic):
    """A paired test that can be chosen.

    Its function takes the differences of one pair of systems and ``alternative``; and by name, if it has use
    for them, ``clusters``, and ``resamples``, ``most``, ``seed`` and ``threads`` if it draws. It gives a
    `PValue`.

    Attributes:
        exact: whether it draws only where its exact distribution takes too long.
        linear: whether it goes by the spread of the differences, and so wants those of which the mean is the
            difference of two values that are no means (see `aggregation.terms.Terms.linear`).
        of_mean: whether it is of the mean difference, and not of ranks or signs.
        fewest: of fewer units that differ it has no p-value.
        whatever_skewed: whether it holds its level for the mean of differences of any skewness.
        of_signs: whether p is of all choices of the signs, of which n differences have 2ⁿ.
        many: the same of the differences of all pairs at once, [queries, pairs], where that is faster.
        of_means: its p-value from resampled means of the differences, and the differences, where others have
            drawn them already.
        of_sample: its p-value from the differences, of which others have found something already.

    """

    exact: bool = False
    linear: bool = False
    of_mean: bool = True
    fewest: int = 0
    whatever_skewed: bool = False
    of_signs: bool = False
    many: Callable[..., list[PValue]] | None = None
    of_means: Callable[[Floats, Floats, Alternative, Clusters], PValue] | None = None
    of_sample: Callable[[Sample, Alternative], PValue] | None = None

    @property
    def draws(self) -> bool:
        """Whether it can depend on resamples."""
        return "resamples" in self.takes

    @property
    def options(self) -> tuple[str, ...]:
        """What else it can be told, such as ``zeros``."""
        return tuple(name for name in self.takes if name not in TOLD)

    def check(self, options: Mapping[str, Any]) -> None:
        """Refuses options that it does not take, and values that these do not have."""
        for name in options:
            if name not in self.options:
                others = f"it takes {', '.join(self.options)}" if self.options else "it takes none"
                hint = did_you_mean(name, self.options)
                raise ChoiceError(f'test="{self.name}" takes no {name!r}; {others}{hint}')
        try:
            self.function(np.array([0.1, -0.2, 0.3]), **options)
        except ChoiceError as error:
            told = str(error)
            for name in options:
                # Quoted, since there are other things of such names.
                if told.startswith(f"{name}="):
                    told = f'test="{self.name}": {name!r}{told.removeprefix(name)}'
            raise ChoiceError(told) from None


TESTS: Mapping[str, PairedTest] = table(
    PairedTest(
        "randomisation",
        "randomisation test (random signs)",
        randomisation_test,
        "without an effect each difference is as likely to have the other sign",
        exact=True,
        of_signs=True,
        many=randomisation_tests,
    ),
    PairedTest(
        "t",
        "paired t test",
        paired_t_test,
        "the mean difference is nearly normal: many queries, or no long tails",
        linear=True,
        of_sample=t_of,
    ),
    PairedTest(
        "wilcoxon",
        "Wilcoxon signed-rank test",
        wilcoxon_test,
        "without an effect differences lie symmetrically around 0; it is of their ranks, not of the mean: of "
        "skewed differences with the mean 0 it finds most to differ",
        of_mean=False,
        of_signs=True,
    ),
    PairedTest(
        "sign",
        "sign test",
        sign_test,
        "without an effect half of the differences are above 0; it asks of none how great it is, and is "
        "not of the mean",
        of_mean=False,
        of_signs=True,
    ),
    PairedTest(
        "bootstrap",
        "bootstrap-shift test",
        bootstrap_shift_test,
        "there are queries enough that resamples of them vary as new queries would",
        linear=True,
        fewest=FEWEST_RESAMPLED,
        of_means=shift_p,
    ),
    PairedTest(
        "bounded",
        "bounded test (Gaffke's bound)",
        bounded_test,
        "values have a least and a greatest one; it holds its level however skewed differences are, and "
        "finds less than t",
        linear=True,
        whatever_skewed=True,
    ),
)
"""The first is the default. Each assumes that queries (or clusters of them) do not depend on each other."""
