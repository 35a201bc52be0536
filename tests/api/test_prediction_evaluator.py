"""Evaluations of predictions in parts give what they give at once, in whatever order the parts come."""

from __future__ import annotations

import copy
import json
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.results.archive import sealed

SUMS = ["LogLoss", "Brier", "RMSE", "PCOPC", "ECE", "BinaryF(threshold=0.5)"]
ROWS = [*SUMS, "AUC", "R2", "PRAUC", "LogLoss(clip=precision)"]
QUERIES = ["AUC", "GAUC", "nDCG@3", "AP"]
CLASSES = ["MulticlassAccuracy", "MulticlassF", "MulticlassLogLoss", "MulticlassAUC"]


def table(rows: int, seed: int) -> pl.DataFrame:
    """Scores with ties, weights of which some are 0, and queries that come back."""
    draw = np.random.default_rng(seed)
    columns = {
        "label": draw.integers(0, 2, rows),
        "p": draw.integers(0, 9, rows) / 8 if seed % 2 else draw.random(rows),
        "weight": draw.integers(0, 4, rows) / 4 + (np.arange(rows) == 0),
        "user_id": draw.integers(0, 6, rows),
    }
    return pl.DataFrame(columns)


def cut(frame: pl.DataFrame, parts: int, seed: int) -> list[pl.DataFrame]:
    """The rows in parts, in no order."""
    draw = np.random.default_rng(seed)
    own = draw.integers(0, parts, frame.height)
    cuts = [frame.filter(pl.Series(own == part)) for part in range(parts)]
    return [part.sample(fraction=1, shuffle=True, seed=seed) for part in cuts if part.height]


def same(whole: rm.results.PredictionResult, other: rm.results.PredictionResult) -> None:
    """The values to rounding, and all else that a result says."""
    assert other.values == pytest.approx(whole.values, rel=1e-12, abs=1e-15, nan_ok=True)
    assert other.counts == whole.counts
    assert other.undefined == whole.undefined
    assert other.account() == whole.account()
    assert [other.signature(m) for m in whole] == [whole.signature(m) for m in whole]
    assert other.choices == whole.choices
    if whole.query_measures:
        assert other.per_query.equals(whole.per_query.sort("query")) or np.allclose(
            other.per_query.to_numpy(), whole.per_query.sort("query").to_numpy(), rtol=1e-12, equal_nan=True
        )


def bits(result: rm.results.PredictionResult) -> dict[str, str]:
    return {name: value.hex() for name, value in result.values.items()}


# --- The same as at once ------------------------------------------------------------------------------------


@given(
    measures=st.sampled_from([SUMS, ROWS, QUERIES, ["RMSE", "MAE", "MAPE"]]),
    rows=st.integers(1, 60),
    seed=st.integers(0, 9),
    parts=st.integers(1, 40),
    order=st.randoms(use_true_random=False),
    weighted=st.booleans(),
    words=st.booleans(),
    through_file=st.booleans(),
)
def test_any_parts_in_any_order_give_what_all_rows_give(
    tmp_path_factory: pytest.TempPathFactory,
    measures: Any,
    rows: Any,
    seed: Any,
    parts: Any,
    order: Any,
    weighted: Any,
    words: Any,
    through_file: Any,
) -> None:
    frame = table(rows, seed)
    if not weighted or measures is QUERIES:
        frame = frame.drop("weight")
    said: dict[str, Any] = {}
    if words and "RMSE" not in measures and frame["label"].n_unique() == 2:
        frame = frame.with_columns(label=frame["label"].replace_strict({0: "no", 1: "yes"}))
        said["positive"] = "yes"
    pieces = cut(frame, parts, seed)
    whole = rm.PredictionEvaluator(measures, **said)
    for piece in pieces:
        whole.update(piece)
    order.shuffle(pieces)
    merged = rm.PredictionEvaluator(measures, **said)
    path = tmp_path_factory.getbasetemp() / "part"
    for piece in pieces:
        one = rm.PredictionEvaluator(measures, **said)
        one.update(piece)
        if through_file:
            one.save(path)
            one = rm.PredictionEvaluator.load(path)
        merged.merge(one)
    assert whole.rows == merged.rows == rows
    same(rm.evaluate_predictions(frame, measures, **said), whole.result())
    assert bits(whole.result()) == bits(merged.result())
    assert whole.result().counts == merged.result().counts
    files = []
    for each in (whole, merged):
        each.save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1]


