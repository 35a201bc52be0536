"""What a report has: parts under titles, each of tables, pictures and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from itertools import product
from platform import python_version
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from rankmark._native import __version__
from rankmark.comparing.comparison import Comparison
from rankmark.comparing.formats import View
from rankmark.comparing.pairs import direction
from rankmark.comparing.predictions import PredictionComparison
from rankmark.comparing.words import caution_lines, mark_line
from rankmark.dataclassing import dataclass
from rankmark.errors import PictureError
from rankmark.language.written import written
from rankmark.rendering.blocks import Block, Code, Grid, Notes
from rankmark.rendering.words import counted, listed, printable
from rankmark.reports.queries import QueryValues
from rankmark.reports.summary import isolated
from rankmark.results.runs import OfRuns, accounts
from rankmark.results.sliced import blocks_of

if TYPE_CHECKING:
    import polars as pl

    from rankmark.api.curves import CurveTable
    from rankmark.checks.report import CheckReport
    from rankmark.figures import Figure
    from rankmark.language.measure import Measure
    from rankmark.peers.difference import Differences
    from rankmark.rendering.shown import Shown
    from rankmark.results.base import Result

__all__ = ["Beside", "File", "Part", "Subject", "parts_of", "query_values", "results_of"]

Subject: TypeAlias = OfRuns | Comparison | PredictionComparison
"""What a report is of."""
DIGITS = 4
ACROSS = 5
"""Measures beside each other in a table of systems: so many have room on paper."""
LARGEST = 120_000
"""Characters of a picture: one of a point for each of many queries says less than it takes to send."""
OF_SLICES = ("slices", "trend")
"""Pictures that belong to the tables of slices."""
SLICED = 6
"""Measures of which there are pictures of slices."""
OF_PAIRS = ("differences", "scatter", "movers")
"""Pictures of two systems: of the best and the one it is compared with."""
SHOWN_OTHERWISE = ("values", "answered")
"""Pictures of what tables and sentences of the report show."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value in a table of systems, with its interval, what is significant of it, and if it is the best."""

    value: str
    interval: str
    mark: str
    best: bool


@dataclass(frozen=True, slots=True)
class Values:
    """A row a system, a column a measure."""

    kind: ClassVar = "values"
    measures: Sequence[str]
    rows: Sequence[tuple[str, Sequence[Cell]]]


