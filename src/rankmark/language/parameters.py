"""Parameters of measures: which values they can have, and how these are written.

The annotation of a page's keyword argument says all: `Literal` lists choices, `Annotated[float, Above(0)]`
a range, `Column` the name of a column, `Group` that of a group of items, `Mapping`, `Sequence` and `Callable`
what they say, and `|` joins them.
"""

from __future__ import annotations

import ast
import keyword
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType, UnionType
from typing import Annotated, Any, Literal, NewType, TypeAlias, Union, get_args, get_origin

from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, did_you_mean
from rankmark.rendering.words import MOST_SHOWN, brief

__all__ = [
    "CATEGORY",
    "GROUP",
    "Column",
    "Columns",
    "Group",
    "ListMeasure",
    "Parameter",
    "format_value",
    "parse_value",
]

Column = NewType("Column", str)
"""The name of a column of the table that is evaluated."""
ListMeasure = NewType("ListMeasure", str)
"""A measure of lists that another is made of, as it is written."""

Columns: TypeAlias = Column | Sequence[Column]
"""The name of a column, or of several."""

CATEGORY = Column("category")
"""The column of items that measures look at where none is said."""
GROUP = Column("group")
"""The column of items that measures of groups look at where none is said."""

Group = NewType("Group", str)
"""The name of a group of items, a category of a column."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One keyword argument of a page."""

    name: str
    annotation: Any
    default: Any

    def checked(self, value: Any, measure: str) -> Any:
        """The value, made immutable, if the parameter can have it.

        Raises:
            MeasureError: it cannot; the message lists what it can be.

        """
        for option in _options(self.annotation):
            taken = _taken(option, value)
            if taken is not None:
                return taken
        hint = did_you_mean(value, self.choices) if isinstance(value, str) else ""
        raise MeasureError(f"{measure}: {self.name}={_shown(value)} is not {self.describe()}{hint}")

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that the parameter can be."""
        literals = (get_args(option) for option in _options(self.annotation) if get_origin(option) is Literal)
        return tuple(word for words in literals for word in words)

    def names_column(self, value: Any) -> bool:
        """Whether the value is the name of a column, and no word with a meaning."""
        return isinstance(value, str) and Column in _options(self.annotation) and value not in self.choices

    @property
    def takes_functions(self) -> bool:
        """Whether the parameter can be a function."""
        return any((get_origin(option) or option) is Callable for option in _options(self.annotation))

    def describe(self) -> str:
        """What the parameter can be, in words."""
        return ", or ".join(_words(option) for option in _options(self.annotation))


def format_value(value: Any) -> str:
    """A value as it is written in a measure's name: ``2``, ``exp2``, ``{1:3,2:9}``, ``[3,3,2]``.

    A word that could not be read back stands in quotes, ``'ad spend'``. A function is written ``name()``, so
    that it is not taken for a word, and cannot be read back.
    """
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_inner(k)}:{format_value(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ",".join(map(_inner, value)) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, str):
        return value if value.isidentifier() else repr(value)
    if callable(value):
        return f"{getattr(value, '__name__', type(value).__name__)}()"
    return str(value)


def _inner(value: Any) -> str:
    """A value inside brackets: a word that Python reads otherwise stands in quotes, too."""
    other = isinstance(value, str) and (keyword.iskeyword(value) or not value.isascii())
    return repr(value) if other else format_value(value)


def parse_value(text: str) -> Any:
    """The value written as `text`: a word, maybe in quotes, a number, a mapping or a list."""
    text = text.strip()
    if text.isidentifier():
        return text
    if re.match(r"[0-9.]+_", text):  # which Python takes for a digit separator
        raise MeasureError(f"{brief(text)} is not a number")
    try:
        written = ast.parse(text, mode="eval").body
        value = ast.literal_eval(_quoted(written))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):  # as of a set that holds a set
        raise MeasureError(
            f"{brief(text)} is neither a word, a text in quotes, a number, {{grade:gain}} mapping or [list]"
        ) from None
    if isinstance(written, ast.Dict) and len(written.keys) > len(value):
        raise MeasureError(f"{text!r} says a grade twice")
    return value


def _quoted(written: ast.expr) -> ast.expr:
    """A mapping whose keys are words, or a list of words, with these as texts; all else as it is."""
    if isinstance(written, ast.Dict):
        written.keys = [_as_text(key) for key in written.keys]
    if isinstance(written, ast.List):
        written.elts = [_as_text(each) for each in written.elts]
    return written


def _as_text(written: Any) -> Any:
    return ast.Constant(written.id) if isinstance(written, ast.Name) else written


def _shown(value: Any) -> str:
    """A value as it is written, cut short if it is long."""
    try:
        text = format_value(value)
    except ValueError:  # more digits than Python writes
        return brief(value)
    return text if len(text) <= MOST_SHOWN else brief(value)


def _options(annotation: Any) -> Iterator[Any]:
    if get_origin(annotation) in (Union, UnionType):
        for option in get_args(annotation):
            yield from _options(option)
    else:
        yield annotation


def _taken(option: Any, value: Any) -> Any:
    """The value if it is of this kind, else None."""
    origin = get_origin(option) or option
    if origin is Literal:
        return value if isinstance(value, str) and value in get_args(option) else None
    if option is ListMeasure and hasattr(value, "page"):
        return str(value)
    if option in (Column, ListMeasure):
        return value if isinstance(value, str) and value else None
    if option is Group:
        return _group(value)
    if origin is Annotated:
        number = _number(value)
        return number if number is not None and number in get_args(option)[1] else None
    if origin is float:
        return _number(value)
    if origin is Mapping:
        return _mapping(value, _group if get_args(option)[0] is str else _number)
    if origin is Sequence:
        return _sequence(value, get_args(option)[0])
    if origin is Callable:
        return value if callable(value) else None
    raise TypeError(f"a page's parameter cannot be annotated {option!r}")


def _number(value: Any) -> float | int | None:
    """A plain Python number, an int where it is whole."""
    if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number that no float is near
        return None
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() else number


def _group(value: Any) -> str | None:
    """The name of a group as text, as a column of whole numbers or of true and false has it, too."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    return value if isinstance(value, str) and value else None


def _mapping(value: Any, key: Callable[[Any], Any]) -> Mapping[Any, float] | None:
    if not isinstance(value, Mapping) or not value:
        return None
    numbers = {key(each): _number(number) for each, number in value.items()}
    if None in numbers or None in numbers.values():
        return None
    return MappingProxyType(dict(sorted(numbers.items())))


def _sequence(value: Any, kind: Any) -> tuple[float, ...] | None:
    listed = isinstance(value, Sequence) or hasattr(value, "tolist")
    if isinstance(value, str | bytes | Mapping) or not listed:
        return None
    numbers = tuple(_taken(kind, item) for item in value)
    return None if None in numbers or not numbers else numbers


def _words(option: Any) -> str:
    origin = get_origin(option) or option
    if origin is Literal:
        return " or ".join(get_args(option))
    if origin is Annotated:
        return str(get_args(option)[1])
    if origin is Mapping and get_args(option)[0] is str:
        return "a mapping {group:share}"
    if origin is Sequence and get_origin(get_args(option)[0]) is Annotated:
        return f"a list of several, each {_words(get_args(option)[0])}"
    if origin is Sequence and get_args(option)[0] is Column:
        return "a list of columns"
    return _NAMED[origin]


_NAMED = {
    float: "a number",
    Column: "the name of a column",
    Group: "the name of a group",
    ListMeasure: "a measure of lists",
    Mapping: "a mapping {grade:gain}",
    Sequence: "a list of grades",
    Callable: "a function",
}
