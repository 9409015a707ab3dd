//! Where the window goes, given what is known of the path: the part of the model that can be exchanged.
//!
//! In a full FIFO queue a correct A is the flow's own share x of the link, whatever the others do. The papers' law then rests where the
//! queue `q` holds `(1 − γ)τ(K/x − 1)`: it grows with the number of flows, and a longer base RTT τ asks for more of it, so that the longer
//! RTT wins. The logarithmic law asks for `w* = Aτ + θ·x·ln(K/x)`, which rests at `q = θ·ln(K/x)`: the same queue for everybody makes
//! the same share for everybody, whatever their RTT, and n flows leave `Kθ·ln n`.

use crate::lotka_volterra::{Bandwidth, LotkaVolterra, logistic};
use crate::{Nanos, Rate};

use super::corrected;
use super::gamma::Gamma;

/// What a law is told.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// K and A as measured.
    pub measured: Bandwidth,
    /// Base round-trip time τ.
    pub tau: Nanos,
    /// Smoothed round-trip time.
    pub smoothed: Nanos,
    /// What the flow gets through, x.
    pub delivered: Rate,
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
        /// θ: the queue that a flow asks for when it has 1/e of the link.
        theta: Nanos,
    },
}

/// ε of the logarithmic law is this over the smoothed round-trip time, which is half of where its delay makes it swing (ε·RTT = π/2), but
/// at most so much \[1/s\].
const SPEED: f64 = 0.8;
const MOST_EPSILON: f64 = 8.0;
/// A queue by so much longer than noise makes it stands \[s\].
const STANDS: f64 = 0.001;

impl Law {
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

    /// Where the window ends \[bytes\].
    pub fn equilibrium(&self, path: &Path) -> f64 {
        match self {
            Law::LotkaVolterra { .. } => {
                let (growth, crowding) = self.logistic(path);
                growth / crowding
            }
            Law::Logarithmic { theta } => {
                let k = path.measured.capacity.bytes_per_s();
                let x = path.delivered.bytes_per_s().clamp(0.0, k);
                let wanted = if x > 0.0 { theta.secs() * libm::log(k / x) } else { 0.0 };
                let queue = (path.smoothed - path.tau).secs();
                // In a queue that stands, A is x, and x is better known.
                let a = if queue > wanted / 2.0 + STANDS { x } else { path.measured.available.bytes_per_s().clamp(x, k) };
                a * path.tau.secs() + x * wanted
            }
        }
    }

    /// The window \[bytes\] after `t`.
    pub fn step(&self, w0: f64, path: &Path, t: Nanos) -> f64 {
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
