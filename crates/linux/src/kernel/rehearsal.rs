//! What a controller is going to do: a copy of it hears the ACKs that are to come, as far as they can be foreseen, and its window and its
//! departures are written down.
//!
//! An ACK is foreseen for each packet in flight, a smoothed round-trip time after the packet left, and no sooner after the one before than
//! a round trip has room for the packets of a flight. Nothing that the copy hears reaches the original, and a decision that was
//! foreseen wrongly is replaced after the next ACKs.

use std::collections::VecDeque;

use symbiosis_base::{Bytes, Instant, Span};
use symbiosis_control::{AckProcessed, Acked, Ask, Controller, Departure, LossKind, Lost, Sent};

use super::cells::Cells;
use super::layout::{HOLDS, PLAN, POINTS};

/// So far ahead a rehearsal goes, and at least for so many packets, which are a train and what follows it. The agent decides anew every
/// 5 ms at the latest while ACKs arrive: this is twice as long.
const HORIZON: Span = Span::from_millis(10);
const LEAST_PLANNED: usize = 8;
/// A wait longer than this part of the round-trip time is ended by an ACK, each of which may bring a decision that ends it sooner: a pacing
/// timer, once set, cannot be taken back.
const LONG_WAIT: f64 = 0.25;
/// A window in slow start grows by what is acknowledged; rounding to whole bytes takes less than this part of it.
const ROUNDING: f64 = 0.01;

/// What is known of a connection beside its controller.
pub(crate) struct Known<'a> {
    /// Its packets in flight.
    pub(crate) cells: &'a Cells,
    /// Size of a full one.
    pub(crate) packet: Bytes,
    /// The present.
    pub(crate) ask: Ask,
    /// Smoothed round-trip time.
    pub(crate) srtt: Span,
    /// When a packet left last.
    pub(crate) last_sent: Instant,
    /// When an ACK arrived last: times of samples count from here.
    pub(crate) last_ack: Instant,
}

/// How a packet leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Planned {
    /// After the packet before it; zero: as soon as the window lets it.
    pub(crate) after: Span,
    /// Whatever is in flight.
    pub(crate) ignores_window: bool,
}

/// What a controller is going to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Foreseen {
    /// Samples of the window, and when.
    pub(crate) window: [(Span, Bytes); POINTS],
    /// Below this the window grows by what is acknowledged.
    pub(crate) slow_start: Bytes,
    /// What a loss leaves of the window.
    pub(crate) kept: f64,
    /// How the next packets leave.
    pub(crate) plan: Vec<Planned>,
    /// The usual distance of paced packets; zero: none is paced.
    pub(crate) gap: Span,
    /// No packet leaves before this, if it is not zero.
    pub(crate) held_until: Instant,
    /// So far ahead it goes.
    pub(crate) lasts: Span,
}

/// A packet in flight.
struct Flying {
    number: u64,
    bytes: Bytes,
    sent_at: Instant,
    app_limited: bool,
    timed: bool,
}

/// A copy on its way through time.
struct Rehearsal<'a> {
    copy: Box<dyn Controller>,
    known: &'a Known<'a>,
    flying: VecDeque<Flying>,
    in_flight: Bytes,
    /// Between ACKs, at least.
    spacing: Span,
    last_ack: Instant,
    window: Bytes,
    samples: Vec<(Span, Bytes)>,
    /// The window that slow start has reached, for as long as it lasts.
    slow_start: Bytes,
    slow: bool,
}

