"""ir_measures: rankmark as one of its providers, and so in whatever measures by it, such as PyTerrier.

Needs ``pip install ir_measures``.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankmark.api.evaluation import evaluate
from rankmark.errors import DataError, MeasureError
from rankmark.inputs import read_qrels, read_run
from rankmark.peers.ir_measures_names import OF_ASPECTS, written_here
from rankmark.tools import tool

if TYPE_CHECKING:
    from rankmark.inputs.input import Input

__all__ = ["provider", "register", "unregister"]

NAME = "rankmark"


@functools.cache
def provider() -> Any:
    """What ir_measures calls a provider: ``provider().calc_aggregate([ir_measures.nDCG @ 10], qrels, run)``.

    It takes what ir_measures takes and gives the numbers of ``like="ir_measures"``: those of its providers,
    which order equal scores as trec_eval does, of RR@k, Judged@k and Compat as MS MARCO's script does. Of
    C/W/L's measures they stay as they stand. What rankmark has not it does not support, so that another
    provider computes it.

    Raises:
        ToolMissingError: ir_measures is not installed.

    """
    return _made(tool("ir_measures", "ir_measures"))


def register() -> Any:
    """Lets rankmark compute whatever it has for ``ir_measures.calc_aggregate`` and its like.

    The provider is put before all others, once. PyTerrier's ``pt.Experiment`` measures by these functions.

    Raises:
        ToolMissingError: ir_measures is not installed.

    Example:
        >>> rm.hooks.ir_measures.register()  # doctest: +SKIP
        >>> ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)  # doctest: +SKIP

    """
    ir_measures, own = tool("ir_measures", "ir_measures"), provider()
    unregister()
    ir_measures.DefaultPipeline.providers.insert(0, own)
    ir_measures.providers.registry[NAME] = own
    return own


def unregister() -> None:
    """Leaves everything to the other providers again."""
    ir_measures = tool("ir_measures", "ir_measures")
    others = [each for each in ir_measures.DefaultPipeline.providers if each.NAME != NAME]
    ir_measures.DefaultPipeline.providers[:] = others
    ir_measures.providers.registry.pop(NAME, None)


def _made(ir_measures: Any) -> Any:
    """The provider, whose classes are derived from those of ir_measures."""

    class Evaluator(ir_measures.Evaluator):  # type: ignore[misc] # of which type checkers know nothing
        """Judgements that were read once, for any number of runs."""

        def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
            measures = list(measures)
            self._asked = _grouped(measures)
            if any(each.NAME in OF_ASPECTS for each in measures):
                qrels = list(ir_measures.util.QrelsConverter(qrels).as_namedtuple_iter())
                self._of_aspects = [_with_aspect(each) for each in qrels]
            self._qrels = read_qrels(_table(ir_measures.util.QrelsConverter(qrels), "relevance"))
            super().__init__(measures, _queries(self._qrels))

        def _iter_calc(self, run: Any) -> Iterator[Any]:
            table = _table(ir_measures.util.RunConverter(run), "score")
            if not any(table.values()) if isinstance(table, dict) else table.empty:
                return
            read = read_run(table)
            queries = _queries(read)
            if queries.isdisjoint(self.qrel_qids):
                # ir_measures takes none of them for answered, which a batch of unjudged ones may be.
                _warn_of_other_ids(queries, self.qrel_qids)
                return
            for (of_aspects, choices), asked in self._asked.items():
                # Queries that were not answered ir_measures adds itself.
                how: dict[str, Any] = dict(choices)
                qrels = self._of_aspects if of_aspects else self._qrels
                result = evaluate(qrels, read, list(asked), missing="skip", **how)
                for name, measure in asked.items():
                    values = result.query_values(name).tolist()
                    for query, value in zip(result.query_ids, values, strict=True):
                        if not math.isnan(value):
                            yield ir_measures.Metric(query_id=query, measure=measure, value=value)

    class Provider(ir_measures.Provider):  # type: ignore[misc] # likewise
        """rankmark."""

        NAME = NAME

        def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Evaluator:
            return Evaluator(measures, qrels)

        def supports(self, measure: Any) -> bool:
            measure.validate_params()
            return _translated(measure) is not None

    return Provider()


def _table(converter: Any, value: str) -> Any:
    """The columns of a data frame that ir_measures looks at; anything else as ``{query: {item: value}}``."""
    kind, problem = converter.predict_type()
    if problem:
        raise DataError(problem)
    if kind == "pd_dataframe":
        return converter.as_pd_dataframe()[["query_id", "doc_id", value]]
    return converter.as_dict_of_dict()


def _with_aspect(row: Any) -> dict[str, Any]:
    """A judgement, whose iteration is the aspect."""
    aspect = getattr(row, "iteration", "0")
    return {"query": row.query_id, "aspect": aspect, "item": row.doc_id, "relevance": row.relevance}


def _queries(table: Input) -> set[Any]:
    import polars as pl

    return set(pl.DataFrame(table.table)[table.query].unique())


def _warn_of_other_ids(answered: set[Any], judged: set[Any]) -> None:
    warnings.warn(
        f"none of the {len(answered):,} queries of a run, such as {min(answered)!r}, is one of the "
        f"{len(judged):,} judged, such as {min(judged)!r}: all of these count as unanswered",
        stacklevel=2,
    )


def _grouped(measures: Iterable[Any]) -> dict[tuple[bool, tuple[tuple[str, str], ...]], dict[str, Any]]:
    """The measures by whether they look at aspects and the choices of each, and by their names here."""
    groups: dict[tuple[bool, tuple[tuple[str, str], ...]], dict[str, Any]] = {}
    for measure in measures:
        found = _translated(measure)
        if found is None:
            raise MeasureError(f"rankmark has no {measure} of ir_measures")
        name, choices = found
        groups.setdefault((measure.NAME in OF_ASPECTS, tuple(choices.items())), {})[name] = measure
    return groups


def _translated(measure: Any) -> tuple[str, Mapping[str, str]] | None:
    """What a measure is called here, and the choices it is evaluated with; None if there is none."""
    usual = measure.SUPPORTED_PARAMS
    given = {name: value for name, value in measure.params.items() if value != usual[name].default}
    try:
        return written_here(measure.NAME, given, lambda rest: repr(type(measure)(**rest)))
    except MeasureError:
        return None
