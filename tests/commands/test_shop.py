from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.commands.shop import LENGTH, MODELS, Columns, simulate, write


@pytest.fixture(scope="module")
def tables() -> dict[str, Columns]:
    return simulate()


@pytest.mark.slow
def test_the_same_bytes_each_time(tmp_path: Path) -> None:
    first, second = write(tmp_path / "a"), write(tmp_path / "b")
    for name, (path, _) in first.items():
        assert path.read_bytes() == second[name][0].read_bytes()


@pytest.mark.slow
def test_another_seed_gives_other_data(tables: dict[str, Columns]) -> None:
    other = simulate(seed=1)
    assert not np.array_equal(tables["qrels"]["item_id"][:100], other["qrels"]["item_id"][:100])


def test_nobody_is_shown_or_judges_an_item_twice(tables: dict[str, Columns]) -> None:
    for name in ("qrels", "popular", "personalised", "train"):
        columns = tables[name]
        pairs = np.stack([columns["user_id"], columns["item_id"]])
        assert np.unique(pairs, axis=1).shape == pairs.shape


def test_items_are_what_tables_are_about(tables: dict[str, Columns]) -> None:
    items = tables["items"]["item_id"]
    assert np.array_equal(np.sort(items), np.arange(1, len(items) + 1))
    assert len(set(tables["items"]["category"])) == 8
    counts = np.sort(np.bincount(tables["train"]["item_id"]))[::-1]
    assert counts[:200].sum() > counts.sum() / 5  # a hundredth of the items has a fifth of what was bought


def test_lists_are_full_and_in_order(tables: dict[str, Columns]) -> None:
    for name in ("popular", "personalised"):
        score = tables[name]["score"].reshape(-1, LENGTH)
        assert (np.diff(score) <= 0).all()
        assert (np.diff(tables[name]["user_id"].reshape(-1, LENGTH)) == 0).all()


def test_the_data_are_as_imperfect_as_real_ones(tables: dict[str, Columns]) -> None:
    judged = set(tables["qrels"]["user_id"].tolist())
    assert 3_500 < len(judged) < 5_000
    assert set(np.unique(tables["qrels"]["relevance"])) == {0, 1, 2, 3}
    assert judged <= set(tables["popular"]["user_id"].tolist())
    assert judged - set(tables["personalised"]["user_id"].tolist())
    for name in ("popular", "personalised"):
        assert (np.diff(tables[name]["score"].reshape(-1, LENGTH)) == 0).any()


def test_of_two_models_of_clicks_one_is_right_on_average_and_one_too_sure(tables: dict[str, Columns]) -> None:
    clicks = {name: tables["clicks"][name] for name in ("user_id", "click", "p_old", "p_new")}
    found = rm.compare_predictions(clicks, MODELS, ["AUC", "PCOPC"], label="click", query="user_id")
    old, new = (found.results[name].values for name in MODELS)
    assert old["AUC"] < 0.75 < new["AUC"]
    assert old["PCOPC"] > 1.5
    assert new["PCOPC"] == pytest.approx(1, abs=0.03)


def test_demo_shows_both_systems_and_what_to_type(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--out", str(tmp_path / "shop")]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    assert "popular  personalised" in out
    assert f"eval {tmp_path / 'shop' / 'qrels.parquet'}" in out
    assert sorted(path.name for path in (tmp_path / "shop").iterdir()) == [
        "clicks.parquet",
        "items.parquet",
        "personalised.parquet",
        "popular.parquet",
        "qrels.parquet",
        "train.parquet",
    ]
    values = [
        rm.evaluate(tmp_path / "shop" / "qrels.parquet", tmp_path / "shop" / f"{name}.parquet", ["nDCG@10"])[
            "nDCG@10"
        ]
        for name in ("popular", "personalised")
    ]
    assert f"{values[0]:.4f}        {values[1]:.4f}" in out
    assert values[0] < values[1]
    said = " ".join(out.split())
    assert "The more accurate system, personalised, recommends more of the catalogue" in said
    assert "less popular items" in said
    assert "its lists are less diverse" in said
    known = rm.catalogue(tmp_path / "shop" / "items.parquet", train=tmp_path / "shop" / "train.parquet")
    run = tmp_path / "shop" / "personalised.parquet"
    coverage = rm.evaluate(tmp_path / "shop" / "qrels.parquet", run, "Coverage@10", items=known)
    assert f"more of the catalogue ({coverage['Coverage@10']:.3f}, not " in said
