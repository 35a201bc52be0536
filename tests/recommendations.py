"""Random recommendations, what users had before and what items are like, with what tools differ on."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import rankmark as rm

KS = (1, 3, 10)
CASES = 100


@dataclass(frozen=True)
class Recommendations:
    """Lists best first, interactions before and items; every id is a text.

    Attributes:
        run: the items of each user, best first.
        train: users with items, some of them more than once.
        items: the category, the tags and the numbers of each item.

    """

    run: dict[str, list[str]]
    train: list[tuple[str, str]]
    items: dict[str, dict[str, Any]]

    def top(self, k: int) -> Recommendations:
        """The same with the first items of each list."""
        return Recommendations({user: items[:k] for user, items in self.run.items()}, self.train, self.items)

    def values(self, measure: str, like: str | None = None, **options: Any) -> dict[str, float]:
        """The value of each user that has one."""
        result = self.result(measure, like, **options)
        each = zip(result.query_ids, result.query_values(result.measures[0]), strict=True)
        return {user: float(value) for user, value in each if not np.isnan(value)}

    def value(self, measure: str, like: str | None = None, **options: Any) -> float:
        """The value of all."""
        return self.result(measure, like, **options)[measure]

    def result(self, measure: str, like: str | None = None, **options: Any) -> Any:
        """What it comes to."""
        given = {"qrels": None, "items": self.items, "train": self.train, **options}
        return rm.evaluate(run=self.run, measures=measure, like=like, **given)

    def frame(self, *names: str) -> Any:
        """The lists as a table of users, items, scores and ranks, in no order of rows."""
        import pandas as pd

        rows = [(u, i, 100.0 - r, r) for u, own in self.run.items() for r, i in enumerate(own, 1)]
        return pd.DataFrame(rows, columns=names).sample(frac=1, random_state=1).reset_index(drop=True)

    def before(self, *names: str) -> Any:
        """The interactions as a table of users and items."""
        import pandas as pd

        return pd.DataFrame(self.train, columns=names)


def cases(
    *,
    number: int = CASES,
    new: bool = False,
    shortest: int = 1,
    even: bool = False,
    repeated: bool = True,
) -> Iterator[Recommendations]:
    """Random ones.

    Args:
        number: how many.
        new: whether nobody is recommended what they had before.
        shortest: how long lists are at least.
        even: whether all lists are of the same length.
        repeated: whether somebody had an item more than once.

    """
    for seed in range(number):
        draw = random.Random(seed)
        items = [f"i{place:02}" for place in range(draw.choice((15, 25, 40)))]
        seen = items[: len(items) * 2 // 3]
        train = [
            (f"u{user:02}", item)
            for user in range(draw.choice((3, 9, 20)))
            for item in draw.sample(seen, draw.randint(1, 6))
        ]
        if repeated:
            train += draw.sample(train, len(train) // 3)
        draw.shuffle(train)
        run = {}
        for user in range(draw.choice((2, 6, 12))):
            name = f"u{user * 2:02}"  # every second one had something before, and the last ones nothing
            had = {item for who, item in train if who == name} if new else set()
            others = [item for item in items if item not in had]
            length = 9 if even else draw.choice((1, 2, 3, 5, 12))
            run[name] = draw.sample(others, min(max(length, shortest), len(others)))
        yield Recommendations(run, train, {item: _item(draw) for item in items})


def _item(draw: random.Random) -> dict[str, Any]:
    return {
        "category": draw.choice("xyz"),
        "tags": draw.sample("klmno", draw.randint(1, 3)),
        "vector": [float(draw.choice((0, 1, 2))) for _ in range(3)] + [1.0],
    }
