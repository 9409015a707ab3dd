// What the page and the worker say to each other.

export interface Problem { what: string; help: string | null; line: number | null }
export interface FlowSaid { id: string; cc: string; start_s: number; stop_s: number; packet_bytes: number; propagation_ms: number; route: number[] }
export interface LinkSaid {
  name: string; listed: boolean; delay_ms: number; mbps: [number, number][]; queue_packets: number | null; queue_bytes: number | null;
}
export interface Description {
  name: string; duration_s: number; seed: number; every_s: number; flows: FlowSaid[]; links: LinkSaid[];
  cross: { route: number[]; mbps: [number, number][] }[];
}
export interface FlowSummary {
  id: string; cc: string; throughput_mbps: number; goodput_mbps: number; packets_sent: number; packets_lost: number; timeouts: number;
  rtt_ms: { min: number; p50: number; p95: number; p99: number; max: number } | null;
}
export interface Summary {
  jain: number; events: number; packets_delivered: number; flows: FlowSummary[];
  links: { name: string; utilization: number; drops: number; queue_packets: { mean: number; p95: number; max: number } }[];
}

export type ToWorker =
  | { kind: "start"; run: number; text: string; files: Record<string, string>; samples: number; ahead_s: number; speed: number; paused: boolean }
  | { kind: "speed"; speed: number }
  | { kind: "pause"; paused: boolean };

export type Rows = { columns: string[]; rows: Float64Array };
export type FromWorker =
  | { kind: "ready"; controllers: { name: string; about: string }[]; queues: string[] }
  | { kind: "started"; run: number; description: Description }
  | { kind: "problem"; run: number; problem: Problem }
  | { kind: "rows"; run: number; now_s: number; flows: Rows[]; links: Float64Array[]; waiting: Uint32Array }
  | { kind: "done"; run: number; json: string; busy_s: number };
