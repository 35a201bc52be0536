"""Predictions and tasks of MTEB, made by it on the spot."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import beside, peer

tool_version = beside("mteb")

MEASURES = "nDCG@10, AP@10, RR@10, R@5, P@1"
THEIRS = ["ndcg_at_10", "map_at_10", "mrr_at_10", "recall_at_5", "precision_at_1"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A task of two splits, evaluated by MTEB with a model that scores at random, and what it saved."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own affair
        return run_task(tmp_path_factory.mktemp("mteb"))


def run_task(folder: Path) -> Any:
    mteb = peer("mteb", "mteb")
    retrieval = peer("mteb.abstasks.retrieval", "mteb")
    loaders = peer("mteb.abstasks.retrieval_dataset_loaders", "mteb")
    mocks = peer("mteb.mocks.mock_tasks.retrieval", "mteb")
    datasets = peer("datasets", "datasets")
    rng = np.random.default_rng(0)
    documents = [f"d{number}" for number in range(40)] + ["q0", "q1"]
    queries = [f"q{number}" for number in range(12)]

    class Random:
        mteb_model_meta = mteb.models.ModelMeta.create_empty({"name": "none/random", "revision": "1"})

        def index(self, **_: Any) -> None:
            pass

        def search(self, queries: Any, **_: Any) -> Any:
            return {
                query: {
                    str(document): float(np.float32(rng.random()))
                    for document in {*rng.choice(documents, 20), query} & {*documents}
                }
                for query in queries["id"]
            }

    def split() -> Any:
        judged = {
            query: {str(d): int(rng.integers(0, 3)) for d in rng.choice(documents[:40], 8)}
            for query in queries
        }
        return loaders.RetrievalSplitData(
            queries=datasets.Dataset.from_list([{"id": query, "text": query} for query in queries]),
            corpus=datasets.Dataset.from_list([{"id": d, "text": d, "title": ""} for d in documents]),
            relevant_docs=judged,
            top_ranked=None,
        )

    splits = {"test": split(), "val": split()}

    class Task(retrieval.AbsTaskRetrieval):  # type: ignore[name-defined]
        metadata = mteb.TaskMetadata(
            type="Retrieval",
            name="OnTheSpot",
            main_score="ndcg_at_10",
            **mocks.general_args | {"eval_splits": ["val", "test"]},
        )
        ignore_identical_ids = True
        task_specific_scores = rm.hooks.mteb.task_specific_scores(MEASURES, intervals=True)

        def load_data(self, *_: Any, **__: Any) -> None:
            self.dataset = {"default": {name: dict(split) for name, split in splits.items()}}
            self.data_loaded = True

    task = Task()
    found = mteb.evaluate(
        Random(), task, cache=None, prediction_folder=folder / "predictions", show_progress_bar=False
    )
    rm.hooks.mteb.save_qrels([task], folder / "qrels")
    return task, found.task_results[0].scores, folder


def test_scores_of_a_task_stand_beside_its_own(ran: Any) -> None:
    _, scores, _ = ran
    for split in ("val", "test"):
        (found,) = scores[split]
        ours = [found[name] for name in MEASURES.split(", ")]
        assert ours == pytest.approx(
            [found[name] for name in THEIRS], abs=6e-6
        )  # which it rounds to 5 digits
        assert found["AP@10 low"] < found["AP@10"] < found["AP@10 high"]


def test_a_task_that_there_is_takes_it_too(ran: Any) -> None:
    task, scores, folder = ran
    saved = json.loads((folder / "predictions" / "OnTheSpot_predictions.json").read_text())["default"]["val"]
    lists = {q: {d: s for d, s in found.items() if d != q} for q, found in saved.items()}
    task.task_specific_scores = rm.hooks.mteb.task_specific_scores("AP@10", ties="item-desc")
    judged = task.dataset["default"]["val"]["relevant_docs"]
    found = task.task_specific_scores({}, judged, lists, hf_split="val", hf_subset="default")
    assert found == {"AP@10": pytest.approx(scores["val"][0]["AP@10"])}
    with pytest.raises(rm.MeasureError, match="no measure 'NDGC'"):
        rm.hooks.mteb.task_specific_scores("NDGC")


def test_saved_predictions_give_the_same(ran: Any) -> None:
    _, scores, folder = ran
    found = rm.hooks.mteb.evaluate(folder / "predictions", folder / "qrels", MEASURES)
    assert {*found} == {"OnTheSpot/default/test", "OnTheSpot/default/val"}
    for name, result in found.items():
        theirs = scores[name.rpartition("/")[2]][0]
        assert [*result.values.values()] == pytest.approx([theirs[each] for each in THEIRS], abs=6e-6)
    assert (
        (folder / "qrels" / "OnTheSpot" / "default" / "val.tsv")
        .read_text()
        .startswith("query-id\tcorpus-id\t")
    )
