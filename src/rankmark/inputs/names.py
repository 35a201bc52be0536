"""The names by which a column is known to have a role, in tables of lists and of predictions alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rankmark.errors import did_you_mean

__all__ = ["ALIASES", "NORMAL_ALIASES", "fitting", "is_unnamed", "listed", "misread", "nearest", "normal"]

ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": (
        *("query", "query_id", "qid", "q_id", "topic", "topic_id", "user_id", "user", "uid"),
        *("customer_id", "session_id", "impression_id", "group"),
    ),
    "item": (
        *("item", "item_id", "iid", "doc_id", "docno", "docid", "document", "document_id"),
        *("corpus_id", "passage_id", "product_id", "movie_id", "article_id"),
    ),
    "score": (
        *("score", "pred", "prediction", "pred_score", "predicted_score", "similarity", "sim"),
        *("y_score", "y_pred", "y_prob", "y_proba", "y_hat", "p", "prob", "proba", "probability"),
        *("pctr", "p_click"),
    ),
    "rank": ("rank", "position", "pos"),
    "relevance": (
        *("relevance", "rel", "label", "grade", "gain", "rating", "target", "y_true", "y"),
        *("click", "clicked", "is_click", "is_clicked", "judgement", "judgment"),
    ),
    "weight": ("weight", "sample_weight"),
    "stratum": ("stratum", "stratum_id", "subpool"),
    "probability": ("inclusion_probability",),
    "aspect": ("aspect", "aspect_id", "subtopic", "subtopic_id", "intent", "intent_id", "iteration", "iter"),
}
"""The usual names of each role; who else is called so in the plural is understood too, see `fitting`."""


def normal(name: str) -> str:
    """A name without what its writers differ in: case, and what separates words."""
    return re.sub(r"[-_\s]", "", name.lower())


NORMAL_ALIASES = {role: {normal(alias) for alias in aliases} for role, aliases in ALIASES.items()}


def fitting(names: Iterable[str], role: str) -> list[str]:
    """The names that are known to have the role, in the plural only where none is in the singular.

    A column called ``query`` is the query alone, whatever else, such as a user, there is beside it. In
    PyTerrier's frames, which have ``qid`` and ``docno``, it is the query's text, and ``docid`` is a number in
    an index.
    """
    known = NORMAL_ALIASES[role]
    names = list(names)
    if {"qid", "docno"} <= set(names):
        names = [name for name in names if name not in ("query", "docid")]
    if role == "query" and role in names:
        return [role]
    singular = [name for name in names if normal(name) in known]
    return singular or [name for name in names if normal(name).removesuffix("s") in known]


def nearest(role: str, names: Sequence[str], *words: str) -> str:
    """``"; did you mean X?"`` for names that come near one of the words, or near a usual one of the role."""
    hints = (did_you_mean(word, names) for word in (*words, *ALIASES[role]))
    return next((hint for hint in hints if hint), "")


def is_unnamed(name: str) -> bool:
    """Whether a column is an index without a name that pandas wrote along."""
    return re.fullmatch(r"|index|level_\d+|Unnamed: \d+|__index_level_\d+__", name) is not None


def listed(names: Iterable[object]) -> str:
    """Names, quoted, for a message."""
    return ", ".join(repr(name) for name in names)


def misread(names: Sequence[str]) -> str:
    """Why these look as if they were no names of columns, and what to do: ``"; …"``, or the empty string."""
    if not names:
        return "; it has no columns at all"
    if names[0].startswith("sep="):
        return f"; its first line, {names[0]!r}, is for Excel and names no columns; remove it"
    char = next((char for char in ";\t|," if len(names) == 1 and char in names[0]), None)
    if char is not None:
        comma = ", with decimal_comma=True where numbers are written as 0,5" if char == ";" else ""
        return (
            f"; it looks separated by {char!r}, which its format is not (.csv by ',', .tsv by a tab): "
            f"{names[0]!r}; save it so, or in Python give what polars.read_csv(…, separator={char!r}) "
            f"reads{comma}"
        )
    if any(_is_float(name) for name in names):
        return f"; its first line should name the columns, and holds numbers: {listed(names)}"
    return ""


def _is_float(text: str) -> bool:
    """Whether a text writes a number with a point, as no column is called."""
    return re.fullmatch(r"-?\d*\.\d+(e-?\d+)?", text, re.IGNORECASE) is not None
