"""The ranking and probability scores of `sklearn.metrics` (scikit-learn 1.9) over rankmark.

`from rankmark.compat.sklearn import ndcg_score, roc_auc_score` takes the place of the same names of
`sklearn.metrics`: the same arguments and defaults, a float, and `ValueError` for what scikit-learn refuses.
Values are equal but for the order in which numbers are added up, which can show in the sixteenth digit.

Otherwise than there, negative weights and weights of 0 alone are refused throughout.
"""

from __future__ import annotations

from typing import Any

from rankmark.compat.sklearn.lists import (
    coverage_error,
    dcg_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    ndcg_score,
)
from rankmark.compat.sklearn.probabilities import brier_score_loss, log_loss, top_k_accuracy_score
from rankmark.compat.sklearn.targets import UndefinedMetricWarning
from rankmark.compat.sklearn.thresholds import average_precision_score, roc_auc_score
from rankmark.errors import NotHereError

__all__ = [
    "NOT_HERE",
    "UndefinedMetricWarning",
    "average_precision_score",
    "brier_score_loss",
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "log_loss",
    "ndcg_score",
    "roc_auc_score",
    "top_k_accuracy_score",
]

_CURVE = "a curve, and no score: rm.curve(table, 'ROC') and its like give the points"
_DECISIONS = "of classes, not of a ranking: rm.evaluate_predictions has them, like='sklearn' by these names"
_NUMBERS = "of predicted numbers: rm.evaluate_predictions has RMSE, MAE, R2 and others, like='sklearn'"
_OTHER = "nothing that rankmark measures: take scikit-learn's"

NOT_HERE = {
    **dict.fromkeys(("roc_curve", "precision_recall_curve", "det_curve", "auc"), _CURVE),
    **dict.fromkeys(
        (
            *("accuracy_score", "balanced_accuracy_score", "classification_report", "cohen_kappa_score"),
            *(
                "confusion_matrix",
                "confusion_matrix_at_thresholds",
                "f1_score",
                "fbeta_score",
                "hamming_loss",
            ),
            *("jaccard_score", "matthews_corrcoef", "multilabel_confusion_matrix", "precision_score"),
            *("precision_recall_fscore_support", "recall_score", "zero_one_loss", "class_likelihood_ratios"),
            *("d2_brier_score", "d2_log_loss_score", "hinge_loss", "metric_at_thresholds"),
        ),
        _DECISIONS,
    ),
    **dict.fromkeys(
        (
            *("explained_variance_score", "max_error", "mean_absolute_error", "mean_squared_error"),
            *("mean_absolute_percentage_error", "mean_gamma_deviance", "mean_pinball_loss", "r2_score"),
            *("mean_poisson_deviance", "mean_squared_log_error", "mean_tweedie_deviance"),
            *("median_absolute_error", "root_mean_squared_error", "root_mean_squared_log_error"),
            *("d2_absolute_error_score", "d2_pinball_score", "d2_tweedie_score"),
        ),
        _NUMBERS,
    ),
    **dict.fromkeys(
        (
            *("adjusted_mutual_info_score", "adjusted_rand_score", "calinski_harabasz_score", "rand_score"),
            *("cluster", "completeness_score", "consensus_score", "davies_bouldin_score", "silhouette_score"),
            *("fowlkes_mallows_score", "homogeneity_completeness_v_measure", "homogeneity_score"),
            *("mutual_info_score", "normalized_mutual_info_score", "pair_confusion_matrix"),
            *("silhouette_samples", "v_measure_score", "euclidean_distances", "nan_euclidean_distances"),
            *("pairwise_distances", "pairwise_distances_argmin", "pairwise_distances_argmin_min"),
            *("pairwise_distances_chunked", "pairwise_kernels", "ConfusionMatrixDisplay", "DetCurveDisplay"),
            *("DistanceMetric", "PrecisionRecallDisplay", "PredictionErrorDisplay", "RocCurveDisplay"),
            *("check_scoring", "get_scorer", "get_scorer_names", "make_scorer"),
        ),
        _OTHER,
    ),
}
"""What `sklearn.metrics` has beside these, and what to do for it."""


def __getattr__(name: str) -> Any:
    if name in NOT_HERE:
        raise NotHereError(f"rankmark.compat.sklearn has no {name}: {NOT_HERE[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
