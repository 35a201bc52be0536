"""Plans how many queries it takes, from a deviation or from systems that were compared."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark import statistics
from rankmark.comparing.compared import Compared
from rankmark.comparing.conditions import allowance
from rankmark.comparing.deciding import Figure, OfQueries
from rankmark.comparing.pairs import check_reach, direction
from rankmark.comparing.powers import DESIGNS, Design, PowerRow, TopicSetSize
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, UsageError
from rankmark.progress import reading
from rankmark.rendering.words import brief
from rankmark.statistics.bounded import Rows
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import check_share
from rankmark.statistics.significance import ALTERNATIVES, Alternative
from rankmark.statistics.spread import standard_deviation

if TYPE_CHECKING:
    from rankmark.language.measure import Measure
    from rankmark.statistics.seeds import NewSeeds

__all__ = ["power"]


def power(
    comparison: Compared | None = None,
    *,
    design: Design | None = None,
    difference: float | None = None,
    width: float | None = None,
    max_drop: float | str | None = None,
    deviation: float | None = None,
    queries: int | None = None,
    systems: int | None = None,
    design_effect: float = 1.0,
    alpha: float | None = None,
    power: float | None = None,
    confidence: float | None = None,
    alternative: Alternative = "two-sided",
) -> TopicSetSize:
    """What a number of queries can show, and how many it takes: topic set size design.

    Args:
        comparison: what `compare` gave, of whose systems the deviation is estimated, with its clusters and
            weights, for queries that weigh as these do; or None, with `deviation`.
        design: what is planned for: ``t``, the paired t test (`statistics.power_of`); ``anova``, the one-way
            analysis of variance (`statistics.anova_power`); ``interval``, the expected width of Student's
            interval of the difference (`statistics.expected_width`); ``gate``, a gate with `confidence`. If
            None what goes with the wanted, or else ``t``.
        difference: to be found: between two systems, or of ``anova`` between the best and the worst; if None
            that observed between two.
        width: of the whole interval.
        max_drop: what the gate allows, in the measure's unit, or with a comparison as a share of the
            baseline's value (``"0.5%"``), which rows give in the unit; queries have values from 0 to 1 where
            no comparison says what measure it is.
        deviation: the standard deviation over queries of the differences, of ``anova`` of a system's values.
        queries: how many there are, for what they can show.
        systems: how many there are, for ``anova``; those compared if None.
        design_effect: of clusters, where there is no comparison: 1 + (m − 1)·ρ for m queries each whose
            values have the correlation ρ.
        alpha: the level of the test, of ``t`` and ``anova``; 0.05 if None.
        power: the chance of finding the difference, or that an equal candidate passes the gate; 0.8 if None.
        confidence: of the interval or of the gate; 0.95 if None.
        alternative: of the t test: ``two-sided``, ``greater`` or ``less``.

    Raises:
        UsageError: nothing to estimate the deviation from, nothing wanted, what goes with another design,
            or values that are none.

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
    levels = {"alpha": alpha, "power": power, "confidence": confidence}
    said = {name: value for name, value in levels.items() if value is not None}
    check_share(**said)
    check_choice("alternative", alternative, ALTERNATIVES)
    allowed = None if max_drop is None else allowance(max_drop)
    asked = {"difference": difference, "width": width, "max_drop": None if allowed is None else allowed.drop}
    wanted = {name: value for name, value in asked.items() if value is not None}
    _check_numbers(deviation=deviation, design_effect=design_effect, **wanted)
    _check_counts(queries=queries, systems=systems)
    design = _design(design, wanted, systems)
    if alternative != "two-sided" and design != "t":
        raise UsageError(f"alternative={alternative!r} is of the t test, and planned is for {design!r}")
    for name in said:
        if name not in LEVELS[design]:
            raise UsageError(
                f"{name} says nothing of {DESIGNS[design]}, which takes {' and '.join(LEVELS[design])}: "
                "leave it out, or plan for another design"
            )
    relative = allowed is not None and allowed.relative
    plan = _Plan(design, wanted.get(WANTED[design]), relative, alternative=alternative, **said)
    notes: tuple[str, ...] = ()
    if comparison is not None:
        if not isinstance(comparison, Compared):
            raise UsageError(
                f"comparison is a {type(comparison).__name__}; give what `compare`, `compare_results` or "
                "`compare_matrix` gave, or numbers by their names: rm.power(deviation=0.2, difference=0.05)"
            )
        if deviation is not None or queries is not None or design_effect != 1:
            raise UsageError(
                "a comparison says the deviation, the queries and their clusters: leave these out"
            )
        if plan.wanted is not None and not plan.relative:
            times = 2 if design == "interval" else 1
            check_reach(WANTED[design], abs(plan.wanted), comparison.measures, times)
        count = systems or len(comparison.systems)
        with reading("planning", None, None):
            rows = [*_of_comparison(plan, comparison, count)]
        notes = (
            *comparison.notes_of_results,
            *_of_few(plan, rows),
            *_beyond(plan, rows, comparison.measures),
        )
    else:
        count = systems or 2
        rows = [_of_numbers(plan, deviation, queries, count, design_effect)]
    seeds = comparison is not None and any(len(each) > 1 for each in comparison.results.values())
    notes += tuple(_not_known(rows, seeds=seeds))
    figures = plan.alpha, plan.power, plan.confidence, alternative
    return TopicSetSize(design, *figures, count, tuple(rows), notes)


