use super::*;
use crate::{Instant, test_path};

/// A round of so many ACKs, all of one RTT: what the window grows by for each packet in its last ACK.
fn round(hystart: &mut HyStart, start: u64, acks: u64, rtt: u64) -> Option<f64> {
    let mut growth = Some(1.0);
    for n in 0..acks {
        let sent_at = Instant::from_millis(start).saturating_add(Span::from_micros(n));
        let ack = Acked { sent_at, now: sent_at + Span::from_millis(rtt), rtt: Some(Span::from_millis(rtt)), ..test_path::ack() };
        growth = hystart.growth(1.0, &ack);
    }
    growth
}

/// RFC 9406 §4.2 and its constants: 40 ms rise by an eighth; five rounds of a quarter follow, and then congestion avoidance.
#[test]
fn a_rise_by_an_eighth_slows_the_start_and_five_rounds_end_it() {
    let mut hystart = HyStart::default();
    assert_eq!(round(&mut hystart, 0, 10, 40), Some(1.0));
    assert_eq!(round(&mut hystart, 100, 10, 44), Some(1.0), "less than an eighth");
    assert_eq!(round(&mut hystart, 200, 10, 50), Some(0.25));
    for n in 3..8 {
        assert_eq!(round(&mut hystart, 100 * n, 10, 55), Some(0.25), "round {n}");
    }
    assert_eq!(round(&mut hystart, 800, 1, 55), None);
}

#[test]
fn a_rise_that_goes_away_was_jitter() {
    let mut hystart = HyStart::default();
    round(&mut hystart, 0, 10, 40);
    assert_eq!(round(&mut hystart, 100, 10, 50), Some(0.25));
    assert_eq!(round(&mut hystart, 200, 10, 49), Some(1.0));
}

#[test]
fn too_few_measurements_say_nothing() {
    let mut hystart = HyStart::default();
    round(&mut hystart, 0, 10, 40);
    assert_eq!(round(&mut hystart, 100, 7, 90), Some(1.0));
    assert_eq!(round(&mut HyStart::default(), 0, 100, 90), Some(1.0), "there is nothing to compare with");
}
