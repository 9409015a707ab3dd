//! Where the window goes, given what is known of the path: the part of the model that can be exchanged.
//!
//! In a full FIFO queue a correct A is the flow's own share x of the link, whatever the others do. The papers' law then rests where the
//! queue `q` holds `(1 − γ)τ(K/x − 1)`: it grows with the number of flows, and a longer base RTT τ asks for more of it, so that the longer
//! RTT wins. The logarithmic law asks for `w* = Aτ + θ·x·ln(K/x)`, which rests at `q = θ·ln(K/x)`: the same queue for everybody makes
//! the same share for everybody, whatever their RTT, and n flows leave `Kθ·ln n`.

use crate::lotka_volterra::{Bandwidth, LotkaVolterra, logistic};
use crate::{Bytes, Rate, Span};

use super::gamma::Gamma;

/// What the model must be told in a standing queue.
///
/// There a flow's share of the link is `w/srtt`, not the `w/τ` of S Eq 17, so a correct measurement of the others' rate `K − A` is too
/// small by `τ/srtt` for the model to end where S Eqs 19, 20 say. The ratio is held between 1 and 2: beyond that it is not a standing
/// queue that is seen but an overload, and the answer to it is loss recovery's.
pub fn corrected(b: &Bandwidth, smoothed: Span, tau: Span) -> Bandwidth {
    let ratio = (smoothed.0 as f64 / tau.0.max(1) as f64).clamp(1.0, 2.0);
    Bandwidth { capacity: b.capacity, available: b.capacity - (b.capacity - b.available) * ratio }
}

/// What a law is told.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// K and A as measured.
    pub measured: Bandwidth,
    /// Base round-trip time τ.
    pub tau: Span,
    /// Smoothed round-trip time.
    pub smoothed: Span,
    /// The round-trip time of late: averaged over [`MEMORY`] smoothed ones.
    pub mean: Span,
    /// What the flow gets through, x: its window over the smoothed round-trip time. Of what is acknowledged one knows a round trip later,
    /// and a window of less than three packets would be taken for two.
    pub delivered: Rate,
    /// θ of this path ([`Law::theta`]) \[s\].
    pub theta: f64,
    /// The part of θ that losses have left.
    pub eased: f64,
}

impl Path {
    /// What the flow would have in flight without a queue, `xτ` \[packets\].
    pub fn claim(&self, packet: Bytes) -> f64 {
        self.delivered.times(self.tau) / packet.as_f64()
    }
}

/// A law of motion of the window.
#[derive(Clone, Debug)]
pub enum Law {
    /// The papers' (S Eq 9, T Eq 9), with A as it is or corrected for the standing queue ([`corrected`]).
    LotkaVolterra {
        /// ε \[1/s\].
        epsilon: f64,
        /// γ.
        gamma: Gamma,
        /// Whether A is corrected.
        correction: bool,
    },
    /// `dw/dt = εw(1 − w/w*)` with `w* = Aτ + θ·x·ln(K/x)`.
    Logarithmic {
        /// θ, but for what whole packets add: the queue that a flow asks for when it has 1/e of the link.
        theta: Span,
        /// A full packet.
        packet: Bytes,
    },
}

/// ε of the logarithmic law is this over the smoothed round-trip time, which is half of where its delay makes it swing (ε·RTT = π/2), but
/// at most so much \[1/s\].
const SPEED: f64 = 0.8;
const MOST_EPSILON: f64 = 8.0;
/// The lead: differences die so many times faster in addition. The loop `(ε/s)·e^(−sd)·(1 + LEAD/(1 + MEMORY·ds))` of a round trip d keeps 35° of
/// its 44° of phase margin; 4 would keep 27°.
pub const LEAD: f64 = 2.0;
/// So many smoothed round-trip times the queue is averaged over.
pub const MEMORY: f64 = 16.0;
/// No longer a queue is remembered than so many θ: e⁵ flows of the kind leave it.
const NOTED: f64 = 5.0;
/// θ grows by so many packets' service times: an error of τ by a packet or two, which is what whole packets do to it, must be small beside
/// θ, because shares differ by `e^(error/θ)`.
const PACKETS: f64 = 16.0;
/// A queue by so much longer than noise makes it stands.
pub const STANDS: Span = Span::from_millis(1);

