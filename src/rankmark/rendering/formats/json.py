"""JSON with full precision.

JSON has no NaN and no infinity: they are null. Beside a null, under the number's name and ``_reason``, stands
what is not there: ``no value`` (NaN), ``infinite`` or ``minus infinity``; unless the same object says under
``undefined`` why there is no value. Where numbers stand by the names of measures or columns, or as a list,
reasons do not stand among them but beside the whole, by the same names; the reason of a list is that of all
nulls in it. What was not asked for is null without a reason.

Every document is an object that begins with ``schema``, the version of what stands where, and ``rankmark``,
the version that wrote it. Fields may be added under the same schema; where one is left out, is called
otherwise or means something else, the schema is one higher. A command that fails writes an object, too, with
``error``.
"""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmark import _native
from rankmark._native import __version__
from rankmark.rendering.format import Format

if TYPE_CHECKING:
    from json import JSONEncoder

    import numpy as np
    from numpy.typing import NDArray

    from rankmark._native import Table
    from rankmark.rendering.format import Showable

__all__ = ["FORMAT", "SCHEMA", "ByName", "Column", "IdColumn", "NumberColumn", "document"]

SCHEMA = 1
"""The version of the documents."""

Why: TypeAlias = str | dict[str, Any] | None
"""Why numbers are null: a text, texts by name, or nothing."""
NO_VALUE = "no value"


class ByName(dict[str, Any]):
    """Numbers by names that are no fields of a record, such as those of measures."""


class Column(ABC):
    """What there is of each of many queries, which the core writes as it lies in memory: a list in JSON."""

    __slots__ = ()

    @abstractmethod
    def __len__(self) -> int:
        """How many queries there are."""

    @abstractmethod
    def text(self, between: str) -> str:
        """All in JSON, with what stands between them."""

    def reason(self) -> Why:
        """Why there is null among them, if there is."""
        return None


class IdColumn(Column):
    """Their ids, in a column ``query`` of a table."""

    __slots__ = ("_table",)

    def __init__(self, table: Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return self._table.num_rows

    def text(self, between: str) -> str:
        """As `Column.text`."""
        return self._table.json_values("query", between)


class NumberColumn(Column):
    """A number of each."""

    __slots__ = ("_numbers",)

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def text(self, between: str) -> str:
        """As `Column.text`."""
        return _native.json_floats(self._numbers, between)

    def reason(self) -> Why:
        """As `Column.reason`."""
        from numpy import isfinite  # which whoever made the numbers has imported

        finite = isfinite(self._numbers)
        return None if finite.all() else _reasons(map(_reason, self._numbers[~finite].tolist()))


class Json(Format):
    """Everything there is, for programs."""

    name = "json"
    endings = (".json",)
    place = 2
    needs = "_record"

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> str:  # noqa: ARG002 - all digits
        """The record."""
        return document(shown._record(**options))


def document(record: Mapping[str, Any]) -> str:
    """A record as a document."""
    plain, _ = _plain({"schema": SCHEMA, "rankmark": __version__, **record})
    return indented(plain, "\n")


INDENT = 2
LONG = 64
"""Numbers that the core writes sooner than Python."""


def indented(value: Any, end: str = "") -> str:
    """What is plain as ``json.dumps(value, indent=2)`` writes it, which is slow where lists are long.

    `end` is what follows: a document can be long, and to add to it would copy it.
    """
    return "".join([*_pieces(value, 1), end])


def _pieces(value: Any, depth: int) -> Iterator[str]:
    line = "\n" + " " * (INDENT * depth)
    between, end = f",{line}", line[:-INDENT]
    if value and isinstance(value, Mapping):
        before = f"{{{line}"
        for name, each in value.items():
            yield f"{before}{_dumps(name if isinstance(name, str) else _dumps(name))}: "
            yield from _pieces(each, depth + 1)
            before = between
        yield f"{end}}}"
    elif value and isinstance(value, list | tuple | Column):
        yield f"[{line}"
        yield from _items(value, between, depth)
        yield f"{end}]"
    else:
        yield "[]" if isinstance(value, Column) else _dumps(value)


def _items(values: Sequence[Any] | Column, between: str, depth: int) -> Iterator[str]:
    """Those of a list with what stands between them."""
    if isinstance(values, Column):
        yield values.text(between)
    elif len(values) >= LONG and (numbers := _native.json_numbers(values, between)) is not None:
        yield numbers
    elif any(issubclass(kind, Mapping | list | tuple) for kind in set(map(type, values))):
        for place, each in enumerate(values):
            yield between if place else ""
            yield from _pieces(each, depth + 1)
    else:
        yield _dumps(values, between)[1:-1]


def _dumps(value: Any, between: str = ", ") -> str:
    return _encoder(between).encode(value)


@functools.cache
def _encoder(between: str) -> JSONEncoder:
    import json

    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(between, ": "))


def _plain(value: Any) -> tuple[Any, Why]:
    """A value as JSON has it, and why there is null in it where no object in it says that."""
    if isinstance(value, float):
        return (value, None) if math.isfinite(value) else (None, _reason(value))
    if isinstance(value, Column):
        return value, value.reason()
    if isinstance(value, ByName):
        return _by_name(value)
    if isinstance(value, Mapping):
        return dict(_fields(value)), None
    if isinstance(value, list | tuple):
        return _listed(value)
    return value, None


def _reason(value: float) -> str:
    if math.isnan(value):
        return NO_VALUE
    return "infinite" if value > 0 else "minus infinity"


def _fields(record: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for name, value in record.items():
        plain, why = _plain(value)
        yield name, plain
        if why and f"{name}_reason" not in record and not (why == NO_VALUE and _is_said(record)):
            yield f"{name}_reason", why


def _is_said(record: Mapping[str, Any]) -> bool:
    """Whether the record says itself why there is no value."""
    undefined = record.get("undefined")
    return isinstance(undefined, str | Mapping) and bool(undefined)


def _by_name(numbers: ByName) -> tuple[ByName, Why]:
    found = {name: _plain(value) for name, value in numbers.items()}
    reasons = {name: why for name, (_, why) in found.items() if why}
    return ByName({name: plain for name, (plain, _) in found.items()}), ByName(reasons) or None


def _listed(values: Sequence[Any]) -> tuple[list[Any], Why]:
    if _native.are_finite(values) or set(map(type, values)) <= {int, str}:
        return list(values), None  # as nearly all lists of queries are, which are long
    found = [_plain(value) for value in values]
    return [plain for plain, _ in found], _reasons(why for _, why in found if isinstance(why, str))


def _reasons(each: Iterable[str]) -> Why:
    return " or ".join(dict.fromkeys(each)) or None


FORMAT = Json()
