use symbiosis_path::LinkSample;

use super::*;
use crate::sample::{flow, link, outcome};

/// A run of 10 s sampled every second: window and gauge are `level`, a flow delivers `level` Mbit a second, the queue is `level` long.
fn run(seed: u64, flows: &[(&str, &str)], level: f64) -> (u64, Run) {
    let mut run = outcome(seed, flows.iter().map(|(id, cc)| flow(id, cc)).collect(), vec![link("bottleneck")]);
    let sample = |number: usize, s: u64| FlowSample {
        at: Instant::from_millis(1000 * s),
        cwnd_packets: level + number as f64,
        in_flight_packets: 0.0,
        srtt_ms: if s == 0 { 0.0 } else { 60.0 },
        delivered_bytes: (level * 1e6 / 8.0) as u64 * s,
        retransmissions: 0,
        timeouts: 0,
        gauges: if number == 0 { vec![("gamma", level)] } else { vec![] },
    };
    run.flow_traces = (0..flows.len()).map(|number| (0..=10).map(|s| sample(number, s)).collect()).collect();
    let queue = |s| LinkSample { at: Instant::from_millis(1000 * s), queue_packets: level as u64, drops: s, bytes_begun: 0 };
    run.link_traces = vec![(0..=10).map(queue).collect()];
    (seed, run)
}

fn report(runs: &[(u64, Run)]) -> Outcome {
    simulation(&runs.iter().map(|(seed, run)| (*seed, run)).collect::<Vec<_>>(), "two flows", "name = \"two flows\"\n")
}

fn names(figure: &Figure) -> Vec<&str> {
    figure.series.iter().map(|series| series.name.as_str()).collect()
}

#[test]
fn one_run_has_a_curve_for_each_flow() {
    let found = report(&[run(1, &[("a", "symbiosis"), ("b", "reno")], 8.0)]);
    let ids: Vec<_> = found.figures.iter().map(|figure| figure.id.as_str()).collect();
    assert_eq!(ids.join(" "), "two-flows-window two-flows-throughput two-flows-srtt two-flows-queue two-flows-drops two-flows-gamma");
    assert_eq!(names(&found.figures[0]), ["a", "b"]);
    let throughput = &found.figures[1].series[1].points;
    assert_eq!((throughput.len(), throughput[0], throughput[9]), (10, (1.0, 8.0), (10.0, 8.0)));
    assert_eq!(found.figures[2].series[0].points[0].0, 1.0, "no round-trip time before the first is measured");
    assert_eq!(names(&found.figures[3]), ["bottleneck"]);
    assert_eq!(found.figures[4].series[0].points[10], (10.0, 10.0));
    assert_eq!(names(&found.figures[5]), ["a"], "only who has the gauge");
    assert_eq!(found.scenarios, [("two flows".into(), "name = \"two flows\"\n".into())]);
}

#[test]
fn few_seeds_are_told_apart() {
    let flows = [("a", "symbiosis")];
    let found = report(&[run(3, &flows, 8.0), run(4, &flows, 10.0)]);
    assert_eq!(names(&found.figures[0]), ["a seed 3", "a seed 4"]);
    assert_eq!(names(&found.figures[3]), ["bottleneck seed 3", "bottleneck seed 4"]);
    assert_eq!(found.figures[0].series[1].points[0], (0.0, 10.0));
}

#[test]
fn many_seeds_are_a_mean_with_its_interval() {
    let runs: Vec<_> = (1..=5).map(|seed| run(seed, &[("a", "symbiosis")], seed as f64)).collect();
    let series = &report(&runs).figures[0].series;
    assert_eq!((series.len(), series[0].name.as_str(), series[0].points[0]), (1, "a", (0.0, 3.0)));
    // Student's t of 4 degrees of freedom, 2.776, times √(2.5 / 5).
    let (low, high) = series[0].band.as_ref().unwrap()[0];
    assert!((low - (3.0 - 1.963)).abs() < 1e-3 && (high - (3.0 + 1.963)).abs() < 1e-3, "{low} {high}");
}

#[test]
fn many_flows_are_a_mean_for_each_controller() {
    let ids: Vec<String> = (0..20).map(|number| format!("f{number}")).collect();
    let flows: Vec<_> = ids.iter().enumerate().map(|(number, id)| (id.as_str(), if number % 2 == 0 { "reno" } else { "hcc" })).collect();
    let found = report(&[run(1, &flows, 0.0)]);
    assert_eq!(names(&found.figures[0]), ["reno (mean of flows)", "hcc (mean of flows)"]);
    assert_eq!(found.figures[0].series[1].points[0], (0.0, 10.0), "flows 1, 3 … 19");
}

#[test]
fn no_traces_no_figures() {
    let bare = outcome(1, vec![flow("a", "reno")], vec![]);
    let found = simulation(&[(1, &bare)], "x", "");
    assert!(found.figures.is_empty() && found.notes.is_empty(), "{:?}", found.notes);
    assert_eq!(found.tables[0].rows, [["a", "reno", "0", "0", "0", "0", "0"]], "nobody has a round-trip time, nobody is done");
    assert!(simulation(&[], "x", "").tables.is_empty());
}

#[test]
fn capacity_and_available_bandwidth_come_before_other_gauges() {
    let mut one = run(1, &[("a", "symbiosis")], 8.0);
    for sample in &mut one.1.flow_traces[0] {
        sample.gauges = vec![("gamma", 1.0), ("A_mbps", 50.0), ("K_mbps", 100.0)];
    }
    let titles: Vec<String> = report(&[one]).figures[5..].iter().map(|figure| figure.title.clone()).collect();
    assert_eq!(titles, ["K", "A", "gamma"]);
}

#[test]
fn flows_and_links_stand_side_by_side() {
    let found = report(&[run(1, &[("a", "symbiosis"), ("b", "reno")], 8.0), run(2, &[("a", "symbiosis"), ("b", "reno")], 10.0)]);
    assert_eq!(found.tables.iter().map(|table| (table.title.as_str(), table.rows.len())).collect::<Vec<_>>(), [("Flows", 2), ("Links", 1)]);
    assert!(found.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.columns.len())));
}
