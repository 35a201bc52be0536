"""What the pages promise, tested for every measure at once: the tests iterate the registry."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.language.choices import go_together, values_of
from rankmark.language.registry import FIRST
from strategies import (
    ALL_PAGES,
    HAS_A_BETTER,
    ORDERED,
    PAGES,
    any_measures,
    by_query,
    every_measure,
    every_measure_of_any_kind,
    few,
    has_a_better,
    has_closed_form,
    identical,
    tables,
    tie_rules,
    usable_measures,
)

# --- Names -------------------------------------------------------------------------------------------------


@every_measure_of_any_kind
@given(data=st.data())
def test_a_measure_is_what_its_name_and_python_say(name: str, data: st.DataObject) -> None:
    measure = data.draw(any_measures(name))
    again = rm.parse(str(measure))
    assert again == measure
    assert (again.name, again.cutoff, again.arguments) == (measure.name, measure.cutoff, measure.arguments)
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)
    assert rm.parse(f"  {measure} ") == measure
    assert pickle.loads(pickle.dumps(measure)) == measure
    assert copy.deepcopy(measure) == measure
    built = getattr(rm, name)(**measure.parameters)
    assert (built if measure.cutoff is None else built @ measure.cutoff) == measure


@every_measure_of_any_kind
def test_a_default_need_not_be_said(name: str) -> None:
    for parameter in ALL_PAGES[name].parameters.values():
        assert str(rm.Measure(name, {parameter.name: parameter.default})) == name


@every_measure_of_any_kind
def test_every_alias_is_understood_in_any_case(name: str) -> None:
    page = ALL_PAGES[name]
    kinds = FIRST[page.kind]
    for alias, parameters in [*((alias, {}) for alias in (name, *page.aliases)), *page.variants.items()]:
        if alias.lower() in AMBIGUOUS and alias != name:
            continue
        meant = rm.Measure(name, parameters)
        spellings = {alias, alias.lower(), alias.upper(), alias.replace("_", "-"), alias.replace("_", "")}
        for written in spellings - AMBIGUOUS.keys():
            assert rm.parse(written, kinds) == meant, written
        if page.takes_cutoff:
            dotted = () if "p" in page.parameters else (f"{alias}.10",)
            for written in (f"{alias}@10", f"{alias}_10", f"{alias}_at_10", f"{alias} @ 10", *dotted):
                assert rm.parse(written, kinds) == meant @ 10, written
        if "rel" in page.parameters and page.takes_cutoff:
            assert rm.parse(f"{alias}@10-l2") == meant(rel=2) @ 10


AMBIGUOUS = {
    "rbp": ("RBP(p=0.9,gain=linear,max_grade=query)", "RBP"),  # here and in trec_eval
    "accuracy": ("HR", "ListAUC(items=retrieved)"),
    "tp": ("P(denominator=min)", "NumRelRet"),
    "hits": ("HR", "HR(hits=count)", "R"),
    "hits_at_k": ("HR", "HR(hits=count)", "R"),
}


@pytest.mark.parametrize("alias", AMBIGUOUS)
def test_a_name_with_several_meanings_says_which(alias: Any) -> None:
    with pytest.raises(rm.MeasureError, match=r"can mean|in trec_eval") as caught:
        rm.parse(alias)
    for meaning in AMBIGUOUS[alias]:
        assert re.search(rf"{re.escape(meaning)}(?![(@])", str(caught.value))


def test_a_patience_after_a_dot_is_not_taken_for_a_cutoff() -> None:
    with pytest.raises(rm.MeasureError, match=r"RBP\(p=0\.95\), or RBP@95"):
        rm.parse("rbp.95")


@every_measure_of_any_kind
def test_a_cutoff_is_a_whole_number_from_1_or_refused(name: str) -> None:
    if ALL_PAGES[name].takes_cutoff:
        for cutoff in (0, -1, 1.5, True, "10"):
            with pytest.raises(rm.MeasureError, match="cutoff"):
                rm.Measure(name) @ cutoff
    else:
        with pytest.raises(rm.MeasureError, match="takes no cutoff"):
            rm.Measure(name) @ 10


@every_measure
def test_a_cutoff_beyond_all_integers_is_as_good_as_none_or_refused(name: str) -> None:
    if not PAGES[name].takes_cutoff:
        return
    rows = [("q", "a", 1.0), ("q", "b", 0.0)], [("q", "b", 1.0), ("q", "a", 1.0)]
    try:
        measure = rm.Measure(name) @ 2**70
    except rm.MeasureError:
        return
    assert math.isfinite(rm.evaluate(*rows, [measure])[measure])


@every_measure
def test_what_is_averaged_and_never_negative_can_be_averaged_geometrically(name: str) -> None:
    page = PAGES[name]
    if page.aggregate != "mean" or page.bounds[0] is None:
        with pytest.raises(rm.MeasureError, match="no parameter 'mean'"):
            rm.Measure(name)(mean="geometric")
        return
    rows = [("q1", "a", 1.0), ("q2", "b", 1.0)], [("q1", "a", 1.0), ("q1", "x", 0.5), ("q2", "x", 1.0)]
    plain, geometric = rm.Measure(name), rm.Measure(name)(mean="geometric")
    result = rm.evaluate(*rows, [plain, geometric])
    values = result.query_values(plain)
    assert identical(dict(enumerate(values)), dict(enumerate(result.query_values(geometric))))
    assert result[geometric] == pytest.approx(math.sqrt(math.prod(np.maximum(values, 1e-5))), rel=1e-12)
    assert str(geometric) == f"{name}(mean=geometric)"
    assert "mean:geometric" in geometric.signature()
    assert not any("mean:" in part for part in plain.signature())


def test_two_functions_of_the_same_name_are_refused_and_of_two_names_stay_apart() -> None:
    def once(grade: Any) -> Any:
        return grade

    def twice(grade: Any) -> Any:
        return 2 * grade

    rows = [("q", "a", 1.0)], [("q", "a", 1.0)]
    single, double = rm.DCG(gain=once), rm.DCG(gain=twice)
    result = rm.evaluate(*rows, [single, double, single])
    assert (result[single], result[double]) == (1, 2)
    assert list(result.values) == ["DCG(gain=once())", "DCG(gain=twice())"]
    with pytest.raises(rm.MeasureError, match=r"2 measures are written DCG\(gain=<lambda>\(\)\)"):
        rm.evaluate(*rows, [rm.DCG(gain=lambda grade: grade), rm.DCG(gain=lambda grade: 2 * grade)])


@every_measure_of_any_kind
def test_an_unknown_parameter_or_value_lists_what_there_is(name: str) -> None:
    with pytest.raises(rm.MeasureError, match="no parameter 'colour'"):
        rm.Measure(name, {"colour": 1})
    for parameter in ALL_PAGES[name].parameters.values():
        with pytest.raises(rm.MeasureError, match=parameter.name) as caught:
            rm.Measure(name, {parameter.name: b"nonsense"})
        assert all(choice in str(caught.value) for choice in parameter.choices)


# --- Pages -------------------------------------------------------------------------------------------------


@every_measure_of_any_kind
def test_a_page_says_all_that_a_reader_needs(name: str) -> None:
    page = ALL_PAGES[name]
    assert re.search(rf"^    {re.escape(name)}\S* = |^    F_β@k = ", page.doc, re.MULTILINE), "formula"
    assert ("less is better" in page.doc) == (page.better == "less")
    of_kind = {"list": ("No relevant item", "Equal scores"), "item": ("Needs: ",)}.get(page.kind, ())
    for heading in ("Range: ", *of_kind, "Source: "):
        assert re.search(rf"^{heading}", page.doc, re.MULTILINE), heading
    assert ">>> " in page.doc.partition("\nExample:\n")[2], "worked example"
    for parameter in page.parameters.values():
        assert re.search(rf"^    {parameter.name}: ", page.doc, re.MULTILINE), parameter.name
        assert all(f"``{choice}``" in page.doc for choice in parameter.choices), parameter.name


@every_measure_of_any_kind
def test_a_page_is_one_function_in_one_file(name: str) -> None:
    modules = {known: inspect.getmodule(page.function) for known, page in ALL_PAGES.items()}
    assert modules[name].__name__.startswith("rankmark.measures.")
    assert list(modules.values()).count(modules[name]) == 1
    assert name in rm.__all__


# --- Values ------------------------------------------------------------------------------------------------


@every_measure
@few
@given(data=st.data(), rows=tables)
def test_values_are_within_bounds_and_know_no_order_of_rows_names_shift_or_other_queries(
    name: str, data: st.DataObject, rows: Any
) -> None:
    measure = data.draw(usable_measures(name))
    ties = data.draw(tie_rules(measure))
    values = by_query(rows, measure, ties=ties)
    assert all(map(within(*PAGES[name].bounds), values.values()))
    qrels, run = rows
    if ties != "input":
        shuffled = tuple(data.draw(st.permutations(table)) for table in rows)
        assert identical(values, by_query(shuffled, measure, ties=ties)), "in another order"
    if ties != "random":  # which draws by the query's id
        names = {"q1": 30, "q2": 10, "q3": 20}
        renamed = tuple([(names[query], item, number) for query, item, number in table] for table in rows)
        expected = {names[query]: value for query, value in values.items()}
        assert identical(expected, by_query(renamed, measure, ties=ties)), "with other ids of queries"
    shift = data.draw(st.sampled_from([-1000.0, 0.5, 64.0]))
    shifted = qrels, [(query, item, score + shift) for query, item, score in run]
    assert identical(values, by_query(shifted, measure, ties=ties)), "with a constant added to all scores"
    alone = tuple([row for row in table if row[0] == "q1"] for table in rows)
    assert identical({"q1": values["q1"]}, by_query(alone, measure, ties=ties)), "without other queries"


def within(low: float | None, high: float | None) -> Callable[[float], bool]:
    """Whether a value is between bounds, but for rounding, or none."""
    return lambda value: (
        math.isnan(value)
        or ((low is None or value >= low - 1e-12) and (high is None or value <= high + 1e-12))
    )


# What divides by k itself, as its page says, goes on falling beyond the list.
DIVIDES_BY_CUTOFF = {"P": ("cutoff", "min"), "AP": ("cutoff",), "Unjudged": ("cutoff",)}
# So do those whose reader goes on to rank k, or that count something else than ranks with k.
GOES_ON = ("F", "BPM", "SDCG", "NearlyERR", "MeanP", "MeanR", "PartialAUC")
KEEPS_ITS_VALUE = [name for name, page in PAGES.items() if page.takes_cutoff and name not in GOES_ON]


def divides_by_cutoff(measure: rm.Measure) -> bool:
    return measure.arguments.get("denominator") in DIVIDES_BY_CUTOFF.get(measure.name, ())


@pytest.mark.parametrize("name", KEEPS_ITS_VALUE)
@few
@given(data=st.data(), rows=tables)
def test_a_cutoff_beyond_the_list_and_the_judgements_changes_nothing(
    name: str, data: st.DataObject, rows: Any
) -> None:
    measure = data.draw(usable_measures(name).filter(lambda measure: not divides_by_cutoff(measure)))
    whole = rm.Measure(name, measure.parameters)
    ties = data.draw(tie_rules(whole @ 13))
    for cutoff in (13, 14, 2**40):  # there are 13 items
        assert identical(by_query(rows, whole @ cutoff, ties=ties), by_query(rows, whole, ties=ties))


@given(rows=tables, cutoff=st.integers(13, 100))
def test_beyond_the_list_p_and_f_fall_with_k(rows: Any, cutoff: Any) -> None:
    hits, relevant = by_query(rows, rm.NumRelRet), by_query(rows, rm.NumRel)
    p = {query: found / cutoff for query, found in hits.items()}
    assert by_query(rows, rm.P @ cutoff) == pytest.approx(p, rel=1e-15)
    f = {query: 2 * found / (relevant[query] + cutoff) for query, found in hits.items()}
    assert by_query(rows, rm.F @ cutoff) == pytest.approx(f, rel=1e-15)


# PMeasure and PPlus reward what comes before the best item. infAP looks at who was judged, and not only at
# how well; so does NumNonrelRet. G discounts a gain less once others have caught up with the ideal list, so
# that two items can be worth more the other way round.


@pytest.mark.parametrize("name", HAS_A_BETTER)
@few
@given(data=st.data(), rows=tables)
def test_no_order_of_ties_is_better_than_best_or_worse_than_worst(
    name: str, data: st.DataObject, rows: Any
) -> None:
    measure = data.draw(usable_measures(name).filter(has_a_better))
    ties = data.draw(tie_rules(measure))
    worst, some, best = (by_query(rows, measure, ties=rule) for rule in ("worst", ties, "best"))
    sign = 1 if PAGES[name].better == "more" else -1
    for query, value in some.items():
        if not math.isnan(value):
            assert sign * worst[query] - 1e-12 <= sign * value <= sign * best[query] + 1e-12


@pytest.mark.slow
@every_measure
@few
@given(data=st.data(), rows=tables)
def test_without_ties_every_tie_rule_gives_the_same(name: str, data: st.DataObject, rows: Any) -> None:
    measure = data.draw(usable_measures(name))
    qrels, run = rows
    untied = qrels, [(query, item, score * 64 + item) for query, item, score in run]
    values = [by_query(untied, measure, ties=ties) for ties in ORDERED]
    assert all(identical(values[0], other) for other in values)
    if has_closed_form(measure):
        assert by_query(untied, measure, ties="expected") == pytest.approx(values[0], rel=1e-12, nan_ok=True)


def test_random_ties_draw_every_place_equally_often() -> None:
    queries = range(6000)
    qrels = [(query, 1, 1.0) for query in queries]
    run = [(query, item, 0.5) for query in queries for item in range(4)]
    for seed in range(3):
        ranks = rm.evaluate(qrels, run, [rm.RR], ties="random", seed=seed).query_values("RR")
        counts = np.unique(np.round(1 / ranks), return_counts=True)[1]
        # 1500 each; the standard deviation of a binomial count is 33.5.
        assert len(counts) == 4
        assert abs(counts - 1500).max() < 150


def test_random_ties_depend_on_the_seed_alone() -> None:
    run = [("q", f"item{i}", 0.5) for i in range(200)]
    qrels = [("q", f"item{i}", 1.0) for i in range(0, 200, 7)]
    values = [rm.evaluate(qrels, run, ["AP"], ties="random", seed=seed)["AP"] for seed in range(5)]
    assert len(set(values)) == 5
    assert values[3] == rm.evaluate(qrels, run[::-1], ["AP"], ties="random", seed=3, threads=1)["AP"]


# --- Inputs ------------------------------------------------------------------------------------------------


@few
@given(
    rows=tables,
    choices=st.fixed_dictionaries(
        {
            "ties": st.sampled_from(ORDERED),
            "duplicates": st.sampled_from(["first", "best"]),
            "unjudged": st.sampled_from(values_of("unjudged")),
            "scores": st.sampled_from(values_of("scores")),
            "missing": st.sampled_from(["zero", "skip"]),
        }
    ).filter(go_together),
)
def test_inputs_are_not_changed(rows: Any, choices: Any) -> None:
    qrels, run = (table + table[:2] for table in rows)
    frames = (
        pl.DataFrame(qrels, schema=["query", "item", "relevance"], orient="row"),
        pl.DataFrame(run, schema=["query", "item", "score"], orient="row"),
    )
    pandas = tuple(frame.to_pandas() for frame in frames)
    dicts = tuple({q: {i: n for p, i, n in table if p == q} for q, *_ in table} for table in (qrels, run))
    measures = [*PAGES, "nDCG@3", "AP(denominator=min)@2"]
    for given_tables in ((qrels, run), frames, pandas, dicts):
        before = copy.deepcopy(given_tables)
        rm.evaluate(*given_tables, measures, **choices)
        for after, kept in zip(given_tables, before, strict=True):
            assert after.equals(kept) if hasattr(after, "equals") else after == kept
