"""Values of queries that others computed: matrices of queries × systems, in whatever form they are kept."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, UsageError, did_you_mean
from rankmark.inputs.column_checks import check_numbers
from rankmark.inputs.files import expand, open_files
from rankmark.inputs.format import File
from rankmark.inputs.names import fitting, is_unnamed, listed, normal
from rankmark.inputs.roles import columns_said
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["GivenValues", "MatrixColumns", "read_values"]

MatrixColumns = Mapping[str, "str | Sequence[str] | None"]
"""The columns of a matrix: ``query``, and ``systems``, or ``system``, ``value`` and ``measure``."""

KNOWN: Mapping[str, frozenset[str]] = {
    "system": frozenset(("system", "run", "runid", "runtag", "runname", "model", "method", "team")),
    "measure": frozenset(("measure", "metric")),
    "value": frozenset(("value", "score", "metricvalue", "measurement")),
}
"""The usual names of each role in a table with a row a query and system, as `names.normal` writes them."""
SAID = ("query", "systems", *KNOWN)
UNNAMED = "value"
"""What a measure is called of which nothing says the name."""


class GivenValues(NamedTuple):
    """The values of one measure of one system.

    Attributes:
        measure: its name; None where nothing says it.
        system: the system's.
        values: a row a query, ``query`` and ``value``.
        numbered: whether the queries are called by their positions.

    """

    measure: str | None
    system: str
    values: pl.DataFrame
    numbered: bool = False


def _read(matrix: Any, said: MatrixColumns) -> list[GivenValues]:
    if isinstance(matrix, Mapping):
        return [each for name, own in matrix.items() for each in _of_system(str(name), own, said)]
    return list(_of_array(matrix) if isinstance(matrix, np.ndarray) else _of_table(matrix, said))


def read_values(matrix: Any, columns: MatrixColumns | None = None) -> list[GivenValues]:
    """The values of a matrix.

    Args:
        matrix: a path or a table with a row a query and a column a system, or with a row a query and system
            (and measure); an array [queries, systems]; or the values of each system by its name: what
            ``trec_eval -q`` printed, a path or a table with a column a measure, ``{query: value}``,
            ``{query: {measure: value}}``, or values by position.
        columns: what they are called; see `MatrixColumns`.

    Raises:
        UsageError: what is none of these.
        DataError: a query has several values of a system, or there are no numbers where values should be.

    """
    said = dict(columns_said(columns))
    for role in said:
        if role not in SAID:
            raise UsageError(
                f"columns: {role!r} is no role of a matrix{did_you_mean(role, SAID)}; "
                f"there are {', '.join(SAID)}"
            )
    try:
        found = _read(matrix, said)
    except DataError as error:
        # Such tables are read as predictions are.
        raise type(error)(re.sub("^predictions ", "matrix ", str(error))) from error
    for each in found:
        _check_once(each)
    if not found or not any(each.values.height for each in found):
        raise DataError("the matrix has no values")
    _check_positions(found)
    return found


def _check_positions(found: Sequence[GivenValues]) -> None:
    """Refuses values by position beside others that are not of the same queries."""
    sizes = {each.system: each.values.height for each in found if each.numbered}
    named = [each.system for each in found if not each.numbered]
    if sizes and named:
        raise UsageError(
            f"the values of {next(iter(sizes))!r} are by position, and those of {named[0]!r} by query; give "
            "all in one way"
        )
    for (one, count), (other, odd) in pairwise(sizes.items()):
        if count != odd:
            raise DataError(
                f"{one!r} has {count} values by position, and {other!r} {odd}; give as many of each"
            )


def _check_once(given: GivenValues) -> None:
    twice = given.values["query"].is_duplicated()
    if twice.any():
        first, of = given.values["query"].filter(twice)[0], f" of {given.measure}" * bool(given.measure)
        raise DataError(
            f"{int(twice.sum()):,} rows of {given.system!r} have a value{of} of the same query, the first of "
            f"query {first!r}; a query has one value"
        )


def _of_array(values: np.ndarray[Any, Any]) -> Iterator[GivenValues]:
    if values.ndim != 2:
        raise UsageError(f"the array has {values.ndim} dimensions; give [queries, systems]")
    for place, column in enumerate(values.T, 1):
        yield GivenValues(None, str(place), _numbered(column, f"column {place} of the array"), numbered=True)


def _numbered(values: Any, where: str) -> pl.DataFrame:
    """Values by position, of queries that are called by their number, from 0."""
    import polars as pl

    try:
        numbers = np.ma.asarray(values, dtype=np.float64).filled(np.nan)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where} does not hold numbers: {error}") from error
    if numbers.ndim != 1:
        raise UsageError(f"{where} has {numbers.ndim} dimensions; give a value a query")
    return pl.DataFrame({"query": np.arange(len(numbers)), "value": numbers})


# --- The values of one system -------------------------------------------------------------------------


def _of_system(system: str, given: Any, said: MatrixColumns) -> Iterator[GivenValues]:
    """What the values of one system are given as."""
    if isinstance(given, Mapping):
        yield from _of_queries(system, given)
    elif isinstance(given, str | os.PathLike) and (text := _printed(given)) is not None:
        yield from _of_printed(system, text)
    elif isinstance(given, list | tuple) or len(getattr(given, "shape", ())) == 1:
        values = _by_position(given, f"{system!r}")
        yield GivenValues(None, system, values, numbered=not _has_index(given))
    else:
        yield from _of_measures(system, given, said)


def _by_position(given: Any, where: str) -> pl.DataFrame:
    """A list, an array or a Series; the index of a Series of pandas has the queries."""
    frame = _numbered(given, where)
    if not _has_index(given):
        return frame
    return frame.with_columns(_ids(list(given.index), where))


def _has_index(given: Any) -> bool:
    """Whether it is a Series of pandas whose index has the queries, and does not just number them."""
    index = getattr(given, "index", len)
    return not callable(index) and type(index).__name__ != "RangeIndex"


def _ids(queries: list[Any], where: str) -> pl.Series:
    """The queries of values as a column."""
    import polars as pl

    try:
        return pl.Series("query", queries)
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        kinds = ", ".join(sorted({type(query).__name__ for query in queries}))
        raise DataError(f"the queries of {where} are of the types {kinds}; give integers or texts") from error


def _of_queries(system: str, given: Mapping[Any, Any]) -> Iterator[GivenValues]:
    """``{query: value}``, or ``{query: {measure: value}}``."""
    import polars as pl

    nested = {query: each for query, each in given.items() if isinstance(each, Mapping)}
    if nested and len(nested) < len(given):
        raise UsageError(f"{system!r} has values of some queries, and dicts of values of others")
    measures = dict.fromkeys(name for each in nested.values() for name in each) if nested else {None: None}
    for measure in measures:
        own = {query: each.get(measure) for query, each in nested.items()} if nested else given
        values = _numbered(list(own.values()), f"{system!r}")["value"]
        yield GivenValues(measure, system, pl.DataFrame([_ids(list(own), f"{system!r}"), values]))


def _of_measures(system: str, given: Any, said: MatrixColumns) -> Iterator[GivenValues]:
    """A table of one system, with a column a measure."""
    source = _opened(given, f"of {system!r}")
    query = _query_column(source, said)
    measures = [name for name in source.names if name != query and not is_unnamed(name)]
    frame = _taken(source, query, measures)
    for name in measures:
        yield GivenValues(name, system, frame.select("query", value=name))


def _printed(path: str | os.PathLike[str]) -> File | None:
    """A file as ``trec_eval -q`` prints, if it is one."""
    (first, *others) = expand(os.fspath(path))
    file = File(Path(first), f"matrix {str(first)!r}")
    is_one = not others and len(file.first_line.split()) == 3 and not re.search("[,;{]", file.first_line)
    return file if is_one else None


def _of_printed(system: str, file: File) -> Iterator[GivenValues]:
    """Measure, query and value in each line; what is of all queries, or no number, is left out."""
    import polars as pl

    found: dict[str, tuple[list[str], list[float]]] = {}
    for number, line in enumerate(file.lines(), 1):
        parts = line.decode("utf-8", "surrogateescape").split()
        if not parts or (len(parts) == 3 and parts[1] == "all"):
            continue
        if len(parts) != 3:
            raise DataError(
                f"{file.where}, line {number}: {len(parts)} fields where trec_eval -q prints three: "
                "measure, query, value"
            )
        try:
            value = float(parts[2])
        except ValueError:
            continue
        queries, values = found.setdefault(parts[0], ([], []))
        queries.append(parts[1])
        values.append(value)
    if not found:
        raise DataError(f"{file.where} has no values of queries; trec_eval prints them with -q")
    for measure, (queries, values) in found.items():
        yield GivenValues(measure, system, pl.DataFrame({"query": queries, "value": values}))


# --- A table of all systems ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Columns that are to be read: a `Chosen`."""

    names: list[str]
    numbers: list[str]

    def instead(self, name: str) -> str:  # noqa: ARG002 - of any column
        """As `Chosen.instead`."""
        return (
            'name the columns of values with columns={"systems": ["…", "…"]} (on the command line --column '
            "systems=…,…)"
        )


