"""Logs of simulated users."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray

Floats = NDArray[np.float64]

__all__ = ["Shop", "log_of"]


@dataclass(frozen=True, slots=True)
class Shop:
    """What is shown: ten items of each query, of which the better ones stand higher more often.

    Attributes:
        rates: the probability of a click on each item that is looked at; [queries, items].

    """

    rates: Floats

    @classmethod
    def of(cls, rng: Generator, queries: int, items: int = 8) -> Shop:
        return cls(rng.uniform(0.05, 0.6, (queries, items)))

    def lists(self, rng: Generator, impressions: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The query of each list, and its items."""
        query = rng.integers(0, len(self.rates), impressions)
        noise = rng.normal(0, 0.3, (impressions, self.rates.shape[1]))
        return query, np.argsort(-(self.rates[query] + noise), axis=1)[:, :k]


def log_of(query: NDArray[np.int64], item: NDArray[np.int64], click: NDArray[np.bool_]) -> pl.DataFrame:
    """The log of lists, [lists, positions]."""
    lists, k = item.shape
    return pl.DataFrame(
        {
            "impression": np.repeat(np.arange(lists), k),
            "query": np.repeat(query, k),
            "item": item.ravel(),
            "position": np.tile(np.arange(1, k + 1), lists),
            "click": click.ravel(),
        }
    )
