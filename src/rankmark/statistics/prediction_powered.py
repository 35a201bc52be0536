"""Means of which few values are known and all are predicted: prediction-powered inference.

In rankmark a value is that of a query by human judgements, and its prediction that by the judgements of a
model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from rankmark.dataclassing import dataclass
from rankmark.errors import ChoiceError, DataError
from rankmark.rendering.records import Record
from rankmark.statistics.chance import LEAST_P, never_zero
from rankmark.statistics.intervals import (
    Caution,
    Interval,
    Sample,
    are_zero_one,
    caution_of,
    wilson_interval,
)
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_share, known
from rankmark.statistics.spread import deviations, scaled

__all__ = ["PredictionPowered", "Tuning", "prediction_powered_mean", "prediction_powered_strata"]

Tuning: TypeAlias = Literal["shrunken", "plug-in"]
TUNINGS: tuple[Tuning, ...] = ("shrunken", "plug-in")
MOST_SKEWED = 0.15
"""By this share of t, at most, skewness makes intervals longer: beyond it the expansion says nothing."""
MOST_WIDE = 1.02
"""As many times as wide as without predictions, at most, is an interval with them."""
FEWEST_TUNED = 6
"""Of fewer known values λ is 0: by so few nobody knows what predictions are worth."""
FEWEST_DIFFERING = 5
"""Where fewer known values differ from the most frequent one, nobody knows how predictions err on such."""
VANISHED = 1e-12
"""A sum of squares of which this share is left, with one value left out, is rounding."""


@dataclass(frozen=True, slots=True, repr=False)
class PredictionPowered(Record):
    """A mean of which few values are known and all are predicted; see `prediction_powered_mean`.

    Attributes:
        value: the estimate.
        low: the lower end of its confidence interval; NaN where fewer than two values are known.
        high: the upper end.
        error: its standard error.
        freedom: how well that is known: degrees of freedom; infinite of a normal interval.
        power: λ, how much the predictions count; 0 where they do not. The mean of those of the known rows;
            of several strata that of each, weighed by how many values are to be predicted in it.
        labelled: how many values are known.
        unlabelled: how many are not.
        p: the chance of a value as far from 0 if the mean is 0; NaN without a standard error.
        caution: which of `CAUTIONS` holds; empty if none.

    """

    value: float
    low: float
    high: float
    error: float
    freedom: float
    power: float
    labelled: int
    unlabelled: int
    p: float
    caution: Caution = ""

    @property
    def interval(self) -> Interval:
        """Both ends."""
        return Interval(self.low, self.high)


def prediction_powered_mean(
    values: ArrayLike,
    predicted: ArrayLike,
    unlabelled: ArrayLike,
    *,
    power: float | None = None,
    tuning: Tuning = "shrunken",
    finite: bool = False,
    confidence: float = 0.95,
) -> PredictionPowered:
    """The mean of values of which some are known and all are predicted.

        θ = ȳ + λ·(f̄_U − f̄_L)

    y are the n known values, f_L their predictions and f_U those of the m others. θ has the expectation of y
    however wrong the predictions are, for any fixed λ; good ones make it more certain. λ = 0 leaves them out.

    Of ``shrunken``, λ = s·β·m/(n + m), β ≥ 0 the slope of y by f, s = τ²/(1 + τ²) for τ the slope by its
    standard error: an unsure slope counts less, so that predictions that say nothing cost nearly nothing.
    Each known row has the λ of the others, θ = ȳ + Σ λ₋ᵢ·(f̄_U − f_i)/n, so that θ has the expectation of y
    exactly, however few or rare the values are; of fewer than six λ is 0.
    The squared standard error is Σ(θ₋ᵢ − θ)²·(n − 1)/n of the n estimates without one value, and λ²·s_f²/m,
    all with one λ for all of their rows. Ends are θ ± q·SE,
    q = t + z·(γ²·(z⁴ + 2z² − 3) − 1.5·κ·(z² − 3))/18, t with n − 1 − s degrees of freedom (with the other
    part by Satterthwaite), γ and κ the skewness and the excess of θ as the values have them: the Edgeworth
    expansion of Student's ratio. What is added is 0 to .15·t.
    No interval is more than 1.02 times as wide as that of λ = 0, which holds the mean, too; SE is less where
    it would be. Where fewer than five values differ from the most frequent one, it is as wide as that, and
    of values of 0 and 1 it is Wilson's of these alone, and holds θ.

    ``plug-in`` is PPI++: λ = cov(y, f)/((1 + n/m)·s_f²), 0 to 1, and θ ± z·√(σ²(y − λf)/n + λ²·σ_f²/m). It
    holds for many values; of 30 it is too short, and θ is off where values are rare.

    Assumes that the known values are a random sample of all, and that predictions were made the same way
    where values are known, not fitted to these.

    Args:
        values: y, one a row, 2 or more; also differences between two systems on the same queries. Rows where
            a value or a prediction is NaN are left out.
        predicted: f_L, those of the same rows; for differences the predicted differences.
        unlabelled: f_U; NaN is left out.
        power: λ; None to tune it.
        tuning: how: ``shrunken`` or ``plug-in``.
        finite: whether the mean is that of these n + m rows, and not that of rows such as these: the known
            ones err less, by a factor of m/(n + m) of their squared error, and the others not at all.
        confidence: the share of such intervals that hold the true mean, 0 to 1.

    Raises:
        DataError: other numbers of values and of predictions.
        ChoiceError: a power that is no number, or ``plug-in`` with ``finite``.

    Source:
        A. N. Angelopoulos, S. Bates, C. Fannjiang, M. I. Jordan, T. Zrnic, "Prediction-powered inference",
        Science 382, 2023; A. N. Angelopoulos, J. C. Duchi, T. Zrnic, "PPI++", arXiv:2311.01453, 2023. Of
        known sampling it is the regression estimator of W. G. Cochran, "Sampling Techniques", 1977, chapter
        7; the expansion P. Hall, "The Bootstrap and Edgeworth Expansion", 1992, section 2.6.

    Example:
        >>> from rankmark.statistics import prediction_powered_mean
        >>> found = prediction_powered_mean([1, 0, 1, 0], [0.9, 0.3, 0.7, 0.1], [0.8, 0.6, 0.7, 0.7], power=1)
        >>> round(found.value, 4), round(found.error, 4)
        (0.7, 0.1858)

    """
    stratum = _Stratum.of(values, predicted, unlabelled)
    return _together([stratum], [1.0], power, tuning, confidence, finite=finite)


def prediction_powered_strata(
    strata: Sequence[tuple[ArrayLike, ArrayLike, ArrayLike]],
    *,
    shares: Sequence[float] | None = None,
    power: float | None = None,
    tuning: Tuning = "shrunken",
    finite: bool = False,
    confidence: float = 0.95,
) -> PredictionPowered:
    """The same where rows were drawn from strata, each with its own share of known values and its own λ.

        θ = Σ w_k·θ_k,   SE² = Σ w_k²·SE_k² + Σ w_k·(θ_k − θ)²/(N − 1)

    The last sum is what shares of N rows are off those of rows such as these; it is not there where shares
    are given, or for these rows alone (`finite`).

    Where predictions are better in some strata, or more of them are labelled, it is more certain; and where
    shares of labelled rows differ between strata `prediction_powered_mean` is wrong, which takes all as one.

    Args:
        strata: of each stratum the known values, their predictions, and the other predictions.
        shares: w, 1 together, taken for known; if None those of the rows.
        power: λ of all; None to tune that of each.
        tuning: as for `prediction_powered_mean`, as is the rest.
        finite: see there.
        confidence: see there.

    Raises:
        DataError: no strata, one with fewer than two known values, or shares that are none.
        ChoiceError: as `prediction_powered_mean`.

    Source:
        A. Fisch, J. Maynez, R. A. Hofer, B. Dhingra, A. Globerson, W. W. Cohen, "Stratified
        prediction-powered inference for hybrid language model evaluation", NeurIPS 2024.

    Example:
        >>> from rankmark.statistics import prediction_powered_strata
        >>> easy = [0.9, 1.0, 0.8], [1, 1, 0.5], [1, 1, 1]
        >>> hard = [0.1, 0.3], [0, 0.5], [0.5, 0, 0, 0]
        >>> round(prediction_powered_strata([easy, hard], power=0).value, 4)
        0.55

    """
    found = [_Stratum.of(*each) for each in strata]
    if not found:
        raise DataError("there are no strata")
    if few := [number for number, each in enumerate(found, 1) if len(each.values) < 2]:
        raise DataError(
            f"stratum {few[0]} has fewer than 2 known values; put strata together that have so few"
        )
    sizes = np.array([each.size for each in found], dtype=float)
    weights = sizes / sizes.sum() if shares is None else np.asarray(shares, dtype=float)
    if weights.shape != sizes.shape or not (weights >= 0).all() or not math.isclose(weights.sum(), 1):
        raise DataError(f"shares are one of each of {len(found)} strata, 0 or more, and 1 together")
    known_shares = finite or shares is not None
    return _together(
        found, weights.tolist(), power, tuning, confidence, finite=finite, known_shares=known_shares
    )


class _Stratum(NamedTuple):
    """Known values, their predictions, and those of the rows of which nothing is known."""

    values: Floats
    predicted: Floats
    unlabelled: Floats

    @classmethod
    def of(cls, values: ArrayLike, predicted: ArrayLike, unlabelled: ArrayLike) -> _Stratum:
        own, other = np.asarray(values, dtype=float), np.asarray(predicted, dtype=float)
        if own.ndim != 1 or own.shape != other.shape:
            raise DataError(
                f"{own.size} known values and {other.size} predictions of them: give a prediction a value"
            )
        there = ~(np.isnan(own) | np.isnan(other))
        return cls(known(own[there])[0], known(other[there])[0], known(unlabelled)[0])

    @property
    def size(self) -> int:
        return len(self.values) + len(self.unlabelled)


class _Part(NamedTuple):
    """What a stratum adds to an estimate.

    Attributes:
        value: its own estimate.
        power: its λ.
        moves: how far each known value moves it.
        squared: the squared standard error that comes of the known values.
        freedom: how well that is known.
        others: the squared standard error that comes of the other rows.
        units: how many these are.

    """

    value: float
    power: float
    moves: Floats
    squared: float
    freedom: float
    others: float
    units: int


def _together(
    strata: Sequence[_Stratum],
    weights: Sequence[float],
    power: float | None,
    tuning: Tuning,
    confidence: float,
    *,
    finite: bool,
    known_shares: bool = True,
) -> PredictionPowered:
    """The weighted sum of the strata's estimates."""
    check_share(confidence=confidence)
    check_choice("tuning", tuning, TUNINGS)
    number = isinstance(power, int | float) and not isinstance(power, bool) and math.isfinite(power)
    if power is not None and not number:
        raise ChoiceError(f"power={power!r} is not a finite number, such as 1")
    plug_in = tuning == "plug-in"
    if plug_in and finite:
        raise ChoiceError('tuning="plug-in" is of rows such as these, and finite of these alone')
    # A power of two, by which nothing is rounded, so that squares can be summed up.
    _, unit = scaled(np.concatenate([each for stratum in strata for each in stratum]))
    own = [_Stratum(*(each / unit for each in stratum)) for stratum in strata]
    parts = [_plugged_in(each, power) if plug_in else _part(each, power, finite=finite) for each in own]
    of_shares = partial(_of_shares, weights=weights, rows=sum(each.size for each in own))
    drawn = [] if known_shares else of_shares(parts)
    law = _Law.of([*parts, *drawn], [*weights, *(1.0 for _ in drawn)], normal=plug_in)
    tail = (1 - confidence) / 2
    if power is None and not plug_in and law.error > 0:
        plain = [_part(each, 0.0, finite=finite) for each in own]
        drawn = [] if known_shares else of_shares(plain)
        alone = _Law.of([*plain, *drawn], [*weights, *(1.0 for _ in drawn)])
        law = law.at_most(MOST_WIDE * alone.reach(tail), tail)
    value = math.fsum(weight * part.value for weight, part in zip(weights, parts, strict=True))
    counts = [weight * len(each.unlabelled) for weight, each in zip(weights, own, strict=True)]
    powers = math.fsum(count * part.power for count, part in zip(counts, parts, strict=True))
    labelled = np.concatenate([each.values for each in own])
    reach = law.reach(tail)
    ends = Interval((value - reach) * unit, (value + reach) * unit)
    if not (plug_in or power) and len(own) == 1 and _are_few_hits(strata[0].values):
        ends = _of_hits(strata[0], value * unit, confidence, finite=finite)
    return PredictionPowered(
        value=value * unit,
        low=ends.low,
        high=ends.high,
        error=law.error * unit,
        freedom=law.freedom,
        power=powers / (math.fsum(counts) or 1.0),
        labelled=len(labelled),
        unlabelled=sum(len(each.unlabelled) for each in own),
        p=law.chance(value),
        caution=caution_of("studentised", Sample(labelled)) if len(labelled) > 1 else "",
    )


