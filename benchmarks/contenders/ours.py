"""rankmark, from what its users have."""

from __future__ import annotations

import rankmark as rm
from benchmarks.contenders import MANY, SIX, Call, Contender, Measures, nested
from benchmarks.data import Data, grouped, hundredth, tenth


def from_frames(data: Data, measures: Measures = SIX) -> Call:
    """From polars frames."""
    return lambda: rm.evaluate(data.qrels, data.run, measures).values


def prepared(data: Data) -> Call:
    """From tables that were read and checked before."""
    qrels, run = rm.read_qrels(data.qrels), rm.read_run(data.run)
    return lambda: rm.evaluate(qrels, run, SIX).values


def ready_dicts(data: Data) -> Call:
    """From dicts of dicts that are ready."""
    qrels, run = nested(data.qrels, "relevance"), nested(data.run, "score")
    return lambda: rm.evaluate(qrels, run, SIX).values


def from_files(data: Data) -> Call:
    """From paths."""
    qrels, run = data.files
    return lambda: rm.evaluate(qrels, run, SIX).values


RANKMARK = Contender("rankmark", from_frames)
MANY_MEASURES = Contender("rankmark", lambda data: from_frames(data, MANY))
NDCG = Contender("rankmark", lambda data: from_frames(data, SIX[:1]))
FILES = Contender("rankmark", from_files)
PREPARED = Contender("rankmark, prepared", prepared)
READY_DICTS = Contender("rankmark, ready dicts", ready_dicts)
SIX_MEASURES = Contender("rankmark, six measures", from_frames)
ON_A = Contender("rankmark on the rows of A", from_frames, on=grouped)
TENTH = Contender("rankmark on a tenth of the rows", from_frames, on=tenth)
HUNDREDTH = Contender("rankmark on a hundredth of the rows", from_frames, on=hundredth)
