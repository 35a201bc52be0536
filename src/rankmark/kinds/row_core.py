"""What measures can ask of labelled scores, wherever these are.

Sums over rows are asked for by name, so that who has them in parts, or as terms of each row, needs to know no
more of one than its name: a new sum is a method of the core and a word in `Rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, Protocol, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.kinds.lists import Values
from rankmark.kinds.pairs import Whole, offsets_of

__all__ = [
    "BINARY",
    "NUMBERS",
    "ByQuery",
    "Core",
    "InMemory",
    "NotMergedError",
    "RankedCore",
    "Sum",
    "SumsAlone",
]

Sum: TypeAlias = "tuple[str, tuple[float, ...]]"
"""A method of the rows in the core that gives sums over them, and its arguments."""
BINARY: Sum = ("binary_sums", ())
"""Σ w, Σ w·y, Σ w·s and Σ w·(s − y)² of binary labels, and how many rows are positive."""
NUMBERS: Sum = ("number_sums", ())
"""Σ w, Σ w·y, Σ w·s, Σ w·(s − y)² and Σ w·|s − y| of labels that are numbers."""


class NotMergedError(Exception):
    """A measure looks at more of the rows than what of them is there."""


class RankedCore(Protocol):
    """Rows by falling score; see `rankmark.kinds.rows.Ranked`."""

    def totals(self) -> tuple[float, float]:
        """Weight of the positive rows, and of the others."""

    def pairs(self) -> float:
        """Weight of the pairs of a positive row and another with the positive ahead, ties counted half."""

    def shape(self) -> tuple[float, float, float, float, float]:
        """What curves over all thresholds come to."""

    def beyond(self, weights: Values, /) -> list[Values]:
        """For each weight the highest threshold that finds more."""

    def bins(self, borders: Values, /) -> list[Values]:
        """Sums over the rows between rising borders."""

    def log_odds(self, clip: float, /) -> _native.LogOdds:
        """The log odds of the scores."""

    def curve(self) -> tuple[Values, Values, Values]:
        """Every threshold."""


@dataclass(frozen=True, slots=True)
class ByQuery:
    """The rows of each query together, in the order of the queries' first rows.

    Attributes:
        offsets: the rows of query ``q`` are ``offsets[q]:offsets[q + 1]``.
        label: the labels, as numbers.
        score: the scores.
        weight: the weights, 1 where rows have none.

    """

    offsets: Whole
    label: Values
    score: Values
    weight: Values

    @classmethod
    def of(cls, table: _native.Table, query: str, label: str, score: str, weight: str | None) -> ByQuery:
        """Those of a table; the rows of a query stand in an order of their own, whatever theirs was."""
        import polars as pl

        numbers = [pl.col(name).cast(pl.Float64).alias(str(at)) for at, name in enumerate((label, score))]
        numbers.append((pl.lit(1.0) if weight is None else pl.col(weight).cast(pl.Float64)).alias("2"))
        frame = pl.DataFrame(table).select(pl.col(query).alias("query"), *numbers)
        groups = frame.group_by("query", maintain_order=True).agg(pl.struct("0", "1", "2").sort())
        rows = groups["0"].explode().struct.unnest()
        columns = (rows[name].to_numpy() for name in rows.columns)
        return cls(offsets_of(groups["0"].list.len().to_numpy()), *columns)

    def sum(self, x: Values) -> Values:
        """The sum over the rows of each query."""
        return _native.segment_sum(np.ascontiguousarray(x), self.offsets)

    def apart(self, each: Values) -> Values:
        """What the rows differ from the weighted mean of their query by."""
        total = self.sum(self.weight)
        means: Values = np.divide(
            self.sum(self.weight * each), total, out=np.full(len(total), np.nan), where=total > 0
        )
        apart: Values = each - np.repeat(means, np.diff(self.offsets))
        return apart


class Core(Protocol):
    """Labelled scores; see `rankmark.kinds.rows.Rows`."""

    @property
    def weighted(self) -> bool:
        """Whether rows have weights of their own."""

    def sums(self, asked: Sum, /) -> tuple[float, ...]:
        """Sums over all rows."""

    def ranked(self) -> RankedCore:
        """The rows by falling score."""

    def correlation(self) -> tuple[tuple[int, int, int, int], tuple[float, float, float]]:
        """How much the order by label and that by score agree."""

    def queries(self, column: str, /) -> _native.QuerySums:
        """The rows of each query."""

    def query_errors(self, column: str, /) -> _native.QueryErrors:
        """Sums of errors over the rows of each query."""

    def query_totals(self, query: str, column: str, /) -> Values:
        """The sum of a column over the rows of each query."""

    def by_query(self, column: str, /) -> ByQuery:
        """The rows of each query together."""


class InMemory:
    """Rows in this machine's memory, which the native core has."""

    __slots__ = ("_by_query", "native")

    def __init__(
        self, native: _native.LabelledRows, by_query: Callable[[str], ByQuery] | None = None
    ) -> None:
        self.native = native
        self._by_query = by_query

    @property
    def weighted(self) -> bool:
        """As `Core`."""
        return self.native.weighted

    def sums(self, asked: Sum) -> tuple[float, ...]:
        """Sums over all rows."""
        name, arguments = asked
        if name == "bins":
            return tuple(np.concatenate(self.native.bins(np.array(arguments))).tolist())
        computed = getattr(self.native, name)(*arguments)
        return (computed,) if isinstance(computed, float) else tuple(computed)

    def ranked(self) -> RankedCore:
        """The rows by falling score."""
        return self.native.ranked()

    def correlation(self) -> tuple[tuple[int, int, int, int], tuple[float, float, float]]:
        """As `Core`."""
        return self.native.correlation()

    def queries(self, column: str) -> _native.QuerySums:
        """As `Core`."""
        return self.native.queries(column)

    def query_errors(self, column: str) -> _native.QueryErrors:
        """As `Core`."""
        return self.native.query_errors(column)

    def query_totals(self, query: str, column: str) -> Values:
        """As `Core`."""
        return self.native.query_totals(query, column)

    def by_query(self, column: str) -> ByQuery:
        """As `Core`."""
        return _refused() if self._by_query is None else self._by_query(column)


class SumsAlone:
    """Rows of which sums are known and, maybe, how they are ranked; who asks more meets `NotMergedError`."""

    __slots__ = ("_ranked", "sums")

    def __init__(
        self, sums: Callable[[Sum], tuple[float, ...]], ranked: Callable[[], RankedCore] | None = None
    ) -> None:
        self.sums = sums
        self._ranked = ranked

    def ranked(self) -> RankedCore:
        """As `Core`."""
        return _refused() if self._ranked is None else self._ranked()

    @property
    def weighted(self) -> bool:
        """As `Core`."""
        return _refused()

    def correlation(self) -> NoReturn:
        """As `Core`."""
        _refused()

    def queries(self, _: str) -> NoReturn:
        """As `Core`."""
        _refused()

    def query_errors(self, _: str) -> NoReturn:
        """As `Core`."""
        _refused()

    def query_totals(self, _: str, __: str) -> NoReturn:
        """As `Core`."""
        _refused()

    def by_query(self, _: str) -> NoReturn:
        """As `Core`."""
        _refused()


def _refused() -> NoReturn:
    raise NotMergedError
