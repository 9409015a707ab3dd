//! What C4 takes for congestion ("Handling of congestion signals").

use crate::EcnCounts;

/// The greatest part by which congestion reduces the nominal rate.
pub(super) const MOST_BETA: f64 = 0.25;
/// The sensitivity over the nominal rate \[bytes/s\]: linear between these.
const SENSITIVITY: [(f64, f64); 3] = [(50_000.0, 0.0), (1_000_000.0, 0.92), (10_000_000.0, 1.0)];
/// Delay threshold: so much of the nominal max RTT to one that is fully sensitive, so much more to one that is not at all …
const DELAY_PARTS: (f64, f64) = (1.0 / 16.0, 3.0 / 16.0);
/// … and at most so much \[s\].
const MOST_DELAY: f64 = 0.025;
/// The same of losses.
const LOSS_PARTS: (f64, f64) = (0.02, 0.5);
/// And of marks, whose threshold is `(2 − sensitivity)` times this.
const MARK_PART: f64 = 3.0 / 32.0;
/// Weight of a packet in the smoothed loss rate, and of an ACK in that of marks.
const GAIN: f64 = 1.0 / 16.0;
/// An ACK of which so many packets are marked says by itself what the rate of marks is.
const MOSTLY_MARKED: f64 = 0.5;

/// A sign of congestion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Signal {
    /// The RTT's excess over the nominal max RTT and the threshold, as a part of the threshold.
    Delay(f64),
    /// Too many of the last packets.
    Loss,
    /// The rate of marks' excess over its threshold, as a part of it.
    Marks(f64),
    /// A mark, of which no more is known.
    Mark,
    /// The retransmission timer expired.
    Timeout,
}

impl Signal {
    /// By which part it reduces the nominal rate ("Rate Reduction on Congestion").
    pub(super) fn beta(self) -> f64 {
        match self {
            Signal::Delay(excess) | Signal::Marks(excess) => excess.clamp(0.0, MOST_BETA),
            Signal::Loss | Signal::Mark | Signal::Timeout => MOST_BETA,
        }
    }
}

/// How much a flow of that rate makes of congestion: the faster it is, the more ("Variable Sensitivity").
pub(super) fn sensitivity(rate: f64) -> f64 {
    let [(none, _), .., (all, _)] = SENSITIVITY;
    if rate <= none {
        return 0.0;
    }
    if rate >= all {
        return 1.0;
    }
    let of = |pair: &[(f64, f64)]| pair[0].1 + (rate - pair[0].0) / (pair[1].0 - pair[0].0) * (pair[1].1 - pair[0].1);
    SENSITIVITY.windows(2).find(|pair| rate < pair[1].0).map_or(1.0, of)
}

/// The delay beyond the nominal max RTT that is no congestion yet \[s\].
pub(super) fn delay_threshold(sensitivity: f64, nominal_max_rtt: f64) -> f64 {
    ((DELAY_PARTS.0 + (1.0 - sensitivity) * DELAY_PARTS.1) * nominal_max_rtt).min(MOST_DELAY)
}

/// The smoothed loss rate that is none yet.
pub(super) fn loss_threshold(sensitivity: f64) -> f64 {
    LOSS_PARTS.0 + (1.0 - sensitivity) * LOSS_PARTS.1
}

/// The rate of marks that is none yet.
pub(super) fn mark_threshold(sensitivity: f64) -> f64 {
    (2.0 - sensitivity) * MARK_PART
}

/// What has been seen of losses and marks.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    /// Packets that arrived or were lost in the connection.
    arrived: u64,
    loss_rate: f64,
    /// The ACK under way shows a loss.
    lost: bool,
    /// The draft's ecn_alpha.
    marks: f64,
    /// There ever was a mark.
    marked: bool,
}

impl Signals {
    /// A packet was acknowledged.
    pub(super) fn arrived(&mut self) {
        self.arrived = self.arrived.saturating_add(1);
        self.loss_rate -= GAIN * self.loss_rate;
    }

    /// A packet was presumed lost.
    pub(super) fn missing(&mut self) {
        self.lost = true;
        self.loss_rate += GAIN * (1.0 - self.loss_rate);
    }

    /// Packets received so far.
    pub(super) fn received(&self) -> u64 {
        self.arrived
    }

    /// Whether the path marks packets.
    pub(super) fn path_marks(&self) -> bool {
        self.marked
    }

    /// A recovery has ended.
    pub(super) fn forget_marks(&mut self) {
        self.marks = 0.0;
    }

    /// What an ACK shows, to a flow of that nominal rate and nominal max RTT, with that RTT.
    pub(super) fn found(&mut self, rate: f64, max_rtt: f64, rtt: f64, ecn: Option<EcnCounts>) -> impl Iterator<Item = Signal> + use<> {
        let sensitivity = sensitivity(rate);
        let lost = core::mem::take(&mut self.lost) && self.loss_rate > loss_threshold(sensitivity);
        let excess = ecn.and_then(|ecn| self.marks_of(&ecn)).map_or(0.0, |marks| marks / mark_threshold(sensitivity) - 1.0);
        let threshold = delay_threshold(sensitivity, max_rtt);
        let late = rtt - max_rtt - threshold;
        let signals = [
            lost.then_some(Signal::Loss),
            (excess > 0.0).then_some(Signal::Marks(excess)),
            (late > 0.0 && threshold > 0.0).then_some(Signal::Delay(late / threshold)),
        ];
        signals.into_iter().flatten()
    }

    /// The draft's ecn_alpha after an ACK, if it tells anything.
    fn marks_of(&mut self, ecn: &EcnCounts) -> Option<f64> {
        self.marked |= ecn.ce > 0;
        let all = ecn.ce.saturating_add(ecn.ect1).saturating_add(ecn.ect0);
        if all == 0 {
            return None;
        }
        let part = ecn.ce as f64 / all as f64;
        if part >= MOSTLY_MARKED {
            self.marks = part;
        } else {
            self.marks += GAIN * (part - self.marks);
        }
        Some(self.marks)
    }
}
