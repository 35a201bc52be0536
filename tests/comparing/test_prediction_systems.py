"""Systems compared by predictions in a table of each: which row is which, and what does not fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark import ColumnError, DataError, IdTypeError, UsageError
from rankmark.cli import main

MEASURES = ["AUC", "LogLoss", "GAUC", "KS", "nDCG@3", "GAUC(weight=spend)"]
Run = Callable[..., tuple[int, str, str]]


def clicks(rows: int = 24) -> pl.DataFrame:
    """Rows with the scores of two systems, each with a query and an item of its own."""
    random = np.random.default_rng(rows)
    click = random.random(rows) < 0.5
    click[:2] = [True, False]
    return pl.DataFrame(
        {
            "user_id": [f"u{row % 4}" for row in range(rows)],
            "item_id": range(100, 100 + rows),
            "click": click.astype(int),
            "spend": random.integers(0, 9, rows),
            "old": random.random(rows) * 0.9 + 0.05,
            "new": (random.random(rows) + click) * 0.45 + 0.05,
        }
    )


def split(table: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The table of each system, with its scores as p."""
    old, new = (table.drop(other).rename({own: "p"}) for own, other in (("old", "new"), ("new", "old")))
    return old, new


def compared(
    tables: Any, scores: Any = "p", measures: Any = "AUC", **options: Any
) -> rm.results.PredictionComparison:
    return rm.compare_predictions(tables, scores, measures, resamples=30, **options)


# --- The same as in one table ------------------------------------------------------------------------------


@given(st.data(), st.integers(4, 20), st.booleans())
def test_rows_in_any_order_are_those_of_one_table(data: st.DataObject, rows: int, weighted: bool) -> None:
    table = clicks(rows)
    if weighted:
        table = table.with_columns(weight=pl.int_range(1, pl.len() + 1) / 2)
    old, new = split(table)
    shuffled = new[data.draw(st.permutations(range(rows)))]
    asked = MEASURES if not weighted else MEASURES[:2]
    one = compared(table, {"old": "old", "new": "new"}, asked, baseline="old")
    several = compared({"old": old, "new": shuffled}, "p", asked, baseline="old")
    assert several.table.equals(one.table, null_equal=True)
    for name in ("old", "new"):
        result, expected = several.results[name], one.results[name]
        np.testing.assert_equal(result.values, expected.values)
        np.testing.assert_equal(dict(result.intervals), dict(expected.intervals))
        assert [result.signature(m) for m in asked] == [expected.signature(m) for m in asked]


def test_rows_without_items_are_matched_by_position() -> None:
    table = clicks()
    one = compared(table, {"old": "old", "new": "new"}, MEASURES[:4])
    old, new = (each.drop("item_id") for each in split(table))
    several = compared({"old": old, "new": new}, "p", MEASURES[:4])
    assert several.table.equals(one.table, null_equal=True)
    assert several.notes == ("rows matched by position",)


def test_what_one_table_lacks_is_that_of_the_same_rows_in_another() -> None:
    table = clicks()
    one = compared(table, {"old": "old", "new": "new"}, MEASURES)
    old, new = split(table)
    several = compared({"old": old, "new": new.select("p", "click", "spend")}, "p", MEASURES)
    assert several.table.equals(one.table, null_equal=True)
    assert several.notes == ("rows matched by position, with the query and the item of 'old'",)


def test_what_queries_weigh_is_the_same_in_all_tables() -> None:
    old, new = split(clicks())
    changed = new.with_columns(spend=pl.col("spend") + (pl.int_range(pl.len()) == 3))
    with pytest.raises(DataError, match=r"the values of 'spend' of 'old' and 'new' differ in 1 of 24 rows"):
        compared({"old": old, "new": changed}, "p", "GAUC(weight=spend)")
    with pytest.raises(ColumnError, match=r"system 'new': .* no column 'spend' for GAUC"):
        compared({"old": old, "new": new.drop("spend")}, "p", "GAUC(weight=spend)")


