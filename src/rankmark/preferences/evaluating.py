"""Measures lists by preferences between their items."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rankmark._native import Table
from rankmark.api.finishing import Finish
from rankmark.dataclassing import dataclass
from rankmark.engines import local
from rankmark.errors import DataError
from rankmark.forking import need_polars_threads
from rankmark.inputs import ColumnNames, Input, align_ids, read_run
from rankmark.inputs.clusters import Clustering, ClustersBy
from rankmark.inputs.files import expand
from rankmark.inputs.format import File
from rankmark.inputs.places import Places
from rankmark.inputs.preference_tables import read_preferences
from rankmark.inputs.roles import columns_said
from rankmark.inputs.slicing import By
from rankmark.inputs.tables.several import runs_by_name
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.kinds.ragged import offsets_of
from rankmark.language.choices import Choices
from rankmark.language.given_measure import DerivedMeasure
from rankmark.language.plan import check_threads, separate
from rankmark.peers.trec_groups import read_groups
from rankmark.peers.trec_plan import TrecEvalError
from rankmark.peers.trec_preferences import NOT_RETRIEVED, Pairs, PreferencesOfQuery
from rankmark.preferences.scores import PreferenceMeasure, preference_measure
from rankmark.rendering.words import counted
from rankmark.results.given import DerivedResult
from rankmark.results.runs import Runs
from rankmark.statistics.intervals import IntervalName
from rankmark.statistics.record import check_choice

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["MISSING", "ORDERS", "evaluate_preferences"]

MissingLists: TypeAlias = Literal["zero", "skip", "error"]
MISSING: Mapping[MissingLists, str] = {"zero": "counted as 0", "skip": "left out", "error": "refused"}
"""What becomes of a query with preferences, and without results."""
Order: TypeAlias = Literal["item-desc", "item-asc", "input"]
ORDERS: tuple[Order, ...] = ("item-desc", "item-asc", "input")
"""The orders of equal scores; the others look at grades, which preferences have not."""
TABLES = frozenset((".csv", ".tsv", ".parquet", ".json", ".jsonl", ".ndjson", ".arrow", ".feather", ".ipc"))
"""The endings of files of tables; others are those of trec_eval."""
KINDS = {5: "prefs", 4: "qrels_prefs"}
"""Which of these it is, by how many fields a line has."""
USUAL = ("ppref@10", "rpref@10", "wpref@10", "appref", "prefs_simp", "prefs_pair", "prefs_avgjg")


def evaluate_preferences(
    preferences: Any,
    run: Any,
    measures: str | Iterable[str] = USUAL,
    *,
    ties: Order = "item-desc",
    missing: MissingLists = "zero",
    transitive: bool = True,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    clusters: ClustersBy = None,
    weights: WeightsBy = None,
    by: By = None,
    attributes: Any = None,
    resamples: int = 10_000,
    seed: int = 0,
    threads: int | None = None,
    columns: Mapping[str, Any] | None = None,
) -> DerivedResult | Runs:
    """How far lists keep to preferences between items, such as "d3 is better than d7 for this query".

    A list fulfils a preference if the preferred item stands above the other; one that is not in the list
    stands below all that are. A pair is ordered at k if one of its items is among the first k. Of a query::

        ppref@k   fulfilled pairs / pairs, of those that are ordered at k
        rpref@k   fulfilled pairs that are ordered at k / all pairs
        wpref@k   as ppref@k, where a pair counts 1 / log₂(1 + rank of the upper item)
        appref@k  mean of ppref@r over the ranks r ≤ k at which rpref rises

    Without @k all pairs of which an item is in the list are ordered. The ``prefs_`` measures are trec_eval's:
    ``prefs_simp`` is the share of all preferences that are fulfilled, ``prefs_pair`` its mean over pairs of
    items, ``prefs_avgjg`` its mean over assessors; of those names with ``_ret`` in pairs that are both in the
    list, with ``_imp`` of which one is. What has no pairs is 0, and a value that of the mean over queries.

    Args:
        preferences: a path, a table or a dict of columns with a row a preference: ``query``, ``preferred``,
            ``other``, and ``assessor`` if there are several; or a file for trec_eval's ``-R prefs`` (``query
            group subgroup item grade``) or ``-R qrels_prefs`` (``query group item grade``), where an item is
            preferred to those of lower grades in its subgroup.
        run: as for `evaluate`; several by name in a dict.
        measures: which of these.
        ties: in which order equal scores come: ``item-desc``, ``item-asc``, which trec_eval takes here, or
            ``input``.
        missing: what becomes of a query without results: ``zero``, ``skip`` or ``error``.
        transitive: whether what is preferred to a preferred item by the same assessor is preferred to the
            other, too, as in trec_eval; else the rows alone count, which then may contradict each other.
            Files for trec_eval are always read as it reads them.
        intervals: whether to give intervals over queries, or by which method, as for `evaluate`.
        confidence: of these.
        clusters: as for `evaluate`, of `attributes`.
        weights: likewise.
        by: likewise.
        attributes: a table of queries.
        resamples: of intervals that draw.
        seed: of these.
        threads: how many to use; all cores if None.
        columns: the columns to use, where their names do not say it: ``query``, ``preferred``, ``other``,
            ``assessor``, and with ``run.`` before them those of results.

    Returns:
        A `DerivedResult`; of several runs `Runs`, which `rankmark.compare_results` compares.

    Raises:
        UsageError: what is no table, or a file that is not there.
        MeasureError: a measure that there is not.
        ColumnError: a column that is not there, or two that fit.
        DataError: an item that is preferred to another, and that to it; nulls; or what `evaluate` refuses.

    Source:
        B. Carterette and P. N. Bennett, "Evaluation measures for preference judgments", SIGIR 2008, of ppref,
        rpref and wpref; trec_eval 10.0.

    Example:
        >>> import rankmark as rm
        >>> table = {"query": ["q", "q", "q"], "preferred": ["a", "a", "b"], "other": ["b", "c", "c"]}
        >>> found = rm.evaluate_preferences(table, {"q": ["b", "a", "c"]}, "ppref@1 rpref@1 ppref wpref")
        >>> found["ppref@1"], round(found["rpref@1"], 4), round(found["ppref"], 4), round(found["wpref"], 4)
        (0.5, 0.3333, 0.6667, 0.6199)

    """
    check_choice("ties", ties, ORDERS)
    check_choice("missing", missing, tuple(MISSING))
    check_threads(threads)
    need_polars_threads()
    asked = [preference_measure(str(name)) for name in separate(measures)]
    own, of_run = _columns(columns_said(columns))
    read = _read(preferences, own, transitive=transitive)
    places = Places(attributes=attributes, columns=own)
    finish = Finish(
        places,
        by,
        Weighting.of(weights, places, read.queries.to_list()),
        Clustering.of(clusters, places),
        intervals,
        {"confidence": confidence, "resamples": resamples, "seed": seed, "threads": threads},
    )

    def result(results: Any) -> DerivedResult:
        return finish.of(_result(read, read_run(results, of_run), asked, ties, missing))

    runs = runs_by_name(run)
    return result(run) if runs is None else Runs({name: result(each) for name, each in runs.items()})


def _columns(columns: Mapping[str, Any]) -> tuple[dict[str, Any], ColumnNames]:
    """What is said of the columns of preferences, and of those of results."""
    of_run = {name: value for name, value in columns.items() if name.startswith("run.")}
    own = {name: value for name, value in columns.items() if name not in of_run}
    return own, of_run


@dataclass(frozen=True, eq=False)
class _Read:
    """Preferences that have been read.

    Attributes:
        items: the items of each query as judgements, whose grades are their numbers.
        queries: the queries.
        starts: the first row of each in `items`, and the end of the last.
        seen: the preferences of the query of a number, by the ranks of its items.
        rule: what of preferences follows, for the signature.

    """

    items: Input
    queries: pl.Series
    starts: NDArray[np.int64]
    seen: Callable[[int, NDArray[np.int64]], PreferencesOfQuery]
    rule: str


def _read(source: Any, columns: Mapping[str, Any], *, transitive: bool) -> _Read:
    if isinstance(source, str | Path):
        file = File(expand(str(source))[0], f"preferences {str(source)!r}")
        if file.ending not in TABLES:
            return _of_trec(str(source), file)
    return _of_table(source, columns, transitive=transitive)


def _of_trec(path: str, file: File) -> _Read:
    """The preferences of a file of trec_eval."""
    import polars as pl

    fields = len(file.first_line.split())
    if fields not in KINDS:
        raise DataError(
            f"{file.where}: its first line has {counted(fields, 'field')}, and a line of trec_eval's "
            "preferences has 5 (query group subgroup item grade) or 4 (query group item grade); a table is a "
            f"file {', '.join(sorted(TABLES))}"
        )
    groups = read_groups(path, KINDS[fields])
    names = list(groups.of_query)
    items = [groups.items(name) for name in names]

    def seen(query: int, ranks: NDArray[np.int64]) -> PreferencesOfQuery:
        try:
            return PreferencesOfQuery.of(names[query], groups.of_query[names[query]], items[query], ranks)
        except TrecEvalError as error:
            raise DataError(f"{groups.where}: {error}") from error

    starts = offsets_of(np.array([len(each) for each in items]))
    return _Read(groups.as_numbers(), pl.Series("query", names), starts, seen, "transitive")


def _of_table(source: Any, columns: Mapping[str, Any], *, transitive: bool) -> _Read:
    """The preferences of a table."""
    import polars as pl

    table, where = read_preferences(source, columns)
    sides = [table.select("query", item=side) for side in ("preferred", "other")]
    numbered = pl.concat(sides).unique().sort("query", "item")
    numbered = numbered.with_columns(relevance=pl.int_range(pl.len(), dtype=pl.Int64).over("query"))
    for side in ("preferred", "other"):
        named = numbered.rename({"item": side, "relevance": f"{side}_number"})
        table = table.join(named, on=["query", side], how="left", maintain_order="left")
    lengths = numbered.group_by("query", maintain_order=True).len()
    items = numbered["item"].to_list()
    starts = offsets_of(lengths["len"].to_numpy())
    found = _pairs(table, where, lengths["query"].to_list())

    def seen(query: int, ranks: NDArray[np.int64]) -> PreferencesOfQuery:
        own = items[starts[query] : starts[query + 1]]
        return PreferencesOfQuery.of_pairs(found[query], own, ranks, transitive=transitive)

    judged = Input(
        Table.from_arrow(numbered), "qrels", where, "query", "item", "relevance", None, text_ids=False
    )
    return _Read(judged, lengths["query"], starts, seen, "transitive" if transitive else "as-said")


def _pairs(table: pl.DataFrame, where: str, queries: Sequence[Any]) -> list[dict[str, Pairs]]:
    """The preferences of each assessor for each query, by what messages call them."""
    places = {query: place for place, query in enumerate(queries)}
    found: list[dict[str, Pairs]] = [{} for _ in queries]
    keys = [name for name in ("query", "assessor") if name in table.columns]
    for values, rows in table.group_by(keys, maintain_order=True):
        said = ", ".join(f"{key} {value!r}" for key, value in zip(keys, values, strict=True))
        numbers = (rows[f"{side}_number"].to_numpy() for side in ("preferred", "other"))
        first, second = numbers
        found[places[values[0]]][f"{where}: {said}"] = (first, second)
    return found


def _result(
    read: _Read, run: Input, measures: Sequence[PreferenceMeasure], ties: Order, missing: MissingLists
) -> DerivedResult:
    """The values of one system."""
    items, results = align_ids(read.items, run)
    lists, answered, first_rows = local.judged_lists(items, results, Choices(ties=ties))
    count = len(read.queries)
    values = np.zeros((len(measures), count))
    there = np.zeros(count, dtype=bool)
    for place, query in enumerate(np.searchsorted(read.starts, first_rows, side="right") - 1):
        rows = slice(*lists.offsets[place : place + 2])
        ranks = np.full(read.starts[query + 1] - read.starts[query], NOT_RETRIEVED)
        ranks[lists.relevance[rows].astype(np.int64)] = lists.rank[rows]
        seen = read.seen(int(query), ranks)
        values[:, query] = [measure.value(seen) for measure in measures]
        there[query] = answered[place]
    notes = _of_missing(read.queries, there, missing, run.name)
    if missing == "skip":
        values[:, ~there] = np.nan
    told = (f"preferences:{read.rule}", f"ties:{ties}", f"missing:{missing}")
    made = {DerivedMeasure(measure.name, told): own for measure, own in zip(measures, values, strict=True)}
    return DerivedResult.of(made, read.queries.rename("query"), notes=[*run.notes, *notes])


def _of_missing(queries: pl.Series, there: NDArray[np.bool_], missing: MissingLists, where: str) -> list[str]:
    """What is said of queries without results.

    Raises:
        DataError: there are some, and they are refused.

    """
    lacking = queries.filter(~there)
    if not len(lacking):
        return []
    said = f"{counted(len(lacking), 'query', 'queries')} without results, such as {lacking[0]!r}"
    if missing == "error":
        raise DataError(f"{where}: {said}; missing={missing!r} refuses these")
    return [f"{said} ({MISSING[missing]})"]
