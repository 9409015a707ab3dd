// Charts over time. All of a page share the cursor and the zoom; those of the same quantity share their axis in both columns.

import uPlot from "uplot";
import { colour, dash } from "./palette";
import type { Measured } from "./measured";
import type { Column, Series } from "./series";

const HEIGHT = 170;
const SYNC = "time";

interface Line { label: string; stroke: string; dash?: number[]; width?: number; of(series: Series): Column }
/** `measured` names the column of a measured trace that is drawn beside. */
export interface Kind { id: string; title: string; unit: string; measured?: string; lines(series: Series): Line[] }

function each(series: Series, of: (series: Series, flow: number) => Column): Line[] {
  return series.said.flows.map((flow, index) => ({
    label: flow.id, stroke: colour(index), dash: dash(index), of: (series) => of(series, index),
  }));
}

const TRUTH = "var(--muted)";

export const KINDS: Kind[] = [
  { id: "rate", title: "Throughput", unit: "Mbit/s", measured: "rate", lines: (s) => [
    ...each(s, (series, flow) => series.rate[flow]),
    { label: "link", stroke: TRUTH, dash: [3, 3], of: (series) => series.truthK },
  ] },
  { id: "window", title: "Window", unit: "packets", measured: "cwnd_packets", lines: (s) => each(s, (series, flow) => series.window[flow]) },
  { id: "queue", title: "Queue", unit: "packets", lines: () => [{ label: "waiting", stroke: colour(0), of: (series) => series.queue }] },
  { id: "rtt", title: "Round-trip time", unit: "ms", measured: "srtt_ms", lines: (s) => each(s, (series, flow) => series.rtt[flow]) },
  { id: "estimates", title: "K and A as flow 1 estimates them, and as they are", unit: "Mbit/s", lines: () => [
    { label: "K", stroke: colour(0), of: (series) => series.gauges[0]?.get("K_mbps") ?? blank(series) },
    { label: "K true", stroke: colour(0), dash: [3, 3], of: (series) => series.truthK },
    { label: "A", stroke: colour(1), of: (series) => series.gauges[0]?.get("A_mbps") ?? blank(series) },
    { label: "A true", stroke: colour(1), dash: [3, 3], of: (series) => (series.said.flows.length > 0 ? series.truthA(0) : blank(series)) },
  ] },
];

function blank(series: Series): Column {
  return new Array<number | null>(series.time.length).fill(null);
}

function css(name: string): string {
  return name.startsWith("var(") ? getComputedStyle(document.documentElement).getPropertyValue(name.slice(4, -1)).trim() : name;
}

/** Zoom of all charts: the shown part of the run, or all of it. */
export class Zoom {
  private readonly charts = new Set<Chart>();
  range: [number, number] | null = null;

  join(chart: Chart) { this.charts.add(chart); }
  leave(chart: Chart) { this.charts.delete(chart); }

  set(range: [number, number] | null) {
    this.range = range;
    for (const chart of this.charts) chart.show();
  }
}

export class Chart {
  readonly element = document.createElement("figure");
  private plot: uPlot | null = null;
  private lines: Line[] = [];
  private series: Series | null = null;
  private most = 0;
  private besides: Line[] = [];
  private readonly body = document.createElement("div");

  constructor(private readonly kind: Kind, private readonly zoom: Zoom, private readonly common: Common) {
    this.element.className = "chart";
    this.element.dataset.chart = kind.id;
    const caption = document.createElement("figcaption");
    caption.textContent = `${kind.title} [${kind.unit}]`;
    this.element.append(caption, this.body);
    zoom.join(this);
    common.join(this);
    new ResizeObserver(() => this.plot?.setSize({ width: this.body.clientWidth, height: HEIGHT })).observe(this.body);
  }

  remove() {
    this.zoom.leave(this);
    this.common.leave(this);
    this.plot?.destroy();
    this.element.remove();
  }

  begin(series: Series) {
    this.series = series;
    this.lines = [...this.kind.lines(series), ...this.besides];
    this.plot?.destroy();
    const axis = { stroke: css("var(--text)"), grid: { stroke: css("var(--grid)"), width: 1 }, ticks: { stroke: css("var(--grid)") } };
    this.plot = new uPlot({
      width: this.body.clientWidth || 400,
      height: HEIGHT,
      cursor: { sync: { key: SYNC }, drag: { x: true, y: false }, bind: { dblclick: () => () => (this.zoom.set(null), null) } },
      hooks: {
        setSelect: [(plot) => {
          if (plot.select.width < 4) return;
          const range: [number, number] = [plot.posToVal(plot.select.left, "x"), plot.posToVal(plot.select.left + plot.select.width, "x")];
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.zoom.set(range);
        }],
      },
      scales: { x: { time: false, range: () => this.zoom.range ?? [0, this.series?.said.duration_s ?? 1] },
        y: { range: () => [0, this.common.most() * 1.05 || 1] } },
      axes: [{ ...axis, size: 30, values: (_, at) => at.map((value) => `${value} s`) }, { ...axis, size: 60 }],
      legend: { live: true },
      series: [{ label: "time", value: (_, at) => (at === null ? "" : `${at.toFixed(2)} s`) }, ...this.lines.map((line) => ({
        label: line.label, stroke: css(line.stroke), dash: line.dash, width: line.width ?? 1.5, points: { show: false },
        value: (_: uPlot, value: number | null) => (value === null || value === undefined ? "–" : value.toPrecision(4)),
      }))],
    }, this.data(), this.body);
  }

  private data(): uPlot.AlignedData {
    return [this.series?.time ?? [], ...this.lines.map((line) => line.of(this.series!))] as uPlot.AlignedData;
  }

  /** From now on with a measured trace beside what is simulated. */
  beside(name: string, measured: Measured) {
    const points = this.kind.measured ? measured.get(this.kind.measured) : undefined;
    if (!points) return;
    const column = (series: Series) => {
      const values: Column = blank(series);
      for (const [at, value] of points) {
        const index = Math.round(at / series.said.every_s);
        if (index < values.length) values[index] = value;
      }
      return values;
    };
    this.besides = [{ label: name, stroke: "var(--text)", dash: [1, 2], of: column }];
  }

  /** Draws what has come. */
  draw() {
    if (!this.plot || !this.series) return;
    const data = this.data();
    const [from, to] = this.zoom.range ?? [0, Infinity];
    this.most = 0;
    for (const column of data.slice(1)) {
      for (let index = 0; index < column.length; index++) {
        const value = column[index];
        if (typeof value === "number" && value > this.most && data[0][index] >= from && data[0][index] <= to) this.most = value;
      }
    }
    this.plot.setData(data);
  }

  /** Draws the part that the zoom shows. */
  show() { this.draw(); }
  greatest(): number { return this.most; }
}

/** Charts of the same quantity in several columns, with one axis. */
export class Common {
  private readonly charts = new Set<Chart>();
  join(chart: Chart) { this.charts.add(chart); }
  leave(chart: Chart) { this.charts.delete(chart); }
  most(): number { return Math.max(...[...this.charts].map((chart) => chart.greatest())); }
}
