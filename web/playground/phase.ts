// The phase plane: what the first flow has against what the second has. Theory's lines: all of the link, and equal shares.

import { el } from "./dom";
import { colour } from "./palette";
import type { Series } from "./series";

const SIZE = 260;
const EDGE = 34;

export class Phase {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", { width: SIZE * 2, height: SIZE * 2, role: "img" });

  constructor() {
    this.canvas.setAttribute("aria-label", "Phase plane: throughput of flow 2 against throughput of flow 1");
    this.element = el("figure", { className: "phase" }, el("figcaption", {}, "Phase plane of flows 1 and 2 [Mbit/s]"), this.canvas);
  }

  draw(series: Series) {
    this.element.hidden = series.rate.length < 2;
    if (this.element.hidden) return;
    const context = this.canvas.getContext("2d")!;
    const style = getComputedStyle(document.documentElement);
    const [text, grid] = ["--text", "--grid"].map((name) => style.getPropertyValue(name).trim());
    const most = Math.max(...series.said.links.flatMap((link) => (link.listed ? link.mbps.map(([, mbps]) => mbps) : [0])));
    const at = (mbps: number) => EDGE + ((SIZE - EDGE - 8) * mbps) / most;
    context.setTransform(2, 0, 0, -2, 0, SIZE * 2);
    context.clearRect(0, 0, SIZE, SIZE);
    const line = (points: [number, number][], stroke: string, width: number, dash: number[] = []) => {
      context.beginPath();
      points.forEach(([x, y], index) => (index === 0 ? context.moveTo(at(x), at(y)) : context.lineTo(at(x), at(y))));
      context.strokeStyle = stroke;
      context.lineWidth = width;
      context.setLineDash(dash);
      context.stroke();
    };
    line([[0, most], [0, 0], [most, 0]], text, 1);
    line([[0, most], [most, 0]], grid, 1, [4, 3]);
    line([[0, 0], [most, most]], grid, 1, [4, 3]);
    const track: [number, number][] = [];
    for (let index = 0; index < series.time.length; index++) {
      const [one, other] = [series.rate[0][index], series.rate[1][index]];
      if (one !== null || other !== null) track.push([one ?? 0, other ?? 0]);
    }
    line(track, colour(0), 1.2);
    const last = track.at(-1);
    if (last) {
      context.beginPath();
      context.arc(at(last[0]), at(last[1]), 4, 0, 2 * Math.PI);
      context.fillStyle = colour(1);
      context.fill();
    }
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.fillStyle = text;
    context.font = "11px system-ui, sans-serif";
    context.fillText("flow 1", SIZE - 40, SIZE - 18);
    context.fillText("flow 2", 2, 14);
    context.fillText(String(Number(most.toPrecision(3))), SIZE - 30, SIZE - 4);
  }
}
