"""What a row measure sees: labelled scores, and what several measures make of them, each computed once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.kinds.lists import Values
from rankmark.kinds.row_core import BINARY, NUMBERS, ByQuery, Core, RankedCore

if TYPE_CHECKING:
    from rankmark import _native

__all__ = [
    "OF_SHAPE",
    "ROUNDING",
    "Correlation",
    "Curve",
    "Moments",
    "PerQuery",
    "Queries",
    "Ranked",
    "Rows",
    "Thresholds",
    "Undefined",
    "Values",
    "share_in_order",
]

T = TypeVar("T")


class Undefined(Exception):  # noqa: N818 - an outcome that the result tells with its reason, no error
    """The data give the measure no value; says why."""


@dataclass(frozen=True, slots=True)
class PerQuery:
    """What a row measure gives that is one value a query first.

    Attributes:
        values: one a query; NaN where it has none, and is left out of the mean.
        weights: what each query counts for in the mean.
        skipped: why queries are left out, in a word: ``"of one class"``.

    """

    values: Values
    weights: Values
    skipped: str


class Rows:
    """Labelled scores.

    A row has a label, a score and a weight, which is 1 where the table has no weights. For a measure of
    binary labels a row is positive or negative; y is 1 or 0 then, and the label's number for others. All
    sums are over rows times their weights, compensated, and the same for any number of threads. Nothing is
    computed before a measure asks for it, and nothing twice.

    Attributes:
        count: number of rows.
        core: what has the rows.
        precision: the least number that the scores' type can tell 1 and 1 plus it apart by.
        shaped: whether a measure of `OF_SHAPE` is going to be asked for.

    """

    __slots__ = ("_known", "_positives", "_query", "core", "count", "precision", "shaped")

    def __init__(
        self,
        core: Core,
        count: int,
        query: str | None,
        precision: float = 2.0**-52,
        positives: int | None = None,
    ) -> None:
        self.core = core
        self.count = count
        self.precision = precision
        self.shaped = False
        self._query = query
        self._positives = positives
        self._known: dict[Hashable, object] = {}

    def of_core(self, core: Core) -> Rows:
        """The same of another core, of which nothing is known yet."""
        return Rows(core, self.count, self._query, self.precision)

    @property
    def weight(self) -> float:
        """Σ w."""
        if self._counted:
            return float(self.count)
        return self._numbers[0] if NUMBERS in self._known else self._binary[0]

    @property
    def positive(self) -> float:
        """Σ w·y of binary labels."""
        return float(self.positives) if self._counted else self._binary[1]

    @property
    def positives(self) -> int:
        """Number of positive rows, whatever they weigh."""
        return int(self._binary[4]) if self._positives is None else self._positives

    @property
    def _counted(self) -> bool:
        """Whether sums of weights are counts: all rows weigh 1, and it is known how many are positive."""
        return self._positives is not None and not self.core.weighted

    @property
    def score(self) -> float:
        """Σ w·s."""
        return self._numbers[2] if NUMBERS in self._known else self._binary[2]

    @property
    def brier(self) -> float:
        """Σ w·(s − y)² of binary labels."""
        return self._binary[3]

    @property
    def label(self) -> float:
        """Σ w·y of labels that are numbers."""
        return self._numbers[1]

    @property
    def squared_error(self) -> float:
        """Σ w·(s − y)² of labels that are numbers."""
        return self._numbers[3]

    @property
    def absolute_error(self) -> float:
        """Σ w·|s − y| of labels that are numbers."""
        return self._numbers[4]

    @property
    def weighted(self) -> bool:
        """Whether rows have weights of their own."""
        return self.core.weighted

    def confusion(self, threshold: float) -> tuple[float, ...]:
        """Weights of the true and false positives and false and true negatives of score ≥ threshold."""
        return self._sums("confusion", threshold)

    @property
    def moments(self) -> Moments:
        """How labels that are numbers and scores vary around their means.

        Raises:
            Undefined: there are infinite scores.

        """
        means = self.label / self.weight, self.score / self.weight
        if not np.isfinite(means[1]):
            raise Undefined("there are infinite scores")
        return self._once("moments", lambda: self._moments(*means))

    def _moments(self, label: float, score: float) -> Moments:
        labels, scores, both, error = self._sums("moments", label, score)
        # Of numbers that are all the same the mean is off by the rounding of its sum, and no more.
        labels, scores = (
            0.0 if spread <= self.weight * (ROUNDING * mean * ROUNDING * mean) else spread
            for spread, mean in ((labels, label), (scores, score))
        )
        return Moments(labels, scores, both, error)

    @property
    def relative_errors(self) -> tuple[float, ...]:
        """Σ w·|s − y|/|y| and Σ w·2|s − y|/(|s| + |y|), and how many rows with a weight have the label 0."""
        return self._sums("relative_errors")

    @property
    def correlation(self) -> Correlation:
        """The orders of the rows by labels that are numbers, and by scores, against each other."""
        return self._once("correlation", lambda: Correlation(*self.core.correlation()))

    @property
    def query_errors(self) -> _native.QueryErrors:
        """Sums of errors over the rows of each query, in the order of the queries' first rows."""
        assert self._query is not None
        query = self._query
        return self._once("query_errors", lambda: self.core.query_errors(query))

    def query_totals(self, column: str) -> Values:
        """Σ w·c of a column c over the rows of each query, in the order of the queries' first rows."""
        assert self._query is not None
        query = self._query
        return self._once(("query_totals", column), lambda: self.core.query_totals(query, column))

    @property
    def by_query(self) -> ByQuery:
        """The rows of each query together, in the order of `query_errors`, which refuses what is no query."""
        assert self._query is not None
        query = self._query
        return self._once("by_query", lambda: self.core.by_query(query))

    @property
    def of_queries(self) -> Queries | _native.QueryErrors:
        """Whichever sums over the rows of each query are known, for what both have."""
        return self.query_errors if "query_errors" in self._known else self.queries

    def log_loss(self, clip: float | Literal["precision"]) -> float:
        """−Σ w·ln(p), p being s for a positive row and 1 − s for another, with s in [clip, 1 − clip].

        The clip ``precision`` is `precision`.
        """
        least = self.precision if clip == "precision" else clip
        return self._sums("log_loss", least)[0]

    @property
    def base_rate(self) -> float:
        """The share of positive weight, Σ w·y / Σ w."""
        return self.positive / self.weight

    @property
    def entropy(self) -> float:
        """−r·ln r − (1 − r)·ln(1 − r) of the base rate r: the log loss of always saying r.

        Raises:
            Undefined: all rows are of one class, where it is 0.

        """
        self.check_both_classes()
        rate = self.base_rate
        return float(-rate * np.log(rate) - (1 - rate) * np.log1p(-rate))

    def check_both_classes(self) -> None:
        """For a measure that compares positive rows with others.

        Raises:
            Undefined: there are no positive rows, or no others.

        """
        if self.positive == 0:
            raise Undefined("no row is positive")
        if self.positive == self.weight:
            raise Undefined("every row is positive")

    def check_positive(self) -> None:
        """For a measure that looks at the positive rows.

        Raises:
            Undefined: there are none.

        """
        if self.positive == 0:
            raise Undefined("no row is positive")

    @property
    def ranked(self) -> Ranked:
        """The rows by falling score."""
        return self._once("ranked", lambda: Ranked(self.core.ranked(), shaped=self.shaped))

    @property
    def queries(self) -> Queries:
        """The rows of each query; there is one if `row_measure` says that the measure needs it."""
        assert self._query is not None
        query = self._query
        return self._once("queries", lambda: Queries(self.core.queries(query)))

    def bins(self, borders: Values) -> list[Values]:
        """Sums over the rows between rising borders, each bin with its upper border.

        They are the number of rows, Σ w, Σ w·y of binary labels, Σ w·s and Σ w²; one bin more than borders.
        """
        return list(np.array(self._sums("bins", *borders.tolist())).reshape(5, -1))

    @property
    def _binary(self) -> tuple[float, ...]:
        return self._once(BINARY, lambda: self.core.sums(BINARY))

    @property
    def _numbers(self) -> tuple[float, ...]:
        return self._once(NUMBERS, lambda: self.core.sums(NUMBERS))

    def _sums(self, name: str, *arguments: float) -> tuple[float, ...]:
        """Sums over all rows, by the name that the core has for them."""
        asked = (name, arguments)
        return self._once(asked, lambda: self.core.sums(asked))

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        """What was computed under this key the first time."""
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]  # type: ignore[return-value]


