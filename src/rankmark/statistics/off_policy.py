"""Estimates of what a policy would have earned, with intervals and what their weights say of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.estimators import (
    CHANCES,
    ESTIMATORS,
    NEARLY,
    Chances,
    Estimator,
    Logged,
    Terms,
    importance_weights,
    refuse_lacking,
)
from rankmark.statistics.intervals import Interval, percentile_interval
from rankmark.statistics.moments import Moments, Ratios, Spread, resampled_values
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import (
    Clusters,
    Floats,
    as_floats,
    check_drawn,
    check_enough,
    check_share,
    cluster_totals,
)

__all__ = [
    "FEWEST_EFFECTIVE",
    "INTERVALS_OF_LOGS",
    "Estimated",
    "IntervalOfLogs",
    "Making",
    "Observed",
    "Resampled",
    "bernstein_interval",
    "observed_of",
    "policy_value",
]

IntervalOfLogs: TypeAlias = Literal["t", "percentile", "bernstein"]
INTERVALS_OF_LOGS: Mapping[IntervalOfLogs, str] = MappingProxyType(
    {
        "t": "Student's t of the linearised estimate; holds for many impressions without heavy weights",
        "percentile": "percentile bootstrap of impressions or clusters; as t, and for skewed rewards",
        "bernstein": "empirical Bernstein; holds for any number of impressions, where weights have a bound",
    }
)
"""How intervals are made, and when they hold."""

LARGEST = 1e150
"""The square of what is larger is no float."""
FEWEST_EFFECTIVE = 10.0
"""Of fewer effective impressions there is no interval: nobody knows how far off their mean is."""


def bernstein_interval(
    mean: float, variance: float, count: int, width: float, *, confidence: float = 0.95
) -> Interval:
    """The empirical Bernstein interval of the mean of n values that lie in a range of this width.

    x̄ ± (√(2·s²·ln(4/δ) / n) + 7·b·ln(4/δ) / (3·(n − 1))), δ = 1 − confidence. It holds for any n and any law
    of independent values in the range, and is wide for that.

    Args:
        mean: of the values.
        variance: s², with n − 1 below.
        count: n.
        width: b, the greatest value that there can be less the least.
        confidence: how often such intervals hold the true mean, or more often.

    Source:
        A. Maurer, M. Pontil, "Empirical Bernstein bounds and sample-variance penalization", COLT 2009,
        theorem 4, for both sides.

    Example:
        >>> from rankmark import statistics
        >>> [round(end, 4) for end in statistics.bernstein_interval(0.5, 0.25, 1_000, 1.0)]
        [0.443, 0.557]

    """
    check_share(confidence=confidence)
    if count < 2:
        return Interval(math.nan, math.nan)
    log = math.log(4 / (1 - confidence))
    reach = math.sqrt(2 * variance * log / count) + 7 * width * log / (3 * (count - 1))
    return Interval(mean - reach, mean + reach)


class Estimated(NamedTuple):
    """What a policy earns, as far as the log says.

    Attributes:
        value: the estimate, in the unit of the rewards of an impression.
        low: the lower end of its interval; NaN where there is none.
        high: the upper end.
        method: how the interval was made, one of `INTERVALS_OF_LOGS`.
        error: the standard error.
        impressions: how many there are.
        effective: Kish's effective number of impressions (Σ w)² / Σ w², of the position that has the fewest;
            NaN without weights.
        earning: the same of weights times rewards: how many impressions of equal weight and reward would tell
            as much; NaN without weights or with rewards below 0.
        largest: the largest weight.
        top_share: how much of all weights the largest hundredth of them has.
        mean_weight: the mean of the weights, 1 in expectation where the log shows all that the policy does,
            and propensities are right; of several positions the one farthest from 1.
        weight_error: its standard error.
        bias_bound: of clipped weights and rewards of 0 and more, how far below the truth the estimate may be:
            max r · (1 − the mean of the clipped weights); NaN of others.

    Source:
        L. Kish, "Survey Sampling", 1965; the mean weight as a test: L. Li, S. Chen, J. Kleban, A. Gupta,
        "Counterfactual estimation and optimization of click metrics", WWW 2015 companion; the bound of the
        bias: L. Bottou et al., "Counterfactual reasoning and learning systems", JMLR 14, 2013, section 4.5.

    """

    value: float
    low: float
    high: float
    method: str
    error: float
    impressions: int
    effective: float
    earning: float
    largest: float
    top_share: float
    mean_weight: float
    weight_error: float
    bias_bound: float


@dataclass(frozen=True, slots=True)
class Making:
    """How intervals are made.

    Attributes:
        interval: one of `INTERVALS_OF_LOGS`.
        confidence: the share of them that hold the true value.
        rewards: the least and the greatest reward that an impression can have, known beforehand.
        largest_weight: the greatest weight that there can be, known beforehand.

    Raises:
        ChoiceError: what is none of these.

    """

    interval: IntervalOfLogs = "t"
    confidence: float = 0.95
    rewards: tuple[float, float] | None = None
    largest_weight: float = math.inf

    def __post_init__(self) -> None:
        check_choice("interval", self.interval, INTERVALS_OF_LOGS)
        check_share(confidence=self.confidence)
        pair = self.rewards is None or (
            isinstance(self.rewards, tuple | list)
            and len(self.rewards) == 2
            and all(isinstance(each, int | float) for each in self.rewards)
        )
        if not pair or (
            self.rewards is not None and not -math.inf < self.rewards[0] < self.rewards[1] < math.inf
        ):
            raise ChoiceError(f"rewards={self.rewards!r} are the least and the greatest that one can have")
        if not isinstance(self.largest_weight, int | float) or not self.largest_weight > 0:
            raise ChoiceError(f"largest_weight={self.largest_weight!r} is a number above 0")


MAKING = Making()
Resampled: TypeAlias = "list[Floats]"
"""Each estimate in each resample."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an estimate is in the columns.

    Attributes:
        ratios: what it is made of.
        weights: the columns of its weights, one, or one a position.
        earned: those that add up to the weighed rewards.
        clip: what weights are at most.
        modelled: whether a model's errors are weighed, and not the rewards.
        bounded: whether what an impression adds has a bound where weights have.

    """

    ratios: Ratios
    weights: tuple[int, ...]
    earned: tuple[int, ...]
    clip: float
    modelled: bool
    bounded: bool


@dataclass(slots=True)
class Observed:
    """What impressions come to for some estimates; parts of a log merge.

    Attributes:
        moments: of the columns that `places` numbers; the first is 1.
        places: of each estimate.
        spreads: of each estimate's weights; None of one without.
        least: the least reward of an impression.
        most: the greatest.
        units: the rows of the columns, or the sums of each cluster, where they are kept.
        labels: the clusters of `units`, ascending, by which those of parts merge.

    """

    moments: Moments
    places: list[_Place]
    spreads: list[Spread | None]
    least: float
    most: float
    units: Floats | None = None
    labels: NDArray[Any] | None = None

    @classmethod
    def of(
        cls, total: Floats, terms: Sequence[Terms], clusters: Clusters = None, *, kept: bool = False
    ) -> Observed:
        """Those of some impressions, by what each earned and what it adds to each estimate."""
        columns = _Columns(total)
        places = [columns.place(each) for each in terms]
        matrix = np.column_stack(columns.all)
        largest = float(np.abs(matrix).max(initial=0.0))
        if not largest < LARGEST:
            raise DataError(
                f"weights or weighed rewards of up to {largest:g} cannot be added up: correct the "
                "propensities that are next to 0, or rewards of that size"
            )
        units = matrix if kept else None
        labels = None
        if kept and clusters is not None:
            units, labels = cluster_totals(matrix, np.asarray(clusters))[0], np.unique(np.asarray(clusters))
        return cls(
            Moments.of(matrix, clusters),
            places,
            [None if each.weighed is None else Spread.of(each.weighed.weights.ravel()) for each in terms],
            float(total.min(initial=math.inf)),
            float(total.max(initial=-math.inf)),
            units,
            labels,
        )

    def add(self, other: Observed) -> None:
        """Takes in other impressions, of other clusters unless the sums of each are kept."""
        self.moments.add(other.moments)
        self._add_units(other)
        for own, others in zip(self.spreads, other.spreads, strict=True):
            if own is not None and others is not None:
                own.add(others)
        self.least, self.most = min(self.least, other.least), max(self.most, other.most)

    def _add_units(self, other: Observed) -> None:
        """Adds up the sums of clusters; without their labels nothing is kept."""
        if self.labels is None or other.labels is None or self.units is None or other.units is None:
            self.units = self.labels = None
            return
        labels = np.concatenate([self.labels, other.labels])
        self.units, _ = cluster_totals(np.concatenate([self.units, other.units]), labels)
        self.labels = np.unique(labels)
        self.moments.regroup(self.units)

    def to_record(self) -> dict[str, Any]:
        """As JSON has it; rows that are kept stay behind."""
        spreads = [
            each and {"counts": [*each.counts.items()], "sums": [*each.sums.items()], "largest": each.largest}
            for each in self.spreads
        ]
        places = [asdict(each) for each in self.places]
        moments = self.moments.to_record()
        return {
            "moments": moments, "places": places, "spreads": spreads, "least": self.least, "most": self.most
        }  # fmt: skip

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Observed:
        """What was sent as JSON."""
        spreads = [
            each and Spread(dict(map(tuple, each["counts"])), dict(map(tuple, each["sums"])), each["largest"])
            for each in record["spreads"]
        ]
        places = [
            _Place(
                **{
                    **each,
                    "ratios": tuple(map(tuple, each["ratios"])),
                    "weights": tuple(each["weights"]),
                    "earned": tuple(each["earned"]),
                }
            )
            for each in record["places"]
        ]
        moments = Moments.from_record(record["moments"])
        return cls(moments, places, spreads, record["least"], record["most"])

    def estimated(
        self, number: int, how: Making = MAKING, less: int | None = None, resampled: Resampled | None = None
    ) -> Estimated:
        """An estimate, or by how much one is above another of the same impressions.

        Raises:
            ChoiceError: an interval that there is none of.

        """
        place, moments = self.places[number], self.moments
        other = None if less is None else self.places[less]
        ratios, others = place.ratios, () if other is None else other.ratios
        value = moments.value(ratios) - (moments.value(others) if others else 0.0)
        error = moments.error(ratios, others)
        effective = min((self._effective(each) for each in (place, other) if each), default=math.nan)
        weights = self._weights(number)
        enough = math.isnan(effective) or effective >= FEWEST_EFFECTIVE
        ends = Interval(math.nan, math.nan)
        if enough and how.interval == "t":
            ends = _student(value, error, moments.units, how.confidence)
        elif enough and how.interval == "percentile":
            if resampled is None:
                raise ChoiceError('interval="percentile" needs the impressions in memory; take "t"')
            drawn = resampled[number] - (resampled[less] if less is not None else 0.0)
            if not np.isnan(drawn).any():
                ends = percentile_interval(drawn, confidence=how.confidence)
        elif how.interval == "bernstein":
            ends = self._bernstein(number, less, error, how)
        earning = moments.effective(*place.earned) if place.earned and self.least >= 0 else math.nan
        return Estimated(value, *ends, how.interval, error, moments.rows, effective, earning, *weights)

    def resampled(self, resamples: int, seed: int, threads: int | None = None) -> Resampled:
        """Each estimate in resamples of the impressions, or of clusters of them."""
        assert self.units is not None
        asked = [place.ratios for place in self.places]
        return resampled_values(self.units, asked, resamples, seed, threads)

    def _effective(self, place: _Place) -> float:
        return min((self.moments.effective(each) for each in place.weights), default=math.nan)

    def _weights(self, number: int) -> tuple[float, float, float, float, float]:
        """The largest weight, the share of the largest hundredth, their mean, its error, and the bias."""
        place, spread = self.places[number], self.spreads[number]
        if spread is None:
            return (math.nan,) * 5
        means = [
            (self.moments.value(own), self.moments.error(own))
            for own in (((column, 0),) for column in place.weights)
        ]
        mean, error = max(means, key=lambda each: _far(*each))
        bias = math.nan
        if place.clip < math.inf and (place.modelled or self.least >= 0):
            reach = self.most - self.least if place.modelled else self.most
            bias = reach * max(0.0, 1.0 - mean)
        return spread.largest, spread.top_share(), mean, error, bias

    def _bernstein(self, number: int, less: int | None, error: float, how: Making) -> Interval:
        """The interval that holds whatever the rewards, where weights have a bound.

        Where weights are cut, the share of them that is missing has a bound, too, of half of 1 − confidence,
        and the interval is wider by what can be earned with these.
        """
        place, moments = self.places[number], self.moments
        (above, below), *others = place.ratios
        alone = moments.units == moments.rows and not others and not below and len(place.weights) == 1
        if less is not None or not alone or not place.bounded:
            return Interval(math.nan, math.nan)
        most = min(place.clip, how.largest_weight)
        if most == math.inf or how.rewards is None:
            rewards = "of the rewards of an impression: say reward_range=, such as 0 and 1"
            weights = "of the weights: clip them, as IPS(clip=10), or say largest_weight="
            lacks = [*([rewards] if how.rewards is None else []), *([weights] if most == math.inf else [])]
            raise ChoiceError(
                f'interval="bernstein" needs bounds known beforehand, and lacks those {"; and ".join(lacks)}'
            )
        self._check_bounds(number, how)
        least, greatest = how.rewards
        reach = (
            (least - greatest, greatest - least) if place.modelled else (min(0.0, least), max(0.0, greatest))
        )
        width = most * (reach[1] - reach[0]) + (greatest - least if place.modelled else 0.0)
        cut = how.largest_weight > place.clip
        confidence = (1 + how.confidence) / 2 if cut else how.confidence
        mean, variance = moments.value(((above, 0),)), error**2 * moments.units
        found = bernstein_interval(mean, variance, moments.units, width, confidence=confidence)
        if not cut:
            return found.within(how.rewards)
        (column,) = place.weights
        own = ((column, 0),)
        variance = moments.error(own) ** 2 * moments.units
        share = bernstein_interval(moments.value(own), variance, moments.units, most, confidence=confidence)
        missing = max(0.0, 1.0 - share.low)
        return Interval(found.low + missing * reach[0], found.high + missing * reach[1]).within(how.rewards)

    def _check_bounds(self, number: int, how: Making) -> None:
        """Refuses bounds that the log does not keep to."""
        spread = self.spreads[number]
        assert how.rewards is not None
        if self.least < how.rewards[0] or self.most > how.rewards[1]:
            raise DataError(
                f"rewards={how.rewards!r}, and impressions of the log have from {self.least:g} to "
                f"{self.most:g}: say the least and the greatest that one can have"
            )
        if spread is not None and spread.largest > how.largest_weight * (1 + NEARLY):
            raise DataError(
                f"largest_weight={how.largest_weight:g}, and one of the log is {spread.largest:g}: say the "
                "greatest that there can be"
            )


def _far(mean: float, error: float) -> float:
    """How far a mean of weights is from 1, by its error."""
    return abs(mean - 1.0) / error if error else abs(mean - 1.0) * math.inf if mean != 1.0 else 0.0


def _student(value: float, error: float, units: int, confidence: float) -> Interval:
    from scipy.special import stdtrit

    if units < 2 or math.isnan(error):
        return Interval(math.nan, math.nan)
    reach = float(stdtrit(units - 1, (1 + confidence) / 2)) * error
    return Interval(value - reach, value + reach)


class _Columns:
    """Columns of what impressions add, each once; the first is 1."""

    def __init__(self, total: Floats) -> None:
        self.total = total
        self.all: list[Floats] = [np.ones(len(total))]
        self._places: dict[int, int] = {}

    def place(self, terms: Terms) -> _Place:
        """Takes in what an estimate is made of."""
        weights: tuple[int, ...] = ()
        if terms.weighed is not None:
            own = terms.weighed.weights
            if id(own) not in self._places:  # which several estimators have of a log
                self._places[id(own)] = self._put(own.reshape(len(own), -1))
            first = self._places[id(own)]
            weights = tuple(range(first, first + own.reshape(len(own), -1).shape[1]))
        above = self._put(terms.above)
        below: Sequence[int] = [0] * terms.above.shape[1]
        if terms.below is not None:
            same = terms.weighed is not None and np.shares_memory(terms.below, terms.weighed.weights)
            start = -1 if same else self._put(terms.below)
            below = weights if same else range(start, start + terms.below.shape[1])
        ratios = tuple((above + number, each) for number, each in enumerate(below))
        earned = tuple(range(above, above + terms.above.shape[1]))
        if terms.modelled and terms.weighed is not None:
            earned = (self._put((terms.weighed.weights * self.total)[:, None]),)
        clip = math.inf if terms.weighed is None else terms.weighed.clip
        return _Place(ratios, weights, earned if weights else (), clip, terms.modelled, terms.bounded)

    def _put(self, columns: Floats) -> int:
        self.all += list(columns.T)
        return len(self.all) - int(columns.shape[1])


def observed_of(
    logged: Logged,
    asked: Sequence[tuple[Estimator, Mapping[str, float]]],
    clusters: Clusters = None,
    *,
    kept: bool = False,
) -> Observed:
    """What impressions come to for some estimators with their parameters."""
    terms = [estimator.terms(logged, parameters) for estimator, parameters in asked]
    return Observed.of(logged.total, terms, clusters, kept=kept)


def policy_value(
    estimator: str,
    rewards: ArrayLike,
    policy: ArrayLike,
    propensity: ArrayLike,
    *,
    predicted: ArrayLike | None = None,
    expected: ArrayLike | None = None,
    chances: Chances = "conditional",
    clusters: Clusters = None,
    interval: IntervalOfLogs = "t",
    confidence: float = 0.95,
    reward_range: tuple[float, float] | None = None,
    largest_weight: float = math.inf,
    resamples: int = 2_000,
    seed: int = 0,
    threads: int | None = None,
    **parameters: float,
) -> Estimated:
    """What a policy would have earned where another one logged.

    Args:
        estimator: one of `ESTIMATORS`.
        rewards: of each impression, or [impressions, positions]; NaN where an impression has fewer positions.
        policy: the chance that the policy shows what was shown.
        propensity: the chance with which it was shown.
        predicted: what a model predicts of what was shown; of CascadeDR for what is earned from the position
            on.
        expected: what it expects of the policy: Σ_a π(a|x)·q̂(x, a).
        chances: what chances of several positions are of, one of `CHANCES`.
        clusters: a label an impression, where some belong together, such as those of a user.
        interval: one of `INTERVALS_OF_LOGS`.
        confidence: the share of such intervals that hold the true value, 0 to 1.
        reward_range: the least and the greatest reward that an impression can have, for ``bernstein``.
        largest_weight: the greatest weight that there can be, for the same.
        resamples: how many, for ``percentile``.
        seed: of the resamples.
        threads: how many to use; all cores if None.
        **parameters: those of the estimator: ``clip``, ``threshold``, ``shrinkage``.

    Returns:
        The estimate, its interval, and what the weights say of both. There is no interval of fewer than 10
        effective impressions.

    Raises:
        ChoiceError: an estimator, choice or parameter that there is not, or that lacks what it needs.
        DataError: what are no chances or rewards, or arrays of several shapes.

    Example:
        >>> from rankmark import statistics
        >>> found = statistics.policy_value("IPS", [1, 0, 1, 0], [0.6, 0.2, 0.1, 0.5], [0.3, 0.4, 0.5, 0.5])
        >>> round(found.value, 4)  # (2 · 1 + 0.2 · 1) / 4
        0.55
        >>> round(found.mean_weight, 4)  # (2 + 0.5 + 0.2 + 1) / 4
        0.925

    """
    check_choice("estimator", estimator, ESTIMATORS)
    check_choice("chances", chances, CHANCES)
    how = Making(interval, confidence, reward_range, largest_weight)
    asked = ESTIMATORS[estimator], ESTIMATORS[estimator].given(parameters)
    refuse_lacking([asked])
    logged = _arrays(rewards, policy, propensity, predicted, expected, chances)
    drawn = interval == "percentile"
    if drawn:
        check_drawn(resamples, seed, threads)
        check_enough(resamples, (1 - confidence) / 2, "the ends of the interval")
    observed = observed_of(logged, [asked], clusters, kept=drawn)
    resampled = observed.resampled(resamples, seed, threads) if drawn else None
    return observed.estimated(0, how, resampled=resampled)


def _arrays(
    rewards: ArrayLike,
    policy: ArrayLike,
    propensity: ArrayLike,
    predicted: ArrayLike | None,
    expected: ArrayLike | None,
    chances: Chances,
) -> Logged:
    """Impressions of arrays."""
    reward = _table(rewards)
    there = ~np.isnan(reward)
    if not there.size or not there[:, 0].all():
        raise DataError("each impression has a reward at its first position; there is none without")
    if np.isinf(reward).any():
        raise DataError(f"{np.count_nonzero(np.isinf(reward)):,} rewards are infinite")
    given = {"policy": policy, "propensity": propensity, "predicted": predicted, "expected": expected}
    tables = {name: _table(each) for name, each in given.items() if each is not None}
    for name, each in tables.items():
        if each.shape != reward.shape:
            raise DataError(f"{name} is {each.shape}, and rewards are {reward.shape}; give one a reward")
    ratio = np.ones(reward.shape)
    ratio[there] = importance_weights(tables["policy"][there], tables["propensity"][there])
    models = {
        name: np.where(there, tables[name], 0.0) for name in ("predicted", "expected") if name in tables
    }
    for name, each in models.items():
        if not np.isfinite(each).all():
            raise DataError(f"{name}: {np.count_nonzero(~np.isfinite(each)):,} are NaN or infinite")
    reward = np.where(there, reward, 0.0)
    return Logged(reward, ratio, there, np.ones(reward.shape[1]), chances, **models)


def _table(values: ArrayLike) -> Floats:
    own = as_floats(values)
    if own.ndim not in (1, 2):
        raise DataError(f"{own.ndim} dimensions; give one an impression, or [impressions, positions]")
    return own[:, None] if own.ndim == 1 else own
