"""Which measure a name means, in whatever way it is asked for, and which names mean none."""

from __future__ import annotations

import json
import pickle
import pydoc
from pathlib import Path

import pytest

import rankmark as rm
from processes import python
from rankmark.language.grammar import split_measures
from rankmark.language.registry import page_written, pages

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
        "Diversity@5",
        "popularity_bias_at_10",
        "ARP",
        "Gini",
    ],
)
def test_names_that_nobody_has_here_suggest_no_others(name: str) -> None:
    """Measures that are missing were answered with others near in letters, and ARP was the mean rank."""
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


def test_a_measure_is_shown_as_it_was_asked_for_and_signed_as_what_it_is() -> None:
    result = rm.evaluate(QRELS, RUN, "map ndcg_cut_10 MRR@5", bounds=True)
    asked = ["map", "ndcg_cut_10", "MRR@5"]
    assert list(result.values) == list(result.bounds) == list(result.per_query.columns[1:]) == asked
    assert list(json.loads(result.to_json())["measures"]) == asked
    assert [line.split()[0] for line in str(result).splitlines()[2:5]] == asked
    assert result["map"] == result["AP"] == result[rm.AP] == result.values["map"] == 0.75
    assert result.signature("map") == result.signature("AP")
    assert result.signature("map", short=True).startswith("AP|")
    assert list(map(str, result.measures)) == ["AP", "nDCG@10", "RR@5"]
    assert list(pickle.loads(pickle.dumps(result)).values) == asked
    assert [str(row.measure) for row in result.by({"q1": "x", "q2": "y"}).rows][::2] == asked


def test_measures_are_equal_whatever_asked_for_them() -> None:
    """So what is known of one asked for as map is not what is told of one asked for as AP."""
    by_name, own = rm.parse("map").asked_as("map"), rm.AP
    assert by_name == own
    assert hash(by_name) == hash(own)
    assert [m.label for m in (by_name, own, by_name @ 5)] == ["map", "AP", "AP@5"]
    for measures, label in ((by_name, "map"), (own, "AP"), ("average_precision", "average_precision")):
        assert list(rm.evaluate(QRELS, RUN, [measures]).values) == [label]
    assert list(rm.evaluate(QRELS, RUN, ["map", "AP"]).values) == ["map"]


def test_names_that_would_be_the_same_are_told_apart() -> None:
    table = {"label": ["a", "b", "a"], "score": [[0.6, 0.4], [0.2, 0.8], [0.7, 0.3]]}
    result = rm.evaluate_predictions(table, ["auc", "AUC"], classes=["a", "b"])
    assert list(result.values) == ["auc"]
    both = rm.evaluate_predictions(table, ["AUC", rm.MulticlassAUC(average="weighted")], classes=["a", "b"])
    assert list(both.values) == ["AUC", "MulticlassAUC(average=weighted)"]


def test_evaluators_keep_what_their_measures_were_asked_for_as(tmp_path: Path) -> None:
    one, other = rm.Evaluator("map"), rm.Evaluator("AP")
    one.update({"q1": QRELS["q1"]}, {"q1": RUN["q1"]})
    other.update({"q2": QRELS["q2"]}, {"q2": RUN["q2"]})
    one.merge(other)
    one.save(tmp_path / "saved")
    assert rm.Evaluator.load(tmp_path / "saved").result().values == {"map": 0.75}
    assert rm.from_signature(one.result().signature("map")).evaluate(QRELS, RUN).values == {"AP": 0.75}


def test_what_a_tool_calls_otherwise_is_never_under_the_name_of_a_page() -> None:
    """Under LightGBM nDCG@10 has gains of powers of two, and is not the nDCG@10 of here."""
    values = rm.evaluate(QRELS, RUN, "nDCG@10 ndcg@5 map@10", like="lightgbm").values
    assert list(values) == ["nDCG(gain=exp2)@10", "ndcg@5", "map@10"]


def test_comparisons_and_predictions_show_what_was_asked_for() -> None:
    compared = rm.compare(QRELS, {"x": RUN, "y": RUN}, "map")
    assert list(json.loads(compared.to_json())["systems"]["x"]["measures"]) == ["map"]
    result = rm.evaluate_predictions(ROWS, "roc_auc_score F1(threshold=max)", intervals=True)
    asked = ["roc_auc_score", "F1(threshold=max)"]
    assert list(result.values) == list(result.intervals) == asked
    assert list(result.thresholds) == asked[1:]


