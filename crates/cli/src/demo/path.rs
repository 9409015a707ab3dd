//! The path of the demonstration.

use symbiosis_base::{Bytes, Instant, Rate, Span};
use symbiosis_path::{Gaps, LinkSpec, QueueLimit, Sizes, Steps, TrafficSpec};
use symbiosis_quic::impairments::Impairments;
use symbiosis_quic::relay;

/// The path in words.
pub const ABOUT: &str = "100 Mbit/s, RTT 60 ms, buffer of 1 BDP; others take 20 Mbit/s, from 3 s on 60, from 7 s on 20 again";

/// Capacity of the narrowest link, in both directions.
pub const CAPACITY: Rate = Rate::from_mbps(100.0);
/// One way.
const DELAY: Span = Span::from_millis(30);

/// What others send, and from when on.
const OTHERS: [(Instant, Rate); 3] = [
    (Instant::START, Rate::from_mbps(20.0)),
    (Instant::from_millis(3000), Rate::from_mbps(60.0)),
    (Instant::from_millis(7000), Rate::from_mbps(20.0)),
];

/// What others send.
pub fn others() -> Steps {
    Steps::new(&OTHERS)
}

/// The path, for a relay.
pub fn path(overhead: Bytes, seed: u64) -> relay::Path {
    let back = LinkSpec::ideal(CAPACITY, DELAY);
    // In bytes: the others' packets have the sizes of the Internet, and most of them are small.
    let bdp = Bytes::from_f64(CAPACITY.times(DELAY * 2));
    let forth = LinkSpec { queue: QueueLimit::Bytes(bdp), ..back.clone() };
    let others = TrafficSpec { sizes: Sizes::Internet, gaps: Gaps::Exponential, rate: others() };
    relay::Path {
        forth,
        back,
        others: Some(others),
        overhead,
        impairments: Impairments::default(),
        rebinds: Vec::new(),
        seed,
        sample_every: Span::from_millis(20),
    }
}
