use std::collections::{BTreeMap, BTreeSet};

use symbiosis_base::{Instant, Span};
use symbiosis_run::{FlowSample, Outcome};
use symbiosis_scenario::{SIMULATOR, Scenario};
use symbiosis_sim::Simulator;

use crate::page::{self, Commands};
use crate::series::{reaches, settles};
use crate::{Cell, Contestant, FAMILIES, Found, Known, Range, Scoreboard, Trial, View, suite, try_out};

fn names() -> Vec<&'static str> {
    SIMULATOR.controllers().iter().map(|entry| entry.name).collect()
}

fn cells() -> Vec<Cell> {
    suite(&Known { names: &names(), against: &[] })
}

fn cell(id: &str) -> Cell {
    cells().into_iter().find(|cell| cell.id() == id).unwrap_or_else(|| panic!("no cell {id}"))
}

fn tried(id: &str, cc: &str, seeds: u64) -> Found {
    let (cell, contestant) = (cell(id), Contestant::named(cc));
    try_out(&Trial { cell: &cell, contestant: &contestant, target: &SIMULATOR, seeds }, &Simulator, || ()).unwrap().found
}

#[test]
fn every_cell_makes_scenarios_that_differ_by_seed_and_names_are_unique() {
    let contestant = Contestant::named("reno");
    let mut ids = BTreeSet::new();
    for cell in &cells() {
        assert!(ids.insert(cell.id()), "{} twice", cell.id());
        assert!(!cell.goals.is_empty(), "{}", cell.id());
        let trial = Trial { cell, contestant: &contestant, target: &SIMULATOR, seeds: 3 };
        let scenarios = [1, 2, 3].map(|seed| trial.scenario(seed).unwrap_or_else(|error| panic!("{}: {error}\n{}", cell.id(), error.text)));
        assert_eq!(trial.scenario(1).unwrap().text, scenarios[0].text, "{}: a seed makes one scenario", cell.id());
        let texts: BTreeSet<_> =
            scenarios.iter().map(|scenario| scenario.text.replace(&format!("seed = {}", scenario.plan.seed), "")).collect();
        assert_eq!(texts.len(), 3, "{}: seeds differ by more than their number", cell.id());
        assert!(View { plan: &scenarios[0].plan, outcome: &nothing(), beside: None }.own().next().is_some(), "{}", cell.id());
    }
}

#[test]
fn every_family_has_cells_also_for_a_quick_look_and_says_where_it_is_asked() {
    let cells = cells();
    for family in FAMILIES {
        assert!(cells.iter().any(|cell| cell.family == family && cell.quick), "{}", family.id);
        assert!(family.asked.starts_with("RFC 9743 §"), "{}", family.id);
    }
}

#[test]
fn round_trip_times_vary_by_a_tenth() {
    let mut draw = crate::Draw::new("a cell", 7);
    let rtts: Vec<f64> = (0..1000).map(|_| draw.rtt(100.0)).collect();
    assert!(rtts.iter().all(|rtt| (90.0..=110.0).contains(rtt)));
    assert!(rtts.iter().any(|rtt| *rtt < 91.0) && rtts.iter().any(|rtt| *rtt > 109.0));
    assert_ne!(crate::Draw::new("another cell", 7).rtt(100.0), crate::Draw::new("a cell", 7).rtt(100.0));
}

#[test]
fn the_worst_seed_decides_and_on_random_paths_a_tenth_may_be_worse() {
    let values: Vec<f64> = (1..=30).map(f64::from).collect();
    assert_eq!(Range::least(5.0).deciding(&values, false), Some(0));
    assert_eq!(Range::least(5.0).deciding(&values, true), Some(3));
    assert_eq!(Range::most(5.0).deciding(&values, false), Some(29));
    // Of ratios .5 is further from 1 than 1.9 is.
    assert_eq!(Range::within(0.8, 1.25).deciding(&[1.0, 0.5, 1.9], false), Some(1));
    assert_eq!(Range::least(5.0).deciding(&[9.0, f64::NAN, 1.0], false), Some(1), "what is not a number is worst");
    assert!(!Range::least(5.0).holds(f64::NAN) && !Range::most(5.0).holds(f64::NAN));
}

fn nothing() -> Outcome {
    let summary = symbiosis_sim::run(&plan()).summary;
    Outcome { summary, flow_traces: vec![], link_traces: vec![], ledger: Default::default() }
}

/// Two flows on 10 Mbit/s, of which the second joins after 2 s; 20 s in all.
fn plan() -> symbiosis_run::Plan {
    let text = "duration_s = 20\n[bottleneck]\nrate_mbps = 10\ndelay_ms = 5\nqueue_bdp = 1\n\
                [[flow]]\ncc = \"reno\"\nname = \"own\"\n[[flow]]\ncc = \"reno\"\nname = \"own\"\nstart_s = 2\n[trace]\nevery_ms = 100";
    Scenario::parse(text, "two.toml", None, &[]).unwrap().plan
}

