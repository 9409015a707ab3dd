//! H Fig 3: a flow alone on 2 Mbit/s, beside 1.5 Mbit/s of CBR that comes and goes.

use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{at_most, between, claim, over};
use crate::toolkit::hcc::{Dumbbell, FITTED_NOTE, QUEUE, SEEDS, flows, of_h, packets_per_second};
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

const DELAYS: [f64; 3] = [10.0, 50.0, 100.0];
/// CBR comes and goes \[s\].
const CBR: (f64, f64) = (30.0, 60.0);
const DURATION: u32 = 90;
/// Throughput is looked at over so long \[s\].
const SPAN: f64 = 0.5;
/// What the link carries, and what CBR leaves of it \[packets/s\].
const LINK: f64 = 250.0;
const LEFT: f64 = 62.5;

fn text(cc: &str, delay: f64) -> String {
    let about = "H Fig 3: one flow at 2 Mbit/s; 1.5 Mbit/s of CBR comes and goes.";
    let more = format!(
        "[[cross]]\nrate_mbps = 1.5\npacket_bytes = 1000\ngaps = \"constant\"\nstart_s = {}\nstop_s = {}\n[trace]\nevery_ms = 100\n",
        CBR.0, CBR.1
    );
    Dumbbell { name: format!("H3-{cc}-{delay}ms"), about, duration: DURATION, mbps: 2.0, delay, queue: QUEUE, loss: 0.0, more }
        .text(&[flows(cc, 1)])
}

/// How long after `from` the throughput first is as wanted \[s\].
fn after(run: &Run, from: f64, wanted: impl Fn(f64) -> bool) -> f64 {
    let found = packets_per_second(run, 0, SPAN).into_iter().find(|(t, rate)| t - SPAN / 2.0 >= from && wanted(*rate));
    found.map_or(f64::INFINITY, |(t, _)| t + SPAN / 2.0 - from)
}

pub fn run(lab: &Lab) -> Outcome {
    let lab = &lab.of_seeds(lab.seeds.max(SEEDS));
    let mut found = Outcome { notes: vec![FITTED_NOTE.into()], ..Outcome::default() };
    let mut series = Vec::new();
    let mut left = Vec::new();
    for (name, cc) in [("XMTP", "hcc"), ("NewReno", "newreno")] {
        for delay in DELAYS {
            let scenario = lab.scenario(&text(cc, delay));
            let runs = if cc == "hcc" { lab.over_seeds(&scenario) } else { vec![lab.run(&scenario)] };
            if delay != DELAYS[1] {
                series.push(Series::new(&format!("{name}, {delay} ms"), Mark::Line, packets_per_second(&runs[0], 0, 1.0)));
            }
            // Down: within a tenth of the link of what CBR leaves. Back: nine tenths of what one flow has alone.
            let down = over(&runs, |run| after(run, CBR.0, |rate| rate <= LEFT + 0.1 * LINK));
            let back = over(&runs, |run| after(run, CBR.1, |rate| rate >= 0.9 / 1.05 * LINK));
            if cc == "hcc" {
                found.claims.extend([
                    claim(
                        format!("XMTP, {delay} ms: down to what CBR leaves in two seconds"),
                        of_h("H §8.2, Fig 3", "2 s"),
                        down,
                        "s",
                        at_most(2.5),
                        "the queue takes up what is too much, and jitter is small while it grows slowly",
                    ),
                    claim(
                        format!("XMTP, {delay} ms: back in two to three seconds"),
                        of_h("H §8.2, Fig 3", "2 to 3 s"),
                        back,
                        "s",
                        between(1.5, 3.5),
                        "the way back takes ln(P/P*)/α pairs, one for each five periods, from as low as the flow has come",
                    ),
                ]);
            }
            left.push((cc, delay, over(&runs, beside)));
            found.scenarios.push((scenario.name, scenario.text));
        }
    }
    for (cc, delay, rate) in left.iter().filter(|(cc, _, _)| *cc == "hcc") {
        found.claims.push(claim(
            format!("XMTP, {delay} ms: uses what CBR leaves"),
            of_h("H §8.2, Fig 3", "an inverted square wave"),
            *rate,
            "of what is left",
            between(0.5, 1.1),
            &format!("{cc}: gaps between CBR's packets come and go by whole packets, and every increase counts as jitter"),
        ));
    }
    found.figures.push(Figure {
        id: "H3".into(),
        title: "A flow beside CBR that comes and goes".into(),
        caption: "Packets that arrive in each second, the first seed; CBR of 187.5 packets a second from 30 to 60 s.".into(),
        x: Axis::linear("time [s]"),
        y: Axis::linear("packets per second").range(0.0, 260.0),
        series,
    });
    found
}

/// Mean throughput beside CBR, once settled, over what it leaves.
fn beside(run: &Run) -> f64 {
    let rates: Vec<f64> =
        packets_per_second(run, 0, SPAN).into_iter().filter(|(t, _)| *t >= CBR.0 + 5.0 && *t < CBR.1).map(|(_, rate)| rate).collect();
    Measured::over(&rates).mean / LEFT
}
