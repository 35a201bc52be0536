"""A language model labels all queries, people label 40: which of two rankers is better, and how surely.

The model is kinder to the new ranker than people are, which by its labels alone nobody would see.
"""

from __future__ import annotations

import random

import rankmark as rm

draw = random.Random(7)
QUERIES, ITEMS, BY_PEOPLE = 400, 20, 40

people: dict[str, dict[str, int]] = {}
model: dict[str, dict[str, int]] = {}
old: dict[str, dict[str, float]] = {}
new: dict[str, dict[str, float]] = {}
for number in range(QUERIES):
    name, rich = f"q{number}", draw.betavariate(1, 3)
    grades = {f"d{item}": draw.choice((1, 2, 3)) if draw.random() < rich else 0 for item in range(ITEMS)}
    fluent = {item: draw.random() < 0.2 for item in grades}
    people[name] = grades
    # The model likes what is fluent, right or not, and is otherwise wrong in one of five.
    model[name] = {
        item: 2 if fluent[item] and not grade else grade if draw.random() < 0.8 else draw.choice((0, 0, 1, 2))
        for item, grade in grades.items()
    }
    old[name] = {item: 0.5 * grade + draw.gauss(0, 1) for item, grade in grades.items()}
    new[name] = {item: 0.5 * grade + 0.8 * fluent[item] + draw.gauss(0, 1) for item, grade in grades.items()}

labelled = {name: people[name] for name in draw.sample(sorted(people), BY_PEOPLE)}
runs = {"old": old, "new": new}
evaluation = rm.evaluate_with_judge(labelled, model, runs, "nDCG@10")
print(evaluation)

(difference,) = evaluation.differences
print(f"\nby the model alone new is {difference.judge:+.3f} better; by both {difference.value:+.3f}")
truth = rm.evaluate(people, new, "nDCG@10")["nDCG@10"] - rm.evaluate(people, old, "nDCG@10")["nDCG@10"]
print(f"had people labelled everything, it would be {truth:+.3f}")
print(f"40 queries of people with the model's labels say as much as {difference.effective:.0f} without")
print(evaluation.signature("nDCG@10"))

agreement = rm.agree_on_labels(labelled, model, runs)
print(agreement)
(*_, overrated) = agreement.systems
print(f"\nthe model grades what new finds {overrated.bias:+.2f} too high")

plan = rm.labels_to_add(labelled, model, runs, "nDCG@10", add=60)
print(plan)
more = labelled | {name: people[name] for name in plan.next_queries}
sure = rm.evaluate_with_judge(more, model, runs, "nDCG@10", strata="stratum", attributes=plan.frame)
print(sure.differences[0])

# Each grade of the model as those that people gave where it did. The rankers know more of what people think
# than the model does, which a note says of old: then such values do not replace those above.
expected = rm.evaluate_expected(model, runs, "nDCG@10", people=labelled)
print(expected)
