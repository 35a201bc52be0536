"""Evaluators of sentence-transformers with other measures than theirs, graded judgements and intervals."""

import warnings

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import BoW, Dense

import rankmark as rm

warnings.simplefilter("ignore")
torch.manual_seed(0)
words = [
    "cats",
    "dogs",
    "eat",
    "fish",
    "swim",
    "in",
    "the",
    "sea",
    "birds",
    "fly",
    "over",
    "houses",
    "people",
    "build",
    "homes",
    "of",
    "wood",
]
model = SentenceTransformer(modules=[BoW(vocab=words), Dense(len(words), 8)], device="cpu")

corpus = {
    "d1": "cats eat fish",
    "d2": "fish swim in the sea",
    "d3": "birds fly over the sea",
    "d4": "people build houses of wood",
    "d5": "dogs eat birds",
}
queries = {"q1": "fish in the sea", "q2": "wood houses", "q3": "cats and dogs eat"}
grades = {"q1": {"d2": 2, "d1": 1}, "q2": {"d4": 2}, "q3": {"d1": 2, "d5": 2}}
evaluator = rm.hooks.sentence_transformers.InformationRetrievalEvaluator(
    queries, corpus, grades, measures="nDCG(gain=exp2)@3, RR, AP", intervals=True, name="pets"
)
for name, value in evaluator(model).items():
    print(f"{name} {value:.4f}")
print(f"what trainers choose by: {evaluator.primary_metric}")
print(evaluator.results["cosine"])

samples = [
    {"query": "fish in the sea", "positive": ["fish swim in the sea"], "negative": ["dogs eat", "birds fly"]},
    {"query": "wood houses", "positive": ["people build homes of wood"], "negative": ["the sea", "wood"]},
]
print(rm.hooks.sentence_transformers.RerankingEvaluator(samples, "RR, nDCG@10")(model))
