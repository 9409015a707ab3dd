//! What a run holds in memory: divan's `max alloc`. Divided by the packets in flight, a packet's share.

#[path = "../tests/common/mod.rs"]
mod common;

use common::Dumbbell;
use divan::{AllocProfiler, Bencher};
use symbiosis_run::Recovery;
use symbiosis_sim::run;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// So many packets in flight from the first moment on; half of them wait.
#[divan::bench(args = [1 << 10, 1 << 14, 1 << 17], sample_count = 3)]
fn packets_in_flight(bencher: Bencher, packets: u64) {
    let mbps = packets as f64 / 2.0 * 1040.0 * 8.0 / 0.1 / 1e6;
    let mut dumbbell = Dumbbell::new(mbps, 40, packets, 1);
    // Reno's window would be one packet more by the end of the second round trip, and every buffer twice as long.
    dumbbell.flow("symbiosis-paper", Recovery::Sack).initial_window = packets;
    dumbbell.plan.flows[0].bytes = Some(symbiosis_base::Bytes(packets * 1000));
    bencher.bench_local(|| run(&dumbbell.plan));
}
