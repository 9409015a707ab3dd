use std::vec::Vec;

use super::signals::{delay_threshold, loss_threshold, mark_threshold, sensitivity};
use super::*;
use crate::{EcnCounts, Span, test_path};

const PACKET: f64 = 1000.0;

fn ms(at: u64) -> Instant {
    Instant::from_millis(at)
}

/// Cruising at 1 MB/s with a nominal max RTT of 100 ms.
fn cruising() -> C4 {
    let mut c4 = C4::new(&test_path::setup(10));
    (c4.nominal_rate, c4.nominal_max_rtt, c4.running_min_rtt) = (1e6, 0.1, 0.1);
    c4.enter(State::Cruising, false, ms(1000));
    c4.set_window(1e6);
    c4
}

/// An ACK of a packet that left before this era, with that RTT.
fn late(c4: &mut C4, now: Instant, rtt: u64) {
    c4.acked(&Acked { now, sent_at: Instant::START, rtt: Some(Span::from_millis(rtt)), ..test_path::ack() });
    c4.ack_processed(&AckProcessed::new(now));
}

#[test]
fn sensitivity_is_linear_between_the_drafts_rates() {
    let found = [0.0, 50_000.0, 525_000.0, 1e6, 5.5e6, 1e7, 1e9].map(sensitivity);
    let expected = [0.0, 0.0, 0.46, 0.92, 0.96, 1.0, 1.0];
    assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?}");
}

#[test]
fn thresholds_are_the_drafts() {
    // A quarter of the RTT to one that is not sensitive, a sixteenth to one that is; never more than 25 ms.
    assert_eq!([delay_threshold(0.0, 0.04), delay_threshold(1.0, 0.16), delay_threshold(0.0, 1.0)], [0.01, 0.01, 0.025]);
    assert_eq!([loss_threshold(0.0), loss_threshold(1.0)], [0.52, 0.02]);
    assert_eq!([mark_threshold(0.0), mark_threshold(1.0)], [6.0 / 32.0, 3.0 / 32.0]);
}

#[test]
fn pacing_and_window_follow_alpha() {
    let mut c4 = cruising();
    // 1 MB/s for 100 ms and a margin of 15 ms, which is less than a quarter.
    assert!((c4.cwnd - 115_000.0).abs() < 1e-6 && (c4.pacing_rate() - 1e6).abs() < 1e-6, "{}", c4.cwnd);
    for (state, special, alpha) in [
        (State::Recovery, false, 15.0 / 16.0),
        (State::Recovery, true, 7.0 / 8.0),
        (State::Probing, false, 17.0 / 16.0),
        (State::Probing, true, 33.0 / 32.0),
        (State::Pushing, false, 1.25),
    ] {
        c4.enter(state, special, ms(2000));
        c4.set_window(1e6);
        assert!((c4.cwnd - alpha * 115_000.0).abs() < 1e-6 && (c4.pacing_rate() - alpha * 1e6).abs() < 1e-6, "{state:?}: {}", c4.cwnd);
    }
    c4.nominal_rate = 1e3;
    c4.enter(State::Initial, false, ms(3000));
    assert_eq!(c4.pacing_rate(), 131_072.0);
}

#[test]
fn a_delay_takes_its_excess_over_the_threshold_and_a_quarter_at_most() {
    // At 1 MB/s, 0.92: (1 + 3·0.08)/16 of 100 ms are 7.75 ms.
    let rate = |rtt| {
        let mut c4 = cruising();
        late(&mut c4, ms(1050), rtt);
        (c4.nominal_rate, c4.state)
    };
    assert_eq!(rate(107), (1e6, State::Cruising));
    let (reduced, state) = rate(108);
    assert!((reduced - 1e6 * (1.0 - 0.25 / 7.75)).abs() < 1e-3 && state == State::Recovery, "{reduced}");
    assert_eq!(rate(150), (0.75e6, State::Recovery));
}

#[test]
fn single_losses_are_nothing_to_a_slow_flow_and_congestion_to_a_fast_one() {
    let after = |rate: f64, losses: u32| {
        let mut c4 = cruising();
        c4.nominal_rate = rate;
        (0..losses).for_each(|_| c4.packet_lost(&PacketLost::new(ms(1050), 1, Bytes(1000), ms(900))));
        c4.ack_processed(&AckProcessed::new(ms(1050)));
        c4.nominal_rate / rate
    };
    // One in the smoothed rate is 1/16; the thresholds are .02 at 10 MB/s, .06 at 1 MB/s, .52 at 50 kB/s: 11 losses make 1 − (15/16)¹² = .508, 12 make .539.
    assert_eq!([after(1e7, 1), after(1e6, 1), after(5e4, 1), after(5e4, 11), after(5e4, 12)], [0.75, 0.75, 1.0, 1.0, 0.75]);
}

