"""`rankmark trec_eval` prints what trec_eval prints, and its names are understood everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.language.conventions.trec_table import TREC_MEASURES
from rankmark.peers.trec_eval import NICKNAMES, plan

Run = Callable[..., tuple[int, str, str]]
Lines = dict[tuple[str, str], str]

QRELS = "q1 0 a 2\nq1 0 b 1\nq1 0 z 0\nq2 0 c 1\nq10 0 d 0\n"
RUN = (
    "q2 Q0 x 1 1.0 tag\nq2 Q0 c 2 0.5 tag\n"
    "q1 Q0 a 1 3.0 tag\nq1 Q0 x 2 2.5 tag\nq1 Q0 b 3 2.0 tag\nq10 Q0 d 1 1.0 tag\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a small collection."""
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("run").write_text(RUN)
    return tmp_path


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in this process: exit code, output, errors."""

    def call(*args: str) -> tuple[int, str, str]:
        code = main(["trec_eval", *args])
        return code, *capfd.readouterr()

    return call


def values(printed: str) -> Lines:
    """What was printed, by the measure's name and the query."""
    rows = (line.split("\t") for line in printed.splitlines())
    return {(name.strip(), query): value for name, query, value in rows}


# --- Byte for byte ---------------------------------------------------------------------------------------

PUBLISHED = [
    ("out.test", "qrels.test", "results.test", ""),
    ("out.test", "qrels.test.with-comments", "results.test", ""),
    ("out.test.a", "qrels.test", "results.test", "-m all_trec"),
    ("out.test.aq", "qrels.test", "results.test", "-m all_trec -q"),
    ("out.test.aqc", "qrels.test", "results.trunc", "-m all_trec -q -c"),
    ("out.test.aqcM", "qrels.test", "results.trunc", "-m all_trec -q -c -M100"),
    ("out.test.aql", "qrels.rel_level", "results.test", "-m all_trec -mrelstring.20 -q -l2"),
    (
        "out.test.meas_params",
        "qrels.test",
        "results.test",
        (
            "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 "
            "-m Rprec_mult.5.0,0.2,0.35 -mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 "
            "-mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20"
        ),
    ),
]


@pytest.mark.parametrize(("output", "qrels", "results", "options"), PUBLISHED)
def test_its_own_tests_give_the_same_bytes(
    output: Any, qrels: Any, results: Any, options: Any, run: Any, data_file: Callable[[str], str]
) -> None:
    expected = Path(data_file(f"trec_eval/{output}")).read_bytes()
    files = data_file(f"trec_eval/{qrels}"), data_file(f"trec_eval/{results}")
    code, out, err = run(*options.split(), *files)
    assert (code, err) == (0, "")
    assert out.encode() == expected


def test_a_line_a_measure_in_columns(run: Any) -> None:
    code, out, err = run("-m", "map", "-m", "num_ret", "-q", "qrels", "run")
    assert (code, err) == (0, "")
    assert out == (
        "num_ret               \tq1\t3\n"
        "map                   \tq1\t0.8333\n"
        "num_ret               \tq10\t1\n"
        "map                   \tq10\t0.0000\n"
        "num_ret               \tq2\t2\n"
        "map                   \tq2\t0.5000\n"
        "num_ret               \tall\t6\n"
        "map                   \tall\t0.4444\n"
    )


def test_values_are_added_up_one_after_another(run: Any) -> None:
    """A loop adds up nine times 0.2 to 1.7999999999999998, and 1/32 of this is printed as 0.0562."""
    Path("qrels").write_text("".join(f"q{i:02} 0 d 1\n" for i in range(32)))
    Path("run").write_text("".join(f"q{i:02} Q0 {'d' if i < 9 else 'x'} 1 1.0 t\n" for i in range(32)))
    assert values(run("-m", "P.5", "qrels", "run")[1]) == {("P_5", "all"): "0.0562"}
    assert f"{rm.evaluate('qrels', 'run', 'P@5')['P@5']:.4f}" == "0.0563"


# --- Options ---------------------------------------------------------------------------------------------


