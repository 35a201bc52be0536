"""How far raters agree who put the same items into grades: kappa, alpha, AC1 and AC2, each with an interval.

All are 1 less how far raters disagree by how far they would by chance, and differ in what chance is. The sums
that they are made of add up over items, so that an item, or all of a query's, is left out at no cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rankmark import _numpy as np
from rankmark.dataclassing import dataclass
from rankmark.errors import DataError
from rankmark.rendering.records import Record
from rankmark.statistics.intervals import FEWEST, Bounds, Caution, Interval
from rankmark.statistics.jackknife import jackknife_interval
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Clusters, Floats, as_columns, check_share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "AgreementCoefficient",
    "Cost",
    "Level",
    "cohens_kappa",
    "costs_of",
    "gwets_ac",
    "krippendorffs_alpha",
    "observed_agreement",
]

Cost: TypeAlias = Literal["equal", "linear", "quadratic"]
"""What it costs to be so far apart."""
COSTS: tuple[Cost, ...] = ("equal", "linear", "quadratic")
Level: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""What grades are: names, an order, numbers, or numbers with a zero."""
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval", "ratio")
MOST_GRADES = 1_000
"""Between so many grades all pairs are looked at."""
AT_ONCE = 2**22
"""As many sums are held at a time."""


@dataclass(frozen=True, slots=True, repr=False)
class AgreementCoefficient(Record):
    """How far raters agree.

    Attributes:
        value: 1 if always; of those that take chance away 0 as by chance; NaN where chance alone would make
            them agree, such as where all items have one grade.
        low: the lower end of its confidence interval; NaN where there is none.
        high: the upper end.
        items: how many items two raters or more put into grades.
        units: how many stand for themselves: items, or clusters of them.
        caution: which of `CAUTIONS` speaks against the interval; empty if none.

    """

    value: float
    low: float
    high: float
    items: int
    units: int
    caution: Caution = ""

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return Interval(self.low, self.high)


def costs_of(apart: ArrayLike, cost: Cost) -> Floats:
    """What it costs to be so far apart: 1 where at all (``equal``), the distance, or its square."""
    power = {"equal": 0, "linear": 1, "quadratic": 2}[cost]
    distance = np.abs(np.asarray(apart, dtype=float))
    return np.asarray(np.where(distance == 0, 0.0, distance**power))


