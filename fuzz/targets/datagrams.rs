//! Datagrams of strangers between those of a transfer, and DATAGRAM frames that lie about packets: the transfer ends as it should.
#![no_main]

#[path = "../../crates/quic/tests/common/mod.rs"]
mod common;
#[path = "../../crates/quic/tests/hostile/side.rs"]
#[allow(dead_code, reason = "each target needs a part of it")]
mod side;

use bytes::BytesMut;
use common::{Way, run};
use libfuzzer_sys::fuzz_target;
use side::is_lied_to;
use symbiosis_base::Instant;
use symbiosis_quic::transfer::{Pattern, Task};
use symbiosis_quic::virtual_time::address;

/// A piece of the input is as long as its first two bytes say.
fn pieces(mut data: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    while let [high, low, rest @ ..] = data {
        let end = rest.len().min(usize::from(u16::from_be_bytes([*high, *low])) % 1500);
        all.push(rest[..end].to_vec());
        data = &rest[end..];
    }
    all.truncate(30);
    all
}

fuzz_target!(|data: &[u8]| {
    let [how, data @ ..] = data else { return };
    let pieces = pieces(data);
    if how & 1 == 1 && !pieces.is_empty() {
        return is_lied_to(["symbiosis", "hcc"][usize::from(how & 2) / 2], &pieces, how & 4 == 4);
    }
    let mut world = Way::new(20.0, 40, 100).one("symbiosis", Task::Drain { source: Box::new(Pattern(100_000)) });
    for (at, datagram) in pieces.iter().enumerate() {
        world.run(Instant::from_millis(5 * at as u64), |_| true);
        for node in 0..2 {
            let (now, from) = (world.now(), address(1 - node));
            world.node(node).receive(now, now, from, BytesMut::from(&datagram[..]));
            world.node(node).receive(now, now, address(7), BytesMut::from(&datagram[..]));
        }
    }
    let progress = run(&mut world, 30);
    assert!(progress.finished.is_some(), "{progress:?}");
});
