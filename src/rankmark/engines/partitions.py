"""Rows dealt out to temporary files, so that those of a query, or of a range of scores, are together."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import UsageError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Partitions", "check_room", "keys", "stored", "stored_size", "temporary_folder"]


@dataclass(frozen=True, slots=True)
class Partitions:
    """Tables dealt out to files in a folder: one for each table and partition.

    A file is a row of pieces: 8 bytes that say how long one is, then so many bytes of an Arrow IPC stream.

    Attributes:
        folder: where the files are.
        count: number of partitions.
        level: 0, or one more than that of the partition that these are of; each level has a hash of its own.

    """

    folder: Path
    count: int
    level: int = 0

    def deal(self, name: str, frame: pl.DataFrame, query: str) -> None:
        """Adds rows of the table `name`; those of a query keep their order."""
        self.deal_to(_partition(frame[query], self.count, self.level), name, frame)

    def deal_to(self, of_row: NDArray[Any], name: str, frame: pl.DataFrame) -> None:
        """Adds rows to the partitions of these numbers; those of a partition keep their order."""
        import polars as pl

        # Rows of several chunks are gathered in more than twice the time.
        dealt = frame.rechunk()[pl.Series(np.argsort(of_row, kind="stable").astype(np.uint32))]
        ends = np.cumsum(np.bincount(of_row, minlength=self.count)).tolist()
        for partition, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if start < end:
                self._write(name, partition, dealt[start:end])

    def size(self, partition: int) -> int:
        """Bytes of a partition of all tables."""
        return sum(path.stat().st_size for path in self.folder.glob(f"{self.level}.{partition}.*"))

    def read(self, name: str, partition: int) -> Iterator[pl.DataFrame]:
        """The rows of a table in a partition, piece by piece in their order; then their file is gone."""
        import polars as pl

        path = self._path(name, partition)
        if not path.exists():
            return
        with path.open("rb") as file:
            while length := file.read(8):
                yield pl.read_ipc_stream(io.BytesIO(file.read(int.from_bytes(length, "little"))))
        path.unlink()

    def _path(self, name: str, partition: int) -> Path:
        return self.folder / f"{self.level}.{partition}.{name}"

    def _write(self, name: str, partition: int, frame: pl.DataFrame) -> None:
        content = stored(frame)
        try:
            with self._path(name, partition).open("ab") as file:
                file.write(len(content).to_bytes(8, "little"))
                file.write(content)
        except OSError as error:
            raise _no_room(self.folder, error.strerror or str(error)) from error


def stored(frame: pl.DataFrame) -> memoryview:
    """A frame as an Arrow IPC stream."""
    piece = io.BytesIO()
    frame.write_ipc_stream(piece)
    return piece.getbuffer()


def stored_size(frame: pl.DataFrame) -> float:
    """Bytes that a frame takes in files, of its first rows; also what it takes in memory, views included."""
    head = frame.head(10_000)
    return len(stored(head)) * frame.height / head.height


def check_room(folder: Path, size: float) -> None:
    """Refuses to begin what will not fit into a folder: so many bytes."""
    free = shutil.disk_usage(folder).free
    if free < size:
        raise _no_room(folder, f"about {size / 2**30:.1f} GiB are needed, {free / 2**30:.1f} are free")


def _no_room(folder: Path, reason: str) -> UsageError:
    """The error for temporary files that cannot be written."""
    return UsageError(
        f"dealing rows out to temporary files in {str(folder)!r} failed: {reason}; make room there, or name "
        "another folder in the environment variable TMPDIR; a run that is sorted by query, with judgements "
        "that are not large, needs none"
    )


def _partition(queries: pl.Series, count: int, level: int) -> NDArray[np.uint8]:
    """The partition of each row, which depends on nothing but its query; there are 256 at the most."""
    import polars as pl

    partition: NDArray[np.uint8] = (keys(queries).hash(level) % count).cast(pl.UInt8).to_numpy()
    return partition


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
