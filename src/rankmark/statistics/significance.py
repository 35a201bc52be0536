"""Paired tests: whether the mean difference between two systems is more than chance.

All take differences, one a query, and give a p-value. ``alternative="greater"`` asks whether the differences
are above 0, ``less`` whether they are below, ``two-sided`` whether they are either. NaN is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import ChoiceError
from rankmark.statistics.chance import never_zero
from rankmark.statistics.intervals import standard_error
from rankmark.statistics.record import Statistic, check_choice, table
from rankmark.statistics.resampling import (
    Clusters,
    Floats,
    as_columns,
    bootstrap_means,
    check_drawn,
    cluster_totals,
    known,
    signed_sums,
)
from rankmark.statistics.signflips import upper_tail
from rankmark.statistics.spread import ROUNDING, deviations, without_rounding

__all__ = [
    "ALTERNATIVES",
    "TESTS",
    "Alternative",
    "PairedTest",
    "TestName",
    "bootstrap_shift_test",
    "paired_t_test",
    "randomisation_test",
    "shift_p",
    "sign_test",
    "signs",
    "wilcoxon_test",
]

Alternative = Literal["two-sided", "greater", "less"]
TestName = Literal["randomisation", "t", "wilcoxon", "sign", "bootstrap"]
ALTERNATIVES: tuple[Alternative, ...] = get_args(Alternative)


def paired_t_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    clusters: Clusters = None,
    null: float = 0.0,
) -> float:
    """Student's paired t test: t = (d̄ − null) / SE with n − 1 degrees of freedom, or clusters less 1.

    SE is that of `t_interval`, also for clusters of two kinds. Without spread (see `spread`) p is 1 if d̄ is
    `null`, else NaN.

    Args:
        differences: one a query.
        alternative: see the module.
        clusters: a label a query, or two: [queries, 2].
        null: the mean difference without an effect.

    Source:
        Student, "The probable error of a mean", Biometrika 6, 1908.

    """
    from scipy import stats

    check_choice("alternative", alternative, ALTERNATIVES)
    own, labels = known(differences, clusters)
    error, freedom = standard_error(own, labels)
    if not freedom:
        return math.nan
    effect = float(own.mean()) - null
    if not error:
        return math.nan if without_rounding(np.array([effect]), own).any() else 1.0
    t = effect / error
    if alternative == "two-sided":
        return never_zero(2 * float(stats.t.sf(abs(t), freedom)))
    return never_zero(float(stats.t.sf(t if alternative == "greater" else -t, freedom)))


def wilcoxon_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    zeros: Literal["wilcox", "pratt"] = "wilcox",
    method: Literal["auto", "exact", "normal"] = "auto",
    continuity: bool = True,
    digits: int | None = 12,
) -> float:
    """Wilcoxon's signed-rank test: of the sum of the ranks of |d|, each with the sign of d.

    Ties share their mean rank. The exact distribution is that over all signs of the ranks as they are, also
    where some are shared; other tools then take the normal one. Without any difference p is 1.

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
    own = _without_noise(known(differences)[0], digits)
    if zeros == "wilcox":
        own = own[own != 0]
    if not np.any(own):
        return 1.0
    if method != "normal":
        exact = _exact_p(np.sign(own) * stats.rankdata(np.abs(own)), alternative)
        if exact is not None:
            return exact
        if method == "exact":
            raise ChoiceError(f'method="exact" takes too long for {len(own)} differences; choose "normal"')
    found = stats.wilcoxon(
        own, zero_method=zeros, correction=continuity, alternative=alternative, method="asymptotic"
    )
    return never_zero(float(found.pvalue))


def sign_test(differences: ArrayLike, *, alternative: Alternative = "two-sided", tie: float = 0.0) -> float:
    """The sign test, by the binomial distribution: whether half of what is no tie is above 0.

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
    own = signs(known(differences)[0], tie)
    above, moved = np.count_nonzero(own > 0), np.count_nonzero(own)
    return never_zero(float(stats.binomtest(above, moved, 0.5, alternative).pvalue)) if moved else 1.0


def signs(differences: Floats, tie: float = 0.0) -> Floats:
    """−1, 0 or 1 for each difference, 0 up to the magnitude `tie` (but for rounding); NaN for NaN."""
    reach = tie + 1e-12 * max(1.0, tie)
    return np.where(np.abs(differences) <= reach, 0.0, np.sign(differences))


@overload
def randomisation_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = ...,
    method: Literal["auto", "exact", "monte-carlo"] = ...,
    clusters: Clusters = ...,
    resamples: int = ...,
    seed: int = ...,
    threads: int | None = ...,
    each: Literal[False] = ...,
) -> float: ...
@overload
def randomisation_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = ...,
    method: Literal["auto", "exact", "monte-carlo"] = ...,
    clusters: Clusters = ...,
    resamples: int = ...,
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
    seed: int = 0,
    threads: int | None = None,
    each: bool = False,
) -> float | Floats:
    """Fisher's randomisation test: if the systems were alike, each difference could have either sign.

    p is the share of the choices of signs under which T = Σ ±d_i is as extreme as Σd_i: |T| ≥ |Σd_i|, or
    one-sided T ≥ Σd_i or T ≤ Σd_i. It is exact where that is feasible (see `signflips.upper_tail`), else from
    m random choices, of which b are as extreme: (b + 1) / (m + 1). With clusters the sums of whole clusters
    change signs.

    Args:
        differences: one a query.
        alternative: see the module.
        method: ``exact``, ``monte-carlo``, or ``auto``: exact where feasible.
        clusters: a label a query.
        resamples: m.
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
    check_choice("alternative", alternative, ALTERNATIVES)
    check_choice("method", method, ("auto", "exact", "monte-carlo"))
    check_drawn(resamples, seed, threads)
    # What is left out adds nothing, whatever its sign.
    table = np.nan_to_num(as_columns(differences), nan=0.0)
    if clusters is not None:
        table, _ = cluster_totals(table, np.asarray(clusters))
    p = np.full(table.shape[1], np.nan)
    if method != "monte-carlo":
        exact = (_exact_p(column, alternative) for column in table.T)
        p[:] = [math.nan if each is None else each for each in exact]
    drawn = np.isnan(p)
    if drawn.any():
        if method == "exact":
            raise ChoiceError(f'method="exact" takes too long for {len(table)} differences; choose "auto"')
        sums = signed_sums(table[:, drawn], resamples=resamples, seed=seed, threads=threads)
        slack = ROUNDING * np.abs(table[:, drawn]).sum(axis=0)
        p[drawn] = _drawn_p(sums, table[:, drawn].sum(axis=0), slack, alternative)
    return p if each else float(p[0])


