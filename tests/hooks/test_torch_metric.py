"""A metric of torchmetrics that gives what rankmark gives, in one process and in several."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from installed import beside, peer
from processes import PATIENCE, started

tool_version = beside("torchmetrics")


@pytest.fixture(scope="module")
def torch() -> Any:
    return peer("torch", "torch")


def lists(seed: int = 0, queries: int = 30) -> dict[str, np.ndarray]:
    """Rows of queries of 1 to 12 items, a query after the other."""
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(queries), rng.integers(1, 13, queries))
    score = (rng.permutation(len(query)) + 1) / (len(query) + 1)
    return {"query": query, "score": score, "relevance": rng.integers(0, 3, len(query))}


def batches(torch: Any, rows: dict[str, np.ndarray], size: int = 7) -> list[dict[str, Any]]:
    """So many queries at a time."""
    part = rows["query"] // size
    names = {"preds": "score", "target": "relevance", "indexes": "query"}
    return [
        {name: torch.tensor(rows[column][part == number]) for name, column in names.items()}
        for number in np.unique(part)
    ]


def tables(rows: dict[str, np.ndarray]) -> tuple[Any, Any]:
    import polars as pl

    frame = pl.DataFrame(rows).with_columns(item=pl.int_range(pl.len()).over("query"))
    return frame.select("query", "item", "relevance"), frame.select("query", "item", "score")


def test_rows_in_batches_give_what_tables_give(torch: Any) -> None:
    rows = lists()
    metric = rm.hooks.TorchMetric("nDCG@3, RR, AP").set_dtype(torch.float64)
    assert metric.higher_is_better is True
    assert repr(metric) == "TorchMetric(nDCG@3, RR, AP)"
    for batch in batches(torch, rows):
        of_batch = metric(**batch)
        alone = rm.hooks.TorchMetric("nDCG@3, RR, AP").set_dtype(torch.float64)
        alone.update(**batch)
        assert of_batch == alone.compute()
    expected = rm.evaluate(*tables(rows), "nDCG@3, RR, AP")
    assert {name: float(value) for name, value in metric.compute().items()} == expected.values
    assert metric.result().per_query.equals(expected.per_query)
    metric.reset()
    with (
        pytest.raises(rm.DataError, match="there was no batch yet"),
        pytest.warns(UserWarning, match="before"),
    ):
        metric.compute()


def test_scores_of_all_items_give_what_arrays_give(torch: Any) -> None:
    rng = np.random.default_rng(1)
    scores, seen = rng.random((10, 20)).astype(np.float32), [[row % 20] for row in range(10)]
    grades = rng.integers(0, 2, (10, 20))
    metric = rm.hooks.TorchMetric("R@5")
    for start in (0, 5):
        part = slice(start, start + 5)
        value = metric(
            torch.tensor(scores[part]).to(torch.bfloat16).float(),
            torch.tensor(grades[part]),
            exclude=seen[part],
        )
        assert value.shape == ()  # one measure is one number
    rounded = torch.tensor(scores).to(torch.bfloat16).float().numpy()
    expected = rm.evaluate_arrays(rounded, grades, "R@5", exclude=seen)["R@5"]
    assert metric.compute() == torch.tensor(expected, dtype=torch.float32)


def test_predictions_are_added_up_as_rows(torch: Any) -> None:
    rng = np.random.default_rng(2)
    label, score = rng.integers(0, 2, 50), rng.random(50).astype(np.float32)
    metric = rm.hooks.TorchMetric("AUC, LogLoss, nDCG@10", repeated=None).set_dtype(torch.float64)
    assert metric.higher_is_better is None  # AUC is, LogLoss is not
    user = np.arange(50) % 10
    for start in (0, 20):
        part = slice(start, start + 20 if start == 0 else 50)
        metric.update(torch.tensor(score[part]), torch.tensor(label[part]), torch.tensor(user[part]))
    table = {"label": label, "score": score, "query": user}
    expected = rm.evaluate_predictions(table, "AUC, LogLoss, nDCG@10").values
    assert {name: float(value) for name, value in metric.compute().items()} == pytest.approx(
        expected, rel=1e-12
    )


BOTH = "nDCG@3, AUC, LogLoss, AP, GAUC"


def clicked(rows: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The same rows with labels of 0 and 1."""
    return {**rows, "relevance": (rows["relevance"] > 1).astype(int)}


