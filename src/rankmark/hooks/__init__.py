"""rankmark inside the tools with which people train, track and experiment.

A tool is imported only when its hook is called: none of them has to be installed for the others.
"""

from __future__ import annotations

from rankmark.naming import face_of as _face_of

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

__getattr__, __dir__ = _face_of(__name__, _HOME, _MODULES)
