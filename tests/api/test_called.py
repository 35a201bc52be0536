"""Measures called with data: one list of grades, or labels and scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
from strategies import ALL_PAGES, at_most, grades, usable_measures

GRADES = [3, 2, 3, 0, 1, 2]
LABELS, SCORES = [1, 0, 1, 0], [3.0, 2.0, 1.0, 1.0]
any_measure: Any = rm
few = settings(max_examples=at_most(8))  # of each measure


def of(kind: str) -> pytest.MarkDecorator:
    """Every measure of this kind."""
    return pytest.mark.parametrize("name", [name for name, page in ALL_PAGES.items() if page.kind == kind])


def outcome(compute: Callable[[], float]) -> str:
    """The value, to the last bit, or what kind of error it is."""
    try:
        return compute().hex()
    except rm.RankmarkError as error:
        return type(error).__name__


@of("list")
@few
@given(data=st.data(), listed=st.lists(st.none() | grades, min_size=1, max_size=12), missed=st.lists(grades))
def test_a_list_has_the_value_of_its_tables(
    name: str, data: Any, listed: list[float | None], missed: list[float]
) -> None:
    measure = data.draw(usable_measures(name))
    judged = {f"d{place:02}": grade for place, grade in enumerate(listed) if grade is not None}
    assume(judged or missed)
    ideal = data.draw(st.permutations([*judged.values(), *missed]))
    qrels = {"q": judged | {f"missed{place}": grade for place, grade in enumerate(missed)}}
    run = {"q": [f"d{place:02}" for place in range(len(listed))]}
    expected = outcome(lambda: rm.evaluate(qrels, run, measure)[measure])
    assert outcome(lambda: measure(listed, ideal=ideal)) == expected
    if not missed:
        assert outcome(lambda: measure(tuple(listed))) == expected


@of("list")
@few
@given(
    data=st.data(),
    rows=st.lists(st.tuples(grades, st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=12),
)
def test_grades_and_scores_have_the_value_of_predictions(name: str, data: Any, rows: list[Any]) -> None:
    measure = data.draw(usable_measures(name))
    labels, scores, queries = (list(column) for column in zip(*rows, strict=True))
    assume(not (any(label % 1 for label in labels) and {*scores} <= {0, 1}))  # as if they were swapped
    table = {"label": labels, "score": scores, "query": queries}
    expected = outcome(lambda: rm.evaluate_predictions(table, measure)[measure])
    assert outcome(lambda: measure(labels, scores, queries=queries)) == expected
    alone = outcome(lambda: rm.evaluate_predictions(table | {"query": ["q"] * len(rows)}, measure)[measure])
    assert outcome(lambda: measure(labels, np.array(scores))) == alone


@of("row")
@few
@given(
    rows=st.lists(
        st.tuples(
            st.booleans(), st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 2), st.integers(1, 3)
        ),
        min_size=1,
        max_size=12,
    )
)
def test_labels_and_scores_have_the_value_of_predictions(name: str, rows: list[Any]) -> None:
    measure = rm.parse(name)
    labels, scores, queries, weights = (list(column) for column in zip(*rows, strict=True))
    table: dict[str, Any] = {"label": labels, "score": scores, "query": queries}
    beside = {"queries": queries} if measure.per_query else {}
    expected = outcome(lambda: rm.evaluate_predictions(table, measure)[measure])
    assert outcome(lambda: measure(labels, scores, **beside)) == expected
    expected = outcome(lambda: rm.evaluate_predictions(table | {"weight": weights}, measure)[measure])
    assert outcome(lambda: measure(labels, scores, weights=weights, **beside)) == expected


@of("class")
@few
@given(
    rows=st.lists(
        st.tuples(st.sampled_from("abc"), st.permutations([0.125, 0.25, 0.625]), st.sampled_from("abc")),
        min_size=1,
        max_size=12,
    )
)
def test_classes_have_the_value_of_predictions(name: str, rows: list[Any]) -> None:
    measure = rm.parse(name)
    labels, scores, predicted = (list(column) for column in zip(*rows, strict=True))
    classes = ["a", "b", "c"]
    expected = outcome(
        lambda: rm.evaluate_predictions({"label": labels, "score": scores}, measure, classes=classes)[measure]
    )
    for given_scores in (scores, np.array(scores)):
        assert outcome(lambda each=given_scores: measure(labels, each, classes=classes)) == expected
    table = {"label": labels, "predicted": predicted}
    expected = outcome(lambda: rm.evaluate_predictions(table, measure, predicted="predicted")[measure])
    assert outcome(lambda: measure(labels, predicted)) == expected


def test_the_worked_examples_of_the_pages() -> None:
    assert rm.nDCG(GRADES) == pytest.approx(0.960808, abs=1e-6)  # 6.861127 / 7.140995
    assert rm.AP([1, 0, 0, 1, 1, 1]) == pytest.approx((1 + 2 / 4 + 3 / 5 + 4 / 6) / 4)
    at_3 = rm.nDCG @ 3
    assert at_3([3, 2, 0], ideal=[3, 3, 2]) == pytest.approx((3 + 2 / np.log2(3)) / (4 + 3 / np.log2(3)))
    assert rm.AUC(LABELS, SCORES) == 0.625
    assert rm.GAUC([1, 0, 1], [0.1, 0.2, 0.3], queries=["a", "a", "b"]) == 0
    assert np.isnan(rm.AUC([1, 1], [0.1, 0.2]))


def test_parameters_are_set_by_keywords_with_data_and_without() -> None:
    assert rm.nDCG(gain="exp2") == rm.parse("nDCG(gain=exp2)")
    assert rm.nDCG(GRADES, gain="exp2") == rm.nDCG(gain="exp2")(GRADES)
    assert rm.nDCG([0, 2], ideal="retrieved") == rm.nDCG(ideal="retrieved")([0, 2])
    assert rm.LogLoss(["y", "n"], [0.2, 0.3], unit="bits", positive="y") > 1


@pytest.mark.parametrize(
    "given",
    [
        tuple(GRADES),
        np.array(GRADES),
        np.array(GRADES, dtype=np.float32),
        pl.Series(GRADES),
        pd.Series(GRADES, index=range(10, 16)),
        pd.Series(GRADES, dtype="Int64"),
    ],
)
def test_lists_are_taken_from_every_library(given: Any) -> None:
    assert rm.nDCG(given) == rm.nDCG(GRADES)
    assert rm.nDCG([3, 2], ideal=given) == rm.nDCG([3, 2], ideal=GRADES)
    scores = [0.6, 0.5, 0.4, 0.3, 0.2, 0.1]
    assert rm.MSE(given, pl.Series(scores)) == rm.MSE(GRADES, scores)


def test_none_is_an_item_that_is_not_judged() -> None:
    assert rm.Judged([1, None]) == 0.5
    assert rm.Judged(pl.Series([1, None])) == 0.5


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: any_measure.nDCG([]), "nDCG: the list is empty"),
        (lambda: any_measure.nDCG([None]), "nothing in the list is judged"),
        (lambda: any_measure.nDCG([1, float("nan")]), "grades holds nan at place 1 (from 0)"),
        (lambda: any_measure.nDCG([1, "high"]), "grades holds 'high' at place 1 (from 0), a str"),
        (lambda: any_measure.nDCG([[3, 2], [1, 0]]), "rm.evaluate_arrays(scores, grades, rm.nDCG)"),
        (lambda: any_measure.nDCG(np.ones((1, 2)), np.ones((1, 2))), "rm.evaluate_arrays("),
        (lambda: (any_measure.nDCG @ 3)({"a": 1}, {"a": 2}), "rm.evaluate(qrels, run, rm.nDCG @ 3)"),
        (lambda: any_measure.nDCG(pl.DataFrame({"a": [1]})), "rm.evaluate_predictions(table, rm.nDCG)"),
        (lambda: any_measure.nDCG(10), "the cutoff is written rm.nDCG @ 10"),
        (lambda: any_measure.nDCG(iter([1])), "make it a list"),
        (lambda: any_measure.nDCG({1, 2}), "a set has no order"),
        (lambda: any_measure.nDCG([3, 2], ideal=[3]), "grade 2 0 times, and the list 1 times"),
        (lambda: any_measure.nDCG([3, 2], ideal=3), "ideal=3 is no list"),
        (lambda: any_measure.nDCG([3], idael=[3]), "did you mean 'ideal'?"),
        (lambda: any_measure.AUC(y_true=LABELS, y_score=SCORES), "without names: (labels, scores)"),
        (lambda: any_measure.nDCG([3], weights=[3]), "weights= is said of labels and scores"),
        (lambda: any_measure.nDCG([1], [2], [3]), "is called with 3 lists"),
        (lambda: any_measure.nDCG([0.9, 0.1], [1, 0]), "rm.nDCG(labels, scores)"),
        (lambda: any_measure.AUC([0.9, 0.1], [1, 0]), "the first are fractions and the second 0 and 1"),
        (lambda: any_measure.AUC(LABELS), "AUC is called with labels and scores: rm.AUC(labels, scores)"),
        (lambda: any_measure.AUC(LABELS, SCORES, ideal=[1]), "ideal= is said of one list of grades"),
        (lambda: any_measure.AUC(LABELS, SCORES[:3]), "there are 4 labels and 3 scores; give one a row"),
        (lambda: any_measure.AUC([], []), "there are no labels and no scores"),
        (lambda: any_measure.AUC(LABELS, SCORES, queries=3), "queries=3 is no list of one for each row"),
        (lambda: any_measure.AUC(LABELS, [*SCORES[:3], float("nan")]), "1 NaN value, in row 3"),
        (lambda: any_measure.AUC(["a", "b"], [1, 2]), 'positive="b"'),
        (lambda: any_measure.AUC(LABELS, [[0.1, 0.9]] * 4), "of classes there is MulticlassAUC"),
        (lambda: any_measure.GAUC(LABELS, SCORES), "rm.GAUC(labels, scores, queries=users)"),
    ],
)
def test_other_data_are_refused_with_what_to_do(call: Callable[[], object], said: str) -> None:
    with pytest.raises((rm.UsageError, rm.DataError)) as raised:
        call()
    assert said in str(raised.value)
