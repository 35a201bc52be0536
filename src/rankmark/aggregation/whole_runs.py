"""What queries add to a measure of the whole run, such as coverage, which has no values of queries.

The value without some of the queries says what these add: blocks of queries are left out in turn (the
jackknife). What is estimated is the value for as many queries of the same kind. The value of the run is that
in the mean, whatever the measure, so that only its spread has to be known. The bootstrap does not tell it:
resamples have some 63% of the queries, so that they cover fewer items, and spread less. The spread by the
jackknife is in the mean never too small (Efron and Stein): about right of what is smooth, such as the Gini
index, and of coverage up to twice too great. `benchmarks/coverage` has the figures.

Source:
    B. Efron and C. Stein, "The jackknife estimate of variance", Annals of Statistics 9, 1981.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankmark.aggregation.terms import Terms, Whole
from rankmark.errors import ChoiceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankmark.kinds.items import RecommendedLists
    from rankmark.language.measure import Measure
    from rankmark.statistics.resampling import Floats

__all__ = ["BLOCKS", "blocks_of", "left_out_of", "terms_of_run"]

BLOCKS = 100
"""Into so many blocks queries are divided at most, each of which is left out once."""


def blocks_of(query_ids: Sequence[Any], labels: NDArray[Any] | None = None) -> NDArray[np.intp]:
    """The block of each query: at random, by the ids, so that all systems have the same in any order.

    Args:
        query_ids: the queries.
        labels: the cluster of each, which then stay together; None where each stands for itself.

    """
    if labels is not None and labels.ndim > 1:
        raise ChoiceError("measures of the whole run know clusters of one kind: leave out one of them")
    units = np.array([str(each) for each in query_ids]) if labels is None else labels
    distinct, places = np.unique(units, return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(len(distinct))
    found: NDArray[np.intp] = (shuffled % min(BLOCKS, max(len(distinct), 1)))[places]
    return found


def left_out_of(
    measure: Measure, lists: RecommendedLists, rows: NDArray[np.intp], blocks: NDArray[np.intp]
) -> Floats:
    """The value of some of the queries, and then that without each of their blocks.

    Args:
        measure: what is measured.
        lists: those of all queries.
        rows: the places of the queries.
        blocks: the block of each of these.

    """
    drawn = np.zeros(len(lists.offsets) - 1)
    drawn[rows] = 1
    values = [measure.compute_items(lists.draw(drawn))]
    for block in range(int(blocks.max(initial=-1)) + 1):
        without = drawn.copy()
        without[rows[blocks == block]] = 0
        values.append(measure.compute_items(lists.draw(without)))
    return np.array(values, dtype=np.float64)


def terms_of_run(measure: Measure, left_out: Floats, queries: int) -> Terms:
    """One number a block, whose mean is the value and whose spread that of the value (pseudo-values).

        T + (B − 1)·(mean of T_(b) − T_(b)) for B blocks, T_(b) the value without block b

    They are NaN where a value is missing, as of two queries without one of which there is no pair of lists.
    """
    value, without = float(left_out[0]), left_out[1:]
    moved = (len(without) - 1) * (without.mean() - without) if len(without) else without
    return Terms(measure, (value + moved)[:, None], whole=Whole((value,), queries))
