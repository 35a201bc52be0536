"""Python's own containers: dicts of dicts, dicts of lists, iterables of tuples, named or not, or of dicts."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, repeat
from numbers import Integral, Real
from typing import Any, NamedTuple, TypeAlias

from rankmark._native import Table
from rankmark.errors import DataError, IdTypeError, UsageError
from rankmark.inputs.arrays.libraries import is_array
from rankmark.inputs.column_checks import half_a_character, is_text, no_rows
from rankmark.inputs.input import Input
from rankmark.inputs.names import ALIASES, fitting, listed
from rankmark.inputs.roles import VALUE_OF, Chosen, Side
from rankmark.inputs.source import Source
from rankmark.inputs.tables.several import is_table, refuse_several, several_tables
from rankmark.rendering.words import brief

__all__ = ["opened", "read"]


GRADES = range(5)
"""Whole numbers that are grades more often than they are all the items that there are."""
QUERIES, ITEMS = frozenset(ALIASES["query"]), frozenset(ALIASES["item"])
"""What columns of queries and of items are called."""
DICTS, LISTS = frozenset((dict, defaultdict)), frozenset((list, tuple))
"""What is plain for a query."""
WIDTHS: Mapping[Side, tuple[int, ...]] = {"qrels": (2, 3), "run": (3,)}
"""How many values a tuple has: a query, an item, and a number unless all judged items are relevant."""


def opened(source: Any, side: Side) -> Source | None:
    """A dict or an iterable of tuples, or None if `source` is neither.

    Raises:
        UsageError: several tables, or values that are none of items.

    """
    found = _found(source, side)
    return _of_table(found, side) if isinstance(found, Table) else found


def read(source: Any, side: Side) -> Input | Source | None:
    """The same, read at once where it is plain: then there is nothing left to find or to check."""
    found = _found(source, side)
    if not isinstance(found, Table):
        return found
    value = VALUE_OF[side] if len(found.names) > 2 else None
    return Input(found, side, side, "query", "item", value, None, False)


def _found(source: Any, side: Side) -> Table | Source | None:
    """The rows of what is plain, whose columns are called as their roles; all else as `opened`."""
    if type(source) is not dict and (held := _held_by_ranx(source)):
        source = held
    if type(source) is dict or isinstance(source, Mapping):
        # What is plain holds neither aspects nor whole tables, which to look for takes longer.
        if table := _plain_entries(source, side):
            return table
        if side == "qrels" and _is_by_aspect(source):
            return _of_aspects(source, side)
        refuse_several(source, side)
        flat = _from_mapping(source, side)
    elif is_array(source) and getattr(source.dtype, "kind", "f") in "biuf":
        raise UsageError(
            f"{side} is an array; rm.evaluate_arrays(scores, relevance, measures) takes arrays, "
            "a row a query and a column an item"
        )
    elif isinstance(source, Iterable) and not isinstance(source, str | bytes):
        rows = source if type(source) is list else list(source)
        if names := _column_names(rows):
            return _of_named_rows(rows, names, side)
        refuse_several(rows, side)
        if table := _plain_tuples(rows, side):
            return table
        flat = _from_tuples(rows, side)
    else:
        return None
    if not flat.queries:
        raise no_rows(side)
    return _as_source(flat, side)


class _Flat(NamedTuple):
    """One each a row, and what a reader of the result should know of how they were understood."""

    queries: Sequence[Any]
    items: Sequence[Any]
    values: Sequence[Any] | None
    notes: tuple[str, ...] = ()


_Entries: TypeAlias = tuple[Collection[Any], Collection[Any] | None]
"""The items of a query and, if there are any, their numbers."""


def _as_source(flat: _Flat, side: Side) -> Source:
    import polars as pl

    value = VALUE_OF[side]
    columns = {"query": _ids(flat.queries, "query", side), "item": _ids(flat.items, "item", side)}
    if flat.values is not None:
        columns[value] = _numbers(flat.values, value, side)
    return _of_table(Table.from_arrow(pl.DataFrame(columns)), side, flat.notes)


def _of_table(table: Table, side: Side, notes: tuple[str, ...] = ()) -> Source:
    return Source(side, table.names, lambda _: table, in_rank_order=True, notes=notes)


def _plain_entries(source: Mapping[Any, Any], side: Side) -> Table | None:
    """The rows of plain dicts or lists; None of all else, and of what has to be refused."""
    entries = [*source.values()]
    kinds = {*map(type, entries)}
    if not (kinds <= DICTS or kinds <= LISTS) or _is_of_columns(source):
        return None
    table = Table.from_entries(entries, [*source], VALUE_OF[side], flags=side == "qrels")
    if table is None or not table.num_rows:
        return None
    # Whole numbers in lists may be meant as grades.
    like_grades = side == "qrels" and kinds <= LISTS and table.kind("item") == "integer"
    return None if like_grades else table


def _plain_tuples(rows: list[Any], side: Side) -> Table | None:
    """The rows of plain tuples or lists; None of all else, and of what has to be refused."""
    width = len(rows[0]) if rows and type(rows[0]) in (tuple, list) else 0
    if width not in WIDTHS[side]:
        return None
    return Table.from_tuples(rows, VALUE_OF[side] if width == 3 else None, flags=side == "qrels")


def _is_by_aspect(source: Mapping[Any, Any]) -> bool:
    """Whether items have grades of aspects: ``{query: {item: {aspect: grade}}}``."""
    first = next((items for items in source.values() if isinstance(items, Mapping) and items), {})
    return isinstance(next(iter(first.values()), None), Mapping)


def _of_aspects(source: Mapping[Any, Mapping[Any, Mapping[Any, Any]]], side: Side) -> Source:
    """Judgements for aspects, a row each."""
    import polars as pl

    rows = []
    for query, items in source.items():
        for item, grades in items.items() if isinstance(items, Mapping) else ((items, None),):
            if not isinstance(grades, Mapping):
                raise DataError(
                    f"{side}: item {item!r} of query {query!r} has {grades!r}, and others a grade of each "
                    "aspect, {aspect: grade}"
                )
            rows += [(query, item, aspect, grade) for aspect, grade in grades.items()]
    if not rows:
        raise no_rows(side)
    *ids, relevance = zip(*rows, strict=True)
    named = zip(("query", "item", "aspect"), ids, strict=True)
    columns = {role: _ids(each, role, side) for role, each in named}
    table = Table.from_arrow(pl.DataFrame({**columns, "relevance": _numbers(relevance, "relevance", side)}))
    return Source(side, table.names, lambda _: table, of_aspects=True)


def _is_of_columns(source: Mapping[Any, Any]) -> bool:
    keys = source.keys()
    return not (keys.isdisjoint(QUERIES) or keys.isdisjoint(ITEMS))


def _from_mapping(source: Mapping[Any, Any], side: Side) -> _Flat:
    if _is_of_columns(source):
        raise UsageError(
            f"{side} is a dict of columns; make it a table, for example polars.DataFrame({side}), "
            f"or give {{query: {{item: value}}}}"
        )
    entries = [_entries(query, value, side) for query, value in source.items()]
    given = [(query, values) for query, (items, values) in zip(source, entries, strict=True) if items]
    nested = bool(given) and given[0][1] is not None
    for query, values in given:
        if (values is not None) != nested:
            raise DataError(
                f"{side}: a dict for some queries, a list for others; the first is query {query!r}"
            )
    queries = list(chain.from_iterable(map(repeat, source, (len(items) for items, _ in entries))))
    items = list(chain.from_iterable(items for items, _ in entries))
    values = list(chain.from_iterable(values or () for _, values in entries)) if nested else None
    notes = _of_series(source, side) if nested else _like_grades(entries, side)
    return _Flat(queries, items, values, notes)


def _entries(query: object, value: Any, side: Side) -> _Entries:
    if isinstance(value, Mapping):
        return value.keys(), value.values()
    if _is_series(value) and _holds_numbers(value):
        return value.index.tolist(), value.tolist()
    _check_list(query, value, side)
    return (value if isinstance(value, Sequence) else list(value)), None


def _is_series(value: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.Series)


def _holds_numbers(series: Any) -> bool:
    """Whether a series has the values of the items in its index; texts are items themselves."""
    return all(isinstance(each, Real) or each is None for each in series.head(1).tolist())


def _of_series(source: Mapping[Any, Any], side: Side) -> tuple[str, ...]:
    """Whole numbers in an index may number rows, and whole values may be items."""
    for query, value in source.items():
        if _is_series(value) and len(value) and value.index.dtype.kind == value.dtype.kind == "i":
            return (
                (
                    f"{side}: the items of query {query!r} are the index of its Series, such as "
                    f"{value.index[0]}, and not its values, such as {value.iloc[0]}; give lists if these are "
                    "the items"
                ),
            )
    return ()


def _like_grades(entries: Sequence[_Entries], side: Side) -> tuple[str, ...]:
    """Lists of small whole numbers are read as items, and may be meant as grades."""
    if side == "run" or not any(len(items) > 1 for items, _ in entries):
        return ()
    for items, _ in entries:
        if not all(isinstance(each, Integral) and each in GRADES for each in items):
            return ()
    first = next(list(items) for items, _ in entries if len(items) > 1)
    what = f"{side}: lists such as {first} are the ids of relevant items"
    if any(len(set(items)) < len(items) for items, _ in entries):
        raise UsageError(f"{what}, and an id stands twice in one; grades are given as {{item: grade}}")
    return (f"{what}, and not grades, which are given as {{item: grade}}",)


def _check_list(query: object, value: object, side: Side) -> None:
    if side == "run" and isinstance(value, AbstractSet):
        raise DataError(f"run: query {query!r} has a set, which has no order; give a list, best first")
    if is_table(value):
        raise several_tables(f"{side}: query {query!r} has", value, side)
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        wanted = "a list of items, best first" if side == "run" else "a list or set of relevant items"
        path = "; several runs by their paths are for rm.compare" if isinstance(value, str) else ""
        raise UsageError(f"{side}: query {query!r} has {value!r}; give {{item: value}} or {wanted}{path}")


def _held_by_ranx(source: object) -> Mapping[Any, Any] | None:
    """The dict of dicts that ranx's own objects hold; None for anything else."""
    ranx = sys.modules.get("ranx")
    if ranx is None or not isinstance(source, ranx.Qrels | ranx.Run):
        return None
    return {query: dict(items) for query, items in source.to_dict().items()}