def _differing(values: Floats) -> int:
    """How many values are not the most frequent one."""
    return len(values) - int(np.unique(values, return_counts=True)[1].max(initial=0))


def _are_few_hits(values: Floats) -> bool:
    """Whether these are 0 and 1, two or more, and too few are 0 or 1 for how far their mean varies."""
    return len(values) > 1 and are_zero_one(values) and _differing(values) < FEWEST_DIFFERING


def _of_hits(stratum: _Stratum, value: float, confidence: float, *, finite: bool) -> Interval:
    """Wilson's interval of the known values, made to hold the estimate."""
    share, ends = float(stratum.values.mean()), wilson_interval(stratum.values, confidence=confidence)
    if finite:
        less = math.sqrt(len(stratum.unlabelled) / stratum.size)
        ends = Interval(*(share + less * (end - share) for end in ends))
    return Interval(min(ends.low, value), max(ends.high, value))


def _of_shares(parts: Sequence[_Part], weights: Sequence[float], rows: int) -> list[_Part]:
    """What the shares of strata add to the error, which are those of these rows."""
    values, shares = np.array([part.value for part in parts]), np.asarray(weights)
    between = float(shares @ (values - shares @ values) ** 2)
    return [_Part(0.0, 0.0, np.zeros(1), 0.0, 1.0, between / max(rows - 1, 1), rows)]


