//! T: Kodama 2009, robustness.

pub mod t10;
pub mod t11;
pub mod t12;
pub mod t15;
pub mod t16;
pub mod t3;
pub mod t5;
pub mod t6;
