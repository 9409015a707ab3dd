//! How Reno and Symbiosis share a link, over ε: S Eq 26 and the simulator.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_run::Outcome as Run;
use symbiosis_theory::reno_rivalry::{Cycle, Rivalry};

use super::Lab;
use super::claims::{check, claim, derived, near, over};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};
use symbiosis_scenario::Scenario;

/// Base round-trip time of both figures.
pub const TAU: Span = Span::from_millis(50);

pub const PACKET: Bytes = Bytes(1500);

/// The capacity of S Fig 4 \[Mbit/s\].
const SLOW: f64 = 10.0;

/// Starts of cases with many packets, which take long.
pub const FAST_STARTS: u64 = 4;

/// One curve: a capacity and a buffer.
#[derive(Clone, Copy)]
pub struct Case {
    pub mbps: f64,
    pub buffer: f64,
}

impl Case {
    pub fn of_bdp(mbps: f64, bdp: f64) -> Case {
        Case { mbps, buffer: bdp * Rate::from_mbps(mbps).times(TAU) / PACKET.as_f64() }
    }

    /// Whether its packets are so many that it is run shorter and from fewer starts.
    pub fn is_fast(&self) -> bool {
        self.mbps > 200.0
    }

    pub fn rivalry(&self, epsilon: f64) -> Rivalry {
        let buffer = Bytes::from_f64(self.buffer * PACKET.as_f64());
        Rivalry { capacity: Rate::from_mbps(self.mbps), tau: TAU, mean_rtt: TAU, buffer, epsilon, packet: PACKET }
    }

    pub fn cycle(&self, epsilon: f64) -> Option<Cycle> {
        self.rivalry(epsilon).cycle()
    }

    pub fn text(&self, id: &str, epsilon: f64, measurement: &str, start: f64, quick: bool) -> String {
        let Case { mbps, buffer } = *self;
        // A sawtooth of Reno's takes 20 s at 10 Mbit/s, and 11 s at 100.
        let duration = match (self.is_fast(), quick) {
            (true, _) => 60,
            (false, false) if mbps > SLOW => 200,
            (false, false) => 300,
            (false, true) if mbps > SLOW => 80,
            (false, true) => 120,
        };
        format!(
            r#"# {id}: Symbiosis beside Reno. Base RTT 50 ms.
name = "{id}-{mbps}-{buffer:.0}-{measurement}"
duration_s = {duration}
[bottleneck]
rate_mbps = {mbps}
delay_ms = 25
queue_packets = {buffer:.0}
[[flow]]
cc = "reno"
recovery = "newreno"
initial_window = 2
start_s = {start}
[[flow]]
cc = "symbiosis-paper"                # first, so that it sees the base RTT
recovery = "newreno"
initial_window = 2
params = {{ epsilon = {epsilon}, measurement = "{measurement}" }}
[measure]
from_s = {from}
"#,
            from = duration / 4,
        )
    }
}

/// What one simulated case shows at one ε, over starts.
pub struct Point {
    pub lambda: Measured,
    /// λ of each start, and whether Symbiosis lost anything worth a word: a tenth of Reno's loss events.
    pub starts: Vec<(f64, bool)>,
    pub timeouts: f64,
}

impl Point {
    pub fn of(runs: &[Run]) -> Point {
        let lambda = |run: &Run| run.summary.flows[0].throughput_mbps / run.summary.flows[1].throughput_mbps.max(1e-3);
        let loses = |run: &Run| {
            let [reno, symbiosis] = [0, 1].map(|flow| run.summary.flows[flow].loss_events + run.summary.flows[flow].timeouts);
            symbiosis as f64 >= 0.1 * reno as f64
        };
        Point {
            lambda: over(runs, lambda),
            starts: runs.iter().map(|run| (lambda(run), loses(run))).collect(),
            timeouts: over(runs, |run| run.summary.flows[1].timeouts as f64).mean,
        }
    }

    /// Why it is not what the analysis says, as far as the losses tell: a start settles into one of two regimes.
    pub fn why(&self, case: &Case) -> String {
        let regime =
            |both: bool| Measured::over(&self.starts.iter().filter(|(_, loses)| *loses == both).map(|(l, _)| *l).collect::<Vec<_>>());
        let (both, alone) = (regime(true), regime(false));
        let mut parts = Vec::new();
        if alone.seeds > 0 {
            parts.push(format!(
                "in {} of {} starts only Reno loses, because it is its additional packet that finds the buffer full while Symbiosis' window \
                 stands still at Kτ: λ is {:.2}, and ¾B/(Kτ) is {:.2}",
                alone.seeds,
                self.starts.len(),
                alone.mean,
                case.rivalry(1.0).least_lambda()
            ));
        }
        if both.seeds > 0 {
            parts.push(format!(
                "in {} of {} starts both lose, as the analysis has it, and λ is {:.2}: a drop-tail queue takes more than one packet of a flow, \
                 or of one flow only now and then, and the queue is part of the RTT, none of which Eq 25 knows",
                both.seeds,
                self.starts.len(),
                both.mean
            ));
        }
        if self.timeouts > 0.0 {
            parts.push(format!("Symbiosis has {:.1} timeouts a run, which the analysis does not have", self.timeouts));
        }
        parts.join("; ")
    }
}

