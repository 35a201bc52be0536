"""One result, or several named ones side by side: what there is to be shown of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, TypeVar

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError, did_you_mean
from rankmark.language.written import paper_column, with_best, written
from rankmark.rendering.blocks import Block, Code, Grid, Notes
from rankmark.rendering.drawn import Column, Spark
from rankmark.rendering.formats.json import ByName, IdColumn, NumberColumn
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.paper_options import PaperOptions
from rankmark.rendering.words import listed, printable
from rankmark.results.reported import Reported
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from rankmark.language.measure import Measure
    from rankmark.rendering.papers import PaperTable
    from rankmark.results.base import Result
    from rankmark.results.sliced import Sliced

    Cell: TypeAlias = Callable[[Measure, float], str]

__all__ = ["FormatOptions", "OfRuns", "Options", "Runs", "numbers_of"]

T = TypeVar("T")

ENDS = ("low", "high")
WIDEST = 80
"""So many letters a table with bounds or intervals of several runs has in a line at most, where it can."""


class Options(TypedDict, total=False):
    """What formats take of results, besides `digits`."""

    per_query: bool
    per_class: bool
    confusion: bool
    signatures: bool | Literal["short"]


class FormatOptions(Options, PaperOptions, total=False):
    """The same with what those for papers take."""


class OfRuns(Saved, Numbered, Reported, ABC):
    """What is shown as results by the names of their runs."""

    __slots__ = ()

    _options = tuple(Options.__annotations__)

    @classmethod
    def _check_table(cls, **options: Any) -> None:
        if options.get("per_class") and options.get("confusion"):
            raise UsageError("CSV is one table: ask for the classes or for the confusion matrix")

    @property
    @abstractmethod
    def _runs(self) -> Mapping[str, Result]:
        """The results; one without a name is called by the empty one."""

    def _blocks(self, digits: int, **options: Any) -> Iterator[Block]:
        return View(self._runs, digits=digits, **options).blocks()

    def _paper(self, digits: int, **options: Any) -> Iterator[Block | PaperTable]:
        return View(self._runs, digits=digits, **options).paper_blocks()

    def _record(self, **options: Any) -> dict[str, Any]:
        return View(self._runs, **options).record()

    def _frame(self, **options: Any) -> pl.DataFrame | Grid:
        return View(self._runs, **options).frame()

    def _trec(self, digits: int, **options: Any) -> Iterator[tuple[str, str, str]]:
        return View(self._runs, digits=digits, **options).trec()

    def _queries(self) -> pl.DataFrame | None:
        return _queries(self._runs)

    def _numbers(self) -> Mapping[Parts, float]:
        return numbers_of(self._runs)

    def to_trec(self, **options: Any) -> str:
        """trec_eval's output format; see `format`."""
        return self.format("trec", **options)


class Runs(OfRuns):
    """Results of several runs, side by side; ``runs["bm25"]`` is that of one."""

    __slots__ = ("_named",)

    def __init__(self, results: Mapping[str, Result]) -> None:
        self._named = dict(results)

    @property
    def results(self) -> dict[str, Result]:
        """Each run's result, by its name."""
        return dict(self._named)

    def __getitem__(self, name: str) -> Result:
        if name not in self._named:
            hint = did_you_mean(name, self._named)
            raise UsageError(f"{name!r} is not one of the runs {', '.join(self._named)}{hint}")
        return self._named[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._named)

    def __len__(self) -> int:
        return len(self._named)

    def __repr__(self) -> str:
        return f"<Runs {', '.join(self._named)}>"

    @property
    def _runs(self) -> Mapping[str, Result]:
        return self._named

    def _kept(self) -> dict[str, Any]:
        return {"results": self._named}


MOST_NAMED = 12
"""Runs that a line names."""


