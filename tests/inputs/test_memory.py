"""How much memory a file takes that is read whole, beside that of its text."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from processes import python

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(sys.platform != "linux", reason="the peak is asked of Linux"),
]

SCRIPT = """
import sys
import polars
import rankmark as rm

def memory(what):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith(what))

polars.read_csv(b"a,b\\n1,2\\n")
rm.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, "AP")
before = memory("VmRSS")
rm.evaluate({f"{q}": {f"{i}": 1 for i in range(5)} for q in range(5)}, sys.argv[1], "AP", engine="local")
print(memory("VmHWM") - before)
"""
SIZE = 48 << 20
ITEMS, QUERIES = 1000, 5000


def by_query(row: str) -> bytes:
    """Lists one after another."""
    rows = "".join(row.format(query="?", item=item, score=item % 9) for item in range(ITEMS)).encode()
    lists = (rows.replace(b"?", b"%d" % query) for query in range(SIZE // len(rows)))
    return b"".join(lists)


def by_item(row: str) -> bytes:
    """A row of each list after another, so that no two of a list stand together."""
    rows = "".join(row.format(query=query, item="?", score=query % 9) for query in range(QUERIES)).encode()
    return b"".join(rows.replace(b"?", b"%d" % item) for item in range(SIZE // len(rows)))


@pytest.mark.parametrize(
    ("name", "header", "row", "arranged", "most"),
    [
        ("short.run", b"", "{query} {item} .{score}\n", by_query, 2),
        ("usual.run", b"", "{query} Q0 {item} 17 {score}.25 system\n", by_query, 1.5),
        ("scattered.run", b"", "{query} Q0 {item} 17 {score}.25 system\n", by_item, 3.2),
        ("short.csv", b"query,item,score\n", "{query},{item},.{score}\n", by_query, 2),
        ("short.csv.gz", b"query,item,score\n", "{query},{item},.{score}\n", by_query, 2),
    ],
)
def test_a_file_takes_little_more_memory_than_its_text(
    tmp_path: Path, name: str, header: bytes, row: str, arranged: Callable[[str], bytes], most: float
) -> None:
    text = header + arranged(row)
    path = tmp_path / name
    path.write_bytes(gzip.compress(text, 1) if name.endswith(".gz") else text)
    assert int(python(SCRIPT, str(path))) < most * len(text)
