"""What is recommended, beside RecBole's own evaluators, which are handed what it collects."""

from __future__ import annotations

from collections import Counter
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

DIGITS = 15


@pytest.fixture(scope="module")
def metrics() -> Any:
    return peer("recbole.evaluator.metrics", "recbole")


@pytest.mark.parametrize("k", KS)
def test_values_of_the_run(metrics: Any, k: int) -> None:
    torch = peer("torch", "torch")
    for full in cases(even=True):
        case = full.top(9)
        number = {item: place for place, item in enumerate(case.items, start=1)}  # 0 is its padding
        lists = torch.tensor([[number[item] for item in own] for own in case.run.values()])
        if k > lists.shape[1]:
            continue
        collected = {
            "rec.items": lists,
            "data.num_items": len(number) + 1,
            "data.count_items": Counter(number[item] for _, item in case.train),
        }
        config = {"topk": [k], "metric_decimal_place": DIGITS}
        padded = {**case.items, "padding": case.items["i00"]}
        for name, metric in (
            ("itemcoverage", metrics.ItemCoverage),
            ("averagepopularity", metrics.AveragePopularity),
            ("shannonentropy", metrics.ShannonEntropy),
            ("giniindex", metrics.GiniIndex),
        ):
            expected = metric(config).calculate_metric(collected)[f"{name}@{k}"]
            ours = case.value(f"{name}@{k}", "recbole", items=padded)
            assert ours == pytest.approx(float(np.float64(expected)), rel=1e-12, abs=1e-14), name
