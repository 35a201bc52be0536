"""Scorers of scikit-learn: cross-validation and searches by measures, of lists where there are groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self, Unpack

import numpy as np
from numpy.typing import NDArray

from rankmark.errors import DataError, MeasureError, UsageError
from rankmark.hooks.prepared import Asked, Options, is_more_better, sees_probabilities, together
from rankmark.language.choices import given
from rankmark.language.plan import separate
from rankmark.tools import tool

if TYPE_CHECKING:
    from rankmark.language.measure import Measure

__all__ = ["Scorer", "scorer"]


def scorer(measures: str | Measure | Iterable[str | Measure], **options: Unpack[Options]) -> Scorer:
    """Measures as a scorer of scikit-learn: ``scoring`` of `cross_validate`, `GridSearchCV` ….

    Measures of lists and of each query take the groups by metadata routing, which has to be enabled, and
    which the scorer asks for: ``cross_validate(model, X, y, params={"groups": g}, scoring=…)``. Rows of a
    group that are in different folds are different lists: split by groups with `GroupKFold`. Measures of rows
    need neither.

    A greater score is always better: of measures of which less is better it is the negative, and several are
    returned as a dict in which these are called ``neg_…``, as scikit-learn calls them.

    Of classifiers of two classes, the second is the positive one. Measures of probabilities, and of decisions
    at a threshold, take `predict_proba`, others `decision_function` if there is one; of more classes all take
    the probabilities of each. Of any other model they take `predict`.

    Args:
        measures: one or several, as for `rankmark.evaluate_predictions`.
        **options: ``like``, ``ties``, ``no_relevant`` and ``short_lists`` as for
            `rankmark.evaluate_predictions`; ``logits``, whether predictions are logits, of which measures of
            probabilities see 1/(1 + exp(−logit)); ``weighted``, whether weights count, of rows in measures of
            rows, and in measures of lists the mean of a query's. Weights come by
            ``scorer.set_score_request(sample_weight=True)``.

    Raises:
        UsageError: an unknown measure or option, or a measure of which neither more nor less is better; or
            metadata routing is not enabled, and a measure needs groups.
        ToolMissingError: scikit-learn is not installed.

    Example:
        >>> import numpy as np, rankmark as rm
        >>> from sklearn.linear_model import LogisticRegression
        >>> X, y = np.arange(8.0)[:, None], np.array([0, 0, 1, 0, 1, 0, 1, 1])
        >>> model = LogisticRegression().fit(X, y)
        >>> {name: round(score, 4) for name, score in rm.hooks.scorer("AUC, LogLoss")(model, X, y).items()}
        {'AUC': 0.8125, 'neg_LogLoss': -0.5308}

    """
    return Scorer(measures, given(options, Options, scorer))


GIVING_GROUPS = "params={'groups': groups} in cross_validate, or groups=groups in fit of a search"


class Scorer:
    """Measures as scikit-learn calls scorers; made by `rankmark.hooks.scorer`."""

    def __init__(self, measures: str | Measure | Iterable[str | Measure], options: Mapping[str, Any]) -> None:
        separately = tuple(separate(measures))
        named = Asked(separately, **options).named()
        self._names = [
            name if is_more_better(each, "scikit-learn") else f"neg_{name}" for name, each in named.items()
        ]
        # Apart, because a model may have to answer otherwise for each.
        self._asked = [Asked(each, **options) for each in separately]
        self._of_groups = [each for each in named.values() if each.page.kind == "list" or each.per_query]
        routing = tool("sklearn", "scikit-learn").get_config()["enable_metadata_routing"]
        if self._of_groups and not routing:
            raise UsageError(
                f"{self._of_groups[0]} is a value of each group, and scorers are given groups by metadata "
                "routing alone: call sklearn.set_config(enable_metadata_routing=True) before this, and say "
                f"{GIVING_GROUPS}"
            )
        self._requests: dict[str, bool | str | None] = {"sample_weight": None}
        if self._of_groups:
            self._requests["groups"] = True

    def __call__(
        self, estimator: Any, features: Any, y_true: Any, *, groups: Any = None, sample_weight: Any = None
    ) -> Any:
        """The score, or of several measures a dict of them.

        Args:
            estimator: the fitted model.
            features: what it predicts from.
            y_true: the labels.
            groups: the group of each row.
            sample_weight: the weight of each row.

        Raises:
            DataError: labels or predictions that a measure cannot take, or no groups where it needs them.

        """
        if self._of_groups and groups is None:
            raise DataError(
                f"{self._of_groups[0]} is a value of each group, and the scorer was given none: say "
                f"{GIVING_GROUPS}"
            )
        truth = np.asarray(y_true)
        for name, column in (("groups", groups), ("weights", sample_weight)):
            if column is not None and len(column) != len(truth):
                raise DataError(f"there are {len(column):,} {name} and {len(truth):,} labels; give one a row")
        order, sizes = (slice(None), None) if groups is None else together(groups)
        weights = None if sample_weight is None else np.asarray(sample_weight)[order]
        model = _Model(estimator, features, truth)
        scores = []
        for asked in self._asked:
            (measure,) = asked.asked(classes=model.several)
            labels, predicted = model.answers(measure)
            (value,) = asked.values(labels[order], predicted[order], sizes, weights).values()
            scores.append(value if is_more_better(measure, "scikit-learn") else -value)
        return scores[0] if len(scores) == 1 else dict(zip(self._names, scores, strict=True))

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Says which metadata the scorer is given, as scikit-learn's own: ``groups``, ``sample_weight``."""
        for name in requests:
            if name not in ("groups", "sample_weight"):
                raise UsageError(f"a scorer is given groups and sample_weight, and no {name!r}")
        self._requests |= requests
        return self

    def get_metadata_routing(self) -> Any:
        """What scikit-learn asks of whoever takes metadata."""
        routing = tool("sklearn.utils.metadata_routing", "scikit-learn")
        request = routing.MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        return f"rankmark.hooks.scorer({', '.join(self._names)})"


