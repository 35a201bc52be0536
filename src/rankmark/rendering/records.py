"""Records of figures, as they are shown by themselves: in a line, and in a cell of a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from rankmark.rendering.words import counted, printable

__all__ = ["Entries", "Record", "brief_figure", "record_html"]

T = TypeVar("T")

WIDTH = 160
"""Characters of a record's line, beyond which fields are left out."""
LONGEST = 40
"""Characters of a text that stands in a record's line."""


class Record:
    """A dataclass whose ``repr`` is a line, and that notebooks show as a table of its fields."""

    __slots__ = ()

    def __repr__(self) -> str:
        line = f"<{type(self).__name__}"
        for name, figure in self._figures():
            if len(line) + len(name) + len(figure) > WIDTH:
                return f"{line}, …>"
            line += f"{',' if '=' in line else ''} {name}={figure}"
        return f"{line}>"

    def _repr_html_(self) -> str:
        """What notebooks show."""
        return record_html(self)

    def _figures(self) -> Iterator[tuple[str, str]]:
        return _figures(self)


class Entries(dict[str, T]):
    """A dict that notebooks show as a table: what each name has, or the fields of that."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """What notebooks show."""
        rows = [
            {"": name} | (dict(_figures(value)) if _names(value) else {"value": brief_figure(value)})
            for name, value in self.items()
        ]
        header = list(dict.fromkeys(key for row in rows for key in row)) or [""]
        return _table([header, *([row.get(key, "") for key in header] for row in rows)])


def record_html(record: Any) -> str:
    """A dataclass or a named tuple as a table of its fields, for a cell of a notebook."""
    rows = [list(each) for each in _figures(record)]
    return _table([["field", "value"], *rows], type(record).__name__)


def _table(rows: list[list[str]], title: str = "") -> str:
    from rankmark.rendering.blocks import Grid  # which command lines that show no record do without
    from rankmark.rendering.html import in_cell

    return in_cell([Grid(1, rows, title)])


def _figures(record: Any) -> Iterator[tuple[str, str]]:
    """Each field that says something, and what."""
    for name in _names(record):
        value = getattr(record, name)
        if value is not None and not _is_empty(value):
            yield name, brief_figure(value)


def _names(record: Any) -> tuple[str, ...]:
    """The fields of a dataclass or of a named tuple; none of anything else."""
    if is_dataclass(record):
        return tuple(each.name for each in fields(record) if each.repr)
    return getattr(record, "_fields", ())


def brief_figure(value: Any) -> str:
    """A value for people: rounded, and what holds many by how many it holds."""
    match value:
        case float():
            return f"{value:.6g}"
        case str():
            text = printable(value)
            return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        case Mapping():
            shown = ", ".join(f"{brief_figure(key)}: {brief_figure(each)}" for key, each in value.items())
            return f"{{{shown}}}" if len(shown) <= LONGEST else counted(len(value), "entry", "entries")
        case tuple() | list() if any(not isinstance(each, str | int | float) for each in value):
            return repr(value) if hasattr(value, "_fields") else counted(len(value), "entry", "entries")
        case tuple() | list():
            shown = ", ".join(map(brief_figure, value))
            return f"({shown})" if len(shown) <= LONGEST else counted(len(value), "entry", "entries")
        case _:
            text = printable(str(value))
            return text if len(text) <= 2 * LONGEST else type(value).__name__


def _is_empty(value: Any) -> bool:
    return isinstance(value, str | tuple | list | Mapping) and not value
