"""What the command line says, as the functions take it: measures, columns, names of runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark.errors import MeasureError, UsageError
from rankmark.rendering.files import is_file, is_there

if TYPE_CHECKING:
    from rankmark.inputs.catalogue import Catalogue
    from rankmark.language.registry import Kind

__all__ = [
    "by_system",
    "column_names",
    "items_known",
    "limits_in",
    "measure_in",
    "measures_in",
    "name_and_path",
    "named_paths",
    "one_path_each",
    "refuse_mistyped",
    "score_columns",
    "usual_measures",
]

COMPLETING = "_RANKMARK_COMPLETE"
"""The variable by which a shell asks what could stand in a line."""
MEASURE = ("-m", "--measure")
"""The option of measures."""
_OWN = re.compile(r"\s*([A-Za-z_][\w.]*:[A-Za-z_]\w*)(?=[\s(@]|$)")
"""What begins as a measure of a user's own is written."""


def measures_in(texts: Iterable[str]) -> list[str]:
    """The measures, each by itself, of texts with one or several; of ``module:function`` that is imported."""
    from rankmark.language.grammar import split_measures

    return [measure_in(measure) for text in texts for measure in split_measures(text)]


def measure_in(text: str) -> str:
    """A measure as it is written, whose module was imported if it is ``module:function``, a user's own."""
    if found := _OWN.match(text):
        from rankmark.language.own import imported

        imported(found[1])
    return text


def usual_measures(measures: list[str], like: Iterable[str], kind: Kind = "list") -> list[str]:
    """What is measured if nothing is asked for: of some measures those that a tool has, or all."""
    from rankmark.language.conventions.convention import convention
    from rankmark.language.registry import FIRST

    kinds = FIRST[kind]
    tools = [convention(name) for name in like]
    return [each for each in measures if any(tool.has(each, kinds) for tool in tools)] or measures


def refuse_mistyped(args: Sequence[str]) -> None:
    """Refuses measures where files stand, and what editors and shells make of dashes and quotes."""
    given = list(pairwise(["", *args]))
    for option, text in given:
        if text.startswith(("\N{EN DASH}", "\N{EM DASH}", "\N{MINUS SIGN}")):
            raise UsageError(f"{text!r} begins with a typeset dash; options begin with '-', such as -m")
        if option in MEASURE and text.startswith("'") and not text.endswith("'"):
            raise UsageError(f"{text}: this shell knows no single quotes; write double ones, as in Windows")
    if strays := [text for before, text in given if not before.startswith("-") and _is_measure(text)]:
        together = " ".join([text for option, text in given if option in MEASURE] + strays)
        raise UsageError(
            f'{strays[0]!r} is a measure where a file is wanted; put measures in quotes, -m "{together}"'
        )


def _is_measure(text: str) -> bool:
    """Whether a text is called as a measure is, and as no file."""
    from rankmark.language.names import parse

    try:
        return text[:1].isalpha() and not is_there(text) and bool(parse(text))
    except (MeasureError, OSError, ValueError):
        return False


def column_names(pairs: tuple[str, ...]) -> dict[str, str | None]:
    """Each role's column, of pairs written ROLE=NAME."""
    columns: dict[str, str | None] = {}
    for pair in pairs:
        role, equals, name = pair.partition("=")
        if not (role and equals):
            raise UsageError(f"--column {pair!r} is not ROLE=NAME, such as query=user_id")
        columns[role] = name or None
    return columns


def items_known(
    items: str | None, train: str | None, columns: Mapping[str, Any], *, closed: bool
) -> Catalogue | None:
    """What is known of items, read once for all runs; None where nothing is."""
    if items is None and not closed:
        raise UsageError("--open-catalogue is of --items, which are not given: leave it out")
    if items is None and train is None:
        return None
    from rankmark.inputs.catalogue import catalogue

    return catalogue(items, train=train, columns=columns, closed=closed)


