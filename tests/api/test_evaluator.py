"""Evaluations in parts give what they give at once, in whatever order the parts are put together."""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.language.choices import Choices, go_together, values_of
from rankmark.results.archive import sealed
from strategies import at_most

MEASURES = ["nDCG@3", "AP", "RR", "NumRet", "infAP", "AP(mean=geometric)"]
CLOSED = [measure for measure in MEASURES if measure != "infAP"]
Rows = list[tuple[Any, Any, float]]

queries = st.sampled_from([f"q{number}" for number in range(8)])
rows = st.dictionaries(st.tuples(queries, st.integers(0, 9)), st.integers(-1, 3), min_size=1, max_size=50)


def of(table: Rows, part: set[str]) -> pl.DataFrame:
    schema = {"query": pl.String, "item": pl.Int64, "value": pl.Float64}
    return pl.DataFrame([row for row in table if row[0] in part], schema=schema, orient="row")


def halves(part: set[str], judged: Rows, returned: Rows) -> tuple[Any, Any]:
    qrels, run = of(judged, part), of(returned, part)
    return qrels.rename({"value": "relevance"}), run.rename({"value": "score"})


@settings(max_examples=at_most(40))
@given(
    judged=rows,
    returned=rows,
    parts=st.dictionaries(queries, st.integers(0, 3)),
    orders=st.tuples(st.permutations(range(4)), st.permutations(range(4))),
    ties=st.sampled_from(values_of("ties")),
    missing=st.sampled_from(["zero", "skip"]),
    unjudged=st.sampled_from(values_of("unjudged")),
    through_file=st.booleans(),
)
def test_any_parts_in_any_order_give_the_same(
    tmp_path_factory: pytest.TempPathFactory,
    judged: Any,
    returned: Any,
    parts: Any,
    orders: Any,
    ties: Any,
    missing: Any,
    unjudged: Any,
    through_file: Any,
) -> None:
    assume(go_together({"ties": ties, "unjudged": unjudged}))
    judged = [(query, item, grade) for (query, item), grade in judged.items()]
    returned = [(query, item, score) for (query, item), score in returned.items()]
    measures = CLOSED if ties == "expected" else MEASURES
    chosen = {"ties": ties, "missing": missing, "unjudged": unjudged}

    def evaluator(order: list[int], merge: bool) -> rm.Evaluator:
        whole = rm.Evaluator(measures, **chosen)
        for number in order:
            part = {query for query, _, _ in judged + returned if parts.get(query, 0) == number}
            qrels, run = halves(part, judged, returned)
            if qrels.is_empty() or run.is_empty():
                # A part needs rows of both; these queries come with one that has.
                continue
            one = rm.Evaluator(measures, **chosen) if merge else whole
            one.update(qrels, run)
            if merge:
                if through_file:
                    path = tmp_path_factory.getbasetemp() / "part"
                    one.save(path)
                    one = rm.Evaluator.load(path)
                whole.merge(one)
        return whole

    updated, merged = evaluator(orders[0], merge=False), evaluator(orders[1], merge=True)
    if repr(updated).endswith("; 0 queries>"):
        return
    given_parts = {
        number
        for number in range(4)
        if not any(
            table.is_empty()
            for table in halves(
                {q for q, _, _ in judged + returned if parts.get(q, 0) == number}, judged, returned
            )
        )
    }
    used = {query for query, _, _ in judged + returned if parts.get(query, 0) in given_parts}
    try:
        local = rm.evaluate(*halves(used, judged, returned), measures, **chosen)
    except rm.DataError:
        with pytest.raises(rm.DataError):
            updated.result()
        return
    one, other = updated.result(), merged.result()
    assert one.per_query.equals(other.per_query)
    assert one.values == pytest.approx(other.values, rel=0, abs=0, nan_ok=True)
    assert one.per_query.equals(local.per_query.sort("query"))
    assert one.values == pytest.approx(local.values, rel=1e-12, nan_ok=True)
    assert one.counts == other.counts == local.counts
    assert one.signature("AP") == local.signature("AP")
    files = []
    for each in (updated, merged):
        path = tmp_path_factory.getbasetemp() / "whole"
        each.save(path)
        files.append(path.read_bytes())
    assert files[0] == files[1]


def test_more_can_be_added_after_a_result() -> None:
    evaluator = rm.Evaluator("RR")
    evaluator.update({"a": {"x": 1}}, {"a": ["x"]})
    assert evaluator.result()["RR"] == 1
    evaluator.update({"b": {"x": 1}}, {"b": ["y", "x"]})
    assert evaluator.result()["RR"] == 0.75
    assert evaluator.result().query_ids == ["a", "b"]
    assert repr(evaluator) == "<Evaluator RR; 2 queries>"


