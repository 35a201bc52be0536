"""The seam to the core: words that it does not know are refused there too, whoever calls it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from rankmark import _native
from rankmark.errors import ChoiceError
from rankmark.inputs import read_run
from rankmark.language.choices import values_of

DEFAULTS: dict[str, dict[str, Any]] = {
    "judge_lists": {
        "ties": "item-desc",
        "seed": 0,
        "duplicates": "error",
        "unjudged": "nonrelevant",
        "unjudged_queries": "skip",
        "scores": "float64",
    },
    "count_before": {
        "ties": "item-desc",
        "seeds": np.array([0], dtype=np.uint64),
        "limit": None,
        "threads": 1,
    },
    "ranked_lists": {"ties": "item-desc", "unjudged": "nonrelevant", "k": None},
}


def judge_lists(**choices: Any) -> None:
    table = _native.Table.from_arrow(pl.DataFrame({"query": [1], "item": [1], "value": [1.0]}))
    columns = (table, "table", "query", "item", "value", None)
    _native.judge_lists(columns, columns, lambda _: None, SimpleNamespace(**choices))
    _native.CompiledGroup([], SimpleNamespace(**choices)).observe(columns, columns)


def count_before(**choices: Any) -> None:
    judged = np.array([0, 1]), np.array([0])
    _native.count_before(np.array([[0.5, 0.5]]), judged, None, **choices)


def ranked_lists(**choices: Any) -> None:
    one = np.array([1])
    _native.ranked_lists(
        (one, one, one), one, (np.array([0, 1]), np.array([1.0])), np.array([0], dtype=np.uint32), **choices
    )


CALLS: dict[str, Callable[..., None]] = {
    "judge_lists": judge_lists,
    "count_before": count_before,
    "ranked_lists": ranked_lists,
}
WORDS = [
    (call, name)
    for call, defaults in DEFAULTS.items()
    for name, value in defaults.items()
    if isinstance(value, str)
]


@pytest.mark.parametrize(("call", "name"), WORDS)
def test_an_unknown_word_is_refused_and_every_known_one_understood(call: str, name: str) -> None:
    for word in values_of(name):
        CALLS[call](**DEFAULTS[call] | {name: word})
    for word in ("nonsense", "", values_of(name)[0].upper()):
        with pytest.raises(ChoiceError) as refused:
            CALLS[call](**DEFAULTS[call] | {name: word})
        assert str(refused.value) == f"{name}={word!r} is not one of {', '.join(values_of(name))}"
    with pytest.raises(TypeError):
        CALLS[call](**DEFAULTS[call] | {name: None})


def test_a_file_has_one_of_two_sides(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q 0 d 1\n")
    for side in ("Qrels", "", "nonsense"):
        with pytest.raises(ChoiceError, match=f"side='{side}' is not one of qrels, run"):
            _native.read_trec(str(path), side, 1, _native.Progress())
        with pytest.raises(ChoiceError, match=f"side='{side}' is not one of qrels, run"):
            _native.TrecReader(str(path), side, 1 << 16, _native.Progress())


@pytest.mark.parametrize("different", [1, 3, 50, 10**9])
def test_items_of_a_segment_stand_to_its_others_alone(different: int) -> None:
    lengths = [0, 1, 2, 30, 0, 1_025, 4_097]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    x, y = np.random.default_rng(different).integers(-different, different, (2, offsets[-1]))
    segments = [(x[start:end], y[start:end]) for start, end in pairwise(offsets)]
    below, equal = _native.segment_below_and_equal(x, offsets)
    assert below.tolist() == [np.sum(x < value) for x, _ in segments for value in x]
    assert equal.tolist() == [np.sum(x == value) for x, _ in segments for value in x]
    below, same = _native.segment_below_and_equal_in_turn(x, y, offsets)
    in_turn = [x * 4 * different + y for x, y in segments]
    assert below.tolist() == [np.sum(keys < key) for keys in in_turn for key in keys]
    assert same.tolist() == [np.sum(keys == key) for keys in in_turn for key in keys]
    in_both = [[int(np.sum((x < a) & (y < b))) for a, b in zip(x, y, strict=True)] for x, y in segments]
    assert _native.segment_below_in_both(x, y, offsets).tolist() == [
        count for own in in_both for count in own
    ]
    concordant, tied_x, *_ = _native.segment_pair_counts(x, y, offsets)
    assert concordant.tolist() == [sum(own) for own in in_both]
    assert tied_x.tolist() == [sum((np.sum(x == value) - 1) / 2 for value in x) for x, _ in segments]


def observed() -> tuple[_native.ObservedQueries, list[_native.QueryValues], _native.Table]:
    """Three queries, of which one has ties and one no results, and a measure of them."""
    ids = ["p", "q", "r"]
    judged = pl.DataFrame({"query": ids, "item": ["a", "a", "a"], "value": [1, 1, 1]})
    found = pl.DataFrame({"query": ["p", "p", "q"], "item": ["a", "b", "a"], "value": [1.0, 1.0, 2.0]})
    tables = [_native.Table.from_arrow(each) for each in (judged, found)]
    qrels, run = ((table, "table", "query", "item", "value", None) for table in tables)
    hits = _native.CompiledMeasure.hits("count", 1.0, None, 1.0)
    choices = SimpleNamespace(**DEFAULTS["judge_lists"])
    unjudged, queries, values = _native.CompiledGroup([hits], choices).observe(qrels, run)
    assert unjudged == 0
    return queries, values, tables[0]


def told(queries: _native.ObservedQueries, judgements: _native.Table) -> tuple[Any, ...]:
    """What the core says of queries without an array."""
    ids = queries.ids(judgements, "query")
    counts = [queries.tied(last, cut) for last in (0, 1, 2) for cut in (False, True)]
    known = len(queries), queries.missing, queries.ties, queries.hits, queries.order, counts
    return *known, ids.column_values("query"), queries.unanswered(ids, 1)


def test_what_was_observed_is_the_same_once_it_is_arrays() -> None:
    queries, (values,), judgements = observed()
    before = told(queries, judgements)
    assert before == (3, 1, True, 2, before[4], [0, 0, 1, 1, 1, 0], ["p", "q", "r"], ["r"])
    assert queries.answered.tolist() == [True, True, False]
    assert queries.retrieved.tolist() == [2, 1, 0]
    assert queries.first_rows.tolist() == [0, 1, 2]
    assert queries.tied_rank.tolist() == [1, 0, 0]
    assert queries.answered is queries.answered
    assert values.array is values.array
    assert told(queries, judgements) == before
    arrays = queries.first_rows, queries.answered, queries.retrieved, queries.tied_rank
    again = _native.ObservedQueries(*arrays, queries.hits, queries.order)
    assert told(again, judgements) == before


@pytest.mark.parametrize("look_first", [False, True])
def test_values_settle_in_one_place(look_first: bool) -> None:
    _, (values,), _ = observed()
    first = values.array if look_first else None
    kept = values.copy()
    counted = np.array([True, False, True])
    assert _native.settle([(values, counted, 0.5)]) == [(1.0, 2, 0)]
    assert np.array_equal(values.array, [1.0, np.nan, 0.0], equal_nan=True)
    assert first is None or first is values.array
    assert kept.array.tolist() == [1.0, 1.0, 0.0]
    given = np.array([np.nan, 2.0])
    assert _native.settle([(_native.QueryValues(given), None, 0.5)]) == [(2.5, 2, 1)]
    assert given.tolist() == [0.5, 2.0]


@pytest.mark.parametrize("filler", [0.0, 1.0, np.nan])
def test_means_are_settled_like_values_that_all_count(filler: float) -> None:
    random = np.random.default_rng(7)
    drawn = [random.random(count) for count in (0, 1, 3, 1_000)]
    drawn = [*drawn, *(np.where(each < 0.3, np.nan, each) for each in drawn), np.full(3, np.nan)]
    measures, others = ([_native.QueryValues(each.copy()) for each in drawn] for _ in range(2))
    means, counts = _native.settle_means(measures, filler)
    settled = _native.settle([(each, None, filler) for each in others])
    assert counts == [(count, undefined) for _, count, undefined in settled]
    expected = [total / count if count else np.nan for total, count, _ in settled]
    assert np.array(means).tobytes() == np.array(expected).tobytes()
    for one, other in zip(measures, others, strict=True):
        assert one.array.tobytes() == other.array.tobytes()


def test_values_that_nobody_may_write_to_are_not_settled() -> None:
    given = np.zeros(2)
    given.setflags(write=False)
    with pytest.raises(TypeError, match="write"):
        _native.settle([(_native.QueryValues(given), None, 0.5)])
    with pytest.raises(TypeError, match="write"):
        _native.settle_means([_native.QueryValues(given)], 0.5)


def _ids(kind: str, rows: int) -> pl.DataFrame:
    """Rows with ids of some type, in several pieces."""
    rng = np.random.default_rng(rows)
    frame = pl.DataFrame({"query": rng.integers(0, 9, rows), "value": rng.random(rows)})
    text = pl.format("q{}", "query")
    ids = {
        "Int64": pl.col("query") - 4,
        "Int8": pl.col("query").cast(pl.Int8),
        "UInt64": pl.col("query").cast(pl.UInt64) + (2**64 - 9),
        "String": text,
        "Categorical": text.cast(pl.Categorical),
    }[kind]
    frame = frame.with_columns(ids.alias("query"))
    return pl.concat([frame[: rows // 3], frame[rows // 3 :]], rechunk=False)


@pytest.mark.parametrize("kind", ["Int64", "Int8", "UInt64", "String", "Categorical"])
@pytest.mark.parametrize("rows", [0, 1, 100, 150_000])
def test_the_rows_of_an_id_are_those_that_have_it(kind: str, rows: int) -> None:
    frame = _ids(kind, rows)
    table = _native.Table.from_polars(frame)
    ids = frame["query"].cast(pl.String) if kind == "Categorical" else frame["query"]
    for each in [*ids.unique().to_list(), 77, -(2**63), 2**64 - 1, 2**80, "q77", None]:
        found = table.rows_of("query", each)
        own = isinstance(each, str) == (ids.dtype == pl.String)
        expected = np.flatnonzero([own and one == each for one in ids.to_list()])
        assert found.tolist() == expected.tolist()
        assert pl.DataFrame(table.at(found)).equals(frame[expected])


@pytest.mark.parametrize("kind", ["Int64", "Int8", "UInt64", "String", "Categorical"])
@pytest.mark.parametrize("rows", [0, 1, 20, 30_000])
def test_first_rows_are_those_of_ids_that_did_not_stand_before(kind: str, rows: int) -> None:
    frame = _ids(kind, rows)
    ids = frame["query"].cast(pl.String) if kind == "Categorical" else frame["query"]
    found = _native.Table.from_polars(frame).first_rows("query")
    assert found.tolist() == np.flatnonzero(ids.is_first_distinct()).tolist()


def test_rows_of_texts_that_stand_for_runs(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    rows = [f"q{query} Q0 d{item} 1 {item}.5 t\n" for query in (1, 2, 1) for item in range(50)]
    path.write_text("".join(rows))
    table = read_run(path).table
    found = table.rows_of("query", "q1")
    assert found.tolist() == [*range(50), *range(100, 150)]
    assert pl.DataFrame(table.at(found)).equals(pl.DataFrame(table)[found.tolist()])