def test_summary_and_queries_as_asked(run: Any) -> None:
    assert values(run("-n", "-q", "-m", "map", "qrels", "run")[1]).keys() == {
        ("map", query) for query in ("q1", "q2", "q10")
    }
    assert run("-n", "-m", "map", "qrels", "run") == (0, "", "")
    assert values(run("-m", "runid", "-m", "num_q", "-q", "qrels", "run")[1]) == {
        ("runid", "all"): "tag",
        ("num_q", "all"): "3",
    }


def test_a_query_without_results_is_left_out_with_a_note_or_counts_0(run: Any) -> None:
    Path("run").write_text("q2 Q0 c 1 1.0 tag\n")
    code, out, err = run("-m", "map", "-m", "num_q", "qrels", "run")
    assert (code, values(out)) == (0, {("num_q", "all"): "1", ("map", "all"): "1.0000"})
    assert err == "rankmark: note: 2 judged queries without results left out (-c counts them as 0)\n"
    code, out, err = run("-c", "-m", "map", "-m", "num_q", "qrels", "run")
    assert (code, err) == (0, "")
    assert values(out) == {("num_q", "all"): "3", ("map", "all"): "0.3333"}


def test_the_level_holds_for_all_measures_that_know_relevant_from_not(run: Any) -> None:
    printed = values(run("-q", "-l2", "-m", "all_trec", "qrels", "run")[1])
    assert printed["num_rel", "q1"] == "1"
    assert printed["map", "q1"] == "1.0000"
    assert printed["set_P", "q1"] == "0.3333"
    assert printed["ndcg", "q1"] == printed["ndcg_cut_5", "q1"] == "0.9502"


def test_the_first_items_of_a_list_and_only_those_judged(run: Any) -> None:
    names = ("-m", "num_ret", "-m", "set_P", "-m", "map", "-m", "relstring", "-q", "-n")
    assert values(run(*names, "-M2", "qrels", "run")[1])["relstring", "q1"] == "'2-'"
    printed = values(run(*names, "-J", "qrels", "run")[1])
    assert [printed[name, "q1"] for name in ("num_ret", "set_P", "map", "relstring")] == [
        "2", "1.0000", "1.0000", "'21'",
    ]  # fmt: skip
    assert values(run(*names, "-J", "-M2", "qrels", "run")[1])["relstring", "q1"] == "'2'"


def test_judged_only_is_what_condensed_lists_are(run: Any, data_file: Callable[[str], str]) -> None:
    files = data_file("trec_eval/qrels.test"), data_file("trec_eval/results.test")
    printed = values(run("-J", "-m", "map", "-m", "recip_rank", "-m", "bpref", *files)[1])
    result = rm.evaluate(*files, ["map", "recip_rank", "bpref"], unjudged="ignore")
    assert list(printed.values()) == [f"{result[name]:.4f}" for name in ("map", "bpref", "recip_rank")]


def test_the_size_of_the_collection_is_for_what_utility_rejects(run: Any) -> None:
    printed = values(run("-m", "utility.1,-1,0,0.5", "-N", "100", "-n", "-q", "qrels", "run")[1])
    assert printed["utility_1,-1,0,0.5", "q1"] == "49.5000"  # 2 - 1 + 97 / 2
    code, _, err = run("-m", "utility.1,-1,0,0.5", "qrels", "run")
    assert code == 2
    assert "needs -N" in err


def test_formats_can_be_said_and_others_are_refused(run: Any) -> None:
    assert run("-R", "qrels", "-T", "trec_results", "qrels", "run")[0] == 0
    code, out, err = run("-R", "prefs", "qrels", "run")
    assert (code, out) == (2, "")
    assert "-R prefs" in err


# --- Measures and parameters -------------------------------------------------------------------------------


def names(*asked: str) -> list[str]:
    return [line.name for line in plan(asked)]


def test_nicknames_and_the_order_of_lines() -> None:
    assert names() == names("official")
    assert names("P.10", "map", "official", "map")[-1] == "P_10"
    assert [name for name in names("all_trec") if name in NICKNAMES["set"]] == names("set")
    assert len(names("all_trec")) == 100


