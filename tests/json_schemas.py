"""The JSON Schema of all that rankmark writes as JSON, made of the documents of every class and command.

``python tests/json_schemas.py`` writes ``src/rankmark/rendering/schema.json`` anew: fields that came are
added, those that are there stay, so that what was once written is described as long as the number stands.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import util
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias
from unittest import mock

import rankmark as rm
from rankmark.cli import main as command
from rankmark.rendering.formats import json as form
from small_tables import FILES

Schema: TypeAlias = dict[str, Any]
Document: TypeAlias = dict[str, Any]

PATH = Path(form.__file__).parent.parent / "schema.json"
DESCRIPTION = f"Version {form.SCHEMA}: docs/compatibility.md says what stays. A definition is a class."
TITLE = "What rankmark writes as JSON"
ERROR = "Error"
MORE_FILES = {
    "board.csv": "topic,a,b\n1,.5,.25\n2,1,0\n3,.25,.5\n",
    "wins.csv": "system_a,system_b,winner\na,b,a\nb,a,tie\na,b,b\n",
    "shown.csv": "query,list,item,position,click\nq,1,a,1,1\nq,1,b,2,0\nq,2,b,1,0\nq,2,a,2,1\n",
    "mixed.csv": "query,list,item,position,click,team\nq,1,a,1,1,A\nq,1,b,2,0,B\nq,2,b,1,1,B\nq,2,a,2,0,A\n",
    "judge.txt": "q1 0 a 1\nq1 0 b 1\nq2 0 c 1\nq3 0 d 0\nq4 0 a 1\n",
    "sure.csv": "query,item,p\nq1,a,.9\nq1,b,.2\nq2,c,.7\nq3,d,.1\n",
}
COMMANDS = (
    "eval qrels.txt a.run",
    "eval qrels.txt a.run b.run -q --bounds --signature",
    "eval qrels.txt a.run -m RR,HR@1 --intervals --by half --attributes halves.csv",
    "eval qrels.txt a.run -m nDCG@10 --like trec_eval --like lightgbm",
    "eval qrels.txt a.run -m RR --worst-of half --attributes halves.csv",
    "predictions p.csv",
    "predictions p.csv -m AUC --query user -q --by country --intervals",
    "predictions p.csv --system a=score --system b=other --baseline a --rope .01",
    "predictions pets.csv --predicted guess --per-class --confusion",
    "curve p.csv ROC",
    "curve p.csv calibration",
    "compare qrels.txt a.run b.run --movers 1 --margin .1 --rope .01 --posterior signed-rank --anova -q",
    "compare-matrix board.csv",
    "board board.csv",
    "gate qrels.txt a.run b.run -m RR --max-drop .1",
    "gate qrels.txt a.run --at-least RR=.1 --confidence .9",
    "gate-predictions p.csv --system a=other --system b=score -m AUC --max-drop 5%",
    "power --deviation .2 --difference .05",
    "answers nuggets.csv",
    "instructions qrels.txt a.run b.run -q",
    "abstention qrels.txt a.run --intervals --resamples 9",
    "pool qrels.txt a.run b.run --depth 2",
    "explain qrels.txt a.run -m AP --query q1",
    "explain qrels.txt a.run b.run -m AP --query q1",
    "identify qrels.txt a.run -m nDCG@10 --value .5",
    "check qrels.txt a.run",
    "check-predictions p.csv",
    "agree a.run b.run -q",
    "agree --qrels qrels.txt -m AP -m RR a.run b.run",
    "clicks shown.csv",
    "interleaving mixed.csv",
    "interleaving a.run b.run",
    "logged log.csv --policy new",
    "correct-sampled drawn.parquet drawn.csv -m HR@1",
    "preferences wins.csv",
    "eval-expected sure.csv a.run",
    "eval-preferences items.csv a.run",
    "judge qrels.txt judge.txt a.run b.run",
    "judge qrels.txt judge.txt a.run b.run --agreement -m RR",
    "show saved.rankmark -q",
    "plot saved.rankmark",
    "eval qrels.txt none.run",
)
"""Command lines that write JSON, at least one of each command that can; the last fails, as JSON."""


def documents() -> Iterator[tuple[str, Document]]:
    """Every document with the name of its class, as it is before it is text."""
    for name, make in made().items():
        result = make()
        for options in ({}, *({each: True} for each in OPTIONS.get(name, ()))):
            with taken() as found:
                result.format("json", **options)
            yield from found
    with folder():
        for line in COMMANDS:
            with taken() as found:
                said(line)
            yield from found


OPTIONS = dict.fromkeys(("lists", "rows", "runs", "arrays"), ("per_query", "signatures"))
"""What more a document can have."""


def made() -> dict[str, Any]:
    """A result of every class."""
    path = Path(__file__).parent / "results" / "test_saved.py"
    spec = util.spec_from_file_location("saved_results", path)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return {
        **module.EVERY,
        "picture": lambda: rm.curve(module.CLICKS, "ROC", label="click", score="p").plot(),
    }


def said(line: str) -> tuple[int, str]:
    """The exit code of a command line, and what it writes as JSON."""
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(StringIO()):
        code = command([*line.split(), "--format", "json"])
    return code, out.getvalue()


@contextmanager
def folder() -> Iterator[None]:
    """Works where the tables of the command lines are."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as temporary:
        os.chdir(temporary)
        try:
            for name, text in {**FILES, **MORE_FILES}.items():
                Path(name).write_text(text)
            rm.evaluate("qrels.txt", "a.run", "AP").save("saved.rankmark")
            drawn = rm.sample_candidates({"u": ["a", "b"]}, {"u": ["c"], "v": ["a"]}, 1)
            drawn.to_file("drawn.parquet")
            drawn.frame.select("query", "item", score="relevance").write_csv("drawn.csv")
            yield
        finally:
            os.chdir(before)


