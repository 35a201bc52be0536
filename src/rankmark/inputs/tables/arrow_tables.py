"""Tables of pyarrow, and of anything else that speaks the Arrow PyCapsule interface."""

from __future__ import annotations

import sys
from typing import Any

from rankmark._native import Table
from rankmark.errors import DataError, UsageError
from rankmark.inputs.roles import TableName
from rankmark.inputs.source import Source

__all__ = ["opened"]


def opened(source: Any, table: TableName) -> Source | None:
    """A table, or None if `source` is none.

    Raises:
        UsageError: something that Arrow can hold and that has no columns.

    """
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None and isinstance(source, pyarrow.Table | pyarrow.RecordBatch):
        return Source(table, source.schema.names, lambda roles: _imported(source.select(roles.names), table))
    dataset = sys.modules.get("pyarrow.dataset")
    if dataset is not None and isinstance(source, dataset.Dataset):
        names = source.schema.names
        return Source(table, names, lambda roles: _imported(source.to_table(columns=roles.names), table))
    if dataset is not None and isinstance(source, dataset.Scanner):
        source = source.to_reader()
    if not (hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__")):
        return None
    found = _imported(source, table)
    # What rankmark made itself says how.
    notes = tuple(getattr(source, "_notes_of_table", ()))
    return Source(table, found.names, lambda _: found, notes=notes)


def _imported(source: object, table: TableName) -> Table:
    try:
        return Table.from_arrow(source)
    except UsageError as error:
        raise UsageError(
            f"{table}: the {type(source).__name__} is not a table with columns: {error}"
        ) from error
    except DataError as error:
        # pyarrow makes text of what stops a generator of batches.
        if "Python exception: " in str(error) and str(error).rstrip().endswith("KeyboardInterrupt"):
            raise KeyboardInterrupt from error
        raise DataError(f"{table}: {error}") from error
