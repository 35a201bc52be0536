"""Values among all items, estimated of sampled ones, as they are shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.records import Record
from rankmark.rendering.words import brief, counted, rounded
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

__all__ = ["METHODS", "CorrectedValue", "Correction", "SampledCorrection"]

Correction: TypeAlias = Literal["bv", "cls", "mes", "mle"]
METHODS: Mapping[str, str] = {
    "bv": "bias-variance trade-off",
    "cls": "constrained least squares",
    "mes": "maximal entropy",
    "mle": "maximal likelihood",
}
"""What estimates the values among all items."""


@dataclass(frozen=True, slots=True, repr=False)
class CorrectedValue(Record):
    """What a measure is among all items, as far as a sample says.

    Attributes:
        measure: its name.
        sampled: its value among the sampled candidates.
        corrected: the estimate among all items.
        low: the lower end of the interval of what the correction gives on average over users such as these:
            the bias that is left is not in it, so that it can miss the value among all items.
        high: the upper end; both NaN where users do not differ.
        remaining: the bias that is left, were ranks as maximal entropy estimates them; of ``mes`` nearly
            nothing for that reason.
        least: the least value among all items that goes with the sampled ranks; whatever the ranks are, it
            and `most` hold the value.
        most: the greatest.

    """

    measure: str
    sampled: float
    corrected: float
    low: float
    high: float
    remaining: float
    least: float
    most: float


@dataclass(frozen=True, slots=True, repr=False)
class SampledCorrection(Saved, Numbered):
    """Measures among all items, estimated of sampled candidates; ``print`` shows it.

    Attributes:
        values: a measure each.
        method: ``bv``, ``cls``, ``mes`` or ``mle``.
        candidates: how candidates were sampled, as signatures say it.
        users: how many users there are.
        items: how many items a user could be shown, on average.
        confidence: of the intervals and of the ranges.
        notes: what a reader should know.

    """

    values: tuple[CorrectedValue, ...]
    method: Correction
    candidates: str
    users: int
    items: float
    confidence: float
    notes: tuple[str, ...] = ()

    def __getitem__(self, measure: str) -> float:
        """The estimate of a measure."""
        return {each.measure: each.corrected for each in self.values}[measure]

    def users_for(self, measure: str, margin: float) -> int:
        """How many users such as these make the interval over users of a measure ± `margin`.

        users · (half its width now / margin)², for widths fall with the root of the number of users. What is
        possible (`CorrectedValue.least` to ``most``) more users narrow only so far.

        Raises:
            UsageError: the margin is not above 0, or there is no interval.
            KeyError: there is no such measure.

        """
        if not margin > 0 or math.isinf(margin):
            raise UsageError(f"margin={brief(margin)} is not a number above 0")
        low, high = {each.measure: (each.low, each.high) for each in self.values}[measure]
        if math.isnan(low):
            raise UsageError(
                f"{measure} has no interval: users do not differ, so that no number of them tells"
            )
        return math.ceil(self.users * ((high - low) / 2 / margin) ** 2)

    def __repr__(self) -> str:
        return f"<SampledCorrection {self._line()}>"

    def _line(self) -> str:
        return (
            f"{METHODS[self.method]}, {self.candidates} of about {self.items:,.0f} items, "
            f"{counted(self.users, 'user')}"
        )

    def _numbers(self) -> Mapping[Parts, float]:
        names = ("corrected", "sampled", "low", "high", "least", "most")
        return {
            ("", each.measure, "" if name == "corrected" else name): getattr(each, name)
            for each in self.values
            for name in names
        }

    def _blocks(self, digits: int) -> Iterator[Block]:
        level = f"{100 * self.confidence:g}%"
        header = ["", "sampled", "corrected", f"{level} over users", "bias left", f"{level} possible"]
        yield Grid(
            1,
            [
                header,
                *(
                    [
                        each.measure,
                        rounded(each.sampled, f".{digits}f"),
                        rounded(each.corrected, f".{digits}f"),
                        _ends(each.low, each.high, digits),
                        rounded(each.remaining, f"+.{digits}f"),
                        _ends(each.least, each.most, digits),
                    ]
                    for each in self.values
                ),
            ],
            "Values among all items",
        )
        yield Notes([self._line(), *self.notes])

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame([asdict(each) for each in self.values])

    def _record(self) -> dict[str, Any]:
        return asdict(self)


def _ends(low: float, high: float, digits: int) -> str:
    if math.isnan(low):
        return ""
    return f"{rounded(low, f'.{digits}f')} to {rounded(high, f'.{digits}f')}"
