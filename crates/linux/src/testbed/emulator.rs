//! The path between the two hosts: packets that one device gives cross the plan's links, and leave by the other when the links say so.

use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags};
use symbiosis_base::{Bytes, Instant, Random, Span};
use symbiosis_path::{Left, LinkSample, LinkStats, Network, NetworkLink, Traffic};
use symbiosis_run::{Plan, source};

use super::account::Account;
use super::clock::RunClock;
use super::error::TestbedError;
use super::hosts;
use super::lateness::Lateness;
use super::segment::{Segment, segment};
use super::tun::Tun;

/// Packets that are taken from a device before others get their turn: others wait less than
/// [`symbiosis_run::LATE`] where a packet takes less than 6 µs.
const TURN: usize = 32;
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
        let link = |(at, planned): (u64, &symbiosis_run::PlannedLink)| NetworkLink {
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

    /// Moves packets between the devices until the run is over.
    ///
    /// # Errors
    /// A device is broken.
    pub fn run(mut self, tuns: [&Tun; 2], clock: RunClock<'_>) -> Result<Emulated, TestbedError> {
        let mut buffer = vec![0; hosts::mtu(self.plan) as usize];
        while !clock.over() {
            let mut busy = false;
            for (from, tun) in tuns.iter().enumerate() {
                for turn in 1..=TURN {
                    let Some(length) = tun.read(&mut buffer)? else { break };
                    self.enters(clock.now(), from, &buffer[..length]);
                    busy |= turn == TURN;
                }
            }
            self.network.advance(clock.now());
            while let Some(left) = self.network.pop() {
                let at = left.at;
                if let Some((to, packet)) = self.leaves(left) {
                    self.lateness.left(at, clock.now());
                    self.refused += u64::from(!tuns[to].write(&packet));
                    self.spare.push(packet);
                }
            }
            let next = self.network.wake_at();
            if !busy && next > clock.now() {
                clock.wait(&mut tuns.map(|tun| PollFd::new(tun.as_fd(), PollFlags::POLLIN)), next)?;
            }
        }
        Ok(self.finish())
    }

    /// A host gives a packet: data and its like from the senders', answers from the receivers'. What is of no flow is noise.
    fn enters(&mut self, now: Instant, from: usize, packet: &[u8]) {
        let Some(segment) = segment(packet) else { return };
        let Some((flow, account)) = hosts::flow(segment.to).and_then(|flow| Some((flow, self.accounts.get_mut(flow)?))) else { return };
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
        let end = self.plan.end();
        for account in &mut self.accounts {
            account.advance(end.saturating_add(Span(1)));
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

#[cfg(test)]
mod tests {
    use symbiosis_path::QueueLimit;
    use symbiosis_run::Ledger;

    use super::*;
    use crate::testbed::segment::tests::packet;
    use crate::testbed::tests::plan;

    fn at_ms(ms: u64) -> Instant {
        Instant::from_millis(ms)
    }

    /// What leaves by an instant: when \[µs\], to which host, and how long it is.
    fn leaving(path: &mut Emulator<'_>, now: Instant) -> Vec<(u64, usize, usize)> {
        path.network.advance(now);
        let mut out = Vec::new();
        while let Some(left) = path.network.pop() {
            let at = left.at.0 / 1000;
            out.extend(path.leaves(left).map(|(to, packet)| (at, to, packet.len())));
        }
        out
    }

    /// A link of 12 Mbit/s and 10 ms with room for one packet, and a way back of the same.
    #[test]
    fn packets_cross_the_links_and_the_account_balances() {
        let mut plan = plan();
        plan.links[0].spec.queue = QueueLimit::Packets(1);
        let mut path = Emulator::new(&plan);
        let (sender, receiver) = (hosts::sender(0).octets(), hosts::receiver(0).ip().octets());
        let data = |sequence: u32, syn: bool, payload: usize| packet(sender, receiver, sequence, (!syn).then_some(1), syn, payload);
        path.enters(at_ms(0), SENDER, &data(99, true, 0));
        assert!(leaving(&mut path, at_ms(5)).is_empty(), "it is under way");
        assert_eq!(leaving(&mut path, at_ms(11)), [(10_026, 1, 40)]);
        for n in 0..3 {
            path.enters(at_ms(20), SENDER, &data(100 + 1460 * n, false, 1460));
        }
        // Noise is no flow's: another protocol, an address of nobody.
        path.enters(at_ms(20), SENDER, &[0x60; 80]);
        path.enters(at_ms(20), SENDER, &packet(sender, [10, 65, 0, 2], 1, None, false, 100));
        assert_eq!(
            leaving(&mut path, at_ms(32)),
            [(31_000, 1, 1500), (32_000, 1, 1500)],
            "1 ms each on the wire; for the third there is no room"
        );
        path.enters(at_ms(32), 1, &packet(receiver, sender, 1, Some(1560), false, 0));
        assert_eq!(leaving(&mut path, at_ms(43)), [(42_026, 0, 40)]);
        path.enters(at_ms(43), SENDER, &data(100 + 2 * 1460, false, 1460));

        let found = path.finish();
        let Ledger { sent, delivered, dropped, in_flight, .. } = found.accounts[0].ledger;
        assert_eq!((sent, delivered, dropped, in_flight), (4, 2, 1, 1));
        assert_eq!(found.links[0].0.queue_drops, 1);
        let summary = found.accounts.into_iter().next().map(|account| account.tally.summary(&plan.flows[0], &account.arrivals));
        let rtt = summary.and_then(|summary| summary.rtt_ms).unwrap();
        assert!((rtt.min - 22.027).abs() < 1e-3, "{}: from 20 to 42 ms", rtt.min);
    }
}
