"""Evaluators of sentence-transformers with the measures of rankmark, their intervals and their results.

They are called by trainers as the evaluators of the same names are, whose models, prompts, chunks of the
corpus and score functions they have: what is retrieved is theirs, what is measured is asked for.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankmark.api.arrays import evaluate_arrays
from rankmark.api.evaluation import evaluate
from rankmark.errors import DataError, UsageError
from rankmark.language.measure import Measure
from rankmark.language.plan import planned
from rankmark.results.lists import ListResult
from rankmark.statistics.intervals import IntervalName
from rankmark.tools import base

__all__ = ["CrossEncoderRerankingEvaluator", "InformationRetrievalEvaluator", "RerankingEvaluator"]

EVALUATION, INSTALL = "sentence_transformers.evaluation", "sentence-transformers"
DEPTH = 1000
"""How many documents are retrieved for a measure without a cutoff."""

LENGTHS = ("mrr_at_k", "ndcg_at_k", "accuracy_at_k", "precision_recall_at_k", "map_at_k")
"""Of whose greatest number as many documents are retrieved."""

_Retrieval: Any = base(EVALUATION, "InformationRetrievalEvaluator", INSTALL)
_Reranking: Any = base(EVALUATION, "RerankingEvaluator", INSTALL)
_CrossReranking: Any = base(
    "sentence_transformers.cross_encoder.evaluation", "CrossEncoderRerankingEvaluator", INSTALL
)


class InformationRetrievalEvaluator(_Retrieval):  # type: ignore[misc]
    """Retrieves documents for queries and measures how good the lists are.

    ``evaluator(model)`` gives ``{"cosine_nDCG@10": 0.43, …}``, with the name of the evaluator before, if it
    has one, and with ``intervals`` also ``… low`` and ``… high``; `results` has what was measured. Queries
    without relevant documents are left out, as they are by its namesake.

    Args:
        queries: the text of each query, by its id.
        corpus: the text of each document, by its id.
        relevant_docs: the relevant documents of each query, a set of ids, or their grades, ``{id: grade}``.
        measures: as in `rankmark.evaluate`; the first is the primary metric.
        intervals: whether to give confidence intervals, as in `rankmark.evaluate`.
        confidence: the share of intervals that hold the true value.
        like: a convention, as in `rankmark.evaluate`.
        depth: how many documents are retrieved for each query; as many as the greatest cutoff if None, 1,000
            if a measure has no cutoff.
        choices: those of `rankmark.evaluate`. Documents of equal scores are in the order of their ids unless
            ``ties`` says otherwise, as this is how they are retrieved.
        **theirs: the arguments of its namesake but those for its measures: ``name``, ``batch_size``,
            ``score_functions``, ``main_score_function``, ``query_prompt``, ``write_csv`` ….

    Raises:
        UsageError: an unknown measure, parameter or choice.

    """

    def __init__(
        self,
        queries: Mapping[Any, Any],
        corpus: Mapping[Any, Any],
        relevant_docs: Mapping[Any, Iterable[Any] | Mapping[Any, float]],
        measures: str | Measure | Iterable[str | Measure] = "nDCG@10, RR@10, AP@100",
        *,
        intervals: bool | IntervalName = False,
        confidence: float = 0.95,
        like: str | None = None,
        depth: int | None = None,
        choices: Mapping[str, Any] | None = None,
        **theirs: Any,
    ) -> None:
        given = dict(choices or {}) if like else {"ties": "item-asc", **(choices or {})}
        self._asked = _Asked(measures, like, intervals, confidence, given)
        self.results: dict[str, ListResult] = {}
        cutoffs = [measure.cutoff for measure in self._asked.measures]
        deepest = max((cutoff or DEPTH for cutoff in cutoffs), default=DEPTH)
        lengths = {name: [depth or deepest] for name in LENGTHS}
        _check_theirs(theirs, lengths)
        super().__init__(queries, corpus, relevant_docs, **lengths, **theirs)
        self.greater_is_better = self._asked.measures[0].better == "more"

    def __call__(
        self,
        model: Any,
        output_path: str | Path | None = None,
        epoch: int = -1,
        steps: int = -1,
        *args: Any,
        **kwargs: Any,
    ) -> dict[str, float]:
        """Evaluates a model, and writes a row of a CSV file in the folder `output_path`, if there is one."""
        if self._score_functions_from_model:
            self.score_functions = self._model_score_functions(model)
        self.score_function_names = sorted(self.score_functions)
        self.results = self.compute_all_metrics(model, *args, output_path=output_path, **kwargs)
        found = {
            f"{function}_{name}": value
            for function in self.score_function_names
            for name, value in self.results[function].to_dict().items()
        }
        first = self._asked.measures[0].label
        best = max(self.score_function_names, key=lambda name: self._rank(self.results[name][first]))
        main = self.main_score_function.value if self.main_score_function else best
        return _told(self, model, found, f"{main}_{first}", output_path, epoch, steps)

    def compute_metrics(self, queries_result_list: list[list[dict[str, Any]]]) -> ListResult:
        """What lists of documents with their scores come to, one a query."""
        run = {
            query: {hit["corpus_id"]: hit["score"] for hit in hits}
            for query, hits in zip(self.queries_ids, queries_result_list, strict=True)
        }
        return self._asked.evaluated(
            {query: _grades(self.relevant_docs[query]) for query in self.queries_ids}, run
        )

    def output_scores(self, scores: ListResult) -> None:
        """Says nothing: `results` can be printed."""

    def _append_csv_headers(self, score_function_names: Sequence[str]) -> None:
        """None: a row knows its columns."""

    def _rank(self, value: float) -> float:
        """Greater for what is better; NaN is worst."""
        value = value if self.greater_is_better else -value
        return -np.inf if np.isnan(value) else value


class RerankingEvaluator(_Reranking):  # type: ignore[misc]
    """Ranks the documents of each sample and measures how good the lists are.

    ``evaluator(model)`` gives ``{"nDCG@10": 0.43, …}``, with the name of the evaluator before, if it has one,
    and with ``intervals`` also ``… low`` and ``… high``; `results` has what was measured. Samples without
    positive or without negative documents are left out, as they are by its namesake. Of documents with equal
    scores the negative ones come first, so that a model that tells nothing apart is not taken for a good one,
    unless ``choices={"ties": "expected"}`` asks for the mean over all orders.

    Args:
        samples: dicts of a ``query`` and lists of texts, ``positive`` and ``negative``.
        measures: as in `rankmark.evaluate_arrays`; the first is the primary metric.
        intervals: whether to give confidence intervals, as in `rankmark.evaluate`.
        confidence: the share of intervals that hold the true value.
        choices: those of `rankmark.evaluate_arrays`.
        **theirs: the arguments of its namesake but ``at_k``: ``name``, ``batch_size``, ``similarity_fct`` ….

    Raises:
        UsageError: an unknown measure, parameter or choice.

    """

    def __init__(
        self,
        samples: Any,
        measures: str | Measure | Iterable[str | Measure] = "nDCG@10, RR@10, AP",
        *,
        intervals: bool | IntervalName = False,
        confidence: float = 0.95,
        choices: Mapping[str, Any] | None = None,
        **theirs: Any,
    ) -> None:
        self._asked = _Asked(measures, None, intervals, confidence, dict(choices or {}))
        self.results: ListResult | None = None
        _check_theirs(theirs, ("at_k", "mrr_at_k"))
        super().__init__(samples, **theirs)
        self.csv_file = f"RerankingEvaluator{'_' + self.name if self.name else ''}_results.csv"
        self.greater_is_better = self._asked.measures[0].better == "more"

    def __call__(
        self, model: Any, output_path: str | Path | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Evaluates a model, and writes a row of a CSV file in the folder `output_path`, if there is one."""
        self.results = self.compute_metrics(model)
        found = self.results.to_dict()
        return _told(self, model, found, self._asked.measures[0].label, output_path, epoch, steps)

    def compute_metrics(self, model: Any) -> ListResult:
        """What the lists of all samples come to."""
        positive = [np.arange(len(p) + len(n)) < len(p) for p, n in map(_both, self.samples)]
        return self._asked.evaluated_lists(self._scores(model), positive)

    def _scores(self, model: Any) -> list[NDArray[np.float64]]:
        """The scores of each sample's documents, the positive ones first."""
        samples = [(each["query"], [text for side in _both(each) for text in side]) for each in self.samples]
        if not self.use_batched_encoding:
            return [
                self._similarities(self._of(model, [q], "query"), self._of(model, d, "document"))
                for q, d in samples
            ]
        queries = self._of(model, [query for query, _ in samples], "query")
        documents = self._of(model, [each for _, texts in samples for each in texts], "document")
        starts = np.cumsum([0, *(len(texts) for _, texts in samples)])
        return [
            self._similarities(queries[row], documents[start:end])
            for row, (start, end) in enumerate(pairwise(starts))
        ]

    def _of(self, model: Any, texts: list[Any], kind: str) -> Any:
        return self.embed_inputs(model, texts, encode_fn_name=kind, show_progress_bar=self.show_progress_bar)

    def _similarities(self, query: Any, documents: Any) -> NDArray[np.float64]:
        return np.asarray(self.similarity_fct(query, documents).float().cpu().tolist()).ravel()