def test_more_than_two_systems_and_columns_called_alike() -> None:
    table = clicks()
    old, new = split(table)
    # The scores of one table are called as the labels of another.
    third = new.rename({"p": "label"}).sample(fraction=1, shuffle=True, seed=1)
    scores = {"old": "p", "new": "p", "third": "label"}
    several = compared(
        {"old": old.rename({"click": "label"}), "new": new, "third": third}, scores, ["AUC", "LogLoss"]
    )
    assert several.results["third"].values == several.results["new"].values
    assert (
        several.results["old"].values
        == compared({"a": old, "b": new}, "p", "AUC LogLoss").results["a"].values
    )
    assert several.pair("AUC", "third", "new").difference == 0


def test_tables_of_any_library_and_files(tmp_path: Path) -> None:
    old, new = split(clicks())
    expected = compared({"old": old, "new": new}).table
    old.write_csv(tmp_path / "old.csv")
    new.write_parquet(tmp_path / "new.parquet")
    several = {
        "files": {"old": tmp_path / "old.csv", "new": str(tmp_path / "new.parquet")},
        "pandas and pyarrow": {"old": old.to_pandas(), "new": new.to_arrow()},
        "streams": {
            "old": old.lazy(),
            "new": new.to_arrow().to_reader(),
        },
        "dicts of columns": {"old": old.to_dict(as_series=False), "new": new.to_dict()},
    }
    for what, tables in several.items():
        assert compared(tables).table.equals(expected), what


def test_one_dict_of_columns_is_one_table() -> None:
    """Whatever holds its columns."""
    table = clicks()
    expected = compared(table, {"old": "old", "new": "new"}).table
    for columns in (
        table.to_dict(),
        table.to_dict(as_series=False),
        {name: column.to_numpy() for name, column in table.to_dict().items()},
        dict(table.to_pandas().items()),
        {
            name: pa.chunked_array(column)
            for name, column in zip(table.columns, table.to_arrow().columns, strict=True)
        },
    ):
        assert compared(columns, {"old": "old", "new": "new"}).table.equals(expected)


def test_labels_that_are_words_and_columns_of_the_usual_names() -> None:
    old, new = split(clicks())
    words = pl.when(pl.col("click") == 1).then(pl.lit("buy")).otherwise(pl.lit("look")).alias("click")
    several = compared({"old": old.with_columns(words), "new": new.with_columns(words)}, None, positive="buy")
    assert several.pair("AUC", "new").difference == compared({"old": old, "new": new}).pairs[0].difference
    assert "positive:buy" in several.results["new"].signature("AUC")


def test_the_notes_of_a_comparison_are_shown() -> None:
    old, new = split(clicks())
    found = compared({"old": old, "new": new})
    assert "24 rows, 10 positive; rows matched by query ('user_id') and item ('item_id')" in str(found)
    assert json.loads(found.format("json"))["notes"] == list(found.notes)
    assert compared(clicks(), {"old": "old", "new": "new"}).notes == ()


# --- What does not fit -------------------------------------------------------------------------------------


def refused(tables: Any, scores: Any = "p", *, error: type[Exception] = DataError, **options: Any) -> str:
    """The message."""
    with pytest.raises(error) as caught:
        compared(tables, scores, **options)
    return str(caught.value)


def test_rows_that_not_all_tables_have() -> None:
    old, new = split(clicks())
    lacking = "predictions of 'new' lacks 2 rows of 'old' (query 'u1', item 101; query 'u3', item 103)"
    further = "predictions of 'old' lacks 1 row of 'new' (query 'u0', item 100)"
    some = new[[0, 2, *range(4, 24)]]
    assert f"{lacking}; leave out what not all tables have" in refused({"old": old, "new": some})
    assert f"and {further}; leave out" in refused({"old": old[1:], "new": new})
    assert f"{lacking}, and {further}" in refused({"old": old[1:], "new": some})
    shown = "(query 'u0', item 100; query 'u1', item 101; query 'u2', item 102; …)"
    assert f"lacks 10 rows of 'old' {shown}" in refused({"old": old, "new": new[10:]})
    assert "parts of one table as one, by a glob" in refused({"a": old[:10], "b": old[10:]})


