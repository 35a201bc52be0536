"""What is recommended, measured without judgements: the queries are those of the results."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.engines import local
from rankmark.inputs import Input

ITEMS = 1000
MEASURES = ["Novelty@3", "Popularity@3", "Coverage@3"]


def tables(users: int, length: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Lists that are sorted by user, and who had which items."""
    draw = np.random.default_rng(0)
    user = np.repeat(np.arange(users), length)
    item = (draw.integers(0, ITEMS, (users, 1)) + 7 * np.arange(length)).ravel() % ITEMS
    run = pl.DataFrame({"query": user, "item": item, "score": draw.permutation(user.size)})
    return run, pl.DataFrame({"query": user, "item": draw.integers(0, ITEMS + 9, user.size)})


@pytest.mark.parametrize("ids", [pl.Int64, pl.String])
@pytest.mark.parametrize("length", [4, 20])  # of the first the queries change as if scattered
def test_sorted_lists_are_those_of_scattered_rows(length: int, ids: type[pl.DataType]) -> None:
    texts = [pl.col("query", "item").cast(ids)]
    run, train = (each.with_columns(texts) for each in tables(80_000 // length, length))
    items = pl.DataFrame({"item": range(ITEMS)}).select(pl.col("item").cast(ids))
    found = rm.evaluate(None, run, MEASURES, items=items, train=train)
    same = rm.evaluate(None, run.sample(fraction=1, shuffle=True, seed=1), MEASURES, items=items, train=train)
    assert found.values == same.values
    assert found.per_query.sort("query").equals(same.per_query.sort("query"))
    assert found.per_query.height == 80_000 // length


def test_integer_ids_near_0_and_far_from_it_are_numbered_alike() -> None:
    run, train = tables(500, 10)
    items = pl.DataFrame({"item": range(ITEMS)})
    far = [pl.col("item") * 10**15 - 10**17]
    found = rm.evaluate(None, run, MEASURES, items=items, train=train)
    moved = [each.with_columns(far) for each in (run, items, train)]
    same = rm.evaluate(None, moved[0], MEASURES, items=moved[1], train=moved[2])
    assert found.values == same.values


def test_scores_are_looked_at_only_where_a_tool_differs_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def extent_of(table: Input) -> None:
        looked_at.append(table.side)

    monkeypatch.setattr(local, "extent_of", extent_of)
    run, train = tables(100, 10)
    rm.evaluate(None, run, "MeanInvUserFreq@3", items=range(ITEMS), train=train, like="rectools")
    assert not looked_at
    rm.evaluate(run.select("query", "item", relevance=1), run, "ndcg@3", like="ranx")
    assert looked_at == ["qrels", "run"]
