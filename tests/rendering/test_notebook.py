"""A notebook that is run as people run one: what its cells show, and that work in them is seen going on."""

from __future__ import annotations

from typing import Any

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "result": "import rankmark as rm\nfrom rankmark import progress\nprogress.DELAY = 60\n"
    "Q = {f'q{i}': {'a': 1, 'b': 2} for i in range(9)}\n"
    "A = {q: ['a', 'b'] for q in Q}\nB = {q: ['<i>', 'b'] for q in Q}\nrm.evaluate(Q, A, ['nDCG@10', 'RR'])",
    "comparison": "rm.compare(Q, {'A': A, '<script>': B}, 'nDCG@10')",
    "measure": "rm.nDCG @ 10",
    "choices": "rm.evaluate(Q, A, 'RR').choices",
    "progress": "import time\nprogress.DELAY = 0.1\n"
    "with progress.counting('counting', 4) as counter:\n    counter.done = 1\n    time.sleep(0.7)",
}


@pytest.mark.process
def test_cells_of_a_notebook_show_pages(tmp_path: Any) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS.values()])
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=90, kernel_name="python3", resources=resources).execute()
    shown = dict(zip(CELLS, (cell.outputs for cell in notebook.cells), strict=True))
    (bar,) = shown.pop("progress")
    assert bar.data["text/html"] == ""  # it is gone when the work is done
    for name, outputs in shown.items():
        assert [each.output_type for each in outputs] == ["execute_result"], (name, outputs)
        assert outputs[0].data["text/html"].startswith('<div class="rankmark">')
        assert "<script>" not in outputs[0].data["text/html"]
    assert "RR</th><td>1.0000</td>" in shown["result"][0].data["text/html"]
    assert shown["result"][0].data["text/plain"].startswith("<Result nDCG@10=")
    assert "&lt;script&gt;" in shown["comparison"][0].data["text/html"]
    assert "<mfrac>" in shown["measure"][0].data["text/html"]
