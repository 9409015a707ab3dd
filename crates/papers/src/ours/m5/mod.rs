//! Beside CUBIC: what S §III-D and S Fig 4 do for Reno, over ε, buffer and capacity.

mod settings;

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::symbiosis::law::{THETA, theta};
use symbiosis_control::symbiosis::{EPSILON, GAMMA, LEAST_WINDOW};
use symbiosis_run::Outcome as Run;
use symbiosis_theory::crowded::{share_of_all, share_of_logarithm, share_of_truth};
use symbiosis_theory::reno_rivalry::Rivalry;

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_least, check, claim, derived, near, ours, over};
use settings::{Rest, SETTINGS, Setting};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};
use symbiosis_scenario::Scenario;

const TAU: Span = Span::from_millis(50);
const PACKET: Bytes = Bytes(1500);
/// Of S Fig 4 \[Mbit/s\].
const SLOW: f64 = 10.0;
/// CUBIC's starts differ by this \[s\], because nothing else is random.
const STAGGER: f64 = 0.617;
/// Above so many Mbit/s runs are shorter.
const FAST: f64 = 200.0;

/// A link.
#[derive(Clone, Copy)]
struct Case {
    mbps: f64,
    bdp: f64,
}

impl Case {
    fn rate(&self) -> Rate {
        Rate::from_mbps(self.mbps)
    }

    fn rivalry(&self, epsilon: f64) -> Rivalry {
        let buffer = Bytes::from_f64(self.bdp * self.rate().times(TAU));
        Rivalry { capacity: self.rate(), tau: TAU, mean_rtt: TAU, buffer, epsilon, packet: PACKET }
    }

    /// λ if both lose, as S has it.
    fn both(&self, epsilon: f64) -> Option<f64> {
        self.rivalry(epsilon).cubic_cycle().map(|cycle| cycle.lambda)
    }

    /// λ if CUBIC alone loses: in a queue near the full buffer, which is part of its RTT.
    fn alone(&self, rest: Rest) -> f64 {
        let rivalry = Rivalry { mean_rtt: TAU.scale(1.0 + self.bdp), ..self.rivalry(EPSILON) };
        let least = |queue: f64| LEAST_WINDOW * PACKET.as_f64() / (self.rate().bytes_per_s() * (TAU.secs() + queue));
        let theta = theta(THETA, self.rate(), PACKET);
        rivalry.lambda_if_cubic_alone_loses(|queue| match rest {
            Rest::All => share_of_all(TAU, queue),
            Rest::Truth => share_of_truth(GAMMA, TAU, queue),
            Rest::Logarithm => share_of_logarithm(theta, queue).max(least(queue)),
        })
    }

    fn text(&self, setting: &Setting, epsilon: f64, start: f64, duration: f64) -> String {
        let Case { mbps, bdp } = self;
        let Setting { cc, params, .. } = setting;
        // ε is the papers' law's.
        let epsilon = if matches!(setting.rest, Rest::Logarithm) { String::new() } else { format!("epsilon = {epsilon}, ") };
        format!(
            r#"# Symbiosis beside CUBIC. Base RTT 50 ms.
name = "M5-{slug}-{mbps}-{bdp}BDP"
duration_s = {duration}
[bottleneck]
rate_mbps = {mbps}
delay_ms = 25
queue_bdp = {bdp}
[[flow]]
cc = "cubic"
recovery = "sack"
initial_window = 2
start_s = {start}
[[flow]]
cc = "{cc}"                # first, so that it sees the base RTT
recovery = "sack"
initial_window = 2
params = {{ {epsilon}{params} }}
[measure]
from_s = {from}
"#,
            slug = setting.slug(),
            from = duration / 4.0,
        )
    }
}

/// What a case shows over starts.
struct Point {
    lambda: Measured,
    /// Symbiosis' part of what both get \[%\].
    share: Measured,
    /// Symbiosis' loss events over CUBIC's.
    losses: Measured,
}

fn lambda(run: &Run) -> f64 {
    run.summary.flows[0].throughput_mbps / run.summary.flows[1].throughput_mbps.max(1e-3)
}

fn losses(run: &Run) -> f64 {
    let [cubic, symbiosis] = [0, 1].map(|flow| (run.summary.flows[flow].loss_events + run.summary.flows[flow].timeouts) as f64);
    symbiosis / cubic.max(1.0)
}

