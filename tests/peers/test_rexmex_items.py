"""What is recommended, beside rexmex."""

from __future__ import annotations

import numpy as np
import pytest

import rankmark as rm
from installed import peer
from recommendations import KS, cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),  # the tools' own affair
    pytest.mark.filterwarnings("default:NOT COMPARED"),
]

THREE_DIGITS = 5.001e-4


def test_coverage() -> None:
    coverage = peer("rexmex.metrics.coverage", "rexmex")
    for case in cases():
        rows = [(user, item) for user, own in case.run.items() for item in own]
        users = sorted({user for user, _ in case.train} | set(case.run))
        known = users, list(case.items)
        expected = coverage.item_coverage(known, rows)
        assert case.value("item_coverage", "rexmex") == pytest.approx(expected, abs=THREE_DIGITS)
        expected = coverage.user_coverage(known, rows)
        judged = {user: {"i00": 1} for user in users}
        ours = rm.evaluate(judged, case.run, "user_coverage", like="rexmex")["user_coverage"]
        assert ours == pytest.approx(expected, abs=THREE_DIGITS)


def test_personalisation() -> None:
    ranking = peer("rexmex.metrics.ranking", "rexmex")
    for case in cases():
        expected = ranking.personalization(list(case.run.values()))
        assert case.value("personalization", "rexmex") == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("k", [1, 3, 9])
def test_novelty(k: int) -> None:
    """To the ninth digit: it adds 1e-10 to each popularity."""
    ranking = peer("rexmex.metrics.ranking", "rexmex")
    for case in cases(even=True):
        had = {item: len({user for user, own in case.train if own == item}) or 1 for item in case.items}
        users = len({user for user, _ in case.train})
        expected = ranking.novelty(list(case.run.values()), had, users, k)
        assert case.value(f"novelty@{k}", "rexmex") == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("k", KS)
def test_similarity_is_one_minus_diversity(k: int) -> None:
    ranking = peer("rexmex.metrics.ranking", "rexmex")
    for full in cases(shortest=2):
        case = full.top(max(k, 2))
        number = {item: place for place, item in enumerate(case.items)}
        vectors = np.array([own["vector"] for own in case.items.values()])
        lists = [[number[item] for item in own] for own in case.run.values()]
        expected = 1 - ranking.intra_list_similarity(lists, vectors)
        ours = case.value("IntraListDiversity(by=vector)")
        assert ours == pytest.approx(expected, rel=1e-12, abs=1e-14)
