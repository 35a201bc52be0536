"""Evaluations that are prepared once: what they give, and what they refuse."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest

import rankmark as rm
from rankmark.errors import ChoiceError, DataError, MeasureError
from rankmark.language.plan import planned
from small_tables import QRELS, RUN, as_dicts, as_tuples

MEASURES = ["nDCG@10", "AP", "P@2", "gm_map", "HitRatio@2", "RR(bound=upper)"]
TABLES = {
    "dicts": (as_dicts(QRELS), as_dicts(RUN)),
    "tuples": (as_tuples(QRELS), as_tuples(RUN)),
    "frames": (pl.DataFrame(QRELS), pl.DataFrame(RUN)),
    "read": (rm.read_qrels(pl.DataFrame(QRELS)), rm.read_run(pl.DataFrame(RUN))),
}


@pytest.mark.parametrize(
    "how", [{}, {"missing": "skip"}, {"like": "ranx"}, {"ties": "best", "no_relevant": "one"}]
)
@pytest.mark.parametrize("tables", TABLES)
def test_it_gives_what_evaluate_gives(tables: str, how: dict[str, Any]) -> None:
    measures = ["ndcg@10", "map"] if "like" in how else MEASURES
    prepared = rm.prepare(measures, **how)
    for _ in range(2):
        result = prepared(*TABLES[tables])
        expected = rm.evaluate(*TABLES[tables], measures, **how)
        assert result.values == expected.values
        assert result.counts == expected.counts
        assert str(result) == str(expected)
        assert [*map(result.signature, measures)] == [*map(expected.signature, measures)]
        assert result.per_query.equals(expected.per_query)


def test_columns_are_those_that_were_said() -> None:
    qrels = pl.DataFrame({"person": ["q"], "thing": ["a"]})
    run = pl.DataFrame({"person": ["q"], "thing": ["a"], "p": [0.5]})
    columns = {"query": "person", "item": "thing", "run.score": "p"}
    assert rm.prepare("RR", columns=columns)(qrels, run)["RR"] == 1


def test_judgements_that_were_sampled_say_so() -> None:
    qrels = rm.sample_candidates([("u", "a")], [("u", "b")], 1, items=["a", "b", "c"])
    run = {"u": {"b": 1.0, "c": 0.5}}
    signature = rm.prepare("RR")(qrels, run).signature("RR")
    assert signature == rm.evaluate(qrels, run, "RR").signature("RR")
    assert "sampled-1" in signature


def test_what_is_wrong_is_said_when_it_is_prepared() -> None:
    with pytest.raises(MeasureError, match="no measure 'nDGC'"):
        rm.prepare("nDGC@10")
    with pytest.raises(ChoiceError, match=re.escape("ties='first' is not one of")):
        rm.prepare("RR", ties="first")  # type: ignore[arg-type]
    with pytest.raises(ChoiceError, match="prepare has no argument 'tie'; did you mean 'ties'"):
        rm.prepare("RR", tie="best")  # type: ignore[call-arg]
    with pytest.raises(MeasureError, match="Novelty@10 looks at"):
        rm.prepare("Novelty@10")
    with pytest.raises(ChoiceError, match="threads=0"):
        rm.prepare("RR", threads=0)
    with pytest.raises(DataError, match="the score True is a bool"):
        rm.prepare("RR")({"q": {"a": 1}}, {"q": {"a": True}})


def test_a_plan_of_texts_is_made_once_for_each_choice() -> None:
    one = planned(["RR", "AP"], None, {"seed": 1})
    assert planned(["RR", "AP"], None, {"seed": 1, "ties": None}) is one
    assert planned(["RR", "AP"], None, {"seed": 2}).choices.seed == 2
    with pytest.raises(ChoiceError, match="seed=True"):
        planned(["RR", "AP"], None, {"seed": True})
