"""ir_measures (0.4) over rankmark: `from rankmark.compat import ir_measures`.

Measures are written as there, ``ir_measures.nDCG @ 10`` or ``AP(rel=2)``, and their values are those of its
default pipeline (`rankmark.conventions()["ir_measures"]`), but that ERR and nDCG(dcg="exp-log2") are not
rounded to five digits. What it has and rankmark has not is named in `NOT_HERE`; `rankmark.hooks.ir_measures`
is for whoever has ir_measures installed and wants its other providers, too.
"""

from __future__ import annotations

import ast
import gzip
import io
import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from rankmark.api.evaluation import evaluate
from rankmark.dataclassing import dataclass
from rankmark.errors import CallError, DataError, MeasureError, NotHereError, UsageError, did_you_mean
from rankmark.inputs import Input, read_qrels, read_run
from rankmark.language.conventions.trec_table import split_name
from rankmark.language.measure import Measure as Page
from rankmark.peers.ir_measures_names import OF_ASPECTS, written_here

_FIRST = {"rel": 1, "judged_only": False}
_SUMS = ("NumQ", "NumRel", "NumRet", "NumRelRet")


class _Known(NamedTuple):
    """What a measure takes: parameters with their defaults, None where there is none, and which it needs."""

    parameters: Mapping[str, Any]
    needs: tuple[str, ...] = ()
    at: str = "cutoff"


_CUT = {"cutoff": None}
_GRADES = {"min_rel": 0, "max_rel": None}
_KNOWN: Mapping[str, _Known] = {
    "alpha_DCG": _Known({**_CUT, "alpha": 0.5, **_FIRST}, ("cutoff",)),
    "alpha_nDCG": _Known({**_CUT, "alpha": 0.5, **_FIRST}, ("cutoff",)),
    "AP": _Known(_CUT | _FIRST),
    "AP_IA": _Known(_FIRST),
    "BPM": _Known({**_CUT, "T": 1.0, **_GRADES}, ("cutoff", "max_rel")),
    "Bpref": _Known({"rel": 1}),
    "Compat": _Known({"p": 0.95, "normalize": True}),
    "ERR": _Known(_CUT),
    "ERR_IA": _Known(_CUT | _FIRST, ("cutoff",)),
    "INST": _Known({"T": 1.0, **_GRADES}, ("max_rel",)),
    "INSQ": _Known({"T": 1.0, **_GRADES}, ("max_rel",)),
    "infAP": _Known({"rel": 1}),
    "IPrec": _Known({"recall": None, **_FIRST}, ("recall",), "recall"),
    "Judged": _Known(_CUT),
    "nDCG": _Known({**_CUT, "dcg": "log2", "gains": None, "judged_only": False}),
    "nERR_IA": _Known(_CUT | _FIRST, ("cutoff",)),
    "NERR8": _Known({**_CUT, **_GRADES}, ("cutoff", "max_rel")),
    "NERR9": _Known({**_CUT, **_GRADES}, ("cutoff", "max_rel")),
    "NERR10": _Known({"p": 0.9, **_GRADES}, ("max_rel",)),
    "NERR11": _Known({"T": 1.0, **_GRADES}, ("max_rel",)),
    "nNRBP": _Known({"rel": 1, "alpha": 0.5, "beta": 0.5}),
    "NRBP": _Known({"rel": 1, "alpha": 0.5, "beta": 0.5}),
    "NumQ": _Known({}),
    "NumRel": _Known({"rel": 1}),
    "NumRet": _Known({"rel": None}),
    "P": _Known(_CUT | _FIRST, ("cutoff",)),
    "P_IA": _Known(_CUT | _FIRST, ("cutoff",)),
    "R": _Known(_CUT | _FIRST, ("cutoff",)),
    "RBP": _Known({**_CUT, "p": 0.8, "rel": None}),
    "Rprec": _Known(_FIRST),
    "RR": _Known(_CUT | _FIRST),
    "SDCG": _Known({**_CUT, "dcg": "log2", **_GRADES}, ("cutoff", "max_rel")),
    "SetP": _Known({**_FIRST, "relative": False}),
    "SetR": _Known({"rel": 1}),
    "SetF": _Known({**_FIRST, "beta": 1.0}),
    "SetAP": _Known(_FIRST),
    "StRecall": _Known({**_CUT, "rel": 1}, ("cutoff",)),
    "Success": _Known(_CUT | _FIRST, ("cutoff",)),
}
"""The measures of ir_measures that are here."""
_SUCH_AS = {"cutoff": "@10", "recall": "@0.5", "max_rel": "(max_rel=3)"}
"""How what measures need is said."""

