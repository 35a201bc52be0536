"""What trackers of experiments keep of a result: numbers, what decides them, and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark._native import __version__
from rankmark.comparing.comparison import Comparison
from rankmark.comparing.gates import Gate
from rankmark.comparing.predictions import PredictionComparison
from rankmark.errors import UsageError
from rankmark.rendering.formats.parquet import write_table
from rankmark.rendering.numbers import Numbered, named
from rankmark.rendering.words import brief
from rankmark.results.runs import OfRuns
from rankmark.results.saved import Saved

if TYPE_CHECKING:
    import polars as pl

    from rankmark.results.base import Result

__all__ = ["about", "check_loggable", "numbers", "queries", "write_files"]


def check_loggable(result: Any) -> None:
    """Refuses what is none of rankmark's results."""
    if not (isinstance(result, Numbered) and isinstance(result, Saved)):
        raise UsageError(
            f"{brief(result)} has no numbers to log: give a result, a comparison or a gate of rankmark"
        )


def numbers(result: Numbered, prefix: str) -> dict[str, float]:
    """Its numbers by plain names, each after the prefix."""
    return {prefix + name: value for name, value in result.to_dict("plain").items()}


def about(result: Numbered) -> dict[str, Any]:
    """What decides them: the version, a gate's verdict, each measure's signature, hashes of the inputs."""
    facts: dict[str, Any] = {"version": __version__}
    if isinstance(result, Gate):
        facts["verdict"] = "passed" if result else "failed"
        signatures, inputs = dict(result.signatures), dict(result.inputs)
    else:
        results = dict(_results(result))
        signatures = _signatures(results.values())
        inputs = {name: each.inputs for name, each in results.items()}
    plain = named([(name,) for name in signatures], "plain")
    facts["signature"] = dict(zip(plain, signatures.values(), strict=True))
    facts["inputs"] = inputs[""] if list(inputs) == [""] else inputs
    return facts


def queries(result: Any) -> pl.DataFrame | None:
    """The values of each query, of a comparison their differences; None if there are none."""
    if isinstance(result, Comparison):
        return result.differences
    return result._queries() if isinstance(result, OfRuns) else None


def write_files(result: Saved, folder: Path) -> None:
    """Writes to a folder a page, JSON, what `rankmark.load` opens, and the values of each query."""
    result.write(folder / "report.html")
    result.write(folder / "result.json")
    with suppress(UsageError):  # of a measure with a function, which no file can hold
        result.save(folder / "result.rankmark")
    if (values := queries(result)) is not None:
        write_table(folder / "per_query.parquet", values)


def _results(result: Numbered) -> Iterator[tuple[str, Result]]:
    """The results that it is made of, by what they are called."""
    if isinstance(result, OfRuns):
        yield from result._runs.items()
    elif isinstance(result, PredictionComparison):
        yield from result.results.items()
    elif isinstance(result, Comparison):
        for system, seeds in result.results.items():
            for number, seed in enumerate(seeds, start=1):
                yield (f"{system} {number}" if len(seeds) > 1 else system), seed


def _signatures(results: Iterable[Result]) -> dict[str, str]:
    """Those of each measure, by its name: one, if all results agree."""
    found: dict[str, dict[str, None]] = {}
    for result in results:
        for measure in result.measures:
            found.setdefault(measure.label, {})[result.signature(measure)] = None
    return {name: " ".join(texts) for name, texts in found.items()}