def cohens_kappa(
    first: ArrayLike,
    second: ArrayLike,
    *,
    cost: Cost = "equal",
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> AgreementCoefficient:
    """Cohen's kappa of two raters, weighted kappa where some grades cost more than others.

        κ = 1 − n·Σ cost(c, d)·N_cd / Σ cost(c, d)·P_c·F_d

    N_cd is how many of n items have grade c by the first rater and d by the second, P and F how often each
    gives a grade. The chance is that of two raters who give each grade as often as they do.

    The interval is the jackknife's with t on the scale log(1 − κ), see `jackknife_interval`: items, or
    clusters, are left out in turn.

    Args:
        first: the grades of one rater, numbers, one an item; NaN where it gave none.
        second: those of the other.
        cost: of a pair of grades: ``equal``, ``linear`` in how far apart they are, or ``quadratic``.
        clusters: a label an item, such as its query: items of a cluster may depend on each other.
        confidence: the share of such intervals that hold the true value, 0 to 1.

    Raises:
        DataError: other numbers of grades by both, no item that both put into a grade, or too many grades.
        ChoiceError: an unknown cost.

    Source:
        J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement
        20, 1960; J. Cohen, "Weighted kappa", Psychological Bulletin 70, 1968.

    Example:
        Both say yes to 20 of 50 and no to 15: .7 of them. By chance .5 · .6 + .5 · .4 = .5.

        >>> from rankmark.statistics import cohens_kappa
        >>> first = [1] * 20 + [1] * 5 + [0] * 10 + [0] * 15
        >>> second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
        >>> round(cohens_kappa(first, second).value, 4)
        0.4

    """
    check_choice("cost", cost, COSTS)
    pair = [np.asarray(each, dtype=float).ravel() for each in (first, second)]
    if len(pair[0]) != len(pair[1]):
        raise DataError(
            f"{len(pair[0])} grades by one rater and {len(pair[1])} by the other of the same items"
        )
    both = np.column_stack(pair)
    rated = _Rated.of(both, clusters)
    own, other = (np.eye(len(rated.grades))[column] for column in rated.patterns.T)
    price = costs_of(np.subtract.outer(rated.grades, rated.grades), cost)
    paid = price[rated.patterns[:, 0], rated.patterns[:, 1]]
    sums = np.column_stack([np.ones(len(paid)), paid, own, other])

    def kappa(totals: Floats) -> Floats:
        count, observed = totals[:, 0], totals[:, 1]
        given, found = np.split(totals[:, 2:], 2, axis=1)
        return _less_chance(observed * count, ((given @ price) * found).sum(axis=1))

    return rated.coefficient(sums, kappa, (None, 1.0), confidence)


def krippendorffs_alpha(
    ratings: ArrayLike,
    *,
    level: Level = "nominal",
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> AgreementCoefficient:
    """Krippendorff's alpha of two raters or more, of which some may have left out items.

        α = 1 − (n − 1)·Σ_u Σ_ck n_uc·n_uk·δ(c, k)/(m_u − 1) / Σ_ck n_c·n_k·δ(c, k)

    n_uc is how many raters gave item u grade c, m_u how many it has, two or more, n_c = Σ_u n_uc, n = Σ n_c.
    δ is 1 for other grades (``nominal``), (c − k)² (``interval``), ((c − k)/(c + k))² (``ratio``), and of
    ``ordinal`` grades (Σ_{g from c to k} n_g − (n_c + n_k)/2)². The chance is that of all grades given, by
    whomever, drawn without putting them back.

    Args:
        ratings: [items, raters], numbers; NaN where a rater gave none.
        level: what the grades are.
        clusters: as for `cohens_kappa`, as is the interval.
        confidence: see there.

    Raises:
        DataError: no item has two grades, there are too many grades, or one below 0 of level ``ratio``.
        ChoiceError: an unknown level.

    Source:
        K. Krippendorff, "Computing Krippendorff's alpha-reliability", 2011; "Content Analysis", 4th edition,
        2019, chapter 12.

    Example:
        Of 2 · 4 grades three are 0 and five 1; two pairs, counted from both sides, differ by chance 30/7.

        >>> from rankmark.statistics import krippendorffs_alpha
        >>> round(krippendorffs_alpha([[0, 0], [1, 1], [0, 1], [1, 1]]).value, 4)
        0.5333

    """
    check_choice("level", level, LEVELS)
    rated = _Rated.of(ratings, clusters)
    if level == "ratio" and rated.grades[0] < 0:
        raise DataError(f"grades of level ratio are 0 or more, and one is {rated.grades[0]:g}")
    counts = rated.counts()
    pairs = counts.sum(axis=1) - 1
    if level == "ordinal":
        together = counts[:, :, None] * counts[:, None, :] / pairs[:, None, None]
        places = np.arange(counts.shape[1])
        together[:, places, places] -= counts / pairs[:, None]
        return rated.coefficient(together.reshape(len(counts), -1), _ordinal_alpha, (None, 1.0), confidence)
    apart = _distances(rated.grades, level)
    observed = ((counts @ apart) * counts).sum(axis=1) / pairs

    def alpha(totals: Floats) -> Floats:
        found = totals[:, 1:]
        expected = ((found @ apart) * found).sum(axis=1)
        return _less_chance(totals[:, 0] * (found.sum(axis=1) - 1), expected)

    return rated.coefficient(np.column_stack([observed, counts]), alpha, (None, 1.0), confidence)


def gwets_ac(
    ratings: ArrayLike,
    *,
    cost: Cost = "equal",
    grades: ArrayLike | None = None,
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> AgreementCoefficient:
    """Gwet's AC1 of two raters or more; AC2 where some grades cost more than others.

        AC = (a − e)/(1 − e),   e = Σ w_kl/(q·(q − 1)) · Σ_k π_k·(1 − π_k)

    a is the mean over items with two grades or more of Σ_kl w_kl·r_k·(r_l − [k = l])/(r·(r − 1)), r_k how
    many raters gave grade k and r how many any; π_k the mean of r_k/r over all items with a grade; q how many
    grades there are; w = 1 − cost/(the greatest cost). Unlike kappa it stays near the share of items on which
    raters agree where nearly all have one grade.

    Args:
        ratings: [items, raters], numbers; NaN where a rater gave none.
        cost: as for `cohens_kappa`.
        grades: all that could be given; if None those that were.
        clusters: see there, as is the interval.
        confidence: see there.

    Raises:
        DataError: no item has two grades, there are too many grades, or one that is not among `grades`.
        ChoiceError: an unknown cost.

    Source:
        K. L. Gwet, "Computing inter-rater reliability and its variance in the presence of high agreement",
        British Journal of Mathematical and Statistical Psychology 61, 2008; "Handbook of Inter-Rater
        Reliability", 4th edition, 2014, chapters 2 to 5.

    Example:
        Two of three agree; π is 1/2 of either grade, and e = 2/(2 · 1) · (1/4 + 1/4).

        >>> from rankmark.statistics import gwets_ac
        >>> round(gwets_ac([[0, 0], [1, 1], [0, 1]]).value, 4)
        0.3333

    """
    rated = _Rated.of(ratings, clusters, grades, least=1)
    weights = _credits(rated.grades, cost)
    counts = rated.counts()
    raters = np.maximum(counts.sum(axis=1), 1)
    several = len(rated.grades) * max(len(rated.grades) - 1, 1)
    own = np.column_stack([_agreed(counts, weights), counts / raters[:, None]])

    def coefficient(totals: Floats) -> Floats:
        given = totals[:, 2:] / totals[:, 2:].sum(axis=1, keepdims=True)
        chance = weights.sum() / several * (given * (1 - given)).sum(axis=1)
        agreed = _by(totals[:, 0], totals[:, 1])
        return _less_chance(1 - agreed, (1 - chance) * (len(rated.grades) > 1))

    return rated.coefficient(own, coefficient, (None, 1.0), confidence)


def observed_agreement(
    ratings: ArrayLike,
    *,
    cost: Cost = "equal",
    clusters: Clusters = None,
    confidence: float = 0.95,
) -> AgreementCoefficient:
    """The share of pairs of grades of an item that are the same: `gwets_ac`'s a, chance being left in.

    The interval is the jackknife's with t on the logit scale.

    Example:
        >>> from rankmark.statistics import observed_agreement
        >>> observed_agreement([[0, 0], [1, 1], [0, 1], [2, 2]]).value
        0.75

    """
    rated = _Rated.of(ratings, clusters)
    sums = _agreed(rated.counts(), _credits(rated.grades, cost))
    return rated.coefficient(sums, lambda totals: _by(totals[:, 0], totals[:, 1]), (0.0, 1.0), confidence)


def _agreed(counts: Floats, weights: Floats) -> Floats:
    """Of each pattern how far its raters agree, and whether there are two."""
    raters = counts.sum(axis=1)
    same = (counts * (counts @ weights - 1)).sum(axis=1)
    return np.column_stack([_by(same, raters * (raters - 1), 0.0), raters >= 2])


def _credits(grades: Floats, cost: Cost) -> Floats:
    """What a pair of grades is worth: 1 for the same, 0 for the farthest apart."""
    check_choice("cost", cost, COSTS)
    price = costs_of(np.subtract.outer(grades, grades), cost)
    return np.asarray(1 - price / (price.max() or 1.0))


def _distances(grades: Floats, level: Level) -> Floats:
    """δ of any two grades, which the number of times that they were given does not change."""
    apart = np.subtract.outer(grades, grades)
    if level == "ratio":
        apart = _by(apart, np.add.outer(grades, grades), 0.0)
    return costs_of(apart, "equal" if level == "nominal" else "quadratic")


def _ordinal_alpha(totals: Floats) -> Floats:
    """Alpha by how often two grades come together, [.., grades²]: distances are those of mean ranks."""
    size = math.isqrt(totals.shape[1])
    together = totals.reshape(-1, size, size)
    given = together.sum(axis=2)
    count = given.sum(axis=1)
    rank = np.cumsum(given, axis=1) - given / 2
    rank -= _by((given * rank).sum(axis=1), count, 0.0)[:, None]
    spread = (given * rank**2).sum(axis=1)
    crossed = np.einsum("ick,ic,ik->i", together, rank, rank)
    return _less_chance((spread - crossed) * (count - 1), count * spread)


def _less_chance(observed: Floats, expected: Floats) -> Floats:
    """1 − observed/expected; NaN where nothing else is expected than that all agree."""
    return 1 - _by(observed, expected)


def _by(above: Floats, below: Floats, else_: float = math.nan) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), else_), where=below != 0))


