"""Signatures: what they say, and that they are read back as what they say."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankmark as rm
from rankmark.language.choices import Choices, go_together, values_of
from strategies import ALL_PAGES, PAGES, any_measures, every_measure, tables, usable_measures

QRELS = {"q1": {"a": 2, "b": 1}, "q2": {"c": 1, "d": 2}}
RUN = {"q1": {"b": 0.9, "a": 0.9, "x": 0.8}, "q2": {"x": 0.3, "c": 0.3}}
WORDS = {"candidates": ("all", "sampled-99", "sampled-5(popularity)")}
CHOSEN = {
    name: st.sampled_from(values_of(name) or WORDS[name])
    for name in Choices.__dataclass_fields__
    if name != "seed"
}


@st.composite
def any_choices(draw: Any) -> Choices:
    chosen = {name: draw(values) for name, values in CHOSEN.items()}
    assume(go_together(chosen))
    choices = Choices(**chosen)
    return replace(choices, seed=draw(st.integers(0, 2**64 - 1))) if choices.ties == "random" else choices


conventions = st.none() | st.sampled_from(["ranx-0.3.21", "trec_eval-10.0", "scikit-learn-1.9.1"])


@every_measure
@given(data=st.data(), choices=any_choices(), convention=conventions)
def test_what_is_written_is_read_back(name: str, data: st.DataObject, choices: Any, convention: Any) -> None:
    measure = data.draw(any_measures(name))
    if "mean" in PAGES[name].accepted and data.draw(st.booleans()):
        measure = measure(mean="geometric")
    for item_ids in ("integer", "text"):
        evaluation = rm.Evaluation(measure, choices, item_ids, convention)
        full, short = evaluation.signature(), evaluation.signature(short=True)
        assert rm.from_signature(full) == evaluation
        assert rm.from_signature(f" {full}\n").signature() == full
        again = rm.from_signature(short)
        assert (again.measure, again.choices, again.convention) == (measure, choices, convention)
        assert again.signature(short=True) == short


@every_measure
def test_no_parameter_has_the_name_of_another_field(name: str) -> None:
    others = {*Choices.__dataclass_fields__, "like", "item_ids", "rankmark"}
    assert not others & PAGES[name].accepted.keys()


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    ("measure", "choices"),
    [
        ("nDCG(gain={1:3,2:9},ideal=[2,2,1])@2", {}),
        ("AP(mean=geometric)", {"ties": "expected", "missing": "skip"}),
        ("RR", {"ties": "random", "seed": 11}),
        ("INSQ(depth=endless)", {"ties": "item-asc", "no_relevant": "one", "unjudged": "ignore"}),
        ("MPR", {"scores": "float32", "duplicates": "best"}),
    ],
)
def test_what_is_read_back_evaluates_the_same(measure: Any, choices: Any, short: Any) -> None:
    result = rm.evaluate(QRELS, RUN, measure, **choices)
    again = rm.from_signature(result.signature(measure, short=short)).evaluate(QRELS, RUN, threads=1)
    assert again.values == result.values
    assert again.per_query.equals(result.per_query)
    assert again.signature(measure) == result.signature(measure)


def test_the_full_form_says_everything_and_the_short_form_what_is_not_the_standard() -> None:
    result = rm.evaluate(QRELS, RUN, "nDCG(gain=exp2)@10 AP", missing="skip")
    assert result.signature("nDCG(gain=exp2)@10") == (
        "nDCG@10|gain:exp2|discount:log2|ideal:judged|ties:item-desc|missing:skip|unjudged_queries:skip"
        "|no_relevant:zero|duplicates:error|unjudged:nonrelevant|scores:float64|item_ids:text|rankmark:0.1.0"
    )
    assert (
        result.signature("nDCG(gain=exp2)@10", short=True) == "nDCG(gain=exp2)@10|missing:skip|rankmark:0.1.0"
    )
    assert rm.evaluate(QRELS, RUN, "AP").signature("AP", short=True) == "AP|rankmark:0.1.0"


def test_the_short_form_says_that_ids_are_integers_where_ties_depend_on_it() -> None:
    tables = [(1, 7, 1)], [(1, 7, 0.5)]
    standard, expected = (rm.evaluate(*tables, "AP", ties=ties) for ties in ("item-desc", "expected"))
    assert standard.signature("AP", short=True) == "AP|item_ids:integer|rankmark:0.1.0"
    assert expected.signature("AP", short=True) == "AP|ties:expected|rankmark:0.1.0"


def test_what_has_a_function_is_evaluated_again_by_the_record() -> None:
    measure = rm.nDCG(gain=lambda grade: grade**3) @ 10
    result = rm.evaluate(QRELS, RUN, measure, missing="skip")
    again = rm.from_signature(result.evaluation(measure)).evaluate(QRELS, RUN)
    assert again.values == result.values
    assert again.choices == result.choices


def test_a_convention_stands_before_the_choices() -> None:
    evaluation = rm.Evaluation(rm.parse("AP@5"), convention="ranx-0.3.21")
    assert evaluation.signature(short=True) == "AP@5|like:ranx-0.3.21|rankmark:0.1.0"
    assert "|denominator:relevant|like:ranx-0.3.21|ties:item-desc|" in str(evaluation)
    result = rm.from_signature(evaluation.signature()).evaluate(QRELS, RUN)
    assert result.convention == "ranx-0.3.21"
    assert result.signature("AP@5", short=True) == evaluation.signature(short=True)
    assert rm.evaluate(QRELS, RUN, "AP").convention is None


def test_integer_ids_are_ordered_as_text_where_the_signature_says_so() -> None:
    """Of 9 and 10, the number 10 is larger; of "9" and "10", the text "9"."""
    qrels, run = [(1, 9, 0.0), (1, 10, 1.0)], [(1, 9, 5.0), (1, 10, 5.0)]
    values = {}
    for ids in ("", "|item_ids:integer", "|item_ids:text"):
        result = rm.from_signature(f"RR{ids}|rankmark:0.1.0").evaluate(qrels, run)
        values[ids] = result["RR"], result.signature("RR").split("|")[-2]
    assert values == {
        "": (1.0, "item_ids:integer"),
        "|item_ids:integer": (1.0, "item_ids:integer"),
        "|item_ids:text": (0.5, "item_ids:text"),
    }
    with pytest.raises(
        rm.DataError, match=r"of integer item ids, and those of qrels \(column 'item'\) are text"
    ):
        rm.from_signature("RR|item_ids:integer|rankmark:0.1.0").evaluate(QRELS, RUN)


def test_tables_may_be_anything_and_columns_said_outright() -> None:
    qrels = pl.DataFrame({"person": [1], "item": [7]})
    run = pl.DataFrame({"person": [1], "item": [7], "p": [0.5]})
    columns = {"query": "person", "run.score": "p"}
    assert rm.from_signature("AP|rankmark:0.1.0").evaluate(qrels, run, columns=columns)["AP"] == 1.0


@pytest.mark.parametrize("gain", [lambda grade: grade, np.exp2])
@pytest.mark.parametrize("short", [False, True])
def test_a_function_is_in_no_signature(gain: Any, short: Any) -> None:
    """numpy.exp2 has the name of a gain, and is another."""
    measure = rm.nDCG(gain=gain) @ 10
    signature = rm.evaluate(QRELS, RUN, measure).signature(measure, short=short)
    with pytest.raises(rm.SignatureError, match="if gain was a function, no signature says what it computes"):
        rm.from_signature(signature)


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        (3, "3 is not a signature, which is text"),
        ("", r"is not a signature: it does not end with the version, \|rankmark:"),
        ("nDCG@10", "'nDCG@10' is not a signature: it does not end with the version"),
        ("nDCG@10|rankmark:x", "rankmark:x in the signature is not a version, such as "),
        (f"nDCG@10|rankmark:{'9' * 5000}", "9 in the signature is not a version, such as "),
        ("nDCG@10|rankmark:0*.1.0", r"rankmark:0\*\.1\.0 in the signature is not a version, such as "),
        ("nDCG@10|rankmark:0.2", "of rankmark 0.2, and this is .*: update rankmark to 0.2"),
        ("New(by=7)|colour:red|rankmark:9.0.0", "of rankmark 9.0.0, and this is"),
        ("nDCG@10|tie:best|rankmark:0.1.0", "of nDCG has no field 'tie'; did you mean 'ties'"),
        ("RR|discount:log2|rankmark:0.1.0", r"of RR has no field 'discount' .*\(it can have: rel, "),
        ("RR|rel:1|rel:2|rankmark:0.1.0", "the signature says rel twice"),
        ("RR(rel=2)|rel:1|rankmark:0.1.0", "RR: rel is given twice"),
        ("RBP(rel=2,p=0.5)|p:0.5|rel:2|rankmark:0.1.0", "RBP: rel is given twice"),
        ("RR|rel|rankmark:0.1.0", "the field 'rel' of the signature is not written name:value"),
        ("RR|rel:|rankmark:0.1.0", "the field 'rel:' of the signature is not written name:value"),
        ("RR|rel:x|rankmark:0.1.0", "has no measure to evaluate: RR: rel=x is not a number$"),
        ("nRR|rankmark:0.1.0", "has no measure to evaluate: no measure 'nRR'"),
        ("RR|item_ids:float|rankmark:0.1.0", "item_ids:float in the signature is neither integer nor text"),
        ("RR|seed:7|rankmark:0.1.0", r"the seed is written with the ties, as in ties:random\(seed=7\)"),
    ],
)
def test_what_cannot_be_read_back_is_refused(signature: Any, message: Any) -> None:
    with pytest.raises(rm.SignatureError, match=message):
        rm.from_signature(signature)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("ties:bets", r"ties='bets' is not one of .* did you mean 'best'"),
        ("ties:random(seed=99999999999999999999)", r"seed=9+ is not a whole number"),
        (f"ties:random(seed={'9' * 5000})", r"ties='random\(seed=9+… \(5,015 characters\) is not one of"),
    ],
)
def test_a_choice_that_there_is_not_is_refused(field: Any, message: Any) -> None:
    with pytest.raises(rm.ChoiceError, match=message):
        rm.from_signature(f"RR|{field}|rankmark:0.1.0")


# --- Measures of predictions ---------------------------------------------------------------------------

ROW_PAGES = {name: page for name, page in ALL_PAGES.items() if page.kind == "row"}
LABELLED = {
    "label": ["yes", "no", "yes", "no", "yes"],
    "score": [0.9, 0.8, 0.7, 0.2, 0.6],
    "user": [1, 1, 2, 2, 2],
    "weight": [1, 2, 3, 4, 5],
    "a|b%7C:": [5, 4, 3, 2, 1],
    'it\'s | "x"': [1, 0, 2, 0, 3],
}


@pytest.mark.parametrize("name", ROW_PAGES)
@given(
    data=st.data(),
    positive=st.text(min_size=1),
    weights=st.none() | st.sampled_from(["w", "my weight", "a|b%7C:", "%"]),
)
def test_what_is_written_of_predictions_is_read_back(
    name: str, data: st.DataObject, positive: Any, weights: Any
) -> None:
    measure = data.draw(any_measures(name))
    decided = {} if ROW_PAGES[name].labels == "numbers" else {"positive": positive}
    evaluation = rm.Evaluation(measure, weights=weights, **decided)
    full, short = evaluation.signature(), evaluation.signature(short=True)
    assert rm.from_signature(full) == rm.from_signature(short) == evaluation
    assert len(full.splitlines()) == 1
    assert rm.from_signature(short).signature() == full


@pytest.mark.parametrize("weight", ["", "weight", "a|b%7C:"])
@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize(
    "measure",
    [
        "LogLoss(unit=bits)",
        "AUC(max_fpr=0.5)",
        "GAUC(weight=clicks)",
        """GAUC(weight='it\\'s | "x"')""",
    ],
)
def test_predictions_are_evaluated_the_same(measure: Any, short: Any, weight: Any) -> None:
    result = rm.evaluate_predictions(LABELLED, measure, positive="yes", weight=weight)
    evaluation = rm.from_signature(result.signature(measure, short=short))
    again = evaluation.evaluate_predictions(LABELLED, query="user", threads=1)
    assert again.values == result.values
    assert again.signature(measure) == result.signature(measure)


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("positive", ["yes", "no"])
def test_lists_of_predictions_are_evaluated_the_same(positive: Any, short: Any) -> None:
    result = rm.evaluate_predictions(LABELLED, "nDCG@2", positive=positive, ties="worst", weight="")
    evaluation = rm.from_signature(result.signature("nDCG@2", short=short))
    assert evaluation.evaluate_predictions(LABELLED).values == result.values
    with pytest.raises(rm.UsageError, match=f"whose positive label is '{positive}'; evaluate such with"):
        evaluation.evaluate({}, {})


