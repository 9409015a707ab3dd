use core::fmt;
use core::ops::{Add, AddAssign, Sub};

use crate::Span;

/// A point on the clock of the world that a connection lives in: nanoseconds since that clock's start.
///
/// The world gives it meaning: simulated time, a monotonic clock since the run began, the kernel's. Two instants have no sum, and their
/// difference is a [`Span`]. It saturates at zero, as does the subtraction of a span at the start of the clock.
///
/// ```
/// use symbiosis_base::{Instant, Span};
///
/// let sent_at = Instant::from_millis(20);
/// let acked_at = sent_at + Span::from_millis(100);
/// assert_eq!(acked_at - sent_at, Span::from_millis(100));
/// assert_eq!(sent_at - acked_at, Span::ZERO);
/// ```
///
/// ```compile_fail
/// # use symbiosis_base::Instant;
/// let _ = Instant::START + Instant::START;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

impl Instant {
    /// The start of the clock.
    pub const START: Instant = Instant(0);
    /// Never: later than every instant at which something happens.
    pub const NEVER: Instant = Instant(u64::MAX);

    /// That many milliseconds after the start of the clock.
    #[inline]
    pub const fn from_millis(ms: u64) -> Instant {
        Instant(ms * 1_000_000)
    }

    /// That many microseconds after the start of the clock.
    #[inline]
    pub const fn from_micros(us: u64) -> Instant {
        Instant(us * 1_000)
    }

    /// That many seconds after the start of the clock, rounded to the nearest nanosecond; negative and NaN give [`Instant::START`], too
    /// large gives [`Instant::NEVER`].
    #[inline]
    pub fn from_secs(s: f64) -> Instant {
        Instant::after(Span::from_secs(s))
    }

    /// `span` after the start of the clock.
    #[inline]
    pub const fn after(span: Span) -> Instant {
        Instant(span.0)
    }

    /// How long after the start of the clock.
    #[inline]
    pub const fn since_start(self) -> Span {
        Span(self.0)
    }

    /// In seconds since the start of the clock.
    #[inline]
    pub fn secs(self) -> f64 {
        self.since_start().secs()
    }

    /// In milliseconds since the start of the clock.
    #[inline]
    pub fn millis(self) -> f64 {
        self.since_start().millis()
    }

    /// `span` later, or [`Instant::NEVER`] where that would overflow.
    #[inline]
    pub const fn saturating_add(self, span: Span) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl Add<Span> for Instant {
    type Output = Instant;
    #[inline]
    fn add(self, span: Span) -> Instant {
        Instant(self.0 + span.0)
    }
}

impl AddAssign<Span> for Instant {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}

impl Sub for Instant {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Instant) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Sub<Span> for Instant {
    type Output = Instant;
    #[inline]
    fn sub(self, span: Span) -> Instant {
        Instant(self.0.saturating_sub(span.0))
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.secs())
    }
}
