"""Measures lists by labels that are not sure: the mean over what the labels could be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Unpack

import numpy as np

from rankmark.aggregation.settled import FILLERS
from rankmark.api.evaluation import evaluate
from rankmark.api.finishing import Finish
from rankmark.errors import ChoiceError, MeasureError, UsageError
from rankmark.forking import need_polars_threads
from rankmark.inputs import Input, read_shared
from rankmark.inputs.clusters import Clustering, ClustersBy
from rankmark.inputs.places import Places
from rankmark.inputs.roles import check_names
from rankmark.inputs.slicing import By
from rankmark.inputs.tables.several import runs_by_name
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.judges.expecting import Drawing, Expecting
from rankmark.judges.labels import label_rows
from rankmark.judges.uncertain import GradeShares, UncertainLabels, read_probable
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.measure import Measure
from rankmark.language.plan import Plan, check_threads, planned
from rankmark.rendering.words import counted, rounded
from rankmark.results.given import DerivedResult
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs
from rankmark.statistics.intervals import IntervalName, t_interval
from rankmark.statistics.resampling import check_share

__all__ = ["evaluate_expected"]

ALONE = "run"
"""The one system that has no name."""
CERTAIN = (
    "no label is uncertain, so that these are the values of rm.evaluate: if there are probabilities, name "
    'their column with columns={"probability": "…"} (on the command line --column probability=…), in '
    "read_qrels as well"
)
TOO_SHORT = "intervals and tests over queries know nothing of how uncertain these are, and are too short"
FEW = 10
"""Fewer queries labelled by people say too little of whether a run is worth what is expected."""
SURELY = 0.99
"""An interval of this confidence has to leave out 0 for it to be said that it is not."""


def evaluate_expected(
    judgements: Any,
    run: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    people: Any = None,
    like: str | None = None,
    draws: int = 1000,
    seed: int = 0,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    clusters: ClustersBy = None,
    weights: WeightsBy = None,
    by: By = None,
    attributes: Any = None,
    resamples: int = 10_000,
    threads: int | None = None,
    columns: Mapping[str, Any] | None = None,
    **choices: Unpack[UnseededChoices],
) -> DerivedResult | Runs:
    """What measures are expected to be where labels are probabilities, such as those of a language model.

    Each item of a query has its grade independently of the others. Of a query, over all that its labels y
    could be together::

        expected(m)   Σ P(y) m(y)
        deviation(m)  √ Σ P(y) (m(y) − expected(m))²

    Of a query whose labels can come to no more than `draws` outcomes this is the sum itself, and else the
    mean of so many that are drawn, the same for every run; of a measure that is a sum over items, such as P
    and DCG, it always is exact. That is right on average if grades are as probable as is said among the
    items that the run finds, and not only among all. It is not the measure by expected grades: that of nDCG
    differs, since what the best order would be depends on the labels, too.

    Args:
        judgements: whatever `evaluate` takes, with a row for each grade that an item can have: ``query``,
            ``item``, ``relevance`` and ``probability``, as `label_probabilities` makes; where those of an
            item come to less than 1 the rest is grade 0. Without a column of relevances a row is the
            probability of being relevant; and without one of probabilities, as in TREC files and dicts, the
            relevances are these.
        run: as for `evaluate`; several by name in a dict.
        measures: means over queries.
        people: labels of people of some queries, where `judgements` are plain labels of a judge: each of its
            grades then stands for those that people gave where it said so, see `label_probabilities`.
        like: a convention, as in `evaluate`.
        draws: how many outcomes are looked at of each query.
        seed: of these, and of intervals that draw.
        intervals: whether to give intervals over queries, or by which method, as for `evaluate`. They hold
            queries to be a sample, and labels to be as probable as is said; so they are refused with
            `people`, of whose labels these probabilities are estimates.
        confidence: of these.
        clusters: as for `evaluate`.
        weights: likewise.
        by: likewise.
        attributes: a table of queries.
        resamples: of intervals that draw.
        threads: how many to use; all cores if None.
        columns: the columns to use, where their names do not say it; ``probability``, too.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Returns:
        Of each measure ``expected(…)`` and ``deviation(…)``, whose value is the mean over queries; notes say
        by how much the mean over queries could differ as labels could, and what it is by the likeliest
        labels. Of several runs `Runs`, which `rankmark.compare_results` compares.

    Raises:
        UsageError: what is no table, or a file that is not there.
        MeasureError: a measure that is no mean over queries, or leaves out queries by their labels.
        ChoiceError: an order of equal scores by grades, or unjudged items that are relevant.
        DataError: what is no probability, probabilities of an item that come to more than 1, or what
            `evaluate` refuses.

    Source:
        B. Carterette, J. Allan and R. Sitaraman, "Minimal test collections for retrieval evaluation", SIGIR
        2006, of the mean and the variance of AP where relevance is a probability.

    Example:
        Either label of ``a`` is as probable, and ``b`` is relevant.

        >>> import rankmark as rm
        >>> found = rm.evaluate_expected({"q": {"a": 0.5, "b": 1}}, {"q": ["a", "b"]}, "P@1 RR")
        >>> found["expected(P@1)"], found["expected(RR)"], found["deviation(RR)"]
        (0.5, 0.75, 0.25)

    """
    chosen = given(choices, UnseededChoices, evaluate_expected)
    check_share(confidence=confidence)
    check_threads(threads)
    if not isinstance(draws, int) or draws < 2:
        raise UsageError(f"draws={draws!r}: so many outcomes of labels are looked at of a query, 2 or more")
    if people is not None and intervals:
        raise UsageError(
            f"of probabilities learnt from labels of people {TOO_SHORT}: leave them out, or use "
            "rm.evaluate_with_judge (rankmark judge)"
        )
    plan = planned(measures, like, chosen | {"seed": seed})
    _check(plan)
    need_polars_threads()
    known = _Known.read(judgements, people, columns)
    runs = runs_by_name(run)
    results = {name: read_shared(each, "run", columns) for name, each in (runs or {ALONE: run}).items()}
    check_names(columns, {"qrels": known.names, "run": [n for each in results.values() for n in each.names]})
    labels = UncertainLabels.of(known.labels)
    asked = measures if like else plan.measures
    places = Places(judgements, None, attributes, columns)
    finish = Finish(
        places,
        by,
        Weighting.of(weights, places, labels.queries.to_list()),
        Clustering.of(clusters, places),
        intervals,
        {"confidence": confidence, "resamples": resamples, "seed": seed, "threads": threads},
    )
    how: dict[str, Any] = {"like": like, "threads": threads, "seed": seed, **chosen}

    def expecting(labels: UncertainLabels, own: Input) -> Expecting:
        plain = evaluate(labels.likeliest, own, asked, **how)
        return Expecting(labels, plan, Drawing(draws, seed), own, plain)

    def result(own: Input) -> DerivedResult:
        notes = [*known.notes]
        if labels.certain:
            notes.append(CERTAIN)
        if known.people is not None and known.guessed is not None and _answers(own, known.people):
            by_people = evaluate(known.people, own, asked, **how | {"unjudged_queries": "skip"})
            guessed = expecting(known.guessed, own).result()
            notes += _told_of_people(by_people, guessed)
        return finish.of(expecting(labels, own).result(notes))

    found = {name: result(own) for name, own in results.items()}
    return found[ALONE] if runs is None else Runs(found)


class _Known(NamedTuple):
    """The labels that were given.

    Attributes:
        labels: a row for each grade that an item can have.
        names: the columns of their tables.
        people: those of people, of queries that a judge labelled, too, where its labels are plain ones.
        guessed: what the judge's labels alone say of these queries.
        notes: what a reader should know of them.

    """

    labels: Input
    names: Sequence[str]
    people: Input | None = None
    guessed: UncertainLabels | None = None
    notes: Sequence[str] = ()

    @classmethod
    def read(cls, judgements: Any, people: Any, columns: Mapping[str, Any] | None) -> _Known:
        if people is None:
            read = read_probable(judgements, columns)
            return cls(read, read.names)
        own, judge = read_shared(people, "qrels", columns), read_probable(judgements, columns)
        if judge.probability is not None or _has_fractions(judge):
            raise UsageError(
                f"{judge.name} has probabilities, and people= (on the command line --people) is for plain "
                "labels of a judge, of which it makes some: leave it out"
            )
        shares = GradeShares.of(own, judge)
        known = counted(shares.people.table.num_rows, "label")
        notes = [f"probabilities are learnt from {known} of people; {TOO_SHORT}"]
        if shares.elsewhere:
            queries = counted(shares.elsewhere, "query", "queries")
            notes.append(f"{queries} with labels of people and none of the judge (left out)")
        names = [*own.names, *judge.names]
        return cls(shares.labels(), names, shares.people, UncertainLabels.of(shares.guessed()), notes)


def _has_fractions(labels: Input) -> bool:
    """Whether some grades lie between 0 and 1."""
    grades = label_rows(labels)["grade"]
    return bool(((grades > 0) & (grades < 1)).any())


def _answers(run: Input, judged: Input) -> bool:
    """Whether there are results for some of the judged queries."""
    import polars as pl

    there, asked = (pl.DataFrame(each.table)[each.query].cast(pl.String) for each in (run, judged))
    return bool(there.is_in(asked.unique().implode()).any())


def _told_of_people(by_people: ListResult, guessed: DerivedResult) -> Iterator[str]:
    """Where the labels of people say that a run is worth something else than is expected by the judge's."""
    places = {str(query): place for place, query in enumerate(guessed.query_ids)}
    own = [places[str(query)] for query in by_people.query_ids]
    for measure in by_people.measures:
        values = by_people.query_values(measure)
        expected = guessed.query_values(f"expected({measure})")[own]
        apart = (values - expected)[~np.isnan(values - expected)]
        if len(apart) < FEW or not apart.any():
            continue
        found = t_interval(apart, confidence=SURELY)
        if not found.low <= 0 <= found.high:
            yield (
                f"{measure}: {counted(len(apart), 'query', 'queries')} that people labelled are worth "
                f"{rounded(float(np.nanmean(values)), '.4f')} by their labels, and "
                f"{rounded(float(np.nanmean(expected)), '.4f')} is expected of them by the judge's, which is "
                "more than chance: what the run finds is not as probable as grades of all items say; "
                "rm.evaluate_with_judge (rankmark judge) puts that right"
            )


def _check(plan: Plan) -> None:
    """Refuses measures and choices that have no value for each query and outcome of its labels."""
    for choices, measures in plan.groups():
        for measure in measures:
            if measure.page.kind != "list" or not measure.is_mean_of_queries:
                raise MeasureError(
                    f"{measure} is no mean over queries, of which each has an expected value; choose one "
                    "that is, such as nDCG@10"
                )
        if choices.no_relevant not in FILLERS:
            raise ChoiceError(
                f'no_relevant="{choices.no_relevant}": whether anything is relevant is as uncertain as the '
                'labels are; choose no_relevant="zero" or "one"'
            )
        if choices.ties in ("best", "worst"):
            raise ChoiceError(
                f'ties="{choices.ties}" orders equal scores by grades, which are not certain; choose such as '
                'ties="item-desc" or "expected"'
            )
        if choices.unjudged == "relevant":
            raise ChoiceError(
                'unjudged="relevant": what is relevant is said by probabilities; give the items that nobody '
                "judged theirs"
            )
