"""Tests of what measures share of labelled scores."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from rankmark.kinds.rows import OF_SHAPE, Ranked


class AskedError(Exception):
    """All thresholds are looked at."""


def shape(_: Ranked) -> None:
    raise AskedError


@pytest.mark.parametrize("name", sorted(OF_SHAPE))
def test_measures_that_are_said_to_look_at_all_thresholds_do(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"label": [1, 0, 1, 0], "score": [0.9, 0.7, 0.7, 0.1]}
    monkeypatch.setattr(Ranked, "_shape", property(shape))
    with pytest.raises(AskedError):
        rm.evaluate_predictions(table, name)
    # What comes first looks at them, too, and tells its own pairs thereby.
    with pytest.raises(AskedError):
        rm.evaluate_predictions(table, ["AUC", name])
    assert rm.evaluate_predictions(table, "AUC")["AUC"] == 3.5 / 4


@pytest.mark.parametrize("width", [np.float32, np.float64])
@pytest.mark.parametrize("rate", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("scores", [1, 100, 1_000_000])
@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_are_the_same_whether_all_thresholds_are_looked_at_or_not(
    width: type, rate: float, scores: int, weighted: bool
) -> None:
    rng = np.random.default_rng(0)
    table = {
        "label": (rng.random(30_000) < rate).astype(np.uint8),
        "score": (rng.integers(0, scores, 30_000) / scores).astype(width),
    }
    if weighted:
        table["weight"] = rng.random(30_000)
    alone = rm.evaluate_predictions(table, ["AUC", "Gini"]).values
    beside = rm.evaluate_predictions(table, ["AUC", "KS", "Gini"]).values
    assert alone.items() <= beside.items()
