"""What is recommended, beside RePlay: the values of each user, of dicts and of data frames."""

from __future__ import annotations

from typing import Any

import pytest

from installed import peer
from recommendations import KS, Recommendations, cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),  # the tools' own affair
    pytest.mark.filterwarnings("default:NOT COMPARED"),
]

KS_AND_FRAMES = [(k, frames) for k in KS for frames in ("dict", "pandas", "polars")]


@pytest.fixture(scope="module")
def metrics() -> Any:
    return peer("replay.metrics", "replay-rec")


def tables(case: Recommendations, frames: str) -> tuple[Any, Any]:
    """The lists and the interactions as RePlay takes them."""
    if frames == "dict":
        had: dict[str, list[str]] = {}
        for user, item in case.train:
            had.setdefault(user, []).append(item)
        return {u: [(i, -float(r)) for r, i in enumerate(own)] for u, own in case.run.items()}, had
    lists = case.frame("query_id", "item_id", "rating", "rank")
    before = case.before("query_id", "item_id")
    if frames == "polars":
        import polars as pl

        return pl.DataFrame(lists.to_dict("list")), pl.DataFrame(before.to_dict("list"))
    return lists, before


@pytest.mark.parametrize(("k", "frames"), KS_AND_FRAMES)
def test_values_of_users(metrics: Any, k: int, frames: str) -> None:
    each = metrics.PerUser()
    for case in cases(number=30):
        lists, before = tables(case, frames)
        (theirs,) = metrics.Surprisal(k, mode=each)(lists, before).values()
        assert case.values(f"Surprisal@{k}", "replay") == pytest.approx(theirs, rel=1e-12)
        (theirs,) = metrics.Novelty(k, mode=each)(lists, before).values()
        both = {user: value for user, value in theirs.items() if user in case.run}
        assert {value for user, value in theirs.items() if user not in case.run} <= {1.0}
        ours = case.values(f"Novelty@{k}", "replay")
        assert {user: ours.pop(user) for user in both} == pytest.approx(both, rel=1e-12)
        assert set(ours.values()) <= {1.0}  # who had nothing before


@pytest.mark.parametrize(("k", "frames"), KS_AND_FRAMES)
def test_values_of_the_run(metrics: Any, k: int, frames: str) -> None:
    for case in cases(number=30):
        (theirs,) = metrics.Coverage(k)(*tables(case, frames)).values()
        assert case.value(f"Coverage@{k}", "replay") == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("k", KS)
def test_categories(metrics: Any, k: int) -> None:
    """They stand in the lists there."""
    for case in cases():
        lists = {
            user: [(case.items[item]["category"], -float(rank)) for rank, item in enumerate(own)]
            for user, own in case.run.items()
        }
        (theirs,) = metrics.CategoricalDiversity(k, mode=metrics.PerUser())(lists).values()
        assert case.values(f"CategoricalDiversity@{k}", "replay") == pytest.approx(theirs, rel=1e-12)
