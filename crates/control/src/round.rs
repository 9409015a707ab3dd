//! Round trips, for laws that decide once in each.

use crate::{Acked, Instant};

/// The round trip under way: it ends with the ACK of a packet that left after it began, so one full flight is judged in each.
///
/// Told by departure times and not by packet numbers, because a retransmission carries an old number.
#[derive(Clone, Debug, Default)]
pub struct Round {
    began: Instant,
}

impl Round {
    /// Whether this ACK ends the round; then the next one begins. The first ACK of a connection ends its first round.
    pub fn ends_with(&mut self, ack: &Acked) -> bool {
        let ends = ack.sent_at >= self.began;
        if ends {
            self.began = ack.now;
        }
        ends
    }

    /// Begins afresh: what is in flight now counts for nothing.
    pub fn restart(&mut self, now: Instant) {
        self.began = now;
    }

    /// When it began.
    pub fn began(&self) -> Instant {
        self.began
    }
}

/// The greatest value of each of the last `N` rounds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundMax<const N: usize> {
    rounds: [f64; N],
    round: u64,
}

impl<const N: usize> Default for RoundMax<N> {
    fn default() -> RoundMax<N> {
        RoundMax { rounds: [0.0; N], round: 0 }
    }
}

impl<const N: usize> RoundMax<N> {
    /// A value of the round `round`, which is not before the last.
    pub(crate) fn update(&mut self, round: u64, value: f64) {
        let passed = round.saturating_sub(self.round).min(N as u64);
        (0..passed).for_each(|i| self.rounds[((round - i) % N as u64) as usize] = 0.0);
        self.round = round;
        let slot = &mut self.rounds[(round % N as u64) as usize];
        *slot = slot.max(value);
    }

    /// The greatest of all.
    pub(crate) fn get(&self) -> f64 {
        self.rounds.iter().copied().fold(0.0, f64::max)
    }

    /// The greatest of the last round.
    pub(crate) fn latest(&self) -> f64 {
        self.rounds[(self.round % N as u64) as usize]
    }
}
