"""The cases: which data, and who is timed on it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import contenders, data
from benchmarks.contenders import Contender
from benchmarks.data import Data


@dataclass(frozen=True, slots=True)
class Case:
    """Some data and those who compete on it; every ratio is to the first of them."""

    letter: str
    title: str
    generate: Callable[[int, Path], Data]
    contenders: tuple[Contender, ...]
    memory: bool = True
    """Whether peak memory says anything here."""


TABLES = (
    contenders.RANKMARK,
    contenders.POLARS,
    contenders.PYTREC_EVAL,
    contenders.PYTREC_EVAL_FRAMES,
    contenders.COLUMN_SUM,
)
CALLS = (contenders.RANKMARK, contenders.RANKMARK_DICTS, *TABLES[1:])

CASES = {
    case.letter: case
    for case in (
        Case("A", "grouped: lists of 100, integer ids", data.grouped, TABLES),
        Case("B", "shuffled: the rows of A in random order", data.shuffled, TABLES),
        Case("C", 'strings: A with ids such as "q123"', data.strings, TABLES),
        Case("I", "small: one query, ten results", data.small, CALLS, memory=False),
        Case("J", "start: processes from start to end", data.few, contenders.STARTS, memory=False),
    )
}
