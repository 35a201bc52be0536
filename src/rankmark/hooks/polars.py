"""polars: ``df.rankmark.evaluate(qrels, "nDCG@10")`` of data frames and lazy frames.

``import rankmark.hooks.polars`` gives them the namespace.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from rankmark.api.evaluation import evaluate
from rankmark.api.predictions import evaluate_predictions

if TYPE_CHECKING:
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult
    from rankmark.results.predictions import PredictionResult

__all__ = ["RankmarkNamespace"]


@pl.api.register_dataframe_namespace("rankmark")
@pl.api.register_lazyframe_namespace("rankmark")
class RankmarkNamespace:
    """What rankmark does with a frame, which is the results of a system, or labelled scores."""

    def __init__(self, frame: pl.DataFrame | pl.LazyFrame) -> None:
        self._frame = frame

    def evaluate(
        self, qrels: Any, measures: str | Measure | Iterable[str | Measure], **options: Any
    ) -> ListResult:
        """Measures the results that it holds against judgements; see `rankmark.evaluate`.

        Args:
            qrels: the judgements: a frame, a lazy frame, a path, whatever `rankmark.evaluate` takes.
            measures: names, or measures: one or several.
            **options: as for `rankmark.evaluate`.

        Raises:
            UsageError: an unknown measure, parameter or choice.
            DataError: a table that cannot be evaluated.

        Example:
            >>> import polars as pl, rankmark.hooks.polars
            >>> run = pl.DataFrame({"query": ["p", "p", "q"], "item": [*"abc"], "score": [0.2, 0.9, 0.5]})
            >>> run.rankmark.evaluate({"p": {"a": 1}, "q": {"c": 1}}, "RR")["RR"]
            0.75

        """
        return evaluate(qrels, self._frame, measures, **options)

    def evaluate_predictions(
        self, measures: str | Measure | Iterable[str | Measure], **options: Any
    ) -> PredictionResult:
        """Measures the labelled scores that it holds; see `rankmark.evaluate_predictions`.

        Args:
            measures: names, or measures: one or several.
            **options: as for `rankmark.evaluate_predictions`, such as ``label="click"``.

        Raises:
            UsageError: an unknown measure, parameter or choice.
            DataError: a table, a label or a score that a measure cannot take.

        Example:
            >>> import polars as pl, rankmark.hooks.polars
            >>> clicks = pl.DataFrame({"click": [1, 0, 1, 0], "p": [0.8, 0.3, 0.6, 0.7]})
            >>> clicks.rankmark.evaluate_predictions("AUC", label="click", score="p")["AUC"]
            0.75

        """
        return evaluate_predictions(self._frame, measures, **options)
