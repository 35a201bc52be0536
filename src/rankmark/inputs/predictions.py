"""One table of labelled scores: which column is the label, which the score, and what the labels are."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from rankmark._native import Table
from rankmark.errors import ColumnError, DataError, UsageError, did_you_mean
from rankmark.inputs.classes import ClassName, ClassPredictions, ClassTable, read_classes
from rankmark.inputs.column_checks import Columns, no_rows
from rankmark.inputs.files import open_files
from rankmark.inputs.formats import listed_formats
from rankmark.inputs.roles import ALIASES, listed, misread, normal
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "WEIGHING",
    "PredictionColumns",
    "Predictions",
    "are_of_classes",
    "as_numbers",
    "check_columns",
    "check_numbers",
    "check_weighing",
    "check_words",
    "class_table",
    "find_columns",
    "open_predictions",
    "positive_number",
    "read_predictions",
    "refuse_null_labels",
    "scored_by",
]

USUAL: Mapping[str, tuple[str, ...]] = {
    "label": ("label", *(name for name in ALIASES["relevance"] if name != "label"), "y", "clicked"),
    "score": (*ALIASES["score"], "p", "prob", "probability", "pctr"),
    "query": ALIASES["query"],
    "item": ALIASES["item"],
    "weight": ("weight", "sample_weight"),
}
"""The names by which a column is known to have a role."""
NORMAL_USUAL = {role: {normal(name) for name in names} for role, names in USUAL.items()}
NOTHING: Mapping[str, str] = MappingProxyType({})
WEIGHING = "weighing "
"""Before the name of a column that measures weigh queries by, where columns are called by their roles."""


@dataclass(frozen=True, slots=True)
class PredictionColumns:
    """Columns by what they are for; None where there is none. Several scores are of a class each.

    Where `decided` is true, `score` holds the class that is predicted. `others` are wanted as they are,
    `compared` are scores of other systems, and `weighing` are numbers that measures name. `system` is the one
    whose scores they are, where there are several systems.
    """

    label: str
    score: str
    query: str | None = None
    item: str | None = None
    weight: str | None = None
    other_scores: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()
    weighing: tuple[str, ...] = ()
    decided: bool = False
    system: str | None = None

    @property
    def names(self) -> list[str]:
        """Every column that has a role, or is wanted besides."""
        columns = (self.query, self.item, self.label, self.score, *self.other_scores, self.weight)
        named = (name for name in columns if name is not None)
        return list(dict.fromkeys([*named, *self.others, *self.compared, *self.weighing]))

    @property
    def numbers(self) -> list[str]:
        """Those that hold numbers; labels may be words."""
        scores = () if self.decided else (self.score, *self.other_scores)
        named = (name for name in (*scores, self.weight) if name is not None)
        return list(dict.fromkeys([*named, *self.compared, *self.weighing]))

    def instead(self, name: str) -> str:
        """As `Chosen.instead`."""
        if name in self.weighing:
            return f"{ANOTHER} to weigh queries by"
        if name == self.weight:
            return _another("weight", name)
        if name in (self.score, *self.other_scores):
            return _another("score", name, self.system)
        return f"{ANOTHER} with scores={{system: column}} (on the command line --system NAME=COLUMN)"


@dataclass(frozen=True, slots=True)
class Predictions:
    """Labelled scores that have been read.

    Attributes:
        table: the columns; labels are numbers or booleans.
        name: what messages call the table.
        columns: the roles of the columns.
        text_ids: whether ids come from a format without types.
        positive: the label of positive rows, as it is in the table; None where it is not said.
        words: the labels as they were before words became numbers: that of 0 and that of 1.

    """

    table: Table
    name: str
    columns: PredictionColumns
    text_ids: bool
    positive: float | None
    words: tuple[str, str] | None


def read_predictions(
    source: object,
    said: Mapping[str, str | Sequence[str] | None],
    positive: object,
    classes: Sequence[ClassName] | None = None,
    others: Sequence[str] = (),
    compared: Sequence[str] = (),
    weighing: Mapping[str, str] = NOTHING,
    system: str | None = None,
) -> Predictions | ClassPredictions:
    """Reads a table of labelled scores.

    Args:
        source: a path, a table (also one that is opened), or a dict of columns.
        said: the names of the columns, where they are said, by their roles, with ``""`` for none; several of
            scores are those of classes, and that of ``predicted`` classes takes their place.
        positive: the label of positive rows, where it is said.
        classes: the class of each score, where they are said.
        others: columns without a role that are wanted, too.
        compared: columns of scores of other systems.
        weighing: columns of numbers that measures name, each with what it is for, in words.
        system: whose scores they are, where there are several systems; for messages.

    Raises:
        UsageError: what is no table, or a file that is not there.
        DataError: a column that is not there or not of the right type, labels that are words and not two.

    """
    opened, columns, table = open_predictions(source, said, others, compared, weighing, system)
    if are_of_classes(table, columns):
        return _of_classes(table, columns, opened, positive, classes)
    if classes is not None:
        raise UsageError(
            f"classes are said, and {opened.where} has one score in a row; give a column of scores for each "
            'class, or one of lists, or say with predicted="…" which column holds predicted classes'
        )
    check_columns(table, columns, opened.where, system)
    read = Predictions(table, opened.where, columns, opened.text_ids, None, None)
    if table.kind(columns.label) == "string":
        return _with_numbers(read, positive)
    check_numbers(table, columns.label, "label", opened.where)
    return replace(read, positive=positive_number(positive, read))


def open_predictions(
    source: object,
    said: Mapping[str, str | Sequence[str] | None],
    others: Sequence[str] = (),
    compared: Sequence[str] = (),
    weighing: Mapping[str, str] = NOTHING,
    system: str | None = None,
) -> tuple[Source, PredictionColumns, Table]:
    """Finds the columns of a table of labelled scores, and takes them as they are; see `read_predictions`."""
    opened = _open(source)
    _check_there(dict.fromkeys(others, "to slice by"), opened.names, opened.where)
    _check_there(dict.fromkeys(compared, "for scores"), opened.names, opened.where)
    columns = find_columns(opened.names, said, opened.where, weighing, system)
    columns = replace(columns, others=tuple(others), compared=tuple(compared))
    table = opened.take(columns)
    if not table.num_rows:
        raise no_rows(opened.where)
    return opened, columns, table


def are_of_classes(table: Table, columns: PredictionColumns) -> bool:
    """Whether a row has a score of each class, or a predicted class."""
    return columns.decided or bool(columns.other_scores) or table.kind(columns.score) == "list"


def check_columns(table: Columns, columns: PredictionColumns, where: str, system: str | None = None) -> None:
    """Refuses scores, weights, and columns that measures name, that are no numbers."""
    check_numbers(table, columns.score, "score", where, system)
    check_numbers(table, columns.weight, "weight", where)
    check_weighing(table, columns, where)


def _of_classes(
    table: Table,
    columns: PredictionColumns,
    opened: Source,
    positive: object,
    classes: Sequence[ClassName] | None,
) -> ClassPredictions:
    if positive is not None:
        instead = "has classes" if columns.decided else "has several"
        raise UsageError(f"positive={positive!r} is of one score in a row, and {opened.where} {instead}")
    return read_classes(class_table(table, columns, opened.where), opened.text_ids, classes)


def class_table(table: Table, columns: PredictionColumns, where: str) -> ClassTable:
    """A table in which a row has a score of each class, or a predicted class.

    Raises:
        ColumnError: scores or weights that are no numbers.

    """
    import polars as pl

    scores = () if columns.decided else (columns.score, *columns.other_scores)
    for name in scores if columns.other_scores else ():
        check_numbers(table, name, "score", where)
    check_numbers(table, columns.weight, "weight", where)
    return ClassTable(
        pl.DataFrame(table),
        where,
        columns.label,
        scores,
        columns.score if columns.decided else None,
        columns.weight,
        columns.query,
        columns.others,
    )


def _check_there(wanted: Mapping[str, str], names: Sequence[str], where: str) -> None:
    """Refuses columns that there are not; beside each stands what it is wanted for."""
    for name, purpose in wanted.items():
        if name not in names:
            raise ColumnError(
                f"{where} has no column {name!r} {purpose}{did_you_mean(name, names) or ';'} its columns are "
                f"{listed(names)}"
            )


def scored_by(read: Predictions, column: str, system: str) -> Predictions:
    """The same rows with the scores of another column, of another system.

    Raises:
        ColumnError: it holds no numbers.

    """
    check_numbers(read.table, column, "score", read.name, system)
    return replace(read, columns=replace(read.columns, score=column))


def check_numbers(table: Columns, name: str | None, role: str, where: str, system: str | None = None) -> None:
    """Refuses a column, if there is one, that does not hold numbers; labels may be booleans."""
    if name is None:
        return
    kinds = ("integer", "float", "boolean") if role == "label" else ("integer", "float")
    if table.kind(name) not in kinds:
        raise ColumnError(
            f"{where}: the {role} column {name!r} is {table.dtype(name)}, not numbers; cast it, or "
            f"{_another(role, name, system)}"
        )


def check_weighing(table: Columns, columns: PredictionColumns, where: str) -> None:
    """Refuses columns that measures name as weights and that do not hold numbers."""
    for name in columns.weighing:
        if table.kind(name) not in ("integer", "float"):
            raise ColumnError(
                f"{where}: the column {name!r}, by which queries are weighed, is {table.dtype(name)}, not "
                f"numbers; cast it, or {ANOTHER} to weigh queries by"
            )


def _open(source: object) -> Source:
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        return open_files(source, "predictions", None)
    if isinstance(source, Mapping):
        source = _from_columns(source)
    opened = open_table(source, "predictions")
    if opened is None:
        raise UsageError(
            f"predictions is of type {type(source).__name__}, none of these: the path of a file or a glob "
            f"({listed_formats('predictions')}; also .gz or .zst), a table (polars, pandas, pyarrow, DuckDB, "
            "anything with __arrow_c_stream__), a dict of columns"
        )
    return opened


def _from_columns(columns: Mapping[object, object]) -> pl.DataFrame:
    import polars as pl

    try:
        frame = pl.DataFrame(dict(columns), strict=False)  # whole numbers among others are numbers, too
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"predictions: the dict is not one of columns of the same length: {reason}"
        ) from error
    for name, values in columns.items():
        if isinstance(values, list | tuple) and frame[str(name)].dtype == pl.String:
            _refuse_mixed(str(name), values)
    return frame


def _refuse_mixed(name: str, values: Sequence[object]) -> None:
    """Refuses a column of texts that are not all such."""
    for row, value in enumerate(values):
        if not isinstance(value, str | None):
            raise DataError(
                f"predictions: the column {name!r} holds values of several types: text, and in row {row} "
                f"(from 0) {value!r}; make them one"
            )


def find_columns(
    names: Sequence[str],
    said: Mapping[str, str | Sequence[str] | None],
    where: str,
    weighing: Mapping[str, str] = NOTHING,
    system: str | None = None,
) -> PredictionColumns:
    """The columns of a table, or of one of several systems, by their roles: said, or known by their names.

    `weighing` are those that measures name, each with what it is for, in words; they can have no role.

    Raises:
        ColumnError: one is not there, or not to be told from others.

    """
    columns = _Finder(names, said, where, system).columns()
    _check_there(weighing, names, where)
    for role in USUAL:
        if getattr(columns, role) in weighing:
            raise ColumnError(
                f"{where}: the column {getattr(columns, role)!r} is the {role} of the rows, and cannot be "
                f"what queries weigh, too{WEIGHTS_OF_ROLES.get(role, '')}"
            )
    return replace(columns, weighing=tuple(weighing))


WEIGHTS_OF_ROLES: Mapping[str, str] = {
    "label": "; for the positive rows it is weight=clicks",
    "weight": '; for its sum it is weight=impressions; if rows have no weights, say weight="" (on the '
    "command line --weight '')",
}
"""How a measure that weighs queries names what a column with a role says of them."""


class _Finder:
    """Finds the columns of one table, said outright or known by their names."""

    def __init__(
        self,
        names: Sequence[str],
        said: Mapping[str, str | Sequence[str] | None],
        where: str,
        system: str | None,
    ) -> None:
        self.names = names
        several = {role: _names(role, name) for role, name in said.items() if name is not None}
        self.said = {role: names[0] for role, names in several.items() if names}
        self.other_scores = several.get("score", ())[1:]
        self.where = where
        self.system = system

    def columns(self) -> PredictionColumns:
        self._check_said()
        decided = bool(self.said.get("predicted"))
        found = {role: self._find(role) for role in USUAL if not (decided and role == "score")}
        if decided:
            found["score"] = self.said["predicted"]
        label, score = (found.pop(role) or self._missing(role) for role in ("label", "score"))
        query, item, weight = (found[role] for role in ("query", "item", "weight"))
        return PredictionColumns(
            label, score, query, item, weight, self.other_scores, decided=decided, system=self.system
        )

    def _check_said(self) -> None:
        roles: dict[str, str] = {}
        for role, name in [*self.said.items(), *(("score", name) for name in self.other_scores)]:
            if not name:
                continue
            if name not in self.names:
                hint = misread(self.names) or did_you_mean(name, self.names) or ";"
                raise ColumnError(
                    f"{self.where} has no column {name!r} for the {_called(role)}{hint} its columns are "
                    f"{listed(self.names)}"
                )
            if name in roles:
                if roles[name] == role:
                    raise ColumnError(f"{self.where}: the {role} column {name!r} is said twice")
                raise ColumnError(
                    f"{self.where}: the column {name!r} cannot be both {_called(roles[name])} and "
                    f"{_called(role)}"
                )
            roles[name] = role

    def _find(self, role: str) -> str | None:
        if role in self.said:
            return self.said[role] or None
        taken = {*self.said.values(), *self.other_scores}
        fitting = [n for n in self.names if normal(n) in NORMAL_USUAL[role] and n not in taken]
        if len(fitting) > 1:
            raise ColumnError(
                f"{self.where} has {len(fitting)} columns that can be the {role}: {listed(fitting)}; "
                f"say which with {_outright(role, fitting[0], self.system)}"
            )
        return fitting[0] if fitting else None

    def _missing(self, role: str) -> str:
        raise ColumnError(
            f"{self.where} has no column known as the {role}{misread(self.names) or ';'} its columns are "
            f"{listed(self.names)}; say which it is with {_outright(role, system=self.system)}"
        )


def _names(role: str, said: object) -> tuple[str, ...]:
    """The columns that are said for a role: one, or for scores several."""
    several = tuple(said) if role == "score" and isinstance(said, Iterable) else (said,)
    names = (said,) if isinstance(said, str) else several
    for name in names:
        if not isinstance(name, str):
            raise UsageError(
                f"{role}={said!r}: a column is called by its name, a text"
                f"{', and several of scores by a list of them' if role == 'score' else ''}"
            )
    return names


def _outright(role: str, name: str = "…", system: str | None = None) -> str:
    if role == "score" and system is not None:
        return f'scores={{"{system}": "{name}"}} (on the command line --system {system}={name})'
    return f'{role}="{name}" (on the command line --{role} {name})'


def _called(role: str) -> str:
    return "predicted class" if role == "predicted" else role


def _another(role: str, name: str, system: str | None = None) -> str:
    """What to do where the column of a role does not hold numbers."""
    outright = f"{ANOTHER} with {_outright(role, system=system)}"
    if role != "score" or system is not None:
        return outright
    return f"{outright}, or, if it holds predicted classes, say {_outright('predicted', name)}"


ANOTHER = "name another column"


def positive_number(positive: object, read: Predictions) -> float | None:
    """The label of positive rows, if it is said, in a column of numbers."""
    if positive is None:
        return None
    if isinstance(positive, str):
        try:
            return float({"true": 1, "false": 0}.get(positive.lower(), positive))
        except ValueError:
            pass
    elif isinstance(positive, int | float):
        return float(positive)
    label = read.columns.label
    labels = "true and false" if read.table.kind(label) == "boolean" else "numbers"
    raise DataError(f"positive={positive!r}, but the labels of {read.name} (column {label!r}) are {labels}")


def _with_numbers(read: Predictions, positive: object) -> Predictions:
    """Labels that are text as numbers: of a format without types what is written, else 1 for the positive."""
    import polars as pl

    name = read.columns.label
    frame = pl.DataFrame(read.table)
    labels = frame[name].cast(pl.String)
    if read.text_ids and (numbers := as_numbers(labels)) is not None:
        table = Table.from_arrow(frame.with_columns(numbers.alias(name)).to_struct())
        numeric = replace(read, table=table)
        return replace(numeric, positive=positive_number(positive, numeric))
    refuse_null_labels(labels, read)
    words = labels.unique().sort().to_list()
    check_words(words, positive, read)
    other = next((word for word in words if word != positive), f"not {positive}")
    column = (labels == positive).alias(name)
    table = Table.from_arrow(frame.with_columns(column).to_struct())
    return replace(read, table=table, positive=1.0, words=(other, str(positive)))


def check_words(words: Sequence[str], positive: object, read: Predictions) -> None:
    """Refuses labels that are these words, in their order, if they are not two or lack the positive one."""
    where = f"{read.name}: the label column {read.columns.label!r}"
    if len(words) > 2:
        shown = ", ".join(map(repr, words[:5])) + (", …" if len(words) > 5 else "")
        raise DataError(f"{where} holds {len(words)} different words ({shown}); binary labels are two")
    if positive is None:
        raise DataError(
            f"{where} holds words ({', '.join(map(repr, words))}); say which is the positive one with "
            f"{_outright('positive', words[-1])}"
        )
    if positive not in words:
        hint = did_you_mean(str(positive), words)
        raise DataError(f"{where} holds {' and '.join(map(repr, words))}, not positive={positive!r}{hint}")


def as_numbers(texts: pl.Series) -> pl.Series | None:
    """Texts that all write numbers, or all true or false; None for others."""
    import polars as pl

    numbers = texts.cast(pl.Float64, strict=False)
    if numbers.null_count() == texts.null_count():
        return numbers
    lower = texts.str.to_lowercase()
    return lower == "true" if lower.drop_nulls().is_in(["true", "false"]).all() else None


def refuse_null_labels(labels: pl.Series, read: Predictions) -> None:
    """Refuses labels that are not there."""
    nulls = labels.is_null().arg_true()
    if len(nulls):
        count = f"{len(nulls)} null{'s' if len(nulls) > 1 else ''}"
        raise DataError(
            f"{read.name}: the label column {read.columns.label!r} has {count}, the first in row {nulls[0]} "
            "(from 0); remove those rows"
        )
