"""`python -m benchmarks.coverage SUBJECT`: prints its tables; all subjects if none is named."""

from __future__ import annotations

import argparse
import importlib
import pkgutil

from benchmarks import coverage
from benchmarks.coverage.shares import Table

NOT_SUBJECTS = ("__main__", "populations", "shares")
QUICK = 50
"""Repetitions that take minutes for everything."""
SAID = 0.9
"""In so many of the repetitions a note has to stand beside what misses its goal."""


def subjects() -> list[str]:
    """The modules of the folder that have tables."""
    names = (each.name for each in pkgutil.iter_modules(coverage.__path__))
    return [name for name in names if name not in NOT_SUBJECTS]


def main(args: list[str] | None = None) -> None:
    """Prints the tables of the subjects named, and which goals are missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=coverage.__doc__)
    parser.add_argument("subject", nargs="*", help=f"one of {', '.join(subjects())} (default: all)")
    number = parser.add_mutually_exclusive_group()
    number.add_argument("--repetitions", type=int, default=1_000, help="of most shares (default: 1,000)")
    number.add_argument(
        "--quick", dest="repetitions", action="store_const", const=QUICK, help=f"{QUICK} of them"
    )
    asked = parser.parse_args(args)
    if asked.repetitions < 1:
        parser.error(f"--repetitions {asked.repetitions}: at least 1")
    if unknown := set(asked.subject) - set(subjects()):
        parser.error(f"no subject {min(unknown)!r}; there are {', '.join(subjects())}")
    found: list[Table] = []
    for name in asked.subject or subjects():
        print(f"### {name}\n")
        for table in importlib.import_module(f"benchmarks.coverage.{name}").tables(asked.repetitions):
            found.append(table)
            print(table, flush=True)
    print(summary(found))


def summary(tables: list[Table]) -> str:
    """How many goals are missed, and by which shares no note says so."""
    missed = [(table, *each) for table in tables for each in table.missed()]
    unsaid = [each for each in missed if each[-1].noted < SAID]
    said, judged = len(missed) - len(unsaid), sum(table.judged for table in tables)
    first = (
        f"Of {judged:,} shares with a goal {len(missed):,} miss it by more than two standard errors; beside "
        f"{said:,} of them a note says so in {100 * SAID:g}% of the repetitions or more. The others:\n"
    )
    lines = [f"- {table.title}: {name}, {way}: {share}" for table, name, way, share in unsaid]
    return "\n".join([first, *lines])


if __name__ == "__main__":
    main()
