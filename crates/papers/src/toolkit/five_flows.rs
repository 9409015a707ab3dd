//! Five flows join a link one after the other, and leave it again.

use symbiosis_base::{Rate, Span};
use symbiosis_control::symbiosis::GAMMA;
use symbiosis_run::Outcome as Run;
use symbiosis_theory::facts::EqualFlows;

use super::Lab;
use super::claims::{above, at_least, below, check, claim, derived, exact, near, nothing, over, published};
use super::dumbbell::Dumbbell;
use super::joins::Joins;
use super::kinds::{FAST, HIGHSPEED, Kind, OURS, PAPER};
use super::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Claim, Measured, Outcome};

/// Every flow's own link is as fast as the bottleneck.
pub fn path(delay_ms: f64, queue: &str) -> Dumbbell {
    Dumbbell { mbps: 100.0, delay_ms, queue: queue.into(), access_mbps: 100.0, access_ms: 5.0 }
}

/// `quick` is the part of the time that a quick run takes.
pub fn run(lab: &Lab, (joins, quick): (Joins, f64), others: &[Kind], own: &[Kind], place: &str) -> Outcome {
    let joins = if lab.quick { joins.quicker(quick) } else { joins };
    let played = joins.play(lab, &[others, own].concat());
    let mut found = Outcome::default();
    let (mut fairness, mut queues) = (Vec::new(), Vec::new());
    for (kind, scenario, runs) in played {
        found.figures.push(joins.windows(&format!("{}-{}", joins.id, kind.slug()), &kind, &runs[0]));
        fairness.push(fairness_of(&joins, &kind, &runs));
        queues.push(Series::new(kind.name, Mark::Line, series::queue(&runs[0])));
        found.claims.extend(match kind.is_symbiosis() {
            true => symbiosis(&joins, &kind, &runs, place),
            false => {
                let wider = (kind.name == HIGHSPEED.name).then(|| wider(lab, &joins, &kind));
                other(&joins, &kind, (&runs[0], wider.as_ref()), place)
            }
        });
        found.scenarios.push((scenario.name, scenario.text));
    }
    for kind in [PAPER, OURS] {
        let (law, five) = kind.standing_queue(5, joins.path.mbps, joins.path.rtt_ms());
        queues.push(Series::new(&format!("{law}, n = 5"), Mark::Dashed, vec![(0.0, five), (joins.until(), five)]));
    }
    found.figures.extend([
        Figure {
            id: format!("{}-jain", joins.id),
            title: "Fairness between one join or leave and the next".into(),
            caption: "Jain's index over throughput in the second half of each stage, at the stage's middle; 95 % intervals over runs."
                .into(),
            x: Axis::linear("time [s]").range(0.0, joins.until()),
            y: Axis::linear("Jain's index").range(0.0, 1.05),
            series: fairness,
        },
        Figure {
            id: format!("{}-queue", joins.id),
            title: "The queue while five flows join and leave".into(),
            caption: "Packets that wait at the bottleneck, the first run.".into(),
            x: Axis::linear("time [s]").range(0.0, joins.until()),
            y: Axis::linear("queue [packets]"),
            series: queues,
        },
    ]);
    found
}

/// The joins alone, with access links of ten times the bottleneck: no flow brings a packet whenever one leaves.
fn wider(lab: &Lab, joins: &Joins, kind: &Kind) -> Run {
    let mut joins = Joins { id: "wider", ..joins.clone() };
    let (_, first_leaves) = company(&joins);
    joins.path.access_mbps = 10.0 * joins.path.mbps;
    joins.stays.iter_mut().for_each(|(_, leaves)| *leaves = first_leaves);
    lab.run(&lab.scenario(&joins.text(kind)))
}

pub fn equal(joins: &Joins, n: u32) -> EqualFlows {
    let room = Rate::from_mbps(joins.path.mbps).times(Span::from_secs(joins.path.rtt_ms() / 1e3));
    EqualFlows { n, gamma: GAMMA, room }
}

