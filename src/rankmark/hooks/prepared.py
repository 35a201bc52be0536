"""Data sets whose labels, groups and weights stay while their scores come anew, as in training loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from rankmark import _native
from rankmark.aggregation.oddities import OF_LOGITS
from rankmark.aggregation.query_weights import QueryWeights, check_weighable
from rankmark.aggregation.settled import Lengths, counting, settled_alone
from rankmark.api.prediction_lists import without_items
from rankmark.api.prediction_plans import Plans
from rankmark.api.predictions import evaluate_predictions
from rankmark.dataclassing import dataclass
from rankmark.engines.grouped import Grouped
from rankmark.errors import DataError, MeasureError
from rankmark.hooks.telling import Told
from rankmark.inputs.predictions.groups import group_numbers
from rankmark.kinds.lists import Values
from rankmark.language.choices import Choices, NoRelevant, ShortLists, Ties
from rankmark.language.measure import Measure
from rankmark.rendering.words import counted

__all__ = [
    "Asked",
    "DataSet",
    "Options",
    "is_more_better",
    "probabilities_of",
    "saying_logits",
    "sees_probabilities",
    "sizes_of",
    "together",
]

KEPT = 8
"""So many data sets stay prepared."""


class Options(TypedDict, total=False):
    """What can be said of each metric besides its measures; see `Asked`."""

    like: str | None
    ties: Ties | None
    no_relevant: NoRelevant | None
    short_lists: ShortLists | None
    logits: bool
    weighted: bool


@dataclass(slots=True)
class Asked:
    """What a hook computes of data sets, which are prepared when they are first met.

    Attributes:
        measures: as for `rankmark.evaluate_predictions`; so are the next four.
        like: a convention.
        ties: the order of equal scores for measures of lists.
        no_relevant: what a query without relevant items is.
        short_lists: what a query with fewer rows than the cutoff is.
        logits: whether scores are logits, which measures of probabilities, and those with a threshold, see
            as 1/(1 + exp(−logit)), and measures of classes as softmax.
        weighted: whether weights count.

    """

    measures: str | Measure | Iterable[str | Measure]
    like: str | None = None
    ties: Ties | None = None
    no_relevant: NoRelevant | None = None
    short_lists: ShortLists | None = None
    logits: bool = False
    weighted: bool = True
    plans: Plans = field(init=False)
    told: Told = field(init=False, default_factory=Told)
    _known: list[DataSet] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        choices = {
            "ties": self.ties,
            "seed": None,
            "no_relevant": self.no_relevant,
            "duplicates": None,
            "short_lists": self.short_lists,
        }
        self.plans = Plans(self.measures, self.like, choices)
        self.asked()

    def __reduce__(self) -> tuple[Any, ...]:
        # A model that is saved with its metric holds no labels.
        said = (self.like, self.ties, self.no_relevant, self.short_lists, self.logits, self.weighted)
        return Asked, (self.plans.measures, *said)

    def asked(self, *, classes: bool = False) -> tuple[Measure, ...]:
        """The measures of rows that have one score, or one of each class."""
        return self.plans.understood(classes=classes)

    def named(self) -> dict[str, Measure]:
        """The measures by the names that tools print, in which nothing is that these tools separate by."""
        return {
            (each.label if " " not in each.label else str(each)).replace(" ", "").replace(":", "="): each
            for each in self.asked()
        }

    def values(
        self, labels: Any, scores: Any, sizes: Any = None, weights: Any = None
    ) -> Mapping[Measure, float]:
        """What the measures come to.

        Args:
            labels: one a row.
            scores: one a row, or [rows, classes].
            sizes: how many rows each query has, in the order in which they stand; None without queries.
            weights: one a row, or one a query.

        Raises:
            DataError: labels, scores or weights that a measure cannot take, or no queries where it needs
                some.

        """
        weights = weights if self.weighted and weights is not None and len(weights) else None
        given = [None if each is None else np.asarray(each) for each in (labels, sizes, weights)]
        known = next((each for each in self._known if each.is_of(given)), None)
        if known is None:
            known = DataSet(self, *given)  # type: ignore[arg-type]
            self._known[:] = [known, *self._known[: KEPT - 1]]
        return known.values(np.asarray(scores))


class DataSet:
    """Labels with their groups and weights, of which `Asked` is computed for any scores."""

    def __init__(
        self,
        asked: Asked,
        labels: NDArray[Any],
        sizes: NDArray[np.int64] | None,
        weights: NDArray[np.float64] | None,
    ) -> None:
        self._given = [None if each is None else each.copy() for each in (labels, sizes, weights)]
        self._asked = asked
        self.rows = len(labels)
        self._sizes = sizes if sizes is None else sizes[sizes > 0].astype(np.int64)
        self._of_queries, of_rows = self._weights(weights)
        columns: dict[str, Any] = {"label": labels}
        if self._sizes is not None:
            columns["query"] = group_numbers(self._sizes, self.rows, "the data set")
        if of_rows is not None:
            columns["weight"] = of_rows
        self._columns = columns
        self._lists: list[tuple[Grouped, Choices, tuple[Measure, ...]]] | None = None

    def is_of(self, given: list[NDArray[Any] | None]) -> bool:
        """Whether it is of these labels, sizes and weights."""
        return all(
            mine is theirs or (mine is not None and theirs is not None and np.array_equal(mine, theirs))
            for mine, theirs in zip(self._given, given, strict=True)
        )

    def _weights(
        self, weights: NDArray[Any] | None
    ) -> tuple[NDArray[np.float64] | None, NDArray[np.float64] | None]:
        """The weight of each query, the mean of its rows', and that of each row."""
        if weights is None:
            return None, None
        weights = weights.astype(np.float64)
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise DataError(
                "weights are finite numbers from 0, not all of them 0; weighted=False leaves them out"
            )
        if self._sizes is not None and len(weights) == len(self._sizes) != self.rows:
            return weights, np.repeat(weights, self._sizes)
        if len(weights) != self.rows:
            raise DataError(f"there are {len(weights):,} weights and {self.rows:,} rows")
        if self._sizes is None:
            return None, weights
        starts = np.cumsum(self._sizes) - self._sizes
        return np.add.reduceat(weights, starts) / self._sizes, weights

    def values(self, scores: NDArray[Any]) -> dict[Measure, float]:
        """What the measures come to of these scores, one a row or one a row and class."""
        if len(scores) != self.rows:
            raise DataError(f"there are {len(scores):,} scores and {self.rows:,} labels")
        if scores.ndim == 2 and scores.shape[1] == 1:
            scores = scores[:, 0]
        classes = scores.ndim == 2
        asked = self._asked.asked(classes=classes)
        of_lists = [each for each in asked if each.page.kind == "list"]
        if classes and of_lists:
            raise MeasureError(
                f"{of_lists[0]} takes one score in a row, and the model gives one of each of "
                f"{scores.shape[1]} classes; take an objective of ranking or regression"
            )
        of_rows = [each for each in asked if each.page.kind != "list"]
        found = self._of_rows(of_rows, scores) if of_rows else {}
        if len(of_rows) < len(asked):
            found |= self._of_lists(scores)
        return {measure: found[measure] for measure in asked}

    def _of_rows(self, measures: list[Measure], scores: NDArray[Any]) -> dict[Measure, float]:
        """The measures of rows and of classes."""
        if not self._asked.logits:
            with saying_logits():
                return self._evaluated(measures, scores)
        likely = [each for each in measures if scores.ndim == 2 or sees_probabilities(each)]
        others = [each for each in measures if each not in likely]
        found = self._evaluated(others, scores) if others else {}
        if likely:
            found |= self._evaluated(likely, probabilities_of(scores))
        return found

    def _evaluated(self, measures: list[Measure], scores: NDArray[Any]) -> dict[Measure, float]:
        several = scores.ndim == 2
        for measure in measures:
            if self._sizes is None and measure.per_query:
                raise _no_groups(measure)
        result = evaluate_predictions(
            self._columns | {"score": scores},
            measures,
            label="label",
            score="score",
            classes=list(range(scores.shape[1])) if several else None,
            query="query" if "query" in self._columns and not several else "",
            item="",
            weight="weight" if "weight" in self._columns else "",
            like=self._asked.like if several else None,  # of one score it has been asked already
            **{name: self._asked.plans.given[name] for name in ("ties", "no_relevant", "short_lists")},
        )
        return {measure: result[measure] for measure in measures}

    def _of_lists(self, scores: NDArray[Any]) -> dict[Measure, float]:
        """The measures of lists."""
        if (undefined := np.isnan(scores)).any():
            raise DataError(
                f"the model gives {counted(int(undefined.sum()), 'row')} NaN for a score, the first is row "
                f"{int(undefined.argmax())} (from 0)"
            )
        exact = scores.astype(np.float64)
        if self._lists is None:
            self._asked.told.swapped(self._columns["label"], exact)
            self._lists = list(self._grouped())
        found = {}
        for grouped, choices, measures in self._lists:
            lists = grouped.lists(exact)
            queries = Lengths(np.ones(len(grouped.sizes), dtype=np.bool_), grouped.sizes)
            for measure in measures:
                computed = measure.compute(lists)
                # Copies, because two measures may have given the same array.
                each = (
                    _native.QueryValues(x.copy())
                    for x in (computed if isinstance(computed, tuple) else (computed,))
                )
                counts = counting(measure, queries, choices)
                settled = settled_alone((measure, counts), each, choices, None)
                if choices.no_relevant == "error" and settled.no_relevant:
                    raise DataError(
                        f"{measure}: in {counted(settled.no_relevant, 'group')} nothing is relevant, which "
                        'no_relevant="error" refuses; choose "skip" or "zero"'
                    )
                found[measure] = (
                    settled.value if self._of_queries is None else self._weighed(measure, settled)
                )
        return found

    def _weighed(self, measure: Measure, settled: Any) -> float:
        terms = QueryWeights("weights", self._of_queries).terms(measure, settled.per_query)  # type: ignore[arg-type]
        return terms.at(terms.there).value()

    def _grouped(self) -> Iterable[tuple[Grouped, Choices, tuple[Measure, ...]]]:
        """The lists of each group of measures, with what decides it."""
        plan = self._asked.plans.of_rows
        asked = tuple(each for each in plan.measures if each.page.kind == "list")
        plan = without_items(replace(plan, measures=asked), self._asked.ties)
        if self._sizes is None:
            raise _no_groups(asked[0])
        if self._of_queries is not None:
            try:
                check_weighable(asked)
            except MeasureError as error:
                raise MeasureError(f"{error}: weighted=False leaves them out") from None
        grades = self._columns["label"].astype(np.float64)
        if not np.isfinite(grades).all():
            place = int((~np.isfinite(grades)).argmax())
            raise DataError(
                f"{asked[0]} takes labels for grades, and that of row {place} (from 0) is {grades[place]}"
            )
        for choices, measures in plan.groups():
            yield Grouped(grades, self._sizes, choices.ties), choices, measures


