//! How fast the simulator is, in data packets delivered per second of one core (divan's `item/s`).

#[path = "../tests/common/mod.rs"]
mod common;

use common::Dumbbell;
use divan::Bencher;
use divan::counter::ItemsCount;
use symbiosis_run::{Plan, Recovery};
use symbiosis_sim::run;

fn main() {
    divan::main();
}

fn measure(bencher: Bencher, plan: &Plan) {
    let delivered = run(plan).summary.packets_delivered;
    bencher.counter(ItemsCount::new(delivered)).bench_local(|| run(plan));
}

/// A flow alone behind a queue of one bandwidth-delay product of 70 ms, its start-up overshoot included.
fn alone(cc: &str, recovery: Recovery, mbps: f64, seconds: u64) -> Plan {
    let mut dumbbell = Dumbbell::new(mbps, 25, (8.75 * mbps) as u64, seconds);
    dumbbell.flow(cc, recovery);
    dumbbell.plan
}

#[divan::bench(args = ["reno", "cubic", "symbiosis-paper", "symbiosis"], sample_count = 10)]
fn at_100_mbps_for_60_s(bencher: Bencher, cc: &str) {
    measure(bencher, &alone(cc, Recovery::Sack, 100.0, 60));
}

#[divan::bench(args = ["reno", "cubic", "symbiosis-paper", "symbiosis"], sample_count = 5)]
fn at_1_gbps_for_20_s(bencher: Bencher, cc: &str) {
    measure(bencher, &alone(cc, Recovery::Sack, 1000.0, 20));
}

#[divan::bench(args = [Recovery::Reno, Recovery::NewReno, Recovery::Sack, Recovery::Rack, Recovery::RateHalving], sample_count = 5)]
fn reno_at_1_gbps_by_recovery(bencher: Bencher, recovery: Recovery) {
    measure(bencher, &alone("reno", recovery, 1000.0, 20));
}

/// So many packets fill path and queue: 2 : 1. About two million are delivered, whatever the window: work per packet must not grow with it.
#[divan::bench(args = [100, 1000, 10_000, 20_000, 100_000], sample_count = 5)]
fn packets_in_flight(bencher: Bencher, packets: u64) {
    // Of 100 ms.
    let mbps = packets as f64 * 2.0 / 3.0 * 1040.0 * 8.0 / 0.1 / 1e6;
    let mut dumbbell = Dumbbell::new(mbps, 40, packets / 3, (300_000 / packets).max(4));
    dumbbell.flow("reno", Recovery::Sack);
    measure(bencher, &dumbbell.plan);
}

/// Reno flows that share 1 Gbit/s: the agenda costs the logarithm of their number.
#[divan::bench(args = [1, 10, 100, 1000], sample_count = 5)]
fn flows_over_one_bottleneck(bencher: Bencher, flows: usize) {
    let mut dumbbell = Dumbbell::new(1000.0, 25, 8750, 8);
    for _ in 0..flows {
        dumbbell.flow("reno", Recovery::Sack);
    }
    measure(bencher, &dumbbell.plan);
}
