"""Relations of DuckDB, which are computed when they are read."""

from __future__ import annotations

from typing import Any

from rankmark._native import Table
from rankmark.inputs.roles import Chosen, TableName
from rankmark.inputs.source import Source

__all__ = ["opened"]


def opened(source: Any, table: TableName) -> Source | None:
    """A relation, or None if `source` is none."""
    if type(source).__name__ != "DuckDBPyRelation":
        return None

    def take(roles: Chosen) -> Table:
        quoted = ('"' + name.replace('"', '""') + '"' for name in roles.names)
        return Table.from_arrow(source.project(", ".join(quoted)))

    return Source(table, source.columns, take)
