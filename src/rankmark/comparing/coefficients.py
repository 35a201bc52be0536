"""Coefficients of agreement between two rankings: what they are called and compute, for many at once.

A coefficient is written ``Name(parameter=value)@cutoff``, as a measure is. All of them see `Pairs`.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated, Any, Literal, TypeAlias, get_type_hints

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark import _native
from rankmark.errors import MeasureError, did_you_mean
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Between, Within
from rankmark.language.grammar import split_measures
from rankmark.language.parameters import Parameter, format_value, parse_value

__all__ = ["COEFFICIENTS", "Coefficient", "Lists", "Pairs", "coefficients_of"]

Whole: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lists:
    """Ranked lists, flat, query after query, each in rank order.

    Attributes:
        offsets: the items of query ``q`` are ``offsets[q]:offsets[q + 1]``.
        first: the first rank of the items with the same score, of each item.
        last: the last one.

    """

    offsets: Whole
    first: Whole
    last: Whole

    @property
    def length(self) -> Whole:
        """Number of items; one a query."""
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Two lists for each of some queries, and the items that are in both.

    Attributes:
        a: the first lists.
        b: the second lists.
        offsets: the common items of query ``q`` are ``offsets[q]:offsets[q + 1]``.
        rank_a: the rank of each of them in the first list; they stand in this order.
        rank_b: its rank in the second list.

    """

    a: Lists
    b: Lists
    offsets: Whole
    rank_a: Whole
    rank_b: Whole

    @property
    def query(self) -> Whole:
        """The number of each common item's query."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def top(self, cutoff: int | None) -> Pairs:
        """The first items of each list alone. Equal scores there and below are not equal any more."""
        if cutoff is None:
            return self
        kept = (self.rank_a <= cutoff) & (self.rank_b <= cutoff)
        counts = np.bincount(self.query[kept], minlength=len(self.offsets) - 1)
        a, b = _top(self.a, cutoff), _top(self.b, cutoff)
        return Pairs(a, b, _offsets(counts), self.rank_a[kept], self.rank_b[kept])

    def tied(self, side: Literal["a", "b"]) -> tuple[Whole, Whole]:
        """The first and the last rank of the items tied with each common item, in one of the lists."""
        lists, rank = (self.a, self.rank_a) if side == "a" else (self.b, self.rank_b)
        at = lists.offsets[self.query] + rank - 1
        return lists.first[at], lists.last[at]


def _top(lists: Lists, cutoff: int) -> Lists:
    length = lists.length
    place = np.arange(len(lists.first)) - np.repeat(lists.offsets[:-1], length)
    kept = place < cutoff
    offsets = _offsets(np.minimum(length, cutoff))
    return Lists(offsets, lists.first[kept], np.minimum(lists.last[kept], cutoff))


def _offsets(counts: ArrayLike) -> Whole:
    return np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


# --- Names -------------------------------------------------------------------------------------------------

Function: TypeAlias = "Callable[..., Values]"


@dataclass(frozen=True, slots=True)
class _Definition:
    """What a name computes."""

    name: str
    function: Function
    parameters: Mapping[str, Parameter]
    bounds: tuple[float, float]


COEFFICIENTS: dict[str, _Definition] = {}


def _coefficient(name: str, bounds: tuple[float, float]) -> Callable[[Function], Function]:
    """Makes a function of `Pairs` a coefficient; it gives one value a query, NaN where there is none."""

    def register(function: Function) -> Function:
        hints = get_type_hints(function, include_extras=True)
        given = list(inspect.signature(function).parameters.values())[1:]
        parameters = {p.name: Parameter(p.name, hints[p.name], p.default) for p in given}
        COEFFICIENTS[name] = _Definition(name, function, parameters, bounds)
        return function

    return register


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its parameters, such as ``RBO(p=0.9)@100``; written so by ``str``.

    Attributes:
        name: its name.
        parameters: those that were set to something else than their default.
        cutoff: how many items of each list count; None for all.

    """

    name: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    cutoff: int | None = None

    def __post_init__(self) -> None:
        known = _definition(self.name)
        object.__setattr__(self, "name", known.name)
        object.__setattr__(self, "parameters", dict(_checked(known, self.parameters)))
        if self.cutoff is not None and (not isinstance(self.cutoff, int) or self.cutoff < 1):
            raise MeasureError(f"{self.name}@{self.cutoff}: the cutoff is a whole number from 1")

    @property
    def doc(self) -> str:
        """What it computes, with the formula, the parameters and the source."""
        return inspect.getdoc(COEFFICIENTS[self.name].function) or ""

    def compute(self, pairs: Pairs) -> Values:
        """One value a query; NaN where it is not defined."""
        return COEFFICIENTS[self.name].function(pairs.top(self.cutoff), **self.parameters)

    @classmethod
    def parse(cls, text: str) -> Coefficient:
        """The coefficient written as `text`.

        Raises:
            MeasureError: there is no such coefficient, parameter or value.

        """
        written = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*(?:@\s*([0-9]+))?\s*", text, re.DOTALL)
        if not written:
            raise MeasureError(
                f"{text!r} is not a coefficient: write Name, Name@10 or Name(parameter=value)@10"
            )
        name, given, cutoff = written.groups()
        return cls(name, dict(_arguments(name, given or "")), None if cutoff is None else int(cutoff))

    def __str__(self) -> str:
        written = ",".join(f"{name}={format_value(value)}" for name, value in self.parameters.items())
        return self.name + (f"({written})" if written else "") + (f"@{self.cutoff}" if self.cutoff else "")


