//! The world's clock, and noq's.

use std::time::{Duration, Instant};

use symbiosis_base::Nanos;

/// Maps the world's nanoseconds to the instants that noq calculates with. In virtual time the origin is arbitrary: only spans count.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    origin: Instant,
}

impl Clock {
    /// A clock that begins now.
    pub fn start() -> Clock {
        Clock { origin: Instant::now() }
    }

    /// Time of the machine since the start.
    pub fn now(&self) -> Nanos {
        self.nanos(Instant::now())
    }

    /// An instant of noq's; zero if it lies before the start.
    pub fn nanos(&self, instant: Instant) -> Nanos {
        Nanos(instant.saturating_duration_since(self.origin).as_nanos() as u64)
    }

    /// An instant for noq.
    pub fn instant(&self, at: Nanos) -> Instant {
        self.origin + Duration::from_nanos(at.0)
    }
}
