//! A server of files hears streams that do not keep to the protocol, over a whole connection in virtual time, and still serves another client.
#![no_main]

#[path = "../../crates/quic/tests/common/mod.rs"]
mod common;
#[path = "../../crates/quic/tests/hostile/side.rs"]
#[allow(dead_code, reason = "each target needs a part of it")]
mod side;

use std::fs;

use libfuzzer_sys::fuzz_target;
use side::{hears, message};

/// Between two streams; a line of JSON before the first empty line of a stream is a message, and what follows are bytes as they are.
const NEXT_STREAM: &[u8] = b"\n----\n";

fuzz_target!(|data: &[u8]| {
    let mut streams = Vec::new();
    let mut rest = data;
    while !rest.is_empty() && streams.len() < 8 {
        let end = rest.windows(NEXT_STREAM.len()).position(|window| window == NEXT_STREAM);
        let (one, next) = end.map_or((rest, &[][..]), |at| (&rest[..at], &rest[at + NEXT_STREAM.len()..]));
        let mut stream = Vec::new();
        let mut lines = one;
        while let Some(at) = lines.iter().position(|byte| *byte == b'\n') {
            let (line, after) = (&lines[..at], &lines[at + 1..]);
            lines = after;
            match std::str::from_utf8(line) {
                Ok("") | Err(_) => break,
                Ok(json) => stream.extend_from_slice(&message(json)),
            }
        }
        stream.extend_from_slice(lines);
        streams.push(stream);
        rest = next;
    }
    let around = tempfile::tempdir().expect("a folder");
    let root = around.path().join("served");
    fs::create_dir(&root).expect("a folder");
    fs::write(root.join("file"), "content").expect("a file");
    hears(&root, streams);
    assert_eq!(fs::read_dir(around.path()).expect("it is there").count(), 1, "nothing is written outside");
    assert!(fs::read_dir(&root).expect("it is there").count() < 64);
});
