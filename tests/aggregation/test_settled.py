"""Measures that are means over all judged queries are settled as any others are."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from rankmark._native import QueryValues
from rankmark.aggregation.settled import Lengths, Settled, counting, settled_means, settled_together
from rankmark.language.choices import Choices
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.language.plan import Group, planned

MEASURES = tuple(map(parse, ["nDCG@10", "AP", "RR", "HR@10"]))


def values(random: np.random.Generator, queries: int) -> list[np.ndarray[Any, Any]]:
    """Of each measure the values of so many queries, some of them NaN."""
    drawn = random.random((len(MEASURES), queries))
    return list(np.where(drawn < 0.2, np.nan, drawn))


def shown(each: Settled) -> tuple[Any, ...]:
    assert each.per_query is not None
    return np.float64(each.value).tobytes(), *each[1:5], each.per_query.tobytes(), *each[6:]


@pytest.mark.parametrize("no_relevant", ["zero", "one", "skip", "error"])
@pytest.mark.parametrize("queries", [1, 2, 1_000])
def test_means_are_settled_as_other_measures_are(no_relevant: Any, queries: int) -> None:
    group = Group(Choices(no_relevant=no_relevant), MEASURES)
    assert group.are_means
    given = values(np.random.default_rng(queries), queries)
    lists = Lengths(np.ones(queries, dtype=np.bool_), np.full(queries, 5))
    asked = [(measure, counting(measure, lists, group.choices)) for measure in MEASURES]
    computed, others = ([QueryValues(each.copy()) for each in given] for _ in range(2))
    means = settled_means(group, computed, lambda measure: measure.cutoff)
    general = settled_together(asked, iter(others), group.choices, lambda measure: measure.cutoff)
    assert np.array([*means.value_of.values()]).tobytes() == np.array([*general.value_of.values()]).tobytes()
    assert [*means] == [*general] == [*MEASURES]
    for measure in MEASURES:
        assert shown(means[measure]) == shown(general[measure])


@pytest.mark.parametrize(
    ("choices", "measures"),
    [
        ({"missing": "skip"}, ["AP"]),
        ({"short_lists": "skip"}, ["AP", "P@5"]),
        ({}, ["AP", "gm_map"]),
        ({}, ["AP", "AP(mean=median)"]),
        ({}, ["AP", "Novelty@5"]),
    ],
)
def test_measures_of_which_lists_decide_who_counts_are_no_plain_means(
    choices: dict[str, Any], measures: list[str]
) -> None:
    (group,) = planned(measures, None, choices, items=True).groups()
    assert not group.are_means


def test_short_lists_are_left_out_of_no_measure_without_a_cutoff() -> None:
    (group,) = planned(["AP", "RR"], None, {"short_lists": "skip"}).groups()
    assert group.are_means


def test_a_group_is_a_pair_wherever_it_is_sent() -> None:
    group = Group(Choices(), MEASURES)
    assert group.compiled is not None  # which cannot be sent
    for again in (pickle.loads(pickle.dumps(group)), copy.deepcopy(group), copy.copy(group)):
        choices, measures = again
        assert again == group == (choices, measures)
        assert isinstance(again, Group)
        assert all(isinstance(measure, Measure) for measure in measures)
        assert again.compiled is not None
