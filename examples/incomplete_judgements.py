"""A search team judges a pool, and asks what its numbers are worth: for its systems, and for the next one."""

import numpy as np
import polars as pl

import rankmark as rm

rng = np.random.default_rng(0)
QUERIES, DOCUMENTS, TEAMS = 30, 600, 8

# What is relevant nobody knows but this script: a few documents of each query.
truth = rng.random((QUERIES, DOCUMENTS)) < 0.04


def run(skill: float, taste: np.ndarray) -> dict[str, list[str]]:
    """A system's lists: systems find different documents, and those of a team the same ones."""
    scores = skill * truth + 0.8 * taste + 0.6 * rng.normal(size=truth.shape)
    return {f"q{q}": [f"d{d}" for d in np.argsort(-own)[:100]] for q, own in enumerate(scores)}


runs, teams = {}, {}
for team in range(TEAMS):
    taste = rng.normal(size=truth.shape)
    for version in ("a", "b"):
        name = f"team{team}{version}"
        runs[name], teams[name] = run(1 + team / 4 + (version == "b") / 8, taste), f"team{team}"
new = runs.pop("team3a")  # which was not there when the pool was judged
runs.pop("team3b")


def grade(query: str, item: str) -> int:
    return int(truth[int(query[1:]), int(item[1:])])


# 1. What to judge: the first ten of every system.
pool = rm.pool(None, runs, depth=10)
print(pool)
qrels: dict[str, dict[str, int]] = {}
for query, item in pool.to_judge.select("query", "item").iter_rows():
    qrels.setdefault(query, {})[item] = grade(query, item)

# 2. How deep it was worth judging, who found what alone, and whether the judgements can judge another system.
print(rm.pool(qrels, runs, "nDCG@10", depth=10, groups=teams))

# 3. The new system: how much of it is judged, and between which values it is, whatever the rest may be.
measures = ["nDCG@10", "AP@10", "P@10"]
print(rm.evaluate(qrels, new, [*measures, "Unjudged@10"]))
result = rm.evaluate(qrels, new, measures, bounds="unjudged")
print(result)
whole = {f"q{q}": {f"d{d}": int(each) for d, each in enumerate(own)} for q, own in enumerate(truth)}
print("with all judged:", rm.evaluate(whole, new, measures), sep="\n")

# 4. What it returns besides, judged at a third of the work: the old pool whole, of the rest a sample.
rows = []
for query, items in new.items():
    for item in {*items, *qrels[query]}:
        old = item in qrels[query]
        taken = old or rng.random() < 1 / 3
        rows.append((query, item, "pool" if old else "new", grade(query, item) if taken else -1))
sample = pl.DataFrame(rows, schema=["query", "item", "stratum", "relevance"], orient="row")
print(rm.evaluate(sample, new, ["xinfAP", "infNDCG@10"]))
