"""`rankmark.compat.sklearn` beside scikit-learn, argument by argument."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark.compat.sklearn as ours
from installed import beside, peer
from rankmark.errors import NotHereError, UsageError
from strategies import at_most

tool_version = beside("sklearn.metrics", "scikit-learn")

seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=at_most(15), deadline=None)
AVERAGES = ("micro", "macro", "weighted", "samples", None)


def both(name: str, *args: Any, **kwargs: Any) -> None:
    """Both give the same to fifteen digits of what is added up, and warn alike or both refuse it."""
    theirs = outcome(getattr(peer("sklearn.metrics", "scikit-learn"), name), args, kwargs)
    mine = outcome(getattr(ours, name), args, kwargs)
    assert mine[1] == theirs[1], (name, args, kwargs, mine, theirs)
    if isinstance(theirs[0], type):
        assert mine[0] is theirs[0], (name, args, kwargs, mine, theirs)
    else:
        np.testing.assert_allclose(mine[0], theirs[0], rtol=2e-15, atol=1e-15, equal_nan=True)
        assert isinstance(mine[0], np.ndarray) == isinstance(theirs[0], np.ndarray)


def outcome(call: Any, args: Any, kwargs: Any) -> tuple[Any, set[str]]:
    """What a call gives, or which of Python's errors it raises; and the names of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value: Any = call(*args, **kwargs)
        except (ValueError, NotImplementedError, TypeError) as error:
            kinds = (NotImplementedError, ValueError, TypeError)
            return next(kind for kind in kinds if isinstance(error, kind)), set()
    # Of numbers divided by 0 on the way it warns here and there.
    return value, {each.category.__name__ for each in caught} - {"RuntimeWarning"}


def weights_of(draw: Any, rows: int) -> Any:
    """None, or weights of which some are 0."""
    weights = draw.integers(0, 4, rows).astype(float)
    weights[draw.integers(rows)] = 2.5
    return weights if draw.random() < 0.5 else None


def matrix(draw: Any) -> Any:
    """Scores, tied or not, of few rows and columns."""
    scores = draw.normal(size=(draw.integers(1, 8), draw.integers(1, 7)))
    return scores.round(1) if draw.random() < 0.5 else scores


@few
@given(seeds)
def test_cumulated_gains(seed: Any) -> None:
    draw = np.random.default_rng(seed)
    scores = matrix(draw)
    grades = draw.integers(0, 4, scores.shape)
    options = {"k": [None, 1, 2, 10][draw.integers(4)], "sample_weight": weights_of(draw, len(scores))}
    ties = len(np.unique(scores)) < scores.size
    for ignore_ties in (False,) if ties else (False, True):
        both("ndcg_score", grades, scores, **options, ignore_ties=ignore_ties)
        both("ndcg_score", grades / 3, scores.tolist(), **options, ignore_ties=ignore_ties)
        base = [2, 3, 0.5, np.e][draw.integers(4)]
        both("dcg_score", grades - 1.0, scores, **options, log_base=base, ignore_ties=ignore_ties)


@few
@given(seeds)
def test_ranked_labels(seed: Any) -> None:
    draw = np.random.default_rng(seed)
    scores = matrix(draw)
    relevant = draw.integers(0, 2, scores.shape)
    for name in ("label_ranking_average_precision_score", "label_ranking_loss", "coverage_error"):
        both(name, relevant, scores, sample_weight=weights_of(draw, len(scores)))
    sparse = peer("scipy.sparse", "scipy").csr_array(relevant)
    both("label_ranking_loss", sparse, scores)
    both("label_ranking_average_precision_score", sparse, scores)
    both("coverage_error", sparse, scores)


@few
@given(seeds)
def test_labels_of_rows_over_all_thresholds(seed: Any) -> None:
    draw = np.random.default_rng(seed)
    scores = matrix(draw)
    relevant = draw.integers(0, 2, scores.shape)
    weights = weights_of(draw, len(scores))
    for average in AVERAGES:
        both("roc_auc_score", relevant, scores, average=average, sample_weight=weights)
        both("average_precision_score", relevant, scores, average=average, sample_weight=weights)
    both("roc_auc_score", relevant, scores, max_fpr=0.4)


