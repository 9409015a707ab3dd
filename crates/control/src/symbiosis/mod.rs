//! TCP Symbiosis: the window follows the Lotka-Volterra competition model, fed by a measurement of the path (S §II-B, T §2.2).
//!
//! Composed of a law ([`law::Law`]: the model in closed form from ACK to ACK, with a rule for [`Gamma`](gamma::Gamma)), a [measurement](Host) of capacity K
//! and available bandwidth A, and Reno for when nothing is known: before the first measurement slow start and congestion avoidance, half at
//! three duplicate ACKs, and after a timeout everything measured is discarded (T §2.2.2).
//!
//! There are two settings. `symbiosis-paper` is what the papers describe. `symbiosis` adds what they lack, each part switchable:
//! - **pacing**: unpaced windows measure each other wrongly (`pacer`);
//! - **correction**: a correct A is smaller in a standing queue than S Eq 17 says it is, which makes the queue grow without bound in n.
//!   Feeding the model `K − A' = (K − A)·srtt/τ` restores S Eqs 19, 20 ([`law::corrected`]);
//! - **min-RTT probes**: they keep τ true for flows that join a standing queue (`probe_rtt`);
//! - **competition**: beside flows that fill the buffer the window is CUBIC's (`rivalry`), and where round-trip times leap (`jitter`);
//! - **slow-start target**: slow start up to a part of the window the model will end at, instead of the model's slow beginning.

mod answers;
mod builder;
mod ceiling;
mod chance;
mod contest;
mod doubt;
mod eased;
mod entries;
pub mod gamma;
mod gauges;
mod held_up;
mod jitter;
pub mod law;
mod own_burst;
mod pacing;
mod probe_rtt;
mod refill;
mod rivalry;
mod sawtooth;
mod settings;

use crate::delayed_ack::DelayedAcks;
use crate::lotka_volterra::Bandwidth;
use crate::measurement::{Host, News};
use crate::pacer::Pacer;
use crate::rtt::BaseRtt;
use crate::window::{Window, Windowed, may_grow};
use crate::{
    Acked, Ask, Basis, Bytes, Controller, Departure, Instant, LossKind, Lost, Notice, PacketLost, Permit, Rate, Report, Sent, Setup, Span,
};

pub use builder::{Builder, EPSILON, GAMMA, PROBE_RTT_INTERVAL};
pub use entries::{OURS, PAPER};
pub use probe_rtt::probe_timing;

use ceiling::Ceiling;
use doubt::Doubt;
use eased::Eased;
use held_up::HeldUp;
use jitter::Jitter;
use law::{Law, Path};
use own_burst::OwnBurst;
use probe_rtt::{ProbeRtt, Share};
use rivalry::Rivalry;
use sawtooth::Sawtooth;
use settings::Settings;

/// The model ends no lower \[packets\]. With a single packet in flight there is nothing to measure with, and a path whose `Kτ` is less than
/// two packets is shared by loss and timeouts alone (T §4.2 has the same floor).
pub const LEAST_WINDOW: f64 = 2.0;

/// The controller.
#[derive(Clone)]
pub struct Symbiosis {
    window: Window,
    law: Law,
    host: Host,
    settings: Settings,
    rtt: BaseRtt,
    probe_rtt: Option<ProbeRtt>,
    /// The round-trip time, averaged over [`MEMORY`](law::MEMORY) smoothed ones \[s\].
    mean: f64,
    own_burst: OwnBurst,
    held_up: HeldUp,
    jitter: Jitter,
    pacer: Pacer,
    ceiling: Ceiling,
    rivalry: Rivalry,
    sawtooth: Sawtooth,
    doubt: Doubt,
    delayed: DelayedAcks,
    /// When a round-trip time was measured last that no receiver can have made longer.
    told: Option<Instant>,
    eased: Eased,
    /// Acknowledged since a round-trip time was measured last.
    unsampled: Bytes,
    /// The window has not yet come near the equilibrium, and no loss has ended its slow start.
    starting: bool,
    /// It has come near.
    arrived: bool,
    /// It gave up what stood in the queue then. The law takes the window over the smoothed round-trip time for what the flow gets through: until the new window's packets are
    /// answered that is what stood in the queue less, once more.
    left: Instant,
    /// The previous ACK, from which the model's time counts.
    last_ack: Option<Instant>,
    packet: Bytes,
}

