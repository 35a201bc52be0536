"""Measures of how a list keeps to preferences between its items."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, did_you_mean
from rankmark.peers.trec_preferences import NOT_RETRIEVED, VALUES, PreferencesOfQuery
from rankmark.rendering.words import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PREFERENCE_MEASURES", "PreferenceMeasure", "preference_measure"]


def _ppref(upper: NDArray[np.int64], fulfilled: NDArray[np.bool_], most: int) -> float:
    ordered = upper <= most
    return _ratio(fulfilled[ordered].sum(), ordered.sum())


def _rpref(upper: NDArray[np.int64], fulfilled: NDArray[np.bool_], most: int) -> float:
    return _ratio((fulfilled & (upper <= most)).sum(), len(upper))


def _wpref(upper: NDArray[np.int64], fulfilled: NDArray[np.bool_], most: int) -> float:
    ordered = upper <= most
    weights = 1 / np.log2(upper[ordered] + 1.0)
    return _ratio(weights[fulfilled[ordered]].sum(), weights.sum())


def _appref(upper: NDArray[np.int64], fulfilled: NDArray[np.bool_], most: int) -> float:
    ordered = upper <= most
    counts = np.bincount(upper[ordered]), np.bincount(upper[ordered & fulfilled])
    gained = np.flatnonzero(counts[1])
    precision = np.cumsum(counts[1])[gained] / np.cumsum(counts[0])[gained]
    return float(precision.mean()) if len(gained) else 0.0


def _ratio(part: float, whole: float) -> float:
    return float(part / whole) if whole else 0.0


OF_PAIRS: Mapping[str, Callable[[NDArray[np.int64], NDArray[np.bool_], int], float]] = {
    "ppref": _ppref,
    "rpref": _rpref,
    "wpref": _wpref,
    "appref": _appref,
}
"""Of the rank of the upper item of each preference, whether that is the preferred one, and the cutoff."""
OF_TREC_EVAL = tuple(name for name in VALUES if not name.startswith("prefs_num_"))
PREFERENCE_MEASURES: tuple[str, ...] = (*OF_PAIRS, *OF_TREC_EVAL)
"""The names of all; the first four take a cutoff, ``ppref@10``."""


@dataclass(frozen=True, slots=True)
class PreferenceMeasure:
    """A measure of preferences.

    Attributes:
        name: as it is written, with its cutoff.
        value: of a query.

    """

    name: str
    value: Callable[[PreferencesOfQuery], float]


def preference_measure(text: str) -> PreferenceMeasure:
    """The measure of a name.

    Raises:
        MeasureError: there is none.

    """
    name, _, cutoff = text.partition("@")
    if name in OF_TREC_EVAL and not cutoff:
        return PreferenceMeasure(name, VALUES[name])
    if name in OF_PAIRS and (name == text or re.fullmatch("[1-9][0-9]{0,8}", cutoff)):
        of_pairs, most = OF_PAIRS[name], int(cutoff) if cutoff else NOT_RETRIEVED - 1
        return PreferenceMeasure(text, lambda seen: of_pairs(*seen.pairs, most))
    if name in VALUES and name not in OF_TREC_EVAL:
        raise MeasureError(f"{name} is a count: rankmark trec_eval -R prefs prints it")
    if name in PREFERENCE_MEASURES:
        cuts = "has no cutoff" if name in OF_TREC_EVAL else f"has a whole number as cutoff, as in {name}@10"
        raise MeasureError(f"{text!r} is no measure of preferences: {name} {cuts}")
    hint = did_you_mean(name, PREFERENCE_MEASURES) or ";"
    raise MeasureError(f"preferences have no measure {text!r}{hint} there are {listed(PREFERENCE_MEASURES)}")
