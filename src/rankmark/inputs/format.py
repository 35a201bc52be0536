"""What a format of files is, and the file that one is read from."""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from rankmark import _native
from rankmark.dataclassing import dataclass
from rankmark.errors import FormatError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.foreign import foreign
from rankmark.inputs.memory import UNKNOWN, room
from rankmark.inputs.roles import Chosen, ColumnNames, Side, TableName
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_lazy_frame, from_polars
from rankmark.panics import hidden_panics
from rankmark.progress import reading

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "LEAST",
    "Batched",
    "Columnar",
    "File",
    "Format",
    "FormatOfPolars",
    "Pieces",
    "not_unicode",
    "polars_errors",
]

HEAD = 1 << 16
"""Bytes looked at to find a file's format."""
LEAST = 12
"""Bytes of the smallest file of columns: those that it begins and ends with, and a number of others."""
SAMPLE = 10_000
"""Rows by which the size of a row is told."""
COMPRESSED = {".gz", ".zst"}


@dataclass
class File:
    """One file: where it is, and what is in it, decompressed if need be."""

    path: Path
    where: str
    """What messages call it."""

    @property
    def ending(self) -> str:
        """That of its name, in lower case and without the one of a compressed file."""
        endings = [ending.lower() for ending in self.path.suffixes]
        if endings and endings[-1] in COMPRESSED:
            endings.pop()
        return endings[-1] if endings else ""

    @cached_property
    def start(self) -> bytes:
        """The first bytes as they lie on the disk."""
        try:
            with self.path.open("rb") as file:
                return file.read(HEAD)
        except OSError as error:
            raise UsageError(f"{self.where} cannot be read: {error.strerror}") from error

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the content."""
        if self.start.startswith(b"\x1f\x8b"):
            import zlib

            try:
                return zlib.decompressobj(wbits=31).decompress(self.start, HEAD)
            except zlib.error as error:
                raise FormatError(f"{self.where}: the compressed file is damaged: {error}") from error
        with self.text() as (content, _):
            return content.read(HEAD) if self.is_compressed else self.start

    @property
    def is_compressed(self) -> bool:
        """Whether it is gzip or zstd."""
        return self.start.startswith(b"\x1f\x8b") or self.start[1:4] in (b"\xb5\x2f\xfd", b"\x2a\x4d\x18")

    @cached_property
    def first_line(self) -> str:
        """The first line that is neither blank nor a comment."""
        lines = self.head.decode("utf-8-sig", errors="replace").splitlines()
        return next((line for line in lines if line.strip() and not line.startswith("#")), "")

    @cached_property
    def content(self) -> bytes | None:
        """The whole content of a compressed file; None for another."""
        if not self.is_compressed:
            return None
        with reading(self.path.name, None, None):
            return _native.decompress(str(self.path), room())

    @property
    def source(self) -> Path | bytes:
        """What polars reads it from: its path, or what is in it where it is compressed."""
        return self.path if self.content is None else self.content

    @property
    def size(self) -> int:
        """Bytes on the disk."""
        return self.path.stat().st_size

    @contextmanager
    def text(self, limit: int = UNKNOWN) -> Iterator[tuple[BinaryIO, Callable[[], float]]]:
        """The content, and what tells how much of it has been read.

        Text that was compressed is refused where it is longer than `limit`.
        """
        if not self.is_compressed:
            with self.path.open("rb") as file:
                yield file, lambda: file.tell() / self.size
            return
        progress = _native.Progress()
        reader = _Raw(_native.TextReader(str(self.path), progress, limit))
        yield io.BufferedReader(reader, 1 << 20), lambda: progress.done / progress.total

    def lines(self) -> Iterator[bytes]:
        """The lines of the content, one after another."""
        with self.text() as (content, _):
            yield from content

    def refuse_foreign(self) -> None:
        """Refuses a file without content, or one that its first bytes show to be what no format reads."""
        if not self.head:
            raise FormatError(f"{self.where} is empty")
        if what := foreign(self.head, self.ending):
            raise FormatError(f"{self.where} {what}")


class _Raw(io.RawIOBase):
    """What a reader of decompressed text gives, as Python's files take it."""

    def __init__(self, reader: _native.TextReader) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        read = self._reader.read(len(buffer))
        buffer[: len(read)] = read
        return len(read)


