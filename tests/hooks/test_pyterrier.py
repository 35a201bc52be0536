"""PyTerrier measures by ir_measures, of which rankmark is a provider; no Java runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import rankmark as rm
from installed import beside, peer

tool_version = beside("pyterrier", "python-terrier", "pyterrier")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

TOPICS = pd.DataFrame({"qid": ["1", "2", "3"], "query": ["one", "two", "three"]})
QRELS = pd.DataFrame({"qid": ["1", "1", "2", "3"], "docno": ["a", "b", "c", "d"], "label": [1, 2, 2, 1]})
RUN = pd.DataFrame(
    {
        "qid": ["1", "1", "1", "2", "2"],
        "query": ["one", "one", "one", "two", "two"],
        "docno": ["b", "x", "a", "x", "c"],
        "score": [3.0, 2.0, 2.0, 5.0, 1.0],
        "rank": [0, 1, 2, 0, 1],
    }
)


@pytest.fixture
def pt() -> Iterator[Any]:
    yield peer("pyterrier", "python-terrier")
    rm.hooks.ir_measures.unregister()


@pytest.fixture
def asked() -> list[Any]:
    ir_measures = peer("ir_measures", "ir_measures")
    return [ir_measures.nDCG @ 10, ir_measures.AP, ir_measures.RR(rel=2), ir_measures.Success @ 1, "P_5"]


@pytest.mark.parametrize("options", [{}, {"perquery": True}, {"batch_size": 1}])
def test_an_experiment_is_the_same_and_measured_by_rankmark(
    pt: Any, asked: list[Any], options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    systems = {"system": [pt.Transformer.from_df(RUN)], "names": ["bm25"]}
    if "batch_size" not in options:
        systems = {"system": [RUN, RUN.assign(score=[1.0, 2.0, 3.0, 1.0, 2.0])], "names": ["bm25", "dense"]}
    topics = TOPICS.head(2)  # a batch without an answer PyTerrier refuses
    expected = pt.Experiment(systems["system"], topics, QRELS, asked, names=systems["names"], **options)
    own = rm.hooks.ir_measures.register()
    evaluators: list[Any] = []
    made = type(own)._evaluator
    monkeypatch.setattr(type(own), "_evaluator", lambda *given: evaluators.append(given) or made(*given))
    found = pt.Experiment(systems["system"], topics, QRELS, asked, names=systems["names"], **options)
    assert evaluators
    order = [each for each in ("name", "qid", "measure") if each in found]
    both = [each.sort_values(order).reset_index(drop=True) for each in (found, expected)]
    pd.testing.assert_frame_equal(*both, rtol=0, atol=1e-12, check_like=True)


def test_evaluate_measures_by_rankmark(pt: Any, asked: list[Any]) -> None:
    expected = pt.Evaluate(RUN, QRELS, metrics=asked)
    rm.hooks.ir_measures.register()
    assert pt.Evaluate(RUN, QRELS, metrics=asked) == pytest.approx(expected, rel=0, abs=1e-12)
    assert not pt.java.started()
