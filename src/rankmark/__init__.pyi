from rankmark import compat as compat
from rankmark import hooks as hooks
from rankmark import pictures as pictures
from rankmark import results as results
from rankmark import statistics as statistics
from rankmark.answers.evaluating import evaluate_answers as evaluate_answers
from rankmark.api import spark as spark
from rankmark.api.abstention import evaluate_abstention as evaluate_abstention
from rankmark.api.arrays import evaluate_arrays as evaluate_arrays
from rankmark.api.arrays import evaluate_factors as evaluate_factors
from rankmark.api.curves import curve as curve
from rankmark.api.evaluation import evaluate as evaluate
from rankmark.api.evaluator import Evaluator as Evaluator
from rankmark.api.from_signature import Evaluation as Evaluation
from rankmark.api.from_signature import from_signature as from_signature
from rankmark.api.groups import worst_of_groups as worst_of_groups
from rankmark.api.models import evaluate_model as evaluate_model
from rankmark.api.neighbors import evaluate_neighbors as evaluate_neighbors
from rankmark.api.neighbors import evaluate_neighbors_by_distance as evaluate_neighbors_by_distance
from rankmark.api.prediction_evaluator import PredictionEvaluator as PredictionEvaluator
from rankmark.api.predictions import evaluate_predictions as evaluate_predictions
from rankmark.api.preparing import prepare as prepare
from rankmark.candidates.correcting import correct_sampled as correct_sampled
from rankmark.candidates.sampling import sample_candidates as sample_candidates
from rankmark.checks.checking import check as check
from rankmark.checks.predictions import check_predictions as check_predictions
from rankmark.comparing.agreement import agree as agree
from rankmark.comparing.agreement import agree_on_systems as agree_on_systems
from rankmark.comparing.agreement import rank_correlation as rank_correlation
from rankmark.comparing.compare import compare as compare
from rankmark.comparing.compare import compare_results as compare_results
from rankmark.comparing.gating import gate as gate
from rankmark.comparing.leaderboard import board as board
from rankmark.comparing.matrix import compare_matrix as compare_matrix
from rankmark.comparing.powering import power as power
from rankmark.comparing.prediction_gate import gate_predictions as gate_predictions
from rankmark.comparing.predictions import compare_predictions as compare_predictions
from rankmark.errors import CallError as CallError
from rankmark.errors import ChoiceError as ChoiceError
from rankmark.errors import ColumnError as ColumnError
from rankmark.errors import DataError as DataError
from rankmark.errors import FileMissingError as FileMissingError
from rankmark.errors import FormatError as FormatError
from rankmark.errors import IdTypeError as IdTypeError
from rankmark.errors import MeasureError as MeasureError
from rankmark.errors import NotEvaluatedError as NotEvaluatedError
from rankmark.errors import PictureError as PictureError
from rankmark.errors import RankmarkError as RankmarkError
from rankmark.errors import SignatureError as SignatureError
from rankmark.errors import TooLargeError as TooLargeError
from rankmark.errors import ToolMissingError as ToolMissingError
from rankmark.errors import UsageError as UsageError
from rankmark.explaining.explanation import explain as explain
from rankmark.explaining.instructions import evaluate_instructions as evaluate_instructions
from rankmark.inputs import Input as Input
from rankmark.inputs import read_qrels as read_qrels
from rankmark.inputs import read_run as read_run
from rankmark.inputs.catalogue import catalogue as catalogue
from rankmark.judges.agreeing import agree_on_labels as agree_on_labels
from rankmark.judges.expected import evaluate_expected as evaluate_expected
from rankmark.judges.judging import evaluate_with_judge as evaluate_with_judge
from rankmark.judges.planning import labels_to_add as labels_to_add
from rankmark.judges.uncertain import label_probabilities as label_probabilities
from rankmark.kinds.lists import JudgedLists as JudgedLists
from rankmark.kinds.lists import ratio as ratio
from rankmark.kinds.rows import Rows as Rows
from rankmark.kinds.rows import Undefined as Undefined
from rankmark.language.coefficient import Coefficient as Coefficient
from rankmark.language.conventions.convention import conventions as conventions
from rankmark.language.measure import Measure as Measure
from rankmark.language.names import parse as parse
from rankmark.language.own import list_measure as list_measure
from rankmark.language.own import row_measure as row_measure
from rankmark.loading import load as load
from rankmark.logs.click_qrels import qrels_from_clicks as qrels_from_clicks
from rankmark.logs.click_values import evaluate_clicks as evaluate_clicks
from rankmark.logs.clicking import click_model as click_model
from rankmark.logs.feedback import evaluate_logged as evaluate_logged
from rankmark.logs.interleaving import evaluate_interleaving as evaluate_interleaving
from rankmark.logs.interleaving import interleave as interleave
from rankmark.peers.difference import differences as differences
from rankmark.peers.identification import identify as identify
from rankmark.pools.pooling import pool as pool
from rankmark.preferences.evaluating import evaluate_preferences as evaluate_preferences
from rankmark.preferences.ranking_systems import rank_by_preferences as rank_by_preferences
from rankmark.reports.report import report as report
from rankmark.reports.report import report_predictions as report_predictions

