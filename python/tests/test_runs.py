"""Scenarios, runs, and their tables."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import symbiosis
from conftest import ROOT, SMALL, need


def test_a_run_finds_what_the_command_finds(command: str) -> None:
    path = ROOT / "scenarios" / "random-loss.toml"
    printed = json.loads(subprocess.check_output([command, "simulate", path, "--json", "--seed", "3", "--set", "duration_s=5"]))
    del printed["wall_s"]
    assert symbiosis.Scenario(path, set={"duration_s": 5}).run(seed=3).summary == printed


def test_a_scenario_comes_from_a_file_a_text_a_dict_or_keywords() -> None:
    whole = symbiosis.Scenario(SMALL)
    keywords = symbiosis.Scenario(**SMALL)
    text = symbiosis.Scenario(whole.text)
    changed = symbiosis.Scenario({**SMALL, "duration_s": 9}, set={"duration_s": 0.2})
    listed = symbiosis.Scenario({**SMALL, "duration_s": 9}, set=["duration_s=0.2"])
    found = [scenario.run(traces=False).summary for scenario in (whole, keywords, text, changed, listed, pickle.loads(pickle.dumps(whole)))]
    assert all({**one, "scenario": ""} == {**found[0], "scenario": ""} for one in found)
    assert "rate_mbps" in whole.explain() or "Mbit/s" in whole.explain()


@pytest.mark.parametrize(
    ("change", "words", "help"),
    [
        ({"flow.0.cc": "renno"}, 'there is no controller "renno"', "did you mean `reno`?"),
        ({"bottleneck.loss": 2}, "`bottleneck.loss` is 2", "a number of at least 0 and below 1"),
        ({"flow.7.cc": "reno"}, "there is no `flow.7`", "`flow.0` to `flow.1`"),
    ],
)
def test_bad_input_is_said_in_the_words_of_the_command(command: str, tmp_path: Path, change: dict[str, Any], words: str, help: str) -> None:
    with pytest.raises(symbiosis.ScenarioError) as error:
        symbiosis.Scenario(SMALL, set=change)
    assert words in error.value.what and help in (error.value.help or "") and words in str(error.value)
    assert isinstance(error.value, ValueError) and error.value.at is not None
    (tmp_path / "small.toml").write_text(symbiosis.Scenario(SMALL).text)
    sets = [f"--set={path}={value}" for path, value in change.items()]
    said = subprocess.run([command, "simulate", "small.toml", *sets], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 2 and words in said.stderr.replace("\n", " ")


def test_tables_are_taken_without_copying() -> None:
    pa, pandas = need("pyarrow"), need("pandas")
    run = symbiosis.Scenario(SMALL).run()
    table = pa.table(run.flow_trace)
    assert table.column_names == run.flow_trace.column_names and len(table) == len(run.flow_trace) > 100
    assert pa.schema(run.flow_trace) == table.schema
    # The same memory each time that it is handed over.
    held = run.flow_trace
    places = [pa.table(held)["cwnd_packets"].chunk(0).buffers()[1].address for _ in range(2)]
    assert places[0] == places[1]
    assert isinstance(run.link_trace.to_pandas(), pandas.DataFrame)
    assert len(symbiosis.Scenario(SMALL).run(traces=False).flow_trace) == 0


def test_polars_and_duckdb_take_them_too() -> None:
    polars, duckdb = need("polars"), need("duckdb")
    flows = symbiosis.Scenario(SMALL).run().flow_trace
    assert polars.DataFrame(flows).height == len(flows) == flows.to_polars().height
    assert duckdb.sql("select count(*) from flows").fetchall() == [(len(flows),)]


def test_many_runs_are_those_of_each() -> None:
    scenario = symbiosis.Scenario(SMALL)
    many = scenario.run_many(4, threads=2)
    assert [run.summary for run in many] == [scenario.run(seed, traces=False).summary for seed in (1, 2, 3, 4)]
    assert [run.summary["seed"] for run in symbiosis.run_many([scenario, scenario], seeds=[5, 6])] == [5, 6, 5, 6]


def test_other_threads_run_while_a_run_does() -> None:
    count, over = 0, threading.Event()

    def ticks() -> None:
        nonlocal count
        while not over.wait(0.002):
            count += 1

    thread = threading.Thread(target=ticks)
    thread.start()
    begun = time.monotonic()
    symbiosis.Scenario({**SMALL, "duration_s": 2000, "bottleneck": {**SMALL["bottleneck"], "loss": 0}}).run(traces=False)
    lasted = time.monotonic() - begun
    over.set()
    thread.join()
    assert lasted > 0.1 and count > lasted / 0.1


def test_ctrl_c_ends_a_run() -> None:
    program = "import symbiosis, sys; print('here', flush=True); symbiosis.Scenario(sys.argv[1]).run(traces=False)"
    long = symbiosis.Scenario({**SMALL, "duration_s": 1_000_000}).text
    child = subprocess.Popen([sys.executable, "-c", program, long + "\n"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "here\n"
    time.sleep(0.5)
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and child.returncode != 0
    assert time.monotonic() - begun < 10


def test_plots_are_drawn() -> None:
    matplotlib = need("matplotlib")
    matplotlib.use("Agg")
    run = symbiosis.Scenario(SMALL).run()
    found = symbiosis.sweep(SMALL, {"flow.*.cc": ["reno", "cubic"]}, seeds=3)
    for ax, curves in ((symbiosis.plots.windows(run), 2), (symbiosis.plots.queue(run), 1), (symbiosis.plots.throughput(run, every_s=0.05), 2)):
        assert len(ax.lines) == curves and len(ax.lines[0].get_xdata()) > 3
    assert len(symbiosis.plots.shares(found.flows).get_xticklabels()) == 2
    assert len(symbiosis.plots.pareto(found.flows).collections) == 4


def test_types_are_stated() -> None:
    need("mypy")
    program = "import symbiosis\nreveal_type(symbiosis.Scenario(duration_s=1).run().flow_trace)\nsymbiosis.Scenario(3)\n"
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "-c", program], capture_output=True, text=True, cwd=os.path.dirname(__file__))
    assert 'Revealed type is "symbiosis._native.Table"' in done.stdout, done.stdout
    assert 'has incompatible type "int"' in done.stdout and done.stdout.count("error:") == 1, done.stdout
