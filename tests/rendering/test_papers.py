"""What tables for papers show, in whatever language they are written."""

from __future__ import annotations

import math
import pickle
from collections.abc import Sequence
from typing import Any

import pytest

import rankmark as rm
from rankmark.errors import CallError, ChoiceError, UsageError
from rankmark.language.written import paper_column
from rankmark.rendering.blocks import Grid
from rankmark.rendering.formats import latex, typst
from rankmark.rendering.paper_format import with_minus
from rankmark.rendering.papers import (
    Laid,
    Layout,
    PaperCell,
    PaperColumn,
    PaperRow,
    PaperTable,
    PaperValue,
)

MORE, LESS = PaperColumn("nDCG@10", "more", share=True), PaperColumn("LogLoss", "less")
COUNT, NEITHER = PaperColumn("NumRet", whole=True), PaperColumn("PCOPC", "neither")
QRELS = {f"q{i}": {"a": 1, "b": 2} for i in range(12)}
GOOD = {query: ["b", "a"] for query in QRELS}
FAIR = {query: ["b", "a"] if i % 3 else ["a", "b"] for i, query in enumerate(QRELS)}
POOR = {query: ["x", "a", "b"] if i % 3 else ["x", "y", "a"] for i, query in enumerate(QRELS)}


def table(*columns: PaperColumn, rows: Sequence[PaperRow], **how: Any) -> PaperTable:
    return PaperTable(("system",), columns, rows, about="what it shows", **how)


def of_values(column: PaperColumn, *values: float) -> PaperTable:
    return table(column, rows=[PaperRow((f"s{i}",), [PaperValue(each)]) for i, each in enumerate(values)])


def shown(given: PaperTable, digits: int = 3, **options: Any) -> list[list[PaperCell]]:
    return [list(cells) for group in laid(given, digits, **options).groups for _, cells in group]


def laid(given: PaperTable, digits: int = 3, **options: Any) -> Laid:
    return Layout(given, digits, **options).laid()


def places(column: PaperColumn, *values: float, digits: int = 3) -> list[int]:
    return [cell.place for (cell,) in shown(of_values(column, *values), digits)]


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        (MORE, (0.1, 0.3, 0.2), [0, 1, 2]),
        (LESS, (0.1, 0.3, 0.2), [1, 0, 2]),
        (NEITHER, (0.9, 1.0, 1.1), [0, 0, 0]),
        (MORE, (0.3, 0.3, 0.2, 0.1), [1, 1, 2, 0]),
        (MORE, (0.3, 0.2, 0.2, 0.1), [1, 2, 2, 0]),
        (MORE, (0.3, 0.3, 0.3), [0, 0, 0]),
        (MORE, (math.nan, 0.3, 0.2, 0.1), [0, 1, 2, 0]),
        (MORE, (-0.3, -0.2, -0.1), [0, 2, 1]),
        (MORE, (0.3, 0.2), [1, 0]),
        (MORE, (0.3,), [0]),
    ],
)
def test_the_best_and_the_second_best_are_known(
    column: PaperColumn, values: tuple[float, ...], expected: list[int]
) -> None:
    assert places(column, *values) == expected


def test_what_is_shown_as_equal_is_equally_good() -> None:
    values = 0.45678, 0.45681, 0.45
    assert places(MORE, *values, digits=3) == [1, 1, 2]
    assert places(MORE, *values, digits=5) == [2, 1, 0]


def test_the_best_is_that_of_its_group() -> None:
    names = [("DE", "a"), ("DE", "b"), ("US", "a"), ("US", "b")]
    rows = [
        PaperRow(name, [PaperValue(each)]) for name, each in zip(names, (0.1, 0.2, 0.9, 0.8), strict=True)
    ]
    given = PaperTable(("country", "system"), [MORE], rows, about="")
    assert [cell.place for (cell,) in shown(given)] == [0, 1, 1, 0]
    groups = laid(given).groups
    assert [[list(own) for own, _ in group] for group in groups] == [
        [["DE", "a"], ["", "b"]],
        [["US", "a"], ["", "b"]],
    ]


