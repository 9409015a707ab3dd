//! S: Hasegawa and Murata 2006, TCP Symbiosis.

pub mod s1;
pub mod s10;
pub mod s11;
pub mod s12;
pub mod s14;
pub mod s4;
pub mod s5;
pub mod s7;
pub mod s8;
pub mod s9;
