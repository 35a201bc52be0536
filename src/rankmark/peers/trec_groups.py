"""Judgements of groups, as trec_eval reads them: preferences, and grades of several people.

A line of ``prefs`` is ``query group subgroup item grade``, of ``qrels_prefs`` and ``qrels_jg``
``query group item grade``. A group is what one person needed at one time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from rankmark import _native
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError, FormatError
from rankmark.inputs import Input
from rankmark.inputs.files import expand
from rankmark.inputs.format import File
from rankmark.inputs.roles import VALUE_OF
from rankmark.peers.trec_files import shown
from rankmark.peers.trec_plan import DECIMAL, WHOLE

__all__ = ["Entry", "Groups", "read_groups"]

FIELDS = {
    "prefs": "query group subgroup item grade",
    "qrels_prefs": "query group item grade",
    "qrels_jg": "query group item grade",
}
"""The formats, and what stands in a line of each."""


class Entry(NamedTuple):
    """One judgement of a group."""

    subgroup: str
    item: str
    grade: float


@dataclass(frozen=True, slots=True)
class Groups:
    """What has been read.

    Attributes:
        of_query: for each query its groups as they came, each with its judgements.
        where: what messages call the file.

    """

    of_query: Mapping[str, Mapping[str, Sequence[Entry]]]
    where: str

    def items(self, query: str) -> list[str]:
        """The items judged for a query, each once, in the order of their ids."""
        return sorted({entry.item for entry in chain.from_iterable(self.of_query[query].values())})

    def as_numbers(self) -> Input:
        """The items judged, whose grade is their number in `items`."""
        return self._table(
            (query, item, number) for query in self.of_query for number, item in enumerate(self.items(query))
        )

    def each(self) -> Iterator[Input]:
        """The grades of the first group of each query, those of the second, and so on."""
        ranked = {query: list(groups.values()) for query, groups in self.of_query.items()}
        for place in range(max(map(len, ranked.values()))):
            yield self._table(
                (query, entry.item, int(entry.grade))
                for query, groups in ranked.items()
                for entry in chain.from_iterable(groups[place : place + 1])
            )

    def _table(self, rows: Iterable[tuple[str, str, int]]) -> Input:
        import polars as pl

        value = VALUE_OF["qrels"]
        schema = {"query": pl.String, "item": pl.String, value: pl.Int64}
        frame = pl.DataFrame(list(rows), schema=schema, orient="row")
        table = _native.Table.from_arrow(frame)
        return Input(table, "qrels", self.where, "query", "item", value, None, text_ids=True)


def read_groups(path: str, kind: str) -> Groups:
    """Reads judgements of groups.

    Args:
        path: the file, which can be compressed.
        kind: ``prefs``, ``qrels_prefs`` or ``qrels_jg``.

    Raises:
        UsageError: a file that is not there.
        DataError: a line that trec_eval refuses, or would misread.

    """
    file = File(expand(path)[0], f"qrels {path!r}")
    content = file.path.read_bytes() if file.content is None else file.content
    if b"\0" in content.rstrip(b"\0"):
        raise DataError(f"{file.where} has a NUL byte, at which trec_eval stops reading")
    lines = content.rstrip(b"\0").removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
    reader = _Reader(kind, file.where)
    for place, line in enumerate(lines, start=1):
        if not line.startswith(b"#"):
            reader.read(line, place)
    if not reader.found:
        raise FormatError(f"{file.where}: the file has only comment lines")
    return Groups(reader.found, file.where)


class _Reader:
    """Reads lines of one format."""

    def __init__(self, kind: str, where: str) -> None:
        self.found: dict[str, dict[str, list[Entry]]] = {}
        self._kind, self._where = kind, where
        self._fields = len(FIELDS[kind].split())
        self._judged: set[tuple[str, str, str]] = set()

    def read(self, line: bytes, place: int) -> None:
        """Keeps what a line says."""
        fields = [each.decode("latin-1") for each in line.split()]
        if len(fields) != self._fields:
            said = f"{len(fields)} field" + "s" * (len(fields) != 1)
            raise DataError(
                f"{self._where}, line {place}: {said}, but a line of -R {self._kind} is "
                f"'{FIELDS[self._kind]}'"
            )
        query, group, *between, item, text = fields
        entry = Entry(between[0] if between else "", item, self._grade(text, place))
        if self._kind == "qrels_jg":
            self._refuse_twice(query, group, item, place)
        self.found.setdefault(query, {}).setdefault(group, []).append(entry)

    def _grade(self, text: str, place: int) -> float:
        number, what = (WHOLE, "a whole number") if self._kind == "qrels_jg" else (DECIMAL, "a number")
        if not number.fullmatch(text):
            raise DataError(
                f"{self._where}, line {place}: the relevance {shown(text)} is not {what} (trec_eval would "
                "read it as far as it is one)"
            )
        return float(text)

    def _refuse_twice(self, query: str, group: str, item: str, place: int) -> None:
        if (query, group, item) in self._judged:
            raise DataError(
                f"{self._where}, line {place}: item {shown(item)} is judged twice for query {shown(query)} "
                f"in group {shown(group)}"
            )
        self._judged.add((query, group, item))
