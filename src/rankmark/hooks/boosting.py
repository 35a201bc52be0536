"""Metrics for the training of LightGBM, XGBoost and CatBoost: groups are lists, and rows labelled scores.

Tools keep values by name, and have measures of their own that are called alike and defined otherwise. So what
they print of rankmark ends in ``-rankmark``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark.errors import DataError, UsageError
from rankmark.hooks.prepared import Asked, Options, is_more_better, sizes_of
from rankmark.language.choices import given
from rankmark.tools import tool

if TYPE_CHECKING:
    from rankmark.language.measure import Measure

__all__ = ["CatBoostMetric", "LightGBMMetric", "XGBoostMetric", "catboost", "lightgbm", "xgboost"]

OURS = "-rankmark"
"""What the names end in that tools print and keep values by."""


def lightgbm(measures: str | Measure | Iterable[str | Measure], **options: Unpack[Options]) -> LightGBMMetric:
    """Measures as a metric of LightGBM: ``feval`` of `lightgbm.train`, ``eval_metric`` of its models.

    Values are those of `rankmark.evaluate_predictions` of the data set's labels, groups and predictions.
    Whether more is better is said by the measures' pages, so that early stopping works. What does not depend
    on the predictions is made once for each data set. What LightGBM prints and keeps is named
    ``nDCG@10-rankmark``, so that its own ``ndcg@10`` may stand beside it.

    Measures of lists and of each query (nDCG, AP, GAUC …) need the data set's groups; others (AUC, LogLoss …)
    do not. Predictions are probabilities where LightGBM's own objective is one of classes, and raw scores
    where the objective is a function of yours: then measures of probabilities need ``logits=True``. Of
    several classes each row has as many scores.

    The data set's weights count in measures of rows as weights of the rows; in measures of lists a query
    weighs the mean of its rows' weights, as in LightGBM's own. Measures that know no weights are refused
    then.

    Args:
        measures: one or several, as for `rankmark.evaluate_predictions`.
        **options: ``like``, ``ties`` (the order of equal scores; the mean over all orders if None),
            ``no_relevant`` and ``short_lists`` as for `rankmark.evaluate_predictions`; ``logits``, whether
            predictions are logits, of which measures of probabilities and of decisions at a threshold see
            1/(1 + exp(−logit)), or softmax of several classes; ``weighted``, whether weights count.

    Raises:
        UsageError: an unknown measure or option, or a measure of which neither more nor less is better.

    Example:
        >>> import rankmark as rm
        >>> metric = rm.hooks.lightgbm("nDCG@10, AP")
        >>> metric([1, 0, 0, 1], [0.9, 0.8, 0.2, 0.3], None, [2, 2])  # as LightGBM calls it
        [('nDCG@10-rankmark', 1.0, True), ('AP-rankmark', 1.0, True)]

    """
    return LightGBMMetric(measures, given(options, Options, lightgbm))


def xgboost(measures: str | Measure | Iterable[str | Measure], **options: Unpack[Options]) -> XGBoostMetric:
    """Measures as a metric of XGBoost: ``custom_metric`` of `xgboost.train`, ``eval_metric`` of its models.

    With `xgboost.train` and `cv`, values are those of `rankmark.evaluate_predictions` of the matrix' labels,
    groups (``qid``) and predictions, of several measures at once. Weights, of rows or of groups, count as in
    `lightgbm`.

    What XGBoost prints and keeps ends in ``-rankmark``, so that its own ``ndcg@10`` may stand beside it. Its
    early stopping takes less for better, unless told, or a name begins with ``auc``, ``map``, ``ndcg`` or
    ``pre``. So a measure of which more is better is printed in small letters where these tell it
    (``ndcg@10-rankmark``), and any other as ``prefer-more-GAUC-rankmark``; `early_stopping` of the metric
    goes by no name.

    XGBoost's models hand over less. XGBClassifier and XGBRegressor give labels, predictions and weights: one
    measure of rows. XGBRanker gives one group at a time, and takes a mean of its own, in which a group of one
    row is 1, and groups weigh by their rows (XGBoost 3.2): one measure of lists, whose value is not that of
    an evaluation. Use `xgboost.train` for anything else.

    Predictions are probabilities or whatever XGBoost's objective makes of its margins, and the margins
    themselves where the objective is a function of yours: then measures of probabilities need
    ``logits=True``.

    Args:
        measures: one or several, as for `rankmark.evaluate_predictions`.
        **options: as for `lightgbm`.

    Raises:
        UsageError: an unknown measure or option.

    Example:
        >>> import rankmark as rm
        >>> metric = rm.hooks.xgboost("LogLoss, GAUC, nDCG@10")
        >>> metric.names, metric.maximize
        (['LogLoss-rankmark', 'prefer-more-GAUC-rankmark', 'ndcg@10-rankmark'], True)

    """
    return XGBoostMetric(measures, given(options, Options, xgboost))


def catboost(
    measure: str | Measure,
    *,
    group_id: Any = None,
    labels: Any = None,
    **options: Unpack[Options],
) -> CatBoostMetric:
    """A measure as a metric of CatBoost, for ``eval_metric``.

    CatBoost does not tell metrics the groups, so they are said here, of every data set, and found by the
    number of rows. Values are those of `rankmark.evaluate_predictions` of labels, groups and predictions.
    What CatBoost prints and keeps is named ``nDCG@10-rankmark``.

    Args:
        measure: one, as for `rankmark.evaluate_predictions`.
        group_id: the group of each row, as the `Pool` has it; for a training and an evaluation set a list of
            both. Measures of rows need none.
        labels: a list of the labels of each set, which tell sets apart that have the same number of rows.
        **options: as for `lightgbm`. Predictions of CatBoost are always raw, so that ``logits`` is True if it
            is not said. Weights of rows and groups reach the metric as weights of rows.

    Raises:
        UsageError: an unknown measure or option, several measures, or one of which neither more nor less is
            better; or data sets that nothing tells apart.
        DataError: the rows of a group do not stand together.

    Example:
        >>> import rankmark as rm
        >>> metric = rm.hooks.catboost("nDCG@10", group_id=["a", "a", "b", "b"])
        >>> metric.evaluate([[0.9, 0.8, 0.2, 0.3]], [1, 0, 0, 1], None), metric.is_max_optimal()
        ((1.0, 1.0), True)

    """
    name, *others = Asked(measure).named()
    if others:
        raise UsageError(f"CatBoost takes one measure for its eval_metric, and {measure!r} are several")
    # CatBoost prints the name of the class.
    kind: type[CatBoostMetric] = type(name + OURS, (CatBoostMetric,), {"__doc__": CatBoostMetric.__doc__})
    return kind(measure, group_id, labels, given(options, Options, catboost))


class LightGBMMetric:
    """Measures as LightGBM calls metrics; made by `rankmark.hooks.lightgbm`."""

    def __init__(self, measures: str | Measure | Iterable[str | Measure], options: Mapping[str, Any]) -> None:
        self._asked = Asked(measures, **options)
        for measure in self._asked.asked():
            is_more_better(measure, "LightGBM")

    def __repr__(self) -> str:
        return f"rankmark.hooks.lightgbm({', '.join(self._asked.named())})"

    def __call__(
        self, first: Any, second: Any, weight: Any = None, group: Any = None
    ) -> list[tuple[str, float, bool]]:
        """Name, value and whether more is better, of each measure.

        Args:
            first: the predictions; or the labels, where models call.
            second: the data set; or the predictions.
            weight: one a row.
            group: how many rows each group has.

        """
        labels, scores = first, second
        if hasattr(second, "get_label"):
            labels, scores = second.get_label(), first
            weight, group = second.get_weight(), second.get_group()
        values = list(self._asked.values(labels, scores, group, weight).values())
        measures = self._asked.asked(classes=np.ndim(scores) == 2)
        named = zip(self._asked.named(), values, measures, strict=True)
        return [(name + OURS, value, is_more_better(measure, "LightGBM")) for name, value, measure in named]


class XGBoostMetric:
    """Measures as XGBoost calls metrics; made by `rankmark.hooks.xgboost`.

    Attributes:
        names: what XGBoost prints.
        maximize: whether more of the last measure, by which training stops early, is better.

    """

    def __init__(self, measures: str | Measure | Iterable[str | Measure], options: Mapping[str, Any]) -> None:
        self._asked = Asked(measures, **options)
        named = self._asked.named()
        self.names = [_told(name, each) for name, each in named.items()]
        *_, last = named.values()
        self.maximize = last.better == "more"
        self.__name__ = self.names[-1]

    def __repr__(self) -> str:
        return f"rankmark.hooks.xgboost({', '.join(self._asked.named())})"

    def __call__(self, first: Any, second: Any, sample_weight: Any = None) -> Any:
        """Name and value of each measure; or, where models call with labels and predictions, the value.

        Raises:
            UsageError: several measures, or a measure of groups, where models call.

        """
        if hasattr(second, "get_uint_info"):
            borders = second.get_uint_info("group_ptr")
            sizes = np.diff(borders.astype(np.int64)) if len(borders) > 1 else None
            self._check_classes(first, second.get_label())
            values = self._asked.values(second.get_label(), first, sizes, second.get_weight())
            return list(zip(self.names, values.values(), strict=True))
        if len(self.names) > 1:
            raise UsageError(
                f"XGBoost's models take one measure, and here are {len(self.names)}; xgboost.train takes "
                "several as custom_metric"
            )
        (measure,) = self._asked.asked()
        sizes = [len(first)] if measure.page.kind == "list" else None
        (value,) = self._asked.values(first, second, sizes, sample_weight).values()
        return value

    def _check_classes(self, scores: Any, labels: Any) -> None:
        """Refuses the classes that ``multi:softmax`` predicts, which are no scores of classes."""
        of_classes = [each for each in self._asked.asked(classes=True) if each.page.kind == "class"]
        are_classes = np.ndim(scores) == 1 and not (np.asarray(scores) % 1).any()
        if of_classes and are_classes and len(np.unique(labels)) > 2:
            raise DataError(
                f"{of_classes[0]} takes a score of each class, and the predictions are one class a row; take "
                "the objective multi:softprob, which gives probabilities and the same model"
            )

    def early_stopping(self, rounds: int, **options: Any) -> Any:
        """XGBoost's callback that stops after so many rounds without a better value of the last measure.

        Args:
            rounds: how many.
            **options: those of `xgboost.callback.EarlyStopping`, such as ``save_best``.

        Raises:
            MeasureError: neither more nor less of the measure is better.
            ToolMissingError: XGBoost is not installed.

        """
        *_, last = self._asked.asked()
        maximize = is_more_better(last, "early stopping")
        callbacks = tool("xgboost.callback", "xgboost")
        return callbacks.EarlyStopping(
            rounds=rounds, metric_name=self.names[-1], maximize=maximize, **options
        )


GREATER = ("auc", "map", "ndcg", "pre")
"""XGBoost takes more for better where a name begins so, but for ``mape`` alone."""


def _told(name: str, measure: Measure) -> str:
    """The name, by which XGBoost takes more for better where it is, and only there."""
    if measure.better == "more":
        lower = name.lower()
        return (lower if lower.startswith(GREATER) else f"prefer-more-{name}") + OURS
    return (name.upper() if name.startswith(GREATER) else name) + OURS


class CatBoostMetric:
    """A measure as CatBoost calls metrics; made by `rankmark.hooks.catboost`."""

    no_jit = True
    """Numba, which CatBoost would have compile the metric, cannot."""

    def __init__(
        self, measure: str | Measure, group_id: Any, labels: Any, options: Mapping[str, Any]
    ) -> None:
        self._made_of = measure, group_id, labels, options
        self._asked = Asked(measure, **{"logits": True, **options})
        self._better = is_more_better(self._asked.asked()[0], "CatBoost")
        self._labels = None if labels is None else [np.asarray(each, np.float64) for each in _several(labels)]
        self._sizes = [sizes_of(each) for each in _several(group_id)]
        self._check_told_apart()

    def _check_told_apart(self) -> None:
        rows = [int(sizes.sum()) for sizes in self._sizes]
        if self._labels is not None and [len(each) for each in self._labels] != rows:
            raise UsageError(
                "labels and group_id are lists of the same data sets: one label and one group a row"
            )
        for at, sizes in enumerate(self._sizes):
            for other, others in enumerate(self._sizes[:at]):
                alike = rows[at] == rows[other] and not np.array_equal(sizes, others)
                if alike and (self._labels is None or np.array_equal(self._labels[at], self._labels[other])):
                    raise UsageError(
                        f"two data sets have {rows[at]:,} rows and other groups, and CatBoost does not tell "
                        "metrics which is evaluated; say labels=[y_train, y_valid], which do, or leave a row "
                        "out of one"
                    )

    def __repr__(self) -> str:
        return f"rankmark.hooks.catboost({', '.join(self._asked.named())})"

    def is_max_optimal(self) -> bool:
        """Whether more is better."""
        return self._better

    def evaluate(self, approxes: Sequence[Any], target: Any, weight: Any) -> tuple[float, float]:
        """The measure's value, as a sum over one.

        Args:
            approxes: the raw predictions, of each class if there are several.
            target: the labels.
            weight: the weights of the rows, if there are any.

        Raises:
            DataError: what the measure cannot take, or a data set whose groups are not known.

        """
        scores = np.asarray(approxes[0]) if len(approxes) == 1 else np.column_stack(approxes)
        (value,) = self._asked.values(target, scores, self._groups(np.asarray(target)), weight).values()
        return value, 1.0

    def _groups(self, target: NDArray[Any]) -> NDArray[Any] | None:
        """The sizes of the groups of a data set with these labels."""
        if not self._sizes:
            return None
        fitting = [at for at, sizes in enumerate(self._sizes) if sizes.sum() == len(target)]
        if not fitting:
            known = ", ".join(f"{sizes.sum():,}" for sizes in self._sizes)
            raise DataError(
                f"CatBoost evaluates a data set of {len(target):,} rows, and group_id is of {known}; give "
                "the groups of every data set, group_id=[of the training set, of the evaluation set]"
            )
        if self._labels is not None:
            fitting = [at for at in fitting if np.array_equal(self._labels[at], target)] or fitting
        return self._sizes[fitting[0]]

    def get_final_error(self, error: float, weight: float) -> float:
        """The value."""
        return error / weight if weight else error

    def __reduce__(self) -> tuple[Any, ...]:
        measure, group_id, labels, options = self._made_of
        return _again, (measure, group_id, labels, dict(options))


def _again(measure: Any, group_id: Any, labels: Any, options: Any) -> CatBoostMetric:
    return catboost(measure, group_id=group_id, labels=labels, **options)


def _several(values: Any) -> list[Any]:
    """The values of each data set, of which there may be one."""
    if values is None:
        return []
    nested = isinstance(values, list | tuple) and len(values) and not isinstance(values[0], str | bytes)
    return list(values) if nested and hasattr(values[0], "__len__") else [values]
