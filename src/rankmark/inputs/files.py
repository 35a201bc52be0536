"""Files of any format, one or several: the paths that a text names, and all of them as one table."""

from __future__ import annotations

import atexit
import functools
import glob
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rankmark import _native
from rankmark.errors import ColumnError, FileMissingError, UsageError, no_file
from rankmark.inputs.addresses import is_address, open_address
from rankmark.inputs.column_checks import is_text
from rankmark.inputs.format import File
from rankmark.inputs.formats import format_of
from rankmark.inputs.lakes import open_lake
from rankmark.inputs.names import listed
from rankmark.inputs.roles import Chosen, ColumnNames, TableName, find_roles, is_of_lists, says_aspect
from rankmark.inputs.source import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["called", "check_family", "expand", "open_files", "refuse_differing"]

FETCHED = {
    "http": "download it first, for example with curl -O",
    "https": "download it first, for example with curl -O",
    "s3": "copy it first, for example with aws s3 cp",
    "s3a": "copy it first, for example with aws s3 cp",
    "gs": "copy it first, for example with gcloud storage cp",
    "hdfs": "copy it first, for example with hdfs dfs -get",
    "file": "give its path, without 'file://'",
}
"""What to do with an address instead of reading it, by how it begins."""

SPARKS_OWN = r"_(SUCCESS|(common_)?metadata|(started|committed)_\d+)$"
"""Names of files that Spark writes beside those of a table."""


def open_files(path: str | os.PathLike[str], side: TableName, columns: ColumnNames | None) -> Source:
    """The file at a path or an address, or all files of a glob, one after another."""
    if is_address(text := os.fspath(path)):
        return open_address(text, side, columns)
    if lake := open_lake(text, side):
        return lake
    sources = [_open_file(one, side, columns) for one in expand(text, side)]
    return sources[0] if len(sources) == 1 else _concatenated(sources, side, columns, text)


def expand(text: str, table: TableName | None = None) -> list[Path]:
    """The files that a path or a glob names; ``-`` is standard input.

    Args:
        text: the path or the glob.
        table: which table is looked for; None where that is not known.

    """
    if text == "-":
        return [_standard_input()]
    if not text or "\n" in text:
        raise FileMissingError(f"{text[:200]!r} is not a path: a text names a file, and not what it holds")
    if not is_text(text):
        raise UsageError(
            f"the name of the file {text!r} is not UTF-8; rename it, or link to it by another name"
        )
    path = Path(text).expanduser()
    try:
        exists = path.exists()
    except PermissionError as error:
        raise UsageError(f"{text!r} cannot be read: no permission to look into its folder") from error
    except (OSError, ValueError) as error:
        raise FileMissingError(f"{text[:200]!r} is not a path: {error}") from error
    if exists:
        if table in (None, "qrels") and path.is_dir() and (judged := _of_folder(path)):
            return [judged]
        if path.is_dir():
            raise UsageError(f"{text!r} is a directory; name its files, for example '{path / '*.parquet'}'")
        if not path.is_file():
            raise UsageError(
                f"{text!r} is a pipe or a device, not a file; save what it gives to a file first"
            )
        return [path]
    if address := re.match(r"([a-z][a-z0-9+.-]+):/", text):
        instead = FETCHED.get(address[1], "copy it here first")
        raise UsageError(
            f"{text!r} is an address, and here only files on this machine are read; {instead}, or in Python "
            "give the table that polars or pandas reads of it"
        )
    if not glob.has_magic(text):
        raise no_file(text if path == Path(text) else str(path))
    named = map(Path, sorted(glob.glob(str(path), recursive=True)))  # noqa: PTH207
    found = [one for one in named if not (one.is_dir() or re.match(SPARKS_OWN, one.name))]
    if not found:
        raise FileMissingError(f"no file fits the pattern {text!r}")
    return found


