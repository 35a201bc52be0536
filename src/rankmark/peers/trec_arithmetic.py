"""The values of trec_eval's measures.

Most are those of the measures here. Some trec_eval computes in another order, which shows in the last digit
where a value lies halfway between two.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.kinds.gains import gain_of
from rankmark.kinds.lists import JudgedLists, ratio
from rankmark.language.choices import Ties
from rankmark.language.measure import Measure
from rankmark.peers.trec_plan import NOT_COMPUTED, Line, TrecEvalError

if TYPE_CHECKING:
    from rankmark.kinds.lists import Values

__all__ = ["Settings", "grade_strings", "values_of"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What counts, for all measures.

    Attributes:
        level: the least grade that counts as relevant.
        complete: whether judged queries without results count.
        answered_only: whether they are left out; otherwise the first of them ends the evaluation.
        judged_only: whether items that nobody judged, or that are judged below 0, are taken out of the lists.
        most: how many items of each list count, before any are taken out; None for all.
        items: the number of items in the collection, None if it is not known.
        version: which trec_eval: 9 rounds what a level of recall needs up, and compares scores in 32 bits.
        ties: the order of equal scores, which with preferences is the ascending one of items.

    """

    level: int = 1
    complete: bool = False
    answered_only: bool = False
    judged_only: bool = False
    most: int | None = None
    items: int | None = None
    version: Literal[9, 10] = 10
    ties: Ties = "item-desc"


def values_of(line: Line, lists: JudgedLists, settings: Settings) -> Values:
    """The value of a line's measure for each query.

    Raises:
        TrecEvalError: a measure that cannot be computed of these grades, or lacks the size of the collection.

    """
    own = OWN.get(line.known.name)
    if own is not None:
        return own(lists, line, settings)
    measure = _with_every_grade(line, lists)
    if measure.arguments.get("rel", settings.level) != settings.level:
        measure = measure(rel=settings.level)
    values = np.asarray(measure.compute(lists), dtype=np.float64)
    return np.where(np.isnan(values), _without_gain(measure, lists, settings), values)


def _without_gain(measure: Measure, lists: JudgedLists, settings: Settings) -> Values:
    """The value where nothing can be gained: 0, but of RnDCG no number if items are relevant all the same."""
    undefined = (lists.relevant(settings.level) > 0) & (measure.name == "RnDCG")
    return np.where(undefined, np.nan, 0.0)


def _with_every_grade(line: Line, lists: JudgedLists) -> Measure:
    """The measure, whose mapping of gains lacks no grade: one that it does not name gains what it is.

    Raises:
        TrecEvalError: trec_eval would sort the gains wrongly.

    """
    assert line.measure is not None
    gain = line.measure.parameters.get("gain")
    if not isinstance(gain, Mapping):
        return line.measure
    grades = np.unique(np.concatenate((lists.relevance, lists.ideal.relevance))).tolist()
    gains = {0: 0, **{int(grade): max(int(grade), 0) for grade in grades}, **gain}
    ordered = sorted({0, *gains.values()})
    for less, more in pairwise(ordered):
        if 0 < more - less < 1:
            raise TrecEvalError(
                f"{line.name}: the gains {less:g} and {more:g} are less than 1 apart, and trec_eval sorts "
                f"such gains wrongly; `rankmark eval -m '{line.measure(gain=gains)}'` sorts them",
                NOT_COMPUTED,
            )
    return line.measure(gain=gains)


def grade_strings(lists: JudgedLists, length: int) -> list[str]:
    """The grades of the first items of each list, a character each."""
    length = max(length, 0)
    lengths = np.minimum(lists.retrieved, length).tolist()
    characters = np.full((len(lengths), max(lengths, default=0)), "-")
    inside = lists.rank <= length
    which, where = np.unique(lists.relevance[inside], return_inverse=True)
    written = np.array([_grade_character(int(grade)) for grade in which], dtype="<U1")
    characters[lists.query[inside], lists.rank[inside] - 1] = written[where]
    return [f"'{''.join(row[:shown])}'" for row, shown in zip(characters.tolist(), lengths, strict=True)]


def _grade_character(grade: int) -> str:
    return ">" if grade > 9 else str(grade) if grade >= 0 else "."


