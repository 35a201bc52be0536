"""Each convention beside its tool, on random data. What cannot be installed is in tests/language."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import peer

pytestmark = [
    pytest.mark.peer,
    pytest.mark.filterwarnings("ignore"),  # the tools' own affair
    pytest.mark.filterwarnings("default:NOT COMPARED"),
]

Table = dict[str, dict[str, Any]]
EXACT = 1e-12
FLOAT32 = 1e-6
FIVE_DIGITS = 5.001e-6
KS = (1, 3, 10)


def tables(
    *, ties: bool = False, positive: bool = False, complete: bool = False, seed: int = 1
) -> tuple[Table, Table]:
    """Lists of 1 to 15 results, some items not judged and some judged not retrieved.

    Unless `complete`, one query in twenty is not judged, and as many have no results; grades are 0 to 3, or
    1 to 3 if `positive`, and in some lists all of them are 0.
    """
    draw = random.Random(seed)
    qrels: Table = {}
    run: Table = {}
    for number in range(100):
        items = [f"d{item:03}" for item in draw.sample(range(300), draw.choice((1, 3, 10, 15)))]
        grades = (1, 2, 3) if positive else (0,) if draw.random() < 0.1 else (0, 0, 1, 2, 3)
        judged = draw.sample(items, draw.randint(1, len(items)))
        missed = [f"m{place}" for place in range(draw.randint(0, 2))]
        found = draw.sample(items, draw.randint(1, len(items)))
        if complete or draw.random() < 0.95:
            qrels[f"q{number:02}"] = {item: draw.choice(grades) for item in [*judged, *missed]}
        if complete or draw.random() < 0.95:
            scores = (lambda: draw.choice((1.0, 2.0, 3.0))) if ties else lambda: draw.gauss(5, 1)
            run[f"q{number:02}"] = {item: scores() for item in found}
    return qrels, run


class Candidates:
    """Lists in which every item is judged and scored, as tools for learning to rank have them."""

    def __init__(
        self,
        *,
        ties: bool,
        grades: tuple[float, ...] = (0, 0, 1, 2, 3),
        shortest: int = 1,
        longest: int = 15,
    ) -> None:
        draw = random.Random(7)
        self.qrels: Table = {}
        self.run: Table = {}
        for number in range(80):
            items = [
                f"d{item:03}" for item in draw.sample(range(300), draw.choice((shortest, 3, 10, longest)))
            ]
            some = (0,) if draw.random() < 0.1 else grades
            self.qrels[f"q{number:02}"] = {item: draw.choice(some) for item in items}
            self.run[f"q{number:02}"] = {
                item: draw.choice((1.0, 2.0, 3.0)) if ties else draw.gauss(0, 1) for item in items
            }
        self.lists = [
            (np.array([self.qrels[query][item] for item in scores], float), np.array(list(scores.values())))
            for query, scores in self.run.items()
        ]
        self.labels = np.concatenate([labels for labels, _ in self.lists])
        self.scores = np.concatenate([scores for _, scores in self.lists])
        self.sizes = [len(labels) for labels, _ in self.lists]
        self.groups = np.repeat(np.arange(len(self.sizes)), self.sizes)


def agree(like: str, theirs: Mapping[str, float], qrels: Table, run: Table, tolerance: float = EXACT) -> None:
    """Each value under the tool's own name is what the convention gives."""
    for name, value in theirs.items():
        ours = rm.evaluate(qrels, run, [name], like=like)[name]
        assert ours == pytest.approx(value, rel=0, abs=tolerance), name


def best_first(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda item: -scores[item])


def frame(table: Table, value: str, **names: str) -> Any:
    import pandas as pd

    columns = [names.get("query", "query_id"), names.get("item", "item_id"), value]
    rows = [(query, item, number) for query, items in table.items() for item, number in items.items()]
    return pd.DataFrame(rows, columns=columns)


