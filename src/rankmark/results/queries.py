"""Results whose values are means over queries, or made of what queries add: they can have intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from rankmark.errors import ChoiceError
from rankmark.progress import counting
from rankmark.results.base import Result

if TYPE_CHECKING:
    from typing import Self

    from rankmark.aggregation.intervals import PredictionInterval
    from rankmark.inputs.clusters import Clustering, ClustersBy
    from rankmark.statistics.intervals import IntervalName

__all__ = ["QueryResult"]


class QueryResult(Result):
    """A `Result` of queries, and the intervals of its values if they were asked for."""

    __slots__ = ("_intervals",)

    counted = "queries"

    def __init__(
        self, *, intervals: Mapping[str, PredictionInterval] = MappingProxyType({}), **known: Any
    ) -> None:
        super().__init__(**known)
        self._intervals = dict(intervals)

    @property
    def unit(self) -> tuple[str, ...]:
        """What one of what is counted in `query_ids` is called, and several."""
        return "query", "queries"

    @property
    def intervals(self) -> Mapping[str, PredictionInterval]:
        """The confidence interval of each measure, by its name in `values`; empty unless asked for."""
        return self._by_label(self._intervals)

    def with_intervals(
        self,
        method: IntervalName = "auto",
        *,
        confidence: float = 0.95,
        clusters: ClustersBy | Clustering = None,
        resamples: int = 10_000,
        seed: int = 0,
        threads: int | None = None,
    ) -> Self:
        """The same result with the confidence interval of each measure, for `intervals`.

        Whatever made the result, this makes them, from the values of the queries; they are those of
        `rankmark.compare` for this system. Of a measure of the whole run they are by the jackknife: by what
        it is without each of some 100 blocks of queries, and of `method` there are ``auto`` and ``t``.

        Args:
            method: which of `rankmark.statistics.INTERVALS`: ``auto`` takes Wilson's where values are 0 and
                1, the studentised bootstrap where they are skewed, and else t. What speaks against an
                interval its `note` says.
            confidence: the share of such intervals that hold the true value, 0 to 1.
            clusters: ``{query: what it belongs to}``; two of these in a list for clusters of two kinds.
            resamples: how many, for those that draw.
            seed: of these.
            threads: how many to use; all cores if None.

        Raises:
            ChoiceError: no such method, or one that does not go with the values or the clusters.
            DataError: a query of which `clusters` says nothing.

        Example:
            >>> import rankmark as rm
            >>> run = {f"q{i}": ["a", "b"] if i % 4 else ["b", "a"] for i in range(40)}
            >>> result = rm.evaluate({query: {"a": 1} for query in run}, run, "RR").with_intervals()
            >>> round(result["RR"], 4), [round(end, 4) for end in result.intervals["RR"][:2]]
            (0.875, [0.8049, 0.9451])

        """
        from rankmark.aggregation.query_intervals import interval_of_terms
        from rankmark.inputs.clusters import Clustering
        from rankmark.statistics.intervals import INTERVALS
        from rankmark.statistics.record import check_choice
        from rankmark.statistics.resampling import check_drawn, check_share

        check_choice("intervals", method, (name for name, each in INTERVALS.items() if each.of_means))
        check_share(confidence=confidence)
        draws = {"resamples": resamples, "seed": seed, "threads": threads}
        check_drawn(**draws)  # type: ignore[arg-type]
        INTERVALS[method].check(resamples, confidence)
        clustering = Clustering.of(clusters)
        again = cast("Self", copy(self._here()))
        how: dict[str, Any] = {"method": method, "confidence": confidence, "draws": draws}
        how |= {"together": len(again.measures), "unit": self.unit[1]}
        labels = None if clustering is None else clustering.labels(again.query_ids)
        again._intervals = {}
        with counting("making intervals", len(again.measures)) as counter:
            for measure in again.measures:
                counter.done += 1
                if math.isnan(again[measure]):
                    continue
                try:
                    clustered = labels is not None and measure.page.aggregate == "run"
                    terms = (
                        again.run_terms(measure, None, labels) if clustered else again.query_terms(measure)
                    )
                    interval = interval_of_terms(terms, labels, **how)
                except ChoiceError as error:
                    raise ChoiceError(f"{measure}: {error}") from None
                again._intervals[str(measure)] = interval
        return again

    def with_intervals_of(self, intervals: Mapping[str, PredictionInterval]) -> Self:
        """The same result with intervals that were made otherwise, by the canonical names of measures."""
        again = cast("Self", copy(self._here()))
        again._intervals = dict(intervals)
        return again

    def __copy__(self) -> Self:
        again = object.__new__(type(self))
        for kind in type(self).__mro__:
            for name in getattr(kind, "__slots__", ()):
                setattr(again, name, getattr(self, name))
        return again

    def _kept(self) -> dict[str, Any]:
        return super()._kept() | {"intervals": self._intervals}
