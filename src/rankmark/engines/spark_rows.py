"""What the executors of a Spark cluster do with labelled scores: blocks of rows, and what these come to.

Sums need rows in no order. Measures of each query need those of a query together, and AUC those of a range of
scores: then a pair of rows is in one block, or its order is that of the blocks.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, cast

import numpy as np

from rankmark import _native
from rankmark.engines.spark import blocks, threads, told, wrong_rows
from rankmark.engines.tally import Fault, add_faults, exact, faults_from, total
from rankmark.rows import PerQuery, Rows

if TYPE_CHECKING:
    import pyarrow as pa

    from rankmark.inputs.predictions import PredictionColumns
    from rankmark.measure import Measure

__all__ = ["NotMergedError", "QueryTally", "Range", "RowTally", "RowTask", "merged_rows"]

Range: TypeAlias = tuple[float, float, float, float]
LABELS = 6
"""Different labels kept: more than a message shows."""


@dataclass(slots=True)
class QueryTally:
    """What a measure of each query comes to in some of the queries; attributes as of `RowMeasureCounts`.

    Attributes:
        weights: a few numbers whose exact sum is that of the queries' weights.
        values: the same of the weights times the values.

    """

    weights: list[float]
    values: list[float]
    averaged: int
    skipped: int
    skipped_rows: int
    why_skipped: str

    def add(self, other: QueryTally) -> None:
        """Takes in the queries of another part."""
        self.weights += other.weights
        self.values += other.values
        self.averaged += other.averaged
        self.skipped += other.skipped
        self.skipped_rows += other.skipped_rows


@dataclass(slots=True)
class RowTally:
    """What some of the rows come to.

    Attributes:
        rows: how many there are.
        labels: some of the different labels.
        improbable: number of scores outside of 0 to 1.
        shown_improbable: the least of these.
        sums: the sums of the core by their names; each as numbers that add up to it.
        ranges: of each range of scores the least score, the weight of its positive rows, that of the others,
            and `Ranked.pairs`.
        queries: what the measures of each query come to, by their canonical names.
        faults: what cannot be evaluated, by a name of its own.

    """

    rows: int = 0
    labels: list[float] = field(default_factory=list)
    improbable: int = 0
    shown_improbable: float = math.inf
    sums: dict[str, list[list[float]]] = field(default_factory=dict)
    ranges: list[Range] = field(default_factory=list)
    queries: dict[str, QueryTally] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)

    def add(self, other: RowTally) -> None:
        """Takes in the rows of another part."""
        self.rows += other.rows
        self.labels = sorted({*self.labels, *other.labels})[:LABELS]
        self.improbable += other.improbable
        self.shown_improbable = min(self.shown_improbable, other.shown_improbable)
        for name, parts in other.sums.items():
            known = self.sums.setdefault(name, [[] for _ in parts])
            self.sums[name] = [[*one, *two] for one, two in zip(known, parts, strict=True)]
        self.ranges += other.ranges
        for name, query in other.queries.items():
            if name in self.queries:
                self.queries[name].add(query)
            else:
                self.queries[name] = query
        add_faults(self.faults, other.faults)

    def to_json(self) -> str:
        """As text, to be sent."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> RowTally:
        """A tally that was sent."""
        sent: dict[str, Any] = json.loads(text)
        sent["queries"] = {name: QueryTally(**each) for name, each in sent["queries"].items()}
        sent["faults"] = faults_from(sent["faults"])
        sent["ranges"] = [tuple(each) for each in sent["ranges"]]
        return RowTally(**sent)


