"""What several tests draw from: measures with any or with usable parameters, and small tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest
from hypothesis import settings
from hypothesis import strategies as st

import rankmark as rm
from rankmark.kinds.ranges import Above, Between, Whole, Within
from rankmark.language.choices import values_of
from rankmark.language.parameters import Column, Group, ListMeasure, Parameter
from rankmark.language.registry import pages

ALL_PAGES = {name: page for name, page in pages().items() if page.origin is None}  # not of other tests
PAGES = {name: page for name, page in ALL_PAGES.items() if page.kind == "list"}


def at_most(examples: int) -> int:
    """So many examples, or fewer where the profile asks for fewer (`make quick`)."""
    return min(examples, settings.default.max_examples)


few = settings(max_examples=at_most(25))  # of each measure
every_measure = pytest.mark.parametrize("name", PAGES)
every_measure_of_any_kind = pytest.mark.parametrize("name", ALL_PAGES)

Row = tuple[Any, Any, float]
Tables = tuple[list[Row], list[Row]]

# --- Measures with any parameters, and with parameters that any data allow --------------------------------

LARGEST_GRADE = 4
finite = st.one_of(st.integers(-(10**6), 10**6), st.floats(allow_nan=False, allow_infinity=False))


def option_values(option: Any) -> st.SearchStrategy[Any]:
    """Values that one option of an annotation allows; functions cannot be written, so there are none."""
    origin = get_origin(option) or option
    if origin in (Union, UnionType):
        return st.one_of(*(option_values(part) for part in get_args(option)))
    if origin is Literal:
        return st.sampled_from(get_args(option))
    if origin is Annotated:
        return numbers_in(get_args(option)[1])
    if origin is float:
        return finite
    if origin is Mapping:
        keys = st.text(min_size=1) if get_args(option)[0] is str else finite
        return st.dictionaries(keys, finite, min_size=1, max_size=4)
    if origin is Sequence:
        return st.lists(option_values(get_args(option)[0]), min_size=1, max_size=4)
    if option is ListMeasure:
        return st.sampled_from(["nDCG", "RR", "ERR(max_grade=2)"])
    if option in (Column, Group):
        return st.text(min_size=1)
    assert origin is Callable, f"say here how to draw {option}"
    return st.nothing()


def numbers_in(interval: Above | Between | Whole | Within) -> st.SearchStrategy[float]:
    if isinstance(interval, Whole):
        return st.integers(interval.low, interval.high or 10**6)
    if isinstance(interval, Within):
        return st.floats(interval.low, interval.high)
    high = getattr(interval, "high", None)
    return st.floats(interval.low, high, exclude_min=True, exclude_max=high is not None, allow_infinity=False)


@st.composite
def any_measures(draw: Any, name: str) -> rm.Measure:
    page = ALL_PAGES[name]
    chosen = draw(st.sets(st.sampled_from(sorted(page.parameters)))) if page.parameters else ()
    parameters = {name: draw(option_values(page.parameters[name].annotation)) for name in sorted(chosen)}
    cutoff = draw(st.none() | st.integers(1, 2**40)) if page.takes_cutoff else None
    return rm.Measure(page.name, parameters, cutoff)


def usable_values(parameter: Parameter) -> st.SearchStrategy[Any]:
    """Values that mean something for grades up to the largest, whatever the queries."""
    numbers = {
        "rel": (0.5, 1, 2, 3),
        "max_grade": (LARGEST_GRADE, 7.5),
        "discount": (1.5, 10),
        "beta": (0.5, 1, 3),
        "p": (0.1, 0.5, 0.95),
        "T": (0.7, 1, 2.5),
        "decay": (0, 0.5, 0.85, 1),
        "depth": (3, 50),
        "multiple": (0.2, 1, 1.7),
        "recall": (0, 0.3, 1, (0.25, 0.5)),
        "relevant": (1, 2.5),
        "nonrelevant": (-1, 0),
        "missed": (0, -0.5),
        "rejected": (0, 0.25),
        "items": (100,),
    }
    allowed = [number for number in numbers.get(parameter.name, ()) if allows(parameter, number)]
    return st.sampled_from([*parameter.choices, *allowed])


def allows(parameter: Parameter, value: float) -> bool:
    try:
        parameter.checked(value, "")
    except rm.MeasureError:
        return False
    return True


@st.composite
def usable_measures(draw: Any, name: str) -> rm.Measure:
    parameters = {p.name: draw(usable_values(p)) for p in PAGES[name].parameters.values()}
    needed = parameters.get("denominator") == "cutoff" and name == "AP"
    needed |= parameters.get("depth") == "endless" and parameters.get("patience") in (
        "constant",
        "reciprocal",
    )
    cutoffs = st.integers(1, 12) if needed else st.none() | st.integers(1, 12)
    return rm.Measure(name, parameters, draw(cutoffs) if PAGES[name].takes_cutoff else None)


def row_lists(numbers: Sequence[float]) -> st.SearchStrategy[list[Row]]:
    """Rows of 3 queries and 13 items, each drawn as one number, which takes a third of the time of three."""

    def row(code: int) -> Row:
        place, number = divmod(code, len(numbers))
        return f"q{place // 13 + 1}", place % 13, numbers[number]

    def rows(codes: list[int], first: int) -> list[Row]:
        # No table is empty, and one query is in both.
        codes += [first] * all(code >= len(numbers) for code in codes)
        return list(map(row, codes))

    last = len(numbers) - 1
    places = st.lists(
        st.integers(0, 39 * len(numbers) - 1), max_size=24, unique_by=lambda code: code // len(numbers)
    )
    return st.builds(rows, places, st.integers(0, last))


GRADES = (0.0, 1.0, 2.0, 3.0, LARGEST_GRADE, 0.5, -1.0)
grades = st.sampled_from(GRADES)
tables = st.tuples(row_lists(GRADES), row_lists((0.0, 1.0, 2.0, 3.0, -1.0, -2.0, -3.0)))


ORDERED = [ties for ties in values_of("ties") if ties != "expected"]


def has_closed_form(measure: rm.Measure) -> bool:
    of_the_list = measure.arguments.get("items") == "retrieved" and measure.cutoff is not None
    return measure.page.expected and measure.arguments.get("denominator") != "hits" and not of_the_list


def tie_rules(measure: rm.Measure) -> st.SearchStrategy[str]:
    return st.sampled_from([*ORDERED, "expected"] if has_closed_form(measure) else ORDERED)


def by_query(data: Tables, measure: rm.Measure, **choices: Any) -> dict[Any, float]:
    result = rm.evaluate(*data, [measure], **choices)
    return dict(zip(result.query_ids, result.query_values(measure).tolist(), strict=True))


def identical(a: dict[Any, float], b: dict[Any, float]) -> bool:
    """The same queries with the same bits; NaN is itself."""
    return repr(sorted(a.items())) == repr(sorted(b.items()))


OTHER_THAN_BETTER = ("PMeasure", "PPlus", "infAP", "NumNonrelRet", "G")
HAS_A_BETTER = [
    name for name, page in PAGES.items() if page.better != "neither" and name not in OTHER_THAN_BETTER
]


def has_a_better(measure: rm.Measure) -> bool:
    """Reading further is neither good nor bad, and NCU(stop=graded) is as PMeasure.

    Grades of 0, 2 and 3 end the reading of BPM(T=0.7,gain=linear,max_grade=4) at rank 3 with
    (2/4 + 3/4) / 3 = 0.4167, and 0, 3 and 2 at rank 2 with (3/4) / 2 = 0.375.
    """
    arguments = measure.arguments
    settled = arguments.get("bound") != "upper"  # for ties, an unjudged item counts as not relevant
    # Among ties an item judged 0 comes before an unjudged one in the best order, and only it counts here.
    sees_which = measure.name == "FallOut" or (measure.name == "ListAUC" and measure.cutoff is not None)
    settled &= not (sees_which and measure.tells_unjudged)
    settled &= measure.name != "BPM" or arguments["gain"] == "binary"
    return settled and arguments.get("value", "EU") == "EU" and arguments.get("stop") != "graded"


MEASURES = [
    "nDCG",
    "nDCG@1",
    "nDCG(gain=exp2)@3",
    "nDCG(discount=log2max,ideal=retrieved)@4",
    "nDCG(discount=3,gain=exp2)@5",
    "DCG",
    "DCG(gain=exp2,discount=log2max)@3",
    "DCG(discount=10)@2",
    "CG",
    "NCG",
    "NCG(gain=exp2,ideal=retrieved)@2",
    "CG(gain=exp2)@3",
    "AP",
    "AP(rel=2)@3",
    "AP(denominator=min)@2",
    "AP(denominator=hits)@4",
    "AP(denominator=retrieved)@3",
    "AP(denominator=cutoff)@2",
    "RR",
    "RR(rel=0.5)@2",
    "RR(hits=all)",
    "RR(denominator=relevant)",
    "RR(denominator=relevant,hits=all)@3",
    "RR(hits=all,rel=2)@3",
    "P",
    "P@3",
    "P(denominator=min)",
    "P(denominator=retrieved)@4",
    "P(denominator=min,rel=2)@2",
    "R",
    "R@2",
    "R(denominator=min)@1",
    "F",
    "F(beta=2)@3",
    "F(beta=0.5,rel=0)@2",
    "HR",
    "HR(rel=3)@2",
    "HR(hits=count)@3",
    "HR(bound=upper)@2",
    "RR(bound=upper,rel=2)",
    "P(bound=upper)@3",
    "P(bound=upper,denominator=min,rel=0)@2",
    "HitRatio@2",
    "Rprec",
    "Rprec(rel=0)",
    "Rprec(multiple=0.4)",
    "Rprec(multiple=1.4,rel=2)",
    "Bpref",
    "Bpref(rel=2)",
    "Bpref(rel=-1)",
    "infAP",
    "infAP(rel=2)",
    "IPrec",
    "IPrec(recall=0.5)",
    "IPrec(recall=[0,0.25,1],rounding=up,rel=2)",
    "SetAP",
    "Utility",
    "Utility(relevant=2,missed=-0.5,rejected=0.25,items=1000,rel=2)@3",
    "binG",
    "binG(rel=2)",
    "G",
    "G(gain=exp2)",
    "nDCG_rel",
    "nDCG_rel(gain=exp2)",
    "RnDCG",
    "RnDCG(gain=exp2,rel=2)",
    "RBP",
    "RBP(p=0.5,rel=2)@3",
    "RBP(gain=linear,max_grade=query,p=0.9)",
    "RBP(gain=exp2,max_grade=query)@2",
    "RBPResidual",
    "RBPResidual(p=0.5,tail=unjudged)",
    "ERR",
    "ERR(max_grade=5)@3",
    "ERR(gain=linear,best=certain)@4",
    "PFound",
    "YAAP",
    "YAAP(rel=2)",
    "PFound(decay=0.5,gain=exp2,max_grade=5)@3",
    "nERR",
    "nERR(gain=linear,max_grade=4.5)@2",
    "RBP(gain=exp2,max_grade=4,p=0.9)@4",
    "RBP(gain=linear,max_grade=none,value=ETU)",
    "INSQ(depth=30)",
    "INSQ(T=0.7,gain=linear,max_grade=4,value=ETU,depth=4)@3",
    "INST(depth=30)",
    "INST(T=0.6,gain=linear,max_grade=5,value=ETU,depth=20)",
    "INST(T=2.5,rel=0.5,value=ED,depth=3)@2",
    "BPM",
    "BPM(T=2,rel=0.3)@3",
    "BPM(T=0.9,gain=linear,max_grade=4,value=ETU)@9",
    "SDCG",
    "SDCG(gain=exp2,max_grade=4,discount=3)@4",
    "SDCG(value=ED)@3",
    "NearlyERR(depth=30)",
    "NearlyERR(patience=reciprocal,gain=linear,max_grade=4)@4",
    "NearlyERR(patience=geometric,p=0.6,gain=exp2,max_grade=4,depth=25,value=ETU)",
    "NearlyERR(patience=squares,T=1.5,gain=linear,max_grade=6,depth=40)",
    "QMeasure",
    "QMeasure(gain=exp2,beta=10,denominator=relevant)@3",
    "QMeasure@2",
    "OMeasure(beta=0.5)",
    "PMeasure",
    "PPlus(gain=exp2)",
    "NCU",
    "NCU(stop=geometric,utility=precision,p=0.7)",
    "NCU(stop=uniform,gain=exp2,beta=3)",
    "Compatibility",
    "Compatibility(p=0.5)@2",
    "Compatibility(p=0.9,denominator=one)@3",
    "Compatibility(p=0.5,depth=endless)",
    "ListAUC",
    "ListAUC(rel=2)@2",
    "ListAUC(items=retrieved)",
    "ListAUC(items=retrieved,rel=0.3)@3",
    "ListAUC(items=40)@3",
    "RankingLoss",
    "OPA",
    "NDPM",
    "PartialAUC",
    "PartialAUC@2",
    "PAP@2",
    "PAP(rel=0)",
    "FallOut@2",
    "FallOut(items=40,rel=2)",
    "MeanRank",
    "MeanRank(gain=linear,items=40)",
    "MPR",
    "MPR(items=40,rel=2)",
    "MaxRank",
    "MaxRank(items=40)",
    "Unjudged(denominator=retrieved)@3",
    "MeanP",
    "MeanP@3",
    "MeanR",
    "MeanR(rel=2)@3",
    "Judged",
    "Judged@2",
    "NumRet",
    "NumRet@3",
    "NumRel",
    "NumRel(rel=2)",
    "NumRelRet",
    "NumRelRet(rel=2)@2",
    "NumNonrelRet",
    "NumNonrelRet(rel=2)@2",
    "NumQ",
    "Unjudged",
    "Unjudged@2",
    "AP(mean=geometric)",
    "nDCG(mean=geometric,gain=exp2)@3",
]
