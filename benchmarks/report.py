"""What was measured, as Markdown and as JSON."""

from __future__ import annotations

import json
import os
import platform
import re
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.cases import Case
from benchmarks.targets import Measured, Target
from benchmarks.timing import duration

PACKAGES = (
    "rankmark",
    "numpy",
    "polars",
    "duckdb",
    "pytrec_eval-terrier",
    "ranx",
    "numba",
    "ir_measures",
    "scikit-learn",
    "scipy",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case, or a part of it: who was timed, and who was not and why."""

    case: Case
    measured: dict[str, Measured]
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def first(self) -> Measured:
        """The one to whom all ratios are."""
        return next(iter(self.measured.values()))

    @property
    def ratios(self) -> dict[str, float]:
        """Each one's time as a multiple of the first one's."""
        return {name: one.timing.ratio(self.first.timing) for name, one in self.measured.items()}


def figures(outcomes: list[Outcome]) -> list[tuple[Case, Target, float | None]]:
    """Every target of the cases, with what was measured on the most rows that all it speaks of were given."""
    cases = {outcome.case.key: outcome.case for outcome in outcomes}
    return [
        (case, target, _figure(target, [outcome for outcome in outcomes if outcome.case is case]))
        for case in cases.values()
        for target in case.targets
    ]


def _figure(target: Target, outcomes: list[Outcome]) -> float | None:
    values = (target.value(outcome.measured) for outcome in outcomes)
    return next((value for value in values if value is not None), None)


def machine() -> dict[str, str]:
    """Where the figures come from."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "CPU": _cpu(),
        "cores": str(cores),
        "memory": _memory(),
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
        "load before": _load(),
    }


def _cpu() -> str:
    information = Path("/proc/cpuinfo")
    text = information.read_text() if information.exists() else ""
    model = re.search(r"model name\s*:\s*(.+)", text)
    return model[1] if model else platform.processor() or "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB"
    except (AttributeError, ValueError, OSError):
        return "unknown"


def _load() -> str:
    """How many programs wanted to compute during the last minute; above 0 they disturbed the timing."""
    return f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def markdown(outcomes: list[Outcome], rounds: int, where: dict[str, str]) -> str:
    """The targets, and a table a case, under the machine's description."""
    described = "; ".join(f"{name} {value}" for name, value in where.items())
    tables = (_table(outcome) for outcome in outcomes)
    return "\n\n".join([described, f"{rounds} rounds", _targets(outcomes), *tables]) + "\n"


def _targets(outcomes: list[Outcome]) -> str:
    lines = ["### Targets", "", "| | | wanted | measured | |", "| --- | --- | ---: | ---: | --- |"]
    for case, target, value in figures(outcomes):
        measured, verdict = "", "not measured"
        if value is not None:
            measured, verdict = target.written(value), "reached" if target.reached(value) else "missed"
        lines.append(f"| {case.key} | {target.what} | {target.wanted} | {measured} | {verdict} |")
    return "\n".join(lines)


def _table(outcome: Outcome) -> str:
    case, ratios = outcome.case, outcome.ratios
    rows = [("", "median", "least", f"× {next(iter(ratios))}"), ("---", *["---:"] * 3)]
    for name, one in outcome.measured.items():
        rows.append((name, duration(one.timing.median), duration(one.timing.least), f"{ratios[name]:.3g}"))
    if case.sized:
        sizes = [(f"{one.speed:,.0f}", _peak(one)) for one in outcome.measured.values()]
        columns = [("MB/s of inputs", "memory beyond the inputs"), ("---:", "---:"), *sizes]
        rows = [(*row, *size) for row, size in zip(rows, columns, strict=True)]
    rows += [(name, f"skipped: {reason}") for name, reason in outcome.skipped.items()]
    title = f"### {case.key}. {case.title} ({outcome.first.results:,} results)"
    return "\n".join([title, "", *(f"| {' | '.join(row)} |" for row in rows)])


def _peak(one: Measured) -> str:
    return "" if one.peak is None else f"{one.peak / 2**20:.0f} MiB ({one.share:.0%} of them)"


def as_json(outcomes: list[Outcome], rounds: int, where: dict[str, str]) -> str:
    """The same with every sample, in seconds and bytes."""
    targets = [
        {
            "case": case.key,
            "what": target.what,
            "wanted": target.wanted,
            "measured": value,
            "reached": None if value is None else target.reached(value),
        }
        for case, target, value in figures(outcomes)
    ]
    tables = [_plain(outcome) for outcome in outcomes]
    report = {"machine": where, "rounds": rounds, "targets": targets, "tables": tables}
    return json.dumps(report, indent=2) + "\n"


def _plain(outcome: Outcome) -> dict[str, Any]:
    contenders = {
        name: {
            "median": one.timing.median,
            "least": one.timing.least,
            "ratio": outcome.ratios[name],
            "samples": one.timing.samples,
            "results": one.results,
            "input_bytes": one.size,
            "memory": one.peak,
        }
        for name, one in outcome.measured.items()
    }
    return {
        "case": outcome.case.key,
        "title": outcome.case.title,
        "results": outcome.first.results,
        "contenders": contenders,
        "skipped": outcome.skipped,
    }