@few
@given(seeds)
def test_two_classes(seed: Any) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.integers(1, 12)
    label, weights = draw.integers(0, 2, rows), weights_of(draw, rows)
    score = draw.random(rows).round(draw.integers(1, 17))
    # With max_fpr it refuses one class where others weigh nothing, and else has NaN.
    above_0 = None if weights is None else weights + 1
    for truth in (label, 2 * label - 1, np.array(["no", "yes"])[label], label.astype(bool), label + 3.0):
        one = truth.tolist()[0]
        both("roc_auc_score", truth, score, sample_weight=weights)
        both("roc_auc_score", truth, score, sample_weight=above_0, max_fpr=[1, 0.3, 0.01][draw.integers(3)])
        both("average_precision_score", truth, score, sample_weight=weights)
        both("average_precision_score", truth, score, pos_label=one)
        both("log_loss", truth, score, sample_weight=weights)
        both(
            "log_loss",
            truth,
            score,
            normalize=False,
            labels=[*np.unique(truth), *["zz"] * (truth.dtype.kind == "U")],
        )
        both("brier_score_loss", truth, score, sample_weight=weights)
        both("brier_score_loss", truth, score, pos_label=one, scale_by_half=False)
        both("brier_score_loss", truth, np.stack((1 - score, score), axis=1))
        both("top_k_accuracy_score", truth, score, k=1, sample_weight=weights)
        both("top_k_accuracy_score", truth, score - 0.5, k=draw.integers(1, 3))


@few
@given(seeds)
def test_several_classes(seed: Any) -> None:
    draw = np.random.default_rng(seed)
    rows = draw.integers(1, 12)
    label, weights = draw.integers(0, 4, rows), weights_of(draw, rows)
    chance = draw.random((rows, 4))
    chance /= chance.sum(axis=1, keepdims=True)
    for labels in (None, [0, 1, 2, 3], [0, 1, 2, 3, 4], [1, 0, 2, 3], [0, 1, 1, 2], [0, 1, 2, 9]):
        for multi_class in ("ovr", "ovo", "raise"):
            for average in AVERAGES:
                if multi_class == "ovo" and len(np.unique(label)) < 2:
                    continue  # a mean of nothing
                weighed = {"sample_weight": weights} if multi_class == "ovr" else {}
                chosen = {"labels": labels, "multi_class": multi_class, "average": average}
                both("roc_auc_score", label, chance, **chosen, **weighed)
        both("log_loss", label, chance, labels=labels, sample_weight=weights)
        both("brier_score_loss", label, chance, labels=labels, sample_weight=weights)
        options = {"k": draw.integers(1, 5), "normalize": bool(draw.integers(2)), "sample_weight": weights}
        both("top_k_accuracy_score", label, chance.round(1), labels=labels, **options)
    for average in AVERAGES:
        of_present = chance[:, : len(np.unique(label))]
        both("average_precision_score", label, of_present, average=average, sample_weight=weights)
    both("log_loss", label, chance * 0.5, labels=[0, 1, 2, 3])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_certain_and_wrong_costs_by_the_precision_of_the_probability(dtype: Any) -> None:
    chance = np.array([0, 1, 0.5], dtype=dtype)
    both("log_loss", [1, 0, 1], chance)
    both("log_loss", [[1, 0], [1, 0], [0, 1]], np.stack((1 - chance, chance), axis=1))


TWO, SCORES = [[1, 0, 1]], [[0.1, 0.2, 0.3]]