/// θ of `symbiosis`, but for what whole packets add. The queue is proportional to it, and so is the speed at which differences die.
pub const THETA: Span = Span::from_millis(6);

/// θ with what whole packets add \[s\].
pub fn theta(time: Span, capacity: Rate, packet: Bytes) -> f64 {
    time.secs() + PACKETS * packet.as_f64() / capacity.bytes_per_s().max(1.0)
}

/// The queue that `n` equal flows of the logarithmic law leave, `Kθ·ln n` \[bytes\].
pub fn logarithmic_queue(n: u32, time: Span, capacity: Rate, packet: Bytes) -> f64 {
    capacity.bytes_per_s() * theta(time, capacity, packet) * libm::log(f64::from(n.max(1)))
}

impl Law {
    /// θ of a path of that capacity \[s\]; zero of a law that has none.
    pub fn theta(&self, capacity: Rate) -> f64 {
        match self {
            Law::LotkaVolterra { .. } => 0.0,
            Law::Logarithmic { theta, packet } => self::theta(*theta, capacity, *packet),
        }
    }

    /// Growth \[1/s\], and crowding \[1/s per byte\], of the logistic equation that holds on this path.
    fn logistic(&self, path: &Path) -> (f64, f64) {
        match self {
            Law::LotkaVolterra { epsilon, gamma, correction } => {
                let model = LotkaVolterra { epsilon: *epsilon, gamma: gamma.value() };
                let fed = if *correction { corrected(&path.measured, path.smoothed, path.tau) } else { path.measured };
                (epsilon * model.competition(&fed), epsilon / fed.capacity.times(path.tau))
            }
            Law::Logarithmic { .. } => {
                let epsilon = (SPEED / path.smoothed.secs()).min(MOST_EPSILON);
                (epsilon, epsilon / self.equilibrium(path))
            }
        }
    }

    /// Where the window goes \[bytes\].
    pub fn equilibrium(&self, path: &Path) -> f64 {
        let wanted = self.wanted(path);
        self.with_queue(path, self.asked(path, wanted), wanted)
    }

    /// Where it would end if all stayed as it is \[bytes\]: without a lead.
    pub fn rest(&self, path: &Path) -> f64 {
        let wanted = self.wanted(path);
        self.with_queue(path, wanted, wanted)
    }

    /// Where it goes with that much in the queue \[s\], if what it asks for without a lead is `wanted`, which takes a logarithm to say.
    fn with_queue(&self, path: &Path, queue: f64, wanted: f64) -> f64 {
        match self {
            Law::LotkaVolterra { .. } => {
                let (growth, crowding) = self.logistic(path);
                growth / crowding
            }
            Law::Logarithmic { .. } => {
                let k = path.measured.capacity;
                let x = path.delivered.clamp(Rate::ZERO, k);
                let free = path.measured.available.clamp(x, k) - x;
                // In a queue that stands, A is x, and x is better known. Where one stood of late who shares it sees the same free: each takes its part.
                let part = if stands(path.smoothed, path, wanted) {
                    0.0
                } else if stands(path.mean, path, wanted) {
                    x / k
                } else {
                    1.0
                };
                (x + free * part).times(path.tau) + x.bytes_per_s() * queue
            }
        }
    }

    /// The queue that a flow of this share asks for, `θ·ln(K/x)` \[s\]. The papers' law asks for none that depends on x.
    fn wanted(&self, path: &Path) -> f64 {
        let Law::Logarithmic { .. } = self else { return 0.0 };
        let (k, x) = (path.measured.capacity.bytes_per_s(), path.delivered.bytes_per_s());
        if x > 0.0 { (path.eased * path.theta * libm::log(k / x)).max(0.0) } else { 0.0 }
    }

