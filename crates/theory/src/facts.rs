//! What follows from the model in closed form: time to converge, and what flows of one path do to each other (S §III-A to C).
//!
//! S derives Eqs 16–21 from `K − A_i = Σ_{k≠i} w_k/τ_k` (S Eq 17). That is the available bandwidth only until a queue stands. In a
//! standing FIFO queue a flow that measures correctly reads its own delivery rate, `A_i = K·w_i/Σw`, and Eqs 19–21 fail: the queue grows
//! with the number of flows without bound. Both fixed points are here, the second one ours and named `measured`.

use symbiosis_base::{Bytes, Rate, Span};
use symbiosis_control::lotka_volterra::{Bandwidth, LotkaVolterra};

/// Time from a window of `w0` bytes to the share `rho` of the equilibrium, `ρw*` (S Eq 12, first line); zero when it is there already,
/// [`Span::MAX`] when it never is (`w0` zero, or `rho` one or more).
pub fn convergence_time(model: &LotkaVolterra, b: &Bandwidth, tau: Span, w0: f64, rho: f64) -> Span {
    climb(model, b, tau, w0, rho, model.competition(b))
}

/// S's bound on [`convergence_time`] for any available bandwidth (S Eq 12, second line): as if nothing were free.
pub fn convergence_bound(model: &LotkaVolterra, b: &Bandwidth, tau: Span, w0: f64, rho: f64) -> Span {
    climb(model, b, tau, w0, rho, 1.0 - model.gamma)
}

fn climb(model: &LotkaVolterra, b: &Bandwidth, tau: Span, w0: f64, rho: f64, competition: f64) -> Span {
    let limit = model.equilibrium(b, tau);
    if w0 >= rho * limit {
        return Span::ZERO;
    }
    if rho >= 1.0 || w0 <= 0.0 {
        return Span::MAX;
    }
    Span::from_secs(libm::log(rho / (1.0 - rho) * (limit - w0) / w0) / (model.epsilon * competition))
}

/// A window's way up under other laws, which S holds against Eq 12.
#[derive(Clone, Copy, Debug)]
pub struct Climb {
    /// Where it starts, `w0` \[bytes\].
    pub from: f64,
    /// Where it ends, `w*` \[bytes\].
    pub to: f64,
    /// Size of a packet: these laws count packets.
    pub packet: Bytes,
    /// Mean round-trip time on the way (`τ̄`).
    pub rtt: Span,
}

impl Climb {
    /// TCP Reno: one packet a round trip, `(w* − w0)τ̄` (S Eq 13); congestion avoidance, no delayed ACKs.
    pub fn reno(&self) -> Span {
        self.high_speed(1.0)
    }

    /// HighSpeed TCP: no faster than `(w* − w0)τ̄/a_max`, `a_max` its greatest growth on the way \[packets a round trip\] (S Eq 14).
    pub fn high_speed(&self, a_max: f64) -> Span {
        self.round_trips((self.to - self.from) / self.packet.as_f64() / a_max)
    }

    /// Scalable TCP: `ln(w*/w0)τ̄/a`, `a` its growth for each ACK \[packets\], 0.01 by default (S Eq 15). A window that grows once for
    /// each packet of the round trip before needs `a/ln(1 + a)` times as long, half a percent at the default.
    pub fn scalable(&self, a: f64) -> Span {
        self.round_trips(libm::log(self.to / self.from) / a)
    }

    fn round_trips(&self, count: f64) -> Span {
        Span::from_secs(count * self.rtt.secs())
    }
}

/// Flows that share one link under the model, with the same capacity and base round-trip time.
#[derive(Clone, Copy, Debug)]
pub struct EqualFlows {
    /// How many, at least one.
    pub n: u32,
    /// Competition coefficient (`γ`), within (0, 1).
    pub gamma: f64,
    /// `Kτ` \[bytes\].
    pub room: f64,
}

impl EqualFlows {
    fn rivals(&self) -> f64 {
        f64::from(self.n) - 1.0
    }

    /// Sum of the windows, `nKτ/(1 + (n−1)γ)` \[bytes\] (S Eq 19).
    pub fn windows(&self) -> f64 {
        f64::from(self.n) * self.room / (1.0 + self.rivals() * self.gamma)
    }

