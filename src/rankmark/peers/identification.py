"""By which definition of a measure a number was computed, such as one that a paper gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from decimal import Decimal, InvalidOperation
from itertools import combinations
from typing import Any, ClassVar, NamedTuple, Unpack

from rankmark.api.evaluation import evaluate_tables
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, MeasureError, UsageError
from rankmark.inputs import Input, extent_of, read_inputs
from rankmark.language.choices import Choices, GivenChoices, given, go_together, values_of
from rankmark.language.conventions.convention import conventions
from rankmark.language.measure import Measure
from rankmark.language.names import as_measure
from rankmark.language.parameters import format_value
from rankmark.language.plan import Plan, check_threads, planned
from rankmark.language.registry import MEAN
from rankmark.progress import Counter, counting
from rankmark.rendering.blocks import Block, Grid, Prose, toned
from rankmark.rendering.records import Record
from rankmark.rendering.words import brief, counted, first_of, rounded
from rankmark.results.saved import Saved

__all__ = ["Candidate", "Identification", "identify"]

CUTOFFS = (1, 3, 5, 10, 20, 50, 100, 1000, None)
"""Those looked at where no definition fits at the cutoff that was named; None is all items."""
MOST_GRADES = 4
"""Up to which grade an item need not be relevant."""
MOST_SHOWN, MOST_NAMES, MOST_ALIKE, MOST_DIGITS = 12, 3, 3, 12
"""Values, names of conventions, definitions of one value, and digits in a table."""
SAME = 1e-12
"""Values no further apart differ by the order of additions alone."""


@dataclass(frozen=True, slots=True, repr=False)
class Candidate(Record):
    """A definition, and its value on these data.

    Attributes:
        measure: what was measured, with its parameters.
        value: its value.
        off: by how much it is more than the number looked for.
        fits: whether it is that number to the digits given.
        like: the conventions whose value it is.
        changes: what differs from the standard here, such as ``gain=exp2``.
        alike: other such changes that come to the same value on these data, of which none can be left out.
        signature: what evaluates it again, in its short form.

    """

    measure: str
    value: float
    off: float
    fits: bool
    like: tuple[str, ...]
    changes: tuple[str, ...]
    alike: tuple[tuple[str, ...], ...]
    signature: str


@dataclass(frozen=True, slots=True, repr=False)
class Identification(Saved):
    """What a number may be, the nearest definition first.

    Attributes:
        measure: what was asked for.
        wanted: the number looked for, as a share where per cent were given.
        given: it as it was given.
        tolerance: half a unit of its last digit.
        candidates: a definition for each value that was found: first those that fit, those of a tool and with
            the fewest changes before others; then the others by how near they are.
        tried: how many definitions were evaluated.
        idle: what alone makes no difference on these data.
        lacking: which conventions do not have the measure or refuse these data, in words.

    """

    measure: str
    wanted: float
    given: str
    tolerance: float
    candidates: tuple[Candidate, ...]
    tried: int
    idle: tuple[str, ...]
    lacking: tuple[str, ...]

    _instead: ClassVar = "one number"

    @property
    def found(self) -> tuple[Candidate, ...]:
        """The definitions that fit."""
        return tuple(each for each in self.candidates if each.fits)

    def __repr__(self) -> str:
        return f"<Identification {self.verdict}>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        yield Prose([self.verdict])
        shown = min(max(digits, -Decimal(repr(self.tolerance)).adjusted()), MOST_DIGITS)
        rows = [
            [
                toned(rounded(each.value, f".{shown}f"), "best" if each.fits else None),
                rounded(each.off, f"+.{shown}f"),
                first_of(each.like, MOST_NAMES),
                " or ".join(map(_written_changes, (each.changes, *each.alike[: MOST_ALIKE - 1]))),
            ]
            for each in self._shown()
        ]
        header = ["value", "off", "as in", "otherwise than the standard here"]
        yield Grid(4, [header, *rows], "Definitions")
        yield Prose(self._notes())

    def _frame(self) -> Grid:
        rows = [
            [repr(each.value), repr(each.off), " ".join(each.like), " ".join(each.changes), each.signature]
            for each in self.candidates
        ]
        return Grid(0, [["value", "off", "like", "changes", "signature"], *rows])

    def _record(self) -> dict[str, Any]:
        return {
            "measure": self.measure,
            "wanted": self.wanted,
            "given": self.given,
            "tolerance": self.tolerance,
            "tried": self.tried,
            "candidates": [
                {each.name: _plain(getattr(one, each.name)) for each in fields(one)}
                for one in self.candidates
            ],
            "idle": list(self.idle),
            "lacking": list(self.lacking),
        }

    def _shown(self) -> tuple[Candidate, ...]:
        return self.candidates[: max(MOST_SHOWN, len(self.found))]

    @property
    def verdict(self) -> str:
        """What was found, in a line."""
        what = f"{self.measure} = {self.given}"
        if self.found:
            fitting = sum(1 + len(each.alike) for each in self.found)
            has = "1 definition has" if fitting == 1 else f"{fitting} definitions have"
            return f"{what}: {has} this value{', the likeliest first' if fitting > 1 else ''}"
        tried = counted(self.tried, "definition")
        return f"{what}: none of the {tried} tried has this value; the nearest are these"

    def _notes(self) -> list[str]:
        notes = []
        if float(self.given.rstrip("% ")) != self.wanted:
            notes.append(f"{self.given} is taken for per cent: {self.wanted:.10g}")
        if left := len(self.candidates) - len(self._shown()):
            notes.append(f"{counted(left, 'value')} further off are in JSON and CSV")
        if self.idle:
            notes.append(f"alone without effect on these data: {', '.join(self.idle)}")
        if len(self.found) > 1:
            notes.append("more digits, or the number for another run, tell definitions apart that fit")
        if self.found:
            notes.append(f"the first again: {self.found[0].signature}")
        else:
            notes.append(
                "other judgements, another run or other queries give other numbers, too: compare how many "
                "queries there are, and how many of them are judged"
            )
        return notes


def _written_changes(changes: tuple[str, ...]) -> str:
    return ", ".join(changes) or "nothing"


def _plain(value: Any) -> Any:
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def identify(
    qrels: Any,
    run: Any,
    measure: str | Measure,
    value: float | str,
    *,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[GivenChoices],
) -> Identification:
    """Finds by which definition a measure has a value on these data, such as one that a paper gives.

    Tried are, until a definition fits: what each convention computes under the name, and the standard here
    with each parameter and each choice changed alone; two and three of these changes together; and all that
    at other cutoffs. A definition fits if its value is the number to the digits that are given: of ``"0.50"``
    from 0.495 to 0.505.

    Args:
        qrels: the judgements, as in `evaluate`.
        run: the results of one system, as in `evaluate`.
        measure: the measure by a name that the conventions understand, such as ``"nDCG@10"``; parameters that
            are said hold for all definitions.
        value: the number as it was published, as a text where it ends in zeros. Above 1, of a measure that is
            at most 1, or with a per cent sign it is per cent.
        columns: as in `evaluate`.
        threads: as in `evaluate`.
        **choices: choices of `evaluate`, such as ``missing="skip"``, which then hold for all definitions.

    Raises:
        UsageError: no such measure, no number, or what `evaluate` refuses.
        DataError: tables that cannot be evaluated as they are.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q1": {"a": 3, "b": 1}, "q2": {"c": 1}}
        >>> run = {"q1": ["b", "a"], "q2": ["x", "c"]}
        >>> for each in rm.identify(qrels, run, "nDCG@10", "0.670").found:
        ...     print(each.like[:3], each.changes)
        ('elliot', 'lightgbm', 'xgboost') ('gain=exp2',)

    """
    asked = as_measure(measure)
    said = given(choices, GivenChoices, identify)
    planned([measure], None, said)  # refuses what is no measure of lists, and no choice
    check_threads(threads)
    number = _Number.read(value, asked)
    tables = read_inputs(qrels, run, columns)
    with counting("trying definitions", 0) as counter:
        search = _Search(tables, threads, measure, said, counter)
        search.look()
        if not search.has(number):
            search.look_at_several()
        if not search.has(number):
            search.look_at_other_cutoffs()
    return Identification(
        measure=asked.label,
        wanted=number.wanted,
        given=number.text,
        tolerance=number.tolerance,
        candidates=tuple(search.candidates(number)),
        tried=len(search.values),
        idle=tuple(search.idle()),
        lacking=tuple(search.lacking),
    )


class _Number(NamedTuple):
    """A number as it was published."""

    text: str
    wanted: float
    tolerance: float

    @classmethod
    def read(cls, value: float | str, measure: Measure) -> _Number:
        text = value.strip() if isinstance(value, str) else _written(value)
        try:
            number = Decimal(text.removesuffix("%").strip())
        except InvalidOperation:
            number = Decimal("nan")
        if not number.is_finite():
            raise UsageError(f"value={brief(value)} is not a number, such as 0.4373")
        least, most = measure.bounds
        half = Decimal(1).scaleb(int(number.as_tuple().exponent)) / 2
        per_cent = text.endswith("%") or (most == 1 and 1 < number <= 100)
        if per_cent:
            number, half = number / 100, half / 100
        for bound, beyond in ((least, number + half < (least or 0)), (most, number - half > (most or 0))):
            if bound is not None and beyond:
                side = "at least" if bound is least else "at most"
                raise UsageError(f"value={text}: {measure} is {side} {bound:g}")
        return cls(text, float(number), float(half))

    def fits(self, value: float) -> bool:
        return abs(value - self.wanted) <= self.tolerance + SAME


def _written(value: Any) -> str:
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise UsageError(f"value={brief(value)} is not a number, such as 0.4373")
    return repr(float(value))


class _Definition(NamedTuple):
    """A measure and all that decides its value; the key of what was evaluated."""

    measure: Measure
    choices: Choices
    text_items: bool = False


Change = tuple[str, Any]
"""The name of a parameter or a choice, and what it is instead of the standard."""


class _Search:
    """Evaluates definitions, each once, and all measures of the same choices together."""

    def __init__(
        self,
        tables: tuple[Input, Input],
        threads: int | None,
        asked: str | Measure,
        said: Mapping[str, Any],
        counter: Counter,
    ) -> None:
        self._tables, self._threads = tables, threads
        self.counter = counter
        self._asked, self._said = asked, said
        self._standard = _Definition(as_measure(asked), Choices(**said))
        self.values: dict[_Definition, float] = {}
        self.lacking: list[str] = []
        self._like: dict[_Definition, list[str]] = {}
        self._parameters = list(self._parameter_changes(self._standard.measure))
        self._choices = [
            (name, word)
            for name in ("ties", "missing", "no_relevant", "unjudged", "scores", "short_lists", "duplicates")
            if name not in said
            for word in values_of(name)
            if word not in ("error", "random", getattr(self._standard.choices, name))
            and self._can({name: word})
        ]

    def _can(self, changes: Mapping[str, Any]) -> bool:
        """Whether the standard's choices can be changed so."""
        standard = self._standard.choices
        return go_together({"ties": standard.ties, "unjudged": standard.unjudged} | dict(changes))

    def look(self) -> None:
        """The standard, every convention, and each change alone; those without effect are dropped."""
        measures = self._variants(self._standard.measure, most=1)
        self._evaluate(self._standard.choices, measures)
        if not self.values:  # says why
            evaluate_tables(*self._tables, Plan((self._standard.measure,), self._standard.choices))
        self.counter.total += len(conventions()) + len(self._choices)
        for name in conventions():
            self._look_at(name)
            self.counter.done += 1
        usual = self._of(self._standard.choices)
        telling = []
        for name, word in self._choices:
            changed: dict[str, Any] = {name: word}
            choices = replace(self._standard.choices, **changed)
            self._evaluate(choices, measures)
            self.counter.done += 1
            if self._of(choices) != usual:
                telling.append((name, word))
        self._choices = telling

    def look_at_several(self) -> None:
        """Two and three changes together."""
        measures = self._variants(self._standard.measure, most=2)
        self._try(
            [
                changes
                for several in range(3)
                for changes in _together(self._choices, several)
                if self._can(changes)
            ],
            measures,
        )

    def look_at_other_cutoffs(self) -> None:
        """Each change alone, at other cutoffs."""
        standard = self._standard.measure
        if not standard.page.takes_cutoff:
            return
        others = [Measure.of(standard.page, standard.given, k) for k in CUTOFFS if k != standard.cutoff]
        measures = [each for base in others for each in self._variants(base, most=1)]
        self._try([{}, *_together(self._choices, 1)], measures)

    def _try(self, several: Sequence[Mapping[str, Any]], measures: Sequence[Measure]) -> None:
        """Evaluates the measures under each of several changes of the choices."""
        self.counter.total += len(several)
        for changes in several:
            self._evaluate(replace(self._standard.choices, **changes), measures)
            self.counter.done += 1

    def has(self, number: _Number) -> bool:
        """Whether a definition was found that fits."""
        return any(map(number.fits, self.values.values()))

    def candidates(self, number: _Number) -> Iterator[Candidate]:
        """One for each value."""
        groups: dict[float, list[_Definition]] = {}
        for definition, value in self.values.items():
            groups.setdefault(round(value, 12), []).append(definition)
        found = [self._candidate(definitions, number) for definitions in groups.values()]
        yield from sorted(found, key=_likelihood)

    def _candidate(self, definitions: list[_Definition], number: _Number) -> Candidate:
        first, *others = _least({each: self._changes(each) for each in definitions})
        value = self.values[first]
        like = {name for each in definitions for name in self._like.get(each, ())}
        return Candidate(
            measure=str(first.measure),
            value=value,
            off=value - number.wanted,
            fits=number.fits(value),
            like=tuple(name for name in conventions() if name in like),
            changes=tuple(self._changes(first)),
            alike=tuple(tuple(self._changes(each)) for each in others),
            signature=self._signature(first),
        )

    def idle(self) -> Iterator[str]:
        """What alone does not change the value."""
        usual = self.values.get(self._standard)
        for definition, value in self.values.items():
            changes = self._changes(definition)
            if len(changes) == 1 and usual is not None and abs(value - usual) <= SAME:
                yield changes[0]

    def _signature(self, definition: _Definition) -> str:
        from rankmark.language.signature import Recipe

        ids = "text" if definition.text_items else self._tables[1].item_ids
        return Recipe(definition.measure, definition.choices, ids).signature(short=True)

    def _changes(self, definition: _Definition) -> list[str]:
        """What differs from the standard, in words."""
        standard, measure = self._standard, definition.measure
        if measure.name != standard.measure.name:
            changes = [str(measure)]
        else:
            ours, theirs = (_arguments(each) for each in (standard.measure, measure))
            changes = [f"{name}={format_value(v)}" for name, v in theirs.items() if v != ours[name]]
            if measure.cutoff != standard.measure.cutoff:
                changes.append("no cutoff" if measure.cutoff is None else f"@{measure.cutoff}")
        changes += [
            f"{each.name}={getattr(definition.choices, each.name)}"
            for each in fields(Choices)
            if getattr(definition.choices, each.name) != getattr(standard.choices, each.name)
        ]
        if definition.text_items:
            changes.append("item_ids=text")
        return changes

    def _look_at(self, name: str) -> None:
        """What a convention computes under the name."""
        try:
            plan = planned([self._asked], name, self._said)
            result = evaluate_tables(*self._tables, plan, threads=self._threads)
        except (ChoiceError, MeasureError, DataError) as error:
            self.lacking.append(f"{name}: {error}")
            return
        (measure,) = plan.measures
        if result[measure] != result[measure]:
            self.lacking.append(f"{name}: no query has a value")
            return
        text_items = plan.text_items and self._tables[1].item_ids == "integer"
        definition = _Definition(measure, plan.own.get(measure, plan.choices), text_items)
        self.values.setdefault(definition, result[measure])
        self._like.setdefault(definition, []).append(name)

    def _variants(self, base: Measure, most: int) -> list[Measure]:
        """The measure with up to so many of its parameters changed."""
        found = (
            Measure.of(base.page, {**base.given, **changes}, base.cutoff)
            for several in range(most + 1)
            for changes in _together(self._parameters, several)
        )
        return list(dict.fromkeys(found))

    def _parameter_changes(self, measure: Measure) -> Iterator[Change]:
        """What a parameter that was not said can be: its words, what tools have, and grades."""
        seen: dict[str, dict[Any, None]] = {}
        for name, parameter in measure.page.parameters.items():
            seen[name] = dict.fromkeys(parameter.choices)
        for record in conventions().values():
            if record.has(self._asked):
                theirs = record.measure(self._asked)
                for name, each in theirs.parameters.items() if theirs.name == measure.name else ():
                    seen.setdefault(name, {})[each] = None
        if "rel" in measure.page.parameters:
            greatest = extent_of(self._tables[0])
            most = min(MOST_GRADES, int(greatest[1])) if greatest else 1
            seen["rel"] |= dict.fromkeys(range(1, most + 1))
        if MEAN.name in measure.page.accepted:
            seen.setdefault(MEAN.name, {})["geometric"] = None
        usual = _arguments(measure)
        for name, words in seen.items():
            if name not in measure.given:
                yield from ((name, word) for word in words if word != usual[name])

    def _of(self, choices: Choices) -> list[float]:
        """The values of all measures that were evaluated by some choices."""
        return [
            value for each, value in self.values.items() if each.choices == choices and not each.text_items
        ]

    def _evaluate(self, choices: Choices, measures: Iterable[Measure]) -> None:
        """Evaluates what was not yet, together; what cannot be computed so is no candidate."""
        new = [m for m in measures if _Definition(m, choices) not in self.values]
        if choices.ties == "expected":
            new = [m for m in new if m.expected]
        if not new:
            return
        try:
            result = evaluate_tables(*self._tables, Plan(tuple(new), choices), threads=self._threads)
        except (MeasureError, DataError):
            if len(new) > 1:
                for each in new:
                    self._evaluate(choices, [each])
            return
        self.values |= {_Definition(m, choices): result[m] for m in new if result[m] == result[m]}


def _together(changes: Iterable[Change], several: int) -> Iterator[dict[str, Any]]:
    """So many of the changes at a time, of different things."""
    for some in combinations(changes, several):
        found = dict(some)
        if len(found) == several:
            yield found


def _least(changes: Mapping[_Definition, list[str]]) -> list[_Definition]:
    """The definitions of which no change can be left out for another of them, the fewest changes first."""
    found: list[_Definition] = []
    for each in sorted(changes, key=lambda one: len(changes[one])):
        if not any(set(changes[less]) <= set(changes[each]) for less in found):
            found.append(each)
    return found


def _arguments(measure: Measure) -> dict[str, Any]:
    """Every parameter with its value, and how queries are averaged."""
    return {**measure.arguments, MEAN.name: measure.mean}


def _likelihood(each: Candidate) -> tuple[bool, bool, int, float]:
    """What is looked at first: what fits; of that what a tool computes, and the fewest changes."""
    if each.fits:
        return False, not each.like, len(each.changes), abs(each.off)
    return True, False, 0, abs(each.off)
