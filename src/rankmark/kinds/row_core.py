"""What measures can ask of labelled scores, wherever these are.

Sums over rows are asked for by name, so that who has them in parts, or as terms of each row, needs to know no
more of one than its name: a new sum is a method of the core and a word in `Rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn, Protocol, TypeAlias

import numpy as np

from rankmark.kinds.lists import Values

if TYPE_CHECKING:
    from rankmark import _native

__all__ = ["BINARY", "NUMBERS", "Core", "InMemory", "NotMergedError", "RankedCore", "Sum", "SumsAlone"]

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


class InMemory:
    """Rows in this machine's memory, which the native core has."""

    __slots__ = ("native",)

    def __init__(self, native: _native.LabelledRows) -> None:
        self.native = native

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


def _refused() -> NoReturn:
    raise NotMergedError
