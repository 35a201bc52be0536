"""MLflow: measures as scorers of what a retriever found, a row a query."""

import os

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["MLFLOW_TRACKING_URI"] = "sqlite:///mlflow.db"

import mlflow

import rankmark as rm

rows = [
    {"inputs": {"question": "one"}, "outputs": ["b", "a"], "expectations": {"relevant": {"a": 3, "b": 1}}},
    {"inputs": {"question": "two"}, "outputs": ["x", "c"], "expectations": {"relevant": ["c"]}},
]
with mlflow.start_run():
    scorers = [rm.hooks.mlflow.scorer(measure, expected="relevant") for measure in ("nDCG@10", "RR")]
    print(mlflow.genai.evaluate(rows, scorers=scorers).metrics)
