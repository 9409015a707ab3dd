//! T Fig 5 and B Figs 6 and 8 to 12 with the kernel's own TCP: what B did on Linux hosts, on hosts of today, over an emulated path.
//!
//! Runs are one after another, the controllers in turns, so that what changes on the machine changes for all. A run in which the path was
//! late too often is repeated, and left out if it is late again.

use symbiosis_linux::KernelTcp;
use symbiosis_linux::testbed::LatenessSummary;
use symbiosis_run::{Outcome as Run, Plan};

use super::Lab;
use super::claims::{claim, over, within};
use super::series;
use super::steps::Steps;
use super::t5::{laboratory_at, to_california, to_tokyo, with_a_fixed};
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::{Claim, Measured, Outcome, Verdict};
use crate::scenario::{Scenario, World};

/// Ours, and what it is measured by: B's Reno, and what Linux has today.
pub const OURS: &str = "symbiosis";
const RENO: &str = "linux-reno";
const ALL: [&str; 4] = [OURS, RENO, "linux-cubic", "linux-bbr"];
/// A run is tried so often.
const ATTEMPTS: u32 = 3;

/// One controller's runs over a path.
pub struct Set {
    pub cc: &'static str,
    pub scenario: Scenario,
    /// Those that say something.
    pub runs: Vec<Run>,
    lateness: Vec<LatenessSummary>,
    /// Why each of the others says nothing.
    void: Vec<String>,
    /// Why there are none, if there are none.
    missing: Option<String>,
}

/// Several controllers' runs over the same path.
struct Played {
    steps: Steps,
    sets: Vec<Set>,
}

impl Set {
    fn new(steps: &Steps, cc: &'static str) -> Set {
        let text = steps.text(cc, &lines(cc));
        let scenario = Scenario::parse_for(World::Kernel, &text, "experiment.toml", None, &[]);
        let scenario = scenario.unwrap_or_else(|error| panic!("{}\n{text}", error.what));
        Set { cc, scenario, runs: Vec::new(), lateness: Vec::new(), void: Vec::new(), missing: None }
    }

    fn run(&mut self, lab: &Lab, seed: u64) {
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
        (lab.ran)();
    }

    /// Why there is nothing to say.
    pub fn nothing(&self) -> String {
        let void = || format!("all {} runs are void: {}", self.void.len(), self.void.join("; "));
        self.missing.clone().unwrap_or_else(void)
    }

