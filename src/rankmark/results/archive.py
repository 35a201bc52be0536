"""Files that hold what an evaluator was given: zip archives of JSON and Arrow IPC."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark._native import __version__
from rankmark.errors import FileMissingError, FormatError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs.format import polars_errors
from rankmark.rendering.files import write_whole

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Archive", "read_archive", "write_archive"]


class Archive:
    """What was read of a file.

    Attributes:
        where: what messages call it.
        header: its JSON.

    """

    def __init__(self, where: str, header: dict[str, Any], parts: Mapping[str, bytes]) -> None:
        self.where, self.header = where, header
        self._parts = parts

    def frame(self, name: str) -> pl.DataFrame:
        """One of its tables.

        Raises:
            FormatError: it cannot be read.
            KeyError: there is none of that name.

        """
        import polars as pl

        try:
            with polars_errors(self.where, "a saved table"):
                return pl.read_ipc(BytesIO(self._parts[name]))
        except OSError as error:  # as polars says of what points beyond the end
            raise FormatError(f"{self.where} is damaged: {error}") from error


def write_archive(
    path: str | Path, name: str, form: int, header: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]
) -> None:
    """Writes a header of this name and tables, whole or not at all; what is equal is written as equal bytes.

    Raises:
        UsageError: the file cannot be written.

    """
    written = BytesIO()
    header = {"rankmark": __version__, "format": form, **header}
    with zipfile.ZipFile(written, "w") as archive:
        _put(archive, name, json.dumps(header, indent=1, ensure_ascii=False).encode())
        for table, frame in tables.items():
            _put(archive, table, _ipc(frame))
    write_whole(path, written.getvalue())


def read_archive(path: str | Path, name: str, form: int, what: str) -> Archive:
    """Reads what `write_archive` wrote; `what` is what should be in the file, in words.

    Raises:
        FileMissingError: there is no such file.
        FormatError: it is something else, is damaged, or is of a later version of rankmark.

    """
    where = f"the {what} in {str(path)!r}"
    try:
        with zipfile.ZipFile(path) as archive:
            _check_entries(archive, where)
            parts = {each: _taken(archive, each, where) for each in archive.namelist()}
    except FileNotFoundError as error:
        raise FileMissingError(f"there is no file {str(path)!r}") from error
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    except zipfile.BadZipFile as error:
        raise FormatError(f"{str(path)!r} holds no saved {what}, or is damaged: {error}") from error
    try:
        header = json.loads(parts[name], object_pairs_hook=_once)
        found, of_version = header["format"], header["rankmark"]
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{where} is no saved {what}: it has no readable {name}") from error
    if found != form:
        raise FormatError(
            f"{where} was saved by rankmark {of_version} in format {found}; this is {__version__}, which "
            f"reads format {form}"
        )
    if len(parts) > 1:  # there are tables
        need_polars_threads()
    return Archive(where, header, parts)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON in which no name stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _ipc(frame: pl.DataFrame) -> bytes:
    """A table as an Arrow IPC file."""
    written = BytesIO()
    frame.rechunk().write_ipc(written)
    return written.getvalue()


def _put(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name), content)  # without the time, so that equal states are equal files


def _check_entries(archive: zipfile.ZipFile, where: str) -> None:
    """Refuses entries of one name, and those that lie within each other and so come to more than the file."""
    entries = archive.infolist()
    if len({each.filename for each in entries}) < len(entries):
        raise FormatError(f"{where} is damaged: it has several entries of one name")
    whole = archive.fp.seek(0, 2) if archive.fp else 0
    if sum(each.file_size for each in entries if each.compress_type == zipfile.ZIP_STORED) > whole:
        raise FormatError(f"{where} is damaged: its entries are longer than the file")


def _taken(archive: zipfile.ZipFile, name: str, where: str) -> bytes:
    if archive.getinfo(name).compress_type != zipfile.ZIP_STORED:
        raise FormatError(f"{where}: {name} is compressed, which `save` never does")
    return archive.read(name)
