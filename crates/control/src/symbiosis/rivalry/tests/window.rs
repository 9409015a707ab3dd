//! The window that competes.

use super::*;
use crate::{Bytes, LossKind, test_path};

/// A flow that has just begun to compete, with a round-trip time of 60 ms.
struct Competitor {
    rivalry: Rivalry,
    window: Window,
    now: Instant,
}

impl Competitor {
    fn new(cwnd: u64) -> Competitor {
        let mut rivalry = Rivalry::default();
        let verdict = Verdict { long: true, ..verdict(60, 60) };
        assert_eq!([1, 2, 3].map(|_| rivalry.judged(&verdict, &BOUNDS))[2], Change::Begins);
        let window = Window::new(&test_path::setup(cwnd));
        Competitor { rivalry, window, now: Instant::from_millis(1_000) }
    }

    /// A round trip: a window's packets are acknowledged.
    fn round(&mut self, half: f64, probe: bool) {
        let packets = self.window.cwnd as u64;
        for number in 0..packets {
            self.now += Span(TAU.0 / packets);
            let ack = Acked { now: self.now, number, ..test_path::ack() };
            self.rivalry.grow(&mut self.window, &ack, half, probe);
        }
    }

    fn lose(&mut self, kind: LossKind) {
        self.rivalry.lose(&mut self.window, &Lost::new(self.now, kind, Bytes::ZERO));
    }
}

#[test]
fn who_enters_catches_up_to_half_of_the_link() {
    let mut flow = Competitor::new(20);
    (0..3).for_each(|_| flow.round(50.0, false));
    assert!((50.0..55.0).contains(&flow.window.cwnd), "half of the link's flight ends it: {}", flow.window.cwnd);
    flow.lose(LossKind::FastRetransmit);
    let after = flow.window.cwnd;
    flow.round(1_000.0, false);
    assert!(flow.window.cwnd < after + 3.0, "for good: {after} to {}", flow.window.cwnd);
}

#[test]
fn the_third_loss_of_a_doubled_window_ends_the_catching_up() {
    let mut flow = Competitor::new(20);
    for before in [40.0, 56.0, 78.4] {
        flow.round(1_000.0, false);
        assert!((flow.window.cwnd - before).abs() < 1.0, "slow start: {} instead of {before}", flow.window.cwnd);
        flow.lose(LossKind::FastRetransmit);
    }
    assert!((flow.window.cwnd - 0.7 * 78.4).abs() < 1.0, "a loss takes what it takes from CUBIC: {}", flow.window.cwnd);
    flow.round(1_000.0, false);
    assert!((54.0..60.0).contains(&flow.window.cwnd), "{}", flow.window.cwnd);
}

/// An opponent overflows the buffer five times while the flow has no time to double its window.
#[test]
fn losses_before_the_window_has_doubled_end_nothing() {
    let mut flow = Competitor::new(200);
    (0..5).for_each(|_| flow.lose(LossKind::FastRetransmit));
    let left = flow.window.cwnd;
    assert!((left - 200.0 * BETA.powi(5)).abs() < 2.0, "each takes its part: {left}");
    flow.round(1_000.0, false);
    assert!(flow.window.cwnd >= 1.9 * left, "slow start goes on: {left} to {}", flow.window.cwnd);
    let mut flow = Competitor::new(20);
    flow.lose(LossKind::Timeout);
    flow.lose(LossKind::Timeout);
    assert_eq!(flow.window.cwnd, 1.0, "a timeout is a timeout");
}

/// One packet of forty is lost: what slow start adds until then is what a loss takes, .3 of `W = 40/.3`, and half of the link is not reached.
#[test]
fn catching_up_holds_no_more_than_its_losses_leave() {
    for cwnd in [50, 1_000] {
        let mut flow = Competitor::new(cwnd);
        let mut before = 0.0;
        for _ in 0..60 {
            for number in 0..40 {
                let ack = Acked { now: flow.now, number, ..test_path::ack() };
                flow.rivalry.grow(&mut flow.window, &ack, 10_000.0, false);
            }
            before = flow.window.cwnd;
            flow.lose(LossKind::FastRetransmit);
        }
        assert!((before - 40.0 / (1.0 - BETA)).abs() < 3.0, "from {cwnd}: {before}");
    }
}

/// `W(t) = 0.4(t − K)³ + 1000` with `K = ∛(300/0.4) = 9.086 s` from 700 packets: after 12 s 1009.9, though a probe kept the window for one of them.
#[test]
fn what_a_probe_keeps_cubics_clock_makes_up() {
    let after = |probe: std::ops::Range<usize>| {
        let mut flow = Competitor::new(1_000);
        flow.rivalry.catches = 0;
        flow.lose(LossKind::FastRetransmit);
        for round in 0..200 {
            flow.round(0.0, probe.contains(&round));
        }
        flow.window.cwnd
    };
    let without = after(0..0);
    assert!((without - 1009.9).abs() < 2.0, "{without}");
    for probe in [60..77, 0..17] {
        let with = after(probe.clone());
        assert!((with - without).abs() < 1.0, "{with} instead of {without}, with a probe in round trips {probe:?}");
    }
}
