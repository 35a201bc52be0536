"""`python -m benchmarks`: times rankmark beside its peers and prints the ratios."""

from __future__ import annotations

import argparse
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from benchmarks import memory, report
from benchmarks.cases import CASES, Case
from benchmarks.report import Outcome
from benchmarks.timing import time_calls

RESULTS = Path(__file__).parent / "results"


def run_case(case: Case, rows: int, rounds: int, with_memory: bool = True) -> Outcome:
    """Prepares, checks and times everyone in the case."""
    with tempfile.TemporaryDirectory() as folder:
        data = case.generate(rows, Path(folder))
        results = data.run.height
        skipped = {c.name: reason for c in case.contenders if (reason := c.unable(results))}
        for name, reason in skipped.items():
            print(f"{case.letter}: SKIPPED {name}: {reason}", file=sys.stderr)
        able = [contender for contender in case.contenders if contender.name not in skipped]
        size, peaks = 0, {}
        if with_memory and case.memory and memory.AVAILABLE:
            size = data.save()
            peaks = {contender.name: memory.peak_memory(case, contender, data) for contender in able}
        timings = time_calls({contender.name: contender.prepare(data) for contender in able}, rounds)
        return Outcome(case, results, size, timings, peaks, skipped)


def main(args: list[str] | None = None) -> None:
    options = _options(args)
    where = report.machine()
    outcomes = []
    for case in options.case:
        print(f"{case.letter}: {case.title} …", file=sys.stderr)
        outcomes.append(run_case(case, options.rows, options.repeat, not options.no_memory))
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
        "--case", type=_cases, default=list(CASES.values()), help="such as A,B (default: all)"
    )
    parser.add_argument(
        "--rows", type=_count, default=1_000_000, help="results in A to C (default: 1,000,000)"
    )
    parser.add_argument("--repeat", type=_count, default=7, help="rounds (default: 7)")
    parser.add_argument("--no-memory", action="store_true", help="leave out the measuring of peak memory")
    parser.add_argument("--json", action="store_true", help="print JSON instead of Markdown")
    return parser.parse_args(args)


def _cases(text: str) -> list[Case]:
    letters = text.upper().split(",")
    unknown = [letter for letter in letters if letter not in CASES]
    if unknown:
        raise argparse.ArgumentTypeError(f"no case {', '.join(unknown)}; there are {', '.join(CASES)}")
    return [CASES[letter] for letter in letters]


def _count(text: str) -> int:
    if not text.replace("_", "").isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


if __name__ == "__main__":
    main()
