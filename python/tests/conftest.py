"""What the tests share. Whatever is not installed is skipped by name; with SYMBIOSIS_REQUIRE_ALL that is a failure."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

#: Two flows for a fifth of a second, with losses: seeds differ, and a run takes less than a millisecond.
SMALL = {
    "duration_s": 0.2,
    "bottleneck": {"rate_mbps": 10, "delay_ms": 5, "queue_packets": 10, "loss": 0.01},
    "flow": [{"cc": "reno"}, {"cc": "reno", "start_s": 0.05}],
}

SWEEP = """
seeds = 10
[axes]
bottleneck.rate_mbps = [5, 10]
"flow.*.cc" = ["reno", "cubic"]
[scenario]
duration_s = 0.2
bottleneck = { delay_ms = 5, queue_packets = 10, loss = 0.01 }
flow = [{ cc = "reno" }, { cc = "reno", start_s = 0.05 }]
"""


def need(module: str) -> Any:
    """A module that is not needed to use the package."""
    try:
        return importlib.import_module(module)
    except ImportError:
        message = f"needs {module} (pip install '.[test]')"
        if os.environ.get("SYMBIOSIS_REQUIRE_ALL"):
            pytest.fail(message)
        pytest.skip(message)


@pytest.fixture(scope="session")
def command() -> str:
    """The command `symbiosis`."""
    built = [path for kind in ("release", "debug") if (path := ROOT / "target" / kind / "symbiosis").exists()]
    found = str(max(built, key=lambda path: path.stat().st_mtime)) if built else shutil.which("symbiosis")
    if found is None:
        message = "needs the command symbiosis (cargo build --release)"
        pytest.fail(message) if os.environ.get("SYMBIOSIS_REQUIRE_ALL") else pytest.skip(message)
    return found or ""


def same(a: Path, b: Path) -> bool:
    """Whether two folders hold the same files with the same bytes."""
    return subprocess.run(["diff", "-r", a, b], capture_output=True).returncode == 0