def _definition(name: str) -> _Definition:
    by_key = {known.lower(): definition for known, definition in COEFFICIENTS.items()}
    found = by_key.get(name.replace("-", "").replace("_", "").lower())
    if found is None:
        hint = did_you_mean(name, COEFFICIENTS)
        raise MeasureError(f"no coefficient {name!r}{hint or ';'} there are {', '.join(COEFFICIENTS)}")
    return found


def _arguments(name: str, text: str) -> Iterator[tuple[str, Any]]:
    for argument in text.split(",") if text.strip() else []:
        parameter, equals, value = argument.partition("=")
        if not equals:
            raise MeasureError(f"{name}({text}): {argument!r} is not written parameter=value")
        yield parameter.strip(), parse_value(value)


def _checked(known: _Definition, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The parameters that differ from their defaults, in the function's order."""
    for name in given:
        if name not in known.parameters:
            takes = ", ".join(known.parameters) or "none"
            hint = did_you_mean(name, known.parameters)
            raise MeasureError(f"{known.name} has no parameter {name!r}{hint} (it takes: {takes})")
    for name, parameter in known.parameters.items():
        value = parameter.checked(given.get(name, parameter.default), known.name)
        if value != parameter.default:
            yield name, value


def coefficients_of(asked: str | Coefficient | Iterable[str | Coefficient]) -> tuple[Coefficient, ...]:
    """The coefficients asked for, by their names or themselves, each once.

    Raises:
        MeasureError: there is no such coefficient, or none was asked for.

    """
    if isinstance(asked, str | Coefficient):
        asked = [asked]
    each = [one for text in asked for one in (split_measures(text) if isinstance(text, str) else [text])]
    found = (Coefficient.parse(one) if isinstance(one, str) else one for one in each)
    distinct = {str(one): one for one in found}
    if not distinct:
        raise MeasureError("no coefficient asked for; for example ['Tau', 'RBO(p=0.9)']")
    return tuple(distinct.values())


# --- Which items are ranked --------------------------------------------------------------------------------

Items: TypeAlias = Literal["common", "union"]
"""The items that are compared: those ``common`` to both lists, or all of either (``union``), where those that
a list lacks share the place after its end."""


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Two rankings of the same items for each of some queries; the smaller number is the better place."""

    offsets: Whole
    x: Whole
    y: Whole

    @property
    def n(self) -> Values:
        """Number of items; one a query."""
        return np.diff(self.offsets).astype(np.float64)

    @property
    def query(self) -> Whole:
        """The number of each item's query."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def sum(self, x: ArrayLike) -> Values:
        """The sum over the items of each query."""
        return _native.segment_sum(np.ascontiguousarray(x, dtype=np.float64), self.offsets)

    def swapped(self) -> _Ranks:
        """With the rankings in each other's place."""
        return _Ranks(self.offsets, self.y, self.x)


def _ranks(pairs: Pairs, items: Items) -> _Ranks:
    x, y = pairs.tied("a")[0], pairs.tied("b")[0]
    if items == "common":
        return _Ranks(pairs.offsets, x, y)
    query = [pairs.query]
    xs, ys = [x], [y]
    for lists, ranks, own, others, beyond in (
        (pairs.a, pairs.rank_a, xs, ys, pairs.b.length + 1),
        (pairs.b, pairs.rank_b, ys, xs, pairs.a.length + 1),
    ):
        alone = np.ones(len(lists.first), dtype=np.bool_)
        alone[lists.offsets[pairs.query] + ranks - 1] = False
        of = np.repeat(np.arange(len(lists.offsets) - 1), lists.length)[alone]
        query.append(of)
        own.append(lists.first[alone])
        others.append(beyond[of])
    of_all = np.concatenate(query)
    order = np.argsort(of_all, kind="stable")
    counts = np.bincount(of_all, minlength=len(pairs.offsets) - 1)
    return _Ranks(_offsets(counts), np.concatenate(xs)[order], np.concatenate(ys)[order])


def _key(ranks: _Ranks, *keys: Whole) -> tuple[Whole, int]:
    """One whole number for the query and the keys of each item, in their order, and above all of them."""
    key, most = ranks.query, len(ranks.offsets)
    for each in keys:
        low = int(each.min(initial=0))
        width = int(each.max(initial=0)) - low + 1
        key, most = key * width + (each - low), most * width
    return key, most


def _by(ranks: _Ranks, *keys: Whole) -> Whole:
    """An order of the items: by query, then by the keys."""
    key, most = _key(ranks, *keys)
    if most >= 2**62:  # not to be had in one number
        return np.lexsort((*reversed(keys), ranks.query))
    return np.arange(len(key)) if np.all(key[1:] >= key[:-1]) else np.argsort(key, kind="stable")


def _groups(ranks: _Ranks, *keys: Whole) -> tuple[Whole, Whole]:
    """Of the items with the same keys in a query: how many come before, by the keys, and how many they are.

    Those that come before are counted from the first query on.
    """
    key, most = _key(ranks, *keys)
    if most <= 4 * len(key) + 2**20:  # few numbers: they are counted, without sorting
        counts = np.bincount(key, minlength=1)
        return (np.cumsum(counts) - counts)[key], counts[key]
    order = _by(ranks, *keys)
    opens = np.ones(len(order), dtype=np.bool_)
    opens[1:] = np.diff(ranks.query[order]) != 0
    for each in keys:
        opens[1:] |= np.diff(each[order]) != 0
    starts = np.flatnonzero(opens)
    group = np.cumsum(opens) - 1
    start, size = np.empty((2, len(order)), dtype=np.int64)
    start[order] = starts[group]
    size[order] = np.diff(starts, append=len(order))[group]
    return start, size


def _tied(ranks: _Ranks, *keys: Whole) -> Whole:
    """How many items of a query have the same keys, of each item."""
    return _groups(ranks, *keys)[1]


def _tied_in_both(ranks: _Ranks, alike_x: Whole, alike_y: Whole) -> Whole:
    """How many items of a query have the same x and the same y, of each item."""
    some = alike_x.max(initial=1) > 1 and alike_y.max(initial=1) > 1
    return _tied(ranks, ranks.x, ranks.y) if some else np.ones(len(alike_x), dtype=np.int64)


def _better_alike(ranks: _Ranks, alike: Whole, better: Whole) -> Whole:
    """How many items are alike in the one key and strictly better in the other, of each item."""
    start, size = _groups(ranks, alike)
    if size.max(initial=1) == 1:
        return np.zeros(len(size), dtype=np.int64)
    return _groups(ranks, alike, better)[0] - start


CELLS = 1 << 21
"""So many items are looked at in one go."""


def _better_in_both(ranks: _Ranks, worse: bool = False) -> tuple[Whole, Whole]:
    """How many items are strictly better in both rankings, and how many worse (if asked for), of each item.

    In the order of x, where equal ones go from the worst y to the best, these are the earlier ones with the
    better y. All queries with as many items are done at once, an item at a time.
    """
    order = _by(ranks, ranks.x, -ranks.y)
    above, below = np.zeros((2, len(order)), dtype=np.int64)
    lengths = np.diff(ranks.offsets)
    by_length = np.argsort(lengths, kind="stable")
    bounds = np.flatnonzero(np.diff(lengths[by_length], prepend=-1, append=-1))
    for start, end in pairwise(bounds):
        n = int(lengths[by_length[start]])
        step = max(1, CELLS // max(n, 1))
        for at in range(start, end, step) if n > 1 else ():
            queries = by_length[at : min(at + step, end)]
            # Items by rows, so that each row of as many queries is contiguous.
            places = order[ranks.offsets[queries] + np.arange(n)[:, None]]
            y = ranks.y[places]
            y = y.astype(np.int16) if y.max() < 2**15 else y
            many = np.zeros((n, len(queries)), dtype=np.int32)
            for i in range(1, n):
                better = (y[:i] < y[i]).view(np.uint8)
                above[places[i]] = _count(better)
                if worse:
                    many[:i] += better
            below[places] = many
    return above, below


def _count(marks: NDArray[np.uint8]) -> Whole:
    """The sum of each column; of many columns by few rows at a time, which a byte can count."""
    total: Whole = np.zeros(marks.shape[1], dtype=np.int64)
    if len(total) < 64:
        return np.add.reduce(marks, axis=0, dtype=np.int64, out=total)
    for start in range(0, len(marks), 255):
        total += np.add.reduce(marks[start : start + 255], axis=0, dtype=np.uint8)
    return total


def _quotient(numerator: ArrayLike, denominator: ArrayLike) -> Values:
    """NaN where the denominator is 0."""
    above, below = np.broadcast_arrays(np.asarray(numerator, np.float64), np.asarray(denominator, np.float64))
    quotient: Values = np.divide(above, below, out=np.full(above.shape, np.nan), where=below != 0)
    return quotient


# --- The coefficients --------------------------------------------------------------------------------------


@_coefficient("Tau", (-1, 1))
def tau(pairs: Pairs, *, ties: Literal["b", "a"] = "b", items: Items = "common") -> Values:
    """Kendall's τ: pairs of items in the same order in both rankings, less those in different orders.

        τ_a = (C − D) / (n(n − 1)/2)
        τ_b = (C − D) / √((n(n − 1)/2 − T_x)(n(n − 1)/2 − T_y))

    C pairs are in the same order, D in different ones, T_x and T_y are tied in one ranking. Source: M.
    Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945.
    """
    ranks = _ranks(pairs, items)
    all_pairs = ranks.n * (ranks.n - 1) / 2
    alike_x, alike_y = _tied(ranks, ranks.x), _tied(ranks, ranks.y)
    both = _tied_in_both(ranks, alike_x, alike_y)
    tied_x, tied_y, tied_both = (ranks.sum((alike - 1) / 2) for alike in (alike_x, alike_y, both))
    concordant = ranks.sum(_better_in_both(ranks)[0])
    difference = 2 * concordant - (all_pairs - tied_x - tied_y + tied_both)
    if ties == "a":
        return _quotient(difference, all_pairs)
    return _clipped(_quotient(difference, np.sqrt(all_pairs - tied_x) * np.sqrt(all_pairs - tied_y)))


def _clipped(x: Values) -> Values:
    """Without what rounding put beyond 1."""
    clipped: Values = np.clip(x, -1.0, 1.0)
    return clipped


@_coefficient("WeightedTau", (-1, 1))
def weighted_tau(pairs: Pairs, *, items: Items = "common") -> Values:
    """Vigna's weighted τ: Kendall's, in which a pair weighs 1/i + 1/j, i and j being the items' ranks.

        τ_w = Σ s_x · s_y · w / √(Σ s_x² · w · Σ s_y² · w)

    The sums are over the pairs, s_x and s_y are the signs of their order. It is the mean of two: with ranks
    by x (equal ones by y) and by y (equal ones by x), as in SciPy. Source: S. Vigna, "A weighted correlation
    index for rankings with ties", WWW 2015.
    """
    ranks = _ranks(pairs, items)
    better, worse = _better_in_both(ranks, worse=True)
    alike_x, alike_y = _tied(ranks, ranks.x), _tied(ranks, ranks.y)
    both = _tied_in_both(ranks, alike_x, alike_y)
    n = ranks.n[ranks.query]
    # The weight of a pair is a sum over its items, so each item counts with all pairs that it is in.
    signs = 2 * (better + worse) - (n - alike_x - alike_y + both)
    total = np.zeros(len(ranks.n))
    for key, other in ((ranks.x, ranks.y), (ranks.y, ranks.x)):
        weight = 1.0 / _places(ranks, key, other)
        norms = np.sqrt(ranks.sum(weight * (n - alike_x))) * np.sqrt(ranks.sum(weight * (n - alike_y)))
        total += _quotient(ranks.sum(weight * signs), norms) / 2
    return _clipped(total)


def _places(ranks: _Ranks, key: Whole, other: Whole) -> Whole:
    """Ranks from 1 by one key, equal ones by the other, and by nothing those that are equal in both."""
    start, size = _groups(ranks, key)
    if size.max(initial=1) == 1:
        return start - ranks.offsets[ranks.query] + 1
    order = _by(ranks, key, other)
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order)) - ranks.offsets[ranks.query] + 1
    return places


