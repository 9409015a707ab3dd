//! TCP Symbiosis: the window follows the Lotka-Volterra competition model, fed by a measurement of the path (S §II-B, T §2.2).
//!
//! Composed of a law ([`law::Law`]: the model in closed form from ACK to ACK, with a rule for [`Gamma`]), a [`Measurement`] of capacity K
//! and available bandwidth A, and Reno for when nothing is known: before the first measurement slow start and congestion avoidance, half at
//! three duplicate ACKs, and after a timeout everything measured is discarded (T §2.2.2).
//!
//! There are two settings. `symbiosis-paper` is the papers to the letter. `symbiosis` adds what they lack, each part switchable:
//! - **pacing**: unpaced windows measure each other wrongly (`pacer`);
//! - **correction**: a correct A is smaller in a standing queue than S Eq 17 says it is, which makes the queue grow without bound in n.
//!   Feeding the model `K − A' = (K − A)·srtt/τ` restores S Eqs 19, 20 ([`corrected`]);
//! - **drains**: they keep τ true for flows that join a standing queue (`base_rtt`);
//! - **start**: slow start up to a part of the window the model will end at, instead of the model's slow beginning.

pub mod base_rtt;
pub mod delivery;
pub mod filter;
pub mod gamma;
pub mod law;
pub mod measurement;
pub mod oracle;
pub mod pacer;

use alloc::boxed::Box;

use crate::entry::{Entry, Feedback};
use crate::imtcp::ImTcp;
use crate::imtcp::published::PublishedImTcp;
use crate::lotka_volterra::Bandwidth;
use crate::oscillation::{OSCILLATION, Windowed, oscillating};
use crate::params::{Param, Values};
use crate::window::{Window, may_grow};
use crate::{Acked, Ask, Bytes, Controller, Course, Departure, Logistic, LossKind, Lost, Nanos, Outlook, Permit, Report, Sent, Setup};

use base_rtt::{BaseRtt, DRAIN_TO, Drains};
use delivery::Delivery;
use filter::{FILTER, FILTER_WINDOW, filtered};
use gamma::Gamma;
use law::{Law, Path};
use measurement::{Measurement, Reading};
use oracle::{Errors, Oracle};
use pacer::Pacer;

/// Growth rate of the papers (S §IV-A, I §4, B) \[1/s\].
pub const EPSILON: f64 = 1.95;
/// Competition coefficient of S, B and I; T §3 takes 0.95.
pub const GAMMA: f64 = 0.9;

const EPSILON_PARAM: Param = Param::number("epsilon", EPSILON, 0.001, 1000.0, "growth rate ε of the model [1/s] (S §IV-A: 1.95)");
const GAMMA_PARAM: Param = Param::number("gamma", GAMMA, 0.001, 0.999, "competition coefficient γ (S §IV-A: 0.9)");
const GAMMA_RULE: Param = Param::choice("gamma_rule", &["fixed", "noise-aware"], "γ as given, or lowered by measurement noise (T Eq 15)");
/// Where K and A come from; our own measurement unless told otherwise.
pub(crate) const MEASUREMENT: Param = Param::choice("measurement", &["imtcp", "imtcp-published", "oracle", "capacity"], ABOUT_MEASUREMENT);
/// The same, the published measurement unless told otherwise.
pub(crate) const PUBLISHED_MEASUREMENT: Param =
    Param::choice("measurement", &["imtcp-published", "imtcp", "oracle", "capacity"], ABOUT_MEASUREMENT);
const ABOUT_MEASUREMENT: &str = "where K and A come from: the data packets themselves, by our estimator or by the published one; a simulator's \
                                 own knowledge; or of that K alone, with A = K (S §III-D)";
pub(crate) const NOISE: Param = Param::number("noise", 0.0, 0.0, 10.0, "oracle: relative standard deviation of K − A (T §3.2)");
pub(crate) const NOISE_DOUBLES: Param =
    Param::number("noise_doubles_s", 0.0, 0.0, 1e6, "oracle: the noise doubles whenever this time has passed [s] (T §3.1: 100); 0: never");
pub(crate) const K_BIAS: Param = Param::number("k_bias", 0.0, -0.9, 3.0, "oracle: relative error of K, the same in every reading (S §V)");
pub(crate) const K_NOISE: Param =
    Param::number("k_noise", 0.0, 0.0, 1.0, "oracle: standard deviation of the relative error of K, new in every reading (S §V)");
pub(crate) const A_BIAS: Param = Param::number("a_bias", 0.0, -1.0, 3.0, "oracle: relative error of A, the same in every reading (S §V)");

