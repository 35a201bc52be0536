from __future__ import annotations

import csv
import importlib.metadata
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import rankmark as rm
from processes import python, ran, started
from rankmark._native import __version__
from rankmark.cli import main
from rankmark.commands.eval import MEASURES
from rankmark.language.choices import Choices, values_of
from rankmark.language.grammar import split_measures

QRELS = "q1 0 a 2\nq1 0 b 1\nq2 0 c 1\nq3 0 d 0\n"
BM25 = "q1 Q0 a 1 3.0 bm25\nq1 Q0 b 2 2.0 bm25\nq2 Q0 x 1 1.0 bm25\nq2 Q0 c 2 0.5 bm25\nq3 Q0 d 1 1.0 bm25\n"
DENSE = "q1 Q0 b 1 3.0 dense\nq2 Q0 c 1 1.0 dense\n"
COMMAND = [sys.executable, "-c", "import sys; from rankmark.cli import main; sys.exit(main())"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a small collection."""
    monkeypatch.chdir(tmp_path)
    for name, text in {"qrels.txt": QRELS, "bm25.run": BM25, "dense.run": DENSE}.items():
        Path(name).write_text(text)
    return tmp_path


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process: exit code, output, errors."""

    def call(*args: str) -> tuple[int, str, str]:
        code = main(list(args))
        return code, *capfd.readouterr()

    return call


def test_eval_shows_a_table(run: Run) -> None:
    code, out, err = run("eval", "qrels.txt", "bm25.run")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["measure", "value"]
    assert [line.split()[0] for line in out.splitlines()[2:7]] == MEASURES
    assert "RR       0.5000" in out
    assert "3 queries judged, all answered" in out


def test_several_runs_side_by_side_by_the_names_of_their_files(run: Run) -> None:
    code, out, _ = run("eval", "qrels.txt", "bm25.run", "dense.run", "-m", "RR")
    assert code == 0
    assert [line.split() for line in out.splitlines()[:3:2]] == [
        ["measure", "bm25", "dense"],
        ["RR", "0.5000", "0.6667"],
    ]
    assert "dense: 3 queries judged, 2 answered, 1 missing (counted as 0)" in out


def test_runs_of_the_same_name_go_by_their_paths(run: Run, folder: Path) -> None:
    (folder / "old").mkdir()
    (folder / "old" / "bm25.run").write_text(DENSE)
    _, out, _ = run("eval", "qrels.txt", "bm25.run", "old/bm25.run", "-m", "RR")
    assert out.splitlines()[0].split() == ["measure", "bm25.run", "old/bm25.run"]


@pytest.mark.parametrize("command", ["eval", "check"])
def test_runs_can_be_named(command: str, run: Run) -> None:
    code, out, _ = run(command, "qrels.txt", "old=bm25.run", "new=dense.run", "-m", "RR")
    assert code == 0
    assert "old: " in out
    assert "new: " in out
    code, out, _ = run("agree", "--qrels", "qrels.txt", "-m", "RR", "-m", "AP", "old=bm25.run", "dense.run")
    assert code == 0


def test_the_worst_query_of_each_group(run: Run) -> None:
    Path("queries.csv").write_text("query,question\nq1,x\nq2,x\nq3,y\n")
    asked = ["eval", "qrels.txt", "bm25.run", "-m", "RR", "--worst-of", "question"]
    code, out, err = run(*asked, "--attributes", "queries.csv", "--intervals")
    assert (code, err) == (0, "")
    assert "worst(RR)  0.2500" in out
    assert "95% intervals over 2 groups" in out
    _, out, _ = run(*asked, "--attributes", "queries.csv", "-q", "--format", "csv")
    assert out == "query,worst(RR)\nx,0.5\ny,0.0\n"
    _, _, err = run(*asked)
    assert err.startswith("rankmark: error: --worst-of question: no table has such a column")


def test_instructions_and_abstention_are_those_of_python(run: Run) -> None:
    code, out, err = run("instructions", "qrels.txt", "bm25.run", "dense.run", "-q", "--format", "csv")
    # b of q1 rises from rank 2 to 1 and a falls from 1 to 2; c of q2 rises from 2 to 1.
    assert (code, err, out) == (0, "", "query,p-MRR\nq1,0.0\nq2,-0.5\nq3,\n")
    asked = ["abstention", "qrels.txt", "bm25.run", "-m", "RR", "--ties", "random", "--seed", "3"]
    code, out, err = run(*asked, "--intervals", "--resamples", "9", "--format", "json")
    found = rm.evaluate_abstention(
        "qrels.txt", "bm25.run", "RR", ties="random", seed=3, intervals=True, resamples=9
    )
    assert (code, err) == (0, "")
    assert [each["nauc"] for each in json.loads(out)["values"]] == [each.nauc for each in found.values]
    code, _, err = run("instructions", "qrels.txt", "bm25.run", "dense.run", "--ties", "best")
    assert code == 2
    assert err.startswith("rankmark: error: --ties best needs judgements; here it is item-desc, ")


@pytest.mark.parametrize("other", [["--by", "x"], ["--bounds"], ["--like", "all"], ["--weights", "x"]])
def test_what_groups_have_no_place_for(other: list[str], run: Run) -> None:
    code, _, err = run("eval", "qrels.txt", "bm25.run", "--worst-of", "x", *other)
    assert code == 2
    assert "--worst-of shows groups of queries by one convention" in err


def test_measures_may_be_given_in_any_way(run: Run) -> None:
    _, out, _ = run("eval", "qrels.txt", "bm25.run", "-m", "P@1,nDCG(gain=exp2)@10", "-m", "map RR")
    assert [line.split()[0] for line in out.splitlines()[2:6]] == ["P@1", "nDCG(gain=exp2)@10", "map", "RR"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nDCG@10", ["nDCG@10"]),
        ("AP, RR P@5", ["AP", "RR", "P@5"]),
        ("nDCG(gain={1: 3, 2: 9}, ideal=judged)@10,AP", ["nDCG(gain={1: 3, 2: 9}, ideal=judged)@10", "AP"]),
        (" , ", []),
        ("P(rel=2", ["P(rel=2"]),
        ("P)@5 RR", ["P)@5", "RR"]),
    ],
)
def test_splitting_measures(text: str, names: list[str]) -> None:
    assert split_measures(text) == names