def test_lists_of_predictions_know_no_choices_of_two_tables() -> None:
    evaluation = rm.from_signature("nDCG@2|missing:skip|rankmark:0.1.0")
    with pytest.raises(rm.UsageError, match="says missing:skip, which predictions do not know"):
        evaluation.evaluate_predictions(LABELLED)


def test_labels_that_are_numbers_have_no_positive_one() -> None:
    table = {"label": [1.5, 2], "score": [1, 2], "weight": [1, 2]}
    signature = rm.evaluate_predictions(table, "MAE").signature("MAE")
    assert signature == "MAE|average:micro|weights:weight|rankmark:0.1.0"
    renamed = {"label": [1.5, 2], "score": [1, 2], "w": [1, 2]}
    assert rm.from_signature(signature).evaluate_predictions(renamed, weight="w")["MAE"] == 0.5 / 3


@pytest.mark.parametrize(
    ("signature", "error", "message"),
    [
        (
            "AUC|ties:best|rankmark:0.1.0",
            rm.SignatureError,
            r"of AUC has no field 'ties' .*positive, weights",
        ),
        ("MAE|positive:1|rankmark:0.1.0", rm.SignatureError, "of MAE has no field 'positive'"),
        ("RR|weights:w|rankmark:0.1.0", rm.UsageError, "weighs queries by .w.: evaluate with evaluate_pred"),
        ("AUC|weights:w|rankmark:0.1.0", rm.ColumnError, "no column 'w' for the weight"),
        ("AUC|rankmark:0.1.0", rm.DataError, "holds 'no' and 'yes', not positive='1'"),
        ("RR|rankmark:0.1.0", rm.DataError, "holds .no. and .yes., not positive=.1."),
    ],
)
def test_predictions_that_cannot_be_evaluated_so_are_refused(
    signature: Any, error: Any, message: Any
) -> None:
    with pytest.raises(error, match=message):
        rm.from_signature(signature).evaluate_predictions(LABELLED)


