//! What disturbs the measurement, and whether it knows: other traffic, other paths, other hosts.

use rayon::prelude::*;
use symbiosis_run::Outcome as Run;

use crate::toolkit::Lab;
use crate::toolkit::claims::{above, between, claim, nothing, ours, over};
use crate::toolkit::series;
use symbiosis_report::figure::{Axis, Figure, Mark, Series};
use symbiosis_report::outcome::Outcome;

/// UDP leaves half of 100 Mbit/s, of which the flow uses 0.9.
const A: f64 = 50.0;
const START_UP: f64 = 10.0;

/// A case: its name, the links after the access link, what the flow and the cross traffic have beside the usual, and more tables.
struct Case {
    name: &'static str,
    links: &'static str,
    flow: &'static str,
    cross: &'static str,
    more: &'static str,
    access: f64,
    /// Why A or K should not come out, where it does not.
    why: &'static str,
}

const ONE: &str = "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 40\nqueue_bdp = 1.0\n";
const POISSON: &str = "mix = \"internet\"\nrate_mbps = 50\nroute = [\"a\"]\n";
const USUAL: Case = Case {
    name: "Poisson packets of the Internet mix",
    links: ONE,
    flow: "route = [\"a\"]\n",
    cross: POISSON,
    more: "",
    access: 200.0,
    why: "",
};

const CASES: &[Case] = &[
    USUAL,
    Case {
        name: "Pareto bursts of ten sources",
        cross: "mix = \"internet\"\nrate_mbps = 50\nroute = [\"a\"]\ngaps = \"pareto-on-off\"\non_s = 0.1\noff_s = 0.4\ncount = 10\n",
        why: "such traffic has no rate: what it leaves differs from second to second by half of K, and a reading is of its own time",
        ..USUAL
    },
    Case { name: "an access link as fast as the bottleneck", access: 100.0, ..USUAL },
    Case {
        name: "two bottlenecks in series",
        links: "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 20\nqueue_bdp = 1.0\n\
                [[link]]\nname = \"b\"\nrate_mbps = 100\ndelay_ms = 20\nqueue_bdp = 1.0\n",
        flow: "route = [\"a\", \"b\"]\n",
        more: "[[cross]]\nkind = \"udp\"\nmix = \"internet\"\nrate_mbps = 50\nroute = [\"b\"]\n",
        why: "what comes in between at both links counts at one: a gap is longer than the identity of a single link makes it",
        ..USUAL
    },
    Case {
        name: "a narrow link before the tight one",
        links: "[[link]]\nname = \"n\"\nrate_mbps = 100\ndelay_ms = 20\nqueue_bdp = 1.0\n\
                [[link]]\nname = \"a\"\nrate_mbps = 200\ndelay_ms = 20\nqueue_bdp = 1.0\n",
        flow: "route = [\"n\", \"a\"]\n",
        cross: "mix = \"internet\"\nrate_mbps = 150\nroute = [\"a\"]\n",
        access: 1000.0,
        why: "pairs alone say 80, wide gaps speak of the 200 of the tight link, and without a standing queue there are too few of them to show that \
              these are two links",
        ..USUAL
    },
    Case {
        name: "a narrow link behind the tight one",
        links: "[[link]]\nname = \"a\"\nrate_mbps = 200\ndelay_ms = 20\nqueue_bdp = 1.0\n\
                [[link]]\nname = \"n\"\nrate_mbps = 100\ndelay_ms = 20\nqueue_bdp = 1.0\n",
        flow: "route = [\"a\", \"n\"]\n",
        cross: "mix = \"internet\"\nrate_mbps = 150\nroute = [\"a\"]\n",
        access: 1000.0,
        ..USUAL
    },
    Case {
        name: "1 % random loss",
        links: "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 40\nqueue_bdp = 1.0\nloss = 0.01\n",
        ..USUAL
    },
    Case {
        name: "20 µs of jitter",
        links: "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 40\nqueue_bdp = 1.0\njitter_ms = 0.02\n",
        ..USUAL
    },
    Case {
        name: "2 ms of jitter",
        links: "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 40\nqueue_bdp = 1.0\njitter_ms = 2\n",
        why: "the jitter of a gap is twenty service times, and a pair in which the first packet was late is as short as the access link lets it",
        ..USUAL
    },
    Case { name: "delayed ACKs", flow: "route = [\"a\"]\ndelayed_ack = true\n", ..USUAL },
    Case {
        name: "ACKs behind data of others",
        links: "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 40\nqueue_bdp = 1.0\n\
                [[link]]\nname = \"back\"\nrate_mbps = 20\ndelay_ms = 40\nqueue_packets = 100\n",
        flow: "route = [\"a\"]\nack_route = [\"back\"]\n",
        more: "[[cross]]\nkind = \"udp\"\npacket_bytes = 1500\nrate_mbps = 12\nroute = [\"back\"]\n",
        why: "an ACK waits for whole packets of the other direction, each several service times long",
        ..USUAL
    },
    Case { name: "a network card that waits 100 µs", flow: "route = [\"a\"]\ncoalesce_us = 100\n", ..USUAL },
    Case {
        name: "a network card that waits 1 ms",
        flow: "route = [\"a\"]\ncoalesce_us = 1000\n",
        why: "arrivals are the card's, K is known by long bursts, and not what comes between their packets",
        ..USUAL
    },
    Case { name: "CoDel", links: "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 40\nqueue_bdp = 1.0\nqueue = \"codel\"\n", ..USUAL },
    Case {
        name: "FQ-CoDel",
        links: "[[link]]\nname = \"a\"\nrate_mbps = 100\ndelay_ms = 40\nqueue_bdp = 1.0\nqueue = \"fq-codel\"\n",
        why: "a flow with a queue of its own does not wait in the others': what comes out follows its own rate, not what is free",
        ..USUAL
    },
];

