"""A result for each picture, and the picture of it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import rankmark as rm
from rankmark.figures import Figure

__all__ = ["DRAWN", "of"]


@functools.cache
def _comparison() -> Any:
    """Two systems on forty queries, one of which is called what could be a tag."""
    rng = np.random.default_rng(1)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 3)) for j in range(8)} for i in range(40)}
    runs = {
        name: {
            query: {item: grade + noise * rng.normal() for item, grade in own.items()}
            for query, own in qrels.items()
        }
        for name, noise in (("old", 1.5), ("<new> & مرحبا 🎉", 1.0), ("third", 0.8))
    }
    return rm.compare(qrels, runs, ["nDCG@5", "RR"], baseline="old")


def _predictions() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    score = rng.beta(1, 6, 2000)
    return {"score": score, "label": (rng.random(2000) < score).astype(int)}


def _judged() -> tuple[Any, Any]:
    """One run on a few queries, one of which has nothing relevant and one no results."""
    qrels = {
        "q1": {"a": 3, "b": 1, "c": 0},
        "<q2>": {"c": 1, "d": 2},
        "q3": {"d": 0},
        "q4": {"e": 1},
    }
    run = {
        "q1": {"b": 2.0, "a": 1.0, "x": 1.0},
        "<q2>": {"</script>": 2.0, "c": 1.0, "d": 0.5},
        "q3": {"d": 1.0},
    }
    return qrels, run


DRAWN: Mapping[str, Callable[[], Any]] = {
    "conventions": lambda: rm.differences(*_judged(), ["nDCG@10", "RR"]),
    "conventions of two": lambda: rm.differences(*_judged(), "nDCG@10", like=["ranx", "lightgbm"]),
    "definitions": lambda: rm.identify(*_judged(), "nDCG@10", "0.41"),
    "definitions that are none": lambda: rm.identify(*_judged(), "AP", "0.99999"),
    "differences": _comparison,
    "reliability": lambda: rm.curve(_predictions(), "calibration"),
}
"""By the name of each picture, and words that say of what, a result."""


@functools.cache
def of(name: str) -> Figure:
    """A picture of `DRAWN`."""
    figure: Figure = DRAWN[name]().plot(name.partition(" ")[0])
    return figure
