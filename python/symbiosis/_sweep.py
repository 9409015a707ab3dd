"""Sweeps: on this machine's cores, in any executor, on a Ray cluster."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from . import _native, _toml
from ._executors import Given, Job, Ray, Submits, run
from ._scenario import Scenario, text_of

Table = Mapping[str, Any]


class SweepResult:
    """What a sweep found: tables `flows` (a row a flow and run), `links` (a row a link and run), `failures` (a row a run that was not possible).

    Without `out` the tables are `symbiosis.Table`; with it they are read from the dataset when they are asked for, as `pyarrow.Table`.
    """

    def __init__(self, runs: int, failed: int, axes: list[str], path: str | None, tables: tuple[_native.Table, ...] | None) -> None:
        #: How many runs there were.
        self.runs = runs
        #: How many of them were not possible.
        self.failed = failed
        #: The paths of the axes: columns of every table.
        self.axes = axes
        #: Where the dataset is; None if it is in memory.
        self.path = path
        self._tables = tables

    @property
    def flows(self) -> Any:
        """A row a flow and run."""
        return self._table(0, "flows")

    @property
    def links(self) -> Any:
        """A row a link and run."""
        return self._table(1, "links")

    @property
    def failures(self) -> Any:
        """A row a run that was not possible, with why."""
        return self._table(2, "failures")

    def _table(self, at: int, name: str) -> Any:
        if self._tables is not None:
            return self._tables[at]
        from pyarrow import dataset

        place: Any = f"{self.path}/{name}"
        if "://" in place:
            import fsspec

            system, place = fsspec.core.url_to_fs(place)
            return dataset.dataset(place, filesystem=system, format="parquet", partitioning="hive").to_table()
        return dataset.dataset(place, format="parquet", partitioning="hive").to_table()

    def __repr__(self) -> str:
        place = f" in {self.path}" if self.path else ""
        return f"<symbiosis.SweepResult of {self.runs} runs, {self.failed} of them not possible{place}; axes {', '.join(self.axes)}>"


def sweep(
    scenario: str | os.PathLike[str] | Mapping[str, Any] | Scenario,
    axes: Mapping[str, Any] | None = None,
    *,
    seeds: int | Sequence[int] | None = None,
    zip: Iterable[Table] = (),
    skip: Iterable[Table] = (),
    only: Iterable[Table] = (),
    set: Mapping[str, Any] | Sequence[str] | None = None,
    controllers: Mapping[str, type] | None = None,
    out: str | os.PathLike[str] | None = None,
    traces: bool = False,
    shard: str | None = None,
    executor: str | Submits | None = None,
    workers: int | None = None,
    retries: int = 3,
    progress: bool | Callable[[int, int], None] | None = None,
) -> SweepResult:
    """Runs a scenario over axes and seeds; docs/researchers.md tells what each means.

    `scenario` is what `Scenario` takes, or a sweep file (then `axes` and `seeds` are in it). `axes` has paths and their values: a list, a range,
    an array, or a dict such as `{"from": 10, "to": 50, "step": 10}` or `{"log_from": 1, "log_to": 1000, "points": 4}`.

    `out` is a folder, or any URL that fsspec knows; a sweep that was interrupted goes on when it is called again. Without it the tables are in memory.
    `executor` is None for threads of this process, `"ray"` for the Ray cluster that this process is connected to (or a local one), or any
    `concurrent.futures.Executor`, or submitit's; `workers` is how many of them there are, where the executor does not tell. A chunk that a worker lost is run again, up to `retries` times.
    The results are the same bytes in each case. `progress` is True for lines on stderr, or a function of chunks done, those of an earlier call included, and all chunks of the share.
    """
    text, file, base, inner = _definition(scenario, axes, seeds, zip, skip, only)
    if isinstance(scenario, Scenario):
        controllers = {**scenario._controllers, **(controllers or {})}
    count = seeds if isinstance(seeds, int) else None
    job = Job(text, file, base, inner, _toml.sets(set), count, dict(controllers or {}))
    made = job.sweep()
    made.check()
    if controllers and executor is None:
        workers = 1  # The interpreter runs one thread at a time; a process pool runs more.
    if out is None:
        if traces or shard:
            raise ValueError("traces and shards are written: give `out`")
        return _in_memory(job, made, executor, workers, retries, _progress(progress, made, made.chunks, 0))
    place = os.fspath(out)
    remote = "://" in place
    folder = Path(tempfile.gettempdir(), f"symbiosis-{made.id[:16]}") if remote else Path(place)
    if remote and (known := _known(place, made)) is not None:
        return SweepResult(known[0], known[1], made.axes, place, None)
    came = _native.Store.done(folder, made)
    if came is None:
        store = _native.Store(folder, made)
        share, missing = store.share(shard or "1/1")
        tell = _progress(progress, made, share, share - len(missing))
        wanted = f"{place.rstrip('/')}/traces" if traces else None
        if executor is None and not (remote and traces):
            store.run(missing, workers or os.cpu_count() or 1, wanted, tell)
        else:
            _run(job, missing, store.keep, executor, workers, retries, tell, wanted)
        came = store.finish()
    if came is None:
        return SweepResult(made.runs, 0, made.axes, place, None)
    runs, failed, files = came
    if remote:
        _upload(folder, files, place)
    return SweepResult(runs, failed, made.axes, place, None)


def _definition(
    scenario: Any, axes: Mapping[str, Any] | None, seeds: Any, zips: Iterable[Table], skip: Iterable[Table], only: Iterable[Table]
) -> tuple[str, str, str | None, tuple[str, str] | None]:
    """The sweep as text, what errors call it, the folder of its files, and the scenario's text and name if it is apart."""
    text, file, base = text_of(scenario)
    is_sweep = re.search(r"^\s*(\[axes|\[\[zip|\[scenario|axes\.|scenario\s*=)", text, re.MULTILINE)
    if axes is None and not zips and is_sweep and not isinstance(scenario, (Scenario, Mapping)):
        return text, file, base, None
    lines = ["" if isinstance(seeds, int) or seeds is None else f"seeds = {_toml.value(seeds)}"]
    for head, tables in (("[axes]", [axes or {}]), ("[[zip]]", zips), ("[[skip]]", skip), ("[[only]]", only)):
        for table in tables:
            lines += [head, *(f"{_toml.value(path)} = {_toml.value(inner)}" for path, inner in table.items())]
    return "\n".join(lines) + "\n", "sweep", base, (text, file)


