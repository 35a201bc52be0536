"""Files: TREC text, CSV, TSV, JSON lines and Parquet, also compressed, one or several."""

from __future__ import annotations

import glob
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from rankmark import _native
from rankmark.errors import ColumnError, FileMissingError, FormatError, UsageError, did_you_mean
from rankmark.inputs.roles import (
    Chosen,
    ColumnNames,
    Side,
    TableName,
    are_column_names,
    find_roles,
    listed,
)
from rankmark.inputs.tables import Source, from_lazy_frame
from rankmark.progress import reading

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "SEPARATORS",
    "File",
    "expand",
    "form_of",
    "once",
    "open_files",
    "polars_errors",
    "refuse_differing",
    "refuse_text",
    "run_tag",
    "unknown_form",
]

SUFFIXES = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".csv": "CSV",
    ".tsv": "TSV",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json": "JSON",
}
COMPRESSED = {".gz", ".zst"}
SEPARATORS = {"TSV": "\t", "CSV": ","}
# By the number of fields in a line of TREC text, the fields of which one must be a number.
NUMBERS: Mapping[TableName, Mapping[int, tuple[int, ...]]] = {
    "qrels": {3: (2,), 4: (3,)},
    "run": {3: (2,), 4: (3,), 5: (4, 3), 6: (4,)},
}
HEAD = 1 << 16
"""Bytes looked at to find a file's format."""


def open_files(path: str | os.PathLike[str], side: TableName, columns: ColumnNames | None) -> Source:
    """The file at `path`, or all files of a glob, one after another."""
    paths = expand(os.fspath(path))
    sources = [_open(one, side, columns) for one in paths]
    return sources[0] if len(sources) == 1 else _concatenated(sources, side, columns, os.fspath(path))


def run_tag(path: str) -> str | None:
    """The tag in the first line of a run, the first of a glob; None if it is no TREC text, or has none."""
    first = expand(path)[0]
    file = File(first, f"run {str(first)!r}")
    if form_of(file, "run", None) != "TREC":
        return None
    fields = _first_line(file.head).split()
    return fields[5] if len(fields) > 5 else None


def expand(text: str) -> list[Path]:
    """The files that a path or a glob names."""
    path = Path(text).expanduser()
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise FileMissingError(f"{text[:200]!r} is not a path: {error}") from error
    if exists:
        if path.is_dir():
            raise UsageError(f"{text!r} is a directory; name its files, for example '{path / '*.parquet'}'")
        if not path.is_file():
            raise UsageError(
                f"{text!r} is a pipe or a device, not a file; save what it gives to a file first"
            )
        return [path]
    if not glob.has_magic(text):
        siblings = (one.name for one in path.parent.iterdir()) if path.parent.is_dir() else ()
        hint = did_you_mean(path.name, siblings) if path.parent.is_dir() else ""
        where = "" if path.parent.is_dir() else f": there is no directory {str(path.parent)!r}"
        raise FileMissingError(f"there is no file {text!r}{where}{hint}")
    found = [Path(one) for one in sorted(glob.glob(str(path), recursive=True)) if not Path(one).is_dir()]  # noqa: PTH207
    if not found:
        raise FileMissingError(f"no file fits the pattern {text!r}")
    return found


class Named(Protocol):
    """A table, what messages call it, and its columns."""

    @property
    def where(self) -> str:
        """What messages call it."""

    @property
    def names(self) -> Sequence[str]:
        """The names of its columns."""


@dataclass
class File:
    """One file: where it is, and what is in it."""

    path: Path
    where: str

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
            try:
                return zlib.decompressobj(wbits=31).decompress(self.start, HEAD)
            except zlib.error as error:
                raise FormatError(f"{self.where}: the compressed file is damaged: {error}") from error
        is_zstd = self.start[1:4] in (b"\xb5\x2f\xfd", b"\x2a\x4d\x18")
        return _native.TextReader(str(self.path), _native.Progress()).read(HEAD) if is_zstd else self.start

    @cached_property
    def content(self) -> bytes | None:
        """The whole content of a compressed file; None for another."""
        with reading(self.path.name, None, None):
            return _native.decompress(str(self.path))