def of_table(rows: dict[str, np.ndarray], measures: str = BOTH) -> Any:
    """What a table of the rows comes to."""
    table = {"label": rows["relevance"], "score": rows["score"], "query": rows["query"]}
    return pytest.approx(rm.evaluate_predictions(table, measures).values, rel=1e-12)


def numbers(values: dict[str, Any]) -> dict[str, float]:
    """Values of tensors."""
    return {name: float(value) for name, value in values.items()}


def test_rows_beside_lists_are_those_of_queries_that_come_once(torch: Any) -> None:
    rows = clicked(lists())
    parts = batches(torch, rows)
    metric = rm.hooks.TorchMetric(BOTH).set_dtype(torch.float64)
    first = rm.hooks.TorchMetric(BOTH, repeated="first").set_dtype(torch.float64)
    apart = rm.hooks.TorchMetric(BOTH, repeated="apart").set_dtype(torch.float64)
    for part in parts:
        metric.update(**part)
        first.update(**part)
        apart.update(**part)
        first.update(**part)
    with pytest.raises(
        rm.DataError, match=r"query 7 was given before, and so were 6 others; .* repeated=None"
    ):
        metric.update(**parts[1])
    assert numbers(metric.compute()) == numbers(first.compute()) == numbers(apart.compute()) == of_table(rows)
    assert first.result().notes[0] == "queries that were there came again 30 times and were dropped"
    again = pickle.loads(pickle.dumps(first))
    again.update(**parts[0])
    assert again.result().notes[0] == "queries that were there came again 37 times and were dropped"
    apart.update(**parts[0])
    more = {
        name: np.append(values, values[rows["query"] < 7] + (100 if name == "query" else 0))
        for name, values in rows.items()
    }
    assert numbers(apart.compute()) == of_table(more)


def test_rows_beside_lists_come_from_matrices_too(torch: Any) -> None:
    rng = np.random.default_rng(6)
    scores, labels = rng.random((12, 9)), rng.integers(0, 2, (12, 9))
    lengths = rng.integers(2, 10, 12)
    mask = np.arange(9) < lengths[:, None]
    row, _ = np.nonzero(mask)
    expected = of_table({"score": scores[mask], "relevance": labels[mask], "query": row})
    padded = np.where(mask, labels, -1)
    for options, given, more in (
        ({}, labels, {"mask": mask}),
        ({}, labels, {"lengths": lengths}),
        ({"negative": "padding"}, padded, {}),
    ):
        for ids in (None, np.arange(12)):
            metric = rm.hooks.TorchMetric(BOTH, **options).set_dtype(torch.float64)
            for part in (slice(0, 5), slice(5, None)):
                extra = {name: torch.tensor(values[part]) for name, values in more.items()}
                indexes = None if ids is None else torch.tensor(ids[part])
                metric.update(torch.tensor(scores[part]), torch.tensor(given[part]), indexes, **extra)
            assert numbers(metric.compute()) == expected
    with pytest.raises(rm.UsageError, match="give lengths or a mask, not both"):
        metric.update(torch.rand(2, 3), torch.ones(2, 3), mask=torch.ones(2, 3), lengths=[1, 2])
    with pytest.raises(rm.UsageError, match="beside those of lists do not look at exclude"):
        metric.update(torch.rand(2, 3), torch.ones(2, 3), exclude=[[0], [1]])


def test_a_target_below_0_is_what_it_is_said_to_be(torch: Any) -> None:
    """Padding in keras-rs, where torchmetrics takes grades alone, and a grade in TREC's judgements."""
    scores, target = torch.tensor([[0.9, 0.5, 0.1]]), torch.tensor([[-1, 1, 0]])
    with pytest.raises(rm.DataError, match=r"1 labels are below 0, the least is -1: .* say which"):
        rm.hooks.TorchMetric("RR").update(scores, target)
    for negative, value in (("padding", 1.0), ("grade", 0.5)):
        for indexes in (None, torch.tensor([[0, 0, 0]])):
            metric = rm.hooks.TorchMetric("RR", negative=negative)
            metric.update(scores, target, indexes)
            assert metric.compute() == value
    rows = rm.hooks.TorchMetric("MAE", negative="padding")
    rows.update(scores[0], target[0])
    assert float(rows.compute()) == pytest.approx(0.3)
    as_they_are = rm.hooks.TorchMetric("MAE")  # of predictions, whose labels are any numbers
    as_they_are.update(scores[0], target[0])
    assert float(as_they_are.compute()) == pytest.approx(2.5 / 3)
    with pytest.raises(rm.UsageError, match="negative='none' is not one of error, padding, grade"):
        rm.hooks.TorchMetric("RR", negative="none")


