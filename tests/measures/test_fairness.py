"""Fairness of exposure, against tables worked out by hand, slow plain Python and other tools' numbers."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm

RUN = {"u1": ["a", "b", "c", "d"], "u2": ["d", "a"]}
QRELS = {"u1": {"a": 1, "d": 2, "e": 1}, "u2": {"b": 1, "c": 0}}
ITEMS: dict[str, dict[str, Any]] = {
    "a": {
        "group": "x",
        "tags": ["m", "n"],
        "soft": {"m": 0.9, "n": 0.1},
        "new": True,
        "code": 1,
        "some": "x",
    },
    "b": {"group": "y", "tags": ["m"], "soft": {"m": 0.5, "n": 0.5}, "new": False, "code": 2, "some": None},
    "c": {"group": "x", "tags": ["n"], "soft": {"m": 0.0, "n": 1.0}, "new": False, "code": 1, "some": "x"},
    "d": {
        "group": "y",
        "tags": ["m", "n"],
        "soft": {"m": 2.0, "n": 2.0},
        "new": True,
        "code": 2,
        "some": "y",
    },
    "e": {"group": "x", "tags": ["n"], "soft": {"m": 0.2, "n": 0.6}, "new": False, "code": 1, "some": None},
}
L3, L5 = 1 / math.log2(3), 1 / math.log2(5)  # the attention of ranks 2 and 4
LN = math.log


def of_queries(measure: str, qrels: Any = None, items: Any = ITEMS, run: Any = RUN) -> list[float]:
    result = rm.evaluate(qrels, run, measure, items=items)
    return [float(x) for x in result.query_values(measure)]


def js(a: list[float], t: list[float]) -> float:
    return 1 - sum(
        x * LN(2 * x / (x + y)) / 2 for p, q in ((a, t), (t, a)) for x, y in zip(p, q, strict=True) if x
    )


U1, U2 = 1 + L3 + 0.5 + L5, 1 + L3


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("GroupExposure(group=x)", [1.5 / U1, L3 / U2]),
        ("GroupExposure(group=y)", [(L3 + L5) / U1, 1 / U2]),
        ("GroupExposure(group=y)@1", [0, 1]),
        ("GroupExposure(group=x,scale=sum)", [1.5, L3]),
        (
            "GroupExposure(group=x,browsing=log2max)",
            [(1 + 1 / math.log2(3)) / (2.5 + 1 / math.log2(3)), 1 / 2],
        ),
        ("GroupExposure(group=x,browsing=rbp)", [1.25 / 1.875, 0.5 / 1.5]),
        ("GroupExposure(group=x,browsing=rbp,p=0.9)", [1.81 / (1.81 + 0.9 + 0.729), 0.9 / 1.9]),
        ("GroupExposure(group=x,browsing=rbp,p=0)", [1, 0]),
        ("GroupExposure(group=x,browsing=reciprocal)", [(1 + 1 / 3) / (25 / 12), 1 / 3]),
        ("GroupExposure(group=x,browsing=none)@3", [2 / 3, 1 / 2]),
        # Grade 1 of 2 satisfies with chance 1/4, grade 2 with 3/4: u1 sees 1, 3/4, 3/4, 3/4.
        ("GroupExposure(group=x,browsing=err,max_grade=2)", [1.75 / 3.25, 1 / 2]),
        # Of both 1/4, 1/2 goes on: 1, 3/8, 3/16, 3/32; u2 has no grade above 0 in its list.
        ("GroupExposure(group=x,browsing=cascade,max_grade=2)", [1.1875 / 1.65625, 0.5 / 1.5]),
        # Of a and d half is of m, of both in whole three halves more are counted.
        ("GroupExposure(by=tags,group=m,browsing=none)", [2 / 4, 1 / 2]),
        ("GroupExposure(by=tags,group=m,browsing=none,overlap=each)", [3 / 6, 1 / 2]),
        ("GroupExposure(by=soft,group=m,browsing=none)", [1.9 / 4, 1.4 / 2]),
        ("GroupExposure(by=soft,group=m,browsing=none,overlap=each)", [3.4 / 7, 2.9 / 5]),
        ("GroupExposure(by=new,group=true,browsing=none)", [1 / 2, 1]),
        ("GroupExposure(by=code,group=2,browsing=none)", [1 / 2, 1 / 2]),
        ("GroupExposure(by=some,group=unknown,unknown=group,browsing=none)", [1 / 4, 0]),
        ("GroupExposure(by=some,group=x,unknown=ignore)", [1.5 / (1.5 + L5), L3 / (1 + L3)]),
        ("AWRF", [js([(1 + L3) / (2.5 + L3), 1.5 / (2.5 + L3)], [0.6, 0.4]), js([0.5, 0.5], [0.6, 0.4])]),
        ("AWRF(distance=difference,browsing=none)", [0.9, 0.9]),
        ("AWRF(distance=difference,browsing=none,target=equal)", [1, 1]),
        ("AWRF(distance=difference,browsing=none,target={x:3,y:1})@1", [0.75, 0.25]),
        # Of u1's relevant items a and e are x and d is y; of u2's b is y.
        ("AWRF(distance=difference,browsing=none,target=relevant)", [1 - 1 / 6, 1 / 2]),
        ("AWRF(distance=difference,browsing=none,target=relevant,rel=2)", [1 / 2, math.nan]),
        ("AWRF(target=equal)@1", [js([1, 0], [0.5, 0.5]), js([0, 1], [0.5, 0.5])]),
        ("Skew(group=x,alpha=0)", [LN(0.5 / 0.6), LN(0.5 / 0.6)]),
        ("Skew(group=y,alpha=0)@3", [LN((1 / 3) / 0.4), LN(0.5 / 0.4)]),
        ("Skew(group=y,alpha=0)@1", [-math.inf, LN(1 / 0.4)]),
        ("Skew(group=y)@1", [LN(0.01), LN((0.99 + 0.004) / 0.4)]),
        ("MinSkew(alpha=0)@3", [LN((1 / 3) / 0.4), LN(0.5 / 0.6)]),
        ("MaxSkew(alpha=0)@3", [LN((2 / 3) / 0.6), LN(0.5 / 0.4)]),
        # Only y is to be there for u2, so that the skew of x is none.
        ("MaxSkew(alpha=0,target=relevant)", [LN(0.5 / (1 / 3)), LN(0.5 / 1)]),
        # The first item alone, the first two and all four, which are alike, and the first three.
        (
            "NDKL",
            [
                (
                    LN(1 / 0.6)
                    + (L3 + L5) * (0.5 * LN(0.5 / 0.6) + 0.5 * LN(0.5 / 0.4))
                    + 0.5 * (2 / 3 * LN(2 / 3 / 0.6) + 1 / 3 * LN(1 / 3 / 0.4))
                )
                / U1,
                (LN(1 / 0.4) + L3 * (0.5 * LN(0.5 / 0.6) + 0.5 * LN(0.5 / 0.4))) / U2,
            ],
        ),
        ("NDKL(target=relevant)@2", [(LN(1.5) + L3 * (0.5 * LN(0.75) + 0.5 * LN(1.5))) / U2, math.inf]),
        ("NDKL(target=relevant,alpha=0.5)@1", [LN(1 / (1 / 3 + 1 / 2)), 0]),
        ("NDKL(by=some,unknown=ignore,target=equal)@2", [LN(2), (LN(2) + 0) / U2]),
        # Of x there are to be 0 1 1 2 and of y 0 0 1 1.
        ("InfeasibleIndex", [0, 0]),
        ("InfeasibleIndex(target={x:0.5,y:0.5})", [0, 0]),
        ("InfeasibleIndex(target={x:0,y:1})", [4, 1]),
        ("InfeasibleCount(target={x:0,y:1})", [4, 1]),
    ],
)
def test_measures_of_each_list(measure: str, expected: list[float]) -> None:
    judged = any(word in measure for word in ("relevant", "err", "cascade"))
    found = of_queries(measure, QRELS if judged else None)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


ORDER = {"u1": list("xxyyyy"), "u2": list("yyyyxx"), "u3": list("xyyxyy")}  # the groups of six items each


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # A third is of x. Of two, four and six items 1, 1/2, 1/3 of u1, 0, 0, 1/3 of u2, 1/2, 1/2, 1/3 of u3.
        ("rND(group=x,step=2)", [(2 / 3 + 1 / 12) / (2 / 3 + 1 / 12), 0.5 / 0.75, (1 / 6 + 1 / 12) / 0.75]),
        ("rND(group=y,step=2)", [1, 0.5 / 0.75, 0.25 / 0.75]),
        ("rND(group=x,step=3)", [1, 1, 0]),
        ("rND(group=x,step=2)@4", [1, math.nan, 0]),
        ("rND(group=x)", [math.nan] * 3),
        ("rKL(group=x,step=3)", [LN(2) / 3 / LN(1.5), 1, 0]),
        # x for each y: 1/2 of all. Of three 2, 0 and 1/2; at the worst 3/2, x x y y y y.
        ("rRD(group=x,step=3)", [1, 1 / 3, 0]),
        # Of two 0, 0 and 1, of four 1, 0 and 1: all are as far from 1/2.
        ("rRD(group=x,step=2)", [1, 1, 1]),
    ],
)
def test_beginnings_of_lists_are_held_against_all_of_them(measure: str, expected: list[float]) -> None:
    items = {f"{u}{n}": {"group": g} for u, groups in ORDER.items() for n, g in enumerate(groups)}
    run = {u: [f"{u}{n}" for n in range(6)] for u in ORDER}
    found = of_queries(measure, items=items, run=run)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-15, nan_ok=True)


def ratio_difference(places: tuple[int, ...], n: int, step: int) -> float:
    """What rRD is before it is normalised."""

    def ratio(first: int) -> float:
        own = sum(place < first for place in places)
        return own / (first - own) if own < first else 0.0

    return sum(abs(ratio(i) - ratio(n)) / math.log2(i) for i in range(step, n + 1, step))


@pytest.mark.parametrize(("n", "own", "step"), [(6, 2, 2), (6, 3, 3), (8, 4, 2), (8, 3, 3), (9, 4, 2)])
def test_ratios_of_beginnings_are_normalised_by_the_most_of_all_orders(n: int, own: int, step: int) -> None:
    items = {f"{group}{place}": {"group": group} for group in "xy" for place in range(n)}
    orders = [*itertools.combinations(range(n), own)]
    run = {str(q): [f"{'xy'[place not in own]}{place}" for place in range(n)] for q, own in enumerate(orders)}
    plain = [ratio_difference(places, n, step) for places in orders]
    result = rm.evaluate(None, run, f"rRD(group=x,step={step})", items=items)
    found = dict(zip(result.query_ids, result.query_values(result.measures[0]), strict=True))
    expected = {str(q): value / max(plain) for q, value in enumerate(plain)}
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


GRADED = {"u1": {"a": 1, "b": 1, "c": 2}, "u2": {"d": 1, "b": 0}}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # u1 has 1, 1/2, 1/4, 1/8 of a, b, c, d and u2 has 1, 1/2 of d, a.
        ("EED", [1 + 1 / 4 + 1 / 16 + 1 / 64, 1 + 1 / 4]),
        ("EED@1", [1, 1]),
        ("EED(browsing=none)", [4, 2]),
        ("EED(by=group)", [(1 + 1 / 4) ** 2 + (1 / 2 + 1 / 8) ** 2, 1 + 1 / 4]),
        # The target of u1 is c first, then a and b in both orders: 1, 3/8, 3/8; that of u2 is d alone.
        ("EER", [1 * 3 / 8 + 1 / 2 * 3 / 8 + 1 / 4 * 1, 1]),
        ("EEL", [(5 / 8) ** 2 + (1 / 8) ** 2 + (3 / 4) ** 2 + (1 / 8) ** 2, 1 / 4]),
        ("EER@2", [1 / 4 * (1 + 1 / 2), 1]),  # a and b share rank 2 alone
        ("EEL@2", [(3 / 4) ** 2 + (1 / 4) ** 2 + 1, 1 / 4]),
        ("EER(target=judged)", [1 * 3 / 8 + 1 / 2 * 3 / 8 + 1 / 4 * 1, 1]),
        ("EEL(target=judged)", [(5 / 8) ** 2 + (1 / 8) ** 2 + (3 / 4) ** 2 + (1 / 8) ** 2, 1 / 2]),
        ("EER(rel=2)", [1 / 4, math.nan]),
        # Groups: x has a and c, 11/8 in the target and 5/4 in the list; y has b, 3/8 and 5/8.
        ("EER(by=group)", [11 / 8 * 5 / 4 + 3 / 8 * 5 / 8, 1]),
        ("EEL(by=group)", [(1 / 8) ** 2 + (1 / 4) ** 2, 1 / 4]),
        # A reader of grade 1 stops with 1/4 and of 2 with 3/4: c 1, then 1/4 · 1/2 and 1/4 · 3/4 · 1/4.
        ("EER(browsing=cascade,max_grade=2)", [(1 + 3 / 8) * (1 / 8 + 3 / 64) / 2 + 9 / 64, 1]),
    ],
)
def test_expected_exposure_of_each_list(measure: str, expected: list[float]) -> None:
    judged = None if measure.startswith("EED") else GRADED
    assert of_queries(measure, judged) == pytest.approx(expected, rel=1e-13, nan_ok=True)


@pytest.mark.parametrize("seed", range(3))
def test_expected_exposure_is_that_of_all_orders_of_items_of_the_same_grade(seed: int) -> None:
    draw = np.random.default_rng(seed)
    grades = {f"i{n}": int(draw.integers(0, 4)) for n in range(7)}
    own = [str(item) for item in draw.permutation([*grades, "x", "y"])]
    for browsing in ("rbp", "log2", "cascade"):
        for of in ("relevant", "judged"):
            aimed = [item for item, grade in grades.items() if grade >= 1 or of == "judged"]
            orders = [
                order
                for order in itertools.permutations(aimed)
                if all(grades[a] >= grades[b] for a, b in itertools.pairwise(order))
            ]
            want = dict.fromkeys([*grades, "x", "y"], 0.0)
            for order in orders:
                for n, item in enumerate(order[:5]):
                    above = [grades[i] for i in order[:n]]
                    want[item] += attention(n + 1, above, browsing, 0.8, 3) / len(orders)
            have = dict.fromkeys(want, 0.0)
            for n, item in enumerate(own[:5]):
                have[item] = attention(n + 1, [grades.get(i, 0) for i in own[:n]], browsing, 0.8, 3)
            said = f"browsing={browsing},p=0.8,max_grade=3,target={of}"
            found = rm.evaluate({"q": grades}, {"q": own}, [f"EER({said})@5", f"EEL({said})@5"])
            assert list(found.values.values()) == pytest.approx(
                [sum(have[i] * want[i] for i in want), sum((have[i] - want[i]) ** 2 for i in want)], rel=1e-12
            )


@pytest.mark.parametrize("relevant", [1, 3, 6])
def test_the_target_of_expected_exposure_has_the_closed_form_of_geometric_attention(relevant: int) -> None:
    p = 0.7
    run = {"q": ["x"]}
    qrels = {"q": {f"r{n}": 1 for n in range(relevant)} | {f"n{n}": 0 for n in range(4)}}
    loss = rm.evaluate(qrels, run, f"EEL(p={p})")[f"EEL(p={p})"]
    of_each = (1 - p**relevant) / (relevant * (1 - p))
    assert loss == pytest.approx(1 + relevant * of_each**2, rel=1e-12)
    others = p**relevant * (1 - p**4) / (4 * (1 - p))
    whole = rm.evaluate(qrels, run, f"EEL(p={p},target=judged)")[f"EEL(p={p},target=judged)"]
    assert whole == pytest.approx(1 + relevant * of_each**2 + 4 * others**2, rel=1e-12)


X, Y = 1.5 + L3, L3 + L5 + 1  # the attention of both groups over both lists


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # Three items are of x and two of y.
        ("DemographicParity(group=x)", (X / 3) / (Y / 2)),
        ("DemographicParity(group=y)", (Y / 2) / (X / 3)),
        ("DemographicParity", min((X / 3) / (Y / 2), (Y / 2) / (X / 3))),
        ("ExposureRatio(group=x)@1", (1 / 3) / (1 / 2)),
        ("ExposureDifference(group=x)", (X / 3 - Y / 2) / 2),
        ("ExposureDifference", abs(X / 3 - Y / 2) / 2),
        ("DemographicParity(group=x,value=log)", LN((X / 3) / (Y / 2))),
        ("logDP(group=x)", LN(X / Y)),
        ("DemographicParity(group=x,per=lists)", X / Y),  # three of each are listed
        ("DemographicParity(group=x,browsing=rbp)", (1.75 / 3) / (1.625 / 2)),
        # x is judged 1 and 1 of u1, y 2 of u1 and 1 of u2.
        ("DisparateTreatment(group=x)", (X / 2) / (Y / 3)),
        ("DisparateTreatment", min((X / 2) / (Y / 3), (Y / 3) / (X / 2))),
        ("logEUR(group=x,gain=binary)", LN((X / 2) / (Y / 2))),
        ("DisparateTreatment(group=x,value=difference)@1", 1 / 2 - 1 / 3),
        # Clicks: a of u1 1, d of u1 2 · L5; b is relevant for u2, which does not have it.
        ("DisparateImpact(group=x)", (1 / 2) / (2 * L5 / 3)),
        ("DisparateImpact(group=y,gain=binary)", (L5 / 2) / (1 / 2)),
        ("logRUR(group=x)", LN((1 / 2) / (2 * L5 / 3))),
        ("DisparateImpact(group=y)@1", 0),
        ("logRUR(group=y)@1", -math.inf),
        ("DisparateImpact(group=x)@1", math.inf),
        # a 8/15 + 1/3 and 1/4, b 4/15 and 1, c 2/15, d 1/15 + 2/3 and 1/2, e 0 and 1/4.
        ("IAA", (13 / 15 - 1 / 4) + (1 - 4 / 15) + 2 / 15 + (11 / 15 - 1 / 2) + 1 / 4),
        ("IAA(scale=mean)", ((13 / 15 - 1 / 4) + (1 - 4 / 15) + 2 / 15 + (11 / 15 - 1 / 2) + 1 / 4) / 2),
        ("IAA(browsing=none)@1", 3 / 4 + 1 + 1 / 2 + 1 / 4),
        ("IAA(by=group)", (1 - 1 / 2) + (3 / 2 - 1)),
    ],
)
def test_measures_of_all_lists_together(measure: str, expected: float) -> None:
    unjudged = rm.parse(measure).name == "DemographicParity"
    found = rm.evaluate(None if unjudged else QRELS, RUN, measure, items=ITEMS)[measure]
    assert found == pytest.approx(expected, rel=1e-13)


def test_lists_that_a_ranker_draws_for_one_query_are_fair_together() -> None:
    orders = list(itertools.permutations("abc"))
    run = {f"q{q}.{n}": [*order, "d"] for q in "12" for n, order in enumerate(orders)}
    qrels = {name: dict.fromkeys("abc", 1) for name in run}
    measures = ["AmortisedEEL", "AmortisedEER", "AmortisedEED", "AmortisedEEL@3", "AmortisedEEL(by=group)@3"]
    result = rm.evaluate(qrels, run, measures, items=ITEMS, by=lambda query: query.partition(".")[0])
    mean = (1 + 1 / 2 + 1 / 4) / 3
    expected = [1 / 64, 3 * mean**2, 3 * mean**2 + 1 / 64, 0, 0]
    assert list(result.values.values()) == pytest.approx(expected, abs=1e-15)
    assert result.slices is not None
    of_slices = {(row.measure, row.slice): row.value for row in result.slices.rows}
    assert of_slices["AmortisedEEL", "q1"] == pytest.approx(1 / 64)
    first = {"q1.0": run["q1.0"]}
    for name in ("EED", "EER", "EEL", "EEL(by=group)", "EER(browsing=log2,target=judged)@2"):
        one = rm.evaluate(qrels, first, [name, f"Amortised{name}"], items=ITEMS, missing="skip").values
        assert one[name] == pytest.approx(one[f"Amortised{name}"], rel=1e-14)


def test_a_query_without_results_or_relevance_counts_for_neither_side() -> None:
    qrels = {**QRELS, "u3": {"a": 1}, "u4": {"b": 0}}
    run = {**RUN, "u4": ["c"]}
    for measure in ("DisparateTreatment(group=x)@2", "IAA"):
        same = rm.evaluate(QRELS, RUN, measure, items=ITEMS)[measure]
        found = rm.evaluate(qrels, run if measure == "IAA" else RUN, measure, items=ITEMS)[measure]
        assert found == pytest.approx(same, rel=1e-14)
    assert math.isnan(rm.evaluate({"u4": {"b": 0}}, run, "IAA")["IAA"])


def test_pairs_of_which_one_is_better_are_counted_by_group() -> None:
    # u1 ranks a (x, 1), b (y, 0), c (x, 0), d (y, 2): a above b and c, d below all; u2's are not judged.
    asked = {
        "PairwiseAccuracy(group=x)": 1,  # a above b
        "PairwiseAccuracy(group=y)": 0,  # d below a and c
        "IntraGroupPairwiseAccuracy(group=x)": 1,  # a above c
        "PairwiseAccuracy(group=y,pairs=intra)": 0,  # d below b
        "PairwiseAccuracy(group=x,pairs=all)": 1,
        "PairwiseFairness(group=y)": -1,
        "PairwiseAccuracy(group=m,by=soft)": (0.9 * 0.5 + 0.9) / (0.9 * 0.5 + 0.9 + 0.5 * (0.1 + 0.5 + 1)),
        "PairwiseAccuracy(group=y)@3": math.nan,
    }
    found = rm.evaluate(QRELS, RUN, list(asked), items=ITEMS).values
    assert list(found.values()) == pytest.approx(list(asked.values()), nan_ok=True)


@pytest.mark.parametrize("pairs", ["inter", "intra", "all"])
def test_pairwise_accuracy_is_as_plain_python_says(pairs: str) -> None:
    items, run, qrels = random_data(5)
    right, count = [0.0, 0.0], [0.0, 0.0]
    for query, own in run.items():
        for (n, one), (m, other) in itertools.permutations(enumerate(own[:8]), 2):
            if qrels[query].get(one, 0) > qrels[query].get(other, 0):
                soft = [items[i]["soft"]["f"] / sum(items[i]["soft"].values()) for i in (one, other)]
                for side, (a, b) in enumerate((soft, [1 - x for x in soft])):
                    weight = a * {"inter": 1 - b, "intra": b, "all": 1}[pairs]
                    count[side] += weight
                    right[side] += weight * (n < m)
    said = f"by=soft,group=f,pairs={pairs}"
    measures = [f"PairwiseAccuracy({said})@8", f"PairwiseFairness({said})@8"]
    found = list(rm.evaluate(qrels, run, measures, items=items).values.values())
    accuracy = [x / y for x, y in zip(right, count, strict=True)]
    assert found == pytest.approx([accuracy[0], accuracy[0] - accuracy[1]], rel=1e-12)


# --- The same in slow plain Python -------------------------------------------------------------------------


def attention(rank: int, above: list[float], browsing: str, p: float, max_grade: float) -> float:
    stays = math.prod(1 - (2 ** max(grade, 0) - 1) / 2**max_grade for grade in above)
    return {
        "log2": 1 / math.log2(rank + 1),
        "log2max": 1 / math.log2(max(rank, 2)),
        "rbp": p ** (rank - 1),
        "reciprocal": 1 / rank,
        "err": stays,
        "cascade": stays * p ** (rank - 1),
        "none": 1.0,
    }[browsing]


def parts_of(value: Any, overlap: str) -> dict[str, float]:
    parts = {g: float(w) for g, w in value.items()} if isinstance(value, dict) else dict.fromkeys(value, 1.0)
    whole = sum(parts.values()) if overlap == "share" else 1
    return {name: part / whole for name, part in parts.items()}


class Plain:
    """What the pages say, of one list."""

    def __init__(self, items: dict[str, Any], by: str, overlap: str) -> None:
        self.parts = {item: parts_of(facts[by], overlap) for item, facts in items.items()}
        self.names = sorted({name for parts in self.parts.values() for name in parts})

    def shares(self, items: list[str], weights: list[float]) -> dict[str, float]:
        sums = {
            g: sum(w * self.parts[i].get(g, 0) for i, w in zip(items, weights, strict=True))
            for g in self.names
        }
        return {name: value / sum(sums.values()) for name, value in sums.items()}

    def target(self, target: str, grades: dict[str, float]) -> dict[str, float]:
        if target == "equal":
            return dict.fromkeys(self.names, 1 / len(self.names))
        of = list(self.parts) if target == "catalogue" else [i for i, grade in grades.items() if grade >= 1]
        return self.shares(of, [1.0] * len(of))

    def kl(self, p: dict[str, float], q: dict[str, float]) -> float:
        if any(p[g] > 0 and q[g] == 0 for g in self.names):
            return math.inf
        return sum(p[g] * math.log(p[g] / q[g]) for g in self.names if p[g] > 0)

    def ndkl(self, items: list[str], t: dict[str, float]) -> float:
        weights = [1 / math.log2(i + 1) for i in range(1, len(items) + 1)]
        far = [self.kl(self.shares(items[:i], [1.0] * i), t) for i in range(1, len(items) + 1)]
        return sum(w * d for w, d in zip(weights, far, strict=True)) / sum(weights)

    def infeasible(self, items: list[str], t: dict[str, float]) -> list[int]:
        have = [
            {g: sum(self.parts[i].get(g, 0) for i in items[:n]) for g in self.names}
            for n in range(len(items) + 1)
        ]
        return [
            sum(have[n][g] < math.floor(t[g] * n + 1e-9) - 1e-9 for g in self.names)
            for n in range(1, len(items) + 1)
        ]


def random_data(seed: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    draw = np.random.default_rng(seed)
    names = [f"i{n:02}" for n in range(30)]
    items = {
        name: {
            "group": [str(draw.choice(list("xyz")))],
            "tags": list(map(str, draw.choice(list("mnop"), draw.integers(1, 4), replace=False))),
            "soft": dict(zip("fgh", draw.random(3).tolist(), strict=True)),
        }
        for name in names
    }
    queries = [f"q{n}" for n in range(12)]
    run = {q: list(map(str, draw.permutation(names)[: draw.integers(1, 12)])) for q in queries}
    qrels = {
        q: {str(i): int(draw.integers(0, 4)) for i in draw.choice(names, 9, replace=False)} | {names[0]: 1}
        for q in queries
    }
    return items, run, qrels


@pytest.mark.parametrize("by", ["group", "tags", "soft"])
@pytest.mark.parametrize("overlap", ["share", "each"])
@pytest.mark.parametrize("target", ["catalogue", "relevant", "equal"])
def test_measures_of_each_list_are_as_plain_python_says(by: str, overlap: str, target: str) -> None:
    items, run, qrels = random_data(len(by) * 7 + len(target))
    plain = Plain(items, by, overlap)
    for browsing in ("log2", "log2max", "rbp", "reciprocal", "err", "cascade", "none"):
        said = f"by={by},overlap={overlap}"
        seen = f"{said},browsing={browsing},p=0.7,max_grade=3"
        wanted = f"{said},target={target}"
        measures = [
            f"GroupExposure({seen})@5",
            f"AWRF({seen},target={target})@5",
            f"AWRF({seen},target={target},distance=difference)",
            f"MinSkew({wanted},alpha=0.1)@7",
            f"MaxSkew({wanted},alpha=0.1)@7",
            f"NDKL({wanted})",
            f"InfeasibleIndex({wanted})@9",
            f"InfeasibleCount({wanted})@9",
        ]
        result = rm.evaluate(qrels, run, measures, items=items)
        rows = result.per_query.drop("query").rows()
        for (query, own), row in zip(run.items(), rows, strict=True):
            grades = [qrels[query].get(item, 0) for item in own]
            w = [attention(n + 1, grades[:n], browsing, 0.7, 3) for n in range(len(own))]
            a, a5 = plain.shares(own, w), plain.shares(own[:5], w[:5])
            t = plain.target(target, qrels[query])
            middle = [{g: (x[g] + t[g]) / 2 for g in plain.names} for x in (a5, t)]
            jensen = (plain.kl(a5, middle[0]) + plain.kl(t, middle[0])) / 2
            p7 = plain.shares(own[:7], [1.0] * len(own[:7]))
            skews = [math.log((0.9 * p7[g] + 0.1 * t[g]) / t[g]) for g in plain.names if t[g] > 0]
            short = plain.infeasible(own[:9], t)
            expected = [
                *(a5[name] for name in plain.names),
                1 - jensen,
                1 - sum(abs(a[g] - t[g]) for g in plain.names) / 2,
                min(skews),
                max(skews),
                plain.ndkl(own, t),
                sum(n > 0 for n in short),
                sum(short),
            ]
            assert row == pytest.approx(expected, rel=1e-12, abs=1e-14), (query, browsing)


# --- What is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "options", "said"),
    [
        ("AWRF", {}, r"AWRF needs the groups of items: give items="),
        ("AWRF", {"items": list("abcde")}, r"no column 'group'; it has no column beside the items"),
        ("AWRF(by=gender)", {}, r"no column 'gender'; its columns are"),
        ("AWRF(target=relevant)", {}, r"needs judgements"),
        ("AWRF(browsing=cascade)", {}, r"needs judgements"),
        ("AWRF(browsing=err)", {"qrels": QRELS}, r"grade 2 is above max_grade=1"),
        (
            "AWRF(by=some)",
            {},
            r"2 of 5 items have no 'some', the first is 'b'; give each one, or write .unknown=group",
        ),
        ("GroupExposure(by=some)", {}, r"2 of 5 items have no 'some'"),
        ("GroupExposure(group=z)", {}, r"'group' of items has no group 'z' .*it has x, y"),
        ("AWRF(target={x:1,z:2})", {}, r"no group 'z'"),
        ("AWRF(target={x:1})", {}, r"says nothing of the group 'y'; give each group its share"),
        ("AWRF(target={x:1,y:-1})", {}, r"has no shares that are 0 or more"),
        ("AWRF(target={x:0,y:0})", {}, r"has no shares that are 0 or more"),
        ("AWRF(target=7)", {}, r"catalogue or relevant or equal, or a mapping \{group:share\}"),
        ("AWRF(group=x)", {}, r"no parameter 'group'"),
        (
            "AWRF",
            {"items": rm.catalogue({"a": {"group": "x"}}, closed=False)},
            r"4 of the 6 items at the top of lists are not in the table of items, so that they have no 'g",
        ),
        (
            "AWRF(by=price)",
            {"items": {"a": {"price": 1.5}, "b": {"price": 2.0}}},
            r"has numbers, and groups are categories",
        ),
        (
            "AWRF(by=soft)",
            {"items": {"a": {"soft": {"m": -1.0}}}},
            r"'a' has -1; parts of groups are 0 or more",
        ),
        ("AWRF(by=v)", {"items": {"a": {"v": [1.0]}, "b": {"v": [1.0, 0.0]}}}, r"lists of different lengths"),
        ("AWRF(by=v)", {"items": {"a": {"v": None}}}, r"'v' .*of no item in which group it is"),
    ],
)
def test_what_cannot_be_measured_is_refused(measure: str, options: Any, said: str) -> None:
    known = {"items": ITEMS, "qrels": None, **({"items": None} if measure == "AWRF" else {}), **options}
    with pytest.raises(rm.RankmarkError, match=said):
        rm.evaluate(known["qrels"], RUN, measure, items=known["items"])


def test_items_that_are_not_in_the_table_are_unknown_or_left_out() -> None:
    known = rm.catalogue({"a": {"group": "x"}, "d": {"group": "y"}}, closed=False)
    unknown = of_queries("GroupExposure(group=unknown,unknown=group,browsing=none)", items=known)
    assert unknown == [0.5, 0]
    assert of_queries("GroupExposure(group=x,unknown=ignore,browsing=none)", items=known) == [0.5, 0.5]


def test_more_groups_than_can_be_held_for_all_queries_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankmark.kinds.exposure.MOST", 3)
    with pytest.raises(rm.DataError, match="'group' has 2 groups, which for 2 queries is more than is held"):
        of_queries("AWRF")


def test_a_measure_of_a_group_is_one_of_every_group_unless_it_says_which() -> None:
    asked = ["GroupExposure(by=tags)@2", "Skew(group=x)", "AWRF"]
    result = rm.evaluate(None, RUN, asked, items=ITEMS)
    assert list(result.values) == [
        "GroupExposure(by=tags,group=m)@2",
        "GroupExposure(by=tags,group=n)@2",
        "Skew(group=x)",
        "AWRF",
    ]


def test_items_of_no_known_group_have_a_measure_where_they_are_a_group() -> None:
    result = rm.evaluate(None, RUN, "GroupExposure(by=some,unknown=group,browsing=none)", items=ITEMS)
    assert list(result.values.values()) == [(1 / 2 + 1 / 2) / 2, (1 / 4 + 1 / 2) / 2, (1 / 4 + 0) / 2]


def test_groups_are_read_of_columns_of_any_kind() -> None:
    frame = pl.DataFrame(
        {
            "item": list("abcde"),
            "flag": [True, False, True, False, True],
            "list": [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]],
            "kind": pl.Series(list("xyxyx"), dtype=pl.Categorical),
        }
    )
    measures = ["GroupExposure(by=flag,group=true)", "GroupExposure(by=list,group=0)"]
    measures += ["GroupExposure(by=kind,group=x)"]
    values = set(rm.evaluate(None, RUN, measures, items=frame).values.values())
    assert values == {rm.evaluate(None, RUN, "GroupExposure(group=x)", items=ITEMS)["GroupExposure(group=x)"]}


def test_a_target_is_written_with_the_names_of_groups() -> None:
    measure = rm.AWRF(target={"women": 0.5, "not said": 0.25, "men": 0.25}) @ 10
    assert str(measure) == "AWRF(target={men:0.25,'not said':0.25,women:0.5})@10"
    assert rm.parse(str(measure)) == measure
    assert rm.parse("Skew(group=1)") == rm.Skew(group="1")


# --- What other tools say ----------------------------------------------------------------------------------

FIVE = {"u1": list("abcde"), "u2": list("dabec")}


@pytest.mark.parametrize(
    ("measure", "theirs"),
    [
        # FairRankTune 0.0.7: the least of the groups by the greatest, ``MinMaxRatio``.
        ("DemographicParity", 0.8680261576370737),  # EXP
        ("DisparateTreatment", 0.6510196182278053),  # EXPU
        ("DisparateImpact", 0.7392827105573901),  # EXPRU, clicks as attention times relevance
        ("DemographicParity(browsing=rbp,p=0.7)", 0.7930517173312277),  # AWRF(p=0.3)
        ("ExposureDifference", 0.16903251378444728 / 2),  # EXP, MaxMinDiff, of the sum over two lists
    ],
)
def test_fairness_of_the_whole_run_is_as_fairranktune_has_it(measure: str, theirs: float) -> None:
    judged = {"u1": {"a": 1, "c": 1, "d": 1}, "u2": {"a": 1, "b": 1, "c": 1}}
    assert rm.evaluate(judged, FIVE, measure, items=ITEMS)[measure] == pytest.approx(theirs, rel=1e-14)


@pytest.mark.parametrize(
    ("measure", "theirs", "near"),
    [
        # FairRankTune adds 1e-7 to both distributions.
        ("NDKL", [0.18220560300465782, 0.34264280421088544], 1e-5),
        # reranking 0.3.6 adds 1e-12.
        ("NDKL", [0.18220612576828896, 0.34264335994808887], 1e-10),
        ("Skew(group=x,alpha=0)@3", [0.10536051565765968, -0.5877866649007857], 1e-10),
        ("Skew(group=y,alpha=0)@3", [-0.18232155679345471, 0.5108256237649906], 1e-10),
    ],
)
def test_skew_and_ndkl_are_as_other_tools_have_them(measure: str, theirs: list[float], near: float) -> None:
    assert of_queries(measure, run=FIVE) == pytest.approx(theirs, rel=near)


@pytest.mark.parametrize(
    ("measure", "theirs"),
    [
        ("AWRF(by=soft)", [0.9952792962941875, 0.9624163904537094]),
        ("AWRF(by=soft,target={m:0.3,n:0.7})", [0.9731692582330481, 0.9177171214949482]),
        ("AWRF(by=part,unknown=ignore,target={m:0.43,n:0.57})", [0.9939684686314854, 0.9624163904537094]),
        ("AWRF(by=part,unknown=ignore,target={m:0.3,n:0.7})", [0.9701915614547509, 0.9177171214949482]),
    ],
)
def test_awrf_is_as_in_the_fair_ranking_track(measure: str, theirs: list[float]) -> None:
    """By the formula of its script, of NumPy and the jensenshannon of SciPy; b is not known in ``part``."""
    items = {name: {"soft": facts["soft"], "part": facts["soft"]} for name, facts in ITEMS.items()}
    items["b"] = {"soft": ITEMS["b"]["soft"], "part": None}
    assert of_queries(measure, items=items) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("value", ["ratio", "log", "difference"])
@pytest.mark.parametrize("group", ["x", "y", "all"])
@pytest.mark.parametrize("measure", ["DisparateTreatment", "DisparateImpact"])
def test_groups_without_relevant_items_are_not_compared(measure: str, group: str, value: str) -> None:
    items = {"a": {"group": "x"}, "b": {"group": "y"}}
    name = f"{measure}(group={group},value={value})"
    result = rm.evaluate({"q": {"a": 1, "b": 0}}, {"q": ["a", "b"]}, name, items=items)
    assert math.isnan(result[name])
    assert f"no value of {result.measures[0].label}: a group without relevant items" in " ".join(
        str(result).split()
    )


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ("DisparateTreatment(group=x)", "1 is parity, neither more nor less is better of DisparateTreatment"),
        (
            "DemographicParity(group=x,value=log)",
            "0 is parity, neither more nor less is better of Demographic",
        ),
        ("Skew(group=x)", "0 is parity, neither more nor less is better of Skew"),
        ("PairwiseFairness(group=x)", "0 is parity, neither more nor less is better of PairwiseAccuracy"),
        (
            "PairwiseAccuracy(group=x)",
            "pair of a better and a worse item neither more nor less is better of Pairwise",
        ),
    ],
)
def test_results_say_which_value_is_parity(measure: str, said: str) -> None:
    items = {"a": {"group": "x"}, "b": {"group": "y"}}
    result = rm.evaluate({"q": {"a": 1, "b": 1}}, {"q": ["a", "b"]}, measure, items=items)
    assert said in " ".join(str(result).split())


@pytest.mark.filterwarnings("error")
def test_the_highest_grade_can_be_beyond_what_powers_of_two_reach() -> None:
    items = {"a": {"group": "x"}, "b": {"group": "y"}}
    measure = "EEL(browsing=err,max_grade=1e9)"
    result = rm.evaluate({"q": {"a": 1e9, "b": 1}}, {"q": ["b", "a"]}, measure, items=items)
    # b satisfies nobody, so that a is seen as surely in its place as in the first; then nobody goes on to b.
    assert result[measure] == pytest.approx(1.0)
