//! Compound TCP and TCP-Adaptive Reno as opponents (B §5), with Reno as the measure of both.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::adaptive_reno::increase;
use symbiosis_control::symbiosis::law::{THETA, theta};
use symbiosis_control::symbiosis::{GAMMA, LEAST_WINDOW};
use symbiosis_run::Outcome as Run;
use symbiosis_theory::crowded::{share_by_reading, share_of_logarithm};

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, against, at_most, between, check, claim, derived, near, ours, over};
use crate::toolkit::dumbbell::Dumbbell;
use crate::toolkit::kinds::{ADAPTIVE_RENO, COMPOUND, Kind, OURS, PAPER, RENO_SACK};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

const MBPS: f64 = 50.0;
const TAU: Span = Span::from_millis(60);
const PACKET: Bytes = Bytes(1500);
/// The opponent's starts differ by this \[s\], because nothing else is random.
const STAGGER: f64 = 0.617;

const RIVALS: [Kind; 3] = [RENO_SACK, COMPOUND, ADAPTIVE_RENO];
const OWN: [Kind; 3] = [RENO_SACK, PAPER, OURS];

/// An opponent beside one of ours, or beside Reno, with a buffer of so many bandwidth-delay products.
#[derive(Clone, Copy)]
struct Case {
    own: Kind,
    rival: Kind,
    bdp: f64,
}

impl Case {
    fn text(&self, start: f64, duration: f64) -> String {
        let Case { own, rival, bdp } = self;
        let path = Dumbbell { mbps: MBPS, delay_ms: 20.0, queue: format!("queue_bdp = {bdp}"), access_mbps: 100.0, access_ms: 5.0 };
        format!(
            "# {rival} beside {own}, which is first. Base RTT 60 ms.\nname = \"M6-{rival}-{own}-{bdp}BDP\"\nduration_s = {duration}\n\
             {}{}{}[measure]\nfrom_s = {}\n[trace]\nevery_ms = 100\n",
            path.bottleneck(),
            path.flow(0, &format!("{}\nstart_s = {start}", rival.lines(MBPS))),
            path.flow(1, &own.lines(MBPS)),
            duration / 4.0,
            rival = rival.slug(),
            own = own.slug(),
        )
    }

    fn name(&self) -> String {
        format!("{} beside {}, B = {} BDP", self.rival.name, self.own.name, self.bdp)
    }
}

/// The opponent's throughput over the other's.
fn ratio(run: &Run) -> f64 {
    run.summary.flows[0].throughput_mbps / run.summary.flows[1].throughput_mbps.max(1e-3)
}

fn queue(run: &Run) -> f64 {
    run.summary.links[0].queue_packets.mean
}

/// Packets dropped of a thousand that the link sent.
fn lost(run: &Run) -> f64 {
    let sent: f64 = run.summary.flows.iter().map(|flow| flow.packets_sent as f64).sum();
    1e3 * run.summary.links[0].drops as f64 / sent.max(1.0)
}

/// The ratio if the flow's law rested at every instant in the queue that was there, and if it rested in the mean queue: a law that is infinitely fast, and
/// one that is so slow that only the mean of its growth is zero.
fn ratios_at_rest(run: &Run, own: &Kind, from: f64) -> [f64; 2] {
    let (k, tau) = (Rate::from_mbps(MBPS), TAU.secs());
    let of_k = |gauge: &str| series::mean(&series::gauge(run, 1, gauge), from, f64::INFINITY) / MBPS;
    let (available, capacity) = (of_k("A_mbps"), of_k("K_mbps"));
    let waiting =
        series::queue(run).into_iter().filter(|(t, _)| *t >= from).map(|(_, packets)| packets * PACKET.as_f64() / k.bytes_per_s());
    let share = |queue: f64| {
        if own.is_ours() {
            let least = LEAST_WINDOW * PACKET.as_f64() / (k.bytes_per_s() * (tau + queue));
            share_of_logarithm(theta(THETA, k, PACKET), queue).max(least)
        } else {
            capacity * share_by_reading(GAMMA, available / capacity, TAU, queue)
        }
    };
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len() as f64;
    let waiting: Vec<f64> = waiting.collect();
    let shares = [mean(waiting.iter().map(|queue| share(*queue)).collect()), share(mean(waiting))];
    shares.map(|share| 1.0 / share - 1.0)
}