impl Symbiosis {
    fn new(setup: &Setup, host: Host, law: Law, settings: Settings) -> Symbiosis {
        Symbiosis {
            window: Window::new(setup),
            law,
            host,
            settings,
            rtt: BaseRtt::default(),
            probe_rtt: settings.probe_rtt_interval.map(|interval| ProbeRtt::new(interval, settings.competes)),
            mean: 0.0,
            own_burst: OwnBurst::default(),
            held_up: HeldUp::default(),
            jitter: Jitter::default(),
            pacer: Pacer::new(setup.timer),
            ceiling: Ceiling::default(),
            rivalry: Rivalry::default(),
            sawtooth: Sawtooth::default(),
            doubt: Doubt::default(),
            delayed: DelayedAcks::default(),
            told: None,
            eased: Eased::default(),
            unsampled: Bytes::ZERO,
            starting: settings.slow_start_target > 0.0,
            arrived: false,
            left: Instant::START,
            last_ack: None,
            packet: setup.packet,
        }
    }

    /// K and A, as far as losses leave them, and τ, once they are known.
    fn known(&self) -> Option<(Bandwidth, Span)> {
        let (mut measured, tau) = (self.reading()?.bandwidth, self.tau()?);
        if let Some(most) = self.ceiling.rate().filter(|_| self.settings.loss_floor) {
            measured.capacity = measured.capacity.clamp(Rate::ZERO, most);
            measured.available = measured.available.clamp(Rate::ZERO, measured.capacity);
        }
        Some((measured, tau))
    }

    /// What the law is told, once K, A and τ are known.
    fn path(&self) -> Option<Path> {
        let (measured, tau) = self.known()?;
        let (smoothed, mean) = (self.rtt.smoothed(), Span::from_secs(self.mean));
        let (delivered, theta) = (Rate::of(self.window.bytes(), smoothed), self.law.theta(self.capacity()?));
        Some(Path { measured, tau, smoothed, mean, delivered, theta, eased: self.eased.part() })
    }

    fn tau(&self) -> Option<Span> {
        self.probe_rtt.as_ref().map_or(self.rtt.tau(), ProbeRtt::tau)
    }

    fn hear(&mut self, news: News) {
        match news {
            News::Nothing => {}
            News::Reading(reading) => self.law.measured(&reading.bandwidth),
            News::Expired => {
                self.law.forget();
                if self.ends_with_reading() {
                    self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd);
                }
            }
        }
    }

    /// The window answers an ACK that came `since` the one before.
    fn grow(&mut self, ack: &Acked, since: Span, path: Option<Path>) {
        let grows = ack.grows || (self.window.in_slow_start() && self.is_chance());
        let acked = if grows { self.window.packets(ack.bytes) } else { 0.0 };
        let Some(path) = path else {
            self.window.grow_as_reno(acked);
            return;
        };
        let packet = self.packet.as_f64();
        if self.starting {
            let target = (self.settings.slow_start_target * self.law.rest(&path) / packet).max(self.returns_to().unwrap_or(0.0));
            if self.window.cwnd < target {
                self.window.slow_start(acked.min(target - self.window.cwnd));
                return;
            }
        }
        self.starting = false;
        let stepped = self.law.step(self.window.cwnd * packet, &path, since) / packet;
        // Whatever was measured: no faster than slow start.
        let most = if self.settings.loss_floor { self.window.cwnd + self.window.packets(ack.bytes) } else { f64::INFINITY };
        let doubts = self.suspects(ack.now, &path) || self.rivalry.doubts();
        let least = if doubts { self.doubt.claim.min(self.window.cwnd) } else { 0.0 };
        self.window.cwnd = stepped.min(most).max(least).max(LEAST_WINDOW);
        self.arrives(&path);
    }

    /// The queue that bridges what holds up the hosts; losses take of it what they take of θ.
    fn bridge(&self) -> Span {
        self.held_up.bridge().scale(self.eased.part())
    }
}