@_coefficient("TauAP", (-1, 1))
def tau_ap(pairs: Pairs, *, ties: Literal["a", "b"] = "a", items: Items = "common") -> Values:
    """AP correlation: Kendall's τ that minds the top of the second ranking, which estimates the first.

        τ_ap = 2/(n − 1) · Σ_{i>1} C(i)/(i − 1) − 1

    C(i) of the items above rank i of the second ranking are above that item in the first, too. With
    ``ties=a`` it is the mean over all orders of equal items (the first being a true ranking: how accurate the
    second is). With ``ties=b`` an item counts with the items above all that are equal to it, those of the
    best group do not count, and it is the mean of both directions (how much two rankings agree). Source: E.
    Yilmaz, J. Aslam, S. Robertson, "A new rank correlation coefficient for information retrieval", SIGIR
    2008; ties: J. Urbano, M. Marrero, "The treatment of ties in AP correlation", ICTIR 2017.
    """
    ranks = _ranks(pairs, items)
    better, _ = _better_in_both(ranks)
    if ties == "b":
        return (_above_ties(ranks, better) + _above_ties(ranks.swapped(), better)) / 2
    start, size = _groups(ranks, ranks.y)
    above = start - ranks.offsets[ranks.query]
    concordant = better + _better_alike(ranks, ranks.x, ranks.y) / 2
    both = _tied_in_both(ranks, _tied(ranks, ranks.x), size)
    among = _better_alike(ranks, ranks.y, ranks.x) + (both - 1) / 2
    # An item of a group is at each of its places as often, and then that share of the others is above it.
    longest = int(np.diff(ranks.offsets).max(initial=0))
    harmonic = np.concatenate(([0.0], np.cumsum(1.0 / np.arange(1, longest + 1))))
    inverse = harmonic[np.maximum(above + size - 1, 0)] - harmonic[np.maximum(above - 1, 0)]
    shares = np.where(above > 0, size - above * inverse, size - 1.0)
    each = (concordant * inverse * (above > 0) + among / np.maximum(size - 1, 1) * shares) / size
    return _quotient(2 * ranks.sum(each), ranks.n - 1) - 1


