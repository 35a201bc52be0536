"""Measures of what is recommended of arrays of scores: to the last bit those of the same data as tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_matrix

import rankmark as rm

USERS, COLUMNS = 14, 20
ITEMS = pl.DataFrame({"item": range(COLUMNS), "category": [f"c{item % 4}" for item in range(COLUMNS)]})
MEASURES = [
    "NotInTrain@3", "Novelty@5", "APLT@2", "Serendipity@4", "CatalogueCoverage@2", "ILD@4", "ExposureGini@9",
    "Personalisation@3", "CategoryEntropy", "nDCG@3",
]  # fmt: skip


def drawn(seed: int) -> tuple[Any, Any, Any, Any]:
    """Scores with ties and some that are never in lists, grades, excluded items and interactions."""
    draw = np.random.default_rng(seed)
    scores = draw.integers(0, 5, (USERS, COLUMNS)) / 4
    scores[draw.random(scores.shape) < 0.1] = -np.inf
    grades = csr_matrix(np.where(draw.random(scores.shape) < 0.2, draw.integers(1, 4, scores.shape), 0))
    excluded = [draw.permutation(COLUMNS)[: user % 4].tolist() for user in range(USERS)]
    train = [draw.permutation(COLUMNS)[:3].tolist() for _ in range(USERS)]
    return scores, grades, excluded, train


def as_tables(scores: Any, grades: Any, excluded: Any, train: Any) -> tuple[Any, Any, Any]:
    kept = [
        (user, item, scores[user, item])
        for user in range(USERS)
        for item in range(COLUMNS)
        if scores[user, item] > -np.inf and item not in excluded[user]
    ]
    found = grades.tocoo()
    judged = [(int(u), int(i), float(g)) for u, i, g in zip(found.row, found.col, found.data, strict=True)]
    return sorted(judged), kept, [(user, item) for user in range(USERS) for item in train[user]]


def exactly(result: rm.results.ListResult) -> Any:
    own = [measure for measure in result.query_measures if measure.page.aggregate != "run"]
    values = [np.float64(value).tobytes() for value in result.values.values()]
    return values, [result.query_values(measure).tobytes() for measure in own], result.counts.measures


@pytest.mark.parametrize("ties", ["item-desc", "item-asc", "input"])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_arrays_give_what_tables_give(ties: Any, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmark.engines.dense_tops.CELLS", 3 * COLUMNS)
    scores, grades, excluded, train = drawn(1)
    judged, results, before = as_tables(scores, grades, excluded, train)
    expected = rm.evaluate(judged, results, MEASURES, items=ITEMS, train=before, ties=ties)
    given = pytest.importorskip("torch").tensor(scores) if library == "torch" else scores
    for had in (train, csr_matrix([[item in own for item in range(COLUMNS)] for own in train]), before):
        found = rm.evaluate_arrays(
            given, grades, MEASURES, exclude=excluded, catalogue=ITEMS, train=had, ties=ties
        )
        assert exactly(found) == exactly(expected)


def test_lists_end_at_k_and_need_no_catalogue() -> None:
    scores, grades, excluded, train = drawn(2)
    judged, results, before = as_tables(scores, grades, excluded, train)
    cut = [row for row in results if sum(_before(other, row) for other in results) < 4]
    measures = ["AggregateDiversity", "ExposureEntropy", "Novelty"]
    expected = rm.evaluate(judged, cut, measures, train=before)
    found = rm.evaluate_arrays(scores, grades, measures, exclude=excluded, train=train, k=4)
    assert exactly(found)[:2] == exactly(expected)[:2]


def _before(other: Any, row: Any) -> bool:
    """Whether another row of the same user stands before it."""
    return bool(other[0] == row[0] and (other[2], other[1]) > (row[2], row[1]))


def test_factors_give_what_their_products_give() -> None:
    draw = np.random.default_rng(3)
    users, items = (
        draw.integers(0, 3, (USERS, 2)).astype(float),
        draw.integers(0, 3, (COLUMNS, 2)).astype(float),
    )
    _, grades, _, train = drawn(3)
    known = {"catalogue": ITEMS, "train": train}
    products = rm.evaluate_arrays(users @ items.T, grades, MEASURES, **known)
    assert exactly(rm.evaluate_factors(users, items, grades, MEASURES, **known)) == exactly(products)


def test_candidates_are_items_by_their_ids() -> None:
    scores = np.array([[0.9, 0.5], [0.1, 0.2]])
    found = rm.evaluate_arrays(
        scores,
        [[3], [1]],
        ["NotInTrain@1", "Coverage@1"],
        items=np.array([[3, 1], [1, 7]]),
        catalogue=[1, 3, 7, 9],
        train={0: [3], 1: [1]},
    )
    assert found.values == {"NotInTrain@1": 0.5, "Coverage@1": 0.5}


def test_models_are_measured_by_what_they_recommend() -> None:
    qrels, popular = {"ann": ["b"], "bob": ["a", "z"]}, ["c", "a", "b"]
    known: dict[str, Any] = {"catalogue": ["a", "b", "c", "d"], "train": {"ann": ["c"], "eve": ["a"]}}
    measures = ["NotInTrain@2", "Coverage@2", "HR@2"]

    class Model:
        def predict(self, _user: str, items: Any) -> list[int]:
            return [-popular.index(item) if item in popular else -9 for item in items]

    asked = rm.evaluate_model(lambda users, k: [popular[:k] for _ in users], qrels, measures, **known)
    predicted = rm.evaluate_model(Model(), qrels, measures, items=["d", "c", "b", "a"], **known)
    assert asked.values == predicted.values == {"NotInTrain@2": 0.75, "Coverage@2": 0.5, "HR@2": 0.5}


def test_orders_by_lots_and_grades_take_tables() -> None:
    scores, grades, _, train = drawn(4)
    for chosen in ({"ties": "random"}, {"ties": "best"}, {"unjudged": "ignore"}):
        with pytest.raises(rm.UsageError, match=r"NotInTrain@3 of arrays knows no .* give tables"):
            rm.evaluate_arrays(scores, grades, "NotInTrain@3", train=train, **chosen)
    with pytest.raises(rm.UsageError, match="bounds"):
        rm.evaluate_arrays(scores, grades, "NotInTrain@3", train=train, bounds=True)


def test_a_column_that_cannot_be_recommended_is_named() -> None:
    with pytest.raises(rm.DataError, match=r"scores: 1 of the 2 items .* 1 at rank 2 of query 0"):
        rm.evaluate_arrays(np.array([[2.0, 1.0]]), [[0]], "Coverage@2", catalogue=[0])


def test_batches_of_a_loop_give_what_all_rows_give() -> None:
    scores, grades, excluded, train = drawn(5)
    measures = [measure for measure in MEASURES if measure != "CategoryEntropy"]
    before = [(user, item) for user in range(USERS) for item in train[user]]
    evaluator = rm.Evaluator(measures, items=ITEMS, train=before)
    for rows in (slice(0, 5), slice(5, USERS)):
        evaluator.update_arrays(scores[rows], grades[rows], exclude=excluded[rows])
    whole = rm.evaluate_arrays(scores, grades, measures, exclude=excluded, catalogue=ITEMS, train=train)
    assert exactly(evaluator.result()) == exactly(whole)


class Scorer:
    """Predicts the same for all."""

    def predict(self, _: Any, items: Any) -> Any:
        return np.zeros(len(items))


def test_what_is_known_of_items_has_an_argument_of_its_own() -> None:
    scores, known = np.ones((1, 2)), rm.catalogue([0, 1])
    with pytest.raises(rm.UsageError, match=r"CatalogueCoverage@1 needs .*: give catalogue=…, a table"):
        rm.evaluate_arrays(scores, [[0]], "CatalogueCoverage@1")
    with pytest.raises(
        rm.UsageError, match=r"items is a catalogue, .*give what is known of items as catalogue=…"
    ):
        rm.evaluate_arrays(scores, [[0]], "CatalogueCoverage@1", items=known)
    with pytest.raises(rm.UsageError, match=r"items is a catalogue, .*catalogue=…"):
        rm.evaluate_model(Scorer(), {0: [0]}, "AP", items=known)