/// One simulated case over ε: the seed moves Reno's start, because nothing else in it is random.
pub fn simulated(lab: &Lab, id: &str, case: &Case, epsilons: &[f64], measurement: &str) -> (Vec<Point>, Scenario) {
    let seeds = if case.is_fast() { lab.seeds.min(FAST_STARTS) } else { lab.seeds };
    let scenarios: Vec<Scenario> = epsilons
        .iter()
        .flat_map(|epsilon| (0..seeds).map(move |seed| (*epsilon, 1.0 + 0.617 * seed as f64)))
        .map(|(epsilon, start)| lab.scenario(&case.text(id, epsilon, measurement, start, lab.quick)))
        .collect();
    let points = lab.run_all(&scenarios).chunks(seeds as usize).map(Point::of).collect();
    (points, scenarios.into_iter().next().expect("at least one ε and one seed"))
}

pub fn curve(name: &str, case: &Case, lambda: impl Fn(&Cycle) -> f64) -> Series {
    // ε from 0.1 to 10 on a logarithmic scale.
    let epsilons = (0..=80).map(|i| 10f64.powf(-1.0 + i as f64 / 40.0));
    let points = epsilons.filter_map(|epsilon| Some((epsilon, lambda(&case.cycle(epsilon)?)))).collect();
    Series::new(name, Mark::Dashed, points)
}

pub fn figure(id: &str, title: &str, caption: &str, series: Vec<Series>) -> Figure {
    Figure {
        id: id.into(),
        title: title.into(),
        caption: caption.into(),
        x: Axis::log("ε [1/s]"),
        y: Axis::log("λ, throughput of Reno over Symbiosis"),
        series,
    }
}

pub fn sweep(lab: &Lab, id: &str, cases: &[(String, Case)]) -> Outcome {
    // Claims are about ε = 1 and A = K.
    let epsilons: &[f64] = if lab.quick { &[1.0] } else { &[0.2, 0.5, 1.0, 2.0, 5.0] };
    let mut found = Outcome::default();
    found.figures.push(figure(
        &format!("{id}-paper"),
        "λ by S Eq 26",
        "The paper's curves: S Eq 26 with the τ̄ that its line for Reno's area has and its last line dropped.",
        cases.iter().map(|(name, case)| curve(name, case, Cycle::lambda_paper)).collect(),
    ));
    let mut beside = Vec::new();
    let mut truth = Vec::new();
    for (name, case) in cases {
        beside.push(curve(&format!("{name}, formula"), case, Cycle::lambda_corrected));
        for (measurement, series) in [("capacity", &mut beside), ("oracle", &mut truth)] {
            let (measured, scenario) = simulated(lab, id, case, epsilons, measurement);
            let points = epsilons.iter().zip(&measured).map(|(epsilon, point)| (*epsilon, point.lambda.mean)).collect();
            let band = measured.iter().map(|point| point.lambda).map(|m| (m.mean - m.ci95, m.mean + m.ci95)).collect();
            series.push(Series { band: Some(band), ..Series::new(name, Mark::LinePoints, points) });
            // ε = 1 or the nearest below it.
            let middle = epsilons.iter().position(|epsilon| *epsilon == 1.0).expect("1 is among them");
            if measurement == "capacity" {
                let formula = case.cycle(1.0).map_or(f64::NAN, |cycle| cycle.lambda_corrected());
                let point = &measured[middle];
                let least = case.rivalry(1.0).least_lambda();
                let alone = point.starts.iter().all(|(_, loses)| !loses);
                let differs = claim(
                    format!("{name}, ε = 1: the simulator under A = K agrees with S Eq 26, corrected, within 25 %"),
                    derived("S §III-D, Eqs 25, 26 with Reno's area corrected", format!("{formula:.2}")),
                    point.lambda,
                    "λ",
                    near(formula, 0.25),
                    &point.why(case),
                );
                let reno_alone = alone.then(|| {
                    check("λ in parts of ¾B/(Kτ), which it is when only Reno loses", point.lambda.times(1.0 / least), near(1.0, 0.05))
                });
                found.claims.push(differs.because(reno_alone, point.why(case)));
            }
            found.scenarios.push((scenario.name, scenario.text));
        }
    }
    found.figures.push(figure(
        &format!("{id}-corrected"),
        "λ with Reno's area corrected, and simulated with A = K",
        "Dashed: S Eq 26 with the mean of a sawtooth, ⅜W²τ̄. Points: the packet simulator under the analysis' own assumption, that \
         Symbiosis sees A = K; mean and 95 % interval over starts.",
        beside,
    ));
    found.figures.push(figure(
        &format!("{id}-oracle"),
        "λ simulated with the true A",
        "The packet simulator with the oracle. From a buffer of half a bandwidth-delay product on, a flow that knows exactly \
         what Reno leaves starves beside it.",
        truth,
    ));
    found
}