def _open(path: Path, side: TableName, columns: ColumnNames | None) -> Source:
    file = File(path, f"{side} {str(path)!r}")
    if not file.head:
        raise FormatError(f"{file.where} is empty")
    form = form_of(file, side, columns)
    if form != "TREC":
        return _open_table(file, form)
    if side == "predictions":
        raise unknown_form(file)
    return _open_trec(file, side)


def unknown_form(file: File) -> FormatError:
    """The error for predictions that have no format known."""
    return FormatError(
        f"{file.where} is none of these: CSV or TSV whose first line names the columns, JSON lines, Parquet"
    )


def form_of(file: File, side: TableName, columns: ColumnNames | None) -> str:
    """The format by the file's name, or else by its content."""
    suffixes = [suffix.lower() for suffix in file.path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    named = SUFFIXES.get(suffixes[-1]) if suffixes else None
    if named and named != "TSV":
        return named
    if file.head.startswith(b"PAR1"):
        return "Parquet"
    line = _first_line(file.head)
    if _is_trec(line.split(), side):
        return "TREC"
    if named:
        return named
    if line.startswith(("{", "[")):
        return "JSON"
    for form, separator in SEPARATORS.items():
        if separator in line and are_column_names(line.replace('"', "").split(separator), columns):
            return form
    return "TREC"


def _first_line(head: bytes) -> str:
    """The first line that is neither blank nor a comment."""
    lines = head.decode("utf-8-sig", errors="replace").splitlines()
    return next((line for line in lines if line.strip() and not line.startswith("#")), "")


def _is_trec(fields: Sequence[str], side: TableName) -> bool:
    """Whether a line has as many fields as TREC text, with numbers where they must be."""
    return any(_is_number(fields[at]) for at in NUMBERS.get(side, {}).get(len(fields), ()))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _open_trec(file: File, side: Side) -> Source:
    progress = _native.Progress()
    with reading(file.path.name, None, progress):
        table = _native.read_trec(str(file.path), side, progress)
    return Source(file.where, table.names, lambda _: table, text_ids=True)


def _open_table(file: File, form: str) -> Source:
    """A file that polars reads."""
    with polars_errors(file, form):
        source = _scan(file, form)

    def take(roles: Chosen) -> _native.Table:
        with polars_errors(file, form), reading(file.path.name, None, None):
            return source.take(roles)

    return replace(source, take=take)


def _scan(file: File, form: str) -> Source:
    import polars as pl

    content = file.path if file.content is None else file.content
    if form == "Parquet":
        # This engine of polars reads row groups side by side, in a third less time.
        return from_lazy_frame(pl.scan_parquet(content, glob=False), file.where, engine="streaming")
    if form == "JSON":
        if file.head.lstrip().startswith(b"["):
            return from_lazy_frame(pl.read_json(content).lazy(), file.where)
        # Unlike the other readers this one always takes a path for a glob.
        return _scan_json_lines(file.content or glob.escape(str(file.path)), file.where)
    return _scan_csv(content, file.where, SEPARATORS[form])


def _scan_json_lines(content: str | bytes, where: str) -> Source:
    import polars as pl

    schema = pl.scan_ndjson(content).collect_schema()

    def take(roles: Chosen) -> _native.Table:
        # The types come from the first lines, where numbers may all be whole by chance.
        floats = {name: _as_float(schema[name]) for name in roles.numbers}
        return from_lazy_frame(pl.scan_ndjson(content, schema_overrides=floats), where).take(roles)

    return Source(where, schema.names(), take)


def _as_float(dtype: pl.DataType) -> pl.DataType:
    """The type itself, but floats for integers and for lists of integers."""
    import polars as pl

    if isinstance(dtype, pl.List) and dtype.inner.is_integer():
        return pl.List(pl.Float64)
    return pl.Float64() if dtype.is_integer() else dtype


def _scan_csv(content: Path | bytes, where: str, separator: str) -> Source:
    import polars as pl

    def scan(types: dict[str, type[pl.DataType]] | None = None) -> pl.LazyFrame:
        return pl.scan_csv(content, separator=separator, schema_overrides=types, glob=False)

    schema = scan().collect_schema()

    def take(roles: Chosen) -> _native.Table:
        texts: dict[str, type[pl.DataType]] = dict.fromkeys(roles.names, pl.String)
        numbers = {name: pl.Boolean if schema[name] == pl.Boolean else pl.Float64 for name in roles.numbers}
        try:
            return from_lazy_frame(scan(texts | numbers), where).take(roles)
        except pl.exceptions.PolarsError:
            for name, dtype in numbers.items():
                refuse_text(scan(texts), name, dtype, where, roles)
            raise

    return Source(where, once(schema.names(), where), take, text_ids=True)


def refuse_text(
    texts: pl.LazyFrame,
    name: str,
    dtype: type[pl.DataType],
    where: str,
    roles: Chosen,
    first_row: int = 0,
) -> None:
    """Names the first text in a column of numbers that is none; `first_row` is where they begin."""
    import polars as pl

    column = texts.select(name).collect()[name]
    if dtype == pl.Boolean:
        wrong = (~column.str.to_lowercase().is_in(["true", "false"])).arg_true()
    else:
        wrong = (column.cast(dtype, strict=False).is_null() & column.is_not_null()).arg_true()
    if len(wrong):
        wanted = "true or false, as the first rows are" if dtype == pl.Boolean else "a number"
        raise FormatError(
            f"{where}, row {first_row + wrong[0]} (from 0): {column[int(wrong[0])]!r} in column {name!r} is "
            f"not {wanted}; correct it, or {roles.instead(name)}"
        )


def once(names: Sequence[str], where: str) -> Sequence[str]:
    """Refuses two columns of one name, of which polars renames the second."""
    for name in names:
        original, renamed, _ = name.rpartition("_duplicated_")
        if renamed and original in names:
            raise ColumnError(f"{where} has two columns called {original!r}; rename one")
    return names


@contextmanager
def polars_errors(file: File, form: str) -> Iterator[None]:
    """Makes errors of polars those of a file that cannot be read as `form`."""
    import polars as pl

    try:
        yield
    except pl.exceptions.PolarsError as error:
        reason = str(error).partition("\n")[0]
        raise FormatError(f"{file.where} cannot be read as {form}: {reason}") from error


def _concatenated(
    sources: Sequence[Source], side: TableName, columns: ColumnNames | None, pattern: str
) -> Source:
    """Several files as one table."""
    first = sources[0]

    def columns_of(source: Source) -> object:
        if side == "predictions":
            return set(source.names)
        return find_roles(source.names, side, columns, source.where)

    for source in sources[1:]:
        if columns_of(source) != columns_of(first):
            raise refuse_differing(source, first)

    def take(roles: Chosen) -> _native.Table:
        import polars as pl

        frames = [pl.DataFrame(source.take(roles)).select(roles.names) for source in sources]
        for name in roles.names:
            _same_family(name, [frame.schema[name] for frame in frames], sources)
        return _native.Table.from_arrow(pl.concat(frames, how="vertical_relaxed").to_struct())

    text_ids = all(source.text_ids for source in sources)
    return Source(f"{side} {pattern!r}", first.names, take, text_ids)


def refuse_differing(source: Named, first: Named) -> ColumnError:
    """The error for files of a glob that do not have the same columns."""
    return ColumnError(
        f"{source.where} has the columns {listed(source.names)}, but {first.where} has "
        f"{listed(first.names)}; all files need the same columns"
    )


def _same_family(name: str, types: Sequence[pl.DataType], sources: Sequence[Source]) -> None:
    """Refuses to put numbers and texts into one column."""
    for dtype, source in zip(types, sources, strict=True):
        if dtype.is_numeric() != types[0].is_numeric() or dtype.is_nested() != types[0].is_nested():
            raise ColumnError(
                f"{source.where}: column {name!r} is {dtype}, but {types[0]} in {sources[0].where}; "
                f"all files need the same types"
            )
