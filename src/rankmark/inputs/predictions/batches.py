"""Files of labelled scores that are read in batches of rows, in bounded memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rankmark._native import Table
from rankmark.errors import ColumnError, DataError
from rankmark.inputs.batches import open_each
from rankmark.inputs.column_checks import no_rows, wrong_row
from rankmark.inputs.files import refuse_differing
from rankmark.inputs.predictions.columns import PredictionColumns, check_numbers, check_weighing, find_columns
from rankmark.inputs.predictions.labelled import Predictions, as_numbers, check_words, positive_number
from rankmark.progress import RowProgress

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PredictionBatches"]

SAMPLED = 1 << 20
"""Bytes of the first batch, by which the types of the columns are known."""


class PredictionBatches:
    """A table of labelled scores in files that can be read again and again.

    Attributes:
        like: what is known of the table, with its first rows; where labels are words, these are not checked
            before all have been read.
        rows: about how many there are.
        of_classes: whether a row has several scores, of a class each; nothing more is known then.

    Raises:
        UsageError: a format that is not read in batches: JSON lines, or Parquet within gzip or zstd.
        DataError: a column that is not there or not of the right type.

    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        said: Mapping[str, str | Sequence[str] | None],
        positive: str | float | None,
        weighing: Mapping[str, str],
    ) -> None:
        where, self._files = open_each(path, "predictions", None)
        first = self._files[0]
        for file in self._files[1:]:
            if set(file.names) != set(first.names):
                raise refuse_differing(file, first)
        columns = find_columns(first.names, said, where, weighing)
        read = RowProgress()
        head = next(self._pieces(columns, SAMPLED, read), None)
        if head is None:
            raise no_rows(where)
        self.rows = head[0].num_rows / read.done
        self.like = Predictions(head[0], where, columns, first.text_ids, None, None)
        self.of_classes = bool(columns.other_scores) or head[0].kind(columns.score) == "list"
        self._positive = positive
        self._words: set[str] | None = None
        if not self.of_classes:
            self._understand()

    def _understand(self) -> None:
        """Finds out by the first rows what labels are: numbers, true and false, or words."""
        import polars as pl

        like = self.like
        columns, table = like.columns, like.table
        check_numbers(table, columns.score, "score", like.name)
        check_numbers(table, columns.weight, "weight", like.name)
        check_weighing(table, columns, like.name)
        if table.kind(columns.label) != "string":
            check_numbers(table, columns.label, "label", like.name)
        else:
            labels = pl.DataFrame(table)[columns.label].cast(pl.String).drop_nulls()
            if not like.text_ids or as_numbers(labels) is None:
                self._words = set()
                self._note(labels)
                if self._positive is None:
                    check_words(sorted(self._words), None, like)
                words = f"not {self._positive}", str(self._positive)
                self.like = replace(like, positive=1.0, words=words)
                return
        self.like = replace(like, positive=positive_number(self._positive, like))

    def read(self, columns: PredictionColumns, size: int, rows: RowProgress) -> Iterator[Predictions]:
        """These of its columns in batches of about `size` bytes of memory; `rows` is told how far it is.

        Labels are numbers or booleans.

        Raises:
            DataError: nulls, NaN …, with the row's number in its file.

        """
        for table, where, first_row in self._pieces(columns, size, rows):
            checked = self._checked(table, columns, where, first_row)
            yield replace(self.like, table=checked, columns=columns)
        if self._words is not None:
            check_words(sorted(self._words), self._positive, self.like)

    def _pieces(
        self, columns: PredictionColumns, size: int, rows: RowProgress
    ) -> Iterator[tuple[Table, str, int]]:
        """The rows as they are, the file that they are of, and the number of the first in it."""
        total = sum(file.size for file in self._files)
        before = 0
        for file in self._files:
            first_row = 0
            for table, share in file.read(columns, size):
                if table.num_rows:
                    rows.advance(table.num_rows, (before + share * file.size) / total)
                    yield table, file.where, first_row
                first_row += table.num_rows
            before += file.size

    def _checked(self, table: Table, columns: PredictionColumns, where: str, first_row: int) -> Table:
        import polars as pl

        frame = pl.DataFrame(table)
        roles = [(role, getattr(columns, role)) for role in ("query", "label", "score", "weight")]
        for role, name in [*roles, *(("weight", name) for name in columns.weighing)]:
            if name is not None:
                self._check_type(table, role, name, where)
                if frame[name].null_count():
                    raise wrong_row(frame[name].is_null(), "null", role, name, where, first_row)
                if frame[name].dtype.is_float() and role != "query":
                    self._check_floats(frame[name], role, where, first_row)
        if table.kind(columns.label) != "string":
            return table
        numbers = self._as_numbers(frame[columns.label].cast(pl.String), where, first_row)
        return Table.from_arrow(frame.with_columns(numbers.alias(columns.label)).to_struct())

    def _check_type(self, table: Table, role: str, name: str, where: str) -> None:
        """Refuses types that change from file to file."""
        like = self.like.table
        same = (
            table.dtype(name) == like.dtype(name) if role == "score" else table.kind(name) == like.kind(name)
        )
        if not same:
            raise ColumnError(
                f"{where}: the {role} column {name!r} is {table.dtype(name)}, and {like.dtype(name)} before; "
                'cast one of them, or use engine="local"'
            )

    def _check_floats(self, column: pl.Series, role: str, where: str, first_row: int) -> None:
        if role == "score":
            wrong, what = column.is_nan(), "NaN"
        elif role == "label":
            wrong, what = ~column.is_finite(), "NaN or infinite"
        else:
            wrong, what = ~(column.is_finite() & (column >= 0)), "NaN, infinite or negative"
        if wrong.any():
            raise wrong_row(wrong, what, role, column.name, where, first_row)

    def _as_numbers(self, labels: pl.Series, where: str, first_row: int) -> pl.Series:
        """Labels that are text, as the first of them are understood."""
        if self._words is not None:
            self._note(labels)
            return labels == str(self._positive)
        numbers = as_numbers(labels)
        if numbers is None:
            raise DataError(
                f"{where} from row {first_row} on: the label column {self.like.columns.label!r} holds words, "
                'and only numbers before; correct those rows, or use engine="local"'
            )
        return numbers

    def _note(self, labels: pl.Series) -> None:
        """Remembers the words that labels are; refuses more than two."""
        assert self._words is not None
        self._words |= set(labels.unique().to_list())
        if len(self._words) > 2:
            check_words(sorted(self._words), self._positive, self.like)
