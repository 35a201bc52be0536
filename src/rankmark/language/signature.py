"""Signatures: all that decides a value, on one line to be quoted beside it, and read back.

::

    nDCG@10|gain:exp2|discount:log2|ideal:judged|ties:item-desc|…|item_ids:text|rankmark:0.1.0     full
    nDCG(gain=exp2)@10|rankmark:0.1.0                                                              short

Fields stand between bars, in this order:

- the measure. In the full form its parameters follow, a field each; in the short form it is written as
  everywhere, with those that are not the page's defaults;
- ``like:NAME-VERSION``, the convention of another tool, where one was asked for;
- the choices; in the short form those that are not the standard;
- ``item_ids:integer`` or ``item_ids:text``: integers break ties as numbers, text does so byte by byte. The
  short form says it of integers, where ties depend on it, and needs not say it where a convention takes all
  ids as text;
- ``positive:LABEL`` where lists are of predictions whose labels are words, ``classes:3`` where they are the
  classes of a row;
- ``weights:COLUMN`` where queries weigh what that column says;
- ``k:100`` where lists of arrays were ended after so many items and the measure looks further;
- ``rankmark:VERSION``.

That of a measure of predictions has neither conventions nor choices nor ids, but ``positive:LABEL``, the
label of positive rows if the measure takes binary ones, and ``weights:COLUMN`` or ``weights:none``::

    LogLoss|clip:1e-15|unit:nats|positive:1|weights:none|rankmark:0.1.0                                full
    LogLoss|rankmark:0.1.0                                                                            short

That of a measure of a user's own says after the measure where that is from, ``own:module:function``, and
``source:``, by which its source text is told from others, or ``unknown``: that is not reproducible elsewhere.

What a signature does not say is as by default, so that one reader reads both forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, fields, replace
from typing import Any, Literal, TypeAlias, get_args
from urllib.parse import quote, unquote

from rankmark._native import __version__
from rankmark.dataclassing import dataclass
from rankmark.errors import MeasureError, SignatureError, did_you_mean
from rankmark.language.choices import ORDERS, Choices
from rankmark.language.conventions.convention import conventions, takes_text_items
from rankmark.language.measure import Measure
from rankmark.language.names import parse
from rankmark.language.parameters import parse_value
from rankmark.language.registry import page_written, referred
from rankmark.rendering.words import brief

__all__ = ["DEFAULTS_OF_ROWS", "ItemIds", "Recipe", "read_signature"]

ItemIds: TypeAlias = Literal["integer", "text"]
"""The type of the items' ids, which orders equal scores."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A measure and all that decides its value but the tables.

    Attributes:
        measure: the measure with its parameters.
        choices: how ties, duplicates, missing queries … are decided.
        item_ids: the type of the items' ids; None for whichever the tables have.
        convention: the convention that the choices are of, ``NAME-VERSION``; None for none.
        k: where lists of arrays are ended; None for nowhere.
        positive: the label of positive rows, of predictions.
        weights: the column of the rows' weights, of lists that of the queries'; None for none.
        classes: of predictions of classes, how many there are; None for whatever the table has.
        version: the version of rankmark that computed the value.

    """

    measure: Measure
    choices: Choices = field(default_factory=Choices)
    item_ids: ItemIds | None = None
    convention: str | None = None
    k: int | None = None
    positive: str = "1"
    weights: str | None = None
    classes: int | None = None
    version: str = __version__

    def signature(self, *, short: bool = False) -> str:
        """The signature: everything, or in the short form what is not the standard."""
        return "|".join(self._short() if short else self._full())

    @property
    def of_lists(self) -> bool:
        """Whether the measure is one of lists, judged or recommended."""
        return self.measure.page.kind in OF_LISTS

    def _full(self) -> Iterator[str]:
        yield from map(_escaped, self.measure.signature())
        yield from self._like()
        if self.of_lists:
            yield from self.choices.signature()
            if self.item_ids:
                yield f"item_ids:{self.item_ids}"
            yield from self._beside()
        else:
            yield from self._rows().values()
        yield f"rankmark:{self.version}"

    def _short(self) -> Iterator[str]:
        yield _escaped(str(self.measure))
        yield from map(_escaped, self.measure.origin())
        yield from self._like()
        if self.of_lists:
            standard = Choices().signature()
            yield from (part for part in self.choices.signature() if part not in standard)
            if self.item_ids == "integer" and ORDERS[self.choices.ties].by_ids:
                yield "item_ids:integer"
            yield from self._beside()
        else:
            yield from (
                part for name, part in self._rows().items() if getattr(self, name) != DEFAULTS_OF_ROWS[name]
            )
        yield f"rankmark:{self.version}"

    def _rows(self) -> dict[str, str]:
        """What decides the value of a measure of predictions, each part by its name."""
        said = {"weights": self._weights}
        if self.measure.page.labels == "binary":
            said = {"positive": _escaped(self.positive), **said}
        if self.classes is not None:
            said = {"classes": str(self.classes), **said}
        return {name: f"{name}:{value}" for name, value in said.items()}

    @property
    def _weights(self) -> str:
        """The column of weights as it is written, which may be called as none is."""
        if self.weights is None:
            return NO_WEIGHTS
        return "%6Eone" if self.weights == NO_WEIGHTS else _escaped(self.weights)

    def _beside(self) -> Iterator[str]:
        """What decides the value of a measure of lists that are no tables of judgements and results."""
        if self.positive != DEFAULTS_OF_ROWS["positive"]:
            yield f"positive:{_escaped(self.positive)}"
        if self.classes is not None:
            yield f"classes:{self.classes}"
        if self.weights is not None:
            yield f"weights:{self._weights}"
        if self.is_cut:
            yield f"k:{self.k}"

    @property
    def is_cut(self) -> bool:
        """Whether the measure looks beyond where lists are ended: some do so whatever their cutoff."""
        measure = self.measure
        whole = measure.order == "list" or measure.arguments.get("ideal") == "retrieved"
        return self.k is not None and (whole or measure.cutoff is None or measure.cutoff > self.k)

    def _like(self) -> Iterator[str]:
        if self.convention:
            yield f"like:{self.convention}"

    def __str__(self) -> str:
        return self.signature()


OF_LISTS = ("list", "item")
"""The kinds of measures whose values depend on the order of lists, and so on the choices."""
NO_WEIGHTS = "none"
DEFAULTS_OF_ROWS: Mapping[str, Any] = {"classes": None, "positive": "1", "weights": None}
"""What decides the value of a measure of predictions, where nothing is said."""


def _escaped(name: str) -> str:
    """A label or a column's name on one line and without what divides a signature, as in a URL."""
    return "".join(char if char.isprintable() and char not in "%|" else quote(char) for char in name)


