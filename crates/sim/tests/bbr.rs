//! BBR version 3 on a path: what its draft promises, and what others have measured of it.

mod common;

use std::fmt::Write;

use common::Dumbbell;
use symbiosis_base::Instant;
use symbiosis_run::{Plan, Recovery, Summary, jain};

const MBPS: f64 = 50.0;
/// Of 50 Mbit/s and 40 ms, in packets of 1040 bytes.
const BDP: u64 = 240;

/// The flows of these names for 60 s, measured from 20 s on.
fn measured(buffer: u64, flows: &[&str], change: impl FnOnce(&mut Plan)) -> Summary {
    let mut dumbbell = Dumbbell::new(MBPS, 10, buffer, 60);
    for cc in flows {
        dumbbell.flow(cc, Recovery::Sack).initial_window = 10;
    }
    dumbbell.plan.measure_from = Instant::from_millis(20_000);
    change(&mut dumbbell.plan);
    symbiosis_sim::run(&dumbbell.plan).summary
}

fn shares(summary: &Summary) -> Vec<f64> {
    summary.flows.iter().map(|flow| flow.throughput_mbps / MBPS).collect()
}

/// It paces 1 % below the rate, and every 5 s half of a BDP is in flight for 200 ms and a round trip (draft §2.5, §2.16.2):
/// 0.99 · (1 − 0.5 · 0.24/5) = 0.966.
#[test]
fn alone_it_fills_the_link_and_keeps_the_queue_short() {
    for buffer in [BDP, 4 * BDP, 16 * BDP] {
        let summary = measured(buffer, &["bbr3"], |_| {});
        let (share, queue) = (shares(&summary)[0], summary.links[0].queue_packets.mean);
        assert!((0.960..0.972).contains(&share), "{share} of the link with room for {buffer}");
        assert!(queue < BDP as f64 / 20.0, "{queue} packets queued with room for {buffer}");
        assert_eq!(summary.flows[0].packets_lost, 0);
    }
}

/// A quarter of a BDP of room: probes lose, but no more than a thousandth of all.
#[test]
fn in_a_shallow_buffer_it_loses_little() {
    let summary = measured(BDP / 4, &["bbr3"], |_| {});
    let flow = &summary.flows[0];
    assert!(shares(&summary)[0] > 0.955, "{}", shares(&summary)[0]);
    let lost = flow.packets_lost as f64 / flow.packets_sent as f64;
    assert!(lost > 0.0 && lost < 1e-3, "{lost}");
}

/// In a shallow buffer a loss-based flow loses more often than it can bear; a deep one it fills, where BBR bounds what it has in flight.
#[test]
fn beside_cubic_it_takes_less_the_deeper_the_buffer() {
    let mut table = String::from("buffer [BDP]  bbr3  cubic  queue [packets]  lost: bbr3  cubic\n");
    let mut share = Vec::new();
    for buffer in [BDP / 4, BDP, 4 * BDP, 16 * BDP] {
        let summary = measured(buffer, &["bbr3", "cubic"], |_| {});
        let [bbr, cubic] = shares(&summary)[..] else { unreachable!("two flows") };
        let lost = [0, 1].map(|at| summary.flows[at].packets_lost);
        let (depth, queue) = (buffer as f64 / BDP as f64, summary.links[0].queue_packets.mean);
        writeln!(table, "{depth:12} {bbr:5.2} {cubic:6.2} {queue:16.0} {:11} {:6}", lost[0], lost[1]).unwrap();
        share.push(bbr / (bbr + cubic));
    }
    insta::assert_snapshot!(table);
    assert!(share[..3].iter().all(|share| (0.5..0.85).contains(share)), "{share:?}");
    assert!(share[3] < 0.45 && share[3] > 0.2, "{share:?}");
    assert!(share[1] > share[2] && share[2] > share[3], "{share:?}");
}

/// The mean of `value` over six seeds: when it probes is drawn at random.
fn mean(value: impl Fn(u64) -> f64) -> f64 {
    (1..=6).map(value).sum::<f64>() / 6.0
}

/// Jain's index of single runs goes down to 0.92: within 40 s there are some fifteen probes.
#[test]
fn two_of_them_share_alike() {
    for buffer in [BDP / 4, BDP, 4 * BDP] {
        let run = |seed| shares(&measured(buffer, &["bbr3", "bbr3"], |plan| plan.seed = seed));
        let fairness = mean(|seed| jain(run(seed).into_iter()));
        assert!(fairness > 0.96, "{fairness} with room for {buffer}");
    }
}

/// It bears what its probes may lose, 2 % (draft §2.8). What it misses at 1 % is TCP's: here only the timer finds a lost retransmission.
#[test]
fn random_losses_cost_it_less_than_a_loss_based_flow() {
    let share = |cc, loss| {
        mean(|seed| {
            let change = |plan: &mut Plan| (plan.seed, plan.links[0].spec.loss) = (seed, loss);
            shares(&measured(BDP, &[cc], change))[0]
        })
    };
    let slight = share("bbr3", 0.001);
    assert!(slight > 0.85, "{slight}");
    let (bbr, cubic) = (share("bbr3", 0.01), share("cubic", 0.01));
    assert!(bbr > 0.6 && bbr > 10.0 * cubic, "{bbr} and {cubic}");
}
