"""The choices at every door: the same words, and no others."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.language.choices import Choices, values_of

QRELS = {"q": {"a": 1, "b": 0}}
RUN = {"q": {"a": 1.0, "b": 1.0}}
SCORES = np.array([[0.5, 0.5, 0.1]])
JUDGED = [[1]]

DOORS: dict[str, Callable[..., Any]] = {
    "Evaluator": lambda **choices: rm.Evaluator("RR", **choices),
    "evaluate_arrays": lambda **choices: rm.evaluate_arrays(SCORES, JUDGED, "RR", **choices)["RR"],
    "evaluate_factors": lambda **choices: rm.evaluate_factors(
        np.ones((1, 1)), SCORES.T, JUDGED, "RR", **choices
    )["RR"],
    "evaluate_model": lambda **choices: rm.evaluate_model(
        lambda users, k: [["b", "a"][:k] for _ in users], QRELS, "RR@2", **choices
    )["RR@2"],
    "agree": lambda **choices: rm.agree(RUN, RUN, "Tau", **choices)["Tau"],
    "agree_on_systems": lambda **choices: rm.agree_on_systems(
        {"one": QRELS}, {"x": RUN, "y": RUN}, ["RR", "AP"], **choices
    ),
    "compare": lambda **choices: rm.compare(QRELS, {"x": RUN, "y": RUN}, "RR", **choices),
    "gate": lambda **choices: rm.gate(QRELS, RUN, RUN, "RR", max_drop=0, **choices).passed,
    "explain": lambda **choices: rm.explain(QRELS, RUN, "RR", query="q", **choices).value,
    "differences": lambda **choices: (
        rm.differences(QRELS, RUN, "nDCG@10", like=["ranx", "sklearn"], **choices).values
    ),
}
every_door = pytest.mark.parametrize("door", DOORS)


@every_door
def test_what_is_no_choice_is_refused_with_what_comes_near(door: Any) -> None:
    with pytest.raises(rm.ChoiceError, match=f"^{door} has no argument 'tiess'; did you mean 'ties'.*ties, "):
        DOORS[door](tiess="best")


@every_door
def test_a_word_that_a_choice_does_not_have_is_refused(door: Any) -> None:
    with pytest.raises(rm.ChoiceError, match=r"duplicates='frist' is not one of .*; did you mean 'first'"):
        DOORS[door](duplicates="frist")


@every_door
def test_none_is_not_given(door: Any) -> None:
    plain, given = (DOORS[door](**choices) for choices in ({}, {"ties": None, "duplicates": None}))
    assert str(plain) == str(given)


def test_arrays_and_models_call_the_precision_so() -> None:
    with pytest.raises(rm.ChoiceError, match=r"^evaluate_model has no argument 'unjudged_queries'"):
        DOORS["evaluate_model"](unjudged_queries="skip")
    with pytest.raises(
        rm.ChoiceError, match=r"^evaluate_arrays has no argument 'score'; did you mean 'scores'"
    ):
        DOORS["evaluate_arrays"](score="float32")
    result = rm.evaluate_arrays(SCORES, JUDGED, "RR", precision="float32", ties="worst")
    assert (result.choices["scores"], result.choices["ties"]) == ("float32", "worst")


def test_the_cluster_has_the_same_choices() -> None:
    pytest.importorskip("pyspark")
    with pytest.raises(rm.ChoiceError, match=r"^evaluate has no argument 'tie'; did you mean 'ties'"):
        rm.spark.evaluate(None, None, "RR", tie="best")


def test_help_lists_the_words_of_each_choice_default_first() -> None:
    described = re.split(r"\n {4,8}(?=\w+: )", inspect.getdoc(rm.evaluate) or "")
    pages = {name: text for name, _, text in (each.partition(": ") for each in described)}
    for choice in fields(Choices):
        if choice.name != "seed":
            words = re.findall("``([a-z0-9-]+)``", pages[choice.name])
            assert words[0] == choice.default
            # Of candidates there are as many words as numbers: those named are to be some of them.
            for word in words:
                assert getattr(Choices(**{choice.name: word}), choice.name) == word
            assert sorted(words) == sorted(values_of(choice.name) or words), choice.name