def is_more_better(measure: Measure, what: str) -> bool:
    """Whether more of a measure is better.

    Raises:
        MeasureError: neither more nor less is, and a tool of this name has to know.

    """
    if measure.better == "neither":
        raise MeasureError(
            f"{measure}: neither more nor less of it is better, and {what} has to know which; take it out, "
            "and evaluate it afterwards"
        )
    return measure.better == "more"


def sees_probabilities(measure: Measure) -> bool:
    """Whether a measure takes scores for probabilities, or decides by them at a threshold."""
    return measure.page.scores == "probability" or "threshold" in measure.page.parameters


@contextmanager
def saying_logits() -> Iterator[None]:
    """Lets errors of scores that are no probabilities say that a metric can make some of logits."""
    try:
        yield
    except DataError as error:
        if OF_LOGITS not in str(error):
            raise
        raise type(error)(str(error).replace(OF_LOGITS, "say logits=True of logits")) from None


def probabilities_of(logits: NDArray[Any]) -> NDArray[np.float64]:
    """The probabilities of logits, one a row, or one a row and class."""
    exact = logits.astype(np.float64)
    found: NDArray[np.float64] = softmax(exact, axis=1) if exact.ndim == 2 else expit(exact)
    return found


def _no_groups(measure: Measure) -> DataError:
    return DataError(
        f"{measure} is a value of each group (query, user), and the data set has none; say the groups as the "
        "tool takes them (LightGBM group=, XGBoost qid=, CatBoost group_id=), or ask for measures of rows, "
        "such as AUC"
    )


