//! Programs of any kind with an emulated path between them: two hosts, and every packet from one to the other over a link.

use std::net::Ipv4Addr;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use nix::poll::{PollFd, PollFlags};
use std::os::fd::AsFd;
use symbiosis_base::{Bytes, Instant, Random, Span};
use symbiosis_path::{LinkSpec, Network, NetworkLink};

use super::clock::RunClock;
use super::error::TestbedError;
use super::lateness::{Lateness, LatenessSummary};
use super::namespace::{Namespace, ip};
use super::tun::Tun;
use super::{PATH_FIRST, realtime};

/// Where the hosts are.
pub const HOSTS: [Ipv4Addr; 2] = [Ipv4Addr::new(10, 64, 0, 1), Ipv4Addr::new(10, 64, 0, 2)];

/// What Ethernet carries \[bytes\].
const MTU: usize = 1500;
/// Packets that the kernel keeps before a device when the path's thread is put aside: 20 ms at 600 Mbit/s.
const TUN_PACKETS: u32 = 1000;
/// Packets that are taken from one host before the other has its turn.
const TURN: usize = 32;

/// Two hosts and what is between them.
pub struct Hosts {
    spaces: [Namespace; 2],
    tuns: [Tun; 2],
}

impl Hosts {
    /// Makes them.
    ///
    /// # Errors
    /// This process may not, or something that is needed is missing.
    pub fn new() -> Result<Hosts, TestbedError> {
        let host = |at: usize| {
            let space = Namespace::new()?;
            let name = format!("symt-host{at}");
            let tun = space.within(|| {
                let tun = Tun::new(&name)?;
                let (here, there) = (HOSTS[at], HOSTS[1 - at]);
                ip(&format!(
                    "link set lo up\nlink set {name} mtu {MTU} txqueuelen {TUN_PACKETS} gso_max_segs 1 up\naddr add {here} peer {there} dev {name}\n"
                ))?;
                Ok(tun)
            })?;
            Ok((space, tun))
        };
        let ((first, one), (second, other)) = (host(0)?, host(1)?);
        Ok(Hosts { spaces: [first, second], tuns: [one, other] })
    }

    /// Starts a program on a host.
    ///
    /// # Errors
    /// It does not start.
    pub fn start(&self, host: usize, command: &mut Command) -> Result<Child, TestbedError> {
        self.spaces[host].within(|| command.spawn().map_err(TestbedError::system("a program does not start")))
    }

    /// The file by which a program gets to a host's network (`nsenter --net=FILE`), for as long as this lives.
    pub fn network(&self, host: usize) -> String {
        self.spaces[host].path()
    }

    /// Carries packets over a link for each direction while something is done; how late they left.
    ///
    /// # Errors
    /// A device is broken, or what is done fails.
    pub fn carry<T: Send>(
        &self,
        links: [LinkSpec; 2],
        seed: u64,
        act: impl FnOnce() -> Result<T, TestbedError> + Send,
    ) -> Result<(T, LatenessSummary), TestbedError> {
        let (failed, enough) = (AtomicBool::new(false), AtomicBool::new(false));
        let clock = RunClock { began: std::time::Instant::now(), end: Instant::NEVER, failed: &failed, enough: &enough };
        thread::scope(|scope| {
            let path = scope.spawn(move || {
                realtime::first(PATH_FIRST);
                self.path(links, seed, clock)
            });
            let done = act();
            enough.store(true, Ordering::Relaxed);
            let lateness = path.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok((done?, lateness.summary()))
        })
    }

    fn path(&self, links: [LinkSpec; 2], seed: u64, clock: RunClock<'_>) -> Result<Lateness, TestbedError> {
        let link = |(at, spec): (u64, LinkSpec)| NetworkLink {
            spec,
            random: Random::new(seed, at),
            from: Instant::START,
            to: Instant::NEVER,
            sample_every: None::<Span>,
        };
        let mut network = Network::new((0..).zip(links).map(link).collect(), vec![vec![0], vec![1]], Vec::new());
        let (mut lateness, mut buffer) = (Lateness::default(), vec![0; MTU]);
        let tuns = [&self.tuns[0], &self.tuns[1]];
        while !clock.over() {
            let mut busy = false;
            for (from, tun) in tuns.iter().enumerate() {
                for turn in 1..=TURN {
                    let Some(length) = tun.read(&mut buffer)? else { break };
                    network.enter(clock.now(), from, Bytes(length as u64), buffer[..length].to_vec());
                    busy |= turn == TURN;
                }
            }
            network.advance(clock.now());
            while let Some(left) = network.pop() {
                if left.dropped.is_none() {
                    lateness.left(left.at, clock.now());
                    tuns[1 - left.stream].write(&left.cargo);
                }
            }
            let next = network.wake_at();
            if !busy && next > clock.now() {
                clock.wait(&mut tuns.map(|tun| PollFd::new(tun.as_fd(), PollFlags::POLLIN)), next)?;
            }
        }
        Ok(lateness)
    }
}
