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
    "a": {"category": "x", "vector": [1.0, 0.0, 2.0]},
    "b": {"category": "x", "vector": [0.0, 1.0, 2.0]},
    "c": {"category": "y", "vector": [1.0, 1.0, 0.0]},
    "d": {"category": "z", "vector": [0.0, 0.0, 1.0]},
    "e": {"category": "z", "vector": [1.0, 0.0, 2.0]},
    "f": {"category": "y", "vector": [2.0, 2.0, 2.0]},
}
NEW = {"u1": ["d", "f"], "u2": ["b", "d"], "x": ["f"], "y": ["a", "b"]}
"""Lists without what users had before, for tools that refuse it."""
ONCE = sorted(set(TRAIN))
NAN = float("nan")


def value(like: str, name: str, run: Any = RUN, train: Any = TRAIN, **options: Any) -> float:
    return rm.evaluate(None, run, name, items=ITEMS, train=train, like=like, **options)[name]


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
    ],
)
def test_values_of_the_run(like: str, name: str, expected: float) -> None:
    assert value(like, name) == pytest.approx(expected, rel=1e-12)


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
    asked = re.sub(r"\{k\}", "2", name)
    measure = record.measure(asked)
    assert measure.page.kind == "item"
    result = rm.evaluate(None, NEW, [asked], items=ITEMS, train=ONCE, like=record.name)
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
