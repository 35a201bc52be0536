"""Which measure a name means, in whatever way it is asked for, and which names mean none."""

from __future__ import annotations

import pydoc

import pytest

import rankmark as rm
from rankmark.language.grammar import split_measures

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
RUN = {"q1": {"a": 1.0, "b": 2.0}, "q2": {"c": 1.0}}
ROWS = {
    "user": [1, 1, 1, 2, 2, 2],
    "label": [1, 0, 1, 0, 1, 0],
    "score": [0.9, 0.8, 0.3, 0.7, 0.4, 0.1],
}


@pytest.mark.parametrize(
    "measures", ["P@1,3,5 nDCG@{1, 5}", ["P@1,3,5", "nDCG@{1,5}"], ("P@{1,3,5}", "nDCG@1,5")]
)
def test_several_cutoffs_ask_for_as_many_measures(measures: str | list[str]) -> None:
    asked = ["P@1", "P@3", "P@5", "nDCG@1", "nDCG@5"]
    assert list(rm.evaluate(QRELS, RUN, measures).values) == asked
    evaluator = rm.Evaluator(measures)
    evaluator.update(QRELS, RUN)
    assert list(evaluator.result().values) == asked
    compared = rm.compare(QRELS, {"x": RUN, "y": RUN}, measures)
    assert [str(measure) for measure in compared.measures] == asked


def test_cutoffs_are_told_from_the_parameters_of_trec_eval_and_from_other_measures() -> None:
    assert split_measures("P@1,3,AP") == ["P@1", "P@3", "AP"]
    assert split_measures("utility.1,-1,0,0 P@5") == ["utility.1,-1,0,0", "P@5"]
    with pytest.raises(rm.MeasureError, match="the cutoff is a whole number from 1, not 'x'"):
        rm.evaluate(QRELS, RUN, "P@{1,x}")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("MRR", "it is rm.RR, or 'MRR' as text"),
        ("MAP", "it is rm.AP, "),
        ("map", "it is rm.AP, "),
        ("F1", "it is rm.F or rm.BinaryF or rm.MulticlassF, "),
        ("hits", "'hits' can mean HR"),
    ],
)
def test_what_other_names_are_written_as_in_python_is_said(name: str, written: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(rm, name)
    assert f"has no attribute {name!r}; {written}" in str(raised.value)
    assert not hasattr(rm, "__path_of_nothing__")


def test_help_shows_the_page_of_a_measure_and_the_class_keeps_its_own() -> None:
    shown = pydoc.render_doc(rm.nDCG @ 10, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    assert "Normalised discounted cumulated gain" in shown
    assert "nDCG(gain=linear,discount=log2,ideal=judged)@k" in shown
    assert "A measure with its parameters" in (rm.Measure.__doc__ or "")


@pytest.mark.parametrize(
    "name",
    [
        "Coverage",
        "coverage_at_10",
        "novelty@10",
        "Diversity@5",
        "serendipity",
        "gini_index",
        "ARP",
        "Gini",
        "alpha_ndcg@5",
    ],
)
def test_names_that_nobody_has_here_suggest_no_others(name: str) -> None:
    """Coverage was answered with coverage_error, and ARP was the mean rank."""
    with pytest.raises(rm.MeasureError, match=r"not measured here \(yet\)") as raised:
        rm.evaluate(QRELS, RUN, name)
    assert "did you mean" not in str(raised.value)


def test_a_cutoff_means_the_lists_of_the_queries_of_predictions() -> None:
    """Of the two best rows of either user one is positive, of two and of one that are."""
    result = rm.evaluate_predictions(ROWS, "Precision@2 Recall@2 F1@2", query="user")
    assert [str(measure) for measure in result.measures] == ["P@2", "R@2", "F@2"]
    assert [round(value, 6) for value in result.values.values()] == [0.5, 0.75, 0.583333]
    with pytest.raises(rm.ColumnError, match=r"of the best rows of all there is BinaryPrecision\(top=2\)"):
        rm.evaluate_predictions({k: v for k, v in ROWS.items() if k != "user"}, "Precision@2")
    with pytest.raises(rm.MeasureError, match=r"there is P@2 or BinaryPrecision\(top=2\), of the best rows"):
        rm.evaluate_predictions(ROWS, "BinaryPrecision@2")
