// One run: its simulator, its charts, and its results as a table.

import { Chart, KINDS, type Common, type Zoom } from "./charts";
import { el } from "./dom";
import { Engine } from "./engine";
import type { Problem, Summary } from "./messages";
import type { Model } from "./model";
import { Packets } from "./packets";
import { Phase } from "./phase";
import { Series } from "./series";
import { measured } from "./measured";

export class Panel {
  readonly engine: Engine;
  private readonly element = el("section", { className: "panel" });
  private readonly heading = el("h2");
  private readonly status = el("p", { className: "status", role: "status" });
  private readonly results = el("div", { className: "results" });
  private readonly charts: Chart[];
  private readonly phase = new Phase();
  private readonly packets = new Packets();
  private waiting = new Uint32Array();
  private series: Series | null = null;
  private frame = 0;

  constructor(place: HTMLElement, zoom: Zoom, commons: Map<string, Common>, moment: (seconds: number) => void, problem: (problem: Problem) => void) {
    this.charts = KINDS.map((kind) => new Chart(kind, zoom, commons.get(kind.id)!));
    this.element.append(this.heading, this.status, this.packets.element, ...this.charts.map((chart) => chart.element), this.phase.element, this.results);
    place.append(this.element);
    this.engine = new Engine({
      started: (said) => {
        this.series = new Series(said);
        this.charts.forEach((chart) => chart.begin(this.series!));
        this.results.replaceChildren();
      },
      rows: (message) => {
        this.series?.add(message);
        this.waiting = message.waiting as Uint32Array<ArrayBuffer>;
        moment(message.now_s);
        this.draw();
      },
      done: (summary, json, busy) => {
        const rate = summary.packets_delivered / busy;
        this.status.textContent = `${summary.packets_delivered.toLocaleString("en")} packets in ${busy.toFixed(2)} s of computing (${Math.round(rate).toLocaleString("en")} a second)`;
        this.table(summary, json);
      },
      problem,
    });
  }

  start(title: string, m: Model, text: string | null, samples: number, ahead: number, speed: number, paused: boolean) {
    this.heading.textContent = title;
    this.heading.hidden = title === "";
    this.engine.start(m, text, samples, ahead, speed, paused);
  }

  now(): number {
    return this.series?.now ?? 0;
  }

  /** At most once a frame. */
  private draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (!this.series) return;
      this.charts.forEach((chart) => chart.draw());
      this.phase.draw(this.series);
      this.packets.draw(this.waiting, this.series.said.flows.length);
      if (this.results.childElementCount === 0) this.status.textContent = `${this.series.now.toFixed(1)} of ${this.series.said.duration_s} s`;
    });
  }

  redraw() {
    if (!this.series) return;
    this.charts.forEach((chart) => chart.begin(this.series!));
    this.draw();
  }

  remove() {
    cancelAnimationFrame(this.frame);
    this.engine.close();
    this.charts.forEach((chart) => chart.remove());
    this.element.remove();
  }

  /** Beside the simulation: a transfer that was measured. */
  measured(name: string, csv: string, problem: (problem: Problem) => void) {
    const lines = measured(csv);
    if (!lines || !this.series) {
      problem({ what: `${name} has no columns time_s, srtt_ms, cwnd_packets: it is no trace of a transfer`, help: "`symbiosis send … --out DIR --csv` writes flows.csv", line: null });
      return;
    }
    this.charts.forEach((chart) => chart.beside(name, lines));
    this.redraw();
  }

  private table(summary: Summary, json: string) {
    const cell = (text: string, tag: "td" | "th" = "td") => el(tag, tag === "th" ? { scope: "col" } : {}, text);
    const number = (value: number | undefined) => (value === undefined ? "–" : String(Number(value.toPrecision(4))));
    const head = ["flow", "controller", "Mbit/s", "RTT p50 [ms]", "RTT p95 [ms]", "sent", "lost", "timeouts"];
    const rows = summary.flows.map((flow) => el("tr", {}, ...[
      flow.id, flow.cc, number(flow.throughput_mbps), number(flow.rtt_ms?.p50), number(flow.rtt_ms?.p95), String(flow.packets_sent), String(flow.packets_lost),
      String(flow.timeouts),
    ].map((text) => cell(text))));
    const links = summary.links.map((link) =>
      `${link.name}: ${number(100 * link.utilization)} % used, queue mean ${number(link.queue_packets.mean)}, p95 ${number(link.queue_packets.p95)} packets, ${link.drops} dropped`);
    const table = el("table", {}, el("caption", {}, "Over the whole run"), el("thead", {}, el("tr", {}, ...head.map((text) => cell(text, "th")))), el("tbody", {}, ...rows));
    const scroll = el("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": "Results of the flows" }, table);
    const all = el("details", {}, el("summary", {}, "Result as JSON"), el("pre", { tabIndex: 0 }, json));
    const jain = summary.flows.length > 1 ? [`Jain's index ${number(summary.jain)}`] : [];
    this.results.replaceChildren(scroll, el("p", {}, [...links, ...jain].join(". ") + "."), all);
  }
}
