"""VendiScore."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from rankmark import _numpy as np
from rankmark.kinds.distances import distance_needs, tables_of_pairs
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ranges import Above
from rankmark.language.parameters import CATEGORY, Columns
from rankmark.language.registry import item_measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

Similar: TypeAlias = (
    Literal["cosine", "jaccard", "hamming", "gower", "cooccurrence"] | Callable[[Any, Any], float]
)
"""The distances that are at most 1, of items that have nothing in common."""


@item_measure("VendiScore", aliases=("Vendi",), bounds=(1, None), needs=distance_needs)
def vendi_score(
    lists: RecommendedLists,
    *,
    cutoff: int | None = None,
    by: Columns = CATEGORY,
    distance: Similar = "cosine",
    q: Literal["inf"] | Annotated[float, Above(0)] = 1,
) -> Values:
    """Vendi score: how many items a list has in effect, those that are alike being counted together.

        VendiScore@k = exp(−Σ_j λ_j · ln λ_j)

    The λ_j are the eigenvalues of K / n, where K has the similarities 1 − d(x_i, x_j) of the n items of the
    list down to rank k, and 1 of each with itself.

    Args:
        by: the column of items that says what they are like: a category, a list of categories, a number or a
            list of numbers; or several, [genre,price], for the mean of the distances by each. A column of
            integers holds numbers for gower, and for all other distances codes of categories.
        distance: ``cosine``, 1 − x·y / (|x|·|y|), 1 where either is all 0, of categories 1 − |A∩B| /
            √(|A|·|B|); of categories also ``jaccard``, 1 − |A∩B| / |A∪B|; ``hamming``, the share of the C
            categories, or of the numbers, in which they differ; ``gower``, of numbers the mean of their
            differences, each over the range of all items, of categories as jaccard; or, whatever they are
            like, ``cooccurrence``, 1 − u_xy / √(u_x · u_y) with u users who had x, y or both before; from
            Python any function of what two items have there, which is 1 where they have nothing in common.
        q: the order of the entropy; one that is not 1 gives (Σ_j λ_j^q)^(1 / (1 − q)), and ``inf``
            1 / max λ_j. More than 1 sees less of what is rare.

    Needs: a table of items, items=…, or for cooccurrence the interactions before, train=….

    Range: 1 (all alike) to n (all different).

    Source: [friedman2023]; orders q, [pasarkar2024].

    Example:
        Two items of one category and one of another: λ is 2/3 and 1/3.

        >>> import rankmark as rm
        >>> items = {"a": {"category": "x"}, "b": {"category": "y"}, "c": {"category": "x"}}
        >>> result = rm.evaluate(None, {"u1": ["a", "b", "c"]}, "VendiScore@3", items=items)
        >>> round(result["VendiScore@3"], 6)
        1.889882

    """
    top = lists.top(cutoff)
    scores = np.full(len(top.length), np.nan)
    for queries, _, apart in tables_of_pairs(top, by, distance):
        scores[queries] = _effective(np.linalg.eigvalsh((1 - apart) / apart.shape[1]), q)
    return scores


def _effective(eigenvalues: NDArray[np.float64], q: float | str) -> Values:
    """How many different ones there are in effect, of each row."""
    # Those that are 0 are a little above or below, of which a small power is much.
    rounding = eigenvalues.shape[1] * np.finfo(np.float64).eps * eigenvalues.max(axis=1, keepdims=True)
    shares = np.where(eigenvalues > rounding, eigenvalues, 0.0)
    shares /= shares.sum(axis=1, keepdims=True)
    found: Values
    if q == "inf":
        found = 1 / shares.max(axis=1)
    elif q == 1:
        logarithms = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
        found = np.exp(-(shares * logarithms).sum(axis=1))
    else:
        # (Σ λ^q)^(1 / (1 − q)), so that orders near 1 lose no digits and great ones are not 0^0.
        most, order = shares.max(axis=1, keepdims=True), float(q) - 1
        below = np.log(shares / most, out=np.zeros_like(shares), where=shares > 0)
        found = np.exp(-np.log1p((shares * np.expm1(order * below)).sum(axis=1)) / order) / most[:, 0]
    return found