def _of_table(matrix: Any, said: MatrixColumns) -> Iterator[GivenValues]:
    if isinstance(matrix, str | os.PathLike) and _printed(matrix) is not None:
        raise UsageError(
            f"{str(matrix)!r} has lines of three fields, as trec_eval -q prints of one system; give that "
            "of each system by its name"
        )
    source = _opened(matrix, "")
    system = _column(source, said, "system")
    value = _column(source, said, "value")
    if "systems" not in said and system and value:
        return _long(source, said, system, value)
    if "system" in said or "value" in said:
        lacking = "value" if system else "system"
        raise ColumnError(
            f"{source.where} has no column known as the {lacking}; say which with "
            f'columns={{"{lacking}": "…"}}; its columns are {listed(source.names)}'
        )
    return _wide(source, said)


def _wide(source: Source, said: MatrixColumns) -> Iterator[GivenValues]:
    """A row a query, a column a system."""
    query = _query_column(source, said)
    systems = said.get("systems") or [n for n in source.names if n != query and not is_unnamed(n)]
    if isinstance(systems, str):
        systems = [systems] if systems in source.names else systems.split(",")
    systems = list(systems)
    _check_there(source, systems)
    frame = _taken(source, query, systems)
    for name in systems:
        yield GivenValues(None, name, frame.select("query", value=name))


