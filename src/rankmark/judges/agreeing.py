"""Compares the labels of a judge, such as a language model, with those of people, item by item."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark.api.evaluation import evaluate
from rankmark.comparing.agreement import rank_correlation, rank_correlations
from rankmark.errors import DataError, UsageError
from rankmark.explaining.listed import of_queries, ranked
from rankmark.inputs import read_shared
from rankmark.inputs.attributes import aligned, read_slices
from rankmark.inputs.places import Places
from rankmark.inputs.roles import check_names
from rankmark.inputs.tables.several import runs_by_name
from rankmark.judges.agreed import (
    GradeAgreement,
    LabelAgreement,
    LabelCoefficient,
    LabelSlice,
    OrderAgreement,
    PairAgreement,
    SystemBias,
)
from rankmark.judges.judging import check_plan
from rankmark.judges.labels import Labels, label_rows
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.plan import Plan, check_threads, planned
from rankmark.results.sliced import slice_members
from rankmark.statistics.agreement import (
    AgreementCoefficient,
    cohens_kappa,
    gwets_ac,
    krippendorffs_alpha,
    observed_agreement,
)
from rankmark.statistics.corrections import corrected
from rankmark.statistics.intervals import percentile_interval, t_interval
from rankmark.statistics.jackknife import jackknife_difference
from rankmark.statistics.resampling import bootstrap_means, check_drawn, check_share

if TYPE_CHECKING:
    import polars as pl

    from rankmark.inputs import Input
    from rankmark.inputs.slicing import By
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult

__all__ = ["agree_on_labels", "labels_of_both"]

Floats = NDArray[np.float64]
FEW_PAIRS = 3
"""Of fewer pairs of systems how far they agree has too few values for an interval."""
FEW = 10
"""Fewer queries say too little of how items of one depend on each other."""


def agree_on_labels(
    human_qrels: Any,
    judge_qrels: Any,
    run: Any = None,
    measures: str | Measure | Iterable[str | Measure] = "nDCG@10",
    *,
    depth: int = 10,
    by: By = None,
    attributes: Any = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[UnseededChoices],
) -> LabelAgreement:
    """How far a judge, such as a language model, agrees with people, and where it is too kind or too hard.

    Of the items that both labelled: coefficients of agreement, the confusion of grades, the judge's bias by
    grade, slice of the queries and system, and with several systems how far it orders them as people do.
    Items of a query depend on each other; intervals leave out, or draw, whole queries.

    Args:
        human_qrels: the labels of people, as `evaluate` takes judgements: of some queries, of all of their
            items or of some.
        judge_qrels: those of the judge.
        run: the results of one system, or of several by their names, as `evaluate` takes them; None to look
            at labels alone.
        measures: by which systems are ordered: means over queries.
        depth: how many items of each list a system's bias is of.
        by: what to slice the queries by, as in `evaluate`.
        attributes: a path or table with a column of queries, for `by`.
        confidence: of the intervals, 0 to 1.
        resamples: how many draws of queries there are for the order of systems.
        seed: of these, and of ``ties="random"``.
        like: a convention, as in `evaluate`.
        columns: the columns to use, where their names do not say it.
        threads: how many threads to use; all cores if None.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Returns:
        How far labels agree, and what that does to systems.

    Raises:
        UsageError: an unknown measure or choice, or a depth below 1.
        MeasureError: a measure that is no mean over queries.
        DataError: a table that cannot be read, or fewer than two queries with labels of both.

    Source:
        As the functions of `rankmark.statistics`: `cohens_kappa`, `krippendorffs_alpha`, `gwets_ac`.

    Example:
        Two of four labels agree, and the judge is .5 too high on average.

        >>> import rankmark as rm
        >>> people = {"p": {"a": 1, "b": 0}, "q": {"a": 0, "b": 1}}
        >>> judge = {"p": {"a": 1, "b": 1}, "q": {"a": 1, "b": 1}}
        >>> agreement = rm.agree_on_labels(people, judge)
        >>> agreement["observed agreement"], [each.bias for each in agreement.grades]
        (0.5, [1.0, 0.0])

    """
    chosen = given(choices, UnseededChoices, agree_on_labels)
    check_share(confidence=confidence)
    check_drawn(resamples, seed, threads)
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise UsageError(f"depth={depth!r} is not a whole number from 1")
    check_threads(threads)
    chosen["seed"] = seed
    plan = planned(measures, like, chosen)
    check_plan(plan)
    runs = runs_by_name(run)
    systems: Mapping[str, Any] = {} if run is None else {"run": run} if runs is None else runs
    people, judge = (read_shared(each, "qrels", columns) for each in (human_qrels, judge_qrels))
    results = {name: read_shared(each, "run", columns) for name, each in systems.items()}
    names = [name for each in results.values() for name in each.names]
    check_names(columns, {"qrels": [*people.names, *judge.names], "run": names})
    labels = Labels.of(people, judge)
    rows = labels_of_both(labels.people, judge)
    both = _Both(rows, confidence)
    ids = _query_ids(labels.people)
    places = Places(judge_qrels, next(iter(systems.values()), None), attributes, columns)
    how: dict[str, Any] = {"like": like, "columns": columns, "threads": threads, **chosen}
    ordering = None
    if len(results) > 1:
        asked = measures if like else plan.measures
        own = of_queries(judge, _like(judge, ids))
        ordering = _Ordering.of(labels.people, own, results, asked, how)
    return LabelAgreement(
        queries=both.queries,
        items=rows.height,
        confidence=confidence,
        coefficients=tuple(both.coefficients()),
        grades=tuple(both.grades()),
        confusion=both.confusion(),
        slices=() if by is None else tuple(_sliced(both, by, places, ids)),
        systems=tuple(both.systems(_listed(labels.people, results, plan, depth))),
        orders=() if ordering is None else tuple(ordering.orders(confidence, resamples, seed, threads)),
        pairs=() if ordering is None else tuple(ordering.pairs(confidence)),
        depth=depth,
        signatures={} if ordering is None else ordering.signatures,
        notes=tuple(_noted(labels, both)),
    )


def labels_of_both(people: Input, judge: Input) -> pl.DataFrame:
    """The items that both labelled: ``query``, ``item``, ``people``, ``judge``.

    Raises:
        DataError: there are none.

    """
    own = label_rows(people).rename({"grade": "people"})
    rows = own.join(label_rows(judge).rename({"grade": "judge"}), on=["query", "item"], maintain_order="left")
    if rows.is_empty():
        raise DataError(
            f"people and judge labelled no item in common: people's are such as {own['item'][0]!r} of "
            f"{own['query'][0]!r}"
        )
    return rows


def _query_ids(people: Input) -> list[Any]:
    """The queries, as the table has them."""
    import polars as pl

    return pl.DataFrame(people.table)[people.query].unique(maintain_order=True).to_list()


def _like(judge: Input, ids: Sequence[Any]) -> list[Any]:
    """The same queries as the judge's table has them."""
    import polars as pl

    own = pl.DataFrame(judge.table)[judge.query].unique(maintain_order=True)
    return own.filter(own.cast(pl.String).is_in(list(map(str, ids)))).to_list()


