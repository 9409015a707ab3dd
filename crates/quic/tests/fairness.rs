//! noq's own controllers beside ours, over the same bottleneck in virtual time: who keeps the same law must get the same share, whoever
//! wrote it.

mod common;

use common::{BOTTLENECK, Way, choice, progress};
use symbiosis_base::{Bytes, Instant, Random, Rate};
use symbiosis_path::{Gaps, Sizes, Steps, Traffic, TrafficSpec};
use symbiosis_quic::transfer::{Nothing, Pattern, Task};

const MBPS: f64 = 10.0;

/// Payload that each of two moves over that bottleneck from one second to another \[Mbit/s\], beside a little traffic that makes every run another.
fn two(ccs: [&str; 2], way: Way, (from_s, to_s): (u64, u64)) -> [f64; 2] {
    let at_s = |s: u64| Instant::from_millis(1000 * s);
    let seed = way.seed;
    let clients = ccs.map(|cc| (choice(cc), vec![Task::Drain { source: Box::new(Pattern(u64::MAX)) }]));
    let (mut world, _) = way.world(|| Box::new(Nothing), clients.into());
    let rate = Steps::constant(Rate::from_mbps(0.05 * way.mbps));
    let others = TrafficSpec { sizes: Sizes::Fixed(Bytes(500)), gaps: Gaps::Exponential, rate };
    world.cross(Traffic::new(others, Random::new(seed, 200)), vec![BOTTLENECK]);
    let mut done = |until| {
        world.run(until, |_| true);
        [1, 2].map(|at| progress(&mut world, at).done)
    };
    let (before, after) = (done(at_s(from_s)), done(at_s(to_s)));
    [0, 1].map(|at| (after[at] - before[at]) as f64 * 8.0 / ((to_s - from_s) as f64 * 1e6))
}

#[test]
fn two_who_wrote_the_same_law_share_alike() {
    for ccs in [["newreno", "quic-newreno"], ["cubic", "quic-cubic"]] {
        let runs: Vec<[f64; 2]> = (1..=10).map(|seed| two(ccs, Way { seed, ..Way::new(MBPS, 40, 50) }, (10, 50))).collect();
        let mean = |at: usize| runs.iter().map(|run| run[at]).sum::<f64>() / runs.len() as f64;
        let (ours, theirs) = (mean(0), mean(1));
        println!("{ccs:?}: {ours:.2} and {theirs:.2} Mbit/s");
        // What others leave, less the headers: 9.5 · 1416/1480.
        assert!((8.8..9.2).contains(&(ours + theirs)), "{ccs:?}: {ours} and {theirs}");
        // Theirs paces, ours leaves when ACKs come, and a queue that is full prefers neither of them much.
        assert!((0.8..1.25).contains(&(ours / theirs)), "{ccs:?}: {ours} and {theirs}");
    }
}

/// The shares of `symbiosis` over those of one of noq's own controllers, by seeds, from the least on: 20 Mbit/s, from 20 to 80 s after both began.
fn shares(opponent: &str, rtt_ms: u64, bdp: f64, seeds: u64) -> Vec<f64> {
    let (mbps, packet) = (20.0, 1480.0);
    let queue = (bdp * mbps * 1e6 / 8.0 * rtt_ms as f64 / 1e3 / packet) as u64;
    let share = |seed| {
        let [ours, theirs] = two(["symbiosis", opponent], Way { seed, ..Way::new(mbps, rtt_ms, queue) }, (20, 80));
        ours / theirs
    };
    let mut shares: Vec<f64> = (1..=seeds).map(share).collect();
    shares.sort_by(f64::total_cmp);
    shares
}

#[test]
fn symbiosis_does_not_starve_beside_noqs_cubic() {
    let shares = shares("quic-cubic", 60, 1.0, 5);
    println!("{shares:.2?}");
    assert!((0.5..2.0).contains(&shares[2]), "of CUBIC's: {shares:.2?}");
}

#[test]
#[ignore = "a table for docs/transfers.md: cargo test --release -p symbiosis-quic --test fairness -- --ignored --nocapture"]
fn symbiosis_beside_noqs_own_controllers() {
    for opponent in ["quic-cubic", "quic-newreno", "quic-bbr"] {
        for (rtt_ms, bdp) in [(20, 1.0), (20, 4.0), (60, 0.5), (60, 1.0), (60, 4.0), (120, 1.0)] {
            let shares = shares(opponent, rtt_ms, bdp, 10);
            println!("| {opponent} | {rtt_ms} | {bdp} | {:.2}, {:.2}, {:.2} |", shares[0], (shares[4] + shares[5]) / 2.0, shares[9]);
        }
    }
}
