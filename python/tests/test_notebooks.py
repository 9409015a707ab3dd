"""The notebooks run from their first cell to their last."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, need

NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 5


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(command: str, notebook: Path) -> None:
    nbformat, nbclient = need("nbformat"), need("nbclient")
    for module in ("ipykernel", "matplotlib", "pandas", "pyarrow", "duckdb"):
        need(module)
    read = nbformat.read(notebook, as_version=4)
    assert all(not cell.get("outputs") for cell in read.cells), "outputs are made by running, and not kept"
    nbclient.NotebookClient(read, timeout=300, resources={"metadata": {"path": str(notebook.parent)}}).execute()
    drawn = [output for cell in read.cells for output in cell.get("outputs", []) if "image/png" in output.get("data", {})]
    assert drawn, "it draws a figure"
