"""Pictures of what a measure rewards show the measure's own values."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from documentation.built import DOCS

sys.path.append(str(DOCS))

from _generators.rewards import picture_of
from _generators.scenes import curves_of

from rankmark.language.coefficient import coefficient_pages
from rankmark.language.registry import pages


def test_the_only_relevant_item_that_falls_is_worth_its_reciprocal_rank() -> None:
    curves = {each.name: each for each in curves_of(pages()["RR"])}
    assert np.allclose(curves["the only one"].of("RR"), 1 / np.arange(1, 21))
    assert np.allclose(curves["the only one, with the cutoff @10"].of("RR")[10:], 0)


def test_scores_that_come_apart_go_from_chance_to_order() -> None:
    auc = next(curves_of(pages()["AUC"])).of("AUC")
    assert auc[0] == pytest.approx(0.5)
    assert (np.diff(auc) > -1e-12).all()
    assert auc[-1] > 0.99


def test_rankings_that_come_to_differ_agree_less() -> None:
    tau = next(curves_of(coefficient_pages()["Tau"])).of("Tau")
    assert tau[0] == pytest.approx(1)
    assert (np.diff(tau) < 0).all()


def test_a_picture_says_in_words_what_is_to_be_seen() -> None:
    figure = picture_of(pages()["PCOPC"])
    assert figure is not None
    assert "The odds of all predictions are multiplied: PCOPC is" in figure.description


def test_what_is_the_same_in_all_scenes_has_no_picture() -> None:
    assert picture_of(pages()["NumQ"]) is None
