//! Between hosts as they are, over a path that is long and fat: what virtual time does not show, where hosts are late in another way.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_linux::privileged::{Need, ready, tell};
use symbiosis_linux::testbed::MOST_LATE;
use symbiosis_linux::testbed::between::{HOSTS, Hosts};
use symbiosis_path::{LinkSpec, QueueLimit};

use super::elsewhere::Elsewhere;

const RATE: Rate = Rate::from_mbps(200.0);
const RTT: Span = Span::from_millis(600);
/// The link takes 3.4 s for it, and slow start ten round trips.
const BYTES: usize = 80_000_000;
/// A start that ended early took minutes: a packet a round trip from a window of 60, or 540, to 10 000.
const MOST: Duration = Duration::from_secs(40);
/// An early loss is what a start has to bear.
const LOSS: f64 = 0.001;
/// Runs that count, and how many are tried.
const RUNS: usize = 3;
const MOST_RUNS: u64 = 6;

/// How long a copy takes, [`MOST`] if it is not done by then or fails, and whether the path was on time.
fn copied(seed: u64) -> (Duration, bool) {
    let hosts = Hosts::new().unwrap();
    let elsewhere = Elsewhere::by(&format!("nsenter --net={}", hosts.network(1)));
    // Nothing that could be packed: a generator of the multiplicative kind.
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let random = std::iter::repeat_with(|| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 56) as u8
    });
    fs::write(elsewhere.here().join("file"), random.take(BYTES).collect::<Vec<_>>()).unwrap();
    let queue = QueueLimit::Bytes(Bytes::from_f64(RATE.times(RTT)));
    let link = LinkSpec { queue, loss: LOSS, ..LinkSpec::ideal(RATE, Span(RTT.0 / 2)) };
    let ((took, done), lateness) = hosts
        .carry([link.clone(), link], seed, || {
            let mut command = elsewhere.command_at(&HOSTS[1].to_string(), "copy", &["file", "there:"]);
            let begun = Instant::now();
            let mut copy = hosts.start(0, command.stdout(Stdio::null()).stderr(Stdio::null()))?;
            while copy.try_wait().unwrap().is_none() && begun.elapsed() < MOST {
                std::thread::sleep(Duration::from_millis(50));
            }
            let done = copy.try_wait().unwrap().is_some_and(|status| status.success());
            let _ = copy.kill();
            let _ = copy.wait();
            Ok((if done { begun.elapsed() } else { MOST }, done))
        })
        .unwrap();
    println!("seed {seed}: {took:.1?}, {}; {lateness:?}", if done { "done" } else { "not done" });
    (took, lateness.late <= MOST_LATE)
}

#[test]
fn a_long_path_is_filled_from_hosts_as_they_are() {
    const TEST: &str = "a_long_path_is_filled_from_hosts_as_they_are";
    if !ready(TEST, &Need::TESTBED) {
        return;
    }
    let mut runs: Vec<_> = (1..=MOST_RUNS).map(copied).filter(|(_, on_time)| *on_time).map(|(took, _)| took).take(RUNS).collect();
    if runs.len() < RUNS {
        tell(&format!("VOID {TEST}: the path was late"));
        return;
    }
    runs.sort();
    assert!(runs[RUNS / 2] < MOST, "{runs:?}");
}
