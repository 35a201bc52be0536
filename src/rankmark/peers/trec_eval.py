"""trec_eval's command line: the lines that it prints, byte for byte.

It differs from `rankmark.evaluate` in what trec_eval decides by itself: queries come in the order of their
names, and their values are added up in that order; grades are whole numbers; a query without relevant items
counts 0. What trec_eval would misread without a word is refused here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.aggregation.settled import LEAST_FACTOR, check_answered
from rankmark.engines import local
from rankmark.errors import DataError, MeasureError, did_you_mean
from rankmark.inputs import read_inputs, run_tag, with_text_items
from rankmark.kinds.lists import JudgedLists
from rankmark.language.choices import Choices
from rankmark.language.conventions.trec_table import TREC_MEASURES, TrecMeasure, numbers, split_name
from rankmark.language.measure import Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.lists import Values

__all__ = ["Line", "Report", "evaluate", "plan"]

NAMES = [known.name for known in TREC_MEASURES]
NICKNAMES = {
    "official": NAMES[: NAMES.index("P") + 1],
    "set": [
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility",
        "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    ],
    "all_trec": NAMES,
}  # fmt: skip
"""Several measures under one name."""

NOT_FROM_QRELS = ("prefs", "all_prefs", "qrels_jg", "all_qrels_jg")
"""How the names of measures begin that need files of preferences, or judgements of several people."""

RELSTRING_LENGTH = 10
QUERIES_A_BLOCK = 1000


@dataclass(frozen=True, slots=True)
class Line:
    """One line of what is printed for a query, or for all.

    Attributes:
        name: what stands at its beginning.
        known: the measure of trec_eval.
        measure: what it is here; None where the line shows no number.
        length: of relstring, how many items it shows.

    """

    name: str
    known: TrecMeasure
    measure: Measure | None = None
    length: int = RELSTRING_LENGTH

    @property
    def of_each_query(self) -> bool:
        """Whether it is printed for each query."""
        geometric = self.measure is not None and self.measure.mean == "geometric"
        return self.known.name not in ("runid", "num_q") and not geometric

    @property
    def of_all(self) -> bool:
        """Whether it is printed for all queries together."""
        return self.known.name != "relstring"

    def text(self, query: str, value: str) -> str:
        """The line."""
        return f"{self.name:<22}\t{query}\t{value}\n"


def plan(asked: Sequence[str], *, level: int = 1, items: int = 0) -> list[Line]:
    """The lines that trec_eval prints for what follows its -m, in its order.

    Args:
        asked: names with parameters, such as ``P.5,10``, and nicknames; the official measures if empty.
        level: the least grade that counts as relevant.
        items: the number of items in the collection, 0 if it is not known.

    Raises:
        MeasureError: a measure that there is not, or a parameter that it does not take.

    """
    parameters: dict[str, list[str]] = {}
    for text in asked or ["official"]:
        for name, parameter in _named(text):
            given = parameters.setdefault(name, [])
            given += [parameter] if parameter and parameter not in given else []
    lines = [
        line
        for known in TREC_MEASURES
        if known.name in parameters
        for line in _lines(known, parameters[known.name])
    ]
    return [_with_settings(line, level, items) for line in lines]


def _named(text: str) -> list[tuple[str, str]]:
    """The names that `text` means, each with its parameter."""
    if text in NICKNAMES:
        return [(name, "") for name in NICKNAMES[text]]
    found = split_name(text)
    if found is not None:
        return [(found[0].name, found[1])]
    if text.startswith(NOT_FROM_QRELS):
        raise MeasureError(
            f"trec_eval's {text} needs preferences, or judgements of several people; rankmark reads neither"
        )
    raise MeasureError(
        f"no measure {text!r} of trec_eval{did_you_mean(text, [*NAMES, *NICKNAMES])} "
        "(`rankmark eval` has more measures)"
    )


def _lines(known: TrecMeasure, texts: Sequence[str]) -> list[Line]:
    if known.each:
        values = sorted({value for text in texts for value in _members(known, text)}) or known.defaults
        return [Line(known.member_name(value), known, Measure(*known.member(value))) for value in values]
    if known.name == "relstring":
        return [
            Line(f"relstring_{text}", known, length=_length(text)) if text else Line("relstring", known)
            for text in texts or [""]
        ]
    if texts:
        return [Line(f"{known.name}_{text}", known, Measure(*known.with_parameter(text))) for text in texts]
    return [Line(known.name, known, Measure(*known.base) if known.measure else None)]


def _members(known: TrecMeasure, text: str) -> list[float]:
    """The parameters of a family; trec_eval cuts off the fraction of a cutoff."""
    values = numbers(known.name, text)
    return [math.trunc(value) for value in values] if known.each == "cutoff" else values


def _length(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise MeasureError(f"relstring.{text}: relstring takes the number of items to show")
    return int(text)


def _with_settings(line: Line, level: int, items: int) -> Line:
    """The line with what holds for all measures."""
    if line.measure is None:
        return line
    settings: dict[str, Any] = {"rel": level} if "rel" in line.measure.page.parameters else {}
    if line.known.name == "utility" and line.measure.arguments["rejected"]:
        if not items:
            raise MeasureError(f"{line.name}: its fourth number needs -N, the size of the collection")
        settings["items"] = items
    return Line(line.name, line.known, line.measure(**settings))


@dataclass(frozen=True, slots=True)
class Report:
    """What is printed.

    Attributes:
        queries: the queries evaluated, in trec_eval's order.
        columns: for each line its value for each query; of lines without numbers the text.
        tag: the name of the run.
        missing: how many judged queries have no results and are not among the queries.

    """

    queries: Sequence[str]
    columns: Mapping[Line, Sequence[float] | Sequence[str]]
    tag: str
    missing: int

    def blocks(self, *, per_query: bool, summary: bool) -> Iterator[str]:
        """The lines, in blocks of many: those of each query, and those of all."""
        shown = {line: column for line, column in self.columns.items() if line.of_each_query}
        for start in range(0, len(self.queries) if per_query else 0, QUERIES_A_BLOCK):
            block = range(start, min(start + QUERIES_A_BLOCK, len(self.queries)))
            yield "".join(
                line.text(self.queries[query], _shown(line, column[query]))
                for query in block
                for line, column in shown.items()
            )
        if summary:
            yield "".join(line.text("all", self._of_all(line)) for line in self.columns if line.of_all)

    def _of_all(self, line: Line) -> str:
        if line.measure is None:
            return self.tag
        return _shown(line, _total(line.measure, np.array(self.columns[line], dtype=np.float64)))


def evaluate(
    qrels: str,
    run: str,
    lines: Sequence[Line],
    *,
    complete: bool = False,
    judged_only: bool = False,
    most: int | None = None,
) -> Report:
    """Evaluates a run as trec_eval does.

    Args:
        qrels: the file of judgements.
        run: the file of results.
        lines: what to print, from `plan`.
        complete: whether judged queries without results count, as empty lists.
        judged_only: whether items that nobody judged, or that are judged below 0, are taken out of the lists.
        most: how many items of each list count, before any are taken out; None for all.

    Raises:
        UsageError: a file that is not there.
        DataError: files that cannot be evaluated as they are, or grades that are not whole.

    """
    judgements, results = map(with_text_items, read_inputs(qrels, run))
    lists, answered, rows = local.judged_lists(judgements, results, Choices())
    query_ids = judgements.table.take(judgements.query, rows, "query")
    check_answered(answered, query_ids, Choices(), judgements, results)
    grades = _whole_grades(lists.ideal.relevance, judgements.name)
    if most is not None:
        lists = _first(lists, most)
    if judged_only:
        lists = _judged(lists)
    names = [str(query) for query in query_ids.column_values("query")]
    counted = [query for query in range(len(names)) if complete or answered[query]]
    counted.sort(key=names.__getitem__)
    return Report(
        queries=[names[query] for query in counted],
        columns={line: _column(line, lists, grades, counted) for line in lines},
        tag=run_tag(run) or Path(run).stem,
        missing=len(names) - len(counted),
    )


def _whole_grades(relevance: Values, where: str) -> list[int]:
    grades = np.unique(relevance)
    fractions = grades[grades != np.trunc(grades)]
    if len(fractions):
        raise DataError(
            f"{where} has the grade {fractions[0]:g}; trec_eval knows whole grades only and would cut it off "
            "(`rankmark eval` takes it as it is)"
        )
    return [int(grade) for grade in grades]


def _first(lists: JudgedLists, most: int) -> JudgedLists:
    """The lists as if they ended at rank `most`."""
    return _kept(lists, lists.rank <= most, np.minimum(lists.retrieved, most))


def _judged(lists: JudgedLists) -> JudgedLists:
    """The lists without the items that nobody judged, which close up."""
    judged = lists.relevance >= 0
    kept = _kept(lists, judged, lists.sum(judged).astype(np.int64))
    closed_up = JudgedLists.perfect(kept.relevance, kept.offsets)
    return JudgedLists(closed_up.rank, kept.relevance, kept.offsets, kept.retrieved, ideal=lists.ideal)


def _kept(lists: JudgedLists, keep: NDArray[np.bool_], retrieved: NDArray[np.int64]) -> JudgedLists:
    offsets = np.concatenate(([0], np.cumsum(lists.sum(keep)))).astype(np.int64)
    return JudgedLists(lists.rank[keep], lists.relevance[keep], offsets, retrieved, ideal=lists.ideal)


def _column(
    line: Line, lists: JudgedLists, grades: Sequence[int], counted: Sequence[int]
) -> list[float] | list[str]:
    """What a line shows for each query."""
    if line.known.name == "relstring":
        texts = _grade_strings(lists, line.length)
        return [texts[query] for query in counted]
    if line.measure is None:
        return []
    values = _with_every_grade(line.measure, grades).compute(lists)
    column: list[float] = np.nan_to_num(np.asarray(values)[counted]).tolist()
    return column


def _with_every_grade(measure: Measure, grades: Sequence[int]) -> Measure:
    """A measure whose mapping of gains lacks no grade: a grade that it does not name gains what it is."""
    gain = measure.parameters.get("gain")
    if not isinstance(gain, Mapping):
        return measure
    return measure(gain={**{grade: max(grade, 0) for grade in grades}, **gain})


def _grade_strings(lists: JudgedLists, length: int) -> list[str]:
    """The grades of the first items of each list, a character each."""
    characters = np.full((len(lists.retrieved), length), "-")
    inside = lists.rank <= length
    grades = lists.relevance[inside].astype(np.int64)
    which, where = np.unique(grades, return_inverse=True)
    written = np.array([_grade_character(int(grade)) for grade in which], dtype="<U1")
    characters[lists.query[inside], lists.rank[inside] - 1] = written[where]
    lengths = np.minimum(lists.retrieved, length).tolist()
    return [f"'{''.join(row[:shown])}'" for row, shown in zip(characters.tolist(), lengths, strict=True)]


def _grade_character(grade: int) -> str:
    if grade > 9:
        return ">"
    return str(grade) if grade >= 0 else "." if grade == -1 else "<"


def _shown(line: Line, value: float | str) -> str:
    if isinstance(value, str):
        return value
    counts = line.measure is not None and line.measure.page.aggregate == "sum"
    return f"{value:.0f}" if counts else f"{value:6.4f}"


def _total(measure: Measure, values: Values) -> float:
    """One value for all queries."""
    geometric = measure.mean == "geometric"
    parts = np.log(np.maximum(values, LEAST_FACTOR)) if geometric else values
    # Added one after another, because an exact sum can round to another last digit.
    total = float(np.cumsum(parts)[-1])
    if measure.page.aggregate == "sum":
        return total
    return math.exp(total / len(values)) if geometric else total / len(values)
