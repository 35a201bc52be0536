from __future__ import annotations

import csv
import io
import json
import math
import re
import stat
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import rankmark as rm
from rankmark.errors import ChoiceError, UsageError
from rankmark.rendering.blocks import Code, Grid, Marked, Notes, Prose, Section
from rankmark.rendering.files import write_whole
from rankmark.rendering.formats import format_of, markdown
from rankmark.rendering.html import html
from rankmark.rendering.words import broken, chance, width_of
from rankmark.results.lists import ListResult
from rankmark.results.runs import Runs

NASTY = ["a|b_c", "50% & $1 #2 {x} ~y ^z \\w", "[i]", "\x1b[31mred\x1b[0m", 'say "x", y', "two\nlines", "<b>"]
MEASURES = ["nDCG@10", "AP(rel=2)@5", "RR", "NumRet"]


@pytest.fixture
def result() -> ListResult:
    qrels = {"301": {"a": 2, "b": 1}, "302": {"c": 1}, "303": {"d": 0}}
    run = {"301": {"b": 3.0, "a": 2.0, "x": 1.0}, "302": {"x": 2.0, "c": 1.0}, "303": {"d": 1.0}}
    return rm.evaluate(qrels, run, MEASURES, no_relevant="skip")


@pytest.fixture
def nasty() -> ListResult:
    qrels = {query: {"a": 1} for query in NASTY}
    return rm.evaluate(qrels, {query: {"a": 1.0} for query in NASTY}, ["RR"])


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


@pytest.mark.parametrize("per_query", [False, True])
@pytest.mark.parametrize("name", ListResult.formats())
def test_every_format_takes_one_result_or_several(name: str, per_query: bool, result: ListResult) -> None:
    other = rm.evaluate({"301": {"a": 1}}, {"301": {"a": 1.0}}, ["RR", "P@5"])
    one = result.format(name, per_query=per_query, signatures=True)
    several = Runs({"bm25": result, "dense": other}).format(name, per_query=per_query, signatures=True)
    assert "bm25" not in one
    assert "bm25" in several
    assert "dense" in several
    for text in (one, several):
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        assert "\x1b" not in text
        assert ("302" in text) == per_query
        assert "nan" not in text.lower()


def test_an_unknown_format_says_what_there_is(result: ListResult) -> None:
    with pytest.raises(
        ChoiceError, match=r"format='markdwn' is not one of table, .* did you mean 'markdown'"
    ):
        result.format("markdwn")


def test_table_side_by_side(result: ListResult) -> None:
    other = rm.evaluate({"301": {"a": 1}}, {"301": {"a": 1.0}}, ["RR", "P@5"])
    lines = Runs({"bm25": result, "a longer name": other}).format().splitlines()
    assert lines[0] == "measure        bm25  a longer name"
    assert lines[4].split() == ["RR", "0.7500", "1.0000"]
    assert lines[5].split() == ["NumRet", "6"]
    assert lines[6].split() == ["P@5", "0.2000"]
    assert lines[8].startswith("bm25: 3 queries judged, all answered")


def test_digits(result: ListResult) -> None:
    assert "0.75\n" in result.to_table(digits=2)
    assert "0.750000 " in result.to_latex(digits=6)


def test_counts_are_whole_unless_ties_make_them_expectations() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "x": 1.0}}
    whole = rm.evaluate(qrels, run, ["NumRelRet@1"])
    mean = rm.evaluate(qrels, run, ["NumRelRet@1"], ties="expected")
    assert (whole.to_csv(), mean.to_csv()) == (
        "measure,value\nNumRelRet@1,0\n",
        "measure,value\nNumRelRet@1,0.5\n",
    )
    assert "0.5000" in mean.to_table()


def test_table_steers_no_terminal(nasty: ListResult) -> None:
    text = nasty.to_table(per_query=True)
    assert all(line.isprintable() for line in text.splitlines())
    assert len([line for line in text.splitlines() if line.endswith("1.0000")]) == len(NASTY) + 1


