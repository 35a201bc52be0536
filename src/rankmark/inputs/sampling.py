"""How judgements were sampled as candidates, where they say so themselves."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rankmark.errors import FormatError
from rankmark.inputs.input import Input
from rankmark.inputs.tables.several import PLAIN, is_path
from rankmark.language.choices import sampled_text

__all__ = ["METADATA", "mark_of", "sampling_of"]

METADATA = "rankmark.sampling"
"""The key of a Parquet file's metadata under which stands how its rows were sampled."""
MAGIC = b"PAR1"


def sampling_of(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """What a Parquet file says of how its rows were sampled; None of all else.

    Raises:
        FormatError: it says so otherwise than `sample_candidates` writes it.

    """
    said = _metadata(Path(path).expanduser()).get(METADATA)
    if said is None:
        return None
    import json

    try:
        found = json.loads(said)
        sampled_text(found["n"], found["method"])
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(
            f"{str(path)!r}: what its metadata say under {METADATA} is damaged; sample the candidates again"
        ) from error
    return found  # type: ignore[no-any-return]


def _metadata(path: Path) -> dict[str, str]:
    """That of a Parquet file; none of what cannot be read, which whoever reads it says better."""
    try:
        if not path.is_file():  # to open a pipe would be to wait
            return {}
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                return {}
    except (OSError, ValueError):
        return {}
    import polars as pl

    try:
        return pl.read_parquet_metadata(path)
    except (OSError, pl.exceptions.PolarsError):
        return {}


def mark_of(source: object) -> str | None:
    """What signatures say of judgements that were sampled: ``sampled-99``; None where nothing says so."""
    if isinstance(source, Input):
        return source.candidates
    if is_path(source):
        sampling = sampling_of(source)
        return sampled_text(sampling["n"], sampling["method"]) if sampling else None
    # Of the type: frames look for a column when asked for what they lack.
    kind = type(source)
    mark = getattr(source, "mark", None) if kind not in PLAIN and hasattr(kind, "mark") else None
    return mark if isinstance(mark, str) else None