WANTED: Mapping[Design, str] = {
    "t": "difference",
    "anova": "difference",
    "interval": "width",
    "gate": "max_drop",
}
"""What is to be shown, by what is planned for."""
LEVELS: Mapping[Design, tuple[str, ...]] = {
    "t": ("alpha", "power"),
    "anova": ("alpha", "power"),
    "interval": ("confidence",),
    "gate": ("confidence", "power"),
}
"""How surely, alike."""
MOST_COUNTED = 10**9
"""Of queries or systems; what takes more is not planned."""
LEAST_SHOWN, MOST_SHOWN = 1e-5, 1e8
"""What is to be shown, as a multiple of the deviation: less takes more than so many, more takes two."""


def _check_numbers(**numbers: Any) -> None:
    """Refuses what are no numbers to plan by; only a difference can be below 0."""
    for name, value in numbers.items():
        if value is None:
            continue
        known = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if known and not value and name in WANTED.values():
            raise ChoiceError(f"{name}={value!r}: no number of queries shows it")
        if not known or (value <= 0 and name != "difference"):
            above = "" if name == "difference" else " above 0"
            raise ChoiceError(f"{name}={brief(value)} is not a number{above}")


def _check_counts(**counts: Any) -> None:
    for name, value in counts.items():
        whole = hasattr(value, "__index__") and not isinstance(value, bool)
        if value is not None and not (whole and 2 <= value <= MOST_COUNTED):
            raise ChoiceError(f"{name}={brief(value)} is not a whole number from 2 to {MOST_COUNTED:,}")


def _design(design: Design | None, wanted: Mapping[str, float], systems: int | None) -> Design:
    """What is planned for: the design that was asked for, or that goes with what is wanted."""
    if len(wanted) > 1:
        raise UsageError(f"{' and '.join(wanted)} are of different designs: give one of them")
    usual: list[Design] = ["t" if systems is None else "anova", "interval", "gate"]
    fitting = [each for each in usual if WANTED[each] in wanted] or usual
    found = design or fitting[0]
    check_choice("design", found, DESIGNS)
    for name in wanted:
        if name != WANTED[found]:
            raise UsageError(f"{name} goes with another design: {found!r} takes {WANTED[found]}")
    if systems is not None and found != "anova":
        raise UsageError(f"systems={systems} is of the analysis of variance, and planned is for {found!r}")
    return found


def _not_known(rows: Sequence[PowerRow], *, seeds: bool) -> Iterator[str]:
    """Why it is not said of some rows how many queries it takes."""
    pairs: dict[str, list[str]] = {}
    for row in rows:
        if row.wanted is not None and row.needed is None:
            pair = row.measure if row.system is None else f"{row.system} against {row.baseline}"
            pairs.setdefault(_why_not(row, seeds=seeds), []).append(f" of {pair}" if pair else "")
    for why, which in pairs.items():
        more = f" and {len(which) - 1:,} more" if len(which) > 1 else ""
        yield f"no number of queries{which[0]}{more}: {why}"


