"""rankmark beside tools that compute what trec_eval does not, on random data."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import peer

Table = dict[str, dict[str, Any]]
GRADED = "gain=linear,max_grade=3"


@pytest.fixture(scope="module")
def tables() -> tuple[Table, Table]:
    """Lists of 1 to 60 results without ties; grades 0 to 3, some of them not retrieved."""
    draw = random.Random(3)
    qrels: Table = {}
    run: Table = {}
    for number in range(400):
        items = [f"d{item}" for item in draw.sample(range(1000), draw.choice((1, 3, 10, 30, 60)))]
        judged = draw.sample(items, draw.randint(1, min(12, len(items))))
        missed = [f"missed-{i}" for i in range(draw.randint(0, 3))]
        qrels[f"q{number}"] = {item: draw.choice((0, 0, 1, 1, 2, 3)) for item in [*judged, *missed]}
        found = draw.sample(items, draw.randint(1, len(items)))
        # Above 0: the tool for Compatibility takes items that were not retrieved to have score 0.
        run[f"q{number}"] = {item: 100.0 - rank for rank, item in enumerate(found)}
    return qrels, run


def values(tables: tuple[Table, Table], measure: str, **choices: Any) -> dict[str, float]:
    result = rm.evaluate(*tables, [measure], **choices)
    return dict(zip(result.query_ids, result.query_values(result.measures[0]), strict=True))


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("INST(max_rel=3)", f"INST({GRADED})"),
        ("INST(T=2.5,max_rel=3)", f"INST(T=2.5,{GRADED})"),
        ("INSQ(max_rel=3)", f"INSQ({GRADED})"),
        ("INSQ(T=2.5,max_rel=3)", f"INSQ(T=2.5,{GRADED})"),
        ("BPM(max_rel=3)@10", f"BPM({GRADED})@10"),
        ("BPM(T=1.7,max_rel=3)@5", f"BPM(T=1.7,{GRADED})@5"),
        ("SDCG(max_rel=3)@10", f"SDCG({GRADED})@10"),
        ("NERR8(max_rel=3)@10", f"NERR8({GRADED})@10"),
        ("NERR9(max_rel=3)@10", f"NERR9({GRADED})@10"),
        ("NERR10(p=0.8,max_rel=3)", f"NERR10(p=0.8,{GRADED})"),
        ("NERR11(T=2.0,max_rel=3)", f"NERR11(T=2,{GRADED})"),
        ("RBP(rel=1)", "RBP"),
        ("RBP(p=0.95,rel=2)", "RBP(p=0.95,rel=2)"),
        ("Compat(p=0.95)", "Compat"),
        ("Compat(p=0.8,normalize=False)", "Compat(p=0.8,denominator=one)"),
        ("Judged@10", "Judged@10"),
    ],
)
def test_ir_measures_and_its_providers(tables: Any, theirs: Any, ours: Any) -> None:
    ir_measures = peer("ir_measures", "ir_measures")
    peer("cwl", "cwl-eval")
    measure = ir_measures.parse_measure(theirs)
    expected = {found.query_id: found.value for found in ir_measures.iter_calc([measure], *tables)}
    assert values(tables, ours) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_ir_measures_accuracy_is_the_auc_of_the_list(tables: Any) -> None:
    """Where the list has items of both kinds; it fails on others."""
    ir_measures = peer("ir_measures", "ir_measures")
    qrels, run = tables
    hits, sizes = (values(tables, name) for name in ("NumRelRet", "NumRet"))
    both = [query for query in qrels if 0 < hits[query] < sizes[query]]
    chosen = {q: qrels[q] for q in both}, {q: run[q] for q in both}
    found = ir_measures.iter_calc([ir_measures.parse_measure("Accuracy")], *chosen)
    expected = {each.query_id: each.value for each in found}
    assert values(chosen, "ListAUC(items=retrieved)") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("tied", [False, True], ids=["no ties", "ties"])
def test_scikit_learn_on_labelled_lists(tied: Any) -> None:
    metrics = peer("sklearn.metrics", "scikit-learn")
    draw = np.random.default_rng(1)
    for _ in range(200):
        size = draw.integers(2, 30)
        truth, scores = draw.integers(0, 2, size), draw.permutation(size) // (4 if tied else 1)
        if not 0 < truth.sum() < size:
            continue
        rows = [("q", item, float(label)) for item, label in enumerate(truth.tolist())]
        run = [("q", item, float(score)) for item, score in enumerate(scores.tolist())]
        expected = rm.evaluate(rows, run, ["ListAUC", "OPA", "AP"], ties="expected")
        worst = rm.evaluate(rows, run, ["RankingLoss", "MaxRank"], ties="worst")
        assert expected["ListAUC"] == pytest.approx(metrics.roc_auc_score(truth, scores), rel=1e-12)
        assert expected["OPA"] == pytest.approx(expected["ListAUC"], rel=1e-12)
        assert worst["RankingLoss"] == pytest.approx(metrics.label_ranking_loss([truth], [scores]))
        assert worst["MaxRank"] == metrics.coverage_error([truth], [scores])
        if not tied:
            lrap = metrics.label_ranking_average_precision_score([truth], [scores])
            assert expected["AP"] == pytest.approx(lrap, rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("name", ["PartialAUC", "PAP", "NDCG"])
@pytest.mark.filterwarnings("ignore:Downcasting object dtype:FutureWarning")
def test_rectools_which_has_no_grades(tables: Any, name: str, k: Any) -> None:
    metrics = peer("rectools.metrics", "rectools")
    pandas = pytest.importorskip("pandas")
    qrels = {query: dict.fromkeys(grades, 1) for query, grades in tables[0].items()}
    truth = [(query, item) for query, items in qrels.items() for item in items]
    ranked = [
        (query, item, rank) for query, items in tables[1].items() for rank, item in enumerate(items, start=1)
    ]
    expected = getattr(metrics, name)(k=k).calc_per_user(
        pandas.DataFrame(ranked, columns=["user_id", "item_id", "rank"]),
        pandas.DataFrame(truth, columns=["user_id", "item_id"]),
    )
    ours = values((qrels, tables[1]), f"SDCG@{k}" if name == "NDCG" else f"{name}@{k}")
    assert ours == pytest.approx(expected.to_dict(), rel=1e-12)


def test_ranx_has_the_same_values_under_its_names(tables: Any) -> None:
    """Its RBP has the grades as gains and its patience after a dot."""
    ranx = peer("ranx", "ranx")
    qrels = {
        query: {i: g for i, g in grades.items() if g} or {"none": 1} for query, grades in tables[0].items()
    }
    names = ["hit_rate@5", "precision@5", "recall@5", "f1@5", "r-precision", "mrr@10", "map@10", "ndcg@10"]
    names += ["ndcg_burges@10", "map@10-l2", "hit_rate@5-l2"]
    ours = {name: name for name in names} | {
        "hits": "HR(hits=count)",
        "rbp.95": "RBP(gain=linear,max_grade=none,p=0.95)",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the compiler of its own code
        theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(tables[1]), list(ours))
    result = rm.evaluate(qrels, tables[1], list(ours.values()))
    for name, measure in ours.items():
        assert result[measure] == pytest.approx(theirs[name], rel=1e-9), name
