"""JSON: an object a line, or an array of objects."""

from __future__ import annotations

import codecs
import glob
import json
from pathlib import Path
from typing import TYPE_CHECKING

from rankmark import _native
from rankmark.errors import FormatError
from rankmark.inputs.format import File, FormatOfPolars, not_unicode
from rankmark.inputs.roles import Chosen, ColumnNames, are_column_names
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_lazy_frame

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]


class Json(FormatOfPolars):
    """JSON, which is read whole only."""

    name = "JSON"
    listed = known_by = "JSON lines"
    place = 4
    endings = frozenset({".jsonl", ".ndjson", ".json"})

    def is_likely(self, file: File, columns: ColumnNames | None) -> bool:  # noqa: ARG002
        """Whether it begins with an object or an array."""
        return file.first_line.startswith(("{", "["))

    def scan(self, file: File) -> Source:
        """As `FormatOfPolars.scan`."""
        import polars as pl

        if repeated := _native.repeated_name(str(file.path)):
            line, name = repeated
            raise FormatError(
                f"{file.where}, line {line}: an object has two values called {name!r}; keep one"
            )
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


def _fault(content: bytes, wanted: type, line: int) -> str | None:
    """What keeps a text that begins in this line from being an array or an object; None if nothing does."""
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
    nested = all(isinstance(each, pl.Struct) for each in schema.dtypes())
    if nested and not are_column_names(schema.names(), None):
        raise FormatError(
            f"{where} is one object, {{query: {{item: value}}}}, and no row a line; "
            "in Python give what json.load reads of it"
        )

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
