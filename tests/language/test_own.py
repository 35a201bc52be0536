"""Users' own measures: what a function becomes, beside the measures of rankmark."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import rankmark as rm
import registries
from rankmark.cli import main
from rankmark.language import registry
from rankmark.language.own import imported
from small_tables import FILES
from strategies import at_most

QRELS = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1}, "q3": {"e": 0}, "q4": {"f": 3, "g": 1}}
RUN = {"q1": ["x", "b", "a"], "q2": ["d", "y"], "q3": ["e"], "q4": ["g", "z", "f"]}
SCORED = {
    "q1": {"x": 3.0, "b": 2.0, "a": 2.0},
    "q2": {"d": 1.0, "y": 1.0},
    "q3": {"e": 1.0},
    "q4": {"g": 1.0, "f": 1.0},
}
ROWS = {"label": [1, 0, 1, 0, 1], "score": [0.9, 0.7, 0.4, 0.1, 0.6]}
PAIRS = {
    "OwnNDCG": "nDCG",
    "OwnNDCG@2": "nDCG@2",
    "OwnAP": "AP",
    "OwnMAP@2": "AP@2",
    "OwnP@2": "P@2",
    "OwnP(rel=2)@3": "P(rel=2)@3",
    "own_measures:own_ap(rel=2)": "AP(rel=2)",
}


@pytest.fixture(autouse=True)
def own() -> Iterator[ModuleType]:
    """The module of own measures; whatever else a test defines is forgotten after it."""
    with registries.restored():
        sys.modules.pop("own_measures", None)
        yield importlib.import_module("own_measures")


def same(own: rm.results.ListResult, ours: rm.results.ListResult) -> bool:
    pairs = zip(own.values.values(), ours.values.values(), strict=True)
    renamed = own.per_query.rename(dict(zip(own.values, ours.values, strict=True)))
    return all(a == b for a, b in pairs) and renamed.equals(ours.per_query)


@pytest.mark.parametrize("no_relevant", ["zero", "skip"])
def test_ndcg_ap_and_p_written_again_are_ours_to_the_last_bit(no_relevant: Any) -> None:
    ours = rm.evaluate(QRELS, RUN, list(PAIRS.values()), no_relevant=no_relevant)
    assert same(rm.evaluate(QRELS, RUN, list(PAIRS), no_relevant=no_relevant), ours)


grades = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=1)
scored = st.dictionaries(st.sampled_from("abcdefxy"), st.sampled_from([0.5, 1.0, 2.0]))


@settings(suppress_health_check=[*HealthCheck], max_examples=at_most(40))
@given(
    st.dictionaries(st.sampled_from("pqrs"), st.tuples(grades, scored), min_size=1),
    st.sampled_from(["item-desc", "item-asc", "worst", "best"]),
    st.sampled_from(["zero", "skip"]),
)
def test_they_are_ours_whatever_the_lists_in_memory_and_in_an_evaluator(
    lists: dict[str, tuple[dict[str, int], dict[str, float]]], ties: Any, no_relevant: Any
) -> None:
    assume(any(run for _, run in lists.values()))
    qrels, run = ({query: each[side] for query, each in lists.items()} for side in (0, 1))
    choices: dict[str, Any] = {"ties": ties, "no_relevant": no_relevant}
    mine, ours = (rm.evaluate(qrels, run, list(each), **choices) for each in (PAIRS, PAIRS.values()))
    assert np.array_equal(list(mine.values.values()), list(ours.values.values()), equal_nan=True)
    several = [rm.Evaluator(list(each), **choices) for each in (PAIRS, PAIRS.values())]
    for each in several:
        each.update(qrels, run)
    mine, ours = (each.result() for each in several)
    assert np.array_equal(list(mine.values.values()), list(ours.values.values()), equal_nan=True)


def test_it_is_explained_as_ours() -> None:
    mine, ours = (rm.explain(QRELS, SCORED, each, query="q1") for each in ("OwnAP@2", "AP@2"))
    assert mine.value == ours.value
    assert "contributions 0.2500" in str(mine)
    assert "contributions 0.2500" in str(ours)


@pytest.mark.usefixtures("folder")
def test_they_are_ours_in_batches() -> None:
    mine, ours = (
        rm.evaluate("qrels.txt", "a.run", list(each), engine="stream", memory="64MiB")
        for each in (PAIRS, PAIRS.values())
    )
    assert same(mine, ours)


def test_an_evaluator_that_was_saved_asks_for_its_module(tmp_path: Path) -> None:
    evaluator = rm.Evaluator("OwnAP@2")
    evaluator.update(QRELS, RUN)
    evaluator.save(tmp_path / "own.rankmark")
    forget()
    with pytest.raises(rm.FormatError, match="'own_measures:own_ap' is here: import own_measures first"):
        rm.load(tmp_path / "own.rankmark")


def forget() -> None:
    """As in a process that did not import the module."""
    for known in (registry._PAGES, registry._REFERRED):
        for name in [name for name, page in known.items() if page.origin]:
            del known[name]
    for each in registry._REMEMBERED:
        each.cache_clear()
    sys.modules.pop("own_measures")


def test_so_they_are_where_equal_scores_have_all_their_orders() -> None:
    asked = {a: b for a, b in PAIRS.items() if "OwnN" in a or "OwnP" in a}
    ours = rm.evaluate(QRELS, SCORED, list(asked.values()), ties="expected")
    assert same(rm.evaluate(QRELS, SCORED, list(asked), ties="expected"), ours)
    with pytest.raises(rm.MeasureError, match="OwnAP has no closed form"):
        rm.evaluate(QRELS, SCORED, "OwnAP", ties="expected")


def test_so_they_are_of_arrays_and_in_an_evaluator() -> None:
    rng = np.random.default_rng(7)
    scores, grades = rng.random((20, 30)), rng.integers(0, 3, (20, 30))
    assert same(
        rm.evaluate_arrays(scores, grades, list(PAIRS)),
        rm.evaluate_arrays(scores, grades, list(PAIRS.values())),
    )
    own, ours = rm.Evaluator(list(PAIRS)), rm.Evaluator(list(PAIRS.values()))
    for each in (own, ours):
        each.update(QRELS, RUN)
    assert list(own.result().values.values()) == list(ours.result().values.values())
    assert rm.Evaluator.from_bytes(own.to_bytes()).result().values == own.result().values


def test_a_plain_function_of_one_list_is_a_measure_too(own: ModuleType) -> None:
    ours = rm.evaluate(QRELS, RUN, ["P", "P@2", "P(rel=2)@3"])
    asked = [own.plain_p, "own_measures:plain_p@2", "plain_p(rel=2)@3"]
    assert same(rm.evaluate(QRELS, RUN, asked), ours)


def test_a_row_measure_is_ours_in_batches_in_parts_and_with_intervals(
    own: ModuleType, tmp_path: Path
) -> None:
    ours = rm.evaluate_predictions(ROWS, "BinaryF", intervals=True)
    mine = rm.evaluate_predictions(ROWS, own.own_f, intervals=True)
    assert mine["OwnF"] == ours["BinaryF"]
    assert mine.intervals["OwnF"].low == ours.intervals["BinaryF"].low
    path = tmp_path / "rows.csv"
    path.write_text("label,score\n" + "".join(f"{a},{b}\n" for a, b in zip(*ROWS.values(), strict=True)))
    assert rm.evaluate_predictions(path, "OwnF", engine="stream")["OwnF"] == ours["BinaryF"]
    whole = rm.PredictionEvaluator("OwnF")
    whole.update(ROWS)
    whole.update(ROWS)
    assert whole.result()["OwnF"] == ours["BinaryF"]
    undefined = rm.evaluate_predictions(ROWS, "OwnF(of=nothing)")
    assert "nothing was asked for" in str(undefined)


def test_it_is_a_measure_in_code(own: ModuleType) -> None:
    assert own.own_ap == rm.OwnAP == rm.parse("OwnMAP") == rm.parse("own_measures:own_ap")  # type: ignore[attr-defined]
    assert str(own.own_ap(rel=2) @ 10) == "OwnAP(rel=2)@10"
    assert own.own_ap([1, 0, 1]) == rm.AP([1, 0, 1])
    assert "a measure of your own, own_measures:own_ap" in str(own.own_ap.__doc__)
    assert "OwnAP" not in dir(rm)
    assert pickle.loads(pickle.dumps(own.own_ap @ 3)) == own.own_ap @ 3
    with pytest.raises(rm.MeasureError, match="OwnAP has no parameter 'rell'; did you mean 'rel'"):
        own.own_ap(rell=2)


def test_comparisons_gates_and_intervals_take_it() -> None:
    runs = {"a": RUN, "b": {query: list(reversed(items)) for query, items in RUN.items()}}
    mine, ours = (rm.compare(QRELS, runs, each, resamples=200) for each in ("OwnAP", "AP"))
    assert str(mine).replace("OwnAP", "AP").split() == str(ours).split()
    assert rm.gate(QRELS, candidate=RUN, at_least={"OwnAP": 0.1}).passed
    intervals = [
        rm.evaluate(QRELS, RUN, each, intervals=True).intervals[each] for each in ("OwnNDCG", "nDCG")
    ]
    assert intervals[0].low == intervals[1].low


def test_a_signature_says_where_it_is_from_and_is_read_where_that_is_imported(own: ModuleType) -> None:
    for short in (False, True):
        signature = rm.evaluate(QRELS, RUN, "OwnAP(rel=2)@2").signature("OwnAP(rel=2)@2", short=short)
        source = own.own_ap.page.origin.source
        assert f"|own:own_measures:own_ap|source:{source}|" in signature
        again = rm.from_signature(signature)
        assert again.evaluate(QRELS, RUN).values == rm.evaluate(QRELS, RUN, "OwnAP(rel=2)@2").values
        with pytest.raises(rm.SignatureError, match="the source 0, and here that of OwnAP is"):
            rm.from_signature(signature.replace(source, "0"))
        with pytest.raises(
            rm.SignatureError, match=r"elsewhere:own_ap \(source \w+\): import elsewhere first"
        ):
            rm.from_signature(signature.replace("own_measures:", "elsewhere:"))
        with pytest.raises(rm.SignatureError, match="signature of OwnAP says nothing of where it is from"):
            rm.from_signature(signature.replace(f"|own:own_measures:own_ap|source:{source}", ""))
    with pytest.raises(rm.SignatureError, match="the signature of AP says that it is own_measures:own_ap"):
        rm.from_signature(f"AP|own:own_measures:own_ap|source:{source}|rankmark:0.1.0")


def test_what_was_saved_is_read_without_its_module_and_imports_nothing(
    tmp_path: Path,
) -> None:
    result = rm.evaluate(QRELS, RUN, ["OwnAP(rel=2)@2", "AP"])
    result.save(tmp_path / "own.rankmark")
    forget()
    again = rm.load(tmp_path / "own.rankmark")
    assert isinstance(again, rm.results.ListResult)
    assert "own_measures" not in sys.modules
    assert again.values == result.values
    assert again["OwnAP(rel=2)@2"] == result["OwnAP(rel=2)@2"]
    assert str(again) == str(result)
    assert again.signature("OwnAP(rel=2)@2") == result.signature("OwnAP(rel=2)@2")
    with pytest.raises(rm.MeasureError, match="import own_measures and ask for the measure"):
        rm.evaluate(QRELS, RUN, again.evaluation("OwnAP(rel=2)@2").measure)
    with pytest.raises(rm.MeasureError, match="'own_measures:own_ap' is here: import own_measures"):
        rm.evaluate(QRELS, RUN, "own_measures:own_ap")


def test_spark_refuses_what_its_executors_could_not_import() -> None:
    pytest.importorskip("pyspark")

    @rm.list_measure("LocalGain")
    def local_gain(lists: rm.JudgedLists) -> Any:
        return lists.count()

    with pytest.raises(
        rm.MeasureError, match="which executors cannot import: define it at the top of a module"
    ):
        rm.spark.evaluate({}, {}, local_gain)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nDCG", "'nDCG' means nDCG here: call your measure otherwise"),
        ("ndcg_score", "'ndcg_score' means nDCG here"),
        ("precision", "means P here"),
        ("ndcg_cut_10", "means nDCG here|a name of trec_eval's"),
        ("my gain", "a name has letters, digits and underscores"),
        ("_gain", "a name begins with a letter"),
        ("Own_AP", "'Own_AP' means OwnAP of own_measures:own_ap"),
    ],
)
def test_a_name_that_has_a_meaning_is_refused(name: str, why: str) -> None:
    with pytest.raises(rm.MeasureError, match=why):
        rm.list_measure(name)(lambda lists: lists.count())


def test_a_cell_that_is_run_again_replaces_its_measure() -> None:
    def gain(factor: float) -> rm.Measure:
        @rm.list_measure("CellGain")
        def cell_gain(lists: rm.JudgedLists) -> Any:
            return factor * lists.count()

        return cell_gain

    first = rm.evaluate(QRELS, RUN, gain(1)).values
    assert rm.evaluate(QRELS, RUN, "CellGain").values == first
    gain(2)
    assert rm.evaluate(QRELS, RUN, "CellGain")["CellGain"] == 2 * first["CellGain"]


def counted(lists: rm.JudgedLists, *, ties: float = 1) -> Any:
    return lists.count() * ties


def unclear(lists: rm.JudgedLists, *, what: None = None) -> Any:
    return lists.count() if what is None else what


def listed(rows: rm.Rows) -> Any:
    return [rows.weight]


def lacking(rows: rm.Rows) -> Any:
    return {"weight": rows.weight}["x"]


FAULTS: dict[str, Any] = {
    "raises ZeroDivisionError: .* for query 'q3'": lambda grades, judged: len(grades) // int(judged[0]) * 0,
    "gives 'a', and no number, for query 'q1'": lambda grades, judged: "a" if len(grades) else judged,
    "gives 3, and its bounds are 0 and 1, for query 'q1'": lambda grades, judged: (
        len([*grades, *judged]) // 2
    ),
    "gives one number for 4 queries": lambda lists: len(lists.rank),
    r"gives an array of shape \(2,\) for 4 queries": lambda lists: lists.count()[:2],
    "gives 'text', and a list measure gives an array": lambda lists: "text" if lists else "",
    "gives inf, and its bounds": lambda lists: np.full(len(lists.retrieved), np.inf),
    "raises AttributeError: .*'cuont'": lambda lists: lists.cuont(),
    "raises ValueError: .*read-only": lambda lists: lists.relevance.sort(),
}


@pytest.mark.parametrize("why", FAULTS)
def test_a_fault_of_the_function_is_told_with_its_query(why: str) -> None:
    with pytest.raises(rm.MeasureError, match=why):
        rm.evaluate(QRELS, RUN, rm.list_measure("Faulty", bounds=(0, 1))(FAULTS[why]), threads=1)


def error_of(labels: Any, scores: Any) -> float:
    """A function of labelled scores, as other libraries have them."""
    return float(np.mean((labels - scores) ** 2))


def test_a_plain_function_of_labels_and_scores_is_told_what_to_become() -> None:
    with pytest.raises(rm.MeasureError, match=r"looks like a function of labels and scores, .*row_measure"):
        rm.evaluate_predictions(ROWS, error_of)  # type: ignore[arg-type]


def test_a_tool_has_no_measure_of_ones_own() -> None:
    measure = rm.list_measure("Faulty")(lambda lists: lists.count())
    said = "ranx has no Faulty, a measure of your own: evaluate it apart, without like='ranx'"
    with pytest.raises(rm.MeasureError, match=said):
        rm.evaluate(QRELS, RUN, measure, like="ranx")


def test_what_cannot_be_a_measure_is_refused() -> None:
    with pytest.raises(rm.MeasureError, match="takes lists, or grades and judged, and parameters each with"):
        rm.list_measure("Odd")(lambda: 1)
    with pytest.raises(rm.MeasureError, match="a parameter cannot be called ties, which has a meaning here"):
        rm.list_measure("Odd")(counted)
    with pytest.raises(rm.MeasureError, match="annotate it as a float"):
        rm.list_measure("Odd")(unclear)
    with pytest.raises(rm.MeasureError, match="is not more or less or neither; did you mean 'more'"):
        rm.list_measure("Odd", better="mroe")  # type: ignore[arg-type]
    with pytest.raises(rm.MeasureError, match="bounds=1 are not two numbers"):
        rm.list_measure("Odd", bounds=1)  # type: ignore[arg-type]
    with pytest.raises(rm.CallError, match=r"write @rm\.list_measure\(\)"):
        rm.list_measure(counted)  # type: ignore[arg-type]
    with pytest.raises(rm.MeasureError, match="a row measure gives one number"):
        rm.evaluate_predictions(ROWS, rm.row_measure("Odd", labels="binary")(listed))
    with pytest.raises(rm.MeasureError, match="raises KeyError: 'x'"):
        rm.evaluate_predictions(ROWS, rm.row_measure("Odd", labels="binary")(lacking))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name, text in FILES.items():
        Path(name).write_text(text)
    Path("shop_measures.py").write_text(
        "import numpy as np\nimport rankmark as rm\n"
        "@rm.list_measure('ShopP', bounds=(0, 1))\n"
        "def shop_p(lists, *, cutoff=None, rel=1):\n"
        "    '''Precision, of the shop.'''\n"
        "    return rm.ratio(lists.hits(rel).count(cutoff), float(cutoff), lists.relevant(rel))\n"
        "def best(grades, judged):\n    return np.nanmax(grades, initial=0)\n"
        "ours = rm.AP\n"
    )
    Path("broken_measures.py").write_text("1 / 0\n")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_command_line_imports_what_it_names(capsys: pytest.CaptureFixture[str]) -> None:
    asked = "shop_measures:shop_p(rel=2)@1 shop_measures:best@2 P(rel=2)@1"
    assert main(["eval", "qrels.txt", "a.run", "-m", asked]) == 0
    shown = capsys.readouterr().out
    assert [line.split()[-1] for line in shown.splitlines()[2:5]] == ["0.3333", "1.0000", "0.3333"]
    assert main(["explain", "qrels.txt", "a.run", "-m", "shop_measures:shop_p@1", "--query", "q1"]) == 0
    assert "shop_measures:shop_p@1 of query 'q1'" in capsys.readouterr().out
    assert main(["measures", "shop_measures:shop_p"]) == 0
    assert "Precision, of the shop." in capsys.readouterr().out
    assert main(["gate", "qrels.txt", "a.run", "--at-least", "shop_measures:shop_p@1=0.2"]) == 0


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("reference", "why"),
    [
        ("no_such_module:gain", "there is no module 'no_such_module', installed or in "),
        ("shop_measures:shop_q", "has no 'shop_q'; did you mean 'shop_p'?"),
        ("shop_measures:ours", "is a Measure, and no function or measure of your own"),
        ("shop_measures:np", "is a module, and no function or measure of your own"),
        ("broken_measures:gain", "importing broken_measures raises ZeroDivisionError: division by zero"),
    ],
)
def test_what_the_command_line_cannot_import_is_told(
    reference: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "qrels.txt", "a.run", "-m", reference]) == 2
    assert why in capsys.readouterr().err
    with pytest.raises(rm.MeasureError):
        imported(reference)


def test_extremes_of_a_function_are_not_known() -> None:
    def own_count(lists: rm.JudgedLists) -> Any:
        return lists.relevant(1)

    with pytest.raises(rm.MeasureError, match="is not known"):
        rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, own_count, bounds="unjudged")