def _column_names(rows: Sequence[Any]) -> Sequence[str]:
    """The columns of rows that name theirs, as dicts and named tuples do; none of others.

    Names that are not known as those of a query and an item say less than the places of a tuple's values.
    """
    first = rows[0] if rows else None
    own = first if isinstance(first, Mapping) else getattr(first, "_fields", ())
    names = [name for name in own if isinstance(name, str)]
    return names if fitting(names, "query") and fitting(names, "item") else ()


def _of_named_rows(rows: Sequence[Any], names: Sequence[str], side: Side) -> Source:
    """Rows that name their columns, of which only those that have a role are looked at."""
    import polars as pl

    for number, row in enumerate(rows):
        own = row if isinstance(row, Mapping) else getattr(row, "_fields", ())
        if type(row) is not type(rows[0]) or len(own) != len(names) or any(name not in own for name in names):
            raise UsageError(
                f"{side}, row {number} (from 0): {brief(row)} has other columns than the first row, "
                f"which has {listed(names)}"
            )

    def column(name: str) -> list[Any]:
        place = name if isinstance(rows[0], Mapping) else names.index(name)
        return [row[place] for row in rows]

    def take(roles: Chosen) -> Table:
        numbers = set(roles.numbers)
        columns = {
            name: _numbers(column(name), VALUE_OF[side], side)
            if name in numbers
            else _ids(column(name), name, side)
            for name in roles.names
        }
        return Table.from_arrow(pl.DataFrame(columns))

    return Source(side, names, take)


