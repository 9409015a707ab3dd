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
