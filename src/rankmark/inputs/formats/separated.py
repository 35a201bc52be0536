"""CSV and TSV: a first line that names the columns, and rows of texts between commas or tabs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from rankmark import _native
from rankmark import _numpy as np
from rankmark.errors import ColumnError, FormatError
from rankmark.inputs.format import Batched, File, FormatOfPolars, Pieces, not_unicode, polars_errors
from rankmark.inputs.memory import UNKNOWN, room
from rankmark.inputs.roles import Chosen, ColumnNames, TableName, are_column_names
from rankmark.inputs.source import Source
from rankmark.inputs.tables.polars_frames import from_polars

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]


class Separated(FormatOfPolars):
    """Texts between separators."""

    known_by = "CSV or TSV whose first line names the columns"

    def __init__(
        self,
        name: str,
        separator: str,
        place: int,
        endings: Sequence[str] = (),
        usual_endings: Sequence[str] = (),
    ) -> None:
        self.name = self.listed = name
        self.separator = separator
        self.place = place
        self.endings = frozenset(endings)
        self.usual_endings = frozenset(usual_endings)

    def is_likely(self, file: File, columns: ColumnNames | None) -> bool:
        """Whether one of the texts in the first line is known as a column's name."""
        texts = file.first_line.replace('"', "").split(self.separator)
        return len(texts) > 1 and are_column_names(texts, columns)

    def scan(self, file: File) -> Source:
        """As `FormatOfPolars.scan`; read block by block, because polars needs several times the text."""
        import polars as pl

        schema = self._schema(file)

        def take(roles: Chosen) -> _native.Table:
            packed = _native.Packed()
            for table, _ in self._pieces(file, schema, roles, WHOLE, room()):
                packed.add(table)
            texts, numbers = _types(roles, schema)
            return packed.table() or from_polars(pl.DataFrame(schema=texts | numbers), file.where)

        return Source(file.where, _once(list(schema), file.where), take, text_ids=True)

    def fault(self, file: File) -> str | None:
        """As `FormatOfPolars.fault`."""
        return not_unicode(file) or self._fault(file)

    def _fault(self, file: File) -> str | None:
        import csv

        texts = (line.decode("utf-8-sig") for line in file.lines())
        rows = csv.reader(texts, delimiter=self.separator, strict=True)
        header: list[str] = []
        first = 1
        try:
            for row in rows:
                header = header or row
                if len(row) > len(header):
                    extra, columns = row[len(header)], len(header)
                    return (
                        f"line {first}: {len(row)} fields, but the first line names {columns} columns; "
                        f"field {columns + 1} is {extra!r}; quote what has {self.separator!r} in it"
                    )
                first = rows.line_num + 1
        except csv.Error:
            return f'line {first}: a text that begins with a quote (") does not end with one; correct it'
        return None

    def refuses_batches(self, file: File) -> str | None:  # noqa: ARG002
        """It never does."""
        return None

    def in_batches(self, file: File, table: TableName) -> Batched:  # noqa: ARG002
        """As `Format.in_batches`."""
        schema = self._schema(file)

        def read(roles: Chosen, size: int) -> Pieces:
            with self.located(file):  # polars takes as much memory again to read it
                yield from self._pieces(file, schema, roles, size // 4)

        return Batched(file.where, file.size, _once(list(schema), file.where), read, text_ids=True)

    def _schema(self, file: File) -> pl.Schema:
        import polars as pl

        with polars_errors(file.where, self.name):
            with file.text() as (content, _):
                start = _whole_rows(content, START, file)
            schema = pl.scan_csv(start, separator=self.separator).collect_schema()
        # What polars puts in the place of bytes that are no text would be a name that nobody can write.
        if any("\N{REPLACEMENT CHARACTER}" in name for name in schema) and (fault := not_unicode(file)):
            raise FormatError(f"{file.where}, {fault}")
        return schema

    def _pieces(
        self, file: File, schema: pl.Schema, roles: Chosen, size: int, limit: int = UNKNOWN
    ) -> Pieces:
        """The rows in blocks of so many bytes of text; more than `limit` that were compressed are refused."""
        row = 0
        for header, text, share in _blocks(file, size, limit):
            table = self._plain(text, roles, schema) or self._odd(header + text, roles, schema, file, row)
            row += table.num_rows
            if table.num_rows:
                yield table, share

    def _plain(self, text: bytes, roles: Chosen, schema: pl.Schema) -> _native.Table | None:
        """The rows of a block; None where polars has to look at them."""
        import polars as pl

        _, numbers = _types(roles, schema)
        if pl.Boolean in numbers.values():
            return None
        names = list(schema)
        columns = [(name, names.index(name), name in numbers) for name in roles.names]
        return _native.read_plain_rows(text, self.separator, len(names), columns)

    def _odd(
        self, text: bytes, roles: Chosen, schema: pl.Schema, file: File, first_row: int
    ) -> _native.Table:
        """The rows of a block with the header before it, the first of which has this number in its file."""
        import polars as pl

        def read(types: dict[str, type[pl.DataType]]) -> pl.DataFrame:
            # Other columns are not looked at, whatever they hold, as in a file that is read whole.
            frame = pl.read_csv(text, columns=roles.names, separator=self.separator, schema_overrides=types)
            return frame.select(roles.names)

        # Of rows with more fields than columns polars takes the first, unless all columns are read.
        if _native.has_long_rows(text, self.separator, len(schema)) and (fault := self._fault(file)):
            raise FormatError(f"{file.where}, {fault}")
        texts, numbers = _types(roles, schema)
        where = f"{file.where} from row {first_row} on"
        try:
            return from_polars(read(texts | numbers), where)
        except pl.exceptions.PolarsError as error:
            _refuse_open_quote(file)
            with polars_errors(where, self.name):
                _refuse_texts(read(texts).lazy(), numbers, file.where, roles, first_row)
                raise error


def _types(
    roles: Chosen, schema: pl.Schema
) -> tuple[dict[str, type[pl.DataType]], dict[str, type[pl.DataType]]]:
    """The types as which the chosen columns are read: texts for all, and what they are for numbers."""
    import polars as pl

    texts: dict[str, type[pl.DataType]] = dict.fromkeys(roles.names, pl.String)
    return texts, {name: pl.Boolean if schema[name] == pl.Boolean else pl.Float64 for name in roles.numbers}


def _refuse_texts(
    texts: pl.LazyFrame,
    numbers: dict[str, type[pl.DataType]],
    where: str,
    roles: Chosen,
    first_row: int = 0,
) -> None:
    """Names the first text in a column of numbers that is none; `first_row` is where they begin."""
    import polars as pl

    for name, dtype in numbers.items():
        column = texts.select(name).collect()[name]
        if dtype == pl.Boolean:
            wrong = (~column.str.to_lowercase().is_in(["true", "false"])).arg_true()
        else:
            wrong = (column.cast(dtype, strict=False).is_null() & column.is_not_null()).arg_true()
        if len(wrong):
            wanted = "true or false, as the first rows are" if dtype == pl.Boolean else "a number"
            raise FormatError(
                f"{where}, row {first_row + wrong[0]} (from 0): {column[int(wrong[0])]!r} in column {name!r} "
                f"is not {wanted}; correct it, or {roles.instead(name)}"
            )


def _once(names: Sequence[str], where: str) -> Sequence[str]:
    """Refuses two columns of one name, of which polars renames the second."""
    for name in names:
        original, renamed, _ = name.rpartition("_duplicated_")
        if renamed and original in names:
            raise ColumnError(f"{where} has two columns called {original!r}; rename one")
    return names


BLANK_ENDS = b"\n\n", b"\n\r\n"


def _without_blank_end(text: bytes) -> bytes:
    """Rows of CSV text without the blank lines at their end, which are no rows."""
    if not (text.endswith(BLANK_ENDS) or text in (b"\n", b"\r\n")):
        return text
    rows = len(text.rstrip(b"\r\n"))
    return text[: text.index(b"\n", rows) + 1] if rows else b""


LONGEST_ROW = 1 << 24
"""Bytes of a row: in a longer one a quote has not been closed."""
START = 1 << 16
"""Bytes by which the types of the columns are told, and more where a row has more."""
WHOLE = 4 << 20
"""Bytes of a block of text of a file that is read whole."""


def _blocks(file: File, size: int, limit: int = UNKNOWN) -> Iterator[tuple[bytes, bytes, float]]:
    """The header, and the rows in blocks of about so many bytes, each with how much has been read."""
    with file.text(limit) as (content, share):
        while (header := _whole_rows(content, 0, file)) and not header.strip():
            pass
        if not header.endswith(b"\n"):
            header += b"\n"
        blank = b""
        while read := _whole_rows(content, size, file):
            read = blank + read if blank else read
            text = _without_blank_end(read)
            blank = read[len(text) :]  # which waits for a row that follows it
            if text:
                yield header, text, share()


def _whole_rows(content: BinaryIO, size: int, file: File) -> bytes:
    """The next rows, which together have so many bytes or more; a line end in quotes ends no row."""
    text = content.read(size)
    parts, rest, quotes = [text], 0, text.count(b'"')
    while quotes % 2 or not parts[-1].endswith(b"\n"):
        line = content.readline(LONGEST_ROW)
        if not line:
            break
        parts.append(line)
        rest, quotes = rest + len(line), quotes + line.count(b'"')
        if rest > LONGEST_ROW:
            _refuse_open_quote(file)
            raise FormatError(
                f"{file.where}: a row is longer than {LONGEST_ROW >> 20} MiB; this is no CSV or TSV"
            )
    if quotes % 2:
        _refuse_open_quote(file)
    return text if len(parts) == 1 else b"".join(parts)


def _refuse_open_quote(file: File) -> None:
    """Names the line of the first quote that no other closes, or none soon enough."""
    reader = _native.TextReader(str(file.path), _native.Progress())
    begin, lines, opened = 0, 1, (-1, 0)  # of the piece; and where a quote is open, in bytes and in lines
    while piece := reader.read(LONGEST_ROW):
        quotes = np.flatnonzero(np.frombuffer(piece, dtype=np.uint8) == ord('"')) + begin
        places = quotes if opened[0] < 0 else np.concatenate(([opened[0]], quotes))
        opening, closing = places[::2], places[1::2]
        far = np.flatnonzero(closing - opening[: len(closing)] > LONGEST_ROW)
        if len(far) or len(opening) > len(closing):
            place = int(opening[far[0] if len(far) else -1])
            if place != opened[0]:
                opened = place, lines + piece.count(b"\n", 0, place - begin)
        if len(far):
            break
        opened = opened if len(opening) > len(closing) else (-1, 0)
        begin, lines = begin + len(piece), lines + piece.count(b"\n")
    if opened[0] >= 0:
        raise FormatError(
            f'{file.where}, line {opened[1]}: a text that begins with a quote (") does not end with one; '
            "correct it"
        )


FILE_FORMATS = (
    Separated("CSV", ",", place=2, endings=[".csv"]),
    Separated("TSV", "\t", place=3, usual_endings=[".tsv"]),
)