impl Controller for Symbiosis {
    fn sent(&mut self, packet: &Sent) {
        let planned = match self.wanted() {
            Departure::Now => self.pacer.planned(),
            Departure::At(at) | Departure::IgnoreWindow(at) => at,
        };
        let late = if self.settings.pacing.is_some() { packet.now - planned.max(packet.ready_at) } else { Span::ZERO };
        self.held_up.sent(packet.now, late);
        self.delayed.sent(packet);
        self.host.sent(packet);
        self.paces(packet, late);
    }

    fn acked(&mut self, ack: &Acked) {
        self.window.progress(ack);
        let [measured, ack] = &self.answered(ack);
        let known = self.known().filter(|_| self.settings.loss_floor && !self.starting);
        let bridge = known.map_or(Span::ZERO, |_| self.bridge());
        let rtt = known.zip(self.capacity()).map_or(ack.rtt, |((_, tau), k)| self.own_burst.without(ack, k, self.packet, tau, bridge));
        let heard = self.probe_rtt.as_ref().is_some_and(ProbeRtt::is_heard);
        if !heard && self.settings.loss_floor {
            self.rtt.acked_at_once(ack, rtt, self.host.is_held_back() && !self.goes_by_losses());
        } else if !heard {
            self.rtt.acked_without(ack, rtt);
        }
        if !ack.app_limited {
            // By the round-trip time of late: the bridge is a queue that stands, whatever the last packets met.
            let kept = bridge.saturating_add(self.held_up.answers().max(self.rtt.held_back()));
            let hosts = known.filter(|_| kept > Span::ZERO).map_or(0.0, |(_, tau)| kept.secs() / self.mean.max(tau.secs()));
            self.own_burst.measure(self.rtt.smoothed(), hosts);
        }
        let news = self.host.acked(measured);
        self.hear(news);
        self.leaps(ack);
        if self.is_chance() {
            self.window.ssthresh = f64::INFINITY;
        }
        // While anything is in flight ACKs come within a round trip. What is longer was a pause, and no time to grow in.
        let since = (ack.now - self.last_ack.unwrap_or(ack.now)).min(self.rtt.smoothed());
        self.last_ack = Some(ack.now);
        self.eased.passes(since);
        let smoothed = self.rtt.smoothed();
        self.ceiling.acked(ack.now, ack.bytes, smoothed);
        self.unsampled += ack.bytes;
        let competes = self.rivalry.competes();
        let contested = competes || self.doubt.stands(ack.now);
        let own_kind_rtt = self.own_kind_rtt();
        let (capacity, returns) = (self.capacity(), self.returns_to().is_some());
        if let (Some(probe), Some(rtt)) = (&mut self.probe_rtt, ack.rtt.filter(|rtt| *rtt > Span::ZERO)) {
            let acked = core::mem::replace(&mut self.unsampled, Bytes::ZERO);
            // Who is Reno, or on its way back, has no share to get wrong.
            let share = capacity.filter(|_| !returns).map(|k| Share {
                service: k.time_for(self.packet),
                flight: k.time_for(self.window.bytes()),
                acked: k.time_for(acked),
                smoothed,
                mean: Span::from_secs(self.mean),
                own_kind_rtt,
                contested,
                competes,
                bridge,
            });
            if let Some(verdict) = probe.acked(ack.now, rtt, share.as_ref()) {
                self.judge(ack.now, &verdict);
            }
        }
        self.watches(ack);
        // With the mean as it becomes, the law steps by the same.
        let mut path = if heard { None } else { self.path() };
        if !heard {
            let now = path.as_ref().map_or(smoothed.secs(), |path| self.law.noted(path));
            let weight = if self.mean > 0.0 { (since.secs() / (law::MEMORY * smoothed.secs())).min(1.0) } else { 1.0 };
            self.mean += weight * (now - self.mean);
            path.iter_mut().for_each(|path| path.mean = Span::from_secs(self.mean));
        }
        // Time that passed in a min-RTT probe, or while the application had nothing to send, is not the model's; the papers' law does not step in
        // recovery either. Ours does: above a loss a round trip all time is recovery.
        if self.goes_by_losses() {
            let half = self.half();
            self.rivalry.grow(&mut self.window, ack, half, heard);
            return;
        }
        let steps = may_grow(ack) || (self.settings.loss_floor && !ack.app_limited);
        if steps && !heard && ack.sent_at >= self.left {
            self.grow(ack, since, path);
        }
    }

