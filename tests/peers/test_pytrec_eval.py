"""rankmark beside trec_eval's own code, on random data."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest

import rankmark as rm

QUERIES = 10_000
CUTOFFS = (1, 5, 10, 100)
RECALLS = [step / 10 for step in range(11)]
ALONE = (
    "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "map", "ndcg", "ndcg_rel", "Rndcg", "Rprec",
    "recip_rank", "bpref", "infAP", "G", "binG", "utility",
    "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
)  # fmt: skip
SHARED = {
    **{name: name for name in ALONE},
    **{
        f"{name}_{k}": f"{name}_{k}"
        for name in ("P", "relative_P", "recall", "map_cut", "ndcg_cut", "success")
        for k in CUTOFFS
    },
    **{f"Rprec_mult_{step / 5:.2f}": f"Rprec_mult_{step / 5:.2f}" for step in range(1, 11)},
    # Version 9, which pytrec_eval holds, rounds otherwise than 10.
    **{f"iprec_at_recall_{x:.2f}": f"IPrec(recall={x},rounding=up)" for x in RECALLS},
    "11pt_avg": "IPrec(rounding=up)",
}
"""trec_eval's names, and what they are here."""

Table = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def pytrec_eval() -> Any:
    try:
        import pytrec_eval
    except ImportError:
        reason = "NOT COMPARED with trec_eval: pip install pytrec_eval-terrier"
        warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
        pytest.skip(reason)
    return pytrec_eval


@pytest.fixture(scope="module")
def tables() -> tuple[Table, Table]:
    """Lists of 1 to 60 results, three in ten tied; one query in twenty unanswered, as many unjudged."""
    draw = random.Random(20)
    qrels: Table = {}
    run: Table = {}
    for number in range(QUERIES):
        items = [f"doc-{item}" for item in draw.sample(range(5000), draw.choice((1, 3, 10, 30, 60)))]
        if draw.random() < 0.95:
            judged = draw.sample(items, draw.randint(1, min(12, len(items))))
            missed = [f"missed-{i}" for i in range(draw.randint(0, 3))]
            qrels[f"q{number}"] = {item: draw.choice((-1, 0, 0, 1, 1, 2, 3)) for item in [*judged, *missed]}
        if draw.random() < 0.95:
            run[f"q{number}"] = {
                # Equal in 32 bits, not in 64: trec_eval up to 9 sees ties here too.
                item: 7.0 + draw.choice((0, 1e-9)) if draw.random() < 0.3 else draw.gauss(7, 3)
                for item in draw.sample(items, draw.randint(1, len(items)))
            }
    return qrels, run


def with_level(measure: rm.Measure, rel: float) -> rm.Measure:
    return measure(rel=rel) if "rel" in measure.arguments else measure


@pytest.mark.parametrize("rel", [1, 2])
def test_every_shared_measure_of_every_query(rel: Any, pytrec_eval: Any, tables: Any) -> None:
    qrels, run = tables
    families = {name.rsplit("_", 1)[0] if name[-1].isdigit() else name for name in SHARED}
    names = {f"{f}.{','.join(map(str, CUTOFFS))}" if f"{f}_1" in SHARED else f for f in families}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, names, relevance_level=rel).evaluate(run)

    measures = [with_level(rm.parse(name), rel) for name in SHARED.values()]
    result = rm.evaluate(qrels, run, measures, scores="float32", missing="skip")
    ours = result.per_query.drop_nulls()
    assert set(ours["query"]) == set(theirs) == qrels.keys() & run.keys()
    assert result.counts.missing == len(qrels.keys() - run.keys()) > 0
    assert result.counts.unjudged == len(run.keys() - qrels.keys()) > 0
    for name, measure in zip(SHARED, measures, strict=True):
        expected = [theirs[query][name] for query in ours["query"]]
        assert ours[measure.label].to_list() == pytest.approx(expected, rel=0, abs=1e-9), name
