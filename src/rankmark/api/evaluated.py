"""A result of predictions with what of it can be drawn again, for whoever compares systems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankmark.aggregation.intervals import Labelled, Sample, Unit, Units
from rankmark.dataclassing import dataclass
from rankmark.language.measure import Measure

if TYPE_CHECKING:
    from rankmark.results.predictions import PredictionResult

__all__ = ["Evaluated"]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """A result, and what of it can be drawn again.

    Attributes:
        result: the values.
        rows: what of them is taken for independent; None where no intervals are asked for, as is the next.
        samples: each measure that can be resampled.

    """

    result: PredictionResult
    rows: Units | None
    samples: Mapping[Measure, Sample]

    @property
    def labelled(self) -> Labelled | None:
        """The rows as arrays, where they have one score each."""
        return self.rows if isinstance(self.rows, Labelled) else None

    def unit_of(self, measure: Measure) -> Unit:
        """What is taken for independent of a measure."""
        assert self.rows is not None
        return "queries" if measure.page.kind == "list" and self.labelled is not None else self.rows.unit
