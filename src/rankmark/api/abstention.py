"""How well a system's scores say which queries it fails."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import numpy as np

from rankmark.api.evaluation import evaluate
from rankmark.dataclassing import dataclass
from rankmark.errors import ColumnError, DataError, MeasureError, UsageError
from rankmark.inputs import align_ids, read_shared
from rankmark.inputs.clusters import Clustering, ClustersBy
from rankmark.inputs.places import Places
from rankmark.language.measure import Measure
from rankmark.progress import counting
from rankmark.rendering.blocks import Block, Code, Grid, Notes
from rankmark.rendering.numbers import Numbered, Parts
from rankmark.rendering.records import Record
from rankmark.rendering.words import counted, rounded
from rankmark.results.saved import Saved
from rankmark.statistics.abstention import CONFIDENCES, abstention_nauc
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_drawn, check_share

__all__ = ["Abstention", "AbstentionValue", "evaluate_abstention"]


@dataclass(frozen=True, slots=True, repr=False)
class AbstentionValue(Record):
    """How well one measure of confidence tells queries with high values from those with low ones.

    Attributes:
        measure: whose values these are.
        confidence: ``max``, ``std`` or ``diff1``.
        nauc: the normalised area; NaN where all values are alike.
        low: the lower end of its interval over queries.
        high: the upper end; both NaN unless intervals were asked for.
        signature: all that decides it.

    """

    measure: str
    confidence: str
    nauc: float
    low: float
    high: float
    signature: str


@dataclass(frozen=True, slots=True, repr=False)
class Abstention(Saved, Numbered):
    """Normalised areas under abstention curves; ``print`` shows them.

    Attributes:
        values: one of each measure and confidence.
        queries: how many there are.
        level: of the intervals.
        notes: what a reader should know.

    """

    values: tuple[AbstentionValue, ...]
    queries: int
    level: float
    notes: tuple[str, ...] = ()

    _only: ClassVar = ("table", "json", "html")

    def __getitem__(self, named: tuple[str, str]) -> float:
        """The area of a measure and a confidence."""
        return {(each.measure, each.confidence): each.nauc for each in self.values}[named]

    def __repr__(self) -> str:
        queries = counted(self.queries, "query", "queries")
        return f"<Abstention {counted(len(self.values), 'value')}; {queries}>"

    def _numbers(self) -> Mapping[Parts, float]:
        return {
            ("", f"{each.measure} {each.confidence}", figure): getattr(each, figure or "nauc")
            for each in self.values
            for figure in ("", "low", "high")
        }

    def _blocks(self, digits: int) -> Iterator[Block]:
        spread = any(each.low == each.low for each in self.values)
        header = ["measure", "confidence", "nAUC", *(["low", "high"] if spread else [])]
        rows = [
            [each.measure, each.confidence]
            + [
                rounded(value, f".{digits}f")
                for value in ((each.nauc, each.low, each.high) if spread else (each.nauc,))
            ]
            for each in self.values
        ]
        yield Grid(2, [header, *rows])
        how = [f"low, high: {100 * self.level:g}% intervals by resamples of the queries"] if spread else []
        yield Notes([counted(self.queries, "query", "queries"), *self.notes, *how])
        yield Code([each.signature for each in self.values])

    def _record(self) -> dict[str, Any]:
        return asdict(self)


def evaluate_abstention(
    qrels: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    confidences: str | Sequence[str] = tuple(CONFIDENCES),
    intervals: bool = False,
    confidence: float = 0.95,
    attributes: Any = None,
    clusters: ClustersBy = None,
    resamples: int = 1_000,
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
    **choices: Any,
) -> Abstention:
    """nAUC: whether a system's scores tell the queries that it answers well from those that it fails.

    Were queries left unanswered whose confidence is low, the mean of the others should rise. 1 is as if the
    values themselves were known, 0 as if queries were left out by chance; MTEB prints it as
    ``nAUC_NDCG@10_max`` and so on. The formula is with `statistics.abstention_nauc`.

    Args:
        qrels: as for `evaluate`.
        run: likewise; with scores.
        measures: likewise, of which more is better.
        confidences: which of `statistics.CONFIDENCES`, of the scores of a query's whole list: ``max``, the
            highest, ``std``, their standard deviation, ``diff1``, the highest less the second; several, or
            one text, as ``"max, diff1"``.
        intervals: whether to give the middle share of the values of resampled queries, too.
        confidence: that share.
        attributes: a path or table with a column of queries, for `clusters`.
        clusters: ``{query: what it belongs to}``, such as its question, or a column of `attributes` or of
            the tables; these are drawn as wholes.
        resamples: how many.
        seed: of these, and of ``ties="random"``.
        columns: the columns to use, where their names do not say it.
        **choices: those of `evaluate`, and ``like``.

    Raises:
        UsageError: no confidences, or a file that is not there.
        MeasureError: a measure of which less is better, or that is no mean over queries.
        ColumnError: a run without scores.
        DataError: a table that cannot be evaluated.

    Source:
        H. Gisserot-Boukhlef et al., "Towards trustworthy reranking: a simple yet effective abstention
        mechanism", TMLR 2024.

    Example:
        >>> import rankmark as rm
        >>> qrels = {"p": {"a": 1}, "q": {"a": 1}}
        >>> run = {"p": {"a": 0.9, "b": 0.2}, "q": {"b": 0.6, "a": 0.5}}
        >>> round(rm.evaluate_abstention(qrels, run, "RR")["RR", "max"], 4)
        1.0

    """
    import polars as pl

    asked = confidences.replace(",", " ").split() if isinstance(confidences, str) else confidences
    for name in asked:
        check_choice("confidences", name, tuple(CONFIDENCES))
    if not asked:
        raise UsageError(f"confidences={confidences!r} names none; they are {', '.join(CONFIDENCES)}")
    check_share(confidence=confidence)
    check_drawn(resamples, seed)
    judged, results = read_shared(qrels, "qrels", columns), read_shared(run, "run", columns)
    if results.value is None:
        raise ColumnError(f"{results.name} has no scores, which confidence is of")
    result = evaluate(judged, results, measures, columns=columns, seed=seed, **choices)
    for measure in result.measures:
        if not measure.is_mean_of_queries or measure.better != "more":
            raise MeasureError(f"{measure} is no mean of queries' values of which more is better")
    _, aligned = align_ids(judged, results)
    score = pl.col(str(aligned.value)).cast(pl.Float64)
    frame = pl.DataFrame(aligned.table).select(query=aligned.query, score=score)
    lists = dict(frame.group_by("query", maintain_order=True).agg("score").iter_rows())
    ids = result.query_ids
    there = np.array([query in lists for query in ids])
    if not there.any():
        raise DataError(f"{results.name} has a list of none of the judged queries")
    scores = [np.asarray(lists[query], dtype=float) for query in ids if query in lists]
    sure = {name: np.array([CONFIDENCES[name](each) for each in scores]) for name in asked}
    rows = []
    drawn = np.random.default_rng(seed)
    clustering = Clustering.of(clusters, Places(qrels, run, attributes, columns))
    labels = np.arange(len(scores)) if clustering is None else clustering.labels(ids)[there]
    if labels.ndim > 1:
        raise UsageError("clusters are of one kind here: give one {query: what it belongs to}")
    members = [np.flatnonzero(labels == each) for each in np.unique(labels)]
    samples = [
        np.concatenate([members[each] for each in drawn.integers(0, len(members), len(members))])
        for _ in range(resamples if intervals else 0)
    ]
    with counting("resampling queries", len(result.measures) * len(sure)) as counter:
        for measure in result.measures:
            values = result.query_values(measure)[there]
            for name, own in sure.items():
                ends = _ends(own, values, samples, confidence)
                told = result.signature(measure).rpartition("|")
                signature = f"nAUC|confidence:{name}|{told[0]}|{told[2]}"
                rows.append(
                    AbstentionValue(measure.label, name, abstention_nauc(own, values), *ends, signature)
                )
                counter.done += 1
    missing = int((~there).sum())
    notes = [f"{counted(missing, 'query', 'queries')} without a list (left out)"] if missing else []
    return Abstention(tuple(rows), len(scores), confidence, tuple(notes))


def _ends(sure: Floats, values: Floats, samples: Sequence[Any], confidence: float) -> tuple[float, float]:
    """The middle share of the areas of resamples, of those that have one."""
    areas = np.array([abstention_nauc(sure[rows], values[rows]) for rows in samples])
    areas = areas[~np.isnan(areas)]
    if not len(areas):
        return np.nan, np.nan
    low, high = np.quantile(areas, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
