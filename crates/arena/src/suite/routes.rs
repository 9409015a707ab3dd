//! Several bottlenecks, and flows that end.

use crate::cell::Cell;
use crate::draw::Draw;
use crate::families::{APPLICATION, ROUTES};
use crate::goal::{Goal, Range};
use crate::known::Known;
use crate::scene::{Beside, Scene, Table, link, other, own, steps, udp};
use crate::series::{completion, completion_ratio, lost};
use crate::view::View;

/// Payload of the first flow under test over its max-min share of the wire, `share` \[Mbit/s\].
fn of_share(view: &View<'_>, share: f64) -> f64 {
    view.own().next().map_or(f64::NAN, |at| view.goodput(at) / view.payload(at) / share)
}

pub(super) fn routes() -> Vec<Cell> {
    const RATE: f64 = 50.0;
    let goals = |share: f64| vec![Goal::new("long flow over its max-min share", "", Range::least(0.5), move |view| of_share(view, share))];
    let parking = |hops: usize| {
        let make = move |draw: &mut Draw| {
            let names: Vec<String> = (1..=hops).map(|hop| format!("hop {hop}")).collect();
            let delay = draw.rtt(20.0) / 2.0;
            let links = names.iter().map(|name| link(RATE, delay).with("name", name.as_str()).with("queue_packets", 200)).collect();
            // The long flow is the first; beside it one of a hop each.
            let long = own().with("route", names.clone()).with("start_s", draw.start(1.0));
            let short: Vec<_> = names.iter().map(|name| own().with("route", vec![name.clone()]).with("start_s", draw.start(1.0))).collect();
            Scene::of_links(links, 15.0, 55.0).flow(long).flows(short)
        };
        Cell::new(&ROUTES, format!("parking lot of {hops}"), goals(RATE / 2.0), make).quick(hops == 2)
    };
    let uneven = |name: &str, first: f64, second: f64, loads: [f64; 2]| {
        let share = f64::min(first - loads[0], second - loads[1]);
        let make = move |draw: &mut Draw| {
            let delay = draw.rtt(40.0) / 4.0;
            let at = |rate: f64, name: &str| link(rate, delay).with("name", name).with("queue_packets", 200);
            let mut scene = Scene::of_links(vec![at(first, "first"), at(second, "second")], 5.0, 35.0);
            for (load, name) in loads.iter().zip(["first", "second"]).filter(|(load, _)| **load > 0.0) {
                scene = scene.cross(udp(*load, "exponential").with("route", vec![name]));
            }
            scene.flow(own().with("route", vec!["first", "second"]))
        };
        Cell::new(&ROUTES, name, goals(share), make)
    };
    vec![
        parking(2),
        parking(3),
        parking(5),
        uneven("two bottlenecks", RATE, RATE, [25.0, 25.0]),
        uneven("narrow link before the tight one", 60.0, 100.0, [0.0, 60.0]),
        uneven("narrow link behind the tight one", 100.0, 60.0, [60.0, 0.0]),
    ]
}

/// The least time to carry so many bytes of payload and hear of it \[s\]: slow start without a loss from RFC 6928's ten packets, each round
/// trip twice the window before, until the path is full.
fn best(bytes: f64, rate: f64, rtt: f64) -> f64 {
    let mut packets = (bytes / 1460.0).ceil();
    let full = (rate * 1e6 * rtt / 12_000.0).max(1.0);
    let (mut window, mut time) = (10.0, rtt);
    while window < full && packets > window {
        packets -= window;
        window *= 2.0;
        time += rtt;
    }
    time + packets * 12_000.0 / (rate * 1e6)
}

