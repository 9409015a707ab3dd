//! Our BBR version 3 beside noq's, each alone over the same path in virtual time: two readings of one draft.

mod common;

use common::{BOTTLENECK, Way, choice, progress};
use symbiosis_base::Instant;
use symbiosis_quic::transfer::{Nothing, Pattern, Task};

const MBPS: f64 = 20.0;
const RTT_MS: u64 = 40;
/// Packets of 1480 bytes that the path holds.
const BDP: u64 = 68;
const FROM_S: u64 = 10;
const TO_S: u64 = 50;

/// What a controller made of the path.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// Payload \[Mbit/s\].
    goodput: f64,
    queue: f64,
    drops: u64,
}

fn alone(cc: &str, queue: u64, loss: f64) -> Seen {
    let at = |s: u64| Instant::from_millis(1000 * s);
    let way = Way { measure: (at(FROM_S), at(TO_S)), loss, ..Way::new(MBPS, RTT_MS, queue) };
    let (mut world, _) = way.world(|| Box::new(Nothing), vec![(choice(cc), vec![Task::Drain { source: Box::new(Pattern(u64::MAX)) }])]);
    let mut done = |until| {
        world.run(until, |_| true);
        progress(&mut world, 1).done
    };
    let (before, after) = (done(at(FROM_S)), done(at(TO_S)));
    let stats = world.finish().remove(BOTTLENECK).0;
    Seen { goodput: (after - before) as f64 * 8.0 / ((TO_S - FROM_S) as f64 * 1e6), queue: stats.queue_mean, drops: stats.queue_drops }
}

/// What the path can carry of payload \[Mbit/s\].
const MOST: f64 = MBPS * 1416.0 / 1480.0;

/// The run in the middle of five: noq's draws from a generator that the system seeds, so its runs differ, and under loss by a half.
fn in_the_middle(cc: &str, queue: u64, loss: f64) -> Seen {
    let mut runs = [(); 5].map(|()| alone(cc, queue, loss));
    runs.sort_by(|one, other| one.goodput.total_cmp(&other.goodput));
    runs[2]
}

#[test]
fn two_readings_of_one_draft_agree() {
    println!("controller  buffer  loss  goodput  queue  drops");
    for (buffer, loss, least) in [(BDP / 4, 0.0, 0.86), (BDP, 0.0, 0.86), (4 * BDP, 0.0, 0.86), (BDP, 0.01, 0.55)] {
        let [ours, theirs] = ["bbr3", "quic-bbr"].map(|cc| {
            let seen = if cc == "quic-bbr" && loss > 0.0 { in_the_middle(cc, buffer, loss) } else { alone(cc, buffer, loss) };
            println!("{cc:10} {buffer:7} {loss:5} {:8.2} {:6.2} {:6}", seen.goodput, seen.queue, seen.drops);
            assert!(seen.goodput > least * MOST, "{cc}: {seen:?}");
            // Both drain what a probe has queued: a mean far below what the buffer, or a window of 2 BDP, would let stand.
            assert!(seen.queue < BDP as f64 / 8.0, "{cc}: {seen:?}");
            assert!(seen.drops < 200, "{cc}: {seen:?}");
            seen
        });
        assert!((0.95..1.5).contains(&(ours.goodput / theirs.goodput)), "{ours:?} and {theirs:?}");
    }
}