def _above_ties(ranks: _Ranks, better: Whole) -> Values:
    """The share of the items above all that are equal in y which is better in x, too, on average; -1 to 1."""
    above = _groups(ranks, ranks.y)[0] - ranks.offsets[ranks.query]
    share = np.divide(better, above, out=np.zeros(len(above)), where=above > 0)
    return 2 * _quotient(ranks.sum(share), ranks.sum(above > 0)) - 1


@_coefficient("Spearman", (-1, 1))
def spearman(pairs: Pairs, *, items: Items = "common") -> Values:
    """Spearman's ρ: the correlation of the ranks, equal items having the mean of theirs."""
    ranks = _ranks(pairs, items)
    x, y = (_mid_ranks(ranks, key) - ((ranks.n + 1) / 2)[ranks.query] for key in (ranks.x, ranks.y))
    return _clipped(_quotient(ranks.sum(x * y), np.sqrt(ranks.sum(x * x)) * np.sqrt(ranks.sum(y * y))))


def _mid_ranks(ranks: _Ranks, key: Whole) -> Values:
    start, size = _groups(ranks, key)
    mid: Values = start - ranks.offsets[ranks.query] + (size + 1) / 2
    return mid


@_coefficient("Footrule", (0, 1))
def footrule(pairs: Pairs, *, items: Items = "union") -> Values:
    """Spearman's footrule, a distance: how far items have moved, as a share of how far they could have.

        Footrule = Σ_i |rank_a(i) − rank_b(i)| / most

    Equal scores have the mean of their ranks. With ``items=union`` an item that a list lacks stands just
    after its end, and most is the sum for lists without common items (Fagin et al.); with ``items=common``
    ranks are among the common items, and most is ⌊n²/2⌋. Source: R. Fagin, R. Kumar, D. Sivakumar, "Comparing
    top k lists", SIAM Journal on Discrete Mathematics 17, 2003.
    """
    if items == "common":
        ranks = _ranks(pairs, items)
        moved = np.abs(_mid_ranks(ranks, ranks.x) - _mid_ranks(ranks, ranks.y))
        return _quotient(ranks.sum(moved), np.floor(ranks.n**2 / 2))
    mids = [(lists.first + lists.last) / 2 for lists in (pairs.a, pairs.b)]
    ends = [pairs.b.length + 1, pairs.a.length + 1]
    query, most, moved = pairs.query, np.zeros(len(ends[0])), np.zeros(len(ends[0]))
    own = []
    for lists, mid, end, rank in zip(
        (pairs.a, pairs.b), mids, ends, (pairs.rank_a, pairs.rank_b), strict=True
    ):
        far = np.abs(mid - np.repeat(end, lists.length))
        most += _native.segment_sum(far, lists.offsets)
        at = lists.offsets[query] + rank - 1
        moved -= _native.segment_sum(far[at], pairs.offsets)
        own.append(mid[at])
    moved += most + _native.segment_sum(np.abs(own[0] - own[1]), pairs.offsets)
    return _quotient(np.maximum(moved, 0.0), most)


