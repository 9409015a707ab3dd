// A transfer's own trace, as `symbiosis send --out DIR --csv` writes it.

/** Columns by name, over `time_s`. */
export type Measured = Map<string, [time: number, value: number][]>;

/** Reads the CSV; nothing when it is no trace. Of several flows the first counts. */
export function measured(csv: string): Measured | null {
  const [head, ...rows] = csv.trim().split(/\r?\n/).map((line) => line.split(","));
  const time = head.indexOf("time_s");
  const wanted = ["srtt_ms", "cwnd_packets", "delivered_bytes"].filter((name) => head.includes(name));
  if (time < 0 || wanted.length === 0) return null;
  const flow = head.indexOf("flow");
  const first = flow < 0 ? rows : rows.filter((row) => row[flow] === rows[0][flow]);
  const lines: Measured = new Map(wanted.map((name) => {
    const at = head.indexOf(name);
    return [name, first.map((row) => [Number(row[time]), Number(row[at])] as [number, number]).filter(([, value]) => Number.isFinite(value))];
  }));
  const delivered = lines.get("delivered_bytes");
  if (delivered) lines.set("rate", rate(delivered));
  return lines;
}

/** Mean rates [Mbit/s] over spans of a hundredth of the trace. */
function rate(delivered: [number, number][]): [number, number][] {
  const span = Math.max(1, Math.round(delivered.length / 100));
  return delivered.flatMap(([at, bytes], index) => {
    const before = delivered[index - span];
    return before && at > before[0] ? [[at, ((bytes - before[1]) * 8e-6) / (at - before[0])] as [number, number]] : [];
  });
}
