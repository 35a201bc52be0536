"""How far items are from each other, by what they are like or by who had them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from rankmark import _native
from rankmark import _numpy as np
from rankmark.errors import number_of
from rankmark.kinds.item_facts import Attributes, ItemFacts, Lists, Numbers
from rankmark.kinds.items import RecommendedLists
from rankmark.kinds.lists import Values
from rankmark.kinds.ragged import PIECE, pieces, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Distance",
    "Far",
    "distance_needs",
    "far_from_profiles",
    "item_distances",
    "sees_numbers",
    "sum_of_pairs",
    "tables_of_pairs",
    "without_direction",
]

Distance: TypeAlias = (
    Literal["cosine", "jaccard", "hamming", "differences", "gower", "cooccurrence"]
    | Callable[[Any, Any], float]
)
"""The distance of two items, of vectors x and y or of sets A and B out of C categories.

``cosine``: 1 − x·y / (|x|·|y|), 1 where either is all 0, 1 − |A∩B| / √(|A|·|B|); ``jaccard``, of sets:
1 − |A∩B| / |A∪B|; ``hamming``: the share of the C, or of the numbers, in which they differ; ``differences``:
in how many they do; ``gower``: of numbers the mean of their differences, each over the range of all items, of
sets as jaccard;
``cooccurrence``: 1 − u_xy / √(u_x · u_y) with u users who had x, y or both; a function of what two items have
in the column.
"""

Far: TypeAlias = "Callable[[Numbers, Numbers], Values]"
"""How far some items, by their numbers, are from those beside them."""


def distance_needs(given: Mapping[str, Any]) -> tuple[Literal["train", "items"], ...]:
    """What has to be known of items for a distance."""
    return ("train",) if given["distance"] == "cooccurrence" else ("items",)


def sees_numbers(known: Attributes, column: str, distance: object) -> bool:
    """Whether a distance sees numbers in a column: to gower integers are such, to others they are codes."""
    return (distance == "gower" and known.is_integer(column)) or known.categories(column) is None


def without_direction(known: Attributes, column: str, distance: object) -> int:
    """How many items have a vector of zeros in a column, of which a distance sees the direction."""
    if distance != "cosine" or not sees_numbers(known, column, distance):
        return 0
    return int(np.count_nonzero(~known.vectors(column).any(axis=1)))


def item_distances(lists: RecommendedLists, by: str | Sequence[str], distance: Distance) -> Far:
    """The distance of items, over several columns the mean of that by each.

    A function is called once for any two items, of several columns with what they have in each.

    Raises:
        DataError: items of the lists are not in the table of items.

    """
    if distance == "cooccurrence":
        return _cooccurrences(lists.facts)
    known = lists.described()
    if callable(distance):
        return _by_function(known, by, distance)
    columns = (by,) if isinstance(by, str) else by
    each = [_by_column(known, column, distance) for column in columns]
    if len(each) == 1:
        return each[0]

    def far(x: Numbers, y: Numbers) -> Values:
        return np.asarray(sum(one(x, y) for one in each) / len(each))

    return far


def sum_of_pairs(top: RecommendedLists, by: str | Sequence[str], distance: Distance) -> Values:
    """The sum of the distances of all pairs of items of each list."""
    if not isinstance(by, str) and not callable(distance):
        return _mean_of([sum_of_pairs(top, column, distance) for column in by])
    if _of_directions(top, by, distance):
        assert isinstance(by, str)
        return _sum_of_cosines(top, _directions(top.described(), by))
    far = item_distances(top, by, distance)
    total = np.zeros(len(top.length))
    for pairs in _pairs(top):
        x, y = (np.concatenate(items) for items in zip(*((each.x, each.y) for each in pairs), strict=True))
        apart = np.split(far(x, y), np.cumsum([len(each.x) for each in pairs])[:-1])
        for each, own in zip(pairs, apart, strict=True):
            total += np.bincount(each.query, own, len(total))
    return total


class _Pairs(NamedTuple):
    """Pairs of items that stand so many ranks apart: the numbers of their lists, and the items."""

    query: NDArray[np.int64]
    x: Numbers
    y: Numbers


def _pairs(top: RecommendedLists) -> Iterator[list[_Pairs]]:
    """The pairs of items of each list: those next to each other, those one apart and so on.

    They come some together, which costs less, and not all, so that long lists need no tables of pairs.
    """
    some: list[_Pairs] = []
    for steps in range(1, int(top.length.max(initial=0))):
        a = np.flatnonzero(top.query[:-steps] == top.query[steps:])
        some.append(_Pairs(top.query[a], top.item[a], top.item[a + steps]))
        if sum(len(each.query) for each in some) >= PIECE // 4:
            yield some
            some = []
    if some:
        yield some


def tables_of_pairs(
    top: RecommendedLists, by: str | Sequence[str], distance: Distance
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]]:
    """The distances of all pairs of items of each list, some lists of one length at a time.

    Yields:
        The numbers of these queries, the places of the items of each in the flat arrays, [queries, items],
        and the distances, [queries, items, items], 0 of each from itself.

    """
    if _of_directions(top, by, distance):
        assert isinstance(by, str)
        directions = _directions(top.described(), by)
        apart_in, width = _between_directions(directions), directions.shape[1]
    else:
        apart_in, width = _between_items(item_distances(top, by, distance)), 1
    lengths = np.diff(top.offsets)
    for n in np.unique(lengths[lengths > 0]).tolist():
        alike = np.flatnonzero(lengths == n)
        step = max(PIECE // (n * max(n, width)), 1)
        for first in range(0, len(alike), step):
            queries = alike[first : first + step]
            places = top.offsets[queries][:, None] + np.arange(n)
            yield queries, places, apart_in(top.item[places])


Tables: TypeAlias = "Callable[[Numbers], NDArray[np.float64]]"
"""Of items, [lists, items], the distances of those of each list, [lists, items, items]."""


def _between_directions(directions: NDArray[np.float64]) -> Tables:
    def apart(item: Numbers) -> NDArray[np.float64]:
        own = directions[item]
        found: NDArray[np.float64] = 1 - own @ own.transpose(0, 2, 1)
        found[:, np.arange(item.shape[1]), np.arange(item.shape[1])] = 0.0
        return found

    return apart


def _between_items(far: Far) -> Tables:
    def apart(item: Numbers) -> NDArray[np.float64]:
        lists, n = item.shape
        upper, lower = np.triu_indices(n, 1)
        found = np.zeros((lists, n, n))
        each = far(item[:, upper].ravel(), item[:, lower].ravel()).reshape(lists, -1)
        found[:, upper, lower] = found[:, lower, upper] = each
        return found

    return apart


def _mean_of(columns: Sequence[Values]) -> Values:
    """The mean of what is by each column, which can be faster than what is by all."""
    return np.asarray(np.mean(columns, axis=0))


def _of_directions(top: RecommendedLists, by: str | Sequence[str], distance: Distance) -> bool:
    """Whether distances are products of vectors, so that those of many come together."""
    return distance == "cosine" and isinstance(by, str) and top.described().categories(by) is None


def far_from_profiles(
    top: RecommendedLists, by: str | Sequence[str], distance: Distance, of: Literal["mean", "nearest"]
) -> Values:
    """How far each item is from what its user had, in the mean or from the nearest; NaN for nothing."""
    if of == "mean" and not isinstance(by, str) and not callable(distance):
        return _mean_of([far_from_profiles(top, column, distance, of) for column in by])
    profiles = top.profiles if distance == "cooccurrence" else _described(top.profiles)
    if of == "mean" and _of_directions(top, by, distance):
        assert isinstance(by, str)
        return _far_in_the_mean(top, profiles, _directions(top.described(), by))
    far = item_distances(top, by, distance)
    sizes = np.diff(profiles.offsets)[top.query]
    found = np.full(len(sizes), np.nan)
    for start, stop in pieces(sizes):
        own = sizes[start:stop]
        there = np.flatnonzero(own)
        if not len(there):
            continue
        places = np.repeat(np.arange(start, stop), own)
        others = profiles.item[spread(profiles.offsets[top.query[start:stop]], own)]
        distances = far(top.item[places], others)
        first = (np.cumsum(own) - own)[there]
        if of == "mean":
            found[start + there] = np.add.reduceat(distances, first) / own[there]
        else:
            found[start + there] = np.minimum.reduceat(distances, first)
    return found


def _described(profiles: RecommendedLists) -> RecommendedLists:
    """Those of the items of which it is known what they are like."""
    return profiles.among(np.less(profiles.item, profiles.facts.known().count))


# --- By a column -------------------------------------------------------------------------------------------


def _by_column(known: Attributes, column: str, distance: str) -> Far:
    """The distance of items by a column, so many at once that their numbers take little memory."""
    far, width = _by_numbers(known, column, distance)
    step = max(PIECE // width, 1)

    def by_pieces(x: Numbers, y: Numbers) -> Values:
        found = np.empty(len(x))
        for first in range(0, len(x), step):
            found[first : first + step] = far(x[first : first + step], y[first : first + step])
        return found

    return by_pieces


def _by_numbers(known: Attributes, column: str, distance: str) -> tuple[Far, int]:
    """The distance of items by a column, and how many numbers it looks at of each."""
    categories = None if sees_numbers(known, column, distance) else known.categories(column)
    if categories is not None:
        return _of_categories(categories, distance), (categories.count + 7) // 8
    vectors = known.vectors(column)
    width = vectors.shape[1]
    if distance == "cosine":
        directions = _directions(known, column)
        return lambda x, y: np.asarray(1 - np.einsum("ij,ij->i", directions[x], directions[y])), width
    if distance == "gower":
        ranges = np.ptp(vectors, axis=0)
        scaled = vectors / np.where(ranges > 0, ranges, 1.0)
        return lambda x, y: np.asarray(np.abs(scaled[x] - scaled[y]).mean(axis=1)), width
    size = width if distance == "hamming" else 1
    return lambda x, y: np.asarray((vectors[x] != vectors[y]).sum(axis=1) / size), width


def _of_categories(categories: Lists, distance: str) -> Far:
    """The distance of items by their categories."""
    sizes = np.diff(categories.offsets)
    if (sizes == 1).all():
        most = 2 / categories.count if distance == "hamming" else 2.0 if distance == "differences" else 1.0
        return lambda x, y: (categories.values[x] != categories.values[y]) * most
    bits = np.zeros((len(sizes), (categories.count + 7) // 8), dtype=np.uint8)
    places = np.repeat(np.arange(len(sizes)), sizes)
    np.bitwise_or.at(bits, (places, categories.values // 8), (1 << (categories.values % 8)).astype(np.uint8))

    def far(x: Numbers, y: Numbers) -> Values:
        both: Values = _ones()[bits[x] & bits[y]].sum(axis=1, dtype=np.float64)
        of_x, of_y = sizes[x].astype(np.float64), sizes[y].astype(np.float64)
        if distance in ("jaccard", "gower"):
            return 1 - both / (of_x + of_y - both)
        if distance == "cosine":
            return 1 - both / np.sqrt(of_x * of_y)
        return (of_x + of_y - 2 * both) / (categories.count if distance == "hamming" else 1)

    return far


@cache
def _ones() -> NDArray[np.uint8]:
    """How many bits of each byte are set."""
    return np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint8)


# --- Of vectors --------------------------------------------------------------------------------------------


def _directions(known: Attributes, column: str) -> NDArray[np.float64]:
    """The vectors made as long as 1, but for those of length 0."""
    vectors = known.vectors(column)
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    found: NDArray[np.float64] = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return found


def _sums(lists: RecommendedLists, directions: NDArray[np.float64], first: int, stop: int) -> Any:
    """The sum of the directions of the items of each of these lists, [lists, dimensions]."""
    offsets = lists.offsets[first : stop + 1]
    there = np.flatnonzero(np.diff(offsets))
    sums = np.zeros((stop - first, directions.shape[1]))
    if len(there):
        piece = directions[lists.item[offsets[0] : offsets[-1]]]
        sums[there] = np.add.reduceat(piece, offsets[there] - offsets[0], axis=0)
    return sums


def _sum_of_cosines(top: RecommendedLists, directions: NDArray[np.float64]) -> Values:
    """The sum of all cosine distances: the square of the sum of all directions has each pair twice."""
    n = top.length
    own = top.sum_of(np.any(directions != 0, axis=1))
    squares = _native.squared_sums(directions, (top.offsets, top.item))
    return (n * (n - 1) - (squares - own)) / 2


def _far_in_the_mean(
    top: RecommendedLists, profiles: RecommendedLists, directions: NDArray[np.float64]
) -> Values:
    """The mean cosine distance from all of a profile is that from its mean direction."""
    found = np.empty(len(top.item))
    sizes = np.maximum(np.diff(profiles.offsets), np.diff(top.offsets))
    for first, stop in pieces(np.maximum(sizes, 1) * directions.shape[1]):
        rows = slice(top.offsets[first], top.offsets[stop])
        sums = _sums(profiles, directions, first, stop)[top.query[rows] - first]
        found[rows] = np.einsum("ij,ij->i", directions[top.item[rows]], sums)
    count = profiles.length[top.query]
    return np.where(count > 0, 1 - found / np.maximum(count, 1), np.nan)


# --- By users, and by functions ----------------------------------------------------------------------------


def _cooccurrences(facts: ItemFacts) -> Far:
    """The distance of items by the users who had them; one that nobody had is like none."""
    train, users = facts.before(), facts.popularity("users")

    def far(x: Numbers, y: Numbers) -> Values:
        return 1 - train.both(x, y) / np.sqrt(np.maximum(users[x] * users[y], 1))

    return far


def _by_function(known: Attributes, by: str | Sequence[str], distance: Callable[[Any, Any], float]) -> Far:
    """What a function says of what items have in a column, or in several."""
    values = (
        known.values(by)
        if isinstance(by, str)
        else list(zip(*(known.values(column) for column in by), strict=True))
    )

    def far(x: Numbers, y: Numbers) -> Values:
        one, other, places = _distinct(x, y, len(values))
        pairs = zip(one.tolist(), other.tolist(), strict=True)
        found = [_far(distance, values[a], values[b]) for a, b in pairs]
        return np.array(found, dtype=np.float64)[places]

    return far


def _far(distance: Callable[[Any, Any], float], x: Any, y: Any) -> float:
    return number_of(distance, "distance", f"{x!r} and {y!r}", x, y)


def _distinct(
    x: Numbers, y: Numbers, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Each two items once, the lower number first, and which of these each pair is."""
    lower, upper = np.minimum(x, y).astype(np.int64), np.maximum(x, y)
    keys, places = np.unique(lower * count + upper, return_inverse=True)
    return keys // count, keys % count, places
