"""A shop's clicks: where users look, which ranking their clicks say is better, and both in one list."""

import numpy as np
import polars as pl

import rankmark as rm

rng = np.random.default_rng(0)
QUERIES, ITEMS, SHOWN, LISTS = 120, 8, 6, 6_000
LOOKED_AT = 1 / np.arange(1, SHOWN + 1) ** 0.8

# How often each item is clicked when somebody looks at it, which nobody knows but this script.
truth = rng.beta(1.5, 4, (QUERIES, ITEMS))
judged = {f"q{q}": {f"i{i}": rate for i, rate in enumerate(own)} for q, own in enumerate(truth.tolist())}

# The old ranking put good items high, with some change from day to day; users rarely looked further down.
query = np.concatenate([np.arange(QUERIES), rng.integers(0, QUERIES, LISTS - QUERIES)])
item = np.argsort(-(truth[query] + rng.normal(0, 0.3, (LISTS, ITEMS))), axis=1)[:, :SHOWN]
click = rng.random((LISTS, SHOWN)) < LOOKED_AT * truth[query[:, None], item]
log = pl.DataFrame(
    {
        "session": np.repeat(np.arange(LISTS), SHOWN),
        "query": [f"q{q}" for q in np.repeat(query, SHOWN)],
        "item": [f"i{i}" for i in item.ravel()],
        "position": np.tile(np.arange(1, SHOWN + 1), LISTS),
        "click": click.ravel(),
    }
)

# 1. Where users look: by items that stood at several positions. The held-out likelihood chooses the model.
model = rm.click_model(log)
print(model)
print("truth:", LOOKED_AT.round(3))
dbn = rm.click_model(log, "dbn", resamples=0)
print(
    f"held out, a list: position {model.held_out.log_likelihood:.3f}, DBN {dbn.held_out.log_likelihood:.3f}"
)

# 2. Two rankings by judgements from clicks, with intervals that hold the clicks' noise, beside the truth.
noise = {"careful": 0.1, "careless": 0.35}
runs = {
    name: {
        f"q{q}": [f"i{i}" for i in np.argsort(-(own + rng.normal(0, much, ITEMS)))]
        for q, own in enumerate(truth)
    }
    for name, much in noise.items()
}
qrels = rm.qrels_from_clicks(log, model, estimator="ratio")
print(rm.compare(qrels, runs, ["DCG@3", "nDCG@3"], baseline="careless"))
print("truth:", {name: round(rm.evaluate(judged, run, "DCG@3")["DCG@3"], 4) for name, run in runs.items()})

# 3. The same two in one list, for users who do not know of it: team draft, with a list for each visit.
made = rm.interleave(runs["careful"], runs["careless"], k=5, lists=3, names=("careful", "careless"))
print(made)
looks = 1 / made.frame["position"].to_numpy() ** 0.8
rates = [judged[query][item] for query, item in made.frame["query", "item"].iter_rows()]
shown = made.frame.with_columns(click=pl.Series(rng.random(made.frame.height) < looks * rates))
print(rm.evaluate_interleaving(shown, clusters="query", names=("careful", "careless")))
