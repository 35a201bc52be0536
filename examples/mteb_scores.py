"""MTEB with more measures while a task runs, and afterwards of the predictions that it saved."""

import tempfile
import warnings
from pathlib import Path

import mteb
from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData

import rankmark as rm

warnings.simplefilter("ignore")
documents = {"d1": "cats eat fish", "d2": "fish swim in the sea", "d3": "birds fly", "d4": "houses of wood"}
queries = {"q1": "fish in the sea", "q2": "what is of wood", "q3": "cats and birds"}
judged = {"q1": {"d2": 2, "d1": 1}, "q2": {"d4": 1}, "q3": {"d1": 1, "d3": 1}}


class Pets(AbsTaskRetrieval):
    """A task made on the spot; its own measures are asked for in one line."""

    task_specific_scores = rm.hooks.mteb.task_specific_scores(
        "nDCG(gain=exp2)@10, RBP(p=0.8)", intervals=True
    )
    metadata = mteb.TaskMetadata(
        name="Pets",
        description="Sentences on pets.",
        reference=None,
        type="Retrieval",
        category="t2t",
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
        dataset={"path": "none", "revision": "1"},
    )

    def load_data(self, *_: object, **__: object) -> None:
        """Takes the sentences above."""
        rows = [
            Dataset.from_list([{"id": name, "text": text} for name, text in texts.items()])
            for texts in (queries, documents)
        ]
        data = RetrievalSplitData(queries=rows[0], corpus=rows[1], relevant_docs=judged, top_ranked=None)
        self.dataset, self.data_loaded = {"default": {"test": data}}, True


class Words:
    """A model that counts the words that a query and a document share."""

    mteb_model_meta = mteb.models.ModelMeta.create_empty({"name": "none/words", "revision": "1"})

    def index(self, **_: object) -> None:
        """Nothing is to be indexed."""

    def search(self, queries: Dataset, **_: object) -> dict[str, dict[str, float]]:
        """The score of every document for every query."""
        return {
            query["id"]: {
                name: float(len({*query["text"].split()} & {*text.split()}))
                for name, text in documents.items()
            }
            for query in queries
        }


with tempfile.TemporaryDirectory() as folder:
    predictions, qrels = Path(folder) / "predictions", Path(folder) / "qrels"
    task = Pets()
    done = mteb.evaluate(Words(), task, cache=None, prediction_folder=predictions, show_progress_bar=False)
    scores = done.task_results[0].scores["test"][0]
    print({name: scores[name] for name in ("ndcg_at_10", "nDCG(gain=exp2)@10", "RBP(p=0.8)")})

    # Of all tasks at once, on the command line: rankmark eval qrels/ --mteb predictions/ -m "nDCG@10 RR"
    rm.hooks.mteb.save_qrels(task, qrels)
    print(rm.hooks.mteb.evaluate(predictions, qrels, "nDCG@10, RR")["Pets"])
