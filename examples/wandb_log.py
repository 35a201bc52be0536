"""Weights & Biases: a result as metrics of a run, its signatures in the config, its queries as a table."""

import wandb

import rankmark as rm

qrels = {f"q{i}": {"a": 2, "b": 1} for i in range(20)}

with wandb.init(mode="offline", project="search") as run:
    for epoch in range(3):
        results = {query: ["b", "a"] if i % (epoch + 2) else ["x", "a"] for i, query in enumerate(qrels)}
        rm.hooks.wandb.log(rm.evaluate(qrels, results, "nDCG@10"), prefix="valid/", step=epoch)
    rm.hooks.wandb.log(rm.evaluate(qrels, results, "nDCG@10, RR", intervals=True))
    print(dict(run.summary)["rr"], run.config["rankmark"]["signature"]["rr"])
