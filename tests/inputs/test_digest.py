"""The hash of the inputs: the same for the same rows, another for others."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
import rankmark.inputs.digest as digest

TEXT = [("q1", "a", 3.0), ("q1", "b", 2.5), ("q2", "é", 0.0), ("q1", "", -1.0)]
NUMBERS = [(1, 10, 3.0), (1, 11, 2.5), (2, -10, 0.0), (1, 0, -1.0)]
M = 2**64


def run_hash(table: object) -> str:
    return digest.digest(rm.read_run(table))


def mix(word: int) -> int:
    word = (word + 0x9E3779B97F4A7C15) % M
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % M
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % M
    return word ^ (word >> 31)


def of_id(key: int | str) -> int:
    if isinstance(key, int):
        return key % M
    word = 0xCBF29CE484222325
    for byte in key.encode():
        word = (word ^ byte) * 0x100000001B3 % M
    return word


def slow_hash(rows: list[tuple]) -> str:
    """The definition, a row at a time."""
    total = 0
    for query, item, value in rows:
        bits = int(np.float64(value).view(np.uint64))
        total += mix(mix(mix(mix(of_id(query))) ^ mix(of_id(item))) ^ mix(bits))
    return f"{total % M:016x}"


IDS = {
    "integers": st.integers(-(2**63), 2**63 - 1),
    "text": st.text(st.characters(codec="utf-8"), max_size=9),
}


@pytest.mark.parametrize("kind", IDS)
@given(data=st.data())
def test_it_is_what_it_is_said_to_be(kind: Any, data: st.DataObject) -> None:
    scores = st.floats(allow_nan=False).map(lambda score: score + 0.0)
    rows = data.draw(st.lists(st.tuples(IDS[kind], IDS[kind], scores), min_size=1, max_size=8))
    assert run_hash(rows) == slow_hash(rows)


def test_it_stays_the_same_in_every_release() -> None:
    assert (run_hash(TEXT), run_hash(NUMBERS)) == (slow_hash(TEXT), slow_hash(NUMBERS))
    assert run_hash([("q", "d", 0.5)]) == "f5e230d2f71eb708"


@pytest.mark.parametrize("rows", [TEXT, NUMBERS], ids=["text", "integers"])
def test_order_format_and_types_do_not_count(rows: Any, tmp_path: Path) -> None:
    expected = run_hash(rows)
    frame = pl.DataFrame(rows, schema=["query", "item", "score"], orient="row")
    narrow = frame.with_columns(pl.col("score").cast(pl.Float32))
    if rows is NUMBERS:
        narrow = narrow.with_columns(pl.col("query").cast(pl.UInt8), pl.col("item").cast(pl.Int8))
    else:
        narrow = narrow.with_columns(pl.col("query").cast(pl.Categorical))
    frame.write_parquet(tmp_path / "run.parquet")
    same = [
        rows[::-1],
        frame,
        narrow,
        frame.to_pandas(),
        frame.rename({"query": "user", "item": "doc_id"}),
        pl.concat([frame[:1], frame[1:]], rechunk=False),
        frame.with_columns(score=pl.when(pl.col("score") == 0).then(-0.0).otherwise("score")),
        str(tmp_path / "run.parquet"),
    ]
    assert {run_hash(table) for table in same} == {expected}


def test_a_trec_file_has_the_hash_of_the_table_that_it_is(tmp_path: Path) -> None:
    text = b"q1 0 a 2\nq1 0 b 1\n"
    (tmp_path / "qrels.txt.gz").write_bytes(gzip.compress(text))
    table = [("q1", "b", 1), ("q1", "a", 2)]
    hashes = [digest.digest(rm.read_qrels(source)) for source in (str(tmp_path / "qrels.txt.gz"), table)]
    assert hashes[0] == hashes[1]


@pytest.mark.parametrize(
    "other",
    [
        TEXT[:3],
        [*TEXT, TEXT[0]],
        [*TEXT[:3], ("q1", "", -1.5)],
        [*TEXT[:3], ("q2", "", -1.0)],
        [*TEXT[:3], ("q1", "\0", -1.0)],
        [("q1", "b", 3.0), ("q1", "a", 2.5), *TEXT[2:]],
        [(item, query, value) for query, item, value in TEXT],
    ],
)
def test_other_rows_have_another_hash(other: Any) -> None:
    assert run_hash(other) != run_hash(TEXT)


def test_integers_are_not_their_digits() -> None:
    assert run_hash([(1, 2, 0.5)]) != run_hash([("1", "2", 0.5)])


def test_judgements_without_grades_are_1_and_ranks_are_taken_for_falling_scores() -> None:
    pairs = pl.DataFrame({"query": ["q", "q"], "item": ["a", "b"]})
    graded, ranked = pairs.with_columns(relevance=1), pairs.with_columns(rank=pl.Series([1, 2]))
    assert digest.digest(rm.read_qrels(pairs)) == digest.digest(rm.read_qrels(graded))
    assert run_hash(ranked) == run_hash(pairs.with_columns(score=pl.Series([-1.0, -2.0])))
    assert run_hash({"q": ["a", "b"]}) == run_hash(ranked)
    assert run_hash({"q": ["b", "a"]}) != run_hash(ranked)


def test_rows_are_hashed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"q{i // 7}", f"item {i}", i / 4) for i in range(100)]
    whole = run_hash(rows)
    monkeypatch.setattr(digest, "ROWS", 9)
    assert run_hash(rows) == whole == slow_hash(rows)


def test_a_result_has_hashes_if_they_were_asked_for() -> None:
    qrels = [("q1", "a", 1.0), ("q2", "é", 2.0)]
    result = rm.evaluate(qrels, TEXT, "AP", hash_inputs=True)
    assert result.inputs == {"qrels": slow_hash(qrels), "run": slow_hash(TEXT)}
    assert rm.evaluate(qrels, TEXT, "AP").inputs == {}


def test_ids_are_hashed_as_they_are_compared(tmp_path: Path) -> None:
    """Those of a format without types become integers if the other table's are."""
    (tmp_path / "qrels.txt").write_text("1 0 10 1\n")
    result = rm.evaluate(str(tmp_path / "qrels.txt"), NUMBERS, "AP", hash_inputs=True)
    assert result.inputs["qrels"] == slow_hash([(1, 10, 1.0)])


