"""How systems were compared, in words: what stands beneath the tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS
from rankmark.rendering.words import counted, printable
from rankmark.statistics.intervals import INTERVALS
from rankmark.statistics.significance import TESTS

if TYPE_CHECKING:
    from rankmark.comparing.compared import Compared

__all__ = [
    "DOWN",
    "UP",
    "corrected_line",
    "interval_line",
    "mark_line",
    "queries_line",
    "sided",
    "test_line",
]

UP, DOWN = "↑", "↓"


def test_line(shown: Compared) -> str:
    """Which test stands behind the marks."""
    plan, test = shown.plan, TESTS[shown.plan.test]
    words = [f"{plan.test_title}, {sided(plan.alternative)}"]
    if test.draws:
        exact = " where not exact" if test.exact else ""
        words.append(f"{plan.resamples:,} resamples{exact}, seed {plan.seed}")
    if plan.simultaneous:
        words.append(f"corrected by the {plan.simultaneous.title} test of each measure")
    else:
        tests = sum(not math.isnan(pair.p) for pair in shown.pairs)
        words.append(corrected_line(plan.correction, tests))
    return "; ".join(words)


def sided(alternative: str) -> str:
    """Which differences a test counts."""
    return "two-sided" if alternative == "two-sided" else f"one-sided ({alternative})"


def corrected_line(correction: str, tests: int) -> str:
    """How the p-values of so many tests were corrected."""
    over = counted(tests, "test")
    if correction == "none":
        return f"{over}, not corrected"
    return f"corrected by {CORRECTIONS_OF_SYSTEMS[correction].title} over {over}"


def mark_line(shown: Compared) -> str:
    """What the marks mean."""
    level = f"p ≤ {shown.plan.alpha:g}"
    if len(shown.baselines) == 1:
        return f"{UP} better, {DOWN} worse than {printable(shown.baselines[0])} ({level})"
    line = f"a letter: better than the system with that letter ({level})"
    if not shown.baselines:
        return line
    return f"{line}; compared are all others with {' and '.join(map(printable, shown.baselines))}"


def interval_line(shown: Compared) -> str:
    """How the intervals were made."""
    plan, interval = shown.plan, INTERVALS[shown.plan.interval]
    line = f"{100 * plan.confidence:.6g}% intervals: {plan.interval_title}"
    if not interval.draws:
        return line
    unit = "queries" if shown.clusters is None else "clusters of queries"
    return f"{line} over {unit}, {plan.resamples:,} resamples, seed {plan.seed}"


def queries_line(shown: Compared) -> str:
    """How many queries were compared."""
    numbers = sorted({pair.queries for pair in shown.pairs})
    count = counted(numbers[0], "query", "queries")
    if len(numbers) > 1:
        count = f"{numbers[0]:,} to {counted(numbers[-1], 'query', 'queries')}, those with a value of both"
    clusters = "" if shown.clusters is None else f" in {counted(shown.clusters, 'cluster')}"
    return f"compared on {count}{clusters}"
