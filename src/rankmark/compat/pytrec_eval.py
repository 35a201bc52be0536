"""pytrec_eval (pytrec_eval-terrier 0.5) over rankmark: `from rankmark.compat import pytrec_eval`.

The values are those of trec_eval 9, which pytrec_eval holds, to the last bit. Where pytrec_eval ends the
process or goes through it for ever, there is an error here: judgements of a query that are all below 0 are
0 throughout, and NaN as a score, half a character in an id, a cutoff of 0, the same cutoff written twice and
gains (``ndcg.1=3``) are refused.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankmark._native import Table
from rankmark.aggregation.settled import LEAST_FACTOR
from rankmark.errors import CallError, DataError, MeasureError, UsageError, did_you_mean
from rankmark.inputs import Input
from rankmark.language.conventions.convention import convention
from rankmark.language.conventions.trec_table import TREC_MEASURES
from rankmark.peers.trec_arithmetic import Settings, values_of
from rankmark.peers.trec_files import Files
from rankmark.peers.trec_lists import Judged
from rankmark.peers.trec_plan import NICKNAMES, Line, TrecEvalError, asked_for, plan

if TYPE_CHECKING:
    from rankmark.inputs.roles import Side
    from rankmark.kinds.lists import Values

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

_KNOWN = convention("trec_eval-9").measures
_FAMILIES = {known.name: bool(known.each) for known in TREC_MEASURES}

supported_measures = {
    known.name
    for known in TREC_MEASURES
    if not known.measure or any(re.match(f"{known.name}([._]|$)", name) for name in _KNOWN)
} - {"yaap"}
"""The names of the measures, without parameters."""

supported_nicknames = {
    name: supported_measures.intersection(measures)
    for name, measures in NICKNAMES.items()
    if not supported_measures.isdisjoint({*measures} - {"runid", "num_q"})
}
"""Several measures under one name; those of preferences and of several people's judgements are not here."""

