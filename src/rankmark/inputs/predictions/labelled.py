"""Labelled scores that have been read, and what their labels are: numbers, true and false, or two words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, did_you_mean
from rankmark.forking import need_polars_threads
from rankmark.inputs.predictions.columns import PredictionColumns, check_numbers, outright

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Predictions",
    "as_numbers",
    "check_words",
    "positive_number",
    "refuse_null_labels",
    "scored_by",
    "with_numbers",
]


@dataclass(frozen=True, slots=True)
class Predictions:
    """Labelled scores that have been read.

    Attributes:
        table: the columns; labels are numbers or booleans.
        name: what messages call the table.
        columns: the roles of the columns.
        text_ids: whether ids come from a format without types.
        positive: the label of positive rows, as it is in the table; None where it is not said.
        words: the labels as they were before words became numbers: that of 0, that of 1, ….

    """

    table: Table
    name: str
    columns: PredictionColumns
    text_ids: bool
    positive: float | None
    words: tuple[str, ...] | None


def scored_by(read: Predictions, column: str, system: str) -> Predictions:
    """The same rows with the scores of another column, of another system.

    Raises:
        ColumnError: it holds no numbers.

    """
    check_numbers(read.table, column, "score", read.name, system)
    return replace(read, columns=replace(read.columns, score=column))


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


def with_numbers(read: Predictions, positive: object) -> Predictions:
    """Labels that are text as numbers: of a format without types what is written, else 1 for the positive."""
    import polars as pl

    need_polars_threads()
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
            f"{outright('positive', words[-1])}"
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
