"""What is recommended, beside recommenders: the values of each user, and means."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from installed import peer
from recommendations import KS, cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),  # the tools' own affair
    pytest.mark.filterwarnings("default:NOT COMPARED"),
]

COLUMNS = {"col_user": "user", "col_item": "item"}
"""It caches by what it is called with, so that each call is another."""


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return peer("recommenders.evaluation.python_evaluation", "recommenders")


def frames(case: Any) -> tuple[Any, Any]:
    return case.before("user", "item"), case.frame("user", "item", "score", "rank")[["user", "item"]]


@pytest.mark.parametrize("k", KS)
def test_novelty_of_lists_of_one_length(evaluation: Any, k: int) -> None:
    for full in cases(new=True, even=True, number=50):
        case = full.top(k)
        expected = evaluation.novelty(*frames(case), **COLUMNS)
        assert case.value("novelty", "recommenders") == pytest.approx(expected, rel=1e-12)
        assert full.value(f"novelty@{k}", "recommenders") == pytest.approx(expected, rel=1e-12)


def test_novelty_of_lists_of_different_lengths_is_had_by_weights(evaluation: Any) -> None:
    for case in cases(new=True, number=50):
        lengths = {user: len(items) for user, items in case.run.items()}
        expected = evaluation.novelty(*frames(case), **COLUMNS)
        assert case.value("novelty", "recommenders", weights=lengths) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("k", KS)
def test_coverage(evaluation: Any, k: int) -> None:
    for full in cases(new=True, number=50):
        case = full.top(k)
        expected = evaluation.catalog_coverage(*frames(case), **COLUMNS)
        assert full.value(f"catalog_coverage@{k}", "recommenders") == pytest.approx(expected, rel=1e-12)
        expected = evaluation.distributional_coverage(*frames(case), **COLUMNS)
        ours = full.value(f"distributional_coverage@{k}", "recommenders")
        assert ours == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("k", [3, 10])
def test_diversity_of_each_user(evaluation: Any, k: int) -> None:
    import pandas as pd

    for full in cases(new=True, repeated=False, shortest=2, number=50):
        case = full.top(k)
        before, lists = frames(case)
        theirs = evaluation.user_diversity(before, lists, **COLUMNS).set_index("user")["user_diversity"]
        ours = full.values(f"diversity@{k}", "recommenders")
        assert ours == pytest.approx(theirs.to_dict(), rel=1e-12, abs=1e-15)
        features = pd.DataFrame(
            {"item": list(case.items), "features": [np.array(own["vector"]) for own in case.items.values()]}
        )
        theirs = evaluation.user_diversity(
            before,
            lists,
            item_feature_df=features,
            item_sim_measure="item_feature_vector",
            **COLUMNS,
        ).set_index("user")["user_diversity"]
        name = f"IntraListDiversity(by=vector,distance=cosine)@{k}"
        assert full.values(name, "recommenders") == pytest.approx(theirs.to_dict(), rel=1e-12, abs=1e-14)
