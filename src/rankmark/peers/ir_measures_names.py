"""How a measure of ir_measures is written here, and with which choices it has ir_measures' numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rankmark.errors import MeasureError
from rankmark.language.conventions.convention import convention
from rankmark.language.grammar import write

__all__ = ["OF_ASPECTS", "written_here"]

CWL = ("BPM", "INSQ", "INST", "NERR8", "NERR9", "NERR10", "NERR11", "RBP", "SDCG")
"""The measures that ir_measures has of C/W/L's program, which keeps the order of rows with equal scores."""
OF_ASPECTS = frozenset(
    ("ERR_IA", "nERR_IA", "alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP", "AP_IA", "P_IA", "StRecall")
)
"""Those that look at the iteration of judgements, which is the aspect."""


def written_here(
    name: str, given: Mapping[str, Any], write_there: Callable[[Mapping[str, Any]], str]
) -> tuple[str, Mapping[str, str]]:
    """The text of a measure here, and the choices to evaluate it with.

    Args:
        name: what ir_measures calls it.
        given: its parameters that are not the defaults there, the cutoff among them.
        write_there: writes the measure with some parameters as ir_measures does.

    Raises:
        MeasureError: rankmark has no such measure, or not with these parameters.

    """
    rest = dict(given)
    if name in CWL:
        return _of_cwl(name, rest, write_there(given)), {"ties": "input"}
    if name == "Judged" and not rest:  # without a cutoff equal scores are no matter
        return name, {}
    choices = {"like": "ir_measures"} | ({"unjudged": "ignore"} if rest.pop("judged_only", False) else {})
    text = write_there(rest)
    if not convention("ir_measures").has(text):
        raise MeasureError(f"rankmark has no {write_there(given)} of ir_measures")
    return text, choices


def _of_cwl(name: str, rest: dict[str, Any], there: str) -> str:
    cutoff = rest.pop("cutoff", None)
    if name == "RBP":
        if cutoff is not None or "rel" not in rest:
            raise MeasureError(f"{there}: RBP is had with rel and without a cutoff here, RBP(rel=1)")
    elif rest.keys() & {"min_rel", "dcg"}:
        raise MeasureError(f"{there}: rankmark has it with min_rel=0 only")
    else:
        rest |= {"gain": "linear", "max_grade": rest.pop("max_rel")}
    return write(name, rest, cutoff)
