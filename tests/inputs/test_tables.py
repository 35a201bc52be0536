"""Tables in memory: the same small ones in every form that is read, and what is refused."""

from __future__ import annotations

import math
import re
from collections import OrderedDict, defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark._native import Table
from rankmark.errors import ColumnError, DataError, IdTypeError, RankmarkError, UsageError
from rankmark.inputs import read_qrels, read_run
from rankmark.inputs.tables import pandas_frames
from small_tables import QRELS, RUN, as_dicts, as_tuples, rows

IN_MEMORY = {
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "polars categorical": lambda c: pl.DataFrame(c).with_columns(
        pl.col("query", "item").cast(pl.Categorical)
    ),
    "polars chunked": lambda c: pl.concat([pl.DataFrame(c)[:1], pl.DataFrame(c)[1:]], rechunk=False),
    "pandas": pd.DataFrame,
    "pandas categorical": lambda c: pd.DataFrame(c).astype({"query": "category", "item": "category"}),
    "pandas with an index": lambda c: pd.DataFrame(c, index=[f"row {i}" for i in range(len(c["query"]))]),
    "pyarrow": pa.table,
    "pyarrow large_string": lambda c: pa.table(c).cast(
        pa.schema([("query", pa.large_string()), ("item", pa.large_string()), (list(c)[2], pa.float32())])
    ),
    "pyarrow batch": pa.RecordBatch.from_pydict,
    "pyarrow reader": lambda c: pa.table(c).to_reader(),
    "duckdb": lambda c: duckdb.from_arrow(pa.table(c)),
    "capsule": lambda c: Table.from_arrow(pa.table(c)),
    "lists": lambda c: pl.DataFrame(c).group_by("query", maintain_order=True).all(),
    "fixed lists": lambda c: pl.DataFrame(c).with_columns(
        pl.exclude("query").reshape((-1, 1)),
    ),
    "dict of dicts": as_dicts,
    "dict of dicts of numpy scalars": lambda c: {
        query: {np.str_(item): np.float32(value) for item, value in items.items()}
        for query, items in as_dicts(c).items()
    },
    "tuples": as_tuples,
    "generator": lambda c: iter(as_tuples(c)),
}


@pytest.mark.parametrize("form", IN_MEMORY)
def test_in_memory(form: Any) -> None:
    qrels, run = read_qrels(IN_MEMORY[form](QRELS)), read_run(IN_MEMORY[form](RUN))
    assert rows(qrels) == as_tuples(QRELS)
    single = "float32" in str(pl.DataFrame(run.table).schema[run.value]).lower() or "numpy" in form
    expected = [(q, d, float(np.float32(s)) if single else s) for q, d, s in as_tuples(RUN)]
    assert rows(run) == expected
    assert not qrels.text_ids
    assert (qrels.name, run.name) == ("qrels", "run")


def test_pandas_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    frame = pd.DataFrame(QRELS).astype({"item": "category", "query": object})
    assert rows(read_qrels(frame)) == as_tuples(QRELS)
    integers = pd.DataFrame({"query": pd.array([1, 2], dtype="Int64"), "item": [3, 4]})
    assert rows(read_qrels(integers)) == [(1, 3), (2, 4)]


def test_a_boolean_among_tuples_is_a_relevance() -> None:
    assert rows(read_qrels([("q", "d", True)])) == [("q", "d", 1.0)]


def test_qrels_without_relevance() -> None:
    for qrels in [pl.DataFrame({"query": ["q"], "item": ["d"]}), {"q": ["d"]}, {"q": {"d"}}, [("q", "d")]]:
        table = read_qrels(qrels)
        assert table.value is None
        assert rows(table) == [("q", "d")]


def test_run_with_ranks_only() -> None:
    run = read_run(pl.DataFrame({"query": [1, 1], "item": [1, 2], "position": [2, 1]}))
    assert (run.value, run.rank) == (None, "position")


