//! What hosts do to packets, what happens to ACKs, and managed queues.

use crate::cell::Cell;
use crate::draw::Draw;
use crate::families::{ACK_PATH, AQM, HOSTS};
use crate::goal::{Goal, Range};
use crate::known::Known;
use crate::metrics::{beside, jain, jain_ratio, loss, of_rate, queue_mean, throughput_ratio, used, utilisation};
use crate::scene::{Beside, Scene, Table, link, other, own, stage};

/// What a host or the path before it does, with the name that tells it.
type Habit = (&'static str, fn(Table) -> Table);

/// Of senders and receivers.
const OF_FLOWS: [Habit; 9] = [
    ("send timer 250 µs", |flow| flow.with("send_timer_us", 250.0)),
    ("send timer 1 ms", |flow| flow.with("send_timer_us", 1000.0)),
    ("send timer 4 ms", |flow| flow.with("send_timer_us", 4000.0)),
    ("coalescing 100 µs", |flow| flow.with("coalesce_us", 100.0)),
    ("coalescing 1 ms", |flow| flow.with("coalesce_us", 1000.0)),
    ("coalescing 3 ms", |flow| flow.with("coalesce_us", 3000.0)),
    ("delayed ACKs", |flow| flow.with("delayed_ack", true)),
    // 64 kB are 44 packets.
    ("GSO and GRO of 64 kB", |flow| flow.with("gso_packets", 44).with("gro_packets", 44)),
    ("one ACK of 8", |flow| flow.impaired("ack_impair", stage("thin").with("group", 8))),
];

/// Of the path.
const OF_LINKS: [Habit; 5] = [
    ("jitter 1 ms", |link| link.with("jitter_ms", 1.0)),
    ("jitter 3 ms", |link| link.with("jitter_ms", 3.0)),
    ("jitter 10 ms", |link| link.with("jitter_ms", 10.0)),
    ("jitter 30 ms", |link| link.with("jitter_ms", 30.0)),
    ("1 % reordered by 5 ms", |link| link.impaired("impair", stage("reorder").with("probability", 0.01).with("by_ms", 5.0))),
];

fn scene(draw: &mut Draw, n: usize, rate: f64, of_link: fn(Table) -> Table, of_flow: fn(Table) -> Table) -> Scene {
    let delay = draw.rtt(40.0) / 2.0;
    let (from, to) = if n > 1 { (15.0, 35.0) } else { (5.0, if rate > 500.0 { 10.0 } else { 20.0 }) };
    let starts: Vec<f64> = (0..n).map(|_| if n > 1 { draw.start(1.0) } else { 0.0 }).collect();
    let with = |of_link: fn(Table) -> Table, of_flow: fn(Table) -> Table| {
        let flows = starts.iter().map(|start| of_flow(own().with("start_s", *start)));
        Scene::new(of_link(link(rate, delay).with("queue_bdp", 1.0)), from, to).flows(flows)
    };
    let without = with(|link| link, |flow| flow);
    let scene = with(of_link, of_flow);
    if n > 1 { scene.beside(Beside::Scene(Box::new(without))) } else { scene }
}

pub(super) fn hosts() -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut add = |name: &str, rate: f64, n: usize, of_link: fn(Table) -> Table, of_flow: fn(Table) -> Table| {
        let mut goals = vec![Goal::new("utilisation", "%", Range::least(97.0), used)];
        if n > 1 {
            // As fair as without: a hundredth is what seeds make of it.
            goals.push(Goal::new("Jain's index over that without", "", Range::least(0.99), jain_ratio));
        }
        let flows = if n == 1 { "1 flow".into() } else { format!("{n} flows") };
        let fast = if rate > 500.0 { ", 1000 Mbit/s" } else { "" };
        let cell = Cell::new(&HOSTS, format!("{name}, {flows}{fast}"), goals, move |draw| scene(draw, n, rate, of_link, of_flow));
        let jittery = name.starts_with("jitter") || name.contains("reordered");
        let cell = cell.slow(rate > 500.0).quick(n == 1 && (name.ends_with(" 1 ms") || name == "delayed ACKs"));
        cells.push(if jittery { cell.random() } else { cell });
    };
    for n in [1, 4] {
        for (name, of_flow) in OF_FLOWS {
            add(name, 100.0, n, |link| link, of_flow);
        }
        for (name, of_link) in OF_LINKS {
            add(name, 100.0, n, of_link, |flow| flow);
        }
    }
    add("send timer 50 µs", 1000.0, 1, |link| link, |flow| flow.with("send_timer_us", 50.0));
    add("coalescing 100 µs", 1000.0, 1, |link| link, |flow| flow.with("coalesce_us", 100.0));
    // Tokens of 20 ms, as policers are set up; the link behind them is twice as fast.
    let goals = vec![Goal::new("of the policed rate", "%", Range::least(97.0), |view| of_rate(view, 50.0))];
    cells.push(Cell::new(&HOSTS, "policer 50 Mbit/s, 1 flow", goals, |draw| {
        let path = link(100.0, draw.rtt(40.0) / 2.0).with("queue_bdp", 1.0).impaired("impair", stage("police").with("rate_mbps", 50.0));
        Scene::new(path, 5.0, 25.0).flow(own())
    }));
    cells
}

