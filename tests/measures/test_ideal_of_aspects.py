"""The best list of all for aspects, beside one that is best step by step."""

from __future__ import annotations

import itertools
import math
import random

import pytest

import rankmark as rm
from rankmark.kinds import best_orders

# c covers most at once, but a and b cover all, which is better where lists end at rank 2.
QRELS = {
    "q": {
        "c": dict.fromkeys("1245", 1),
        "a": dict.fromkeys("123", 1),
        "b": dict.fromkeys("456", 1),
    }
}
LOG3 = math.log2(3)


@pytest.mark.parametrize(
    ("measure", "greedy", "exact"),
    [
        ("alpha_nDCG(alpha=1)@2", 4 + 1 / LOG3, 3 + 3 / LOG3),
        ("alpha_nDCG(alpha=1)", 4 + 1 / LOG3 + 1 / 2, 4 + 1 / LOG3 + 1 / 2),
        ("nERR_IA(alpha=1)@2", 4 + 1 / 2, 3 + 3 / 2),
        ("nNRBP(alpha=1,beta=0.8)@2", 4 + 0.8, 3 + 3 * 0.8),
    ],
)
def test_the_best_list_of_all_may_begin_with_less(measure: str, greedy: float, exact: float) -> None:
    exactly = rm.parse(measure)(ideal="exact")
    weight = {"a": 1 / LOG3, "n": 1 / 2}[measure[0]] if "beta" not in measure else 0.8
    result = rm.evaluate(QRELS, {"q": ["a", "b"]}, [measure, exactly])
    own = 3 + 3 * weight
    assert result[measure] == pytest.approx(own / greedy, rel=1e-14)
    assert result[exactly] == pytest.approx(own / exact, rel=1e-14)


def gained(
    order: tuple[str, ...], judged: dict[str, list[str]], weights: dict[str, float], keep: float
) -> float:
    left = dict(weights)
    total = 0.0
    for rank, item in enumerate(order, 1):
        total += sum(left[aspect] for aspect in judged[item]) / math.log2(rank + 1)
        left |= {aspect: left[aspect] * keep for aspect in judged[item]}
    return total


@pytest.mark.parametrize("seed", range(30))
def test_no_order_gains_more(seed: int) -> None:
    draw = random.Random(seed)
    depth, alpha = draw.randint(1, 4), draw.choice((0.5, 0.9, 1.0))
    weights = {str(aspect): draw.choice((0.2, 0.5, 1.0)) for aspect in range(6)}
    judged = {item: [each for each in weights if draw.random() < 0.5] for item in "abcdef"}
    judged = {item: own for item, own in judged.items() if own}
    found = {each for own in judged.values() for each in own}
    qrels = rm.read_qrels(
        {"q": {item: dict.fromkeys(own, 1) for item, own in judged.items()}},
        aspect_weights={"q": {aspect: weights[aspect] for aspect in found}},
    )
    measure = f"alpha_nDCG(alpha={alpha},ideal=exact)@{depth}"
    orders = itertools.permutations(judged, min(depth, len(judged)))
    best = max(gained(order, judged, weights, 1 - alpha) for order in orders)
    run = draw.sample(sorted(judged), len(judged))
    own = gained(tuple(run[:depth]), judged, weights, 1 - alpha)
    assert rm.evaluate(qrels, {"q": run}, measure)[measure] == pytest.approx(own / best, rel=1e-12)


def test_what_is_best_step_by_step_stays_where_nothing_is_better() -> None:
    draw = random.Random(7)
    judged = {f"d{i}": {str(a): 1 for a in range(3) if draw.random() < 0.5} for i in range(300)}
    qrels = {"q": {item: own or {"0": 0} for item, own in judged.items()}}
    greedy, exact = rm.evaluate(
        qrels, {"q": sorted(judged)}, ["alpha_nDCG@20", "alpha_nDCG(ideal=exact)@20"]
    ).values.values()
    assert greedy == exact


def test_queries_that_are_too_large_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(1)
    large = {f"d{i}": {str(a): 1 for a in range(12) if draw.random() < 0.4} for i in range(30)}
    qrels = {"small": QRELS["q"], "large": {item: own for item, own in large.items() if own}}
    run = {"small": ["a"], "large": ["d1"]}
    monkeypatch.setattr(best_orders, "STEPS", 100)
    measure = "alpha_nDCG(ideal=exact)@10"
    for evaluate in (rm.evaluate, lambda *of: rm.explain(*of, query="small")):
        with pytest.raises(
            rm.MeasureError,
            match=r"no best list in 100 steps .* in \d+ ways.*, for query 'large'",
        ):
            evaluate(qrels, run, measure)  # type: ignore[operator]
    deep = {"deep": {f"d{i}": {"1": 1} for i in range(300)}}
    with pytest.raises(rm.MeasureError, match=r"best list of 300 items, and does so of 200 at .*'deep'"):
        rm.evaluate(deep, {"deep": ["d1"]}, "alpha_nDCG(ideal=exact)")
    assert rm.evaluate(deep, {"deep": ["d1"]}, "alpha_nDCG(ideal=exact)@200")


def test_each_beginning_of_a_list_has_the_same_ideal() -> None:
    found = rm.explain(QRELS, {"q": ["a", "b", "c"]}, "alpha_nDCG(alpha=1,ideal=exact)@2", query="q")
    assert found.value == pytest.approx(1, rel=1e-14)
