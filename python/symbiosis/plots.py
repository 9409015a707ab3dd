"""The usual figures, with matplotlib: windows, queue, shares, Pareto.

Each takes an `ax` to draw on, or makes one, and returns it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._native import RunResult


def windows(run: RunResult, ax: Axes | None = None) -> Axes:
    """Each flow's congestion window over time."""
    ax = _axes(ax)
    for name, flow in run.flow_trace.to_pandas().groupby("flow", sort=False):
        ax.plot(flow["time_s"], flow["cwnd_packets"], label=name, linewidth=1)
    return _finished(ax, "time [s]", "cwnd [packets]")


def queue(run: RunResult, ax: Axes | None = None) -> Axes:
    """Each link's queue over time."""
    ax = _axes(ax)
    for name, link in run.link_trace.to_pandas().groupby("link", sort=False):
        ax.plot(link["time_s"], link["queue_packets"], label=name, linewidth=1)
    return _finished(ax, "time [s]", "queue [packets]")


def throughput(run: RunResult, ax: Axes | None = None, *, every_s: float = 1.0) -> Axes:
    """Each flow's throughput over time, in means over `every_s`."""
    ax = _axes(ax)
    for name, flow in run.flow_trace.to_pandas().groupby("flow", sort=False):
        slots = flow.groupby((flow["time_s"] // every_s).astype(int))["delivered_bytes"].last()
        ax.plot((slots.index + 1) * every_s, slots.diff().fillna(slots.iloc[0]) * 8 / every_s / 1e6, label=name, linewidth=1)
    return _finished(ax, "time [s]", "throughput [Mbit/s]")


def shares(flows: Any, by: str = "cc", ax: Axes | None = None) -> Axes:
    """Each flow's throughput as a part of its run's, over the runs of a sweep: a box for each value of the column `by`."""
    ax = _axes(ax)
    frame = _frame(flows)
    frame["share"] = frame["throughput_mbps"] / frame.groupby("run")["throughput_mbps"].transform("sum")
    groups = [(str(name), group["share"].dropna()) for name, group in frame.groupby(by, sort=False)]
    ax.boxplot([group for _, group in groups])
    ax.set_xticks(range(1, len(groups) + 1), [name for name, _ in groups])
    return _finished(ax, by, "share of the run's throughput", legend=False)


def pareto(flows: Any, by: str = "cc", ax: Axes | None = None, *, delay: str = "rtt_p95_ms", rate: str = "throughput_mbps") -> Axes:
    """Delay against throughput over the runs of a sweep: a cloud for each value of the column `by`, its mean, and who no other dominates."""
    ax = _axes(ax)
    frame = _frame(flows).dropna(subset=[delay, rate])
    means = frame.groupby(by, sort=False)[[delay, rate]].mean()
    for (name, mean), (_, group) in zip(means.iterrows(), frame.groupby(by, sort=False)):
        points = ax.scatter(group[delay], group[rate], s=6, alpha=0.3)
        ax.scatter(mean[delay], mean[rate], s=60, color=points.get_facecolor()[0][:3], edgecolors="black", label=str(name), zorder=3)
    best = means.sort_values(delay)
    best = best[best[rate] >= best[rate].cummax()]
    ax.plot(best[delay], best[rate], color="black", linewidth=0.8, linestyle="--", zorder=2)
    return _finished(ax, delay.replace("_", " "), rate.replace("_", " "))


def _frame(table: Any) -> Any:
    return table.to_pandas() if hasattr(table, "to_pandas") else table.copy()


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots()[1]


def _finished(ax: Axes, x: str, y: str, *, legend: bool = True) -> Axes:
    ax.set_xlabel(x)
    ax.set_ylabel(y)
    if legend and ax.get_legend_handles_labels()[0]:
        ax.legend()
    return ax