def bootstrap_shift_test(
    differences: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    clusters: Clusters = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
) -> float:
    """The bootstrap-shift test: resampled means, shifted to be around 0, against the observed one.

    With T* the mean of a resample less the observed mean d̄, b of m of them are as extreme: |T*| ≥ |d̄|, or
    one-sided T* ≥ d̄ or T* ≤ d̄; p = (b + 1) / (m + 1). Where all differences are the same, and not 0, every
    resample is alike and p is NaN.

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
        return math.nan
    means = bootstrap_means(own, clusters=labels, resamples=resamples, seed=seed, threads=threads)
    return shift_p(means, own, alternative)


def shift_p(resampled: Floats, differences: Floats, alternative: Alternative) -> float:
    """The bootstrap-shift test's p-value for means that have been resampled; differences have no NaN.

    It is NaN where all resamples are alike, and not 0 (see `spread`).
    """
    mean = float(differences.mean())
    if mean and not deviations(resampled).any():
        return math.nan
    slack = np.array([ROUNDING * np.abs(differences).mean()])
    return float(_drawn_p((resampled - mean)[:, None], np.array([mean]), slack, alternative)[0])


def _drawn_p(drawn: Floats, observed: Floats, slack: Floats, alternative: Alternative) -> Floats:
    """(b + 1) / (m + 1) of each column, of which b of m values drawn are as extreme as the one observed."""
    if alternative == "two-sided":
        extreme = np.abs(drawn) >= np.abs(observed) - slack
    elif alternative == "greater":
        extreme = drawn >= observed - slack
    else:
        extreme = drawn <= observed + slack
    return np.asarray((np.count_nonzero(extreme, axis=0) + 1) / (len(drawn) + 1))


def _exact_p(differences: Floats, alternative: Alternative) -> float | None:
    observed = float(differences.sum())
    if alternative != "two-sided":
        tail = upper_tail(differences, observed if alternative == "greater" else -observed)
        return None if tail is None else never_zero(min(1.0, tail))
    if abs(observed) <= ROUNDING * float(np.abs(differences).sum()):
        return 1.0
    tail = upper_tail(differences, abs(observed))
    return None if tail is None else never_zero(min(1.0, 2 * tail))


def _without_noise(differences: Floats, digits: int | None) -> Floats:
    """The differences as shares of the greatest, to so many decimals."""
    greatest = float(np.abs(differences).max(initial=0.0))
    return differences if digits is None or not greatest else np.round(differences / greatest, digits)


@dataclass(frozen=True, slots=True)
class PairedTest(Statistic):
    """A paired test that can be chosen.

    Its function takes the differences of one pair of systems and ``alternative``; and by name, if it has use
    for them, ``clusters``, and ``resamples``, ``seed`` and ``threads`` if it draws; with ``each`` it is given
    those of all pairs at once, [queries, pairs].

    Attributes:
        exact: whether it draws only where its exact distribution takes too long.
        linear: whether it goes by the spread of the differences, and so wants those of which the mean is the
            difference of two values that are no means (see `aggregation.terms.Terms.linear`).
        of_means: its p-value from resampled means of the differences, and the differences, where others have
            drawn them already.

    """

    exact: bool = False
    linear: bool = False
    of_means: Callable[[Floats, Floats, Alternative], float] | None = None

    @property
    def draws(self) -> bool:
        """Whether it can depend on resamples."""
        return "resamples" in self.takes


TESTS: Mapping[str, PairedTest] = table(
    PairedTest(
        "randomisation",
        "randomisation test (random signs)",
        randomisation_test,
        "without an effect each difference is as likely to have the other sign",
        exact=True,
    ),
    PairedTest(
        "t",
        "paired t test",
        paired_t_test,
        "the mean difference is nearly normal: many queries, or no long tails",
        linear=True,
    ),
    PairedTest(
        "wilcoxon",
        "Wilcoxon signed-rank test",
        wilcoxon_test,
        "without an effect differences lie symmetrically around 0; it is of their ranks, not of the mean",
    ),
    PairedTest(
        "sign",
        "sign test",
        sign_test,
        "without an effect half of the differences are above 0; it asks of none how great it is",
    ),
    PairedTest(
        "bootstrap",
        "bootstrap-shift test",
        bootstrap_shift_test,
        "there are queries enough that resamples of them vary as new queries would",
        linear=True,
        of_means=shift_p,
    ),
)
"""The first is the default. Each assumes that queries (or clusters of them) do not depend on each other."""
