"""rankmark beside Open Bandit Pipeline's estimators, on its own synthetic logs."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from rankmark import statistics

ROUNDS, ACTIONS = 2_000, 6


@pytest.fixture(scope="module")
def obp() -> Any:
    try:
        import_module("obp.dataset")
        import_module("obp.ope")
    except ImportError:
        reason = "NOT COMPARED with Open Bandit Pipeline: pip install obp==0.4.1 (it brings torch along)"
        warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
        pytest.skip(reason)
    return import_module("obp")


@pytest.fixture(scope="module")
def log(obp: Any) -> dict[str, Any]:
    return dict(
        obp.dataset.SyntheticBanditDataset(
            n_actions=ACTIONS,
            dim_context=3,
            reward_function=obp.dataset.logistic_reward_function,
            behavior_policy_function=obp.dataset.linear_behavior_policy,
            random_state=1,
        ).obtain_batch_bandit_feedback(ROUNDS)
    )


@pytest.mark.parametrize(
    ("theirs", "ours", "given"),
    [
        ("InverseProbabilityWeighting", "IPS", {}),
        ("SelfNormalizedInverseProbabilityWeighting", "SNIPS", {}),
        ("DirectMethod", "DM", {}),
        ("DoublyRobust", "DR", {}),
        ("SelfNormalizedDoublyRobust", "SNDR", {}),
        ("SwitchDoublyRobust", "SwitchDR", {"tau": 1.5}),
        ("DoublyRobustWithShrinkage", "DRos", {"lambda_": 2.0}),
    ],
)
def test_estimates_of_single_items(
    obp: Any, log: dict[str, Any], theirs: str, ours: str, given: dict[str, float]
) -> None:
    rng = np.random.default_rng(0)
    policy = rng.dirichlet(np.ones(ACTIONS), ROUNDS)
    model = np.clip(log["expected_reward"] + 0.1 * rng.normal(size=(ROUNDS, ACTIONS)), 0, 1)
    rows = np.arange(ROUNDS)
    expected = getattr(obp.ope, theirs)(**given).estimate_policy_value(
        reward=log["reward"],
        action=log["action"],
        pscore=log["pscore"],
        action_dist=policy[:, :, None],
        estimated_rewards_by_reg_model=model[:, :, None],
        position=np.zeros(ROUNDS, dtype=int),
    )
    names = {"tau": "threshold", "lambda_": "shrinkage"}
    found = statistics.policy_value(
        ours,
        log["reward"],
        policy[rows, log["action"]],
        log["pscore"],
        predicted=model[rows, log["action"]],
        expected=(policy * model).sum(axis=1),
        **{names[name]: value for name, value in given.items()},
    )
    assert found.value == pytest.approx(expected, rel=1e-12)


def test_the_replay_method_is_snips_of_a_log_at_random(obp: Any, log: dict[str, Any]) -> None:
    choice = np.random.default_rng(1).integers(0, ACTIONS, ROUNDS)
    policy = np.eye(ACTIONS)[choice]
    expected = obp.ope.ReplayMethod().estimate_policy_value(
        reward=log["reward"], action=log["action"], action_dist=policy[:, :, None]
    )
    found = statistics.policy_value(
        "SNIPS", log["reward"], choice == log["action"], np.full(ROUNDS, 1 / ACTIONS)
    )
    assert found.value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("theirs", "ours", "name", "chances"),
    [
        ("SlateStandardIPS", "IPS", "pscore", "slate"),
        ("SlateIndependentIPS", "IIPS", "pscore_item_position", "marginal"),
        ("SlateRewardInteractionIPS", "RIPS", "pscore_cascade", "conditional"),
    ],
)
def test_estimates_of_lists(obp: Any, theirs: str, ours: str, name: str, chances: Any) -> None:
    length = 3
    data = obp.dataset.SyntheticSlateBanditDataset(
        n_unique_action=5, len_list=length, dim_context=2, reward_type="binary", random_state=2
    )
    log = data.obtain_batch_bandit_feedback(300, return_pscore_item_position=True)
    logits = np.random.default_rng(3).normal(size=(300, 5))
    chances_of = dict(
        zip(
            ("pscore", "pscore_item_position", "pscore_cascade"),
            data.obtain_pscore_given_evaluation_policy_logit(
                log["action"], logits, return_pscore_item_position=True
            ),
            strict=True,
        )
    )
    expected = getattr(obp.ope, theirs)(len_list=length).estimate_policy_value(
        slate_id=log["slate_id"],
        reward=log["reward"],
        position=log["position"],
        **{name: log[name], f"evaluation_policy_{name}": chances_of[name]},
    )
    reward, old, new = (
        np.asarray(each, dtype=float).reshape(-1, length)
        for each in (log["reward"], log[name], chances_of[name])
    )
    if chances == "conditional":  # theirs are of all positions so far
        old[:, 1:], new[:, 1:] = old[:, 1:] / old[:, :-1], new[:, 1:] / new[:, :-1]
    found = statistics.policy_value(ours, reward, new, old, chances=chances)
    assert found.value == pytest.approx(expected, rel=1e-12)