def test_pytrec_eval() -> None:
    pytrec_eval = peer("pytrec_eval", "pytrec_eval-terrier")
    qrels, run = tables(ties=True)
    names = ("map", "ndcg", "Rprec", "recip_rank", "bpref", "infAP", "11pt_avg", "set_F", "ndcg_rel", "G")
    cuts = ("P", "recall", "map_cut", "ndcg_cut", "success", "relative_P")
    families = {f"{name}.{','.join(map(str, KS))}" for name in cuts}
    found = pytrec_eval.RelevanceEvaluator(qrels, {*names, *families}).evaluate(run)
    asked = [*names, *(f"{name}_{k}" for name in cuts for k in KS)]
    theirs = {name: np.mean([values[name] for values in found.values()]) for name in asked}
    agree("trec_eval-9", theirs, qrels, run)
    agree("pytrec_eval", theirs, qrels, run)


def test_ranx() -> None:
    ranx = peer("ranx", "ranx")
    qrels, run = tables()
    names = ["hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "ndcg", "ndcg_burges", "dcg"]
    asked = [*names, *(f"{name}@{k}" for name in names for k in KS), "r-precision", "rbp.95"]
    asked += ["map@10-l2", "recall-l2", "dcg_burges@3"]
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), asked, make_comparable=True)
    agree("ranx", theirs, qrels, run)
    # Without items of either kind its bpref is NaN.
    some = [q for q in qrels if q in run and 0 in qrels[q].values() and any(qrels[q].values())]
    qrels, run = ({query: table[query] for query in some} for table in (qrels, run))
    theirs = {"bpref": ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "bpref")}
    agree("ranx", theirs, qrels, run)


def test_ir_measures() -> None:
    ir_measures = peer("ir_measures", "ir_measures")
    qrels, run = tables(ties=True)
    names = [
        "nDCG",
        "AP",
        "RR",
        "Rprec",
        "Bpref",
        "infAP",
        "SetP",
        "SetR",
        "SetF",
        "SetAP",
        "NumRet",
        "NumRel",
    ]
    names += [f"{name}@{k}" for name in ("nDCG", "AP", "P", "R", "RR", "Success", "Judged") for k in KS]
    names += ["IPrec@0.3", "AP(rel=2)@10", "P(rel=2)@3"]
    measures = {name: ir_measures.parse_measure(name) for name in names}
    found = ir_measures.calc_aggregate(measures.values(), qrels, run)
    agree("ir_measures", {name: found[measure] for name, measure in measures.items()}, qrels, run)


@pytest.mark.parametrize("ties", [False, True])
def test_sklearn(ties: Any) -> None:
    metrics = peer("sklearn.metrics", "scikit-learn")
    data = Candidates(ties=ties, shortest=3)  # its matrices need two columns
    for k in (*KS, None):
        for name in ("ndcg_score", "dcg_score"):
            value = np.mean([getattr(metrics, name)([each[0]], [each[1]], k=k) for each in data.lists])
            agree("sklearn", {name if k is None else f"{name}@{k}": value}, data.qrels, data.run)
    data = Candidates(ties=ties, shortest=3, grades=(0, 1))
    mixed = [each for each in data.lists if 0 < each[0].sum() < len(each[0])]
    theirs = {"roc_auc_score": np.mean([metrics.roc_auc_score(*each) for each in mixed])}
    rankings = ["label_ranking_loss", "coverage_error"]
    if not ties:
        precision = [metrics.average_precision_score(*each) if each[0].any() else 0.0 for each in data.lists]
        theirs["average_precision_score"] = np.mean(precision)
        rankings.append("label_ranking_average_precision_score")
    for name in rankings:
        theirs[name] = np.mean([getattr(metrics, name)([each[0]], [each[1]]) for each in data.lists])
    agree("sklearn", theirs, data.qrels, data.run)