def test_parameters_of_one_measure_come_together_sorted_and_once() -> None:
    assert names("P.20,5", "P.7", "P.5") == ["P_5", "P_7", "P_20"]
    assert names("ndcg_cut.23.4,23") == ["ndcg_cut_23"]
    assert names("all_trec", "unj.3")[-1] == "unj_3"
    assert names("rbp.0.80", "rbp.0.5") == ["rbp_0.80", "rbp_0.5"]
    assert names("P_5") == ["P_5"]


def test_a_grade_without_a_gain_of_its_own_gains_what_it_is(run: Any) -> None:
    Path("qrels").write_text("q 0 a 1\nq 0 b 2\nq 0 c -1\n")
    Path("run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\nq Q0 c 3 0 t\n")
    printed = values(run("-m", "ndcg.1=3", "qrels", "run")[1])
    assert printed == {("ndcg_1=3", "all"): "1.0000"}


def test_a_character_a_grade(run: Any) -> None:
    grades = {"a": 3, "b": -1, "c": -2, "d": 12, "e": 9, "f": 0}
    Path("qrels").write_text("".join(f"q 0 {item} {grade}\n" for item, grade in grades.items()))
    Path("run").write_text("".join(f"q Q0 {item} 1 {-rank} t\n" for rank, item in enumerate("abxcdef")))
    assert values(run("-q", "-m", "relstring", "qrels", "run")[1])["relstring", "q"] == "'3.-<>90'"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("mop", "no measure 'mop' of trec_eval; did you mean 'map'"),
        ("P.x", "no measure 'P.x' of trec_eval"),
        ("P.5,x", "P: 'x' is not a number"),
        ("P.0", "the cutoff is a whole number from 1"),
        ("map.5", "map takes no parameter, but '5' was given"),
        ("nDCG@10", "`rankmark eval` has more measures"),
        ("prefs", "needs preferences"),
        ("prefs_simp", "needs preferences"),
        ("utility.1,2", "four numbers"),
        ("rbp.1.5", "between 0 and 1"),
        ("iprec_at_recall.1.5", "from 0 to 1"),
        ("ndcg.10", "no gains for grades"),
        ("relstring.-1", "number of items"),
        ("runid.3", "runid takes no parameter"),
        ("set_F.-1", "above 0"),
    ],
)
def test_a_wrong_measure_says_what_is_wrong(asked: Any, message: Any, run: Any) -> None:
    code, out, err = run("-m", asked, "qrels", "run")
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("rankmark: error: ")


PARAMETERS = {
    "cutoff": (5, "5", "@5"),
    "recall": (0.1, "0.10", "recall=0.1"),
    "multiple": (0.2, "0.20", "multiple=0.2"),
}


@pytest.mark.parametrize("known", [known for known in TREC_MEASURES if known.measure], ids=lambda k: k.name)
def test_every_name_is_understood_by_the_parser(known: Any) -> None:
    for separator in "._":
        if known.each:
            value, text, written = PARAMETERS[known.each]
            assert rm.parse(f"{known.name}{separator}{text}") == rm.Measure(*known.member(value))
            assert written in str(rm.parse(f"{known.name}{separator}{text}"))
    if not known.each and known.name != "rbp":
        assert rm.parse(known.name) == rm.Measure(*known.base)


@pytest.mark.parametrize(
    ("text", "measure"),
    [
        ("gm_map", "AP(mean=geometric)"),
        ("11pt_avg", "IPrec"),
        ("11pt_avg..25,.5,.75", "IPrec(recall=[0.25,0.5,0.75])"),
        ("iprec_at_recall.0", "IPrec(recall=0)"),
        ("utility.1,-1,0,0", "Utility"),
        ("utility_2,-1,0,0", "Utility(relevant=2)"),
        ("set_F.4", "F(beta=2)"),
        ("ndcg.1=3.5,2=9", "nDCG(gain={1:3.5,2:9})"),
        ("G_2=5", "G(gain={2:5})"),
        ("ndcg.10", "nDCG@10"),
        ("rbp.0.8", "RBP(p=0.8,gain=linear,max_grade=query)"),
        ("rbp_resid.0.5", "RBPResidual(p=0.5,tail=unjudged)"),
        ("relative_P.5", "P(denominator=min)@5"),
        ("set_relative_P", "P(denominator=min)"),
    ],
)
def test_names_with_parameters_are_measures_with_parameters(text: Any, measure: Any) -> None:
    assert rm.parse(text) == rm.parse(measure)


