//! The two windowed maxima.

use crate::round::RoundMax;

/// BBR.MaxBwFilterLen (§2.11): this cycle of ProbeBW and the one before.
const MAX_BW_SLOTS: usize = 2;
/// BBR.ExtraAckedFilterLen (§2.12) \[rounds\].
const EXTRA_ACKED_ROUNDS: usize = 10;

/// BBR.max_bw_filter (§5.5.5).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MaxBw([f64; MAX_BW_SLOTS]);

impl MaxBw {
    /// BBR.max_bw \[bytes/s\].
    pub(super) fn get(&self) -> f64 {
        self.0[0].max(self.0[1])
    }

    /// A sample of this cycle.
    pub(super) fn update(&mut self, bw: f64) {
        self.0[1] = self.0[1].max(bw);
    }

    /// AdvanceMaxBwFilter (§5.5.6).
    pub(super) fn advance(&mut self) {
        if self.0[1] > 0.0 {
            self.0 = [self.0[1], 0.0];
        }
    }
}

/// BBR.extra_acked_filter (§5.5.9).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExtraAcked {
    rounds: RoundMax<EXTRA_ACKED_ROUNDS>,
    /// BBR.extra_acked_interval_start and BBR.extra_acked_delivered.
    pub(super) interval_start: crate::Instant,
    pub(super) delivered: f64,
}

impl ExtraAcked {
    /// A sample of the round `round`.
    pub(super) fn update(&mut self, round: u64, extra: f64) {
        self.rounds.update(round, extra);
    }

    /// BBR.extra_acked \[bytes\]: in Startup of this round alone (§5.5.9).
    pub(super) fn get(&self, full_bw_reached: bool) -> f64 {
        if full_bw_reached { self.rounds.get() } else { self.rounds.latest() }
    }
}
