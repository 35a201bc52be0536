"""What is odd in judgements and results, and what it does to the numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from rankmark.api.evaluation import refuse_without_judgements, with_known
from rankmark.checks import lists, matching, recommended, rows, training, unreadable
from rankmark.checks.data import IDS, CheckedPair, CheckedTable
from rankmark.checks.finding import CODES, NEEDED, Finding, Severity
from rankmark.checks.report import CheckReport, TableCounts
from rankmark.errors import DataError, FormatError, RankmarkError, UsageError
from rankmark.inputs import Input, read_shared, read_tables
from rankmark.inputs.catalogue import Catalogue, catalogue
from rankmark.inputs.roles import said_of
from rankmark.language.measure import Measure
from rankmark.language.plan import planned
from rankmark.progress import counting

__all__ = ["CHECKED", "check"]

CHECKED = ("nDCG@10", "AP", "R@100")
CHECKED_OF_ITEMS = {"items": "Coverage@10", "train": "Novelty@10"}
"""The measures of which it is shown what the findings do to them, unless others are asked for: where there
are judgements, and by what is known of items."""


def check(
    qrels: Any,
    *runs: Any,
    items: Any = None,
    train: Any = None,
    measures: str | Measure | Sequence[str | Measure] | None = None,
    names: Sequence[str] | None = None,
    columns: Mapping[str, Any] | None = None,
) -> CheckReport:
    """Looks for what is odd in judgements and results, and says what it does to the numbers.

    What `rankmark.evaluate` refuses is looked at, too: rows with nulls or NaN are then left out, of an item
    that stands twice the first row counts, ids of different types are compared as text, and for measures that
    look at what is known of items, those that the table of items lacks are left out. What the other findings
    do to the values is computed from what is left.

    Args:
        qrels: the judgements, whatever `rankmark.evaluate` takes; None for none.
        *runs: the results of one system or of several, likewise.
        items: the items that can be recommended, and what they are like, as for `rankmark.evaluate`, or what
            `rankmark.catalogue` read of them.
        train: what the systems were trained on: query and item, whatever judgements can be.
        measures: those to show the effects on; their cutoffs say how far down the lists matter. If None
            nDCG@10, AP and R@100, with `items` also Coverage@10, with `train` also Novelty@10.
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
    judged, found = _read(qrels, runs, columns, names)
    known, before = _known(items, train, columns)
    asked, complete = _asked(measures, known, judged=judged is not None)
    pairs = []
    with counting("checking", 2 * len(found)) as counter:
        for run in found:
            pairs.append(recommended.evaluable(_pair(judged, run, asked, known), complete))
            counter.done += 1
        findings = [*_of_shared(judged, pairs, before)]
        for run, (pair, whole) in zip(found, pairs, strict=True):
            findings += _of_run(judged, run, pair)
            findings += _of_known(run, pair, whole, before)
            counter.done += 1
    order = list(get_args(Severity))
    findings.sort(key=lambda finding: order.index(finding.severity))
    there = {"qrels": judged, "items": known.items, "train": before}
    looked_for = [code for code in CODES if all(there[each] is not None for each in NEEDED.get(code, ()))]
    tables = found if judged is None else (judged, *found)
    return CheckReport(
        tables={each.where: _counts(each) for each in tables},
        findings=tuple(findings),
        no_sign_of=tuple(code for code in looked_for if code not in {each.code for each in findings}),
    )


def _read(
    qrels: Any, runs: Sequence[Any], columns: Mapping[str, Any] | None, names: Sequence[str] | None
) -> tuple[CheckedTable | None, list[CheckedTable]]:
    """The judgements, if there are any, and the runs by their names."""
    judgements, results = None, []
    if qrels is None:
        results = [read_shared(unreadable.with_nan(run, "run", columns), "run", columns) for run in runs]
    else:
        judgements, results = _read_judged(qrels, runs, columns)
    called = zip(results, _names(results, names), strict=True)
    judged = None if judgements is None else CheckedTable.of(judgements, "qrels")
    return judged, [CheckedTable.of(table, name) for table, name in called]


def _read_judged(
    qrels: Any, runs: Sequence[Any], columns: Mapping[str, Any] | None
) -> tuple[Input, list[Input]]:
    try:
        return read_tables(qrels, runs, columns)
    except FormatError:
        return read_tables(
            unreadable.with_nan(qrels, "qrels", columns),
            [unreadable.with_nan(run, "run", columns) for run in runs],
            columns,
        )


def _known(
    items: Any, train: Any, columns: Mapping[str, Any] | None
) -> tuple[Catalogue, CheckedTable | None]:
    """What is known of items and of users before, and the rows of the latter as they are."""
    read = items if isinstance(items, Catalogue) else None
    if items is not None and read is None:
        read = catalogue(items, columns=columns)
    if read is not None and read.train is not None:
        if train is not None:
            raise UsageError("train is given beside a catalogue that was read; give it to rm.catalogue")
        train, columns = read.train, None
    before = None if train is None else _read_train(train, columns)
    if read is None:
        read = Catalogue(None, None, closed=False)
    pairs = None if before is None else before.frame.select(IDS)
    return Catalogue(read.items, pairs, closed=read.closed), before