NOT_HERE = {
    "Accuracy": (
        "it fails there where a list has items of one kind only; rm.ListAUC(items='retrieved') is the same"
    ),
    "define": "own measures are made with @rm.list_measure",
    "define_byquery": "own measures are made with @rm.list_measure",
}
"""What ir_measures measures and rankmark does not, or calls otherwise, and why."""


class Qrel(NamedTuple):
    """A judgement."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


class ScoredDoc(NamedTuple):
    """A result."""

    query_id: str
    doc_id: str
    score: float


class Metric(NamedTuple):
    """The value of a measure for a query."""

    query_id: str
    measure: Measure
    value: float


class CalcResults(NamedTuple):
    """The values of measures over all queries, and for each."""

    aggregated: Any
    per_query: list[Metric]


@dataclass(frozen=True, repr=False, eq=False)
class Measure:
    """A measure of ir_measures: called with parameters and with ``@`` it is another one.

    Attributes:
        NAME: its name.
        params: the parameters given.

    """

    NAME: str
    params: Mapping[str, Any]

    def __call__(self, **params: Any) -> Measure:
        """The measure with these parameters, too."""
        return Measure(self.NAME, {**self.params, **params})

    def __matmul__(self, at_param: Any) -> Measure:
        return self(**{_KNOWN[self.NAME].at: at_param})

    def __getitem__(self, key: str) -> Any:
        return self.params.get(key, _KNOWN[self.NAME].parameters[key])

    def validate_params(self) -> None:
        """Refuses parameters that the measure does not take, or lacks.

        Raises:
            MeasureError: such a parameter.

        """
        known = _KNOWN[self.NAME]
        for name in self.params.keys() - known.parameters.keys():
            raise MeasureError(f"{self.NAME} takes no {name}{did_you_mean(name, known.parameters)}")
        for name in known.needs:
            if self.params.get(name) is None:
                raise MeasureError(f"{self.NAME} needs {name}, such as {self.NAME}{_SUCH_AS[name]}")
        _translated(self)

    def __repr__(self) -> str:
        """The text that `parse_measure` reads, without parameters that are defaults."""
        known = _KNOWN[self.NAME]
        given = {
            name: value
            for name, value in self.params.items()
            if name != known.at and value != known.parameters.get(name)
        }
        inner = ",".join(f"{name}={_shown(value)}" for name, value in given.items())
        called = f"{self.NAME}({inner})" if inner else self.NAME
        return f"{called}@{self.params[known.at]}" if known.at in self.params else called

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))

    def iter_calc(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """As `iter_calc`, of this measure."""
        return iter_calc([self], qrels, run)

    def calc_aggregate(self, qrels: Any, run: Any) -> float:
        """The measure's value over all queries."""
        return calc_aggregate([self], qrels, run)[self]

    def calc(self, qrels: Any, run: Any) -> CalcResults:
        """The measure's value over all queries, and for each."""
        found = calc([self], qrels, run)
        return CalcResults(found.aggregated[self], found.per_query)

    def evaluator(self, qrels: Any) -> Evaluator:
        """As `evaluator`, of this measure."""
        return evaluator([self], qrels)


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{" + ",".join(f"{grade}:{gain}" for grade, gain in sorted(value.items()) if grade != gain) + "}"
        )
    return repr(value)


_MADE = {name: Measure(name, {}) for name in _KNOWN}
_ALIASES = {
    "MAP": _MADE["AP"],
    "MAP_IA": _MADE["AP_IA"],
    "α_DCG": _MADE["alpha_DCG"],
    "α_nDCG": _MADE["alpha_nDCG"],
    "BPref": _MADE["Bpref"],
    "NDCG": _MADE["nDCG"],
    "Precision": _MADE["P"],
    "Recall": _MADE["R"],
    "RPrec": _MADE["Rprec"],
    "MRR": _MADE["RR"],
    "NumRelRet": Measure("NumRet", {"rel": 1}),
    "SetRelP": Measure("SetP", {"relative": True}),
}
registry: Mapping[str, Measure] = {**_MADE, **_ALIASES}
"""The measures by all their names."""


