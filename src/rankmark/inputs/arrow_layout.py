"""How Arrow IPC lies in a file: whether all that it says of itself can be there.

polars takes the lengths that a file names at their word and asks the system for so much memory, which ends
the process where a damaged one names petabytes. What is read here is FlatBuffers, the format of its metadata:
tables, each of which has the offsets of its fields in front of it, of structs and vectors.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, TypeAlias

from rankmark.dataclassing import dataclass

if TYPE_CHECKING:
    from mmap import mmap

__all__ = ["need_whole"]

Content: TypeAlias = "bytes | mmap"
STREAM = b"\xff\xff\xff\xff"
"""How a stream begins, and each of its messages."""
MAGIC = b"ARROW1"
LEAST = 2 * len(MAGIC)
DICTIONARY, BATCH = 2, 3
"""The messages that buffers follow."""
DENSEST = 1 << 15
"""Bytes that one of LZ4 or zstd can stand for: four are a block of zstd that repeats a byte 131,072 times."""


def need_whole(source: Path | bytes) -> None:
    """Refuses Arrow IPC, a file or a stream, that says of a part of it that it lies where nothing can be.

    Raises:
        polars.exceptions.ComputeError: it says so, or is no Arrow IPC.

    """
    if isinstance(source, bytes):
        _look_at(source)
        return
    from mmap import ACCESS_READ, mmap

    with source.open("rb") as file:
        if source.stat().st_size < LEAST:
            _refuse("it is too short")
        with mmap(file.fileno(), 0, access=ACCESS_READ) as content:
            _look_at(content)


def _look_at(content: Content) -> None:
    try:
        for start in _streamed(content) if content[:4] == STREAM else _indexed(content):
            _look_at_message(content, start)
    except struct.error:
        _refuse("its metadata are damaged")


def _refuse(reason: str) -> NoReturn:
    import polars as pl

    raise pl.exceptions.ComputeError(reason)


@dataclass(frozen=True)
class Table:
    """A table of FlatBuffers, at a place of the content."""

    content: Content
    place: int

    def field(self, number: int) -> int | None:
        """Where a field lies; None where the table does not have it."""
        before = self.place - self.read("i", self.place)
        offset = 4 + 2 * number
        found = self.read("H", before + offset) if offset < self.read("H", before) else 0
        return self.place + found if found else None

    def number(self, kind: str, number: int) -> int:
        """A number of this kind, as `struct` calls it; 0 if there is none."""
        place = self.field(number)
        return 0 if place is None else self.read(kind, place)

    def table(self, number: int) -> Table | None:
        """A table that the field leads to."""
        place = self.field(number)
        return None if place is None else Table(self.content, place + self.read("I", place))

    def structs(self, number: int, kind: str) -> list[tuple[int, ...]]:
        """The structs of a vector."""
        place = self.field(number)
        if place is None:
            return []
        place += self.read("I", place)
        count, size = self.read("I", place), struct.calcsize("<" + kind)
        if place + 4 + count * size > len(self.content):
            raise struct.error("a vector ends behind the content")
        return list(struct.iter_unpack("<" + kind, self.content[place + 4 : place + 4 + count * size]))

    def read(self, kind: str, place: int) -> int:
        """A number at a place."""
        return _number(self.content, kind, place)


def _number(content: Content, kind: str, place: int) -> int:
    if place < 0:  # which Python counts from the end
        raise struct.error("before the content")
    found: int = struct.unpack_from("<" + kind, content, place)[0]
    return found


def _indexed(content: Content) -> Iterator[int]:
    """Where the messages of a file with dictionaries and batches are, by the index at its end."""
    end = len(content) - len(MAGIC) - 4
    start = end - _number(content, "i", end)
    if not len(MAGIC) <= start < end:
        _refuse("the index at its end is damaged")
    index = Table(content, start + _number(content, "I", start))
    for number in (2, 3):
        for place, _, _, _ in index.structs(number, "qiiq"):
            yield place


def _streamed(content: Content) -> Iterator[int]:
    """Where the messages of a stream are; after the last is a length of 0, or nothing."""
    place = 0
    while place + 8 <= len(content) and (length := _number(content, "i", place + 4)):
        yield place
        message = Table(content, place + 8 + _number(content, "I", place + 8))
        body = message.number("q", 3)
        if length < 0 or body < 0:
            _refuse("a message of it is damaged")
        place += 8 + length + body


def _look_at_message(content: Content, start: int) -> None:
    """Looks at a message's buffers, which lie behind its metadata."""
    prefix = 8 if content[start : start + 4] == STREAM else 4  # as in files of before 2019
    metadata = start + prefix
    body = metadata + _number(content, "i", metadata - 4)
    message = Table(content, metadata + _number(content, "I", metadata))
    kind, batch = message.number("B", 1), message.table(2)
    if batch is not None and kind == DICTIONARY:
        batch = batch.table(1)
    if batch is None or kind not in (DICTIONARY, BATCH):
        return
    is_packed = batch.field(3) is not None
    for offset, length in batch.structs(2, "qq"):
        if length < 0 or (length and not 0 <= body + offset <= len(content) - length):
            _refuse("a column of it would end behind the file")
        if is_packed and length and _number(content, "q", body + offset) > length * DENSEST:
            _refuse("a column of it would be larger than what is packed can be")