@given(rows=st.integers(4, 40), seed=st.integers(0, 9), parts=st.integers(1, 6), form=st.sampled_from("slg"))
def test_any_parts_give_what_all_rows_of_classes_give(rows: Any, seed: Any, parts: Any, form: Any) -> None:
    draw = np.random.default_rng(seed)
    scores = draw.dirichlet(np.ones(3), rows)
    frame = pl.DataFrame({"label": [*"abc", *draw.choice([*"abc"], rows - 3)]})
    measures, said = CLASSES, {}
    if form == "l":
        frame = frame.with_columns(score=pl.Series(scores.tolist()))
    elif form == "s":
        frame = frame.with_columns(pl.Series(name, scores[:, place]) for place, name in enumerate("abc"))
        said = {"score": [*"abc"]}
    else:
        frame = frame.with_columns(guess=pl.Series(draw.choice([*"abcd"], rows)))
        measures, said = ["Accuracy", "MulticlassF"], {"predicted": "guess"}
    evaluators = [rm.PredictionEvaluator(measures, **said) for _ in range(2)]
    pieces = cut(frame, parts, seed)
    for evaluator, order in zip(evaluators, (pieces, pieces[::-1]), strict=True):
        for piece in order:
            evaluator.update(piece)
    one, other = (evaluator.result() for evaluator in evaluators)
    same(rm.evaluate_predictions(frame, measures, **said), one)
    assert bits(one) == bits(other)
    assert one.per_class.equals(other.per_class)


@pytest.mark.parametrize(
    "options",
    [
        {"like": "ranx"},
        {"ties": "random", "seed": 3, "item": "item"},
        {"ties": "input", "item": "item"},
        {"duplicates": "first", "item": "item"},
        {"no_relevant": "skip", "item": "item"},
    ],
)
def test_conventions_and_choices_hold_as_at_once(options: Any) -> None:
    frame = table(80, 1).drop("weight").with_columns(item=pl.Series(np.arange(80) % 37))
    frame = frame.unique(["user_id", "item"], maintain_order=True)
    evaluator = rm.PredictionEvaluator(["nDCG@3"], **options)
    for start in range(0, frame.height, 7):
        evaluator.update(frame[start : start + 7])
    same(rm.evaluate_predictions(frame, ["nDCG@3"], **options), evaluator.result())


