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


@pytest.mark.parametrize("k", KS)
def test_what_looks_at_judgements(metrics: Any, k: int) -> None:
    import pandas as pd

    for case in cases(number=40):
        relevant = {user: dict.fromkeys(own[1::2] or own, 1) for user, own in case.run.items()}
        nobody = {**relevant, "nobody": {"i00": 1}}
        reco = case.frame("user_id", "item_id", "score", "rank")
        before = case.before("user_id", "item_id")
        rows = [(user, item) for user, own in nobody.items() for item in own]
        judged = pd.DataFrame(rows, columns=["user_id", "item_id"])
        expected = metrics.Serendipity(k).calc_per_user(reco, judged, before, list(case.items))
        ours = case.values(f"Serendipity@{k}", "rectools", qrels=relevant)
        assert ours == pytest.approx(expected.to_dict(), rel=1e-12, abs=1e-15)
        expected = metrics.CoveredUsers(k).calc(reco, judged)
        assert case.value(f"CoveredUsers@{k}", "rectools", qrels=nobody) == pytest.approx(expected)
        expected = metrics.SufficientReco(k).calc(reco)
        assert case.value(f"SufficientReco@{k}", "rectools") == pytest.approx(expected)