def test_choices_reach_the_evaluation(run: Run) -> None:
    args = ["--ties", "random", "--seed", "7", "--missing", "skip", "--unjudged-queries", "error"]
    args += ["--no-relevant", "one", "--duplicates", "best", "--unjudged", "ignore", "--scores", "float32"]
    args += ["--short-lists", "skip", "--candidates", "sampled-9"]
    _, out, _ = run("eval", "qrels.txt", "dense.run", "-m", "RR", "--format", "json", "--threads", "1", *args)
    assert json.loads(out)["choices"] == {
        "ties": "random",
        "seed": 7,
        "missing": "skip",
        "unjudged_queries": "error",
        "no_relevant": "one",
        "duplicates": "best",
        "unjudged": "ignore",
        "scores": "float32",
        "short_lists": "skip",
        "candidates": "sampled-9",
    }


def test_signatures_on_request(run: Run) -> None:
    _, out, _ = run("eval", "qrels.txt", "bm25.run", "-m", "RR", "--signature", "--digits", "2")
    assert "RR        0.50\n" in out
    assert out.splitlines()[-1].startswith("RR|rel:1|")
    assert out.splitlines()[-1].endswith("|rankmark:0.1.0")


def test_short_signatures_on_request(run: Run) -> None:
    _, out, _ = run("eval", "qrels.txt", "bm25.run", "-m", "P@5 RR", "--short-signature", "--missing", "skip")
    assert out.splitlines()[-2:] == ["P@5|missing:skip|rankmark:0.1.0", "RR|missing:skip|rankmark:0.1.0"]


def test_json_has_a_hash_of_each_input(run: Run, folder: Path) -> None:
    (folder / "again.run").write_text("".join(reversed(BM25.splitlines(keepends=True))))
    _, out, _ = run("eval", "qrels.txt", "bm25.run", "dense.run", "again.run", "-m", "RR", "--format", "json")
    bm25, dense, again = (record["inputs"] for record in json.loads(out)["runs"].values())
    assert bm25 == again
    assert bm25["qrels"] == dense["qrels"]
    assert bm25["run"] != dense["run"]


@pytest.mark.parametrize("name", ["table", "json", "csv", "markdown", "latex", "typst", "trec", "html"])
def test_per_query_in_each_format(name: str, run: Run) -> None:
    code, out, _ = run("eval", "qrels.txt", "bm25.run", "-q", "--format", name)
    assert code == 0
    assert "q2" in out
    assert "\x1b" not in out


def test_tables_for_papers(run: Run) -> None:
    args = ("eval", "qrels.txt", "a=bm25.run", "b=dense.run", "-m", "RR")
    options = ("--percent", "--transpose", "--caption", "Ours", "--table-label", "tab:a")
    code, out, _ = run(*args, *options, "--format", "latex")
    assert (code, out.splitlines()[2:4]) == (
        0,
        [r"\caption{Ours. In per cent. The best is bold.}", r"\label{tab:a}"],
    )
    assert r"measure & a & b \\" in out
    assert run(*args, *options, "-o", "a.typ")[0] == 0
    assert ") <tab:a>\n//" in Path("a.typ").read_text()
    _, out, _ = run(
        *args, "--percent", "--digits", "1", "--intervals", "--spread", "interval", "--format", "typst"
    )
    assert re.search(r"\[a\], \[.*\d\d\.\d#text\(size: 0\.7em\)\[#h\(0\.2em\)\\\[\d+\.\d, \d+\.\d\\\]\]", out)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--percent",), "--percent is of tables for papers: add --format latex or typst"),
        (
            ("--table-label", "x", "-o", "a.csv"),
            "--table-label is of tables for papers: add --format latex or typst",
        ),
        (
            ("--spread", "intervall", "--format", "latex"),
            "--spread intervall is not one of none, seeds, interval",
        ),
        (("--spread", "seeds", "--format", "typst"), "--spread seeds: no system has several seeds"),
        (("--table-label", "a b", "-o", "a.tex"), "the label 'a b' is not of letters"),
    ],
)
def test_tables_for_papers_that_cannot_be(args: tuple[str, ...], message: str, run: Run) -> None:
    code, _, err = run("eval", "qrels.txt", "bm25.run", "-m", "RR", *args)
    assert (code, message in err) == (2, True), err


