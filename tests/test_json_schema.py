"""All that is written as JSON is as the published schema says, and says nothing that this does not know."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

import json_schemas
import rankmark as rm
from rankmark.cli import COMMANDS, command_named
from rankmark.rendering.formats.json import SCHEMA

jsonschema = pytest.importorskip("jsonschema")

PUBLISHED = json.loads(json_schemas.PATH.read_text())
MADE = json_schemas.made()


def refuse(constant: str) -> None:
    raise AssertionError(constant)


def faults(document: Any, kind: str) -> list[str]:
    """What is not as the definition of a class says, or is not said by it."""
    strict = json_schemas.strict(PUBLISHED["$defs"][kind])
    found = jsonschema.Draft202012Validator(strict).iter_errors(document)
    return [f"{each.json_path}: {each.message[:200]}" for each in found]


@pytest.fixture(scope="module", autouse=True)
def tables() -> Iterator[None]:
    """The folder where the tables of the command lines are."""
    with json_schemas.folder():
        yield


def test_the_published_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(PUBLISHED)
    for definition in PUBLISHED["$defs"].values():
        assert definition["properties"]["schema"] == {"const": SCHEMA}
        assert definition["required"] == ["schema", "rankmark"]


@pytest.mark.parametrize("name", MADE)
def test_a_result_is_written_as_its_definition_says(name: str) -> None:
    result = MADE[name]()
    for options in ({}, *({each: True} for each in json_schemas.OPTIONS.get(name, ()))):
        document = json.loads(result.format("json", **options), parse_constant=refuse)
        assert not faults(document, type(result).__name__)


@pytest.mark.parametrize("line", json_schemas.COMMANDS)
def test_a_command_writes_what_the_schema_describes(line: str) -> None:
    with json_schemas.taken() as found:
        code, written = json_schemas.said(line)
    (kind, _), document = found[-1], json.loads(written, parse_constant=refuse)
    assert (kind == json_schemas.ERROR) == bool(code)
    assert not faults(document, kind)
    jsonschema.Draft202012Validator(PUBLISHED).validate(document)


def test_every_command_that_writes_json_is_tried() -> None:
    can = {
        name
        for name in COMMANDS
        for option in command_named(name).params  # type: ignore[union-attr]
        if "--format" in option.opts
    }
    assert can == {line.split()[0] for line in json_schemas.COMMANDS}


def test_other_fields_of_later_versions_are_no_fault_to_a_reader() -> None:
    document = json.loads(rm.evaluate({"q": {"a": 1}}, {"q": ["a"]}, "RR").to_json())
    validator = jsonschema.Draft202012Validator(PUBLISHED["$defs"]["ListResult"])
    validator.validate({**document, "new": math.pi})
    assert not validator.is_valid({**document, "schema": SCHEMA + 1})
    assert faults({**document, "new": 1}, "ListResult")
