"""What a policy would have earned, by hand, by exact expectations and in parts."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from rankmark import statistics
from rankmark.errors import ChoiceError, DataError
from rankmark.statistics.estimators import ESTIMATORS, Estimator, Logged
from rankmark.statistics.moments import Moments, Spread
from rankmark.statistics.off_policy import Observed, observed_of

REWARDS = [1.0, 0.0, 1.0, 1.0]
POLICY = [0.5, 0.1, 0.2, 0.9]
PROPENSITY = [0.25, 0.5, 0.8, 0.3]
WEIGHTS = [2.0, 0.2, 0.25, 3.0]
PREDICTED = [0.5, 0.5, 0.25, 0.5]
EXPECTED = [0.4, 0.3, 0.2, 0.6]


def value(estimator: str, **given: Any) -> float:
    model = {"predicted": PREDICTED, "expected": EXPECTED} if ESTIMATORS[estimator].model else {}
    return statistics.policy_value(estimator, REWARDS, POLICY, PROPENSITY, **model, **given).value


@pytest.mark.parametrize(
    ("estimator", "given", "expected"),
    [
        ("IPS", {}, (2 + 0.25 + 3) / 4),
        ("IPS", {"clip": 2.5}, (2 + 0.25 + 2.5) / 4),
        ("SNIPS", {}, (2 + 0.25 + 3) / 5.45),
        ("SNIPS", {"clip": 2.5}, (2 + 0.25 + 2.5) / 4.95),
        ("DM", {}, 1.5 / 4),
        ("DR", {}, (1.5 + 2 * 0.5 - 0.2 * 0.5 + 0.25 * 0.75 + 3 * 0.5) / 4),
        ("DR", {"clip": 1.0}, (1.5 + 0.5 - 0.2 * 0.5 + 0.25 * 0.75 + 0.5) / 4),
        ("SNDR", {}, 1.5 / 4 + (2 * 0.5 - 0.2 * 0.5 + 0.25 * 0.75 + 3 * 0.5) / 5.45),
        ("SwitchDR", {"threshold": 2}, (1.5 + 2 * 0.5 - 0.2 * 0.5 + 0.25 * 0.75) / 4),
        (
            "DRos",
            {"shrinkage": 1},
            (1.5 + 2 / 5 * 0.5 - 0.2 / 1.04 * 0.5 + 0.25 / 1.0625 * 0.75 + 3 / 10 * 0.5) / 4,
        ),
    ],
)
def test_estimates_of_single_items_are_their_formulas(
    estimator: str, given: dict[str, float], expected: float
) -> None:
    assert value(estimator, **given) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("estimator", ["IIPS", "RIPS", "PI"])
def test_estimates_of_lists_are_ips_for_lists_of_one(estimator: str) -> None:
    assert value(estimator) == pytest.approx(value("IPS"))
    assert value("CascadeDR") == pytest.approx(value("DR"))
    assert value("SNRIPS") == pytest.approx(value("SNIPS"))


def test_weights_tell_how_much_the_log_says() -> None:
    rng = np.random.default_rng(0)
    propensity = rng.choice([0.1, 0.5], 200)
    found = statistics.policy_value("IPS", rng.random(200), np.full(200, 0.25), propensity)
    weights = 0.25 / propensity
    assert found.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    assert found.largest == 2.5
    assert found.top_share == pytest.approx(2 * 2.5 / weights.sum())
    assert found.mean_weight == pytest.approx(weights.mean())
    assert found.weight_error == pytest.approx(weights.std(ddof=1) / math.sqrt(200))


def test_the_error_of_a_mean_is_that_of_its_values_and_of_a_ratio_the_linearised() -> None:
    rng = np.random.default_rng(1)
    reward, weight = rng.random(50), rng.exponential(size=50)
    policy, propensity = weight / 100, np.full(50, 0.01)
    ips = statistics.policy_value("IPS", reward, policy, propensity)
    assert ips.error == pytest.approx((weight * reward).std(ddof=1) / math.sqrt(50))
    assert (ips.low, ips.high) == pytest.approx(statistics.t_interval(weight * reward))
    snips = statistics.policy_value("SNIPS", reward, policy, propensity)
    off = weight * (reward - snips.value) / weight.mean()
    assert snips.error == pytest.approx(math.sqrt((off**2).sum() / 49 / 50))


def test_clusters_are_what_varies() -> None:
    rng = np.random.default_rng(2)
    users = np.repeat(np.arange(40), 5)
    reward = rng.random(40)[users]
    alone = statistics.policy_value("IPS", reward, np.full(200, 0.5), np.full(200, 0.5))
    together = statistics.policy_value("IPS", reward, np.full(200, 0.5), np.full(200, 0.5), clusters=users)
    assert together.value == alone.value
    assert together.error == pytest.approx(reward[::5].std(ddof=1) / math.sqrt(40))
    assert together.effective == pytest.approx(40)
    assert together.error > 2 * alone.error


def of(rng: np.random.Generator, count: int) -> Logged:
    ratio = rng.exponential(size=(count, 3))
    return Logged(
        rng.random((count, 3)), ratio, np.ones((count, 3), dtype=bool), np.ones(3), "independent",
        rng.random((count, 3)), rng.random((count, 3)),
    )  # fmt: skip


def test_parts_of_a_log_merge_into_the_same_values_bit_for_bit() -> None:
    rng = np.random.default_rng(3)
    whole = of(rng, 1_000)
    asked: list[tuple[Estimator, dict[str, float]]] = [
        (each, {}) for each in ESTIMATORS.values() if each.lists
    ]
    together = observed_of(whole, asked)

    def part(begin: int, end: int) -> Observed:
        cut = {
            name: getattr(whole, name)[begin:end]
            for name in ("reward", "ratio", "there", "predicted", "expected")
        }
        return observed_of(Logged(discount=whole.discount, chances=whole.chances, **cut), asked)

    parts = part(700, 1_000)
    parts.add(part(0, 1))
    parts.add(part(1, 700))
    sent = Moments.from_record(parts.moments.to_record())
    assert sent.sums == parts.moments.sums
    for number in range(len(asked)):
        one, other = together.estimated(number), parts.estimated(number)
        assert (one.value, one.largest) == (other.value, other.largest)
        assert one.low == pytest.approx(other.low, rel=1e-9)
        assert one.top_share == pytest.approx(other.top_share, rel=1e-12)


def test_what_differs_between_estimates_of_the_same_impressions_is_paired() -> None:
    rng = np.random.default_rng(4)
    whole = of(rng, 300)
    asked: list[tuple[Estimator, dict[str, float]]] = [(ESTIMATORS[name], {}) for name in ("RIPS", "IPS")]
    observed = observed_of(whole, asked)
    left = whole.ratio.cumprod(axis=1) * whole.reward
    values = left.sum(axis=1) - whole.ratio.prod(axis=1) * whole.reward.sum(axis=1)
    found = observed.estimated(0, less=1)
    assert found.value == pytest.approx(values.mean())
    assert found.error == pytest.approx(values.std(ddof=1) / math.sqrt(300))


def pseudo_inverse(slots: int, items: int, policy: np.ndarray[Any, Any], shown: tuple[int, ...]) -> float:
    """q' Γ⁺ 1 with the matrix itself, over all orders."""
    orders = list(itertools.permutations(range(items), slots))
    ones = np.zeros((len(orders), slots, items))
    for row, order in enumerate(orders):
        ones[row, range(slots), order] = 1
    flat = ones.reshape(len(orders), -1)
    gamma = flat.T @ flat / len(orders)
    own = np.zeros((slots, items))
    own[range(slots), shown] = 1
    return float(policy.ravel() @ np.linalg.pinv(gamma) @ own.ravel())


