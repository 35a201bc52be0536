"""JSON: an object a line, an array of objects, or one object of queries."""

from __future__ import annotations

import codecs
import glob
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark import _native
from rankmark.errors import FormatError, RankmarkError
from rankmark.inputs.format import File, FormatOfPolars, not_unicode
from rankmark.inputs.roles import Chosen, ColumnNames, TableName, are_column_names, is_of_lists
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_lazy_frame

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]


class Json(FormatOfPolars):
    """JSON, which is read whole only."""

    name = "JSON"
    listed = known_by = "JSON"
    place = 4
    endings = frozenset({".jsonl", ".ndjson", ".json"})

    def is_likely(self, file: File, columns: ColumnNames | None) -> bool:  # noqa: ARG002
        """Whether it begins with an object or an array."""
        return file.first_line.startswith(("{", "["))

    def read(self, file: File, table: TableName) -> Source:
        """As `Format.read`."""
        import json

        from rankmark.inputs.tables import dicts_and_tuples

        if table == "items" and (items := _each_item(file)) is not None:
            from rankmark.inputs.tables.items_of_python import of_columns, of_python

            return replace(of_columns(of_python(items)), where=file.where)
        if not is_of_lists(table) or not _is_of_queries(file):
            return super().read(file, table)
        _refuse_repeated(file)
        content = b"".join(file.lines())
        try:
            queries = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            raise FormatError(f"{file.where}, {not_unicode(file) or _fault(content, dict, 1)}") from error
        try:
            found = dicts_and_tuples.opened(queries, table)
        except RankmarkError as error:
            raise FormatError(re.sub(rf"^{table}\b", lambda _: file.where, str(error))) from error
        assert found is not None
        return replace(found, where=file.where, text_ids=True)

    def scan(self, file: File) -> Source:
        """As `FormatOfPolars.scan`."""
        import polars as pl

        _refuse_repeated(file)
        content = file.source
        if file.head.startswith(codecs.BOM_UTF8):
            content = b"".join(file.lines()).removeprefix(codecs.BOM_UTF8)
        if file.first_line.lstrip().startswith("["):
            return from_lazy_frame(pl.read_json(content).lazy(), file.where)
        # Unlike the other readers this one always takes a path for a glob.
        return _scan_lines(glob.escape(str(content)) if isinstance(content, Path) else content, file.where)

    def fault(self, file: File) -> str | None:
        """As `FormatOfPolars.fault`."""
        if fault := not_unicode(file):
            return fault
        if file.first_line.lstrip().startswith("["):
            return _fault(b"".join(file.lines()), list, 1)
        faults = (_fault(line, dict, number) for number, line in enumerate(file.lines(), 1) if line.strip())
        found = next(filter(None, faults), None)
        if found and _fault(b"".join(file.lines()), dict, 1) is None:
            return "line 1: this is one object over several lines; an object is a row, in a line of its own"
        return found


OF_QUERIES = r'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*[\[{]'
"""The first query of an object, and that it has a list or an object."""


def _is_of_queries(file: File) -> bool:
    """Whether it is one object, {query: {item: value}} or {query: [items]}, and not one of columns."""
    first = re.match(OF_QUERIES, file.head.decode("utf-8-sig", errors="replace"))
    return first is not None and not are_column_names([first[1]], None)


def _each_item(file: File) -> dict[str, Any] | None:
    """What each item is like, of one object {item: {column: value}}; None of rows and of no JSON."""
    import json

    if re.match(OF_QUERIES, file.head.decode("utf-8-sig", errors="replace")) is None:
        return None
    try:
        found = json.loads(b"".join(file.lines()).decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):  # whose place the reader of rows knows
        return None
    except FormatError as error:
        raise FormatError(f"{file.where}: {error}") from None
    if not all(isinstance(each, dict) for each in found.values()):
        return None
    _refuse_repeated(file)
    return dict(found)


def _refuse_repeated(file: File) -> None:
    if repeated := _native.repeated_name(str(file.path)):
        line, name = repeated
        raise FormatError(f"{file.where}, line {line}: an object has two values called {name!r}; keep one")


def _fault(content: bytes, wanted: type, line: int) -> str | None:
    """What keeps a text that begins in this line from being an array or an object; None if nothing does."""
    import json

    text = content.decode("utf-8-sig").rstrip()
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        near = repr(text[error.pos :][:40]) if error.pos < len(text) else "its end"
        place = f"line {line + error.lineno - 1}, column {error.colno}"
        return f"{place}: this is no JSON: {error.msg} at {near}"
    except RecursionError:
        return f"line {line}: this is nested too deeply"
    except FormatError as error:
        return f"line {line}: {error}"
    rows = found if wanted is list and isinstance(found, list) else [found]
    if not isinstance(found, wanted) or not all(isinstance(row, dict) for row in rows):
        return f"line {line}: this is JSON, but no object with a value for each column"
    return None


def _refuse_constant(name: str) -> None:
    raise FormatError(f"{name} is no number in JSON; correct or remove that row")


def _scan_lines(content: str | bytes, where: str) -> Source:
    import polars as pl

    schema = pl.scan_ndjson(content).collect_schema()

    def take(roles: Chosen) -> _native.Table:
        # The types come from the first lines, where numbers may all be whole by chance.
        floats = {name: _as_float(schema[name]) for name in roles.numbers}
        return from_lazy_frame(pl.scan_ndjson(content, schema_overrides=floats), where).take(roles)

    return Source(where, schema.names(), take)


def _as_float(dtype: pl.DataType) -> pl.DataType:
    """The type itself, but floats for integers and for lists of integers."""
    import polars as pl

    if isinstance(dtype, pl.List) and dtype.inner.is_integer():
        return pl.List(pl.Float64)
    return pl.Float64() if dtype.is_integer() else dtype


FILE_FORMATS = (Json(),)