def test_names_with_commas_stay_whole_in_a_text_of_several() -> None:
    result = rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "utility.2,-1,0,0 ndcg.1=3,AP,11pt_avg..25,.5")
    assert list(map(str, result.measures)) == [
        "Utility(relevant=2)", "nDCG(gain={1:3})", "AP", "IPrec(recall=[0.25,0.5])",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("iprec_at_recall", "is 11 measures: write iprec_at_recall_0.00, iprec_at_recall_0.10 …"),
        ("Rprec_mult", "is 10 measures: write Rprec_mult_0.20, Rprec_mult_0.40 …"),
        ("P.5,10", "is 2 measures: write P_5, P_10 …"),
        ("rbp", "is RBP(p=0.9,gain=linear,max_grade=query) in trec_eval and RBP here"),
        ("runid", "not a measure"),
    ],
)
def test_names_that_are_not_one_measure_say_so(text: Any, message: Any) -> None:
    with pytest.raises(rm.MeasureError) as caught:
        rm.parse(text)
    assert message in str(caught.value)


# --- Files -----------------------------------------------------------------------------------------------


def test_other_formats_are_read_and_integers_tie_as_the_text_that_they_are(run: Any) -> None:
    pl.DataFrame({"query": [1], "item": [9], "relevance": [1]}).write_parquet("q.parquet")
    table = pl.DataFrame({"query": [1, 1], "item": [9, 10], "score": [0.5, 0.5]})
    table.write_parquet("ours.parquet")
    printed = values(run("-m", "recip_rank", "-m", "runid", "q.parquet", "ours.parquet")[1])
    assert printed == {("runid", "all"): "ours", ("recip_rank", "all"): "1.0000"}


@pytest.mark.parametrize(
    ("qrels", "results", "code", "parts"),
    [
        (None, RUN, 2, ["there is no file 'missing'"]),
        (QRELS + "q1 0 x\n", RUN, 1, ["qrels, line 6", "q1 0 x"]),
        (QRELS, RUN + "q1 Q0 y 1 high tag\n", 1, ["run, line 7", "high"]),
        (QRELS + "q1 0 a 1\n", RUN, 1, ["'a'", "q1"]),
        (QRELS, RUN + "q1 Q0 a 1 1.0 tag\n", 1, ["'a'", "q1"]),
        (QRELS, "q9 Q0 a 1 1.0 tag\n", 1, ["no results for any of the 3 judged queries"]),
        (QRELS + "q2 0 y 0.9\n", RUN, 1, ["grade 0.9", "whole grades"]),
        ("", RUN, 1, ["empty"]),
    ],
)
def test_bad_files_are_refused_with_where_and_what(
    qrels: Any, results: Any, code: Any, parts: Any, run: Any
) -> None:
    path = "missing" if qrels is None else "qrels"
    Path("qrels").write_text(qrels or "")
    Path("run").write_text(results)
    returned, out, err = run(path, "run")
    assert (returned, out) == (code, "")
    assert all(part in err for part in parts), err
    assert "Traceback" not in err


def test_no_arguments_or_unknown_options_are_errors_of_usage(run: Any) -> None:
    assert run()[0] == run("qrels")[0] == run("-Z", "qrels", "run")[0] == 2
    assert run("--help")[0] == run("-h")[0] == 0


def test_a_query_at_0_counts_a_little_in_a_geometric_mean(run: Any) -> None:
    """AP is 5/6, 0 and 1/2: the cube root of 5/6 · 0.00001 · 1/2."""
    assert values(run("-q", "-m", "gm_map", "qrels", "run")[1]) == {("gm_map", "all"): "0.0161"}
