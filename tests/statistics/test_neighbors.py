"""Recall of approximate nearest neighbours: ties of the true ones, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics import neighbor_recall, neighbor_recall_by_distance

TRUE = [[1, 2, 3, 4], [5, 6, 7, 8]]
FAR = [[0.1, 0.2, 0.2, 0.2000005], [0.1, 0.2, 0.3, 0.3]]


def test_items_tied_with_the_last_true_one_are_right() -> None:
    found = [[1, 4], [5, 7]]
    assert neighbor_recall(found, TRUE, 2).tolist() == [0.5, 0.5]
    assert neighbor_recall(found, TRUE, 2, distances=FAR).tolist() == [1.0, 0.5]
    assert neighbor_recall([[1, -1], [-1, -1]], TRUE, 2).tolist() == [0.5, 0.0]
    assert neighbor_recall([["b", "c"]], [["a", "b"]], 2).tolist() == [0.5]


def test_distances_within_epsilon_of_the_last_true_one_are_right() -> None:
    found = [[0.1, 0.2009], [0.1, 0.2011]]
    assert neighbor_recall_by_distance(found, FAR, 2).tolist() == [1.0, 0.5]
    assert neighbor_recall_by_distance(found, FAR, 2, epsilon=0).tolist() == [0.5, 0.5]
    assert neighbor_recall_by_distance([[0.1, np.nan]], [[0.1, 0.2]], 2).tolist() == [0.5]


def test_by_ids_it_is_the_recall_of_lists() -> None:
    rng = np.random.default_rng(0)
    true, found = ([rng.permutation(20)[:10] for _ in range(30)] for _ in range(2))
    qrels = {f"q{i}": {f"d{item}": 1 for item in own} for i, own in enumerate(true)}
    run = {f"q{i}": [f"d{item}" for item in own] for i, own in enumerate(found)}
    assert neighbor_recall(found, true, 10).mean() == pytest.approx(rm.evaluate(qrels, run, "R@10")["R@10"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: neighbor_recall([[1, 1]], [[1, 2]], 2),
            "an id twice in 1 rows, the first 1 in row 0",
        ),
        (lambda: neighbor_recall([[1, 2]], [[1, 2]], 3), "true has 2 neighbours of each query, and 3 are"),
        (lambda: neighbor_recall([[1]], TRUE, 1), "found has 1 queries, and true 2"),
        (lambda: neighbor_recall([[0.5]], [[1]], 1), "of whole numbers or texts"),
        (lambda: neighbor_recall_by_distance([[1, 2]], [[2, 1]], 1), "do not ascend, the first in row 0"),
        (lambda: neighbor_recall_by_distance([[1, 2]], [[1, 2]], 2, ids=[[7, 7]]), "ids has an id twice"),
        (lambda: neighbor_recall([[1]], [[1]], 0), "k=0 is not a whole number from 1"),
    ],
)
def test_what_is_no_such_thing_is_refused(call: Any, message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        call()
