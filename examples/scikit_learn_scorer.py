"""scikit-learn validates and searches by lists: the rows of each group, in the order of the predictions."""

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_validate

import rankmark as rm

rng = np.random.default_rng(0)
groups = np.repeat(np.arange(100), 20)
X = rng.normal(size=(len(groups), 5))
grades = np.digitize(X[:, 0] + rng.normal(size=len(X)), [0.5, 1.5, 2.5])

sklearn.set_config(enable_metadata_routing=True)  # by which scorers are given groups
found = cross_validate(
    Ridge(), X, grades, scoring=rm.hooks.scorer("nDCG@10"), cv=GroupKFold(5), params={"groups": groups}
)
print("nDCG@10", found["test_score"].round(4))

search = GridSearchCV(
    LogisticRegression(),
    {"C": [0.001, 0.1, 10]},
    scoring=rm.hooks.scorer("GAUC, LogLoss"),
    refit="GAUC",
    cv=GroupKFold(5),
)
search.fit(X, grades > 0, groups=groups)
print(search.best_params_, search.cv_results_["mean_test_GAUC"], search.cv_results_["mean_test_neg_LogLoss"])