def test_a_measure_of_predictions_has_no_judgements() -> None:
    with pytest.raises(rm.MeasureError, match=r"AUC is a measure of predictions, .* evaluate_predictions$"):
        rm.from_signature("AUC|rankmark:0.1.0").evaluate(QRELS, RUN)


def test_a_field_that_is_lacking_is_as_by_default() -> None:
    assert rm.from_signature("RR|rankmark:0.0.9") == rm.Evaluation(rm.parse("RR"))


@pytest.mark.parametrize("short", [False, True])
def test_a_column_of_weights_may_be_called_none(short: bool) -> None:
    recipe = rm.Evaluation(rm.parse("Brier"), weights="none")
    assert rm.from_signature(recipe.signature(short=short)).weights == "none"
    assert rm.from_signature(rm.Evaluation(rm.parse("Brier")).signature(short=short)).weights is None


# --- Signatures of results -----------------------------------------------------------------------------


def check_read_back(result: Any, measure: Any, again: Any) -> None:
    """Both forms say what the result says of itself, and evaluate to the same value."""
    evaluation = rm.from_signature(result.evaluation(measure))
    for short in (False, True):
        read = rm.from_signature(result.signature(measure, short=short))
        if short and read.item_ids is None:  # which it says where the tables leave it open
            read = replace(read, item_ids=evaluation.item_ids)
        if not evaluation.is_cut:
            read = replace(read, k=evaluation.k)
        assert read == evaluation
        assert again(read)[measure] == pytest.approx(result[measure], rel=1e-12, abs=1e-300, nan_ok=True)