class CrossEncoderRerankingEvaluator(_CrossReranking):  # type: ignore[misc]
    """Ranks the documents of each sample by a `CrossEncoder` and measures how good the lists are.

    ``evaluator(model)`` gives ``{"nDCG@10": 0.43, …}`` as `RerankingEvaluator` does, and of samples with
    ``documents`` as ``base_nDCG@10`` … also what they are in the order in which they come; `results` and
    `base` have what was measured, to be compared. Of documents with equal scores the negative ones come
    first. Samples without positive documents count as `choices` says, as 0 by default, as they do in its
    namesake.

    With ``always_rerank_positives=False``, and in `base` always, a positive document that is not among the
    ``documents`` was not retrieved. Its namesake forgets it, or puts it last.

    Args:
        samples: dicts of a ``query``, a list of ``positive`` texts, and either one of ``negative`` ones or
            one of all ``documents``.
        measures: as in `rankmark.evaluate_arrays`; the first is the primary metric.
        intervals: whether to give confidence intervals, as in `rankmark.evaluate`.
        confidence: the share of intervals that hold the true value.
        choices: those of `rankmark.evaluate_arrays`.
        **theirs: the arguments of its namesake but ``at_k``: ``name``, ``batch_size``, ``prompt_name`` ….

    Raises:
        UsageError: an unknown measure, parameter or choice; a sample that lacks something.

    """

    def __init__(
        self,
        samples: Any,
        measures: str | Measure | Iterable[str | Measure] = "nDCG@10, RR@10, AP",
        *,
        intervals: bool | IntervalName = False,
        confidence: float = 0.95,
        choices: Mapping[str, Any] | None = None,
        **theirs: Any,
    ) -> None:
        self._asked = _Asked(measures, None, intervals, confidence, dict(choices or {}))
        self.results: ListResult | None = None
        self.base: ListResult | None = None
        _check_theirs(theirs, ("at_k", "mrr_at_k"))
        super().__init__(samples, **theirs)
        for number, sample in enumerate(self.samples):
            _check_sample(number, sample)
        self.csv_file = f"CrossEncoderRerankingEvaluator{'_' + self.name if self.name else ''}_results.csv"
        self.greater_is_better = self._asked.measures[0].better == "more"

    def __call__(
        self, model: Any, output_path: str | Path | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Evaluates a model, and writes a row of a CSV file in the folder `output_path`, if there is one."""
        self.results, self.base = self.compute_metrics(model), self._in_given_order()
        found = self.results.to_dict()
        if self.base is not None:
            found |= {f"base_{name}": value for name, value in self.base.to_dict().items()}
        return _told(self, model, found, self._asked.measures[0].label, output_path, epoch, steps)

    def compute_metrics(self, model: Any) -> ListResult:
        """What the lists of all samples come to."""
        lists = [self._ranked(sample) for sample in self.samples]
        pairs = [
            [sample["query"], text]
            for sample, (texts, _, _) in zip(self.samples, lists, strict=True)
            for text in texts
        ]
        options = {"batch_size": self.batch_size, "show_progress_bar": self.show_progress_bar}
        scores = np.empty(0)
        if pairs:
            scores = np.asarray(model.predict(pairs, prompt_name=self.prompt_name, **options), np.float64)
        if scores.shape != (len(pairs),):
            raise DataError(
                f"the model gives scores of the shape {scores.shape} for {len(pairs)} pairs, and lists are "
                "ranked by one a pair: a CrossEncoder with num_labels=1"
            )
        ends = np.cumsum([len(texts) for texts, _, _ in lists])
        parts = np.split(scores, ends[:-1])
        return self._asked.evaluated_lists(
            [
                np.append(part, np.full(gone, -np.inf))
                for part, (_, _, gone) in zip(parts, lists, strict=True)
            ],
            [np.append(positive, np.ones(gone, np.bool_)) for _, positive, gone in lists],
        )

    def _ranked(self, sample: Mapping[str, Any]) -> tuple[list[str], NDArray[np.bool_], int]:
        """The texts to rank, positive ones first; whether they are; how many positive ones are missing."""
        positive, others = _both(sample)
        ranked = positive
        if "documents" in sample and not self.always_rerank_positives:
            ranked = [text for text in positive if text in set(others)]
        texts = [*ranked, *(text for text in others if "negative" in sample or text not in set(positive))]
        return texts, np.arange(len(texts)) < len(ranked), len(positive) - len(ranked)

    def _in_given_order(self) -> ListResult | None:
        """What the documents of samples come to in the order in which they are given, if any are."""
        scores, positive = [], []
        for sample in self.samples:
            if "documents" in sample:
                wanted, texts = _both(sample)
                gone = len(set(wanted) - set(texts))
                scores.append(np.append(-np.arange(len(texts), dtype=np.float64), np.full(gone, -np.inf)))
                positive.append(np.array([*(text in wanted for text in texts), *[True] * gone]))
        return self._asked.evaluated_lists(scores, positive) if scores else None


def _both(sample: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The positive texts of a sample, and the negative ones or all."""
    positive, others = sample["positive"], sample["documents" if "documents" in sample else "negative"]
    return [positive] if isinstance(positive, str) else [*positive], [*others]


def _check_sample(number: int, sample: Mapping[str, Any]) -> None:
    lacks = [name for name in ("query", "positive") if name not in sample]
    if lacks or ("negative" in sample) == ("documents" in sample):
        raise UsageError(
            f"sample {number} (from 0) has {', '.join(map(repr, sample)) or 'nothing'}; it needs 'query', "
            "'positive' and either 'negative' or 'documents'"
        )


class _Asked:
    """What is to be measured, and how."""

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        like: str | None,
        intervals: bool | IntervalName,
        confidence: float,
        choices: dict[str, Any],
    ) -> None:
        self.asked = measures if isinstance(measures, str | Measure) else tuple(measures)
        self.measures = planned(self.asked, like, choices).measures
        self._like, self._choices = like, choices
        self._intervals: dict[str, Any] = {"intervals": intervals, "confidence": confidence}

    def evaluated(self, qrels: Any, run: Any) -> ListResult:
        """The result of judgements and lists."""
        found: ListResult = evaluate(
            qrels, run, self.asked, like=self._like, **self._choices, **self._intervals
        )
        return found

    def evaluated_lists(
        self, scores: Sequence[NDArray[np.float64]], positive: Sequence[NDArray[np.bool_]]
    ) -> ListResult:
        """The result of lists of scores and of which of them are of positive documents."""
        lengths = np.array([len(each) for each in scores], dtype=np.int64)
        padded = np.full((len(scores), lengths.max(initial=1)), -np.inf)
        relevant = np.zeros(padded.shape)
        for row, (each, those) in enumerate(zip(scores, positive, strict=True)):
            padded[row, : len(each)], relevant[row, : len(each)] = each, those
        options = {**self._choices, **self._intervals}
        return evaluate_arrays(padded, relevant, self.asked, lengths=lengths, **options)


