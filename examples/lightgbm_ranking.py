"""LightGBM stops early by measures of rankmark, of lists and of rows."""

import lightgbm
import numpy as np

import rankmark as rm

rng = np.random.default_rng(0)
sizes = np.full(200, 20)  # rows of each group
features = rng.normal(size=(sizes.sum(), 5))
grades = np.digitize(features[:, 0] + rng.normal(size=len(features)), [0.5, 1.5, 2.5])
train, valid = slice(0, 3000), slice(3000, None)

training = lightgbm.Dataset(features[train], grades[train], group=sizes[:150])
validation = training.create_valid(features[valid], grades[valid], group=sizes[150:])
model = lightgbm.train(
    {"objective": "lambdarank", "metric": "None", "learning_rate": 0.3, "verbosity": -1},
    training,
    100,
    valid_sets=[validation],
    feval=rm.hooks.lightgbm("nDCG@10, AP"),
    callbacks=[lightgbm.early_stopping(10), lightgbm.log_evaluation(5)],
)
print(model.best_score)

# Models of the scikit-learn kind take the same as eval_metric; rows alone need no groups.
classifier = lightgbm.LGBMClassifier(n_estimators=50, verbosity=-1)
classifier.fit(
    features[train],
    grades[train] > 0,
    eval_set=[(features[valid], grades[valid] > 0)],
    eval_metric=rm.hooks.lightgbm("AUC, LogLoss"),
    callbacks=[lightgbm.early_stopping(10, verbose=False)],
)
print(classifier.best_score_)