def test_lists_in_rank_order() -> None:
    expected = [("q1", "b"), ("q1", "a"), ("q2", "c")]
    for source in [
        {"q1": ["b", "a"], "q2": ("c",), "q3": []},
        {"q1": np.array(["b", "a"]), "q2": iter("c")},
        pl.DataFrame({"query": ["q1", "q2", "q3"], "items": [["b", "a"], ["c"], []]}),
        pl.DataFrame({"query": ["q1", "q2", "q3"], "item": [["b", "a"], ["c"], None]}),
        pd.DataFrame({"query": ["q1", "q2"], "item_ids": [["b", "a"], ["c"]]}),
    ]:
        run = read_run(source)
        assert (run.value, run.rank) == (None, None)
        assert rows(run) == expected


def test_a_wide_table_of_pandas_with_gaps() -> None:
    """Which pandas holds as floats."""
    run = read_run(pd.DataFrame({"query": [1, 2], "item_1": [10, 11], "item_2": [12, None]}))
    assert rows(run) == [(1, 10), (1, 12), (2, 11)]


def test_two_lists_for_one_query_without_scores_are_refused() -> None:
    table = pl.DataFrame({"query": [1, 2, 1], "items": [[1], [2], [3]]})
    with pytest.raises(DataError, match=r"query 1 has several lists \(rows 0 and 2, from 0\)"):
        read_run(table)
    scores = pl.Series("scores", [[0.1], [0.2], [0.3]])
    assert len(rows(read_run(table.with_columns(scores)))) == 3
    assert len(rows(read_qrels(table))) == 3


def test_pandas_with_ids_in_the_index() -> None:
    table = pd.DataFrame({"user": [1, 1], "item": ["a", "b"], "rating": [2.0, 0.0]})
    qrels = read_qrels(table.set_index(["user", "item"]))
    series = read_qrels(table.set_index(["user", "item"])["rating"])
    for read in (qrels, series):
        assert (read.query, read.item, read.value) == ("user", "item", "rating")
        assert read.table.column_values("item") == ["a", "b"]
    assert list(table.columns) == ["user", "item", "rating"]


@pytest.mark.parametrize("prefix", ["item_", "top_", "rank", "", "Top-", "prediction "])
@pytest.mark.parametrize("start", [0, 1])
def test_wide(prefix: Any, start: Any, tmp_path: Path) -> None:
    names = [f"{prefix}{start + i}" for i in range(11)]
    columns = {"query": ["q1", "q2"], "score_1": [1, 2]} if prefix == "item_" else {"query": ["q1", "q2"]}
    columns |= {name: [f"d{i}", f"e{i}" if i < 2 else None] for i, name in reversed(list(enumerate(names)))}
    expected = [("q1", f"d{i}") for i in range(11)] + [("q2", "e0"), ("q2", "e1")]
    frame = pl.DataFrame(columns)
    frame.write_csv(tmp_path / "a.csv")
    for source in [frame, frame.to_pandas(), tmp_path / "a.csv"]:
        run = read_run(source)
        assert (run.value, run.rank) == (None, None)
        assert rows(run) == expected


def test_wide_said_outright() -> None:
    frame = pl.DataFrame(
        {"query": [1, 2], "first": ["US", "FR"], "second": ["FR", None], "truth": ["US", "CN"]}
    )
    expected = [(1, "US"), (1, "FR"), (2, "FR")]
    assert rows(read_run(frame, {"items": "first, second"})) == expected
    assert rows(read_run(frame, {"run.items": ["first", "second"]})) == expected
    assert rows(read_qrels(frame, {"item": "truth"})) == [(1, "US"), (2, "CN")]


def test_wide_pandas_with_numbers_as_names() -> None:
    frame = pd.DataFrame([["a", "b"], ["c", "d"]], columns=[1, 2]).assign(query=[7, 8])
    assert rows(read_run(frame)) == [(7, "a"), (7, "b"), (8, "c"), (8, "d")]