def test_columns_that_measures_name_are_kept() -> None:
    frame = table(50, 2).drop("weight").with_columns(n=pl.Series(np.arange(50) // 20))
    evaluator = rm.PredictionEvaluator("GAUC(weight=n)")
    for start in range(0, 50, 10):  # n is 0 in every row of the first
        evaluator.update(frame[start : start + 10])
    same(rm.evaluate_predictions(frame, "GAUC(weight=n)"), evaluator.result())


def test_a_part_may_lack_a_class_and_weights() -> None:
    evaluator = rm.PredictionEvaluator("AUC, LogLoss", positive="yes")
    evaluator.update({"label": ["no", "no"], "p": [0.5, 0.25], "weight": [0, 0]})
    with pytest.raises(rm.DataError, match="not positive='yes'"):
        evaluator.result()
    evaluator.update({"label": ["yes", "no"], "p": [0.75, 0.5], "weight": [1.0, 2.5]})
    assert evaluator.result()["AUC"] == 1
    assert evaluator.result().counts.positive == 1
    sums = rm.PredictionEvaluator("LogLoss")
    sums.update({"label": [1], "p": [0.5], "weight": [0]})
    with pytest.raises(rm.DataError, match="'weight' is 0 in every row"):
        sums.result()


def test_reasons_are_told_as_at_once() -> None:
    evaluator = rm.PredictionEvaluator("AUC, LogLoss")
    evaluator.update({"label": [1, 1], "p": [0.5, 0.25]})
    assert evaluator.result().undefined == {"AUC": "every row is positive"}
    evaluator.update({"label": [0], "p": [0.5]})
    assert evaluator.result()["AUC"] == 0.25


def test_intervals_and_slices_are_of_all_rows() -> None:
    frame = table(200, 2).drop("weight")
    for measure, method in (("AUC", "delong"), ("LogLoss", "delta")):
        evaluator = rm.PredictionEvaluator(measure, by="user_id", keep_rows=True)
        for piece in cut(frame, 9, 0):
            evaluator.update(piece)
        found = evaluator.result(intervals=method)
        whole = rm.evaluate_predictions(frame, measure, by="user_id", intervals=method)
        one, other = found.intervals[measure], whole.intervals[measure]
        assert one[:2] == pytest.approx(other[:2], rel=1e-9)
        assert one[2:] == other[2:]
        assert found.slices is not None
        assert [tuple_of(row) for row in found.slices.rows] == [tuple_of(row) for row in whole.slices.rows]
    with pytest.raises(rm.UsageError, match="keep_rows=True"):
        rm_evaluated("LogLoss").result(intervals=True)


def tuple_of(row: Any) -> tuple[Any, ...]:
    return (row.by, row.slice, row.measure, row.rows, row.positive)


def rm_evaluated(measures: str, **options: Any) -> rm.PredictionEvaluator:
    evaluator = rm.PredictionEvaluator(measures, **options)
    evaluator.update({"label": [1, 0, 1], "p": [0.75, 0.5, 0.25]})
    return evaluator


def test_sums_keep_no_rows_and_rows_are_kept_narrow(tmp_path: Path) -> None:
    frame = table(20_000, 2).drop("weight")
    sizes = {}
    for measures in ("LogLoss, Brier, PCOPC", "AUC", "GAUC"):
        evaluator = rm.PredictionEvaluator(measures)
        for start in range(0, 20_000, 1000):
            evaluator.update(frame[start : start + 1000])
        evaluator.save(tmp_path / "saved")
        sizes[measures] = (tmp_path / "saved").stat().st_size
    assert sizes["LogLoss, Brier, PCOPC"] < 2000
    assert 9 * 20_000 < sizes["AUC"] < 9.2 * 20_000  # the label in 1 byte, the score in 8
    assert 10 * 20_000 < sizes["GAUC"] < 10.2 * 20_000  # and few queries in 1


def test_what_is_changed_afterwards_changes_nothing() -> None:
    labels, scores = np.array([1.0, 0.0]), np.array([0.9, 0.1])
    evaluator = rm.PredictionEvaluator("AUC")
    evaluator.update_arrays(labels, scores)
    import pandas as pd

    frame = pd.DataFrame({"label": labels, "score": scores})
    evaluator.update(frame)
    scores[:], labels[:] = [0.1, 0.9], [1, 0]
    frame.loc[:, "score"] = 0.5
    assert evaluator.result()["AUC"] == 1


# --- Arrays -------------------------------------------------------------------------------------------------


def test_arrays_are_taken_as_tables_are() -> None:
    frame = table(30, 1)
    arrays = {name: frame[name].to_numpy() for name in frame.columns}
    evaluator = rm.PredictionEvaluator("GAUC, AUC")
    for start in range(0, 30, 8):
        own = {name: array[start : start + 8] for name, array in arrays.items()}
        evaluator.update_arrays(own["label"], own["p"], queries=own["user_id"], weights=own["weight"])
    whole = rm.evaluate_predictions(frame, "GAUC, AUC")
    found = evaluator.result()
    assert found.values == pytest.approx(whole.values, rel=1e-12)
    assert found.counts == whole.counts


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_scores_keep_their_precision(dtype: Any) -> None:
    draw = np.random.default_rng(0)
    scores, labels = draw.random(50).astype(dtype), draw.integers(0, 2, 50).astype(bool)
    evaluator = rm.PredictionEvaluator("LogLoss(clip=precision), BinaryF(threshold=0.7)")
    evaluator.update_arrays(labels[:20], scores[:20])
    evaluator.update_arrays(labels[20:].astype(np.int64), scores[20:])
    frame = pl.DataFrame({"label": labels, "score": scores})
    same(
        rm.evaluate_predictions(frame, "LogLoss(clip=precision), BinaryF(threshold=0.7)"), evaluator.result()
    )


def test_tensors_are_taken() -> None:
    torch = pytest.importorskip("torch")
    evaluator = rm.PredictionEvaluator("AUC, LogLoss(clip=precision)")
    evaluator.update_arrays(torch.tensor([1, 0]), torch.tensor([0.75, 0.25], requires_grad=True))
    evaluator.update_arrays(torch.tensor([True, False]), torch.tensor([0.5, 0.25]).bfloat16())
    assert evaluator.result()["AUC"] == 1


def test_arrays_that_are_not_wanted_are_left_out() -> None:
    evaluator = rm.PredictionEvaluator("AUC", weight="")
    for _ in range(2):
        evaluator.update_arrays([1, 0], [0.75, 0.25], queries=["a", "b"], weights=[0, 1])
    assert evaluator.result()["AUC"] == 1
    assert "weights" not in evaluator.result().signature("AUC", short=True)


def test_arrays_of_jax_are_taken() -> None:
    jnp = pytest.importorskip("jax.numpy")
    evaluator = rm.PredictionEvaluator("AUC")
    evaluator.update_arrays(jnp.array([1, 0]), jnp.array([0.75, 0.25]))
    evaluator.update_arrays(jnp.array([1, 0]), jnp.array([0.5, 0.25], dtype=jnp.bfloat16))
    assert evaluator.result()["AUC"] == 1


def test_lists_and_texts_are_taken() -> None:
    evaluator = rm.PredictionEvaluator("AUC, GAUC", positive="yes")
    evaluator.update_arrays(["yes", "no", "no"], [0.9, 0.5, 0.1], queries=["a", "a", "b"])
    evaluator.update_arrays(np.array(["yes"]), [0.4], queries=["b"])
    assert evaluator.result().values == {"AUC": 0.75, "GAUC": 1.0}


def test_scores_of_classes_are_taken() -> None:
    evaluator = rm.PredictionEvaluator("Accuracy")
    evaluator.update_arrays([0, 1], np.array([[0.9, 0.1], [0.7, 0.3]]))
    evaluator.update_arrays([1], np.array([[0.2, 0.8]]))
    assert evaluator.result()["MulticlassAccuracy"] == pytest.approx(2 / 3)
    with pytest.raises(rm.DataError, match="has 3 scores in a row, and the parts before have 2"):
        evaluator.update_arrays([1], np.array([[0.2, 0.7, 0.1]]))


def test_scores_of_classes_that_are_no_probabilities_change_nothing() -> None:
    evaluator = rm.PredictionEvaluator("LogLoss")
    evaluator.update_arrays([0, 1], np.array([[0.5, 0.5], [0.25, 0.75]]))
    with pytest.raises(rm.DataError, match=r"do not sum to 1 .* the first row 0 "):
        evaluator.update_arrays([1], np.array([[0.5, 0.75]]))
    with pytest.raises(rm.DataError, match="1 NaN among the scores of classes"):
        evaluator.update_arrays([1], np.array([[0.5, np.nan]]))
    with pytest.raises(rm.MeasureError, match="MulticlassLogLoss takes a score of each class"):
        rm.PredictionEvaluator("LogLoss", predicted="g").update({"label": ["a", "b"], "g": ["a", "a"]})
    assert evaluator.rows == 2
    assert evaluator.result().counts.rows == 2


def test_arrays_and_tables_go_together() -> None:
    evaluator = rm.PredictionEvaluator("Brier", label="click", score="pctr")
    evaluator.update({"click": [1], "pctr": [0.5], "other": ["x"]})
    evaluator.update_arrays([0], [0.5])
    assert evaluator.result()["Brier"] == 0.25


# --- What is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measures", "part", "message"),
    [
        ("AUC", {"label": [1, None], "p": [0.5, 0.5]}, "null"),
        ("AUC", {"label": [1, 0], "p": [0.5, float("nan")]}, "NaN"),
        ("AUC", {"label": [1, 2], "p": [0.5, 0.5]}, "takes binary labels"),
        ("LogLoss", {"label": [1, -1], "p": [0.5, 0.5]}, "takes binary labels"),  # with the 0 before
        ("LogLoss", {"label": [1, 0], "p": [0.5, 1.5]}, "1 score outside of 0 to 1, the first in row 1"),
        ("AUC", {"label": ["a", "b"], "p": [0.5, 0.5]}, "holds words"),
        ("AUC", {"label": [1, 0], "score": [0.5, 0.5]}, "has no column 'p'"),
        ("AUC", {"label": [], "p": []}, "has no rows"),
        ("AUC", [1, 2], "predictions is of type list"),
        ("AUC", {"label": [1, 0], "p": [[0.5, 0.5], [0.5, 0.5]]}, "lists of Float64"),
        ("AUC", {"label": [1, 0], "p": np.array([0.5, 0.5], np.float32)}, "holds Float32"),
    ],
)
def test_what_is_refused_changes_nothing(measures: Any, part: Any, message: Any) -> None:
    evaluator = rm_evaluated(measures)
    before = evaluator.result()
    with pytest.raises(rm.RankmarkError, match=message):
        evaluator.update(part)
    assert evaluator.rows == 3
    assert evaluator.result().values == before.values
    assert evaluator.result().counts == before.counts


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([1, 0], [0.5]), "different numbers of rows: 2 of the label, 1 of the score"),
        (([[1, 0]], [0.5]), r"labels has 2 axes, shape \(1, 2\), and needs one"),
        ((["a", 1], [0.5, 0.5]), "labels holds values of several types"),
        (([1, 0], ["a", "b"]), "not numbers"),
        (([1, 0], pl.Series([0.5, 0.5])), "scores is of type Series"),
        (([], []), "has no rows"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arrays: Any, message: Any) -> None:
    evaluator = rm_evaluated("AUC")
    with pytest.raises(rm.RankmarkError, match=message):
        evaluator.update_arrays(*arrays)
    with pytest.raises(rm.UsageError, match="every row before has no weight: do not give weights="):
        evaluator.update_arrays([1], [0.5], weights=[1])
    grouped = rm.PredictionEvaluator("GAUC")
    grouped.update_arrays([1], [0.5], queries=[1])
    with pytest.raises(rm.UsageError, match="every row before has a query: give queries="):
        grouped.update_arrays([1], [0.5])
    with pytest.raises(rm.DataError, match="'query' holds text, and in the parts before numbers"):
        grouped.update_arrays([1], [0.5], queries=["a"])


