"""What is known of items, by their numbers, against tables worked out by hand."""

from __future__ import annotations

import numpy as np

from rankmark._native import ItemNumbers
from rankmark.inputs import read_inputs
from rankmark.inputs.catalogue import catalogue, numbered
from rankmark.kinds.item_facts import Judgements

NAN = np.nan


def test_judgements_know_the_grades_of_items_by_query() -> None:
    query, item = np.array([0, 2, 0, 2], dtype=np.int32), np.array([3, 1, 0, 3], dtype=np.int32)
    judged = Judgements(query, item, np.array([1.0, 0.0, 2.0, 5.0]), queries=3, items=4)
    assert judged.item.tolist() == [0, 3, 1, 3]
    assert judged.offsets.tolist() == [0, 2, 2, 4]
    found = judged.of(np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 0, 3, 1, 9]))
    np.testing.assert_array_equal(found, [2, NAN, NAN, 5, 0, NAN])


def test_items_that_are_judged_and_nowhere_else_have_numbers_after_the_others() -> None:
    qrels, run = read_inputs({"u": {"z": 2, "a": 1}, "v": {"b": 0}}, {"u": ["a", "b"]}, None)
    found = numbered(catalogue(["b", "a"]), run, qrels)
    judged = found.facts(
        qrels.table.take(qrels.query, np.array([0, 2], dtype=np.uint32), "query")
    ).judgements()
    assert found.numbers.ids() == ["b", "a"]
    assert (judged.item.tolist(), judged.grade.tolist()) == ([1, 2, 0], [1, 2, 0])
    assert judged.offsets.tolist() == [0, 2, 3]


def test_of_several_judgements_of_an_item_the_first_or_the_best_counts() -> None:
    qrels, run = read_inputs([("u", "a", 1), ("u", "b", 1), ("u", "a", 3)], {"u": ["a"]}, None)
    grades = []
    for best in (False, True):
        facts = numbered(catalogue(["a", "b"]), run, qrels, best=best).facts
        ids = qrels.table.take(qrels.query, np.zeros(1, dtype=np.uint32), "query")
        grades.append(facts(ids).judgements().grade.tolist())
    assert grades == [[1, 1], [3, 1]]


def test_numbers_of_more_items_leave_the_dictionary_as_it_was() -> None:
    qrels, _ = read_inputs({"u": {"a": 1, "c": 1}}, {"u": ["a"]}, None)
    numbers, _ = ItemNumbers.of([(qrels.table, "qrels", qrels.item)])
    more, _ = read_inputs({"u": {"x": 1, "a": 1}}, {"u": ["a"]}, None)
    extended, rows = numbers.with_rows(more.table, "qrels", more.item)
    assert (rows.tolist(), extended.ids(), numbers.ids()) == ([2, 0], ["a", "c", "x"], ["a", "c"])
