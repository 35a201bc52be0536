"""The conventions: one record a tool. What a record can say stands in `language.conventions.convention`.

Where a tool refuses data unless told to go on, the record has what it gives when told so.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from rankmark.language.conventions.convention import Convention, Names, Variant
from rankmark.language.conventions.limits import (
    ABSENT,
    DIGITS,
    REFUSED,
    SOURCE,
    UNDEFINED,
    UNKNOWN,
    Aside,
    Limit,
    all_relevant,
    at_borders,
    at_threshold,
    certainly_wrong,
    fewer,
    fractional,
    graded,
    grades_below_1,
    had_by_nobody,
    improbable,
    incomplete,
    negative,
    not_above_0,
    nothing,
    of_one_class,
    of_one_score,
    only_relevant,
    outside_0_to_1,
    own_items,
    repeated,
    repeated_before,
    short,
    single_precision,
    tied,
    tied_rows,
    unanswered,
    uneven,
    unjudged,
    whole_to,
    without_relevant,
    zero_scores,
)
from rankmark.language.conventions.trec_table import TREC_MEASURES, TrecMeasure

__all__ = ["TOOLS"]


NO_CHOICES: Mapping[str, str] = MappingProxyType({})


def _with(measure: str, parameter: str) -> str:
    """The measure with one parameter more."""
    return f"{measure[:-1]},{parameter})" if measure.endswith(")") else f"{measure}({parameter})"


def _by_name(text: str) -> str:
    """A name whose parameters stand in any order, with ``rel`` and ``p`` first and without spaces."""
    found = re.fullmatch(r"(\w+)\((.*)\)(@.*)?", "".join(text.split()))
    if found is None:
        return text.strip()
    name, parameters, cutoff = found.groups(default="")
    first = sorted(parameters.split(","), key=lambda each: each.partition("=")[0] not in ("rel", "p"))
    return f"{name}({','.join(first)}){cutoff}"


def _uncut_and_cut(names: Mapping[str, str]) -> dict[str, str]:
    """Each name alone, for the whole list, and with a cutoff."""
    return {**names, **_cut(names)}


def _cut(names: Mapping[str, str], sign: str = "@") -> dict[str, str]:
    """Each name with a cutoff."""
    return {f"{name}{sign}{{k}}": f"{measure}@{{k}}" for name, measure in names.items()}


def _trec_names(rounding: str, without: tuple[str, ...] = ()) -> Names:
    """The names of trec_eval's measures, in the order in which it prints them."""
    known = [known for known in TREC_MEASURES if known.measure and known.name not in without]
    return {name: measure for each in known for name, measure in _trec_spellings(each, rounding)}


def _trec_spellings(known: TrecMeasure, rounding: str) -> list[tuple[str, str]]:
    measure = known.measure.replace("IPrec", f"IPrec(rounding={rounding})")
    if known.each == "cutoff":
        return [(f"{known.name}{sign}{{k}}", f"{measure}@{{k}}") for sign in "_."]
    if known.each:
        return [(f"{known.name}{sign}{{x}}", _with(measure, f"{known.each}={{x}}")) for sign in "_."]
    return [(known.name, measure)]


def _catboost(name: str, measure: str, choices: Mapping[str, str] = NO_CHOICES) -> Names:
    """A measure of CatBoost, whose cutoff is a parameter."""
    return {
        f"{name}:top={{k}}": Variant(f"{measure}@{{k}}", choices),
        name: Variant(measure, choices),
    }


def _catboost_gain(name: str, measure: str, choices: Mapping[str, str] = NO_CHOICES) -> Names:
    """A cumulated gain of CatBoost, whose type is one, too."""
    exponential = Variant(_with(measure, "gain=exp2"), choices)
    return {
        **_catboost(name, measure, choices),
        f"{name}:top={{k}};type=Exp": replace(exponential, measure=f"{exponential.measure}@{{k}}"),
        f"{name}:type=Exp": exponential,
    }


def _catboost_spelling(asked: str) -> str:
    """A name of CatBoost, its parameters in alphabetical order and without those that are defaults."""
    name, _, given = asked.partition(":")
    parameters = sorted(each.strip() for each in given.split(";") if each.strip() not in CATBOOST_DEFAULTS)
    return ":".join(filter(None, (name.strip(), ";".join(parameters))))


def _without_similarity(asked: str) -> str:
    """A name of sentence-transformers without the similarity in front: ``cosine_ndcg@10`` is ``ndcg@10``."""
    return re.sub(r"^(cosine|dot|euclidean|manhattan|maxsim)_", "", asked.strip(), flags=re.IGNORECASE)


CATBOOST_DEFAULTS = frozenset(
    ("", "top=-1", "type=Base", "type=Classic", "denominator=LogPosition", "border=0.5", "decay=0.85")
)
"""Parameters of CatBoost that say what is so anyway."""


def _xgboost(name: str, measure: str) -> Names:
    """A measure of lists of XGBoost: at 32 without a cutoff; a minus counts 0 where nothing is relevant."""
    nothing = {"no_relevant": "zero"}
    return {
        name: f"{measure}@32",
        f"{name}@{{k}}": f"{measure}@{{k}}",
        f"{name}-": Variant(f"{measure}@32", nothing),
        f"{name}@{{k}}-": Variant(f"{measure}@{{k}}", nothing),
    }


ABOVE_HALF = math.nextafter(0.5, math.inf)
"""The threshold from which the scores above 1/2 are found."""


def _decisions(names: Mapping[str, str]) -> dict[str, str]:
    """Names of measures of a decision that finds what scores more than a threshold, 1/2 unless it is said."""
    usual = {name: f"{measure}(threshold={ABOVE_HALF!r})" for name, measure in names.items()}
    said = {f"{name}(threshold={{x}})": f"{measure}(threshold={{above}})" for name, measure in names.items()}
    return usual | said


def _averages(name: str, measure: str, given: str = "") -> dict[str, str]:
    """A name of a measure of classes with each average; `given` are parameters before it, alike in both."""
    return {
        f"{name}({given}average={average})": f"{measure}({given}average={average},ties=first)"
        for average in ("macro", "micro", "weighted")
    }


ONLY_TEN = ("rbp", "rbp_resid", "unj")
"""What trec_eval 10 has and 9 has not."""

TRUNCATED = Limit(
    "Fractional grades: it cuts them off without a word (0.9 counts as 0); here they count as they are.",
    fractional,
)
DICTS = Limit(
    "The same item twice in a list: its dicts keep the last one; here `duplicates` refuses it.", repeated
)
NO_TIE_RULE = Limit(
    "Equal scores: their order is left to its sorting, and no rule gives it; compare lists without ties.",
    tied,
)
EVERY_ROW = Limit(
    "Judged rows of a grade below 1: every row is relevant there, and here it is not; leave them out.",
    grades_below_1,
)
OF_USERS = frozenset(
    (
        "AggregateDiversity",
        "CatalogueCoverage",
        "CategoryCoverage",
        "ExposureEntropy",
        "ExposureGini",
        "IntraListDiversity",
        "NotInTrain",
        "EFD",
        "EPC",
        "Novelty",
        "Personalisation",
        "Popularity",
    )
)
"""Measures of what is recommended that tools have of all users with recommendations."""
ALL_USERS = (
    "What is recommended is measured of all users with recommendations: give no judgements for it, "
    "rm.evaluate(None, …)."
)
OTHER_USERS = Limit(
    "What is recommended to users without judgements, which counts there and is left out here.",
    unjudged,
    OF_USERS,
)
TWICE = Limit("The same item twice in a list, which counts twice; here `duplicates` refuses it.", repeated)
LISTS_OF_IDS = "Its relevant items are lists of ids: those that have a grade of 1 or more here."
CANDIDATES = (
    "It sees the rows that it is handed and nothing else: judge every row, and hand it every judged item. "
    "If it is handed only what was returned, its ideal list is made of that: nDCG(ideal=retrieved)."
)
FROM_SOURCE = Aside(
    "Read from its source and compared with worked examples, not with the tool itself.", SOURCE
)

TREC_EVAL = Convention(
    name="trec_eval",
    tool="trec_eval",
    version="10.0",
    measures=_trec_names("nearest"),
    text_items=True,
    notes=(
        "Run it with -c: without it, it refuses a run that lacks a judged query.",
        "`rankmark trec_eval` takes its options and prints its bytes.",
    ),
    cannot=(
        TRUNCATED,
        Limit(
            "rbp of grades outside 0 to 1: it scales them by values that it never sets.",
            outside_0_to_1,
            frozenset(("RBP", "RBPResidual")),
        ),
        Aside("Preferences (-R prefs) and Z-scores (-Z).", ABSENT),
    ),
)

TREC_EVAL_9 = Convention(
    name="trec_eval-9",
    tool="trec_eval",
    version="9.0.8",
    aliases=("pytrec_eval", "pytrec_eval-terrier"),
    choices={"missing": "skip", "scores": "float32"},
    measures=_trec_names("up", without=ONLY_TEN),
    text_items=True,
    notes=(
        (
            "Without -c, as in pytrec_eval, whose values are the means over the queries that it returns; "
            "with "
            'it, missing="zero".'
        ),
    ),
    cannot=(replace(TRUNCATED, text=f"{TRUNCATED} pytrec_eval refuses them."), DICTS),
)

