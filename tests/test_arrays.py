"""Arrays of scores: the same values as of the same data written as tables, wherever the arrays live."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import sparse

import rankmark as rm
from rankmark import arrays
from rankmark.choices import values_of
from rankmark.engines import dense
from test_twin import MEASURES

LIBRARIES = {"torch": "tensor", "jax.numpy": "asarray", "array_api_strict": "asarray"}
"""How libraries that need not be installed make an array."""


def from_numpy(library: str) -> Callable[[np.ndarray[Any, Any]], Any]:
    """What makes an array of this library; says aloud if it is not installed."""
    if library == "numpy":
        return lambda array: array
    try:
        module = __import__(library, fromlist=["x"])
    except ImportError:
        warnings.warn(f"NOT COMPARED: {library} is not installed", stacklevel=2)
        pytest.skip(f"{library} is not installed")
    return getattr(module, LIBRARIES[library])  # type: ignore[no-any-return]


@pytest.fixture(params=["numpy", *LIBRARIES])
def library(request: pytest.FixtureRequest) -> Callable[[np.ndarray[Any, Any]], Any]:
    return from_numpy(request.param)


@pytest.fixture(params=["here", "there"])
def place(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where scores are counted: here by the core, there by their own library, as on another device."""
    if request.param == "there":
        local_view = arrays.local_view
        monkeypatch.setattr(
            arrays,
            "local_view",
            lambda array: local_view(array) if isinstance(array, np.ndarray) else None,
        )
        monkeypatch.setattr(arrays, "to_numpy", lambda array: local_view(array))
        monkeypatch.setattr(dense, "to_numpy", lambda array: local_view(array))


class Shop:
    """Scores with ties and some of -inf, graded judgements, excluded items."""

    def __init__(self, seed: int = 0, queries: int = 40, items: int = 38, levels: int = 15) -> None:
        draw = np.random.default_rng(seed)
        self.scores = (draw.integers(0, levels, (queries, items)) / 8).astype(np.float32)
        self.scores[draw.random(self.scores.shape) < 0.05] = -np.inf
        self.grades = np.where(
            draw.random(self.scores.shape) < 0.15, draw.integers(-1, 4, self.scores.shape), 9
        )
        self.grades[3] = 9  # nothing is judged
        self.grades[4] = np.where(self.grades[4] == 9, 9, 0)
        self.excluded = draw.random(self.scores.shape) < 0.1
        self.scores[5] = -np.inf

    @property
    def relevance(self) -> sparse.csr_array:
        row, column = np.nonzero(self.grades != 9)
        return sparse.csr_array((self.grades[row, column], (row, column)), shape=self.grades.shape)

    @property
    def exclude(self) -> list[np.ndarray[Any, Any]]:
        return [np.flatnonzero(row) for row in self.excluded]

    def qrels(self) -> pl.DataFrame:
        row, column = np.nonzero(self.grades != 9)
        return pl.DataFrame({"query": row, "item": column, "relevance": self.grades[row, column]})

    def run(self) -> pl.DataFrame:
        row, column = np.nonzero(~self.excluded & (self.scores > -np.inf))
        return pl.DataFrame({"query": row, "item": column, "score": self.scores[row, column]})


def same(result: rm.Result, expected: rm.Result) -> None:
    assert result.per_query.equals(expected.per_query)
    assert result.values == expected.values
    assert result.counts == expected.counts


def measures_under(ties: str) -> list[str]:
    return [each for each in MEASURES if ties != "expected" or rm.parse(each).expected]


EVERYWHERE = pytest.mark.usefixtures("place")


@EVERYWHERE
@pytest.mark.parametrize("ties", values_of("ties"))
@pytest.mark.parametrize("unjudged", values_of("unjudged"))
def test_arrays_give_what_tables_give_to_the_last_bit(ties, unjudged, library):
    shop = Shop()
    choices = {"ties": ties, "unjudged": unjudged, "seed": 3}
    measures = measures_under(ties)
    result = rm.evaluate_arrays(
        library(shop.scores), shop.relevance, measures, exclude=shop.exclude, **choices
    )
    expected = rm.evaluate(shop.qrels(), shop.run(), measures, **choices)
    assert result.counts.missing == 1
    assert result.counts.unjudged == 1
    assert result.query_ids == expected.query_ids
    same(result, expected)
