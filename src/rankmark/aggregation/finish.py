"""From what was seen of all queries to values, counts and bounds: the same for every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from rankmark.aggregation.bounds import Bounds, bounds_of, bounds_of_unjudged
from rankmark.aggregation.counts import Counts, MeasureCounts
from rankmark.aggregation.oddities import told_of_candidates, told_of_order
from rankmark.aggregation.refusals import Some, Words, refuse_no_relevant, refuse_queries, refuse_unanswered
from rankmark.language.plan import AskedBounds, Group, Plan, behind_bounds

if TYPE_CHECKING:
    from rankmark._native import Table
    from rankmark.aggregation.settled import Settled
    from rankmark.aggregation.state import Seen
    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import Values
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = ["Finished", "finished", "refuse_part", "refuse_unmatched"]


class Finished(NamedTuple):
    """What a plan comes to.

    Attributes:
        values: each measure's value, in the order asked for.
        per_query: that of each query, where queries are here; NaN where one is left out.
        parts: of measures that are ratios of sums what each of these queries adds to both.
        query_ids: the queries in that order, as a table with a column ``query``.
        counts: the account of the queries.
        bounds: what equal scores, or unjudged items, can make of each measure, by its name; empty unless
            asked for.
        notes: what a reader should know of how the data fit together.
        lists: of measures of items the tops of the lists that they saw, where these are here.

    """

    values: Mapping[Measure, float]
    per_query: Mapping[Measure, Values]
    parts: Mapping[Measure, tuple[Values, Values]]
    query_ids: Table | None
    counts: Counts
    bounds: Mapping[str, Bounds]
    notes: tuple[str, ...]
    lists: Mapping[Measure, RecommendedLists]


def finished(
    plan: Plan, seen: Seen, words: Words, *, k: int | None = None, bounds: AskedBounds = False
) -> Finished:
    """What is made of all judged queries, once; `k` is where lists were cut.

    What was seen has an entry for each of `Plan.observed_groups`. Its values are taken over, not copied.

    Raises:
        DataError: what a choice refuses, or results for none of the judged queries.

    """
    groups = plan.groups()
    judged, missing, unjudged = seen.judged, seen.missing, seen.unjudged
    refuse_unmatched(groups, judged, missing, unjudged, words)
    settled: dict[Measure, Settled] = {}
    for number, (choices, group) in enumerate(groups):
        settled |= _settled(seen, number, group, choices, k)
    asked = [(measure, settled[measure]) for measure in plan.measures]
    counts = Counts(
        judged=judged,
        answered=judged - missing.count,
        missing=missing.count,
        unjudged=unjudged.count,
        measures={
            str(measure): MeasureCounts(each.averaged, each.no_relevant, each.tied, each.short)
            for measure, each in asked
        },
    )
    return Finished(
        {measure: each.value for measure, each in asked},
        {measure: each.per_query for measure, each in asked if each.per_query is not None},
        {measure: each.parts for measure, each in asked if each.parts is not None},
        seen.query_ids,
        counts,
        _bounds(plan, seen, settled, k, bounds) if bounds else {},
        (
            *(told_of_order(*seen.order) if seen.hits else (words.unmatched(),)),
            *told_of_candidates(plan.choices.candidates),
        ),
        {measure: each.lists for measure, each in asked if each.lists is not None},
    )


def refuse_unmatched(
    groups: Iterable[Group], judged: int, missing: Some, unjudged: Some, words: Words
) -> None:
    """Refuses queries without judgements, or some of so many judged ones without results.

    Raises:
        DataError: what a choice refuses, or results for none of the judged queries.

    """
    if missing.count or unjudged.count:
        refuse_unanswered(judged, missing, words)
        refuse_queries(missing, unjudged, (choices for choices, _ in groups), words)


def refuse_part(groups: Iterable[Group], seen: Seen, words: Words) -> None:
    """Refuses some of the queries, whatever there is of others; what was seen of them is settled then.

    Raises:
        DataError: what a choice refuses.

    """
    groups = list(groups)
    refuse_queries(seen.missing, seen.unjudged, (choices for choices, _ in groups), words)
    for number, (choices, group) in enumerate(groups if seen.judged else []):
        _settled(seen, number, group, choices, None)


def _settled(
    seen: Seen, number: int, group: tuple[Measure, ...], choices: Choices, k: int | None
) -> dict[Measure, Settled]:
    found = seen.settled(number, group, choices, k)
    if choices.no_relevant == "error":
        for measure, each in found.items():
            # To a quotient of two sums such queries add nothing, and measures of items look at other things.
            if each.no_relevant and measure.page.aggregate != "ratio" and measure.answers:
                refuse_no_relevant(measure, seen.undefined(measure, each, choices))
    return found


def _bounds(
    plan: Plan, seen: Seen, settled: Mapping[Measure, Settled], k: int | None, bounds: AskedBounds
) -> dict[str, Bounds]:
    """The bounds of measures, of what was observed after those asked for."""
    groups = plan.groups()
    number = len(groups)
    found: dict[Measure, Bounds] = {}
    for choices, group in groups:
        own = {measure: settled[measure] for measure in group}
        behind = []
        for other, measures in behind_bounds(bounds, choices, group):
            behind.append((other.ties, seen.settled(number, measures, other, k)))
            number += 1
        if bounds is True or bounds == "ties":
            found |= bounds_of({choices.ties: own, **dict(behind)}, choices.ties)
        else:
            (_, lowest), (_, highest) = behind
            found |= bounds_of_unjudged(lowest, highest)
    return {str(measure): found[measure] for measure in plan.measures}
