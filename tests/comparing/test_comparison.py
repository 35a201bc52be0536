"""Systems side by side: what is compared with what, on which queries, and how it is shown."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmark as rm
from rankmark import statistics
from rankmark.cli import main
from rankmark.comparing.caveats import draws_lines
from rankmark.errors import ChoiceError, DataError, UsageError
from rankmark.statistics import CORRECTIONS, TESTS
from rankmark.statistics.chance import Evidence
from rankmark.statistics.intervals import made_interval

RNG = np.random.default_rng(11)
QUERIES = [f"q{number:02}" for number in range(30)]
QRELS = {query: {f"d{i}": int(grade) for i, grade in enumerate(RNG.integers(0, 3, 12))} for query in QUERIES}
MEASURES = ["nDCG@10", "RR", "P@5"]


def run(quality: float, seed: int, queries: list[str] = QUERIES) -> dict[str, dict[str, float]]:
    """Scores that follow the grades the more, the greater the quality."""
    rng = np.random.default_rng(seed)
    return {q: {d: quality * g + rng.normal() for d, g in QRELS[q].items()} for q in queries}


RUNS = {"bm25": run(0.2, 1), "dense": run(1.5, 2), "random": run(0.0, 3)}


@pytest.fixture(scope="module")
def compared() -> rm.results.Comparison:
    return rm.compare(QRELS, RUNS, MEASURES, baseline="bm25")


def values(name: str, measure: str, **choices: str) -> np.ndarray:
    return rm.evaluate(QRELS, RUNS[name], measure, **choices).query_values(measure)


def test_each_figure_is_that_of_the_per_query_values(compared: Any) -> None:
    one, other = values("dense", "nDCG@10"), values("bm25", "nDCG@10")
    pair = compared.pair("ndcg_cut_10", "dense")
    assert (str(pair.measure), pair.system, pair.baseline, pair.queries) == ("nDCG@10", "dense", "bm25", 30)
    results = compared.results["dense"][0], compared.results["bm25"][0]
    assert (pair.value, pair.baseline_value) == tuple(result["nDCG@10"] for result in results)
    assert pair.difference == pytest.approx((one - other).mean(), rel=1e-12)
    assert pair.p == statistics.randomisation_test(one - other)
    how: dict[str, Any] = {"confidence": 0.95, "together": 1}
    assert pair.interval == made_interval("auto", one - other, differences=True, **how).ends
    assert (pair.wins, pair.ties, pair.losses) == tuple(
        int(np.count_nonzero(np.sign(one - other) == sign)) for sign in (1, 0, -1)
    )
    assert pair.cohens_d == statistics.cohens_d(one - other)
    assert pair.cliffs_delta == statistics.cliffs_delta(one, other)
    assert pair.superiority == statistics.probability_of_superiority(one - other)
    assert compared.value("dense", "nDCG@10") == results[0]["nDCG@10"]
    assert compared.made_interval("dense", "nDCG@10") == made_interval("auto", one, **how)


def test_with_a_baseline_all_others_are_compared_with_it_and_without_one_all_pairs(compared: Any) -> None:
    assert [(p.system, p.baseline) for p in compared.pairs[:2]] == [("dense", "bm25"), ("random", "bm25")]
    assert len(compared.pairs) == 6
    every = rm.compare(QRELS, RUNS, "RR")
    assert [(p.baseline, p.system) for p in every.pairs] == [
        ("bm25", "dense"),
        ("bm25", "random"),
        ("dense", "random"),
    ]


def test_results_of_different_judgements_are_not_compared() -> None:
    one = rm.evaluate(QRELS, RUNS["bm25"], "AP", hash_inputs=True)
    regraded = {query: dict.fromkeys(items, 1) for query, items in QRELS.items()}
    regraded[QUERIES[0]] = {"another": 1}
    other = rm.evaluate(regraded, RUNS["bm25"], "AP", hash_inputs=True)
    with pytest.raises(rm.DataError, match="'one' and 'other' are of different judgements"):
        rm.compare_results({"one": one, "other": other})


def test_with_several_baselines_each_other_system_is_compared_with_each_of_them() -> None:
    two = rm.compare(QRELS, RUNS, "RR", baseline=["bm25", "random"])
    assert [(p.system, p.baseline) for p in two.pairs] == [("dense", "bm25"), ("dense", "random")]
    alone = rm.compare(QRELS, RUNS, "RR", baseline="random")
    assert two.pair("RR", "dense", "random").p == alone.pair("RR", "dense").p
    with pytest.raises(UsageError, match="'dense' was compared with bm25 and random; say with which"):
        two.pair("RR", "dense")
    assert "compared are all others with bm25 and random" in " ".join(str(two).split())
    with pytest.raises(UsageError, match="every system is a baseline"):
        rm.compare(QRELS, RUNS, "RR", baseline=list(RUNS))


@pytest.mark.parametrize("test", TESTS)
def test_the_other_way_round_is_the_same_with_other_signs(test: Any) -> None:
    names = ("bm25", "dense")
    one, other = (rm.compare(QRELS, RUNS, "nDCG@10", baseline=name, test=test, seed=3) for name in names)
    there, back = one.pair("nDCG@10", "dense"), other.pair("nDCG@10", "bm25")
    assert (there.wins, there.ties, there.losses) == (back.losses, back.ties, back.wins)
    assert there.difference == -back.difference
    assert there.p == pytest.approx(back.p, rel=1e-9)
    assert there.interval.low == pytest.approx(-back.interval.high, rel=1e-9)
    assert there.superiority == pytest.approx(1 - back.superiority)
    assert there.cliffs_delta == pytest.approx(-back.cliffs_delta)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_p_values_are_corrected_over_systems_and_measures(correction: Any) -> None:
    compared = rm.compare(QRELS, RUNS, MEASURES, correction=correction, test="t")
    p = [pair.p for pair in compared.pairs]
    assert len(p) == 9
    corrected = [pair.corrected for pair in compared.pairs]
    assert corrected == statistics.corrected(p, correction).tolist()
    assert [pair.significant for pair in compared.pairs] == [p <= 0.05 for p in corrected]


def test_tukey_corrects_for_the_systems_of_a_measure() -> None:
    compared = rm.compare(QRELS, RUNS, MEASURES, correction="tukey", resamples=2_000, seed=4)
    table = np.column_stack([values(name, "RR") for name in RUNS])
    expected = statistics.randomised_tukey(table, resamples=2_000, seed=4)
    assert compared.pair("RR", "dense", "bm25").corrected == expected[1, 0]
    assert compared.pair("RR", "random", "dense").corrected == expected[2, 1]


@pytest.mark.parametrize("test", TESTS)
def test_every_test_is_that_of_the_statistics(test: Any) -> None:
    d = values("dense", "RR") - values("bm25", "RR")
    expected = {
        "randomisation": lambda: statistics.randomisation_test(d, alternative="greater"),
        "t": lambda: statistics.paired_t_test(d, alternative="greater"),
        "wilcoxon": lambda: statistics.wilcoxon_test(d, alternative="greater"),
        "sign": lambda: statistics.sign_test(d, alternative="greater"),
        "bootstrap": lambda: statistics.bootstrap_shift_test(d, alternative="greater"),
        "bounded": lambda: statistics.bounded_test(d, alternative="greater"),
    }[test]()
    compared = rm.compare(QRELS, RUNS, "RR", baseline="bm25", test=test, alternative="greater")
    assert compared.pair("RR", "dense").p == pytest.approx(expected, rel=1e-9)


def test_queries_without_a_value_are_left_out_pair_by_pair() -> None:
    runs = {"a": run(1, 1), "b": run(1, 2, QUERIES[5:]), "c": run(1, 3, QUERIES[:20])}
    compared = rm.compare(QRELS, runs, "RR", missing="skip")
    assert [pair.queries for pair in compared.pairs] == [25, 20, 15]
    pair = compared.pair("RR", "b", "a")
    d = compared.query_values("b", "RR") - compared.query_values("a", "RR")
    assert np.isnan(d).sum() == 5
    assert pair.difference == pytest.approx(np.nanmean(d), rel=1e-12)
    assert pair.interval == pytest.approx(statistics.t_interval(d), rel=1e-9)
    assert pair.p == pytest.approx(statistics.randomisation_test(d), rel=1e-9)
    assert pair.value == pytest.approx(compared.query_values("b", "RR")[5:].mean(), rel=1e-12)
    assert "compared on 15 to 25 queries, those with a value of both" in str(compared)
    assert "b: 30 queries judged, 25 answered, 5 missing (left out)" in str(compared)
    assert compared.differences["difference"].null_count() == 5 + 10 + 15


def test_a_pair_without_common_queries_has_no_figures() -> None:
    runs = {"a": run(1, 1, QUERIES[:15]), "b": run(1, 2, QUERIES[15:]), "c": run(1, 3)}
    compared = rm.compare(QRELS, runs, "RR", missing="skip")
    pair = compared.pair("RR", "b", "a")
    assert pair.queries == 0
    assert math.isnan(pair.difference)
    assert math.isnan(pair.p)
    assert not pair.significant
    assert json.loads(compared.to_json())["pairs"][0]["p"] is None
    assert "0/0/0" in compared.to_table()


def test_where_less_is_better_a_fall_is_a_win() -> None:
    compared = rm.compare(QRELS, RUNS, "MaxRank", baseline="random")
    pair = compared.pair("MaxRank", "dense")
    assert pair.difference < 0
    assert pair.better
    assert pair.wins > pair.losses
    posterior = compared.bayes("MaxRank", 0)["dense", "random"]
    assert posterior.better > 0.5 > posterior.worse


def test_the_same_seed_gives_the_same_text_whatever_the_threads() -> None:
    one, other = (rm.compare(QRELS, RUNS, MEASURES, seed=5, threads=n).to_json() for n in (1, 2))
    assert one == other


def test_results_are_aligned_by_query() -> None:
    whole = rm.evaluate(QRELS, RUNS["dense"], "RR")
    backwards = dict(reversed(QRELS.items()))
    other = rm.evaluate(backwards, RUNS["bm25"], "RR")
    part = rm.evaluate({q: QRELS[q] for q in QUERIES[3:]}, RUNS["bm25"], "RR")
    expected = rm.compare(QRELS, RUNS, "RR").pair("RR", "dense", "bm25")
    found = rm.compare_results({"bm25": other, "dense": whole}).pair("RR", "dense", "bm25")
    assert found.difference == pytest.approx(expected.difference, rel=1e-12)
    assert found.p == pytest.approx(expected.p, rel=1e-9)
    compared = rm.compare_results({"bm25": part, "dense": whole})
    assert compared.query_ids == QUERIES[3:]
    assert compared.notes[0] == "3 queries are not judged for all systems (left out)"


def test_results_with_nothing_in_common_are_refused() -> None:
    one = rm.evaluate({"a": {"x": 1}}, {"a": ["x"]}, ["RR", "AP"])
    other = rm.evaluate({"b": {"x": 1}}, {"b": ["x"]}, ["AP"])
    with pytest.raises(DataError, match="no query in common; they begin with the queries 'a', 'b'"):
        rm.compare_results({"one": one, "other": other})
    with pytest.raises(UsageError, match="no measure that all results have"):
        rm.compare_results({"one": one, "other": rm.evaluate({"a": {"x": 1}}, {"a": ["x"]}, ["P@1"])})
    with pytest.raises(UsageError, match="P@9 was not evaluated"):
        rm.compare_results({"one": one, "other": one}, "P@9")
    with pytest.raises(UsageError, match=r"'other' is neither a Result nor several: 0\.5"):
        rm.compare_results({"one": one, "other": 0.5})


def test_results_that_were_evaluated_in_other_ways_are_noted() -> None:
    one, other = (rm.evaluate(QRELS, RUNS["bm25"], "RR", ties=ties) for ties in ("best", "worst"))
    compared = rm.compare_results({"one": one, "other": other})
    assert compared.notes[0] == "the systems were not evaluated alike: ties differ"


def test_one_run_under_two_names_is_noted() -> None:
    note = "old and new have the same value in every query: is it one run under two names?"
    assert note in rm.compare(QRELS, {"old": RUNS["bm25"], "new": RUNS["bm25"]}, ["RR", "AP"]).notes
    assert note not in rm.compare(QRELS, {"old": RUNS["bm25"], "new": RUNS["dense"]}, ["RR", "AP"]).notes
    wrong = {query: ["nothing"] for query in QRELS}  # two runs without a relevant item need not be one
    assert note not in rm.compare(QRELS, {"old": wrong, "new": wrong}, ["RR", "AP"]).notes


def test_seeds_are_averaged_and_counted_in_intervals_and_p_values() -> None:
    seeds = [run(1.0, seed) for seed in range(4)]
    compared = rm.compare(QRELS, {"bm25": RUNS["bm25"], "neural": seeds}, "nDCG@10", baseline="bm25")
    each = np.column_stack([rm.evaluate(QRELS, seed, "nDCG@10").query_values("nDCG@10") for seed in seeds])
    assert compared.value("neural", "nDCG@10") == pytest.approx(each.mean(), rel=1e-12)
    found, pair = statistics.crossed(each, values("bm25", "nDCG@10")), compared.pair("nDCG@10", "neural")
    assert (pair.p, *pair.interval) == pytest.approx((found.p(), *found.interval()), rel=1e-9)
    assert compared.interval("neural", "nDCG@10") == pytest.approx(statistics.crossed(each).interval())
    within = compared.equivalence("nDCG@10", 0.1)["neural", "bm25"]
    assert within.p_above == pytest.approx(found.p("greater", null=-0.1), rel=1e-9)
    assert "neural (seed 3), neural (seed 4): 30 queries judged" in str(compared).replace("\n  ", " ")
    assert "paired t test of crossed queries and seeds, two-sided" in str(compared)
    assert "95% intervals: t of crossed queries and seeds" in str(compared)
    assert "bm25: one run says nothing of how others vary by seeds" in str(compared)
    record = json.loads(compared.format("json"))
    assert (record["test"], record["seeded"], record["seedless"]) == ("t", True, [])


def test_a_system_has_the_interval_of_its_result_alone() -> None:
    # So skewed that it is of resamples, and of more than asked for, so that its ends are known.
    rng = np.random.default_rng(0)
    qrels = {f"q{i}": {"a": 1} for i in range(60)}
    runs = {f"s{i}": {query: [*"bcdefghij"[: rng.geometric(0.1)], "a"] for query in qrels} for i in range(6)}
    results = {name: rm.evaluate(qrels, run, ["RR", "nDCG"]) for name, run in runs.items()}
    alone = results["s0"].with_intervals().intervals["RR"]
    assert alone.method == "studentised"
    made = rm.compare_results(results).made_interval("s0", "RR")
    assert (made.low, made.high, made.resamples) == (alone.low, alone.high, alone.resamples)


def test_seeds_that_are_alike_add_nothing() -> None:
    runs = {"bm25": RUNS["bm25"], "neural": [run(1.0, 0)] * 3}
    same = rm.compare(QRELS, runs, "nDCG@10", baseline="bm25")
    alone = rm.compare(
        QRELS, {**runs, "neural": run(1.0, 0)}, "nDCG@10", baseline="bm25", test="t", interval="t"
    )
    assert (same.pairs[0].p, *same.pairs[0].interval) == pytest.approx(
        (alone.pairs[0].p, *alone.pairs[0].interval), rel=1e-9
    )


def test_the_same_seed_given_twice_is_told() -> None:
    first, other = run(1.0, 0), run(1.0, 1)
    compared = rm.compare(QRELS, {"bm25": RUNS["bm25"], "neural": [first, other, first]}, "RR")
    (note,) = (note for note in compared.notes if "same value" in note)
    assert note.startswith("neural: seeds 1, 3 have the same value on every query; ")
    different = rm.compare(QRELS, {"bm25": RUNS["bm25"], "neural": [first, other]}, "RR")
    assert not any("same value" in note for note in different.notes)


def test_a_system_that_depends_on_no_seed_is_named() -> None:
    runs = {"bm25": RUNS["bm25"], "neural": [run(1.0, seed) for seed in range(3)]}
    wide = rm.compare(QRELS, runs, "nDCG@10").pairs[0].interval
    known = rm.compare(QRELS, runs, "nDCG@10", seedless="bm25")
    assert known.pairs[0].interval.high - known.pairs[0].interval.low < wide.high - wide.low
    assert "one run" not in str(known)
    assert "neural: 3 seeds or fewer say little" in str(known)
    for name, why in (("neural", "has 3 runs"), ("bm52", "is not one of the systems; did you mean")):
        with pytest.raises(UsageError, match=f"seedless='{name}' {why}"):
            rm.compare(QRELS, runs, "RR", seedless=[name])


@pytest.mark.parametrize(
    ("name", "value", "instead"),
    [
        ("test", "wilcoxon", "t"),
        ("test", "randomisation", "t"),
        ("interval", "percentile", "t"),
        ("correction", "tukey", "holm"),
    ],
)
def test_what_knows_nothing_of_seeds_is_refused(name: str, value: str, instead: str) -> None:
    runs = {"bm25": RUNS["bm25"], "neural": [run(1.0, seed) for seed in range(3)]}
    with pytest.raises(ChoiceError, match=f'{name}="{value}" knows nothing of seeds; choose "{instead}"'):
        rm.compare(QRELS, runs, "RR", **{name: value})  # type: ignore[arg-type]


def test_seeds_of_clusters_and_slices_go_by_the_same_model() -> None:
    seeds = [run(1.0, seed) for seed in range(3)]
    runs = {"bm25": RUNS["bm25"], "neural": seeds}
    users = {query: f"u{number % 7}" for number, query in enumerate(QUERIES)}
    each = np.column_stack([rm.evaluate(QRELS, seed, "RR").query_values("RR") for seed in seeds])
    by_user = statistics.crossed(each, values("bm25", "RR"), clusters=list(users.values()))
    assert rm.compare(QRELS, runs, "RR", clusters=users).pairs[0].p == pytest.approx(by_user.p(), rel=1e-9)
    first = np.array([user == "u0" for user in users.values()])
    pair = rm.compare(QRELS, runs, "RR", by=users).slices["u0"][0]  # type: ignore[index]
    alone = statistics.crossed(each[first], values("bm25", "RR")[first])
    assert (pair.p, *pair.interval) == pytest.approx((alone.p(), *alone.interval()), rel=1e-9)


def test_clusters_are_drawn_and_change_signs_as_wholes() -> None:
    users = {query: number % 12 for number, query in enumerate(QUERIES)}
    labels = [users[query] for query in QUERIES]
    d = values("dense", "RR") - values("bm25", "RR")
    for test, function in (
        ("randomisation", statistics.randomisation_test),
        ("t", statistics.paired_t_test),
        ("bootstrap", statistics.bootstrap_shift_test),
        ("bounded", statistics.bounded_test),
    ):
        compared = rm.compare(QRELS, RUNS, "RR", baseline="bm25", clusters=users, test=test)
        pair = compared.pair("RR", "dense")
        assert pair.p == pytest.approx(function(d, clusters=labels), rel=1e-9)
        expected = statistics.auto_interval(d, differences=True, clusters=labels).ends
        assert pair.interval == pytest.approx(expected, rel=1e-9)
    assert "compared on 30 queries in 12 clusters" in str(compared)
    for test in ("wilcoxon", "sign"):
        with pytest.raises(ChoiceError, match=f'test="{test}" knows no clusters'):
            rm.compare(QRELS, RUNS, "RR", clusters=users, test=test)
    for nothing in (None, math.nan, ""):
        with pytest.raises(DataError, match="clusters says nothing of 1 query, such as 'q03'"):
            rm.compare(QRELS, RUNS, "RR", clusters=users | {"q03": nothing})
    with pytest.raises(DataError, match=r"clusters has both .* and '1', which read alike"):
        rm.compare(QRELS, RUNS, "RR", clusters=dict.fromkeys(QRELS, 1) | {"q03": "1"})
    with pytest.raises(DataError, match="clusters says nothing of 29 queries, such as 'q01'"):
        rm.compare(QRELS, RUNS, "RR", clusters={"q00": 1})


def test_clusters_can_be_a_column() -> None:
    """Of the attributes, the judgements or the first run; ids may be written otherwise."""
    qrels = pl.DataFrame([(number, d, g) for number, q in enumerate(QUERIES) for d, g in QRELS[q].items()],
                         schema=["query", "item", "relevance"], orient="row")  # fmt: skip
    runs = {
        name: pl.DataFrame(
            [(number, d, score) for number, q in enumerate(QUERIES) for d, score in RUNS[name][q].items()],
            schema=["query", "item", "score"],
            orient="row",
        )
        for name in ("bm25", "dense")
    }
    users = {number: number % 7 for number in range(30)}
    expected = rm.compare(qrels, runs, "RR", clusters=users)
    visitor = (pl.col("query") % 7).alias("visitor")
    attributes = pl.DataFrame({"query": list(map(str, users)), "visitor": users.values(), "age": 9})
    for found in (
        rm.compare(qrels.with_columns(visitor), runs, "RR", clusters="visitor"),
        rm.compare(qrels, {**runs, "bm25": runs["bm25"].with_columns(visitor)}, "RR", clusters="visitor"),
        rm.compare(qrels, runs, "RR", clusters="visitor", attributes=attributes),
    ):
        assert found.pairs == expected.pairs
        assert (found.clusters, found.slices) == (7, None)
    both = rm.compare(qrels, runs, "RR", clusters="visitor", by="age", attributes=attributes)
    assert both.pairs == expected.pairs
    assert [each.members for each in both.slices.pairs] == [30]
    assert json.loads(both.to_json())["clusters"] == 7


@pytest.mark.parametrize(
    ("clusters", "kind", "message"),
    [
        ("visiter", rm.ColumnError, "clusters='visiter': no table has such a column; did you mean 'visitor'"),
        ("query", rm.ColumnError, "clusters='query': that column of attributes is the query itself"),
        ("grade", rm.DataError, "query 'q01' has '1', '2'; a query can be in one cluster only"),
        ("visitor", rm.DataError, "clusters says nothing of 28 queries, such as 'q02'"),
        (7, rm.UsageError, "clusters is of type int; give {query: what it belongs to}"),
    ],
)
def test_columns_that_are_no_clusters(clusters: Any, kind: Any, message: Any) -> None:
    attributes = pl.DataFrame({"query": ["q00", "q01", "q01"], "visitor": 1, "grade": [1, 1, 2]})
    with pytest.raises(kind) as caught:
        rm.compare(QRELS, RUNS, "RR", clusters=clusters, attributes=attributes if clusters != 7 else None)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"baseline": "bm26"}, r"baseline='bm26' is not one of the systems .*; did you mean 'bm25'"),
        ({"baseline": "runs/bm25.run"}, r"baseline='runs/bm25.run' is not one .*; did you mean 'bm25'"),
        ({"test": "ttest"}, "test='ttest' is not one of randomisation, t, wilcoxon, sign, bootstrap"),
        ({"correction": "holms"}, "did you mean 'holm'"),
        ({"alternative": "both"}, "alternative='both' is not one of two-sided, greater, less"),
        ({"interval": "BCA"}, "did you mean 'bca'"),
        ({"alpha": 5}, "alpha=5 is not a number above 0 and below 1; did you mean 0.05?"),
        ({"alpha": "5%"}, "alpha='5%' is not a number above 0 and below 1; usual is 0.05"),
        ({"confidence": 95}, "confidence=95 is not a number above 0 and below 1"),
        ({"resamples": 0}, "resamples=0 is not a whole number from 1"),
        ({"correction": "tukey", "test": "t"}, 'correction="tukey" goes with test="randomisation"'),
        ({"ties": "bset"}, "did you mean 'best'"),
    ],
)
def test_wrong_choices_are_refused(wrong: Any, message: Any) -> None:
    with pytest.raises(UsageError, match=message):
        rm.compare(QRELS, RUNS, "RR", **wrong)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(UsageError, match="1 system to compare; give two or more"):
        rm.compare(QRELS, {"a": RUNS["bm25"]}, "RR")
    with pytest.raises(UsageError, match="give them by name"):
        rm.compare(QRELS, [RUNS["bm25"], RUNS["dense"]], "RR")


def test_movers_are_the_queries_that_changed_most(compared: Any) -> None:
    movers = compared.movers(3, "RR")
    assert len(movers) == 6
    d = values("dense", "RR") - values("bm25", "RR")
    assert [abs(m.difference) for m in movers[:3]] == pytest.approx(sorted(abs(d))[:-4:-1])
    first = movers[0]
    assert first.value - first.baseline_value == first.difference == d[QUERIES.index(first.query)]
    with pytest.raises(ChoiceError, match="count=0"):
        compared.movers(0)


def test_power_counts_clusters_and_not_their_queries() -> None:
    # Ten users with four queries each, on all of which a system is as much better: as good as ten queries.
    qrels = {f"q{i}": {"a": 1} for i in range(40)}
    runs = {
        "old": {query: ["x", "a"] for query in qrels},
        "new": {query: [f"x{j}" for j in range(i // 4 % 3)] + ["a"] for i, query in enumerate(qrels)},
    }
    users = {query: i // 4 for i, query in enumerate(qrels)}
    [alone] = rm.compare(qrels, runs, "RR", baseline="old").power("RR", difference=0.1)
    [own] = rm.compare(qrels, runs, "RR", baseline="old", clusters=users).power("RR", difference=0.1)
    of_users = 1 / (1 + np.arange(10) % 3) - 0.5
    assert (own.queries, own.clusters, own.deviation) == (40, 10, alone.deviation)
    assert own.detectable == pytest.approx(statistics.detectable_difference(of_users.std(ddof=1), 10))
    assert own.needed == 4 * statistics.queries_needed(0.1, of_users.std(ddof=1))
    assert own.design_effect == pytest.approx(4 * 39 / 36)  # 4, but for the two degrees of freedom
    assert alone.detectable < own.detectable / 2


def test_variance_power_and_equivalence_of_a_measure(compared: Any) -> None:
    table = np.column_stack([values(name, "RR") for name in RUNS])
    assert compared.anova("RR") == statistics.two_way_anova(table)
    [dense, random] = compared.power("RR", difference=0.1)
    d = table[:, 1] - table[:, 0]
    assert (dense.system, random.system, dense.queries) == ("dense", "random", 30)
    assert dense.deviation == pytest.approx(d.std(ddof=1))
    assert dense.detectable == pytest.approx(statistics.detectable_difference(dense.deviation, 30))
    assert dense.needed == statistics.queries_needed(0.1, dense.deviation)
    assert (dense.clusters, dense.design_effect) == (None, 1.0)  # without rounding
    assert compared.power("RR")[0].difference == pytest.approx(d.mean())
    found = compared.equivalence("RR", 0.2)
    assert list(found) == [("dense", "bm25"), ("random", "bm25")]
    assert found["dense", "bm25"][:5] == statistics.equivalence(d, 0.2)


def test_tables_have_a_row_a_pair_and_a_row_a_query(compared: Any) -> None:
    table = compared.table
    assert table.height == 6
    assert table.row(0, named=True)["p"] == compared.pairs[0].p
    assert {"low", "high", "corrected", "wins"} <= set(table.columns)
    queries = compared.differences
    assert queries.height == 6 * 30
    one = queries.filter((pl.col("measure") == "RR") & (pl.col("system") == "dense"))
    assert one["difference"].to_numpy() == pytest.approx(values("dense", "RR") - values("bm25", "RR"))


def test_asking_for_what_was_not_compared_says_what_was(compared: Any) -> None:
    with pytest.raises(UsageError, match=r"AP was not compared; here are nDCG@10, RR, P@5"):
        compared.value("bm25", "AP")
    with pytest.raises(UsageError, match=r"'dnse' is not one of the systems .*; did you mean 'dense'"):
        compared.value("dnse", "RR")
    with pytest.raises(
        UsageError, match="'random' was not compared with 'dense'; compared are dense with bm25"
    ):
        compared.pair("RR", "random", "dense")


# --- As text ----------------------------------------------------------------------------------------------


def test_the_table_has_marks_figures_and_an_account() -> None:
    compared = rm.compare(QRELS, RUNS, ["nDCG@10"], baseline="bm25")
    lines = str(compared).splitlines()
    assert lines[0].split() == ["system", "nDCG@10"]
    assert lines[2].split() == ["bm25", f"{compared.value('bm25', 'nDCG@10'):.4f}"]
    assert lines[3].split() == ["dense", f"{compared.value('dense', 'nDCG@10'):.4f}↑"]
    assert lines[6].split()[:6] == ["measure", "system", "difference", "95%", "interval", "p"]
    assert lines[8].split()[:2] == ["nDCG@10", "dense"]
    assert f"{compared.pairs[0].wins}/{compared.pairs[0].ties}/{compared.pairs[0].losses}" in lines[8]
    text = str(compared)
    tested = "randomisation test (random signs), two-sided; p-values exact; corrected by Holm over 2 tests"
    assert tested in " ".join(text.split())
    assert "↑ better, ↓ worse than bm25 (p ≤ 0.05)" in text
    assert "95% intervals: t over queries\n" in text
    assert "compared on 30 queries" in text
    assert "bm25, dense, random: 30 queries judged, all answered" in text


def test_of_all_pairs_letters_say_which_system_one_is_better_than() -> None:
    compared = rm.compare(QRELS, RUNS, "nDCG@10")
    lines = str(compared).splitlines()
    assert lines[2].startswith("bm25 (a)")
    assert lines[3].split()[:2] == ["dense", "(b)"]
    assert lines[3].rstrip().endswith("ac")
    assert "a letter: better than the system with that letter" in str(compared)
    assert lines[6].split()[:3] == ["measure", "system", "against"]


def test_json_has_all_figures(compared: Any) -> None:
    record = json.loads(compared.to_json(movers=1, margin=0.1, per_query=True))
    assert record["baselines"] == ["bm25"]
    assert (record["test"], record["correction"], record["alpha"]) == ("randomisation", "holm", 0.05)
    assert record["systems"]["dense"]["measures"]["RR"]["value"] == values("dense", "RR").mean()
    assert record["systems"]["dense"]["measures"]["RR"]["signature"].startswith("RR|rel:1|")
    assert record["systems"]["dense"]["queries"]["answered"] == 30
    assert [pair["p"] for pair in record["pairs"]] == [pair.p for pair in compared.pairs]
    assert record["pairs"][0]["low"] == compared.pairs[0].interval.low
    assert len(record["movers"]) == len(record["equivalence"]) == 6
    assert record["per_query"]["query"] == QUERIES
    assert record["per_query"]["values"]["RR"]["dense"] == values("dense", "RR").tolist()


def test_csv_reads_back(compared: Any) -> None:
    rows = list(csv.DictReader(io.StringIO(compared.to_csv())))
    assert [float(row["p"]) for row in rows] == [pair.p for pair in compared.pairs]
    assert rows[0]["significant"] in ("true", "false")
    queries = list(csv.DictReader(io.StringIO(compared.to_csv(per_query=True))))
    assert len(queries) == 3 * 30
    assert [float(row["dense"]) for row in queries[30:60]] == values("dense", "RR").tolist()
    movers = list(csv.DictReader(io.StringIO(compared.to_csv(movers=2))))
    assert len(movers) == 12


def test_latex_is_a_table_for_the_paper(compared: Any) -> None:
    text = rm.compare(
        QRELS, {"a_b": RUNS["bm25"], "c&d": RUNS["dense"]}, ["nDCG@10"], baseline="a_b"
    ).to_latex()
    assert text.startswith("\\begin{table}\n\\centering\n\\caption{nDCG@10 on 30 queries. The best is bold. ")
    assert (
        "\\dag{} significantly better than a\\_b (p $\\leq$ 0.05). Randomisation test (random signs)" in text
    )
    assert "c\\&d & \\textbf{0." in text
    assert "}$^{\\dagger}$ \\\\" in text
    assert text.count("\\begin{tabular}") == 1
    assert all(line.isascii() for line in compared.to_latex().splitlines() if not line.startswith("%"))


def test_a_name_can_neither_steer_a_terminal_nor_leave_its_line() -> None:
    named = {"bad\x1b[2J\n\\input{x}": RUNS["bm25"], "b": RUNS["dense"]}
    for baseline in (None, next(iter(named))):
        compared = rm.compare(QRELS, named, "RR", baseline=baseline)
        for name in ("table", "markdown", "latex"):
            text = compared.format(name)
            assert "\x1b" not in text
            assert not any(line.startswith("\\input") for line in text.splitlines())


def test_markdown_html_and_short_form(compared: Any) -> None:
    assert compared.to_markdown().startswith("| system | ")
    assert ">dense</td>" in compared._repr_html_()
    assert repr(compared).startswith("<Comparison of bm25, dense, random by nDCG@10, RR, P@5; ")
    escaped = rm.compare(QRELS, {"<b>": RUNS["bm25"], "x": RUNS["dense"]}, "RR")._repr_html_()
    assert "<b>" not in escaped


def test_the_ending_of_a_file_says_how_to_write_it(compared: Any, tmp_path: Path) -> None:
    compared.write(tmp_path / "out.tex")
    assert (tmp_path / "out.tex").read_text() == compared.to_latex()
    with pytest.raises(UsageError, match="format='trec' is not one of table, json, csv, markdown, latex"):
        compared.write(tmp_path / "out.txt", "trec")


def test_equivalence_is_corrected_for_all_pairs_and_measures(compared: Any) -> None:
    each = [compared.equivalence(measure, 0.2) for measure in compared.measures]
    found = [own for pairs in each for own in pairs.values()]
    assert len(found) == 6
    for name, corrected in (("p", "corrected"), ("p_not_worse", "corrected_not_worse")):
        by_holm = statistics.corrected([getattr(own, name) for own in found], "holm")
        assert [getattr(own, corrected) for own in found] == pytest.approx(by_holm)
    shown = {(own.corrected <= 0.05, own.corrected_not_worse <= 0.05): own.verdict for own in found}
    words = {(True, True): "equivalent", (False, True): "not worse", (False, False): "not shown"}
    assert shown.items() <= words.items()
    table = compared.to_table(margin=0.2)
    assert re.search(r"p not worse +\(holm\) +p equivalent +\(holm\) +within 0.2", table)


def test_variance_goes_by_clusters_seeds_and_shards() -> None:
    users = {query: number % 6 for number, query in enumerate(QUERIES)}
    two = {name: RUNS[name] for name in ("bm25", "dense")}
    clustered = rm.compare(QRELS, two, "RR", clusters=users, test="t")
    assert clustered.anova("RR")["system"].p == pytest.approx(clustered.pairs[0].p)
    assert clustered.anova("RR").levels == {"cluster": 6, "system": 2}
    runs = {name: [run(shift, seed) for seed in range(3)] for name, shift in (("old", 0.2), ("new", 1.0))}
    seeded = rm.compare(QRELS, runs, "RR")
    table = np.array([[rm.evaluate(QRELS, r, "RR").query_values("RR") for r in own] for own in runs.values()])
    table = table.transpose(2, 0, 1)
    assert seeded.anova("RR") == statistics.balanced_anova(
        table, ("query", "system", "seed"), random=("query", "seed"), nested={"seed": "system"}
    )
    assert list(seeded.anova("RR", replicates="shard").rows) == [
        "query",
        "system",
        "shard",
        "query × system",
        "query × shard",
        "system × shard",
        "residual",
    ]
    assert rm.compare(QRELS, runs, "RR", clusters=users).anova("RR").levels["cluster"] == 6
    record = json.loads(seeded.to_json(anova=True))["anova"]
    assert [each["source"] for each in record] == list(seeded.anova("RR").rows)
    assert record[0]["p"] == pytest.approx(seeded.anova("RR")["query"].p)
    assert re.search(r"RR +seed\(system\) .* residual\n", seeded.to_table(anova=True))
    with pytest.raises(DataError, match="systems have 1 and 3 results"):
        rm.compare(QRELS, {**runs, "bm25": RUNS["bm25"]}, "RR").anova("RR")


def test_how_likely_a_system_is_worse_equivalent_or_better(compared: Any) -> None:
    d = values("dense", "RR") - values("bm25", "RR")
    found = compared.bayes("RR", 0.05)["dense", "bm25"]
    own = statistics.student_posterior(d, 0.05)
    assert tuple(found) == pytest.approx((0.05, *own[1:]))
    drawn = compared.bayes("RR", 0.05, method="bootstrap")["dense", "bm25"]
    assert tuple(drawn) == pytest.approx(tuple(statistics.bootstrap_posterior(d, 0.05)))
    record = json.loads(compared.to_json(rope=0.05))["bayes"]
    assert len(record) == 6
    first = next(each for each in record if each["measure"] == "RR" and each["system"] == "dense")
    assert first["better"] == pytest.approx(found.better)
    assert re.search(r"95% credible +P\(worse\) +P\(within 0.05\) +P\(better\)", compared.to_table(rope=0.05))
    with pytest.raises(ChoiceError, match="rope=-1 is not a number from 0"):
        compared.to_table(rope=-1)
    with pytest.raises(ChoiceError, match="method='sampler' is not one of t, bootstrap"):
        compared.bayes("RR", 0.05, method="sampler")


def test_where_most_pairs_of_differences_lie_is_asked_by_name(compared: Any) -> None:
    d = values("dense", "RR") - values("bm25", "RR")
    found = compared.bayes("RR", 0.05, method="signed-rank")["dense", "bm25"]
    drawn = statistics.signed_rank_posterior(d, 0.05)
    assert (found.worse, found.equivalent, found.better) == (drawn.below, drawn.within, drawn.above)
    assert found.difference == pytest.approx(d.mean())
    text = compared.to_table(rope=0.05, posterior="signed-rank")
    assert "credible" not in text
    assert "of ranks and not of the mean" in " ".join(text.split())
    record = json.loads(compared.to_json(rope=0.05, posterior="signed-rank"))
    assert (record["posterior"], record["bayes"][0]["low"]) == ("signed-rank", None)
    with pytest.raises(UsageError, match=r'posterior="signed-rank" is of a region .* add rope=0.01'):
        compared.to_table(posterior="signed-rank")
    seeded = rm.compare(QRELS, {"bm25": RUNS["bm25"], "new": [RUNS["dense"], RUNS["random"]]}, "RR")
    with pytest.raises(ChoiceError, match='method="signed-rank" knows nothing of seeds'):
        seeded.bayes("RR", 0.05, method="signed-rank")


def test_equivalence_says_what_is_shown(compared: Any) -> None:
    same = rm.compare(QRELS, {"one": RUNS["bm25"], "other": run(0.2, 1)}, "RR", baseline="one")
    assert "equivalent" not in same.to_table()
    with pytest.raises(ChoiceError, match="margin=-1 is not a number above 0"):
        compared.to_table(margin=-1)
    assert " not worse\n" in compared.to_table(margin=0.4) or " equivalent\n" in compared.to_table(margin=0.4)


# --- slices ------------------------------------------------------------------------------------------------


def in_slices(**how: Any) -> rm.results.Comparison:
    """New is better for the first six queries, and worse for the other four."""
    qrels = {f"q{i}": {"a": 1} for i in range(10)}
    good, bad = ({query: list(items) for query in qrels} for items in ("ab", "ba"))
    new = {query: good[query] if int(query[1:]) < 6 else bad[query] for query in qrels}
    old = {query: bad[query] if int(query[1:]) < 6 else good[query] for query in qrels}
    by = {query: "head" if int(query[1:]) < 6 else "tail" for query in qrels}
    return rm.compare(qrels, {"old": old, "new": new}, "RR", baseline="old", by=by, **how)


def test_slices_are_comparisons_of_their_queries_corrected_for_all_of_them() -> None:
    head, tail = in_slices().slices.pairs
    assert [(each.by, each.slice, each.members) for each in (head, tail)] == [
        (head.by, "head", 6),
        (head.by, "tail", 4),
    ]
    assert (head.pair.difference, tail.pair.difference) == (0.5, -0.5)
    assert (head.pair.wins, tail.pair.losses) == (6, 4)
    # Random signs of equal differences: 2 of the 2⁶, and of the 2⁴; Holm doubles the smaller.
    assert (head.pair.p, tail.pair.p) == (2 / 64, 2 / 16)
    assert (head.pair.corrected, tail.pair.corrected) == (4 / 64, 2 / 16)
    assert not head.pair.significant
    alone = in_slices(correction="none").slices.pairs[0].pair
    assert (alone.corrected, alone.significant) == (2 / 64, True)


def test_slices_are_shown_and_written() -> None:
    slices = in_slices().slices
    assert "p: randomisation test (random signs), corrected by Holm over all slices" in str(slices)
    assert slices.frame["slice"].to_list() == ["head", "tail"]
    assert json.loads(slices.format("json"))["slices"][0]["difference"] == 0.5
    assert len(slices.format("csv").splitlines()) == 3


def test_slices_of_queries_that_are_not_there_are_refused() -> None:
    with pytest.raises(rm.DataError, match="none of the 10 judged queries has a value"):
        in_slices().by({"other": "head"})


def test_slices_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text("query,item,country\n1,a,se\n2,a,no\n")
    Path("one.csv").write_text("query,item,score\n1,a,2\n1,b,1\n2,b,2\n2,a,1\n")
    Path("two.csv").write_text("query,item,score\n1,b,2\n1,a,1\n2,a,2\n2,b,1\n")
    call = ["compare", "q.csv", "one.csv", "two.csv", "-m", "RR", "--baseline", "one", "--by", "country"]
    assert main(call) == 0
    out = capsys.readouterr().out
    assert re.search(r"RR +two +one +no +1 +1.0000 +\+0.5000", out)
    assert re.search(r"RR +two +one +se +1 +0.5000 +-0.5000", out)
    assert main([*call, "--format", "latex"]) == 0
    assert r"no & one & 1 & 0.5000 \\" in (text := capsys.readouterr().out)
    assert r" & two & 1 & \textbf{1.0000} \\" in text


def test_measures_are_found_by_the_names_of_a_convention() -> None:
    qrels = {"q1": {"a": 2, "b": 1}, "q2": {"a": 1}}
    runs = {"one": {"q1": ["a", "b"], "q2": ["a"]}, "two": {"q1": ["b", "a"], "q2": ["a"]}}
    comparison = rm.compare(qrels, runs, "ndcg@10", like="lightgbm")
    assert str(comparison.pair("ndcg@10", "two", "one").measure) == "nDCG(gain=exp2)@10"


def test_a_system_where_a_measure_is_asked_for(compared: Any) -> None:
    order = re.escape(
        "is a system, where a measure is asked for; the order is pair(measure, system, baseline)"
    )
    for ask in (compared.pair, lambda one, other: compared.value(other, one)):
        with pytest.raises(rm.UsageError, match=f"'dense' {order}"):
            ask("dense", "RR")
    table = {"label": [1, 0, 1], "a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}
    with pytest.raises(rm.UsageError, match=f"'B' {order}"):
        rm.compare_predictions(table, {"A": "a", "B": "b"}, "AUC").pair("B", "AUC")
    named = rm.compare(QRELS, {"RR": RUNS["bm25"], "AP": RUNS["dense"]}, "AP")
    assert named.pair("AP", "AP", "RR").system == "AP"


# --- What was evaluated before -----------------------------------------------------------------------------


def test_a_result_takes_the_place_of_its_run(tmp_path: Path) -> None:
    fresh = rm.compare(QRELS, RUNS, MEASURES, resamples=99)
    name = next(iter(RUNS))
    rm.evaluate(QRELS, RUNS[name], MEASURES, hash_inputs=True).save(tmp_path / "x.rankmark")
    stored = {**RUNS, name: rm.load(tmp_path / "x.rankmark")}
    assert str(rm.compare(QRELS, stored, MEASURES, resamples=99)) == str(fresh)
    opened = {**RUNS, name: tmp_path / "x.rankmark"}
    assert str(rm.compare(QRELS, opened, MEASURES, resamples=99)) == str(fresh)
    alone: dict[str, Any] = dict.fromkeys(("a", "b"), str(tmp_path / "x.rankmark"))
    assert rm.compare_results(alone, resamples=99).pairs[0].difference == 0
    with pytest.raises(UsageError, match="compare_results compares them"):
        rm.compare(QRELS, dict.fromkeys(RUNS, stored[name]), MEASURES)
    with pytest.raises(UsageError, match=f"{name} was evaluated otherwise"):
        rm.compare(QRELS, stored, MEASURES, missing="skip")
    fewer = dict(list(QRELS.items())[1:])
    with pytest.raises(DataError, match=f"{name} was evaluated against other judgements"):
        rm.compare(fewer, stored, MEASURES)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("qrels.txt a.run b.run", 0, ""),
        ("qrels.txt a.rankmark b.run", 0, ""),
        ("a.rankmark b.rankmark", 0, ""),
        ("a.rankmark b.run", 2, "b.run is no saved result: to evaluate it, give the judgements first"),
        ("a.rankmark b.rankmark --missing skip", 2, "--missing is of evaluations, and these are results"),
        ("qrels.txt a.rankmark b.run --ties best", 2, "a was evaluated otherwise: RR with ties:item-desc"),
        ("qrels.txt a.rankmark b.run -m AP", 2, "AP was not evaluated; here are RR"),
    ],
)
def test_saved_results_on_the_command_line(
    line: str,
    code: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("".join(f"q{i} 0 a 1\n" for i in range(9)))
    for name, best in (("a", "ax"), ("b", "xa")):
        rows = (f"q{i} Q0 {d} 1 {2 - r} x\n" for i in range(9) for r, d in enumerate(best))
        Path(f"{name}.run").write_text("".join(rows))
        main(["eval", "qrels.txt", f"{name}.run", "-m", "RR", "-o", f"{name}.rankmark"])
    asked = [] if "-m" in line or line.startswith("a.rankmark") else ["-m", "RR"]
    assert main(["compare", *line.split(), *asked, "--resamples", "99"]) == code
    out, err = capfd.readouterr()
    assert said in err
    assert ("RR       b       a" in out) is (code == 0)


def test_figures_call_a_measure_what_it_was_asked_for_as() -> None:
    runs = {"x": {"q": ["a"], "r": ["a"]}, "y": {"q": ["b"], "r": ["a"]}}
    (pair,) = rm.compare({"q": {"a": 1}, "r": {"a": 1}}, runs, "map").pairs
    assert pair.figures["measure"] == "map"


def test_counts_are_whole_wherever_they_are_shown() -> None:
    runs = {"x": {"q": ["a", "b"], "r": ["a"]}, "y": {"q": ["b"], "r": ["a"]}}
    qrels = {"q": {"a": 1, "b": 1}, "r": {"a": 1}}
    compared = rm.compare(qrels, runs, "NumRelRet", baseline="x", by={"q": "s", "r": "t"}, resamples=99)
    shown = compared.format(per_query=True, movers=1)
    assert ["x", "3"] in [line.split() for line in shown.splitlines()]
    assert "NumRelRet  y               -1" in shown
    assert "NumRelRet  q      2  1" in shown
    assert "NumRelRet  y       x         s            1      1          -1" in shown
    sliced = rm.evaluate(qrels, runs["x"], "NumRelRet", by={"q": "s", "r": "t"})
    assert "NumRelRet  s            1      2" in str(sliced)
    gated = rm.gate(qrels, runs["x"], runs["y"], "NumRelRet", max_drop="50%", at_least={"NumRelRet": 2})
    assert [gated.reason(each) for each in (*gated.measures, *gated.limits)] == [
        "passed: NumRelRet 3 → 2, worse by 33.33%; allowed 50%; decided by the point estimate on 2 queries",
        "passed: NumRelRet 2; wanted at least 2; decided by the point estimate on 2 queries",
    ]


def test_what_is_told_of_several_systems_is_said_once() -> None:
    qrels = {"q": {"a": 1}, "r": {"a": 1}}
    alike = rm.compare(qrels, {"x": {"q": ["a"], "r": ["b"]}, "y": {"q": ["b"], "r": ["a"]}}, "MeanRank")
    (line,) = [each for each in str(alike).splitlines() if "queries judged" in each]
    assert line == "x, y: 2 queries judged, all answered"
    assert str(alike).count("short lists gain") == 1
    apart = str(rm.compare(qrels, {"x": {"q": ["a"]}, "y": {"q": ["b"], "r": ["a"]}}, "MeanRank"))
    assert "x: 2 queries judged, 1 answered, 1 missing" in apart
    assert "y: 2 queries judged, all answered\nall: MeanRank: what a list leaves out" in apart


def test_figures_of_a_pair_are_all_there_and_say_what_stands_behind_p() -> None:
    first = {f"q{i}": {"a": 1} for i in range(12)}
    good, bad = ({query: list(items) for query in first} for items in ("ab", "ba"))
    bad["q3"] = ["a", "b"]
    comparison = rm.compare(first, {"old": bad, "new": good}, "RR", baseline="old", test="wilcoxon")
    figures = comparison.pair("RR", "new").figures
    assert (figures["wins"], figures["ties"], figures["losses"]) == (11, 1, 0)
    behind = {name: figures[name] for name in ("way", "n", "statistic", "freedom", "zeros", "tied")}
    assert behind == {"way": "exact", "n": 11, "statistic": 66.0, "freedom": None, "zeros": 1, "tied": 11}


def test_what_a_test_is_told_besides_changes_p() -> None:
    qrels, runs = {f"q{i}": {"a": 1} for i in range(9)}, {}
    for name, places in {"old": (1, 1, 1, 2, 2, 3, 1, 1, 2), "new": (1, 2, 2, 1, 1, 1, 1, 3, 1)}.items():
        runs[name] = {f"q{i}": [*"xyz"[: at - 1], "a"] for i, at in enumerate(places)}
    told = [
        rm.compare(qrels, runs, "RR", test="wilcoxon", test_options=options).pairs[0].p
        for options in ({}, {"zeros": "pratt"}, {"method": "normal"})
    ]
    d = np.array([0.5, 0.5, 2 / 3, 0.5]), np.array([0.5, 0.5, 2 / 3])
    own = np.concatenate([d[0], -d[1], [0, 0]])
    ways: tuple[dict[str, Any], ...] = ({}, {"zeros": "pratt"}, {"method": "normal"})
    assert told == pytest.approx([statistics.wilcoxon_test(own, **way) for way in ways])
    assert len(set(told)) == 3
    with pytest.raises(ChoiceError, match="takes no 'zeros'"):
        rm.compare(qrels, runs, "RR", test="t", test_options={"zeros": "pratt"})


def test_a_difference_that_is_the_same_on_every_query_has_no_t_and_says_so() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(30)}
    good, bad = ({query: list(items) for query in qrels} for items in ("ab", "ba"))
    runs = {"old": bad, "new": good}
    by_t = rm.compare(qrels, runs, "RR", test="t")
    assert math.isnan(by_t.pairs[0].p)
    assert not by_t.pairs[0].significant
    assert "paired t test: no p-value of 1 pair, new against old by RR" in "\n".join(by_t.notes)
    assert rm.compare(qrels, runs, "RR").pairs[0].p == 2.0**-29


def test_ranks_that_disagree_with_the_mean_are_pointed_out() -> None:
    """Most queries gain a little and some lose as much altogether: ranks find a gain, the mean has none."""
    qrels = {f"q{i}": {f"r{j}": 1 for j in range(40)} for i in range(40)}
    base = [f"r{j}" for j in range(20)] + [f"x{j}" for j in range(20)]
    gain = [f"r{j}" for j in range(21)] + [f"x{j}" for j in range(19)]
    loss = [f"r{j}" for j in range(14)] + [f"x{j}" for j in range(26)]
    runs = {
        "old": dict.fromkeys(qrels, base),
        "new": {query: loss if int(query[1:]) < 6 else gain for query in qrels},
    }
    ranked = rm.compare(qrels, runs, "P@40", test="sign")
    assert ranked.pairs[0].significant
    assert not rm.compare(qrels, runs, "P@40").pairs[0].significant
    note = "significant by the sign test, not by the randomisation test (random signs), which is of the mean"
    assert note in "\n".join(ranked.notes)
    assert note in str(ranked).replace("\n  ", " ")


def test_details_show_statistics_and_intervals_of_effects() -> None:
    rng = np.random.default_rng(8)
    runs = {name: rng.beta(2, 3, 40) + shift for name, shift in (("a", 0), ("b", 0.2), ("c", 0.1))}
    compared = rm.compare_matrix(runs, "AP", baseline="a", test="t")
    pair = compared.pair("AP", "b")
    d = np.asarray(runs["b"] - runs["a"])
    assert pair.cohens_d_interval == statistics.cohens_d_interval(d)
    assert pair.cliffs_delta_interval == statistics.cliffs_delta_interval(runs["b"], runs["a"])
    assert pair.superiority_interval == statistics.superiority_interval(d)
    assert pair.simultaneous == pytest.approx(statistics.t_interval(d, confidence=0.975))
    assert pair.evidence is not None
    plain, shown = compared.format(), compared.format(details=True)
    assert "statistic" not in plain
    assert re.search(r"measure +system +test +statistic +df +n +d +delta +superiority +95% of", shown)
    low, high = pair.cohens_d_interval
    ends = re.escape(f"{low:+.2f} … {high:+.2f}")
    assert re.search(rf"AP +b +t +{pair.evidence.statistic:.6g} +39 +40 +.*{ends}", shown)
    whole = json.loads(compared.format("json"))["pairs"][0]
    assert (whole["freedom"], whole["n"], whole["way"]) == (39, 40, "t")
    assert (whole["cohens_d_low"], whole["cohens_d_high"]) == pair.cohens_d_interval
    assert (whole["simultaneous_low"], whole["simultaneous_high"]) == pair.simultaneous


@pytest.mark.parametrize("grouped", [False, True], ids=["queries", "clusters"])
@pytest.mark.parametrize("interval", ["auto", "t", "bca", "studentised"])
def test_an_interval_of_all_together_is_never_narrower_than_that_of_the_pair(
    interval: Any, grouped: bool
) -> None:
    rng = np.random.default_rng(5)
    queries = [f"q{number}" for number in range(40)]
    runs = {name: dict(zip(queries, rng.exponential(1, 40) ** 2, strict=True)) for name in "abc"}
    clusters = {query: number // 3 for number, query in enumerate(queries)}

    def compared(systems: str, **how: Any) -> Any:
        some = {name: runs[name] for name in systems}
        options = {"interval": interval, "resamples": 2_000, "clusters": clusters if grouped else None}
        return rm.compare_matrix(some, "cost", better={"cost": "less"}, **options, **how)

    for pair in compared("abc").pairs:
        assert pair.simultaneous.low < pair.interval.low < pair.interval.high < pair.simultaneous.high
    (pair,) = compared("ab").pairs
    assert pair.simultaneous == pair.interval
    for pair in compared("abc", correction="none").pairs:
        assert pair.simultaneous == pair.interval


def test_effects_of_clusters_of_queries_have_no_interval_that_takes_queries_for_independent() -> None:
    rng = np.random.default_rng(9)
    runs = {"a": {f"q{i}": v for i, v in enumerate(rng.random(30))}}
    runs["b"] = {query: value + 0.1 * rng.random() for query, value in runs["a"].items()}
    pair = rm.compare_matrix(runs, "AP", clusters={query: int(query[1:]) // 3 for query in runs["a"]}).pairs[
        0
    ]
    assert math.isnan(pair.cohens_d_interval.low)
    assert math.isnan(pair.superiority_interval.low)
    assert pair.cliffs_delta_interval.low < pair.cliffs_delta < pair.cliffs_delta_interval.high
    assert pair.evidence is not None
    assert pair.evidence.n == 10


def test_p_values_of_few_and_skewed_differences_say_so() -> None:
    rng = np.random.default_rng(2)
    gains = (rng.random(25) < 0.15) * rng.exponential(0.2, 25) + rng.normal(0.3, 0.01, 25)
    comparison = rm.compare_matrix({"old": np.full(25, 0.3), "new": gains}, "AP", baseline="old", test="t")
    assert comparison.pairs[0].caution == "skewed"
    note = "1 p-value, of new against old by AP, may be too small as of mean differences"
    assert note in "\n".join(comparison.notes)
    how_often = re.search(
        r"where the mean is 0, about (\d+)% of such have p ≤ 0.05", "\n".join(comparison.notes)
    )
    assert how_often is not None
    assert 8 <= int(how_often[1]) <= 20
    assert 'test="bounded" holds its level whatever their skewness' in "\n".join(comparison.notes)
    matrix = {"old": np.full(25, 0.3), "new": gains}
    bounded = rm.compare_matrix(matrix, "AP", baseline="old", test="bounded")
    assert not any("too small" in note for note in bounded.notes)
    assert bounded.pairs[0].p > 5 * comparison.pairs[0].p
    even = rm.compare_matrix({"old": np.zeros(25), "new": rng.random(25)}, "AP", test="t")
    assert "too small" not in "\n".join(even.notes)


def test_the_bounded_test_takes_the_ends_of_the_measure_or_those_that_are_said() -> None:
    rng = np.random.default_rng(3)
    matrix = {"old": rng.random(30), "new": rng.random(30) + 0.9}
    d = matrix["new"] - matrix["old"]
    with pytest.raises(ChoiceError, match="those of points have no such; choose another test, or say"):
        rm.compare_matrix(matrix, "points", test="bounded")
    with pytest.raises(ChoiceError, match="'reach'=0 is not a number above 0"):
        rm.compare_matrix(matrix, "points", test="bounded", test_options={"reach": 0})
    with pytest.raises(DataError, match=r"differences are beyond reach=1, up to 1\.\d+"):
        rm.compare_matrix(matrix, "AP", test="bounded")
    said = rm.compare_matrix(matrix, "points", test="bounded", test_options={"reach": 2})
    assert said.pairs[0].p == pytest.approx(statistics.bounded_test(d, reach=2), rel=1e-9)
    # A query that weighs twice as much as the mean one can move the mean by twice as much.
    half = {name: own / 2 for name, own in matrix.items()}
    weights = {number: 2.0 if number < 10 else 0.5 for number in range(30)}
    weighed = rm.compare_matrix(half, "AP", test="bounded", weights=weights)
    weight = np.array(list(weights.values()))
    ratio, other = (float(np.average(half[name], weights=weight)) for name in ("new", "old"))
    linear = ratio - other + weight / weight.mean() * (d / 2 - ratio + other)
    reach = 2 + (ratio - other)
    assert weighed.pairs[0].p == pytest.approx(statistics.bounded_test(linear, reach=reach), rel=1e-6)


def test_where_test_and_interval_disagree_about_0_it_is_told() -> None:
    # 8 of 8 differences above 0 have p = 2/2⁸ by their signs; of one that is large t is less sure.
    matrix = {"old": [0.0] * 8, "new": [0.01] * 7 + [0.5]}
    how: dict[str, Any] = {"better": "more", "interval": "t"}
    apart = rm.compare_matrix(matrix, "x", test="sign", **how)
    assert (apart.pairs[0].p, apart.pairs[0].interval.low < 0) == (2 / 2**8, True)
    (note,) = (note for note in apart.notes if "disagree" in note)
    assert note.startswith("1 pair, new against old by x: p = 0.0078, and the 95% interval holds 0")
    for alike in (
        rm.compare_matrix(matrix, "x", test="t", **how),
        rm.compare_matrix(matrix, "x", test="sign", alternative="greater", **how),
    ):
        assert not any("disagree" in note for note in alike.notes)


def test_how_many_p_values_are_exact_is_said() -> None:
    rng = np.random.default_rng(2)
    queries = [f"q{i}" for i in range(60)]
    values = {name: dict(zip(queries, rng.normal(size=60), strict=True)) for name in "ab"}
    values["c"] = values["a"] | {query: values["a"][query] + 0.1 for query in queries[:9]}
    compared = rm.compare_matrix(values, "m", baseline="a")
    (drawn,) = (pair.evidence.draws for pair in compared.pairs if pair.evidence and pair.evidence.draws)
    text = " ".join(str(compared).split())
    assert f"{drawn:,} resamples for 1 of 2 p-values, others exact, seed 0; corrected by" in text
    assert "p-values exact; corrected" in str(
        rm.compare_matrix({n: values[n] for n in "ac"}, "m", baseline="a")
    )
    tukey = str(rm.compare_matrix(values, "m", correction="tukey", resamples=99, seed=3))
    assert "of each measure, 99 resamples, seed 3" in " ".join(tukey.split())


def test_false_discoveries_are_not_multiplied_by_all_tests_to_find_too_few_resamples() -> None:
    """None of 40 tests that are at 1/1000 is too great at .05 for Benjamini and Hochberg; for Holm all."""
    drawn = [(0.001, Evidence("drawn", 50, draws=999))] * 40 + [(0.9, Evidence("drawn", 50, draws=999))] * 20
    assert list(draws_lines(drawn, "benjamini-hochberg", 0.05)) == []
    (line,) = draws_lines(drawn, "holm", 0.05)
    assert line.startswith(
        "60 p-values of 999 resamples: the smallest there can be, 0.001, is too great for 60"
    )
    alone = [drawn[0], *drawn[-20:] * 4]
    assert len(list(draws_lines(alone, "benjamini-hochberg", 0.05))) == 1


def test_with_seeds_t_and_its_degrees_of_freedom_are_shown_that_give_p() -> None:
    rng = np.random.default_rng(1)
    queries = [f"q{i}" for i in range(30)]
    given: dict[str, Any] = {
        name: [rng.normal(mean, 1, 30) + rng.normal(0, 0.3) for _ in range(4)]
        for name, mean in (("old", 0.0), ("new", 0.6))
    }
    qrels = {query: {"a": 1} for query in queries}
    runs = {
        name: [
            {q: ["a", "b"] if v > 0 else ["b", "a"] for q, v in zip(queries, own, strict=True)}
            for own in each
        ]
        for name, each in given.items()
    }
    pair = rm.compare(qrels, runs, "RR", baseline="old").pair("RR", "new")
    assert pair.evidence is not None
    assert pair.evidence.freedom is not None
    expected = 2 * stats.t.sf(abs(pair.evidence.statistic), pair.evidence.freedom)
    assert pair.p == pytest.approx(expected, rel=1e-6)


def test_clusters_in_a_column_of_the_attributes_go_with_results_and_matrices(tmp_path: Path) -> None:
    matrix = {"old": {f"q{i}": i / 9 for i in range(8)}, "new": {f"q{i}": i / 8 for i in range(8)}}
    users = {f"q{i}": f"u{i // 2}" for i in range(8)}
    table = tmp_path / "users.csv"
    table.write_text("query,user\n" + "".join(f"{query},{user}\n" for query, user in users.items()))
    by_column = rm.compare_matrix(matrix, "AP", attributes=table, clusters="user")
    assert by_column.pairs == rm.compare_matrix(matrix, "AP", clusters=users).pairs
    assert by_column.clusters == 4
    assert by_column.slices is None


@pytest.mark.parametrize(
    ("how", "message"),
    [
        (
            {"clusters": [1] * 8},
            "clusters is of type list; give {query: what it belongs to}, such as dict(zip(",
        ),
        ({"clusters": [1] * 8, "test": "sign"}, "clusters is of type list"),
        ({"clusters": np.ones(8)}, "clusters is of type ndarray"),
        ({"test": "exact"}, "did you mean 'randomisation'?"),
        ({"test": "mid-p"}, "did you mean 'sign'?"),
        (
            {"test": "wilcoxon", "test_options": "zeros"},
            "test_options='zeros' is no mapping; give each one its",
        ),
    ],
)
def test_what_is_meant_is_said(how: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.UsageError, match=re.escape(message)):
        rm.compare(QRELS, RUNS, MEASURES, **how)


def test_csv_of_several_tables_is_refused_before_anything_is_read(capsys: Any) -> None:
    line = "compare nowhere.txt a.run b.run -o x.csv --margin 0.1 --anova"
    assert main(line.split()) == 2
    assert "CSV is one table: take one of margin, anova, or another format" in capsys.readouterr().err


def test_the_difference_of_two_hit_rates_has_tangos_interval() -> None:
    one, other = np.zeros(40), np.zeros(40)
    one[:9] = other[:2] = other[30] = 1.0
    matrix = {"old": other, "new": one}
    pair = rm.compare_matrix(matrix, "HitRate@10", baseline="old").pairs[0]
    assert (pair.method, pair.caution) == ("tango", "")
    assert pair.interval == pytest.approx(statistics.tango_interval(one - other))
    same = rm.compare_matrix({"old": one, "new": one}, "HitRate@10", baseline="old").pairs[0]
    assert same.interval.high > 0.05
    users = rm.compare_matrix(matrix, "HitRate@10", clusters=dict(enumerate(np.arange(40) // 2)))
    assert users.pairs[0].method != "tango"
    with pytest.raises(ChoiceError, match='interval="tango" knows no clusters'):
        rm.compare_matrix(
            matrix, "HitRate@10", clusters=dict(enumerate(np.arange(40) // 2)), interval="tango"
        )
    with pytest.raises(ChoiceError, match='interval="tango" is of differences of values that are 0 or 1'):
        rm.compare_matrix({"old": one / 2, "new": other}, "AP", interval="tango")
    chosen = rm.compare_matrix(matrix, "HitRate@10", interval="tango")
    assert chosen.made_interval("old", "HitRate@10").method == "wilson"


def test_details_have_no_column_that_is_empty() -> None:
    header = rm.compare(QRELS, RUNS, MEASURES).to_markdown(details=True)
    assert "| df |" not in header
    assert "| zeros |" not in header
    by_t = rm.compare(QRELS, RUNS, MEASURES, test="t").to_markdown(details=True)
    assert "| df |" in " ".join(by_t.split())
    assert "tied" in rm.compare(QRELS, RUNS, MEASURES, test="wilcoxon").to_markdown(details=True)


def test_where_a_few_clusters_have_most_queries_the_variance_says_so() -> None:
    two = {name: RUNS[name] for name in ("bm25", "dense")}
    even = {query: number % 6 for number, query in enumerate(QUERIES)}
    uneven = {query: max(0, number - len(QUERIES) + 6) for number, query in enumerate(QUERIES)}
    line = "analysis of variance: a few clusters have most queries"
    assert line not in rm.compare(QRELS, two, "RR", clusters=even).to_table(anova=True)
    compared = rm.compare(QRELS, two, "RR", clusters=uneven)
    assert line in compared.to_table(anova=True)
    assert line not in compared.to_table()


def test_what_is_neither_better_nor_worse_is_marked_as_different() -> None:
    qrels = {f"q{i}": {"a": 1, "b": 0} for i in range(12)}
    runs = {"old": {query: ["a", "b"] for query in qrels}, "new": {query: ["x", "a"] for query in qrels}}
    found = rm.compare(qrels, runs, "RR, Judged@2", baseline="old", test="sign")
    assert not found.pair("Judged@2", "new").better
    assert "≠ different from it" in str(found)
    assert "↑ better, ↓ worse than old" in str(found)


def test_results_of_several_runs_are_compared_as_they_are_and_where_they_were_saved(tmp_path: Path) -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(8)}
    runs = {"old": {q: ["b", "a"] for q in qrels}, "new": {q: ["a"] for q in qrels}}
    both = rm.evaluate(qrels, runs, "RR")
    path = str(tmp_path / "both.rankmark")
    both.save(path)
    expected = rm.compare(qrels, runs, "RR").pair("RR", "new", "old").difference
    for given in (both, path, {"both": path}, {"both": [path]}):
        assert rm.compare_results(given).pair("RR", "new", "old").difference == expected == 0.5
    worse = {q: ["b", "c", "a"] for q in qrels}
    assert [*rm.compare(qrels, {"both": path, "worse": worse}, "RR").systems] == ["old", "new", "worse"]
    compared = rm.compare_results({"both": both, "worse": rm.evaluate(qrels, worse, "RR")})
    assert [*compared.systems] == ["old", "new", "worse"]
    with pytest.raises(UsageError, match="two systems are called new, one of them in both"):
        rm.compare_results({"new": both["new"], "both": both})


def test_a_file_of_several_results_is_compared_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(8)}
    runs = {"old": {q: ["b", "a"] for q in qrels}, "new": {q: ["a"] for q in qrels}}
    both: Any = rm.evaluate(qrels, runs, "RR")
    both.save(tmp_path / "both.rankmark")
    for name, own in both.results.items():
        own.save(tmp_path / f"{name}.rankmark")
    whole, old, new = (str(tmp_path / f"{name}.rankmark") for name in ("both", "old", "new"))
    assert main(["compare", whole, "--baseline", "old"]) == 0
    assert "0.5000" in capsys.readouterr().out
    assert main(["gate", old, new, "-m", "RR", "--max-drop", "2%"]) == 0
    assert main(["gate", new, old, "-m", "RR", "--max-drop", "2%"]) == 1
    assert main(["compare", str(tmp_path / "qrels.txt")]) == 2
    assert main(["gate", old, str(tmp_path / "new.run"), "-m", "RR", "--max-drop", "2%"]) == 2
    assert "give the judgements first" in capsys.readouterr().err
    assert main(["gate", old, whole, "-m", "RR", "--max-drop", "2%"]) == 2
    assert "save the one that is meant by itself" in capsys.readouterr().err
