"""What a check found, and how it is shown: for people, for programs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

from rankmark.checks.finding import CODES, EXAMPLES, Finding
from rankmark.errors import ChoiceError, UsageError, did_you_mean
from rankmark.rendering.formats import Grid, counted, grid_text, markdown_text, printable

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FORMATS", "CheckReport", "TableCounts", "known_format"]


@dataclass(frozen=True, slots=True)
class TableCounts:
    """The size of a table.

    Attributes:
        rows: judgements or results.
        queries: different queries.
        items: different items.

    """

    rows: int
    queries: int
    items: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What `rankmark.check` found; ``print(report)`` shows it.

    Attributes:
        tables: the sizes of the judgements (``qrels``) and of each run, by its name.
        findings: what is odd, the most serious first.
        no_sign_of: the codes of what was looked for and not found.

    """

    tables: Mapping[str, TableCounts]
    findings: tuple[Finding, ...]
    no_sign_of: tuple[str, ...]

    @property
    def serious(self) -> tuple[Finding, ...]:
        """The findings that call the values into question."""
        return tuple(finding for finding in self.findings if finding.severity == "serious")

    def __getitem__(self, code: str) -> tuple[Finding, ...]:
        """The findings of one code."""
        if code not in CODES:
            raise UsageError(f"no finding is called {code!r}{did_you_mean(code, CODES)}")
        return tuple(finding for finding in self.findings if finding.code == code)

    def __str__(self) -> str:
        return self.format().rstrip("\n")

    def __repr__(self) -> str:
        codes = ", ".join(f"{finding.code} ({finding.severity})" for finding in self.findings)
        return f"<CheckReport {codes or 'nothing found'}>"

    def format(self, name: str = "table", *, digits: int = 4) -> str:
        """The report as text: ``table`` for people, ``json`` (with all digits) or ``markdown``."""
        return FORMATS[known_format(name)](self, digits)

    def write(self, path: str | Path, name: str | None = None, *, digits: int = 4) -> None:
        """Write the report to a file, whole or not at all; the path's ending says how unless `name` does."""
        from rankmark.rendering.formats import format_of, write_whole

        write_whole(path, self.format(name or format_of(path), digits=digits))


WIDTH = 80


def known_format(name: str) -> str:
    """`name` if a report can be shown so."""
    if name not in FORMATS:
        raise ChoiceError(f"format={name!r} is not one of {', '.join(FORMATS)}{did_you_mean(name, FORMATS)}")
    return name


def _table(report: CheckReport, digits: int) -> str:
    blocks = ["\n".join(_wrapped(line) for line in _sizes(report))]
    for finding in report.findings:
        lines = [f"{finding.severity}: {finding.code}"]
        lines += [indent(_wrapped(sentence), "  ") for sentence in _sentences(finding)]
        if finding.effects:
            lines.append(indent(grid_text(_effects(finding, digits), "table"), "  "))
        blocks.append("\n".join(lines))
    blocks += [_wrapped(line) for line in _others(report)]
    return "\n\n".join(blocks) + "\n"


def _wrapped(text: str) -> str:
    return fill(text, WIDTH - 2, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def _markdown(report: CheckReport, digits: int) -> str:
    blocks = ["\\\n".join(map(markdown_text, _sizes(report)))]
    for finding in report.findings:
        text = "\\\n".join(map(markdown_text, _sentences(finding)))
        blocks.append(f"**{finding.severity}: {finding.code}**\\\n{text}")
        if finding.effects:
            blocks.append(grid_text(_effects(finding, digits), "markdown"))
    blocks += map(markdown_text, _others(report))
    return "\n\n".join(blocks) + "\n"


def _sizes(report: CheckReport) -> Iterator[str]:
    for name, table in report.tables.items():
        rows = counted(table.rows, "judgement" if name == "qrels" else "result")
        queries = counted(table.queries, "query", "queries")
        yield printable(f"{name}: {rows} of {queries} and {counted(table.items, 'item')}")


def _sentences(finding: Finding) -> Iterator[str]:
    """What was found, for example what, and what it does."""
    shown = "; ".join(map(_example, finding.examples))
    more = "; …" if finding.count > EXAMPLES else ""
    yield printable(f"{finding.where}: {finding.statement}" + (f" ({shown}{more})" if shown else ""))
    if finding.note:
        yield printable(finding.note)


def _example(example: Mapping[str, Any]) -> str:
    """``query 'q1', item 'd2'``."""
    return ", ".join(f"{name} {_shown(value)}" for name, value in example.items())


def _shown(value: object) -> str:
    if value is None:
        return "null"
    return f"{value:g}" if isinstance(value, float) else repr(value)


def _effects(finding: Finding, digits: int) -> Grid:
    """A row a measure: its value as it is, if it has one, and what it would be otherwise."""
    refused = all(effect.as_is is None for effect in finding.effects)
    header = ["measure", *["as is"] * (not refused), *finding.effects[0].otherwise]
    rows = [
        [
            effect.measure,
            *(
                _rounded(value, digits)
                for value in [effect.as_is] * (not refused) + [*effect.otherwise.values()]
            ),
        ]
        for effect in finding.effects
    ]
    return Grid(1, [header, *rows])


def _rounded(value: float | None, digits: int) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _others(report: CheckReport) -> Iterator[str]:
    """What was not found."""
    if report.no_sign_of:
        yield "no sign of " + ", ".join(f"{code}" for code in report.no_sign_of)


def _json(report: CheckReport, _: int) -> str:
    import json

    from rankmark._native import __version__

    findings = [asdict(finding) for finding in report.findings]
    tables = {name: asdict(table) for name, table in report.tables.items()}
    record = {
        "rankmark": __version__,
        "tables": tables,
        "findings": findings,
        "no_sign_of": report.no_sign_of,
    }
    return json.dumps(_finite(record), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _finite(value: Any) -> Any:
    """The same with the names of numbers that JSON does not have: ``nan``, ``inf`` and ``-inf``."""
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


FORMATS: Mapping[str, Callable[[CheckReport, int], str]] = {
    "table": _table,
    "json": _json,
    "markdown": _markdown,
}
