"""`python -m benchmarks`: times rankmark beside its peers, prints the ratios and the targets."""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from benchmarks import memory, report
from benchmarks.cases import CASES, Case
from benchmarks.contenders import Contender
from benchmarks.data import Data, Generate
from benchmarks.report import Outcome
from benchmarks.targets import Measured
from benchmarks.timing import check_agreement, time_calls

RESULTS = Path(__file__).parent / "results"


def run_case(case: Case, asked: int, rounds: int, with_memory: bool = True) -> list[Outcome]:
    """Times everyone in the case; those who cannot do all its rows on fewer, beside the first one."""
    rows = case.rows(asked)
    skipped = {c.name: reason for c in case.contenders if (reason := c.unable())}
    for name, reason in skipped.items():
        print(f"{case.key}: SKIPPED {name}: {reason}", file=sys.stderr)
    able = [contender for contender in case.contenders if contender.name not in skipped]
    outcomes = []
    for part in sorted({contender.rows(rows) for contender in able}, reverse=True):
        there = [contender for contender in able if contender is able[0] or contender.rows(rows) == part]
        outcomes.append(_run(case, there, part, rounds, with_memory))
    outcomes[0].skipped.update(skipped)
    return outcomes


def _run(case: Case, contenders: list[Contender], rows: int, rounds: int, with_memory: bool) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        tables = _tables(case, contenders, rows, Path(folder))
        own, peaks = [one for one in contenders if one.on is None], {}
        if with_memory and case.sized and memory.AVAILABLE:
            tables[own[0]].save()
            peaks = {one.name: memory.peak_memory(case, one, tables[one]) for one in own}
        calls = {one.name: one.prepare(tables[one]) for one in contenders}
        check_agreement({one.name: calls[one.name]() for one in own}, case.tolerance)
        timings = time_calls(calls, rounds)
        measured = {
            one.name: Measured(timings[one.name], data.run.height, data.size, peaks.get(one.name))
            for one, data in tables.items()
        }
        return Outcome(case, measured)


def _tables(case: Case, contenders: list[Contender], rows: int, folder: Path) -> dict[Contender, Data]:
    """What each runs on; the same tables are generated once, in a folder of their own."""
    tables: dict[Generate, Data] = {}
    for generate in {contender.on or case.generate for contender in contenders}:
        place = folder / generate.__name__
        place.mkdir()
        tables[generate] = generate(rows, place)
    return {contender: tables[contender.on or case.generate] for contender in contenders}


def main(args: list[str] | None = None) -> None:
    options = _options(args)
    where = report.machine()
    outcomes = []
    for case in options.case:
        print(f"{case.key}: {case.title} …", file=sys.stderr)
        outcomes += run_case(case, options.rows, options.repeat, not options.no_memory)
    table = report.markdown(outcomes, options.repeat, where)
    full = report.as_json(outcomes, options.repeat, where)
    RESULTS.mkdir(exist_ok=True)
    stem = f"{datetime.now():%Y-%m-%d-%H%M%S}"
    (RESULTS / f"{stem}.md").write_text(table, encoding="utf-8")
    (RESULTS / f"{stem}.json").write_text(full, encoding="utf-8")
    print(full if options.json else table, end="")


def _options(args: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--case",
        type=cases_of,
        default=list(CASES.values()),
        help="such as A,B,G1; G is G1 to G3 (default: all)",
    )
    parser.add_argument(
        "--rows",
        type=count_of,
        default=1_000_000,
        help="results in A to G; ten times as many in H (default: 1,000,000)",
    )
    parser.add_argument("--repeat", type=count_of, default=7, help="rounds (default: 7)")
    parser.add_argument("--no-memory", action="store_true", help="leave out the measuring of peak memory")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    return parser.parse_args(args)


def cases_of(text: str) -> list[Case]:
    asked = text.upper().split(",")
    unknown = [start for start in asked if not start or not any(key.startswith(start) for key in CASES)]
    if unknown:
        raise argparse.ArgumentTypeError(f"no case {', '.join(unknown)}; there are {', '.join(CASES)}")
    return [case for key, case in CASES.items() if key.startswith(tuple(asked))]


def count_of(text: str) -> int:
    if not text.replace("_", "").isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


if __name__ == "__main__":
    main()
