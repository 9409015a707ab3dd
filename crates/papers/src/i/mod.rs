//! I: Iguchi et al. 2005, congestion control by inline measurement.

pub mod i1;
pub mod i4;
pub mod i5;
pub mod i6;
