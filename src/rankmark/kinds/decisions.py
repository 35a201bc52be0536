"""What a measure of decisions sees: which rows are found, at a threshold or among the best, and which not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError
from rankmark.kinds.ranges import Between, Whole
from rankmark.kinds.rows import Rows, Undefined, Values

__all__ = ["AtThreshold", "Best", "Confusion", "Taken", "Top", "at_threshold", "decided", "share"]

Best: TypeAlias = float | Literal["max"]
"""A score from which rows are found, or ``max`` for the one that makes the measure greatest."""
Taken: TypeAlias = Annotated[float, Between(0, 1)] | Annotated[float, Whole(1)]
"""The share of rows, those with the greatest scores, or how many of them."""
Top: TypeAlias = Literal["none"] | Taken
"""Which of the rows with the greatest scores are found, instead of those from a threshold."""


@dataclass(frozen=True, slots=True)
class AtThreshold:
    """The greatest value over all thresholds, and the threshold where it is."""

    value: float
    threshold: float


@dataclass(frozen=True, slots=True)
class Confusion:
    """Weights of rows by what a decision makes of them; arrays with one value a decision.

    Attributes:
        tp: positive rows that are found.
        fp: other rows that are found.
        fn: positive rows that are not.
        tn: other rows that are not.

    """

    tp: Values
    fp: Values
    fn: Values
    tn: Values

    @property
    def positive(self) -> Values:
        """P, positive rows."""
        return self.tp + self.fn

    @property
    def negative(self) -> Values:
        """N, other rows."""
        return self.fp + self.tn

    @property
    def found(self) -> Values:
        """Rows that are found."""
        return self.tp + self.fp

    @property
    def left(self) -> Values:
        """Rows that are not."""
        return self.fn + self.tn

    @property
    def weight(self) -> Values:
        """Σ w."""
        return self.positive + self.negative


def share(part: Values, whole: Values) -> Values:
    """A part of a whole, NaN where the whole is 0."""
    quotient: Values = np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return quotient


def decided(
    rows: Rows, measure: Callable[[Confusion], Values], threshold: Best, top: Top
) -> float | AtThreshold:
    """A measure of the rows that a decision finds; the measure gives NaN for 0/0.

    Args:
        rows: the rows.
        measure: a value of each decision.
        threshold: the least score that is found, or ``max`` for the one at which the value is greatest.
        top: the share of rows, or how many, that is found instead; the part of a border group of equal scores
            that belongs to it is of its mean composition, which is the expected value over all orders of rows
            that weigh the same for whatever is linear in TP where TP + FP is given, as all these measures
            are. A share is of the rows' weight; a number counts rows, whatever they weigh.

    Raises:
        Undefined: 0/0, or fewer rows than are to be found.
        MeasureError: both a threshold and a share are said.

    """
    if top != "none":
        if threshold != 0.5:
            raise MeasureError(f"threshold={threshold} and top={top:g} are two decisions; say one of them")
        return _value(measure, _among_best(rows, float(top)), "among the best")
    if threshold == "max":
        best = _best(rows, measure)
        return AtThreshold(_value(measure, at_threshold(rows, best), "found"), best)
    return _value(measure, at_threshold(rows, threshold), f"found by the threshold {threshold:g}")


def at_threshold(rows: Rows, threshold: float) -> Confusion:
    """The decision to find what scores at least as much."""
    tp, fp, fn, tn = (np.array([weight]) for weight in rows.confusion(threshold))
    return Confusion(tp, fp, fn, tn)


def _value(measure: Callable[[Confusion], Values], confusion: Confusion, how: str) -> float:
    (value,) = measure(confusion)
    if np.isnan(value):
        raise Undefined(" and ".join(_empty(confusion, how)))
    return float(value)


def _empty(confusion: Confusion, how: str) -> Iterator[str]:
    """What there is none of."""
    if confusion.positive[0] == 0:
        yield "no row is positive"
    if confusion.negative[0] == 0:
        yield "every row is positive"
    if confusion.found[0] == 0:
        yield f"no row is {how}"
    if confusion.left[0] == 0:
        yield f"every row is {how}"


def _among_best(rows: Rows, top: float) -> Confusion:
    if top >= 1:
        return _first(rows, top) if rows.weighted else _heaviest(rows, top)
    return _heaviest(rows, top * (rows.ranked.positive + rows.ranked.negative))


def _heaviest(rows: Rows, weight: float) -> Confusion:
    """The decision to find the rows with the greatest scores that weigh as much together."""
    positive, negative = rows.ranked.positive, rows.ranked.negative
    if weight > positive + negative:
        raise Undefined(f"there are fewer than {weight:g} rows")
    found = np.array([weight])
    border = rows.ranked.beyond(found)
    own = border.tp + border.fp
    part = np.divide(found - border.tp_above - border.fp_above, own, out=np.zeros(1), where=own > 0)
    tp = border.tp_above + np.clip(part, 0, 1) * border.tp
    return Confusion(tp, found - tp, positive - tp, negative - (found - tp))


def _first(rows: Rows, number: float) -> Confusion:
    """The decision to find so many rows with the greatest scores, whatever they weigh."""
    if number > rows.count:
        raise Undefined(f"there are fewer than {number:g} rows")
    curve, positive, negative = rows.ranked.curve, rows.ranked.positive, rows.ranked.negative
    # A bin that ends with each score, of which there is one, and one above all.
    counts = rows.ranked.bins(np.ascontiguousarray(curve.score[::-1]))[0][-2::-1]
    reached = np.append(0.0, np.cumsum(counts))
    tp, fp = (np.interp([number], reached, np.append(0.0, weights)) for weights in (curve.tp, curve.fp))
    # Sums in another order may pass the totals by a rounding error.
    return Confusion(tp, fp, np.maximum(positive - tp, 0), np.maximum(negative - fp, 0))


def _best(rows: Rows, measure: Callable[[Confusion], Values]) -> float:
    """The threshold at which the value is greatest, the highest of several; infinity to find nothing."""
    curve, positive, negative = rows.ranked.curve, rows.ranked.positive, rows.ranked.negative
    nothing = [] if curve.score[0] == np.inf else [0.0]
    tp, fp = (np.append(nothing, weights) for weights in (curve.tp, curve.fp))
    # Sums in another order may pass the totals by a rounding error.
    values = measure(Confusion(tp, fp, np.maximum(positive - tp, 0), np.maximum(negative - fp, 0)))
    thresholds = np.append([np.inf] * len(nothing), curve.score)
    if np.isnan(values).all():
        return float(thresholds[-1])
    return float(thresholds[np.nanargmax(values)])
