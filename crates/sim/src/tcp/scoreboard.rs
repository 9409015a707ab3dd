//! Loss recovery with selective ACKs (RFC 6675), packet by packet.
//!
//! Work per ACK does not grow with the window: runs of reported packets are kept as intervals, and the two edges that matter (below
//! which all is decided, below which nothing waits to be retransmitted) only move forward. Not in here: the rescue retransmission
//! (RFC 6675 §4 NextSeg 4), which the RFC does not require.
//!
//! RFC 6675 finds no lost retransmission but by timeout. [`Scoreboard::by_departures`] does, by RFC 8985's idea in the form of
//! RFC 9002 §6.1.1: a copy is lost when one that left three departures later, or more, has arrived. Counting departures in place of RFC 8985's
//! quarter of a round trip needs no timer of its own. Not in here: its tail loss probe.

use std::cell::Cell;
use std::collections::VecDeque;

use symbiosis_base::Instant;

use super::flight::{DUP_THRESH, Fate, Flight, Record};
use super::packets::Ack;
use crate::runs::Runs;

/// What selective ACKs say about the flight.
#[derive(Debug, Default)]
pub(crate) struct Scoreboard {
    /// RFC 6675's pipe: how many packets are thought to be in the network.
    pipe: u32,
    /// Reported packets above `una`.
    sacked: Runs,
    /// Every packet below is reported or presumed lost.
    decided: u32,
    /// No packet below waits to be retransmitted.
    resend: u32,
    phase: Phase,
    /// A recovery has just begun: its first packet is sent whatever the window says (RFC 6675 §5 step 4.3).
    urgent: bool,
    /// Only where lost retransmissions are found.
    copies: Option<Copies>,
}

/// Retransmissions whose fate is not known.
#[derive(Debug, Default)]
struct Copies {
    /// Number and order of departure, in that order.
    under_way: VecDeque<(u32, u32)>,
    /// The latest departure of which the arrival is known, and one more.
    arrived: u32,
    /// Lost again, and not yet sent again.
    lost: VecDeque<u32>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Phase {
    #[default]
    Open,
    /// Until all below is acknowledged.
    Recovery(u32),
    /// Slow start after a timeout, until all below is acknowledged.
    AfterTimeout(u32),
}

impl Scoreboard {
    /// One that finds lost retransmissions too.
    pub(crate) fn by_departures() -> Scoreboard {
        Scoreboard { copies: Some(Copies::default()), ..Scoreboard::default() }
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.pipe
    }

