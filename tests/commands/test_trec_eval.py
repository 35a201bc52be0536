"""`rankmark trec_eval` prints what trec_eval prints, and its names are understood everywhere."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.language.conventions.trec_table import TREC_MEASURES
from rankmark.peers.trec_plan import NICKNAMES, asked_for, plan

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
    assert (code, "error" in err) == (0, False)
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


def test_a_query_without_results_ends_it_is_left_out_or_counts_0(run: Any) -> None:
    Path("run").write_text("q2 Q0 c 1 1.0 tag\n")
    code, out, err = run("-m", "map", "-m", "num_q", "qrels", "run")
    assert (code, out) == (4, "")
    assert "no results for query 'q1', the first of 2 judged without any" in err
    code, out, err = run("--answered", "-m", "map", "-m", "num_q", "qrels", "run")
    assert (code, err, values(out)) == (0, "", {("num_q", "all"): "1", ("map", "all"): "1.0000"})
    code, out, err = run("-c", "-m", "map", "-m", "num_q", "qrels", "run")
    assert (code, err, values(out)) == (0, "", {("num_q", "all"): "3", ("map", "all"): "0.3333"})


def test_queries_before_one_that_ends_it_are_printed(run: Any) -> None:
    Path("run").write_text("q1 Q0 a 1 1.0 tag\n")
    code, out, _ = run("-q", "-m", "map", "qrels", "run")
    assert (code, values(out)) == (4, {("map", "q1"): "0.5000"})


def test_a_missing_query_is_a_list_of_one_unjudged_item_to_measures_with_parameters(run: Any) -> None:
    Path("run").write_text("q1 Q0 a 1 3 t\n")
    names = ("relstring.5", "relstring", "utility.1,-1,0,0", "rbp_resid.p=0.5", "unj.5")
    printed = values(run("-c", "-q", *(word for name in names for word in ("-m", name)), "qrels", "run")[1])
    shown = {name: value for (name, query), value in printed.items() if query == "q2"}
    # Without parameters of their own they are 0, or empty; relstring.5 comes first, and its parameters count.
    assert shown == {
        "relstring_5": "'-'", "utility_1,-1,0,0": "-1.0000", "rbp_resid_p=0.5": "1.0000", "unj_5": "0.0000",
    }  # fmt: skip
    assert values(run("-c", "-q", "-n", "-m", "relstring", "-m", "utility", "qrels", "run")[1]) == {
        ("relstring", "q1"): "'2'", ("utility", "q1"): "1.0000",
        ("relstring", "q10"): "''", ("utility", "q10"): "0.0000",
        ("relstring", "q2"): "''", ("utility", "q2"): "0.0000",
    }  # fmt: skip


def test_relevant_items_of_all_queries_are_counted_without_the_level(run: Any) -> None:
    printed = values(run("-c", "-q", "-l", "2", "-m", "num_rel", "qrels", "run")[1])
    assert list(printed.values()) == ["1", "0", "0", "3"]
    assert values(run("-l", "2", "-m", "num_rel", "qrels", "run")[1]) == {("num_rel", "all"): "1"}


def test_a_level_below_0_finds_unjudged_items_relevant(run: Any) -> None:
    names = ("map", "P.5", "num_rel", "yaap")
    printed = run("-l", "-1", *(word for name in names for word in ("-m", name)), "qrels", "run")[1]
    assert list(values(printed).values()) == ["5", "1.3333", "0.4000", "   inf"]


def test_nothing_left_of_a_list_is_no_number_to_interpolated_precision(run: Any) -> None:
    Path("run").write_text("q1 Q0 x 1 3 t\nq2 Q0 x 1 3 t\nq10 Q0 x 1 3 t\n")
    names = ("iprec_at_recall.0,1", "11pt_avg", "map")
    for option in (("-J",), ("-M", "0")):
        printed = run(*option, *(word for name in names for word in ("-m", name)), "qrels", "run")[1]
        assert list(values(printed).values()) == ["0.0000", "  -nan", "  -nan", "  -nan"]


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
    assert code == 4
    assert "needs -N" in err


def test_formats_can_be_said_and_others_are_refused(run: Any) -> None:
    assert run("-R", "qrels", "-T", "trec_results", "qrels", "run")[0] == 0
    code, out, err = run("-R", "pairs", "qrels", "run")
    assert (code, out) == (2, "")
    assert "trec_eval knows qrels, prefs, qrels_prefs, qrels_jg" in err


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("--query_eval_wanted", "-q"),
        ("--query --nosum", "-q -n"),
        ("--measure map --measure=P.5", "-mmap -m P.5"),
        ("--complete_rel_info_wanted --level_for_rel 2", "-c -l2"),
        ("--Max_retrieved_per_topic=2 --Judged_docs_only", "-M2 -J"),
        ("--Number_docs_in_coll=9 -m utility.0,0,0,1", "-N 9 -m utility.0,0,0,1"),
        (
            "--Debug_level 0 --Rel_info_format qrels --Results_format trec_results",
            "-D 0 -R qrels -T trec_results",
        ),
        ("-o", ""),
    ],
)
def test_long_options_are_short_ones(long: Any, short: Any, run: Any) -> None:
    printed = run(*long.split(), "qrels", "run")
    assert printed == run("qrels", *short.split(), "run")
    assert (printed[0], printed[2]) == (0, "")
    assert printed[1]


def test_the_version_and_the_help(run: Any) -> None:
    code, out, err = run("-v", "no such file")
    assert (code, out) == (0, "")
    assert "trec_eval version 10.0-rc3" in err
    code, out, _ = run("-h", "-m", "P.5", "-m", "runid")
    assert code == 0
    assert all(f"  -{letter}" in out for letter in "qncmlMJNZRTDovh")
    assert "P@5" not in out
    assert "rankmark measures P" in out
    assert run("--help")[0] == 0
    assert run("--help")[1] == run("-h")[1]


def test_values_as_deviations_from_known_means(run: Any) -> None:
    Path("means").write_text("q1 map .5 .1\nq2 map .25 2\nq10 map 1 .5\n")
    code, out, _ = run("-Z", "means", "-q", "-m", "map", "qrels", "run")
    assert code == 0
    assert out == (
        "Zmap                   \tq1\t3.3333\n"
        "Zmap                   \tq10\t-2.0000\n"
        "Zmap                   \tq2\t0.1250\n"
        "Zmap                   \tall\t0.4861\n"
    )
    Path("means").write_text("q1 map .5 .1\nq2 map high 2\n")
    code, out, err = run("-Z", "means", "qrels", "run")
    assert (code, out) == (255, "")
    assert "means, line 2" in err
    assert run("-Z", "nowhere", "qrels", "run")[0] == 255


def test_a_run_can_come_from_standard_input(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path("run").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert run("-m", "map", "-m", "runid", "qrels", "-") == run("-m", "map", "-m", "runid", "qrels", "run")


# --- Measures and parameters -------------------------------------------------------------------------------


def names(*asked: str) -> list[str]:
    return [line.name for line in plan(asked_for(asked)).lines]


def test_nicknames_and_the_order_of_lines() -> None:
    assert names() == names("official")
    assert names("P.10", "map", "official", "map")[-1] == "P_10"
    assert [name for name in names("all_trec") if name in NICKNAMES["set"]] == names("set")
    assert len(names("all_trec")) == 100
    assert "yaap" not in names("all_trec")
    assert names("rbp", "yaap", "map") == ["map", "yaap", "rbp"]


def test_of_parameters_given_twice_the_first_count(run: Any) -> None:
    assert names("P.20,5", "P.7") == ["P_5", "P_20"]
    assert names("P", "P.3") == names("P.3", "all_trec")[21:22] == ["P_3"]
    assert names("rbp.p=0.80", "rbp.p=0.5") == ["rbp_p=0.80"]
    code, out, err = run("-m", "P.5", "-m", "P.10", "qrels", "run")
    assert (code, out) == (0, "P_5                   \tall\t0.2000\n")
    assert err == "rankmark: note: -m P.10 is not heard: trec_eval takes the first parameters of P only\n"


@pytest.mark.parametrize(
    ("asked", "line", "note"),
    [
        ("P.1e1", "P_1                   \tall\t0.3333", "'1e1' is read as 1"),
        ("P.5_5", "P_5                   \tall\t0.2000", "'5_5' is read as 5"),
        ("map.5", "map                   \tall\t0.4444", "map takes no parameter"),
        ("relstring.1e1", None, ""),
        ("11pt_avg.1,.5", "11pt_avg_1,.5         \tall\t0.5000", ""),
        ("11pt_avg.0.66,0.4,0.55", "11pt_avg_0.66,0.4,0.55\tall\t0.5000", ""),
        ("iprec_at_recall.2", "iprec_at_recall_2.00  \tall\t0.0000", ""),
        ("Rndcg.1=0,2=0", "Rndcg_1=0,2=0         \tall\t  -nan", ""),
        ("rbp.p=0.8", "rbp_p=0.8             \tall\t0.1413", ""),
        ("ndcg.1=3,2=9", "ndcg_1=3,2=9          \tall\t0.5316", ""),
        ("yaap", "yaap                  \tall\t0.2310", ""),
        ("set_F.0", "set_F_0               \tall\t0.3889", ""),
    ],
)
def test_parameters_are_read_as_trec_eval_reads_them(asked: Any, line: Any, note: Any, run: Any) -> None:
    code, out, err = run("-m", asked, "qrels", "run")
    assert (code, out) == (0, f"{line}\n" if line else "")
    assert note in err
    assert bool(note) == ("note" in err)


@pytest.mark.parametrize(
    ("qrels", "results", "measure", "value"),
    [
        # (x + 1) P R / (R + x P) of 5 hits among 6, and 58 relevant items: 10/64, and a little more.
        (
            "".join(f"q 0 d{i} 1\n" for i in range(58)),
            "".join(f"q Q0 {'d' if i < 5 else 'x'}{i} 1 {-i} t\n" for i in range(6)),
            "set_F",
            "0.1563",
        ),
        (
            "q 0 a 12\nq 0 b 12\nq 0 c 1\n",
            "q Q0 a 1 3 t\nq Q0 b 1 2 t\nq Q0 c 1 1 t\n",
            "rbp.p=0.1",
            "0.9908",
        ),
        (
            "q1 0 b 0\nq1 0 c 0\nq2 0 e 0\n",
            "q1 Q0 a 1 4 t\nq1 Q0 c 1 3 t\nq1 Q0 d 1 2 t\nq1 Q0 b 1 1 t\nq2 Q0 e 1 1 t\n",
            "rbp_resid",
            "0.4186",
        ),
    ],
)
def test_the_last_digit_of_a_value_halfway_between_two(
    qrels: Any, results: Any, measure: Any, value: Any, run: Any
) -> None:
    Path("qrels").write_text(qrels)
    Path("run").write_text(results)
    assert list(values(run("-m", measure, "qrels", "run")[1]).values()) == [value]


def test_a_grade_without_a_gain_of_its_own_gains_what_it_is(run: Any) -> None:
    Path("qrels").write_text("q 0 a 1\nq 0 b 2\nq 0 c -1\n")
    Path("run").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\nq Q0 c 3 0 t\n")
    printed = values(run("-m", "ndcg.1=3", "qrels", "run")[1])
    assert printed == {("ndcg_1=3", "all"): "1.0000"}


def test_a_character_a_grade(run: Any) -> None:
    grades = {"a": 3, "b": -1, "c": -2, "d": 12, "e": 9, "f": 0}
    Path("qrels").write_text("".join(f"q 0 {item} {grade}\n" for item, grade in grades.items()))
    Path("run").write_text("".join(f"q Q0 {item} 1 {-rank} t\n" for rank, item in enumerate("abxcdef")))
    assert values(run("-q", "-m", "relstring", "qrels", "run")[1])["relstring", "q"] == "'3.-.>90'"


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        ("mop", 1, "no measure 'mop' of trec_eval; did you mean 'map'"),
        ("P_5", 1, "no measure 'P_5' of trec_eval; did you mean P.5?"),
        ("P_5_5", 1, "no measure 'P_5_5'"),
        ("P@10", 1, "did you mean P.10?"),
        ("P5", 1, "did you mean P.5?"),
        ("P@5,10", 1, "did you mean P.5,10?"),
        ("map,P.5", 1, "each measure has a -m of its own: -m map -m P.5"),
        ("all", 1, "did you mean 'all_trec'?"),
        ("ndcg10", 1, "did you mean ndcg_cut.10?"),
        ("ndcg_cut_10", 1, "did you mean ndcg_cut.10?"),
        ("ndcg@10", 1, "did you mean ndcg_cut.10?"),
        ("nDCG@10", 1, "did you mean ndcg_cut.10?"),
        ("MRR", 1, "did you mean recip_rank?"),
        ("AP", 1, "did you mean map?"),
        ("iprec_at_recall_0.10", 1, "did you mean iprec_at_recall.0.10?"),
        ("rbp_0.8", 1, "written rbp.p=0.8"),
        ("P.", 1, "ends with a dot"),
        ("Compat", 1, "`rankmark eval` has more measures"),
        ("prefs", 4, "prefs_num_prefs_poss needs judgements of -R prefs or qrels_prefs, not qrels"),
        ("map_avgjg", 4, "map_avgjg needs judgements of -R qrels_jg, not qrels"),
        ("P.x", 2, "'x' is not a whole number"),
        ("P.5,x", 2, "'x' is not a whole number"),
        ("P.0", 2, "the cutoff is a whole number from 1"),
        ("P.5,5", 2, "5 stands there twice"),
        ("utility.1,2", 4, "four numbers"),
        ("rbp.0.8", 2, "such as rbp.p=0.8"),
        ("rbp.p=1.5", 2, "between 0 and 1"),
        ("rbp.q=.5", 2, "its parameter is p"),
        ("ndcg.10", 2, "such as ndcg.1=3,2=9; ndcg_cut.10 ends at a rank"),
        ("ndcg.1=3,1=4", 2, "two values"),
        ("ndcg.1=-1", 2, "below 0"),
        ("ndcg.-1=1", 2, "is no grade"),
        ("set_F.-1", 2, "not below 0"),
        ("ndcg.1=0.5,2=0.9", 4, "gains 0 and 0.5 are less than 1 apart"),
        ("G.1=1.5", 4, "`rankmark eval -m 'G(gain={"),
    ],
)
def test_a_wrong_measure_says_what_is_wrong(asked: Any, code: Any, message: Any, run: Any) -> None:
    returned, out, err = run("-m", asked, "qrels", "run")
    assert (returned, out) == (code, "")
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
        ("rbp.p=0.8", "RBP(p=0.8,gain=linear,max_grade=query)"),
        ("rbp_resid_p=0.5", "RBPResidual(p=0.5,tail=unjudged)"),
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
        ("iprec_at_recall", "is 11 measures here: write each by itself, iprec_at_recall_0.00, iprec_at"),
        ("Rprec_mult", "is 10 measures here: write each by itself, Rprec_mult_0.20, Rprec_mult_0.40"),
        ("P.5,10", "is 2 measures here: write each by itself, P_5, P_10"),
        ("rbp", "is RBP(p=0.9,gain=linear,max_grade=query) in trec_eval and RBP here"),
        ("runid", "not a measure"),
        ("rbp.0.8", "write rbp.p=0.8"),
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


def test_ids_are_bytes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Path("qrels").write_bytes(b"q\xe9 0 caf\xe9 1\nq\xe9 0 \xc3\xa9 0\n")
    Path("run").write_bytes(b"q\xe9 Q0 \xc3\xa9 1 1 t\nq\xe9 Q0 caf\xe9 1 1 \xff\n")
    # Of equal scores the item whose bytes are greater comes first: C3 A9 before 63 61 66 E9.
    assert main(["trec_eval", "-q", "-m", "recip_rank", "-m", "runid", "qrels", "run"]) == 0
    assert capfdbinary.readouterr().out == (
        b"recip_rank            \tq\xe9\t0.5000\n"
        b"runid                 \tall\t\xff\n"
        b"recip_rank            \tall\t0.5000\n"
    )


def test_ids_beyond_ascii_are_the_same_in_text_and_in_other_formats(run: Any) -> None:
    pl.DataFrame({"query": ["q"], "item": ["é"], "relevance": [1]}).write_parquet("q.parquet")
    Path("run").write_text("q Q0 é 1 1 t\n", encoding="utf-8")
    assert values(run("-m", "recip_rank", "q.parquet", "run")[1]) == {("recip_rank", "all"): "1.0000"}


def test_form_feeds_comments_and_nul_bytes_at_the_end(run: Any) -> None:
    Path("qrels").write_bytes(b"# of whom\nq\f0\va\t1\nq 0 b 0\n\0\0")
    Path("run").write_bytes(b"\n  # indented\nq Q0\fa 1 2 first\r\n \t\nq Q0 b 1 1 last more\n\0")
    printed = values(run("-m", "num_ret", "-m", "num_rel", "-m", "runid", "qrels", "run")[1])
    assert list(printed.values()) == ["last", "2", "1"]


def test_an_item_twice_matters_above_the_cut_only(run: Any) -> None:
    Path("run").write_text(RUN + "q1 Q0 b 4 1.0 tag\n")
    code, out, err = run("-q", "-M", "3", "-m", "num_ret", "-m", "map", "qrels", "run")
    assert (code, err) == (0, "")
    assert values(out)["num_ret", "all"] == "6"
    code, out, err = run("-q", "-m", "num_ret", "qrels", "run")
    assert (code, out) == (4, "")
    assert "item 'b' is retrieved twice for query 'q1'" in err
    assert run("-m", "runid", "qrels", "run")[0] == 0
    Path("run").write_text(RUN + "q10 Q0 d 4 1.0 tag\n")
    code, out, err = run("-q", "-m", "num_ret", "qrels", "run")
    assert (code, values(out)) == (4, {("num_ret", "q1"): "3"})


@pytest.mark.parametrize(
    ("qrels", "results", "code", "parts"),
    [
        (None, RUN, 2, ["there is no file 'missing'"]),
        (QRELS + "q1 0 x\n", RUN, 2, ["qrels, line 6", "q1 0 x"]),
        (QRELS + "\n", RUN, 2, ["qrels, line 6: 0 fields where trec_eval needs 4"]),
        (QRELS, RUN + "q1 Q0 y 1 1.0\n", 2, ["run, line 7: 5 fields where trec_eval needs 6"]),
        (QRELS, RUN + "q1 Q0 y 1 high tag\n", 2, ["run, line 7", "high"]),
        (QRELS, RUN + "q1 Q0 y 1 nan tag\n", 2, ["run, line 7", "nan"]),
        (QRELS, RUN + "q1 Q0 \0y 1 1 tag\n", 2, ["run, line 7", "NUL"]),
        (QRELS + "q1 0 a 1\n", RUN, 4, ["'a'", "q1"]),
        (QRELS, RUN + "q1 Q0 a 1 1.0 tag\n", 4, ["'a'", "q1"]),
        (QRELS, "q9 Q0 a 1 1.0 tag\n", 4, ["no results for query 'q1', the first of 3"]),
        ("q1 0 a -1\n", RUN, 4, ["query 'q1' has no judgement of 0 or above"]),
        (QRELS + "q2 0 y 0.9\n", RUN, 2, ['relevance "0.9"', "whole number"]),
        (RUN, QRELS, 2, ["this looks like a run"]),
        (QRELS, QRELS, 2, ["these look like judgements"]),
        ("", RUN, 2, ["empty"]),
        ("# nothing\n", RUN, 2, ["only comment lines"]),
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


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ("", 1, "not no files"),
        ("qrels", 1, "not 1 file (qrels)"),
        ("map qrels run", 1, "write -m before each measure"),
        ("-x qrels run", 1, "-x"),
        ("--bogus qrels run", 1, "--bogus"),
        ("-m", 1, "-m"),
        ("-Z", 1, "-Z"),
        ("-l x qrels run", 2, "-l 'x' is not a whole number"),
        ("-M -3 qrels run", 2, "-M -3 is not a number of items"),
        ("-R x qrels run", 2, "-R x"),
        ("-m mop -R x qrels run", 1, "mop"),
        ("-M 99999999999999999999 -m map qrels run", 0, ""),
        ("-M 2x -m map qrels run", 0, "-M 2x is read as 2"),
    ],
)
def test_wrong_command_lines_end_as_there_and_say_why(words: Any, code: Any, message: Any, run: Any) -> None:
    returned, out, err = run(*words.split())
    assert (returned, bool(out)) == (code, code == 0)
    assert message in err


def test_a_query_at_0_counts_a_little_in_a_geometric_mean(run: Any) -> None:
    """AP is 5/6, 0 and 1/2: the cube root of 5/6 · 0.00001 · 1/2."""
    assert values(run("-q", "-m", "gm_map", "qrels", "run")[1]) == {("gm_map", "all"): "0.0161"}


@pytest.mark.parametrize("digits", [20, 400, 5000])
@pytest.mark.parametrize("option", ["-M", "-l", "-N"])
def test_numbers_of_many_digits_are_the_greatest(run: Run, option: str, digits: int) -> None:
    """As atol in C: trec_eval takes 9223372036854775807 of them."""
    many, greatest = (run(option, text, "qrels", "run") for text in ("9" * digits, str(2**63 - 1)))
    assert many == greatest
    assert many[0] == 0


@pytest.mark.parametrize("measure", ["P", "map_cut", "ndcg.1", "iprec_at_recall", "relstring", "relstring.-"])
def test_parameters_of_many_digits_are_no_traceback(run: Run, measure: str) -> None:
    text = {"ndcg.1": "ndcg.1=", "relstring.-": "relstring.-"}.get(measure, f"{measure}.") + "9" * 5000
    code, printed, errors = run("-q", "-m", text, "qrels", "run")
    assert (code, printed == "") in [(0, False), (2, True)]
    assert errors.startswith("rankmark: error: ") or not errors


def test_messages_do_not_steer_the_terminal(run: Run) -> None:
    for words in (["-M", "1\x1b[2J", "qrels", "run"], ["-m", "\x1b[2J", "qrels", "run"], ["\x1b[2J", "run"]):
        assert "\x1b" not in run(*words)[2]
    assert "\x1b" not in run("--\x1b[2J")[2]


# --- Preferences, and judgements of several people --------------------------------------------------------

# The example of trec_eval's help: 5 preferences, of which two users contradict each other in one.
PREFERENCES = (
    "q1 ujg1 sub1 d1 3.0\nq1 ujg1 sub1 d2 2.0\n"
    "q1 ujg2 sub1 d1 0.0\nq1 ujg2 sub1 d3 6.0\nq1 ujg2 sub1 d4 2.0\n"
    "q1 ujg2 sub2 d1 0.0\nq1 ujg2 sub2 d2 8.0\n"
)
PREFERRED_RUN = "q1 Q0 d2 1 3 t\nq1 Q0 d1 2 2 t\nq1 Q0 d3 3 1 t\n"


@pytest.fixture
def preferences(folder: Path) -> str:
    """A file of preferences, beside one of results."""
    Path(folder, "prefs").write_text(PREFERENCES)
    Path(folder, "preferred").write_text(PREFERRED_RUN)
    return "prefs"


def test_preferences_by_hand(run: Run, preferences: str) -> None:
    # d2 stands above d1, d1 above d3, and d4 is not retrieved: 2>1 and 3>4 of 1>2, 2>1, 3>1, 4>1, 3>4.
    code, out, _ = run("-R", "prefs", "-m", "all_prefs", preferences, "preferred")
    printed = {name: value for (name, _), value in values(out).items()}
    assert code == 0
    assert printed == {
        "runid": "t",
        "num_q": "1",
        "prefs_num_prefs_poss": "5",
        "prefs_num_prefs_ful": "2",
        "prefs_num_prefs_ful_ret": "1",  # d4 is not there
        "prefs_simp": "0.4000",
        "prefs_pair": "0.3750",  # (1/2 + 0 + 0 + 1) / 4
        "prefs_avgjg": "0.2500",  # (0/1 + 2/4) / 2
        "prefs_avgjg_Rnonrel": "0.7000",  # ((0 + 2·2) / (1 + 2·2) + (2 + 2·2) / (4 + 3·2)) / 2
        "prefs_simp_ret": "0.3333",
        "prefs_pair_ret": "0.2500",
        "prefs_avgjg_ret": "0.2500",
        "prefs_avgjg_Rnonrel_ret": "0.7000",
        "prefs_simp_imp": "0.4000",
        "prefs_pair_imp": "0.3750",
        "prefs_avgjg_imp": "0.2500",
    }


def test_what_is_preferred_to_the_preferred_is_so_across_subgroups(run: Run) -> None:
    Path("prefs").write_text("q u s 1 3\nq u s 2 2\nq u s 3 1\nq u t 2 5\nq u t 4 4\n")
    Path("list").write_text("q Q0 1 1 4 t\nq Q0 2 1 3 t\nq Q0 3 1 2 t\nq Q0 4 1 1 t\n")
    code, out, _ = run("-R", "prefs", "-m", "prefs_num_prefs_poss", "-m", "prefs_simp", "prefs", "list")
    assert code == 0
    assert values(out) == {("prefs_num_prefs_poss", "all"): "5", ("prefs_simp", "all"): "1.0000"}


def test_measures_are_means_over_the_groups_of_several_people(run: Run) -> None:
    Path("judged").write_text("q1 0 a 1\nq1 0 b 0\nq1 1 b 2\nq1 1 a 0\n")
    Path("list").write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n")
    code, out, _ = run("-R", "qrels_jg", "-m", "map_avgjg", "-m", "P_avgjg.1", "judged", "list")
    assert code == 0
    assert values(out) == {("map_avgjg", "all"): "0.7500", ("P_avgjg_1", "all"): "0.5000"}
    code, out, _ = run("-R", "qrels_prefs", "-m", "prefs_simp", "judged", "list")
    assert (code, values(out)) == (0, {("prefs_simp", "all"): "0.5000"})


@pytest.mark.parametrize(
    ("lines", "code", "message"),
    [
        ("q u s a 2\nq u b 1\n", 2, "line 2: 4 fields, but a line of -R prefs is 'query group subgroup item"),
        ("q u s a 2\n\nq u s b 1\n", 2, "line 2: 0 fields"),
        ("q u s a high\n", 2, "line 1: the relevance 'high' is not a number"),
        ("# nothing\n", 2, "has only comment lines"),
        (
            "q u s a 2\nq u s b 1\nq u t a 1\nq u t b 2\n",
            4,
            "group 'u': item 'a' is preferred to 'b' and 'b'",
        ),
        ("q u s a 2\nq u s a 1\n", 4, "item 'a' has two grades in one subgroup"),
        ("q u s a 2\nq u t a 0\n", 4, "item 'a' is judged 0 in one subgroup, and above 0 in another"),
        ("q u s a 1\nq u s b -1\n", 4, "has grades below 0"),
    ],
)
def test_bad_preferences_say_what_is_wrong_and_where(run: Run, lines: str, code: int, message: str) -> None:
    Path("prefs").write_text(lines)
    Path("list").write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    returned, out, err = run("-R", "prefs", "-m", "all_prefs", "prefs", "list")
    assert (returned, out) == (code, "")
    assert message in err


def test_deviations_of_preferences(run: Run, preferences: str) -> None:
    Path("means").write_text("q1 prefs_simp 0.2 0.1\nq1 prefs_num_prefs_poss 1 2\n")
    asked = ("-R", "prefs", "-m", "prefs_simp", "-m", "prefs_num_prefs_poss", "-Z", "means")
    code, out, _ = run(*asked, preferences, "preferred")
    assert code == 0
    assert values(out) == {("Zprefs_num_prefs_poss", "all"): "2.0000", ("Zprefs_simp", "all"): "2.0000"}


def test_what_measures_of_preferences_are(run: Run) -> None:
    code, out, _ = run("-h", "-m", "prefs_pair", "-m", "map_avgjg")
    assert code == 0
    assert "mean of that share over pairs of items" in out
    assert "the mean over groups of AP" in out