_OF_PYNDEVAL = {"ties": "item-asc", "scores": "float64"}
_ASPECTS = {
    **_cut(
        {
            "ERR_IA": "ERR_IA",
            "nERR_IA": "nERR_IA",
            "alpha_DCG": "alpha_DCG(denominator=most)",
            "alpha_nDCG": "alpha_nDCG",
            "P_IA": "IA(of=P)",
            "P_IA(rel={rel})": "IA(of='P(rel={rel})')",
            "StRecall": "SubtopicRecall",
        }
    ),
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "AP_IA": "IA(of=AP)",
    "AP_IA(rel={rel})": "IA(of='AP(rel={rel})')",
}
"""What ir_measures has of pyndeval."""

IR_MEASURES = Convention(
    name="ir_measures",
    tool="ir_measures",
    version="0.4.3",
    choices={"scores": "float32"},
    measures={
        **_uncut_and_cut({"nDCG": "nDCG", "AP": "AP"}),
        "nDCG(dcg='exp-log2')@{k}": "nDCG(gain=exp2)@{k}",
        "P@{k}": "P@{k}",
        "R@{k}": "R@{k}",
        "RR": "RR",
        "RR@{k}": Variant("RR@{k}", {"ties": "item-asc", "scores": "float64"}),
        "Success@{k}": "HR@{k}",
        "Rprec": "Rprec",
        "Bpref": "Bpref",
        "infAP": "infAP",
        "IPrec@{x}": "IPrec(recall={x},rounding=up)",
        "IPrec(rel={rel})@{x}": "IPrec(recall={x},rounding=up,rel={rel})",
        "SetP": "P",
        "SetRelP": "P(denominator=min)",
        "SetP(relative=True)": "P(denominator=min)",
        "SetRelP(rel={rel})": "P(denominator=min,rel={rel})",
        "SetP(rel={rel},relative=True)": "P(denominator=min,rel={rel})",
        "SetR": "R",
        "SetF": "F",
        "SetF(beta={square})": "F(beta={root})",
        "SetF(rel={rel},beta={square})": "F(rel={rel},beta={root})",
        "SetAP": "SetAP",
        "Judged@{k}": Variant("Judged@{k}", {"ties": "item-asc", "scores": "float64"}),
        "Compat(p=0.{p})": Variant("Compatibility(p=0.{p})", {"ties": "item-asc", "scores": "float64"}),
        "Compat(normalize=False)": Variant(
            "Compatibility(denominator=one)", {"ties": "item-asc", "scores": "float64"}
        ),
        "Compat(p=0.{p},normalize=False)": Variant(
            "Compatibility(p=0.{p},denominator=one)", {"ties": "item-asc", "scores": "float64"}
        ),
        "NumQ": "NumQ",
        "NumRet": "NumRet",
        "NumRet(rel={rel})": "NumRelRet(rel={rel})",
        "NumRel": Variant("NumRel", {"missing": "skip"}),
        "ERR@{k}": "ERR@{k}",
    },
    items={name: Variant(measure, _OF_PYNDEVAL) for name, measure in _ASPECTS.items()},
    spelling=_by_name,
    text_items=True,
    otherwise=dict.fromkeys(
        ("BPM", "INST", "INSQ", "RBP", "SDCG", "NearlyERR"),
        "its C/W/L measures keep the order of the rows where scores are equal; ask for it without that, "
        'and with ties="input"',
    ),
    notes=(
        (
            "It hands measures on to other tools, each with its own rule for equal scores: RR is trec_eval's "
            "(item-desc), RR@10 that of MS MARCO's script (item-asc)."
        ),
    ),
    cannot=(
        TRUNCATED,
        DICTS,
        Limit("Compat where scores are equal.", tied, frozenset(("Compatibility",))),
        Aside("judged_only of measures of aspects, which fails there.", ABSENT),
        Aside(
            "ERR and nDCG(dcg='exp-log2') come from gdeval, which rounds each query's value to five digits.",
            DIGITS,
        ),
        Aside(
            "The C/W/L measures keep the order of the rows where scores are equal, with scores in 64 bits: "
            'give ties="input".',
            ABSENT,
        ),
    ),
)

_RANX_BINARY = {
    "hit_rate": "HR",
    "hits": "HR(hits=count)",
    "precision": "P",
    "recall": "R",
    "f1": "F",
    "mrr": "RR",
    "map": "AP",
}
_RANX_LEVELS = {name: _with(measure, "rel={rel}") for name, measure in _RANX_BINARY.items()}

RANX = Convention(
    name="ranx",
    tool="ranx",
    version="0.3.21",
    choices={"ties": "input"},
    measures={
        **_uncut_and_cut(
            {
                "ndcg": "nDCG",
                "ndcg_burges": "nDCG(gain=exp2)",
                "dcg": "DCG",
                "dcg_burges": "DCG(gain=exp2)",
                **_RANX_BINARY,
            }
        ),
        "r-precision": "Rprec",
        "bpref": "Bpref",
        "rbp.{p}": "RBP(p=0.{p},gain=linear,max_grade=none)",
        **{f"{name}-l{{rel}}": measure for name, measure in _RANX_LEVELS.items()},
        **{f"{name}@{{k}}-l{{rel}}": f"{measure}@{{k}}" for name, measure in _RANX_LEVELS.items()},
        "r-precision-l{rel}": "Rprec(rel={rel})",
    },
    text_items=True,
    notes=(
        (
            "With evaluate(..., make_comparable=True), which counts judged queries without results as 0 and "
            "leaves "
            "out the others; without it, ranx refuses a run whose queries are not just those judged."
        ),
    ),
    cannot=(
        replace(NO_TIE_RULE, text=f"{NO_TIE_RULE} In short lists the order of the rows stays."),
        TRUNCATED,
        DICTS,
        Aside("ndcg-l2: it drops grades below the level before it takes gains.", ABSENT),
        Limit(
            "bpref where no item is judged not relevant, for which it has NaN.",
            all_relevant,
            frozenset(("Bpref",)),
        ),
    ),
)

SKLEARN = Convention(
    name="sklearn",
    tool="scikit-learn",
    version="1.9.1",
    aliases=("scikit-learn",),
    choices={"ties": "expected"},
    measures={
        **_uncut_and_cut({"ndcg_score": "nDCG", "dcg_score": "DCG"}),
        "roc_auc_score": Variant("ListAUC", {"no_relevant": "skip"}),
        "average_precision_score": "AP",
        "label_ranking_average_precision_score": Variant("AP", {"no_relevant": "one"}),
        "label_ranking_loss": Variant("RankingLoss", {"ties": "worst"}),
        "coverage_error": Variant("MaxRank", {"ties": "worst"}),
    },
    predictions={
        "roc_auc_score": "AUC",
        "roc_auc_score(max_fpr={x})": "AUC(max_fpr={x})",
        "average_precision_score": "AveragePrecision",
        "log_loss": "LogLoss(clip=precision)",
        "d2_log_loss_score": "RIG(clip=precision)",
        "brier_score_loss": "Brier",
        "mean_squared_error": "MSE",
        "root_mean_squared_error": "RMSE",
        "mean_absolute_error": "MAE",
        "mean_absolute_percentage_error": "MAPE",
        "r2_score": "R2",
        "explained_variance_score": "ExplainedVariance",
    },
    classes={
        "accuracy_score": "MulticlassAccuracy(ties=first)",
        "balanced_accuracy_score": "MulticlassRecall(zero_division=skip,ties=first)",
        **_averages("precision_score", "MulticlassPrecision"),
        **_averages("recall_score", "MulticlassRecall"),
        **_averages("f1_score", "MulticlassF"),
        **_averages("fbeta_score", "MulticlassF", "beta={b},"),
        "cohen_kappa_score": "MulticlassKappa(ties=first)",
        "cohen_kappa_score(weights=linear)": "MulticlassKappa(cost=linear,ties=first)",
        "cohen_kappa_score(weights=quadratic)": "MulticlassKappa(cost=quadratic,ties=first)",
        "matthews_corrcoef": "MulticlassMCC(ties=first)",
        "roc_auc_score(multi_class=ovr)": "MulticlassAUC",
        "roc_auc_score(multi_class=ovr,average=weighted)": "MulticlassAUC(average=weighted)",
        "roc_auc_score(multi_class=ovo)": "MulticlassAUC(versus=each)",
        "log_loss": f"MulticlassLogLoss(clip={2.0**-52!r})",
    },
    notes=(
        CANDIDATES,
        (
            "A row of its matrices is a query here; roc_auc_score and average_precision_score are called a "
            "query "
            "at a time, and roc_auc_score is not defined where all labels are the same."
        ),
        (
            "log_loss keeps probabilities from 0 and 1 by the precision of their type: give it scores of the "
            "same type (float32 or float64) as here."
        ),
    ),
    cannot=(
        Limit(
            "average_precision_score and label_ranking_average_precision_score where scores are equal: every "
            "item of a tie gets the precision at its end.",
            tied,
            frozenset(("AP",)),
        ),
        Aside("ndcg_score(ignore_ties=True) where scores are equal: no rule gives their order.", ABSENT),
        Limit(
            "Negative labels, which ndcg_score refuses; here they gain nothing.",
            negative,
            frozenset(("nDCG", "DCG")),
        ),
        Limit(
            "log_loss of float32 to the last digits: it adds up in that precision.",
            single_precision,
            frozenset(("LogLoss",)),
        ),
        Aside(
            "matthews_corrcoef of one class only, and mean_absolute_percentage_error of labels of 0, which "
            "have no value here.",
            UNDEFINED,
        ),
        Limit(
            "log_loss of classes in float32, which it keeps from 0 and 1 by 1.2e-7.",
            single_precision,
            frozenset(("MulticlassLogLoss",)),
        ),
    ),
)

