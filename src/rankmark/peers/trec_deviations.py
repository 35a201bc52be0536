"""The file of trec_eval's -Z: the mean of a measure for a query, and its standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rankmark.peers.trec_plan import DECIMAL, TrecEvalError

__all__ = ["Deviations", "read_deviations"]

Deviations = Mapping[tuple[bytes, str], tuple[float, float]]
"""The mean and the standard deviation of a measure for a query, by both their names."""

FIELDS = 4
EXIT_CODE = 255


def read_deviations(path: str) -> Deviations:
    """The mean and the standard deviation of each measure for each query.

    Raises:
        TrecEvalError: a file that is not there, or a line that is not ``query measure mean deviation``.

    """
    try:
        lines = Path(path).read_bytes().splitlines()
    except OSError as error:
        raise TrecEvalError(f"-Z {path}: the file cannot be read: {error.strerror}", EXIT_CODE) from error
    if not lines:
        raise TrecEvalError(f"-Z {path}: the file is empty", EXIT_CODE)
    found = {}
    for number, line in enumerate(lines, start=1):
        fields = line.split()
        texts = [field.decode("latin-1") for field in fields[2:]]
        if len(fields) != FIELDS or not all(DECIMAL.fullmatch(text) for text in texts):
            shown = line.decode(errors="replace")
            raise TrecEvalError(
                f"-Z {path}, line {number}: {shown!r} is not 'query measure mean deviation'", EXIT_CODE
            )
        found[fields[0], fields[1].decode(errors="surrogateescape")] = float(texts[0]), float(texts[1])
    return found
