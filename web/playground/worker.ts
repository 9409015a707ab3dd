// Simulates in slices of a few milliseconds, so that a new scenario, a pause or another speed is heard at once.

import { Simulated, controllers, initSync, queues } from "../generated/symbiosis_web.js";
import wasm from "../generated/symbiosis_web_bg.wasm";
import type { Description, FromWorker, ToWorker } from "./messages";

/** Work between two looks at the inbox [ms]: at 60 frames a second a page has 16. */
const SLICE_MS = 12;

interface Run { id: number; simulated: Simulated; description: Description; now: number; ahead: number; busy: number }

let run: Run | null = null;
let speed = 1;
let paused = false;
/** Simulated and real time at which the present speed began. */
let since = { simulated: 0, real: 0 };
let timer: ReturnType<typeof setTimeout> | undefined;

function say(message: FromWorker, transfer: Transferable[] = []) {
  (self as unknown as { postMessage(message: FromWorker, transfer: Transferable[]): void }).postMessage(message, transfer);
}

function anchor() {
  since = { simulated: Math.max(run?.now ?? 0, run?.ahead ?? 0), real: performance.now() };
}

function wake(after: number) {
  clearTimeout(timer);
  timer = setTimeout(slice, after);
}

function slice() {
  const at = run;
  if (!at || (paused && at.now >= at.ahead)) return;
  const { duration_s: end, every_s: every } = at.description;
  const begun = performance.now();
  const wanted = at.now < at.ahead ? at.ahead : since.simulated + ((begun - since.real) / 1000) * speed;
  const target = Math.min(end, wanted);
  let took = 0;
  while (at.now < target && took < SLICE_MS) {
    at.now = Math.min(target, at.now + every);
    at.simulated.advance(at.now);
    took = performance.now() - begun;
  }
  at.busy += performance.now() - begun;
  // A machine that cannot keep up runs as fast as it can, and does not run after what it has missed.
  if (at.now < target) anchor();
  post(at);
  if (at.now >= end) return finish(at);
  wake(at.now < target ? 0 : SLICE_MS);
}

function post(at: Run) {
  const flows = at.description.flows.map((_, index) => {
    const rows = at.simulated.flow(index);
    return { columns: JSON.parse(at.simulated.flow_columns(index)) as string[], rows };
  });
  const links = at.description.links.map((_, index) => at.simulated.link(index));
  const transfer = [...flows.map((flow) => flow.rows.buffer), ...links.map((rows) => rows.buffer)] as ArrayBuffer[];
  const waiting = at.simulated.waiting();
  say({ kind: "rows", run: at.id, now_s: at.now, flows, links, waiting }, [...transfer, waiting.buffer as ArrayBuffer]);
}

function finish(at: Run) {
  const begun = performance.now();
  const json = at.simulated.finish();
  at.simulated.free();
  run = null;
  say({ kind: "done", run: at.id, json, busy_s: (at.busy + performance.now() - begun) / 1000 });
}

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "speed") {
    speed = data.speed;
    anchor();
    wake(0);
  } else if (data.kind === "pause") {
    paused = data.paused;
    anchor();
    wake(0);
  } else {
    clearTimeout(timer);
    run?.simulated.free();
    run = null;
    try {
      const simulated = new Simulated(data.text, JSON.stringify(data.files), data.samples);
      const description = JSON.parse(simulated.description()) as Description;
      ({ speed, paused } = data);
      run = { id: data.run, simulated, description, now: 0, ahead: Math.min(data.ahead_s, description.duration_s), busy: 0 };
      say({ kind: "started", run: data.run, description });
      anchor();
      slice();
    } catch (thrown) {
      const problem = typeof thrown === "string" ? JSON.parse(thrown) : { what: String(thrown), help: null, line: null };
      say({ kind: "problem", run: data.run, problem });
    }
  }
};

initSync({ module: wasm });
say({ kind: "ready", controllers: JSON.parse(controllers()), queues: JSON.parse(queues()) });
