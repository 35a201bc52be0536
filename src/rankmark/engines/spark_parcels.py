"""Rows of a Spark cluster on their way from one executor to another.

Spark moves rows one by one, and each takes it time. Those of a part of the queries go together here: in a few
rows of Spark's, parcels, with the values of each column one after another as bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from rankmark.aggregation.tally import Tally
from rankmark.dataclassing import dataclass
from rankmark.engines.spark_faults import wrong_values
from rankmark.inputs.tables.spark_frames import PARTS, FrameNames, Types

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray
    from pyspark.sql import DataFrame

__all__ = [
    "BLOCK_ROWS",
    "MOST_OF_A_BATCH",
    "NARROW",
    "OF_RESULTS",
    "Opened",
    "Parcels",
    "blocks",
    "columns_of",
    "narrowed",
    "parts_of",
    "runs",
    "said_types",
    "sides_of",
    "widened",
    "with_nulls",
]

BLOCK_ROWS = 1 << 19
"""Rows evaluated at once, and then those of the query, or of the part, that goes on."""

MOST_OF_A_BATCH = 10_000
"""Rows of Spark's in an Arrow batch at the most: as many as Spark has where nobody says a number."""
PARCEL_ROWS = 1 << 14
"""Rows in a parcel at the most: numbers of a full batch then take less than 2 GiB, as Arrow needs."""

WIDE: dict[str, type[Any]] = {"integer": np.int64, "number": np.float64}
NARROW: dict[str, type[Any]] = {"integer": np.int32, "number": np.float32}
"""What numbers are sent as where it has all of their values."""
OF_RESULTS = ("query", "item", "value")
"""The columns that results have; judgements may have more."""

Content = Literal["results", "judgements", "evaluated"]
"""What rows are; of queries that are evaluated already there is one row each, with the id."""
CONTENTS: tuple[Content, ...] = get_args(Content)
OF: dict[Content, tuple[str, ...]] = {"results": OF_RESULTS, "evaluated": ("query",)}
"""The columns that rows have, where it is not all."""
COLUMNS_START = 2
"""The first bit of a layout that says how a column is; those below say which of the contents the rows are."""


@dataclass(frozen=True, slots=True)
class Opened:
    """What is in the parcels of some parts.

    Attributes:
        parts: the numbers of the parts.
        tallies: of rows that were not sent.
        results: the results.
        judgements: the judgements.
        evaluated: the queries that are evaluated already, in tallies.

    """

    parts: list[int]
    tallies: list[Tally]
    results: pa.Table
    judgements: pa.Table
    evaluated: pa.Table


