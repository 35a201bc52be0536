"""Pairs of systems in slices of the queries or rows: by country, by device, head and tail."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic

from rankmark.comparing.judging import judged_pairs, with_corrected
from rankmark.comparing.pairs import Pair, SomePair, SystemValues, finite
from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS, ComparisonPlan
from rankmark.comparing.words import caution_lines, methods
from rankmark.inputs.attributes import QuerySlices, aligned
from rankmark.language.written import differing, written
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, counted, printable, rounded
from rankmark.results.saved import Saved
from rankmark.results.sliced import OfSlices, slice_label, slice_members

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["ComparisonSlices", "SlicedPair", "compared_in_slices"]


@dataclass(frozen=True, repr=False)
class SlicedPair(Record, Generic[SomePair]):
    """One system against another on one measure in one slice.

    Attributes:
        by: the attribute.
        slice: its value; None for the queries or rows that have none.
        members: queries or rows in the slice.
        pair: the figures, of which `corrected` and `significant` are for all slices together.

    """

    by: str
    slice: str | None
    members: int
    pair: SomePair


class ComparisonSlices(OfSlices, Saved, Generic[SomePair]):
    """The pairs of a comparison in slices of its queries or rows; ``print(slices)`` shows them.

    Attributes:
        pairs: every measure's pairs of systems in each slice of each attribute.
        notes: how they were compared, and what else a reader should know.

    """

    def __init__(
        self,
        pairs: Iterable[SlicedPair[SomePair]],
        notes: Iterable[str],
    ) -> None:
        self.pairs = tuple(_gathered(pairs))
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        return f"<ComparisonSlices of {counted(len(self.pairs), 'pair')}>"

    @property
    def frame(self) -> pl.DataFrame:
        """A row a slice, measure and pair, a column each of its figures."""
        import polars as pl

        return pl.DataFrame(map(finite, self.records()), infer_schema_length=None)

    def records(self) -> list[dict[str, Any]]:
        """The rows of `frame` as dicts; NaN where there is no value."""
        return [
            {"by": each.by, "slice": each.slice, "members": each.members, **each.pair.figures}
            for each in self.pairs
        ]

    def _kept(self) -> dict[str, Any]:
        return {"pairs": self.pairs, "notes": self.notes}

    @property
    def _members(self) -> tuple[SlicedPair[SomePair], ...]:
        """As `OfSlices._members`: the pairs with their slices."""
        return self.pairs

    def __getitem__(self, value: object) -> tuple[SomePair, ...]:
        """The pairs of the slice with this value, of whichever attribute has it."""
        return tuple(each.pair for each in self._found(value))

    def _frame(self) -> pl.DataFrame:
        return self.frame

    def _record(self) -> dict[str, Any]:
        return {"slices": self.records()}

    def _blocks(self, digits: int) -> Iterator[Block]:
        for by in dict.fromkeys(each.by for each in self.pairs):
            rows = [_cells(each, digits) for each in self.records() if each["by"] == by]
            names = {"slice": printable(by)}
            header = [names.get(name, name) for name in rows[0]]
            cells = (list(row.values()) for row in rows)
            yield Grid(4, [header, *cells], f"By {printable(by)}")
        yield Notes(self.notes, apart=False)


def _gathered(pairs: Iterable[SlicedPair[SomePair]]) -> Iterator[SlicedPair[SomePair]]:
    """The slices of each attribute, measure and pair one after another."""
    groups: dict[tuple[Any, ...], list[SlicedPair[SomePair]]] = {}
    for each in pairs:
        of = each.pair.measure, each.pair.system, each.pair.baseline
        groups.setdefault((each.by, *of), []).append(each)
    return chain.from_iterable(groups.values())


def _cells(figures: Mapping[str, Any], digits: int) -> dict[str, str]:
    """A row for people: each of its cells by what it is."""
    count = "queries" if "queries" in figures else "rows"
    cells = {
        "measure": figures["measure"],
        "system": printable(figures["system"]),
        "baseline": printable(figures["baseline"]),
        "slice": slice_label(figures["slice"]),
        count: f"{figures.get('queries', figures['members']):,}",
        "value": written(figures["measure"], figures["value"], digits),
        "difference": differing(figures["measure"], figures["difference"], digits),
        **{name: rounded(figures[name], f"+.{digits}f") for name in ("low", "high")},
        "p": chance(figures["corrected"], digits),
    }
    if "wins" in figures:
        cells["win/tie/loss"] = "/".join(str(figures[each]) for each in ("wins", "ties", "losses"))
    return cells


def compared_in_slices(
    data: SystemValues, query_ids: Sequence[Any], slices: QuerySlices, plan: ComparisonPlan
) -> ComparisonSlices[Pair]:
    """The pairs of each slice of each attribute; p-values are corrected for all of them together.

    With ``correction="tukey"``, which corrects for the systems of a measure, only for these in each slice.
    """
    members = [
        (names.name, value, inside)
        for names in aligned(slices.frame, query_ids)
        for value, inside in slice_members(names)
    ]
    pairs = [
        SlicedPair(by, value, len(inside), pair)
        for by, value, inside in members
        for pair in judged_pairs(_of_slice(data, inside), plan, len(members))[1]
    ]
    corrected = with_corrected([each.pair for each in pairs], plan)
    found = (replace(each, pair=pair) for each, pair in zip(pairs, corrected, strict=True))
    cautious = caution_lines(corrected)
    return ComparisonSlices(found, (*_notes(plan, corrected), *cautious, *slices.notes))


def _notes(plan: ComparisonPlan, pairs: Sequence[Pair]) -> Iterator[str]:
    yield f"low, high: the {100 * plan.confidence:g}% interval of the difference ({methods(pairs)})"
    over = "the systems of each slice" if plan.simultaneous else "all slices"
    correction = f", corrected by {CORRECTIONS_OF_SYSTEMS[plan.correction].title} over {over}"
    yield f"p: {plan.test_title}{'' if plan.correction == 'none' else correction}"


def _of_slice(data: SystemValues, inside: NDArray[np.intp]) -> SystemValues:
    values = {m: {system: each[inside] for system, each in own.items()} for m, own in data.values.items()}
    terms = {m: {system: each.at(inside) for system, each in own.items()} for m, own in data.terms.items()}
    return SystemValues(values, terms, data.opponents, None if data.labels is None else data.labels[inside])
