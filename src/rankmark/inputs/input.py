"""Judgements or results that have been read."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs.roles import VALUE_OF, Side
from rankmark.language.conventions.limits import Extent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark._native import Table

__all__ = ["AspectRows", "Described", "Input", "extent_of"]


@dataclass(frozen=True, slots=True, eq=False)
class AspectRows:
    """Judgements of items for aspects of queries, of which a table has one an item.

    Attributes:
        row: the row of the table that has the same query and item.
        aspect: the number of the aspect in `names`.
        grade: the grade.
        weight: how much the aspect weighs for the query.
        names: what aspects are called, ascending, as numbers if all are.
        column: the name of the column that held them, which the table has no longer.

    """

    row: NDArray[np.int64]
    aspect: NDArray[np.int64]
    grade: NDArray[np.float64]
    weight: NDArray[np.float64]
    names: tuple[int | str, ...]
    column: str

    def where(self, kept: NDArray[np.bool_]) -> AspectRows:
        """Those of a table of which some rows are kept."""
        own = kept[self.row]
        place = np.cumsum(kept) - 1
        return replace(
            self,
            row=place[self.row[own]],
            aspect=self.aspect[own],
            grade=self.grade[own],
            weight=self.weight[own],
        )


@dataclass(frozen=True, slots=True, repr=False)
class Input:
    """A table that has been read, with its columns' roles."""

    table: Table
    side: Side
    """What the table holds: judgements ("qrels") or results ("run")."""
    name: str
    """What messages call the table: its path, or "qrels" or "run"."""
    query: str
    item: str
    value: str | None
    """Column of relevances (None: all 1) or of scores."""
    rank: str | None
    """Run without scores: the column of ranks; None where `value` is None too: the rows are in rank order."""
    text_ids: bool
    """The ids come from a format without types, where 7 and "7" are the same."""
    notes: tuple[str, ...] = ()
    """What a reader of the result should know of how the table was understood."""
    rows: NDArray[np.integer[Any]] | None = None
    """The row of the user's table that each comes from, where that has several items in a row."""
    judges: bool = True
    """Whether judgements judge items; if not, they say only which queries there are."""
    aspect: str | None = None
    """Column of the aspects of queries that judgements are of, if there may be such."""
    aspect_weight: str | None = None
    """Column of how much each aspect weighs, if there is one."""
    stratum: str | None = None
    """Column of the stratum of the pool that an item was sampled from, if there may be such."""
    probability: str | None = None
    """Column of the probability with which an item was sampled, if there may be such."""
    aspects: AspectRows | None = None
    """The judgements of aspects, where the table has one of each item instead; see `by_aspect`."""
    candidates: str | None = None
    """How the items were sampled, where the table says so: see `mark_of`."""

    def queries(self) -> Input:
        """As judgements the queries alone."""
        return replace(self, side="qrels", value=None, rank=None, judges=False)

    def in_own_rows(self, message: str) -> str:
        """What the core says of a row of this table, with the number that the row has for the user."""
        if self.rows is None or not message.startswith(self.name):
            return message
        rows, said = self.rows, message[len(self.name) :]  # the name may have a row, too
        return self.name + re.sub(r"\brow (\d+)", lambda found: f"row {rows[int(found[1])]}", said)

    def check_lists(self) -> None:
        """Refuses lists without a query, which the core would count by their items."""
        if self.rows is None:
            return
        import polars as pl

        if len(nulls := np.unique(self.rows[pl.DataFrame(self.table)[self.query].is_null().to_numpy()])):
            count = f"{len(nulls)} null{'s' if len(nulls) > 1 else ''}"
            raise DataError(
                f"{self.name}: the query column {self.query!r} has {count}, the first in row {nulls[0]} "
                "(from 0); remove those rows"
            )

    @property
    def names(self) -> list[str]:
        """The names of its columns, and of that of aspects, which may be said again of what has been read."""
        return self.table.names if self.aspects is None else [*self.table.names, self.aspects.column]

    @property
    def first_query(self) -> int | str:
        """The query of the first row, to show how queries are written."""
        return self._first(self.query)

    @property
    def first_item(self) -> int | str:
        """The item of the first row."""
        return self._first(self.item)

    @property
    def item_ids(self) -> Literal["integer", "text"]:
        """The type of the items' ids."""
        return "integer" if self.table.kind(self.item) == "integer" else "text"

    def _first(self, column: str) -> int | str:
        return self.table.take(column, np.zeros(1, dtype=np.uint32), column).column_values(column)[0]

    def __repr__(self) -> str:
        roles = {"query": self.query, "item": self.item, VALUE_OF[self.side]: self.value, "rank": self.rank}
        said = ", ".join(f"{role} {name!r}" for role, name in roles.items() if name is not None)
        return f"<{self.name}: {self.table.num_rows:,} rows; {said}>"


def extent_of(table: Input) -> Extent | None:
    """The extent of a table's grades or scores; None where it has none."""
    own = table.side == "run" and _own_items(table)
    if table.value is None:
        return Extent(1.0, 1.0, False, own) if own else None
    return Extent(*table.table.range(table.value), own)


def _own_items(table: Input) -> bool:
    """Whether an item has the id of its query."""
    import polars as pl

    need_polars_threads()
    query, item = (pl.DataFrame(table.table)[name] for name in (table.query, table.item))
    if query.dtype.is_integer() != item.dtype.is_integer():
        query, item = query.cast(pl.String), item.cast(pl.String)
    return bool((query == item).any())


class Described(Protocol):
    """What a result tells of a table; an `Input` is one."""

    @property
    def name(self) -> str:
        """What messages call the table."""

    @property
    def first_query(self) -> int | str:
        """A query, to show how they are written."""

    @property
    def first_item(self) -> int | str:
        """An item, to show how they are written."""

    @property
    def item_ids(self) -> Literal["integer", "text"]:
        """The type of the items' ids."""

    @property
    def judges(self) -> bool:
        """Whether judgements judge items, or say only which queries there are."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the result should know of how the table was understood."""
