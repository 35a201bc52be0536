"""How much each item of a list counts: by its rank, and by how relevant it is.

S. Vargas, P. Castells, "Rank and relevance in novelty and diversity metrics for recommender systems", RecSys
2011: an item counts as much as it is likely to be seen and, seen, to be chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.errors import DataError
from rankmark.kinds.gains import gain_of
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Between

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "ItemGain",
    "RankDiscount",
    "discount_of",
    "discounted_mean",
    "exposure_of",
    "graded",
    "item_gain",
    "order_of",
    "seen_mean",
]

RankDiscount: TypeAlias = Literal["none", "log2", "reciprocal"] | Annotated[float, Between(0, 1)]
"""How much rank i counts. ``none``: 1; ``log2``: 1 / log₂(i + 1); ``reciprocal``: 1 / i; a number p:
p^(i − 1)."""

ItemGain: TypeAlias = Literal["none", "binary", "exp2"]
"""How much an item counts for its grade. ``none``: 1, judged or not; ``binary``: 1 where it is judged `rel`
or better, else 0; ``exp2``: (2^grade − 1) / 2^max_grade, 0 where it is not judged."""


def discount_of(rank: NDArray[np.int64], discount: RankDiscount) -> Values:
    """How much each of some ranks counts."""
    weights: Values = np.ones(rank.shape)
    if discount == "log2":
        weights /= np.log2(rank + 1.0)
    elif discount == "reciprocal":
        weights /= rank
    elif discount != "none":
        weights *= float(discount) ** (rank - 1.0)
    return weights


def item_gain(top: RecommendedLists, measure: str, *, gain: ItemGain, rel: float, max_grade: float) -> Values:
    """How much each item counts for its grade.

    Raises:
        DataError: a grade is above the highest.

    """
    if gain == "none":
        return np.ones(len(top.item))
    grade = top.grade()
    if gain == "binary":
        relevant: Values = (grade >= rel).astype(np.float64)
        return relevant
    highest = np.max(grade, initial=0.0, where=~np.isnan(grade))
    if highest > max_grade:
        raise DataError(
            f"{measure}: grade {highest:g} is above max_grade={max_grade:g}; set max_grade={highest:g}, or "
            "whatever is the highest grade of your scale"
        )
    return gain_of(np.nan_to_num(grade, nan=0.0), "exp2") / float(2.0**max_grade)


def seen_mean(
    top: RecommendedLists,
    x: Values,
    measure: str,
    *,
    discount: RankDiscount,
    gain: ItemGain,
    rel: float,
    max_grade: float,
) -> Values:
    """Σ d(i) · g_i · x_i / Σ d(i) over the ranks i of each list, NaN for one without items; one a query.

    Raises:
        DataError: a grade is above the highest.

    """
    grown = item_gain(top, measure, gain=gain, rel=rel, max_grade=max_grade)
    return discounted_mean(top, grown * x, discount)


def discounted_mean(top: RecommendedLists, x: ArrayLike, discount: RankDiscount) -> Values:
    """Σ d(i) · x_i / Σ d(i) over the ranks i of each list, NaN for one without items; one a query."""
    if discount == "none":
        return top.mean(x)
    weight = discount_of(top.rank, discount)
    return _native.ratio(top.sum(weight * np.asarray(x)), top.sum(weight), top.length)


def exposure_of(top: RecommendedLists, discount: RankDiscount) -> Values:
    """How much each item counts in all lists; one an item that can be recommended."""
    return top.exposure(None if discount == "none" else discount_of(top.rank, discount))


def order_of(given: Mapping[str, Any]) -> Literal["top", "set"]:
    """What of the order of a list values depend on with these arguments."""
    return "set" if given["discount"] == "none" else "top"


Needed: TypeAlias = Literal["catalogue", "train", "items", "judgements"]
Needs: TypeAlias = Callable[[Mapping[str, Any]], tuple[Needed, ...]]


def graded(*needs: Needed, more: Needs | None = None) -> Needs:
    """What says what has to be known with some arguments: this, `more`, and judgements where grades count."""

    def needed(given: Mapping[str, Any]) -> tuple[Needed, ...]:
        others = needs if more is None else (*needs, *more(given))
        return others if given["gain"] == "none" else (*others, "judgements")

    return needed
