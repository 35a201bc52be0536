from __future__ import annotations

import polars as pl
import pytest

import rankmark as rm
import rankmark.hooks.polars
from installed import beside
from processes import python

tool_version = beside("polars")
QRELS = pl.DataFrame({"query": ["p", "p", "q"], "item": ["a", "b", "c"], "relevance": [2, 1, 1]})
RUN = pl.DataFrame({"query": ["p", "p", "q"], "item": ["b", "x", "c"], "score": [0.9, 0.8, 0.1]})
CLICKS = pl.DataFrame({"click": [1, 0, 1, 0], "p": [0.8, 0.3, 0.6, 0.7], "user": ["u", "u", "v", "v"]})


@pytest.mark.parametrize("lazy", [False, True])
def test_a_frame_of_results_is_evaluated(lazy: bool) -> None:
    run, qrels = (RUN.lazy(), QRELS.lazy()) if lazy else (RUN, QRELS)
    found = run.rankmark.evaluate(qrels, ["nDCG@10", "RR"], intervals=True, missing="skip")  # type: ignore[attr-defined]
    expected = rm.evaluate(QRELS, RUN, ["nDCG@10", "RR"], intervals=True, missing="skip")
    assert found.to_dict() == expected.to_dict()
    assert found.signature("RR") == expected.signature("RR")


@pytest.mark.parametrize("lazy", [False, True])
def test_a_frame_of_labelled_scores_is_evaluated(lazy: bool) -> None:
    clicks = CLICKS.lazy() if lazy else CLICKS
    columns = {"label": "click", "score": "p", "query": "user"}
    found = clicks.rankmark.evaluate_predictions("AUC, GAUC", **columns)  # type: ignore[attr-defined]
    assert found.values == rm.evaluate_predictions(CLICKS, "AUC, GAUC", **columns).values


@pytest.mark.process
def test_importing_rankmark_gives_frames_no_namespace() -> None:
    script = """
import polars as pl, rankmark as rm
rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR")
print(hasattr(pl.DataFrame, "rankmark"))
import rankmark.hooks.polars  # noqa: F401 - which gives frames the namespace
print(hasattr(pl.DataFrame, "rankmark"), hasattr(pl.LazyFrame, "rankmark"))
"""
    assert python(script) == "False\nTrue True\n"
