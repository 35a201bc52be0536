"""Arrow IPC: files, which Feather is, and streams."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rankmark.inputs.arrow_layout import MAGIC, STREAM, need_whole
from rankmark.inputs.format import Batched, Columnar, File
from rankmark.inputs.roles import TableName
from rankmark.inputs.source import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]


class Arrow(Columnar):
    """Arrow IPC, of which only the columns with a role are read."""

    name = listed = known_by = "Arrow"
    place = 6
    magic = MAGIC
    endings = frozenset({".arrow", ".arrows", ".feather", ".ipc"})

    def is_certain(self, file: File, table: TableName) -> bool:  # noqa: ARG002
        """As `Format.is_certain`."""
        return file.head.startswith(STREAM)

    def frame(self, file: File) -> pl.LazyFrame:
        """As `Columnar.frame`."""
        import polars as pl

        content = file.source if file.content is None else io.BytesIO(file.content)
        if file.head.startswith(STREAM):
            return pl.read_ipc_stream(content).lazy()
        return pl.scan_ipc(content, glob=False) if file.content is None else pl.read_ipc(content).lazy()

    def scan(self, file: File) -> Source:
        """As `FormatOfPolars.scan`."""
        need_whole(file.source)
        return super().scan(file)

    def in_batches(self, file: File, table: TableName) -> Batched:
        """As `Format.in_batches`."""
        with self.errors(file):
            need_whole(file.source)
        return super().in_batches(file, table)

    def fault(self, file: File) -> str | None:
        """As `FormatOfPolars.fault`; a stream has no end that tells anything."""
        return None if file.head.startswith(STREAM) else super().fault(file)

    def refuses_batches(self, file: File) -> str | None:
        """It does where it is a stream, or compressed as a whole, since its end says what is in it."""
        if file.start.startswith(self.magic):
            return None
        return "is an Arrow stream, or compressed as a whole, which is not read in batches"


FILE_FORMATS = (Arrow(),)
