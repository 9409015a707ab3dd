//! What the wire says is read or refused: requests, replies, and messages about packets. What is read says the same when it is written again.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| symbiosis_quic::fuzzing::reads(data));