TORCHMETRICS = Convention(
    name="torchmetrics",
    tool="torchmetrics",
    version="1.9.0",
    choices={"ties": "input"},
    measures={
        **_uncut_and_cut(
            {
                "RetrievalMAP": "AP(denominator=hits)",
                "RetrievalMRR": "RR",
                "RetrievalPrecision": "P",
                "RetrievalRecall": "R",
                "RetrievalHitRate": "HR",
            }
        ),
        "RetrievalPrecision(adaptive_k=True)@{k}": "P(denominator=retrieved)@{k}",
        "RetrievalNormalizedDCG": Variant("nDCG", {"ties": "expected"}),
        "RetrievalNormalizedDCG@{k}": Variant("nDCG@{k}", {"ties": "expected"}),
        "RetrievalFallOut": Variant("FallOut", {"no_relevant": "one"}),
        "RetrievalFallOut@{k}": Variant("FallOut@{k}", {"no_relevant": "one"}),
        "RetrievalRPrecision": "Rprec",
    },
    predictions={
        "BinaryAUROC": "AUC",
        "BinaryAUROC(max_fpr={x})": "AUC(max_fpr={x})",
        "BinaryAveragePrecision": "AveragePrecision",
        **_decisions(
            {
                "BinaryAccuracy": "BinaryAccuracy",
                "BinaryPrecision": "BinaryPrecision",
                "BinaryRecall": "BinaryRecall",
                "BinarySpecificity": "Specificity",
                "BinaryF1Score": "BinaryF",
                "BinaryCohenKappa": "Kappa",
                "BinaryMatthewsCorrCoef": "MCC",
            }
        ),
        "BinaryFBetaScore(beta={b})": f"BinaryF(beta={{b}},threshold={ABOVE_HALF!r})",
        "BinaryCalibrationError": "ECE(bins=15)",
        "BinaryCalibrationError(norm=max)": "MCE(bins=15)",
        "BinaryCalibrationError(norm=l2)": "RMSCE(bins=15)",
        "MeanSquaredError": "MSE",
        "MeanSquaredError(squared=False)": "RMSE",
        "MeanAbsoluteError": "MAE",
        "MeanAbsolutePercentageError": "MAPE",
        "SymmetricMeanAbsolutePercentageError": "SMAPE",
        "R2Score": "R2",
        "ExplainedVariance": "ExplainedVariance",
        "PearsonCorrCoef": "Pearson",
        "SpearmanCorrCoef": "Spearman",
        "KendallRankCorrCoef": "Kendall",
    },
    classes={
        "MulticlassAccuracy": "MulticlassRecall(ties=first)",
        "MulticlassAccuracy(average=micro)": "MulticlassAccuracy(ties=first)",
        "MulticlassAccuracy(average=micro,top_k={k})": "MulticlassAccuracy(ties=first)@{k}",
        "MulticlassAccuracy(average=weighted)": "MulticlassRecall(average=weighted,ties=first)",
        **_averages("MulticlassPrecision", "MulticlassPrecision"),
        **_averages("MulticlassRecall", "MulticlassRecall"),
        **_averages("MulticlassF1Score", "MulticlassF"),
        **_averages("MulticlassFBetaScore", "MulticlassF", "beta={b},"),
        "MulticlassPrecision": "MulticlassPrecision(ties=first)",
        "MulticlassRecall": "MulticlassRecall(ties=first)",
        "MulticlassF1Score": "MulticlassF(ties=first)",
        "MulticlassFBetaScore(beta={b})": "MulticlassF(beta={b},ties=first)",
        "MulticlassAUROC": "MulticlassAUC",
        "MulticlassAUROC(average=weighted)": "MulticlassAUC(average=weighted)",
        "MulticlassCohenKappa": "MulticlassKappa(ties=first)",
        "MulticlassCohenKappa(weights=linear)": "MulticlassKappa(cost=linear,ties=first)",
        "MulticlassCohenKappa(weights=quadratic)": "MulticlassKappa(cost=quadratic,ties=first)",
        "MulticlassMatthewsCorrCoef": "MulticlassMCC(ties=first)",
    },
    notes=(
        CANDIDATES,
        "The cutoff is its top_k. A query with nothing relevant counts as 0 (empty_target_action).",
        "Its MulticlassAccuracy is the mean over classes, which is called recall here, unless average=micro.",
        "A score of exactly the threshold is not found; here the threshold is the next number above.",
    ),
    cannot=(
        Limit(
            f"{NO_TIE_RULE} Only RetrievalNormalizedDCG has a rule: it averages.",
            tied,
            frozenset(("AP", "RR", "P", "R", "HR", "FallOut", "Rprec")),
        ),
        Limit(
            "Scores of 0 and below: AP, MRR, precision and recall take such items as not relevant. Give it "
            "scores above 0, such as probabilities.",
            not_above_0,
            frozenset(("AP", "RR", "P", "R")),
        ),
        Aside(
            "RetrievalAUROC, which is 0 where all targets are the same, orders equal scores by its sorting, "
            "and with top_k sees no more than the items returned.",
            ABSENT,
        ),
        Aside(
            "BinaryAUROC and BinaryAveragePrecision with thresholds, which put scores into bins first.",
            ABSENT,
        ),
        Limit(
            "Scores outside of 0 to 1 in measures of decisions and classes, which it takes for logits.",
            improbable,
            frozenset(
                (
                    *("BinaryAccuracy", "BinaryPrecision", "BinaryRecall", "Specificity", "BinaryF"),
                    *("Kappa", "MCC", "ECE", "MCE", "RMSCE", "MulticlassAUC"),
                )
            ),
        ),
        Limit(
            "Decisions on scores of float32 that are exactly the threshold: here they are found.",
            at_threshold,
            frozenset(
                (
                    "BinaryAccuracy",
                    "BinaryPrecision",
                    "BinaryRecall",
                    "Specificity",
                    "BinaryF",
                    "Kappa",
                    "MCC",
                )
            ),
        ),
        Limit(
            "BinaryCalibrationError where scores are at the border of a bin, which is of the bin above it "
            "there.",
            at_borders,
            frozenset(("ECE", "MCE", "RMSCE")),
        ),
        Aside("The last digits: it adds up in 32 bits.", DIGITS),
        Aside(
            "What has no value here: it has 0 where a measure is 0/0, in MulticlassAUROC 0 for classes "
            "without rows, and great numbers in MeanAbsolutePercentageError for labels of 0.",
            UNDEFINED,
        ),
        Limit(
            "MulticlassAccuracy with top_k where scores at the border are equal.",
            at_borders,
            frozenset(("MulticlassAccuracy",)),
        ),
    ),
)

RECTOOLS = Convention(
    name="rectools",
    tool="rectools",
    version="0.19.0",
    choices={"ties": "input"},
    measures=_cut(
        {
            "NDCG": "nDCG(gain=binary,ideal=[{ones}])",
            "NDCG(divide_by_achievable=True)": "nDCG(gain=binary)",
            "DCG": "DCG(gain=binary)",
            "MAP": "AP",
            "MAP(divide_by_k=True)": "AP(denominator=cutoff)",
            "MRR": "RR",
            "Precision": "P",
            "Precision(r_precision=True)": "P(denominator=min)",
            "Recall": "R",
            "HitRate": "HR",
            "F1Beta": "F",
            "F1Beta(beta={b})": "F(beta={b})",
            "PartialAUC": "PartialAUC",
            "PAP": "PAP",
        }
    ),
    items=_cut(
        {
            "MeanInvUserFreq": "Novelty",
            "AvgRecPopularity": "Popularity(by=interactions)",
            "AvgRecPopularity(normalize=True)": "Popularity(by=interactions,scale=share)",
            "IntraListDiversity": "IntraListDiversity(distance=differences,single=zero)",
            "CatalogCoverage": "AggregateDiversity",
            "CatalogCoverage(normalize=True)": "CatalogueCoverage",
            "Serendipity": "Serendipity(against=ranks)",
            "CoveredUsers": "UserCoverage",
            "SufficientReco": "UserCoverage(least=cutoff)",
        }
    ),
    notes=(
        (
            "Every row of the interactions is relevant: leave out what is not. Ranks are the caller's, so "
            "scores "
            "are taken in the order of the rows where they are equal."
        ),
        "NDCG divides by what k relevant items would give, so that a user with fewer cannot reach 1.",
        (
            "IntraListDiversity has the Hamming distance of its calculators, the number of features that "
            "differ: say which column has them, by=…; numbers of features are compared, too."
        ),
        ALL_USERS,
    ),
    cannot=(
        EVERY_ROW,
        OTHER_USERS,
        Limit("The same interaction twice, which doubles hits; here `duplicates` refuses it.", repeated),
        Aside(
            "SparsePairwiseHammingDistanceCalculator to the last digit: it counts in 32 bits, and leaves out "
            "the pairs of items without features, which are refused here.",
            DIGITS,
        ),
        Aside(
            "Accuracy and MCC, which need the catalogue; what compares lists with others (Intersection); "
            "and UnrepeatedReco, the share of lists with no item twice, which `duplicates` refuses here.",
            ABSENT,
        ),
    ),
)

