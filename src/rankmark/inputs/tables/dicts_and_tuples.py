"""Python's own containers: dicts of dicts, dicts of lists, iterables of tuples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, repeat
from numbers import Integral, Real
from typing import Any

from rankmark._native import Table
from rankmark.errors import DataError, IdTypeError, UsageError
from rankmark.inputs.column_checks import no_rows
from rankmark.inputs.names import ALIASES
from rankmark.inputs.roles import Side
from rankmark.inputs.source import Source

__all__ = ["opened"]


def opened(source: object, side: Side) -> Source | None:
    """A dict or an iterable of tuples, or None if `source` is neither."""
    if isinstance(source, Mapping):
        queries, items, values = _from_mapping(source, side)
    elif isinstance(source, Iterable) and not isinstance(source, str | bytes):
        queries, items, values = _from_tuples(source, side)
    else:
        return None
    if not queries:
        raise no_rows(side)
    return _as_source(queries, items, values, side)


_Flat = tuple[Sequence[Any], Sequence[Any], Sequence[Any] | None]
"""Queries, items and, if there are any, numbers, one each a row."""


def _as_source(
    queries: Sequence[Any], items: Sequence[Any], values: Sequence[Any] | None, side: Side
) -> Source:
    import polars as pl

    value = "relevance" if side == "qrels" else "score"
    columns = {"query": _ids(queries, "query", side), "item": _ids(items, "item", side)}
    if values is not None:
        columns[value] = _numbers(values, value, side)
    table = Table.from_arrow(pl.DataFrame(columns))
    return Source(side, table.names, lambda _: table, in_rank_order=True)


def _from_mapping(source: Mapping[Any, Any], side: Side) -> _Flat:
    if any(key in source for key in ALIASES["query"]) and any(key in source for key in ALIASES["item"]):
        raise UsageError(
            f"{side} is a dict of columns; make it a table, for example polars.DataFrame({side}), "
            f"or give {{query: {{item: value}}}}"
        )
    inner = list(source.values())
    nested = bool(inner) and isinstance(inner[0], Mapping)
    for query, value in source.items():
        if isinstance(value, Mapping) != nested:
            raise DataError(
                f"{side}: a dict for some queries, a list for others; the first is query {query!r}"
            )
        if not nested:
            _check_list(query, value, side)
    lists = [value if isinstance(value, Sequence | Mapping) else list(value) for value in inner]
    queries = list(chain.from_iterable(map(repeat, source, map(len, lists))))
    items = list(chain.from_iterable(lists))
    values = list(chain.from_iterable(value.values() for value in inner)) if nested else None
    return queries, items, values


def _check_list(query: object, value: object, side: Side) -> None:
    if side == "run" and isinstance(value, AbstractSet):
        raise DataError(f"run: query {query!r} has a set, which has no order; give a list, best first")
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        wanted = "a list of items, best first" if side == "run" else "a list or set of relevant items"
        raise UsageError(f"{side}: query {query!r} has {value!r}; give {{item: value}} or {wanted}")


def _from_tuples(source: Iterable[Any], side: Side) -> _Flat:
    widths = (2, 3) if side == "qrels" else (3,)
    form = "(query, item, relevance) or (query, item)" if side == "qrels" else "(query, item, score)"
    rows = list(source)
    for number, row in enumerate(rows):
        if not isinstance(row, tuple | list) or len(row) not in widths or len(row) != len(rows[0]):
            raise UsageError(f"{side}, row {number} (from 0): {row!r} is no tuple {form} like the others")
    queries, items, *values = zip(*rows, strict=True) if rows else ((), ())
    return queries, items, values[0] if values else None


def _odd(
    values: Sequence[Any], wanted: tuple[type, ...], unwanted: tuple[type, ...] = ()
) -> Iterator[tuple[int, Any]]:
    """The values that are of none of the wanted types, with their rows."""
    odd = {kind for kind in set(map(type, values)) if not issubclass(kind, wanted) or kind in unwanted}
    return ((row, value) for row, value in enumerate(values) if type(value) in odd) if odd else iter(())


def _ids(values: Sequence[Any], role: str, side: Side) -> Any:
    import polars as pl

    kind: type = str if isinstance(values[0], str) else Integral
    for row, value in _odd(values, (str, Integral), (bool,)):
        raise IdTypeError(
            f"{side}, row {row} (from 0): the {role} {value!r} is a {type(value).__name__}; "
            f"ids are integers or strings"
        )
    for row, value in _odd(values, (kind,)):
        raise IdTypeError(
            f"{side}, row {row} (from 0): the {role} {value!r} is a {type(value).__name__}, "
            f"but the first one, {values[0]!r}, is a {type(values[0]).__name__}; use one type for all"
        )
    if kind is str:
        return pl.Series(list(values), dtype=pl.String)
    try:
        return pl.Series(list(map(int, values)), dtype=pl.Int64)
    except (OverflowError, TypeError) as error:
        raise DataError(f"{side}: an integer {role} does not fit into 64 bits; use strings") from error


def _numbers(values: Sequence[Any], role: str, side: Side) -> Any:
    import numpy as np
    import polars as pl

    booleans = (bool, np.bool_)
    for row, value in _odd(values, (Real, np.bool_), () if role == "relevance" else booleans):
        raise DataError(
            f"{side}, row {row} (from 0): the {role} {value!r} is a {type(value).__name__}, not a number"
        )
    return pl.Series(np.array(values, dtype=np.float64))
