"""polars: a frame is evaluated by its own namespace, and every query's values are a frame again."""

import polars as pl

import rankmark.hooks.polars  # noqa: F401 - which gives frames the namespace

qrels = pl.DataFrame({"query": ["p", "p", "q"], "item": ["a", "b", "c"], "relevance": [2, 1, 1]})
run = pl.LazyFrame({"query": ["p", "p", "q"], "item": ["b", "x", "c"], "score": [0.9, 0.8, 0.1]})
result = run.filter(pl.col("score") > 0.5).rankmark.evaluate(qrels, ["nDCG@10", "RR"])
print(result)
print(result.per_query.filter(pl.col("RR") < 1))

clicks = pl.DataFrame({"click": [1, 0, 1, 0], "p": [0.8, 0.3, 0.6, 0.7]})
print(clicks.rankmark.evaluate_predictions("AUC, LogLoss", label="click", score="p", intervals=True))
