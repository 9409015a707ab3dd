//! RACK: losses found by time (RFC 8985 §6). A packet is lost when one that left after it has arrived, and the round trip of that one and a
//! reordering window have passed since it left. So it finds lost retransmissions as it finds lost packets.
//!
//! Where it deviates from the RFC:
//! - each packet's time runs out by itself (§6.2 step 5 waits for the last of those that are doubted);
//! - a loss that turns out to be none is reordering seen, as Linux has it, though the packet was retransmitted (§6.2 step 3 cannot tell its
//!   copies apart; time stamps can);
//! - the minimum RTT is of the whole connection (§6.2 step 1 recommends a window over it; a minimum that is too old makes the reordering
//!   window too short and nothing else).

use std::collections::VecDeque;

use symbiosis_base::{Instant, Span};

use super::flight::{DUP_THRESH, Fate, Flight, Record};
use super::packets::Ack;

/// Recoveries without a duplicate after which the reordering window is what it was (RFC 8985 §6.2 step 4).
const PERSIST: u32 = 16;

/// What is known of the order and the times of departures.
#[derive(Debug)]
pub(super) struct Rack {
    /// The latest departure of which the arrival is known (RACK.xmit_ts): its order.
    latest: Option<u32>,
    /// Its round-trip time (RACK.rtt).
    rtt: Span,
    min_rtt: Span,
    /// One above the highest packet that has arrived (RACK.fack), before the ACK that is taken in and after it.
    highest: (u32, u32),
    /// RACK.reordering_seen.
    pub(super) reordering_seen: bool,
    /// RACK.reo_wnd_mult, and the recoveries for which it stays.
    multiple: (u32, u32),
    /// A duplicate was reported: no other counts until this packet is acknowledged (RACK.dsack_round).
    round: Option<u32>,
    /// Retransmissions whose fate is not known: number and order, by order.
    copies: VecDeque<(u32, u32)>,
    /// Retransmissions that were lost and have not left again.
    pub(super) lost: VecDeque<u32>,
    /// When the first packet's time runs out that is doubted.
    pub(super) timer: Instant,
}

/// What a search for losses works on.
pub(super) struct Search<'a> {
    pub(super) flight: &'a mut Flight,
    /// Every packet below is reported or presumed lost, or left again.
    pub(super) decided: &'a mut u32,
    pub(super) pipe: &'a mut u32,
    /// The reordering window.
    pub(super) window: Span,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            latest: None,
            rtt: Span::ZERO,
            min_rtt: Span::MAX,
            highest: (0, 0),
            reordering_seen: false,
            multiple: (1, 0),
            round: None,
            copies: VecDeque::new(),
            lost: VecDeque::new(),
            timer: Instant::NEVER,
        }
    }
}

impl Rack {
    /// A packet was acknowledged for the first time (§6.2 steps 1 to 3).
    #[inline]
    pub(super) fn arrived(&mut self, now: Instant, ack: &Ack, number: u32, record: &Record) {
        self.highest.1 = self.highest.1.max(number + 1);
        if record.repeated {
            // The time stamp tells that it is an earlier copy that is answered.
            if ack.echo < record.sent_at || now - record.sent_at < self.min_rtt {
                return;
            }
        } else if number < self.highest.0 {
            self.reordering_seen = true;
        }
        let rtt = now - record.sent_at;
        self.min_rtt = self.min_rtt.min(rtt);
        if self.latest.is_none_or(|latest| later(record.order, latest)) {
            (self.latest, self.rtt) = (Some(record.order), rtt);
        }
    }

    /// An ACK's packets have been told; perhaps a recovery ends with it. The reordering window (§6.2 step 4): `doubtful` where no recovery is
    /// under way and too few packets above a gap have arrived to begin one.
    #[inline]
    pub(super) fn window(&mut self, flight: &Flight, ack: &Ack, ends: bool, srtt: Span, doubtful: bool) -> Span {
        self.highest.0 = self.highest.1;
        if self.round.is_some_and(|round| flight.una() >= round) {
            self.round = None;
        }
        if ack.duplicate.is_some() && self.round.is_none() {
            self.round = Some(flight.end());
            self.multiple = (self.multiple.0 + 1, PERSIST);
        } else if ends {
            self.multiple.1 = self.multiple.1.saturating_sub(1);
            if self.multiple.1 == 0 {
                self.multiple.0 = 1;
            }
        }
        self.span(srtt, doubtful)
    }

    /// The reordering window as it is.
    pub(super) fn span(&self, srtt: Span, doubtful: bool) -> Span {
        if !self.reordering_seen && !doubtful {
            return Span::ZERO;
        }
        // Before the first measurement nothing has arrived, and nothing is looked for.
        Span((self.min_rtt.0 / 4).saturating_mul(self.multiple.0.into())).min(srtt)
    }

    /// Whether a packet left too recently to be written off by a timeout (§6.3).
    pub(super) fn is_recent(&self, now: Instant, record: &Record) -> bool {
        record.sent_at.saturating_add(self.rtt) > now
    }

    /// A packet was retransmitted.
    pub(super) fn resent(&mut self, number: u32, order: u32) {
        if self.lost.front() == Some(&number) {
            self.lost.pop_front();
        }
        self.copies.push_back((number, order));
    }

    /// Looks for losses (§6.2 step 5). Originals leave in the order of their numbers and copies in that of their list, so each search ends at
    /// the first packet that is not lost.
    #[inline]
    pub(super) fn search(&mut self, now: Instant, search: Search<'_>, tell: &mut impl FnMut(Fate, u32, Record, u32)) {
        self.timer = Instant::NEVER;
        let Some(latest) = self.latest else { return };
        let Search { flight, decided, pipe, window } = search;
        let due = |record: &Record| record.sent_at.saturating_add(self.rtt).saturating_add(window);
        while *decided < flight.end() {
            let record = flight.at(*decided);
            if !record.sacked && !record.lost && !record.resent {
                if !later(latest, record.order) {
                    break;
                }
                if due(record) > now {
                    self.timer = due(record);
                    break;
                }
                record.lost = true;
                *pipe -= 1;
                tell(Fate::Lost, *decided, *record, *pipe);
            }
            *decided += 1;
        }
        while let Some((number, order)) = self.copies.front().copied() {
            // Not what arrived or was written off, nor an earlier copy than the last.
            if number >= flight.una() {
                let record = flight.at(number);
                if !record.sacked && record.resent && record.order == order {
                    if !later(latest, order) {
                        break;
                    }
                    if due(record) > now {
                        self.timer = self.timer.min(due(record));
                        break;
                    }
                    let was = *record;
                    *pipe -= 1 + u32::from(!was.lost);
                    (record.resent, record.lost) = (false, true);
                    self.lost.push_back(number);
                    tell(Fate::Lost, number, was, *pipe);
                }
            }
            self.copies.pop_front();
        }
    }
}

/// Whether enough packets above a gap have arrived to begin a recovery at once.
pub(super) fn enough(sacked: u32) -> bool {
    sacked >= DUP_THRESH
}

/// Whether departure `a` was after `b`, both modulo 2³².
fn later(a: u32, b: u32) -> bool {
    a.wrapping_sub(b) as i32 > 0
}
