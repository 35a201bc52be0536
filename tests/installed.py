"""What the tests beside other tools share."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest


def peer(module: str, install: str) -> Any:
    """The module of another tool; a test that lacks it is skipped, and says so aloud."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own affair
        try:
            return importlib.import_module(module)
        except ImportError:
            reason = f"NOT COMPARED with {module}: pip install {install}"
    warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
    pytest.skip(reason)
