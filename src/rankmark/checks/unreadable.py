"""Files that NaN among their numbers keeps from being read, which some formats can tell apart."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankmark.errors import FormatError
from rankmark.inputs import Input, read_shared
from rankmark.inputs.format import File
from rankmark.inputs.formats import file_formats

if TYPE_CHECKING:
    from rankmark.inputs.roles import ColumnNames, Side

__all__ = ["with_nan"]


def with_nan(source: Any, side: Side, columns: ColumnNames | None) -> Any:
    """The source itself or, if it is a file that NaN keeps from being read, what is in it."""
    if not isinstance(source, str | os.PathLike) or not Path(source).is_file():
        return source
    try:
        return read_shared(source, side, columns)
    except FormatError:
        file = File(Path(source), f"{side} {os.fspath(source)!r}")
        found = (each.with_nan(file, side) for each in file_formats())
        frame = next((frame for frame in found if frame is not None), None)
        if frame is None:
            raise
    table: Input = read_shared(frame, side, None)
    return replace(table, name=file.where, text_ids=True)
