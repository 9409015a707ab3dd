use crate::{Bytes, Instant, Rate, ReceiverInstant, SignedSpan, Span};

#[test]
fn a_bandwidth_delay_product_is_rate_times_time() {
    // 100 Mbit/s for 120 ms is 1.5 MB, a thousand packets of 1500 bytes (T Fig 3).
    let k = Rate::from_mbps(100.0);
    assert_eq!(k.times(Span::from_millis(120)), 1_500_000.0);
    assert_eq!(k.time_for(Bytes(1500)), Span::from_micros(120));
    assert_eq!(Rate::of(Bytes(1500), Span::from_micros(120)), k);
}

#[test]
fn nothing_becomes_negative_or_nan() {
    assert_eq!(Span(1) - Span(2), Span::ZERO);
    assert_eq!(Instant(1) - Instant(2), Span::ZERO);
    assert_eq!(Instant(1) - Span(2), Instant::START);
    assert_eq!(Instant::NEVER.saturating_add(Span(1)), Instant::NEVER);
    assert_eq!(Bytes(1) - Bytes(2), Bytes::ZERO);
    assert_eq!(Rate::from_mbps(1.0) - Rate::from_mbps(2.0), Rate::ZERO);
    assert_eq!(Span::from_secs(f64::NAN), Span::ZERO);
    assert_eq!(Span::from_secs(-1.0), Span::ZERO);
    assert_eq!(Span::from_secs(f64::INFINITY), Span::MAX);
    assert_eq!(Bytes::from_f64(f64::NAN), Bytes::ZERO);
    assert_eq!(Rate::ZERO.time_for(Bytes(1)), Span::MAX);
    assert_eq!(Rate::of(Bytes(1), Span::ZERO), Rate::ZERO);
}

#[test]
fn a_signed_span_ends_where_its_numbers_do() {
    let (longest, shortest) = (SignedSpan(i64::MAX), SignedSpan(i64::MIN));
    assert_eq!(Span(3).signed_sub(Span(5)), SignedSpan(-2));
    assert_eq!(Span::MAX.signed_sub(Span::ZERO), longest);
    assert_eq!(Span::ZERO.signed_sub(Span::MAX), shortest);
    assert_eq!(ReceiverInstant(0).delay_since(Instant::NEVER), shortest);
    assert_eq!((longest + Span::MAX, shortest - SignedSpan(1)), (longest, shortest));
    assert_eq!(SignedSpan::from(Span::MAX), longest);
    assert_eq!((shortest.max_zero(), longest.max_zero()), (Span::ZERO, Span(i64::MAX as u64)));
}

#[test]
fn draws_have_the_moments_they_promise() {
    let mut random = crate::Random::new(1, 0);
    let n = 200_000;
    let (mut uniform, mut exponential, mut normal, mut square) = (0.0, 0.0, 0.0, 0.0);
    for _ in 0..n {
        uniform += random.uniform();
        exponential += random.exponential();
        let z = random.normal();
        normal += z;
        square += z * z;
    }
    // Five standard errors: 5/√n · σ.
    let error = 5.0 / libm::sqrt(n as f64);
    assert!((uniform / n as f64 - 0.5).abs() < 0.29 * error);
    assert!((exponential / n as f64 - 1.0).abs() < error);
    assert!((normal / n as f64).abs() < error);
    assert!((square / n as f64 - 1.0).abs() < 1.42 * error);
}

#[test]
fn sources_of_one_seed_differ_and_repeat() {
    let draw = |seed, source| crate::Random::new(seed, source).uniform();
    assert_eq!(draw(1, 2), draw(1, 2));
    assert_ne!(draw(1, 2), draw(2, 1));
    assert_ne!(draw(1, 2), draw(1, 3));
}