@pytest.mark.parametrize("k", KS)
def test_rectools(k: Any) -> None:
    metrics = peer("rectools.metrics", "rectools")
    for complete in (False, True):
        qrels, run = tables(positive=True, complete=complete)
        interactions = frame(qrels, "weight", query="user_id")
        reco = frame(
            {q: {i: r for r, i in enumerate(best_first(s), 1)} for q, s in run.items()},
            "rank",
            query="user_id",
        )
        asked = {
            f"NDCG@{k}": metrics.NDCG(k),
            f"NDCG(divide_by_achievable=True)@{k}": metrics.NDCG(k, divide_by_achievable=True),
            f"MAP@{k}": metrics.MAP(k),
            f"MAP(divide_by_k=True)@{k}": metrics.MAP(k, divide_by_k=True),
            f"MRR@{k}": metrics.MRR(k),
            f"Precision@{k}": metrics.Precision(k),
            f"Precision(r_precision=True)@{k}": metrics.Precision(k, r_precision=True),
            f"Recall@{k}": metrics.Recall(k),
            f"HitRate@{k}": metrics.HitRate(k),
            f"F1Beta@{k}": metrics.F1Beta(k),
            f"F1Beta(beta=2)@{k}": metrics.F1Beta(k, beta=2),
        }
        agree("rectools", metrics.calc_metrics(asked, reco=reco, interactions=interactions), qrels, run)


@pytest.mark.parametrize("ties", [False, True])
def test_lightgbm(ties: Any) -> None:
    lightgbm = peer("lightgbm", "lightgbm")
    data = Candidates(ties=ties)
    nothing = np.zeros(
        (len(data.labels), 1)
    )  # no features: what is given as the initial score is what is ranked
    given = lightgbm.Dataset(nothing, label=data.labels, group=data.sizes, init_score=data.scores)
    parameters = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": [1, 3, 5, 20],
        "verbose": -1,
    }
    found: dict[str, dict[str, list[float]]] = {}
    recorded = [lightgbm.record_evaluation(found)]
    lightgbm.train({**parameters, "num_threads": 1}, given, 1, valid_sets=[given], callbacks=recorded)
    agree("lightgbm", {n: v[0] for n, v in found["training"].items()}, data.qrels, data.run)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("names", "grades"),
    [
        (["ndcg", "ndcg@3", "ndcg@5", "ndcg@50", "ndcg-", "ndcg@5-"], (0, 0, 1, 2, 3)),
        (["map", "map@3", "map@5-", "map-", "map@50", "pre", "pre@3", "pre@5", "pre-", "pre@5-"], (0, 1)),
    ],
)
@pytest.mark.parametrize("longest", [15, 60])
def test_xgboost(names: Any, grades: Any, ties: Any, longest: Any) -> None:
    xgboost = peer("xgboost", "xgboost")
    data = Candidates(ties=ties, grades=grades, longest=longest)
    matrix = xgboost.DMatrix(np.zeros((len(data.labels), 1)), label=data.labels, base_margin=data.scores)
    matrix.set_group(data.sizes)
    for name in names:
        booster = xgboost.train({"objective": "rank:ndcg", "eval_metric": name, "nthread": 1}, matrix, 0)
        value = float(booster.eval(matrix).rsplit(":", 1)[1])
        agree("xgboost", {name: value}, data.qrels, data.run, FLOAT32)


@pytest.mark.parametrize("ties", [False, True])
def test_catboost(ties: Any) -> None:
    utils = peer("catboost.utils", "catboost")
    names = ["NDCG", "NDCG:type=Exp", "DCG", "DCG:type=Exp", "MAP", "MRR"]
    names += [
        f"{name}:top={k}" for name in ("NDCG", "DCG", "MAP", "MRR", "PrecisionAt", "RecallAt") for k in KS
    ]
    names += [f"{name}:top={k};type=Exp" for name in ("NDCG", "DCG") for k in KS]
    names += ["PrecisionAt", "RecallAt", "NDCG:top=3;type=Base", "NDCG:type=Exp;top=3", "NDCG:top=-1"]

    def found(name: str, data: Candidates) -> float:
        return utils.eval_metric(data.labels, data.scores, name, group_id=data.groups, thread_count=1)[0]

    data = Candidates(ties=ties)
    agree("catboost", {name: found(name, data) for name in names}, data.qrels, data.run)
    data = Candidates(ties=ties, grades=(0, 0.25, 0.5, 1))
    agree(
        "catboost",
        {name: found(name, data) for name in ("ERR", "ERR:top=3", "PFound", "PFound:top=3;decay=0.5")},
        data.qrels,
        data.run,
        FLOAT32,
    )
    data = Candidates(ties=ties, grades=(0, 1))
    agree("catboost", {"QueryAUC": found("QueryAUC", data)}, data.qrels, data.run)