@pytest.mark.parametrize("text", ["P_5_10", "ndcg_cut_1_0", "AP(rel=1_0)", "P@1_0"])
def test_an_underscore_does_not_join_digits(text: str) -> None:
    with pytest.raises(rm.MeasureError):
        rm.parse(text)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("IPrec@0.1", r"; its recall is written IPrec\(recall=0\.1\)$"),
        ("IPrec(rel=2)@.1", r"; its recall is written IPrec\(rel=2,recall=\.1\)$"),
        ("F@.5", r"the cutoff is a whole number from 1, not '\.5'$"),
        ("P.5,10", r"'P' is 2 measures here: write each by itself, P_5, P_10$"),
        ("official", r"a set of measures of trec_eval's, which `rankmark trec_eval -m official` prints"),
        ("all_trec", r"which `rankmark trec_eval -m all_trec` prints"),
        ("nDCG(judged_only=true)@5", r"has no parameter 'judged_only'; unjudged items are left out by unj"),
    ],
)
def test_what_other_tools_write_is_told_as_it_is_written_here(name: str, said: str) -> None:
    with pytest.raises(rm.MeasureError, match=said):
        rm.parse(name)


def test_measures_that_a_tool_has_and_a_convention_does_not_are_told_how_to_be_had() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": ["a"]}
    for name in ("RBP(p=0.8)", "BPM", "INST", "SDCG@10", "NERR8"):
        with pytest.raises(
            rm.MeasureError, match=r"of ir_measures is not had by like=.* with ties=\"input\""
        ):
            rm.evaluate(qrels, run, name, like="ir_measures")
        assert rm.evaluate(qrels, run, name, ties="input").values


def test_a_hit_ratio_says_that_others_mean_the_share_of_queries_with_a_hit() -> None:
    qrels = {"q": {"a": 1, "b": 1}, "r": {"a": 1}}
    told = rm.evaluate(qrels, {"q": ["a"], "r": ["a"]}, "hit_ratio@10").account()[1]
    assert told.startswith("hit_ratio@10: hits of all queries over all their relevant items; the share of")
    assert told.endswith("is HR@10")
    assert rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "hit_ratio@10").account()[1:] == []


def test_of_three_letters_two_are_too_few_for_a_suggestion() -> None:
    with pytest.raises(rm.MeasureError, match=r"no measure 'foo' \("):
        rm.evaluate(QRELS, RUN, "foo")
    with pytest.raises(rm.MeasureError, match="no measure 'ACU'; did you mean 'AUC'"):
        rm.evaluate(QRELS, RUN, "ACU")


def test_a_slip_in_the_name_of_what_is_not_measured_says_what_it_is() -> None:
    with pytest.raises(rm.MeasureError, match=r"did you mean 'Diversity'\? within lists it is IntraListDiv"):
        rm.parse("Divresity@10")
    with pytest.raises(rm.MeasureError, match=r"^no measure 'Xyzzy' \("):
        rm.parse("Xyzzy")


def test_a_page_is_known_by_its_name_as_it_is_written_and_by_no_other() -> None:
    for name, page in pages().items():
        assert page_written(name) is page
    assert [page_written(name) for name in ("ndcg", "map", "NDCG", "MRR", "no measure", "")] == [None] * 6


@pytest.mark.process
def test_one_page_is_imported_for_one_that_is_written_as_its_page() -> None:
    script = (
        "import sys, rankmark as rm\n"
        "rm.parse('nDCG(gain=exp2)@10'), rm.P @ 5\n"
        "print(*sorted(name for name in sys.modules if name.startswith('rankmark.measures.lists.')))"
    )
    assert python(script).split() == ["rankmark.measures.lists.ndcg", "rankmark.measures.lists.p"]


@pytest.mark.process
def test_pages_are_in_one_order_whichever_were_looked_for_first() -> None:
    script = "from rankmark.language.registry import pages\nprint(*pages())"
    before = "import rankmark as rm\nrm.parse('R@5'), rm.parse('nDCG'), rm.AUC\n"
    assert python(before + script) == python(script)