def test_measures_and_choices_are_refused_at_once() -> None:
    with pytest.raises(rm.UsageError, match="by=3 is neither a column"):
        rm.PredictionEvaluator("AUC", by=3)
    for measures, options, message in (
        ("AUK", {}, "no measure 'AUK'"),
        ("AUC", {"ties": "never"}, "ties='never'"),
        ("AUC", {"like": "nobody"}, "nobody"),
        ("AUC", {"score": "a", "predicted": "b"}, "both said"),
        ("AUC", {"threads": -1}, "threads"),
    ):
        with pytest.raises(rm.UsageError, match=message):
            rm.PredictionEvaluator(measures, **options)
    with pytest.raises(rm.ColumnError, match="GAUC is a value of each query"):
        rm_evaluated("GAUC")
    with pytest.raises(rm.DataError, match="has been given nothing yet"):
        rm.PredictionEvaluator("AUC").result()


@pytest.mark.parametrize(
    ("other", "error", "message"),
    [
        (lambda: rm_evaluated("Brier"), rm.UsageError, "of different measures do not merge"),
        (lambda: rm_evaluated("AUC", positive=0), rm.UsageError, "of different positive"),
        (lambda: rm_evaluated("AUC", like="sklearn"), rm.UsageError, "of different convention"),
        (lambda: rm.Evaluator("AP"), rm.UsageError, "Evaluator is no PredictionEvaluator"),
        (
            lambda: rm_evaluated("AUC", keep_rows=True),
            rm.UsageError,
            "of different keep_rows do not merge: False and True",
        ),
    ],
)
def test_what_does_not_merge_is_said(other: Any, error: Any, message: Any) -> None:
    evaluator = rm_evaluated("AUC")
    with pytest.raises(error, match=message):
        evaluator.merge(other())
    assert evaluator.rows == 3


