// The queue before the bottleneck, packet by packet: the next to leave at the left, each in its flow's colour.

import { el } from "./dom";
import { colour } from "./palette";

/** A packet's place [px], and rows of them. */
const PLACE = 5;
const ROWS = 6;
const WIDTH = 600;
const ACROSS = WIDTH / PLACE;

export class Packets {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas", { width: WIDTH * 2, height: ROWS * (PLACE + 3) * 2, role: "img" });
  private readonly caption = el("figcaption");

  constructor() {
    this.element = el("figure", { className: "packets" }, this.caption, this.canvas);
    this.draw(new Uint32Array(), 0);
  }

  /** `waiting` has each packet's flow; others' traffic comes behind the flows. */
  draw(waiting: Uint32Array, flows: number) {
    const shown = Math.min(waiting.length, ROWS * ACROSS);
    const more = waiting.length > shown ? `, the first ${shown} shown` : "";
    this.caption.textContent = `Packets before the bottleneck: ${waiting.length}${more}`;
    this.canvas.setAttribute("aria-label", `${waiting.length} packets before the bottleneck`);
    const context = this.canvas.getContext("2d")!;
    context.setTransform(2, 0, 0, 2, 0, 0);
    context.clearRect(0, 0, WIDTH, this.canvas.height);
    for (let at = 0; at < shown; at++) {
      context.fillStyle = waiting[at] < flows ? colour(waiting[at]) : "#808080";
      context.fillRect((at % ACROSS) * PLACE, Math.floor(at / ACROSS) * (PLACE + 3), PLACE - 1, PLACE);
    }
  }
}
