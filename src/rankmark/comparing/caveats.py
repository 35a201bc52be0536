"""What a reader should know of p-values: why there is none, and what their test does not say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from rankmark import statistics
from rankmark.comparing.judging import p_values, with_corrected
from rankmark.comparing.pairs import Opposed, corrected_pairs
from rankmark.rendering.words import counted
from rankmark.statistics.significance import TESTS, level_of_skewed

if TYPE_CHECKING:
    from rankmark.comparing.pairs import Pair, SystemValues
    from rankmark.comparing.plan import ComparisonPlan
    from rankmark.statistics.chance import Evidence
    from rankmark.statistics.corrections import CorrectionName
    from rankmark.statistics.intervals import Interval
    from rankmark.statistics.significance import Alternative, PairedTest, TestName

__all__ = [
    "apart_about_0",
    "caveats",
    "draws_lines",
    "left_out",
    "of_few",
    "skewed_lines",
    "such_pairs",
    "twins",
    "variance_lines",
    "without_spread",
]


def caveats(data: SystemValues, pairs: Sequence[Pair], plan: ComparisonPlan) -> Iterator[str]:
    """Sentences about the p-values of these pairs, judged by the plan."""
    yield from _too_few_units(pairs, plan)
    yield from _without_spread(pairs, plan)
    yield from _too_few_draws(pairs, plan)
    yield from _at_once(pairs, plan)
    if TESTS[plan.test].of_mean:
        yield from _skewed(pairs, plan)
    else:
        yield from _other_than_means(data, pairs, plan)
    if plan.alternative == "two-sided":
        yield from apart_about_0(pairs, plan.confidence)


def left_out(data: SystemValues, pairs: Sequence[Pair], query_ids: Sequence[Any]) -> Iterator[str]:
    """Which queries of a measure some systems have a value of, and others not, so that means leave them out.

    A difference is of the queries that both systems have, which can be more than those of the means.
    """
    for measure, common in data.common.items():
        some = np.any([data.there[measure, system] for system in data.systems], axis=0) & ~common
        if not some.any():
            continue
        count, of = int(np.count_nonzero(common)), f"means of {measure.label} are of the"
        left = f"{np.count_nonzero(some):,} left out, such as {query_ids[int(some.argmax())]!r}"
        line = f"{of} {counted(count, 'query', 'queries')} that all systems have a value of ({left})"
        if not count:
            line = f"no means of {measure.label}: no query has a value of all systems ({left})"
        if more := [pair for pair in pairs if pair.measure == measure and pair.queries > count]:
            line += f"; {such_pairs(more)}, on {more[0].queries:,}: compared on all that both have"
        yield line


def twins(data: SystemValues) -> Iterator[str]:
    """Which pairs have the same values throughout, and not one value everywhere."""
    for system, other in data.opponents:
        pairs = [(of[system], of[other]) for of in data.values.values()]
        same = all(np.array_equal(one, another, equal_nan=True) for one, another in pairs)
        if same and any(np.nanmin(one) < np.nanmax(one) for one, _ in pairs if not np.isnan(one).all()):
            yield f"{other} and {system} have the same value in every query: is it one run under two names?"


def _too_few_units(pairs: Sequence[Pair], plan: ComparisonPlan) -> Iterator[str]:
    """Which pairs nothing can show to differ, whatever their values."""
    if apart := [pair for pair in pairs if not pair.queries]:
        yield f"{such_pairs(apart)}: no query has a value of both"
    if alone := [pair for pair in pairs if pair.queries == 1]:
        yield f"{such_pairs(alone)}: 1 query says nothing of others; p-values and intervals take several"
    if few_resampled := [pair for pair in pairs if pair.queries > 1 and _is_of_few(pair, plan)]:
        yield of_few(TESTS[plan.test], few_resampled, "queries (or clusters)")
    if not TESTS[plan.test].of_signs or plan.simultaneous:
        return
    tests = sum(not math.isnan(pair.p) for pair in pairs) if plan.correction in ("holm", "bonferroni") else 1
    sides = 2 if plan.alternative == "two-sided" else 1
    several = ((pair, pair.evidence.n) for pair in pairs if pair.queries > 1 and pair.evidence)
    if few := [(pair, units) for pair, units in several if tests * sides * 0.5**units > plan.alpha]:
        least = min(1.0, sides * 0.5 ** max(units for _, units in few))
        times = f" times {tests}" * (tests > 1)
        yield (
            f"{such_pairs([pair for pair, _ in few])}: too few queries for anything to be significant; the "
            f"least p-value of the {TESTS[plan.test].title} is {least:.2g}{times}"
        )


def _without_spread(pairs: Sequence[Pair], plan: ComparisonPlan) -> Iterator[str]:
    untold = [pair for pair in pairs if math.isnan(pair.p) and pair.queries > 1 and pair.difference]
    if alike := [pair for pair in untold if not _is_of_few(pair, plan)]:
        yield without_spread(TESTS[plan.test].title, alike, "queries")


def _is_of_few(pair: Pair, plan: ComparisonPlan) -> bool:
    units = pair.evidence.n if pair.evidence else pair.queries
    return math.isnan(pair.p) and units < TESTS[plan.test].fewest


def of_few(test: PairedTest, pairs: Sequence[Opposed], units: str) -> str:
    """Why these pairs have no p-value: the test is of more units than they have."""
    return (
        f"{test.title}: no p-value of {such_pairs(pairs)}: it takes at least {test.fewest} {units}; the "
        "randomisation test takes fewer"
    )


def without_spread(test: str, pairs: Sequence[Opposed], units: str) -> str:
    """Why these pairs have no p-value: what such a test takes the spread of has none."""
    return (
        f"{test}: no p-value of {such_pairs(pairs)}: all {units} differ by the same, and without spread "
        "nothing says how surely; the randomisation test has an exact one"
    )


def such_pairs(pairs: Sequence[Opposed]) -> str:
    """How many they are, and the first of them."""
    return f"{counted(len(pairs), 'pair')},{_such(pairs)} {_named(pairs[0])}"


def _such(of: Sequence[object]) -> str:
    """What stands before the first of several; nothing before the only one."""
    return " such as" if len(of) > 1 else ""


def _named(pair: Opposed) -> str:
    return f"{pair.system} against {pair.baseline} by {pair.measure.label}"


def variance_lines(labels: NDArray[Any] | None) -> Iterator[str]:
    """What to say of an analysis of variance by clusters of which a few have most queries.

    Of 40 clusters of Pareto sizes it finds 12 % at the level of 5 %, where clusters of 1 to 9 queries have 6.
    """
    if labels is None or labels.ndim > 1:
        return
    sizes = np.unique(labels, return_counts=True)[1]
    # Kish's effective number of clusters
    if sizes.sum() ** 2 / (sizes**2).sum() < len(sizes) / 2:
        yield (
            "analysis of variance: a few clusters have most queries, by which its p-values are too small; "
            "those of the pairs hold"
        )


def _at_once(pairs: Sequence[Pair], plan: ComparisonPlan) -> Iterator[str]:
    """Which pairs a test of all systems leaves open, and a correction of each p-value would not."""
    if not plan.simultaneous:
        return
    usual = corrected_pairs(pairs, "holm", plan.alpha)
    apart = [one for one, other in zip(pairs, usual, strict=True) if other.significant > one.significant]
    if apart:
        yield (
            f"{such_pairs(apart)}: significant corrected by Holm, not by the {plan.simultaneous.title}, "
            "which asks of all differences whether they are greater than the range of all systems by chance"
        )


def _too_few_draws(pairs: Sequence[Pair], plan: ComparisonPlan) -> Iterator[str]:
    if not plan.simultaneous:
        yield from draws_lines([(pair.p, pair.evidence) for pair in pairs], plan.correction, plan.alpha)


def draws_lines(
    tested: Sequence[tuple[float, Evidence | None]], correction: str, alpha: float
) -> Iterator[str]:
    """Which p-values are of too few draws to be significant once they are corrected."""
    if correction == "none":
        return
    p = np.array([p for p, _ in tested])
    tests = np.count_nonzero(~np.isnan(p))
    draws = np.array([0 if each is None or math.isnan(p) else each.draws or 0 for p, each in tested])
    least = []
    for drawn in np.unique(draws[draws > 0]):
        # The smallest of these p-values, were it the smallest that there can be.
        own = np.where(draws == drawn, p, np.inf)
        first = own == own.min()
        at_best = np.where(first, 1 / (drawn + 1), p)
        if statistics.corrected(at_best, cast("CorrectionName", correction))[first.argmax()] > alpha:
            least += [int(drawn)] * np.count_nonzero(draws == drawn)
    if least:
        yield (
            f"{counted(len(least), 'p-value')} of {min(least):,} resamples: the smallest there can be, "
            f"{1 / (min(least) + 1):.2g}, is too great for {tests:,} tests at {alpha:g}; raise resamples"
        )


def _skewed(pairs: Sequence[Pair], plan: ComparisonPlan) -> Iterator[str]:
    """Which p-values may be too small, and which test holds its level nevertheless."""
    bounded = not plan.seeded and any(None not in pair.measure.bounds for pair in pairs)
    holds = '; test="bounded" holds its level whatever their skewness, and finds less' if bounded else ""
    yield from (f"{line}{holds}" for line in skewed_lines(pairs, plan.alpha, plan.alternative))


def skewed_lines(pairs: Sequence[Opposed], alpha: float, alternative: Alternative) -> Iterator[str]:
    """Which p-values of means may be too small since differences are skewed, and about by how much."""
    levels = [
        (level, pair)
        for pair in pairs
        if pair.evidence is not None and (level := level_of_skewed(pair.evidence, alpha, alternative))
    ]
    if levels:
        most, first = max(levels, key=lambda each: each[0])
        yield (
            f"{counted(len(levels), 'p-value')},{_such(levels)} of {_named(first)}, may be too small as of "
            "mean differences: these are few for being so skewed; where the mean is 0, about "
            f"{100 * most:.2g}% of such have p ≤ {alpha:g}"
        )


class Bracketed(Opposed, Protocol):
    """A pair with a p-value and the interval of its difference."""

    @property
    def p(self) -> float:
        """The chance of such a difference."""

    @property
    def interval(self) -> Interval:
        """Where the difference may be."""


def apart_about_0(pairs: Sequence[Bracketed], confidence: float) -> Iterator[str]:
    """Where the test and the interval of the same level disagree about a difference of 0."""
    for found in (True, False):
        apart = [
            pair
            for pair in pairs
            if not math.isnan(pair.p + pair.interval.low)
            and (pair.p <= 1 - confidence) is found
            and (pair.interval.low <= 0 <= pair.interval.high) is found
        ]
        if apart:
            first = apart[0]
            holds = "holds 0" if found else "does not hold 0"
            yield (
                f"{such_pairs(apart)}: p = {first.p:.2g}, and the {100 * confidence:.6g}% interval {holds}: "
                "the two are made in different ways and disagree; the p-value decides what is marked"
            )


def _other_than_means(data: SystemValues, pairs: Sequence[Pair], plan: ComparisonPlan) -> Iterator[str]:
    """Where the test disagrees with the default one, which is of the mean that is shown."""
    usual = next(iter(TESTS.values()))
    of_mean = replace(plan, test=cast("TestName", usual.name), test_options={})
    judged = [replace(pair, p=float(p)) for pair, p in zip(pairs, p_values(data, of_mean), strict=True)]
    for kind, other in ((True, "not"), (False, "but")):
        apart = [
            one
            for one, mean in zip(pairs, with_corrected(judged, of_mean), strict=True)
            if one.significant is kind and mean.significant is not kind
        ]
        if apart:
            here = "significant" if kind else "not significant"
            yield (
                f"{such_pairs(apart)}: {here} by the {TESTS[plan.test].title}, {other} by the {usual.title}, "
                "which is of the mean difference"
            )