def test_a_dict_of_series_is_item_and_value() -> None:
    """Once the values were taken for items: 0.6714 where 0.2958 is right."""
    grades = pd.Series([0, 3, 1, 2], index=[10, 11, 12, 13])
    scores = pd.Series([0.9, 0.1, 0.7, 0.3], index=[10, 11, 12, 13])
    assert rows(read_qrels({"u": grades})) == [("u", 10, 0.0), ("u", 11, 3.0), ("u", 12, 1.0), ("u", 13, 2.0)]
    assert rows(read_run({"u": scores})) == [("u", 10, 0.9), ("u", 11, 0.1), ("u", 12, 0.7), ("u", 13, 0.3)]
    by_hand = rm.evaluate({"u": grades.to_dict()}, {"u": scores.to_dict()}, "nDCG@3")
    assert rm.evaluate({"u": grades}, {"u": scores}, "nDCG@3").values == by_hand.values
    assert rows(read_run({"u": pd.Series({"a": 2.0}), "v": []})) == [("u", "a", 2.0)]
    assert rows(read_qrels({"u": pd.Series(["a", "b"])})) == [("u", "a"), ("u", "b")]  # of texts, the items
    assert rows(read_qrels({"u": pl.Series(["a", "b"])})) == [("u", "a"), ("u", "b")]
    assert read_run({"u": scores}).notes == ()
    (note,) = read_qrels({"u": grades}).notes
    assert (
        "the items of query 'u' are the index of its Series, such as 10, and not its values, such as 0"
        in note
    )


def test_the_same_index_twice_in_a_series_is_an_item_twice() -> None:
    run = {"u": pd.Series([0.5, 0.4], index=["a", "a"])}
    with pytest.raises(DataError, match="duplicate"):
        rm.evaluate({"u": {"a": 1}}, run, "AP")


FRAME = pd.DataFrame({"query": ["q"], "item": ["a"], "score": [1.0]})
WHOLE = {
    "dict of frames": {"bm25": FRAME},
    "dict of polars frames": {"bm25": pl.DataFrame(FRAME)},
    "dict of lazy frames": {"bm25": pl.LazyFrame({"item": ["a"]})},
    "dict of arrow tables": {"bm25": pa.table({"item": ["a"]})},
    "dict of paths": {"bm25": Path("bm25.run")},
    "dict of what was read": {"bm25": read_run(FRAME)},
    "dict of dicts of dicts": {"bm25": {"q": {"a": 1.0}}},
    "dict of dicts of lists": {"bm25": {"q": ["a"]}},
    "dict of tuples": {"bm25": [("q", "a", 1.0)]},
    "later in a dict": {"q": ["a"], "bm25": FRAME},
    "list of frames": [FRAME, FRAME],
    "list of dicts": [{"q": {"a": 1.0}}],
    "list of paths": [Path("bm25.run")],
    "groups": FRAME.groupby("query"),
}


@pytest.mark.parametrize("form", WHOLE)
def test_several_tables_where_one_is_read_are_refused_with_the_way_to_go(form: Any) -> None:
    with pytest.raises(UsageError, match=r"a whole table, of type .*; evaluate and compare take several"):
        read_run(WHOLE[form])
    if form == "dict of dicts of dicts":  # judgements of aspects: query, item and aspect
        assert read_qrels(WHOLE[form]).table.num_rows == 1
        return
    with pytest.raises(UsageError, match=r"a whole table, .*; evaluate takes one table of judgements"):
        read_qrels(WHOLE[form])


ROWS = {"query": ["q", "q"], "item": ["a", "b"], "score": [2.0, 1.0]}
WRONG = [
    (pl.DataFrame({**ROWS, "score": [1.0, math.nan]}), "^run 'new': the score column 'score' has 1 NaN"),
    (pl.DataFrame({**ROWS, "item": ["a", "a"]}), "^run 'new': 1 item returned again"),
    (pl.DataFrame({**ROWS, "item": [1, 2]}), r"but integers in run 'new' \(column 'item', Int64\)"),
    (pl.DataFrame(ROWS).clear(), "^run 'new' has no rows"),
    (pl.DataFrame({"query": ["q"]}), "^run 'new' has no column for the item"),
    ({"q": {"a": "x"}}, r"^run 'new', row 0 \(from 0\): the score 'x' is a str"),
]


