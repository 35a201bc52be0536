"""What all tests share: where the data is, how hypothesis runs, and the twin on the import path."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent
collect_ignore = ["own_measures.py"]
"""What makes measures of its own when it is imported, which no other test should meet."""
sys.path.insert(0, str(TESTS))  # for `import reference`

from clusters import spark  # noqa: E402, F401 - a fixture for all

DATA = Path(os.environ.get("RANKMARK_TEST_DATA") or TESTS.parent.parent / "shared" / "data")

# Each example evaluates many measures at once, so few examples go far. A busy machine is no failure.
settings.register_profile(
    "rankmark",
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", settings.get_profile("rankmark"), max_examples=200, derandomize=False)
settings.register_profile("quick", settings.get_profile("rankmark"), max_examples=2)
settings.load_profile("rankmark")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What stands in these folders is of one kind."""
    for item in items:
        if item.path.is_relative_to(TESTS / "peers"):
            item.add_marker(pytest.mark.peer)
        if item.path.name == "test_benchmarks.py":
            item.add_marker(pytest.mark.slow)


@pytest.fixture(autouse=True)
def no_process(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that starts a process is marked so, for those who want quick ones."""
    if not {"process", "spark", "peer", "slow"} & {mark.name for mark in request.node.iter_markers()}:

        def refuse(*_: object, **__: object) -> None:
            pytest.fail("mark what starts a process: @pytest.mark.process")

        monkeypatch.setattr(subprocess.Popen, "__init__", refuse)


@pytest.fixture(scope="session")
def data_file() -> Callable[[str], str]:
    """The path of a file of the shared test data; skips the test where it is not there."""

    def find(name: str) -> str:
        path = DATA / name
        if not path.exists():
            pytest.skip(f"test data is not there: {path} (RANKMARK_TEST_DATA says where to look)")
        return str(path)

    return find