def accounts(told: Mapping[str, Sequence[str]]) -> list[str]:
    """What is told of each run, by its name; what is told of several is said once.

    The first line of each is its own, or of those of which the same is told; what is told of all stands at
    the end. Lines that belong to the one before are indented.
    """
    alike: dict[tuple[str, ...], list[str]] = {}
    of_all = [line for line in next(iter(told.values()))[1:] if all(line in each for each in told.values())]
    for name, lines in told.items():
        alike.setdefault(tuple(line for line in lines if line not in of_all), []).append(name)
    shown = []
    for (first, *others), names in alike.items():
        called = ", ".join(map(printable, names[:MOST_NAMED]))
        if len(names) > MOST_NAMED:
            called += f" and {len(names) - MOST_NAMED} others"
        shown += [f"{called}: {first}" if called else first, *(f"  {line}" for line in others)]
    if len(alike) > 1 and of_all:
        return [*shown, f"all: {of_all[0]}", *(f"  {line}" for line in of_all[1:])]
    return [*shown, *(f"  {line}" for line in of_all)]


@dataclass(frozen=True)
class View:
    """What is to be shown of which runs, and the rows and lines that several formats share."""

    runs: Mapping[str, Result]
    per_query: bool = False
    per_class: bool = False
    confusion: bool = False
    signatures: bool | Literal["short"] = False
    digits: int = 4

    @cached_property
    def named(self) -> bool:
        """Whether the runs have names to tell them apart."""
        return list(self.runs) != [""]

    @cached_property
    def measures(self) -> list[Measure]:
        """Every measure of any run, each once."""
        return list(dict.fromkeys(m for result in self.runs.values() for m in result.measures))

    @cached_property
    def query_measures(self) -> list[Measure]:
        """Those of them that have a value for each query."""
        return list(dict.fromkeys(m for result in self.runs.values() for m in result.query_measures))

    @cached_property
    def columns(self) -> list[tuple[str, str, dict[str, float]]]:
        """The values of each run by their measures' names, and beside them their bounds or intervals.

        Each has a title, and which of these figures it is, the empty one for values.
        """
        return [
            (" ".join(filter(None, (name, figure))) or "value", figure, values)
            for name, result in self.runs.items()
            for figure, values in _figures(result).items()
        ]

    @cached_property
    def slices(self) -> dict[str, Sliced]:
        """What runs come to in slices, of those of which that was asked for."""
        return {run: result.slices for run, result in self.runs.items() if result.slices is not None}

    def rounded(self, measure: Measure, value: float) -> str:
        """A value for people; empty for NaN."""
        return written(measure, value, self.digits)

    def exact(self, measure: Measure, value: float) -> str:
        """A value that reads back as the same number; empty for NaN."""
        return written(measure, value, None)

    def summary(self, cell: Cell) -> Grid:
        """A row a measure, a column a run, with bounds four, with intervals three."""
        titles = [title for title, *_ in self.columns]
        rows = [[m.label, *self._summary_row(m, cell)] for m in self.measures]
        return Grid(1, [["measure", *titles], *rows])

    def by_run(self, cell: Cell) -> Grid:
        """The same with a row for each measure of each run, and a column a figure."""
        figures = list(dict.fromkeys(figure for _, figure, _ in self.columns))
        rows = []
        for measure in self.measures:
            cells = iter(self._summary_row(measure, cell))
            for name, result in self.runs.items():
                own = dict(zip(_figures(result), cells, strict=False))  # the next ones are of the next run
                rows.append([measure.label, name, *(own.get(figure, "") for figure in figures)])
        return Grid(2, [["measure", "run", *(figure or "value" for figure in figures)], *rows])

    def summary_shown(self) -> Grid:
        """The summary for people: where bounds or intervals of runs make it too wide, a row a run."""
        grid = self.summary(self.rounded).printable()
        wide = any(figure for _, figure, _ in self.columns) and self.named
        if wide and sum(grid.widths()) + 2 * (len(grid.rows[0]) - 1) > WIDEST:
            return self.by_run(self.rounded).printable()
        return grid._replace(drawn=None if self.named else self.spread)

    def _summary_row(self, measure: Measure, cell: Cell) -> list[str]:
        """A measure's figures, of which the best of the runs' values is told."""
        values = [own.get(str(measure), math.nan) for *_, own in self.columns]
        comparable = [
            math.nan if figure else value for (_, figure, _), value in zip(self.columns, values, strict=True)
        ]
        cells = [cell(measure, value) for value in values]
        best = with_best(measure, cells, comparable)
        return [
            one if figure else told
            for (_, figure, _), one, told in zip(self.columns, cells, best, strict=True)
        ]

    def spread(self) -> Column | None:
        """How the values of the queries of one result spread."""
        (result,) = self.runs.values()
        shapes = [
            _spark(measure, result.query_values(measure)) if measure in result.query_measures else None
            for measure in self.measures
        ]
        return Column("queries", shapes) if any(shapes) else None

    def queries(self, cell: Cell) -> Grid:
        """A row a query of each run, a column a measure."""
        header = ["run"] * self.named + ["query"]
        rows = [row for name, result in self.runs.items() for row in self._query_rows(name, result, cell)]
        titles = [*header, *(m.label for m in self.query_measures)]
        return Grid(len(header), [titles, *rows], "Queries")

    def _query_rows(self, name: str, result: Result, cell: Cell) -> Iterator[list[str]]:
        ids = result.query_ids
        nothing = [math.nan] * len(ids)
        own, measures = result.query_measures, self.query_measures
        columns = [result.query_values(m).tolist() if m in own else nothing for m in measures]
        for query, *values in zip(ids, *columns, strict=True):
            yield [name] * self.named + [str(query), *map(cell, measures, values)]

    def classes(self, digits: int | None) -> Iterator[Grid]:
        """The classes and the confusion matrix of each run, if asked for, with so many digits or all."""
        for result in self.runs.values():
            if self.per_class:
                yield result.by_class.class_grid(digits)
            if self.confusion:
                yield result.by_class.confusion_grid(digits)

    def paper(self) -> PaperTable:
        """A row a run, with bounds four, and a column a measure; the other way round of a single one."""
        from rankmark.rendering.papers import PaperRow, PaperTable, PaperValue

        rows = [
            PaperRow(
                (printable(" ".join(filter(None, (name, figure)))) or "value",),
                [
                    PaperValue(values.get(str(m), math.nan), "", _ends(result, m, figure))
                    for m in self.measures
                ],
                rival=not figure,
            )
            for name, result in self.runs.items()
            for figure, values in _figures(result).items()
            if figure not in ENDS
        ]
        intervals = [each for result in self.runs.values() for each in result.intervals.values()]
        return PaperTable(
            names=("run" if self.named else "",),
            columns=list(map(paper_column, self.measures)),
            rows=rows,
            about=listed([measure.label for measure in self.measures]),
            confidence=intervals[0].confidence if intervals else None,
            spread="interval" if intervals else "none",
            flat=not self.named,
        )

    def blocks(self) -> Iterator[Block]:
        """What people want to see: the queries or classes if asked for, then the summary, and notes."""
        yield from self.asked()
        yield self.summary_shown()
        yield from self.beneath()
        if self.slices:
            from rankmark.results.sliced import blocks_of

            yield from blocks_of(self.slices, self.digits)
        yield from self.signed()

    def paper_blocks(self) -> Iterator[Block | PaperTable]:
        """The same for a paper."""
        yield from self.asked()
        yield self.paper()
        yield from self.beneath()
        if self.slices:
            from rankmark.results.sliced import papers_of

            yield from papers_of(self.slices)
        yield from self.signed()

    def asked(self) -> Iterator[Block]:
        """The queries or classes if asked for."""
        if self.per_query and self.query_measures:
            yield self.queries(self.rounded).printable()
        yield from (grid.printable() for grid in self.classes(self.digits))

    def beneath(self) -> Iterator[Block]:
        """What stands beneath the summary."""
        for result in self.runs.values():
            if result.shows_confusion and not self.confusion:
                yield result.by_class.confusion_grid(self.digits).printable()
        yield Notes([*self.notes(), *self.without_value(), *self.directions()], closing=True)

    def signed(self) -> Iterator[Block]:
        """The signatures if asked for."""
        if self.signatures:
            yield Code([printable(line) for m in self.measures for line in self.signature_of(m)])

    def notes(self) -> list[str]:
        """What happened to the queries of each run; lines that belong to the one before are indented."""
        told = {}
        for name, result in self.runs.items():
            told[name] = [*result.account(), *(result.by_class.notes() if self.per_class else ())]
        return accounts(told)

    def without_value(self) -> Iterator[str]:
        """Which measures that compare groups in whole runs have no value, and why."""
        told: dict[str, list[str]] = {}
        for measure in self.measures:
            if measure.page.aggregate == "run" and measure.page.parity is not None:
                values = (result[measure] for result in self.runs.values() if measure in result)
                if any(map(math.isnan, values)):
                    told.setdefault(measure.page.undefined, []).append(measure.label)
        yield from (f"no value of {listed(names)}: {why}" for why, names in told.items())

    def directions(self) -> Iterator[str]:
        """Of which measures of items a greater value is not better, which few readers know."""
        told: dict[str, dict[str, None]] = {"less is better": {}, "neither more nor less is better": {}}
        for measure in self.measures:
            if measure.page.kind != "item" or measure.page.better == "more":
                continue
            what = "less is better" if measure.page.better == "less" else "neither more nor less is better"
            if measure.parity is not None:
                what = f"{measure.parity:g} is parity, {what}"
            # those of each group once
            label = measure.name if "group" in measure.parameters else measure.label
            told.setdefault(what, {})[label] = None
        yield from (f"{what} of {listed(list(of))}" for what, of in told.items() if of)

    def signature_of(self, measure: Measure) -> list[str]:
        """The signatures under which the runs' values of `measure` were computed: one, if all agree."""
        short = self.signatures == "short"
        results = (result for result in self.runs.values() if measure in result)
        return list(dict.fromkeys(result.signature(measure, short=short) for result in results))

    def frame(self) -> pl.DataFrame | Grid:
        """One table: the classes, the queries or the slices if asked for, else the summary."""
        if classes := list(self.classes(None)):
            return classes[0]
        if self.per_query:
            return self.queries(self.exact)
        if self.slices:
            from rankmark.results.sliced import frame_of

            return frame_of(self.slices)
        summary = self.summary(self.exact)
        if not self.signatures:
            return summary
        signatures = ["signature", *(" ".join(self.signature_of(m)) for m in self.measures)]
        return Grid(1, [[*row, last] for row, last in zip(summary.rows, signatures, strict=True)])

    def trec(self) -> Iterator[tuple[str, str, str]]:
        """The lines of trec_eval's format."""
        for name, result in self.runs.items():
            if self.named:
                yield "runid", "all", name
            if self.per_query:
                yield from self._trec_queries(result)
            for measure in result.measures:
                yield _trec_name(measure), "all", self.rounded(measure, result[measure])

    def _trec_queries(self, result: Result) -> Iterator[tuple[str, str, str]]:
        names = list(map(_trec_name, result.query_measures))
        columns = [result.query_values(m).tolist() for m in result.query_measures]
        for query, *values in zip(result.query_ids, *columns, strict=True):
            for name, measure, value in zip(names, result.query_measures, values, strict=True):
                if not math.isnan(value):
                    yield name, str(query), self.rounded(measure, value)

    def record(self) -> dict[str, Any]:
        """Everything, of one run or of each by its name."""
        runs = {name: self._record(result) for name, result in self.runs.items()}
        return {"runs": runs} if self.named else runs[""]

    def _record(self, result: Result) -> dict[str, Any]:
        counts = asdict(result.counts)
        by_measure = counts.pop("measures")
        record: dict[str, Any] = {
            "rankmark": result.version,
            "convention": result.convention,
            "measures": {m.label: _measure(result, m, by_measure[str(m)]) for m in result.measures},
            result.counted: counts,
            "choices": result.choices,
            "inputs": result.inputs or None,
            "notes": list(result.notes),
        }
        if result.weighed is not None:
            record["weights"] = {"name": result.weighed.name, "effective": result.weighed.effective}
        if result.slices is not None:
            record |= result.slices._record()
        if self.per_class:
            record["classes"] = result.by_class.records()
        if self.confusion or result.shows_confusion:
            record["confusion"] = result.by_class.matrix.tolist()
        if self.per_query:
            values = ByName((m.label, NumberColumn(result.query_values(m))) for m in result.query_measures)
            record["per_query"] = {"query": IdColumn(result.query_table), "values": values}
            if result.weighed is not None:
                record["per_query"]["weights"] = NumberColumn(result.weighed.values)
        return record


