"""What the executors of a Spark cluster do with labelled scores: blocks of rows, and what these come to.

Sums need rows in no order. Measures of each query need those of a query together, and AUC those of a range of
scores: then a pair of rows is in one block, or its order is that of the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankmark import _native
from rankmark.aggregation.refusals import Fault, raise_faults
from rankmark.aggregation.row_tally import LABELS, QueryTally, RowTally, sums_of
from rankmark.aggregation.settled_rows import QueryValues
from rankmark.dataclassing import dataclass
from rankmark.engines.spark import threads, told
from rankmark.engines.spark_faults import wrong_rows
from rankmark.engines.spark_parcels import blocks
from rankmark.inputs.predictions.columns import WEIGHING
from rankmark.kinds.row_core import ByQuery, InMemory, Sum
from rankmark.kinds.rows import PerQuery, Rows

if TYPE_CHECKING:
    import pyarrow as pa

    from rankmark.inputs.predictions.columns import PredictionColumns
    from rankmark.language.measure import Measure

__all__ = ["RowTask"]

ROLE = "rankmark:"
"""Before the role of a column in the core."""


@dataclass(frozen=True, slots=True)
class RowTask:
    """What every executor is told.

    Attributes:
        columns: the columns' names, for messages.
        positive: the label of positive rows.
        measures: those that are a value of each query.
        asked: the sums that the other measures look at.

    """

    columns: PredictionColumns
    positive: float
    measures: tuple[Measure, ...]
    asked: tuple[Sum, ...]

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
            raise_faults(self._faults(block))
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

        score = block["score"]
        improbable = score.filter(pc.or_(pc.less(score, 0), pc.greater(score, 1)))
        return RowTally(
            rows=block.num_rows,
            labels=sorted(pc.unique(block["label"]).to_pylist())[:LABELS],
            improbable=len(improbable),
            shown_improbable=pc.min(improbable).as_py() if len(improbable) else math.inf,
            sums=sums_of(self._core(block), self.asked),
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
            tally.queries[str(measure)] = QueryTally.of(QueryValues(each, rows.of_queries.rows))
        return tally

    def _compute(self, measure: Measure, rows: Rows) -> PerQuery:
        value = measure.compute_rows(rows)
        assert isinstance(value, PerQuery)
        return value

    def _rows(self, block: pa.Table) -> Rows:
        return Rows(self._core(block), block.num_rows, ROLE + "query")

    def _core(self, block: pa.Table) -> InMemory:
        # Measures know the columns that they name by their names, which may be those of roles.
        own = [n.removeprefix(WEIGHING) if n.startswith(WEIGHING) else ROLE + n for n in block.column_names]
        table = _native.Table.from_arrow(block.rename_columns(own))
        label, score = ROLE + "label", ROLE + "score"
        weight = None if self.columns.weight is None else ROLE + "weight"
        rows = _native.LabelledRows(
            table, "predictions", label, score, weight, positive=self.positive, threads=threads()
        )
        return InMemory(rows, lambda query: ByQuery.of(table, query, label, score, weight))

    def _faults(self, block: pa.Table) -> dict[str, Fault]:
        """Nulls, and numbers that are none."""
        faults = {}
        roles = [(role, role, getattr(self.columns, role)) for role in ("query", "label", "score", "weight")]
        weighing = [("weight", WEIGHING + name, name) for name in self.columns.weighing]
        for role, place, column in [*roles, *weighing]:
            if column is None or place not in block.column_names:
                continue
            before = f"predictions: the {role} column {column!r} has"
            for name, (which, one, several) in _wrong(role, block[place]).items():
                rows = wrong_rows(block, which)
                if rows.count:
                    fault = Fault(before, one, several, "correct or remove those rows", rows)
                    faults[f"{place} {name}"] = fault
        return faults


def _wrong(role: str, values: Any) -> dict[str, tuple[Any, str, str]]:
    """Which values cannot be evaluated in a column of this role, and what one and several of them are."""
    import pyarrow.compute as pc

    wrong = {"null": (pc.is_null(values), "null", "nulls")}
    if role == "score":
        wrong["number"] = (pc.is_nan(values), "NaN value", "NaN values")
    elif role == "label":
        kind = "NaN or infinite value"
        wrong["number"] = (pc.invert(pc.is_finite(values)), kind, f"{kind}s")
    elif role == "weight":
        bad = pc.or_(pc.invert(pc.is_finite(values)), pc.less(values, 0))
        kind = "NaN, infinite or negative"
        wrong["number"] = (bad, f"value that is {kind}", f"values that are {kind}")
    return wrong
