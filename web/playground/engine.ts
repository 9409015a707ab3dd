// A worker with a simulator in it, as the page sees it.

import source from "worker-source";
import type { Description, FromWorker, Problem, Rows, Summary, ToWorker } from "./messages";
import { files, toml, type Model } from "./model";

export interface Hears {
  started(description: Description): void;
  rows(message: Extract<FromWorker, { kind: "rows" }>): void;
  done(summary: Summary, json: string, busy_s: number): void;
  problem(problem: Problem): void;
}

export type Ready = Extract<FromWorker, { kind: "ready" }>;
export type { Rows };

export class Engine {
  private readonly worker: Worker;
  private run = 0;
  readonly ready: Promise<Ready>;

  constructor(private readonly hears: Hears) {
    // From a blob: pages that were opened as files may not load workers from other files.
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    this.worker = new Worker(url);
    this.ready = new Promise((resolve) => {
      this.worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.kind === "ready") resolve(data);
        else if (data.run === this.run) this.hear(data);
      };
    });
  }

  private hear(data: Exclude<FromWorker, { kind: "ready" }>) {
    if (data.kind === "started") this.hears.started(data.description);
    else if (data.kind === "rows") this.hears.rows(data);
    else if (data.kind === "problem") this.hears.problem(data.problem);
    else this.hears.done(JSON.parse(data.json) as Summary, data.json, data.busy_s);
  }

  private say(message: ToWorker) {
    this.worker.postMessage(message);
  }

  /** Begins anew; what is before `ahead_s` is simulated as fast as can be. */
  start(m: Model, text: string | null, samples: number, ahead_s: number, speed: number, paused: boolean) {
    this.run += 1;
    this.say({ kind: "start", run: this.run, text: text ?? toml(m), files: files(m), samples, ahead_s, speed, paused });
  }

  speed(speed: number) {
    this.say({ kind: "speed", speed });
  }

  pause(paused: boolean) {
    this.say({ kind: "pause", paused });
  }

  close() {
    this.worker.terminate();
  }
}