@pytest.mark.parametrize(("run", "message"), WRONG)
@pytest.mark.parametrize(
    "door",
    [
        lambda qrels, runs: rm.evaluate(qrels, runs, "AP"),
        lambda qrels, runs: rm.compare(qrels, runs, "AP"),
        lambda qrels, runs: rm.pool(qrels, runs, "P@2", depth=2),
    ],
)
def test_what_is_wrong_with_a_system_names_it(door: Any, run: Any, message: str) -> None:
    with pytest.raises(RankmarkError, match=message):
        door({"q": {"a": 1}}, {"old": {"q": {"a": 1.0}}, "new": run})


@pytest.mark.parametrize(("run", "message"), WRONG)
def test_a_gate_says_which_of_both_is_wrong(run: Any, message: str) -> None:
    with pytest.raises(RankmarkError, match=message.replace("new", "candidate")):
        rm.gate({"q": {"a": 1}}, {"q": {"a": 1.0}}, run, "AP", max_drop=0.1)


@pytest.mark.parametrize(("run", "what"), [(None, "of type NoneType"), (5, "of type int"), ({}, "empty")])
def test_systems_without_results_are_named(run: Any, what: str) -> None:
    with pytest.raises(
        UsageError, match=f"a dict of systems, and 'new' is {what}; give it results, as 'old'"
    ):
        rm.evaluate({"q": {"a": 1}}, {"old": {"q": {"a": 1.0}}, "new": run}, "AP")


@pytest.mark.parametrize("source", [[FRAME], {"a": FRAME}, {"a": {"label": [1], "score": [0.5]}}])
def test_several_tables_of_predictions_are_refused_with_the_way_to_go(source: Any) -> None:
    with pytest.raises(UsageError, match=r"a whole table, .*; .*rm\.compare_predictions compares several"):
        rm.evaluate_predictions(source, "AUC")


@pytest.mark.parametrize("source", [["a.run", "b.run"], {"a": "a.run"}])
def test_several_paths_are_refused_with_the_way_to_go(source: Any) -> None:
    with pytest.raises(UsageError, match=r"for rm\.compare"):
        read_run(source)


def test_lists_of_small_whole_numbers_are_told_to_be_items() -> None:
    grades, run = {"u": [3, 2, 1, 0]}, {"u": [4, 3, 9]}
    result = rm.evaluate(grades, run, "AP")
    (note,) = result.notes
    assert note.startswith("qrels: lists such as [3, 2, 1, 0] are the ids of relevant items, and not grades")
    for items in ([3, 20], [1], ["3", "2"]):
        assert read_qrels({"u": items}).notes == ()
    with pytest.raises(UsageError, match=r"an id stands twice in one; grades are given as \{item: grade\}"):
        read_qrels({"u": [3, 2, 0, 0]})


def test_inputs_stay_as_they_are() -> None:
    frame, columns = pd.DataFrame(QRELS, index=[5, 6, 7]), {"query": "query"}
    before = frame.copy()
    read_qrels(frame, columns)
    pd.testing.assert_frame_equal(frame, before)
    assert columns == {"query": "query"}


def test_lists_of_pairs_are_told_to_be_dicts() -> None:
    with pytest.raises(rm.DataError, match=r"strings; lists of pairs are given as dicts: \{query: "):
        read_run({"q": [("a", 0.9), ("b", 0.8)]})


def test_two_columns_of_one_name() -> None:
    with pytest.raises(ColumnError, match="2 columns that can be the item: 'item', 'item'"):
        read_qrels(pd.DataFrame([[1, 2, 3]], columns=["query", "item", "item"]))


