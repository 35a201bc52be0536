"""The mean and the deviation of measures over what labels that are not sure could be."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark.aggregation.settled import FILLERS
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.inputs import Input, align_ids, with_text_items
from rankmark.judges.uncertain import Outcomes, UncertainLabels
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ragged import offsets_of, pieces, spread
from rankmark.language.choices import Choices
from rankmark.language.extremes import added_alone, is_sum
from rankmark.language.given_measure import DerivedMeasure
from rankmark.language.measure import Measure
from rankmark.language.plan import Plan
from rankmark.progress import counting
from rankmark.rendering.words import counted, rounded
from rankmark.results.given import DerivedResult
from rankmark.results.lists import ListResult

__all__ = ["Drawing", "Expecting"]


class Drawing(NamedTuple):
    """How many outcomes of the labels of a query are looked at, and how they are drawn."""

    draws: int
    seed: int


class Moments(NamedTuple):
    """What a measure is over what labels could be.

    Attributes:
        mean: of each query.
        variance: likewise.
        drawn: whether these are of outcomes that were drawn.

    """

    mean: Values
    variance: Values
    drawn: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Expecting:
    """The expected values of one system.

    Attributes:
        labels: the labels and how probable they are.
        plan: the measures and how they are computed.
        drawing: how outcomes are drawn.
        run: the results.
        plain: the values by the likeliest labels, and which queries count.

    """

    labels: UncertainLabels
    plan: Plan
    drawing: Drawing
    run: Input
    plain: ListResult

    def result(self, notes: Iterable[str] = ()) -> DerivedResult:
        """The values of each query, with what a reader should know beside `notes`."""
        moments: dict[Measure, Moments] = {}
        for choices, measures in self.plan.groups():
            moments |= self._moments(choices, measures)
        values: dict[DerivedMeasure, Values] = {}
        said = [*self._missing(), *self.plain.notes]
        for measure in self.plan.measures:
            own = moments[measure]
            counts = ~np.isnan(self.plain.query_values(measure))
            told = self._told(measure)
            bounds = measure.bounds
            expected = DerivedMeasure(f"expected({measure})", told, measure.page.better, bounds)
            deviation = DerivedMeasure(f"deviation({measure})", told, "neither", (0.0, None))
            values[expected] = np.where(counts, own.mean, np.nan)
            values[deviation] = np.where(counts, np.sqrt(own.variance), np.nan)
            said.append(self._note(measure, own, counts))
        return DerivedResult.of(values, self.labels.queries.rename("query"), notes=[*said, *notes])

    def _told(self, measure: Measure) -> tuple[str, ...]:
        """What decides the values of a measure, as signatures say it."""
        _, *parts, _ = self.plain.signature(measure).split("|")
        drawn = () if is_sum(measure) else (f"draws:{self.drawing.draws}", f"seed:{self.drawing.seed}")
        return (*parts, "labels:uncertain", *drawn)

    def _missing(self) -> Iterator[str]:
        """What happened to queries without results, or without labels."""
        counts = self.plain.counts
        if counts.missing:
            yield self.plain.account()[0]
        if counts.left_out:
            yield f"{counted(counts.left_out, 'query', 'queries')} of the run not judged (left out)"

    def _note(self, measure: Measure, own: Moments, counts: NDArray[np.bool_]) -> str:
        """By how much the mean over queries could differ, and what the likeliest labels make of it."""
        number = max(1, int(np.count_nonzero(counts)))
        spread = math.sqrt(own.variance[counts].sum()) / number
        said = f"{measure}: ± {spread:.2g} as labels could be (standard deviation of the unweighted mean)"
        drawn = own.drawn & counts
        if drawn.any():
            error = math.sqrt(own.variance[drawn].sum() / self.drawing.draws) / number
            said += f", ± {error:.1g} by drawing them in {counted(int(drawn.sum()), 'query', 'queries')}"
        return f"{said}; by the likeliest labels {rounded(self.plain[measure], '.4f')}"

    def _moments(self, choices: Choices, measures: tuple[Measure, ...]) -> dict[Measure, Moments]:
        """The mean and the variance of each query by measures that the same choices decide."""
        items, results = align_ids(self.labels.items, self.run)
        if self.plan.text_items:
            items, results = with_text_items(items), with_text_items(results)
        lists, _, first_rows = local.judged_lists(items, results, choices)
        query = np.searchsorted(self.labels.starts, first_rows, side="right") - 1
        found = _Lists(self.labels, lists, query, FILLERS[choices.no_relevant])
        sums = [each for each in measures if is_sum(each) and choices.no_relevant == "zero"]
        drawn = [each for each in measures if each not in sums]
        return {each: found.added(each) for each in sums} | found.looked_at(drawn, self.drawing)


@dataclass(frozen=True, eq=False)
class _Lists:
    """The lists of a system, whose items' grades are numbers of items.

    Attributes:
        labels: the labels of these items.
        lists: the lists.
        query: the number of the query of each.
        filler: what a query is in which nothing is relevant.

    """

    labels: UncertainLabels
    lists: JudgedLists
    query: NDArray[np.int64]
    filler: float

    def added(self, measure: Measure) -> Moments:
        """Those of a sum over items: what each adds on average, and the sum of its variances."""
        lists, labels = self.lists, self.labels
        of = np.repeat(self.query, np.diff(lists.offsets))
        item = labels.starts[of] + lists.relevance.astype(np.int64)
        sizes = labels.borders[item + 1] - labels.borders[item]
        entry = np.repeat(np.arange(len(item)), sizes)
        place = spread(labels.borders[item], sizes)
        ties = None if lists.ties is None else (lists.ties[0][entry], lists.ties[1][entry])
        length = np.repeat(lists.retrieved, np.diff(lists.offsets))[entry]
        offsets = np.arange(len(entry) + 1)
        alone = JudgedLists(lists.rank[entry], labels.grades[place], offsets, length, ties=ties)
        adds, chance = added_alone(measure, alone, labels.grades[place]), labels.chance[place]
        means = np.bincount(entry, chance * adds, len(item))
        apart = np.bincount(entry, chance * (adds - means[entry]) ** 2, len(item))
        queries = len(labels.queries)
        none = np.zeros(queries, dtype=np.bool_)
        mean, variance = (np.bincount(of, each, queries).astype(np.float64) for each in (means, apart))
        return Moments(mean, variance, none)

    def looked_at(self, measures: Sequence[Measure], drawing: Drawing) -> dict[Measure, Moments]:
        """Those of any measures: over all outcomes of a query, or over some that are drawn."""
        queries = len(self.labels.queries)
        found = {
            each: Moments(np.zeros(queries), np.zeros(queries), np.zeros(queries, dtype=np.bool_))
            for each in measures
        }
        parts = self._parts(drawing) if measures else ()
        with counting("looking at what labels could be", len(self.query)) as counter:
            for part in parts:
                self._look_at(part, drawing, found)
                counter.done += len(part)
        return found

    def _look_at(self, part: NDArray[np.int64], drawing: Drawing, found: dict[Measure, Moments]) -> None:
        """Fills in what measures are in some queries."""
        outcomes = [self.labels.outcomes(int(query), *drawing) for query in self.query[part]]
        lists, query = self._of(part, outcomes), self.query[part]
        chance = np.concatenate([each.chance for each in outcomes])
        of = np.repeat(np.arange(len(part)), [len(each.chance) for each in outcomes])
        drawn = np.array([each.drawn for each in outcomes])
        for measure, moments in found.items():
            values = np.asarray(measure.compute(lists), dtype=np.float64)
            values = np.where(np.isnan(values), self.filler, values)
            mean = np.bincount(of, chance * values, len(part))
            apart = np.bincount(of, chance * (values - mean[of]) ** 2, len(part))
            moments.mean[query], moments.drawn[query] = mean, drawn
            moments.variance[query] = np.where(drawn, apart * drawing.draws / (drawing.draws - 1), apart)

    def _parts(self, drawing: Drawing) -> Iterator[NDArray[np.int64]]:
        """The lists, so many at a time that their outcomes are not too many items."""
        tried = [min(drawing.draws, self.labels.possible(int(query))) for query in self.query]
        items = self.labels.starts[self.query + 1] - self.labels.starts[self.query]
        for start, stop in pieces(np.asarray(tried, dtype=np.int64) * items):
            yield np.arange(start, stop)

    def _of(self, part: NDArray[np.int64], outcomes: Sequence[Outcomes]) -> JudgedLists:
        """Lists once for each outcome of their query, with the grades that items have in it."""
        ranks, grades, best, first, last = [], [], [], [], []
        ties = self.lists.ties
        for place, outcome in zip(part, outcomes, strict=True):
            own = slice(*self.lists.offsets[place : place + 2])
            count = len(outcome.chance)
            ranks.append(np.tile(self.lists.rank[own], count))
            grades.append(outcome.grades[:, self.lists.relevance[own].astype(np.int64)].ravel())
            best.append(-np.sort(-outcome.grades, axis=1).ravel())
            if ties is not None:
                first.append(np.tile(ties[0][own], count))
                last.append(np.tile(ties[1][own], count))
        counts = [len(each.chance) for each in outcomes]
        found = np.repeat(np.diff(self.lists.offsets)[part], counts)
        known = np.repeat([each.grades.shape[1] for each in outcomes], counts)
        return JudgedLists(
            np.concatenate(ranks),
            np.concatenate(grades),
            offsets_of(found),
            np.repeat(self.lists.retrieved[part], counts),
            ties=None if ties is None else (np.concatenate(first), np.concatenate(last)),
            ideal=JudgedLists.perfect(np.concatenate(best), offsets_of(known)),
        )
