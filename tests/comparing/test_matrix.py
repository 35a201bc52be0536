"""Comparisons of values that others computed, in every form in which these are kept."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main

ADHOC8 = Path(__file__).parents[2].parent / "shared/data/urbano_sigir2019/data/adhoc8_ap.csv"
OLD = {"q1": 0.1, "q2": 0.5, "q3": 0.25, "q4": 0.0}
NEW = {"q1": 0.4, "q2": 0.75, "q3": 0.5, "q4": 0.25}
WIDE = pl.DataFrame({"query": list(OLD), "old": list(OLD.values()), "new": list(NEW.values())})
LONG = WIDE.unpivot(index="query", variable_name="run_id", value_name="value")


def csv(table: pl.DataFrame, folder: Path) -> str:
    path = folder / "matrix.csv"
    table.write_csv(path)
    return str(path)


def parquet(table: pl.DataFrame, folder: Path) -> str:
    path = folder / "matrix.parquet"
    table.write_parquet(path)
    return str(path)


def printed(folder: Path) -> dict[str, str]:
    """What trec_eval -q prints of two measures, with its columns and its last lines."""
    paths = {}
    for name, values in (("old", OLD), ("new", NEW)):
        lines = [
            f"map                   \t{q}\t{v:.4f}\nnum_ret               \t{q}\t10"
            for q, v in values.items()
        ]
        lines += ["runid                 \tall\ttag", f"map                   \tall\t{0.2:.4f}"]
        paths[name] = str(folder / f"{name}.eval")
        Path(paths[name]).write_text("\n".join(lines) + "\n")
    return paths


FORMS: dict[str, Callable[[Path], Any]] = {
    "frame": lambda _: WIDE,
    "pandas": lambda _: WIDE.to_pandas().set_index("query").reset_index(),
    "csv": lambda folder: csv(WIDE, folder),
    "parquet": lambda folder: parquet(WIDE, folder),
    "long": lambda _: LONG,
    "long csv": lambda folder: csv(LONG, folder),
    "long with measures": lambda _: LONG.with_columns(metric=pl.lit("map")),
    "dicts": lambda _: {"old": OLD, "new": NEW},
    "dicts of measures": lambda _: {
        name: {query: {"map": value} for query, value in own.items()}
        for name, own in (("old", OLD), ("new", NEW))
    },
    "array": lambda _: np.column_stack([list(OLD.values()), list(NEW.values())]),
    "by position": lambda _: {"old": list(OLD.values()), "new": np.array(list(NEW.values()))},
    "series": lambda _: {
        "old": WIDE["old"],
        "new": WIDE.to_pandas().set_index("query")["new"].reset_index()["new"],
    },
    "trec_eval": printed,
    "tables": lambda folder: {
        "old": csv(WIDE.select("query", map="old"), folder),
        "new": WIDE.select("query", map="new"),
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_a_matrix_in_any_form_is_the_same_comparison(form: str, tmp_path: Path) -> None:
    compared = rm.compare_matrix(FORMS[form](tmp_path), "map")
    (pair,) = compared.pairs
    assert pair.queries == 4
    assert abs(pair.difference) == pytest.approx(0.2625)
    assert pair.p == 0.125  # four of four queries: 2 / 2⁴
    assert [len(each[0].query_ids) for each in compared.results.values()] == [4, 4]


def test_results_are_compared_as_the_tables_of_their_queries() -> None:
    qrels, run = {"q1": {"a": 1}, "q2": {"a": 1}}, {"q1": ["a"], "q2": ["b", "a"]}
    ours = rm.evaluate(qrels, run, "RR")
    compared = rm.compare_matrix({"ours": ours, "theirs": {"q1": {"RR": 0.5}, "q2": {"RR": 0.5}}}, "RR")
    assert compared.value("ours", "RR") == 0.75
    assert compared.value("theirs", "RR") == 0.5


def test_queries_may_be_numbers_beyond_those_with_a_sign() -> None:
    compared = rm.compare_matrix({"a": {2**63 + 5: 0.1, 2: 0.3}, "b": {2**63 + 5: 0.2, 2: 0.3}}, "AP")
    assert compared.query_ids == [2**63 + 5, 2]


def test_what_is_better_is_known_by_the_name_or_said() -> None:
    of = {"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 4.0]}
    assert rm.compare_matrix(of, "MaxRank").pair("MaxRank", "b").better is False
    assert rm.compare_matrix(of, "human preference").pair("human preference", "b").better is True
    assert rm.compare_matrix(of, "seconds", better="less").pair("seconds", "b").better is False


def test_a_name_that_is_not_known_is_told() -> None:
    of = {"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 4.0]}
    (note, *_) = rm.compare_matrix(of, "nDGC@10").results["a"][0].notes
    assert note.startswith(
        "nDGC@10 is no measure known here, and more of it is taken for better; did you mean"
    )
    assert not rm.compare_matrix(of, "nDGC@10", better="more").results["a"][0].notes


def test_sums_stay_sums_and_what_values_do_not_tell_is_refused() -> None:
    of = {"a": [1.0, 2.0], "b": [3.0, 5.0]}
    assert rm.compare_matrix(of, "num_rel_ret").value("b", "num_rel_ret") == 8
    for name in ("AUC", "gm_map", "AP(mean=median)"):
        with pytest.raises(rm.MeasureError, match="is no mean of the values of queries"):
            rm.compare_matrix(of, name)
    with pytest.raises(rm.MeasureError, match=r"no mean of the values of queries.*'mean hit_ratio@10'"):
        rm.compare_matrix(of, "hit_ratio@10")


def test_queries_without_a_value_are_left_out_and_counted() -> None:
    compared = rm.compare_matrix({"a": {"q1": 1.0, "q2": 0.5}, "b": {"q1": 0.5, "q2": 0.25, "q3": 1.0}})
    assert compared.pair("value", "b").queries == 2
    assert "1 query without a value (left" in str(compared)


def test_it_is_saved_and_signed_as_given() -> None:
    compared = rm.compare_matrix({"a": OLD, "b": NEW}, "my measure")
    own = compared.results["a"][0]
    assert own.signature("my measure").startswith("my measure|values:given|rankmark:")
    with pytest.raises(rm.UsageError, match="what computed them is not known"):
        own.evaluation("my measure")


def test_a_saved_comparison_of_given_values_is_the_same(tmp_path: Path) -> None:
    compared = rm.compare_matrix({"a": OLD, "b": NEW}, "my measure")
    compared.save(tmp_path / "c.rankmark")
    again = rm.load(tmp_path / "c.rankmark")
    assert str(again) == str(compared)


@pytest.mark.parametrize(
    ("matrix", "how", "message"),
    [
        ({"a": OLD, "b": {"q1": "x"}}, {}, "'b' does not hold numbers"),
        (
            pl.concat([LONG, LONG[:1]]),
            {},
            "2 rows of 'old' have a value of the same query, the first of query 'q1'",
        ),
        (LONG.drop("query"), {}, "no column known as the query; say which"),
        (LONG, {"columns": {"system": "run"}}, "has no column 'run'; did you mean 'run_id'"),
        (WIDE, {"columns": {"sistem": "run"}}, "'sistem' is no role of a matrix; did you mean 'system'"),
        (WIDE, {"columns": {"systems": ["old"]}}, "1 system to compare"),
        (WIDE.with_columns(x=pl.lit("text")), {}, "the value column 'x' is .*not numbers"),
        (np.ones((2, 2, 2)), {}, "the array has 3 dimensions"),
        (7, {}, "the matrix is of type int; give a path"),
        ({"a": OLD, "b": {"q1": {"AP": 1}, "q2": 3}}, {}, "dicts of values of others"),
        ({"a": {"q1": {"AP": 1}}, "b": {"q1": {"RR": 1}}}, {}, "'a' has no values of RR, which others have"),
        (
            {"a": {"q1": {"AP": 1.0}}, "b": {"q1": {"AP": 1.0}}},
            {"measures": "RR"},
            "no values of 'RR'; there are AP",
        ),
        ({"a": [1, 2], "b": [1, np.inf]}, {}, "'b' has 1 infinite value by value, the first of query 1"),
        ({"a": OLD, "b": NEW}, {"measures": ["AP", "RR"]}, "one name for it, not 2"),
        (
            {"a": {"q1": {f"m{i}": 1 for i in range(9)}}, "b": {"q1": {}}},
            {},
            "values of 9 measures; say which",
        ),
        ({"a": [], "b": []}, {}, "the matrix has no values"),
        ({"a": {1: 0.1, 2: 0.3}, "b": [0.2, 0.3]}, {}, "those of 'a' by query; give all in one way"),
        ({"a": [1, 2, 3], "b": [1, 2]}, {}, "'a' has 3 values by position, and 'b' 2"),
        ({"a": {1: 0.1, "1": 0.3}, "b": {1: 0.2}}, {}, "the queries of 'a' are of the types int, str"),
        ({"a": OLD, "b": NEW}, {"tset": "t"}, "unexpected keyword argument 'tset'; did you mean 'test'"),
        (
            {"a": OLD, "b": NEW},
            {"margin": 0.1},
            "takes no margin=; of a comparison there is",
        ),
    ],
    ids=range(21),
)
def test_bad_matrices_are_refused(matrix: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.compare_matrix(matrix, **how)


@pytest.mark.skipif(not ADHOC8.exists(), reason="the shared data are not beside the checkout")
def test_published_p_values_come_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of Urbano, Lima and Hanjalic (SIGIR 2019), run125 against run126: .0013193972 by t."""
    how = ["-m", "AP", "--baseline", "run125", "--correction", "none", "--format", "json"]
    assert main(["compare-matrix", str(ADHOC8), "--test", "t", *how]) == 0
    assert '"p": 0.00131939720' in capsys.readouterr().out