/// Each case, over starts; and the first scenario of each.
fn simulate(lab: &Lab, cases: &[(&Setting, Case, f64)]) -> (Vec<Point>, Vec<(String, String)>) {
    let scenarios: Vec<Scenario> = cases
        .iter()
        .flat_map(|(setting, case, epsilon)| {
            let duration = if case.mbps > FAST || lab.quick { 60.0 } else { 200.0 };
            (0..lab.seeds).map(move |seed| case.text(setting, *epsilon, 1.0 + STAGGER * seed as f64, duration))
        })
        .map(|text| lab.scenario(&text))
        .collect();
    let runs = lab.run_all(&scenarios);
    let share = |run: &Run| 100.0 / (1.0 + lambda(run));
    let point = |runs: &[Run]| Point { lambda: over(runs, lambda), share: over(runs, share), losses: over(runs, losses) };
    let points = runs.chunks(lab.seeds as usize).map(point).collect();
    let first = scenarios.into_iter().step_by(lab.seeds as usize).map(|scenario| (scenario.name, scenario.text));
    (points, first.collect())
}

fn curve(name: &str, xs: &[f64], points: &[Point]) -> Series {
    let band = points.iter().map(|point| (point.lambda.mean - point.lambda.ci95, point.lambda.mean + point.lambda.ci95)).collect();
    let values = xs.iter().zip(points).map(|(x, point)| (*x, point.lambda.mean)).collect();
    Series { band: Some(band), ..Series::new(name, Mark::LinePoints, values) }
}

fn figure(id: &str, title: &str, caption: &str, x: &str, series: Vec<Series>) -> Figure {
    let y = Axis::log("λ, throughput of CUBIC over Symbiosis");
    Figure { id: format!("M5-{id}"), title: title.into(), caption: caption.into(), x: Axis::log(x), y, series }
}

pub fn run(lab: &Lab) -> Outcome {
    let mut found = Outcome::default();
    over_epsilon(lab, &mut found);
    over_buffers(lab, &mut found);
    over_capacities(lab, &mut found);
    found
}

/// S Fig 4 with CUBIC in Reno's place.
fn over_epsilon(lab: &Lab, found: &mut Outcome) {
    let epsilons: &[f64] = if lab.quick { &[0.2, 1.0, 5.0] } else { &[0.2, 0.5, 1.0, 2.0, 5.0] };
    let setting = &SETTINGS[0];
    let (mut series, mut who_loses) = (Vec::new(), Vec::new());
    for bdp in [0.25, 0.5, 1.0, 2.0, 4.0] {
        let (case, name) = (Case { mbps: SLOW, bdp }, format!("B = {bdp} BDP"));
        let cases: Vec<_> = epsilons.iter().map(|epsilon| (setting, case, *epsilon)).collect();
        let (points, scenarios) = simulate(lab, &cases);
        // ε from 0.1 to 10 on a logarithmic scale.
        let fine = (0..=40).map(|i| 10f64.powf(-1.0 + f64::from(i) / 20.0));
        let formula = fine.filter_map(|epsilon| Some((epsilon, case.both(epsilon)?))).collect();
        series.push(Series::new(&format!("{name}, both lose"), Mark::Dashed, formula));
        let middle = &points[epsilons.iter().position(|epsilon| *epsilon == 1.0).expect("1 is among them")];
        let (both, alone) = (case.both(1.0).unwrap_or(f64::NAN), case.alone(Rest::All));
        let who = |point: &Point| format!("Symbiosis has {:.2} loss events for each of CUBIC's", point.losses.mean);
        found.claims.push(claim(
            format!("{name}, ε = 1, A = K: λ within 25 % of the analysis of S §III-D made for CUBIC, in which both lose"),
            derived("theory/src/cubic_rivalry.rs", format!("{both:.2}")),
            middle.lambda,
            "λ",
            near(both, 0.25),
            &format!(
                "{}: what finds the buffer full is the packet by which CUBIC grows. If CUBIC alone loses, λ is {alone:.2}",
                who(middle)
            ),
        ));
        let last = points.last().expect("there are points");
        found.claims.push(claim(
            format!("{name}, ε = 5, A = K: λ within 25 % of our theory, in which CUBIC alone loses"),
            derived("theory/src/cubic_rivalry.rs", format!("{alone:.2}")),
            last.lambda,
            "λ",
            near(alone, 0.25),
            &format!("{}: in a buffer of a few packets its cluster takes the last places", who(last)),
        ));
        let ratios = epsilons.iter().zip(&points).map(|(epsilon, point)| (*epsilon, point.losses.mean));
        who_loses.push(Series::new(&name, Mark::LinePoints, ratios.collect()));
        series.push(curve(&name, epsilons, &points));
        found.scenarios.extend(scenarios.into_iter().take(1));
    }
    found.figures.push(figure(
        "epsilon",
        "λ over ε beside CUBIC, with A = K",
        "10 Mbit/s and 50 ms, as S Fig 4 has it for Reno. Dashed: both lose whenever the buffer is full. Points: the simulator; mean and 95 % interval \
         over starts.",
        "ε [1/s]",
        series,
    ));
    found.figures.push(Figure {
        y: Axis::linear("Symbiosis' loss events for each of CUBIC's"),
        ..figure(
            "losses",
            "Who loses at a full buffer, with A = K",
            "A window that still grows when the buffer fills loses beside CUBIC's, one at rest does not: from some ε on, and sooner in a deep buffer, \
             Symbiosis loses nothing.",
            "ε [1/s]",
            who_loses,
        )
    });
}

