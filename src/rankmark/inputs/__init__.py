"""From anything that holds judgements or results to columns with roles."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from rankmark.errors import UsageError
from rankmark.inputs.aspects import by_aspect
from rankmark.inputs.files import open_files
from rankmark.inputs.formats import listed_formats
from rankmark.inputs.ids import align_ids, with_text_items
from rankmark.inputs.input import Described, Input, extent_of
from rankmark.inputs.roles import ColumnNames, Side, check_names, says_aspect
from rankmark.inputs.sampling import mark_of
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.several import is_path

__all__ = [
    "ColumnNames",
    "Described",
    "Input",
    "align_ids",
    "column_names_of",
    "extent_of",
    "read_inputs",
    "read_qrels",
    "read_run",
    "read_shared",
    "read_tables",
    "read_unmarked",
    "with_text_items",
]


def read_inputs(qrels: object, run: object, columns: ColumnNames | None = None) -> tuple[Input, Input]:
    """Reads judgements and results, and brings their ids to the same types.

    `columns` says outright which column has which role, ``{"query": "user"}``; a table without that column
    finds the role by the usual names. With a prefix, ``{"run.score": "p"}``, it speaks of one table only.
    """
    judged, (results,) = read_tables(qrels, [run], columns)
    return align_ids(judged, results)


def read_tables(
    qrels: object, runs: Sequence[object], columns: ColumnNames | None = None
) -> tuple[Input, list[Input]]:
    """Reads judgements and the results of several systems, whose ids may be of different types."""
    judged, results = _open_input(qrels, "qrels", columns), [_open_input(run, "run", columns) for run in runs]
    if columns:
        check_names(
            columns, {"qrels": judged.names, "run": [name for each in results for name in each.names]}
        )
    return _read_input(judged, "qrels", columns), [_read_input(each, "run", columns) for each in results]


def read_qrels(source: object, columns: ColumnNames | None = None, *, aspect_weights: Any = None) -> Input:
    """Reads judgements once, to be evaluated against many times.

    Args:
        source: whatever `evaluate` takes: a path, a table, a dict, tuples.
        columns: the columns to use where their names do not say it: ``{"query": "person"}``.
        aspect_weights: how much each aspect of a query weighs, of judgements of aspects that have no column
            of weights: a path or a table of query, aspect and weight, or ``{query: {aspect: weight}}``.

    Returns:
        What `evaluate` takes in the place of `source`, without reading it again.

    Raises:
        UsageError: a file or a column that is not there, or the results of `read_run`.
        DataError: a table that cannot be evaluated as it is.

    Example:
        >>> import rankmark as rm
        >>> rm.read_qrels({"q1": {"a": 2, "b": 1}})
        <qrels: 2 rows; query 'query', item 'item', relevance 'relevance'>

    """
    read = _read_alone(source, "qrels", columns)
    if aspect_weights is None:
        return read
    from rankmark.inputs.aspect_weights import weighed

    return weighed(read, aspect_weights)


def read_run(source: object, columns: ColumnNames | None = None) -> Input:
    """Reads the results of one system once, to be evaluated many times; as `read_qrels` does judgements."""
    return _read_alone(source, "run", columns)


def read_shared(source: object, side: Side, columns: ColumnNames | None) -> Input:
    """Reads one of several tables that `columns` speaks of: what it has not, another may have.

    Whoever reads the last of them checks the names, as `read_tables` does.
    """
    return _marked(read_unmarked(source, side, columns), source)


def read_unmarked(source: object, side: Side, columns: ColumnNames | None) -> Input:
    """As `read_shared`, as if judgements did not say how they were sampled."""
    return _read_input(_open_input(source, side, columns), side, columns)


def column_names_of(source: object) -> list[str]:
    """The names of the columns of a file, a table or dicts that are rows; none of what has no such names."""
    if is_path(source):
        return [*open_files(source, "qrels", None).names]
    if isinstance(source, list | tuple) and source and isinstance(source[0], Mapping):
        return [str(name) for name in source[0]]
    opened = open_table(source, "qrels")
    return [] if opened is None else [*opened.names]


def _read_alone(source: object, side: Side, columns: ColumnNames | None) -> Input:
    opened = _open_input(source, side, columns)
    read = _read_input(opened, side, columns)  # which says more of a role that is missing
    check_names(columns, {side: opened.names})
    return _marked(read, source)


def _marked(read: Input, source: object) -> Input:
    """Judgements with how they were sampled, where they say so."""
    mark = mark_of(source) if read.side == "qrels" else None
    return replace(read, candidates=mark) if mark else read


def _read_input(opened: Source | Input, side: Side, columns: ColumnNames | None) -> Input:
    if not isinstance(opened, Input):
        read = opened.read(side, columns)
        read.check_lists()
        return read
    if opened.side != side:
        raise UsageError(f"{opened!r} was read as {opened.side}, not as {side}")
    return by_aspect(opened) if opened.aspect and says_aspect(columns, opened.aspect) else opened


def _open_input(source: object, side: Side, columns: ColumnNames | None) -> Source | Input:
    if isinstance(source, Input):
        return source
    opened: Source | Input | None = None
    if type(source) is not dict:
        if is_path(source):
            return open_files(source, side, columns)
        opened = open_table(source, side)
    opened = opened or _of_python(source, side, columns)
    if opened is None:
        raise UsageError(
            f"{side} is of type {type(source).__name__}, none of these: the path of a file or a glob "
            f"({listed_formats(side)}; also .gz or .zst), a table (polars, pandas, pyarrow, DuckDB, anything "
            "with __arrow_c_stream__), a dict of dicts, a dict of lists, tuples (query, item, value)"
        )
    return opened


def _of_python(source: object, side: Side, columns: ColumnNames | None) -> Source | Input | None:
    """Python's own containers; what is plain is read at once where nothing is said of its columns."""
    opened, read = _dicts_and_tuples()
    return opened(source, side) if columns else read(source, side)


@cache
def _dicts_and_tuples() -> tuple[
    Callable[[Any, Side], Source | None], Callable[[Any, Side], Input | Source | None]
]:
    """What opens Python's own containers, and what reads them, imported where there are such."""
    from rankmark.inputs.tables.dicts_and_tuples import opened, read

    return opened, read