/// Adaptive Reno's throughput over Reno's in a fluid, if both lose whenever the buffer is full: one step a round trip, windows in packets.
fn adaptive_beside_reno(bdp: f64) -> f64 {
    const M: f64 = 10.0;
    const ALPHA: f64 = 10.0;
    let room = Rate::from_mbps(MBPS).times(TAU) / PACKET.as_f64();
    let buffer = bdp * room;
    let (mut base, mut probe, mut reno) = (room / 2.0, 0.0_f64, room / 2.0);
    let (mut sums, mut cycles) = ((0.0, 0.0), 0);
    while cycles < 60 {
        let all = base + probe + reno;
        let queue = (all - room).max(0.0);
        if queue >= buffer {
            // Congestion is one: both halve.
            (base, probe, reno) = ((base + probe) / 2.0, 0.0, reno / 2.0);
            cycles += 1;
            continue;
        }
        if cycles >= 20 {
            // What both deliver in a round trip are their windows, but it lasts longer in a queue; a ratio does not care.
            sums = (sums.0 + base + probe, sums.1 + reno);
        }
        let rate = MBPS * (base + probe) / all.max(room);
        probe = (probe + increase(queue / buffer, rate / M, ALPHA)).max(0.0);
        (base, reno) = (base + 1.0, reno + 1.0);
    }
    sums.0 / sums.1
}

pub fn run(lab: &Lab) -> Outcome {
    let (duration, bdps): (f64, &[f64]) = if lab.quick { (32.0, &[0.25, 1.0]) } else { (240.0, &[0.25, 1.0, 2.0]) };
    let pairs = OWN.iter().flat_map(|own| RIVALS.iter().map(move |rival| (*own, *rival)));
    let cases: Vec<Case> = pairs.flat_map(|(own, rival)| bdps.iter().map(move |bdp| Case { own, rival, bdp: *bdp })).collect();
    let scenarios: Vec<_> = cases
        .iter()
        .flat_map(|case| (0..lab.seeds).map(move |seed| case.text(1.0 + STAGGER * seed as f64, duration)))
        .map(|text| lab.scenario(&text))
        .collect();
    let runs = lab.run_all(&scenarios);
    let results: Vec<(&Case, &[Run])> = cases.iter().zip(runs.chunks(lab.seeds as usize)).collect();
    let mut found = Outcome::default();
    for (case, runs) in &results {
        let reno = results.iter().find(|(c, _)| c.own.name == case.own.name && c.rival.name == RENO_SACK.name && c.bdp == case.bdp);
        let (_, beside_reno) = reno.expect("Reno is among the opponents");
        judge(case, runs, beside_reno, duration / 4.0, &mut found);
    }
    for own in OWN {
        draw(&own, &results, &mut found);
    }
    found.scenarios = scenarios.into_iter().step_by(lab.seeds as usize).map(|scenario| (scenario.name, scenario.text)).collect();
    found
}

