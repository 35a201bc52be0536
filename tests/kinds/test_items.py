"""Lists of items that count several times."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rankmark.engines import local
from rankmark.inputs import read_inputs
from rankmark.inputs.catalogue import Numbered, known_items
from rankmark.kinds.item_facts import Judgements
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.ragged import offsets_of, spread
from rankmark.language.measure import Measure
from rankmark.language.names import as_measure
from rankmark.language.plan import planned
from rankmark.language.registry import pages

USERS, ITEMS = 30, 25
OF_RUNS = [page.name for page in pages().values() if page.kind == "item" and page.aggregate == "run"]


def recommended() -> RecommendedLists:
    """Lists of different lengths, with all that can be known of their items."""
    draw = np.random.default_rng(3)
    run = {f"u{u}": [f"i{i}" for i in draw.permutation(ITEMS)[: u % 7]] for u in range(USERS)}
    qrels = {f"u{u}": {f"i{i}": int(i % 3) for i in draw.permutation(ITEMS)[:9]} for u in range(USERS)}
    train = {f"u{u}": [f"i{i}" for i in draw.permutation(ITEMS)[:5]] for u in range(USERS)}
    items = {
        f"i{i}": {
            "category": "xyz"[i % 3],
            "group": "ab"[i % 2],
            "price": float(i + 1),
            "vector": [float(i), 1.0],
        }
        for i in range(ITEMS)
    }
    judged, results = read_inputs(qrels, run, None)
    groups = planned("Novelty@5", None, {}, items=True).groups()
    numbered = Numbered(known_items(items, train, None), integer=False)
    block = local.observe(judged, results, groups, 1, numbered).with_items(numbered, "run")
    found = block.observed[0].recommended
    assert found is not None
    return found.top(5)


def repeated(lists: RecommendedLists, times: NDArray[np.int64]) -> RecommendedLists:
    """The lists, each so often there."""
    queries, lengths = np.repeat(np.arange(USERS), times), np.diff(lists.offsets)
    places = spread(lists.offsets[queries], lengths[queries])
    judged = lists.facts.judgements()
    own = np.diff(judged.offsets)[queries]
    rows = spread(judged.offsets[queries], own)
    again = Judgements(
        np.repeat(np.arange(len(queries), dtype=np.int32), own),
        judged.item[rows].astype(np.int32),
        judged.grade[rows],
        queries=len(queries),
        items=int(judged.item.max()) + 1,
    )
    facts = replace(lists.facts, users=lambda: lists.user[queries], judged=lambda: again)
    return RecommendedLists(lists.item[places], lists.tied[places], offsets_of(lengths[queries]), facts)


def of_run(name: str) -> Measure:
    """A measure of the whole run, down to a rank and of one group where it takes these."""
    measure = as_measure(f"{name}@5" if pages()[name].takes_cutoff else name)
    return measure(group="a") if measure.arguments.get("group") == "each" else measure


@pytest.mark.parametrize("name", OF_RUNS)
def test_lists_that_count_several_times_are_as_if_they_were_there_so_often(name: str) -> None:
    if name == "Personalisation":
        return
    lists, measure = recommended(), of_run(name)
    for seed in range(3):
        times = np.random.default_rng(seed).integers(0, 4, USERS)
        found = measure.compute_items(lists.draw(times.astype(np.float64)))
        assert found == pytest.approx(measure.compute_items(repeated(lists, times)), rel=1e-12, nan_ok=True)
    assert measure.compute_items(lists.draw(np.ones(USERS))) == pytest.approx(
        measure.compute_items(lists), rel=1e-12
    )


def test_a_user_who_is_drawn_twice_is_in_no_pair_with_itself() -> None:
    lists = recommended()
    times = np.random.default_rng(0).integers(0, 3, USERS)
    sets = [set(lists.item[a:b].tolist()) for a, b in itertools.pairwise(lists.offsets.tolist())]
    drawn = [u for u in range(USERS) for _ in range(times[u]) if sets[u]]
    apart = [
        1 - len(sets[u] & sets[v]) / math.sqrt(len(sets[u]) * len(sets[v]))
        for u, v in itertools.combinations(drawn, 2)
        if u != v
    ]
    found: Any = as_measure("Personalisation@5").compute_items(lists.draw(times.astype(np.float64)))
    assert found == pytest.approx(np.mean(apart), rel=1e-12)


def test_what_is_of_each_list_does_not_depend_on_how_often_it_counts() -> None:
    lists = recommended()
    again = lists.draw(np.full(USERS, 2.0))
    assert again.length.tolist() == lists.length.tolist()
    assert again.top(2).exposure().tolist() == (2 * lists.top(2).exposure()).tolist()
    assert again.total(np.ones(USERS)) == 2 * USERS


@pytest.mark.parametrize("users", [0, 1, 2])
@pytest.mark.parametrize("name", OF_RUNS)
def test_few_lists_or_none_are_measured_without_a_warning(name: str, users: int) -> None:
    measure, drawn = of_run(name), np.zeros(USERS)
    drawn[6 : 6 + users] = 1
    found, (low, high) = float(measure.compute_items(recommended().draw(drawn))), measure.bounds
    if not math.isnan(found):
        assert low is None or found >= low - 1e-12
        assert high is None or found <= high + 1e-12