def probabilities(seed: int = 3) -> tuple[Any, Any, Any]:
    """Labels, logits without ties, and the probabilities that these are."""
    draw = np.random.default_rng(seed)
    logits = draw.normal(size=300)
    return (draw.random(300) < 0.3).astype(float), logits, 1 / (1 + np.exp(-logits))


def test_xgboost_on_rows_and_classes() -> None:
    xgboost = peer("xgboost", "xgboost")

    def found(name: str, labels: Any, margin: Any, **given: Any) -> float:
        matrix = xgboost.DMatrix(np.zeros((len(labels), 1)), label=labels, base_margin=margin)
        booster = xgboost.train({"eval_metric": name, "nthread": 1, **given}, matrix, 0)
        return float(booster.eval(matrix).rsplit(":", 1)[1])

    labels, logits, chances = probabilities()
    for name in ("auc", "logloss", "error", "error@0.3", "rmse", "mae"):
        ours = rm.evaluate_predictions({"label": labels, "score": chances}, name, like="xgboost")[name]
        theirs = found(name, labels, logits, objective="binary:logistic")
        assert ours == pytest.approx(theirs, rel=0, abs=FLOAT32), name
    scores = np.random.default_rng(4).normal(size=(300, 3))
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    for name in ("merror", "mlogloss", "auc"):
        table = {"label": (ROWS % 3), "score": list(shares)}
        ours = rm.evaluate_predictions(table, name, like="xgboost")[name]
        theirs = found(name, ROWS % 3, scores, objective="multi:softprob", num_class=3)
        assert ours == pytest.approx(theirs, rel=0, abs=FLOAT32), name


ROWS = np.arange(300)


def test_catboost_on_rows() -> None:
    utils = peer("catboost.utils", "catboost")
    labels, logits, chances = probabilities()
    of_decisions = (
        "Accuracy",
        "ZeroOneLoss",
        "BalancedAccuracy",
        "Precision",
        "Recall",
        "F1",
        "MCC",
        "Kappa",
    )
    for name in ("AUC", "NormalizedGini", "Logloss", "BrierScore", "PRAUC", *of_decisions):
        ours = rm.evaluate_predictions({"label": labels, "score": chances}, name, like="catboost")[name]
        (theirs,) = utils.eval_metric(labels, logits, name, thread_count=1)
        assert ours == pytest.approx(theirs, rel=0, abs=FLOAT32), name
    for name in ("RMSE", "MAE", "MAPE", "R2"):
        ours = rm.evaluate_predictions({"label": labels + 1, "score": logits}, name, like="catboost")[name]
        (theirs,) = utils.eval_metric(labels + 1, logits, name, thread_count=1)
        assert ours == pytest.approx(theirs, rel=1e-6), name


def test_lenskit() -> None:
    metrics = peer("lenskit.metrics.ranking", "lenskit")
    data = peer("lenskit.data", "lenskit")
    qrels, run = tables(positive=True)
    run |= {query: {} for query in qrels if query not in run}
    of_names = {
        "NDCG": metrics.NDCG,
        "DCG": metrics.DCG,
        "Recall": metrics.Recall,
        "RecipRank": metrics.RecipRank,
        "Hit": metrics.Hit,
        "AP": metrics.AveragePrecision,
        "RBP": metrics.RBP,
        "Precision": metrics.Precision,
    }
    theirs = {}
    for name, metric in of_names.items():
        for k in (None, *KS):
            values = []
            for query, grades in qrels.items():
                truth = data.ItemList(list(grades), rating=list(grades.values()))
                found = data.ItemList(best_first(run[query]), ordered=True)
                values.append(metric(k).measure_list(found, truth))
            theirs[name if k is None else f"{name}@{k}"] = np.nanmean(np.array(values, dtype=float))
    agree("lenskit", theirs, qrels, run)


