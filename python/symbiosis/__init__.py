"""Congestion controllers in a fast packet simulator.

>>> import symbiosis
>>> run = symbiosis.Scenario("scenarios/reno-ns2.toml").run()          # doctest: +SKIP
>>> run.flow_trace.to_pandas().plot(x="time_s", y="cwnd_packets")      # doctest: +SKIP

`Scenario` reads what to run; `run`, `run_many` and `sweep` run it, with the numbers of the command `symbiosis`, byte for byte. Results are Arrow
tables, which pyarrow, pandas, Polars and DuckDB take without copying. `symbiosis.plots` draws the usual figures.
"""

from __future__ import annotations

from . import plots
from ._native import (
    AckProcessed,
    Acked,
    Ask,
    Lost,
    PacketLost,
    RunResult,
    ScenarioError,
    Sent,
    Setup,
    Table,
    __version__,
    controllers,
    merge,
)
from ._scenario import Scenario, run_many
from ._sweep import SweepResult, sweep

__all__ = [
    "AckProcessed",
    "Acked",
    "Ask",
    "Lost",
    "PacketLost",
    "RunResult",
    "Scenario",
    "ScenarioError",
    "Sent",
    "Setup",
    "SweepResult",
    "Table",
    "__version__",
    "controllers",
    "merge",
    "plots",
    "run_many",
    "sweep",
]
