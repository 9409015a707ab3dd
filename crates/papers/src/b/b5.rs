//! B Fig 5: how often ImTCP measures.

use rayon::prelude::*;
use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, after, at_most, claim, over, published, ratio};
use crate::toolkit::inline::{self, OURS, lab_path, probe};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::{Measured, Outcome};

/// B Fig 5.
pub fn run(lab: &Lab) -> Outcome {
    let rtts = if lab.quick { vec![30.0, 100.0, 150.0] } else { vec![30.0, 45.0, 60.0, 80.0, 100.0, 125.0, 150.0] };
    let until = if lab.quick { 30.0 } else { 60.0 };
    let mut found = Outcome::default();
    let mut series = Vec::new();
    for (name, slug, measurement) in [("10 × 20", "10x20", inline::published((10, 20))), ("symbiosis'", "ours", OURS.into())] {
        let played: Vec<_> = rtts
            .par_iter()
            .flat_map(|rtt| lab_path(&format!("B5-{rtt}"), *rtt, 80.0, until).run(lab, &[(slug, probe(40.0, &measurement))]))
            .collect();
        let each: Vec<Measured> = played.iter().map(|(_, runs)| over(runs, |run| a_second(run, until))).collect();
        let points = rtts.iter().zip(&each).map(|(rtt, rate)| (*rtt, rate.mean)).collect();
        let band = each.iter().map(|rate| (rate.mean - rate.ci95, rate.mean + rate.ci95)).collect();
        series.push(Series { band: Some(band), ..Series::new(name, Mark::LinePoints, points) });
        let falls = ratio(each[0], each[each.len() - 1]);
        found.claims.push(claim(
            format!("{name}: fewer measurements the longer the RTT"),
            if slug == "ours" { after("B §3.3, Fig 5", "fewer") } else { published("B §3.3, Fig 5", "fewer") },
            falls,
            "times as many at 30 ms as at 150 ms",
            above(1.0),
            "the rate of the flow, and not the RTT, says how soon a stream has gathered",
        ));
        let at = rtts.iter().position(|rtt| *rtt == 100.0).expect("100 ms is among them");
        let rtts_each = Measured::over(&played[at].1.iter().map(|run| 10.0 / a_second(run, until)).collect::<Vec<_>>());
        found.claims.push(claim(
            format!("{name}: a result every 1 to 4 RTTs at the most (RTT 100 ms)"),
            if slug == "ours" { after("B §2.1", "1 to 4 RTTs") } else { published("B §2.1", "1 to 4 RTTs") },
            rtts_each,
            "RTTs",
            at_most(4.0),
            "sub-ranges without a verdict are measured again",
        ));
        found.scenarios.extend(played.into_iter().map(|(scenario, _)| (scenario.name, scenario.text)));
    }
    found.figures.push(Figure {
        id: "B5".into(),
        title: "Measurements a second".into(),
        caption: "Of a flow of 40 Mbit/s that does not obey them, while UDP leaves 80; mean and 95 % interval over seeds.".into(),
        x: Axis::linear("RTT [ms]"),
        y: Axis::log("measurements a second"),
        series,
    });
    found
}

/// Results a second, after the first 10 s.
fn a_second(run: &Run, until: f64) -> f64 {
    let results = series::gauge(run, 0, "results");
    let at = |t: f64| results.iter().take_while(|(at, _)| *at <= t).last().map_or(0.0, |(_, count)| *count);
    (at(until) - at(10.0)) / (until - 10.0)
}
