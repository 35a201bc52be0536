"""Numbers and texts as they travel in a page: compressed, in letters that mean nothing to a browser."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["packed_numbers", "packed_texts", "packed_values"]

DIGITS = 4
"""Decimals of values, where there are so many of them that they are sent as whole numbers."""
NO_VALUE = 65535
MANY = 20_000
"""More values than these are sent with as many digits as are shown, where that takes half the room."""


def packed_numbers(values: NDArray[Any]) -> dict[str, Any]:
    """An array of numbers: its type as NumPy writes it, and its bytes, compressed, in base64."""
    whole = np.ascontiguousarray(values)
    return {
        "type": whole.dtype.str[1:],
        "data": _packed(whole.astype(whole.dtype.newbyteorder("<")).tobytes()),
    }


def packed_values(values: NDArray[np.float64]) -> dict[str, Any]:
    """Values of queries, NaN where there is none: floats of seven digits, or many as ten-thousandths."""
    known = values[~np.isnan(values)]
    scale = 10**DIGITS
    if len(values) <= MANY or not len(known) or known.min() < 0 or known.max() * scale > NO_VALUE - 1:
        return packed_numbers(values.astype(np.float32))
    whole = np.where(np.isnan(values), NO_VALUE, np.rint(np.nan_to_num(values) * scale))
    return {**packed_numbers(whole.astype(np.uint16)), "scale": scale, "none": NO_VALUE}


def packed_texts(texts: Sequence[str]) -> dict[str, Any]:
    """Texts, as a list in JSON."""
    return {
        "type": "json",
        "data": _packed(json.dumps(list(texts), ensure_ascii=False).encode("utf-8", "replace")),
    }


def _packed(content: bytes) -> str:
    return base64.b64encode(zlib.compress(content, 9)).decode()