def test_intervals_of_runs(run: Run) -> None:
    code, out, err = run("eval", "qrels.txt", "bm25.run", "-m", "RR P@1", "--intervals")
    assert (code, err) == (0, "")
    assert out.splitlines()[0].split() == ["measure", "value", "low", "high"]
    assert "low, high: 95% intervals over 3 queries: RR by t; P@1 by Wilson" in " ".join(out.split())
    _, out, _ = run("eval", "qrels.txt", "bm25.run", "-m", "RR nDCG@3 AP RBP(p=0.5) P@1", "--intervals")
    assert "P@1 by Wilson; all others by t" in " ".join(out.split())
    args = ("eval", "qrels.txt", "a=bm25.run", "b=dense.run", "-m", "P@1", "--interval-method", "exact")
    _, out, _ = run(*args, "--confidence", "0.9")
    assert "  ".join(out.splitlines()[0].split()) == "measure  a  a  low  a  high  b  b  low  b  high"
    assert "90% intervals over 3 queries: P@1 by an exact bound" in " ".join(out.split())
    Path("users.csv").write_text("query,visitor\nq1,7\nq2,8\nq3,7\n")
    _, out, err = run(*args, "--clusters", "visitor", "--attributes", "users.csv")
    assert "95% intervals over 2 clusters" in " ".join(out.split())
    code, _, err = run("eval", "qrels.txt", "bm25.run", "--interval-method", "wald")
    assert (code, "wald is not one of auto, t" in " ".join(err.split())) == (2, True)
    code, _, err = run(
        "eval", "qrels.txt", "bm25.run", "--like", "ranx", "--like", "trec_eval", "--intervals"
    )
    assert (code, "several --like show one run, without" in " ".join(err.split())) == (2, True)


def test_columns_by_name(run: Run, folder: Path) -> None:
    (folder / "qrels.csv").write_text("who,what\n1,2\n")
    (folder / "run.csv").write_text("who,what,score\n1,2,0.5\n")
    args = ("eval", "qrels.csv", "run.csv", "-m", "RR", "--column", "query=who", "--column", "item=what")
    code, out, err = run(*args)
    assert (code, err) == (0, "")
    assert "RR       1.0000" in out


def test_output_goes_to_the_file_in_the_format_of_its_ending(run: Run, folder: Path) -> None:
    code, out, err = run("eval", "qrels.txt", "bm25.run", "-m", "RR", "-o", "values.csv")
    assert (code, out, err) == (0, "", "")
    assert list(csv.reader(io.StringIO((folder / "values.csv").read_text()))) == [
        ["measure", "value"],
        ["RR", "0.5"],
    ]
    run("eval", "qrels.txt", "bm25.run", "-m", "RR", "-o", "values.csv", "--format", "trec")
    assert (folder / "values.csv").read_text() == "recip_rank            \tall\t0.5000\n"


def test_output_is_not_touched_when_the_evaluation_fails(run: Run, folder: Path) -> None:
    (folder / "out.csv").write_text("before")
    (folder / "broken.run").write_text(BM25 + "q1 Q0 z\n")
    code, _, err = run("eval", "qrels.txt", "broken.run", "-o", "out.csv")
    assert code == 1
    assert "broken.run" in err
    assert "6" in err  # the line
    assert (folder / "out.csv").read_text() == "before"
    assert len(list(folder.glob(".*"))) == 0


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["evl"], "No such command 'evl'; did you mean 'eval' or 'ndeval'?"),
        (["xyz"], "No such command 'xyz'"),
        (["--foo"], "No such option"),
        (["eval"], "Missing argument 'QRELS'"),
        (["eval", "qrels.txt"], "Missing argument '[NAME=]RUN...'"),
        (["eval", "qrels.txt", "bm25.run", "--tie", "best"], "--ties"),
        (["eval", "qrels.txt", "bm25.run", "--ties", "item_desc"], "did you mean 'item-desc'"),
        (["eval", "qrels.txt", "bm25.run", "--seed", "x"], "'--seed'"),
        (["eval", "qrels.txt", "bm25.run", "--seed", "-1"], "--seed -1 is not a whole number from 0"),
        (["eval", "qrels.txt", "bm25.run", "--threads", "0"], "'--threads'"),
        (["eval", "qrels.txt", "bm25.run", "-m", "nDGC@10"], "did you mean 'nDCG'"),
        (["eval", "qrels.txt", "bm25.run", "-m", "nDCG(gian=exp2)"], "did you mean 'gain'"),
        (["eval", "qrels.txt", "bm25.run", "-m", ","], "no measure"),
        (["eval", "qrels.txt", "bm25.run", "--format", "tex"], "--format tex is not one of table, json, csv"),
        (["eval", "qrels.txt", "bm25.run", "--column", "who"], "--column 'who' is not ROLE=NAME"),
        (["eval", "qrels.txt", "bm25.run", "--column", "quer=who"], "quer"),
        (["eval", "qrels.txt", "nowhere.run"], "nowhere.run"),
        (["eval", "qrels.txt", "a=bm25.run", "a=dense.run"], "a has 2 runs; a system has one"),
        (["eval", "qrels.txt", "bm25.run", "bm25.run"], "two runs are called bm25.run; write NAME=bm25.run"),
        (
            ["eval", "qrels.txt", "bm25.run", "-m", "nDCG@10", "AP", "RR"],
            "'AP' is a measure where a file is wanted; put measures in quotes, -m \"nDCG@10 AP RR\"",
        ),
        (["predictions", "-m", "AUC", "LogLoss", "p.csv"], "'LogLoss' is a measure where a file is wanted"),
        (
            ["gate", "a", "b", "c", "--measure", "AP", "RR", "--max-drop", "1%"],
            "'RR' is a measure where a file is wanted",
        ),
        (
            ["eval", "qrels.txt", "bm25.run", "-o", "no/where.txt"],
            "cannot write no/where.txt: there is no folder",
        ),
        (["eval", "qrels.txt", "bm25.run", "-o", "."], "cannot write .: it is a folder"),
        (["eval", "qrels.txt", "bm25.run", "--digits", "18"], "'--digits'"),
        (["eval", "qrels.txt", "bm25.run", "-o"], "Option '-o' requires an argument"),
        (["eval", "qrels.txt", "bm25.run", "--per-query=3"], "does not take a value"),
        (["measures", "AP", "RR"], "unexpected extra argument"),
        (["measures", "nDGC"], "did you mean 'nDCG'"),
        (["demo", "--out", "qrels.txt"], "cannot write to qrels.txt"),
    ],
)
def test_usage_mistakes_exit_with_2_and_say_what(args: list[str], message: str, run: Run) -> None:
    code, out, err = run(*args)
    assert (code, out) == (2, "")
    assert err.startswith("rankmark: error: ")
    assert message in err
    assert "Traceback" not in err
    assert err.count("\n") <= 4


