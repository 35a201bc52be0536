"""Pairs of systems in slices of the queries or rows: by country, by device, head and tail."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic

from rankmark.comparing.judging import judged_pairs, with_corrected
from rankmark.comparing.marks import Marks
from rankmark.comparing.pairs import Pair, SomePair, SystemValues, finite
from rankmark.comparing.plan import CORRECTIONS_OF_SYSTEMS, ComparisonPlan
from rankmark.comparing.words import caution_lines, methods, run_lines
from rankmark.dataclassing import dataclass
from rankmark.inputs.attributes import QuerySlices, aligned
from rankmark.language.written import differing, paper_column, written
from rankmark.rendering.blocks import Block, Grid, Notes
from rankmark.rendering.papers import PaperColumn, PaperRow, PaperTable, PaperValue
from rankmark.rendering.records import Record
from rankmark.rendering.words import chance, counted, listed, printable, rounded
from rankmark.results.saved import Saved
from rankmark.results.sliced import OfSlices, slice_label, slice_members

if TYPE_CHECKING:
    import polars as pl

    from rankmark.language.measure import Measure

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
        baselines: the systems with which all others are compared; empty for all pairs.
        alpha: the level below which a corrected p-value is significant.
        tested: by which test, as a table for papers says it.

    """

    def __init__(
        self,
        pairs: Iterable[SlicedPair[SomePair]],
        notes: Iterable[str],
        baselines: Sequence[str] = (),
        alpha: float = 0.05,
        tested: str = "",
    ) -> None:
        self.pairs = tuple(_gathered(pairs))
        self.notes = tuple(notes)
        self.baselines = tuple(baselines)
        self.alpha = alpha
        self.tested = tested

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
        names = ("pairs", "notes", "baselines", "alpha", "tested")
        return {name: getattr(self, name) for name in names}

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
            yield self._grid(by, digits)
        yield Notes(self.notes, apart=False)

    def _grid(self, by: str, digits: int) -> Grid:
        """The slices of an attribute for people: a row a pair."""
        rows = [_cells(each, digits) for each in self.records() if each["by"] == by]
        names = {"slice": printable(by)}
        header = [names.get(name, name) for name in rows[0]]
        return Grid(4, [header, *(list(row.values()) for row in rows)], f"By {printable(by)}")

    def _paper(self, digits: int) -> Iterator[Block | PaperTable]:
        for by in dict.fromkeys(each.by for each in self.pairs):
            yield self._paper_table(by) or self._grid(by, digits)
        yield Notes(self.notes, apart=False)

    def _paper_table(self, by: str) -> PaperTable | None:
        """The same for a paper, a row a slice and system; None if a value depends on the other system."""
        own = [each for each in self.pairs if each.by == by]
        values = _values(own)
        if values is None:
            return None
        measures = list(dict.fromkeys(each.pair.measure for each in own))
        systems = list(dict.fromkeys(name for _, name, _ in values))
        rows = []
        for value, members in {each.slice: each.members for each in own}.items():
            marks = self._marks(systems, (each for each in own if each.slice == value))
            for name in systems:
                cells = [PaperValue(values[value, name, m], marks.of(name, m)) for m in measures]
                rows.append(
                    PaperRow((slice_label(value), marks.title(name)), [PaperValue(float(members)), *cells])
                )
        return PaperTable(
            names=(printable(by), "system"),
            columns=[
                PaperColumn("queries" if isinstance(own[0].pair, Pair) else "rows", whole=True),
                *map(paper_column, measures),
            ],
            rows=rows,
            about=f"{listed([each.label for each in measures])} by {printable(by)}",
            legend=(self._marks(systems, own).legend(), self.tested),
        )

    def _marks(self, systems: Sequence[str], of: Iterable[SlicedPair[SomePair]]) -> Marks:
        return Marks(systems, self.baselines, [each.pair for each in of], self.alpha)


def _values(
    pairs: Iterable[SlicedPair[SomePair]],
) -> dict[tuple[str | None, str, Measure], float] | None:
    """The value of each slice, system and measure; None if one has several, as of other queries."""
    found: dict[tuple[str | None, str, Measure], float] = {}
    for each in pairs:
        pair = each.pair
        for name, value in ((pair.baseline, pair.baseline_value), (pair.system, pair.value)):
            known = found.setdefault((each.slice, name, pair.measure), value)
            if known != value and not (math.isnan(known) and math.isnan(value)):
                return None
    return found


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
        "difference": differing(
            figures["measure"], figures["difference"], digits, surely=figures["significant"]
        ),
        **{name: rounded(figures[name], f"+.{digits}f") for name in ("low", "high")},
        "p": chance(figures["corrected"], digits),
    }
    if "wins" in figures:
        counts = [figures[each] for each in ("wins", "ties", "losses")]
        cells["win/tie/loss"] = "/".join(map(str, counts)) if any(counts) else ""  # none of a whole run
    return cells


def compared_in_slices(
    data: SystemValues,
    query_ids: Sequence[Any],
    slices: QuerySlices,
    plan: ComparisonPlan,
    baselines: Sequence[str],
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
        for pair in judged_pairs(data.of_some(inside), plan, len(members))[1]
    ]
    corrected = with_corrected([each.pair for each in pairs], plan)
    found = (replace(each, pair=pair) for each, pair in zip(pairs, corrected, strict=True))
    cautious = caution_lines(corrected)
    tested = _tested(plan)
    ends = f"low, high: the {100 * plan.confidence:g}% interval of the difference ({methods(corrected)})"
    of_runs = run_lines(dict.fromkeys(pair.measure for pair in corrected))
    notes = (ends, f"p: {tested}", *of_runs, *cautious, *slices.notes)
    return ComparisonSlices(found, notes, baselines, plan.alpha, tested)


def _tested(plan: ComparisonPlan) -> str:
    """By which test, and how corrected."""
    over = "the systems of each slice" if plan.simultaneous else "all slices"
    correction = f", corrected by {CORRECTIONS_OF_SYSTEMS[plan.correction].title} over {over}"
    return f"{plan.test_title}{'' if plan.correction == 'none' else correction}"