def test_files_of_trec_eval_are_compared_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = printed(tmp_path)
    assert main(["compare-matrix", *paths.values(), "-m", "map", "--baseline", "old"]) == 0
    out = capsys.readouterr().out
    assert "map" in out
    assert "0.1250" in out
    assert main(["compare-matrix", paths["old"], "-m", "map"]) == 2
    assert "of one system; give that of each" in capsys.readouterr().err
    assert main(["compare-matrix", str(tmp_path / "none.csv")]) == 2


def test_superiority_and_wins_are_of_what_is_better_and_say_the_same() -> None:
    matrix = {"old": [0.5, 0.5, 0.5, 0.5], "new": [0.1, 0.2, 0.5, 0.9]}
    for better, wins, superiority in (("more", (1, 1, 2), 0.375), ("less", (2, 1, 1), 0.625)):
        compared = rm.compare_matrix(matrix, "error", better=better, baseline="old")
        (pair,) = compared.pairs
        assert (pair.wins, pair.ties, pair.losses) == wins
        assert pair.superiority == superiority == (wins[0] + wins[1] / 2) / 4
        assert pair.superiority_interval.low < superiority < pair.superiority_interval.high
        assert pair.cliffs_delta == -0.25
        assert ("less is better of error: differences, d and delta" in str(compared)) is (better == "less")


