"""MTEB's tasks with the measures of rankmark, while they run and of the predictions that it saved.

MTEB saves the predictions of a task in ``prediction_folder`` as ``{task}_predictions.json``, by subset and
split, but not the judgements. These are had from the tasks (`save_qrels`), or are files of anybody's in a
folder:

- ``{task}/{subset}/{split}.tsv``, as `save_qrels` writes them,
- ``{task}/qrels/{split}.tsv``, as BEIR has them, or ``{task}/{split}.tsv``,
- ``{task}.tsv`` for a task of one subset and split,

or with another ending that `rankmark.evaluate` reads.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

from rankmark.api.evaluation import evaluate as evaluate_tables
from rankmark.errors import DataError, FileMissingError, FormatError, UsageError
from rankmark.inputs import read_qrels
from rankmark.language.measure import Measure
from rankmark.language.plan import planned
from rankmark.rendering.files import write_whole
from rankmark.results.lists import ListResult
from rankmark.statistics.intervals import IntervalName

__all__ = ["evaluate", "save_qrels", "task_specific_scores", "tasks_of"]

ENDING = "_predictions.json"
MODEL = "mteb_model_meta"
"""What stands beside the subsets in a file of predictions."""
COLUMNS = ("query-id", "corpus-id", "score")
"""The header of judgements as BEIR has it."""
TASK = "task.json"
"""What `save_qrels` says of a task beside its judgements."""


def task_specific_scores(
    measures: str | Measure | Iterable[str | Measure],
    *,
    like: str | None = None,
    intervals: bool | IntervalName = False,
    confidence: float = 0.95,
    **choices: Any,
) -> Callable[..., dict[str, float]]:
    """A function that MTEB asks for more scores of a retrieval or reranking task.

    ``class Mine(AbsTaskRetrieval): task_specific_scores = rm.hooks.mteb.task_specific_scores("RBP")``, or the
    same assigned to a task that there is. The scores stand among those of MTEB under the names of the
    measures, ``nDCG@10``, which are none of MTEB's, ``ndcg_at_10``.

    Args:
        measures: as in `rankmark.evaluate`, and so are `like` and `intervals`.
        like: a convention.
        intervals: whether to give ``nDCG@10 low`` and ``nDCG@10 high``, too.
        confidence: the share of intervals that hold the true value.
        **choices: those of `rankmark.evaluate`.

    Raises:
        UsageError: an unknown measure, parameter or choice.

    """
    planned(measures, like, choices)
    options: dict[str, Any] = {"like": like, "intervals": intervals, "confidence": confidence, **choices}

    def scores(*given: Any, **_: Any) -> dict[str, float]:
        qrels, results = given[-2:]  # after the task, if it is a method, and MTEB's scores
        return dict(evaluate_tables(qrels, results, measures, **options).to_dict())

    return scores


def save_qrels(tasks: Any, folder: str | Path) -> None:
    """Writes the judgements of tasks as BEIR has them: ``{task}/{subset}/{split}.tsv``.

    Args:
        tasks: a task of retrieval or reranking, or several, as ``mteb.get_tasks`` gives them; those that are
            not loaded yet load their data as MTEB does.
        folder: where to write.

    Raises:
        UsageError: a task without judgements of documents, or a file that cannot be written.

    """
    for task in [tasks] if hasattr(tasks, "metadata") else tasks:
        name = task.metadata.name
        if not hasattr(task, "ignore_identical_ids"):
            raise UsageError(f"{name} is no task of retrieval or reranking: it judges no documents")
        if not task.data_loaded:
            task.load_data()
        task.convert_v1_dataset_format_to_v2(None)  # processes: one
        for subset, splits in task.dataset.items():
            into = Path(folder) / name / subset
            into.mkdir(parents=True, exist_ok=True)
            for split, data in splits.items():
                write_whole(into / f"{split}.tsv", _written(data["relevant_docs"]))
        said = {"ignore_identical_ids": bool(task.ignore_identical_ids)}
        write_whole(Path(folder) / name / TASK, json.dumps(said) + "\n")


def evaluate(
    predictions: str | Path,
    qrels: str | Path,
    measures: str | Measure | Iterable[str | Measure],
    *,
    columns: Mapping[str, Any] | None = None,
    **options: Any,
) -> dict[str, ListResult]:
    """Measures all predictions of retrieval that MTEB saved in a folder; others are passed over.

    Where `save_qrels` noted that a task ignores documents that are the query itself, they are left out.

    Args:
        predictions: the folder, MTEB's ``prediction_folder``.
        qrels: the folder of the judgements; where what stands in it, this module says.
        measures: as in `rankmark.evaluate`.
        columns: the columns of judgements that have no usual names.
        **options: those of `rankmark.evaluate`.

    Returns:
        A result for each task, called as it is; where it has several, ``task/subset/split``.

    Raises:
        FileMissingError: no predictions, or no judgements of a task.
        FormatError: what is no file of predictions.
        DataError: what cannot be evaluated as it is.

    """
    results = {}
    for each in _saved(Path(predictions)):
        file = each.judgements(Path(qrels))
        judged = read_qrels(file, columns)
        try:
            results[each.name] = evaluate_tables(judged, each.lists(Path(qrels)), measures, **options)
        except DataError as error:  # which knows no task
            raise type(error)(f"{each.name}: {error}") from error
    if not results:
        raise DataError(f"{str(predictions)!r} has predictions, but none of lists of documents for queries")
    return results


def tasks_of(predictions: str | Path) -> list[str]:
    """The tasks of which there are predictions in a folder, of whatever kind."""
    return sorted(file.name.removesuffix(ENDING) for file in Path(predictions).glob(f"*{ENDING}"))


class _Predictions(NamedTuple):
    """What MTEB saved of a split."""

    task: str
    subset: str
    split: str
    alone: bool
    content: Mapping[str, Mapping[str, float]]

    @property
    def name(self) -> str:
        """What its result is called."""
        return self.task if self.alone else f"{self.task}/{self.subset}/{self.split}"

    def judgements(self, folder: Path) -> Path:
        """The file of its judgements."""
        task = folder / self.task
        stems = [task / self.subset / self.split, task / "qrels" / self.split, task / self.split]
        stems += [task] if self.alone else []
        for stem in stems:
            found = sorted(path for path in stem.parent.glob(f"{escape(stem.name)}.*") if path.is_file())
            if found:
                return found[0]
        shown = ", ".join(str(stem.relative_to(folder)) + ".tsv" for stem in stems)
        raise FileMissingError(
            f"{str(folder)!r} has no judgements for the predictions of {self.name}: none of {shown}; "
            "rm.hooks.mteb.save_qrels writes those of tasks"
        )

    def lists(self, folder: Path) -> Mapping[str, Mapping[str, float]]:
        """The documents of each query, without itself where the task ignores it."""
        said = folder / self.task / TASK
        try:
            if not (said.is_file() and json.loads(said.read_bytes())["ignore_identical_ids"]):
                return self.content
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{str(said)!r} is not what save_qrels writes: {error!r}") from error
        return {
            query: {document: score for document, score in found.items() if document != query}
            for query, found in self.content.items()
        }


def _saved(folder: Path) -> Iterator[_Predictions]:
    """All predictions of lists in a folder, by the names of the tasks."""
    names = tasks_of(folder)
    if not names:
        raise FileMissingError(f"{str(folder)!r} has no predictions of MTEB, which are called TASK{ENDING}")
    for task in names:
        file = folder / f"{task}{ENDING}"
        try:
            content = json.loads(file.read_bytes())
            splits = [
                (subset, split, found)
                for subset, of_subset in content.items()
                if subset != MODEL
                for split, found in of_subset.items()
            ]
        except (ValueError, AttributeError) as error:
            raise FormatError(f"{str(file)!r} is no file of predictions of MTEB: {error}") from error
        for subset, split, found in splits:
            if isinstance(found, dict) and all(isinstance(lists, dict) for lists in found.values()):
                yield _Predictions(task, subset, split, len(splits) == 1, found)


def _written(judged: Mapping[str, Mapping[str, int]]) -> str:
    """Judgements as BEIR has them."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((query, item, grade) for query, items in judged.items() for item, grade in items.items())
    return text.getvalue()
