from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from rankmark.explaining.listed import best_first, listed, of_queries, of_query, ranked
from rankmark.inputs import read_inputs
from rankmark.language.choices import Choices


def tables(seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Ten queries with many equal scores, of which some are not judged or not answered."""
    rng = np.random.default_rng(seed)
    pairs = pl.DataFrame({"query": np.repeat(np.arange(10), 12), "item": np.tile(np.arange(12), 10)})
    judged = pairs.with_columns(relevance=pl.Series(rng.integers(0, 3, 120))).sample(60, seed=seed)
    found = pairs.with_columns(score=pl.Series(rng.integers(0, 4, 120))).sample(90, shuffle=True, seed=seed)
    return judged.filter(pl.col("query") != 3), found.filter(pl.col("query") != 5)


@pytest.mark.parametrize("ties", ["item-desc", "item-asc", "input", "best", "worst", "expected", "random"])
@pytest.mark.parametrize("unjudged", ["nonrelevant", "ignore"])
def test_many_lists_are_those_of_one_query_after_another(ties: str, unjudged: str) -> None:
    judgements, results = read_inputs(*tables(7))
    choices = Choices(ties=ties, unjudged=unjudged, seed=1)
    together = ranked(judgements, results, choices)
    for query in pl.DataFrame(judgements.table)["query"].unique():
        alone = listed(of_query(judgements, query), of_query(results, query), choices)
        own = together.filter(pl.col("query") == query).drop("query")
        assert own.sort("rank").equals(alone.rows)


def test_judged_items_are_best_first() -> None:
    judgements, _ = read_inputs({"p": {"a": 1, "b": 3}, "q": {"c": 0, "d": 2}}, {"p": ["a"]})
    found = best_first(of_queries(judgements, ["q", "p"]), Choices())
    assert found.sort("query", "rank").select("query", "item").rows() == [
        ("p", "b"),
        ("p", "a"),
        ("q", "d"),
        ("q", "c"),
    ]
