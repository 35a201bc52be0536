"""Evaluators of sentence-transformers, beside those of the same names."""

from __future__ import annotations

import csv
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import beside, peer

tool_version = beside("sentence_transformers", "sentence-transformers")

WORDS = [f"w{number}" for number in range(60)]


@pytest.fixture(scope="module")
def model() -> Any:
    """Bags of words, projected at random: no weights come from anywhere."""
    peer("sentence_transformers", "sentence-transformers")
    torch = peer("torch", "torch")
    modules = peer("sentence_transformers.sentence_transformer.modules", "sentence-transformers")
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [modules.BoW(vocab=WORDS), modules.Dense(len(WORDS), 16)]
        return peer("sentence_transformers", "").SentenceTransformer(modules=parts, device="cpu")


@pytest.fixture(scope="module")
def theirs() -> Any:
    return peer("sentence_transformers.evaluation", "sentence-transformers")


def texts(rng: np.random.Generator, count: int) -> list[str]:
    return [" ".join(rng.choice(WORDS, 6, replace=False)) for _ in range(count)]


def collection() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    corpus = {f"d{number}": text for number, text in enumerate(texts(rng, 150))}
    queries = {f"q{number}": text for number, text in enumerate(texts(rng, 20))}
    relevant = {query: {f"d{d}" for d in rng.choice(150, rng.integers(0, 8))} for query in queries}
    return {"queries": queries, "corpus": corpus, "relevant_docs": relevant}


def test_retrieval_gives_what_its_own_evaluator_gives(model: Any, theirs: Any) -> None:
    expected = theirs.InformationRetrievalEvaluator(**collection(), corpus_chunk_size=64)(model)
    measures = "nDCG@10, RR@10, AP@100, P@5, R@10, HR@3"
    evaluator = rm.hooks.sentence_transformers.InformationRetrievalEvaluator(
        **collection(), measures=measures, corpus_chunk_size=64
    )
    found = evaluator(model)
    names = {
        "nDCG@10": "ndcg@10",
        "RR@10": "mrr@10",
        "AP@100": "map@100",
        "P@5": "precision@5",
        "R@10": "recall@10",
        "HR@3": "accuracy@3",
    }
    assert found == pytest.approx(
        {f"cosine_{ours}": expected[f"cosine_{name}"] for ours, name in names.items()}
    )
    assert evaluator.primary_metric == "cosine_nDCG@10"
    assert evaluator.greater_is_better
    assert evaluator.results["cosine"].counts.judged == len(evaluator.queries_ids) < 20


def test_reranking_gives_what_its_own_evaluator_gives(model: Any, theirs: Any) -> None:
    rng = np.random.default_rng(1)
    samples = [
        {
            "query": query,
            "positive": texts(rng, rng.integers(1, 4)),
            "negative": texts(rng, rng.integers(1, 9)),
        }
        for query in texts(rng, 30)
    ]
    samples += [{"query": "w1", "positive": [], "negative": ["w2"]}]  # which is left out
    samples += [{"query": "w1", "positive": "w1 w2", "negative": ["w2"]}]
    expected = theirs.RerankingEvaluator(samples)(model)
    for batched in (True, False):
        evaluator = rm.hooks.sentence_transformers.RerankingEvaluator(
            samples, "nDCG@10, RR@10, AP", use_batched_encoding=batched, name="dev"
        )
        found = evaluator(model)
        assert [*found.values()] == pytest.approx([expected["ndcg@10"], expected["mrr@10"], expected["map"]])
        assert [*found] == ["dev_nDCG@10", "dev_RR@10", "dev_AP"]
        assert evaluator.primary_metric == "dev_nDCG@10"
        assert evaluator.results.counts.judged == 31


class Scores:
    """A `CrossEncoder` as far as evaluators look at one: a number for each pair of texts, without ties."""

    model_card_data = None

    def predict(self, pairs: Any, **options: Any) -> Any:
        """The share of words that a pair has in common, and a little by which texts differ."""
        assert options["batch_size"] == 32
        return np.array(
            [len({*q.split()} & {*d.split()}) + hash_of(q + d) for q, d in pairs], dtype=np.float32
        )


def hash_of(text: str) -> float:
    return sum(ord(letter) * (place + 1) for place, letter in enumerate(text)) % 997 / 1000


def reranked(rng: np.random.Generator, count: int) -> list[dict[str, Any]]:
    """Samples whose documents have some of the positive ones."""
    samples = []
    for query in texts(rng, count):
        positive, others = texts(rng, 3), texts(rng, int(rng.integers(4, 9)))
        samples.append(
            {"query": query, "positive": positive, "documents": [*others[:2], *positive, *others[2:]]}
        )
    return samples


def test_a_cross_encoders_lists_are_what_its_own_evaluator_says(tmp_path: Path) -> None:
    theirs = peer("sentence_transformers.cross_encoder.evaluation", "sentence-transformers")
    hook = rm.hooks.sentence_transformers.CrossEncoderRerankingEvaluator
    names = {"nDCG@10": "ndcg@10", "RR@10": "mrr@10", "AP": "map"}
    with_documents = reranked(np.random.default_rng(2), 20)
    with_negatives = [{**sample, "negative": sample["documents"][:2]} for sample in with_documents]
    for sample in with_negatives:
        del sample["documents"]
    for samples in (with_documents, with_negatives):
        their = theirs.CrossEncoderRerankingEvaluator(samples, batch_size=32)
        their.store_metrics_in_model_card_data = lambda *_: None
        expected = their(Scores())
        ours = hook(samples, batch_size=32, name="dev")
        ours.store_metrics_in_model_card_data = lambda *_: None
        found = ours(Scores(), tmp_path / str(len(expected)), epoch=1)
        assert found == pytest.approx(
            {
                f"dev_{base}{name}": expected[f"{base}{own}"]
                for base in (("", "base_") if samples is with_documents else ("",))
                for name, own in names.items()
            }
        )
    assert (ours.primary_metric, ours.greater_is_better, ours.base) == ("dev_nDCG@10", True, None)