@_coefficient("KendallDistance", (0, 1))
def kendall_distance(pairs: Pairs, *, p: Annotated[float, Within(0, 1)] = 0.5) -> Values:
    """Kendall's distance of two top-k lists, as a share of that of lists without common items.

        K(p) = Σ_{pairs of either list} penalty / most

    A pair has the penalty 1 if the lists order it differently, an item that a list lacks being after all that
    it has, and p if one list has both items and the other neither. p=0 supposes that it would order them
    alike, 0.5 that nobody knows. Equal scores are ordered by the rule of `ties`. Source: R. Fagin, R. Kumar,
    D. Sivakumar, "Comparing top k lists", SIAM Journal on Discrete Mathematics 17, 2003.
    """
    a, b, common = (
        np.asarray(x, np.float64) for x in (pairs.a.length, pairs.b.length, np.diff(pairs.offsets))
    )
    ranks = _Ranks(pairs.offsets, pairs.rank_a, pairs.rank_b)
    discordant = common * (common - 1) / 2 - ranks.sum(_better_in_both(ranks)[0])
    for key in (ranks.x, ranks.y):
        place = _groups(ranks, key)[0] - ranks.offsets[ranks.query] + 1
        discordant += ranks.sum(key - place)  # those above it that the other list lacks
    only_a, only_b = a - common, b - common
    unknown = (only_a * (only_a - 1) + only_b * (only_b - 1)) / 2
    most = a * b + p * (a * (a - 1) + b * (b - 1)) / 2
    return _quotient(discordant + only_a * only_b + p * unknown, most)