def test_rows_that_stand_twice_are_matched_by_position() -> None:
    """As in logs of clicks, where a user sees an item again."""
    table = clicks()[[*range(24), 3, 3, 5]]
    one = compared(table, {"old": "old", "new": "new"}, MEASURES[:4])
    old, new = split(table)
    several = compared({"old": old, "new": new}, "p", MEASURES[:4])
    assert several.table.equals(one.table, null_equal=True)
    twice = "predictions of 'old' has query 'u3', item 103 in 3 rows (3, 24, 25, from 0)"
    where = "rows matched by position, where queries, items and labels agree"
    assert several.notes == (f"{where}, as {twice}, and 1 other pair more than once, too",)
    assert compared({"old": old, "new": new}, item="").notes == ("rows matched by position",)


def test_rows_that_stand_twice_in_another_order_or_number() -> None:
    old, new = split(clicks().with_columns(click=pl.Series([1, 0] * 12)))
    twice = [*range(24), 3]
    message = refused({"old": old[twice], "new": new[twice[::-1]]})
    assert "the queries of 'old' and 'new' differ in" in message
    assert "item 103 in 2 rows (3, 24, from 0); bring them into the same order, or leave out what" in message
    message = refused({"old": old, "new": new[twice]})
    assert "'old' has 24 rows and predictions of 'new' 25, and rows of several" in message
    assert "as predictions of 'new' has query 'u3', item 103 in 2 rows (3, 24, from 0): give each" in message
    # Of the same query, so that items alone tell.
    assert "the items of 'old' and 'new' differ in 2 of" in refused(
        {"old": old[twice], "new": new[[4, *range(1, 4), 0, *range(5, 24), 3]]}
    )


def test_rows_without_an_item() -> None:
    old, new = split(clicks())
    message = refused({"old": old, "new": new.with_columns(pl.when(pl.col("item_id") > 103).then("item_id"))})
    assert "predictions of 'new' has 4 nulls in the item column 'item_id', the first in row 0" in message


def test_labels_that_differ() -> None:
    old, new = split(clicks())
    other = new.with_columns(pl.when(pl.col("item_id") < 105).then(7).otherwise("click").alias("click"))
    for table in (other, other.reverse()):
        message = refused({"old": old, "new": table})
        shown = (
            "(query 'u0', item 100: 1 and 7; query 'u1', item 101: 0 and 7; query 'u2', item 102: 0 and 7; …)"
        )
        assert f"the labels of 'old' and 'new' differ in 5 of 24 rows {shown}, matched by query" in message
    bare, others = (each.drop("item_id", "user_id") for each in (old, other))
    message = refused({"old": bare, "new": others})
    assert "in 5 of 24 rows (row 0 (from 0): 1 and 7; row 1 (from 0): 0 and 7; " in message
    assert (
        "matched by position, as predictions of 'old' has no column of the query; bring them into" in message
    )


def test_labels_that_differ_in_words() -> None:
    old, new = (each.with_columns(click=pl.lit("buy")) for each in split(clicks()))
    new = new.with_columns(
        pl.when(pl.col("item_id") > 100).then("click").otherwise(pl.lit("no")).alias("click")
    )
    assert "(query 'u0', item 100: 'buy' and 'no')" in refused({"old": old, "new": new}, positive="buy")


def test_queries_that_differ_where_rows_are_matched_by_position() -> None:
    old, new = (each.drop("item_id") for each in split(clicks().with_columns(click=pl.Series([1, 0] * 12))))
    message = refused({"old": old, "new": new[[2, 1, 0, *range(3, 24)]]})
    shown = "(row 0 (from 0): 'u0' and 'u2'; row 2 (from 0): 'u2' and 'u0')"
    assert f"the queries of 'old' and 'new' differ in 2 of 24 rows {shown}, matched by position" in message


def test_what_the_first_table_lacks_is_compared_between_the_others() -> None:
    old, new = split(clicks().with_columns(click=pl.Series([1, 0] * 12)))
    tables = {"bare": old.select("click", "p"), "old": old, "new": new[[2, 1, 0, *range(3, 24)]]}
    assert "the queries of 'old' and 'new' differ in 2 of 24 rows" in refused(tables)
    assert (
        compared({**tables, "new": new}).results["new"].values
        == compared({"a": old, "b": new}).results["b"].values
    )


