"""How well a variance is known that few of many values may make up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankmark import _numpy as np

if TYPE_CHECKING:
    from rankmark.statistics.resampling import Floats

__all__ = ["effective_freedom"]


def effective_freedom(deviations: Floats, size: int) -> float:
    """The degrees of freedom of a sum of squares of n deviations from a mean.

        2n/(κ − 1),   κ = n·Σ d⁴/(Σ d²)²,   n − 1 at most

    The mean of n squares has a variance of (κ − 1)/n of its own square, and that of a χ² of f degrees of
    freedom 2/f. Of normal values κ is near 3; where one of n is all there is, it is n, and f about 2.

    Args:
        deviations: those that are not 0 at least.
        size: n, with those that are.

    Source:
        F. E. Satterthwaite, "An approximate distribution of estimates of variance components", Biometrics
        Bulletin 2, 1946, with the variance of the variance as it is in the values.

    """
    square = float(deviations @ deviations)
    if size < 2 or square == 0:
        return max(size - 1.0, 1.0)
    shares = (deviations / np.sqrt(square)) ** 2
    kurtosis = size * float(shares @ shares)
    return min(size - 1.0, 2 * size / (kurtosis - 1)) if kurtosis > 1 else size - 1.0
