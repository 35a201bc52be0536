"""What is recommended, beside evidently: the mean over users, from its own reports."""

from __future__ import annotations

from typing import Any

import pytest

from installed import peer
from recommendations import Recommendations, cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),  # the tools' own affair
    pytest.mark.filterwarnings("default:NOT COMPARED"),
]

FEATURES = ["f0", "f1", "f2", "f3"]


@pytest.fixture(scope="module")
def recsys() -> Any:
    return peer("evidently.legacy.metrics", "evidently")


def reported(case: Recommendations, metrics: list[Any]) -> list[Any]:
    """What a report of evidently has of each metric."""
    pipeline = peer("evidently.legacy.pipeline.column_mapping", "evidently")
    table = case.frame("user", "item", "score", "prediction").assign(target=1)
    features = [[*case.items[item]["vector"]] for item in table["item"]]
    table[FEATURES] = features
    before = case.before("user", "item").assign(target=1, prediction=1)
    before[FEATURES] = [case.items[item]["vector"] for item in before["item"]]
    mapping = pipeline.ColumnMapping(
        recommendations_type="rank",
        target="target",
        prediction="prediction",
        item_id="item",
        user_id="user",
    )
    report = peer("evidently.legacy.report", "evidently").Report(metrics)
    report.run(
        reference_data=None,
        current_data=table,
        column_mapping=mapping,
        additional_data={"current_train_data": before},
    )
    return [metric.get_result() for metric in metrics]


@pytest.mark.parametrize("k", [3, 9])
def test_means(recsys: Any, k: int) -> None:
    for case in cases(number=25):
        novelty, bias, scaled, diversity = reported(
            case,
            [
                recsys.NoveltyMetric(k=k),
                recsys.PopularityBias(k=k),
                recsys.PopularityBias(k=k, normalize_arp=True),
                recsys.DiversityMetric(k=k, item_features=FEATURES),
            ],
        )
        for name, expected in (
            ("Novelty", novelty.current_value),
            ("PopularityBias", bias.current_apr),
            ("PopularityBias(normalize_arp=True)", scaled.current_apr),
            ("PopularityBias(metric=coverage)", bias.current_coverage),
            ("PopularityBias(metric=gini)", bias.current_gini),
        ):
            ours = case.value(f"{name}@{k}", "evidently")
            assert ours == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True), name
        ours = case.value(f"IntraListDiversity(by=vector)@{k}", "evidently")
        assert ours == pytest.approx(diversity.current_value, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("k", [1, 3, 9])
def test_personalisation_of_full_lists(recsys: Any, k: int) -> None:
    for case in cases(number=25, even=True):
        (expected,) = reported(case, [recsys.PersonalizationMetric(k=k)])
        ours = case.value(f"Personalization@{k}", "evidently")
        assert ours == pytest.approx(expected.current_value, rel=1e-12, abs=1e-14)
