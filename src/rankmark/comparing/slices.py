"""Pairs of systems in slices of the queries: by country, by device, head and tail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.comparing.judging import judged_pairs, with_corrected
from rankmark.comparing.pairs import Pair, SystemValues, finite, record
from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS, ComparisonPlan
from rankmark.rendering.blocks import Block, Grid
from rankmark.rendering.shown import Shown
from rankmark.rendering.words import chance, printable, rounded
from rankmark.results.sliced import NONE
from rankmark.results.slices import slice_members
from rankmark.statistics.intervals import INTERVALS
from rankmark.statistics.significance import TESTS

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ComparisonSlices", "SlicedPair", "compared_in_slices"]


@dataclass(frozen=True, slots=True)
class SlicedPair:
    """One system against another on one measure in one slice.

    Attributes:
        by: the attribute.
        slice: its value; None for the queries that have none.
        members: queries in the slice.
        pair: the figures, of which `corrected` and `significant` are for all slices together.

    """

    by: str
    slice: str | None
    members: int
    pair: Pair


class ComparisonSlices(Shown):
    """The pairs of a comparison in slices of its queries; ``print(slices)`` shows them.

    Attributes:
        pairs: every measure's pairs of systems in each slice of each attribute.
        plan: the comparison's test, correction and intervals.

    """

    def __init__(self, pairs: Sequence[SlicedPair], plan: ComparisonPlan) -> None:
        self.pairs = tuple(pairs)
        self.plan = plan

    @property
    def frame(self) -> pl.DataFrame:
        """A row a slice, measure and pair, a column each of its figures."""
        import polars as pl

        return pl.DataFrame(map(finite, self._records()), infer_schema_length=None)

    def _records(self) -> list[dict[str, Any]]:
        return [
            {"by": each.by, "slice": each.slice, "members": each.members, **record(each.pair)}
            for each in self.pairs
        ]

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _record(self) -> dict[str, Any]:
        return {"slices": self._records()}

    def _blocks(self, digits: int) -> Iterator[Block]:
        for by in dict.fromkeys(each.by for each in self.pairs):
            header = ["measure", "system", "baseline", printable(by), *COLUMNS]
            rows = [_cells(each, digits) for each in self.pairs if each.by == by]
            yield Grid(len(header) - len(COLUMNS), [header, *rows])
        yield "\n".join(self._notes())

    def _notes(self) -> Iterator[str]:
        plan = self.plan
        way = INTERVALS[plan.interval].title
        yield f"low, high: the {100 * plan.confidence:g}% interval of the difference ({way})"
        over = "the systems of each slice" if plan.simultaneous else "all slices"
        correction = f", corrected by {CORRECTIONS_OF_SYSTEMS[plan.correction].title} over {over}"
        yield f"p: {TESTS[plan.test].title}{'' if plan.correction == 'none' else correction}"


COLUMNS = ("queries", "value", "difference", "low", "high", "p", "win/tie/loss")


def _cells(each: SlicedPair, digits: int) -> list[str]:
    pair = each.pair
    label = NONE if each.slice is None else printable(each.slice)
    signed = [rounded(x, f"+.{digits}f") for x in (pair.difference, *pair.interval)]
    return [
        str(pair.measure),
        printable(pair.system),
        printable(pair.baseline),
        label,
        f"{pair.queries:,}",
        rounded(pair.value, f".{digits}f"),
        *signed,
        chance(pair.corrected, digits),
        f"{pair.wins}/{pair.ties}/{pair.losses}",
    ]


def compared_in_slices(
    data: SystemValues, query_ids: Sequence[Any], attributes: pl.DataFrame, plan: ComparisonPlan
) -> ComparisonSlices:
    """The pairs of each slice of each attribute; p-values are corrected for all of them together.

    With ``correction="tukey"``, which corrects for the systems of a measure, only for these in each slice.
    """
    pairs = [
        SlicedPair(by, value, int(inside.sum()), pair)
        for by, value, inside in slice_members(query_ids, attributes)
        for pair in judged_pairs(_of_slice(data, inside), plan)[1]
    ]
    corrected = with_corrected([each.pair for each in pairs], plan)
    return ComparisonSlices(
        [replace(each, pair=pair) for each, pair in zip(pairs, corrected, strict=True)], plan
    )


def _of_slice(data: SystemValues, inside: np.ndarray[Any, np.dtype[np.bool_]]) -> SystemValues:
    values = {m: {system: each[inside] for system, each in own.items()} for m, own in data.values.items()}
    terms = {m: {system: each.at(inside) for system, each in own.items()} for m, own in data.terms.items()}
    return SystemValues(values, terms, data.opponents, None if data.labels is None else data.labels[inside])