/// Traces in which the first flow has what the second leaves of 10 Mbit/s.
fn shared(second: impl Fn(f64) -> f64) -> Outcome {
    let mut sums = [0.0_f64; 2];
    let mut traces = vec![vec![], vec![]];
    for k in 0..=200 {
        let at = f64::from(k) * 0.1;
        for (sum, trace) in sums.iter().zip(&mut traces) {
            trace.push(FlowSample {
                at: Instant::after(Span::from_secs(at)),
                cwnd_packets: 0.0,
                in_flight_packets: 0.0,
                srtt_ms: 0.0,
                delivered_bytes: *sum as u64,
                retransmissions: 0,
                timeouts: 0,
                gauges: vec![],
            });
        }
        let rate = second(at);
        sums[0] += (10.0 - rate) * 0.1 * 125_000.0;
        sums[1] += rate * 0.1 * 125_000.0;
    }
    Outcome { flow_traces: traces, ..nothing() }
}

#[test]
fn settling_is_for_good_and_ends_with_the_run_for_who_does_not() {
    let plan = plan();
    let settled = |second: fn(f64) -> f64| {
        let outcome = shared(second);
        settles(&View { plan: &plan, outcome: &outcome, beside: None }, 2.0, 0.2)
    };
    // The mean over 2 s is within 20 % once 1.6 s of them are.
    let at = settled(|t| if t >= 6.0 { 5.0 } else { 0.0 });
    assert!((at - 3.6).abs() < 0.25, "{at}");
    // Who leaves again has not settled.
    let at = settled(|t| if (6.0..10.0).contains(&t) || t >= 14.0 { 5.0 } else { 1.0 });
    assert!((at - 11.5).abs() < 0.25, "{at}");
    let never = settled(|_| 1.0);
    assert!((never - 16.0).abs() < 0.11, "{never}");
    let outcome = shared(|t| if t >= 2.0 { 9.5 } else { 0.0 });
    let view = View { plan: &plan, outcome: &outcome, beside: None };
    assert!((reaches(&view, 0.9, 0.5) - 0.5).abs() < 1e-6);
    let outcome = shared(|_| 0.0);
    let half = View { plan: &plan, outcome: &outcome, beside: None };
    assert_eq!(reaches(&half, 1.5, 0.5), 20.0);
}

#[test]
fn what_reno_is_known_to_do_is_found() {
    // A buffer of a BDP keeps a halved window's link busy (Appenzeller, Keslassy, McKeown 2004); a quarter of it does not.
    let full = tried("one-flow/100 Mbit/s, 50 ms, 1 BDP", "reno", 2);
    let [used, queue, _] = &full.goals[..] else { panic!("three goals") };
    assert!(used.worst.unwrap() > 95.0, "{full:?}");
    assert!(!queue.met, "a loss-based controller fills the buffer");
    // Random loss of 1 % at 50 ms: about 1.22/√p packets an RTT, 3 Mbit/s of 50 (Mathis et al. 1997).
    let lossy = tried("random-loss/1 %, 50 ms", "reno", 3);
    assert!((3.0..12.0).contains(&lossy.goals[0].median.unwrap()), "{lossy:?}");
    // Of itself it takes its share.
    let beside = tried("loss-based/1:1 reno, 60 ms, 1 BDP", "reno", 2);
    assert!((0.5..2.0).contains(&beside.goals[0].median.unwrap()), "{beside:?}");
}

#[test]
fn the_same_seeds_find_the_same() {
    assert_eq!(tried("application/100 kB alone", "cubic", 3), tried("application/100 kB alone", "cubic", 3));
}

#[test]
fn a_scoreboard_counts_and_blends_nothing() {
    let found = [tried("application/10 kB alone", "cubic", 1), tried("application/10 MB alone", "cubic", 1)];
    let met = found.iter().flat_map(|found| &found.goals).filter(|goal| goal.met).count();
    let board = Scoreboard::of(&found.each_ref(), &["cubic".into()]);
    let [row] = &board.rows[..] else { panic!("one row") };
    assert_eq!((row.met, row.goals, row.families.len()), (met, 2, 1));
    assert!(board.text().contains(&format!("application  {:>9}", format!("{met} of 2"))), "{}", board.text());
}

