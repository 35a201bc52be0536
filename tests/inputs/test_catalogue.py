"""What is known of items: how it is read, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmark as rm

RUN = {"u1": ["a", "b"], "u2": ["b", "c"]}
QRELS = {"u1": {"a": 1}, "u2": {"b": 1}}
ITEMS = {name: {"category": "x", "price": 1.5} for name in "abcd"}


@pytest.mark.parametrize("form", ["ids", "dicts", "polars", "pandas", "csv", "parquet", "catalogue"])
def test_items_are_read_of_whatever_holds_them(form: str, tmp_path: Path) -> None:
    frame = pl.DataFrame({"sku": list("abcd"), "category": list("xxyy")})
    frame.write_csv(tmp_path / "items.csv")
    frame.write_parquet(tmp_path / "items.parquet")
    named: dict[str, Any] = {"columns": {"item": "sku"}}
    items = {
        "ids": ["a", "b", "c", "d"],
        "dicts": ITEMS,
        "polars": frame.rename({"sku": "item"}),
        "pandas": frame.rename({"sku": "item_id"}).to_pandas(),
        "csv": rm.catalogue(tmp_path / "items.csv", **named),
        "parquet": rm.catalogue(str(tmp_path / "items.parquet"), **named),
        "catalogue": rm.catalogue(frame, **named),
    }[form]
    assert rm.evaluate(QRELS, RUN, "CatalogueCoverage", items=items)["CatalogueCoverage"] == 0.75


@pytest.mark.parametrize(
    ("measure", "options", "said"),
    [
        ("CatalogueCoverage@2", {}, r"CatalogueCoverage@2 needs the items that can be recommended"),
        ("CatalogueCoverage@2", {"train": {"u1": ["a"]}}, r"needs the items that can be recommended"),
        ("Novelty@2", {"items": ITEMS}, r"Novelty@2 needs the interactions before: give train="),
        ("IntraListDiversity", {"train": {"u1": ["a"]}}, r"needs what items are like"),
        ("IntraListDiversity", {"items": list("abcd")}, r"no column 'category'; it has no column beside"),
        (
            "CategoryEntropy(by=genre)",
            {"items": ITEMS},
            r"no column 'genre'; its columns are 'category', 'price'",
        ),
        ("CategoryEntropy(by=price)", {"items": ITEMS}, r"'price' of items has numbers"),
        ("IntraListDiversity(by=price,distance=jaccard)", {"items": ITEMS}, r"'price' of items has numbers"),
        (
            "CatalogueCoverage",
            {"items": list("ab")},
            r"1 of the 4 items at the top.*the first 'c'",
        ),
        ("CatalogueCoverage", {"items": list("ab"), "train": {"u1": ["c"]}}, r"the first 'c'"),
        ("CatalogueCoverage", {"items": [1, 2, 3]}, r"the 3 of items, which are such as 1"),
        ("CatalogueCoverage", {"items": list("abcd"), "engine": "stream"}, r"engine=\"local\""),
        ("CatalogueCoverage", {"items": list("abcd"), "bounds": True}, r"bounds are of orders by relevance"),
        (["Novelty"], {"items": "none.csv"}, r"none\.csv"),
    ],
)
def test_what_cannot_be_known_is_refused(measure: Any, options: Any, said: str) -> None:
    with pytest.raises(rm.RankmarkError, match=said):
        rm.evaluate(QRELS, RUN, measure, **options)


def test_items_without_a_category_are_named() -> None:
    items = pl.DataFrame({"item": list("abc"), "category": ["x", None, "y"]})
    with pytest.raises(rm.DataError, match=r"1 of 3 items has no 'category', the first is 'b'"):
        rm.evaluate(None, RUN, "CategoryEntropy", items=items)


def test_vectors_have_the_same_length_and_are_finite() -> None:
    for vectors, said in (
        ([[1.0], [1.0, 2.0], [0.0]], "different lengths"),
        ([[1.0], [float("inf")], [0.0]], "'vector' of 1 of 3 items is null or not finite, the first is 'b'"),
    ):
        items = pl.DataFrame({"item": list("abc"), "vector": vectors})
        with pytest.raises(rm.DataError, match=said):
            rm.evaluate(None, RUN, "IntraListDiversity(by=vector)", items=items)


def test_without_judgements_measures_that_need_them_are_refused() -> None:
    with pytest.raises(rm.UsageError, match=r"without judgements there is no 'nDCG@10'"):
        rm.evaluate(None, RUN, ["nDCG@10", "AggregateDiversity"])
    for choices in ({"ties": "best"}, {"unjudged": "ignore"}):
        with pytest.raises(rm.UsageError, match="without judgements"):
            rm.evaluate(None, RUN, "AggregateDiversity", **choices)  # type: ignore[call-overload]


def test_without_judgements_all_queries_of_each_run_count() -> None:
    results: Any = rm.evaluate(None, {"a": RUN, "b": {"u3": ["a"]}}, "AggregateDiversity")
    assert [results[name]["AggregateDiversity"] for name in "ab"] == [3, 1]
    for result, queries in ((results["a"], "2 queries"), (results["b"], "1 query")):
        assert f"{queries} of the run, none judged" in str(result)
        assert "queries judged" not in str(result)
        assert result.counts.judged == 0
        assert result.counts.answered == result.counts.unjudged == int(queries[0])
        assert json.loads(result.to_json())["queries"] == {
            "judged": 0,
            "answered": int(queries[0]),
            "missing": 0,
            "unjudged": int(queries[0]),
        }
        assert f"It is of {queries} of the run, none judged." in result.to_html_report()


def test_doors_that_do_not_see_items_say_so() -> None:
    rows = {"query": [1, 1], "label": [0, 1], "score": [0.2, 0.4]}
    doors: list[Any] = [
        lambda: rm.Evaluator("Novelty@10"),
        lambda: rm.evaluate_arrays([[1, 0]], [[0.2, 0.1]], "Novelty@10"),
        lambda: rm.evaluate_predictions(rows, "CatalogueCoverage@10"),
        lambda: rm.evaluate_predictions(rows, ["AUC", "NotInTrain"]),
        lambda: rm.PredictionEvaluator("CatalogueCoverage@10"),
        lambda: rm.explain(QRELS, RUN, "Novelty", query="u1"),
        lambda: rm.check(QRELS, RUN, measures="Novelty"),
        lambda: rm.Novelty([1, 0], [0.2, 0.1]),
        lambda: rm.Novelty([1, 0]),
        lambda: rm.identify(QRELS, RUN, "Novelty", 0.5),
        lambda: rm.Novelty([[1, 0]], [[0.2, 0.1]]),
    ]
    for door in doors:
        with pytest.raises(rm.UsageError, match=r"looks at which items lists have|give train=…"):
            door()


def test_a_catalogue_that_was_read_is_used_again_and_takes_no_train_beside_it() -> None:
    known = rm.catalogue(ITEMS, train={"u1": ["a"]})
    first, second = (rm.evaluate(QRELS, RUN, ["Novelty@1", "NotInTrain"], items=known) for _ in range(2))
    assert first.values == second.values
    with pytest.raises(rm.UsageError, match=r"give it to rm\.catalogue"):
        rm.evaluate(QRELS, RUN, "Novelty", items=known, train={"u1": ["a"]})


def test_numbers_of_python_in_lists_and_dicts_are_read_whole_or_not_and_of_every_name() -> None:
    items = {"a": {"v": [1.0, 2.0], "g": {"m": 1}}, "b": {"v": [0, 1.5], "g": {"n": 0.5, "m": 2.5}}}
    known = rm.catalogue(items).items
    assert known is not None
    assert known["v"].to_list() == [[1.0, 2.0], [0.0, 1.5]]
    assert known["g"].to_list() == [{"m": 1.0, "n": None}, {"m": 2.5, "n": 0.5}]
    with pytest.raises(rm.DataError, match="'g' has dicts for some items and, such as 'x', something else"):
        rm.catalogue({"a": {"g": {"m": 1}}, "b": {"g": "x"}})


def test_every_door_says_to_give_what_is_known_before() -> None:
    said = r"Novelty@2 needs the interactions before: give train=…, a table of users and items"
    for call in (
        lambda: rm.evaluate(QRELS, RUN, "Novelty@2"),
        lambda: rm.compare(QRELS, {"a": RUN, "b": RUN}, "Novelty@2"),
        lambda: rm.gate(QRELS, RUN, RUN, "Novelty@2", max_drop="1%"),
        lambda: rm.explain(QRELS, RUN, "Novelty@2", query="u1"),
    ):
        with pytest.raises(rm.UsageError, match=said):
            call()


@pytest.mark.parametrize("had", [{1: [10], 2: [11]}, {"1": [10], "2": [11]}])
@pytest.mark.parametrize("run", [{1: [10], 2: [10], 3: [11]}, {"1": [10], "2": [10], "3": [11]}])
def test_users_are_found_whether_their_ids_are_integers_or_texts(had: Any, run: Any) -> None:
    known = rm.catalogue(train=had)
    for _ in range(2):  # their numbers are kept
        result = rm.evaluate(None, run, "NotInTrain", items=known)
        assert result.query_values("NotInTrain").tolist() == [0, 1, 1]


def test_a_json_file_can_say_what_each_item_is_like(tmp_path: Path) -> None:
    path = tmp_path / "items.json"
    path.write_text(
        json.dumps({"a": {"category": ["x", "y"], "price": 1}, "b": {"category": ["x"]}}, indent=1)
    )
    known = rm.catalogue(path)
    assert known.items is not None
    assert known.items.to_dict(as_series=False) == {
        "item": ["a", "b"],
        "category": [["x", "y"], ["x"]],
        "price": [1, None],
    }
    path.write_text('{"of": {"x": 1}, "item": "a"}\n{"of": {"x": 2}, "item": "b"}\n')
    read = rm.catalogue(path).items
    assert read is not None
    assert read["item"].to_list() == ["a", "b"]
    path.write_text('{"a": {"price": NaN}}')
    with pytest.raises(rm.FormatError, match=r"items\.json.*NaN is no number"):
        rm.catalogue(path)
    path.write_text('{"a": {"price": 1}, "a": {"price": 2}}')
    with pytest.raises(rm.FormatError, match="two values called 'a'"):
        rm.catalogue(path)
