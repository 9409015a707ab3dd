//! T Fig 5 and B Figs 6 and 8 to 12 with the kernel's own TCP: what B did on Linux hosts, on hosts of today, over an emulated path.
//!
//! Runs are one after another, the controllers in turns, so that what changes on the machine changes for all. A run in which the path was
//! late too often is repeated, and left out if it is late again.

use std::time::Duration;

use symbiosis_linux::KernelTcp;
use symbiosis_linux::testbed::LatenessSummary;
use symbiosis_run::{Outcome as Run, Plan};

use super::Lab;
use super::claims::{Stated, above, after, claim, over};
use super::series;
use super::steps::Steps;
use crate::world::World;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Bar, Claim, Measured, Outcome};
use symbiosis_scenario::{Files, Scenario};

/// Ours, and what it is measured by: B's Reno, and what Linux has today.
pub const OURS: &str = "symbiosis";

pub const RENO: &str = "linux-reno";

const ALL: [&str; 4] = [OURS, RENO, "linux-cubic", "linux-bbr"];

/// A run is tried so often.
pub const ATTEMPTS: u32 = 3;

/// One controller's runs over a path.
pub struct Set {
    pub cc: &'static str,
    pub scenario: Scenario,
    /// Those that say something.
    pub runs: Vec<Run>,
    pub lateness: Vec<LatenessSummary>,
    /// Why each of the others says nothing.
    pub void: Vec<String>,
    /// Why there are none, if there are none.
    pub missing: Option<String>,
}

/// Several controllers' runs over the same path.
pub struct InTurns {
    pub steps: Steps,
    pub sets: Vec<Set>,
}

impl Set {
    pub fn new(steps: &Steps, cc: &'static str) -> Set {
        Set::of(cc, &steps.text(cc, &lines(cc)))
    }

    /// Of any scenario in TOML.
    pub fn of(cc: &'static str, text: &str) -> Set {
        let scenario = Scenario::parse_for(World::Kernel.target(), text, "experiment.toml", Files::Folder(None), &[]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{}\n{text}", error.what));
        Set { cc, scenario, runs: Vec::new(), lateness: Vec::new(), void: Vec::new(), missing: None }
    }

    pub fn run(&mut self, lab: &Lab, seed: u64) {
        if self.missing.is_some() {
            return;
        }
        let kernel = KernelTcp { attempts: ATTEMPTS, enough: lab.enough };
        match kernel.run_with_machine(&Plan { seed, ..self.scenario.plan.clone() }) {
            Ok(ran) => match ran.machine.void {
                None => {
                    self.runs.push(ran.outcome);
                    self.lateness.push(ran.machine.lateness);
                }
                Some(why) => self.void.push(why),
            },
            Err(error) => self.missing = Some(error.to_string()),
        }
        // In the kernel time passes by itself.
        (lab.ran)(Duration::ZERO);
    }

    /// Why there is nothing to say.
    pub fn nothing(&self) -> String {
        let void = || format!("all {} runs are void: {}", self.void.len(), self.void.join("; "));
        self.missing.clone().unwrap_or_else(void)
    }

    /// The runs in words.
    pub fn note(&self) -> String {
        if self.runs.is_empty() {
            return format!("`{}`: not run, {}.", self.cc, self.nothing());
        }
        let (rate, flow) = (over(&self.runs, |run| run.summary.flows[0].throughput_mbps), |run: &Run| run.summary.flows[0].clone());
        let rtt = over(&self.runs, |run| flow(run).rtt_ms.map_or(f64::NAN, |rtt| rtt.p50));
        let (lost, timeouts) = (over(&self.runs, |run| flow(run).packets_lost as f64), over(&self.runs, |run| flow(run).timeouts as f64));
        let queue = over(&self.runs, |run| run.summary.links[0].queue_packets.mean);
        let worst = |value: fn(&LatenessSummary) -> f64| self.lateness.iter().map(value).fold(0.0, f64::max);
        let void = if self.void.is_empty() { String::new() } else { format!(", {} void and left out", self.void.len()) };
        format!(
            "`{}`: {:.2} ± {:.2} Mbit/s, median RTT {:.1} ms, {:.1} packets in the queue, {:.0} lost, {:.1} timeouts; {} runs{void}, in the \
             worst of them packets left the path {:.0} µs late at the 99th percentile, {:.2} % more than 200 µs.",
            self.cc,
            rate.mean,
            rate.ci95,
            rtt.mean,
            queue.mean,
            lost.mean,
            timeouts.mean,
            self.runs.len(),
            worst(|lateness| lateness.p99_us),
            100.0 * worst(|lateness| lateness.late),
        )
    }
}

/// A flow as the simulator's experiments have it. Where slow start ends hangs on the window that it begins with; Linux of today begins with 10.
pub fn lines(cc: &str) -> String {
    format!("cc = \"{cc}\"\ninitial_window = 2")
}

/// Runs of one controller over a path, one after another.
pub fn set(lab: &Lab, steps: &Steps, cc: &'static str) -> Set {
    let mut set = Set::new(steps, cc);
    (1..=lab.seeds).for_each(|seed| set.run(lab, seed));
    set
}

impl InTurns {
    /// The controllers in turns.
    pub fn new(lab: &Lab, steps: &Steps) -> InTurns {
        let mut sets: Vec<Set> = ALL.iter().map(|cc| Set::new(steps, cc)).collect();
        for seed in 1..=lab.seeds {
            sets.iter_mut().for_each(|set| set.run(lab, seed));
        }
        InTurns { steps: steps.clone(), sets }
    }

