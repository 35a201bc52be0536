"""Real collections whose numbers were published by the tools that came with them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

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
def test_trec_eval_prints_the_same_digits(
    data_file: Callable[[str], str], output: Any, qrels: Any, run: Any
) -> None:
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


def test_trec_eval_knows_that_the_truncated_run_lacks_a_topic(data_file: Callable[[str], str]) -> None:
    files = data_file("trec_eval/qrels.test"), data_file("trec_eval/results.trunc")
    counts = rm.evaluate(*files, ["AP"]).counts
    assert (counts.judged, counts.answered, counts.missing, counts.unjudged) == (3, 2, 1, 0)
    over_two = rm.evaluate(*files, ["AP"], missing="skip")["AP"]
    assert over_two == pytest.approx(rm.evaluate(*files, ["AP"])["AP"] * 3 / 2, rel=1e-14)


def test_cacm_with_topics_that_nobody_judged(data_file: Callable[[str], str]) -> None:
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
def test_fastrank_ndcg_under_the_worst_order_of_ties(
    data_file: Callable[[str], str], feature: Any, expected: Any
) -> None:
    rows = list(svmlight(data_file("fastrank/trec_news_2018.train")))
    names = json.loads(Path(data_file("fastrank/trec_news_2018.features.json")).read_text())
    key = {name: number for number, name in names.items()}.get(feature, "0")
    qrels = [(query, item, label) for item, (query, label, _) in enumerate(rows)]
    run = [(query, item, features[key]) for item, (query, _, features) in enumerate(rows)]
    result = rm.evaluate(qrels, run, ["nDCG(gain=exp2)@5"], ties="worst")
    assert result["nDCG(gain=exp2)@5"] == pytest.approx(expected, rel=0, abs=1e-15)
    assert result.counts.judged == 45


# --- ir_measures: what its providers give for small collections ----------------------------------------


def per_query(result: rm.results.ListResult) -> dict[str, float]:
    """The values of the only measure by query."""
    return dict(zip(result.query_ids, result.query_values(result.measures[0]), strict=True))


def as_rankmark_writes(measure: str) -> str:
    """ir_measures scales gains by max_rel, which is 1 in these data, and rankmark counts relevant items."""
    return re.sub(r",? ?max_rel=1", "", measure).replace("()", "")


def test_cwl_eval_gives_the_same_expected_utilities(data_file: Callable[[str], str]) -> None:
    published = json.loads(Path(data_file("ir_measures/expected_cwl.json")).read_text())
    files = data_file("ir_measures/cwl.qrels"), data_file("ir_measures/cwl.run")
    assert len(published["expected"]) == 18
    for measure, values in published["expected"]:
        ours = per_query(rm.evaluate(*files, [as_rankmark_writes(measure)]))
        assert ours == pytest.approx(values, rel=0, abs=published["tolerance"]), measure


def test_cwl_evals_utilities_depths_and_rates_hang_together(data_file: Callable[[str], str]) -> None:
    """EU = ETU / ED; with gains from 0 to 1 as its own file gives them."""
    gains = [line.split() for line in Path(data_file("cwl_eval/gain_file")).read_text().splitlines()]
    run = [line.split() for line in Path(data_file("cwl_eval/result_file")).read_text().splitlines()]
    qrels = [(query, item, float(gain)) for query, _, item, gain in gains]
    results = [(query, item, float(score)) for query, _, item, _, score, _ in run]
    for name in ("INST", "INSQ", "BPM(T=1.2)@10", "SDCG@10", "NERR8@10", "NERR10", "RBP"):
        parts = [rm.parse(name)(gain="linear", value=value) for value in ("EU", "ETU", "ED")]
        result = rm.evaluate(qrels, results, parts)
        rate, total, depth = (result.query_values(part) for part in parts)
        assert rate == pytest.approx(total / depth, rel=1e-14), name


def test_gdeval_gives_the_same_ndcg_and_err(data_file: Callable[[str], str], tmp_path: Path) -> None:
    published = json.loads(Path(data_file("ir_measures/expected_values.json")).read_text())
    for group, parameters in (("gdeval.test_nDCG", {"gain": "exp2"}), ("gdeval.test_ERR", {})):
        (tmp_path / "qrels").write_text(published[group]["qrels"].strip() + "\n")
        (tmp_path / "run").write_text(published[group]["run"].strip() + "\n")
        for name, where, value in published[group]["expected"]:
            measure = rm.parse(name.removeprefix("ir_measures."))(**parameters)
            result = rm.evaluate(tmp_path / "qrels", tmp_path / "run", [measure])
            ours = {f"query {query}": value for query, value in per_query(result).items()}
            ours["aggregate"] = result[measure]
            assert ours[where] == pytest.approx(float(value), rel=0, abs=1e-5), (name, where)


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        (0.95, {"31_1": 0.51779512165509, "31_2": 0.018400100569017922}),
        (0.9, {"31_1": 0.3761334522946854, "31_2": 0.004344079941789211}),
        (0.8, {"31_1": 0.16723008845234535, "31_2": 0.00022806427320561776}),
    ],
)
def test_compatibility_as_its_authors_tool_has_it(
    data_file: Callable[[str], str], p: Any, expected: Any
) -> None:
    files = data_file("ir_measures/compat.qrels"), data_file("ir_measures/compat.run")
    ours = per_query(rm.evaluate(*files, [f"Compat(p={p})"]))
    assert ours == pytest.approx(expected, rel=0, abs=1e-12)


# --- NTCIREVAL: eleven judged documents in four grades, four retrieved ------------------------------------


@pytest.mark.parametrize(
    ("output", "gain", "cutoff", "unjudged"),
    [
        ("res_test_compute.txt", "linear", 1000, "nonrelevant"),
        ("res_test_compute_cutoff.txt", "linear", 2, "nonrelevant"),
        ("res_test_compute_grade.txt", "{1:1,2:4,3:9}", 1000, "nonrelevant"),
        ("res_test_compute_label_j.txt", "linear", 1000, "ignore"),
    ],
)
def test_ntcireval_prints_the_same_digits(
    data_file: Callable[[str], str], output: Any, gain: Any, cutoff: Any, unjudged: Any
) -> None:
    k = f"@{cutoff:04}"
    names = {
        "RR": "RR",
        "O-measure": f"O-measure(gain={gain})",
        "P-measure": f"P-measure(gain={gain})",
        "P-plus": f"P-plus(gain={gain})",
        "AP": "AP",
        "Q-measure": f"Q-measure(gain={gain})",
        "NCUgu,P": f"NCUguP(gain={gain})",
        "NCUgu,BR": f"NCUguBR(gain={gain})",
        "NCUrb,P": f"NCUrbP(gain={gain})",
        "NCUrb,BR": f"NCUrbBR(gain={gain})",
        "RBP": f"RBP(p=0.95,gain={gain},max_grade=3)",
        "ERR": f"ERR(gain={gain},max_grade=3)",
        f"AP{k}": f"AP(denominator=min)@{cutoff}",
        f"Q{k}": f"Q(gain={gain})@{cutoff}",
        f"nDCG{k}": f"nDCG(gain={gain},discount=log2max)@{cutoff}",
        f"MSnDCG{k}": f"MSnDCG(gain={gain})@{cutoff}",
        f"P{k}": f"P@{cutoff}",
        f"nERR{k}": f"nERR(gain={gain},max_grade=3)@{cutoff}",
        f"Hit{k}": f"Hit@{cutoff}",
    }
    lines = Path(data_file(f"pyntcireval/{output}")).read_text().splitlines()
    printed = dict(line.split("=") for line in lines if "=" in line and "#" not in line)
    expected = {name.strip(): float(value) for name, value in printed.items()}
    assert expected.keys() == names.keys()

    judged = Path(data_file("pyntcireval/sample.rel")).read_text().split()
    qrels = {"q": {item: int(label[1:]) for item, label in zip(judged[::2], judged[1::2], strict=True)}}
    run = {"q": Path(data_file("pyntcireval/sample.res")).read_text().split()}
    result = rm.evaluate(qrels, run, list(names.values()), unjudged=unjudged)
    ours = {name: result[measure] for name, measure in names.items()}
    assert ours == pytest.approx(expected, rel=0, abs=5.001e-5)  # four digits, halves to even
