"""Predictions read in batches give what the same files give in memory."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.cli import main
from rankmark.engines import partitions, row_stream
from strategies import at_most

MEMORY = 64 << 20
SUMS = [
    *("LogLoss", "LogLoss(clip=0.001,unit=bits)", "Brier", "PCOPC", "NE", "Accuracy", "F1(threshold=0.3)"),
    *("RMSE", "MAE", "MSE", "MAPE", "R2", "Pearson", "ECE(bins=5)"),
]
OF_QUERIES = ["GAUC", "GAUC(weight=clicks)", "GAUC(weight=spend)", "MAE(average=macro)"]
ALL = ["AUC", *SUMS, *OF_QUERIES]


def table(rows: int, seed: int, *, scores: int = 30, weights: bool = True) -> pl.DataFrame:
    """Scores with many ties, some queries of one class, weights that are fractions and sometimes 0."""
    draw = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "user_id": draw.integers(0, rows // 5 + 1, rows),
            "click": draw.random(rows) < 0.4,
            "p": draw.integers(0, scores, rows) / scores,
            "weight": np.append(1, draw.integers(0, 5, rows - 1)) / 3,
            "spend": np.append(1, draw.integers(0, 9, rows - 1)) / 7,
        }
    )
    return frame if weights else frame.drop("weight")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    cut(monkeypatch, 512, 4096)


def cut(patch: pytest.MonkeyPatch, batch: int, partition: int) -> None:
    """Makes batches of so many bytes, and partitions of so many."""
    patch.setattr(row_stream, "OWN", 0)
    patch.setattr(row_stream, "BATCH", MEMORY // batch)
    patch.setattr(row_stream, "PARTITION", MEMORY // partition)
    patch.setattr(partitions, "HELD", MEMORY // batch)


def both(path: str | Path, measures: Any = ALL, **said: Any) -> rm.results.PredictionResult:
    """The result in batches, which is that in memory."""
    local = rm.evaluate_predictions(path, measures, engine="local", **said)
    streamed = rm.evaluate_predictions(path, measures, engine="stream", memory=MEMORY, **said)
    assert streamed.values == pytest.approx(local.values, rel=1e-12, abs=1e-15, nan_ok=True)
    assert streamed.counts == local.counts
    assert streamed.inputs == local.inputs
    assert streamed.account() == local.account()
    assert [streamed.signature(m) for m in local] == [local.signature(m) for m in local]
    if any(measure.per_query for measure in local):
        assert streamed.per_query.equals(local.per_query)
    return streamed


@pytest.mark.slow
@given(
    rows=st.integers(1, 300),
    seed=st.integers(0, 9),
    batch=st.integers(1, 8192),
    partition=st.integers(64, 8192),
    scores=st.sampled_from([1, 3, 1000]),
    weights=st.booleans(),
    together=st.booleans(),
    dtype=st.sampled_from([pl.Float32, pl.Float64]),
)
@settings(max_examples=at_most(25), deadline=None)
def test_no_cut_changes_a_value(
    tmp_path_factory: pytest.TempPathFactory,
    rows: Any,
    seed: Any,
    batch: Any,
    partition: Any,
    scores: Any,
    weights: Any,
    together: Any,
    dtype: Any,
) -> None:
    frame = table(rows, seed, scores=scores, weights=weights).with_columns(pl.col("p").cast(dtype))
    path = tmp_path_factory.mktemp("cut") / "t.parquet"
    (frame.sort("user_id") if together else frame).write_parquet(path)
    with pytest.MonkeyPatch.context() as patch:
        cut(patch, batch, partition)
        both(path)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_every_file_format_is_read_in_batches(tmp_path: Path) -> None:
    frame = table(500, 1)
    frame.write_csv(tmp_path / "t.csv")
    frame.write_csv(tmp_path / "t.tsv", separator="\t")
    (tmp_path / "z.csv.gz").write_bytes(gzip.compress((tmp_path / "t.csv").read_bytes()))
    frame[:200].write_parquet(tmp_path / "part1.parquet")
    frame[200:].write_parquet(tmp_path / "part2.parquet")
    for name in ("t.csv", "t.tsv", "z.csv.gz", "part*.parquet"):
        both(str(tmp_path / name), hash_inputs=True)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ids", [["1", "2", "3"], ["1", "2", "x"], ["01", "2", "3"]])
def test_the_hash_is_that_of_the_whole_table(tmp_path: Path, ids: Any) -> None:
    frame = table(300, 2).with_columns(user_id=pl.Series(sorted(ids * 100)), item=pl.int_range(300))
    frame.write_csv(tmp_path / "t.csv")
    both(tmp_path / "t.csv", "AUC", hash_inputs=True)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_labels_can_be_words(tmp_path: Path) -> None:
    frame = table(300, 3).with_columns(click=pl.when("click").then(pl.lit("yes")).otherwise(pl.lit("no")))
    for name, write in (("t.csv", frame.write_csv), ("t.parquet", frame.write_parquet)):
        write(tmp_path / name)
        both(tmp_path / name, ["AUC", "LogLoss", "GAUC"], positive="yes")
        for said, message in (
            ({}, r"holds words \('no', 'yes'\); say which"),
            ({"positive": "maybe"}, "holds 'no' and 'yes', not positive='maybe'"),
        ):
            with pytest.raises(rm.DataError, match=message):
                rm.evaluate_predictions(tmp_path / name, "AUC", engine="stream", **said)


@pytest.mark.usefixtures("small")
def test_scores_that_have_no_end_or_are_whole_are_ranked(tmp_path: Path) -> None:
    frame = table(400, 4).with_columns(p=pl.int_range(400) // 7 * (1 << 52))
    frame.write_parquet(tmp_path / "whole.parquet")
    both(tmp_path / "whole.parquet", "AUC, GAUC")
    far = pl.when(pl.int_range(400) % 5 == 0).then(float("inf")).otherwise(-float("inf"))
    frame.with_columns(p=far).write_parquet(tmp_path / "far.parquet")
    both(tmp_path / "far.parquet", "AUC, GAUC")


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("p", float("nan"), r"the score column 'p' is NaN in row 250 \(from 0\)"),
        ("p", None, r"the score column 'p' is null in row 250"),
        ("user_id", None, r"the query column 'user_id' is null in row 250"),
        ("weight", -1.0, r"the weight column 'weight' is NaN, infinite or negative in row 250"),
        ("p", 1.5, r"LogLoss takes probabilities, .* has 1 score outside of 0 to 1, the first in row 250"),
    ],
)
def test_a_wrong_row_is_named_by_its_number(tmp_path: Path, column: Any, value: Any, message: Any) -> None:
    wrong = pl.when(pl.int_range(300) == 250).then(pl.lit(value)).otherwise(column)
    table(300, 5).with_columns(wrong.alias(column)).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(rm.DataError, match=message):
        rm.evaluate_predictions(tmp_path / "t.parquet", "AUC, LogLoss, GAUC", engine="stream")


@pytest.mark.usefixtures("small")
def test_weights_can_be_0_in_a_batch_but_not_in_all(tmp_path: Path) -> None:
    frame = table(300, 6).with_columns(weight=pl.when(pl.int_range(300) > 200).then(1.0).otherwise(0.0))
    frame.write_parquet(tmp_path / "t.parquet")
    both(tmp_path / "t.parquet")
    frame.with_columns(weight=0.0).write_parquet(tmp_path / "t.parquet")
    for engine in ("local", "stream"):
        with pytest.raises(rm.DataError, match="the weight column 'weight' is 0 in every row"):
            rm.evaluate_predictions(tmp_path / "t.parquet", "AUC", engine=engine)


def test_what_needs_all_rows_at_once_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    table(50, 7).with_columns(other="p").write_parquet(path)
    for measure, message in (
        ("KS", "KS looks at more than sums and pairs of the rows"),
        ("AUC(max_fpr=0.5)", "looks at more than sums"),
        ("AveragePrecision", "looks at more than sums"),
        ("ECE(binning=mass)", "looks at more than sums"),
        ("F1(threshold=max)", "looks at more than sums"),
        ("Spearman", "looks at more than sums"),
        ("CalibrationSlope", "looks at more than sums"),
        ("nDCG@10", "is a measure of lists; rankmark.evaluate computes it in batches"),
        ("MulticlassAccuracy", "is a measure of classes"),
    ):
        with pytest.raises(rm.MeasureError, match=message):
            rm.evaluate_predictions(path, measure, engine="stream")
    with pytest.raises(rm.MeasureError, match="several scores"):
        rm.evaluate_predictions(path, "Brier", score=["p", "weight"], weight="", engine="stream")
    with pytest.raises(rm.UsageError, match="reads files; predictions is of type dict"):
        rm.evaluate_predictions({"label": [1], "score": [1]}, "AUC", engine="stream")


def test_large_files_are_streamed_by_themselves_where_that_is_possible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    table(50, 8).write_parquet(path)
    streamed = []
    observe = row_stream.observe
    monkeypatch.setattr("rankmark.engines.selection.LEAST", 0)
    monkeypatch.setattr("rankmark.inputs.memory.free_memory", lambda: 1)

    def noted(*given: Any, **options: Any) -> Any:
        streamed.append(observe(*given, **options))
        return streamed[-1]

    monkeypatch.setattr(row_stream, "observe", noted)
    rm.evaluate_predictions(path, "AUC")
    assert len(streamed) == 1
    assert rm.evaluate_predictions(path, "AUC, KS").measures == (rm.parse("AUC"), rm.parse("KS"))
    rm.evaluate_predictions(path, "AUC", engine="local")
    assert len(streamed) == 1


@pytest.mark.usefixtures("small")
def test_the_command_line_streams(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.parquet"
    table(300, 9, weights=False).write_parquet(path)
    shown = []
    command = ["predictions", str(path), "-m", "AUC", "-m", "GAUC", "-q"]
    for engine in (["--engine", "local"], ["--engine", "stream", "--memory", "64MiB"]):
        assert main([*command, *engine]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1]
    assert main(["predictions", str(path), "-m", "KS", "--engine", "stream"]) == 2
    assert "use --engine local," in capsys.readouterr().err


@pytest.mark.parametrize(
    ("measures", "how", "message"),
    [
        ("LogLoss(clip=precision)", {}, "LogLoss"),
        ("LogLoss", {"by": "c"}, "by needs the whole table"),
        ("LogLoss", {"intervals": True}, "intervals needs the whole table"),
        ("log_loss", {"like": "sklearn"}, "like needs the whole table"),
    ],
)
def test_what_needs_the_whole_table_is_refused_in_batches(
    tmp_path: Path, measures: Any, how: Any, message: Any
) -> None:
    path = tmp_path / "clicks.csv"
    path.write_text("label,score,c\n1,0.75,a\n0,0.5,b\n1,0.5,a\n")
    with pytest.raises(rm.UsageError, match=message):
        rm.evaluate_predictions(path, measures, engine="stream", **how)
    assert rm.evaluate_predictions(path, measures, **how).values  # chosen by itself: in memory
