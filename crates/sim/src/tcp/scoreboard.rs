//! Loss recovery with selective ACKs (RFC 6675), packet by packet.
//!
//! Work per ACK does not grow with the window: runs of reported packets are kept as intervals, and the two edges that matter (below
//! which all is decided, below which nothing waits to be retransmitted) only move forward. Not in here: the rescue retransmission
//! (RFC 6675 §4 NextSeg 4), which the RFC does not require.
//!
//! RFC 6675 finds losses by counting, and no lost retransmission but by timeout. [`Scoreboard::by_time`] finds both by time (RFC 8985).

use symbiosis_base::{Instant, Span};

use super::flight::{DUP_THRESH, Fate, Flight, Record};
use super::packets::Ack;
use super::rack::{self, Rack, Search};
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
    /// Reported packets above `una`.
    reported: u32,
    /// Only where losses are found by time.
    rack: Option<Rack>,
}

/// When something is taken in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) now: Instant,
    /// The smoothed round-trip time; the longest span before there is one.
    pub(crate) srtt: Span,
}

/// What an ACK says beside the fates of packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// A loss was found that begins a recovery.
    pub(crate) begins: bool,
    /// After a timeout a packet was acknowledged that had not left again (F-RTO by selective ACKs, RFC 5682 §3). Only by time.
    pub(crate) original: bool,
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
    /// One that finds losses by time.
    pub(crate) fn by_time() -> Scoreboard {
        Scoreboard { rack: Some(Rack::default()), ..Scoreboard::default() }
    }

    /// When losses are to be looked for though no ACK comes.
    #[inline]
    pub(crate) fn timer(&self) -> Instant {
        self.rack.as_ref().map_or(Instant::NEVER, |rack| rack.timer)
    }

    /// Whether a probe may find a loss at the tail that nothing else would (RFC 8985 §7.2): no recovery, nothing reported above a gap.
    #[inline]
    pub(crate) fn wants_probe(&self) -> bool {
        self.rack.is_some() && self.phase == Phase::Open && self.reported == 0
    }

    pub(crate) fn in_flight(&self) -> u32 {
        self.pipe
    }

    pub(crate) fn recovering(&self) -> bool {
        matches!(self.phase, Phase::Recovery(_))
    }

    /// Takes in an ACK; `tell` is called for each packet acknowledged for the first time, and for each presumed lost, with what is then in
    /// flight.
    #[inline]
    pub(crate) fn acked(&mut self, flight: &mut Flight, ack: &Ack, clock: Clock, mut tell: impl FnMut(Fate, u32, Record, u32)) -> Found {
        let (mut rack, mut original) = (self.rack.as_mut(), false);
        let (after_timeout, mut ends) = (matches!(self.phase, Phase::AfterTimeout(_)), false);
        let mut arrived = |number: u32, record: Record, pipe: u32| {
            if let Some(rack) = &mut rack {
                rack.arrived(clock.now, ack, number, &record);
                original |= after_timeout && record.lost && !record.repeated;
            }
            tell(Fate::Acked, number, record, pipe);
        };
        if ack.next > flight.una() {
            for number in flight.una()..ack.next {
                let record = *flight.at(number);
                if record.sacked {
                    self.reported -= 1;
                } else {
                    self.pipe -= in_pipe(record);
                    arrived(number, record, self.pipe);
                }
            }
            flight.advance(ack.next);
            self.sacked.advance(ack.next);
            self.decided = self.decided.max(ack.next);
            self.resend = self.resend.max(ack.next);
            if let Phase::Recovery(point) | Phase::AfterTimeout(point) = self.phase
                && ack.next >= point
            {
                (self.phase, ends) = (Phase::Open, true);
            }
        }
        for (start, end) in ack.sacks {
            let start = start.max(flight.una());
            if start < end {
                let (pipe, reported) = (&mut self.pipe, &mut self.reported);
                self.sacked.add((start, end), |numbers| {
                    *reported += numbers.len() as u32;
                    report(flight, numbers, pipe, &mut arrived);
                });
            }
        }
        let doubtful = self.is_doubtful();
        match &mut self.rack {
            None => self.decide(flight, &mut tell),
            Some(rack) => {
                let window = rack.window(flight, ack, ends, clock.srtt, doubtful);
                let search = Search { flight, decided: &mut self.decided, pipe: &mut self.pipe, window };
                rack.search(clock.now, search, &mut tell);
            }
        }
        Found { begins: self.begins(flight), original }
    }

    /// Losses are looked for though no ACK came. Tells whether one was found that begins a recovery.
    pub(crate) fn expired(&mut self, flight: &mut Flight, clock: Clock, mut tell: impl FnMut(Fate, u32, Record, u32)) -> bool {
        let doubtful = self.is_doubtful();
        if let Some(rack) = &mut self.rack {
            let window = rack.span(clock.srtt, doubtful);
            let search = Search { flight, decided: &mut self.decided, pipe: &mut self.pipe, window };
            rack.search(clock.now, search, &mut tell);
        }
        self.begins(flight)
    }

    /// Nothing says yet that what is missing is more than late.
    fn is_doubtful(&self) -> bool {
        self.phase == Phase::Open && !rack::enough(self.reported)
    }

    /// Whether what is lost begins a recovery.
    #[inline]
    fn begins(&mut self, flight: &Flight) -> bool {
        let begins = self.phase == Phase::Open && self.decided > flight.una();
        if begins {
            self.phase = Phase::Recovery(flight.end());
            self.urgent = true;
        }
        begins
    }

    /// What was presumed lost was late: it is in flight again, until its time shows it lost once more. Only by time.
    pub(crate) fn undo(&mut self, flight: &mut Flight) {
        let Some(rack) = &mut self.rack else { return };
        for number in flight.una()..flight.end() {
            let record = flight.at(number);
            if record.lost && !record.sacked {
                record.lost = false;
                self.pipe += 1;
            }
        }
        (self.decided, self.resend) = (flight.una(), flight.una());
        // What makes a timeout needless is delay.
        rack.reordering_seen |= matches!(self.phase, Phase::Recovery(_));
        (self.phase, self.urgent) = (Phase::Open, false);
        rack.lost.clear();
    }

    /// All outstanding packets that were not reported are presumed lost (RFC 6675 §5.1: reports are kept). By time not those that left in
    /// the last round-trip time, but for the first (RFC 8985 §6.3).
    pub(crate) fn timed_out(&mut self, flight: &mut Flight, clock: Clock, mut tell: impl FnMut(Fate, u32, Record, u32)) {
        self.decided = flight.end();
        for number in flight.una()..flight.end() {
            let first = number == flight.una();
            let record = flight.at(number);
            let was = *record;
            let recent = self.rack.as_ref().is_some_and(|rack| !first && rack.is_recent(clock.now, &was));
            if recent && !was.sacked {
                if !was.lost && !was.resent {
                    self.decided = self.decided.min(number);
                }
                continue;
            }
            (record.lost, record.resent) = (true, false);
            if !was.sacked && in_pipe(was) > 0 {
                self.pipe -= in_pipe(was);
                tell(Fate::Lost, number, was, self.pipe);
            }
        }
        self.resend = flight.una();
        self.phase = Phase::AfterTimeout(flight.end());
        self.urgent = false;
        if let Some(rack) = &mut self.rack {
            // What left lately may fill the window, but the first packet has waited long enough.
            self.urgent = true;
            rack.lost.clear();
            rack.timer = Instant::NEVER;
        }
    }

    /// The packet to retransmit next: one presumed lost (NextSeg 1), or, when there is nothing new to send, any gap (NextSeg 3). And
    /// whether whatever the window says.
    #[inline]
    pub(crate) fn next(&mut self, flight: &mut Flight, nothing_new: bool) -> Option<(u32, bool)> {
        if let Some(rack) = &mut self.rack {
            // Those that arrived since, or whose earlier copy did.
            while let Some(number) = rack.lost.front().copied() {
                let record = (number >= flight.una()).then(|| *flight.at(number));
                if record.is_some_and(|record| !record.sacked && !record.resent) {
                    return Some((number, self.urgent));
                }
                rack.lost.pop_front();
            }
        }
        let edge = match self.sacked.last() {
            Some(run) if nothing_new && self.recovering() && self.rack.is_none() => run.1.max(self.decided),
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
        if let Some(rack) = &mut self.rack {
            rack.resent(number, flight.at(number).order);
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

/// Takes reported packets out of the pipe.
fn report(flight: &mut Flight, numbers: std::ops::Range<u32>, pipe: &mut u32, arrived: &mut impl FnMut(u32, Record, u32)) {
    for number in numbers {
        let record = flight.at(number);
        record.sacked = true;
        let record = *record;
        *pipe -= in_pipe(record);
        arrived(number, record, *pipe);
    }
}

/// How many copies of a packet count as being in the network (RFC 6675 SetPipe).
#[inline]
fn in_pipe(record: Record) -> u32 {
    u32::from(!record.lost) + u32::from(record.resent)
}

#[cfg(test)]
mod tests;
