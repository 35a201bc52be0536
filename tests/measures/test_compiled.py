"""What the core computes in the place of a page has the page's values, to the last bit."""

from __future__ import annotations

import itertools
from operator import attrgetter
from typing import Any, get_args

import numpy as np
import polars as pl
import pytest

from rankmark import _native
from rankmark.aggregation.observed import judged_lists, measured
from rankmark.engines import local
from rankmark.inputs import read_inputs
from rankmark.language.choices import Choices
from rankmark.language.extremes import End, Extreme
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.language.plan import Group

COMPILED = [
    "nDCG@10",
    "nDCG@1",
    "nDCG@1024",
    "nDCG(gain=binary)@5",
    "nDCG(discount=log2max)@7",
    "nDCG(discount=3)@10",
    "AP",
    "AP@3",
    "AP(rel=2)@20",
    "RR",
    "RR@2",
    "RR(rel=3)",
    "HR",
    "HR@4",
    "P@10",
    "P(rel=2)@3",
    "R",
    "R@10",
    "R(rel=0.5)@5",
]
PAGES_ALONE = [
    "nDCG",
    "nDCG@1025",
    "nDCG(gain=exp2)@10",
    "nDCG(gain={1:3,2:9,3:10})@10",
    "nDCG(ideal=retrieved)@10",
    "nDCG(ideal=[3,2,1])@10",
    "AP(denominator=min)@10",
    "RR(hits=all)",
    "RR(denominator=relevant)",
    "RR(bound=upper)",
    "HR(hits=count)@10",
    "HR(bound=upper)@10",
    "P",
    "P(denominator=retrieved)@10",
    "P(bound=upper)@10",
    "R(denominator=min)@10",
]


def tables(seed: int) -> tuple[Any, Any]:
    """Judgements with grades from −1 to 3 and queries of none above 0; lists from none to 40 items long."""
    random = np.random.default_rng(seed)
    qrels, run = {}, {}
    for query in map(str, range(60)):
        judged, listed = random.choice(60, random.integers(1, 30), False), random.permutation(60)
        grades = random.integers(-1, 1 if random.random() < 0.2 else 4, len(judged))
        qrels[query] = {str(item): float(grade) for item, grade in zip(judged, grades, strict=True)}
        run[query] = [str(item) for item in listed[: random.integers(0, 40)]]
    return qrels, {query: items for query, items in run.items() if items}


def lists_of(seed: int, choices: Choices) -> _native.JudgedLists:
    parts: list[_native.JudgedLists] = []
    local._judge(*read_inputs(*tables(seed)), choices, parts.append, whole=True)
    return parts[0]


@pytest.mark.parametrize("text", COMPILED)
def test_the_core_has_the_values_of_the_page(text: str) -> None:
    measure = parse(text)
    assert measure.compiled is not None
    for seed in range(20):
        lists = lists_of(seed, Choices())
        (values,) = lists.compute([measure.compiled])
        assert values.tobytes() == np.asarray(measure.compute(judged_lists(lists))).tobytes()


@pytest.mark.parametrize("text", COMPILED)
def test_the_core_has_the_extremes_that_are_searched_for_otherwise(text: str) -> None:
    measure = parse(text)
    for end, no_relevant, grade in itertools.product(get_args(End), ("zero", "skip"), (None, 0.5, 2.0, 7.0)):
        extreme = Extreme.at(measure, end, no_relevant, grade)
        assert extreme.compiled is not None
        for seed in range(5):
            lists = lists_of(seed, Choices())
            (values,) = lists.compute([extreme.compiled])
            assert values.tobytes() == np.asarray(extreme.compute(judged_lists(lists))).tobytes()


@pytest.mark.parametrize("text", PAGES_ALONE)
def test_other_extremes_are_searched_for(text: str) -> None:
    assert Extreme.at(parse(text), "lowest", "zero", None).compiled is None


@pytest.mark.parametrize("text", PAGES_ALONE)
def test_other_arguments_are_left_to_the_page(text: str) -> None:
    assert parse(text).compiled is None


@pytest.mark.parametrize(
    "choices", [Choices(ties="expected"), Choices(unjudged="relevant"), Choices(unjudged="ignore")], ids=str
)
def test_choices_are_seen_by_what_is_compiled_and_what_is_not(choices: Choices) -> None:
    measures: tuple[Measure, ...] = tuple(map(parse, (*COMPILED, "nDCG", "RBP")))
    lists = lists_of(3, choices)
    judged = judged_lists(lists)
    for measure, values in zip(measures, measured(lists, measures, choices).values, strict=True):
        seen = judged.with_unjudged(measure.arguments.get("rel", 1.0))
        page = measure.compute(seen if choices.unjudged == "relevant" else judged)
        assert values.tobytes() == np.asarray(page).tobytes(), measure


@pytest.mark.parametrize("ties", ["item-desc", "expected"])
def test_lists_are_below_or_above_by_the_mean_rank_of_what_is_relevant(ties: Any) -> None:
    lists = lists_of(5, Choices(ties=ties))
    first, last = lists.tied_first, lists.tied_last
    rank = lists.rank if first is None or last is None else (first + last) / 2
    below = above = 0
    for start, end, retrieved in zip(lists.offsets, lists.offsets[1:], lists.retrieved, strict=False):
        relevant = rank[start:end][lists.relevance[start:end] >= 1]
        if len(relevant):
            below += relevant.mean() > (retrieved + 1) / 2
            above += relevant.mean() < (retrieved + 1) / 2
    assert lists.order() == (below, above)
    assert below > 0
    assert above > 0


@pytest.mark.parametrize("choices", [Choices(), Choices(ties="random"), Choices(unjudged="ignore")], ids=str)
@pytest.mark.parametrize("scattered", [False, True])
def test_whole_calls_of_the_core_see_what_pages_see(choices: Choices, scattered: bool) -> None:
    random = np.random.default_rng(4)
    query, item = np.divmod(np.arange(30_000), 20)
    rows = random.permutation(len(query)) if scattered else np.arange(len(query))
    run = pl.DataFrame({"query": query, "item": item, "score": random.integers(0, 9, len(query))})[rows]
    qrels = pl.DataFrame({"query": query, "item": item + 9, "relevance": random.integers(0, 3, len(query))})
    tables, measures = read_inputs(qrels, run), tuple(map(parse, COMPILED))
    core, of_pages = (Group(choices, measures) for _ in range(2))
    assert core.compiled is not None
    of_pages.__dict__["compiled"] = None
    whole, others = local._observed(*tables, core, 2)
    pages, others_of_pages = local._observed(*tables, of_pages, 2)
    assert others == others_of_pages
    own, theirs = whole.queries, pages.queries
    assert (own.hits, own.ties, own.order) == (theirs.hits, theirs.ties, theirs.order)
    arrays = attrgetter("first_rows", "answered", "retrieved", "tied_rank")
    for one, other in zip(
        (*arrays(own), *(each.array for each in whole.values)),
        (*arrays(theirs), *(each.array for each in pages.values)),
        strict=True,
    ):
        assert one.tobytes() == other.tobytes()
