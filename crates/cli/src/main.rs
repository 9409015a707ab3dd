//! The command `symbiosis`.

fn main() {}
