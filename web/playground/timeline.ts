// When flows come and go and when the rate changes: bars and points that can be dragged, or moved with the arrow keys.

import { svg } from "./dom";
import type { Model } from "./model";
import { colour } from "./palette";

/** Room for the names at the left [px]. */
const LEFT = 110;
const ROW = 22;
const RATE_ROW = 46;

type Edit = (next: Model, seconds: number, up: number) => void;

export class Timeline {
  private readonly root: SVGElement;
  private readonly now: SVGElement;
  private model: Model | null = null;
  private width = 1000;
  private held: { edit: Edit; at: [number, number]; from: Model } | null = null;

  constructor(element: HTMLElement, private readonly changed: (m: Model) => void) {
    this.root = svg("svg", { class: "timeline", role: "group", "aria-label": "Time line: flows, others' traffic and the link's rate" });
    this.now = svg("line", { class: "now", y1: 0 });
    element.append(this.root);
    new ResizeObserver(() => {
      if (this.root.clientWidth === this.width || this.held) return;
      this.width = this.root.clientWidth;
      if (this.model) this.show(this.model);
    }).observe(element);
    this.root.addEventListener("pointermove", (event) => this.drag(event));
    for (const name of ["pointerup", "pointercancel"]) this.root.addEventListener(name, () => (this.held = null));
    this.root.addEventListener("dblclick", (event) => this.addStep(event));
  }

  private x(seconds: number): number {
    return LEFT + ((this.width - LEFT - 10) * seconds) / (this.model?.duration ?? 1);
  }

  moment(seconds: number) {
    this.now.setAttribute("x1", String(this.x(seconds)));
    this.now.setAttribute("x2", String(this.x(seconds)));
  }

  show(m: Model) {
    this.model = m;
    const height = RATE_ROW + ROW * (m.flows.length + m.cross.length) + 18;
    this.root.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.now.setAttribute("y2", String(height - 14));
    const focused = document.activeElement?.getAttribute("data-handle");
    const parts: Node[] = [];
    const label = (text: string, y: number) => svg("text", { x: LEFT - 8, y, "text-anchor": "end", class: "label" }, text);
    parts.push(label("rate", RATE_ROW / 2 + 4), ...this.rate(m));
    m.flows.forEach((flow, index) => {
      const y = RATE_ROW + ROW * index;
      const many = flow.count > 1 ? ` ×${flow.count}` : "";
      parts.push(label(`${flow.cc}${many}`.slice(0, 17), y + 15), ...this.bar(m, "flows", index, y, colour(index)));
    });
    m.cross.forEach((cross, index) => {
      const y = RATE_ROW + ROW * (m.flows.length + index);
      parts.push(label(`UDP ${cross.mbps}`, y + 15), ...this.bar(m, "cross", index, y, "#808080"));
    });
    const ticks = this.width < 600 ? 4 : 10;
    for (let tick = 0; tick <= ticks; tick++) {
      const seconds = (m.duration * tick) / ticks;
      parts.push(svg("text", { x: this.x(seconds), y: height - 3, "text-anchor": tick === ticks ? "end" : "middle", class: "tick" }, `${Number(seconds.toFixed(1))} s`));
    }
    this.root.replaceChildren(...parts, this.now);
    if (focused) this.root.querySelector<SVGElement>(`[data-handle="${focused}"]`)?.focus();
  }

  private bar(m: Model, list: "flows" | "cross", index: number, y: number, fill: string): SVGElement[] {
    const one = m[list][index];
    const stop = Math.min(one.stop ?? m.duration, m.duration);
    const whole = svg("rect", { x: this.x(one.start), y: y + 3, width: Math.max(2, this.x(stop) - this.x(one.start)), height: ROW - 6, rx: 3, fill, class: "bar" });
    const name = list === "flows" ? `flow ${index + 1}` : `UDP stream ${index + 1}`;
    const keep = (next: Model) => next[list][index];
    const move: Edit = (next, by) => {
      const at = keep(next);
      const start = clamp(at.start + by, 0, m.duration);
      if (at.stop !== null) at.stop = clamp(at.stop + start - at.start, 0, m.duration);
      at.start = start;
    };
    this.hold(whole, m, move);
    const ends: [string, number, Edit][] = [
      ["start", one.start, (next, by) => (keep(next).start = clamp(keep(next).start + by, 0, (keep(next).stop ?? m.duration) - 0.1))],
      ["stop", stop, (next, by) => {
        const to = (keep(next).stop ?? m.duration) + by;
        keep(next).stop = to >= m.duration ? null : clamp(to, keep(next).start + 0.1, m.duration);
      }],
    ];
    const handles = ends.map(([end, at, edit]) =>
      this.handle(svg("rect", { x: this.x(at) - 4, y: y + 2, width: 8, height: ROW - 4, rx: 2 }), `${list}-${index}-${end}`, `${end} of ${name}`, at, m, edit));
    return [whole, ...handles];
  }