impl Case {
    fn text(&self, number: usize, duration: u32) -> String {
        let Case { name, links, flow, cross, more, access, .. } = self;
        format!(
            r#"# Open loop, a flow of 45 Mbit/s where 50 are free: {name}.
name = "M3-{number}"
duration_s = {duration}
{links}[[flow]]
cc = "probe"
recovery = "sack"
access_rate_mbps = {access}
access_delay_ms = 5
params = {{ measurement = "imtcp", rate_mbps = 45, window_packets = 4000 }}
{flow}[[cross]]
kind = "udp"
{cross}{more}[measure]
from_s = {START_UP}
[trace]
every_ms = 25
"#
        )
    }
}

pub fn run(lab: &Lab) -> Outcome {
    let duration = if lab.quick { 20 } else { 40 };
    let scenarios: Vec<_> = CASES.iter().enumerate().map(|(number, case)| lab.scenario(&case.text(number, duration))).collect();
    let runs: Vec<Vec<Run>> = scenarios.par_iter().map(|scenario| lab.over_seeds(scenario)).collect();
    let mut found = Outcome::default();
    let mut errors = [Vec::new(), Vec::new()];
    for (number, (case, runs)) in CASES.iter().zip(&runs).enumerate() {
        let readings = over(runs, |run| series::gauge(run, 0, "A_mbps").iter().filter(|(t, _)| *t >= START_UP).count() as f64);
        if readings.mean == 0.0 {
            let text = format!("{}: A within 1 % of K, or nothing is claimed", case.name);
            // Silence is right only where it was foreseen.
            let foreseen = !case.why.is_empty();
            found.claims.push(claim(
                text,
                ours("0 or no reading"),
                readings,
                "readings",
                if foreseen { nothing() } else { above(0.0) },
                "",
            ));
            continue;
        }
        let mean = |run: &Run, gauge: &str| series::mean(&series::gauge(run, 0, gauge), START_UP, f64::from(duration));
        for (which, truth, bound) in [("A", A, 1.0_f64), ("K", 100.0, 2.0)] {
            let bias = over(runs, |run| mean(run, &format!("{which}_mbps")) - truth);
            let interval = over(runs, |run| mean(run, &format!("{which}_ci95_mbps")));
            found.claims.push(claim(
                format!("{}: {which} within {bound} % of K, or its interval says that it may not be", case.name),
                ours(format!("0, or within its interval, ± {:.1}", interval.mean)),
                bias,
                "Mbit/s",
                between(-bound.max(interval.mean), bound.max(interval.mean)),
                case.why,
            ));
            errors[usize::from(which == "K")].push((number as f64, bias.mean));
        }
    }
    let [of_a, of_k] = errors;
    let names: Vec<String> = CASES.iter().enumerate().map(|(number, case)| format!("{number} {}", case.name)).collect();
    found.figures.push(Figure {
        id: "M3-errors".into(),
        title: "Error of A and K under what disturbs".into(),
        caption: format!("Open loop, 45 of 50 free Mbit/s used, 100 Mbit/s and 100 ms: {}.", names.join("; ")),
        x: Axis::linear("case"),
        y: Axis::linear("error [Mbit/s]"),
        series: vec![Series::new("A", Mark::Points, of_a), Series::new("K", Mark::Points, of_k)],
    });
    found.scenarios = scenarios.into_iter().map(|scenario| (scenario.name, scenario.text)).collect();
    found
}
