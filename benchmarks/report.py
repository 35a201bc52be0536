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
from benchmarks.timing import Timing

PACKAGES = ("rankmark", "numpy", "polars", "pytrec_eval-terrier")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case: who was timed, and who was not and why."""

    case: Case
    results: int
    """Rows of the run."""
    size: int
    """Bytes of the inputs."""
    timings: dict[str, Timing]
    memory: dict[str, int] = field(default_factory=dict)
    """Bytes beyond the inputs."""
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def ratios(self) -> dict[str, float]:
        """Each one's time as a multiple of the first one's."""
        first = next(iter(self.timings.values()))
        return {name: timing.ratio(first) for name, timing in self.timings.items()}


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
    """A table a case, under the machine's description."""
    described = "; ".join(f"{name} {value}" for name, value in where.items())
    return "\n\n".join([described, f"{rounds} rounds", *(_table(outcome) for outcome in outcomes)]) + "\n"


def _table(outcome: Outcome) -> str:
    case = outcome.case
    lines = [
        f"### {case.letter}. {case.title} ({outcome.results:,} results)",
        "",
        f"| | median | least | × {next(iter(outcome.timings))} | memory beyond the inputs |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for name, timing in outcome.timings.items():
        cells = (_seconds(timing.median), _seconds(timing.least), f"{outcome.ratios[name]:.3g}")
        lines.append(f"| {name} | {' | '.join(cells)} | {_peak(outcome, name)} |")
    lines += [f"| {name} | skipped: {reason} | | | |" for name, reason in outcome.skipped.items()]
    return "\n".join(lines)


def _seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _peak(outcome: Outcome, name: str) -> str:
    peak = outcome.memory.get(name)
    return "" if peak is None else f"{peak / 2**20:.0f} MiB ({peak / outcome.size:.0%} of them)"


def as_json(outcomes: list[Outcome], rounds: int, where: dict[str, str]) -> str:
    """The same with every sample, in seconds and bytes."""
    cases = {outcome.case.letter: _plain(outcome) for outcome in outcomes}
    return json.dumps({"machine": where, "rounds": rounds, "cases": cases}, indent=2) + "\n"


def _plain(outcome: Outcome) -> dict[str, Any]:
    contenders = {
        name: {
            "median": timing.median,
            "least": timing.least,
            "ratio": outcome.ratios[name],
            "samples": timing.samples,
            "memory": outcome.memory.get(name),
        }
        for name, timing in outcome.timings.items()
    }
    return {
        "title": outcome.case.title,
        "results": outcome.results,
        "input_bytes": outcome.size,
        "contenders": contenders,
        "skipped": outcome.skipped,
    }
