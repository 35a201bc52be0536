"""Folders that are tables of Delta Lake or Apache Iceberg, which polars reads with their packages."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rankmark.errors import FormatError, RankmarkError, ToolMissingError
from rankmark.forking import need_polars_threads
from rankmark.inputs.roles import TableName
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_lazy_frame

if TYPE_CHECKING:
    import polars as pl

__all__ = ["open_lake"]

PACKAGES = {"Delta": "deltalake", "Iceberg": "pyiceberg"}
METADATA = ".metadata.json"
"""How Iceberg's files that describe a table end; the last one is the newest."""


def open_lake(text: str, table: TableName) -> Source | None:
    """The table of a folder of Delta, or of a folder or a metadata file of Iceberg; None of anything else.

    Raises:
        ToolMissingError: the package that reads it is not installed.
        FormatError: it cannot be read.

    """
    path, kind = _found(text)
    return None if path is None else _opened(path, table, kind)


def _found(text: str) -> tuple[Path | None, str]:
    """The folder or file that describes a table, and of which kind it is."""
    path = Path(text)
    try:
        folder = path.parent if path.name == "_delta_log" else path
        if (folder / "_delta_log").is_dir():
            return folder, "Delta"
        described = [path] if text.endswith(METADATA) and path.is_file() else []
        described = described or sorted((path / "metadata").glob(f"*{METADATA}"))
    except (OSError, ValueError):  # no path, which whoever reads it will say better
        return None, ""
    return (described[-1], "Iceberg") if described else (None, "")


def _opened(path: Path, table: TableName, kind: str) -> Source:
    package = PACKAGES[kind]
    where = f"{table} {str(path)!r}"
    if find_spec(package) is None:
        raise ToolMissingError(
            f"{where} is a table of {kind}, and {package} is not installed: pip install {package}"
        )
    need_polars_threads()
    try:
        return from_lazy_frame(_scanned(path, kind), where)
    except RankmarkError:
        raise
    except Exception as error:  # each package has errors of its own
        reason = str(error).strip().partition("\n")[0]
        raise FormatError(f"{where} cannot be read as a table of {kind}: {reason}") from error


def _scanned(path: Path, kind: str) -> pl.LazyFrame:
    import polars as pl

    return pl.scan_delta(str(path)) if kind == "Delta" else pl.scan_iceberg(str(path))
