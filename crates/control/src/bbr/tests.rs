use std::vec::Vec;

use super::*;
use crate::Rate;
use crate::test_path::{PACKET, run_paced, setup};

const P: f64 = PACKET.0 as f64;

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn span(ms: u64) -> Span {
    Span::from_millis(ms)
}

fn bbr() -> Bbr {
    Bbr::new(&setup(10))
}

/// In `state` of a path of 1000 packets a second and 100 ms: a BDP of 100 packets.
fn known(state: State) -> Bbr {
    let mut bbr = bbr();
    bbr.bw.update(0, 1000.0 * P);
    (bbr.min_rtt, bbr.full_bw_count, bbr.state, bbr.cwnd) = (Some(span(100)), 3, state, 200.0 * P);
    bbr.set_pacing_rate();
    bbr
}

/// A sample of so many packets a second.
fn sample(packets_per_s: f64) -> RateSample {
    RateSample {
        rate: Some(Rate::from_bytes_per_s(packets_per_s * P)),
        delivered: Bytes(100 * PACKET.0),
        prior_delivered: Some(0),
        interval: span(100),
        newly_acked: PACKET,
        ..RateSample::default()
    }
}

#[test]
fn the_gains_are_the_drafts() {
    assert!((HIGH_GAIN - 2.0 / core::f64::consts::LN_2).abs() < 0.001, "§4.1.1");
    assert!((HIGH_GAIN * DRAIN_GAIN - 1.0).abs() < 1e-12);
    assert_eq!(CYCLE.iter().sum::<f64>(), 8.0, "a cycle sends what the path delivers");
    // §4.2.1: 2.885 first windows a millisecond, until there is an RTT.
    assert_eq!(bbr().pacing_rate, HIGH_GAIN * 10.0 * P / 1e-3);
}

#[test]
fn startup_ends_at_the_plateau_and_drain_at_the_bdp() {
    let mut states = std::vec![(State::Startup, ms(0))];
    let mut bbr = bbr();
    run_paced(&mut bbr, ms(3000), |bbr, now| {
        if states.last().unwrap().0 != bbr.state {
            states.push((bbr.state, now));
        }
    });
    assert!(matches!(states[..3], [_, (State::Drain, _), (State::ProbeBw(_), _)]), "{states:?}");
    // 10 packets double in a round; three rounds more show the plateau; what 2.885 BDPs have queued drains at .35 of the rate in 1.3 of them.
    assert!(states[1].1 < ms(1500) && states[2].1 - states[1].1 < span(600), "{states:?}");
    assert!((bbr.bw.get() / P - 1000.0).abs() < 20.0, "{}", bbr.bw.get() / P);
}

/// A round trip each but that of less, which ends when what was too much is gone (§4.3.4.3).
#[test]
fn the_cycle_has_eight_phases() {
    let (mut ups, mut last) = (Vec::new(), State::Startup);
    run_paced(&mut bbr(), ms(9000), |bbr, now| {
        if bbr.state != last && bbr.state == State::ProbeBw(0) {
            ups.push(now);
        }
        last = bbr.state;
    });
    let cycles: Vec<f64> = ups.windows(2).map(|pair| (pair[1] - pair[0]).secs()).collect();
    assert!(cycles.len() >= 6 && cycles.iter().all(|took| (0.7..1.0).contains(took)), "{cycles:?}");
}

/// §4.3.5: once in ten seconds without an RTT as low, for a fifth of a second and a round with four packets.
#[test]
fn the_least_rtt_is_looked_for_after_ten_seconds() {
    let mut bbr = known(State::ProbeBw(3));
    let above = RateSample { rtt: Some(span(110)), ..sample(1000.0) };
    let heard = |bbr: &mut Bbr, now: Instant| {
        (bbr.now, bbr.in_flight) = (now, 4.0 * P);
        bbr.update_on_ack(&above);
        bbr.state
    };
    assert!(matches!(heard(&mut bbr, ms(10_000)), State::ProbeBw(_)));
    assert_eq!(heard(&mut bbr, ms(10_001)), State::ProbeRtt);
    assert_eq!((bbr.cwnd, bbr.min_rtt), (4.0 * P, Some(span(110))));
    assert_eq!(heard(&mut bbr, ms(10_201)), State::ProbeRtt);
    assert!(matches!(heard(&mut bbr, ms(10_202)), State::ProbeBw(_)));
    assert!(bbr.cwnd >= 200.0 * P, "{}", bbr.cwnd / P);
}

#[test]
fn probing_begins_at_any_phase_but_that_of_less() {
    let mut seen = [0; 8];
    let mut bbr = known(State::Drain);
    for _ in 0..7000 {
        bbr.enter_probe_bw();
        let State::ProbeBw(phase) = bbr.state else { unreachable!() };
        seen[phase] += 1;
    }
    // Seven phases of a thousand each: five standard deviations are 146.
    assert!(seen[1] == 0 && seen.iter().enumerate().all(|(phase, count)| phase == 1 || (854..1146).contains(count)), "{seen:?}");
}

#[test]
fn the_window_is_two_bdps_and_three_quanta() {
    let mut bbr = known(State::ProbeBw(3));
    bbr.cwnd = 1000.0 * P;
    bbr.set_cwnd(&sample(1000.0));
    // A quantum is two packets: a millisecond of the rate is one.
    assert!((bbr.cwnd / P - 206.0).abs() < 1e-9, "{}", bbr.cwnd / P);
    bbr.state = State::ProbeRtt;
    bbr.set_cwnd(&sample(1000.0));
    assert_eq!(bbr.cwnd, 4.0 * P);
}

#[test]
fn a_rate_is_forgotten_after_ten_rounds() {
    let mut bbr = known(State::ProbeBw(3));
    for _ in 0..9 {
        bbr.update_btl_bw(&sample(500.0));
        assert_eq!(bbr.bw.get(), 1000.0 * P);
    }
    bbr.update_btl_bw(&sample(500.0));
    assert_eq!(bbr.bw.get(), 500.0 * P);
}

#[test]
fn a_loss_changes_no_model_and_the_window_comes_back() {
    let mut bbr = known(State::ProbeBw(3));
    let (now, in_flight) = (ms(1000), Bytes(200 * PACKET.0));
    bbr.lost(&Lost::new(now, LossKind::FastRetransmit, in_flight).with_bytes(PACKET));
    // §4.2.3.4: what is delivered may be replaced, and no more.
    assert_eq!(bbr.cwnd, 200.0 * P);
    assert_eq!(bbr.bw.get(), 1000.0 * P);
    bbr.lost(&Lost::new(now, LossKind::Timeout, in_flight).with_bytes(in_flight));
    assert_eq!(bbr.cwnd, P);
    bbr.acked(&Acked::new(ms(1100), 1, PACKET, now));
    bbr.ack_processed(&AckProcessed::new(ms(1100)).with_in_flight(Bytes(0)));
    assert!(bbr.cwnd >= 200.0 * P, "{}", bbr.cwnd / P);
}
