"""What trec_eval's -m asks for: measures and their parameters, read as it reads them.

It reads a number as far as it goes, so that ``P.1e1`` is P_1, and passes over what a measure does not take.
That is done here too, and noted. What has no number where one must be is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any

from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, RankmarkError, did_you_mean
from rankmark.language.conventions.trec_names import trec_name
from rankmark.language.conventions.trec_table import TREC_MEASURES, TrecMeasure
from rankmark.language.measure import Measure
from rankmark.language.names import parse

__all__ = [
    "FORMATS",
    "MEASURES",
    "NICKNAMES",
    "OF_GROUPS",
    "PREFERENCES",
    "Asked",
    "Line",
    "Plan",
    "TrecEvalError",
    "asked_for",
    "plan",
    "whole_number",
]

MEASURES = {known.name: known for known in TREC_MEASURES}
ALL_TREC = [name for name in MEASURES if name != "yaap"]
FORMATS = ("qrels", "prefs", "qrels_prefs", "qrels_jg")
"""The formats of judgements."""
PREFERENCES = {
    "prefs_num_prefs_poss": "Preferences, whether items are retrieved or not; for all queries their sum.",
    "prefs_num_prefs_ful": "Preferences for an item that stands above the other; for all queries their sum.",
    "prefs_num_prefs_ful_ret": "Those of two items that are both retrieved.",
    "prefs_simp": "The share of the preferences that are fulfilled.",
    "prefs_pair": "The mean of that share over pairs of items.",
    "prefs_avgjg": "The mean of that share over groups.",
    "prefs_avgjg_Rnonrel": "The same with as many items of grade 0 in each group as there are others.",
    "prefs_simp_ret": "prefs_simp of pairs that are both retrieved.",
    "prefs_pair_ret": "prefs_pair of pairs that are both retrieved.",
    "prefs_avgjg_ret": "prefs_avgjg of pairs that are both retrieved.",
    "prefs_avgjg_Rnonrel_ret": "prefs_avgjg_Rnonrel of pairs that are both retrieved.",
    "prefs_simp_imp": "prefs_simp of pairs of which one at least is retrieved.",
    "prefs_pair_imp": "prefs_pair of pairs of which one at least is retrieved.",
    "prefs_avgjg_imp": "prefs_avgjg of pairs of which one at least is retrieved.",
}
"""The measures of preferences, in trec_eval's order, and what they are.

An item that is not retrieved stands below all that are, and beside others that are not.
"""
COUNTS = {"prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"}
OF_GROUPS = {f"{name}_avgjg": name for name in ("map", "P", "Rprec_mult")}
"""The means over groups of judgements, and of which measures."""
MEASURES |= {name: replace(MEASURES[plain], name=name) for name, plain in OF_GROUPS.items()}
MEASURES |= {name: TrecMeasure(name) for name in PREFERENCES}
ALL_PREFS = list(PREFERENCES)
NICKNAMES = {
    "official": ALL_TREC[: ALL_TREC.index("P") + 1],
    "set": [
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility",
        "set_P", "set_relative_P", "set_recall", "set_map", "set_F",
    ],
    "all_trec": ALL_TREC,
    "prefs": ["runid", "num_q", *ALL_PREFS[:6]],
    "all_prefs": ["runid", "num_q", *ALL_PREFS],
    "qrels_jg": ["runid", "num_q", *OF_GROUPS],
}  # fmt: skip
"""Several measures under one name."""

NUMBERS: Mapping[str, tuple[float, ...]] = {
    "relstring": (10,),
    "utility": (1, -1, 0, 0),
    "set_F": (1,),
    "11pt_avg": tuple(step / 10 for step in range(11)),
}
"""The measures whose parameters are numbers, and what they are by default."""
WHOLE = re.compile(r"\s*[-+]?\d+")
DECIMAL = re.compile(r"\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
PARAMETER = re.compile(r"_(?=[\d.]+$)")
"""What stands before the parameter in the name of a line."""
GREATEST = 2**63 - 1

USAGE, UNUSABLE, NOT_COMPUTED = 1, 2, 4
"""How trec_eval ends: what was typed, what cannot be read or set up, and a query that cannot be evaluated."""


def whole_number(text: str) -> int:
    """A number without what follows its point, or the nearest that 64 bits hold, as C reads it."""
    number = float(text)
    if abs(number) >= GREATEST:
        return GREATEST if number > 0 else -GREATEST
    return int(Decimal(text)) if abs(number) >= 2**53 else int(number)


class TrecEvalError(RankmarkError):
    """What trec_eval ends with, too.

    Attributes:
        code: its exit code.

    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class Line:
    """One line of what is printed for a query, or for all.

    Attributes:
        name: what stands at its beginning.
        known: the measure of trec_eval.
        measure: what it is here; None where the line shows no number.
        asked: whether it has parameters of its own.
        numbers: of relstring how many items it shows, of interpolated precision the levels of recall, of
            Rprec_mult the multiple, of utility and set_F what it weighs with.

    """

    name: str
    known: TrecMeasure
    measure: Measure | None = None
    asked: bool = False
    numbers: tuple[float, ...] = ()

    @property
    def of_each_query(self) -> bool:
        """Whether it is printed for each query."""
        geometric = self.measure is not None and self.measure.mean == "geometric"
        return self.known.name not in ("runid", "num_q") and not geometric

    @property
    def of_all(self) -> bool:
        """Whether it is printed for all queries together."""
        return self.known.name != "relstring"

    @property
    def is_value(self) -> bool:
        """Whether it shows a value of a measure."""
        return self.measure is not None or self.known.name in PREFERENCES

    @property
    def adds_up(self) -> bool:
        """Whether what stands there for all queries is a sum, of counts."""
        if self.measure is None:
            return self.known.name in COUNTS
        return self.measure.page.aggregate == "sum"

    @property
    def formats(self) -> Sequence[str]:
        """The formats of judgements of which it can be computed."""
        if self.known.name in PREFERENCES:
            return ("prefs", "qrels_prefs")
        return ("qrels_jg",) if self.known.name in OF_GROUPS else ("qrels",)

    @property
    def needs_lists(self) -> bool:
        """Whether a query that cannot be evaluated matters to it."""
        return self.known.name not in ("runid", "num_q")


