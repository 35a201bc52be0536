"""rankmark beside ppi-python, the package of those who found prediction-powered inference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from installed import beside, peer
from rankmark.statistics import prediction_powered_mean

tool_version = beside("ppi_py", "ppi-python")


@pytest.mark.parametrize("power", [None, 0.0, 0.35, 1.0])
@pytest.mark.parametrize(("labelled", "others"), [(5, 3), (30, 970), (300, 50), (80, 80)])
def test_the_plug_in_tuning_is_its_estimate_power_and_interval(
    labelled: int, others: int, power: float | None
) -> None:
    ppi: Any = peer("ppi_py", "ppi-python")
    rng = np.random.default_rng(labelled)
    for noise in (0.05, 0.4, 3.0):
        y = rng.random(labelled)
        f, rest = 0.8 * y + noise * rng.random(labelled), noise * rng.random(others) + 0.4
        found = prediction_powered_mean(y, f, rest, power=power, tuning="plug-in", confidence=0.9)
        assert found.value == pytest.approx(
            float(np.squeeze(ppi.ppi_mean_pointestimate(y, f, rest, lam=power))), rel=1e-10
        )
        low, high = (float(np.squeeze(end)) for end in ppi.ppi_mean_ci(y, f, rest, alpha=0.1, lam=power))
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-10)
        if power is not None:  # its p-value clips no λ
            p = float(np.squeeze(ppi.ppi_mean_pval(y, f, rest, lam=power)))
            assert found.p == pytest.approx(p, abs=1e-14)  # it is rounded to 0 there
