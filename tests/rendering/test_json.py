"""JSON has no NaN and no infinity: there is null, and beside it what is not there."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark._native import Table
from rankmark.rendering.formats.json import LONG, SCHEMA, ByName, IdColumn, NumberColumn, indented
from rankmark.rendering.shown import Shown


class Anything(Shown):
    """Whatever is to be JSON."""

    def __init__(self, record: Any) -> None:
        self.record = record

    def _record(self) -> Any:
        return self.record


def written(record: Any) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    document = json.loads(Anything(record).to_json(), parse_constant=refuse)
    schema, version, *fields = document.items()
    assert (schema, version) == (("schema", SCHEMA), ("rankmark", rm.__version__))
    return dict(fields)


@pytest.mark.parametrize(
    ("number", "reason"), [(math.nan, "no value"), (math.inf, "infinite"), (-math.inf, "minus infinity")]
)
def test_the_reason_stands_behind_the_null(number: float, reason: str) -> None:
    found = written({"first": number, "second": 1.0})
    assert list(found.items()) == [("first", None), ("first_reason", reason), ("second", 1.0)]


def test_what_was_not_asked_for_has_no_reason() -> None:
    assert written({"low": None, "rows": [1, "two", True, None]}) == {
        "low": None,
        "rows": [1, "two", True, None],
    }


def test_a_record_that_says_why_is_believed() -> None:
    said = {"value": math.nan, "undefined": "every row is positive"}
    assert written(said) == {"value": None, "undefined": "every row is positive"}
    said = {"threshold": math.inf, "threshold_reason": "infinite: nothing is found"}
    assert written(said) == {"threshold": None, "threshold_reason": "infinite: nothing is found"}
    # A number is no text that says why: so many resamples had no value.
    assert written({"low": math.nan, "undefined": 3})["low_reason"] == "no value"


def test_reasons_do_not_stand_among_names() -> None:
    values = ByName(AP=0.5, RR=math.nan, MaxRank=ByName(a=math.inf, b=2.0))
    assert written({"values": values}) == {
        "values": {"AP": 0.5, "RR": None, "MaxRank": {"a": None, "b": 2.0}},
        "values_reason": {"RR": "no value", "MaxRank": {"a": "infinite"}},
    }


def test_a_list_has_the_reasons_of_all_its_nulls() -> None:
    values = ByName(AP=[0.5, 1.0], RR=[math.nan, 1.0, math.inf, math.nan])
    assert written({"values": values}) == {
        "values": {"AP": [0.5, 1.0], "RR": [None, 1.0, None, None]},
        "values_reason": {"RR": "no value or infinite"},
    }
    assert written({"pairs": [{"p": math.nan}]}) == {"pairs": [{"p": None, "p_reason": "no value"}]}


def test_a_threshold_that_finds_nothing() -> None:
    table = {"label": [0, 0, 1, 0], "score": [0.1, 0.2, 0.05, 0.3]}
    result = rm.evaluate_predictions(table, "BinaryAccuracy(threshold=max)")
    (measure,) = json.loads(result.to_json())["measures"].values()
    assert (measure["threshold"], measure["threshold_reason"]) == (None, "infinite: nothing is found")


def test_what_a_check_finds() -> None:
    record = json.loads(rm.check({"q": {"a": 1}}, [("q", "a", 1.0), ("q", "b", math.nan)]).to_json())
    (example,) = next(each for each in record["findings"] if each["code"] == "nan")["examples"]
    assert (example["score"], example["score_reason"]) == (None, "no value")


@given(st.lists(st.floats() | st.floats(0, 1) | st.sampled_from([math.nan, math.inf, -0.0])))
def test_columns_of_numbers_are_written_as_lists_are(values: list[float]) -> None:
    numbers = np.array(values, dtype=np.float64)
    for column in (numbers, np.repeat(numbers, 2)[::2]):
        named, listed = (ByName(AP=each) for each in (NumberColumn(column), values))
        found = Anything({"numbers": NumberColumn(column), "named": named}).to_json()
        assert found == Anything({"numbers": values, "named": listed}).to_json()


@given(st.lists(st.text()) | st.lists(st.integers(-(2**63), 2**63 - 1)) | st.lists(st.integers(0, 2**64 - 1)))
def test_columns_of_ids_are_written_as_lists_are(ids: list[Any]) -> None:
    text = isinstance((ids or [""])[0], str)
    types = [pl.String, pl.Categorical] if text else [pl.Int64 if min(ids) < 0 else pl.UInt64]
    for dtype in types:
        frame = pl.DataFrame({"query": pl.Series(ids, dtype=dtype)})
        assert indented({"query": IdColumn(Table.from_arrow(frame))}) == indented({"query": ids})


NAMES = st.text(max_size=3) | st.integers(-2, 2) | st.none() | st.booleans()
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inside: st.lists(inside) | st.tuples(inside, inside) | st.dictionaries(NAMES, inside),
)


FINITE = st.floats(allow_nan=False, allow_infinity=False)
NUMBERS = FINITE | st.floats(0, 1) | st.integers() | st.integers(-(2**63), 2**63 - 1) | st.none()


@given(st.lists(NUMBERS | st.sampled_from([0.0, -0.0, 1e-4, 1e-5, 1e16, 5e-324]), max_size=20))
def test_long_lists_of_numbers_are_written_as_python_does_it(values: list[Any]) -> None:
    long = {"values": (values or [0.5]) * LONG, "others": [*values * LONG, True, "text"]}
    assert indented(long) == json.dumps(long, indent=2)


@given(PLAIN)
def test_documents_are_indented_as_python_does_it(value: Any) -> None:
    assert indented(value) == json.dumps(value, indent=2, ensure_ascii=False)