def _read_train(train: Any, columns: Mapping[str, Any] | None) -> CheckedTable:
    try:
        return rows.usable(CheckedTable.of(read_shared(train, "qrels", said_of(columns, "train")), "train"))
    except RankmarkError as error:
        raise type(error)(f"the training data, read as judgements are: {error}") from error


def _asked(
    measures: str | Measure | Sequence[str | Measure] | None, known: Catalogue, *, judged: bool
) -> tuple[tuple[Measure, ...], Catalogue]:
    """The measures of which effects are shown, and what is known without what they refuse.

    A measure of each group of items becomes one of every group.
    """
    if measures is None:
        there = {"items": known.closed, "train": known.train is not None}
        measures = [*(CHECKED if judged else ()), *(CHECKED_OF_ITEMS[name] for name in there if there[name])]
        if not measures:
            raise UsageError("without judgements there is nothing to check but by items=… and train=…")
    plan = planned(measures, None, {}, items=True)
    if not judged:
        refuse_without_judgements(plan)
    complete = recommended.complete(known, plan.measures)
    return with_known(plan, complete, None, judged=judged)[0].measures, complete


def _names(runs: Sequence[Input], names: Sequence[str] | None) -> Sequence[str]:
    """What to call the runs: each something else."""
    if names is None:
        names = [run.name for run in runs]
        if len(set(names)) < len(names):
            names = [f"run {number}" for number in range(1, len(runs) + 1)]
    taken = {"qrels", "items", "train"}
    if len(names) != len(runs) or len(set(names)) < len(names) or taken & {*names}:
        raise UsageError(f"names={list(names)!r}: each of the {len(runs)} runs needs a name of its own")
    return names


def _pair(
    qrels: CheckedTable | None, run: CheckedTable, measures: tuple[Measure, ...], known: Catalogue
) -> CheckedPair:
    """The judgements and a run, as far as they can be evaluated."""
    for table in (run,) if qrels is None else (qrels, run):
        if rows.usable(table).frame.is_empty():
            raise DataError(f"{table.source.name}: there is a null, NaN or an infinite grade in every row")
    results = rows.usable(run)
    if qrels is None:
        judged = CheckedTable(run.source.queries(), "qrels", results.frame.select(IDS).clear())
    else:
        judged, results = matching.aligned(rows.usable(qrels), results)
    judged, results = matching.aligned_to(known, judged, results)
    twice = not (judged.repeated.is_empty() and results.repeated.is_empty())
    return CheckedPair(judged, results, measures, "first" if twice else "error", known)


def _of_shared(
    qrels: CheckedTable | None,
    pairs: Sequence[tuple[CheckedPair, CheckedPair]],
    train: CheckedTable | None,
) -> Iterator[Finding]:
    """What is odd in what all runs share; what it does to the numbers is shown for the first of them."""
    several = [pair for pair, _ in pairs]
    first, whole = pairs[0]
    found = [] if qrels is None else [*_of_qrels(qrels, several, train)]
    if first.known.items is not None:
        found += recommended.attributes_missing(first, whole)
        if qrels is not None:
            found += recommended.judged_elsewhere(first)
        if train is not None:
            found += recommended.train_elsewhere(train, whole)
    yield from (_said_of(several, finding) for finding in found)


def _of_qrels(
    qrels: CheckedTable, pairs: Sequence[CheckedPair], train: CheckedTable | None
) -> Iterator[Finding]:
    """What is odd in the judgements."""
    first = pairs[0]
    yield from rows.unusable(qrels, first)
    yield from rows.judged_twice(first)
    yield from rows.grades(first)
    yield from matching.never_returned(first.qrels, pairs)
    yield from lists.unjudged_differs(pairs)
    if train is not None:
        yield from training.in_qrels(train, first)


def _said_of(pairs: Sequence[CheckedPair], finding: Finding) -> Finding:
    """A finding in what runs share, which of several runs has the values in it said aloud."""
    if len(pairs) == 1 or not finding.effects:
        return finding
    return replace(finding, note=f"{finding.note}; the values are those of {pairs[0].where}")


def _of_run(qrels: CheckedTable | None, run: CheckedTable, pair: CheckedPair) -> Iterator[Finding]:
    """What is odd in a run."""
    yield from rows.unusable(run, pair)
    yield from rows.infinite_scores(run)
    yield from rows.returned_twice(pair)
    if qrels is not None:
        yield from matching.types(qrels, run, pair)
        yield from matching.spelling(pair)
        yield from matching.other_queries(pair)
        yield from lists.order_of_scores(pair)
        yield from lists.ties(pair)
        yield from lists.short_lists(pair)
        yield from lists.unjudged_results(pair)
    yield from lists.constant_scores(pair)


def _of_known(
    run: CheckedTable, pair: CheckedPair, whole: CheckedPair, train: CheckedTable | None
) -> Iterator[Finding]:
    """What is odd in a run beside what is known of items and users."""
    if pair.known.items is not None:
        yield from recommended.not_in_items(rows.usable(run), pair, whole)
    if train is not None:
        yield from training.in_results(train, pair if pair.measures else whole)
        yield from recommended.strange_users(train, whole)


def _counts(table: CheckedTable) -> TableCounts:
    return TableCounts(table.frame.height, *(table.ids(role).height for role in ("query", "item")))