def _listed(
    people: Input, results: Mapping[str, Input], plan: Plan, depth: int
) -> Mapping[str, pl.DataFrame]:
    """The first items of each system in labelled queries."""
    import polars as pl

    ids = pl.col("query", "item").cast(pl.String)
    lists = {name: ranked(people, each, plan.choices) for name, each in results.items()}
    return {name: rows.filter(pl.col("rank") <= depth).select(ids) for name, rows in lists.items()}


def _noted(labels: Labels, both: _Both) -> Iterator[str]:
    """What a reader should know of the labels."""
    yield from labels.notes(sampled=True)
    if labels.judge_alone:
        whole = labels.judge_alone + labels.both
        yield (
            f"people labelled {labels.both:,} of {whole:,} items that the judge labelled in their queries: "
            "agreement is of these, and of others only if they were drawn at random"
        )
    if both.queries < FEW:
        yield f"{both.queries} queries are too few for intervals that hold: label {FEW} at least, better 30"


class _Both:
    """Items that both labelled."""

    def __init__(self, rows: pl.DataFrame, confidence: float) -> None:
        self.rows, self.confidence = rows, confidence
        self.people = rows["people"].to_numpy()
        self.judge = rows["judge"].to_numpy()
        self.query = np.unique(rows["query"].to_numpy(), return_inverse=True)[1]
        self.queries = int(rows["query"].n_unique())

    def coefficients(self) -> Iterator[LabelCoefficient]:
        """How far they agree."""
        how: dict[str, Any] = {"clusters": self.query, "confidence": self.confidence}
        several = np.column_stack([self.people, self.judge])
        graded = len(np.unique(several)) > 2
        found: dict[str, AgreementCoefficient] = {
            "observed agreement": observed_agreement(several, **how),
            "kappa": cohens_kappa(self.people, self.judge, **how),
        }
        if graded:
            for cost in ("linear", "quadratic"):
                found[f"{cost} kappa"] = cohens_kappa(self.people, self.judge, cost=cost, **how)
        level: Any = "ordinal" if graded else "nominal"
        found[f"{level} alpha"] = krippendorffs_alpha(several, level=level, **how)
        found["AC1"] = gwets_ac(several, **how)
        if graded:
            found["quadratic AC2"] = gwets_ac(several, cost="quadratic", **how)
        for name, each in found.items():
            yield LabelCoefficient(name, each.value, each.low, each.high, each.caution)

    def grades(self) -> Iterator[GradeAgreement]:
        """What the judge makes of each grade."""
        for grade in np.unique(np.concatenate([self.people, self.judge])).tolist():
            given, found = self.people == grade, self.judge == grade
            both = int(np.count_nonzero(given & found))
            people, judge = int(given.sum()), int(found.sum())
            yield GradeAgreement(
                grade,
                people,
                judge,
                both,
                both / people if people else math.nan,
                both / judge if judge else math.nan,
                *self.bias(np.flatnonzero(given)),
            )

    def bias(self, rows: NDArray[np.intp]) -> tuple[float, float, float]:
        """How much higher than people the judge is on some items, with the interval."""
        if not len(rows):
            return math.nan, math.nan, math.nan
        apart = (self.judge - self.people)[rows]
        low, high = t_interval(apart, clusters=self.query[rows], confidence=self.confidence)
        return float(apart.mean()), float(low), float(high)

    def confusion(self) -> pl.DataFrame:
        """How often two grades come together."""
        import polars as pl

        counts = self.rows.group_by("people", "judge").agg(items=pl.len().cast(pl.Int64))
        share = pl.col("items") / pl.col("items").sum().over("people")
        return counts.sort("people", "judge").with_columns(share=share)

    def slice(self, by: str, value: str | None, rows: NDArray[np.intp]) -> LabelSlice:
        """How they agree in some items."""
        clusters = self.query[rows]
        kappa = cohens_kappa(
            self.people[rows],
            self.judge[rows],
            cost="quadratic",
            clusters=clusters,
            confidence=self.confidence,
        )
        count = len(np.unique(clusters))
        return LabelSlice(by, value, count, len(rows), *self.bias(rows), kappa.value, kappa.low, kappa.high)

    def systems(self, lists: Mapping[str, pl.DataFrame]) -> Iterator[SystemBias]:
        """How much higher the judge grades what each system finds."""
        if not lists:
            return
        numbered = self.rows.select("query", "item").with_row_index("row")
        own = {
            name: numbered.join(rows, on=["query", "item"], how="semi")["row"].to_numpy().astype(np.intp)
            for name, rows in lists.items()
        }
        # An item counts as often as systems have it.
        together = np.concatenate(list(own.values()))
        beyond = {name: self._beyond(rows, together) for name, rows in own.items()}
        p = corrected([each[-1] for each in beyond.values()], "holm")
        for (name, rows), adjusted in zip(own.items(), p, strict=True):
            bias = self.bias(rows)
            yield SystemBias(name, len(rows), *bias, *beyond[name], float(adjusted))

    def _beyond(self, rows: NDArray[np.intp], others: NDArray[np.intp]) -> tuple[float, float, float, float]:
        """By how much the bias on some items is above that on others, by leaving out each query."""
        if not len(rows) or len(rows) == len(others):
            return math.nan, math.nan, math.nan, math.nan
        apart = self.judge - self.people
        sums = [self._by_query([apart, np.ones(len(apart))], part) for part in (rows, others)]
        with np.errstate(all="ignore"):
            (own, count), (other, number) = (each.sum(axis=1) for each in sums)
            difference = own / count - other / number
            left = [each.sum(axis=1)[:, None] - each for each in sums]
            without = left[0][0] / left[0][1] - left[1][0] / left[1][1]
        moves = (1 - 1 / self.queries) * (difference - without)
        low, high, p = jackknife_difference(float(difference), [moves], confidence=self.confidence)
        return float(difference), low, high, p

    def _by_query(self, values: Sequence[Floats], rows: NDArray[np.intp]) -> Floats:
        """The sums of each query over some items."""
        return np.array([np.bincount(self.query[rows], each[rows], self.queries) for each in values])


