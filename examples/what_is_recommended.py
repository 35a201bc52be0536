"""A shop compares two recommenders: how accurate they are, what they recommend, and whom they serve well."""

import numpy as np
import polars as pl

import rankmark as rm

rng = np.random.default_rng(0)
USERS, ITEMS = 400, 300
CATEGORIES = np.array(["books", "games", "music", "toys"])

# What the shop sells, whom it sells to, and what they bought before: few items are bought often.
items = pl.DataFrame(
    {
        "item": [f"i{i}" for i in range(ITEMS)],
        "category": CATEGORIES[rng.integers(0, 4, ITEMS)],
        "price": rng.lognormal(2, 0.6, ITEMS).round(2),
    }
)
age = np.where(rng.random(USERS) < 0.8, "under 60", "60 or over")
users = pl.DataFrame({"user": [f"u{u}" for u in range(USERS)], "age": age})
favourite = CATEGORIES[rng.integers(0, 4, USERS)]
weights = 1 / (np.arange(ITEMS) + 10)
liked = weights * np.where(items["category"].to_numpy() == favourite[:, None], 8, 1)
liked /= liked.sum(axis=1, keepdims=True)
bought = [rng.choice(ITEMS, 16, replace=False, p=chances) for chances in liked]
train = {f"u{u}": [f"i{i}" for i in own[:8]] for u, own in enumerate(bought)}
qrels = {f"u{u}": {f"i{i}": 1 for i in own[8:]} for u, own in enumerate(bought)}

# One recommender knows what sells, the other tastes, which it has seen less of with older users.
noise = np.where(age == "60 or over", 3.0, 0.5)[:, None] * rng.normal(size=(USERS, ITEMS))
scores = {"bestsellers": np.tile(weights, (USERS, 1)), "personal": np.log(liked) + noise}
runs = {
    name: {f"u{u}": [f"i{i}" for i in np.argsort(-own)[:20]] for u, own in enumerate(table)}
    for name, table in scores.items()
}

# 1. Accuracy beside what is recommended.
known = rm.catalogue(items, train=train)
measures = ["nDCG@10", "Coverage@10", "Novelty@10", "ILD@10", "ExposureGini@10"]
print(rm.evaluate(qrels, runs, measures, items=known))

# 2. How sure the differences are, also those of the whole run.
print(rm.compare(qrels, runs, ["nDCG@10", "Coverage@10"], baseline="bestsellers", items=known))

# 3. Whether it serves all users alike: the worst and the best group, and how unequal users are.
result = rm.evaluate(qrels, runs["personal"], ["nDCG@10"], by="age", attributes=users)
apart = result.slices.disparity("nDCG@10")
print(
    f"\n{apart.worst}: {apart.worst_value:.3f}, {apart.best}: {apart.best_value:.3f}; "
    f"ratio {apart.ratio:.2f} ({apart.ratio_low:.2f} to {apart.ratio_high:.2f})"
)
print(result.slices.inequalities[0].said, end="\n\n")

# 4. Where one user's value comes from.
print(rm.explain(qrels, runs["personal"], "Novelty@5", query="u0", items=items, train=train))

# 5. A gate: the candidate may lose a little coverage, and no more.
gate = rm.gate(qrels, runs["bestsellers"], runs["personal"], "Coverage@10", max_drop=0.02, items=known)
print(f"\nthe gate is {'passed' if gate else 'failed'}")
