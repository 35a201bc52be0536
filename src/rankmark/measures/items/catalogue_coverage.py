"""CatalogueCoverage."""

from __future__ import annotations

from typing import Literal

from rankmark import _numpy as np
from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "CatalogueCoverage",
    aliases=("Coverage", "CatalogCoverage", "ItemCoverage"),
    bounds=(0, None),
    usual_bounds=(0, 1),
    usual_with=("unseen",),
    needs=lambda given: (given["of"],),
    aggregate="run",
    grows=True,
)
def catalogue_coverage(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    of: Literal["catalogue", "train"] = "catalogue",
    unseen: Literal["skip", "count"] = "skip",
) -> float:
    """Catalogue coverage: the share of all items that are recommended to anybody.

        CatalogueCoverage@k = |⋃_u {i : rank_u(i) ≤ k}| / |I|

    I is the catalogue. It is a measure of the whole run: more users cover more items.

    Args:
        of: I is the ``catalogue``, or the items of ``train``, which somebody had before (RePlay, evidently,
            recommenders).
        unseen: an item that is recommended and not in train does not count (``skip``), or does (``count``;
            recommenders).

    Needs: the catalogue, items=…, or the interactions before, train=….

    Range: 0 to 1; with unseen=count also more.

    Source: [ge2010].

    Example:
        Of four items three are recommended, one of them twice.

        >>> import rankmark as rm
        >>> run = {"u1": ["a", "b"], "u2": ["a", "c"]}
        >>> rm.evaluate(None, run, "CatalogueCoverage@2", items=["a", "b", "c", "d"]).values
        {'CatalogueCoverage@2': 0.75}

    """
    exposure = lists.top(cutoff).exposure()
    covered = exposure > 0
    if of == "catalogue":
        return float(covered.mean())
    seen = lists.facts.popularity("users") > 0
    counted = covered if unseen == "count" else covered & seen[: len(covered)]
    return float(np.count_nonzero(counted) / np.count_nonzero(seen))