REPLAY = Convention(
    name="replay",
    tool="replay-rec",
    version="0.22.0",
    aliases=("replay-rec",),
    measures=_cut(
        {
            "NDCG": "nDCG(gain=binary)",
            "MAP": "AP(denominator=min)",
            "MRR": "RR",
            "Precision": "P",
            "Recall": "R",
            "HitRate": "HR",
            "RocAuc": "ListAUC(items=retrieved)",
        }
    ),
    items=_cut(
        {
            "Coverage": "CatalogueCoverage(of=train)",
            "Novelty": "NotInTrain",
            "Surprisal": "Novelty(scale=share,denominator=cutoff)",
            "CategoricalDiversity": "CategoryCoverage(denominator=cutoff)",
        }
    ),
    notes=(
        "Every row of the ground truth is relevant: leave out what is not.",
        "Equal scores: the greater item first, as for its data frames; dicts keep their order.",
        (
            "Its Novelty is the share of new items, and not self-information, which is its Surprisal; its "
            "mean is over the users of train: give these as judgements, and the mean is over those of them "
            "that have results."
        ),
        ALL_USERS,
    ),
    cannot=(
        EVERY_ROW,
        OTHER_USERS,
        Limit(
            "Novelty of users of train without results, for which it has 1; here they have no value.",
            unanswered,
            frozenset(("NotInTrain",)),
        ),
        Aside(
            "Coverage and CategoricalDiversity of data frames where scores are equal: the order is that of "
            "the rows for the first, and left to its sorting for the second.",
            DIGITS,
        ),
        Limit(
            "The same item twice, which it counts twice (with a warning); here `duplicates` refuses it.",
            repeated,
        ),
        Aside(
            "Unexpectedness, which is NotInTrain with the tops of the lists of the other run as train=….",
            ABSENT,
        ),
    ),
)

RECBOLE = Convention(
    name="recbole",
    tool="recbole",
    version="7b02be5",
    choices={"ties": "input", "no_relevant": "skip"},
    measures=_cut(
        {
            "ndcg": "nDCG(gain=binary)",
            "map": "AP(denominator=min)",
            "mrr": "RR",
            "precision": "P",
            "recall": "R",
            "hit": "HR",
        }
    ),
    items=_cut(
        {
            "itemcoverage": "CatalogueCoverage",
            "averagepopularity": "Popularity(by=interactions)",
            "shannonentropy": "ExposureEntropy(log=e,denominator=recommended)",
            "giniindex": "ExposureGini",
        }
    ),
    predictions={
        "AUC": "AUC",
        "GAUC": "GAUC(weight=clicks)",
        "LogLoss": "LogLoss(clip=1e-15)",
        "RMSE": "RMSE",
        "MAE": "MAE",
    },
    notes=(
        "Every item of the test set is relevant, and users without one are not evaluated.",
        "Its GAUC weighs users by their positive rows, and leaves out those of one class.",
        (
            "itemcoverage and giniindex count its padding as an item: give items=… one more than there are. "
            "Every list has k items there."
        ),
    ),
    cannot=(
        NO_TIE_RULE,
        EVERY_ROW,
        Aside(
            "tailpercentage: of the items at the border of the tail, which are equally popular, it takes "
            "those that it numbered first.",
            ABSENT,
        ),
        Aside("It prints four digits.", DIGITS),
        FROM_SOURCE,
    ),
)

RECPACK = Convention(
    name="recpack",
    tool="recpack",
    version="0.3.6",
    choices={"ties": "input", "no_relevant": "skip"},
    measures=_cut(
        {
            "NDCGK": "nDCG(gain=binary)",
            "DCGK": "DCG(gain=binary)",
            "RecallK": "R",
            "CalibratedRecallK": "R(denominator=min)",
            "PrecisionK": "P",
            "ReciprocalRankK": "RR",
            "HitK": "HR(hits=count)",
        },
        sign="_",
    ),
    items=_cut(
        {
            "CoverageK": "CatalogueCoverage",
            "IntraListDiversityK": "IntraListDiversity(distance=jaccard,single=zero)",
        },
        sign="_",
    ),
    notes=(
        "HitK counts hits: its mean can exceed 1.",
        "What is recommended it measures of users with relevant items: give the judgements.",
        "IntraListDiversityK is of the features that it was fitted with: say which column has them, by=….",
    ),
    cannot=(
        NO_TIE_RULE,
        EVERY_ROW,
        Limit(
            "Ratings instead of ones, by which it multiplies the rank within the logarithm of NDCG and DCG.",
            graded,
            frozenset(("nDCG", "DCG")),
        ),
        Limit(
            "IntraListDiversityK of users without recommendations, who count 0 there and not at all here.",
            unanswered,
            frozenset(("IntraListDiversity",)),
        ),
        Aside("PercentileRanking, and what weighs by propensities (IPS).", ABSENT),
    ),
)

LENSKIT = Convention(
    name="lenskit",
    tool="lenskit",
    version="2025.8.1",
    choices={"ties": "input", "no_relevant": "skip"},
    measures={
        **_uncut_and_cut(
            {
                "NDCG": "nDCG(gain=binary,discount=log2max)",
                "NDCG(gain)": "nDCG(discount=log2max)",
                "Recall": "R(denominator=min)",
                "RecipRank": "RR",
                "Hit": "HR",
                "RBP": "RBP(p=0.85)",
            }
        ),
        **{
            name: Variant(measure, choices)
            for names, choices in (
                ({"DCG": "DCG(gain=binary,discount=log2max)"}, {"no_relevant": "zero"}),
                ({"DCG(gain)": "DCG(discount=log2max)"}, {"no_relevant": "zero"}),
                ({"AP": "AP(denominator=retrieved)"}, {"missing": "skip"}),
                ({"Precision": "P(denominator=retrieved)"}, {"missing": "skip", "no_relevant": "zero"}),
            )
            for name, measure in _uncut_and_cut(names).items()
        },
    },
    items=_uncut_and_cut(
        {
            "MeanPopRank": "Popularity(scale=rank)",
            "MeanPopRank(count=interactions)": "Popularity(by=interactions,scale=rank)",
            "ListGini": "ExposureGini",
            "ExposureGini": "ExposureGini(discount=0.85)",
        }
    ),
    notes=(
        (
            "An empty list counts 0, but for Precision and AP, which leave it out. Users without a list are "
            'not in its tables: for those, missing="skip".'
        ),
        (
            "RunAnalysis has 0 for what has no value unless told fill_missing=False: for its summary, "
            'missing="zero" and no_relevant="zero".'
        ),
        (
            "Its lists have an order of their own; every item of the test data is relevant: leave out what "
            "is not."
        ),
        "NDCG weighs ranks 1 and 2 alike.",
        ALL_USERS,
    ),
    cannot=(
        EVERY_ROW,
        TWICE,
        OTHER_USERS,
        Aside("The last digits of ExposureGini: it adds up in 32 bits.", DIGITS),
        Aside(
            "entropy and rank_biased_entropy, which add 1e-6 to each category, and what compares lists "
            "before and after reranking.",
            ABSENT,
        ),
        FROM_SOURCE,
    ),
)

