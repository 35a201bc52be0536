"""What is to be computed, and how: the measures asked for, and the choices that decide each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from inspect import isfunction
from typing import Any, NamedTuple, TypeAlias

from rankmark._native import MOST_THREADS, CompiledGroup, CompiledMeasure
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, MeasureError, UsageError
from rankmark.language.choices import Choices, Ties
from rankmark.language.conventions.convention import convention
from rankmark.language.grammar import each_cutoff, split_measures
from rankmark.language.measure import Measure
from rankmark.language.names import as_measure
from rankmark.language.registry import LISTS_FIRST, Kind, namesakes, pages, remembered

__all__ = [
    "AskedBounds",
    "Group",
    "Plan",
    "asked_measures",
    "behind_bounds",
    "check_threads",
    "compiled_of",
    "is_plain",
    "planned",
    "separate",
]

AskedBounds: TypeAlias = bool | str
"""Which bounds are asked for; see `behind_bounds`."""

STANDARD = Choices()


class _Group(NamedTuple):
    choices: Choices
    measures: tuple[Measure, ...]


class Group(_Group):
    """Measures, and the choices that decide them.

    What these say whatever the data is found once: small evaluations would take longer to find it again.
    """

    @cached_property
    def compiled(self) -> CompiledGroup | None:
        """What the core computes in the place of the pages, if it does of all."""
        compiled = compiled_of(self.measures, self.choices)
        return None if compiled is None else CompiledGroup(compiled, self.choices)

    @cached_property
    def of_aspects(self) -> Measure | None:
        """The first of the measures that look at judgements of aspects."""
        return next((each for each in self.measures if each.of_aspects), None)

    @cached_property
    def are_means(self) -> bool:
        """Whether each is the mean over all judged queries, whatever lists these have."""
        all_count = self.choices.missing != "skip" and all(each.answers for each in self.measures)
        kept = self.choices.short_lists == "keep" or all(each.cutoff is None for each in self.measures)
        return all_count and kept and all(each.is_mean_of_queries for each in self.measures)

    def __reduce__(self) -> tuple[type[Group], tuple[Any, ...]]:
        return Group, tuple(self)


def compiled_of(measures: Sequence[Measure], choices: Choices) -> list[CompiledMeasure] | None:
    """What the core computes in the place of the pages, if it does of all."""
    compiled = [measure.compiled for measure in measures if measure.compiled is not None]
    return compiled if len(compiled) == len(measures) and is_plain(choices) else None


def is_plain(choices: Choices) -> bool:
    """Whether lists are as the core computes measures of them: no ranks are shared, no grades made up."""
    return choices.ties != "expected" and choices.unjudged != "relevant"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be computed, and how.

    Attributes:
        measures: the measures in the order asked for.
        choices: those of the measures that have none of their own.
        own: those of the measures for which a convention decides otherwise.
        convention: the convention's label, if there is one.
        text_items: whether item ids are taken as text.
        of_items: those of the measures that look at what is recommended.
        of_samples: the first of those that look at how items were sampled to be judged.
        chosen: the choices of all groups of measures.
        sampled: how candidates were sampled, where lists with other items are refused.

    """

    measures: tuple[Measure, ...]
    choices: Choices
    own: Mapping[Measure, Choices] = field(default_factory=dict)
    convention: str | None = None
    text_items: bool = False
    of_items: tuple[Measure, ...] = field(init=False, repr=False, compare=False)
    of_samples: Measure | None = field(init=False, repr=False, compare=False)
    chosen: tuple[Choices, ...] = field(init=False, repr=False, compare=False)
    sampled: frozenset[str] = field(init=False, repr=False, compare=False)
    _groups: tuple[Group, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        of_items = tuple(measure for measure in self.measures if measure.page.kind == "item")
        object.__setattr__(self, "of_items", of_items)
        object.__setattr__(self, "of_samples", next((each for each in of_items if each.of_samples), None))
        groups: dict[Choices, list[Measure]] = {}
        for measure in self.measures:
            groups.setdefault(self.own.get(measure, self.choices), []).append(measure)
        each = groups.items() if self.own else [(self.choices, self.measures)]
        object.__setattr__(self, "_groups", tuple(Group(choices, tuple(group)) for choices, group in each))
        object.__setattr__(self, "chosen", tuple(choices for choices, _ in self._groups))
        candidates = {choices.candidates for choices in self.chosen if choices.unjudged != "ignore"}
        object.__setattr__(self, "sampled", frozenset(candidates - {"all"}))
        for choices, measures in self.groups():
            if choices.unjudged == "relevant":
                _refuse_taken_as_relevant(measures)

    def of_candidates(self, candidates: str | None) -> Plan:
        """The same where these were ranked."""
        if candidates is None:
            return self
        own = {measure: replace(choices, candidates=candidates) for measure, choices in self.own.items()}
        return replace(self, choices=replace(self.choices, candidates=candidates), own=own)

    def groups(self) -> list[Group]:
        """The measures that the same choices decide."""
        return [*self._groups]

    def observed_groups(self, *, bounds: AskedBounds) -> list[Group]:
        """What an engine is to observe: the groups, and for `bounds` what else these are made of."""
        groups = self.groups()
        if not bounds:
            return groups
        return groups + [other for group in groups for other in behind_bounds(bounds, *group)]


def _refuse_taken_as_relevant(measures: Iterable[Measure]) -> None:
    """Refuses measures that look for judgements of items beside the lists."""
    for measure in measures:
        if measure.page.kind == "item" and {"judgements", "aspects"} & {*measure.needs}:
            raise MeasureError(
                f'{measure} asks for judgements by item, and unjudged="relevant" has none: leave one out'
            )


def behind_bounds(bounds: AskedBounds, choices: Choices, measures: tuple[Measure, ...]) -> list[Group]:
    """What the bounds of a group are made of, beside its own values.

    Args:
        bounds: of what: True or ``ties``, other orders of equal scores; ``unjudged``, what items could be
            that nobody judged, up to a grade as in ``unjudged=3``; False for none.
        choices: those of the group.
        measures: its measures.

    Raises:
        UsageError: bounds of anything else, or choices that these have no bounds under.
        MeasureError: a measure of which the bounds of unjudged items are not known.

    """
    if not bounds:
        return []
    if bounds is True or bounds == "ties":
        return other_orders(choices, measures)
    word, _, said = str(bounds).partition("=")
    if word != "unjudged":
        raise UsageError(
            f"bounds={bounds!r} is not one of ties, unjudged, nor this with a highest grade, such as "
            '"unjudged=3"'
        )
    from rankmark.language.extremes import End, Extreme, refuse_open

    grade = _grade(said) if said else None
    for measure in measures:
        refuse_open(measure, choices)
    ends: tuple[End, End] = ("lowest", "highest")
    return [
        Group(choices, tuple(Extreme.at(each, end, choices.no_relevant, grade) for each in measures))
        for end in ends
    ]


def _grade(said: str) -> float:
    try:
        grade = float(said)
    except ValueError:
        grade = -1.0
    if not 0 < grade < float("inf"):
        raise UsageError(f"bounds='unjudged={said}': the highest grade is a number above 0")
    return grade


def other_orders(choices: Choices, measures: tuple[Measure, ...]) -> list[Group]:
    """A group under the orders of equal scores that `Bounds` has and that are not its own."""
    closed = tuple(measure for measure in measures if measure.expected)
    orders: list[tuple[Ties, tuple[Measure, ...]]] = [
        ("expected", closed),
        ("worst", measures),
        ("best", measures),
    ]
    return [Group(replace(choices, ties=ties), of) for ties, of in orders if of and ties != choices.ties]


def planned(
    measures: str | Measure | Iterable[str | Measure],
    like: str | None,
    given: Mapping[str, Any],
    kinds: tuple[Kind, ...] = LISTS_FIRST,
    *,
    items: bool = False,
) -> Plan:
    """The plan for measures, a convention and the choices that the caller gives, which override its.

    A choice that is None is not given. With `LISTS_FIRST` there are to be no others, and
    of items only where `items` says that these are seen.
    """
    # With their types, since 1 is True.
    said = tuple([(name, type(value), value) for name, value in given.items() if value is not None])
    if isinstance(measures, str) or (isinstance(measures, (list, tuple)) and {*map(type, measures)} == {str}):
        texts = measures if isinstance(measures, str) else tuple(measures)
        try:
            return _planned_again(texts, like, said, kinds, items)
        except TypeError:  # what cannot be hashed
            pass
    return _planned(measures, like, {name: value for name, _, value in said}, kinds, items)


@remembered
def _planned_again(
    texts: str | tuple[str, ...],
    like: str | None,
    choices: tuple[tuple[str, type, Any], ...],
    kinds: tuple[Kind, ...],
    items: bool,
) -> Plan:
    """The same of texts, which mean the same each time until there is another measure."""
    return _planned(texts, like, {name: value for name, _, value in choices}, kinds, items)


def _planned(
    measures: str | Measure | Iterable[str | Measure],
    like: str | None,
    given: Mapping[str, Any],
    kinds: tuple[Kind, ...],
    items: bool,
) -> Plan:
    taken = _of_lists if kinds == LISTS_FIRST else tuple
    if like is None:
        return Plan(
            taken(asked_measures(measures, kinds, items=items)), Choices(**given) if given else STANDARD
        )
    record = convention(like)
    meanings = [record.meaning(asked, kinds) for asked in separate(measures)]
    by_measure: dict[Measure, Choices] = {}
    for meaning in meanings:
        chosen = Choices(**{**meaning.choices, **given})
        if by_measure.setdefault(meaning.measure, chosen) != chosen:
            raise MeasureError(
                f"{meaning.measure} was asked for under two names by which {record.name} decides "
                "differently; ask for one at a time"
            )
    different = set(by_measure.values())
    common = Choices(**{**record.choices, **given})
    choices = different.pop() if len(different) == 1 else common
    own = {measure: theirs for measure, theirs in by_measure.items() if theirs != choices}
    asked = taken(asked_measures(list(by_measure), kinds, items=items))
    return Plan(asked, choices, own, record.label, record.text_items)


def asked_measures(
    measures: str | Measure | Iterable[str | Measure],
    kinds: tuple[Kind, ...] = LISTS_FIRST,
    *,
    items: bool = False,
) -> tuple[Measure, ...]:
    """The measures asked for, each once; names are looked for in the kinds of measures in their order.

    Measures of items are refused, unless `items` says that these are seen.
    """
    asked = tuple(separate(measures))
    # Equal measures may have been asked for by different names, which are not in what is known of them.
    labels = tuple(measure.asked for measure in asked if isinstance(measure, Measure))
    try:
        found = _distinct(asked, kinds, labels)
    except TypeError:  # what cannot be hashed is no measure
        found = _distinct(tuple(as_measure(measure, kinds) for measure in asked), kinds, labels)
    of_items = [] if items else [measure for measure in found if measure.page.kind == "item"]
    if of_items:
        raise MeasureError(
            f"{of_items[0]} looks at which items lists have, which are not seen here: use rm.evaluate, "
            "rm.evaluate_arrays, rm.evaluate_model, rm.Evaluator, rm.spark.evaluate or `rankmark eval`"
        )
    return found


def _of_lists(asked: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """The measures, none of which may be one of predictions."""
    for measure in asked:
        if measure.page.kind not in ("list", "item"):
            lists = " or ".join(n for n in namesakes(measure.page) if pages()[n].kind == "list")
            from rankmark.language.absent import absent

            why = absent(measure.name)
            hint = f"; of lists there is {lists}" if lists else f"; of lists {why}" if why else ""
            raise MeasureError(
                f"{measure} is a measure of predictions, for evaluate_predictions (`rankmark predictions`)"
                f"{hint}"
            )
    return asked


@remembered
def _distinct(
    measures: tuple[str | Measure, ...],
    kinds: tuple[Kind, ...],
    labels: tuple[str | None, ...],  # noqa: ARG001 - tells apart what is equal
) -> tuple[Measure, ...]:
    asked = tuple(dict.fromkeys(as_measure(measure, kinds) for measure in measures))
    if not asked:
        raise MeasureError("no measure asked for; for example ['nDCG@10', 'AP']")
    for name, count in Counter(map(str, asked)).items():
        if count > 1:
            raise MeasureError(
                f"{count} measures are written {name}; give their functions names that tell them apart"
            )
    labelled = Counter(measure.label for measure in asked)
    return tuple(each if labelled[each.label] == 1 else each.asked_as(None) for each in asked)


def separate(measures: str | Measure | Iterable[str | Measure]) -> Iterable[str | Measure]:
    """The measures asked for, one by one."""
    if isinstance(measures, str):
        return split_measures(measures)
    if isinstance(measures, Measure) or isfunction(measures):
        return [measures]
    if isinstance(measures, Iterable) and not isinstance(measures, Mapping):
        return [one for each in measures for one in (each_cutoff(each) if isinstance(each, str) else [each])]
    raise MeasureError(f"measures={measures!r} is neither a measure nor several, such as ['nDCG@10', 'AP']")


def check_threads(threads: int | None) -> None:
    """Refuses what is no number of threads."""
    if threads is None:
        return
    if not isinstance(threads, int) or isinstance(threads, bool) or not 1 <= threads <= MOST_THREADS:
        raise ChoiceError(f"threads={threads!r} is not a whole number from 1 to {MOST_THREADS}")