    /// Standing queue, `(n−1)(1−γ)Kτ/(1 + (n−1)γ)` \[bytes\] (S Eq 20).
    pub fn queue(&self) -> f64 {
        self.rivals() * (1.0 - self.gamma) * self.room / (1.0 + self.rivals() * self.gamma)
    }

    /// What [`EqualFlows::queue`] never reaches however many flows there are, `(1−γ)Kτ/γ` \[bytes\] (S Eq 21).
    pub fn queue_limit(&self) -> f64 {
        (1.0 - self.gamma) / self.gamma * self.room
    }

    /// Sum of the windows when each flow reads its delivery rate as available, `(γ + n(1−γ))Kτ` \[bytes\]: Eq 11 summed over
    /// `ΣA_i = K`.
    pub fn measured_windows(&self) -> f64 {
        (self.gamma + f64::from(self.n) * (1.0 - self.gamma)) * self.room
    }

    /// Standing queue when each flow reads its delivery rate as available, `(n−1)(1−γ)Kτ` \[bytes\]: no bound in `n`.
    pub fn measured_queue(&self) -> f64 {
        self.rivals() * (1.0 - self.gamma) * self.room
    }

    /// Time constant with which small differences between the flows die out under Eq 17, `(1 + (n−1)γ)/(ε(1−γ))`: Eq 9 linearised at
    /// Eq 19. `epsilon` in 1/s.
    pub fn fairness_time(&self, epsilon: f64) -> Span {
        Span::from_secs((1.0 + self.rivals() * self.gamma) / (epsilon * (1.0 - self.gamma)))
    }

    /// The same when each flow reads its delivery rate as available, `1/(ε(1−γ))`: the larger windows make up for the number of flows.
    pub fn measured_fairness_time(&self, epsilon: f64) -> Span {
        Span::from_secs(1.0 / (epsilon * (1.0 - self.gamma)))
    }
}

/// The model as a market (S §III-B): every flow maximises its utility less what the link charges, and the sum has one maximum.
#[derive(Clone, Copy, Debug)]
pub struct Market {
    /// Capacity (`K`).
    pub capacity: Rate,
    /// Competition coefficient (`γ`), within (0, 1).
    pub gamma: f64,
    /// Price of the link (`p`) \[cost per (bytes/s)²\].
    pub price: f64,
}

impl Market {
    /// `U(x) = (p/γ)(K − (1−γ)x/2)x`, what a flow gains from rate `x` \[cost\] (S §III-B).
    pub fn utility(&self, x: Rate) -> f64 {
        let x = x.bytes_per_s();
        self.price / self.gamma * (self.capacity.bytes_per_s() - (1.0 - self.gamma) * x / 2.0) * x
    }

    /// `U'(x)` \[cost per byte/s\].
    pub fn marginal_utility(&self, x: Rate) -> f64 {
        self.price / self.gamma * (self.capacity.bytes_per_s() - (1.0 - self.gamma) * x.bytes_per_s())
    }

    /// `U''(x) = −p(1−γ)/γ`, the same for every `x` \[cost per (byte/s)²\]: below zero, so `U` is strictly concave.
    pub fn utility_curvature(&self) -> f64 {
        -self.price * (1.0 - self.gamma) / self.gamma
    }

    /// `C(x) = px²/2`, what the link charges for the rates' sum `x` \[cost\] (S Eq 16).
    pub fn link_cost(&self, total: Rate) -> f64 {
        self.price * total.bytes_per_s() * total.bytes_per_s() / 2.0
    }

    /// `C'(x)` \[cost per byte/s\].
    pub fn marginal_link_cost(&self, total: Rate) -> f64 {
        self.price * total.bytes_per_s()
    }

    /// `dx/dt = (εγx/(Kp))(U'(x) − C'(Σx))` \[bytes/s²\] of a flow at rate `x`; `epsilon` in 1/s (S Eq 18). It is Eq 9 over τ under
    /// Eq 17; `p` falls out, so S's worry that the mechanism depends on it is void.
    pub fn growth(&self, x: Rate, total: Rate, epsilon: f64) -> f64 {
        let pull = self.marginal_utility(x) - self.marginal_link_cost(total);
        epsilon * self.gamma * x.bytes_per_s() / (self.capacity.bytes_per_s() * self.price) * pull
    }
}

#[cfg(test)]
mod tests;
