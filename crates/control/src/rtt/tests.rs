use super::*;
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
