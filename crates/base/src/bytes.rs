use core::fmt;
use core::ops::{Add, AddAssign, Sub, SubAssign};

use crate::float;

/// A size in bytes. Windows and packets are counted as they are on the wire, headers included, so that `K·τ` is a window.
///
/// Subtraction saturates at zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    /// Nothing.
    pub const ZERO: Bytes = Bytes(0);

    /// From a computed size: rounded down, at least zero; NaN gives zero.
    #[inline]
    pub fn from_f64(bytes: f64) -> Bytes {
        Bytes(bytes as u64)
    }

    /// For use in a formula.
    #[inline]
    pub fn as_f64(self) -> f64 {
        float(self.0)
    }

    /// In packets of the given size, with the fraction.
    #[inline]
    pub fn packets(self, packet: Bytes) -> f64 {
        float(self.0) / float(packet.0)
    }

    /// The sum, or the largest size where it would overflow.
    #[inline]
    pub const fn saturating_add(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_add(other.0))
    }
}

impl Add for Bytes {
    type Output = Bytes;
    #[inline]
    fn add(self, other: Bytes) -> Bytes {
        Bytes(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    #[inline]
    fn add_assign(&mut self, other: Bytes) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Bytes;
    #[inline]
    fn sub(self, other: Bytes) -> Bytes {
        Bytes(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Bytes {
    #[inline]
    fn sub_assign(&mut self, other: Bytes) {
        *self = *self - other;
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0)
    }
}
