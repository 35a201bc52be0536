"""Says how many queries people still have to label beside a judge, and which."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark.api.evaluation import evaluate
from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.inputs import read_shared
from rankmark.inputs.attributes import aligned, read_slices
from rankmark.inputs.places import Places
from rankmark.inputs.roles import check_names
from rankmark.inputs.tables.several import runs_by_name
from rankmark.judges.judging import Queries, check_plan
from rankmark.judges.labels import Labels
from rankmark.judges.planned import LabelPlan, LabelStratum
from rankmark.language.choices import UnseededChoices, given
from rankmark.language.plan import planned
from rankmark.rendering.words import counted
from rankmark.results.sliced import slice_members
from rankmark.statistics.allocation import neyman_allocation, neyman_order
from rankmark.statistics.freedom import effective_freedom
from rankmark.statistics.power import power_of
from rankmark.statistics.resampling import check_drawn, check_share

if TYPE_CHECKING:
    from rankmark.inputs import Input
    from rankmark.inputs.slicing import By
    from rankmark.language.measure import Measure
    from rankmark.results.lists import ListResult

__all__ = ["Planning", "Wish", "by_value", "labels_to_add"]

Floats = NDArray[np.float64]
FEWEST = 5
"""Of fewer labelled queries nothing is known of how people and judge go together."""
MOST_FREEDOM = 1e6
"""With more degrees of freedom t is normal."""
BORROWED = 4.0
"""As many queries count the others' residuals for, beside a stratum's own."""


def labels_to_add(
    human_qrels: Any,
    judge_qrels: Any,
    run: Any,
    measure: str | Measure,
    *,
    add: int | None = None,
    width: float | None = None,
    difference: float | None = None,
    power: float = 0.8,
    strata: By | int = 4,
    attributes: Any = None,
    finite: bool = False,
    confidence: float = 0.95,
    seed: int = 0,
    like: str | None = None,
    columns: Mapping[str, Any] | None = None,
    threads: int | None = None,
    **choices: Unpack[UnseededChoices],
) -> LabelPlan:
    """How many queries people still have to label for an interval of `evaluate_with_judge`, and which.

        SE² = Σ_k (N_k/N)²·σ_k²/(n_k − 1) + τ²/N

    σ_k is the deviation of people's values of stratum k about what the judge's say of them, and τ² what that
    leaves of their variance; of these queries alone (`finite`) τ is 0 and σ_k² counts by 1 − n_k/N_k. Further
    labels go where they make it least (Neyman), and in a stratum to queries drawn at random, so that the
    estimate stays right on average: `evaluate_with_judge` is to be given the same strata.

    σ_k is estimated from the labels that there are, that of a stratum with some weight of all others (as of
    four more queries). How well it is known makes the range of what is needed.

    Args:
        human_qrels: the labels of people: of a random sample of queries, five or more.
        judge_qrels: those of the judge: of all queries.
        run: the results of one system, or of two by their names, whose difference is to be known.
        measure: one, a mean over queries.
        add: how many queries to label next; if None as many as needed.
        width: how wide the interval may be.
        difference: a true value, or difference of two systems, that is to be told from 0.
        power: the chance with which, at a level of 1 − `confidence`.
        strata: what queries are drawn from: so many parts of them, by the judge's value, of about the same
            size, or as for `evaluate_with_judge`. It may not depend on labels of people.
        attributes: a path or table with a column of queries, for `strata`.
        finite: whether the value is that of these queries, and not of queries such as these.
        confidence: of the intervals, 0 to 1.
        seed: of what is drawn, and of ``ties="random"``.
        like: a convention, as in `evaluate`.
        columns: the columns to use, where their names do not say it.
        threads: how many threads to use; all cores if None.
        **choices: those of `evaluate`: ``ties``, ``missing``, ….

    Returns:
        How many labels are needed, and a table of all queries with their strata and which to label next.

    Raises:
        UsageError: more than two systems or one measure; neither a number nor a wish, or two wishes.
        DataError: fewer than five queries with labels of both, or a stratum of one query.

    Source:
        J. Neyman, "On the two different aspects of the representative method", JRSS 97, 1934; W. G. Cochran,
        "Sampling Techniques", 1977, chapters 5 and 7.

    Example:
        >>> import rankmark as rm
        >>> run = {f"q{i}": ["a", "b"] for i in range(40)}
        >>> judge = {query: {"a": i % 2, "b": i % 3 == 0} for i, query in enumerate(run)}
        >>> people = {query: judge[query] | {"a": i % 5 > 1} for i, query in enumerate(list(run)[:12])}
        >>> plan = rm.labels_to_add(people, judge, run, "P@2", add=10, strata=2)
        >>> plan.add, len(plan.next_queries), plan.width < plan.width_now
        (10, 10, True)

    """
    chosen = given(choices, UnseededChoices, labels_to_add)
    check_share(confidence=confidence, power=power)
    check_drawn(1, seed, threads)
    chosen["seed"] = seed
    _check_wish(add, width, difference)
    asked = planned(measure, like, chosen)
    check_plan(asked)
    if len(asked.measures) != 1:
        raise UsageError(f"labels are planned for one measure, and here are {len(asked.measures)}")
    runs = runs_by_name(run)
    systems: Mapping[str, Any] = {"run": run} if runs is None else runs
    if len(systems) > 2:
        raise UsageError(f"labels are planned for one system or two, and here are {len(systems)}")
    people, judge = (read_shared(each, "qrels", columns) for each in (human_qrels, judge_qrels))
    results = {name: read_shared(each, "run", columns) for name, each in systems.items()}
    names = [name for each in results.values() for name in each.names]
    check_names(columns, {"qrels": [*people.names, *judge.names], "run": names})
    labels = Labels.of(people, judge)
    how: dict[str, Any] = {"like": like, "columns": columns, "threads": threads, **chosen}

    def values(judgements: Input, name: str, **others: Any) -> ListResult:
        return evaluate(judgements, results[name], measure, **how | others)

    by_judge = {name: values(judge, name) for name in results}
    by_people = {name: values(labels.people, name, unjudged_queries="skip") for name in results}
    first = next(iter(by_judge.values()))
    queries = Queries.of(by_people, by_judge, [str(each) for each in first.query_ids])
    (of,) = first.measures
    one, *other = systems
    people_say, judge_says = queries.people[one, of], queries.judge[one, of]
    if other:
        people_say = queries.people[other[0], of] - people_say
        judge_says = queries.judge[other[0], of] - judge_says
    if isinstance(strata, int) and not isinstance(strata, bool):
        parts = by_value(judge_says, strata)
    else:
        places = Places(judge_qrels, next(iter(systems.values())), attributes, columns)
        parts = _given(strata, places, first.query_ids)
    planning = Planning.of(people_say, judge_says, queries.labelled, parts, confidence, finite=finite)
    wish = Wish(width, difference, power, confidence)
    needed = [planning.needed(wish, each) for each in (1.0, *planning.factors(confidence))]
    count = needed[0] if add is None else add
    left = len(judge_says) - planning.labelled
    counts = planning.allocated(min(left if count is None else count, left))
    low, high = planning.correlation_interval(confidence)
    return LabelPlan(
        measure=of.label,
        system=other[0] if other else one,
        baseline=one if other else None,
        labelled=planning.labelled,
        queries=len(judge_says),
        confidence=confidence,
        correlation=planning.correlation,
        correlation_low=low,
        correlation_high=high,
        width_now=planning.width(planning.known) if (planning.known >= 2).all() else math.nan,
        width=planning.width(counts),
        wanted=width if difference is None else difference,
        needed=needed[0],
        needed_low=needed[1],
        needed_high=needed[2],
        strata=tuple(planning.strata(counts)),
        frame=planning.frame(first.query_ids, counts, seed),
        signature=first.signature(of),
        notes=tuple(_noted(labels, planning, needed, wish, finite=finite)),
    )


def _check_wish(add: int | None, width: float | None, difference: float | None) -> None:
    if width is not None and difference is not None:
        raise UsageError("width and difference: labels are planned for one of both")
    if add is None and width is None and difference is None:
        raise UsageError("say what is wanted, by width= or difference=, or how many to add=")
    if add is not None and (not isinstance(add, int) or isinstance(add, bool) or add < 0):
        raise ChoiceError(f"add={add!r} is not a whole number from 0")
    for name, value in (("width", width), ("difference", difference)):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise ChoiceError(f"{name}={value!r} is not a number above 0")


def by_value(values: Floats, count: int) -> dict[str, NDArray[np.intp]]:
    """Queries by the judge's value, in parts of about the same size; equal values are not parted."""
    if count < 1:
        raise ChoiceError(f"strata={count} are no parts of queries")
    edges = np.unique(np.quantile(values, np.arange(1, count) / count, method="inverted_cdf"))
    part = np.unique(np.searchsorted(edges, values, side="left"), return_inverse=True)[1]
    return {str(each + 1): np.flatnonzero(part == each) for each in range(int(part.max()) + 1)}


