"""What a p-value is."""

from __future__ import annotations

import sys

__all__ = ["LEAST_P", "never_zero"]

LEAST_P = sys.float_info.min
"""The smallest number of full precision, which stands for all p-values below it."""


def never_zero(p: float) -> float:
    """A p-value that no rounding has made 0, for no test excludes chance; NaN stays NaN."""
    return p if p > LEAST_P or p != p else LEAST_P