def test_ties_are_those_of_the_sign_test() -> None:
    matrix = {"old": [0.0] * 5, "new": [0.005, -0.01, 0.2, 0.3, -0.4]}
    compared = rm.compare_matrix(matrix, "AP", baseline="old", test="sign", test_options={"tie": 0.01})
    (pair,) = compared.pairs
    assert (pair.wins, pair.ties, pair.losses) == (2, 2, 1)
    assert pair.evidence is not None
    assert (pair.evidence.n, pair.evidence.zeros) == (3, 2)
    assert pair.superiority == 0.6


def test_marks_of_many_systems_are_no_digits_of_values() -> None:
    rng = np.random.default_rng(2)
    matrix = {f"s{i}": (rng.random(20) / 10 + i / 40).tolist() for i in range(28)}
    compared = rm.compare_matrix(matrix, "AP")
    row = next(line for line in str(compared).splitlines() if line.startswith("s27"))
    assert re.fullmatch(r"s27 \(b1\) +0\.\d{4}abc.*z.*", row)
    assert "s26 (a1)" in str(compared)


@pytest.mark.parametrize(
    ("how", "what", "least"),
    [
        ({"interval": "percentile"}, "the ends of a 95% interval by the percentile bootstrap", 39),
        ({"interval": "bca"}, "the ends of a 95% interval by the BCa bootstrap", 39),
        ({"interval": "studentised", "confidence": 0.99}, "99% interval by the studentised bootstrap", 199),
        ({"test": "bootstrap", "interval": "t"}, "p-values of the bootstrap-shift test at 0.05", 19),
        (
            {"correction": "tukey", "alpha": 0.01, "interval": "t"},
            "p-values of the randomised Tukey HSD at 0.01",
            99,
        ),
    ],
)
def test_too_few_resamples_are_refused_with_how_many_it_takes(
    how: dict[str, Any], what: str, least: int
) -> None:
    matrix = {"old": [0.1, 0.2, 0.3, 0.2, 0.1, 0.4], "new": [0.5, 0.2, 0.4, 0.9, 0.3, 0.7]}
    with pytest.raises(rm.ChoiceError, match=re.escape(f"{what}; give {least} or more")):
        rm.compare_matrix(matrix, "AP", **how, resamples=least - 1)
    assert rm.compare_matrix(matrix, "AP", **how, resamples=least).pairs


