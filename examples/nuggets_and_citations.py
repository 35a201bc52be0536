"""Two generators answer the same questions: whose answers hold more vital nuggets, and whose citations hold.

What each answer says of each nugget, and what each citation supports, others have found: here it is drawn.
"""

from __future__ import annotations

import random

import polars as pl

import rankmark as rm

draw = random.Random(3)
QUESTIONS, NUGGETS, SENTENCES = 60, 8, 5
SKILL = {"short": 0.45, "long": 0.6}
FOUND = ("support", "partial_support", "not_support")

nuggets: list[dict[str, str]] = []
citations: list[dict[str, str | int | None]] = []
for number in range(QUESTIONS):
    question, hard = f"q{number}", draw.uniform(-0.3, 0.3)
    vital = ["vital" if draw.random() < 0.4 else "okay" for _ in range(NUGGETS)]
    for system, skill in SKILL.items():
        chance = min(max(skill - hard, 0.05), 0.95)
        weights = (chance, (1 - chance) / 3, 2 * (1 - chance) / 3)
        nuggets += [
            {"system": system, "query": question, "nugget": f"n{place}", "importance": importance,
             "assignment": draw.choices(FOUND, weights)[0]}
            for place, importance in enumerate(vital)
        ]  # fmt: skip
        # The long answers say more, and cite worse.
        for sentence in range(SENTENCES if system == "long" else 3):
            row: dict[str, str | int | None] = {"system": system, "query": question, "sentence": sentence}
            if draw.random() < 0.2:
                citations.append(row | {"citation": None, "support": None})
                continue
            share = 0.6 if system == "short" else 0.4
            citations += [
                row | {"citation": f"d{each}", "support": draw.choices(("full", "partial", "none"),
                                                                       (share, 0.2, 0.8 - share))[0]}
                for each in range(draw.choice((1, 2)))
            ]  # fmt: skip

of_nuggets = rm.evaluate_answers(pl.DataFrame(nuggets), intervals=True)
print(of_nuggets, end="\n\n")
of_citations = rm.evaluate_answers(pl.DataFrame(citations, infer_schema_length=None), intervals=True)
print(of_citations, end="\n\n")

assert isinstance(of_nuggets, rm.results.Runs)  # one of each system, as a column names them
assert isinstance(of_citations, rm.results.Runs)
print(rm.compare_results(of_nuggets, ["vital_strict", "weighted"], baseline="short"))
print()
print(rm.compare_results(of_citations, ["citation_precision", "citation_recall"], baseline="short"))
