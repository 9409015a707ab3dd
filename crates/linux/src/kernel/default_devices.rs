//! Over devices as they are: a veth pair, whose sender has GSO, and a token bucket of 100 Mbit/s. Nobody sets anything for us there, so
//! nothing is placed packet by packet; and whatever is measured or not, the flow must not be slower than Reno.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::on_this_machine::{alone, connected, start};
use super::*;
use crate::privileged::{Need, ready, tell};
use crate::testbed::namespace::{Namespace, ip};
use crate::testbed::socket::TcpInfo;

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

/// Two hosts with a cable between them.
struct Hosts {
    sender: Namespace,
    receiver: Namespace,
}

impl Hosts {
    fn new() -> Hosts {
        let (sender, receiver) = (Namespace::new().unwrap(), Namespace::new().unwrap());
        let pid = std::process::id();
        // Devices move to a namespace by a process or thread in it, or by a file.
        let held = format!("/proc/{pid}/fd/{}", std::os::fd::AsRawFd::as_raw_fd(receiver.file()));
        sender
            .within(|| {
                ip(&format!(
                    "link add symd0 type veth peer name symd1 netns {held}\naddr add 10.66.0.1/24 dev symd0\nlink set symd0 up\n"
                ))?;
                let bucket = ["qdisc", "add", "dev", "symd0", "root", "tbf", "rate", "100mbit", "burst", "32kb", "latency", "50ms"];
                assert!(Command::new("tc").args(bucket).status().unwrap().success());
                Ok(())
            })
            .unwrap();
        receiver.within(|| ip("addr add 10.66.0.2/24 dev symd1\nlink set symd1 up\n")).unwrap();
        Hosts { sender, receiver }
    }

    /// Goodput of a transfer under a congestion control \[Mbit/s\], and what the kernel says of the connection in the end.
    fn transfer(&self, cc: &str) -> (f64, TcpInfo) {
        let at = SocketAddrV4::new([10, 66, 0, 2].into(), 0);
        let listener = self.receiver.within(|| Ok(TcpListener::bind(at).unwrap())).unwrap();
        let at = SocketAddrV4::new(*at.ip(), listener.local_addr().unwrap().port());
        let received = thread::spawn(move || count(listener.accept().unwrap().0));
        let mut stream = self.sender.within(|| Ok(connected(Some(cc), at))).unwrap();
        stream.set_write_timeout(Some(Duration::from_millis(100))).unwrap();
        let begun = Instant::now();
        while begun.elapsed() < LASTS {
            match stream.write(&[0; 65_536]) {
                Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => panic!("{error}"),
                _ => {}
            }
        }
        // What waits unsent does not count.
        crate::testbed::reset_when_closed(&stream).unwrap();
        let info = TcpInfo::of(&stream).unwrap();
        drop(stream);
        (received.join().unwrap() as f64 * 8.0 / LASTS.as_secs_f64() / 1e6, info)
    }
}

/// Bytes up to the end.
fn count(mut stream: TcpStream) -> u64 {
    let mut buffer = vec![0; 1 << 18];
    let mut bytes = 0;
    while let Ok(read @ 1..) = stream.read(&mut buffer) {
        bytes += read as u64;
    }
    bytes
}

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
    let hosts = Hosts::new();
    for name in ["symbiosis", "cubic"] {
        let kernel = start(name);
        let mut ratios = Vec::new();
        for _ in 0..MOST_PAIRS {
            let (reno, ours) = (hosts.transfer("reno").0, hosts.transfer(NAME).0);
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
    let hosts = Hosts::new();
    let kernel = start("vegas");
    let (_, info) = hosts.transfer(NAME);
    kernel.stop().unwrap();
    assert!(info.ssthresh <= 2 * info.cwnd, "{info:?}");
}