pub(super) fn ack_path(known: &Known<'_>) -> Vec<Cell> {
    let goals = || vec![Goal::new("throughput over CUBIC's", "", Range::least(0.9), throughput_ratio)];
    let both_ways = |name: &str, down: f64, up: f64, upload: Option<Table>| {
        let beside = Beside::Controller(known.cubic());
        let make = move |draw: &mut Draw| {
            let delay = draw.rtt(40.0) / 2.0;
            let links = vec![
                link(down, delay).with("name", "down").with("queue_bdp", 1.0),
                link(up, delay).with("name", "up").with("queue_packets", 100),
            ];
            let download = own().with("route", vec!["down"]).with("ack_route", vec!["up"]);
            let scene = Scene::of_links(links, 5.0, 35.0).flow(download).beside(beside.clone());
            match &upload {
                Some(upload) => scene.flow(upload.clone().with("route", vec!["up"]).with("ack_route", vec!["down"])),
                None => scene,
            }
        };
        Cell::new(&ACK_PATH, name, goals(), make)
    };
    // An upload of one's own kind has another name: only the download counts.
    vec![
        both_ways("upload of CUBIC", 50.0, 10.0, Some(other(&known.cubic()))).quick(true),
        both_ways("upload of its own kind", 50.0, 10.0, Some(Table::default().with("name", "upload"))),
        both_ways("asymmetry 50:1", 50.0, 1.0, None),
    ]
}

pub(super) fn aqm(known: &Known<'_>) -> Vec<Cell> {
    let managed = |draw: &mut Draw, queue: &str| link(100.0, draw.rtt(40.0) / 2.0).with("queue_packets", 2000).with("queue", queue);
    let mut cells = Vec::new();
    let queues = [("codel", "CoDel"), ("fq-codel", "FQ-CoDel"), ("pie", "PIE"), ("dualpi2", "DualPI2"), ("cake", "CAKE-like")];
    for (queue, words) in queues {
        for n in [1, 4] {
            let mut goals = vec![Goal::new("utilisation", "%", Range::least(98.0), if n > 1 { used } else { utilisation })];
            if n > 1 {
                goals.push(Goal::new("Jain's index", "", Range::least(0.97), jain));
            }
            let make = move |draw: &mut Draw| {
                let path = managed(draw, queue);
                let flows: Vec<_> = (0..n).map(|_| own().with("start_s", if n > 1 { draw.start(1.0) } else { 0.0 })).collect();
                Scene::new(path, if n > 1 { 15.0 } else { 5.0 }, if n > 1 { 45.0 } else { 25.0 }).flows(flows)
            };
            let flows = if n == 1 { "1 flow".into() } else { format!("{n} flows") };
            cells.push(Cell::new(&AQM, format!("{words}, {flows}"), goals, make).quick(n == 1));
        }
        let opponent = other(&known.cubic());
        let goals = vec![Goal::new("share over CUBIC's", "", Range::within(0.8, 1.25), beside)];
        let make = move |draw: &mut Draw| {
            let path = managed(draw, queue);
            let theirs = opponent.clone().with("start_s", draw.start(1.0));
            Scene::new(path, 15.0, 55.0).flow(own().with("start_s", draw.start(1.0))).flow(theirs)
        };
        cells.push(Cell::new(&AQM, format!("{words}, beside CUBIC"), goals, make).against(&known.cubic()));
    }
    for (queue, words) in [("codel", "CoDel"), ("pie", "PIE"), ("dualpi2", "DualPI2")] {
        // Who answers marks has the queue that it has without them, and loses nothing.
        let goals = vec![
            Goal::new("utilisation", "%", Range::least(98.0), utilisation),
            Goal::new("mean queue", "ms", Range::most(20.0), queue_mean),
            Goal::new("loss", "%", Range::most(0.01), loss),
        ];
        let make = move |draw: &mut Draw| Scene::new(managed(draw, queue), 5.0, 25.0).flow(own().with("ecn", "accurate"));
        cells.push(Cell::new(&AQM, format!("{words} with ECN, 1 flow"), goals, make).quick(queue == "codel"));
    }
    cells
}
