"""How far the shares of categories of lists are from others."""

from __future__ import annotations

from typing import Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.kinds.items import Shares
from rankmark.kinds.lists import Values
from rankmark.kinds.logarithms import Base, log_of

__all__ = ["Divergence", "divergence_of"]

Divergence: TypeAlias = Literal["kl", "js", "hellinger"]
"""That of Kullback and Leibler, that of Jensen and Shannon, and Hellinger's distance."""


def divergence_of(p: Shares, q: Shares, divergence: Divergence, *, alpha: float, log: Base) -> Values:
    """The divergence of `p` from `q`, NaN where a list has no shares in `p`; one a list.

    Args:
        p: the shares of the one.
        q: those of the other.
        divergence: which.
        alpha: how much of `p` is mixed into `q`, for ``kl``.
        log: the base of the logarithm.

    """
    if divergence == "hellinger":
        apart = np.sqrt(np.maximum(1 - p.sum(np.sqrt(p.share * q.at(p.keys))), 0.0))
    elif divergence == "js":
        apart = (_to_middle(p, q, log) + _to_middle(q, p, log)) / 2
    else:
        near = (1 - alpha) * q.at(p.keys) + alpha * p.share
        apart = p.sum(p.share * log_of(p.share / near, log))
    return np.maximum(apart, 0.0)


def _to_middle(p: Shares, q: Shares, log: Base) -> Values:
    """The divergence of Kullback and Leibler of the first from the mean of both."""
    return p.sum(p.share * log_of(2 * p.share / (p.share + q.at(p.keys)), log))