@pytest.mark.parametrize(
    ("name", "args", "kwargs"),
    [
        *(("ndcg_score", (TWO, SCORES), {"k": k}) for k in (0, -1, 2.5, "2")),
        ("ndcg_score", ([[1, -1]], [[1, 2]]), {}),
        ("ndcg_score", ([[1]], [[1]]), {}),
        ("ndcg_score", ([1, 0, 2], [1, 2, 3]), {}),
        ("ndcg_score", (TWO, [[1, 2]]), {}),
        ("ndcg_score", (TWO, [[1, 2, np.nan]]), {}),
        ("ndcg_score", (TWO, [[1, 2, np.inf]]), {}),
        ("ndcg_score", (TWO, SCORES), {"sample_weight": [1, 2]}),
        ("ndcg_score", (TWO, SCORES), {"ignore_ties": "yes"}),
        ("ndcg_score", ([], []), {}),
        ("ndcg_score", ([["a", "b"]], [[1, 2]]), {}),
        ("dcg_score", (TWO, SCORES), {"log_base": 0}),
        ("dcg_score", (TWO, SCORES), {"log_base": "e"}),
        ("label_ranking_loss", ([[0, 1, 2]], SCORES), {}),
        ("coverage_error", ([0, 1, 0], [1, 2, 3]), {}),
        ("label_ranking_average_precision_score", (TWO, [[1, 2]]), {}),
        ("roc_auc_score", ([0, 1], [1, 2]), {"max_fpr": 0}),
        ("roc_auc_score", ([0, 1], [1, 2]), {"max_fpr": 1.5}),
        ("roc_auc_score", ([0, 1], [1, 2]), {"average": "mean"}),
        ("roc_auc_score", ([0, 1], [1, 2, 3]), {}),
        ("roc_auc_score", ([0, 1], [[1, 2], [3, 4]]), {}),
        ("roc_auc_score", ([0.5, 1], [1, 2]), {}),
        ("roc_auc_score", ([0, np.nan], [1, 2]), {}),
        ("roc_auc_score", ([0, 1, 2], [1, 2, 3]), {"multi_class": "ovr"}),
        ("roc_auc_score", ([0, 1, 2], np.eye(3)), {"multi_class": "ovr", "max_fpr": 0.5}),
        ("roc_auc_score", ([0, 1, 2], 2 * np.eye(3)), {"multi_class": "ovr"}),
        ("roc_auc_score", ([0, 1, 2], np.eye(3)), {"multi_class": "ovo", "sample_weight": [1, 1, 1]}),
        ("average_precision_score", ([0, 1], [1, 2]), {"pos_label": 2}),
        ("average_precision_score", (TWO, SCORES), {"pos_label": 0}),
        ("average_precision_score", ([0, 1, 2], np.arange(3)), {}),
        ("average_precision_score", ([0, 1, 2], np.eye(3)), {"pos_label": 0}),
        ("log_loss", ([0, 1], [0.5, 1.5]), {}),
        ("log_loss", ([0, 1], [0.5, -0.1]), {}),
        ("log_loss", ([1, 1], [0.5, 0.1]), {}),
        ("log_loss", ([0, 1, 2], [0.5, 0.1, 0.2]), {}),
        ("log_loss", ([0, 1], [0.5, 0.1]), {"labels": [0]}),
        ("log_loss", ([0, 1], [0.5, 0.1]), {"y_pred": [0.5, 0.1]}),
        ("log_loss", ([0, 1],), {"y_pred": [0.5, 0.1]}),
        ("log_loss", ([0, 1],), {}),
        ("brier_score_loss", ([0, 1, 2], [0.5, 0.1, 0.2]), {}),
        ("brier_score_loss", (["a", "b"], [0.5, 0.1]), {}),
        ("brier_score_loss", ([0, 1], [0.5, 0.1]), {"scale_by_half": "no"}),
        ("top_k_accuracy_score", ([0, 1, 2], [1, 2, 3]), {}),
        ("top_k_accuracy_score", ([0, 1], np.eye(2)), {}),
        ("top_k_accuracy_score", ([0, 1, 2], np.eye(3)), {"k": 0}),
        ("top_k_accuracy_score", ([0.5, 1, 2], np.eye(3)), {}),
    ],
)
def test_what_is_refused_there_is_refused_here(name: Any, args: Any, kwargs: Any) -> None:
    both(name, *args, **kwargs)


def test_weights_of_0_alone_are_refused_throughout() -> None:
    """There they are a ZeroDivisionError, NaN or 0, by the function."""
    for weights in ([0, 0], [1, -1]):
        with pytest.raises(ValueError, match="sample_weight holds a weight below 0, or no weight above it"):
            ours.roc_auc_score([0, 1], [1, 2], sample_weight=weights)


def test_every_name_is_here_or_is_said_not_to_be() -> None:
    theirs = peer("sklearn.metrics", "scikit-learn")
    here = set(ours.__all__) - {"NOT_HERE", "UndefinedMetricWarning"}
    assert here | ours.NOT_HERE.keys() >= set(theirs.__all__)
    assert not here & ours.NOT_HERE.keys()
    assert here <= set(theirs.__all__)


def test_a_name_that_is_not_here_says_what_to_do() -> None:
    with pytest.raises(NotHereError, match=r"has no f1_score: of classes.* rm\.evaluate_predictions") as said:
        from rankmark.compat.sklearn import f1_score  # noqa: F401
    assert isinstance(said.value, NotImplementedError)
    assert isinstance(said.value, UsageError)
    with pytest.raises(ImportError):
        from rankmark.compat.sklearn import no_such_score  # noqa: F401
