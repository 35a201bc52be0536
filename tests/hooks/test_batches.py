"""Batches of loops, whatever library they come from."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from rankmark.hooks.batches import Batches

SCORES, GRADES, QUERIES = np.array([0.1, 0.4, 0.9]), np.array([1, 0, 0]), np.array([7, 7, 7])


def test_a_mask_of_rows_may_be_of_numbers() -> None:
    for mask in (np.array([1, 1, 0]), np.array([True, True, False])):
        part = Batches("RR", None, "error", "error", False, {}, Batches).part(
            SCORES, GRADES, QUERIES, mask=mask
        )
        assert part.result()["RR"] == 0.5


def test_what_measures_do_not_look_at_is_refused() -> None:
    with pytest.raises(rm.UsageError, match="measures of lists do not look at weights: take it out"):
        Batches("RR", None, "error", "error", False, {}, Batches).part(
            SCORES, GRADES, QUERIES, weights=SCORES
        )
    with pytest.raises(rm.UsageError, match="measures of predictions do not look at mask: take it out"):
        Batches("AUC", None, "error", "error", False, {}, Batches).part(SCORES, GRADES, mask=GRADES)


def test_scores_that_are_no_probabilities_are_said_to_be_logits_by_an_option() -> None:
    batches = Batches("LogLoss", None, "error", "error", False, {}, Batches)
    with pytest.raises(rm.DataError, match=r"outside of 0 to 1.* and say logits=True of logits$"):
        batches.part(np.array([-2.0, 3.0]), np.array([0, 1]))
