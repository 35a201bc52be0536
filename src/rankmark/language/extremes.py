"""How low and how high a measure can be, whatever the items are that nobody judged.

The items of a list that are not judged, or below 0, can each have any grade from 0, not relevant, to the
highest; items that are not in the list and not judged are taken as not relevant, for of these there is no
end. What a page says of its measure (`Extremes` in `rankmark.language.registry`) tells where the extremes
are:

- ``ends``: a higher grade of an item never makes the value lower (or never higher). Then they are where all
  are not relevant and where all have the highest grade.
- ``counts``: of as many relevant items in a list, the value is not lower if some of them stand further up,
  and a relevant item below the cutoff never makes it higher, for the list has one more to find. Then for
  each number of relevant items the highest value is where these stand first among the open places, and the
  lowest where they stand last; all numbers are tried, but for those that differ only below the cutoff.
  Where sums tell about what each number gives, in one pass over a list, only those are computed that may be
  the best but for rounding.
- ``found``: as ``counts``, and a relevant item above the cutoff never makes the value lower. Then it is
  highest where all open items above the cutoff are relevant, and lowest where those below it are, or none.
- ``gains``: a sum of gains, each weighed by its rank, over what it would be in the best order. For fixed
  ranks the sum is linear in the gains and the best order's is their convex function, so that their quotient
  is quasi-concave: it is lowest where every item has either 0 or the highest grade, as under ``counts``.
  The highest: gains are sums of steps from one grade to the next. With m_l open items that reach level l,
  the first m_l in rank order, the quotient is Σ_l w_l (A_l + T(m_l)) / Σ_l w_l D(R_l + m_l), where w_l is
  the step, A_l and R_l are the weights and the number of judged items that reach it, T(m) is the weight of
  the first m open places and D(n) that of the first n ranks. It is at least t where some Σ_l w_l (A_l +
  T(m_l) − t D(R_l + m_l)) is at least 0, in which each level can be looked at alone: the smallest best m_l
  does not grow with the level, since fewer judged items reach a higher one and D flattens, so that some
  items have these grades. From a t that is reached one goes to the quotient there, until it does not grow
  (W. Dinkelbach, Management Science 13, 1967). Between two grades the quotient's parts are linear, so that
  no grade in between gives more.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankmark import _native
from rankmark.errors import MeasureError, UsageError
from rankmark.kinds.gains import discounts, gain_of
from rankmark.kinds.lists import JudgedLists, Values
from rankmark.kinds.ragged import offsets_of
from rankmark.kinds.unjudged import OpenLists, highest_grades
from rankmark.language.measure import Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.language.choices import Choices, NoRelevant
    from rankmark.language.registry import Extremes

__all__ = ["SUMS", "End", "Extreme", "added_alone", "is_sum", "refuse_open"]

End = Literal["lowest", "highest"]
AT_ONCE = 2**17
"""So many items of lists are looked at at a time."""
STRAIGHT = ("arithmetic", "geometric", "median", "q05", "q10", "q25", "q75", "q90", "q95", "trimmed")
"""The means that do not fall where a query's value rises."""
SUMS = ("P", "DCG", "CG", "RBP", "NumRelRet")
"""Measures that can be sums over items of what each adds alone."""
COUNTS_OF_JUDGED = ("Judged", "Unjudged")
"""Measures of how much is judged."""