class _Rated(NamedTuple):
    """Items by who gave them which grade, and how often that is so.

    Attributes:
        grades: those that there are, ascending.
        patterns: [patterns, raters], the number of the grade that each gave; −1 for none.
        pattern: that of each item.
        units: the number of each item's cluster; None where items stand for themselves.
        paired: how many items have two grades or more.

    """

    grades: Floats
    patterns: NDArray[np.intp]
    pattern: NDArray[np.intp]
    units: NDArray[np.intp] | None
    paired: int

    @classmethod
    def of(
        cls, ratings: ArrayLike, clusters: Clusters, grades: ArrayLike | None = None, least: int = 2
    ) -> _Rated:
        """Those of [items, raters], items with fewer grades than `least` being left out."""
        given = as_columns(ratings)
        labels = None if clusters is None else np.asarray(clusters)
        if labels is not None and labels.shape != (len(given),):
            raise DataError(f"{len(labels)} clusters for {len(given)} items; give one an item")
        raters = np.count_nonzero(~np.isnan(given), axis=1)
        paired, rated = int(np.count_nonzero(raters >= 2)), raters >= least
        given, labels = given[rated], None if labels is None else labels[rated]
        if not paired:
            raise DataError("no item has grades of two raters, who could agree")
        there = ~np.isnan(given)
        known = np.unique(given[there]) if grades is None else np.unique(np.asarray(grades, dtype=float))
        if len(lacking := np.setdiff1d(given[there], known)):
            raise DataError(f"{lacking[0]:g} is not among the grades that could be given")
        if len(known) > MOST_GRADES:
            raise DataError(
                f"there are {len(known):,} grades, and {MOST_GRADES:,} at most: put near ones together"
            )
        codes = np.where(there, np.searchsorted(known, np.where(there, given, known[0])), -1)
        pattern = np.zeros(len(given), dtype=np.intp)
        for column in codes.T:
            _, pattern = np.unique(pattern * (len(known) + 1) + column + 1, return_inverse=True)
        _, first = np.unique(pattern, return_index=True)
        units = None if labels is None else np.unique(labels, return_inverse=True)[1]
        return cls(known, codes[first], pattern, units, paired)

    def counts(self) -> Floats:
        """[patterns, grades]: how many raters gave each."""
        counts = np.zeros((len(self.patterns), len(self.grades)))
        for column in self.patterns.T:
            rows = np.flatnonzero(column >= 0)
            counts[rows, column[rows]] += 1
        return counts

    def coefficient(
        self, sums: Floats, value: Callable[[Floats], Floats], bounds: Bounds, confidence: float
    ) -> AgreementCoefficient:
        """One that is a function of sums over items.

        Args:
            sums: what an item of each pattern adds, [patterns, sums].
            value: the coefficient of sums, a row each.
            bounds: of the coefficient.
            confidence: of the interval.

        """
        check_share(confidence=confidence)
        often = np.bincount(self.pattern, minlength=len(self.patterns)).astype(float)
        whole = often @ sums
        found = float(value(whole[None])[0])
        with np.errstate(all="ignore"):
            left_out = np.concatenate([value(whole - own) for own in self._of_units(sums)])
        if self.units is None:
            left_out = left_out[self.pattern]
        low, high = jackknife_interval(found, left_out, bounds=bounds, confidence=confidence)
        caution: Caution = "alike" if math.isnan(low) else "small" if len(left_out) < FEWEST else ""
        return AgreementCoefficient(found, low, high, self.paired, len(left_out), caution)

    def _of_units(self, sums: Floats) -> Iterator[Floats]:
        """What each cluster adds, or an item of each pattern; some at a time."""
        step = max(1, AT_ONCE // sums.shape[1])
        if self.units is None:
            yield from (sums[first : first + step] for first in range(0, len(sums), step))
            return
        from scipy.sparse import csr_array

        count = int(self.units.max()) + 1
        ones = np.ones(len(self.units))
        often = csr_array((ones, (self.units, self.pattern)), shape=(count, len(self.patterns)))
        for first in range(0, count, step):
            yield np.asarray(often[first : first + step] @ sums)
