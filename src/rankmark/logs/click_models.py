"""What clicks say of where users look, as it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, rounded
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MODELS", "ClickModel", "ClickModelName", "ExaminationRow", "HeldOut"]

ClickModelName: TypeAlias = Literal["position", "cascade", "dbn"]
MODELS: Mapping[ClickModelName, str] = {
    "position": "position-based model",
    "cascade": "cascade model",
    "dbn": "dynamic Bayesian network",
}
"""The models, by their names."""


@dataclass(frozen=True, slots=True, repr=False)
class ExaminationRow(Record):
    """A position.

    Attributes:
        position: from 1.
        impressions: how many lists had an item there.
        linking: how many items of queries were shown there and elsewhere, and clicked: by these it is known.
        click_rate: the share of the impressions with a click there.
        examination: how likely it is to be looked at, as a multiple of the first position; NaN if not known.
            Of models that go down lists the mean over the lists.
        low: the lower end of its interval; NaN without one.
        high: the upper end.

    """

    position: int
    impressions: int
    linking: int
    click_rate: float
    examination: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, repr=False)
class HeldOut(Record):
    """How well a model that was fitted to the other lists tells the clicks of these.

    Attributes:
        impressions: how many lists.
        log_likelihood: the mean over lists of ln P(the clicks of a list); more is better.
        perplexity: the mean over positions of 2 to the power of −mean log₂ P(click or not), each without
            knowing other clicks: 1 is certainty, 2 a coin; less is better.

    """

    impressions: int
    log_likelihood: float
    perplexity: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ClickModel(Saved, Numbered):
    """Where users look and what they click, as a model has it; ``print`` shows it.

    Attributes:
        model: ``position``, ``cascade`` or ``dbn``.
        method: how it was estimated.
        rows: a row a position.
        items: a row an item of a query: ``query``, ``item``, ``impressions``, ``clicks``, ``relevance`` (the
            probability of a click where it is looked at; of the position-based model at the first position),
            and ``satisfaction`` of models that have it. NaN where nothing is known.
        continuation: of the DBN: how likely a user who is not satisfied goes on; None of others.
        continuation_low: the lower end of its interval; None without one.
        continuation_high: the upper end.
        held_out: how well it tells clicks that it has not seen; None if none were held out.
        impressions: how many lists there are.
        queries: of how many queries.
        clusters: what was drawn again for the intervals.
        resamples: how often.
        confidence: of the intervals.
        notes: what a reader should know.

    """

    model: ClickModelName
    method: str
    rows: tuple[ExaminationRow, ...]
    items: pl.DataFrame
    continuation: float | None
    continuation_low: float | None
    continuation_high: float | None
    held_out: HeldOut | None
    impressions: int
    queries: int
    clusters: str
    resamples: int
    confidence: float
    notes: tuple[str, ...] = ()

    @property
    def examination(self) -> dict[int, float]:
        """How likely each position is to be looked at, as a multiple of the first."""
        return {row.position: row.examination for row in self.rows}

    def __repr__(self) -> str:
        return f"<ClickModel {self._line()}>"

    def _line(self) -> str:
        return (
            f"{MODELS[self.model]}, {self.method}; {counted(self.impressions, 'list')} of "
            f"{counted(self.queries, 'query', 'queries')}"
        )

    def _blocks(self, digits: int) -> Iterator[Block]:
        header = ["position", "lists", "linking items", "click rate", "examination", "low", "high"]
        form = f".{digits}f"
        table = [
            [
                str(row.position),
                f"{row.impressions:,}",
                f"{row.linking:,}",
                *(rounded(each, form) for each in (row.click_rate, row.examination, row.low, row.high)),
            ]
            for row in self.rows
        ]
        yield Grid(1, [header, *table], "How likely positions are to be looked at")
        yield Notes([self._line(), *self._told(digits), *self.notes])

    def _told(self, digits: int) -> Iterator[str]:
        form = f".{digits}f"
        if self.continuation is not None:
            ends = ""
            if self.continuation_low is not None and self.continuation_high is not None:
                ends = f" [{self.continuation_low:{form}}, {self.continuation_high:{form}}]"
            yield f"who is not satisfied goes on with probability {self.continuation:{form}}{ends}"
        if self.held_out is not None:
            yield (
                f"{counted(self.held_out.impressions, 'list')} held out: log-likelihood "
                f"{self.held_out.log_likelihood:{form}} a list, perplexity {self.held_out.perplexity:{form}}"
            )
        if self.resamples:
            yield (
                f"{100 * self.confidence:g}% intervals: {counted(self.resamples, 'resample')} by "
                f"{self.clusters}"
            )

    def _numbers(self) -> Mapping[Parts, float]:
        found: dict[Parts, float] = {}
        for row in self.rows:
            name = f"examination at {row.position}"
            found |= {(name,): row.examination, (name, "low"): row.low, (name, "high"): row.high}
        if self.continuation is not None:
            found["continuation",] = self.continuation
        if self.held_out is not None:
            found["log-likelihood",] = self.held_out.log_likelihood
            found["perplexity",] = self.held_out.perplexity
        return found

    def _record(self) -> dict[str, Any]:
        own = (name for name in self.__dataclass_fields__ if name not in ("rows", "items", "held_out"))
        record = {name: getattr(self, name) for name in own}
        held = None if self.held_out is None else asdict(self.held_out)
        return record | {"held_out": held, "positions": [asdict(row) for row in self.rows]}

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame([asdict(row) for row in self.rows]).with_columns(
            pl.col("examination", "low", "high").fill_nan(None)
        )
