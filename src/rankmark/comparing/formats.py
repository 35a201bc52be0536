"""Comparisons as text: for people, for papers, for programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from string import ascii_lowercase
from textwrap import fill
from typing import TYPE_CHECKING, Any, TypedDict

from rankmark.comparing.pairs import record
from rankmark.comparing.words import DOWN, UP, interval_line, mark_line, queries_line, test_line
from rankmark.errors import ChoiceError, did_you_mean
from rankmark.rendering.formats import (
    Grid,
    account,
    aligned,
    chance,
    finite,
    latex_text,
    markdown_table,
    markdown_text,
    printable,
)
from rankmark.statistics.equivalence import check_margin

if TYPE_CHECKING:
    from typing import Unpack

    from rankmark.comparing.compared import Compared, Mover
    from rankmark.comparing.pairs import Pair
    from rankmark.language.measure import Measure
    from rankmark.statistics.intervals import Interval

__all__ = ["COMPARISON_FORMATS", "ComparisonOptions", "html", "known_comparison_format", "render"]


class ComparisonOptions(TypedDict, total=False):
    """What every format takes."""

    per_query: bool
    movers: int
    margin: float | None
    digits: int


def render(comparison: Compared, name: str = "table", **options: Unpack[ComparisonOptions]) -> str:
    """The comparison in one of `COMPARISON_FORMATS`; ends with a line end. See `Comparison.format`."""
    return COMPARISON_FORMATS[known_comparison_format(name)](View(comparison, **options))


def known_comparison_format(name: str) -> str:
    """`name` if a comparison has this format."""
    if name not in COMPARISON_FORMATS:
        hint = did_you_mean(name, COMPARISON_FORMATS)
        raise ChoiceError(f"format={name!r} is not one of {', '.join(COMPARISON_FORMATS)}{hint}")
    return name


@dataclass(frozen=True)
class View:
    """What is to be shown of a comparison, and the rows and lines that several formats share."""

    comparison: Compared
    per_query: bool = False
    movers: int = 0
    margin: float | None = None
    digits: int = 4

    def __post_init__(self) -> None:
        if self.margin is not None:
            check_margin(self.margin)

    @cached_property
    def letters(self) -> dict[str, str]:
        """What marks each system where there is no baseline."""
        systems = self.comparison.systems
        few = len(systems) <= len(ascii_lowercase)
        return {s: ascii_lowercase[i] if few else f"{i + 1}," for i, s in enumerate(systems)}

    def marks(self, system: str, measure: Measure) -> str:
        """What is significant: how it differs from the baseline, or which systems it is better than."""
        pairs = [pair for pair in self.comparison.pairs if pair.significant and pair.measure == measure]
        if self.comparison.baseline is not None:
            return "".join(UP if pair.better else DOWN for pair in pairs if pair.system == system)
        worse = [pair.baseline if pair.better else pair.system for pair in pairs]
        better = [pair.system if pair.better else pair.baseline for pair in pairs]
        beaten = {one for one, other in zip(worse, better, strict=True) if other == system}
        return "".join(self.letters[one] for one in self.comparison.systems if one in beaten).rstrip(",")

    def title(self, system: str) -> str:
        """A system's name, with its letter where there is no baseline."""
        shown, letter = printable(system), self.letters[system].rstrip(",")
        return shown if self.comparison.baseline is not None else f"{shown} ({letter})"

    def named(self, rows: list[list[str]], names: int = 3) -> Grid:
        """Rows that begin with measure, system and baseline, left out where it is always the same."""
        if self.comparison.baseline is None:
            return Grid(names, rows)
        return Grid(names - 1, [[*row[:2], *row[3:]] for row in rows])

    def number(self, value: float) -> str:
        """A value for people; empty for NaN."""
        return "" if math.isnan(value) else f"{value:.{self.digits}f}"

    def signed(self, value: float) -> str:
        """A difference for people; empty for NaN."""
        return "" if math.isnan(value) else f"{value:+.{self.digits}f}"

    def span(self, interval: Interval) -> str:
        """An interval for people."""
        return (
            "" if math.isnan(interval.low) else f"{self.signed(interval.low)} … {self.signed(interval.high)}"
        )

    def chance(self, p: float) -> str:
        """A p-value for people."""
        return chance(p, self.digits)

    def means(self, mark: Callable[[str], str] = str) -> Grid:
        """A row a system, a column a measure; marks of one column are as wide as each other."""
        shown = self.comparison
        columns = [["system", *map(self.title, shown.systems)]]
        for measure in shown.measures:
            marks = [self.marks(system, measure) for system in shown.systems]
            widest = max(map(len, marks))
            cells = [
                self.number(shown.value(system, measure)) + mark(own.ljust(widest))
                for system, own in zip(shown.systems, marks, strict=True)
            ]
            columns.append([str(measure), *cells])
        return Grid(1, [list(row) for row in zip(*columns, strict=True)])

    def pairs(self) -> Grid:
        """A row a measure and pair."""
        plan = self.comparison.plan
        corrected = [] if plan.correction == "none" else [f"p ({plan.correction})"]
        header = [
            "measure",
            "system",
            "against",
            "difference",
            f"{_percent(plan.confidence)} interval",
            "p",
            *corrected,
        ]
        header += ["d", "delta", "superiority", "win/tie/loss"]
        return self.named([header, *(self._pair(pair) for pair in self.comparison.pairs)])

    def _pair(self, pair: Pair) -> list[str]:
        corrected = [] if self.comparison.plan.correction == "none" else [self.chance(pair.corrected)]
        return [
            str(pair.measure),
            pair.system,
            pair.baseline,
            self.signed(pair.difference),
            self.span(pair.interval),
            self.chance(pair.p),
            *corrected,
            *("" if math.isnan(x) else f"{x:+.2f}" for x in (pair.cohens_d, pair.cliffs_delta)),
            "" if math.isnan(pair.superiority) else f"{pair.superiority:.2f}",
            f"{pair.wins}/{pair.ties}/{pair.losses}",
        ]

    def equivalent(self) -> Grid:
        """A row a measure and pair: whether the difference is within the margin."""
        assert self.margin is not None
        alpha = self.comparison.plan.alpha
        inside = f"{_percent(1 - 2 * alpha)} interval"
        header = [
            "measure",
            "system",
            "against",
            inside,
            "p not worse",
            "p equivalent",
            f"within {self.margin:g}",
        ]
        rows = [header]
        for measure in self.comparison.measures:
            found = self.comparison.equivalence(measure, self.margin)
            for (system, other), own in found.items():
                no_worse = own.p_below if measure.page.better == "less" else own.p_above
                verdict = (
                    "equivalent" if own.p <= alpha else "not worse" if no_worse <= alpha else "not shown"
                )
                figures = [self.span(own.interval), self.chance(no_worse), self.chance(own.p), verdict]
                rows.append([str(measure), system, other, *figures])
        return self.named(rows)

    def moved(self, exact: bool = False) -> Grid:
        """A row a query that changed most."""
        number, signed = (repr, repr) if exact else (self.number, self.signed)

        def figures(mover: Mover) -> list[str]:
            return [number(mover.value), number(mover.baseline_value), signed(mover.difference)]

        header = ["measure", "system", "against", "query", "value", "before", "difference"]
        rows = [
            [str(m.measure), m.system, m.baseline, str(m.query), *figures(m)]
            for m in self.comparison.movers(self.movers)
        ]
        return self.named([header, *rows], names=4)

    def queries(self, exact: bool = False) -> Grid:
        """A row a measure and query, a column a system."""
        shown = self.comparison
        rows = [["measure", "query", *shown.systems]]
        for measure in shown.measures:
            columns = [shown.query_values(system, measure).tolist() for system in shown.systems]
            for query, *values in zip(shown.query_ids, *columns, strict=True):
                cells = (("" if math.isnan(v) else repr(v)) if exact else self.number(v) for v in values)
                rows.append([str(measure), str(query), *cells])
        return Grid(2, rows)

    def grids(self) -> list[Grid]:
        """What people want to see."""
        grids = [self.queries()] if self.per_query else []
        grids += [self.means(), self.pairs()]
        grids += [self.equivalent()] if self.margin is not None else []
        grids += [self.moved()] if self.movers else []
        return [Grid(grid.names, [list(map(printable, row)) for row in grid.rows]) for grid in grids]

    def notes(self) -> list[str]:
        """What stands beneath the tables; lines that belong to the one before are indented."""
        shown = self.comparison
        lines = [test_line(shown), f"  {mark_line(shown)}", interval_line(shown), queries_line(shown)]
        lines += (f"  {note}" for note in shown.notes)
        for name, results in shown.results.items():
            for number, result in enumerate(results, 1):
                first, *others = account(result)
                title = f"{name} (seed {number})" if len(results) > 1 else name
                lines += [f"{printable(title)}: {first}", *(f"  {line}" for line in others)]
        return lines


