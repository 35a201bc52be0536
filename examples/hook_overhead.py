"""What a metric of 40,000 rows in 400 groups costs a round of training, as LightGBM calls it."""

import time

import numpy as np

import rankmark as rm

ROWS, GROUPS, CALLS = 40_000, 400, 50
rng = np.random.default_rng(0)
sizes = np.full(GROUPS, ROWS // GROUPS)
grades = rng.integers(0, 5, ROWS).astype(np.float32)
clicks = (grades > 3).astype(np.float32)
scores = rng.uniform(size=ROWS)

for measures in ("nDCG@10", "nDCG@10, AP", "AUC", "GAUC", "LogLoss"):
    metric = rm.hooks.lightgbm(measures)
    labels = grades if "nDCG" in measures else clicks
    for kind, predictions in (("", scores), (", equal scores", scores.round(2))):
        metric(labels, predictions, None, sizes)  # prepares the data set
        taken = []
        for _ in range(CALLS):
            start = time.perf_counter()
            metric(labels, predictions, None, sizes)
            taken.append(time.perf_counter() - start)
        print(
            f"{measures + kind:28} {np.median(taken) * 1000:6.2f} ms, the fastest {min(taken) * 1000:.2f} ms"
        )
