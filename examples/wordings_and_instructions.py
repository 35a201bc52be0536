"""A retriever that is good on average: by the worst wording of a question, instructions, and its doubts.

Each of 40 questions is worded in three ways; then an instruction excludes some documents.
"""

from __future__ import annotations

import random

import rankmark as rm

draw = random.Random(5)
DOCUMENTS = [f"d{number}" for number in range(30)]

qrels: dict[str, dict[str, int]] = {}
run: dict[str, dict[str, float]] = {}
question_of: dict[str, str] = {}
for number in range(40):
    relevant, hard = draw.sample(DOCUMENTS, 3), draw.random()
    for wording in "abc":
        query = f"{number}{wording}"
        unlucky = hard + 0.6 * draw.random()
        question_of[query] = str(number)
        qrels[query] = dict.fromkeys(relevant, 1)
        run[query] = {each: 1.5 * (each in relevant) * (1.2 - unlucky) + draw.random() for each in DOCUMENTS}

result = rm.evaluate(qrels, run, "nDCG@10", intervals=True, clusters=question_of)
print(result, end="\n\n")
print(rm.worst_of_groups(result, question_of).with_intervals(), end="\n\n")

# Instructed to leave out the first relevant document, the retriever takes half of its score away.
changed = {query: {next(iter(items)): 0} for query, items in qrels.items()}
instructed = {
    query: {each: score * (0.5 if each in changed[query] else 1) for each, score in scores.items()}
    for query, scores in run.items()
}
print(rm.evaluate_instructions(changed, run, instructed, intervals=True, clusters=question_of), end="\n\n")

print(rm.evaluate_abstention(qrels, run, "nDCG@10", intervals=True, clusters=question_of, resamples=200))
