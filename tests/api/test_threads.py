"""What several threads add to at once."""

from __future__ import annotations

import copy
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import rankmark as rm
from rankmark.kinds import pairs

THREADS, PARTS = 8, 200


def test_updates_of_predictions_by_several_threads_lose_nothing() -> None:
    for measures in ("Brier", "AUC"):  # of which one keeps sums, and one the rows
        evaluator = rm.PredictionEvaluator(measures)
        with ThreadPoolExecutor(THREADS) as pool:
            for _ in range(PARTS):
                pool.submit(evaluator.update_arrays, [1, 0], [0.75, 0.5])
        assert evaluator.rows == 2 * PARTS
        assert evaluator.result()[measures] == {"Brier": 0.15625, "AUC": 1.0}[measures]


def test_updates_of_lists_by_several_threads_lose_nothing() -> None:
    evaluator = rm.Evaluator("RR")
    scores, relevance = np.array([[2.0, 1.0]]), np.array([[0, 1]])
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(lambda _: evaluator.update_arrays(scores, relevance), range(PARTS)))
        list(pool.map(lambda i: evaluator.update({-i: {0: 1}}, {-i: [0]}), range(1, PARTS)))
    result = evaluator.result()
    assert result.per_query.height == 2 * PARTS - 1
    assert result["RR"] == (0.5 * PARTS + PARTS - 1) / (2 * PARTS - 1)


def test_evaluators_that_merge_each_other_do_not_wait_for_ever() -> None:
    one, two = rm.Evaluator("RR", repeated="apart"), rm.Evaluator("RR", repeated="apart")
    one.update({"a": {"x": 1}}, {"a": ["x"]})
    two.update({"b": {"x": 1}}, {"b": ["x"]})
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            list(pool.map(rm.Evaluator.merge, (one, two), (two, one)))
    assert one.result()["RR"] == 1.0


def test_a_copy_has_a_lock_of_its_own() -> None:
    one = rm.Evaluator("RR")
    for again in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        with one._lock:
            again.update({"a": {"x": 1}}, {"a": ["x"]})
        assert again.result()["RR"] == 1.0


def test_no_more_threads_are_started_than_there_are_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int | None] = []

    def started(pool: ThreadPoolExecutor, workers: int | None = None) -> None:
        asked.append(workers)
        start(pool, workers)

    start = ThreadPoolExecutor.__init__
    monkeypatch.setattr(ThreadPoolExecutor, "__init__", started)
    monkeypatch.setattr(pairs, "AT_ONCE", 2)
    run = {f"q{number}": {"a": 2.0, "b": 1.0} for number in range(20)}
    rm.agree(run, run, "tau")
    rm.evaluate({"q0": {"a": 1}}, run, "RR", hash_inputs=True)
    assert len(asked) >= 2
    assert {*asked} == {os.cpu_count()}
