"""Labels that are classes, with a score of each class or the class that is predicted: which is which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.names import listed
from rankmark.kinds.classes import Classes
from rankmark.rendering.words import counted

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ClassPredictions", "ClassTable", "check_classes", "read_classes"]

ClassName: TypeAlias = "int | str | bool"


@dataclass(frozen=True, slots=True)
class ClassTable:
    """A table in which each row has a label, and a score of each class or a predicted one, as it was read.

    Attributes:
        frame: the columns.
        where: what messages call the table.
        label: the column of labels.
        scores: the columns of scores, one a class, or one alone that holds lists of them; none where there is
            the next.
        predicted: the column of predicted classes, if there is one.
        weight: the column of weights, if there is one.
        query: the column of queries, if there is one.
        others: columns without a role that are wanted, too.

    """

    frame: pl.DataFrame
    where: str
    label: str
    scores: tuple[str, ...]
    predicted: str | None
    weight: str | None
    query: str | None
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassPredictions:
    """Labels that are classes, with what was predicted.

    Attributes:
        name: what messages call the table.
        names: the classes, in the order of their scores.
        labels: the number of each row's class among these, from 0.
        scores: a row of scores, one a class, for each row; None where there is the next.
        predicted: the number of the class that is predicted for each row.
        guess: the column of predicted classes, if there is one.
        weights: those of the rows, if there are any.
        weight: the column of weights.
        query: the column of queries.
        rest: this column, and those without a role that are wanted, too.
        notes: what a reader should know.
        single_precision: whether scores are of 32 bits.

    """

    name: str
    names: tuple[ClassName, ...]
    labels: NDArray[np.intp]
    scores: NDArray[np.float64] | None
    predicted: NDArray[np.intp] | None
    guess: str | None
    weights: NDArray[np.float64] | None
    weight: str | None
    query: str | None
    rest: pl.DataFrame
    notes: tuple[str, ...] = ()
    single_precision: bool = False

    def seen(self, threads: int) -> Classes:
        """What measures see of it."""
        return Classes(
            self.names,
            self.labels,
            scores=self.scores,
            predicted=self.predicted,
            weights=self.weights,
            threads=threads,
        )

    def taken(self, rows: NDArray[np.intp]) -> ClassPredictions:
        """The rows of these numbers, each as often as it is there; all classes stay."""
        return replace(
            self,
            labels=self.labels[rows],
            scores=None if self.scores is None else self.scores[rows],
            predicted=None if self.predicted is None else self.predicted[rows],
            weights=None if self.weights is None else self.weights[rows],
            rest=self.rest[rows] if self.rest.width else self.rest,
        )


def read_classes(table: ClassTable, text_ids: bool, classes: Sequence[ClassName] | None) -> ClassPredictions:
    """Finds the class of each score, of each label and of each prediction.

    Without `classes` the scores are of the labels that have their columns' names; or else, where there are
    as many different labels as scores, of these, ascending; or of the numbers from 0 or from 1. Where classes
    are predicted, they are those that are a label or predicted, ascending.

    Args:
        table: the table.
        text_ids: whether labels come from a format without types, where numbers are texts, too.
        classes: the class of each score, or all that there are, where they are said.

    Raises:
        DataError: labels that are of no class, or that do not say which score is theirs; scores that are NaN,
            lists of several lengths, weights that cannot be.
        UsageError: `classes` that are not as many as the scores, or one twice.

    """
    said = _checked(classes) if classes is not None else None
    columns = [table.label, *([table.predicted] if table.predicted else [])]
    labels, *guesses = _as_classes(table, columns, text_ids)
    scores = None if guesses else _matrix(table)
    notes: tuple[str, ...] = ()
    if scores is None:
        names = _all_names(table, labels, guesses[0], said)
    else:
        names = _names(table, labels, scores.shape[1], said)
        notes = () if said else tuple(_taken_in_order(table.scores, names))
    numbers = [_numbers(table, column, names) for column in (labels, *guesses)]
    return ClassPredictions(
        table.where,
        names,
        numbers[0],
        scores,
        numbers[1] if guesses else None,
        table.predicted,
        _weights(table),
        table.weight,
        table.query,
        table.frame.select([*([table.query] if table.query else []), *table.others]),
        notes,
        scores is not None and _of_32_bits(table),
    )


def _of_32_bits(table: ClassTable) -> bool:
    import polars as pl

    types = table.frame.select(table.scores).dtypes
    return all(getattr(each, "inner", each) == pl.Float32 for each in types)


def check_classes(table: ClassTable, text_ids: bool) -> NDArray[np.float64] | None:
    """Refuses values that no table of classes can have; gives the scores, a row for each row.

    These are None where classes are predicted. What only all rows together can have wrong is not looked at.

    Raises:
        DataError: labels that are of no class, scores that are NaN, lists of several lengths, weights that
            cannot be.

    """
    _as_classes(table, [table.label, *([table.predicted] if table.predicted else [])], text_ids)
    _checked_weights(table)
    return None if table.predicted else _matrix(table)


def _matrix(table: ClassTable) -> NDArray[np.float64]:
    """The scores, a row for each row."""
    import polars as pl

    columns = table.frame.select(table.scores)
    for name in table.scores:
        _refuse(columns[name].is_null(), table, name, "null", "nulls")
    if len(table.scores) == 1:
        columns = _unpacked(columns.to_series(), table)
    matrix = columns.select(pl.all().cast(pl.Float64)).to_numpy()
    bad = np.isnan(matrix)
    if bad.any():
        row, place = np.argwhere(bad)[0]
        raise DataError(
            f"{table.where} has {counted(int(bad.sum()), 'NaN', 'NaN')} among the scores of classes, "
            f"the first in row {row} (from 0), {columns.columns[place]!r}; correct or remove those rows"
        )
    return np.ascontiguousarray(matrix)


def _unpacked(lists: pl.Series, table: ClassTable) -> pl.DataFrame:
    """A column of lists of the same length as a column for each place."""
    import polars as pl

    lists = lists.arr.to_list() if isinstance(lists.dtype, pl.Array) else lists
    inner = lists.dtype.inner  # type: ignore[attr-defined]
    if not inner.is_numeric():
        raise ColumnError(
            f"{table.where}: the score column {lists.name!r} holds lists of {inner}, not numbers"
        )
    need_polars_threads()
    lengths = lists.list.len()
    wrong = (lengths != lengths[0]).arg_true()
    if len(wrong):
        raise DataError(
            f"{table.where}: the lists of scores have {lengths[0]} in row 0 but {lengths[int(wrong[0])]} in "
            f"row {wrong[0]} (from 0) of column {lists.name!r}; each needs a score of every class"
        )
    if lengths[0] < 2:
        raise ColumnError(f"{table.where}: the lists of scores in {lists.name!r} need two at least")
    _refuse(lists.list.eval(pl.element().is_null()).list.any(), table, lists.name, "null", "nulls")
    places = [lists.list.get(place).alias(f"{lists.name}[{place}]") for place in range(lengths[0])]
    return pl.DataFrame(places)


def _as_classes(table: ClassTable, columns: Sequence[str], text_ids: bool) -> list[pl.Series]:
    """Columns of classes, of labels and of predictions, as whole numbers, texts or booleans: all the same."""
    import polars as pl

    found = [_as_class(table, table.frame[name], text_ids) for name in columns]
    if text_ids and len({each.dtype for each in found}) > 1:
        return [table.frame[name].cast(pl.String) for name in columns]
    for other in found[1:]:
        if other.dtype != found[0].dtype:
            raise DataError(
                f"{table.where}: the labels in {columns[0]!r} are {_KINDS[str(found[0].dtype)]}, and the "
                f"predicted classes in {other.name!r} {_KINDS[str(other.dtype)]}; cast one of them"
            )
    return found


_KINDS = {"Int64": "numbers", "String": "words", "Boolean": "booleans"}


def _as_class(table: ClassTable, column: pl.Series, text_ids: bool) -> pl.Series:
    import polars as pl

    name = column.name
    _refuse(column.is_null(), table, name, "null", "nulls")
    if column.dtype == pl.Boolean:
        return column
    if not column.dtype.is_numeric():
        if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
            raise ColumnError(
                f"{table.where}: column {name!r} is {column.dtype}, and classes are words, whole numbers or "
                "booleans; cast it"
            )
        column = column.cast(pl.String)
        if not text_ids or (numbers := column.cast(pl.Float64, strict=False)).null_count():
            return column
        column = numbers
    if column.dtype.is_float():
        _refuse(~(column % 1 == 0), table, name, "number that is not whole", "numbers that are not whole")
    whole = column.cast(pl.Int64, strict=False)
    _refuse(whole.is_null(), table, name, "number", "numbers", " of more than 64 bits")
    return whole


def _all_names(
    table: ClassTable, labels: pl.Series, guesses: pl.Series, classes: tuple[ClassName, ...] | None
) -> tuple[ClassName, ...]:
    """The classes that are a label or predicted, or those that are said."""
    values = labels.unique().append(guesses.unique()).unique().sort().to_list()
    return tuple(values) if classes is None else _as_labels(table, values, classes)


def _names(
    table: ClassTable, labels: pl.Series, number: int, classes: tuple[ClassName, ...] | None
) -> tuple[ClassName, ...]:
    """The class of each score."""
    values = labels.unique().sort().to_list()
    if classes is not None:
        if len(classes) != number:
            raise UsageError(
                f"classes: {len(classes)} are said, and {table.where} has {number} scores in a row"
            )
        return _as_labels(table, values, classes)
    found = _names_of_columns(table, values) or _names_by_number(values, number)
    if found is None:
        raise DataError(
            f"{table.where}: {number} scores, and {len(values):,} different labels in {table.label!r} "
            f"({_some(values)}), do not say which score is of which class; say it with classes=[…] (on the "
            "command line --classes a,b,…), in the order of the scores"
        )
    return found


def _names_of_columns(table: ClassTable, values: Sequence[ClassName]) -> tuple[ClassName, ...] | None:
    """The classes after which the columns of scores are called; None if some label is none of these."""
    columns = table.scores
    if len(columns) < 2 or not {str(value) for value in values} <= set(columns):
        return None
    kind = type(values[0])
    if kind is str:
        return tuple(columns)
    as_written = all(str(kind(name)) == name for name in columns if name.lstrip("-").isdigit())
    return _as_labels(table, values, columns) if as_written else None


def _taken_in_order(columns: Sequence[str], names: Sequence[ClassName]) -> Iterator[str]:
    """Which column of scores was taken for which class, where their names do not say it."""
    pairs = [(column, str(name)) for column, name in zip(columns, names, strict=False)]
    if len(columns) < 2 or all(column.endswith(name) for column, name in pairs):
        return
    shown = ", ".join(f"{column!r} of {name}" for column, name in pairs[:10]) + ", …" * (len(pairs) > 10)
    yield (
        f"scores taken for those of classes by their order: {shown} (classes=[…] or --classes says another; "
        "several systems are compared by compare_predictions, or --system NAME=COLUMN)"
    )


def _names_by_number(values: Sequence[ClassName], number: int) -> tuple[ClassName, ...] | None:
    """As many labels as scores, or whole numbers from 0 or 1 on; None if they are neither."""
    if len(values) == number:
        return tuple(values)
    first, last = values[0], values[-1]
    if isinstance(first, int) and isinstance(last, int):
        if first == 0 and last < number:
            return tuple(range(number))
        if first >= 1 and last == number:
            return tuple(range(1, number + 1))
    return None


def _checked(classes: Sequence[ClassName]) -> tuple[ClassName, ...]:
    """Classes that are said, each once."""
    if isinstance(classes, str):
        raise UsageError(f"classes={classes!r} is one text; give a list, of one class for each score")
    if len(set(classes)) < len(classes):
        twice = next(name for at, name in enumerate(classes) if name in classes[:at])
        raise UsageError(f"classes: {twice!r} is said twice")
    return tuple(classes)


def _as_labels(
    table: ClassTable, values: Sequence[ClassName], classes: Sequence[ClassName]
) -> tuple[ClassName, ...]:
    """Classes as labels are: numbers, texts or booleans."""
    if isinstance(values[0], str):
        return tuple(map(str, classes))
    if isinstance(values[0], bool):
        words = {"true": True, "false": False, "1": True, "0": False}
        if all(str(name).lower() in words for name in classes):
            return tuple(words[str(name).lower()] for name in classes)
    else:
        try:
            return tuple(map(int, classes))
        except ValueError:
            pass
    raise DataError(
        f"the classes are {_some(classes)}, and the labels of {table.where} (column {table.label!r}) "
        f"are {_some(values)}"
    )


def _numbers(table: ClassTable, column: pl.Series, names: Sequence[ClassName]) -> NDArray[np.intp]:
    import polars as pl

    places = list(range(len(names)))
    numbers = column.replace_strict(list(names), places, default=None, return_dtype=pl.Int64)
    strange = numbers.is_null().arg_true()
    if len(strange):
        what = "label" if column.name == table.label else "predicted class"
        many = "labels" if what == "label" else "predicted classes"
        raise DataError(
            f"{table.where} has {counted(len(strange), what, many)} of none of the classes {_some(names)}, "
            f"the first in row {strange[0]} (from 0): {column[int(strange[0])]!r}"
        )
    return numbers.to_numpy().astype(np.intp)


def _weights(table: ClassTable) -> NDArray[np.float64] | None:
    weights = _checked_weights(table)
    if weights is not None and not weights.any():
        raise DataError(f"{table.where}: the weight column {table.weight!r} is 0 in every row")
    return weights


def _checked_weights(table: ClassTable) -> NDArray[np.float64] | None:
    import polars as pl

    if table.weight is None:
        return None
    weights = table.frame[table.weight]
    _refuse(weights.is_null(), table, table.weight, "null", "nulls")
    weights = weights.cast(pl.Float64)
    bad = ~(weights.is_finite() & (weights >= 0))
    _refuse(bad, table, table.weight, "weight", "weights", " that cannot be: NaN, infinite or negative")
    return weights.to_numpy()


def _refuse(bad: pl.Series, table: ClassTable, column: str, one: str, many: str, why: str = "") -> None:
    rows = bad.arg_true()
    if len(rows):
        raise DataError(
            f"{table.where}: column {column!r} has {counted(len(rows), one, many)}{why}, the "
            f"first in row {rows[0]} (from 0); correct or remove those rows"
        )


def _some(names: Sequence[Any]) -> str:
    """The first few of them."""
    return listed(str(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
