use std::vec;
use std::vec::Vec;

use super::*;
use crate::{Bytes, test_path};

fn copa() -> Copa {
    Copa::new(&test_path::setup(10), 0.5, true)
}

/// ACKs of a whole window, all with the RTT that a path of 50 ms has with so much queue.
fn window(copa: &mut Copa, now: &mut Instant, queue: Span) {
    let rtt = Span::from_millis(50) + queue;
    let packets = copa.window.cwnd as u64;
    let sent_at = *now;
    for k in 1..=packets {
        let at = sent_at + rtt + Span(k * 1000);
        copa.acked(&Acked { now: at, sent_at: sent_at + Span(k * 1000), rtt: Some(rtt), ..test_path::ack() });
        *now = at;
    }
}

#[test]
fn the_extremes_are_those_of_the_window() {
    let (mut least, mut greatest) = (Extreme::least(), Extreme::greatest());
    let window = Span::from_millis(10);
    let samples = [(0, 5), (3, 9), (6, 4), (9, 6), (17, 7), (21, 8)];
    let found = samples.map(|(at, ms)| {
        let (now, rtt) = (Instant::from_millis(at), Span::from_millis(ms));
        (least.sample(now, rtt, window).0 / 1_000_000, greatest.sample(now, rtt, window).0 / 1_000_000)
    });
    assert_eq!(found, [(5, 5), (5, 9), (4, 9), (4, 9), (6, 7), (7, 8)]);
}

#[test]
fn slow_start_doubles_until_the_rate_is_above_the_target() {
    let (mut copa, mut now) = (copa(), Instant::START);
    window(&mut copa, &mut now, Span::ZERO);
    assert_eq!(copa.window.cwnd, 20.0);
    window(&mut copa, &mut now, Span::ZERO);
    assert_eq!(copa.window.cwnd, 40.0);
    // dq 5 ms: λt = 1/(0.5 · 5 ms) = 400/s; 40 packets in 55 ms are 727/s.
    window(&mut copa, &mut now, Span::from_millis(5));
    assert!(!copa.starting && copa.window.cwnd <= 42.0, "{}", copa.window.cwnd);
}

#[test]
fn a_window_moves_by_v_over_delta_in_a_round_and_v_doubles_when_the_direction_stays() {
    let (mut copa, mut now) = (copa(), Instant::START);
    copa.window.cwnd = 1000.0;
    copa.starting = false;
    copa.began_with = 1000.0;
    let mut windows = vec![];
    for _ in 0..6 {
        window(&mut copa, &mut now, Span::ZERO);
        windows.push(copa.window.cwnd);
    }
    // 1/δ = 2 packets a round, from the second on here.
    let steps: Vec<f64> = windows.windows(2).map(|pair| (pair[1] - pair[0]).round()).collect();
    assert_eq!(steps, [2.0, 2.0, 4.0, 8.0, 16.0]);
    // Down again: from the least speed.
    window(&mut copa, &mut now, Span::from_millis(40));
    assert_eq!(copa.velocity, 1.0);
}

#[test]
fn alone_the_queue_swings_between_nothing_and_two_and_a_half_over_delta() {
    let setup = test_path::setup(10);
    let delta = 0.5;
    let mut copa = Copa::new(&setup, delta, true);
    let trace = test_path::Path::default().run(&mut copa, &setup, Instant::from_millis(120_000));
    let queue: Vec<f64> = trace[20..].iter().map(|second| second.queue).collect();
    // §3: 0 to 2.5/δ packets every five RTTs; a packet more is what whole packets make of it.
    let most = queue.iter().copied().fold(0.0, f64::max);
    assert!(most <= 2.5 / delta + 1.0 && most > 2.5 / delta - 1.0, "{most}");
    assert!(queue.iter().any(|queue| *queue < 1.0), "it empties");
    let mean = queue.iter().sum::<f64>() / queue.len() as f64;
    assert!((mean - 1.25 / delta).abs() < 0.5, "mean {mean}, of 1.25/δ");
    assert!(!copa.competes && copa.delta == delta);
}

#[test]
fn beside_who_fills_the_queue_it_competes_by_aimd_on_one_over_delta() {
    let (mut copa, mut now) = (copa(), Instant::START);
    window(&mut copa, &mut now, Span::ZERO);
    copa.starting = false;
    for _ in 0..4 {
        window(&mut copa, &mut now, Span::from_millis(30));
    }
    assert!(!copa.competes, "five RTTs have not passed");
    for _ in 0..4 {
        window(&mut copa, &mut now, Span::from_millis(30));
    }
    assert!(copa.competes);
    let before = 1.0 / copa.delta;
    window(&mut copa, &mut now, Span::from_millis(30));
    window(&mut copa, &mut now, Span::from_millis(30));
    assert!((1.0 / copa.delta - before - 2.0).abs() < 1e-9, "one packet a round trip");
    let before = 1.0 / copa.delta;
    copa.lost(&Lost::new(now, LossKind::FastRetransmit, Bytes(1000)));
    assert!((1.0 / copa.delta - before / 2.0).abs() < 1e-9 || copa.delta == 0.5);
    // The queue empties: it was somebody else, who has gone.
    window(&mut copa, &mut now, Span::ZERO);
    assert!(!copa.competes && copa.delta == 0.5);
}

#[test]
fn a_loss_says_nothing_where_nobody_competes_and_a_timeout_starts_over() {
    let (mut copa, mut now) = (copa(), Instant::START);
    window(&mut copa, &mut now, Span::ZERO);
    let before = copa.window.cwnd;
    copa.lost(&Lost::new(now, LossKind::FastRetransmit, Bytes(1000)));
    assert_eq!((copa.window.cwnd, copa.delta), (before, 0.5));
    copa.lost(&Lost::new(now, LossKind::Timeout, Bytes(1000)));
    assert_eq!(copa.window.cwnd, 1.0);
    assert!(copa.starting);
}
