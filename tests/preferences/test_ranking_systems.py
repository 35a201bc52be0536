"""Systems ranked by judgements side by side, and of the best and the worst."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.errors import ColumnError, DataError, UsageError
from rankmark.statistics import bradley_terry

TABLE: dict[str, list[Any]] = {
    "system_a": ["new", "new", "old", "new"],
    "system_b": ["old", "old", "new", "old"],
    "winner": ["new", "a", "model_b", "old"],  # three wins of the new one
    "query": ["q1", "q1", "q2", "q2"],
}


def shop(seed: int = 0, count: int = 400) -> dict[str, list[Any]]:
    """Judgements of three systems, which are 1, 0 and −1 strong; the first side is worth 0.5."""
    draw = np.random.default_rng(seed)
    names, strengths = ["a", "b", "c"], np.array([1.0, 0.0, -1.0])
    first = draw.integers(0, 3, count)
    second = (first + draw.integers(1, 3, count)) % 3
    won = draw.random(count) < 1 / (1 + np.exp(strengths[second] - strengths[first] - 0.5))
    return {
        "model_a": [names[number] for number in first],
        "model_b": [names[number] for number in second],
        "winner": ["model_a" if each else "model_b" for each in won],
        "judge": [f"u{number % 40}" for number in range(count)],
    }


def test_strengths_by_hand() -> None:
    ranking = rm.rank_by_preferences(TABLE, baseline="old")
    assert ranking["new"] == pytest.approx(math.log(3))
    assert ranking["old"] == 0
    row = ranking.systems.row(0, named=True)
    error = math.sqrt(1 / (4 * 0.75 * 0.25))
    assert (row["low"], row["high"]) == pytest.approx(
        (math.log(3) - 1.959964 * error, math.log(3) + 1.959964 * error)
    )
    assert (row["wins"], row["ties"], row["losses"]) == (3, 0, 1)
    assert row["p"] == row["p_adjusted"] == pytest.approx(math.erfc(math.log(3) / error / math.sqrt(2)))
    assert ranking.probabilities.row(0) == ("new", "old", pytest.approx(0.75), 0.0)


def test_elo_is_400_over_log_10_of_it_and_1000() -> None:
    by_elo = rm.rank_by_preferences(TABLE, scale="elo", baseline="old")
    assert by_elo["old"] == 1000
    assert by_elo["new"] == pytest.approx(1000 + 400 * math.log10(3))


def test_the_side_is_estimated_and_tested() -> None:
    table = shop()
    ranking = rm.rank_by_preferences(table, side=True)
    assert ranking.systems["system"].to_list() == ["a", "b", "c"]
    assert ranking.side_low < ranking.side < ranking.side_high
    assert ranking.side == pytest.approx(0.5, abs=0.3)
    assert ranking.side_p < 0.01
    assert math.isnan(rm.rank_by_preferences(table).side)


@pytest.mark.parametrize("interval", ["delta", "profile", "bootstrap"])
def test_intervals_are_alike_of_many_comparisons(interval: Any) -> None:
    delta = rm.rank_by_preferences(shop()).systems
    other = rm.rank_by_preferences(shop(), interval=interval, resamples=200).systems
    assert other["strength"].to_list() == delta["strength"].to_list()
    for end in ("low", "high"):
        assert other[end].to_numpy() == pytest.approx(delta[end].to_numpy(), abs=0.06)


def test_clusters_count_together() -> None:
    table = shop()
    found = rm.rank_by_preferences(table, baseline="b", clusters="assessor").systems
    first, second = (["abc".index(name) for name in table[role]] for role in ("model_a", "model_b"))
    won = [float(each == "model_a") for each in table["winner"]]
    own = bradley_terry(first, second, won, clusters=table["judge"])
    contrast = np.array([1, -1, 0, 0, 0])
    error = math.sqrt(contrast @ own.covariance @ contrast)
    assert found["high"][0] - found["strength"][0] == pytest.approx(2.0226909 * error, rel=1e-6)  # t of 39
    drawn = rm.rank_by_preferences(
        table, baseline="b", clusters="assessor", interval="bootstrap", resamples=200
    ).systems
    assert drawn["high"].to_numpy() == pytest.approx(found["high"].to_numpy(), abs=0.1)


def test_a_judgement_twice_in_a_cluster_says_nothing_new() -> None:
    table = shop(count=100)
    table["row"] = list(range(100))
    twice = {name: values * 2 for name, values in table.items()}
    once = rm.rank_by_preferences(table, clusters="row").systems
    assert rm.rank_by_preferences(twice, clusters="row").systems["low"].to_numpy() == pytest.approx(
        once["low"].to_numpy()
    )


def test_the_best_and_the_worst_of_several() -> None:
    table = {"systems": ["a b c", "b c a", "a b c"], "best": ["a", "b", "a"], "worst": ["c", "a", "b"]}
    ranking = rm.rank_by_preferences(table, clusters="judgement")
    # a>b, a>c, b>c; b>c, b>a, c>a; a>b, a>c, c>b
    assert ranking.comparisons == 9
    counts = {row[0]: row[4:7] for row in ranking.systems.iter_rows()}
    assert counts == {"a": (4, 0, 2), "b": (3, 0, 3), "c": (2, 0, 4)}
    lists: dict[str, Any] = table | {"systems": [text.split() for text in table["systems"]]}
    assert rm.rank_by_preferences(lists, clusters="judgement")["a"] == ranking["a"]
    with pytest.raises(UsageError, match="have no sides"):
        rm.rank_by_preferences(table, side=True)


def test_one_that_always_wins_is_infinite_or_penalized() -> None:
    table = TABLE | {"winner": ["new"] * 4}
    with pytest.raises(DataError, match=r"new never lost to old.*penalty='firth'"):
        rm.rank_by_preferences(table)
    assert rm.rank_by_preferences(table, penalty="firth", baseline="old")["new"] == pytest.approx(math.log(9))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"winner": ["new", "old", "x", "tie"]}, DataError, "the first 'x' in row 2"),
        ({"system_a": ["old", "new", "old", "new"]}, DataError, "row 0 .* compares 'old' with itself"),
        ({"winner": ["new", None, "old", "tie"]}, DataError, "no value of 'winner', the first in row 1"),
        (
            {"system_b": ["old", "old", "new", "x"], "system_a": ["new", "new", "old", "y"]},
            DataError,
            "2 groups",
        ),
    ],
)
def test_what_is_wrong_with_a_table_is_said(change: dict[str, Any], error: Any, message: str) -> None:
    table = TABLE | change
    if "system_a" in change and "system_b" in change:
        table = table | {"winner": ["new", "old", "new", "y"]}
    with pytest.raises(error, match=message):
        rm.rank_by_preferences(table)


def test_a_winner_that_is_a_name_and_a_side_is_refused() -> None:
    names = {"system_a": ["b", "a", "a"], "system_b": ["a", "b", "b"]}
    with pytest.raises(DataError, match=r"the winner 'a' in row 0 .* is a system's name, and a side"):
        rm.rank_by_preferences(names | {"winner": ["a", "a", "b"]})
    sides = rm.rank_by_preferences(names | {"winner": ["model_a", "model_a", "model_b"]}, baseline="a")
    assert sides["b"] == pytest.approx(math.log(2))


def test_what_is_asked_wrongly_is_said() -> None:
    with pytest.raises(ColumnError, match="no column of 'winner'"):
        rm.rank_by_preferences({"system_a": ["x"], "system_b": ["y"]})
    with pytest.raises(UsageError, match="baseline='ol' is no system; did you mean 'old'"):
        rm.rank_by_preferences(TABLE, baseline="ol")
    with pytest.raises(UsageError, match="knows no clusters"):
        rm.rank_by_preferences(TABLE, interval="profile", clusters="query")
    with pytest.raises(DataError, match="of 50 resamples have no finite strengths"):
        rm.rank_by_preferences(TABLE, interval="bootstrap", resamples=50)
    with pytest.raises(ColumnError, match="no column 'user'"):
        rm.rank_by_preferences(TABLE, clusters="user")


def test_the_command_shows_the_same(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    import polars as pl

    path = str(tmp_path / "judged.csv")
    pl.DataFrame(TABLE).write_csv(path)
    assert main(["preferences", path, "--baseline", "old"]) == 0
    out, _ = capfd.readouterr()
    assert out.strip() == str(rm.rank_by_preferences(path, baseline="old")).strip()
    assert main(["preferences", path, "--ties", "all"]) == 2
    assert main(["preferences", path, "--baseline", "ol"]) == 2
