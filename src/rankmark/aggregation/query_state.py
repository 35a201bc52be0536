"""The values of queries that were observed in blocks, to be put together with those of other blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.aggregation.observed import Block, Observed
from rankmark.language.plan import Group

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from rankmark.aggregation.refusals import Fault

__all__ = ["QueryState", "columns_of"]


def columns_of(groups: Sequence[Group]) -> dict[str, type[pl.DataType]]:
    """The columns of a state, and their types, but for the query.

    `place` orders the queries, `answered` says whether one has results. Each group has the columns of
    `Observed`: for the first ``0.retrieved``, ``0.tied_rank``, and the values ``0.0``, ``0.1`` ….
    """
    import polars as pl

    columns: dict[str, type[pl.DataType]] = {"place": pl.Int64, "answered": pl.Boolean}
    for number, (_, measures) in enumerate(groups):
        values = sum(2 if measure.page.aggregate == "ratio" else 1 for measure in measures)
        columns |= {f"{number}.retrieved": pl.Int64, f"{number}.tied_rank": pl.Int64}
        columns |= {f"{number}.{value}": pl.Float64 for value in range(values)}
    return columns


@dataclass(frozen=True, slots=True)
class QueryState:
    """Judged queries, a row each, and the queries that have results but no judgements.

    Attributes:
        groups: what was observed.
        parts: the judged queries: their ids as ``query``, and the columns of `columns_of`.
        others: ids of queries without judgements; one may be there several times.
        hits: number of judged items in the lists, a number for each part.
        order: of each part, in how many lists relevant items stand below the others, and in how many above.

    """

    groups: tuple[Group, ...]
    parts: list[pl.DataFrame]
    others: list[pl.Series]
    hits: list[int]
    order: list[tuple[int, int]]

    @classmethod
    def empty(cls, groups: Iterable[Group]) -> QueryState:
        """The state before anything was observed."""
        return cls(tuple(groups), [], [], [], [])

    @classmethod
    def of(
        cls,
        groups: tuple[Group, ...],
        block: Block,
        query_ids: pl.Series,
        places: NDArray[Any] | None = None,
        others: pl.Series | None = None,
    ) -> QueryState:
        """What was observed of a block.

        Args:
            groups: what was observed.
            block: what it gave.
            query_ids: the judged queries, of the type that all blocks have.
            places: numbers that order the judged queries among those of all blocks.
            others: the block's queries without judgements.

        """
        import polars as pl

        first = block.observed[0]
        columns: dict[str, Any] = {
            "query": query_ids,
            "place": np.zeros(len(query_ids), dtype=np.int64) if places is None else places.astype(np.int64),
            "answered": first.answered,
        }
        for number, each in enumerate(block.observed):
            columns |= {f"{number}.retrieved": each.retrieved, f"{number}.tied_rank": each.tied_rank}
            columns |= {f"{number}.{value}": values for value, values in enumerate(each.values)}
        return cls(
            groups,
            [pl.DataFrame(columns)],
            [] if others is None or not len(others) else [others],
            [first.hits],
            [first.order],
        )

    @classmethod
    def of_others(cls, groups: tuple[Group, ...], others: pl.Series) -> QueryState:
        """What was observed of queries none of which has judgements."""
        return cls(groups, [], [others], [], [])

    @property
    def faults(self) -> Mapping[str, Fault]:
        """None: the core refuses at once what cannot be evaluated."""
        return {}

    def add(self, other: QueryState) -> None:
        """Takes in all that another state of the same groups has."""
        self.parts.extend(other.parts)
        self.others.extend(other.others)
        self.hits.extend(other.hits)
        self.order.extend(other.order)

    def without(self, queries: pl.Series) -> QueryState:
        """The state without some queries; `hits` and `order`, which are counts of parts, still have them."""
        among = queries.implode()
        return QueryState(
            self.groups,
            [part.filter(~part["query"].is_in(among)) for part in self.parts],
            [others.filter(~others.is_in(among)) for others in self.others],
            self.hits,
            self.order,
        )

    def only(self, queries: pl.Series) -> pl.DataFrame:
        """What is known of some queries, a row each; of one without judgements only its id."""
        import polars as pl

        among = queries.implode()
        judged = [part.filter(part["query"].is_in(among)) for part in self.parts]
        others = self.unjudged()
        return pl.concat([*judged, others.filter(others.is_in(among)).to_frame()], how="diagonal_relaxed")

    def frame(self, order: Literal["place", "query"]) -> pl.DataFrame:
        """All judged queries in one order, whatever the order in which they were added.

        Queries with the same id are told apart by all that is known of them.
        """
        import polars as pl

        frame = pl.concat(self.parts, how="vertical_relaxed")  # ids may be of several widths
        return frame.sort(order) if order == "place" else frame.sort("query", *frame.columns[1:])

    def unjudged(self, repeated: bool = False) -> pl.Series:
        """The queries without judgements in order, each once unless `repeated`."""
        import polars as pl

        if not self.others:
            return self.parts[0]["query"].clear() if self.parts else pl.Series("query", [], dtype=pl.Int64)
        others = pl.concat(self.others)
        return (others if repeated else others.unique()).sort()

    def whole_order(self) -> tuple[int, int]:
        """As `rankmark.aggregation.state.Seen.order`, of all parts."""
        return sum(below for below, _ in self.order), sum(above for _, above in self.order)

    def whole(self, order: Literal["place", "query"], unjudged: int) -> Block:
        """All judged queries, to be finished, with the number of those without judgements."""
        frame = self.frame(order)
        answered = frame["answered"].to_numpy()
        hits, above_or_below = sum(self.hits), self.whole_order()
        observed = []
        for number in range(len(self.groups)):
            own = [name for name in frame.columns if name.startswith(f"{number}.")]
            retrieved, tied_rank, *values = (frame[name].to_numpy(writable=True) for name in own)
            ties = bool(np.count_nonzero(tied_rank))
            observed.append(Observed(answered, retrieved, tied_rank, values, hits, ties, above_or_below))
        nowhere = np.empty(0, dtype=np.uint32)
        return Block(Table.from_arrow(frame.select("query")), observed, nowhere, unjudged)
