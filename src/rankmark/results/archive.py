"""Files that hold what an evaluator was given: zip archives of JSON and Arrow IPC, sealed by a checksum.

The comment of the zip archive, which ends the file, is ``sha256:`` and the SHA-256 of all that stands before
these digits, so that no byte of a file can change without being noticed.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rankmark._native import __version__
from rankmark.errors import FormatError, RankmarkError, UsageError, no_file
from rankmark.forking import need_polars_threads
from rankmark.inputs.arrow_layout import need_whole
from rankmark.inputs.format import polars_errors
from rankmark.rendering.files import write_whole

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Archive", "Shape", "archived", "first_part", "read_archive", "sealed", "write_archive"]

Shape: TypeAlias = Any
"""What JSON has to look like: a type, a value, a tuple of shapes any of which will do, a list of the shape of
each of its elements, ``{str: shape}`` for the shape of each value, or a dict of the shapes of its fields."""
SEAL, DIGITS = b"sha256:", 64
LOCAL = 30
"""Bytes of a zip archive before the name of its first entry."""


class Archive:
    """What was read of a file.

    Attributes:
        where: what messages call it.
        header: its JSON.

    """

    def __init__(self, where: str, header: dict[str, Any], content: zipfile.ZipFile) -> None:
        self.where, self.header = where, header
        self._content = content

    def frame(self, name: str) -> pl.DataFrame:
        """One of its tables.

        Raises:
            FormatError: there is none of that name, or it cannot be read.

        """
        import polars as pl

        with self.reading(), polars_errors(self.where, "a saved table"):
            content = _part(self._content, name)
            need_whole(content)
            return pl.read_ipc(BytesIO(content))

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Makes what goes wrong while something is made of the content a `FormatError` that names the file.

        Files come from anywhere, and classes raise whatever they like about arguments that are none.
        """
        try:
            yield
        except FormatError:
            raise
        except Exception as error:
            raise FormatError(f"{self.where} cannot be read: {error}") from error


def write_archive(
    path: str | Path, name: str, form: int, header: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]
) -> None:
    """Writes what `archived` makes, whole or not at all.

    Raises:
        UsageError: the file cannot be written.

    """
    write_whole(path, archived(name, form, header, tables))


def archived(name: str, form: int, header: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> bytes:
    """A header of this name and tables as an archive; what is equal gives equal bytes."""
    header = {"rankmark": __version__, "format": form, **header}
    parts = {name: json.dumps(header, indent=1, ensure_ascii=False).encode()}
    return sealed(parts | {table: _ipc(frame) for table, frame in tables.items()})


def sealed(parts: Mapping[str, bytes]) -> bytes:
    """An archive of these parts with its checksum."""
    written = BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in parts.items():
            # Without the time, so that equal states are equal files.
            archive.writestr(zipfile.ZipInfo(name), content)
        archive.comment = SEAL + bytes(DIGITS)
    content = written.getvalue()[:-DIGITS]
    return content + _digest(content)


def first_part(path: str | Path) -> str | None:
    """The name of the header of a file; None of what is no archive, as far as its beginning says."""
    try:
        with Path(path).open("rb") as file:
            start = file.read(LOCAL + 64)
        length = int.from_bytes(start[LOCAL - 4 : LOCAL - 2], "little")
        name = start[LOCAL : LOCAL + length].decode() if start.startswith(b"PK\x03\x04") else ""
        return name or None
    except (OSError, ValueError):
        return None


def read_archive(source: str | Path | bytes, name: str, form: int, what: str, shape: Shape = dict) -> Archive:
    """Reads what `write_archive` wrote, or `archived` made.

    Args:
        source: the file, or its bytes.
        name: of the header.
        form: the version of the format that can be read.
        what: what should be in the file, in words.
        shape: what the header has to look like, besides what `write_archive` adds to it.

    Raises:
        FileMissingError: there is no such file.
        UsageError: it cannot be read.
        FormatError: it is something else, is damaged, or is of another version of rankmark.

    """
    shown = "what was given as bytes" if isinstance(source, bytes) else repr(str(source))
    where = f"the {what} in {shown}"
    content = source if isinstance(source, bytes) else _bytes(source)
    try:
        archive = zipfile.ZipFile(BytesIO(content))
        header = json.loads(_part(archive, name))
        found, of_version = header.pop("format"), header.pop("rankmark")
    except Exception as error:  # whatever zipfile and json make of bytes that are none of theirs
        instead = "; `-o NAME.rankmark`, or save in Python, makes one" if what == "result" else ""
        raise FormatError(f"{shown} holds no saved {what}, or is damaged: {error}{instead}") from error
    if not _is_sealed(content):
        raise FormatError(
            f"{where} is damaged: its checksum is not that of its content (it calls itself format {found!r} "
            f"of rankmark {of_version!r}; what was saved before there were checksums has to be made anew)"
        )
    if found != form:
        raise FormatError(
            f"{where} was saved by rankmark {of_version} in format {found}; this is {__version__}, which "
            f"reads format {form}"
        )
    if (field := _misfit(header, shape, name)) is not None:
        raise FormatError(f"{where} cannot be read: {field} is not what rankmark saves there")
    if len(archive.infolist()) > 1:  # there are tables
        need_polars_threads()
    return Archive(where, header, archive)


def _bytes(path: str | Path) -> bytes:
    try:
        if Path(path).exists() and not Path(path).is_file():
            raise UsageError(f"{str(path)!r} is no file")
        return Path(path).read_bytes()
    except FileNotFoundError as error:
        raise no_file(str(path)) from error
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a NUL, or half a character
        if isinstance(error, RankmarkError):
            raise
        raise UsageError(f"{str(path)!r} is no path: {error}") from error


def _is_sealed(content: bytes) -> bool:
    content, digits = content[:-DIGITS], content[-DIGITS:]
    return content.endswith(SEAL) and digits == _digest(content)


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _misfit(value: Any, shape: Shape, where: str) -> str | None:
    """The field that has not the shape it should have; None if there is none."""
    match shape:
        case type():
            return None if type(value) is shape else where
        case tuple():
            misfits = [_misfit(value, each, where) for each in shape]
            return None if None in misfits else max(filter(None, misfits), key=len)  # that of the nearest
        case [each] if isinstance(value, list):
            parts = ((part, each, f"{where}[{number}]") for number, part in enumerate(value))
        case dict() if isinstance(value, dict) and str in shape:
            parts = ((part, shape[str], f"{where}.{name}") for name, part in value.items())
        case dict() if isinstance(value, dict) and value.keys() == shape.keys():
            parts = ((value[name], each, f"{where}.{name}") for name, each in shape.items())
        case list() | dict():
            return where
        case _:
            return None if type(value) is type(shape) and value == shape else where
    return next((found for part in parts if (found := _misfit(*part)) is not None), None)


def _ipc(frame: pl.DataFrame) -> bytes:
    """A table as an Arrow IPC file."""
    written = BytesIO()
    frame.rechunk().write_ipc(written)
    return written.getvalue()


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    """An entry; `save` never compresses any, so that none is larger than the file."""
    entries = [each for each in archive.infolist() if each.filename == name]
    if len(entries) != 1:
        raise ValueError(f"it has {len(entries)} entries {name!r}, and needs one")
    if entries[0].compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"its {name} is compressed, which `save` never does")
    return archive.read(entries[0])
