"""What is odd in judgements and results, and what it does to the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from rankmark.checks import lists, matching, rows, training, unreadable
from rankmark.checks.data import CheckedPair, CheckedTable
from rankmark.checks.finding import CODES, Finding, Severity
from rankmark.checks.report import CheckReport, TableCounts
from rankmark.errors import DataError, FormatError, RankmarkError, UsageError
from rankmark.inputs import Input, read_shared, read_tables
from rankmark.language.measure import Measure
from rankmark.language.plan import planned
from rankmark.progress import counting

__all__ = ["CHECKED", "check"]

CHECKED = ("nDCG@10", "AP", "R@100")
"""The measures of which it is shown what the findings do to them, unless others are asked for."""


def check(
    qrels: Any,
    *runs: Any,
    train: Any = None,
    measures: str | Measure | Sequence[str | Measure] = CHECKED,
    names: Sequence[str] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> CheckReport:
    """Looks for what is odd in judgements and results, and says what it does to the numbers.

    What `rankmark.evaluate` refuses is looked at, too: rows with nulls or NaN are then left out, of an item
    that stands twice the first row counts, and ids of different types are compared as text. What the other
    findings do to the values is computed from what is left.

    Args:
        qrels: the judgements, whatever `rankmark.evaluate` takes.
        *runs: the results of one system or of several, likewise.
        train: what the systems were trained on: query and item, whatever judgements can be.
        measures: those to show the effects on; their cutoffs say how far down the lists matter.
        names: what to call the runs; by default their paths, or ``run``.
        columns: the columns to use where their names do not say it; as for `rankmark.evaluate`.

    Returns:
        The findings, the most serious first. Nothing is written in the tables.

    Raises:
        UsageError: no run, an unknown measure, or a file that is not there.
        DataError: a table that cannot be read, or without a row that can be used.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1}, "q3": {"d": 1}}
        >>> run = {"q1": {"b": 1.0, "a": 1.0}, "q2": {"c": 0.5}}
        >>> report = rm.check(qrels, run, measures="RR")
        >>> [finding.code for finding in report.serious]
        ['ties', 'constant-scores']
        >>> report.findings[0].effects
        (<Effect measure=RR, as_is=0.5, otherwise={ties=worst: 0.5, ties=best: 0.666667}>,)

    """
    if not runs:
        raise UsageError("there is no run to check; give one or several after the judgements")
    asked = planned(measures, None, {}).measures
    judgements, results = _read(qrels, runs, columns)
    known = _read_train(train, columns) if train is not None else None
    judged = CheckedTable.of(judgements, "qrels")
    found = [
        CheckedTable.of(table, name) for table, name in zip(results, _names(results, names), strict=True)
    ]
    pairs = []
    with counting("checking", 2 * len(found)) as counter:
        for run in found:
            pairs.append(_pair(judged, run, asked))
            counter.done += 1
        findings = [_said_of(pairs, finding) for finding in _of_qrels(judged, pairs, known)]
        for run, pair in zip(found, pairs, strict=True):
            findings += _of_run(judged, run, pair, known)
            counter.done += 1
    order = list(get_args(Severity))
    findings.sort(key=lambda finding: order.index(finding.severity))
    looked_for = [code for code in CODES if known or not code.startswith("train")]
    return CheckReport(
        tables={each.where: _counts(each) for each in (judged, *found)},
        findings=tuple(findings),
        no_sign_of=tuple(code for code in looked_for if code not in {each.code for each in findings}),
    )


def _read(qrels: Any, runs: Sequence[Any], columns: Mapping[str, Any] | None) -> tuple[Input, list[Input]]:
    try:
        return read_tables(qrels, runs, columns)
    except FormatError:
        return read_tables(
            unreadable.with_nan(qrels, "qrels", columns),
            [unreadable.with_nan(run, "run", columns) for run in runs],
            columns,
        )


def _read_train(train: Any, columns: Mapping[str, Any] | None) -> CheckedTable:
    try:
        return rows.usable(CheckedTable.of(read_shared(train, "qrels", columns), "train"))
    except RankmarkError as error:
        raise type(error)(f"the training data, read as judgements are: {error}") from error


def _names(runs: Sequence[Input], names: Sequence[str] | None) -> Sequence[str]:
    """What to call the runs: each something else."""
    if names is None:
        names = [run.name for run in runs]
        if len(set(names)) < len(names):
            names = [f"run {number}" for number in range(1, len(runs) + 1)]
    if len(names) != len(runs) or len(set(names)) < len(names) or "qrels" in names:
        raise UsageError(f"names={list(names)!r}: each of the {len(runs)} runs needs a name of its own")
    return names


def _pair(qrels: CheckedTable, run: CheckedTable, measures: tuple[Measure, ...]) -> CheckedPair:
    """The judgements and a run, as far as they can be evaluated."""
    for table in (qrels, run):
        if rows.usable(table).frame.is_empty():
            raise DataError(f"{table.source.name}: there is a null, NaN or an infinite grade in every row")
    judged, results = matching.aligned(rows.usable(qrels), rows.usable(run))
    twice = not (judged.repeated.is_empty() and results.repeated.is_empty())
    return CheckedPair(judged, results, measures, "first" if twice else "error")


def _of_qrels(
    qrels: CheckedTable, pairs: Sequence[CheckedPair], train: CheckedTable | None
) -> Iterator[Finding]:
    """What is odd in the judgements; what it does to the numbers is shown for the first run."""
    first = pairs[0]
    yield from rows.unusable(qrels, first)
    yield from rows.judged_twice(first)
    yield from rows.grades(first)
    yield from matching.never_returned(first.qrels, pairs)
    if train is not None:
        yield from training.in_qrels(train, first)


def _said_of(pairs: Sequence[CheckedPair], finding: Finding) -> Finding:
    """A finding in the judgements, which of several runs has the values in it said aloud."""
    if len(pairs) == 1 or not finding.effects:
        return finding
    return replace(finding, note=f"{finding.note}; the values are those of {pairs[0].where}")


def _of_run(
    qrels: CheckedTable, run: CheckedTable, pair: CheckedPair, train: CheckedTable | None
) -> Iterator[Finding]:
    """What is odd in a run."""
    yield from rows.unusable(run, pair)
    yield from rows.infinite_scores(run)
    yield from rows.returned_twice(pair)
    yield from matching.types(qrels, run, pair)
    yield from matching.spelling(pair)
    yield from matching.other_queries(pair)
    yield from lists.order_of_scores(pair)
    yield from lists.ties(pair)
    yield from lists.constant_scores(pair)
    yield from lists.short_lists(pair)
    yield from lists.unjudged_results(pair)
    if train is not None:
        yield from training.in_results(train, pair)


def _counts(table: CheckedTable) -> TableCounts:
    return TableCounts(table.frame.height, *(table.ids(role).height for role in ("query", "item")))
