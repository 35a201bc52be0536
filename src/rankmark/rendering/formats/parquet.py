"""Parquet files of the values of each query, for other programs."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from rankmark.errors import UsageError
from rankmark.rendering.files import write_whole
from rankmark.rendering.format import FileFormat

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from rankmark.rendering.format import Showable

__all__ = ["FORMAT", "write_table"]


class Parquet(FileFormat):
    """A table of the values of each query."""

    name = "parquet"
    endings = (".parquet",)
    place = 7
    needs = "_queries"
    file = (
        "a file of the values of each query, which `Result.write` and -q -o FILE of `rankmark eval` and "
        "`rankmark predictions` write"
    )

    def write_file(self, path: str | Path, shown: Showable) -> None:
        """Write the values of each query."""
        frame = shown._queries()
        if frame is None:
            raise UsageError(f"{path} would hold the values of each query, and no measure here has any")
        write_table(path, frame)


def write_table(path: str | Path, frame: pl.DataFrame) -> None:
    """Write a table to a Parquet file, whole or not at all."""
    import polars as pl

    def write(file: IO[bytes]) -> None:
        try:
            frame.write_parquet(file)
        except pl.exceptions.PolarsError as error:  # which names the system's error at its end
            raise OSError(str(error).rpartition("IO error: ")[2]) from error

    write_whole(path, write)


FORMAT = Parquet()
