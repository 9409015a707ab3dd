//! Loss that is not congestion, rates that change, and little room.

use crate::cell::Cell;
use crate::draw::Draw;
use crate::families::{RANDOM_LOSS, SHALLOW, STEPS};
use crate::goal::{Goal, Range};
use crate::metrics::{delay_p95, jain, loss, used, utilisation};
use crate::scene::{self, Scene, link, own, stage};
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
    for (percent, least) in [(0.1, 95.0), (1.0, 95.0), (2.0, 85.0), (5.0, 70.0)] {
        for rtt in [50.0, 200.0] {
            const BURST: f64 = 5.0;
            let goals = vec![Goal::new("utilisation", "%", Range::least(least), move |view| utilisation(view) / (1.0 - percent / 100.0))];
            let make = move |draw: &mut Draw| {
                // All of five packets on average are lost, then none until the mean is right.
                let good = BURST * (100.0 - percent) / percent;
                let bursts = stage("gilbert-elliott").with("bad_packets", BURST).with("good_packets", good);
                let path = link(50.0, draw.rtt(rtt) / 2.0).with("queue_bdp", 1.0).impaired("impair", bursts);
                Scene::new(path, 5.0, 40.0).flow(own())
            };
            cells.push(
                Cell::new(&RANDOM_LOSS, format!("{percent} % in bursts, {rtt} ms"), goals, make)
                    .random()
                    .quick(percent == 1.0 && rtt == 50.0),
            );
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
    for (name, added) in [("τ 40 to 80 ms", [(0.0, 0.0), (AT, 40.0)]), ("τ 80 to 40 ms", [(0.0, 40.0), (AT, 0.0)])] {
        let goals =
            vec![Goal::new("used from 3 s after the change on", "%", Range::least(90.0), |view| used_between(view, AT + 3.0, AT + 8.0))];
        let make = move |draw: &mut Draw| {
            let longer = stage("delay").with("delay_ms", scene::steps(&added));
            let path = link(100.0, draw.rtt(40.0) / 2.0).with("queue_packets", 400).impaired("impair", longer);
            Scene::new(path, AT + 3.0, AT + 8.0).flow(own())
        };
        cells.push(Cell::new(&STEPS, name, goals, make).quick(added[0].1 == 0.0));
    }
    let radio = |name: &str, path: fn(f64, i64) -> scene::Table| {
        let goals = vec![
            Goal::new("used", "%", Range::least(85.0), used),
            Goal::new("95th percentile of the delay over the base", "ms", Range::most(100.0), delay_p95),
        ];
        let make = move |draw: &mut Draw| Scene::new(path(draw.rtt(40.0) / 2.0, draw.seed as i64), 5.0, 45.0).flow(own());
        Cell::new(&STEPS, name, goals, make).random()
    };
    cells.push(
        radio("cellular, 20 Mbit/s", |delay, seed| {
            let grants = toml::Table::from_iter([("mean_mbps".to_owned(), 20.0.into()), ("seed".to_owned(), seed.into())]);
            scene::Table::default().with("cellular", grants).with("delay_ms", delay).with("queue_packets", 1000)
        })
        .quick(true),
    );
    cells.push(radio("Wi-Fi, 100 Mbit/s", |delay, _| {
        let station = toml::Table::from_iter([("phy_mbps".to_owned(), 100.0.into())]);
        scene::Table::default().with("wifi", station).with("delay_ms", delay).with("queue_packets", 1000)
    }));
    // A handover every 15 s, as Starlink's: 60 ms away, and 10 ms more or less of delay behind it.
    cells.push(radio("satellite handovers, 50 Mbit/s", |delay, _| {
        let away = stage("outage").with("at_s", 15.0).with("lasts_s", 0.06).with("every_s", 15.0);
        let longer = stage("delay").with("delay_ms", scene::steps(&[(0.0, 0.0), (15.0, 10.0)])).with("every_s", 30.0);
        link(50.0, delay).with("queue_packets", 500).impaired("impair", away).impaired("impair", longer)
    }));
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
