"""Tables in memory, a module a kind of them; each knows its own."""

from __future__ import annotations

from io import IOBase

from rankmark.errors import UsageError
from rankmark.inputs.roles import TableName
from rankmark.inputs.source import Source
from rankmark.inputs.tables import arrow_tables, duckdb_relations, pandas_frames, polars_frames

__all__ = ["open_table"]

# What speaks the Arrow interface comes last: the others do so, too.
OPENERS = (polars_frames.opened, pandas_frames.opened, duckdb_relations.opened, arrow_tables.opened)


def open_table(source: object, table: TableName) -> Source | None:
    """A table in memory of whatever library, or None if `source` is none.

    Raises:
        UsageError: it is an open file.

    """
    for opened in OPENERS:
        if (found := opened(source, table)) is not None:
            return found
    if isinstance(source, IOBase):
        raise UsageError(f"{table} is an open file; give its path, or what polars or pandas reads of it")
    return None