def test_logits_are_made_probabilities(torch: Any) -> None:
    rng = np.random.default_rng(7)
    label, logit = rng.integers(0, 2, 60), (rng.normal(size=60) * 8).astype(np.float32)
    measures = "LogLoss, Brier, BinaryF(threshold=0.5)"
    metric = rm.hooks.TorchMetric(measures, logits=True).set_dtype(torch.float64)
    for part in (slice(0, 20), slice(20, None)):
        metric.update(torch.tensor(logit[part], requires_grad=True), torch.tensor(label[part]))
    table = {"label": label, "score": 1 / (1 + np.exp(-logit.astype(np.float64)))}
    expected = rm.evaluate_predictions(table, measures).values
    assert numbers(metric.compute()) == pytest.approx(expected, rel=1e-12)
    classes, logits = rng.integers(0, 3, 40), rng.normal(size=(40, 3))
    of_classes = rm.hooks.TorchMetric("LogLoss, Accuracy", logits=True).set_dtype(torch.float64)
    of_classes.update(torch.tensor(logits), torch.tensor(classes))
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    expected = rm.evaluate_predictions({"label": classes, "score": shares}, "LogLoss, Accuracy").values
    assert numbers(of_classes.compute()) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(rm.UsageError, match="and AUC sees scores as they are: ask for it in a metric of its"):
        rm.hooks.TorchMetric("LogLoss, AUC", logits=True)


def test_rows_with_numbers_of_their_own_count_once(torch: Any) -> None:
    rows = rm.hooks.TorchMetric("MAE", repeated="first")
    for numbered in ([0, 1, 2], [2, 3]):
        at = torch.tensor(numbered)
        rows.update(at * 0.1, torch.zeros(len(at)), at)
    assert float(rows.compute()) == pytest.approx(0.15)
    with pytest.raises(rm.UsageError, match=r'repeated="apart" is of queries of lists'):
        rm.hooks.TorchMetric("MAE", repeated="apart")


@pytest.mark.parametrize(
    ("name", "asked", "options"),
    [
        ("RetrievalNormalizedDCG", "RetrievalNormalizedDCG@3", {"top_k": 3}),
        ("RetrievalMAP", "RetrievalMAP", {}),
        ("RetrievalRecall", "RetrievalRecall@5", {"top_k": 5}),
    ],
)
def test_its_own_metrics_of_retrieval_give_the_same(torch: Any, name: str, asked: str, options: Any) -> None:
    rows = lists(3)
    rows["relevance"] = (rows["relevance"] > 1).astype(int)
    theirs = getattr(peer("torchmetrics.retrieval", "torchmetrics"), name)(**options)
    ours = rm.hooks.TorchMetric(asked, like="torchmetrics")
    for batch in batches(torch, rows):
        ours.update(**batch)
        theirs.update(**batch)
    assert float(ours.compute()) == pytest.approx(float(theirs.compute()), rel=2e-6)