class Extreme(Measure):
    """A measure whose value for each query is the lowest or the highest that it could be.

    Written like the measure itself.
    """

    __slots__ = ("end", "grade", "no_relevant")

    end: End
    grade: float | None
    no_relevant: NoRelevant

    @classmethod
    def at(cls, measure: Measure, end: End, no_relevant: NoRelevant, grade: float | None) -> Extreme:
        """That of a measure.

        Args:
            measure: which.
            end: which of both.
            no_relevant: what a query with nothing relevant is.
            grade: the highest that an item can have; that of its query's judgements, and what counts as
                relevant, if None.

        """
        made = object.__new__(cls)
        for name, value in (("parameters", measure.parameters), ("cutoff", measure.cutoff)):
            object.__setattr__(made, name, value)
        object.__setattr__(made, "name", measure.name)
        object.__setattr__(made, "asked", measure.asked)
        made._complete(measure.page, measure.given)
        object.__setattr__(made, "end", end)
        object.__setattr__(made, "grade", grade)
        object.__setattr__(made, "no_relevant", no_relevant)
        object.__setattr__(made, "compiled", made._compiled())
        return made

    @property
    def otherwise(self) -> float:
        """The value of a query with nothing relevant."""
        return 0.0 if self.no_relevant == "zero" else np.nan

    def _compiled(self) -> _native.CompiledMeasure | None:
        """What the core computes in the place of `compute`, where it computes the measure itself."""
        how = how_open(self)
        if self.compiled is None or how is None:
            return None
        return self.compiled.extreme(how, self.end == "highest", self.grade, self.otherwise)

    def compute(self, lists: JudgedLists) -> Values:
        """As `Measure.compute`, of the judgements by which the value is lowest or highest."""
        filled = np.cumsum(lists.retrieved + lists.judged) // AT_ONCE
        borders = [0, *(np.flatnonzero(np.diff(filled)) + 1), len(filled)]
        parts = [lists.between(start, stop) for start, stop in itertools.pairwise(borders)]
        if how_open(self) != "ends":
            return np.concatenate([_Search(self, part).values() for part in parts])
        # The lowest and the highest are found together.
        key = "ends", str(self), self.grade, self.no_relevant
        found = lists.once(key, lambda: [_Search(self, part).ends() for part in parts])
        return np.concatenate([each[self.end] for each in found])

    def __reduce__(self) -> tuple[Callable[..., Measure], tuple[Any, ...]]:
        return _again, (Measure.__reduce__(self), self.end, self.grade, self.no_relevant)


def _again(measure: Any, end: End, grade: float | None, no_relevant: NoRelevant) -> Extreme:
    make, given = measure
    return Extreme.at(make(*given), end, no_relevant, grade)


def added_alone(measure: Measure, lists: JudgedLists, grade: Values) -> Values:
    """What items with these grades add to a sum over items, each in a list of its own; 0 if not relevant."""
    ideal = JudgedLists.perfect(grade, lists.offsets)
    alone = JudgedLists(lists.rank, grade, lists.offsets, lists.retrieved, ties=lists.ties, ideal=ideal)
    # A list without relevant items has no value, and an item that is none adds nothing.
    return np.nan_to_num(np.asarray(Measure.compute(measure, alone)), nan=0.0)


def is_sum(measure: Measure) -> bool:
    """Whether a value is the sum of what each item adds, whichever grades the others have."""
    said = measure.arguments
    plain = said.get("denominator", "cutoff") == "cutoff" and said.get("bound", "lower") == "lower"
    return measure.page.name in SUMS and plain and said.get("max_grade") != "query"


def refuse_open(measure: Measure, choices: Choices) -> None:
    """Refuses a measure, or choices, of which it is not known how low and how high a value can be.

    Raises:
        MeasureError: the measure's extremes are not known.
        UsageError: these choices leave no open items, or no one order of them.

    """
    if choices.unjudged != "nonrelevant":
        raise UsageError(
            f'bounds="unjudged" takes items that nobody judged as open, and unjudged="{choices.unjudged}" '
            "decides what they are: leave out one of them"
        )
    if choices.no_relevant == "one":
        raise UsageError(
            'bounds="unjudged" has no place for no_relevant="one", by which a query with nothing relevant is '
            "best and falls with the first relevant item: choose zero or skip"
        )
    if choices.ties in ("best", "worst", "expected"):
        raise UsageError(
            f'bounds="unjudged" needs one order of equal scores, and ties="{choices.ties}" orders by grades '
            'or has all: choose such as ties="item-desc"'
        )
    if measure.page.aggregate == "ratio":
        raise MeasureError(
            f"{measure} is a quotient of sums over queries, which have no bounds of unjudged items"
        )
    if measure.name in COUNTS_OF_JUDGED:
        raise MeasureError(
            f"{measure} counts what is judged, and would not be the same if more were: leave it out"
        )
    if measure.mean not in STRAIGHT or how_open(measure) is None:
        raise MeasureError(
            f"how low and how high {measure} can be is not known where items are not judged: its value can "
            "rise and fall with the grade of an item; Unjudged tells how many there are"
        )


def how_open(measure: Measure) -> Extremes | None:
    """What a page says of its measure's extremes; None where these are not known."""
    page = measure.page.extremes
    if page is None or measure.arguments.get("rel", 1) <= 0:
        return None
    gain = measure.arguments.get("gain", "binary")
    if not isinstance(gain, str):
        return None
    return page({**measure.arguments, "cutoff": measure.cutoff}) if callable(page) else page