@dataclass(frozen=True, slots=True)
class RowTask:
    """What every executor is told.

    Attributes:
        columns: the columns' names, for messages.
        positive: the label of positive rows.
        measures: those that are a value of each query.
        clips: the `clip` of every measure that has one.

    """

    columns: PredictionColumns
    positive: float
    measures: tuple[Measure, ...]
    clips: tuple[float, ...]

    def sums(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What the rows of a partition add up to, in any order."""
        return told(lambda: self._tally(blocks(batches, None), self._sums))

    def ranges(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What ranges of scores come to; the rows are sorted by score."""
        return told(lambda: self._tally(blocks(batches), self._range))

    def queries(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """What queries come to; the rows are sorted by the hash of the query."""
        return told(lambda: self._tally(blocks(batches), self._queries))

    def per_query(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A row a query: its id, and the value of each measure, null where it has none."""
        import pyarrow as pa

        for block in blocks(batches):
            for _, fault in sorted(self._faults(block).items()):
                raise fault.error()
            rows = self._rows(block)
            values = {
                str(m): pa.array(self._compute(m, rows).values, from_pandas=True) for m in self.measures
            }
            query = block["query"].take(pa.array(rows.of_queries.first_rows)).combine_chunks()
            yield pa.RecordBatch.from_pydict({"query": query, **values})

    def _tally(self, parts: Iterable[pa.Table], of: Callable[[pa.Table], RowTally]) -> str:
        whole = RowTally()
        for block in parts:
            faults = self._faults(block)
            whole.add(RowTally(block.num_rows, faults=faults) if faults else of(block))
        return whole.to_json()

    def _sums(self, block: pa.Table) -> RowTally:
        import pyarrow.compute as pc

        core = self._core(block)
        sums: dict[str, tuple[float, ...]] = {"binary": core.binary_sums(), "numbers": core.number_sums()}
        sums |= {f"log_loss {clip!r}": (core.log_loss(clip),) for clip in self.clips}
        score = block["score"]
        improbable = score.filter(pc.or_(pc.less(score, 0), pc.greater(score, 1)))
        return RowTally(
            rows=block.num_rows,
            labels=sorted(pc.unique(block["label"]).to_pylist())[:LABELS],
            improbable=len(improbable),
            shown_improbable=pc.min(improbable).as_py() if len(improbable) else math.inf,
            sums={name: [[part] for part in parts] for name, parts in sums.items()},
        )

    def _range(self, block: pa.Table) -> RowTally:
        import pyarrow.compute as pc

        ranked = self._core(block).ranked()
        return RowTally(ranges=[(pc.min(block["score"]).as_py(), *ranked.totals(), ranked.pairs())])

    def _queries(self, block: pa.Table) -> RowTally:
        rows = self._rows(block)
        tally = RowTally(rows=block.num_rows)
        for measure in self.measures:
            each = self._compute(measure, rows)
            there = ~np.isnan(each.values)
            weights = each.weights[there]
            averaged = int(np.count_nonzero(there))
            tally.queries[str(measure)] = QueryTally(
                exact(weights),
                exact(weights * each.values[there]),
                averaged,
                len(there) - averaged,
                int(rows.of_queries.rows[~there].sum()),
                each.skipped,
            )
        return tally

    def _compute(self, measure: Measure, rows: Rows) -> PerQuery:
        value = measure.compute_rows(rows)
        assert isinstance(value, PerQuery)
        return value

    def _rows(self, block: pa.Table) -> Rows:
        return Rows(self._core(block), block.num_rows, "query")

    def _core(self, block: pa.Table) -> _native.LabelledRows:
        return _native.LabelledRows(
            _native.Table.from_arrow(block),
            "predictions",
            "label",
            "score",
            None if self.columns.weight is None else "weight",
            positive=self.positive,
            threads=threads(),
        )

    def _faults(self, block: pa.Table) -> dict[str, Fault]:
        """Nulls, and numbers that are none."""
        import pyarrow.compute as pc

        faults = {}
        for role in ("query", "label", "score", "weight"):
            column = getattr(self.columns, role)
            if column is None or role not in block.column_names:
                continue
            values = block[role]
            wrong = {"null": (pc.is_null(values), "null", "nulls")}
            if role == "score":
                wrong["number"] = (pc.is_nan(values), "NaN value", "NaN values")
            elif role == "label":
                kind = "NaN or infinite value"
                wrong["number"] = (pc.invert(pc.is_finite(values)), kind, f"{kind}s")
            elif role == "weight":
                bad = pc.or_(pc.invert(pc.is_finite(values)), pc.less(values, 0))
                wrong["number"] = (bad, "value that is NaN, infinite or negative",
                                   "values that are NaN, infinite or negative")  # fmt: skip
            before = f"predictions: the {role} column {column!r} has"
            for name, (which, one, several) in wrong.items():
                rows = wrong_rows(block, which)
                if rows.count:
                    fault = Fault(before, one, several, "correct or remove those rows", rows)
                    faults[f"{role} {name}"] = fault
        return faults


def merged_rows(tally: RowTally, ranges: Callable[[], list[Range]]) -> Rows:
    """All rows as measures see them, by what they come to; `ranges` gives `RowTally.ranges` if needed."""
    return Rows(cast("_native.LabelledRows", _Merged(tally, ranges)), tally.rows, None)


class _Merged:
    """What all executors came to, in the place of the rows in the core, of which `Rows` asks it."""

    def __init__(self, tally: RowTally, ranges: Callable[[], list[Range]]) -> None:
        self._sums = {name: tuple(map(total, parts)) for name, parts in tally.sums.items()}
        self._ranges = ranges

    def binary_sums(self) -> tuple[float, ...]:
        """As of the core."""
        return self._sums["binary"]

    def number_sums(self) -> tuple[float, ...]:
        """As of the core."""
        return self._sums["numbers"]

    def log_loss(self, clip: float) -> float:
        """As of the core."""
        return self._sums[f"log_loss {clip!r}"][0]

    def ranked(self) -> _MergedRanges:
        """The rows by falling score."""
        return _MergedRanges(self._ranges())

    def __getattr__(self, name: str) -> NoReturn:
        raise NotMergedError


class NotMergedError(Exception):
    """A measure looks at more of the rows than what the executors send."""


class _MergedRanges:
    """Ranges of scores, in the place of all rows by falling score; of them alone `pairs` is known."""

    def __init__(self, ranges: list[Range]) -> None:
        _, self._positive, self._negative, self._pairs = zip(*sorted(ranges, reverse=True), strict=True)

    def totals(self) -> tuple[float, float]:
        """Weight of the positive rows, and of the others."""
        return total(self._positive), total(self._negative)

    def pairs(self) -> float:
        """Those within each range, and those of a positive row and another in a lower range."""
        above = np.cumsum(self._positive) - self._positive
        return total([*self._pairs, *(above * self._negative).tolist()])

    def __getattr__(self, name: str) -> NoReturn:
        raise NotMergedError
