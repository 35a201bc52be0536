"""Measures as a metric of torchmetrics, and so of Lightning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rankmark.api.evaluator import Repeated
from rankmark.errors import DataError
from rankmark.hooks.batches import Batches, Negative, Part
from rankmark.language.measure import Measure
from rankmark.results.base import Result
from rankmark.tools import base, tool

__all__ = ["TorchMetric"]

Metric: Any = base("torchmetrics", "Metric", "torchmetrics")

THEIRS = (
    "compute_on_cpu",
    "dist_sync_on_step",
    "process_group",
    "dist_sync_fn",
    "distributed_available_fn",
    "sync_on_compute",
    "compute_with_cache",
)
"""The options of every metric of torchmetrics."""


class TorchMetric(Metric):  # type: ignore[misc]
    """Measures as a metric of torchmetrics: in loops, in a `MetricCollection`, in Lightning.

    Of lists the values of each query are kept, not the scores, and sent to the other processes when it is
    computed; the result is that of one process with all batches, to the last bit. Measures of predictions
    (AUC, LogLoss …) keep what `PredictionEvaluator` keeps. Tensors may be on any device.

    ``metric.update(preds, target, indexes)`` takes

    - rows, one of an item, with the query of each as `indexes`, as torchmetrics' own metrics of retrieval do.
      A query is to be whole in one batch; items are numbered in it, unless `items` says what they are;
    - scores of shape [queries, items], with what is relevant, ``exclude``, ``items``, ``lengths`` and
      ``mask`` as in `Evaluator.update_arrays`, and the id of each row as `indexes`. Without them every row is
      a query of its own;
    - for measures of predictions labels and scores, with ``weights``, as `PredictionEvaluator.update_arrays`.

    Measures of lists and of predictions side by side take what lists take, and rows are those of the lists,
    of which ``exclude`` and ``items`` cannot be said.

    A sampler that gives all processes equally many queries repeats some. With `indexes`, those that another
    process had, too, are dropped and counted, of lists and of the rows beside them; without, nobody can know
    them. For measures of predictions alone say ``repeated="first"`` and give the number of each row as
    `indexes`.

    ``compute()`` is a tensor of one number for one measure, for several a dict of them by name, of
    `set_dtype`'s type, 32 bits if nothing was said. In Lightning several are logged at the end of an epoch by
    ``self.log_dict(metric.compute())`` and then ``metric.reset()``; one alone by ``self.log(name, metric)``,
    too. A `MetricCollection` knows the metrics of a list by their class alone: give it one metric of several
    measures, or a dict of several metrics.

    Where data keep the value of a convention's measure from being the tool's, a warning says so, once; it is
    among the notes of `result`.

    Args:
        measures: as in `rankmark.evaluate` or `rankmark.evaluate_predictions`, and so is `like`.
        like: a convention, such as ``"torchmetrics"``.
        repeated: what a query is that came in an earlier batch of the same process, as in `Evaluator`. Beside
            measures of predictions it can be None: then a query's list is of its rows from all batches. If
            all measures are of predictions, queries may come in several batches unless it is ``"first"``.
        negative: what a target below 0 is: an ``error`` where measures are of lists; ``padding``, of no item
            or row; or a ``grade`` of an item that is not relevant.
        logits: whether scores are logits, of which measures of probabilities, and those with a threshold, see
            1/(1 + exp(−logit)), or softmax of several classes. Others are asked for in a metric of their own.
        **options: the choices of `Evaluator` or the arguments of `PredictionEvaluator`, and what every metric
            of torchmetrics takes, such as ``process_group``.

    Raises:
        UsageError: an unknown measure, parameter or choice.

    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        measures: str | Measure | Iterable[str | Measure],
        *,
        like: str | None = None,
        repeated: Repeated | None = "error",
        negative: Negative = "error",
        logits: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(**{name: options.pop(name) for name in THEIRS if name in options})
        self._batches = Batches(measures, like, repeated, negative, logits, options, type(self))
        self._held: Part | None = None
        self.add_state("parts", default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool | None:
        """Whether more of each measure is better; None if that is not so of all or of none."""
        better = {measure.better for measure in self._batches.measures}
        return True if better == {"more"} else False if better == {"less"} else None

    @property
    def parts(self) -> list[Any]:
        """All batches so far, as what torchmetrics copies, merges, saves and loads: an evaluator as bytes."""
        return [] if self._held is None else [self._bytes()]

    @parts.setter
    def parts(self, parts: list[Any]) -> None:
        self._held = self._batches.joined(self._read(parts))

    def update(
        self,
        preds: Any,
        target: Any,
        indexes: Any = None,
        *,
        exclude: Any = None,
        items: Any = None,
        lengths: Any = None,
        mask: Any = None,
        weights: Any = None,
    ) -> None:
        """Adds a batch; what is refused changes nothing.

        Args:
            preds: scores, a tensor of one or two axes.
            target: grades or labels.
            indexes: the query of each row.
            exclude: for lists, items that are not to be in them.
            items: the item that each score is of.
            lengths: how many candidates each row of scores has.
            mask: which scores are of candidates.
            weights: for measures of predictions, the weight of each row.

        Raises:
            UsageError: tensors that do not fit together.
            DataError: NaN, targets below 0, a query that came before, or what a choice refuses.

        """
        more = {"exclude": exclude, "items": items, "lengths": lengths, "mask": mask, "weights": weights}
        self._take(self._batches.part(preds, target, indexes, **more))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a batch as `update` does, and computes what it alone comes to."""
        if self._is_synced or self.dist_sync_on_step:
            return super().forward(*args, **kwargs)
        before, self._held = self._held, None
        try:
            self.update(*args, **kwargs)
            batch = self._held
        finally:
            self._held = before
        self._take(batch)
        self._forward_cache = self._values(batch)
        return self._forward_cache

    def compute(self) -> Any:
        """The values of all batches of all processes, a tensor or a dict of them.

        Raises:
            DataError: there was no batch, or what a choice refuses.

        """
        return self._values(self._held)

    def result(self, **options: Any) -> Result:
        """The result of all batches of all processes, with each query's values and notes.

        Args:
            **options: those of `Evaluator.result` or `PredictionEvaluator.result`, such as ``intervals``.

        Raises:
            DataError: there was no batch, or what a choice refuses.

        """
        with self.sync_context(dist_sync_fn=self.dist_sync_fn, should_sync=self._to_sync):
            return self._whole(self._held).result(**options)

    def reset(self) -> None:
        """Forgets all batches."""
        self._held = None
        super().reset()

    def _take(self, part: Part | None) -> None:
        if self._held is None or part is None:
            self._held = self._held or part
        else:
            self._held.merge(part)

    def _values(self, part: Part | None) -> Any:
        torch = tool("torch", "torch")
        values = self._batches.value_of(self._whole(part))
        tensors = {
            name: torch.tensor(value, dtype=self.dtype, device=self.device) for name, value in values.items()
        }
        return tensors if len(self._batches.measures) > 1 else next(iter(tensors.values()))

    @staticmethod
    def _whole(part: Part | None) -> Part:
        if part is None:
            raise DataError("there was no batch yet; give preds and target by update")
        return part

    def _bytes(self) -> Any:
        torch = tool("torch", "torch")
        saved = b"" if self._held is None else self._held.to_bytes()
        return torch.tensor(bytearray(saved), dtype=torch.uint8)

    def _read(self, parts: Iterable[Any]) -> Iterable[Part]:
        return (self._batches.read(bytes(part.cpu().numpy())) for part in parts if part.numel())

    def _sync_dist(self, dist_sync_fn: Callable[..., Any] | None = None, process_group: Any = None) -> None:
        """Takes in what the other processes have; bytes, so that every backend and device can send them."""
        gather = tool("torchmetrics.utilities.distributed", "torchmetrics").gather_all_tensors
        sent = self._bytes().to(self.device)
        parts = (dist_sync_fn or gather)(sent, group=process_group or self.process_group)
        self._held = self._batches.joined(self._read(parts), workers=True)

    def _apply(self, fn: Callable[..., Any], exclude_state: Iterable[str] = ()) -> Any:
        """Moves to a device, or to another type, what `compute` gives; bytes stay what they are."""
        return super()._apply(fn, exclude_state=[*exclude_state, "parts"])

    def _move_list_states_to_cpu(self) -> None:
        """They are there."""

    def __repr__(self) -> str:
        return f"TorchMetric({', '.join(each.label for each in self._batches.measures)})"

    def __hash__(self) -> int:
        return hash((type(self).__name__, id(self)))  # and not of all that it holds, each time
