"""Systems compared by what they recommend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmark as rm

ITEMS = [f"i{i}" for i in range(40)]
USERS = [f"u{u}" for u in range(60)]


def run_of(seed: int, steepness: float, k: int = 5) -> dict[str, list[str]]:
    """Lists of items, of which the first are drawn the more often the steeper."""
    draw = np.random.default_rng(seed)
    shares = np.arange(1, len(ITEMS) + 1) ** -steepness
    return {u: list(draw.choice(ITEMS, k, replace=False, p=shares / shares.sum())) for u in USERS}


EVEN, STEEP = run_of(1, 0.3), run_of(2, 1.6)
TRAIN = run_of(3, 1.0)
QRELS = {user: dict.fromkeys(items, 1) for user, items in run_of(4, 1.0).items()}
PER_USER = ["Novelty@5", "NotInTrain@5"]


def test_measures_of_each_user_are_compared_as_any_other() -> None:
    runs = {"even": EVEN, "steep": STEEP}
    compared = rm.compare(QRELS, runs, [*PER_USER, "nDCG@5"], items=ITEMS, train=TRAIN)
    results = {
        name: rm.evaluate(QRELS, run, PER_USER, items=ITEMS, train=TRAIN) for name, run in runs.items()
    }
    for measure in PER_USER:
        pair = compared.pair(measure, "steep", "even")
        apart = results["steep"].query_values(measure) - results["even"].query_values(measure)
        assert pair.difference == pytest.approx(apart.mean(), rel=1e-12)
        assert pair.interval.low < pair.difference < pair.interval.high
        assert (pair.wins, pair.losses) == (int((apart > 1e-12).sum()), int((apart < -1e-12).sum()))
    assert compared.pair("Novelty@5", "steep", "even").significant


def test_they_are_compared_without_judgements() -> None:
    compared = rm.compare(None, {"even": EVEN, "steep": STEEP}, PER_USER, train=TRAIN)
    assert compared.pair("Novelty@5", "steep", "even").queries == len(USERS)
    with pytest.raises(rm.UsageError, match="without judgements there is no 'nDCG@5'"):
        rm.compare(None, {"even": EVEN, "steep": STEEP}, "nDCG@5")
    with pytest.raises(rm.UsageError, match="Novelty@5 needs"):
        rm.compare(None, {"even": EVEN, "steep": STEEP}, "Novelty@5")


def test_a_gate_decides_by_them() -> None:
    how: dict[str, Any] = {"train": TRAIN, "max_drop": 0.05}
    assert not rm.gate(None, EVEN, STEEP, "Novelty@5", **how)
    assert rm.gate(None, STEEP, EVEN, "Novelty@5", **how, confidence=0.95)
    assert rm.gate(QRELS, None, EVEN, at_least={"Novelty@5": 0.5}, train=TRAIN)
