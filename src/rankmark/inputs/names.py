"""The names by which a column is known to have a role."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["ALIASES", "NORMAL_ALIASES", "listed", "misread", "normal"]

ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": (
        *("query", "query_id", "qid", "q_id", "topic", "user_id", "user", "uid"),
        *("session_id", "impression_id", "group"),
    ),
    "item": ("item", "item_id", "iid", "doc_id", "docno", "docid", "document", "product_id"),
    "score": ("score", "pred", "prediction", "pred_score", "similarity", "sim", "y_score", "y_pred"),
    "rank": ("rank", "position", "pos"),
    "relevance": ("relevance", "rel", "label", "grade", "gain", "rating", "target", "y_true", "click"),
}


def normal(name: str) -> str:
    """A name without what its writers differ in: case, and what separates words."""
    return re.sub(r"[-_\s]", "", name.lower())


NORMAL_ALIASES = {role: {normal(alias) for alias in aliases} for role, aliases in ALIASES.items()}


def listed(names: Iterable[object]) -> str:
    """Names, quoted, for a message."""
    return ", ".join(repr(name) for name in names)


def misread(names: Sequence[str]) -> str:
    """Why these look as if they were no names of columns, as ``"; …:"``, or the empty string."""
    char = next((char for char in ";\t|," if len(names) == 1 and char in names[0]), None)
    if char is not None:
        return f"; it looks separated by {char!r}, which its format is not (.csv by ',', .tsv by a tab):"
    if any(_is_float(name) for name in names):
        return "; its first line should name the columns, and holds numbers:"
    return ""


def _is_float(text: str) -> bool:
    """Whether a text writes a number with a point, as no column is called."""
    return re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", text, re.IGNORECASE) is not None