def _why_not(row: PowerRow, *, seeds: bool) -> str:
    if not row.deviation > 0:
        return "the queries do not vary, or are fewer than two"
    if not row.wanted:
        return "there is nothing to be shown, the difference being 0"
    if row.detectable is None and row.queries is not None:
        return "too few of them differ"
    if seeds:
        return "what systems vary by seeds is not made up for by more queries"
    return f"it takes more than {MOST_COUNTED:,}"


FEW = 10
"""Of fewer queries, or clusters, the deviation is so unsure that its interval is said."""


def _of_few(plan: _Plan, rows: Sequence[PowerRow]) -> Iterator[str]:
    """What the deviation of few queries can be, and what then is needed, by the chi-squared interval."""
    from scipy.special import chdtri

    if plan.design not in ("t", "interval"):
        return
    for row in rows:
        units = row.clusters or row.queries or 0
        if not 2 <= units < FEW or not row.deviation > 0:
            continue
        freedom = units - 1
        ends = [math.sqrt(freedom / float(chdtri(freedom, tail))) for tail in (0.025, 0.975)]
        low, high = (row.deviation * end for end in ends)
        line = (
            f"{_named(row)}: the deviation is of {units} {'clusters' if row.clusters else 'queries'}, and "
            f"can be {low:.4g} to {high:.4g} (95% interval, chi-squared)"
        )
        if row.needed is not None and row.wanted:
            spread = row.deviation * math.sqrt(row.design_effect)
            found = [plan.needed(row.wanted, spread * end, 2) for end in ends]
            each = (row.queries or units) / units
            least, most = ("too many" if n is None else f"{math.ceil(n * each):,}" for n in found)
            line += f", so that {least} to {most} queries are needed"
        yield line


def _beyond(plan: _Plan, rows: Sequence[PowerRow], measures: Sequence[Measure]) -> Iterator[str]:
    """Where what can be found is more than values of the measure can differ by."""
    if plan.design not in ("t", "anova"):
        return
    bounds = {measure.label: measure.bounds for measure in measures}
    for row in rows:
        low, high = bounds.get(row.measure or "", (None, None))
        if row.detectable is None or low is None or high is None:
            continue
        if row.detectable > high - low:
            yield (
                f"{_named(row)}: no difference is as great as the detectable, {row.detectable:.4g}, since "
                f"values are from {low:g} to {high:g}; it takes more queries to find any"
            )


def _named(row: PowerRow) -> str:
    pair = "" if row.system is None else f"{row.system} against {row.baseline} by "
    return f"{pair}{row.measure}"


@dataclass(frozen=True, slots=True)
class _Plan:
    design: Design
    wanted: float | None
    relative: bool
    alpha: float = 0.05
    power: float = 0.8
    confidence: float = 0.95
    alternative: Alternative = "two-sided"

    def detectable(self, deviation: float, units: int, systems: int) -> float:
        """What so many independent units show."""
        plan = TopicSetSize(
            self.design, self.alpha, self.power, self.confidence, self.alternative, systems, ()
        )
        return plan.detectable(deviation, units)

    def needed(self, wanted: float, deviation: float, systems: int) -> int | None:
        """How many independent units it takes; None where that is too many."""
        if abs(wanted) < LEAST_SHOWN * deviation:
            return None
        found = self._needed(min(abs(wanted), MOST_SHOWN * deviation), deviation, systems)
        return found if found <= MOST_COUNTED else None

    def _needed(self, wanted: float, deviation: float, systems: int) -> int:
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
    if queries is None and plan.wanted is None:
        raise UsageError(
            "nothing is asked: give queries=50, say, for what so many show, or for how many it takes "
            "difference=0.05, width=0.05 or max_drop=0.05"
        )
    each = deviation * math.sqrt(effect)
    if not 0 < each < math.inf:
        raise ChoiceError(f"deviation={deviation:g} with design_effect={effect:g} is no spread to plan by")
    if plan.design == "gate":
        _check_drops(plan, deviation)
        found, needed = _of_rows(plan, _two_values(each, queries or 2), queries or 2)
        detectable = None if queries is None else found
    else:
        detectable = None if queries is None else plan.detectable(each, queries, systems)
        needed = None if plan.wanted is None else plan.needed(plan.wanted, each, systems)
    return PowerRow(None, None, None, queries, None, deviation, effect, detectable, plan.wanted, needed)