REFUSED_TABLES = [
    (pl.DataFrame({"query": [], "item": []}), DataError, "qrels has no rows"),
    (pl.Series("query", [1]), UsageError, "the Series is not a table"),
    (
        pd.DataFrame({"query": [1, "a", 2], "item": [1, 2, 3]}),
        ColumnError,
        "holds values of several types: 2 of int (the first 1 in row 0), 1 of str (the first 'a' in row 1)",
    ),
    (pl.DataFrame({"query": [object()], "item": [1]}), ColumnError, "column 'query' holds Python objects"),
    (
        pl.DataFrame({"query": [1], "item": pl.Series([1], dtype=pl.Int128)}),
        ColumnError,
        "column 'item' is Int128, which Arrow libraries do not take; cast it to Int64 or String",
    ),
    (
        pl.DataFrame({"query": [1], "items": pl.Series([[1]], dtype=pl.List(pl.Int128))}),
        ColumnError,
        "column 'items' is List(Int128), which Arrow libraries do not take; cast it to Int64 or String",
    ),
    (
        pl.DataFrame({"query": [1], "items": [[1, 2]], "grades": [[1]]}),
        DataError,
        "row 0 (from 0; query 1): 2 in 'items' but 1 in 'grades'; both lists need the same length",
    ),
    (
        pl.DataFrame({"query": [1], "items": [[1, 2]], "grade": [1]}),
        ColumnError,
        "'grade' holds one Int64 a row",
    ),
    (
        pl.DataFrame({"query": ["a", "b"], "items": [[1], [2, None]]}),
        DataError,
        "row 1 (from 0; query 'b'): a null in the list 'items'",
    ),
    (
        pl.DataFrame({"query": [1], "items": [[]]}, schema_overrides={"items": pl.List(pl.Int64)}),
        DataError,
        "every list of items is empty",
    ),
    (pl.DataFrame({"query": [1], "items": [[1.5]]}), ColumnError, "'items' is Float64"),
    (
        pl.DataFrame({"query": [1, 2], "item_1": ["a", None], "item_2": ["b", "c"]}),
        DataError,
        "row 1 (from 0): 'item_1' is empty but 'item_2' is not",
    ),
    (
        pl.DataFrame({"query": [1], "item_1": ["a"], "item_2": [2]}),
        ColumnError,
        "the ranked columns need one type; 'item_1' is String and 'item_2' is integer",
    ),
]


@pytest.mark.parametrize(("table", "kind", "message"), REFUSED_TABLES)
def test_tables(table: Any, kind: Any, message: Any) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        read_qrels(table)


class Text(str):
    """As other libraries have theirs."""


class Row(tuple[Any, ...]):
    """One whose values are looked at one by one, and not copied as those of plain tuples are."""


class Items(list[Any]):
    """The same of a list."""


DICTS: dict[str, dict[Any, dict[Any, Any]]] = {
    "texts": {"q": {"a": 1, "b": 0.5}, "p": {"a": 2}},
    "numbers": {7: {1: 1, 2: 0}, -(2**63): {2**63 - 1: 2.5}},
    "texts and numbers": {"q": {1: 1}, "p": {2: 3}},
    "an empty one of other ids": {1: {}, "q": {"a": 1}},
    "in another order": OrderedDict({"q": OrderedDict(a=1, b=1)}),
    "with a default": {"q": defaultdict(int, a=1)},
    "of NumPy": {np.int64(3): {np.str_("a"): np.float64(1), np.str_("b"): np.float32(0.1)}},
    "of own texts": {Text("q"): {Text("a"): 1}},
    "whole numbers": {"q": {"a": 2**53 + 1, "b": -3, "c": math.inf}},
    "flags": {"q": {"a": True, "b": np.True_}},
    "a flag as an id": {"q": {True: 1}},
    "mixed items": {"q": {"a": 1}, "p": {1: 1}},
    "mixed queries": {"q": {"a": 1}, 1: {"b": 1}},
    "half a character": {"q": {"a": 1, "\ud800": 1}},
    "half a character in a query": {"\ud800": {"a": 1}},
    "an id beyond 64 bits": {"q": {2**63: 1}},
    "a number beyond 64 bits": {"q": {"a": 10**400}},
    "no number": {"q": {"a": 1, "b": "1"}},
    "nothing": {"q": {"a": None}},
}
DICTS["in another order"]["q"].move_to_end("a")  # type: ignore[attr-defined]