def test_bad_data_exits_with_1_and_says_where(run: Run, folder: Path) -> None:
    (folder / "bad.txt").write_text("q1 0 a 2\nq1 0 b\n")
    code, out, err = run("eval", "bad.txt", "bm25.run")
    assert (code, out) == (1, "")
    assert err.startswith("rankmark: error: ")
    assert "bad.txt" in err
    assert "2" in err
    assert "Traceback" not in err


def test_without_a_command_there_is_help(run: Run) -> None:
    code, out, _ = run()
    assert code == 2
    assert "Usage: rankmark" in out
    assert run("--help") == (0, out, "")
    assert run("-h") == (0, out, "")


def test_version(run: Run) -> None:
    assert __version__ == importlib.metadata.version("rankmark")
    assert run("--version") == (0, f"rankmark {__version__}\n", "")


COMMANDS = [
    "eval",
    "predictions",
    "curve",
    "compare",
    "compare-matrix",
    "board",
    "gate",
    "gate-predictions",
    "power",
    "judge",
    "answers",
    "instructions",
    "abstention",
    "pool",
    "report",
    "show",
    "plot",
    "explain",
    "identify",
    "check",
    "check-predictions",
    "agree",
    "clicks",
    "interleaving",
    "logged",
    "sample",
    "correct-sampled",
    "preferences",
    "eval-expected",
    "eval-preferences",
    "trec_eval",
    "ndeval",
    "measures",
    "convention",
    "completion",
    "demo",
]


def test_help_lists_the_commands_in_a_line_each(run: Run) -> None:
    _, out, _ = run("--help")
    commands = out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in commands] == COMMANDS
    assert all(line.endswith(".") and not line.endswith("...") for line in commands)


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_fits_a_terminal(command: list[str], run: Run) -> None:
    code, out, err = run(*command, "--help")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80


def test_help_lists_every_choice(run: Run) -> None:
    _, out, _ = run("eval", "--help")
    for name in Choices.__dataclass_fields__:
        assert f"--{name.replace('_', '-')} " in out
        if name != "seed":
            assert "|".join(values_of(name)) in out


def test_measures_are_listed_with_aliases(run: Run) -> None:
    code, out, _ = run("measures")
    assert code == 0
    for name in ("nDCG", "AP", "RR", "P", "R", "HR", "Rprec", "RBP", "ERR", "NumRet", "recip_rank"):
        assert name in out.replace(",", " ").split()
    assert max(map(len, out.splitlines())) <= 80


def test_a_measures_page(run: Run) -> None:
    code, out, _ = run("measures", "ndcg")
    assert code == 0
    assert out.startswith("nDCG(gain=linear,discount=log2,ideal=judged)@k\nalso ndcg_cut, ")
    assert "\nndcg_burges is nDCG(gain=exp2)\n" in out
    for part in ("nDCG", "gain", "exp2", "discount", "log2", "ideal", "ndcg_cut", ">>> "):
        assert part in out
    assert "``" not in out
    assert max(map(len, out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        (
            "F1",
            "F(rel=1",
            "F1 also means BinaryF of predictions and MulticlassF of classes; see their pages.",
        ),
        ("Accuracy", "BinaryAcc", "Accuracy also means MulticlassAccuracy of classes; see its page."),
        ("AUC", "AUC(min", "AUC also means MulticlassAUC of classes; see its page."),
        ("top_k_accuracy", "HR(", "top_k_accuracy also means MulticlassAccuracy of classes; see its page."),
        ("BinaryF", "BinaryF(", " 0.666667"),
    ],
)
def test_a_page_says_what_else_a_name_means(run: Run, name: str, first: str, last: str) -> None:
    code, out, _ = run("measures", name)
    assert code == 0
    assert out.startswith(first)
    assert " ".join(out.split("\n\n")[-1].split()).endswith(last)


def command(*args: str, **options: object) -> subprocess.CompletedProcess[str]:
    return ran([*COMMAND, *args], **options)


