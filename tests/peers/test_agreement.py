"""Coefficients of agreement beside krippendorff and irrCAC."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from installed import peer
from rankmark.statistics import cohens_kappa, gwets_ac, krippendorffs_alpha


def ratings(seed: int, raters: int) -> Any:
    """Grades of some items, of which one in five is lacking where there are more than two raters."""
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 4, 90)
    given = np.array([np.where(rng.random(90) < 0.6, true, rng.integers(0, 4, 90)) for _ in range(raters)]).T
    return np.where(rng.random(given.shape) < 0.2 * (raters > 2), np.nan, given.astype(float))


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("raters", [2, 5])
def test_alpha_is_that_of_krippendorff(level: Any, raters: int) -> None:
    tool: Any = peer("krippendorff", "krippendorff")
    given = ratings(raters, raters)
    want = tool.alpha(reliability_data=given.T, level_of_measurement=level)
    assert krippendorffs_alpha(given, level=level).value == pytest.approx(want, rel=1e-9)


@pytest.mark.filterwarnings("ignore")  # of pandas, of what it calls
@pytest.mark.parametrize(
    ("cost", "weights"), [("equal", "identity"), ("linear", "linear"), ("quadratic", "quadratic")]
)
@pytest.mark.parametrize("raters", [2, 5])
def test_ac_and_kappa_are_those_of_irrcac(cost: Any, weights: str, raters: int) -> None:
    """It rounds to five digits; its intervals are linearised, and of items alone."""
    tool: Any = peer("irrCAC.raw", "irrCAC")
    pandas = pytest.importorskip("pandas")
    given = ratings(raters, raters)
    given = given[np.count_nonzero(~np.isnan(given), axis=1) > 0]
    cac = tool.CAC(pandas.DataFrame(given), weights=weights, categories=[0.0, 1.0, 2.0, 3.0])
    want, own = cac.gwet()["est"], gwets_ac(given, cost=cost)
    assert own.value == pytest.approx(want["coefficient_value"], abs=1e-5)
    low, high = want["confidence_interval"]
    assert own.high - own.low == pytest.approx(high - low, rel=0.1)
    if raters == 2:
        value = cac.conger()["est"]["coefficient_value"]  # of two raters Cohen's
        assert cohens_kappa(given[:, 0], given[:, 1], cost=cost).value == pytest.approx(value, abs=1e-5)
