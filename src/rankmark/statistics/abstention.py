"""How well a system knows which queries it fails: abstention by its confidence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from rankmark.errors import DataError
from rankmark.statistics.resampling import Floats, as_floats

__all__ = ["CONFIDENCES", "RATES", "abstention_nauc"]

RATES = tuple(np.linspace(0, 1, 11)[:-1].tolist())
"""The usual shares of queries that are abstained from: 0, 0.1, … 0.9."""


def _first_over_second(scores: Floats) -> float:
    if len(scores) < 2:
        return 0.0
    second, first = np.partition(scores, -2)[-2:]
    return float(first - second)


CONFIDENCES: Mapping[str, Callable[[Floats], float]] = MappingProxyType(
    {
        "max": lambda scores: float(scores.max()) if len(scores) else 0.0,
        "std": lambda scores: float(scores.std()) if len(scores) else 0.0,
        "diff1": _first_over_second,
    }
)
"""What the scores of a query's list say of how sure a system is: the highest of them, their standard
deviation (of n, not n − 1), and how far the highest is above the second; 0 of an empty list."""


def abstention_nauc(confidence: ArrayLike, values: ArrayLike, rates: ArrayLike = RATES) -> float:
    """The normalised area under the abstention curve: 1 as an oracle abstains, 0 as by chance, below 0 worse.

    At rate a the ⌊a·n⌉ queries of the least confidence are left out (half to even, never all), and c(a) is
    the mean value of the others. Queries of one confidence count their mean each, which is what a random
    order of them comes to. With A the area under c by trapezoids, A* that where the values themselves are
    the confidence, and Aₒ that of the mean of all::

        nAUC = (A − Aₒ) / (A* − Aₒ)

    Args:
        confidence: of each query, greater where the system is surer.
        values: of the measure, greater where better; NaN is left out.
        rates: the shares that are abstained from, ascending from 0.

    Returns:
        NaN where all values are alike, so that there is nothing to abstain from.

    Raises:
        DataError: not as many values as confidences, or none; rates that do not ascend within 0 to 1.

    Source:
        H. Gisserot-Boukhlef et al., "Towards trustworthy reranking: a simple yet effective abstention
        mechanism", TMLR 2024.

    Example:
        >>> from rankmark.statistics import abstention_nauc
        >>> round(abstention_nauc([0.1, 0.9, 0.5, 0.7], [0.0, 1.0, 0.5, 0.5]), 4)
        1.0
        >>> round(abstention_nauc([0.9, 0.1, 0.5, 0.7], [0.0, 1.0, 0.5, 0.5]), 4)
        -1.0

    """
    sure, found, shares = as_floats(confidence).ravel(), as_floats(values).ravel(), as_floats(rates).ravel()
    if len(sure) != len(found):
        raise DataError(f"there are {len(sure)} confidences, and {len(found)} values; give one each a query")
    there = ~np.isnan(found)
    sure, found = sure[there], found[there]
    if not len(found) or not np.isfinite(sure).all():
        raise DataError("abstention is of queries that have a value, and a finite confidence each")
    if len(shares) < 2 or shares[0] < 0 or shares[-1] > 1 or (np.diff(shares) <= 0).any():
        raise DataError("rates are two or more shares from 0 to 1, ascending")
    left_out = np.minimum(np.rint(shares * len(found)).astype(int), len(found) - 1)
    area, oracle = (_area(_kept(each, found)[left_out], shares) for each in (sure, found))
    flat = float(_kept(found, found)[left_out][0] * (shares[-1] - shares[0]))
    return (area - flat) / (oracle - flat) if not math.isclose(oracle, flat, rel_tol=1e-12) else math.nan


def _area(heights: Floats, places: Floats) -> float:
    """By trapezoids."""
    return float((heights[1:] + heights[:-1]) @ np.diff(places) / 2)


def _kept(confidence: Floats, values: Floats) -> Floats:
    """The mean value of the queries that are kept where the 0, 1, … least sure are left out."""
    order = np.argsort(confidence, kind="stable")
    sure, found = confidence[order], values[order]
    starts = np.flatnonzero(np.r_[True, sure[1:] != sure[:-1]])
    sizes = np.diff(np.r_[starts, len(sure)])
    found = np.repeat(np.add.reduceat(found, starts) / sizes, sizes)
    return np.asarray(np.cumsum(found[::-1])[::-1] / np.arange(len(found), 0, -1))
