"""Measures of what is recommended, against tables worked out by hand and slow plain Python."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

RUN = {"u1": ["a", "b", "c"], "u2": ["a", "d"], "u3": ["e"]}
TRAIN = {"u1": ["a", "b"], "u2": ["a"], "x": ["a", "b", "d"], "y": ["d"]}  # a: 3 users, b: 2, d: 2 of 4
ITEMS = {
    "a": {"category": "x", "tags": ["m", "n"], "price": 1.0, "vector": [1.0, 0.0]},
    "b": {"category": "x", "tags": ["m"], "price": 2.0, "vector": [0.0, 1.0]},
    "c": {"category": "y", "tags": ["o"], "price": -1.0, "vector": [-1.0, 0.0]},
    "d": {"category": "z", "tags": ["m", "o"], "price": 5.0, "vector": [3.0, 4.0]},
    "e": {"category": "z", "tags": ["n"], "price": 0.0, "vector": [0.0, 0.0]},
}


def of_run(measure: str, **options: Any) -> float:
    known = {"items": ITEMS, "train": TRAIN, **options}
    return rm.evaluate(None, RUN, measure, **known)[measure]


def of_users(measure: str, **options: Any) -> list[float]:
    known = {"items": ITEMS, "train": TRAIN, **options}
    return [float(x) for x in rm.evaluate(None, RUN, measure, **known).query_values(measure)]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Down to rank 2 the items are recommended a 2, b 1, c 0, d 1, e 1 times.
        ("CatalogueCoverage@2", 4 / 5),
        ("CatalogueCoverage@1", 2 / 5),
        ("CatalogueCoverage", 1),
        ("AggregateDiversity@2", 4),
        ("AggregateDiversity", 5),
        ("ExposureGini@2", (-4 * 0 - 2 * 1 + 0 * 1 + 2 * 1 + 4 * 2) / (5 * 5)),
        ("ExposureEntropy@2", 0.4 * math.log2(2.5) + 3 * 0.2 * math.log2(5)),
        ("ExposureEntropy(log=e)@2", 0.4 * math.log(2.5) + 3 * 0.2 * math.log(5)),
        ("ExposureSimpson@2", 1 - 0.4**2 - 3 * 0.2**2),
        # By 1 / i they count a 2, b 1/2, d 1/2, e 1 and c 0.
        ("ExposureSimpson(discount=reciprocal)@2", 1 - (2**2 + 2 * 0.5**2 + 1) / 4**2),
        ("ExposureGini(discount=reciprocal)@2", (-2 * 0.5 + 0 * 0.5 + 2 * 1 + 4 * 2) / (5 * 4)),
        ("ExposureEntropy(discount=reciprocal)@2", 0.5 + 2 / 8 * 3 + 1 / 4 * 2),
        ("ExposureConcentration@2", 2 / 5),
        ("ExposureConcentration(share=0.21)@2", 3 / 5),
        ("ExposureConcentration(share=0.21,of=recommended)@2", 2 / 5),
        ("ExposureConcentration(discount=reciprocal)@2", 2 / 4),
        ("UserCoverage", 1),
        ("UserCoverage(least=2)", 2 / 3),
        ("UserCoverageAtN@3", 1 / 3),
        # u1 had items of 5/2 users, and gets ones of 5/3; u2 had 3 and gets 5/2.
        ("PopularityLift", (5 / 3 + 5 / 2) / (5 / 2 + 3) - 1),
        ("PopularityLift(by=interactions)@1", (3 + 3) / (5 / 2 + 3) - 1),
        # c, d and e are new to u1, all but a to u2, all to u3; of these c, d and e are recommended.
        # By head: a 0 of 1, others 3 of 11; a, b, d 1 of 6, c, e 2 of 6; by category 0 of 3, 1 of 3, 2 of 6.
        ("PopRSP", 1),
        ("PopRSP(head=0.4)", (1 / 12) / (1 / 4)),
        ("PopRSP(by=category)", math.sqrt(2) / 2),
        # u1 and u2 share a of two and two; u3 shares none.
        ("Personalisation@2", 1 - (1 / 2 + 0 + 0) / 3),
        ("Personalisation", 1 - (1 / math.sqrt(6)) / 3),
        ("Personalisation(denominator=cutoff)@3", 1 - (1 / 3) / 3),
        ("CatalogueCoverage(of=train)", 1),  # a, b and d
        ("CatalogueCoverage(of=train)@1", 1 / 3),
        ("CatalogueCoverage(of=train,unseen=count)", 5 / 3),
        # Those that are recommended at all, 1, 1, 1 and 2 times.
        ("ExposureGini(of=recommended)@2", (-3 * 1 - 1 * 1 + 1 * 1 + 3 * 2) / (4 * 5)),
        ("ExposureGini(denominator=others)@2", (-4 * 0 - 2 * 1 + 0 * 1 + 2 * 1 + 4 * 2) / (4 * 5)),
        ("ExposureEntropy(denominator=recommended)@2", (0.4 * math.log2(2.5) + 0.6 * math.log2(5)) / 4),
    ],
)
def test_measures_of_the_whole_run(measure: str, expected: float) -> None:
    assert of_run(measure) == pytest.approx(expected, rel=1e-14)


def test_a_share_of_a_count_is_no_more_than_it_is() -> None:
    """0.07 · 100 is 7.000000000000001 in floating point, and 7 items are 7 % of 100."""
    items = [f"i{n:02}" for n in range(100)]
    train = {f"u{n}": items[: n + 1] for n in range(100)}  # i00 is the most popular, then i01
    run = {"u": items[:8]}
    measures = ["HeadShare(head=0.07)", "ExposureConcentration(share=0.07)"]
    found = rm.evaluate(None, run, measures, items=items, train=train)
    assert list(found.values.values()) == [7 / 8, 7 / 8]


def test_what_nobody_had_is_not_popular() -> None:
    items, train = list("abcdefghij"), {"u1": ["a"], "u2": ["a"]}
    measures = ["APLT(head=0.3)", "HeadShare(head=0.3)", "PopRSP(head=0.3)"]
    found = rm.evaluate(None, {"u3": ["a", "b", "c"]}, measures, items=items, train=train)
    # a is recommended to all who did not have it, of the nine others two.
    assert list(found.values.values()) == pytest.approx([2 / 3, 1 / 3, (1 - 2 / 9) / (1 + 2 / 9)])


@pytest.mark.parametrize("q", [0.5, 0.01])
def test_vendi_scores_of_small_orders_are_of_what_is_there(q: float) -> None:
    """Of six items of three categories three eigenvalues are 0, of which rounding leaves a little."""
    items = {item: {"category": of} for item, of in zip("abcdef", "xxyyzx", strict=True)}
    found = rm.evaluate(None, {"u": list(items)}, f"VendiScore(q={q})", items=items)
    by_hand = ((1 / 2) ** q + (1 / 3) ** q + (1 / 6) ** q) ** (1 / (1 - q))
    assert found[f"VendiScore(q={q})"] == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize(
    ("q", "by_hand"),
    [
        # Near 1 it is the entropy, ½ ln 2 + ⅓ ln 3 + ⅙ ln 6; of great orders 1 / max λ, which is ½.
        ("1.0000000001", math.sqrt(2) * 3 ** (1 / 3) * 6 ** (1 / 6)),
        ("0.999999999999", math.sqrt(2) * 3 ** (1 / 3) * 6 ** (1 / 6)),
        ("1e12", 2),
    ],
)
def test_vendi_scores_of_orders_near_their_limits(q: str, by_hand: float) -> None:
    items = {item: {"category": of} for item, of in zip("abcdef", "xxyyzx", strict=True)}
    found = rm.evaluate(None, {"u": list(items)}, f"VendiScore(q={q})", items=items)
    assert list(found.values.values()) == pytest.approx([by_hand], rel=1e-9)


def test_a_primitive_list_can_be_longer_than_there_are_items() -> None:
    for measure in ("Unexpectedness(size=99999999999999999999)", f"Unexpectedness(size={2**63},before=skip)"):
        found = rm.evaluate(None, {"u": ["a", "z"]}, measure, train={"v": ["a", "b"]})
        assert list(found.values.values()) == [1 / 2]


LOG = math.log2


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("Novelty@2", [(LOG(4 / 3) + LOG(2)) / 2, (LOG(4 / 3) + LOG(2)) / 2, 2]),
        ("Novelty", [(LOG(4 / 3) + LOG(2) + 2) / 3, (LOG(4 / 3) + LOG(2)) / 2, 2]),
        ("Novelty(unseen=skip)", [(LOG(4 / 3) + LOG(2)) / 2, (LOG(4 / 3) + LOG(2)) / 2, math.nan]),
        ("Novelty(by=interactions)@1", [LOG(7 / 3), LOG(7 / 3), LOG(7)]),
        ("Novelty(unseen=zero)", [(LOG(4 / 3) + LOG(2)) / 3, (LOG(4 / 3) + LOG(2)) / 2, 0]),
        ("Novelty(scale=share)", [(LOG(4 / 3) + 1 + 2) / 6, (LOG(4 / 3) + 1) / 4, 1]),
        ("Novelty(denominator=cutoff)@4", [(LOG(4 / 3) + 3) / 4, (LOG(4 / 3) + 1) / 4, 2 / 4]),
        ("Surprisal@4", [(LOG(4 / 3) + 3) / 8, (LOG(4 / 3) + 1) / 8, 1 / 4]),
        ("Popularity", [5 / 3, 5 / 2, 0]),
        ("Popularity(unseen=skip)", [5 / 2, 5 / 2, math.nan]),
        ("Popularity(unseen=skip,of=median)", [5 / 2, 5 / 2, math.nan]),
        ("Popularity(scale=max)@2", [5 / 6, 5 / 6, 0]),
        # b and d are the first and the second of three.
        ("Popularity(scale=rank)", [(1 + 1 / 2) / 3, (1 + 1 / 2) / 2, 0]),
        ("Popularity(of=median)", [2, 2.5, 0]),
        ("Popularity(scale=share)@1", [3 / 4, 3 / 4, 0]),
        ("Popularity(by=interactions,scale=share)@1", [3 / 7, 3 / 7, 0]),
        # A fifth of five items is one, a; two fifths are two, and d is as popular as the second.
        ("APLT", [2 / 3, 1 / 2, 1]),
        ("APLT(head=0.4)", [1 / 3, 0, 1]),
        # 3 of 7 interactions are a's; for 5 of 7 it takes b or d, which are alike.
        ("APLT(head=0.42,of=interactions)", [2 / 3, 1 / 2, 1]),
        ("APLT(head=0.7,of=interactions)", [1 / 3, 0, 1]),
        ("EPC", [(1 / 4 + 1 / 2 + 1) / 3, (1 / 4 + 1 / 2) / 2, 1]),
        ("EPC(discount=reciprocal)@2", [(1 / 4 + 1 / 4) / 1.5, (1 / 4 + 1 / 4) / 1.5, 1]),
        ("EPC(discount=0.5)", [(1 / 4 + 1 / 4 + 1 / 4) / 1.75, (1 / 4 + 1 / 4) / 1.5, 1]),
        ("EPC(discount=log2)@2", [(1 / 4 + 1 / 2 / LOG(3)) / (1 + 1 / LOG(3))] * 2 + [1]),
        ("EPC(by=interactions)", [(4 / 7 + 5 / 7 + 1) / 3, (4 / 7 + 5 / 7) / 2, 1]),
        ("EPC(by=max)", [(0 + 1 / 3 + 1) / 3, (0 + 1 / 3) / 2, 1]),
        ("HeadShare", [1 / 3, 1 / 2, 0]),
        ("HeadShare(head=0.4)", [2 / 3, 1, 0]),
        ("HeadShare(head=0.42,of=interactions)", [1 / 3, 1 / 2, 0]),
        ("APLT(scale=count)", [2, 1, 1]),
        # u1 had a and b, of 5/2 users each, u2 had a.
        ("UserPopularityLift", [(5 / 3) / (5 / 2) - 1, (5 / 2) / 3 - 1, math.nan]),
        ("UserPopularityLift@1", [3 / (5 / 2) - 1, 0, math.nan]),
        # The most popular item is a, the next two are b and d.
        ("Unexpectedness", [1 / 3, 0, 1]),
        ("Unexpectedness@1", [0, 0, 1]),
        ("Unexpectedness(size=1)", [2 / 3, 1 / 2, 1]),
        ("Unexpectedness(size=1,discount=reciprocal)", [(1 / 2 + 1 / 3) / (11 / 6), 1 / 3, 1]),
        ("Unexpectedness(size=5)", [1 / 3, 0, 1]),
        # Without what the user had it is d for u1, b and d for u2, a for u3.
        ("Unexpectedness(size=1,before=skip)", [1, 1 / 2, 1]),
        # Of 7 interactions a has 3, b and d 2.
        ("EFD", [(LOG(7 / 3) + LOG(7 / 2) + LOG(7)) / 3, (LOG(7 / 3) + LOG(7 / 2)) / 2, LOG(7)]),
        ("EFD(by=users,discount=0.5)@2", [(LOG(4 / 3) + LOG(2) / 2) / 1.5] * 2 + [2]),
        ("NotInTrain", [1 / 3, 1 / 2, 1]),
        ("NotInTrain@1", [0, 0, 1]),
        ("CategoryCoverage", [2 / 3, 2 / 3, 1 / 3]),
        ("CategoryCoverage(by=tags)", [1, 1, 1 / 3]),
        ("CategoryCoverage(denominator=cutoff)@4", [2 / 4, 2 / 4, 1 / 4]),
        ("CategoryCoverage(denominator=cutoff)", [2 / 3, 2 / 2, 1]),
        ("CategoryEntropy", [LOG(3) - 2 / 3, 1, 0]),
        # u1: m ½ + 1, n ½, o 1 of 3; u2: m 1, n ½, o ½ of 2.
        ("CategoryEntropy(by=tags)", [0.5 + LOG(6) / 6 + LOG(3) / 3, 1.5, 0]),
        # Pairs ab, ac, bc and ad.
        ("IntraListDiversity", [2 / 3, 1, math.nan]),
        ("IntraListDiversity@2", [0, 1, math.nan]),
        ("IntraListDiversity(by=tags)", [(1 - 1 / math.sqrt(2) + 2) / 3, 1 / 2, math.nan]),
        ("IntraListDiversity(by=tags,distance=jaccard)", [(1 / 2 + 2) / 3, 2 / 3, math.nan]),
        ("IntraListDiversity(by=tags,distance=hamming)", [(1 / 3 + 1 + 2 / 3) / 3, 2 / 3, math.nan]),
        ("IntraListDiversity(by=tags,distance=differences)", [(1 + 3 + 2) / 3, 2, math.nan]),
        ("IntraListDiversity(by=vector,distance=differences)", [(2 + 1 + 2) / 3, 2, math.nan]),
        ("IntraListDiversity(by=vector,distance=hamming,single=zero)", [5 / 6, 1, 0]),
        ("IntraListDiversity(denominator=items,single=zero)", [2 / 3, 1 / 2, 0]),
        # u1 and x had a and b, x a and d; nobody had c.
        (
            "IntraListDiversity(distance=cooccurrence)",
            [(1 - 2 / math.sqrt(6) + 2) / 3, 1 - 1 / math.sqrt(6), math.nan],
        ),
        ("IntraListDiversity(by=vector)", [(1 + 2 + 1) / 3, 0.4, math.nan]),
        # The range of prices is 6.
        (
            "IntraListDiversity(by=[category,price],distance=gower)",
            [(0 + 1 / 6 + 1 + 2 / 6 + 1 + 3 / 6) / 2 / 3, (1 + 4 / 6) / 2, math.nan],
        ),
        (
            "IntraListDiversity(by=[tags,vector])",
            [((1 - 1 / math.sqrt(2) + 2) / 3 + 4 / 3) / 2, (1 / 2 + 0.4) / 2, math.nan],
        ),
        ("EILD", [2 / 3, 1, math.nan]),
        # By vectors ab is 1, ac 2, bc 1; from a c is seen half as likely as b, from c both are.
        ("EILD(by=vector,discount=0.5)", [(4 / 3 + 1 / 2 + 3 / 2 / 4) / 1.75, 0.4, math.nan]),
        ("EPD", [1 / 3, 1 / 2, math.nan]),
        ("EPD(by=vector)", [(1 / 2 + 1 / 2 + 3 / 2) / 3, 0.2, math.nan]),
        ("EPD(by=vector,of=nearest)", [1 / 3, 0.2, math.nan]),
        ("EPD(by=vector,discount=reciprocal)@2", [1 / 2, 0.4 / 3, math.nan]),
        ("EPD(by=tags,distance=jaccard)", [1 / 2, 1 / 3, math.nan]),
        (
            "EPD(distance=cooccurrence)",
            [(2 - 2 / math.sqrt(6)) / 3, (1 - 1 / math.sqrt(6)) / 2, math.nan],
        ),
        # Of two that are alike and one that is not λ is ⅔ and ⅓.
        ("VendiScore", [math.exp(math.log(3) - math.log(4) / 3), 2, 1]),
        ("VendiScore(q=2)", [9 / 5, 2, 1]),
        ("VendiScore(q=inf)", [3 / 2, 2, 1]),
        ("VendiScore(by=vector,q=inf)@2", [2, 1 / 0.8, 1]),
        # u1 had a and b, both x; u2 had a; u3 nothing.
        ("Miscalibration", [-math.log(0.99 * 2 / 3 + 0.01), -math.log(0.99 / 2 + 0.01), math.nan]),
        ("Miscalibration(alpha=0.5)@2", [0, -math.log(0.75), math.nan]),
        ("Miscalibration(log=2)", [-LOG(0.99 * 2 / 3 + 0.01), -LOG(0.99 / 2 + 0.01), math.nan]),
        # u1 has x ⅔ and y ⅓ beside x 1: the middle is 5/6 and 1/6; u2 x ½ and z ½: 3/4 and 1/4.
        (
            "Miscalibration(divergence=js,log=2)",
            [
                (LOG(6 / 5) + 2 / 3 * LOG(4 / 5) + 1 / 3) / 2,
                (LOG(4 / 3) + 1 / 2 * LOG(2 / 3) + 1 / 2) / 2,
                math.nan,
            ],
        ),
        ("Miscalibration(divergence=js)@1", [0, 0, math.nan]),
        (
            "CalibrationHellinger",
            [math.sqrt(1 - math.sqrt(2 / 3)), math.sqrt(1 - math.sqrt(1 / 2)), math.nan],
        ),
        (
            "Miscalibration(divergence=hellinger,discount=reciprocal)",
            [math.sqrt(1 - math.sqrt(9 / 11)), math.sqrt(1 - math.sqrt(2 / 3)), math.nan],
        ),
        ("CategoryEntropy(discount=0.5)@2", [0, LOG(3) - 2 / 3, 0]),
    ],
)
def test_measures_of_each_user(measure: str, expected: list[float]) -> None:
    assert of_users(measure) == pytest.approx(expected, rel=1e-14, abs=1e-15, nan_ok=True)


QRELS = {"u1": {"a": 1, "c": 2, "e": 2}, "u2": {"b": 2, "d": 1}, "u3": {"e": 0}}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("EPC(gain=binary)", [(1 / 4 + 1) / 3, (1 / 2) / 2, 0]),
        ("EPC(gain=binary,rel=2)", [1 / 3, 0, 0]),
        ("EPC(gain=exp2,max_grade=2)", [(1 / 4 * 1 / 4 + 3 / 4) / 3, 1 / 4 * 1 / 2 / 2, 0]),
        ("Serendipity", [1 / 3, 0, 0]),
        ("Serendipity(size=1)", [1 / 3, 1 / 2, 0]),
        ("Serendipity(size=1,gain=exp2,max_grade=2)", [3 / 4 / 3, 1 / 4 / 2, 0]),
        ("Serendipity(size=1,gain=none)", [2 / 3, 1 / 2, 1]),
        ("Serendipity(size=1,denominator=cutoff)@4", [1 / 4, 1 / 4, 0]),
        # Of 5 items a has rank 1, b and d have rank 2, c and e none: c at rank 3 has 3/5, d at rank 2 has 0.
        ("Serendipity(against=ranks)", [3 / 5 / 3, 0, 0]),
        ("Serendipity(against=ranks,rel=0)", [3 / 5 / 3, 0, 1]),
        ("EPD(gain=binary)", [1 / 3, 1 / 2, math.nan]),
        ("EILD(gain=binary)", [2 / 3, 0, math.nan]),
        ("EILD(gain=exp2,max_grade=2)", [(1 / 4 + 3 / 4) / 3, 0, math.nan]),
        ("EFD(gain=binary,rel=2)", [LOG(7) / 3, 0, 0]),
        ("EPC(gain=binary,discount=reciprocal)", [(1 / 4 + 1 / 3) / (11 / 6), 1 / 2 * 1 / 2 / 1.5, 0]),
    ],
)
def test_measures_of_each_user_that_look_at_grades(measure: str, expected: list[float]) -> None:
    result = rm.evaluate(QRELS, RUN, measure, items=ITEMS, train=TRAIN)
    assert result.query_values(measure) == pytest.approx(expected, rel=1e-14, abs=1e-15, nan_ok=True)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Relevant and new are c and e for u1, b and d for u2; c and d are found.
        ("PopREO", 0),
        ("PopREO(head=0.4)", 0),
        ("PopREO(by=category)", math.sqrt(1 / 6) / (1 / 2)),
        ("PopREO(by=category,rel=2)", math.sqrt(2)),
        ("PopREO(by=category)@1", math.nan),
        ("UserCoverage", 3 / 4),
    ],
)
def test_measures_of_the_whole_run_that_look_at_judgements(measure: str, expected: float) -> None:
    qrels = {**QRELS, "nobody": {"b": 1}}
    found = rm.evaluate(qrels, RUN, measure, items=ITEMS, train=TRAIN)[measure]
    assert found == pytest.approx(expected, rel=1e-14, nan_ok=True)


def test_serendipity_by_ranks_is_that_of_the_example_in_rectools() -> None:
    run = {"u1": ["i1", "i2"], "u2": ["i2", "i3"], "u3": ["i3"], "u4": ["i2", "i3"]}
    qrels = {"u1": ["i1", "i2"], "u2": ["i2", "i3"], "u3": ["i2"], "u4": ["i2"]}
    train = {"u1": ["i1", "i2"], "u2": ["i1", "i2"], "u3": ["i1"]}
    measures = [f"Serendipity(against=ranks,denominator=cutoff)@{k}" for k in (1, 2)]
    result = rm.evaluate(qrels, run, measures, items=["i1", "i2", "i3", "i4"], train=train)
    assert result.query_values(measures[0]) == pytest.approx([0, 0.25, 0, 0.25])
    assert result.query_values(measures[1]) == pytest.approx([0, 0.5, 0, 0.125])


def test_measures_that_look_at_grades_need_judgements_and_their_highest() -> None:
    with pytest.raises(rm.UsageError, match=r"EPC\(gain=binary\) needs judgements: give qrels"):
        of_run("EPC(gain=binary)")
    with pytest.raises(rm.DataError, match="EPC: grade 2 is above max_grade=1; set max_grade=2"):
        rm.evaluate(QRELS, RUN, "EPC(gain=exp2,max_grade=1)", train=TRAIN)


def test_a_discount_makes_the_order_of_equal_scores_matter() -> None:
    run = {"u1": {"a": 1.0, "b": 1.0, "c": 0.0}}
    measures = ["EPC@2", "EPC(discount=log2)@2"]
    counts = rm.evaluate(None, run, measures, train=TRAIN).counts.measures
    assert [counts[measure].tied for measure in measures] == [0, 1]


def test_the_mean_is_of_the_users_that_have_a_value() -> None:
    result = rm.evaluate(None, RUN, "IntraListDiversity", items=ITEMS, no_relevant="zero")
    assert result["IntraListDiversity"] == pytest.approx((2 / 3 + 1) / 2)
    assert result.counts.measures["IntraListDiversity"].averaged == 2
    assert "fewer than two items in 1 query (left out)" in str(result)


def test_a_query_without_results_has_no_value_and_is_no_list() -> None:
    qrels = {"u1": {"a": 1}, "nobody": {"b": 1}}
    result = rm.evaluate(qrels, RUN, ["NotInTrain", "CatalogueCoverage", "RR"], items=ITEMS, train=TRAIN)
    assert result["NotInTrain"] == pytest.approx(1 / 3)
    assert result["CatalogueCoverage"] == 3 / 5  # of u1 alone: the others are not judged
    assert result["RR"] == 1 / 2


def random_tables(ids: Any, seed: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    draw = np.random.default_rng(seed)
    pairs = [(u, i) for u in range(60) for i in draw.choice(80, draw.integers(1, 40), replace=False)]
    run = pl.DataFrame(
        {
            "query": [ids(u) for u, _ in pairs],
            "item": [ids(i) for _, i in pairs],
            "score": draw.integers(0, 6, len(pairs)) / 4,
        }
    )
    judged = [
        (ids(u), ids(i), int(draw.integers(0, 3)))
        for u in range(55)
        for i in draw.choice(80, 5, replace=False)
    ]
    qrels = pl.DataFrame(judged, schema=["query", "item", "relevance"], orient="row")
    had = [(ids(u), ids(i)) for u in range(20, 90) for i in draw.choice(70, 7)]
    return (
        qrels,
        run.sample(fraction=1, shuffle=True, seed=1),
        pl.DataFrame(had, schema=["query", "item"], orient="row"),
    )


def tops(run: pl.DataFrame, k: int) -> dict[Any, list[Any]]:
    ordered = run.sort("score", "item", descending=True).group_by("query", maintain_order=True).head(k)
    return {query: own["item"].to_list() for (query,), own in ordered.group_by("query", maintain_order=True)}


@pytest.mark.parametrize("ids", [int, lambda number: f"id{number:03}"], ids=["integers", "texts"])
@pytest.mark.parametrize("closed", [True, False])
def test_scattered_rows_with_ties_are_as_plain_python_says(ids: Any, closed: bool) -> None:
    qrels, run, train = random_tables(ids, 3)
    known = rm.catalogue([ids(i) for i in range(100)], train=train) if closed else rm.catalogue(train=train)
    measures = ["NotInTrain@7", "Novelty@7", "AggregateDiversity@7", "Personalisation@7", "nDCG@3"]
    found = rm.evaluate(qrels, run, measures, items=known)
    judged = qrels["query"].unique(maintain_order=True).to_list()
    lists = {u: items for u, items in tops(run, 7).items() if u in judged}
    users = Counter(item for _, item in set(train.rows()))
    had = set(train.rows())
    everybody = train["query"].n_unique()
    new = [sum((u, i) not in had for i in lists[u]) / len(lists[u]) for u in judged]
    novel = [sum(math.log2(everybody / max(users[i], 1)) for i in lists[u]) / len(lists[u]) for u in judged]
    assert found.query_values("NotInTrain@7") == pytest.approx(new, rel=1e-12)
    assert found.query_values("Novelty@7") == pytest.approx(novel, rel=1e-12)
    assert found["AggregateDiversity@7"] == len(set(itertools.chain(*lists.values())))
    alike = [
        len({*a} & {*b}) / math.sqrt(len(a) * len(b)) for a, b in itertools.combinations(lists.values(), 2)
    ]
    assert found["Personalisation@7"] == pytest.approx(1 - sum(alike) / len(alike), rel=1e-12)
    again = rm.evaluate(qrels, run, measures, items=known, threads=1)
    assert again.values == found.values


@pytest.mark.parametrize("before", ["keep", "skip"])
def test_primitive_lists_are_as_plain_python_says(before: str) -> None:
    qrels, run, train = random_tables(int, 5)
    measures = [f"Unexpectedness(before={before})@5", f"Serendipity(before={before},size=9)@5"]
    found = rm.evaluate(qrels, run, measures, items=rm.catalogue(list(range(100)), train=train))
    had, grades = set(train.rows()), {(u, i): grade for u, i, grade in qrels.rows()}
    users = Counter(item for _, item in had)
    expected: list[list[float]] = [[], []]
    for u, items in ((u, tops(run, 5)[u]) for u in qrels["query"].unique(maintain_order=True)):
        others = sorted((users[i] for i in range(100) if before == "keep" or (u, i) not in had), reverse=True)
        for size, values in zip((5, 9), expected, strict=True):
            new = [
                i
                for i in items
                if users[i] < max(others[size - 1], 1) or (before == "skip" and (u, i) in had)
            ]
            hits = [i for i in new if size == 5 or grades.get((u, i), 0) >= 1]
            values.append(len(hits) / len(items))
    for measure, values in zip(measures, expected, strict=True):
        assert found.query_values(measure) == pytest.approx(values, rel=1e-14)


def test_popularity_of_the_whole_run_is_as_plain_python_says() -> None:
    qrels, run, train = random_tables(int, 13)
    measures = ["PopRSP@6", "PopREO@6", "PopularityLift@6"]
    found = rm.evaluate(qrels, run, measures, items=rm.catalogue(list(range(100)), train=train))
    had, grades = set(train.rows()), {(u, i): grade for u, i, grade in qrels.rows()}
    users = Counter(item for _, item in had)
    least = sorted((users[i] for i in range(100)), reverse=True)[19]
    lists = {u: tops(run, 6)[u] for u in qrels["query"].unique(maintain_order=True)}
    chances, recalls = [], []
    for group in ({i for i in range(100) if (users[i] >= least) == head} for head in (True, False)):
        new = {(u, i) for u in lists for i in group if (u, i) not in had}
        good = {(u, i) for u, i in new if grades.get((u, i), 0) >= 1}
        shown = {(u, i) for u, items in lists.items() for i in items}
        chances.append(len(shown & new) / len(new))
        recalls.append(len(shown & good) / len(good))
    assert found["PopRSP@6"] == pytest.approx(np.std(chances) / np.mean(chances), rel=1e-12)
    assert found["PopREO@6"] == pytest.approx(np.std(recalls) / np.mean(recalls), rel=1e-12)
    profiles = {u: [users[i] for v, i in had if u == v] for u in lists}
    both = [u for u in lists if profiles[u]]
    of_lists = np.mean([np.mean([users[i] for i in lists[u]]) for u in both])
    of_profiles = np.mean([np.mean(profiles[u]) for u in both])
    assert found["PopularityLift@6"] == pytest.approx(of_lists / of_profiles - 1, rel=1e-12)


def cosine(x: list[float], y: list[float]) -> float:
    product = sum(a * b for a, b in zip(x, y, strict=True))
    return 1 - product / math.hypot(*x) / math.hypot(*y)


@pytest.mark.parametrize("name", ["IntraListDiversity@7", "EPD@7", "EILD(discount=0.5)@7", "VendiScore@7"])
def test_a_distance_of_ones_own_gives_what_the_same_distance_gives(name: str) -> None:
    qrels, run, train = random_tables(int, 7)
    draw = np.random.default_rng(8)
    items = {i: {"vector": (draw.random(3) + 0.01).tolist()} for i in range(100)}
    known = rm.catalogue(pl.DataFrame([{"item": i, **own} for i, own in items.items()]), train=train)
    measure = rm.parse(name)(by="vector")
    found = rm.evaluate(qrels, run, [measure, own := measure(distance=cosine)], items=known)
    assert found.query_values(own) == pytest.approx(found.query_values(measure), rel=1e-9, nan_ok=True)
    several = rm.evaluate(qrels, run, [same := measure(by=["vector", "vector"])], items=known)
    assert several.query_values(same) == pytest.approx(found.query_values(measure), rel=1e-9, nan_ok=True)


def test_expected_distances_are_as_plain_python_says() -> None:
    qrels, run, train = random_tables(int, 11)
    tags = [{f"t{i % 7}", f"t{i % 4}"} for i in range(100)]
    items = rm.catalogue(
        pl.DataFrame({"item": range(100), "tags": [sorted(each) for each in tags]}), train=train
    )
    known = "by=tags,distance=jaccard,gain=binary,discount=log2"
    measures = [f"EPD({known})@6", f"EILD({known})@6"]
    found = rm.evaluate(qrels, run, measures, items=items)
    grades = {(u, i): grade for u, i, grade in qrels.rows()}
    had = set(train.rows())

    def far(i: int, j: int) -> float:
        return 1 - len(tags[i] & tags[j]) / len(tags[i] | tags[j])

    def seen(rank: int) -> float:
        return 1 / math.log2(rank + 1)

    expected: list[list[float]] = [[], []]
    for u in qrels["query"].unique(maintain_order=True):
        top = list(enumerate(tops(run, 6)[u], 1))
        good = {i: float(grades.get((u, i), 0) >= 1) for _, i in top}
        whole = sum(seen(rank) for rank, _ in top)
        profile = [i for v, i in had if v == u]
        of_profile = [
            seen(r) * good[i] * sum(far(i, j) for j in profile) / len(profile or [0]) for r, i in top
        ]
        expected[0].append(sum(of_profile) / whole if profile else math.nan)
        of_list = 0.0
        for r, i in top:
            others = [(seen(max(1, s - r)) * good[j], far(i, j)) for s, j in top if s != r]
            weight = sum(w for w, _ in others)
            of_list += seen(r) * good[i] * sum(w * d for w, d in others) / weight if weight else 0
        expected[1].append(of_list / whole if len(top) > 1 else math.nan)
    for measure, values in zip(measures, expected, strict=True):
        assert found.query_values(measure) == pytest.approx(values, rel=1e-12, nan_ok=True)


def test_a_distance_of_ones_own_is_told_what_it_does_wrong() -> None:
    with pytest.raises(rm.UsageError, match=r"distance: the function 'cosine' raises TypeError for"):
        of_run(rm.IntraListDiversity(by="price", distance=cosine))  # type: ignore[arg-type]
    with pytest.raises(rm.MeasureError, match=r"distance: the function gives nan for \d\.0 and \d\.0"):
        of_run(rm.IntraListDiversity(by="price", distance=lambda x, y: x * y * math.nan))  # type: ignore[arg-type]
    apart = rm.IntraListDiversity(by=["price", "category"], distance=lambda x, y: abs(x[0] - y[0]))
    result = rm.evaluate(None, RUN, [apart], items=ITEMS)
    assert result.query_values(apart) == pytest.approx([2, 4, math.nan], nan_ok=True)


def test_integers_are_numbers_to_gower_and_codes_of_categories_to_other_distances() -> None:
    run, prices = {"u": ["a", "b", "c"]}, [1, 2, 5]
    by_distance = {}
    for dtype in (pl.Int64, pl.UInt8, pl.Float64):
        items = pl.DataFrame({"item": ["a", "b", "c"], "price": pl.Series(prices, dtype=dtype)})
        for distance in ("gower", "hamming", "jaccard"):
            measure = f"ILD(by=price,distance={distance})"
            if (dtype, distance) == (pl.Float64, "jaccard"):
                with pytest.raises(rm.ColumnError, match=r"texts or integers;.*choose distance=gower"):
                    rm.evaluate(None, run, measure, items=items)
            else:
                by_distance[dtype, distance] = rm.evaluate(None, run, measure, items=items)[measure]
    # Of a range of 4 they are 1, 3 and 4 apart; of 3 codes any two differ in 2; one number is another or not.
    assert {by_distance[dtype, "gower"] for dtype in (pl.Int64, pl.UInt8, pl.Float64)} == {8 / 4 / 3}
    assert by_distance[pl.Int64, "jaccard"] == 1
    assert by_distance[pl.Int64, "hamming"] == pytest.approx(2 / 3)
    assert by_distance[pl.Float64, "hamming"] == 1
    many = pl.DataFrame({"item": range(2_000), "price": range(2_000)})
    far = rm.evaluate(None, {"u": [0, 1_999]}, "ILD(by=price,distance=gower)", items=many)
    assert list(far.values.values()) == [1]


@pytest.mark.parametrize("measure", ["ILD(by=price)", "VendiScore(by=[category,price])", "ILD(by=one)"])
def test_the_cosine_of_one_number_each_is_refused(measure: str) -> None:
    items = {
        "a": {"category": "x", "price": 1.5, "one": [1.0]},
        "b": {"category": "y", "price": 2.5, "one": [2.0]},
    }
    with pytest.raises(rm.ColumnError, match=r"has one number each.*choose distance=gower"):
        rm.evaluate(None, {"u": ["a", "b"]}, measure, items=items)


def test_vectors_of_zeros_are_as_far_as_can_be_and_are_told() -> None:
    vectors = {"a": [0.0, 0.0], "b": [0.0, 0.0], "c": [1.0, 0.0]}
    items = {item: {"vector": vector} for item, vector in vectors.items()}
    run = {"u": ["a", "b", "c"]}
    found = rm.evaluate(None, run, ["ILD(by=vector)", "VendiScore(by=vector)"], items=items)
    assert found["IntraListDiversity(by=vector)"] == 1
    assert str(found).count("2 of 3 items have nothing but zeros in 'vector'") == 1
    assert "zeros" not in str(rm.evaluate(None, run, "ILD(by=vector,distance=gower)", items=items))


@pytest.mark.parametrize("measure", ["IntraListDiversity", "EPD", "CategoryEntropy", "Miscalibration"])
def test_items_of_which_it_is_not_known_what_they_are_like_are_refused(measure: str) -> None:
    known = rm.catalogue({i: ITEMS[i] for i in "abd"}, train=TRAIN, closed=False)
    with pytest.raises(rm.DataError, match=r"2 of the 6 items at the top of lists are not in the table"):
        rm.evaluate(None, RUN, measure, items=known)
    had = {"u1": ["c", "a"], "u2": ["c"]}  # what is not known of profiles is left out
    lists = {"u1": ["b", "d"], "u2": ["a", "b"]}
    result = rm.evaluate(
        None, lists, measure, items=rm.catalogue({i: ITEMS[i] for i in "abd"}, train=had, closed=False)
    )
    assert math.isfinite(result[measure])


def test_it_is_told_in_how_many_lists_equal_scores_decide_what_is_seen() -> None:
    run = {"u1": {"a": 3.0, "b": 2.0, "c": 2.0}, "u2": {"a": 1.0, "b": 1.0, "c": 0.0}, "u3": {"a": 1.0}}
    measures = ["AggregateDiversity@1", "AggregateDiversity@2", "AggregateDiversity@3", "AggregateDiversity"]
    counts = rm.evaluate(None, run, measures).counts.measures
    assert [counts[measure].tied for measure in measures] == [1, 1, 0, 0]


@pytest.mark.parametrize("measure", ["Novelty@2", "Coverage@2"])
def test_there_is_no_mean_over_the_orders_of_equal_scores(measure: str) -> None:
    qrels, run = {"u1": {"a": 1}}, {"u1": {"a": 1.0, "b": 1.0, "c": 1.0}}
    known: dict[str, Any] = {"items": ["a", "b", "c"], "train": {"u1": ["a"]}}
    with pytest.raises(rm.MeasureError, match=r"@2 looks at items, and has no closed form of its mean"):
        rm.evaluate(qrels, run, ["AP", measure], ties="expected", **known)
    with pytest.raises(rm.MeasureError, match="no closed form"):
        rm.Evaluator(measure, ties="expected", **known)
    if measure == "Novelty@2":
        with pytest.raises(rm.MeasureError, match="no closed form"):
            rm.explain(qrels, run, measure, query="u1", ties="expected", **known)


def test_ids_that_are_integers_in_one_table_and_texts_in_another_meet() -> None:
    run = pl.DataFrame({"query": [1, 1], "item": ["7", "8"], "score": [2.0, 1.0]})
    train = pl.DataFrame({"query": ["1", "2"], "item": ["7", "9"]})
    assert rm.evaluate(None, run, "NotInTrain", train=train)["NotInTrain"] == 1 / 2
    numbers = run.with_columns(pl.col("item").cast(pl.Int64))
    assert rm.evaluate(None, numbers, "NotInTrain", train=train)["NotInTrain"] == 1 / 2


def both_results(measures: Any, **options: Any) -> rm.results.ListResult:
    run = {f"u{i}": ["a", "b", "c", "d", "e"][i % 3 : i % 3 + 3] for i in range(12)}
    return rm.evaluate(None, run, measures, items=ITEMS, train=TRAIN, **options)


def test_intervals_slices_weights_and_comparisons_of_measures_of_each_user_work_as_of_others() -> None:
    measures = ["Novelty", "Popularity(mean=median)", "NotInTrain"]
    old = both_results(measures, intervals=True, by=lambda query: query[-1] in "02468")
    values = old.query_values("Novelty")
    low, high = old.intervals["Novelty"].low, old.intervals["Novelty"].high
    assert low < values.mean() < high
    assert old["Novelty"] == pytest.approx(values.mean())
    of_slices = {row.slice: row.value for row in old.slices.rows if row.measure == "Novelty"}
    even = [int(query[1:]) % 2 == 0 for query in old.query_ids]
    assert sorted(of_slices.values()) == pytest.approx(
        sorted([values[even].mean(), values[np.invert(even)].mean()])
    )
    weighed = both_results(["Novelty"], weights={f"u{i}": float(i == 3) for i in range(12)})
    assert weighed["Novelty"] == values[old.query_ids.index("u3")]
    compared = rm.compare_results({"old": old, "new": both_results(["Novelty"])}, "Novelty")
    assert "Novelty" in str(compared)


@pytest.mark.parametrize(
    "what",
    [
        lambda result: result.query_values("CatalogueCoverage@2"),
        lambda result: result.with_intervals("studentised"),
        lambda result: result.with_weights({f"u{i}": 1 for i in range(12)}),
        lambda result: rm.compare_results({"a": result, "b": result}, test="sign"),
    ],
    ids=["values", "intervals", "weights", "comparison"],
)
def test_what_needs_values_of_queries_refuses_measures_of_the_whole_run(what: Any) -> None:
    with pytest.raises(rm.RankmarkError, match=r"CatalogueCoverage@2 is of the whole run"):
        what(both_results(["Novelty", "CatalogueCoverage@2"]))


def test_results_are_shown_written_and_loaded_as_others(tmp_path: Any) -> None:
    result = both_results(["CatalogueCoverage@2", "Novelty@2", "Miscalibration"])
    for name in ("r.json", "r.csv", "r.md", "r.html", "r.tex", "r.rankmark"):
        result.write(tmp_path / name)
    assert list(result.per_query.columns) == ["query", "Novelty@2", "Miscalibration"]
    saved = tmp_path / "saved.rankmark"
    result.save(saved)
    assert rm.load(saved).values == result.values


def test_popularity_is_of_three_parts_by_the_interactions() -> None:
    # Ten interactions: a has 4, b 3, c 1, d 1, e 1. Of c, d and e, which are alike, all are in the tail.
    train = [
        (f"u{n}", item)
        for item, count in {"a": 4, "b": 3, "c": 1, "d": 1, "e": 1}.items()
        for n in range(count)
    ]
    run = {"u0": ["a", "b"], "u3": ["x", "a"], "new": ["a"]}  # had all; had a alone; had nothing

    def values(measure: str) -> Any:
        return rm.evaluate(None, run, measure, train=train).query_values(measure)

    p, q = (3 / 5, 1 / 5, 1 / 5), (0, 1 / 2, 1 / 2)  # the tail, the middle and the head
    m = [(x + y) / 2 for x, y in zip(p, q, strict=True)]
    js = (
        sum(x * math.log(x / z) + (y * math.log(y / z) if y else 0) for x, y, z in zip(p, q, m, strict=True))
        / 2
    )
    half = (math.log(4 / 3) + 0.5 * math.log(2 / 3) + 0.5 * math.log(2)) / 2
    assert values("UPD") == pytest.approx([js, half, math.nan], rel=1e-12, nan_ok=True)
    assert values("UPD(log=2)@1")[1] == pytest.approx(1, rel=1e-12)  # x, which nobody had, is of the tail
    # A head of nearly all has c, d and e, too; x alone is in the tail.
    whole = values("UPD(divergence=hellinger,head=0.99)")
    assert whole == pytest.approx([0, math.sqrt(1 - math.sqrt(0.5)), math.nan], abs=1e-7, nan_ok=True)


def test_unexpectedness_against_another_run_is_that_of_replay() -> None:
    run, other = {"u": ["a", "b", "c"], "v": ["a", "d", "e"]}, {"u": ["b", "x", "a"], "v": ["x", "y", "z"]}
    tops = {user: items[:2] for user, items in other.items()}
    found = rm.evaluate(None, run, "NotInTrain@2", train=tops).query_values("NotInTrain@2")
    assert found.tolist() == [1 - len({*run[u][:2]} & {*other[u][:2]}) / 2 for u in ("u", "v")]


def test_of_one_item_without_direction_it_is_said_in_the_singular() -> None:
    items = {"a": {"v": [0, 0]}, "b": {"v": [1, 0]}}
    result = rm.evaluate(None, {"u": ["a", "b"]}, "ILD(by=v)", items=items)
    said = "1 of 2 items has nothing but zeros in 'v'; its cosine distance from all others is taken to be 1"
    assert said in " ".join(str(result).split())


def test_a_measure_of_items_called_with_data_says_where_it_is_asked_for() -> None:
    with pytest.raises(rm.MeasureError, match=r'use rm\.evaluate\(qrels, run, "Novelty", items=…, train=…\)'):
        rm.Novelty({"u": {"a": 1}}, {"u": ["a"]}, train={"u": ["a"]})
