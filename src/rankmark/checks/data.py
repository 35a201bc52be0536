"""The tables that the checks look at, and what they come to when evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankmark._native import ItemNumbers, Table
from rankmark.aggregation.oddities import lists_of
from rankmark.api.evaluation import evaluate
from rankmark.checks.finding import examples
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.errors import DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs import Input
from rankmark.inputs.catalogue import Catalogue
from rankmark.inputs.roles import VALUE_OF
from rankmark.language.choices import Choices

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.choices import GivenChoices
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult

__all__ = ["IDS", "CheckedPair", "CheckedTable", "different"]

IDS = ["query", "item"]


@dataclass(frozen=True)
class CheckedTable:
    """A table as a polars frame with the columns query, item and, if it has such numbers, value.

    The value is the grade, the score or, where `by_rank`, the rank.
    """

    source: Input
    where: str
    frame: pl.DataFrame
    _ids: dict[str, pl.DataFrame] = field(init=False, repr=False, compare=False, default_factory=dict)

    @classmethod
    def of(cls, source: Input, where: str) -> CheckedTable:
        """The rows of a table that has been read."""
        import polars as pl

        need_polars_threads()
        number = source.value or source.rank
        roles = {"query": source.query, "item": source.item} | ({"value": number} if number else {})
        frame = pl.DataFrame(source.table).select(pl.col(name).alias(role) for role, name in roles.items())
        texts = [name for name in IDS if not frame.schema[name].is_integer()]
        frame = frame.with_columns(pl.col(texts).cast(pl.String))
        if number and frame.schema["value"] == pl.Boolean:
            frame = frame.with_columns(pl.col("value").cast(pl.Float64))
        return cls(source, where, frame)

    @property
    def by_rank(self) -> bool:
        """Whether lower values are better."""
        return self.source.value is None and self.source.rank is not None

    @property
    def has_values(self) -> bool:
        """Whether there is a column of values."""
        return "value" in self.frame.columns

    @property
    def has_floats(self) -> bool:
        """Whether the values can be NaN or infinite."""
        return self.has_values and self.frame.schema["value"].is_float()

    def examples(self, found: pl.DataFrame) -> tuple[Mapping[str, Any], ...]:
        """The first few of the rows found, with their values under the name of what they are."""
        return examples(
            found.rename({"value": "rank" if self.by_rank else VALUE_OF[self.source.side]}, strict=False)
        )

    def with_frame(self, frame: pl.DataFrame) -> CheckedTable:
        """The same table with other rows."""
        return replace(self, frame=frame)

    def ids(self, role: str) -> pl.DataFrame:
        """The queries or the items, each once, in the order in which they come."""
        if role not in self._ids:
            self._ids[role] = different(self.frame[role]).to_frame()
        return self._ids[role]

    @cached_property
    def repeated(self) -> pl.DataFrame:
        """The rows whose item stood in an earlier row of the same query."""
        import polars as pl

        if self.frame.is_empty() or self._stand_once():
            return self.frame.clear().with_row_index("row")
        # Pairs that are equal have equal hashes, and sorting those is far cheaper than grouping the pairs.
        key = pl.col("query").hash(1) * 0x9E3779B97F4A7C15 + pl.col("item").hash(2)
        hashes = np.sort(self.frame.select(key).to_series().to_numpy())
        twice = np.unique(hashes[1:][hashes[1:] == hashes[:-1]])
        numbered = self.frame.with_row_index("row")
        return numbered.filter(key.is_in(pl.Series(twice).implode())).filter(
            ~pl.struct(IDS).is_first_distinct()
        )

    def _stand_once(self) -> bool:
        """Whether each item stands once in its list, which the core sees far sooner than which do not."""
        alone = replace(self.input, side="run", value=None, rank=None, rows=None)
        try:
            local.judged_lists(alone.queries(), alone, Choices())
        except DataError:
            return False
        return True

    @cached_property
    def lists(self) -> pl.DataFrame:
        """Of each query how many rows it has, and the least, greatest, first and summed value of them."""
        return lists_of(self.frame)

    @cached_property
    def input(self) -> Input:
        """The table as `evaluate` takes it, with the columns of `frame` and no other."""
        value = "value" if self.source.value else None
        rank = "value" if self.by_rank else None
        table = Table.from_arrow(self.frame.to_struct())
        own = replace(self.source, table=table, query="query", item="item", value=value, rank=rank)
        return replace(own, aspect=None, aspect_weight=None, stratum=None, probability=None)


def different(ids: pl.Series) -> pl.Series:
    """Each id once, in the order in which they come."""
    if ids.null_count() or ids.is_empty():
        return ids.unique(maintain_order=True)
    # Numbering integers is far cheaper than grouping ids, and texts have such by their hashes.
    if ids.dtype.is_integer():
        return ids.gather(_table_of(ids).first_rows("id"))
    numbered, (numbers,) = ItemNumbers.of([(_table_of(ids.hash()), "ids", "id")])
    # Of the same ids any place will do.
    places = np.empty(len(numbered), dtype=np.int64)
    places[numbers] = np.arange(len(numbers))
    if not ids.gather(places[numbers]).equals(ids):
        return ids.unique(maintain_order=True)  # two texts have one hash
    return ids.gather(places)


def _table_of(ids: pl.Series) -> Table:
    """A table with a column ``id``."""
    return Table.from_arrow(ids.alias("id").to_frame().to_struct())


@dataclass(frozen=True)
class CheckedPair:
    """The judgements and one run, without the rows and with the types that let them be evaluated.

    Without judgements, `qrels` has no rows.
    """

    qrels: CheckedTable
    run: CheckedTable
    measures: tuple[Measure, ...]
    duplicates: str
    """``error`` if there are none, else ``first``."""
    known: Catalogue
    """What is known of items."""

    @property
    def judged(self) -> bool:
        """Whether there are judgements."""
        return not self.qrels.frame.is_empty()

    @property
    def where(self) -> str:
        """What to call the run."""
        return self.run.where

    @cached_property
    def answered(self) -> int:
        """How many of the judged queries have results; of all, where nothing is judged."""
        if not self.judged:
            return self.run.ids("query").height
        return self.qrels.ids("query").join(self.run.ids("query"), on="query", how="semi").height

    @cached_property
    def result(self) -> ListResult | None:
        """What the measures come to; None if no query that counts has results, or nothing is asked."""
        return self.evaluate()

    def evaluate(self, *measures: str, **choices: Unpack[GivenChoices]) -> ListResult | None:
        """What these measures, or else those asked for, come to under some choices."""
        if not self.answered or not (measures or self.measures):
            return None
        chosen: Mapping[str, Any] = {"duplicates": self.duplicates, **choices}
        judgements = self.qrels.input if self.judged else None
        return evaluate(judgements, self.run.input, measures or self.measures, items=self.known, **chosen)

    def with_tables(
        self,
        *,
        qrels: CheckedTable | None = None,
        run: CheckedTable | None = None,
        known: Catalogue | None = None,
    ) -> CheckedPair:
        """The same with other rows, in which items may come twice."""
        return replace(
            self,
            qrels=qrels or self.qrels,
            run=run or self.run,
            duplicates="first",
            known=known or self.known,
        )
