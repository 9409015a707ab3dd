// Sliders and lists for everything that the model says.

import { el } from "./dom";
import { flow, type Cross, type Flow, type Model } from "./model";
import { colour } from "./palette";

/** Slider: logarithmic ones step through equal ratios. */
interface Range { id: string; label: string; unit: string; min: number; max: number; log?: boolean; step?: number; get(m: Model): number; set(m: Model, value: number): void }

const RANGES: Range[] = [
  { id: "rate", label: "Rate", unit: "Mbit/s", min: 1, max: 1000, log: true, get: (m) => m.rate, set: (m, v) => { m.rate = v; m.trace = null; } },
  { id: "rtt", label: "Base RTT", unit: "ms", min: 1, max: 600, log: true, get: (m) => m.rtt, set: (m, v) => (m.rtt = v) },
  { id: "buffer", label: "Buffer", unit: "BDP", min: 0.05, max: 8, log: true, get: (m) => m.buffer.value,
    set: (m, v) => (m.buffer = { unit: "bdp", value: v }) },
  { id: "loss", label: "Random loss", unit: "%", min: 0, max: 5, step: 0.05, get: (m) => m.loss, set: (m, v) => (m.loss = v) },
  { id: "jitter", label: "Jitter", unit: "ms", min: 0, max: 30, step: 0.5, get: (m) => m.jitter, set: (m, v) => (m.jitter = v) },
  { id: "duration", label: "Duration", unit: "s", min: 5, max: 300, step: 5, get: (m) => m.duration, set: (m, v) => (m.duration = v) },
];
const GAPS = ["exponential", "constant", "pareto-on-off"];
/** Places of a logarithmic slider. */
const PLACES = 200;

function digits(value: number): number {
  return Number(value.toPrecision(value < 1 ? 2 : 3));
}

export class Controls {
  private readonly element: HTMLElement;

  constructor(element: HTMLElement, private readonly names: { controllers: { name: string; about: string }[]; queues: string[] },
    private readonly changed: (m: Model) => void) {
    this.element = element;
  }

  show(m: Model) {
    const focused = document.activeElement?.id;
    const seed = el("input", { id: "seed", type: "number", min: "0", max: "1000000", value: String(m.seed) });
    seed.onchange = () => this.change(m, (next) => (next.seed = Math.max(0, Math.round(Number(seed.value)) || 0)));
    const queue = select("queue", this.names.queues, m.queue, (value) => this.change(m, (next) => (next.queue = value)));
    this.element.replaceChildren(
      heading("Path"),
      ...RANGES.slice(0, 3).map((range) => this.range(m, range)),
      m.trace ? el("p", { className: "note" }, `The rate is that of the trace ${m.trace.name}. Move the rate's slider to leave it.`) : "",
      row("Queue", queue),
      ...RANGES.slice(3).map((range) => this.range(m, range)),
      row("Seed", seed),
      heading("Flows"),
      ...m.flows.map((one, index) => this.flow(m, one, index)),
      button("add-flow", "Add a flow", () => this.change(m, (next) => next.flows.push(flow(next.flows.at(-1)?.cc ?? "symbiosis", Math.round(m.duration / 4))))),
      heading("Others' traffic (UDP)"),
      ...m.cross.map((one, index) => this.cross(m, one, index)),
      button("add-cross", "Add UDP", () => this.change(m, (next) =>
        next.cross.push({ mbps: digits(m.rate * 0.3), gaps: "exponential", start: Math.round(m.duration / 3), stop: Math.round((2 * m.duration) / 3) }))),
    );
    if (focused) document.getElementById(focused)?.focus();
  }

  private change(m: Model, edit: (next: Model) => void) {
    const next = structuredClone(m);
    edit(next);
    this.changed(next);
  }

