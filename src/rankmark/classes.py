"""What a measure of classes sees: labels that are classes, and a score of each class in every row."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark.decisions import Confusion, share
from rankmark.rows import Undefined, Values

if TYPE_CHECKING:
    from rankmark.inputs.classes import ClassPredictions

__all__ = ["SUMS_TO_ONE", "AverageOver", "Classes", "Predicted", "ZeroDivision", "averaged"]

T = TypeVar("T")
Predicted: TypeAlias = Literal["expected", "first"]
"""Which of the classes with the greatest score is predicted: each to the same part, or the first of them."""
AverageOver: TypeAlias = Literal["macro", "micro", "weighted"]
"""How the values of the classes become one."""
ZeroDivision: TypeAlias = Literal["zero", "one", "skip"]
"""What the 0/0 of a class is."""

SUMS_TO_ONE = 1e-3
"""How far from 1 the probabilities of a row may sum: as far as rounding to a few digits brings them."""


class Classes:
    """Labelled scores of several classes, K of them; nothing is computed twice.

    A row has the number of its class as its label, a score of each class, and a weight, which is 1 where the
    table has none. Sums are over rows times their weights, and compensated.

    Attributes:
        count: number of rows.
        names: the classes, in the order of their scores.
        labels: the class of each row, by its number from 0.
        scores: of shape (rows, K).
        weights: one a row.
        weight: Σ w.

    """

    __slots__ = ("_known", "_weighted", "count", "labels", "names", "scores", "threads", "weight", "weights")

    def __init__(self, read: ClassPredictions, threads: int) -> None:
        self.count = len(read.labels)
        self.names = read.names
        self.labels = read.labels
        self.scores = read.scores
        self.threads = threads
        self._weighted = read.weights is not None
        self.weights: Values = np.ones(self.count) if read.weights is None else read.weights
        self.weight = _native.exact_sum(self.weights)
        self._known: dict[Hashable, object] = {}

    def mean(self, values: Values) -> float:
        """Σ w·value / Σ w."""
        return _native.exact_sum(self.weights * values) / self.weight

    @property
    def own_scores(self) -> Values:
        """The score of each row's own class."""
        scores: Values = self.scores[np.arange(self.count), self.labels]
        return scores

    @property
    def ahead(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """How many classes of each row have a greater score than its own, and how many others the same.

        And how many of these come before it in the order of the classes.
        """
        return self._once("ahead", self._ahead)

    def _ahead(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        own = self.own_scores[:, np.newaxis]
        equal = self.scores == own
        before = equal & (np.arange(len(self.names)) < self.labels[:, np.newaxis])
        greater = np.count_nonzero(self.scores > own, axis=1)
        return greater, np.count_nonzero(equal, axis=1) - 1, np.count_nonzero(before, axis=1)

    def confusion(self, ties: Predicted) -> Confusion:
        """For each class the decision to predict it: the class with the greatest score."""
        return self._once(("confusion", ties), lambda: self._confusion(ties))

    def _confusion(self, ties: Predicted) -> Confusion:
        if ties == "first":
            predicted = np.zeros(self.scores.shape)
            predicted[np.arange(self.count), self.scores.argmax(axis=1)] = 1
        else:
            predicted = (self.scores == self.scores.max(axis=1, keepdims=True)).astype(np.float64)
            predicted /= predicted.sum(axis=1, keepdims=True)
        each = [self._confusion_of(number, predicted[:, number]) for number in range(len(self.names))]
        return Confusion(*(np.array(weights) for weights in zip(*each, strict=True)))

    def _confusion_of(self, number: int, predicted: Values) -> tuple[float, float, float, float]:
        own = self.labels == number
        found, left = self.weights * predicted, self.weights * (1 - predicted)
        parts = (found[own], found[~own], left[own], left[~own])
        tp, fp, fn, tn = (_native.exact_sum(part) for part in parts)
        return tp, fp, fn, tn

    def support(self) -> Values:
        """The weight of the rows of each class."""
        return self._once("support", self._support)

    def _support(self) -> Values:
        every = range(len(self.names))
        return np.array([_native.exact_sum(self.weights[self.labels == number]) for number in every])

    def auc(self, one: int, other: int | None = None) -> float:
        """The AUC of the scores of a class: of its rows against all others, or those of one other class.

        NaN where either has none.
        """
        import polars as pl

        kept = slice(None) if other is None else (self.labels == one) | (self.labels == other)
        columns = {"label": (self.labels == one)[kept], "score": self.scores[kept, one]}
        weight = "weight" if self._weighted else None
        if weight:
            columns[weight] = self.weights[kept]
        table = _native.Table.from_arrow(pl.DataFrame(columns).to_struct())
        if not table.num_rows:
            return np.nan
        core = _native.LabelledRows(
            table, "predictions", "label", "score", weight, positive=1.0, threads=self.threads
        )
        ranked = core.ranked()
        positive, negative = ranked.totals()
        return ranked.pairs() / (positive * negative) if positive > 0 and negative > 0 else np.nan

    def improbable(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows with a score outside of 0 to 1, and rows whose scores do not sum to 1."""
        outside = ((self.scores < 0) | (self.scores > 1)).any(axis=1)
        with np.errstate(invalid="ignore"):  # infinities of both signs
            far = ~(np.abs(self.scores.sum(axis=1) - 1) <= SUMS_TO_ONE)
        return np.flatnonzero(outside), np.flatnonzero(far)

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]  # type: ignore[return-value]


def averaged(
    classes: Classes,
    measure: Callable[[Confusion], Values],
    ties: Predicted,
    average: AverageOver,
    zero_division: ZeroDivision,
) -> float:
    """A measure of the decision to predict a class, averaged over classes; the measure gives NaN for 0/0.

    Args:
        classes: the rows.
        measure: a value of each class.
        ties: which of several greatest scores is predicted.
        average: ``macro`` is the mean over the classes that are a label or predicted; ``weighted`` weighs
            each by its rows; ``micro`` is the measure of the sums of all classes.
        zero_division: what 0/0 is: 0, 1, or left out of the mean.

    Raises:
        Undefined: nothing is left to average.

    """
    confusion = classes.confusion(ties)
    if average == "micro":
        sums = (np.array([_native.exact_sum(part)]) for part in _parts(confusion))
        confusion = Confusion(*sums)
    values = measure(confusion)
    weights = confusion.positive if average == "weighted" else np.ones(len(values))
    weights = np.where(confusion.positive + confusion.found > 0, weights, 0.0)
    if zero_division == "skip":
        weights = np.where(np.isnan(values), 0.0, weights)
    filled = np.where(np.isnan(values), 1.0 if zero_division == "one" else 0.0, values)
    (value,) = share(np.array([_native.exact_sum(weights * filled)]), np.array([_native.exact_sum(weights)]))
    if np.isnan(value):
        raise Undefined("no class has a value")
    return float(value)


def _parts(confusion: Confusion) -> tuple[Values, Values, Values, Values]:
    return confusion.tp, confusion.fp, confusion.fn, confusion.tn
