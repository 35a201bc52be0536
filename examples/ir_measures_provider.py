"""ir_measures, and PyTerrier's experiments, which measure by it, computed by rankmark."""

import ir_measures
from ir_measures import AP, R, nDCG

import rankmark as rm

qrels = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1}}
run = {"q1": {"b": 0.9, "x": 0.8, "a": 0.7}, "q2": {"c": 0.4}}

before = ir_measures.calc_aggregate([nDCG @ 10, AP, R(rel=2) @ 5], qrels, run)
rm.hooks.ir_measures.register()  # for ir_measures.evaluator and pt.Experiment, too
for measure, value in ir_measures.calc_aggregate([nDCG @ 10, AP, R(rel=2) @ 5], qrels, run).items():
    print(f"{measure} {value:.4f} (before: {before[measure]:.4f})")