@dataclass(frozen=True, slots=True)
class Blocks:
    """Tables and sentences, as in other formats."""

    kind: ClassVar = "blocks"
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures, one beneath the other."""

    kind: ClassVar = "pictures"
    figures: Sequence[Figure]


@dataclass(frozen=True, slots=True)
class Explorer:
    """All queries, to be sorted, filtered and opened where there is JavaScript; else those of `still`."""

    kind: ClassVar = "explorer"
    data: Mapping[str, Any]
    still: Grid
    lead: str


@dataclass(frozen=True, slots=True)
class File:
    """A file that went into the report."""

    role: str
    path: str
    size: int
    digest: str


@dataclass(frozen=True, slots=True)
class Files:
    """What was read."""

    kind: ClassVar = "files"
    files: Sequence[File]


Element: TypeAlias = Values | Blocks | Pictures | Explorer | Files


@dataclass(frozen=True, slots=True)
class Part:
    """Elements under a title; `name` is what links lead to."""

    name: str
    title: str
    elements: Sequence[Element]
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Beside:
    """What a report can have beside what it is of.

    Attributes:
        check: what was found in the data.
        conventions: the first measure under many conventions, and of which system.
        lists: the lists of some queries, packed.
        texts: those of queries, by their ids.
        slices: those of queries, as `QuerySlices.frame`.
        curves: of predictions, each with the name of its system; of one that there is not, why.
        files: what was read.
        command: what makes the report again.

    """

    check: CheckReport | None = None
    conventions: tuple[str, Differences] | None = None
    lists: Mapping[str, Any] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    slices: pl.DataFrame | None = None
    curves: Sequence[tuple[str, CurveTable | str]] = ()
    files: Sequence[File] = ()
    command: str = ""


def results_of(shown: Subject) -> dict[str, Result]:
    """The result of each system, of several seeds the first."""
    if isinstance(shown, OfRuns):
        return dict(shown._runs)
    if isinstance(shown, Comparison):
        return {name: seeds[0] for name, seeds in shown.results.items()}
    return dict(shown.results)


def parts_of(shown: Subject, beside: Beside) -> Iterator[Part]:
    """The parts in their order; those alone of which there is something to show."""
    yield _values(shown)
    if not isinstance(shown, OfRuns):
        yield _pairs(shown)
    yield from _pictures(shown)
    yield from _curves(beside.curves)
    yield from _slices(shown)
    yield from _queries(shown, beside)
    if beside.check is not None:
        yield _checked(beside.check)
    if beside.conventions is not None:
        yield _conventions(shown, *beside.conventions)
    yield from _made(shown, beside)


# --- Values and differences -------------------------------------------------------------------------------


def _values(shown: Subject) -> Part:
    results = results_of(shown)
    every = [result.measures for result in results.values()]
    compared = [shown.measures] if isinstance(shown, Comparison) else every
    measures = list(dict.fromkeys(m for own in compared for m in own))
    table = {name: [_figures(shown, name, result, m) for m in measures] for name, result in results.items()}
    best = [_best(m, [own[place][0] for own in table.values()]) for place, m in enumerate(measures)]
    rows = []
    for name, own in table.items():
        cells = []
        for measure, (value, *ends), most in zip(measures, own, best, strict=True):
            interval = " to ".join(written(measure, end, DIGITS) for end in ends if not math.isnan(end))
            bold = len(table) > 1 and value == most
            mark = View(shown).marks(name, measure) if isinstance(shown, Comparison) else ""
            cells.append(Cell(written(measure, value, DIGITS), interval, mark, bold))
        title = View(shown).title(name) if isinstance(shown, Comparison) else printable(name)
        rows.append((title, cells))
    title = "Systems" if len(rows) > 1 else "Values"
    tables = list(_side_by_side([m.label for m in measures], rows))
    return Part("values", title, [*tables, Blocks([Notes(_legend(shown))])])


def _side_by_side(measures: Sequence[str], rows: Sequence[tuple[str, Sequence[Cell]]]) -> Iterator[Values]:
    """Tables of about as many measures each, one beneath the other."""
    size = math.ceil(len(measures) / math.ceil(len(measures) / ACROSS))
    for at in range(0, len(measures), size):
        yield Values(measures[at : at + size], [(name, cells[at : at + size]) for name, cells in rows])


def _figures(shown: Subject, name: str, result: Result, measure: Measure) -> tuple[float, float, float]:
    """A value and the ends of its interval; NaN where there is none."""
    if isinstance(shown, Comparison):
        return shown.value(name, measure), *shown.interval(name, measure)
    if measure not in result:
        return math.nan, math.nan, math.nan
    interval = result.intervals.get(measure.label)
    low, high = (math.nan, math.nan) if interval is None else (interval.low, interval.high)
    return result[measure], low, high


def _best(measure: Measure, values: Iterable[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    if not known or measure.better not in ("more", "less"):
        return math.nan
    return max(known) if direction(measure) > 0 else min(known)


def _legend(shown: Subject) -> list[str]:
    """What stands beside the values; what became of the queries or rows, where nothing else says it."""
    results = results_of(shown)
    lines = []
    if isinstance(shown, Comparison):
        lines.append(f"{mark_line(shown)}; small: {100 * shown.plan.confidence:.6g}% intervals")
    elif any(result.intervals for result in results.values()):
        lines.append("small: confidence intervals")
    if len(results) > 1:
        lines.append("bold: the best of each measure")
    if isinstance(shown, OfRuns):
        lines += accounts({name: result.account() for name, result in results.items()})
    return lines


def _pairs(shown: Comparison | PredictionComparison) -> Part:
    if isinstance(shown, Comparison):
        told = {*shown.notes, *caution_lines(shown.pairs)}  # in the summary
        grid = View(shown).pairs().printable()
        lines = [line for line in View(shown).notes() if line.strip() not in told]
    else:
        grid, lines = shown._grid(DIGITS), shown.account()
    return Part("differences", "Differences", [Blocks([grid, Notes(lines)])])


def _pictures(shown: Subject) -> Iterator[Part]:
    """The pictures that fit, but for those that belong to other parts."""
    names = [name for name in shown.pictures() if name not in (*OF_SLICES, *SHOWN_OTHERWISE)]
    figures, lead = _figures_of(shown, names)
    if figures or lead:
        yield Part("pictures", "Pictures", [Pictures(figures)], lead)


def _figures_of(
    shown: Shown, names: Iterable[str], measures: Iterable[Measure] = ()
) -> tuple[Sequence[Figure], str]:
    """Those of these pictures of it for which it has what they show, and which of them are too large.

    With `measures` each picture is drawn of each of these.
    """
    figures, large, of_pair = [], [], _of_pair(shown)
    wanted = [{"measure": measure} for measure in measures] or [{}]
    for name, options in product(names, wanted):
        with suppress(PictureError):
            figure = shown.plot(name, **options, **(of_pair if name in OF_PAIRS else {}))
            if len(figure.to_svg()) <= LARGEST:
                figures.append(figure)
            else:
                large.append(" of ".join((name, *map(str, options.values()))))
    draw = "draws it" if len(large) == 1 else "draws them"
    return figures, f"Too large for this page: {listed(large)}; rankmark plot {draw}." if large else ""


def _of_pair(shown: Shown) -> dict[str, str]:
    """The pair of which pictures of two systems are: that of the queries which are looked at first."""
    if not isinstance(shown, Comparison):
        return {}
    values = QueryValues.of_comparison(shown)
    if values is None:
        return {}
    first = set(values.pair)
    found = next((pair for pair in shown.pairs if {pair.system, pair.baseline} == first), shown.pairs[0])
    return {"system": found.system, "baseline": found.baseline}


def _curves(curves: Sequence[tuple[str, CurveTable | str]]) -> Iterator[Part]:
    """Curves of predictions, of which bins are shown as a table, too, and why there is none of others."""
    elements: list[Element] = []
    lacking: list[str] = []
    for name, curve in curves:
        if isinstance(curve, str):
            lacking.append(f"{isolated(name)}: {curve}" if name else curve)
            continue
        with suppress(PictureError):
            figure = curve.plot()
            elements.append(
                Pictures([replace(figure, title=f"{name}: {figure.title}" if name else figure.title)])
            )
        if curve.kind == "calibration":
            elements.append(Blocks(list(curve._blocks(DIGITS))))
    if lacking:
        elements.append(Blocks([Notes(lacking)]))
    if elements:
        yield Part("curves", "Curves", elements)


def _slices(shown: Subject) -> Iterator[Part]:
    """What it comes to in slices, if they were asked for."""
    blocks: list[Block] = []
    if not isinstance(shown, OfRuns):
        blocks = [] if shown.slices is None else list(shown.slices._blocks(DIGITS))
    elif found := {run: result.slices for run, result in shown._runs.items() if result.slices is not None}:
        blocks = list(blocks_of(found, DIGITS))
    if blocks:
        measures = dict.fromkeys(m for result in results_of(shown).values() for m in result.measures)
        figures, lead = _figures_of(shown, OF_SLICES, list(measures)[:SLICED])
        yield Part("slices", "Slices", [Pictures(figures), Blocks(blocks)], lead)


# --- Queries ----------------------------------------------------------------------------------------------


def query_values(shown: Subject) -> QueryValues | None:
    """The values of the queries; None where no measure has any."""
    if isinstance(shown, Comparison):
        return QueryValues.of_comparison(shown)
    return QueryValues.of_results(results_of(shown), getattr(shown, "baselines", ()))


def _queries(shown: Subject, beside: Beside) -> Iterator[Part]:
    values = query_values(shown)
    if values is not None:
        measure = values.measures[0].label
        lead = f"The queries that changed most by {measure}."
        if len(values.pair) == 1:
            lead = f"The queries with the worst {measure}."
        data = {**values.packed(beside.texts, beside.slices), "lists": beside.lists}
        yield Part("queries", "Queries", [Explorer(data, values.still(beside.texts), lead)])


# --- Data, conventions and how it was made ----------------------------------------------------------------


def _checked(check: CheckReport) -> Part:
    return Part("data", "Data", [Blocks(list(check._blocks(DIGITS)))])


def _conventions(shown: Subject, system: str, found: Differences) -> Part:
    """The tools that have the same number together, the greatest number first."""
    (label, values), *_ = found.values.items()
    own, groups = results_of(shown)[system][label], found.alike(label, DIGITS)
    rows = [[label, "against this report", "tools", f"what makes it other than {found.like[0]}'s"]]
    for each in groups:
        change = round(each.value, DIGITS) - round(own, DIGITS)
        told = f"{change:+.{DIGITS}f}" if change else "the same"
        why = zip(each.changes, each.because, strict=True)
        causes = ", ".join(f"{what} ({because.effect:+.{DIGITS}f})" for what, because in why)
        rows.append([f"{each.value:.{DIGITS}f}", told, ", ".join(each.like), causes])
    lead = (
        f"The {label} of {isolated(system)} on these data, as tools compute it: "
        f"{counted(len(groups), 'number')} from {counted(len(values), 'tool')}."
    )
    return Part(
        "conventions", "Conventions", [Pictures([found.plot()]), Blocks([Grid(len(rows[0]), rows)])], lead
    )


def _made(shown: Subject, beside: Beside) -> Iterator[Part]:
    """What it takes to make the numbers again."""
    signatures = dict.fromkeys(
        result.signature(measure) for result in results_of(shown).values() for measure in result.measures
    )
    elements: list[Element] = [Blocks([Code([printable(each) for each in signatures])])]
    if beside.files:
        elements.append(Files(beside.files))
    if beside.command:
        elements.append(Blocks([Code([printable(beside.command)])]))
    made = f"Made by rankmark {__version__} in Python {python_version()}."
    lead = f"{made} Each signature has all that decides its numbers."
    yield Part("made", "How it was made", elements, lead)
