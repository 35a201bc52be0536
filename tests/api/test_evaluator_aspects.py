"""Measures of aspects in parts: to the last bit those of all parts at once, in any order."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

MEASURES = ["alpha_nDCG@3", "NRBP", "nERR_IA@2", "SubtopicRecall@2", "AP_IA", "D_nDCG", "nDCG@3"]
COLUMNS = {"aspect_weight": "probability"}


def drawn(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgements and results; users from 6 on have aspects that are called by words."""
    draw = np.random.default_rng(seed)
    judged = [
        (u, int(i), ("ba"[a % 2] if u > 5 else str(12 - a)), int(draw.integers(0, 3)), (1 + a % 2) / 3)
        for u in range(12)
        for i in draw.permutation(12)[:4]
        for a in range(draw.integers(1, 3))
    ]
    returned = [
        (u, int(i), float(draw.integers(0, 5))) for u in range(12) for i in draw.permutation(12)[: 1 + u % 6]
    ]
    names = ["query", "item", "aspect", "relevance", "probability"]
    return (
        pl.DataFrame(judged, schema=names, orient="row"),
        pl.DataFrame(returned, schema=["query", "item", "score"], orient="row"),
    )


def exactly(result: rm.results.ListResult) -> Any:
    values = [np.float64(value).tobytes() for value in result.values.values()]
    own = [measure for measure in result.query_measures if measure.page.aggregate != "run"]
    return values, [result.query_values(measure).tobytes() for measure in own], result.counts


def of(frame: pl.DataFrame, users: range) -> pl.DataFrame:
    return frame.filter(pl.col("query").is_in(users))


@pytest.mark.parametrize("cuts", [[], [3], [1, 6, 7]])
@pytest.mark.parametrize("sent", ["as it is", "bytes", "merged"])
@pytest.mark.parametrize("with_items", [False, True])
def test_parts_in_any_order_give_what_all_give(cuts: list[int], sent: str, with_items: bool) -> None:
    judged, returned = drawn(1)
    known: dict[str, Any] = {"items": range(12)} if with_items else {}
    measures = [*MEASURES, *(["Coverage@2"] if with_items else [])]
    whole = rm.evaluate(judged, returned, measures, columns=COLUMNS, **known)
    evaluator = rm.Evaluator(measures, **known)
    for users in reversed([range(*ends) for ends in itertools.pairwise([0, *cuts, 12])]):
        target = evaluator if sent == "as it is" else rm.Evaluator(measures, **known)
        target.update(of(judged, users), of(returned, users), columns=COLUMNS)
        if sent == "bytes":
            evaluator = rm.Evaluator.from_bytes(evaluator.to_bytes(), **known)
            target = rm.Evaluator.from_bytes(target.to_bytes(), **known)
        if target is not evaluator:
            evaluator.merge(target)
    assert exactly(evaluator.result()) == exactly(whole)


def test_what_was_given_the_same_parts_is_saved_alike(tmp_path: Path) -> None:
    judged, returned = drawn(2)
    saved = []
    for parts in ([range(5), range(5, 12)], [range(5, 12), range(5)]):
        evaluator = rm.Evaluator(MEASURES)
        for users in parts:
            evaluator.update(of(judged, users), of(returned, users))
        saved.append(evaluator.to_bytes())
    assert saved[0] == saved[1]
    evaluator.save(tmp_path / "saved.zip")
    assert exactly(rm.Evaluator.load(tmp_path / "saved.zip").result()) == exactly(evaluator.result())


def test_a_query_that_comes_again_is_dropped_or_kept_apart() -> None:
    qrels = {"u": {"a": {"1": 1}, "b": {"2": 1}}}
    for repeated, expected in (("first", 0.5), ("apart", 0.75)):
        evaluator = rm.Evaluator("SubtopicRecall@2", repeated=repeated)  # type: ignore[arg-type]
        for run in (["a"], ["a", "b"]):
            evaluator.update(qrels, {"u": run})
        assert evaluator.result()["SubtopicRecall@2"] == expected


def test_a_note_on_one_aspect_is_of_all_parts() -> None:
    evaluator = rm.Evaluator("SubtopicRecall@2")
    for aspect in ("1", "2"):
        evaluator.update({f"u{aspect}": {"a": {aspect: 1}}}, {f"u{aspect}": ["a"]})
    assert "of one aspect" not in str(evaluator.result().notes)


def test_what_has_no_aspects_is_refused_and_changes_nothing() -> None:
    evaluator = rm.Evaluator("SubtopicRecall@2")
    evaluator.update({"u": {"a": {"1": 1}}}, {"u": ["a"]})
    with pytest.raises(rm.ColumnError, match="SubtopicRecall@2 needs judgements of aspects"):
        evaluator.update({"v": {"a": 1}}, {"v": ["a"]})
    for give in (evaluator.update_arrays, lambda *a: rm.evaluate_arrays(*a, "SubtopicRecall@2")):
        with pytest.raises(rm.UsageError, match="aspects, of which arrays of grades know nothing"):
            give(np.ones((1, 2)), np.ones((1, 2)))
    assert evaluator.result()["SubtopicRecall@2"] == 1