@pytest.mark.parametrize("k", KS)
def test_recommenders(k: Any) -> None:
    module = peer("recommenders.evaluation.python_evaluation", "recommenders")
    qrels, run = tables(positive=True)
    truth = frame(qrels, "rating", query="userID", item="itemID").astype({"rating": float})
    predictions = frame(run, "prediction", query="userID", item="itemID")
    names: dict[str, Any] = {
        name: {} for name in ("map", "map_at_k", "precision_at_k", "recall_at_k", "ndcg_at_k")
    }
    names |= {f"ndcg_at_k(score_type={kind})": {"score_type": kind} for kind in ("raw", "exp")}
    theirs = {
        f"{name}@{k}": getattr(module, name.partition("(")[0])(truth, predictions, k=k, **given)
        for name, given in names.items()
    }
    agree("recommenders", theirs, qrels, run)


def test_beir() -> None:
    evaluation = peer("beir.retrieval.evaluation", "beir").EvaluateRetrieval
    qrels, run = tables(ties=True)
    found = evaluation.evaluate(qrels, run, list(KS))
    agree("beir", {name: value for each in found for name, value in each.items()}, qrels, run, FIVE_DIGITS)
    some = {query: items for query, items in qrels.items() if any(items.values())}
    judged = {query: items for query, items in run.items() if query in some}
    for name in ("mrr", "recall_cap", "top_k_accuracy"):
        agree("beir", evaluation.evaluate_custom(some, judged, list(KS), name), some, judged, FIVE_DIGITS)


def test_recpack() -> None:
    metrics = peer("recpack.metrics", "recpack")
    from scipy.sparse import csr_matrix

    qrels, run = tables(positive=True)
    users = sorted(qrels.keys() | run.keys())
    items = sorted({item for table in (qrels, run) for each in table.values() for item in each})
    truth, scores = np.zeros((2, len(users), len(items)))
    for row, user in enumerate(users):
        for item in qrels.get(user, {}):
            truth[row, items.index(item)] = 1
        for item, score in run.get(user, {}).items():
            scores[row, items.index(item)] = score
    names = ("NDCGK", "DCGK", "CalibratedRecallK", "RecallK", "PrecisionK", "ReciprocalRankK", "HitK")
    for name in names:
        for k in KS:
            metric = getattr(metrics, name)(k)
            metric.calculate(csr_matrix(truth), csr_matrix(scores))
            agree("recpack", {f"{name}_{k}": metric.value}, qrels, run)


def test_replay() -> None:
    metrics = peer("replay.metrics", "replay-rec")
    import polars as pl

    qrels, run = tables(positive=True, ties=True)
    truth, results = (pl.from_pandas(frame(table, "rating")) for table in (qrels, run))
    for name in ("NDCG", "MAP", "MRR", "Precision", "Recall", "HitRate", "RocAuc"):
        for k in KS:
            (value,) = getattr(metrics, name)(k)(results, truth).values()
            agree("replay", {f"{name}@{k}": value}, qrels, run)


def test_fuxictr() -> None:
    metrics = peer("fuxictr.metrics", "fuxictr")
    data = Candidates(ties=False, grades=(0, 1))
    found = [each for each in data.lists if each[0].any()]
    theirs = {f"NDCG(k={k})": np.mean([metrics.NDCG(k)(*each) for each in found]) for k in KS}
    theirs |= {"MRR": np.mean([metrics.MRR(*each) for each in found])}
    agree("fuxictr", theirs, data.qrels, data.run, 2e-12)  # it adds 1e-12 to what it divides by
    data = Candidates(ties=True, grades=(0, 1))
    sums = np.sum([metrics.avgAUC(*each) for each in data.lists], axis=0)
    agree("fuxictr", {"avgAUC": sums[0] / sums[1]}, data.qrels, data.run)