LISTS: dict[str, dict[Any, Any]] = {
    "texts": {"q": ["b", "a", "ü"], "p": ["a"], "of none": []},
    "tuples of numbers": {7: (11, -12), 8: [2**63 - 1]},
    "of own texts": {Text("q"): [Text("a"), "b"]},
    "small numbers": {"q": [0, 4], "p": [3]},
    "small numbers twice": {"q": [1, 1]},
    "flags": {"q": [True, False]},
    "mixed items": {"q": ["a", 1]},
    "floats": {"q": [1.5]},
    "nothing": {"q": [None]},
    "half a character": {"q": ["\ud800"]},
    "an id beyond 64 bits": {"q": [-(2**63) - 1]},
    "pairs": {"q": [("a", 1)]},
    "only empty ones": {"q": [], "p": ()},
    "other containers": {"q": ["a"], "p": {"a": 1}},
}


def outcome(read: Any, source: Any) -> Any:
    """The rows that are read and what is noted of them, or the error."""
    try:
        table = read(source)
    except RankmarkError as error:
        return type(error), str(error)
    frame = pl.DataFrame(table.table)
    frame = frame.select(sorted(frame.columns))
    return frame.schema, frame.rows(), table.notes


@pytest.mark.parametrize("read", [read_qrels, read_run])
@pytest.mark.parametrize("held", DICTS)
def test_dicts_of_dicts_and_tuples_are_read_and_refused_as_rows_are_that_are_not_plain(
    held: str, read: Any
) -> None:
    tuples = [(query, *each) for query, items in DICTS[held].items() for each in items.items()]
    as_rows = outcome(read, [Row(each) for each in tuples])
    assert outcome(read, DICTS[held]) == outcome(read, tuples) == as_rows
    assert outcome(read, [list(each) for each in tuples]) == outcome(read, [Items(each) for each in tuples])


@pytest.mark.parametrize("read", [read_qrels, read_run])
@pytest.mark.parametrize("held", LISTS)
def test_dicts_of_lists_are_read_and_refused_as_others_are_that_are_not_plain(held: str, read: Any) -> None:
    other = {q: Items(items) if isinstance(items, list) else items for q, items in LISTS[held].items()}
    assert outcome(read, LISTS[held]) == outcome(read, other | {"of no items": Items()})


@pytest.mark.parametrize("read", [read_qrels, read_run])
@pytest.mark.parametrize("held", [*DICTS, *LISTS])
def test_plain_dicts_are_read_alike_whether_their_columns_are_said_or_found(held: str, read: Any) -> None:
    source = (DICTS | LISTS)[held]
    assert outcome(partial(read, columns={"query": "query"}), source) == outcome(read, source)


def test_pairs_are_relevant_items() -> None:
    pairs = [("q", "a"), ("q", "b"), ("p", "a")]
    assert outcome(read_qrels, pairs) == outcome(read_qrels, [Row(pair) for pair in pairs])
    with pytest.raises(UsageError, match=re.escape("row 1 (from 0): ('q', 'b', 1) is no tuple")):
        read_qrels([("q", "a"), ("q", "b", 1)])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "a", "b", "ä", "日本", 1, -2]),
            st.text(alphabet="ab😀\ud800", max_size=2) | st.integers(-2, 2**65),
            st.floats() | st.integers() | st.booleans() | st.none(),
        ),
        max_size=8,
    )
)
def test_plain_tuples_are_read_and_refused_as_others_are(tuples: list[tuple[Any, ...]]) -> None:
    for read in (read_qrels, read_run):
        assert repr(outcome(read, tuples)) == repr(outcome(read, [Row(each) for each in tuples]))


OBJECTS: dict[str, list[Any]] = {
    "texts": ["b", "a", "ü"],
    "repeated texts": ["b", "b", "b", "b", "b", "a"],
    "own texts": [Text("a"), "b", np.str_("c")],
    "texts and none": ["a", None, "b"],
    "texts and NaN": ["a", math.nan],
    "half a character": ["a", "\ud800"],
    "whole numbers": [2**63 - 1, -(2**63)],
    "whole numbers beyond 64 bits": [1, 2**63],
    "numbers": [0.5, math.inf],
    "numbers of NumPy": [np.float64(0.5), np.int64(2)],
    "numbers and NaN": [0.5, math.nan],
    "numbers of both kinds": [1, 0.5],
    "flags": [True, False],
    "flags and numbers": [True, 1],
    "bytes": [b"a"],
    "texts and numbers": ["a", 1],
    "lists": [["a", "b"], ["c"]],
}


