"""Results as text: for people, for papers, for programs; one result or several named ones side by side."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from rankmark.errors import ChoiceError, UsageError, did_you_mean

if TYPE_CHECKING:
    from typing import Unpack

    from rankmark.api.curves import CurveTable
    from rankmark.language.measure import Measure
    from rankmark.peers.difference import Differences
    from rankmark.results.lists import Result

    Cell = Callable[[Measure, float], str]

__all__ = [
    "FORMATS",
    "PARQUET",
    "Grid",
    "Options",
    "account",
    "aligned",
    "chance",
    "check_writable",
    "counted",
    "finite",
    "format_of",
    "grid_text",
    "html",
    "known_format",
    "latex_text",
    "markdown_table",
    "markdown_text",
    "note_text",
    "printable",
    "render",
    "render_curve",
    "render_differences",
    "write_parquet",
    "write_whole",
]


class Options(TypedDict, total=False):
    """What every format takes."""

    per_query: bool
    per_class: bool
    confusion: bool
    signatures: bool | Literal["short"]
    digits: int


def render(results: Result | Mapping[str, Result], name: str = "table", **options: Unpack[Options]) -> str:
    """One result, or several by the names of their runs, in one of `FORMATS`; ends with a line end.

    ``per_query=True`` adds the values of each query, ``per_class=True`` those of each class,
    ``confusion=True`` the confusion matrix of classes, ``signatures=True`` each measure's signature,
    ``signatures="short"`` its short form, ``digits=4`` is how many digits are shown after the point (JSON
    and CSV always show all).
    """
    runs = results if isinstance(results, Mapping) else {"": results}
    return FORMATS[known_format(name)](View(runs, **options))


PARQUET = "parquet"
"""The format of files that hold the values of each query for other programs; it is no text."""
ENDINGS = {"": "table", ".txt": "table", ".json": "json", ".csv": "csv", ".md": "markdown", ".tex": "latex"}
ENDINGS |= {".parquet": PARQUET}


def format_of(path: str | Path) -> str:
    """The format that a file's ending stands for.

    Raises:
        UsageError: it stands for none.

    """
    if _is_device(path):
        return "table"
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        known = ", ".join(filter(None, ENDINGS))
        raise UsageError(f"{path}: {ending!r} does not say which format to write (as {known} do); name it")
    return ENDINGS[ending]


def known_format(name: str, formats: Iterable[str] | None = None) -> str:
    """`name` if it is a format, of all `FORMATS` or of these."""
    if name == PARQUET:
        raise ChoiceError(
            "format='parquet' is no text but a file of the values of each query, which `Result.write` and -q "
            "-o FILE of `rankmark eval` and `rankmark predictions` write"
        )
    known = list(FORMATS if formats is None else formats)
    if name not in known:
        raise ChoiceError(f"format={name!r} is not one of {', '.join(known)}{did_you_mean(name, known)}")
    return name


def check_writable(path: str | Path) -> None:
    """An error if `path` cannot be written, to be known before long work and not after it."""
    folder = Path(path).resolve().parent
    if Path(path).is_dir():
        raise UsageError(f"cannot write {path}: it is a folder")
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {folder}")
    if not _is_device(path) and not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {path}: no permission to write in its folder")


def write_whole(path: str | Path, content: str | bytes | Callable[[Path], object]) -> None:
    """Write `content` to `path` whole or not at all: until it is complete, what was there stays.

    A function is given the path that it is to write to.
    """

    def write(to: Path) -> None:
        if callable(content):
            content(to)
        else:
            to.write_bytes(content.encode() if isinstance(content, str) else content)

    check_writable(path)
    target = Path(path).resolve()
    draft = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        if _is_device(path):  # written to, never replaced
            write(Path(path))
            return
        try:
            write(draft)
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def write_parquet(path: str | Path, results: Result | Mapping[str, Result]) -> None:
    """Write the values of each query to a Parquet file, as `Result.per_query` has them.

    Several results, by the names of their runs, stand one after another, with a column ``run``.
    """
    import polars as pl

    runs = results.values() if isinstance(results, Mapping) else [results]
    if not any(each.query_measures for each in runs):
        raise UsageError(f"{path} would hold the values of each query, and no measure here has any")
    if isinstance(results, Mapping):
        named = (each.per_query.select(pl.lit(n).alias("run"), pl.all()) for n, each in results.items())
        frame = pl.concat(named, how="diagonal_relaxed")
    else:
        frame = results.per_query
    write_whole(path, frame.write_parquet)


def _is_device(path: str | Path) -> bool:
    return Path(path).exists() and not Path(path).is_file()


BOUNDS = ("worst", "expected", "best")
ENDS = ("low", "high")


class Grid(NamedTuple):
    """A header and rows of text, the first columns of which are names and the others numbers."""

    names: int
    rows: list[list[str]]

    def widths(self) -> list[int]:
        """The width of each column."""
        return [max(map(len, column)) for column in zip(*self.rows, strict=True)]


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
    def columns(self) -> list[tuple[str, dict[str, float]]]:
        """The values of each run by their measures' names, and beside them their bounds or intervals."""
        columns = []
        for name, result in self.runs.items():
            columns.append((name or "value", result.values))
            for bound in BOUNDS if result.bounds else ():
                values = {m: getattr(bounds, bound) for m, bounds in result.bounds.items()}
                known = {m: value for m, value in values.items() if value is not None}
                columns.append((f"{name} {bound}".lstrip(), known))
            for end in ENDS if result.intervals else ():
                ends = {measure: getattr(each, end) for measure, each in result.intervals.items()}
                columns.append((f"{name} {end}".lstrip(), ends))
        return columns

    def rounded(self, measure: Measure, value: float) -> str:
        """A value for people; empty for NaN."""
        if math.isnan(value):
            return ""
        return f"{value:.0f}" if _is_whole(measure, value) else f"{value:.{self.digits}f}"

    def exact(self, measure: Measure, value: float) -> str:
        """A value that reads back as the same number; empty for NaN."""
        if math.isnan(value):
            return ""
        return f"{value:.0f}" if _is_whole(measure, value) else repr(value)

    def summary(self, cell: Cell) -> Grid:
        """A row a measure, a column a run, with bounds four, with intervals three."""
        titles = [title for title, _ in self.columns]
        rows = [
            [str(m), *(cell(m, values.get(str(m), math.nan)) for _, values in self.columns)]
            for m in self.measures
        ]
        return Grid(1, [["measure", *titles], *rows])

    def queries(self, cell: Cell) -> Grid:
        """A row a query of each run, a column a measure."""
        header = ["run"] * self.named + ["query"]
        rows = [row for name, result in self.runs.items() for row in self._query_rows(name, result, cell)]
        return Grid(len(header), [[*header, *map(str, self.query_measures)], *rows])

    def _query_rows(self, name: str, result: Result, cell: Cell) -> Iterator[list[str]]:
        ids = result.query_ids
        nothing = [math.nan] * len(ids)
        own, measures = result.query_measures, self.query_measures
        columns = [result.query_values(m).tolist() if m in own else nothing for m in measures]
        for query, *values in zip(ids, *columns, strict=True):
            yield [name] * self.named + [str(query), *map(cell, measures, values)]

    def sliced(self, name: str) -> list[str]:
        """What the runs come to in slices of the queries, if they were asked for."""
        found = {run: result.slices for run, result in self.runs.items() if result.slices is not None}
        if not found:
            return []
        from rankmark.results.slices import slices_text

        return [slices_text(found, name, self.digits).rstrip("\n")]

    def classes(self, digits: int | None) -> Iterator[Grid]:
        """The classes and the confusion matrix of each run, if asked for, with so many digits or all."""
        for result in self.runs.values():
            if self.per_class:
                yield result.by_class.class_grid(digits)
            if self.confusion:
                yield result.by_class.confusion_grid(digits)

    def grids(self) -> list[Grid]:
        """What people want to see: the queries or classes if asked for, then the summary."""
        queries = self.per_query and bool(self.query_measures)
        grids = [self.queries(self.rounded)] * queries + list(self.classes(self.digits))
        grids.append(self.summary(self.rounded))
        return [Grid(grid.names, [list(map(printable, row)) for row in grid.rows]) for grid in grids]

    def notes(self) -> list[str]:
        """What happened to the queries of each run; lines that belong to the one before are indented."""
        lines = []
        for name, result in self.runs.items():
            first, *others = result.account()
            others += result.by_class.notes() if self.per_class else ()
            lines += [f"{printable(name)}: {first}" if name else first, *(f"  {line}" for line in others)]
        return lines

    def signature_of(self, measure: Measure) -> list[str]:
        """The signatures under which the runs' values of `measure` were computed: one, if all agree."""
        short = self.signatures == "short"
        results = (result for result in self.runs.values() if measure in result)
        return list(dict.fromkeys(result.signature(measure, short=short) for result in results))

    def signature_lines(self) -> list[str]:
        """Every signature, each on its line."""
        return [printable(line) for m in self.measures for line in self.signature_of(m)]


