"""What is asked of predictions, which depends on whether their labels are classes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankmark.aggregation.intervals import METHODS, IntervalMethod, Sampling
from rankmark.errors import ChoiceError, MeasureError, UsageError
from rankmark.language.measure import Measure
from rankmark.language.plan import Plan, planned, separate
from rankmark.language.registry import CLASSES_FIRST, ROWS_FIRST, Kind

__all__ = ["Plans", "are_classes_said", "sampling_of", "slicing_columns"]


class Plans:
    """What measures mean of predictions: one plan where labels are classes, and one where they are not.

    A table says which it is once it is read, and its columns may say so before. Each plan is made once, when
    it is asked for.

    Attributes:
        measures: the measures asked for.
        like: the convention.
        given: the choices that were given.

    """

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        like: str | None,
        given: Mapping[str, Any],
    ) -> None:
        self.measures = tuple(separate(measures))
        self.like = like
        self.given = given
        self._made: dict[tuple[Kind, ...], Plan] = {}

    @property
    def of_rows(self) -> Plan:
        """The plan for one score in a row."""
        return self._of(ROWS_FIRST)

    @property
    def of_classes(self) -> Plan:
        """The plan for scores of each class, or predicted classes."""
        return self._of(CLASSES_FIRST)

    def understood(self, *, classes: bool) -> tuple[Measure, ...]:
        """The measures, those of classes first or last; what is none is refused before a table is read."""
        first, other = (CLASSES_FIRST, ROWS_FIRST) if classes else (ROWS_FIRST, CLASSES_FIRST)
        try:
            return self._of(first).measures
        except MeasureError as error:
            try:
                return self._of(other).measures
            except MeasureError:
                raise error from None

    def _of(self, kinds: tuple[Kind, ...]) -> Plan:
        if kinds not in self._made:
            self._made[kinds] = planned(self.measures, self.like, self.given, kinds)
        return self._made[kinds]


def are_classes_said(score: object, predicted: str | None, classes: object) -> bool:
    """Whether what is said of a table's columns says that its labels are classes.

    Raises:
        UsageError: both the scores and the predicted class are said.

    """
    if predicted and score:
        raise UsageError("score and predicted are both said: say the scores, or the class that is predicted")
    return classes is not None or bool(predicted) or not isinstance(score, str | None)


def slicing_columns(by: object) -> list[str]:
    """The columns to slice by, where there is no other way.

    Raises:
        UsageError: what is no name of a column, nor several.

    """
    columns = [by] if isinstance(by, str) else [] if by is None else by
    if isinstance(columns, list | tuple) and all(isinstance(column, str) for column in columns):
        return list(columns)
    raise UsageError(f"by={by!r} is neither a column, called by its name, nor several")


def sampling_of(
    intervals: bool | IntervalMethod,
    confidence: float,
    resamples: int | None,
    seed: int,
    threads: int | None,
) -> Sampling | None:
    """How intervals are made, if any were asked for."""
    if not intervals:
        return None
    if intervals is not True and intervals not in METHODS:
        raise ChoiceError(f"intervals={intervals!r} is not one of {', '.join(METHODS)}, True, False")
    return Sampling(None if intervals is True else intervals, confidence, resamples, seed, threads or 0)
