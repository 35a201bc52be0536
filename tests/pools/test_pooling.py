"""What to judge, what systems found alone, and what leaving them out of the pool does to their order."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main

QRELS = {"q": {"a": 1, "b": 1, "c": 0, "z": 1}, "r": {"a": 2, "y": -1}}
RUNS = {
    "one": {"q": ["a", "b", "c"], "r": ["a"]},
    "two": {"q": ["a", "c", "d"], "r": ["y", "a"]},
    "three": {"q": ["c", "d", "a"]},
}


def test_each_item_is_pooled_once_with_the_best_rank_and_how_many_have_it() -> None:
    pool = rm.pool(QRELS, RUNS, depth=2)
    # d is judged by nobody, and y below 0: pooled, and not judged.
    assert pool.to_judge.rows() == [("q", "d", 1, 2), ("r", "y", 1, 1)]
    assert [(each.depth, each.items, each.unjudged, each.relevant) for each in pool.depths] == [
        (1, 4, 1, 2),
        (2, 6, 2, 3),
    ]
    assert pool.depths[1].share == 0.75  # z was found by none


def test_without_judgements_it_is_told_what_to_judge() -> None:
    pool = rm.pool(None, RUNS, depth=2)
    assert set(pool.to_judge.select("query", "item").iter_rows()) == {
        *(("q", item) for item in "abcd"),
        *(("r", item) for item in "ay"),
    }
    assert pool.left is None
    assert pool.systems == ()


def test_a_system_loses_the_judgements_that_it_alone_brought() -> None:
    pool = rm.pool(QRELS, RUNS, "P@2", depth=2)
    found = {each.system: each for each in pool.systems}
    # b is in no other list down to rank 2: (1/2 + 1/2) / 2 remains of (2/2 + 1/2) / 2.
    assert (found["one"].unique, found["one"].value, found["one"].left_out) == (1, 0.75, 0.5)
    assert (found["two"].unique, found["two"].value, found["two"].left_out) == (0, 0.5, 0.5)
    assert [each.rank for each in pool.systems] == [1, 2, 3]
    assert [each.rank_left_out for each in pool.systems] == [1, 2, 3]
    assert pool.left is not None
    assert pool.left.drop == pytest.approx(1 / 3)
    assert (pool.left.fall, pool.left.reusable) == (0, "open")
    assert pl.read_csv(StringIO(pool.to_csv()))["drop"][:2].to_list() == [-0.25, 0.0]


def test_what_a_group_alone_brought_is_taken_from_all_of_it() -> None:
    runs = {"one": RUNS["one"], "again": RUNS["one"], "two": RUNS["two"]}
    alone = rm.pool(QRELS, runs, "P@2", depth=2)
    assert [each.unique for each in alone.systems] == [0, 0, 0]
    assert alone.left is not None
    assert alone.left.drop == 0
    grouped = rm.pool(QRELS, runs, "P@2", depth=2, groups={"one": "x", "again": "x", "two": "y"})
    assert [(each.group, each.systems, each.unique) for each in grouped.groups] == [("x", 2, 1), ("y", 1, 0)]
    assert [each.left_out for each in grouped.systems] == [0.5, 0.5, 0.5]


def test_the_values_are_those_of_evaluate_by_the_judgements_that_are_left() -> None:
    rng = np.random.default_rng(3)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, list[str]]] = {f"s{i}": {} for i in range(6)}
    for query in map(str, range(8)):
        for own in runs.values():
            own[query] = [f"d{i}" for i in rng.permutation(30)[:15]]
        pooled = {item for own in runs.values() for item in own[query][:4]}
        qrels[query] = {item: int(rng.integers(0, 3)) for item in sorted(pooled)}
    pool = rm.pool(qrels, runs, "nDCG@10", depth=4, resamples=200)
    assert pool.to_judge.is_empty()

    def by(judged: dict[str, set[str]], system: str) -> float:
        left = {q: {i: g for i, g in own.items() if i in judged[q]} for q, own in qrels.items()}
        return rm.evaluate(left, runs[system], "nDCG@10")["nDCG@10"]

    for each in pool.systems:
        assert each.value == rm.evaluate(qrels, runs[each.system], "nDCG@10")["nDCG@10"]
        others = [own for name, own in runs.items() if name != each.system]
        assert each.left_out == by({q: {i for own in others for i in own[q][:4]} for q in qrels}, each.system)
        assert each.low <= each.left_out - each.value <= each.high
    shallow = {name: by({q: {own[q][0] for own in runs.values()} for q in qrels}, name) for name in runs}
    full = {each.system: each.value for each in pool.systems}
    assert pool.depths[0].tau == rm.rank_correlation(full, shallow, "Tau")
    assert pool.left is not None
    assert pool.left.low <= pool.left.tau <= pool.left.high


def test_systems_that_bring_nothing_alone_are_reusable() -> None:
    qrels = {str(q): {"a": 1, "b": 0, "c": 1, "d": 0, "e": 1, "f": 0} for q in range(6)}
    orders = ["aceb", "acbe", "abce", "bace", "bdac", "bdfa"]
    runs = {each: {q: [*each, *(i for i in "abcdef" if i not in each)] for q in qrels} for each in orders}
    pool = rm.pool(qrels, runs, depth=6)
    assert pool.left is not None
    assert pool.left.tau == pytest.approx(1)
    assert pool.left.reusable == "yes"
    assert "reusable: a new system like these" in str(pool)


def test_judgements_of_a_sample_are_refused() -> None:
    rows = [("q", "a", 1, 0.5), ("q", "b", 0, 0.5)]
    for column in ("inclusion_probability", "stratum"):
        sample = pl.DataFrame(rows, ["query", "item", "relevance", column], orient="row")
        with pytest.raises(rm.DataError, match=f"'{column}' says that judgements are of a sample"):
            rm.pool(sample, RUNS, "P@2", depth=2)


def test_nothing_is_called_reusable_of_which_most_is_not_judged() -> None:
    qrels = {str(q): {"a": 1, "b": 0} for q in range(6)}
    lists = {f"s{number}": ["a", f"x{number}", "b"][: 3 - number % 2] for number in range(5)}
    lists["new"] = ["u", "v", "a"]
    runs = {name: dict.fromkeys(qrels, own) for name, own in lists.items()}
    pool = rm.pool(qrels, runs, "RR", depth=3)
    assert pool.left is not None
    assert pool.left.low > 0.9
    assert pool.left.reusable == "open"
    new = next(each for each in pool.systems if each.system == "new")
    assert new.left_out == new.value
    assert any("most of all 'new', 67% not judged: its own value" in note for note in pool.notes)


def test_a_measure_of_which_less_is_better_orders_the_other_way_round() -> None:
    runs = {"far": {"q": ["x", "y", "a"]}, "near": {"q": ["a"]}}
    for measure in ("RR", "MaxRank"):
        assert [each.rank for each in rm.pool({"q": {"a": 1}}, runs, measure).systems] == [2, 1]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"depth": 0}, "depth=0 is not a whole number from 1"),
        ({"groups": {"one": "x"}}, "groups lacks 2 systems, the first 'two'"),
        ({"measure": "NumRel"}, "NumRel is no mean over queries"),
        ({"measure": "AP, RR"}, "systems are ordered by one measure"),
        ({"no_relevant": "skip"}, "leaves some of them out"),
        ({"confidence": 95}, "did you mean 0.95"),
    ],
)
def test_what_makes_no_pool_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.RankmarkError, match=message):
        rm.pool(QRELS, RUNS, **given)


def test_the_command_writes_what_to_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels.txt").write_text("q 0 a 1\nq 0 b 1\nq 0 c 0\n")
    Path("a.run").write_text("q Q0 a 1 3 x\nq Q0 b 2 2 x\n")
    Path("b.run").write_text("q Q0 a 1 3 y\nq Q0 d 2 2 y\n")
    Path("teams.csv").write_text("system,team\na,x\nb,y\n")
    line = ["pool", "qrels.txt", "a.run", "b.run", "--depth", "2", "--groups", "teams.csv"]
    assert main([*line, "--to-judge", "pool.txt"]) == 0
    assert "depth 2: 3 items of 1 query, 1 not judged" in capfd.readouterr().out
    assert Path("pool.txt").read_text() == "q 0 d -1\n"
    assert main(["pool", "--no-qrels", "a.run", "b.run", "--depth", "1", "--to-judge", "pool.csv"]) == 0
    assert Path("pool.csv").read_text() == "query,item,systems,rank\nq,a,2,1\n"
    for same in ("qrels.txt", "./qrels.txt"):
        assert main([*line, "--to-judge", same]) == 2
    assert "would overwrite the input qrels.txt" in capfd.readouterr().err
    Path("teams.csv").write_text("system,team\na,x\na,y\nb,y\n")
    assert main(line) == 1
    assert "groups 'teams.csv': 'a' is in the groups 'x', 'y'; give it one" in capfd.readouterr().err
