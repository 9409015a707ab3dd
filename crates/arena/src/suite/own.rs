//! Several flows of the controller under test.

use crate::cell::Cell;
use crate::draw::Draw;
use crate::families::{JOINER, OWN_KIND, STARVATION};
use crate::goal::{Goal, Range};
use crate::metrics::{halves, jain, least, loss, queue_mean, spread};
use crate::scene::{Scene, link, own};
use crate::series::{churn, settles};

pub(super) fn joiner() -> Vec<Cell> {
    const JOINS: f64 = 30.0;
    let mut cells = Vec::new();
    for n in [2, 5, 10] {
        for rtt in [20.0, 60.0, 120.0] {
            let goals = vec![
                Goal::new("within 20 % for good after", "s", Range::most(3.0), |view| settles(view, JOINS, 0.2)),
                Goal::new("within 10 % for good after", "s", Range::most(10.0), |view| settles(view, JOINS, 0.1)),
            ];
            let make = move |draw: &mut Draw| {
                let path = link(100.0, draw.rtt(rtt) / 2.0).with("queue_bdp", 2.0);
                let before: Vec<_> = (1..n).map(|_| own().with("start_s", draw.start(1.0))).collect();
                Scene::new(path, JOINS, 60.0).flows(before).flow(own().with("start_s", JOINS))
            };
            cells.push(Cell::new(&JOINER, format!("flow {n}, {rtt} ms"), goals, make).quick(n == 2 && rtt == 60.0));
        }
    }
    cells
}

/// What the log-law's queue of `symbiosis` is derived from: `Kθ ln n` with θ = 6 ms and 16 packets. As a bar it holds for everybody.
fn most_queue(n: usize, rate: f64) -> f64 {
    const THETA_MS: f64 = 6.0;
    const PACKETS: f64 = 16.0;
    (THETA_MS + PACKETS * 12.0 / rate) * libm::log(n as f64)
}

fn fair() -> Vec<Goal> {
    vec![Goal::new("Jain's index", "", Range::least(0.97), jain), Goal::new("least over mean", "", Range::least(0.8), least)]
}

pub(super) fn own_kind() -> Vec<Cell> {
    let mut cells = Vec::new();
    for within in [1.0, 10.0] {
        for n in [2, 4, 8, 16, 50] {
            let mut goals = fair();
            goals.push(Goal::new("loss", "%", Range::most(0.1), loss));
            goals.push(Goal::new("mean queue", "ms", Range::most(most_queue(n, 100.0)), queue_mean));
            let make = move |draw: &mut Draw| {
                let path = link(100.0, draw.rtt(60.0) / 2.0).with("queue_bdp", 1.0);
                let flows: Vec<_> = (0..n).map(|_| own().with("start_s", draw.start(within))).collect();
                Scene::new(path, 20.0, 50.0).flows(flows)
            };
            cells
                .push(Cell::new(&OWN_KIND, format!("{n} flows within {within} s"), goals, make).quick(within == 1.0 && (n == 2 || n == 8)));
        }
    }
    for (short, long) in [(20.0, 120.0), (10.0, 160.0)] {
        for n in [1, 4] {
            let mut goals = fair();
            goals.push(Goal::new("short over long RTT", "", Range::within(0.8, 1.25), halves));
            let make = move |draw: &mut Draw| {
                // 2 ms of the way are common; the rest is the flows' own, on both sides and both ways.
                let path = link(100.0, 2.0).with("queue_packets", 1000);
                let mut side = |rtt: f64| {
                    let access = (draw.rtt(rtt) - 4.0) / 4.0;
                    (0..n).map(|_| own().with("access_delay_ms", access).with("start_s", draw.start(1.0))).collect::<Vec<_>>()
                };
                let (first, second) = (side(short), side(long));
                Scene::new(path, 20.0, 60.0).flows(first).flows(second)
            };
            cells.push(Cell::new(&OWN_KIND, format!("{n} of {short} ms, {n} of {long} ms"), goals, make));
        }
    }
    let goals = vec![Goal::new("mean Jain's index of 5 s", "", Range::least(0.9), |view| churn(view, 5.0))];
    cells.push(Cell::new(&OWN_KIND, "30 starts in 100 s", goals, |draw| {
        let path = link(100.0, draw.rtt(60.0) / 2.0).with("queue_bdp", 1.0);
        let flows: Vec<_> = (0..30)
            .map(|_| {
                let start = draw.start(95.0);
                // From 10 to 40 s each: about seven at a time.
                own().with("start_s", start).with("stop_s", f64::min(start + 10.0 + draw.start(30.0), 110.0))
            })
            .collect();
        Scene::new(path, 10.0, 110.0).flows(flows)
    }));
    cells
}

/// Arun, Alizadeh, Balakrishnan, "Starvation in end-to-end congestion control" (SIGCOMM 2022): a controller that converges to a delay
/// starves flows where delays that are no queue differ by more than its delays do. Flows that share a bottleneck have jitter of different
/// means here; the bound on the ratio of their throughputs that the arena states is 4.
pub(super) fn starvation() -> Vec<Cell> {
    const BOUND: f64 = 4.0;
    let cell = |rate: f64, rtt: f64, jitter: f64| {
        let goals = vec![Goal::new("greatest over least throughput", "", Range::most(BOUND), spread)];
        let make = move |draw: &mut Draw| {
            let delay = draw.rtt(rtt) / 4.0;
            let links = vec![
                link(10.0 * rate, delay).with("name", "quiet").with("queue_packets", 10_000),
                link(10.0 * rate, delay).with("name", "jittery").with("queue_packets", 10_000).with("jitter_ms", jitter),
                link(rate, delay).with("name", "shared").with("queue_bdp", 4.0),
            ];
            let flow = |first: &str| own().with("route", vec![first, "shared"]);
            Scene::of_links(links, 10.0, 60.0)
                .flow(flow("quiet").with("start_s", draw.start(1.0)))
                .flow(flow("jittery").with("start_s", draw.start(1.0)))
        };
        Cell::new(&STARVATION, format!("{rate} Mbit/s, {rtt} ms, jitter {jitter} ms"), goals, make).quick(jitter == 3.0)
    };
    vec![cell(50.0, 40.0, 1.0), cell(50.0, 40.0, 3.0), cell(50.0, 40.0, 10.0), cell(100.0, 100.0, 10.0)]
}