def test_a_query_in_two_parts_is_named_and_changes_nothing() -> None:
    evaluator = rm.Evaluator("RR")
    evaluator.update({"a": {"x": 1}, "b": {"x": 1}}, {"a": ["x"], "n": ["x"]})
    with pytest.raises(rm.DataError, match=r"query 'b' was given before; give each query once and whole"):
        evaluator.update({"b": {"x": 1}, "c": {"x": 1}}, {"c": ["x"]})
    with pytest.raises(rm.DataError, match="query 'n' was given before"):
        evaluator.update({"n": {"x": 1}}, {"n": ["x"]})  # whose results came without judgements
    with pytest.raises(rm.DataError, match="query 'a' was given before, and so were 2 others"):
        evaluator.merge(evaluator)
    evaluator.update({"c": {"x": 1}}, {"c": ["x"]})
    assert evaluator.result().query_ids == ["a", "b", "c"]


def test_a_query_in_two_parts_can_be_kept_apart() -> None:
    days = [rm.Evaluator("RR, P@1", repeated="apart") for _ in range(3)]
    for day, items in zip(days, (["x"], ["y", "x"], ["y"]), strict=True):
        day.update({"a": {"x": 1}}, {"a": items, "n": ["x"]})
    one, other = (rm.Evaluator("RR, P@1", repeated="apart") for _ in range(2))
    for day in days:
        one.merge(day)
    for day in reversed(days):
        other.merge(day)
    result = one.result()
    assert result.per_query.equals(other.result().per_query)
    assert result["RR"] == 0.5
    assert (result.counts.judged, result.counts.unjudged) == (3, 3)


def test_of_a_query_in_two_parts_the_first_can_be_taken(tmp_path: Path) -> None:
    """As a sampler repeats queries, so that all workers have equally many."""
    qrels = {f"q{n}": {"x": 1, "y": n % 2} for n in range(5)} | {"q4": {"x": 0}}  # nothing relevant: NaN
    run = {f"q{n}": {"z": 3.0, "x": 2.0, "y": n} for n in range(5)} | {"n": {"x": 1.0}}

    def worker(*queries: str) -> rm.Evaluator:
        made = rm.Evaluator("nDCG@10, RR", repeated="first", no_relevant="skip")
        for query in queries:  # each with a query without judgements
            made.update({query: qrels[query]}, {each: run[each] for each in (query, "n")})
        return made

    workers = [worker("q0", "q3", "q1"), worker("q1", "q4", "q0", "q0"), worker("q2", "q4")]
    whole = worker("q0")
    for number, each in enumerate(workers):
        each.save(tmp_path / f"{number}")
        whole.merge(rm.Evaluator.load(tmp_path / f"{number}"))
    back = worker("q2")
    for each in reversed(workers):
        back.merge(each)
    once = rm.Evaluator("nDCG@10, RR", no_relevant="skip")
    once.update(qrels, run)
    assert whole.result().values == back.result().values == once.result().values
    assert whole.result().per_query.equals(once.result().per_query)
    assert whole.result().counts == once.result().counts
    assert whole.dropped == 20 - 6  # which came, and which there are
    (note,) = [note for note in whole.result().notes if "came again" in note]
    assert note == f"queries that were there came again {whole.dropped} times and were dropped"


def test_a_query_that_comes_again_with_other_values_is_told_of() -> None:
    evaluator = rm.Evaluator("RR", repeated="first")
    evaluator.update({"a": {"x": 1}, "b": {"x": 1}}, {"a": ["x"], "b": ["y", "x"], "n": ["x"]})
    evaluator.update({"a": {"x": 1}, "b": {"x": 1}}, {"a": ["y", "x"], "b": ["y", "x"]})
    evaluator.update({"n": {"x": 1}, "c": {"x": 1}}, {"c": ["x"]})  # which is judged now
    result = evaluator.result()
    assert result.query_ids == ["a", "b", "c"]
    assert result.query_values("RR").tolist() == [1, 0.5, 1]
    assert evaluator.dropped == 3
    assert "came again 3 times and were dropped, 2 times with other values than at first" in result.notes[0]


def test_who_drops_repeats_takes_from_who_refuses_them() -> None:
    whole, part = rm.Evaluator("RR", repeated="first"), rm.Evaluator("RR")
    part.update({"a": {"x": 1}}, {"a": ["x"]})
    for _ in range(2):
        whole.merge(part)
    assert (whole.result()["RR"], whole.dropped, whole.repeated) == (1, 1, "first")
    with pytest.raises(rm.DataError, match="query 'a' was given before"):
        part.merge(whole)


