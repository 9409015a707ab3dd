//! The simulator beside Linux: Reno, CUBIC and BBR with the kernel's own TCP, each over a dozen paths, and the same files simulated.
//!
//! What a flow gets, what it leaves in the queue and how often it meets a loss are the congestion control's; the rest of the two worlds (TCP's
//! recovery, timers, the queue itself) has nothing in common but what is written down about it.

use symbiosis_run::Outcome as Run;
use symbiosis_scenario::{Files, Scenario};

use crate::toolkit::Lab;
use crate::toolkit::claims::{near, ours, over};
use crate::toolkit::kernel::{Set, checked};
use crate::world::World;
use symbiosis_report::outcome::{Claim, Measured, Outcome, Table};

/// The path's rate \[Mbit/s\], and its delay one way \[ms\]. A BDP is 67 packets: where Reno's window is some dozens of packets it turns around
/// within a run.
const RATE: f64 = 20.0;
const DELAY: f64 = 20.0;
/// Where between two departures the answer to a departure comes decides whom a full queue drops, for as long as nothing is random (Floyd and
/// Jacobson, On Traffic Phase Effects in Packet-Switched Gateways). A host takes some tens of microseconds, never the same; the simulated
/// path has so many round-trip times instead, over the time that a packet takes \[ms\].
const PHASES: usize = 10;
const PACKET_TIME: f64 = 1500.0 * 8.0 / RATE / 1e3;
/// A packet of Linux has 52 bytes of headers, of which 12 are time stamps; the kernel's recovery is RACK with PRR.
const AS_LINUX: &str = "header_bytes = 52\nrecovery = \"rack\"\n";
/// How long a run is, and from when on it counts: slow start's overshoot is over \[s\].
const UNTIL: f64 = 60.0;
const FROM: f64 = 10.0;
/// The part that the two may be apart.
const APART: f64 = 0.05;

/// The names of a congestion control in the simulator and in the kernel.
const CONTROLLERS: [(&str, &str); 3] = [("reno", "linux-reno"), ("cubic", "linux-cubic"), ("bbr", "linux-bbr")];

/// A path: what it is called, the bottleneck's further keys, flows, and other traffic.
struct Path {
    name: &'static str,
    queue: &'static str,
    flows: usize,
    others: &'static str,
}

const fn path(name: &'static str, queue: &'static str) -> Path {
    Path { name, queue, flows: 1, others: "" }
}

const PATHS: [Path; 12] = [
    path("¼ BDP", "queue_bdp = 0.25"),
    path("½ BDP", "queue_bdp = 0.5"),
    path("1 BDP", "queue_bdp = 1.0"),
    path("2 BDP", "queue_bdp = 2.0"),
    path("4 BDP", "queue_bdp = 4.0"),
    path("1 BDP, .01 % lost", "queue_bdp = 1.0\nloss = 0.0001"),
    path("1 BDP, .1 % lost", "queue_bdp = 1.0\nloss = 0.001"),
    path("1 BDP, 1 % lost", "queue_bdp = 1.0\nloss = 0.01"),
    path("CoDel", "queue_bdp = 4.0\nqueue = \"codel\""),
    Path { name: "FQ-CoDel, two flows", queue: "queue_bdp = 4.0\nqueue = \"fq-codel\"", flows: 2, others: "" },
    Path { name: "1 BDP, two flows", queue: "queue_bdp = 1.0", flows: 2, others: "" },
    Path { name: "1 BDP, 6 Mbit/s of Poisson UDP", queue: "queue_bdp = 1.0", flows: 1, others: "[[cross]]\nrate_mbps = 6\n" },
];