Pieces: TypeAlias = "Iterator[tuple[_native.Table, float]]"
"""Rows of a file, and how much of it has been read when they are there: 1 at the end."""


@dataclass(frozen=True, slots=True)
class Batched:
    """A file that is read in batches: what messages call it, its columns, and how to read some of them.

    Attributes:
        where: what messages call it.
        size: its bytes on the disk.
        names: its columns.
        read: gives the rows of columns that are chosen, in batches of so many bytes of memory.
        text_ids: whether the format has no types, so that 7 and "7" are the same.

    """

    where: str
    size: int
    names: Sequence[str]
    read: Callable[[Chosen, int], Pieces]
    text_ids: bool


class Format(ABC):
    """A format: how a file is known to have it, read whole or in batches, and what is wrong with one.

    Attributes:
        name: what messages call it.
        listed: what they call it where they list what can be read.
        known_by: the same where they also say how such a file is known.
        magic: the first bytes of all its files, if these have any; they say more than a name.
        place: where it stands in such a list. Formats are tried from the last on, so that those come last
            for which it is easy to mistake another.
        endings: of files that have it, whatever is in them.
        usual_endings: of files that have it unless their content can be nothing but another.
        holds: the tables that files of it can hold.

    """

    name: str
    listed: str
    known_by: str
    place: int
    magic: bytes | None = None
    endings: frozenset[str] = frozenset()
    usual_endings: frozenset[str] = frozenset()
    holds: frozenset[TableName] = frozenset({"qrels", "run", "predictions", "items"})

    def is_certain(self, file: File, table: TableName) -> bool:  # noqa: ARG002 - most are never certain
        """Whether the content can be nothing else, whatever the file is called."""
        return False

    def is_likely(self, file: File, columns: ColumnNames | None) -> bool:  # noqa: ARG002
        """Whether the content looks like it, where nothing makes a format certain."""
        return False

    @abstractmethod
    def read(self, file: File, table: TableName) -> Source:
        """The file to be read whole.

        Raises:
            FormatError: something in it is unreadable: what, where, and what to do.

        """

    def refuses_batches(self, file: File) -> str | None:  # noqa: ARG002
        """Why this file cannot be read in batches; None if it can."""
        return f"is {self.name}, which is not read in batches"

    def in_batches(self, file: File, table: TableName) -> Batched:
        """The file to be read in batches, unless the format refuses that; raises what `read` raises."""
        raise NotImplementedError(f"{self.name} says what it is, not how it is read in batches")

    def with_nan(self, file: File, side: Side) -> pl.DataFrame | None:  # noqa: ARG002
        """The rows of a file that only NaN among its numbers keeps from being read; None for another."""
        return None


class FormatOfPolars(Format):
    """A format that polars reads, which knows what is unreadable."""

    @abstractmethod
    def scan(self, file: File) -> Source:
        """The file, of which only the columns are looked at."""

    def read(self, file: File, table: TableName) -> Source:  # noqa: ARG002
        """As `Format.read`."""
        need_polars_threads()
        with self.errors(file):
            source = self.scan(file)

        def take(roles: Chosen) -> _native.Table:
            with self.errors(file), reading(file.path.name, None, None):
                return source.take(roles)

        return replace(source, take=take)

    def fault(self, file: File) -> str | None:  # noqa: ARG002
        """The line and column of what makes a file unreadable, and what it is; None if none is found.

        It is asked only of a file that has been refused, and may take long to read it.
        """
        return None

    @contextmanager
    def errors(self, file: File) -> Iterator[None]:
        """As `polars_errors`, saying where in the file the fault is."""
        with self.located(file), polars_errors(file.where, self.name):
            yield

    @contextmanager
    def located(self, file: File) -> Iterator[None]:
        """Has errors of polars, made those of the file, say where in it the fault is."""
        try:
            yield
        except FormatError as error:
            if error.__cause__ is not None and (fault := self.fault(file)):
                raise FormatError(f"{file.where}, {fault}") from error
            raise