def _from_tuples(rows: Sequence[Any], side: Side) -> _Flat:
    form = "(query, item, relevance) or (query, item)" if side == "qrels" else "(query, item, score)"
    for number, row in enumerate(rows):
        if not isinstance(row, tuple | list) or len(row) not in WIDTHS[side] or len(row) != len(rows[0]):
            path = "; several paths are several runs, for rm.compare" if isinstance(row, str) else ""
            if isinstance(row, Mapping):
                path = f"; rows that are dicts with other names are a table: polars.DataFrame({side})"
            raise UsageError(
                f"{side}, row {number} (from 0): {row!r} is no tuple {form} like the others{path}"
            )
    queries, items, *values = zip(*rows, strict=True) if rows else ((), ())
    return _Flat(queries, items, values[0] if values else None)


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
        pair = isinstance(value, tuple | list) and len(value) == 2
        instead = (
            f"; lists of pairs are given as dicts: {{query: dict(pairs) for query, pairs in {side}.items()}}"
        )
        raise IdTypeError(
            f"{side}, row {row} (from 0): the {role} {value!r} is a {type(value).__name__}; "
            f"ids are integers or strings{instead if pair else ''}"
        )
    for row, value in _odd(values, (kind,)):
        raise IdTypeError(
            f"{side}, row {row} (from 0): the {role} {value!r} is a {type(value).__name__}, "
            f"but the first one, {values[0]!r}, is a {type(values[0]).__name__}; use one type for all"
        )
    if kind is str:
        try:
            return pl.Series(list(values), dtype=pl.String)
        except UnicodeEncodeError as error:
            row = next(row for row, value in enumerate(values) if not is_text(value))
            where = f"{side}, row {row} (from 0): the {role}"
            raise DataError(half_a_character(where, values[row])) from error
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
    try:
        return pl.Series(np.array(values, dtype=np.float64))
    except OverflowError as error:
        raise DataError(f"{side}: a {role} is too large for a floating-point number of 64 bits") from error
