"""What is recommended, beside recpack: the values of each user, and coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from installed import peer
from recommendations import KS, cases

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),  # the tools' own affair
    pytest.mark.filterwarnings("default:NOT COMPARED"),
]


@pytest.mark.parametrize("k", KS)
def test_values(k: int) -> None:
    coverage = peer("recpack.metrics.coverage", "recpack")
    diversity = peer("recpack.metrics.diversity", "recpack")
    for case in cases(number=40):
        number = {item: place for place, item in enumerate(case.items)}
        tags = csr_matrix([[float(tag in own["tags"]) for tag in "klmno"] for own in case.items.values()])
        lists = np.zeros((len(case.run), len(number)))
        for row, own in zip(lists, case.run.values(), strict=True):
            row[[number[item] for item in own]] = np.arange(len(own), 0, -1)
        relevant = csr_matrix(np.eye(*lists.shape))
        metric = coverage.CoverageK(k)
        metric.calculate(relevant, csr_matrix(lists))
        assert case.value(f"CoverageK_{k}", "recpack") == pytest.approx(metric.value, rel=1e-12)
        metric = diversity.IntraListDiversityK(k)
        metric.fit(tags)
        metric.calculate(relevant, csr_matrix(lists))
        expected = dict(zip(case.run, metric.scores_.toarray()[:, 0], strict=True))
        name = f"IntraListDiversity(by=tags)@{k}"
        assert case.values(name, "recpack") == pytest.approx(expected, rel=1e-12)