def test_what_is_saved_is_had_as_bytes(tmp_path: Path) -> None:
    evaluator = rm.Evaluator("RR")
    evaluator.update({"a": {"x": 1}}, {"a": ["x"]})
    evaluator.save(tmp_path / "saved")
    assert evaluator.to_bytes() == (tmp_path / "saved").read_bytes()
    assert rm.Evaluator.from_bytes(evaluator.to_bytes()).result()["RR"] == 1
    with pytest.raises(rm.FormatError, match="given as bytes holds no saved evaluator"):
        rm.Evaluator.from_bytes(b"evaluator")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: rm.Evaluator("AP"), r"of different measures do not merge: \['RR'\] and \['AP'\]"),
        (lambda: rm.Evaluator("RR", ties="best"), "of different ties do not merge: 'item-desc' and 'best'"),
        (lambda: rm.Evaluator("RR", repeated="apart"), "of different repeated"),
        (lambda: rm.Evaluator("RR", like="ranx"), "of different convention"),
        (dict, "dict is no Evaluator"),
    ],
)
def test_what_does_not_merge_is_said(other: Any, message: Any) -> None:
    with pytest.raises(rm.UsageError, match=message):
        rm.Evaluator("RR").merge(other())


def test_ids_of_another_type_are_refused() -> None:
    evaluator = rm.Evaluator("RR")
    evaluator.update({"a": {"x": 1}}, {"a": ["x"]})
    with pytest.raises(rm.IdTypeError, match="the query ids are such as 1, those before such as 'a'"):
        evaluator.update([(1, "x", 1)], [(1, "x", 0.5)])
    with pytest.raises(rm.IdTypeError, match="the item ids are such as 2"):
        evaluator.update([("b", 2, 1)], [("b", 2, 0.5)])


def test_conventions_and_choices_hold_as_in_evaluate() -> None:
    qrels, run = (
        {"a": {"x": 1, "y": 3}, "b": {"x": 0}},
        {"a": {"z": 1.0, "y": 1.0, "x": 0.5}, "b": {"x": 1.0}},
    )
    for options in (
        {"like": "lightgbm"},
        {"like": "ranx"},
        {"ties": "random", "seed": 3},
        {"no_relevant": "one"},
    ):
        evaluator = rm.Evaluator("nDCG@10", **options)
        for query in reversed(qrels):
            evaluator.update({query: qrels[query]}, {query: run[query]})
        local = rm.evaluate(qrels, run, "nDCG@10", **options)
        assert evaluator.result().to_json(per_query=True) == local.to_json(per_query=True)


def test_what_is_refused_by_choice_is_refused() -> None:
    strict = rm.Evaluator("RR", missing="error", unjudged_queries="error")
    with pytest.raises(rm.DataError, match="without judgements"):
        strict.update({"a": {"x": 1}}, {"a": ["x"], "b": ["x"]})
    strict.update({"a": {"x": 1}, "b": {"x": 1}}, {"a": ["x"]})
    with pytest.raises(rm.DataError, match=r"no results for 1 query \('b'\)"):
        strict.result()
    with pytest.raises(rm.DataError, match="has been given nothing yet"):
        rm.Evaluator("RR").result()
    with pytest.raises(rm.ChoiceError, match="repeated='twice' is not one of error, apart, first"):
        rm.Evaluator("RR", repeated="twice")  # type: ignore[arg-type]


# --- Files --------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    evaluator = rm.Evaluator(["nDCG(gain={1: 3, 2: 7})@5", "P@1"], like="ranx", missing="skip")
    evaluator.update({1: {2: 1, 3: 2}, 2: {3: 1}}, {1: {3: 0.5}, 4: {5: 0.1}})
    evaluator.save(tmp_path / "evaluator")
    return tmp_path / "evaluator"


def changed(path: Path, name: str, content: bytes | None) -> None:
    """The file with another part, or without it, and with the checksum that it has then."""
    with zipfile.ZipFile(path) as archive:
        parts = {each: archive.read(each) for each in archive.namelist()}
    changed = {**parts, name: content}
    path.write_bytes(sealed({each: part for each, part in changed.items() if part is not None}))


def header(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("evaluator.json"))


def test_what_is_loaded_goes_on_as_what_was_saved(saved: Any) -> None:
    evaluator = rm.Evaluator.load(saved)
    with pytest.raises(rm.DataError, match="query 4 was given before"):
        evaluator.update({4: {5: 1}}, {4: {5: 1.0}})
    evaluator.update({7: {2: 1}}, {7: {2: 1.0}})
    assert evaluator.result().query_ids == [1, 2, 7]
    assert evaluator.result().counts.unjudged == 1
    assert evaluator.result().convention == "ranx-0.3.21"


