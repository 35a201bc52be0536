"""Two rankings in one list, and to whom clicks on it are credited.

Credit is positive for A and negative for B. A and B are items, best first. Lists of k items see the first k
of each, and probabilistic ones all.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from random import Random
from typing import Literal, NamedTuple, TypeAlias, TypeVar, get_args

import numpy as np

from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.record import check_choice
from rankmark.statistics.resampling import Floats

__all__ = [
    "CREDITS",
    "CreditName",
    "OptimizedLists",
    "Slot",
    "balanced_interleaving",
    "balanced_preference",
    "optimized_interleaving",
    "probabilistic_interleaving",
    "team_draft",
]

Item = TypeVar("Item", bound=Hashable)
CreditName: TypeAlias = Literal["inverse", "linear", "binary"]
CREDITS: tuple[CreditName, ...] = get_args(CreditName)
MOST_OPTIMIZED = 12
"""Positions of which all lists are looked at: 2¹² of them at most."""
HALF = 0.5


class Slot(NamedTuple):
    """A position of a list.

    Attributes:
        item: what stands there.
        credit: of a click there: above 0 it is A's, below 0 B's.

    """

    item: Hashable
    credit: float


def team_draft(a: Sequence[Item], b: Sequence[Item], k: int, random: Random) -> list[Slot]:
    """Team draft: who has fewer items, or else who wins a coin, puts the best one that is not there yet.

    A click is credited to whose turn it was: 1 or −1.

    Source:
        F. Radlinski, M. Kurup and T. Joachims, "How does clickthrough data reflect retrieval quality?", CIKM
        2008.

    Example:
        >>> from random import Random
        >>> from rankmark import statistics
        >>> statistics.team_draft(["a", "b"], ["b", "c"], 3, Random(0))
        [Slot(item='b', credit=-1.0), Slot(item='a', credit=1.0), Slot(item='c', credit=-1.0)]

    """
    queues = {1.0: list(a[:k]), -1.0: list(b[:k])}
    turns = {1.0: 0, -1.0: 0}
    there: set[Item] = set()
    made: list[Slot] = []
    while len(made) < k:
        coin = random.random() < HALF
        behind = turns[1.0] < turns[-1.0] or (turns[1.0] == turns[-1.0] and coin)
        team = 1.0 if behind else -1.0
        left = {who: [item for item in own if item not in there] for who, own in queues.items()}
        if not left[team]:
            team = -team
        if not left[team]:
            break
        item = left[team][0]
        there.add(item)
        turns[team] += 1
        made.append(Slot(item, team))
    return made


def balanced_interleaving(a: Sequence[Item], b: Sequence[Item], k: int, *, a_first: bool) -> list[Item]:
    """Balanced interleaving: any first positions hold as many of the first of A as of B, or one more.

    Source:
        T. Joachims, "Evaluating retrieval performance using clickthrough data", 2003.

    Example:
        >>> from rankmark import statistics
        >>> statistics.balanced_interleaving(["a", "b", "c"], ["b", "d", "a"], 4, a_first=True)
        ['a', 'b', 'd', 'c']

    """
    made: list[Item] = []
    of_a = of_b = 0
    while len(made) < k and (of_a < len(a) or of_b < len(b)):
        takes_a = of_a < of_b or (of_a == of_b and a_first)
        if of_b >= len(b) or (takes_a and of_a < len(a)):
            item, of_a = a[of_a], of_a + 1
        else:
            item, of_b = b[of_b], of_b + 1
        if item not in made:
            made.append(item)
    return made


def balanced_preference(rank_a: Sequence[float | None], rank_b: Sequence[float | None]) -> int:
    """Whom the clicks on a balanced list prefer: 1 A, −1 B, 0 neither.

    With the lowest clicked item at rank r in whichever ranking has it higher, it is who has more of the
    clicked items among its first r.

    Args:
        rank_a: of the clicked items, in the order of the list; None or NaN where A has it not.
        rank_b: the same of B.

    Source:
        T. Joachims, "Evaluating retrieval performance using clickthrough data", 2003.

    Example:
        Of a, b, d, c above b and d were clicked: B has both among its first 2, A one.

        >>> from rankmark import statistics
        >>> statistics.balanced_preference([2, None], [1, 2])
        -1

    """
    of_a, of_b = (
        [math.inf if rank is None or math.isnan(rank) else rank for rank in ranks]
        for ranks in (rank_a, rank_b)
    )
    if not of_a:
        return 0
    depth = min(of_a[-1], of_b[-1])
    difference = sum(rank <= depth for rank in of_a) - sum(rank <= depth for rank in of_b)
    return int(difference > 0) - int(difference < 0)


class OptimizedLists(NamedTuple):
    """The lists that can be shown of two rankings, and how often each should.

    Attributes:
        lists: those with a probability above 0.
        probabilities: of each.
        bias: the greatest mean credit of clicks at random down to any position; 0 but for rounding.

    """

    lists: tuple[tuple[Slot, ...], ...]
    probabilities: tuple[float, ...]
    bias: float


def optimized_interleaving(
    a: Sequence[Item], b: Sequence[Item], k: int, *, credit: CreditName = "inverse"
) -> OptimizedLists:
    """Optimised interleaving: of all lists that both could have made, how often each should be shown.

    A list can be shown if each of its beginnings is the first of A and the first of B together; it is no
    longer than either ranking, as what only the longer one has is not fair. The credit of a click on an item
    at rank i of A and j of B (one more than the last where it is not) is 1/i − 1/j (``inverse``), j − i
    (``linear``) or the sign of that (``binary``). The probabilities are such that a user who clicks anything
    among the first m positions gives no credit on average, whatever m, and else that lists are shown that
    decide most: one click, at position i with a chance ∝ 1/i, gives A the win with w_A and B with w_B, and
    −w_A·log₂(w_A/(w_A + w_B)) − w_B·log₂(w_B/(w_A + w_B)) is greatest on average.

    Raises:
        ChoiceError: another credit, or k greater than 12.
        DataError: no probabilities give no credit to random clicks.

    Source:
        F. Radlinski and N. Craswell, "Optimized interleaving for online retrieval evaluation", WSDM 2013.

    Example:
        >>> from rankmark import statistics
        >>> found = statistics.optimized_interleaving(["a", "b"], ["b", "a"], 2)
        >>> [[slot.item for slot in each] for each in found.lists], found.probabilities
        ([['a', 'b'], ['b', 'a']], (0.5, 0.5))

    """
    check_choice("credit", credit, CREDITS)
    if k > MOST_OPTIMIZED:
        raise ChoiceError(f"k={k}: optimised lists have {MOST_OPTIMIZED} positions at most")
    k = min(k, len(a), len(b))
    first, second = list(a[:k]), list(b[:k])
    places = {item: place for place, item in enumerate(first)}
    names = first + [item for item in second if item not in places]
    numbers = {item: number for number, item in enumerate(names)}
    lists, probabilities, bias = _optimized(tuple(numbers[item] for item in second), len(first), k, credit)
    named = tuple(tuple(Slot(names[slot], worth) for slot, worth in each) for each in lists)
    return OptimizedLists(named, probabilities, bias)


@functools.lru_cache(maxsize=4096)
def _optimized(
    second: tuple[int, ...], size: int, k: int, credit: CreditName
) -> tuple[tuple[tuple[tuple[int, float], ...], ...], tuple[float, ...], float]:
    """The same of items that are numbers, in the order of A and then of B alone."""
    from scipy.optimize import linprog

    lists = sorted(_allowed(tuple(range(size)), second, k))
    ranks = {item: place for place, item in enumerate(second, 1)}
    absent = max(size, len(second)) + 1
    worth = {
        item: CREDIT[credit](item + 1 if item < size else absent, ranks.get(item, absent))
        for item in {*range(size), *second}
    }
    own = np.array([[worth[item] for item in each] for each in lists])
    sums = np.cumsum(own, axis=1)
    equal = np.vstack([np.ones(len(lists)), sums.T])
    aims = np.concatenate([[1.0], np.zeros(own.shape[1])])
    solved = linprog(-_deciding(own), A_eq=equal, b_eq=aims, bounds=(0, 1), method="highs")
    if not solved.success:
        raise DataError(
            f"credit={credit!r}: no probabilities of the {len(lists)} lists of these two rankings give no "
            "credit to random clicks; take another credit or fewer positions"
        )
    kept = np.flatnonzero(solved.x > 1e-9)
    share = solved.x[kept] / solved.x[kept].sum()
    bias = float(np.abs(share @ sums[kept]).max())
    made = tuple(tuple((item, worth[item]) for item in lists[each]) for each in kept)
    return made, tuple(share.tolist()), bias


def _sign(number: float) -> float:
    return float((number > 0) - (number < 0))


CREDIT: Mapping[CreditName, Callable[[int, int], float]] = {
    "inverse": lambda i, j: 1 / i - 1 / j,
    "linear": lambda i, j: float(j - i),
    "binary": lambda i, j: _sign(j - i),
}
"""What a click on an item at rank i of A and j of B is worth."""


def _allowed(a: tuple[int, ...], b: tuple[int, ...], k: int) -> set[tuple[int, ...]]:
    """The lists of which each position holds the first of A or of B that is not there yet."""
    made: set[tuple[int, ...]] = {()}
    for _ in range(min(k, len({*a, *b}))):
        longer = set()
        for each in made:
            for own in (a, b):
                item = next((item for item in own if item not in each), None)
                if item is not None:
                    longer.add((*each, item))
        made = longer
    return made


def _deciding(worth: Floats) -> Floats:
    """How much one click on each list is expected to tell."""
    chance = 1 / np.arange(1, worth.shape[1] + 1)
    chance /= chance.sum()
    wins, losses = (worth > 0) @ chance, (worth < 0) @ chance
    decided = wins + losses
    found = np.zeros(len(worth))
    for each in (wins, losses):
        there = each > 0
        found[there] -= each[there] * np.log2(each[there] / decided[there])
    return found


def probabilistic_interleaving(
    a: Sequence[Item], b: Sequence[Item], k: int, random: Random, *, softness: float = 3.0
) -> list[Slot]:
    """Probabilistic interleaving: a coin says who draws the next item, of rank i with 1/i^softness.

    What is drawn is taken out of both. A click is credited by how likely A was to have drawn the item there
    rather than B: P_A − P_B over P_A + P_B, which is the mean over all ways in which the list could have come
    about.

    Source:
        K. Hofmann, S. Whiteson and M. de Rijke, "A probabilistic method for inferring preferences from
        clicks", CIKM 2011, with τ as softness; marginalised as there.

    """
    places = [{item: place for place, item in enumerate(own, 1)} for own in (a, b)]
    made: list[Slot] = []
    while len(made) < k and (places[0] or places[1]):
        pools = [_chances(own, softness) for own in places]
        coin = random.random() < HALF
        pool = pools[0] if (coin and pools[0]) or not pools[1] else pools[1]
        at, item = random.random(), next(iter(pool))
        for each, chance in pool.items():
            at -= chance
            if at < 0:
                item = each
                break
        chances = [own.get(item, 0.0) for own in pools]
        made.append(Slot(item, (chances[0] - chances[1]) / (chances[0] + chances[1])))
        for own in places:
            own.pop(item, None)
    return made


def _chances(places: dict[Item, int], softness: float) -> dict[Item, float]:
    """The chance of each item to be drawn, relative to the best so that no softness leaves 0 of all."""
    best = next(iter(places.values()), 1)
    weights = {item: (best / place) ** softness for item, place in places.items()}
    total = sum(weights.values())
    return {item: weight / total for item, weight in weights.items()}
