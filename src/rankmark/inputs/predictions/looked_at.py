"""Labelled rows that are looked at for what keeps a number from being another tool's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.forking import need_polars_threads
from rankmark.inputs.predictions.classes import ClassPredictions

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs.predictions.labelled import Predictions
    from rankmark.language.measure import Measure

__all__ = ["ClassesLookedAt", "RowsLookedAt"]

NEARLY = 1e-6
"""As near to the border of a bin 32 bits do not tell on which side of it a score is."""


@dataclass(frozen=True, slots=True)
class RowsLookedAt:
    """Rows in memory, and the measure of them; see `rankmark.language.conventions.limits.RowFacts`."""

    read: Predictions
    measure: Measure

    def single_precision(self) -> bool:
        """As `RowFacts`."""
        return self.read.table.dtype(self.read.columns.score) == "Float32"

    def tied(self) -> bool:
        """As `RowFacts`."""
        import polars as pl

        among = ["query", "score"] if self.measure.per_query else ["score"]
        labels = self._rows().group_by(among).agg(pl.col("label").n_unique())
        return bool((labels["label"] > 1).any())

    def zero_scores(self) -> bool:
        """As `RowFacts`."""
        return bool((self._rows()["score"] == 0).any())

    def of_one_class(self) -> bool:
        """As `RowFacts`."""
        return bool((self._different()["label"] == 1).any())

    def of_one_score(self) -> bool:
        """As `RowFacts`."""
        different = self._different()
        return bool(((different["score"] == 1) & (different["label"] > 1)).any())

    def certainly_wrong(self) -> bool:
        """As `RowFacts`."""
        import polars as pl

        rows = self._rows()
        positive = 1.0 if self.read.positive is None else self.read.positive
        certain = rows["score"].cast(pl.Float32) == 1
        return bool((certain & (rows["label"] != positive)).any())

    def at_threshold(self) -> bool:
        """As `RowFacts`."""
        threshold = self.measure.arguments.get("threshold")
        if not isinstance(threshold, float) or not self.single_precision():
            return False
        single = float(np.float32(threshold))
        return single >= threshold and bool((self._rows()["score"] == single).any())

    def at_borders(self) -> bool:
        """As `RowFacts`."""
        places = self._rows()["score"].to_numpy() * self.measure.arguments["bins"]
        inner = places[(places > NEARLY) & (places < self.measure.arguments["bins"] - NEARLY)]
        return bool((np.abs(inner - np.round(inner)) <= NEARLY).any())

    def _rows(self) -> pl.DataFrame:
        """The columns that are looked at, by their roles."""
        import polars as pl

        need_polars_threads()
        columns = self.read.columns
        query = [] if columns.query is None else [pl.col(columns.query).alias("query")]
        numbers = (
            pl.col(name).cast(pl.Float64).alias(role)
            for role, name in (("label", columns.label), ("score", columns.score))
        )
        return pl.DataFrame(self.read.table).select(*query, *numbers)

    def _different(self) -> pl.DataFrame:
        """Of each query how many different labels and scores it has."""
        import polars as pl

        return self._rows().group_by("query").agg(pl.col("label", "score").n_unique())


@dataclass(frozen=True, slots=True)
class ClassesLookedAt:
    """Rows of classes in memory, and the measure of them; what is of one score of a row, they never are."""

    read: ClassPredictions
    measure: Measure

    def single_precision(self) -> bool:
        """As `RowFacts`."""
        return self.read.single_precision

    def at_borders(self) -> bool:
        """As `RowFacts`."""
        scores, k = self.read.scores, self.measure.cutoff
        if scores is None or k is None or k >= scores.shape[1]:
            return False
        falling = -np.sort(-scores, axis=1)
        return bool((falling[:, k - 1] == falling[:, k]).any())

    def tied(self) -> bool:
        """As `RowFacts`."""
        return False

    zero_scores = of_one_class = of_one_score = certainly_wrong = at_threshold = tied
