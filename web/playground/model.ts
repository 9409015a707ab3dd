// The scenario that the controls show. It says everything that a run depends on; the TOML is made from it and nothing else.

/** `extraMs` is what its own links add to the base RTT: a quarter each. */
export interface Flow { cc: string; start: number; stop: number | null; count: number; extraMs: number }
export interface Cross { mbps: number; gaps: string; start: number; stop: number | null }
export type Step = [at: number, mbps: number];

export interface Model {
  name: string;
  about: string;
  duration: number;
  seed: number;
  /** Bottleneck [Mbit/s] from the start; `steps` change it. */
  rate: number;
  steps: Step[];
  /** Text of a Mahimahi trace instead of the rate. */
  trace: { name: string; text: string } | null;
  /** Base RTT of a flow without an extra [ms]. */
  rtt: number;
  buffer: { unit: "bdp" | "packets"; value: number };
  queue: string;
  /** Per cent of the packets. */
  loss: number;
  /** Mean of an exponential delay [ms]. */
  jitter: number;
  flows: Flow[];
  cross: Cross[];
}

/** A scenario to begin with: for the controls, or as text where these do not have all of it. */
export interface Preset { group: string; title: string; model: Model; text?: string }

export function flow(cc: string, start = 0, rest: Partial<Flow> = {}): Flow {
  return { cc, start, stop: null, count: 1, extraMs: 0, ...rest };
}

export function model(rest: Partial<Model>): Model {
  return {
    name: "playground", about: "", duration: 60, seed: 1, rate: 50, steps: [], trace: null, rtt: 60, buffer: { unit: "bdp", value: 1 },
    queue: "drop-tail", loss: 0, jitter: 0, flows: [flow("symbiosis")], cross: [], ...rest,
  };
}

/** A number as TOML takes it and a reader likes it. */
function num(value: number): string {
  return String(Number(value.toPrecision(9)));
}

/** The scenario's text. */
export function toml(m: Model): string {
  const lines = [
    ...(m.about ? m.about.split("\n").map((line) => `# ${line}`) : []),
    `name = ${JSON.stringify(m.name)}`,
    `duration_s = ${num(m.duration)}`,
    `seed = ${Math.round(m.seed)}`,
    "",
    "[bottleneck]",
  ];
  const steps = m.steps.filter(([at]) => at < m.duration).sort((one, other) => one[0] - other[0]);
  if (m.trace) lines.push(`trace = ${JSON.stringify(m.trace.name)}`);
  else if (steps.length > 0) lines.push(`rate_mbps = [${[[0, m.rate], ...steps].map((s) => `[${s.map(num).join(", ")}]`).join(", ")}]`);
  else lines.push(`rate_mbps = ${num(m.rate)}`);
  lines.push(`delay_ms = ${num(m.rtt / 2)}`);
  if (m.buffer.unit === "bdp") lines.push(`queue_bdp = ${num(m.buffer.value)}`);
  else lines.push(`queue_packets = ${Math.max(1, Math.round(m.buffer.value))}`);
  if (m.queue !== "drop-tail") lines.push(`queue = ${JSON.stringify(m.queue)}`);
  if (m.loss > 0) lines.push(`loss = ${num(m.loss / 100)}`);
  if (m.jitter > 0) lines.push(`jitter_ms = ${num(m.jitter)}`);
  for (const f of m.flows) {
    lines.push("", "[[flow]]", `cc = ${JSON.stringify(f.cc)}`);
    if (f.count > 1) lines.push(`count = ${f.count}`);
    times(lines, f, m);
    if (f.extraMs > 0) lines.push(`access_delay_ms = ${num(f.extraMs / 4)}`);
  }
  for (const c of m.cross) {
    lines.push("", "[[cross]]", `rate_mbps = ${num(c.mbps)}`, `gaps = ${JSON.stringify(c.gaps)}`);
    times(lines, c, m);
    if (c.gaps === "pareto-on-off") lines.push("on_s = 0.5", "off_s = 0.5", "shape = 1.5");
  }
  return lines.join("\n") + "\n";
}

function times(lines: string[], one: { start: number; stop: number | null }, m: Model) {
  if (one.start > 0) lines.push(`start_s = ${num(Math.min(one.start, m.duration))}`);
  if (one.stop !== null && one.stop < m.duration) lines.push(`stop_s = ${num(Math.max(one.stop, one.start))}`);
}

/** Files that the text names. */
export function files(m: Model): Record<string, string> {
  return m.trace ? { [m.trace.name]: m.trace.text } : {};
}

/** The same scenario with another controller in the place of the first flow's. */
export function withController(m: Model, cc: string): Model {
  const first = m.flows[0]?.cc;
  return { ...m, flows: m.flows.map((f) => (f.cc === first ? { ...f, cc } : f)) };
}

/** The controller of the first flow of a text. */
export function firstController(text: string): string | null {
  return /^cc = "([^"]+)"$/m.exec(text)?.[1] ?? null;
}

/** The same for a scenario as text. */
export function textWithController(text: string, cc: string): string {
  const first = firstController(text);
  return first ? text.replaceAll(`\ncc = "${first}"\n`, `\ncc = "${cc}"\n`) : text;
}