@dataclass(frozen=True, slots=True)
class Asked:
    """The measures asked for and their parameters, empty for one that has none, and notes on them."""

    parameters: Mapping[str, str]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is printed, in trec_eval's order, and what to know of how it was understood."""

    lines: list[Line]
    notes: list[str] = field(default_factory=list)

    def refuse_others(self, format_: str) -> None:
        """Refuses what is not computed of judgements of a format.

        Raises:
            TrecEvalError: a line that is not.

        """
        for line in self.lines:
            if line.needs_lists and format_ not in line.formats:
                raise TrecEvalError(
                    f"trec_eval's {line.known.name} needs judgements of -R {' or '.join(line.formats)}, "
                    f"not {format_}",
                    NOT_COMPUTED,
                )


def asked_for(texts: Sequence[str]) -> Asked:
    """The measures that follow trec_eval's -m, and their parameters, in any order.

    Args:
        texts: names with parameters, such as ``P.5,10``, and nicknames; the official measures if empty.

    Raises:
        TrecEvalError: a measure that there is not.

    """
    parameters: dict[str, str] = {}
    notes: list[str] = []
    for text in texts or ["official"]:
        names, parameter = _named(text)
        for name in names:
            if parameter and parameters.get(name):
                notes.append(f"-m {text} is not heard: trec_eval takes the first parameters of {name} only")
            parameters[name] = parameters.get(name) or parameter
    return Asked(parameters, notes)


def plan(asked: Asked) -> Plan:
    """The lines that trec_eval prints, in its order.

    Raises:
        TrecEvalError: a parameter that a measure does not take.

    """
    notes = list(asked.notes)
    lines = [
        line
        for name, known in MEASURES.items()
        if name in asked.parameters
        for line in _Reader(known, asked.parameters[name], notes).lines()
    ]
    return Plan(lines, notes)


def _named(text: str) -> tuple[Sequence[str], str]:
    """The measures that `text` means, and their parameters."""
    name, dot, parameter = text.partition(".")
    if dot and not parameter:
        raise TrecEvalError(f"-m {text!r} ends with a dot; parameters follow it, such as P.5,10", USAGE)
    if name in NICKNAMES:
        return NICKNAMES[name], ""
    if name in MEASURES:
        return [name], parameter
    raise TrecEvalError(f"no measure {text!r} of trec_eval{_meant(text)}", USAGE)


def _meant(text: str) -> str:
    """What somebody who writes `text` may have meant."""
    first, comma, others = text.partition(",")
    if comma and not re.fullmatch(r"[-+.\d,]+", others):
        return f"; each measure has a -m of its own: -m {' -m '.join(text.split(','))}"
    for written in (first, re.sub(r"(?<=[A-Za-z])(?=\d+$)", "@", first)):
        if (name := _called_there(written)) is not None:
            return f"; did you mean {name}{comma}{others}?"
    if text.startswith("rbp"):
        return "; its parameter is written rbp.p=0.8"
    longer = [name for name in (*NICKNAMES, *MEASURES) if name.startswith(text) and text]
    near = f"; did you mean {longer[0]!r}?" if longer else did_you_mean(text, [*MEASURES, *NICKNAMES])
    return f"{near} (`rankmark eval` has more measures)"


