"""McNemar's test: published values, and the binomial distribution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.mcnemar import McNemarMethod, mcnemar_of_counts


def of(b: int, c: int, both: int = 3, none: int = 2, **how: Any) -> statistics.McNemar:
    first = np.repeat([1, 0, 1, 0], [b, c, both, none])
    second = np.repeat([0, 1, 1, 0], [b, c, both, none])
    return statistics.mcnemar_test(first, second, **how)


# Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91, 2013, table 1: airway
# hyper-responsiveness before and after stem cell transplantation, 7 and 1 of 21 children changed. The exact
# p is 2·(1 + 8)/2⁸, from which mid-p takes 8/2⁸.
@pytest.mark.parametrize(
    ("method", "p"),
    [("asymptotic", 0.0339), ("corrected", 0.0771), ("exact", 18 / 256), ("mid-p", 10 / 256)],
)
def test_airway_hyper_responsiveness(method: McNemarMethod, p: float) -> None:
    found = of(7, 1, 1, 12, method=method)
    assert found.p == pytest.approx(p, abs=5e-5)
    assert of(1, 7, 1, 12, method=method).p == found.p
    assert (found.first, found.second) == (7, 1)


def test_approval_of_the_prime_minister() -> None:
    # Agresti, "Categorical Data Analysis", 1990, p. 350, the example of R's mcnemar.test: 794, 150, 86, 570.
    found = of(150, 86, 794, 570, method="corrected")
    assert (found.statistic, found.p) == pytest.approx((16.818, 4.115e-5), rel=5e-4)
    # There z² = (86 − 150)² / (86 + 150) = 17.36.
    assert of(150, 86, 794, 570, method="asymptotic").statistic == pytest.approx(17.356, rel=1e-4)


def test_the_exact_test_is_the_sign_test_of_the_rows() -> None:
    differences = np.repeat([1.0, -1.0, 0.0], [14, 5, 6])
    for alternative in statistics.ALTERNATIVES:
        expected = statistics.sign_test(differences, alternative=alternative)
        assert of(14, 5, method="exact", alternative=alternative).p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("method", ["mid-p", "exact", "asymptotic", "corrected"])
def test_sides_and_rows_that_do_not_differ(method: McNemarMethod) -> None:
    assert of(9, 2, method=method, alternative="greater").p == of(2, 9, method=method, alternative="less").p
    assert of(9, 2, method=method, alternative="less").p > 0.9
    assert of(0, 0, method=method).p == 1
    assert of(3, 3, method=method).p >= 1 - 0.5**6 * 20 / 2 - 1e-12
    assert of(2000, 0, method=method).p > 0


@pytest.mark.parametrize("rows", [25, 50])
@pytest.mark.parametrize("apart", [0.1, 0.2, 0.5])
def test_the_mid_p_test_holds_its_level_and_the_exact_one_is_below(rows: int, apart: float) -> None:
    """Over all outcomes, each row differing with this chance; as Fagerland et al. show."""
    size = {"mid-p": 0.0, "exact": 0.0}
    for n, chance in enumerate(stats.binom.pmf(np.arange(rows + 1), rows, apart)):
        outcomes = stats.binom.pmf(np.arange(n + 1), n, 0.5)
        for method in size:
            found = [mcnemar_of_counts(b, n - b, "two-sided", method).p <= 0.05 for b in range(n + 1)]  # type: ignore[arg-type]
            size[method] += chance * outcomes[found].sum() if chance > 1e-9 else 0
    assert size["exact"] < size["mid-p"] <= 0.05


def test_what_is_neither_right_nor_wrong_is_refused() -> None:
    with pytest.raises(DataError, match="each 0 or 1"):
        statistics.mcnemar_test([0.5, 1], [1, 0])
    with pytest.raises(DataError, match="as many of both"):
        statistics.mcnemar_test([1, 1], [1, 0, 0])
    with pytest.raises(ChoiceError, match="method='midp' is not one of mid-p, exact"):
        of(1, 2, method="midp")