@pytest.mark.process
def test_a_closed_pipe_is_no_error(folder: Path) -> None:
    rows = [f"q{i} 0 a 1\n" for i in range(20_000)]
    (folder / "many.txt").write_text("".join(rows))
    (folder / "many.run").write_text("".join(f"q{i} Q0 a 1 1 x\n" for i in range(20_000)))
    with started(
        [*COMMAND, "eval", "many.txt", "many.run", "-q"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""


@pytest.mark.process
def test_ctrl_c_exits_with_130_without_a_traceback(folder: Path) -> None:
    code = (
        "import os, signal, sys; from rankmark import cli; from rankmark.api import evaluation;"
        "evaluation.evaluate = lambda *args, **options: os.kill(os.getpid(), signal.SIGINT);"
        "sys.exit(cli.main(['eval', 'qrels.txt', 'run.txt']))"
    )
    done = ran([sys.executable, "-c", code], cwd=folder)
    assert (done.returncode, "Traceback" in done.stderr) == (130, False)


@pytest.mark.process
@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_formulas_are_no_error_where_there_is_no_unicode(encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    done = command("measures", "nDCG", env=environment, encoding="latin-1")
    assert (done.returncode, done.stderr) == (0, "")
    assert "nDCG@k = DCG@k / IDCG@k" in done.stdout


@pytest.mark.process
def test_evaluating_text_files_imports_nothing_heavy() -> None:
    code = (
        "import sys; from rankmark.cli import main\n"
        # JSON has a hash of the inputs, which needs polars.
        "for name in ['table', 'csv', 'markdown', 'trec']:\n"
        "    assert main(['eval', 'qrels.txt', 'bm25.run', '-q', '--format', name]) == 0\n"
        "heavy = {'polars', 'pandas', 'pyarrow', 'scipy', 'rich', 'typer', 'pydantic'}\n"
        "print({*heavy, 'importlib.metadata'} & {*sys.modules}, file=sys.stderr)"
    )
    done = ran([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "set()\n")


@pytest.mark.process
def test_evaluating_text_files_makes_no_array() -> None:
    code = (
        "import sys; from rankmark.cli import main\n"
        "lines = open('bm25.run').readlines()\n"
        "open('part.run', 'w').writelines(line for line in lines if not line.startswith('q1 '))\n"
        "options = [], ['-m', 'nDCG(gain=binary)@3 AP P@1,3 R@5 RR HR@2'], ['--ties', 'input']\n"
        "for more in [*options, ['--format', 'csv'], ['--format', 'markdown']]:\n"
        "    assert main(['eval', 'qrels.txt', 'bm25.run', 'part.run', *more]) == 0\n"
        "print({'numpy', 'polars'} & {*sys.modules}, file=sys.stderr)"
    )
    done = ran([sys.executable, "-c", code])
    assert (done.returncode, done.stderr) == (0, "set()\n")


@pytest.mark.process
@pytest.mark.parametrize(
    "args", [["measures"], ["eval", "-h"], ["eval", "qrels.txt", "bm25.run", "-m", "AQ"]]
)
def test_to_list_measures_makes_no_array(args: list[str]) -> None:
    # Pages have NumPy by `from rankmark import _numpy as np`.
    code = f"""
import sys
from rankmark.cli import main
main({args})
print({{"numpy", "scipy", "polars"}} & {{*sys.modules}})
"""
    assert python(code).endswith("set()\n")


@pytest.mark.process
def test_evaluating_imports_nothing_of_notebooks_papers_addresses_and_tests() -> None:
    modules = ("rendering.html", "rendering.formulas", "rendering.papers", "language.page_blocks")
    modules += ("inputs.catalogue", "statistics.bayes", "statistics.anova", "statistics.power")
    modules += ("aggregation.intervals", "kinds.distances", "results.archive", "commands.compare")
    modules += ("measures.lists.ap", "measures.rows.auc")
    modules += ("rendering.formats.html", "rendering.formats.latex", "rendering.formats.saved")
    modules += ("statistics.intervals", "statistics.resampling", "statistics.corrections")
    modules += ("inputs.attributes", "inputs.slicing", "inputs.weights", "inputs.clusters")
    modules += ("inputs.tables.dicts_and_tuples", "inputs.arrays.libraries")
    modules += ("language.own", "language.given_measure", "language.coefficient", "language.extremes")
    modules += ("language.bibliography", "language.absent", "language.conventions.trec_table")
    standard = {"http.client", "json", "csv", "string", "zlib", "numpy.typing"}
    others = {*standard, *(f"rankmark.{each}" for each in modules)}
    code = (
        "import sys; from rankmark.cli import main\n"
        "assert main(['eval', 'qrels.txt', 'bm25.run', '-m', 'nDCG@10']) == 0\n"
        f"print({others} & {{*sys.modules}})"
    )
    assert python(code).endswith("set()\n")


@pytest.mark.process
def test_help_imports_neither_numpy_nor_rich() -> None:
    code = (
        "import sys; from rankmark.cli import main; main(['-h']); print({'numpy', 'rich'} & {*sys.modules})"
    )
    assert python(code).endswith("set()\n")


def test_an_input_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.csv").write_text("query,item,rel\n1,1,1\n")
    (tmp_path / "run.csv").write_text("query,item,score\n1,1,1\n")
    before = (tmp_path / "run.csv").read_text()
    paths = [str(tmp_path / name) for name in ("qrels.csv", "run.csv")]
    assert main(["eval", *paths, "-o", paths[1]]) == 2
    assert "would overwrite the input" in capsys.readouterr().err
    assert (tmp_path / "run.csv").read_text() == before


def test_an_ending_that_says_no_format_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.csv").write_text("query,item,rel\n1,1,1\n")
    (tmp_path / "run.csv").write_text("query,item,score\n1,1,1\n")
    paths = [str(tmp_path / name) for name in ("qrels.csv", "run.csv")]
    wanted = tmp_path / "values.xlsx"
    assert main(["eval", *paths, "-o", str(wanted)]) == 2
    assert "'.xlsx' does not say which format to write" in capsys.readouterr().err
    assert main(["eval", *paths, "-o", str(wanted), "--format", "json"]) == 0
    assert wanted.read_text().startswith("{")


def test_that_there_is_no_relevance_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels.csv").write_text("query,item,was_clicked\n1,1,0\n")
    (tmp_path / "run.csv").write_text("query,item,score\n1,1,1\n")
    paths = [str(tmp_path / name) for name in ("qrels.csv", "run.csv")]
    assert main(["eval", *paths]) == 1
    assert "--column relevance=was_clicked" in capsys.readouterr().err
    assert main(["eval", *paths, "-m", "AP", "--column", "relevance="]) == 0
    assert "AP       1.0000" in capsys.readouterr().out


PREDICTIONS = "user_id,click,p\na,1,0.9\na,0,0.4\nb,0,0.3\nb,0,0.2\nc,1,0.1\nc,0,0.6\n"


def test_predictions_shows_values_and_what_was_left_out(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text(PREDICTIONS)
    code, out, err = run("predictions", "p.csv", "-m", "AUC", "-m", "GAUC nDCG@10", "--signature")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[2:5]] == [
        ["AUC", "0.5000"],
        ["GAUC", "0.5000"],
        ["nDCG@10", "0.5436"],
    ]
    assert "6 rows, 2 positive, 3 queries\n  1 query of one class (2 rows) left out" in out
    assert "GAUC|weight:impressions|of_rows:sum|positive:1|weights:none|rankmark:" in out


def test_predictions_per_query_and_in_every_format(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text(PREDICTIONS)
    _, out, _ = run("predictions", "p.csv", "-m", "AUC", "-q")
    assert out.startswith("measure")  # it has no value for each query
    _, out, _ = run("predictions", "p.csv", "-m", "AUC GAUC", "-q", "--format", "csv")
    assert out == "query,GAUC\na,1.0\nb,\nc,0.0\n"
    _, out, _ = run("predictions", "p.csv", "-m", "AUC GAUC", "--format", "json")
    record = json.loads(out)
    assert record["counts"] == {"rows": 6, "positive": 2, "queries": 3, "classes": None, "unlabelled": None}
    assert record["measures"]["GAUC"]["skipped_rows"] == 2
    assert record["choices"] == {}


def test_predictions_tells_the_best_threshold(run: Run, folder: Path) -> None:
    (folder / "p.csv").write_text("label,score\n1,0.9\n0,0.8\n1,0.5\n0,0.1\n")
    code, out, err = run("predictions", "p.csv", "-m", "F1(threshold=max) TP(threshold=0.8)")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[2:4]] == [
        ["F1(threshold=max)", "0.8000"],
        ["TP(threshold=0.8)", "1"],
    ]
    assert "  F1(threshold=max) is at the threshold 0.5" in out


PETS = "label,cat,dog,bird\ncat,0.7,0.2,0.1\ndog,0.5,0.4,0.1\nbird,0.1,0.3,0.6\ndog,0.2,0.7,0.1\n"


@pytest.mark.parametrize("said", [["--score", "cat,dog,bird"], ["--score", "cat", "--score", "dog,bird"]])
def test_predictions_of_classes(run: Run, folder: Path, said: list[str]) -> None:
    (folder / "pets.csv").write_text(PETS)
    code, out, err = run("predictions", "pets.csv", *said, "-m", "Accuracy Accuracy@2 LogLoss")
    assert (code, err) == (0, "")
    assert [line.split() for line in out.splitlines()[2:5]] == [
        ["Accuracy", "0.7500"],
        ["Accuracy@2", "1.0000"],
        ["LogLoss", "0.5351"],  # -(ln .7 + ln .4 + ln .6 + ln .7) / 4
    ]
    assert "4 rows, 3 classes (cat, dog, bird)" in out
    _, out, _ = run("predictions", "pets.csv", *said)
    assert [line.split()[0] for line in out.splitlines()[2:4]] == ["MulticlassAccuracy", "MulticlassF"]
    code, out, err = run("predictions", "pets.csv", *said, "--classes", "cat,dog")
    assert (code, out) == (2, "")
    assert "2 are said, and" in err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["-m", "BinaryPrecision@10"], 2, "BinaryPrecision takes no cutoff; there is P@10"),
        (["--score", "p,user_id", "-m", "F1"], 1, "'a' in column 'user_id' is not a number"),
        (["-m", "MulticlassF"], 2, "takes a score of each class"),
        (["--label", "clik"], 1, "no column 'clik' for the label; did you mean 'click'?"),
        (["-m", "AUCC"], 2, "no measure 'AUCC'; did you mean"),
        (["-m", "RMSE(x=1)"], 2, "RMSE has no parameter 'x'"),
        (["-m", "ERR(max_grade=1)"], 2, "without a column of items"),
        (["--positive", "3"], 1, "--positive 3"),
        (["--score", "user_id"], 1, "'a' in column 'user_id' is not a number"),
    ],
)
def test_predictions_refuses_with_a_message(
    run: Run, folder: Path, arguments: list[str], code: int, message: str
) -> None:
    (folder / "p.csv").write_text(PREDICTIONS)
    found, out, err = run("predictions", "p.csv", *arguments)
    assert (found, out) == (code, "")
    assert message in err


def test_compare_shows_differences_and_how_sure_they_are(run: Run) -> None:
    code, out, err = run(
        "compare", "qrels.txt", "bm25.run", "dense.run", "-m", "RR P@1", "--baseline", "bm25"
    )
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[:4]] == ["system", "------", "bm25", "dense"]
    assert "RR       dense      +0.1667" in out
    assert "corrected by Holm over 2 tests" in " ".join(out.split())
    assert "dense: 3 queries judged, 2 answered, 1 missing (counted as 0)" in out