@pytest.mark.parametrize(("slots", "items"), [(1, 3), (2, 4), (3, 4), (3, 3)])
def test_weights_of_random_orders_are_those_of_the_pseudo_inverse(slots: int, items: int) -> None:
    rng = np.random.default_rng(5)
    orders = list(itertools.permutations(range(items), slots))
    chances = rng.dirichlet(np.ones(len(orders)))
    policy = np.zeros((slots, items))
    for order, chance in zip(orders, chances, strict=True):
        policy[range(slots), order] += chance
    found = []
    for shown in orders:
        matches = policy[range(slots), shown].sum()
        overlap = policy[:, shown].sum()
        (weight,) = statistics.uniform_slate_weights([matches], [overlap], slots, items)
        assert weight == pytest.approx(pseudo_inverse(slots, items, policy, shown))
        found.append(weight)
    assert np.mean(found) == pytest.approx(1)


def test_estimators_are_unbiased_where_their_assumption_holds() -> None:
    """Over all lists of two positions, with exact chances, and clicks of an item and those above it."""
    rng = np.random.default_rng(6)
    old, new = rng.dirichlet(np.ones(3), 2), rng.dirichlet(np.ones(3), 2)
    alone, above = rng.random((2, 3)), rng.random((3, 3))
    lists = list(itertools.product(range(3), repeat=2))

    def sums(estimator: str, cascade: bool) -> tuple[float, float]:
        estimate = truth = 0.0
        for one, other in lists:
            reward = np.array([[alone[0, one], above[one, other] if cascade else alone[1, other]]])
            ratio = np.array([[new[0, one] / old[0, one], new[1, other] / old[1, other]]])
            logged = Logged(reward, ratio, np.ones((1, 2), dtype=bool), np.ones(2), "independent")
            terms = ESTIMATORS[estimator].terms(logged, {})
            estimate += old[0, one] * old[1, other] * float(terms.above.sum())
            truth += new[0, one] * new[1, other] * float(reward.sum())
        return estimate, truth

    for estimator in ("IPS", "RIPS", "IIPS", "PI"):
        estimate, truth = sums(estimator, cascade=False)
        assert estimate == pytest.approx(truth), estimator
    for estimator in ("IPS", "RIPS"):
        estimate, truth = sums(estimator, cascade=True)
        assert estimate == pytest.approx(truth), estimator
    estimate, truth = sums("IIPS", cascade=True)
    assert abs(estimate - truth) > 1e-3


