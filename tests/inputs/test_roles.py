"""How columns get their roles, and how ids of two tables are brought together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

import rankmark as rm
from rankmark.errors import ColumnError, DataError, IdTypeError, UsageError
from rankmark.inputs import read_inputs, read_qrels, read_run
from rankmark.inputs.names import ALIASES
from rankmark.inputs.predictions.columns import find_columns

FRAME = {"query": [1, 2], "item": [3, 4], "relevance": [0, 1], "score": [0.5, 1.5]}


def frame(**columns: Any) -> pl.DataFrame:
    return pl.DataFrame({"query": [1, 2], "item": [3, 4]} | columns)


def plural(name: str) -> str:
    return f"{name}s"


NAMES = [(role, alias) for role in ALIASES for alias in ALIASES[role]]
SPELLINGS = [str, str.upper, lambda name: name.title().replace("_", "-"), " {} ".format, plural]


@pytest.mark.parametrize(("role", "alias"), NAMES)
@pytest.mark.parametrize("write", SPELLINGS)
def test_predictions_know_the_same_names(role: Any, alias: Any, write: Any) -> None:
    usual = {name: name for name in ("query", "item", "relevance", "score", "weight")}
    if role in ("rank", "aspect", "stratum", "probability"):
        return  # predictions have none
    columns = find_columns(list((usual | {role: write(alias)}).values()), {}, "predictions")
    attribute = "label" if role == "relevance" else role
    assert getattr(columns, attribute) == write(alias)


@pytest.mark.parametrize(("role", "alias"), [each for each in NAMES if each[0] != "weight"])
@pytest.mark.parametrize("write", SPELLINGS)
def test_every_name_of_a_role_is_found(role: Any, alias: Any, write: Any) -> None:
    columns = {"query": "query", "item": "item", "relevance": "relevance", "score": "score"}
    if role == "rank":
        del columns["score"]
    columns[role] = write(alias)
    table = pl.DataFrame({name: [1, 2] for name in columns.values()} | {"other": [None, None]})
    qrels, run = read_qrels(table), read_run(table)
    assert (qrels.query, qrels.item, qrels.value) == (columns["query"], columns["item"], columns["relevance"])
    assert (run.query, run.item) == (columns["query"], columns["item"])
    assert qrels.aspect == (columns["aspect"] if role == "aspect" and write is not plural else None)
    assert (run.value, run.rank) == ((None, columns["rank"]) if role == "rank" else (columns["score"], None))


def test_a_score_goes_before_a_rank_unless_said_otherwise() -> None:
    table = frame(rank=[1, 2], score=[1.0, 2.0])
    assert read_run(table).value == "score"
    assert read_run(table, {"rank": "rank"}).rank == "rank"


def test_columns_said_outright() -> None:
    table = frame(user=[5, 6], doc=[7, 8], p=[0.1, 0.2], label=[1, 0])
    columns = {"query": "user", "run.item": "doc", "score": "p", "qrels.relevance": "label"}
    qrels, run = read_inputs(table, table, columns)
    assert (qrels.query, qrels.item, qrels.value) == ("user", "item", "label")
    assert (run.query, run.item, run.value) == ("user", "doc", "p")


def test_a_name_that_only_one_table_has() -> None:
    qrels, run = read_inputs(frame(), frame(score=[1, 2]).rename({"query": "usr"}), {"query": "usr"})
    assert (qrels.query, run.query) == ("query", "usr")


REFUSED = [
    (
        read_qrels,
        {"user": [1], "session_id": [1], "item": [1]},
        None,
        ["2 columns", "'user', 'session_id'", '{"query": "user"}'],
    ),
    (
        read_qrels,
        {"qurey": [1], "item": [1]},
        None,
        ["qrels has no column for the query", "'qurey'?", "'qurey', 'item'"],
    ),
    (
        read_run,
        {"query": [1], "thing": ["a"], "score": [1]},
        None,
        ["no column for the item", '{"item": "…"}'],
    ),
    (
        read_run,
        {"query": [1], "item": ["a"], "scroe": [1]},
        None,
        ["a score or a rank", "did you mean 'scroe'"],
    ),
    (
        read_run,
        {"query": [1], "item": ["a"], "q": [1]},
        {"score": "Q"},
        ["a score or a rank", "did you mean 'q'"],
    ),
    (
        read_run,
        {"query": [1], "item": ["a"], "p": [1]},
        {"run.score": "pp"},
        ["run has no column 'pp'", "'run.score'"],
    ),
    (read_run, {"query": [1], "a": ["a"]}, {"items": "a,bb"}, ["no column 'bb'", "'query', 'a'"]),
    (
        read_run,
        {"query": [1], "f1": [1], "f2": [1], "g1": [1], "g2": [1]},
        None,
        ["no column for the item", "'f1', 'f2' …", 'columns={"items": "f1,f2"}'],
    ),
    (read_run, {"query": [1], "item": ["a"], "score": ["b"]}, None, ["score column 'score'", "not numbers"]),
    (read_run, {"query": [1], "item": ["a"], "score": [True]}, None, ["'score' is Boolean", "not numbers"]),
    (read_run, {"query": [1], "item": ["a"], "score": [[1]]}, None, ["'score' is", "List", "not numbers"]),
    (read_run, {"query": [1], "item": ["a"], "rank": ["1"]}, None, ["rank column 'rank'", "not numbers"]),
    (
        read_qrels,
        {"query": [1], "item": ["a"], "rel": ["1"]},
        None,
        ["relevance column 'rel'", '{"relevance": "…"}'],
    ),
    (read_qrels, {"query": [1.5], "item": ["a"]}, None, ["query column 'query' is Float64", "cast"]),
    (read_qrels, {"query": [1], "item": [True]}, None, ["item column 'item' is Boolean", "cast"]),
    (read_qrels, {"query": [[1]], "item": ["a"]}, None, ["query column 'query' is", "List"]),
    (read_qrels, {"query": [1], "item": [{"a": 1}]}, None, ["item column 'item' is Struct", "cast"]),
]


@pytest.mark.parametrize(("read", "data", "columns", "words"), REFUSED)
def test_refused_columns(read: Any, data: Any, columns: Any, words: Any) -> None:
    with pytest.raises(ColumnError) as error:
        read(pl.DataFrame(data), columns)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("columns", "kind", "message"),
    [
        ({"qeury": "a"}, UsageError, "no role 'qeury'; did you mean 'query'"),
        ({"run.relevance": "a"}, UsageError, "no role 'run.relevance'"),
        ({"query": ["a", "b"]}, UsageError, "takes one column name"),
        ({"query": "itme"}, ColumnError, "neither qrels nor run has a column 'itme'; did you mean 'item'"),
        ({"score": "relevance"}, ColumnError, "run does not have a column 'relevance'"),
        ({"relevance": "scor"}, ColumnError, "qrels does not have a column 'scor'"),
    ],
)
def test_refused_names(columns: Any, kind: Any, message: Any) -> None:
    with pytest.raises(kind, match=message):
        read_inputs(frame(relevance=[1, 2]), frame(score=[1, 2]), columns)


def doors(said: Any) -> list[Callable[[], object]]:
    """Some ways to say which columns are which."""
    qrels, run = frame(relevance=[0, 1]), frame(score=[0.5, 1.5])
    return [
        lambda: rm.evaluate(qrels, run, "AP", columns=said),
        lambda: rm.Evaluator("AP").update(qrels, run, columns=said),
        lambda: rm.evaluate_model(lambda users, _: [[3] for _ in users], qrels, "P@1", columns=said),
        lambda: rm.compare(qrels, {"a": run, "b": run}, "AP", columns=said),
        lambda: rm.gate(qrels, run, run, "AP", max_drop=0.1, columns=said),
        lambda: rm.agree(run, run, columns=said),
        lambda: rm.agree_on_systems({"": qrels}, {"a": run, "b": run}, ["AP", "RR"], columns=said),
        lambda: rm.differences(qrels, run, "AP", like=["trec_eval", "ranx"], columns=said),
        lambda: rm.identify(qrels, run, "AP", 0.5, columns=said),
        lambda: rm.explain(qrels, run, "AP", query=2, columns=said),
        lambda: rm.check(qrels, run, columns=said),
        lambda: rm.read_qrels(qrels, said),
        lambda: rm.read_run(run, said),
    ]


@pytest.mark.parametrize("door", doors({"query": "usr"}))
def test_every_door_refuses_a_name_that_no_table_has(door: Callable[[], object]) -> None:
    with pytest.raises(ColumnError, match="a column 'usr'; the columns are 'query', 'item'"):
        door()


@pytest.mark.parametrize(
    "door",
    [
        door
        for said in ("query", ["query"], 5, {5: "query"})
        for door in [
            *doors(said),
            lambda said=said: rm.evaluate_answers({"query": [1]}, "pass@1", columns=said),
            lambda said=said: rm.evaluate_preferences({"query": [1]}, {"q": ["a"]}, "ppref", columns=said),
            lambda said=said: rm.evaluate_logged({"reward": [1.0]}, [1.0], columns=said),
            lambda said=said: rm.evaluate_clicks({"query": [1]}, {"q": ["a"]}, "DCG@2", columns=said),
        ]
    ],
)
def test_every_door_refuses_columns_that_are_no_dict(door: Callable[[], object]) -> None:
    with pytest.raises(UsageError, match="is no dict of columns' names by what they hold"):
        door()


def test_what_is_said_of_the_other_table_is_left_alone_where_one_is_read() -> None:
    said = {"query": "query", "run.item": "doc", "score": "p"}
    assert read_qrels(frame(relevance=[0, 1]), said).item == "item"
    with pytest.raises(ColumnError, match="run has no column 'doc'"):
        read_run(frame(p=[0.5, 1.5]), said)


def test_nothing_but_nulls() -> None:
    with pytest.raises(DataError, match="query column 'query' holds nothing but nulls"):
        read_qrels(pa.table({"query": pa.nulls(1), "item": [1]}))
    with pytest.raises(DataError, match="score column 'score' holds nothing but nulls"):
        read_run(pa.table({"query": [1], "item": [1], "score": pa.nulls(1)}))
    # Nulls beside values are found by the core; here they only must arrive.
    assert read_run(frame(score=[None, None])).table.kind("score") == "integer"


def ids(table: Any) -> list[tuple]:
    return pl.DataFrame(table.table).select(table.query, table.item).rows()


def test_text_becomes_integers_where_the_other_table_has_them(tmp_path: Path) -> None:
    (tmp_path / "qrels.csv").write_text("query,item\n1,a\n-02,b\n")
    run = pl.DataFrame({"query": [1, 2], "item": ["a", "b"], "score": [1, 2]})
    qrels, run = read_inputs(tmp_path / "qrels.csv", run)
    assert ids(qrels) == [(1, "a"), (-2, "b")]
    assert ids(run) == [(1, "a"), (2, "b")]
    (tmp_path / "run").write_text("1 7 0.5\n2 08 1\n")
    qrels, run = read_inputs(frame(), tmp_path / "run")
    assert ids(run) == [(1, 7), (2, 8)]


def test_ids_of_two_texts_stay_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,item,relevance\n007,1,1\n")
    (tmp_path / "b.csv").write_text("query,item,score\n007,1,1\n")
    qrels, run = read_inputs(tmp_path / "a.csv", tmp_path / "b.csv")
    assert ids(qrels) == ids(run) == [("007", "1")]


@pytest.mark.parametrize("name", ["was_clicked", "is_relevant", "relevancy", "Ratings!", "score", "y_pred"])
def test_a_column_that_may_be_the_relevance_is_not_passed_over(name: str) -> None:
    with pytest.raises(ColumnError, match=f"no column known as the relevance, but '{name}' may be it"):
        read_qrels(frame(**{name: [0, 1]}))
    assert read_qrels(frame(**{name: [0, 1]}), {"relevance": name}).value == name
    assert read_qrels(frame(**{name: [0, 1]}), {"relevance": None}).value is None


def test_rows_that_all_count_as_relevant_are_noted_where_there_are_other_columns() -> None:
    (note,) = read_qrels(frame(seconds=[1, 2])).notes
    assert note == "every row of qrels counts as relevant: no relevance among 'seconds'"
    assert read_qrels(frame()).notes == ()


@pytest.mark.parametrize("names", [("userId", "ItemID"), ("User Id", "item-id"), ("USERID", "itemid")])
def test_names_may_differ_in_case_and_in_what_separates_words(names: Any) -> None:
    table = read_qrels(pl.DataFrame({name: [1] for name in names}))
    assert (table.query, table.item) == names


def test_a_column_cannot_have_two_roles() -> None:
    with pytest.raises(ColumnError, match="'a' cannot be both query and item"):
        read_qrels(pl.DataFrame({"a": [1]}), {"query": "a", "item": "a"})


def test_a_wrong_separator_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("user;item;rating\n1;2;3\n")
    with pytest.raises(ColumnError, match="it looks separated by ';'"):
        read_qrels(tmp_path / "a.csv")


def test_text_that_is_no_integer(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 7 0.5\n2 d8 1\n")
    message = r"item ids are integers in qrels .*run '.*run' has 'd8' in row 1 \(from 0\)"
    with pytest.raises(DataError, match=message):
        read_inputs(frame(), tmp_path / "run")


def test_strings_against_integers() -> None:
    with pytest.raises(
        IdTypeError,
        match=r"query ids are strings in run \(column 'query'\), such as '1', but integers in qrels",
    ):
        read_inputs(frame(), {"1": {3: 1.0}})
    with pytest.raises(
        IdTypeError, match=r"item ids are strings in qrels .* integers in run .*Int64.*; make both"
    ):
        read_inputs({1: {"3": 1.0}}, frame(score=[1, 2]))


def test_names_of_predictions_that_come_near_are_suggested() -> None:
    with pytest.raises(ColumnError, match=r"no column known as the label; did you mean 'lable'\?"):
        find_columns(["lable", "score"], {}, "predictions")
    with pytest.raises(ColumnError, match=r"no column 'clicks' for the label; did you mean 'click'"):
        find_columns(["click", "score"], {"label": "clicks"}, "predictions")


WIDE = pl.DataFrame({"query": ["q1", "q2", "q3"], "item_1": [1, 3, 7], "item_2": [2, 4, 7]})


def test_messages_count_the_rows_of_a_wide_table_as_it_is(tmp_path: Path) -> None:
    """The item twice in the third row is in row 2, not in rows 4 and 5 of a table that nobody has."""
    qrels = {"q3": [7]}
    with pytest.raises(DataError, match="of query 'q3' in row 2, already in row 2"):
        rm.evaluate(qrels, WIDE, "AP")
    nothing = WIDE.with_columns(query=pl.Series(["q1", None, "q3"]))
    with pytest.raises(DataError, match="'query' has 1 null, the first in row 1 "):
        rm.evaluate(qrels, nothing, "AP")
    lists = pl.DataFrame(
        {"query": ["q3", "q4"], "item": [[1, 2], [3, 4]], "score": [[1.0, 2.0], [3.0, None]]}
    )
    nan = lists.with_columns(pl.Series("score", [[1.0, 2.0], [3.0, float("nan")]]))
    with pytest.raises(DataError, match="'score' has 1 NaN, the first in row 1 "):
        rm.evaluate(qrels, nan, "AP")
    nothing.write_parquet(tmp_path / "wide.parquet")
    pl.DataFrame({"query": ["q1"], "item": [7]}).write_parquet(tmp_path / "qrels.parquet")
    with pytest.raises(DataError, match="'query' is null in row 1 "):
        rm.evaluate(tmp_path / "qrels.parquet", tmp_path / "wide.parquet", "AP", engine="stream")


def test_an_index_without_a_name_can_be_named_and_is_no_column_to_tell_of(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"item": ["a", "b"], "score": [1.0, 2.0]}, index=["q1", "q1"])
    assert read_run(frame, {"query": "index"}).query == "index"
    with pytest.raises(ColumnError, match="its columns are 'index', 'item', 'score'"):
        read_run(frame)
    judged = pandas.DataFrame({"query": ["q1"], "item": ["a"]})
    judged.to_csv(tmp_path / "qrels.csv")  # whose first column has no name
    assert not read_qrels(tmp_path / "qrels.csv").notes
    assert not read_qrels(judged.set_axis(["x"])).notes


def test_an_id_that_is_no_integer_is_told_with_its_row_of_a_wide_table(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("user,item_1,item_2\n1,7,8\n2,9,x\n")
    with pytest.raises(DataError, match=r"has 'x' in row 1 \(from 0\)"):
        rm.evaluate({1: {7: 1}, 2: {9: 1}}, tmp_path / "wide.csv", "AP")


def test_judgements_with_a_column_of_scores_may_be_the_run() -> None:
    run = {"query": ["q"], "item": ["a"], "score": [1.5]}
    qrels = {"query": ["q"], "item": ["a"], "relevance": [1]}
    with pytest.raises(rm.ColumnError, match="or are judgements and results swapped"):
        rm.evaluate(pl.DataFrame(run), pl.DataFrame(qrels), "AP")