def _called_there(written: str) -> str | None:
    """How trec_eval writes the measure that has this name here; None if there is none."""
    try:
        name = trec_name(parse(written))
    except MeasureError:
        return None
    return None if name is None else re.sub(PARAMETER, ".", name)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads the parameters of a measure."""

    known: TrecMeasure
    text: str
    notes: list[str]

    def lines(self) -> list[Line]:
        """The lines that the measure prints."""
        known, text = self.known, self.text
        if known.each:
            return self._family()
        if known.name in NUMBERS:
            return [self._with_numbers(NUMBERS[known.name])]
        if not known.measure or not text:
            return [Line(known.name, known, Measure(*known.base) if known.measure else None)]
        if known.read is None:
            hint = f" ({known.name}_cut.{text} ends at a rank)" if f"{known.name}_cut" in MEASURES else ""
            self.notes.append(
                f"{known.name} takes no parameter; {text!r} is passed over, as trec_eval does{hint}"
            )
            return [Line(known.name, known, Measure(*known.base))]
        made = self._made(lambda: known.base.with_parameters(**self._parameters()))
        return [Line(f"{known.name}_{text}", known, made, asked=True)]

    def _with_numbers(self, defaults: tuple[float, ...]) -> Line:
        """The line of a measure whose parameters are numbers."""
        known, text = self.known, self.text
        measure = Measure(*known.base) if known.measure else None
        if not text:
            return Line(known.name, known, measure, numbers=defaults)
        if known.name == "relstring":
            number = self._decimal(text)
            # What no long holds, C makes the least of all on today's machines.
            numbers: tuple[float, ...] = (int(number) if abs(number) < 2**63 else -GREATEST,)
        elif known.name == "set_F":
            numbers = (self._decimal(text),)
            if numbers[0] < 0:
                raise self._refused("its parameter, β², is not below 0")
        else:
            numbers = tuple(map(self._decimal, text.split(",")))
        return Line(f"{known.name}_{text}", known, measure, asked=True, numbers=numbers)

    def _family(self) -> list[Line]:
        known = self.known
        one = self._whole if known.each == "cutoff" else self._decimal
        values = sorted(map(one, self.text.split(","))) if self.text else known.defaults
        for value, following in pairwise(values):
            if value == following:
                raise self._refused(f"{value:g} stands there twice")
        return [self._member(value) for value in values]

    def _member(self, value: float) -> Line:
        known = self.known
        # Of recall trec_eval takes levels beyond 1, too.
        written = known.base if known.each == "recall" else known.member(value)
        made = self._made(lambda: written)
        return Line(known.member_name(value), known, made, asked=bool(self.text), numbers=(value,))

    def _parameters(self) -> Mapping[str, Any]:
        """What the parameter of a measure that is no family says."""
        kind, parts = self.known.name, self.text.split(",")
        pairs = self._pairs(parts)
        if kind.startswith("rbp"):
            if set(pairs) - {"p"}:
                raise self._refused("its parameter is p, such as rbp.p=0.8")
            return {"p": self._decimal(pairs["p"])}
        gains = {self._grade(grade): self._decimal(gain) for grade, gain in pairs.items()}
        if min(gains.values()) < 0:
            raise self._refused("a gain is below 0, and what trec_eval makes of it is no share of the best")
        return {"gain": gains}

    def _pairs(self, parts: Sequence[str]) -> Mapping[str, str]:
        pairs = [part.partition("=") for part in parts]
        if not all(equals for _, equals, _ in pairs):
            name, cut = self.known.name, f"{self.known.name}_cut"
            example = f"{name}.p=0.8" if self._is_patience else f"{name}.1=3,2=9"
            hint = f"; {cut}.{self.text} ends at a rank" if cut in MEASURES else ""
            raise self._refused(f"it takes pairs, such as {example}{hint}")
        found = {name: value for name, _, value in pairs}
        if len(found) < len(pairs):
            raise self._refused("a name has two values")
        return found

    @property
    def _is_patience(self) -> bool:
        return self.known.name.startswith("rbp")

    def _grade(self, text: str) -> int:
        if not re.fullmatch(r"0|[1-9]\d*", text):
            raise self._refused(f"{text!r} is no grade from 0; trec_eval would pass over it, or misread it")
        return whole_number(text)

    def _whole(self, text: str) -> int:
        return whole_number(self._start_of(WHOLE, text, "a whole number"))

    def _decimal(self, text: str) -> float:
        return float(self._start_of(DECIMAL, text, "a number"))

    def _start_of(self, pattern: re.Pattern[str], text: str, what: str) -> str:
        found = pattern.match(text)
        if found is None:
            raise self._refused(f"{text!r} is not {what}")
        if found.end() < len(text):
            self.notes.append(
                f"{self.known.name}.{self.text}: {text!r} is read as {found[0]}, as trec_eval does"
            )
        return found[0]

    def _made(self, written: Callable[[], Any]) -> Measure:
        """The measure, if it takes these parameters."""
        try:
            return Measure(*written())
        except MeasureError as error:
            raise self._refused(str(error)) from error

    def _refused(self, why: str) -> TrecEvalError:
        return TrecEvalError(f"-m {self.known.name}.{self.text}: {why}", UNUSABLE)