def test_compared_runs_can_be_named_and_one_name_is_one_system(run: Run) -> None:
    args = ("compare", "qrels.txt", "old=bm25.run", "new=dense.run", "new=bm25.run", "-m", "RR")
    _, out, _ = run(*args, "--format", "json")
    record = json.loads(out)
    assert list(record["systems"]) == ["old", "new"]
    assert record["systems"]["new"]["measures"]["RR"]["value"] == pytest.approx((0.5 + 2 / 3) / 2)


def test_a_file_with_an_equals_sign_in_its_name_is_a_file(run: Run, folder: Path) -> None:
    (folder / "k1=0.9.run").write_text(BM25)
    _, out, _ = run("compare", "qrels.txt", "k1=0.9.run", "dense.run", "-m", "RR")
    assert out.splitlines()[2].startswith("k1=0.9 (a)")


def test_compare_takes_what_the_comparison_takes(run: Run) -> None:
    args = [
        "--test",
        "t",
        "--alternative",
        "greater",
        "--correction",
        "sidak",
        "--alpha",
        "0.1",
        "--interval",
    ]
    args += ["percentile", "--confidence", "0.9", "--resamples", "99", "--seed", "5", "--missing", "skip"]
    _, out, _ = run("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "RR", "--format", "json", *args)
    record = json.loads(out)
    expected = {"test": "t", "alternative": "greater", "correction": "sidak", "alpha": 0.1, "seed": 5}
    expected |= {"interval": "percentile", "confidence": 0.9, "resamples": 99}
    assert {name: record[name] for name in expected} == expected
    assert record["pairs"][0]["queries"] == 2


def test_compare_draws_clusters(run: Run) -> None:
    Path("users.csv").write_text("query,visitor,one\nq1,7,0\nq2,8,0\nq3,7,1\n")
    args = ("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "RR", "--clusters", "visitor")
    code, out, err = run(*args, "--attributes", "users.csv")
    assert (code, err) == (0, "")
    assert "intervals: t over clusters of queries" in out
    assert "compared on 3 queries in 2 clusters" in out
    _, out, _ = run(*args, "--attributes", "users.csv", "--by", "one")
    assert "one  queries   value" in out
    for wrong, code, message in (
        (args, 1, "--clusters visitor: no table has such a column"),
        ((*args[:-1], "visiter", "--attributes", "users.csv"), 1, "did you mean 'visitor'"),
        ((*args, "--attributes", "users.csv", "--test", "sign"), 2, "--test sign knows no clusters"),
        ((*args, "--attributes", "users.csv", "-o", "users.csv"), 2, "would overwrite the input users.csv"),
    ):
        found, out, err = run(*wrong)
        assert (found, out) == (code, "")
        assert message in err


def test_queries_weigh_as_a_column_says(run: Run) -> None:
    Path("traffic.csv").write_text("query,asked,wrong\nq1,1,-1\nq2,2,0\nq3,5,1\n")
    weights = ("--weights", "asked", "--attributes", "traffic.csv")
    _, out, _ = run("eval", "qrels.txt", "bm25.run", "-m", "RR", "--format", "json", "-q")
    known = json.loads(out)["per_query"]
    by_query = dict(zip(known["query"], known["values"]["RR"], strict=True))
    code, out, err = run("eval", "qrels.txt", "bm25.run", "-m", "RR", "--format", "json", *weights)
    record = json.loads(out)
    expected = sum(by_query[q] * w for q, w in (("q1", 1), ("q2", 2), ("q3", 5))) / 8
    assert (code, err) == (0, "")
    assert record["measures"]["RR"]["value"] == pytest.approx(expected)
    assert record["weights"] == {"name": "asked", "effective": pytest.approx(64 / 30)}
    assert "|weights:asked|" in record["measures"]["RR"]["signature"]
    code, out, err = run("compare", "qrels.txt", "bm25.run", "dense.run", "-m", "RR", *weights)
    assert (code, err) == (0, "")
    assert "compared on 3 queries; weighed by 'asked', as many as 2.1 alike" in " ".join(out.split())
    for run_file in ("bm25", "dense"):
        run("eval", "qrels.txt", f"{run_file}.run", "-m", "RR", "-o", f"{run_file}.rankmark")
    _, saved, _ = run("compare", "bm25.rankmark", "dense.rankmark", "-m", "RR", *weights)
    assert saved.split("\n\n")[:2] == out.split("\n\n")[:2]
    for column, code, message in (
        ("wrong", 1, "--weights wrong: 1 of 3 judged queries have one below 0"),
        ("askd", 1, "did you mean 'asked'?"),
    ):
        found, out, err = run("eval", "qrels.txt", "bm25.run", "--weights", column, *weights[2:])
        assert (found, out) == (code, "")
        assert message in " ".join(err.split())


def test_compare_shows_movers_margins_and_queries(run: Run) -> None:
    args = (
        "compare",
        "qrels.txt",
        "bm25.run",
        "dense.run",
        "-m",
        "RR",
        "--movers",
        "1",
        "--margin",
        "0.9",
        "-q",
    )
    code, out, _ = run(*args)
    assert code == 0
    first = [block.split()[0] for block in out.split("\n\n")]
    assert first == ["measure", "system", "measure", "measure", "measure", "randomisation"]
    assert "before" in out
    assert "p equivalent" in out


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["bm25.run"], "1 system to compare; give two or more"),
        (["bm25.run", "dense.run", "--baseline", "bm2"], "did you mean 'bm25'?"),
        (["bm25.run", "dense.run", "--test", "wilcox"], "did you mean 'wilcoxon'?"),
        (
            ["bm25.run", "dense.run", "--format", "trec"],
            "--format trec is not one of table, json, csv, markdown",
        ),
        (
            ["bm25.run", "dense.run", "-o", "bm25.run", "--format", "csv"],
            "would overwrite the input bm25.run",
        ),
        (["bm25.run", "gone.run"], "gone.run"),
        (["bm25.run", "dense.run", "--margin", "-1"], "--margin -1.0 is not a number above 0"),
        (["bm25.run", "bm25.run"], "two runs are called bm25.run; write NAME=bm25.run to call it otherwise"),
        (["dense=bm25.run", "dense.run"], "two runs are called dense; write NAME=dense.run"),
        (["bm25.run", "dense.run", "--alpha", "2"], "--alpha 2.0 is not a number above 0 and below 1"),
    ],
)
def test_wrong_comparisons_are_refused(args: list[str], said: str, run: Run) -> None:
    code, out, err = run("compare", "qrels.txt", *args)
    assert (code, out) == (2, "")
    assert said in err


