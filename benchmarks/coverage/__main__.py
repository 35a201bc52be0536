"""`python -m benchmarks.coverage SUBJECT`: prints its tables; all subjects if none is named."""

from __future__ import annotations

import argparse
import importlib
import pkgutil

from benchmarks import coverage

NOT_SUBJECTS = ("__main__", "shares")


def subjects() -> list[str]:
    """The modules of the folder that have tables."""
    names = (each.name for each in pkgutil.iter_modules(coverage.__path__))
    return [name for name in names if name not in NOT_SUBJECTS]


def main(args: list[str] | None = None) -> None:
    """Prints the tables of the subjects named."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=coverage.__doc__)
    parser.add_argument("subject", nargs="*", help=f"one of {', '.join(subjects())} (default: all)")
    parser.add_argument("--repetitions", type=int, default=1_000, help="of each share (default: 1,000)")
    asked = parser.parse_args(args)
    if unknown := set(asked.subject) - set(subjects()):
        parser.error(f"no subject {min(unknown)!r}; there are {', '.join(subjects())}")
    for name in asked.subject or subjects():
        for table in importlib.import_module(f"benchmarks.coverage.{name}").tables(asked.repetitions):
            print(table, flush=True)


if __name__ == "__main__":
    main()
