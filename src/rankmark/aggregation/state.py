"""What engines have observed of some judged queries, to be put together with what they observe of others.

Every engine does *observe → merge → finish*. It observes blocks of whole queries, on this machine or on
others, and adds each to a `State`; states merge in any order; `State.finished` gives all queries in one
order, from which `rankmark.api.evaluation.finished` makes the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.aggregation.observed import Observed
from rankmark.language.plan import Group

if TYPE_CHECKING:
    import polars as pl


__all__ = ["State", "columns_of"]


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
class State:
    """Judged queries, a row each, and the queries that have results but no judgements.

    Attributes:
        groups: what was observed.
        parts: the judged queries: their ids as ``query``, and the columns of `columns_of`.
        others: ids of queries without judgements; one may be there several times.
        hits: number of judged items in the lists, a number for each part.

    """

    groups: tuple[Group, ...]
    parts: list[pl.DataFrame]
    others: list[pl.Series]
    hits: list[int]

    @classmethod
    def empty(cls, groups: Iterable[Group]) -> State:
        """The state before anything was observed."""
        return cls(tuple(groups), [], [], [])

    def add(
        self,
        query_ids: pl.Series,
        observed: Sequence[Observed],
        places: NDArray[Any] | None = None,
        others: pl.Series | None = None,
    ) -> None:
        """Adds a block: its judged queries, what each group observed of them, and its other queries.

        `places` are numbers that order the judged queries among those of all blocks.
        """
        import polars as pl

        first = observed[0]
        columns: dict[str, Any] = {
            "query": query_ids,
            "place": np.zeros(len(query_ids), dtype=np.int64) if places is None else places.astype(np.int64),
            "answered": first.answered,
        }
        for number, each in enumerate(observed):
            columns |= {f"{number}.retrieved": each.retrieved, f"{number}.tied_rank": each.tied_rank}
            columns |= {f"{number}.{value}": values for value, values in enumerate(each.values)}
        self.parts.append(pl.DataFrame(columns))
        self.hits.append(first.hits)
        if others is not None and len(others):
            self.others.append(others)

    def merge(self, other: State) -> None:
        """Adds all that another state of the same groups has."""
        self.parts.extend(other.parts)
        self.others.extend(other.others)
        self.hits.extend(other.hits)

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

    def finished(self, order: Literal["place", "query"], unjudged: int) -> tuple[Table, list[Observed]]:
        """The ids of all judged queries, and what each group observed of them."""
        frame = self.frame(order)
        answered = frame["answered"].to_numpy()
        hits = sum(self.hits)
        nowhere = np.empty(0, dtype=np.uint32)
        observed = []
        for number in range(len(self.groups)):
            own = [name for name in frame.columns if name.startswith(f"{number}.")]
            retrieved, tied_rank, *values = (frame[name].to_numpy(writable=True) for name in own)
            ties = bool(np.count_nonzero(tied_rank))
            observed.append(Observed(answered, retrieved, tied_rank, values, hits, nowhere, unjudged, ties))
        return Table.from_arrow(frame.select("query")), observed
