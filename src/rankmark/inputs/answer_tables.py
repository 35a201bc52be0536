"""Tables of what was found of generated answers: a row a nugget, or a row a citation of a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, RankmarkError, UsageError, did_you_mean
from rankmark.inputs.column_checks import check_ids, check_numbers, no_rows
from rankmark.inputs.names import ALIASES, listed, misread, normal
from rankmark.inputs.predictions.reading import source_of
from rankmark.inputs.roles import AnyColumns, columns_said
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

    from rankmark._native import Table

__all__ = ["AnswerTable", "TableKind", "read_answers"]

TableKind = Literal["nuggets", "citations"]
NAMES: Mapping[str, tuple[str, ...]] = {
    "system": ("system", "run", "run_id", "run_tag", "run_name", "model", "team"),
    "query": tuple(name for name in ALIASES["query"] if name != "group"),
    "nugget": ("nugget", "nugget_id", "nugget_text"),
    "importance": ("importance",),
    "assignment": ("assignment", "assigned"),
    "sentence": ("sentence", "sentence_id", "statement", "statement_id"),
    "citation": ("citation", "citation_id", "passage", "passage_id", "segment", "segment_id", "docid"),
    "support": ("support", "citation_support"),
    "together": ("together", "support_together"),
    "rest": ("rest", "support_of_rest"),
    "score": ("score", "passage_score"),
}
"""The usual names of each role of a column."""
ROLES: Mapping[TableKind, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "nuggets": (("query", "nugget", "assignment"), ("system", "importance")),
    "citations": (("query", "sentence", "citation"), ("system", "support", "together", "rest", "score")),
}
"""The roles that each kind of table needs, and those that it may have."""
SUPPORT = {
    **dict.fromkeys(("full", "full_support", "support"), 1.0),
    **dict.fromkeys(("partial", "partial_support"), 0.5),
    **dict.fromkeys(("none", "no_support", "not_support"), 0.0),
}
WORDS: Mapping[str, Mapping[str, float]] = {
    "importance": {"vital": 1.0, "okay": 0.0},
    "assignment": {"support": 1.0, "partial_support": 0.5, "not_support": 0.0},
    **dict.fromkeys(("support", "together", "rest"), SUPPORT),
}
"""What each word counts; written in small letters, with an underscore for a blank or a hyphen."""
MAY_LACK = ("citation", "support", "together", "rest", "score")
"""What a row need not have a value of: a sentence without a citation, and what is known of one alone."""


@dataclass(frozen=True, slots=True, eq=False)
class AnswerTable:
    """A table that has been read.

    Attributes:
        kind: whether a row is a nugget or a citation.
        frame: the columns by their roles, as ids or as numbers, and ``row``, the number of each row.
        where: what messages call it.
        names: the column of each role.

    """

    kind: TableKind
    frame: pl.DataFrame
    where: str
    names: Mapping[str, str]

    def refused(self, why: str, row: int, instead: str) -> DataError:
        """The error for a row."""
        return DataError(f"{self.where}, row {row} (from 0): {why}; {instead}")


def read_answers(source: object, columns: Mapping[str, Any] | None = None) -> AnswerTable:
    """Reads a table of nuggets or of citations.

    Args:
        source: a path, a table, or a dict of columns.
        columns: the columns to use, by their roles, where their names do not say it.

    Raises:
        UsageError: what is no table, a file or a role that is not there.
        ColumnError: a column that is not there, or two that fit.
        DataError: no rows, nulls, words that are none of those known, the same nugget or citation twice.

    """
    import polars as pl

    with _called_answers():
        opened = source_of(source)
        where = re.sub(r"^predictions\b", "answers", opened.where)
        said = columns_said(columns)
        kind = _kind(opened.names, said, where)
        names = _columns(opened.names, said, kind, where)
        table = opened.take(AnyColumns(tuple(dict.fromkeys(names.values()))))
    if not table.num_rows:
        raise no_rows(where)
    taken = [_values(pl.DataFrame(table), table, role, name, where) for role, name in names.items()]
    read = AnswerTable(kind, pl.DataFrame(taken).with_row_index("row"), where, names)
    _refuse_twice(read)
    return read


@contextmanager
def _called_answers() -> Iterator[None]:
    """Lets errors of a table that is opened as predictions are call it answers."""
    try:
        yield
    except RankmarkError as error:
        said = re.sub(r"^predictions\b", "answers", str(error))
        said = said.replace('{"label": labels, "score": scores}', '{"query": queries, "nugget": nuggets, …}')
        raise type(error)(said) from error


def _kind(names: Sequence[str], said: Mapping[str, Any], where: str) -> TableKind:
    """Whether it has nuggets or citations."""
    for role in said:
        if role not in NAMES:
            raise UsageError(
                f"columns={{{role!r}: …}}: answers have no role {role!r}{did_you_mean(role, NAMES)}; the "
                f"roles are {listed(NAMES)}"
            )
    there = {role for role in ("nugget", "sentence") if role in said or _fitting(role, names)}
    if len(there) == 2:
        raise ColumnError(
            f"{where} has columns of nuggets and of sentences; give a table of each, evaluated by itself"
        )
    if not there:
        raise ColumnError(
            f"{where} has no column for the nugget, nor for the sentence"
            + (
                misread(list(names))
                or f'; its columns are {listed(names)}; say which it is with columns={{"nugget": "…"}} or '
                'columns={"sentence": "…"} (on the command line --column nugget=…)'
            )
        )
    return "nuggets" if "nugget" in there else "citations"


def _columns(names: Sequence[str], said: Mapping[str, Any], kind: TableKind, where: str) -> dict[str, str]:
    """The column of each role that is there."""
    needed, wanted = ROLES[kind]
    if foreign := [role for role in said if role not in (*needed, *wanted)]:
        raise UsageError(
            f"columns={{{foreign[0]!r}: …}}: a table of {kind} has no role {foreign[0]!r}; its roles are "
            f"{listed((*needed, *wanted))}"
        )
    found: dict[str, str] = {}
    for role in (*needed, *wanted):
        name = said.get(role)
        fits = [name] if name else [each for each in _fitting(role, names) if each not in said.values()]
        if name and name not in names:
            hint = did_you_mean(str(name), names) or ";"
            raise ColumnError(
                f"{where} has no column {name!r}, which columns={{{role!r}: …}} asks for{hint} its columns "
                f"are {listed(names)}"
            )
        if len(fits) > 1:
            raise ColumnError(
                f"{where} has {len(fits)} columns that can be the {role}: {listed(fits)}; say which with "
                f'columns={{"{role}": "{fits[0]}"}} (on the command line --column {role}={fits[0]})'
            )
        if fits:
            found[role] = str(fits[0])
        elif role in needed:
            raise _missing(role, names, where)
    if kind == "citations" and not {"support", "score"} & found.keys():
        raise _missing("support", names, where)
    return found


def _fitting(role: str, names: Sequence[str]) -> list[str]:
    known = {normal(alias) for alias in NAMES[role]}
    fits = [name for name in names if normal(name) in known]
    return [name for name in fits if normal(name) == role] or fits


def _missing(role: str, names: Sequence[str], where: str) -> ColumnError:
    return ColumnError(
        f"{where} has no column for the {role}"
        + (
            misread(list(names))
            or f'; its columns are {listed(names)}; say which it is with columns={{"{role}": "…"}} (on the '
            f"command line --column {role}=…)"
        )
    )


def _values(frame: pl.DataFrame, table: Table, role: str, name: str, where: str) -> pl.Series:
    """A column as its role has it: ids, what words count, or numbers."""
    import polars as pl

    values = frame[name]
    if role == "score":
        check_numbers(table, name, role, where)
        values = values.cast(pl.Float64).fill_nan(None)
        wrong = values.is_infinite().fill_null(value=False)
        _refuse(wrong, "infinite", role, name, where)
    elif role in WORDS:
        values = _counted(values, role, name, where)
    elif values.null_count() < len(values) or role not in MAY_LACK:
        check_ids(table, name, role, where)
        values = values if role == "query" else values.cast(pl.String)
    if role not in MAY_LACK:
        _refuse(values.is_null(), "null", role, name, where)
    return values.alias(role)


def _counted(values: pl.Series, role: str, name: str, where: str) -> pl.Series:
    """What the words of a column count."""
    import polars as pl

    known = WORDS[role]
    if values.null_count() == len(values):
        return values.cast(pl.Float64, strict=False)
    if values.dtype not in (pl.String, pl.Categorical) and not isinstance(values.dtype, pl.Enum):
        raise ColumnError(
            f"{where}: the {role} column {name!r} is {values.dtype}, and not of the words {listed(known)}"
        )
    words = values.cast(pl.String).str.strip_chars().str.to_lowercase().str.replace_all("[ -]", "_")
    numbers = words.replace_strict(known, default=None, return_dtype=pl.Float64)
    wrong = numbers.is_null() & values.is_not_null()
    if wrong.any():
        row = int(wrong.arg_true()[0])
        raise DataError(
            f"{where}: the {role} column {name!r} holds other words than {listed(known)} in "
            f"{counted(int(wrong.sum()), 'row')}, the first {values[row]!r} in row {row} (from 0)"
            f"{did_you_mean(str(words[row]), known)}"
        )
    return numbers


def _refuse(wrong: pl.Series, what: str, role: str, name: str, where: str) -> None:
    if wrong.any():
        raise DataError(
            f"{where}: {counted(int(wrong.sum()), 'row')} of the {role} column {name!r} are {what}, the "
            f"first is row {int(wrong.arg_true()[0])} (from 0); correct or remove them"
        )


def _refuse_twice(read: AnswerTable) -> None:
    """Refuses a nugget that is twice in an answer, and a citation that is twice at a sentence."""
    import polars as pl

    what = "nugget" if read.kind == "nuggets" else "citation"
    roles = ("system", "query", "nugget") if what == "nugget" else ("system", "query", "sentence", "citation")
    keys = [role for role in roles if role in read.frame.columns]
    again = read.frame.filter(pl.struct(keys).is_duplicated())
    if not again.height:
        return
    first = again.row(0, named=True)
    rows = again.filter(pl.all_horizontal(pl.col(key).eq_missing(first[key]) for key in keys))["row"]
    of = ", ".join(f"{key} {first[key]!r}" for key in keys)
    raise read.refused(
        f"{of} stands in row {rows[0]} too",
        rows[1],
        f"a {what} has one row in an answer"
        if "system" in keys
        else f"a {what} has one row in an answer; name the column of systems, if there are several",
    )
