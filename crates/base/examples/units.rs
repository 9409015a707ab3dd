//! Times, sizes and rates do not mix up: how much a link of 100 Mbit/s has in flight over 60 ms.

use symbiosis_base::{Bytes, Instant, Rate, Span};

fn main() {
    let (rate, rtt) = (Rate::from_mbps(100.0), Span::from_millis(60));
    let bdp = Bytes::from_f64(rate.times(rtt));
    println!("{} in flight, {:.0} packets of 1500 bytes", bdp, bdp.packets(Bytes(1500)));
    let sent_at = Instant::from_millis(20);
    println!("sent at {sent_at}, acknowledged at {}", sent_at + rtt);
    assert_eq!(bdp, Bytes(750_000));
}
