"""How values of measures are written: counts are whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rankmark.errors import MeasureError
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.language.registry import Better, remembered
from rankmark.rendering.blocks import Tone, toned

if TYPE_CHECKING:
    from rankmark.rendering.papers import PaperColumn

__all__ = ["differing", "paper_column", "tone_of", "with_best", "written"]


def written(measure: Measure | str, value: float, digits: int | None, sign: str = "") -> str:
    """A value of a measure, or a difference of two; empty for NaN.

    Args:
        measure: which one, or what it is called.
        value: the value. The mean of counts over orders of ties, or over seeds, need not be whole.
        digits: so many after the point for people; None for all, so that it reads back.
        sign: ``+`` for differences.

    """
    if math.isnan(value):
        return ""
    if value.is_integer() and _is_count(measure):
        return f"{value:{sign}.0f}"
    return repr(value) if digits is None else f"{value:{sign}.{digits}f}"


def paper_column(measure: Measure | str) -> PaperColumn:
    """A measure, or what it is called, as a column of a table for papers."""
    from rankmark.rendering.papers import PaperColumn

    if isinstance(measure, str):
        try:
            return paper_column(parse(measure).asked_as(measure))
        except MeasureError:  # a name of a convention's, or with a function for a parameter
            return PaperColumn(measure)
    low, high = measure.bounds
    share = low is not None and high is not None and low >= -1 and high <= 1
    return PaperColumn(measure.label, measure.better, _is_count(measure), share)


def differing(measure: Measure | str, difference: float, digits: int, *, surely: bool = True) -> str:
    """A difference of two values of a measure for people, with its sign, and whether that is good."""
    return toned(written(measure, difference, digits, "+"), tone_of(measure, difference, surely=surely))


def tone_of(measure: Measure | str, difference: float, *, surely: bool = True) -> Tone | None:
    """Whether a difference of two values of a measure is good or bad; None if it is neither.

    Args:
        measure: which one, or what it is called.
        difference: by how much the values differ.
        surely: whether that is more than chance; if it may be chance it is neither.

    """
    if not surely:
        return None
    better = measure.better if isinstance(measure, Measure) else _better_of_name(measure)
    if not difference or math.isnan(difference) or better == "neither":
        return None
    return "good" if (difference > 0) == (better == "more") else "bad"


def with_best(measure: Measure, cells: Iterable[str], values: Sequence[float]) -> list[str]:
    """Written values of a measure, of which the best one is told, and those that look as it does."""
    cells = list(cells)
    known = [(value, cell) for value, cell in zip(values, cells, strict=True) if not math.isnan(value)]
    if measure.better == "neither" or len({cell for _, cell in known}) < 2:
        return cells
    _, best = (max if measure.better == "more" else min)(known)
    return [toned(cell, "best" if cell == best else None) for cell in cells]


def _is_count(measure: Measure | str) -> bool:
    if not isinstance(measure, str):
        return measure.page.aggregate == "sum"
    return _is_name_of_count(measure)


@remembered
def _better_of_name(name: str) -> Better:
    try:
        return parse(name).better
    except MeasureError:
        return "neither"


@remembered
def _is_name_of_count(name: str) -> bool:
    try:
        return parse(name).page.aggregate == "sum"
    except MeasureError:  # a name of a convention's, or with a function for a parameter
        return False