  private rate(m: Model): SVGElement[] {
    if (m.trace) return [svg("text", { x: LEFT + 4, y: RATE_ROW / 2 + 4, class: "label" }, `trace ${m.trace.name}`)];
    const steps: [number, number][] = [[0, m.rate], ...m.steps.filter(([at]) => at < m.duration)];
    const most = Math.max(...steps.map(([, mbps]) => mbps)) * 1.15;
    const y = (mbps: number) => RATE_ROW - 6 - ((RATE_ROW - 14) * mbps) / most;
    const points = steps.flatMap(([at, mbps], index) => [`${this.x(at)},${y(mbps)}`, `${this.x(steps[index + 1]?.[0] ?? m.duration)},${y(mbps)}`]);
    const parts = [svg("polyline", { points: points.join(" "), class: "rate" })];
    steps.forEach(([at, mbps], index) => {
      const edit: Edit = (next, by, up) => {
        const scaled = clamp(Number((mbps * 1.02 ** up).toPrecision(3)), 0.1, 10000);
        if (index === 0) next.rate = scaled;
        else next.steps[index - 1] = [clamp(at + by, 0.1, m.duration - 0.1), scaled];
      };
      parts.push(this.handle(svg("circle", { cx: this.x(at), cy: y(mbps), r: 5 }), `rate-${index}`, `rate of ${mbps} Mbit/s from`, at, m, edit));
    });
    return parts;
  }

  private handle(shape: SVGElement, id: string, what: string, at: number, m: Model, edit: Edit): SVGElement {
    const attributes = {
      class: "handle", tabindex: 0, role: "slider", "data-handle": id, "aria-label": what, "aria-valuemin": 0, "aria-valuemax": m.duration,
      "aria-valuenow": Number(at.toFixed(1)), "aria-valuetext": `${Number(at.toFixed(1))} s`,
    };
    for (const [name, value] of Object.entries(attributes)) shape.setAttribute(name, String(value));
    this.hold(shape, m, edit);
    shape.addEventListener("keydown", (event) => {
      const step = m.duration / 100;
      const move = ({ ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, 5], ArrowDown: [0, -5] } as Record<string, [number, number]>)[event.key];
      if (event.key === "Delete" && id.startsWith("rate-") && id !== "rate-0") {
        this.change(m, (next) => next.steps.splice(Number(id.slice(5)) - 1, 1));
      } else if (move) {
        event.preventDefault();
        this.change(m, (next) => edit(next, move[0], move[1]));
      }
    });
    return shape;
  }

  private hold(shape: SVGElement, m: Model, edit: Edit) {
    shape.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      (shape as SVGElement & { focus(): void }).focus();
      this.held = { edit, at: [event.clientX, event.clientY], from: m };
      this.root.setPointerCapture(event.pointerId);
    });
  }

  private seconds(pixels: number): number {
    return (pixels * (this.width / this.root.clientWidth) * (this.model?.duration ?? 1)) / (this.width - LEFT - 10);
  }

  private drag(event: PointerEvent) {
    const held = this.held;
    if (!held) return;
    const by = Number(this.seconds(event.clientX - held.at[0]).toFixed(1));
    this.change(held.from, (next) => held.edit(next, by, Math.round((held.at[1] - event.clientY) / 2)));
  }

  private addStep(event: MouseEvent) {
    const m = this.model;
    const box = this.root.getBoundingClientRect();
    if (!m || m.trace || ((event.clientY - box.top) * this.width) / box.width > RATE_ROW) return;
    const at = this.seconds(event.clientX - box.left) - (LEFT * m.duration) / (this.width - LEFT - 10);
    if (at > 0 && at < m.duration) this.change(m, (next) => {
      const before = next.steps.filter(([step]) => step < at).at(-1)?.[1] ?? next.rate;
      next.steps.push([Number(at.toFixed(1)), Number((before / 2).toPrecision(3))]);
      next.steps.sort((one, other) => one[0] - other[0]);
    });
  }

  private change(m: Model, edit: (next: Model) => void) {
    const next = structuredClone(m);
    edit(next);
    this.changed(next);
  }
}

function clamp(value: number, least: number, most: number): number {
  return Number(Math.min(most, Math.max(least, value)).toFixed(2));
}
