//! What the experiments on HCC have in common: the paper's dumbbell, and packets by the second.

use std::fmt::Write;

use symbiosis_run::Outcome as Run;

use super::claims::{Stated, published};
use symbiosis_report::figure::{Mark, Series};
use symbiosis_report::outcome::Measured;

/// Seeds at the least where runs are of few packets.
pub const SEEDS: u64 = 10;
/// The papers' packets on the wire.
pub const PACKET: u32 = 1000;
/// The queue of H's own experiments \[packets\]. H says of none how long it is: at a long delay NewReno falls behind because it is short (§8.1), §8.2 is "the same
/// scenario" and §8.3 "a scenario similar to the previous runs". So one length for all, and of 10, 12, 15, 20, 50 the one at which Figs 2 to 5 and the Jain's
/// indices of Table 1 come out; docs/algorithms.md has what each changes.
pub const QUEUE: u32 = 12;
/// Beside each claim of H: what it does not say by itself.
const FITTED: &str = "queue fitted";
/// The note of every experiment of H.
pub const FITTED_NOTE: &str = "H does not say how long its queue was. The 12 packets of these runs were chosen so that H's Figs 2 to 5 and Table 1 come out (docs/algorithms.md                                says what other lengths give), so a claim that holds here says that there is a queue at which it does, and is no independent confirmation.";
/// What ns-2's queues hold when nobody says, and ours where H has no experiment \[packets\].
pub const NS2_QUEUE: u32 = 50;

/// H says it of its own runs, whose queue here is [`QUEUE`]: chosen by these very claims.
pub fn of_h(place: &str, what: impl Into<String>) -> Stated {
    published(&format!("{place}; {FITTED}"), what)
}

/// Flows of one kind on a dumbbell.
pub struct Flows<'a> {
    /// The controller.
    pub cc: &'a str,
    /// Its parameters, as in a scenario.
    pub params: &'a str,
    /// Other keys of its own, a line each.
    pub keys: &'a str,
    pub count: u32,
    /// Rate of the flows' own links \[Mbit/s\].
    pub access: f64,
}

/// `count` flows of `cc` with its defaults on links of their own that do not limit them.
pub fn flows(cc: &str, count: u32) -> Flows<'_> {
    Flows { cc, params: "", keys: "", count, access: 100.0 }
}

/// A dumbbell of `mbps` and `delay` ms one way between the routers, 10 ms on each side; the flows start one after the other within a second,
/// because ns-2's and ours, started at once, would move in step.
pub struct Dumbbell<'a> {
    pub name: String,
    pub about: &'a str,
    pub duration: u32,
    pub mbps: f64,
    pub delay: f64,
    pub queue: u32,
    /// Probability of a loss on the wire.
    pub loss: f64,
    /// Anything else, as in a scenario.
    pub more: String,
}

impl Dumbbell<'_> {
    /// The scenario with these flows.
    pub fn text(&self, kinds: &[Flows<'_>]) -> String {
        let Dumbbell { name, about, duration, mbps, delay, queue, loss, more } = self;
        let mut text = format!(
            "# {about}\nname = \"{name}\"\nduration_s = {duration}\n[bottleneck]\nrate_mbps = {mbps}\ndelay_ms = {delay}\nqueue_packets = {queue}\nloss = {loss}\n"
        );
        let total: u32 = kinds.iter().map(|kind| kind.count).sum();
        let kind_of = kinds.iter().flat_map(|kind| (0..kind.count).map(move |_| kind));
        for (at, Flows { cc, params, keys, access, .. }) in kind_of.enumerate() {
            let start = f64::from(at as u32) / f64::from(total);
            // H's TCP is ns-2's NewReno; XMTP has no choice.
            let recovery = match *cc {
                "hcc" => "",
                "newreno" => "recovery = \"newreno\"\n",
                _ => "recovery = \"sack\"\n",
            };
            write!(
                text,
                "[[flow]]\ncc = \"{cc}\"\nstart_s = {start}\npacket_bytes = {PACKET}\naccess_rate_mbps = {access}\naccess_delay_ms = 10\n\
                 initial_window = 2\nparams = {{ {params} }}\n{recovery}{keys}"
            )
            .expect("a string takes everything");
        }
        text + more
    }
}

/// Packets of a flow that arrived, by the second, over the seconds' middles.
pub fn packets_per_second(run: &Run, flow: usize, span: f64) -> Vec<(f64, f64)> {
    let trace = &run.flow_traces[flow];
    let every = trace[1].at.secs() - trace[0].at.secs();
    let step = (span / every).round() as usize;
    let packets = |from: usize, to: usize| (trace[to].delivered_bytes - trace[from].delivered_bytes) as f64 / f64::from(PACKET);
    let points = (step..trace.len()).step_by(step);
    points.map(|at| (trace[at].at.secs() - span / 2.0, packets(at - step, at) / span)).collect()
}

/// Mean throughput of the flows of a controller \[Mbit/s\]; nothing if there are none.
pub fn mean_of(run: &Run, cc: &str) -> f64 {
    let rates: Vec<f64> = run.summary.flows.iter().filter(|flow| flow.cc == cc).map(|flow| flow.throughput_mbps).collect();
    rates.iter().sum::<f64>() / rates.len().max(1) as f64
}

/// Throughput of the slowest flow \[Mbit/s\].
pub fn slowest(run: &Run) -> f64 {
    run.summary.flows.iter().map(|flow| flow.throughput_mbps).fold(f64::INFINITY, f64::min)
}

/// Throughput of all \[Mbit/s\].
pub fn total(run: &Run) -> f64 {
    run.summary.flows.iter().map(|flow| flow.throughput_mbps).sum()
}

/// Results over a parameter with their 95 % intervals.
pub fn curve(name: &str, points: &[(f64, Measured)]) -> Series {
    Series {
        band: Some(points.iter().map(|(_, m)| (m.mean - m.ci95, m.mean + m.ci95)).collect()),
        ..Series::new(name, Mark::LinePoints, points.iter().map(|(x, m)| (*x, m.mean)).collect())
    }
}
