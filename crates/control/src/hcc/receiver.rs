//! The receiver's half: it measures, and says what it found.

use super::jitter::Jitter;
use super::pair::Dispersion;
use crate::observer::{Arrival, Excess, Findings, Observer};
use crate::{Instant, Setup, Span};

/// HCC's receiving half.
#[derive(Clone, Debug)]
pub struct HccReceiver {
    alpha: f64,
    reports: f64,
    dispersion: Dispersion,
    jitter: Jitter,
    gap: f64,
    weight: f64,
    left: Instant,
    /// Each packet is to be reported, and this one has not been.
    each: bool,
    unreported: bool,
    excess: Option<Excess>,
}

impl HccReceiver {
    /// For packets of the setup's size, on a host that tells apart what its clock does; `alpha` is the weight of a pair, `jitters` how many consecutive positive jitters count, `reports` how many
    /// reports there are in a round trip if nothing is urgent. With `each` the sender wants to hear of every packet.
    pub fn new(setup: &Setup, alpha: f64, jitters: u32, reports: f64, each: bool) -> HccReceiver {
        let (dispersion, jitter) = (Dispersion::new(setup.packet), Jitter::new(jitters, setup.clock));
        HccReceiver {
            alpha,
            reports: reports.max(1.0),
            dispersion,
            jitter,
            gap: 0.0,
            weight: 0.0,
            left: Instant::START,
            each,
            unreported: false,
            excess: None,
        }
    }
}

impl Observer for HccReceiver {
    fn arrived(&mut self, arrival: &Arrival) {
        self.unreported = self.each;
        if let Some(gap) = self.dispersion.arrived(arrival) {
            // P ← (1 − α)P + α·gap after P ← (1 − weight)P + weight·self.gap, as one step of the same form.
            let old = (1.0 - self.alpha) * self.weight;
            self.weight = old + self.alpha;
            self.left = arrival.sent_at;
            self.gap = (old * self.gap + self.alpha * gap.0 as f64) / self.weight;
        }
        if let Some(excess) = self.jitter.arrived(arrival) {
            self.excess = Some(excess);
        }
    }

    fn urgent(&self) -> bool {
        self.unreported || self.excess.is_some()
    }

    fn patience(&self, rtt: Span) -> Span {
        rtt.scale(1.0 / self.reports)
    }

    fn take(&mut self) -> Findings {
        self.unreported = false;
        let findings = Findings { gap: Span(self.gap as u64), weight: self.weight, left: self.left, excess: self.excess.take() };
        (self.gap, self.weight, self.left) = (0.0, 0.0, Instant::START);
        findings
    }
}