/// What is compared, and how a table writes it.
type Quantity = (&'static str, fn(&Run) -> f64, usize);

const QUANTITIES: [Quantity; 4] = [
    ("throughput [Mbit/s]", |run| run.summary.flows.iter().map(|flow| flow.throughput_mbps).sum(), 2),
    ("mean queue [packets]", |run| run.summary.links[0].queue_packets.mean, 1),
    ("p95 of the queue [packets]", |run| run.summary.links[0].queue_packets.p95, 0),
    ("loss events", |run| run.summary.flows.iter().map(|flow| flow.loss_events as f64).sum(), 1),
];

impl Path {
    /// The scenario for a congestion control, with so much more RTT \[ms\].
    fn text(&self, cc: &str, more: &str, later: f64) -> String {
        let flow = |at: usize| format!("[[flow]]\ncc = \"{cc}\"\nstart_s = {at}\n{more}");
        let flows = (0..self.flows).map(flow).collect::<String>();
        let Path { queue, others, .. } = self;
        let path = format!("rate_mbps = {RATE}\ndelay_ms = {}\n{queue}", DELAY + later / 2.0);
        format!("duration_s = {UNTIL}\n[bottleneck]\n{path}\n{flows}{others}[measure]\nfrom_s = {FROM}\n")
    }
}

impl Path {
    /// The scenario of the simulator, with a seed of its own.
    fn simulated(&self, cc: &str, phase: usize) -> Scenario {
        let text = self.text(cc, AS_LINUX, phase as f64 / PHASES as f64 * PACKET_TIME);
        let scenario = Scenario::parse_for(World::Simulator.target(), &text, "experiment.toml", Files::Folder(None), &[]);
        let mut scenario = scenario.unwrap_or_else(|error| panic!("{}\n{text}", error.what));
        scenario.plan.seed = phase as u64 + 1;
        scenario
    }
}

/// One congestion control on one path, in both.
struct Pair {
    path: &'static Path,
    cc: &'static str,
    simulated: Vec<Run>,
    linux: Set,
}

/// Runs it.
pub fn run(lab: &Lab) -> Outcome {
    let paths = if lab.quick { &PATHS[..3] } else { &PATHS[..] };
    let mut pairs: Vec<Pair> = Vec::new();
    for path in paths {
        for (ours, linux) in CONTROLLERS {
            let phases = (0..PHASES).map(|phase| path.simulated(ours, phase)).collect::<Vec<_>>();
            pairs.push(Pair { path, cc: ours, simulated: lab.run_all(&phases), linux: Set::of(linux, &path.text(linux, "", 0.0)) });
        }
    }
    // In turns, so that what changes on the machine changes for all.
    for seed in 1..=lab.seeds {
        pairs.iter_mut().for_each(|pair| pair.linux.run(lab, seed));
    }
    Outcome {
        claims: pairs.iter().flat_map(Pair::claims).collect(),
        scenarios: pairs.iter().map(|pair| (format!("{} {}", pair.linux.cc, pair.path.name), pair.linux.scenario.text.clone())).collect(),
        tables: vec![table(&pairs)],
        notes: pairs.iter().map(|pair| format!("{}: {}", pair.path.name, pair.linux.note())).collect(),
        ..Outcome::default()
    }
}

impl Pair {
    /// A quantity in both; or why Linux has none.
    fn both(&self, value: fn(&Run) -> f64) -> Result<(Measured, Measured), String> {
        if self.linux.runs.is_empty() {
            return Err(self.linux.nothing());
        }
        Ok((over(&self.simulated, value), over(&self.linux.runs, value)))
    }

    fn claims(&self) -> Vec<Claim> {
        let why = match self.cc {
            "bbr" => "Linux sends in quanta of a millisecond, which the simulator paces packet by packet",
            _ => "a queue of a few packets hangs on how many of them leave together, and counts of a few events on chance",
        };
        let claim = |(name, value, _): Quantity| {
            let quantity = name.split(" [").next().unwrap_or(name);
            let text = format!("{} and {}, {}: {quantity} the same, within 5 %", self.cc, self.linux.cc, self.path.name);
            let ratio = self.both(value).map(|(simulated, linux)| linux.part_of(simulated));
            checked(&text, ours("the same"), ratio, "times the simulator's", near(1.0, APART), why)
        };
        QUANTITIES.into_iter().map(claim).collect()
    }
}

/// All pairs: simulator / Linux, with 95 % intervals over phases and over runs.
fn table(pairs: &[Pair]) -> Table {
    let cell = |pair: &Pair, (_, value, digits): Quantity| match pair.both(value) {
        Ok((simulated, linux)) => {
            let number = |measured: Measured| format!("{:.digits$} ± {:.digits$}", measured.mean, measured.ci95);
            format!("{} / {}", number(simulated), number(linux))
        }
        Err(_) => format!("{:.digits$} / not run", over(&pair.simulated, value).mean),
    };
    let row = |pair: &Pair| {
        let head = [pair.path.name.to_string(), format!("{} / {}", pair.cc, pair.linux.cc)];
        head.into_iter().chain(QUANTITIES.map(|quantity| cell(pair, quantity))).collect()
    };
    Table {
        title: "Simulator / Linux".into(),
        columns: ["path", "congestion control"].into_iter().chain(QUANTITIES.map(|(name, ..)| name)).map(String::from).collect(),
        rows: pairs.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_is_a_scenario_of_both_worlds() {
        for path in &PATHS {
            for (ours, linux) in CONTROLLERS {
                for (world, cc, more) in [(World::Simulator, ours, AS_LINUX), (World::Kernel, linux, "")] {
                    let text = path.text(cc, more, 0.3);
                    let parsed = Scenario::parse_for(world.target(), &text, "path.toml", Files::Folder(None), &[]);
                    assert!(parsed.is_ok_and(|scenario| scenario.plan.flows.len() == path.flows), "{text}");
                }
            }
        }
    }
}