def _set_f(lists: JudgedLists, line: Line, settings: Settings) -> Values:
    """``(x + 1) · P · R / (R + x · P)``."""
    (x,) = line.numbers
    found = lists.sum(lists.relevance >= settings.level)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.nan_to_num(found / lists.retrieved)
        recall = np.nan_to_num(found / lists.relevant(settings.level))
        value = (x + 1) * precision * recall / (recall + x * precision)
    return np.where(found > 0, value, 0.0)


def _utility(lists: JudgedLists, line: Line, settings: Settings) -> Values:
    if len(line.numbers) != 4:
        raise TrecEvalError(
            f"{line.name}: utility takes four numbers, such as utility.1,-1,0,0", NOT_COMPUTED
        )
    if line.numbers[-1] and settings.items is None:
        raise TrecEvalError(
            f"{line.name}: the fourth number needs -N, the size of the collection", NOT_COMPUTED
        )
    found = lists.sum(lists.relevance >= settings.level)
    others = lists.retrieved - found
    missed = lists.relevant(settings.level) - found
    counts = (found, others, missed, (settings.items or 0) - (found + others + missed))
    total: Values = np.zeros(len(found))
    for worth, count in zip(line.numbers, counts, strict=True):
        total = total + worth * count
    return total


def _running_hits(lists: JudgedLists, level: int) -> tuple[Values, Values]:
    """The hits of each list, and those down to each item.

    trec_eval counts hits down from all that are judged 0 or above, of which a level below 0 finds more.
    """
    hit = lists.relevance >= level
    found = lists.sum(hit & (lists.relevance >= 0))
    beyond = lists.spread(lists.sum(hit) - found)
    return found, np.maximum(lists.running_sum(hit) - beyond, 0.0)


def _precision_at_multiples(lists: JudgedLists, line: Line, settings: Settings) -> Values:
    (multiple,) = line.numbers
    relevant = lists.relevant(settings.level)
    size = np.floor(multiple * relevant + 0.9)
    found, hits = _running_hits(lists, settings.level)
    inside = np.where(lists.retrieved > size, lists.max(hits * lists.within(size)), found)
    return np.divide(inside, size, out=np.zeros(len(size)), where=size > 0)


def _interpolated(lists: JudgedLists, line: Line, settings: Settings) -> Values:
    """The mean of the greatest precision at or below each level's hits.

    trec_eval goes through the levels once, from the last to the first, as hits get fewer. If they do not
    ascend, a level that it has gone by already gets the greatest precision of all, as do those before it.
    """
    found, hits = _running_hits(lists, settings.level)
    relevant = lists.relevant(settings.level)
    precision = (lists.relevance >= settings.level) * hits / lists.rank
    highest = np.where(lists.retrieved > 0, lists.max(precision), np.nan)
    total, left = np.zeros(len(found)), np.full(len(found), np.inf)
    for level in reversed(line.numbers):
        with np.errstate(invalid="ignore"):  # an infinite level of none
            share = level * relevant
            needed = np.floor(share + 0.9) if settings.version == 9 else _rounded(share)
        beyond = np.isinf(left) & (needed > found)
        met = ~beyond & (needed > 0) & (needed <= left)
        value = np.where(met, lists.max(precision * (hits >= lists.spread(needed))), highest)
        total += np.where(beyond, 0.0, value)
        left = np.select([beyond, met], [left, needed], 0.0)
    return total / len(line.numbers)


def _ndcg(lists: JudgedLists, line: Line, _: Settings) -> Values:
    """Each gain is divided by its logarithm; elsewhere it is multiplied by one part of it."""
    gains, best_gains = _discounted_gains(lists, line)
    assert line.measure is not None
    cutoff = line.measure.cutoff
    ideal = lists.ideal
    idcg = ideal.sum(best_gains * ideal.within(cutoff))
    return np.nan_to_num(ratio(lists.sum(gains * lists.within(cutoff)), idcg, idcg))


