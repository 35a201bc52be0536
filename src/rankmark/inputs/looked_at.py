"""Judgements and results that are looked at for what keeps a number from being another tool's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.dataclassing import dataclass
from rankmark.forking import need_polars_threads

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

    from rankmark.inputs.input import Input

__all__ = ["TablesLookedAt"]


@dataclass(frozen=True, slots=True)
class TablesLookedAt:
    """Both tables whole; see `rankmark.language.conventions.limits.TableFacts`.

    Attributes:
        read: gives judgements and results.

    """

    read: Callable[[], tuple[Input, Input]]

    @property
    def qrels(self) -> Input:
        """The judgements."""
        return self.read()[0]

    @property
    def run(self) -> Input:
        """The results."""
        return self.read()[1]

    def repeated(self) -> bool:
        """As `TableFacts`."""
        return any(
            _rows(table).select("query", "item").is_duplicated().any() for table in (self.qrels, self.run)
        )

    def incomplete(self) -> bool:
        """As `TableFacts`."""
        return self._relevant().join(_rows(self.run), on=["query", "item"], how="anti").height > 0

    def all_relevant(self) -> bool:
        """As `TableFacts`."""
        import polars as pl

        worst = _rows(self.qrels).group_by("query").agg(pl.col("value").min())
        return bool((worst["value"] >= 1).any())

    def only_relevant(self) -> bool:
        """As `TableFacts`."""
        judged = _rows(self.run).join(_rows(self.qrels), on="query", how="semi")
        others = judged.join(self._relevant(), on=["query", "item"], how="anti")
        return judged.join(others, on="query", how="anti").height > 0

    def fewer(self) -> bool:
        """As `TableFacts`."""
        import polars as pl

        relevant, returned = (each.group_by("query").len() for each in (self._relevant(), _rows(self.run)))
        both = relevant.join(returned, on="query", suffix="_returned")
        return both.filter(pl.col("len_returned") < pl.col("len")).height > 0

    def without_relevant(self) -> bool:
        """As `TableFacts`."""
        answered = _rows(self.qrels).join(_rows(self.run), on="query", how="semi")
        return answered.join(self._relevant(), on="query", how="anti").height > 0

    def nothing(self) -> bool:
        """As `TableFacts`."""
        unanswered = _rows(self.qrels).join(_rows(self.run), on="query", how="anti")
        return unanswered.join(self._relevant(), on="query", how="anti").height > 0

    def _relevant(self) -> pl.DataFrame:
        import polars as pl

        return _rows(self.qrels).filter(pl.col("value") >= 1)


def _rows(table: Input) -> pl.DataFrame:
    """The columns by their roles, a value of 1 where there is none."""
    import polars as pl

    need_polars_threads()
    value = pl.lit(1.0) if table.value is None else pl.col(table.value).cast(pl.Float64)
    return pl.DataFrame(table.table).select(query=pl.col(table.query), item=pl.col(table.item), value=value)
