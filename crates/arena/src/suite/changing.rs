//! Loss that is not congestion, rates that change, and little room.

use crate::cell::Cell;
use crate::draw::Draw;
use crate::families::{RANDOM_LOSS, SHALLOW, STEPS};
use crate::goal::{Goal, Range};
use crate::metrics::{jain, loss, used, utilisation};
use crate::scene::{self, Scene, link, own};
use crate::series::used_between;

pub(super) fn random_loss() -> Vec<Cell> {
    let mut cells = Vec::new();
    for (percent, least) in [(0.01, 95.0), (0.1, 95.0), (0.5, 95.0), (1.0, 95.0), (2.0, 85.0), (5.0, 70.0)] {
        for rtt in [50.0, 200.0, 600.0] {
            let to = if rtt > 500.0 { 80.0 } else { 40.0 };
            // What is lost on the way reaches nobody: the ceiling is what is left.
            let goals = vec![Goal::new("utilisation", "%", Range::least(least), move |view| utilisation(view) / (1.0 - percent / 100.0))];
            let make = move |draw: &mut Draw| {
                let path = link(50.0, draw.rtt(rtt) / 2.0).with("queue_bdp", 1.0).with("loss", percent / 100.0);
                Scene::new(path, if rtt > 500.0 { 20.0 } else { 5.0 }, to).flow(own())
            };
            let cell = Cell::new(&RANDOM_LOSS, format!("{percent} %, {rtt} ms"), goals, make).random();
            cells.push(cell.at(&[("loss [%]", percent), ("RTT [ms]", rtt)]).quick(rtt == 50.0 && percent >= 0.1));
        }
    }
    cells
}

pub(super) fn steps() -> Vec<Cell> {
    const AT: f64 = 15.0;
    let step = |name: &str, rates: &'static [(f64, f64)], rtt: f64, changed: f64| {
        let goals = vec![Goal::new("used from 3 s after the step on", "%", Range::least(90.0), move |view| {
            used_between(view, changed + 3.0, changed + 8.0)
        })];
        let make = move |draw: &mut Draw| {
            let path = link(scene::steps(rates), draw.rtt(rtt) / 2.0).with("queue_bdp", 1.0);
            Scene::new(path, changed + 3.0, changed + 8.0).flow(own())
        };
        Cell::new(&STEPS, format!("{name}, {rtt} ms"), goals, make).quick(rtt == 40.0)
    };
    let mut cells = Vec::new();
    for rtt in [40.0, 120.0] {
        cells.push(step("× 1/2", &[(0.0, 100.0), (AT, 50.0)], rtt, AT));
        cells.push(step("× 2", &[(0.0, 50.0), (AT, 100.0)], rtt, AT));
        cells.push(step("× 4", &[(0.0, 25.0), (AT, 100.0)], rtt, AT));
        cells.push(step("× 10", &[(0.0, 10.0), (AT, 100.0)], rtt, AT));
        cells.push(step("× 1/5", &[(0.0, 100.0), (AT, 20.0)], rtt, AT));
        cells.push(step("× 1/5 and back", &[(0.0, 100.0), (AT, 20.0), (20.0, 100.0)], rtt, 20.0));
        // A link that is away sends nothing worth the name: a packet in a second.
        cells.push(step("away for 2 s", &[(0.0, 100.0), (AT, 0.012), (17.0, 100.0)], rtt, 17.0));
    }
    cells
}

pub(super) fn shallow() -> Vec<Cell> {
    let mut cells = Vec::new();
    let rooms: [(&str, Option<i64>); 5] =
        [("1 packet", Some(1)), ("5 packets", Some(5)), ("10 packets", Some(10)), ("20 packets", Some(20)), (".05 BDP", None)];
    for (room, packets) in rooms {
        for n in [1, 4] {
            let mut goals = vec![Goal::new("utilisation", "%", Range::least(95.0), used), Goal::new("loss", "%", Range::most(0.5), loss)];
            if n > 1 {
                goals.push(Goal::new("Jain's index", "", Range::least(0.9), jain));
            }
            let make = move |draw: &mut Draw| {
                let path = link(100.0, draw.rtt(40.0) / 2.0);
                let path = match packets {
                    Some(packets) => path.with("queue_packets", packets),
                    None => path.with("queue_bdp", 0.05),
                };
                let flows: Vec<_> = (0..n).map(|_| own().with("start_s", if n > 1 { draw.start(1.0) } else { 0.0 })).collect();
                Scene::new(path, if n > 1 { 15.0 } else { 5.0 }, if n > 1 { 45.0 } else { 25.0 }).flows(flows)
            };
            let flows = if n == 1 { "1 flow".into() } else { format!("{n} flows") };
            cells.push(Cell::new(&SHALLOW, format!("{room}, {flows}"), goals, make).quick(packets == Some(10)));
        }
    }
    cells
}
