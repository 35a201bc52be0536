"""Plans how many queries it takes, from a deviation or from systems that were compared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmark import statistics
from rankmark.comparing.compared import Compared
from rankmark.comparing.pairs import check_reach, direction
from rankmark.comparing.powers import DESIGNS, Design, PowerRow, TopicSetSize
from rankmark.errors import ChoiceError, UsageError
from rankmark.statistics.bounded import Rows
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import check_share
from rankmark.statistics.significance import ALTERNATIVES, Alternative
from rankmark.statistics.spread import standard_deviation

if TYPE_CHECKING:
    from rankmark.language.measure import Measure

__all__ = ["power"]


def power(
    comparison: Compared | None = None,
    *,
    design: Design | None = None,
    difference: float | None = None,
    width: float | None = None,
    max_drop: float | None = None,
    deviation: float | None = None,
    queries: int | None = None,
    systems: int | None = None,
    design_effect: float = 1.0,
    alpha: float = 0.05,
    power: float = 0.8,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> TopicSetSize:
    """What a number of queries can show, and how many it takes: topic set size design.

    Args:
        comparison: what `compare` gave, of whose systems the deviation is estimated, with its clusters; or
            None, with `deviation`.
        design: what is planned for: ``t``, the paired t test (`statistics.power_of`); ``anova``, the one-way
            analysis of variance (`statistics.anova_power`); ``interval``, the expected width of Student's
            interval of the difference (`statistics.expected_width`); ``gate``, a gate with `confidence`. If
            None what goes with the wanted, or else ``t``.
        difference: to be found: between two systems, or of ``anova`` between the best and the worst; if None
            that observed between two.
        width: of the whole interval.
        max_drop: what the gate allows, in the measure's unit; queries have values from 0 to 1 where no
            comparison says what measure it is.
        deviation: the standard deviation over queries of the differences, of ``anova`` of a system's values.
        queries: how many there are, for what they can show.
        systems: how many there are, for ``anova``; those compared if None.
        design_effect: of clusters, where there is no comparison: 1 + (m − 1)·ρ for m queries each whose
            values have the correlation ρ.
        alpha: the level of the test.
        power: the chance of finding the difference, or that an equal candidate passes the gate.
        confidence: of the interval or of the gate.
        alternative: of the t test: ``two-sided``, ``greater`` or ``less``.

    Raises:
        UsageError: nothing to estimate the deviation from, nothing wanted, or values that are none.

    Source:
        T. Sakai, "Topic set size design", Information Retrieval Journal 19, 2016; the design effect L. Kish,
        "Survey Sampling", 1965.

    Example:
        >>> import rankmark as rm
        >>> rm.power(deviation=0.2, difference=0.05).rows[0].needed
        128
        >>> round(rm.power(deviation=0.2, queries=50).rows[0].detectable, 4)
        0.0808

    """
    check_share(alpha=alpha, power=power, confidence=confidence)
    check_choice("alternative", alternative, ALTERNATIVES)
    wanted = {"t": difference, "anova": difference, "interval": width, "gate": max_drop}
    if design is None:
        given = [name for name in ("interval", "gate") if wanted[name] is not None]
        design = given[0] if given else "t" if systems is None else "anova"  # type: ignore[assignment]
    check_choice("design", design, DESIGNS)
    assert design is not None
    plan = _Plan(design, wanted[design], alpha, power, confidence, alternative)
    notes: tuple[str, ...] = ()
    if comparison is not None:
        if deviation is not None or queries is not None or design_effect != 1:
            raise UsageError(
                "a comparison says the deviation, the queries and their clusters: leave these out"
            )
        if isinstance(plan.wanted, int | float):
            name = {"interval": "width", "gate": "max_drop"}.get(design, "difference")
            check_reach(name, plan.wanted, comparison.measures, 2 if design == "interval" else 1)
        count = systems or len(comparison.systems)
        rows = [*_of_comparison(plan, comparison, count)]
        notes = comparison.notes_of_results
    else:
        count = systems or 2
        rows = [_of_numbers(plan, deviation, queries, count, design_effect)]
    return TopicSetSize(design, alpha, power, confidence, alternative, count, tuple(rows), notes)


@dataclass(frozen=True, slots=True)
class _Plan:
    design: Design
    wanted: float | None
    alpha: float
    power: float
    confidence: float
    alternative: Alternative

    def detectable(self, deviation: float, units: int, systems: int) -> float:
        """What so many independent units show."""
        if self.design == "interval":
            return statistics.expected_width(deviation, units, confidence=self.confidence)
        how = {"alpha": self.alpha, "power": self.power}
        if self.design == "anova":
            return statistics.detectable_range(deviation, units, systems, **how)
        return statistics.detectable_difference(deviation, units, alternative=self.alternative, **how)

    def needed(self, wanted: float, deviation: float, systems: int) -> int:
        """How many independent units it takes."""
        if self.design == "interval":
            return statistics.queries_for_width(wanted, deviation, confidence=self.confidence)
        how = {"alpha": self.alpha, "power": self.power}
        if self.design == "anova":
            return statistics.queries_for_anova(wanted, deviation, systems, **how)
        return statistics.queries_needed(wanted, deviation, alternative=self.alternative, **how)


def _of_numbers(
    plan: _Plan, deviation: float | None, queries: int | None, systems: int, effect: float
) -> PowerRow:
    if deviation is None:
        raise UsageError("there is no spread to plan by: give deviation=0.2, say, or runs to take it from")
    if not 0 < deviation < math.inf:
        raise ChoiceError(f"deviation={deviation!r} is not a number above 0")
    if not 0 < effect < math.inf:
        raise ChoiceError(f"design_effect={effect!r} is not a number above 0")
    if queries is None and plan.wanted is None:
        raise UsageError(
            "nothing is asked: give queries=50, say, for what so many show, or for how many it takes "
            "difference=0.05, width=0.05 or max_drop=0.05"
        )
    if queries is not None and queries < 2:
        raise ChoiceError(f"queries={queries!r} is not a whole number from 2")
    each = deviation * math.sqrt(effect)
    if plan.design == "gate":
        found, needed = _of_rows(plan, _two_values(each, queries or 2), queries or 2)
        detectable = None if queries is None else found
    else:
        detectable = None if queries is None else plan.detectable(each, queries, systems)
        needed = None if plan.wanted is None else plan.needed(plan.wanted, each, systems)
    return PowerRow(None, None, None, queries, None, deviation, effect, detectable, plan.wanted, needed)


def _two_values(deviation: float, queries: int) -> Rows:
    """Drops of so many queries that are ±deviation, of at most 1."""
    return Rows(np.array([deviation, -deviation]), np.ones(2), (1.0, 1.0), queries / 2)


def _of_rows(plan: _Plan, rows: Rows, queries: int) -> tuple[float | None, int | None]:
    """What a gate over these rows shows, and how many queries it needs."""
    if not rows.decide:
        return None, None
    needed = None
    if plan.wanted is not None:
        needed = rows.needed(plan.wanted, plan.confidence, plan.power)
    each = queries / (rows.scale * len(rows.above))
    found = None if needed is None else math.ceil(needed * each)
    return rows.detectable(plan.confidence, plan.power), found


def _of_comparison(plan: _Plan, comparison: Compared, systems: int) -> Iterator[PowerRow]:
    if plan.design == "anova" and comparison.labels is not None:
        raise UsageError("the one-way analysis of variance knows no clusters: leave them out, or plan for t")
    for measure in comparison.measures:
        if plan.design == "anova":
            yield _of_systems(plan, comparison, measure, systems)
            continue
        for system, other in comparison.opponents:
            yield _of_pair(plan, comparison, measure, system, other)


def _of_systems(plan: _Plan, comparison: Compared, measure: Measure, systems: int) -> PowerRow:
    """By the variance within systems, over the queries of each."""
    values = [comparison.query_values(system, measure) for system in comparison.systems]
    own = [each[~np.isnan(each)] for each in values]
    count = min(map(len, own))
    deviation = math.sqrt(np.mean([standard_deviation(each) ** 2 for each in own]))
    known = deviation > 0 and count > 1
    detectable = plan.detectable(deviation, count, systems) if known else None
    needed = plan.needed(plan.wanted, deviation, systems) if known and plan.wanted else None
    return PowerRow(measure.label, None, None, count, None, deviation, 1.0, detectable, plan.wanted, needed)


def _of_pair(plan: _Plan, comparison: Compared, measure: Measure, system: str, other: str) -> PowerRow:
    spread = comparison.spread(measure, system, other)
    names = measure.label, system, other
    if plan.design == "gate":
        low, high = measure.bounds
        worst = None if low is None or high is None else (float(high - low), 1.0)
        drops = -direction(measure) * spread.differences
        labels = spread.labels
        if labels is not None and labels.ndim == 2:
            raise UsageError("a gate knows clusters of one kind")
        rows = Rows.of(drops, np.ones_like(drops), worst, labels)
        detectable, needed = _of_rows(plan, rows, spread.queries)
        wanted = plan.wanted
    else:
        wanted = plan.wanted
        if wanted is None and plan.design == "t":
            wanted = spread.mean
        known = spread.of_units > 0 and spread.units > 1
        detectable = None
        if known and plan.design == "t":
            detectable = spread.detectable(alpha=plan.alpha, power=plan.power, alternative=plan.alternative)
        elif known:
            detectable = plan.detectable(spread.of_units, spread.units, 2)
        needed = None
        if known and wanted and not spread.seeded:
            needed = spread.in_queries(plan.needed(wanted, spread.of_units, 2))
    return PowerRow(
        *names,
        spread.queries,
        spread.clusters,
        spread.deviation,
        spread.design_effect,
        detectable,
        wanted,
        needed,
    )