RECOMMENDERS = Convention(
    name="recommenders",
    tool="recommenders",
    version="1.2.1",
    choices={"ties": "input", "missing": "skip"},
    measures={
        **_cut(
            {
                "map": "AP",
                "map_at_k": "AP(denominator=min)",
                "precision_at_k": "P",
                "recall_at_k": "R",
            }
        ),
        "ndcg_at_k@{k}": Variant("nDCG(gain=binary)@{k}", {"missing": "zero"}),
        "ndcg_at_k(score_type=raw)@{k}": Variant("nDCG@{k}", {"missing": "zero"}),
        "ndcg_at_k(score_type=exp)@{k}": Variant("nDCG(gain=exp2)@{k}", {"missing": "zero"}),
    },
    items=_uncut_and_cut(
        {
            "novelty": "Novelty(by=interactions,unseen=zero)",
            "catalog_coverage": "CatalogueCoverage(of=train,unseen=count)",
            "distributional_coverage": "ExposureEntropy",
            "diversity": "IntraListDiversity(distance=cooccurrence)",
        }
    ),
    predictions={
        "auc": "AUC",
        "group_auc": "GAUC(weight=uniform)",
        "logloss": "LogLoss(clip=1e-11)",
        "rmse": "RMSE",
        "mae": "MAE",
    },
    aliases=("microsoft-recommenders",),
    notes=(
        (
            "The functions of python_evaluation with their k. Every row of the true ratings is relevant: "
            "leave out "
            "what is not."
        ),
        "Precision, recall and MAP are means over the users with results, NDCG over all.",
        "auc, group_auc and logloss are those of its deep models' cal_metric, rmse and mae are both.",
        (
            "What is recommended it measures of whole lists: hand it the first k of each. It refuses items "
            "that their user had before, and diversity leaves out lists of one item. With item features it "
            "is IntraListDiversity(distance=cosine), by=… the column with their numbers."
        ),
        ALL_USERS,
    ),
    cannot=(
        NO_TIE_RULE,
        EVERY_ROW,
        Aside("r_precision_at_k: it leaves out users whose hits stand low.", ABSENT),
        Aside(
            "serendipity: one less the mean similarity of an item to each that its user had, times a column "
            "of its relevance; here EPD and Serendipity go by grades.",
            ABSENT,
        ),
        Limit(
            "novelty where lists are of different lengths: it is the mean over all recommendations, which "
            "weights by the lengths give here.",
            uneven,
            frozenset(("Novelty",)),
        ),
        Limit(
            "diversity by co-occurrence where a user had an item more than once before: it counts pairs of "
            "rows.",
            repeated_before,
            frozenset(("IntraListDiversity",)),
        ),
        OTHER_USERS,
        Aside(
            "The four digits to which cal_metric rounds, its rmse being the root of a rounded mean: compare "
            "to four digits.",
            DIGITS,
        ),
        Limit(
            "group_auc where a user has rows of one class: it has no value at all, and here they are left "
            "out.",
            of_one_class,
            frozenset(("GAUC",)),
        ),
    ),
)

ELLIOT = Convention(
    name="elliot",
    tool="elliot",
    version="fc27efe",
    choices={"ties": "input", "missing": "skip", "no_relevant": "skip"},
    measures=_cut(
        {
            "nDCG": "nDCG(gain=exp2)",
            "Precision": "P",
            "Recall": "R",
            "HR": "HR",
            "MRR": "RR",
            "MAP": "MeanP",
            "MAR": "MeanR",
            "F1": "F",
        }
    ),
    items=_cut(
        {
            "ItemCoverage": "AggregateDiversity",
            "SEntropy": "ExposureEntropy",
            "EFD": "EFD(discount=log2,gain=binary)",
            "EPC": "EPC(discount=log2,gain=binary)",
            "ARP": "Popularity",
            "APLT": "APLT(head=0.8,of=interactions)",
            "ACLT": "APLT(head=0.8,of=interactions,scale=count)",
            "PopREO": "PopREO(head=0.8,of=interactions)",
            "PopRSP": "PopRSP(head=0.8,of=interactions)",
        }
    ),
    notes=(
        "With relevance_threshold 1. Its MAP is the mean of P@1 to P@k, and not average precision.",
        "Only users with recommendations and with relevant items are counted.",
        (
            "ItemCoverage counts items. Gini is 1 minus ExposureGini(denominator=others). UserCoverage and "
            "UserCoverageAtN count users."
        ),
    ),
    cannot=(
        OTHER_USERS,
        Limit(
            "SEntropy where lists are of different lengths: each list counts as much as any other there.",
            uneven,
            frozenset(("ExposureEntropy",)),
        ),
        Limit(
            "What was had more than once before, which it has once.",
            repeated_before,
            frozenset(("EFD", "APLT", "PopREO", "PopRSP")),
        ),
        Limit(
            "Items that nobody had: it stops at them in ARP, takes none for the tail, and in EFD they are as "
            "new as the item that fewest had.",
            had_by_nobody,
            frozenset(("Popularity", "EFD", "APLT", "PopREO", "PopRSP")),
        ),
        Limit(
            "EFD and EPC of users without relevant items, who have 0 here and are left out there.",
            without_relevant,
            frozenset(("EFD", "EPC")),
        ),
        Aside(
            "Items as popular as the last one of the head: there the order of its ids says which are in it, "
            "and here all are.",
            UNKNOWN,
        ),
        Aside(
            "nDCG with another threshold t, whose gain is 2^(grade - t + 1) - 1: from Python, give such a "
            "function.",
            ABSENT,
        ),
        Aside(
            "AUC, GAUC and LAUC: they take one item too many for not relevant, so that the worst list is "
            "above 0.",
            ABSENT,
        ),
        Aside(
            "RMSE, MSE and MAE: they see only rows in the list with a rating of at least the threshold, and "
            "divide by all that are relevant.",
            ABSENT,
        ),
        Aside(
            "SRecall, the share of all features of items that the relevant items of a list have; here "
            "SubtopicRecall is of judged aspects, and CategoryCoverage of all items.",
            ABSENT,
        ),
        FROM_SOURCE,
    ),
)

EVIDENTLY = Convention(
    name="evidently",
    tool="evidently",
    version="a4aa4c2",
    choices={"ties": "input", "missing": "skip", "no_relevant": "skip"},
    measures=_cut(
        {
            "NDCG": "nDCG(ideal=retrieved)",
            "MAP": "AP",
            "MRR": "RR",
            "HitRate": "HR",
            "Precision": "P(denominator=retrieved)",
            "Recall": "R",
        }
    ),
    items=_cut(
        {
            "Diversity": "IntraListDiversity(denominator=items,single=zero)",
            "Novelty": "Novelty(unseen=skip)",
            "Personalization": "Personalisation(denominator=cutoff)",
            "PopularityBias": "Popularity(unseen=skip)",
            "PopularityBias(normalize_arp=True)": "Popularity(scale=max,unseen=skip)",
            "PopularityBias(metric=coverage)": "CatalogueCoverage(of=train)",
            "PopularityBias(metric=gini)": "ExposureGini(of=recommended,denominator=others)",
        }
    ),
    notes=(
        "Its table has a row for every item that was recommended, with the target beside it.",
        "Diversity is of the columns of item_features: give them as one of lists of numbers, by=….",
        ALL_USERS,
    ),
    cannot=(
        OTHER_USERS,
        Limit(
            "Personalization where a list has fewer than k items: it takes all for k long.",
            short,
            frozenset(("Personalisation",)),
        ),
        Aside(
            "Serendipity, in which all similarities to what the user had are added up and divided by their "
            "number alone, so that it falls with every hit.",
            ABSENT,
        ),
        Limit("Equal scores: their items get the mean of their ranks, cut off to a whole number.", tied),
        Limit(
            "MAP and Recall where relevant items are not in the table: it does not know of them.",
            incomplete,
            frozenset(("AP", "R")),
        ),
        FROM_SOURCE,
    ),
)

REXMEX = Convention(
    name="rexmex",
    tool="rexmex",
    version="0.1.3",
    choices={"ties": "input", "missing": "skip"},
    measures={
        "hits_at_k@{k}": "P(denominator=retrieved)@{k}",
        "average_precision_at_k@{k}": "AP(denominator=min)@{k}",
        "mean_reciprocal_rank": "RR(hits=all,denominator=relevant)",
    },
    items={
        "item_coverage": "CatalogueCoverage",
        "user_coverage": "UserCoverage",
        "personalization": "Personalisation",
        "novelty@{k}": "Novelty@{k}",
    },
    notes=(
        (
            "Its hits_at_k is a precision, and its mean reciprocal rank a mean over all relevant items of a "
            "list."
        ),
        "The functions take one list each; the mean over lists is the caller's.",
        (
            "novelty is told how popular items are, by users here; it refuses lists that are shorter than k, "
            "and items without a popularity. user_coverage is told who the users are, the judged ones here."
        ),
        "Its intra_list_similarity is 1 minus IntraListDiversity, by=… a column of numbers.",
    ),
    cannot=(
        Limit(
            "novelty of lists that are shorter than k, which it refuses.",
            short,
            frozenset(("Novelty",)),
        ),
        Aside("item_coverage and user_coverage are rounded to three digits.", DIGITS),
        Aside("novelty to the tenth digit: it adds 1e-10 to each popularity.", DIGITS),
        Limit(
            "mean_reciprocal_rank where a relevant item is not in the list, which it refuses.",
            incomplete,
            frozenset(("RR",)),
        ),
        Aside("Rank correlations and the measures of ratings.", ABSENT),
    ),
)

LIGHTGBM = Convention(
    name="lightgbm",
    tool="lightgbm",
    version="4.7.0",
    choices={"ties": "input", "no_relevant": "one"},
    measures=_cut({"ndcg": "nDCG(gain=exp2)", "map": "AP(denominator=retrieved)"}),
    predictions={
        "auc": "AUC",
        "average_precision": "AveragePrecision",
        "binary_logloss": "LogLoss(clip=1e-15)",
        "l2": "MSE",
        "rmse": "RMSE",
        "l1": "MAE",
    },
    notes=(CANDIDATES, "Labels are whole numbers from 0 to 30, unless label_gain says otherwise."),
    cannot=(
        Limit(
            "Grades other than 0, 1, … 30, which it refuses unless label_gain says otherwise.", whole_to(30)
        ),
        Aside("Weights of queries.", ABSENT),
        Aside("Labels and weights of rows to more than 32 bits, which it keeps.", DIGITS),
    ),
)

