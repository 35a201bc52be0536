"""CatBoost keeps the best round by a measure of rankmark; the groups are said beside it."""

import catboost
import numpy as np

import rankmark as rm

rng = np.random.default_rng(0)
groups = np.repeat(np.arange(200), 20)
features = rng.normal(size=(len(groups), 5))
grades = np.digitize(features[:, 0] + rng.normal(size=len(features)), [0.5, 1.5, 2.5])
train, valid = slice(0, 3000), slice(3000, None)

training = catboost.Pool(features[train], grades[train], group_id=groups[train])
validation = catboost.Pool(features[valid], grades[valid], group_id=groups[valid])
ranker = catboost.CatBoostRanker(
    loss_function="YetiRank",
    eval_metric=rm.hooks.catboost("nDCG@10", group_id=[groups[train], groups[valid]]),
    iterations=50,
    od_wait=10,
    allow_writing_files=False,
    verbose=10,
)
ranker.fit(training, eval_set=validation)
print(ranker.get_best_iteration(), ranker.get_best_score()["validation"])

# CatBoost hands over logits, of which LogLoss sees the probabilities.
classifier = catboost.CatBoostClassifier(
    eval_metric=rm.hooks.catboost("LogLoss"), iterations=20, allow_writing_files=False, verbose=False
)
classifier.fit(features[train], grades[train] > 0, eval_set=(features[valid], grades[valid] > 0))
print(classifier.get_best_score()["validation"])
