"""AggregateDiversity."""

from __future__ import annotations

from rankmark import _numpy as np
from rankmark.kinds.items import RecommendedLists
from rankmark.language.registry import item_measure


@item_measure(
    "AggregateDiversity",
    aliases=("NumRetrievedItems", "DistinctItems"),
    bounds=(0, None),
    needs=(),
    aggregate="run",
    grows=True,
)
def aggregate_diversity(lists: RecommendedLists, *, cutoff: int | None = None) -> float:
    """Aggregate diversity: how many different items are recommended to anybody.

        AggregateDiversity@k = |⋃_u {i : rank_u(i) ≤ k}|

    It is the numerator of CatalogueCoverage.

    Needs: nothing but the run.

    Range: 0 or more.

    Source: [adomavicius2012].

    Example:
        a, b and c, of which a is recommended twice.

        >>> import rankmark as rm
        >>> rm.evaluate(None, {"u1": ["a", "b"], "u2": ["a", "c"]}, "AggregateDiversity@2").values
        {'AggregateDiversity@2': 3.0}

    """
    return float(np.count_nonzero(lists.top(cutoff).exposure()))
