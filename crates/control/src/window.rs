//! The window of TCP's loss-based family: slow start, ssthresh, and what a loss does to both (RFC 5681). Reno's relatives differ only in
//! a [`Law`]; controllers that fall back to Reno hold a [`Window`] and use its parts.
//!
//! Where it deviates: a loss halves the window and not the flight (as ns-2 and Linux do), and it never makes a window larger than it was.

use crate::hystart::HyStart;
use crate::params::Param;
use crate::{Acked, Ask, Bytes, Controller, Instant, LossKind, Lost, Notice, Permit, Setup};

/// No loss halves a window below this many packets (RFC 5681 Eq 4).
pub const LEAST_SSTHRESH: f64 = 2.0;

/// Whether slow start goes by round-trip times.
pub const HYSTART: Param = Param::flag("hystart", false, "end the first slow start when round-trip times rise: HyStart++ (RFC 9406)");

/// A congestion window and its slow-start threshold, in packets of full size.
#[derive(Clone, Debug)]
pub struct Window {
    /// Congestion window \[packets\].
    pub cwnd: f64,
    /// Slow start below it, congestion avoidance from it on \[packets\].
    pub ssthresh: f64,
    packet: Bytes,
    /// Window of a new connection \[packets\].
    initial: f64,
    /// The timer expired and nothing was acknowledged since.
    backed_off: bool,
}

/// A controller whose decision is a [`Window`].
pub trait Windowed: Controller + Clone {
    /// The window, which its law goes on from whatever it is set to.
    fn window_mut(&mut self) -> &mut Window;
}

impl Window {
    /// The window of a connection that begins so.
    pub fn new(setup: &Setup) -> Window {
        let mut window = Window { cwnd: 1.0, ssthresh: f64::INFINITY, packet: setup.packet, initial: 1.0, backed_off: false };
        window.set(setup.initial_window, setup.ssthresh);
        Window { initial: window.cwnd, ..window }
    }

    /// What it is from now on.
    pub fn set(&mut self, window: Bytes, ssthresh: Option<Bytes>) {
        self.cwnd = window.packets(self.packet).max(1.0);
        self.ssthresh = ssthresh.map_or(f64::INFINITY, |ssthresh| ssthresh.packets(self.packet));
    }

    /// Whether slow start rules.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// In bytes, for a [`Permit`].
    pub fn bytes(&self) -> Bytes {
        Bytes::from_f64(self.cwnd * self.packet.as_f64())
    }

    /// Acknowledged bytes in packets.
    pub fn packets(&self, bytes: Bytes) -> f64 {
        bytes.packets(self.packet)
    }

    /// Something was acknowledged. If in order, the next timeout is of another packet; above a gap, the packet that timed out is missing
    /// still.
    pub fn progress(&mut self, ack: &Acked) {
        if ack.grows {
            self.backed_off = false;
        }
    }

    /// Slow start: one packet for each acknowledged (RFC 5681 Eq 2).
    pub fn slow_start(&mut self, acked: f64) {
        self.cwnd += acked;
    }

    /// Reno's growth: slow start below the threshold, else one packet a round trip (RFC 5681 Eqs 2, 3).
    pub fn grow_as_reno(&mut self, acked: f64) {
        if self.in_slow_start() { self.slow_start(acked) } else { self.cwnd += acked / self.cwnd }
    }

    /// Reno's answer to a congestion event: half, and after a timeout from one packet (RFC 5681 Eq 4).
    pub fn lose_as_reno(&mut self, kind: LossKind) {
        let half = self.cwnd / 2.0;
        if kind.collapses() { self.restart_below(half) } else { self.shrink_to(half) }
    }

    /// A loss found by duplicate ACKs or a mark: threshold and window become `to` packets (RFC 5681 Eq 4).
    pub fn shrink_to(&mut self, to: f64) {
        self.ssthresh = to.max(LEAST_SSTHRESH);
        self.cwnd = self.cwnd.min(self.ssthresh);
    }

    /// A timeout: threshold as after any loss, window one packet (RFC 5681 §3.1). A timeout of a packet that was repeated by a timeout
    /// before leaves the threshold alone (RFC 5681 §3.1, below Eq 4).
    pub fn restart_below(&mut self, ssthresh: f64) {
        if !self.backed_off {
            self.ssthresh = ssthresh.max(LEAST_SSTHRESH);
        }
        self.backed_off = true;
        self.cwnd = 1.0;
    }

