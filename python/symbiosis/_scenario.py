"""Scenarios and their runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _native, _toml

#: What a scenario can be made from.
Source = "str | os.PathLike[str] | Mapping[str, Any] | Scenario"


def text_of(source: Any, keywords: Mapping[str, Any] | None = None) -> tuple[str, str, str | None]:
    """The text of a scenario, what errors call it, and the folder of the files that it names."""
    if isinstance(source, Scenario):
        return source.text, source._file, source._base
    if isinstance(source, Mapping) or source is None:
        return _toml.document({**(source or {}), **(keywords or {})}), "scenario", None
    if keywords:
        raise TypeError("keywords make a scenario by themselves, or add to a dict; use `set` to change a file or a text")
    name = os.fspath(source)
    if "\n" in name:
        return name, "scenario.toml", None
    return Path(name).read_text(encoding="utf-8"), name, os.path.dirname(os.path.abspath(name))


class Scenario:
    """What a run is: links, flows, cross traffic, times.

    From a TOML file (a path), a TOML text, a dict, or keywords; the keys are those of scenario files (docs/using.md)::

        Scenario("scenarios/reno-ns2.toml", set={"duration_s": 20})
        Scenario(duration_s=20, bottleneck={"rate_mbps": 10, "delay_ms": 20, "queue_bdp": 1.0}, flow=[{"cc": "cubic"}])

    `set` changes values by their paths, as `--set` of the command does. `controllers` names classes of yours that flows may have as their `cc`.
    Raises `ScenarioError`, with the command's words, for what is wrong.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Mapping[str, Any] | Scenario | None = None,
        /,
        *,
        set: Mapping[str, Any] | Sequence[str] | None = None,
        controllers: Mapping[str, type] | None = None,
        **keywords: Any,
    ) -> None:
        text, self._file, self._base = text_of(source, keywords)
        known = source._controllers if isinstance(source, Scenario) else {}
        self._controllers: dict[str, type] = {**known, **(controllers or {})}
        self._native = _native.Scenario(text, self._file, self._base, _toml.sets(set), self._controllers)

    @property
    def name(self) -> str:
        """Its name."""
        return self._native.name

    @property
    def text(self) -> str:
        """It as TOML, with every change applied: `symbiosis simulate` takes it."""
        return self._native.text

    @property
    def seed(self) -> int:
        """The seed that it says; 1 if it says none."""
        return self._native.seed

    def explain(self) -> str:
        """Every effective value, as `symbiosis simulate --explain` prints it."""
        return self._native.explain()

    def run(self, seed: int | None = None, *, traces: bool = True) -> _native.RunResult:
        """Runs it once, with its own seed or another. Without `traces` the samples are not taken, which is faster."""
        return self._native.run(seed, traces)

    def run_many(self, seeds: int | Iterable[int], *, traces: bool = False, threads: int | None = None) -> list[_native.RunResult]:
        """Runs it with several seeds, on all cores: so many from its own on, or these. Results in the order of the seeds."""
        chosen = range(self.seed, self.seed + seeds) if isinstance(seeds, int) else list(seeds)
        return _run([(self, seed) for seed in chosen], traces, threads)

    def __repr__(self) -> str:
        return f"<symbiosis.Scenario {self.name}>"

    def __reduce__(self) -> Any:
        return _remade, (self.text, self._file, self._base, self._controllers)


def _remade(text: str, file: str, base: str | None, controllers: dict[str, type]) -> Scenario:
    scenario = Scenario.__new__(Scenario)
    scenario._file, scenario._base, scenario._controllers = file, base, controllers
    scenario._native = _native.Scenario(text, file, base, [], controllers)
    return scenario


def run_many(
    scenarios: Iterable[Scenario], *, seeds: int | Iterable[int] | None = None, traces: bool = False, threads: int | None = None
) -> list[_native.RunResult]:
    """Runs several scenarios on all cores, each with its own seed or with each of `seeds`. Results in the order of the scenarios, then seeds."""
    runs: list[tuple[Scenario, int]] = []
    given = list(seeds) if seeds is not None and not isinstance(seeds, int) else seeds
    for scenario in scenarios:
        many = 1 if given is None else given
        runs += [(scenario, seed) for seed in (range(scenario.seed, scenario.seed + many) if isinstance(many, int) else many)]
    return _run(runs, traces, threads)


def _run(runs: list[tuple[Scenario, int]], traces: bool, threads: int | None) -> list[_native.RunResult]:
    if any(scenario._controllers for scenario, _ in runs):
        threads = 1  # The interpreter runs one thread at a time.
    return _native.run_many([(scenario._native, seed) for scenario, seed in runs], traces, threads or os.cpu_count() or 1)
