"""Parquet files of the values of each query, for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO, TYPE_CHECKING, Any, NoReturn

from rankmark.errors import UsageError
from rankmark.rendering.files import write_whole
from rankmark.rendering.format import Format

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from rankmark.rendering.format import Showable

__all__ = ["FORMAT", "write_table"]


class Parquet(Format):
    """A file, and no text."""

    name = "parquet"
    endings = (".parquet",)
    place = 7
    needs = "_queries"
    is_text = False
    file = (
        "a file of the values of each query, which `Result.write` and -q -o FILE of `rankmark eval` and "
        "`rankmark predictions` write"
    )

    def text(self, shown: Showable, digits: int, options: Mapping[str, Any]) -> NoReturn:
        """There is none."""
        raise NotImplementedError

    def write(
        self,
        path: str | Path,
        shown: Showable,
        digits: int,  # noqa: ARG002 - all digits
        options: Mapping[str, Any],  # noqa: ARG002 - of texts
    ) -> None:
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
