"""What is timed: a function each that gets its inputs ready and returns the call that does the work.

All return the means of the measures they compute, so that what they return can be compared.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from benchmarks.data import Data, Generate

SIX = ("nDCG@10", "AP", "RR", "HR@10", "P@10", "R@10")
CUTOFFS = (1, 5, 10, 100)
MANY = (*(f"{name}@{k}" for name in ("nDCG", "AP", "RR", "HR", "P", "R", "F") for k in CUTOFFS), "AP", "RR")
PARTS = {
    "nDCG": "dcg",
    "AP": "precisions",
    "RR": "first",
    "HR": "hits",
    "P": "hits",
    "R": "hits",
    "F": "hits",
}
"""What a measure adds up over a list; written by hand, those with the same part share it."""

Measures = tuple[str, ...]
Means = Mapping[str, float]
Call = Callable[[], Means | None]
"""The work; None if it has no measures to compare."""
Nested = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Contender:
    """One way to do a case's work."""

    name: str
    prepare: Callable[[Data], Call]
    needs: str = "rankmark"
    """The package without which it cannot run."""
    most_rows: int | None = None
    """Beyond this it takes minutes and says nothing new: it runs on that many, and rankmark beside it."""
    on: Generate | None = None
    """The data it runs on, if not the case's."""

    def unable(self) -> str | None:
        """Why it cannot run here, or None."""
        if importlib.util.find_spec(self.needs) is None:
            return f"{self.needs} is not installed: pip install -e '.[bench]'"
        return None

    def rows(self, rows: int) -> int:
        """How many of a case's rows it runs on."""
        return rows if self.most_rows is None else min(rows, self.most_rows)


def split(measure: str) -> tuple[str, int | None]:
    """Name and cutoff: ``nDCG@10`` is nDCG and 10, ``AP`` is AP and None."""
    name, _, cutoff = measure.partition("@")
    return name, int(cutoff) if cutoff else None


def nested(table: pl.DataFrame, value: str) -> Nested:
    """A dict of dicts with text ids, as most tools in Python want it."""
    tables: Nested = {}
    for query, item, number in zip(*text_columns(table, value), strict=True):
        tables.setdefault(query, {})[item] = number
    return tables


def text_columns(table: pl.DataFrame, value: str) -> tuple[list[str], list[str], list[Any]]:
    """Query ids and item ids as text, and the values."""
    query, item = (table[name].cast(pl.String).to_list() for name in ("query", "item"))
    return query, item, table[value].to_list()