pub fn fairness_of(joins: &Joins, kind: &Kind, runs: &[Run]) -> Series {
    let stages = joins.stages();
    let found: Vec<Measured> = stages.iter().map(|stage| over(runs, |run| joins.jain(run, stage))).collect();
    let points = stages.iter().zip(&found).map(|((from, to, _), m)| ((from + to) / 2.0, m.mean)).collect();
    let band = found.iter().map(|m| (m.mean - m.ci95, m.mean + m.ci95)).collect();
    Series { band: Some(band), ..Series::new(kind.name, Mark::LinePoints, points) }
}

/// When the second flow joins, when the first leaves \[s\].
pub fn company(joins: &Joins) -> (f64, f64) {
    (joins.stays[1].0, joins.stays[0].1)
}

pub fn symbiosis(joins: &Joins, kind: &Kind, runs: &[Run], place: &str) -> Vec<Claim> {
    let name = kind.name;
    let (second, first_leaves) = company(joins);
    let jain = over(runs, |run| joins.least_jain(run));
    let on_joins = over(runs, |run| series::drops(run, second, first_leaves));
    let on_leaves = over(runs, |run| series::drops_from(run, first_leaves));
    // From the middle of the stage of all five to its end.
    let last = joins.stays[4].0;
    let queue = over(runs, |run| series::mean(&series::queue(run), (last + first_leaves) / 2.0, first_leaves));
    let (law, wanted) = kind.standing_queue(5, joins.path.mbps, joins.path.rtt_ms());
    let measured = equal(joins, 5).measured_queue() / 1500.0;
    // What the first flow reads of A while all five are there.
    let read = over(runs, |run| series::mean(&series::gauge(run, 0, "A_mbps"), (last + first_leaves) / 2.0, first_leaves));
    // n windows of S Eq 11 overflow link and buffer from that reading on.
    let (n, full) = (5.0, joins.holds);
    let most = joins.path.mbps * (full / n - (1.0 - GAMMA)) / GAMMA;
    let blind = || (kind.measures() && !kind.is_ours()).then(|| check("what the first flow reads of A [Mbit/s]", read, above(most)));
    let published = format!(
        "{PUBLISHED}. The first flow reads {:.0} Mbit/s, and above {most:.0} five windows of S Eq 11 are more than link and buffer hold",
        read.mean
    );
    // The newest flow's base RTT.
    let tau = over(runs, |run| series::mean(&series::gauge(run, 4, "tau_ms"), (last + first_leaves) / 2.0, first_leaves));
    let over_read =
        || (!kind.is_ours()).then(|| check("the base RTT that the fifth flow holds for true [ms]", tau, above(1.05 * joins.path.rtt_ms())));
    let late = format!(
        "a flow that joins a standing queue takes it for a part of its base RTT: the fifth holds {:.1} ms for true instead of {}, and a window of S Eq 11 \
         is as much larger",
        tau.mean,
        joins.path.rtt_ms()
    );
    let slow = equal(joins, 2).fairness_time(symbiosis_control::symbiosis::EPSILON).secs();
    vec![
        claim(
            format!("{name}: fair in the second half of every stage"),
            kind.states(place, "fair: Jain ≥ 0.98"),
            jain,
            "Jain, at the least fair",
            at_least(0.98),
            &format!(
                "shares draw near with a time constant of {slow:.1} s at n = 2 (S Eq 9 at S Eq 19), and a flow that joins a \
                          standing queue takes it for a part of its base RTT"
            ),
        )
        .because(blind(), published.clone())
        .because(over_read(), late.clone()),
        claim(format!("{name}: no loss when flows join"), kind.states(place, "0"), on_joins, "packets", nothing(), JOINS)
            .because(blind(), published.clone())
            .because(over_read(), late.clone()),
        claim(format!("{name}: no loss when flows leave"), kind.states(place, "0"), on_leaves, "packets", nothing(), LEAVES)
            .because(blind(), published.clone())
            .because(over_read(), late.clone()),
        claim(
            format!("{name}: five flows' queue is that of {law} within 15 %"),
            derived(if kind.is_ours() { "docs/symbiosis.md, the logarithmic law" } else { "S §III-C, Eq 20" }, format!("{wanted:.0}")),
            queue,
            "packets",
            near(wanted, 0.15),
            "min-RTT probes take their part of it, and whole windows and noise of τ add theirs",
        )
        .because(
            (!kind.is_ours()).then(|| check("the standing queue [packets]", queue, near(measured, 0.15))),
            format!(
                "S Eq 20 takes K − A for the sum of w/τ (S Eq 17). Flows that read what they get in a standing queue leave (n−1)(1−γ)Kτ = \
                 {measured:.0} packets"
            ),
        )
        .because(blind(), published)
        .because(over_read(), late),
    ]
}

