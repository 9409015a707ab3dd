//! B: Kodama 2007, real networks.

pub mod b11;
pub mod b12;
pub mod b4;
pub mod b5;
pub mod b9;
