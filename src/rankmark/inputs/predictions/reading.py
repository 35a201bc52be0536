"""A table of labelled scores from whatever holds it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark._native import Table
from rankmark.errors import DataError, UsageError
from rankmark.inputs.column_checks import no_rows, several_types
from rankmark.inputs.files import open_files
from rankmark.inputs.formats import listed_formats
from rankmark.inputs.predictions.classes import ClassName, ClassPredictions, ClassTable, read_classes
from rankmark.inputs.predictions.columns import (
    NOTHING,
    PredictionColumns,
    check_columns,
    check_numbers,
    check_there,
    find_columns,
)
from rankmark.inputs.predictions.labelled import Predictions, positive_number, with_numbers
from rankmark.inputs.source import Source
from rankmark.inputs.tables import open_table
from rankmark.inputs.tables.several import refuse_several

if TYPE_CHECKING:
    import polars as pl

__all__ = ["are_of_classes", "class_table", "open_predictions", "read_predictions", "source_of"]


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
        return with_numbers(read, positive)
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
    opened = source_of(source)
    check_there(dict.fromkeys(others, "to slice by"), opened.names, opened.where)
    check_there(dict.fromkeys(compared, "for scores"), opened.names, opened.where)
    columns = find_columns(opened.names, said, opened.where, weighing, system)
    columns = replace(columns, others=tuple(others), compared=tuple(compared))
    table = opened.take(columns)
    if not table.num_rows:
        raise no_rows(opened.where)
    return opened, columns, table


def are_of_classes(table: Table, columns: PredictionColumns) -> bool:
    """Whether a row has a score of each class, or a predicted class."""
    return columns.decided or bool(columns.other_scores) or table.kind(columns.score) == "list"


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


def source_of(source: object) -> Source:
    """A table of labelled scores, opened."""
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        return open_files(source, "predictions", None)
    refuse_several(source, "predictions")
    if isinstance(source, Mapping):
        source = _from_columns(source)
    opened = open_table(source, "predictions")
    if opened is None:
        raise UsageError(
            f"predictions is of type {type(source).__name__}, none of these: the path of a file or a glob "
            f"({listed_formats('predictions')}; also .gz or .zst), a table (polars, pandas, pyarrow, DuckDB, "
            'anything with __arrow_c_stream__), a dict of columns, {"label": labels, "score": scores}'
        )
    return opened


def _from_columns(columns: Mapping[object, object]) -> pl.DataFrame:
    import polars as pl

    try:
        frame = pl.DataFrame(dict(columns), strict=False)  # whole numbers among others are numbers, too
    except (TypeError, ValueError, RecursionError, pl.exceptions.PolarsError) as error:
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"predictions: the dict is not one of columns of the same length: {reason}"
        ) from error
    for name, values in columns.items():
        if (
            isinstance(values, list | tuple)
            and frame[str(name)].dtype == pl.String
            and not all(isinstance(value, str | None) for value in values)
        ):
            raise DataError(f"predictions: the column {str(name)!r} {several_types(values)}")
    return frame
