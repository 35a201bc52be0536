"""Measures of what is recommended in parts: to the last bit those of all parts at once, in any order."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark as rm
from strategies import at_most

ITEMS = pl.DataFrame({"item": range(12), "category": list("xxyzzyxyzzyx")})
OF_TRAIN = ["NotInTrain@3", "Novelty", "APLT@2", "Serendipity@4", "nDCG@3"]
OF_RUN = ["AggregateDiversity@2", "ExposureEntropy@3", "Personalisation"]
OF_ITEMS = ["CatalogueCoverage@2", "ExposureGini", "ILD@4", "CategoryEntropy"]


def drawn(seed: int, users: int = 12, text: bool = False) -> tuple[list[Any], list[Any], list[Any]]:
    """Judgements, results and interactions, of users in the order of their ids."""
    draw = np.random.default_rng(seed)
    of = (lambda number: f"i{number:02}") if text else int
    judged = [(u, of(i), int(draw.integers(0, 3))) for u in range(users) for i in draw.permutation(12)[:3]]
    results = [
        (u, of(i), float(draw.integers(0, 5)))
        for u in range(users)
        for i in draw.permutation(12)[: 1 + u % 6]
    ]
    train = [(int(u), of(i)) for u, i in draw.integers(0, 12, (20, 2))]
    return judged, results, train


def exactly(result: rm.results.ListResult) -> Any:
    own = [measure for measure in result.query_measures if measure.page.aggregate != "run"]
    values = [np.float64(value).tobytes() for value in result.values.values()]
    return values, [result.query_values(measure).tobytes() for measure in own], result.counts


def of_users(rows: list[Any], users: range) -> list[Any]:
    return [row for row in rows if row[0] in users]


@pytest.mark.slow
@settings(max_examples=at_most(25), deadline=None)
@given(
    seed=st.integers(0, 99),
    cuts=st.lists(st.integers(1, 11), max_size=3, unique=True),
    order=st.permutations(range(4)),
    closed=st.booleans(),
    text=st.booleans(),
    sent=st.sampled_from(["as it is", "bytes", "merged"]),
)
def test_parts_in_any_order_give_what_all_give(
    seed: int, cuts: list[int], order: list[int], closed: bool, text: bool, sent: str
) -> None:
    judged, results, train = drawn(seed, text=text)
    known: dict[str, Any] = {"train": train}
    measures = [*OF_TRAIN, *OF_RUN]
    if closed:
        ids = pl.format("i{}", pl.col("item").cast(pl.String).str.zfill(2)).alias("item")
        known["items"] = ITEMS.with_columns(ids) if text else ITEMS
        measures += OF_ITEMS
    whole = rm.evaluate(judged, results, measures, **known)
    ends = [0, *sorted(cuts), 12]
    parts = [range(start, end) for start, end in itertools.pairwise(ends)]
    evaluator = rm.Evaluator(measures, **known)
    for place in [place for place in order if place < len(parts)]:
        users = parts[place]
        target = evaluator if sent == "as it is" else rm.Evaluator(measures, **known)
        target.update(of_users(judged, users), of_users(results, users))
        if sent == "bytes":
            evaluator = rm.Evaluator.from_bytes(evaluator.to_bytes(), **known)
            target = rm.Evaluator.from_bytes(target.to_bytes(), **known)
        if target is not evaluator:
            evaluator.merge(target)
    assert exactly(evaluator.result()) == exactly(whole)


def test_what_was_given_the_same_parts_is_saved_alike(tmp_path: Path) -> None:
    judged, results, train = drawn(3)
    saved = []
    for parts in ([range(5), range(5, 12)], [range(5, 12), range(5)]):
        evaluator = rm.Evaluator([*OF_TRAIN, *OF_RUN], train=train)
        for users in parts:
            evaluator.update(of_users(judged, users), of_users(results, users))
        saved.append(evaluator.to_bytes())
    assert saved[0] == saved[1]
    evaluator.save(tmp_path / "saved.zip")
    again = rm.Evaluator.load(tmp_path / "saved.zip", train=train)
    assert exactly(again.result()) == exactly(evaluator.result())
    assert again.to_bytes() == saved[0]


def test_other_items_or_interactions_do_not_go_together() -> None:
    one, other = (rm.Evaluator("Novelty@2", train={"u": items}) for items in (["a"], ["a", "b"]))
    with pytest.raises(rm.UsageError, match="other items or interactions are known do not merge"):
        one.merge(other)
    one.update({"u": {"a": 1}}, {"u": ["a"]})
    for known in ({}, {"train": {"u": ["a", "b"]}}):
        with pytest.raises(rm.UsageError, match="give the same items= and train="):
            rm.Evaluator.from_bytes(one.to_bytes(), **known)
    with pytest.raises(rm.UsageError, match="no measures of items"):
        rm.Evaluator.from_bytes(rm.Evaluator("RR").to_bytes(), train={"u": ["a"]})


def test_what_cannot_be_recommended_changes_nothing() -> None:
    evaluator = rm.Evaluator("Coverage@2", items=["a", "b"])
    evaluator.update({"u": {"a": 1}}, {"u": ["a"]})
    with pytest.raises(rm.DataError, match=r"1 of the 2 items .* 'z' at rank 2 of query 'v'"):
        evaluator.update({"v": {"a": 1}}, {"v": ["b", "z"]})
    assert evaluator.result()["Coverage@2"] == 0.5


def test_a_query_that_comes_again_is_dropped_or_refused() -> None:
    evaluator = rm.Evaluator("NotInTrain@1", train={"u": ["a"]}, repeated="first")
    for item in ("a", "b", "a"):
        evaluator.update({"u": {"a": 1}}, {"u": [item]})
    assert (evaluator.result()["NotInTrain@1"], evaluator.dropped) == (0, 2)
    assert "1 times with other values" in str(evaluator.result().notes)
    with pytest.raises(rm.UsageError, match="cannot be kept apart"):
        rm.Evaluator("NotInTrain@1", train={"u": ["a"]}, repeated="apart")


def test_too_little_known_of_items_is_said_at_once() -> None:
    with pytest.raises(rm.UsageError, match="Novelty@2 needs the interactions before"):
        rm.Evaluator("Novelty@2")


@pytest.mark.parametrize("sent", ["as it is", "bytes"])
def test_parts_without_judgements_give_what_all_give(sent: str) -> None:
    measures = [*OF_RUN, "CatalogueCoverage@2", "Novelty@3"]
    _, results, train = drawn(3)
    parts = []
    for users in (range(7, 12), range(7)):
        part = rm.Evaluator(measures, items=ITEMS, train=train)
        part.update(None, of_users(results, users))
        parts.append(
            part if sent == "as it is" else rm.Evaluator.from_bytes(part.to_bytes(), items=ITEMS, train=train)
        )
    parts[0].merge(parts[1])
    whole = rm.evaluate(None, results, measures, items=ITEMS, train=train)
    assert exactly(parts[0].result()) == exactly(whole)


def test_what_needs_judgements_is_refused_without_them() -> None:
    for measure in ("nDCG@3", "Serendipity@4"):
        evaluator = rm.Evaluator([measure, "Novelty@2"], items=ITEMS, train={"u": [1]})
        with pytest.raises(rm.UsageError, match=f"without judgements there is no '{measure}'"):
            evaluator.update(None, {"u": [1]})


def test_parts_with_and_without_judgements_do_not_mix() -> None:
    evaluator = rm.Evaluator("CatalogueCoverage@2", items=ITEMS)
    evaluator.update(None, {"u": [1]})
    before = exactly(evaluator.result())
    with pytest.raises(rm.UsageError, match="the parts before had none, and this one has some"):
        evaluator.update({"v": {1: 1}}, {"v": [1]})
    assert exactly(evaluator.result()) == before