def _of_folder(folder: Path) -> Path | None:
    """The judgements of a folder as BEIR and MTEB have it, those of the test where there are several."""
    judged = [each for each in sorted((folder / "qrels").glob("*")) if each.suffix in (".tsv", ".jsonl")]
    judged += [each for each in [folder / "qrels.jsonl", folder / "qrels.tsv"] if each.is_file()]
    tests = [each for each in judged if each.stem == "test"] or judged
    if len(tests) > 1:
        raise UsageError(f"{str(folder)!r} has judgements in {listed(map(str, judged))}; say which")
    return next(iter(tests), None)


@functools.cache
def _standard_input() -> Path:
    """A file of all that standard input gives, which is there until the program ends."""
    given = getattr(sys.stdin, "buffer", None)
    if given is None:
        raise UsageError("'-' is standard input, which there is none of here; give the path of a file")
    import shutil  # which few files need, as the next
    import tempfile

    folder = Path(tempfile.mkdtemp(prefix="rankmark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    path = folder / "stdin"
    with path.open("wb") as file:
        shutil.copyfileobj(given, file)
    return path


def called(path: Path, table: TableName) -> str:
    """What messages call a file that `expand` found."""
    is_input = _standard_input.cache_info().currsize and path == _standard_input()
    return f"{table} {'from standard input' if is_input else repr(str(path))}"


class Named(Protocol):
    """A table, what messages call it, and its columns."""

    @property
    def where(self) -> str:
        """What messages call it."""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""


def _open_file(path: Path, table: TableName, columns: ColumnNames | None) -> Source:
    file = File(path, called(path, table))
    source = format_of(file, table, columns).read(file, table)
    for name in source.names:
        if "\0" in name:  # which no library of tables hands on
            raise ColumnError(
                f"{source.where}: the name of the column {name!r} has the character NUL in it; rename it, or "
                "write the file as UTF-8 if it is UTF-16"
            )
    return source


def _concatenated(
    sources: Sequence[Source], side: TableName, columns: ColumnNames | None, pattern: str
) -> Source:
    """Several files as one table."""
    first = sources[0]

    def columns_of(source: Source) -> object:
        if not is_of_lists(side):
            return set(source.names)
        roles = find_roles(source.names, side, columns, source.where)
        # Judgements with aspects and without are alike to all that do not look at them.
        return roles if says_aspect(columns) else replace(roles, aspect=None)

    for source in sources[1:]:
        if columns_of(source) != columns_of(first):
            raise refuse_differing(source, first)

    def take(roles: Chosen) -> _native.Table:
        import polars as pl

        tables = [source.take(roles) for source in sources]
        if len({tuple((name, table.dtype(name)) for name in table.names) for table in tables}) == 1:
            packed = _native.Packed()
            for table in tables:
                packed.add(table)
            return packed.table() or tables[0]
        frames = [pl.DataFrame(table).select(roles.names) for table in tables]
        for name in roles.names:
            check_family(name, [frame.schema[name] for frame in frames], sources)
        return _native.Table.from_arrow(pl.concat(frames, how="vertical_relaxed").to_struct())

    text_ids = all(source.text_ids for source in sources)
    names = [name for name in first.names if all(name in source.names for source in sources)]
    return Source(f"{side} {pattern!r}", names, take, text_ids)


def refuse_differing(source: Named, first: Named) -> ColumnError:
    """The error for files of a glob that do not have the same columns."""
    return ColumnError(
        f"{source.where} has the columns {listed(source.names)}, but {first.where} has "
        f"{listed(first.names)}; all files need the same columns"
    )


def check_family(name: str, types: Sequence[pl.DataType], sources: Sequence[Named]) -> None:
    """Refuses to put numbers and texts into one column, of each of some sources."""
    for dtype, source in zip(types, sources, strict=True):
        if dtype.is_numeric() != types[0].is_numeric() or dtype.is_nested() != types[0].is_nested():
            raise ColumnError(
                f"{source.where}: column {name!r} is {dtype}, but {types[0]} in {sources[0].where}; "
                f"all files need the same types"
            )
