//! Beside other controllers, and beside what does not yield.

use crate::cell::Cell;
use crate::draw::Draw;
use crate::families::{INELASTIC, LOSS_BASED, OTHERS};
use crate::goal::{Goal, Range};
use crate::known::Known;
use crate::metrics::{beside, fair_share, of_rate, opponents_share, queue_mean};
use crate::scene::{Scene, Table, link, other, own, udp};
use crate::series::queue_between;

/// Rate of the shared links \[Mbit/s\].
const RATE: f64 = 50.0;

/// So many flows, starts spread over a second.
fn flows(draw: &mut Draw, n: usize, flow: &Table) -> Vec<Table> {
    (0..n).map(|_| flow.clone().with("start_s", draw.start(1.0))).collect()
}

fn mixed(own_flows: usize, opponents: usize, cc: &str, rtt: f64, buffer: f64) -> impl Fn(&mut Draw) -> Scene + Send + Sync + use<> {
    let opponent = other(cc);
    move |draw| {
        let path = link(RATE, draw.rtt(rtt) / 2.0).with("queue_bdp", buffer);
        let ours = flows(draw, own_flows, &own());
        let theirs = flows(draw, opponents, &opponent);
        Scene::new(path, 20.0, 80.0).every(500.0).flows(ours).flows(theirs)
    }
}

pub(super) fn loss_based(known: &Known<'_>) -> Vec<Cell> {
    let share = || vec![Goal::new("share over an opponent's", "", Range::within(0.8, 1.25), beside)];
    let mut cells = Vec::new();
    for cc in &known.loss_based() {
        for (n, m) in [(1, 1), (1, 4), (4, 1), (4, 4)] {
            for buffer in [0.25, 0.5, 1.0, 2.0, 4.0, 8.0] {
                for rtt in [20.0, 60.0, 120.0] {
                    let cell =
                        Cell::new(&LOSS_BASED, format!("{n}:{m} {cc}, {rtt} ms, {buffer} BDP"), share(), mixed(n, m, cc, rtt, buffer));
                    let at = [("flows", n as f64), ("opponents", m as f64), ("RTT [ms]", rtt), ("buffer [BDP]", buffer)];
                    let quick = n == 1 && m == 1 && rtt == 60.0 && (buffer == 1.0 || buffer == 4.0);
                    cells.push(cell.against(cc).at(&at).slow(true).quick(quick));
                }
            }
        }
        for (mine, theirs) in [(20.0, 120.0), (120.0, 20.0)] {
            let opponent = other(cc);
            let make = move |draw: &mut Draw| {
                // 2 ms of the way are common; the buffer is a BDP of the longer way.
                let access = |rtt: f64| (rtt - 4.0) / 4.0;
                let path = link(RATE, 2.0).with("queue_packets", 500);
                let mine = own().with("access_delay_ms", access(draw.rtt(mine))).with("start_s", draw.start(1.0));
                let theirs = opponent.clone().with("access_delay_ms", access(draw.rtt(theirs))).with("start_s", draw.start(1.0));
                Scene::new(path, 20.0, 80.0).every(500.0).flow(mine).flow(theirs)
            };
            cells.push(Cell::new(&LOSS_BASED, format!("1:1 {cc}, {mine} ms beside {theirs} ms"), share(), make).against(cc).slow(true));
        }
        let opponent = other(cc);
        // The low queue is what the family of one flow asks for: 5 % of the base RTT; here of two flows.
        let goals = vec![Goal::new("mean queue 10 s after they left", "ms", Range::most(10.0), |view| queue_between(view, 50.0, 70.0))];
        let leave = move |draw: &mut Draw| {
            let path = link(RATE, draw.rtt(60.0) / 2.0).with("queue_bdp", 2.0);
            let ours = flows(draw, 2, &own());
            Scene::new(path, 50.0, 70.0).flows(ours).flow(opponent.clone().with("start_s", 10.0).with("stop_s", 40.0))
        };
        cells.push(Cell::new(&LOSS_BASED, format!("{cc} leaves"), goals, leave).against(cc).slow(true));
    }
    cells
}

pub(super) fn others(known: &Known<'_>) -> Vec<Cell> {
    let mut cells = Vec::new();
    for cc in &known.others() {
        // LEDBAT++ is made to yield.
        let yields = cc.starts_with("ledbat");
        for (n, m) in [(1, 1), (4, 4)] {
            for buffer in [1.0, 4.0] {
                let mut goals = vec![Goal::new("own share over the fair share", "", Range::least(0.5), fair_share)];
                if !yields {
                    goals.push(Goal::new("opponents' share over the fair share", "", Range::least(0.5), opponents_share));
                }
                let cell = Cell::new(&OTHERS, format!("{n}:{m} {cc}, {buffer} BDP"), goals, mixed(n, m, cc, 40.0, buffer));
                cells.push(cell.against(cc).slow(true).quick(n == 1 && buffer == 1.0 && cc == "bbr3"));
            }
        }
    }
    cells
}

pub(super) fn inelastic() -> Vec<Cell> {
    const RATE: f64 = 100.0;
    let mut cells = Vec::new();
    for (gaps, words, most) in [("constant", "constant", 10.0), ("exponential", "Poisson", 10.0), ("pareto-on-off", "Pareto bursts", 20.0)]
    {
        for part in [20.0, 50.0, 80.0] {
            let left = RATE - part;
            let goals = vec![
                Goal::new("of what is left", "%", Range::least(97.0), move |view| of_rate(view, left)),
                Goal::new("mean queue", "ms", Range::most(most), queue_mean),
            ];
            let make = move |draw: &mut Draw| {
                // Bursts of ten sources: one alone would be on or off, and no traffic to speak of.
                let traffic = udp(part, gaps);
                let traffic = if gaps == "pareto-on-off" { traffic.with("count", 10) } else { traffic };
                let path = link(RATE, draw.rtt(60.0) / 2.0).with("queue_bdp", 1.0);
                Scene::new(path, 5.0, 35.0).flow(own()).cross(traffic)
            };
            let cell = Cell::new(&INELASTIC, format!("{words}, {part} %"), goals, make).quick(part == 50.0);
            cells.push(if gaps == "constant" { cell } else { cell.random() });
        }
    }
    cells
}
