//! Whether the other end of a connection takes part in it.
//!
//! QUIC's idle timer (RFC 9000 §10.1) asks only whether packets come. They may come for ever though nothing is ever acknowledged: an endpoint
//! that could not validate a new address keeps itself alive there, and sends nothing else (seen with noq 1.4 where an address changed and the
//! path lost packets). A connection is alive while acknowledgements or data come; keep-alives see to it that there is always something to acknowledge.

use noq_proto::Connection;
use symbiosis_base::{Instant, Span};

/// The connection is looked at so often in the time in which it must show life: its end is seen late by an eighth of that time at most.
const LOOKS: u32 = 8;

/// Looks now and then whether anything came that means something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pulse {
    every: Span,
    next: Instant,
    /// Frames that acknowledge or carry data.
    frames: u64,
    /// Looks at which no more of them had come.
    still: u32,
}

impl Pulse {
    /// Nothing may be missed for longer than `idle`.
    pub(super) fn new(now: Instant, idle: Span) -> Pulse {
        let every = Span(idle.0 / u64::from(LOOKS));
        Pulse { every, next: now + every, frames: 0, still: 0 }
    }

    /// When to look again.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Whether there was no sign of life for too long.
    pub(super) fn has_stopped(&mut self, now: Instant, connection: &mut Connection) -> bool {
        if now < self.next {
            return false;
        }
        self.next = now + self.every;
        let came = connection.stats().frame_rx;
        self.takes(came.acks + came.crypto + came.stream)
    }

    /// The same of the number of frames that came.
    fn takes(&mut self, frames: u64) -> bool {
        self.still = if frames == self.frames { self.still + 1 } else { 0 };
        self.frames = frames;
        self.still >= LOOKS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_looks_in_vain_are_too_many() {
        let mut pulse = Pulse::new(Instant::START, Span::from_millis(800));
        assert_eq!(pulse.next(), Instant::from_millis(100));
        assert!((0..7).all(|_| !pulse.takes(0)) && !pulse.takes(1), "at the last moment");
        assert!((0..7).all(|_| !pulse.takes(1)) && pulse.takes(1));
    }
}