_LONGEST_FIRST = sorted(supported_measures, key=len, reverse=True)
_PARAMETERS = re.compile(r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """The results in the lines of a TREC run, ``query Q0 item rank score tag``.

    Raises:
        ValueError: a line of other fields, or a score that is no number.
        AssertionError: the same item twice in one list.

    """
    return _parsed(f_run, fields=6, item=2, value=4, number=float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The judgements in the lines of TREC qrels, ``query iter item grade``; errors as of `parse_run`."""
    return _parsed(f_qrel, fields=4, item=2, value=3, number=int)


def _parsed(lines: Iterable[str], *, fields: int, item: int, value: int, number: Any) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    for place, line in enumerate(lines, start=1):
        parts = line.split()
        if len(parts) != fields:
            raise DataError(f"line {place}: {line.strip()!r} has {len(parts)} fields, and not {fields}")
        of_query = found[parts[0]]
        if parts[item] in of_query:
            raise AssertionError(f"line {place}: item {parts[item]!r} stands twice in query {parts[0]!r}")
        of_query[parts[item]] = number(parts[value])
    return found


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """One value for all queries: a sum of ``num_…``, the geometric mean of ``gm_…``, else the mean."""
    total = float(np.sum(values))
    if measure.startswith("num_"):
        return total
    if measure.startswith("gm_"):
        return float(np.exp(total / len(values)))
    return float(np.mean(values))


class RelevanceEvaluator:
    """Evaluates runs against judgements, query by query.

    Args:
        query_relevance: ``{query: {item: grade}}``, texts and whole numbers.
        measures: names such as ``ndcg_cut_10``, ``P.5,10``, ``map``, and nicknames.
        relevance_level: the least grade that counts as relevant.
        judged_docs_only_flag: whether items that nobody judged are taken out of the lists.

    Raises:
        TypeError: ids that are no texts, grades that are no whole numbers, a level that is none or below 1.
        ValueError: a measure that there is not.

    Example:
        >>> from rankmark.compat import pytrec_eval
        >>> evaluator = pytrec_eval.RelevanceEvaluator({"q": {"a": 1, "b": 0, "c": 2}}, {"map", "P_5"})
        >>> evaluator.evaluate({"q": {"a": 0.3, "b": 0.9, "x": 0.1}})
        {'q': {'map': 0.25, 'P_5': 0.2}}

    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        self._settings = Settings(
            level=_level(relevance_level), judged_only=_flag(judged_docs_only_flag), version=9
        )
        self._lines = _lines(measures)
        judged = {query: grades for query, grades in query_relevance.items() if len(grades)}
        self._numbers = {query: number for number, query in enumerate(judged)}
        self._qrels = _input(judged, self._numbers, "qrels") if judged else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The value of each measure for each query that has judgements and is in `scores`, in its order.

        Args:
            scores: ``{query: {item: score}}``, texts and numbers; scores are compared in 32 bits.

        Raises:
            TypeError: it is no such dict; scores of NumPy other than ``float64`` are refused, too.
            ValueError: a score is NaN.

        """
        if not scores:
            return {}
        if not isinstance(scores, dict):
            raise CallError(f"scores is a {type(scores).__name__}; give a dict {{query: {{item: score}}}}")
        run = _input(scores, self._numbers, "run")
        answered = [query for query in scores if query in self._numbers]
        if not answered or self._qrels is None:
            return {}
        judged = Judged.of(Files(self._qrels, run, b""), self._settings)
        place = {int(name): where for where, name in enumerate(judged.names)}
        places = [place[self._numbers[query]] for query in answered]
        columns = {_name(line): self._column(line, judged)[places].tolist() for line in self._lines}
        rows = zip(*columns.values(), strict=True) if columns else [()] * len(answered)
        return {
            query: dict(zip(columns, row, strict=True)) for query, row in zip(answered, rows, strict=True)
        }

    def _column(self, line: Line, judged: Judged) -> Values:
        """The value of a line for each judged query."""
        if line.measure is None or line.known.name == "num_q":
            return np.full(len(judged.names), float(line.known.name == "num_q"))
        try:
            values = values_of(line, judged.lists, self._settings)
        except TrecEvalError as error:
            raise MeasureError(str(error)) from error
        if line.measure.mean == "geometric":
            return np.array([math.log(max(value, LEAST_FACTOR)) for value in values.tolist()])
        return values


def _name(line: Line) -> str:
    """What a line is called: parameters stand in the names of families only."""
    return line.name if line.known.each else line.known.name


def _lines(measures: Iterable[str]) -> list[Line]:
    """What is measured, in trec_eval's order."""
    parameters: dict[str, set[str]] = {}
    for text in chain.from_iterable(supported_nicknames.get(each, (each,)) for each in measures):
        name, given = _split(text)
        parameters.setdefault(name, set()).update(given)
    asked = [f"{name}.{','.join(sorted(given))}" if given else name for name, given in parameters.items()]
    try:
        return plan(asked_for(asked)).lines if asked else []
    except (TrecEvalError, UsageError) as error:
        raise MeasureError(str(error)) from error


def _split(text: str) -> tuple[str, Sequence[str]]:
    """The name of a measure, and its parameters."""
    if not isinstance(text, str):
        raise CallError(f"the measure {text!r} is a {type(text).__name__}, and not a text")
    if text in supported_measures:
        return text, ()
    for name in _LONGEST_FIRST:
        if text.startswith(name) and (found := _PARAMETERS.match(text, len(name))):
            return name, found[1].split(",")
    raise MeasureError(f"unsupported measure {text}{did_you_mean(text, _LONGEST_FIRST)}")


def _level(level: Any) -> int:
    try:
        whole = level.__index__()
    except AttributeError:
        raise CallError(f"relevance_level is {level!r}, and not a whole number") from None
    if whole < 1:
        raise CallError(f"relevance_level is {whole}; it is 1 or more")
    return int(whole)


def _flag(flag: Any) -> bool:
    if not hasattr(flag, "__index__"):
        raise CallError(f"judged_docs_only_flag is {flag!r}, and neither true nor false")
    return bool(flag)


# --- Dicts as tables ---------------------------------------------------------------------------------------


def _input(table: Mapping[Any, Any], queries: Mapping[str, int], side: Side) -> Input:
    """The rows of the queries that have a number, as a table; all are looked at.

    Raises:
        CallError: what is no dict of dicts of numbers with texts as ids.

    """
    of_side = _SIDES[side]
    if not all(issubclass(kind, str) for kind in set(map(type, table))):
        raise _odd(table, of_side)
    known = table if table.keys() <= queries.keys() else {q: table[q] for q in table if q in queries}
    others = [table[query] for query in table if query not in queries] if known is not table else []
    columns = _rows(known.values(), map(queries.__getitem__, known), of_side)
    if columns is None or _rows(others, repeat(0, len(others)), of_side) is None:
        raise _odd(table, of_side)
    return Input(columns, side, side, "query", "item", of_side.value, None, False)


class _Side(NamedTuple):
    """What a table is called, what it holds, and of which types this is."""

    name: str
    value: str
    kinds: tuple[type, ...]


_SIDES: Mapping[Side, _Side] = {
    "qrels": _Side("query_relevance", "relevance", (int,)),
    "run": _Side("scores", "score", (float, int)),
}


def _rows(entries: Iterable[Any], queries: Iterable[int], side: _Side) -> Table | None:
    rows = Table.from_entries(list(entries), list(queries), side.value, whole=float not in side.kinds)
    plain = rows is not None and side.value in rows.names and rows.kind("item") == "string"
    return rows if plain else None


def _odd(table: Mapping[Any, Any], side: _Side) -> CallError | DataError:
    """The first thing in a table that is not what it must be."""
    for query, entries in table.items():
        if not isinstance(query, str):
            return CallError(f"{side.name}: the query {query!r} is a {type(query).__name__}, and not a text")
        where = f"{side.name}: query {query!r} has"
        if not isinstance(entries, dict):
            return CallError(f"{where} a {type(entries).__name__}, and not a dict {{item: {side.value}}}")
        for item, number in entries.items():
            if not isinstance(item, str):
                return CallError(f"{where} the item {item!r}, a {type(item).__name__}, and not a text")
            if not isinstance(number, side.kinds):
                wanted = " or ".join(kind.__name__ for kind in side.kinds)
                kind = type(number).__name__
                return CallError(f"{where} the {side.value} {number!r}, a {kind}, and not a {wanted}")
    return DataError(
        f"{side.name} has an id with half of a character in it, or a number that 64 bits do not hold"
    )