def test_it_works_as_torchmetrics_metrics_do(torch: Any) -> None:
    metrics = peer("torchmetrics", "torchmetrics")
    rows = batches(torch, lists())
    both = metrics.MetricCollection(
        {
            "one": rm.hooks.TorchMetric("nDCG@3, RR"),
            "same": rm.hooks.TorchMetric("nDCG@3, RR"),
            "map": rm.hooks.TorchMetric("AP"),
            "theirs": metrics.retrieval.RetrievalMRR(),
        }
    )
    for batch in rows:
        both.update(**batch | {"target": batch["target"] > 0})
    values = both.compute()
    assert set(values) == {"one_nDCG@3", "one_RR", "same_nDCG@3", "same_RR", "map", "theirs"}
    assert float(values["same_RR"]) == pytest.approx(float(values["theirs"]), rel=1e-6)
    whole, part = rm.hooks.TorchMetric("AP"), rm.hooks.TorchMetric("AP")
    for batch in rows[:2]:
        whole.update(**batch)
    for batch in rows[2:]:
        part.update(**batch)
    expected = rm.evaluate(*tables(lists()), "AP")["AP"]
    whole.persistent(True)
    loaded = rm.hooks.TorchMetric("AP")
    loaded.load_state_dict(whole.state_dict())
    for start in (copy.deepcopy(whole), whole.clone(), pickle.loads(pickle.dumps(whole)), loaded):
        start.to("cpu").double().merge_state(part)
        with (
            nullcontext() if start.update_called else pytest.warns(UserWarning, match="before the ``update``")
        ):
            assert float(start.compute()) == pytest.approx(expected, rel=1e-7)
    with pytest.raises(rm.UsageError, match="different measures do not merge"):
        whole.merge_state(both["one"])
    kept = rm.hooks.TorchMetric("AP", compute_on_cpu=True, sync_on_compute=False)
    kept.update(**rows[0])
    assert kept in {kept}
    better = metrics.MetricTracker(rm.hooks.TorchMetric("AP"))
    for batch in rows[:2]:
        better.increment()
        better.update(**batch)
    assert better.best_metric() == max(better.compute_all().tolist())


def test_what_other_processes_have_is_there_while_it_is_computed_alone(torch: Any) -> None:
    """As torchmetrics asks for it, with a function in the place of a network."""

    def both(**options: Any) -> tuple[Any, Any]:
        other = rm.hooks.TorchMetric("RR", **options)

        def gathered(sent: Any, group: Any) -> list[Any]:
            assert group is None  # all processes
            return [sent, other._bytes()]

        network = {"distributed_available_fn": lambda: True, "dist_sync_fn": gathered}
        return rm.hooks.TorchMetric("RR", **options, **network), other

    best, second = ((torch.tensor([scores]), torch.tensor([[1, 0]])) for scores in ([0.9, 0.1], [0.1, 0.9]))
    mine, other = both()
    mine.update(*best)
    assert mine.compute() == 1  # of what one process alone has
    other.update(*second)
    mine.update(*second)
    assert float(mine.compute()) == pytest.approx(2 / 3)  # without ids each row is a query of its own
    assert mine.result().counts.judged == 3
    mine, other = both()
    mine.update(*best, torch.tensor([7]))
    other.update(*second, torch.tensor([8]))
    other.update(*best, torch.tensor([7]))
    assert mine.compute() == 0.75
    mine.update(*second, torch.tensor([9]))  # the others' are no longer there
    assert float(mine.compute()) == pytest.approx(2 / 3)
    with pytest.raises(rm.DataError, match="query 7 was given before"):
        mine.update(*best, torch.tensor([7]))
    mine, other = both(repeated="apart")
    mine.update(*best, torch.tensor([7]))
    other.update(*second, torch.tensor([7]))
    assert mine.compute() == 0.75


def test_what_does_not_fit_is_refused_and_changes_nothing(torch: Any) -> None:
    rows = batches(torch, lists())
    metric = rm.hooks.TorchMetric("AP")
    metric.update(**rows[0])
    value = metric.compute()
    again = rows[1] | {"indexes": rows[0]["indexes"][:1].expand(len(rows[1]["indexes"]))}
    with pytest.raises(rm.DataError, match=r'query 0 was given before.*"first" to drop'):
        metric.update(**again)
    with pytest.raises(rm.UsageError, match="AP is of lists: give the query of each row as indexes"):
        metric.update(rows[1]["preds"], rows[1]["target"])
    with pytest.raises(rm.UsageError, match=r"different numbers of rows: .* 1 of the relevance"):
        metric.update(rows[1]["preds"], rows[1]["target"][:1], rows[1]["indexes"])
    with pytest.raises(rm.UsageError, match="measures of lists do not look at weights"):
        metric.update(**rows[1], weights=rows[1]["preds"])
    with pytest.raises(rm.UsageError, match="rows with their queries do not look at lengths"):
        metric.update(**rows[1], lengths=[1])
    with pytest.raises(rm.UsageError, match="give indexes, one a row"):
        rm.hooks.TorchMetric("AP", repeated="first").update(torch.rand(2, 3), torch.ones(2, 3))
    metric._computed = None
    assert metric.compute() == value
    with pytest.raises(rm.MeasureError, match="no measure 'nDGC'"):
        rm.hooks.TorchMetric("nDGC")
    with pytest.raises(rm.UsageError, match="luck"):
        rm.hooks.TorchMetric("AP", luck=1)