def test_intervals_of_too_few_resamples_are_refused_of_values_and_of_predictions() -> None:
    run = {f"q{i}": ["a", "b"] if i % 4 else ["b", "a"] for i in range(8)}
    result = rm.evaluate({query: {"a": 1} for query in run}, run, "RR")
    with pytest.raises(rm.ChoiceError, match=r"resamples=1 is too few .* give 39 or more"):
        result.with_intervals(method="percentile", resamples=1)
    table = {"label": [0, 1] * 4, "one": [0.1, 0.9] * 4, "other": [0.3, 0.4] * 4}
    systems = {"one": "one", "other": "other"}
    with pytest.raises(rm.ChoiceError, match=r"resamples=3 is too few .* give 39 or more"):
        rm.compare_predictions(table, systems, "Brier", interval="bca", resamples=3)
    with pytest.raises(rm.ChoiceError, match=r"resamples=3 is too few .* give 19 or more"):
        rm.compare_predictions(table, systems, "Brier", test="bootstrap", resamples=3)


def test_a_least_p_value_at_the_level_is_marked_and_has_no_note_against_it() -> None:
    rng = np.random.default_rng(3)
    new = (rng.random(40) + 0.5).tolist()
    compared = rm.compare_matrix({"old": [0.0] * 40, "new": new}, "points", test="bootstrap", resamples=19)
    assert compared.pairs[0].p == 0.05
    assert compared.pairs[0].significant
    assert not any("too great" in note for note in compared.notes)


@pytest.mark.parametrize("figure", [1, 5.0])
def test_what_two_values_of_a_measure_cannot_differ_by_is_refused(figure: float) -> None:
    compared = rm.compare_matrix({"old": [0.1, 0.2, 0.3], "new": [0.2, 0.4, 0.1]}, "AP")
    for asked in (
        lambda: compared.equivalence("AP", figure),
        lambda: compared.bayes("AP", figure),
        lambda: rm.power(compared, difference=figure),
        lambda: rm.power(compared, max_drop=figure),
        lambda: rm.power(compared, width=2 * figure),
    ):
        with pytest.raises(rm.ChoiceError, match=r"=\d+: values of AP are from 0 to 1, so that"):
            asked()
    unknown = rm.compare_matrix({"old": [0.1, 0.2, 0.3], "new": [0.2, 0.4, 0.1]}, "points")
    assert unknown.equivalence("points", figure)["new", "old"].verdict


