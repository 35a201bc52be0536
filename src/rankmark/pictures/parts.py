"""Slices of whatever has some: one measure's values in them, or differences of two systems."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import direction
from rankmark.comparing.predictions import PredictionComparison
from rankmark.comparing.slices import ComparisonSlices, SlicedPair
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, PictureError, did_you_mean
from rankmark.figures import Rule
from rankmark.figures.marks import Floats, series
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.pictures.choosing import calibrated_of, higher_is
from rankmark.pictures.words import of_value
from rankmark.results.base import Result
from rankmark.results.prediction_slices import PredictionSlice, PredictionSlices
from rankmark.results.runs import Runs
from rankmark.results.sliced import Sliced, slice_label
from rankmark.results.slices import Slice, Slices

__all__ = ["MOST_SYSTEMS", "SLICED", "Part", "Parts", "Shown", "parts_of"]

Shown: TypeAlias = (
    "Slices | PredictionSlices | ComparisonSlices[Any] | Result | Runs | Comparison | PredictionComparison"
)
SLICED = (Slices, PredictionSlices, ComparisonSlices, Result, Runs, Comparison, PredictionComparison)
"""What has slices, or can have them."""
ALPHA = 0.05
"""The p-value up to which a slice is said to differ from all others."""
BESIDE = 3
"""Systems that stand in one panel with their intervals."""
MOST_SYSTEMS = 6
"""Systems that are drawn."""
TOLD = 12
"""Slices of which the description has the numbers."""
LONGEST = 300
"""Letters of a note beneath a picture at most."""


@dataclass(frozen=True, slots=True)
class Part:
    """One slice.

    Attributes:
        by: the attribute.
        name: its value, as it is shown.
        count: how many queries or rows are in it.
        value: the measure's value in it, or the difference.
        low, high: its interval; NaN where there is none.
        p: of the difference, corrected; NaN without one.
        side: 1 if it is significantly better than all others, or the system than its baseline, −1 if it is
            worse, 2 if it differs and neither is better, of values of calibration from what they are aimed
            at, by their interval; else 0.

    """

    by: str
    name: str
    count: int
    value: float
    low: float
    high: float
    p: float
    side: int


@dataclass(frozen=True, slots=True)
class Parts:
    """The slices of one measure.

    Attributes:
        name: what the measure is called.
        measure: the measure; None where only its name is known.
        of: the slices, of one system or of several by their names.
        overall: the values of all queries or rows; NaN where they are not known.
        counted: what is counted: ``queries`` or ``rows``.
        differences: whether the values are those of a system less another's.
        confidence: of intervals, such as ``95%``; empty where there are none.
        notes: how it was done.

    """

    name: str
    measure: Measure | None
    of: Mapping[str, Sequence[Part]]
    overall: Mapping[str, float]
    counted: str
    differences: bool = False
    confidence: str = ""
    notes: Sequence[str] = field(default=())

    @property
    def label(self) -> str:
        """The measure, or what differs."""
        return f"difference of {self.name}" if self.differences else self.name

    @property
    def axis(self) -> str:
        """The same, and what is better."""
        better = "" if self.measure is None else higher_is(self.measure)
        return f"{self.label} ({better})" if better else self.label

    def ends(self, shown: Mapping[str, Sequence[str]]) -> tuple[float, float]:
        """From where to where the axis of values goes, for slices of these names by several attributes."""
        own = [part for parts in self.of.values() for part in parts if part.name in shown.get(part.by, ())]
        every = [[part.value, part.low, part.high] for part in own]
        found = np.array([*np.ravel(every), *self.overall.values(), *self.reach])
        found = found[np.isfinite(found)]
        low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 1.0)
        room = 0.03 * (high - low) or abs(low) / 2 or 0.5
        least, most = (None, None) if self.measure is None or self.differences else self.measure.bounds
        # Not beyond what there can be, unless an interval goes there.
        low = low - room if least is None or low < least else max(low - room, least)
        return low, high + room if most is None or high > most else min(high + room, most)

    @property
    def attributes(self) -> list[str]:
        """What they are by, each once."""
        return list(dict.fromkeys(part.by for parts in self.of.values() for part in parts))

    @property
    def are_few(self) -> bool:
        """Whether systems can be told apart in one panel, with their intervals."""
        return len(self.of) <= BESIDE

    def first(self, most: int) -> Parts:
        """The first systems, with a note if there are others."""
        kept = list(self.of)[:most]
        more = f"the first {most} of {len(self.of)} systems; system= chooses one"
        return replace(
            self,
            of={name: self.of[name] for name in kept},
            overall={name: self.overall[name] for name in kept},
            notes=[*[more] * (len(kept) < len(self.of)), *self.notes],
        )

    def asked(self, by: str | None) -> list[str]:
        """The attributes to show.

        Raises:
            PictureError: there is none of this name.

        """
        known = self.attributes
        if by is not None and by not in known:
            raise PictureError(f"by={by!r}: here are slices by {', '.join(known)}{did_you_mean(by, known)}")
        return known if by is None else [by]

    def named(self, by: str) -> dict[str, int]:
        """The slices by an attribute, in their order, and how many queries or rows are in each at most."""
        found: dict[str, int] = {}
        for parts in self.of.values():
            for part in parts:
                if part.by == by:
                    found[part.name] = max(part.count, found.get(part.name, 0))
        return found

    def at(self, system: str, by: str, names: Sequence[str]) -> tuple[list[Part], Floats]:
        """The slices of one system that have these names, and the places of these."""
        places = {name: place for place, name in enumerate(names)}
        own = [part for part in self.of[system] if part.by == by and part.name in places]
        return own, np.array([float(places[part.name]) for part in own])

    def told(self, attributes: Sequence[str]) -> str:
        """The numbers of the first slices, for whoever cannot see them."""
        shown = [
            " ".join(
                (
                    f"{system}:" * bool(system),
                    part.name,
                    of_value(part.value, (part.low, part.high), self.form),
                )
            ).strip()
            for system, parts in self.of.items()
            for part in parts
            if part.by in attributes
        ]
        return "; ".join(shown[:TOLD]) + "; …" * (len(shown) > TOLD) + "."

    def said_overall(self) -> str:
        """The values of all queries or rows, as far as they are known."""
        known = {name: value for name, value in self.overall.items() if not math.isnan(value)}
        one = len(self.of) == 1
        return ", ".join(
            f"{'' if one else name} {of_value(value, (), self.form)}".strip() for name, value in known.items()
        )

    @property
    def subtitle(self) -> str:
        """Of what they are, and how sure."""
        sure = "without intervals"
        if self.confidence:
            sure = f"with {self.confidence} intervals" if "%" in self.confidence else "with intervals"
        overall = self.said_overall()
        shown = "differences" if self.differences else "values"
        few = bool(overall) and self.are_few
        return f"{shown} in slices {sure}" + f"; of all {self.counted} {overall}" * few

    @property
    def title(self) -> str:
        """What is shown."""
        if not self.differences:
            return self.label
        (pair, *others) = self.of
        return f"{self.label[0].upper()}{self.label[1:]}" if others else f"{self.name}: {pair}"

    @property
    def reach(self) -> tuple[float, ...]:
        """What its axis goes up to, whatever the values are."""
        if self.differences:
            return (0.0,)
        return () if self.calibrated is None else (self.calibrated,)

    def rules(self, along: Literal["x", "y"], *, told: bool = True) -> Iterator[Rule]:
        """Lines to compare slices with: no difference, what is calibrated, and all together.

        `told` is whether the values of all stand in the legend, which is one for all panels.
        """
        if self.differences:
            yield _rule(along, 0.0, tone="ink", dashed=False)
        if self.calibrated is not None:
            yield _rule(
                along, self.calibrated, tone="ink", dashed=False, name=f"calibrated: {self.calibrated:g}"
            )
        for i, (name, value) in enumerate(self.overall.items()):
            if not math.isnan(value):
                one = len(self.overall) == 1
                of = f"all {self.counted}{'' if one else f', {name}'}: {of_value(value, (), self.form)}"
                tone = "muted" if one else series(i)
                yield _rule(along, value, tone=tone, name=of if told else f"all {self.counted}")

    @property
    def sides(self) -> Mapping[int, tuple[str, str]]:
        """What slices are called and drawn in, by their `Part.side`."""
        if self.differences:
            return {
                1: ("significantly better", "good"),
                -1: ("significantly worse", "bad"),
                2: ("significantly different", "series-1"),
                0: ("not significant", "ink"),
            }
        if self.calibrated is not None:
            return self._sides_of_calibration(self.calibrated)
        sure = f"all others (p ≤ {ALPHA:g}, corrected)"
        tested = any(not math.isnan(part.p) for parts in self.of.values() for part in parts)
        return {
            1: (f"better than {sure}", "good"),
            -1: (f"worse than {sure}", "bad"),
            2: (f"differs from {sure}", "series-1"),
            0: ("no significant difference from all others", "ink") if tested else ("", "series-1"),
        }

    def _sides_of_calibration(self, aim: float) -> Mapping[int, tuple[str, str]]:
        if not self.confidence:
            return {0: ("", "series-1")}
        return {
            2: (f"interval without {aim:g}: not calibrated", "series-1"),
            0: (f"interval with {aim:g}", "ink"),
        }

    @property
    def form(self) -> str:
        """How its numbers are written."""
        return "+.4f" if self.differences else ".4f"

    @property
    def calibrated(self) -> float | None:
        """What values are aimed at, of which neither more nor less is better."""
        return None if self.measure is None or self.differences else calibrated_of(self.measure)


def _rule(along: Literal["x", "y"], value: float, *, tone: str, dashed: bool = True, name: str = "") -> Rule:
    x, y = (value, None) if along == "x" else (None, value)
    return Rule(x=x, y=y, tone=tone, dashed=dashed, name=name)


def parts_of(shown: Shown, measure: str | Measure | None, system: str | None, baseline: str | None) -> Parts:
    """The slices of a measure, the first if none is asked for.

    Raises:
        PictureError: there are no slices, or none of this measure or these systems.

    """
    if isinstance(shown, ComparisonSlices):
        return _differences(shown, (), measure, system, baseline)
    if isinstance(shown, Comparison | PredictionComparison):
        if shown.slices is None:
            raise PictureError('there are no slices; compare(…, by="country") makes them')
        return _differences(shown.slices, shown.pairs, measure, system, baseline)
    if baseline is not None:
        raise PictureError("baseline= is of a comparison, and these are no differences")
    return _values(dict(_tables(shown, system)), measure)


def _tables(
    shown: Slices | PredictionSlices | Result | Runs, system: str | None
) -> Iterator[tuple[str, Sliced]]:
    """The slices of one system or of several."""
    results: Mapping[str, Any] = shown.results if isinstance(shown, Runs) else {"": shown}
    if system is not None and system not in results:
        raise PictureError(f"{system!r} is not one of the systems; here are {', '.join(results)}")
    for name, own in results.items() if system is None else [(system, results[system])]:
        found = own.slices if isinstance(own, Result) else own
        if found is None:
            raise PictureError('there are no slices; evaluate(…, by="country") and result.by(…) make them')
        yield name, found


def _values(tables: Mapping[str, Sliced], measure: str | Measure | None) -> Parts:
    known = list(dict.fromkeys(row.measure for table in tables.values() for row in table.rows))
    label = _asked(measure, known)
    found = _measure(label)
    (first, *_) = tables.values()
    sure = any(not math.isnan(row.low) for table in tables.values() for row in table.rows)
    return Parts(
        name=label,
        measure=found,
        of={
            name: [_part(row, found) for row in table.rows if row.measure == label]
            for name, table in tables.items()
        },
        overall={name: getattr(table, "overall", {}).get(label, math.nan) for name, table in tables.items()},
        counted="queries" if isinstance(first, Slices) else "rows",
        confidence=f"{100 * first.confidence:g}%" if sure else "",
        notes=_short(_of_measure(first.explained(), label, known)),
    )


def _of_measure(notes: Iterable[str], label: str, known: Sequence[str]) -> Iterator[str]:
    """Notes without those of why other measures have no value."""
    others = tuple(f"no value of {each} in " for each in known if each != label)
    return (note for note in notes if not note.startswith(others))


def _short(notes: Iterable[str]) -> list[str]:
    """Those that a picture has room for; tables have all."""
    return [note for note in notes if len(note) <= LONGEST]


def _part(row: Slice | PredictionSlice, measure: Measure | None) -> Part:
    count = row.averaged if isinstance(row, Slice) else row.rows
    side = _side(measure, row.difference) if row.p_corrected <= ALPHA else 0
    aim = None if measure is None else calibrated_of(measure)
    if aim is not None:
        side = 0 if math.isnan(row.low) or row.low <= aim <= row.high else 2
    return Part(row.by, slice_label(row.slice), count, row.value, row.low, row.high, row.p_corrected, side)


def _side(measure: Measure | None, difference: float) -> int:
    """Which of two is better by a difference; 2 where neither can be."""
    if measure is None or measure.better == "neither":
        return 2
    return direction(measure) if difference > 0 else -direction(measure)


def _asked(measure: str | Measure | None, known: Sequence[str]) -> str:
    """The name of the measure that is asked for, among those that there are."""
    if not known:
        raise PictureError("there are no slices")
    if measure is None:
        return known[0]
    if str(measure) in known:
        return str(measure)
    same = [
        each for each in known if (found := _measure(each)) is not None and found == _measure(str(measure))
    ]
    if not same:
        raise PictureError(
            f"{measure} is not here{did_you_mean(str(measure), known)}; here are {', '.join(known)}"
        )
    return same[0]


def _measure(name: str) -> Measure | None:
    """The measure of a name; None of one that only who asked for it knows."""
    try:
        return parse(name)
    except MeasureError:
        return None


def _differences(
    slices: ComparisonSlices[Any],
    pairs: Sequence[Any],
    measure: str | Measure | None,
    system: str | None,
    baseline: str | None,
) -> Parts:
    every: list[SlicedPair[Any]] = list(slices.pairs)
    label = _asked(measure, list(dict.fromkeys(each.pair.measure.label for each in every)))

    def wanted(pair: Any) -> bool:
        named = system in (None, pair.system) and baseline in (None, pair.baseline)
        return bool(named and pair.measure.label == label)

    found = [each for each in every if wanted(each.pair)]
    if not found:
        known = ", ".join(dict.fromkeys(f"{each.pair.system} − {each.pair.baseline}" for each in every))
        raise PictureError(f"system={system!r}, baseline={baseline!r}: no such pair; there is {known}")
    of: dict[str, list[Part]] = {}
    for each in found:
        of.setdefault(f"{each.pair.system} − {each.pair.baseline}", []).append(_difference(each))
    overall = {f"{each.system} − {each.baseline}": each.difference for each in pairs if wanted(each)}
    by_queries = any("queries" in each.pair.figures for each in found)
    return Parts(
        name=label,
        measure=found[0].pair.measure,
        of=of,
        overall={name: overall.get(name, math.nan) for name in of},
        counted="queries" if by_queries else "rows",
        differences=True,
        confidence="of the difference",
        notes=_short(slices.notes),
    )


def _difference(each: SlicedPair[Any]) -> Part:
    pair = each.pair
    side = _side(pair.measure, pair.difference) if pair.significant else 0
    figures = pair.figures
    count = figures.get("queries", each.members)
    ends = figures["low"], figures["high"]
    return Part(each.by, slice_label(each.slice), count, pair.difference, *ends, pair.corrected, side)