def _long(source: Source, said: MatrixColumns, system: str, value: str) -> Iterator[GivenValues]:
    """A row a query and system, and measure if there is a column of them."""
    import polars as pl

    query, measure = _query_column(source, said), _column(source, said, "measure")
    if query is None:
        raise ColumnError(
            f'{source.where} has no column known as the query; say which with columns={{"query": "…"}}; its '
            f"columns are {listed(source.names)}"
        )
    names = [query, system, value, *([measure] if measure else [])]
    table = source.take(_Wanted(names, [value]))
    check_numbers(table, value, "value", source.where)
    frame = pl.DataFrame(table)
    keys = [each for each in (measure, system) if each]
    for own in frame.partition_by(keys, maintain_order=True):
        of = str(own[measure][0]) if measure else None
        values = own.select(query=query, value=pl.col(value).cast(pl.Float64))
        yield GivenValues(of, str(own[system][0]), values)


def _opened(table: Any, of: str) -> Source:
    if isinstance(table, str | os.PathLike):
        found: Source | None = open_files(table, "predictions", None)
    else:
        found = open_table(table, "predictions")
    if found is None:
        raise UsageError(
            f"the matrix{f' {of}' * bool(of)} is of type {type(table).__name__}; give a path, a table, an "
            "array [queries, systems] or {system: values}"
        )
    return replace(found, where=found.where.replace("predictions", "matrix", 1))


def _taken(source: Source, query: str | None, values: list[str]) -> pl.DataFrame:
    """The values as numbers, beside ``query``; without a column of queries these are numbered from 0."""
    import polars as pl

    table = source.take(_Wanted([*([query] if query else []), *values], values))
    for name in values:
        check_numbers(table, name, "value", source.where)
    frame = pl.DataFrame(table)
    queries = frame[query] if query else pl.Series(range(frame.height))
    return pl.DataFrame([queries.alias("query"), *(frame[name].cast(pl.Float64) for name in values)])


def _query_column(source: Source, said: MatrixColumns) -> str | None:
    """The column of queries: said, known by its name, or the first if it is an index without a name."""
    if "query" in said:
        _check_there(source, [str(said["query"])])
        return str(said["query"])
    known = fitting(source.names, "query")
    if len(known) > 1:
        raise ColumnError(
            f"{source.where} has {len(known)} columns that can be the query: {listed(known)}; say which with "
            'columns={"query": "…"}'
        )
    return next(iter(known), next((name for name in source.names[:1] if is_unnamed(name)), None))


def _column(source: Source, said: MatrixColumns, role: str) -> str | None:
    """The column of a role in a table with a row a query and system, if there is one."""
    if role in said:
        _check_there(source, [str(said[role])])
        return str(said[role])
    known = [name for name in source.names if normal(name) in KNOWN[role]]
    return known[0] if len(known) == 1 else None


def _check_there(source: Source, names: Sequence[str]) -> None:
    for name in names:
        if name not in source.names:
            hint = did_you_mean(name, source.names) or ";"
            raise ColumnError(
                f"{source.where} has no column {name!r}{hint} its columns are {listed(source.names)}"
            )