def test_weights_that_differ() -> None:
    old, new = split(clicks())
    weighted, otherwise = (old.with_columns(weight=1.5), new.with_columns(weight=pl.lit(2)))
    message = refused({"old": weighted, "new": otherwise})
    assert (
        "the weights of 'old' and 'new' differ in 24 of 24 rows (query 'u0', item 100: 1.5 and 2;" in message
    )
    expected = compared({"old": old, "new": new}).results["new"].values
    for tables in ({"old": weighted, "new": new}, {"new": new, "old": weighted}):
        assert "'old' has weights (column 'weight') and 'new' none; give all the same" in refused(tables)
        assert compared(tables, weight="").results["new"].values == expected


def test_numbers_of_rows_that_differ() -> None:
    old, new = (each.drop("item_id") for each in split(clicks()))
    message = refused({"old": old, "new": new[:23]})
    assert (
        "predictions of 'old' has 24 rows and predictions of 'new' 23, and rows of several tables" in message
    )
    assert "are matched by position, as predictions of 'old' has no column of the item: give each" in message


def test_ids_of_several_types(tmp_path: Path) -> None:
    old, new = split(clicks())
    expected = compared({"old": old, "new": new}).table
    text = new.with_columns(pl.col("item_id").cast(pl.String))
    text.write_csv(tmp_path / "new.csv")  # which has no types
    assert compared({"old": old, "new": tmp_path / "new.csv"}).table.equals(expected)
    assert compared({"new": tmp_path / "new.csv", "old": old}, baseline="old").table.equals(expected)
    narrow = new.with_columns(pl.col("item_id").cast(pl.UInt16), pl.col("user_id").cast(pl.Categorical))
    assert compared({"old": old, "new": narrow}).table.equals(expected)


def test_ids_that_cannot_be_the_same(tmp_path: Path) -> None:
    old, new = split(clicks())
    text = new.with_columns(pl.lit("x").alias("item_id"))
    message = refused({"old": old, "new": text}, error=IdTypeError)
    assert (
        "item ids are strings in predictions of 'new' (column 'item_id'), such as 'x', but integers"
        in message
    )
    text.write_csv(tmp_path / "new.csv")
    assert "' of 'new' has 'x' in row 0" in refused({"old": old, "new": tmp_path / "new.csv"})
    large = new.with_columns(pl.col("item_id").cast(pl.UInt64) + 2**63)
    message = refused({"old": old, "new": large}, error=IdTypeError)
    assert "item ids of predictions of 'new' (column 'item_id', UInt64) do not all fit into Int64" in message
    message = refused({"old": old, "new": new.with_columns(item_id=0.5)}, error=ColumnError)
    assert (
        "predictions of 'new': the item column 'item_id' is Float64; ids are integers or strings" in message
    )


def test_messages_on_scores_say_which_table_and_row() -> None:
    old, new = split(clicks())
    one_null = new.with_columns(pl.when(pl.col("item_id") != 103).then("p")).rename({"p": "guess"}).reverse()
    message = refused({"old": old, "new": one_null}, {"new": "guess"})
    where = (
        "predictions of 'new' in the order of 'old': the score column 'guess' has 1 null, the first in row 3"
    )
    assert where in message
    message = refused({"old": old, "new": new.with_columns(p=2)}, measures="LogLoss")
    assert (
        "LogLoss takes probabilities, and predictions of 'new', the score column 'p', has 24 scores"
        in message
    )
    message = refused({"old": old, "new": new.rename({"p": "guess"})}, None, error=ColumnError)
    assert 'say which it is with scores={"new": "…"} (on the command line --system new=…)' in message
    message = refused({"old": old, "new": new}, {"new": "user_id"}, query="", error=ColumnError)
    assert "system 'new': predictions: the score column 'user_id' is " in message