#[test]
fn marks_count_by_their_share() {
    let mut c4 = cruising();
    let ack = |c4: &mut C4, ect1, ce| c4.ack_processed(&AckProcessed::new(ms(1050)).with_ecn(Some(EcnCounts::new(0, ect1, ce))));
    // The threshold is 1.08·3/32 = .10125; one mark in four makes 1/64 of an ACK.
    (0..8).for_each(|_| ack(&mut c4, 3, 1));
    assert_eq!(c4.state, State::Cruising);
    ack(&mut c4, 3, 1);
    let alpha = 0.25 * (1.0 - libm::pow(15.0 / 16.0, 9.0));
    assert!((c4.nominal_rate - 1e6 * (1.0 - (alpha / 0.10125 - 1.0))).abs() < 1e-3, "{}", c4.nominal_rate);
    // Half of an ACK says it at once; from then on probes are half as large.
    let mut c4 = cruising();
    ack(&mut c4, 1, 1);
    assert_eq!((c4.nominal_rate, c4.state, c4.signals.path_marks()), (0.75e6, State::Recovery, true));
}

#[test]
fn congestion_of_a_probe_takes_nothing_and_recovery_hears_no_more() {
    let mut c4 = cruising();
    c4.enter(State::Probing, false, ms(1100));
    late(&mut c4, ms(1150), 180);
    assert_eq!((c4.nominal_rate, c4.state, c4.congested), (1e6, State::Recovery, true));
    late(&mut c4, ms(1160), 180);
    assert_eq!(c4.nominal_rate, 1e6);
    c4.lost(&Lost::new(ms(1170), LossKind::Timeout, Bytes(0)));
    assert_eq!((c4.nominal_rate, c4.state), (1e6, State::Recovery));
}

#[test]
fn the_nominal_max_rtt_rises_at_once_and_falls_by_eighths() {
    let mut c4 = cruising();
    let era = |c4: &mut C4, least: f64, greatest: f64| {
        c4.era.rtt(least);
        c4.era.rtt(greatest);
        c4.alpha_previous = 1.0;
        c4.end_era(ms(1200));
        (c4.running_min_rtt * 1e3, c4.nominal_max_rtt * 1e3)
    };
    let close = |(a, b): (f64, f64), (c, d): (f64, f64)| assert!((a - c).abs() < 1e-9 && (b - d).abs() < 1e-9, "{a} {b}");
    close(era(&mut c4, 0.1, 0.12), (100.0, 120.0));
    c4.enter(State::Recovery, false, ms(1300));
    c4.enter(State::Cruising, false, ms(1300));
    close(era(&mut c4, 0.108, 0.112), (101.0, 119.0));
    c4.enter(State::Cruising, false, ms(1400));
    // Jitter counts to 250 ms.
    close(era(&mut c4, 0.101, 0.9), (101.0, 351.0));
}

#[test]
fn two_recoveries_with_congestion_set_the_rate_to_what_was_delivered() {
    let mut c4 = cruising();
    for (successive, rate) in [(1, 1e6), (2, 0.4e6)] {
        c4.enter(State::Recovery, false, ms(1500));
        (c4.congested, c4.recent_max) = (true, 0.4e6);
        c4.end_era(ms(1600));
        assert_eq!((c4.successive, c4.nominal_rate), (successive, rate));
    }
}

#[test]
fn a_probe_that_brings_nothing_is_trimmed_and_one_that_does_is_pushed() {
    let probed = |delivered: f64| {
        let mut c4 = cruising();
        (c4.probe_rate, c4.cycle_rate) = (1e6, 1e6);
        c4.enter(State::Probing, false, ms(1100));
        c4.end_era(ms(1200));
        (c4.nominal_rate, c4.recent_max) = (delivered.max(1e6), delivered);
        c4.end_era(ms(1300));
        (c4.nominal_rate, c4.state)
    };
    assert_eq!(probed(0.98e6), (0.99e6, State::Cruising));
    assert_eq!(probed(1.05e6), (1.05e6, State::Pushing));
}

#[test]
fn alone_it_finds_the_rate_and_trims_the_queue_of_its_start_away() {
    let mut c4 = C4::new(&test_path::setup(10));
    let (mut states, mut rates, mut longest) = (Vec::new(), Vec::new(), 0.0_f64);
    test_path::run_paced(&mut c4, ms(200_000), |c4, now| {
        if states.last() != Some(&c4.state) {
            states.push(c4.state);
        }
        if now > ms(10_000) {
            rates.push(c4.nominal_rate);
        }
        if now > ms(160_000) {
            longest = longest.max(c4.nominal_max_rtt);
        }
    });
    // A million bytes a second after 100 ms, in a queue without end: the start fills it, and nothing but trimming empties it again.
    assert_eq!(states[..4], [State::Initial, State::Recovery, State::Cruising, State::Probing], "{states:?}");
    assert!(rates.iter().all(|rate| (0.99e6..1.001e6).contains(rate)), "{c4:?}");
    assert!((0.1..0.11).contains(&longest) && (c4.running_min_rtt - 0.1).abs() < 1e-3, "{longest}: {c4:?}");
    assert!(c4.cwnd < 1.35 * 100.0 * PACKET, "{}", c4.cwnd);
}