def _is_whole(measure: Measure, value: float) -> bool:
    """Whether a value is a count; the mean of counts over all orders of ties need not be whole."""
    return measure.page.aggregate == "sum" and value.is_integer()


def account(result: Result) -> list[str]:
    """What happened to the queries: a line, and a second one if there is something to notice."""
    counts = result.counts
    answered = "all answered"
    if counts.missing:
        missing = _chosen(result, "missing")
        answered = f"{counts.answered:,} answered, {counts.missing:,} missing ({missing})"
    notes = []
    if counts.unjudged:
        notes.append(f"{_queries(counts.unjudged)} of the run not judged (left out)")
    if barren := _most(m.no_relevant for m in counts.measures.values()):
        notes.append(f"nothing relevant in {barren} ({_chosen(result, 'no_relevant')})")
    notes += _tie_notes(result)
    notes += result.notes
    first = f"{_queries(counts.judged)} judged, {answered}"
    if result.convention:
        first += f", as in {result.convention}"
    return [first, "; ".join(notes)] if notes else [first]


def _tie_notes(result: Result) -> Iterator[str]:
    """What equal scores do to the values: what they could do, unless bounds say what they do."""
    rule = f"(ties: {_chosen(result, 'ties')})"
    if result.bounds:
        if tied := _most(bounds.tied for bounds in result.bounds.values()):
            yield f"equal scores change {tied} {rule}"
        if open_ended := [name for name, bounds in result.bounds.items() if bounds.expected is None]:
            yield f"no expected value of {', '.join(open_ended)}, which {_has(open_ended)} no closed form"
        return
    counted = {name: counts.tied for name, counts in result.counts.measures.items()}
    if tied := _most(count for count in counted.values() if count is not None):
        yield f"equal scores could change {tied} {rule}"
    if unknown := [name for name, count in counted.items() if count is None]:
        yield f"equal scores not counted for {', '.join(unknown)} (bounds count them)"


