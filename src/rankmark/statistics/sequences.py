"""Confidence sequences: intervals of a mean that hold at every number of values at once.

A gate that runs every night on all queries so far looks as often as there are nights, and an interval made
for one look is left by the truth sooner or later. These are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats, check_share, known

__all__ = ["ConfidenceSequence", "Side", "confidence_sequence", "evidence"]

Side: TypeAlias = Literal["both", "low", "high"]
"""Which ends there are."""
STEPS = 1_000
"""Means that are tried, so that ends are good to a thousandth of the range, outwards."""
MOST_STAKE = 0.5
"""The share of the capital that can be lost in a round."""


class ConfidenceSequence(NamedTuple):
    """The interval of the mean after each value; see `confidence_sequence`.

    Attributes:
        low: the lower ends, which never fall.
        high: the upper ends, which never rise.

    """

    low: Floats
    high: Floats


def confidence_sequence(
    values: ArrayLike, *, low: float, high: float, confidence: float = 0.95, side: Side = "both"
) -> ConfidenceSequence:
    """Intervals of a mean of which all hold at once, after any number of values, by betting.

        K_t(m) = Π_{i≤t} (1 ± λ_i·(x_i − m))
        λ_i = min(√(2·log(1/α) / (s²_{i−1}·i·log(1 + i))), 1/(2m) or 1/(2(1 − m)))
        s²_i = (1/4 + Σ_{j≤i} (x_j − x̄_j)²) / (i + 1),   x̄_j = (1/2 + Σ_{l≤j} x_l) / (j + 1)

    of values brought to 0 to 1. Somebody who bets that the mean is not m cannot expect to win if it is, so
    that K_t ever reaches 1/α with a chance of at most α (Ville). Left out are the means of which it did, with
    α = (1 − confidence)/2 on each side, or 1 − confidence on the only one (the hedged capital process).

    Args:
        values: in the order in which they came; NaN is left out.
        low: what no value falls below.
        high: what none exceeds.
        confidence: how often the mean is in all of the intervals, 0 to 1.
        side: ``both`` ends, or the ``low`` or the ``high`` one alone; the other is that of the range.

    Returns:
        An interval a value, each within those before it; ends are good to a thousandth of the range.

    It assumes that each value has this mean given those before it (independent values of one law do), and
    that none before was changed, left out or put in later; so the order has to be that of arrival. It holds
    for whatever number of values somebody stops at and for whatever reason, and is wider for that than an
    interval for one number of them.

    Raises:
        ChoiceError: ends that are no range.
        DataError: a value outside of it, or none at all.

    Source:
        I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the
        Royal Statistical Society B 86, 2024, section 4.

    """
    check_share(confidence=confidence)
    check_choice("side", side, get_args(Side))
    own, _ = known(values)
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ChoiceError(f"low={low!r}, high={high!r}: give two numbers, the less first")
    if not len(own):
        raise DataError("a confidence sequence needs a value")
    if outside := np.count_nonzero((own < low) | (own > high)):
        raise DataError(f"{outside} of the values are not from {low:g} to {high:g}")
    alpha = (1 - confidence) / (2 if side == "both" else 1)
    share = (own - low) / (high - low)
    ends = [np.zeros(len(own)), np.ones(len(own))]
    if side != "low":
        ends[1] = _upper(share, alpha)
    if side != "high":
        ends[0] = 1 - _upper(1 - share, alpha)
    return ConfidenceSequence(*(low + (high - low) * end for end in ends))


def evidence(shares: Floats, mean: float, alpha: float) -> Floats:
    """Log K_t of bets that the mean of values from 0 to 1 is below this one, after each; see there."""
    return np.cumsum(np.log1p(_stakes(shares, alpha)(mean) * (mean - shares)))


def _upper(shares: Floats, alpha: float) -> Floats:
    """The least of the means tried that is ruled out after each value, as are all above it; 1 if none is."""
    stakes, ends = _stakes(shares, alpha), np.ones(len(shares))
    for mean in np.arange(STEPS - 1, 0, -1) / STEPS:
        reached = np.cumsum(np.log1p(stakes(mean) * (mean - shares))) >= -math.log(alpha)
        if not reached.any():
            break
        ends[int(reached.argmax()) :] = mean
    return ends


def _stakes(shares: Floats, alpha: float) -> Callable[[float], Floats]:
    """How much to bet on each value, which depends on those before it and on the mean bet against."""
    count = np.arange(1, len(shares) + 1)
    means = (0.5 + np.cumsum(shares)) / (count + 1)
    variances = (0.25 + np.cumsum((shares - means) ** 2)) / (count + 1)
    before = np.append(0.25, variances[:-1])
    plain = np.sqrt(2 * -math.log(alpha) / (before * count * np.log1p(count)))
    return lambda mean: np.minimum(plain, MOST_STAKE / (1 - mean))