@given(data=st.data(), choices=any_choices(), both=tables)
def test_signatures_of_lists_read_back(data: st.DataObject, choices: Choices, both: Any) -> None:
    measure = data.draw(st.sampled_from(sorted(PAGES)).flatmap(usable_measures))
    try:
        result = rm.evaluate(*both, measure, **asdict(choices))
    except rm.RankmarkError:  # no closed form, or what a choice refuses
        return
    check_read_back(result, measure, lambda read: read.evaluate(*both))


@given(data=st.data(), k=st.none() | st.integers(1, 6))
def test_signatures_of_arrays_read_back(data: st.DataObject, k: int | None) -> None:
    measure = data.draw(st.sampled_from(sorted(PAGES)).flatmap(usable_measures))
    numbers = st.lists(st.integers(0, 4), min_size=6, max_size=6)
    scores, grades = (np.array(data.draw(st.lists(numbers, min_size=2, max_size=2))) for _ in range(2))
    result = rm.evaluate_arrays(scores, grades, measure, k=k)
    check_read_back(result, measure, lambda read: read.evaluate_arrays(scores, grades))


@pytest.mark.parametrize("measure", ["nDCG(ideal=retrieved)@1", "PartialAUC@1"])
def test_what_looks_below_its_cutoff_says_where_lists_end(measure: str) -> None:
    scores, grades = np.array([[4.0, 3.0, 2.0, 1.0]]), np.array([[1, 1, 2, 0]])
    result = rm.evaluate_arrays(scores, grades, measure, k=2)
    assert result.signature(measure, short=True).split("|")[-2] == "k:2"
    assert rm.evaluate_arrays(scores, grades, measure)[measure] != result[measure]
    check_read_back(result, measure, lambda read: read.evaluate_arrays(scores, grades))


