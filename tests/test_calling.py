"""Functions that are called with other arguments than they take."""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankmark as rm

Y, P = [1, 0, 1], np.array([0.9, 0.2, 0.4])
QRELS, RUN = {"q": {"a": 1}}, {"q": {"a": 1.0}}
anything: Any = rm
RESULT: Any = rm.evaluate(QRELS, RUN, "RR")
COMPARED: Any = rm.compare(QRELS, {"old": RUN, "new": RUN}, "RR", baseline="old")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: anything.evaluate_predictions(Y, P, "AUC"),
            (
                "evaluate_predictions() takes 2 arguments by position (table, measures), and 3 were given; "
                "others are given by name: label=, score=, predicted=, classes=, query=, item= …; "
                'labels and scores are columns of one table, {"label": labels, "score": scores}; for example '
                'rm.evaluate_predictions(table, ["AUC", "GAUC", "nDCG@10"])'
            ),
        ),
        (lambda: anything.curve(Y, P, "ROC"), 'columns of one table, {"label": labels, "score": scores}'),
        (
            lambda: anything.statistics.paired_t_test(P, Y),
            (
                "paired_t_test() takes 1 argument by position (differences), and 2 were given; others are "
                "given by name: alternative=, clusters=, leverage=, null=; give the differences of two "
                "systems, a number a query: values - other_values"
            ),
        ),
        (lambda: anything.explain(QRELS, RUN, "AP", "q"), "others are given by name: query=, other="),
        (
            lambda: anything.explain(QRELS, RUN, "AP"),
            "explain() lacks query=; for example rm.explain(",
        ),
        (lambda: anything.explain(QRELS, RUN), "explain() lacks measure and query="),
        (
            lambda: anything.evaluate(QRELS, RUN),
            'evaluate() lacks measures; for example rm.evaluate(qrels, run, ["nDCG@10", "RR"])',
        ),
        (lambda: anything.evaluate(QRELS, RUN, "AP", tie="best"), "argument 'tie'; did you mean 'ties'?"),
        (lambda: anything.gate(QRELS, RUN, RUN, "AP", 0.01), 'AP", max_drop="5%")'.replace("AP", "RR")),
        (
            lambda: anything.compare(QRELS, "a.run", "b.run", "AP"),
            'by their names: {"first": run, "second": other_run}',
        ),
        (lambda: COMPARED.format("table", margn=1), "argument 'margn'; did you mean 'margin'?"),
        (
            lambda: RESULT.write("a.csv", detials=1),
            "write() got an unexpected keyword argument",
        ),
        (lambda: RESULT.to_dict(name="plain"), "argument 'name'; did you mean 'names'?"),
        (lambda: RESULT.to_csv(4), "to_csv() takes no argument by position, and 1 were given"),
        (lambda: COMPARED.pair("RR"), "pair() lacks system"),
        (lambda: RESULT.by(), "by() lacks attributes; for example result.by("),
        (lambda: anything.Evaluator(), "Evaluator() lacks measures"),
        (lambda: anything.Evaluator("AP").update(), "update() lacks qrels and run"),
        (lambda: anything.spark.evaluate(QRELS), "evaluate() lacks run and measures"),
        (
            lambda: anything.gate_predictions(Y, "p", "AUC", lable="y"),
            "gate_predictions() got an unexpected keyword argument 'lable'; did you mean 'label'?",
        ),
    ],
)
def test_a_wrong_call_is_told_the_right_one(call: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError) as raised:
        call()
    assert isinstance(raised.value, rm.CallError)
    assert isinstance(raised.value, rm.UsageError)
    assert said in str(raised.value)


def test_a_misspelt_choice_is_told_before_what_else_is_wrong() -> None:
    with pytest.raises(rm.ChoiceError, match="gate has no argument 'max_drp'; did you mean 'max_drop'"):
        anything.gate(QRELS, RUN, RUN, max_drp=0.1)


def test_a_type_error_of_what_is_called_stays_one() -> None:
    def gain(_: object) -> None:
        raise TypeError

    with pytest.raises(rm.UsageError, match="raises TypeError"):
        rm.evaluate(QRELS, RUN, rm.nDCG(gain=gain))


def test_public_functions_are_themselves_in_other_processes_and_for_help() -> None:
    for function in (rm.evaluate, rm.statistics.paired_t_test):
        assert pickle.loads(pickle.dumps(function)) is function
        assert inspect.getdoc(function)
    assert next(iter(inspect.signature(rm.evaluate).parameters)) == "qrels"
