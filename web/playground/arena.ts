// Presets from the arena: its quick cells, as `cargo test -p symbiosis-arena --test presets` writes them down.

import families from "./arena.json";
import { flow, model, type Cross, type Flow, type Model, type Preset, type Step } from "./model";

type Table = Record<string, unknown>;

/** Takes keys from a table; what is left over is what the controls do not have. */
class Keys {
  private readonly left: Map<string, unknown>;

  constructor(table: unknown) {
    this.left = new Map(Object.entries((table ?? {}) as Table));
  }

  has(key: string): boolean {
    return this.left.has(key);
  }

  take<T>(key: string, otherwise: T): T {
    const value = this.left.get(key);
    this.left.delete(key);
    return (value ?? otherwise) as T;
  }

  get none(): boolean {
    return this.left.size === 0;
  }
}

const times = (keys: Keys) => ({ start: keys.take("start_s", 0), stop: keys.take<number | null>("stop_s", null) });

/** The scenario for the controls; null where it has what they have not, as several links: then it is shown as text. */
function controls(about: string, scenario: Table): Model | null {
  const all = new Keys(scenario);
  const link = new Keys(all.take("bottleneck", null));
  if (!link.has("rate_mbps") || !link.has("delay_ms")) return null;
  const rate = link.take<number | Step[]>("rate_mbps", 0);
  const steps: Step[] = typeof rate === "number" ? [[0, rate]] : rate;
  const bdp = link.take<number | null>("queue_bdp", null);
  const packets = link.take<number | null>("queue_packets", null);
  if (bdp === null && packets === null) return null;
  const keys = (tables: Table[]) => tables.map((table) => new Keys(table));
  const flowKeys = keys(all.take("flow", []));
  const flows: Flow[] = flowKeys.map((keys) => {
    keys.take("name", "");
    return flow(keys.take("cc", ""), 0, { ...times(keys), count: keys.take("count", 1), extraMs: 4 * keys.take("access_delay_ms", 0) });
  });
  const crossKeys = keys(all.take("cross", []));
  const cross: Cross[] = crossKeys.map((keys) => ({ mbps: keys.take("rate_mbps", 0), gaps: keys.take("gaps", "constant"), ...times(keys) }));
  // What is measured is the arena's; the page shows the whole run.
  all.take("measure", null);
  all.take("trace", null);
  const made = model({
    name: all.take("name", "arena"), about, duration: all.take("duration_s", 60), seed: all.take("seed", 1), rate: steps[0][1], steps: steps.slice(1),
    rtt: 2 * link.take("delay_ms", 0), buffer: bdp === null ? { unit: "packets", value: packets! } : { unit: "bdp", value: bdp },
    queue: link.take("queue", "drop-tail"), loss: 100 * link.take("loss", 0), jitter: link.take("jitter_ms", 0), flows, cross,
  });
  const understood = [all, link, ...flowKeys, ...crossKeys].every((keys) => keys.none);
  return understood && steps[0][0] === 0 && cross.every(({ mbps }) => typeof mbps === "number") ? made : null;
}

export const ARENA: Preset[] = families.flatMap(({ family, asked, presets }) => presets.map(({ title, goals, toml, scenario }) => {
  const about = `The arena's goal: ${goals} (${asked}).`;
  const group = `Arena: ${family}`;
  const shown = controls(about, scenario as Table);
  return shown ? { group, title, model: shown } : { group, title, model: model({ about }), text: `# ${about}\n${toml}` };
}));
