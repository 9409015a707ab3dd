use super::*;
use crate::{Bytes, EcnCounts, test_path};

/// A round trip of `rtt` in which every packet for which `is_marked` says so arrives with a mark; counted from `number` on.
fn round(prague: &mut Prague, now: &mut Instant, rtt: Span, number: &mut u64, is_marked: impl Fn(u64) -> bool) {
    let (sent_at, packets) = (*now, prague.window.cwnd as u64);
    for k in 1..=packets {
        let at = sent_at + rtt + Span(k * 1000);
        prague.acked(&Acked { now: at, sent_at: sent_at + Span(k * 1000), rtt: Some(rtt), ..test_path::ack() });
        *number += 1;
        let marked = u64::from(is_marked(*number));
        prague.ack_processed(&AckProcessed::new(at).with_ecn(Some(EcnCounts::new(0, 1 - marked, marked))));
        *now = at;
    }
}

fn beyond_slow_start(cwnd: f64) -> Prague {
    let mut prague = Prague::new(&test_path::setup(10));
    (prague.window.cwnd, prague.window.ssthresh) = (cwnd, cwnd);
    prague
}

#[test]
fn the_first_mark_ends_slow_start_with_a_halving() {
    let mut prague = Prague::new(&test_path::setup(10));
    let (mut now, mut number) = (Instant::START, 0);
    round(&mut prague, &mut now, Span::from_millis(50), &mut number, |_| false);
    assert_eq!(prague.window.cwnd, 20.0);
    round(&mut prague, &mut now, Span::from_millis(50), &mut number, |n| n == 11);
    // α is 1 and the mark comes with the 21st packet; 19 more add to the half of it.
    assert!(!prague.window.in_slow_start());
    assert!((10.5..12.5).contains(&prague.window.cwnd), "{}", prague.window.cwnd);
}

#[test]
fn alpha_forgets_a_sixteenth_in_a_round_trip() {
    let mut prague = beyond_slow_start(100.0);
    let (mut now, mut number) = (Instant::START, 0);
    round(&mut prague, &mut now, Span::from_millis(50), &mut number, |n| n == 1);
    let first = prague.alpha;
    for _ in 0..8 {
        round(&mut prague, &mut now, Span::from_millis(50), &mut number, |_| false);
    }
    let expected = first * libm::pow(15.0 / 16.0, 8.0);
    assert!((prague.alpha / expected - 1.0).abs() < 0.08, "{} of {expected}", prague.alpha);
}

#[test]
fn a_marking_probability_makes_a_window_of_two_over_it() {
    // RFC 9332 §2.1 and the draft: W = 2/p, two marks in a round trip at any rate; here less what marked packets do not add.
    for every in [25, 50, 100] {
        let mut prague = beyond_slow_start(30.0);
        let (mut now, mut number) = (Instant::START, 0);
        let mut mean = 0.0;
        for k in 0..1600 {
            round(&mut prague, &mut now, Span::from_millis(50), &mut number, |n| n % every == 0);
            mean += if k >= 1200 { prague.window.cwnd / 400.0 } else { 0.0 };
        }
        let expected = 2.0 * (every as f64 - 1.0);
        assert!((mean / expected - 1.0).abs() < 0.08, "1/p {every}: {mean} of {expected}");
    }
}

#[test]
fn one_reduction_in_a_round_trip_and_a_loss_takes_half_of_what_was_before_it() {
    let mut prague = beyond_slow_start(100.0);
    prague.alpha = 0.2;
    prague.smoothed.sample(50e6);
    prague.marks(Instant::from_millis(100), 1, 10);
    assert_eq!(prague.window.cwnd, 90.0);
    prague.marks(Instant::from_millis(120), 1, 10);
    assert_eq!(prague.window.cwnd, 90.0);
    prague.lost(&Lost::new(Instant::from_millis(130), LossKind::FastRetransmit, Bytes(0)));
    assert_eq!(prague.window.cwnd, 50.0);
}

#[test]
fn short_paths_add_less_after_five_hundred_round_trips() {
    let mut prague = beyond_slow_start(20.0);
    prague.smoothed.sample(5e6);
    assert_eq!(prague.additive(), 1.0);
    prague.rounds = TRANSITION;
    assert!((prague.additive() - 0.04).abs() < 1e-12);
    prague.smoothed = Smoothed::default();
    prague.smoothed.sample(50e6);
    assert_eq!(prague.additive(), 1.0);
}
