"""MLflow: a result as metrics, tags and artifacts of a run, and measures in its own evaluations."""

import os

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
os.environ["MLFLOW_TRACKING_URI"] = "sqlite:///mlflow.db"

import mlflow
import pandas as pd

import rankmark as rm

qrels = {f"q{i}": {"a": 2, "b": 1} for i in range(20)}
results = {query: ["b", "a"] if i % 3 else ["x", "a"] for i, query in enumerate(qrels)}

with mlflow.start_run() as run:
    rm.hooks.mlflow.log(rm.evaluate(qrels, results, "nDCG@10, RR", intervals=True, hash_inputs=True))

logged = mlflow.get_run(run.info.run_id).data
print(logged.metrics)
print(logged.tags["rankmark.signature.ndcg_at_10"])

# GAUC beside MLflow's own metrics.
clicks = pd.DataFrame({"click": [1, 0, 1, 0], "p": [0.8, 0.3, 0.4, 0.6], "user": ["u", "u", "v", "v"]})
with mlflow.start_run():
    found = mlflow.models.evaluate(
        data=clicks,
        targets="click",
        predictions="p",
        extra_metrics=[rm.hooks.mlflow.make_metric("GAUC", query="user")],
        evaluators="default",
    )
print(found.metrics)