def test_table_is_never_cut_to_the_terminal(result: ListResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    assert result.signature("nDCG@10") in result.to_table(signatures=True)


def test_json_holds_everything_that_decides_a_number(result: ListResult) -> None:
    record = json.loads(result.to_json())
    assert record["rankmark"] == "0.1.0"
    assert record["measures"]["RR"] == {
        "value": result["RR"],
        "signature": result.signature("RR"),
        "averaged": 2,
        "no_relevant": 1,
        "tied": 0,
        "short": 0,
    }
    assert list(record["measures"]) == MEASURES
    assert record["queries"] == {"judged": 3, "answered": 3, "missing": 0, "unjudged": 0}
    assert record["choices"] == result.choices


def test_json_per_query_in_full_precision_and_null_for_no_value(result: ListResult) -> None:
    record = json.loads(result.to_json(per_query=True))["per_query"]
    assert record["query"] == ["301", "302", "303"]
    assert record["values"]["RR"] == [1.0, 0.5, None]
    assert record["values"]["nDCG@10"] == result.per_query["nDCG@10"].to_list()


def test_json_has_no_nan() -> None:
    result = rm.evaluate({"q": {"a": 0}}, {"q": {"a": 1.0}}, ["RR"], no_relevant="skip")

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    record = json.loads(result.to_json(per_query=True), parse_constant=refuse)
    assert record["measures"]["RR"]["value"] is None


def test_json_of_several_runs_is_by_their_names(result: ListResult) -> None:
    record = json.loads(Runs({"bm25": result, "dense": result}).format("json"))
    assert list(record) == ["schema", "rankmark", "runs"]
    assert list(record["runs"]) == ["bm25", "dense"]


def test_csv_round_trip(result: ListResult) -> None:
    header, *rows = csv.reader(io.StringIO(result.to_csv()))
    assert header == ["measure", "value"]
    assert {name: float(value) for name, value in rows} == result.values


def test_csv_per_query_round_trip(result: ListResult) -> None:
    rows = list(csv.DictReader(io.StringIO(Runs({"bm25": result}).format("csv", per_query=True))))
    assert [row["run"] for row in rows] == ["bm25"] * 3
    assert [row["query"] for row in rows] == ["301", "302", "303"]
    for name in MEASURES:
        values = [float(row[name]) if row[name] else None for row in rows]
        assert values == result.per_query[name].to_list()


def test_csv_keeps_ids_as_they_are(nasty: ListResult) -> None:
    rows = list(csv.DictReader(io.StringIO(nasty.to_csv(per_query=True))))
    assert [row["query"] for row in rows] == NASTY


def test_csv_with_signatures(result: ListResult) -> None:
    rows = list(csv.DictReader(io.StringIO(result.to_csv(signatures=True))))
    assert [row["signature"] for row in rows] == [result.signature(m) for m in MEASURES]


def test_markdown(result: ListResult) -> None:
    lines = result.to_markdown(signatures=True).splitlines()
    assert cells(lines[0]) == ["measure", "value"]
    assert cells(lines[2]) == ["nDCG@10", f"{result['nDCG@10']:.4f}"]
    assert f"```\n{result.signature('nDCG@10')}\n" in result.to_markdown(signatures=True)


def test_every_markdown_column_has_a_rule() -> None:
    """Which is at least one dash, also where a column is narrow or empty."""
    table = markdown.FORMAT.grid(Grid(1, [["a", "b", ""], ["x", "1", ""]]))
    assert table.splitlines()[1] == "| -- | -: | -: |"


WIDE = {
    "latin": 5,
    "用户甲": 6,
    "한국": 4,
    "ｱﾊﾟ": 3,
    "e\N{COMBINING ACUTE ACCENT}te\N{COMBINING ACUTE ACCENT}": 3,
    "\N{THUMBS UP SIGN}": 2,
    "نمی\N{ZERO WIDTH NON-JOINER}خواهم": 8,
}
"""Names and the columns that they take on a terminal, by Unicode's East Asian Width (UAX #11)."""


@pytest.mark.parametrize("name", ["table", "markdown"])
def test_tables_align_whatever_is_in_them(name: str) -> None:
    result = rm.evaluate({query: {"a": 1} for query in WIDE}, {query: ["a"] for query in WIDE}, "RR")
    text = result.format(name, per_query=True)
    lines = {query: next(line for line in text.splitlines() if query in line) for query in WIDE}
    assert len({lines[query].index("1.0000") - len(query) + width for query, width in WIDE.items()}) == 1
    assert "\N{REPLACEMENT CHARACTER}" not in text


def test_markdown_escapes(nasty: ListResult) -> None:
    lines = nasty.to_markdown(per_query=True).splitlines()[2 : 2 + len(NASTY)]
    assert all(len(cells(line)) == 2 for line in lines)
    assert cells(lines[0])[0] == r"a\|b\_c"
    assert cells(lines[6])[0] == r"\<b\>"


def test_latex(result: ListResult) -> None:
    lines = result.to_latex().splitlines()
    assert lines[:3] == [r"\begin{table}", r"\centering", r"\caption{nDCG@10, AP(rel=2)@5, RR and NumRet.}"]
    assert lines[3:7] == [r"\begin{tabular}{lr}", r"\toprule", r"measure & value \\", r"\midrule"]
    assert lines[9:11] == [r"RR & 0.7500 \\", r"NumRet & 6 \\"]
    assert lines[11:14] == [r"\bottomrule", r"\end{tabular}", r"\end{table}"]
    assert all(line.startswith("% ") for line in lines[14:])


def test_latex_escapes(nasty: ListResult) -> None:
    first, second, third, *_ = nasty.to_latex(per_query=True).splitlines()[4 : 4 + len(NASTY)]
    assert first == r"a\textbar{}b\_c & 1.0000 \\"
    assert second == (
        r"50\% \& \$1 \#2 \{x\} \textasciitilde{}y \textasciicircum{}z \textbackslash{}w & 1.0000 \\"
    )
    assert third == r"{[}i] & 1.0000 \\"  # else LaTeX takes it for an argument of the \\ before it


def test_trec(result: ListResult) -> None:
    assert result.to_trec().splitlines()[2:] == [
        "recip_rank            \tall\t0.7500",
        "num_ret               \tall\t6",
    ]


def test_trec_per_query_leaves_out_what_has_no_value(result: ListResult) -> None:
    lines = [line.split("\t") for line in result.to_trec(per_query=True).splitlines()]
    assert [query for name, query, _ in lines if name.strip() == "recip_rank"] == ["301", "302", "all"]
    assert [query for name, query, _ in lines if name.strip() == "num_ret"] == ["301", "302", "303", "all"]


def test_trec_of_several_runs_says_which(result: ListResult) -> None:
    lines = Runs({"bm25": result, "dense": result}).format("trec").splitlines()
    assert [line.split("\t")[2] for line in lines if line.startswith("runid ")] == ["bm25", "dense"]


@pytest.mark.parametrize(
    ("measure", "name"),
    [
        ("AP", "map"),
        ("AP@100", "map_cut_100"),
        ("AP(rel=2)", "AP(rel=2)"),
        ("HR@1", "success_1"),
        ("NumRel", "num_rel"),
        ("NumRelRet", "num_rel_ret"),
        ("NumRet", "num_ret"),
        ("P@5", "P_5"),
        ("R@1000", "recall_1000"),
        ("RR", "recip_rank"),
        ("RR@10", "RR@10"),
        ("Rprec", "Rprec"),
        ("nDCG", "ndcg"),
        ("nDCG@10", "ndcg_cut_10"),
        ("nDCG(gain=exp2)@10", "nDCG(gain=exp2)@10"),
    ],
)
def test_trec_names(measure: str, name: str) -> None:
    result = rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, [measure])
    assert result.to_trec().split("\t")[0] == f"{name:<22}"


