// What a run has sampled so far, as columns over one axis of time.

import type { Description, FlowSaid, FromWorker } from "./messages";

export type Column = (number | null)[];

/** Rates are means over at least this part of the run, and over two round trips: over single samples they would show packets. */
const RATE_SPAN = 1 / 200;

export class Series {
  readonly time: number[];
  readonly window: Column[];
  readonly rtt: Column[];
  readonly rate: Column[];
  /** Queue of the first listed link, as packets and as the time to send it [ms]. */
  readonly queue: Column;
  readonly wait: Column;
  readonly drops: Column;
  /** The controller's own values, by flow and name. */
  readonly gauges: Map<string, Column>[];
  readonly truthK: Column;
  now = 0;
  private readonly delivered: Column[];
  private readonly span: number[];
  private readonly link: number;

  constructor(readonly said: Description) {
    const count = Math.round(said.duration_s / said.every_s) + 1;
    const blank = () => new Array<number | null>(count).fill(null);
    this.time = Array.from({ length: count }, (_, index) => index * said.every_s);
    const each = <T>(make: (flow: FlowSaid) => T) => said.flows.map(make);
    this.window = each(blank);
    this.rtt = each(blank);
    this.rate = each(blank);
    this.delivered = each(blank);
    this.gauges = each(() => new Map());
    this.span = each((flow) => Math.max(1, Math.ceil(Math.max(said.duration_s * RATE_SPAN, (2 * flow.propagation_ms) / 1000) / said.every_s)));
    this.queue = blank();
    this.wait = blank();
    this.drops = blank();
    this.link = Math.max(0, said.links.findIndex((link) => link.listed));
    this.truthK = this.time.map((at) => this.capacity(at));
  }

  /** Rate of the link at that time [Mbit/s]. */
  capacity(at: number): number {
    return valueAt(this.said.links[this.link].mbps, at);
  }

  /** What a flow could have: the link's rate without what others send. */
  truthA(flow: number): Column {
    return this.time.map((at, index) => {
      if (this.rate[flow][index] === null) return null;
      const others = this.rate.reduce((sum, rate, other) => sum + (other === flow ? 0 : (rate[index] ?? 0)), 0);
      const cross = this.said.cross.reduce((sum, cross) => sum + (cross.route.includes(this.link) ? valueAt(cross.mbps, at) : 0), 0);
      return Math.max(0, this.capacity(at) - others - cross);
    });
  }

  add(message: Extract<FromWorker, { kind: "rows" }>) {
    this.now = message.now_s;
    message.flows.forEach(({ columns, rows }, flow) => this.addFlow(flow, columns, rows));
    const rows = message.links[this.link];
    for (let row = 0; row + 4 <= rows.length; row += 4) {
      const index = this.index(rows[row]);
      this.queue[index] = rows[row + 1];
      this.wait[index] = (rows[row + 1] * 1500 * 8) / (this.capacity(rows[row]) * 1000);
      this.drops[index] = rows[row + 2];
    }
  }

  private index(time: number): number {
    return Math.min(this.time.length - 1, Math.round(time / this.said.every_s));
  }

  private addFlow(flow: number, columns: string[], rows: Float64Array) {
    const { start_s: start, stop_s: stop } = this.said.flows[flow];
    const known = (value: number) => (Number.isFinite(value) ? value : null);
    for (let row = 0; row + columns.length <= rows.length; row += columns.length) {
      const at = rows[row];
      const index = this.index(at);
      this.delivered[flow][index] = rows[row + 4];
      if (at < start || at > stop + this.span[flow] * this.said.every_s) continue;
      const before = this.delivered[flow][index - this.span[flow]];
      if (before !== null && before !== undefined) {
        this.rate[flow][index] = ((rows[row + 4] - before) * 8e-6) / (this.span[flow] * this.said.every_s);
      }
      if (at > stop) continue;
      this.window[flow][index] = rows[row + 1];
      this.rtt[flow][index] = known(rows[row + 3]);
      for (let gauge = 7; gauge < columns.length; gauge++) {
        const value = known(rows[row + gauge]);
        if (value === null) continue;
        let column = this.gauges[flow].get(columns[gauge]);
        if (!column) this.gauges[flow].set(columns[gauge], (column = new Array<number | null>(this.time.length).fill(null)));
        column[index] = value;
      }
    }
  }
}

/** The value of steps at a time. */
export function valueAt(steps: [number, number][], at: number): number {
  let value = 0;
  for (const [from, next] of steps) {
    if (from > at) break;
    value = next;
  }
  return value;
}
