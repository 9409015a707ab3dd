//! One Symbiosis flow against one CUBIC flow on a drop-tail link: what S §III-D does for Reno (Eqs 22–26), for CUBIC (RFC 9438).
//!
//! CUBIC's cycle from a peak of W packets: down to βW, back along `C(t − k)³ + W` in `k = ∛((1−β)W/C)` whatever the RTT, or, where that is
//! faster, along Reno's estimate `βW + αt/τ̄` in `(1−β)W·τ̄/α`. The mean over the first is `(3 + β)/4·W` = 0.925 W, over the second
//! `(1 + β)/2·W` = 0.85 W.
//!
//! Who loses when the buffer is full? S takes both to; then Symbiosis halves, and must be back when CUBIC is ([`Rivalry::cubic_cycle`]).
//! But a window at rest sends no packet that was not acknowledged, and what finds the buffer full is the packet by which CUBIC grows. If only CUBIC
//! loses, Symbiosis rests where its law does in the queue that CUBIC leaves ([`Rivalry::lambda_if_cubic_alone_loses`]).

use super::reno_rivalry::Rivalry;
use symbiosis_control::cubic::{BETA, C, friendly};

/// Instants of a cycle at which it is looked at.
const PHASES: u32 = 400;

/// CUBIC's window from one loss to the next.
#[derive(Clone, Copy, Debug)]
pub struct Saw {
    peak: f64,
    /// When the cubic is back at the peak \[s\].
    k: f64,
    /// Growth of Reno's estimate \[packets/s\].
    slope: f64,
}

impl Saw {
    /// From a peak of so many packets, with Reno's estimate growing in round trips of so many seconds.
    pub fn new(peak: f64, mean_rtt: f64) -> Saw {
        Saw { peak, k: libm::cbrt((1.0 - BETA) * peak / C), slope: friendly(BETA) / mean_rtt }
    }

    /// Until the window is back at its peak \[s\].
    pub fn length(&self) -> f64 {
        self.k.min((1.0 - BETA) * self.peak / self.slope)
    }

    /// The window at this time after a loss \[packets\].
    pub fn window(&self, t: f64) -> f64 {
        let x = t - self.k;
        (C * x * x * x + self.peak).max(BETA * self.peak + self.slope * t)
    }

    /// Its mean over the cycle \[packets\].
    pub fn mean(&self) -> f64 {
        self.phases().map(|t| self.window(t)).sum::<f64>() / f64::from(PHASES)
    }

    /// Instants spread evenly over the cycle.
    fn phases(&self) -> impl Iterator<Item = f64> {
        let step = self.length() / f64::from(PHASES);
        (0..PHASES).map(move |i| (f64::from(i) + 0.5) * step)
    }
}

/// The cycle that both flows repeat when both lose.
#[derive(Clone, Copy, Debug)]
pub struct CubicCycle {
    /// Its length \[s\].
    pub seconds: f64,
    /// Symbiosis' window before a loss, `ρKτ` \[packets\].
    pub symbiosis_peak: f64,
    /// CUBIC's window before a loss, `(1−ρ)Kτ + B` \[packets\].
    pub cubic_peak: f64,
    /// CUBIC's throughput over Symbiosis'.
    pub lambda: f64,
}

impl Rivalry {
    /// The cycle if both lose whenever the buffer is full, Symbiosis seeing A = K; none when CUBIC is back too soon for Symbiosis to double.
    pub fn cubic_cycle(&self) -> Option<CubicCycle> {
        let saw = |peak: f64| Saw::new(peak, self.mean_rtt.secs());
        let settled = self.settle(|peak| saw(peak).length())?;
        let cubic_area = saw(settled.peak).mean() * settled.seconds;
        Some(CubicCycle {
            seconds: settled.seconds,
            symbiosis_peak: (1.0 - settled.spare) * self.room(),
            cubic_peak: settled.peak,
            lambda: cubic_area / self.symbiosis_area(settled.seconds),
        })
    }

    /// CUBIC's throughput over Symbiosis' if CUBIC alone loses. `share` tells which part of the link Symbiosis rests at in a queue of so many
    /// seconds ([`super::crowded`]); it is taken to be there at every instant.
    pub fn lambda_if_cubic_alone_loses(&self, share: impl Fn(f64) -> f64) -> f64 {
        let (k, tau) = (self.capacity.bytes_per_s() / self.packet.as_f64(), self.tau.secs());
        let full = self.buffer_packets() / k;
        // What CUBIC has in a queue, which grows with the queue.
        let others = |queue: f64| (1.0 - share(queue)) * k * (tau + queue);
        let saw = Saw::new(others(full), self.mean_rtt.secs());
        let (mut cubic, mut symbiosis) = (0.0, 0.0);
        for window in saw.phases().map(|t| saw.window(t)) {
            let (mut low, mut high) = (0.0, full);
            for _ in 0..60 {
                let queue = (low + high) / 2.0;
                *(if others(queue) < window { &mut low } else { &mut high }) = queue;
            }
            cubic += 1.0 - share(high);
            symbiosis += share(high);
        }
        cubic / symbiosis
    }
}

#[cfg(test)]
mod tests;
