//! Probes on ways that lose much, where datagrams leave together.

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Mutex};

use common::{Way, choice};
use symbiosis_base::{Bytes, Instant};
use symbiosis_quic::transfer::{Nothing, Pattern, Task};

/// noq 1.4 panics where the second of two probes that leave together repeats an ACK_FREQUENCY frame for which the first was too short: a server
/// would give up that connection, and a client would end. What panics is caught here and told by the hook, of which a process has one.
#[test]
fn no_probe_panics() {
    let panics = Arc::new(Mutex::new(Vec::new()));
    let told = panics.clone();
    set_hook(Box::new(move |info| told.lock().unwrap().push(info.to_string())));
    for seed in 0..300_u64 {
        let mut way = Way::new(5.0, 40, 20);
        way.seed = seed;
        way.settings.together = 16;
        way.settings.first = Bytes(20_000);
        way.impairments.loss = 0.1 * (1 + seed % 6) as f64;
        let tasks = (0..4).map(|_| Task::Drain { source: Box::new(Pattern(60_000)) }).collect();
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let mut world = way.world(|| Box::new(Nothing), vec![(choice("cubic"), tasks)]).0;
            world.run(Instant::from_millis(60_000), |_| true);
        }));
    }
    let _ = take_hook();
    let panics = panics.lock().unwrap();
    assert!(panics.is_empty(), "{} of 300 worlds: {}", panics.len(), panics[0]);
}