def test_transposed_there_is_a_row_a_measure() -> None:
    names = [("DE", "a"), ("DE", "b"), ("US", "a")]
    rows = [PaperRow(name, [PaperValue(i / 10), PaperValue(float(i))]) for i, name in enumerate(names, 1)]
    found = laid(PaperTable(("country", "system"), [MORE, COUNT], rows, about=""), transpose=True)
    assert found.header == [
        [("country", 1), ("DE", 2), ("US", 1)],
        [("measure", 1), ("a", 1), ("b", 1), ("a", 1)],
    ]
    ((first, second),) = found.groups
    assert (first[0], [cell.number for cell in first[1]]) == (["nDCG@10"], ["0.100", "0.200", "0.300"])
    assert (second[0], [cell.number for cell in second[1]]) == (["NumRet"], ["1", "2", "3"])
    assert [cell.place for cell in first[1]] == [0, 1, 0]


def test_a_measure_of_which_less_is_better_has_an_arrow() -> None:
    found = laid(table(MORE, LESS, rows=[PaperRow(("a",), [PaperValue(0.5), PaperValue(0.5)])]))
    assert found.header == [[("system", 1), ("nDCG@10", 1), ("LogLoss ↓", 1)]]
    assert found.caption == "what it shows. ↓: less is better."


def test_per_cent_is_of_what_is_from_0_to_1() -> None:
    row = PaperRow(("a",), [PaperValue(0.4567, interval=(0.4, 0.5)), PaperValue(0.4567), PaperValue(7.0)])
    given = table(MORE, LESS, COUNT, rows=[row], confidence=0.9)
    ((first, second, third),) = shown(given, 1, percent=True, spread="interval")
    assert (first.number, first.beside) == ("45.7", "[40.0, 50.0]")
    assert (second.number, third.number) == ("0.5", "7")
    assert "In per cent: nDCG@10." in laid(given, 1, percent=True).caption


def test_intervals_stand_beside_values() -> None:
    values = PaperValue(0.5, interval=(0.4, 0.6)), PaperValue(0.9, interval=(0.75, 1.0)), PaperValue(0.1)
    even = table(MORE, rows=[PaperRow(("a",), values[:1]), PaperRow(("b",), values[2:])], confidence=0.95)
    (first,), (second,) = shown(even, spread="plus-minus")
    assert (first.beside, first.ends, first.room) == ("±0.100", None, ("", ""))
    assert (second.beside, second.room) == ("", ("±0.100", ""))
    uneven = table(MORE, rows=[PaperRow((name,), [each]) for name, each in zip("abc", values, strict=True)])
    assert [cell.ends for (cell,) in shown(uneven, spread="plus-minus")] == [
        ("+0.100", "−0.100"),
        ("+0.100", "−0.150"),
        None,
    ]
    assert laid(even, spread="interval").caption.endswith("In brackets 95% confidence intervals.")
    assert shown(even)[0][0].beside == ""


def test_what_is_no_better_than_0_has_no_minus() -> None:
    assert [cell.number for (cell,) in shown(of_values(LESS, -0.0001, -0.5, math.nan), 2)] == [
        "0.00",
        "−0.50",
        "",
    ]
    grid = Grid(1, [["bm25-1", "-0.5 … -.25", "3-0", "[-1, 2]"]])
    assert with_minus(grid).rows == [["bm25-1", "−0.5 … −.25", "3-0", "[−1, 2]"]]


def test_marks_leave_room_in_their_column() -> None:
    rows = [PaperRow((marks,), [PaperValue(0.5, marks)]) for marks in ("", "†", "†‡")]
    assert [cell.room for (cell,) in shown(table(MORE, rows=rows))] == [("", "†‡"), ("", "‡"), ("", "")]


@pytest.mark.parametrize(
    ("measure", "better", "share", "whole"),
    [
        ("nDCG@10", "more", True, False),
        ("NumRet", "more", False, True),
        ("AP(mean='std')", "neither", True, False),
    ],
)
def test_a_column_knows_its_measure(measure: str, better: str, share: bool, whole: bool) -> None:
    found = paper_column(measure)
    assert (found.title, found.better, found.whole) == (measure, better, whole)
    assert share == found.share


