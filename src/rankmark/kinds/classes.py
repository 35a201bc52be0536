"""What a measure of classes sees: labels that are classes, and what was predicted in every row.

That is a score of each class, or the one class that is predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from copy import copy
from dataclasses import field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.kinds.decisions import Confusion, share
from rankmark.kinds.rows import Ranked, Values

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "SUMS_TO_ONE",
    "AverageOver",
    "Cells",
    "Classes",
    "PerClass",
    "Predicted",
    "ZeroDivision",
    "averaged",
]

T = TypeVar("T")
Predicted: TypeAlias = Literal["expected", "first"]
"""Which of the classes with the greatest score is predicted: each to the same part, or the first of them."""
AverageOver: TypeAlias = Literal["macro", "micro", "weighted"]
"""How the values of the classes become one."""
ZeroDivision: TypeAlias = Literal["zero", "one", "skip"]
"""What the 0/0 of a class is."""

SUMS_TO_ONE = 1e-3
"""How far from 1 the probabilities of a row may sum: as far as rounding to a few digits brings them."""


@dataclass(frozen=True, slots=True)
class PerClass:
    """What a measure of classes gives that is a value of each class first.

    Attributes:
        value: their average; NaN where there is none.
        values: one a class; NaN where it has none.
        without: why classes have no value, by their numbers.
        undefined: why there is no average; None where there is one.

    """

    value: float
    values: Values
    without: Mapping[int, str] = field(default_factory=dict)
    undefined: str | None = None


@dataclass(frozen=True, slots=True)
class Cells:
    """A confusion matrix, of which only those cells are kept that hold rows.

    Attributes:
        label: the number of the class that the rows of a cell have as their label.
        predicted: the number of the class that is predicted.
        weight: the weight of these rows.

    """

    label: NDArray[np.intp]
    predicted: NDArray[np.intp]
    weight: Values

    def matrix(self, classes: int) -> Values:
        """All of it: a row a label, a column a predicted class."""
        matrix = np.zeros((classes, classes))
        matrix[self.label, self.predicted] = self.weight
        return matrix


class Classes:
    """Labels that are classes, K of them, with what was predicted; nothing is computed twice.

    A row has the number of its class as its label, a weight, which is 1 where the table has none, and a score
    of each class, or, where there are no scores, the number of the class that is predicted. Sums are over
    rows times their weights, and compensated.

    Attributes:
        count: number of rows.
        names: the classes, in the order of their scores.
        labels: the class of each row, by its number from 0.
        weights: one a row.
        weight: Σ w.

    """

    __slots__ = (
        "_known",
        "_of_rows",
        "_predicted",
        "_scores",
        "_weighted",
        "count",
        "labels",
        "names",
        "threads",
        "weight",
        "weights",
    )

    def __init__(
        self,
        names: tuple[int | str | bool, ...],
        labels: NDArray[np.intp],
        *,
        scores: Values | None = None,
        predicted: NDArray[np.intp] | None = None,
        weights: Values | None = None,
        threads: int = 0,
    ) -> None:
        self.count = len(labels)
        self.names = names
        self.labels = labels
        self.threads = threads
        self._weighted = weights is not None
        self.weights: Values = np.ones(self.count) if weights is None else weights
        self.weight = _native.exact_sum(self.weights)
        self._scores = scores
        self._predicted = predicted
        self._known: dict[Hashable, object] = {}
        self._of_rows: dict[Hashable, object] = {}

    def drawn(self, rows: NDArray[np.intp]) -> Classes:
        """The rows of these numbers, each as often as it is there: what no weight changes stays known."""
        again = copy(self)
        again.weights = self.weights * np.bincount(rows, minlength=self.count)
        again.weight = _native.exact_sum(again.weights)
        again._weighted = True
        again._known = {}
        return again

    @property
    def weighted(self) -> bool:
        """Whether rows have weights of their own."""
        return self._weighted

    @property
    def scores(self) -> Values:
        """The scores, of shape (rows, K); whoever asks for them has refused tables without."""
        assert self._scores is not None
        return self._scores

    def mean(self, values: Values) -> float:
        """Σ w·value / Σ w."""
        return _native.exact_sum(self.weights * values) / self.weight

    @property
    def own_scores(self) -> Values:
        """The score of each row's own class."""
        return self._once("own", lambda: self.scores[np.arange(self.count), self.labels], self._of_rows)

    @property
    def ahead(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """How many classes of each row have a greater score than its own, and how many others the same.

        And how many of these come before it in the order of the classes.
        """
        return self._once("ahead", self._ahead, self._of_rows)

    def _ahead(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        own = self.own_scores[:, np.newaxis]
        equal = self.scores == own
        before = equal & (np.arange(len(self.names)) < self.labels[:, np.newaxis])
        greater = np.count_nonzero(self.scores > own, axis=1)
        return greater, np.count_nonzero(equal, axis=1) - 1, np.count_nonzero(before, axis=1)

    def cells(self, ties: Predicted) -> Cells:
        """The confusion matrix: which class is predicted, that with the greatest score, for which label."""
        return self._once(("cells", ties), lambda: self._cells(ties))

    def _cells(self, ties: Predicted) -> Cells:
        rows, parts, label, predicted, group = self._once(
            ("predictions", ties), lambda: self._predictions(ties), self._of_rows
        )
        return Cells(label, predicted, group.sums(self.weights[rows] * parts))

    def _predictions(
        self, ties: Predicted
    ) -> tuple[NDArray[np.intp], Values, NDArray[np.intp], NDArray[np.intp], _Groups]:
        """Rows' numbers and which part of each is in which cell; the cells' label and predicted class."""
        rows, predicted, parts = self._guesses(ties)
        codes, places = np.unique(self.labels[rows] * len(self.names) + predicted, return_inverse=True)
        label, other = np.divmod(codes, len(self.names))
        return rows, parts, label, other, _Groups(places, len(codes))

    def _guesses(self, ties: Predicted) -> tuple[NDArray[np.intp], NDArray[np.intp], Values]:
        """A row's number, a class that is predicted for it, and the part of the row that it is."""
        every = np.arange(self.count)
        if self._predicted is not None:
            return every, self._predicted, np.ones(self.count)
        if ties == "first":
            return every, self.scores.argmax(axis=1), np.ones(self.count)
        rows, predicted = np.nonzero(self.scores == self.scores.max(axis=1, keepdims=True))
        return rows, predicted, 1 / np.bincount(rows)[rows]

    def row_cells(self, ties: Predicted) -> tuple[NDArray[np.intp], NDArray[np.intp], Values]:
        """A row's number, its label · K + a class predicted for it, and the weight of that part of it."""
        rows, predicted, parts = self._guesses(ties)
        return rows, self.labels[rows] * len(self.names) + predicted, self.weights[rows] * parts

    def confusion(self, ties: Predicted) -> Confusion:
        """For each class the decision to predict it."""
        return self._once(("confusion", ties), lambda: self._confusion(ties))

    def _confusion(self, ties: Predicted) -> Confusion:
        cells, number = self.cells(ties), len(self.names)
        right = cells.label == cells.predicted
        tp = np.zeros(number)
        tp[cells.label[right]] = cells.weight[right]
        fp = _Groups(cells.predicted[~right], number).sums(cells.weight[~right])
        fn = _Groups(cells.label[~right], number).sums(cells.weight[~right])
        return Confusion(tp, fp, fn, np.maximum(self.weight - (tp + fp + fn), 0))

    def support(self) -> Values:
        """The weight of the rows of each class."""
        return self._once("support", self._support)

    def _support(self) -> Values:
        group = self._once("labels", lambda: _Groups(self.labels, len(self.names)), self._of_rows)
        return group.sums(self.weights)

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
        return Ranked(core.ranked()).in_order

    def _once(
        self, key: Hashable, compute: Callable[[], T], known: dict[Hashable, object] | None = None
    ) -> T:
        known = self._known if known is None else known
        if key not in known:
            known[key] = compute()
        return known[key]  # type: ignore[return-value]


def improbable(scores: Values) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of scores, [rows, classes], rows with one outside of 0 to 1, and rows whose scores do not sum to 1."""
    outside = ((scores < 0) | (scores > 1)).any(axis=1)
    with np.errstate(invalid="ignore"):  # infinities of both signs
        far = ~(np.abs(scores.sum(axis=1) - 1) <= SUMS_TO_ONE)
    return np.flatnonzero(outside), np.flatnonzero(far)


EXACT = 2.0**53
"""Every whole number up to this is a float64."""


class _Groups:
    """Numbers that belong to places from 0 on, of which there are so many, to be summed up by them."""

    __slots__ = ("_borders", "_count", "_order", "_places")

    def __init__(self, places: NDArray[np.intp], count: int) -> None:
        self._places = places
        self._count = count
        self._order: NDArray[np.intp] | None = None
        self._borders: list[int] = []

    def sums(self, values: Values) -> Values:
        """The sum of the values at each place: compensated, unless they are whole, when any sum is exact."""
        if (values == np.floor(values)).all() and values.sum() <= EXACT:
            return np.asarray(np.bincount(self._places, values, self._count), dtype=np.float64)
        if self._order is None:
            self._order = np.argsort(self._places, kind="stable")
            self._borders = np.searchsorted(self._places[self._order], np.arange(self._count + 1)).tolist()
        ordered = values[self._order]
        return np.array([_native.exact_sum(ordered[a:b]) for a, b in pairwise(self._borders)])


def averaged(
    classes: Classes,
    measure: Callable[[Confusion], Values],
    ties: Predicted,
    average: AverageOver,
    zero_division: ZeroDivision,
) -> PerClass:
    """A measure of the decision to predict a class, averaged over classes; the measure gives NaN for 0/0.

    Args:
        classes: the rows.
        measure: a value of each class.
        ties: which of several greatest scores is predicted.
        average: ``macro`` is the mean over the classes that are a label or predicted; ``weighted`` weighs
            each by its rows; ``micro`` is the measure of the sums of all classes.
        zero_division: what 0/0 is: 0, 1, or left out of the mean.

    """
    confusion = classes.confusion(ties)
    values = measure(confusion)
    of_sums = _total(confusion) if average == "micro" else confusion
    each = measure(of_sums) if average == "micro" else values
    weights = of_sums.positive if average == "weighted" else np.ones(len(each))
    weights = np.where(of_sums.positive + of_sums.found > 0, weights, 0.0)
    if zero_division == "skip":
        weights = np.where(np.isnan(each), 0.0, weights)
    filled = np.where(np.isnan(each), 1.0 if zero_division == "one" else 0.0, each)
    (value,) = share(np.array([_native.exact_sum(weights * filled)]), np.array([_native.exact_sum(weights)]))
    without = {number: _empty(confusion, number) for number in np.flatnonzero(np.isnan(values)).tolist()}
    return PerClass(float(value), values, without, "no class has a value" if np.isnan(value) else None)


def _total(confusion: Confusion) -> Confusion:
    """The decisions to predict any class as one."""
    parts = (confusion.tp, confusion.fp, confusion.fn, confusion.tn)
    return Confusion(*(np.array([_native.exact_sum(part)]) for part in parts))


def _empty(confusion: Confusion, number: int) -> str:
    """What there is none of a class."""

    def lacking() -> Iterator[str]:
        if confusion.positive[number] == 0:
            yield "no row is of it"
        if confusion.found[number] == 0:
            yield "it is never predicted"

    return " and ".join(lacking())
