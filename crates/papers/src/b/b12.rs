//! B Fig 12 and Table 7: Osaka to California, A fixed.

use crate::toolkit::Lab;
use crate::toolkit::claims::{claim, over, within};
use crate::toolkit::kernel::{self, InTurns, checked, without_timer};
use crate::toolkit::kinds::{Kind, RENO, SYMBIOSIS};
use crate::toolkit::linux_hosts::*;
use crate::toolkit::steps::{READING, THROUGHPUT};
use symbiosis_report::outcome::{Measured, Outcome};

/// What too high a reading does to a small buffer.
const OVERFLOWS: &str = "the published ImTCP reads A = 80 as 94 here, and S Eq 11 then keeps 0.9 · 14 Mbit/s · τ beside its 0.1 · 20 Mbit/s · τ in \
                         the queue: 143 packets, of which the buffer holds 100. So the window is halved again and again. B's ImTCP cannot \
                         have read so much beside its UDP";

/// What the start of the papers' law costs.
const SLOW: &str = "the closed form from 2 packets to w* misses ln(w*/w0)/(εc) = 3.7 s of 80 Mbit/s, which are 5 Mbit/s of a minute's mean";

/// B Fig 12 and Table 7: sixty seconds beside 20 Mbit/s of UDP.
pub fn run(lab: &Lab) -> Outcome {
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

/// The same with the kernel's TCP.
pub fn in_kernel(lab: &Lab) -> Outcome {
    let played = InTurns::new(lab, &without_timer(with_a_fixed()));
    let mut found = Outcome::default();
    played.show(&mut found, "B12", "Osaka to California, A = 80 Mbit/s");
    let rate = |cc: &str| match played.of(cc) {
        set if set.runs.is_empty() => Err(set.nothing()),
        set => Ok(over(&set.runs, |run| run.summary.flows[0].throughput_mbps)),
    };
    found.claims.push(checked(
        "symbiosis: 78.2 Mbit/s, start included, within 2 %",
        "78.22 ± 0.22",
        rate(kernel::OURS),
        "Mbit/s",
        |rate| within(rate, 78.22, 0.02),
        START,
    ));
    let text = "Linux' Reno: 45.6 Mbit/s, start included, within what is printed";
    let printed = |rate: Measured| (rate.mean - 45.56).abs() <= 8.70;
    found.claims.push(checked(text, "45.56 ± 8.70", rate(kernel::RENO), "Mbit/s", printed, TODAY));
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
