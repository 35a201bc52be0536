"""A convention is followed alike, whatever the data come as: its numbers, its notes, its signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.language.choices import ORDERS
from rankmark.language.conventions.convention import convention
from rankmark.results import ListResult

random = np.random.default_rng(3)
FACTORS = random.integers(-2, 3, (12, 3)).astype(float), random.integers(-2, 3, (9, 3)).astype(float)
SCORES = FACTORS[0] @ FACTORS[1].T
"""With many ties, and scores of 0 and below."""
GRADES = random.integers(0, 4, SCORES.shape).astype(float)
GRADES[0], GRADES[1] = 0, np.nan  # nothing relevant, and nothing judged
MEASURES = ["nDCG@5", "AP", "RR", "P@5", "nDCG@20"]


class _Model:
    def predict(self, user: int, items: Any) -> Any:
        return SCORES[user, items]


QRELS = {q: {i: g for i, g in enumerate(row) if not np.isnan(g)} for q, row in enumerate(GRADES)}
QRELS = {q: judged for q, judged in QRELS.items() if judged}
RUN = {q: dict(enumerate(row)) for q, row in enumerate(SCORES)}


def _fed(measure: str, like: str, **choices: Any) -> ListResult:
    evaluator = rm.Evaluator(measure, like=like, **choices)
    for start in (0, 5):
        rows = slice(start, start + (5 if start == 0 else 7))
        evaluator.update_arrays(SCORES[rows], GRADES[rows])
    return evaluator.result()


DOORS: dict[str, Callable[..., ListResult]] = {
    "arrays": lambda measure, like, **c: rm.evaluate_arrays(SCORES, GRADES, measure, like=like, **c),
    "factors": lambda measure, like, **c: rm.evaluate_factors(*FACTORS, GRADES, measure, like=like, **c),
    "evaluator": _fed,
    "model": lambda measure, like, **c: rm.evaluate_model(
        _Model(), QRELS, measure, like=like, items=range(9), **c
    ),
}


@pytest.mark.parametrize("like", rm.conventions())
@pytest.mark.parametrize("door", DOORS)
def test_arrays_are_evaluated_as_tables_are(door: str, like: str) -> None:
    record = convention(like)
    for measure in MEASURES:
        try:
            expected = rm.evaluate(QRELS, RUN, measure, like=like)
        except rm.RankmarkError as error:
            with pytest.raises(type(error)):
                DOORS[door](measure, like)
            continue
        by_ids = ORDERS[expected.choices_of(measure)["ties"]].by_ids
        if record.text_items and by_ids:
            with pytest.raises(rm.UsageError, match="orders equal scores by item ids as text"):
                DOORS[door](measure, like)
            continue
        found = DOORS[door](measure, like)
        assert found.values == expected.values
        assert found.signature(measure) == expected.signature(measure)
        assert not _unlike(expected) - _unlike(found)


def _unlike(result: ListResult) -> set[str]:
    return {note for note in result.notes if note.startswith("not as in ")}


def test_an_order_without_ids_is_had_from_tools_whose_ids_are_text() -> None:
    expected = rm.evaluate(QRELS, RUN, "ndcg_cut_5", like="trec_eval", ties="expected")
    assert rm.evaluate_arrays(SCORES, GRADES, "ndcg_cut_5", like="trec_eval", ties="expected").values == (
        expected.values
    )


def test_candidates_have_ids_that_can_be_text() -> None:
    items = np.tile(np.arange(9), (12, 1))
    found = rm.evaluate_arrays(SCORES, GRADES, "ndcg_cut_5", like="trec_eval", items=items)
    assert found.values == rm.evaluate(QRELS, RUN, "ndcg_cut_5", like="trec_eval").values


def test_a_model_is_asked_once_for_its_scores() -> None:
    asked: list[int] = []

    class Counting(_Model):
        def predict(self, user: int, items: Any) -> Any:
            asked.append(user)
            return super().predict(user, items)

    rm.evaluate_model(Counting(), QRELS, "ndcg@5", like="lightgbm", items=range(9))
    assert sorted(asked) == sorted(QRELS)


def test_rows_and_tables_go_together_where_ids_are_text() -> None:
    evaluator = rm.Evaluator("ndcg", like="ranx", ties="worst")
    evaluator.update_arrays(SCORES[:5], GRADES[:5], queries=range(5))
    evaluator.update({q: QRELS[q] for q in range(5, 12)}, {q: RUN[q] for q in range(5, 12)})
    assert evaluator.result().values == rm.evaluate(QRELS, RUN, "ndcg", like="ranx", ties="worst").values