def test_values_in_per_cent_are_told() -> None:
    compared = rm.compare_matrix({"old": [0.1, 0.2, 0.3, 1], "new": [20, 40, 10, 0.5]}, "AP")
    assert "3 values of AP beyond 0 to 1, up to 40: is another measure meant, or per cent?" in re.sub(
        r"\s+", " ", str(compared)
    )
    assert "beyond" not in str(rm.compare_matrix({"old": [0.1, 0.2, 1], "new": [0.4, 0.1, 0.5]}, "AP"))


def test_too_few_queries_for_anything_to_be_significant_are_told() -> None:
    alone = rm.compare_matrix({"old": [0.1], "new": [0.9]}, "AP")
    assert "1 query says nothing of others; p-values and intervals take several" in alone.notes[0]
    new = [0.5, 0.6, 0.7, 0.8, 0.9]
    for test, least in (("randomisation", "0.062"), ("sign", "0.062"), ("wilcoxon", "0.062")):
        compared = rm.compare_matrix({"old": [0.0] * 5, "new": new}, "AP", test=test)
        assert compared.pairs[0].p == 0.0625
        assert f"{least}" in next(note for note in compared.notes if "too few queries" in note)
    enough = rm.compare_matrix({"old": [0.0] * 6, "new": [0.4, *new]}, "AP")
    assert enough.pairs[0].significant
    assert not any("too few" in note for note in enough.notes)


def test_the_words_of_a_command_are_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text("query,a,b,c\nq1,.1,.2,x\nq2,.3,.2,y\nq3,.5,.8,z\n")
    asked = ["compare-matrix", str(path), "-m", "AP"]
    assert main(asked) != 0
    assert "name the columns of values with --column systems=" in capsys.readouterr().err
    wilcoxon = ["--column", "systems=a,b", "--test", "wilcoxon", "--test-option"]
    assert main([*asked, *wilcoxon, "digits=None"]) == 0
    capsys.readouterr()
    assert main([*asked, *wilcoxon, "digits=-1"]) == 2
    assert "--test wilcoxon: 'digits'=-1 is neither a whole number" in capsys.readouterr().err
    Path(path).write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\n")
    assert main(asked) != 0
    assert "matrix '" in capsys.readouterr().err


def test_intervals_name_both_systems_and_equal_systems_have_a_delta_of_nought() -> None:
    values = [0.1, 0.2, 0.7, 0.3, 0.9, 0.15, 0.35]
    matrix = {"old": values, "new": values, "other": [0.1, 0.2, 0.7, 0.3, 0.9, 0.1, 0]}
    compared = rm.compare_matrix(matrix, "AP")
    assert "other against old by AP, other against new by AP)" in re.sub(r"\s+", " ", str(compared))
    assert math.copysign(1, compared.pairs[0].cliffs_delta) == 1
    assert "-0.00" not in str(compared)


def test_intervals_of_results_are_not_told_of_comparisons_without_them() -> None:
    run = {f"q{i}": ["a", "b"] if i % 4 else ["b", "a"] for i in range(9)}
    qrels = {query: {"a": 1} for query in run}
    runs = {"a": run, "b": {query: items[::-1] for query, items in run.items()}}
    results = {name: rm.evaluate(qrels, own, "RR", intervals=True) for name, own in runs.items()}
    assert "low, high:" in str(results["a"])
    assert "low, high:" not in str(rm.compare_results(results))


