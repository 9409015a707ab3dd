use core::fmt;
use core::ops::{Add, Sub};

use crate::Span;

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
    pub(crate) fn between(earlier: u64, later: u64) -> SignedSpan {
        let nanos = i128::from(later) - i128::from(earlier);
        SignedSpan(i64::try_from(nanos).unwrap_or(if nanos > 0 { i64::MAX } else { i64::MIN }))
    }

    /// In seconds.
    pub fn secs(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// As a span that cannot be below zero: zero where this one is.
    pub fn max_zero(self) -> Span {
        Span(u64::try_from(self.0).unwrap_or(0))
    }
}

impl From<Span> for SignedSpan {
    fn from(span: Span) -> SignedSpan {
        SignedSpan::between(0, span.0)
    }
}

impl Add<Span> for SignedSpan {
    type Output = SignedSpan;
    fn add(self, span: Span) -> SignedSpan {
        SignedSpan(self.0.saturating_add_unsigned(span.0))
    }
}

impl Sub for SignedSpan {
    type Output = SignedSpan;
    fn sub(self, other: SignedSpan) -> SignedSpan {
        SignedSpan(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for SignedSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.6} s", self.secs())
    }
}
