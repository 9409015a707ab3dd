//! The receiving end: messages about packets as they come off the wire, packets that arrive between them, and what the receiver's half of a
//! controller makes of it.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| symbiosis_quic::fuzzing::listens(data));
