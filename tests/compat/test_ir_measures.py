"""`rankmark.compat.ir_measures` beside ir_measures."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankmark.compat.ir_measures as ours
from installed import beside, peer
from rankmark.errors import NotHereError
from rankmark.peers.ir_measures_names import OF_ASPECTS
from strategies import at_most

tool_version = beside("ir_measures")

MEASURES = """
nDCG; nDCG@5; nDCG(judged_only=True)@5; nDCG(gains={1:5,2:7}); nDCG(gains={0:1,3:9})@4; AP; AP@3; AP(rel=2);
AP(rel=2)@3; AP(judged_only=True); P@5; P(rel=2)@3; P(judged_only=True)@5; R@5; R(rel=2)@5; RR; RR(rel=2);
RR@3; RR(rel=2)@3; Success@1; Success(rel=2)@3; Rprec; Rprec(rel=2); Bpref; Bpref(rel=2); infAP; infAP(rel=2);
IPrec@0.1; IPrec(rel=2)@0.5; SetP; SetP(rel=2); SetRelP; SetR; SetR(rel=2); SetF; SetF(beta=2.0);
SetF(rel=2,beta=2.0); SetAP; SetAP(rel=2); NumQ; NumRet; NumRet(rel=2); NumRelRet; NumRel; Judged; Judged@5;
Compat; Compat(p=0.8); Compat(p=0.8,normalize=False)
""".replace("\n", " ").split("; ")
CWL = """
RBP(rel=1); RBP(p=0.5,rel=2); INST(max_rel=3); INST(T=2.0,max_rel=3); INSQ(max_rel=3); BPM(max_rel=3)@5;
BPM(T=2.0,max_rel=3)@5; SDCG(max_rel=3)@5; NERR8(max_rel=3)@5; NERR9(max_rel=3)@5; NERR10(max_rel=3);
NERR10(p=0.5,max_rel=3); NERR11(max_rel=3); NERR11(T=2.0,max_rel=3)
""".replace("\n", " ").split("; ")
OF_GDEVAL = {"ERR"}
"""It needs Perl, and rounds."""

items = [f"d{number}" for number in range(14)]
qrels = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10"]),
    st.dictionaries(st.sampled_from(items), st.sampled_from([0, 1, 1, 2, 3]), min_size=1, max_size=8),
    min_size=1,
)
runs = st.dictionaries(
    st.sampled_from(["q1", "q2", "q10", "nobody judged"]),
    st.permutations(items).map(lambda found: {item: place / 3 for place, item in enumerate(found[:9])}),
    min_size=1,
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")  # of its providers
@settings(max_examples=at_most(6), deadline=None, derandomize=True)
@given(qrels, runs)
def test_every_measure_of_every_query_and_over_all(qrels: Any, run: Any) -> None:
    theirs = peer("ir_measures", "ir_measures")
    peer("cwl", "cwl-eval")
    asked = [theirs.parse_measure(text.strip()) for text in (*MEASURES, *CWL)]
    mine = [ours.parse_measure(text.strip()) for text in (*MEASURES, *CWL)]
    assert list(map(repr, mine)) == list(map(repr, asked))
    # Gains and judged_only apart: together they are those of other measures, too, in some runs of Python and
    # not in others.
    alone = [each for each in asked if "gains" in each.params or each.params.get("judged_only")]
    apart = [[each for each in asked if each not in alone], *([each] for each in alone)]
    expected = {
        (each.query_id, repr(each.measure)): each.value
        for some in apart
        for each in theirs.iter_calc(some, qrels, run)
    }
    found = {(each.query_id, repr(each.measure)): each.value for each in ours.iter_calc(mine, qrels, run)}
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    totals = {
        repr(each): value for some in apart for each, value in theirs.calc_aggregate(some, qrels, run).items()
    }
    ours_too = {repr(each): value for each, value in ours.calc_aggregate(mine, qrels, run).items()}
    assert ours_too == pytest.approx(totals, rel=1e-9)


def test_every_measure_is_asked_for_or_said_not_to_be_here() -> None:
    theirs = peer("ir_measures", "ir_measures")
    asked = {ours.parse_measure(text.strip()).NAME for text in (*MEASURES, *CWL)}
    known = set(theirs.measures.registry)
    assert known == ours.registry.keys() | (ours.NOT_HERE.keys() & known)
    assert not ours.registry.keys() & ours.NOT_HERE.keys()
    assert {measure.NAME for measure in ours.registry.values()} == asked | OF_GDEVAL | OF_ASPECTS
    for name in ours.registry:
        assert repr(ours.registry[name]) == repr(theirs.parse_measure(name)).replace(
            "NumRelRet", "NumRet(rel=1)"
        ) or (name in ("NumRelRet", "SetRelP"))


QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"d": 1}}
RUN = {"q1": {"a": 1.5, "b": 2.5}, "q3": {"a": 1.0}}


def test_measures_are_written_and_read_as_there() -> None:
    AP, nDCG, IPrec = ours.AP, ours.nDCG, ours.IPrec  # noqa: N806 - their names
    assert repr(AP(rel=2) @ 10) == "AP(rel=2)@10"
    assert AP(rel=1) == AP == ours.MAP
    assert nDCG @ 10 == nDCG(cutoff=10) == ours.parse_measure("nDCG@10")
    assert len({nDCG @ 10, ours.NDCG(cutoff=10), nDCG}) == 2
    assert (IPrec @ 0.1)["recall"] == 0.1
    assert ours.calc_aggregate(["nDCG@10"], QRELS, RUN) == {nDCG @ 10: pytest.approx(0.2398, abs=1e-4)}
    assert (AP @ 1).calc_aggregate(QRELS, RUN) == 0.0
    assert AP.calc(QRELS, RUN).aggregated == AP.evaluator(QRELS).calc_aggregate(RUN)[AP]
    assert [each.measure for each in (AP @ 2).iter_calc(QRELS, RUN)] == [AP @ 2, AP @ 2]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Nothing", NameError),
        ("AP(2)", ValueError),
        ("AP @", ValueError),
        ("AP@x", ValueError),
        ("1+1", ValueError),
        ("Accuracy", NotImplementedError),
    ],
)
def test_texts_that_mean_no_measure(text: Any, kind: Any) -> None:
    with pytest.raises(kind):
        ours.parse_measure(text)


@pytest.mark.parametrize(
    "text", ["P", "R", "AP(depth=3)", "RBP(p=0.5)", "BPM(max_rel=3)", "SDCG(max_rel=3,min_rel=1)@3"]
)
def test_parameters_that_are_lacking_or_unknown(text: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - each has words of its own
        ours.calc_aggregate([ours.parse_measure(text)], QRELS, RUN)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ndcg",
            "ndcg_cut_10",
            "ndcg_cut.5,10",
            "P",
            "P_5",
            "map",
            "map_cut_3",
            "recall_7",
            "success",
            "set_F",
        ),
        *(
            "set_F_2",
            "iprec_at_recall",
            "iprec_at_recall_0.10",
            "num_q",
            "num_rel_ret",
            "set_relative_P",
            "bpref",
        ),
    ],
)
def test_names_of_trec_eval(name: Any) -> None:
    theirs = peer("ir_measures", "ir_measures")
    expected = [repr(each) for each in theirs.parse_trec_measure(name)]
    found = [repr(each) for each in ours.parse_trec_measure(name)]
    if name in ("num_rel_ret", "set_relative_P"):
        assert found == [repr(ours.parse_measure(each)) for each in expected]
    else:
        assert found == expected


def test_names_of_trec_eval_that_are_no_measures_there() -> None:
    for name in ("gm_map", "Rndcg", "nothing"):
        with pytest.raises(ValueError, match="is no measure of ir_measures"):
            ours.parse_trec_measure(name)


def test_what_is_measured_may_be_tuples_dicts_or_tables(tmp_path: Path) -> None:
    theirs = peer("ir_measures", "ir_measures")
    pandas = peer("pandas", "pandas")
    qrels = [ours.Qrel(query, item, grade) for query, found in QRELS.items() for item, grade in found.items()]
    run = [
        ours.ScoredDoc(query, item, score) for query, found in RUN.items() for item, score in found.items()
    ]
    expected = ours.calc_aggregate([ours.AP], QRELS, RUN)
    assert ours.calc_aggregate([ours.AP], iter(qrels), iter(run)) == expected
    assert ours.calc_aggregate([ours.AP], pandas.DataFrame(qrels), pandas.DataFrame(run)) == expected
    theirs_too = [theirs.Qrel(*row) for row in qrels], [theirs.ScoredDoc(*row) for row in run]
    assert ours.calc_aggregate([ours.AP], *theirs_too) == expected
    text = "\n".join(f"{row.query_id} 0 {row.doc_id} {row.relevance}" for row in qrels) + "\n"
    packed = tmp_path / "qrels.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    for source in (text, io.StringIO(text), str(packed)):
        assert list(ours.read_trec_qrels(source)) == qrels
    assert list(ours.read_trec_qrels(text)) == list(theirs.read_trec_qrels(text))
    line = "q1 Q0 a 1 1.5 tag\n"
    assert list(ours.read_trec_run(line)) == list(theirs.read_trec_run(line)) == [("q1", "a", 1.5)]
    with pytest.raises(ValueError, match="line 1: 'q1 a' has 2 fields, and not 6"):
        list(ours.read_trec_run("q1 a\n"))


def test_nothing_retrieved_and_nothing_judged() -> None:
    theirs = peer("ir_measures", "ir_measures")
    for qrels, run in ((QRELS, {}), (QRELS, {"q3": {"a": 1.0}})):
        assert ours.calc_aggregate([ours.AP], qrels, run) == {ours.AP: 0.0}
        assert theirs.calc_aggregate([theirs.AP], qrels, run) == {theirs.AP: 0.0}


def test_a_name_that_is_not_here_says_why() -> None:
    with pytest.raises(NotHereError, match="has no Accuracy: it fails there"):
        ours.Accuracy  # noqa: B018
    with pytest.raises(AttributeError):
        ours.nothing  # noqa: B018


@pytest.mark.parametrize("alone", ["nDCG@10", ours.parse_measure("nDCG@10")])
def test_one_measure_has_to_be_in_a_list(alone: Any) -> None:
    with pytest.raises(TypeError, match=r"measures are several, and nDCG@10 is one: give \[nDCG@10\]"):
        ours.calc_aggregate(alone, QRELS, RUN)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("IPrec", r"IPrec needs recall, such as IPrec@0\.5"),
        ("BPM@10", r"BPM needs max_rel, such as BPM\(max_rel=3\)"),
        ("BPM(max_rel=3)", "BPM needs cutoff, such as BPM@10"),
        ("nDCG(gains=3)", r"gains=3 is no dict \{grade: gain\}"),
    ],
)
def test_what_a_measure_lacks_is_told(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ours.parse_measure(text).validate_params()


def test_values_come_query_by_query() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    found = list(ours.iter_calc([ours.AP, ours.RR], qrels, run))
    assert [(each.query_id, str(each.measure), each.value) for each in found] == [
        ("1", "AP", 1.0),
        ("1", "RR", 1.0),
        ("2", "AP", 0.5),
        ("2", "RR", 0.5),
    ]


def test_the_iteration_of_judgements_is_the_aspect() -> None:
    """As pyndeval: of three aspects the list has two, one of them at rank 1."""
    rows = [("q", "a", 1, "1"), ("q", "b", 1, "1"), ("q", "b", 1, "2"), ("q", "c", 1, "3")]
    run = [ours.ScoredDoc("q", item, score) for item, score in (("a", 2.0), ("b", 1.0))]
    names = ["StRecall@5", "P_IA@2", "AP@5", "NRBP", "P_IA(rel=2)@2", "alpha_nDCG(alpha=1)@2"]
    asked = [ours.parse_measure(name) for name in names]
    expected = [2 / 3, (1 + 1 / 2) / 3, 2 / 3, 0.75 / 3 * (1 + 1.5 / 2), 0]
    for qrels in ([ours.Qrel(*row) for row in rows], (ours.Qrel(*row) for row in rows)):
        found = ours.calc_aggregate(asked, qrels, run)
        assert [found[each] for each in asked[:-1]] == pytest.approx(expected, rel=1e-14)
    of_dicts = ours.calc_aggregate([ours.StRecall @ 5], {"q": {"a": 1, "b": 1}}, run)
    assert of_dicts == {ours.StRecall @ 5: 1.0}