def test_cascade_dr_is_unbiased_whatever_the_model() -> None:
    rng = np.random.default_rng(7)
    old, new = rng.dirichlet(np.ones(3), 2), rng.dirichlet(np.ones(3), 2)
    clicks, first, second = rng.random((3, 3)), rng.random(3), rng.random((3, 3))
    estimate = truth = 0.0
    for one, other in itertools.product(range(3), repeat=2):
        logged = Logged(
            np.array([[first[one], clicks[one, other]]]),
            np.array([[new[0, one] / old[0, one], new[1, other] / old[1, other]]]),
            np.ones((1, 2), dtype=bool),
            np.ones(2),
            "conditional",
            np.array([[first[one] + 0.3, second[one, other]]]),
            np.array([[new[0] @ (first + 0.3), new[1] @ second[one]]]),
        )
        chance = old[0, one] * old[1, other]
        estimate += chance * float(ESTIMATORS["CascadeDR"].terms(logged, {}).above.sum())
        truth += new[0, one] * new[1, other] * (first[one] + clicks[one, other])
    assert estimate == pytest.approx(truth)


def test_bernstein_intervals_are_the_formula_and_need_bounds() -> None:
    rng = np.random.default_rng(8)
    reward, policy = (rng.random(400) < 0.3).astype(float), rng.random(400)
    with pytest.raises(ChoiceError, match="bounds known beforehand"):
        statistics.policy_value("IPS", reward, policy, np.full(400, 0.5), interval="bernstein")
    given: dict[str, Any] = {"interval": "bernstein", "reward_range": (0, 1)}
    found = statistics.policy_value("IPS", reward, policy, np.full(400, 0.5), largest_weight=2, **given)
    values = reward * policy / 0.5
    log = math.log(80)
    reach = math.sqrt(2 * values.var(ddof=1) * log / 400) + 14 * log / (3 * 399)
    assert (found.low, found.high) == pytest.approx((values.mean() - reach, values.mean() + reach))
    cut = statistics.policy_value("IPS", reward, policy, np.full(400, 0.5), clip=1, **given)
    assert cut.high - cut.value > cut.value - cut.low  # what was cut away can only be missing
    assert cut.bias_bound == pytest.approx(1 - np.minimum(policy / 0.5, 1).mean())
    with pytest.raises(DataError, match=r"one of the log is 1\.9"):
        statistics.policy_value("IPS", reward, policy, np.full(400, 0.5), largest_weight=1.5, **given)
    with pytest.raises(DataError, match="have from 0 to 1"):
        statistics.policy_value(
            "IPS", reward, policy, np.full(400, 0.5), interval="bernstein", clip=1, reward_range=(0, 0.5)
        )


