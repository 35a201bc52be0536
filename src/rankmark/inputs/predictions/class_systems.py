"""What several systems predicted where labels are classes: scores of each class, or the predicted class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.inputs.names import listed
from rankmark.inputs.predictions.classes import ClassName, ClassPredictions, read_classes
from rankmark.inputs.predictions.columns import PredictionColumns, check_there
from rankmark.inputs.predictions.labelled import Predictions
from rankmark.inputs.predictions.reading import are_of_classes, class_table, open_predictions, source_of
from rankmark.inputs.predictions.same_rows import matched
from rankmark.inputs.predictions.systems import SystemScores, naming

if TYPE_CHECKING:
    from rankmark.inputs.source import Source

__all__ = ["ClassSystems", "read_class_systems"]

PLACE = "place"
"""The column of a row's place in its own table, where rows are matched."""


@dataclass(frozen=True, slots=True)
class ClassSystems:
    """What the systems predicted.

    Attributes:
        predictions: those of each system, of the same rows and classes in the same order.
        notes: how the rows of several tables were matched.

    """

    predictions: Mapping[str, ClassPredictions]
    notes: tuple[str, ...] = ()


class _Read(NamedTuple):
    """A system's table, and what was read of it."""

    table: Table
    columns: PredictionColumns
    text_ids: bool
    predictions: ClassPredictions


def read_class_systems(
    systems: Mapping[str, SystemScores],
    said: Mapping[str, str | None],
    classes: Sequence[ClassName] | None,
    others: Sequence[str] = (),
) -> ClassSystems:
    """Reads what the systems predicted of the same rows; they are matched as by `read_systems`.

    Args:
        systems: their tables and columns.
        said: the names of the other columns, where they are said, by their roles, with ``""`` for none.
        classes: the class of each score, or all that there are, where they are said.
        others: columns without a role that are wanted, too; of several tables those of the first that has
            each.

    Raises:
        UsageError: what is no table, or a file that is not there.
        DataError: a table that cannot be read, or tables that are not of the same rows and classes.

    """
    opened: dict[int, Source] = {}
    reads: dict[str, _Read] = {}
    sought, known = list(others), dict[str, None]()
    first = next(iter(systems.values()))
    several = any(each.table is not first.table for each in systems.values())
    for name, each in systems.items():
        with naming(name):
            source = opened.setdefault(id(each.table), source_of(each.table))
            found = [column for column in sought if column in source.names or not several]
            reads[name] = _read_system(name, each, source, said, classes, found)
        sought = [column for column in sought if several and column not in found]
        known |= dict.fromkeys(source.names)
    if several:
        check_there(dict.fromkeys(sought, "to slice by"), list(known), "every system's table")
    alike = _of_same_classes({name: each.predictions for name, each in reads.items()})
    if not several:
        rest = next(iter(alike.values())).rest
        return ClassSystems({name: replace(each, rest=rest) for name, each in alike.items()})
    return _matched({name: each._replace(predictions=alike[name]) for name, each in reads.items()})


def _read_system(
    name: str,
    system: SystemScores,
    source: Source,
    said: Mapping[str, str | None],
    classes: Sequence[ClassName] | None,
    others: Sequence[str],
) -> _Read:
    told = {**said, "score": system.column, "predicted": system.predicted}
    opened, columns, table = open_predictions(source, told, others, system=name)
    if not are_of_classes(table, columns):
        raise DataError(
            f"{opened.where} has one score in a row, and another system scores of classes or predicted ones: "
            "give every system the same"
        )
    read = read_classes(class_table(table, columns, opened.where), opened.text_ids, classes)
    return _Read(table, columns, opened.text_ids, read)


def _of_same_classes(reads: Mapping[str, ClassPredictions]) -> dict[str, ClassPredictions]:
    """The same with classes in one order: the first system's, or all that are a label or predicted.

    Raises:
        DataError: scores of other classes.

    """
    (first_name, first), *others = reads.items()
    names = first.names
    for name, each in others:
        if isinstance(each.names[0], str) != isinstance(names[0], str):
            raise DataError(
                f"the classes of {first_name!r} are {_shown(names)}, and those of {name!r} "
                f"{_shown(each.names)}: give the labels of all systems one type"
            )
        if set(each.names) != set(names) and (each.scores is not None or first.scores is not None):
            raise DataError(
                f"systems are compared on the same classes, and those of {first_name!r} are {_shown(names)}, "
                f"those of {name!r} {_shown(each.names)}: give each a score of every class"
            )
    if first.scores is None:
        names = tuple(sorted({name for each in reads.values() for name in each.names}))
    return {name: _renumbered(each, names) for name, each in reads.items()}


def _shown(names: Sequence[ClassName]) -> str:
    return listed(str(name) for name in names[:10]) + (", …" if len(names) > 10 else "")


def _renumbered(read: ClassPredictions, names: tuple[ClassName, ...]) -> ClassPredictions:
    """The same with the classes in this order, which has them all."""
    if read.names == names:
        return read
    place = np.array([names.index(name) for name in read.names])
    scores = None
    if read.scores is not None:
        scores = np.ascontiguousarray(read.scores[:, np.argsort(place)])
    predicted = None if read.predicted is None else place[read.predicted]
    return replace(read, names=names, labels=place[read.labels], scores=scores, predicted=predicted)


def _matched(reads: Mapping[str, _Read]) -> ClassSystems:
    """The predictions of each system, the rows of all in the order of the first."""
    import polars as pl

    found, note = matched({name: _places(name, each) for name, each in reads.items()})
    predictions = {}
    for name, each in reads.items():
        own = found[name]
        frame = pl.DataFrame(own.table)
        place = frame[own.columns.score].to_numpy().astype(np.intp)
        shared = [column for column in (own.columns.query, *_slicing(own.columns)) if column is not None]
        predictions[name] = replace(
            each.predictions.taken(place),
            name=own.name,
            query=own.columns.query,
            rest=frame.select([column for column in dict.fromkeys(shared) if column in frame.columns]),
        )
    return ClassSystems(predictions, (note,))


def _slicing(columns: PredictionColumns) -> tuple[str, ...]:
    return columns.others


def _places(name: str, read: _Read) -> Predictions:
    """The rows of a table as those of one score are matched: with the numbers of classes and rows."""
    import polars as pl

    columns, given = read.columns, pl.DataFrame(read.table)
    place = PLACE
    while place in given.columns:
        place += "_"
    kept = [columns.query, columns.item, columns.weight, *columns.others]
    frame = given.select([column for column in dict.fromkeys(kept) if column is not None])
    frame = frame.with_columns(
        pl.Series(columns.label, read.predictions.labels), pl.int_range(frame.height, eager=True).alias(place)
    )
    roles = replace(columns, score=place, other_scores=(), decided=False)
    words = tuple(map(str, read.predictions.names))
    where = f"{read.predictions.name} of {name!r}"
    return Predictions(Table.from_arrow(frame.to_struct()), where, roles, read.text_ids, None, words)
