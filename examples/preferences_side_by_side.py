"""Three chat models side by side: which is better, by how much, and whether the left one is liked."""

import numpy as np
import polars as pl

import rankmark as rm

rng = np.random.default_rng(0)
MODELS, STRENGTHS, LEFT = np.array(["small", "large", "tuned"]), np.array([-0.5, 0.0, 0.4]), 0.3
JUDGEMENTS, PROMPTS, PEOPLE = 1_200, 150, 40

# Each judgement is of two answers to a prompt; a prompt suits one model more than another, and people like
# the left answer a little more, whoever wrote it. One time in six they cannot say.
prompt = rng.integers(0, PROMPTS, JUDGEMENTS)
left = rng.integers(0, 3, JUDGEMENTS)
right = (left + rng.integers(1, 3, JUDGEMENTS)) % 3
suits = STRENGTHS + rng.normal(scale=0.6, size=(PROMPTS, 3))
better = suits[prompt, left] - suits[prompt, right] + LEFT
winner = np.where(rng.random(JUDGEMENTS) < 1 / (1 + np.exp(-better)), "model_a", "model_b")
winner[rng.random(JUDGEMENTS) < 1 / 6] = "tie"
judged = pl.DataFrame(
    {
        "prompt": prompt,
        "judge": rng.integers(0, PEOPLE, JUDGEMENTS),
        "model_a": MODELS[left],
        "model_b": MODELS[right],
        "winner": winner,
    }
)

# 1. Who is better than the small one, and by how much? Judgements of one prompt count together.
ranking = rm.rank_by_preferences(judged, baseline="small", side=True, ties="davidson", clusters="query")
print(ranking)

# 2. As if each judgement stood for itself, intervals are too short; by people they are another question.
for clusters in (None, "query", "assessor"):
    systems = rm.rank_by_preferences(judged, baseline="small", side=True, clusters=clusters).systems
    top = systems.row(0, named=True)
    print(f"clusters={clusters}: {top['system']} {top['low']:.3f} to {top['high']:.3f}")

# 3. On the scale of chess.
print(rm.rank_by_preferences(judged, scale="elo", clusters="query").systems.select("system", "strength"))

# 4. A new model that won its only three comparisons: no number says how good it is, but a penalized one.
new = pl.DataFrame(
    {"prompt": [1, 2, 3], "judge": [1, 2, 3], "model_a": "new", "model_b": "small", "winner": "model_a"}
)
more = pl.concat([judged, new.cast(judged.schema)])
try:
    rm.rank_by_preferences(more)
except rm.DataError as error:
    print(f"refused: {error}")
kept = rm.rank_by_preferences(more, penalty="firth", baseline="small")
print(kept.systems.select("system", "strength", "low", "high"))