ROUNDING = 3e-14
"""By which share the mean of numbers can be off: the core adds up 256 at a time, which round 2⁻⁵³ each."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Sums over rows of products of what labels and scores differ from their means by.

    Attributes:
        label: Σ w·(y − ȳ)².
        score: Σ w·(s − s̄)².
        both: Σ w·(y − ȳ)·(s − s̄).
        error: Σ w·(e − ē)² of e = s − y.

    """

    label: float
    score: float
    both: float
    error: float


@dataclass(frozen=True, slots=True)
class Correlation:
    """How much the order of rows by label and that by score agree; weights do not count.

    Attributes:
        pairs: how many pairs of rows are in the same order, how many in the opposite one, and of how many
            only the labels, and only the scores, are equal.
        ranks: Σ a², Σ b² and Σ a·b of twice the distances a and b of the ranks of labels and of scores from
            their mean; equal ones have the mean of their ranks.

    """

    pairs: tuple[int, int, int, int]
    ranks: tuple[float, float, float]


OF_SHAPE = frozenset({"AveragePrecision", "KS", "PRAUC"})
"""Measures that look at all thresholds, of which the core then knows the pairs of the AUC, too."""


class Ranked:
    """Rows by falling score. Equal scores are one threshold: those rows are found together.

    A threshold finds the rows that score at least as much: TP is the weight of the positive ones among
    them, FP that of the others, P and N are those of all rows.

    Attributes:
        positive: P.
        negative: N.

    """

    __slots__ = ("_core", "_known", "_shaped", "negative", "positive")

    def __init__(self, core: RankedCore, *, shaped: bool = False) -> None:
        self._core = core
        self._shaped = shaped
        self._known: dict[Hashable, Any] = {}
        self.positive, self.negative = core.totals()

    @property
    def pairs(self) -> float:
        """Weight of the pairs of a positive row and another with the positive ahead, ties counted half."""
        if self._shaped:
            self._shape  # noqa: B018 - whose look at the thresholds tells the pairs
        return self._once("pairs", self._core.pairs)

    @property
    def in_order(self) -> float:
        """The same over the weight of all such pairs: the AUC; NaN where a class has none.

        Raises:
            DataError: no number holds the weight of all.

        """
        sums = (np.array([each]) for each in (self.pairs, self.positive, self.negative))
        return float(share_in_order(*sums)[0])

    @property
    def precision_steps(self) -> float:
        """Σ ΔTP·TP/(TP + FP) over the thresholds, from the highest."""
        return self._shape[0]

    @property
    def precision_trapezoids(self) -> float:
        """The same with the mean of each threshold's precision and that of the one before, at first 1."""
        return self._shape[1]

    @property
    def greatest_gap(self) -> float:
        """The greatest |TP/P − FP/N| over the thresholds."""
        return self._shape[2]

    @property
    def reliability(self) -> float:
        """Σ w·(s − r)², where r is the share of positive weight among the rows with the same score."""
        return self._shape[3]

    @property
    def resolution(self) -> float:
        """Σ w·(r − P/(P + N))²."""
        return self._shape[4]

    @property
    def _shape(self) -> tuple[float, float, float, float, float]:
        return self._once("shape", self._core.shape)

    def beyond(self, weights: Values) -> Thresholds:
        """For each weight the highest threshold that finds more; the lowest of all where none does."""
        return Thresholds(*self._core.beyond(weights))

    def bins(self, borders: Values) -> list[Values]:
        """As `Rows.bins`, quicker since the rows of a bin stand together."""
        return self._once(("bins", borders.tobytes()), lambda: self._core.bins(borders))

    def log_odds(self, clip: float) -> _native.LogOdds:
        """The log odds of scores in [clip, 1 − clip], for logistic models."""
        return self._once(("log_odds", clip), lambda: self._core.log_odds(clip))

    @property
    def curve(self) -> Curve:
        """Every threshold."""
        return self._once("curve", lambda: Curve(*self._core.curve()))

    def _once(self, key: Hashable, compute: Callable[[], T]) -> T:
        if key not in self._known:
            self._known[key] = compute()
        return self._known[key]  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Some thresholds.

    Attributes:
        score: the scores.
        tp_above: weight of the positive rows that score more.
        fp_above: weight of the others that do.
        tp: weight of the positive rows that score as much.
        fp: weight of the others that do.

    """

    score: Values
    tp_above: Values
    fp_above: Values
    tp: Values
    fp: Values


@dataclass(frozen=True, slots=True)
class Curve:
    """What every threshold finds, from the highest to the lowest; nothing is found above the first.

    Attributes:
        score: the thresholds, falling.
        tp: weight of the positive rows that score at least as much.
        fp: weight of the others that do.

    """

    score: Values
    tp: Values
    fp: Values

    @property
    def tpr(self) -> Values:
        """TP/P, with 0 before the first threshold: one longer than `score`."""
        return _shares(self.tp)

    @property
    def fpr(self) -> Values:
        """FP/N, with 0 before the first threshold: one longer than `score`."""
        return _shares(self.fp)


def share_in_order(pairs: Values, positive: Values, negative: Values) -> Values:
    """The weight of pairs in order over that of all of a positive row and another; NaN where there are none.

    Raises:
        DataError: no number holds the weight of all.

    """
    with np.errstate(over="ignore"):
        every = positive * negative
    there = (positive > 0) & (negative > 0)
    wrong = np.flatnonzero(there & ((every < np.finfo(float).tiny) | (every == np.inf)))
    if len(wrong):
        raise DataError(
            f"the weights of positive rows add up to {positive[wrong[0]]:.3g} and those of others to "
            f"{negative[wrong[0]]:.3g}, whose product no number holds; multiply all weights by one number, "
            "since only their ratios count"
        )
    share = np.full(len(every), np.nan)
    np.divide(pairs, every, out=share, where=there)
    return share


def _shares(weights: Values) -> Values:
    """Cumulated weights over the last of them, from 0 to exactly 1."""
    shares: Values = np.append(np.zeros(1), weights / weights[-1])
    return shares


class Queries:
    """The rows of each query; arrays have one value a query, in the order of the queries' first rows.

    Attributes:
        first_rows: the number of each query's first row.
        rows: how many rows it has.
        pairs: as `Ranked.pairs`, of its rows.
        positive: weight of its positive rows.
        negative: weight of the others.

    """

    __slots__ = ("first_rows", "negative", "pairs", "positive", "rows")

    def __init__(self, core: _native.QuerySums) -> None:
        self.first_rows = core.first_rows
        self.rows: Values = core.rows
        self.pairs: Values = core.pairs
        self.positive: Values = core.positives
        self.negative: Values = core.negatives

    @property
    def weight(self) -> Values:
        """Σ w."""
        return self.positive + self.negative

    @property
    def auc(self) -> Values:
        """The AUC of its rows; NaN for a query of one class."""
        return share_in_order(self.pairs, self.positive, self.negative)
