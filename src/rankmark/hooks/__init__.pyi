from rankmark.hooks import ir_measures as ir_measures
from rankmark.hooks import mlflow as mlflow
from rankmark.hooks import mteb as mteb
from rankmark.hooks import polars as polars
from rankmark.hooks import sentence_transformers as sentence_transformers
from rankmark.hooks import wandb as wandb
from rankmark.hooks.boosting import catboost as catboost
from rankmark.hooks.boosting import lightgbm as lightgbm
from rankmark.hooks.boosting import xgboost as xgboost
from rankmark.hooks.keras_metric import KerasMetric as KerasMetric
from rankmark.hooks.scoring import scorer as scorer
from rankmark.hooks.torch_metric import TorchMetric as TorchMetric

_HOME: dict[str, str]
_MODULES: dict[str, str]
__all__: list[str]