  private range(m: Model, range: Range): HTMLElement {
    const { min, max } = range;
    const place = (value: number) => (range.log ? (PLACES * Math.log(value / min)) / Math.log(max / min) : value);
    const value = (at: number) => (range.log ? digits(min * (max / min) ** (at / PLACES)) : at);
    const packets = range.id === "buffer" && m.buffer.unit === "packets";
    const text = (shown: number) => (packets ? `${shown} packets` : `${shown} ${range.unit}`);
    const slider = el("input", {
      id: range.id, type: "range", min: String(range.log ? 0 : min), max: String(range.log ? PLACES : max), step: String(range.log ? 1 : range.step),
    });
    slider.value = String(packets ? PLACES / 2 : place(range.get(m)));
    slider.setAttribute("aria-valuetext", text(range.get(m)));
    const output = el("output", { for: range.id }, text(digits(range.get(m))));
    slider.oninput = () => {
      output.textContent = `${value(Number(slider.value))} ${range.unit}`;
      this.change(m, (next) => range.set(next, value(Number(slider.value))));
    };
    return el("div", { className: "range" }, el("label", { for: range.id }, range.label), output, slider);
  }

  private flow(m: Model, one: Flow, index: number): HTMLElement {
    const set = (edit: (flow: Flow) => void) => this.change(m, (next) => edit(next.flows[index]));
    const cc = select(`flow-${index}-cc`, this.names.controllers.map((entry) => entry.name), one.cc, (value) => set((flow) => (flow.cc = value)));
    cc.title = this.names.controllers.find((entry) => entry.name === one.cc)?.about ?? "";
    cc.setAttribute("aria-label", `Controller of flow ${index + 1}`);
    const dot = el("span", { className: "dot" });
    dot.style.background = colour(index);
    return el("div", { className: "one" }, el("div", { className: "line" }, dot, cc, this.removal(`flow-${index}`, `flow ${index + 1}`, () =>
      this.change(m, (next) => next.flows.splice(index, 1)))),
    el("div", { className: "line" },
      number(`flow-${index}-count`, "count", one.count, 1, 200, (v) => set((flow) => (flow.count = Math.max(1, Math.round(v))))),
      number(`flow-${index}-start`, "start [s]", one.start, 0, m.duration, (v) => set((flow) => (flow.start = v))),
      number(`flow-${index}-extra`, "extra RTT [ms]", one.extraMs, 0, 2000, (v) => set((flow) => (flow.extraMs = v)))));
  }

  private cross(m: Model, one: Cross, index: number): HTMLElement {
    const set = (edit: (cross: Cross) => void) => this.change(m, (next) => edit(next.cross[index]));
    const gaps = select(`cross-${index}-gaps`, GAPS, one.gaps, (value) => set((cross) => (cross.gaps = value)));
    gaps.setAttribute("aria-label", `Gaps of UDP stream ${index + 1}`);
    return el("div", { className: "one" }, el("div", { className: "line" }, gaps, this.removal(`cross-${index}`, `UDP stream ${index + 1}`, () =>
      this.change(m, (next) => next.cross.splice(index, 1)))),
    el("div", { className: "line" },
      number(`cross-${index}-mbps`, "Mbit/s", one.mbps, 0, 10000, (v) => set((cross) => (cross.mbps = v))),
      number(`cross-${index}-start`, "start [s]", one.start, 0, m.duration, (v) => set((cross) => (cross.start = v))),
      number(`cross-${index}-stop`, "stop [s]", one.stop ?? m.duration, 0, m.duration, (v) => set((cross) => (cross.stop = v)))));
  }

  private removal(id: string, what: string, remove: () => void): HTMLElement {
    const one = button(`${id}-remove`, "×", remove);
    one.setAttribute("aria-label", `Remove ${what}`);
    one.classList.add("remove");
    return one;
  }
}

function heading(text: string): HTMLElement {
  return el("h2", {}, text);
}

function row(label: string, control: HTMLElement): HTMLElement {
  return el("div", { className: "row" }, el("label", { for: control.id }, label), control);
}

export function button(id: string, text: string, pressed: () => void): HTMLButtonElement {
  const one = el("button", { id, type: "button" }, text);
  one.onclick = pressed;
  return one;
}

export function select(id: string, values: string[], chosen: string, picked: (value: string) => void): HTMLSelectElement {
  const one = el("select", { id }, ...values.map((value) => el("option", { value, selected: value === chosen }, value)));
  one.onchange = () => picked(one.value);
  return one;
}

function number(id: string, label: string, value: number, min: number, max: number, set: (value: number) => void): HTMLElement {
  const input = el("input", { id, type: "number", min: String(min), max: String(max), step: "any", value: String(digits(value)) });
  input.onchange = () => set(Math.min(max, Math.max(min, Number(input.value) || 0)));
  return el("label", { className: "number" }, label, input);
}
