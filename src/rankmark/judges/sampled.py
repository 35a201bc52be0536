"""Labels of people of some items of each query: what queries are worth by these and by the judge's of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.errors import ChoiceError, ColumnError, DataError, MeasureError
from rankmark.inputs import read_shared
from rankmark.inputs.roles import columns_said
from rankmark.judges.labels import label_rows
from rankmark.kinds.lists import JudgedLists
from rankmark.language.extremes import SUMS, added_alone
from rankmark.rendering.words import counted
from rankmark.statistics.difference_estimator import difference_estimates

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import Input
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = ["COUNTS", "FEW_DIFFERING", "ByItems", "SampledItems"]

Floats = NDArray[np.float64]
COUNTS = "counts"
"""What says that people labelled a simple random sample of each query's items."""
FEW_DIFFERING = 25
"""With fewer drawn items on which people and judge differ, intervals are too short: in simulations
(`benchmarks/coverage/judges.py`) 88 to 93% of those of 95% held the truth."""


class ByItems(NamedTuple):
    """What queries are worth by items of which people labelled some.

    Attributes:
        both: the value of each query by labels of people and of the judge.
        alone: that by labels of people alone.
        differing: how many items that people labelled add something else by the judge's labels.

    """

    both: dict[str, float]
    alone: dict[str, float]
    differing: int


@dataclass(frozen=True)
class SampledItems:
    """The items that the judge labelled, a row each, some of which people labelled, too.

    Attributes:
        judge: the judge's labels.
        rows: of each ``query``, ``grade`` by the judge, ``people`` by people and the ``chance`` with which it
            was drawn for them, null where it was not.
        drawn: whether chances are known, and not counted.

    """

    judge: Input
    rows: pl.DataFrame
    drawn: bool

    @classmethod
    def of(cls, people: Input, judge: Input, inclusion: str, source: Any, columns: Any) -> SampledItems:
        """What people labelled, drawn with chances that stand in a column, or by counts.

        Args:
            people: their labels, of queries that the judge labelled.
            judge: its labels.
            inclusion: the column of chances of the table that was given, or `COUNTS`.
            source: that table.
            columns: its columns, as they are said.

        Raises:
            ColumnError: there is no such column.
            DataError: an item that the judge did not label, or a chance that is none.

        """
        import polars as pl

        own = label_rows(people).rename({"grade": "people"})
        if inclusion != COUNTS:
            read = read_shared(source, "qrels", {**columns_said(columns), "relevance": inclusion})
            if read.value != inclusion:
                raise ColumnError(f"inclusion={inclusion!r}: {people.name} has no such column of chances")
            chances = label_rows(read)
            own = own.join(chances.rename({"grade": "chance"}), on=["query", "item"], how="left")
            if wrong := own.filter(~((pl.col("chance") > 0) & (pl.col("chance") <= 1))).height:
                raise DataError(
                    f"{people.name}: {wrong:,} of {own.height:,} values of {inclusion!r} are no chance with "
                    "which an item was drawn, above 0 and 1 at most"
                )
        rows = label_rows(judge).join(own, on=["query", "item"], how="left", maintain_order="left")
        if lacking := own.height - rows["people"].count():
            raise DataError(
                f"people labelled {counted(lacking, 'item')} that the judge did not, of {own.height:,}: they "
                "are to be drawn from those that it labelled"
            )
        return cls(judge, rows, inclusion != COUNTS)

    def values(
        self, run: Input, measure: Measure, choices: Choices, by_judge: Mapping[str, float]
    ) -> ByItems:
        """What labelled queries are worth by both labels, and by those of people alone.

        Args:
            run: the results.
            measure: by which, a sum over items.
            choices: how ties … are decided.
            by_judge: the values of queries by the judge's labels.

        Raises:
            MeasureError: the measure is no sum over items.
            ChoiceError: an order of equal scores by grades, or a value of queries without relevant items.

        """
        if choices.ties in ("best", "worst"):
            raise ChoiceError(
                f'ties="{choices.ties}" orders items by grades, which people gave to some alone'
            )
        if choices.no_relevant == "one":
            raise ChoiceError('no_relevant="one" is of queries, and a sample of items does not say of which')
        lists, row = self._lists(run, choices)
        query, queries = self._queries()
        judged = self._adds(lists, row, self.rows["grade"].to_numpy(), measure)
        self._check_sum(measure, np.bincount(query, judged), [by_judge[name] for name in queries])
        grade = self.rows["people"].cast(float).to_numpy()
        known = np.where(np.isnan(grade), np.nan, self._adds(lists, row, np.nan_to_num(grade), measure))
        chance = self.rows["chance"].cast(float).to_numpy() if self.drawn else None
        both = difference_estimates(known, judged, query, chance)
        alone = difference_estimates(known, np.zeros_like(judged), query, chance)
        labelled = both.known > 0
        names = [queries[number] for number in both.groups[labelled].tolist()]
        return ByItems(
            dict(zip(names, both.values[labelled].tolist(), strict=True)),
            dict(zip(names, alone.values[labelled].tolist(), strict=True)),
            int(np.count_nonzero(known[~np.isnan(known)] != judged[~np.isnan(known)])),
        )

    def _queries(self) -> tuple[NDArray[np.int64], list[str]]:
        """The number of each row's query, and their ids."""
        names = self.rows["query"].unique(maintain_order=True)
        numbers = names.to_frame().with_row_index("number")
        rows = self.rows.select("query").join(numbers, on="query", how="left", maintain_order="left")
        return rows["number"].to_numpy().astype(np.int64), names.to_list()

    def _lists(self, run: Input, choices: Choices) -> tuple[JudgedLists, NDArray[np.int64]]:
        """The lists of the run with each labelled item in a list of its own, and the row of each."""
        import polars as pl

        frame = pl.DataFrame(self.judge.table).select(query=self.judge.query, item=self.judge.item)
        frame = frame.with_columns(number=pl.int_range(pl.len()).cast(pl.Float64))
        table = Table.from_arrow(frame.to_struct())
        numbered = replace(self.judge, table=table, query="query", item="item", value="number", aspects=None)
        lists, _, _ = local.judged_lists(numbered, run, choices)
        row = lists.relevance.astype(np.int64)
        length = np.repeat(lists.retrieved, np.diff(lists.offsets))
        offsets = np.arange(len(row) + 1)
        return JudgedLists(lists.rank, lists.relevance, offsets, length, ties=lists.ties), row

    @staticmethod
    def _adds(lists: JudgedLists, row: NDArray[np.int64], grade: Floats, measure: Measure) -> Floats:
        """What each labelled item adds to its query, by its grade; 0 where it was not found."""
        adds = np.zeros(len(grade))
        adds[row] = added_alone(measure, lists, grade[row])
        return adds

    @staticmethod
    def _check_sum(measure: Measure, sums: NDArray[Any], values: Sequence[float]) -> None:
        """Refuses a measure whose values by the judge's labels are no sums of what each item adds."""
        apart = np.abs(np.asarray(values) - sums) > 1e-9 * np.maximum(1, np.abs(sums))
        if measure.page.name not in SUMS or apart.any():
            raise MeasureError(
                f"{measure} is no sum over items of what each adds, so that labels of some of them do not "
                "estimate it: choose one that is, such as P@10 or DCG@10, or label all items of fewer queries"
            )
