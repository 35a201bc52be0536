"""Agreement of rankings: against SciPy, worked values, slow twins, and what must hold of any two rankings."""

from __future__ import annotations

import itertools
import json
import math
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankmark as rm
from rankmark import _native
from rankmark.cli import main
from rankmark.comparing.agreement import rank_correlations
from rankmark.engines import local
from rankmark.inputs import read_inputs, read_shared
from rankmark.kinds.pairs import Lists, Pairs
from rankmark.language.choices import Choices
from rankmark.language.coefficient import coefficient_pages, coefficients_of
from rankmark.language.manual import coefficient_list, measure_page

LISTS = {"a": ["a", "b", "c", "d"], "b": ["b", "a", "c", "x"]}
# The example of the R package ircor, by the authors of the coefficients for ties, with what it prints.
X = np.array([0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94])
Y = np.array([0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94])

scores = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=12)
a_run = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, 4).map(float), min_size=1, max_size=10)


def runs_of(length: int) -> st.SearchStrategy[dict[str, float]]:
    """As `a_run`, with so many items."""
    items = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=length, max_size=length)
    scores = st.lists(st.integers(0, 4).map(float), min_size=length, max_size=length)
    return st.builds(lambda *columns: dict(zip(*columns, strict=True)), items, scores)


of_one_length = st.integers(1, 10).flatmap(lambda length: st.tuples(runs_of(length), runs_of(length)))


def close(a: float, b: float) -> bool:
    return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=1e-11, abs_tol=1e-11)


