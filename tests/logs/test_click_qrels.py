"""Judgements made of clicks."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from logs.simulated import Shop, log_of

LOG = {
    "query": ["q"] * 8,
    "list": [1, 1, 2, 2, 3, 3, 4, 4],
    "item": ["a", "b", "a", "b", "b", "a", "b", "a"],
    "position": [1, 2] * 4,
    "click": [1, 0, 0, 1, 0, 1, 0, 0],
}
HALF = {1: 1.0, 2: 0.5}


def relevances(qrels: rm.results.ClickQrels) -> dict[str, float]:
    return dict(qrels.frame["item", "relevance"].iter_rows())


def test_relevances_by_hand() -> None:
    # a: clicked at 1, not at 1, clicked at 2, not at 2; b: not at 2, clicked at 2, not at 1, not at 1.
    ips = rm.qrels_from_clicks(LOG, HALF)
    assert relevances(ips) == pytest.approx({"a": (1 + 2) / 4, "b": 2 / 4})
    assert ips.frame["variance"].to_list() == pytest.approx([np.var([1, 0, 2, 0], ddof=1) / 4, 1 / 4])
    assert ips.frame["weight"].to_list() == [2, 2]
    ratio = rm.qrels_from_clicks(LOG, HALF, estimator="ratio")
    assert relevances(ratio) == pytest.approx({"a": 2 / 3, "b": 1 / 3})
    off = np.array([1, 0, 1, 0]) - 2 / 3 * np.array([1, 1, 0.5, 0.5])
    assert ratio.frame["variance"][0] == pytest.approx((off**2).sum() / 9 * 4 / 3)


def test_clipped_propensities_count_less_and_are_said() -> None:
    found = rm.qrels_from_clicks(LOG, HALF, clip=0.8)
    assert relevances(found) == pytest.approx({"a": (1 + 1 / 0.8) / 4, "b": 1 / 0.8 / 4})
    assert found.clip == 0.8
    assert any("clip=0.8 raised the propensities of 4 rows, with 2 clicks" in note for note in found.notes)
    assert rm.qrels_from_clicks(LOG, HALF, clip=0.1).clip is None


def test_trust_is_taken_off_before_clicks_are_weighted() -> None:
    found = rm.qrels_from_clicks(LOG, HALF, trust={1: (0.9, 0.1), 2: (0.8, 0.3)})
    a = [(1 - 0.1) / 0.8, (0 - 0.1) / 0.8, (1 / 0.5 - 0.3) / 0.5, (0 - 0.3) / 0.5]
    assert relevances(found)["a"] == pytest.approx(np.mean(a))
    with pytest.raises(rm.ChoiceError, match=r"trust of position 2 is \(0.3, 0.8\)"):
        rm.qrels_from_clicks(LOG, HALF, trust={1: (1, 0), 2: (0.3, 0.8)})
    with pytest.raises(rm.UsageError, match="trust says nothing of position 2"):
        rm.qrels_from_clicks(LOG, HALF, trust={1: (1, 0)})


def test_propensities_come_from_models_dicts_tables_and_columns() -> None:
    wanted = relevances(rm.qrels_from_clicks(LOG, HALF))
    table = pl.DataFrame({"position": [1, 2], "propensity": [1.0, 0.5]})
    assert relevances(rm.qrels_from_clicks(LOG, table)) == wanted
    with_column = {**LOG, "propensity": [1.0, 0.5] * 4}
    assert relevances(rm.qrels_from_clicks(with_column)) == wanted
    swapped = {**LOG, "click": [1, 0, 1, 0, 1, 1, 1, 0]}
    model = rm.click_model(swapped, resamples=0, held_out=0)
    by_model = rm.qrels_from_clicks(swapped, model)
    assert relevances(by_model) == relevances(rm.qrels_from_clicks(swapped, model.examination))
    assert by_model.model == "position-based model, conditional"


def test_models_that_go_down_lists_weigh_by_the_clicks_above() -> None:
    model = rm.click_model(LOG, "cascade", resamples=0, held_out=0)
    found = rm.qrels_from_clicks(LOG, model, estimator="ratio")
    # What is below a click is not looked at: b of the first list is left out.
    assert relevances(found) == pytest.approx({"a": 2 / 4, "b": 1 / 3})
    assert any("1 row left out, which are not known to be looked at, with 0 clicks" in n for n in found.notes)


def test_evaluate_takes_them_and_dcg_is_the_sum_of_relevances() -> None:
    qrels = rm.qrels_from_clicks(LOG, HALF)
    run = {"q": ["b", "a", "new"]}
    found = rm.evaluate(qrels, run, ["DCG@2", "CG@2", "nDCG@2"])
    assert found["DCG@2"] == pytest.approx(0.5 + 0.75 / math.log2(3))
    assert found["CG@2"] == pytest.approx(1.25)
    assert rm.evaluate(qrels.frame, run, "DCG@2")["DCG@2"] == found["DCG@2"]
    assert "judgements are made of clicks: propensities as given, ips" in str(found)
    assert rm.evaluate(qrels, run, "P(rel=0.6)@2")["P(rel=0.6)@2"] == 0.5


def test_dcg_of_clicks_is_unbiased_and_clicks_as_they_are_are_not() -> None:
    """Of 200 logs the mean is that of the true rates, within three standard errors."""
    rng = np.random.default_rng(0)
    shop, examined = Shop.of(rng, 5), np.array([1.0, 0.5, 0.25, 0.2])
    worst = {query: np.argsort(rates).tolist() for query, rates in enumerate(shop.rates)}
    truth = rm.evaluate(
        {query: dict(enumerate(rates.tolist())) for query, rates in enumerate(shop.rates)}, worst, "DCG@4"
    )["DCG@4"]
    weighed, plain = [], []
    for _ in range(200):
        query, item = shop.lists(rng, 400, 4)
        query[:5] = np.arange(5)
        # Each item is at some position in some list, so that none is without a judgement.
        item[:] = np.argsort(rng.random((400, 8)), axis=1)[:, :4]
        log = log_of(query, item, rng.random(item.shape) < examined * shop.rates[query[:, None], item])
        propensities = dict(enumerate(examined.tolist(), 1))
        weighed.append(rm.evaluate(rm.qrels_from_clicks(log, propensities), worst, "DCG@4")["DCG@4"])
        naive = rm.qrels_from_clicks(log, dict.fromkeys(propensities, 1.0))
        plain.append(rm.evaluate(naive, worst, "DCG@4")["DCG@4"])
    error = np.std(weighed, ddof=1) / np.sqrt(200)
    assert abs(np.mean(weighed) - truth) < 3 * error
    assert np.mean(plain) < 0.6 * truth


def test_wrong_calls() -> None:
    with pytest.raises(rm.UsageError, match="has no column of propensities: give model="):
        rm.qrels_from_clicks(LOG)
    with pytest.raises(rm.DataError, match="there is no propensity of position 2, which log has; give all"):
        rm.qrels_from_clicks(LOG, {1: 1.0})
    with pytest.raises(rm.DataError, match=r"a propensity is 0\.0; 1 of 2 are not above 0 and at most 1"):
        rm.qrels_from_clicks(LOG, {1: 1.0, 2: 0.0})
    with pytest.raises(rm.ChoiceError, match="clip=0 is not a number above 0 and at most 1"):
        rm.qrels_from_clicks(LOG, HALF, clip=0)
    with pytest.raises(rm.ChoiceError, match="estimator='snips'"):
        rm.qrels_from_clicks(LOG, HALF, estimator="snips")  # type: ignore[arg-type]
    with pytest.raises(rm.ColumnError, match="they need position and propensity"):
        rm.qrels_from_clicks(LOG, {"place": [1, 2], "p": [1, 0.5]})
    model = rm.click_model(LOG, "cascade", resamples=0, held_out=0)
    with pytest.raises(rm.DataError, match="the ids of log are of other types"):
        rm.qrels_from_clicks({**LOG, "item": [1, 2, 1, 2, 2, 1, 2, 1]}, model)