@pytest.mark.parametrize(
    ("path", "name"),
    [("x.json", "json"), ("x.CSV", "csv"), ("a/x.md", "markdown"), ("x.tex", "latex"), ("x", "table")],
)
def test_the_format_of_a_path(path: str, name: str) -> None:
    assert format_of(path) == name


def test_write_chooses_by_the_ending(result: ListResult, tmp_path: Path) -> None:
    result.write(tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text())["measures"]["RR"]["value"] == 0.75
    result.write(tmp_path / "x.json", "trec", per_query=True)
    assert (tmp_path / "x.json").read_text() == result.to_trec(per_query=True)
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.txt"
    path.write_text("before")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(UsageError, match=r"cannot write .*x\.txt: No space left on device"):
        write_whole(path, "after")
    assert path.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["x.txt"]


def test_write_errors_say_why(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*: there is no folder"):
        write_whole(tmp_path / "nowhere" / "x.txt", "text")
    with pytest.raises(UsageError, match=r"cannot write .*: it is a folder"):
        write_whole(tmp_path, "text")


def test_writing_keeps_links_permissions_and_devices(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real" / "x.txt")
    write_whole(link, "text")
    assert link.is_symlink()
    assert (tmp_path / "real" / "x.txt").read_text() == "text"
    plain = tmp_path / "plain.txt"
    plain.touch()
    assert stat.S_IMODE(link.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    write_whole("/dev/null", "text")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_run_without_the_measure_has_an_empty_cell(result: ListResult) -> None:
    other = rm.evaluate({"301": {"a": 1}}, {"301": {"a": 1.0}}, ["P@5"])
    rows = list(csv.DictReader(io.StringIO(Runs({"x": result, "y": other}).format("csv"))))
    assert [row["y"] for row in rows] == ["", "", "", "", "0.2"]
    assert not any(math.isnan(float(row["x"])) for row in rows[:4])


@pytest.mark.parametrize(
    ("p", "digits", "shown"),
    [
        (0.0, 4, "<0.0001"),
        (1e-300, 4, "<0.0001"),
        (0.00007, 4, "<0.0001"),  # which would be rounded up
        (0.0001, 4, "0.0001"),
        (0.04996, 4, "0.0500"),
        (1.0, 4, "1.0000"),
        (0.002, 2, "<0.01"),
        (0.5, 0, "0.50"),
        (0.001, 1, "<0.01"),
        (1.0, 0, "1.00"),
        (math.nan, 4, ""),
    ],
)
def test_a_p_value_is_never_shown_as_0(p: float, digits: int, shown: str) -> None:
    assert chance(p, digits) == shown


MANY = {f"q{number}": {"a": 1} for number in range(40)}
GOOD = {query: ["a", "x", "y"] for query in MANY}
BAD = {query: ["x", "y", "a"][number % 2 :] for number, query in enumerate(MANY)}
HALF = {query: str(number < 20) for number, query in enumerate(MANY)}


def with_small_p_values() -> dict[str, Callable[[str], str]]:
    """Whatever shows p-values, with some that are close to 0."""
    label, noise = np.arange(200) % 2, np.random.default_rng(1).random(200)
    table = {"label": label, "good": label + noise, "bad": noise}
    compared = rm.compare(MANY, {"good": GOOD, "bad": BAD}, "RR", test="t")
    halves = list(HALF.values())
    others = {list(HALF)[halves.index(value)] for value in set(halves)}  # so that each half has some spread
    in_good = {query: (HALF[query] == "True") != (query in others) for query in MANY}
    mixed = rm.evaluate(MANY, {query: (GOOD if in_good[query] else BAD)[query] for query in MANY}, "RR")
    return {
        "comparison": compared.format,
        "its slices": compared.by(HALF).format,
        "its equivalence": lambda name: compared.format(name, margin=0.9),
        "slices": mixed.by(HALF).format,
        "predictions": rm.compare_predictions(table, {"a": "good", "b": "bad"}, "AUC").format,
    }


@pytest.mark.parametrize(("name", "small"), [("table", "<0.0001"), ("markdown", r"\<0.0001")])
def test_small_p_values_are_written_alike(name: str, small: str) -> None:
    for what, shown in with_small_p_values().items():
        text = shown(name)
        assert small in text, what
        assert not re.search(r"(?<![.\d+-])0\.0000", text), what


def test_every_block_is_shown_in_notebooks() -> None:
    grid = Grid(1, [["name", "value"], ["<b>", " 1"]])
    table = (
        '<div class="rm-table" role="group" tabindex="0" aria-label="name, value"><table>'
        '<thead><tr><th scope="col" class="n">name</th><th scope="col">value</th></tr></thead>'
        '<tbody><tr><th scope="row" class="n">&lt;b&gt;</th><td>1</td></tr></tbody></table></div>'
    )
    marked = table.replace("1</td>", "1<sup>*</sup></td>")
    assert html([grid, Marked(grid, [["*"]])]) == table + marked
    assert html(["one\ntwo", Notes(["<3", "  of it"]), Prose(["x"]), Code(["y"]), Notes([])]) == (
        '<div class="s a"><p>one</p><p>two</p></div>'
        '<div class="notes"><p>&lt;3</p><p class=in>of it</p></div><div class="notes"><p>x</p></div>'
        '<pre tabindex="0"><code>y</code></pre>'
    )
    assert html([Section("<t>", ["line"], grid)]) == (
        f'<div class="t" role="heading" aria-level="2">&lt;t&gt;</div><div class="s"><p>line</p></div>{table}'
    )


def test_slices_of_any_name_are_shown() -> None:
    names = dict(zip([f"q{i}" for i in range(len(NASTY))], NASTY, strict=True))
    result = rm.evaluate({q: {"a": 1} for q in names}, {q: ["a"] for q in names}, "RR", by=names)
    compared = rm.compare_results({"one": result, "other": result}, by=names)
    for shown in (result, compared):
        assert "\x1b" not in str(shown) + shown._repr_html_() + shown.to_markdown() + shown.to_latex()
        assert ">&lt;b&gt;</td>" in shown._repr_html_()
        read = list(csv.DictReader(io.StringIO(shown.to_csv())))
        assert {row["slice"] for row in read} == set(NASTY)
        assert {row["slice"] for row in json.loads(shown.to_json())["slices"]} == set(NASTY)


def test_small_p_values_in_notebooks() -> None:
    compared = rm.compare(MANY, {"good": GOOD, "bad": BAD}, "RR", test="t")
    assert "<td>&lt;0.0001</td>" in compared._repr_html_()


def test_html_is_a_page_that_needs_no_other_file(result: ListResult, tmp_path: Path) -> None:
    result.write(tmp_path / "report.html", per_query=True)
    page = (tmp_path / "report.html").read_text()
    assert page.startswith("<!doctype html>")
    assert ">302</th>" in page
    assert not re.search(r"src=|href=|@import|url\(", page)


def test_columns_of_wide_characters_are_aligned_and_lines_broken_by_what_they_take() -> None:
    qrels = {"查询一": {"文档": 1}, "q2": {"d": 1}}
    results = {"热门": qrels, "个性化推荐": {"查询一": ["d", "文档"], "q2": ["d"]}}
    shown = rm.compare(qrels, results, ["RR", "P@1"]).format("table")
    means, _, notes = shown.split("\n\n")
    assert len({width_of(line) for line in means.splitlines()}) == 1
    assert max(map(width_of, notes.splitlines())) in range(70, 81)
    assert broken("汉字汉字 汉字 abc", 9, "  ") == "汉字汉字\n  汉字\n  abc"
    assert broken("汉字汉字汉字", 8, words=True) == "汉字汉字\n汉字"