def _ndcg_at_levels(lists: JudgedLists, line: Line, settings: Settings) -> Values:
    """The mean of nDCG where the ideal list leaves a gain, and of the list's where it is longer than that."""
    gains, best_gains = _discounted_gains(lists, line)
    ideal = lists.ideal
    grade = ideal.descending(_gains(lists, line)[1])
    level = ideal.running_sum(grade != ideal.before(grade, start=np.inf))
    level[grade <= 0] = np.inf
    levels = ideal.max(np.where(grade > 0, level, 0.0))
    total = np.zeros(len(levels))
    for number in range(1, int(levels.max(initial=0)) + 1):
        inside = level <= number
        dcg = lists.sum(gains * lists.within(ideal.sum(inside)))
        total += np.where(levels >= number, ratio(dcg, ideal.sum(best_gains * inside), levels), 0.0)
    goes_on = lists.retrieved > ideal.sum(grade > 0) + 1
    whole = ratio(lists.sum(gains), ideal.sum(best_gains), levels)
    some = lists.relevant(settings.level) > 0
    value = ratio(total + np.where(goes_on, whole, 0.0), levels + goes_on, levels)
    return np.where(some, value, 0.0)


def _discounted_gains(lists: JudgedLists, line: Line) -> tuple[Values, Values]:
    """The gains of the items, and those of the ideal list, divided by the logarithms of their ranks."""
    gains, best_gains = _gains(lists, line)
    logarithms = _logarithms(max(lists.depth(), lists.ideal.depth()))
    ideal = lists.ideal
    return gains / logarithms[lists.rank], ideal.descending(best_gains) / logarithms[ideal.rank]


def _gains(lists: JudgedLists, line: Line) -> tuple[Values, Values]:
    gain = _with_every_grade(line, lists).arguments["gain"]
    return gain_of(lists.relevance, gain), gain_of(lists.ideal.relevance, gain)


@functools.lru_cache(maxsize=4)
def _logarithms(depth: int) -> Values:
    """The logarithms by which gains at the ranks 0, 1, 2 … are divided, as C computes them."""
    return np.array([1.0, *(math.log2(rank + 1) for rank in range(1, depth + 1))])


def _yaap(lists: JudgedLists, _: Line, settings: Settings) -> Values:
    """``log((1 + S) / (1 + R - S))``, which with a level below 0 can be no number."""
    hit = lists.relevance >= settings.level
    total = lists.sum(hit * lists.running_sum(hit) / lists.rank)
    with np.errstate(divide="ignore", invalid="ignore"):
        value: Values = np.log((1 + total) / (1 + lists.relevant(settings.level) - total))
    return value


def _rbp(lists: JudgedLists, line: Line, _: Settings) -> Values:
    """``(1 - p) · Σ gain · weight``."""
    p, weights = _patience(lists, line)
    highest = np.maximum(lists.ideal.max(lists.ideal.relevance), 1.0)
    gains = np.maximum(lists.relevance, 0.0) / lists.spread(highest)
    return (1 - p) * lists.weighted_sum(gains, weights)


def _rbp_residual(lists: JudgedLists, line: Line, _: Settings) -> Values:
    """``(1 - p) · Σ weight`` of the items that nobody judged, and the weight of all beyond the list."""
    p, weights = _patience(lists, line)
    every = lists.with_unjudged(-1)
    unjudged = every.relevance < 0
    residual = (1 - p) * every.weighted_sum(unjudged.astype(np.float64), weights) + weights[lists.retrieved]
    return residual * (every.sum(unjudged) > 0)


def _patience(lists: JudgedLists, line: Line) -> tuple[float, Values]:
    """p, and the weights of the ranks 1, 2, 3 …, each of which is the one before it times p."""
    assert line.measure is not None
    p = line.measure.arguments["p"]
    weights = np.full(int(lists.retrieved.max(initial=0)) + 1, p)
    weights[0] = 1.0
    return p, np.cumprod(weights)


def _rounded(x: Values) -> Values:
    """The nearest whole number, away from 0 where two are."""
    fraction, whole = np.modf(x)
    rounded: Values = whole + np.sign(x) * (np.abs(fraction) >= 0.5)
    return rounded


OWN: Mapping[str, Callable[[JudgedLists, Line, Settings], Values]] = {
    "set_F": _set_f,
    "utility": _utility,
    "yaap": _yaap,
    "rbp": _rbp,
    "rbp_resid": _rbp_residual,
    "Rprec_mult": _precision_at_multiples,
    "iprec_at_recall": _interpolated,
    "11pt_avg": _interpolated,
    "ndcg": _ndcg,
    "ndcg_cut": _ndcg,
    "Rndcg": _ndcg_at_levels,
}
"""The measures, by trec_eval's names."""
