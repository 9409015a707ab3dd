use core::fmt;
use core::ops::{Add, AddAssign, Mul, Sub};

/// Nanoseconds: an instant since the start of the world's clock, or a span between two instants.
///
/// Subtraction saturates at zero, because a negative span has no meaning in any formula of this project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The start of the clock, or the empty span.
    pub const ZERO: Nanos = Nanos(0);
    /// Never: later than every instant.
    pub const MAX: Nanos = Nanos(u64::MAX);

    /// From milliseconds.
    pub const fn from_millis(ms: u64) -> Nanos {
        Nanos(ms * 1_000_000)
    }

    /// From microseconds.
    pub const fn from_micros(us: u64) -> Nanos {
        Nanos(us * 1_000)
    }

    /// From seconds, rounded to the nearest nanosecond; negative and NaN give zero, too large gives [`Nanos::MAX`].
    pub fn from_secs(s: f64) -> Nanos {
        // `as` saturates and sends NaN to 0.
        Nanos((s * 1e9 + 0.5) as u64)
    }

    /// In seconds.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// In milliseconds.
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The sum, or [`Nanos::MAX`] where it would overflow.
    pub const fn saturating_add(self, span: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(span.0))
    }

    /// This span times a non-negative factor.
    pub fn scale(self, factor: f64) -> Nanos {
        Nanos((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, span: Nanos) -> Nanos {
        Nanos(self.0 + span.0)
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, span: Nanos) {
        self.0 += span.0;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    fn sub(self, earlier: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Mul<u64> for Nanos {
    type Output = Nanos;
    fn mul(self, times: u64) -> Nanos {
        Nanos(self.0 * times)
    }
}

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.secs())
    }
}