@pytest.mark.parametrize(
    ("tables", "scores", "message"),
    [
        ("t", "p", "scores='p': one table needs the column of each system, {system: column}"),
        (["t", "t"], "p", "several tables are given by their systems, {system: table}"),
        (
            {"old": "t", "new": "t"},
            {"nw": "p"},
            "a column for 'nw', which is none of the systems old, new; did you",
        ),
        ({"old": "t"}, "p", "1 system to compare"),
        ({}, "p", "0 systems to compare"),
        (
            {"old": "t", "new": "t"},
            ["p", 3],
            "one column of scores each, called by its name, or a list of them with one of each class, not",
        ),
        (
            {"old": "t", "new": "t"},
            {"old": 3},
            "one column of scores each, called by its name, or a list of them",
        ),
        ({1: "t", 2: "t"}, "p", "the name of a system is text, not 1"),
        ({"old": "t.csv", "new": "t"}, "p", "system 'old': there is no file 't.csv'"),
    ],
)
def test_tables_and_columns_that_are_none(tables: Any, scores: Any, message: str) -> None:
    assert message in refused(tables, scores, error=UsageError)


def test_measures_of_classes_are_refused() -> None:
    old, new = split(clicks())
    for tables, scores in (({"old": old, "new": new}, "p"), (clicks(), {"old": "old", "new": "new"})):
        message = refused(tables, scores, measures="MulticlassAccuracy", error=UsageError)
        assert "MulticlassAccuracy takes a score of each class, and predictions" in message


def test_a_baseline_or_a_score_that_is_none() -> None:
    old, new = split(clicks())
    message = refused({"old": old, "new": new}, baseline="od", error=UsageError)
    assert "baseline='od' is not one of the systems old, new; did you mean 'old'?" in message
    message = refused({"old": old, "new": new.with_columns(p=pl.concat_list("p", "p"))})
    assert "system 'new': systems are compared by one score in a row each" in message


# --- On the command line -----------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process, in a folder with two tables: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    old, new = split(clicks())
    old.write_csv("old.csv")
    new.reverse().write_csv("new.csv")
    new.rename({"p": "guess"}).write_parquet("guess.parquet")

    def call(*args: str) -> tuple[int, str, str]:
        code = main(["predictions", *args])
        return code, *capfd.readouterr()

    return call


def test_several_files_are_systems_called_as_they_are(run: Run) -> None:
    code, out, err = run("old.csv", "new.csv", "-m", "AUC GAUC")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["measure", "old", "new"]
    _, named, _ = run("before=old.csv", "new.csv", "-m", "AUC GAUC", "--score", "p")
    assert named.replace("before", "old").split() == out.split()
    _, columns, _ = run("old.csv", "new=guess.parquet", "-m", "AUC GAUC", "--system", "new=guess")
    assert columns == out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (
            ["old.csv", "guess.parquet"],
            1,
            "system 'guess': predictions 'guess.parquet' has no column known as the",
        ),
        (["old.csv", "nex.csv"], 2, "system 'nex': there is no file 'nex.csv'; did you mean 'new.csv'"),
        (["old.csv", "."], 2, "'.' is a directory"),
        (["old.csv", "old.csv"], 2, "two tables are called old.csv; write NAME=old.csv to call it otherwise"),
        (["a=old.csv", "a=new.csv"], 2, "a has 2 tables; a system has one"),
        (["old.csv", "new.csv", "--score", "p,q"], 1, "has no column 'q' for the score"),
        (["old.csv", "new.csv", "--score", "p", "--system", "old=p"], 2, "give one of them"),
        (["old.csv", "new.csv", "--system", "od=p"], 2, "a column for 'od'"),
        (["old.csv", "new.csv", "--system", "p"], 2, "each is NAME=COLUMN"),
        (["old.csv", "new.csv", "--item", ""], 1, "the queries of 'old' and 'new' differ in"),
        (["old.csv", "new.csv", "--by", "user"], 1, "no column 'user' to slice by; did you mean 'user_id'?"),
        (["old.csv", "new.csv", "--per-class"], 2, "--per-class does not go with several systems"),
        (["old.csv", "new.csv", "--per-query"], 2, "--per-query does not go with several systems"),
        (["old.csv", "new.csv", "--engine", "stream"], 2, "systems are compared in memory"),
        (["old.csv", "new.csv", "--signature"], 2, "--format json"),
        (["old.csv", "new.csv", "-o", "new.csv"], 2, "-o new.csv would overwrite the input new.csv"),
        (["old.csv", "--baseline", "a"], 2, "--baseline is for several systems"),
        ([], 2, "Missing argument"),
    ],
)
def test_several_files_refused(run: Run, arguments: list[str], code: int, message: str) -> None:
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert message in " ".join(err.split())
