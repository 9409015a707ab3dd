//! What UDP carries over loopback without QUIC, by the socket that QUIC uses here: beside it stands `symbiosis bench`, which seals, opens and acknowledges what
//! this only copies. `cargo bench -p symbiosis-quic --bench raw`.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use symbiosis_base::Span;
use symbiosis_quic::clock::Clock;
use symbiosis_quic::node::Leaving;
use symbiosis_quic::socket::Udp;

/// UDP payload \[bytes\], and how many leave together: as QUIC's do.
const EACH: usize = 1452;
const TOGETHER: usize = 16;
const ROUNDS: usize = 5;
const SECONDS: u64 = 3;

fn main() {
    let mut rates: Vec<(f64, f64)> = (0..ROUNDS).map(|_| round()).collect();
    rates.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (arrived, lost) = rates[ROUNDS / 2];
    println!(
        "raw UDP over loopback, {TOGETHER} datagrams of {EACH} bytes a call: {arrived:.0} Mbit/s arrived, {:.1} % were lost (median of {ROUNDS})",
        100.0 * lost
    );
}

/// Mbit/s that arrived, and the part that did not.
fn round() -> (f64, f64) {
    let clock = Clock::start();
    let local = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let mut receiver = Udp::bind(local, clock).expect("a socket");
    let to = receiver.address().expect("its address");
    let over = AtomicBool::new(false);
    let begun = Instant::now();
    let (sent, arrived) = thread::scope(|scope| {
        let receives = scope.spawn(|| {
            let mut bytes = 0;
            while !over.load(Ordering::Relaxed) {
                match receiver.receive().expect("the socket is whole") {
                    Some(arrival) => bytes += arrival.datagram.len() as u64,
                    None => receiver.wait(clock.now() + Span::from_millis(10), false).expect("the socket is whole"),
                }
            }
            bytes
        });
        let mut udp = Udp::bind(local, clock).expect("a socket");
        let datagrams = vec![7; EACH * TOGETHER];
        let mut sent = 0;
        while begun.elapsed() < Duration::from_secs(SECONDS) {
            if udp.send(Leaving { to, each: EACH }, &datagrams).expect("the socket is whole") {
                sent += datagrams.len() as u64;
            }
        }
        over.store(true, Ordering::Relaxed);
        (sent, receives.join().expect("it ends"))
    });
    (arrived as f64 * 8e-6 / begun.elapsed().as_secs_f64(), 1.0 - arrived as f64 / sent as f64)
}