def test_rows_that_do_not_go_together_do_not_merge() -> None:
    one, other = rm_evaluated("AUC"), rm.PredictionEvaluator("AUC")
    other.update({"label": [-1, 1], "p": [0.5, 0.5]})
    with pytest.raises(rm.DataError, match="takes binary labels"):
        one.merge(other)
    other = rm.PredictionEvaluator("AUC")
    other.update({"y": [0], "p": [0.5]})
    with pytest.raises(rm.ColumnError, match="the other evaluator has the columns 'y', 'p'"):
        one.merge(other)
    one.merge(rm.PredictionEvaluator("AUC"))
    assert one.rows == 3


# --- Files --------------------------------------------------------------------------------------------------


@pytest.fixture(params=["AUC, GAUC", "Brier, ECE", "MulticlassAccuracy"])
def saved(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    evaluator = rm.PredictionEvaluator(request.param)
    score: Any = [[0.5, 0.5], [0.1, 0.9]] if "Multi" in request.param else [0.5, 0.25]
    evaluator.update({"label": [1, 0], "p": score, "user_id": ["a", "b"]})
    evaluator.save(tmp_path / "saved")
    return tmp_path / "saved"


def changed(path: Path, name: str, content: bytes | None) -> None:
    """The file with another part, or without it, and with the checksum that it has then."""
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    changed = {**parts, name: content}
    path.write_bytes(sealed({each: part for each, part in changed.items() if part is not None}))


def header(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        found: dict[str, Any] = json.loads(archive.read("predictions.json"))
    return found


def test_what_is_loaded_goes_on_as_what_was_saved(saved: Any) -> None:
    evaluator = rm.PredictionEvaluator.load(saved)
    assert evaluator.rows == 2
    for other in (copy.deepcopy(evaluator), pickle.loads(pickle.dumps(evaluator))):
        evaluator.merge(other)
    result = evaluator.result()
    assert result.counts.rows == 6
    assert evaluator.rows == 6


def test_what_is_saved_is_had_as_bytes(saved: Path) -> None:
    evaluator = rm.PredictionEvaluator.load(saved)
    assert evaluator.to_bytes() == saved.read_bytes()
    again = rm.PredictionEvaluator.from_bytes(evaluator.to_bytes())
    assert again.result().values == evaluator.result().values


def test_arguments_are_saved(tmp_path: Path) -> None:
    arguments = {"like": "ranx", "label": "y", "score": "s", "query": "q", "item": "i", "seed": 3, "by": "q"}
    evaluator = rm.PredictionEvaluator(["map@3", rm.nDCG @ 3], **arguments)
    evaluator.save(tmp_path / "empty")
    loaded = rm.PredictionEvaluator.load(tmp_path / "empty")
    for each in (evaluator, loaded):
        each.update({"y": [1, 0], "s": [0.5, 0.25], "q": [1, 1], "i": [3, 4], "other": [1, 1]})
    assert loaded.result().to_json(per_query=True) == evaluator.result().to_json(per_query=True)
    assert loaded.result().convention == "ranx-0.3.21"


def test_functions_are_not_saved(tmp_path: Path) -> None:
    evaluator = rm.PredictionEvaluator(rm.nDCG(gain=lambda grade: grade))
    with pytest.raises(rm.UsageError, match="has a function for a parameter, which cannot be saved"):
        evaluator.save(tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_files_that_are_none_are_refused(saved: Any, tmp_path: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "flipped").write_bytes(content)
    (tmp_path / "cut").write_bytes(content[:-30])
    (tmp_path / "text").write_text("evaluator")
    rm.Evaluator("AP").save(tmp_path / "other")
    for name in ("flipped", "cut", "text", "other"):
        with pytest.raises(
            rm.FormatError, match=r"saved evaluator of predictions, or is damaged|is damaged: its checksum"
        ):
            rm.PredictionEvaluator.load(tmp_path / name)
    with pytest.raises(rm.FileMissingError, match="there is no file"):
        rm.PredictionEvaluator.load(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99, "rankmark": "9.0"}, "was saved by rankmark 9.0 in format 99; this is"),
        ({"arguments": ["NDGC"]}, "cannot be read: predictions.json.arguments is not what rankmark saves"),
        ({"luck": 1}, "cannot be read: predictions.json is not what rankmark saves there"),
        ({"convention": "ranx-0.0"}, "follows ranx-0.0, and this is"),
        ({"form": 1}, "cannot be read"),
        ({"form": {}}, "cannot be read"),
    ],
)
def test_headers_that_do_not_fit_are_refused(saved: Any, change: Any, message: Any) -> None:
    changed(saved, "predictions.json", json.dumps(header(saved) | change).encode())
    with pytest.raises(rm.FormatError, match=message):
        rm.PredictionEvaluator.load(saved)


