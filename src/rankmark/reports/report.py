"""The doors: what was measured, compared and checked becomes a page."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, get_args

from rankmark.api.curves import BANDS, CurveTable, curve
from rankmark.api.curves import Kind as CurveKind
from rankmark.api.evaluation import evaluate
from rankmark.api.predictions import evaluate_predictions
from rankmark.checks.checking import check
from rankmark.checks.finding import Severity
from rankmark.checks.predictions import check_predictions
from rankmark.checks.report import CheckReport
from rankmark.comparing.compare import compare
from rankmark.comparing.comparison import Comparison
from rankmark.comparing.pairs import direction
from rankmark.comparing.predictions import compare_predictions
from rankmark.comparing.systems import are_seeds
from rankmark.errors import DataError
from rankmark.inputs import Input, align_ids, read_qrels, read_run, with_text_items
from rankmark.inputs.attributes import read_slices
from rankmark.inputs.catalogue import Catalogue, known_items
from rankmark.inputs.places import Places
from rankmark.inputs.slicing import By
from rankmark.inputs.tables.several import is_table, runs_by_name
from rankmark.language.choices import Choices, UnseededChoices, given
from rankmark.language.conventions.convention import conventions
from rankmark.language.measure import Measure
from rankmark.language.plan import planned
from rankmark.language.registry import LISTS_FIRST
from rankmark.peers.difference import Differences, differences
from rankmark.reports.lists import LISTS, packed_lists
from rankmark.reports.page import Report, check_renderer, render
from rankmark.reports.parts import Beside, File, Subject, parts_of, query_values, results_of
from rankmark.reports.summary import isolated, summary_of
from rankmark.reports.texts import read_texts, texts_of
from rankmark.results.lists import ListResult
from rankmark.results.predictions import PredictionResult

if TYPE_CHECKING:
    import polars as pl

    from rankmark.comparing.systems import Baseline
    from rankmark.reports.queries import QueryValues
    from rankmark.results.base import Result
    from rankmark.results.runs import OfRuns

__all__ = ["MEASURES", "ROW_MEASURES", "Subject", "report", "report_of", "report_predictions"]

MEASURES = ("nDCG@10", "AP", "RR", "P@10", "R@100")
ROW_MEASURES = ("AUC", "LogLoss", "NE", "PCOPC")
CURVES: Mapping[CurveKind, float | None] = {"calibration": 0.95, "ROC": 0.95, "PR": 0.95}
MORE_CURVES: Mapping[CurveKind, float | None] = {"scores": None, "F1": None, "gain": None}
"""Curves that are drawn of predictions, with the confidence of their bands; more of one system alone."""
MOST_ROWS = 1_000_000
"""Results of a system, beyond which some 30 conventions take too long to be tried without being asked for."""


def report(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    baseline: Baseline = None,
    by: By = None,
    attributes: Any = None,
    items: Any = None,
    train: Any = None,
    queries: Any = None,
    title: str = "",
    conventions: bool | None = None,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    seed: int = 0,
    threads: int | None = None,
    command: str = "",
    **choices: Unpack[UnseededChoices],
) -> Report:
    """A page that says which system is better, by how much, how sure that is, and what to distrust.

    It is one file that needs no network, and is read without JavaScript, too. Several systems are compared as
    `compare` does, with its usual test; one alone is evaluated with intervals. The data are checked. With
    JavaScript queries can be sorted, filtered and opened, to see the lists of two systems side by side; the
    lists of those that changed most are in the file, 4,000 of all systems together.

    Args:
        qrels: the judgements, as for `evaluate`; None for measures of what is recommended that need none.
        runs: the results of each system by its name, as for `compare`, or those of one system. Several seeds
            of a system are a list of tables, or of paths that are no texts.
        measures: as for `evaluate`; the summary, the conventions and the order of queries go by the first.
        baseline: as for `compare`.
        by: for slices, as for `evaluate`.
        attributes: a table of queries, as for `evaluate`.
        items: what is known of items, as for `evaluate`, which measures of what is recommended need. Lists
            show the titles in it; for these alone ``{item: title}`` does, and items can be missing.
        train: the interactions before, as for `evaluate`.
        queries: texts of queries: a table with a column of queries and one of texts, or ``{query: text}``.
        title: of the page.
        conventions: whether to show what other tools' conventions make of the first measure; None for
            tables of up to a million results.
        like: a convention, as for `evaluate`.
        columns: as for `evaluate`.
        seed: of resamples, and of ``ties="random"``.
        threads: as for `evaluate`.
        command: what made it, to be shown in it.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Raises:
        ToolMissingError: Jinja2, which renders it, is not installed.
        UsageError: as `evaluate` and `compare`; or a table of titles without a column for them.
        DataError: as these.

    """
    check_renderer()
    systems = _systems(runs)
    chosen: dict[str, Any] = {**given(choices, UnseededChoices, report), "like": like, "seed": seed}
    chosen |= {"threads": threads, "by": by, "attributes": attributes, "columns": columns}
    looked_at = any(each.page.kind == "item" for each in planned(measures, like, {}, items=True).measures)
    known = None
    if looked_at or train is not None or isinstance(items, Catalogue):
        known = chosen["items"] = known_items(items, train, columns)
        items = known.items
    titles = read_texts(items, "items", needed=known is None)
    texts = read_texts(queries, "queries")
    shown: Comparison | OfRuns
    if len(systems) > 1:
        shown = compare(qrels, systems, measures, baseline=baseline, **chosen)
    else:
        shown = evaluate(qrels, systems, measures, intervals=True, bounds=not looked_at, **chosen)
    tables = {name: read_run(_first(run), columns) for name, run in systems.items()}
    judged = None if qrels is None else read_qrels(qrels, columns)
    values = query_values(shown)
    beside = Beside(
        check=check(
            judged,
            *tables.values(),
            items=known,
            names=list(tables),
            measures=[each for each in _measures(shown) if "aspects" not in each.needs] or None,
        ),
        conventions=None if judged is None else _conventions(shown, judged, tables, conventions),
        lists=None if values is None else _lists(shown, values, judged, tables, titles),
        slices=_slices(by, Places(qrels, _first(next(iter(systems.values()))), attributes, columns), values),
        texts=texts_of(texts, [] if values is None else list(map(str, values.ids))),
        files=_files_of({**({} if qrels is None else {"judgements": qrels}), **systems}),
        command=command,
    )
    return report_of(shown, title=title, beside=beside)


def report_predictions(
    table: Any,
    measures: str | Measure | Iterable[str | Measure] = ROW_MEASURES,
    *,
    scores: Mapping[str, str] | str | None = None,
    baseline: Baseline = None,
    by: By = None,
    attributes: Any = None,
    title: str = "",
    label: str | None = None,
    query: str | None = None,
    item: str | None = None,
    weight: str | None = None,
    positive: str | float | None = None,
    seed: int = 0,
    threads: int | None = None,
    command: str = "",
) -> Report:
    """A page of predictions, as `report` of lists: values with intervals, slices, curves, calibration.

    Args:
        table: labelled scores, as for `evaluate_predictions`; of several systems also ``{system: table}``.
        measures: as for `evaluate_predictions`; the summary goes by the first.
        scores: the column of scores, or of several systems that of each, ``{system: column}``.
        baseline: as for `compare_predictions`.
        by: for slices, as for `evaluate_predictions`.
        attributes: as for `evaluate_predictions`.
        title: of the page.
        label: the column of what happened, if its name does not say it; and so on.
        query: the column of the query, user or session.
        item: the column of the item.
        weight: the column of the rows' weights.
        positive: the label of positive rows, where it is not 1 or true.
        seed: of resamples.
        threads: how many to use; all cores if None.
        command: what made it, to be shown in it.

    Raises:
        ToolMissingError: Jinja2, which renders it, is not installed.
        UsageError: as `evaluate_predictions` and `compare_predictions`.
        DataError: as these.

    """
    check_renderer()
    roles: dict[str, Any] = {"label": label, "weight": weight, "positive": positive}
    groups: dict[str, Any] = {"query": query, "item": item}
    how: dict[str, Any] = {"by": by, "attributes": attributes, "seed": seed, "threads": threads}
    shown: Subject
    if isinstance(scores, Mapping) or runs_by_name(table) is not None:
        shown = compare_predictions(table, scores, measures, baseline=baseline, **roles, **groups, **how)
    else:
        shown = evaluate_predictions(table, measures, score=scores, intervals=True, **roles, **groups, **how)
    systems = {name: _of_system(name, table, scores) for name in results_of(shown)}
    reports = {
        name: check_predictions(own, score=score, **roles, **groups) for name, (own, score) in systems.items()
    }
    curves = [
        (name, _curve(own, kind, score=score, confidence=confidence, threads=threads, **roles))
        for name, (own, score) in systems.items()
        for kind, confidence in _curves_of(results_of(shown)[name], reports[name], alone=len(systems) == 1)
    ]
    beside = Beside(
        check=_together(reports),
        curves=curves,
        files=_files_of({name or "table": own for name, (own, _) in systems.items()}),
        command=command,
    )
    return report_of(shown, title=title, beside=beside)


def _curves_of(
    result: Result, found: CheckReport, *, alone: bool
) -> Iterator[tuple[CurveKind, float | None]]:
    """The curves of a system, if its labels are classes; of these calibration is that of probabilities.

    Bands are of rows that count alike.
    """
    if getattr(result.counts, "positive", None) is None:
        return
    weighted = isinstance(result, PredictionResult) and result._basis.weights is not None
    for kind, confidence in {**CURVES, **(MORE_CURVES if alone else {})}.items():
        if kind != "calibration" or not found["not-probabilities"]:
            yield kind, None if weighted and kind in BANDS else confidence


def _curve(table: Any, kind: CurveKind, **how: Any) -> CurveTable | str:
    """A curve, or why there is none, as of rows of one class."""
    try:
        return curve(table, kind, **how)
    except DataError as why:
        return str(why)


def _of_system(name: str, table: Any, scores: Mapping[str, str] | str | None) -> tuple[Any, str | None]:
    """The table of a system and the column of its scores."""
    tables = runs_by_name(table)
    own = scores.get(name) if isinstance(scores, Mapping) else scores
    return (table if tables is None or not name else tables[name]), own


def _together(reports: Mapping[str, CheckReport]) -> CheckReport:
    """What was found in the predictions of several systems, each by its name."""
    if len(reports) == 1:
        return next(iter(reports.values()))
    tables = {name: size for name, each in reports.items() for size in each.tables.values()}
    findings = [replace(found, where=name) for name, each in reports.items() for found in each.findings]
    order = get_args(Severity)
    nowhere = [set(each.no_sign_of) for each in reports.values()]
    first = next(iter(reports.values()))
    return CheckReport(
        tables,
        tuple(sorted(findings, key=lambda found: order.index(found.severity))),
        tuple(code for code in first.no_sign_of if all(code in each for each in nowhere)),
    )


def report_of(shown: Subject, *, title: str = "", beside: Beside | None = None) -> Report:
    """The page of a result, of several, or of a comparison.

    Args:
        shown: which.
        title: of the page.
        beside: what else stands in it.

    """
    check_renderer()
    beside = beside or Beside()
    heading = title or _heading(shown)
    return render(heading, summary_of(shown, beside.check), list(parts_of(shown, beside)))


def _heading(shown: Subject) -> str:
    """The systems, by their names."""
    names = [name for name in results_of(shown) if name]
    values = query_values(shown)
    if len(names) == 2:
        one, other = names if values is None else reversed(values.pair)
        return f"{isolated(one)} against {isolated(other)}"
    return isolated(names[0]) if len(names) == 1 else f"{len(names)} systems" if names else "Evaluation"


def _measures(shown: Subject) -> list[Measure]:
    return list(next(iter(results_of(shown).values())).measures)


def _systems(runs: Any) -> dict[str, Any]:
    """The runs by the names of their systems; one that has none is called as its file, if it is one."""
    if (
        isinstance(runs, Mapping)
        and runs_by_name({name: _first(run) for name, run in runs.items()}) is not None
    ):
        return dict(runs)
    return {Path(runs).name if isinstance(runs, str | os.PathLike) else "run": runs}


def _first(run: Any) -> Any:
    """The run of a system; of several seeds, which are tables or paths, the first."""
    return run[0] if are_seeds(run) and is_table(run[0]) else run


def _slices(by: By, places: Places, values: QueryValues | None) -> pl.DataFrame | None:
    """The slices of the queries, if they were asked for."""
    return None if by is None or values is None else read_slices(by, places, values.ids).frame


def _conventions(
    shown: Subject, judged: Input, tables: Mapping[str, Input], wanted: bool | None
) -> tuple[str, Differences] | None:
    """The first measure under all conventions that have it, of the best system."""
    measure, results = _measures(shown)[0], results_of(shown)
    if measure.page.kind == "item":
        return None
    system = max(results, key=lambda name: direction(measure) * results[name][measure])
    too_many = tables[system].table.num_rows > MOST_ROWS
    known = any(each.has(str(measure), LISTS_FIRST) for each in conventions().values())
    if wanted is False or (wanted is None and too_many) or not known:
        return None
    return system, differences(judged, tables[system], str(measure))


def _lists(
    shown: Subject,
    values: QueryValues,
    judged: Input | None,
    tables: Mapping[str, Input],
    titles: pl.DataFrame | None,
) -> dict[str, Any]:
    """The lists of the queries that are most worth looking at."""
    first = next(iter(results_of(shown).values()))
    assert isinstance(first, ListResult)
    aligned = {}
    for name, table in tables.items():
        judgements, aligned[name] = (table.queries(), table) if judged is None else align_ids(judged, table)
        if first.item_ids == "text":
            judgements, aligned[name] = with_text_items(judgements), with_text_items(aligned[name])
    rows = sorted(values.first(max(1, LISTS // len(tables))))
    queries = [values.ids[row] for row in rows]
    return packed_lists(judgements, aligned, Choices(**first.choices), queries, rows, titles)


def _files_of(tables: Mapping[str, Any]) -> list[File]:
    """The files of tables, each once, by what they are."""
    found: dict[str, File] = {}
    for role, source in tables.items():
        for each in _files(role, source):
            known = found.get(each.path)
            found[each.path] = each if known is None else replace(known, role=f"{known.role}, {role}")
    return list(found.values())


def _files(role: str, source: Any) -> list[File]:
    """What is known of the files of a table, if it is one of files."""
    found = []
    for each in source if are_seeds(source) else [source]:
        if isinstance(each, str | os.PathLike) and Path(each).is_file():
            with Path(each).open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            found.append(File(role, str(each), Path(each).stat().st_size, digest))
    return found
