"""What is to be computed, and how: the measures asked for, and the choices that decide each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from inspect import isfunction
from typing import Any, TypeAlias

from rankmark._native import MOST_THREADS
from rankmark.errors import ChoiceError, MeasureError
from rankmark.language.absent import absent
from rankmark.language.choices import Choices, Ties
from rankmark.language.conventions.convention import convention
from rankmark.language.grammar import each_cutoff, split_measures
from rankmark.language.measure import Measure
from rankmark.language.names import as_measure
from rankmark.language.registry import LISTS_FIRST, Kind, namesakes, pages, remembered

__all__ = ["Group", "Plan", "asked_measures", "check_threads", "other_orders", "planned", "separate"]

Group: TypeAlias = tuple[Choices, tuple[Measure, ...]]
"""Measures, and the choices that decide them."""

STANDARD = Choices()


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be computed, and how.

    Attributes:
        measures: the measures in the order asked for.
        choices: those of the measures that have none of their own.
        own: those of the measures for which a convention decides otherwise.
        convention: the convention's label, if there is one.
        text_items: whether item ids are taken as text.

    """

    measures: tuple[Measure, ...]
    choices: Choices
    own: Mapping[Measure, Choices] = field(default_factory=dict)
    convention: str | None = None
    text_items: bool = False

    def groups(self) -> list[Group]:
        """The measures that the same choices decide."""
        if not self.own:
            return [(self.choices, self.measures)]
        groups: dict[Choices, list[Measure]] = {}
        for measure in self.measures:
            groups.setdefault(self.own.get(measure, self.choices), []).append(measure)
        return [(choices, tuple(group)) for choices, group in groups.items()]

    def observed_groups(self, *, bounds: bool) -> list[Group]:
        """What an engine is to observe: the groups, and for `bounds` what they are under other orders too."""
        groups = self.groups()
        if bounds:
            groups += [other for group in groups for other in other_orders(*group)]
        return groups


def other_orders(choices: Choices, measures: tuple[Measure, ...]) -> list[Group]:
    """A group under the orders of equal scores that `Bounds` has and that are not its own."""
    closed = tuple(measure for measure in measures if measure.expected)
    orders: list[tuple[Ties, tuple[Measure, ...]]] = [
        ("expected", closed),
        ("worst", measures),
        ("best", measures),
    ]
    return [(replace(choices, ties=ties), of) for ties, of in orders if of and ties != choices.ties]


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
    given = {name: value for name, value in given.items() if value is not None}
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
            f"{of_items[0]} looks at what is recommended, which is not seen here: use rm.evaluate, "
            "rm.evaluate_arrays, rm.evaluate_model, rm.Evaluator, rm.spark.evaluate or `rankmark eval`"
        )
    return found


def _of_lists(asked: tuple[Measure, ...]) -> tuple[Measure, ...]:
    """The measures, none of which may be one of predictions."""
    for measure in asked:
        if measure.page.kind not in ("list", "item"):
            lists = " or ".join(n for n in namesakes(measure.page) if pages()[n].kind == "list")
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