def sizes_of(groups: Any) -> Values:
    """How many rows each group has, of the group of each row, where the rows of a group stand together.

    Raises:
        DataError: they do not, or a row has no group.

    """
    ids = _numbered(groups)
    opens = np.flatnonzero(np.diff(ids, prepend=-1))
    if len(np.unique(ids)) < len(opens):
        raise DataError(
            "the rows of a group do not stand together; sort the rows by their group, or, if these are the "
            "sizes of groups, give the group of each row: np.repeat(np.arange(len(sizes)), sizes)"
        )
    return np.diff(opens, append=len(ids))


def together(groups: Any) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """The rows in an order in which those of a group stand together, and how many each group has.

    Raises:
        DataError: a row has no group.

    """
    ids = _numbered(groups)
    return np.argsort(ids, kind="stable"), np.bincount(ids)


def _numbered(groups: Any) -> NDArray[np.int64]:
    """The number of each row's group."""
    ids = np.asarray(groups)
    if ids.ndim != 1:
        raise DataError(f"groups have the shape {ids.shape}; give the group of each row")
    if ids.dtype.kind not in "fO":
        return np.unique(ids, return_inverse=True)[1]
    known: dict[Any, int] = {}  # because ids of several types have no order
    for row, each in enumerate(ids.tolist()):
        if each is None or each != each:
            raise DataError(f"row {row} (from 0) has no group: {each!r} stands there")
        known.setdefault(each, len(known))
    return np.array([known[each] for each in ids.tolist()], dtype=np.int64)
