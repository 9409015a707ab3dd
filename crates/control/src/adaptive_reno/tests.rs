use super::*;
use crate::test_path::{self, Path};
use crate::{Instant, Span};

fn fresh() -> AdaptiveReno {
    AdaptiveReno::new(&test_path::setup(10), 10.0, Rate::from_mbps(10.0), 0.85)
}

/// In congestion avoidance, with a least RTT of 100 ms and losses at 200 ms, and a bandwidth of 100 Mbit/s.
fn avoiding(window: f64, rtt: f64) -> AdaptiveReno {
    let mut reno = fresh();
    (reno.window.cwnd, reno.window.ssthresh) = (window, 2.0);
    reno.least.sample(0.1);
    (reno.rtt, reno.congested, reno.rate) = (Some(rtt), Some(0.2), Rate::from_mbps(100.0).bytes_per_s());
    reno
}

#[test]
fn congestion_is_the_rtts_place_between_idle_and_lossy() {
    assert!((congestion(0.13, 0.1, 0.2) - 0.3).abs() < 1e-12);
    assert_eq!((congestion(0.1, 0.1, 0.2), congestion(0.25, 0.1, 0.2), congestion(0.1, 0.1, 0.1)), (0.0, 1.0, 1.0));
}

#[test]
fn growth_is_by_the_papers_equations() {
    // W_max = 10, α = 10, e^−α = 4.54e−5: β = 20(0.1 − 1.1·4.54e−5) = 1.999, γ = 1 − 20(0.1 − 0.6·4.54e−5) = −0.99946.
    assert!((increase(0.0, 10.0, 10.0) - 9.000_545).abs() < 1e-5);
    assert!((increase(0.2, 10.0, 10.0) - (10.0 * libm::exp(-2.0) + 0.2 * 1.999_001 - 0.999_455)).abs() < 1e-5);
    for (most, alpha) in [(10.0, 10.0), (100.0, 10.0), (3.0, 2.0)] {
        // As much as Reno where it loses, and in the mean over all congestions.
        assert!((increase(1.0, most, alpha) - 1.0).abs() < 1e-9);
        let mean = (0..10_000).map(|i| increase((f64::from(i) + 0.5) / 1e4, most, alpha)).sum::<f64>() / 1e4;
        assert!((mean - 1.0).abs() < 1e-4 * most, "W_max = {most}, α = {alpha}: {mean}");
    }
}

#[test]
fn an_acked_window_grows_base_and_probe() {
    let mut idle = avoiding(100.0, 0.1);
    idle.acked(&Acked { rtt: Some(Span::from_millis(100)), sent_at: Instant::START, ..test_path::ack() });
    // A hundredth of Reno's packet and of W_inc(0) = 9.0005.
    assert!((idle.probe - 0.090_005).abs() < 1e-6 && (idle.window.cwnd - 100.100_005).abs() < 1e-6, "{}", idle.probe);
    // Where W_inc is below zero (10·e^−5 + 1.9990·0.5 − 0.99946 is not, but 10·e^−4 + 1.9990·0.4 − 0.99946 = −0.0167 is) the probe shrinks.
    let mut filling = avoiding(100.0, 0.14);
    filling.probe = 5.0;
    filling.acked(&Acked { rtt: Some(Span::from_millis(140)), ..test_path::ack() });
    assert!((filling.probe - (5.0 - 0.000_167)).abs() < 1e-5, "{}", filling.probe);
    let mut empty = avoiding(100.0, 0.14);
    empty.acked(&Acked { rtt: Some(Span::from_millis(140)), ..test_path::ack() });
    assert_eq!((empty.probe, empty.window.cwnd), (0.0, 100.01));
}

#[test]
fn a_loss_takes_as_much_as_congestion_says() {
    let lose = |kind, rtt| {
        let mut reno = avoiding(100.0, rtt);
        reno.probe = 30.0;
        reno.lost(&Lost::new(Instant::START, kind, Bytes(0)));
        (reno.window.cwnd, reno.window.ssthresh, reno.probe)
    };
    // RTT_cong becomes 0.85·200 + 0.15·110 = 186.5 ms, c = 10/86.5.
    let (kept, _, probe) = lose(LossKind::FastRetransmit, 0.11);
    assert!((kept - 100.0 / (1.0 + 10.0 / 86.5)).abs() < 1e-6 && probe == 0.0, "{kept}");
    assert_eq!(lose(LossKind::Ecn, 0.25), (50.0, 50.0, 0.0));
    assert_eq!(lose(LossKind::Timeout, 0.25), (1.0, 50.0, 0.0));
    // The first loss defines congestion: half.
    let mut reno = fresh();
    reno.window.cwnd = 100.0;
    reno.acked(&Acked { recovering: true, grows: false, ..test_path::ack() });
    reno.lost(&Lost::new(Instant::START, LossKind::FastRetransmit, Bytes(0)));
    assert_eq!((reno.window.cwnd, reno.congested), (50.0, Some(0.05)));
}

#[test]
fn the_bandwidth_is_the_acked_rate_of_round_trips() {
    let mut reno = fresh();
    for round in 0..60u64 {
        let (sent_at, now) = (Instant::from_millis(100 * round), Instant::from_millis(100 * (round + 1)));
        for _ in 0..50 {
            reno.acked(&Acked { sent_at, now, ..test_path::ack() });
        }
    }
    // 50 packets of 1000 bytes every 100 ms.
    assert!((reno.rate / 500_000.0 - 1.0).abs() < 0.01, "{}", reno.rate);
}

#[test]
fn an_idle_path_is_filled_faster_than_by_reno() {
    let mut reno = avoiding(200.0, 0.1);
    (reno.rtt, reno.congested) = (None, Some(0.14));
    let trace = Path::default().run(&mut reno, &test_path::setup(2), Instant::from_millis(20_000));
    // From 200 to 877 packets: B is the share of the path used, so W_inc(0) + 1 = 0.8·W/87.7 + 2 packets in each of 70 ms: 3.8 a round trip at
    // the beginning, 10 at the end. ln(10/3.8)·87.7/0.8 = 106 round trips, 7.4 s. Reno takes 677 of them, 47 s.
    let full = trace.iter().position(|second| second.cwnd > 877.0).expect("it fills the path") + 1;
    assert!((7..=9).contains(&full), "after {full} s {trace:?}");
}
