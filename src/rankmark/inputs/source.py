"""A table that has been opened: its columns are known, and those that have a role can be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError
from rankmark.inputs.aspects import by_aspect
from rankmark.inputs.column_checks import check_ids, check_numbers, no_rows
from rankmark.inputs.input import Input
from rankmark.inputs.long_form import is_listed, one_row_an_item
from rankmark.inputs.names import is_unnamed, listed
from rankmark.inputs.roles import (
    Chosen,
    ColumnNames,
    Roles,
    Side,
    columns_said,
    find_roles,
    missing_role,
    says_aspect,
)

__all__ = ["Source", "notes_on"]


@dataclass(frozen=True, slots=True)
class Source:
    """A table of which only the columns' names are known so far."""

    where: str
    """What messages call it."""
    names: Sequence[str]
    take: Callable[[Chosen], Table]
    """Reads the columns that have a role."""
    text_ids: bool = False
    in_rank_order: bool = False
    """Whether the rows of a query are its results, best first, where the table has no score or rank."""
    notes: tuple[str, ...] = ()
    """What a reader of the result should know of how its rows were understood."""
    of_aspects: bool = False
    """Whether its rows can be nothing but judgements for aspects, which are in the column ``aspect``."""

    def read(self, side: Side, columns: ColumnNames | None, *, whole: bool = True) -> Input:
        """Finds the columns' roles and reads them; judgements of aspects by item, if all are here."""
        if self.of_aspects:
            columns = {**columns_said(columns), "aspect": "aspect"}
        roles = find_roles(self.names, side, columns, self.where)
        read = _to_input(self.take(roles), roles, self, side, columns, whole=whole)
        return by_aspect(read) if whole and side == "qrels" and says_aspect(columns) else read


def _to_input(
    table: Table, roles: Roles, source: Source, side: Side, columns: ColumnNames | None, *, whole: bool
) -> Input:
    """Checks the columns' types and brings lists and wide tables into long form."""
    if not table.num_rows:
        raise no_rows(source.where)
    in_lists = is_listed(table, roles)
    if in_lists and says_aspect(columns):
        raise ColumnError(
            f"{source.where}: aspects are of judgements with a row an item and aspect, and not of lists"
        )
    if side == "run" and not (in_lists or source.in_rank_order or roles.value or roles.rank):
        raise missing_role("score", source.names, source.where, columns)
    rows = None
    if in_lists:
        table, roles, rows = one_row_an_item(table, roles, side, source.where, whole=whole)
    aspect, aspect_weight, stratum, probability = (
        (None, None, None, None)
        if in_lists
        else (roles.aspect, roles.aspect_weight, roles.stratum, roles.probability)
    )
    item = roles.items[0]
    check_ids(table, roles.query, "query", source.where)
    check_ids(table, item, "item", source.where)
    check_numbers(table, roles.value, "relevance" if side == "qrels" else "score", source.where)
    check_numbers(table, roles.rank, "rank", source.where)
    check_numbers(table, aspect_weight, "aspect_weight", source.where)
    check_numbers(table, probability, "probability", source.where)
    notes = (*source.notes, *notes_on(source.where, side, source.names, roles, columns))
    return Input(
        table, side, source.where, roles.query, item, roles.value, roles.rank, source.text_ids, notes, rows,
        True, aspect, aspect_weight, stratum, probability,
    )  # fmt: skip


def notes_on(
    where: str, side: Side, names: Sequence[str], roles: Roles, columns: ColumnNames | None
) -> tuple[str, ...]:
    """What a reader of the result should know of how a table's columns were understood."""
    if side == "run" or roles.value or "relevance" in (columns or {}):
        return ()
    known = {*roles.names} - {roles.aspect, roles.stratum, roles.probability}
    others = [name for name in names if name not in known and not is_unnamed(name)]
    if not others:
        return ()
    return (f"every row of {where} counts as relevant: no relevance among {listed(others)}",)
