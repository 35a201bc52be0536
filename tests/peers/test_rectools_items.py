"""What is recommended, beside RecTools: the values of each user."""

from __future__ import annotations

from typing import Any

import pytest

from installed import peer
from recommendations import KS, cases

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore::FutureWarning")]


@pytest.fixture(scope="module")
def metrics() -> Any:
    return peer("rectools.metrics", "rectools")


@pytest.mark.parametrize("k", KS)
def test_values_of_users(metrics: Any, k: int) -> None:
    import pandas as pd

    for case in cases():
        reco = case.frame("user_id", "item_id", "score", "rank").sort_values(["user_id", "rank"])
        before = case.before("user_id", "item_id")
        features = pd.DataFrame({item: own["vector"] for item, own in case.items.items()}).T
        calculator = metrics.PairwiseHammingDistanceCalculator(features)
        theirs = {
            f"MeanInvUserFreq@{k}": metrics.MeanInvUserFreq(k).calc_per_user(reco, before),
            f"AvgRecPopularity@{k}": metrics.AvgRecPopularity(k).calc_per_user(reco, before),
            f"AvgRecPopularity(normalize=True)@{k}": metrics.AvgRecPopularity(
                k, normalize=True
            ).calc_per_user(reco, before),
        }
        for name, expected in theirs.items():
            assert case.values(name, "rectools") == pytest.approx(expected.to_dict(), rel=1e-12), name
        expected = metrics.IntraListDiversity(k, calculator).calc_per_user(reco)
        ours = case.values(f"IntraListDiversity(by=vector)@{k}", "rectools")
        assert ours == pytest.approx(expected.to_dict(), rel=1e-12)


@pytest.mark.parametrize("k", KS)
def test_values_of_the_run(metrics: Any, k: int) -> None:
    for case in cases():
        reco = case.frame("user_id", "item_id", "score", "rank")
        for name, metric in (
            (f"CatalogCoverage@{k}", metrics.CatalogCoverage(k)),
            (f"CatalogCoverage(normalize=True)@{k}", metrics.CatalogCoverage(k, normalize=True)),
        ):
            assert case.value(name, "rectools") == metric.calc(reco, list(case.items))
