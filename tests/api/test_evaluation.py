"""What the front door takes, refuses and notices."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.8}, "q2": {"x": 0.3, "c": 0.2}}


@pytest.mark.parametrize(
    "measures", ["nDCG@10, AP(rel=2)", ("nDCG@10", rm.AP(rel=2)), [rm.nDCG @ 10, "AP(rel=2)"]]
)
def test_measures_can_be_said_in_several_ways(measures: Any) -> None:
    assert list(rm.evaluate(QRELS, RUN, measures).values) == ["nDCG@10", "AP(rel=2)"]


@pytest.mark.parametrize("measures", [None, 5, [], [None], [3], ""])
def test_what_are_no_measures_is_refused(measures: Any) -> None:
    with pytest.raises(rm.MeasureError):
        rm.evaluate(QRELS, RUN, measures)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: rm.nDCG("exp2"), r"parameters are set by name: nDCG\(gain=linear"),
        (lambda: rm.nDCG(k=10), "the cutoff is written after the name: nDCG@10"),
        (lambda: rm.nDCG @ 0, "the cutoff is a whole number from 1"),
        (lambda: rm.nDCG @ True, "the cutoff is a whole number from 1"),
        (lambda: rm.nDCG @ None, "the cutoff is a whole number from 1"),
        (lambda: rm.nDCG @ 10**30, "the cutoff is a whole number from 1"),
        (lambda: rm.Rprec @ 5, "Rprec takes no cutoff"),
        (lambda: rm.parse("AP@\N{FULLWIDTH DIGIT ONE}"), "the cutoff is a whole number from 1"),
        (
            lambda: rm.evaluate({}, {}, [len]),
            "of type builtin_function_or_method is neither a measure nor its",
        ),
        (lambda: rm.parse(None), "None is not the name of a measure"),
    ],
)
def test_what_is_no_measure_is_refused(wrong: Any, message: Any) -> None:
    with pytest.raises(rm.MeasureError, match=message):
        wrong()


@pytest.mark.parametrize(
    ("gain", "kind", "message"),
    [
        (lambda _: float("nan"), rm.MeasureError, "the function gives nan for grade 1"),
        (lambda _: "high", rm.MeasureError, "the function gives no number for grade 1"),
        (lambda _: None, rm.MeasureError, "the function gives no number for grade 1"),
        (
            lambda grade: 1 / (grade - 1),
            rm.UsageError,
            r"gain: the function '<lambda>' raises ZeroDivisionError for grade 1: \w+ division by zero",
        ),
        ({2: 3}, rm.DataError, "no gain for the judged grade 1; the mapping knows 2"),
    ],
)
def test_gains_that_are_no_numbers_are_refused(gain: Any, kind: Any, message: Any) -> None:
    with pytest.raises(kind, match=message):
        rm.evaluate(QRELS, RUN, rm.nDCG(gain=gain))


def test_no_common_query_is_an_error_that_shows_both() -> None:
    with pytest.raises(rm.DataError, match="its queries are such as 1, those of qrels such as 2"):
        rm.evaluate([(2, 1, 1)], [(1, 1, 0.5)], "AP")


def test_no_common_item_is_noted_in_the_account() -> None:
    result = rm.evaluate({"q": {"A": 1}}, {"q": ["a"]}, "AP")
    assert result.notes == ("no returned item is judged: run has items such as 'a', qrels such as 'A'",)
    assert "no returned item is judged" in str(result)
    assert rm.evaluate(QRELS, RUN, "AP").notes == ()


def test_missing_queries_can_be_refused() -> None:
    with pytest.raises(rm.DataError, match=r"run has no results for 1 query \('q2'\) with judgements"):
        rm.evaluate(QRELS, {"q1": ["a"]}, "AP", missing="error")


def test_results_without_judgements_can_be_refused() -> None:
    with pytest.raises(rm.DataError, match="results for 1 query without judgements, the first is query 'q2'"):
        rm.evaluate({"q1": {"a": 1}}, RUN, "AP", unjudged_queries="error")


def test_queries_without_relevant_items_can_be_refused() -> None:
    with pytest.raises(rm.DataError, match=r"AP\(rel=2\): nothing is relevant in 1 query \('q2'\)"):
        rm.evaluate(QRELS, RUN, "AP(rel=2)", no_relevant="error")


def test_messages_show_unsigned_ids_as_they_are() -> None:
    ids = pl.Series("item", [2**63 + 5, 2**63 + 5], dtype=pl.UInt64)
    qrels = pl.DataFrame({"query": [1, 1], "item": ids})
    with pytest.raises(rm.DataError, match=f"the first is item {2**63 + 5} of query 1 in row 1"):
        rm.evaluate(qrels, qrels.with_columns(score=0.5), "AP")


@pytest.mark.parametrize("threads", [0, -1, 1.5, True, "2"])
def test_threads_are_a_whole_number(threads: Any) -> None:
    with pytest.raises(rm.ChoiceError, match="is not a whole number from 1"):
        rm.evaluate(QRELS, RUN, "AP", threads=threads)


def test_the_signature_tells_how_ids_are_ordered() -> None:
    assert "|item_ids:text|" in rm.evaluate(QRELS, RUN, "AP").signature("AP")
    assert "|item_ids:integer|" in rm.evaluate([(1, 1, 1)], [(1, 1, 0.5)], "AP").signature("AP")


@pytest.mark.parametrize(
    "again", [copy.deepcopy, copy.copy, lambda result: pickle.loads(pickle.dumps(result))]
)
def test_results_can_be_copied_and_pickled(again: Any) -> None:
    result = rm.evaluate(QRELS, RUN, [rm.nDCG(gain={1: 1, 2: 3}, ideal=[2, 1]) @ 2, "AP"])
    same = again(result)
    assert same.values == result.values
    assert same.per_query.equals(result.per_query)
    assert same.signature("AP") == result.signature("AP")
    assert str(same) == str(result)


def test_query_ids_keep_their_type() -> None:
    for dtype in (pl.Int8, pl.UInt64, pl.String, pl.Categorical):
        ids = (
            pl.Series("query", ["1", "2"])
            .cast(pl.Int8 if dtype == pl.Int8 else pl.String)
            .cast(dtype, strict=False)
        )
        qrels = pl.DataFrame({"query": ids, "item": [1, 2]})
        result = rm.evaluate(qrels, qrels.with_columns(score=0.5), "AP")
        kept = result.per_query.schema["query"]
        assert kept == dtype or (
            dtype == pl.Categorical and kept == pl.String
        )  # as older polars hands them out
        assert result.per_query["query"].to_list() == ids.to_list()


def test_chunks_do_not_matter() -> None:
    whole = pl.DataFrame(
        {"query": np.arange(40) // 10, "item": np.arange(40) % 10, "score": np.arange(40) % 7}
    )
    parts = pl.concat([whole[:3], whole[3:17], whole[17:]], rechunk=False)
    qrels = whole.filter(pl.col("item") % 3 == 0).select("query", "item")
    alone, together = (rm.evaluate(qrels, run, "AP nDCG@5") for run in (whole, parts))
    assert parts.n_chunks() == 3
    assert alone.per_query.equals(together.per_query)


ROWS = 100_000  # enough for scattered rows to be brought together before they are read


@pytest.fixture(scope="module")
def shop() -> tuple[pl.DataFrame, pl.DataFrame]:
    """Judgements and results of 900 users, of whom 50 are not judged and 50 have no results; many ties."""
    draw = np.random.default_rng(7)
    user, item = np.divmod(draw.choice(850 * 500, ROWS, replace=False), 500)
    run = pl.DataFrame({"user": user, "item": item, "score": draw.integers(0, 40, ROWS) / 8}).sort("user")
    judged = draw.choice(850 * 500, 20_000, replace=False)
    qrels = pl.DataFrame(
        {"user": judged // 500 + 50, "item": judged % 500, "rating": draw.integers(0, 4, 20_000)}
    )
    return qrels.sort("user"), run


@pytest.mark.parametrize("ids", [pl.Int64, pl.Int16, pl.String, pl.Categorical])
@pytest.mark.parametrize("choices", [{}, {"ties": "random"}, {"ties": "expected", "scores": "float32"}])
def test_scattered_rows_give_the_same_values_to_the_last_bit(shop: Any, ids: Any, choices: Any) -> None:
    text = pl.String if ids == pl.Categorical else ids
    qrels, run = (table.with_columns(pl.col("user", "item").cast(text).cast(ids)) for table in shop)
    measures = ["nDCG@10", "AP", "RR", "R@20", "Judged@5", "NumRet"]
    grouped = rm.evaluate(qrels, run, measures, **choices)
    for threads in (1, 2):
        scattered = run.sample(fraction=1, shuffle=True, seed=threads)
        result = rm.evaluate(qrels, scattered, measures, threads=threads, **choices)
        assert result.per_query.equals(grouped.per_query)
        assert result.counts == grouped.counts
        assert result.values == grouped.values
    assert grouped.counts.unjudged == 50
    assert grouped.counts.missing == 50


def test_scattered_rows_with_ranks_alone(shop: Any) -> None:
    qrels, run = shop
    ranked = run.sort("user", "score", "item", descending=[False, True, True]).select(
        "user", "item", rank=pl.int_range(pl.len()).over("user")
    )
    grouped, scattered = (
        rm.evaluate(qrels, table, "AP nDCG@5").per_query
        for table in (run, ranked.sample(fraction=1, shuffle=True, seed=3))
    )
    assert scattered.equals(grouped)


def test_scattered_rows_keep_their_order_among_equal_scores(shop: Any) -> None:
    qrels, run = shop
    dealt = run.with_columns(turn=pl.int_range(pl.len()).over("user")).sort("turn", maintain_order=True)
    grouped, scattered = (rm.evaluate(qrels, table, "AP", ties="input").per_query for table in (run, dealt))
    assert scattered.equals(grouped)


def test_a_repeated_item_among_scattered_rows_is_found_where_it_is(shop: Any) -> None:
    qrels, run = shop
    scattered = run.sample(fraction=1, shuffle=True, seed=0)
    judged = scattered["user"].is_in(qrels["user"].unique().implode()).arg_true()
    first, again = int(judged[10]), int(judged[-1])
    repeated = scattered.with_row_index().with_columns(
        pl.when(pl.col("index") == again).then(scattered[name][first]).otherwise(pl.col(name)).alias(name)
        for name in ("user", "item")
    )
    message = f"1 item returned again .* in row {again}, already in row {first} "
    with pytest.raises(rm.DataError, match=message):
        rm.evaluate(qrels, repeated, "AP")


def test_tables_that_were_read_once_are_evaluated_many_times() -> None:
    qrels, run = {"q1": {"a": 2, "b": 1}}, {"q1": {"b": 0.9, "a": 0.8}}
    judged, results = rm.read_qrels(qrels), rm.read_run(run)
    expected = rm.evaluate(qrels, run, "nDCG@10")
    for tables in ((judged, results), (judged, run), (qrels, results), (judged, results)):
        assert rm.evaluate(*tables, "nDCG@10")["nDCG@10"] == expected["nDCG@10"]
    assert repr(results) == "<run: 2 rows; query 'query', item 'item', score 'score'>"


def test_what_was_read_as_judgements_is_not_taken_for_results() -> None:
    judged = rm.read_qrels({"q1": {"a": 2}})
    with pytest.raises(rm.UsageError, match="was read as qrels, not as run"):
        rm.evaluate(judged, judged, "AP")


def test_columns_said_for_a_table_still_to_be_read_leave_the_other_alone() -> None:
    judged = rm.read_qrels(pl.DataFrame({"person": [1], "item": [7]}), {"query": "person"})
    run = pl.DataFrame({"query": [1], "item": [7], "p": [0.5]})
    assert rm.evaluate(judged, run, "AP", columns={"run.score": "p"})["AP"] == 1.0


def test_many_queries_are_judged_in_parts_and_come_out_in_order() -> None:
    rng = np.random.default_rng(5)
    queries, length = 40_000, 3
    relevance = rng.integers(0, 2, queries * length)
    table = {
        "query": np.repeat(rng.permutation(queries), length),
        "item": np.tile(np.arange(length), queries),
    }
    qrels = pl.DataFrame({**table, "relevance": relevance})
    run = pl.DataFrame({**table, "score": np.tile([3.0, 2.0, 1.0], queries)})
    expected = relevance.reshape(queries, length)[:, 0]
    for rows in (run, run.sample(fraction=1, shuffle=True, seed=1)):
        result = rm.evaluate(qrels, rows, "P@1", no_relevant="zero")
        assert (result.query_values("P@1") == expected).all()
        assert result.per_query["query"].to_list() == table["query"][::length].tolist()


def test_queries_without_judgements_are_counted_among_scattered_rows_too() -> None:
    queries, length = 30_000, 4
    table = pl.DataFrame(
        {
            "query": np.repeat(np.arange(queries), length),
            "item": np.tile(np.arange(length), queries),
            "score": np.tile([4.0, 3.0, 2.0, 1.0], queries),
        }
    )
    qrels = pl.DataFrame({"query": np.arange(0, queries, 3), "item": np.zeros(queries // 3, dtype=np.int64)})
    scattered = table.sample(fraction=1, shuffle=True, seed=2)
    for rows in (table, scattered):
        counts = rm.evaluate(qrels, rows, "AP").counts
        assert (counts.judged, counts.answered, counts.unjudged) == (10_000, 10_000, 20_000)
    first = (scattered["query"] % 3 != 0).arg_true()[0]
    with pytest.raises(rm.DataError, match=f"query {scattered['query'][first]} in row {first} "):
        rm.evaluate(qrels, scattered, "AP", unjudged_queries="error")


@pytest.mark.parametrize("dtype", [pl.Float32, pl.Float64])
@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize(
    ("of_qrels", "of_run", "message"),
    [
        ({}, {7: np.nan, 9: np.nan}, r"score column 'score' has 2 NaN, the first in row 7 \(from 0\)"),
        # The last query is not judged.
        ({}, {-1: np.nan}, r"score column 'score' has 1 NaN, the first in row 99999 \(from 0\)"),
        ({3: np.inf}, {}, r"'relevance' has 1 NaN or infinite, the first in row 3 \(from 0\)"),
    ],
)
def test_numbers_that_are_none_are_refused_wherever_they_stand(
    of_qrels: dict[int, float], of_run: dict[int, float], message: str, scattered: bool, dtype: Any
) -> None:
    queries, length = 1_000, 100
    query, item = np.repeat(np.arange(queries), length), np.tile(np.arange(length), queries)
    if scattered:
        query, item = query.reshape(queries, length).T.ravel(), np.repeat(np.arange(length), queries)
    score, relevance = np.linspace(1, 0, len(query)), np.ones(queries - 1)
    score[list(of_run)], relevance[list(of_qrels)] = list(of_run.values()), list(of_qrels.values())
    qrels = pl.DataFrame({"query": np.arange(queries - 1), "item": 5, "relevance": relevance})
    run = pl.DataFrame({"query": query, "item": item, "score": pl.Series(score, dtype=dtype)})
    with pytest.raises(rm.DataError, match=message):
        rm.evaluate(qrels, run, "AP")


def test_measures_come_in_the_order_asked_for_whatever_they_look_at() -> None:
    measures = ["Novelty@2", "RR", "Coverage@2", "AP"]
    known: dict[str, Any] = {"items": ["a", "b", "c"], "train": {"u": ["c"], "v": ["a", "b"]}}
    result = rm.evaluate({"u": {"a": 1}}, {"u": {"b": 0.3, "a": 0.2}}, measures, **known)
    assert list(result.values) == measures
    assert [*result.measures] == [rm.parse(each) for each in measures]
    assert result.per_query.columns == ["query", "Novelty@2", "RR", "AP"]
