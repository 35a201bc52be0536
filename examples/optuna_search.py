"""Optuna needs no hook: a trial returns the value that it is to raise."""

import numpy as np
import optuna

import rankmark as rm

rng = np.random.default_rng(0)
grades = rng.integers(0, 4, (50, 20))  # of 20 items for each of 50 queries
text = grades + rng.normal(0, 2, grades.shape)
clicks = grades + rng.normal(0, 1.5, grades.shape)


def objective(trial: optuna.Trial) -> float:
    """How well a blend of two scores ranks."""
    weight = trial.suggest_float("weight", 0, 1)
    result = rm.evaluate_arrays(weight * text + (1 - weight) * clicks, grades, ["nDCG@10", "RR"])
    trial.set_user_attr("signature", result.signature("nDCG@10"))
    return result["nDCG@10"]


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=20)
print(study.best_params, round(study.best_value, 4))
print(study.best_trial.user_attrs["signature"])
