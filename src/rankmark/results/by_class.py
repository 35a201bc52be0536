"""What a result holds of each class: its rows, the values of measures, and what was predicted for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import NotEvaluatedError
from rankmark.rendering.blocks import Grid
from rankmark.rendering.formats.json import ByName
from rankmark.rendering.records import Record
from rankmark.rendering.words import printable

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.kinds.classes import Cells
    from rankmark.kinds.rows import Values
    from rankmark.language.measure import Measure

__all__ = ["ByClass"]


@dataclass(frozen=True, slots=True, repr=False)
class ByClass(Record):
    """The classes of a table.

    Attributes:
        names: the classes, in the order of their scores.
        rows: how many rows each has.
        weight: the weight of these; None where rows have none.
        values: what measures come to for each, NaN where there is no value.
        undefined: why there is none, by the classes' names.
        cells: the confusion matrix; None where no measure looks at predicted classes.

    """

    names: tuple[str | int | bool, ...]
    rows: NDArray[np.intp]
    weight: Values | None
    values: Mapping[Measure, Values]
    undefined: Mapping[Measure, Mapping[str | int | bool, str]]
    cells: Cells | None

    @property
    def frame(self) -> pl.DataFrame:
        """A row a class."""
        import polars as pl

        weight = [] if self.weight is None else [pl.Series("weight", self.weight)]
        values = [pl.Series(m.label, each, nan_to_null=True) for m, each in self.values.items()]
        return pl.DataFrame([pl.Series("class", self.names), pl.Series("rows", self.rows), *weight, *values])

    @property
    def matrix(self) -> Values:
        """The confusion matrix, of shape (classes, classes).

        Raises:
            NotEvaluatedError: no measure looked at predicted classes.

        """
        if self.cells is None:
            raise NotEvaluatedError(
                "no measure here looks at which classes are predicted; for a confusion matrix ask for one "
                "that does, such as MulticlassAccuracy"
            )
        return self.cells.matrix(len(self.names))

    @property
    def confusion(self) -> pl.DataFrame:
        """A row a label, a column a predicted class."""
        import polars as pl

        first = "label"
        titles = list(map(str, self.names))
        while first in titles:
            first += "_"
        matrix = self.matrix
        columns = [pl.Series(title, matrix[:, place]) for place, title in enumerate(titles)]
        return pl.DataFrame([pl.Series(first, self.names), *columns])

    def class_grid(self, digits: int | None) -> Grid:
        """The classes as text, with so many digits or all."""
        return _grid(self.frame, digits)._replace(caption="Classes")

    def confusion_grid(self, digits: int | None) -> Grid:
        """The confusion matrix as text, whole numbers without a point."""
        whole = bool((self.matrix % 1 == 0).all())
        header, *rows = _grid(self.confusion, 0 if whole else digits).rows
        return Grid(1, [[f"{header[0]} \\ predicted", *header[1:]], *rows], "Confusion matrix")

    def notes(self) -> Iterator[str]:
        """Why classes have no value, each reason of the same measures once."""
        measures: dict[tuple[str | int | bool, str], list[str]] = {}
        for measure, reasons in self.undefined.items():
            for name, why in reasons.items():
                measures.setdefault((name, why), []).append(measure.label)
        classes: dict[tuple[str, str], list[str]] = {}
        for (name, why), of in measures.items():
            classes.setdefault((", ".join(of), why), []).append(printable(str(name)))
        for (of_measures, why), names in classes.items():
            yield f"no {of_measures} of {', '.join(names)}: {why}"

    def records(self) -> list[dict[str, Any]]:
        """The rows of `frame` as dicts, the measures by themselves, with why they have no value."""
        records = []
        for row in self.frame.rows(named=True):
            values = ByName((measure.label, row.pop(measure.label)) for measure in self.values)
            without = {
                m.label: each[row["class"]] for m, each in self.undefined.items() if row["class"] in each
            }
            records.append({**row, "values": values, "undefined": without})
        return records


def _grid(frame: pl.DataFrame, digits: int | None) -> Grid:
    return Grid(1, [frame.columns, *(list(_cells(row, digits)) for row in frame.rows())])


def _cells(row: Iterable[Any], digits: int | None) -> Iterator[str]:
    for value in row:
        if value is None:
            yield ""
        elif isinstance(value, float) and digits is not None:
            yield f"{value:.{digits}f}"
        else:
            yield str(value)
