"""Chunks of a sweep in executors and on Ray.

A chunk's bytes follow from the sweep and the chunk's number. So it may run anywhere, twice, or again after a worker was lost, and whatever comes back
first is kept.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Protocol

from . import _native

#: Chunks under way for each worker, one of which waits there: the driver answers in less time than a chunk takes.
WAITING = 2
#: How often tasks that are no futures of the standard library are asked whether they have ended [s]: seldom enough for a scheduler such as Slurm's.
ASKED = 0.2


class Submits(Protocol):
    """What `sweep` asks of an executor: `concurrent.futures.Executor` has it, and so has submitit's."""

    def submit(self, work: Callable[..., Any], /, *args: Any) -> Any:
        """Runs it somewhere; what is given back has `result`, `done` and `cancel`."""


@dataclass(frozen=True, eq=False)
class Job:
    """What a worker needs to know of a sweep."""

    text: str
    file: str
    base: str | None
    scenario: tuple[str, str] | None
    sets: list[str]
    seeds: int | None
    controllers: dict[str, type]

    def sweep(self) -> _native.Sweep:
        """The sweep."""
        return _native.Sweep(self.text, self.file, self.base, self.scenario, self.sets, self.seeds, self.controllers)

    def name(self) -> str:
        """Tells jobs apart: equal for equal ones."""
        return f"{self.sweep().id} {sorted(self.controllers)}"

    def run(self, chunk: int, traces: str | None) -> bytes:
        """Runs a chunk, in whatever process this is."""
        if traces is None or "://" not in traces:
            return _read(self).run_chunk(chunk, traces)
        import fsspec

        with tempfile.TemporaryDirectory() as folder:
            found = _read(self).run_chunk(chunk, folder)
            system, place = fsspec.core.url_to_fs(traces)
            for run in os.listdir(folder):
                system.makedirs(f"{place}/{run}", exist_ok=True)
                for file in os.listdir(f"{folder}/{run}"):
                    system.put_file(f"{folder}/{run}/{file}", f"{place}/{run}/{file}")
            return found


@lru_cache(maxsize=4)
def _read(job: Job) -> _native.Sweep:
    return job.sweep()


#: The job of this worker's process by its text, so that a sweep is read once in each process and not once in each chunk.
_jobs: dict[str, Job] = {}


def work(name: str, job: Job, chunk: int, traces: str | None) -> bytes:
    """What a worker does."""
    return _jobs.setdefault(name, job).run(chunk, traces)


class Lost(Exception):
    """A task whose worker was lost; why is its cause."""


class Cluster(Protocol):
    """Where chunks run."""

    #: How many chunks are under way at the most: neither side holds more.
    most: int

    def submit(self, chunk: int) -> Any:
        """Sends a chunk to a worker, as a task."""

    def ended(self, waiting: Collection[Any]) -> Iterable[Any]:
        """Those of the tasks that have ended, once there are any."""

    def result(self, task: Any) -> bytes:
        """What the chunk found; `Lost` if it may be tried again."""

    def cancel(self, task: Any) -> None:
        """Its result is not wanted any more."""


def run(cluster: Cluster, chunks: list[int], keep: Callable[[int, bytes], None], retries: int, tell: Callable[[int], None] | None) -> None:
    """Runs chunks and keeps what they find, in the order in which they end."""
    rest, tries, done = iter(chunks), dict[int, int](), 0
    waiting = {cluster.submit(chunk): chunk for chunk in islice(rest, cluster.most)}
    try:
        while waiting:
            for task in cluster.ended(waiting):
                chunk = waiting.pop(task)
                try:
                    keep(chunk, cluster.result(task))
                except Lost as lost:
                    tries[chunk] = tries.get(chunk, 0) + 1
                    if tries[chunk] > retries:
                        raise lost.__cause__ or lost
                    waiting[cluster.submit(chunk)] = chunk
                    continue
                done += 1
                if tell:
                    tell(done)
                if (following := next(rest, None)) is not None:
                    waiting[cluster.submit(following)] = following
    finally:
        for task in waiting:
            cluster.cancel(task)


class Given:
    """An executor that the caller made."""

    def __init__(self, executor: Submits, job: Job, workers: int | None, traces: str | None) -> None:
        self.executor, self.job, self.traces = executor, job, traces
        self.name = job.name()
        known = (getattr(executor, name, None) for name in ("_max_workers", "num_workers"))
        self.most = WAITING * (workers or next(filter(None, known), None) or os.cpu_count() or 1)

    def submit(self, chunk: int) -> Any:
        return self.executor.submit(work, self.name, self.job, chunk, self.traces)

    def ended(self, waiting: Collection[Any]) -> Iterable[Any]:
        if all(isinstance(task, Future) for task in waiting):
            return wait(waiting, return_when=FIRST_COMPLETED).done
        while not (ended := [task for task in waiting if task.done()]):
            time.sleep(ASKED)
        return ended

    def result(self, task: Any) -> bytes:
        try:
            found: bytes = task.result()
            return found
        except (BrokenExecutor, _native.ScenarioError, KeyboardInterrupt):
            raise
        except (Exception, CancelledError) as error:
            raise Lost from error

    def cancel(self, task: Any) -> None:
        task.cancel()


class Ray:
    """The Ray cluster that this process is connected to, or a local one. It runs a task again whose worker or node was lost."""

    def __init__(self, job: Job, workers: int | None, retries: int, traces: str | None) -> None:
        import ray

        if not ray.is_initialized():
            ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
        self.ray, self.name, self.traces = ray, job.name(), traces
        self.job = ray.put(job)
        self.task = ray.remote(num_cpus=1, max_retries=retries)(work)
        self.most = WAITING * (workers or int(ray.cluster_resources().get("CPU", 1)))

    def submit(self, chunk: int) -> Any:
        return self.task.remote(self.name, self.job, chunk, self.traces)

    def ended(self, waiting: Collection[Any]) -> Iterable[Any]:
        ended: list[Any] = self.ray.wait(list(waiting), num_returns=1)[0]
        return ended

    def result(self, task: Any) -> bytes:
        try:
            found: bytes = self.ray.get(task)
            return found
        except self.ray.exceptions.RayTaskError:
            raise
        except self.ray.exceptions.RayError as error:
            # Lost more often than Ray tries again by itself.
            raise Lost from error

    def cancel(self, task: Any) -> None:
        self.ray.cancel(task, force=False)