@_coefficient("Jaccard", (0, 1))
def jaccard(pairs: Pairs) -> Values:
    """Jaccard's index: the items in both lists as a share of those in either."""
    common = np.diff(pairs.offsets)
    return _quotient(common, pairs.a.length + pairs.b.length - common)


@_coefficient("Overlap", (0, 1))
def overlap(pairs: Pairs, *, denominator: Literal["longer", "shorter"] = "longer") -> Values:
    """Overlap: the items in both lists as a share of the longer list, or of the shorter."""
    most = np.maximum if denominator == "longer" else np.minimum
    return _quotient(np.diff(pairs.offsets), most(pairs.a.length, pairs.b.length))


@_coefficient("RBO", (0, 1))
def rank_biased_overlap(
    pairs: Pairs,
    *,
    p: Annotated[float, Between(0, 1)] = 0.9,
    tail: Literal["extrapolated", "lower", "upper", "truncated"] = "extrapolated",
    ties: Literal["b", "a", "w"] = "b",
) -> Values:
    """Rank-biased overlap: how much the lists agree at each depth, for a reader who goes on with chance p.

        RBO = (1 − p) Σ_d p^(d−1) · A_d,   A_d = X_d / N_d

    X_d is the overlap of the first d items of each list, N_d = d without ties. Where items are tied across
    depth d, each counts in its list with its share c of the orders in which it is among the first d, and
    X_d = Σ_i c_a(i) · c_b(i). ``ties=a`` has N_d = d, so that it is the mean over all orders; ``ties=b``
    N_d = √(Σ c_a² · Σ c_b²), so that a list agrees with itself; ``ties=w`` counts whoever is tied across
    depth d as wholly in, and N_d is the mean of both numbers.

    ``tail=extrapolated`` supposes that unseen items agree as the seen ones do: A_d = (X_d + A_s(d − s)) / N_d
    beyond the end s of the shorter list, and A_l beyond the end l of the longer; ``lower`` supposes that
    nothing unseen is common, ``upper`` that as much is as can be; ``truncated`` ends with the longer list.
    Source: W. Webber, A. Moffat, J. Zobel, "A similarity measure for indefinite rankings", TOIS 28(4), 2010;
    ties: M. Corsi, J. Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024.
    """
    length_a, length_b = pairs.a.length, pairs.b.length
    shorter, longer = np.minimum(length_a, length_b), np.maximum(length_a, length_b)
    cells = _offsets(longer)
    depth = _native.segment_ranks(cells)
    overlaps = _overlaps(pairs, cells, ties)
    sizes = [_sizes(lists, cells, depth, ties) for lists in (pairs.a, pairs.b)]
    norm = (
        depth if ties == "a" else np.sqrt(sizes[0] * sizes[1]) if ties == "b" else (sizes[0] + sizes[1]) / 2
    )
    weight = (1 - p) * np.power(p, depth - 1.0)
    filled = shorter > 0
    unseen = np.maximum(depth - np.repeat(shorter, longer), 0)
    if tail == "extrapolated":
        at = cells[:-1] + np.maximum(shorter, 1) - 1
        agreement = np.zeros(len(shorter))
        agreement[filled] = overlaps[at[filled]] / norm[at[filled]]
        overlaps = overlaps + np.repeat(agreement, longer) * unseen
    elif tail == "upper":
        overlaps = np.minimum(overlaps + unseen, norm)
    total = _native.segment_sum(weight * overlaps / norm, cells)
    last = np.zeros(len(longer))
    last[longer > 0] = overlaps[cells[1:][longer > 0] - 1]
    if tail == "extrapolated":
        total += np.power(p, longer) * last / np.maximum(longer, 1)
    elif tail == "lower":
        total += (1 - p) * last * _inverse_tail(longer, p)
    elif tail == "upper":
        # Each list goes on with what the other has alone, until all is common.
        end = (2 * longer - last).astype(np.int64)
        between = _inverse_tail(longer, p) - _inverse_tail(end, p)
        total += (1 - p) * (last - 2 * longer) * between + 2 * np.power(p, longer) - np.power(p, end)
    return np.where(longer > 0, np.clip(total, 0.0, 1.0), np.nan)


