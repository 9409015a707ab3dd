//! T Fig 5 and B Figs 6 and 8 to 12: TCP Symbiosis and Reno on Linux hosts, in a laboratory and over the Internet, while UDP moves in steps.
//!
//! The Internet paths are what B says of them: capacity, base RTT, and what B takes to be available.

use super::Lab;
use super::claims::{claim, over, within};
use super::dumbbell::Dumbbell;
use super::kinds::{Kind, OURS, PAPER, RENO, SYMBIOSIS};
use super::series;
use super::steps::{Curve, Played, READING, Steps, THROUGHPUT, WINDOW};
use crate::figure::{Axis, Figure, Mark, Series};
use crate::outcome::{Claim, Measured, Outcome};

/// B §3.1: 20 000 ticks a second.
const TIMER_US: f64 = 50.0;

/// B gives no buffer. That windows overflow when ImTCP reads a few Mbit/s too much (B §3.3, §4.2.2) says that it is small, and that they do
/// not where it is right, at 30 Mbit/s and 150 ms, that it holds S Eq 11's queue there: 87 packets. Dummynet's most is 100; here as many
/// full packets in bytes, for the mix's small ones would fill 100 slots by themselves.
const QUEUE: &str = "queue_bytes = 150_000";

/// The recovery of Linux 2.6, which the hosts ran (B Tables 1, 3, 5).
const LINUX: &str = "rate-halving";

fn on_linux() -> Vec<Kind> {
    [&[RENO][..], &SYMBIOSIS].concat().iter().map(|kind| kind.recovering(kind.name, LINUX)).collect()
}

fn path(id: &str, about: &str, mbps: f64, rtt_ms: f64, available: &[(f64, f64)], until: f64) -> Steps {
    Steps {
        id: id.into(),
        about: about.into(),
        path: Dumbbell { mbps, delay_ms: rtt_ms / 2.0 - 2.0, queue: QUEUE.into(), access_mbps: 10.0 * mbps, access_ms: 1.0 },
        timer_us: TIMER_US,
        available: available.to_vec(),
        until,
        from: 0.0,
    }
}

/// B Fig 6: the laboratory at an RTT \[ms\].
pub fn laboratory_at(rtt_ms: f64) -> Steps {
    let available = [(0.0, 80.0), (40.0, 30.0), (80.0, 50.0)];
    path(&format!("B6-{rtt_ms}"), "B Fig 6: the laboratory", 100.0, rtt_ms, &available, 120.0)
}

/// B Figs 8 and 9.
pub fn to_tokyo() -> Steps {
    let available = [(0.0, 40.0), (20.0, 20.0), (40.0, 10.0), (60.0, 30.0), (80.0, 40.0)];
    path("B9", "B Figs 8, 9: Osaka to Tokyo", 40.0, 16.0, &available, 100.0)
}

/// B Figs 10 and 11.
pub fn to_california() -> Steps {
    // UDP of 15, 65, 45 Mbit/s and 5 of others, so that A is what B's Table 6 has.
    let available = [(0.0, 80.0), (20.0, 30.0), (40.0, 50.0)];
    path("B11", "B Figs 10, 11: Osaka to California", 100.0, 118.0, &available, 60.0)
}

/// B Fig 12 and Table 7: sixty seconds beside 20 Mbit/s of UDP.
pub fn with_a_fixed() -> Steps {
    path("B12", "B Fig 12, Table 7: Osaka to California, A fixed", 100.0, 118.0, &[(0.0, 80.0)], 60.0)
}