def _has(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


TREATED = {"zero": "counted as 0", "one": "counted as 1", "skip": "left out"}


def _chosen(result: Result, choice: str) -> str:
    """What was decided; several things where a convention does not decide alike for all measures."""
    values = dict.fromkeys(result.choices_of(measure)[choice] for measure in result.measures)
    return " or ".join(TREATED.get(value, value) for value in values)


def counted(number: int, one: str, several: str | None = None) -> str:
    """``1 query``, ``1,234 queries``."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def chance(p: float, digits: int) -> str:
    """A p-value for people: never 0, and empty for NaN."""
    least = 10.0**-digits
    if math.isnan(p):
        return ""
    return f"<{least:.{digits}f}" if p < least else f"{p:.{digits}f}"


def _queries(n: int) -> str:
    return counted(n, "query", "queries")


def _most(numbers: Iterable[int]) -> str:
    """``12 queries``, ``up to 12 queries`` where the measures differ, or nothing for none."""
    different = set(numbers) - {0}
    return "up to " * (len(different) > 1) + _queries(max(different)) if different else ""


def _table(view: View) -> str:
    blocks = [aligned(grid) for grid in view.grids()]
    notes = (fill(note, 80, subsequent_indent="  ", break_on_hyphens=False) for note in view.notes())
    blocks.append("\n".join(notes))
    blocks += view.sliced("table")
    if view.signatures:
        blocks.append("\n".join(view.signature_lines()))
    return "\n\n".join(blocks) + "\n"


def aligned(grid: Grid) -> str:
    """A table with columns aligned by spaces."""
    widths = grid.widths()
    header, *rows = grid.rows
    lines = [header, ["-" * width for width in widths], *rows]
    return "\n".join("  ".join(_padded(line, widths, grid.names)).rstrip() for line in lines)


def _padded(cells: list[str], widths: list[int], names: int) -> Iterator[str]:
    for i, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        yield cell.ljust(width) if i < names else cell.rjust(width)


def _csv(view: View) -> str:
    if classes := list(view.classes(None)):
        if len(classes) > 1:
            raise UsageError("CSV is one table: ask for the classes or for the confusion matrix")
        return _csv_text(classes[0].rows)
    if not view.per_query and (slices := view.sliced("csv")):
        return slices[0] + "\n"
    rows = (view.queries if view.per_query else view.summary)(view.exact).rows
    if view.signatures and not view.per_query:
        signatures = [" ".join(view.signature_of(m)) for m in view.measures]
        rows = [[*row, last] for row, last in zip(rows, ["signature", *signatures], strict=True)]
    return _csv_text(rows)


def _csv_text(rows: list[list[str]]) -> str:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _json(view: View) -> str:
    import json

    runs = {name: _record(result, view) for name, result in view.runs.items()}
    record = {"runs": runs} if view.named else runs[""]
    return json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _record(result: Result, view: View) -> dict[str, Any]:
    from rankmark._native import __version__

    counts = asdict(result.counts)
    by_measure = counts.pop("measures")
    measures = {
        name: {"value": finite(value), "signature": result.signature(name), **_plain(by_measure[name])}
        for name, value in result.values.items()
    }
    for name, bounds in result.bounds.items():
        values = {rule: getattr(bounds, rule) for rule in BOUNDS}
        found = {rule: None if value is None else finite(value) for rule, value in values.items()}
        measures[name]["bounds"] = {**found, "tied": bounds.tied}
    for name, interval in result.intervals.items():
        ends = {end: finite(getattr(interval, end)) for end in ENDS}
        measures[name]["interval"] = {**interval._asdict(), **ends}
    record: dict[str, Any] = {"rankmark": __version__, "convention": result.convention, "measures": measures}
    record |= {result.counted: counts, "choices": result.choices, "inputs": result.inputs or None}
    record["notes"] = list(result.notes)
    if result.slices is not None:
        record["slices"] = result.slices.records()
    if view.per_class:
        record["classes"] = result.by_class.records()
    if view.confusion:
        record["confusion"] = result.by_class.matrix.tolist()
    if view.per_query:
        each = {str(m): list(map(finite, result.query_values(m).tolist())) for m in result.query_measures}
        record["per_query"] = {"query": result.query_ids, "values": each}
    return record


def _plain(counts: Mapping[str, Any]) -> dict[str, Any]:
    """Counts, and thresholds, of which those that are infinite, which JSON lacks, are text: inf, -inf."""
    infinite = {name: str(value) for name, value in counts.items() if value in (math.inf, -math.inf)}
    return {**counts, **infinite}


def finite(value: float) -> float | None:
    """The value as JSON has it."""
    return value if math.isfinite(value) else None


def _markdown(view: View) -> str:
    blocks = [markdown_table(grid) for grid in view.grids()]
    blocks.append("\\\n".join(markdown_text(note.strip()) for note in view.notes()))
    blocks += view.sliced("markdown")
    if view.signatures:
        blocks.append("\n".join(["```", *view.signature_lines(), "```"]))
    return "\n\n".join(blocks) + "\n"


def markdown_table(grid: Grid) -> str:
    """A table in Markdown."""
    escaped = Grid(grid.names, [list(map(markdown_text, row)) for row in grid.rows])
    widths = [max(width, 2) for width in escaped.widths()]  # ":" alone is no rule
    rule = ["-" * w if i < grid.names else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    header, *rows = (list(_padded(row, widths, grid.names)) for row in escaped.rows)
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def markdown_text(text: str) -> str:
    """A text in Markdown, where it means itself."""
    return re.sub(r"([\\`*_{}\[\]<>|~])", r"\\\1", text)


def _latex(view: View) -> str:
    blocks = [*(_latex_table(grid) for grid in view.grids()), *view.sliced("latex")]
    lines = view.notes() + (view.signature_lines() if view.signatures else [])
    comments = [f"% {line}" for line in lines]
    return "\n\n".join(blocks) + "\n" + "\n".join(comments) + "\n"


def _latex_table(grid: Grid) -> str:
    header, *rows = (" & ".join(map(latex_text, row)) + r" \\" for row in grid.rows)
    columns = "l" * grid.names + "r" * (len(grid.rows[0]) - grid.names)
    begin = rf"\begin{{tabular}}{{{columns}}}"
    return "\n".join([begin, r"\toprule", header, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"])


def latex_text(text: str) -> str:
    """The text with what LaTeX would understand escaped."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    special |= {"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}"}
    special |= {char: "\\" + char for char in "&%$#_{}"}
    return "".join(special.get(char, char) for char in text)