XGBOOST = Convention(
    name="xgboost",
    tool="xgboost",
    version="3.2.0",
    choices={"ties": "input", "no_relevant": "one", "scores": "float32"},
    measures={
        **_xgboost("ndcg", "nDCG(gain=exp2)"),
        **_xgboost("map", "AP(denominator=min)"),
        **{
            name: Variant(measure if isinstance(measure, str) else measure.measure, {"no_relevant": "zero"})
            for name, measure in _xgboost("pre", "P(denominator=retrieved)").items()
        },
    },
    predictions={
        "auc": "AUC",
        "logloss": "LogLoss(clip=1e-16)",
        "error": f"BinaryErrorRate(threshold={ABOVE_HALF!r})",
        "error@{x}": "BinaryErrorRate(threshold={above})",
        "rmse": "RMSE",
        "mae": "MAE",
        "mape": "MAPE",
    },
    classes={
        "merror": "MulticlassErrorRate(ties=first)",
        "mlogloss": "MulticlassLogLoss(clip=1e-16)",
        "auc": "MulticlassAUC(average=weighted)",
    },
    notes=(
        CANDIDATES,
        "ndcg, map and pre without a cutoff are at 32; before XGBoost 2.0 they saw the whole list.",
        (
            "logloss, error, merror and mlogloss are of its probabilities, and auc of several classes is one "
            "against the rest, weighed by their rows."
        ),
    ),
    cannot=(
        Limit(
            "map and pre take grades of 0 and 1 alone; ask for ndcg, or give such grades.",
            graded,
            frozenset(("AP", "P")),
            refused=True,
        ),
        Limit(
            "ndcg takes grades of 0, 1, … 31 alone; give such grades.",
            whole_to(31),
            frozenset(("nDCG",)),
            refused=True,
        ),
        Aside("Weights of queries.", ABSENT),
        Aside("aucpr, which joins the points of its curve otherwise than PRAUC.", ABSENT),
        Aside(
            "auc and aucpr of rows in groups: those are of all pairs of rows, equal labels among them.",
            ABSENT,
        ),
        Aside("The last digits: it keeps scores and labels in 32 bits.", DIGITS),
        Limit(
            "logloss of a probability of exactly 1 where the label is 0: 36.84 there, 36.74 here.",
            certainly_wrong,
            frozenset(("LogLoss",)),
        ),
        Aside("rmsle, mphe, and what is of counts, quantiles and survival.", ABSENT),
    ),
)

CATBOOST = Convention(
    name="catboost",
    tool="catboost",
    version="1.2.10",
    choices={"ties": "worst"},
    measures={
        **_catboost_gain("NDCG", "nDCG", {"no_relevant": "one"}),
        **_catboost_gain("DCG", "DCG"),
        **_catboost("MAP", "AP(denominator=min)"),
        **_catboost("PrecisionAt", "P(denominator=retrieved)"),
        **_catboost("RecallAt", "R", {"no_relevant": "one"}),
        **_catboost("MRR", "RR"),
        **_catboost("ERR", "ERR(gain=linear,max_grade=1,best=certain)"),
        **_catboost("PFound", "PFound(max_grade=1)"),
        "PFound:decay={x}": "PFound(decay={x},max_grade=1)",
        "PFound:decay={x};top={k}": "PFound(decay={x},max_grade=1)@{k}",
        "QueryAUC": Variant("ListAUC", {"ties": "expected"}),
    },
    predictions={
        "AUC": "AUC",
        "NormalizedGini": "Gini",
        "Logloss": "LogLoss",
        "BrierScore": "Brier",
        "RMSE": "RMSE",
        "MAE": "MAE",
        "MAPE": "MAPE",
        "R2": "R2",
        "PRAUC": "PRAUC",
        **{
            name: f"{measure}(threshold={ABOVE_HALF!r})"
            for name, measure in {
                "Accuracy": "BinaryAccuracy",
                "ZeroOneLoss": "BinaryErrorRate",
                "BalancedAccuracy": "BalancedAccuracy",
                "Precision": "BinaryPrecision",
                "Recall": "BinaryRecall",
                "F1": "BinaryF",
                "MCC": "MCC",
                "Kappa": "Kappa",
            }.items()
        },
    },
    spelling=_catboost_spelling,
    notes=(
        CANDIDATES,
        "Labels of ERR and PFound are from 0 to 1, and the border of the others is 0.5.",
        "Parameters may stand in any order: NDCG:type=Exp;top=5.",
        (
            "It makes probabilities of raw values in Logloss, BrierScore and measures of decisions: give it "
            "those, and probabilities here."
        ),
        "QueryAUC counts groups of one class as 0.",
    ),
    cannot=(
        Aside("Grades above 1 in ERR and PFound, whose value then means nothing.", REFUSED),
        Limit(
            "Grades between 0.5 and 1, which are relevant there, and not here.",
            fractional,
            frozenset(("AP", "P", "R", "RR", "ListAUC")),
        ),
        Aside("denominator=Position of DCG and NDCG, which discounts by the rank itself.", ABSENT),
        Aside("QueryAUC and AUC with type=Ranking.", ABSENT),
        Limit("QueryAUC of grades.", graded, frozenset(("ListAUC",))),
        Aside("Weights of groups.", ABSENT),
        Aside("The last digits: it keeps labels and weights in 32 bits.", DIGITS),
        Aside(
            "Precision, Recall and F1 where nothing is found or positive, which it has as 0 or 1.", UNDEFINED
        ),
    ),
)

TF_RANKING = Convention(
    name="tf-ranking",
    tool="tensorflow_ranking",
    version="5b1d133",
    aliases=("tensorflow_ranking", "tensorflow-ranking"),
    choices={"ties": "random"},
    measures={
        **_cut(
            {
                "ndcg": "nDCG(gain=exp2)",
                "dcg": "DCG(gain=exp2)",
                "map": "AP",
                "mrr": "RR",
                "precision": "P(denominator=retrieved)",
                "recall": "R",
                "hits": "HR",
            },
            sign="_",
        ),
        "ndcg": "nDCG(gain=exp2)",
        "map": "AP",
        "mrr": "RR",
        "arp": "MeanRank(gain=linear)",
        "ordered_pair_accuracy": "OPA",
    },
    notes=(CANDIDATES,),
    cannot=(
        Aside("Weights of items, by which it also weighs queries with nothing relevant.", ABSENT),
        Limit("Equal scores, which it shuffles: one draw here is not its draw.", tied),
        Limit("Negative labels, which it takes for padding.", negative),
        FROM_SOURCE,
    ),
)

GDEVAL = Convention(
    name="gdeval",
    tool="gdeval",
    version="1.3",
    measures={"ndcg@{k}": "nDCG(gain=exp2)@{k}", "err@{k}": "ERR@{k}"},
    text_items=True,
    notes=("With -c. The highest grade is 4.",),
    cannot=(Aside("It prints five digits, and averages the rounded values.", DIGITS),),
)

MSMARCO = Convention(
    name="msmarco",
    tool="ms_marco_eval",
    version="1",
    choices={"ties": "input"},
    measures={"MRR @{k}": "RR@{k}", "MRR@{k}": "RR@{k}"},
    text_items=True,
    notes=(
        (
            "The script reads ranks, so equal scores stay in the order of the rows; as ir_measures calls "
            "it, it "
            'gets them by item id: ties="item-asc".'
        ),
        "It divides by the number of judged queries.",
    ),
    cannot=(FROM_SOURCE,),
)

BEIR = Convention(
    name="beir",
    tool="beir",
    version="2.2.0",
    choices={"missing": "skip", "scores": "float32"},
    measures={
        **_cut({"NDCG": "nDCG", "MAP": "AP", "Recall": "R", "P": "P"}),
        **{
            f"{name}@{{k}}": Variant(
                f"{measure}@{{k}}", {"ties": "input", "missing": "zero", "scores": "float64"}
            )
            for name, measure in {"MRR": "RR", "R_cap": "R(denominator=min)", "Accuracy": "HR"}.items()
        },
    },
    text_items=True,
    notes=(
        (
            "NDCG, MAP, Recall and P are pytrec_eval's, over the queries with results; MRR, R_cap and top-k "
            "accuracy are divided by the number of judged queries."
        ),
        "By its name here, R is Recall; R_cap is asked for by its own name.",
    ),
    cannot=(
        Limit("Fractional grades, which pytrec_eval refuses.", fractional),
        Limit("It takes results out whose id is that of the query; do so before.", own_items),
        Aside("It rounds to five digits.", DIGITS),
        Aside("Hole, which counts over the judgements of all queries.", ABSENT),
    ),
)

FUXICTR = Convention(
    name="fuxictr",
    tool="fuxictr",
    version="2.3.10",
    choices={"ties": "input", "no_relevant": "skip"},
    measures={
        "NDCG(k={k})": "nDCG(gain=exp2)@{k}",
        "MRR": "RR(hits=all,denominator=relevant)",
        "HitRate(k={k})": "HR@{k}",
        "avgAUC": Variant("ListAUC", {"ties": "expected"}),
    },
    predictions={
        "AUC": "AUC",
        "gAUC": "GAUC",
        "avgAUC": "GAUC(weight=uniform)",
        "logloss": "LogLoss(clip=precision)",
    },
    notes=(
        CANDIDATES,
        "Its MRR adds up the reciprocal ranks of all relevant items, as in the MIND data set.",
    ),
    cannot=(
        Limit("Equal scores: the later row comes first.", tied, frozenset(("nDCG", "RR", "HR"))),
        Aside("MRR to the last digit: it divides by the number of relevant items plus 1e-12.", DIGITS),
    ),
)

