"""Parquet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark.inputs.format import Columnar, File

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]


class Parquet(Columnar):
    """Parquet, of which only the columns with a role are read."""

    name = listed = known_by = "Parquet"
    place = 5
    magic = b"PAR1"
    endings = frozenset({".parquet", ".pq"})

    def frame(self, file: File) -> pl.LazyFrame:
        """As `Columnar.frame`."""
        import polars as pl

        return pl.scan_parquet(file.source, glob=False)

    def refuses_batches(self, file: File) -> str | None:
        """It does where it is compressed as a whole, since its end says what is in it."""
        if file.start.startswith(self.magic):
            return None
        return "is Parquet within a compressed file, which is not read in batches"


FILE_FORMATS = (Parquet(),)
