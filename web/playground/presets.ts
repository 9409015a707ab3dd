// Scenarios to begin with: of the papers, of today's networks, and of the arena.

import { ARENA } from "./arena";
import { flow, model, type Preset } from "./model";

const OWN: Preset[] = [
  {
    group: "From the papers",
    title: "Two flows, the second after 50 s (T Fig 3)",
    model: model({
      name: "two-flows", about: "Two TCP Symbiosis flows share a link: evenly, with a short queue, without a loss (T Fig 3).",
      duration: 100, rate: 100, rtt: 100, buffer: { unit: "packets", value: 1000 },
      flows: [flow("symbiosis", 0, { extraMs: 20 }), flow("symbiosis", 50, { extraMs: 20 })],
    }),
  },
  {
    group: "From the papers",
    title: "Available bandwidth in steps (S §IV-A)",
    model: model({
      name: "udp-steps", about: "One flow beside UDP of 20, 80 and 50 Mbit/s on a link of 100 Mbit/s: it follows what is left.",
      duration: 60, rate: 100, rtt: 60,
      flows: [flow("symbiosis")],
      cross: [
        { mbps: 20, gaps: "exponential", start: 0, stop: 20 }, { mbps: 80, gaps: "exponential", start: 20, stop: 40 },
        { mbps: 50, gaps: "exponential", start: 40, stop: null },
      ],
    }),
  },
  {
    group: "From the papers",
    title: "Five flows join and leave (S Fig 11)",
    model: model({
      name: "five-flows", about: "Five flows join, 20 s apart, and leave in the same order (S Fig 11).", duration: 200, rate: 100, rtt: 60,
      flows: [0, 1, 2, 3, 4].map((i) => flow("symbiosis", 20 * i, { stop: 100 + 20 * i })),
    }),
  },
  {
    group: "From the papers",
    title: "HCC beside UDP",
    model: model({
      name: "hcc", about: "The rate controller of HCC, which lowers its rate by the jitter that it causes.", duration: 40, rate: 10, rtt: 40,
      flows: [flow("hcc")], cross: [{ mbps: 3, gaps: "exponential", start: 15, stop: 30 }],
    }),
  },
  {
    group: "Today's networks",
    title: "Beside CUBIC",
    model: model({
      name: "beside-cubic", about: "CUBIC joins a symbiosis flow after 20 s and leaves after 60 s.", duration: 90, rate: 50, rtt: 50,
      buffer: { unit: "bdp", value: 1 }, flows: [flow("symbiosis"), flow("cubic", 20, { stop: 60 })],
    }),
  },
  {
    group: "Today's networks",
    title: "Bufferbloat: CUBIC alone",
    model: model({
      name: "bufferbloat", about: "One CUBIC flow fills a buffer of 4 BDP. Compare with symbiosis.", duration: 40, rate: 20, rtt: 40,
      buffer: { unit: "bdp", value: 4 }, flows: [flow("cubic")],
    }),
  },
  {
    group: "Today's networks",
    title: "Eight flows within a second",
    model: model({
      name: "eight-flows", about: "Eight flows start within one second.", duration: 60, rate: 100, rtt: 60,
      flows: [0, 1, 2, 3, 4, 5, 6, 7].map((i) => flow("symbiosis", i * 0.13)),
    }),
  },
  {
    group: "Today's networks",
    title: "One packet in a hundred is lost",
    model: model({
      name: "loss", about: "Random loss of 1 % on a long path.", duration: 60, rate: 50, rtt: 100, loss: 1, flows: [flow("symbiosis")],
    }),
  },
  {
    group: "Today's networks",
    title: "The rate halves, quarters and comes back",
    model: model({
      name: "steps", about: "A link whose rate changes.", duration: 80, rate: 40, rtt: 60,
      steps: [[20, 20], [40, 80], [60, 40]], flows: [flow("symbiosis")],
    }),
  },
  {
    group: "Today's networks",
    title: "CoDel and two kinds of flows",
    model: model({
      name: "codel", about: "CUBIC and symbiosis behind CoDel.", duration: 60, rate: 50, rtt: 50, queue: "codel",
      flows: [flow("symbiosis"), flow("cubic", 10)],
    }),
  },
];

export const PRESETS: Preset[] = [...OWN, ...ARENA];
