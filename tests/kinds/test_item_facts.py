"""What is known of items, by their numbers, against tables worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rankmark._native import ItemNumbers
from rankmark.engines import local
from rankmark.inputs import read_inputs
from rankmark.inputs.catalogue import Numbered, catalogue
from rankmark.kinds.item_facts import Interactions, Judgements
from rankmark.language.plan import planned

NAN = np.nan


def test_judgements_know_the_grades_of_items_by_query() -> None:
    query, item = np.array([0, 2, 0, 2], dtype=np.int32), np.array([3, 1, 0, 3], dtype=np.int32)
    judged = Judgements(query, item, np.array([1.0, 0.0, 2.0, 5.0]), queries=3, items=4)
    assert judged.item.tolist() == [0, 3, 1, 3]
    assert judged.offsets.tolist() == [0, 2, 2, 4]
    found = judged.of(np.array([0, 0, 1, 2, 2, 2]), np.array([0, 1, 0, 3, 1, 9]))
    np.testing.assert_array_equal(found, [2, NAN, NAN, 5, 0, NAN])


def lists_of(qrels: Any, run: Any, items: list[str], *, best: bool = False, closed: bool = True) -> Any:
    """The tops of lists with the measure of a plan that looks at judgements."""
    judged, results = read_inputs(qrels, run, None)
    found = Numbered(catalogue(items, closed=closed), integer=False)
    duplicates = "best" if best else "first"
    groups = planned("EPC@5", None, {"duplicates": duplicates}, items=True).groups()
    block = local.observe(judged, results, groups, 1, found).with_items(found, "run")
    return block.observed[0].recommended


def test_items_that_are_judged_and_nowhere_else_have_numbers_after_the_others() -> None:
    lists = lists_of({"u": {"z": 2, "a": 1}, "v": {"b": 0}}, {"u": ["a", "b"]}, ["b", "a"])
    judged = lists.facts.judgements()
    assert (judged.item.tolist(), judged.grade.tolist()) == ([1, 2, 0], [1, 2, 0])
    assert judged.offsets.tolist() == [0, 2, 3]


def test_of_several_judgements_of_an_item_the_first_or_the_best_counts() -> None:
    qrels = [("u", "a", 1), ("u", "b", 1), ("u", "a", 3)]
    lists = [lists_of(qrels, {"u": ["a"]}, ["a", "b"], best=best) for best in (False, True)]
    assert [each.facts.judgements().grade.tolist() for each in lists] == [[1, 1], [3, 1]]


def test_items_that_are_not_known_have_numbers_by_rank_and_query() -> None:
    run = {"u": ["x", "a", "y"], "v": ["z", "x"], "w": ["y"]}
    lists = lists_of({"u": {"q": 1, "y": 2}, "v": {"p": 1}, "w": {"q": 1}}, run, ["a"], closed=False)
    assert lists.item.tolist() == [1, 0, 3, 2, 1, 3]
    assert (lists.facts.count, lists.facts.catalogued) == (4, 1)
    assert lists.facts.judgements().item.tolist() == [3, 4, 5, 4]  # q comes before p


def test_numbers_of_other_items_leave_what_is_known_as_it_was() -> None:
    qrels, _ = read_inputs({"u": {"a": 1, "c": 1}}, {"u": ["a"]}, None)
    numbers, _ = ItemNumbers.of([(qrels.table, "qrels", qrels.item)])
    more, _ = read_inputs({"u": {"x": 1, "a": 1}}, {"u": ["a"]}, None)
    opened = numbers.opened()
    rows = opened.rows(more.table, "qrels", more.item)
    assert (opened.ids(rows), len(numbers), len(opened)) == (["x", "a"], 2, 2)
    assert numbers.rows(more.table, "qrels", more.item).tolist() == [-1, 0]
    with pytest.raises(IndexError):
        numbers.ids(np.array([2], dtype=np.int32))


def test_what_users_had_is_a_set_each() -> None:
    user, item = np.array([1, 0, 1, 1, 1], dtype=np.int32), np.array([4, 2, 0, 4, 3], dtype=np.int32)
    train = Interactions(user, item, 3, 5)
    assert train.users_of.tolist() == [1, 0, 1, 1, 1]
    assert train.interactions.tolist() == [1, 0, 1, 1, 2]
    assert train.repeated
    item, offsets = train.of(np.array([2, 1, -1, 0]))
    assert (item.tolist(), offsets.tolist()) == ([0, 3, 4, 2], [0, 0, 3, 3, 4])
    asked = np.array([4, 1, 0, 2, 9], dtype=np.int32)
    had = train.had(np.array([1, -1, 0]), np.array([0, 2, 3, 5]), asked)
    assert had.tolist() == [True, False, False, True, False]
    assert train.both(np.array([4, 4, 9], dtype=np.int32), np.array([3, 2, 4], dtype=np.int32)).tolist() == [
        1,
        0,
        0,
    ]
