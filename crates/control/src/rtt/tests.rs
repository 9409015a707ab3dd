use super::*;
use crate::Bytes;
use crate::test_path::ack;

/// RFC 6298 §2.2 and §2.3, by hand: 100, then 180, then 60 ms.
#[test]
fn smoothed_and_variation_are_rfc_6298s() {
    let mut estimator = RttEstimator::default();
    assert_eq!((estimator.smoothed(), estimator.variation()), (0.0, 0.0));
    estimator.sample(100.0);
    assert_eq!((estimator.smoothed(), estimator.variation()), (100.0, 50.0));
    estimator.sample(180.0);
    // 3/4·50 + 1/4·80, with the SRTT from before; 7/8·100 + 1/8·180.
    assert_eq!((estimator.smoothed(), estimator.variation()), (110.0, 57.5));
    estimator.sample(60.0);
    assert_eq!((estimator.smoothed(), estimator.variation()), (103.75, 55.625));
}

/// After n equal samples of another value, (7/8)^n of the difference is left.
#[test]
fn a_step_is_forgotten_by_an_eighth_each_sample() {
    let (mut smoothed, mut estimator) = (Smoothed::default(), RttEstimator::default());
    for n in 0..40 {
        let rtt = if n == 0 { 2.0 } else { 1.0 };
        smoothed.sample(rtt);
        estimator.sample(rtt);
        assert!((smoothed.get() - 1.0 - 0.875_f64.powi(n)).abs() < 1e-12);
        assert_eq!(smoothed.get(), estimator.smoothed());
    }
}

#[test]
fn the_least_is_kept_until_the_path_is_another() {
    let mut least = MinRtt::default();
    assert_eq!(least.get(), None);
    for (rtt, wanted) in [(30, 30), (40, 30), (20, 20), (25, 20)] {
        least.sample(rtt);
        assert_eq!(least.get(), Some(wanted));
    }
    least.restart(50);
    assert_eq!(least.get(), Some(50));
}

#[test]
fn an_ack_without_a_measurement_changes_nothing() {
    let mut rtt = BaseRtt::default();
    for (measured, tau, smoothed) in [(None, None, 0), (Some(0), None, 0), (Some(80), Some(80), 80), (Some(160), Some(80), 90)] {
        rtt.acked(&Acked { rtt: measured.map(Span), ..ack() });
        assert_eq!((rtt.tau(), rtt.smoothed()), (tau.map(Span), Span(smoothed)));
    }
}

/// A queue of 2 ms, and a card that hands up every 3 ms what came, 25 packets: the law is to see the queue, and the loop is longer by what a packet waits for the card, and its answer behind the others.
#[test]
fn where_packets_are_held_back_the_least_of_late_stands() {
    for (held_back, expected, longer) in [(true, 42.0, 2.88), (false, 42.0, 0.0)] {
        let (mut rtt, mut mean) = (BaseRtt::default(), 0.0);
        for number in 0..20_000 {
            mean += 0.001 * (rtt.held_back().millis() - mean);
            let left = Span::from_micros(120) * number;
            let arrived = Instant::after(left) + Span::from_millis(42);
            let tick = Span::from_millis(3).0;
            let now = Instant(arrived.since_start().0.div_ceil(tick) * tick);
            let ack = Acked::new(now, number, Bytes(1500), Instant::after(left)).with_rtt(Some(now - Instant::after(left)));
            rtt.acked_at_once(&ack, ack.rtt, held_back);
        }
        assert!((rtt.smoothed().millis() - expected).abs() < 0.1, "{:?}", rtt.smoothed());
        assert!((mean - longer).abs() < 0.1, "{mean}");
    }
}
