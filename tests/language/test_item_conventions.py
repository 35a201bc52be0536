"""Measures of what is recommended by other tools' names: the numbers that the tools gave, recorded.

tests/peers asks the tools themselves, on random data.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import rankmark as rm

RUN = {"u1": ["a", "b", "c"], "u2": ["a", "d"], "u3": ["e"], "x": ["b", "e", "a"]}
TRAIN = [
    *[("u1", "a"), ("u1", "b"), ("u1", "a"), ("u2", "a"), ("x", "a"), ("x", "b"), ("x", "d")],
    *[("y", "d"), ("y", "d"), ("u2", "f")],
]
ITEMS = {
    "a": {"category": "x", "tags": [*"xy"], "vector": [1.0, 0.0, 2.0]},
    "b": {"category": "x", "tags": [*"x"], "vector": [0.0, 1.0, 2.0]},
    "c": {"category": "y", "tags": [*"yz"], "vector": [1.0, 1.0, 0.0]},
    "d": {"category": "z", "tags": [*"z"], "vector": [0.0, 0.0, 1.0]},
    "e": {"category": "z", "tags": [*"xz"], "vector": [1.0, 0.0, 2.0]},
    "f": {"category": "y", "tags": [*"x"], "vector": [2.0, 2.0, 2.0]},
}
NEW = {"u1": ["d", "f"], "u2": ["b", "d"], "x": ["f"], "y": ["a", "b"]}
"""Lists without what users had before, for tools that refuse it."""
ONCE = sorted(set(TRAIN))
THREE = {"u1": ["a", "b", "c"], "u2": ["a", "d", "f"], "x": ["b", "e", "a"]}
"""Lists of one length."""
NAN = float("nan")


def value(
    like: str, name: str, run: Any = RUN, train: Any = TRAIN, items: Any = ITEMS, **options: Any
) -> float:
    return rm.evaluate(None, run, name, items=items, train=train, like=like, **options)[name]


@pytest.mark.parametrize(
    ("like", "name", "expected"),
    [
        # RecTools 0.19.0
        ("rectools", "MeanInvUserFreq@2", [0.707518749639422, 0.707518749639422, 2.0, 1.5]),
        ("rectools", "AvgRecPopularity@2", [3.0, 3.5, 0.0, 1.0]),
        ("rectools", "AvgRecPopularity(normalize=True)@2", [0.3, 0.35, 0.0, 0.1]),
        ("rectools", "IntraListDiversity(by=vector)@3", [2.0, 2.0, 0.0, 4 / 3]),
        # RePlay 0.22.0; u3 is not in train, so that Novelty has no value of it
        ("replay", "Novelty@2", [0.0, 0.5, None, 0.5]),
        ("replay", "Surprisal@3", [0.569172916546474, 0.2358395832131406, 1 / 3, 0.569172916546474]),
        ("replay", "CategoricalDiversity@3", [2 / 3, 2 / 3, 1 / 3, 2 / 3]),
        # LensKit 2025.8.1
        ("lenskit", "MeanPopRank@2", [0.8125, 0.8125, 0.0, 0.3125]),
        ("lenskit", "MeanPopRank(count=interactions)@2", [0.75, 0.875, 0.0, 0.25]),
        # recpack 0.3.6
        ("recpack", "IntraListDiversity(by=tags)@3", [13 / 18, 1.0, 0.0, 5 / 9]),
    ],
)
def test_values_of_users(like: str, name: str, expected: list[float | None]) -> None:
    result = rm.evaluate(None, RUN, name, items=ITEMS, train=TRAIN, like=like)
    ours = result.query_values(name)
    known = np.array([NAN if each is None else each for each in expected])
    assert np.where(np.isnan(known), NAN, ours) == pytest.approx(known, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize(
    ("like", "name", "expected"),
    [
        ("rectools", "CatalogCoverage@2", 4.0),
        ("rectools", "CatalogCoverage(normalize=True)@2", 2 / 3),
        ("replay", "Coverage@2", 0.75),
        ("lenskit", "ListGini@2", 0.40476190476190477),
        ("recpack", "CoverageK_2", 2 / 3),
        # evidently 0.7.23
        ("evidently", "Novelty@2", 0.8050124997596146),
        ("evidently", "PopularityBias@2", 7 / 3),
        ("evidently", "PopularityBias(normalize_arp=True)@2", 7 / 9),
        ("evidently", "PopularityBias(metric=coverage)@2", 0.75),
        ("evidently", "PopularityBias(metric=gini)@2", 1 / 7),
        ("evidently", "IntraListDiversity(by=vector)@3", 0.1771586401222042),
        # rexmex 0.1.3
        ("rexmex", "personalization", 0.6565810805359968),
    ],
)
def test_values_of_the_run(like: str, name: str, expected: float) -> None:
    assert value(like, name) == pytest.approx(expected, rel=1e-12)


def test_values_of_single_precision() -> None:
    """LensKit 2025.8.1."""
    assert value("lenskit", "ExposureGini@2") == pytest.approx(0.4211195900967087, rel=1e-6)


@pytest.mark.parametrize(
    ("like", "name", "expected"),
    [
        # RecBole 1.2.1, which has a seventh item, the padding
        ("recbole", "itemcoverage@3", 6 / 7),
        ("recbole", "averagepopularity@3", 20 / 9),
        ("recbole", "shannonentropy@3", 0.27949796238707),
        ("recbole", "giniindex@3", 0.349206349206349),
        ("evidently", "Personalization@3", 5 / 9),
    ],
)
def test_values_of_lists_of_one_length(like: str, name: str, expected: float) -> None:
    items = {**ITEMS, "padding": ITEMS["a"]} if like == "recbole" else ITEMS
    assert value(like, name, THREE, items=items) == pytest.approx(expected, rel=1e-12)


def test_novelty_of_rexmex_to_the_tenth_digit() -> None:
    """Version 0.1.3: popularity is by users, and 1 for what nobody had."""
    assert value("rexmex", "novelty@3", THREE) == pytest.approx(1.1383458330047833, rel=1e-10)


LOG3 = np.log2(3)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # Of four users three had a, two b, two d and one f.
        ("EPC@2", [3 / 4 / (1 + LOG3), 1 / 2 / (1 + LOG3), 3 / 4, 1 / 4 * LOG3 / (1 + LOG3)]),
        ("EFD@2", [3 / (1 + LOG3), 2 / (1 + LOG3), 3, np.log2(8 / 3) * LOG3 / (1 + LOG3)]),
        ("ARP@2", [3 / 2, 2, 1, 5 / 2]),
        # a, b and d have 7 of 8 interactions, and a and b fewer than 0.8 of them.
        ("APLT@2", [1 / 2, 0, 1, 0]),
        ("ACLT@2", [1, 0, 1, 0]),
    ],
)
def test_values_of_elliot_by_its_formulas(name: str, expected: list[float]) -> None:
    judged = {"u1": {"f": 1}, "u2": {"d": 1}, "x": {"f": 1}, "y": {"a": 1}}
    result = rm.evaluate(judged, NEW, name, items=ITEMS, train=ONCE, like="elliot")
    assert result.query_values(name) == pytest.approx(expected, rel=1e-12)


def test_values_of_recommenders() -> None:
    """Version 1.2.1, by its defaults."""
    lengths = {user: len(items) for user, items in NEW.items()}
    assert value("recommenders", "novelty", NEW, ONCE, weights=lengths) == pytest.approx(
        2.202148214182692, rel=1e-12
    )
    assert value("recommenders", "catalog_coverage", NEW, ONCE) == 1.0
    assert value("recommenders", "distributional_coverage", NEW, ONCE) == pytest.approx(
        1.9502120649147465, rel=1e-12
    )
    result = rm.evaluate(None, NEW, "diversity", train=ONCE, like="recommenders")
    assert result.query_values("diversity") == pytest.approx(
        [1, 1 / 2, NAN, 0.183503419072274], rel=1e-12, nan_ok=True
    )


NAMES = [(record, name) for record in rm.conventions().values() for name in record.items]


@pytest.mark.parametrize(("record", "name"), NAMES, ids=[f"{r.name}:{name}" for r, name in NAMES])
def test_every_name_of_every_tool_is_understood_and_read_back(record: Any, name: str) -> None:
    asked = re.sub(r"\{(?:k|rel)\}", "2", name)
    measure = record.measure(asked)
    assert measure.page.kind == "item"
    judged = {user: {"f": {"1": 2}, "b": {"1": 1}} for user in NEW}
    result = rm.evaluate(judged, NEW, [asked], items=ITEMS, train=ONCE, like=record.name)
    assert result.measures == (measure,)
    assert result[asked] == result[measure]
    assert f"|like:{record.label}|" in result.signature(asked)
    assert record.page.count("What it calls the measures of what is recommended") == 1


def test_one_name_is_what_the_tool_means_by_it() -> None:
    """Novelty is self-information, or the share of new items."""
    meant = {
        like: str(rm.conventions()[like].measure("Novelty@10"))
        for like in ("rectools", "replay", "recommenders")
    }
    assert meant == {
        "rectools": "Novelty@10",
        "replay": "NotInTrain@10",
        "recommenders": "Novelty(by=interactions,unseen=zero)@10",
    }
