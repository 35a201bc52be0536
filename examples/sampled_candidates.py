"""Two recommenders among 99 sampled items and among all: the sample puts the worse one first, and says so."""

import numpy as np

import rankmark as rm

rng = np.random.default_rng(0)
USERS, ITEMS = 1_000, 2_000

# Each user had 20 items, and one more is held out.
own = np.array([rng.permutation(ITEMS)[:21] for _ in range(USERS)])
train = {user: own[user, :20].tolist() for user in range(USERS)}
test = {user: [int(own[user, 20])] for user in range(USERS)}

# One recommender knows a quarter of the users well and guesses for the others; one is near the mark for all.
noise = rng.random((USERS, ITEMS))
held = np.arange(USERS), own[:, 20]
sharp, steady = noise.copy(), noise.copy()
sharp[held] = np.where(rng.random(USERS) < 0.25, 1.0, rng.random(USERS))
steady[held] = 1 - rng.uniform(0.006, 0.04, USERS)
models = {"sharp": sharp, "steady": steady}


class Model:
    """Predicts the scores of items."""

    def __init__(self, scores):
        self.scores = scores

    def predict(self, user, items):
        """The scores of some items for a user."""
        return self.scores[user, items]


# 1. The candidates: the same for a seed, whatever the order of rows. `rankmark sample` writes them as files.
candidates = rm.sample_candidates(train, test, 99, seed=1, items=range(ITEMS))
print(candidates)

# 2. Among them and among all items, side by side: the order is another.
for name, scores in models.items():
    print(f"\n{name}")
    print(
        rm.evaluate_model(
            Model(scores), test, "HR@10 nDCG@10", items=range(ITEMS), candidates=candidates, exclude=train
        )
    )

# 3. What the sample says of all items: estimates, the bias that is left, and what is possible.
for name, scores in models.items():
    rows = candidates.frame.select("query", "item").with_columns(
        score=scores[candidates.frame["query"], candidates.frame["item"]]
    )
    print(f"\n{name}")
    print(rm.correct_sampled(candidates, measures="HR@10 nDCG@10 ListAUC", run=rows))
