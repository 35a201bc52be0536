"""Tables of items and of interactions: the same from whatever holds them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm

ROWS = [("a", ["x", "y"], 1.5), ("b", ["y"], 2.25), ("c", ["z"], 3.0)]
COLUMNS = {"item": ["a", "b", "c"], "category": [["x", "y"], ["y"], ["z"]], "price": [1.5, 2.25, 3.0]}
FRAME = pl.DataFrame(COLUMNS)
TEXTS = "item,category,price\na,x|y,1.5\nb,y,2.25\nc,z,3\n"


def _written(form: str, folder: Path) -> Any:
    path = folder / f"items.{form}"
    if form == "csv":
        path.write_text(TEXTS)
    elif form == "tsv":
        path.write_text(TEXTS.replace(",", "\t"))
    elif form == "parquet":
        FRAME.write_parquet(path)
    elif form == "arrow":
        FRAME.write_ipc(path)
    elif form == "json":
        path.write_text(json.dumps(FRAME.to_dicts()))
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in FRAME.to_dicts()))
    return path


IN_MEMORY = {
    "polars": FRAME,
    "lazy": FRAME.lazy(),
    "pandas": pd.DataFrame(COLUMNS),
    "pandas, indexed": pd.DataFrame(COLUMNS).set_index("item"),
    "arrow": FRAME.to_arrow(),
    "dict of dicts": {item: {"category": category, "price": price} for item, category, price in ROWS},
    "dict of columns": COLUMNS,
    "dict of arrays": COLUMNS | {"item": np.array(COLUMNS["item"]), "price": np.array(COLUMNS["price"])},
    "dicts": FRAME.to_dicts(),
    "dict of tuples": {item: {"category": tuple(own), "price": price} for item, own, price in ROWS},
}


@pytest.mark.parametrize("form", [*IN_MEMORY, "csv", "tsv", "parquet", "arrow file", "json", "jsonl"])
def test_items_are_the_same_from_whatever_holds_them(form: str, tmp_path: Path) -> None:
    source = IN_MEMORY.get(form)
    items = rm.catalogue(_written(form.removesuffix(" file"), tmp_path) if source is None else source).items
    assert items is not None
    assert items.rows() == ROWS
    assert items.columns == ["item", "category", "price"]


@pytest.mark.parametrize(
    "ids",
    [
        ["a", "b"],
        ("a", "b"),
        (each for each in "ab"),
        np.array(["a", "b"]),
        pl.Series(["a", "b"]),
        pd.Series(["a", "b"]),
        pd.Index(["a", "b"]),
        pa.array(["a", "b"]),
        {"item": ["a", "b"]},
    ],
    ids=lambda ids: type(ids).__module__ + type(ids).__name__,
)
def test_ids_alone_are_items(ids: Any) -> None:
    items = rm.catalogue(ids).items
    assert items is not None
    assert items.rows() == [("a",), ("b",)]


def test_a_series_of_pandas_whose_index_are_the_items_says_what_they_are_like() -> None:
    series = pd.Series(["x", "y"], index=pd.Index(["a", "b"], name="item"), name="category")
    items = rm.catalogue(series).items
    assert items is not None
    assert items.rows(named=True) == [{"item": "a", "category": "x"}, {"item": "b", "category": "y"}]


def test_texts_of_files_are_numbers_lists_or_null(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("item,code,year,genres,note\n1,007,1999,Drama|War,\n2,010,2001,War,x\n")
    items = rm.catalogue(path).items
    assert items is not None
    assert items.rows() == [("1", "007", 1999, ["Drama", "War"], None), ("2", "010", 2001, ["War"], "x")]


@pytest.mark.parametrize(
    "train",
    [
        {"u": ["a", "b", "a"], "v": ["b"]},
        {"u": np.array(["a", "b", "a"]), "v": ("b",)},
        [("u", "a"), ("u", "b"), ("u", "a"), ("v", "b")],
        pl.DataFrame({"userId": [*"uuuv"], "movieId": [*"abab"], "rating": [5, 0, 1, 2]}),
    ],
    ids=["dict", "arrays", "tuples", "ratings"],
)
def test_each_row_of_train_is_an_interaction(train: Any) -> None:
    read = rm.catalogue(train=train).train
    assert read is not None
    assert read.rows() == [("u", "a"), ("u", "b"), ("u", "a"), ("v", "b")]


def test_columns_are_said_for_all_tables_or_for_one() -> None:
    items = pl.DataFrame({"sku": ["a", "b"], "item": ["first", "second"]})
    train = pl.DataFrame({"person": ["u"], "item": ["a"]})
    for columns in ({"item": "sku", "query": "person"}, {"items.item": "sku", "train.query": "person"}):
        known = rm.catalogue(items, train=train, columns=columns)
        assert known.items is not None
        assert known.train is not None
        assert (known.items["item"].to_list(), known.train.rows()) == (["a", "b"], [("u", "a")])
    result = rm.evaluate(None, {"u": ["a"]}, "Coverage", items=items, columns={"items.item": "sku"})
    assert result["Coverage"] == 0.5


def test_ids_that_are_integers_in_items_are_found_where_results_have_texts() -> None:
    for items, run in (([1, 2], {"u": ["1"]}), (["1", "2"], {1: [1]})):
        assert rm.evaluate(None, run, "Coverage", items=items)["Coverage"] == 0.5


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([], r"items has no rows"),
        ({}, r"items has no rows"),
        (pl.DataFrame({"item": [], "category": []}), r"items has no rows"),
        ({"a": "x", "b": "y"}, r"items is a dict, and 'a' has 'x'.*what each is like"),
        ([("a", "x")], r"items, row 0 \(from 0\).*\('a', 'x'\)"),
        (
            {"a": {"c": "x"}, "b": {"c": ["x"]}},
            r"'c' has lists for some items and single values, such as",
        ),
        ({"a": {"c": "x"}, "b": {"c": 1}}, r"'c' holds values of several types: 1 of str"),
        ({"a": {1: "x"}}, r"the name of a column, 1, is no text"),
        (["a", 1], r"'item' holds values of several types"),
        (["a", None, "b"], r"1 of 3 ids in the item column 'item' are null, the first in row 1"),
        (list("abca"), r"1 item of 3 in several rows, the first is 'a' in rows 0 and 3"),
        (pl.DataFrame({"item": [1.5]}), r"the item column 'item' is Float64; ids are integers or strings"),
        (pl.DataFrame({"sku": ["a"], "c": ["x"]}), r"items has no column for the item.*'sku', 'c'"),
        (pl.DataFrame({"item_id": ["a"], "docno": ["x"]}), r"items has 2 columns that can be the item"),
        (rm.catalogue(["a"]), r"items is of type Catalogue"),
        (7, r"items is of type int"),
        (np.array("a"), r"items is of type ndarray"),
        ([{}], r"items has no column for the item; it has no columns at all$"),
        (pl.DataFrame(), r"items has no column for the item; it has no columns at all$"),
        ({"a": {"c": 10**40}}, r"'c' holds values of type int that no column .* in row 0"),
    ],
)
def test_what_holds_no_items_is_refused(items: Any, said: str) -> None:
    with pytest.raises(rm.RankmarkError, match=said):
        rm.catalogue(items)


@pytest.mark.parametrize(
    ("train", "said"),
    [
        ({}, r"^train has no rows"),
        ({"u": []}, r"^train has no rows"),
        ({"u": "ab"}, r"^train: query 'u' has 'ab'"),
        ({"u": [1.5]}, r"^train, row 0 \(from 0\): the item 1\.5 is a float"),
        (pl.DataFrame({"item": ["a"]}), r"^train has no column for the query"),
        (pl.DataFrame({"query": ["u", None], "item": ["a", "b"]}), r"1 of 2 ids in the query column.*row 1"),
        (5, r"^train is of type int"),
        (pl.DataFrame(), r"^train has no column for the query; it has no columns at all$"),
    ],
)
def test_what_holds_no_interactions_is_refused(train: Any, said: str) -> None:
    with pytest.raises(rm.RankmarkError, match=said):
        rm.catalogue(train=train)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("items.csv", "item;category\na;x\n", r"items '.*items\.csv'.*separated by ';'"),
        ("items.csv", "item,category\n", r"items\.csv' has no rows"),
        ("items.csv", "", r"items '.*items\.csv' is empty"),
        ("items.xlsx", "PK\x03\x04", r"Excel workbook"),
        ("items.txt", "a\nb\n", r"items '.*items\.txt' is none of these: CSV"),
    ],
)
def test_files_that_hold_no_items_are_refused(name: str, content: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(rm.DataError, match=said):
        rm.catalogue(tmp_path / name)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([{"n": 1}, {"n": 2}], r"'by' is Struct.*neither categories nor numbers"),
        ([[["x"]], [["y"]]], r"neither categories nor numbers"),
        ([b"x", b"y"], r"neither categories nor numbers"),
        ([1.5, 2.5], r"'by' of items has numbers.*intervals"),
        ([[1, 2], [3, 4]], r"'by' of items has numbers"),
        ([["x"], []], r"1 of 2 items has no 'by', the first is 'b'"),
    ],
)
def test_columns_that_are_no_categories_are_refused(values: list[Any], said: str) -> None:
    items = pl.DataFrame({"item": ["a", "b"], "by": values})
    with pytest.raises(rm.DataError, match=said):
        rm.evaluate(None, {"u": ["a", "b"]}, "CategoryEntropy(by=by)", items=items)


def test_many_different_integers_are_no_categories() -> None:
    items = {item: {"cents": item} for item in range(1_001)}
    with pytest.raises(rm.ColumnError, match=r"1,001 different integers.*intervals"):
        rm.evaluate(None, {"u": [1]}, "CategoryEntropy(by=cents)", items=items)


def test_items_that_are_none_of_the_catalogue_are_named_with_their_ranks() -> None:
    with pytest.raises(rm.DataError) as refused:
        rm.evaluate(None, {"u": ["a", "b"], "v": ["c", "b"]}, "Coverage", items=["a", "z"])
    said = str(refused.value)
    assert "3 of the 4 items at the top of lists are not among the 2 of items, which are such as 'a'" in said
    assert "; items lacks 2 items, the first 'b' at rank 2 of query 'u' ('c')" in said


def test_users_and_items_that_nobody_finds_again_in_train_are_told() -> None:
    run, judged = {"u": ["a", "b"]}, {"u": {"a": 1}}
    for train, said in (
        ({"U": ["a"]}, ["none of the queries is a user of train, so that nobody had anything before"]),
        ({"u": ["A"]}, ["none of the items at the top of lists is in train, so that nobody had any of them"]),
        ({"u": ["a"]}, []),
    ):
        notes = rm.evaluate(judged, run, ["Novelty@2", "nDCG@2"], train=train).notes
        assert [each.partition(";")[0] for each in notes] == said
    assert not rm.evaluate(judged, run, "Coverage", items=["a", "b"], train={"U": ["A"]}).notes


def test_what_to_say_of_a_column_is_of_its_table_alone() -> None:
    with pytest.raises(rm.ColumnError, match=r"columns=\{\"items\.item\": \"…\"\} .*--column items\.item=…"):
        rm.catalogue(pl.DataFrame({"sku": ["a"], "c": ["x"]}))
    with pytest.raises(rm.ColumnError, match=r"--column train\.query=…"):
        rm.catalogue(train=pl.DataFrame({"person": ["a"], "item": ["x"]}))