@pytest.mark.parametrize("tool", rm.conventions())
def test_signatures_of_conventions_read_back(tool: str) -> None:
    """Of integers that as text stand in another order, too."""
    measures = ["nDCG@3", "AP", "RR@2", "P@1", "R@2"]
    qrels = [(1, 9, 1.0), (1, 10, 0.0), (1, 2, 1.0)]
    run = [(1, 9, 5.0), (1, 10, 5.0), (1, 2, 5.0)]
    for asked in measures:
        try:
            result = rm.evaluate(qrels, run, asked, like=tool, short_lists="keep")
        except rm.RankmarkError:  # it has no such measure
            continue
        check_read_back(result, next(iter(result)), lambda read: read.evaluate(qrels, run))


@pytest.mark.parametrize("weight", [None, "none", "w", "a|b%7C:"])
@pytest.mark.parametrize("measure", ["LogLoss", "MSE", "RR", "PCOPC"])
def test_signatures_of_predictions_read_back(measure: str, weight: str | None) -> None:
    """Whatever is said of positive labels by a measure that has none."""
    weights = {} if weight is None else {weight: [1, 2, 3, 4]}
    table = {"label": [0, 1, 1, 0], "score": [0.3, 0.4, 0.2, 0.6], "query": [1, 1, 2, 2], **weights}
    for positive in (1,) if measure == "RR" else (1, 0):
        result = rm.evaluate_predictions(table, measure, positive=positive, weight=weight or "")
        check_read_back(result, measure, lambda read: read.evaluate_predictions(table))


@pytest.mark.parametrize("weight", [None, "none", "w"])
@pytest.mark.parametrize("measure", ["MulticlassAccuracy", "MulticlassLogLoss", "nDCG@2", "RR"])
def test_signatures_of_classes_read_back(measure: str, weight: str | None) -> None:
    weights = {} if weight is None else {weight: [1, 2, 3]}
    table = {"label": ["a", "b", "c"], "a": [0.5, 0.3, 0.1], "b": [0.3, 0.3, 0.4], "c": [0.2, 0.4, 0.5]}
    of = {"score": ["a", "b", "c"]}
    result = rm.evaluate_predictions(table | weights, measure, weight=weight or "", **of)
    (evaluated,) = result
    check_read_back(result, evaluated, lambda read: read.evaluate_predictions(table | weights, **of))
    recipe = rm.from_signature(result.signature(evaluated, short=True))
    if recipe.of_lists:
        with pytest.raises(
            rm.UsageError, match="of predictions of 3 classes; evaluate such with evaluate_pr"
        ):
            recipe.evaluate(QRELS, RUN)


@pytest.mark.parametrize("like", ["nix-1", "lightgbm-3.0", "lightgbm"])
def test_a_tool_without_a_convention_is_refused(like: str) -> None:
    with pytest.raises(rm.SignatureError, match=f"like:{like} names no convention"):
        rm.from_signature(f"nDCG@10|like:{like}|rankmark:{rm.__version__}")


def test_a_convention_of_an_older_rankmark_is_read() -> None:
    assert rm.from_signature("nDCG@10|like:lightgbm-4.6.0|rankmark:0.0.9").convention == "lightgbm-4.6.0"


# --- Measures of what is recommended -------------------------------------------------------------------


def test_the_signature_of_a_measure_of_items_says_what_orders_equal_scores() -> None:
    run, train = [("u", "a", 1.0), ("u", "b", 1.0)], {"x": ["a"], "y": ["a", "b"]}
    for ties, expected in (("item-desc", 1.0), ("item-asc", 0.0)):
        result = rm.evaluate(None, run, "Novelty@1", ties=ties, train=train)
        for short in (False, True):
            again = rm.from_signature(result.signature("Novelty@1", short=short))
            assert again.choices.ties == ties
            assert again.evaluate(None, run, train=train)["Novelty@1"] == expected


def test_a_measure_of_items_needs_what_it_looks_at() -> None:
    with pytest.raises(rm.UsageError, match="train"):
        rm.from_signature("Novelty@1|rankmark:0.1.0").evaluate(None, RUN)
    with pytest.raises(rm.UsageError, match="without judgements there is no 'nDCG@1'"):
        rm.from_signature("nDCG@1|rankmark:0.1.0").evaluate(None, RUN)
