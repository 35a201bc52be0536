"""How systems were compared, in words: what stands beneath the tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from rankmark.comparing.pairs import direction
from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS
from rankmark.rendering.words import counted, listed, printable, resamples_words
from rankmark.statistics.intervals import CAUTIONS, INTERVALS
from rankmark.statistics.significance import TESTS

if TYPE_CHECKING:
    from rankmark.comparing.compared import Compared
    from rankmark.comparing.pairs import Pair
    from rankmark.language.measure import Measure
    from rankmark.statistics.chance import Evidence

__all__ = [
    "APART",
    "DOWN",
    "UP",
    "caution_lines",
    "corrected_line",
    "interval_line",
    "mark_line",
    "methods",
    "queries_line",
    "run_lines",
    "sided",
    "sign_lines",
    "test_line",
    "way_line",
]

UP, DOWN, APART = "↑", "↓", "≠"


def test_line(shown: Compared) -> str:
    """Which test stands behind the marks."""
    plan, test = shown.plan, TESTS[shown.plan.test]
    words = [f"{plan.test_title}, {sided(plan.alternative)}"]
    if test.draws:
        words.append(_drawn(shown, exact=test.exact))
    if plan.test_options:
        words.append(", ".join(f"{name}={value}" for name, value in plan.test_options.items()))
    if plan.simultaneous:
        drawn = f"{resamples_words([plan.resamples])}, seed {plan.seed}"
        words.append(f"corrected by the {plan.simultaneous.title} test of each measure, {drawn}")
    else:
        tests = sum(not math.isnan(pair.p) for pair in shown.pairs)
        words.append(corrected_line(plan.correction, tests))
    return "; ".join(words)


def _drawn(shown: Compared, *, exact: bool) -> str:
    """Which p-values are exact, and of how many resamples the others are."""
    behind = [pair.evidence for pair in shown.pairs if pair.evidence and not math.isnan(pair.p)]
    drawn = [each.draws for each in behind if each.draws]
    surely = "exact or upper bounds" if any(each.way == "bound" for each in behind) else "exact"
    others = len(behind) - len(drawn)
    if others and not drawn:
        return f"p-values {surely}"
    rest = f" for {len(drawn)} of {len(behind)} p-values, others {surely}" if exact and others else ""
    return f"{resamples_words([shown.plan.resamples, *drawn])}{rest}, seed {shown.plan.seed}"


def way_line(evidence: Evidence) -> str:
    """By which distribution a p-value is."""
    if evidence.draws:
        return f"{evidence.draws:,} resamples"
    return {"bound": "upper bound", "t": "t", "normal": "normal"}.get(evidence.way, evidence.way)


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
    neither = [measure.label for measure in shown.measures if measure.better == "neither"]
    if len(shown.baselines) == 1:
        apart = f", {APART} different from it" if neither else ""
        return f"{UP} better, {DOWN} worse than {printable(shown.baselines[0])}{apart} ({level})"
    apart = f", by {listed(neither)} different from it" if neither else ""
    line = f"a letter: better than the system with that letter{apart} ({level})"
    if not shown.baselines:
        return line
    return f"{line}; compared are all others with {' and '.join(map(printable, shown.baselines))}"


def sign_lines(shown: Compared) -> Iterator[str]:
    """Which figures go by values and which by what is better, where less is."""
    if less := [measure.label for measure in shown.measures if direction(measure) < 0]:
        yield (
            f"less is better of {', '.join(less)}: differences, d and delta are below 0 where the system is "
            "better; superiority and wins are of what is better"
        )
    of_queries = [each for each in shown.query_measures if each.better == "neither"]
    if of_queries:
        yield (
            f"neither more nor less is better of {listed([each.label for each in of_queries])}: superiority "
            "and wins are of greater values"
        )


def run_lines(measures: Iterable[Measure]) -> Iterator[str]:
    """By what measures of the whole run were compared, which have no values of queries."""
    of_runs = [measure.label for measure in measures if measure.page.aggregate == "run"]
    if of_runs:
        yield (
            f"{listed(of_runs)}: of the whole run, of as many queries; intervals and p by what it is without "
            "each of some blocks of queries"
        )


def interval_line(shown: Compared) -> str:
    """How the intervals were made."""
    plan = shown.plan
    unit = "queries" if shown.clusters is None else "clusters of queries"
    over = f"of crossed {unit} and seeds" if plan.seeded else f"over {unit}"
    line = f"{100 * plan.confidence:.6g}% intervals: {methods(shown.pairs)} {over}"
    drawn = resamples_words(pair.resamples for pair in shown.pairs)
    return f"{line}, {drawn}, seed {plan.seed}" if drawn else line


def methods(pairs: Sequence[Pair]) -> str:
    """By which methods the intervals of pairs were made, and how many by each if there are several."""
    found = _methods(pairs)
    if len(found) == 1:
        return INTERVALS[next(iter(found))].title
    ways = (f"{INTERVALS[method].title} ({count} of {len(pairs)})" for method, count in found.items())
    return " and ".join(ways)


def _methods(pairs: Sequence[Pair]) -> dict[str, int]:
    """Those that draw come last."""
    found = Counter(pair.method for pair in pairs)
    return dict(sorted(found.items(), key=lambda each: INTERVALS[each[0]].draws))


def caution_lines(pairs: Sequence[Pair]) -> Iterator[str]:
    """Which intervals may hold the true difference less or more often than they say, and why."""
    for caution, why in CAUTIONS.items():
        warned = [pair for pair in pairs if pair.caution == caution]
        names = [
            f"{printable(pair.system)} against {printable(pair.baseline)} by {pair.measure.label}"
            for pair in warned[:3]
        ]
        if names:
            some = ", ".join(names) + (", …" if len(warned) > 3 else "")
            yield f"{len(warned)} of {len(pairs)} may cover more or less often ({some}): {why}"


def queries_line(shown: Compared) -> str:
    """How many queries were compared."""
    numbers = sorted({pair.queries for pair in shown.pairs})
    count = counted(numbers[0], "query", "queries")
    if len(numbers) > 1:
        count = f"{numbers[0]:,} to {counted(numbers[-1], 'query', 'queries')}, those with a value of both"
    clusters = shown.clusters
    if isinstance(clusters, tuple):
        count += f" in {' and '.join(f'{each:,}' for each in clusters)} clusters of two kinds"
    elif clusters is not None:
        count += f" in {counted(clusters, 'cluster')}"
    return f"compared on {count}" + ("" if shown.weighed is None else f"; {shown.weighed.line()}")
