"""TREC text: judgements and results as lines of fields between spaces and tabs; the core reads it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rankmark import _native
from rankmark.errors import FormatError
from rankmark.inputs.format import Batched, File, Format, Pieces
from rankmark.inputs.memory import room
from rankmark.inputs.roles import VALUE_OF, Chosen, ColumnNames, Side, TableName, is_of_lists
from rankmark.inputs.source import Source
from rankmark.inputs.trec_samples import is_of_sample, read_sample
from rankmark.progress import reading

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE_FORMATS"]

NUMBERS = ("score", "relevance", "rank")
"""The fields that a line is read for, besides query and item; a rank only where there is no score."""
LOOKED_AT = 100
"""Lines in which names of measures are looked for."""


@functools.cache
def _forms(side: Side) -> Sequence[Sequence[str]]:
    """The fields of a line by their names, once for each form that the core reads."""
    return [form.split() for form in _native.trec_forms(side)]


@functools.cache
def _numbers_at(side: Side, fields: int) -> Sequence[int]:
    """Where numbers can stand in a line of so many fields."""
    forms = [form for form in _forms(side) if len(form) == fields]
    return [next(form.index(name) for name in NUMBERS if name in form) for form in forms]


class Trec(Format):
    """TREC text; whatever else is no other format is taken for it, so that the core says what is wrong."""

    name = "TREC"
    listed = known_by = "TREC text"
    place = 1
    holds = frozenset({"qrels", "run"})

    def is_certain(self, file: File, table: TableName) -> bool:
        """Whether a line has as many fields as TREC text, with numbers where they must be."""
        if table == "qrels" and is_of_sample(file):
            return True
        fields = file.first_line.split()
        numbers = _numbers_at(table, len(fields)) if is_of_lists(table) else ()
        return any(_is_number(fields[at]) for at in numbers)

    def is_likely(self, file: File, columns: ColumnNames | None) -> bool:  # noqa: ARG002
        """Any text may be meant for it."""
        return True

    def read(self, file: File, table: TableName) -> Source:
        """As `Format.read`."""
        if table == "qrels" and is_of_sample(file):
            return read_sample(file)
        _refuse_printed(file, table)
        progress = _native.Progress()
        try:
            with reading(file.path.name, None, progress):
                found = _native.read_trec(str(file.path), table, room(), progress)
        except FormatError as error:
            raise FormatError(f"{error}{self._swapped(file, table)}") from error
        return Source(file.where, found.names, lambda _: found, text_ids=True)

    def _swapped(self, file: File, table: TableName) -> str:
        """What to say of a file whose lines are those of the other table."""
        if table == "qrels" and not self.is_certain(file, "qrels") and self.is_certain(file, "run"):
            return "; these are lines of a run, and judgements come before runs"
        fields = file.first_line.split()
        if table == "run" and len(fields) == 4 and "Q0" not in fields and self.is_certain(file, "qrels"):
            return "; these are lines of judgements, which come before runs"
        return ""

    def refuses_batches(self, file: File) -> str | None:
        """It does of judgements of a sample, which are few."""
        return "has judgements of a sample, which are not read in batches" if is_of_sample(file) else None

    def in_batches(self, file: File, table: TableName) -> Batched:
        """As `Format.in_batches`."""
        _refuse_printed(file, table)

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

        _refuse_printed(file, side)
        try:
            text = (file.content or file.path.read_bytes()).decode("utf-8-sig")
        except UnicodeDecodeError:
            return None
        lines = pl.Series("line", text.splitlines(), dtype=pl.String).str.strip_chars()
        fields = lines.filter((lines != "") & ~lines.str.starts_with("#")).str.extract_all(r"\S+")
        widths = fields.list.len().unique().to_list()
        forms = [form for form in _forms(side) if widths == [len(form)]]
        if len(forms) != 1 or VALUE_OF[side] not in forms[0]:
            return None
        rows = fields.to_frame("fields").select(
            query=pl.col("fields").list.get(0),
            item=pl.col("fields").list.get(forms[0].index("item")),
            text=pl.col("fields").list.get(forms[0].index(VALUE_OF[side])),
        )
        is_nan = pl.col("text").str.to_lowercase().str.strip_chars_start("+-") == "nan"
        numbers = pl.when(is_nan).then(float("nan")).otherwise(pl.col("text").cast(pl.Float64, strict=False))
        frame = rows.select("query", "item", numbers.alias(VALUE_OF[side]))
        return None if frame[VALUE_OF[side]].null_count() else frame


def _refuse_printed(file: File, table: TableName) -> None:
    """Refuses what ``trec_eval -q`` prints, which has the form of judgements: measure, query and value.

    It is looked for in files that begin with names of measures: a value of one of all queries together.
    """
    begun = (line.split() for line in file.head.splitlines()[:LOOKED_AT])
    measures = {name for name, *others in filter(None, begun) if len(others) == 2 and _is_measure(name)}
    if measures and any(name in measures and rest[:1] == [b"all"] for name, rest in _fields(file)):
        holds = {"qrels": "judgements", "run": "results of queries"}[table]
        raise FormatError(
            f"{file.where} has values of queries, as trec_eval -q prints them, and no {holds}: what compares "
            "such values is `rankmark compare-matrix` (rm.compare_matrix), which takes NAME=FILE of each one"
        )


def _fields(file: File) -> Iterator[tuple[bytes, list[bytes]]]:
    """The first field of each line, and the others."""
    for line in file.lines():
        name, *others = line.split() or [b""]
        yield name, others


def _is_measure(name: bytes) -> bool:
    from rankmark.language.given_measure import known_measure

    return known_measure(name.decode("utf-8", "replace")) is not None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


FILE_FORMATS = (Trec(),)
