//! A link of 12 Mbit/s serves a packet of 1500 bytes in a millisecond. Ten leave for it at once; its queue holds five.

use symbiosis_base::{Bytes, Instant, Random, Rate, Span};
use symbiosis_path::{Link, LinkSpec, QueueLimit};

fn main() {
    let spec = LinkSpec { queue: QueueLimit::Packets(5), ..LinkSpec::ideal(Rate::from_mbps(12.0), Span::from_millis(10)) };
    let mut link = Link::watched(&spec, Random::new(1, 0), Instant::START, Instant::from_millis(100), None);
    let fates: Vec<_> = (0..10).map(|_| link.offer(Instant::START, Bytes(1500))).collect();
    for (number, fate) in fates.iter().enumerate() {
        match fate {
            Ok(arrival) => println!("packet {number} arrives at {:.0} ms", arrival.millis()),
            Err(drop) => println!("packet {number} is dropped: {drop:?}"),
        }
    }
    // One in service and five that wait.
    assert_eq!(fates.iter().filter(|fate| fate.is_ok()).count(), 6);
}