def test_positive_documents_that_were_not_retrieved_are_missing() -> None:
    samples = [{"query": "w1", "positive": ["w1 w2", "w1 w3"], "documents": ["w4", "w1 w2"]}]
    hook = rm.hooks.sentence_transformers.CrossEncoderRerankingEvaluator
    for always, value in ((True, 1.0), (False, 0.5)):
        evaluator = hook(samples, "AP", batch_size=32, always_rerank_positives=always)
        evaluator.store_metrics_in_model_card_data = lambda *_: None
        assert evaluator(Scores()) == {"AP": value, "base_AP": 0.25}


def test_samples_and_models_that_do_not_fit_are_told() -> None:
    hook = rm.hooks.sentence_transformers.CrossEncoderRerankingEvaluator
    good = {"query": "w1", "positive": "w1", "negative": ["w2"]}
    for wrong in ({**good, "documents": ["w1"]}, {"query": "w1", "negative": []}):
        with pytest.raises(
            rm.UsageError, match=r"sample 1 \(from 0\) has 'query', .*; it needs 'query', 'positive'"
        ):
            hook([good, wrong])

    class Classes(Scores):
        def predict(self, pairs: Any, **options: Any) -> Any:
            assert options
            return np.zeros((len(pairs), 3))

    with pytest.raises(rm.DataError, match=r"shape \(2, 3\) for 2 pairs, .* num_labels=1"):
        hook([good])(Classes())


def test_rows_of_a_file_have_the_values_and_their_intervals(model: Any, tmp_path: Path) -> None:
    evaluator = rm.hooks.sentence_transformers.InformationRetrievalEvaluator(
        **collection(), measures="nDCG@10, RR", intervals=True, name="dev", depth=50
    )
    found = [evaluator(model, str(tmp_path), epoch=epoch, steps=10) for epoch in (0, 1)]
    with (tmp_path / "Information-Retrieval_evaluation_dev_results.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert [row["epoch"] for row in rows] == ["0", "1"]
    assert float(rows[0]["cosine_nDCG@10"]) == found[0]["dev_cosine_nDCG@10"]
    interval = evaluator.results["cosine"].intervals["nDCG@10"]
    assert found[1]["dev_cosine_nDCG@10 low"] == interval.low < found[1]["dev_cosine_nDCG@10"]
    assert float(rows[1]["cosine_nDCG@10 high"]) == interval.high
    values = evaluator.results["cosine"].query_values("RR")
    assert 1 / 50 <= values[values > 0].min() < 1 / 10  # of 50 documents, though one cutoff is 10
    others = rm.hooks.sentence_transformers.InformationRetrievalEvaluator(
        **collection(), measures="AP", name="dev"
    )
    with pytest.raises(rm.UsageError, match=r"has the columns epoch, steps, .*; move it away"):
        others(model, str(tmp_path))


def test_grades_and_several_score_functions(model: Any) -> None:
    given = collection()
    given["relevant_docs"] = {
        query: {doc: 1 + number for number, doc in enumerate(sorted(docs))}
        for query, docs in given["relevant_docs"].items()
    }
    functions = {"cos": model.similarity, "worst": lambda a, b: -model.similarity(a, b)}
    evaluator = rm.hooks.sentence_transformers.InformationRetrievalEvaluator(
        **given, measures=["nDCG(gain=exp2)@10"], score_functions=functions
    )
    found = evaluator(model)
    assert [*found] == ["cos_nDCG(gain=exp2)@10", "worst_nDCG(gain=exp2)@10"]
    assert evaluator.primary_metric == max(found, key=found.__getitem__)
    scores = model.similarity(
        model.encode([given["queries"][query] for query in evaluator.queries_ids]),
        model.encode([*given["corpus"].values()]),
    )
    relevance = [
        [given["relevant_docs"][q].get(d, 0) for d in given["corpus"]] for q in evaluator.queries_ids
    ]
    expected = rm.evaluate_arrays(scores, np.array(relevance), "nDCG(gain=exp2)@10").values
    assert found["cos_nDCG(gain=exp2)@10"] == pytest.approx(expected["nDCG(gain=exp2)@10"])


def test_what_cannot_be_asked_is_refused_at_once() -> None:
    hook = rm.hooks.sentence_transformers
    with pytest.raises(rm.UsageError, match=r"ndcg_at_k is no argument here: cutoffs are written after"):
        hook.InformationRetrievalEvaluator(**collection(), ndcg_at_k=[5])
    with pytest.raises(rm.UsageError, match="at_k is no argument here"):
        hook.RerankingEvaluator([], at_k=5)
    with pytest.raises(rm.MeasureError, match="no measure 'NDGC'"):
        hook.RerankingEvaluator([], "NDGC")
    with pytest.raises(rm.ChoiceError, match="ties='luck' is not one of"):
        hook.InformationRetrievalEvaluator(**collection(), choices={"ties": "luck"})