def test_the_help_lists_what_the_statistics_have(run: Run) -> None:
    from rankmark.comparing.plan import INTERVALS_OF_DIFFERENCES
    from rankmark.statistics import CORRECTIONS, TESTS

    _, out, _ = run("compare", "--help")
    words = "".join(out.split())
    assert f"--test{'|'.join(TESTS)}Which" in words
    assert f"--interval{'|'.join(INTERVALS_OF_DIFFERENCES)}How" in words
    *corrections, none = CORRECTIONS
    assert f"--correction{'|'.join([*corrections, 'tukey', none])}Of" in words


@pytest.mark.process
def test_help_of_a_comparison_imports_no_scipy() -> None:
    code = (
        "import sys; from rankmark.cli import main; main(['compare', '-h']);"
        "print({'scipy', 'polars', 'rich'} & {*sys.modules})"
    )
    assert python(code).endswith("set()\n")


def test_explain_and_gate_take_names_of_runs_as_eval_does(run: Run) -> None:
    code, out, _ = run(
        *["explain", "qrels.txt", "old=bm25.run", "new=dense.run", "-m", "RR", "--query", "q2"]
    )
    assert code == 0
    assert "old" in out
    assert "new" in out
    assert "bm25.run" not in out
    usual = run("gate", "qrels.txt", "bm25.run", "dense.run", "-m", "RR", "--max-drop", "1%")
    for named in (
        ["old=bm25.run", "new=dense.run"],
        ["baseline=bm25.run", "candidate=dense.run"],
        ["candidate=dense.run", "baseline=bm25.run"],
    ):
        assert run("gate", "qrels.txt", *named, "-m", "RR", "--max-drop", "1%") == usual
    assert run("gate", "qrels.txt", "new=dense.run", "--at-least", "RR=.1")[0] == 0


