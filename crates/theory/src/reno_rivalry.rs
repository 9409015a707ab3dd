//! One Symbiosis flow against one Reno flow on a drop-tail link (S §III-D, Eqs 22–26, Figs 2–5).
//!
//! Whenever the buffer is full both lose and halve. Just before, Symbiosis stands at `ρKτ` and Reno at `W = (1−ρ)Kτ + B`; Reno needs
//! `W/2` round trips to be there again, and `ρ` is where Symbiosis, seeing `A = K`, needs the same time (Eq 25). Windows are in packets,
//! because Reno grows by one packet a round trip.
//!
//! Where S slips: Reno's area under `W/2 … W` over `T = (W/2)τ̄` is its mean `¾W` times `T`, `⅜W²τ̄`; S has `¾W²τ̄`, twice that. Eq 26
//! then also drops the `τ̄`, which leaves λ in packets per second. S's remark that fairness fails for *large* buffers holds only with
//! the `τ̄` in place: as printed, λ stays above one for all the buffers of Fig 4. So [`Cycle::lambda_paper`] keeps `τ̄` and S's `¾`.

use symbiosis_base::{Bytes, Rate, Span};

/// The link and the two flows.
#[derive(Clone, Copy, Debug)]
pub struct Rivalry {
    /// Capacity (`K`).
    pub capacity: Rate,
    /// Base round-trip time (`τ`), above zero.
    pub tau: Span,
    /// Mean round-trip time (`τ̄`), above zero; S sets it to `τ` in Figs 4 and 5.
    pub mean_rtt: Span,
    /// Buffer (`B`).
    pub buffer: Bytes,
    /// Symbiosis' growth rate (`ε`) \[1/s\], above zero.
    pub epsilon: f64,
    /// Size of a packet.
    pub packet: Bytes,
}

impl Rivalry {
    /// `Kτ` \[packets\].
    pub(super) fn room(&self) -> f64 {
        self.capacity.times(self.tau) / self.packet.as_f64()
    }

    /// `B` \[packets\].
    pub(super) fn buffer_packets(&self) -> f64 {
        self.buffer.packets(self.packet)
    }

    /// The cycle that both flows repeat; none when Reno's cycle is too short for Symbiosis to double even far below `Kτ`,
    /// `(Kτ + B)τ̄/2 ≤ ln 2/ε`: then Eq 25 has no solution in (0, 1), and Symbiosis is halved down to nothing.
    pub fn cycle(&self) -> Option<Cycle> {
        let settled = self.settle(|peak| peak / 2.0 * self.mean_rtt.secs())?;
        Some(Cycle { rival: *self, settled })
    }

    /// Where two flows settle that both lose at a full buffer, if the rival is back at a peak of so many packets after `back` seconds, later from
    /// higher ones; none when it is back too soon for Symbiosis to double.
    pub(super) fn settle(&self, back: impl Fn(f64) -> f64) -> Option<Settled> {
        // ρ comes within e^−εT of one, closer than it can be told from one. So solve for T, with 1 − ρ = 1/(e^εT − 1) (Eq 24 inverted),
        // where T − back(W(ρ(T))) (for Reno: Eq 25) grows with T.
        let spare = |t: f64| 1.0 / libm::expm1(self.epsilon * t);
        let peak = |t: f64| spare(t) * self.room() + self.buffer_packets();
        let (mut low, mut high) = (core::f64::consts::LN_2 / self.epsilon, back(self.room() + self.buffer_packets()));
        if low >= high {
            return None;
        }
        loop {
            let t = low + (high - low) / 2.0;
            if t <= low || t >= high {
                break; // neighbours: as exact as it gets
            }
            *(if t < back(peak(t)) { &mut low } else { &mut high }) = t;
        }
        Some(Settled { seconds: high, spare: spare(high), peak: peak(high) })
    }

    /// Area under Symbiosis' window in a cycle of so many seconds, `Kτ/ε · ln((2−ρ)/(2(1−ρ)))` \[packets · s\] (S, above Eq 26).
    pub(super) fn symbiosis_area(&self, seconds: f64) -> f64 {
        // By Eq 24 the logarithm is εT − ln 2.
        self.room() * (seconds - core::f64::consts::LN_2 / self.epsilon)
    }

    /// `¾·B/(Kτ)`: what [`Cycle::lambda_corrected`] falls to, but never reaches, as ε grows. Above one no ε makes the two equal: any
    /// buffer above 4/3 of the bandwidth-delay product (2/3 by S's area).
    pub fn least_lambda(&self) -> f64 {
        0.75 * self.buffer_packets() / self.room()
    }
}

/// Where two flows settle that both lose: the length of the cycle \[s\], `1 − ρ`, and the rival's window before a loss \[packets\].
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled {
    pub(super) seconds: f64,
    pub(super) spare: f64,
    pub(super) peak: f64,
}

/// One cycle, from loss to loss.
#[derive(Clone, Copy, Debug)]
pub struct Cycle {
    rival: Rivalry,
    settled: Settled,
}

impl Cycle {
    /// Length of the cycle, `T` (S Eqs 22, 24).
    pub fn length(&self) -> Span {
        Span::from_secs(self.settled.seconds)
    }

    /// `ρ`, Symbiosis' window before a loss as a share of `Kτ` (S Eq 25).
    pub fn rho(&self) -> f64 {
        1.0 - self.settled.spare
    }

    /// Reno's window before a loss, `W = (1−ρ)Kτ + B` \[packets\].
    pub fn reno_peak(&self) -> f64 {
        self.settled.peak
    }

    /// Symbiosis' window before a loss, `ρKτ` \[packets\].
    pub fn symbiosis_peak(&self) -> f64 {
        self.rho() * self.rival.room()
    }

    /// Area under Reno's window, `⅜W²τ̄` \[packets · s\].
    pub fn reno_area(&self) -> f64 {
        0.375 * self.settled.peak * self.settled.peak * self.rival.mean_rtt.secs()
    }

    /// Area under Symbiosis' window, `Kτ/ε · ln((2−ρ)/(2(1−ρ)))` \[packets · s\] (S, above Eq 26).
    pub fn symbiosis_area(&self) -> f64 {
        self.rival.symbiosis_area(self.settled.seconds)
    }

    /// Reno's throughput over Symbiosis', with S's area of Reno, `¾W²τ̄` (S Eq 26, its lost `τ̄` restored).
    pub fn lambda_paper(&self) -> f64 {
        2.0 * self.lambda_corrected()
    }

    /// Reno's throughput over Symbiosis', with Reno's true area, `⅜W²τ̄`: half of what S gives.
    pub fn lambda_corrected(&self) -> f64 {
        self.reno_area() / self.symbiosis_area()
    }
}

#[cfg(test)]
mod tests;
