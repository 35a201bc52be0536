"""Which names are public, and that type checkers are told of the same ones."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

import rankmark
from processes import python
from rankmark import hooks, results, statistics
from rankmark.language.registry import pages

FACES = (rankmark, results, hooks, statistics)
"""What says where public names live."""


def line(face: ModuleType, name: str) -> str:
    """What the stub beside a module has to say of a name."""
    if name in face._HOME:
        return f"from rankmark.{face._HOME[name]} import {name} as {name}"
    if name in face.__dict__.get("_MODULES", {}):
        module = f"rankmark.{face._MODULES[name]}".rpartition(".")[0]
        return f"from {module} import {name} as {name}"
    return f"{name}: Measure"


@pytest.mark.parametrize("face", FACES)
def test_the_stub_has_the_same_names(face: ModuleType) -> None:
    assert face.__file__ is not None
    stub = Path(face.__file__).with_suffix(".pyi")
    said = [each for each in stub.read_text().splitlines() if each and not each.startswith("_")]
    wanted = [line(face, name) for name in face.__all__]
    assert len(said) == len(set(said))
    if missing := set(wanted) - set(said):
        raise AssertionError("\n".join([f"add to {stub}:", *sorted(missing)]))
    if others := set(said) - set(wanted):
        raise AssertionError(
            "\n".join([f"take out of {stub}, whose module has no such name:", *sorted(others)])
        )


def test_every_measure_has_its_name_and_no_module_could_have_it() -> None:
    for name in (name for name, page in pages().items() if page.origin is None):
        assert getattr(rankmark, name) == rankmark.Measure(name)
        assert not name.islower()


def test_every_name_is_where_it_is_said_to_be() -> None:
    for face in FACES:
        for name in face.__all__:
            if face is hooks:  # some of which are made of tools, and import them
                assert find_spec(f"rankmark.{(hooks._HOME | hooks._MODULES)[name]}")
            elif name not in ("spark", "SparkResult"):  # which need another package
                assert getattr(face, name) is not None
        assert dir(face) == sorted(face.__all__)
    modules = {each.stem for each in Path(str(statistics.__file__)).parent.glob("*.py")}
    assert not modules & {*statistics.__all__}, "importing the module would give it the name"
    with pytest.raises(AttributeError, match="module 'rankmark' has no attribute 'Result'"):
        rankmark.Result  # type: ignore[attr-defined] # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'rankmark\.results' has no attribute 'evaluate'"):
        results.evaluate  # type: ignore[attr-defined] # noqa: B018


@pytest.mark.process
def test_importing_rankmark_loads_next_to_nothing() -> None:
    script = """
import sys, rankmark
rankmark.hooks
print({"numpy", "scipy", "polars", "rankmark._native"} & set(sys.modules))
print(rankmark.statistics.corrected([0.01], "holm").tolist(), rankmark.results.Result.__name__)
"""
    assert python(script) == "set()\n[0.01] Result\n"


@pytest.mark.process
def test_importing_rankmark_loads_its_own_modules_alone() -> None:
    script = """
import sys
before = {*sys.modules}
import rankmark
print(sorted({*sys.modules} - before - {"__future__"}))
"""
    assert python(script) == "['rankmark', 'rankmark.forking', 'rankmark.naming']\n"
