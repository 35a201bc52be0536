"""Lists by preferences between items: values by hand and by trec_eval, and what is refused."""

from __future__ import annotations

import re
from itertools import combinations
from math import log2
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.cli import main

TABLE: dict[str, list[Any]] = {
    "query": ["q1"] * 4 + ["q2"],
    "preferred": ["a", "a", "b", "e", "a"],
    "other": ["b", "c", "d", "d", "b"],
}
RUN = {"q1": ["b", "x", "a", "d", "c"], "q2": ["b", "a"]}


def evaluated(measures: str, table: Any = TABLE, run: Any = RUN, **options: Any) -> Any:
    return rm.evaluate_preferences(table, run, measures, **({"transitive": False} | options))


def test_preferences_by_hand() -> None:
    # Of q1 b is 1st, a 3rd, d 4th, c 5th, and e is not there: of a>b, a>c, b>d, e>d the upper items are 1st,
    # 3rd, 1st and 4th, and a>c and b>d are fulfilled. Of q2 there is a>b, and b is 1st.
    weighed = (1 + 1 / log2(4)) / (2 + 1 / log2(4) + 1 / log2(5))
    expected = {
        "ppref@2": 1 / 2,
        "ppref@3": 2 / 3,
        "ppref": 2 / 4,
        "rpref@2": 1 / 4,
        "rpref": 2 / 4,
        "wpref@1": 1 / 2,
        "wpref": weighed,
        "appref": (1 / 2 + 2 / 3) / 2,
        "appref@2": 1 / 2,
    }
    found = evaluated(" ".join(expected))
    for name, value in expected.items():
        assert found.query_values(name).tolist() == pytest.approx([value, 0.0]), name
        assert found[name] == pytest.approx(value / 2)
    assert found.signature("ppref@2").startswith("ppref@2|preferences:as-said|ties:item-desc|missing:zero|")


def test_what_follows_of_preferences_counts_unless_rows_alone_do() -> None:
    table = {"query": ["q", "q"], "preferred": ["a", "b"], "other": ["b", "c"]}
    run = {"q": ["c", "a", "b"]}
    assert evaluated("rpref", table, run, transitive=True)["rpref"] == pytest.approx(1 / 3)  # and a>c
    assert evaluated("rpref", table, run)["rpref"] == 1 / 2
    around = {"query": ["q"] * 3, "preferred": ["a", "b", "c"], "other": ["b", "c", "a"]}
    assert evaluated("ppref", around, run)["ppref"] == 2 / 3
    with pytest.raises(
        rm.DataError, match=r"preferences: query 'q': item 'a' is preferred to 'b' and 'b' to"
    ):
        rm.evaluate_preferences(around, run)
    apart = around | {"assessor": ["x", "y", "z"]}
    assert rm.evaluate_preferences(apart, run, "ppref")["ppref"] == 2 / 3


ITEMS = "abcde"
JUDGED = st.dictionaries(
    st.sampled_from("xyz"), st.permutations(ITEMS).flatmap(lambda items: st.sets(
        st.sampled_from([*combinations(items, 2)]), min_size=1)), min_size=1,
)  # fmt: skip
LISTS = st.permutations(ITEMS + "uv").flatmap(lambda items: st.integers(1, 7).map(lambda n: items[:n]))
SHARES = [
    f"prefs_{name}{kind}" for name in ("simp", "pair", "avgjg", "avgjg_Rnonrel") for kind in ("", "_ret")
] + [f"prefs_{name}_imp" for name in ("simp", "pair", "avgjg")]


