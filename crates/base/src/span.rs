use core::fmt;
use core::ops::{Add, AddAssign, Mul, Sub};

use crate::float;

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
    #[inline]
    pub const fn from_millis(ms: u64) -> Span {
        Span(ms * 1_000_000)
    }

    /// From microseconds.
    #[inline]
    pub const fn from_micros(us: u64) -> Span {
        Span(us * 1_000)
    }

    /// From seconds, rounded to the nearest nanosecond; negative and NaN give zero, too large gives [`Span::MAX`].
    #[inline]
    pub fn from_secs(s: f64) -> Span {
        // `as` saturates and sends NaN to 0.
        Span((s * 1e9 + 0.5) as u64)
    }

    /// In seconds.
    #[inline]
    pub fn secs(self) -> f64 {
        float(self.0) / 1e9
    }

    /// In milliseconds.
    #[inline]
    pub fn millis(self) -> f64 {
        float(self.0) / 1e6
    }

    /// The sum, or [`Span::MAX`] where it would overflow.
    #[inline]
    pub const fn saturating_add(self, other: Span) -> Span {
        Span(self.0.saturating_add(other.0))
    }

    /// By how much this span is longer than the other; below zero if it is shorter.
    #[inline]
    pub fn signed_sub(self, other: Span) -> SignedSpan {
        SignedSpan::between(other.0, self.0)
    }

    /// This span times a non-negative factor.
    #[inline]
    pub fn scale(self, factor: f64) -> Span {
        Span((float(self.0) * factor + 0.5) as u64)
    }
}

impl Add for Span {
    type Output = Span;
    #[inline]
    fn add(self, other: Span) -> Span {
        Span(self.0 + other.0)
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Span) {
        self.0 += other.0;
    }
}

impl Sub for Span {
    type Output = Span;
    #[inline]
    fn sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    #[inline]
    fn mul(self, times: u64) -> Span {
        Span(self.0 * times)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.secs())
    }
}

/// A span that may be below zero: a delay between two clocks that were never set, or the difference of two delays.
///
/// Every operation saturates; 292 years of either sign fit.
///
/// ```
/// use symbiosis_base::{SignedSpan, Span};
///
/// let jitter = Span::from_millis(3).signed_sub(Span::from_millis(5));
/// assert_eq!(jitter, SignedSpan(-2_000_000));
/// assert_eq!(jitter.max_zero(), Span::ZERO);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SignedSpan(pub i64);

impl SignedSpan {
    /// No difference.
    pub const ZERO: SignedSpan = SignedSpan(0);

    /// From one reading of a clock to another \[ns\].
    #[inline]
    pub(crate) fn between(earlier: u64, later: u64) -> SignedSpan {
        let nanos = later.wrapping_sub(earlier).cast_signed();
        match (later >= earlier, nanos >= 0) {
            (true, false) => SignedSpan(i64::MAX),
            (false, true) => SignedSpan(i64::MIN),
            _ => SignedSpan(nanos),
        }
    }

    /// In seconds.
    #[inline]
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// As a span that cannot be below zero: zero where this one is.
    #[inline]
    pub fn max_zero(self) -> Span {
        Span(u64::try_from(self.0).unwrap_or(0))
    }
}

impl From<Span> for SignedSpan {
    #[inline]
    fn from(span: Span) -> SignedSpan {
        SignedSpan::between(0, span.0)
    }
}

impl Add<Span> for SignedSpan {
    type Output = SignedSpan;
    #[inline]
    fn add(self, span: Span) -> SignedSpan {
        SignedSpan(self.0.saturating_add_unsigned(span.0))
    }
}

impl Sub for SignedSpan {
    type Output = SignedSpan;
    #[inline]
    fn sub(self, other: SignedSpan) -> SignedSpan {
        SignedSpan(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for SignedSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.secs())
    }
}