def test_runs_have_a_row_each_and_the_best_in_bold() -> None:
    runs = rm.evaluate(QRELS, {"good": GOOD, "fair": FAIR, "poor": POOR}, ["nDCG@3", "RR"])
    lines = runs.to_latex(digits=2).splitlines()
    assert lines[2] == r"\caption{nDCG@3 and RR. The best is bold, the second best underlined.}"
    assert lines[5] == r"run & nDCG@3 & RR \\"
    assert lines[7] == r"good & \textbf{1.00} & \textbf{1.00} \\"
    assert lines[8].startswith(r"fair & \underline{0.")
    assert lines[8].endswith(r" & \textbf{1.00} \\")
    assert lines[9].endswith(r" & \underline{0.44} \\")  # (8 · ½ + 4 · ⅓) / 12


def test_one_result_has_a_row_a_measure_unless_transposed() -> None:
    result = rm.evaluate(QRELS, GOOD, ["RR", "NumRet"])
    assert "RR & 1.0000 \\\\\nNumRet & 24 \\\\" in result.to_latex()
    assert " & RR & NumRet \\\\\n\\midrule\nvalue & 1.0000 & 24 \\\\" in result.to_latex(transpose=True)


def test_intervals_that_were_asked_for_are_shown() -> None:
    result = rm.evaluate(QRELS, FAIR, "nDCG@3", intervals=True)
    low, high, *_ = result.intervals["nDCG@3"]
    assert rf"{result['nDCG@3']:.4f}\,{{\scriptsize {{[}}{low:.4f}, {high:.4f}]}}" in result.to_latex()
    assert "scriptsize" not in result.to_latex(spread="none")


def test_bounds_are_rows_that_do_not_compete() -> None:
    tied = {query: {"a": 1.0, "b": 1.0, "x": 1.0} for query in QRELS}
    runs = rm.evaluate(QRELS, {"tied": tied, "poor": POOR, "fair": FAIR}, "nDCG@3", bounds=True)
    text = runs.to_latex()
    assert "tied best & " in text
    assert text.count(r"\textbf") == text.count(r"\underline") == 1


def test_several_baselines_have_a_mark_each() -> None:
    runs = {"a_b": POOR, "rm3": POOR, "fair": FAIR, "good": GOOD}
    text = rm.compare(QRELS, runs, ["nDCG@3", "RR"], baseline=["a_b", "rm3"], test="t").to_typst()
    assert "† significantly better than a\\_b, ‡ significantly better than rm3 (p ≤ 0.05); baselines" in text
    assert "Paired t test, two-sided; corrected by Holm over 8 tests" in text
    assert "[good], [#strong[1.0000]#super[†‡]]" in text
    assert "#hide[#super[†‡]]" in text


def test_marks_say_worse_or_different_where_it_is_so() -> None:
    runs = {"good": GOOD, "poor": POOR}
    worse = rm.compare(QRELS, runs, "nDCG@3", baseline="good", test="t")
    assert "†− significantly worse than good (p ≤ 0.05)" in worse.to_typst()
    alike = rm.compare(QRELS, {"good": GOOD, "again": GOOD}, "nDCG@3", baseline="good", test="t")
    assert "No difference from good is significant (p ≤ 0.05)." in alike.to_typst()
    pairs = rm.compare(QRELS, runs, "nDCG@3", test="t").to_typst()
    assert "[good (a)], [#strong[1.0000]#super[b]]" in pairs
    assert "A letter: significantly better than the system with that letter (p ≤ 0.05)." in pairs


def test_marks_of_two_baselines_say_which_is_better_and_which_are_not_compared() -> None:
    runs = {"fair": FAIR, "poor": POOR, "good": GOOD, "none": {query: ["x"] for query in QRELS}}
    compared = rm.compare(QRELS, runs, "nDCG@3", baseline=["fair", "poor"], test="t")
    text = compared.to_latex()
    assert r"$^{\dagger-\ddagger-}$" in text  # of none, which is worse than both
    assert r"good & \textbf{1.0000}$^{\dagger\ddagger" in text
    assert (
        r"\dag{} significantly better than fair, \dag{}$-$ significantly worse than fair, "
        r"\ddag{} significantly better than poor, \ddag{}$-$ significantly worse than poor "
        r"(p $\leq$ 0.05); baselines are not compared with each other."
    ) in text
    assert "not compared with each other" not in rm.compare(QRELS, runs, "RR", baseline="fair").to_latex()