#[test]
fn parameters_come_behind_the_name() {
    let contestant = Contestant::parse("symbiosis{theta_ms=5}").unwrap();
    assert_eq!(contestant.cc, "symbiosis");
    let cell = cell("one-flow/10 Mbit/s, 10 ms, 1 BDP");
    let text = Trial { cell: &cell, contestant: &contestant, target: &SIMULATOR, seeds: 1 }.scenario(1).unwrap().text;
    assert!(text.contains("params = { theta_ms = 5 }"), "{text}");
    assert!(Contestant::parse("symbiosis{theta_ms=").is_err());
}

#[test]
fn every_entry_of_the_page_leads_to_scenario_traces_and_command() {
    let contestants = ["reno".into(), "cubic".into()];
    let ids = ["application/10 kB alone", "random-loss/1 %, 50 ms", "random-loss/2 %, 50 ms"];
    let try_one = |(id, cc): (&str, &String)| {
        let (cell, contestant) = (cell(id), Contestant::named(cc));
        try_out(&Trial { cell: &cell, contestant: &contestant, target: &SIMULATOR, seeds: 1 }, &Simulator, || ()).unwrap()
    };
    let tried: Vec<_> = ids.iter().flat_map(|id| contestants.iter().map(move |cc| (*id, cc))).map(try_one).collect();
    let commands = Commands { arena: "symbiosis arena".into(), scenario: "symbiosis simulate".into() };
    let files: BTreeMap<String, String> = page::files(&tried, &contestants, "3 cells.", &commands).into_iter().collect();
    let index = &files["index.html"];
    let links: Vec<&str> = index.split("href=\"cells/").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(links.len(), 6, "a link for each cell and controller");
    for link in links {
        let page = &files[&format!("cells/{link}")];
        assert!(page.contains("<svg") && page.contains("symbiosis arena --cc ") && page.contains("[[flow]]"), "{link}");
        let scenario = page.split("href=\"").find_map(|rest| rest.split('"').next().filter(|name| name.ends_with(".toml"))).unwrap();
        let beside = link.rsplit_once('/').unwrap().0;
        assert!(files.contains_key(&format!("cells/{beside}/{scenario}")), "{link}: {scenario}");
    }
    assert!(files["figures/random-loss.svg"].contains("reno"));
    // The command names the cell as the command line takes it.
    assert!(
        files["cells/reno/random-loss/1----50-ms.html"].contains("--only &#39;random-loss/1 %, 50 ms&#39;"),
        "{}",
        files["cells/reno/random-loss/1----50-ms.html"]
    );
}

#[test]
fn the_page_on_adding_a_controller_shows_the_example() {
    let page = include_str!("../../../docs/adding-a-controller.md");
    assert!(page.contains(include_str!("../examples/outside.rs")), "docs/adding-a-controller.md and examples/outside.rs differ");
}

/// `symbiosis` with its competitive state. Beside CUBIC a share is a matter of whose losses come first, and the worst of some seeds another number
/// after each change of a packet's order: the median of ten says what a flow gets, and the worst that none is without the state's help.
#[test]
fn who_competes_holds_its_own_beside_cubic_and_keeps_the_low_queue_among_its_own_kind() {
    let contestant = Contestant::parse("symbiosis").unwrap();
    let tried = |id: &str, seeds| {
        let cell = cell(id);
        let trial = Trial { cell: &cell, contestant: &contestant, target: &SIMULATOR, seeds };
        try_out(&trial, &Simulator, || ()).unwrap().found
    };
    let beside = tried("loss-based/1:1 cubic, 60 ms, 1 BDP", 10);
    let (median, worst) = (beside.goals[0].median.unwrap(), beside.goals[0].worst.unwrap());
    assert!(median > 0.6 && worst > 0.2, "median {median}, worst {worst}: without it .02");
    let leaves = tried("loss-based/cubic leaves", 10);
    let (median, worst) = (leaves.goals[0].median.unwrap(), leaves.goals[0].worst.unwrap());
    assert!(
        leaves.goals[0].met && median < 7.0,
        "median {median} ms, worst {worst} ms: 27.9 as long as two losses of any kind ended the catching up, 20.1 while a flow was sure after two verdicts"
    );
    for id in ["own-kind/8 flows within 1 s", "own-kind/4 of 20 ms, 4 of 120 ms"] {
        let found = tried(id, 3);
        assert!(found.goals.iter().all(|goal| goal.met), "{id}: {:?}", found.goals);
    }
}

/// Slow starts of those who still come overflow the buffer, and the others probe out of step meanwhile: in one of these three runs most took each other for opponents, before
/// a flow that nobody sees needed company and two rounds of probes.
#[test]
fn a_crowd_that_is_still_coming_takes_nobody_for_an_opponent() {
    let found = tried("own-kind/50 flows within 10 s", "symbiosis", 3);
    for goal in &found.goals {
        assert!(goal.met, "{}: {:?} with seed {}", goal.what, goal.worst, goal.seed);
    }
}
