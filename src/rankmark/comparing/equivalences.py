"""Which systems are near enough to each other, over all pairs and measures of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from rankmark import statistics
from rankmark.comparing.pairs import SystemValues, direction
from rankmark.comparing.plan import ComparisonPlan
from rankmark.statistics.intervals import Interval

if TYPE_CHECKING:
    from rankmark.language.measure import Measure
    from rankmark.statistics.corrections import CorrectionName

__all__ = ["PairEquivalence", "correction_of", "equivalences"]


class PairEquivalence(NamedTuple):
    """Whether a system's value is within a margin of another's; see `statistics.equivalence`.

    Attributes:
        margin: differences below it, in either direction, do not matter.
        p_above: the p-value of a difference above −margin.
        p_below: that of one below margin.
        p: the greater of the two, the p-value of equivalence.
        interval: of confidence 1 − 2α; within ±margin just if p < α.
        p_not_worse: that of the system not being worse by the margin: `p_above`, or `p_below` where less is
            better.
        corrected: `p`, corrected for all pairs and measures as the p-values of the comparison are.
        corrected_not_worse: `p_not_worse`, alike.
        verdict: ``equivalent``, ``not worse`` or ``not shown``, by the corrected p-values.

    """

    margin: float
    p_above: float
    p_below: float
    p: float
    interval: Interval
    p_not_worse: float
    corrected: float
    corrected_not_worse: float
    verdict: str


def equivalences(
    data: SystemValues, plan: ComparisonPlan, margin: float
) -> dict[Measure, dict[tuple[str, str], PairEquivalence]]:
    """Those of each measure's pairs of a system and its baseline."""
    keys = [(measure, pair) for measure in data.values for pair in data.opponents]
    found = [
        statistics.equivalent(data.crossed(measure, *pair, plan.seedless), margin, alpha=plan.alpha)
        for measure, pair in keys
    ]
    found = [
        own._replace(interval=own.interval.within(data.bounds(measure, *pair)))
        for (measure, pair), own in zip(keys, found, strict=True)
    ]
    not_worse = [
        own.p_below if direction(measure) < 0 else own.p_above
        for (measure, _), own in zip(keys, found, strict=True)
    ]
    how = correction_of(plan)
    corrected = statistics.corrected([own.p for own in found], how)
    of_not_worse = statistics.corrected(not_worse, how)
    pairs: dict[Measure, dict[tuple[str, str], PairEquivalence]] = {measure: {} for measure in data.values}
    for (measure, pair), own, one, p, other in zip(
        keys, found, not_worse, corrected, of_not_worse, strict=True
    ):
        verdict = "equivalent" if p <= plan.alpha else "not worse" if other <= plan.alpha else "not shown"
        pairs[measure][pair] = PairEquivalence(*own, one, float(p), float(other), verdict)
    return pairs


def correction_of(plan: ComparisonPlan) -> CorrectionName:
    """What corrects these p-values: Holm where a test of all systems at once corrects the others."""
    return "holm" if plan.simultaneous else cast("CorrectionName", plan.correction)