    pub(crate) fn recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery(_))
    }

    /// Takes in an ACK; `tell` is called for each packet acknowledged for the first time, and for each presumed lost, with what is then in
    /// flight. Tells whether a loss was found that begins a recovery.
    #[inline]
    pub(crate) fn acked(&mut self, flight: &mut Flight, ack: &Ack, mut tell: impl FnMut(Fate, u32, Record, u32)) -> bool {
        let arrived = Cell::new(self.copies.as_ref().map_or(0, |copies| copies.arrived));
        let mut tell = |fate: Fate, number: u32, record: Record, pipe: u32| {
            // Of a packet that left twice the time stamp tells which copy is answered.
            let known = !record.resent || record.sent_at == ack.echo;
            if fate == Fate::Acked && known && later(record.order.wrapping_add(1), arrived.get()) {
                arrived.set(record.order.wrapping_add(1));
            }
            tell(fate, number, record, pipe);
        };
        if ack.next > flight.una() {
            for number in flight.una()..ack.next {
                let record = *flight.at(number);
                if !record.sacked {
                    self.pipe -= in_pipe(record);
                    tell(Fate::Acked, number, record, self.pipe);
                }
            }
            flight.advance(ack.next);
            self.sacked.advance(ack.next);
            self.decided = self.decided.max(ack.next);
            self.resend = self.resend.max(ack.next);
            if let Phase::Recovery(point) | Phase::AfterTimeout(point) = self.phase
                && ack.next >= point
            {
                self.phase = Phase::Open;
            }
        }
        for (start, end) in ack.sacks {
            let start = start.max(flight.una());
            if start < end {
                let pipe = &mut self.pipe;
                self.sacked.add((start, end), |numbers| report(flight, numbers, pipe, &mut tell));
            }
        }
        self.decide(flight, &mut tell);
        if let Some(copies) = &mut self.copies {
            copies.arrived = arrived.get();
            copies.lose(flight, &mut self.pipe, &mut tell);
        }
        if self.phase == Phase::Open && self.decided > flight.una() {
            self.phase = Phase::Recovery(flight.end());
            self.urgent = true;
            return true;
        }
        false
    }

    /// All outstanding packets that were not reported are presumed lost (RFC 6675 §5.1: reports are kept).
    pub(crate) fn timed_out(&mut self, flight: &mut Flight, mut tell: impl FnMut(Fate, u32, Record, u32)) {
        for number in flight.una()..flight.end() {
            let record = flight.at(number);
            let was = *record;
            (record.lost, record.resent) = (true, false);
            if !was.sacked && in_pipe(was) > 0 {
                self.pipe -= in_pipe(was);
                tell(Fate::Lost, number, was, self.pipe);
            }
        }
        self.pipe = 0;
        self.decided = flight.end();
        self.resend = flight.una();
        self.phase = Phase::AfterTimeout(flight.end());
        self.urgent = false;
        if let Some(copies) = &mut self.copies {
            (copies.under_way, copies.lost) = Default::default();
        }
    }

    /// The packet to retransmit next: one presumed lost (NextSeg 1), or, when there is nothing new to send, any gap (NextSeg 3). And
    /// whether whatever the window says.
    #[inline]
    pub(crate) fn next(&mut self, flight: &mut Flight, nothing_new: bool) -> Option<(u32, bool)> {
        if let Some(copies) = &mut self.copies {
            // Those that arrived since, or whose earlier copy did.
            while let Some(number) = copies.lost.front().copied() {
                if number >= flight.una() && !flight.at(number).sacked {
                    return Some((number, self.urgent));
                }
                copies.lost.pop_front();
            }
        }
        let edge = match self.sacked.last() {
            Some(run) if nothing_new && self.recovering() => run.1.max(self.decided),
            _ => self.decided,
        };
        for number in self.resend..edge {
            let record = flight.at(number);
            if !record.sacked && !record.resent {
                return Some((number, self.urgent));
            }
            if number < self.decided {
                self.resend = number + 1;
            }
        }
        None
    }

    /// A packet was retransmitted.
    pub(crate) fn resent(&mut self, flight: &mut Flight, number: u32, now: Instant) {
        flight.again(number, now);
        self.pipe += 1;
        self.urgent = false;
        if let Some(copies) = &mut self.copies {
            if copies.lost.front() == Some(&number) {
                copies.lost.pop_front();
            }
            copies.under_way.push_back((number, flight.at(number).order));
        }
    }

    /// A new packet was sent.
    #[inline]
    pub(crate) fn sent(&mut self) {
        self.pipe += 1;
    }

    /// Presumes lost what lies below enough reported packets (RFC 6675 IsLost).
    #[inline]
    fn decide(&mut self, flight: &mut Flight, tell: &mut impl FnMut(Fate, u32, Record, u32)) {
        let mut above = 0;
        for run in self.sacked.descending() {
            above += run.1 - run.0;
            if above >= DUP_THRESH {
                // Exactly DUP_THRESH reported packets lie at or above `edge`.
                let edge = run.0 + (above - DUP_THRESH);
                while self.decided < edge {
                    let record = flight.at(self.decided);
                    if !record.sacked && !record.lost {
                        record.lost = true;
                        self.pipe -= 1;
                        tell(Fate::Lost, self.decided, *record, self.pipe);
                    }
                    self.decided += 1;
                }
                return;
            }
        }
    }
}

impl Copies {
    /// Takes out of the pipe what left too long before the latest that arrived.
    fn lose(&mut self, flight: &mut Flight, pipe: &mut u32, tell: &mut impl FnMut(Fate, u32, Record, u32)) {
        while let Some((number, order)) = self.under_way.front().copied() {
            if !later(self.arrived, order.wrapping_add(DUP_THRESH)) {
                break;
            }
            self.under_way.pop_front();
            if number < flight.una() {
                continue;
            }
            let record = flight.at(number);
            // Not what arrived, nor an earlier copy than the last.
            if !record.sacked && record.resent && record.order == order {
                let was = *record;
                record.resent = false;
                self.lost.push_back(number);
                *pipe -= 1;
                tell(Fate::Lost, number, was, *pipe);
            }
        }
    }
}

/// Whether departure `a` was after `b`, both modulo 2³².
fn later(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) as i32 > 0
}

/// Takes reported packets out of the pipe.
fn report(flight: &mut Flight, numbers: std::ops::Range<u32>, pipe: &mut u32, tell: &mut impl FnMut(Fate, u32, Record, u32)) {
    for number in numbers {
        let record = flight.at(number);
        record.sacked = true;
        let record = *record;
        *pipe -= in_pipe(record);
        tell(Fate::Acked, number, record, *pipe);
    }
}

/// How many copies of a packet count as being in the network (RFC 6675 SetPipe).
#[inline]
fn in_pipe(record: Record) -> u32 {
    u32::from(!record.lost) + u32::from(record.resent)
}

#[cfg(test)]
mod tests;