    /// The runs in words.
    fn note(&self) -> String {
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

impl Played {
    /// The controllers in turns.
    fn new(lab: &Lab, steps: &Steps) -> Played {
        let mut sets: Vec<Set> = ALL.iter().map(|cc| Set::new(steps, cc)).collect();
        for seed in 1..=lab.seeds {
            sets.iter_mut().for_each(|set| set.run(lab, seed));
        }
        Played { steps: steps.clone(), sets }
    }

    fn of(&self, cc: &str) -> &Set {
        self.sets.iter().find(|set| set.cc == cc).expect("this controller was run")
    }

    /// How many times what Linux' Reno gets, run by run, in a part of the time.
    fn ratio(&self, from: f64, to: f64) -> Result<Measured, String> {
        let (ours, reno) = (self.of(OURS), self.of(RENO));
        if let Some(empty) = [ours, reno].into_iter().find(|set| set.runs.is_empty()) {
            return Err(format!("`{}`: {}", empty.cc, empty.nothing()));
        }
        let pairs = ours.runs.iter().zip(&reno.runs);
        let got = |run| series::delivered(run, 0, from, to);
        Ok(Measured::over(&pairs.map(|(ours, reno)| got(ours) / got(reno)).collect::<Vec<_>>()))
    }

    /// What each gets, second by second, in its first run; numbers in words; scenarios.
    fn show(&self, found: &mut Outcome, id: &str, title: &str) {
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
pub fn checked(
    text: &str,
    paper: &str,
    measured: Result<Measured, String>,
    unit: &str,
    holds: impl Fn(Measured) -> bool,
    why: &str,
) -> Claim {
    match measured {
        Ok(measured) => claim(text, paper, measured, unit, holds(measured), why),
        Err(why) => {
            let nothing = Measured { mean: 0.0, ci95: 0.0, seeds: 0 };
            Claim { verdict: Verdict::NotRun, ..claim(text, paper, nothing, unit, false, &why) }
        }
    }
}

/// Why Reno is hard to beat.
const RENO_FILLS: &str = "where the buffer holds a good part of a BDP it keeps the link full through Reno's halvings, and who gets all that is left cannot be beaten";

fn ahead(played: &Played, place: &str) -> Claim {
    let ratio = played.ratio(0.0, played.steps.until);
    let text = format!("symbiosis: ahead of Linux' Reno, {place}");
    checked(&text, "ahead", ratio, "times Reno's throughput", |ratio| ratio.mean > 1.0, RENO_FILLS)
}

/// T Fig 5, B Fig 6.
pub fn laboratory(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    let mut ratios = Vec::new();
    for rtt in [30.0, 60.0, 100.0, 150.0] {
        let steps = without_timer(laboratory_at(rtt));
        let played = Played::new(lab, &if lab.quick { steps.quicker(1.0 / 6.0) } else { steps });
        played.show(&mut found, &format!("B6-{rtt}"), &format!("RTT {rtt} ms"));
        if rtt >= 60.0 {
            found.claims.push(ahead(&played, &format!("RTT {rtt} ms")));
        }
        ratios.push((rtt, played.ratio(0.0, played.steps.until)));
    }
    let gap = match (&ratios[0].1, &ratios[ratios.len() - 1].1) {
        (Ok(short), Ok(long)) => Ok(Measured { mean: long.mean - short.mean, ci95: long.ci95.hypot(short.ci95), seeds: short.seeds }),
        (Err(why), _) | (_, Err(why)) => Err(why.clone()),
    };
    let unit = "times Reno's throughput more at 150 ms than at 30 ms";
    found.claims.push(checked("symbiosis: the gap to Reno widens with the RTT", "widens", gap, unit, |gap| gap.mean > 0.0, RENO_FILLS));
    let known: Vec<(f64, Measured)> = ratios.iter().filter_map(|(rtt, ratio)| Some((*rtt, *ratio.as_ref().ok()?))).collect();
    if !known.is_empty() {
        let band = known.iter().map(|(_, ratio)| (ratio.mean - ratio.ci95, ratio.mean + ratio.ci95)).collect();
        let points = known.iter().map(|(rtt, ratio)| (*rtt, ratio.mean)).collect();
        found.figures.push(Figure {
            id: "linux-B6-ratio".into(),
            title: "Throughput over that of Linux' Reno".into(),
            caption: "Of the whole run, start-up included; mean and 95 % interval over runs.".into(),
            x: Axis::linear("RTT [ms]"),
            y: Axis::linear("times Reno's throughput"),
            series: vec![Series { band: Some(band), ..Series::new(OURS, Mark::LinePoints, points) }],
        });
    }
    found
}

/// B Figs 8 and 9.
pub fn osaka_tokyo(lab: &Lab) -> Outcome {
    let part = if lab.quick { 0.25 } else { 1.0 };
    let played = Played::new(lab, &without_timer(to_tokyo()).quicker(part));
    let mut found = Outcome::default();
    played.show(&mut found, "B9", "Osaka to Tokyo");
    let why = "with a buffer of two BDPs Reno keeps the link full, and who follows a step of UDP late or drains the queue gets less";
    let ratio = played.ratio(20.0 * part, 60.0 * part);
    let text = "symbiosis: level with Linux' Reno where A is 20 and 10";
    found.claims.push(checked(text, "level", ratio, "times Reno's throughput", |ratio| within(ratio, 1.0, 0.05), why));
    found
}

/// B Figs 10 and 11.
pub fn osaka_california(lab: &Lab) -> Outcome {
    let steps = without_timer(to_california());
    let played = Played::new(lab, &if lab.quick { steps.quicker(1.0 / 3.0) } else { steps });
    let mut found = Outcome::default();
    played.show(&mut found, "B11", "Osaka to California");
    found.claims.push(ahead(&played, "RTT 118 ms"));
    found
}

/// B Fig 12 and Table 7.
pub fn fixed(lab: &Lab) -> Outcome {
    let played = Played::new(lab, &without_timer(with_a_fixed()));
    let mut found = Outcome::default();
    played.show(&mut found, "B12", "Osaka to California, A = 80 Mbit/s");
    let rate = |cc: &str| match played.of(cc) {
        set if set.runs.is_empty() => Err(set.nothing()),
        set => Ok(over(&set.runs, |run| run.summary.flows[0].throughput_mbps)),
    };
    found.claims.push(checked(
        "symbiosis: 78.2 Mbit/s, start included, within 2 %",
        "78.22 ± 0.22",
        rate(OURS),
        "Mbit/s",
        |rate| within(rate, 78.22, 0.02),
        START,
    ));
    let text = "Linux' Reno: 45.6 Mbit/s, start included, within what is printed";
    let printed = |rate: Measured| (rate.mean - 45.56).abs() <= 8.70;
    found.claims.push(checked(text, "45.56 ± 8.70", rate(RENO), "Mbit/s", printed, TODAY));
    let ratio = played.ratio(0.0, played.steps.until);
    let text = "symbiosis: 1.72 times Linux' Reno, or more";
    let reached = |ratio: Measured| ratio.mean >= 78.22 / 45.56;
    found.claims.push(checked(text, "78.22 / 45.56 = 1.72", ratio, "times Reno's throughput", reached, REACH));
    found
}

/// What a start costs of a minute's mean.
const START: &str = "a minute's mean has its start in it: every second at less than A takes 80/60 = 1.3 Mbit/s from it";

/// What the ratio can be.
const REACH: &str = "all of A is 80 Mbit/s, so nobody has more than 80 over what Reno gets: 1.76 beside B's mean of 45.56, of which 1.72 is 98 %, but \
                     1.74 beside a Reno of 46, of which it is 99 %. A start from two packets, 118 ms a round trip, takes 2 to 4 % of a minute; and \
                     B's Reno itself varies by 19 %";

/// What Reno's minute hangs on.
const TODAY: &str = "Reno climbs all the minute T: it gets (w₀ + T/2τ)·M/τ, of which T/2τ is 254 packets, and w₀ is what slow start's overflow leaves \
                     it. That hangs on where in a round the buffer overflows: w₀ is 195 in B's mean, and 247 with the initial window of Linux \
                     today, 10, beside which nobody can have more than 80/49.5 = 1.62 times as much";