    fn packet_lost(&mut self, packet: &PacketLost) {
        self.host.packet_lost(packet);
        self.ceiling.lost();
    }

    fn lost(&mut self, loss: &Lost) {
        let before = self.window.cwnd;
        self.doubt.lost(loss.now);
        if self.goes_by_losses() {
            self.rivalry.lose(&mut self.window, loss);
            return;
        }
        // A timeout without a queue is a loss like another, but for the silence before it, after which slow start leads back to where the
        // window was. The same packet's second is no longer: the path may be another.
        let persists = loss.kind == LossKind::PersistentCongestion || self.window.is_backed_off();
        let forgets = !self.settings.loss_floor || persists || self.path().is_none_or(|path| self.law.is_queued(&path));
        if loss.kind == LossKind::FastRetransmit && self.is_chance() {
            self.window.shrink_to(ceiling::CHANCE_LEAVES * self.window.cwnd);
            return;
        }
        self.window.lose_as_reno(loss.kind);
        if let (LossKind::FastRetransmit, Some(path)) = (loss.kind, self.path()) {
            // What is free is not congested.
            let free = if self.settings.loss_floor { path.measured.available.times(path.tau) / self.packet.as_f64() } else { 0.0 };
            self.window.cwnd = self.window.cwnd.max(free.min(before));
            self.window.ssthresh = self.window.ssthresh.max(self.window.cwnd);
            self.eased.lost();
            self.starting &= !self.settings.loss_floor;
        }
        if loss.kind.collapses() {
            self.ceiling.restart();
            if forgets {
                self.host.forget();
                self.law.forget();
            }
            self.starting = self.settings.slow_start_target > 0.0;
            self.arrived = false;
        }
    }

    fn report(&mut self, report: &Report) {
        let news = self.host.report(report);
        self.hear(news);
    }

    fn notice(&mut self, notice: &Notice) {
        match *notice {
            Notice::AppLimited { .. } => self.pacer.interrupted(),
            Notice::HostWindow { window, ssthresh } if self.path().is_none() => self.window.set(window, ssthresh),
            _ => {}
        }
    }

    fn permit(&self, ask: &Ask) -> Permit {
        let whole = self.in_packets(self.whole().0);
        let flight = || self.capacity().map_or(Span::ZERO, |k| k.time_for(whole));
        let part = self.probe_rtt.as_ref().map_or(1.0, |probe| probe.part(ask.now, flight, self.rtt.smoothed()));
        let window = Bytes::from_f64((whole.as_f64() * part).max(LEAST_WINDOW * self.packet.as_f64())).min(whole);
        let departure = match self.wanted() {
            Departure::Now if self.settings.pacing.is_some() => self.pacer.departure(ask.now),
            wanted => wanted,
        };
        Permit { window, departure }
    }

    fn wants_arrivals(&self) -> bool {
        self.host.wants_arrivals()
    }

    fn basis(&self, now: Instant) -> Basis {
        match self.path() {
            None if self.jitter.rules() => Basis::Law,
            None => Basis::Reno(self.host.unknown()),
            Some(_) if self.probe_rtt.as_ref().is_some_and(|probe| probe.under_way(now)) => Basis::ProbeRtt,
            Some(_) if self.starting => Basis::SlowStart,
            Some(_) => Basis::Law,
        }
    }

    fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        self.plots(plot);
    }
}

impl Windowed for Symbiosis {
    fn window_mut(&mut self) -> &mut Window {
        &mut self.window
    }
}

#[cfg(test)]
mod tests;
