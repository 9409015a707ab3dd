//! The world's clock, and a QUIC stack's.

use std::time::Duration;

use symbiosis_base::Instant;

/// Maps the world's nanoseconds to the instants that a QUIC stack calculates with. In virtual time the origin is arbitrary: only spans count.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: std::time::Instant,
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Clock {
        Clock { origin: std::time::Instant::now() }
    }

    /// Time of the machine since the start.
    pub fn now(&self) -> Instant {
        self.nanos(std::time::Instant::now())
    }

    /// An instant of the stack's; zero if it lies before the start.
    pub fn nanos(&self, instant: std::time::Instant) -> Instant {
        Instant(instant.saturating_duration_since(self.origin).as_nanos() as u64)
    }

    /// An instant for the stack.
    pub fn instant(&self, at: Instant) -> std::time::Instant {
        self.origin + Duration::from_nanos(at.0)
    }
}
