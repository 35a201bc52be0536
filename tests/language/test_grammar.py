"""Texts that ask for measures: what they say twice, or that goes on for ever, and what bounds they have."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

import rankmark as rm
from rankmark.language.grammar import split_measures
from rankmark.language.registry import pages


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nDCG(gain=exp2,gain=linear)", "'nDCG(gain=exp2,gain=linear)' says gain twice"),
        ("P(rel=2)@5-l3", "'P(rel=2)@5-l3' says rel twice"),
        ("nDCG(gain={1:2,1:3})", "'{1:2,1:3}' says a grade twice"),
    ],
)
def test_what_is_said_twice_is_refused(text: str, said: str) -> None:
    with pytest.raises(rm.MeasureError) as refused:
        rm.parse(text)
    assert str(refused.value) == said


def test_brackets_without_an_end_take_linear_time() -> None:
    begin = time.perf_counter()
    for text in ("nDCG(gain=" + "[" * 10**6, "(" * 10**6, "nDCG(" + "," * 10**6 + ")"):
        assert split_measures(text)[0] == text
        with pytest.raises(rm.MeasureError, match=r"has 10000\d\d characters, and no measure more than"):
            rm.parse(text)
    assert time.perf_counter() - begin < 30  # 42 s each where it was quadratic


def test_a_mean_of_another_kind_leaves_the_bounds_as_they_are() -> None:
    for name, page in pages().items():
        if "mean" in page.accepted:
            assert rm.Measure(name, {"mean": "median"}).bounds == rm.Measure(name).bounds
    measure = rm.RR(mean="median")
    object.__setattr__(measure, "page", replace(measure.page, usual_with=None))  # which is: with any
    assert measure.bounds == (0, 1)