def test_there_is_no_interval_of_few_effective_impressions() -> None:
    found = statistics.policy_value("IPS", REWARDS, POLICY, PROPENSITY)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    assert found.value == pytest.approx(5.25 / 4)
    assert found.effective == pytest.approx(5.45**2 / sum(w * w for w in WEIGHTS))


def test_resamples_are_of_impressions() -> None:
    rng = np.random.default_rng(9)
    reward, policy = rng.random(300), rng.random(300)
    found = statistics.policy_value("SNIPS", reward, policy, np.full(300, 0.5), interval="percentile")
    t = statistics.policy_value("SNIPS", reward, policy, np.full(300, 0.5))
    assert found.high - found.low == pytest.approx(t.high - t.low, rel=0.1)


@pytest.mark.parametrize(
    ("policy", "propensity", "message"),
    [
        ([0.5, 0.5], [0.5, 0.0], r"propensity: 1 of 2 are no chances of above 0 to 1, the first is 0 at"),
        ([0.5, 0.5], [0.5, math.nan], r"the first is nan at place 1"),
        ([0.5, 0.5], [1.2, 0.5], r"the first is 1\.2 at place 0"),
        ([-0.5, 0.5], [0.5, 0.5], r"policy: 1 of 2 are no chances of 0 to 1"),
        ([0.5], [0.5, 0.5], r"policy is \(1, 1\), and rewards are \(2, 1\)"),
    ],
)
def test_what_are_no_chances_is_refused(policy: list[float], propensity: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        statistics.policy_value("IPS", [1, 0], policy, propensity)


def test_what_an_estimator_needs_is_said() -> None:
    with pytest.raises(ChoiceError, match="needs a model of rewards"):
        statistics.policy_value("DR", REWARDS, POLICY, PROPENSITY)
    with pytest.raises(ChoiceError, match=r"SwitchDR needs threshold"):
        value("SwitchDR")
    with pytest.raises(ChoiceError, match=r"no parameter 'clip'"):
        value("DM", clip=3)
    with pytest.raises(ChoiceError, match=r"did you mean 'SNIPS'"):
        statistics.policy_value("SNIP", REWARDS, POLICY, PROPENSITY)
    two = np.full((2, 2), 0.5)
    for estimator, chances, message in (
        ("IIPS", "conditional", "drawn one by one"),
        ("RIPS", "marginal", "say nothing of the first positions"),
        ("IPS", "marginal", "say nothing of whole lists"),
        ("PI", "conditional", "PI needs to know"),
    ):
        with pytest.raises(ChoiceError, match=message):
            statistics.policy_value(estimator, two, two, two, chances=chances)  # type: ignore[arg-type]


def test_the_share_of_the_largest_hundredth_merges() -> None:
    rng = np.random.default_rng(10)
    values = rng.pareto(1.5, 5_000)
    whole, parts = Spread.of(values), Spread.of(values[:100])
    parts.add(Spread.of(values[100:]))
    assert parts.counts == whole.counts
    assert parts.top_share() == pytest.approx(whole.top_share(), rel=1e-12)
    assert whole.top_share() == pytest.approx(np.sort(values)[-50:].sum() / values.sum(), rel=2e-3)
    assert math.isnan(Spread.of(np.zeros(3)).top_share())
