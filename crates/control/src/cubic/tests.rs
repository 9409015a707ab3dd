use super::*;
use crate::Span;
use crate::test_path;

const RTT: Span = Span::from_millis(100);

fn at(now: Instant) -> Acked {
    Acked { now, rtt: Some(RTT), ..test_path::ack() }
}

/// One ACK a packet, `cwnd` of them a round trip, for `seconds`.
fn grow(law: &mut Cubic, cwnd: &mut f64, now: &mut Instant, seconds: f64) {
    let end = *now + Span::from_secs(seconds);
    while *now < end {
        *cwnd += law.growth(*cwnd, 1.0, &at(*now));
        *now += Span::from_secs(RTT.secs() / *cwnd);
    }
}

fn after_a_loss_at(peak: f64) -> (Cubic, f64, Instant) {
    let mut law = Cubic::new(0.4, 0.7, true);
    let cwnd = law.after_loss(peak, Instant::START);
    (law, cwnd, Instant::from_millis(1))
}

#[test]
fn the_cubic_is_back_at_its_maximum_after_k() {
    let (mut law, mut cwnd, mut now) = after_a_loss_at(1000.0);
    assert_eq!(cwnd, 700.0);
    // K = ∛(1000·0.3/0.4) = 9.086 s (RFC 9438 Eq 2). Half way there it lacks an eighth of the 300.
    grow(&mut law, &mut cwnd, &mut now, 9.086 / 2.0);
    assert!((cwnd - 962.5).abs() < 3.0, "{cwnd}");
    grow(&mut law, &mut cwnd, &mut now, 9.086 / 2.0);
    assert!((cwnd - 1000.0).abs() < 1.0, "{cwnd}");
    // As far beyond: 0.4·9.086³ = 300 above.
    grow(&mut law, &mut cwnd, &mut now, 9.086);
    assert!((cwnd - 1300.0).abs() < 3.0, "{cwnd}");
}

#[test]
fn a_small_window_grows_as_reno_would() {
    // At 10 packets K = ∛(10·0.3/0.4) = 1.957 s, but Reno with α = 3·0.3/1.7 = 0.529 is back after 3/0.529 = 5.7 round trips.
    let (mut law, mut cwnd, mut now) = after_a_loss_at(10.0);
    grow(&mut law, &mut cwnd, &mut now, 0.5);
    assert!((cwnd - 9.65).abs() < 0.1, "{cwnd}"); // 7 + 5·0.529
    // 0.67 round trips later it is at cwnd_prior, and past it α is 1: 10 + 4.33 after five more. The cubic is still below 10.
    grow(&mut law, &mut cwnd, &mut now, 0.5);
    assert!((cwnd - 14.33).abs() < 0.2, "{cwnd}");
}

#[test]
fn a_round_trip_grows_by_half_at_most() {
    // W_cubic far above: the epoch's clock ran for a minute.
    let (mut law, cwnd, _) = after_a_loss_at(100.0);
    law.growth(cwnd, 1.0, &at(Instant::START));
    assert_eq!(law.growth(cwnd, 1.0, &at(Instant::from_millis(60_000))), 0.5);
}

#[test]
fn fast_convergence_gives_up_part_of_the_old_maximum() {
    let mut law = Cubic::new(0.4, 0.7, true);
    law.after_loss(1000.0, Instant::START);
    law.after_loss(800.0, Instant::START);
    assert_eq!(law.w_max, Some(680.0)); // 800·1.7/2 (§4.7)
    let mut law = Cubic::new(0.4, 0.7, false);
    law.after_loss(1000.0, Instant::START);
    law.after_loss(800.0, Instant::START);
    assert_eq!(law.w_max, Some(800.0));
}

#[test]
fn an_idle_application_does_not_run_the_clock() {
    let (mut law, mut cwnd, mut now) = after_a_loss_at(1000.0);
    grow(&mut law, &mut cwnd, &mut now, 4.0);
    let before = cwnd;
    law.paused();
    now += Span::from_millis(60_000);
    cwnd += law.growth(cwnd, 1.0, &at(now));
    assert!(cwnd - before < 0.1, "{before} -> {cwnd}");
    grow(&mut law, &mut cwnd, &mut now, 9.086 - 4.0);
    assert!((cwnd - 1000.0).abs() < 1.0, "{cwnd}");
}

#[test]
fn after_a_timeout_the_cubic_starts_flat() {
    let (mut law, _, mut now) = after_a_loss_at(1000.0);
    law.timeout();
    let mut cwnd = 700.0; // where slow start hands over
    grow(&mut law, &mut cwnd, &mut now, 2.0);
    // 20 round trips of Reno's α = 0.529 make 10.6; the cubic's 0.4·2³ = 3.2 is below.
    assert!((cwnd - 710.6).abs() < 0.6, "{cwnd}");
}