def test_what_the_test_of_all_systems_alone_leaves_open_is_told() -> None:
    rng = np.random.default_rng(1)
    base = rng.random(40) / 2
    matrix = {"a": base, "b": base + 0.01, "c": rng.random(40)}
    compared = rm.compare_matrix({k: v.tolist() for k, v in matrix.items()}, "AP", correction="tukey")
    assert not compared.pair("AP", "b", "a").significant
    (note,) = (note for note in compared.notes if "randomised Tukey HSD" in note)
    assert note.startswith("1 pair, b against a by AP: significant corrected by Holm, not by")


def test_the_bootstrap_has_no_p_value_of_few_queries_or_clusters() -> None:
    values = {"a": [0.1] * 20, "b": [0.15, 0.4] * 10}
    told = "it takes at least 10 queries (or clusters); the randomisation test takes fewer"
    few = rm.compare_matrix({name: own[:9] for name, own in values.items()}, "AP", test="bootstrap")
    queries = rm.compare_matrix(values, "AP").query_ids
    fives = {query: number % 5 for number, query in enumerate(queries)}
    grouped = rm.compare_matrix(values, "AP", test="bootstrap", clusters=fives)
    for compared in (few, grouped):
        (pair,) = compared.pairs
        assert (math.isnan(pair.p), pair.significant) == (True, False)
        assert told in " ".join(str(compared).split())
    enough = rm.compare_matrix({name: own[:10] for name, own in values.items()}, "AP", test="bootstrap")
    assert (enough.pairs[0].significant, told in " ".join(str(enough).split())) == (True, False)
    rows = {"label": [0, 1, 0, 1], "p1": [0.2, 0.9, 0.1, 0.7], "p2": [0.3, 0.6, 0.3, 0.6]}
    predicted = rm.compare_predictions(rows, {"a": "p1", "b": "p2"}, "Brier", test="bootstrap")
    assert math.isnan(predicted.pairs[0].p)
    assert "it takes at least 10 rows (or queries)" in " ".join(str(predicted).split())


def test_comparisons_do_not_depend_on_the_unit_of_the_values() -> None:
    values = np.random.default_rng(0).normal(0.3, 1, 30)

    def compared(unit: float, noise: float = 0.0) -> Any:
        matrix = {"old": [noise] * 30, "new": list(values * unit + noise)}
        return rm.compare_matrix(matrix, "cost", better={"cost": "less"}, test="sign").pairs[0]

    plain = compared(1.0)
    for unit in (1e-200, 1e-13, 1e140, 1e300):
        pair = compared(unit)
        assert (pair.wins, pair.ties, pair.losses) == (plain.wins, 0, plain.losses)
        assert (pair.p, pair.superiority) == (plain.p, plain.superiority)
        assert pair.cohens_d == pytest.approx(plain.cohens_d)
        ends = [end / unit for end in (*pair.interval, *pair.simultaneous)]
        assert ends == pytest.approx([*plain.interval, *plain.simultaneous])
    # What rounding leaves of values that are alike is a tie.
    alike = compared(1e-17, noise=0.1)
    assert (alike.ties, alike.p, alike.superiority) == (30, 1, 0.5)


FLIP = {
    "A": {"q1": 0.1, "q2": 0.15, "q3": 0.9, "q4": 0.1, "q5": 0.1, "q6": 0.1, "q7": 0.9},
    "B": {"q1": 0.2, "q2": 0.2, "q4": 0.2, "q5": 0.25, "q6": 0.2},
}
"""A is better on average of all queries that it has, and worse on those that both have."""


def test_means_are_of_the_queries_that_differences_are_of() -> None:
    compared = rm.compare_matrix(FLIP, "AP")
    pair = compared.pair("AP", "B")
    assert [compared.value(system, "AP") for system in "AB"] == pytest.approx([0.11, 0.21])
    assert pair.difference == pytest.approx(compared.value("B", "AP") - compared.value("A", "AP"))
    alone = rm.compare_matrix({name: {q: own[q] for q in FLIP["B"]} for name, own in FLIP.items()}, "AP")
    assert [compared.interval(each, "AP") for each in "AB"] == [alone.interval(each, "AP") for each in "AB"]
    assert not alone.left_out