pub(super) fn application(known: &Known<'_>) -> Vec<Cell> {
    const RATE: f64 = 50.0;
    const RTT: f64 = 40.0;
    let mut cells = Vec::new();
    for (bytes, words) in [(10_000, "10 kB"), (100_000, "100 kB"), (1_000_000, "1 MB"), (10_000_000, "10 MB")] {
        let size = bytes as f64;
        let goals = vec![Goal::new("completion over the best", "", Range::most(1.3), move |view: &View<'_>| {
            let rtt = 2e-3 * view.plan.links[0].spec.delay.millis();
            completion(view, |_| best(size, RATE, rtt))
        })];
        let make = move |draw: &mut Draw| {
            let path = link(RATE, draw.rtt(RTT) / 2.0).with("queue_bdp", 1.0);
            Scene::new(path, 0.0, 10.0).flow(own().with("bytes", bytes))
        };
        cells.push(Cell::new(&APPLICATION, format!("{words} alone"), goals, make).quick(bytes == 1_000_000));
    }
    // On and off: the same host asks again and again, each time anew.
    let goals = vec![Goal::new("completion over the best", "", Range::most(1.3), |view: &View<'_>| {
        let rtt = 2e-3 * view.plan.links[0].spec.delay.millis();
        completion(view, |bytes| best(bytes, RATE, rtt))
    })];
    cells.push(Cell::new(&APPLICATION, "1 MB on and off", goals, |draw| {
        let path = link(RATE, draw.rtt(RTT) / 2.0).with("queue_bdp", 1.0);
        let flows = (0..10).map(|k| own().with("bytes", 1_000_000).with("start_s", f64::from(k) * 2.0));
        Scene::new(path, 0.0, 25.0).flows(flows)
    }));
    for (long, words) in
        [(other(&known.cubic()), "a long flow of CUBIC"), (Table::default().with("name", "long"), "a long flow of its kind")]
    {
        for (bytes, size) in [(10_000, "10 kB"), (100_000, "100 kB"), (1_000_000, "1 MB"), (10_000_000, "10 MB")] {
            let goals = vec![Goal::new("completion over CUBIC's", "", Range::most(1.0), completion_ratio)];
            let (long, beside) = (long.clone(), Beside::Controller(known.cubic()));
            let make = move |draw: &mut Draw| {
                let path = link(RATE, draw.rtt(RTT) / 2.0).with("queue_bdp", 1.0);
                let short: Vec<_> =
                    (0..4).map(|k| own().with("bytes", bytes).with("start_s", 8.0 + 6.0 * f64::from(k) + draw.start(1.0))).collect();
                Scene::new(path, 8.0, 45.0).flow(long.clone()).flows(short).beside(beside.clone())
            };
            cells.push(Cell::new(&APPLICATION, format!("{size} beside {words}"), goals, make).quick(bytes == 100_000));
        }
    }
    cells.extend(resuming(known));
    cells
}

/// The same host asks again and again on one connection, which is silent between. The first burst is a connection's start, and not counted.
fn resuming(known: &Known<'_>) -> Vec<Cell> {
    const RATE: f64 = 100.0;
    const RTT: f64 = 60.0;
    const MEGABYTE: i64 = 1_000_000;
    let bursts = |draw: &mut Draw, every: f64| own().with("bytes", MEGABYTE).with("every_s", every).with("start_s", draw.start(0.5));
    let soon = |rate: f64| {
        Goal::new("completion over the best", "", Range::most(1.3), move |view: &View<'_>| {
            let rtt = 2e-3 * view.plan.links[0].spec.delay.millis();
            completion(view, |bytes| best(bytes, rate, rtt))
        })
    };
    let alone = Cell::new(&APPLICATION, "1 MB every 2 s on one connection", vec![soon(RATE)], move |draw| {
        let path = link(RATE, draw.rtt(RTT) / 2.0).with("queue_bdp", 1.0);
        Scene::new(path, 1.0, 21.5).flow(bursts(draw, 2.0).with("stop_s", 20.0))
    });
    // Half of a BDP of before holds what slow start has too much on the path of now, not what a window of before has.
    let loss = Goal::new("packets lost", "", Range::most(0.0), lost);
    let halved =
        Cell::new(&APPLICATION, "1 MB every 2 s on one connection, rate halved between", vec![soon(RATE / 2.0), loss], move |draw| {
            let path = link(steps(&[(0.0, RATE), (9.5, RATE / 2.0)]), draw.rtt(RTT) / 2.0).with("queue_bdp", 0.5);
            Scene::new(path, 9.5, 21.5).flow(bursts(draw, 2.0).with("stop_s", 20.0))
        });
    let beside = [(other(&known.cubic()), "a long flow of CUBIC"), (Table::default().with("name", "long"), "a long flow of its kind")];
    let beside = beside.map(|(long, words)| {
        let goals = vec![Goal::new("completion over CUBIC's", "", Range::most(1.0), completion_ratio)];
        let against = Beside::Controller(known.cubic());
        Cell::new(&APPLICATION, format!("1 MB every 4 s on one connection beside {words}"), goals, move |draw| {
            let path = link(RATE, draw.rtt(RTT) / 2.0).with("queue_bdp", 1.0);
            Scene::new(path, 8.0, 45.0).flow(long.clone()).flow(bursts(draw, 4.0).with("stop_s", 41.0)).beside(against.clone())
        })
    });
    [alone, halved].into_iter().chain(beside).collect()
}