class _Search:
    """The search for the judgements of open items by which values are lowest or highest."""

    def __init__(self, measure: Extreme, lists: JudgedLists) -> None:
        self.measure, self.how, self.highest = measure, how_open(measure), measure.end == "highest"
        given = self.given = measure.arguments
        rel = given.get("rel", 1.0)
        queries = len(lists.retrieved)
        named = None if measure.grade is None else np.full(queries, measure.grade)
        self.grade = np.maximum(highest_grades(lists), rel) if named is None else named
        self.changes = self.how == "gains" or measure.grade is None or measure.grade >= rel
        whole = measure.tells_unjudged or given.get("ideal") == "retrieved"
        zeros, endless = measure.tells_unjudged, int(np.iinfo(np.int64).max)
        # Only what is divided by the best order sees more of it than the first and how many are relevant.
        best = endless if zeros else 1 if self.how != "gains" else measure.cutoff or endless
        self.open = OpenLists(lists, measure.cutoff, best, whole=whole, zeros=zeros)
        self.everyone = np.arange(queries)
        self.nothing = np.zeros(queries, dtype=np.int64)
        self.otherwise = measure.otherwise

    def ends(self) -> dict[End, Values]:
        """The lowest and the highest values, which are where no open item is relevant or where all are."""
        none, whole = (self._computed(self.everyone, counts) for counts in (self.nothing, self.open.open))
        values = [np.where(np.isnan(each), self.otherwise, each) for each in (none, whole)]
        return {
            "lowest": self._settled(none, np.fmin(*values)),
            "highest": self._settled(none, np.fmax(*values)),
        }

    def values(self) -> Values:
        """One a query."""
        plain = self._computed(self.everyone, self.nothing)
        found = np.where(np.isnan(plain), self.otherwise, plain)
        for queries, counts in self._candidates(found) if self.changes else ():
            self._take(found, queries, self._computed(queries, counts))
        if self.how == "gains" and self.highest:
            self._take(found, self.everyone, self._of_levels())
        return self._settled(plain, found)

    def _settled(self, plain: Values, found: Values) -> Values:
        """What was found; a query that is left out because nothing judged is relevant stays left out."""
        return np.where(np.isnan(plain) & np.isnan(self.otherwise), np.nan, found)

    def _take(self, found: Values, queries: NDArray[np.int64], values: Values) -> None:
        """Takes the values of these queries where they are lower, or higher."""
        values = np.where(np.isnan(values), self.otherwise, values)
        (np.fmax if self.highest else np.fmin).at(found, queries, values)

    def _candidates(self, found: Values) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Queries, and how many of their open items are relevant, that are to be tried; none is `found`."""
        whole, within = self.open.open, self.open.within
        if self.how == "gains" and self.highest:
            yield self.everyone, whole
        elif self.how == "found":
            yield self.everyone, within if self.highest else whole - within
        elif (totals := self._totals()) is not None:
            yield from self._promising(found, *totals)
        else:
            offsets = offsets_of(within + 1)
            yield np.repeat(self.everyone, within + 1), self._counts(offsets)

    def _counts(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many are relevant with none, one, two … above the cutoff; for the lowest, all below it, too."""
        steps = _native.segment_ranks(offsets) - 1
        return steps if self.highest else steps + self._spread(self.open.open - self.open.within, offsets)

    def _spread(self, values: Any, offsets: NDArray[np.int64]) -> NDArray[Any]:
        return np.repeat(values, np.diff(offsets))

    def _promising(
        self, found: Values, estimates: Values, offsets: NDArray[np.int64]
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The candidates whose estimates are the best but for rounding, of each query first one alone.

        Where that reaches the measure's bound, as where all items found are relevant, no other is needed.
        """
        counts = self._counts(offsets)
        # Where nothing open is relevant the value is known.
        estimates = np.where(counts == 0, np.inf, -estimates if self.highest else estimates)
        best = np.minimum.reduceat(estimates, offsets[:-1])
        near = np.flatnonzero(estimates <= self._spread(best + NEAR, offsets))
        queries, counts = self._spread(self.everyone, offsets)[near], counts[near]
        first = np.diff(queries, prepend=-1) > 0
        yield queries[first], counts[first]
        bound = self.measure.page.bounds[self.highest]
        others = ~first & (np.isin(found, np.nan if bound is None else bound, invert=True)[queries])
        yield queries[others], counts[others]

    def _totals(self) -> tuple[Values, NDArray[np.int64]] | None:
        """About what the value is for each number of relevant open items above the cutoff, and the offsets.

        None where no sum tells it, so that all are tried.
        """
        name, cutoff, given = self.measure.page.name, self.measure.cutoff, self.given
        if self.how == "gains":
            return self._gains_over_best()
        if name not in ("AP", "YAAP", "MeanR", "RR"):
            return None
        ranks = np.arange(1.0, self.open.deepest + 1)
        hits = self.open.judged.relevance >= given["rel"]
        total, offsets = self.open.totals(
            hits.astype(np.float64),
            np.ones(len(self.grade)),
            {"MeanR": ranks, "RR": 1 / ranks}.get(name),
            top=self.highest,
            first=given.get("hits") == "first",
        )
        divisor = given.get("denominator", "relevant")
        if divisor == "cutoff":
            return total, offsets
        steps = _native.segment_ranks(offsets) - 1.0
        if divisor == "hits" or name == "MeanR":
            found = self.open.judged.sum(hits & (self.open.judged.rank <= self.open.last))
            found = steps + self._spread(found, offsets)
        if divisor == "hits":
            return total / np.maximum(found, 1), offsets
        known = self.open.lists.relevant(given["rel"])
        if not self.highest:
            known = known + self.open.open - self.open.within
        relevant = np.maximum(steps + self._spread(known, offsets), 1)
        if name == "YAAP":
            return np.log((1 + total) / (1 + relevant - total)), offsets
        if name == "MeanR":
            lengths = np.maximum(self.open.lists.retrieved, 1)
            size = self._spread(lengths, offsets) if cutoff is None else float(cutoff)
            return ((size + 1) * found - total) / (size * relevant), offsets
        if divisor == "min" and cutoff is not None:
            relevant = np.minimum(relevant, cutoff)
        if divisor == "retrieved":
            relevant = np.minimum(relevant, self._spread(self.open.lists.length(cutoff), offsets))
        return total / np.maximum(relevant, 1), offsets

    def _weights(self) -> Values:
        """Those of ranks, 0 below the cutoff."""
        depth, cutoff = self.open.deepest_known, self.measure.cutoff
        weights = discounts(self.given["discount"], depth) if "discount" in self.given else np.ones(depth)
        return weights if cutoff is None else np.where(np.arange(1, depth + 1) <= cutoff, weights, 0.0)

    def _known(self) -> tuple[Values, NDArray[np.int64]]:
        """The grades of the best order, and its offsets."""
        judged = self.open.judged
        if self.given["ideal"] == "retrieved":
            return judged.descending(judged.relevance), judged.offsets
        return self.open.known

    def _gains_over_best(self) -> tuple[Values, NDArray[np.int64]]:
        gain, weights = self.given["gain"], self._weights()
        top = gain_of(self.grade, gain)
        gains = gain_of(self.open.judged.relevance, gain)
        total, offsets = self.open.totals(gains, top, weights, top=False)
        grades, borders = self._known()
        below = self.open.open - self.open.within
        best = _native.open_best_totals((gain_of(grades, gain), borders), top, below, offsets, weights)
        return np.divide(total, best, out=np.full(len(best), np.inf), where=best > 0), offsets

    def _of_levels(self) -> Values:
        """The values where a quotient of gains is highest."""
        gain, judged = self.given["gain"], self.open.judged
        grades, borders = self._known()
        fills, offsets = _native.open_best_grades(
            self.open.items(gain_of(judged.relevance, gain)),
            (grades, gain_of(grades, gain)),
            borders,
            (self.grade, gain_of(self.grade, gain)),
            self._weights(),
            self.open.last,
        )
        return self._of(self.open.filled(self.everyone, fills, offsets, top=True))

    def _computed(self, queries: NDArray[np.int64], counts: NDArray[np.int64]) -> Values:
        """The values where so many open items of these queries are relevant, the first or the last ones."""
        values = np.empty(len(queries))
        lengths = self.open.judged.judged[queries] + np.diff(self.open.judged.offsets)[queries]
        sizes = lengths + (self.open.open[queries] if self.open.zeros else counts)
        parts = (np.cumsum(sizes) // AT_ONCE).astype(np.int64)
        for part in np.split(np.arange(len(queries)), np.flatnonzero(np.diff(parts)) + 1):
            number = counts[part]
            fills = np.repeat(self.grade[queries[part]], number)
            rel = self.given.get("rel")
            lists = self.open.filled(queries[part], fills, offsets_of(number), top=self.highest, rel=rel)
            values[part] = self._of(lists)
        return values

    def _of(self, lists: JudgedLists) -> Values:
        values = Measure.compute(self.measure, lists)
        assert not isinstance(values, tuple)  # those are refused
        return values


NEAR = 1e-9
"""Estimates of values that differ by no more may be of the same."""