class _Model:
    """What a fitted model answers for some rows."""

    def __init__(self, estimator: Any, features: Any, labels: NDArray[Any]) -> None:
        self._estimator, self._features, self._labels = estimator, features, labels
        self._known: dict[str, NDArray[Any]] = {}
        is_classifier = tool("sklearn.base", "scikit-learn").is_classifier(estimator)
        self._classes = np.asarray(estimator.classes_) if is_classifier else None

    @property
    def several(self) -> bool:
        """Whether there are more classes than two."""
        return self._classes is not None and len(self._classes) > 2

    def answers(self, measure: Measure) -> tuple[NDArray[Any], NDArray[Any]]:
        """The labels as a measure sees them, and a score of each row, or of each class of each row.

        Raises:
            MeasureError: the measure takes one score in a row, and the model gives several.
            DataError: a label that the model does not know.

        """
        page = measure.page
        if self._classes is None:
            return self._labels, self._answer("predict")
        if page.kind == "class":
            return self._of_classes(self._classes, measure)
        if self.several:
            raise MeasureError(
                f"{measure} takes one score in a row, and {type(self._estimator).__name__} gives one of each "
                f"of {len(self._classes)} classes; take a regressor or a ranker"
            )
        if page.kind == "row" and page.labels == "numbers" and page.scores == "any":
            return self._labels, self._answer("predict")
        positive = (self._places(self._classes, measure) == len(self._classes) - 1).astype(np.int64)
        if sees_probabilities(measure) or not hasattr(self._estimator, "decision_function"):
            return positive, self._answer("predict_proba")[:, -1]
        return positive, self._answer("decision_function")

    def _of_classes(self, classes: NDArray[Any], measure: Measure) -> tuple[NDArray[Any], NDArray[Any]]:
        """The numbers of the labels' classes, and a score of each class."""
        place = self._places(classes, measure)
        if hasattr(self._estimator, "predict_proba") or measure.page.scores != "greatest":
            return place, self._answer("predict_proba")
        # The class that is predicted will do.
        return place, (self._answer("predict")[:, None] == classes).astype(np.float64)

    def _places(self, classes: NDArray[Any], measure: Measure) -> NDArray[np.intp]:
        """Which of the classes each label is."""
        place = np.minimum(np.searchsorted(classes, self._labels), len(classes) - 1)
        if (unknown := classes[place] != self._labels).any():
            raise DataError(
                f"{measure}: the model was fitted on the classes {', '.join(map(str, classes[:5]))}"
                f"{', …' if len(classes) > 5 else ''}, and {int(unknown.sum())} labels are others, such as "
                f"{self._labels[unknown][0]}"
            )
        return place

    def _answer(self, method: str) -> NDArray[Any]:
        if not hasattr(self._estimator, method):
            raise UsageError(f"{type(self._estimator).__name__} has no {method}, which a measure needs")
        if method not in self._known:
            self._known[method] = np.asarray(getattr(self._estimator, method)(self._features))
        return self._known[method]