def _check_drops(plan: _Plan, deviation: float) -> None:
    """Refuses what drops of values from 0 to 1 cannot be."""
    if plan.relative:
        raise UsageError("max_drop as a share is of a baseline's value: give runs, or a number in its unit")
    if deviation > 1 or (plan.wanted is not None and plan.wanted >= 1):
        what = f"deviation={deviation:g}" if deviation > 1 else f"max_drop={plan.wanted:g}"
        raise ChoiceError(
            f"{what}: queries are taken to have values from 0 to 1, which neither drop nor deviate by more "
            "than 1; a gate of another measure is planned from runs"
        )


def _two_values(deviation: float, queries: int) -> Rows:
    """Drops of so many queries that are ±deviation, of at most 1, or of clusters that count as one."""
    return Rows(np.array([deviation, -deviation]), np.ones(2), (max(1.0, deviation), 1.0), queries / 2)


def _of_rows(
    plan: _Plan, rows: Rows, queries: int, seeds: NewSeeds | None = None
) -> tuple[float | None, int | None]:
    """What a gate over these rows shows, and how many queries it needs."""
    if not rows.decide:
        return None, None
    needed = None
    if plan.wanted is not None:
        needed = rows.needed(plan.wanted, plan.confidence, plan.power, seeds)
    each = queries / (rows.scale * len(rows.above))
    found = None if needed is None else math.ceil(needed * each)
    return rows.detectable(plan.confidence, plan.power, seeds), found


def _of_comparison(plan: _Plan, comparison: Compared, systems: int) -> Iterator[PowerRow]:
    if plan.design == "anova" and comparison.labels is not None:
        raise UsageError("the one-way analysis of variance knows no clusters: leave them out, or plan for t")
    if plan.design == "anova" and comparison.weighed is not None:
        raise UsageError("the one-way analysis of variance knows no weights: leave them out, or plan for t")
    for measure in comparison.measures:
        if measure not in comparison.query_measures:
            raise UsageError(
                f"{measure} is of the whole run, and another for more queries, so that there is no planning "
                "how many it takes: leave it out"
            )
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
        one, another, labels = comparison.pair_terms(measure, system, other)
        if labels is not None and labels.ndim == 2:
            raise UsageError("a gate knows clusters of one kind")
        sign = float(direction(measure))
        rows = OfQueries([another, one], labels).rows(Figure((sign, -sign)))
        wanted = plan.wanted
        if wanted is not None and plan.relative:
            wanted *= abs(comparison.pair(measure, system, other).baseline_value)
            check_reach("max_drop", wanted, [measure])
        seeds = spread.crossed.new_seeds(2 * (1 - plan.confidence)) if spread.seeded else None
        detectable, needed = _of_rows(replace(plan, wanted=wanted), rows, spread.queries, seeds)
    else:
        wanted = plan.wanted
        if wanted is None and plan.design == "t":
            wanted = spread.mean
        known = spread.of_units > 0 and spread.units > 1
        detectable = None
        if known and plan.design == "t":
            detectable = spread.detectable(alpha=plan.alpha, power=plan.power, alternative=plan.alternative)
        elif known and spread.seeded:
            # That of as many new queries and seeds is expected to be that of these.
            detectable = 2 * spread.crossed.reach(1 - plan.confidence)
        elif known:
            detectable = plan.detectable(spread.of_units, spread.units, 2)
        units = plan.needed(wanted, spread.of_units, 2) if known and wanted and not spread.seeded else None
        needed = None if units is None else spread.in_queries(units)
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