/// The claims of a case, given the runs of Reno in the opponent's place.
fn judge(case: &Case, runs: &[Run], with_reno: &[Run], from: f64, found: &mut Outcome) {
    let (name, measured) = (case.name(), over(runs, ratio));
    if case.own.is_symbiosis() {
        let [fast, slow] = [0, 1].map(|which| over(runs, |run| ratios_at_rest(run, &case.own, from)[which]).mean);
        let at_rest = between(0.85 * fast.min(slow), 1.15 * fast.max(slow));
        let why = if case.own.is_ours() {
            "theory has the law alone, at rest; where it takes the queue for an opponent's its window is CUBIC's instead"
        } else {
            "an unpaced window loses with the opponent, halves, and is below its rest until it has grown back"
        };
        found.claims.push(claim(
            format!(
                "{name}: ratio between those of a law at rest, by its own readings, in the queue of every instant and in the mean queue, 15 % to either \
                 side"
            ),
            derived("docs/algorithms.md, beside others", format!("{fast:.2} to {slow:.2}")),
            measured,
            "opponent over Symbiosis",
            at_rest,
            why,
        ));
        let why = if measured.mean > 2.0 {
            "who asks for a queue shorter than the opponent's starves beside it"
        } else {
            "the published measurement reads nearly all of K as free, and so the window is Kτ whatever the opponent has"
        };
        let rests = check("the ratio, where a law at rest has it by its own readings in the opponent's queue", measured, at_rest);
        let text = format!("{name}: neither has more than twice the other");
        let alike = claim(text, ours("B §5: to be compared"), measured, "opponent over Symbiosis", between(0.5, 2.0), why);
        found.claims.push(alike.because(rests, why));
        return;
    }
    match (case.rival.name, case.bdp) {
        ("compound", bdp) if bdp >= 1.0 => {
            let of_reno = over(with_reno, ratio);
            found.claims.push(claim(
                format!("{name}: as Reno in its place, within 10 %, because more than γ = 30 packets wait"),
                derived("Tan et al. 2006, γ = 30 packets", format!("{:.2}", of_reno.mean)),
                against(measured, of_reno),
                "opponent over Reno",
                near(of_reno.mean, 0.1),
                "its delay-based window has a part in some cycle",
            ));
        }
        ("compound", _) => {
            let [used, before] = [runs, with_reno].map(|runs| over(runs, |run| 100.0 * run.summary.links[0].utilization));
            found.claims.push(claim(
                format!("{name}: uses what two Renos leave idle (Tan et al. 2006)"),
                ours(format!("> {:.1}", before.mean)),
                against(used, before),
                "% of the link",
                above(before.mean),
                "its delay-based window does not grow",
            ));
        }
        ("adaptive-reno", bdp) => {
            let theory = adaptive_beside_reno(bdp);
            found.claims.push(claim(
                format!("{name}: ratio within 25 % of a fluid of its equations in which both lose"),
                derived("Shimonishi et al. 2006, a fluid of its equations", format!("{theory:.2}")),
                measured,
                "opponent over Reno",
                near(theory, 0.25),
                "a drop-tail queue takes a packet of both, of one, or of the other; in the fluid both lose every time",
            ));
            found.claims.push(claim(
                format!("{name}: friendly to Reno, ratio below 1.25"),
                ours("friendly (Shimonishi et al. 2006)"),
                measured,
                "opponent over Reno",
                at_most(1.25),
                "with the published β and γ, W_inc is one at the full queue and one in the mean, beside the base's one: two packets a round trip \
                 where Reno adds one, and more on an idle link",
            ));
        }
        _ => {}
    }
}

/// Ratio, queue and losses of every opponent beside `own`, over the buffer.
fn draw(own: &Kind, results: &[(&Case, &[Run])], found: &mut Outcome) {
    let curves = |value: &dyn Fn(&Run) -> f64| {
        let of = |rival: &Kind| {
            let points: Vec<(f64, Measured)> = results
                .iter()
                .filter(|(case, _)| case.own.name == own.name && case.rival.name == rival.name)
                .map(|(case, runs)| (case.bdp, over(runs, value)))
                .collect();
            let band = points.iter().map(|(_, m)| (m.mean - m.ci95, m.mean + m.ci95)).collect();
            let series = Series::new(rival.name, Mark::LinePoints, points.iter().map(|(bdp, m)| (*bdp, m.mean)).collect());
            Series { band: Some(band), ..series }
        };
        RIVALS.iter().map(of).collect::<Vec<_>>()
    };
    let figure = |id: &str, what: &str, y: Axis, series| Figure {
        id: format!("M6-{id}-{}", own.slug()),
        title: format!("Opponents of {}: {what}", own.name),
        caption: format!("One flow of each beside one of {}: 50 Mbit/s, 60 ms; mean and 95 % interval over starts.", own.name),
        x: Axis::log("buffer [BDP]"),
        y,
        series,
    };
    let ratios = curves(&ratio);
    let y = Axis::log(&format!("throughput of the opponent over {}", own.name));
    found.figures.extend([
        figure("ratio", "who gets what", y, ratios),
        figure("queue", "the queue", Axis::linear("mean queue [packets]"), curves(&queue)),
        figure("losses", "losses", Axis::linear("packets lost of a thousand sent"), curves(&lost)),
    ]);
}