def _run(
    job: Job,
    chunks: list[int],
    keep: Callable[[int, bytes], None],
    executor: str | Submits | None,
    workers: int | None,
    retries: int,
    tell: Callable[[int], None] | None,
    traces: str | None = None,
) -> None:
    if executor == "ray":
        run(Ray(job, workers, retries, traces), chunks, keep, retries, tell)
    elif isinstance(executor, str):
        raise ValueError(f'executor is {executor!r}: it must be "ray", None, or have `submit` as a concurrent.futures.Executor')
    elif executor is None:
        with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
            run(Given(pool, job, workers, traces), chunks, keep, retries, tell)
    else:
        run(Given(executor, job, workers, traces), chunks, keep, retries, tell)


def _in_memory(
    job: Job, made: _native.Sweep, executor: str | Submits | None, workers: int | None, retries: int, tell: Callable[[int], None] | None
) -> SweepResult:
    chunks = list(range(made.chunks))
    if executor is None:
        found = made.run_here(chunks, workers or os.cpu_count() or 1, tell)
    else:
        kept: dict[int, bytes] = {}
        _run(job, chunks, kept.__setitem__, executor, workers, retries, tell)
        found = [kept[chunk] for chunk in chunks]
    tables = made.tables(found)
    return SweepResult(made.runs, len(tables[2]), made.axes, None, tables)


def _known(place: str, made: _native.Sweep) -> tuple[int, int] | None:
    """What a finished sweep at a URL came to, if it is this one."""
    import json

    import fsspec

    system, path = fsspec.core.url_to_fs(place)
    if not system.exists(f"{path}/sweep.json"):
        return None
    done = json.loads(system.cat_file(f"{path}/sweep.json"))
    if done["id"] != made.id:
        raise FileExistsError(f"{place}: another sweep, or one of another version, is there")
    return done["runs"], done["failed"]


def _upload(folder: Path, files: list[str], place: str) -> None:
    """Puts a dataset where the URL says, `sweep.json` last: where that is, all is."""
    import fsspec

    system, path = fsspec.core.url_to_fs(place)
    for file in [*files, "sweep.json"]:
        system.makedirs(f"{path}/{file}".rsplit("/", 1)[0], exist_ok=True)
        system.put_file(str(folder / file), f"{path}/{file}")
    shutil.rmtree(folder)


def _progress(wanted: bool | Callable[[int, int], None] | None, made: _native.Sweep, chunks: int, before: int) -> Callable[[int], None] | None:
    """What is told how many chunks have been done by this call: of so many, of which some were there before it."""
    if callable(wanted):
        return lambda done: wanted(before + done, chunks)
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        return None
    since = last = time.monotonic()
    end = "\r" if sys.stderr.isatty() else "\n"
    every = 0.2 if sys.stderr.isatty() else 10.0
    # Chunks are all as long, but for the last.
    runs = made.runs * chunks / made.chunks

    def tell(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < every and before + done < chunks:
            return
        last = now
        left = (now - since) * (chunks - before - done) / max(done, 1)
        print(f"{runs * (before + done) / chunks:.0f} of {runs:.0f} runs, about {left:.0f} s left   ", end=end, file=sys.stderr, flush=True)
        if before + done == chunks and end == "\r":
            print(file=sys.stderr)

    return tell
