"""Whether a difference is small enough not to matter."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from rankmark.errors import ChoiceError
from rankmark.statistics.chance import LEAST_P
from rankmark.statistics.intervals import Interval
from rankmark.statistics.resampling import Clusters, check_share
from rankmark.statistics.seeds import Crossed, crossed

__all__ = ["Equivalence", "check_margin", "equivalence", "equivalent", "non_inferiority"]


class Equivalence(NamedTuple):
    """Two one-sided tests.

    Attributes:
        margin: differences below it, in either direction, do not matter.
        p_above: that the mean difference is above −margin: the p-value of non-inferiority.
        p_below: that it is below margin.
        p: the greater of the two; below α the systems are equivalent.
        interval: of confidence 1 − 2α; within ±margin just if p < α.

    """

    margin: float
    p_above: float
    p_below: float
    p: float
    interval: Interval


def equivalence(
    differences: ArrayLike, margin: float, *, alpha: float = 0.05, clusters: Clusters = None
) -> Equivalence:
    """Equivalence by two one-sided t tests (TOST): H₀ says |mean difference| ≥ margin.

    Two systems that never differ are equivalent; where all queries differ by the same, and not by 0, there is
    no p-value (see `spread`).

    Args:
        differences: one a query; NaN is left out.
        margin: above 0, in the measure's unit; to be chosen before looking at the data.
        alpha: of the interval.
        clusters: a label a query.

    Source:
        D. J. Schuirmann, "A comparison of the two one-sided tests procedure …", 1987.

    """
    return equivalent(crossed(differences, clusters=clusters), margin, alpha=alpha)


def equivalent(difference: Crossed, margin: float, *, alpha: float = 0.05) -> Equivalence:
    """The same of a difference over queries and seeds; see `crossed`."""
    check_margin(margin)
    check_share(alpha=alpha)
    p_above, p_below = _p_within(difference, -margin), _p_within(difference, margin)
    return Equivalence(margin, p_above, p_below, max(p_above, p_below), difference.interval(1 - 2 * alpha))


def non_inferiority(differences: ArrayLike, margin: float, *, clusters: Clusters = None) -> float:
    """The p-value of non-inferiority by a one-sided t test: H₀ says mean difference ≤ −margin.

    Args:
        differences: one a query, above 0 where the new system is better; NaN is left out.
        margin: the greatest loss that does not matter, above 0.
        clusters: a label a query.

    Source:
        G. Piaggio et al., "Reporting of noninferiority and equivalence randomized trials", JAMA 295, 2006.

    """
    check_margin(margin)
    return _p_within(crossed(differences, clusters=clusters), -margin)


def _p_within(difference: Crossed, end: float) -> float:
    """The p-value of a mean on 0's side of this end, as small as can be where the systems never differ."""
    if not difference.error and not difference.estimate:
        return LEAST_P
    return difference.p("greater" if end < 0 else "less", end)


def check_margin(margin: float) -> None:
    """Refuses what is no margin."""
    if not isinstance(margin, int | float) or not 0 < margin < float("inf"):
        raise ChoiceError(f"margin={margin!r} is not a number above 0")
