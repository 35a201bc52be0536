"""One run under every convention, and what makes their numbers differ."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankmark as rm
from rankmark.cli import main

QRELS = {"q1": {"a": 3, "b": 1}, "q2": {"c": 1}, "q3": {"d": 0}, "q4": {"e": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 2.0, "c": 1.0}, "q3": {"d": 1.0}}


def test_every_convention_that_has_the_measure_is_compared_with_the_standard() -> None:
    found = rm.differences(QRELS, RUN, "nDCG@10")
    assert found.like[0] == "rankmark"
    assert set(found.like[1:]) == {
        name for name, each in rm.conventions().items() if each.has("nDCG@10") and name in found.like
    }
    values = found.values["nDCG@10"]
    assert values["rankmark"] == rm.evaluate(QRELS, RUN, "nDCG@10")["nDCG@10"]
    for name in found.like[1:]:
        assert values[name] == rm.evaluate(QRELS, RUN, "nDCG@10", like=name).values.popitem()[1]
    assert any(line.endswith("ann-benchmarks") for line in found.lacking)


def test_conventions_of_one_value_stand_together_with_what_makes_it() -> None:
    found = rm.differences(QRELS, RUN, "nDCG@10")
    groups = found.alike("nDCG@10")
    names = [name for each in groups for name in each.like]
    assert sorted(names) == sorted(found.like)
    assert [each.value for each in groups] == sorted((each.value for each in groups), reverse=True)
    (own,) = (each for each in groups if "rankmark" in each.like)
    assert (own.off, own.because, own.like[0]) == (0.0, (), "rankmark")
    (boosting,) = (each for each in groups if "lightgbm" in each.like)
    assert set(boosting.changes) == {"no_relevant=one", "gain=exp2"}
    # q3 has nothing relevant, and counts 1 instead of 0 of four queries.
    assert boosting.because[0].effect == pytest.approx(0.25)


def test_values_are_one_to_the_digits_asked_for() -> None:
    found = rm.differences(QRELS, RUN, "nDCG@10")
    assert {round(each.value, 0) for each in found.alike("nDCG@10", digits=0)} <= {0.0, 1.0}
    assert len(found.alike("nDCG@10", digits=15)) >= len(found.alike("nDCG@10"))


def test_one_value_of_two_reasons_is_there_twice() -> None:
    why = [
        rm.results.Difference("AP", name, "ties", "item-desc", ties, 0.4543, -0.0001)
        for name, ties in (("ranx", "input"), ("sklearn", "expected"), ("torchmetrics", "input"))
    ]
    why.append(rm.results.Difference("AP", "torchmetrics", "missing", "zero", "skip", 0.4544, 0.0))
    like = ("rankmark", "ranx", "sklearn", "torchmetrics")
    values = dict(zip(like, (0.4544, 0.4542822, 0.4543364, 0.4542822), strict=True))
    found = rm.results.Differences(like, {"AP": values}, {"AP": dict.fromkeys(like, 1)}, tuple(why), ())
    assert [(each.like, each.changes) for each in found.alike("AP")] == [
        (("rankmark",), ()),
        (("sklearn",), ("ties=expected",)),
        (("ranx", "torchmetrics"), ("ties=input",)),
    ]
    assert found.plot().subtitle.startswith("2 different values")


def test_conventions_without_a_value_are_in_no_group() -> None:
    found = rm.differences({"q": {"a": 0}}, {"q": ["a"]}, "nDCG@10", like=["ranx", "recbole", "lightgbm"])
    assert [each.like for each in found.alike("nDCG@10")] == [("lightgbm",), ("ranx",)]
    left_out = rm.differences({"q": {"a": 0}}, {"q": ["a"]}, "nDCG@10", like=["recbole", "ranx"])
    assert [each.like for each in left_out.alike("nDCG@10")] == [("ranx",)]
    with pytest.raises(rm.PictureError, match="recbole has no value of nDCG@10"):
        left_out.plot("conventions")


def test_what_refuses_the_data_is_said_and_does_not_stop_the_others() -> None:
    found = rm.differences({"q": {"a": -1, "b": 1}}, {"q": {"a": 1.0, "b": 0.5}}, "nDCG@10")
    refusing = [line for line in found.lacking if "have no" not in line]
    assert all(line.partition(":")[0] not in found.like for line in refusing)
    assert refusing


def test_the_standard_is_a_convention_here() -> None:
    found = rm.differences(QRELS, RUN, "nDCG@10", like=["lightgbm", "rankmark"])
    assert found.like == ("lightgbm", "rankmark")
    assert {each.what for each in found.why} == {"gain", "ties", "no_relevant"}


def test_of_a_measure_that_was_not_asked_for_those_are_named_that_were() -> None:
    with pytest.raises(rm.UsageError, match="rankmark has no RR here; it has nDCG@10"):
        rm.differences(QRELS, RUN, "nDCG@10").alike("RR")


def test_the_command_line_shows_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "x.run"
    qrels.write_text("q1 0 a 3\nq1 0 b 1\nq2 0 c 0\n")
    run.write_text("q1 Q0 b 1 2.0 t\nq1 Q0 a 2 1.0 t\nq2 Q0 c 1 1.0 t\n")
    assert main(["eval", str(qrels), str(run), "-m", "nDCG@10", "--like", "all"]) == 0
    header, _, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["measure", "value", "off", "as", "in", "otherwise", "than", "rankmark"]
    assert any("lightgbm" in row and "gain=exp2" in row for row in rows)
    assert main(["eval", str(qrels), str(run), "--like", "rankmark", "--like", "ranx"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split() == ["measure", "rankmark", "ranx"]


ITEMS = {"a": {"category": "x"}, "b": {"category": "y"}, "c": {"category": "y"}, "d": {"category": "z"}}
TRAIN = {"q1": ["a", "b"], "q2": ["a"], "q3": ["c"], "q4": ["a"]}
SHOWN = {"q1": ["c", "d"], "q2": ["a", "c"], "q4": ["b", "a"]}


def test_measures_of_items_have_a_value_under_each_tool_and_what_makes_them_differ() -> None:
    known = rm.catalogue(ITEMS, train=TRAIN)
    tools = ["rectools", "replay", "recommenders"]
    found = rm.differences(None, SHOWN, "Novelty@2", like=tools, items=known)
    assert found.values["Novelty@2"] == {
        name: rm.evaluate(None, SHOWN, "Novelty@2", like=name, items=known).values.popitem()[1]
        for name in tools
    }
    why = {(each.like, each.what): (each.first, each.other) for each in found.why}
    assert why["replay", "measure"] == ("Novelty@2", "NotInTrain@2")
    assert why["recommenders", "by"] == ("users", "interactions")
    assert found.queries["Novelty@2"]["replay"] > 0


def test_measures_of_a_whole_run_count_no_queries_and_those_of_groups_stand_apart() -> None:
    asked = ["Coverage@2", "GroupExposure(by=category)@2"]
    found = rm.differences(QRELS, SHOWN, asked, items=ITEMS, train=TRAIN)
    assert "Coverage@2" not in found.queries
    assert {"rankmark", "rectools"} <= {*found.values["Coverage@2"]}
    assert {name for name in found.values if "group=" in name} == {
        f"GroupExposure(by=category,group={name})@2" for name in "xyz"
    }
    assert "Coverage@2" in str(found)


def test_what_too_little_is_known_for_is_said_of_a_tool_and_refused_of_those_asked_for() -> None:
    found = rm.differences(None, SHOWN, "Coverage@2", items=ITEMS)
    assert found.values["Coverage@2"]["rankmark"] == 1.0
    with pytest.raises(rm.UsageError, match="train"):
        rm.differences(None, SHOWN, "Novelty@2", like=["rectools", "replay"], items=ITEMS)
    with pytest.raises(rm.UsageError, match="without judgements there is no 'nDCG@10'"):
        rm.differences(None, SHOWN, "nDCG@10", like=["trec_eval", "ranx"])
