"""How systems' predictions were compared, in words: what stands beneath the tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from rankmark.aggregation.intervals import way
from rankmark.comparing.caveats import apart_about_0, draws_lines, of_few, such_pairs, without_spread
from rankmark.comparing.words import corrected_line, sided
from rankmark.rendering.words import counted
from rankmark.statistics.mcnemar import MCNEMAR
from rankmark.statistics.significance import TESTS

if TYPE_CHECKING:
    from rankmark.comparing.prediction_tests import PredictionPlan, PredictionTest
    from rankmark.comparing.predictions import PredictionPair

__all__ = ["disagreement_lines", "interval_line", "least_lines", "spread_lines", "test_line"]

How = TypeVar("How")
WIDE = (
    "; the interval is Student's, and wide where a few queries or rows move the difference most, as a user "
    "with very many rows can; random signs ask whether these favour one system more often and more strongly"
)
"""Why an interval of what each unit adds can be wider than random signs say."""
UNITS: Mapping[str, str] = {"queries": "query", "rows": "row"}
"""One of each unit."""


def interval_line(plan: PredictionPlan, pairs: Iterable[PredictionPair]) -> str:
    """How the intervals of these pairs were made."""
    ways = _measures(
        (way(each.method, [each.resamples if _is_drawn(each) else None]), each) for each in pairs
    )
    made = "; ".join(f"{', '.join(names)} by {how}" for how, names in ways)
    return f"{100 * plan.sampling.confidence:g}% of differences: {made}"


def _is_drawn(pair: PredictionPair) -> bool:
    return pair.method in ("bca", "percentile")


def test_line(plan: PredictionPlan, pairs: Sequence[PredictionPair]) -> str:
    """Which tests stand behind the p-values of these pairs."""
    ways = _measures((_tested(each), each) for each in pairs)
    tests = "; ".join(f"{', '.join(names)} by {how}" for how, names in ways)
    corrected = corrected_line(plan.correction, sum(not math.isnan(pair.p) for pair in pairs))
    return f"tests: {tests}; {sided(plan.alternative)}; {corrected}"


def _tested(pair: PredictionPair) -> str:
    """The test of a pair, and over what."""
    unit = UNITS[pair.unit]
    over = counted(pair.units, unit, pair.unit)
    if pair.groups is not None:
        over += f" in {pair.groups} random groups"
    drawn = f", {pair.resamples:,} resamples" if pair.test == "bootstrap" and pair.resamples else ""
    return f"{_title(pair.test)} over {over}{drawn}"


def _title(test: PredictionTest) -> str:
    known = {
        "delong-t": "DeLong's test with t",
        "delong": "DeLong's test",
        "mcnemar": f"the {MCNEMAR['mid-p'].title}",
    }
    return known[test] if test in known else f"the {TESTS[test].title}"


def _measures(found: Iterable[tuple[How, PredictionPair]]) -> list[tuple[How, list[str]]]:
    """The measures of each way."""
    ways: dict[How, dict[str, None]] = {}
    for how, pair in found:
        ways.setdefault(how, {})[pair.measure.label] = None
    return [(how, list(names)) for how, names in ways.items()]


def least_lines(plan: PredictionPlan, pairs: Sequence[PredictionPair]) -> Iterator[str]:
    """Of which measures no p-value can be significant: random signs of too few units, or too few draws."""
    tests = 1 if plan.correction == "none" else sum(not math.isnan(pair.p) for pair in pairs)
    sides = 2 if plan.alternative == "two-sided" else 1
    yield from draws_lines([(each.p, each.evidence) for each in pairs], plan.correction, plan.alpha)
    signed = (each for each in pairs if each.test == "randomisation" and not math.isnan(each.p))
    least = ((each.units, each.unit, sides * 0.5 ** (each.groups or each.units), each) for each in signed)
    few = (((units, unit, p), each) for units, unit, p, each in least if min(1.0, p) * tests > plan.alpha)
    for (units, unit, p), names in _measures(few):
        over = counted(units, UNITS[unit], unit)
        times = f", {tests} times that with the correction" if tests > 1 else ""
        least_p = f"the least p-value of random signs is {min(1.0, p):.4g}{times}"
        yield f"{', '.join(names)}: nothing can be significant over {over}: {least_p}"


def disagreement_lines(plan: PredictionPlan, pairs: Sequence[PredictionPair]) -> Iterator[str]:
    """Where p and interval disagree, and what makes them, as a query with very many rows does."""
    if plan.alternative != "two-sided":
        return
    for by_signs in (False, True):
        alike = [
            pair for pair in pairs if ((pair.method, pair.test) == ("delta", "randomisation")) is by_signs
        ]
        for line in apart_about_0(alike, plan.sampling.confidence):
            yield line + (WIDE if by_signs else "")


def spread_lines(pairs: Sequence[PredictionPair]) -> Iterator[str]:
    """Which pairs are too few or do not vary, so that they have an interval without width, or no p-value."""
    fewest = TESTS["bootstrap"].fewest
    drawn = [each for each in pairs if each.test == "bootstrap" and each.difference]
    if few := [each for each in drawn if math.isnan(each.p) and 1 < each.units < fewest]:
        yield of_few(TESTS["bootstrap"], few, "rows (or queries)")
    by_unit: dict[str, list[PredictionPair]] = {}
    for pair in pairs:
        if pair.units > 1 and pair.low == pair.high:
            by_unit.setdefault(pair.unit, []).append(pair)
    for unit, still in by_unit.items():
        if equal := [pair for pair in still if not pair.difference]:
            yield (
                f"{such_pairs(equal)}: no {UNITS[unit]} tells them apart, and an interval without width does "
                "not say how far apart they can be"
            )
        if untold := [pair for pair in still if pair.difference and math.isnan(pair.p) and pair not in few]:
            yield without_spread(_title(untold[0].test), untold, unit)
