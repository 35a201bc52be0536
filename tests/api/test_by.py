"""Slices at every door, in every form of `by`, are the same slices."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankmark as rm

QUERIES = [10, 11, 12, 13, 14, 15]
SLICES = ["(5, 10]", "(0, 5]", "(5, 10]", None, "(10, 20]", "(0, 5]"]
BY = dict(zip(QUERIES, SLICES, strict=True))
RANKS = [1, 2, 3, 1, 1, 2]
"""Where the item that is relevant for each query stands."""
EXPECTED = {"(0, 5]": 1 / 2, "(5, 10]": 2 / 3, "(10, 20]": 1.0, None: 1.0}
"""RR of each slice, by hand: (1/2 + 1/2) / 2, (1 + 1/3) / 2, 1, 1."""
ITEMS = [0, 1, 2]
SCORES = np.array([[float(item == rank - 1) * 9 - item for item in ITEMS] for rank in RANKS])
SCORES[:] = [[-item for item in ITEMS]] * len(RANKS)
RELEVANT = [[rank - 1] for rank in RANKS]
QRELS = pd.DataFrame({"user": QUERIES, "item": [rank - 1 for rank in RANKS], "rel": 1})
RUN = {
    query: dict(zip(ITEMS, map(float, row), strict=True)) for query, row in zip(QUERIES, SCORES, strict=True)
}
USERS = pl.DataFrame({"user": QUERIES, "age": SLICES})


class Popular:
    """A model of both kinds."""

    def predict(self, _: Any, items: Any) -> Any:
        return -np.asarray(items, dtype=float)


Door = Callable[..., rm.results.ListResult]
DOORS: dict[str, Door] = {
    "evaluate": lambda **by: rm.evaluate(QRELS, RUN, "RR", **by),
    "arrays": lambda **by: rm.evaluate_arrays(SCORES, RELEVANT, "RR", queries=QUERIES, **by),
    "candidates": lambda **by: rm.evaluate_arrays(
        SCORES, RELEVANT, "RR", queries=QUERIES, items=np.array([ITEMS] * len(RANKS)), **by
    ),
    "factors": lambda **by: rm.evaluate_factors(
        np.ones((len(QUERIES), 1)), np.array([[0.0], [-1.0], [-2.0]]), RELEVANT, "RR", queries=QUERIES, **by
    ),
    "recommend": lambda **by: rm.evaluate_model(
        lambda users, k: [ITEMS[:k]] * len(users), QRELS, "RR", k=3, **by
    ),
    "predict": lambda **by: rm.evaluate_model(Popular(), QRELS, "RR", items=ITEMS, **by),
}
FORMS: dict[str, dict[str, Any]] = {
    "mapping": {"by": BY},
    "function": {"by": BY.get},
    "indexed": {"by": pd.Series(BY)},
    "series of pandas": {"by": pd.Series(SLICES)},
    "series of polars": {"by": pl.Series(SLICES)},
    "array": {"by": np.array(SLICES, dtype=object)},
    "attributes": {"by": "age", "attributes": USERS},
    "several": {"by": ["age"], "attributes": USERS.to_pandas()},
    "cut": {"by": pd.cut(pd.Series([7, 3, 9, np.nan, 15, 5]), [0, 5, 10, 20])},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_takes_every_form(door: str, form: str) -> None:
    result = DOORS[door](**FORMS[form])
    assert {row.slice: row.value for row in result.slices.rows} == EXPECTED  # type: ignore[union-attr]
    assert [row.slice for row in result.slices.rows] == list(EXPECTED)  # type: ignore[union-attr]
    assert "(10, 20]" in result._repr_html_()
    assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()


def test_arrays_take_a_list_of_texts_for_values() -> None:
    result = rm.evaluate_arrays(SCORES, RELEVANT, "RR", by=list("abcaba"))
    assert [row.queries for row in result.slices.rows] == [3, 2, 1]  # type: ignore[union-attr]
    with pytest.raises(rm.UsageError, match="by has 2 values, and the array has 6 rows"):
        rm.evaluate_arrays(SCORES, RELEVANT, "RR", by=["country", "age"])


def test_results_are_sliced_by_each_form_of_their_queries() -> None:
    result = DOORS["evaluate"]()
    for form in ("mapping", "function", "indexed", "series of polars", "array", "cut"):
        assert {row.slice: row.value for row in result.by(FORMS[form]["by"]).rows} == EXPECTED


def test_values_of_rows_are_those_of_the_judgements() -> None:
    qrels = pd.concat([QRELS, QRELS.assign(item=9, rel=0)], ignore_index=True)
    assert DOORS["evaluate"]().values == rm.evaluate(qrels, RUN, "RR").values
    result = rm.evaluate(qrels, RUN, "RR", by=qrels["user"].map(BY))
    assert [(row.by, row.slice, row.value) for row in result.slices.rows] == [  # type: ignore[union-attr]
        ("user", name, value) for name, value in EXPECTED.items()
    ]
    with pytest.raises(rm.DataError, match="in 6 of 6 queries of what was given the rows differ"):
        rm.evaluate(qrels, RUN, "RR", by=pl.Series(range(12)))
    with pytest.raises(rm.UsageError, match="by has 3 values, and qrels has 12 rows"):
        rm.evaluate(qrels, RUN, "RR", by=np.zeros(3))
    with pytest.raises(rm.UsageError, match="and qrels has no rows with an order"):
        rm.evaluate({query: [0] for query in QUERIES}, RUN, "RR", by=np.zeros(6))


def test_an_index_of_row_numbers_that_is_matched_to_queries_is_told() -> None:
    lists = {query: [0, 1] for query in range(4)}
    by = pd.Series(list("aabbab"))
    result = rm.evaluate(lists, lists, "RR", by=by)
    (note,) = result.slices.notes  # type: ignore[union-attr]
    assert note.startswith("by is matched to the queries by its index, 0 … 5; if their ids are in a column")
    compared = rm.compare_results({"a": result, "b": result}, by=pd.Series(list("aabbab")))
    assert note in compared.slices.notes  # type: ignore[union-attr]
    assert "by its index, 0 … 5; if their ids" in str(result.by(by))
    assert rm.evaluate(lists, lists, "RR", by=by.rename_axis("query")).slices.notes == ()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "array", [pd.Categorical(list("abababab")), pd.array(list("abababab"), "string"), pd.Index([*"abababab"])]
)
def test_an_array_of_pandas_has_no_index_that_could_be_queries(array: Any) -> None:
    numbers = list(range(6))
    qrels, run = {query: {0: 1} for query in numbers}, {query: [0, 1] for query in numbers}
    rows = pd.DataFrame({"user": numbers, "item": 0, "rel": 1, "p": 0.5})
    result = rm.evaluate(qrels, run, "RR")
    doors: list[Callable[[], Any]] = [
        lambda: rm.evaluate(qrels, run, "RR", by=array),
        lambda: rm.evaluate(rows[["user", "item", "rel"]], run, "RR", by=array),
        lambda: rm.evaluate_arrays(SCORES, RELEVANT, "RR", by=array),
        lambda: rm.evaluate_predictions(rows, "AUC", query="user", label="rel", score="p", by=array),
        lambda: rm.compare_results({"a": result, "b": result}, by=array),
        lambda: result.by(array),
    ]
    for door in doors:
        with pytest.raises(rm.UsageError, match=r"by has 8 values, and .* has (6|no) rows"):
            door()
    # As many as the rows, they are theirs.
    found = rm.evaluate(rows[["user", "item", "rel"]], run, "RR", by=array[:6]).slices
    assert [(row.slice, row.queries) for row in found.rows] == [("a", 3), ("b", 3)]  # type: ignore[union-attr]


def test_what_rows_say_is_not_read_in_batches() -> None:
    with pytest.raises(rm.UsageError, match='give attributes= with engine="stream"'):
        rm.evaluate("qrels.parquet", "run.parquet", "RR", by=np.zeros(6), engine="stream")


def test_one_slice_and_two_hundred() -> None:
    result = DOORS["evaluate"](by=lambda _: "all")
    (row,) = result.slices.rows  # type: ignore[union-attr]
    assert (row.slice, row.value) == ("all", result["RR"])
    qrels, run = {query: [1] for query in range(400)}, {query: [1] for query in range(400)}
    many = rm.evaluate(qrels, run, "RR", by=lambda query: query // 2).slices
    assert [row.slice for row in many.rows] == [str(number) for number in range(200)]  # type: ignore[union-attr]


def test_more_slices_than_anybody_looks_at_are_refused() -> None:
    qrels = {query: [1] for query in range(10_001)}
    with pytest.raises(
        rm.DataError, match="by='slice': 10,001 different values, more than the 10,000 slices"
    ):
        rm.evaluate(qrels, qrels, "RR", by=lambda query: query)


# --- Rows of predictions -----------------------------------------------------------------------------------

CLICKS = pd.DataFrame(
    {
        "user": [1, 1, 2, 2, 3, 3],
        "click": [1, 0, 1, 0, 1, 0],
        "p": [0.9, 0.1, 0.2, 0.4, 0.8, 0.6],
        "old": [0.1, 0.2, 0.4, 0.2, 0.8, 0.6],
        "slot": ["2", "2", "10", "10", None, None],
    },
    index=[5, 3, 1, 0, 2, 4],
)
OF_ROWS = {
    "column": "slot",
    "several": ["slot"],
    "mapping": {1: 2, 2: 10},
    "function": lambda user: {1: 2, 2: 10}.get(user),
    "indexed": pd.Series({1: "2", 2: "10"}),
    "its own column": CLICKS["slot"],
    "array": CLICKS["slot"].to_numpy(),
    "polars": pl.Series([2, 2, 10, 10, None, None]),
    "list": [2, 2, 10, 10, None, None],
}
AUC = {"2": 1.0, "10": 0.0, None: 1.0}


@pytest.mark.parametrize("form", OF_ROWS)
def test_rows_are_sliced_by_every_form(form: str) -> None:
    by = OF_ROWS[form]
    found = rm.evaluate_predictions(CLICKS, "AUC", score="p", by=by).slices
    assert [(row.slice, row.value) for row in found.rows] == list(AUC.items())  # type: ignore[union-attr]
    compared = rm.compare_predictions(CLICKS, {"old": "old", "new": "p"}, "AUC", by=by, baseline="old")
    assert [(each.slice, each.pair.value) for each in compared.slices.pairs] == list(AUC.items())  # type: ignore[union-attr]


def test_rows_are_sliced_by_attributes_of_their_queries() -> None:
    users = pl.DataFrame({"user": ["1", "2", "9"], "age": ["5-9", "10-19", "x"], "slot": ["b", "a", "c"]})
    for attributes in (users, users.to_pandas().astype({"user": int})):
        how: dict[str, Any] = {"by": ["age", "click"], "attributes": attributes}
        result = rm.evaluate_predictions(CLICKS, "Accuracy", score="p", **how)
        assert [(row.by, row.slice) for row in result.slices.rows] == [  # type: ignore[union-attr]
            *(("age", name) for name in ("5-9", "10-19", None)),
            *(("click", name) for name in ("0", "1")),
        ]
        compared = rm.compare_predictions(CLICKS, {"old": "old", "new": "p"}, "AUC", **how | {"by": "slot"})
        assert [each.slice for each in compared.slices.pairs] == ["a", "b", None]  # type: ignore[union-attr]
    with pytest.raises(rm.UsageError, match="attributes without by"):
        rm.evaluate_predictions(CLICKS, "AUC", score="p", attributes=users)
    with pytest.raises(rm.ColumnError, match="such a column; did you mean 'age'"):
        rm.evaluate_predictions(CLICKS, "AUC", score="p", by="aeg", attributes=users)


def test_classes_are_sliced_by_every_form() -> None:
    for form, by in OF_ROWS.items():
        result = rm.evaluate_predictions(CLICKS.assign(guess=1), "Accuracy", predicted="guess", by=by)
        values = [(row.slice, row.value) for row in result.slices.rows]  # type: ignore[union-attr]
        assert values == [("2", 0.5), ("10", 0.5), (None, 0.5)], form


@pytest.mark.parametrize(
    ("by", "kind", "message"),
    [
        ("slto", rm.ColumnError, "no column 'slto' to slice by; did you mean 'slot'"),
        ({}, rm.DataError, "none of the 3 queries has a value of 'slice'; they are such as 1"),
        ({7: "a"}, rm.DataError, "they are such as 1, those with one such as 7"),
        ([1, 2], rm.UsageError, "by has 2 values, and predictions has 6 rows; give a value a row"),
        (CLICKS["slot"].sort_index(), rm.UsageError, "the index of the table in another order"),
        (lambda _: 1 / 0, rm.UsageError, "raises ZeroDivisionError for query 1"),
    ],
)
def test_what_slices_no_rows_is_refused(by: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        rm.evaluate_predictions(CLICKS, "AUC", score="p", by=by)


def test_slices_of_queries_need_a_column_of_them() -> None:
    with pytest.raises(rm.ColumnError, match="by gives the slices of queries, and predictions has no column"):
        rm.evaluate_predictions(CLICKS.drop(columns="user"), "AUC", score="p", by={1: "a"})


def test_predictions_say_that_a_series_with_row_numbers_was_matched_to_queries_by_these() -> None:
    table = {"label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.3], "query": [0, 0, 1, 1]}
    by = pd.Series(["x", "y"])
    said = "by is matched to the queries by its index, 0 … 1; if their ids are in a column"
    slices = rm.evaluate_predictions(table, "AUC", by=by).slices
    assert slices is not None
    assert [note[: len(said)] for note in slices.notes] == [said]
    systems = {"a": "score", "b": "b"}
    compared = rm.compare_predictions({**table, "b": [1, 2, 3, 4]}, systems, "AUC", by=by, resamples=99)
    assert [note for note in compared.notes if note.startswith(said)]


def test_a_misspelt_column_of_the_attributes_is_told_beside_predictions() -> None:
    table = {"label": [1, 0, 1, 0], "score": [0.9, 0.2, 0.4, 0.3], "user": ["a", "a", "b", "b"]}
    users = {"user": ["a", "b"], "country": ["x", "y"]}
    with pytest.raises(rm.ColumnError, match=r"neither the attributes nor .* did you mean 'country'"):
        rm.evaluate_predictions(table, "AUC", query="user", by="cuntry", attributes=pd.DataFrame(users))
    assert rm.evaluate_predictions(
        {**table, "cuntry": [1, 1, 2, 2]}, "AUC", query="user", by="cuntry", attributes=pd.DataFrame(users)
    ).slices


def test_a_column_called_query_is_the_query_whatever_stands_beside_it() -> None:
    judged = {f"q{n}": {"a": 1, "b": 0} for n in range(4)}
    runs = {f"q{n}": {"a": 0.1 * n, "b": 0.15} for n in range(4)}
    attributes = {"query": list(judged), "user": ["u1", "u1", "u2", "u2"], "topic": ["t"] * 4}
    slices = rm.evaluate(judged, runs, "AP", by="user", attributes=pl.DataFrame(attributes)).slices
    assert slices is not None
    assert [row.slice for row in slices.rows] == ["u1", "u2"]
