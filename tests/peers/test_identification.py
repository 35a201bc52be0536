"""By which definition a number came about: every tool's own number is found, and what fits comes first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.errors import MeasureError, RankmarkError
from rankmark.peers.identification import identify
from small_tables import FILES

QRELS = {"q1": {"a": 3, "b": 1, "d": 2}, "q2": {"c": 1, "a": 0}, "q3": {"e": 2}, "q4": {"f": 0}}
RUN = {
    "q1": {"b": 0.9, "a": 0.9, "x": 0.5, "d": 0.1},
    "q2": {"x": 0.3, "c": 0.2},
    "q4": {"f": 1.0},
}
"""With ties, an unjudged item above a judged one, a query without results and one without relevant items."""


@pytest.mark.parametrize("like", rm.conventions())
@pytest.mark.parametrize("measure", ["nDCG@2", "AP", "RR"])
def test_the_number_of_every_tool_is_found(like: str, measure: str) -> None:
    try:
        value = rm.evaluate(QRELS, RUN, measure, like=like).values[measure]
    except RankmarkError:
        lacking = identify(QRELS, RUN, measure, 0.5).lacking
        assert any(each.startswith(f"{like}: ") for each in lacking)
        return
    found = identify(QRELS, RUN, measure, value).found
    assert like in {name for each in found for name in each.like}


def test_one_changed_parameter_and_choice_are_found_together() -> None:
    made = rm.evaluate(QRELS, RUN, "nDCG(discount=log2max)@2", missing="skip")
    (first, *_) = identify(QRELS, RUN, "nDCG@2", f"{made.values[made.measures[0].label]:.6f}").found
    assert first.changes == ("discount=log2max", "missing=skip")
    again = rm.from_signature(first.signature)
    assert again.evaluate(QRELS, RUN)[again.measure] == first.value


def test_all_definitions_of_one_value_are_said() -> None:
    # One relevant item at rank 2 of two, all grades 1: half a precision, and half of 1/log2(3) twice.
    qrels, run = {"q": {"a": 1}}, {"q": ["x", "a"]}
    found = identify(qrels, run, "nDCG@2", "0.6309")
    assert found.found[0].changes == ()
    assert {"gain=exp2", "gain=binary"} <= set(found.idle)
    assert "alone without effect on these data: " in str(found)
    (fits,) = identify(qrels, {"q": ["x", "y", "a"]}, "AP@2", "0.3333").found
    assert fits.changes == ("@3",)
    assert ("@1000",) in fits.alike
    assert "@3 or @5 or @10" in str(identify(qrels, {"q": ["x", "y", "a"]}, "AP@2", "0.3333"))


def test_it_is_represented_by_what_was_found() -> None:
    found = rm.identify({"q": {"a": 1}}, {"q": ["a"]}, "AP", "1.0")
    assert repr(found) == f"<Identification {found.verdict}>"


def test_another_cutoff_is_looked_for_last() -> None:
    value = rm.evaluate(QRELS, RUN, "P(denominator=cutoff)@5").values["P@5"]
    assert value == pytest.approx(0.2)  # (3/5 + 1/5) / 4
    (first, *_) = identify(QRELS, RUN, "P@2", "0.200").found
    assert first.changes == ("@5",)


def test_a_convention_without_a_value_is_no_candidate() -> None:
    found = identify({"q": {"a": 0}}, {"q": ["a"]}, "nDCG@10", 0.5)
    assert "elliot: no query has a value" in found.lacking
    nearness = [abs(each.off) for each in found.candidates]
    assert nearness == sorted(nearness)


def test_the_digits_given_decide_what_fits() -> None:
    # Lists of one item at rank 3 and at rank 1: (1/3 + 1) / 2.
    qrels, run = {1: {1: 1}, 2: {1: 1}}, {1: [3, 2, 1], 2: [1]}
    assert [each.value for each in identify(qrels, run, "RR", "0.667").found] == [pytest.approx(2 / 3)]
    assert [each.value for each in identify(qrels, run, "RR", "0.6667").found] == [pytest.approx(2 / 3)]
    assert identify(qrels, run, "RR", "0.6666").found == ()
    assert identify(qrels, run, "RR", "0.70").found == ()
    assert identify(qrels, run, "RR", 0.7).found


@pytest.mark.parametrize("written", ["66.7", "66.7%", "66.7 %", 66.7])
def test_per_cent_are_understood_and_said(written: str | float) -> None:
    found = identify({1: {1: 1}, 2: {1: 1}}, {1: [3, 2, 1], 2: [1]}, "RR", written)
    assert found.wanted == pytest.approx(0.667)
    assert found.found
    assert "is taken for per cent: 0.667" in str(found)


def test_choices_and_parameters_that_are_said_hold_for_all() -> None:
    found = identify(QRELS, RUN, "nDCG(gain=exp2)@2", "0.4", missing="skip")
    changes = {change for each in found.candidates for change in each.changes}
    assert not any(change.startswith(("gain", "missing")) for change in changes)


def test_what_fits_stands_before_what_is_near_and_tools_before_others() -> None:
    found = identify(QRELS, RUN, "nDCG@2", "0.4").candidates
    assert [each.fits for each in found] == sorted((each.fits for each in found), reverse=True)
    fitting = [bool(each.like) for each in found if each.fits]
    assert fitting == sorted(fitting, reverse=True)
    distances = [abs(each.off) for each in found if not each.fits]
    assert distances == sorted(distances)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("abc", "value='abc' is not a number, such as 0.4373"),
        ("nan", "value='nan' is not a number"),
        (True, "value=True is not a number"),
        (None, "value=None is not a number"),
        ("-0.2", r"value=-0.2: nDCG@2 is at least 0"),
        ("437", r"value=437: nDCG@2 is at most 1"),
    ],
)
def test_what_is_no_value_of_the_measure_is_refused(value: str, message: str) -> None:
    with pytest.raises(rm.UsageError, match=message):
        identify(QRELS, RUN, "nDCG@2", value)


def test_measures_and_choices_that_there_are_not_are_refused() -> None:
    with pytest.raises(MeasureError, match="for evaluate_predictions"):
        identify(QRELS, RUN, "LogLoss", 0.5)
    with pytest.raises(rm.ChoiceError, match="did you mean"):
        identify(QRELS, RUN, "AP", 0.5, mising="skip")  # type: ignore[call-arg]
    with pytest.raises(rm.DataError, match="no results for any"):
        identify(QRELS, {"other": ["a"]}, "AP", 0.5)


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_text(text)
    line = ["identify", "qrels.txt", "a.run", "-m", "AP", "--value", "0.50"]
    assert main(line) == 0
    assert capsys.readouterr().out.startswith("AP = 0.50: ")
    assert main([*line, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["wanted"] == 0.5
    assert main([*line[:-1], "x"]) == 2
    assert "--value x is not a number" in capsys.readouterr().err
    assert main([*line[:1], "qrel.txt", *line[2:]]) == 2
    assert "did you mean 'qrels.txt'" in capsys.readouterr().err


def test_choices_that_do_not_go_together_are_not_tried() -> None:
    qrels, run = (
        {"q": {"a": 1, "b": 2}, "r": {"c": 1}},
        {"q": {"x": 1.0, "a": 1.0}, "r": {"c": 1.0, "y": 1.0}},
    )
    unjudged_found = rm.evaluate(qrels, run, "nDCG@2", unjudged="relevant", ties="item-asc")["nDCG@2"]
    found = rm.identify(qrels, run, "nDCG@2", f"{unjudged_found:.6f}")
    assert any("unjudged=relevant" in " ".join(each.changes) for each in found.candidates if each.fits)
    for ties in ("best", "worst"):
        tried = rm.identify(qrels, run, "nDCG@2", f"{unjudged_found:.6f}", ties=ties)
        assert not any("unjudged=relevant" in " ".join(each.changes) for each in tried.candidates)
    said = rm.identify(qrels, run, "nDCG@2", f"{unjudged_found:.6f}", unjudged="relevant")
    assert any("orders equal scores by grades" in each for each in said.lacking)
    assert any(each.fits for each in said.candidates)
