"""rND."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from rankmark import _native
from rankmark import _numpy as np
from rankmark.kinds.exposure import Overlap, UnknownGroup, item_groups, terms
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Whole
from rankmark.language.parameters import GROUP, Column, Group
from rankmark.language.registry import item_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray


@item_measure(
    "rND",
    aliases=("NormalisedDiscountedDifference", "NormalizedDiscountedDifference"),
    variants={"rKL": {"distance": "kl"}, "rRD": {"distance": "ratio"}},
    bounds=(0, 1),
    needs=("groups",),
    better="less",
    order="top",
    undefined="fewer items than a step, or none or all of the group",
)
def normalised_discounted_difference(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Column = GROUP,
    group: Group | Literal["each"] = "each",
    step: Annotated[float, Whole(2)] = 10,
    distance: Literal["difference", "kl", "ratio"] = "difference",
    overlap: Overlap = "share",
    unknown: UnknownGroup = "refuse",
) -> Values:
    """Normalised discounted difference: how far beginnings of a list are from all of it; less is better.

        rND@k = (1/Z) · Σ_{i = s, 2s, … ≤ n} |c_i / i − c_n / n| / log₂(i)

    n is the number of items of the list down to rank k, c_i how many of the first i are of the group and s
    the step. Z is what the sum is where all of the group stand first or all stand last, whichever is more.
    The list is to rank all candidates: that it has too few of a group, `AWRF` and `Skew` say.

    Args:
        by: the column of items with their group, a list of groups, or how much each is of every group: a
            list of numbers or a dict of them by the names of groups.
        group: the group, such as a protected one; ``each`` gives a measure for
            every one.
        step: the beginnings that are looked at are of so many items, of twice as
            many and so on.
        distance: ``difference`` as above, or ``kl`` (rKL), where in the place of the difference stands the
            Kullback-Leibler divergence of the shares of the group and of the rest among the first i from
            those among all; or ``ratio`` (rRD), |c_i / (i − c_i) − c_n / (n − c_n)|, where a ratio with a 0
            in it is 0, for a group of at most half of the items. Z is then also that of lists where one of
            the rest stands among the first of the group.
        overlap: an item of several groups is of each in part, ``share``, or of each in whole,
            ``each``.
        unknown: an item whose group is not known is an error, ``refuse``, of a group of its own called
            unknown, ``group``, or of none, ``ignore``; it belongs to the rest.

    Needs: a table of items with their groups, items=….

    Range: 0 to 1.

    Source: [yang2017]. The authors' code has log₂(i + 1), and a Z that it draws.

    Example:
        Of x x y y, by two: the first two are of x alone, ½ too much, and so is it at the worst.

        >>> import rankmark as rm
        >>> items = {"a": {"group": "x"}, "b": {"group": "x"}, "c": {"group": "y"}, "d": {"group": "y"}}
        >>> run = {"u": ["a", "b", "c", "d"], "v": ["a", "c", "d", "b"]}
        >>> rm.evaluate(None, run, "rND(group=x,step=2)", items=items).query_values("rND(group=x,step=2)")
        array([1., 0.])

    """
    top = lists.top(cutoff)
    groups = item_groups(lists, by, overlap, unknown)
    number = groups.number("rND", group)
    own = next(each for place, each in enumerate(groups.each(top)) if place == number)
    rank, n, all_own = (
        x.astype(np.float64) for x in (top.rank, top.length[top.query], top.sum(own)[top.query])
    )
    weight = (top.rank % step == 0) / np.log2(np.maximum(rank, 2.0))

    def total(first: NDArray[np.float64]) -> Values:
        """The sum for each list where so many of its first items are of the group."""
        p, q = first / rank, all_own / n
        if distance == "ratio":
            return top.sum(weight * np.abs(_ratio(first, rank) - _ratio(all_own, n)))
        if distance == "kl":
            return top.sum(weight * (terms(p, q) + terms(1 - p, 1 - q)))
        return top.sum(weight * np.abs(p - q))

    most = np.maximum(total(np.minimum(rank, all_own)), total(np.maximum(rank - (n - all_own), 0.0)))
    if distance == "ratio":  # which is most where one of the rest is in the first step, or in the second
        for before in (0, step):
            most = np.maximum(most, total(np.minimum(rank - ((rank > before) & (all_own < n)), all_own)))
    found = total(_native.segment_running_sum(own, top.offsets))
    return np.where(most > 0, np.minimum(found / np.where(most > 0, most, 1.0), 1.0), np.nan)


def _ratio(own: Values, whole: Values) -> Values:
    """Those of the group for each of the rest; 0 where there are none of either."""
    rest = whole - own
    return np.where(rest > 0, own / np.where(rest > 0, rest, 1.0), 0.0)
