import os
from collections.abc import Callable, Iterable
from typing import Any, final

__version__: str

class ScenarioError(ValueError):
    """A scenario or a sweep is wrong: what, where, and what would be right."""

    what: str
    help: str | None
    file: str
    text: str
    at: tuple[int, int] | None

@final
class Table:
    """A table in Arrow's memory, which whatever knows the Arrow PyCapsule interface takes without copying."""

    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...

@final
class RunResult:
    """What a run found."""

    @property
    def summary(self) -> dict[str, Any]: ...
    @property
    def flow_trace(self) -> Table: ...
    @property
    def link_trace(self) -> Table: ...

@final
class Scenario:
    def __init__(
        self, text: str, file: str, base: str | os.PathLike[str] | None = None, sets: list[str] = ..., controllers: dict[str, type] | None = None
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def seed(self) -> int: ...
    def explain(self) -> str: ...
    def run(self, seed: int | None = None, traces: bool = True) -> RunResult: ...

@final
class Sweep:
    def __init__(
        self,
        text: str,
        file: str,
        base: str | os.PathLike[str] | None = None,
        scenario: tuple[str, str] | None = None,
        sets: list[str] = ...,
        seeds: int | None = None,
        controllers: dict[str, type] | None = None,
    ) -> None: ...
    def check(self) -> None: ...
    @property
    def runs(self) -> int: ...
    @property
    def chunks(self) -> int: ...
    @property
    def id(self) -> str: ...
    @property
    def axes(self) -> list[str]: ...
    @property
    def text(self) -> str: ...
    @property
    def scenario(self) -> str: ...
    def run_chunk(self, chunk: int, traces: str | os.PathLike[str] | None = None) -> bytes: ...
    def run_here(self, chunks: list[int], threads: int, progress: Callable[[int], None] | None = None) -> list[bytes]: ...
    def tables(self, found: list[bytes]) -> tuple[Table, Table, Table]: ...

@final
class Store:
    def __init__(self, folder: str | os.PathLike[str], sweep: Sweep) -> None: ...
    @staticmethod
    def done(folder: str | os.PathLike[str], sweep: Sweep) -> tuple[int, int, list[str]] | None: ...
    def share(self, shard: str = "1/1") -> tuple[int, list[int]]: ...
    def run(
        self, chunks: list[int], threads: int, traces: str | os.PathLike[str] | None = None, progress: Callable[[int], None] | None = None
    ) -> None: ...
    def keep(self, chunk: int, found: bytes) -> None: ...
    def finish(self) -> tuple[int, int, list[str]] | None: ...

@final
class Setup:
    """What a controller is told when its connection opens."""

    packet: int
    initial_window: int
    timer: float
    seed: int

@final
class Sent:
    """A packet left."""

    now: float
    number: int
    bytes: int
    in_flight: int
    retransmission: bool
    app_limited: bool

@final
class Acked:
    """A packet is acknowledged for the first time."""

    now: float
    number: int
    bytes: int
    sent_at: float
    rtt: float | None
    in_flight: int
    app_limited: bool
    recovering: bool
    grows: bool

@final
class PacketLost:
    """A packet is presumed lost."""

    now: float
    number: int
    bytes: int
    sent_at: float
    in_flight: int

@final
class Lost:
    """A congestion event: once for an episode of loss."""

    now: float
    kind: str
    in_flight: int
    bytes: int

@final
class AckProcessed:
    """Everything that an ACK says has been told."""

    now: float
    in_flight: int
    recovering: bool
    cwnd_limited: bool

@final
class Ask:
    """A packet is ready: may it leave?"""

    now: float
    in_flight: int

def controllers() -> list[tuple[str, str]]: ...
def run_many(runs: Iterable[tuple[Scenario, int]], traces: bool, threads: int) -> list[RunResult]: ...
def merge(shards: list[str] | list[os.PathLike[str]], out: str | os.PathLike[str]) -> tuple[int, int, list[str]]:
    """Puts shards of a sweep together in a folder, as `symbiosis sweep merge` does: runs, runs that were not possible, files."""
