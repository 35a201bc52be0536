"""Which measure a text means: written as its page does, or as another tool does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from inspect import isfunction
from types import MappingProxyType
from typing import Any

from rankmark.errors import MeasureError
from rankmark.language.grammar import read
from rankmark.language.measure import Measure
from rankmark.language.registry import (
    LISTS_FIRST,
    Kind,
    is_known,
    meaning_of,
    page_written,
    remembered,
    spellings,
)

__all__ = ["as_measure", "parse", "written_as"]

_PLAIN = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9]*)(\([^()]*\))?(@[0-9]+)?")
_JOINED = r"(?P<name>.+?)(?P<sign>_at_|[_.])(?P<cutoff>[0-9]+)"


@remembered
def parse(text: str, kinds: tuple[Kind, ...] = LISTS_FIRST) -> Measure:
    """The measure written as `text`: ``nDCG@10``, ``AP(rel=2)@100``, or as other tools write it.

    Those are ``ndcg_cut_10`` (trec_eval), ``ndcg_at_10`` (MTEB) and ``map@10-l2`` (ranx: rel=2). A name
    that is not written as its page does is looked for in the `kinds` of measures in their order.

    Raises:
        MeasureError: no such measure, parameter or value, with what comes near; or a name that means several
            measures, with these.

    """
    if not isinstance(text, str):
        raise MeasureError(f"{text!r} is not the name of a measure")
    text = text.strip()
    plain = _PLAIN.fullmatch(text)
    if plain and page_written(plain["name"]):
        written = read(text)  # as most are, of which no other pages are needed
        return _named(written.name, kinds, written.parameters, written.cutoff)
    if text in spellings():
        return _named(text, kinds)
    joined = re.fullmatch(_JOINED, text)
    known = joined is not None and is_known(joined["name"], kinds)
    if joined and known and joined["sign"] == ".":
        _refuse_patience(joined["name"], joined["cutoff"], kinds)
    from rankmark.language.conventions.trec_names import trec_measure

    of_rows = kinds[0] != "list" and is_known(text, kinds[:1])
    if not of_rows and (trec := trec_measure(text)):
        return trec
    if joined and known:
        return _named(joined["name"], kinds, cutoff=int(joined["cutoff"]))
    if is_known(text, kinds):
        return _named(text, kinds)
    try:
        name, parameters, cutoff = read(text)
    except MeasureError as error:
        raise MeasureError(f"{error}{_as_parameter(text, kinds)}") from None
    return _named(name, kinds, parameters, cutoff)


_AT_A_FRACTION = r"(?P<name>[A-Za-z]\w*)(?:\((?P<given>[^()]*)\))?@(?P<value>0?\.[0-9]+)"


def _as_parameter(text: str, kinds: tuple[Kind, ...]) -> str:
    """How a fraction after the ``@`` is written, as ``"; …"``: recall and threshold are parameters."""
    found = re.fullmatch(_AT_A_FRACTION, text)
    if not found or not is_known(found["name"], kinds):
        return ""
    try:
        known = meaning_of(found["name"], kinds).page
    except MeasureError:  # several
        return ""
    parameter = next((name for name in ("recall", "threshold") if name in known.parameters), None)
    given = ",".join(filter(None, (found["given"], f"{parameter}={found['value']}")))
    return f"; its {parameter} is written {found['name']}({given})" if parameter else ""


def _named(
    name: str,
    kinds: tuple[Kind, ...],
    parameters: Mapping[str, Any] = MappingProxyType({}),
    cutoff: int | None = None,
) -> Measure:
    """The measure of a name, looked for in the kinds in their order."""
    meaning = meaning_of(name, kinds, cutoff=cutoff is not None)
    return Measure.of(meaning.page, {**meaning.parameters, **parameters}, cutoff)


def _refuse_patience(name: str, digits: str, kinds: tuple[Kind, ...]) -> None:
    """Refuses ``rbp.95``, which is p = 0.95 in ranx."""
    known = meaning_of(name, kinds).page
    if "p" in known.parameters:
        either = f"{known.name}(p=0.{digits}), or {known.name}@{digits}"
        raise MeasureError(f"{name}.{digits} can mean {either}; write the one that is meant")


def as_measure(measure: str | Measure, kinds: tuple[Kind, ...] = LISTS_FIRST) -> Measure:
    """The measure itself, that of a function, or the one that the text writes, which results then call it."""
    if isinstance(measure, Measure):
        return measure
    if isinstance(measure, str):
        return _asked(measure, kinds)
    if isfunction(measure):
        from rankmark.language.own import plain_measure  # which needs NumPy

        return plain_measure(measure)
    kind = type(measure).__name__
    raise MeasureError(f"{measure!r} of type {kind} is neither a measure nor its name, such as 'nDCG@10'")


@remembered
def _asked(text: str, kinds: tuple[Kind, ...]) -> Measure:
    return parse(text, kinds).asked_as(text.strip())


def written_as(name: str) -> str:
    """How a measure of this name is written in Python, if there is one, as ``"; …"`` for a message."""
    found: dict[str, None] = {}
    for kind in LISTS_FIRST:
        if is_known(name, (kind,)):
            try:
                meaning = meaning_of(name, (kind,))
            except MeasureError as several:
                return f"; {several}"
            found[f"rm.{meaning.page.written(meaning.parameters)}"] = None
    return f"; it is {' or '.join(found)}, or {name!r} as text where measures are asked for" if found else ""
