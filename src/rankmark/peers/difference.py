"""Where conventions give different numbers for the same data, and which of their choices do that."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Unpack

import numpy as np

from rankmark.api.evaluation import evaluate_tables, refuse_without_judgements, with_known
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.inputs import Input, read_inputs, read_shared
from rankmark.inputs.catalogue import Catalogue, known_items
from rankmark.language.choices import Choices, GivenChoices, given
from rankmark.language.conventions.convention import convention, conventions
from rankmark.language.measure import Measure
from rankmark.language.parameters import format_value
from rankmark.language.plan import Plan, planned, separate
from rankmark.language.registry import MEAN
from rankmark.rendering.blocks import Block, Grid, Prose
from rankmark.rendering.formats.json import ByName
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, first_of, rounded
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    from rankmark.results.lists import ListResult

__all__ = ["Alike", "Difference", "Differences", "differences"]

OURS = "rankmark"
"""What the standard here is called among conventions."""
MOST_COLUMNS, MOST_NAMES = 8, 4
"""Conventions of which a table has a column each; of more, those of one value have a row together, which
names so many of them."""
DIGITS = 4
"""Digits to which values are equal unless others are asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Record):
    """One thing that two conventions do not do alike for a measure.

    Attributes:
        measure: the measure as it was asked for.
        like: the convention that is compared with the first.
        what: the parameter or the choice; ``measure`` where the two tools give one name to two measures.
        first: what it is under the first convention.
        other: what it is under this one.
        value: the first convention's value with this one thing changed; NaN where there is none.
        effect: by how much that changes it.

    """

    measure: str
    like: str
    what: str
    first: str
    other: str
    value: float
    effect: float


@dataclass(frozen=True, slots=True, repr=False)
class Alike(Record):
    """Conventions that give one value, to the digits asked for, and for one reason.

    Attributes:
        value: the value, of the first of them.
        off: by how much it is more than that of the convention that all are compared with.
        like: the conventions.
        because: what each of them does otherwise that shows in the value when changed alone, the greatest
            effect first. If nothing shows alone, all that the one does that does the least.

    """

    value: float
    off: float
    like: tuple[str, ...]
    because: tuple[Difference, ...]

    @property
    def changes(self) -> tuple[str, ...]:
        """What they do otherwise, such as ``gain=exp2``."""
        return tuple(
            each.other if each.what == "measure" else f"{each.what}={each.other}" for each in self.because
        )


