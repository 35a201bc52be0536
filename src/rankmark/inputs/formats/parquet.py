"""Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankmark.inputs.format import Batched, File, FormatOfPolars, Pieces
from rankmark.inputs.roles import Chosen, TableName
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_lazy_frame, from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]

LEAST = 12
"""Bytes of the smallest file: those that it begins and ends with, and a number of others."""
SAMPLE = 10_000
"""Rows by which the size of a row is told."""


class Parquet(FormatOfPolars):
    """Parquet, of which only the columns with a role are read."""

    name = listed = known_by = "Parquet"
    place = 5
    magic = b"PAR1"
    endings = frozenset({".parquet", ".pq"})

    def scan(self, file: File) -> Source:
        """As `FormatOfPolars.scan`."""
        import polars as pl

        # This engine of polars reads row groups side by side, in a third less time.
        return from_lazy_frame(pl.scan_parquet(file.source, glob=False), file.where, engine="streaming")

    def fault(self, file: File) -> str | None:
        """As `FormatOfPolars.fault`; a whole file begins and ends with the same bytes."""
        if not file.head.startswith(self.magic):
            return f"{file.size:,} bytes: it does not begin as Parquet does; rename it to what it is"
        end = _last_bytes(file.path) if file.content is None else file.content[-LEAST:]
        if len(end) == LEAST and end.endswith(self.magic):
            return None
        return (
            f"{file.size:,} bytes: the end of the file is missing, which tells what is in Parquet; it was "
            "cut off or is still being written: copy it again, or wait until it is written"
        )

    def refuses_batches(self, file: File) -> str | None:
        """It does where it is compressed as a whole, since its end says what is in it."""
        if file.start.startswith(self.magic):
            return None
        return "is Parquet within a compressed file, which is not read in batches"

    def in_batches(self, file: File, table: TableName) -> Batched:  # noqa: ARG002
        """As `Format.in_batches`."""
        import polars as pl

        def scan() -> pl.LazyFrame:
            return pl.scan_parquet(file.path, glob=False)

        def read(roles: Chosen, size: int) -> Pieces:
            with self.errors(file):
                count = scan().select(pl.len()).collect().item()
                sample = scan().select(roles.names).head(SAMPLE).collect(engine="streaming")
                step = max(1, size * sample.height // max(1, int(sample.estimated_size())))
            for start in range(0, count, step):
                with self.errors(file):
                    frame = scan().select(roles.names).slice(start, step).collect(engine="streaming")
                yield from_polars(_plain(frame), file.where), min(1.0, (start + step) / count)

        with self.errors(file):
            names = scan().collect_schema().names()
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


FILE_FORMATS = (Parquet(),)
