"""Measures generated answers by nuggets or citations that somebody else assigned to them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from rankmark.answers.scores import ANSWER_MEASURES, AnswerMeasure, of_answers
from rankmark.api.finishing import Finish
from rankmark.errors import DataError, MeasureError, did_you_mean
from rankmark.inputs.answer_tables import AnswerTable, read_answers
from rankmark.inputs.clusters import Clustering, ClustersBy
from rankmark.inputs.names import listed
from rankmark.inputs.places import Places
from rankmark.inputs.roles import columns_said
from rankmark.inputs.slicing import By
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.given_measure import DerivedMeasure
from rankmark.language.plan import check_threads, separate
from rankmark.rendering.words import counted
from rankmark.results.given import DerivedResult
from rankmark.results.runs import Runs
from rankmark.statistics.intervals import IntervalName
from rankmark.statistics.record import check_choice

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["MISSING", "NO_VITAL", "evaluate_answers"]

MissingAnswers: TypeAlias = Literal["zero", "skip", "error"]
NoVital: TypeAlias = Literal["zero", "skip"]
MISSING: Mapping[MissingAnswers, str] = {
    "zero": "counted as 0",
    "skip": "left out",
    "error": "refused",
}
"""What becomes of a query that a system has no answer to, and others have."""
NO_VITAL: Mapping[NoVital, str] = {"zero": MISSING["zero"], "skip": MISSING["skip"]}
"""What becomes of a query none of whose nuggets is vital, in measures of these."""
OF_VITAL = ("vital", "vital_strict")


def evaluate_answers(
    table: Any,
    measures: str | Iterable[str] | None = None,
    *,
    missing: MissingAnswers = "zero",
    no_vital: NoVital = "zero",
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
    """What nuggets or citations say of generated answers, where people or a model have assigned them.

    Nothing is generated, and no model called: the table holds what was found. With s = 1 for support, ½ for
    partial support and 0 for none (0 for partial support, too, where a name ends in ``strict``) the values of
    an answer are, of its nuggets::

        all       Σ s / n                     vital     Σ s / n of the vital nuggets alone
        weighted  Σ w·s / Σ w, w = 1 for vital and ½ for okay nuggets

    and of its citations, where s of a sentence is that of its best citation::

        weighted_precision  Σ s / citations   citation_precision  needed citations / citations
        weighted_recall     Σ s / sentences   citation_recall     supported sentences / sentences
        passage_score       mean of sentences' mean scores   citation_f1  2·P·R / (P + R) of an answer

    A sentence is supported if its citations together support it fully, and a citation needed if its sentence
    is supported and it supports this alone, or the others without it do not. An answer without citations has
    precision 0. The value of a system is the mean over queries.

    Args:
        table: a path, a table or a dict of columns. Of nuggets with a row a nugget and answer: ``query``,
            ``nugget``, ``assignment`` (support, partial_support, not_support) and ``importance`` (vital,
            okay), without which there are ``all`` and ``all_strict`` alone. Of citations with a row a
            citation: ``query``, ``sentence``, ``citation`` (null in the one row of a sentence without),
            ``support`` of it alone (full, partial, none), and where it is known ``together``, that of all
            citations of the sentence, and ``rest``, that of the others without this one; or the number
            ``score`` of the passage. ``system`` says whose the answer is.
        measures: which of these; None for all that the table allows.
        missing: what becomes of a query that a system has no row of and others have: ``zero``, ``skip`` or
            ``error``.
        no_vital: what becomes of a query without vital nuggets in ``vital`` and ``vital_strict``: ``zero`` or
            ``skip``.
        intervals: whether to give intervals over queries, or by which method, as for `evaluate`.
        confidence: of these.
        clusters: as for `evaluate`; columns are looked for in the attributes, or else in the table.
        weights: likewise.
        by: likewise.
        attributes: a table of queries.
        resamples: of intervals that draw.
        seed: of these.
        threads: how many to use; all cores if None.
        columns: the columns to use, where their names do not say it, by the names above.

    Returns:
        A `DerivedResult` where no column says the system; else `Runs` with one of each system, which
        `rankmark.compare_results` compares.

    Raises:
        UsageError: what is no table, or a file that is not there.
        MeasureError: a measure that there is not, or that the table does not allow.
        ColumnError: a column that is not there, or two that fit.
        DataError: a word that is none of those above, a nugget or a citation twice, an answer that lacks
            nuggets of its query, or an importance that differs between answers.

    Source:
        R. Pradeep et al., "Initial nugget evaluation results for the TREC 2024 RAG track with the
        AutoNuggetizer framework", 2024. N. Thakur et al., "Support evaluation for the TREC 2024 RAG track",
        SIGIR 2025, of one citation a sentence. T. Gao et al., "Enabling large language models to generate
        text with citations", EMNLP 2023.

    Example:
        >>> import rankmark as rm
        >>> table = {"query": ["q"] * 4, "nugget": ["a", "b", "c", "d"],
        ...          "importance": ["vital", "vital", "okay", "okay"],
        ...          "assignment": ["support", "partial_support", "support", "not_support"]}
        >>> found = rm.evaluate_answers(table)
        >>> found["vital"], found["vital_strict"], found["all"], round(found["weighted"], 4)
        (0.75, 0.5, 0.625, 0.6667)

    """
    check_choice("missing", missing, tuple(MISSING))
    check_choice("no_vital", no_vital, tuple(NO_VITAL))
    check_threads(threads)
    read = read_answers(table, columns)
    scores = of_answers(read)
    asked = _asked(measures, read, scores.columns)
    named = [by, clusters, weights]
    if attributes is None and any(isinstance(each, str | list | tuple) for each in named):
        attributes = _as_attributes(table)
    places = Places(attributes=attributes, columns=_of_query(columns))
    queries = scores["query"].unique(maintain_order=True)
    finish = Finish(
        places,
        by,
        Weighting.of(weights, places, queries.to_list()),
        Clustering.of(clusters, places),
        intervals,
        {"confidence": confidence, "resamples": resamples, "seed": seed, "threads": threads},
    )
    systems = scores["system"].unique(maintain_order=True).to_list() if "system" in scores.columns else [""]
    results = {}
    for name in systems:
        own = scores.filter(scores["system"] == name) if name else scores
        results[name] = finish.of(_result(own, queries, asked, read, missing, no_vital, name))
    return results[""] if systems == [""] else Runs(results)


def _as_attributes(table: Any) -> Any:
    """The table as one of queries, where what queries are sliced by stands in it."""
    import polars as pl

    return pl.DataFrame(dict(table), strict=False) if isinstance(table, Mapping) else table


def _of_query(columns: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """What is said of the column of queries, which attributes have, too."""
    query = columns_said(columns).get("query")
    return {"query": query} if query else None


def _asked(
    measures: str | Iterable[str] | None, read: AnswerTable, there: Iterable[str]
) -> list[AnswerMeasure]:
    known = [each for each in ANSWER_MEASURES.values() if each.name in there]
    if measures is None:
        return known
    found = []
    for name in separate(measures):
        measure = ANSWER_MEASURES.get(str(name))
        if measure is None:
            hint = did_you_mean(str(name), ANSWER_MEASURES) or ";"
            raise MeasureError(f"answers have no measure {name!s}{hint} there are {listed(ANSWER_MEASURES)}")
        if measure not in known:
            lacks = "" if measure.kind != read.kind else f", without a column of {measure.needs}"
            raise MeasureError(
                f"{name!s} is of {measure.kind}, and {read.where} is of {read.kind}{lacks}: there are "
                f"{listed([each.name for each in known])}"
            )
        found.append(measure)
    return list(dict.fromkeys(found))


def _result(
    scores: pl.DataFrame,
    queries: pl.Series,
    measures: Sequence[AnswerMeasure],
    read: AnswerTable,
    missing: MissingAnswers,
    no_vital: NoVital,
    system: str,
) -> DerivedResult:
    import polars as pl

    aligned = queries.to_frame("query").join(
        scores.with_columns(_there=pl.lit(value=True)), on="query", how="left", maintain_order="left"
    )
    lacking = aligned.filter(pl.col("_there").is_null())["query"]
    notes = []
    if len(lacking):
        without = f"{counted(len(lacking), 'query', 'queries')} without an answer, such as {lacking[0]!r}"
        if missing == "error":
            raise DataError(
                f"{read.where}: system {system!r} has {without}; missing={missing!r} refuses these"
            )
        notes.append(f"{without} ({MISSING[missing]})")
    absent = aligned["_there"].is_null().to_numpy()
    values: dict[DerivedMeasure, np.ndarray[Any, Any]] = {}
    none_vital = _without_vital(read, queries)
    for each in measures:
        own = aligned[each.name].cast(pl.Float64).fill_null(np.nan).to_numpy().copy()
        if missing == "zero":
            own[absent] = 0.0
        if each.name in OF_VITAL:
            own[none_vital] = 0.0 if no_vital == "zero" else np.nan
            if missing == "skip":
                own[absent] = np.nan
        told = (f"missing:{missing}", *([f"no_vital:{no_vital}"] if each.name in OF_VITAL else []))
        bounds = (None, None) if each.name == "passage_score" else (0.0, 1.0)
        values[DerivedMeasure(each.name, (*each.told, *told), "more", bounds)] = own
    if none_vital.any() and any(each.name in OF_VITAL for each in measures):
        without = counted(int(none_vital.sum()), "query", "queries")
        notes.append(f"no vital nuggets of {without} ({NO_VITAL[no_vital]})")
    return DerivedResult.of(values, queries.rename("query"), unit=("query", "queries"), notes=notes)


def _without_vital(read: AnswerTable, queries: pl.Series) -> NDArray[np.bool_]:
    """Which queries have no vital nugget."""
    import polars as pl

    if "importance" not in read.frame.columns:
        return np.zeros(len(queries), dtype=bool)
    vital = read.frame.filter(pl.col("importance") == 1)["query"]
    return ~queries.is_in(vital.unique().implode()).to_numpy()
