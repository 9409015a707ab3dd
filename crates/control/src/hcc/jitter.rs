//! Jitter: how much longer two packets are apart when they arrive than when they left (H §6.1).

use crate::observer::{Arrival, Excess};
use crate::{SignedSpan, Span};

/// Less than this is no jitter: clocks round, and so do links. A rounded nanosecond at each of a path's links is less than 100 of them.
/// Measured with `simulate scenarios/hcc-beside-tcp.toml` (5 seeds, share of two flows of five): 1 ns and 100 ns 0.28, 10 µs 0.31, for then
/// true jitter passes unseen.
const RESOLUTION: Span = Span(100);

/// Watches the jitter of packets that left evenly.
///
/// What H takes for the period "with which they were sent" is here the distance at which they really left, by their time stamps. So a jitter
/// is the change of the one-way delay, true also where the period changed and where packets are missing. A pair arrives faster than the period, a negative jitter (H §5): it ends
/// a run of positive ones.
#[derive(Clone, Debug)]
pub struct Jitter {
    threshold: u32,
    resolution: SignedSpan,
    last: Option<Arrival>,
    positive: u32,
    sum: f64,
}

impl Jitter {
    /// So many consecutive positive jitters mean that the packets come too fast (H §6.1: two). What is less than the host can tell apart is
    /// none: of three noisy times, two in a row are late in a sixth of all cases.
    pub fn new(threshold: u32, host: Span) -> Jitter {
        Jitter { threshold, resolution: host.max(RESOLUTION).into(), last: None, positive: 0, sum: 0.0 }
    }

    /// Takes in an arrival; an excess, if it completes one. The count then begins again.
    pub fn arrived(&mut self, arrival: &Arrival) -> Option<Excess> {
        let last = self.last.replace(*arrival)?;
        if arrival.probe {
            (self.positive, self.sum) = (0, 0.0);
            return None;
        }
        let packets = arrival.serial.checked_sub(last.serial).filter(|packets| *packets > 0)?;
        let jitter = (arrival.now - last.now).signed_sub(arrival.sent_at - last.sent_at);
        if jitter <= self.resolution {
            (self.positive, self.sum) = (0, 0.0);
            return None;
        }
        self.positive += 1;
        self.sum += jitter.0 as f64 / packets as f64;
        if self.positive < self.threshold {
            return None;
        }
        let jitter = Span((self.sum / f64::from(self.positive)) as u64);
        (self.positive, self.sum) = (0, 0.0);
        Some(Excess { sent_at: arrival.sent_at, jitter })
    }
}
