//! Prague (draft-briscoe-iccrg-prague-congestion-control-04): DCTCP for the Internet, by the L4S marks of RFC 9330.
//!
//! Once in a virtual RTT, of at least 25 ms, `α ← α + g·(marked/all − α)` with g = 1/16 (§2.4.2). The first mark of a round trip takes the window to
//! `(1 − α/2)·cwnd` (§2.4.4); packets acknowledged without a mark add `1/cwnd` each, also in that round trip (§2.4.5). After 500 round trips
//! of congestion avoidance short paths add `(srtt/25 ms)²` of that, so that they get the rate of a path of 25 ms (§2.4.6). A loss halves, with what
//! marks took in the same round trip counted in (§2.4.3). Packets are paced, in slow start at twice the window's rate (§2.4.1).
//!
//! Where this deviates from the draft: there is no fallback for marks of a classic queue, which the draft leaves to future work too; a window is at
//! least two packets, and not a fraction of one below that; α begins at 1 and the first mark ends slow start with a halving, as in the
//! reference implementation.
//!
//! A world must count marks (`AckProcessed::ecn`): in a scenario that is `ecn = "l4s"`. Without counts it is Reno that is paced.

use crate::entry::{Entry, Feedback, Recovery};
use crate::pacer::Pacer;
use crate::round::Round;
use crate::rtt::Smoothed;
use crate::window::{Window, may_grow};
use crate::{AckProcessed, Acked, Ask, Controller, Departure, Instant, LossKind, Lost, Notice, Permit, Sent, Setup, Span};

/// Prague.
pub const ENTRY: Entry = Entry {
    name: "prague",
    about: "Prague: DCTCP for the Internet, by L4S marks (draft-briscoe-iccrg-prague-congestion-control-04)",
    params: &[],
    recovery: Recovery::Rack,
    feedback: Feedback::Acks,
    build: |setup, _| alloc::boxed::Box::new(Prague::new(setup)),
};

/// g (§2.4.2).
const GAIN: f64 = 1.0 / 16.0;
/// RTT_VIRT_MIN (§2.4.6).
const LEAST_VIRTUAL: Span = Span::from_millis(25);
/// D: round trips of congestion avoidance after which the RTT matters less (§2.4.6).
const TRANSITION: u32 = 500;
/// No mark takes the window below this \[packets\].
const LEAST_WINDOW: f64 = 2.0;

/// Prague.
#[derive(Clone)]
pub struct Prague {
    window: Window,
    smoothed: Smoothed,
    /// α.
    alpha: f64,
    /// Packets reported since α moved: with a mark, and all.
    marked: u64,
    all: u64,
    /// When α moves next.
    next_alpha: Instant,
    /// Packets acknowledged that may add to the window, of the ACK under way.
    adding: f64,
    /// The last reduction by marks: the window before it, and until when another is of the same round trip.
    reduced: Option<(f64, Instant)>,
    round: Round,
    /// Round trips of congestion avoidance.
    rounds: u32,
    pacer: Pacer,
}

impl Prague {
    /// For a new connection.
    pub fn new(setup: &Setup) -> Prague {
        Prague {
            window: Window::new(setup),
            smoothed: Smoothed::default(),
            alpha: 1.0,
            marked: 0,
            all: 0,
            next_alpha: Instant::START,
            adding: 0.0,
            reduced: None,
            round: Round::default(),
            rounds: 0,
            pacer: Pacer::new(setup.timer),
        }
    }

    fn rtt(&self) -> Span {
        Span(self.smoothed.get() as u64)
    }

    /// The part of a packet that a round trip adds (§2.4.6).
    fn additive(&self) -> f64 {
        let part = self.rtt().secs() / LEAST_VIRTUAL.secs();
        if self.rounds < TRANSITION || part >= 1.0 { 1.0 } else { part * part }
    }

    /// So many packets of these arrived with a mark.
    fn marks(&mut self, now: Instant, marked: u64, all: u64) {
        self.marked = self.marked.saturating_add(marked);
        self.all = self.all.saturating_add(all);
        if marked > 0 && self.reduced.is_none_or(|(_, until)| now >= until) {
            let before = self.window.cwnd;
            self.reduced = Some((before, now.saturating_add(self.rtt())));
            self.window.shrink_to((before * (1.0 - self.alpha / 2.0)).max(LEAST_WINDOW));
        }
        if now >= self.next_alpha && self.all > 0 {
            let part = self.marked as f64 / self.all as f64;
            // Until there was a mark, α waits for the first.
            if self.reduced.is_some() {
                self.alpha = (self.alpha + GAIN * (part - self.alpha)).clamp(0.0, 1.0);
            }
            (self.marked, self.all) = (0, 0);
            self.next_alpha = now.saturating_add(self.rtt().max(LEAST_VIRTUAL));
        }
    }
}

impl Controller for Prague {
    fn sent(&mut self, packet: &Sent) {
        if self.rtt() > Span::ZERO {
            let gain = if self.window.in_slow_start() { 2.0 } else { 1.0 };
            self.pacer.sent(packet, gain, self.window.bytes(), self.rtt());
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if let Some(rtt) = ack.rtt.filter(|rtt| *rtt > Span::ZERO) {
            self.smoothed.sample(rtt.0 as f64);
        }
        if self.round.ends_with(ack) && !self.window.in_slow_start() {
            self.rounds = self.rounds.saturating_add(1);
        }
        if may_grow(ack) {
            let acked = self.window.packets(ack.bytes);
            if self.window.in_slow_start() { self.window.slow_start(acked) } else { self.adding += acked }
        }
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        let marked = ack.ecn.map_or(0, |ecn| ecn.ce);
        if let Some(ecn) = ack.ecn {
            let all = ecn.ce.saturating_add(ecn.ect0).saturating_add(ecn.ect1);
            self.marks(ack.now, marked, all);
        }
        let unmarked = (core::mem::take(&mut self.adding) - marked as f64).max(0.0);
        self.window.cwnd += unmarked * self.additive() / self.window.cwnd;
    }

    fn lost(&mut self, loss: &Lost) {
        let before = self.reduced.filter(|(_, until)| loss.now < *until).map_or(self.window.cwnd, |(before, _)| before);
        match loss.kind {
            LossKind::FastRetransmit | LossKind::Ecn => self.window.shrink_to(before / 2.0),
            LossKind::Timeout | LossKind::PersistentCongestion => self.window.restart_below(before / 2.0),
        }
        // Marks of before the loss are of what it answered.
        self.reduced = Some((before, loss.now.saturating_add(self.rtt())));
    }

    fn notice(&mut self, notice: &Notice) {
        match notice {
            Notice::Idle { timeouts, .. } => self.window.decay(*timeouts),
            Notice::AppLimited { .. } => self.pacer.interrupted(),
            _ => {}
        }
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let departure = if self.rtt() > Span::ZERO { self.pacer.departure(ask.now) } else { Departure::Now };
        Permit::paced(self.window.bytes(), departure)
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.window.gauges(plot);
        plot("alpha", self.alpha);
    }
}

#[cfg(test)]
mod tests;