def test_rexmex() -> None:
    ranking = peer("rexmex.metrics.ranking", "rexmex")
    qrels, run = tables(positive=True, complete=True)
    for name in ("hits_at_k", "average_precision_at_k"):
        for k in KS:
            each = [getattr(ranking, name)(list(qrels[q]), best_first(run[q]), k) for q in qrels]
            agree("rexmex", {f"{name}@{k}": np.mean(each)}, qrels, run)
    data = Candidates(ties=False, grades=(0, 1))
    relevant = {q: [i for i, grade in items.items() if grade] for q, items in data.qrels.items()}
    some = {query: items for query, items in relevant.items() if items}
    each = [ranking.mean_reciprocal_rank(items, best_first(data.run[q])) for q, items in some.items()]
    qrels, run = ({query: table[query] for query in some} for table in (data.qrels, data.run))
    agree("rexmex", {"mean_reciprocal_rank": np.mean(each)}, qrels, run)


def test_mteb() -> None:
    metrics = peer("mteb._evaluators.retrieval_metrics", "mteb")
    qrels, run = tables(ties=True)
    run = {query: run[query] for query in run if query in qrels}  # it refuses a query that is not judged
    found = metrics.calculate_retrieval_scores(run, qrels, list(KS))
    each = ("ndcg", "map", "recall", "precision", "hit_rate")
    scores = metrics.make_score_dict(
        **{"_map" if name == "map" else name: getattr(found, name) for name in each},
        mrr=found.mrr,
        naucs={},
        naucs_mrr={},
        task_scores={},
    )
    agree("mteb", {name: scores[name] for name in scores if "mrr" not in name}, qrels, run, FIVE_DIGITS)
    agree("mteb", {name: scores[name] for name in scores if "mrr" in name}, qrels, run)
    assert len(scores) == 6 * len(KS) + 1


def test_sentence_transformers() -> None:
    evaluation = peer("sentence_transformers.sentence_transformer.evaluation", "sentence-transformers")
    qrels, run = tables(ties=True)
    relevant = {query: {item for item, grade in items.items() if grade} for query, items in qrels.items()}
    evaluator = evaluation.InformationRetrievalEvaluator(
        {query: query for query in qrels}, {}, relevant, **{f"{name}_at_k": KS for name in IR_CUTS}
    )
    lists = [
        [{"corpus_id": item, "score": score} for item, score in run.get(query, {}).items()]
        for query in evaluator.queries_ids
    ]
    assert len(lists) < len(qrels)  # those with nothing relevant are left out
    found = evaluator.compute_metrics(lists)
    theirs = {name.replace("@k", f"@{k}"): value for name, of in found.items() for k, value in of.items()}
    assert len(theirs) == 6 * len(KS)
    agree("sentence-transformers", theirs, qrels, run)
    agree("sentence-transformers", {f"cosine_{name}": theirs[name] for name in theirs}, qrels, run)


IR_CUTS = ("accuracy", "precision_recall", "ndcg", "mrr", "map")


@pytest.mark.parametrize("ties", [False, True])
def test_sentence_transformers_reranking(ties: Any) -> None:
    evaluation = peer("sentence_transformers.sentence_transformer.evaluation", "sentence-transformers")
    torch = peer("torch", "torch")
    data = Candidates(ties=ties, grades=(0, 1), shortest=3)

    class Model:
        def encode_query(self, texts: list[str], **_: Any) -> Any:
            return torch.ones(len(texts), 1)

        def encode_document(self, texts: list[str], **_: Any) -> Any:
            each = [text.split() for text in texts]
            return torch.tensor([[data.run[query][item]] for query, item in each], dtype=torch.float64)

    samples = [
        {
            "query": query,
            "positive": [f"{query} {item}" for item, grade in items.items() if grade],
            "negative": [f"{query} {item}" for item, grade in items.items() if not grade],
        }
        for query, items in data.qrels.items()
    ]
    for k in KS:
        evaluator = evaluation.RerankingEvaluator(
            samples, at_k=k, similarity_fct=lambda _, items: items[:, 0], use_batched_encoding=False
        )
        found = evaluator.compute_metrics(Model())
        theirs = {f"ndcg@{k}": found["ndcg"]}
        if not ties:
            theirs |= {"map": found["map"], f"mrr@{k}": found["mrr"]}
        kept = {query: items for query, items in data.qrels.items() if 0 in items.values()}
        agree("sentence-transformers-reranking", theirs, kept, data.run)


