"""By which definition a number of a paper was computed that differs from one's own."""

import random

import rankmark as rm

rng = random.Random(7)
ITEMS = [f"d{i}" for i in range(40)]
QRELS = {f"q{i}": {item: rng.randrange(4) for item in rng.sample(ITEMS, 12)} for i in range(50)}
RUN = {
    query: {item: rng.random() + 0.2 * grades.get(item, 0) for item in ITEMS}
    for query, grades in QRELS.items()
}

print("nDCG@10 here:", round(rm.evaluate(QRELS, RUN, "nDCG@10")["nDCG@10"], 4))
theirs = rm.evaluate(QRELS, RUN, "ndcg@10", like="lightgbm").values["ndcg@10"]
print(rm.identify(QRELS, RUN, "nDCG@10", f"{theirs:.4f}"))
