"""Several tables of the same rows: which row of one is which of another, and whether they agree on it."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, IdTypeError
from rankmark.forking import need_polars_threads
from rankmark.inputs.column_checks import check_ids
from rankmark.inputs.ids import as_integers
from rankmark.inputs.predictions.columns import WEIGHING
from rankmark.language.parameters import format_value
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.predictions.labelled import Predictions

__all__ = ["matched"]

SHOWN = 3
"""How many of the rows that do not fit a message shows."""
KEY = ("query", "item")
"""What tells rows apart."""
SLICING = "slicing by "
"""Before the name of a column without a role, by which rows are sliced."""
SHARED: Mapping[str, str] = {
    "query": "queries",
    "item": "items",
    "label": "labels",
    "weight": "weights",
}
"""The roles of columns that are the same for all systems, and what messages call several of them."""
POSITION = 'match rows by position with item="" (on the command line --item "")'


def matched(reads: Mapping[str, Predictions]) -> tuple[dict[str, Predictions], str]:
    """The predictions of each system, the rows of all in the order of the first, and a note on how.

    Rows are matched by query and item where all tables have both and these tell their rows apart, else by
    position.

    Raises:
        DataError: tables that are not of the same rows, or do not agree on labels or weights; or by position
            on the queries and items that they have.
        IdTypeError: ids that are numbers in one table and texts in another.

    """
    need_polars_threads()
    tables = [_SystemTable.of(system, read) for system, read in reads.items()]
    for role in KEY:
        tables = _with_ids_alike(tables, role)
    first, *others = tables
    unlike = _not_told_apart(tables)
    if unlike is None:
        how = note = _by_key(first)
        tables = [first, *(_in_order_of(first, each, how) for each in others)]
    else:
        note, how = _by_position(tables, unlike), f"by position, as {unlike.why}"
        for each in others:
            _check_height(first, each, how, unlike.instead)
    _check_weighted(tables)
    for role in first.shared:
        having = [each for each in tables if each.has(role)]
        for each in having[1:]:
            _check_alike(having[0], each, role, how, unlike)
    return _with_shared(tables), f"rows matched {note}"


@dataclass(frozen=True, slots=True)
class _SystemTable:
    """A table of one system.

    Attributes:
        system: its name.
        read: the table as it was read.
        frame: its columns, called by their roles.

    """

    system: str
    read: Predictions
    frame: pl.DataFrame

    @classmethod
    def of(cls, system: str, read: Predictions) -> _SystemTable:
        """Those of a table that was read."""
        import polars as pl

        names = {role: getattr(read.columns, role) for role in (*SHARED, "score")}
        names = {role: name for role, name in names.items() if name is not None}
        names |= {WEIGHING + name: name for name in read.columns.weighing}
        roles = names.values()
        names |= {SLICING + name: name for name in read.columns.others if name not in roles}
        for role in KEY:
            if role in names:
                check_ids(read.table, names[role], role, read.name)
        frame = pl.DataFrame(read.table)
        return cls(system, read, pl.DataFrame({role: frame[name] for role, name in names.items()}))

    @property
    def name(self) -> str:
        """What messages call the table."""
        return self.read.name

    def has(self, role: str) -> bool:
        """Whether it has a column of the role."""
        return role in self.frame.columns

    @property
    def shared(self) -> dict[str, str]:
        """The columns that are the same for all systems, as `SHARED`; those first that keep their names."""
        return {WEIGHING + name: f"values of {name!r}" for name in self.read.columns.weighing} | dict(SHARED)

    def column(self, role: str) -> str:
        """What the column of the role is called."""
        for prefix in (WEIGHING, SLICING):
            if role.startswith(prefix):
                return role.removeprefix(prefix)
        return str(getattr(self.read.columns, role))

    def numbers(self, role: str) -> pl.Series:
        """A column, as numbers unless it holds ids."""
        import polars as pl

        return self.frame[role] if role in KEY else self.frame[role].cast(pl.Float64)

    def written(self, role: str, row: int) -> str:
        """A value, for a message; labels may have been words."""
        value = self.frame[role][row]
        if role == "label" and self.read.words and value is not None:
            return repr(self.read.words[int(value)])
        return repr(value) if role in KEY else format_value(value)


def _with_ids_alike(tables: Sequence[_SystemTable], role: str) -> list[_SystemTable]:
    """The tables with ids of one type; those that have none as they are."""
    import polars as pl

    types = [each.frame.schema[role] for each in tables if each.has(role)]
    if len(set(types)) < 2:
        return list(tables)
    whole = next((each for each in tables if each.has(role) and each.frame.schema[role].is_integer()), None)

    def alike(table: _SystemTable) -> _SystemTable:
        # Texts can be of several types, too, such as categories.
        ids = table.frame[role].cast(pl.String) if whole is None else _integers(table, role, whole)
        return replace(table, frame=table.frame.with_columns(ids.alias(role)))

    return [alike(each) if each.has(role) else each for each in tables]


def _integers(table: _SystemTable, role: str, whole: _SystemTable) -> pl.Series:
    """The ids as integers, which those of the other table are."""
    import polars as pl

    ids, column = table.frame[role], table.column(role)
    if not ids.dtype.is_integer():
        other = whole.column(role)
        where = f"{whole.name} (column {other!r}, {whole.read.table.dtype(other)})"
        return as_integers(ids.alias(column), role, table.read, where)
    fitting = ids.cast(pl.Int64, strict=False)
    if fitting.null_count() > ids.null_count():
        raise IdTypeError(
            f"the {role} ids of {table.name} (column {column!r}, {ids.dtype}) do not all fit into Int64, and "
            "those of another table are of another type; cast the columns to one type"
        )
    return fitting


class _Unlike(NamedTuple):
    """Why rows cannot be matched by query and item.

    Attributes:
        why: in words.
        instead: what to do to have them matched so.
        noted: whether readers are told why, as the tables have both.

    """

    why: str
    instead: str
    noted: bool = False


def _by_key(table: _SystemTable) -> str:
    return f"by query ({table.column('query')!r}) and item ({table.column('item')!r})"


def _not_told_apart(tables: Sequence[_SystemTable]) -> _Unlike | None:
    """What keeps query and item from telling the rows of all tables apart."""
    for role in KEY:
        for each in tables:
            if not each.has(role):
                return _Unlike(
                    f"{each.name} has no column of the {role}", "give each columns of query and item"
                )
    for each in tables:
        _check_nulls(each)
    repeated = next(filter(None, map(_repeated, tables)), None)
    if repeated is None:
        return None
    return _Unlike(repeated, "leave out what stands twice, and order does not matter", noted=True)


def _check_nulls(table: _SystemTable) -> None:
    """Refuses rows without a query or an item."""
    for role in KEY:
        nulls = table.frame[role].is_null().arg_true()
        if len(nulls):
            raise DataError(
                f"{table.name} has {counted(len(nulls), 'null')} in the {role} column "
                f"{table.column(role)!r}, the first in row {nulls[0]} (from 0), and rows of several tables "
                f"are matched {_by_key(table)}: leave those rows out, or {POSITION}"
            )


def _repeated(table: _SystemTable) -> str | None:
    """Which query has an item in several rows, in words; None where none has."""
    import polars as pl

    keys = table.frame.select(*KEY, row=pl.int_range(pl.len()))
    again = keys.filter(keys.select(KEY).is_duplicated()).group_by(KEY, maintain_order=True).agg("row")
    if not again.height:
        return None
    query, item, rows = again.row(0)
    places = ", ".join(map(str, rows[:SHOWN])) + (", …" if len(rows) > SHOWN else "")
    more = f", and {counted(again.height - 1, 'other pair')} more than once, too" if again.height > 1 else ""
    return f"{table.name} has query {query!r}, item {item!r} in {len(rows):,} rows ({places}, from 0){more}"


def _in_order_of(first: _SystemTable, other: _SystemTable, how: str) -> _SystemTable:
    """The other table with the rows of the first in their order.

    Raises:
        DataError: a row that only one of them has.

    """
    import polars as pl

    if other.frame.select(KEY).equals(first.frame.select(KEY)):
        return other
    numbered = other.frame.select(*KEY, row=pl.int_range(pl.len()))
    rows = first.frame.select(KEY).join(numbered, on=KEY, how="left", maintain_order="left")["row"]
    if rows.null_count() or first.frame.height != other.frame.height:
        raise _other_rows(first, other, how)
    read = replace(other.read, name=f"{other.name} in the order of {first.system!r}")
    return replace(other, read=read, frame=other.frame[rows])


def _other_rows(first: _SystemTable, other: _SystemTable, how: str) -> DataError:
    """The error for tables of which each may have rows that the other lacks."""
    lacks = []
    common = False
    for lacking, having in ((other, first), (first, other)):
        rows = having.frame.select(KEY).join(lacking.frame.select(KEY), on=KEY, how="anti")
        common = rows.height < having.frame.height
        if rows.height:
            lacks.append(
                f"{lacking.name} lacks {counted(rows.height, 'row')} of {having.system!r} {_some(rows)}"
            )
    parts = "" if common else ", and give files that are parts of one table as one, by a glob in quotes"
    return DataError(
        f"systems are compared on the same rows, matched {how}, and {', and '.join(lacks)}; leave out "
        f"what not all tables have{parts}"
    )


def _some(keys: pl.DataFrame) -> str:
    """The first few of some queries and items."""
    shown = (f"query {query!r}, item {item!r}" for query, item in keys.head(SHOWN).rows())
    return f"({'; '.join(shown)}{'; …' if keys.height > SHOWN else ''})"


def _check_height(first: _SystemTable, other: _SystemTable, how: str, instead: str) -> None:
    if first.frame.height != other.frame.height:
        raise DataError(
            f"{first.name} has {counted(first.frame.height, 'row')} and {other.name} {other.frame.height:,}, "
            f"and rows of several tables are matched {how}: give each the same rows in the same order, or "
            f"{instead}"
        )


def _check_weighted(tables: Sequence[_SystemTable]) -> None:
    """Refuses weights that only some tables have: in the others rows count alike."""
    weighted = [each for each in tables if each.has("weight")]
    others = [each for each in tables if not each.has("weight")]
    if weighted and others:
        raise DataError(
            f"{weighted[0].system!r} has weights (column {weighted[0].column('weight')!r}) and "
            f'{others[0].system!r} none; give all the same, or take none with weight="" (on the command line '
            '--weight "")'
        )


def _check_alike(
    first: _SystemTable, other: _SystemTable, role: str, how: str, unlike: _Unlike | None
) -> None:
    """Refuses what two tables say differently of the same rows."""
    rows = first.numbers(role).ne_missing(other.numbers(role)).arg_true()
    if not len(rows):
        return
    shown = []
    for row in rows[:SHOWN]:
        where = f"row {row} (from 0)"
        if unlike is None:
            where = f"query {first.written('query', row)}, item {first.written('item', row)}"
        shown.append(f"{where}: {first.written(role, row)} and {other.written(role, row)}")
    same = f"systems are compared on the same {first.shared[role]}"
    if unlike is not None:
        same = f"bring them into the same order, or {unlike.instead}"
    raise DataError(
        f"the {first.shared[role]} of {first.system!r} and {other.system!r} differ in {len(rows):,} of "
        f"{counted(first.frame.height, 'row')} ({'; '.join(shown)}{'; …' if len(rows) > SHOWN else ''}), "
        f"matched {how}; {same}"
    )


def _with_shared(tables: Sequence[_SystemTable]) -> dict[str, Predictions]:
    """The predictions of each system, with what is shared from the first table that has it."""
    import polars as pl

    names: dict[str, str] = {}
    shared: dict[str, pl.Series] = {}
    slicing = (role for each in tables for role in each.frame.columns if role.startswith(SLICING))
    for role in (*slicing, *tables[0].shared):
        table = next((each for each in tables if each.has(role)), None)
        if table is not None:
            names[role] = _free(table.column(role), shared)
            shared[names[role]] = table.frame[role]
    own = {role: name for role, name in names.items() if role in SHARED}
    roles = replace(tables[0].read.columns, **own)  # type: ignore[arg-type]
    predictions = {}
    for each in tables:
        score = _free(each.column("score"), shared)
        table_of = Table.from_arrow(pl.DataFrame({**shared, score: each.frame["score"]}).to_struct())
        predictions[each.system] = replace(
            tables[0].read, table=table_of, name=each.name, columns=replace(roles, score=score)
        )
    return predictions


def _free(name: str, taken: Container[str]) -> str:
    """The name, made another where it is taken."""
    while name in taken:
        name += "_"
    return name


def _by_position(tables: Sequence[_SystemTable], unlike: _Unlike) -> str:
    """That rows are matched by position, and what stands in some tables alone, or why where all have both."""
    if unlike.noted:
        return f"by position, where queries, items and labels agree, as {unlike.why}"
    alone: dict[str, list[str]] = {}
    for role in KEY:
        having = [each.system for each in tables if each.has(role)]
        if having and len(having) < len(tables):
            alone.setdefault(having[0], []).append(f"the {role}")
    return ", ".join(["by position", *(f"with {' and '.join(of)} of {name!r}" for name, of in alone.items())])
