"""Measures of aspects, against tables worked out by hand and slow plain Python."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

# Aspect 3 of q1 has nothing relevant and aspect 4 nothing that is retrieved; of q2 nothing is relevant.
QRELS = {
    "q1": {
        "a": {"1": 1, "2": 2, "3": 0},
        "b": {"1": 1},
        "c": {"2": 1, "3": -1},
        "d": {"4": 1},
    },
    "q2": {"a": {"1": 0}},
    "q3": {"a": {"1": 1}},
}
RUN = {"q1": ["b", "x", "a", "c"], "q2": ["a"]}

LOG3 = math.log2(3)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Gains of q1: b 1, x 0, a ½ + 1, c ½; the ideal list is a 2, d 1, c ½ (c is above b), b ½.
        ("alpha_DCG", 1 + 1.5 / 2 + 0.5 / math.log2(5)),
        ("alpha_DCG@3", 1.75),
        ("alpha_DCG(alpha=0)@3", 1 + 2 / 2),
        ("alpha_DCG(alpha=1)@3", 1 + 1 / 2),
        ("alpha_DCG(rel=2)@3", 1 / 2),
        ("alpha_DCG(denominator=most)@3", 1.75 / (3 * (1 + 0.5 / LOG3 + 0.25 / 2))),
        ("alpha_nDCG@3", 1.75 / (2 + 1 / LOG3 + 0.5 / 2)),
        ("alpha_nDCG(discount=2)@3", 1.75 / (2 + 1 / LOG3 + 0.5 / 2)),
        ("ERR_IA@3", (1 + 1.5 / 3) / (3 * (1 + 0.5 / 2 + 0.25 / 3))),
        ("ERR_IA", (1 + 1.5 / 3 + 0.5 / 4) / (3 * 2 * math.log(2))),
        ("nERR_IA@3", 1.5 / (2 + 1 / 2 + 0.5 / 3)),
        ("NRBP", 0.75 / 3 * (1 + 1.5 / 4 + 0.5 / 8)),
        ("NRBP(beta=0.8)@3", (1 - 0.4) / 3 * (1 + 1.5 * 0.64)),
        ("nNRBP", (1 + 1.5 / 4 + 0.5 / 8) / (2 + 1 / 2 + 0.5 / 4 + 0.5 / 8)),
        ("SubtopicRecall", 2 / 3),
        # b gains 1, a 1 + 2, c 1 and d 1.
        ("D_nDCG@3", (1 + 3 / 2) / (3 + 1 / LOG3 + 1 / 2)),
        ("D_nDCG(gain=exp2)@3", (1 + 4 / 2) / (4 + 1 / LOG3 + 1 / 2)),
        ("DSharp_nDCG(gamma=0.25)@3", 0.25 * 2 / 3 + 0.75 * 2.5 / (3 + 1 / LOG3 + 1 / 2)),
        ("SubtopicRecall@2", 1 / 3),
        ("IA(of=P)@2", (1 / 2 + 0 + 0) / 3),
        ("P_IA(empty=zero)@2", (1 / 2 + 0 + 0 + 0) / 4),
        ("MAP_IA", ((1 + 2 / 3) / 2 + (1 / 3 + 2 / 4) / 2 + 0) / 3),
        ("RR_IA", (1 + 1 / 3 + 0) / 3),
        ("IA(of='P(rel=2)')@3", 1 / 3),
        ("nDCG_IA@1", 1 / 3),
    ],
)
def test_measures_of_aspects(measure: str, expected: float) -> None:
    result = rm.evaluate(QRELS, RUN, measure)
    assert result.query_values(measure) == pytest.approx([expected, 0, 0], rel=1e-14)
    assert result[measure] == pytest.approx(expected / 3, rel=1e-14)
    averaged = 1 if "rel=2" in measure else 2  # q3 has nothing of grade 2
    assert rm.evaluate(QRELS, RUN, measure, no_relevant="skip")[measure] == pytest.approx(expected / averaged)
    assert rm.evaluate(QRELS, RUN, measure, missing="skip")[measure] == pytest.approx(expected / 2)


def test_a_query_without_relevant_items_is_what_the_choices_say() -> None:
    assert rm.evaluate(QRELS, RUN, "NRBP", no_relevant="one").query_values("NRBP")[1] == 1
    with pytest.raises(rm.DataError, match=r"nothing is relevant in 1 query .'q2'"):
        rm.evaluate(QRELS, RUN, "NRBP", no_relevant="error")
    with pytest.raises(rm.DataError, match="q3"):
        rm.evaluate(QRELS, RUN, "NRBP", missing="error")


def test_other_measures_see_the_best_grade_of_each_item() -> None:
    best = {"q1": {"a": 2, "b": 1, "c": 1, "d": 1}, "q2": {"a": 0}, "q3": {"a": 1}}
    measures = ["nDCG@10", "AP", "NumRel", "Judged@10"]
    found = rm.evaluate(QRELS, RUN, [*measures, "alpha_nDCG@10"])
    assert [found[each] for each in measures] == list(rm.evaluate(best, RUN, measures).values.values())


def test_an_endless_denominator_is_refused() -> None:
    for measure in ("ERR_IA(alpha=0)", "alpha_DCG(alpha=0,denominator=most)"):
        with pytest.raises(rm.MeasureError, match="no end of what can be gained"):
            rm.evaluate(QRELS, RUN, measure)


@pytest.mark.parametrize("of", ["AUC", "NRBP", "nothing", "'nDCG@3'", "NumQ", "AP(mean=geometric)"])
def test_what_is_no_measure_of_a_list_has_no_mean_over_aspects(of: str) -> None:
    with pytest.raises(rm.MeasureError):
        rm.parse(f"IA(of={of})" if of[0] == "'" or "(" not in of else f"IA(of='{of}')")


def test_a_measure_can_be_handed_over_and_is_read_back() -> None:
    measure = rm.IA(of=rm.nDCG(gain="exp2")) @ 10
    assert str(measure) == "IA(of='nDCG(gain=exp2)')@10"
    assert rm.parse(str(measure)) == measure
    assert rm.parse("AP-IA") == rm.IA(of="AP")


WEIGHED = pl.DataFrame(
    [
        ("q", item, aspect, grade, {"1": 0.5, "2": 0.3, "3": 0.2}[aspect])
        for item, grades in {"a": {"2": 1}, "b": {"1": 1, "2": 1}, "c": {"3": 1}}.items()
        for aspect, grade in grades.items()
    ],
    schema=["query", "item", "intent", "relevance", "probability"],
    orient="row",
)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # The list a b gains 0.3, then 0.5 + 0.15; the ideal one has b 0.8, c 0.2 and a 0.15.
        ("alpha_DCG@2", 0.3 + 0.65 / LOG3),
        ("alpha_nDCG@2", (0.3 + 0.65 / LOG3) / (0.8 + 0.2 / LOG3)),
        ("ERR_IA@2", (0.3 + 0.65 / 2) / (1 + 0.5 / 2)),
        ("NRBP", 0.75 * (0.3 + 0.65 / 2)),
        ("SubtopicRecall@1", 0.3),
        ("D_nDCG@2", (0.3 + 0.8 / LOG3) / (0.8 + 0.3 / LOG3)),
        ("P_IA@2", 0.5 * 0.5 + 0.3 * 1),
        ("RR_IA", 0.5 * 0.5 + 0.3),
    ],
)
def test_aspects_weigh_what_a_column_says(measure: str, expected: float) -> None:
    result = rm.evaluate(WEIGHED, {"q": ["a", "b"]}, measure, columns={"aspect_weight": "probability"})
    assert result[measure] == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([0.3, 0.5, 0.4, 0.2], r"of aspect '2' of query 'q' is 0\.3 in one row and 0\.4 in another"),
        ([0.3, -0.5, 0.3, 0.2], r"is -0\.5 in row 1 \(from 0\); weights are numbers from 0"),
        ([0.3, None, 0.3, 0.2], r"is None in row 1"),
        (["a", "b", "c", "d"], r"not numbers"),
    ],
)
def test_weights_that_are_none_or_several_are_refused(weights: Any, said: str) -> None:
    table = WEIGHED.with_columns(probability=pl.Series(weights))
    with pytest.raises(rm.DataError, match=said):
        rm.evaluate(table, {"q": ["a"]}, "NRBP", columns={"aspect_weight": "probability"})


@pytest.mark.parametrize("measure", ["alpha_nDCG@3", "NRBP", "AP_IA", "SubtopicRecall@3"])
def test_an_explanation_says_what_each_item_adds(measure: str) -> None:
    rows = [(q, i, a, g) for q, own in QRELS.items() for i, x in own.items() for a, g in x.items()]
    table = pl.DataFrame(rows, schema=["query", "item", "aspect", "relevance"], orient="row")
    for qrels in (QRELS, table):
        found = rm.explain(qrels, RUN, measure, query="q1")
        assert found.value == rm.evaluate(QRELS, RUN, measure).query_values(measure)[0]
        assert found.rows["contribution"].fill_null(0).sum() == pytest.approx(found.value, rel=1e-14)
        assert found.rows["contribution"].to_list()[:2] == [pytest.approx(found.rows["running"][0]), 0]


Judged = dict[str, dict[str, dict[str, int]]]


def random_tables(seed: int) -> tuple[Judged, dict[str, dict[str, float]]]:
    draw = np.random.default_rng(seed)
    qrels: Judged = {}
    run: dict[str, dict[str, float]] = {}
    for query in range(40):
        items = [f"d{item}" for item in draw.choice(500, draw.integers(2, 30), replace=False)]
        aspects = [str(each) for each in range(draw.integers(1, 6))]
        judged = {
            item: {aspect: int(draw.integers(-1, 3)) for aspect in aspects if draw.random() < 0.6}
            for item in items
            if draw.random() < 0.7
        }
        qrels[f"q{query}"] = {item: grades for item, grades in judged.items() if grades} or {"x": {"0": 1}}
        found = draw.choice(items, draw.integers(1, len(items) + 1), replace=False)
        run[f"q{query}"] = {str(item): draw.integers(0, 9) / 4 for item in found}
    return qrels, run


def gains(order: list[str], judged: dict[str, dict[str, int]], alpha: float) -> list[float]:
    left: dict[str, float] = {}
    gained = []
    for item in order:
        relevant = [aspect for aspect, grade in judged.get(item, {}).items() if grade >= 1]
        gained.append(sum(left.get(aspect, 1.0) for aspect in relevant))
        left |= {aspect: left.get(aspect, 1.0) * (1 - alpha) for aspect in relevant}
    return gained


def best_order(judged: dict[str, dict[str, int]], alpha: float) -> list[str]:
    order: list[str] = []
    rest = set(judged)
    while rest:
        order.append(max(rest, key=lambda item: (gains([*order, item], judged, alpha)[-1], item)))
        rest.remove(order[-1])
    return order


@pytest.mark.parametrize(("seed", "alpha"), [(1, 0.5), (2, 0.25), (3, 1.0)])
def test_plain_python_says_the_same(seed: int, alpha: float) -> None:
    qrels, run = random_tables(seed)
    names = [f"alpha_nDCG(alpha={alpha})@5", f"nERR_IA(alpha={alpha})@5", f"nNRBP(alpha={alpha})"]
    names += ["SubtopicRecall@3", "nDCG_IA@5"]
    result = rm.evaluate(qrels, run, names)
    for number, query in enumerate(result.query_ids):
        judged = qrels[str(query)]
        scores = run[str(query)]
        order = sorted(scores, key=lambda item: (scores[item], item), reverse=True)
        aspects = {aspect for grades in judged.values() for aspect, grade in grades.items() if grade >= 1}
        if not aspects:
            continue
        own, best = gains(order, judged, alpha), gains(best_order(judged, alpha), judged, alpha)

        def share(weigh: Any, k: int, own: list[float] = own, best: list[float] = best) -> float:
            top, ideal = (
                sum(gain * weigh(rank) for rank, gain in enumerate(each[:k], 1)) for each in (own, best)
            )
            return top / ideal

        covered = {a for item in order[:3] for a, grade in judged.get(item, {}).items() if grade >= 1}
        each_aspect = [
            rm.evaluate(
                {"q": {item: grades[aspect] for item, grades in judged.items() if aspect in grades}},
                {"q": order},
                "nDCG@5",
            )["nDCG@5"]
            for aspect in aspects
        ]
        expected = [
            share(lambda rank: 1 / math.log2(rank + 1), 5),
            share(lambda rank: 1 / rank, 5),
            share(lambda rank: 0.5 ** (rank - 1), len(own) + len(best)),
            len(covered) / len(aspects),
            sum(each_aspect) / len(aspects),
        ]
        found = [float(result.query_values(name)[number]) for name in names]
        assert found == pytest.approx(expected, rel=1e-12), query


def test_ids_that_are_integers_and_scattered_rows_are_as_texts_in_order() -> None:
    qrels, run = random_tables(5)
    rows = [(q[1:], i[1:], a, g) for q, own in qrels.items() for i, x in own.items() for a, g in x.items()]
    kept = [row for row in rows if row[1]]
    frame = pl.DataFrame(kept, schema=["query", "item", "subtopic", "relevance"], orient="row")
    lists = [(q[1:], i[1:], s) for q, own in run.items() for i, s in own.items()]
    scores = pl.DataFrame(lists, schema=["query", "item", "score"], orient="row")
    measures = ["alpha_nDCG@5", "NRBP", "AP_IA", "nDCG@5"]
    padded = [
        each.with_columns(pl.col("item").str.zfill(3)) for each in (frame, scores)
    ]  # whose order is that of numbers
    whole = pl.col("query", "item").cast(pl.Int64)
    shuffled = frame.with_columns(whole).sample(fraction=1, shuffle=True, seed=1)
    found = rm.evaluate(shuffled, scores.with_columns(whole), measures)
    expected = rm.evaluate(*padded, measures)
    assert found.values == pytest.approx(expected.values, rel=1e-14)