__all__: list[str]
_MODULES: dict[str, str]
__version__: str

ACE: Measure
AmortisedEED: Measure
AmortisedEEL: Measure
AmortisedEER: Measure
AP: Measure
APLT: Measure
AUC: Measure
AggregateDiversity: Measure
AveragePrecision: Measure
AWRF: Measure
BPM: Measure
BalancedAccuracy: Measure
BinaryAccuracy: Measure
BinaryErrorRate: Measure
BinaryF: Measure
BinaryPrecision: Measure
BinaryRecall: Measure
Bpref: Measure
Brier: Measure
BrierReliability: Measure
BrierResolution: Measure
BrierUncertainty: Measure
CG: Measure
COPC: Measure
CalibrationIntercept: Measure
CalibrationSlope: Measure
CatalogueCoverage: Measure
CategoryCoverage: Measure
CategoryEntropy: Measure
Compatibility: Measure
Confusion: Measure
DCG: Measure
DSharp_nDCG: Measure
DemographicParity: Measure
DisparateImpact: Measure
DisparateTreatment: Measure
ECE: Measure
EED: Measure
EEL: Measure
EER: Measure
EFD: Measure
EILD: Measure
EPC: Measure
EPD: Measure
ERR: Measure
ERR_IA: Measure
ExplainedVariance: Measure
ExposureConcentration: Measure
ExposureEntropy: Measure
ExposureGini: Measure
ExposureSimpson: Measure
F: Measure
FDR: Measure
FNR: Measure
FOR: Measure
FPR: Measure
FallOut: Measure
G: Measure
GAUC: Measure
Gini: Measure
GroupExposure: Measure
HeadShare: Measure
HR: Measure
HitRatio: Measure
IA: Measure
IAA: Measure
InfeasibleIndex: Measure
infNDCG: Measure
INSQ: Measure
INST: Measure
IPrec: Measure
IntraListDiversity: Measure
Judged: Measure
KS: Measure
Kappa: Measure
Kendall: Measure
Lift: Measure
ListAUC: Measure
LogLoss: Measure
MAE: Measure
MAPE: Measure
MaxSkew: Measure
MCC: Measure
MCE: Measure
MinSkew: Measure
MPR: Measure
MSE: Measure
MaxRank: Measure
MeanP: Measure
MeanR: Measure
MeanRank: Measure
Miscalibration: Measure
MulticlassAUC: Measure
MulticlassErrorRate: Measure
MulticlassAccuracy: Measure
MulticlassF: Measure
MulticlassKappa: Measure
MulticlassLogLoss: Measure
MulticlassMCC: Measure
MulticlassPrecision: Measure
MulticlassRecall: Measure
NCG: Measure
NCU: Measure
NDKL: Measure
NDPM: Measure
NE: Measure
NPV: Measure
NRBP: Measure
NearlyERR: Measure
NotInTrain: Measure
Novelty: Measure
NumNonrelRet: Measure
NumQ: Measure
NumRel: Measure
NumRelRet: Measure
NumRet: Measure
OMeasure: Measure
OPA: Measure
P: Measure
PairwiseAccuracy: Measure
PFound: Measure
PCOPC: Measure
PMeasure: Measure
PopREO: Measure
PopRSP: Measure
PopularityLift: Measure
PopularityMiscalibration: Measure
PPlus: Measure
PRAUC: Measure
PartialAUC: Measure
Pearson: Measure
Personalisation: Measure
Popularity: Measure
QMeasure: Measure
R2: Measure
R: Measure
RBP: Measure
RBPResidual: Measure
RIG: Measure
RMSE: Measure
rND: Measure
RR: Measure
RankingLoss: Measure
RnDCG: Measure
Rprec: Measure
SDCG: Measure
Serendipity: Measure
Skew: Measure
SMAPE: Measure
SetAP: Measure
Spearman: Measure
Specificity: Measure
statAP: Measure
SubtopicRecall: Measure
Unexpectedness: Measure
Unjudged: Measure
UserCoverage: Measure
UserPopularityLift: Measure
Utility: Measure
VendiScore: Measure
xinfAP: Measure
YAAP: Measure
binG: Measure
infAP: Measure
alpha_DCG: Measure
alpha_nDCG: Measure
nDCG: Measure
nERR_IA: Measure
nNRBP: Measure
nDCG_rel: Measure
nERR: Measure