pub(crate) const SUBRANGES: Param =
    Param::number("subranges", 10.0, 2.0, 30.0, "imtcp-published: sub-ranges of the search, a stream for each (B §3.2: 10 × 20 is best)");
pub(crate) const STREAM_PACKETS: Param =
    Param::number("stream_packets", 20.0, 5.0, 50.0, "imtcp-published: packets of a stream (5 to 10 in the published simulations)");

/// The best we can make.
pub const OURS: Entry = Entry {
    name: "symbiosis",
    about: "TCP Symbiosis with pacing, a corrected model input, drains and a fast start",
    params: &[
        EPSILON_PARAM,
        GAMMA_PARAM,
        GAMMA_RULE,
        MEASUREMENT,
        NOISE,
        NOISE_DOUBLES,
        K_BIAS,
        K_NOISE,
        A_BIAS,
        SUBRANGES,
        STREAM_PACKETS,
        FILTER,
        FILTER_WINDOW,
        Param::number("pacing", 1.25, 0.0, 100.0, "packets leave at this multiple of window/srtt; 0: when ACKs come"),
        Param::choice("law", &["logarithmic", "lotka-volterra"], "where the window goes: w* = Aτ + θ·x·ln(K/x), or the papers' law"),
        Param::number(
            "theta_ms",
            law::THETA.0 as f64 / 1e6,
            0.1,
            1000.0,
            "logarithmic: the queue that a flow asks for when it has 1/e of the link [ms]",
        ),
        Param::flag("correction", true, "feed the model (K − A)·srtt/τ, so that a standing queue stays as short as S Eq 20 says"),
        Param::number("drain_s", 10.0, 0.0, 1e6, "mean time between drains [s], which keep τ true; 0: none"),
        Param::flag("keep", true, "a loss takes no more from the window than is over Aτ: what is free is not congested"),
        Param::number("start", 0.8, 0.0, 1.0, "slow start up to this part of the model's equilibrium; 0: none"),
        OSCILLATION,
    ],
    feedback: Feedback::Acks,
    build: |setup, values| {
        let settings = Settings {
            pacing: Some(values.number("pacing")).filter(|gain| *gain > 0.0),
            drain: Some(values.number("drain_s")).filter(|period| *period > 0.0).map(Nanos::from_secs),
            start: values.number("start"),
            keep: values.flag("keep"),
        };
        let law = match values.word("law") {
            "logarithmic" => Law::Logarithmic { theta: Nanos::from_secs(values.number("theta_ms") / 1e3), packet: setup.packet },
            _ => lotka_volterra(values, values.flag("correction")),
        };
        oscillating(setup, values, Symbiosis::new(setup, values, law, settings))
    },
};

/// The papers to the letter.
pub const PAPER: Entry = Entry {
    name: "symbiosis-paper",
    about: "TCP Symbiosis as published: the closed form from ACK to ACK, lifetime minimum RTT, no pacing (S §II, T §2.2)",
    params: &[
        EPSILON_PARAM,
        GAMMA_PARAM,
        GAMMA_RULE,
        PUBLISHED_MEASUREMENT,
        NOISE,
        NOISE_DOUBLES,
        K_BIAS,
        K_NOISE,
        A_BIAS,
        SUBRANGES,
        STREAM_PACKETS,
        FILTER,
        FILTER_WINDOW,
        OSCILLATION,
    ],
    feedback: Feedback::Acks,
    build: |setup, values| oscillating(setup, values, Symbiosis::new(setup, values, lotka_volterra(values, false), Settings::default())),
};

/// What `symbiosis` adds to the papers; nothing by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Multiple of `w / srtt` at which packets leave.
    pub pacing: Option<f64>,
    /// Mean time between drains.
    pub drain: Option<Nanos>,
    /// Slow start up to this part of the equilibrium.
    pub start: f64,
    /// A loss takes no more from the window than is over Aτ.
    pub keep: bool,
}

/// The model ends no lower \[packets\]. With a single packet in flight there is nothing to measure with, and a path whose `Kτ` is less than
/// two packets is shared by loss and timeouts alone (T §4.2 has the same floor).
pub const LEAST_WINDOW: f64 = 2.0;

/// Who has at least this part of K is alone: nobody else keeps a queue standing, and there is nothing to drain.
const ALONE: f64 = 0.95;

/// Pacing before the first estimate, as a multiple of `w / srtt`: slow start doubles the window in a round trip.
const START_PACING: f64 = 2.0;

/// By how much the oracle is to err.
fn errors(values: &Values) -> Errors {
    Errors {
        capacity_bias: values.number("k_bias"),
        capacity_noise: values.number("k_noise"),
        available_bias: values.number("a_bias"),
        noise: values.number("noise"),
        doubles: Nanos::from_secs(values.number("noise_doubles_s")),
    }
}

