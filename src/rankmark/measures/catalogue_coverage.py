"""CatalogueCoverage."""

from __future__ import annotations

from typing import Literal

import numpy as np

from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "CatalogueCoverage",
    aliases=("Coverage", "CatalogCoverage", "ItemCoverage"),
    bounds=(0, 1),
    needs=lambda given: (given["of"],),
    aggregate="run",
)
def catalogue_coverage(
    lists: RecommendedLists, *, cutoff: int | None = None, of: Literal["catalogue", "train"] = "catalogue"
) -> float:
    """Catalogue coverage: the share of all items that are recommended to anybody.

        CatalogueCoverage@k = |⋃_u {i : rank_u(i) ≤ k}| / |I|

    I is the catalogue. It is a measure of the whole run: more users cover more items.

    Args:
        of: I is the ``catalogue``, or the items of ``train``, which somebody had before, so that others do
            not count (RePlay, evidently).

    Needs: the catalogue, items=…, or the interactions before, train=….

    Range: 0 to 1.

    Source: [ge2010].

    Example:
        Of four items three are recommended, one of them twice.

        >>> import rankmark as rm
        >>> run = {"u1": ["a", "b"], "u2": ["a", "c"]}
        >>> rm.evaluate(None, run, "CatalogueCoverage@2", items=["a", "b", "c", "d"]).values
        {'CatalogueCoverage@2': 0.75}

    """
    exposure = lists.top(cutoff).exposure()
    if of == "train":
        exposure = exposure[lists.facts.popularity("users")[: len(exposure)] > 0]
    return float(np.count_nonzero(exposure)) / len(exposure)
