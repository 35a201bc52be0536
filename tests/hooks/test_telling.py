"""What hooks warn of, each once."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from rankmark.hooks.batches import Batches
from rankmark.hooks.telling import Told


@pytest.mark.filterwarnings("error")
def test_labels_and_scores_that_look_swapped_are_told_once() -> None:
    metric = rm.hooks.lightgbm("nDCG@10")
    with pytest.warns(UserWarning, match="2 different ones: are the two swapped"):
        metric([0.1, 0.9, 0.3], [1, 0, 1], None, [3])
    metric([0.1, 0.9, 0.3], [1, 0, 0], None, [3])  # it has been said
    for labels, scores in (([1, 0, 1], [0.1, 0.9, 0.3]), ([0.1, 0.9, 0.3], [0, 0, 0])):
        Told().swapped(labels, scores)
    clicks, queries = np.array([1, 0, 1]), np.array([7, 7, 7])
    with pytest.warns(UserWarning, match="are the two swapped"):
        Batches("nDCG", None, "error", "error", False, {}, Batches).part(
            clicks, np.array([0.1, 0.9, 0.3]), queries
        )


def test_what_keeps_a_number_from_being_a_tools_is_told() -> None:
    batches = Batches("RetrievalMAP", "torchmetrics", "error", "error", False, {}, Batches)
    labels, queries = np.array([1, 0, 1]), np.array([7, 7, 7])
    batches.value_of(batches.part(np.array([0.3, 0.2, 0.1]), labels, queries))
    with pytest.warns(UserWarning, match="Scores of 0 and below: AP, MRR, precision and recall"):
        batches.value_of(batches.part(np.array([0.3, 0.2, -0.1]), labels, queries))


@pytest.mark.parametrize("measures", ["nDCG", "nDCG, AUC"])
def test_options_that_are_not_there_are_refused_by_the_name_of_the_hook(measures: str) -> None:
    said = "Batches has no argument 'topk'; a cutoff is said with its measure, as in nDCG@10"
    with pytest.raises(rm.UsageError, match=said):
        Batches(measures, None, "error", "error", False, {"topk": 3}, Batches)
    with pytest.raises(rm.UsageError, match="lightgbm has no argument 'k'; a cutoff is said with"):
        rm.hooks.lightgbm("nDCG", k=10)  # type: ignore[call-arg]


def test_lists_of_several_classes_are_refused() -> None:
    with pytest.raises(rm.MeasureError, match=r"nDCG@10 takes one score in a row, .* each of 3 classes"):
        rm.hooks.lightgbm("nDCG@10")([0, 1, 2], np.eye(3), None, [3])


def test_sizes_in_the_place_of_groups_are_told() -> None:
    with pytest.raises(rm.DataError, match=r"sizes of groups, give the group of each row: np.repeat"):
        rm.hooks.catboost("nDCG", group_id=[3, 2, 3])


def test_metrics_show_their_measures() -> None:
    assert repr(rm.hooks.lightgbm("nDCG@10, AP")) == "rankmark.hooks.lightgbm(nDCG@10, AP)"
    assert repr(rm.hooks.xgboost("nDCG@10")) == "rankmark.hooks.xgboost(nDCG@10)"
    assert repr(rm.hooks.catboost("AUC")) == "rankmark.hooks.catboost(AUC)"