@dataclass(frozen=True, slots=True, repr=False)
class Differences(Saved):
    """The same data under several conventions.

    Attributes:
        like: the conventions, of which the others are compared with the first; ``rankmark`` is the standard
            here.
        values: of each measure as it was asked for, its value under each convention that has it.
        queries: of each measure of which queries have values, in how many of them the other conventions'
            values are not the first's.
        why: what the others do otherwise than the first.
        lacking: which convention does not have which measure or refuses these data, in words.

    """

    like: tuple[str, ...]
    values: Mapping[str, Mapping[str, float]]
    queries: Mapping[str, Mapping[str, int]]
    why: tuple[Difference, ...]
    lacking: tuple[str, ...]

    _instead: ClassVar = "one convention"

    def __repr__(self) -> str:
        return f"<Differences of {', '.join(self.values)} between {', '.join(self.like)}>"

    def alike(self, measure: str, digits: int = DIGITS) -> tuple[Alike, ...]:
        """The values of a measure, the greatest first, each with the conventions that have it.

        A value that conventions have for different reasons is there once for each reason. Conventions by
        which no query has a value are in none.

        Args:
            measure: as it was asked for.
            digits: after the point, to which values of one group are equal; effects that do not show in them
                are left out.

        Raises:
            UsageError: the measure was not asked for, or the first convention does not have it.

        """
        values = self.values.get(measure, {})
        if self.like[0] not in values:
            known = ", ".join(name for name, of in self.values.items() if self.like[0] in of)
            raise UsageError(f"{self.like[0]} has no {measure} here; it has {known or 'none'}")
        own = values[self.like[0]]
        shown: dict[float, list[str]] = {}
        for name, value in values.items():
            if not math.isnan(value):
                shown.setdefault(round(value, digits), []).append(name)
        found = [
            Alike(values[like[0]], values[like[0]] - own, like, because)
            for names in shown.values()
            for like, because in self._by_reason(measure, names, digits)
        ]
        return tuple(sorted(found, key=lambda each: -each.value))

    def _by_reason(
        self, measure: str, names: Sequence[str], digits: int
    ) -> Iterator[tuple[tuple[str, ...], tuple[Difference, ...]]]:
        """Conventions of one value, those together that all do what makes it, with that."""
        if self.like[0] in names:
            yield tuple(names), ()
            return
        does = {
            name: [each for each in self.why if (each.measure, each.like) == (measure, name)]
            for name in names
        }
        reasons = {name: _showing(of, digits) for name, of in does.items()}
        left = list(names)
        for first in sorted(names, key=lambda name: len(reasons[name])):
            if first in left:
                why = _things(reasons[first])
                like = tuple(name for name in left if why <= _things(does[name]))
                left = [name for name in left if name not in like]
                yield like, tuple(sorted(reasons[first], key=lambda each: -abs(each.effect)))

    def _blocks(self, digits: int) -> Iterator[Block]:
        if len(self.like) > MOST_COLUMNS:
            yield self._alike_grid(digits)
            what = f"otherwise: what shows in the value if {self.like[0]} does it so alone, the most first"
            yield Prose([what, *self.lacking])
            return
        yield self._values_grid(lambda value: rounded(value, f".{digits}f"))
        if any(each.effect for each in self.why):
            yield self._why_grid(digits)
        if notes := self._notes():
            yield Prose(notes)

    def _frame(self) -> Grid:
        return self._values_grid(repr)

    def _record(self) -> dict[str, Any]:
        return {
            "like": list(self.like),
            "values": ByName((measure, ByName(of)) for measure, of in self.values.items()),
            "queries": dict(self.queries),
            "why": [asdict(each) for each in self.why],
            "lacking": list(self.lacking),
        }

    def _alike_grid(self, digits: int) -> Grid:
        """A row for each value of a measure."""
        rows = [
            [
                measure,
                rounded(each.value, f".{digits}f"),
                "" if self.like[0] in each.like else rounded(each.off, f"+.{digits}f"),
                first_of(each.like, MOST_NAMES),
                ", ".join(each.changes),
            ]
            for measure, values in self.values.items()
            if self.like[0] in values
            for each in self.alike(measure, digits)
        ]
        header = ["measure", "value", "off", "as in", f"otherwise than {self.like[0]}"]
        return Grid(5, [header, *rows], "Values")

    def _values_grid(self, cell: Callable[[float], str]) -> Grid:
        rows = [
            [measure, *(cell(values[like]) if like in values else "" for like in self.like)]
            for measure, values in self.values.items()
        ]
        return Grid(1, [["measure", *self.like], *rows], "Values")

    def _why_grid(self, digits: int) -> Grid:
        """The differences that show in these data, of each measure and convention the greatest first."""
        header = ["measure", "like", "because of", self.like[0], "there", "alone", "queries"]
        rows = []
        order = {measure: place for place, measure in enumerate(self.values)}
        telling = (each for each in self.why if each.effect)
        for each in sorted(telling, key=lambda each: (order[each.measure], each.like, -abs(each.effect))):
            alone = _signed(each.effect, digits)
            queries = str(self.queries.get(each.measure, {}).get(each.like, ""))
            rows.append([each.measure, each.like, each.what, each.first, each.other, alone, queries])
        return Grid(5, [header, *rows], "What makes them differ")

    def _notes(self) -> list[str]:
        notes = []
        first = self.like[0]
        if any(each.effect for each in self.why):
            notes.append(
                f"alone: how {first}'s value changes if that one thing is done as there; "
                "queries: those whose values differ"
            )
        for like in self.like[1:]:
            of_tool = [each for each in self.why if each.like == like]
            telling = {each.what for each in of_tool if each.effect}
            silent = dict.fromkeys(
                f"{each.what} ({each.first} / {each.other})" for each in of_tool if each.what not in telling
            )
            if silent:
                notes.append(f"{like} also differs from {first}, without effect here, in {', '.join(silent)}")
        return notes + list(self.lacking)


def _showing(of: Sequence[Difference], digits: int) -> list[Difference]:
    """What of this shows alone in the value; all of it if nothing does."""
    return [each for each in of if abs(each.effect) >= 0.5 * 10**-digits] or list(of)


def _things(of: Iterable[Difference]) -> set[tuple[str, str]]:
    return {(each.what, each.other) for each in of}


