from rankmark.hooks import mlflow as mlflow
from rankmark.hooks import wandb as wandb

_HOME: dict[str, str]
_MODULES: dict[str, str]
__all__: list[str]