    /// Silence of so many retransmission timeouts (RFC 5681 §4.1, softened as Linux does by RFC 2861 §3.1): the window is halved for each of
    /// them, but is not less than a new connection's; slow start leads back to three quarters of what it was.
    pub fn decay(&mut self, timeouts: u64) {
        self.ssthresh = self.ssthresh.max(0.75 * self.cwnd);
        let halves = timeouts.min(64) as i32;
        self.cwnd = libm::ldexp(self.cwnd, -halves).max(self.initial.min(self.cwnd));
    }

    /// Whether a timeout now would be of a packet that already timed out.
    pub fn is_backed_off(&self) -> bool {
        self.backed_off
    }

    /// The threshold for the plot, once there is one. The window every world shows by itself.
    pub fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if self.ssthresh.is_finite() {
            plot("ssthresh_packets", self.ssthresh);
        }
    }
}

/// Whether a window may grow for this packet: when its ACK lets it, and the window was what held the sender back.
pub fn may_grow(ack: &Acked) -> bool {
    ack.grows && !ack.app_limited
}

/// How a member of the loss-based family grows after slow start and what it keeps at a loss. All windows in packets.
pub trait Law: Send + Clone {
    /// Growth in congestion avoidance for `acked` packets \[packets\]; below zero shrinks.
    fn growth(&mut self, cwnd: f64, acked: f64, ack: &Acked) -> f64;

    /// The window after a loss at `cwnd`.
    fn after_loss(&mut self, cwnd: f64, now: Instant) -> f64;

    /// A timeout follows `after_loss`: forget what no longer holds.
    fn timeout(&mut self) {}

    /// An ACK came for which the window may not grow.
    fn paused(&mut self) {}

    /// State for the plot, beside the window and its threshold.
    fn gauges(&self, _plot: &mut dyn FnMut(&'static str, f64)) {}
}

/// A controller of the loss-based family: slow start, a [`Law`], and recovery as every TCP does it.
#[derive(Clone)]
pub struct LossBased<L> {
    window: Window,
    law: L,
    /// Only where slow start goes by round-trip times.
    hystart: Option<HyStart>,
    /// What the last congestion event changed, for when it turns out to have been none.
    before: Option<(Window, L)>,
}

impl<L: Law> LossBased<L> {
    /// A controller under `law` for a new connection.
    pub fn new(setup: &Setup, law: L) -> LossBased<L> {
        LossBased { window: Window::new(setup), law, hystart: None, before: None }
    }

    /// The same with HyStart++ in its first slow start, if so said.
    #[must_use]
    pub fn with_hystart(self, given: bool) -> LossBased<L> {
        LossBased { hystart: given.then(HyStart::default), ..self }
    }
}

impl<L: Law + 'static> Controller for LossBased<L> {
    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        if !may_grow(ack) {
            self.law.paused();
            return;
        }
        let acked = self.window.packets(ack.bytes);
        if self.window.in_slow_start() {
            // RFC 9406 §4.3: only the first slow start.
            match self.hystart.as_mut().map(|hystart| hystart.growth(acked, ack)) {
                None => self.window.slow_start(acked),
                Some(Some(growth)) => self.window.slow_start(growth),
                Some(None) => {
                    self.window.ssthresh = self.window.cwnd;
                    self.hystart = None;
                }
            }
        } else {
            self.window.cwnd = (self.window.cwnd + self.law.growth(self.window.cwnd, acked, ack)).max(1.0);
        }
    }

    fn lost(&mut self, loss: &Lost) {
        if loss.kind.collapses() && self.window.is_backed_off() {
            return; // The same packet again: window and law are where the first timeout left them.
        }
        self.hystart = None;
        self.before = Some((self.window.clone(), self.law.clone()));
        let kept = self.law.after_loss(self.window.cwnd, loss.now);
        match loss.kind {
            LossKind::FastRetransmit | LossKind::Ecn => self.window.shrink_to(kept),
            LossKind::Timeout | LossKind::PersistentCongestion => {
                self.window.restart_below(kept);
                self.law.timeout();
            }
        }
    }

    fn notice(&mut self, notice: &Notice) {
        match notice {
            // RFC 4015 §3.2 and RFC 9438 §4.9.2, as Linux does it: the window is at least what it was, and the law goes on from there.
            Notice::Spurious { .. } => {
                let Some((window, law)) = self.before.take() else { return };
                let grown = self.window.cwnd;
                (self.window, self.law) = (window, law);
                self.window.cwnd = self.window.cwnd.max(grown);
                self.law.paused();
            }
            Notice::Idle { timeouts, .. } => {
                self.window.decay(*timeouts);
                self.law.paused();
            }
            _ => {}
        }
    }

    fn permit(&self, _ask: &Ask) -> Permit {
        Permit::window(self.window.bytes())
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.window.gauges(plot);
        self.law.gauges(plot);
    }
}

impl<L: Law + 'static> Windowed for LossBased<L> {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