TORCHREC = Convention(
    name="torchrec",
    tool="torchrec",
    version="376cac6",
    predictions={
        "ne": "NE(clip=1e-12)",
        "logloss": "LogLoss(clip=1e-12,unit=bits)",
        "calibration": "PCOPC",
        "auc": "AUC",
        "gauc": "GAUC(weight=uniform)",
        "mse": "MSE",
        "rmse": "RMSE",
        "mae": "MAE",
    },
    notes=(
        "Its logloss is in bits.",
        "Its values over the window and over all of training are each of the rows that they saw.",
    ),
    cannot=(
        Limit(
            "auc and gauc where scores are equal: their order is left to its sorting, with no half for ties.",
            tied_rows,
            frozenset(("AUC", "GAUC")),
        ),
        Aside(
            "auc of rows of one class, which it has as 0.5, and gauc of no query, too; here there is no "
            "value.",
            UNDEFINED,
        ),
        Aside("calibration where nothing is positive, which it has as 0; here there is no value.", UNDEFINED),
        Limit(
            "gauc of queries whose scores are all equal, which it leaves out; here their AUC is 1/2.",
            of_one_score,
            frozenset(("GAUC",)),
        ),
        Limit("gauc of scores of exactly 0, which it takes for padding.", zero_scores, frozenset(("GAUC",))),
        FROM_SOURCE,
    ),
)

MTEB = Convention(
    name="mteb",
    tool="mteb",
    version="2.26.24",
    choices={"missing": "skip", "scores": "float32"},
    measures={
        **_cut(
            {
                "ndcg": "nDCG",
                "map": "AP",
                "recall": "R",
                "precision": "P",
                "hit_rate": "HR",
            },
            sign="_at_",
        ),
        "accuracy": "R@1",
        "mrr_at_{k}": Variant("RR@{k}", {"scores": "float64"}),
    },
    text_items=True,
    notes=("All but mrr is pytrec_eval's. Its means are over the queries with results.",),
    cannot=(
        Limit("Fractional grades, which pytrec_eval refuses.", fractional),
        Limit(
            "Tasks that ignore identical ids: results are taken out whose id is that of the query; do so "
            "before.",
            own_items,
        ),
        DICTS,
        Aside("It rounds to five digits, but for mrr.", DIGITS),
        Aside("nAUC, and the scores of tasks with instructions, p-MRR among them.", ABSENT),
    ),
)

SENTENCE_TRANSFORMERS = Convention(
    name="sentence-transformers",
    tool="sentence-transformers",
    version="6.2.0",
    aliases=("sentence_transformers",),
    choices={"ties": "item-asc", "no_relevant": "skip"},
    measures=_cut(
        {
            "accuracy": "HR",
            "precision": "P",
            "recall": "R",
            "ndcg": "nDCG(gain=binary)",
            "mrr": "RR",
            "map": "AP(denominator=min)",
        }
    ),
    spelling=_without_similarity,
    text_items=True,
    notes=(
        (
            "This is its InformationRetrievalEvaluator, with or without the similarity in the name "
            "(cosine_ndcg@10); for RerankingEvaluator there is like='sentence-transformers-reranking'."
        ),
        LISTS_OF_IDS,
    ),
    cannot=(
        DICTS,
        Aside(
            "Similarities of fewer digits than it had: equal ones are ordered by id, so write all digits.",
            DIGITS,
        ),
    ),
)

SENTENCE_TRANSFORMERS_RERANKING = Convention(
    name="sentence-transformers-reranking",
    tool="sentence-transformers-reranking",
    version="6.2.0",
    choices={"ties": "input", "no_relevant": "skip"},
    measures={
        "map": "AP",
        "mrr@{k}": "RR@{k}",
        "ndcg@{k}": Variant("nDCG(gain=binary)@{k}", {"ties": "expected"}),
    },
    notes=(
        CANDIDATES,
        (
            "This is its RerankingEvaluator. That of cross-encoders counts a query with nothing relevant "
            'as 0 and keeps one whose documents are all relevant: no_relevant="zero".'
        ),
    ),
    cannot=(
        Limit(
            "Equal scores: for mrr their order is left to its sorting, and in map every item of a tie gets "
            "the precision at its end.",
            tied,
            frozenset(("AP", "RR")),
        ),
        Limit(
            "Queries whose documents are all relevant, which RerankingEvaluator leaves out.", only_relevant
        ),
        Aside("What it has as base_map, base_mrr and base_ndcg: evaluate the run that it reranks.", ABSENT),
    ),
)

KERAS_RS = Convention(
    name="keras-rs",
    tool="keras-rs",
    version="0.4.0",
    aliases=("keras_rs",),
    choices={"ties": "random"},
    measures=_uncut_and_cut(
        {
            "NDCG": "nDCG(gain=exp2)",
            "DCG": "DCG(gain=exp2)",
            "MeanAveragePrecision": "AP",
            "MeanReciprocalRank": "RR",
            "PrecisionAtK": "P(denominator=retrieved)",
            "RecallAtK": "R",
        }
    ),
    notes=(
        CANDIDATES,
        (
            "Lists that are padded: give it scores below 2 in size, for padding gets a score that is 1e-7 "
            "below the least one, which 32 bits do not hold beside greater numbers."
        ),
    ),
    cannot=(
        Aside("Weights of items and lists.", ABSENT),
        Limit("Equal scores, which it shuffles: one draw here is not its draw.", tied),
        Limit("Negative labels, which it takes for padding.", negative),
        Aside("The last digits: it adds up in 32 bits.", DIGITS),
    ),
)

MLFLOW = Convention(
    name="mlflow",
    tool="mlflow",
    version="3.17.2",
    choices={"ties": "input"},
    measures={
        "ndcg_at_{k}": "nDCG(gain=binary)@{k}",
        "precision_at_{k}": "P(denominator=retrieved)@{k}",
        "recall_at_{k}": "R@{k}",
    },
    notes=("Its evaluator of retrievers, by default with k = 3.", LISTS_OF_IDS),
    cannot=(
        Limit(
            "ndcg_at_k of lists that are shorter than k and have fewer items than are relevant: its ideal "
            "list is no longer than the list returned.",
            fewer,
            frozenset(("nDCG",)),
        ),
        Limit(
            "ndcg_at_k and recall_at_k of queries with neither relevant items nor results, which have 1.",
            nothing,
            frozenset(("nDCG", "R")),
        ),
        Limit(
            "The same item twice in a list, which precision and ndcg count twice; here `duplicates` refuses "
            "it.",
            repeated,
            frozenset(("nDCG", "P")),
        ),
    ),
)

SPARK = Convention(
    name="spark",
    tool="pyspark",
    version="4.3.0",
    aliases=("pyspark", "spark-mllib"),
    choices={"ties": "input"},
    measures={
        "ndcgAt({k})": "nDCG(gain=binary)@{k}",
        "meanAveragePrecision": "AP",
        "meanAveragePrecisionAt({k})": "AP(denominator=min)@{k}",
        "precisionAt({k})": "P@{k}",
        "recallAt({k})": "R@{k}",
        "ndcgAtK@{k}": "nDCG(gain=binary)@{k}",
        "meanAveragePrecisionAtK@{k}": "AP(denominator=min)@{k}",
        "precisionAtK@{k}": "P@{k}",
        "recallAtK@{k}": "R@{k}",
    },
    notes=(
        "RankingMetrics of mllib, and after it what RankingEvaluator of ml calls the same, with its k.",
        LISTS_OF_IDS,
    ),
    cannot=(
        TWICE,
        Aside(
            "ndcgAt with relevance values: from Python they change nothing, and from Scala its ideal list "
            "has them in the order in which they were given.",
            ABSENT,
        ),
    ),
)

HAYSTACK = Convention(
    name="haystack",
    tool="haystack-ai",
    version="3.4.0",
    aliases=("haystack-ai",),
    choices={"ties": "input"},
    measures={
        "DocumentNDCGEvaluator": "nDCG",
        "DocumentMAPEvaluator": "AP",
        "DocumentMRREvaluator": "RR",
        "DocumentRecallEvaluator": "HR",
        "DocumentRecallEvaluator(mode=single_hit)": "HR",
        "DocumentRecallEvaluator(mode=multi_hit)": "R",
    },
    notes=(
        LISTS_OF_IDS,
        "The grades are the scores of the ground truth documents; without scores each of them is 1.",
        "It knows no cutoff: hand it and rankmark the same lists.",
    ),
    cannot=(
        Limit(
            "Negative grades, which lose something there.",
            negative,
            frozenset(("nDCG",)),
        ),
        Limit(
            "The same document twice in a list, which is a hit once and keeps its rank twice; here "
            "`duplicates` refuses it.",
            repeated,
        ),
        Aside("What looks at contents: it compares documents by content unless told a field.", ABSENT),
    ),
)