def _overlaps(pairs: Pairs, cells: Whole, ties: str) -> Values:
    """X_d at each depth of each query."""
    query = pairs.query
    (first_a, last_a), (first_b, last_b) = pairs.tied("a"), pairs.tied("b")
    first, last = np.maximum(first_a, first_b), np.maximum(last_a, last_b)
    whole = first if ties == "w" else last
    found = np.bincount(cells[query] + whole - 1, minlength=cells[-1]).astype(np.float64)
    overlaps = _native.segment_running_sum(found, cells)
    partly = np.flatnonzero(first < last) if ties != "w" else np.zeros(0, dtype=np.int64)
    for start in range(0, len(partly), CELLS // 16):
        some = partly[start : start + CELLS // 16]
        each = np.repeat(some, (last - first)[some])
        depth = (
            first[each]
            + np.arange(len(each))
            - np.repeat(np.cumsum((last - first)[some]) - (last - first)[some], (last - first)[some])
        )
        shares = _share(depth, first_a[each], last_a[each]) * _share(depth, first_b[each], last_b[each])
        overlaps += np.bincount(cells[query[each]] + depth - 1, shares, minlength=cells[-1])
    return overlaps


def _share(depth: Whole, first: Whole, last: Whole) -> Values:
    """In how many orders an item tied from rank to rank is among the first `depth`, as a share."""
    share: Values = np.minimum((depth - first + 1) / (last - first + 1), 1.0)
    return share


def _sizes(lists: Lists, cells: Whole, depth: Whole, ties: str) -> Values:
    """The size of the first d items at each depth: their squared shares, or all tied with one of them.

    Beyond a list's end unseen items are as many as depths, none of them tied.
    """
    sizes = depth.astype(np.float64)
    at = np.repeat(cells[:-1], lists.length) + _native.segment_ranks(lists.offsets) - 1
    if ties == "w":
        sizes[at] = lists.last
    else:
        inside = depth[at] - lists.first + 1
        sizes[at] = lists.first - 1 + inside**2 / (lists.last - lists.first + 1)
    return sizes


def _inverse_tail(ends: Whole, p: float) -> Values:
    """Σ p^(d−1)/d over the depths d after each end."""
    depths = np.arange(1, int(ends.max(initial=0)) + 1)
    running = np.concatenate(([0.0], np.cumsum(np.power(p, depths - 1.0) / depths)))
    tail: Values = np.maximum(-math.log1p(-p) / p - running[ends], 0.0)
    return tail