def test_latex_says_what_pdflatex_cannot_set() -> None:
    known = rm.evaluate(QRELS, {"μ-BM25": GOOD, "Müller, Łódź": FAIR}, "nDCG@3").to_latex()
    assert known.startswith(r"\begin{table}")
    assert r"$\mu$-BM25" in known
    strange = rm.evaluate(QRELS, {"中文": GOOD, "ok": FAIR}, "nDCG@3").to_latex()
    assert strange.startswith("% pdflatex has no 中, 文: typeset with lualatex or xelatex")


def test_more_baselines_than_signs_have_letters() -> None:
    runs = {f"s{i}": POOR for i in range(6)} | {"good": GOOD}
    text = rm.compare(QRELS, runs, "nDCG@3", baseline=[f"s{i}" for i in range(6)], test="t").to_typst()
    assert "#super[abcdef]" in text
    assert "[s0 (a)]" in text
    assert "[good]" in text


def test_seeds_are_shown_as_they_are_in_the_comparison() -> None:
    comparison = rm.compare(QRELS, {"old": POOR, "new": [FAIR, GOOD, FAIR]}, "nDCG@3", baseline="old")
    seeds = comparison.seed_values("new", "nDCG@3")
    assert seeds == [rm.evaluate(QRELS, run, "nDCG@3")["nDCG@3"] for run in (FAIR, GOOD, FAIR)]
    assert sum(seeds) / 3 == pytest.approx(comparison.value("new", "nDCG@3"), abs=1e-15)
    spread = math.sqrt(sum((each - sum(seeds) / 3) ** 2 for each in seeds) / 2)
    text = comparison.to_latex(percent=True)
    assert rf"{100 * comparison.value('new', 'nDCG@3'):.2f}\,{{\scriptsize $\pm${100 * spread:.2f}}}" in text
    assert r"$\pm$ is the standard deviation over 3 seeds." in text


def test_a_board_says_which_systems_are_not_told_apart() -> None:
    results = {name: rm.evaluate(QRELS, run, "nDCG@3") for name, run in {"good": GOOD, "fair": FAIR}.items()}
    text = rm.board(results).to_latex()
    assert r"good & \textbf{1.0000}$^{\mathrm{" in text
    assert "Systems that share a letter are not told apart." in text


def test_slices_of_runs_are_in_groups() -> None:
    by = {query: "head" if i < 6 else "tail" for i, query in enumerate(QRELS)}
    runs = rm.evaluate(QRELS, {"good": GOOD, "fair": FAIR}, "nDCG@3", by=by)
    text = runs.to_latex(label="tab:main")
    assert r"slice & run & queries & nDCG@3 \\" in text
    assert r"head & good & 6 & \textbf{1.0000} \\" in text
    assert "\n & fair & 6 & 0." in text
    assert text.count(r"\label{tab:main}") == 1


def test_pairs_in_slices_have_a_row_a_slice_and_system() -> None:
    by = {query: "head" if i < 6 else "tail" for i, query in enumerate(QRELS)}
    runs = {"old": POOR, "new": [FAIR, GOOD]}
    comparison = rm.compare(QRELS, runs, ["nDCG@3", "RR"], baseline="old", by=by)
    assert comparison.slices is not None
    own = comparison.slices["head"][0]
    text = comparison.to_typst(spread="seeds")
    assert f"[head], [old], [6], [{own.baseline_value:.4f}" in text
    assert f"[], [new], [6], [#strong[{own.value:.4f}]" in text
    assert comparison.slices.to_typst().startswith("#figure(")
    mark = "corrected by Holm over all slices."
    assert mark in text
    loaded = pickle.loads(pickle.dumps(comparison))
    assert loaded.to_latex() == comparison.to_latex()


