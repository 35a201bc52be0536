"""What hooks compute of labels that stay and scores that come anew, beside evaluations of tables."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.hooks.prepared import Asked, sizes_of, together
from strategies import PAGES, at_most, grades, usable_measures

RNG = np.random.default_rng(5)
SIZES = np.array([1, 7, 30, 2, 64, 65, 3])
GROUPS = np.repeat(np.arange(len(SIZES)), SIZES)
GRADES = RNG.integers(0, 4, len(GROUPS))
SCORES = RNG.normal(size=len(GROUPS)).round(1)
CLICKS = (GRADES > 2).astype(int)


def outcome(compute: Any) -> Any:
    """The values, to the last bit, or what kind of error it is."""
    try:
        return {str(measure): value.hex() for measure, value in compute().items()}
    except rm.RankmarkError as error:
        return type(error).__name__


# Some are equal though their bits differ, some differ in the last bit alone.
FINE = [-3.0, -0.0, 0.0, 0.1, 1.0, np.nextafter(1.0, 2.0), np.nextafter(1.0, 0.0), 1e300]


@pytest.mark.filterwarnings("ignore:the labels have fractions")
@pytest.mark.parametrize("ties", [None, "input", "best", "worst"])
@pytest.mark.parametrize("name", PAGES)
@settings(max_examples=at_most(5))
@given(
    data=st.data(),
    rows=st.lists(st.tuples(grades, st.sampled_from(FINE), st.integers(0, 2)), min_size=1, max_size=24),
)
def test_lists_have_the_values_of_a_table(name: str, ties: Any, data: Any, rows: list[Any]) -> None:
    measure = data.draw(usable_measures(name))
    labels, scores, groups = map(np.array, zip(*sorted(rows, key=lambda row: row[2]), strict=True))
    table = {"label": labels, "score": scores, "query": groups}
    expected = outcome(lambda: rm.evaluate_predictions(table, measure, ties=ties).values)
    asked = Asked(measure, ties=ties)
    assert outcome(lambda: asked.values(labels, scores, sizes_of(groups))) == expected
    assert outcome(lambda: asked.values(labels, scores, sizes_of(groups))) == expected


@pytest.mark.parametrize("scores", [SCORES, RNG.normal(size=len(GROUPS)), np.zeros(len(GROUPS))])
def test_measures_of_all_kinds_at_once(scores: Any) -> None:
    measures = "nDCG@10, AP@20, AUC, GAUC, RR, P@5, KS"
    expected = rm.evaluate_predictions({"label": CLICKS, "score": scores, "query": GROUPS}, measures)
    values = Asked(measures).values(CLICKS, scores, SIZES)
    assert {str(measure): value for measure, value in values.items()} == expected.values


def test_weights_are_of_rows_and_queries_weigh_the_mean_of_theirs() -> None:
    weights = np.random.default_rng(6).uniform(0.5, 2, len(GROUPS))
    table = {"label": CLICKS, "score": SCORES, "query": GROUPS, "weight": weights}
    asked = Asked("AUC, nDCG@10")
    auc, ndcg = asked.values(CLICKS, SCORES, SIZES, weights).values()
    assert auc == rm.evaluate_predictions(table, "AUC")["AUC"]
    each = rm.evaluate_predictions(table, "nDCG@10", weight="").per_query["nDCG@10"].to_numpy()
    of_queries = np.array([weights[group == GROUPS].mean() for group in range(len(SIZES))])
    assert ndcg == pytest.approx(np.average(each, weights=of_queries))
    again = asked.values(CLICKS, SCORES, SIZES, of_queries)  # one a query
    assert list(again.values())[1] == pytest.approx(ndcg)
    plain = Asked("AUC, nDCG@10", weighted=False).values(CLICKS, SCORES, SIZES, weights)
    assert plain == asked.values(CLICKS, SCORES, SIZES)


def test_logits_are_made_probabilities_where_a_measure_takes_them() -> None:
    logits = np.random.default_rng(7).normal(0, 40, len(CLICKS))  # many have a probability of exactly 1
    table = {"label": CLICKS, "score": 1 / (1 + np.exp(-logits))}
    log_loss, accuracy, auc = Asked("LogLoss, Accuracy, AUC", logits=True).values(CLICKS, logits).values()
    expected = rm.evaluate_predictions(table, "LogLoss, Accuracy")
    assert (log_loss, accuracy) == pytest.approx((expected["LogLoss"], expected["Accuracy"]))
    assert auc == rm.evaluate_predictions({**table, "score": logits}, "AUC")["AUC"]


def test_scores_that_are_no_probabilities_are_said_to_be_logits_by_an_option() -> None:
    with pytest.raises(rm.DataError, match=r"outside of 0 to 1.* and say logits=True of logits$"):
        Asked("LogLoss").values(CLICKS, SCORES)


def test_classes_have_a_score_each() -> None:
    rng = np.random.default_rng(8)
    labels, scores = rng.integers(0, 3, 50), rng.dirichlet(np.ones(3), 50)
    (accuracy, loss) = Asked("Accuracy, LogLoss").values(labels, scores).values()
    expected = rm.evaluate_predictions({"label": labels, "score": scores}, "Accuracy, LogLoss")
    assert [accuracy, loss] == [*expected.values.values()]
    logits = np.log(scores) + 3
    assert [*Asked("LogLoss", logits=True).values(labels, logits).values()] == pytest.approx([loss])


def test_labels_that_change_in_place_are_seen() -> None:
    labels, asked = CLICKS.copy(), Asked("nDCG@10")
    before = asked.values(labels, SCORES, SIZES)
    labels[:] = 1 - labels
    assert asked.values(labels, SCORES, SIZES) != before


def test_what_is_sent_elsewhere_holds_no_labels() -> None:
    asked = Asked(iter(["nDCG@10", rm.AP(rel=2)]), ties="best")
    before, values = len(pickle.dumps(asked)), asked.values(GRADES, SCORES, SIZES)
    sent = pickle.dumps(asked)
    assert len(sent) == before
    for again in (pickle.loads(sent), deepcopy(asked)):
        assert again.values(GRADES, SCORES, SIZES) == values


@pytest.mark.parametrize(
    ("measures", "arguments", "said"),
    [
        ("nDCG@10", (GRADES, SCORES), "nDCG@10 is a value of each group"),
        ("GAUC", (CLICKS, SCORES), "GAUC is a value of each group"),
        (
            "nDCG@10",
            (GRADES, SCORES, SIZES[:2]),
            "that add up to 8, and the data set has 172 rows",
        ),
        ("AUC", (GRADES, SCORES), "AUC takes binary labels"),
        ("LogLoss", (CLICKS, SCORES), "LogLoss takes probabilities"),
        (
            "nDCG",
            (GRADES, np.where(GROUPS == 3, np.nan, SCORES), SIZES),
            "2 rows NaN for a score, the first is row 38",
        ),
        ("AUC", (CLICKS, SCORES[1:]), "there are 171 scores and 172 labels"),
        ("AUC", (CLICKS, SCORES, None, -GRADES), "weights are finite numbers from 0"),
        ("AUC", (CLICKS, SCORES, None, [1, 2]), "there are 2 weights and 172 rows"),
        ("NumRel", (CLICKS, SCORES, SIZES, GRADES + 1), "weighted=False leaves them out"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(measures: str, arguments: Any, said: str) -> None:
    with pytest.raises((rm.DataError, rm.MeasureError)) as raised:
        Asked(measures).values(*arguments)
    assert said in str(raised.value)


def test_groups_have_to_stand_together() -> None:
    assert sizes_of(["b", "b", "a"]).tolist() == [2, 1]
    with pytest.raises(rm.DataError, match="do not stand together"):
        sizes_of([1, 2, 1])


@pytest.mark.parametrize("ids", [[1, "a", 1, (2,)], ["b", "", "b", "a"], [2.5, 1.0, 2.5, 3.0]])
def test_ids_of_groups_need_no_order(ids: list[Any]) -> None:
    column = np.empty(4, dtype=object)
    column[:] = ids
    order, sizes = together(column)
    assert (order.tolist(), sizes.tolist()) == ([0, 2, 1, 3], [2, 1, 1])


@pytest.mark.parametrize("ids", [["a", None], [1.0, np.nan], np.array(["a", np.nan], dtype=object)])
def test_a_row_without_a_group_is_told(ids: Any) -> None:
    for grouped in (sizes_of, together):
        with pytest.raises(rm.DataError, match=r"row 1 \(from 0\) has no group"):
            grouped(ids)
    with pytest.raises(rm.DataError, match=r"the shape \(2, 1\); give the group of each row"):
        sizes_of([["a"], ["b"]])


def test_no_rows_have_no_groups() -> None:
    assert sizes_of([]).tolist() == []


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost", "scorer"])
def test_what_is_asked_wrongly_is_told_when_a_hook_is_made(name: str) -> None:
    hook = getattr(rm.hooks, name)
    with pytest.raises(rm.ChoiceError, match=f"{name} has no argument 'tie'; did you mean 'ties'"):
        hook("AUC", tie="best")
    with pytest.raises(rm.MeasureError, match="no measure 'nDGC'; did you mean 'nDCG'"):
        hook("nDGC@10")
    with pytest.raises(rm.CallError, match=rf"{name}\(\) lacks measure"):
        hook()
    with pytest.raises(rm.ChoiceError, match="ties='bset' is not one of"):
        hook("nDCG@10", ties="bset")