def _signed(effect: float, digits: int) -> str:
    """An effect, as a power of ten where it would be rounded to 0."""
    if math.isnan(effect):
        return ""
    return f"{effect:+.{digits}f}" if abs(effect) >= 0.5 * 10**-digits else f"{effect:+.0e}"


def differences(
    qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: Sequence[str] | None = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    items: Any = None,
    train: Any = None,
    **choices: Unpack[GivenChoices],
) -> Differences:
    """Measures a run under several conventions, and finds what makes their numbers differ.

    Each thing that a convention does otherwise than the first one, such as the gain or the order of equal
    scores, is changed alone, with all else as the first has it: what that changes is its effect. Effects
    need not add up, since one choice can matter only together with another.

    Args:
        qrels: the judgements, as in `evaluate`; None for measures that look at items alone.
        run: the results of one system, as in `evaluate`.
        measures: the measures, by names that the conventions understand, such as ``"nDCG@10"``.
        like: two conventions or more; the others are compared with the first. ``rankmark`` is the standard
            here. Without it this is compared with every convention that has a measure of these.
        columns: as in `evaluate`.
        threads: as in `evaluate`.
        items: as in `evaluate`, for measures of what is recommended.
        train: as in `evaluate`.
        **choices: choices of `evaluate`, such as ``missing="skip"``, which then hold for all.

    Raises:
        UsageError: fewer than two conventions, a measure that none of them has, or what `evaluate` refuses.
        DataError: a table that cannot be evaluated as it is.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q": {"a": 3, "b": 1}}
        >>> found = rm.differences(qrels, {"q": ["b", "a"]}, "nDCG@10", like=["trec_eval", "lightgbm"])
        >>> for each in found.why:
        ...     print(each.what, each.first, each.other, round(each.effect, 4))
        gain linear exp2 -0.0869
        ties item-desc input 0.0
        no_relevant zero one 0.0

    """
    names = (OURS, *conventions()) if like is None else tuple(dict.fromkeys(map(_name, like)))
    if len(names) < 2:
        raise UsageError(f"like={list(names)!r}: to see differences takes two conventions or more")
    asked = list(dict.fromkeys(separate(measures)))
    known = known_items(items, train, columns)
    chosen = given(choices, GivenChoices, differences)
    plans, lacking = _plans(asked, names, chosen, _Here(known, judged=qrels is not None), every=like is None)
    comparison = _Comparison(_tables(qrels, run, columns), known, threads)
    values, queries, why = {}, {}, []
    for measure, of_measure in plans.items():
        results = {}
        for name, plan in of_measure.items():
            try:
                results[name] = comparison.result(plan)
            except (DataError, MeasureError) as error:
                if like is not None or name == OURS:
                    raise
                lacking.append(f"{name}: {error}")
        values[measure] = {name: _value(result) for name, result in results.items()}
        if names[0] not in results:
            continue
        first = results[names[0]]
        of_queries = {name: result for name, result in results.items() if _has_queries(result)}
        if _has_queries(first):
            queries[measure] = {name: _unlike(first, result) for name, result in of_queries.items()}
        for name in list(results)[1:]:
            for what, ours, theirs, changed in comparison.changes(of_measure[names[0]], of_measure[name]):
                value = comparison.value(changed)
                effect = value - values[measure][names[0]]
                why.append(Difference(measure, name, what, ours, theirs, value, effect))
    there = {name for of in values.values() for name in of}
    return Differences(
        tuple(name for name in names if like is not None or name in there),
        values,
        queries,
        tuple(why),
        tuple(lacking),
    )


def _name(name: str) -> str:
    return name if name == OURS else convention(name).name


@dataclass(frozen=True, slots=True)
class _Here:
    """What measures can look at."""

    known: Catalogue
    judged: bool

    def plans(self, plan: Plan) -> Iterator[Plan]:
        """The plan, or one for each group of items.

        Raises:
            UsageError: it looks at what is not here.

        """
        plan, _ = with_known(plan, self.known, None, judged=self.judged, aspects=True)
        if not self.judged:
            refuse_without_judgements(plan)
        for measure in plan.measures:
            yield replace(plan, measures=(measure,))


def _tables(qrels: Any, run: Any, columns: Mapping[str, Any] | None) -> tuple[Input, Input]:
    """Judgements and results; without judgements the queries of the run."""
    if qrels is not None:
        return read_inputs(qrels, run, columns)
    results = read_shared(run, "run", columns)
    return results.queries(), results


