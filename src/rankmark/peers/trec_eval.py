"""trec_eval's command line: the lines that it prints, byte for byte.

It differs from `rankmark.evaluate` in what trec_eval decides by itself: queries come in the order of their
names, and their values are added up in that order; grades are whole numbers; a query without relevant items
counts 0; a query that cannot be evaluated ends it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankmark.aggregation.settled import LEAST_FACTOR
from rankmark.peers.trec_arithmetic import Settings, grade_strings, values_of
from rankmark.peers.trec_deviations import Deviations
from rankmark.peers.trec_files import Files, as_bytes
from rankmark.peers.trec_lists import Judged
from rankmark.peers.trec_plan import Line, Plan, TrecEvalError

if TYPE_CHECKING:
    from rankmark.kinds.lists import Values

__all__ = ["Report", "evaluate"]

QUERIES_A_BLOCK = 1000
NO_DEVIATION = -1000000.0
"""What stands in the place of a deviation where no mean is known."""


@dataclass(frozen=True, slots=True)
class Report:
    """What is printed.

    Attributes:
        queries: the queries evaluated, in trec_eval's order, as bytes.
        columns: for each line its value for each query; of lines without numbers the text.
        totals: for lines that do not add up their values, what stands there for all queries.
        stop: what keeps the query after these from being evaluated, if there is one.
        deviations: of each measure and query; None where the values themselves are printed.

    """

    queries: Sequence[bytes]
    columns: Mapping[Line, Values | Sequence[str]]
    totals: Mapping[Line, bytes | int]
    stop: TrecEvalError | None = None
    deviations: Deviations | None = None

    def blocks(self, *, per_query: bool, summary: bool) -> Iterator[bytes]:
        """The lines, in blocks of many: those of each query, and those of all.

        Raises:
            TrecEvalError: a query cannot be evaluated; the lines of those before it have been given.

        """
        shown = {line: self._shown(line) for line in self.columns if line.of_each_query}
        for start in range(0, len(self.queries) if per_query else 0, QUERIES_A_BLOCK):
            block = range(start, min(start + QUERIES_A_BLOCK, len(self.queries)))
            yield b"".join(
                self._text(line, self.queries[query], texts[query])
                for query in block
                for line, texts in shown.items()
            )
        if self.stop is not None:
            raise self.stop
        if summary:
            lines = (line for line in self.columns if line.of_all)
            yield b"".join(self._text(line, b"all", self._of_all(line)) for line in lines)

    def _text(self, line: Line, query: bytes, value: bytes) -> bytes:
        name = line.name
        if self.deviations is not None and line.measure is not None:
            name = f"Z{name:<22}"
        return b"%-22b\t%b\t%b\n" % (name.encode(errors="surrogateescape"), query, value)

    def _shown(self, line: Line) -> Sequence[bytes]:
        return [self._written(line, value) for value in self._values(line)]

    def _values(self, line: Line) -> Values | Sequence[str]:
        """The values of a line, or how far they deviate."""
        column = self.columns[line]
        if self.deviations is None or not isinstance(column, np.ndarray):
            return column
        known = [self.deviations.get((query, line.name)) for query in self.queries]
        each = [
            NO_DEVIATION if found is None or not found[1] else (value - found[0]) / found[1]
            for value, found in zip(column, known, strict=True)
        ]
        return np.array(each, dtype=np.float64)

    def _of_all(self, line: Line) -> bytes:
        total = self.totals.get(line)
        if isinstance(total, bytes):
            return total
        if total is not None:
            return self._written(line, total)
        values = self._values(line)
        assert isinstance(values, np.ndarray)  # lines of text are not of all queries
        return self._written(line, _total(line, values))

    def _written(self, line: Line, value: float | str) -> bytes:
        if isinstance(value, str):
            return value.encode()
        if math.isnan(value):
            return b"  -nan"
        counts = line.measure is not None and line.measure.page.aggregate == "sum" and self.deviations is None
        return b"%d" % value if counts else f"{value:6.4f}".encode()


def evaluate(files: Files, plan: Plan, settings: Settings, deviations: Deviations | None = None) -> Report:
    """Evaluates a run as trec_eval does.

    Args:
        files: judgements and results.
        plan: what to print.
        settings: which items and queries count.
        deviations: of each measure and query, if they are printed instead of values.

    Raises:
        TrecEvalError: a measure that cannot be computed of these grades, or lacks the size of the collection.

    """
    judged = Judged.of(files, settings)
    queries, stop = judged.evaluated(with_lists=any(line.needs_lists for line in plan.lines))
    columns = {line: _column(line, judged, queries) for line in plan.lines}
    totals: dict[Line, bytes | int] = {line: files.tag for line in plan.lines if line.known.name == "runid"}
    if settings.complete:
        # With -c trec_eval counts relevant items without regard to -l.
        relevant = int(judged.lists.relevant(1)[list(queries)].sum())
        totals |= {line: relevant for line in plan.lines if line.known.name == "num_rel"}
    return Report([as_bytes(judged.names[query]) for query in queries], columns, totals, stop, deviations)


def _column(line: Line, judged: Judged, queries: Sequence[int]) -> Values | Sequence[str]:
    """What a line shows for each query."""
    lists = judged.seen_by(line)
    if line.known.name == "relstring":
        texts = grade_strings(lists, int(line.numbers[0]))
        return [texts[query] for query in queries]
    if line.measure is None:
        return np.zeros(len(queries))
    return values_of(line, lists, judged.settings_of(line))[list(queries)]


def _total(line: Line, values: Values) -> float:
    """One value for all queries."""
    geometric = line.measure is not None and line.measure.mean == "geometric"
    parts = np.log(np.maximum(values, LEAST_FACTOR)) if geometric else values
    # Added one after another, because an exact sum can round to another last digit.
    total = float(np.cumsum(parts)[-1])
    if line.known.name == "num_q":
        return len(values)
    if line.measure is not None and line.measure.page.aggregate == "sum":
        return total
    return math.exp(total / len(values)) if geometric else total / len(values)