def test_an_empty_evaluator_can_be_saved(tmp_path: Path) -> None:
    rm.Evaluator("RR").save(tmp_path / "empty")
    loaded = rm.Evaluator.load(tmp_path / "empty")
    loaded.update({"a": {"x": 1}}, {"a": ["x"]})
    assert loaded.result()["RR"] == 1


def test_functions_are_not_saved(tmp_path: Path) -> None:
    with pytest.raises(rm.UsageError, match="has a function for a parameter, which cannot be saved"):
        rm.Evaluator(rm.nDCG(gain=lambda grade: grade)).save(tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_files_that_are_none_are_refused(saved: Any, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("evaluator")
    with pytest.raises(rm.FormatError, match="holds no saved evaluator, or is damaged"):
        rm.Evaluator.load(tmp_path / "text")
    with pytest.raises(rm.FileMissingError, match="there is no file"):
        rm.Evaluator.load(tmp_path / "nothing")
    content = bytearray(saved.read_bytes())
    content[len(content) // 2] ^= 1
    (tmp_path / "flipped").write_bytes(content)
    with pytest.raises(rm.FormatError, match="damaged"):
        rm.Evaluator.load(tmp_path / "flipped")
    (tmp_path / "cut").write_bytes(content[:-30])
    with pytest.raises(rm.FormatError, match="damaged"):
        rm.Evaluator.load(tmp_path / "cut")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 99, "rankmark": "9.0"}, "was saved by rankmark 9.0 in format 99; this is"),
        ({"measures": ["nDCG@5", "P@1", "AP"]}, "has other columns than its measures need"),
        ({"measures": ["NDGC"]}, "cannot be read: no measure 'NDGC'"),
        ({"choices": asdict(Choices()) | {"ties": "never"}}, "cannot be read: ties='never' is not one of"),
        ({"choices": {"luck": 1}}, "cannot be read: evaluator.json.choices is not what rankmark saves"),
        ({"hits": True}, "cannot be read: evaluator.json.hits is not what"),
        ({"luck": 1}, "cannot be read: evaluator.json is not what"),
        ({"repeated": "often"}, "cannot be read: repeated='often'"),
        ({"tables": [1, 2]}, "cannot be read"),
    ],
)
def test_headers_that_do_not_fit_are_refused(saved: Any, change: Any, message: Any) -> None:
    changed(saved, "evaluator.json", json.dumps(header(saved) | change).encode())
    with pytest.raises(rm.FormatError, match=message):
        rm.Evaluator.load(saved)


def test_parts_that_do_not_fit_are_refused(saved: Any) -> None:
    whole = saved.read_bytes()
    for name, content in {
        "evaluator.json": b"{",
        "queries.arrow": b"ARROW1",
        "others.arrow": None,
    }.items():
        saved.write_bytes(whole)
        changed(saved, name, content)
        with pytest.raises(rm.FormatError, match=r"no readable|damaged|cannot be read"):
            rm.Evaluator.load(saved)
    saved.write_bytes(whole)
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("evaluator.json", b"0" * 10_000_000)
    with pytest.raises(rm.FormatError, match="is compressed"):
        rm.Evaluator.load(saved)


def test_what_keeps_numbers_from_being_a_tools_is_told_of_all_parts(tmp_path: Path) -> None:
    whole, other = rm.Evaluator("ndcg", like="trec_eval"), rm.Evaluator("ndcg", like="trec_eval")
    whole.update({"q1": {"a": 1}}, {"q1": {"a": 0.5}})
    assert ", as in trec_eval" in " ".join(whole.result().account())
    other.update({"q2": {"a": 0.5}}, {"q2": {"a": 0.5}})
    whole.merge(other)
    whole.save(tmp_path / "saved")
    for result in (whole.result(), rm.Evaluator.load(tmp_path / "saved").result()):
        assert [note for note in result.notes if "Fractional grades" in note]
        assert ", as in trec_eval" not in " ".join(result.account())


def test_lists_that_are_upside_down_are_told_of_in_parts(tmp_path: Path) -> None:
    qrels = {f"q{n}": {"a": 1} for n in range(100)}
    run = {f"q{n}": {"a": 0.0, "b": 1.0, "c": 2.0} for n in range(100)}
    (note,) = [note for note in rm.evaluate(qrels, run, "AP").notes if "below" in note]
    whole = rm.Evaluator("AP")
    for part in (range(50), range(50, 100)):
        queries = [f"q{n}" for n in part]
        whole.update({q: qrels[q] for q in queries}, {q: run[q] for q in queries})
    whole.save(tmp_path / "saved")
    assert note in whole.result().notes
    assert note in rm.Evaluator.load(tmp_path / "saved").result().notes
