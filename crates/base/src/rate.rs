use core::fmt;
use core::ops::{Add, Div, Mul, Sub};

use crate::{Bytes, Span};

/// A rate in bytes per second.
///
/// Subtraction saturates at zero: no formula of this project has a use for a negative rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate(f64);

impl Rate {
    /// Nothing moves.
    pub const ZERO: Rate = Rate(0.0);

    /// From bytes per second.
    #[inline]
    pub const fn from_bytes_per_s(bytes_per_s: f64) -> Rate {
        Rate(bytes_per_s)
    }

    /// From megabits (10⁶ bits) per second.
    #[inline]
    pub const fn from_mbps(mbps: f64) -> Rate {
        Rate(mbps * 1e6 / 8.0)
    }

    /// What `bytes` in `span` amount to; zero for an empty span.
    #[inline]
    pub fn of(bytes: Bytes, span: Span) -> Rate {
        if span == Span::ZERO { Rate::ZERO } else { Rate(bytes.as_f64() / span.secs()) }
    }

    /// In bytes per second.
    #[inline]
    pub const fn bytes_per_s(self) -> f64 {
        self.0
    }

    /// In megabits (10⁶ bits) per second.
    #[inline]
    pub const fn mbps(self) -> f64 {
        self.0 * 8.0 / 1e6
    }

    /// The bandwidth-delay product in bytes, with the fraction: what is in flight when this rate is kept for `span`.
    #[inline]
    pub fn times(self, span: Span) -> f64 {
        self.0 * span.secs()
    }

    /// How long `bytes` take at this rate; [`Span::MAX`] at rate zero.
    #[inline]
    pub fn time_for(self, bytes: Bytes) -> Span {
        if self.0 > 0.0 { Span::from_secs(bytes.as_f64() / self.0) } else { Span::MAX }
    }

    /// How far apart two rates are.
    #[inline]
    pub fn abs_diff(self, other: Rate) -> Rate {
        Rate((self.0 - other.0).abs())
    }

    /// This rate, held between two bounds.
    #[inline]
    pub fn clamp(self, low: Rate, high: Rate) -> Rate {
        Rate(self.0.max(low.0).min(high.0))
    }
}

impl Add for Rate {
    type Output = Rate;
    #[inline]
    fn add(self, other: Rate) -> Rate {
        Rate(self.0 + other.0)
    }
}

impl Sub for Rate {
    type Output = Rate;
    #[inline]
    fn sub(self, other: Rate) -> Rate {
        Rate((self.0 - other.0).max(0.0))
    }
}

impl Mul<f64> for Rate {
    type Output = Rate;
    #[inline]
    fn mul(self, factor: f64) -> Rate {
        Rate(self.0 * factor)
    }
}

impl Div for Rate {
    type Output = f64;
    #[inline]
    fn div(self, other: Rate) -> f64 {
        self.0 / other.0
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} Mbit/s", self.mbps())
    }
}