@pytest.mark.parametrize("column", ["query", "item", "score"])
@pytest.mark.parametrize("held", OBJECTS)
def test_objects_of_pandas_are_read_and_refused_as_by_arrow(
    held: str, column: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = OBJECTS[held]
    columns = {"query": [1] * len(values), "item": [*range(len(values))], "score": [0.5] * len(values)}
    frame = pd.DataFrame(columns).astype({column: object})
    frame[column] = pd.Series(values, dtype=object)
    here = outcome(read_run, frame)
    monkeypatch.setattr(pandas_frames, "_columns", pandas_frames._by_arrow)
    assert here == outcome(read_run, frame)


@pytest.mark.parametrize(
    ("column", "values", "wrong"),
    [
        ("item", [1, np.uint64(2**63 + 1)], "holds 9223372036854775809, which does not fit into 64 bits"),
        ("item", [np.datetime64("2020-01-01"), "a"], "several types: 1 of datetime64"),
        ("item", ["a", 1, pd.NA], "several types: 1 of str .*, 1 of int .*; make them one"),
        ("score", [1.5, 10**400], "several types: 1 of float"),
        ("score", [None, np.longdouble(1)], "of type longdouble that no column of a table can have"),
    ],
)
def test_objects_of_pandas_that_no_column_can_have_are_refused_in_words(
    column: str, values: list[Any], wrong: str
) -> None:
    columns = {"query": ["q"] * len(values), "item": [*range(len(values))], "score": [0.5] * len(values)}
    frame = pd.DataFrame(columns).astype({column: object})
    frame[column] = pd.Series(values, dtype=object)
    with pytest.raises(ColumnError, match=wrong):
        read_run(frame)


def test_an_integer_of_pandas_beyond_64_bits_is_refused_with_its_column() -> None:
    frame = pd.DataFrame({"query": [1, 2], "item": [2**63, 1], "score": [1.0, 2.0]}).astype({"item": object})
    message = "run: column 'item' holds 9223372036854775808, which does not fit into 64 bits; make it text"
    with pytest.raises(ColumnError, match=re.escape(message)):
        read_run(frame)


REFUSED_QRELS = [
    ({}, DataError, "qrels has no rows"),
    ([], DataError, "qrels has no rows"),
    ({"q": {}}, DataError, "qrels has no rows"),
    (
        {"q": {"d": 1}, "p": ["d"]},
        DataError,
        "a dict for some queries, a list for others; the first is query 'p'",
    ),
    ({"q": "d"}, UsageError, "query 'q' has 'd'; give {item: value} or a list or set of relevant items"),
    ({"q": 1}, UsageError, "query 'q' has 1"),
    ({"query": ["q"], "item": ["d"]}, UsageError, "a dict of columns"),
    ({"q": {"d": "1"}}, DataError, "row 0 (from 0): the relevance '1' is a str, not a number"),
    ({"q": {"d": None}}, DataError, "the relevance None is a NoneType"),
    (
        {"q": {"d": 1, 2: 1}},
        IdTypeError,
        "row 1 (from 0): the item 2 is a int, but the first one, 'd', is a str",
    ),
    ({1: {"d": 1}, "2": {"d": 1}}, IdTypeError, "row 1 (from 0): the query '2' is a str"),
    ({1.5: {"d": 1}}, IdTypeError, "the query 1.5 is a float; ids are integers or strings"),
    ({True: {"d": 1}}, IdTypeError, "the query True is a bool"),
    ({2**70: {"d": 1}}, DataError, "does not fit into 64 bits"),
    (
        [("q", "d", 1), ("q", "d")],
        UsageError,
        "row 1 (from 0): ('q', 'd') is no tuple (query, item, relevance)",
    ),
    ([("q",)], UsageError, "is no tuple"),
    (["qd"], UsageError, "row 0 (from 0): 'qd' is no tuple"),
    (7, UsageError, "qrels is of type int, none of these: the path of a file"),
    (None, UsageError, "qrels is of type NoneType, none of these"),
    (b"a.csv", UsageError, "qrels is of type bytes, none of these"),
]


@pytest.mark.parametrize(("source", "kind", "message"), REFUSED_QRELS)
def test_containers(source: Any, kind: Any, message: Any) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        read_qrels(source)


REFUSED_RUNS = [
    ({"q": {"d", "e"}}, DataError, "run: query 'q' has a set, which has no order; give a list, best first"),
    ({"q": "d"}, UsageError, "or a list of items, best first"),
    ({"q": {"d": True}}, DataError, "the score True is a bool, not a number"),
    ([("q", "d")], UsageError, "('q', 'd') is no tuple (query, item, score)"),
]


@pytest.mark.parametrize(("source", "kind", "message"), REFUSED_RUNS)
def test_containers_of_results(source: Any, kind: Any, message: Any) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        read_run(source)


def test_lists_without_a_type_are_read_as_empty_ones() -> None:
    """polars gives no type to the elements of lists that are all empty, or hold nothing but nulls."""
    with pytest.raises(DataError, match="every list of items is empty"):
        read_run(pl.DataFrame({"query": ["q"], "items": [[]]}))
    with pytest.raises(DataError, match="a null in the list 'items'"):
        read_run(pl.DataFrame({"query": ["q"], "items": [[None]]}))


HELD_TEXTS = {
    "views": lambda texts: pa.array(texts, pa.string_view()),
    "part of views": lambda texts: pa.array(["left out", *texts], pa.string_view())[1:],
    "views beside long ones": lambda texts: pa.array([*texts, "longer than its view"], pa.string_view())[:-1],
    "large": lambda texts: pa.array(texts, pa.large_string()),
    "coded": lambda texts: pa.array(texts).dictionary_encode(),
}
SHORT_TEXTS = ["", "\0", "a", "a\0", "a\0b", "ab", "é", "twelve bytes", "twelve bytet", "d1", "d10", "z"]


@pytest.mark.parametrize("ties", ["item-desc", "item-asc", "random"])
@pytest.mark.parametrize("held", HELD_TEXTS)
@pytest.mark.parametrize("judged", ["views", "large"])
def test_texts_are_matched_and_ordered_alike_however_they_are_held(held: str, judged: str, ties: str) -> None:
    queries = [query for query in SHORT_TEXTS for _ in SHORT_TEXTS]
    items = SHORT_TEXTS * len(SHORT_TEXTS)

    def values(judged: Any, held: Any) -> Any:
        grades, scores = [row * 7 % 5 for row in range(len(items))], [row % 2 for row in range(len(items))]
        qrels = pa.table({"query": judged(queries), "item": judged(items), "relevance": grades})
        run = pa.table({"query": held(queries), "item": held(items), "score": scores})
        result = rm.evaluate(qrels, run, ["nDCG@5", "CatalogueCoverage@3"], ties=ties, items=SHORT_TEXTS)
        return result.values, result.per_query.rows()

    assert values(HELD_TEXTS[judged], HELD_TEXTS[held]) == values(pa.array, pa.array)


def test_short_texts_that_stand_twice_are_told() -> None:
    twice = pl.DataFrame({"query": ["q", "q", "q"], "item": ["a", "a\0", "a"], "score": [3, 2, 1]})
    with pytest.raises(DataError, match=r"item 'a' of query 'q' in row 2, already in row 0"):
        rm.evaluate({"q": {"a": 1}}, twice, "AP")


def test_what_stands_behind_a_short_text_in_its_view_does_not_count() -> None:
    def views(*texts: str) -> pa.Array:
        held = b"".join(len(text).to_bytes(4, "little") + text.encode().ljust(12, b"?") for text in texts)
        return pa.Array.from_buffers(pa.string_view(), len(texts), [None, pa.py_buffer(held)])

    run = pl.DataFrame(
        {"query": pl.Series(views("q", "q")), "item": pl.Series(views("a", "b")), "score": [2, 1]}
    )
    assert rm.evaluate({"q": {"b": 1}}, run, "RR")["RR"] == 0.5
    qrels = pl.DataFrame({"query": ["q"], "item": ["b"], "relevance": [1]})
    assert rm.evaluate(qrels, run, "RR")["RR"] == 0.5
