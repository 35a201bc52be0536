"""Real collections whose numbers were published by the tools that came with them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import rankmark as rm

SHARED_WITH_TREC_EVAL = re.compile(
    r"num_ret|num_rel|num_rel_ret|map|Rprec|recip_rank|ndcg|(P|recall|ndcg_cut|map_cut|success)_\d+"
)


def published(path: str) -> dict[str, dict[str, str]]:
    """trec_eval's output as {topic: {measure: printed value}}, of the measures that rankmark has."""
    values: dict[str, dict[str, str]] = defaultdict(dict)
    for line in Path(path).read_text().splitlines():
        name, topic, value = line.split()
        if SHARED_WITH_TREC_EVAL.fullmatch(name):
            values[topic][name] = value
    return values


def printed(name: str, value: float) -> str:
    return f"{value:.0f}" if name.startswith("num_") else f"{value:.4f}"


@pytest.mark.parametrize(
    ("output", "qrels", "run"),
    [
        ("out.test.a", "qrels.test", "results.test"),
        ("out.test.aq", "qrels.test", "results.test"),
        ("out.test.aq", "qrels.test.with-comments", "results.test"),
        ("out.test.aqc", "qrels.test", "results.trunc"),
    ],
)
def test_trec_eval_prints_the_same_digits(data_file, output, qrels, run):
    expected = published(data_file(f"trec_eval/{output}"))
    names = list(expected["all"])
    assert len(names) == 46
    measures = [rm.parse(name) for name in names]
    result = rm.evaluate(
        data_file(f"trec_eval/{qrels}"), data_file(f"trec_eval/{run}"), measures, missing="zero"
    )
    assert {name: printed(name, result[m]) for name, m in zip(names, measures, strict=True)} == expected.pop(
        "all"
    )
    topics = {str(row["query"]): row for row in result.per_query.to_dicts()}
    for topic, values in expected.items():
        assert {
            name: printed(name, topics[topic][str(m)]) for name, m in zip(names, measures, strict=True)
        } == values, topic


def test_trec_eval_knows_that_the_truncated_run_lacks_a_topic(data_file):
    files = data_file("trec_eval/qrels.test"), data_file("trec_eval/results.trunc")
    counts = rm.evaluate(*files, ["AP"]).counts
    assert (counts.judged, counts.answered, counts.missing, counts.unjudged) == (3, 2, 1, 0)
    over_two = rm.evaluate(*files, ["AP"], missing="skip")["AP"]
    assert over_two == pytest.approx(rm.evaluate(*files, ["AP"])["AP"] * 3 / 2, rel=1e-14)


def test_cacm_with_topics_that_nobody_judged(data_file):
    files = data_file("anserini_cacm/qrels.cacm.txt"), data_file("anserini_cacm/cacm-bm25.txt")
    result = rm.evaluate(*files, ["P_30", "map"])
    assert f"{result['P_30']:.4f}" == "0.1942"
    assert f"{result['map']:.4f}" == "0.2744"
    counts = result.counts
    assert (counts.judged, counts.answered, counts.missing, counts.unjudged) == (52, 52, 0, 12)


# --- fastrank: one feature at a time as the score, many ties, the worst order counts -----------------


def svmlight(path: str) -> Iterator[tuple[str, float, dict[str, float]]]:
    """Query, label and features of each line; a feature that is not there is 0."""
    for line in Path(path).read_text().splitlines():
        label, query, *features = line.split("#")[0].split()
        pairs = (feature.split(":") for feature in features)
        yield query.removeprefix("qid:"), float(label), defaultdict(float, {k: float(v) for k, v in pairs})


@pytest.mark.parametrize(
    ("feature", "expected"),
    [
        ("constant", 0.10882970494872854),
        ("para-fraction", 0.43942925167146063),
        ("caption_position", 0.3838323029697044),
        ("caption_count", 0.363671198812673),
        ("pagerank", 0.28879573536768505),
        ("caption_partial", 0.2119744912371782),
    ],
)
def test_fastrank_ndcg_under_the_worst_order_of_ties(data_file, feature, expected):
    rows = list(svmlight(data_file("fastrank/trec_news_2018.train")))
    names = json.loads(Path(data_file("fastrank/trec_news_2018.features.json")).read_text())
    key = {name: number for number, name in names.items()}.get(feature, "0")
    qrels = [(query, item, label) for item, (query, label, _) in enumerate(rows)]
    run = [(query, item, features[key]) for item, (query, _, features) in enumerate(rows)]
    result = rm.evaluate(qrels, run, ["nDCG(gain=exp2)@5"], ties="worst")
    assert result["nDCG(gain=exp2)@5"] == pytest.approx(expected, rel=0, abs=1e-15)
    assert result.counts.judged == 45
