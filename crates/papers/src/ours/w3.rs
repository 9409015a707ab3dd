//! Three worlds: one path and one controller in the simulator, over QUIC in virtual time, and under the kernel's TCP.
//!
//! The path is B's to California, on which UDP leaves 80, 30, 50 Mbit/s. What a controller makes of it should not hang on who carries its
//! packets.

use symbiosis_quic::virtual_time::Quic;
use symbiosis_run::Outcome as Run;
use symbiosis_sim::Simulator;

use crate::toolkit::Lab;
use crate::toolkit::claims::{near, ours};

use crate::toolkit::kernel::{OURS, checked, lines, set, without_timer};
use crate::toolkit::linux_hosts::to_california;
use crate::toolkit::series;
use crate::toolkit::steps::Steps;
use crate::world::World;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Measured, Outcome};

/// A curve has a point for so many seconds.
const STEP: f64 = 1.0;

/// What one run made of it.
struct Seen {
    /// Rate on the wire at the receiver, second by second.
    throughput: Vec<(f64, f64)>,
    /// Window over base RTT, as a rate \[Mbit/s\]: packets differ in size from world to world.
    window: Vec<(f64, f64)>,
}

/// One world's runs.
struct Told {
    name: &'static str,
    /// Its name where something is said to happen there.
    place: &'static str,
    seen: Result<Vec<Seen>, String>,
}

/// Runs it where it can be run.
pub fn run(lab: &Lab) -> Outcome {
    let steps = without_timer(to_california());
    let steps = Steps { id: "W3".into(), about: "Three worlds: Osaka to California".into(), ..steps };
    let steps = if lab.quick { steps.quicker(1.0 / 3.0) } else { steps };
    let scenario = lab.scenario(&steps.text(OURS, &lines(OURS)));
    let rtt = steps.path.rtt_ms();
    let seen = |runs: Vec<Run>| runs.iter().map(|run| of_packets(run, rtt)).collect();
    let Ok(simulated) = lab.over_seeds_on(&Simulator, &scenario.plan);
    let over_quic = lab.over_seeds_on(&Quic, &scenario.plan);
    let mut worlds = vec![
        Told { name: "simulator", place: "in the simulator", seen: Ok(seen(simulated)) },
        Told { name: "QUIC", place: "over QUIC", seen: over_quic.map(seen).map_err(|error| error.to_string()) },
    ];
    if lab.world == World::Kernel {
        let set = set(lab, &steps, OURS);
        let seen = set.runs.iter().map(|run| of_packets(run, rtt)).collect::<Vec<_>>();
        let missing = if seen.is_empty() { Some(set.nothing()) } else { None };
        worlds.push(Told { name: "kernel", place: "in the kernel", seen: missing.map_or(Ok(seen), Err) });
    }
    let mut found = Outcome { scenarios: vec![(scenario.name.clone(), scenario.text.clone())], ..Outcome::default() };
    for (part, what, curve) in [
        ("throughput", "throughput [Mbit/s]", (|seen: &Seen| seen.throughput.clone()) as fn(&Seen) -> Vec<(f64, f64)>),
        ("window", "window / base RTT [Mbit/s]", |seen| seen.window.clone()),
    ] {
        found.figures.push(figure(&steps, &worlds, part, what, curve));
    }
    let (simulator, others) = (&worlds[0], &worlds[1..]);
    found.claims.extend(others.iter().map(|world| alike(&steps, simulator, world)));
    found
}

/// A run of whichever world.
fn of_packets(run: &Run, rtt_ms: f64) -> Seen {
    let window = series::window(run, 0).into_iter().map(|(at, packets)| (at, packets * 12.0 / rtt_ms)).collect();
    Seen { throughput: series::throughput(run, 0, STEP), window }
}

/// A curve for each world, the first run, and what is available.
fn figure(steps: &Steps, worlds: &[Told], part: &str, label: &str, curve: fn(&Seen) -> Vec<(f64, f64)>) -> Figure {
    let missing = |name: &str, why: &str| format!(" The {name} is not here: {why}.");
    let absent = match worlds.iter().any(|world| world.name == "kernel") {
        true => String::new(),
        false => missing("kernel", "`symbiosis reproduce --world linux --only W3` (as root) has it beside the others"),
    };
    let failed: String = worlds.iter().filter_map(|world| Some(missing(world.name, world.seen.as_ref().err()?))).collect();
    let mut series: Vec<Series> =
        worlds.iter().filter_map(|world| Some(Series::new(world.name, Mark::Line, curve(world.seen.as_ref().ok()?.first()?)))).collect();
    series.push(steps.truth());
    Figure {
        id: format!("W3-{part}"),
        title: format!("{OURS} in three worlds: {part}"),
        caption: format!("The first run of each. Dashed: what UDP leaves.{absent}{failed}"),
        x: Axis::linear("time [s]").range(0.0, steps.until),
        y: Axis::linear(label),
        series,
    }
}

/// The rate over the whole time is the simulator's, within 5 %.
fn alike(steps: &Steps, simulator: &Told, world: &Told) -> Claim {
    let rate = |told: &Told| {
        let means =
            told.seen.as_ref().map(|seen| seen.iter().map(|seen| series::mean(&seen.throughput, 0.0, steps.until)).collect::<Vec<_>>());
        means.map(|means| Measured::over(&means)).map_err(Clone::clone)
    };
    let ratio = rate(simulator).and_then(|sim| Ok(rate(world)?.part_of(sim)));
    let text = format!("symbiosis: gets {} what it gets in the simulator, within 5 %", world.place);
    let why = "worlds differ in handshakes, in loss recovery, and in how exactly departures and arrivals are timed";
    checked(&text, ours("the same"), ratio, "times the simulator's", near(1.0, 0.05), why)
}
