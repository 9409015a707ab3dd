//! What is available drops, for good or for a while (T §4): the scenarios of T Figs 10, 14, 15 and 16.

use super::Lab;
use super::claims::{at_least, at_most, check, exact};
use super::kinds::Kind;
use super::series;
use super::step::{Rest, Step, borne};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Check, Measured};
use symbiosis_run::Outcome as Run;

/// What is available before the drop \[Mbit/s\].
pub const BEFORE: f64 = 80.0;

/// When it drops \[s\]: the window is at its rest long before.
pub const DROP: f64 = 10.0;

/// A drop to `to` Mbit/s, measured for `after` seconds.
pub fn drop_to(id: &'static str, kind: Kind, recovery: &'static str, to: f64, m: f64, buffer: f64, after: f64) -> Step {
    Step {
        id,
        kind,
        recovery,
        m,
        buffer,
        available: vec![(0.0, BEFORE), (DROP, to)],
        duration: DROP + after,
        measure: (DROP, DROP + after),
        sample: 1000.0,
        more: "",
    }
}

pub fn drops(lab: &Lab) -> Vec<f64> {
    if lab.quick { vec![20.0, 50.0] } else { vec![20.0, 30.0, 40.0, 50.0] }
}

/// The chance that the papers' law has a window which the buffer does not bear.
pub fn theory(name: &str, xs: impl Iterator<Item = f64>, m_and_buffer: impl Fn(f64) -> (f64, f64), to: f64) -> Series {
    let chance = |x: f64| {
        let (m, buffer) = m_and_buffer(x);
        Rest::of(BEFORE, m).above(borne(to, buffer))
    };
    Series::new(name, Mark::Dashed, xs.map(|x| (x, chance(x))).collect())
}

/// Where oscillation avoids no timeouts because there are none without it.
pub fn nothing_to_avoid(kind: Kind, recovery: &str, to: f64, still: Measured) -> (Check, String) {
    let bears = format!("there is nothing to avoid: the buffer bears a window of {:.0} packets, w* is 820", borne(to, 1.0));
    let chance = |m: f64| Rest::of(BEFORE, m).above(borne(to, 1.0));
    let text = if chance(0.0) == 0.0 {
        format!("{bears}; with m = {M} the papers' law is above that in {:.3} of the time", chance(M))
    } else if recovery == "sack" {
        format!("{bears}, but SACK repairs what is lost without a timeout")
    } else if kind.has_oracle() {
        format!("{bears}, but the oracle tells of the drop at once, and the window is down before the buffer is full")
    } else {
        format!("{bears}, and the window is down before the buffer is full")
    };
    (check("timeouts with m = 0, of the seeds", still, at_most(0.0)), text)
}

/// Where it avoids none because it does not take the window below what the buffer bears.
pub fn out_of_reach(to: f64, buffer: f64) -> (Check, String) {
    let above = exact(Rest::of(BEFORE, M).above(borne(to, buffer)));
    let bears = borne(to, buffer);
    let text = format!(
        "the buffer bears a window of {bears:.0} packets, w* is 820, and with m = {M} the papers' law is above that nearly all the time"
    );
    (
        check(
            format!("the part of the time in which it is above {bears:.0} packets, by its stationary distribution"),
            above,
            at_least(0.9),
        ),
        text,
    )
}

/// T's degree of oscillation.
pub const M: f64 = 0.3;

/// A drops and recovers at these instants \[s\].
pub const STEPS: [f64; 2] = [20.0, 40.0];

pub const END: f64 = 60.0;

pub fn there_and_back(id: &'static str, kind: Kind, recovery: &'static str, m: f64) -> Step {
    Step {
        id,
        kind,
        recovery,
        m,
        buffer: 1.0,
        available: vec![(0.0, 80.0), (STEPS[0], 20.0), (STEPS[1], 80.0)],
        duration: END,
        measure: (STEPS[0], STEPS[1]),
        sample: 100.0,
        more: "",
    }
}

/// The windows of the first seed without oscillation and with.
pub fn windows(step: &Step, runs: [&Run; 2]) -> Figure {
    let name = step.kind.name;
    Figure {
        id: format!("{}-{}-{}", step.id, step.kind.slug(), step.recovery),
        title: format!("A drops and recovers: {name}, {} recovery", step.recovery),
        caption: "A is 80 Mbit/s, from 20 s to 40 s it is 20. Windows of the first seed.".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("window [packets]"),
        series: [("m = 0".to_string(), runs[0]), (format!("m = {M}"), runs[1])]
            .map(|(name, run)| Series::new(&name, Mark::Line, series::window(run, 0)))
            .into(),
    }
}