BINS = 12
FEWEST = 2 * BINS
"""Queries of fewer than which bins say nothing."""


def _spark(measure: Measure, values: NDArray[np.float64]) -> Spark | None:
    """The queries' values in bins of the measure's range, or of their own where that is not bounded."""
    known = values[np.isfinite(values)]
    if len(known) < FEWEST:
        return None
    bounds = zip(measure.bounds, (known.min(), known.max()), strict=True)
    low, high = (float(own if bound is None else bound) for bound, own in bounds)
    counts, _ = np.histogram(known, BINS, (low, high))
    return Spark(counts.tolist(), low, high) if low < high and counts.any() else None


def numbers_of(runs: Mapping[str, Result]) -> dict[Parts, float]:
    """What each run came to: by its name, the measure, and which of the figures beside the value it is."""
    return {
        (name, measure.label, figure): values[str(measure)]
        for name, result in runs.items()
        for figures in [_figures(result)]
        for measure in result.measures
        for figure, values in figures.items()
        if str(measure) in values
    }


def _figures(result: Result) -> dict[str, dict[str, float]]:
    """The values by their measures' names, and by what they are called the bounds or intervals of these."""
    figures = {"": {str(m): result[m] for m in result.measures}}
    for bound in next((each.figures for each in result.bounds.values()), {}):
        values = {m: bounds.figures[bound] for m, bounds in _canonical(result, result.bounds)}
        figures[bound] = {m: value for m, value in values.items() if value is not None}
    for end in ENDS if result.intervals else ():
        figures[end] = {m: getattr(each, end) for m, each in _canonical(result, result.intervals)}
    return figures