/// The three figures of a path: what flows get, what they read, their windows.
fn figures(found: &mut Outcome, played: &Played, id: &str, title: &str, curves: &[(&'static str, &Curve)]) {
    let kinds = on_linux();
    for (name, curve) in curves {
        let (reno, own) = match *name {
            "throughput" => (true, "throughput in each second"),
            "reading" => (false, "what ImTCP reads"),
            _ => (false, "window over the base RTT"),
        };
        let shown: Vec<Kind> = kinds.iter().filter(|kind| (reno && !kind.is_symbiosis()) || kind.measures()).copied().collect();
        let caption = "The first seed, from a host whose timer ticks every 50 µs. Dashed: what UDP leaves.";
        found.figures.push(played.figure(curve, &shown, &format!("{id}-{name}"), &format!("{title}: {own}"), caption));
    }
    found.scenarios.extend(played.scenarios());
}

fn ahead(played: &Played, kind: &Kind, place: &str, why: &str) -> Claim {
    let ratio = played.ratio(kind, &RENO, 0.0, played.steps.until);
    claim(format!("{}: ahead of Reno, {place}", kind.name), "ahead", ratio, "times Reno's throughput", ratio.mean > 1.0, why)
}

/// Why Reno is hard to beat where the buffer is large.
const RENO_FILLS: &str = "where the buffer holds a good part of a BDP it keeps the link full through Reno's halvings, and who gets all that is left cannot be beaten";

/// T Fig 5, B Fig 6.
pub fn laboratory(lab: &Lab) -> Outcome {
    let rtts = if lab.quick { vec![30.0, 150.0] } else { vec![30.0, 60.0, 100.0, 150.0] };
    let mut found = Outcome::default();
    let mut ratios: Vec<Vec<(f64, Measured)>> = vec![Vec::new(); SYMBIOSIS.len()];
    for rtt in &rtts {
        let played = laboratory_at(*rtt).play(lab, &on_linux());
        figures(&mut found, &played, &format!("B6-{rtt}"), &format!("RTT {rtt} ms"), &[("throughput", &THROUGHPUT)]);
        for (ratios, kind) in ratios.iter_mut().zip(&SYMBIOSIS) {
            ratios.push((*rtt, played.ratio(kind, &RENO, 0.0, played.steps.until)));
            if *rtt >= 60.0 {
                found.claims.push(ahead(&played, kind, &format!("RTT {rtt} ms"), RENO_FILLS));
            }
        }
    }
    for (kind, ratios) in SYMBIOSIS.iter().zip(&ratios) {
        let (short, long) = (ratios[0].1, ratios[ratios.len() - 1].1);
        let gap = Measured { mean: long.mean - short.mean, ci95: long.ci95.hypot(short.ci95), seeds: short.seeds };
        found.claims.push(claim(
            format!("{}: the gap to Reno widens with the RTT", kind.name),
            "widens",
            gap,
            "times Reno's throughput more at 150 ms than at 30 ms",
            gap.mean > 0.0,
            RENO_FILLS,
        ));
    }
    let curve = |(kind, ratios): (&Kind, &Vec<(f64, Measured)>)| {
        let band = ratios.iter().map(|(_, m)| (m.mean - m.ci95, m.mean + m.ci95)).collect();
        let points = ratios.iter().map(|(rtt, m)| (*rtt, m.mean)).collect();
        Series { band: Some(band), ..Series::new(kind.name, Mark::LinePoints, points) }
    };
    found.figures.push(Figure {
        id: "B6-ratio".into(),
        title: "Throughput over Reno's".into(),
        caption: "Of the whole 120 s, start-up included; mean and 95 % interval over seeds.".into(),
        x: Axis::linear("RTT [ms]"),
        y: Axis::linear("times Reno's throughput"),
        series: SYMBIOSIS.iter().zip(&ratios).map(curve).collect(),
    });
    if !lab.quick {
        for rtt in [30.0, 150.0] {
            let of_t = path(&format!("T5-{rtt}"), "T Fig 5: the laboratory", 100.0, rtt, &[(0.0, 70.0), (40.0, 30.0), (80.0, 50.0)], 120.0);
            let played = of_t.play(lab, &on_linux());
            figures(&mut found, &played, &format!("T5-{rtt}"), &format!("RTT {rtt} ms, A = 70, 30, 50"), &[("throughput", &THROUGHPUT)]);
            for kind in [PAPER, OURS] {
                let place = format!("A = 70, 30, 50, RTT {rtt} ms");
                if rtt > 30.0 {
                    found.claims.push(ahead(&played, &kind, &place, RENO_FILLS));
                } else {
                    let used = used(&played, &kind);
                    let name = kind.name;
                    let why = "it takes too long to follow, or keeps less";
                    found.claims.push(claim(
                        format!("{name}: uses what is available, {place}"),
                        "can effectively utilize",
                        used,
                        "of A",
                        used.mean >= 0.95,
                        why,
                    ));
                }
            }
        }
    }
    found
}

/// What a kind gets of what is available in the whole run.
fn used(played: &Played, kind: &Kind) -> Measured {
    let stages = played.steps.stages();
    let available: f64 = stages.iter().map(|(from, to, available)| available * (to - from)).sum::<f64>() / played.steps.until;
    over(played.of(kind), |run| series::delivered(run, 0, 0.0, played.steps.until) / available)
}

/// Mean of a kind's readings less what is available \[Mbit/s\], in the second half of a stage.
fn bias(played: &Played, kind: &Kind, (from, to, available): (f64, f64, f64)) -> Measured {
    over(played.of(kind), |run| series::mean(&series::gauge(run, 0, "A_mbps"), (from + to) / 2.0, to) - available)
}

/// B Figs 8 and 9.
pub fn osaka_tokyo(lab: &Lab) -> Outcome {
    let steps = to_tokyo();
    let played = steps.play(lab, &on_linux());
    let mut found = Outcome::default();
    figures(&mut found, &played, "B9", "Osaka to Tokyo", &[("reading", &READING), ("throughput", &THROUGHPUT)]);
    for kind in &SYMBIOSIS {
        let ratio = played.ratio(kind, &RENO, 20.0, 60.0);
        let why = "with a buffer of two BDPs Reno keeps the link full, and who follows a step of UDP late or drains the queue gets less";
        found.claims.push(claim(
            format!("{}: level with Reno where A is 20 and 10", kind.name),
            "level",
            ratio,
            "times Reno's throughput",
            within(ratio, 1.0, 0.05),
            why,
        ));
    }
    let bias = bias(&played, &PAPER, played.steps.stages()[0]);
    found.claims.push(claim(
        "symbiosis-paper: ImTCP reads too little where A is 40",
        "less than A",
        bias,
        "Mbit/s beside A",
        bias.mean < -0.5,
        "here A is K, and no reading is above K. Gaps of 300 µs on a clock of 50 µs are uneven, but right in the mean",
    ));
    found
}

/// B Figs 10 and 11.
pub fn osaka_california(lab: &Lab) -> Outcome {
    let played = to_california().play(lab, &on_linux());
    let mut found = Outcome::default();
    let curves = [("reading", &READING), ("window", &WINDOW), ("throughput", &THROUGHPUT)];
    figures(&mut found, &played, "B11", "Osaka to California", &curves);
    found.claims.extend(SYMBIOSIS.iter().map(|kind| ahead(&played, kind, "RTT 118 ms", RENO_FILLS)));
    let lost = over(played.of(&PAPER), |run| series::drops(run, 20.0, 60.0));
    found.claims.push(claim(
        "symbiosis-paper: periodic loss where ImTCP is wrong (20 to 60 s)",
        "periodic loss",
        lost,
        "packets of all kinds",
        lost.mean > 0.0,
        "the buffer takes what the window has too much",
    ));
    found
}

/// What too high a reading does to a small buffer.
const OVERFLOWS: &str = "the published ImTCP reads A = 80 as 94 here, and S Eq 11 then keeps 0.9 · 14 Mbit/s · τ beside its 0.1 · 20 Mbit/s · τ in \
                         the queue: 143 packets, of which the buffer holds 100. So the window is halved again and again. B's ImTCP cannot \
                         have read so much beside its UDP";

/// What the start of the papers' law costs.
const SLOW: &str = "the closed form from 2 packets to w* misses ln(w*/w0)/(εc) = 3.7 s of 80 Mbit/s, which are 5 Mbit/s of a minute's mean";

/// B Fig 12 and Table 7: sixty seconds beside 20 Mbit/s of UDP.
pub fn fixed(lab: &Lab) -> Outcome {
    let played = with_a_fixed().play(lab, &on_linux());
    let mut found = Outcome::default();
    figures(&mut found, &played, "B12", "Osaka to California, A = 80 Mbit/s", &[("throughput", &THROUGHPUT), ("reading", &READING)]);
    let whole = |kind: &Kind| -> Vec<f64> { played.of(kind).iter().map(|run| run.summary.flows[0].throughput_mbps).collect() };
    for kind in &SYMBIOSIS {
        let (name, each) = (kind.name, whole(kind));
        let throughput = Measured::over(&each);
        let why = if kind.is_published() { OVERFLOWS } else { SLOW };
        found.claims.push(claim(
            format!("{name}: 78.2 Mbit/s, start included, within 2 %"),
            "78.22 ± 0.22",
            throughput,
            "Mbit/s",
            within(throughput, 78.22, 0.02),
            why,
        ));
        let spread = Measured { mean: deviation(&each), ci95: 0.0, seeds: throughput.seeds };
        found.claims.push(claim(
            format!("{name}: very stable from run to run"),
            "0.22 (printed; of its five values 0.11)",
            spread,
            "Mbit/s, standard deviation",
            spread.mean <= 0.5,
            why,
        ));
    }
    let reno = Measured::over(&whole(&RENO));
    found.claims.push(claim(
        "reno: 45.6 Mbit/s, start included, within what is printed",
        "45.56 ± 8.70",
        reno,
        "Mbit/s",
        (reno.mean - 45.56).abs() <= 8.70,
        "Reno's minute hangs on what is left of the window after slow start's losses, from where it climbs by a packet in an RTT. The \
         buffers and the receiver of 2007 are not known; here the buffer is 100 packets",
    ));
    let spread = Measured { mean: deviation(&whole(&RENO)), ci95: 0.0, seeds: reno.seeds };
    found.claims.push(claim(
        "reno: differs much from run to run",
        "8.70 (printed; of its five values 4.35)",
        spread,
        "Mbit/s, standard deviation",
        spread.mean >= 2.0,
        "losses come at the same time in each run: nothing but the seed of UDP differs here",
    ));
    found.notes.push(
        "The deviations that B's Table 7 prints are twice the standard deviations of its own five values: 0.11 for 78.1, 78.1, 78.3, 78.3, \
         78.3, and 4.35 for 49.6, 49.1, 44.5, 38.8, 45.8."
            .into(),
    );
    found
}

/// Standard deviation of a sample.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / (n - 1.0)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_7_prints_twice_the_deviation_of_its_values() {
        let printed = [([78.1, 78.1, 78.3, 78.3, 78.3], 0.22), ([49.6, 49.1, 44.5, 38.8, 45.8], 8.70)];
        for (values, twice) in printed {
            assert!((2.0 * deviation(&values) - twice).abs() < 0.01, "{}", deviation(&values));
        }
    }
}