def test_contents_that_do_not_fit_are_refused(saved: Any) -> None:
    whole, told = saved.read_bytes(), header(saved)
    told["arguments"]["measures"] = ["LogLoss"] if "Brier" in str(told["arguments"]) else ["GAUC(weight=n)"]
    wrong = {"predictions.json": [b"{", json.dumps(told).encode()]}
    if told["tally"]["sums"]:
        told = header(saved)
        told["tally"]["sums"] = {name: [["x"]] for name in told["tally"]["sums"]}
        wrong["predictions.json"].append(json.dumps(told).encode())
    else:
        other = pl.DataFrame({"label": ["a"], "p": [0.5], "user_id": [None]})
        other.write_ipc(saved.with_suffix(".arrow"))
        wrong["rows.arrow"] = [b"ARROW1", None, saved.with_suffix(".arrow").read_bytes()]
    for name, contents in wrong.items():
        for content in contents:
            saved.write_bytes(whole)
            changed(saved, name, content)
            with pytest.raises(rm.FormatError, match=r"no readable|damaged|cannot be read|has other"):
                rm.PredictionEvaluator.load(saved)


def test_it_is_shown_with_its_rows() -> None:
    assert repr(rm_evaluated("AUC")) == "<PredictionEvaluator AUC; 3 rows>"


