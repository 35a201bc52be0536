"""What trec_eval calls the measures, and how it writes their parameters, as texts.

`TREC_MEASURES` is in the order in which trec_eval 10.0 prints them. A name stands alone (``map``), or a
parameter follows it after a dot, and after an underscore in what is printed (``P.5``, ``P_5``). Some names
mean a family, of which each parameter is a measure: ``P`` is ``P_5`` to ``P_1000``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError
from rankmark.language.grammar import Written, read

__all__ = ["TREC_MEASURES", "TrecMeasure", "numbers", "split_name"]

Reader: TypeAlias = Callable[[str], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class TrecMeasure:
    """A measure of trec_eval.

    Attributes:
        name: its name.
        measure: what it is here while no parameter is given; empty for a line that is no measure.
        each: of a family, the parameter that tells its measures apart.
        defaults: of a family, the parameters that it has if none is given.
        read: of any other measure, what a parameter after the name says.

    """

    name: str
    measure: str = ""
    each: Literal["", "cutoff", "recall", "multiple"] = ""
    defaults: tuple[float, ...] = ()
    read: Reader | None = None

    @property
    def base(self) -> Written:
        """The measure without its parameter."""
        return read(self.measure)

    @property
    def reads_digits(self) -> bool:
        """Whether what follows the name may be a whole number and no cutoff."""
        return self.read not in (None, _gain)

    def member(self, value: float) -> Written:
        """The measure of a family with this parameter."""
        if self.each == "cutoff":
            return self.base._replace(cutoff=value)  # type: ignore[arg-type]  # the measure refuses fractions
        return self.base.with_parameters(**{self.each: value})

    def member_name(self, value: float) -> str:
        """What the measure of a family with this parameter is called: ``P_5``, ``iprec_at_recall_0.10``."""
        return f"{self.name}_{value}" if self.each == "cutoff" else f"{self.name}_{value:.2f}"

    def with_parameter(self, text: str) -> Written:
        """The measure with the parameter that trec_eval writes as `text`.

        Raises:
            MeasureError: it takes none, or not this one.

        """
        if self.read is None:
            raise MeasureError(f"{self.name} takes no parameter, but {text!r} was given")
        return self.base.with_parameters(**self.read(text))


def split_name(text: str) -> tuple[TrecMeasure, str] | None:
    """The measure whose name `text` is or begins with, and the parameter after it, empty if there is none.

    None if trec_eval has no such measure.
    """
    for known in _LONGEST_FIRST:
        if text.startswith(known.name):
            rest = text.removeprefix(known.name)
            if not rest or re.match(r"[._](p=)?[-+.\d]", rest):
                return known, rest[1:]
    return None


def numbers(name: str, text: str) -> list[float]:
    """The numbers in `text`, between commas; whole ones as integers."""
    return [_number(name, part) for part in text.split(",")]


def _number(name: str, text: str) -> float:
    try:
        value = math.nan if "_" in text else float(text)  # which Python takes for a digit separator
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise MeasureError(f"{name}: {text!r} is not a number")
    return int(value) if value.is_integer() else value


def _recall(text: str) -> Mapping[str, Any]:
    return {"recall": numbers("11pt_avg", text)}


def _worths(text: str) -> Mapping[str, Any]:
    worths = numbers("utility", text)
    if len(worths) != 4:
        raise MeasureError(f"utility.{text}: utility takes four numbers, such as utility.1,-1,0,0")
    return dict(zip(("relevant", "nonrelevant", "missed", "rejected"), worths, strict=True))


def _gain(text: str) -> Mapping[str, Any]:
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(equals for _, equals, _ in pairs):
        raise MeasureError(f"{text!r} gives no gains for grades, such as 1=3.5,2=9")
    return {"gain": {_number("grade", grade): _number("gain", gain) for grade, _, gain in pairs}}


def _beta(text: str) -> Mapping[str, Any]:
    squared = _number("set_F", text)
    return {"beta": math.sqrt(squared) if squared > 0 else squared}


def _patience(text: str) -> Mapping[str, Any]:
    if not text.startswith("p="):
        raise MeasureError(f"{text!r} is not how trec_eval writes the patience of rbp: write rbp.p={text}")
    return {"p": _number("rbp", text.removeprefix("p="))}


LENGTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
RECALLS = tuple(step / 10 for step in range(11))
MULTIPLES = tuple(step / 5 for step in range(1, 11))

TREC_MEASURES = (
    TrecMeasure("runid"),
    TrecMeasure("num_q", "NumQ"),
    TrecMeasure("num_ret", "NumRet"),
    TrecMeasure("num_rel", "NumRel"),
    TrecMeasure("num_rel_ret", "NumRelRet"),
    TrecMeasure("map", "AP"),
    TrecMeasure("gm_map", "AP(mean=geometric)"),
    TrecMeasure("Rprec", "Rprec"),
    TrecMeasure("bpref", "Bpref"),
    TrecMeasure("recip_rank", "RR"),
    TrecMeasure("iprec_at_recall", "IPrec", "recall", RECALLS),
    TrecMeasure("P", "P", "cutoff", LENGTHS),
    TrecMeasure("relstring"),
    TrecMeasure("recall", "R", "cutoff", LENGTHS),
    TrecMeasure("infAP", "infAP"),
    TrecMeasure("gm_bpref", "Bpref(mean=geometric)"),
    TrecMeasure("Rprec_mult", "Rprec", "multiple", MULTIPLES),
    TrecMeasure("utility", "Utility", read=_worths),
    TrecMeasure("11pt_avg", "IPrec", read=_recall),
    TrecMeasure("binG", "binG"),
    TrecMeasure("G", "G", read=_gain),
    TrecMeasure("ndcg", "nDCG", read=_gain),
    TrecMeasure("ndcg_rel", "nDCG_rel", read=_gain),
    TrecMeasure("Rndcg", "RnDCG", read=_gain),
    TrecMeasure("ndcg_cut", "nDCG", "cutoff", LENGTHS),
    TrecMeasure("map_cut", "AP", "cutoff", LENGTHS),
    TrecMeasure("relative_P", "P(denominator=min)", "cutoff", LENGTHS),
    TrecMeasure("success", "HR", "cutoff", (1, 5, 10)),
    TrecMeasure("set_P", "P"),
    TrecMeasure("set_relative_P", "P(denominator=min)"),
    TrecMeasure("set_recall", "R"),
    TrecMeasure("set_map", "SetAP"),
    TrecMeasure("set_F", "F", read=_beta),
    TrecMeasure("num_nonrel_judged_ret", "NumNonrelRet"),
    TrecMeasure("yaap", "YAAP"),
    TrecMeasure("rbp", "RBP(p=0.9,gain=linear,max_grade=query)", read=_patience),
    TrecMeasure("rbp_resid", "RBPResidual(p=0.9,tail=unjudged)", read=_patience),
    TrecMeasure("unj", "Unjudged", "cutoff", (5, 10, 20)),
)

_LONGEST_FIRST = sorted(TREC_MEASURES, key=lambda known: len(known.name), reverse=True)