def test_pairs_in_slices_whose_values_depend_on_the_other_stay_pairs() -> None:
    some = {query: FAIR[query] for query in list(QRELS)[:8]}
    how = {"measures": "nDCG@3", "missing": "skip"}
    results = {name: rm.evaluate(QRELS, run, **how) for name, run in (("a", GOOD), ("b", POOR), ("c", some))}
    by = {query: "head" if i < 6 else "tail" for i, query in enumerate(QRELS)}
    text = rm.compare_results(results, by=by).slices.to_latex()
    assert r"nDCG@3 & b & a & tail &" in text


@pytest.mark.parametrize("name", ["latex", "typst"])
def test_caption_and_label_are_as_they_were_given(name: str) -> None:
    runs = rm.evaluate(QRELS, {"good": GOOD, "fair": FAIR}, "nDCG@3")
    text = runs.format(name, caption="Our 50% better_one.", label="tab:a-b_1")
    assert r"50\% better\_one. The best is bold." in text or r"50% better\_one. The best is bold." in text
    assert r"\label{tab:a-b_1}" in text or "<tab:a-b_1>" in text


def test_what_a_table_has_not_is_refused() -> None:
    result = rm.evaluate(QRELS, GOOD, "RR")
    with pytest.raises(UsageError, match="no system has several seeds"):
        result.to_latex(spread="seeds")
    with pytest.raises(UsageError, match="spread='plus-minus': there are no intervals"):
        result.to_typst(spread="plus-minus")
    with pytest.raises(ChoiceError, match=r"spread='intervals' is not one of .*; did you mean 'interval'"):
        result.to_latex(spread="intervals")
    with pytest.raises(UsageError, match="the label 'a b' is not of letters"):
        result.to_latex(label="a b")
    with pytest.raises(UsageError, match="percent=True: NumRet is not from 0 to 1"):
        rm.evaluate(QRELS, GOOD, "NumRet").to_latex(percent=True)
    with pytest.raises(UsageError, match="percent=True: AP is 25, as if it were in per cent already"):
        rm.compare_matrix({"a": [20.0, 30.0, 25.0], "b": [0.1, 0.2, 0.4]}, "AP").to_latex(percent=True)
    with pytest.raises(UsageError, match="percent= is of tables of results for papers, in latex and typst"):
        result.to_markdown(percent=True)
    with pytest.raises(
        UsageError, match=r"caption= is of tables .* for papers, which Explanation has none of"
    ):
        rm.explain(QRELS, GOOD, "RR", query="q1").to_latex(caption="x")
    with pytest.raises(CallError, match="unexpected keyword argument 'percents'; did you mean 'percent'"):
        result.to_latex(percents=True)


NASTY = {
    "50% & $1 #2 {x} ~y ^z \\w [i] a--b": (
        r"50\% \& \$1 \#2 \{x\} \textasciitilde{}y \textasciicircum{}z \textbackslash{}w {[}i] a-{}-b",
        r"50% & \$1 \#2 {x} \~y ^z \\w \[i\] a\--b",
    ),
    "= x": ("= x", r"\= x"),
    "1. a // b /* c": ("1. a // b /* c", r"1\. a \// b \/\* c"),
    "- <a@b> *c* _d_ ...": (r"- \textless{}a@b\textgreater{} *c* \_d\_ ...", r"\- \<a\@b> \*c\* \_d\_ \.\.."),
    "v-2 'x' \"y\" 1.5": ("v-2 'x' \"y\" 1.5", "v\\-2 \\'x\\' \\\"y\\\" 1.5"),
}
"""Names, and how LaTeX and Typst are to write them."""


@pytest.mark.parametrize(("text", "expected"), NASTY.items())
def test_names_mean_themselves(text: str, expected: tuple[str, str]) -> None:
    grid = Grid(1, [[text], ["x"]])
    assert latex.FORMAT.grid(grid).splitlines()[2] == expected[0] + r" \\"
    assert typst.FORMAT.grid(grid).splitlines()[7] == f"    [{expected[1]}],"