def _part(stratum: _Stratum, power: float | None, *, finite: bool) -> _Part:
    """A stratum's estimate with the jackknife's standard error."""
    y, f, others = stratum
    n, m = len(y), len(others)
    if not n:
        return _Part(math.nan, 0.0, y, math.nan, 0.0, 0.0, m)
    everywhere = np.concatenate([f, others])
    # Of these rows alone the mean of all predictions is known, and takes the place of that of the others.
    reference, times = (everywhere, (n + m) / m) if finite and m else (others, 1.0)
    ahead = float(reference.mean() - f.mean()) if m else 0.0
    own, left_out = _moments(y, f)
    most = m / (n + m)
    if power is None and m and n >= FEWEST_TUNED:
        slopes, _ = _slopes(left_out, n - 1)
        slope, share = (float(each[0]) for each in _slopes(own, n))
        used, each_used = slope * most, slopes * most
    else:
        used, share = (power or 0.0) * bool(m), 0.0
        each_used = np.full(n, used)
    # A row's own value has no say in how much its prediction counts: that would be a bias.
    value = float(y.mean()) + times * float((each_used * (ahead - deviations(f))).mean())
    tuned = float(each_used.mean())
    if n < 2:
        return _Part(value, tuned, np.zeros(n), math.nan, 0.0, 0.0, m)
    if power is None and tuned and _differing(y) < FEWEST_DIFFERING:
        return _part(stratum, 0.0, finite=finite)._replace(value=value, power=tuned)
    without = y.mean() - deviations(y) / (n - 1)
    without += times * each_used * (ahead + deviations(f) / (n - 1))
    moves = (1 - 1 / n) * (float(y.mean()) + times * used * ahead - without)
    squared = n / (n - 1) * float(moves @ moves) * (most if finite else 1.0)
    spread = float(everywhere.var(ddof=1)) if m and not finite else 0.0
    return _Part(value, tuned, moves, squared, n - 1 - share, used**2 * spread / m if m else 0.0, m)