def grid_text(grid: Grid, name: str) -> str:
    """Rows as an aligned ``table``, or in ``markdown`` or ``latex``."""
    return {"table": aligned, "markdown": markdown_table, "latex": _latex_table}[name](grid)


def note_text(note: str, name: str) -> str:
    """A sentence beneath such rows: wrapped, escaped, or as a comment."""
    if name == "table":
        return fill(note, 80, subsequent_indent="  ", break_on_hyphens=False)
    return markdown_text(note) if name == "markdown" else f"% {note}"


def _trec(view: View) -> str:
    lines: list[str] = []
    for name, result in view.runs.items():
        if view.named:
            lines.append(_trec_line("runid", "all", name))
        if view.per_query:
            lines += _trec_queries(view, result)
        lines += [_trec_line(_trec_name(m), "all", view.rounded(m, result[m])) for m in result.measures]
    return "\n".join(lines) + "\n"


def _trec_queries(view: View, result: Result) -> Iterator[str]:
    names = list(map(_trec_name, result.query_measures))
    columns = [result.query_values(m).tolist() for m in result.query_measures]
    for query, *values in zip(result.query_ids, *columns, strict=True):
        for name, measure, value in zip(names, result.query_measures, values, strict=True):
            if not math.isnan(value):
                yield _trec_line(name, str(query), view.rounded(measure, value))


