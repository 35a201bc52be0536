"""Conventions: the choices, parameters and names by which another tool's numbers are had.

``evaluate(..., like="ranx")`` takes ranx's choices where the caller gives none, and understands ranx's names:
``map@100`` is what ranx computes under that name. A measure by its name here, such as ``nDCG@10``, is the
tool's variant of that measure. The records themselves are in `rankmark.language.conventions.tools`.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, MeasureError, did_you_mean
from rankmark.language.choices import Choices
from rankmark.language.conventions.limits import Facts, Limit, Worded
from rankmark.language.measure import Measure
from rankmark.language.names import as_measure
from rankmark.language.registry import FIRST, LISTS_FIRST, Kind, page_written
from rankmark.rendering.blocks import Block, Grid, Section

__all__ = [
    "TITLES",
    "UNLIKE",
    "Convention",
    "Meaning",
    "Named",
    "Variant",
    "convention",
    "convention_list",
    "conventions",
    "departures",
    "meant",
]

UNLIKE = "not as in "
"""How a note begins on what data keep from being a tool's number."""
WIDTH = 80  # as the pages of the measures


@dataclass(frozen=True, slots=True)
class Variant:
    """A measure of a tool that decides something else than the tool's other measures.

    Attributes:
        measure: what it is here.
        choices: those that differ from the convention's.

    """

    measure: str
    choices: Mapping[str, str]


Names: TypeAlias = Mapping[str, str | Variant]
"""What a tool calls each measure, and what that is here: ``{"map@{k}": "AP@{k}"}``.

``{k}`` is a cutoff, ``{ones}`` as many ones as the cutoff says, between commas, ``{root}`` the square root of
``{square}``, ``{above}`` the least number above ``{x}``; any other word in braces is a number that follows
the tool's name.
"""


