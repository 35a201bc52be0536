"""The values of all queries, for a table that is sorted and filtered in the page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import direction
from rankmark.dataclassing import dataclass
from rankmark.language.written import written
from rankmark.rendering.blocks import Grid
from rankmark.rendering.words import printable
from rankmark.reports.packed import packed_numbers, packed_texts, packed_values

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.language.measure import Measure
    from rankmark.results.base import Result

__all__ = ["QueryValues"]

DIGITS = 4
MOST_SLICES = 500
NOWHERE = 65535
"""The number of the slice of a query that is in none."""
STILL = 10
"""Queries that are shown without JavaScript, and on paper."""


@dataclass(frozen=True, slots=True)
class QueryValues:
    """What each query came to.

    Attributes:
        ids: the queries.
        measures: those that have a value for each query.
        systems: the systems.
        values: of each measure and system, NaN where there is none; in the order of `ids`.
        pair: the systems that are looked at first: the one against which, and the other; of one system alone
            this one.

    """

    ids: Sequence[int | str]
    measures: Sequence[Measure]
    systems: Sequence[str]
    values: Mapping[tuple[Measure, str], NDArray[np.float64]]
    pair: tuple[str, ...]

    @classmethod
    def of_comparison(cls, shown: Comparison) -> QueryValues | None:
        """Those of the queries that all systems have, the means over seeds; None if none are of queries."""
        measures = shown.query_measures
        if not measures:
            return None
        values = {(m, name): shown.query_values(name, m) for m in measures for name in shown.systems}
        means = {name: shown.value(name, measures[0]) for name in shown.systems}
        pair = _pair(measures[0], means, shown.baselines)
        return cls(shown.query_ids, measures, shown.systems, values, pair)

    @classmethod
    def of_results(cls, results: Mapping[str, Result], baselines: Sequence[str] = ()) -> QueryValues | None:
        """Those of the queries of the first result; None where no measure has values of queries."""
        first = next(iter(results.values()))
        measures = [
            m for m in first.query_measures if all(m in each.query_measures for each in results.values())
        ]
        if not measures:
            return None
        values = {(m, name): _in_order(first, each, m) for m in measures for name, each in results.items()}
        means = {name: each[measures[0]] for name, each in results.items()}
        return cls(first.query_ids, measures, list(results), values, _pair(measures[0], means, baselines))

    def changes(self) -> NDArray[np.float64]:
        """How much each query is worth looking at: by the first measure its change, or of one system how bad.

        NaN where there is no value.
        """
        measure, (one, *others) = self.measures[0], self.pair
        if others:
            return np.abs(self.values[measure, others[0]] - self.values[measure, one])
        return -direction(measure) * self.values[measure, one]

    def first(self, count: int) -> list[int]:
        """The rows of so many queries that are most worth looking at."""
        order = np.argsort(-np.nan_to_num(self.changes(), nan=-np.inf), kind="stable")
        found: list[int] = order[:count].tolist()
        return found

    def still(self, texts: Mapping[str, str]) -> Grid:
        """A table of a few of them."""
        measure = self.measures[0]
        names = list(reversed(self.pair))
        header = [
            "query",
            *["text"] * bool(texts),
            *map(printable, names),
            *["difference"] * (len(names) > 1),
        ]
        rows = [header]
        for row in self.first(STILL):
            query = str(self.ids[row])
            values = [float(self.values[measure, name][row]) for name in names]
            cells = [written(measure, each, DIGITS) for each in values]
            if len(names) > 1:
                cells.append(written(measure, values[0] - values[1], DIGITS, "+"))
            rows.append([query, *[texts.get(query, "")] * bool(texts), *cells])
        return Grid(1 + bool(texts), rows).printable()

    def packed(self, texts: Mapping[str, str], slices: pl.DataFrame | None) -> dict[str, Any]:
        """All of them, for the page, with the slices that they are in, as `QuerySlices.frame`."""
        ids = [str(each) for each in self.ids]
        return {
            "systems": list(self.systems),
            "measures": [
                {"name": m.label, "sign": 0 if m.better == "neither" else direction(m)} for m in self.measures
            ],
            "pair": [list(self.systems).index(each) for each in self.pair],
            "count": len(ids),
            "digits": DIGITS,
            "queries": packed_texts(ids),
            "texts": packed_texts([texts.get(each, "") for each in ids]) if texts else None,
            "slices": [] if slices is None else list(_packed_slices(slices, ids)),
            "values": [
                [packed_values(self.values[measure, name]) for name in self.systems]
                for measure in self.measures
            ],
        }


def _packed_slices(slices: pl.DataFrame, ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Of each column by which there are slices their names, and the number of that of each query."""
    import polars as pl

    named = slices.with_columns(pl.col("query").cast(pl.String))
    found = pl.DataFrame({"query": ids}).join(named, on="query", how="left", maintain_order="left")
    for column in found.drop("query"):
        assert isinstance(column.dtype, pl.Enum)
        names = column.dtype.categories.to_list()
        if len(names) <= MOST_SLICES:
            numbers = column.to_physical().cast(pl.Int64).fill_null(NOWHERE).to_numpy()
            yield {"by": column.name, "names": names, "numbers": packed_numbers(numbers.astype(np.uint16))}


def _pair(measure: Measure, means: Mapping[str, float], baselines: Sequence[str]) -> tuple[str, ...]:
    """The baseline, or the first system, and the best of the others."""
    one = next(iter(baselines), next(iter(means)))
    others = [name for name in means if name != one]
    if not others:
        return (one,)
    return one, max(others, key=lambda name: np.nan_to_num(direction(measure) * means[name], nan=-np.inf))


def _in_order(first: Result, other: Result, measure: Measure) -> NDArray[np.float64]:
    """Another result's values of the queries of the first."""
    values = np.asarray(other.query_values(measure), dtype=np.float64)
    if first.query_ids == other.query_ids:
        return values
    places = {query: row for row, query in enumerate(other.query_ids)}
    rows = np.array([places.get(query, -1) for query in first.query_ids], dtype=np.intp)
    return np.where(rows < 0, np.nan, np.append(values, np.nan)[rows])
