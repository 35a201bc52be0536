"""Leaderboards: means of collections, ranks and groups that follow from tests, and how they are shown."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

import rankmark as rm
from rankmark import statistics
from rankmark.cli import main
from rankmark.errors import ChoiceError, UsageError

RANDOM = np.random.default_rng(3)
DIFFICULTY = RANDOM.beta(1, 2, 40)
SYSTEMS = {
    name: np.clip(DIFFICULTY + lead + RANDOM.normal(0, 0.05, 40), 0, 1)
    for name, lead in (("best", 0.2), ("good", 0.19), ("fair", 0.08), ("poor", 0.0))
}
WIDE = pl.DataFrame(SYSTEMS)


def test_of_one_collection_it_is_the_comparison_of_all_pairs() -> None:
    compared = rm.compare_matrix(SYSTEMS, "AP", interval="t")
    shown = rm.board(SYSTEMS, "AP")
    assert {row.system: row.value for row in shown.rows} == {s: compared.value(s, "AP") for s in SYSTEMS}
    for pair in shown.pairs:
        names = {pair.system, pair.other}
        (other,) = (each for each in compared.pairs if {each.system, each.baseline} == names)
        assert (pair.p, pair.corrected) == (other.p, other.corrected)
        assert abs(pair.difference) == pytest.approx(abs(other.difference))
        assert sorted(map(abs, pair.interval)) == pytest.approx(sorted(map(abs, other.interval)))


def test_ranks_and_groups_follow_from_who_is_told_apart() -> None:
    rows = rm.board(SYSTEMS, "AP").rows
    assert [row.system for row in rows] == ["best", "good", "fair", "poor"]
    assert [row.ranks for row in rows] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    assert ["".join(row.groups) for row in rows] == ["a", "a", "b", "c"]


def test_less_can_be_better() -> None:
    rows = rm.board(SYSTEMS, "seconds", better="less").rows
    assert [row.system for row in rows] == ["poor", "fair", "good", "best"]
    assert rows[0].ranks == (1, 1)
    assert rows[0].mean_rank < rows[-1].mean_rank


def test_several_collections_count_alike_however_many_queries_they_have() -> None:
    parts = {"large": WIDE[:30], "small": WIDE[30:]}
    shown = rm.board(parts, "AP")
    for row in shown.rows:
        means = {name: float(part[row.system].mean()) for name, part in parts.items()}  # type: ignore[arg-type]
        assert row.values == pytest.approx(means)
        assert row.value == pytest.approx(np.mean(list(means.values())))
        ranks = [statistics.friedman_test(part).mean_ranks for part in parts.values()]
        assert row.mean_rank == pytest.approx(np.mean(ranks, axis=0)[list(SYSTEMS).index(row.system)])
    assert shown.collections == {"large": 30, "small": 10}
    assert shown.friedman is None
    with pytest.raises(rm.UsageError, match="counts all queries alike, and the value all collections"):
        rm.board(parts, "AP", test="nemenyi")


def test_collections_may_be_called_like_columns() -> None:
    table = rm.board({"rank": WIDE[:20], "value": WIDE[20:]}, "AP").table
    assert {"rank", "value", "value in rank", "value in value"} <= set(table.columns)
    assert table["rank"].to_list() == [1, 2, 3, 4]


def test_what_happened_to_the_queries_is_told() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(4)}
    runs = {"whole": {query: ["a"] for query in qrels}, "part": {"q0": ["b", "a"]}}
    shown = str(rm.board({name: rm.evaluate(qrels, run, "RR") for name, run in runs.items()}))
    assert "part: 4 queries judged, 1 answered, 3 missing (counted as 0)" in shown


def test_more_groups_than_letters_are_left_to_json() -> None:
    lead = np.linspace(0, 20, 60)
    values = np.random.default_rng(1).normal(lead, 1, (12, 60))
    shown = rm.board(values, "x", test="t", correction="none")
    assert "more groups of systems" in str(shown)
    assert "groups" not in str(shown).splitlines()[0]
    assert json.loads(shown.format("json"))["systems"][0]["groups"][0] == "a"


def test_a_comparison_and_results_are_collections_too() -> None:
    compared = rm.compare_matrix(SYSTEMS, "AP")
    one, other = rm.board(compared), rm.board({name: own[0] for name, own in compared.results.items()})
    assert str(one) == str(other) == str(rm.board(SYSTEMS, "AP"))
    both = rm.board({"one": compared, "other": WIDE}, "AP")
    assert both.rows[0].values["one"] == both.rows[0].values["other"]


def test_the_interval_of_a_mean_of_means_by_hand() -> None:
    """Two strata of variances 1 and 4 and of 2 and 4 values: SE² = (1/2 + 4/4) / 4."""
    first = np.array([-1.0, 1.0]) / math.sqrt(2)
    second = 2 * np.array([-1.0, -1.0, 1.0, 1.0]) / math.sqrt(4 / 3)
    low, high = statistics.stratified_interval([first, second + 3])
    freedom = 1.5**2 / (0.5**2 / 1 + 1.0**2 / 3)
    from scipy import stats

    reach = stats.t.ppf(0.975, freedom) * math.sqrt(1.5) / 2
    assert (low, high) == pytest.approx((1.5 - reach, 1.5 + reach))


def test_over_collections_each_of_them_is_one_value() -> None:
    parts = {f"c{i}": WIDE[5 * i : 5 * i + 5] for i in range(8)}
    shown = rm.board(parts, "AP", over="collections", test="t")
    values = np.array([[part[s].mean() for s in ("best", "poor")] for part in parts.values()])
    (pair,) = (each for each in shown.pairs if (each.system, each.other) == ("best", "poor"))
    assert pair.p == pytest.approx(statistics.paired_t_test(values[:, 0] - values[:, 1]))
    assert shown.friedman is not None
    assert shown.friedman.blocks == 8
    few = rm.board({"a": WIDE[:20], "b": WIDE[20:]}, "AP", over="collections")
    assert "2 collections say little of others: by signs no p is below 0.5" in str(few)
    assert not any(pair.significant for pair in few.pairs)


def test_nemenyi_is_of_mean_ranks_and_not_corrected_again() -> None:
    shown = rm.board(SYSTEMS, "AP", test="nemenyi")
    assert all(pair.p == pair.corrected for pair in shown.pairs)
    assert shown.critical_difference == statistics.critical_difference(4, 40)
    ranks = {row.system: row.mean_rank for row in shown.rows}
    assert shown.critical_difference is not None
    for pair in shown.pairs:
        far = abs(ranks[pair.system] - ranks[pair.other]) >= shown.critical_difference
        assert pair.significant == far


@pytest.mark.parametrize(
    ("collections", "how", "message"),
    [
        ({"a": [1.0, 2.0]}, {}, "1 system to compare"),
        (SYSTEMS, {"over": "collections"}, "there is nothing to draw"),
        (SYSTEMS, {"over": "users"}, "over='users' is not one of queries, collections"),
        (SYSTEMS, {"test": "sign"}, "test='sign' is not one of randomisation, t, nemenyi"),
        ({"one": WIDE, "other": WIDE.drop("poor")}, {}, "'poor' is in one alone"),
        ({"a": {"q": 1.0}, "b": {"q": 2.0}}, {}, "has 1 query with a value of every system"),
        (rm.compare_matrix({s: {"q": {"x": 1.0, "y": 2.0}} for s in "ab"}), {}, "say which of x, y"),
    ],
    ids=range(7),
)
def test_what_makes_no_board_is_refused(collections: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises((rm.UsageError, rm.DataError), match=message):
        rm.board(collections, **how)


WEIGHTS = 1 + RANDOM.pareto(1.5, 40).round(2)


def test_with_weights_it_is_the_comparison_with_these() -> None:
    compared = rm.compare_matrix(SYSTEMS, "AP", interval="t", weights=WEIGHTS)
    shown = rm.board(SYSTEMS, "AP", weights=WEIGHTS)
    assert {row.system: row.value for row in shown.rows} == {s: compared.value(s, "AP") for s in SYSTEMS}
    for pair in shown.pairs:
        names = {pair.system, pair.other}
        (other,) = (each for each in compared.pairs if {each.system, each.baseline} == names)
        # Rounding: of the same pair the other way round, the flips of signs are summed in another order.
        assert (pair.p, pair.corrected) == pytest.approx((other.p, other.corrected), rel=1e-12)
        assert sorted(map(abs, pair.interval)) == pytest.approx(sorted(map(abs, other.interval)))
    assert shown.friedman is None
    assert "mean rank: over the queries, as they weigh" in str(shown)
    assert "weighed by 'weights', as many as" in " ".join(str(shown).split())
    # Equal weights are none, and whole ones are queries that stand there so often.
    assert str(rm.board(SYSTEMS, "AP", weights=[0.1] * 40).rows) == str(rm.board(SYSTEMS, "AP").rows)
    often = np.random.default_rng(4).integers(1, 4, 40)
    repeated = rm.board({name: np.repeat(own, often) for name, own in SYSTEMS.items()}, "AP")
    for row, same in zip(rm.board(SYSTEMS, "AP", weights=often).rows, repeated.rows, strict=True):
        assert (row.value, row.mean_rank) == pytest.approx((same.value, same.mean_rank))


def test_several_collections_have_weights_each() -> None:
    halves: dict[str, Any] = {name: {s: v[rows] for s, v in SYSTEMS.items()} for name, rows in HALVES.items()}
    weights = {name: WEIGHTS[rows] for name, rows in HALVES.items()}
    shown = rm.board(halves, "AP", weights=weights)
    each = [rm.board(halves[name], "AP", weights=own) for name, own in weights.items()]
    of_each = [{row.system: row for row in board.rows} for board in each]
    for row in shown.rows:
        assert row.value == pytest.approx(np.mean([rows[row.system].value for rows in of_each]))
        assert row.mean_rank == pytest.approx(np.mean([rows[row.system].mean_rank for rows in of_each]))
    assert rm.board(halves, "AP", weights=weights, over="collections", test="nemenyi").friedman is not None


HALVES = {"one": slice(0, 20), "two": slice(20, 40)}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"weights": WEIGHTS, "test": "nemenyi"}, "counts all queries alike, and these have weights"),
        ({"weights": [-1.0, *WEIGHTS[1:]]}, "1 of 40 judged queries have one below 0 or infinite, such as"),
        ({"weights": WEIGHTS[1:]}, "weights has 39 values, and the result has 40 rows"),
        ({"weights": "traffic"}, "weights='traffic': no table has such a column"),
        ({"attributes": WIDE}, "attributes are of weights: say which"),
    ],
)
def test_weights_that_a_board_cannot_take_are_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(rm.errors.RankmarkError, match=message):
        rm.board(SYSTEMS, "AP", **how)


def test_saved_results_that_weigh_do_so_on_a_board_and_are_no_matrix(tmp_path: Path) -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(8)}
    weights = {query: 1.0 + i for i, query in enumerate(qrels)}
    results = {}
    for name, items in (("one", ["a"]), ("two", ["b", "a"]), ("three", ["c", "b", "a"])):
        run = {query: items if i % 3 else items[::-1] for i, query in enumerate(qrels)}
        results[name] = rm.evaluate(qrels, run, "RR", weights=weights)
    results["one"].save(tmp_path / "one.rankmark")
    mixed = {**results, "one": tmp_path / "one.rankmark"}
    for given in (results, mixed):
        values = {row.system: row.value for row in rm.board(given).rows}
        assert values == {name: result["RR"] for name, result in results.items()}
    with pytest.raises(rm.UsageError, match="a result weighs queries by 'weights', and a matrix has their"):
        rm.compare_matrix(mixed)


def test_of_several_collections_weights_have_their_names() -> None:
    halves = {name: {s: v[rows] for s, v in SYSTEMS.items()} for name, rows in HALVES.items()}
    with pytest.raises(rm.UsageError, match=r"of several collections are \{coll"):
        rm.board(halves, "AP", weights=WEIGHTS)


def test_a_board_weighs_by_a_column_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    WIDE.with_row_index("query").write_csv("ap.csv")
    pl.DataFrame({"query": range(40), "asked": WEIGHTS}).write_csv("traffic.csv")
    weights = ["--weights", "asked", "--attributes", "traffic.csv", "--format", "json"]
    assert main(["board", "ap.csv", "-m", "AP", *weights]) == 0
    found = [row["value"] for row in json.loads(capsys.readouterr().out)["systems"]]
    assert found == [row.value for row in rm.board(SYSTEMS, "AP", weights=WEIGHTS).rows]
    Path("qrels.csv").write_text("query,item,relevance\n" + "".join(f"{i},a,1\n" for i in range(40)))
    for name, share in (("one", 3), ("two", 2)):
        rows = "".join(f"{i},a,1\n{i},b,{2 * (i % share == 0)}\n" for i in range(40))
        Path(f"{name}.csv").write_text(f"query,item,score\n{rows}")
    assert main(["board", "--qrels", "qrels.csv", "one.csv", "two.csv", "-m", "RR", *weights]) == 0
    found = [row["value"] for row in json.loads(capsys.readouterr().out)["systems"]]
    assert found == [
        rm.evaluate("qrels.csv", f"{name}.csv", "RR", weights="asked", attributes="traffic.csv")["RR"]
        for name in ("one", "two")
    ]
    assert main(["board", "ap.csv", "ap2=ap.csv", "-m", "AP", *weights]) == 2
    assert "--weights is of the queries of one collection" in capsys.readouterr().err


def test_boards_of_files_and_of_runs_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    WIDE[:20].write_csv(one)
    WIDE[20:].write_csv(other)
    assert main(["board", str(one), str(other), "-m", "AP", "--format", "json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [each["system"] for each in record["systems"]] == ["best", "good", "fair", "poor"]
    assert record["collections"] == {"one": 20, "other": 20}
    assert main(["board", str(one), "-m", "AP", "-m", "RR"]) == 2
    qrels, first, second = (tmp_path / name for name in ("qrels.txt", "a.run", "b.run"))
    qrels.write_text("".join(f"q{i} 0 a 1\n" for i in range(6)))
    first.write_text("".join(f"q{i} Q0 a 1 2 t\nq{i} Q0 b 2 1 t\n" for i in range(6)))
    second.write_text("".join(f"q{i} Q0 b 1 2 t\nq{i} Q0 a 2 1 t\n" for i in range(6)))
    assert main(["board", "--qrels", str(qrels), str(first), str(second), "-m", "RR"]) == 0
    assert "1.0000" in capsys.readouterr().out


def test_how_likely_a_difference_of_means_of_collections_is_in_a_region(tmp_path: Path) -> None:
    parts = {"large": WIDE[:30], "small": WIDE[30:]}
    shown = rm.board(parts, "AP", rope=0.02)
    pair = shown.pairs[0]
    strata = [(part[pair.system] - part[pair.other]).to_numpy() for part in parts.values()]
    error = math.sqrt(sum(each.var(ddof=1) / len(each) for each in strata)) / 2
    variances = [each.var(ddof=1) / len(each) for each in strata]
    freedom = sum(variances) ** 2 / sum(v**2 / (len(s) - 1) for v, s in zip(variances, strata, strict=True))
    assert pair.posterior is not None
    assert pair.posterior.better == pytest.approx(stats.t.sf((0.02 - pair.difference) / error, freedom))
    assert pair.posterior.low == pytest.approx(pair.interval.low)
    assert "P(within 0.02)" in str(shown)
    assert json.loads(shown.to_json())["pairs"][0]["better"] == pair.posterior.better
    shown.save(tmp_path / "board.rankmark")
    assert rm.load(tmp_path / "board.rankmark").pairs == shown.pairs  # type: ignore[union-attr]


def test_where_most_pairs_of_collections_lie_is_asked_by_name() -> None:
    parts = {str(place): WIDE[place : place + 5] for place in range(0, 40, 5)}
    shown = rm.board(parts, "AP", over="collections", rope=0.05, posterior="signed-rank")
    pair = next(each for each in shown.pairs if (each.system, each.other) == ("best", "poor"))
    means = [float((part["best"] - part["poor"]).mean()) for part in parts.values()]  # type: ignore[arg-type]
    drawn = statistics.signed_rank_posterior(means, 0.05)
    assert pair.posterior is not None
    assert pair.posterior.better == drawn.above
    with pytest.raises(UsageError, match=r'signed-rank.* choose posterior="t", or over'):
        rm.board(parts, "AP", rope=0.05, posterior="signed-rank")
    with pytest.raises(ChoiceError, match="rope=2: values of AP are from 0 to 1"):
        rm.board(parts, "AP", rope=2)


def test_the_command_line_asks_for_the_region(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    WIDE.write_csv(tmp_path / "ap.csv")
    line = ["board", str(tmp_path / "ap.csv"), "-m", "AP", "--rope", ".02"]
    assert main([*line, "--posterior", "signed-rank"]) == 0
    assert "Bayesian signed-rank test" in " ".join(capsys.readouterr().out.split())
    assert main([*line, "--posterior", "bootstrap"]) == 2


def test_a_collection_given_several_times_is_told() -> None:
    one = {"a": [0.1, 0.2, 0.3, 0.5], "b": [0.2, 0.3, 0.5, 0.6]}
    other = {"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.6]}
    told = rm.board({"x": one, "y": one, "z": other}, "AP").notes
    assert any(note.startswith("x, y have the same values of every system") for note in told)
    assert rm.board({"x": one, "z": other}, "AP").notes == ()
    alike = rm.board({"x": one, "y": one}, "AP", over="collections").notes
    assert any(note.startswith("b, a: all values are the same") for note in alike)


def test_collections_in_per_cent_beside_shares_are_refused() -> None:
    one = {"a": [0.1, 0.2, 0.3, 0.5], "b": [0.2, 0.3, 0.5, 0.6]}
    hundred = {name: [100 * value for value in own] for name, own in one.items()}
    with pytest.raises(rm.DataError, match=r"up to 60 in 'y', as in per cent, and up to 0.6 in 'x'"):
        rm.board({"x": one, "y": hundred}, "AP")