@given(scores)
def test_what_scipy_has_agrees_with_scipy(rows: list[tuple[int, int]]) -> None:
    from scipy.stats import kendalltau, spearmanr, weightedtau

    x, y = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    for name, function in (("Tau", kendalltau), ("WeightedTau", weightedtau), ("Spearman", spearmanr)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where it is not defined
            wanted = float(function(x, y)[0])
        assert close(rm.rank_correlation(x, y, name), wanted), name


def test_ap_correlation_with_and_without_ties_as_its_authors_compute_it() -> None:
    tied_x, tied_y = np.round(X * 5) / 5, np.round(Y * 5) / 5
    assert rm.rank_correlation(X, Y) == pytest.approx(0.7777778, abs=5e-8)
    assert rm.rank_correlation(X, Y, "TauAP") == pytest.approx(0.7491182, abs=5e-8)
    assert rm.rank_correlation(X, tied_y, "Tau(ties=a)") == pytest.approx(0.7111111, abs=5e-8)
    assert rm.rank_correlation(X, tied_y, "TauAP") == pytest.approx(0.6074515, abs=5e-8)
    assert rm.rank_correlation(tied_x, tied_y, "Tau(ties=b)") == pytest.approx(0.75)
    assert rm.rank_correlation(tied_x, tied_y, "TauAP(ties=b)") == pytest.approx(0.6269841, abs=5e-8)


def test_ap_correlation_by_hand() -> None:
    """In the order b a c of the second, above a stands b (wrong), above c both rightly: 2/2 · (0 + 1) − 1."""
    assert rm.rank_correlation(["a", "b", "c"], ["b", "a", "c"], "TauAP") == 0


def orders(ranking: dict[str, float]) -> list[list[str]]:
    """The items in every order that their scores allow."""
    groups = [
        [item for item, score in ranking.items() if score == value]
        for value in sorted(set(ranking.values()), reverse=True)
    ]
    every = itertools.product(*(itertools.permutations(group) for group in groups))
    return [list(itertools.chain.from_iterable(order)) for order in every]


small = st.dictionaries(st.sampled_from("abcde"), st.integers(0, 2).map(float), min_size=1, max_size=5)


@given(
    small,
    small,
    st.sampled_from(["TauAP", "RBO(ties=a)", "RBO(tail=lower,ties=a)", "RBO(tail=truncated,ties=a)"]),
)
def test_variant_a_is_the_mean_over_all_orders_of_ties(
    a: dict[str, float], b: dict[str, float], name: str
) -> None:
    of_a, of_b = orders(a), orders(b)
    assume(len(of_a) * len(of_b) <= 200)
    asked = [name, "Jaccard"]
    each = [rm.rank_correlation(one, other, asked)[name] for one in of_a for other in of_b]
    assert close(rm.rank_correlation(a, b, asked)[name], float(np.mean(each)))


def slow_rbo(a: list[str], b: list[str], p: float) -> tuple[float, float]:
    """RBO_EXT and RBO_MIN of lists without ties, as Webber et al. write them (equations 32 and 11)."""
    s, l = sorted((len(a), len(b)))  # noqa: E741
    x = {d: len(set(a[:d]) & set(b[:d])) for d in range(1, l + 1)}
    first = sum(x[d] / d * p**d for d in range(1, l + 1))
    second = sum(x[s] * (d - s) / (s * d) * p**d for d in range(s + 1, l + 1))
    extrapolated = (1 - p) / p * (first + second) + ((x[l] - x[s]) / l + x[s] / s) * p**l
    least = (1 - p) / p * (sum((x[d] - x[l]) * p**d / d for d in range(1, l + 1)) - x[l] * math.log(1 - p))
    return extrapolated, least


some_list = st.lists(st.sampled_from("abcdefghij"), unique=True, min_size=1)


@given(some_list, some_list, st.sampled_from([0.1, 0.5, 0.9, 0.99]), st.sampled_from("abw"))
def test_rbo_is_that_of_its_paper(a: list[str], b: list[str], p: float, ties: str) -> None:
    extrapolated, least = slow_rbo(a, b, p)
    assert close(rm.rank_correlation(a, b, f"RBO(p={p},ties={ties})"), extrapolated)
    assert close(rm.rank_correlation(a, b, f"RBO(p={p},ties={ties},tail=lower)"), least)


@given(some_list, some_list, st.sampled_from("abw"))
def test_upper_bound_is_that_of_the_best_continuation(a: list[str], b: list[str], ties: str) -> None:
    """Each list goes on with what the other has alone, then both with the same new items."""
    new = [f"new{i}" for i in range(60)]
    best = [[*x, *(item for item in y if item not in x), *new] for x, y in ((a, b), (b, a))]
    upper = rm.rank_correlation(a, b, f"RBO(p=0.5,tail=upper,ties={ties})")
    assert math.isclose(upper, slow_rbo(*best, 0.5)[0], abs_tol=1e-12)
    bounds = [
        rm.rank_correlation(a, b, f"RBO(p=0.5,tail={tail})") for tail in ("lower", "extrapolated", "upper")
    ]
    assert bounds == sorted(bounds) or np.ptp(bounds) < 1e-12


def slow_agreement(a: dict[str, float], b: dict[str, float], d: int, ties: str) -> float:
    """A_d by the definition of each variant, of rankings that have at least d items."""

    def share(ranking: dict[str, float], item: str) -> float:
        if item not in ranking:
            return 0.0
        first = 1 + sum(score > ranking[item] for score in ranking.values())
        size = sum(score == ranking[item] for score in ranking.values())
        share = min(max((d - first + 1) / size, 0.0), 1.0)
        return float(share > 0) if ties == "w" else share

    of_a, of_b = ([share(ranking, item) for item in a | b] for ranking in (a, b))
    common = float(np.dot(of_a, of_b))
    if ties == "w":
        return 2 * common / (sum(of_a) + sum(of_b))
    return common / (d if ties == "a" else math.sqrt(np.dot(of_a, of_a) * np.dot(of_b, of_b)))


@given(of_one_length, st.sampled_from("abw"))
def test_rbo_with_ties_by_its_definition(runs: tuple[dict[str, float], dict[str, float]], ties: str) -> None:
    a, b = runs
    each = [slow_agreement(a, b, d, ties) for d in range(1, len(a) + 1)]
    wanted = 0.1 * sum(0.9**d * one for d, one in enumerate(each)) + 0.9 ** len(a) * each[-1]
    assert close(rm.rank_correlation(a, b, f"RBO(ties={ties})"), wanted)


def tied(written: str) -> dict[str, float]:
    """A ranking of items, those in brackets with the same score."""
    groups = [one or other for one, other in re.findall(r"\(([^)]*)\)|(\S+)", written)]
    return {item: -float(place) for place, group in enumerate(groups) for item in group.split()}


@pytest.mark.parametrize("tail", ["extrapolated", "lower", "upper"])
@pytest.mark.parametrize("ties", ["w", "a", "b"])
@pytest.mark.parametrize(
    ("a", "b", "p", "values"),
    [
        (
            "(i5 i9 i13 i15 i16 i19 i20) (i3 i8)",
            "i6 (i4 i18) i2 i7 i8 i17 i14 (i11 i12) i1",
            0.958074765324023,
            (
                "0.0816485573277354,0.0370062754797617,0.59493569657566,0.0808189832771587,0.0354671825076603,"
                "0.593396603603558,0.0813693619867344,0.0356267307324464,0.593556151828344"
            ),
        ),
        (
            "i13 (i1 i4 i5 i6)",
            "i3 i14 i11 (i10 i15) i12 (i6 i9) i4 i2",
            0.92238320668128,
            (
                "0.117578490431637,0.0763135264223449,0.53999366118093,0.114619469221414,0.0733545052121218,"
                "0.537945108035391,0.11474835409049,0.0734833900811979,0.538589532380772"
            ),
        ),
        (
            "(i4 i7 i15) (i2 i11) i8 i18",
            "i4 i8 i17 i11 (i2 i3 i5 i7 i9 i13 i14)",
            0.955836875418683,
            (
                "0.601671359995661,0.310498723372055,0.820912519608734,0.584235464666522,0.295503371358027,"
                "0.805839323150565,0.632087129618464,0.322093781902212,0.833840285843908"
            ),
        ),
        (
            "(i3 i5 i6 i8 i9)",
            "(i1 i6) (i8 i10) i11 i2 (i3 i4)",
            0.946588158477176,
            (
                "0.481477824833812,0.23269613702392,0.802226864320287,0.456505385192971,0.207870074991659,"
                "0.77813269033093,0.482684075039396,0.233899573241503,0.804576609682389"
            ),
        ),
        (
            "(i5 i20) (i3 i8 i10 i11) i13",
            "(i1 i2 i3 i4 i5 i6 i7 i8 i9 i10 i11 i12 i13)",
            0.956020041658117,
            (
                "0.640387430188247,0.323506576285529,0.805416533963823,0.536528176569959,0.26353157133526,"
                "0.741980233847526,0.650587440650316,0.324674914963379,0.806877156763621"
            ),
        ),
        (
            "(i4 i7 i9 i10 i14 i16) i21 (i1 i11) (i3 i6 i17 i18)",
            "(i4 i14) i10 i9 i16 i1 (i11 i21) i7",
            0.980350757903177,
            (
                "0.95731778452095,0.350742506261885,0.95731778452095,0.939619367902257,0.336112285552834,"
                "0.939619367902257,0.96333114711547,0.35963910728389,0.96333114711547"
            ),
        ),
    ],
    ids=range(6),
)
def test_rbo_of_lists_of_different_lengths_with_ties_as_its_authors_compute_it(
    a: str, b: str, p: float, values: str, ties: str, tail: str
) -> None:
    """Values of their program's own tests, github.com/julian-urbano/sigir2024-rbo, rbo/test.csv."""
    recorded = dict(zip(itertools.product("wab", ALL_TAILS), map(float, values.split(",")), strict=True))
    found = rm.rank_correlation(tied(a), tied(b), f"RBO(p={p},ties={ties},tail={tail},unseen=tied)")
    assert close(found, recorded[ties, tail])


ALL_TAILS = ("extrapolated", "lower", "upper")


def test_unseen_items_are_whole_in_the_mean_over_all_orders() -> None:
    """Their program gives less, for its unseen items are tied as those of the longer list are."""
    a, b = tied("(i3 i5)"), tied("i6 (i3 i8 i10 i1)")
    each = [rm.rank_correlation(one, other, "RBO") for one in orders(a) for other in orders(b)]
    assert close(rm.rank_correlation(a, b, "RBO(ties=a)"), float(np.mean(each)))
    assert rm.rank_correlation(a, b, "RBO(ties=a,unseen=tied)") < np.mean(each) - 0.002


def slow_kendall_distance(a: list[str], b: list[str], p: float) -> float:
    """Fagin et al., case by case."""
    total = 0.0
    for i, j in itertools.combinations(sorted({*a, *b}), 2):
        in_a, in_b = (i in a) + (j in a), (i in b) + (j in b)
        if {in_a, in_b} == {0, 2}:
            total += p
            continue
        places = [[ranking.index(k) if k in ranking else len(ranking) for k in (i, j)] for ranking in (a, b)]
        total += (places[0][0] - places[0][1]) * (places[1][0] - places[1][1]) < 0
    pairs = [len(x) * (len(x) - 1) / 2 for x in (a, b)]
    return total / (len(a) * len(b) + p * sum(pairs))


@given(some_list, some_list, st.sampled_from([0, 0.5, 1]))
def test_kendall_distance_case_by_case(a: list[str], b: list[str], p: float) -> None:
    assert close(rm.rank_correlation(a, b, f"KendallDistance(p={p})"), slow_kendall_distance(a, b, p))


@given(some_list, some_list)
def test_footrule_of_lists_with_items_of_their_own(a: list[str], b: list[str]) -> None:
    def moved(a: list[str], b: list[str]) -> int:
        rank = [{item: place for place, item in enumerate(x)} for x in (a, b)]
        return sum(abs(rank[0].get(i, len(a)) - rank[1].get(i, len(b))) for i in {*a, *b})

    most = moved(a, [item.upper() for item in b])
    assert close(rm.rank_correlation(a, b, "Footrule"), moved(a, b) / most)


def test_overlaps_by_hand() -> None:
    names = ["Overlap@2", "Overlap@1", "Jaccard", "Jaccard@1", "Overlap(denominator=shorter)"]
    values = rm.rank_correlation(LISTS["a"], LISTS["b"][:3], names)
    assert values == dict(zip(names, [1, 0, 3 / 4, 0, 1], strict=True))


COEFFICIENTS = coefficient_pages()
ALL = [
    *COEFFICIENTS,
    *("Tau(ties=a)", "Tau(items=union)", "WeightedTau(items=union)", "TauAP(ties=b)", "TauAP(items=union)"),
    *(
        "Spearman(items=union)",
        "Footrule(items=common)",
        "KendallDistance(p=0)",
        "Overlap(denominator=shorter)",
    ),
    *(
        "RBO(ties=a)",
        "RBO(ties=w)",
        "RBO(tail=lower)",
        "RBO(tail=truncated)",
        "RBO(tail=lower,ties=w)@3",
        "RBO(unseen=tied)",
        "Tau@3",
    ),
]
SYMMETRIC = [name for name in ALL if "TauAP" not in name or "ties=b" in name]


@given(a_run, a_run)
def test_bounds_and_symmetry(a: dict[str, float], b: dict[str, float]) -> None:
    there, back = rm.rank_correlation(a, b, ALL), rm.rank_correlation(b, a, ALL)
    for name, value in there.items():
        low, high = COEFFICIENTS[name.partition("(")[0].partition("@")[0]].bounds
        assert math.isnan(value) or low <= value <= high, name
        if name in SYMMETRIC and "@" not in name:
            assert close(value, back[name]), name


@given(a_run)
def test_a_ranking_agrees_with_itself(a: dict[str, float]) -> None:
    alike = ["Tau", "WeightedTau", "Spearman", "TauAP(ties=b)", "RBO", "RBO(ties=w)", "Jaccard", "Overlap"]
    for name, value in rm.rank_correlation(a, a, alike).items():
        assert math.isnan(value) or value == pytest.approx(1), name
    assert set(rm.rank_correlation(a, a, ["Footrule"]).values()) == {0}
    ranked = sorted(a)
    assert rm.rank_correlation(ranked, ranked, "KendallDistance") == 0


@given(st.lists(st.tuples(a_run, a_run), min_size=1, max_size=5))
def test_many_queries_are_as_each_alone(queries: list[tuple[dict[str, float], dict[str, float]]]) -> None:
    """And the ids' types, the order of rows and the core's ranks do not matter."""
    rows = [[(q, i, s) for q, pair in enumerate(queries) for i, s in pair[side].items()] for side in (0, 1)]
    together = rm.agree(rows[0], sorted(rows[1], key=lambda row: (row[1], row[2])), ALL)
    for q, (a, b) in enumerate(queries):
        ordered = [dict(sorted(x.items(), key=lambda pair: pair[0], reverse=True)) for x in (a, b)]
        alone = rm.rank_correlation(*ordered, ALL)
        at = together.query_ids.index(q)
        for name, value in alone.items():
            assert close(float(together.query_values(name)[at]), value), name


def test_queries_of_one_run_alone_are_counted_and_left_out() -> None:
    a = {"q1": ["a", "b"], "q2": ["a"], "q3": ["z"]}
    b = {"q3": ["z"], "q1": ["b", "a"], "q9": ["a"], "q8": ["a"]}
    agreement = rm.agree(a, b, ["Tau", "Jaccard"])
    assert agreement.query_ids == ["q1", "q3"]
    assert agreement.only == (1, 2)
    assert agreement.values == {"Tau": -1, "Jaccard": 1}
    assert agreement.averaged == {"Tau": 1, "Jaccard": 2}
    assert agreement["jaccard"] == 1
    assert agreement.per_query.rows() == [("q1", -1, 1), ("q3", None, 1)]
    assert "2 queries in both runs, 1 in run alone, 2 in other run alone" in str(agreement)
    assert "Tau: not defined in 1 of them (left out)" in str(agreement)
    record = json.loads(agreement.format("json", per_query=True))
    assert record["per_query"]["values"]["Tau"] == [-1, None]
    assert agreement.format("csv").splitlines() == ["coefficient,value", "Tau,-1.0", "Jaccard,1.0"]


def test_cutoffs_follow_the_rule_for_ties() -> None:
    a, b = {"q": {"x": 1.0, "y": 1.0}}, {"q": {"x": 2.0, "y": 1.0}}
    assert rm.agree(a, b, "Overlap@1")["Overlap@1"] == 0
    assert rm.agree(a, b, "Overlap@1", ties="item-asc")["Overlap@1"] == 1


def test_names_say_what_is_computed() -> None:
    assert str(rm.Coefficient.parse(" rbo( p = 0.9 , ties=w )@10")) == "RBO(ties=w)@10"
    assert str(rm.Coefficient.parse("weighted-tau")) == "WeightedTau"
    assert rm.Coefficient("rbo", {"ties": "w", "p": 0.9}, 10) == rm.Coefficient.parse("RBO(ties=w)@10")
    assert "indefinite rankings" in rm.Coefficient("RBO").doc
    for name in ALL:
        assert str(rm.Coefficient.parse(name)) == name


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_every_page_is_whole(name: str) -> None:
    page = COEFFICIENTS[name]
    assert re.search(rf"^    (?:{name}|RBO|τ_\w+|ρ|K\(p\)) = ", page.doc, re.MULTILINE), "formula"
    for heading in ("Range: ", "Not defined: ", "Source: "):
        assert re.search(rf"^{heading}", page.doc, re.MULTILINE), heading
    assert ">>> " in page.doc.partition("\nExample:\n")[2], "worked example"
    for parameter in page.parameters.values():
        assert re.search(rf"^    {parameter.name}: ", page.doc, re.MULTILINE), parameter.name
        assert all(f"``{choice}``" in page.doc for choice in parameter.choices), parameter.name
    assert measure_page(name).startswith(page.grammar) or name == "Spearman"  # a measure has that name, too
    assert page.grammar in coefficient_list()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Tao", "no coefficient 'Tao'; did you mean 'Tau'"),
        ("RBO(q=1)", "RBO has no parameter 'q'"),
        ("RBO(p=1)", "RBO: p=1 is not a number between 0 and 1"),
        ("Tau@0", "the cutoff is a whole number from 1"),
        ("Tau@x", "'Tau@x': the cutoff is a whole number from 1, not 'x'"),
        ("Tau[1]", "is not a coefficient: write Name, Name@10 or"),
        ("", "no coefficient asked for"),
        ("Tau(b)", "is not written parameter=value"),
        (5, "5 is no coefficient, nor the name of one"),
    ],
)
def test_what_is_no_coefficient(name: Any, message: str) -> None:
    for asked in (name, [name]):
        with pytest.raises(rm.MeasureError, match=message.replace("(", r"\(")):
            rm.rank_correlation([1.0, 2.0], [1.0, 2.0], asked)


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([1.0, 2.0], [1.0], "x has 2 scores and y 1"),
        ([1.0, math.nan], [1.0, 2.0], "1 scores that are not numbers"),
        (["a", "a"], ["a", "b"], "x has 'a' twice"),
        (["a", "b"], [1.0, 2.0], "give both in the same way"),
        ("ab", "ba", "neither a dict of scores"),
        ({"a": "b"}, {"a": 1.0}, "not a row of numbers"),
    ],
)
def test_what_is_no_ranking(x: Any, y: Any, message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.rank_correlation(x, y)


def test_what_cannot_be_compared() -> None:
    with pytest.raises(rm.DataError, match="no query in common: theirs are such as 'q' and 'p'"):
        rm.agree({"q": ["a"]}, {"p": ["a"]})
    with pytest.raises(rm.ChoiceError, match="ties='best' needs judgements"):
        rm.agree({"q": ["a"]}, {"q": ["a"]}, ties="best")
    frames = [pl.DataFrame({"user": ["q"], "item": ["a"], "p": [score]}) for score in (1.0, 2.0)]
    assert rm.agree(*frames, "Jaccard", columns={"score": "p"})["Jaccard"] == 1
    with pytest.raises(rm.ColumnError, match="does not have a column 'pp'"):
        rm.agree(*(frame.rename({"p": "score"}) for frame in frames), columns={"score": "pp"})
    with pytest.raises(rm.UsageError, match="RBO@5 was not computed; here are Tau"):
        rm.agree({"q": ["a", "b"]}, {"q": ["a", "b"]}, "Tau")["RBO@5"]


QRELS = {"q": {"a": 1, "b": 1, "c": 1}}
RUNS = {"one": {"q": ["a", "x", "b", "c"]}, "two": {"q": ["a", "b"]}, "three": {"q": ["x", "y"]}}


def test_systems_by_two_measures_and_by_two_sets_of_judgements() -> None:
    values = {m: [rm.evaluate(QRELS, run, m)[m] for run in RUNS.values()] for m in ("P@2", "MaxRank")}
    by_measures = rm.agree_on_systems({"old": QRELS}, RUNS, ["P@2", "MaxRank"], ["Tau", "TauAP"])
    assert by_measures.systems["P@2"].to_list() == values["P@2"]
    # Of ranks less is better.
    wanted = rm.rank_correlation(values["P@2"], [-value for value in values["MaxRank"]])
    assert by_measures.rows["Tau"].to_list() == [wanted]
    both = rm.agree_on_systems({"old": QRELS, "new": {"q": {"x": 1}}}, RUNS, "P@2", "Tau")
    assert both.rows.select("a", "b").rows() == [("P@2 (old)", "P@2 (new)")]
    with pytest.raises(rm.UsageError, match="orders systems in one way"):
        rm.agree_on_systems({"old": QRELS}, RUNS, "P@2")
    with pytest.raises(rm.UsageError, match="at least two systems"):
        rm.agree_on_systems({"old": QRELS}, {"one": RUNS["one"]}, ["P@2", "AP"])


def test_on_the_command_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    qrels, one, two = (str(tmp_path / name) for name in ("qrels.txt", "one.run", "two.run"))
    Path(qrels).write_text("1 0 a 1\n1 0 b 1\n")
    Path(one).write_text("1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n1 Q0 c 3 1 r\n")
    Path(two).write_text("1 Q0 b 1 3 r\n1 Q0 a 2 2 r\n1 Q0 x 3 1 r\n")

    def call(*args: str) -> tuple[int, str, str]:
        return main(["agree", *args]), *capfd.readouterr()

    code, out, err = call(one, two, "-c", "Tau Overlap@2", "-q")
    assert (code, err) == (0, "")
    assert out.splitlines()[2].split() == ["1", "-1.0000", "1.0000"]
    assert "1 query in both runs" in out
    code, out, _ = call("--qrels", qrels, "-m", "RR R@2", one, two)
    assert (code, out.splitlines()[0].split()) == (0, ["system", "RR", "R@2"])
    assert call("--qrels", qrels, "-m", "AP", one, two)[0] == 2
    saved = tmp_path / "out.json"
    assert call(one, two, "-o", str(saved))[0] == 0
    assert json.loads(saved.read_text())["queries"]["both"] == 1
    for args, message in (
        ((one,), "1 run given"),
        ((one, two, "-m", "AP"), "-m needs --qrels"),
        ((one, two, "--missing", "skip"), "--missing needs --qrels"),
        ((one, two, "--qrels", qrels, "-q"), "it is the runs that are ranked"),
        ((one, two, "--format", "trec"), "--format trec is not one of"),
    ):
        code, out, err = call(*args)
        assert (code, out) == (2, "")
        assert message in err


SOME = ["Tau", "WeightedTau", "TauAP", "Footrule", "KendallDistance@5", "RBO", "RBO(ties=w)@7", "Overlap@10"]


@pytest.mark.parametrize(
    ("ties", "duplicates", "scores", "scattered"),
    [
        ("item-desc", "error", pl.Float32, False),
        ("item-asc", "best", pl.Float64, False),
        ("input", "first", pl.Float32, True),
        ("random", "error", pl.Float64, True),
    ],
)
def test_the_lists_are_ranked_as_those_that_are_judged(
    ties: Any, duplicates: Any, scores: Any, scattered: bool
) -> None:
    """A run judged by itself and by another, whose grades are row numbers, has the ranks that agree."""
    rng = np.random.default_rng(3)
    chosen = Choices(ties=ties, duplicates=duplicates, seed=5)
    runs = []
    for lacking in (3, 600):
        items = rng.permuted(np.tile(np.arange(130), (700, 1)), axis=1)[:, :100].ravel()
        run = pl.DataFrame(
            {
                "query": np.repeat([f"q{query}" for query in range(700) if query != lacking], 100),
                "item": items[:-100] if duplicates == "error" else items[:-100] // 2,
                "score": pl.Series(rng.integers(0, 60, len(items) - 100)).cast(scores),
            }
        )
        runs.append(run.sample(fraction=1, shuffle=True, seed=lacking) if scattered else run)
    found = rm.agree(*runs, SOME, ties=ties, duplicates=duplicates, seed=5)

    def ranked(judged: pl.DataFrame, run: pl.DataFrame) -> dict[str, list[tuple[int, int, int, int]]]:
        numbered = judged.select("query", "item", relevance=pl.int_range(pl.len()))
        tables = read_inputs(numbered, run, None)
        spread, *_ = local.judged_lists(*tables, replace(chosen, ties="expected"))
        lists, _, rows = local.judged_lists(*tables, chosen)
        assert spread.ties is not None
        columns = (lists.relevance, lists.rank, *spread.ties)
        own = [zip(*(x[a:b].tolist() for x in columns), strict=True) for a, b in pairwise(lists.offsets)]
        by_row = sorted(zip(rows.tolist(), map(list, own), strict=True))
        return {judged["query"][row]: items for row, items in by_row}

    own, other, matched = ranked(runs[0], runs[0]), ranked(runs[1], runs[1]), ranked(*runs)
    assert found.query_ids == [query for query in own if query in other]
    assert found.only == (1, 1)
    for place, query in islice(enumerate(found.query_ids), 0, None, 9):
        a, b = (
            Lists(np.array([0, len(x)]), *(np.array([item[at] for item in x]) for at in (2, 3)))
            for x in (own[query], other[query])
        )
        rank_of = {row: rank for row, rank, *_ in own[query]}
        common = np.array(sorted((rank_of[row], rank) for row, rank, *_ in matched[query])).T
        alone = Pairs(a, b, np.array([0, common.shape[1]]), *map(np.ascontiguousarray, common))
        for name in SOME:
            value = found.query_values(name)[place]
            assert value.tobytes() == rm.Coefficient.parse(name).compute(alone)[0].tobytes(), (query, name)


COMPILED = [
    *(
        "Jaccard",
        "Jaccard@3",
        "Overlap",
        "Overlap(denominator=shorter)@5",
        "Tau",
        "Tau@4",
        "TauAP",
        "TauAP@10",
    ),
    *("RBO", "RBO(ties=w)", "RBO(p=0.5,ties=a)@7"),
]
PAGES_ALONE = [
    *("Tau(ties=a)", "Tau(items=union)", "TauAP(ties=b)", "TauAP(items=union)@3", "RBO(tail=lower)"),
    *("RBO(unseen=tied)", "Spearman@5"),
]


@pytest.mark.parametrize("lengths", [(0, 3), (1, 40), (4_090, 4_100)], ids=str)
@pytest.mark.parametrize("ties", [False, True])
def test_the_core_has_the_values_of_the_pages(lengths: tuple[int, int], ties: bool) -> None:
    """And leaves those of equal scores, and of lists too long for it, to the pages."""
    rng = np.random.default_rng(7)
    a, b = ({}, {})  # type: dict[str, dict[str, float]], dict[str, dict[str, float]]
    for query, run in itertools.product(map(str, range(3 if lengths[0] > 999 else 50)), (a, b)):
        length = rng.integers(*lengths) + 1
        items, scores = rng.permutation(length * 3 // 2)[:length].astype(str), rng.random(length)
        run[query] = dict(
            zip(items.tolist(), (np.round(scores, 1) if ties else scores).tolist(), strict=True)
        )
    tables = [local.columns_of(read_shared(run, "run", None)) for run in (a, b)]
    asked = coefficients_of([*COMPILED, *PAGES_ALONE])
    compiled = [each.compiled for each in asked]
    assert [each is not None for each in compiled] == [True] * len(COMPILED) + [False] * len(PAGES_ALONE)
    found: list[Any] = []
    _native.pair_lists(*tables, compiled, lambda *part: found.append(part), Choices())  # type: ignore[arg-type]
    assert sorted(np.concatenate([queries for queries, *_ in found])) == list(range(len(a)))
    for _, values, (first, second, common) in found:
        pairs = Pairs(Lists(*first), Lists(*second), *common)
        are_tied = pairs.a.tied or pairs.b.tied
        for each, known in zip(asked, values, strict=True):
            too_long = each.name == "RBO" and each.cutoff is None and lengths[0] > 999
            assert (known is None) == (str(each) in PAGES_ALONE or are_tied or too_long)
            assert known is None or known.tobytes() == each.compute(pairs).tobytes(), each


def test_runs_that_cannot_be_ranked_are_refused_in_their_own_rows() -> None:
    good = [("q", "a", 1.0), ("q", "b", 0.5), ("p", "a", 1.0)]
    twice, no_number = [*good, ("o", "a", 0.5), ("o", "a", 0.4)], [*good, ("o", "c", math.nan)]
    for runs in ((twice, no_number), (good, twice)):
        with pytest.raises(rm.DataError, match=r"1 item judged again.* in row 4, already in row 3"):
            rm.agree(*runs)
    for runs in ((no_number, twice), (good, no_number)):
        with pytest.raises(rm.DataError, match="'score' has 1 NaN, the first in row 3"):
            rm.agree(*runs)
    assert rm.agree(good, twice, duplicates="best").only == (0, 1)


def test_a_real_run_agrees_with_itself(data_file: Callable[[str], str]) -> None:
    run = data_file("trec_eval/results.test")
    agreement = rm.agree(run, run, ["Tau", "RBO", "RBO(ties=w)", "Jaccard@10", "TauAP(ties=b)"])
    assert list(agreement.values.values()) == pytest.approx([1] * 5)
    assert isinstance(agreement.per_query, pl.DataFrame)


def test_rows_of_scores_are_correlated_as_each_pair_is() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 6, (2, 20, 7)).astype(float)
    for coefficient in ("Tau", "TauAP", "Spearman"):
        expected = [rm.rank_correlation(a, b, coefficient) for a, b in zip(x, y, strict=True)]
        assert np.array_equal(rank_correlations(x, y, coefficient), expected, equal_nan=True)
