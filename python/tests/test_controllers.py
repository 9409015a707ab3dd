"""Controllers written in Python."""

from __future__ import annotations

from typing import Any

import pytest
import symbiosis
from conftest import SMALL

LINK = {"duration_s": 10, "bottleneck": {"rate_mbps": 10, "delay_ms": 20, "queue_bdp": 1.0}}


class Reno:
    """RFC 5681, for comparison with the one in Rust."""

    def __init__(self, setup: symbiosis.Setup) -> None:
        self.packet, self.window, self.ssthresh = setup.packet, float(setup.initial_window), float("inf")

    def acked(self, ack: symbiosis.Acked) -> None:
        if ack.grows and not ack.app_limited:
            self.window += ack.bytes if self.window < self.ssthresh else self.packet * ack.bytes / self.window

    def lost(self, loss: symbiosis.Lost) -> None:
        self.ssthresh = max(self.window / 2, 2 * self.packet)
        self.window = self.packet if loss.kind == "timeout" else self.ssthresh

    def permit(self, ask: symbiosis.Ask) -> float:
        return self.window

    def gauges(self) -> dict[str, float]:
        return {"ssthresh_packets": min(self.ssthresh / self.packet, 1e6)}


class Fixed:
    """A rate that is kept, whatever happens."""

    params = {"rate_mbps": 4.0}

    def __init__(self, setup: symbiosis.Setup, rate_mbps: float) -> None:
        self.gap, self.next, self.heard = setup.packet * 8 / rate_mbps / 1e6, 0.0, set[str]()

    def sent(self, sent: symbiosis.Sent) -> None:
        self.next = max(self.next, sent.now) + self.gap

    def acked(self, ack: symbiosis.Acked) -> None:
        assert ack.now >= ack.sent_at and (ack.rtt is None or ack.rtt >= 0.04)

    def lost(self, loss: symbiosis.Lost) -> None: ...

    def permit(self, ask: symbiosis.Ask) -> tuple[float, float]:
        return 1e9, self.next


def run(classes: dict[str, type], **flow: Any) -> symbiosis.RunResult:
    return symbiosis.Scenario({**LINK, "flow": [flow]}, controllers=classes).run()


def test_reno_in_python_is_as_reno_in_rust() -> None:
    own, rust = run({"own": Reno}, cc="own"), symbiosis.Scenario({**LINK, "flow": [{"cc": "reno"}]}).run()
    mine, theirs = own.summary["flows"][0], rust.summary["flows"][0]
    assert mine["throughput_mbps"] == pytest.approx(theirs["throughput_mbps"], rel=0.01)
    assert mine["loss_events"] == theirs["loss_events"] > 0
    assert "ssthresh_packets" in own.flow_trace.column_names
    # And it is repeatable.
    assert run({"own": Reno}, cc="own").summary == own.summary


def test_departures_and_parameters_are_heeded() -> None:
    assert run({"fixed": Fixed}, cc="fixed").summary["flows"][0]["throughput_mbps"] == pytest.approx(4.0, rel=0.01)
    assert run({"fixed": Fixed}, cc="fixed", params={"rate_mbps": 7}).summary["flows"][0]["throughput_mbps"] == pytest.approx(7.0, rel=0.01)
    with pytest.raises(symbiosis.ScenarioError, match="no parameter `rate`"):
        run({"fixed": Fixed}, cc="fixed", params={"rate": 7})


def test_what_a_controller_raises_comes_out() -> None:
    class Raises(Reno):
        def lost(self, loss: symbiosis.Lost) -> None:
            raise KeyError("first loss")

    class Wrong(Reno):
        def permit(self, ask: symbiosis.Ask) -> Any:
            return float("nan")

    class Lacks:
        def acked(self, ack: symbiosis.Acked) -> None: ...

    with pytest.raises(KeyError, match="first loss"):
        run({"raises": Raises}, cc="raises")
    with pytest.raises(ValueError, match="not a number"):
        run({"wrong": Wrong}, cc="wrong")
    with pytest.raises(TypeError, match="no method `lost`"):
        run({"lacks": Lacks}, cc="lacks")


def test_a_sweep_has_it_beside_others() -> None:
    found = symbiosis.sweep(SMALL, {"flow.*.cc": ["own", "reno"]}, seeds=2, controllers={"own": Reno}).flows.to_pandas()
    assert sorted(found["cc"].unique()) == ["own", "reno"] and len(found) == 8
