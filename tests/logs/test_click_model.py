"""Where users look, by a log of clicks."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from logs.simulated import Shop, log_of

SWAPPED = {
    "query": ["q"] * 40,
    "list": list(range(40)),
    "item": ["a"] * 20 + ["b"] * 20,
    "position": ([1] * 10 + [2] * 10) * 2,
    "click": [1] * 8 + [0] * 2 + [1] * 4 + [0] * 6 + [1] * 4 + [0] * 6 + [1] * 2 + [0] * 8,
}
EXAMINED = np.array([1.0, 0.5, 0.3, 0.2])


def position_log(seed: int = 0, impressions: int = 3_000, queries: int = 30) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    shop = Shop.of(rng, queries)
    query, item = shop.lists(rng, impressions, 4)
    return log_of(query, item, rng.random(item.shape) < EXAMINED * shop.rates[query[:, None], item])


def dbn_log(seed: int = 0, impressions: int = 3_000) -> pl.DataFrame:
    """Users who go on with 0.8, and are satisfied by half of their clicks."""
    rng = np.random.default_rng(seed)
    shop = Shop.of(rng, 30)
    query, item = shop.lists(rng, impressions, 4)
    looks, click = np.ones(impressions, dtype=bool), np.zeros(item.shape, dtype=bool)
    for k in range(4):
        click[:, k] = looks & (rng.random(impressions) < shop.rates[query, item[:, k]])
        looks &= ~(click[:, k] & (rng.random(impressions) < 0.5)) & (rng.random(impressions) < 0.8)
    return log_of(query, item, click)


def test_what_swapped_items_say() -> None:
    found = rm.click_model(SWAPPED, held_out=0, resamples=0)
    assert found.examination == pytest.approx({1: 1, 2: 0.5})
    first, second = found.rows
    assert (first.impressions, first.linking, first.click_rate) == (20, 2, 0.6)
    assert math.isnan(second.low)
    assert found.items.rows() == [
        ("q", "a", 20, 12, pytest.approx(0.8)),
        ("q", "b", 20, 6, pytest.approx(0.4)),
    ]
    assert "taken for granted: an item stands higher or lower by chance" in str(found)


def test_the_intervals_hold_the_truth_and_the_seed_decides() -> None:
    log = position_log()
    found = rm.click_model(log, resamples=100)
    for row, truth in zip(found.rows, EXAMINED, strict=True):
        assert row.low <= truth <= row.high
    again = rm.click_model(log.sample(fraction=1, shuffle=True, seed=1), resamples=100)
    assert [row.examination for row in again.rows] == pytest.approx([row.examination for row in found.rows])
    assert rm.click_model(log, resamples=100).rows == found.rows
    assert rm.click_model(log, resamples=100, seed=1).rows != found.rows
    assert rm.click_model(log, resamples=50, clusters="impression").rows[1].low < 0.5


def test_held_out_clicks_choose_the_model_by_which_they_came() -> None:
    for log, best in ((position_log(), "position"), (dbn_log(impressions=10_000), "dbn")):
        told = {}
        for model in ("position", "dbn", "cascade"):
            held = rm.click_model(log, model, resamples=0).held_out
            assert held is not None
            told[model] = held.log_likelihood
            assert 1 < held.perplexity < 2
        assert max(told, key=lambda name: told[name]) == best


def test_the_dbn_finds_how_many_go_on() -> None:
    found = rm.click_model(dbn_log(impressions=6_000), "dbn", resamples=20, held_out=0)
    assert found.continuation == pytest.approx(0.8, abs=0.04)
    assert found.continuation_low is not None
    assert found.continuation_high is not None
    assert found.continuation_low < 0.8 < found.continuation_high
    simple = rm.click_model(dbn_log(), "dbn", method="simplified", resamples=0, held_out=0)
    assert simple.continuation is None
    assert "nobody gives up" in str(simple)


def test_the_log_likelihood_by_hand() -> None:
    """Two positions of one list held out: ln of each chance, with rates drawn in by one showing."""
    from rankmark.inputs.click_logs import read_click_log
    from rankmark.logs.fitted import LogRows, fit_position

    rows = LogRows.of(read_click_log(SWAPPED), browsing=False)
    fit = fit_position(rows, "conditional")(None).drawn_in(rows)
    mean = 18 / (10 + 5 + 10 + 5)  # clicks over what was looked at
    assert fit.relevance == pytest.approx([(12 + mean) / 16, (6 + mean) / 16], rel=1e-6)


def test_lists_with_several_clicks_are_noted_of_the_cascade() -> None:
    found = rm.click_model(position_log(), "cascade", resamples=0)
    assert any("have several clicks, which the cascade model does not know" in note for note in found.notes)


def test_unlinked_positions_are_nan_and_said() -> None:
    log = {
        "query": ["q"] * 7, "list": [0, 1, 2, 3, 4, 4, 5], "item": ["a", "a", "b", "b", "c", "d", "a"],
        "position": [1, 2, 3, 4, 3, 4, 1], "click": [1, 1, 1, 1, 0, 0, 0],
    }  # fmt: skip
    found = rm.click_model(log, resamples=0, held_out=0)
    assert math.isnan(found.rows[2].examination)
    assert any("no item links positions 3 and 4 to the first" in note for note in found.notes)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "an item twice": (
        {"item": ["a", "a"], "list": [1, 1]},
        r"in 1 of 1 list an item stands twice, such as item 'a' of query 'q' in rows 0 and 1 \(from 0\)",
    ),
    "a position twice": ({"position": [1, 1], "list": [1, 1]}, "a position stands twice, such as position 1"),
    "no list": ({"position": [1, 1]}, "no column says which list is which: add an impression or session id"),
    "from zero": ({"position": [0, 1]}, r"first 0 in row 0 \(from 0\); they count from 0 here: add 1"),
    "half a position": (
        {"position": [1, 2.5]},
        r"the first 2.5 in row 1 \(from 0\); they are 1 for the first",
    ),
    "counts of clicks": ({"click": [0, 3]}, r"neither 0 nor 1, the first 3 in row 1 \(from 0\)"),
    "words for clicks": ({"click": ["x", "y"]}, "clicks are 0 and 1, or booleans"),
    "clicks alone": ({"click": [1, 1]}, "all of 2 rows are clicked"),
    "nulls": ({"query": ["q", None]}, r"1 of 2 rows have no value of 'query', the first in row 1 \(from 0\)"),
    "nothing that links": (
        {},
        "no items of a query that were shown at the first position and another were clicked at both",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_logs(name: str) -> None:
    own, message = BAD[name]
    log = {"query": ["q", "q"], "item": ["a", "b"], "position": [1, 2], "click": [1, 0]} | own
    with pytest.raises(rm.DataError, match=message):
        rm.click_model(log)


def test_models_that_go_down_lists_need_all_positions() -> None:
    log = {"query": ["q", "q"], "item": ["a", "b"], "position": [1, 3], "click": [1, 0]}
    with pytest.raises(
        rm.DataError, match="in 1 of 1 list positions are missing, such as one of query 'q', which"
    ):
        rm.click_model(log, "dbn")


def test_wrong_calls() -> None:
    with pytest.raises(rm.ChoiceError, match="model='ubm'"):
        rm.click_model(SWAPPED, "ubm")  # type: ignore[arg-type]
    with pytest.raises(
        rm.ChoiceError, match="method='pivot' is none of the cascade model, which knows likelihood"
    ):
        rm.click_model(SWAPPED, "cascade", method="pivot")
    with pytest.raises(rm.ChoiceError, match=r"held_out=1 is not a number from 0 and below 1"):
        rm.click_model(SWAPPED, held_out=1)
    with pytest.raises(rm.UsageError, match="a log has no role 'clik'; did you mean 'click'"):
        rm.click_model(SWAPPED, columns={"clik": "x"})
    with pytest.raises(rm.ColumnError, match="no column for the position; did you mean 'positon'"):
        rm.click_model({("positon" if name == "position" else name): own for name, own in SWAPPED.items()})
    with pytest.raises(rm.ColumnError, match="no column for the click"):
        rm.click_model({k: v for k, v in SWAPPED.items() if k != "click"}, columns={"click": None})
    with pytest.raises(rm.ColumnError, match="2 columns that can be the click: 'clicked', 'is_click'"):
        rm.click_model(
            {**{k: v for k, v in SWAPPED.items() if k != "click"}, "clicked": [0] * 40, "is_click": [0] * 40}
        )
    with pytest.raises(rm.UsageError, match=r"^log is of type int, none of these"):
        rm.click_model(3)


def test_files_are_read_as_tables_are(tmp_path: Path) -> None:
    frame = pl.DataFrame(SWAPPED)
    frame.write_csv(tmp_path / "log.csv")
    frame.write_parquet(tmp_path / "log.parquet")
    wanted = rm.click_model(frame, resamples=0).examination
    for name in ("log.csv", "log.parquet"):
        assert rm.click_model(tmp_path / name, resamples=0).examination == wanted
    called = frame.rename({"list": "page", "click": "c"})
    columns = {"impression": "page", "click": "c"}
    assert rm.click_model(called, columns=columns, resamples=0).examination == wanted


def test_one_cluster_has_no_interval() -> None:
    found = rm.click_model(SWAPPED, resamples=10)
    assert all(math.isnan(row.low) and math.isnan(row.high) for row in found.rows)
    by_list = rm.click_model(SWAPPED, resamples=50, clusters="impression")
    assert by_list.rows[0].low == by_list.rows[0].high == 1
    assert by_list.rows[1].low < 0.5 < by_list.rows[1].high


def test_numbers_by_their_names() -> None:
    found = rm.click_model(SWAPPED, resamples=10)
    assert {"examination at 2", "examination at 2 low", "perplexity"} <= found.to_dict().keys()


def test_one_row_has_no_value() -> None:
    log = {"query": [None], "item": ["a"], "position": [1], "click": [1]}
    with pytest.raises(rm.DataError, match=r"1 of 1 row has no value of 'query'"):
        rm.click_model(log)