@pytest.mark.parametrize(
    "command",
    [
        ["eval"],
        ["compare"],
        ["gate", "--max-drop", "0.5"],
        ["report", "-o", "report.html"],
        ["explain", "--query", "q1"],
    ],
)
def test_the_column_of_aspects_can_be_named(command: list[str], run: Run, folder: Path) -> None:
    rows = [("a", 1, 0.7), ("b", 1, 0.7), ("c", 2, 0.3), ("b", 2, 0.3)]
    (folder / "aspects.txt").write_text("".join(f"q1 {aspect} {item} 1\n" for item, aspect, _ in rows))
    table = "".join(f"q1,{item},1,{aspect},{weight}\n" for item, aspect, weight in rows)
    (folder / "aspects.csv").write_text("query,item,relevance,intent,probability\n" + table)
    runs = ["bm25.run"] if command[0] == "explain" else ["bm25.run", "dense.run"]
    for qrels, columns in (
        ("aspects.txt", ["aspect=iter"]),
        ("aspects.csv", ["aspect=intent", "aspect_weight=probability"]),
    ):
        said = [word for column in columns for word in ("--column", column)]
        code, _, err = run(command[0], qrels, *runs, "-m", "nDCG@10", *said, *command[1:])
        assert (code, err) == (0, "")


@pytest.mark.parametrize(
    "command",
    [
        ["eval"],
        ["compare"],
        ["gate", "--max-drop", "0.2"],
        ["report", "-o", "report.html"],
        ["explain", "--query", "q1"],
        ["board"],
    ],
)
def test_a_file_says_how_much_aspects_weigh(command: list[str], run: Run, folder: Path) -> None:
    judged = "".join(f"q{query} {aspect} {item} 1\n" for query in (1, 2) for item, aspect in ("a1", "b2"))
    (folder / "aspects.txt").write_text(judged)
    header = "query,aspect,weight\n"
    rows = "".join(f"q{query},{aspect},0.{aspect}\n" for query in (1, 2) for aspect in (1, 2))
    (folder / "weights.csv").write_text(header + rows)
    (folder / "few.csv").write_text(header + "q1,1,0.5\n")
    runs = ["bm25.run"] if command[0] == "explain" else ["bm25.run", "dense.run"]
    files = ["--qrels", "aspects.txt", *runs] if command == ["board"] else ["aspects.txt", *runs]
    asked = [*files, "-m", "NRBP", *command[1:], "--aspect-weights"]
    code, _, err = run(command[0], *asked, "weights.csv")
    assert code == 0, err
    code, _, err = run(command[0], *asked, "few.csv")
    assert code in (1, 2)
    assert "--aspect-weights: 3 of the 4 aspects for which items are judged have no weight" in err


def test_weights_of_aspects_are_of_judgements(run: Run, folder: Path) -> None:
    (folder / "weights.csv").write_text("query,aspect,weight\nq1,1,1\n")
    weights = ["--aspect-weights", "weights.csv"]
    code, _, err = run("eval", "--no-qrels", "bm25.run", "-m", "AggregateDiversity@2", *weights)
    assert (code, "--aspect-weights is of judgements" in err) == (2, True)


def test_a_board_of_runs_says_where_judgements_go(run: Run) -> None:
    code, _, err = run("board", "qrels.txt", "bm25.run", "-m", "NRBP", "--column", "aspect=iter")
    assert code == 2
    assert "--column aspect=iter is of judgements and runs" in err
    assert "given by --qrels QRELS" in err