class Named(NamedTuple):
    """A tool's name of a measure as a reader sees it.

    Attributes:
        name: what the tool calls it.
        measure: what it is here.
        choices: those that differ from the convention's.

    """

    name: str
    measure: str
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a measure is under a convention: the measure, and the choices that differ from the standard."""

    measure: Measure
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True, repr=False)
class Convention:
    """How one tool computes its numbers.

    Attributes:
        name: what ``like`` calls it.
        tool: the tool's own name.
        version: the version that the record describes.
        choices: those of `rankmark.language.choices.Choices` that differ from the standard.
        measures: what the tool calls its measures of lists, and what each is here; the first of several
            variants of a measure is the one that its name here means.
        predictions: the same of its measures of predictions, for `rankmark.evaluate_predictions`.
        classes: the same of its measures of classes, for tables with a score of each class or predicted ones.
        items: the same of its measures of what is recommended.
        spelling: brings a name of the tool's into the form in which the names are written here.
        text_items: whether the tool knows no other item ids than text, and breaks ties by them so.
        notes: how the tool is to be used to get these numbers.
        otherwise: measures of it, by their names here, that are not among those, and what to do for them.
        cannot: what it computes that cannot be reproduced, and why; a `Limit` where data tell if they do.
        aliases: other names of the convention.

    """

    name: str
    tool: str
    version: str
    choices: Mapping[str, str] = field(default_factory=dict)
    measures: Names = field(default_factory=dict)
    predictions: Names = field(default_factory=dict)
    classes: Names = field(default_factory=dict)
    items: Names = field(default_factory=dict)
    spelling: Callable[[str], str] = str.strip
    text_items: bool = False
    notes: tuple[str, ...] = ()
    otherwise: Mapping[str, str] = field(default_factory=dict)
    cannot: tuple[Worded, ...] = ()
    aliases: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        Choices(**self.choices)  # type: ignore[arg-type]  # refuses what is no choice
        object.__setattr__(self, "choices", MappingProxyType(dict(self.choices)))
        object.__setattr__(self, "measures", MappingProxyType(dict(self.measures)))
        object.__setattr__(self, "predictions", MappingProxyType(dict(self.predictions)))
        object.__setattr__(self, "classes", MappingProxyType(dict(self.classes)))
        object.__setattr__(self, "items", MappingProxyType(dict(self.items)))

    @property
    def label(self) -> str:
        """The tool with its version, as signatures write it."""
        return f"{self.tool}-{self.version}"

    @property
    def page(self) -> str:
        """The record as a page to be read."""
        return convention_page(self)

    def __str__(self) -> str:
        return self.page

    def __repr__(self) -> str:
        return f"<Convention {self.name}: {self.tool} {self.version}>"

    def _repr_html_(self) -> str:
        """What notebooks show: the page."""
        return _in_cell(_page_blocks(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return convention, (self.name,)

    def meaning(self, asked: str | Measure, kinds: tuple[Kind, ...] = LISTS_FIRST) -> Meaning:
        """What `asked` is under this convention: a name of the tool's own, or a measure's name here.

        Parameters that are given override the tool's. A name that measures of
        both kinds have means the one of the kind that is looked for first.

        Raises:
            MeasureError: the tool has no such measure, or there is none.

        """
        if not isinstance(asked, str):
            return self._variant(as_measure(asked, kinds))
        text = asked.strip()
        found = self._own_name(self.spelling(text), kinds) or self._variant(as_measure(text, kinds))
        # What is called as a page here, and is another variant there, is shown with its parameters.
        is_page = page_written(re.split(r"[(@]", text)[0].strip()) is not None
        return replace(found, measure=found.measure.asked_as(None if is_page else text))

    def measure(self, asked: str | Measure, kinds: tuple[Kind, ...] = LISTS_FIRST) -> Measure:
        """The measure that `asked` is under this convention; see `meaning`."""
        return self.meaning(asked, kinds).measure

    def has(self, asked: str | Measure, kinds: tuple[Kind, ...] = LISTS_FIRST) -> bool:
        """Whether the tool has the measure."""
        try:
            return bool(self.meaning(asked, kinds))
        except MeasureError:
            return False

    def names(self, kind: Kind) -> Names:
        """The names of measures of one kind: of lists, of what is in them, of predictions, or of classes."""
        named = {"list": self.measures, "item": self.items, "row": self.predictions, "class": self.classes}
        return named[kind]

    def named(self, kind: Kind) -> Sequence[Named]:
        """The same as a reader sees them, with numbers written ``<k>``."""
        return [
            Named(_shown(name), _shown(_target(variant)), _own_choices(variant))
            for name, variant in self.names(kind).items()
        ]

    def _own_name(self, asked: str, kinds: tuple[Kind, ...]) -> Meaning | None:
        for kind in kinds:
            for name, variant in self.names(kind).items():
                found = _pattern(name).fullmatch(asked)
                if found:
                    return self._meaning(variant, found.groupdict(), kind)
        return None

    def _variant(self, asked: Measure) -> Meaning:
        cutoff = {} if asked.cutoff is None else {"k": str(asked.cutoff)}
        kind = asked.page.kind
        names = self.names(kind)
        of_page = [v for v in names.values() if _target(v).startswith(asked.name)]
        for variant in of_page:
            if ("{k}" in _target(variant)) > bool(cutoff):
                continue
            one, other = (self._meaning(variant, {**numbers, **cutoff}, kind) for numbers in _SAMPLES)
            if one.measure.name != asked.name or one.measure.cutoff != asked.cutoff:
                continue
            theirs, others = one.measure.parameters, other.measure.parameters
            fixed = {name: value for name, value in theirs.items() if others.get(name) == value}
            return Meaning(Measure.of(asked.page, {**fixed, **asked.given}, asked.cutoff), one.choices)
        known = ", ".join(map(_shown, names))
        there = {
            "list": f"it has {known or 'no measures of lists'}",
            "item": f"its measures of items are {known}" if known else "it has no measures of items",
            "row": f"its measures of predictions are {known}"
            if known
            else "it has no measures of predictions",
            "class": f"its measures of classes are {known}" if known else "it has no measures of classes",
        }
        if instead := self.otherwise.get(asked.name):
            raise MeasureError(f"{_unset(asked)} of {self.tool} is not had by like={self.name!r}: {instead}")
        if asked.page.origin is not None:
            raise MeasureError(
                f"{self.name} has no {_unset(asked)}, a measure of your own: evaluate it apart, without "
                f"like={self.name!r} (on the command line --like)"
            )
        raise MeasureError(f"{self.name} has no {_unset(asked)}; {there[kind]}")

    def _meaning(self, variant: str | Variant, numbers: Mapping[str, str], kind: Kind) -> Meaning:
        own = _own_choices(variant)
        made: Mapping[str, Callable[[], str]] = {
            "ones": lambda: ",".join("1" * int(numbers["k"])),
            "root": lambda: repr(math.sqrt(float(numbers["square"]))),
            "above": lambda: repr(math.nextafter(float(numbers["x"]), math.inf)),
        }

        def filled(found: re.Match[str]) -> str:
            return made[found[1]]() if found[1] in made else numbers[found[1]]

        text = re.sub(r"\{([a-z]+)\}", filled, _target(variant))
        kinds = FIRST[kind]
        return Meaning(as_measure(text, kinds), MappingProxyType({**self.choices, **own}))


_SAMPLES: tuple[Mapping[str, str], ...] = (
    {"rel": "2", "p": "5", "x": "0.5", "b": "2", "square": "4"},
    {"rel": "3", "p": "6", "x": "0.6", "b": "3", "square": "9"},
)
"""Two values of each number that a name can hold: a parameter equal under both does not depend on it."""


def _own_choices(variant: str | Variant) -> Mapping[str, str]:
    return variant.choices if isinstance(variant, Variant) else {}


def _target(variant: str | Variant) -> str:
    return variant.measure if isinstance(variant, Variant) else variant


def _unset(measure: Measure) -> Measure:
    return Measure.of(measure.page, cutoff=measure.cutoff)


@functools.lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    """The spellings that a tool's name stands for."""
    parts = re.split(r"\{([a-z]+)\}", name)
    numbers = {"k": "[1-9][0-9]*", "p": "[0-9]+"}
    pattern = "".join(
        f"(?P<{part}>{numbers.get(part, '[0-9.]+')})" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    )
    return re.compile(pattern, re.IGNORECASE)