class _Moments(NamedTuple):
    """Sums of squares and products of deviations from means, of all values or without each of them."""

    yy: Floats
    yf: Floats
    ff: Floats


def _moments(y: Floats, f: Floats) -> tuple[_Moments, _Moments]:
    """Of all values, and without each; 0 where these are alike."""
    n, dy, df = len(y), deviations(y), deviations(f)
    products = dy * dy, dy * df, df * df
    sums = [np.array([each.sum()]) for each in products]
    left = [total - each * (n / max(n - 1, 1)) for total, each in zip(sums, products, strict=True)]
    for of, total in ((left[0], sums[0]), (left[2], sums[2])):
        of[of <= VANISHED * total] = 0.0
    return _Moments(*sums), _Moments(*left)


def _slopes(sums: _Moments, n: int) -> tuple[Floats, Floats]:
    """The slope of y by f that is used, s·β, and s."""
    known_slope = (sums.ff > 0) & (sums.yf > 0) & (sums.yy > 0)
    nothing = np.zeros_like(sums.yf)
    slopes = np.divide(sums.yf, sums.ff, out=nothing.copy(), where=known_slope)
    squares = np.divide(sums.yf**2, sums.ff * sums.yy, out=nothing.copy(), where=known_slope).clip(0, 1)
    shares = (n - 2) * squares / (1 + (n - 3) * squares)
    return slopes * shares, shares


