//! One flow of each kind alone, at 100 Mbit/s and at 1 Gbit/s.

use rayon::prelude::*;
use symbiosis_run::Outcome as Run;

use super::Lab;
use super::claims::{at_least, below, check, claim, exact, near, nothing, ours, over, published};
use super::kinds::{FAST, HIGHSPEED, Kind, RENO, SCALABLE, SHAPES, asked, shapes};
use super::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Outcome};
use symbiosis_scenario::Scenario;

/// When a run ends, and what of it has no part in the claims: slow start and what its overshoot costs \[s\].
#[derive(Clone, Copy)]
pub struct Length {
    pub start_up: u32,
    pub until: u32,
}

/// Base round-trip time of both \[s\].
pub const RTT: f64 = 0.070;

/// S Figs 7, 8 on a bottleneck of `mbps`.
pub fn text(id: &str, mbps: u32, Length { start_up, until }: Length, kind: &Kind) -> String {
    format!(
        r#"# S Fig {figure}: one flow alone. Base RTT 70 ms, a buffer of one bandwidth-delay product.
name = "{id}-{slug}"
duration_s = {until}
[bottleneck]
rate_mbps = {mbps}
delay_ms = 25
queue_bdp = 1.0
[[flow]]
{flow}
access_rate_mbps = {access}
access_delay_ms = 5
[measure]
from_s = {start_up}
[trace]
every_ms = 100
"#,
        figure = &id[1..],
        slug = kind.slug(),
        flow = kind.lines(mbps.into()),
        access = 2 * mbps,
    )
}

/// `long` is for the loss-based, whose sawtooth takes longer than others take to their rest.
pub fn run(lab: &Lab, id: &str, mbps: u32, long: Length, short: Length) -> Outcome {
    let length = |kind: &Kind| if matches!(kind.cc, "highspeed" | "scalable") || (kind.cc == "reno" && mbps < 1000) { long } else { short };
    // The last two are named after the recovery that they differ in.
    let newreno = [HIGHSPEED.recovering("highspeed newreno", "newreno"), SCALABLE.recovering("scalable newreno", "newreno")];
    // At 1 Gbit/s with both shapes of streams, also in a quick run.
    let own = if mbps == 1000 { asked(lab, &SHAPES) } else { shapes(lab) };
    let kinds = [&[RENO, HIGHSPEED, SCALABLE, FAST][..], &own, &newreno].concat();
    let scenarios: Vec<Scenario> = kinds.iter().map(|kind| lab.scenario(&text(id, mbps, length(kind), kind))).collect();
    // Only the min-RTT probes of `symbiosis` are random.
    let runs: Vec<Vec<Run>> = scenarios
        .par_iter()
        .zip(&kinds)
        .map(|(scenario, kind)| if kind.is_ours() { lab.over_seeds(scenario) } else { vec![lab.run(scenario)] })
        .collect();

    let mut found = Outcome::default();
    let others = 4 + own.len();
    let oracle = others - own.iter().filter(|kind| kind.has_oracle()).count();
    // One run for both of a controller's kinds, which differ in the recovery.
    let limited: Vec<(&str, Run)> = if mbps == 1000 {
        let without = |kind: &Kind| (kind.cc, lab.run(&lab.scenario(&text(id, mbps, long, &kind.recovering(LIMITED, "reno")))));
        [HIGHSPEED, SCALABLE].par_iter().map(without).collect()
    } else {
        Vec::new()
    };
    for (part, members) in [("loss-based", 0..3), ("measuring", 3..oracle), ("oracle", oracle..others), ("newreno", others..others + 2)] {
        let series = members.map(|i| Series::new(kinds[i].name, Mark::Line, series::window(&runs[i][0], 0))).collect();
        found.figures.push(Figure {
            id: format!("{id}-{part}"),
            title: format!("One flow alone, {mbps} Mbit/s: {part}"),
            caption: match part {
                "loss-based" => "Windows of the loss-based controllers: loss after loss. Reno with Reno's recovery, the others with SACK.",
                "measuring" => "Windows of those that measure: they reach a value and stay. Symbiosis measures for itself.",
                "oracle" => "Windows of Symbiosis with K and A handed to it.",
                _ => "The loss-based high-speed controllers with NewReno's recovery instead of SACK.",
            }
            .into(),
            x: Axis::linear("time [s]"),
            y: Axis::linear("window [packets]"),
            series,
        });
    }
    for (kind, runs) in kinds.iter().zip(&runs) {
        found.claims.extend(match kind.cc {
            "reno" => loss_based(kind, &runs[0], (mbps, length(kind)), None),
            "highspeed" | "scalable" => {
                let limited = limited.iter().find(|(cc, _)| *cc == kind.cc).map(|(_, run)| run);
                loss_based(kind, &runs[0], (mbps, length(kind)), limited)
            }
            _ => measuring(kind, runs, mbps, length(kind)),
        });
    }
    found.scenarios = scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)).collect();
    found
}

/// Where S has it.
fn place(mbps: u32) -> &'static str {
    if mbps == 1000 { "S §IV-B, Fig 8" } else { "S §IV-B, Fig 7" }
}

/// A run in which a recovery repairs one loss of a window, as Reno's.
const LIMITED: &str = "limited";

