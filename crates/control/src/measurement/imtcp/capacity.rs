//! K: how fast the link sends that is busy.
//!
//! Two packets that both found it busy arrive `g = M/K + (U/K)·d` apart, `d` being their distance *at that link* and U the rate of the
//! competitors, whose bytes got in between. [`super::trains`] lets packets leave at two distances:
//! - *close*, back to back. What came before the link spread them to an unknown `d = ρ·M/K`: an access link as fast as the bottleneck to
//!   ρ = 1, a much faster one to ρ = 0. So `g` alone tells K only up to the factor `1 + ρU/K`;
//! - *wide*, from `M/K` to what a standing queue covers, where ρ is no matter. With `U = K − A` the identity is linear in `s = M/K`:
//!   `g − d = s·(1 − A·d/M)`. It is exact, but noisy: what came in between by chance is as much as a packet. At `d = M/A`, the distance
//!   of packets at rate A, it tells nothing; the further off, the more.
//!
//! Where the narrowest link is not the one that competitors share, the wide gaps speak of the shared one and make its K larger than the
//! close ones allow for any ρ. Then K is `M/g` of the close ones, which is the narrowest link's or less, and that is the safe side (S §II-B).
//!
//! Both give `s`, one with the spread that ρ ∈ \[0, 1\] leaves, the other with that of its sample, and each counts by the inverse of its
//! variance. Beside little traffic, and at first, the close ones decide; where ρ matters, the wide ones do once there are enough of them.
//!
//! What does not serve: minima and modes (jitter, and a load at which something always is in between); a regression over all gaps: a
//! packet that an ACK set free left as far after the one before as the two before it had arrived, `g = d` whatever K is, and beside flows
//! that are clocked by ACKs the packets in between are then no sample of their rate. So a train begins at a random instant.

use symbiosis_base::Rate;

use super::gaps::Gap;
use crate::measurement::CI95;

/// Weight of the past at each gap, or run of gaps: five thousand of them. K is a property of a link, not of its load.
const FORGET: f64 = 0.9998;
/// So many close gaps before K is worth anything.
const FEWEST: f64 = 2.0;
/// Part of K that competitors use, below which it does not matter how far the access link spreads a pair, nor do wide gaps tell anything.
pub(super) const LITTLE: f64 = 0.02;
/// Wide gaps that make K larger than close ones can, by so many deviations, speak of another link than they: the narrowest is not the one
/// that competitors share.
const CONTRADICTION: f64 = 3.0;
/// The same of runs of packets that were held back: few of them are long, and the mean of some sixteen is off by three deviations once in a hundred.
const CONTRADICTION_OF_RUNS: f64 = 5.0;
/// Of the close gaps this part is shorter than the shortest that counts, and the estimate of it moves by this part of itself: a link
/// behind the one that competitors share lets nothing through faster than it is.
const SHORTEST: f64 = 0.02;
const STEP: f64 = 0.02;
/// A pair so many times as long as the shortest was not spread by packets in between, but by a receiver or a host that stopped.
const STALLED: f64 = 8.0;
/// The mean of so many close gaps of late tells whether the link is still the one of before.
const LATE: f64 = 16.0;
/// A link that is faster or slower by less than this part of K may wait until the long memory has followed.
const CHANGED: f64 = 0.125;
const IN_A_ROW: u32 = 10;
/// Where packets are held back K is known once its 95 % interval is no wider than this part of M/K to either side: shares are as K is read, and Jain's index of
/// readings with half of that deviation is .985.
pub const WIDEST_INTERVAL: f64 = 0.25;

/// The estimate of K.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capacity {
    close: Close,
    wide: Wide,
}

/// Packets that left together, one after another, where something holds packets back: what lengthens a gap shortens the next.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    /// The number of the packet that would go on with it.
    next: u64,
    packets: f64,
    /// \[s\].
    arrived: f64,
}

/// Faded sums over close gaps.
#[derive(Clone, Copy, Debug, Default)]
struct Close {
    count: f64,
    /// Packets, and how long they took to arrive \[s\].
    packets: f64,
    gap: f64,
    /// Of runs: products of the two.
    gap_gap: f64,
    gap_packets: f64,
    packets_packets: f64,
    run: Run,
    /// Where A was known: how many, and its sum \[packets/s\].
    beside: f64,
    available: f64,
    /// The mean of late.
    late: f64,
    /// The shortest but for a few.
    shortest: f64,
    /// Those that arrived at one instant.
    together: f64,
    /// Too long to be pairs, in a row.
    stalled: u32,
}

/// Faded sums over wide gaps: of `y = g − d` \[s\] on `z = bytes/M − A·d/M`, each by the inverse of its variance, which grows as `d`.
#[derive(Clone, Copy, Debug, Default)]
struct Wide {
    count: f64,
    yy: f64,
    yz: f64,
    zz: f64,
    /// What an error of A does to `yz`, for each unit of `s²`, and the sum of the variances of A \[packets²/s²\].
    z: f64,
    doubt: f64,
}