@given(judged=JUDGED, items=LISTS)
def test_tables_have_the_values_of_files_for_trec_eval(
    judged: dict[str, set[tuple[str, str]]], items: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [("q", *pair, who) for who, pairs in judged.items() for pair in sorted(pairs)]
    table = pl.DataFrame(rows, schema=["query", "preferred", "other", "assessor"], orient="row")
    file = tmp_path_factory.getbasetemp() / "prefs.txt"
    file.write_text("".join(
        f"q {who} s{place} {one} 2\nq {who} s{place} {other} 1\n"
        for place, (_, one, other, who) in enumerate(rows)
    ))  # fmt: skip
    run = {"q": items}
    every = f"ppref@3 wpref rpref@2 appref ppref rpref {' '.join(SHARES)}"
    found, of_file = (rm.evaluate_preferences(each, run, every) for each in (table, str(file)))
    assert isinstance(found, rm.results.DerivedResult)
    assert isinstance(of_file, rm.results.DerivedResult)
    assert dict(found.values) == pytest.approx(dict(of_file.values))
    assert found["rpref"] == pytest.approx(found["prefs_simp"])
    assert found["ppref"] == pytest.approx(found["prefs_simp_imp"])


def test_files_have_the_values_that_trec_eval_prints(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text("q u s 1 3\nq u s 2 2\nq u s 3 1\nq u t 2 5\nq u t 4 4\nr v s 1 1\nr v s 2 0\n")
    Path("run").write_text("q Q0 2 1 .9 t\nq Q0 1 2 .5 t\nq Q0 4 3 .5 t\nr Q0 2 1 1 t\nr Q0 1 2 .5 t\n")
    assert main(["trec_eval", "-q", "-R", "prefs", "-m", "all_prefs", "p.txt", "run"]) == 0
    printed = dict(re.findall(r"^(prefs_\w+)\s+all\s+(\S+)$", capfd.readouterr().out, re.MULTILINE))
    found = rm.evaluate_preferences("p.txt", "run", SHARES, ties="item-asc")
    for name in SHARES:
        assert f"{found[name]:.4f}" == printed[name]
    grades = "q u 1 3\nq u 2 2\nr v 1 1\nr v 2 0\n"
    Path("grades.txt").write_text(grades)
    assert rm.evaluate_preferences("grades.txt", "run", "rpref")["rpref"] == 0


def test_queries_without_results_and_several_systems() -> None:
    runs = {"one": RUN, "other": {"q1": ["a", "b", "c", "d"]}}
    for missing, value in (("zero", 0.75 / 2), ("skip", 0.75)):
        assert evaluated("rpref", run=runs, missing=missing)["other"]["rpref"] == value
    assert "1 query without results, such as 'q2' (counted as 0)" in str(evaluated("rpref", run=runs))
    with pytest.raises(rm.DataError, match="1 query without results, such as 'q2'; missing='error' refuses"):
        evaluated("rpref", run=runs, missing="error")
    compared = rm.compare_results(evaluated("rpref", run=runs), baseline="one")
    assert compared.pair("rpref", "other").difference == pytest.approx(0.125)


def test_ids_are_those_of_results_and_slices_are_of_attributes() -> None:
    table = {"user": [1, 2], "chosen": [7, 7], "rejected": [8, 9]}
    kinds = pl.DataFrame({"query": [1, 2], "kind": ["x", "y"]})
    for run in ({1: [7, 8], 2: [9, 7]}, {"1": ["7", "8"], "2": ["9", "7"]}):
        run_ = run if 1 in run else pl.DataFrame([(q, i, -n) for q, own in run.items()
                                                  for n, i in enumerate(own)], orient="row",
                                                 schema=["query", "item", "score"]).cast(
            {"query": pl.Int64, "item": pl.Int64})  # fmt: skip
        found = evaluated("rpref", table, run_, by="kind", attributes=kinds)
        assert [(row.slice, row.value) for row in found.slices.rows] == [("x", 1.0), ("y", 0.0)]


@pytest.mark.parametrize(
    ("table", "measures", "error", "message"),
    [
        (TABLE, "ppref@0", rm.MeasureError, "ppref has a whole number as cutoff, as in ppref@10"),
        (TABLE, "prefs_simp@3", rm.MeasureError, "prefs_simp has no cutoff"),
        (TABLE, "pref", rm.MeasureError, "no measure 'pref'; did you mean 'wpref' or"),
        (TABLE, "prefs_num_prefs_ful", rm.MeasureError, "is a count: rankmark trec_eval -R prefs prints it"),
        (TABLE | {"other": ["b", None, "d", "d", "b"]}, "ppref", rm.DataError, "1 row .* null, .* row 1"),
        (TABLE | {"other": ["a", *"cddb"]}, "ppref", rm.DataError, "row 0 .from 0. prefers 'a' to itself"),
        ({"query": ["q"], "preferred": ["a"]}, "ppref", rm.ColumnError, "has no column of 'other'"),
        ({"query": ["q"], "chosen": ["a"], "better": ["a"], "other": ["b"]}, "ppref", rm.ColumnError,
         "2 columns that can be the preferred"),
        ({"query": [], "preferred": [], "other": []}, "ppref", rm.DataError, "no rows"),
    ],
)  # fmt: skip
def test_what_is_no_such_table_is_refused(table: Any, measures: str, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        evaluated(measures, table)


def test_words_and_files_that_are_none_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "x.txt"
    file.write_text("q a b\n")
    with pytest.raises(rm.DataError, match="its first line has 3 fields, and a line of trec_eval's"):
        rm.evaluate_preferences(str(file), RUN)
    with pytest.raises(rm.UsageError, match="ties='best' is not one of"):
        evaluated("ppref", ties="best")
    with pytest.raises(rm.UsageError, match="no role 'prefered'; did you mean 'preferred'"):
        evaluated("ppref", columns={"prefered": "x"})
