"""Tables of labelled scores that come one after another: what each has to have in common with the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, IdTypeError
from rankmark.forking import need_polars_threads
from rankmark.inputs.predictions.classes import check_classes
from rankmark.inputs.predictions.columns import PredictionColumns, check_columns, check_numbers
from rankmark.inputs.predictions.labelled import (
    Predictions,
    as_numbers,
    check_words,
    positive_number,
    refuse_null_labels,
)
from rankmark.inputs.predictions.reading import are_of_classes, class_table, open_predictions
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_polars

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["Addition", "Form", "in_order", "read_addition", "whole"]

NAME = "predictions"
"""What messages call all parts together."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the rows of all parts have in common.

    Attributes:
        columns: the columns by their roles.
        kinds: what each column holds, in words.
        text_ids: whether all come from formats without types.
        words: the labels, where they are words and not numbers; 1 is kept for the positive one.
        scores: how many scores a row has, where they are of a class each; None where it has one, or a
            predicted class.

    """

    columns: PredictionColumns
    kinds: Mapping[str, str]
    text_ids: bool
    words: tuple[str, ...] | None = None
    scores: int | None = None

    @property
    def of_classes(self) -> bool:
        """Whether rows have a score of each class, or a predicted class."""
        return self.columns.decided or self.scores is not None

    @property
    def said(self) -> dict[str, str | Sequence[str]]:
        """The columns as they are said, with ``""`` for none."""
        columns = self.columns
        said: dict[str, str | Sequence[str]] = {
            role: getattr(columns, role) or "" for role in ("label", "query", "item", "weight")
        }
        if columns.decided:
            return said | {"predicted": columns.score}
        several = [columns.score, *columns.other_scores]
        return said | {"score": several if columns.other_scores else columns.score}

    def joined(self, other: Form, where: str, positive: object) -> Form:
        """What these parts and others have in common; the same whichever come first.

        Raises:
            ColumnError: other columns, or columns of other types.
            DataError: labels that are more than two words together.

        """
        if self.columns != other.columns:
            raise ColumnError(
                f"{where} has the columns {_listed(other.columns)}, and the parts before have "
                f"{_listed(self.columns)}"
            )
        for name, kind in other.kinds.items():
            if kind != self.kinds[name]:
                raise ColumnError(
                    f"{where}: column {name!r} holds {kind}, and in the parts before {self.kinds[name]}; "
                    "cast one of them"
                )
        if self.scores != other.scores:
            raise DataError(
                f"{where} has {other.scores} scores in a row, and the parts before have {self.scores}"
            )
        words = None if self.words is None else tuple(sorted({*self.words, *(other.words or ())}))
        joined = replace(self, text_ids=self.text_ids and other.text_ids, words=words)
        joined.check_some_words(positive, where)
        return joined

    def check_some_words(self, positive: object, where: str) -> None:
        """Refuses labels that are words and that no further ones put right."""
        if self.words is not None and (len(self.words) > 1 or not isinstance(positive, str)):
            check_words(self.words, positive, self._predictions(None, where))

    def check_words(self, positive: object) -> None:
        """Refuses words none of which is the positive label."""
        if self.words is not None:
            check_words(self.words, positive, self._predictions(None, NAME))

    def rows(self, positive: object, table: Table | None = None, where: str = NAME) -> Predictions:
        """Rows of one score, or what is known of all of them where there is no table."""
        read = self._predictions(table, where)
        if self.words is None:
            return replace(read, positive=positive_number(positive, read))
        return replace(read, positive=1.0, words=self._classes(positive))

    def restored(self, frame: pl.DataFrame, positive: object) -> pl.DataFrame:
        """Rows with labels that are words again, where they were."""
        import polars as pl

        if self.words is None:
            return frame
        label = self.columns.label
        other, own = self._classes(positive)
        words = pl.when(label).then(pl.lit(own)).otherwise(pl.lit(other))
        return frame.with_columns(words.alias(label))

    def to_json(self) -> dict[str, Any]:
        """To be saved."""
        return asdict(self)

    @staticmethod
    def from_json(saved: Mapping[str, Any]) -> Form:
        """What was saved."""
        several = {name: tuple(value) for name, value in saved["columns"].items() if isinstance(value, list)}
        columns = PredictionColumns(**{**saved["columns"], **several})
        words = None if saved["words"] is None else tuple(saved["words"])
        if words == ():
            raise ValueError("labels that are words are none")
        return Form(columns, dict(saved["kinds"]), bool(saved["text_ids"]), words, saved["scores"])

    def _classes(self, positive: object) -> tuple[str, str]:
        assert self.words is not None
        return next((word for word in self.words if word != positive), f"not {positive}"), str(positive)

    def _predictions(self, table: Table | None, where: str) -> Predictions:
        import polars as pl

        table = Table.from_arrow(pl.DataFrame()) if table is None else table
        return Predictions(table, where, self.columns, self.text_ids, None, None)


def _listed(columns: PredictionColumns) -> str:
    return ", ".join(map(repr, columns.names))


@dataclass(frozen=True, slots=True)
class Addition:
    """Some of the rows.

    Attributes:
        form: what of them other parts have to share.
        where: what messages call them.
        frame: the columns that have a role or are wanted besides; labels that are words are whether they are
            the positive one.
        scores: the scores of classes, a row for each row, where there are any.

    """

    form: Form
    where: str
    frame: pl.DataFrame
    scores: NDArray[np.float64] | None

    def rows(self, positive: object) -> Predictions:
        """The rows, where each has one score."""
        return self.form.rows(positive, from_polars(self.frame, self.where), self.where)

    def weighs(self, column: str) -> bool:
        """Whether any row has a weight in this column; of all parts together, not of each, some need one."""
        return not (self.frame[column] == 0).all(ignore_nulls=False)

    def narrow(self) -> pl.DataFrame:
        """A copy of the rows in as few bytes as hold the same numbers; scores keep their precision."""
        import polars as pl

        every = pl.Series(np.arange(self.frame.height, dtype=np.uint32))
        narrow = ((column, _narrow(column, self)) for column in self.frame)
        return pl.DataFrame(
            [small.gather(every) if small.dtype == column.dtype else small for column, small in narrow]
        )


def read_addition(
    source: object,
    said: Mapping[str, str | Sequence[str] | None],
    others: Sequence[str],
    weighing: Mapping[str, str],
    positive: object,
) -> Addition:
    """Reads some of the rows; the arguments are as of `rankmark.inputs.predictions.reading.read_predictions`.

    Raises:
        UsageError: what is no table, or a file that is not there.
        DataError: a column that is not there or not of the right type, labels that are words and not two.

    """
    import polars as pl

    opened, columns, table = open_predictions(source, said, others, (), weighing)
    form = Form(columns, {}, opened.text_ids)
    frame, scores = pl.DataFrame(table), None
    if are_of_classes(table, columns):
        scores = check_classes(class_table(table, columns, opened.where), opened.text_ids)
        form = replace(form, scores=None if scores is None else scores.shape[1])
    else:
        check_columns(table, columns, opened.where)
        frame, words = _with_numbers(frame, table, form, opened.where, positive)
        form = replace(form, words=words)
        form.check_some_words(positive, opened.where)
    kinds = {name: _kind(dtype, name == columns.score) for name, dtype in frame.schema.items()}
    if scores is None and not columns.decided:
        kinds[columns.label] = "numbers" if form.words is None else "words"
    return Addition(replace(form, kinds=kinds), opened.where, frame[columns.names], scores)


def _with_numbers(
    frame: pl.DataFrame, table: Table, form: Form, where: str, positive: object
) -> tuple[pl.DataFrame, tuple[str, ...] | None]:
    """The rows with labels that are no text; and the words that labels are, if they are."""
    import polars as pl

    name = form.columns.label
    if table.kind(name) != "string":
        check_numbers(table, name, "label", where)
        return frame, None
    need_polars_threads()
    labels = frame[name].cast(pl.String)
    refuse_null_labels(labels, Predictions(table, where, form.columns, form.text_ids, None, None))
    if form.text_ids and (numbers := as_numbers(labels)) is not None:
        return frame.with_columns(numbers.alias(name)), None
    found = labels == str(positive)
    return frame.with_columns(found.alias(name)), tuple(labels.unique().sort().to_list())


def _kind(dtype: pl.DataType, is_score: bool) -> str:
    """What a column holds, in words: the same for types that go together."""
    import polars as pl

    if dtype.is_numeric():
        return str(dtype) if is_score and str(dtype) in ("Float16", "Float32") else "numbers"
    if dtype in (pl.String, pl.Categorical, pl.Enum):
        return "text"
    if isinstance(dtype, pl.List | pl.Array):
        return f"lists of {dtype.inner}"
    return "booleans" if dtype == pl.Boolean else str(dtype)


def _narrow(column: pl.Series, part: Addition) -> pl.Series:
    import polars as pl

    dtype = column.dtype
    if isinstance(dtype, pl.Array):
        return column.arr.to_list()
    if dtype in (pl.Categorical, pl.Enum):
        return column.cast(pl.String)
    if dtype.is_integer():
        try:
            column = column.cast(pl.Int64)
        except pl.exceptions.InvalidOperationError as error:
            raise IdTypeError(
                f"{part.where}: column {column.name!r} has numbers of 2**63 and more; cast it to text, or to "
                "floating point"
            ) from error
        low, high = column.min(), column.max()
        fitting = (small for small in (pl.Int8, pl.Int16, pl.Int32) if _holds(small, low, high))
        return column.cast(next(fitting, pl.Int64))
    if column.name == part.form.columns.label and dtype.is_float():
        whole_numbers = column.cast(pl.Int8, strict=False)
        same = not whole_numbers.null_count() and bool((whole_numbers == column).all())
        return whole_numbers if same else column
    return column


def _holds(small: Any, low: Any, high: Any) -> bool:
    """Whether a type of integers holds these, which are None of a column of nothing but nulls."""
    bits = {"Int8": 7, "Int16": 15, "Int32": 31}[str(small)]
    return low is None or (-(2**bits) <= low and high < 2**bits)


def in_order(frames: Sequence[pl.DataFrame], first: Sequence[str], as_given: bool) -> pl.DataFrame:
    """All rows in an order that depends on what they hold, and not on that of the parts.

    Args:
        frames: the parts.
        first: the columns that decide first.
        as_given: whether rows that these do not tell apart have the order in which they were given.

    """
    import polars as pl

    need_polars_threads()
    frame = pl.concat(frames, how="vertical_relaxed")
    if as_given:
        return frame.sort(first, maintain_order=True)
    return frame.sort([*first, *(name for name in frame.columns if name not in first)])


def whole(frame: pl.DataFrame, form: Form, positive: object) -> Source:
    """All rows as a table to be read."""
    table = from_polars(form.restored(frame, positive), NAME)
    return Source(NAME, table.names, lambda _: table, form.text_ids)