impl Rehearsal<'_> {
    /// When the next ACK arrives, if there is anything to acknowledge.
    fn next_ack(&self) -> Option<Instant> {
        let first = self.flying.front()?;
        Some((self.last_ack + self.spacing).max(first.sent_at + self.known.srtt).max(self.known.ask.now))
    }

    fn ack(&mut self, now: Instant) {
        let Some(packet) = self.flying.pop_front() else { return };
        self.in_flight = Bytes(self.in_flight.0.saturating_sub(packet.bytes.0));
        self.copy.acked(
            &Acked::new(now, packet.number, packet.bytes, packet.sent_at)
                .with_rtt(packet.timed.then(|| now - packet.sent_at))
                .with_in_flight(self.in_flight)
                .with_app_limited(packet.app_limited),
        );
        self.copy.ack_processed(&AckProcessed::new(now).with_in_flight(self.in_flight));
        self.last_ack = now;
        let window = self.copy.permit(&Ask::new(now, self.in_flight)).window;
        self.slow &= window.as_f64() >= self.window.as_f64() + packet.bytes.as_f64() * (1.0 - ROUNDING);
        if self.slow {
            self.slow_start = window;
        }
        self.window = window;
        self.samples.push((now - self.known.last_ack, window));
    }

    /// ACKs arrive up to `until`.
    fn acks(&mut self, until: Instant) {
        while let Some(at) = self.next_ack().filter(|at| *at <= until && self.samples.len() < PLAN) {
            self.ack(at);
        }
    }

    fn send(&mut self, now: Instant, number: u64) {
        let bytes = self.known.packet;
        self.in_flight = Bytes(self.in_flight.0.saturating_add(bytes.0));
        self.copy.sent(&Sent::new(now, number, bytes, self.in_flight));
        self.flying.push_back(Flying { number, bytes, sent_at: now, app_limited: false, timed: true });
    }

    /// What a loss now would leave of the window.
    fn kept(&mut self, now: Instant) -> f64 {
        let ask = Ask::new(now, self.in_flight);
        let before = self.copy.permit(&ask).window.as_f64().max(1.0);
        self.copy.lost(&Lost::new(now, LossKind::FastRetransmit, self.in_flight));
        (self.copy.permit(&ask).window.as_f64() / before).min(1.0)
    }

    /// Samples of the window from the present on, evenly from those of all ACKs.
    fn points(&self, start: Bytes) -> [(Span, Bytes); POINTS] {
        let mut points = [(Span::ZERO, start); POINTS];
        for (i, point) in points.iter_mut().enumerate().skip(1) {
            let at = (self.samples.len() * i).div_ceil(POINTS - 1);
            if at > 0 {
                *point = self.samples[at - 1];
            }
        }
        points
    }
}

/// What `controller` is going to do.
pub(crate) fn rehearse(controller: &dyn Controller, known: &Known<'_>) -> Foreseen {
    let start = controller.permit(&known.ask).window;
    let flight = known.ask.in_flight.packets(known.packet).max(1.0);
    let flying = |cell: &super::cells::Cell| Flying {
        number: cell.number,
        bytes: cell.bytes,
        sent_at: cell.sent_at,
        app_limited: cell.app_limited,
        timed: !cell.resent,
    };
    let mut rehearsal = Rehearsal {
        copy: controller.clone_box(),
        known,
        flying: known.cells.in_flight().take(PLAN).map(flying).collect(),
        in_flight: known.ask.in_flight,
        spacing: known.srtt.scale(1.0 / flight),
        last_ack: known.last_ack,
        window: start,
        samples: Vec::with_capacity(PLAN),
        slow_start: Bytes::ZERO,
        slow: true,
    };
    let longest = known.srtt.min(Span(HOLDS));
    let (mut now, mut before) = (known.ask.now, known.last_sent);
    let mut foreseen = Foreseen::default();
    let mut paced = Vec::with_capacity(PLAN);
    for i in 0..PLAN {
        let departure = rehearsal.copy.permit(&Ask::new(now, rehearsal.in_flight)).departure;
        let at = match departure {
            // As soon as the window lets it: with the next ACK.
            Departure::Now => rehearsal.next_ack().unwrap_or(now),
            Departure::At(at) | Departure::IgnoreWindow(at) => at,
        };
        let ignores_window = matches!(departure, Departure::IgnoreWindow(_));
        let waits = matches!(departure, Departure::At(_)) && i == 0 && at > now + known.srtt.scale(LONG_WAIT);
        if waits {
            foreseen.held_until = at.min(now + longest);
        }
        now = now.max(at);
        rehearsal.acks(now);
        let timed = departure != Departure::Now && !waits;
        let after = if timed { (now - before).min(longest) } else { Span::ZERO };
        if timed && !ignores_window && i > 0 {
            paced.push(after);
        }
        foreseen.plan.push(Planned { after, ignores_window });
        rehearsal.send(now, known.cells.next() + i as u64);
        before = now;
        if i + 1 >= LEAST_PLANNED && now > known.ask.now + HORIZON {
            break;
        }
    }
    foreseen.lasts = now - known.ask.now;
    paced.sort_unstable();
    foreseen.gap = paced.get(paced.len() / 2).copied().unwrap_or(Span::ZERO);
    foreseen.window = rehearsal.points(start);
    // A round trip doubles a window in slow start, and decisions come more often.
    foreseen.slow_start =
        if rehearsal.slow && rehearsal.slow_start > start { Bytes(start.0.saturating_mul(2)) } else { rehearsal.slow_start };
    foreseen.kept = rehearsal.kept(now);
    foreseen
}

#[cfg(test)]
mod tests;
