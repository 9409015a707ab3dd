//! A: what competitors leave of a link that is busy.
//!
//! Between the arrivals of two neighbours a busy link sent the later one and what competitors put in between the departures:
//! `K·arrived = bytes + U·sent`, U being the competitors' rate and `A = K − U`. Gaps for which that holds are *same_busy_period* ([`Gap::same_busy_period`]). U is the ratio of
//! sums `Σ(K·arrived − bytes)/Σsent` over about a round-trip time, because it changes. In a standing queue, where arrivals take as long
//! as departures, K falls out: `A = Σbytes/Σsent`, what the flow itself gets through.
//!

use symbiosis_base::Rate;

use super::gaps::Gap;
use crate::measurement::CI95;

/// U by the ratio of sums, with a memory of given length.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossTraffic {
    gaps: f64,
    sent: f64,
    arrived: f64,
    bytes: f64,
    squares: Squares,
}

/// Sums of products, each with the square of its weight: the residuals' variance, whatever K and U turn out to be.
#[derive(Clone, Copy, Debug, Default)]
struct Squares {
    arrived_arrived: f64,
    arrived_bytes: f64,
    arrived_sent: f64,
    bytes_bytes: f64,
    bytes_sent: f64,
    sent_sent: f64,
}

impl CrossTraffic {
    /// Time passes: what is `span` old counts `e^(−span/memory)`.
    pub fn fade(&mut self, span: f64, memory: f64) {
        let kept = if memory > 0.0 { libm::exp(-span / memory) } else { 0.0 };
        for sum in [&mut self.gaps, &mut self.sent, &mut self.arrived, &mut self.bytes] {
            *sum *= kept;
        }
        self.squares.keep(kept * kept);
    }

    /// Takes in a gap of one busy period.
    pub fn add(&mut self, gap: &Gap) {
        self.gaps += 1.0;
        self.sent += gap.entered;
        self.arrived += gap.arrived;
        self.bytes += gap.bytes;
        self.squares.add(gap);
    }

    /// Time covered by gaps of one busy period, faded \[s\]: how much the estimate rests on.
    pub fn covered(&self) -> f64 {
        self.sent
    }

    /// How many gaps, faded.
    pub fn gaps(&self) -> f64 {
        self.gaps
    }

    /// A, within zero and the capacity, and half the width of its 95 % confidence interval; none when no time is covered. The interval is
    /// that of the mean of `K·arrived − bytes − U·sent` over the mean of `sent`, and what an error of K does.
    /// One packet of `packet` bytes more than was seen is in doubt always: that none came is no proof that nobody sends.
    pub fn available(&self, capacity: Rate, capacity_error: Rate, packet: f64) -> Option<(Rate, Rate)> {
        if self.sent <= 0.0 {
            return None;
        }
        let k = capacity.bytes_per_s();
        let u = (k * self.arrived - self.bytes) / self.sent;
        let noise = CI95 * libm::sqrt(self.squares.residual(k, u) + packet * packet) / self.sent;
        // dA/dK = 1 − Σarrived/Σsent.
        let of_capacity = (1.0 - self.arrived / self.sent) * capacity_error.bytes_per_s();
        let error = libm::sqrt(noise * noise + of_capacity * of_capacity);
        Some((capacity - Rate::from_bytes_per_s(u.max(0.0)), Rate::from_bytes_per_s(error)))
    }
}

impl Squares {
    fn keep(&mut self, part: f64) {
        for sum in [
            &mut self.arrived_arrived,
            &mut self.arrived_bytes,
            &mut self.arrived_sent,
            &mut self.bytes_bytes,
            &mut self.bytes_sent,
            &mut self.sent_sent,
        ] {
            *sum *= part;
        }
    }

    fn add(&mut self, gap: &Gap) {
        self.arrived_arrived += gap.arrived * gap.arrived;
        self.arrived_bytes += gap.arrived * gap.bytes;
        self.arrived_sent += gap.arrived * gap.entered;
        self.bytes_bytes += gap.bytes * gap.bytes;
        self.bytes_sent += gap.bytes * gap.entered;
        self.sent_sent += gap.entered * gap.entered;
    }

    /// `Σ(k·arrived − bytes − u·sent)²`.
    fn residual(&self, k: f64, u: f64) -> f64 {
        let squares = k * k * self.arrived_arrived + self.bytes_bytes + u * u * self.sent_sent;
        let products = -k * self.arrived_bytes - k * u * self.arrived_sent + u * self.bytes_sent;
        (squares + 2.0 * products).max(0.0)
    }
}

#[cfg(test)]
mod tests;