/// All settings over the buffer.
fn over_buffers(lab: &Lab, found: &mut Outcome) {
    let bdps: &[f64] = if lab.quick { &[0.25, 1.0] } else { &[0.25, 0.5, 1.0, 2.0, 4.0] };
    let case = |bdp: f64| Case { mbps: SLOW, bdp };
    let cases: Vec<_> = SETTINGS.iter().flat_map(|setting| bdps.iter().map(move |bdp| (setting, case(*bdp), EPSILON))).collect();
    let (points, scenarios) = simulate(lab, &cases);
    let mut series = Vec::new();
    for (setting, points) in SETTINGS.iter().zip(points.chunks(bdps.len())) {
        for (bdp, point) in bdps.iter().zip(points) {
            let theory = case(*bdp).alone(setting.rest);
            found.claims.push(claim(
                format!("{}, B = {bdp} BDP: λ within 30 % of where its law rests in CUBIC's queue", setting.name),
                derived("theory/src/cubic_rivalry.rs", format!("{theory:.2}")),
                point.lambda,
                "λ",
                near(theory, 0.3),
                setting.why,
            ));
        }
        series.push(curve(setting.name, bdps, points));
    }
    for (name, rest) in [("theory, A = K", Rest::All), ("theory, true A", Rest::Truth), ("theory, logarithmic law", Rest::Logarithm)] {
        let fine = (0..=40).map(|i| 0.25 * 16f64.powf(f64::from(i) / 40.0));
        series.push(Series::new(name, Mark::Dashed, fine.map(|bdp| (bdp, case(bdp).alone(rest))).collect()));
    }
    found.figures.push(figure(
        "buffer",
        "λ over the buffer beside CUBIC",
        "10 Mbit/s, 50 ms, ε = 1.95. Dashed: CUBIC alone loses, and Symbiosis rests where its law does in the queue that CUBIC leaves: at \
         τ/(τ + q) of the link with A = K, at (1−γ)τ/((1−γ)τ + q) knowing the true A, at e^(−q/θ) under the logarithmic law, two packets at the least.",
        "buffer [BDP]",
        series,
    ));
    found.scenarios.extend(scenarios);
}

/// One bandwidth-delay product of buffer at several capacities.
fn over_capacities(lab: &Lab, found: &mut Outcome) {
    let rates: &[f64] = if lab.quick { &[10.0, 50.0] } else { &[10.0, 30.0, 100.0, 300.0] };
    let settings = [0, 1, 2, 3, 6].map(|i| &SETTINGS[i]);
    let case = |mbps: f64| Case { mbps, bdp: 1.0 };
    let cases: Vec<_> = settings.iter().flat_map(|setting| rates.iter().map(move |mbps| (*setting, case(*mbps), EPSILON))).collect();
    let (points, _) = simulate(lab, &cases);
    let mut series = Vec::new();
    for (setting, points) in settings.iter().zip(points.chunks(rates.len())) {
        series.push(curve(setting.name, rates, points));
        let (last, mbps) = (points.last().expect("there are rates"), rates[rates.len() - 1]);
        let why = match setting.rest {
            Rest::All => "λ = q/τ, and CUBIC keeps the queue near τ",
            Rest::Truth => "λ = q/((1−γ)τ): who knows what CUBIC leaves takes no more than that, and the queue takes from it",
            Rest::Logarithm => "λ = e^(q/θ) − 1: the law asks for a queue of a few milliseconds, and CUBIC's is longer by far",
        };
        let share = 100.0 / (1.0 + case(mbps).alone(setting.rest));
        let rests = check("its part, in parts of what that leaves it", last.share.times(1.0 / share), near(1.0, 0.3));
        let text = format!("{}, {mbps} Mbit/s, B = 1 BDP: Symbiosis has at least a third of the link", setting.name);
        let fair = claim(text, ours("a fair share is future work (S §III-D)"), last.share, "%", at_least(100.0 / 3.0), why);
        found.claims.push(fair.because(rests, why));
    }
    for (name, rest) in [("theory, A = K", Rest::All), ("theory, true A", Rest::Truth), ("theory, logarithmic law", Rest::Logarithm)] {
        let fine = (0..=30).map(|i| 10.0 * (rates[rates.len() - 1] / 10.0).powf(f64::from(i) / 30.0));
        series.push(Series::new(name, Mark::Dashed, fine.map(|mbps| (mbps, case(mbps).alone(rest))).collect()));
    }
    found.figures.push(figure(
        "capacity",
        "λ over the capacity beside CUBIC",
        "50 ms and one bandwidth-delay product of buffer, ε = 1.95. Dashed: as over the buffer.",
        "capacity [Mbit/s]",
        series,
    ));
}
