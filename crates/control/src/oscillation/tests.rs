use std::vec::Vec;

use super::*;
use crate::window::{Law, LossBased};
use crate::{Bytes, LossKind, test_path};

const RTT: Span = Span::from_millis(100);

fn setup(seed: u64) -> Setup {
    Setup { seed, ..test_path::setup(10) }
}

fn packets(flow: &dyn Controller) -> f64 {
    flow.permit(&Ask { now: Instant::START, in_flight: Bytes::ZERO }).window.packets(test_path::PACKET)
}

/// A window that stays where it is: what it does is the oscillation's.
#[derive(Clone)]
struct Rest;

impl Law for Rest {
    fn growth(&mut self, _cwnd: f64, _acked: f64, _ack: &Acked) -> f64 {
        0.0
    }

    fn after_loss(&mut self, cwnd: f64, _now: Instant) -> f64 {
        cwnd / 2.0
    }
}

/// A resting window of 1000 packets that oscillates.
fn resting(m: f64, seed: u64) -> Oscillating<LossBased<Rest>> {
    let mut inner = LossBased::new(&setup(seed), Rest);
    (inner.window_mut().cwnd, inner.window_mut().ssthresh) = (1000.0, 2.0);
    Oscillating::new(&setup(seed), m, inner)
}

fn ack(now: Instant) -> Acked {
    Acked { now, sent_at: now - RTT, rtt: Some(RTT), ..test_path::ack() }
}

#[test]
fn the_step_is_brownian_whatever_the_spacing_of_acks() {
    // After 1 s the standard deviation of ln w is m, from ACKs every millisecond and from ten times fewer.
    for every in [Span::from_millis(1), Span::from_millis(10)] {
        let logs: Vec<f64> = (0..2000)
            .map(|seed| {
                let mut flow = resting(0.1, seed);
                for i in 0..=Span::from_millis(1000).0 / every.0 {
                    flow.acked(&ack(Instant::after(every * i)));
                }
                libm::log(packets(&flow) / 1000.0)
            })
            .collect();
        let mean = logs.iter().sum::<f64>() / 2000.0;
        let spread = libm::sqrt(logs.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 2000.0);
        // The standard error is m/√4000 = 0.0016; Itô's mean is −m²/2, with an error of 0.0022.
        assert!((spread - 0.1).abs() < 0.005 && (mean + 0.005).abs() < 0.007, "{every}: {spread}, {mean}");
    }
}

#[test]
fn the_law_goes_on_from_the_window_that_oscillated() {
    let mut flow = resting(0.5, 1);
    for i in 0..100 {
        flow.acked(&ack(Instant::from_millis(10 * i)));
    }
    let moved = flow.inner.window_mut().cwnd;
    assert!((moved / 1000.0 - 1.0).abs() > 0.01, "{moved}");
    flow.lost(&Lost::new(Instant::from_secs(1.0), LossKind::FastRetransmit, Bytes::ZERO));
    assert_eq!(flow.inner.window_mut().cwnd, moved / 2.0);
}

#[test]
fn a_window_that_may_not_grow_does_not_oscillate_and_a_pause_is_no_time() {
    let mut flow = resting(0.5, 1);
    flow.acked(&ack(Instant::START));
    for i in 1..10 {
        flow.acked(&Acked { recovering: true, grows: false, ..ack(Instant::after(RTT * i)) });
        flow.acked(&Acked { app_limited: true, ..ack(Instant::after(RTT * i)) });
    }
    assert_eq!(packets(&flow), 1000.0);
    // An hour later, 100 ms count: √0.1 · 0.5 = 16 %, and not 30 times the window.
    flow.acked(&ack(Instant::from_secs(3600.0)));
    assert!((packets(&flow) / 1000.0 - 1.0).abs() < 6.0 * 0.16, "{}", packets(&flow));
}

#[test]
fn two_packets_are_the_least_and_a_single_one_is_left_alone() {
    let mut flow = resting(0.5, 1);
    flow.inner.window_mut().cwnd = 2.0;
    let mut least = f64::INFINITY;
    for i in 0..10_000 {
        flow.acked(&ack(Instant::after(RTT * i)));
        least = least.min(packets(&flow));
    }
    assert_eq!(least, 2.0);
    flow.lost(&Lost::new(Instant::after(RTT * 10_000), LossKind::Timeout, Bytes::ZERO));
    flow.acked(&Acked { grows: false, recovering: true, ..ack(Instant::after(RTT * 10_000)) });
    assert_eq!(packets(&flow), 1.0);
}

#[test]
fn no_oscillation_is_no_wrapper_bit_for_bit() {
    let setup = setup(1);
    let run = |flow: &mut dyn Controller| test_path::Path::default().run(flow, &setup, Instant::from_millis(5_000));
    let plain = run(&mut LossBased::new(&setup, crate::reno::Reno));
    let wrapped = run(&mut Oscillating::new(&setup, 0.0, LossBased::new(&setup, crate::reno::Reno)));
    assert_eq!(std::format!("{plain:?}"), std::format!("{wrapped:?}"));
    let moving = run(&mut Oscillating::new(&setup, 0.3, LossBased::new(&setup, crate::reno::Reno)));
    assert_ne!(std::format!("{plain:?}"), std::format!("{moving:?}"));
}
