"""XGBoost stops early by measures of rankmark, of lists and of rows."""

import numpy as np
import xgboost

import rankmark as rm

rng = np.random.default_rng(0)
groups = np.repeat(np.arange(200), 20)
features = rng.normal(size=(len(groups), 5))
clicks = (features[:, 0] + rng.normal(size=len(features)) > 1).astype(int)
train, valid = slice(0, 3000), slice(3000, None)

training = xgboost.DMatrix(features[train], clicks[train], qid=groups[train])
validation = xgboost.DMatrix(features[valid], clicks[valid], qid=groups[valid])
metric = rm.hooks.xgboost("LogLoss, GAUC")
model = xgboost.train(
    {"objective": "binary:logistic", "learning_rate": 0.3, "disable_default_eval_metric": True},
    training,
    100,
    evals=[(validation, "validation")],
    custom_metric=metric,
    callbacks=[metric.early_stopping(10, save_best=True)],  # by the last one, GAUC, of which more is better
    verbose_eval=5,
)
print(f"{model.num_boosted_rounds()} rounds are best")

# Its own ndcg@10 stands beside ours, whose name tells early stopping that more is better.
ranker = xgboost.train(
    {"objective": "rank:ndcg", "eval_metric": ["ndcg@10"]},
    training,
    50,
    evals=[(validation, "validation")],
    custom_metric=rm.hooks.xgboost("nDCG@10"),
    early_stopping_rounds=10,
    verbose_eval=False,
)
print(f"ndcg@10-rankmark {ranker.best_score:.4f} in round {ranker.best_iteration}")