    /// That queue q* and its lead over the queue q̄ of late, `q* + 2(q* − q̄)` \[s\]. It rests where q* = q̄ = q, as without a lead, but
    /// differences between flows, which share q̄, die three times as fast, while the queue of all answers as fast as before. The papers' law
    /// has none.
    fn asked(&self, path: &Path, wanted: f64) -> f64 {
        let lead = LEAD * (wanted - (path.mean.secs() - path.tau.secs()));
        // A long queue takes no more than is over xτ.
        if matches!(self, Law::Logarithmic { .. }) { (wanted + lead).max(0.0) } else { wanted }
    }

    /// The round-trip time, as far as the average notes it \[s\]: of seconds, as an outage leaves them, nothing is to be remembered.
    pub fn noted(&self, path: &Path) -> f64 {
        (path.tau.secs() + self.most_queue(path)).min(path.smoothed.secs())
    }

    /// No longer a queue do many flows of the kind leave \[s\].
    pub fn most_queue(&self, path: &Path) -> f64 {
        let Law::Logarithmic { .. } = self else { return f64::INFINITY };
        NOTED * path.theta
    }

    /// In so long a difference between flows that share a queue dies to 1/e: `(τ + q)/((1 + LEAD)·εθ)`.
    pub fn settles(&self, path: &Path) -> Span {
        let (epsilon, _) = self.logistic(path);
        let rate = (1.0 + LEAD) * epsilon * path.eased * path.theta;
        if rate > 0.0 { Span::from_secs(self.noted(path) / rate) } else { Span::MAX }
    }

    /// The queue that so many flows of the kind leave where losses have taken nothing of θ, `θ ln n`.
    pub fn queue_of(&self, flows: f64, path: &Path) -> Span {
        Span::from_secs(path.theta * libm::log(flows))
    }

    /// A queue that leaves a flow e^−½ of its share, and more than noise: what is shorter harms nobody.
    pub fn harmless_queue(&self, path: &Path) -> Span {
        let Law::Logarithmic { .. } = self else { return Span::ZERO };
        Span::from_secs(0.5 * path.eased * path.theta + STANDS.secs())
    }

    /// Whether a queue stands, at present or of late: half of what this flow asks for, and more than noise.
    pub fn is_queued(&self, path: &Path) -> bool {
        stands(path.smoothed.max(path.mean), path, self.wanted(path))
    }

    /// The window \[bytes\] after `t`.
    pub fn step(&self, w0: f64, path: &Path, t: Span) -> f64 {
        let (growth, crowding) = self.logistic(path);
        logistic(w0, growth, crowding, t)
    }

    /// A new measurement.
    pub fn measured(&mut self, b: &Bandwidth) {
        if let Law::LotkaVolterra { gamma, .. } = self {
            gamma.measured(b);
        }
    }

    /// Measurements so far no longer hold.
    pub fn forget(&mut self) {
        if let Law::LotkaVolterra { gamma, .. } = self {
            gamma.forget();
        }
    }

