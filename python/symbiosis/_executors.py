"""Chunks of a sweep in executors and on Ray.

A chunk's bytes follow from the sweep and the chunk's number. So it may run anywhere, twice, or again after a worker was lost, and whatever comes back
first is kept.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, Future, wait
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from . import _native

#: Chunks that wait at a worker while it runs another: the driver answers in less time than a chunk takes.
WAITING = 2


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


def run_in_executor(
    executor: Executor,
    job: Job,
    chunks: list[int],
    keep: Callable[[int, bytes], None],
    workers: int | None,
    retries: int,
    tell: Callable[[int], None] | None,
    traces: str | None,
) -> None:
    """Runs chunks in an executor, not all at a time: neither side holds more than what is under way."""
    name = f"{job.sweep().id} {sorted(job.controllers)}"
    most = WAITING * (workers or getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
    waiting: dict[Future[bytes], int] = {}
    rest, tries, done = iter(chunks), dict[int, int](), 0

    def submit(chunk: int) -> None:
        waiting[executor.submit(work, name, job, chunk, traces)] = chunk

    try:
        for chunk in islice(rest, most):
            submit(chunk)
        while waiting:
            ended, _ = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ended:
                chunk = waiting.pop(future)
                try:
                    keep(chunk, future.result())
                except (BrokenExecutor, _native.ScenarioError, KeyboardInterrupt):
                    raise
                except (Exception, CancelledError):
                    tries[chunk] = tries.get(chunk, 0) + 1
                    if tries[chunk] > retries:
                        raise
                    submit(chunk)
                    continue
                done += 1
                if tell:
                    tell(done)
                if (following := next(rest, None)) is not None:
                    submit(following)
    finally:
        for future in waiting:
            future.cancel()


def run_in_ray(
    job: Job,
    chunks: list[int],
    keep: Callable[[int, bytes], None],
    workers: int | None,
    retries: int,
    tell: Callable[[int], None] | None,
    traces: str | None,
) -> None:
    """Runs chunks as tasks of Ray, which runs a task again whose worker or node was lost."""
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    name = f"{job.sweep().id} {sorted(job.controllers)}"
    held = ray.put(job)
    task = ray.remote(num_cpus=1, max_retries=retries)(work)
    most = WAITING * (workers or int(ray.cluster_resources().get("CPU", 1)))
    rest, tries, done = iter(chunks), dict[int, int](), 0
    waiting: dict[Any, int] = {}

    def submit(chunk: int) -> None:
        waiting[task.remote(name, held, chunk, traces)] = chunk

    try:
        for chunk in islice(rest, most):
            submit(chunk)
        while waiting:
            ended, _ = ray.wait(list(waiting), num_returns=1)
            for reference in ended:
                chunk = waiting.pop(reference)
                try:
                    keep(chunk, ray.get(reference))
                except ray.exceptions.RayTaskError:
                    raise
                except ray.exceptions.RayError:
                    # Lost more often than Ray tries again by itself.
                    tries[chunk] = tries.get(chunk, 0) + 1
                    if tries[chunk] > retries:
                        raise
                    submit(chunk)
                    continue
                done += 1
                if tell:
                    tell(done)
                if (following := next(rest, None)) is not None:
                    submit(following)
    finally:
        for reference in waiting:
            ray.cancel(reference, force=False)
