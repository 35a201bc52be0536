"""What a check found, and how it is shown: for people, for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from rankmark.checks.finding import CODES, CODES_OF_PREDICTIONS, EXAMPLES, Finding
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError, did_you_mean
from rankmark.rendering.blocks import Block, Grid, Section, Tone, toned
from rankmark.rendering.formats.json import ByName
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, printable
from rankmark.results.saved import Saved

__all__ = ["CheckReport", "TableCounts"]


TONES: Mapping[str, Tone] = {"serious": "bad"}
"""What pages say of how serious a finding is."""


@dataclass(frozen=True, slots=True, repr=False)
class TableCounts(Record):
    """The size of a table.

    Attributes:
        rows: judgements, results or predictions.
        queries: different queries; None where there is no column of them.
        items: different items, likewise.

    """

    rows: int
    queries: int | None
    items: int | None


@dataclass(frozen=True, slots=True)
class CheckReport(Saved):
    """What a check found; ``print(report)`` shows it. It is true if nothing serious was found.

    Attributes:
        tables: the sizes of the judgements (``qrels``) and of each run, by its name.
        findings: what is odd, the most serious first.
        no_sign_of: the codes of what was looked for and not found.

    """

    tables: Mapping[str, TableCounts]
    findings: tuple[Finding, ...]
    no_sign_of: tuple[str, ...]

    _only: ClassVar = ("table", "json", "markdown", "html")

    @property
    def serious(self) -> tuple[Finding, ...]:
        """The findings that call the values into question."""
        return tuple(finding for finding in self.findings if finding.severity == "serious")

    @property
    def codes(self) -> Mapping[str, str]:
        """What its codes stand for: those of lists, or of predictions."""
        looked_for = {*self.no_sign_of, *(finding.code for finding in self.findings)}
        return CODES if "duplicate-results" in looked_for else CODES_OF_PREDICTIONS

    def __bool__(self) -> bool:
        """Whether nothing serious was found."""
        return not self.serious

    def __getitem__(self, code: str) -> tuple[Finding, ...]:
        """The findings of one code."""
        known = {**CODES, **CODES_OF_PREDICTIONS}
        if code not in known:
            raise UsageError(f"no finding is called {code!r}{did_you_mean(code, known)}")
        return tuple(finding for finding in self.findings if finding.code == code)

    def __repr__(self) -> str:
        codes = ", ".join(f"{finding.code} ({finding.severity})" for finding in self.findings)
        return f"<CheckReport {codes or 'nothing found'}>"

    def _blocks(self, digits: int) -> Iterator[Block]:
        return _blocks(self, digits)

    def _record(self) -> dict[str, Any]:
        return _record(self)


def _blocks(report: CheckReport, digits: int) -> Iterator[Block]:
    """The sizes of the tables, a section for each finding, and what was not found."""
    yield Section("", list(_sizes(report)))
    for finding in report.findings:
        grid = _effects(finding, digits) if finding.effects else None
        title = toned(f"{finding.severity}: {finding.code}", TONES.get(finding.severity))
        yield Section(title, list(_sentences(finding)), grid)
    if report.no_sign_of:
        yield Section("", ["no sign of " + ", ".join(report.no_sign_of)])


def _sizes(report: CheckReport) -> Iterator[str]:
    for name, table in report.tables.items():
        what = "judgement" if name == "qrels" else "result"
        ids = [] if table.queries is None else [counted(table.queries, "query", "queries")]
        ids += [] if table.items is None else [counted(table.items, "item")]
        rows = counted(table.rows, what if len(ids) == 2 else "row")
        yield printable(f"{name}: {rows}" + (f" of {' and '.join(ids)}" if ids else ""))


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
    return Grid(1, [header, *rows], "What it does to measures")


def _rounded(value: float | None, digits: int) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def _record(report: CheckReport) -> dict[str, Any]:
    """Everything."""
    findings = [asdict(finding) for finding in report.findings]
    for finding in findings:
        for effect in finding["effects"]:
            effect["otherwise"] = ByName(effect["otherwise"])
    tables = {name: asdict(table) for name, table in report.tables.items()}
    return {
        "tables": tables,
        "findings": findings,
        "no_sign_of": report.no_sign_of,
    }
