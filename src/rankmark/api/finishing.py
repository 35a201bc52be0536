"""What every door adds to a result from the values of its queries: weights, intervals and slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError
from rankmark.inputs.places import Places
from rankmark.results.queries import QueryResult

if TYPE_CHECKING:
    from rankmark.inputs.clusters import Clustering, ClustersBy
    from rankmark.inputs.slicing import By
    from rankmark.inputs.weights import Weighting, WeightsBy
    from rankmark.language.plan import AskedBounds, Plan
    from rankmark.statistics.intervals import IntervalName

__all__ = ["Finish", "method_of"]

T = TypeVar("T", bound=QueryResult)


@dataclass(frozen=True, slots=True)
class Finish:
    """Weights, intervals and slices as they were asked for; see `rankmark.evaluate`.

    Attributes:
        places: where columns and rows are.
        by: what to slice by.
        weighting: how much queries count.
        clustering: what they belong to.
        intervals: whether to give intervals, or which.
        how: what else `ListResult.with_intervals` takes.

    """

    places: Places
    by: By
    weighting: Weighting | None
    clustering: Clustering | None
    intervals: bool | IntervalName
    how: dict[str, Any]

    @classmethod
    def asked(
        cls,
        plan: Plan,
        places: Places,
        *,
        by: By = None,
        weights: WeightsBy | Weighting = None,
        intervals: bool | IntervalName = False,
        confidence: float = 0.95,
        clusters: ClustersBy = None,
        resamples: int = 10_000,
        threads: int | None = None,
        bounds: AskedBounds = False,
        query_ids: Sequence[Any] = (),
    ) -> Finish:
        """What was asked for, refused before anything is evaluated where it cannot be.

        Args:
            plan: what is evaluated, by which measures and with which seed.
            places: where columns and rows are.
            by: here and below as for `rankmark.evaluate`.
            weights: see there.
            intervals: see there.
            confidence: see there.
            clusters: see there.
            resamples: see there.
            threads: see there.
            bounds: whether these are asked for, too.
            query_ids: the queries, where there are no rows that weights by position can be of.

        Raises:
            UsageError: what does not go together, or is no weights or clusters.
            MeasureError: weights, and a measure that is no mean over queries.
            DataError: a query with several weights, or with one that is no number.

        """
        if places.attributes is by is weights is clusters is None and not intervals:
            return NOTHING
        if clusters is not None and not intervals:
            raise UsageError("clusters are for intervals: say intervals=True, too")
        if weights is not None:
            from rankmark.aggregation.query_weights import check_weighable

            check_weighable(plan.measures)
            if bounds:
                raise UsageError(
                    "bounds are of means in which all queries count alike: leave out bounds or weights"
                )
        clustering: Clustering | None = None
        weighting: Weighting | None = None
        if clusters is not None:
            from rankmark.inputs.clusters import Clustering

            clustering = Clustering.of(clusters, places)
        if weights is not None:
            from rankmark.inputs.weights import Weighting

            weighting = Weighting.of(weights, places, query_ids)
        draws = {"resamples": resamples, "seed": plan.choices.seed, "threads": threads}
        return cls(places, by, weighting, clustering, intervals, {"confidence": confidence, **draws})

    def of(self, result: T) -> T:
        """The result with what was asked for."""
        if self.weighting is not None:
            result = result.with_weights(self.weighting)
        if self.intervals:
            result = result.with_intervals(method_of(self.intervals), clusters=self.clustering, **self.how)
        if self.by is None and (self.places.attributes is None or self._of_columns):
            return result
        from rankmark.results.slices import slices_by  # which needs polars

        return result.with_slices(slices_by(result, self.by, self.places, self.how["confidence"]))

    @property
    def _of_columns(self) -> bool:
        """Whether attributes are for weights or clusters, which stand in columns."""
        return any(each is not None and each.of_columns for each in (self.clustering, self.weighting))


NOTHING = Finish(Places(), None, None, None, False, {})
"""That nothing was asked for."""


def method_of(intervals: bool | IntervalName) -> IntervalName:
    """The method that was asked for by its name or by True."""
    return "auto" if isinstance(intervals, bool) else intervals