def _ends(result: Result, measure: Measure, figure: str) -> tuple[float, float] | None:
    """The ends of the interval of a value, if there is one; bounds have none."""
    own = None if figure else result.intervals.get(measure.label)
    return None if own is None else (own.low, own.high)


def _canonical(result: Result, known: Mapping[str, T]) -> Iterator[tuple[str, T]]:
    """What is known of measures as they were asked for, by their canonical names."""
    return ((str(m), known[m.label]) for m in result.measures if m.label in known)


def _measure(result: Result, measure: Measure, counts: Mapping[str, Any]) -> dict[str, Any]:
    """The value of a measure and what is known of it."""
    name = measure.label
    record = {"value": result[measure], "signature": result.signature(measure), **counts}
    if record.get("threshold") == math.inf:
        record["threshold_reason"] = "infinite: nothing is found"
    if (bounds := result.bounds.get(name)) is not None:
        record["bounds"] = {**bounds.figures, "tied" if bounds.of == "ties" else "open": bounds.tied}
    if (interval := result.intervals.get(name)) is not None:
        record["interval"] = interval._asdict()
    return record


def _trec_name(measure: Measure) -> str:
    from rankmark.language.conventions.trec_names import trec_name

    return trec_name(measure) or measure.label


def _queries(runs: Mapping[str, Result]) -> pl.DataFrame | None:
    """The values of each query, of several runs one after another with a column ``run``."""
    import polars as pl

    if not any(each.query_measures for each in runs.values()):
        return None
    if list(runs) == [""]:
        return runs[""].per_query
    named: Iterable[pl.DataFrame] = (
        each.per_query.select(pl.lit(name).alias("run"), pl.all()) for name, each in runs.items()
    )
    return pl.concat(named, how="diagonal_relaxed")
