"""Documents as tools of retrieval hand them around: found ones as a ranked list, expected ones as grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankmark.errors import DataError
from rankmark.rendering.words import brief

__all__ = ["grades", "ranked"]

NAMES = ("doc_uri", "id", "doc_id", "document_id")
"""The fields that a document's id is in, in the order in which they are looked for."""


def ranked(found: Any) -> list[Any] | dict[Any, float]:
    """What was found as a run: ids, the best first, or ``{id: score}``.

    Args:
        found: a list of ids or documents, the best first, or ``{id: score}``. Documents are mappings that
            have their id as ``doc_uri``, ``id``, ``doc_id`` or ``document_id``, or in ``metadata``.

    Raises:
        DataError: it is something else.

    """
    if isinstance(found, Mapping):
        return dict(found)
    return [_id_of(each) for each in _several(found, "what was retrieved", "{id: score}")]


def grades(expected: Any) -> dict[Any, int]:
    """What should have been found as judgements: ``{id: grade}``.

    Args:
        expected: ``{id: grade}``, or a list of ids or documents, whose grade is their ``relevance`` or 1.

    Raises:
        DataError: it is something else.

    """
    if isinstance(expected, Mapping):
        return dict(expected)
    judged = _several(expected, "what is relevant", "{id: grade}")
    return {_id_of(each): each.get("relevance", 1) if isinstance(each, Mapping) else 1 for each in judged}


def _several(given: Any, what: str, otherwise: str) -> Iterable[Any]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise DataError(f"{brief(given)} is not {what}: give a list of ids or documents, or {otherwise}")
    return given


def _id_of(document: Any) -> Any:
    if not isinstance(document, Mapping):
        return document
    metadata = document.get("metadata")
    for fields in (document, metadata if isinstance(metadata, Mapping) else {}):
        for name in NAMES:
            if fields.get(name) is not None:
                return fields[name]
    raise DataError(f"{brief(document)} has no id; it is looked for as {', '.join(NAMES)}")
