"""By what is sliced: the forms that it is given in, and the order of slices."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankmark import UsageError
from rankmark.inputs.slicing import ByColumns, ByFunction, ByQueries, ByRows, slice_names, understood


@pytest.mark.parametrize(
    "names",
    [
        ["<5", "5-10", "10-20", "20-100", "≥100"],
        ["(-inf, 10]", "(10, 100]", "(100, inf]"],
        ["[5, 20)", "[20, 30)", "[100, 200)"],
        ["0", "1", "2-5", "6+"],
        ["[0, 1]", "(1, 2]"],
        ["0-1k", "1k-10k", "10k+"],
        ["< $10", "$10-$20", "$20-$1,000", "> $1,000"],
        ["0%-5%", "5%-10%", "10%-100%"],
        ["-10--5", "-5-0", "0-5"],
        ["(0,10]", "(10,20]", "(20,1,000]"],
        ["under 18", "18 to 24", "25–34", "65 or more"],
        ["0-0.1", "0.1-0.25", "0.25-1"],
        ["-0.5", "0.5", "9", "10", "1e3"],
        ["0-9", "10-19", "other", "unknown"],
        ["slot 1", "slot 2", "slot 10"],
        ["2024-01-05", "2024-01-20", "2025-01-01"],
        ["10:00-12:00", "12:00-14:00"],
        ["DE", "FR", "de"],
        ["1.2.9", "1.2.10"],
        ["x", "x" + "9" * 5000, "x²"],
    ],
)
def test_numbers_and_intervals_of_numbers_come_before_words(names: list[str]) -> None:
    found = slice_names(pl.Series([*reversed(names), None, *names]))
    assert found.dtype.categories.to_list() == names  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (pl.Series([10.0, 9.0, float("nan"), None]), ["9", "10"]),
        (pl.Series([10.5, 9.0]), ["9.0", "10.5"]),
        (pl.Series([True, False]), ["false", "true"]),
        (pl.Series([dt.date(2024, 3, 1), dt.date(2023, 4, 1)]), ["2023-04-01", "2024-03-01"]),
        (pl.Series([dt.datetime(2024, 3, 1), dt.datetime(2023, 4, 1)]), ["2023-04-01", "2024-03-01"]),
        (pl.Series([dt.timedelta(10), dt.timedelta(9)]), ["9d", "10d"]),
        (pl.Series(["mid", "low"], dtype=pl.Enum(["low", "mid", "high"])), ["low", "mid"]),
        (pl.Series(["(10, 20]", "(5, 10]"], dtype=pl.Categorical), ["(5, 10]", "(10, 20]"]),
        (pl.Series([None, None]), []),
    ],
)
def test_values_have_the_order_of_their_type(values: pl.Series, names: list[str]) -> None:
    assert slice_names(values).dtype.categories.to_list() == names  # type: ignore[attr-defined]


CUT = pd.cut(pd.Series([30, 5, 500], name="activity"), [0, 10, 100, 1000])


@pytest.mark.parametrize(
    "by",
    [
        CUT,
        CUT.astype(str),
        CUT.to_numpy(),
        CUT.array,
        pd.Series(pd.arrays.IntervalArray(CUT.array)),
        pl.Series(CUT.astype(str).tolist()),
    ],
)
def test_bins_of_pandas_are_intervals_in_order(by: Any) -> None:
    found = understood(by)
    assert isinstance(found, ByRows)
    names = slice_names(found.values)
    assert names.to_list() == ["(10, 100]", "(0, 10]", "(100, 1000]"]
    assert names.dtype.categories.to_list() == ["(0, 10]", "(10, 100]", "(100, 1000]"]  # type: ignore[attr-defined]


def test_ordered_categories_of_pandas_keep_their_order() -> None:
    found = understood(pd.Series(pd.Categorical(["mid", "low"], ["low", "mid", "high"], ordered=True)))
    assert isinstance(found, ByRows)
    assert slice_names(found.values).dtype.categories.to_list() == ["low", "mid"]  # type: ignore[attr-defined]


def test_a_series_of_pandas_goes_by_its_index() -> None:
    table = pd.DataFrame({"user": [3, 4, 3]}, index=[7, 8, 9])
    values = pd.Series(["a", "b", "a"], index=[7, 8, 9])
    assert isinstance(understood(values, table), ByRows)
    assert isinstance(understood(values), ByQueries)
    assert isinstance(understood(values.reset_index(drop=True), table), ByRows)
    with pytest.raises(UsageError, match="the index of the table in another order"):
        understood(values.iloc[::-1], table)
    with pytest.raises(UsageError, match="whose index has 2 levels"):
        understood(values.set_axis(pd.MultiIndex.from_tuples([(1, 2), (3, 4), (5, 6)])))


def test_an_index_of_numbers_is_of_queries_where_it_has_all_of_them() -> None:
    values = understood(pd.Series(["a", "b", "c"]))
    assert isinstance(values, ByRows)
    assert values.of(3, "x", [8]) is values
    assert isinstance(values.of(5, "x", [0, 2]), ByQueries)
    with pytest.raises(UsageError, match="by has 3 values, and x has 5 rows; give a value a row"):
        values.of(5, "x", [1, 3])
    with pytest.raises(UsageError, match="by has 3 values, and x has no rows with an order; give "):
        values.of(None, "x", ["q"])


@pytest.mark.parametrize(
    ("by", "names"),
    [
        (np.array([2, 1, 10], dtype=">i4"), ["2", "1", "10"]),
        (np.array([2, 1, 0.5], dtype=">f8"), ["2.0", "1.0", "0.5"]),
        (np.array([2, 1, 0.5], dtype=np.longdouble), ["2.0", "1.0", "0.5"]),
        (np.array([2, 1, 0.5], dtype=np.float16), ["2.0", "1.0", "0.5"]),
        (np.array([True, False, True]), ["true", "false", "true"]),
        (np.array(["b", "a", "c"]), ["b", "a", "c"]),
        (
            np.array(["2024-02-01", "NaT", "2024-01-01"], dtype="datetime64[ns]"),
            ["2024-02-01", None, "2024-01-01"],
        ),
        (np.ma.array([2, 1, 10], mask=[False, True, False]), ["2", None, "10"]),
        (pa.array(["b", None, "c"]), ["b", None, "c"]),
        (pa.chunked_array([["b"], ["a", "c"]]), ["b", "a", "c"]),
        (pa.array(["b", None, "c"]).dictionary_encode(), ["b", None, "c"]),
        (pd.array([2, None, 10], dtype="Int64"), ["2", None, "10"]),
        (pd.Series([2, None, 10]), ["2", None, "10"]),
        (pd.Series(["2", None, float("nan")], dtype=object), ["2", None, None]),
        (pd.to_datetime(pd.Series(["2024-02-01", "2024-01-01", None])), ["2024-02-01", "2024-01-01", None]),
        ([np.float64("nan"), np.int64(2), pd.NA], [None, "2", None]),
        ([1, "a", None], ["1", "a", None]),
        ([1, 2.5, 3], ["1.0", "2.5", "3.0"]),
        (pd.period_range("2024-01", periods=3, freq="M").to_numpy(), ["2024-01", "2024-02", "2024-03"]),
        (pd.Series(pd.period_range("2024-01", periods=3, freq="M")), ["2024-01", "2024-02", "2024-03"]),
    ],
    ids=lambda each: type(each).__name__,
)
def test_arrays_of_whatever_library_have_the_same_names(by: Any, names: list[str | None]) -> None:
    found = understood(by)
    assert isinstance(found, ByRows)
    assert slice_names(found.values).to_list() == names


def test_texts_are_columns_where_there_are_any_and_values_elsewhere() -> None:
    assert understood(["a", "b"]) == ByColumns(("a", "b"))
    assert isinstance(understood(["a", "b"], columns=False), ByRows)
    assert isinstance(understood([1, None]), ByRows)
    assert isinstance(understood(np.array(["a", "b"])), ByRows)
    assert isinstance(understood(len), ByFunction)


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (3, "by=3 is neither a column"),
        ([], "no column to slice by"),
        ({"a", "b"}, "is neither a column"),
        (np.zeros((2, 2)), "by=a ndarray is neither a column"),
        (pd.DataFrame({"a": [1]}), "a table is given as attributes="),
        ([["a"]], r"the slice of row 0 is \['a'\], which is no single value"),
        ({"q": {"a": 1}}, "the slice of query 'q' is {'a': 1}, which is no single value"),
    ],
)
def test_what_slices_nothing_is_refused(by: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        understood(by)


def test_what_a_function_raises_is_told_with_the_query() -> None:
    found = understood({"a": 1}.__getitem__)
    assert isinstance(found, ByFunction)
    with pytest.raises(UsageError, match="raises KeyError for query 'b': 'b'"):
        found.of(["a", "b"])
