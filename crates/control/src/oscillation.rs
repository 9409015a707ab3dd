//! Self-induced oscillation around any controller that holds a window (T §4.2): the window never rests, so that a sudden change of the
//! path finds it high or low by chance, and the queue runs empty now and then.
//!
//! To the law's own `dw/dt` it adds `m·w·ξ(t)`, ξ Gaussian white noise (T Eq 17). Its integral is Brownian motion: after each ACK's
//! step of the law `w += m·w·√Δt·z`, z ~ N(0, 1), Δt in seconds since the ACK before, and the law goes on from there (T Eq 18). So the
//! unit of m is 1/√s, and what it does depends neither on the RTT nor on how many ACKs come. What it does to the model in the end is
//! in `symbiosis-theory`'s `stationary`.
//!
//! Where it deviates: T's text below Eq 18 accumulates `N(0, 1)` once an ACK whatever the time between, which is no solution of T Eq 17 and
//! grows without bound; T's condition (2), increments of variance |h|, is what is meant. T has no bound on the window; here it stays above two
//! packets. Where a window may not grow (recovery, an idle application) it does not oscillate either.

use alloc::boxed::Box;

use symbiosis_base::Random;

use crate::params::{Param, Values};
use crate::window::{Windowed, may_grow};
use crate::{AckProcessed, Acked, Ask, Basis, Controller, Instant, Lost, Migration, Notice, PacketLost, Permit, Report, Sent, Setup, Span};

/// Degree of the oscillation, of every controller with a window. T §4.3 finds 0.3 good and 0.5 too much.
pub const OSCILLATION: Param =
    Param::number("oscillation", 0.0, 0.0, 0.5, "degree m of self-induced oscillation [1/√s] (T Eq 17: 0.3 good, 0.5 too much); 0: none");

/// No oscillation takes a window below this many packets: with one in flight nothing can be measured.
const LEAST_WINDOW: f64 = 2.0;
/// Nor above this many, beyond every real path: a window that nothing answers would walk on for ever.
pub const GREATEST_WINDOW: f64 = u32::MAX as f64;

/// The controller, under the oscillation that `values` asks for.
pub fn oscillating<C: Windowed + 'static>(setup: &Setup, values: &Values, inner: C) -> Box<dyn Controller> {
    let degree = values.number(OSCILLATION.name);
    if degree > 0.0 { Box::new(Oscillating::new(setup, degree, inner)) } else { Box::new(inner) }
}

/// A controller whose window oscillates.
#[derive(Clone)]
struct Oscillating<C> {
    inner: C,
    /// m \[1/√s\].
    degree: f64,
    random: Random,
    /// The ACK before, which time counts from.
    last_ack: Option<Instant>,
    /// The last round-trip time. While anything is in flight ACKs come within it; what is longer was a pause.
    rtt: Span,
}

impl<C: Windowed> Oscillating<C> {
    fn new(setup: &Setup, degree: f64, inner: C) -> Oscillating<C> {
        Oscillating { inner, degree, random: Random::new(setup.seed, 3), last_ack: None, rtt: Span::ZERO }
    }
}

impl<C: Windowed + 'static> Controller for Oscillating<C> {
    fn sent(&mut self, packet: &Sent) {
        self.inner.sent(packet);
    }

    fn acked(&mut self, ack: &Acked) {
        self.inner.acked(ack);
        self.rtt = ack.rtt.unwrap_or(self.rtt);
        let since = (ack.now - self.last_ack.unwrap_or(ack.now)).min(self.rtt);
        self.last_ack = Some(ack.now);
        if may_grow(ack) {
            let relative = self.degree * libm::sqrt(since.secs()) * self.random.normal();
            let window = self.inner.window_mut();
            let least = window.cwnd.min(LEAST_WINDOW);
            window.cwnd = (window.cwnd * (1.0 + relative)).clamp(least, GREATEST_WINDOW);
        }
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.inner.packet_lost(packet);
    }

    fn lost(&mut self, loss: &Lost) {
        self.inner.lost(loss);
    }

    fn ack_processed(&mut self, ack: &AckProcessed) {
        self.inner.ack_processed(ack);
    }

    fn notice(&mut self, notice: &Notice) {
        self.inner.notice(notice);
    }

    fn path_changed(&mut self, now: Instant) -> Migration {
        self.inner.path_changed(now)
    }

    fn report(&mut self, report: &Report) {
        self.inner.report(report);
    }

    fn permit(&self, ask: &Ask) -> Permit {
        self.inner.permit(ask)
    }

    fn wants_arrivals(&self) -> bool {
        self.inner.wants_arrivals()
    }

    fn basis(&self, now: Instant) -> Basis {
        self.inner.basis(now)
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.inner.gauges(plot);
    }
}

#[cfg(test)]
mod tests;
