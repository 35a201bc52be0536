"""A shop asks of its log what two new recommenders would have earned before it shows them to anybody."""

import numpy as np
import polars as pl

import rankmark as rm

rng = np.random.default_rng(0)
IMPRESSIONS, KINDS, ITEMS = 20_000, 8, 12

# Customers of several kinds click on one item of twelve. The shop shows its best guess, and one time in three
# any item: it is this chance, its propensity, that makes the log useful.
tastes = rng.beta(1, 6, (KINDS, ITEMS))
guess = tastes.mean(axis=0).argmax()
kinds = rng.integers(0, KINDS, IMPRESSIONS)
explores = rng.random(IMPRESSIONS) < 1 / 3
shown = np.where(explores, rng.integers(0, ITEMS, IMPRESSIONS), guess)
clicks = rng.random(IMPRESSIONS) < tastes[kinds, shown]
log = pl.DataFrame(
    {
        "query": [f"kind {kind}" for kind in kinds],
        "item": [f"item {item}" for item in shown],
        "propensity": np.where(shown == guess, 2 / 3 + 1 / 3 / ITEMS, 1 / 3 / ITEMS),
        "click": clicks.astype(int),
        "user": rng.integers(0, 4_000, IMPRESSIONS),
    }
)

# Two recommenders, as runs: one knows tastes with some noise, the other also sells what was never shown.
noisy = tastes + rng.normal(scale=0.03, size=tastes.shape)
personal = {f"kind {k}": {f"item {i}": float(noisy[k, i]) for i in range(ITEMS)} for k in range(KINDS)}
novel = {
    kind: {**items, "new item": 2.0 * (number % 2)} for number, (kind, items) in enumerate(personal.items())
}
truth = tastes[np.arange(KINDS), noisy.argmax(axis=1)].mean()

# 1. What they would have earned; beside it what speaks against the numbers.
found = rm.evaluate_logged(
    log, {"personal": personal, "novel": novel}, ["IPS", "SNIPS", "DR"], clusters="user"
)
print(found)
value = found["personal", "SNIPS"]
print(f"\nthe truth of personal is {truth:.4f}; SNIPS says {value.low:.4f} to {value.high:.4f}\n")

# 2. A policy that explores a little is nearer to the log, and better known.
soft = rm.evaluate_logged(log, {"personal": personal}, "SNIPS", choose="softmax(temperature=0.1)")
print(
    f"effective impressions: {value.effective:.0f}, with softmax {soft['personal', 'SNIPS'].effective:.0f}\n"
)

# 3. For whom: slices by a column of the log.
by = rm.evaluate_logged(log, {"personal": personal}, "SNIPS", by="query")
worst = min((row for row in by.rows if row.slice and row.policy == "personal"), key=lambda row: row.value)
print(f"the least is earned of {worst.slice}: {worst.value:.4f} ({worst.low:.4f} to {worst.high:.4f})")

# 4. The decision, with cautions in mind.
(better,) = (each for each in soft.differences if not each.slice)
decision = "show it to some" if better.low > 0 else "wait"
print(f"softmax of personal less the log: {better.low:+.4f} to {better.high:+.4f}: {decision}")