def _given(strata: By, places: Places, ids: Sequence[Any]) -> dict[str, NDArray[np.intp]]:
    """Strata that were given."""
    frame = aligned(read_slices(strata, places, ids, "strata").frame, ids)
    if frame.width != 1:
        raise UsageError(f"strata are by one column, and these are by {', '.join(frame.columns)}")
    return {name or "(none)": members for name, members in slice_members(frame.to_series())}


@dataclass(frozen=True)
class Wish:
    """What is wanted: a width, or the power to find a difference; or nothing."""

    width: float | None
    difference: float | None
    power: float
    confidence: float

    def __bool__(self) -> bool:
        return self.width is not None or self.difference is not None

    def granted(self, error: float, freedom: float, width: float) -> bool:
        """Whether a standard error is small enough."""
        if self.width is not None:
            return width <= self.width
        assert self.difference is not None
        if not error:
            return True
        units = round(min(max(freedom, 1), MOST_FREEDOM)) + 1
        found = power_of(self.difference, error * math.sqrt(units), units, alpha=1 - self.confidence)
        return found >= self.power


@dataclass(frozen=True)
class Planning:
    """What is known of strata of queries.

    Attributes:
        parts: the queries of each.
        labelled_queries: which have labels of people.
        judge: the judge's values of all.
        known: how many of each are labelled.
        deviations: σ of each.
        explained: τ.
        residuals: those that σ is of.
        correlation: of people's values with the judge's within strata.
        confidence: of the intervals.
        finite: whether these queries alone are meant.

    """

    parts: Mapping[str, NDArray[np.intp]]
    labelled_queries: NDArray[np.bool_]
    judge: Floats
    known: NDArray[np.int64]
    deviations: Floats
    explained: float
    residuals: Floats
    correlation: float
    confidence: float
    finite: bool

    @classmethod
    def of(
        cls,
        people: Floats,
        judge: Floats,
        labelled: NDArray[np.bool_],
        parts: Mapping[str, NDArray[np.intp]],
        confidence: float,
        *,
        finite: bool,
    ) -> Planning:
        """What labels say of strata.

        Raises:
            DataError: too few queries are labelled, there is a stratum of one, or a query without a value.

        """
        if len(people) < FEWEST:
            raise DataError(
                f"{counted(len(people), 'query', 'queries')} with labels of both: let people label {FEWEST} "
                "at least, better 30, drawn at random"
            )
        if np.isnan(people).any() or np.isnan(judge).any():
            raise DataError("some queries have no value, and nothing can be planned for them")
        if small := [name for name, own in parts.items() if len(own) < 2]:
            raise DataError(f"stratum {small[0]} has one query; put strata together that have so few")
        values = np.full(len(judge), math.nan)
        values[labelled] = people
        own = [part[labelled[part]] for part in parts.values()]
        y, f = (
            [each[part] - each[part].mean() if len(part) else each[part] for part in own]
            for each in (values, judge)
        )
        centred, predicted = np.concatenate(y), np.concatenate(f)
        squares, products = float(predicted @ predicted), float(centred @ predicted)
        slope = max(products / squares, 0.0) if squares > 0 else 0.0
        residuals = [above - slope * below for above, below in zip(y, f, strict=True)]
        known = np.array([len(part) for part in own])
        freedom = max(int(np.maximum(known - 1, 0).sum()) - 1, 1)
        all_of_them = np.concatenate(residuals)
        pooled = float(all_of_them @ all_of_them) / freedom
        deviations = [
            math.sqrt((float(each @ each) + BORROWED * pooled) / (max(len(each) - 1, 0) + BORROWED))
            for each in residuals
        ]
        length = math.sqrt(squares * float(centred @ centred))
        shares = np.array([len(part) for part in parts.values()]) / len(judge)
        return cls(
            parts,
            labelled,
            judge,
            known,
            np.array(deviations),
            math.sqrt(max(float(people.var(ddof=1)) - float(shares @ np.array(deviations) ** 2), 0.0)),
            all_of_them,
            products / length if length else math.nan,
            confidence,
            finite,
        )

    @property
    def labelled(self) -> int:
        """How many queries are labelled."""
        return int(self.known.sum())

    @property
    def sizes(self) -> list[int]:
        """How many queries there are in each stratum."""
        return [len(part) for part in self.parts.values()]

    @property
    def least(self) -> NDArray[np.int64]:
        """How many labelled queries there are at least of each."""
        return np.maximum(self.known, 2)

    def allocated(self, add: int) -> NDArray[np.int64]:
        """How many are labelled in each stratum with so many more.

        Raises:
            ChoiceError: they are too few for two of each.

        """
        missing = int((self.least - self.known).sum())
        if add < missing:
            raise ChoiceError(
                f"add={add}: {len(self.parts)} strata of which each has two labelled queries take {missing} "
                "more; give more, or fewer strata"
            )
        return neyman_allocation(self.labelled + add, self.sizes, self.deviations, known=self.known.tolist())

    def _error(self, counts: NDArray[np.int64], factor: float = 1.0) -> tuple[float, float]:
        """The standard error and its degrees of freedom, with deviations so many times as great."""
        sizes = np.array(self.sizes)
        squares = (factor * self.deviations) ** 2
        # What people's values go by is estimated from them, too.
        own = squares / np.maximum(counts - 1, 1)
        own *= 1 - counts / sizes if self.finite else 1
        parts = (sizes / sizes.sum()) ** 2 * own
        rest = 0.0 if self.finite else self.explained**2 / float(sizes.sum())
        whole = float(parts.sum()) + rest
        if not whole:
            return 0.0, math.inf
        below = float((parts**2 / np.maximum(counts - 2, 1)).sum())
        return math.sqrt(whole), whole**2 / below if below else math.inf

    def width(self, counts: NDArray[np.int64], factor: float = 1.0) -> float:
        """How wide the interval is expected to be."""
        from scipy.special import ndtri, stdtrit

        error, freedom = self._error(counts, factor)
        share = (1 + self.confidence) / 2
        return 2 * error * float(ndtri(share) if math.isinf(freedom) else stdtrit(freedom, share))

    def needed(self, wish: Wish, factor: float = 1.0) -> int | None:
        """How many more labelled queries a wish takes; None if no number does."""
        if not wish:
            return None
        counts = self.least.copy()
        further = neyman_order(self.sizes, self.deviations, known=self.known.tolist())

        def granted() -> bool:
            return wish.granted(*self._error(counts, factor), self.width(counts, factor))

        while not granted():
            if (stratum := next(further, None)) is None:
                return None
            counts[stratum] += 1
        return int(counts.sum()) - self.labelled

    def factors(self, confidence: float) -> Iterator[float]:
        """How many times as small and as great deviations may be as they seem."""
        from scipy.special import chdtri

        freedom = effective_freedom(self.residuals, len(self.residuals))
        for tail in ((1 - confidence) / 2, (1 + confidence) / 2):
            yield math.sqrt(freedom / float(chdtri(freedom, tail)))

    def correlation_interval(self, confidence: float) -> tuple[float, float]:
        """By Fisher's z."""
        from scipy.special import ndtri

        if math.isnan(self.correlation) or abs(self.correlation) >= 1 or self.labelled < 5:
            return math.nan, math.nan
        reach = float(ndtri((1 + confidence) / 2)) / math.sqrt(self.labelled - 3)
        ends = [math.tanh(math.atanh(self.correlation) + each) for each in (-reach, reach)]
        return ends[0], ends[1]

    def strata(self, counts: NDArray[np.int64]) -> Iterator[LabelStratum]:
        """What is to be labelled in each."""
        rows = zip(self.parts.items(), self.known.tolist(), counts.tolist(), self.deviations, strict=True)
        for (name, part), known, count, deviation in rows:
            mean = float(self.judge[part].mean())
            yield LabelStratum(
                name, len(part), known, count - known, count / len(part), mean, float(deviation)
            )

    def frame(self, ids: Sequence[Any], counts: NDArray[np.int64], seed: int) -> Any:
        """A row a query."""
        import polars as pl

        rng = np.random.default_rng(seed)
        names = np.empty(len(self.judge), dtype=object)
        shares, order = np.empty(len(self.judge)), np.zeros(len(self.judge), dtype=np.int64)
        waiting = []
        for number, (name, part) in enumerate(self.parts.items()):
            names[part], shares[part] = name, counts[number] / len(part)
            waiting.append(rng.permutation(part[~self.labelled_queries[part]]).tolist())
        for place, stratum in enumerate(self._turns(counts), 1):
            order[waiting[stratum].pop()] = place
        frame = pl.DataFrame({"query": list(ids), "stratum": names.tolist()})
        return frame.with_columns(
            pl.Series("labelled", self.labelled_queries),
            pl.Series("next", order).replace(0, None),
            pl.Series("probability", shares),
        )

    def _turns(self, counts: NDArray[np.int64]) -> Iterator[int]:
        """The stratum of each query to label, those first that bring a stratum to two."""
        for number, missing in enumerate((self.least - self.known).tolist()):
            yield from [number] * missing
        further = neyman_order(self.sizes, self.deviations, known=self.known.tolist())
        for _, stratum in zip(range(int((counts - self.least).sum())), further, strict=False):
            yield stratum


def _noted(
    labels: Labels, planning: Planning, needed: Sequence[int | None], wish: Wish, *, finite: bool
) -> Iterator[str]:
    """What a reader should know."""
    yield from labels.notes(sampled=False)
    yield (
        "queries to label are drawn at random in each stratum; give evaluate_with_judge the same strata, "
        'with this table as attributes and strata="stratum"'
    )
    if wish and needed[0] is None:
        why = "" if finite else ": queries such as these vary more than that; add queries, or take finite"
        yield f"all {len(planning.judge):,} queries labelled would not do{why}"
    elif wish:
        ends = [f"{each:,}" if each is not None else "more than there are" for each in needed[1:]]
        yield (
            f"needed: by {planning.labelled} labelled queries it may be {ends[0]} to {ends[1]} "
            f"({100 * planning.confidence:g}% interval): label some, and plan again"
        )