@contextmanager
def taken() -> Iterator[list[tuple[str, Document]]]:
    """The documents that are written meanwhile, each with the name of its class."""
    found: list[tuple[str, Document]] = []
    names: list[str] = []
    text, document = form.Json.text, form.document

    def shown_as(self: Any, shown: Any, digits: int, options: Any) -> str:
        names.append(type(shown).__name__)
        try:
            return text(self, shown, digits, options)
        finally:
            names.pop()

    def of(record: Any) -> str:
        plain, _ = form._plain({"schema": form.SCHEMA, "rankmark": rm.__version__, **record})
        found.append((names[-1] if names else ERROR, plain))
        return document(record)

    with mock.patch.object(form.Json, "text", shown_as), mock.patch.object(form, "document", of):
        yield found


# --- Schemas of documents -----------------------------------------------------------------------------------

FIELD = re.compile(r"[a-z][a-z0-9_]*")


def described(value: Any) -> Schema:
    """What a value is: the least that can be said of it."""
    match value:
        case form.ByName():
            return {"type": ["object"], "additionalProperties": merged(map(described, value.values()))}
        case dict() if "$schema" in value:  # a picture's, which has a schema of its own
            return {"type": ["object"]}
        case dict() if all(FIELD.fullmatch(name) for name in value):
            return {"type": ["object"], "properties": {name: described(each) for name, each in value.items()}}
        case dict():
            return {"type": ["object"], "additionalProperties": merged(map(described, value.values()))}
        case list() | tuple():
            return {"type": ["array"], "items": merged(map(described, value))}
        case bool():
            return {"type": ["boolean"]}
        case int():
            return {"type": ["integer"]}
        case float():
            return {"type": ["number", "null"]}  # which is what a number is where there is none
        case None:
            return {"type": ["null"]}
        case str():
            return {"type": ["string"]}
    raise TypeError(type(value).__name__)


def merged(schemas: Any) -> Schema:
    """What is so of any of them."""
    found: Schema = {}
    for each in schemas:
        found = both(found, each)
    return found


def both(one: Schema, other: Schema) -> Schema:
    """What is so of either."""
    types = dict.fromkeys([*one.get("type", []), *other.get("type", [])])
    if "number" in types:
        types.pop("integer", None)
    found: Schema = {"type": sorted(types)} if types else {}
    if "items" in one or "items" in other:
        found["items"] = both(one.get("items", {}), other.get("items", {}))
    if "additionalProperties" in one or "additionalProperties" in other:  # names of measures, and of fields
        inside = [each.get("additionalProperties", {}) for each in (one, other)]
        inside += [field for each in (one, other) for field in each.get("properties", {}).values()]
        found["additionalProperties"] = merged(inside)
    elif "properties" in one or "properties" in other:
        fields, more = one.get("properties", {}), other.get("properties", {})
        found["properties"] = {
            name: both(fields.get(name, {}), more.get(name, {})) for name in dict.fromkeys([*fields, *more])
        }
    return found


def strict(schema: Schema) -> Schema:
    """The same without room for other fields: for tests, which notice those that nobody described."""
    found = {name: strict(each) if isinstance(each, dict) else each for name, each in schema.items()}
    if isinstance(found.get("properties"), dict) and "type" in schema:
        found["properties"] = {name: strict(each) for name, each in schema["properties"].items()}
        found["additionalProperties"] = False
    return found


def whole(kinds: dict[str, Schema]) -> Schema:
    """The schema of all documents, by what each class writes."""
    top = {"schema": {"const": form.SCHEMA}, "rankmark": {"type": "string"}}
    definitions = {
        name: {**kind, "properties": top | kind["properties"] | top, "required": list(top)}
        for name, kind in sorted(kinds.items())
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": TITLE,
        "description": DESCRIPTION,
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in definitions],
        "$defs": definitions,
    }


def main() -> int:
    """Writes the schema."""
    kinds: dict[str, Schema] = {}
    if PATH.exists():
        kinds = json.loads(PATH.read_text())["$defs"]
        for kind in kinds.values():
            del kind["required"], kind["properties"]["schema"], kind["properties"]["rankmark"]
    for name, document in documents():
        kinds[name] = both(kinds.get(name, {}), described(document))
    PATH.write_text(json.dumps(whole(kinds), indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
