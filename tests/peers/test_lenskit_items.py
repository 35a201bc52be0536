"""What is recommended, beside LensKit: the values of each list, and of all."""

from __future__ import annotations

import pytest

from installed import peer
from recommendations import KS, cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),  # the tools' own affair
    pytest.mark.filterwarnings("default:NOT COMPARED"),
]

IN_32_BITS = 1e-5


@pytest.mark.parametrize("k", KS)
def test_values(k: int) -> None:
    lenskit = peer("lenskit", "lenskit")
    data = peer("lenskit.data", "lenskit")
    ranking = peer("lenskit.metrics.ranking", "lenskit")
    del lenskit
    for case in cases(number=40):
        builder = data.DatasetBuilder()
        builder.add_entities("item", list(case.items))
        builder.add_interactions(
            "rating",
            case.before("user_id", "item_id"),
            entities=["user", "item"],
            missing="insert",
            allow_repeats=True,
        )
        dataset = builder.build()
        lists = {user: data.ItemList(item_ids=own, ordered=True) for user, own in case.run.items()}
        for name, count in (
            (f"MeanPopRank@{k}", "users"),
            (f"MeanPopRank(count=interactions)@{k}", "interactions"),
        ):
            metric = ranking.MeanPopRank(dataset, n=k, count=count)
            expected = {user: metric.measure_list(own, own) for user, own in lists.items()}
            assert case.values(name, "lenskit") == pytest.approx(expected, rel=1e-12), name
        for name, metric, tolerance in (
            (f"ListGini@{k}", ranking.ListGini(n=k, items=dataset), 1e-12),
            (f"ExposureGini@{k}", ranking.ExposureGini(n=k, items=dataset), IN_32_BITS),
        ):
            seen = [metric.compute_list_data(own, own) for own in lists.values()]
            expected = metric.global_aggregate(seen)
            ours = case.value(name, "lenskit")
            assert ours == pytest.approx(expected, rel=tolerance, abs=tolerance / 10), name
