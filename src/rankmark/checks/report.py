"""A report as text: for people, for programs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rankmark._native import __version__
from rankmark.checks.finding import EXAMPLES, Finding
from rankmark.rendering.blocks import Block, Grid, Section
from rankmark.rendering.formats.json import ByName
from rankmark.rendering.words import counted, printable

if TYPE_CHECKING:
    from rankmark.checks.checking import CheckReport

__all__ = ["blocks", "record"]


def blocks(report: CheckReport, digits: int) -> Iterator[Block]:
    """The sizes of the tables, a section for each finding, and what was not found."""
    yield Section("", list(_sizes(report)))
    for finding in report.findings:
        grid = _effects(finding, digits) if finding.effects else None
        yield Section(f"{finding.severity}: {finding.code}", list(_sentences(finding)), grid)
    if report.no_sign_of:
        yield Section("", ["no sign of " + ", ".join(report.no_sign_of)])


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


def record(report: CheckReport) -> dict[str, Any]:
    """Everything."""
    findings = [asdict(finding) for finding in report.findings]
    for finding in findings:
        for effect in finding["effects"]:
            effect["otherwise"] = ByName(effect["otherwise"])
    tables = {name: asdict(table) for name, table in report.tables.items()}
    return {
        "rankmark": __version__,
        "tables": tables,
        "findings": findings,
        "no_sign_of": report.no_sign_of,
    }