class Columnar(FormatOfPolars):
    """A format of polars that keeps columns apart: only those with a role are read, and any rows of them."""

    @abstractmethod
    def frame(self, file: File) -> pl.LazyFrame:
        """The file, of which nothing is read yet."""

    def scan(self, file: File) -> Source:
        """As `FormatOfPolars.scan`."""
        # This engine of polars reads row groups side by side, in a third less time.
        return from_lazy_frame(self.frame(file), file.where, engine="streaming")

    def fault(self, file: File) -> str | None:
        """As `FormatOfPolars.fault`; a whole file begins and ends with the same bytes."""
        assert self.magic is not None
        if not file.head.startswith(self.magic):
            return f"{file.size:,} bytes: it does not begin as {self.name} does; rename it to what it is"
        end = _last_bytes(file.path) if file.content is None else file.content[-LEAST:]
        if len(end) == LEAST and end.endswith(self.magic):
            return None
        return (
            f"{file.size:,} bytes: the end of the file is missing, which tells what is in {self.name}; it "
            "was cut off or is still being written: copy it again, or wait until it is written"
        )

    def in_batches(self, file: File, table: TableName) -> Batched:  # noqa: ARG002
        """As `Format.in_batches`."""
        import polars as pl

        def read(roles: Chosen, size: int) -> Pieces:
            with self.errors(file):
                count = self.frame(file).select(pl.len()).collect().item()
                sample = self.frame(file).select(roles.names).head(SAMPLE).collect(engine="streaming")
                step = max(1, size * sample.height // max(1, int(sample.estimated_size())))
            for start in range(0, count, step):
                with self.errors(file):
                    rows = self.frame(file).select(roles.names).slice(start, step)
                    frame = rows.collect(engine="streaming")
                yield from_polars(_plain(frame), file.where), min(1.0, (start + step) / count)

        with self.errors(file):
            names = self.frame(file).collect_schema().names()
        return Batched(file.where, file.size, names, read, text_ids=False)


def _last_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - LEAST))
        return file.read()


def _plain(frame: pl.DataFrame) -> pl.DataFrame:
    """Ids that are codes of a dictionary as text, because each batch may have a dictionary of its own."""
    import polars as pl

    coded = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Categorical | pl.Enum)]
    return frame.with_columns(pl.col(coded).cast(pl.String)) if coded else frame


def not_unicode(file: File) -> str | None:
    """Where a file stops being UTF-8 text, and what to do; None if it does not."""
    for number, line in enumerate(file.lines(), 1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return (
                f"line {number}, column {error.start + 1}: byte 0x{line[error.start]:02x} is no UTF-8 text; "
                "convert the file, for example with iconv -f GBK -t UTF-8 if it is Chinese text of Windows, "
                "with -f CP1252 if it is of Western Europe"
            )
    return None


@contextmanager
def polars_errors(where: str, name: str) -> Iterator[None]:
    """Makes errors of polars those of a file that cannot be read as the format of this name.

    Some damaged files end in a panic of polars, which is no `Exception`.
    """
    import polars as pl

    try:
        with hidden_panics():
            yield
    except (pl.exceptions.PolarsError, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise  # no file is there; any other is also raised of what is damaged
        reason = str(error).partition("\n")[0]
        raise FormatError(f"{where} cannot be read as {name}: {reason}") from error
    except pl.exceptions.PanicException as error:
        raise FormatError(f"{where} is damaged: it cannot be read as {name}") from error