WORKER = """
import json, sys
import torch
import rankmark as rm
folder, rank = sys.argv[1], int(sys.argv[2])
data = torch.load(folder + "/data.pt")
torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
torch.set_num_threads(1)

class Queries(torch.utils.data.Dataset):
    def __len__(self):
        return int(data["query"].max()) + 1
    def __getitem__(self, query):
        return torch.nonzero(data["query"] == query).ravel()

queries = Queries()
sampler = torch.utils.data.DistributedSampler(queries, shuffle=True, seed=5)
loader = torch.utils.data.DataLoader(queries, batch_size=4, sampler=sampler, collate_fn=torch.cat)
lists = rm.hooks.TorchMetric("nDCG@3, RR, AP").set_dtype(torch.float64)
rows = rm.hooks.TorchMetric("LogLoss, AUC").set_dtype(torch.float64)
both = rm.hooks.TorchMetric("nDCG@3, AUC, LogLoss, GAUC").set_dtype(torch.float64)
alone = rm.hooks.TorchMetric("AP")  # of which one process has nothing
for at in loader:
    lists(data["score"][at], data["relevance"][at], data["query"][at])
    both.update(data["score"][at], (data["relevance"][at] > 1).long(), data["query"][at])
half = slice(rank, None, 2)
rows.update(data["score"][half], data["relevance"][half] > 1)
if rank:
    at = data["query"] < 5
    alone.update(data["score"][at], data["relevance"][at], data["query"][at])
else:
    alone._update_count = 1
said = {
    "lists": {name: value.item().hex() for name, value in lists.compute().items()},
    "rows": {name: value.item() for name, value in rows.compute().items()},
    "both": {name: value.item() for name, value in both.compute().items()},
    "dropped": both.result().notes[0],
    "alone": alone.compute().item(),
    "notes": lists.result().notes,
    "queries": lists.result().query_ids,
    "own": sum(1 for _ in sampler),
}
print(json.dumps(said))
"""


@pytest.mark.process
def test_two_processes_give_what_one_gives_to_the_last_bit(torch: Any, tmp_path: Path) -> None:
    rows = lists(4, queries=31)  # one too few for two
    torch.save({name: torch.tensor(values) for name, values in rows.items()}, tmp_path / "data.pt")
    (tmp_path / "worker.py").write_text(WORKER)
    said = []
    command = [sys.executable, str(tmp_path / "worker.py"), str(tmp_path)]
    pipes: dict[str, Any] = {"stdout": -1, "stderr": -1, "text": True}
    with started([*command, "0"], **pipes) as one, started([*command, "1"], **pipes) as other:
        for process in (one, other):
            out, errors = process.communicate(timeout=PATIENCE)
            assert process.returncode == 0, errors
            said.append(json.loads(out))
    assert said[0] == said[1]
    expected = rm.evaluate(*tables(rows), "nDCG@3, RR, AP")
    assert said[0]["lists"] == {name: value.hex() for name, value in expected.values.items()}
    assert said[0]["queries"] == list(range(31))
    assert said[0]["own"] == 16
    assert said[0]["notes"] == ["queries that were there came again 1 times and were dropped"]
    table = {"score": rows["score"], "label": rows["relevance"] > 1}
    assert said[0]["rows"] == pytest.approx(rm.evaluate_predictions(table, "LogLoss, AUC").values, rel=1e-14)
    assert said[0]["both"] == of_table(clicked(rows), "nDCG@3, AUC, LogLoss, GAUC")
    assert said[0]["dropped"] == "queries that were there came again 1 times and were dropped"
    few = {name: values[rows["query"] < 5] for name, values in rows.items()}
    assert said[0]["alone"] == pytest.approx(rm.evaluate(*tables(few), "AP")["AP"], rel=1e-6)