    /// State for the plot.
    pub fn gauges(&self, plot: &mut dyn FnMut(&'static str, f64)) {
        if let Law::LotkaVolterra { gamma, .. } = self {
            plot("gamma", gamma.value());
        }
    }
}

/// Whether round-trip times of `rtt` are those of a queue that stands, beside which that much is asked for \[s\].
fn stands(rtt: Span, path: &Path, wanted: f64) -> bool {
    (rtt - path.tau).secs() > wanted / 2.0 + STANDS.secs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: Rate = Rate::from_mbps(100.0);
    const PACKET: Bytes = Bytes(1500);
    const TAU: Span = Span::from_millis(100);

    fn path(available: f64, delivered: f64, queue: Span) -> Path {
        Path {
            measured: Bandwidth { capacity: K, available: Rate::from_mbps(available) },
            tau: TAU,
            smoothed: TAU + queue,
            mean: TAU + queue,
            delivered: Rate::from_mbps(delivered),
            theta: logarithmic().theta(K),
            eased: 1.0,
        }
    }

    fn logarithmic() -> Law {
        // 16 packets of 120 µs, and so θ = 10 ms.
        Law::Logarithmic { theta: Span::from_micros(8_080), packet: PACKET }
    }

    #[test]
    fn the_logarithmic_law_rests_where_the_queue_is_theta_ln_k_over_x() {
        for share in [0.5, 0.2, 0.1] {
            let queue = Span::from_secs(0.010 * libm::log(1.0 / share));
            let x = 100.0 * share;
            // In the queue that stands a correct A is x, and the window that keeps x is x·(τ + q).
            let rest = logarithmic().equilibrium(&path(x, x, queue));
            let wanted = K.bytes_per_s() * share * (TAU + queue).secs();
            assert!((rest / wanted - 1.0).abs() < 1e-6, "share {share}: {rest} instead of {wanted}");
        }
        let alone = logarithmic().equilibrium(&path(100.0, 100.0, Span::ZERO));
        assert!((alone / K.times(TAU) - 1.0).abs() < 1e-9, "alone no queue is asked for");
    }

    /// At rest, in one queue for all, what is asked for each unit of x changes by −(1 + lead)·θ for a relative change of x.
    #[test]
    fn the_lead_moves_no_rest_and_makes_differences_die_faster() {
        let asked = |x: f64, mean: f64| {
            let at = Path { mean: TAU + Span::from_secs(mean), ..path(x, x, Span::from_secs(0.010 * libm::log(4.0))) };
            logarithmic().equilibrium(&at) / Rate::from_mbps(x).bytes_per_s()
        };
        let rest = 0.010 * libm::log(4.0);
        let slope = (asked(25.0 * 1.001, rest) - asked(25.0, rest)) / libm::log(1.001);
        assert!((slope / (-0.010 * (1.0 + LEAD)) - 1.0).abs() < 1e-3, "{slope}");
        assert!((asked(25.0, rest) - (0.1 + rest)).abs() < 1e-6, "the rest is where it was");
        // All alike, by twice as much as they were of late: the lead asks for less of what is new.
        assert!((asked(25.0, rest) - asked(25.0, rest + 0.001) - LEAD * 0.001).abs() < 1e-6);
        assert!((asked(25.0, 10.0) - 0.1).abs() < 1e-6, "whatever the queue, what is over xτ is all that goes");
    }

    /// Two flows of 49 and 51 Mbit/s in the queue that two leave, each by its law: their difference is 1/e of itself after so long.
    #[test]
    fn differences_die_as_fast_as_it_settles() {
        let law = Law::Logarithmic { theta: THETA, packet: Bytes(1500) };
        let k = Rate::from_mbps(100.0);
        let theta = law.theta(k);
        let queue = theta * libm::log(2.0);
        let rtt = 0.050 + queue;
        let path = |x: f64, eased: f64| Path {
            measured: Bandwidth { capacity: k, available: Rate::ZERO },
            tau: Span::from_millis(50),
            smoothed: Span::from_secs(rtt),
            mean: Span::from_secs(rtt),
            delivered: Rate::from_mbps(x),
            theta,
            eased,
        };
        let slope = |x: f64| {
            let window = Rate::from_mbps(x).times(Span::from_secs(rtt));
            let (growth, crowding) = law.logistic(&path(x, 1.0));
            growth - crowding * window
        };
        // d ln(x₁/x₂)/dt over ln(x₁/x₂).
        let rate = (slope(51.0) - slope(49.0)) / libm::log(51.0 / 49.0);
        let settles = law.settles(&path(50.0, 1.0)).secs();
        assert!((-rate * settles - 1.0).abs() < 0.1, "{rate} 1/s, {settles} s");
        assert!((law.settles(&path(50.0, 0.25)).secs() / settles - 4.0).abs() < 1e-6);
    }

    /// The open loop from the queue to the queue, `L(iω) = (ε/iω)·e^(−iωd)·(1 + LEAD/(1 + iωMEMORY·d))` with `ε = SPEED/d`: its phase where its gain
    /// is one.
    #[test]
    fn the_lead_costs_little_phase() {
        let margin = |lead: f64| {
            let gain_and_phase = |w: f64| {
                let (lag, filter) = (MEMORY * w, 1.0 + MEMORY * MEMORY * w * w);
                let (re, im) = (1.0 + lead / filter, -lead * lag / filter);
                (SPEED / w * libm::hypot(re, im), 90.0 - (w - libm::atan2(im, re)).to_degrees())
            };
            let crossing = (1..4000).map(|i| f64::from(i) / 1000.0).find(|w| gain_and_phase(*w).0 < 1.0).unwrap();
            gain_and_phase(crossing).1
        };
        assert!((margin(0.0) - 44.2).abs() < 0.2, "{}", margin(0.0));
        assert!((margin(LEAD) - 34.5).abs() < 1.0, "{}", margin(LEAD));
        assert!(margin(4.0) < 28.0, "{}", margin(4.0));
    }

    #[test]
    fn what_is_free_is_asked_for_at_once_and_what_is_thought_free_in_a_queue_is_not() {
        // 20 of 80 free Mbit/s are used: A·τ and the queue for x, with its lead.
        let free = logarithmic().equilibrium(&path(80.0, 20.0, Span::ZERO));
        assert!((free - 1e6 / 8.0 * (80.0 * 0.1 + 20.0 * 0.010 * (1.0 + LEAD) * libm::log(5.0))).abs() < 1.0, "{free}");
        let queued = path(80.0, 20.0, Span::from_millis(20));
        let wanted = 0.010 * libm::log(5.0);
        let asked = logarithmic().equilibrium(&queued);
        assert!((asked - 1e6 / 8.0 * 20.0 * (0.1 + wanted + LEAD * (wanted - 0.020))).abs() < 1.0, "{asked}");
    }

    /// Where a queue stood of late n flows that see the same free ask for no more than is there, however they share: `Σ(x + (K − X)x/K) = X + (K − X)X/K`
    /// is at most K, and X follows the logistic equation up to it.
    #[test]
    fn what_became_free_is_asked_for_once() {
        for shares in [&[0.6][..], &[0.3, 0.3], &[0.01, 0.2, 0.4], &[0.012; 50]] {
            let used: f64 = shares.iter().sum();
            let asked = |share: &f64| {
                let x = 100.0 * share;
                let emptied = path(100.0 * (1.0 - used) + x, x, Span::ZERO);
                logarithmic().equilibrium(&Path { mean: TAU + Span::from_millis(100), ..emptied }) / K.times(TAU)
            };
            let all: f64 = shares.iter().map(asked).sum();
            assert!((all - (used + (1.0 - used) * used)).abs() < 1e-9, "{shares:?}: {all}");
        }
    }

    #[test]
    fn the_papers_law_is_the_models_closed_form() {
        let gamma = 0.9;
        for correction in [false, true] {
            let law = Law::LotkaVolterra { epsilon: 1.95, gamma: Gamma::Fixed(gamma), correction };
            let path = path(60.0, 60.0, Span::from_millis(20));
            let fed = if correction { corrected(&path.measured, path.smoothed, TAU) } else { path.measured };
            let model = LotkaVolterra { epsilon: 1.95, gamma };
            assert!((law.equilibrium(&path) / model.equilibrium(&fed, TAU) - 1.0).abs() < 1e-12);
            let (law, model) = (law.step(30_000.0, &path, TAU), model.step(30_000.0, &fed, TAU, TAU));
            assert!((law / model - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn nothing_known_of_x_or_no_capacity_is_borne() {
        for path in [path(50.0, 0.0, Span::ZERO), path(0.0, 0.0, Span::ZERO), path(100.0, 1e9, Span::from_millis(500))] {
            assert!(logarithmic().equilibrium(&path).is_finite());
            assert!(logarithmic().step(3_000.0, &path, TAU) >= 0.0);
        }
    }
}