@dataclass(frozen=True, slots=True)
class Parcels:
    """How rows are sent.

    Attributes:
        columns: the columns of the rows, and whether each holds an ``integer``, a ``number`` or a ``string``.
        qrels: what the columns of the judgements are called; None where there are none.
        run: what those of the results are.

    """

    columns: tuple[tuple[str, str], ...]
    qrels: FrameNames | None
    run: FrameNames

    @property
    def schema(self) -> str:
        """The columns of parcels, as Spark has them said: see `types`."""
        return said_types(self.types)

    @property
    def types(self) -> dict[str, str]:
        """What Spark calls the types of the columns of parcels.

        One has so many ``rows`` of a ``part``. Its ``layout`` says by the lowest bits what they are, and by
        the next ones which columns are narrow. Or it has a ``tally`` of rows that are not sent.
        """
        numbers = dict.fromkeys(("part", "rows", "layout"), "int")
        return {**numbers, "tally": "string", **dict.fromkeys(self._content, "binary")}

    @property
    def _content(self) -> list[str]:
        """The columns that hold values; texts have a second one with how long each is."""
        names = (_of_texts(name) if kind == "string" else (name,) for name, kind in self.columns)
        return [name for each in names for name in each]

    def judgements(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parcels of those of a partition."""
        assert self.qrels is not None
        for block in blocks(batches, None):
            yield self.wrong(self.qrels, block) or self.packed("judgements", block)

    def results(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Parcels of those of a partition."""
        for block in blocks(batches, None):
            yield self.wrong(self.run, block) or self.packed("results", block)

    def wrong(self, names: FrameNames, block: pa.Table) -> pa.RecordBatch | None:
        """A parcel with what is wrong in rows, instead of them, if anything is."""
        faults = wrong_values(names, block)
        return self.of(Tally(faults=faults, **{f"{names.side}_rows": block.num_rows})) if faults else None

    def of(self, tally: Tally) -> pa.RecordBatch:
        """A parcel with a tally."""
        import pyarrow as pa

        nothing = np.zeros(1, dtype=np.int64)
        return self._parcels(nothing, nothing, 0, {"tally": pa.array([tally.to_json()])})

    def packed(self, what: Content, block: pa.Table) -> pa.RecordBatch:
        """A parcel or more for each part that the rows are of."""
        part = parts_of(block)
        rows = np.bincount(part, minlength=PARTS)
        parts = np.flatnonzero(rows)
        parts, rows = _divided(parts, rows[parts])
        order = np.argsort(part, kind="stable")  # which sorts numbers as short as these by their digits
        layout = CONTENTS.index(what)
        content: dict[str, Any] = {}
        for bit, (name, kind) in enumerate(self.columns, COLUMNS_START):
            if name not in block.column_names:
                continue
            if kind == "string":
                texts = block[name].combine_chunks().take(order)
                content |= zip(_of_texts(name), _pieces_of_texts(texts, np.cumsum(rows)), strict=True)
            else:
                values, is_narrow = narrowed(block[name].to_numpy(), kind)
                content[name] = _pieces(values[order], np.cumsum(rows) * values.itemsize)
                layout |= is_narrow << bit
        return self._parcels(parts, rows, layout, content)

    def _parcels(
        self, parts: NDArray[Any], rows: NDArray[Any], layout: int, content: Mapping[str, Any]
    ) -> pa.RecordBatch:
        import pyarrow as pa

        numbers = {"part": parts, "rows": rows, "layout": np.full(len(parts), layout)}
        columns = {name: pa.array(values.astype(np.int32)) for name, values in numbers.items()}
        return with_nulls({**columns, **content}, self.types)

    def opened(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Opened]:
        """What is in parcels, some parts at a time, by which the batches are sorted."""
        import pyarrow as pa
        import pyarrow.compute as pc

        for block in blocks(batches, "part", "rows"):
            tallies = [Tally.from_json(each) for each in block["tally"].drop_null().to_pylist()]
            found: dict[Content, list[pa.Table]] = {what: [] for what in CONTENTS}
            for layout in pc.unique(block["layout"]).to_pylist():
                alike = block.filter(pc.equal(block["layout"], layout))
                found[CONTENTS[layout % (1 << COLUMNS_START)]].append(self._unpacked(layout, alike))
            tables = {
                what: pa.concat_tables(rows or [self._unpacked(CONTENTS.index(what), block[:0])])
                for what, rows in found.items()
            }
            yield Opened(pc.unique(block["part"]).to_pylist(), tallies, **tables)

    def _unpacked(self, layout: int, parcels: pa.Table) -> pa.Table:
        """The rows of parcels that are alike."""
        import pyarrow as pa

        what = CONTENTS[layout % (1 << COLUMNS_START)]
        columns = {}
        for bit, (name, kind) in enumerate(self.columns, COLUMNS_START):
            if what != "judgements" and name not in OF[what]:
                continue
            if kind == "string":
                both = (parcels[each].chunks for each in _of_texts(name))
                columns[name] = pa.chunked_array(
                    [_texts(*pieces) for pieces in zip(*both, strict=True)], "string"
                )
            else:
                sent, wide = (NARROW if layout >> bit & 1 else WIDE)[kind], WIDE[kind]
                chunks = [np.frombuffer(_borders(pieces)[1], sent) for pieces in parcels[name].chunks]
                columns[name] = pa.chunked_array(
                    [each.astype(wide, copy=False) for each in chunks], pa.from_numpy_dtype(wide)
                )
        return pa.table(columns)


def columns_of(rows: DataFrame) -> tuple[tuple[str, str], ...]:
    """The columns of `Parcels`, of a table as it is."""
    types = Types(rows)
    numbers = dict.fromkeys(("value", "aspect_weight"), "number")
    return tuple((name, numbers.get(name) or types.kind(name)) for name in rows.columns if name != "part")


def said_types(types: Mapping[str, str]) -> str:
    """The types of columns as Spark has them said."""
    return ", ".join(f"{name} {kind}" for name, kind in types.items())


def with_nulls(columns: Mapping[str, Any], types: Mapping[str, str]) -> pa.RecordBatch:
    """Columns of these types, as Spark calls them; without values where there are none of that name."""
    import pyarrow as pa

    kinds = {"int": pa.int32(), "string": pa.string(), "binary": pa.binary()}
    rows = len(next(iter(columns.values())))
    return pa.RecordBatch.from_pydict(
        {
            name: columns[name] if name in columns else pa.nulls(rows, kinds[kind])
            for name, kind in types.items()
        }
    )


def blocks(
    batches: Iterable[pa.RecordBatch], key: str | None = "key", rows: str | None = None
) -> Iterator[pa.Table]:
    """Batches in tables of `BLOCK_ROWS` rows, and then those with the same number in the column `key`.

    The numbers rise; without a key batches are cut anywhere. A row counts as many as the column `rows` says.
    """
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    count, last = 0, None
    for batch in batches:
        while batch.num_rows:
            ends = np.cumsum(batch.column(rows)) if rows else np.arange(1, batch.num_rows + 1)
            keys = None if key is None else batch.column(key).to_numpy()
            end = _end(ends, keys, count, last)
            held.append(batch[:end])
            if end == batch.num_rows:  # and what follows may go on with the last key
                count += int(ends[-1])
                last = None if keys is None else keys[-1]
                break
            yield pa.Table.from_batches(held)
            held, count, batch = [], 0, batch[end:]
    if held:
        yield pa.Table.from_batches(held)


def _end(ends: NDArray[Any], keys: NDArray[Any] | None, held: int, last: Any) -> int:
    """At which row of a batch a table ends of which so many rows are held, with this key last."""
    if held < BLOCK_ROWS:
        row = int(np.searchsorted(ends, BLOCK_ROWS - held))
        if row >= len(ends) - 1 or keys is None:
            return min(row + 1, len(ends))
        last = keys[row]
    return 0 if keys is None else int(np.searchsorted(keys, last, side="right"))


def sides_of(block: pa.Table) -> tuple[pa.Table, pa.Table]:
    """The judgements and the results of rows that came as they are."""
    import pyarrow.compute as pc

    judged = block["judged"]
    return block.filter(judged), block.filter(pc.invert(judged))


def _of_texts(name: str) -> tuple[str, str]:
    """What the columns of texts are called: they, and how many bytes each has."""
    return name, f"{name}_lengths"


def parts_of(block: pa.Table) -> NDArray[np.int16]:
    """The part that each row is of: of integers by the highest bits of a product (D. Knuth, 1973, 6.4)."""
    if "part" in block.column_names:
        part: NDArray[np.int16] = block["part"].to_numpy()
        return part
    spread = block["query"].to_numpy().astype(np.int64).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    numbers: NDArray[np.int16] = (spread >> np.uint64(64 - PARTS.bit_length() + 1)).astype(np.int16)
    return numbers


def _divided(parts: NDArray[Any], rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The part of each parcel, and its rows, of parts with so many rows."""
    parcels = -(-rows // PARCEL_ROWS)
    of_each = np.full(parcels.sum(), PARCEL_ROWS)
    of_each[np.cumsum(parcels) - 1] = rows - (parcels - 1) * PARCEL_ROWS
    return np.repeat(parts, parcels), of_each


def narrowed(values: NDArray[Any], kind: str) -> tuple[NDArray[Any], bool]:
    """Numbers in as few bytes as have all of their values, and whether these are fewer."""
    with np.errstate(over="ignore"):
        fewer = values.astype(NARROW[kind], copy=False)
    return (fewer, True) if np.array_equal(fewer, values) else (values.astype(WIDE[kind], copy=False), False)


def runs(rows: pa.Table) -> tuple[pa.Array, Any]:
    """The queries in their order, and where each ends."""
    import pyarrow.compute as pc

    runs = pc.run_end_encode(rows["query"].combine_chunks())
    return runs.values, np.asarray(runs.run_ends)


def widened(rows: pa.Table, columns: Iterable[tuple[str, str]]) -> pa.Table:
    """The same in the types that all rows have in the core."""
    import pyarrow as pa

    types = {"integer": pa.int64(), "number": pa.float64(), "string": pa.string()}
    return pa.table(
        {name: rows[name].cast(types[kind]) for name, kind in columns if name in rows.column_names}
    )


def _pieces(values: Any, ends: NDArray[Any]) -> pa.Array:
    """What lies in memory together, cut after so many bytes."""
    import pyarrow as pa

    borders = np.concatenate(([0], ends)).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), len(ends), [None, pa.py_buffer(borders), pa.py_buffer(values)])


def _pieces_of_texts(texts: pa.Array, ends: NDArray[Any]) -> tuple[pa.Array, pa.Array]:
    """The bytes of all texts, and how many each has, cut after so many texts."""
    borders, content = _borders(texts)
    lengths = np.diff(borders).astype(np.int32)
    return _pieces(content, borders[ends] - borders[0]), _pieces(lengths, ends * lengths.itemsize)


def _borders(array: pa.Array) -> tuple[NDArray[Any], pa.Buffer]:
    """Where each of some texts or pieces begins, and the last one ends, in the bytes of all; and these."""
    import pyarrow as pa

    if not len(array):
        return np.zeros(1, dtype=np.int32), pa.py_buffer(b"")
    _, borders, content = array.buffers()
    is_large = pa.types.is_large_binary(array.type) or pa.types.is_large_string(array.type)
    places = np.frombuffer(borders, np.int64 if is_large else np.int32)[array.offset :][: len(array) + 1]
    return places - places[0], content[int(places[0]) : int(places[-1])]


def _texts(pieces: pa.Array, lengths: pa.Array) -> pa.Array:
    """The texts in all pieces."""
    import pyarrow as pa

    each = np.frombuffer(_borders(lengths)[1], dtype=np.int32)
    borders = np.concatenate(([0], np.cumsum(each))).astype(np.int32)
    return pa.Array.from_buffers(pa.string(), len(each), [None, pa.py_buffer(borders), _borders(pieces)[1]])
