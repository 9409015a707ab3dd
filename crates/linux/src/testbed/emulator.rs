//! The path between the two hosts: packets that one device gives cross the plan's links, and leave by the other when the links say so.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::time::TimeSpec;
use std::os::fd::AsFd;
use symbiosis_base::{Bytes, Nanos, Random};
use symbiosis_path::{Left, LinkSample, LinkStats, Network, NetworkLink, Traffic};
use symbiosis_sim::{Plan, source};

use super::account::Account;
use super::error::TestbedError;
use super::lateness::Lateness;
use super::network;
use super::segment::{Segment, segment};
use super::tun::Tun;

/// Packets that are taken from a device before others get their turn.
const TURN: usize = 32;
/// It looks at least this often whether it is to end.
const LOOKS_EVERY: Nanos = Nanos::from_millis(20);
/// Where a device gives packets, and the way that they go.
const SENDER: usize = 0;

/// A packet on its way.
#[derive(Debug)]
struct Frame {
    segment: Segment,
    packet: Vec<u8>,
}

/// What the path did.
#[derive(Debug)]
pub struct Emulated {
    /// What passed of each flow.
    pub accounts: Vec<Account>,
    /// Every link of the plan.
    pub links: Vec<(LinkStats, Vec<LinkSample>)>,
    /// Packets that it moved, in both directions.
    pub packets: u64,
    /// How late they left.
    pub lateness: Lateness,
    /// Packets that a host did not take.
    pub refused: u64,
}

/// A path for a plan.
pub struct Emulator<'a> {
    plan: &'a Plan,
    /// Data of each flow, then answers of each.
    network: Network<Frame>,
    accounts: Vec<Account>,
    packets: u64,
    lateness: Lateness,
    refused: u64,
    spare: Vec<Vec<u8>>,
}

impl Emulator<'_> {
    /// The links of a plan and nothing on them.
    pub fn new(plan: &Plan) -> Emulator<'_> {
        let link = |(at, planned): (u64, &symbiosis_sim::PlannedLink)| NetworkLink {
            spec: planned.spec.clone(),
            random: Random::new(plan.seed, source::LINK + at),
            from: plan.measure_from,
            to: plan.measure_to,
            sample_every: plan.sample_every.filter(|_| planned.listed),
        };
        let links = (0..).zip(&plan.links).map(link).collect();
        let there = plan.flows.iter().map(|flow| flow.route.clone());
        let back = plan.flows.iter().map(|flow| flow.ack_route.clone());
        let others = (0..)
            .zip(&plan.cross)
            .map(|(at, cross)| (Traffic::new(cross.traffic.clone(), Random::new(plan.seed, source::TRAFFIC + at)), cross.route.clone()));
        Emulator {
            plan,
            network: Network::new(links, there.chain(back).collect(), others.collect()),
            accounts: plan.flows.iter().map(|flow| Account::new(plan, flow)).collect(),
            packets: 0,
            lateness: Lateness::default(),
            refused: 0,
            spare: Vec::new(),
        }
    }

    /// Moves packets between the devices from `began` to the end of the plan, or until something has failed elsewhere.
    ///
    /// # Errors
    /// A device is broken.
    pub fn run(mut self, tuns: [&Tun; 2], began: Instant, failed: &AtomicBool) -> Result<Emulated, TestbedError> {
        let now = || Nanos(Instant::now().saturating_duration_since(began).as_nanos() as u64);
        let mut buffer = vec![0; network::mtu(self.plan) as usize];
        let waiting = |error: Errno| TestbedError::System { what: "a TUN device cannot be waited for".into(), error: error.into() };
        while now() < self.plan.duration && !failed.load(Ordering::Relaxed) {
            let mut busy = false;
            for (from, tun) in tuns.iter().enumerate() {
                for turn in 1..=TURN {
                    let Some(length) = tun.read(&mut buffer)? else { break };
                    self.enters(now(), from, &buffer[..length]);
                    busy |= turn == TURN;
                }
            }
            self.network.advance(now());
            while let Some(left) = self.network.pop() {
                let at = left.at;
                if let Some((to, packet)) = self.leaves(left) {
                    self.lateness.left(at, now());
                    self.refused += u64::from(!tuns[to].write(&packet));
                    self.spare.push(packet);
                }
            }
            let at = now();
            let until = self.network.wake_at().min(self.plan.duration).min(at + LOOKS_EVERY);
            if !busy && until > at {
                let mut polled = tuns.map(|tun| PollFd::new(tun.as_fd(), PollFlags::POLLIN));
                match ppoll(&mut polled, Some(TimeSpec::from_duration(Duration::from_nanos((until - at).0))), None) {
                    Ok(_) | Err(Errno::EINTR) => {}
                    Err(error) => return Err(waiting(error)),
                }
            }
        }
        Ok(self.finish())
    }

    /// A host gives a packet: data and its like from the senders', answers from the receivers'. What is of no flow is noise.
    fn enters(&mut self, now: Nanos, from: usize, packet: &[u8]) {
        let Some(segment) = segment(packet) else { return };
        let Some((flow, account)) = network::flow(segment.to).and_then(|flow| Some((flow, self.accounts.get_mut(flow)?))) else { return };
        let stream = if from == SENDER {
            account.departs(now, &segment);
            flow
        } else {
            account.answers(now, &segment);
            self.plan.flows.len() + flow
        };
        let mut copy = self.spare.pop().unwrap_or_default();
        copy.clear();
        copy.extend_from_slice(packet);
        self.network.enter(now, stream, Bytes(packet.len() as u64), Frame { segment, packet: copy });
    }

    /// A packet leaves the path: to which host it goes. One that was lost goes nowhere.
    fn leaves(&mut self, left: Left<Frame>) -> Option<(usize, Vec<u8>)> {
        let flows = self.plan.flows.len();
        let account = &mut self.accounts[left.stream % flows];
        let Frame { segment, packet } = left.cargo;
        let data = left.stream < flows;
        match (left.dropped, data) {
            (Some(_), true) => account.lost(left.at, &segment),
            (Some(_), false) => {}
            (None, true) => account.arrives(left.at, &segment, left.size),
            (None, false) => account.acked(left.at, &segment),
        }
        if left.dropped.is_some() {
            self.spare.push(packet);
            return None;
        }
        self.packets += 1;
        Some((usize::from(data), packet))
    }

    fn finish(mut self) -> Emulated {
        let end = self.plan.duration;
        for account in &mut self.accounts {
            account.advance(end.saturating_add(Nanos(1)));
        }
        for (stream, _) in self.network.under_way().filter(|(_, frame)| frame.segment.payload > 0) {
            if let Some(account) = self.accounts.get_mut(stream) {
                account.ledger.in_flight += 1;
            }
        }
        let (packets, lateness, refused) = (self.packets, self.lateness, self.refused);
        Emulated { accounts: self.accounts, links: self.network.finish(end), packets, lateness, refused }
    }
}