def _plans(
    asked: Iterable[str | Measure],
    names: Sequence[str],
    given: Mapping[str, Any],
    here: _Here,
    *,
    every: bool,
) -> tuple[dict[str, dict[str, Plan]], list[str]]:
    """The plan of each measure under each convention that has it, and a word for each that has not."""
    plans: dict[str, dict[str, Plan]] = {}
    lacking: list[str] = []
    for measure in asked:
        refused = {}
        found: dict[str, dict[str, Plan]] = {}
        for name in names:
            try:
                plan = planned([measure], None if name == OURS else name, given, items=True)
            except MeasureError as error:
                refused[name] = error
                continue
            try:
                made = list(here.plans(plan))
            except UsageError as error:
                if not every or name == OURS:
                    raise
                lacking.append(f"{name}: {error}")
                continue
            for each in made:
                label = str(measure if len(made) == 1 else each.measures[0])
                found.setdefault(label, {})[name] = each
        if not found:
            raise next(iter(refused.values()))
        plans |= found
        if len(refused) > MOST_NAMES:
            lacking.append(f"{counted(len(refused), 'convention')} have no {measure}: {', '.join(refused)}")
        else:
            lacking += map(str, refused.values())
    return plans, lacking


def _value(result: ListResult) -> float:
    return result[result.measures[0]]


def _has_queries(result: ListResult) -> bool:
    return result.measures[0].page.aggregate != "run"


def _unlike(first: ListResult, other: ListResult) -> int:
    """In how many queries two results do not have the same value, or only one of them has a value."""
    ours, theirs = (result.query_values(result.measures[0]) for result in (first, other))
    return int(np.count_nonzero(~np.isclose(ours, theirs, rtol=0, atol=1e-12, equal_nan=True)))


class _Comparison:
    """Evaluates the same tables again and again, each plan once."""

    def __init__(self, tables: tuple[Input, Input], known: Catalogue, threads: int | None) -> None:
        self._tables = tables
        self._known = known
        self._threads = threads
        self._values: dict[tuple[Any, ...], float] = {}
        self._integers = tables[1].table.kind(tables[1].item) == "integer"

    def result(self, plan: Plan) -> ListResult:
        known = self._known if any(each.page.kind == "item" for each in plan.measures) else None
        return evaluate_tables(*self._tables, plan, threads=self._threads, known=known)

    def value(self, plan: Plan) -> float:
        """The value of the plan's only measure; NaN where it cannot be computed so."""
        key = (plan.measures, plan.choices, plan.text_items)
        if key not in self._values:
            try:
                self._values[key] = _value(self.result(plan))
            except (DataError, MeasureError):  # a mean over the orders of ties that has no closed form, say
                self._values[key] = math.nan
        return self._values[key]

    def changes(self, first: Plan, other: Plan) -> Iterator[tuple[str, str, str, Plan]]:
        """What differs between two plans of one measure, and the first with that alone changed."""
        (measure,), (theirs,) = first.measures, other.measures
        choices, their_choices = asdict(first.choices), asdict(other.choices)
        if measure.name != theirs.name:
            yield "measure", str(measure), str(theirs), _replaced(first, measure=theirs)
        else:
            for name, here, there in _parameters(measure, theirs):
                changed = _replaced(first, measure=measure(**{name: there}))
                yield name, format_value(here), format_value(there), changed
        for name, value in choices.items():
            if value != their_choices[name]:
                changed = _replaced(first, choices=replace(first.choices, **{name: their_choices[name]}))
                yield name, value, their_choices[name], changed
        if self._integers and first.text_items != other.text_items:
            ids = {True: "text", False: "integer"}
            changed = replace(first, text_items=other.text_items)
            yield "item_ids", ids[first.text_items], ids[other.text_items], changed


def _parameters(measure: Measure, theirs: Measure) -> Iterator[tuple[str, Any, Any]]:
    ours_and_theirs = (
        {**each.arguments, **({MEAN.name: each.mean} if MEAN.name in each.page.accepted else {})}
        for each in (measure, theirs)
    )
    ours, others = ours_and_theirs
    for name, value in ours.items():
        if value != others[name]:
            yield name, value, others[name]


def _replaced(plan: Plan, *, measure: Measure | None = None, choices: Choices | None = None) -> Plan:
    """The plan of one measure with another measure or other choices."""
    return replace(plan, measures=(measure,) if measure else plan.measures, choices=choices or plan.choices)
