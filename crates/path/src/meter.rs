//! What a link did: bits sent, packets dropped, and how long how many packets waited.

use symbiosis_base::{Bytes, Instant};

/// Queues up to this length have a place of their own in the histogram; longer ones share places, each 1/1024 of their length wide:
/// a percentile is wrong by 0.1 % at most, as in `hdrhistogram` with three digits.
const EXACT: u64 = 1 << 11;

/// The place of a queue in the histogram.
#[inline]
fn place(length: u64) -> usize {
    if length < EXACT {
        return length as usize;
    }
    // So many halvings bring it below EXACT; each octave above has EXACT/2 places.
    let octave = length.ilog2() - EXACT.ilog2() + 1;
    (EXACT / 2 * u64::from(octave) + (length >> octave)) as usize
}

/// The least length of a place.
fn length(place: usize) -> u64 {
    let place = place as u64;
    if place < EXACT {
        return place;
    }
    let octave = place / (EXACT / 2) - 1;
    (place - EXACT / 2 * octave) << octave
}

/// Statistics of a link over the window of measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkStats {
    /// Bytes sent, those in parts of a packet at the window's edges included.
    pub bytes_sent: f64,
    /// Packets that found the queue full.
    pub queue_drops: u64,
    /// Packets lost on the wire.
    pub wire_losses: u64,
    /// Packets marked in place of being dropped (ECN).
    pub marks: u64,
    /// Mean of the packets that wait, over time.
    pub queue_mean: f64,
    /// 95th percentile of the packets that wait, over time.
    pub queue_p95: u64,
    /// Most packets that ever waited.
    pub queue_max: u64,
}

/// A link at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkSample {
    /// When.
    pub at: Instant,
    /// Packets that wait.
    pub queue_packets: u64,
    /// Packets dropped since the start, on the wire or before the queue.
    pub drops: u64,
    /// Bytes whose transmission has begun since the start.
    pub bytes_begun: u64,
}

#[derive(Debug)]
pub(crate) struct Meter {
    from: Instant,
    to: Instant,
    bytes_sent: f64,
    queue_drops: u64,
    wire_losses: u64,
    marks: u64,
    /// How long so many packets waited.
    waited: Vec<u64>,
    length: u64,
    longest: u64,
    changed: Instant,
    area: f64,
}

impl Meter {
    pub(crate) fn new(from: Instant, to: Instant) -> Meter {
        Meter {
            from,
            to,
            bytes_sent: 0.0,
            queue_drops: 0,
            wire_losses: 0,
            marks: 0,
            waited: vec![0; 64],
            length: 0,
            longest: 0,
            changed: from,
            area: 0.0,
        }
    }

    fn in_window(&self, at: Instant) -> bool {
        self.from <= at && at < self.to
    }

    /// The queue becomes `length` packets long at `at`; instants never go back.
    #[inline]
    pub(crate) fn queue(&mut self, at: Instant, length: u64) {
        let at = at.min(self.to);
        if at > self.changed {
            let span = (at - self.changed).0;
            let place = place(self.length);
            if place >= self.waited.len() {
                self.waited.resize((place + 1).next_power_of_two(), 0);
            }
            self.waited[place] += span;
            // Both are below 2⁶³, and the processor converts signed integers in one step.
            self.area += span as i64 as f64 * self.length as i64 as f64;
            self.longest = self.longest.max(self.length);
            self.changed = at;
        }
        self.length = length;
    }

    #[inline]
    pub(crate) fn sent(&mut self, start: Instant, end: Instant, size: Bytes) {
        if start >= self.from && end <= self.to {
            self.bytes_sent += size.as_f64();
        } else if end > self.from && start < self.to {
            let inside = end.min(self.to) - start.max(self.from);
            self.bytes_sent += size.as_f64() * (inside.0 as f64 / (end - start).0.max(1) as f64);
        }
    }

    pub(crate) fn queue_drop(&mut self, at: Instant) {
        self.queue_drops += self.in_window(at) as u64;
    }

    pub(crate) fn wire_loss(&mut self, at: Instant) {
        self.wire_losses += self.in_window(at) as u64;
    }

    pub(crate) fn mark(&mut self, at: Instant) {
        self.marks += self.in_window(at) as u64;
    }

    pub(crate) fn stats(&self) -> LinkStats {
        let total: u64 = self.waited.iter().sum();
        let mut below = 0;
        let p95 = self.waited.iter().position(|span| {
            below += span;
            below as f64 >= 0.95 * total as f64
        });
        LinkStats {
            bytes_sent: self.bytes_sent,
            queue_drops: self.queue_drops,
            wire_losses: self.wire_losses,
            marks: self.marks,
            queue_mean: if total == 0 { 0.0 } else { self.area / total as f64 },
            queue_p95: length(p95.unwrap_or(0)),
            queue_max: self.longest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_has_a_place_that_tells_it_to_a_thousandth() {
        let mut last = 0;
        for n in (0..5_000).chain((5_000..50_000_000).step_by(9_973)) {
            let (at, told) = (place(n), length(place(n)));
            assert!(at >= last, "{n}");
            assert!(told <= n && n - told <= n / 1024, "{n} is told as {told}");
            last = at;
        }
    }

    #[test]
    fn a_long_queue_has_a_p95_beside_its_mean() {
        let mut meter = Meter::new(Instant(0), Instant(1_000_000));
        (0..1_000_000).for_each(|n| meter.queue(Instant(n), n));
        let stats = meter.stats();
        assert!((stats.queue_p95 as f64 - 950_000.0).abs() < 2_000.0, "{stats:?}");
    }
}