/// `wider` is the same run with access links of ten times the bottleneck, where it was run.
pub fn other(joins: &Joins, kind: &Kind, (run, wider): (&Run, Option<&Run>), place: &str) -> Vec<Claim> {
    let name = kind.name;
    let (second, first_leaves) = company(joins);
    let lost = exact(series::drops(run, second, first_leaves));
    let jain = exact(joins.least_jain(run));
    if kind.name == FAST.name {
        // α is 100: five times that, and what newcomers mistake for their base RTT, against the buffer.
        let longest = exact(series::queue(run).iter().map(|(_, queue)| *queue).fold(0.0, f64::max));
        let full = check("the longest queue [packets]", longest, above(500.0));
        let (from, to, there) = &joins.stages()[2];
        let got = |flow: &usize| series::delivered(run, *flow, (from + to) / 2.0, *to);
        let newcomer = exact(got(&2) * there.len() as f64 / there.iter().map(got).sum::<f64>());
        return vec![
            claim(format!("{name}: no loss when flows join"), published(place, "0"), lost, "packets", nothing(), "")
                .because(full, FAST_FILLS),
            claim(
                format!("{name}: the third to come gets more than its share, for it takes the queue for a part of its base RTT"),
                published(place, "more"),
                newcomer,
                "times an equal share",
                above(1.05),
                "slow start overflows the buffer, and what all lose draws their shares together",
            ),
        ];
    }
    let mut claims = vec![claim(
        format!("{name}: loses packets while flows join"),
        published(place, "packet losses"),
        lost,
        "packets",
        above(0.0),
        "the buffer holds what all want",
    )];
    claims.push(match kind.name == HIGHSPEED.name {
        true => claim(
            format!("{name}: fair through its losses"),
            published(place, "fair"),
            jain,
            "Jain, at the least fair",
            at_least(0.9),
            LOCKED_OUT,
        )
        .because(
            wider.map(|run| {
                check(
                    "Jain's index of all five with access links of ten times the bottleneck",
                    exact(joins.jain(run, &joins.stages()[4])),
                    at_least(0.9),
                )
            }),
            LOCKED_OUT,
        ),
        false => {
            let why = "losses are frequent enough here for shares to draw near within half a stage";
            claim(format!("{name}: not fair"), published(place, "not fair"), jain, "Jain, at the least fair", below(0.95), why)
        }
    });
    claims
}

/// Why a join may overflow the buffer.
const JOINS: &str = "a flow that joins is in slow start until its first reading";

/// Why a leave may.
const LEAVES: &str = "those who stay grow into what is free, and read it as free until it is taken";

/// Why FAST's buffer overflows.
pub const FAST_FILLS: &str = "every flow keeps α = 100 packets in the queue, and each newcomer's 100 are beside the queue that it takes for a part of \
                          its base RTT. Five ask for more than the buffer's 583";

/// Why the one who was there first stays alone.
pub const LOCKED_OUT: &str = "a flow whose own link is as fast as the bottleneck brings a packet whenever one leaves, and so takes each place that it \
                          frees. The others' packets find the buffer full (phase effects; Floyd and Jacobson 1992), and below 38 packets \
                          HighSpeed climbs no faster than Reno";

/// What the published measurement makes of several flows.
pub const PUBLISHED: &str = "unpaced windows travel in clusters, and between its own clusters a flow finds the link idle: each reads A near K, and \
                         with A = K every flow goes for the whole Kτ. The buffer then decides, by loss, as beside Reno";
