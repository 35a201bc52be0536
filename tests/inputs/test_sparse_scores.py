"""Sparse matrices of scores: what is stored is in the lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import rankmark as rm

ROW, COLUMN = [0, 0, 0, 2, 2, 1], [4, 1, 2, 0, 3, 3]
STORED = [0.5, 0.0, -1.0, 0.7, 0.7, 2.0]
SHAPE = (4, 5)
RELEVANCE = [[1, 3], [3], [0, 3], [2]]
MEASURES = "nDCG@2, AP, RR, R@5"
RUN: dict[int, dict[int, float]] = {}
for _row, _column, _score in zip(ROW, COLUMN, STORED, strict=True):
    RUN.setdefault(_row, {})[_column] = _score
QRELS = {row: dict.fromkeys(items, 1) for row, items in enumerate(RELEVANCE)}

KINDS = [sp.coo_array, sp.csr_array, sp.csr_matrix, sp.csc_array, sp.lil_array]


def scores(kind: Any = sp.csr_array) -> Any:
    return kind(sp.coo_array((STORED, (ROW, COLUMN)), shape=SHAPE))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dense", [False, True])
def test_what_is_stored_is_the_list(kind: Any, dense: bool) -> None:
    relevance: Any = RELEVANCE
    if dense:
        relevance = np.full(SHAPE, np.nan)
        for row, items in enumerate(RELEVANCE):
            relevance[row, items] = 1
    given = scores(kind)
    before = given.copy()
    expected = rm.evaluate(QRELS, RUN, MEASURES)
    found = rm.evaluate_arrays(given, relevance, MEASURES)
    assert found.values == expected.values
    assert found.counts == expected.counts
    assert (given != before).nnz == 0


def test_zeros_that_are_stored_are_scores() -> None:
    assert rm.evaluate_arrays(scores(), [[1], [], [], []], "RR").values == {"RR": 0.5}
    nothing = scores()
    nothing.eliminate_zeros()
    assert rm.evaluate_arrays(nothing, [[1], [], [], []], "RR").values == {"RR": 0.0}


def test_candidates_are_the_same_as_in_dense_scores() -> None:
    dense = np.full(SHAPE, -np.inf)
    dense[ROW, COLUMN] = STORED
    exclude = [[4], [], [0, 1], []]
    asked: dict[str, Any] = {"exclude": exclude, "queries": ["a", "b", "c", "d"], "bounds": True}
    for ties in ("item-desc", "item-asc", "input", "expected", "worst"):
        found = rm.evaluate_arrays(scores(), RELEVANCE, MEASURES, ties=ties, **asked)
        expected = rm.evaluate_arrays(dense, RELEVANCE, MEASURES, ties=ties, **asked)
        assert found.values == expected.values
        assert found.per_query.equals(expected.per_query)


def test_an_evaluator_takes_sparse_batches() -> None:
    evaluator = rm.Evaluator(MEASURES)
    for rows in (slice(0, 2), slice(2, 4)):
        evaluator.update_arrays(scores()[rows], RELEVANCE[rows])
    assert evaluator.result().values == rm.evaluate(QRELS, RUN, MEASURES).values


def test_a_column_stored_twice_is_a_candidate_twice() -> None:
    twice = sp.coo_array(([0.5, 0.1, 0.9], ([0, 0, 0], [1, 1, 2])), shape=(1, 3))
    with pytest.raises(rm.DataError, match="duplicates"):
        rm.evaluate_arrays(twice, [[1]], "RR")
    assert rm.evaluate_arrays(twice, [[1]], "RR", duplicates="first").values == {"RR": 0.5}


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"k": 2}, "k ends lists of all items; .* take k out"),
    ({"items": np.zeros(SHAPE, int)}, "items is said of dense scores; of a sparse matrix the columns are"),
    ({"lengths": [1, 1, 1, 1]}, "lengths is said of dense scores"),
    ({"mask": np.ones(SHAPE, bool)}, "mask is said of dense scores"),
    ({"queries": [1, 2]}, "queries has 2 ids and the scores have 4 rows"),
    ({"exclude": [[9], [], [], []]}, "exclude: 1 of the items are none of the 5 columns"),
]


@pytest.mark.parametrize(("beside", "message"), WRONG, ids=[next(iter(each)) for each, _ in WRONG])
def test_what_does_not_go_with_them_is_refused(beside: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.evaluate_arrays(scores(), RELEVANCE, "RR", **beside)


def test_scores_that_are_none_are_refused() -> None:
    given = scores()
    given.data[0] = np.nan
    with pytest.raises(rm.DataError, match=r"scores: 1 NaN, the first in row 0, column \d \(from 0\)"):
        rm.evaluate_arrays(given, RELEVANCE, "RR")
    with pytest.raises(rm.UsageError, match="scores holds complex128, not real numbers"):
        rm.evaluate_arrays(scores().astype(complex), RELEVANCE, "RR")
    broken = scores()
    broken.indices[0] = 17
    with pytest.raises(rm.UsageError, match="scores is no valid CSR matrix: it stores column 17 in row 0"):
        rm.evaluate_arrays(broken, RELEVANCE, "RR")
    with pytest.raises(rm.UsageError, match="relevance"):
        rm.evaluate_arrays(scores(), RELEVANCE[:2], "RR")
    with pytest.raises(rm.DataError, match="none of the 5 columns"):
        rm.evaluate_arrays(scores(), [[7], [], [], []], "RR")