def days(first: list[int], *more: list[int]) -> list[dict[str, list[float]]]:
    """A part for each list of queries, of two rows a query."""
    return [
        {
            "query": [query for query in part for _ in range(2)],
            "label": [1, 0] * len(part),
            "score": [score for query in part for score in (0.1 * query, 0.5)],
        }
        for part in (first, *more)
    ]


@pytest.mark.parametrize("measures", ["AUC, nDCG", "LogLoss", "GAUC"])
def test_a_query_that_comes_again_is_refused_or_dropped_whole(tmp_path: Path, measures: str) -> None:
    monday, tuesday, again = days([1, 8], [2], [8, 3])
    strict = rm.PredictionEvaluator(measures, repeated="error")
    dropping = rm.PredictionEvaluator(measures, repeated="first")
    for part in (monday, tuesday):
        strict.update(part)
        dropping.update(part)
    with pytest.raises(rm.DataError, match=r"query 8 was given before; .* repeated=None to take its rows"):
        strict.update(again)
    assert strict.rows == 6
    dropping.update(again)
    assert (dropping.rows, dropping.dropped, dropping.repeated) == (8, 1, "first")
    (whole,) = days([1, 8, 2, 3])
    expected = rm.evaluate_predictions(whole, measures)
    assert dropping.result().values == pytest.approx(expected.values, rel=1e-12)
    assert dropping.result().notes[0] == "queries that were there came again 1 times and were dropped"
    assert rm.evaluate_predictions(whole, measures).notes == dropping.result().notes[1:]

    dropping.save(tmp_path / "saved")
    loaded = rm.PredictionEvaluator.load(tmp_path / "saved")
    assert loaded.to_bytes() == dropping.to_bytes()
    loaded.merge(strict)
    assert (loaded.rows, loaded.dropped) == (8, 4)
    with pytest.raises(rm.DataError, match="query 1 was given before, and so were 2 others"):
        strict.merge(dropping)


def test_what_no_id_is_of_cannot_be_known_again() -> None:
    evaluator = rm.PredictionEvaluator("AUC", repeated="first")
    for part in ({"label": [1, 0], "score": [0.5, 0.1]}, {"label": [1], "score": [0.5]}):
        with pytest.raises(rm.UsageError, match="repeated='first' knows queries by their ids"):
            evaluator.update(part, group=[len(part["label"])])
        with pytest.raises(rm.UsageError, match="repeated='first' knows queries by their ids"):
            evaluator.update_arrays(part["label"], part["score"])
    with pytest.raises(rm.UsageError, match="repeated='last' is not one of error, first, None"):
        rm.PredictionEvaluator("AUC", repeated="last")  # type: ignore[arg-type]
    with pytest.raises(rm.UsageError, match="evaluators of different repeated do not merge"):
        evaluator.merge(rm.PredictionEvaluator("AUC"))