def _grades(relevant: Iterable[Any] | Mapping[Any, float]) -> Mapping[Any, float]:
    return relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant, 1)


def _check_theirs(given: Iterable[str], ours: Iterable[str]) -> None:
    for name in ours:
        if name in given:
            raise UsageError(f"{name} is no argument here: cutoffs are written after measures, as in nDCG@10")


def _told(
    evaluator: Any,
    model: Any,
    found: dict[str, float],
    primary: str,
    folder: str | Path | None,
    epoch: int,
    steps: int,
) -> dict[str, float]:
    """Says numbers as evaluators do: in a file, in the model's card, under names after the evaluator's."""
    if folder is not None and evaluator.write_csv:
        _write_row(Path(folder) / evaluator.csv_file, {"epoch": epoch, "steps": steps, **found})
    evaluator.primary_metric = primary
    metrics: dict[str, float] = evaluator.prefix_name_to_metrics(found, evaluator.name)
    evaluator.store_metrics_in_model_card_data(model, metrics, epoch, steps)
    return metrics


def _write_row(path: Path, row: Mapping[str, Any]) -> None:
    """Adds a row to a CSV file.

    Raises:
        UsageError: it has other columns.

    """
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    header = next(csv.reader(before.splitlines()), [])
    if before and header != [*row]:
        raise UsageError(
            f"{path} has the columns {', '.join(header)}, of other measures than these: {', '.join(row)}; "
            "move it away, or give the evaluator another name"
        )
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerows([row.values()] if before else [row, row.values()])
