"""trec_eval's command line: the lines that it prints, byte for byte.

It differs from `rankmark.evaluate` in what trec_eval decides by itself: queries come in the order of their
names, and their values are added up in that order; grades are whole numbers; a query without relevant items
counts 0; a query that cannot be evaluated ends it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankmark.aggregation.settled import LEAST_FACTOR
from rankmark.dataclassing import dataclass
from rankmark.peers.trec_arithmetic import Settings, grade_strings, values_of
from rankmark.peers.trec_deviations import Deviations
from rankmark.peers.trec_files import Files, as_bytes, with_results
from rankmark.peers.trec_groups import Groups
from rankmark.peers.trec_lists import Judged
from rankmark.peers.trec_plan import MEASURES, OF_GROUPS, Line, Plan, TrecEvalError
from rankmark.peers.trec_preferences import NOT_RETRIEVED, VALUES, PreferencesOfQuery

if TYPE_CHECKING:
    from rankmark.inputs import Input
    from rankmark.kinds.lists import Values

__all__ = ["Report", "evaluate", "evaluate_groups"]

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
        if self.deviations is not None and line.is_value:
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
        return b"%d" % value if line.adds_up and self.deviations is None else f"{value:6.4f}".encode()


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


def evaluate_groups(
    groups: Groups,
    results: Input,
    tag: bytes,
    plan: Plan,
    settings: Settings,
    deviations: Deviations | None = None,
) -> Report:
    """Evaluates a run by preferences, or by the judgements of several people, as trec_eval does.

    Args:
        groups: the judgements.
        results: the results.
        tag: the name of the run.
        plan: what to print.
        settings: which items and queries count.
        deviations: of each measure and query, if they are printed instead of values.

    Raises:
        TrecEvalError: a measure that cannot be computed of these grades.

    """
    # Items have numbers in the place of grades, by which it is known where each stands in its list. Of equal
    # scores trec_eval puts the lower item first here, and the higher one for judgements of several people.
    judged = Judged.of(
        with_results(groups.as_numbers(), results, tag), replace(settings, level=0, ties="item-asc")
    )
    queries, stop = judged.evaluated(with_lists=any(line.needs_lists for line in plan.lines))
    columns: dict[Line, Values] = {line: np.zeros(len(queries)) for line in plan.lines}
    of_preferences = [line for line in plan.lines if line.known.name in VALUES]
    for place, query in enumerate(queries if of_preferences else ()):
        try:
            seen = _preferences(groups, judged, query)
            for line in of_preferences:
                columns[line][place] = VALUES[line.known.name](seen)
        except TrecEvalError as error:
            queries, stop = queries[:place], error
            columns = {line: column[:place] for line, column in columns.items()}
            break
    names = [judged.names[query] for query in queries]
    columns |= _over_groups(plan, groups, names, lambda table: with_results(table, results, tag), settings)
    totals = {line: tag for line in plan.lines if line.known.name == "runid"}
    return Report(list(map(as_bytes, names)), columns, totals, stop, deviations)


def _preferences(groups: Groups, judged: Judged, query: int) -> PreferencesOfQuery:
    """The preferences of a query."""
    name, lists = judged.names[query], judged.lists
    rows = slice(*lists.offsets[query : query + 2])
    items = groups.items(name)
    ranks = np.full(len(items), NOT_RETRIEVED)
    ranks[lists.relevance[rows].astype(np.int64)] = lists.rank[rows]
    return PreferencesOfQuery.of(name, groups.of_query[name], items, ranks)


def _over_groups(
    plan: Plan, groups: Groups, names: Sequence[str], matched: Callable[[Input], Files], settings: Settings
) -> Mapping[Line, Values]:
    """What lines show for each query that are means over groups."""
    lines = {
        line: replace(line, known=MEASURES[OF_GROUPS[line.known.name]])
        for line in plan.lines
        if line.known.name in OF_GROUPS
    }
    totals = {line: dict.fromkeys(names, 0.0) for line in lines}
    for table in groups.each() if lines else ():
        judged = Judged.of(matched(table), settings)
        for line, plain in lines.items():
            values = values_of(plain, judged.seen_by(plain), judged.settings_of(plain))
            for name, value in zip(judged.names, values.tolist(), strict=True):
                if name in totals[line]:
                    totals[line][name] += value
    several = [len(groups.of_query[name]) for name in names]
    return {line: np.array(list(total.values())) / several for line, total in totals.items()}


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
    if line.adds_up:
        return total
    return math.exp(total / len(values)) if geometric else total / len(values)