fn fade<const N: usize>(sums: [&mut f64; N], new: [f64; N], forget: f64) {
    sums.into_iter().zip(new).for_each(|(sum, new)| *sum = forget * *sum + new);
}

impl Close {
    /// Follows the quantile of [`SHORTEST`]: the least of the first few, then by steps that balance there.
    fn shorten(&mut self, gap: f64) {
        let below = gap < self.shortest;
        if self.shortest == 0.0 || (below && self.count * SHORTEST < 1.0) {
            self.shortest = gap;
        } else {
            self.shortest *= 1.0 + STEP * (SHORTEST - if below { 1.0 } else { 0.0 });
        }
    }

    /// How many gaps there are of late: as many as have [`LATE`] that did not come together.
    fn late(&self) -> f64 {
        LATE * self.count.max(1.0) / (self.count - self.together).max(1.0)
    }

    /// Whether the gaps of late are of another link: their mean is off by more than chance, and by enough to matter.
    fn is_contradicted(&self) -> bool {
        let late = self.late();
        let Some((gap, noise)) = self.gap().filter(|_| self.count > late) else { return false };
        // `noise` is of the mean of all.
        let chance = libm::sqrt(noise * self.count / late);
        let deviations = if self.is_held_back() { CONTRADICTION_OF_RUNS } else { CONTRADICTION };
        (self.late - gap).abs() > (deviations * chance).max(CHANGED * gap)
    }

    /// One more gap.
    fn add(&mut self, gap: &Gap, packet: f64) {
        let (packets, arrived) = (gap.bytes / packet, gap.arrived);
        let goes_on = self.is_held_back() && gap.first == self.run.next;
        let (run, forget) = if goes_on { (self.run, 1.0) } else { (Run::default(), FORGET) };
        self.run = Run { next: gap.last + 1, packets: run.packets + packets, arrived: run.arrived + arrived };
        let products = |run: &Run| [run.arrived * run.arrived, run.arrived * run.packets, run.packets * run.packets];
        let (with, without) = (products(&self.run), products(&run));
        let together = if gap.together { 1.0 } else { 0.0 };
        fade([&mut self.count, &mut self.packets, &mut self.gap, &mut self.together], [1.0, packets, arrived, together], forget);
        fade([&mut self.gap_gap, &mut self.gap_packets, &mut self.packets_packets], core::array::from_fn(|i| with[i] - without[i]), forget);
    }

    /// The mean gap and its variance.
    fn gap(&self) -> Option<(f64, f64)> {
        let (gap, apart) = (self.gap / self.packets, self.count - self.together);
        // Where packets are held back, by about the mean distance of those that did not come together, one run more is in doubt: that few agree is no proof.
        let held_back = if self.is_held_back() { self.gap / apart } else { 0.0 };
        let residual = self.gap_gap - 2.0 * gap * self.gap_packets + gap * gap * self.packets_packets;
        let noise = (residual.max(0.0) + held_back * held_back) / (self.packets * self.packets);
        (apart >= FEWEST).then_some((gap, noise))
    }

    fn is_held_back(&self) -> bool {
        self.together > SHORTEST * self.count
    }

    /// `s` and its variance: somewhere between what ρ = 1 and ρ = 0 make of the mean gap.
    fn service(&self) -> Option<(f64, f64)> {
        let (gap, noise) = self.gap()?;
        let range = gap - self.least()?;
        Some((gap - range / 2.0, noise + range * range / 12.0))
    }

    /// `s` with ρ = 1: the root of `a·s² − 2s + g = 0`, A being `a` packets a second. Where there is none, A is all of K.
    fn least(&self) -> Option<f64> {
        let (gap, _) = self.gap()?;
        let a = if self.beside > 0.0 { self.available / self.beside } else { 1.0 / gap };
        Some(gap / (1.0 + libm::sqrt((1.0 - a * gap).max(0.0))))
    }
}

impl Wide {
    /// `s` and its variance.
    fn service(&self) -> Option<(f64, f64)> {
        let s = self.yz / self.zz;
        if self.count < LATE || !(s > 0.0 && s.is_finite()) {
            return None;
        }
        let noise = (self.yy - s * self.yz).max(0.0) / self.count / self.zz;
        // An error of A is common to all.
        let slope = s * self.z / self.zz;
        Some((s, noise + slope * slope * self.doubt / self.count))
    }
}

impl Capacity {
    /// Takes in a gap of packets that left back to back, each of `packet` bytes.
    pub fn close(&mut self, gap: &Gap, packet: f64, available: Option<Rate>) {
        let of_one = gap.arrived * packet / gap.bytes;
        if gap.together || self.is_held_back() {
            // Something held the first back, as it holds others back that are long for it. How short the path can make them it does not tell.
        } else if of_one * STALLED < self.close.shortest {
            // What came before was no sample of pairs: of an answer that a timer held back, as likely as not.
            self.close = Close::default();
        } else if self.close.shortest > 0.0 && of_one > STALLED * self.close.shortest {
            self.close.stalled += 1;
            if self.close.stalled < IN_A_ROW {
                return;
            }
            // So many cannot be exceptions: the short ones were, which a network card handed up together.
            self.close = Close::default();
        }
        if !gap.together {
            self.close.stalled = 0;
        }
        self.close.late += (of_one - self.close.late) / self.close.late().min(self.close.count + 1.0);
        if self.close.is_contradicted() {
            // Without the one that said so, which is no sample of those to come.
            *self = Capacity::default();
            return;
        }
        self.close.add(gap, packet);
        if !gap.together {
            self.close.shorten(of_one);
        }
        if let Some(available) = available {
            fade([&mut self.close.beside, &mut self.close.available], [1.0, available.bytes_per_s() / packet], FORGET);
        }
    }

