"""The items at the top of rows of scores: which scores are high enough is found where the scores are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankmark.engines.dense import as_chosen
from rankmark.engines.dense_places import CELLS, NEVER
from rankmark.engines.local import depth_of
from rankmark.errors import UsageError
from rankmark.inputs.arrays.libraries import Array, highest, is_torch, least, like, namespace, to_numpy
from rankmark.inputs.catalogue import JudgedItems, Numbered
from rankmark.kinds.item_facts import Numbers
from rankmark.kinds.items import Tops, together
from rankmark.kinds.ragged import offsets_of
from rankmark.language.choices import ORDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankmark.aggregation.observed import Observed
    from rankmark.inputs.arrays.judged_items import Grades, Sparse
    from rankmark.inputs.arrays.libraries import RowNumbers
    from rankmark.inputs.arrays.scored import Scored
    from rankmark.language.choices import Choices
    from rankmark.language.measure import Measure

__all__ = ["with_tops"]


def with_tops(
    observed: Observed,
    arrays: Scored,
    relevance: Grades,
    judged: RowNumbers,
    choices: Choices,
    measures: Sequence[Measure],
    k: int | None,
    items: Numbered,
) -> Observed:
    """What was observed of the judged rows, with the tops of their lists; `k` ends these.

    Raises:
        UsageError: an order of equal scores by lots or grades, which takes tables.

    """
    of_items = [measure for measure in measures if measure.page.kind == "item"]
    if choices.ties not in BY_COLUMN or choices.unjudged == "ignore":
        chosen = "unjudged" if choices.ties in BY_COLUMN else "ties"
        raise UsageError(
            f"{of_items[0]} of arrays knows no {chosen}={getattr(choices, chosen)!r}: give tables to "
            f'rm.evaluate, or choose ties from {", ".join(BY_COLUMN)}, and unjudged="nonrelevant"'
        )
    columns = arrays.scores.shape[1]
    depth = min(depth_of(of_items), columns if k is None else k)
    numbers = items.of_ids(np.arange(columns) if arrays.columns is None else arrays.columns)
    step = max(1, CELLS // max(1, columns))
    parts = []
    for start in range(0, len(judged), step):
        places = np.arange(start, min(start + step, len(judged)))
        rows = judged[places]
        scores = as_chosen(arrays.scores.block(rows), choices)
        excluded = None if arrays.excluded is None else arrays.excluded.take(rows)
        parts.append(
            (places, _tops(scores, excluded, depth, numbers, lower_first=ORDERS[choices.ties].lower_first))
        )

    def judged_items() -> JudgedItems:
        own = relevance.take(judged)
        return JudgedItems(numbers[own.items], own.grades, own.offsets)

    return observed._replace(tops=together(parts, len(judged)), judged=judged_items)


BY_COLUMN = ("item-desc", "item-asc", "input")
"""The orders of equal scores that look at nothing but the columns."""


def _tops(scores: Array, excluded: Sparse | None, depth: int, numbers: Numbers, *, lower_first: bool) -> Tops:
    """The items at the top of some rows; of the scores only those travel that are high enough."""
    if excluded is not None and len(excluded.items):
        scores = _without(scores, excluded)
    row, column, score = _high_enough(scores, depth)
    order = np.lexsort((column if lower_first else -column, -score, row))
    row, column, score = row[order], column[order], score[order]
    lengths = np.bincount(row, minlength=scores.shape[0])
    rank = np.arange(len(row)) - np.repeat(offsets_of(lengths)[:-1], lengths)
    tied = np.zeros(len(row), dtype=np.bool_)
    tied[:-1] = (row[1:] == row[:-1]) & (score[1:] == score[:-1])
    kept = rank < depth
    return Tops(numbers[column[kept]], tied[kept], offsets_of(np.minimum(lengths, depth)))


def _without(scores: Array, excluded: Sparse) -> Array:
    """The scores, of which some are never to be in a list."""
    left_out = np.zeros(scores.shape, dtype=np.bool_)
    left_out[excluded.row, excluded.items] = True
    library = namespace(scores)
    if not is_torch(scores) and "float" not in str(scores.dtype):
        scores = library.astype(scores, library.float64)
    elif is_torch(scores) and not scores.is_floating_point():
        scores = scores.to(library.float64)
    return library.where(like(left_out, scores), NEVER, scores)


def _high_enough(scores: Array, depth: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Row, column and score of all that are at least as high as that at `depth` in their row."""
    library = namespace(scores)
    columns = scores.shape[1]
    if depth >= columns:
        high = scores > NEVER
    else:
        if isinstance(scores, np.ndarray):
            last = np.partition(scores, columns - depth, axis=1)[:, columns - depth : columns - depth + 1]
        else:
            top, _ = highest(scores, depth)
            last = least(top)[:, None]
        high = (scores >= last) & (scores > NEVER)
    if is_torch(scores):
        row, column = library.nonzero(high, as_tuple=True)
    else:
        row, column = library.nonzero(high)
    score = scores[row, column]
    return to_numpy(row), to_numpy(column), to_numpy(score).astype(np.float64)