@pytest.mark.parametrize("interval", ["bca", "percentile"])
def test_resampled_intervals_of_means_are_of_the_same_queries(interval: Any) -> None:
    values = np.random.default_rng(1).random((30, 2))
    holes = values.copy()
    holes[25:, 1] = np.nan
    compared = rm.compare_matrix(holes, "AP", interval=interval)
    alone = rm.compare_matrix(values[:25], "AP", interval=interval)
    first = compared.systems[0]
    assert compared.value(first, "AP") == alone.value(first, "AP")
    assert compared.interval(first, "AP") == alone.interval(first, "AP")


@pytest.mark.parametrize("form", ["table", "json", "markdown", "latex", "html"])
def test_what_means_leave_out_is_said_in_every_format(form: Any) -> None:
    shown = " ".join(rm.compare_matrix(FLIP, "AP").format(form).split())
    assert "eans of AP are of the 5 queries that all systems have a value of (2 left out" in shown
    if form == "latex":
        assert "Means of AP are of the 5 queries" in shown.partition("tabular")[0]


def test_missing_queries_that_are_skipped_are_left_out_of_all_means() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    old = {query: ["a"] if query == "q3" else ["b", "a"] for query in qrels}
    new = {query: ["c", "a"] for query in list(qrels)[:3]}
    compared = rm.compare(qrels, {"old": old, "new": new}, "AP", missing="skip")
    assert compared.value("old", "AP") == compared.value("new", "AP") == 0.5
    assert "1 left out, such as 'q3'" in compared.left_out[0]


def test_pairs_compared_on_more_queries_than_the_means_say_so() -> None:
    three = FLIP | {"C": {"q1": 0.3, "q3": 0.2, "q4": 0.4}}
    compared = rm.compare_matrix(three, "AP", baseline="A")
    assert compared.value("A", "AP") == pytest.approx(0.1)
    assert [pair.queries for pair in compared.pairs] == [5, 3]
    assert "2 queries that all systems have a value of (5 left out" in compared.left_out[0]
    assert "2 pairs, such as B against A by AP, on 5: compared on all that both have" in compared.left_out[0]


def test_systems_without_a_query_in_common_are_refused() -> None:
    with pytest.raises(rm.DataError, match="no query in common; they begin with the queries 'q1', 'q3'"):
        rm.compare_matrix({"A": {"q1": 0.1, "q2": 0.2}, "B": {"q3": 0.9}}, "AP")


def test_a_pair_without_a_query_in_common_is_told() -> None:
    compared = rm.compare_matrix(FLIP | {"C": {"q3": 0.3, "q7": 0.2}}, "AP")
    assert math.isnan(compared.value("A", "AP"))
    assert "no means of AP: no query has a value of all systems (7 left out" in compared.left_out[0]
    assert any("C against B by AP: no query has a value of both" in note for note in compared.notes)


@pytest.mark.parametrize(("name", "method"), [("margin", "equivalence"), ("rope", "bayes")])
def test_what_comparisons_have_as_methods_is_named_wherever_they_are_made(name: str, method: str) -> None:
    wrong: Any = {name: 0.01}
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    runs = {"old": {"q1": ["a"], "q2": ["a"]}, "new": {"q1": ["a"], "q2": ["a"]}}
    results = {system: rm.evaluate(qrels, run, "AP") for system, run in runs.items()}
    for call in (
        lambda: rm.compare(qrels, runs, "AP", **wrong),
        lambda: rm.compare_results(results, **wrong),
        lambda: rm.compare_matrix({"a": [0.1, 0.2], "b": [0.2, 0.3]}, "AP", **wrong),
    ):
        with pytest.raises(rm.UsageError, match=rf"takes no {name}=; .*comparison\.{method}\("):
            call()
