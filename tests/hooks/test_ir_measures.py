from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

import rankmark as rm
from installed import beside, peer
from rankmark.errors import MeasureError

tool_version = beside("ir_measures")
pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("ignore")]

Table = dict[str, dict[str, Any]]
GRADED = ["BPM(max_rel=3)@10", "BPM(T=1.7,max_rel=3)@5", "SDCG(max_rel=3)@10", "NERR8(max_rel=3)@10"]
GRADED += ["NERR9(max_rel=3)@10", "NERR10(p=0.8,max_rel=3)", "NERR11(T=2.0,max_rel=3)", "INST(max_rel=3)"]
GRADED += [
    "INST(T=2.5,max_rel=3)",
    "INSQ(max_rel=3)",
    "INSQ(T=2.5,max_rel=3)",
    "RBP(rel=1)",
    "RBP(p=0.95,rel=2)",
]
BOTH = ["AP", "AP(rel=2)", "AP@10", "AP(rel=2)@10", "AP(judged_only=True)", "Bpref", "Bpref(rel=2)", "infAP"]
BOTH += ["IPrec@0.2", "IPrec(rel=2)@0.5", "IPrec(rel=2,judged_only=True)@0.5", "Judged@5", "nDCG", "nDCG@5"]
BOTH += ["nDCG(judged_only=True)@5", "NumQ", "NumRel", "NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "P@5"]
BOTH += ["P(rel=2)@5", "P(rel=2,judged_only=True)@5", "R@5", "R(rel=2)@5", "Rprec", "Rprec(rel=2)", "RR"]
BOTH += ["RR(rel=2)", "RR(judged_only=True)", "RR@5", "RR(rel=2)@5", "SetP", "SetP(rel=2)", "SetRelP", "SetR"]
BOTH += [
    "SetP(rel=2,relative=True)",
    "SetR(rel=2)",
    "SetF",
    "SetF(beta=2.0)",
    "SetF(beta=0.5,rel=2)",
    "SetAP",
]
BOTH += [
    "SetAP(rel=2)",
    "Success@1",
    "Success(rel=2)@5",
    "Compat",
    "Compat(p=0.8)",
    "Compat(normalize=False)",
]
BOTH += ["Compat(p=0.8,normalize=False)", *GRADED]


@pytest.fixture(scope="module")
def tables() -> tuple[Table, Table]:
    """Grades 0 to 3 and equal scores; queries without answers, without judgements, without relevant items."""
    draw = random.Random(7)
    qrels: Table = {}
    run: Table = {}
    for number in range(60):
        items = [f"d{item}" for item in draw.sample(range(1000), draw.choice((1, 3, 10, 30)))]
        judged = draw.sample(items, draw.randint(1, min(12, len(items))))
        if number:
            qrels[f"q{number}"] = {
                item: number % 9 and draw.choice((0, 0, 1, 1, 2, 3)) for item in [*judged, "missed"]
            }
        if number % 7:
            # Above 0: the tool for Compatibility takes items that were not retrieved to have score 0.
            run[f"q{number}"] = {item: draw.randint(1, 40) / 8 for item in items}
    return qrels, run


@pytest.fixture
def ir_measures() -> Iterator[Any]:
    module = peer("ir_measures", "ir_measures")
    yield module
    rm.hooks.ir_measures.unregister()


@pytest.mark.parametrize("name", BOTH)
def test_every_measure_is_that_of_the_other_providers(name: str, ir_measures: Any, tables: Any) -> None:
    measure = ir_measures.parse_measure(name)
    theirs = ir_measures.calc([measure], *tables)
    own = rm.hooks.ir_measures.provider()
    assert own.supports(measure)
    ours = own.calc([measure], *tables)
    assert ours.aggregated[measure] == pytest.approx(theirs.aggregated[measure], rel=0, abs=1e-12)
    by_query = [{each.query_id: each.value for each in found.per_query} for found in (ours, theirs)]
    assert by_query[0] == pytest.approx(by_query[1], rel=0, abs=1e-12)


def test_registered_it_computes_what_it_has_and_others_the_rest(ir_measures: Any, tables: Any) -> None:
    asked = [ir_measures.nDCG @ 10, ir_measures.RR, ir_measures.nDCG(gains={0: 0, 1: 1, 2: 5, 3: 9}) @ 10]
    # Each alone: together its gains are those of the others, too, in some runs of Python and not in others.
    before = {each: ir_measures.calc_aggregate([each], *tables)[each] for each in asked}
    own = rm.hooks.ir_measures.register()
    assert rm.hooks.ir_measures.register() is own
    assert [each.NAME for each in ir_measures.DefaultPipeline.providers].count("rankmark") == 1
    assert [own.supports(each) for each in asked] == [True, True, False]
    assert ir_measures.calc_aggregate(asked, *tables) == pytest.approx(before, rel=0, abs=1e-12)
    assert isinstance(ir_measures.evaluator(asked[:2], tables[0]), type(own.evaluator(asked[:2], tables[0])))
    rm.hooks.ir_measures.unregister()
    assert ir_measures.DefaultPipeline.providers[0].NAME == "runtime"


def test_frames_and_named_tuples_are_read_as_dicts_are(ir_measures: Any, tables: Any) -> None:
    own = rm.hooks.ir_measures.register()
    converters = ir_measures.util.QrelsConverter(tables[0]), ir_measures.util.RunConverter(tables[1])
    asked = [ir_measures.AP, ir_measures.RBP(rel=1)]
    expected = own.calc_aggregate(asked, *tables)
    assert ir_measures.calc_aggregate(asked, *(each.as_pd_dataframe() for each in converters)) == expected
    assert ir_measures.calc_aggregate(asked, *(each.as_namedtuple_iter() for each in converters)) == expected


def test_judgements_are_read_once_for_many_runs(ir_measures: Any, tables: Any) -> None:
    qrels, run = tables
    evaluator = rm.hooks.ir_measures.provider().evaluator([ir_measures.P @ 5], qrels)
    half = dict(list(run.items())[::2])
    for each in (run, half):
        found = evaluator.calc_aggregate(each)
        expected = ir_measures.calc_aggregate([ir_measures.P @ 5], qrels, each)
        assert found == pytest.approx(expected, abs=1e-12)


def test_gdeval_rounds_what_this_does_not(ir_measures: Any, tables: Any) -> None:
    asked = ir_measures.parse_measure("nDCG(dcg='exp-log2')@5")
    found = rm.hooks.ir_measures.provider().calc_aggregate([asked], *tables)[asked]
    assert found == rm.evaluate(*tables, "nDCG(gain=exp2)@5", scores="float32")["nDCG(gain=exp2)@5"]


def test_a_measure_that_it_has_not_is_refused_by_name(ir_measures: Any, tables: Any) -> None:
    with pytest.raises(MeasureError, match=r"rankmark has no RBP@5 of ir_measures|has no RBP"):
        rm.hooks.ir_measures.provider().evaluator([ir_measures.RBP @ 5], tables[0])


def test_the_iteration_of_judgements_is_the_aspect(ir_measures: Any) -> None:
    """As pyndeval: of three aspects the list has two, one of them at rank 1."""
    rows = [("q", "a", 1, "1"), ("q", "b", 1, "1"), ("q", "b", 1, "2"), ("q", "c", 1, "3")]
    qrels = [ir_measures.Qrel(*row) for row in rows]
    run = [ir_measures.ScoredDoc("q", item, score) for item, score in (("a", 2.0), ("b", 1.0))]
    asked = [ir_measures.StRecall @ 5, ir_measures.P_IA @ 2, ir_measures.AP @ 5, ir_measures.NRBP]
    found = rm.hooks.ir_measures.provider().calc_aggregate(asked, qrels, run)
    expected = [2 / 3, (1 + 1 / 2) / 3, 2 / 3, 0.75 / 3 * (1 + 1.5 / 2)]
    assert [found[each] for each in asked] == pytest.approx(expected, rel=1e-14)


def test_parameters_in_any_order_are_the_same_measure(tables: Any) -> None:
    names = ["SetF(beta=0.5,rel=2)", "SetF(rel=2, beta=0.5)", "SetF(rel=2,beta=0.5)"]
    values = {rm.evaluate(*tables, name, like="ir_measures")[name] for name in names}
    assert values == {
        rm.evaluate(*tables, f"F(rel=2,beta={0.5**0.5!r})", scores="float32").to_dict().popitem()[1]
    }


def test_a_frame_with_integer_ids(ir_measures: Any) -> None:
    qrels = pd.DataFrame({"query_id": [1, 1, 2], "doc_id": [7, 8, 7], "relevance": [1, 0, 1]})
    run = pd.DataFrame({"query_id": [1, 1], "doc_id": [8, 7], "score": [0.9, 0.8]})
    found = rm.hooks.ir_measures.provider().calc([ir_measures.RR], qrels, run)
    assert found.aggregated == {ir_measures.RR: 0.25}
    assert [(each.query_id, each.value) for each in found.per_query] == [(1, 0.5), (2, 0.0)]


def test_a_run_of_other_queries_answers_none_and_says_so(ir_measures: Any) -> None:
    own = rm.hooks.ir_measures.provider()
    with pytest.warns(
        UserWarning, match=r"none of the 1 queries of a run, such as 'x', is one of the 1 judged"
    ):
        found = own.calc_aggregate([ir_measures.AP], {"q": {"a": 1}}, {"x": {"a": 1.0}})
    assert found == {ir_measures.AP: 0}
    assert own.calc_aggregate([ir_measures.AP], {"q": {"a": 1}}, {}) == {ir_measures.AP: 0}
