"""A gate for continuous integration: a candidate passes unless it is worse than it may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from rankmark.aggregation.terms import Terms
from rankmark.comparing.conditions import Conditions, Judged, Limits
from rankmark.comparing.deciding import Decider, OfQueries
from rankmark.comparing.gates import Gate, Side
from rankmark.comparing.pairs import Rows, rows_in, some_terms
from rankmark.comparing.stored import check_stored, opened
from rankmark.comparing.systems import are_seeds, check_same_weights, seed_notes
from rankmark.errors import DataError, UsageError
from rankmark.inputs.clusters import Clustering
from rankmark.inputs.places import Places
from rankmark.inputs.tables.several import of_system
from rankmark.inputs.weights import Weighting, WeightsBy
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.measure import Measure
from rankmark.rendering.words import counted
from rankmark.results.base import Result
from rankmark.results.lists import ListResult
from rankmark.statistics.resampling import check_drawn

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["gate"]


def gate(
    qrels: Any,
    baseline: Any = None,
    candidate: Any = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    *,
    max_drop: float | str | None = None,
    at_least: Limits = None,
    at_most: Limits = None,
    like: str | None = None,
    confidence: float | None = None,
    weights: WeightsBy = None,
    clusters: str | Mapping[Any, Any] | None = None,
    attributes: Any = None,
    always_valid: bool = False,
    seedless: str | Sequence[str] = (),
    seed: int = 0,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    hash_inputs: bool = False,
    items: Any = None,
    train: Any = None,
    **choices: Unpack[UnseededChoices],
) -> Gate:
    """Says whether a candidate is worse than a baseline by no more than is allowed, and within limits.

    With values b and c of the queries that have one of both, the drop is b − c, or (b − c) / b if `max_drop`
    is relative; of a measure of which less is better, its negative. Without `confidence` it passes if the
    drop is at most `max_drop`; with it if the one-sided upper confidence bound of the drop is:
    non-inferiority, shown and not just not disproved. With limits the candidate's own value decides, or with
    `confidence` its one-sided bound on that side. A gate is true if it passes.

    The bound is Gaffke's (`statistics.gaffke_bound`): it counts one query more, with the best value of the
    measure for the baseline and the worst for the candidate, and so holds for few queries, and where few or
    none of them change: 50 that are all alike show a drop of at most 0.058 with 95% confidence. Of measures
    without such ends (`MaxRank`, sums) the worst query seen stands for it, and of fewer than 25 queries, or
    10 that differ, there is no bound and the gate fails. What the queries can show at all, and how many
    `max_drop` takes, is said beside it (`MeasureGate.detectable`, `needed`). It assumes that queries (or
    clusters of them) are independent and a sample of those that are meant. Of medians and other quantiles it
    is a value by its rank, for a drop that of the worst ends, each wrong with half the chance; of standard
    deviations and trimmed means there is none.

    Runs in a list are one system with several seeds, whose values are the means over these. The bound is then
    of other seeds, too: d + √((u − d)² + s²) of the drop d, Gaffke's bound u of the means over seeds and the
    one-sided reach s of what seeds add (`statistics.crossed`). Two or three seeds say little, and widen it
    much.

    Args:
        qrels: the judgements, as for `evaluate`; None where there are none. Not looked at where there are
            results alone.
        baseline: the results of the system that there is; or what `evaluate` gave for it, or a path where
            that was saved, which has to be of the same judgements and choices; or None, with limits.
        candidate: the results of the one that may take its place, likewise. Each is one run, or a list of
            runs of several seeds.
        measures: as for `evaluate`; by none of them it may drop.
        max_drop: a number in the measure's unit (0.005), or a share of the baseline's value as text
            (``"0.5%"``).
        at_least: the least value of a measure that passes, ``{"nDCG@10": 0.3}``.
        at_most: the greatest, for measures of which less is better, or neither.
        like: a convention, as for `evaluate`.
        confidence: above 0.5 and below 1, such as 0.95.
        weights: how much each query counts in means, as for `evaluate`: a column of the attributes, of the
            judgements or of the first run, ``{query: weight}``, a series or an array. Drops and limits go by
            these means, and the query that the bound adds weighs as much as the heaviest.
        clusters: what a query belongs to, such as its user, as for `compare`: whole clusters are counted by
            the bound, and the one added is as large as the largest.
        attributes: a table of queries, for `weights` and `clusters`.
        always_valid: whether the bound is to hold at every number of queries at once
            (`statistics.confidence_sequence`), for gates that run every night on all queries so far: with 95%
            confidence at most 5 of 100 such gates ever pass a candidate that they should not. The queries
            have to stand in the judgements in the order in which they came, none changed, left out or put in
            between later, and the candidate and the baseline have to be the same on all nights.
        seedless: ``baseline`` or ``candidate``, whose one run depends on no seed, as that of BM25; without it
            a system with one run is taken to vary by seeds as much as the one with several beside it.
        seed: of ``ties="random"``.
        columns: as for `evaluate`.
        threads: how many to use; all cores if None.
        hash_inputs: whether to hash what the tables hold, for `Gate.inputs`.
        items: for measures of what is recommended, as for `evaluate`.
        train: likewise.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Raises:
        UsageError: no candidate, a measure of which neither more nor less is better, an argument that is none
            of its values, a gate that no candidate can fail or none can pass; or a baseline that was
            evaluated otherwise.
        DataError: a table that cannot be evaluated, no queries to decide by, or a baseline of other
            judgements.

    Example:
        >>> import rankmark as rm
        >>> qrels, before = {"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"], "q2": ["b"]}
        >>> after = {"q1": ["a"], "q2": ["x", "b"]}
        >>> decided = rm.gate(qrels, before, after, "RR", max_drop="5%")
        >>> decided.passed
        False
        >>> print(decided.reason(decided.measures[0]))
        failed: RR 1.0000 → 0.7500, worse by 25%; allowed 5%; decided by the point estimate on 2 queries
        >>> bool(rm.gate(qrels, None, after, at_least={"RR": 0.7}))
        True

    """
    from rankmark.inputs.catalogue import known_items

    if candidate is None:
        raise UsageError("there is no candidate: give the results of the system that may take the place")
    chosen = given(choices, UnseededChoices, gate)
    limits: dict[Side, Limits] = {"least": at_least, "most": at_most}
    conditions = Conditions.of(measures, max_drop, limits, confidence, has_baseline=baseline is not None)
    check_drawn(1, seed, threads)
    if always_valid and confidence is None:
        raise UsageError("always_valid is of bounds: give a confidence, such as 0.95")
    chosen |= {"like": like, "seed": seed, "columns": columns, "threads": threads}
    chosen["items"] = known_items(items, train, columns)
    systems = {"candidate": candidate} if baseline is None else {"candidate": candidate, "baseline": baseline}
    seeds = {name: _opened(name, own) for name, own in systems.items()}
    without = _check_seeds({name: len(own) for name, own in seeds.items()}, seedless, always_valid)
    runs = [run for own in seeds.values() for run in own]
    stored = [run for run in runs if isinstance(run, ListResult)]
    chosen["hash_inputs"] = hash_inputs or any("qrels" in each.inputs for each in stored)
    places = Places(qrels, next((run for run in runs if run not in stored), None), attributes, columns)
    clustering = Clustering.of(clusters, places)
    if clustering is not None and clustering.two:
        raise UsageError("a gate knows clusters of one kind: give the one that has fewer of them")
    chosen["weights"] = Weighting.of(weights, places, stored[0].query_ids if stored else ())
    results = [*_evaluated(qrels, seeds, conditions.asked, chosen)]
    new, old = results[: len(seeds["candidate"])], results[len(seeds["candidate"]) :]
    if stored:
        for name, own, asked in (
            ("the candidate", new[1:], conditions.asked),
            ("the baseline", old, conditions.measures),
        ):
            for each in own:
                check_stored(name, each, new[0], map(new[0]._find, asked))
        check_same_weights({"the candidate": new, "the baseline": old})
    labels = None if clustering is None else clustering.labels(new[0].query_ids)
    how = {"always_valid": always_valid, "seedless": bool(without), "stored": bool(stored)}
    lists = _OfLists(old, new, labels, **how)
    return conditions.decided(lists, seed)


def _opened(name: str, runs: Any) -> list[Any]:
    """The runs of a system, of each seed one."""
    if isinstance(runs, list) and not runs:
        raise UsageError(f"the {name} has no runs: its list is empty")
    return [opened(run, ListResult) for run in (runs if are_seeds(runs) else [runs])]


def _check_seeds(
    counts: Mapping[str, int], seedless: str | Sequence[str], always_valid: bool
) -> tuple[str, ...]:
    """The systems that depend on no seed, where another has several."""
    named = (seedless,) if isinstance(seedless, str) else tuple(seedless)
    for name in named:
        if counts.get(name) != 1:
            there = f"has {counts[name]} runs" if name in counts else f"is none of {' and '.join(counts)}"
            raise UsageError(f"seedless={name!r} {there}")
    if max(counts.values()) > 1 and always_valid:
        raise UsageError("always_valid is of one run of each system, and here are several seeds of one")
    return named


def _evaluated(
    qrels: Any,
    systems: Mapping[str, Sequence[Any]],
    measures: Sequence[str | Measure],
    how: Mapping[str, Any],
) -> Iterator[ListResult]:
    """The results of all runs of systems; those that are results as they are."""
    from rankmark.api.evaluation import evaluate
    from rankmark.inputs import read_shared

    each = [(name, run) for name, runs in systems.items() for run in runs]
    if qrels is not None and not all(isinstance(run, ListResult) for _, run in each):
        qrels = read_shared(qrels, "qrels", how["columns"])
    weights = how["weights"]
    for name, run in each:
        if not isinstance(run, ListResult):
            yield of_system(name, lambda run: evaluate(qrels, run, measures, **how), run)
        else:
            yield run if weights is None else run.with_weights(weights)


class _OfLists(Judged):
    """Of runs."""

    def __init__(
        self,
        old: Sequence[Result],
        new: Sequence[Result],
        labels: NDArray[Any] | None,
        *,
        always_valid: bool,
        seedless: bool,
        stored: bool,
    ) -> None:
        super().__init__(old, new, stored=stored)
        self.labels, self.always_valid, self.seedless = labels, always_valid, seedless

    @cached_property
    def _rows(self) -> dict[int, Rows]:
        """The places of the candidate's queries in each result."""
        return {id(each): rows_in(each, self.new.query_ids) for each in self.results.values()}

    def both(self, measure: Measure) -> Decider:
        """As `Judged.both`."""
        return self._decider(measure, self.seeds.values())

    def candidate(self, measure: Measure) -> Decider:
        """As `Judged.candidate`."""
        return self._decider(measure, [self.seeds["candidate"]])

    def _decider(self, measure: Measure, systems: Iterable[Sequence[Result]]) -> Decider:
        ids = self.new.query_ids
        terms = [
            Terms.of_seeds(
                [some_terms(each, measure, ids, self._rows[id(each)], self.labels) for each in seeds]
            )
            for seeds in systems
        ]
        there = np.logical_and.reduce([each.there for each in terms])
        kept = [each.at(there) for each in terms]
        if any(np.isinf(each.above).any() for each in kept):
            raise DataError(f"{measure} is infinite for some queries: they have no mean")
        labels = self.labels if self.labels is None or terms[0].whole else self.labels[there]
        return OfQueries(kept, labels, self.always_valid, self.seedless)

    def notes(self) -> Iterator[str]:
        """As `Judged.notes`."""
        yield from super().notes()
        for name, each in self.results.items():
            assert isinstance(each, ListResult)
            if left_out := each.counts.left_out:
                yield f"{name}: {counted(left_out, 'query', 'queries')} of the run not judged (left out)"
        counts = {name: len(own) for name, own in self.seeds.items()}
        if max(counts.values()) > 1:
            yield from seed_notes(counts, [*counts] if self.seedless else [])
