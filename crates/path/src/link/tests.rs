use proptest::prelude::*;

use symbiosis_base::Rate;

use super::*;

const FULL: Bytes = Bytes(1500);

/// 12 Mbit/s: a full packet takes 1 ms. 10 ms of delay.
fn spec() -> LinkSpec {
    LinkSpec::ideal(Rate::from_mbps(12.0), Span::from_millis(10))
}

fn watch(spec: &LinkSpec) -> Link {
    Link::watched(spec, Random::new(1, 1), Instant::START, Instant::from_millis(100), Some(Span::from_millis(1)))
}

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn at_ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

#[test]
fn packets_follow_one_another_and_the_queue_is_what_waits() {
    let mut link = watch(&LinkSpec { queue: QueueLimit::Packets(2), ..spec() });
    assert_eq!(link.offer(at_ms(0), FULL), Ok(at_ms(11)), "sent at once: 1 ms of transmission, 10 of delay");
    assert_eq!(link.offer(at_ms(0), FULL), Ok(at_ms(12)));
    assert_eq!(link.offer(at_ms(0), FULL), Ok(at_ms(13)));
    assert_eq!(link.offer(at_ms(0), FULL), Err(Drop::Queue), "one in transmission and two that wait");
    assert_eq!(link.queue_packets(at_ms(0)), 2);
    assert_eq!(link.queue_packets(at_ms(1)), 1);
    assert_eq!(link.offer(at_ms(5), FULL), Ok(at_ms(16)), "an idle link sends at once");
    let (stats, samples) = link.finish(at_ms(100));
    assert_eq!(stats.bytes_sent, 4.0 * 1500.0);
    assert_eq!((stats.queue_drops, stats.queue_max), (1, 2));
    // Two wait for 1 ms, one for another: 3 packet-milliseconds of 100.
    assert!((stats.queue_mean - 0.03).abs() < 1e-12);
    assert_eq!(samples[..4].iter().map(|s| s.queue_packets).collect::<Vec<_>>(), [0, 1, 0, 0]);
    assert_eq!(samples[100].bytes_begun, 6000);
}

#[test]
fn a_queue_counted_in_bytes_takes_small_packets_where_large_ones_do_not_fit() {
    let mut link = watch(&LinkSpec { queue: QueueLimit::Bytes(Bytes(2000)), ..spec() });
    assert!(link.offer(at_ms(0), FULL).is_ok());
    assert!(link.offer(at_ms(0), FULL).is_ok());
    assert_eq!(link.offer(at_ms(0), FULL), Err(Drop::Queue));
    assert!(link.offer(at_ms(0), Bytes(40)).is_ok());
}

#[test]
fn losses_come_at_their_rate_and_take_up_the_link() {
    let mut link = watch(&LinkSpec { loss: 0.2, ..spec() });
    let lost = (0..10_000).filter(|_| link.offer(at_ms(0), FULL).is_err()).count();
    assert!((lost as f64 / 10_000.0 - 0.2).abs() < 5.0 * (0.2_f64 * 0.8 / 10_000.0).sqrt(), "{lost} of 10000 lost");
    assert_eq!(link.offer(at_ms(0), FULL).unwrap_or(at_ms(10_011)), at_ms(10_011));
}

proptest! {
    /// Jitter delays and never reorders; a link conserves packets; the recursion is a queue of the right length.
    #[test]
    fn a_link_is_a_fifo_queue(
        gaps in proptest::collection::vec((0u64..3_000_000, 40u64..1501), 1..200),
        limit in 0u64..5,
        jitter in 0u64..2,
    ) {
        let spec = LinkSpec { queue: QueueLimit::Packets(limit), jitter: ms(jitter), ..spec() };
        let mut link = watch(&spec);
        let (mut now, mut last) = (Instant::START, Instant::START);
        // Transmission times by brute force.
        let mut ends: Vec<Instant> = Vec::new();
        for (gap, size) in gaps {
            now += Span(gap);
            let unsent = ends.iter().filter(|end| **end > now).count() as u64;
            let offered = link.offer(now, Bytes(size));
            prop_assert_eq!(offered.is_err(), unsent > limit, "{} unsent at {}", unsent, now);
            if let Ok(out) = offered {
                let end = ends.last().copied().unwrap_or_default().max(now) + Span((size * 2_000 + 1) / 3);
                prop_assert!(out >= last);
                if jitter == 0 {
                    prop_assert!(out.0.abs_diff((end + ms(10)).0) <= ends.len() as u64 + 1);
                }
                last = out;
                ends.push(out - ms(10));
                if jitter > 0 {
                    *ends.last_mut().unwrap() = end;
                }
            }
        }
    }
}
