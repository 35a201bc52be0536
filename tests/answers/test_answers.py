"""Nuggets and citations of answers: values by hand and by the papers' procedures, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest

import rankmark as rm

NUGGETS: dict[str, list[Any]] = {
    "run_id": ["a"] * 5 + ["b"] * 5,
    "qid": ["q1"] * 4 + ["q2"] + ["q1"] * 4 + ["q2"],
    "nugget": ["n1", "n2", "n3", "n4", "n1"] * 2,
    "importance": ["vital", "vital", "okay", "okay", "vital"] * 2,
    "assignment": [
        *("support", "partial_support", "support", "not_support", "partial_support"),
        *("support", "support", "not_support", "not_support", "not_support"),
    ],
}


def evaluated(table: Any, *measures: str, **options: Any) -> Any:
    return rm.evaluate_answers(table, measures or None, **options)


def by_measure(table: Any, **options: Any) -> dict[str, float]:
    return dict(evaluated(table, **options).values)


def test_nuggets_by_hand() -> None:
    found = evaluated(NUGGETS)
    q1 = {"all": 2.5 / 4, "all_strict": 2 / 4, "vital": 1.5 / 2, "vital_strict": 1 / 2}
    q1 |= {"weighted": (1.5 + 0.5) / 3, "weighted_strict": (1 + 0.5) / 3}
    for name, value in q1.items():
        own = found["a"].query_values(name).tolist()
        assert own == pytest.approx([value, 0.0 if "strict" in name else 0.5])
        assert found["a"][name] == pytest.approx(sum(own) / 2)
    assert found["b"].per_query.row(0) == pytest.approx(("q1", 0.5, 0.5, 1, 1, 2 / 3, 2 / 3))
    assert found["a"].signature("vital_strict").startswith("vital_strict|partial:0|missing:zero|no_vital")


def test_answers_of_systems_are_compared_as_any_values() -> None:
    table = {
        name: [f"{each}{n}" if name == "qid" else each for n in range(5) for each in values]
        for name, values in NUGGETS.items()
    }
    found = evaluated(table, "vital", intervals="t")
    compared = rm.compare_results(found, baseline="b")
    assert compared.pair("vital", "a").difference == pytest.approx((0.75 + 0.5) / 2 - 0.5)
    matrix = {name: found[name].per_query for name in found}
    elsewhere = rm.compare_matrix(matrix, "vital", baseline="b")
    assert compared.pair("vital", "a").p == elsewhere.pair("vital", "a").p
    assert found["a"].intervals["vital"].low < found["a"]["vital"] < found["a"].intervals["vital"].high


def test_without_importance_there_are_values_of_all_nuggets() -> None:
    table = {name: values[:5] for name, values in NUGGETS.items() if name not in ("importance", "run_id")}
    assert by_measure(table) == pytest.approx({"all": 0.5625, "all_strict": 0.25})
    with pytest.raises(rm.MeasureError, match="without a column of importance: there are 'all'"):
        rm.evaluate_answers(table, "vital")


def test_queries_without_vital_nuggets_or_without_an_answer() -> None:
    table = pl.DataFrame(NUGGETS).filter(~((pl.col("run_id") == "b") & (pl.col("qid") == "q2")))
    okay = table.with_columns(importance=pl.when(qid="q2").then(pl.lit("okay")).otherwise("importance"))
    for missing, value in (("zero", 0.5), ("skip", 1.0)):
        assert evaluated(table, "vital", missing=missing)["b"]["vital"] == value
    found = evaluated(okay, "vital", no_vital="skip")
    assert [found[name]["vital"] for name in "ab"] == [0.75, 1.0]
    assert "no vital nuggets of 1 query (left out)" in str(found)
    assert evaluated(okay, "vital")["b"]["vital"] == 0.5
    with pytest.raises(rm.DataError, match="system 'b' has 1 query without an answer, such as 'q2'"):
        rm.evaluate_answers(table, missing="error")


CITED: dict[str, list[Any]] = {
    "query": ["q"] * 6,
    "sentence": [1, 1, 2, 3, 3, 4],
    "citation": ["d1", "d2", "d1", "d3", "d4", None],
    "support": ["full", "none", "partial", "partial", "none", None],
}


def test_citations_by_hand() -> None:
    found = by_measure(CITED)
    assert found == pytest.approx(
        {
            "weighted_precision": (1 + 0.5 + 0.5) / 5,
            "weighted_recall": (1 + 0.5 + 0.5 + 0) / 4,
            "citation_precision": 1 / 5,
            "citation_recall": 1 / 4,
            "citation_f1": 2 * 0.2 * 0.25 / 0.45,
        }
    )
    together = CITED | {"together": ["full", "full", "none", "full", "full", None]}
    both = by_measure(together)  # sentence 3 needs both of its citations
    assert both["citation_precision"] == pytest.approx(3 / 5)
    assert both["citation_recall"] == pytest.approx(2 / 4)
    rest = together | {"rest": [None, None, None, "none", "full", None]}
    assert by_measure(rest)["citation_precision"] == pytest.approx(2 / 5)


def test_an_answer_without_citations_has_precision_zero() -> None:
    bare = {"query": ["q"], "sentence": [1], "citation": [None], "support": [None]}
    assert set(by_measure(bare).values()) == {0.0}


def test_passages_are_averaged_by_sentence() -> None:
    table = {
        "query": ["q"] * 4, "sentence": [1, 1, 2, 3], "passage": ["a", "b", "a", None],
        "score": [0.9, 0.5, 0.2, None],
    }  # fmt: skip
    assert by_measure(table) == pytest.approx({"passage_score": (0.7 + 0.2 + 0) / 3})


def alce(sentences: list[tuple[list[bool], bool, list[bool]]]) -> tuple[float, float]:
    """Precision and recall of citations as Gao et al., section 4.3, go through an answer."""
    recalled = precise = citations = 0
    for alone, together, rest in sentences:
        citations += len(alone)
        recalled += together
        for number, own in enumerate(alone):
            irrelevant = len(alone) > 1 and not own and rest[number]
            precise += together and not irrelevant
    return (precise / citations if citations else 0.0), recalled / len(sentences)


@pytest.mark.parametrize("seed", range(20))
def test_citations_are_precise_as_the_paper_goes_through_them(seed: int) -> None:
    draw = random.Random(seed)
    sentences = []
    rows: list[tuple[Any, ...]] = []
    word = {True: "full", False: "none"}
    for sentence in range(6):
        number = draw.randrange(4)
        alone, rest = ([draw.random() < 0.5 for _ in range(number)] for _ in range(2))
        together = number > 0 and draw.random() < 0.7
        sentences.append((alone, together, rest))
        if not number:
            rows.append(("q", sentence, None, None, None, None))
        rows += [
            ("q", sentence, place, word[alone[place]], word[together], word[rest[place]])
            for place in range(number)
        ]
    columns = ["query", "sentence", "citation", "support", "together", "rest"]
    found = by_measure(pl.DataFrame(rows, schema=columns, orient="row"))
    assert (found["citation_precision"], found["citation_recall"]) == pytest.approx(alce(sentences))


@pytest.mark.parametrize("made", [dict, pl.DataFrame])
def test_columns_of_the_table_slice_weigh_and_cluster_queries(made: Any) -> None:
    own: dict[str, list[Any]] = {
        "topicname": ["q1", "q1", "q2", "q3"],
        "nugget": ["a", "b", "a", "a"],
        "kind": list("xxyy"),
    }
    own |= {"assignment": ["support", "not_support", "support", "support"], "w": [1, 1, 2, 3]}
    table, columns = made(own), {"query": "topicname"}
    assert evaluated(table, "all", weights="w", columns=columns)["all"] == pytest.approx(5.5 / 6)
    found = evaluated(table, "all", by="kind", clusters="kind", intervals=True, columns=columns)
    assert [(row.slice, row.value) for row in found.slices.rows] == [("x", 0.5), ("y", 1.0)]
    assert found.intervals["all"].units == 2


def changed(of: dict[str, list[Any]], name: str, row: int, value: Any) -> dict[str, list[Any]]:
    values = [*of[name]]
    values[row] = value
    return of | {name: values}


@pytest.mark.parametrize(
    ("table", "options", "error", "message"),
    [
        (changed(NUGGETS, "assignment", 3, "supports"), {}, rm.DataError,
         "'assignment' holds other words .* 'supports' in row 3 .from 0.; did you mean 'support'"),
        (changed(NUGGETS, "importance", 7, "okey"), {}, rm.DataError, "the first 'okey' in row 7"),
        (changed(NUGGETS, "importance", 7, None), {}, rm.DataError, "are null, the first is row 7"),
        (changed(NUGGETS, "importance", 5, "okay"), {}, rm.DataError, "row 0 .* 'n1' of query 'q1' is vital"),
        (changed(NUGGETS, "nugget", 1, "n1"), {}, rm.DataError, "row 1 .*'n1' stands in row 0 too"),
        ({n: v[:8] for n, v in NUGGETS.items()}, {}, rm.DataError,
         "row 3 .*: nugget 'n4' of query 'q1' is not assigned for system 'b'"),
        (NUGGETS, {"measures": "citation_f1"}, rm.MeasureError, "citation_f1 is of citations"),
        (NUGGETS, {"measures": "vitl"}, rm.MeasureError, "did you mean 'vital'"),
        (NUGGETS, {"columns": {"nuget": "nugget"}}, rm.UsageError, "no role 'nuget'; did you mean 'nugget'"),
        (NUGGETS, {"columns": {"nugget": "nuget"}}, rm.ColumnError, "no column 'nuget'"),
        (NUGGETS, {"missing": "none"}, rm.ChoiceError, "missing"),
        ({"query": ["q"], "x": [1]}, {}, rm.ColumnError, "no column for the nugget, nor for the sentence"),
        (CITED | {"nugget": ["n"] * 6}, {}, rm.ColumnError, "columns of nuggets and of sentences"),
        (changed(CITED, "support", 5, "full"), {}, rm.DataError, "row 5 .*'support', and no citation"),
        (changed(CITED, "support", 2, None), {}, rm.DataError, "row 2 .*without a value of 'support'"),
        (changed(CITED, "citation", 1, None), {}, rm.DataError, "row 1 .*the sentence has other rows"),
        (changed(CITED, "citation", 1, "d1"), {}, rm.DataError, "row 1 .*stands in row 0 too"),
        (CITED | {"together": ["full", "none", None, None, None, None]}, {}, rm.DataError,
         "row 0 .*the rows of a sentence differ in 'together'"),
        ({"query": ["q"] * 3, "sentence": [1] * 3, "citation": ["a", "b", "c"], "support": ["partial"] * 3,
          "together": ["full"] * 3}, {}, rm.DataError, "row 0 .*say so in a column 'rest'"),
    ],
)  # fmt: skip
def test_what_is_no_such_table_is_refused(table: Any, options: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        rm.evaluate_answers(table, **options)


def test_rows_in_any_order_give_the_same() -> None:
    frame = pl.DataFrame(NUGGETS)
    shuffled = evaluated(frame.sample(fraction=1, shuffle=True, seed=3))
    found = evaluated(frame)
    assert {name: dict(shuffled[name].values) for name in "ab"} == {n: dict(found[n].values) for n in "ab"}
