"""Rows dealt out, so that those of a query, or of a range of scores, are together.

They stay in memory as long as they fit, and are then written to temporary files.
"""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark import _native
from rankmark._native import Table
from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "NOWHERE",
    "ROW",
    "ROW_BYTES",
    "Partitions",
    "Size",
    "check_room",
    "keys",
    "stored",
    "stored_size",
    "temporary_folder",
]

NOWHERE = 0xFFFF
"""In the place of a partition's number: the row is left out."""
ROW = "rankmark:row"
"""The column of the numbers of rows, by which queries have the order in which they come first."""
ROW_BYTES = 8
"""What one of them takes."""
HELD = 4
"""What is dealt out goes to files where it takes more than this part of the memory."""
NUMBERS = 2.5
"""How many times as much of numbers alone, of which one knows how many bytes they take."""
MARGIN = 1.1
"""By how much more than what is expected may come."""
UNKNOWN = 2**63
"""More bytes than there are: once there is no more room, all of them go to files."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much will be dealt out.

    Attributes:
        bytes: about how many.
        numbers: whether there are but numbers.

    """

    bytes: float
    numbers: bool

    @classmethod
    def of(cls, size: float, *frames: pl.DataFrame) -> Size:
        """So many bytes, of tables such as these."""
        return cls(size, all(dtype.is_numeric() for frame in frames for dtype in frame.dtypes))

    @property
    def expected(self) -> int:
        """For how many bytes to plan: rather more than there will be, as far as one can know it."""
        return int(MARGIN * self.bytes) if self.numbers else UNKNOWN

    def room(self, memory: int) -> int:
        """How many may stay in memory."""
        return int(memory // HELD * (NUMBERS if self.numbers else 1))


class Partitions:
    """Tables dealt out, which go to files in a folder where they take more than their part of the memory."""

    def __init__(self, folder: Path, count: int, memory: int, size: Size, level: int = 0) -> None:
        """Begins without rows.

        Args:
            folder: where files are, one for each table and partition.
            count: number of partitions.
            memory: bytes that may be used.
            size: what will be dealt out.
            level: 0, or one more than that of the partition that these are of; each has a hash of its own.

        """
        self.folder, self.count, self.memory, self.level = folder, count, memory, level
        self._size = size
        self._dealt = _native.Partitions(folder, count, level, size.room(memory), size.expected)

    def deal(self, name: str, table: Table, query: str) -> None:
        """Adds rows of the table `name`; those of a query keep their order."""
        with _room_in(self.folder):
            self._dealt.deal(name, table, query)

    def deal_to(self, of_row: NDArray[np.uint16], name: str, table: Table) -> None:
        """Adds rows to the partitions of these numbers, or `NOWHERE`, in their order."""
        with _room_in(self.folder):
            self._dealt.deal_to(name, table, of_row)

    def smaller(self, partition: int, count: int, queries: Mapping[Any, str]) -> Partitions:
        """The rows of a partition dealt out again, by the columns of queries of the tables there are."""
        size = replace(self._size, bytes=self.size(partition))
        dealt = Partitions(self.folder, count, self.memory, size, self.level + 1)
        for name, query in queries.items():
            for table in self._dealt.take(name, partition):
                dealt.deal(name, table, query)
        return dealt

    def size(self, partition: int) -> int:
        """Bytes of a partition of all tables."""
        return self._dealt.size(partition)

    def take(self, name: str, partition: int) -> Table | None:
        """The rows of a table in a partition in their order, which are given away; None if there are none."""
        tables = self._dealt.take(name, partition)
        if len(tables) < 2:
            return tables[0] if tables else None
        import polars as pl

        return Table.from_polars(pl.concat(map(pl.DataFrame, tables), how="vertical_relaxed"))


def stored(frame: pl.DataFrame) -> memoryview:
    """A frame as an Arrow IPC stream."""
    piece = io.BytesIO()
    frame.write_ipc_stream(piece)
    return piece.getbuffer()


def stored_size(frame: pl.DataFrame) -> float:
    """Bytes that a frame takes in files, of its first rows; also what it takes in memory, views included."""
    head = frame.head(10_000)
    return len(stored(head)) * frame.height / head.height


def check_room(folder: Path, size: Size, memory: int) -> None:
    """Refuses to begin what will fit neither its part of the memory nor a folder."""
    free = shutil.disk_usage(folder).free
    if size.bytes > size.room(memory) and free < size.bytes:
        raise _no_room(folder, f"about {size.bytes / 2**30:.1f} GiB are needed, {free / 2**30:.1f} are free")


def _no_room(folder: Path, reason: str) -> UsageError:
    """The error for temporary files that cannot be written."""
    return UsageError(
        f"dealing rows out to temporary files in {str(folder)!r} failed: {reason}; make room there, or name "
        "another folder in the environment variable TMPDIR; a run that is sorted by query, with judgements "
        "that are not large, needs none"
    )


@contextmanager
def _room_in(folder: Path) -> Iterator[None]:
    """Says of files that cannot be written what to do."""
    try:
        yield
    except OSError as error:
        raise _no_room(folder, str(error).partition(" (os error")[0]) from error


def keys(ids: pl.Series) -> pl.Series:
    """Ids as the core compares them: text, or 64 bits."""
    import polars as pl

    if not ids.dtype.is_integer():
        return ids.cast(pl.String)
    return ids.reinterpret(signed=True) if ids.dtype == pl.UInt64 else ids.cast(pl.Int64)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone after the block, however that ends."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="rankmark-", ignore_cleanup_errors=True)
    except OSError as error:
        raise UsageError(
            f"no temporary folder can be made in {os.environ.get('TMPDIR', '/tmp')!r}: {error}"
        ) from error
    with folder as path:
        yield Path(path)