def _trec_line(name: str, query: str, value: str) -> str:
    return f"{name:<22}\t{query}\t{value}"


def _trec_name(measure: Measure) -> str:
    from rankmark.language.conventions.trec_names import trec_name

    return trec_name(measure) or str(measure)


def html(result: Result) -> str:
    """A small table for notebooks."""
    from html import escape

    view = View({"": result})
    header, *rows = view.summary(view.rounded).rows

    def line(tag: str, cells: list[str]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"

    body = "".join(line("td", row) for row in rows)
    return (
        f"<table><thead>{line('th', header)}</thead><tbody>{body}</tbody></table>"
        f"<small>{'<br>'.join(map(escape, view.notes()))}</small>"
    )


def printable(text: str) -> str:
    """`text` on one line, with whatever could steer a terminal replaced."""
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    )


FORMATS: Mapping[str, Callable[[View], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
    "trec": _trec,
}


def render_differences(found: Differences, name: str = "table", digits: int = 4) -> str:
    """The same data under several conventions, and beneath it why their values differ."""
    if name == "json":
        import json

        return json.dumps(_differences_record(found), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    if name == "csv":
        return _csv_text(_values_grid(found, repr).rows)
    table = {"table": aligned, "markdown": markdown_table, "latex": _latex_table}.get(known_format(name))
    if table is None:
        raise UsageError(f"format={name} shows one convention; use one of table, json, csv, markdown, latex")
    values = _values_grid(found, lambda value: "" if math.isnan(value) else f"{value:.{digits}f}")
    blocks = [table(values)]
    if any(each.effect for each in found.why):
        blocks.append(table(_why_grid(found, digits)))
    notes = _difference_notes(found)
    shown = "\n".join(fill(note, 80, subsequent_indent="  ", break_on_hyphens=False) for note in notes)
    comments = "\n".join(f"% {note}" for note in notes)
    return "\n\n".join([*blocks, *([comments if name == "latex" else shown] if notes else [])]) + "\n"


def _values_grid(found: Differences, cell: Callable[[float], str]) -> Grid:
    rows = [
        [measure, *(cell(values[like]) if like in values else "" for like in found.like)]
        for measure, values in found.values.items()
    ]
    return Grid(1, [["measure", *found.like], *rows])


def _why_grid(found: Differences, digits: int) -> Grid:
    """The differences that show in these data, of each measure and convention the greatest first."""
    header = ["measure", "like", "because of", found.like[0], "there", "alone", "queries"]
    rows = []
    order = {measure: place for place, measure in enumerate(found.values)}
    telling = (each for each in found.why if each.effect)
    for each in sorted(telling, key=lambda each: (order[each.measure], each.like, -abs(each.effect))):
        alone = _signed(each.effect, digits)
        queries = str(found.queries[each.measure][each.like])
        rows.append([each.measure, each.like, each.what, each.first, each.other, alone, queries])
    return Grid(5, [header, *rows])


def _signed(effect: float, digits: int) -> str:
    """An effect, as a power of ten where it would be rounded to 0."""
    if math.isnan(effect):
        return ""
    return f"{effect:+.{digits}f}" if abs(effect) >= 0.5 * 10**-digits else f"{effect:+.0e}"


def _difference_notes(found: Differences) -> list[str]:
    notes = []
    first = found.like[0]
    if any(each.effect for each in found.why):
        notes.append(
            f"alone: how {first}'s value changes if that one thing is done as there; queries: those whose "
            "values differ"
        )
    for like in found.like[1:]:
        of_tool = [each for each in found.why if each.like == like]
        telling = {each.what for each in of_tool if each.effect}
        silent = dict.fromkeys(
            f"{each.what} ({each.first} / {each.other})" for each in of_tool if each.what not in telling
        )
        if silent:
            notes.append(f"{like} also differs from {first}, without effect here, in {', '.join(silent)}")
    return notes + list(found.lacking)


def _differences_record(found: Differences) -> dict[str, Any]:
    from rankmark._native import __version__

    why = [asdict(each) for each in found.why]
    for each in why:
        each.update(value=finite(each["value"]), effect=finite(each["effect"]))
    values = {measure: {k: finite(v) for k, v in of.items()} for measure, of in found.values.items()}
    record: dict[str, Any] = {"rankmark": __version__, "like": list(found.like), "values": values}
    return record | {"queries": dict(found.queries), "why": why, "lacking": list(found.lacking)}


def render_curve(found: CurveTable, name: str = "table", digits: int = 4) -> str:
    """A curve's points, and beneath them what they are of."""
    if name == "csv":
        return found.frame.write_csv()
    if name == "json":
        import json

        return json.dumps(_curve_record(found), indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    table = {"table": aligned, "markdown": markdown_table, "latex": _latex_table}.get(known_format(name))
    if table is None:
        raise UsageError(f"format={name} shows measures; use one of table, json, csv, markdown, latex")
    cells = [[_cell(value, digits) for value in row] for row in found.frame.rows()]
    note = f"% {found.account()}" if name == "latex" else fill(found.account(), 80, subsequent_indent="  ")
    return f"{table(Grid(0, [found.frame.columns, *cells]))}\n\n{note}\n"


def _cell(value: float, digits: int) -> str:
    """A number with so many significant digits: rates of clicks and thresholds can be small."""
    size = abs(value)
    if size < 1e15 and (size >= 10**digits or size == int(size)):
        return f"{value:.0f}"
    return f"{value:#.{max(digits, 1)}g}"


def _curve_record(found: CurveTable) -> dict[str, Any]:
    from rankmark._native import __version__

    columns = {each.name: [finite(value) for value in each.to_list()] for each in found.frame.get_columns()}
    record = {"rankmark": __version__, "curve": found.kind, "rows": found.rows, "positive": found.positive}
    if found.area is not None:
        record |= {"thresholds": found.thresholds, "area": found.area, "area_change": found.area_change}
    return record | {"columns": columns}
