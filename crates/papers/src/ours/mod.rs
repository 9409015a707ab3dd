//! Ours: what the papers leave to do, and what they do not ask.

pub mod h0;
pub mod h10;
pub mod h11;
pub mod h7;
pub mod h8;
pub mod h9;
pub mod m1;
pub mod m2;
pub mod m3;
pub mod m4;
pub mod m5;
pub mod m6;
pub mod m7;
pub mod m8;
pub mod t18;
pub mod w3;
pub mod w4;