def judged_in(qrels: str | None, aspect_weights: str | None, columns: Mapping[str, Any]) -> Any:
    """The judgements, if there are any: their path, or with the weights of aspects what was read of both."""
    if aspect_weights is None:
        return qrels
    if qrels is None:
        raise UsageError("--aspect-weights is of judgements, and none are evaluated: leave it out")
    from rankmark.inputs import read_qrels

    return read_qrels(qrels, columns, aspect_weights=aspect_weights)


def limits_in(texts: Iterable[str]) -> dict[str, float]:
    """Each measure's limit, of texts written MEASURE=VALUE."""
    limits: dict[str, float] = {}
    for text in texts:
        measure, _, value = text.rpartition("=")
        try:
            limit = float(value)
        except ValueError:
            measure = ""
        if not measure:
            raise UsageError(f"{text!r} is not MEASURE=VALUE, such as nDCG@10=.3")
        if measure in limits:
            raise UsageError(f"the limit of {measure} is said twice: {limits[measure]:g} and {value}")
        limits[measure_in(measure)] = limit
    return limits


def _own_names(paths: tuple[str, ...]) -> list[str]:
    """What to call runs: their files' names without endings, or as much of the paths as makes them unique."""
    from rankmark.rendering.words import printable

    parts = [Path(path).parts for path in paths]
    longest = max(map(len, parts), default=0)
    stems = [Path(path.removesuffix(".gz").removesuffix(".zst")).stem for path in paths]
    ends = [["/".join(each[-count:]) for each in parts] for count in range(1, longest)]
    unique = (names for names in (stems, *ends) if len(set(names)) == len(names))
    return list(map(printable, next(unique, paths)))


def named_paths(texts: tuple[str, ...], what: str) -> dict[str, list[str]]:
    """The paths of each name: that said in NAME=PATH, or the file's. `what` they are is for messages."""
    pairs = [name_and_path(text) for text in texts]
    said = {name for name, _ in pairs if name}
    own = iter(_own_names(tuple(path for name, path in pairs if not name)))
    named: dict[str, list[str]] = {}
    for name, path in pairs:
        called = name or next(own)
        if not name and (called in said or called in named):
            raise UsageError(f"two {what} are called {called}; write NAME={path} to call it otherwise")
        named.setdefault(called, []).append(path)
    return named


def one_path_each(texts: tuple[str, ...], what: str, each: str = "system") -> dict[str, str]:
    """The path of each name, as `named_paths`, where none stands for several; `each` is what has a name."""
    paths = named_paths(texts, what)
    for name, own in paths.items():
        if len(own) > 1:
            raise UsageError(
                f"{name} has {len(own)} {what}; a {each} has one, for example a glob of its parts in quotes"
            )
    return {name: path for name, (path,) in paths.items()}


def name_and_path(text: str) -> tuple[str, str]:
    """Name and path; a file that is there under the whole text has no name.

    The name ends at the first ``=`` behind which there is a file, so that names can hold others, or else at
    the first of all.
    """
    if text.startswith("=") or is_there(text):
        return "", text
    splits = [(text[:place], text[place + 1 :]) for place, each in enumerate(text) if each == "="]
    return next((split for split in splits if is_file(split[1])), next(iter(splits), ("", text)))


def score_columns(
    systems: tuple[str, ...], scores: list[str]
) -> str | list[str] | dict[str, str | list[str]] | None:
    """The column of each system, or the one of several tables; several columns are those of classes."""
    if systems:
        if scores:
            raise UsageError(
                "--score says one column and --system NAME=COLUMN each system's; give one of them"
            )
        columns = by_system("--system", systems)
        return {name: text.split(",") if "," in text else text for name, text in columns.items()}
    return scores if len(scores) > 1 else next(iter(scores), None)


def by_system(option: str, systems: Sequence[str]) -> dict[str, str]:
    """What an option says of each system, of texts written NAME=COLUMN."""
    columns = dict(each.split("=", 1) for each in systems if "=" in each.strip("="))
    if len(columns) < len(systems):
        raise UsageError(f"{option} {' '.join(systems)}: each is NAME=COLUMN, and its name its own")
    return columns
