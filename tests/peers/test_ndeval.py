"""rankmark beside ndeval, by way of pyndeval, which is ndeval's own program in Python."""

from __future__ import annotations

import random
from typing import Any

import pytest

import rankmark as rm
from installed import beside, peer

tool_version = beside("pyndeval")


def pyndeval() -> Any:
    return peer("pyndeval", "pyndeval")


CUT = ["ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA", "strec"]
MEASURES = [*(f"{name}@{k}" for name in CUT for k in (1, 2, 5, 10, 20)), "NRBP", "nNRBP", "MAP-IA"]


def random_tables(seed: int) -> tuple[list[tuple[str, str, str, int]], list[tuple[str, str, float]]]:
    draw = random.Random(seed)
    qrels, run = [], []
    for query in map(str, range(300)):
        items = [f"d{item}" for item in draw.sample(range(10_000), draw.choice((3, 8, 30, 60)))]
        aspects = [str(each) for each in range(draw.randint(1, draw.choice((1, 3, 8))))]
        for item in items:
            if draw.random() < 0.6:
                own = [aspect for aspect in aspects if draw.random() < 0.6]
                qrels += [(query, aspect, item, draw.choice((0, 0, 1, 1, 2))) for aspect in own]
        ties = draw.random() < 0.5
        found = draw.sample(items, draw.randint(1, len(items)))
        run += [(query, item, draw.randrange(8) / 4 if ties else draw.random()) for item in found]
    return sorted(qrels, key=lambda row: row[1]), run  # it adds up aspects in the order of their first rows


@pytest.mark.parametrize(("seed", "alpha", "beta"), [(1, 0.5, 0.5), (2, 0.3, 0.8), (3, 1.0, 0.1)])
def test_every_value_is_ndevals_to_all_printed_digits(seed: int, alpha: float, beta: float) -> None:
    qrels, run = random_tables(seed)
    theirs = pyndeval().ndeval(qrels, run, MEASURES, alpha=alpha, beta=beta)
    rows = [dict(zip(("query", "subtopic", "item", "relevance"), row, strict=True)) for row in qrels]
    given: list[Any] = [rm.conventions()["pyndeval"].measure(name) for name in MEASURES]
    parameters = {"alpha": alpha, "beta": beta}
    asked = [
        each(**{name: value for name, value in parameters.items() if name in each.page.parameters})
        for each in given
    ]
    result = rm.evaluate(rows, run, asked, like="pyndeval")
    compared = 0
    for name, measure in zip(MEASURES, asked, strict=True):
        for query, value in zip(result.query_ids, result.query_values(measure), strict=True):
            if str(query) not in theirs or theirs[str(query)]["nNRBP"] != theirs[str(query)]["nNRBP"]:
                continue  # nothing is relevant, where nNRBP is 0 / 0 there
            compared += 1
            expected = theirs[str(query)][name]
            assert f"{value:.6f}" == f"{expected:.6f}", (name, query)
            assert value == pytest.approx(expected, rel=1e-13), (name, query)
    assert compared > 8000


def test_a_query_in_which_nothing_is_relevant_has_0_but_for_nnrbp() -> None:
    theirs = pyndeval().ndeval([("q", "1", "a", 0)], [("q", "a", 1.0)], MEASURES)["q"]
    ours = rm.evaluate({"q": {"a": {"1": 0}}}, {"q": ["a"]}, MEASURES, like="pyndeval").values
    assert {name: value for name, value in theirs.items() if name != "nNRBP"} == {
        name: ours[name] for name in MEASURES if name != "nNRBP"
    }
    assert (theirs["nNRBP"] != theirs["nNRBP"], ours["nNRBP"]) == (True, 0)