# --- Predictions ---------------------------------------------------------------------------------------

PREDICTIONS = {"user": [7, 8, 7], "label": [1, 0, 1], "score": [0.5, 0.25, 0.75]}


def prediction_hash(table: object, **options: object) -> str:
    result = rm.evaluate_predictions(table, "AUC", hash_inputs=True, **options)
    return result.inputs["predictions"]


def slow_prediction_hash(rows: list[tuple]) -> str:
    """The definition, of rows (query, item, label, score, weight)."""
    total = 0
    for query, item, *numbers in rows:
        word = mix(mix(mix(of_id(query))) ^ mix(of_id(item)))
        for number in numbers:
            word = mix(word ^ mix(int(np.float64(number).view(np.uint64))))
        total += word
    return f"{total % M:016x}"


def test_of_predictions_it_is_what_it_is_said_to_be() -> None:
    rows = [(7, 0, 1, 0.5, 1), (8, 0, 0, 0.25, 1), (7, 0, 1, 0.75, 1)]
    assert prediction_hash(PREDICTIONS) == slow_prediction_hash(rows)
    full = PREDICTIONS | {"item": ["a", "b", ""], "weight": [1.5, 0, 2]}
    rows = [(7, "a", 1, 0.5, 1.5), (8, "b", 0, 0.25, 0), (7, "", 1, 0.75, 2)]
    assert prediction_hash(full) == slow_prediction_hash(rows)


def test_of_predictions_order_format_and_types_do_not_count(tmp_path: Path) -> None:
    frame = pl.DataFrame(PREDICTIONS)
    frame.write_csv(tmp_path / "t.csv")
    words = pl.Series(["yes", "no", "yes"])
    same = [
        frame,
        frame[::-1],
        frame.with_columns(pl.col("label").cast(pl.Boolean)),
        frame.with_columns(pl.col("score").cast(pl.Float32), weight=1),
        frame.rename({"user": "qid", "score": "p"}),
        str(tmp_path / "t.csv"),
    ]
    hashes = {prediction_hash(table) for table in same}
    assert hashes == {prediction_hash(frame.with_columns(label=words), positive="yes")}
    others = [frame[:2], frame.drop("user"), frame.with_columns(weight=2), frame.with_columns(label=1)]
    assert len({*hashes, *map(prediction_hash, others)}) == 5


def test_predictions_have_no_hash_unless_asked_for() -> None:
    assert rm.evaluate_predictions(PREDICTIONS, "AUC").inputs == {}


@pytest.mark.parametrize("column", ["query", "item"])
@pytest.mark.parametrize("ids", [[None, "a"], ["a", None], [None, 1], [1, None]])
@pytest.mark.filterwarnings("error")
def test_a_missing_id_is_refused_as_without_the_hash(column: str, ids: list[Any]) -> None:
    other = ids[0] or ids[1]
    qrels = pl.DataFrame({"query": [other], "item": [other], "relevance": [1]})
    run = pl.DataFrame({"query": [other] * 2, "item": [other] * 2, "score": [2.0, 1.0]})
    run = run.with_columns(pl.Series(column, ids))
    with pytest.raises(rm.DataError) as without:
        rm.evaluate(qrels, run, "AP")
    with pytest.raises(rm.DataError, match=f"the {column} column '{column}' has 1 null") as hashed:
        rm.evaluate(qrels, run, "AP", hash_inputs=True)
    assert str(hashed.value) == str(without.value)


@pytest.mark.parametrize(
    ("queries", "others"),
    [([None, "a", "b"], [None, "a", "c"]), ([None, 1, 2**60 + 1], [None, 1, 2**60])],
)
@pytest.mark.filterwarnings("error")
def test_ids_beside_a_missing_one_count(queries: list[Any], others: list[Any]) -> None:
    def hashed(queries: list[Any]) -> str:
        rows = pl.DataFrame({"query": queries, "label": [1, 0, 1], "score": [0.2, 0.1, 0.3]})
        return str(rm.evaluate_predictions(rows, "AUC", hash_inputs=True).inputs)

    assert hashed(queries) == hashed(list(queries))
    assert hashed(queries) != hashed(others)
