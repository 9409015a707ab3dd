//! S Figs 4 and 5: how Reno and Symbiosis share a link, over ε.

use symbiosis_base::{Bytes, Nanos, Rate};
use symbiosis_run::Outcome as Run;
use symbiosis_theory::reno_rivalry::{Cycle, Rivalry};

use super::Lab;
use super::claims::{claim, exact, over, within};
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::{Measured, Outcome};
use crate::scenario::Scenario;

/// Base round-trip time of both figures.
const TAU: Nanos = Nanos::from_millis(50);
const PACKET: Bytes = Bytes(1500);
/// Packets of Fig 5's buffer, one bandwidth-delay product at 10 Mbit/s.
const FIG_5_BUFFER: f64 = 41.0;

/// Starts of cases with many packets, which take long.
const FAST_STARTS: u64 = 4;

/// One curve: a capacity and a buffer.
#[derive(Clone, Copy)]
struct Case {
    mbps: f64,
    buffer: f64,
}

impl Case {
    fn of_bdp(mbps: f64, bdp: f64) -> Case {
        Case { mbps, buffer: bdp * Rate::from_mbps(mbps).times(TAU) / PACKET.as_f64() }
    }

    /// Whether its packets are so many that it is run shorter and from fewer starts.
    fn is_fast(&self) -> bool {
        self.mbps > 200.0
    }

    fn rivalry(&self, epsilon: f64) -> Rivalry {
        let buffer = Bytes::from_f64(self.buffer * PACKET.as_f64());
        Rivalry { capacity: Rate::from_mbps(self.mbps), tau: TAU, mean_rtt: TAU, buffer, epsilon, packet: PACKET }
    }

    fn cycle(&self, epsilon: f64) -> Option<Cycle> {
        self.rivalry(epsilon).cycle()
    }

    fn text(&self, id: &str, epsilon: f64, measurement: &str, start: f64) -> String {
        let Case { mbps, buffer } = *self;
        let duration = if self.is_fast() { 60 } else { 300 };
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
struct Point {
    lambda: Measured,
    /// λ of each start, and whether Symbiosis lost anything worth a word: a tenth of Reno's loss events.
    starts: Vec<(f64, bool)>,
    timeouts: f64,
}

impl Point {
    fn of(runs: &[Run]) -> Point {
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
    fn why(&self, case: &Case) -> String {
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
fn simulated(lab: &Lab, id: &str, case: &Case, epsilons: &[f64], measurement: &str) -> (Vec<Point>, Scenario) {
    let seeds = if case.is_fast() { lab.seeds.min(FAST_STARTS) } else { lab.seeds };
    let scenarios: Vec<Scenario> = epsilons
        .iter()
        .flat_map(|epsilon| (0..seeds).map(move |seed| (*epsilon, 1.0 + 0.617 * seed as f64)))
        .map(|(epsilon, start)| lab.scenario(&case.text(id, epsilon, measurement, start)))
        .collect();
    let points = lab.run_all(&scenarios).chunks(seeds as usize).map(Point::of).collect();
    (points, scenarios.into_iter().next().expect("at least one ε and one seed"))
}

fn curve(name: &str, case: &Case, lambda: impl Fn(&Cycle) -> f64) -> Series {
    // ε from 0.1 to 10 on a logarithmic scale.
    let epsilons = (0..=80).map(|i| 10f64.powf(-1.0 + i as f64 / 40.0));
    let points = epsilons.filter_map(|epsilon| Some((epsilon, lambda(&case.cycle(epsilon)?)))).collect();
    Series::new(name, Mark::Dashed, points)
}

fn figure(id: &str, title: &str, caption: &str, series: Vec<Series>) -> Figure {
    Figure {
        id: id.into(),
        title: title.into(),
        caption: caption.into(),
        x: Axis::log("ε [1/s]"),
        y: Axis::log("λ, throughput of Reno over Symbiosis"),
        series,
    }
}

/// S Fig 4: buffers from a quarter to four times the bandwidth-delay product, at 10 Mbit/s.
pub fn over_buffers(lab: &Lab) -> Outcome {
    let cases: Vec<(String, Case)> =
        [0.25, 0.5, 1.0, 2.0, 4.0].iter().map(|bdp| (format!("B = {bdp} BDP"), Case::of_bdp(10.0, *bdp))).collect();
    let mut found = sweep(lab, "S4", &cases);
    // Kτ is 41.7 packets, so Eq 25's limit for ε → ∞ is ¾B/Kτ.
    for (name, case) in &cases[3..] {
        let least = exact(case.rivalry(1.0).least_lambda());
        found.claims.push(claim(
            format!("{name}: no ε makes the two equal (formula, corrected)"),
            "λ > 1 for every ε",
            least,
            "least λ",
            least.mean > 1.0,
            "some ε does",
        ));
    }
    found
}

/// S Fig 5: capacities from 10 Mbit/s to 1 Gbit/s, with a buffer of 41 packets.
pub fn over_capacities(lab: &Lab) -> Outcome {
    let rates = if lab.quick { vec![10.0, 100.0] } else { vec![10.0, 50.0, 100.0, 500.0, 1000.0] };
    let cases: Vec<(String, Case)> =
        rates.iter().map(|mbps| (format!("K = {mbps} Mbit/s"), Case { mbps: *mbps, buffer: FIG_5_BUFFER })).collect();
    let mut found = sweep(lab, "S5", &cases);
    // The paper's point: the ε that is fair depends on K.
    let fair = |case: &Case| {
        let curve = curve("", case, Cycle::lambda_corrected).points;
        curve.iter().min_by(|a, b| a.1.ln().abs().total_cmp(&b.1.ln().abs())).map_or(f64::NAN, |(epsilon, _)| *epsilon)
    };
    let spread = exact(fair(&cases[0].1) / fair(&cases[cases.len() - 1].1));
    found.claims.push(claim(
        "the ε that is fair changes with K (formula, corrected)",
        "drastically",
        spread,
        "times, from the least K to the greatest",
        spread.mean > 3.0,
        "one ε serves all",
    ));
    found
}

fn sweep(lab: &Lab, id: &str, cases: &[(String, Case)]) -> Outcome {
    let epsilons: &[f64] = if lab.quick { &[0.2, 1.0, 5.0] } else { &[0.2, 0.5, 1.0, 2.0, 5.0] };
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
                found.claims.push(claim(
                    format!("{name}, ε = 1: the simulator under A = K agrees with S Eq 26, corrected, within 25 %"),
                    format!("{formula:.2}"),
                    point.lambda,
                    "λ",
                    within(point.lambda, formula, 0.25),
                    &point.why(case),
                ));
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
