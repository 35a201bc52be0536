"""The seam to the core: words that it does not know are refused there too, whoever calls it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
import pytest

from rankmark import _native
from rankmark.errors import ChoiceError
from rankmark.language.choices import values_of

DEFAULTS: dict[str, dict[str, Any]] = {
    "judge_lists": {
        "ties": "item-desc",
        "seed": 0,
        "duplicates": "error",
        "unjudged": "nonrelevant",
        "unjudged_queries": "skip",
        "scores": "float64",
    },
    "count_before": {
        "ties": "item-desc",
        "seeds": np.array([0], dtype=np.uint64),
        "limit": None,
        "threads": 1,
    },
    "ranked_lists": {"ties": "item-desc", "unjudged": "nonrelevant", "k": None},
}


def judge_lists(**choices: Any) -> None:
    table = _native.Table.from_arrow(pl.DataFrame({"query": [1], "item": [1], "value": [1.0]}))
    columns = (table, "table", "query", "item", "value", None)
    _native.judge_lists(columns, columns, lambda _: None, SimpleNamespace(**choices))
    _native.observe_lists(columns, columns, [], SimpleNamespace(**choices))


def count_before(**choices: Any) -> None:
    judged = np.array([0, 1]), np.array([0])
    _native.count_before(np.array([[0.5, 0.5]]), judged, None, **choices)


def ranked_lists(**choices: Any) -> None:
    one = np.array([1])
    _native.ranked_lists(
        (one, one, one), one, (np.array([0, 1]), np.array([1.0])), np.array([0], dtype=np.uint32), **choices
    )


CALLS: dict[str, Callable[..., None]] = {
    "judge_lists": judge_lists,
    "count_before": count_before,
    "ranked_lists": ranked_lists,
}
WORDS = [
    (call, name)
    for call, defaults in DEFAULTS.items()
    for name, value in defaults.items()
    if isinstance(value, str)
]


@pytest.mark.parametrize(("call", "name"), WORDS)
def test_an_unknown_word_is_refused_and_every_known_one_understood(call: str, name: str) -> None:
    for word in values_of(name):
        CALLS[call](**DEFAULTS[call] | {name: word})
    for word in ("nonsense", "", values_of(name)[0].upper()):
        with pytest.raises(ChoiceError) as refused:
            CALLS[call](**DEFAULTS[call] | {name: word})
        assert str(refused.value) == f"{name}={word!r} is not one of {', '.join(values_of(name))}"
    with pytest.raises(TypeError):
        CALLS[call](**DEFAULTS[call] | {name: None})


def test_a_file_has_one_of_two_sides(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q 0 d 1\n")
    for side in ("Qrels", "", "nonsense"):
        with pytest.raises(ChoiceError, match=f"side='{side}' is not one of qrels, run"):
            _native.read_trec(str(path), side, 1, _native.Progress())
        with pytest.raises(ChoiceError, match=f"side='{side}' is not one of qrels, run"):
            _native.TrecReader(str(path), side, 1 << 16, _native.Progress())


@pytest.mark.parametrize("different", [1, 3, 50, 10**9])
def test_smaller_values_before_each_in_its_segment_are_counted(different: int) -> None:
    lengths = [0, 1, 2, 30, 0, 1_023, 1_024, 1_025, 3_000]
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    values = np.random.default_rng(different).integers(-different, different, offsets[-1])
    segments = [values[start:end] for start, end in pairwise(offsets)]
    expected = [np.sum(own[:at] < value) for own in segments for at, value in enumerate(own)]
    assert _native.segment_smaller_before(values, offsets).tolist() == expected
