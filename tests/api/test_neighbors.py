"""Recall of approximate nearest neighbours as a result; the values are those of `statistics`."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from rankmark.statistics import neighbor_recall, neighbor_recall_by_distance

FOUND, TRUE = [[7, 9], [1, 2], [4, 3]], [[7, 8, 9], [2, 1, 5], [4, 3, 6]]
FAR = [[0.1, 0.4, 0.4], [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]


def test_it_is_a_result_with_intervals_over_queries() -> None:
    result = rm.evaluate_neighbors(FOUND, TRUE, 2, query_ids=["x", "y", "z"]).with_intervals("t")
    assert result.query_values("neighbor_recall@2").tolist() == neighbor_recall(FOUND, TRUE, 2).tolist()
    assert result["neighbor_recall@2"] == pytest.approx(2.5 / 3)
    assert result.query_ids == ["x", "y", "z"]
    assert "95% intervals over 3 queries" in str(result)
    version = result.version
    assert result.signature("neighbor_recall@2") == f"neighbor_recall@2|ties:none|rankmark:{version}"
    tied = rm.evaluate_neighbors(FOUND, TRUE, 2, distances=FAR)
    assert tied["neighbor_recall@2"] == 1
    assert tied.signature("neighbor_recall@2") == f"neighbor_recall@2|ties:1e-06|rankmark:{version}"
    assert tied.query_ids == [0, 1, 2]


def test_ids_that_do_not_fit_are_refused() -> None:
    with pytest.raises(rm.DataError, match="there are 2 query_ids, and 3 rows of neighbours"):
        rm.evaluate_neighbors(FOUND, TRUE, 2, query_ids=["x", "y"])
    with pytest.raises(rm.DataError, match="query_ids has 'x' twice"):
        rm.evaluate_neighbors(FOUND, TRUE, 2, query_ids=["x", "y", "x"])
    with pytest.raises(rm.DataError, match="there are no queries"):
        rm.evaluate_neighbors(np.zeros((0, 2), int), np.zeros((0, 2), int), 2)


def test_by_distance_it_is_what_ann_benchmarks_counts_and_an_id_twice_is_refused() -> None:
    near = [[0.1, 0.4005], [0.1, 0.3], [0.1, 0.5]]
    name = "neighbor_recall_by_distance@2"
    result = rm.evaluate_neighbors_by_distance(near, FAR, 2, ids=FOUND)
    assert result.query_values(name).tolist() == neighbor_recall_by_distance(near, FAR, 2).tolist()
    assert result.query_values(name).tolist() == [1, 0.5, 0.5]  # 0.4 + ε, 0.2 + ε and 0.2 + ε reach so far
    assert result.signature(name) == f"{name}|epsilon:0.001|ids:given|rankmark:{result.version}"
    assert "ids:none" in rm.evaluate_neighbors_by_distance(near, FAR, 2).signature(name)
    with pytest.raises(rm.DataError, match="ids has an id twice in 1 rows, the first 7"):
        rm.evaluate_neighbors_by_distance(near, FAR, 2, ids=[[7, 7], [1, 2], [4, 3]])
