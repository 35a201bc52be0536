"""The core against its slow twin: the same values, or the same error, on data meant to hurt."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import rankmark as rm
import reference
from rankmark.errors import DataError, IdTypeError, MeasureError, RankmarkError
from rankmark.language.choices import Choices, values_of
from rankmark.language.registry import pages
from reference import Id, Row
from strategies import MEASURES, at_most

# A few ids for many rows, so that queries have lists and lists have duplicates.
INTEGERS = [-(2**63), -(2**53) - 1, -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1]
UNSIGNED = [0, 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1]
STRINGS = [
    "",
    "a",
    "A",
    "a\0",
    "9",
    "10",
    "é",
    "e\u0301",
    "\uffff",
    "😀",
    "twelve bytes",
    "twelve bytes+",
    "twelve byteß",
]
ID_POOLS = [INTEGERS, UNSIGNED, STRINGS]

GRADES = [-2.0, -0.5, 0.0, 0.3, 1.0, 1.5, 2.0, 3.0, 4.0]
# Equal in float64 or only in float32, of any size, with both zeros.
SCORES = [0.0, -0.0, 0.1, 1.0, 1.00000001, -3.0, 5e-324, 1e300, float("inf"), float("-inf")]


def rows(queries: Sequence[Id], items: Sequence[Id], numbers: Sequence[float], **size: int) -> Any:
    row = st.tuples(st.sampled_from(queries), st.sampled_from(items), st.sampled_from(numbers))
    return st.lists(row, min_size=1, **size)


@st.composite
def qrels_and_run(draw: Any, *, distinct: bool, max_size: int = 24) -> tuple[list[Row], list[Row]]:
    """Rows in any order; `distinct` keeps the first of those with the same query and item."""
    queries, items = draw(st.sampled_from(ID_POOLS))[:4], draw(st.sampled_from(ID_POOLS))
    both = (
        draw(rows(queries, items, GRADES, max_size=max_size)),
        draw(rows(queries, items, SCORES, max_size=max_size)),
    )
    qrels, run = (list({row[:2]: row for row in reversed(t)}.values()) if distinct else t for t in both)
    return (sorted(qrels), sorted(run)) if draw(st.booleans()) else (qrels, run)


def some(name: str) -> st.SearchStrategy[str]:
    """Mostly the default of a choice, so that not everything is refused."""
    return st.sampled_from([values_of(name)[0], *values_of(name)])


other_choices = st.fixed_dictionaries(
    {name: some(name) for name in ("missing", "unjudged_queries", "no_relevant", "unjudged", "scores")}
)


def id_type(column: Sequence[Id]) -> pa.DataType:
    if isinstance(column[0], str):
        return pa.string()
    return pa.int64() if min(column) < 0 else pa.uint64()


def as_table(rows: list[Row], value: str) -> pa.Table:
    queries, items, numbers = (list(column) for column in zip(*rows, strict=True))
    return pa.table(
        {
            "query": pa.array(queries, id_type(queries)),
            "item": pa.array(items, id_type(items)),
            value: pa.array(numbers, pa.float64()),
        }
    )


def twin_values(
    qrels: list[Row], run: list[Row], measures: list[rm.Measure], choices: dict[str, str]
) -> dict[str, dict[Id, float | None]]:
    chosen = Choices(**choices)
    values = {}
    for measure in measures:
        cutoff = {} if measure.cutoff is None else {"cutoff": measure.cutoff}
        values[str(measure)] = reference.per_query(
            qrels, run, measure.name, chosen, **cutoff, **measure.arguments
        )
    return values


def assert_same(
    qrels: list[Row],
    run: list[Row],
    *,
    tables: tuple[Any, Any] | None = None,
    measures: Sequence[str] = MEASURES,
    threads: int | None = None,
    **choices: str,
) -> None:
    """The core gives the twin's values within 1e-12, in the twin's order, or refuses as the twin does."""
    tables = tables or (as_table(qrels, "relevance"), as_table(run, "score"))
    parsed = [rm.parse(text) for text in measures]
    try:
        expected = twin_values(qrels, run, parsed, choices)
    except RankmarkError as error:
        refusal = type(error)
    else:
        refusal = None
    if refusal is not None:
        with pytest.raises(refusal) as caught:
            rm.evaluate(*tables, parsed, threads=threads, **choices)
        assert caught.type is refusal
        return
    per_query = rm.evaluate(*tables, parsed, threads=threads, **choices).per_query
    for name, values in expected.items():
        assert per_query["query"].to_list() == list(values)
        numbers = [math.nan if value is None else value for value in values.values()]
        assert per_query[name].null_count() == sum(map(math.isnan, numbers)), name
        filled = per_query[name].fill_null(math.nan).to_list()
        assert filled == pytest.approx(numbers, rel=1e-12, abs=1e-12, nan_ok=True), name


# --- Every rule ----------------------------------------------------------------------------------------

ONE_ORDER = [ties for ties in values_of("ties") if ties not in ("expected", "random")]


@pytest.mark.parametrize("ties", ONE_ORDER)
@given(data=qrels_and_run(distinct=True), choices=other_choices)
def test_every_tie_rule(ties: Any, data: Any, choices: Any) -> None:
    assert_same(*data, ties=ties, **choices)


@pytest.mark.slow
@pytest.mark.parametrize("ties", ONE_ORDER)
@pytest.mark.parametrize("duplicates", values_of("duplicates"))
@settings(max_examples=at_most(30))
@given(data=qrels_and_run(distinct=False), choices=other_choices)
def test_every_duplicates_rule(ties: Any, duplicates: Any, data: Any, choices: Any) -> None:
    assert_same(*data, ties=ties, duplicates=duplicates, **choices)


@given(data=qrels_and_run(distinct=True, max_size=1), choices=other_choices)
def test_lists_of_one_row(data: Any, choices: Any) -> None:
    assert_same(*data, **choices)


@given(data=qrels_and_run(distinct=True), order=st.randoms(use_true_random=False))
def test_rows_in_any_order(data: Any, order: Any) -> None:
    qrels, run = data
    order.shuffle(qrels)
    order.shuffle(run)
    assert_same(qrels, run)


@given(data=qrels_and_run(distinct=True), duplicates=st.sampled_from(values_of("duplicates")))
def test_ranks_in_place_of_scores(data: Any, duplicates: Any) -> None:
    """A smaller rank is better; equal ranks are ties."""
    qrels, run = data
    ranks = {score: rank for rank, score in enumerate(sorted({*SCORES}, reverse=True), start=1)}
    ranked = [(query, item, ranks[score]) for query, item, score in run]
    table = as_table(ranked, "rank").set_column(2, "rank", pa.array([r for *_, r in ranked], pa.int64()))
    twin_run = [(query, item, -rank) for query, item, rank in ranked]
    assert_same(qrels, twin_run, tables=(as_table(qrels, "relevance"), table), duplicates=duplicates)


FEW_SCORES = [0.0, 1.0, 1.00000001]


@st.composite
def short_tied_lists(draw: Any) -> tuple[list[Row], list[Row]]:
    qrels = draw(rows(["q", "r"], STRINGS[:8], GRADES, max_size=12))
    run = draw(rows(["q", "r"], STRINGS[:8], FEW_SCORES, max_size=8))
    return tuple(list({row[:2]: row for row in table}.values()) for table in (qrels, run))


# --- All queries together ------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["zero", "skip"])
@given(data=qrels_and_run(distinct=True), no_relevant=st.sampled_from(["zero", "skip", "one"]))
def test_values_and_counts_of_all_queries(missing: Any, data: Any, no_relevant: Any) -> None:
    qrels, run = data
    choices = {"missing": missing, "no_relevant": no_relevant}
    measures = [rm.parse(text) for text in MEASURES]
    judged, answered = ({query for query, *_ in table} for table in data)
    assume(judged & answered)
    result = rm.evaluate(as_table(qrels, "relevance"), as_table(run, "score"), measures, **choices)
    undecided = twin_values(qrels, run, measures, {**choices, "no_relevant": "skip"})
    for name, values in twin_values(qrels, run, measures, choices).items():
        averaged = [value for value in values.values() if value is not None]
        expected = overall(rm.parse(name), qrels, values)
        assert result[name] == pytest.approx(expected, nan_ok=True), name
        evaluated = len(judged & answered if missing == "skip" else judged)
        of_measure = result.counts.measures[name]
        assert of_measure.averaged == len(averaged)
        assert of_measure.no_relevant == evaluated - sum(v is not None for v in undecided[name].values())
    counts = result.counts
    assert (counts.judged, counts.answered) == (len(judged), len(judged & answered))
    assert (counts.missing, counts.unjudged) == (len(judged - answered), len(answered - judged))


def overall(measure: rm.Measure, qrels: list[Row], values: dict[Id, float | None]) -> float:
    """Counts are added up, ratios have sums above and below, and all else is a mean."""
    averaged = {query: value for query, value in values.items() if value is not None}
    if measure.page.aggregate == "sum":
        return sum(averaged.values())
    if measure.mean == "geometric" and averaged:
        return math.prod(max(value, 1e-5) for value in averaged.values()) ** (1 / len(averaged))
    weights = dict.fromkeys(averaged, 1.0)
    if measure.page.aggregate == "ratio":
        weigh, judgements = reference.WEIGHTS[measure.name], reference.by_query(qrels)
        for query in averaged:
            seen = reference.Seen([], [grade for _, grade in judgements[query]])
            weights[query] = weigh(seen, **measure.arguments)
    whole = math.fsum(weights.values())
    return math.fsum(weights[q] * value for q, value in averaged.items()) / whole if whole else math.nan


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@2", "AP", "RR@1", "P@3"])
@example(data=([("q", "a", 0.0)], [("q", "a", 1.0), ("q", "b", 1.0)]))
@given(data=short_tied_lists())
def test_ties_that_can_change_a_value_are_counted(measure: Any, data: Any) -> None:
    """None is overlooked; some that happen to make no difference to a measure may be counted too.

    An unjudged item counts as grade 0 here, so this does not hold of measures that tell the two apart.
    """
    judgements, results = (reference.by_query(table) for table in data)
    assume(judgements.keys() & results.keys())
    asked = rm.parse(measure)
    parameters = {**asked.arguments, "cutoff": asked.cutoff}
    decided = 0
    for query, grades in judgements.items():
        values = reference.value_of_each_order(
            dict(grades), dict(results.get(query, [])), asked.name, Choices(ties="expected"), **parameters
        )
        decided += max(values) - min(values) > 1e-12
    tables = as_table(data[0], "relevance"), as_table(data[1], "score")
    assert decided <= rm.evaluate(*tables, [measure]).counts.measures[measure].tied <= len(judgements)


# --- Expected ties: the mean over all orders -------------------------------------------------------------

WITHOUT_CLOSED_FORM = [
    m
    for m in MEASURES
    if not rm.parse(m).page.expected or "denominator=hits" in m or re.match(r"ListAUC\(items=retrieved.*@", m)
]


@pytest.mark.slow
@pytest.mark.parametrize("measure", [m for m in MEASURES if m not in WITHOUT_CLOSED_FORM])
@settings(max_examples=at_most(15))
@given(data=short_tied_lists(), choices=other_choices)
def test_expected_ties_are_the_mean_over_all_orders(measure: Any, data: Any, choices: Any) -> None:
    assert_same(*data, measures=[measure], ties="expected", **choices)


@pytest.mark.parametrize("measure", WITHOUT_CLOSED_FORM)
def test_expected_ties_are_refused_where_there_is_no_closed_form(measure: Any) -> None:
    with pytest.raises(MeasureError, match="no closed form"):
        rm.evaluate(*TEXT_ROWS, [measure], ties="expected")


# --- Every layout of the columns -------------------------------------------------------------------------

SMALL_STRINGS = ["", "a", "10", "é", "😀", "twelve bytes", "twelve bytes+", "twelve byteß"]
TEXT_TYPES = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint16(), pa.string()),
    pa.dictionary(pa.int32(), pa.large_string()),
    pa.dictionary(pa.uint32(), pa.string_view()),
    pa.dictionary(pa.int64(), pa.string(), ordered=True),
]
INTEGER_TYPES = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
    pa.dictionary(pa.int8(), pa.int64()), pa.dictionary(pa.uint32(), pa.int16()),
]  # fmt: skip
NUMBER_TYPES = [
    pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
    pa.float16(), pa.float32(), pa.float64(),
]  # fmt: skip


@st.composite
def arrow_column(draw: Any, values: list[Any], arrow_type: pa.DataType) -> pa.ChunkedArray:
    """The values in chunks, some of them empty, each a slice out of an array that had nulls before it."""
    cuts = sorted(draw(st.lists(st.integers(0, len(values)), max_size=3)))
    edges = [0, *cuts, len(values)]
    parts = [values[start:stop] for start, stop in itertools.pairwise(edges)]
    before = draw(st.integers(0, 9))
    return pa.chunked_array(
        [array(before * [None] + part, arrow_type)[before:] for part in parts], arrow_type
    )


def array(values: list[Any], arrow_type: pa.DataType) -> pa.Array:
    if not pa.types.is_dictionary(arrow_type):
        return pa.array(values, arrow_type)
    words = sorted({value for value in values if value is not None}, reverse=True)
    codes = [None if value is None else words.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(
        pa.array(codes, arrow_type.index_type),
        pa.array(words, arrow_type.value_type),
        ordered=arrow_type.ordered,
    )


@st.composite
def arrow_table(
    draw: Any, rows: list[Row], ids: list[pa.DataType], value: str, numbers: list[pa.DataType]
) -> pa.Table:
    columns = [list(column) for column in zip(*rows, strict=True)]
    types = [draw(st.sampled_from(choice)) for choice in (ids, ids, numbers)]
    return pa.table(
        {
            name: draw(arrow_column(column, arrow_type))
            for name, column, arrow_type in zip(("query", "item", value), columns, types, strict=True)
        }
    )


@pytest.mark.parametrize(
    ("pool", "types"),
    [(SMALL_STRINGS, TEXT_TYPES), (list(range(6)), INTEGER_TYPES)],
    ids=["text", "integers"],
)
@settings(max_examples=150 if at_most(60) == 60 else 6)
@given(data=st.data())
def test_every_arrow_layout(pool: Any, types: Any, data: st.DataObject) -> None:
    """Judgements and run each in a layout of their own, numbers in every type that holds 0 to 3."""
    numbers = [0, 1, 2, 3]
    qrels, run = (
        {row[:2]: row for row in data.draw(rows(pool[:3], pool, numbers, max_size=20))}.values() for _ in "12"
    )
    qrels, run = list(qrels), list(run)
    tables = (
        data.draw(arrow_table(qrels, types, "relevance", NUMBER_TYPES)),
        data.draw(arrow_table(run, types, "score", NUMBER_TYPES)),
    )
    assert_same(qrels, run, tables=tables, measures=MEASURES[::4])


@pytest.mark.parametrize("column", [0, 1], ids=["query", "item"])
def test_unsigned_ids_beyond_int64_are_not_taken_for_negative_ones(column: Any) -> None:
    """The same 64 bits mean -1 in one table and 2**64 - 1 in the other."""
    row = [5, 5, 1.0]
    signed, unsigned = (
        [tuple(number if place == column else value for place, value in enumerate(row))]
        for number in (-1, 2**64 - 1)
    )
    for qrels, run in ((signed, unsigned), (unsigned, signed)):
        with pytest.raises(IdTypeError, match=r"2\*\*63"):
            rm.evaluate(as_table(qrels, "relevance"), as_table(run, "score"), ["AP"])


TEXT_ROWS = (
    [("q1", "b", 2), ("q1", "a", 1), ("q2", "a", 0), ("q3", "", 3), ("q1", "d", 1)],
    [("q2", "a", 3), ("q1", "a", 2), ("q1", "c", 2), ("q1", "b", 1), ("q9", "a", 1), ("q2", "b", 3)],
)
NUMBER_ROWS = (
    [(10, 2, 2), (10, 11, 1), (2, 11, 0), (3, 0, 3), (10, 4, 1)],
    [(2, 11, 3), (10, 11, 2), (10, 3, 2), (10, 2, 1), (9, 11, 1), (2, 2, 3)],
)


def dicts(rows: list[Row]) -> dict[Id, dict[Id, float]]:
    return {query: dict(items) for query, items in reference.by_query(rows).items()}


def polars(rows: list[Row], value: str, ids: Any = None) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["query", "item", value], orient="row")
    return frame if ids is None else frame.with_columns(pl.col("query", "item").cast(ids))


def pandas(rows: list[Row], value: str, ids: Any = None) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["query", "item", value])
    return frame if ids is None else frame.astype({"query": ids, "item": ids})


def duck(rows: list[Row], value: str) -> Any:
    arrow = as_table(rows, value)  # noqa: F841  # DuckDB finds it by its name
    return pytest.importorskip("duckdb").sql("from arrow")


FORMS = {
    "tuples": lambda rows, _: rows,
    "generator": lambda rows, _: (row for row in rows),
    "dicts": lambda rows, _: dicts(rows),
    "pyarrow": as_table,
    "record batch": lambda rows, value: as_table(rows, value).combine_chunks().to_batches()[0],
    "polars": polars,
    "pandas": pandas,
    "pandas object": lambda rows, value: pandas(rows, value, object),
    "duckdb": duck,
    "pandas category": lambda rows, value: pandas(rows, value, "category"),
}
TEXT_FORMS = {
    "polars Categorical": lambda rows, value: polars(rows, value, pl.Categorical),
    "polars Enum": lambda rows, value: polars(
        rows, value, pl.Enum(["", "a", "b", "c", "d", "q1", "q2", "q3", "q9"])
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", [*FORMS, *TEXT_FORMS])
def test_every_form_of_a_table_with_text_ids(form: Any) -> None:
    qrels, run = TEXT_ROWS
    build = {**FORMS, **TEXT_FORMS}[form]
    assert_same(qrels, run, tables=(build(qrels, "relevance"), build(run, "score")))
    assert_same(qrels, run, tables=(as_table(qrels, "relevance"), build(run, "score")))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_with_integer_ids(form: Any) -> None:
    qrels, run = NUMBER_ROWS
    tables = FORMS[form](qrels, "relevance"), FORMS[form](run, "score")
    assert_same(qrels, run, tables=tables)


def test_integer_ids_break_ties_as_numbers_and_text_as_bytes() -> None:
    """Of 9 and 10, the number 10 is larger; of "9" and "10", the text "9"."""
    for good, better in ((9, 10), ("10", "9")):
        qrels = [(1, good, 0.0), (1, better, 1.0)]
        run = [(1, good, 5.0), (1, better, 5.0)]
        assert rm.evaluate(qrels, run, ["RR"])["RR"] == 1
        assert rm.evaluate(qrels, run, ["RR"], ties="item-asc")["RR"] == 0.5


# --- More rows than fit in one block ---------------------------------------------------------------------

Arrange = Callable[[list[Row], random.Random], list[Row]]

ARRANGEMENTS: dict[str, Arrange] = {
    "grouped": lambda rows, _: rows,
    "shuffled": lambda rows, draw: draw.sample(rows, len(rows)),
    "in two parts": lambda rows, _: rows[::2] + rows[1::2],
    "round robin": lambda rows, _: sorted(rows, key=lambda row: str(row[1])[-3:]),
}


def many_rows(
    seed: int, *, queries: int, longest: int, text: bool = False, arrange: Arrange = ARRANGEMENTS["grouped"]
) -> tuple[list[Row], list[Row]]:
    """About half of `queries` times `longest` rows, scores with many ties, and queries in one table only."""
    draw = random.Random(seed)
    name = (lambda prefix, number: f"{prefix}{number}") if text else (lambda _, number: number)
    qrels: list[Row] = []
    run: list[Row] = []
    for number in range(queries):
        query = name("query-", number)
        items = [name("item-", item) for item in draw.sample(range(10**6), longest)]
        if draw.random() < 0.9:
            judged = items[: draw.randint(1, max(1, longest // 4))]
            qrels += [(query, item, draw.choice(GRADES)) for item in judged]
        if draw.random() < 0.9:
            found = draw.sample(items, draw.randint(1, longest))
            run += [(query, item, float(int(draw.random() * longest))) for item in found]
    return arrange(qrels, draw), arrange(run, draw)


def in_chunks(table: pa.Table) -> pa.Table:
    """Every column in chunks of its own size."""
    sizes = (7_001, 30_011, 65_536)
    chunked = [
        pa.chunked_array(
            [chunk for start in range(0, len(column), size) for chunk in column[start:][:size].chunks]
        )
        for column, size in zip(table.columns, sizes, strict=True)
    ]
    return pa.table(chunked, table.column_names)


@pytest.mark.slow
@pytest.mark.parametrize("text", [True, False], ids=["text", "integers"])
@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_many_short_lists_in_any_arrangement(text: Any, arrangement: Any) -> None:
    qrels, run = many_rows(7, queries=15_000, longest=20, text=text, arrange=ARRANGEMENTS[arrangement])
    assert len(run) > 2 * 65_536
    tables = in_chunks(as_table(qrels, "relevance")), in_chunks(as_table(run, "score"))
    assert_same(qrels, run, tables=tables, measures=["DCG(gain=exp2)@5"], ties="input")


@pytest.mark.slow
@pytest.mark.parametrize("text", [True, False], ids=["text", "integers"])
@pytest.mark.parametrize("ties", ONE_ORDER)
def test_a_few_long_lists(text: Any, ties: Any) -> None:
    qrels, run = many_rows(3, queries=4, longest=9000, text=text, arrange=ARRANGEMENTS["shuffled"])
    assert_same(qrels, run, measures=["nDCG", "AP@100", "RR", "Judged@50"], ties=ties)


@pytest.mark.slow
def test_one_row_a_query() -> None:
    qrels, run = many_rows(2, queries=80_000, longest=1, arrange=ARRANGEMENTS["shuffled"])
    assert_same(qrels, run, measures=["DCG"])


@pytest.mark.slow
@pytest.mark.parametrize("arrangement", ["grouped", "shuffled"])
def test_threads_change_no_bit(arrangement: Any) -> None:
    rows = many_rows(11, queries=15_000, longest=20, arrange=ARRANGEMENTS[arrangement])
    tables = as_table(rows[0], "relevance"), as_table(rows[1], "score")
    for ties in ("item-desc", "random"):
        one = rm.evaluate(*tables, MEASURES, ties=ties, threads=1)
        for threads in (2, 3, None):
            other = rm.evaluate(*tables, MEASURES, ties=ties, threads=threads)
            assert repr(other.values) == repr(one.values)
            assert other.per_query.equals(one.per_query, null_equal=True)


@pytest.mark.slow
def test_the_order_of_rows_changes_no_bit() -> None:
    qrels, run = many_rows(5, queries=15_000, longest=20, text=True)
    shuffled = random.Random(1).sample(run, len(run))
    before, after = (
        rm.evaluate(as_table(qrels, "relevance"), as_table(table, "score"), MEASURES)
        for table in (run, shuffled)
    )
    assert repr(after.values) == repr(before.values)
    assert after.per_query.equals(before.per_query, null_equal=True)


# --- Refusals --------------------------------------------------------------------------------------------

GOOD: list[Row] = [("q", "a", 1.0), ("q", "b", 0.0)]


@pytest.mark.parametrize(
    ("qrels", "run", "choices"),
    [
        ([*GOOD, ("q", "a", 2.0)], GOOD, {}),
        (GOOD, [*GOOD, ("q", "a", 2.0)], {}),
        (GOOD, [*GOOD, ("q", "unjudged", 2.0), ("q", "unjudged", 2.0)], {}),
        ([*GOOD, ("q2", "a", 2.0)], GOOD, {"missing": "error"}),
        (GOOD, [*GOOD, ("q2", "a", 2.0)], {"unjudged_queries": "error"}),
        ([*GOOD, ("q2", "a", 0.0)], GOOD, {"no_relevant": "error"}),
        (GOOD, [("q", "a", float("nan"))], {}),
        ([("q", "a", float("nan"))], GOOD, {}),
        (GOOD, [], {}),
        ([], GOOD, {}),
        (GOOD, [("other", "a", 1.0)], {}),
    ],
    ids=[
        "judged twice", "retrieved twice", "unjudged item retrieved twice", "missing query",
        "unjudged query", "nothing relevant", "NaN score", "NaN grade", "empty run", "empty qrels",
        "no query in common",
    ],
)  # fmt: skip
def test_the_core_refuses_what_the_twin_refuses(qrels: Any, run: Any, choices: Any) -> None:
    with pytest.raises(DataError):
        twin_values(qrels, run, [rm.parse("AP")], choices)
    with pytest.raises(DataError):
        rm.evaluate(qrels, run, ["AP"], **choices)


@pytest.mark.parametrize("column", [0, 1], ids=["query", "item"])
def test_integer_ids_against_strings_are_refused(column: Any) -> None:
    qrels = [("1", "1", 1.0)]
    run = [tuple(1 if place == column else value for place, value in enumerate(qrels[0]))]
    for tables in ((qrels, run), (run, qrels)):
        with pytest.raises(IdTypeError):
            twin_values(*tables, [rm.parse("AP")], {})
        with pytest.raises(IdTypeError):
            rm.evaluate(*tables, ["AP"])


@pytest.mark.parametrize("name", ["query", "item", "score"])
def test_a_null_names_its_column(name: str) -> None:
    table = as_table(GOOD, "score")
    place = table.column_names.index(name)
    holed = table.set_column(place, name, pa.array([None, table[name][1].as_py()], table[name].type))
    with pytest.raises(DataError, match=name):
        rm.evaluate(as_table(GOOD, "relevance"), holed, ["AP"])


@pytest.mark.parametrize("grade", [math.inf, -math.inf])
def test_a_grade_that_is_not_finite_is_refused(grade: Any) -> None:
    """An infinite score only comes first; an infinite grade has no share of anything."""
    with pytest.raises(DataError, match="relevance"):
        rm.evaluate([*GOOD, ("q", "c", grade)], GOOD, ["nDCG"])


def test_a_gain_too_large_for_a_number_is_refused() -> None:
    with pytest.raises(DataError):
        rm.evaluate([("q", "a", 2000.0), ("q", "b", 1.0)], GOOD, ["nDCG(gain=exp2)"])


def test_a_grade_above_the_highest_of_err_is_refused() -> None:
    qrels = [("q", "a", 5.0)]
    with pytest.raises(DataError):
        twin_values(qrels, GOOD, [rm.ERR], {})
    with pytest.raises(DataError, match=r"max_grade=5"):
        rm.evaluate(qrels, GOOD, ["ERR"])
    assert_same(qrels, GOOD, measures=["ERR(max_grade=5)"])


def test_a_gain_that_the_mapping_lacks_is_refused() -> None:
    measure = rm.DCG(gain={1: 1})
    assert_same(GOOD, GOOD, measures=[str(measure)])
    rows = [*GOOD, ("q", "c", 2.0)]
    with pytest.raises(DataError):
        twin_values(rows, rows, [measure], {})
    with pytest.raises(DataError, match="2"):
        rm.evaluate(rows, rows, [measure])


def test_every_page_of_lists_has_a_twin_and_is_drawn() -> None:
    """Add the missing one to reference.MEASURES, and ways to write it to strategies.MEASURES."""
    names = {name for name, page in pages().items() if page.kind == "list" and page.origin is None}
    assert names == reference.MEASURES.keys()
    assert names == {rm.parse(written).name for written in MEASURES}
    ratios = {name for name in names if pages()[name].aggregate == "ratio"}
    assert ratios == reference.WEIGHTS.keys()
