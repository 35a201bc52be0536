"""nAUC of abstention: by hand, and as MTEB prints it."""

from __future__ import annotations

import dataclasses
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from installed import peer
from rankmark.cli import main
from rankmark.statistics import CONFIDENCES, abstention_nauc

draw = random.Random(2)
QRELS = {f"q{i}": {f"d{draw.randrange(8)}": 1 for _ in range(3)} for i in range(35)}
RUN = {
    query: {f"d{i}": round(draw.random() + 0.4 * (f"d{i}" in items) * draw.random(), 1) for i in range(8)}
    for query, items in QRELS.items()
}


def test_areas_by_hand() -> None:
    # Means of those kept of 0, ½, ½, 1 at rates 0 and ½: ½, then ¾ by an oracle, ¼ by its opposite.
    values, rates = [0.0, 0.5, 0.5, 1.0], [0.0, 0.5]
    assert abstention_nauc([1, 2, 3, 4], values, rates) == 1
    assert abstention_nauc([4, 3, 2, 1], values, rates) == -1
    assert abstention_nauc([1, 1, 1, 1], values, rates) == 0
    assert math.isnan(abstention_nauc([1, 2], [0.3, 0.3]))
    assert [CONFIDENCES[name](np.array([1.0, 4.0, 2.0])) for name in ("max", "diff1")] == [4, 2]
    assert [each(np.array([])) for each in CONFIDENCES.values()] == [0, 0, 0]


def test_it_is_what_mteb_prints() -> None:
    mteb: Any = peer("mteb._evaluators.retrieval_metrics", "mteb")
    measures = {"nDCG@10": "NDCG@10", "R@3": "Recall@3", "P@3": "P@3", "AP@10": "MAP@10"}
    result = rm.evaluate(QRELS, RUN, [*measures])
    order = [result.query_ids.index(query) for query in RUN]  # type: ignore[arg-type] # texts
    values = {name: result.query_values(ours)[order].tolist() for ours, name in measures.items()}
    want = mteb.evaluate_abstention(RUN, values)
    found = rm.evaluate_abstention(QRELS, RUN, [*measures])
    for ours, name in measures.items():
        for confidence in CONFIDENCES:
            assert found[ours, confidence] == pytest.approx(want[f"nAUC_{name}_{confidence}"], abs=1e-12)


def test_intervals_hold_the_value_and_signatures_say_what_it_is() -> None:
    found = rm.evaluate_abstention(QRELS | {"x": {"a": 1}}, RUN, "RR", intervals=True, resamples=50)
    for each in found.values:
        assert each.low <= each.nauc <= each.high
        assert each.signature.startswith(f"nAUC|confidence:{each.confidence}|RR|")
    assert found.notes == ("1 query without a list (left out)",)


def test_clusters_are_drawn_as_wholes() -> None:
    qrels, run = ({f"{q}{copy}": own for q, own in each.items() for copy in "ab"} for each in (QRELS, RUN))
    one, twice, apart = (
        rm.evaluate_abstention(*tables, "RR", intervals=True, resamples=100, clusters=clusters).values[0]
        for tables, clusters in (
            ((QRELS, RUN), None),
            ((qrels, run), {query: query[:-1] for query in qrels}),
            ((qrels, run), None),
        )
    )
    assert twice.high - twice.low == pytest.approx(one.high - one.low, rel=0.25)
    assert apart.high - apart.low < 0.9 * (twice.high - twice.low)


def test_a_column_of_attributes_clusters_queries() -> None:
    topics = {query: str(number // 2) for number, query in enumerate(QRELS)}
    table = pl.DataFrame({"query": [*topics], "topic": [*topics.values()]})
    asked: dict[str, Any] = {"intervals": True, "resamples": 20}
    by_column = rm.evaluate_abstention(QRELS, RUN, "RR", clusters="topic", attributes=table, **asked)
    assert by_column.values == rm.evaluate_abstention(QRELS, RUN, "RR", clusters=topics, **asked).values


def test_confidences_can_stand_in_one_text_and_what_rounds_to_0_has_no_minus() -> None:
    found = rm.evaluate_abstention(QRELS, RUN, "RR", confidences="max, diff1")
    assert [each.confidence for each in found.values] == ["max", "diff1"]
    with pytest.raises(rm.ChoiceError, match="confidences='mex'"):
        rm.evaluate_abstention(QRELS, RUN, "RR", confidences="mex")
    with pytest.raises(rm.UsageError, match="names none; they are max, std, diff1"):
        rm.evaluate_abstention(QRELS, RUN, "RR", confidences=",")
    nearly = dataclasses.replace(found, values=(dataclasses.replace(found.values[0], nauc=-1e-9),))
    assert " 0.0000" in str(nearly)
    assert "-0.0000" not in str(nearly)


def test_the_seed_is_that_of_ties_too() -> None:
    found = rm.evaluate_abstention(QRELS, RUN, "RR", ties="random", seed=3)
    assert "|ties:random(seed=3)|" in found.values[0].signature


def test_what_has_no_area_is_refused() -> None:
    with pytest.raises(rm.MeasureError, match="of which more is better"):
        rm.evaluate_abstention(QRELS, RUN, "MaxRank")
    with pytest.raises(rm.ColumnError, match="has no scores"):
        rm.evaluate_abstention(QRELS, {"q1": ["d1"]}, "RR")
    with pytest.raises(rm.DataError, match="2 confidences, and 1 values"):
        abstention_nauc([1, 2], [1])


def test_the_command_takes_confidences(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    qrels, run = tmp_path / "qrels.csv", tmp_path / "run.csv"
    qrels.write_text("query,item,relevance\np,a,1\nq,a,1\n")
    run.write_text("query,item,score\np,a,.9\np,b,.2\nq,b,.6\nq,a,.5\n")
    assert main(["abstention", str(qrels), str(run), "-m", "RR", "--confidences", "max,diff1"]) == 0
    assert [line.split()[1] for line in capfd.readouterr().out.splitlines()[2:4]] == ["max", "diff1"]
    assert main(["abstention", str(qrels), str(run), "--confidences", "mex"]) == 2
    assert "max" in capfd.readouterr().err