def _plugged_in(stratum: _Stratum, power: float | None) -> _Part:
    """A stratum's estimate by PPI++."""
    y, f, others = stratum
    n, m = len(y), len(others)
    if not n or not m:
        raise DataError('tuning="plug-in" takes values that are known, and others that are not')
    if power is None:
        spread = (1 + n / m) * float(np.concatenate([f, others]).var(ddof=1))
        power = float(np.clip(np.mean(deviations(y) * deviations(f)) / spread, 0, 1)) if spread else 0.0
    value = float(np.mean(power * others) + np.mean(y - power * f))
    squared = float(np.var(y - power * f)) / n
    return _Part(value, power, np.zeros(n), squared, math.inf, power**2 * float(others.var()) / m, m)


class _Law(NamedTuple):
    """How an estimate varies about the truth.

    Attributes:
        error: the standard error; NaN where it is not known.
        freedom: degrees of freedom.
        skewness: of the estimate.
        excess: its kurtosis less 3.

    """

    error: float
    freedom: float
    skewness: float = 0.0
    excess: float = 0.0

    @classmethod
    def of(cls, parts: Sequence[_Part], weights: Sequence[float], *, normal: bool = False) -> _Law:
        """That of a weighted sum of independent parts."""
        pairs = list(zip(weights, parts, strict=True))
        squares = np.array([w * w * each for w, part in pairs for each in (part.squared, part.others)])
        whole = float(squares.sum())
        if normal or not whole > 0:
            return cls(math.sqrt(whole), math.inf if normal else min(part.freedom for part in parts))
        freedoms = [each for part in parts for each in (part.freedom, max(part.units - 1, 1))]
        freedom = 1 / float(np.sum((squares / whole) ** 2 / freedoms))
        moves = [w * (part.moves - part.moves.mean()) for w, part in pairs]
        third = sum(float(np.sum(own**3)) for own in moves)
        fourth = sum(float(np.sum(own**4) - 3 * np.sum(own**2) ** 2 / len(own)) for own in moves)
        return cls(math.sqrt(whole), freedom, third / whole**1.5, fourth / whole**2)

    def reach(self, tail: float) -> float:
        """How far the estimate is off with this chance, to either side."""
        from scipy.special import ndtri, stdtrit

        if not self.error > 0:
            return self.error
        z = -float(ndtri(tail))
        if math.isinf(self.freedom):
            return z * self.error
        t = -float(stdtrit(self.freedom, tail))
        return (t + self._longer(t, z)) * self.error

    def at_most(self, reach: float, tail: float) -> _Law:
        """The same with an error so small that it does not reach farther."""
        return self._replace(error=self.error * min(1.0, reach / self.reach(tail)))

    def _longer(self, t: float, z: float) -> float:
        """What skewness adds to t, z being the normal quantile."""
        more = z * (self.skewness**2 * (z**4 + 2 * z**2 - 3) - 1.5 * self.excess * (z**2 - 3)) / 18
        return min(max(more, 0.0), MOST_SKEWED * t)

    def chance(self, value: float) -> float:
        """The chance of an estimate as far from 0, to either side, where the truth is 0."""
        from scipy.optimize import brentq
        from scipy.special import ndtr, ndtri, stdtr

        if not self.error > 0:
            return 1.0 if self.error == value == 0 else math.nan
        ratio = abs(value) / self.error
        if math.isinf(self.freedom):
            return never_zero(2 * float(ndtr(-ratio)))

        def beyond(t: float) -> float:
            z = -float(ndtri(max(float(stdtr(self.freedom, -t)), LEAST_P)))
            return t + self._longer(t, z) - ratio

        least = ratio / (1 + MOST_SKEWED) * (1 - 1e-12)
        t = float(brentq(beyond, least, ratio)) if ratio and beyond(ratio) > 0 else ratio
        return never_zero(2 * float(stdtr(self.freedom, -t)))