def _sliced(both: _Both, by: By, places: Places, ids: Sequence[Any]) -> Iterator[LabelSlice]:
    """How labels agree in slices of the queries."""
    frame = aligned(read_slices(by, places, ids).frame, ids)
    query = both.rows["query"].to_list()
    for column in frame.get_columns():
        for value, members in slice_members(column):
            own = {str(ids[number]) for number in members}
            rows = np.flatnonzero([each in own for each in query])
            if len(rows):
                yield both.slice(column.name, value, rows)


class _Ordering:
    """The values of systems by labels of people and of the judge on the same queries."""

    def __init__(self, results: Sequence[Sequence[ListResult]], names: Sequence[str]) -> None:
        first = results[0][0]
        self.names, self.measures = list(names), list(first.measures)
        self.signatures = {each.label: first.signature(each) for each in first.measures}
        order = {str(query): place for place, query in enumerate(first.query_ids)}
        self.values: dict[Measure, Floats] = {}
        for measure in self.measures:
            values = np.full((len(order), 2, len(names)), math.nan)
            for side, own in enumerate(results):
                for number, result in enumerate(own):
                    rows = [order[str(query)] for query in result.query_ids]
                    values[rows, side, number] = result.query_values(measure)
            self.values[measure] = values[~np.isnan(values).any(axis=(1, 2))]

    @classmethod
    def of(
        cls, people: Input, judge: Input, runs: Mapping[str, Input], measures: Any, how: Mapping[str, Any]
    ) -> _Ordering:
        """Those of runs."""
        # Runs have the other queries, too.
        found = [
            [evaluate(qrels, run, measures, **{**how, "unjudged_queries": "skip"}) for run in runs.values()]
            for qrels in (people, judge)
        ]
        return cls(found, list(runs))

    def orders(
        self, confidence: float, resamples: int, seed: int, threads: int | None
    ) -> Iterator[OrderAgreement]:
        """How far both orders agree."""
        for measure, values in self.values.items():
            sign = -1.0 if measure.better == "less" else 1.0
            flat = sign * values.reshape(len(values), -1)
            drawn = bootstrap_means(flat, resamples=resamples, seed=seed, threads=threads)
            people, judge = np.split(drawn, 2, axis=1)
            pairs = math.comb(len(self.names), 2)
            confident = partial(_percentiles, confidence=confidence, known=pairs >= FEW_PAIRS)
            own, other = np.split(flat.mean(axis=0), 2)
            tau, tau_ap = (
                (
                    rank_correlation(own, other, each),
                    *confident(rank_correlations(people, judge, each)),
                )
                for each in ("Tau", "TauAP")
            )
            low, high = confident(_swaps(people, judge).astype(float))
            # There are whole numbers of swaps.
            swaps = float(np.floor(low)), float(np.ceil(high))
            found = int(_swaps(own[None], other[None])[0])
            yield OrderAgreement(measure.label, *tau, *tau_ap, found, *swaps, pairs)

    def pairs(self, confidence: float) -> Iterator[PairAgreement]:
        """What every two systems differ by."""
        for measure, values in self.values.items():
            for one, other in combinations(range(len(self.names)), 2):
                apart = values[:, :, other] - values[:, :, one]
                figures = [
                    figure
                    for each in apart.T
                    for figure in (float(each.mean()), *map(float, t_interval(each, confidence=confidence)))
                ]
                yield PairAgreement(measure.label, self.names[other], self.names[one], *figures)


def _swaps(people: Floats, judge: Floats) -> NDArray[np.int64]:
    """How many pairs of columns stand the other way round, row by row."""
    pairs = list(combinations(range(people.shape[1]), 2))
    one, other = (np.array([pair[side] for pair in pairs]) for side in (0, 1))
    apart = (people[:, one] - people[:, other]) * (judge[:, one] - judge[:, other])
    return np.asarray(np.count_nonzero(apart < 0, axis=1))


def _percentiles(drawn: Floats, confidence: float, *, known: bool) -> tuple[float, float]:
    """The ends of what was drawn; NaN where that is not `known` well enough."""
    own = drawn[~np.isnan(drawn)]
    return percentile_interval(own, confidence=confidence) if known and len(own) else (math.nan, math.nan)
