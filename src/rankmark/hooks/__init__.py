"""rankmark inside the tools with which people train, track and experiment.

A tool is imported only when its hook is called: none of them has to be installed for the others.
"""

from __future__ import annotations

from typing import Any

from rankmark.naming import looked_up as _looked_up

# `__init__.pyi` says the same to type checkers, and a test that it does.
_HOME: dict[str, str] = {
    "KerasMetric": "hooks.keras_metric",
    "TorchMetric": "hooks.torch_metric",
    "catboost": "hooks.boosting",
    "lightgbm": "hooks.boosting",
    "scorer": "hooks.scoring",
    "xgboost": "hooks.boosting",
}
"""The module of every name."""
_MODULES: dict[str, str] = {
    "ir_measures": "hooks.ir_measures",
    "mlflow": "hooks.mlflow",
    "mteb": "hooks.mteb",
    "polars": "hooks.polars",
    "sentence_transformers": "hooks.sentence_transformers",
    "wandb": "hooks.wandb",
}
"""What is a module itself."""


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted([*_HOME, *_MODULES])
    globals()[name] = found = _looked_up(__name__, name, _HOME, _MODULES)
    return found


def __dir__() -> list[str]:
    return sorted([*_HOME, *_MODULES])