def _percent(share: float) -> str:
    return f"{100 * share:.6g}%"


def _table(view: View) -> str:
    blocks = [aligned(grid) for grid in view.grids()]
    notes = (fill(note, 80, subsequent_indent="  ", break_on_hyphens=False) for note in view.notes())
    return "\n\n".join([*blocks, "\n".join(notes)]) + "\n"


def _markdown(view: View) -> str:
    blocks = [markdown_table(_stripped(grid)) for grid in view.grids()]
    blocks.append("\\\n".join(markdown_text(note.strip()) for note in view.notes()))
    return "\n\n".join(blocks) + "\n"


def _stripped(grid: Grid) -> Grid:
    """Without the blanks that align marks."""
    return Grid(grid.names, [[cell.strip() for cell in row] for row in grid.rows])


def _csv(view: View) -> str:
    import csv
    import io

    if view.movers:
        rows: Iterable[Iterable[Any]] = view.moved(exact=True).rows
    elif view.per_query:
        rows = view.queries(exact=True).rows
    else:
        records = [record(pair) for pair in view.comparison.pairs]
        rows = [list(records[0]), *(map(_exact, own.values()) for own in records)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _exact(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else value


def _json(view: View) -> str:
    import json

    return json.dumps(_record(view), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _record(view: View) -> dict[str, Any]:
    from rankmark._native import __version__

    shown = view.comparison
    plan = {name: value for name, value in asdict(shown.plan).items() if name != "threads"}
    whole: dict[str, Any] = {"rankmark": __version__, "baseline": shown.baseline, **plan}
    whole["clusters"] = shown.clusters
    whole["systems"] = {system: _system(view, system) for system in shown.systems}
    whole["pairs"] = [record(pair) for pair in shown.pairs]
    whole["notes"] = list(shown.notes)
    if view.margin is not None:
        whole["equivalence"] = list(_equivalences(view, view.margin))
    if view.movers:
        whole["movers"] = [m._asdict() | {"measure": str(m.measure)} for m in shown.movers(view.movers)]
    if view.per_query:
        values = {
            str(measure): {
                system: list(map(finite, shown.query_values(system, measure).tolist()))
                for system in shown.systems
            }
            for measure in shown.measures
        }
        whole["per_query"] = {"query": shown.query_ids, "values": values}
    return whole


def _system(view: View, system: str) -> dict[str, Any]:
    shown = view.comparison
    results = shown.results[system]
    means = {}
    for measure in shown.measures:
        low, high = map(finite, shown.interval(system, measure))
        mean = {"value": finite(shown.value(system, measure)), "low": low, "high": high}
        signatures = list(dict.fromkeys(result.signature(measure) for result in results))
        means[str(measure)] = mean | {"signature": signatures[0] if len(signatures) == 1 else signatures}
    counts = [asdict(result.counts) for result in results]
    queries = [{name: value for name, value in each.items() if name != "measures"} for each in counts]
    return {"queries": queries[0] if len(queries) == 1 else queries, "measures": means}


def _equivalences(view: View, margin: float) -> Iterator[dict[str, Any]]:
    for measure in view.comparison.measures:
        for (system, other), own in view.comparison.equivalence(measure, margin).items():
            low, high = map(finite, own.interval)
            names = {"measure": str(measure), "system": system, "baseline": other, "margin": margin}
            p_values = {"p_above": own.p_above, "p_below": own.p_below, "p": own.p}
            yield names | {name: finite(p) for name, p in p_values.items()} | {"low": low, "high": high}


def _latex(view: View) -> str:
    def raised(marks: str) -> str:
        arrows = {UP: r"\uparrow", DOWN: r"\downarrow"}
        shown = "".join(arrows.get(mark, mark) for mark in marks.strip())
        filler = r"\phantom{\uparrow}" if marks and not shown and view.comparison.baseline else ""
        return f"$^{{{shown or filler}}}$" if shown or filler else ""

    # Marks are formulas, so the cells are escaped before they get them.
    grid = view.means(raised)
    header, *rows = grid.rows
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(_caption(view))}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(header) - 1)}}}",
        r"\toprule",
        " & ".join(map(latex_text, header)) + r" \\",
        r"\midrule",
        *(" & ".join([latex_text(row[0]), *row[1:]]) + r" \\" for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return (
        "\n".join([*(_latex_signs(line) for line in lines), *(f"% {line}" for line in view.notes())]) + "\n"
    )


def _latex_signs(line: str) -> str:
    for sign, command in ((UP, "uparrow"), (DOWN, "downarrow"), ("≤", "leq")):
        line = line.replace(sign, rf"$\{command}$")
    return line


def _caption(view: View) -> str:
    shown = view.comparison
    measures = ", ".join(map(str, shown.measures))
    marks = mark_line(shown)
    first = f"Mean {measures}. {marks[0].upper()}{marks[1:]}"
    queries = queries_line(shown).removeprefix("compared on ")
    return f"{first}: {test_line(shown)}; {queries}."


def html(comparison: Compared) -> str:
    """Tables for notebooks."""
    from html import escape

    view = View(comparison)

    def line(tag: str, cells: list[str]) -> str:
        return f"<tr>{''.join(f'<{tag}>{escape(cell.strip())}</{tag}>' for cell in cells)}</tr>"

    tables = []
    for grid in (view.means(), view.pairs()):
        header, *rows = grid.rows
        body = "".join(line("td", row) for row in rows)
        tables.append(f"<table><thead>{line('th', header)}</thead><tbody>{body}</tbody></table>")
    return "".join(tables) + f"<small>{'<br>'.join(map(escape, view.notes()))}</small>"


COMPARISON_FORMATS: Mapping[str, Callable[[View], str]] = {
    "table": _table,
    "json": _json,
    "csv": _csv,
    "markdown": _markdown,
    "latex": _latex,
}