class Conventions(Mapping[str, Convention]):
    """Conventions by their names; ``print`` shows a line each."""

    __slots__ = ("_known",)

    def __init__(self, known: Mapping[str, Convention]) -> None:
        self._known = known

    def __getitem__(self, name: str) -> Convention:
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def __repr__(self) -> str:
        return f"<{len(self)} conventions: {', '.join(self)}>"

    def __str__(self) -> str:
        return convention_list()

    def _repr_html_(self) -> str:
        """What notebooks show."""
        rows = ([record.name, record.tool, record.version] for record in self.values())
        return _in_cell([Grid(3, [["name", "tool", "version"], *rows], "Conventions")])


@functools.cache
def conventions() -> Mapping[str, Convention]:
    """Every convention by its name.

    Example:
        >>> import rankmark as rm
        >>> rm.conventions()["lightgbm"].measure("ndcg@10")
        nDCG(gain=exp2)@10
        >>> dict(rm.conventions()["lightgbm"].choices)
        {'ties': 'input', 'no_relevant': 'one'}

    """
    from rankmark.language.conventions.tools import TOOLS

    return Conventions({record.name: record for record in TOOLS})


def convention(name: str) -> Convention:
    """The convention called `name`, by its name, an alias, or as a signature writes it.

    Raises:
        ChoiceError: there is none; the message says which come near.

    """
    names = _names()
    found = names.get(name.lower()) if isinstance(name, str) else None
    if found is None:
        hint = did_you_mean(name, names) if isinstance(name, str) else ""
        raise ChoiceError(f"like={name!r} is no convention{hint} (there are {', '.join(conventions())})")
    return found


@functools.cache
def _names() -> Mapping[str, Convention]:
    return {
        name.lower(): record
        for record in conventions().values()
        for name in (record.name, *record.aliases, record.label)
    }


def meant(asked: str | Measure, like: str | None, kinds: tuple[Kind, ...]) -> Measure:
    """The measure that `asked` is under a convention, or without one that is known here.

    A signature can name the version of a tool that another version of rankmark followed.
    """
    record = _names().get((like or "").lower())
    return record.measure(asked, kinds) if record else as_measure(asked, kinds)


def takes_text_items(like: str) -> bool:
    """Whether a convention, if it is one that is known here, takes item ids as text whatever they are."""
    record = _names().get(like.lower())
    return record is not None and record.text_items