def read_signature(text: str) -> Recipe:
    """What a signature describes, in its full or its short form.

    Raises:
        SignatureError: it is no signature, is of a later version, has a field that there is not, or is of a
            measure with a function for a parameter: what that computes no signature says.
        ChoiceError: a choice with a value that there is not.

    """
    if not isinstance(text, str):
        raise SignatureError(f"{text!r} is not a signature, which is text")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise SignatureError(f"{brief(text)} is not a signature: it has half of a character in it")
    written, *parts = text.strip().split("|")
    values = _values(parts)
    version = values.pop("rankmark", None)
    _check_version(text, version)
    if "like" in values:
        _check_tool(values["like"], version)
    if "judge" in values:
        raise SignatureError(
            f"the signature of {written} is of labels of people and of a judge, which rm.evaluate_with_judge "
            "puts together; that of either alone has no judge:… and nothing that follows it"
        )
    if values.get("labels") == "uncertain":
        raise SignatureError(
            f"the signature of {written} is of uncertain labels, by which rm.evaluate_expected computes it; "
            "that of the measure has no labels:… and nothing that follows it"
        )
    said = unquote(values.pop("own", "")), values.pop("source", "")
    _check_origin(said)
    measure = _measure(written, values)
    _check_source(measure, said)
    if measure.page.kind not in OF_LISTS:
        recipe = Recipe(measure, convention=values.pop("like", None), **_rows(values, measure))
        _refuse_unknown(values, measure, ["like", *_rows_of(measure)])
        return recipe
    like = values.pop("like", None)
    recipe = Recipe(
        measure,
        _choices(values),
        _item_ids(values) or ("text" if like and takes_text_items(like) else None),
        like,
        k=_whole_number(values, "k"),
        classes=_whole_number(values, "classes"),
    )
    if "positive" in values:
        recipe = replace(recipe, positive=unquote(values.pop("positive")))
    if values.get("weights") == NO_WEIGHTS:
        del values["weights"]
    if "weights" in values:
        recipe = replace(recipe, weights=unquote(values.pop("weights")))
    choices = [f.name for f in fields(Choices) if f.name != "seed"]
    _refuse_unknown(values, measure, ["like", *choices, "item_ids", "positive", "classes", "weights", "k"])
    return recipe


def _check_origin(said: tuple[str, str]) -> None:
    """Refuses a user's own measure whose module was not imported, which no text does."""
    reference, source = said
    if reference and referred(reference) is None:
        module = reference.partition(":")[0]
        raise SignatureError(
            f"the signature is of a measure of somebody's own, {reference} (source {source}): "
            f"import {module} first"
        )


def _check_source(measure: Measure, said: tuple[str, str]) -> None:
    """Refuses a user's own measure that is not the one of the signature."""
    reference, source = said
    origin = measure.page.origin
    if (origin is not None) != bool(reference):
        what = "says nothing of where it is from" if origin else f"says that it is {reference}"
        raise SignatureError(f"the signature of {measure.name} {what}")
    if origin is not None and (origin != referred_origin(reference) or origin.source != source):
        raise SignatureError(
            f"the signature is of {reference} with the source {source}, and here that of {measure.name} is "
            f"{origin.source}: its value may be another"
        )


def referred_origin(reference: str) -> Any:
    """Where the measure is from that ``module:function`` leads to."""
    known = referred(reference)
    return known and known.origin


