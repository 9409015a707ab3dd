//! One flow alone: at rest, at its start, on paths at the ends of the range.

use crate::cell::Cell;
use crate::families::{EXTREMES, ONE_FLOW, START};
use crate::goal::{Goal, Range};
use crate::known::Known;
use crate::metrics::{loss, lost, queue_p95, used, utilisation};
use crate::scene::{Beside, Scene, link, own};
use crate::series::reaches_ratio;

/// A packet of the usual size \[bit/ms at 1 Mbit/s\].
const PACKET: f64 = 12.0;
/// Size of a packet \[bit\], for packets in flight.
const BITS: f64 = 12_000.0;

pub(super) fn one_flow() -> Vec<Cell> {
    let mut cells = Vec::new();
    for rate in [10.0, 100.0, 1000.0] {
        for rtt in [10.0, 50.0, 200.0] {
            for buffer in [0.25, 1.0, 4.0] {
                // Two packets are the least that a queue can be held to.
                let queue = f64::max(0.05 * rtt, 2.0 * PACKET / rate);
                let to = if rate > 500.0 { 11.0 } else { 23.0 };
                let goals = vec![
                    Goal::new("utilisation", "%", Range::least(99.0), utilisation),
                    Goal::new("95th percentile of the queue", "ms", Range::most(queue), queue_p95),
                    Goal::new("packets lost after the start", "", Range::most(0.0), lost),
                ];
                let make = move |draw: &mut crate::Draw| {
                    Scene::new(link(rate, draw.rtt(rtt) / 2.0).with("queue_bdp", buffer), 3.0, to).flow(own())
                };
                let cell = Cell::new(&ONE_FLOW, format!("{rate} Mbit/s, {rtt} ms, {buffer} BDP"), goals, make);
                let at = [("rate [Mbit/s]", rate), ("RTT [ms]", rtt), ("buffer [BDP]", buffer)];
                cells.push(cell.at(&at).slow(rate > 500.0).quick(rate == 100.0 && rtt == 50.0));
            }
        }
    }
    cells
}

pub(super) fn start(known: &Known<'_>) -> Vec<Cell> {
    let paths = [
        (10.0, 50.0, 1.0, 10.0),
        (100.0, 50.0, 0.1, 10.0),
        (100.0, 50.0, 0.25, 10.0),
        (100.0, 50.0, 0.5, 10.0),
        (100.0, 50.0, 1.0, 10.0),
        (100.0, 200.0, 0.25, 15.0),
        (100.0, 200.0, 1.0, 15.0),
        (1000.0, 50.0, 1.0, 6.0),
        (20.0, 600.0, 0.5, 30.0),
        (20.0, 600.0, 1.0, 30.0),
    ];
    let cell = |(rate, rtt, buffer, to): (f64, f64, f64, f64)| {
        let beside = Beside::Controller(known.cubic());
        // A window fills a path for a round trip at a time, in bursts: the mean is over one.
        let over = f64::max(rtt / 1e3, 0.1);
        let loss = match buffer {
            1.0 => Goal::new("packets lost", "", Range::most(0.0), lost),
            _ => Goal::new("loss over CUBIC's", "", Range::most(1.0), |view| (lost(view) + 1.0) / (lost(&view.other_run()) + 1.0)),
        };
        let goals = vec![Goal::new("time to 90 % over CUBIC's", "", Range::most(1.0), move |view| reaches_ratio(view, 0.9, over)), loss];
        let make = move |draw: &mut crate::Draw| {
            let path = link(rate, draw.rtt(rtt) / 2.0).with("queue_bdp", buffer);
            Scene::new(path, 0.0, to).every(20.0).flow(own()).beside(beside.clone())
        };
        Cell::new(&START, format!("{rate} Mbit/s, {rtt} ms, {buffer} BDP"), goals, make)
            .slow(rate > 500.0)
            .quick(rate == 100.0 && rtt == 50.0)
    };
    paths.map(cell).into()
}

pub(super) fn extremes() -> Vec<Cell> {
    let alone = |rate: f64, rtt: f64, loss_part: f64, from: f64, to: f64| {
        let goals = vec![Goal::new("utilisation", "%", Range::least(90.0), utilisation)];
        let make = move |draw: &mut crate::Draw| {
            let delay = draw.rtt(rtt) / 2.0;
            // A BDP, and at least the ten packets of an initial window (RFC 6928).
            let queue = f64::max(rate * rtt * 1e3 / BITS, 10.0) as i64;
            let path = link(rate, delay).with("queue_packets", queue);
            let path = if loss_part > 0.0 { path.with("loss", loss_part) } else { path };
            Scene::new(path, from, to).flow(own())
        };
        let lossy = if loss_part > 0.0 { format!(", {} % loss", 100.0 * loss_part) } else { String::new() };
        Cell::new(&EXTREMES, format!("{rate} Mbit/s, {rtt} ms{lossy}"), goals, make).slow(rate > 500.0)
    };
    let many = Cell::new(
        &EXTREMES,
        "1000 flows, 1000 Mbit/s, 50 ms",
        vec![Goal::new("utilisation", "%", Range::least(90.0), used), Goal::new("loss", "%", Range::most(5.0), loss)],
        |draw| {
            let path = link(1000.0, draw.rtt(50.0) / 2.0).with("queue_bdp", 1.0);
            let flows: Vec<_> = (0..1000).map(|_| own().with("start_s", draw.start(5.0))).collect();
            Scene::new(path, 10.0, 15.0).every(1000.0).flows(flows)
        },
    );
    vec![
        alone(1.0, 10.0, 0.0, 5.0, 35.0).quick(true),
        alone(1.0, 200.0, 0.0, 10.0, 60.0),
        alone(10_000.0, 100.0, 0.0, 3.0, 6.0),
        alone(20.0, 600.0, 0.0, 10.0, 60.0),
        alone(20.0, 600.0, 0.01, 20.0, 100.0).random(),
        many.slow(true),
    ]
}