def departures(label: str, facts: Mapping[Measure, Facts]) -> tuple[str, ...]:
    """What to say beside numbers of a convention that these data keep from being the tool's.

    Args:
        label: the convention's; another version of rankmark may have named it.
        facts: what was measured, and what of the data decides whether it is the tool's.

    Raises:
        DataError: the tool refuses such data.

    """
    record = _names().get(label.lower())
    limits = [each for each in record.cannot if isinstance(each, Limit)] if record else []
    met: dict[Limit, list[Measure]] = {}
    for measure, known in facts.items():
        for limit in limits:
            if limit.concerns(measure.name) and limit.met(known):
                met.setdefault(limit, []).append(measure)
    for limit, concerned in met.items():
        if limit.refused:
            raise DataError(f"{', '.join(map(str, concerned))} as in {label}: {limit}")
    return tuple(f"{UNLIKE}{label}, {', '.join(map(str, of))}: {limit}" for limit, of in met.items())


# --- the records as text ---------------------------------------------------------------------------------

TITLES: Mapping[Kind, str] = {
    "list": "What it calls the measures",
    "item": "What it calls the measures of what is recommended",
    "row": "What it calls the measures of predictions",
    "class": "What it calls the measures of classes",
}
"""What stands above a tool's names of the measures of a kind."""


def convention_list() -> str:
    """Every convention with its tool's version, a line each."""
    wide = max(map(len, conventions())) + 2
    lines = [f"{record.name:<{wide}}{record.tool} {record.version}" for record in conventions().values()]
    return "\n".join([*lines, "", "One with its choices and names: rankmark convention NAME"])


def convention_page(record: Convention) -> str:
    """A record as a page: version, choices, names, notes, and what cannot be reproduced."""
    blocks = ["\n".join([f"{record.tool} {record.version}", *_also(record)])]
    choices = [f"  {name}: {value}" for name, value in record.choices.items()]
    if record.text_items:
        choices.append("  item ids: text")
    blocks.append("\n".join(["Choices that differ from the standard", *(choices or ["  none"])]))
    for kind, title in TITLES.items():
        if names := record.named(kind):
            blocks.append("\n".join([title, *_aligned(names)]))
    cannot = tuple(map(str, record.cannot))
    for title, texts in (("How to compare", record.notes), ("What cannot be reproduced", cannot)):
        if texts:
            blocks.append("\n".join([title, *map(_item, texts)]))
    return "\n\n".join(blocks)


def _in_cell(blocks: Iterable[Block]) -> str:
    from rankmark.rendering.html import in_cell  # which needs what typesets formulas

    return in_cell(blocks)


def _page_blocks(record: Convention) -> Iterator[Block]:
    """The same for notebooks."""
    yield Section(f"{record.name}: {record.tool} {record.version}", list(_also(record)))
    choices = [[name, value] for name, value in record.choices.items()]
    choices += [["item ids", "text"]] * record.text_items
    if choices:
        yield Grid(2, [["choice", "here"], *choices], "Choices that differ from the standard")
    for kind, title in TITLES.items():
        rows = [[each.name, each.measure + _bracketed(each.choices)] for each in record.named(kind)]
        if rows:
            yield Grid(2, [["there", "here"], *rows], title)
    for title, texts in (("How to compare", record.notes), ("What cannot be reproduced", record.cannot)):
        if texts:
            yield Section(title, list(map(str, texts)))


def _also(record: Convention) -> Iterator[str]:
    if record.aliases:
        yield f"also {', '.join(record.aliases)}"


def _aligned(names: Sequence[Named]) -> Iterator[str]:
    wide = max(len(each.name) for each in names)
    for each in names:
        yield f"  {each.name:<{wide}}  {each.measure}{_bracketed(each.choices)}"


def _shown(name: str) -> str:
    """A name whose numbers are written ``<k>``, for a reader."""
    return re.sub(r"\{([a-z]+)\}", r"<\1>", name.replace("{ones}", "1,1,..."))


def _bracketed(choices: Mapping[str, str]) -> str:
    return f"  ({', '.join(f'{name}: {value}' for name, value in choices.items())})" if choices else ""


def _item(text: str) -> str:
    from textwrap import fill

    return fill(text, WIDTH, initial_indent="  - ", subsequent_indent="    ", break_on_hyphens=False)
