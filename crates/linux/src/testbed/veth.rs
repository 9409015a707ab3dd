//! Two hosts with a cable between them, and devices as they are: the sender has segmentation offload, and nobody sets anything for us.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags};
use symbiosis_base::{Instant, Rate, Span};

use super::clock::RunClock;
use super::error::TestbedError;
use super::hosts::TUN_PACKETS;
use super::namespace::{Namespace, ip, set};
use super::socket::{TcpInfo, connected, reset_when_closed};
use super::tun::Tun;
use super::{PATH_FIRST, realtime};

const SENDER: Ipv4Addr = Ipv4Addr::new(10, 66, 0, 1);
const RECEIVER: Ipv4Addr = Ipv4Addr::new(10, 66, 0, 2);
/// What Ethernet carries \[bytes\].
const MTU: usize = 1500;
/// The queue of the token bucket \[ms\], and what it lets pass at once: a timer's tick of 4 ms, and one whole segmentation unit at the least.
const QUEUE_MS: u32 = 50;
const TICK: Span = Span::from_millis(4);
const UNIT: u64 = 65_536 / 2;

/// The two hosts.
#[derive(Debug)]
pub struct Veth {
    sender: Namespace,
    receiver: Namespace,
    delay: Option<(Span, [Tun; 2])>,
}

/// A transfer.
#[derive(Clone, Copy, Debug)]
pub struct Transfer {
    /// What the receiving program read.
    pub goodput: Rate,
    /// What the kernel says of the connection in the end.
    pub info: TcpInfo,
}

impl Veth {
    /// Makes them. The cable's sender lets packets leave at a rate (none: as fast as the processors can), by `tbf` with a queue of 50 ms; ACKs take a time.
    ///
    /// # Errors
    /// This process may not, or something that is needed is missing.
    pub fn new(rate: Option<Rate>, delay: Option<Span>) -> Result<Veth, TestbedError> {
        let (sender, receiver) = (Namespace::new()?, Namespace::new()?);
        let held = receiver.path();
        sender.within(|| {
            ip(&format!("link add symd0 type veth peer name symd1 netns {held}\naddr add {SENDER}/24 dev symd0\nlink set symd0 up\n"))?;
            rate.map_or(Ok(()), bucket)
        })?;
        receiver.within(|| ip(&format!("addr add {RECEIVER}/24 dev symd1\nlink set symd1 up\n")))?;
        let delay = delay.map(|delay| Ok::<_, TestbedError>((delay, [acks(&sender, false)?, acks(&receiver, true)?]))).transpose()?;
        Ok(Veth { sender, receiver, delay })
    }

    /// A transfer under a congestion control of the kernel's that lasts so long.
    ///
    /// # Errors
    /// The kernel has no such congestion control, or a socket fails.
    pub fn transfer(&self, cc: &str, lasts: Duration) -> Result<Transfer, TestbedError> {
        let broken = || TestbedError::system("a transfer fails");
        let listener = self.receiver.within(|| TcpListener::bind(SocketAddrV4::new(RECEIVER, 0)).map_err(broken()))?;
        let to = SocketAddrV4::new(RECEIVER, listener.local_addr().map_err(broken())?.port());
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            let acks = scope.spawn(|| self.hold_acks(&over));
            let received = scope.spawn(move || listener.accept().map(|(stream, _)| count(stream)));
            let sent = self.sender.within(|| connected(cc, to).and_then(|stream| send(stream, lasts)).map_err(broken()));
            let received = received.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            over.store(true, Ordering::Relaxed);
            acks.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            let bits_per_s = received.map_err(broken())? as f64 * 8.0 / lasts.as_secs_f64();
            Ok(Transfer { goodput: Rate::from_mbps(bits_per_s / 1e6), info: sent? })
        })
    }

    /// ACKs come later by the delay.
    fn hold_acks(&self, over: &AtomicBool) -> Result<(), TestbedError> {
        let Some((delay, [here, there])) = &self.delay else { return Ok(()) };
        realtime::first(PATH_FIRST);
        let clock = RunClock { began: std::time::Instant::now(), end: Instant::NEVER, failed: &AtomicBool::new(false), enough: over };
        let (mut held, mut buffer) = (VecDeque::new(), vec![0; MTU]);
        while !clock.over() {
            while let Some(length) = there.read(&mut buffer)? {
                held.push_back((clock.now() + *delay, buffer[..length].to_vec()));
            }
            while held.front().is_some_and(|(due, _): &(Instant, Vec<u8>)| *due <= clock.now()) {
                if let Some((_, packet)) = held.pop_front() {
                    here.write(&packet);
                }
            }
            let next = held.front().map_or(Instant::NEVER, |(due, _)| *due);
            clock.wait(&mut [PollFd::new(there.as_fd(), PollFlags::POLLIN)], next)?;
        }
        Ok(())
    }
}

/// Packets leave at a rate.
fn bucket(rate: Rate) -> Result<(), TestbedError> {
    let burst = ((rate.bytes_per_s() * TICK.secs()) as u64).max(UNIT);
    let (rate, burst, queue) = (format!("{}kbit", (rate.mbps() * 1e3) as u64), format!("{burst}b"), format!("{QUEUE_MS}ms"));
    let args = ["qdisc", "add", "dev", "symd0", "root", "tbf", "rate", &rate, "burst", &burst, "latency", &queue];
    let output = Command::new("tc").args(args).output().map_err(TestbedError::system("the command `tc` cannot be run"))?;
    let said = || std::io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_string());
    if output.status.success() { Ok(()) } else { Err(TestbedError::system("`tc` fails")(said())) }
}

/// A device by which ACKs go, or come.
fn acks(host: &Namespace, go: bool) -> Result<Tun, TestbedError> {
    let name = if go { "symd-go" } else { "symd-come" };
    host.within(|| {
        let tun = Tun::new(name)?;
        // What comes over another device than answers would go by is no forgery.
        set("ipv4/conf/all/rp_filter", "0")?;
        set(&format!("ipv4/conf/{name}/rp_filter"), "0")?;
        let route = if go { format!("route add {SENDER}/32 dev {name} src {RECEIVER}\n") } else { String::new() };
        ip(&format!("link set {name} txqueuelen {TUN_PACKETS} up\n{route}"))?;
        Ok(tun)
    })
}

/// Sends for so long; what the kernel says then.
fn send(mut stream: TcpStream, lasts: Duration) -> std::io::Result<TcpInfo> {
    stream.set_write_timeout(Some(Duration::from_millis(100)))?;
    let begun = std::time::Instant::now();
    while begun.elapsed() < lasts {
        match stream.write(&[0; 65_536]) {
            Err(error) if !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => return Err(error),
            _ => {}
        }
    }
    // What waits unsent does not count.
    reset_when_closed(&stream)?;
    TcpInfo::of(&stream)
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
