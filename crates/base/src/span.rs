use core::fmt;
use core::ops::{Add, AddAssign, Mul, Sub};

use crate::SignedSpan;

/// How long something takes: nanoseconds between two instants.
///
/// Subtraction saturates at zero, because no formula of this project has a use for a negative span; those that compare two delays take
/// [`Span::signed_sub`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(0);
    /// For ever: longer than every measured span.
    pub const MAX: Span = Span(u64::MAX);

    /// From milliseconds.
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// From microseconds.
    pub const fn from_micros(us: u64) -> Span {
        Span(us * 1_000)
    }

    /// From seconds, rounded to the nearest nanosecond; negative and NaN give zero, too large gives [`Span::MAX`].
    pub fn from_secs(s: f64) -> Span {
        // `as` saturates and sends NaN to 0.
        Span((s * 1e9 + 0.5) as u64)
    }

    /// In seconds.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// In milliseconds.
    pub fn millis(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// The sum, or [`Span::MAX`] where it would overflow.
    pub const fn saturating_add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }

    /// By how much this span is longer than the other; below zero if it is shorter.
    pub fn signed_sub(self, other: Span) -> SignedSpan {
        SignedSpan::between(other.0, self.0)
    }

    /// This span times a non-negative factor.
    pub fn scale(self, factor: f64) -> Span {
        Span((self.0 as f64 * factor + 0.5) as u64)
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Span;
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, times: u64) -> Span {
        Span(self.0 * times)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.secs())
    }
}
