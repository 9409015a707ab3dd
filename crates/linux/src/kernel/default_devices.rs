//! Over devices as they are: a veth pair, whose sender has GSO, and a token bucket of 100 Mbit/s. Nobody sets anything for us there, so
//! nothing is placed packet by packet; and whatever is measured or not, the flow must not be slower than Reno.

use std::thread::{scope, sleep};
use std::time::Duration;

use symbiosis_base::{Rate, Span};

use super::on_this_machine::{alone, start};
use super::*;
use crate::privileged::{Need, ready, tell};
use crate::testbed::veth::Veth;

/// The path's rate \[Mbit/s\], and what of it is payload: of a segment of 1500 bytes in a frame of 1514, 1448.
const RATE: f64 = 100.0;
const PAYLOAD: f64 = 1448.0 / 1514.0;
/// A transfer's length: slow start, and forty round trips with the queue full.
const LASTS: Duration = Duration::from_secs(3);
/// Pairs of transfers that count, and how many are tried. A pair in which Reno itself got less than the part is of a busy machine.
const PAIRS: usize = 3;
const MOST_PAIRS: usize = 9;
const SPOILED: f64 = 0.8;
/// What a flow must have of Reno's goodput.
const OF_RENO: f64 = 0.9;

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Controllers that measure, that do not, and that pace.
#[test]
fn on_default_devices_no_controller_is_slower_than_reno() {
    const TEST: &str = "on_default_devices_no_controller_is_slower_than_reno";
    let Some(_one) = alone(TEST) else { return };
    if !ready(TEST, &[Need::Namespaces]) {
        return;
    }
    let hosts = Veth::new(Some(Rate::from_mbps(RATE)), None).unwrap();
    for name in ["symbiosis", "cubic"] {
        let kernel = start(name);
        let mut ratios = Vec::new();
        for _ in 0..MOST_PAIRS {
            let [reno, ours] = ["reno", NAME].map(|cc| hosts.transfer(cc, LASTS).unwrap().goodput.mbps());
            if reno >= SPOILED * PAYLOAD * RATE {
                ratios.push(ours / reno);
            }
            if ratios.len() == PAIRS {
                break;
            }
        }
        kernel.stop().unwrap();
        if ratios.len() < PAIRS {
            tell(&format!("VOID {TEST}: Reno itself does not fill the path"));
            return;
        }
        let typical = median(ratios.clone());
        assert!(typical >= OF_RENO, "{name} has {typical:.2} of Reno's goodput, the median of {ratios:.2?}");
    }
}

/// A law that has left slow start, without a loss, is followed by Reno from where it was: where ACKs are merged, what was measured before
/// that was seen is forgotten, and a window that then doubled overflowed the queue.
#[test]
fn a_law_that_ends_does_not_begin_slow_start_again() {
    const TEST: &str = "a_law_that_ends_does_not_begin_slow_start_again";
    let Some(_one) = alone(TEST) else { return };
    if !ready(TEST, &[Need::Namespaces]) {
        return;
    }
    let hosts = Veth::new(Some(Rate::from_mbps(RATE)), None).unwrap();
    let kernel = start("vegas");
    let info = hosts.transfer(NAME, LASTS).unwrap().info;
    kernel.stop().unwrap();
    assert!(info.ssthresh <= 2 * info.cwnd, "{info:?}");
}

/// Eight packets are a burst here, pass whole, and are answered by one ACK. Bursts that leave together tell K again and again, or it would be believed for ten
/// seconds; and the law leaves no such queue as Reno.
#[test]
fn on_default_devices_bursts_tell_k() {
    const TEST: &str = "on_default_devices_bursts_tell_k";
    const RTT: Span = Span::from_millis(20);
    const LASTS: Duration = Duration::from_secs(14);
    let Some(_one) = alone(TEST) else { return };
    if !ready(TEST, &[Need::Namespaces]) {
        return;
    }
    let hosts = Veth::new(Some(Rate::from_mbps(RATE)), Some(RTT)).unwrap();
    let kernel = start("symbiosis");
    let mut seen = Vec::new();
    let told = (0..PAIRS).any(|_| {
        let sockets = scope(|scope| {
            let transfer = scope.spawn(|| hosts.transfer(NAME, LASTS));
            sleep(LASTS - Duration::from_secs(1));
            let sockets = kernel.status().unwrap().sockets;
            transfer.join().unwrap().unwrap();
            sockets
        });
        let told = sockets.iter().any(|socket| {
            let k = socket.gauges.get("K_mbps").copied().unwrap_or_default();
            // Reno's queue would be of 50 ms, or of what the kernel lets a socket have in it.
            socket.phase != Phase::Reno && (0.8..1.3).contains(&(k / RATE)) && socket.rtt_ms < RTT.millis() + 6.0
        });
        seen.push(sockets);
        told
    });
    kernel.stop().unwrap();
    assert!(told, "{seen:?}");
}
