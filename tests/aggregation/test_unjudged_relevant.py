"""Unjudged items as relevant ones: the lists in which each has been judged so, by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.language.extremes import how_open
from strategies import PAGES, at_most, usable_measures

GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 3), min_size=1)
LISTS = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1)
# Of some measures most parameters are none that count here.
few_usable = [HealthCheck.filter_too_much]
fewer = settings(max_examples=at_most(15), deadline=None, suppress_health_check=few_usable)


@pytest.mark.parametrize("name", sorted(PAGES))
@fewer
@given(data=st.data(), judged=GRADES, listed=LISTS)
def test_it_is_that_of_lists_whose_items_were_judged_so(
    name: str, data: Any, judged: dict[str, int], listed: list[str]
) -> None:
    measure = data.draw(usable_measures(name))
    assume(measure.page.kind == "list")
    rel = measure.arguments.get("rel", 1)
    completed = dict.fromkeys(listed, rel) | judged
    wanted = rm.evaluate({"q": completed}, {"q": listed}, measure, no_relevant="skip", missing="zero")
    found = rm.evaluate(
        {"q": judged}, {"q": listed}, measure, no_relevant="skip", missing="zero", unjudged="relevant"
    )
    assert found[str(measure)] == pytest.approx(wanted[str(measure)], rel=1e-15, abs=0, nan_ok=True)


@pytest.mark.parametrize("measure", ["P@3", "HR@2", "RR@3"])
@given(judged=GRADES, listed=LISTS)
def test_it_is_the_upper_bound_by_name(measure: str, judged: dict[str, int], listed: list[str]) -> None:
    bound = measure.replace("@", "(bound=upper)@")
    tables = ({"q": judged}, {"q": listed})
    assert rm.evaluate(*tables, measure, unjudged="relevant")[measure] == rm.evaluate(*tables, bound)[bound]


@pytest.mark.parametrize("name", sorted(name for name, page in PAGES.items() if page.extremes == "ends"))
@fewer
@given(data=st.data(), judged=GRADES, listed=LISTS)
def test_where_more_is_never_less_it_is_an_end_of_the_bounds(
    name: str, data: Any, judged: dict[str, int], listed: list[str]
) -> None:
    measure = data.draw(usable_measures(name).filter(lambda each: how_open(each) == "ends"))
    assume(measure.arguments.get("rel", 1) == 1)
    tables = ({"q": {item: min(grade, 1) for item, grade in judged.items()}}, {"q": listed})
    bounds = rm.evaluate(*tables, measure, bounds="unjudged=1").bounds[str(measure)]
    found = rm.evaluate(*tables, measure, unjudged="relevant")[str(measure)]
    assert found in (pytest.approx(bounds.worst, nan_ok=True), pytest.approx(bounds.best, nan_ok=True))


def test_by_hand() -> None:
    # Relevant at ranks 1, 2 and 3, and e, which nobody found: P 3/4, R 3/4, AP (1 + 1 + 1) / 4.
    qrels, run = {"q": {"a": 1, "d": 0, "e": 1}}, {"q": ["a", "b", "c", "d"]}
    result = rm.evaluate(qrels, run, ["P@4", "R@4", "AP", "R(rel=2)@4"], unjudged="relevant")
    assert result.values == {"P@4": 0.75, "R@4": 0.75, "AP": 0.75, "R(rel=2)@4": 1.0}
    assert "|unjudged:relevant|" in result.signature("P@4")
    assert result.counts.measures["AP"].tied is None


def test_it_is_explained() -> None:
    explained = rm.explain(
        {"q": {"a": 1, "d": 0}}, {"q": ["a", "b", "d"]}, "AP", query="q", unjudged="relevant"
    )
    assert explained.value == 1.0
    assert "1 item without a judgement taken as relevant" in explained.notes
    assert explained.rows.filter(pl.col("item") == "b")["grade"].to_list() == [None]


@pytest.mark.parametrize("ties", ["best", "worst"])
def test_orders_that_ask_for_grades_are_refused(ties: Any) -> None:
    with pytest.raises(rm.ChoiceError, match="unjudged items as not relevant: with"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, "AP", unjudged="relevant", ties=ties)


def test_without_judgements_there_is_none() -> None:
    with pytest.raises(rm.UsageError, match='there is no unjudged="relevant"'):
        rm.evaluate(None, {"q": ["a", "b"]}, "Personalisation@1", unjudged="relevant")


@pytest.mark.parametrize("measure", ["Serendipity@2", "alphanDCG@2"])
def test_measures_that_ask_for_judgements_by_item_are_refused(measure: str) -> None:
    with pytest.raises(rm.MeasureError, match="asks for judgements by item"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a", "b"]}, measure, unjudged="relevant")
