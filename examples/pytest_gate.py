"""pytest: a test that fails where a candidate ranks worse than is allowed."""

import subprocess
import sys

import rankmark as rm

QRELS = {f"q{i}": {"a": 2, "b": 1} for i in range(200)}
BASE = {query: ["x", "a", "b"] if i % 5 else ["b", "a"] for i, query in enumerate(QRELS)}
NEW = {query: ["a", "x", "b"] if i % 4 else ["b", "a"] for i, query in enumerate(QRELS)}


def test_new_ranks_no_worse_than_base(rankmark_gate):
    decided = rankmark_gate(QRELS, BASE, NEW, "nDCG@10", max_drop="1%", confidence=0.95)
    assert decided.measures[0].better > decided.measures[0].worse


def test_new_finds_what_it_has_to(rankmark_gate):
    rankmark_gate(QRELS, None, NEW, at_least={rm.R @ 100: 0.9})


if __name__ == "__main__":
    sys.exit(subprocess.call([sys.executable, "-m", "pytest", "-q", __file__]))
