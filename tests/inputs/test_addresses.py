"""Files at addresses are read as files here are; what cannot be reached is said at once."""

from __future__ import annotations

import gzip
import http.server
import io
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import polars as pl
import pytest

import rankmark as rm
from rankmark.inputs.addresses import _reached, is_address

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
FRAME = pl.DataFrame({"query": ["q1", "q2", "q2"], "item": ["a", "c", "b"], "score": [0.5, 0.4, 0.3]})
VALUES = {"RR": 0.75}
TREC = b"q1 Q0 a 1 .5 x\nq2 Q0 c 1 .4 x\nq2 Q0 b 2 .3 x\n"


def _written(write: Callable[[io.BytesIO], Any]) -> bytes:
    write(content := io.BytesIO())
    return content.getvalue()


FILES: dict[str, bytes] = {
    "/run.parquet": _written(FRAME.write_parquet),
    "/run.arrow": _written(FRAME.write_ipc),
    "/run.csv": FRAME.write_csv().encode(),
    "/run.tsv": FRAME.write_csv(separator="\t").encode(),
    "/run.jsonl": FRAME.write_ndjson().encode(),
    "/run.json": b'{"q1": {"a": 0.5}, "q2": {"c": 0.4, "b": 0.3}}',
    "/run.txt": TREC,
    "/run": TREC,
    "/run.csv.gz": gzip.compress(FRAME.write_csv().encode(), mtime=0),
    "/run.trec.gz": gzip.compress(TREC, mtime=0),
}
OTHERS = {
    "/clicks.csv": b"label,score\n1,0.9\n0,0.8\n1,0.7\n",
    "/wrong.txt": b"q1 Q0 a 1 .5 x\nq1 Q0 b 1 high x\n",
    "/wrong.parquet": b"these are no columns, but words",
    "/wrong.bin": b"\xff\xfe\x00",
}


class _Server(http.server.BaseHTTPRequestHandler):
    """What there is, in ranges, under any bucket; ``/403`` and the like are answered so."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args: Any) -> None:
        """Says nothing."""

    def do_HEAD(self) -> None:
        """Answers without the content."""
        self._answer()

    def do_GET(self) -> None:
        """Answers with it."""
        self.wfile.write(self._answer())

    def _answer(self) -> bytes:
        path = self.path.partition("?")[0].removeprefix("/bucket")
        content = {**FILES, **OTHERS}.get(path)
        status, part, size = 200, content or b"", len(content or b"")
        headers = {}
        if content is None:
            status = int(path[1:4]) if path[1:4].isdigit() else 404
        elif asked := re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", "")):
            start = int(asked[1]) if asked[1] else max(0, size - int(asked[2]))
            end = min(int(asked[2]), size - 1) if asked[1] and asked[2] else size - 1
            status, part = 206, content[start : end + 1]
            headers["Content-Range"] = f"bytes {start}-{end}/{size}"
        self.send_response(status)
        headers |= {"Accept-Ranges": "bytes", "Content-Length": str(len(part)), "ETag": '"1"'}
        headers["Last-Modified"] = "Wed, 01 Jan 2025 00:00:00 GMT"
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        return part


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server in this process."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Server) as found:
        found.daemon_threads = True
        found.block_on_close = False
        thread = threading.Thread(target=found.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{found.server_port}"
        found.shutdown()
        thread.join(timeout=5)


@pytest.mark.process
@pytest.mark.parametrize("name", FILES)
def test_what_is_at_an_address_is_read(name: str, server: str) -> None:
    assert rm.evaluate(QRELS, server + name, "RR").values == VALUES


@pytest.mark.process
def test_an_address_can_have_a_query_string(server: str) -> None:
    for name in ("/run.parquet", "/run.txt"):
        assert rm.evaluate(QRELS, f"{server}{name}?signature=a%2Fb&x=1", "RR").values == VALUES


@pytest.mark.process
@pytest.mark.parametrize("name", ["run.parquet", "run.txt"])
def test_buckets_are_read_with_what_the_environment_says(
    name: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"ENDPOINT_URL": server, "ALLOW_HTTP": "true", "REGION": "here", "ACCESS_KEY_ID": "a"}
    for key, value in {**said, "SECRET_ACCESS_KEY": "b"}.items():
        monkeypatch.setenv(f"AWS_{key}", value)
    assert rm.evaluate(QRELS, f"s3://bucket/{name}", "RR").values == VALUES
    with pytest.raises(rm.FileMissingError, match=r"there is nothing at 's3://bucket/none\.parquet'"):
        rm.evaluate(QRELS, "s3://bucket/none.parquet", "RR")


@pytest.mark.process
def test_predictions_are_read_from_addresses(server: str) -> None:
    assert rm.evaluate_predictions(f"{server}/clicks.csv", "AUC").values == {"AUC": 0.5}


WRONG: list[tuple[str, type[Exception], str]] = [
    ("/none.parquet", rm.FileMissingError, "there is nothing at '{address}'"),
    ("/none.txt", rm.FileMissingError, "there is nothing at '{address}'"),
    ("/500.txt", rm.FileMissingError, "'{address}' cannot be reached: its server says 500 Internal Server"),
    ("/403.parquet", rm.UsageError, "'{address}' is not for everybody: access is refused; credentials are"),
    ("/401.txt", rm.UsageError, "'{address}' is not for everybody"),
    ("/wrong.txt", rm.FormatError, "{address}, line 2: "),
    ("/wrong.parquet", rm.FormatError, "run '{address}' cannot be read as"),
    ("/wrong.bin", rm.FormatError, "run '{address}' is no text in UTF-8"),
]


@pytest.mark.process
@pytest.mark.parametrize(("name", "kind", "message"), WRONG, ids=[name for name, _, _ in WRONG])
def test_what_is_wrong_at_an_address_is_said(
    name: str, kind: type[Exception], message: str, server: str
) -> None:
    address, start = server + name, time.monotonic()
    with pytest.raises(kind, match=re.escape(message.format(address=address))) as error:
        rm.evaluate(QRELS, address, "RR")
    assert "\n" not in str(error.value)
    assert time.monotonic() - start < 10


@pytest.mark.process
@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://127.0.0.1:9/run.parquet", "connection is refused"),
        ("http://no.such.host.invalid/run.txt", ""),
    ],
)
def test_nobody_there_is_said_at_once(address: str, reason: str) -> None:
    start = time.monotonic()
    with pytest.raises(rm.FileMissingError, match=f"'{address}' cannot be reached: .*{reason}"):
        rm.evaluate(QRELS, address, "RR")
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (PermissionError, "403 Forbidden", "is not for everybody"),
        (ValueError, "401 Unauthorized", "is not for everybody"),
        (ValueError, "404 Not Found", "there is nothing at"),
        (ValueError, "410 Gone", "cannot be reached"),
    ],
)
def test_a_number_in_an_address_or_a_time_is_no_status(
    error: type[Exception], status: str, message: str
) -> None:
    address = "http://127.0.0.1:404/403/404.parquet"
    with pytest.raises(rm.RankmarkError, match=message), _reached(address, "run"):
        raise error(
            f"Error performing GET {address} in 1.404ms - Server returned non-2xx status code: {status}"
        )


def test_only_addresses_are_such() -> None:
    for text in (
        "s3://b/x",
        "gs://b/*.parquet",
        "az://b/x",
        "hf://datasets/a/b",
        "https://a/b",
        "abfss://a@b/c",
    ):
        assert is_address(text)
    for text in ("run.txt", "/a/b", "C:\\run.txt", "s3/b", "file:///a", "hdfs://a/b", "q1 Q0 a 1 https://a"):
        assert not is_address(text)
