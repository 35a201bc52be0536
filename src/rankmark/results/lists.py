"""What an evaluation of lists gives: values, counts, choices, signatures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rankmark import _numpy as np
from rankmark._native import __version__
from rankmark.errors import NotEvaluatedError
from rankmark.language.measure import Measure
from rankmark.language.signature import Recipe
from rankmark.rendering.records import Entries
from rankmark.rendering.words import counted
from rankmark.results.queries import QueryResult

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from rankmark._native import QueryValues, Table
    from rankmark.aggregation.bounds import Bounds
    from rankmark.aggregation.counts import Counts
    from rankmark.aggregation.intervals import PredictionInterval
    from rankmark.aggregation.query_weights import QueryWeights
    from rankmark.aggregation.terms import Terms
    from rankmark.kinds.items import RecommendedLists
    from rankmark.kinds.lists import Values
    from rankmark.language.choices import Choices
    from rankmark.language.signature import ItemIds
    from rankmark.results.slices import Slices

__all__ = ["ListResult"]


class ListResult(QueryResult):
    """The values of one run's lists, with what is needed to trust them: a `Result`."""

    __slots__ = (
        "_bounds",
        "_choices",
        "_counts",
        "_item_ids",
        "_k",
        "_later",
        "_left_out",
        "_lists",
        "_own_choices",
    )

    def __init__(
        self,
        *,
        values: Mapping[Measure, float],
        per_query_values: Mapping[Measure, Values | QueryValues],
        parts: Mapping[Measure, tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = MappingProxyType({}),
        query_ids: Table | None,
        choices: Choices,
        own_choices: Mapping[Measure, Choices] = MappingProxyType({}),
        counts: Counts,
        item_ids: ItemIds = "text",
        convention: str | None = None,
        k: int | None = None,
        bounds: Mapping[str, Bounds] = MappingProxyType({}),
        inputs: Mapping[str, str] = MappingProxyType({}),
        notes: Iterable[str] = (),
        intervals: Mapping[str, PredictionInterval] = MappingProxyType({}),
        slices: Slices | None = None,
        weights: QueryWeights | None = None,
        lists: Mapping[Measure, RecommendedLists] = MappingProxyType({}),
        left_out: Mapping[Measure, np.ndarray[Any, Any]] = MappingProxyType({}),
        version: str = __version__,
    ) -> None:
        super().__init__(
            values=values,
            per_query_values=per_query_values,
            parts=parts,
            query_ids=query_ids,
            convention=convention,
            inputs=inputs,
            notes=notes,
            slices=slices,
            weights=weights,
            intervals=intervals,
            version=version,
        )
        self._choices = choices
        self._own_choices = dict(own_choices)
        self._counts = counts
        self._item_ids = item_ids
        self._k = k
        self._bounds = dict(bounds)
        self._lists = dict(lists)
        self._left_out = dict(left_out)
        self._later: Callable[[], dict[str, Any]] | None = None

    @classmethod
    def lazily(cls, values: dict[Measure, float], told: Callable[[], dict[str, Any]]) -> Self:
        """A result of these values, which is told all else of itself when somebody looks into it."""
        made = cls.__new__(cls)
        made._values, made._later = values, told
        return made

    def __getattr__(self, name: str) -> Any:
        later: Callable[[], dict[str, Any]] | None = object.__getattribute__(self, "_later")
        if later is not None:
            ListResult.__init__(self, **later())
        return object.__getattribute__(self, name)

    @property
    def counts(self) -> Counts:
        """How many queries were judged, answered, averaged, tied …."""
        return self._counts

    @property
    def choices(self) -> dict[str, Any]:
        """How ties, duplicates, missing queries … were decided."""
        return Entries(asdict(self._choices))

    def choices_of(self, measure: str | Measure) -> dict[str, Any]:
        """The same for one measure, for which a convention can decide otherwise."""
        return Entries(asdict(self._own_choices.get(self._find(measure), self._choices)))

    @property
    def bounds(self) -> dict[str, Bounds]:
        """What equal scores can make of each measure, by its name in `values`; empty unless asked for."""
        return self._by_label(self._bounds)

    def without(self, measure: Measure) -> Self:
        """The same without one of its measures."""
        again = copy(self)
        again._values = {each: value for each, value in self._values.items() if each != measure}
        again._per_query = {each: values for each, values in self._per_query.items() if each != measure}
        counts = {name: own for name, own in self._counts.measures.items() if name != str(measure)}
        again._counts = replace(self._counts, measures=counts)
        return again

    def query_terms(self, measure: str | Measure) -> Terms:
        """As `Result.query_terms`; of a measure of the whole run what blocks of its queries add."""
        found = self._find(measure)
        return self.run_terms(found) if found.page.aggregate == "run" else super().query_terms(found)

    def exposure(self, measure: str | Measure | None = None) -> NDArray[np.float64]:
        """In how many lists each item is that can be recommended, in the order of the table of items.

        Args:
            measure: a measure of the whole run, such as ``"Coverage@10"``, down to whose cutoff lists are
                looked at; the first of them if None.

        Raises:
            NotEvaluatedError: none was evaluated, or the result was saved, which is without its lists.

        Example:
            >>> import rankmark as rm
            >>> run = {"u1": ["a", "b"], "u2": ["a", "c"]}
            >>> rm.evaluate(None, run, "Coverage@2", items=["a", "b", "c", "d"]).exposure().tolist()
            [2.0, 1.0, 1.0, 0.0]

        """
        asked, lists = self._recommended(measure)
        return lists.top(asked.cutoff).exposure()

    def popularity(self, measure: str | Measure | None = None) -> NDArray[np.float64]:
        """How often each of the same items was had before, in the same order.

        Args:
            measure: as for `exposure`.

        Raises:
            NotEvaluatedError: as `exposure`, or nothing is known of what was had before.

        Example:
            >>> import rankmark as rm
            >>> run, train = {"u1": ["a", "b"]}, {"u1": ["c"], "u2": ["a", "c"]}
            >>> rm.evaluate(None, run, "Coverage@2", items=["a", "b", "c"], train=train).popularity().tolist()
            [1.0, 0.0, 2.0]

        """
        asked, lists = self._recommended(measure)
        if lists.facts.train is None:
            raise NotEvaluatedError(f"{asked}: it is not known what was had before: evaluate with train=…")
        return lists.facts.popularity("interactions")[: lists.facts.count]

    def _recommended(self, measure: str | Measure | None) -> tuple[Measure, RecommendedLists]:
        asked = next(iter(self._lists), None) if measure is None else self._find(measure)
        if asked is None or asked not in self._lists:
            raise NotEvaluatedError(
                f"no lists of {asked or 'items'} are here: evaluate a measure of the whole run, such as "
                "Coverage@10 (a result that was saved has none: draw it when it is evaluated, by "
                'result.plot("exposure") or `rankmark eval … --picture exposure -o FILE.svg`)'
            )
        return asked, self._lists[asked]

    def run_terms(
        self,
        measure: Measure,
        query_ids: Sequence[Any] | None = None,
        labels: NDArray[Any] | None = None,
    ) -> Terms:
        """As `Result.run_terms`; one that was saved has no lists, and knows what all queries add alone."""
        from rankmark.aggregation.whole_runs import blocks_of, left_out_of, terms_of_run

        own = self.query_ids
        chosen = own if query_ids is None else query_ids
        whole = labels is None and len(chosen) == len(own)
        if whole and measure in self._left_out:
            return terms_of_run(measure, self._left_out[measure], len(chosen))
        if measure not in self._lists:
            raise NotEvaluatedError(
                f"{measure} is of the whole run, and this result was saved, without its lists: evaluate it "
                "again to have it by clusters, or of some of the queries"
            )
        rows = np.arange(len(own))
        if chosen != own:
            place = {query: row for row, query in enumerate(own)}
            rows = np.array([place[query] for query in chosen], dtype=np.intp)
        left_out = left_out_of(measure, self._lists[measure], rows, blocks_of(chosen, labels))
        if whole:
            self._left_out[measure] = left_out
        return terms_of_run(measure, left_out, len(chosen))

    @property
    def item_ids(self) -> ItemIds:
        """Whether items' ids were compared as ``integer`` or as ``text``, where they decide ties."""
        return self._item_ids

    def evaluation(self, measure: str | Measure) -> Recipe:
        """As `Result.evaluation`."""
        found = self._find(measure)
        choices = self._own_choices.get(found, self._choices)
        weights = None if self._weights is None else self._weights.name
        told = self._item_ids, self._convention, self._k
        return Recipe(found, choices, *told, weights=weights, version=self._version)

    def account(self) -> list[str]:
        """What happened to the queries: a line, and a second one if there is something to notice."""
        counts = self.counts
        answered = "all answered"
        if counts.missing:
            empty = any(measure.page.better == "less" for measure in self.measures)
            missing = self._chosen("missing") if not empty else self._chosen("missing", EMPTY)
            answered = f"{counts.answered:,} answered, {counts.missing:,} missing ({missing})"
        notes = []
        if counts.left_out:
            notes.append(f"{_queries(counts.left_out)} of the run not judged (left out)")
        notes += [*self._undefined(), *self.cautions()]
        if short := _most(m.short for m in counts.measures.values()):
            notes.append(f"fewer items than the cutoff in {short} (left out)")
        notes += self._tie_notes()
        notes += self.notes
        first = f"{_queries(counts.judged)} judged, {answered}"
        if not counts.judged:
            first = f"{_queries(counts.answered)} of the run, none judged"
        if self.convention:
            first += self._likeness()
        if self._weights is not None:
            first += f"; {self._weights.line()}"
        lines = [first, "; ".join(notes)] if notes else [first]
        if not self._intervals:
            return lines
        from rankmark.aggregation.intervals import explained  # which needs much of the statistics

        return [*lines, explained(self.intervals)]

    def _undefined(self) -> Iterator[str]:
        """In how many queries measures have no value, by what these lack."""
        numbers: dict[tuple[str, bool], list[int]] = {}
        for measure in self.measures:
            without = self.counts.measures[str(measure)].no_relevant
            numbers.setdefault((measure.page.undefined, measure.answers), []).append(without)
        for (lack, answers), each in numbers.items():
            if queries := _most(each):
                yield f"{lack} in {queries} ({self._chosen('no_relevant') if answers else TREATED['skip']})"

    def cautions(self) -> Iterator[str]:
        """As `Result.cautions`: which measures gain by lists that end early."""
        of_known = [m.label for m in self.measures if (m.page.better, m.arguments.get("items")) == BEYOND]
        if of_known:
            yield (
                f"{', '.join(of_known)}: what a list leaves out stands after it among the known items alone, "
                "so that short lists gain; say how many items there are, items=N"
            )

        for measure, (_, relevant) in self.query_parts.items():
            if measure.name == "HitRatio" and (relevant > 1).any():
                share = Measure("HR", measure.parameters, measure.cutoff)
                yield (
                    f"{measure.label}: hits of all queries over all their relevant items; the share of "
                    f"queries with a hit, as recommenders mostly mean it, is {share}"
                )

    def _tie_notes(self) -> Iterator[str]:
        """What equal scores do to the values: what they could do, unless bounds say what they do."""
        rule = f"(ties: {self._chosen('ties')})"
        if of_unjudged := [each for each in self.bounds.values() if each.of == "unjudged"]:
            if still := _most(each.tied for each in of_unjudged):
                yield (
                    f"unjudged items in lists leave the value of {still} open (those in no list are taken as "
                    "not relevant)"
                )
        elif self.bounds:
            if tied := _most(bounds.tied for bounds in self.bounds.values()):
                yield f"equal scores change {tied} {rule}"
            if open_ended := [name for name, bounds in self.bounds.items() if bounds.expected is None]:
                yield f"no expected value of {', '.join(open_ended)}, which {_has(open_ended)} no closed form"
            return
        numbers = {name: counts.tied for name, counts in self._by_label(self.counts.measures).items()}
        if tied := _most(number for number in numbers.values() if number is not None):
            yield f"equal scores could change {tied} {rule}"
        if unknown := [name for name, number in numbers.items() if number is None]:
            yield f"equal scores not counted for {', '.join(unknown)} (bounds count them)"

    def _chosen(self, choice: str, words: Mapping[str, str] = MappingProxyType({})) -> str:
        """What was decided; several things where a convention does not decide alike for all measures."""
        values = dict.fromkeys(self.choices_of(measure)[choice] for measure in self.measures)
        return " or ".join(words.get(value, TREATED.get(value, value)) for value in values)

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value:.4f}" for name, value in self.values.items())
        return f"<Result {values}; {self._counts.judged or self._counts.answered} queries>"

    def _kept(self) -> dict[str, Any]:
        for measure in self._lists:
            self.run_terms(measure)
        left_out = {"left_out": self._left_out} if self._left_out else {}
        return (
            super()._kept()
            | left_out
            | {
                "choices": self._choices,
                "own_choices": self._own_choices,
                "counts": self._counts,
                "item_ids": self._item_ids,
                "convention": self._convention,
                "k": self._k,
                "bounds": self._bounds,
                "weights": self._weights,
                "notes": self._notes,
            }
        )


TREATED = {"zero": "counted as 0", "one": "counted as 1", "skip": "left out"}
EMPTY = {"zero": "evaluated as empty lists"}
"""What ``missing="zero"`` is to a measure of which 0 is the best."""
BEYOND = ("less", "known")
"""What is better, and which items are ranked, of measures that look at ranks after the end of a list."""


def _queries(n: int) -> str:
    return counted(n, "query", "queries")


def _most(numbers: Iterable[int]) -> str:
    """``12 queries``, ``up to 12 queries`` where the measures differ, or nothing for none."""
    different = set(numbers) - {0}
    return "up to " * (len(different) > 1) + _queries(max(different)) if different else ""


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"
