"""From what was seen of all queries to values, counts and bounds: the same for every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from rankmark.aggregation.counts import Counts, MeasureCounts
from rankmark.aggregation.oddities import told_of_candidates, told_of_order
from rankmark.aggregation.refusals import Some, Words, refuse_no_relevant, refuse_queries, refuse_unanswered
from rankmark.aggregation.settled import values_of
from rankmark.language.plan import AskedBounds, Group, Plan, behind_bounds

if TYPE_CHECKING:
    from rankmark._native import QueryValues, Table
    from rankmark.aggregation.bounds import Bounds
    from rankmark.aggregation.settled import Settled
    from rankmark.aggregation.state import Seen
    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import Values
    from rankmark.language.measure import Measure

__all__ = ["Finished", "finished", "refuse_part", "refuse_unmatched"]


class Finished(NamedTuple):
    """What a plan comes to.

    Attributes:
        settled: what each measure comes to, in the order asked for.
        judged: here and below as in `Counts`.
        answered: see there.
        missing: see there.
        unjudged: see there.
        query_ids: the queries in the order of their values, as a table with a column ``query``.
        bounds: what equal scores, or unjudged items, can make of each measure, by its name; empty unless
            asked for.
        notes: what a reader should know of how the data fit together.

    """

    settled: Mapping[Measure, Settled]
    judged: int
    answered: int
    missing: int
    unjudged: int
    query_ids: Table | None
    bounds: Mapping[str, Bounds]
    notes: tuple[str, ...]

    def of_the_run(self) -> Finished:
        """The same where the queries are those of the run, and none is judged."""
        return self._replace(judged=0, unjudged=self.judged)

    @property
    def values(self) -> dict[Measure, float]:
        """Each measure's value."""
        return values_of(self.settled)

    @property
    def per_query(self) -> dict[Measure, QueryValues]:
        """That of each query, where queries are here; NaN where one is left out."""
        return {m: each.values for m, each in self.settled.items() if each.values is not None}

    @property
    def parts(self) -> dict[Measure, tuple[Values, Values]]:
        """Of measures that are ratios of sums what each of these queries adds to both."""
        return {m: each.parts for m, each in self.settled.items() if each.parts is not None}

    @property
    def lists(self) -> dict[Measure, RecommendedLists]:
        """Of measures of items the tops of the lists that they saw, where these are here."""
        return {m: each.lists for m, each in self.settled.items() if each.lists is not None}

    @property
    def counts(self) -> Counts:
        """The account of the queries."""
        of_measures = {
            str(measure): MeasureCounts(each.averaged, each.no_relevant, each.tied, each.short)
            for measure, each in self.settled.items()
        }
        return Counts(self.judged, self.answered, self.missing, self.unjudged, of_measures)


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
    each = [_settled(seen, number, group, k) for number, group in enumerate(groups)]
    settled = each[0]
    if len(each) > 1:
        by_measure = {measure: group for group in each for measure in group}
        settled = {measure: by_measure[measure][measure] for measure in plan.measures}
    return Finished(
        settled,
        judged,
        judged - missing.count,
        missing.count,
        unjudged.count,
        seen.query_ids,
        _bounds(plan, seen, settled, k, bounds) if bounds else {},
        (
            *(told_of_order(*seen.order) if seen.hits else (words.unmatched(),)),
            *told_of_candidates(plan.choices.candidates),
        ),
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
    for number, group in enumerate(groups if seen.judged else []):
        _settled(seen, number, group, None)


def _settled(seen: Seen, number: int, group: Group, k: int | None) -> Mapping[Measure, Settled]:
    choices, found = group.choices, seen.settled(number, group, k)
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
    from rankmark.aggregation.bounds import bounds_of, bounds_of_unjudged

    groups = plan.groups()
    number = len(groups)
    found: dict[Measure, Bounds] = {}
    for choices, group in groups:
        own = {measure: settled[measure] for measure in group}
        behind = []
        for other in behind_bounds(bounds, choices, group):
            behind.append((other.choices.ties, seen.settled(number, other, k)))
            number += 1
        if bounds is True or bounds == "ties":
            found |= bounds_of({choices.ties: own, **dict(behind)}, choices.ties)
        else:
            (_, lowest), (_, highest) = behind
            found |= bounds_of_unjudged(lowest, highest)
    return {str(measure): found[measure] for measure in plan.measures}
