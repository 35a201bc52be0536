"""States: whatever the order in which parts are put together, the same comes of them, to the last bit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.aggregation.finish import finished
from rankmark.aggregation.query_state import QueryState
from rankmark.aggregation.refusals import OfTables
from rankmark.aggregation.row_tally import QueryTally, RowTally
from rankmark.aggregation.settled_rows import QueryValues
from rankmark.aggregation.state import State, merged
from rankmark.aggregation.tally import Tally, tallied
from rankmark.engines import local
from rankmark.inputs import read_inputs
from rankmark.kinds.rows import PerQuery
from rankmark.language.plan import planned

PLAN = planned(["nDCG@3", "AP(mean=geometric)", "HitRatio@2"], None, {"missing": "skip"})


def part(number: int) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    draw = np.random.default_rng(number)
    queries = [f"{number}.{query}" for query in range(4)]
    qrels = {query: {f"d{item}": float(draw.integers(3)) for item in range(4)} for query in queries}
    run = {query: {f"d{item}": draw.random() for item in range(2, 8)} for query in queries[1:]}
    return qrels, run | {f"{number}.other": {"d0": 1.0}}


def query_state(number: int) -> QueryState:
    judgements, results = read_inputs(*part(number))
    block = local.observe(judgements, results, PLAN.groups(), 1)
    ids = pl.DataFrame(block.query_ids)["query"]
    others = pl.Series("query", [f"{number}.other"])
    return QueryState.of(tuple(PLAN.groups()), block, ids, others=others)


def tally(number: int) -> Tally:
    judgements, results = read_inputs(*part(number))
    block = local.observe(judgements, results, PLAN.groups(), 1)
    ids = pl.DataFrame(block.query_ids)["query"].to_numpy()
    measures, _ = tallied(PLAN.groups(), block, ids)
    return Tally(judged=block.judged, missing=block.missing, hits=block.hits, measures=measures)


def row_tally(number: int) -> RowTally:
    draw = np.random.default_rng(number)
    whole = RowTally(rows=3, labels=[0.0, 1.0], ranges=[(float(number), 1.0, 1.0, 0.5)])
    whole.queries["GAUC"] = QueryTally.of(
        QueryValues(PerQuery(draw.random(5), draw.random(5), "of one class"), np.ones(5))
    )
    whole.sums = {"binary_sums()": [[float(each)] for each in draw.random(5)]}
    return whole


def told(state: State) -> object:
    """What is in a state, whose exact sums are of numbers in any order."""
    if isinstance(state, QueryState):
        return repr(state.frame("query").rows()), state.unjudged().to_list(), sum(state.hits)
    if isinstance(state, Tally):
        return finished(PLAN, state, state.words())
    assert isinstance(state, RowTally)
    state.compact(0)
    settled = {name: each.settled() for name, each in state.queries.items()}
    return state.rows, state.sums, sorted(state.ranges), settled


@pytest.mark.parametrize(
    ("empty", "observed"),
    [(lambda: QueryState.empty(PLAN.groups()), query_state), (Tally, tally), (RowTally, row_tally)],
)
def test_parts_merge_in_any_order(empty: Any, observed: Any) -> None:
    expected = told(merged(empty(), map(observed, range(3))))
    for order in itertools.permutations(range(3)):
        assert told(merged(empty(), map(observed, order))) == expected
    first, rest = observed(2), merged(empty(), map(observed, range(2)))
    assert told(merged(empty(), [rest, first])) == expected
    assert not rest.faults


def test_a_tally_and_a_state_finish_as_the_whole_does() -> None:
    parts = [part(number) for number in range(3)]
    qrels, run = (
        {query: each for own in side for query, each in own.items()} for side in zip(*parts, strict=True)
    )
    here = rm.evaluate(qrels, run, PLAN.measures, missing="skip")
    words = OfTables(*read_inputs(qrels, run))
    whole = merged(QueryState.empty(PLAN.groups()), map(query_state, range(3)))
    made = finished(PLAN, whole.whole("query", len(whole.unjudged())), words)
    assert (made.counts, dict(made.values)) == (here.counts, pytest.approx(here._values, rel=1e-12))
    summed = finished(PLAN, merged(Tally(), map(tally, range(3))), words)
    assert summed.counts.measures == here.counts.measures
    assert dict(summed.values) == pytest.approx(here._values, rel=1e-12)
