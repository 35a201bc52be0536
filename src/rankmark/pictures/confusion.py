"""Which classes are predicted for which, and what measures come to in each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rankmark.errors import PictureError
from rankmark.figures import Axis, Cells, Figure, Panel, picture
from rankmark.figures.marks import Floats
from rankmark.language.measure import Measure
from rankmark.pictures.choosing import higher_is
from rankmark.pictures.words import axis_of
from rankmark.rendering.words import counted, printable
from rankmark.results.by_class import ByClass
from rankmark.results.predictions import PredictionResult

__all__ = ["classes", "confusion"]

MOST = 30
"""Classes that are drawn: those of most rows."""
TOLD = 5
"""Confusions that the description names."""
CELL = 30.0
"""Pixels a class is high."""


@picture("confusion", PredictionResult, place=28)
def confusion(result: PredictionResult) -> Figure:
    """The confusion matrix: which classes were predicted for the rows of each.

    Args:
        result: of measures that look at predicted classes, or of ``Confusion``.

    Raises:
        PictureError: there is no confusion matrix.

    """
    of = _by_class(result)
    if of.cells is None:
        raise PictureError("no measure looks at which classes are predicted; ask for Confusion")
    shown = _largest(of)
    names = _names(of, shown)
    matrix = of.matrix
    part = matrix[np.ix_(shown, shown)]
    weight = matrix.sum(axis=1)[shown]
    with np.errstate(invalid="ignore"):
        shares = part / weight[:, None]
    right = f"{_weight(float(np.trace(matrix)))} of {_weight(float(matrix.sum()))}"
    return Figure(
        title="Confusion matrix: which classes are predicted for which",
        subtitle=f"{right} predicted as labelled; shade: share of the rows of a label",
        description=f"{right} are predicted as labelled. {_confused(of)}",
        panels=(
            Panel(
                x=Axis(label="predicted", scale="names", names=names),
                y=Axis(label="label (its rows)", scale="names", names=_with_rows(names, weight.tolist())),
                marks=(
                    Cells(
                        values=shares,
                        texts=tuple(tuple(map(_weight, row)) for row in part.tolist()),
                        name="share of the rows of a label",
                    ),
                ),
                height=max(CELL * len(names), 2 * CELL),
            ),
        ),
        notes=tuple(_left_out(of, shown)),
    )


@picture("classes", PredictionResult, place=60)
def classes(result: PredictionResult) -> Figure:
    """The values of each class.

    Args:
        result: of measures that have a value for each class.

    Raises:
        PictureError: there are no classes, or no such measure.

    """
    of = _by_class(result)
    if not of.values:
        raise PictureError("no measure here has a value of each class; MulticlassF and MulticlassAUC have")
    shown = _largest(of)
    groups: list[list[Measure]] = []
    for each in of.values:
        if groups and each.bounds == groups[-1][0].bounds == (0, 1):
            groups[-1].append(each)
        else:
            groups.append([each])
    told = "; ".join(
        f"{each.label}: {printable(str(of.names[int(np.nanargmin(values))]))} has the least, "
        f"{np.nanmin(values):.4f}, and {printable(str(of.names[int(np.nanargmax(values))]))} the most, "
        f"{np.nanmax(values):.4f}"
        for each, values in of.values.items()
        if np.isfinite(values).any()
    )
    return Figure(
        title=f"{', '.join(each.label for each in of.values)} of each class",
        subtitle=(
            f"{counted(len(of.names), 'class', 'classes')}, {int(of.rows.sum()):,} rows; "
            "the stronger the shade, the more"
        ),
        description=f"{told}.",
        panels=tuple(_values(of, shown, own) for own in groups),
        notes=(*_left_out(of, shown), *of.notes()),
    )


def _values(of: ByClass, shown: NDArray[np.intp], measures: Sequence[Measure]) -> Panel:
    """Measures of one scale, a column each."""
    values = np.stack([of.values[each][shown] for each in measures], axis=1)
    found = values[np.isfinite(values)]
    low, high = (0.0, 1.0) if measures[0].bounds == (0, 1) else _ends(found)
    names = tuple(axis_of(each) if higher_is(each) == "lower is better" else each.label for each in measures)
    return Panel(
        x=Axis(scale="names", names=names),
        y=Axis(
            label="class (its rows)",
            scale="names",
            names=_with_rows(_names(of, shown), of.rows[shown].astype(np.float64).tolist()),
        ),
        marks=(
            Cells(
                values=values,
                texts=tuple(tuple("" if np.isnan(v) else f"{v:.3f}" for v in row) for row in values.tolist()),
                low=low,
                high=high,
                name="value of a class",
            ),
        ),
    )


def _ends(found: Floats) -> tuple[float, float]:
    """What has no colour and what has all of it, of values without bounds."""
    if not len(found):
        return 0.0, 1.0
    low, high = float(found.min()), float(found.max())
    return (low, high) if high > low else (low - 1.0, high)


def _by_class(result: PredictionResult) -> ByClass:
    if result._by_class is None:
        raise PictureError("there is one score in a row, and no classes; for a decision ask for Confusion")
    return result.by_class


def _largest(of: ByClass) -> NDArray[np.intp]:
    """The classes of most rows, in their order."""
    return np.sort(np.argsort(-of.rows, kind="stable")[:MOST])


def _names(of: ByClass, shown: NDArray[np.intp]) -> tuple[str, ...]:
    return tuple(printable(str(of.names[i])) for i in shown.tolist())


def _with_rows(names: Sequence[str], rows: Sequence[float]) -> tuple[str, ...]:
    return tuple(f"{name} ({_weight(count)})" for name, count in zip(names, rows, strict=True))


def _left_out(of: ByClass, shown: NDArray[np.intp]) -> Iterator[str]:
    if len(shown) < len(of.names):
        yield f"the {len(shown)} classes of most rows, of {len(of.names):,}"


def _confused(of: ByClass) -> str:
    """The greatest confusions."""
    matrix, names = of.matrix, _names(of, np.arange(len(of.names)))
    off = np.where(np.eye(len(names), dtype=bool), 0, matrix)
    order = np.argsort(-off, axis=None, kind="stable")[:TOLD]
    pairs = [np.unravel_index(place, off.shape) for place in order.tolist()]
    told = [f"{_weight(float(off[i, j]))} of {names[i]} as {names[j]}" for i, j in pairs if off[i, j] > 0]
    return f"Most often confused: {'; '.join(told)}." if told else "None is confused."


def _weight(weight: float) -> str:
    return f"{weight:,.0f}" if weight.is_integer() else f"{weight:,.4g}"