@pytest.mark.parametrize("padded", [False, True])
def test_keras_rs(padded: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    metrics = peer("keras_rs.metrics", "keras-rs")
    data = Candidates(ties=False)
    width = max(data.sizes)
    labels, scores = np.full((2, len(data.sizes), width), -1.0)
    for row, (grades, values) in enumerate(data.lists):
        # Padding is put 1e-7 below the least score, in 32 bits.
        labels[row, : len(grades)], scores[row, : len(grades)] = grades, values / (10 if padded else 1)
    names = ("NDCG", "DCG", "MeanAveragePrecision", "MeanReciprocalRank", "PrecisionAtK", "RecallAtK")
    for name in names:
        for k in (*KS, None):
            metric = getattr(metrics, name)(k=k)
            if padded:
                metric.update_state(labels, scores)
            else:
                for grades, values in data.lists:
                    metric.update_state(grades, values)
            value = float(metric.result())
            agree("keras-rs", {name if k is None else f"{name}@{k}": value}, data.qrels, data.run, FLOAT32)


def test_mlflow() -> None:
    metrics = peer("mlflow.metrics", "mlflow")
    pandas = peer("pandas", "pandas")
    qrels, run = tables()
    # It has 1 where nothing is relevant or returned, and another ideal list where fewer are returned.
    for query in [query for query in qrels if not any(qrels[query].values()) and query not in run]:
        del qrels[query]
    relevant = {query: [item for item, grade in items.items() if grade] for query, items in qrels.items()}
    lists = {query: best_first(run.get(query, {})) for query in qrels}
    long = {query for query in qrels if not lists[query] or len(lists[query]) >= len(relevant[query])}
    assert len(qrels) > len(long) > 50
    for name, queries in (("precision", qrels.keys()), ("recall", qrels.keys()), ("ndcg", long)):
        for k in KS:
            metric = getattr(metrics, f"{name}_at_k")(k)
            returned, wanted = (pandas.Series([of[query] for query in queries]) for of in (lists, relevant))
            value = metric.eval_fn(returned, wanted).aggregate_results["mean"]
            agree("mlflow", {f"{name}_at_{k}": value}, {query: qrels[query] for query in queries}, run)


@pytest.mark.spark
@pytest.mark.timeout(600)  # a busy machine starts Java slowly
@pytest.mark.xdist_group("spark")
def test_spark(spark: Any) -> None:
    metrics = peer("pyspark.mllib.evaluation", "'rankmark[spark]'").RankingMetrics
    evaluators = peer("pyspark.ml.evaluation", "'rankmark[spark]'").RankingEvaluator
    qrels, run = tables()
    rows = []
    for query, grades in qrels.items():
        relevant = [item for item, grade in grades.items() if grade]
        rows.append((best_first(run.get(query, {})), relevant, [float(grades[item]) for item in relevant]))
    binary = metrics(spark.sparkContext.parallelize([row[:2] for row in rows], 1))
    graded = metrics(spark.sparkContext.parallelize(rows, 1))
    names = ("ndcgAt", "meanAveragePrecisionAt", "precisionAt", "recallAt")
    theirs = {f"{name}({k})": getattr(binary, name)(k) for name in names for k in KS}
    assert graded.ndcgAt(10) == binary.ndcgAt(10)  # from Python, relevance values change nothing
    theirs["meanAveragePrecision"] = binary.meanAveragePrecision
    ids = {item: float(place) for place, item in enumerate({i for row in rows for i in row[0] + row[1]})}
    numbers = [tuple([ids[item] for item in items] for items in row[:2]) for row in rows]
    schema = "prediction array<double>, label array<double>"
    frame = spark.createDataFrame(numbers, schema)
    for name in (f"{name}K" for name in names):
        theirs[f"{name}@3"] = evaluators(metricName=name, k=3).evaluate(frame)
    agree("spark", theirs, qrels, run)


def test_haystack() -> None:
    evaluators = peer("haystack.components.evaluators", "haystack-ai")
    document = peer("haystack", "haystack-ai").Document
    qrels, run = tables(positive=True)
    qrels |= {query: {"gone": 0} for query in run if query not in qrels}  # nothing is relevant
    truth = [
        [document(content=item, score=float(grade)) for item, grade in items.items() if grade]
        for items in qrels.values()
    ]
    returned = [[document(content=item) for item in best_first(run.get(query, {}))] for query in qrels]
    theirs = {
        f"Document{name}Evaluator": getattr(evaluators, f"Document{name}Evaluator")().run(truth, returned)
        for name in ("NDCG", "MAP", "MRR", "Recall")
    }
    for mode in ("single_hit", "multi_hit"):
        evaluator = evaluators.DocumentRecallEvaluator(mode=mode)
        theirs[f"DocumentRecallEvaluator(mode={mode})"] = evaluator.run(truth, returned)
    agree("haystack", {name: found["score"] for name, found in theirs.items()}, qrels, run)


def test_llama_index() -> None:
    metrics = peer("llama_index.core.evaluation.retrieval.metrics", "llama-index-core")
    qrels, run = tables()
    asked = {name: metrics.METRIC_REGISTRY[name]() for name in ("hit_rate", "mrr", "precision", "recall")}
    asked |= {name: metrics.METRIC_REGISTRY[name]() for name in ("ap", "ndcg")}
    asked["hit_rate(use_granular_hit_rate=True)"] = metrics.HitRate(use_granular_hit_rate=True)
    values: dict[str, list[float]] = {name: [] for name in asked}
    for query, items in qrels.items():
        relevant = [item for item, grade in items.items() if grade]
        if relevant and query in run:  # it refuses others
            for name, metric in asked.items():
                found = metric.compute(expected_ids=relevant, retrieved_ids=best_first(run[query]))
                values[name].append(found.score)
    agree("llama-index", {name: np.mean(values[name]) for name in asked}, qrels, run)
    with pytest.raises(ValueError, match="must be provided"):
        metrics.HitRate().compute(expected_ids=[], retrieved_ids=["a"])


def test_ragas() -> None:
    metrics = peer("ragas.metrics", "ragas")
    sample = peer("ragas", "ragas").SingleTurnSample
    qrels, run = tables()
    precision = metrics.NonLLMContextPrecisionWithReference._calculate_average_precision
    by_id = (metrics.IDBasedContextPrecision(), metrics.IDBasedContextRecall())
    values: dict[str, list[float]] = {name: [] for name in ("context_precision", *(m.name for m in by_id))}
    for query, items in qrels.items():
        relevant = [item for item, grade in items.items() if grade]
        returned = best_first(run.get(query, {}))
        verdicts = [int(item in relevant) for item in returned]
        values["context_precision"].append(precision(None, verdicts))
        given = sample(retrieved_context_ids=returned, reference_context_ids=relevant)
        for metric in by_id:
            values[metric.name].append(asyncio.run(metric._single_turn_ascore(given, [])))
    agree("ragas", {name: np.nanmean(each) for name, each in values.items()}, qrels, run, 2e-10)


def test_vespa() -> None:
    evaluator = peer("vespa.evaluation._base", "pyvespa").VespaEvaluator
    qrels, run = tables(complete=True)
    run["q05"] = {}
    relevant = {query: {item for item, grade in items.items() if grade} for query, items in qrels.items()}
    truths: dict[str, dict[str, Any]] = {
        "": {query: items for query, items in relevant.items() if items},  # it leaves others out
        "(graded)": {
            query: {i: g / 4 for i, g in qrels[query].items()} for query in qrels if relevant[query]
        },
    }
    for kind, truth in truths.items():
        evaluating = object.__new__(evaluator)  # without a server
        evaluating.relevant_docs, evaluating.queries_ids = truth, list(truth)
        for name in IR_CUTS:
            setattr(evaluating, f"{name}_at_k", KS)
        lists = [[(item, run[query][item]) for item in best_first(run[query])] for query in truth]
        found = evaluating._compute_metrics(lists)
        assert len(found) == (3 if kind else 6 * len(KS))
        theirs = {name.replace("@", f"{kind}@"): value for name, value in found.items()}
        agree("vespa", theirs, truths["(graded)"] if kind else qrels, run)
