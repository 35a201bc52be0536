"""Logarithms to a base that a measure is told."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Above

__all__ = ["Base", "log_of"]

Base: TypeAlias = Literal["e"] | Annotated[float, Above(1)]
"""The base of a logarithm: ``e``, or a number such as 2, for bits."""


def log_of(x: Values, base: Base) -> Values:
    """The logarithm of each."""
    logarithms: Values = np.log2(x) if base == 2 else np.log(x)
    return logarithms if base in ("e", 2) else logarithms / math.log(float(base))
