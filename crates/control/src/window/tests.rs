use super::*;
use crate::reno::Reno;
use crate::test_path;

fn window(cwnd: f64, ssthresh: f64) -> Window {
    let mut window = Window::new(&test_path::setup(2));
    (window.cwnd, window.ssthresh) = (cwnd, ssthresh);
    window
}

#[test]
fn a_repeated_timeout_of_the_same_packet_keeps_the_threshold() {
    let mut window = window(100.0, f64::INFINITY);
    window.lose_as_reno(LossKind::Timeout);
    assert_eq!((window.cwnd, window.ssthresh), (1.0, 50.0));
    window.lose_as_reno(LossKind::Timeout);
    assert_eq!((window.cwnd, window.ssthresh), (1.0, 50.0));
    window.progress(&Acked { grows: false, ..test_path::ack() });
    window.lose_as_reno(LossKind::Timeout);
    assert_eq!((window.cwnd, window.ssthresh), (1.0, 50.0), "a selective ACK of a later packet is no progress");
    window.progress(&test_path::ack());
    window.lose_as_reno(LossKind::Timeout);
    assert_eq!((window.cwnd, window.ssthresh), (1.0, LEAST_SSTHRESH));
}

#[test]
fn silence_halves_a_window_down_to_a_new_connections() {
    let after = |timeouts, cwnd, ssthresh| {
        let mut window = window(cwnd, ssthresh);
        window.decay(timeouts);
        (window.cwnd, window.ssthresh)
    };
    assert_eq!(after(1, 100.0, 20.0), (50.0, 75.0));
    assert_eq!(after(3, 100.0, 90.0), (12.5, 90.0));
    assert_eq!(after(7, 100.0, f64::INFINITY), (2.0, f64::INFINITY));
    assert_eq!(after(u64::MAX, 1.5, 8.0), (1.5, 8.0), "less than that it may be, but not become more");
}

#[test]
fn a_loss_never_makes_the_window_larger() {
    let mut window = window(1.0, 50.0);
    window.shrink_to(0.5);
    assert_eq!((window.cwnd, window.ssthresh), (1.0, LEAST_SSTHRESH));
}

#[test]
fn reno_doubles_below_the_threshold_and_adds_one_above() {
    let mut window = window(4.0, 8.0);
    for _ in 0..4 {
        window.grow_as_reno(1.0);
    }
    assert_eq!(window.cwnd, 8.0);
    for _ in 0..8 {
        window.grow_as_reno(1.0);
    }
    // Eight steps of 1/w with w from 8 to 9: one packet, less what w grew meanwhile.
    assert!((8.93..9.0).contains(&window.cwnd), "{}", window.cwnd);
}

#[test]
fn nothing_grows_in_recovery_or_without_need() {
    let mut reno = LossBased::new(&test_path::setup(10), Reno);
    reno.acked(&Acked { recovering: true, grows: false, ..test_path::ack() });
    reno.acked(&Acked { app_limited: true, ..test_path::ack() });
    assert_eq!(reno.window.cwnd, 10.0);
    reno.acked(&test_path::ack());
    assert_eq!(reno.window.cwnd, 11.0);
}

#[test]
fn a_law_is_not_asked_twice_about_one_timeout() {
    #[derive(Clone)]
    struct Counts(u32);
    impl Law for Counts {
        fn growth(&mut self, _: f64, _: f64, _: &Acked) -> f64 {
            0.0
        }
        fn after_loss(&mut self, cwnd: f64, _: Instant) -> f64 {
            self.0 += 1;
            cwnd / 2.0
        }
    }
    let mut controller = LossBased::new(&test_path::setup(10), Counts(0));
    let timeout = Lost::new(Instant::START, LossKind::Timeout, Bytes(0));
    controller.lost(&timeout);
    controller.lost(&timeout);
    assert_eq!((controller.law.0, controller.window.ssthresh), (1, 5.0));
}

#[test]
fn a_loss_that_was_none_leaves_window_and_law_as_they_were() {
    let mut cubic = LossBased::new(&test_path::setup(10), crate::cubic::Cubic::new(0.4, 0.7, true));
    cubic.window = window(100.0, 50.0);
    let now = test_path::ack().now;
    let loss = |kind| Lost::new(now, kind, Bytes(100 * 1500));
    for kind in [LossKind::FastRetransmit, LossKind::Timeout] {
        cubic.lost(&loss(kind));
        assert!(cubic.window.cwnd <= 70.0 && cubic.window.ssthresh == 70.0);
        cubic.notice(&Notice::AppLimited { now, in_flight: Bytes::ZERO });
        cubic.notice(&Notice::Spurious { now, in_flight: Bytes::ZERO });
        assert_eq!((cubic.window.cwnd, cubic.window.ssthresh), (100.0, 50.0));
        let mut maximum = None;
        cubic.gauges(&mut |name, value| maximum = if name == "w_max_packets" { Some(value) } else { maximum });
        assert_eq!(maximum, None, "CUBIC knows of no loss");
    }
    cubic.notice(&Notice::Spurious { now, in_flight: Bytes::ZERO });
    assert_eq!(cubic.window.cwnd, 100.0, "undone once");
}