def __getattr__(name: str) -> Any:
    if name in registry:
        return registry[name]
    if name in NOT_HERE:
        raise NotHereError(f"rankmark.compat.ir_measures has no {name}: {NOT_HERE[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *registry})


# --- Evaluation --------------------------------------------------------------------------------------------


class Evaluator:
    """Judgements that are read once, for any number of runs.

    Args:
        measures: what to measure.
        qrels: the judgements, as of `calc_aggregate`.

    """

    def __init__(self, measures: Iterable[Measure], qrels: Any) -> None:
        if isinstance(measures, Measure | str):
            raise CallError(f"measures are several, and {measures} is one: give [{measures}]")
        self.measures = [_measure(each) for each in measures]
        for each in self.measures:
            each.validate_params()
        qrels = list(qrels) if isinstance(qrels, Iterator) else qrels
        self._qrels = _read(qrels, "relevance")
        self._of_aspects = _of_aspects(qrels)

    def iter_calc(self, run: Any) -> Iterator[Metric]:
        """The value of each measure for each query, query by query."""
        results = _read(run, "score")
        groups: dict[tuple[bool, tuple[tuple[str, str], ...]], dict[Measure, str | Page]] = {}
        for measure in self.measures:
            name, choices = _translated(measure)
            of_aspects = measure.NAME in OF_ASPECTS
            groups.setdefault((of_aspects, tuple(choices.items())), {})[measure] = name
        found = {
            measure: values
            for (of_aspects, chosen), names in groups.items()
            for measure, values in _values(
                names, dict(chosen), self._qrels, results, self._of_aspects if of_aspects else self._qrels
            )
        }
        for query in dict.fromkeys(query for values in found.values() for query in values):
            for measure in self.measures:
                if query in found.get(measure, ()):
                    yield Metric(query, measure, found[measure][query])

    def calc_aggregate(self, run: Any) -> dict[Measure, float]:
        """The value of each measure over all queries."""
        return self.calc(run).aggregated  # type: ignore[no-any-return]  # of several measures a dict

    def calc(self, run: Any) -> CalcResults:
        """The value of each measure over all queries, and for each."""
        each = list(self.iter_calc(run))
        of_measure: dict[Measure, list[float]] = {measure: [] for measure in self.measures}
        for metric in each:
            of_measure[metric.measure].append(metric.value)
        return CalcResults({m: _aggregated(m, values) for m, values in of_measure.items()}, each)


def evaluator(measures: Iterable[Measure], qrels: Any) -> Evaluator:
    """An `Evaluator`."""
    return Evaluator(measures, qrels)


calc_ctxt = evaluator


def iter_calc(measures: Iterable[Measure], qrels: Any, run: Any) -> Iterator[Metric]:
    """The value of each measure for each query; arguments as of `calc_aggregate`."""
    return Evaluator(measures, qrels).iter_calc(run)


def calc(measures: Iterable[Measure], qrels: Any, run: Any) -> CalcResults:
    """The value of each measure over all queries, and for each; arguments as of `calc_aggregate`."""
    return Evaluator(measures, qrels).calc(run)


def calc_aggregate(measures: Iterable[Measure], qrels: Any, run: Any) -> dict[Measure, float]:
    """The value of each measure over all queries.

    Args:
        measures: measures, or their texts.
        qrels: judgements: `Qrel` tuples, ``{query: {item: grade}}``, a table with the columns ``query_id``,
            ``doc_id`` and ``relevance``, or whatever `rankmark.evaluate` takes, such as a path.
        run: results: `ScoredDoc` tuples, ``{query: {item: score}}``, a table with ``query_id``, ``doc_id``
            and ``score``, or whatever `rankmark.evaluate` takes.

    Raises:
        ValueError: a measure, a parameter or data that cannot be used.

    Example:
        >>> from rankmark.compat import ir_measures
        >>> from rankmark.compat.ir_measures import AP, nDCG
        >>> qrels, run = {"q": {"a": 2, "b": 1}}, {"q": {"a": 1.0}}
        >>> found = ir_measures.calc_aggregate([AP(rel=2), nDCG @ 10], qrels, run)
        >>> {measure: round(value, 4) for measure, value in found.items()}
        {AP(rel=2): 1.0, nDCG@10: 0.7602}

    """
    return Evaluator(measures, qrels).calc_aggregate(run)


def _measure(asked: Measure | str) -> Measure:
    if isinstance(asked, Measure):
        return asked
    if isinstance(asked, str):
        return parse_measure(asked)
    raise CallError(f"{asked!r} is no measure of rankmark.compat.ir_measures; write nDCG@10, or its text")


def _read(source: Any, value: str) -> Input | None:
    """Judgements or results; None of which there are none."""
    if not isinstance(source, dict | str | Path | Input) and not hasattr(source, "columns"):
        rows = list(source)
        if rows and not all(hasattr(row, "query_id") and hasattr(row, value) for row in rows):
            raise DataError(f"a row has no query_id, doc_id and {value}: {rows[0]!r}")
        lists: dict[str, dict[str, Any]] = {}
        for row in rows:
            lists.setdefault(row.query_id, {})[row.doc_id] = getattr(row, value)
        source = lists
    if isinstance(source, dict) and not any(map(len, source.values())):
        return None
    return read_qrels(source) if value == "relevance" else read_run(source)


def _of_aspects(qrels: Any) -> Any:
    """Judgements with their iteration, which is the aspect; all of one where they have none."""
    if not isinstance(qrels, dict):
        return qrels
    return {query: {item: {"0": grade} for item, grade in grades.items()} for query, grades in qrels.items()}


def _values(
    names: Mapping[Measure, str | Page],
    choices: Mapping[str, Any],
    qrels: Input | None,
    run: Input | None,
    given: Any,
) -> Iterator[tuple[Measure, dict[str, float]]]:
    """The value of each measure for each query, by the judgements as they are `given` to it."""
    if qrels is None:
        return
    judged = _queries(qrels)
    if run is None or judged.keys().isdisjoint(_queries(run)):
        yield from ((measure, judged) for measure in names)
        return
    how: dict[str, Any] = {**choices, "missing": "skip"}
    result = evaluate(given, run, list(names.values()), **how)
    queries = [str(query) for query in result.query_ids]
    for measure, found in zip(names, result.measures, strict=True):
        # Whatever is measured, a query without results has 0.
        values = np.nan_to_num(result.query_values(found), nan=0.0).tolist()
        yield measure, dict(zip(queries, values, strict=True))


def _queries(table: Input) -> dict[str, float]:
    """The queries of a table, each with 0."""
    import polars as pl

    found = pl.DataFrame(table.table)[table.query].unique(maintain_order=True)
    return dict.fromkeys(map(str, found.to_list()), 0.0)


def _aggregated(measure: Measure, values: list[float]) -> float:
    if measure.NAME in _SUMS:
        return sum(values)
    # Added one after another, as there.
    return float(np.cumsum(values)[-1]) / len(values) if values else math.nan


def _translated(measure: Measure) -> tuple[str | Page, Mapping[str, str]]:
    """What a measure is called here, and what it is evaluated with.

    Raises:
        MeasureError: parameters that rankmark has not.

    """
    known = _KNOWN[measure.NAME]
    given = {n: v for n, v in measure.params.items() if v != known.parameters.get(n) and v is not None}
    if "gains" in given:
        ignored = {"unjudged": "ignore"} if given.get("judged_only") else {}
        return _with_gains(given), {"like": "ir_measures", **ignored}
    return written_here(measure.NAME, given, lambda rest: repr(Measure(measure.NAME, rest)))


def _with_gains(given: Mapping[str, Any]) -> Page:
    """The page of nDCG with gains of its own; a grade that is not named gains what it is."""
    gains = given["gains"]
    if not isinstance(gains, Mapping):
        raise MeasureError(f"gains={gains!r} is no dict {{grade: gain}}")
    if given.get("dcg") == "exp-log2":
        raise MeasureError("nDCG takes gains or dcg='exp-log2', and not both")
    gain = {"gain": lambda grade: max(gains.get(grade, grade), 0)}
    return Page("nDCG", gain, given.get("cutoff"))


# --- Texts -------------------------------------------------------------------------------------------------


def parse_measure(measure: str | Measure) -> Measure:
    """The measure that a text such as ``nDCG@10`` or ``AP(rel=2)`` means.

    Raises:
        NameError: there is none of that name.
        ValueError: what is no such text.

    """
    if isinstance(measure, Measure):
        return measure
    try:
        node: Any = ast.parse(measure.strip(), mode="eval").body
    except SyntaxError as error:
        raise MeasureError(
            f"{measure!r} is no measure; it is written Name(parameter=value)@cutoff"
        ) from error
    at, given = None, {}
    try:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            at, node = ast.literal_eval(node.right), node.left
        if isinstance(node, ast.Call) and not node.args:
            given = {str(each.arg): ast.literal_eval(each.value) for each in node.keywords}
            node = node.func
    except ValueError as error:
        raise MeasureError(f"{measure!r}: values are numbers, texts and dicts") from error
    if not isinstance(node, ast.Name):
        raise MeasureError(f"{measure!r} is no measure; it is written Name(parameter=value)@cutoff")
    if node.id in NOT_HERE:
        raise NotHereError(f"rankmark.compat.ir_measures has no {node.id}: {NOT_HERE[node.id]}")
    if node.id not in registry:
        raise NameError(f"no measure {node.id!r} of ir_measures{did_you_mean(node.id, registry)}")
    made = registry[node.id](**given)
    return made if at is None else made @ at


_TREC = {
    "ndcg": "nDCG",
    "P": "P",
    "map_cut": "AP",
    "set_map": "SetAP",
    "set_P": "SetP",
    "infAP": "infAP",
    "bpref": "Bpref",
    "num_rel_ret": "NumRelRet",
    "recip_rank": "RR",
    "recall": "R",
    "set_recall": "SetR",
    "set_relative_P": "SetRelP",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "ndcg_cut": "nDCG",
    "Rprec": "Rprec",
    "num_q": "NumQ",
    "map": "AP",
    "success": "Success",
    "set_F": "SetF",
    "iprec_at_recall": "IPrec",
}
"""What trec_eval's measures are called there."""


def parse_trec_measure(measure: str) -> list[Measure]:
    """The measures that a name of trec_eval's means: ``ndcg_cut_10``, ``P.5,10``, ``map``.

    Raises:
        ValueError: it has no such name, or it is none of ir_measures'.

    """
    found = split_name(measure)
    if found is None or found[0].name not in _TREC:
        raise MeasureError(f"{measure!r} of trec_eval is no measure of ir_measures")
    known, text = found
    base = registry[_TREC[known.name]]
    if known.each:
        values = text.split(",") if text else known.defaults
        return [base @ (int(value) if known.each == "cutoff" else float(value)) for value in values]
    if known.name == "set_F":
        return [base(beta=float(value)) for value in (text.split(",") if text else [1.0])]
    if text:
        raise MeasureError(f"{measure!r}: {known.name} takes no parameter")
    return [base]


convert_trec_name = parse_trec_measure


def read_trec_qrels(file: str | IO[str]) -> Iterator[Qrel]:
    """The judgements in TREC qrels: a path, also of gzip, an open file, or the text itself."""
    for parts in _fields(file, 4):
        yield Qrel(parts[0], parts[2], int(parts[3]), parts[1])


def read_trec_run(file: str | IO[str]) -> Iterator[ScoredDoc]:
    """The results in a TREC run: a path, also of gzip, an open file, or the text itself."""
    for parts in _fields(file, 6):
        yield ScoredDoc(parts[0], parts[2], float(parts[4]))


parse_trec_qrels = read_trec_qrels
parse_trec_run = read_trec_run


def _fields(file: str | IO[str], count: int) -> Iterator[list[str]]:
    if isinstance(file, str):
        if "\n" in file:
            yield from _fields(io.StringIO(file), count)
            return
        with gzip.open(file, "rt") if file.endswith(".gz") else Path(file).open() as opened:
            yield from _fields(opened, count)
        return
    if not hasattr(file, "read"):
        raise UsageError(f"{file!r} is neither a path, nor an open file, nor text of several lines")
    for place, line in enumerate(file, start=1):
        parts = line.split()
        if parts and len(parts) != count:
            raise DataError(f"line {place}: {line.strip()!r} has {len(parts)} fields, and not {count}")
        if parts:
            yield parts