/// Claims about a loss-based controller, in whose runs nothing is random. `limited` is the same with Reno's recovery.
pub fn loss_based(kind: &Kind, run: &Run, (mbps, length): (u32, Length), limited: Option<&Run>) -> Vec<Claim> {
    let flow = &run.summary.flows[0];
    let mut claims = Vec::new();
    if mbps == 1000 && kind.cc == "reno" {
        let window = series::window(run, 0);
        let end = f64::from(length.until);
        let middle = (end + f64::from(length.start_up)) / 2.0;
        let gained = series::mean(&window, end - 5.0, end) - series::mean(&window, middle - 5.0, middle);
        let speed = exact(gained / (end - middle));
        claims.push(claim(
            "reno: increases its window slowly",
            published(place(mbps), "slowly (a packet a round trip)"),
            speed,
            "packets/s",
            below(1.2 / RTT),
            "it grows faster than a packet a base round trip",
        ));
    } else if kind.recovery() != "newreno" {
        let losses = exact(flow.loss_events as f64 + flow.timeouts as f64);
        claims.push(claim(
            format!("{}: loses again and again", kind.name),
            published(place(mbps), "periodic loss"),
            losses,
            "loss events",
            at_least(1.0),
            "no loss in the time that was run: one sawtooth of Reno takes W/2 round trips",
        ));
    }
    // S has timeouts at 1 Gbit/s only, and for these two only, with what ns-2 of 2005 called SACK.
    if mbps == 1000 && kind.cc != "reno" {
        let timeouts = exact(flow.timeouts as f64);
        let recovery = if kind.recovery() == "sack" { "SACK" } else { "NewReno" };
        let why = match recovery {
            "SACK" => {
                "a scoreboard without a limit (RFC 6675) recovers every loss: the paper's timeouts are its recovery's, not the window's"
            }
            _ => {
                "a partial ACK a round trip keeps the timer from expiring, however many round trips the losses take (RFC 6582, impatient or not)"
            }
        };
        let many = at_least(2.0);
        let text = format!("{} with {recovery}: retransmission timeouts after start-up", kind.cc);
        claims.push(claim(text, published(place(mbps), "many"), timeouts, "timeouts", many, why).because(
            limited.map(|run| {
                check(
                    "timeouts after start-up of the same window with Reno's recovery, which repairs one loss",
                    exact(run.summary.flows[0].timeouts as f64),
                    many,
                )
            }),
            why,
        ));
    }
    claims
}

/// When A is read for the first time \[s\].
fn blind(run: &Run) -> f64 {
    series::gauge(run, 0, "A_mbps").first().map_or(run.summary.duration_s, |(t, _)| *t)
}

/// Claims about a controller that measures.
pub fn measuring(kind: &Kind, runs: &[Run], mbps: u32, length: Length) -> Vec<Claim> {
    let name = kind.name;
    let drops = over(runs, |run| series::drops_from(run, 0.0));
    let later = over(runs, |run| series::drops_from(run, length.start_up.into()));
    let sighted = over(runs, |run| series::drops_from(run, blind(run) + RTT));
    let slow_start = kind.is_published().then(|| check("packets lost once A has been read", sighted, nothing()));
    let mut claims = vec![
        claim(
            format!("{name}: no loss"),
            kind.states(place(mbps), "0"),
            drops,
            "packets",
            nothing(),
            "until the first reading the window is Reno's, or FAST's, and overflows link and buffer",
        )
        .because(slow_start, SLOW_START),
        claim(
            format!("{name}: no loss after start-up"),
            kind.states(place(mbps), "0"),
            later,
            "packets",
            nothing(),
            "what was lost in slow start is still being repaired",
        ),
    ];
    if !kind.is_symbiosis() {
        return claims;
    }
    let ideal = mbps as f64 * 1e6 / 8.0 * RTT / 1500.0;
    let window = over(runs, |run| series::mean(&series::window(run, 0), length.start_up.into(), length.until.into()));
    claims.push(claim(
        format!("{name}: window at w* = Kτ"),
        kind.states(place(mbps), format!("{ideal:.0}")),
        window,
        "packets",
        near(ideal, 0.02),
        "K is read a little too high or too low",
    ));
    let throughput = over(runs, |run| run.summary.flows[0].throughput_mbps);
    let least = 0.98 * mbps as f64;
    claims.push(claim(
        format!("{name}: throughput at least 98 % of what is available"),
        ours(format!("≥ {least}")),
        throughput,
        "Mbit/s",
        at_least(least),
        if kind.is_published() { HELD } else { STREAMS },
    ));
    claims
}

/// Why there is loss before the published measurement reads anything.
pub const SLOW_START: &str = "until the first reading the window is Reno's (T §2.2.2). The published ImTCP has it after a train and a stream for each \
                          sub-range, several RTTs, in which slow start doubles the window beyond link and buffer: nothing is lost later";

/// Why ours may leave a link idle that nobody else uses.
pub const STREAMS: &str = "the window is Kτ, which leaves no queue, and up to 5 % less than the window is in flight: packets wait for their turn in \
                       the spacing that the measurement wants, and the link idles meanwhile";

/// Why the published measurement costs throughput where no queue stands.
pub const HELD: &str = "packets are held back until a stream has gathered. The window is Kτ, which leaves no queue at the bottleneck that would \
                    hide the pause";