    pub fn of(&self, cc: &str) -> &Set {
        self.sets.iter().find(|set| set.cc == cc).expect("this controller was run")
    }

    /// How many times what Linux' Reno gets, run by run, in a part of the time.
    pub fn ratio(&self, from: f64, to: f64) -> Result<Measured, String> {
        let (ours, reno) = (self.of(OURS), self.of(RENO));
        if let Some(empty) = [ours, reno].into_iter().find(|set| set.runs.is_empty()) {
            return Err(format!("`{}`: {}", empty.cc, empty.nothing()));
        }
        let pairs = ours.runs.iter().zip(&reno.runs);
        let got = |run| series::delivered(run, 0, from, to);
        Ok(Measured::over(&pairs.map(|(ours, reno)| got(ours) / got(reno)).collect::<Vec<_>>()))
    }

    /// What each gets, second by second, in its first run; numbers in words; scenarios.
    pub fn show(&self, found: &mut Outcome, id: &str, title: &str) {
        let ran = || self.sets.iter().filter(|set| !set.runs.is_empty());
        let mut series: Vec<Series> = ran().map(|set| Series::new(set.cc, Mark::Line, series::throughput(&set.runs[0], 0, 1.0))).collect();
        series.push(self.steps.truth());
        let queues = ran().map(|set| Series::new(set.cc, Mark::Line, series::queue(&set.runs[0]))).collect();
        let parts =
            [("throughput", "throughput in each second", "throughput [Mbit/s]", series), ("queue", "queue", "queue [packets]", queues)];
        for (part, what, label, series) in parts {
            found.figures.push(Figure {
                id: format!("linux-{id}-{part}"),
                title: format!("{title}: {what}"),
                caption: "Linux' own TCP over an emulated path; the first run of each. Dashed: what UDP leaves.".into(),
                x: Axis::linear("time [s]").range(0.0, self.steps.until),
                y: Axis::linear(label),
                series,
            });
        }
        found.notes.extend(self.sets.iter().map(|set| format!("{title}: {}", set.note())));
        found.scenarios.extend(self.sets.iter().map(|set| (set.scenario.name.clone(), set.scenario.text.clone())));
    }
}

/// A path of B's in the kernel, whose timer is what it is.
pub fn without_timer(steps: Steps) -> Steps {
    Steps { id: format!("linux-{}", steps.id), timer_us: 0.0, ..steps }
}

/// A claim about what was measured, or one that could not be.
pub fn checked(text: &str, stated: Stated, measured: Result<Measured, String>, unit: &str, bar: Bar, why: &str) -> Claim {
    match measured {
        Ok(measured) => claim(text, stated, measured, unit, bar, why),
        Err(why) => claim(text, stated, Measured::none(), unit, bar, "").not_run(why),
    }
}

/// Why Reno is hard to beat.
pub const RENO_FILLS: &str = "where the buffer holds a good part of a BDP it keeps the link full through Reno's halvings, and who gets all that is left cannot be beaten";

pub fn ahead(played: &InTurns, place: &str) -> Claim {
    let ratio = played.ratio(0.0, played.steps.until);
    let text = format!("symbiosis: ahead of Linux' Reno, {place}");
    checked(&text, after("B §3.3, §4.2.2", "ahead"), ratio, "times Reno's throughput", above(1.0), RENO_FILLS)
}