LLAMA_INDEX = Convention(
    name="llama-index",
    tool="llama-index-core",
    version="0.14.25",
    aliases=("llama_index", "llamaindex", "llama-index-core"),
    choices={"ties": "input", "missing": "skip", "no_relevant": "skip"},
    measures={
        "hit_rate": "HR",
        "mrr": "RR",
        "precision": "P",
        "recall": "R",
        "ap": "AP",
        "ndcg": "nDCG(gain=binary)",
        "hit_rate(use_granular_hit_rate=True)": "R",
    },
    notes=(
        LISTS_OF_IDS,
        "It knows no cutoff but the retriever's top_k: hand rankmark lists that end there.",
        "It refuses a query without results or without expected ids; here such are left out.",
    ),
    cannot=(
        Limit(
            "The same id twice in a list, which is one in precision and recall, and counts twice in the "
            "others; here `duplicates` refuses it.",
            repeated,
        ),
        Aside("MRR with use_granular_mrr, the mean over the hits of one over their ranks.", ABSENT),
    ),
)

RAGAS = Convention(
    name="ragas",
    tool="ragas",
    version="0.4.3",
    choices={"ties": "input"},
    measures={
        "context_precision": "AP(denominator=hits)",
        "id_based_context_precision": Variant("P", {"missing": "skip"}),
        "id_based_context_recall": Variant("R", {"no_relevant": "skip"}),
    },
    notes=(
        (
            "A context is relevant if its model says so: judge the contexts as it does. So it is for "
            "llm_context_precision_with_reference and non_llm_context_precision_with_reference, too."
        ),
        "It knows no cutoff: hand it and rankmark the same lists.",
    ),
    cannot=(
        Limit(
            "The same context twice in a list, which is one where it goes by ids, and counts twice in "
            "context_precision; here `duplicates` refuses it.",
            repeated,
        ),
        Aside("context_precision to the tenth digit: it divides by the number of hits plus 1e-10.", DIGITS),
        Aside("context_recall, which counts statements of an answer.", ABSENT),
    ),
)

_RANK_EVAL_CUT = {
    "precision": "P(denominator=retrieved)",
    "recall": "R",
    "mean_reciprocal_rank": "RR",
}

ELASTICSEARCH = Convention(
    name="elasticsearch",
    tool="elasticsearch",
    version="8",
    aliases=("opensearch", "rank_eval"),
    choices={"ties": "input"},
    measures={
        **_cut(_RANK_EVAL_CUT),
        **_cut(
            {
                f"{name}(relevant_rating_threshold={{rel}})": _with(measure, "rel={rel}")
                for name, measure in _RANK_EVAL_CUT.items()
            }
        ),
        "dcg@{k}": "DCG(gain=exp2)@{k}",
        "dcg(normalize=true)@{k}": "nDCG(gain=exp2)@{k}",
        "expected_reciprocal_rank(maximum_relevance={rel})@{k}": "ERR(max_grade={rel})@{k}",
    },
    notes=(
        "This is the ranking evaluation API (_rank_eval), OpenSearch's, too; k is 10 by default.",
        (
            "Each request is a query, also one without hits. With ignore_unlabeled in precision, give "
            'unjudged="ignore" and lists that end at k.'
        ),
    ),
    cannot=(
        Limit(
            "dcg with normalize of lists that are shorter than k and have fewer hits than are relevant: its "
            "ideal list is no longer than the list returned.",
            fewer,
            frozenset(("nDCG",)),
        ),
        Limit("Ratings that are not whole numbers, which it refuses.", fractional),
        Limit(
            "Negative ratings, which lose something in dcg.",
            negative,
            frozenset(("nDCG", "DCG", "ERR")),
        ),
        Aside("unknown_doc_rating, which gives unjudged documents a rating: judge them so.", ABSENT),
        FROM_SOURCE,
    ),
)

VESPA = Convention(
    name="vespa",
    tool="pyvespa",
    version="1.2.9",
    aliases=("pyvespa",),
    choices={"ties": "input", "no_relevant": "skip"},
    measures=_cut(
        {
            "accuracy": "HR",
            "precision": "P",
            "recall": "R",
            "ndcg": "nDCG(gain=binary)",
            "mrr": "RR",
            "map": "AP(denominator=min)",
            "ndcg(graded)": "nDCG",
        }
    ),
    notes=(
        "This is pyvespa's VespaEvaluator; hits keep the order in which Vespa returned them.",
        LISTS_OF_IDS,
        (
            "Of relevant documents with grades, which are from 0 to 1, it computes ndcg alone: ask for "
            "ndcg(graded)@<k>, whose queries count 0 if all of their grades are 0."
        ),
    ),
    cannot=(
        TWICE,
        Limit(
            "ndcg(graded) of grades outside of 0 to 1, which it refuses.",
            outside_0_to_1,
            frozenset(("nDCG",)),
        ),
        Aside("VespaMatchEvaluator, which counts what was matched, and times of searches.", ABSENT),
    ),
)

ANN_BENCHMARKS = Convention(
    name="ann-benchmarks",
    tool="ann-benchmarks",
    version="93587d8",
    aliases=("ann_benchmarks",),
    choices={"ties": "input"},
    measures={"k-nn@{k}": "P@{k}", "epsilon@{k}": "P@{k}", "largeepsilon@{k}": "P@{k}"},
    notes=(
        (
            "It goes by distances: relevant are all items that are no farther than the true neighbour at "
            "rank k, plus 0.001 for k-nn, times 1.01 for epsilon and 1.1 for largeepsilon. Judge these, and "
            "its recall is the share of them among the first k."
        ),
        "Where exactly k items are that near it is R@k, too.",
    ),
    cannot=(
        TWICE,
        Aside("rel, the ratio of the distances, and what is of time and size.", ABSENT),
        FROM_SOURCE,
    ),
)

# At rank 1 neither is divided by what could be gained at most.
_NDEVAL_AT_1 = {"ERR-IA@1": "alpha_DCG@1", "alpha-DCG@1": "alpha_DCG@1"}
_TWICE_RELEVANT = Limit(
    "An item that is judged twice for the same aspect, which is two relevant items.", repeated
)
_ZERO_BY_ZERO = Aside(
    "nNRBP where nothing is relevant to a query: it is 0 / 0 there, and so is the mean.", UNDEFINED
)
_NO_ASPECT_ALONE = Aside("MAP and P without aspects, which it has and never prints.", ABSENT)

NDEVAL = Convention(
    name="ndeval",
    tool="ndeval",
    version="4.5",
    choices={"missing": "skip"},
    items={
        **_NDEVAL_AT_1,
        **_cut(
            {
                "ERR-IA": "ERR_IA",
                "nERR-IA": "nERR_IA",
                "alpha-DCG": "alpha_DCG(denominator=most)",
                "alpha-nDCG": "alpha_nDCG",
                "P-IA": "IA(of=P)",
                "strec": "SubtopicRecall",
            }
        ),
        "NRBP": "NRBP",
        "nNRBP": "nNRBP",
        "MAP-IA": "IA(of=AP)",
    },
    text_items=True,
    notes=(
        "Run it with -traditional: without, it goes by the ranks in the run, and not by the scores.",
        'With -c its means are over all judged queries: missing="zero".',
        "It prints zeros for queries without judgements, which no mean counts, and no cutoff above 20.",
    ),
    cannot=(
        Limit("Grades below 0, which it refuses.", negative),
        Limit("Fractional grades, which it refuses.", fractional),
        _TWICE_RELEVANT,
        _ZERO_BY_ZERO,
        _NO_ASPECT_ALONE,
        Aside("Gains and losses beside a baseline (-baseline).", ABSENT),
    ),
)

PYNDEVAL = replace(
    NDEVAL,
    name="pyndeval",
    tool="pyndeval",
    version="0.0.8",
    choices={"missing": "skip", "ties": "item-asc"},
    notes=(
        "It is ndeval within Python, but of equal scores the least id comes first.",
        "Its relevance_level is rel; results are given query by query.",
    ),
    cannot=(
        _TWICE_RELEVANT,
        _ZERO_BY_ZERO,
        Aside("Cutoffs above 20, which it refuses.", ABSENT),
    ),
)

TOOLS = (
    TREC_EVAL,
    TREC_EVAL_9,
    IR_MEASURES,
    RANX,
    SKLEARN,
    TORCHMETRICS,
    RECTOOLS,
    REPLAY,
    RECBOLE,
    RECPACK,
    LENSKIT,
    RECOMMENDERS,
    ELLIOT,
    EVIDENTLY,
    REXMEX,
    LIGHTGBM,
    XGBOOST,
    CATBOOST,
    TF_RANKING,
    GDEVAL,
    MSMARCO,
    NDEVAL,
    PYNDEVAL,
    BEIR,
    FUXICTR,
    TORCHREC,
    MTEB,
    SENTENCE_TRANSFORMERS,
    SENTENCE_TRANSFORMERS_RERANKING,
    KERAS_RS,
    MLFLOW,
    SPARK,
    HAYSTACK,
    LLAMA_INDEX,
    RAGAS,
    ELASTICSEARCH,
    VESPA,
    ANN_BENCHMARKS,
)
