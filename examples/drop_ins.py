"""Scripts of other tools: one import changes, the rest stays, and the numbers are the same."""

from rankmark.compat import ir_measures, pytrec_eval
from rankmark.compat.ir_measures import AP, nDCG
from rankmark.compat.ranx import Qrels, Run, evaluate
from rankmark.compat.sklearn import ndcg_score, roc_auc_score

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
RUN = {"q1": {"b": 0.9, "a": 0.8}, "q2": {"x": 0.3, "c": 0.2}}

# import pytrec_eval
evaluator = pytrec_eval.RelevanceEvaluator(QRELS, {"map", "ndcg_cut_10"})
print(evaluator.evaluate(RUN)["q1"])

# import ir_measures
print(ir_measures.calc_aggregate([AP, nDCG @ 10], QRELS, RUN))

# from ranx import Qrels, Run, evaluate
print(evaluate(Qrels(QRELS), Run(RUN), ["map", "ndcg@10"]))

# from sklearn.metrics import ndcg_score, roc_auc_score
print(ndcg_score([[2, 1, 0]], [[0.8, 0.9, 0.1]]), roc_auc_score([1, 0, 1], [0.9, 0.2, 0.4]))