/// The measurement of the name that a parameter gives, under the filter that another does.
pub(crate) fn measurement(setup: &Setup, values: &Values) -> Box<dyn Measurement> {
    let raw: Box<dyn Measurement> = match values.word("measurement") {
        "oracle" => Box::new(Oracle::new(errors(values), setup.seed)),
        "capacity" => Box::new(Oracle::of_capacity(errors(values), setup.seed)),
        "imtcp" => Box::new(ImTcp::new(setup)),
        "imtcp-published" => {
            let whole = |name| values.number(name) as usize;
            Box::new(PublishedImTcp::new(setup, whole("subranges"), whole("stream_packets")))
        }
        other => unreachable!("the parameter's declaration does not allow {other}"),
    };
    filtered(values, raw)
}

/// The papers' law with the constants that the parameters ask for.
fn lotka_volterra(values: &Values, correction: bool) -> Law {
    let gamma = values.number("gamma");
    let gamma = if values.word("gamma_rule") == "fixed" { Gamma::Fixed(gamma) } else { Gamma::noise_aware(gamma) };
    Law::LotkaVolterra { epsilon: values.number("epsilon"), gamma, correction }
}

/// What the model must be told in a standing queue.
///
/// There a flow's share of the link is `w/srtt`, not the `w/τ` of S Eq 17, so a correct measurement of the others' rate `K − A` is too
/// small by `τ/srtt` for the model to end where S Eqs 19, 20 say. The ratio is held between 1 and 2: beyond that it is not a standing
/// queue that is seen but an overload, and the answer to it is loss recovery's.
pub fn corrected(b: &Bandwidth, smoothed: Nanos, tau: Nanos) -> Bandwidth {
    let ratio = (smoothed.0 as f64 / tau.0.max(1) as f64).clamp(1.0, 2.0);
    Bandwidth { capacity: b.capacity, available: b.capacity - (b.capacity - b.available) * ratio }
}

/// Where one flow's window rests under the corrected input beside traffic that does not yield, `AKτ/(A + γ(K − A))` \[bytes\].
///
/// The link is full, so the flow gets A and its window is `A·srtt`; put that and [`corrected`] into S Eq 11 and solve for `srtt`. It lies
/// between `Aτ`, which leaves no queue, and S Eq 11's window.
pub fn corrected_rest(b: &Bandwidth, gamma: f64, tau: Nanos) -> f64 {
    let (k, a) = (b.capacity.bytes_per_s(), b.available.bytes_per_s());
    a * b.capacity.times(tau) / (a + gamma * (k - a))
}

/// The controller.
#[derive(Clone)]
pub struct Symbiosis {
    window: Window,
    law: Law,
    measurement: Box<dyn Measurement>,
    settings: Settings,
    /// The last result; none before the first and after a timeout.
    reading: Option<Reading>,
    delivery: Delivery,
    rtt: BaseRtt,
    drains: Option<Drains>,
    pacer: Pacer,
    /// The window has not yet come near the equilibrium.
    starting: bool,
    /// The previous ACK, from which the model's time counts.
    last_ack: Option<Nanos>,
    packet: Bytes,
}

impl Symbiosis {
    fn new(setup: &Setup, values: &Values, law: Law, settings: Settings) -> Symbiosis {
        Symbiosis {
            window: Window::new(setup),
            law,
            measurement: measurement(setup, values),
            settings,
            reading: None,
            delivery: Delivery::default(),
            rtt: BaseRtt::default(),
            drains: settings.drain.map(|period| Drains::new(period, setup.seed)),
            pacer: Pacer::default(),
            starting: settings.start > 0.0,
            last_ack: None,
            packet: setup.packet,
        }
    }

    /// What the law is told, once K, A and τ are known.
    fn path(&self) -> Option<Path> {
        let (measured, tau) = (self.reading?.bandwidth, self.rtt.tau()?);
        Some(Path { measured, tau, smoothed: self.rtt.smoothed(), delivered: self.delivery.rate() })
    }

    fn measured(&mut self, result: Option<Reading>) {
        if let Some(reading) = result.filter(Reading::is_sure) {
            self.law.measured(&reading.bandwidth);
            self.reading = Some(reading);
        }
    }

    /// The window answers an ACK that came `since` the one before.
    fn grow(&mut self, ack: &Acked, since: Nanos) {
        let acked = self.window.packets(ack.bytes);
        let Some(path) = self.path() else {
            self.window.grow_as_reno(acked);
            return;
        };
        let packet = self.packet.as_f64();
        let target = self.target(&path) / packet;
        if self.starting && self.window.cwnd < target {
            self.window.slow_start(acked.min(target - self.window.cwnd));
            return;
        }
        self.starting = false;
        self.window.cwnd = (self.law.step(self.window.cwnd * packet, &path, since) / packet).max(LEAST_WINDOW);
    }

