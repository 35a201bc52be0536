"""Which queries to label next: what comes of labelling them is what was promised."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankmark as rm
from rankmark.cli import main
from rankmark.errors import ChoiceError, DataError, UsageError

Labels = dict[str, dict[str, int]]


def shop(queries: int = 300, items: int = 10, seed: int = 2) -> tuple[Labels, Labels, dict[str, list[str]]]:
    """Labels of people and of a judge who errs more where it sees much, and a run."""
    rng = np.random.default_rng(seed)
    names = [f"d{item}" for item in range(items)]
    people, judge, run = {}, {}, {}
    for number in range(queries):
        rich = rng.beta(1, 2)
        true = (rng.random(items) < rich).astype(int)
        wrong = rng.random(items) < 0.1 + 0.3 * rich
        people[f"q{number}"] = dict(zip(names, true.tolist(), strict=True))
        judge[f"q{number}"] = dict(zip(names, np.where(wrong, 1 - true, true).tolist(), strict=True))
        run[f"q{number}"] = names
    return people, judge, run


PEOPLE, JUDGE, RUN = shop()
FIRST = {query: PEOPLE[query] for query in list(PEOPLE)[:40]}


def labelled(plan: rm.results.LabelPlan) -> Labels:
    """The labels after the queries of a plan were labelled."""
    return FIRST | {query: PEOPLE[query] for query in plan.next_queries}


def test_labelling_what_is_planned_gives_about_the_width_promised() -> None:
    plan = rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", width=0.04, finite=True)
    assert plan.needed == plan.add == len(plan.next_queries)
    assert plan.width <= 0.04 < plan.width_now
    assert plan.needed_low is not None
    assert plan.needed is not None
    assert plan.needed_low < plan.needed
    after = rm.evaluate_with_judge(
        labelled(plan), JUDGE, RUN, "P@10", strata="stratum", attributes=plan.frame, finite=True
    ).values[0]
    assert after.high - after.low == pytest.approx(plan.width, rel=0.2)
    assert after.labelled == 40 + plan.add


def test_more_is_labelled_where_the_judge_errs_more() -> None:
    plan = rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", add=100)
    shares = [each.probability for each in plan.strata]
    deviations = [each.deviation for each in plan.strata]
    assert shares[int(np.argmax(deviations))] == max(shares)
    assert [each.judge for each in plan.strata] == sorted(each.judge for each in plan.strata)


def test_the_table_has_every_query_with_its_chance_and_the_order_to_label_in() -> None:
    plan = rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", add=25, seed=4)
    frame = plan.frame
    assert frame["query"].to_list() == list(JUDGE)
    assert frame["labelled"].sum() == 40
    assert sorted(frame["next"].drop_nulls()) == list(range(1, 26))
    assert frame.filter("labelled")["next"].null_count() == 40
    for own in plan.strata:
        part = frame.filter(stratum=own.stratum)
        assert (part.height, part["next"].count()) == (own.queries, own.add)
        assert part["probability"].unique().to_list() == [
            pytest.approx((own.labelled + own.add) / own.queries)
        ]
    assert rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", add=25, seed=4).next_queries == plan.next_queries
    assert rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", add=25, seed=5).next_queries != plan.next_queries
    fewer = rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", add=10, seed=4).next_queries
    assert plan.next_queries[:10] == fewer


def test_two_runs_are_planned_for_their_difference_and_power() -> None:
    worse = {query: items[::-1] for query, items in RUN.items()}
    runs = {"one": RUN, "other": worse}
    few = rm.labels_to_add(FIRST, JUDGE, runs, "P@3", difference=0.2, strata=1)
    many = rm.labels_to_add(FIRST, JUDGE, runs, "P@3", difference=0.1, strata=1)
    assert (few.system, few.baseline, len(few.strata)) == ("other", "one", 1)
    assert few.needed is not None
    assert many.needed is not None
    assert few.needed < many.needed
    assert "other − one" in str(few)


def test_strata_that_are_given_are_kept() -> None:
    kinds = {query: "long" if int(query[1:]) % 3 else "short" for query in JUDGE}
    plan = rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", add=20, strata=kinds)
    assert [(each.stratum, each.queries, each.labelled) for each in plan.strata] == [
        ("long", 200, 26),
        ("short", 100, 14),
    ]


def test_what_all_labels_would_not_give_is_said() -> None:
    plan = rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", width=0.001)
    assert plan.needed is None
    assert plan.add == 260
    assert "all 300 queries labelled would not do: queries such as these vary more" in str(plan)
    finite = rm.labels_to_add(FIRST, JUDGE, RUN, "P@10", width=0.001, finite=True)
    assert finite.needed is not None


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({}, UsageError, "say what is wanted"),
        ({"width": 0.1, "difference": 0.1}, UsageError, "planned for one of both"),
        ({"width": -0.1}, ChoiceError, "width=-0.1 is not a number above 0"),
        ({"add": -1}, ChoiceError, "add=-1 is not a whole number"),
        ({"add": 1, "strata": 0}, ChoiceError, "strata=0 are no parts"),
        ({"add": 1, "measure": "P@5, AP"}, UsageError, "for one measure, and here are 2"),
        ({"add": 1, "run": {"a": RUN, "b": RUN, "c": RUN}}, UsageError, "one system or two, and here are 3"),
        ({"add": 1, "people": dict(list(PEOPLE.items())[:3])}, DataError, "let people label 5 at least"),
        ({"add": 1, "strata": lambda query: query == "q7"}, DataError, "has one query"),
    ],
)
def test_what_cannot_be_is_refused(options: dict[str, Any], error: type[Exception], message: str) -> None:
    own = {"measure": "P@10", "run": RUN, "people": FIRST} | options
    measure, run, people = (own.pop(name) for name in ("measure", "run", "people"))
    with pytest.raises(error, match=message):
        rm.labels_to_add(people, JUDGE, run, measure, **own)


def test_the_command_line_writes_the_queries_and_reads_them_again(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, table in (("people.csv", FIRST), ("judge.csv", JUDGE)):
        rows = [(q, i, grade) for q, items in table.items() for i, grade in items.items()]
        pl.DataFrame(rows, schema=["query", "item", "relevance"], orient="row").write_csv(name)
    rows = [(q, i, -rank) for q, items in RUN.items() for rank, i in enumerate(items)]
    pl.DataFrame(rows, schema=["query", "item", "score"], orient="row").write_csv("a.csv")
    base = "judge people.csv judge.csv a.csv -m P@10 "
    assert main((base + "--width 0.05 --strata 3 -o queries.csv").split()) == 0
    frame = pl.read_csv("queries.csv")
    assert frame["stratum"].unique().sort().to_list() == [1, 2, 3]
    assert main((base + "--strata stratum --attributes queries.csv --format json").split()) == 0
    assert json.loads(capfd.readouterr().out)["labelled"] == 40
    assert main((base + "--next 9 --power 1").split()) == 2
    assert "--power is not of --next" in capfd.readouterr().err
    assert main(["judge", "people.csv", "judge.csv", "--next", "9"]) == 2
