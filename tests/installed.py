"""What the tests beside other tools share."""

from __future__ import annotations

import importlib
import os
import shutil
import warnings
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
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


def need_java() -> None:
    """Skips a test, aloud, where Spark lacks Java."""
    home = os.environ.get("JAVA_HOME")
    if not (shutil.which("java") or (home and Path(home, "bin", "java").exists())):
        reason = "NOT COMPARED on Spark, which needs Java 17 or newer: make spark"
        warnings.warn(reason, pytest.PytestWarning, stacklevel=1)
        pytest.skip(reason)


def beside(module: str, *packages: str) -> Callable[..., str]:
    """A fixture for all tests of a module: each has the tool's version in its id, or is skipped aloud.

    It is installed as one of the packages, which are called as the module is if none is named.
    """
    found = [f"{each}-{version(each)}" for each in packages or [module] if _is_installed(each)]

    # Before any test, as some tools start a process when they are imported.
    @pytest.fixture(autouse=True, scope="module", params=found[:1] or [f"no {module}"])
    def tool_version(request: pytest.FixtureRequest) -> str:
        peer(module, (packages or [module])[0])
        return str(request.param)

    return tool_version


def has_plugin() -> bool:
    """Whether pytest finds rankmark's plugin, as it does where it was installed since it has one."""
    return any(each.value == "rankmark.hooks.pytest_plugin" for each in entry_points(group="pytest11"))


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
