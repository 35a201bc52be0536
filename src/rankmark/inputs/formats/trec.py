"""TREC text: judgements and results as lines of fields between spaces and tabs; the core reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rankmark import _native
from rankmark.inputs.format import Batched, File, Format, Pieces
from rankmark.inputs.roles import VALUE_OF, Chosen, ColumnNames, Side, TableName
from rankmark.inputs.source import Source
from rankmark.progress import reading

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]

# By the number of fields in a line, the fields of which one must be a number.
NUMBERS: Mapping[TableName, Mapping[int, tuple[int, ...]]] = {
    "qrels": {3: (2,), 4: (3,)},
    "run": {3: (2,), 4: (3,), 5: (4, 3), 6: (4,)},
}
FIELDS: Mapping[Side, Mapping[int, tuple[int, int]]] = {
    "qrels": {3: (1, 2), 4: (2, 3)},
    "run": {3: (1, 2), 6: (2, 4)},
}
"""By the number of fields in a line, where the item and the number stand; the query stands first."""
TAG = 5
"""The field of a run's line that names the system."""


class Trec(Format):
    """TREC text; whatever else is no other format is taken for it, so that the core says what is wrong."""

    name = "TREC"
    listed = known_by = "TREC text"
    place = 1
    holds = frozenset({"qrels", "run"})

    def is_certain(self, file: File, table: TableName) -> bool:
        """Whether a line has as many fields as TREC text, with numbers where they must be."""
        fields = file.first_line.split()
        return any(_is_number(fields[at]) for at in NUMBERS.get(table, {}).get(len(fields), ()))

    def is_likely(self, file: File, columns: ColumnNames | None) -> bool:  # noqa: ARG002
        """Any text may be meant for it."""
        return True

    def read(self, file: File, table: TableName) -> Source:
        """As `Format.read`."""
        progress = _native.Progress()
        with reading(file.path.name, None, progress):
            found = _native.read_trec(str(file.path), table, progress)
        return Source(file.where, found.names, lambda _: found, text_ids=True)

    def refuses_batches(self, file: File) -> str | None:  # noqa: ARG002
        """It never does."""
        return None

    def in_batches(self, file: File, table: TableName) -> Batched:
        """As `Format.in_batches`."""

        def read(_: Chosen, size: int) -> Pieces:
            progress = _native.Progress()
            # A row of text takes about as much again as columns.
            reader = _native.TrecReader(str(file.path), table, size // 2, progress)
            while (found := reader.next()) is not None:
                yield found, progress.done / max(1, progress.total)

        start = _native.TrecReader(str(file.path), table, 1 << 16, _native.Progress()).next()
        assert start is not None  # a file without rows is an error
        return Batched(file.where, file.size, start.names, read, text_ids=True)

    def with_nan(self, file: File, side: Side) -> pl.DataFrame | None:
        """As `Format.with_nan`; of lines whose number of fields says what they are."""
        import polars as pl

        try:
            text = (file.content or file.path.read_bytes()).decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
        lines = pl.Series("line", text.splitlines()).str.strip_chars()
        fields = lines.filter((lines != "") & ~lines.str.starts_with("#")).str.extract_all(r"\S+")
        widths = fields.list.len().unique().to_list()
        places = FIELDS[side].get(widths[0]) if len(widths) == 1 else None
        if places is None:
            return None
        item, number = places
        rows = fields.to_frame("fields").select(
            query=pl.col("fields").list.get(0),
            item=pl.col("fields").list.get(item),
            text=pl.col("fields").list.get(number),
        )
        is_nan = pl.col("text").str.to_lowercase().str.strip_chars_start("+-") == "nan"
        numbers = pl.when(is_nan).then(float("nan")).otherwise(pl.col("text").cast(pl.Float64, strict=False))
        frame = rows.select("query", "item", numbers.alias(VALUE_OF[side]))
        return None if frame[VALUE_OF[side]].null_count() else frame

    def tag(self, file: File) -> str | None:
        """The tag in the first line of a run, if it has one."""
        fields = file.first_line.split()
        return fields[TAG] if len(fields) > TAG else None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


FILE_FORMATS = (Trec(),)
