//! noq's own controllers beside ours, over the same bottleneck in virtual time: who keeps the same law must get the same share, whoever
//! wrote it.

mod common;

use common::{BOTTLENECK, Way, choice, progress};
use symbiosis_base::{Bytes, Instant, Random, Rate};
use symbiosis_path::{Gaps, Sizes, Steps, Traffic, TrafficSpec};
use symbiosis_quic::transfer::{Nothing, Pattern, Task};

const MBPS: f64 = 10.0;
const FROM_S: u64 = 10;
const TO_S: u64 = 50;

/// Payload that each of two moves \[Mbit/s\], beside a little traffic that makes every run another.
fn two(ccs: [&str; 2], seed: u64) -> [f64; 2] {
    let at_s = |s: u64| Instant::from_millis(1000 * s);
    let way = Way { seed, ..Way::new(MBPS, 40, 50) };
    let clients = ccs.map(|cc| (choice(cc), vec![Task::Drain { source: Box::new(Pattern(u64::MAX)) }]));
    let (mut world, _) = way.world(|| Box::new(Nothing), clients.into());
    let rate = Steps::constant(Rate::from_mbps(0.05 * MBPS));
    let others = TrafficSpec { sizes: Sizes::Fixed(Bytes(500)), gaps: Gaps::Exponential, rate };
    world.cross(Traffic::new(others, Random::new(seed, 200)), vec![BOTTLENECK]);
    let mut done = |until| {
        world.run(until, |_| true);
        [1, 2].map(|at| progress(&mut world, at).done)
    };
    let (before, after) = (done(at_s(FROM_S)), done(at_s(TO_S)));
    [0, 1].map(|at| (after[at] - before[at]) as f64 * 8.0 / ((TO_S - FROM_S) as f64 * 1e6))
}

#[test]
fn two_who_wrote_the_same_law_share_alike() {
    for ccs in [["newreno", "quic-newreno"], ["cubic", "quic-cubic"]] {
        let runs: Vec<[f64; 2]> = (1..=10).map(|seed| two(ccs, seed)).collect();
        let mean = |at: usize| runs.iter().map(|run| run[at]).sum::<f64>() / runs.len() as f64;
        let (ours, theirs) = (mean(0), mean(1));
        println!("{ccs:?}: {ours:.2} and {theirs:.2} Mbit/s");
        // What others leave, less the headers: 9.5 · 1416/1480.
        assert!((8.8..9.2).contains(&(ours + theirs)), "{ccs:?}: {ours} and {theirs}");
        // Theirs paces, ours leaves when ACKs come, and a queue that is full prefers neither of them much.
        assert!((0.8..1.25).contains(&(ours / theirs)), "{ccs:?}: {ours} and {theirs}");
    }
}