    /// Takes in a gap of one busy period of packets that left at least a service time apart; A as it was known then, with half the width of its
    /// confidence interval.
    pub fn wide(&mut self, gap: &Gap, packet: f64, (available, error): (Rate, Rate)) {
        let y = gap.arrived - gap.sent;
        let z = (gap.bytes - available.bytes_per_s() * gap.sent) / packet;
        let deviation = error.bytes_per_s() / packet / CI95;
        let wide = &mut self.wide;
        fade(
            [&mut wide.count, &mut wide.yy, &mut wide.yz, &mut wide.zz, &mut wide.z, &mut wide.doubt],
            [1.0, y * y / gap.sent, y * z / gap.sent, z * z / gap.sent, z, deviation * deviation],
            FORGET,
        );
    }

    /// The service time of the measured link \[s\] and its variance, and whether no other link is narrower; none before the first pairs.
    fn service(&self) -> Option<(f64, f64, bool)> {
        if self.is_held_back() {
            // A wide gap is no longer than what holds packets back, and what ρ leaves in doubt is the same for all who share the link, and nothing to whom has it alone.
            return self.close.gap().map(|(gap, noise)| (gap, noise, true));
        }
        let close = self.close.service()?;
        // Where nothing came in between, ever, both are exact.
        let Some(wide) = self.wide.service().filter(|wide| close.1 > 0.0 && wide.1 > 0.0) else { return Some((close.0, close.1, true)) };
        let least = self.close.least().unwrap_or(0.0);
        if wide.0 + CONTRADICTION * libm::sqrt(wide.1) < least {
            return Some((wide.0, wide.1, false));
        }
        let (of_close, of_wide) = (1.0 / close.1, 1.0 / wide.1);
        let both = of_close + of_wide;
        let service = (close.0 * of_close + wide.0 * of_wide) / both;
        // What is between packets makes a gap longer, never shorter.
        let (gap, _) = self.close.gap()?;
        Some((service.min(gap), 1.0 / both, true))
    }

    /// Whether something between the link and the sender holds packets back, and hands them up together.
    pub fn is_held_back(&self) -> bool {
        self.close.is_held_back()
    }

    /// Whether as many pairs make it as tell of another link.
    pub fn is_settled(&self) -> bool {
        self.close.count >= LATE
    }

    /// How long the measured link, the one that competitors share, takes for a packet \[s\].
    pub fn of_tight(&self) -> Option<f64> {
        self.service().map(|(service, _, _)| service)
    }

    /// How long the access link takes for a packet, `ρ·M/K` \[s\], beside A: what spread the close gaps beyond K. Zero before K is known, or
    /// where so little comes in between that it does not matter.
    pub fn access(&self, packet: f64, available: Rate) -> f64 {
        let (Some((service, _, alone)), Some((gap, _))) = (self.service(), self.close.gap()) else { return 0.0 };
        let busy = 1.0 - available.bytes_per_s() * service / packet;
        // ρ is above 1 only where another link is narrower.
        let most = if alone { service } else { gap };
        if busy > LITTLE { ((gap - service) / busy).clamp(0.0, most) } else { 0.0 }
    }

    /// By how much K may be more than it is told where packets are held back: competitors' packets that got in between lengthen the mean gap if the access link spreads packets, ρ = 1, and
    /// no gap tells ρ there.
    pub fn spread(&self, packet: f64) -> Rate {
        let (Some((gap, _)), Some(least)) = (self.close.gap(), self.close.least()) else { return Rate::ZERO };
        if self.is_held_back() { Rate::from_bytes_per_s((packet / least - packet / gap).max(0.0)) } else { Rate::ZERO }
    }

    /// K, the narrowest link's capacity, and half the width of its 95 % confidence interval; none before the first pairs.
    pub fn estimate(&self, packet: f64) -> Option<(Rate, Rate)> {
        let (service, variance, alone) = self.service()?;
        let (service, variance) = if alone { (service, variance) } else { self.close.gap()? };
        let deviation = CI95 * libm::sqrt(variance);
        let service = if self.is_held_back() {
            (deviation <= WIDEST_INTERVAL * service).then_some(service)?
        } else {
            // No link is narrower than the packets that it let through one after another.
            service.max(self.close.shortest)
        };
        let k = packet / service;
        k.is_finite().then(|| (Rate::from_bytes_per_s(k), Rate::from_bytes_per_s(CI95 * k * libm::sqrt(variance) / service)))
    }
}

#[cfg(test)]
mod tests;
