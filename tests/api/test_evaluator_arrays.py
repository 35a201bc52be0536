"""Batches of arrays give what all rows give at once."""

from __future__ import annotations

import copy
import gc
import weakref
from pathlib import Path
from typing import Any

import array_api_strict
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.api.evaluator import MOST_BEGUN
from rankmark.engines import dense_places
from rankmark.hooks import telling
from rankmark.hooks.telling import Told
from rankmark.inputs.arrays import libraries
from strategies import at_most

MEASURES = ["nDCG@3", "AP", "RR", "P@2"]


def arrays(rows: int, seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Scores with ties, and grades of which some are missing, for some rows all."""
    draw = np.random.default_rng(seed)
    grades = draw.choice([0.0, 1.0, 2.0, np.nan], (rows, 6), p=[0.3, 0.2, 0.1, 0.4])
    grades[draw.random(rows) < 0.2] = np.nan
    grades[0, 0] = 1.0
    return draw.integers(0, 4, (rows, 6)) / 4, grades


def same(whole: rm.results.ListResult, other: rm.results.ListResult) -> None:
    assert other.per_query.equals(whole.per_query)
    assert other.values == whole.values
    assert other.counts == whole.counts
    assert [other.signature(m) for m in whole] == [whole.signature(m) for m in whole]


@settings(max_examples=at_most(30), deadline=None)
@given(
    rows=st.integers(1, 30),
    seed=st.integers(0, 9),
    step=st.integers(1, 30),
    ties=st.sampled_from(["item-desc", "expected", "random", "worst"]),
    merge=st.booleans(),
    form=st.sampled_from(["dense", "sparse", "items"]),
)
def test_any_batches_give_the_values_of_all_rows(
    tmp_path_factory: pytest.TempPathFactory,
    rows: Any,
    seed: Any,
    step: Any,
    ties: Any,
    merge: Any,
    form: Any,
) -> None:
    scores, grades = arrays(rows, seed)
    grades[::step, 0] = 1.0  # a batch without judgements is refused
    ids = np.random.default_rng(seed).permutation(rows)
    items = np.tile(np.arange(6), (rows, 1))

    def given_to(which: Any) -> dict[str, Any]:
        said: dict[str, Any] = {"scores": scores[which], "relevance": grades[which], "queries": ids[which]}
        if form == "items":
            said["items"] = items[which]
        if form == "sparse":
            row, column = np.nonzero(~np.isnan(grades[which]))
            stored = grades[which][row, column], (row, column)
            said["relevance"] = scipy.sparse.csr_array(stored, shape=grades[which].shape)
        return said

    whole = rm.Evaluator(MEASURES, ties=ties)
    for start in range(0, rows, step):
        one = rm.Evaluator(MEASURES, ties=ties) if merge else whole
        one.update_arrays(**given_to(slice(start, start + step)))
        if merge:
            path = tmp_path_factory.getbasetemp() / "arrays"
            one.save(path)
            whole.merge(rm.Evaluator.load(path))
    same(rm.evaluate_arrays(measures=MEASURES, ties=ties, **given_to(np.argsort(ids))), whole.result())


def test_rows_without_ids_are_numbered_on(tmp_path: Path) -> None:
    scores, grades = arrays(10, 1)
    grades[3] = grades[9] = np.nan  # rows without judgements have their numbers too
    evaluator = rm.Evaluator(MEASURES)
    evaluator.update_arrays(scores[:4], grades[:4])
    evaluator.save(tmp_path / "saved")
    evaluator = rm.Evaluator.load(tmp_path / "saved")
    evaluator.update_arrays(scores[4:], grades[4:])
    same(rm.evaluate_arrays(scores, grades, MEASURES), evaluator.result())


def test_evaluators_of_several_processes_need_ids_or_keep_rows_apart() -> None:
    scores, grades = arrays(8, 2)
    grades[4] = grades[0]
    for repeated in ("error", "apart"):
        one, other = (rm.Evaluator("AP", repeated=repeated) for _ in range(2))
        one.update_arrays(scores[:4], grades[:4])
        other.update_arrays(scores[4:], grades[4:])
        if repeated == "error":
            with pytest.raises(rm.DataError, match=r'query 0 was given before.*repeated="apart"'):
                one.merge(other)
        else:
            one.merge(other)
            assert one.result()["AP"] == rm.evaluate_arrays(scores, grades, "AP")["AP"]


def test_what_is_refused_changes_nothing() -> None:
    scores, grades = arrays(4, 3)
    evaluator = rm.Evaluator("AP")
    evaluator.update_arrays(scores, grades)
    value = evaluator.result()["AP"]
    for bad, judged, said, message in (
        (np.full((1, 6), np.nan), [[0]], {}, "scores: 6 NaN"),
        (scores, grades[:3], {}, "relevance"),
        (scores, grades, {"queries": [0, 1, 2, 3]}, "query 0 was given before"),
        (scores, grades, {"queries": [7]}, "queries has 1 ids and the scores have 4 rows"),
        (scores, grades, {"queries": list("abcd")}, "cast one of them"),
        (scores, np.full((4, 6), np.nan), {}, "nothing is judged in any of the 4 rows"),
        (scores[0], [[0]], {}, "1 axis"),
    ):
        with pytest.raises(rm.RankmarkError, match=message):
            evaluator.update_arrays(bad, judged, **said)
        assert evaluator.result()["AP"] == value
    words = rm.Evaluator("AP")
    words.update({"a": {"x": 1}}, {"a": ["x"]})
    with pytest.raises(rm.UsageError, match="give queries="):
        words.update_arrays(scores, grades)


@pytest.mark.parametrize(
    ("scores", "grades", "said"),
    [
        ([[2.0, 0.0, 1.0]], [[1, 0, 0]], "Scores of 0 and below"),
        ([[2.0, float("-inf"), 1.0]], [[1, 0, 0]], None),  # which is in no list
        ([[2.0, 0.5, 1.0]], [[1, 0, 0]], None),
    ],
)
def test_scores_and_grades_of_arrays_are_held_against_what_a_tool_does_otherwise(
    scores: Any, grades: Any, said: str | None
) -> None:
    batches = rm.Evaluator("RetrievalMAP", like="torchmetrics")
    batches.update_arrays(np.array([[3.0, 2.0, 1.0]]), np.array([[0, 1, 0]]))
    batches.update_arrays(np.array(scores), np.array(grades))
    told = [note for note in batches.result().notes if note.startswith("not as in torchmetrics")]
    assert len(told) == (said is not None)
    assert said is None or said in told[0]


def test_fractional_grades_of_arrays_are_found() -> None:
    batches = rm.Evaluator("ndcg@3", like="lightgbm")
    batches.update_arrays(np.array([[3.0, 2.0, 1.0]]), np.array([[0, 0.5, np.nan]]))
    assert any("Grades other than 0, 1" in note for note in batches.result().notes)


class Elsewhere:
    """Arrays as on a device: in no main memory, and how often anything travelled from there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.travelled = 0
        self._here = libraries.local_view
        monkeypatch.setattr(libraries, "local_view", self._view)
        for module in (libraries, dense_places, telling):
            monkeypatch.setattr(module, "to_numpy", self._to_numpy)

    def _view(self, array: Any) -> Any:
        return self._here(array) if isinstance(array, np.ndarray) else None

    def _to_numpy(self, array: Any) -> Any:
        self.travelled += not isinstance(array, np.ndarray)
        return self._here(array)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Elsewhere:
    return Elsewhere(monkeypatch)


def batches(count: int) -> list[tuple[Any, Any, list[Any]]]:
    """Scores of another library, the same of NumPy, and the relevant items."""
    found = []
    for seed in range(count):
        scores, grades = arrays(5, seed)
        scores[seed % 5, 1] = -np.inf
        grades[:, 0] = 1.0
        relevant = [np.flatnonzero(row >= 1) for row in grades]
        found.append((array_api_strict.asarray(scores), scores, relevant))
    return found


@pytest.mark.parametrize("exclude", [False, True])
@pytest.mark.parametrize("ties", ["item-desc", "expected", "best"])
def test_scores_elsewhere_are_counted_while_a_loop_goes_on(
    elsewhere: Elsewhere, ties: Any, exclude: bool
) -> None:
    excluded = {"exclude": [[2], [], [3, 4], [2], []]} if exclude else {}
    there, here = (rm.Evaluator(MEASURES, ties=ties) for _ in range(2))
    parts = batches(MOST_BEGUN)
    for scores, same_scores, relevant in parts:
        there.update_arrays(scores, relevant, **excluded)
        here.update_arrays(same_scores, relevant, **excluded)
    assert elsewhere.travelled == 0
    assert f"{MOST_BEGUN} parts are being counted" in repr(there)
    there.update_arrays(parts[0][0], parts[0][2], **excluded)  # one more than wait
    assert elsewhere.travelled > 0
    here.update_arrays(*parts[0][1:], **excluded)
    same(here.result(), there.result())
    assert there.to_bytes() == here.to_bytes()


def test_of_scores_elsewhere_nothing_but_counts_is_kept(elsewhere: Elsewhere) -> None:
    evaluator = rm.Evaluator(MEASURES)
    scores, _, relevant = batches(1)[0]
    kept = weakref.ref(scores)
    evaluator.update_arrays(scores, relevant)
    del scores
    gc.collect()
    assert kept() is None
    assert elsewhere.travelled == 0


def test_nan_elsewhere_is_refused_when_values_are_asked_for_and_its_part_left_out(
    elsewhere: Elsewhere,
) -> None:
    (first, first_here, relevant), (second, second_here, others) = batches(2)
    evaluator, expected = rm.Evaluator("AP"), rm.Evaluator("AP")
    evaluator.update_arrays(first, relevant, queries=range(5))
    wrong = second_here.copy()
    wrong[3, 2] = wrong[4, 5] = np.nan
    evaluator.update_arrays(array_api_strict.asarray(wrong), others, queries=range(10, 15))
    with pytest.raises(rm.DataError, match="query 12 was given before"):
        evaluator.update_arrays(first[:1, :], [[0]], queries=[12])
    with pytest.raises(rm.IdTypeError, match="cast one of them"):
        evaluator.update_arrays(first[:1, :], [[0]], queries=["x"])
    assert elsewhere.travelled == 0
    message = (
        r"scores: 2 NaN, the first in row 3, column 2 .* the part that begins with query 10, which is left"
    )
    with pytest.raises(rm.DataError, match=message):
        evaluator.result()
    expected.update_arrays(first_here, relevant, queries=range(5))
    same(expected.result(), evaluator.result())
    evaluator.update_arrays(second, others, queries=range(10, 15))
    expected.update_arrays(second_here, others, queries=range(10, 15))
    same(expected.result(), evaluator.result())


def test_what_is_being_counted_is_merged_copied_and_saved_with_the_rest(
    elsewhere: Elsewhere, tmp_path: Path
) -> None:
    parts = batches(4)
    whole, expected = rm.Evaluator(MEASURES), rm.Evaluator(MEASURES)
    for number, (scores, here, relevant) in enumerate(parts):
        ids = range(10 * number, 10 * number + 5)
        one = rm.Evaluator(MEASURES)
        one.update_arrays(scores, relevant, queries=ids)
        whole.merge(one)
        assert elsewhere.travelled == 0
        expected.update_arrays(here, relevant, queries=ids)
    same(expected.result(), copy.deepcopy(whole).result())
    whole.save(tmp_path / "saved")
    same(expected.result(), rm.Evaluator.load(tmp_path / "saved").result())
    with pytest.raises(rm.DataError, match="query 30 was given before"):
        whole.merge(one)
    first = rm.Evaluator(MEASURES, repeated="first")
    for _ in range(2):
        first.merge(whole)
    assert first.dropped == 20
    same_values = first.result().per_query
    assert same_values.equals(expected.result().per_query)


def test_scores_and_labels_of_a_metric_that_do_not_look_swapped_stay_where_they_are(
    elsewhere: Elsewhere,
) -> None:
    scores, _, _ = batches(1)[0]
    told = Told()
    told.swapped(np.array([0, 1, 1]), scores)
    assert elsewhere.travelled == 0