def _check_tool(like: str, version: str | None) -> None:
    """Refuses a tool of which no rankmark, or not the one that wrote the signature, has a convention."""
    labels = {record.label: record.tool for record in conventions().values()}
    if like in labels or (version != __version__ and like.rpartition("-")[0] in labels.values()):
        return
    raise SignatureError(
        f"like:{like} names no convention{did_you_mean(like, labels)} (`rankmark convention` lists them)"
    )


def _values(parts: Iterable[str]) -> dict[str, str]:
    """Each field's value by its name."""
    values: dict[str, str] = {}
    for part in parts:
        name, colon, value = part.partition(":")
        if not colon or not value:
            raise SignatureError(f"the field {part!r} of the signature is not written name:value")
        if name in values:
            raise SignatureError(f"the signature says {name} twice")
        values[name] = value
    return values


def _check_version(text: str, written: str | None) -> None:
    if written is None:
        raise SignatureError(
            f"{text!r} is not a signature: it does not end with the version, |rankmark:{__version__}"
        )
    if _numbers(written) > _numbers(__version__):
        raise SignatureError(
            f"the signature is of rankmark {written}, and this is {__version__}, which cannot know what it "
            f"means: update rankmark to {written}"
        )


def _numbers(written: str) -> tuple[int, ...]:
    """The numbers of a version, of which ``rc1``, ``.dev2`` or ``+local`` may follow."""
    version = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})*)(?:[.+-]?[a-z][a-z\d.+-]*)?", written, re.ASCII)
    if not version:
        raise SignatureError(f"rankmark:{written} in the signature is not a version, such as {__version__}")
    return tuple(map(int, version[1].split(".")))


def _measure(written: str, values: dict[str, str]) -> Measure:
    """The measure, with the parameters that are taken out of `values`."""
    try:
        measure = parse(unquote(written))
        own = [name for name in measure.page.accepted if name in values]
        given = {name: parse_value(unquote(values.pop(name))) for name in own}
        if twice := [name for name in measure.parameters if name in given]:
            raise MeasureError(f"{measure.name}: {twice[0]} is given twice")
        return measure(**given)
    except MeasureError as error:
        raise SignatureError(f"the signature has no measure to evaluate: {error}{_hint(written)}") from error


def _hint(written: str) -> str:
    """A word on functions, if the measure takes them."""
    known = page_written(re.split(r"[(@]", written)[0].strip())
    takers = [p.name for p in known.parameters.values() if p.takes_functions] if known else []
    return f"; if {takers[0]} was a function, no signature says what it computes" if takers else ""


def _choices(values: dict[str, str]) -> Choices:
    """The choices, which are taken out of `values`."""
    said: dict[str, Any] = {f.name: values.pop(f.name) for f in fields(Choices) if f.name in values}
    if drawn := re.fullmatch(r"random\(seed=(\d{1,20})\)", said.get("ties", ""), re.ASCII):
        said |= {"ties": "random", "seed": int(drawn[1])}
    elif "seed" in said:
        raise SignatureError("the seed is written with the ties, as in ties:random(seed=7)")
    return replace(Choices(), **said)


def _item_ids(values: dict[str, str]) -> ItemIds | None:
    said: Any = values.pop("item_ids", None)
    if said is not None and said not in get_args(ItemIds):
        raise SignatureError(f"item_ids:{said} in the signature is neither integer nor text")
    return said  # type: ignore[no-any-return]


def _rows(values: dict[str, str], measure: Measure) -> dict[str, Any]:
    """What decides the value of a measure of predictions, which is taken out of `values`."""
    if values.get("weights") == NO_WEIGHTS:
        del values["weights"]
    own = [name for name in _rows_of(measure) if name in values]
    said: dict[str, Any] = {name: unquote(values.pop(name)) for name in own}
    if "classes" in said:
        said["classes"] = _whole_number(said, "classes")
    return said


def _whole_number(values: dict[str, str], name: str) -> int | None:
    """A field that is a whole number from 1, taken out of `values`."""
    said = values.pop(name, None)
    if said is not None and not re.fullmatch("[1-9][0-9]{0,9}", said, re.ASCII):
        raise SignatureError(f"{name}:{said} in the signature is not a whole number from 1")
    return None if said is None else int(said)


def _rows_of(measure: Measure) -> list[str]:
    """The fields that a signature of a measure of predictions can have."""
    lacking = {"binary": "classes", "numbers": "positive"}.get(measure.page.labels)
    classes = {"classes"} if measure.page.kind != "class" else {"positive"}
    return [name for name in DEFAULTS_OF_ROWS if name != lacking and name not in classes]


def _refuse_unknown(values: Mapping[str, str], measure: Measure, others: Iterable[str]) -> None:
    for name in values:
        known = [*measure.page.accepted, *others, "rankmark"]
        raise SignatureError(
            f"a signature of {measure.name} has no field {name!r}{did_you_mean(name, known)} "
            f"(it can have: {', '.join(known)})"
        )
