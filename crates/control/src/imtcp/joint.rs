//! What a link that is busy all the time between two arrivals tells.
//!
//! It sent the later packet and what competitors put in between the departures: `K·arrived = bytes + U·sent`, U being the competitors'
//! rate and `A = K − U`. Gaps for which that holds are *joint*. From them come
//! - **A**, by the ratio of sums `U = Σ(K·arrived − bytes)/Σsent` over one round-trip time, because it changes. In a standing queue, where
//!   arrivals take as long as departures, K falls out: `A = Σbytes/Σsent`, what the flow itself gets through;
//! - **K**, from packets that left back to back: with nothing in between `arrived = bytes/K`. An access link spreads such a pair, UDP gets in
//!   between after all, and K reads too low by `1 + U/access`. That is the safe side: a K too low shortens the queue, and A stands.
//!
//! What does not serve for K: a regression of `arrived` on `sent` over all joint gaps, because a packet that an ACK set free left as far
//! after the one before as the ACKs were apart, so that `arrived` equals `sent` whatever K is; nor the identity solved for K over pairs a
//! service time apart, because packets of other flows, which their ACKs keep a service time apart too, are then never in between, and K
//! reads a quarter too high beside them.
//!
//! A gap is joint when the later packet left before the earlier one can have left the link: `sent ≤ queued + M/K`. This looks at the
//! earlier packet only: choosing by the later one, or by a whole stream, prefers gaps in which competitors happened to send much.

use symbiosis_base::Rate;

use super::gaps::Gap;

/// Weight of the past in K at each pair: two thousand of them.
const FORGET: f64 = 0.9995;
/// So many pairs before K is worth anything.
const FEWEST_PAIRS: f64 = 2.0;

/// Whether the link was busy from the earlier packet's arrival at it to the later one's. `service` is `M/K` \[s\]; zero before K is known.
pub fn is_joint(gap: &Gap, service: f64) -> bool {
    gap.sent <= gap.queued + service
}

/// K by the ratio of sums `Σbytes/Σarrived` over pairs, with a long memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capacity {
    count: f64,
    bytes: f64,
    arrived: f64,
    bytes_bytes: f64,
    bytes_arrived: f64,
    arrived_arrived: f64,
}

impl Capacity {
    /// Takes in a joint gap of packets that left back to back.
    pub fn add(&mut self, pair: &Gap) {
        let fade = |sum: &mut f64, new: f64| *sum = FORGET * *sum + new;
        fade(&mut self.count, 1.0);
        fade(&mut self.bytes, pair.bytes);
        fade(&mut self.arrived, pair.arrived);
        fade(&mut self.bytes_bytes, pair.bytes * pair.bytes);
        fade(&mut self.bytes_arrived, pair.bytes * pair.arrived);
        fade(&mut self.arrived_arrived, pair.arrived * pair.arrived);
    }

    /// K and half the width of its 95 % confidence interval; none before the first pairs. The error is that of the mean of
    /// `bytes − K·arrived`, over the mean of `arrived`.
    pub fn estimate(&self) -> Option<(Rate, Rate)> {
        let k = self.bytes / self.arrived;
        let residual = (self.bytes_bytes - 2.0 * k * self.bytes_arrived + k * k * self.arrived_arrived).max(0.0) / self.count;
        let error = 1.96 * libm::sqrt(residual * self.count) / self.arrived;
        let sound = self.count >= FEWEST_PAIRS && self.arrived > 0.0 && k > 0.0 && k.is_finite();
        sound.then(|| (Rate::from_bytes_per_s(k), Rate::from_bytes_per_s(error)))
    }
}

/// U by the ratio of sums, with a memory of given length.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rivals {
    sent: f64,
    arrived: f64,
    bytes: f64,
}

impl Rivals {
    /// Time passes: what is `span` old counts `e^(−span/memory)`.
    pub fn fade(&mut self, span: f64, memory: f64) {
        let kept = if memory > 0.0 { libm::exp(-span / memory) } else { 0.0 };
        (self.sent, self.arrived, self.bytes) = (kept * self.sent, kept * self.arrived, kept * self.bytes);
    }

    /// Takes in a joint gap.
    pub fn add(&mut self, gap: &Gap) {
        self.sent += gap.sent;
        self.arrived += gap.arrived;
        self.bytes += gap.bytes;
    }

    /// Time covered by joint gaps, faded \[s\]: how much the estimate rests on.
    pub fn covered(&self) -> f64 {
        self.sent
    }

    /// A, within zero and the capacity; none when no time is covered.
    pub fn available(&self, capacity: Rate) -> Option<Rate> {
        let extra = capacity.bytes_per_s() * self.arrived - self.bytes;
        (self.sent > 0.0).then(|| capacity - Rate::from_bytes_per_s((extra / self.sent).max(0.0)))
    }
}

#[cfg(test)]
mod tests;