    /// Slow start goes up to this \[bytes\].
    fn target(&self, path: &Path) -> f64 {
        self.settings.start * self.law.equilibrium(path)
    }

    /// What a loss that ACKs tell of takes nothing from \[bytes\]: what is free is not congested.
    fn kept(&self, path: &Path) -> f64 {
        if self.settings.keep { path.measured.available.times(path.tau) } else { 0.0 }
    }

    fn draining(&self, now: Nanos) -> bool {
        self.drains.as_ref().is_some_and(|drains| drains.draining(now, self.rtt.smoothed()))
    }
}

impl Controller for Symbiosis {
    fn sent(&mut self, packet: &Sent) {
        self.measurement.sent(packet);
        if let Some(gain) = self.settings.pacing {
            let gain = if self.reading.is_none() || self.starting { START_PACING } else { gain };
            self.pacer.sent(packet.now, packet.bytes, gain, self.window.bytes(), self.rtt.smoothed());
        }
    }

    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        self.rtt.acked(ack);
        let result = self.measurement.acked(ack);
        self.measured(result);
        if self.reading.is_some() && !self.measurement.holds() {
            self.reading = None;
            self.law.forget();
            // The window was right by what was known: no reason to double it.
            self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd);
        }
        // While anything is in flight ACKs come within a round trip. What is longer was a pause, and no time to grow in.
        let since = (ack.now - self.last_ack.unwrap_or(ack.now)).min(self.rtt.smoothed());
        self.delivery.acked(ack.bytes, ack.now - self.last_ack.unwrap_or(ack.now), self.rtt.smoothed());
        self.last_ack = Some(ack.now);
        if let Some(drains) = &mut self.drains
            && self.reading.is_some_and(|reading| reading.bandwidth.free() < ALONE)
        {
            drains.advance(ack.now);
        }
        // Time that passed in recovery, in a drain, or while the application had nothing to send is not the model's.
        if may_grow(ack) && !self.draining(ack.now) {
            self.grow(ack, since);
        }
    }

    fn lost(&mut self, loss: &Lost) {
        let before = self.window.cwnd;
        self.window.lose_as_reno(loss.kind);
        if let (LossKind::FastRetransmit, Some(path)) = (loss.kind, self.path()) {
            let free = self.kept(&path) / self.packet.as_f64();
            self.window.cwnd = self.window.cwnd.max(free.min(before));
            self.window.ssthresh = self.window.ssthresh.max(self.window.cwnd);
        }
        if loss.kind == LossKind::Timeout {
            self.reading = None;
            self.measurement.forget();
            self.law.forget();
            self.starting = self.settings.start > 0.0;
        }
    }

    fn report(&mut self, report: &Report) {
        let result = self.measurement.report(report);
        self.measured(result);
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let window = self.window.bytes();
        let window = if self.draining(ask.now) {
            Bytes::from_f64((window.as_f64() * DRAIN_TO).max(LEAST_WINDOW * self.packet.as_f64())).min(window)
        } else {
            window
        };
        let departure = match self.measurement.departure() {
            Departure::Now if self.settings.pacing.is_some() => self.pacer.departure(ask.now),
            wanted => wanted,
        };
        Permit { window, departure }
    }

    fn wants_arrivals(&self) -> bool {
        self.measurement.wants_arrivals()
    }

    fn outlook(&self, now: Nanos) -> Outlook {
        let course = match self.path() {
            None => Course::Reno,
            Some(_) if self.draining(now) => Course::Still,
            Some(path) => Course::Logistic(Logistic {
                start: Bytes::from_f64(if self.starting { self.target(&path) } else { 0.0 }),
                growth: self.law.growth(&path),
                equilibrium: Bytes::from_f64(self.law.equilibrium(&path)),
                kept: Bytes::from_f64(self.kept(&path)),
            }),
        };
        Outlook { course, rehearsal: Some(Box::new(self.clone())) }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.law.gauges(plot);
        if let Some(tau) = self.rtt.tau() {
            plot("tau_ms", tau.millis());
        }
        if let Some(reading) = &self.reading {
            reading.gauges(plot);
        }
        if let Some(path) = self.path() {
            plot("equilibrium_packets", self.law.equilibrium(&path) / self.packet.as_f64());
        }
        self.measurement.gauges(plot);
    }
}

impl Windowed for Symbiosis {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
