use std::vec::Vec;

use super::filter::{ExtraAcked, MaxBw};
use super::loss::inflight_at_loss;
use super::state::{AckPhase, BETA, LOSS_THRESH, STARTUP_PACING_GAIN};
use super::*;
use crate::Rate;
use crate::Span;
use crate::delivery_rate::LostPacket;
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

/// In `state` of a path of 1000 packets a second and 100 ms: a BDP of 100 packets, a window of 200.
fn known(state: State) -> Bbr {
    let mut bbr = bbr();
    bbr.max_bw.update(1000.0 * P);
    (bbr.bw, bbr.min_rtt, bbr.cwnd, bbr.full_bw_reached, bbr.state) = (1000.0 * P, Some(span(100)), 200.0 * P, true, state);
    bbr
}

/// A sample of so many packets a second.
fn sample(packets_per_s: f64) -> RateSample {
    RateSample {
        rate: Some(Rate::from_bytes_per_s(packets_per_s * P)),
        delivered: Bytes(100 * PACKET.0),
        prior_delivered: Some(u64::MAX),
        interval: span(100),
        newly_acked: PACKET,
        tx_in_flight: Bytes(100 * PACKET.0),
        ..RateSample::default()
    }
}

#[test]
fn the_startup_gain_doubles_the_rate_each_round() {
    assert!((STARTUP_PACING_GAIN - 4.0 * core::f64::consts::LN_2).abs() < 0.003);
    let bbr = bbr();
    // §5.6.2: 2.77 first windows a millisecond, until there is an RTT.
    assert_eq!(bbr.pacing_rate, STARTUP_PACING_GAIN * 10.0 * P / 1e-3);
    assert_eq!((bbr.cwnd, bbr.state), (10.0 * P, State::Startup));
}

#[test]
fn startup_ends_at_the_plateau_and_drain_at_the_bdp() {
    let mut states = std::vec![(State::Startup, ms(0))];
    let mut bbr = bbr();
    run_paced(&mut bbr, ms(3000), |bbr, now| {
        if states.last().unwrap().0 != bbr.state {
            states.push((bbr.state, now));
        }
        if bbr.state == State::Drain {
            assert!((bbr.max_bw.get() / P - 1000.0).abs() < 20.0, "§10.1: within 2 %");
            assert_eq!(bbr.full_bw_count, 3);
        }
        if bbr.state == State::Cruise && states.len() == 3 {
            assert!(bbr.inflight <= bbr.inflight_of(bbr.bw) || now > states[2].1, "§10.3");
        }
    });
    // What ends Drain ends ProbeBW_DOWN as well, with the same ACK.
    let order: Vec<_> = states.iter().map(|(state, _)| *state).take(3).collect();
    assert_eq!(order, [State::Startup, State::Drain, State::Cruise]);
    // 10 to 200 packets double in five rounds; three more show the plateau; the queue of a BDP takes two to drain at half the rate.
    assert!(states[1].1 < ms(1500) && states[2].1 - states[1].1 < span(400), "{states:?}");
}

#[test]
fn the_cycle_probes_after_two_to_three_seconds_and_probe_rtt_after_five() {
    let (mut ups, mut probes, mut last) = (Vec::new(), Vec::new(), State::Startup);
    let mut bbr = bbr();
    run_paced(&mut bbr, ms(20_000), |bbr, now| {
        if bbr.state != last {
            match bbr.state {
                State::Up => ups.push(now),
                State::ProbeRtt => probes.push(now),
                _ => {}
            }
            last = bbr.state;
        }
    });
    assert!(ups.len() >= 5, "{ups:?}");
    for pair in ups.windows(2) {
        // §5.3.3.8.2, and the phases in between: a round of refilling, some of UP; ProbeRTT begins the wait again.
        let gap = pair[1] - pair[0];
        assert!(gap > span(2000) && gap < span(3000 + 1500 + 3000), "{gap:?}");
    }
    // §2.16.2: no sooner than 5 s after the least RTT was seen.
    assert!((3..=4).contains(&probes.len()), "{probes:?}");
    assert!(probes.windows(2).all(|pair| pair[1] - pair[0] > span(5000)), "{probes:?}");
}

#[test]
fn probe_rtt_holds_half_a_bdp_for_a_fifth_of_a_second() {
    let mut bbr = bbr();
    let (mut began, mut ended, mut least) = (None, None, f64::INFINITY);
    run_paced(&mut bbr, ms(8000), |bbr, now| match bbr.state {
        State::ProbeRtt => {
            began = began.or(Some(now));
            least = least.min(bbr.cwnd);
        }
        _ if began.is_some() && ended.is_none() => {
            ended = Some(now);
            assert_eq!(bbr.state, State::Cruise, "§5.3.4.4");
        }
        _ => {}
    });
    let lasted = ended.unwrap() - began.unwrap();
    assert!(lasted >= span(200) && lasted < span(200 + 300), "{lasted:?}");
    assert!((least / P - 50.0).abs() < 2.0, "half of 100 packets: {}", least / P);
}

#[test]
fn the_max_bw_filter_spans_two_cycles() {
    let mut filter = MaxBw::default();
    filter.update(10.0);
    filter.update(7.0);
    assert_eq!(filter.get(), 10.0);
    filter.advance();
    filter.update(8.0);
    assert_eq!(filter.get(), 10.0, "of the cycle before");
    filter.advance();
    assert_eq!(filter.get(), 8.0);
    filter.advance();
    filter.advance();
    assert_eq!(filter.get(), 8.0, "a cycle without a sample displaces nothing");
}

#[test]
fn samples_that_the_application_limited_only_raise_the_rate() {
    let mut bbr = known(State::Cruise);
    bbr.update_congestion_signals(&RateSample { app_limited: true, ..sample(900.0) });
    assert_eq!(bbr.max_bw.get(), 1000.0 * P);
    bbr.update_congestion_signals(&RateSample { app_limited: true, ..sample(1100.0) });
    assert_eq!(bbr.max_bw.get(), 1100.0 * P);
}

#[test]
fn extra_acked_is_of_ten_rounds_and_of_one_in_startup() {
    let mut filter = ExtraAcked::default();
    filter.update(1, 30.0);
    filter.update(2, 10.0);
    assert_eq!((filter.get(true), filter.get(false)), (30.0, 10.0));
    filter.update(10, 5.0);
    assert_eq!(filter.get(true), 30.0);
    filter.update(11, 5.0);
    assert_eq!(filter.get(true), 10.0, "the first round is ten rounds ago");
    filter.update(1000, 1.0);
    assert_eq!(filter.get(true), 1.0);
}

#[test]
fn the_window_is_the_bdp_times_the_gain_within_the_bounds() {
    let window = |state, longterm: f64, shortterm: f64| {
        let mut bbr = known(state);
        (bbr.inflight_longterm, bbr.inflight_shortterm) = (longterm * P, shortterm * P);
        bbr.cwnd = 1000.0 * P;
        bbr.set_cwnd(&sample(1000.0));
        bbr.cwnd / P
    };
    let none = f64::INFINITY;
    // §5.6.1, the table.
    assert_eq!(window(State::Cruise, none, none), 200.0);
    assert_eq!(window(State::Up, none, none), 227.0, "2.25 BDP and two packets");
    assert_eq!(window(State::ProbeRtt, none, none), 50.0);
    assert_eq!(window(State::Down, 150.0, none), 150.0);
    assert_eq!(window(State::Cruise, 100.0, none), 85.0, "headroom of 0.15");
    assert_eq!(window(State::Cruise, 100.0, 60.0), 60.0);
    assert_eq!(window(State::Down, none, 1.0), 4.0, "MinPipeCwnd");
    assert_eq!(window(State::Drain, 100.0, none), 200.0, "only in ProbeBW and ProbeRTT");
    let mut bbr = known(State::Cruise);
    bbr.cwnd = 20.0 * P;
    bbr.set_cwnd(&sample(1000.0));
    assert_eq!(bbr.cwnd, 21.0 * P, "what is acknowledged, no more");
}

#[test]
fn pacing_is_the_gain_times_the_rate_less_one_percent() {
    let mut bbr = known(State::Up);
    bbr.set_pacing_rate(bbr.state.pacing_gain());
    assert!((bbr.pacing_rate - 1.25 * 990.0 * P).abs() < 1e-6);
    bbr.sent(&Sent::new(ms(10), 1, PACKET, PACKET));
    let Departure::At(next) = bbr.permit(&Ask::new(ms(10), PACKET)).departure else { panic!("it is paced") };
    assert!(((next - ms(10)).secs() - 1.0 / (1.25 * 990.0)).abs() < 2e-9);
    // In Startup it never falls.
    let mut bbr = self::bbr();
    let before = bbr.pacing_rate;
    bbr.bw = 1.0;
    bbr.set_pacing_rate(STARTUP_PACING_GAIN);
    assert_eq!(bbr.pacing_rate, before);
}

#[test]
fn a_round_with_losses_leaves_seven_tenths_or_what_was_delivered() {
    let lower = |bw_latest: f64, inflight_latest: f64| {
        let mut bbr = known(State::Cruise);
        (bbr.is_loss_in_round, bbr.bw_latest, bbr.inflight_latest) = (true, bw_latest * P, inflight_latest * P);
        bbr.loss_round_start = true;
        bbr.update_congestion_signals(&RateSample { rate: None, ..sample(0.0) });
        assert!(!bbr.is_loss_in_round);
        (bbr.bw_shortterm / P, bbr.inflight_shortterm / P)
    };
    assert_eq!(lower(600.0, 60.0), (BETA * 1000.0, BETA * 200.0));
    assert_eq!(lower(980.0, 190.0), (980.0, 190.0));
    // Not while it probes.
    let mut bbr = known(State::Up);
    (bbr.is_loss_in_round, bbr.loss_round_start) = (true, true);
    bbr.update_congestion_signals(&sample(1000.0));
    assert_eq!(bbr.bw_shortterm, f64::INFINITY);
}

#[test]
fn the_volume_at_which_losses_passed_the_threshold() {
    // 100 packets were in flight and 3 lost: before the last were 99 and 2, already more than 2 %.
    let lost = |tx, lost| LostPacket { tx_in_flight: Bytes(tx * PACKET.0), lost: Bytes(lost * PACKET.0), app_limited: false };
    let at = inflight_at_loss(&lost(100, 3), P) / P;
    assert!((at - (99.0 + (LOSS_THRESH * 99.0 - 2.0) / 0.98)).abs() < 1e-9);
    // A burst of 50 of which the losses pass 2 % within.
    let at = inflight_at_loss(&LostPacket { lost: Bytes(50 * PACKET.0), ..lost(100, 0) }, 50.0 * P) / P;
    assert!((at - (50.0 + 1.0 / 0.98)).abs() < 1e-9);
}

#[test]
fn too_many_losses_of_a_probe_bound_the_flight_and_end_it() {
    let mut bbr = known(State::Up);
    (bbr.is_bw_probe_sample, bbr.ack_phase) = (true, AckPhase::ProbeFeedback);
    for number in 0..130 {
        bbr.rate.sent(&Sent::new(ms(1), number, PACKET, Bytes((number + 1) * PACKET.0)));
    }
    let lose = |bbr: &mut Bbr, number| bbr.packet_lost(&PacketLost::new(ms(100), number, PACKET, ms(1)));
    lose(&mut bbr, 120);
    lose(&mut bbr, 121);
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Up, f64::INFINITY), "2 of 122 are below 2 %");
    lose(&mut bbr, 122);
    assert_eq!(bbr.state, State::Down);
    assert!(bbr.prev_probe_too_high && !bbr.is_bw_probe_sample);
    // (2 % of 122 − 2) / 0.98 above what was in flight before the packet that passed the threshold.
    let bound = bbr.inflight_longterm / P;
    assert!((bound - (122.0 + (0.02 * 122.0 - 2.0) / 0.98)).abs() < 1e-9, "{bound}");
    lose(&mut bbr, 123);
    assert_eq!(bbr.inflight_longterm / P, bound, "once for each probe");
    // §5.5.11.2: none of it was lost.
    bbr.notice(&Notice::Spurious { now: ms(150), in_flight: PACKET });
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Refill, f64::INFINITY));
}

#[test]
fn the_bound_rises_faster_each_round_and_only_when_it_is_used() {
    let mut bbr = known(State::Up);
    (bbr.inflight_longterm, bbr.cwnd, bbr.bw_probe_up_rounds) = (200.0 * P, 200.0 * P, 0);
    bbr.ack_phase = AckPhase::ProbeFeedback;
    bbr.probe_up_acked_per_inc = 200.0 * P;
    let round = |bbr: &mut Bbr, limited: bool| {
        let packets = (bbr.cwnd / P) as u64;
        for i in 1..=packets {
            bbr.cwnd_limited = (limited, limited);
            bbr.round_start = i == packets;
            bbr.update_probe_bw_cycle_phase(&sample(1000.0));
            bbr.cwnd = bbr.inflight_longterm;
        }
        bbr.inflight_longterm / P
    };
    assert_eq!(round(&mut bbr, false), 200.0);
    bbr.bw_probe_up_rounds = 1;
    // §5.3.3.5: by 1, 2, 4 packets.
    assert_eq!([0; 3].map(|_| round(&mut bbr, true)), [201.0, 203.0, 207.0]);
}

#[test]
fn startup_ends_when_a_round_of_recovery_loses_too_much() {
    let mut bbr = known(State::Startup);
    bbr.full_bw_reached = false;
    (bbr.recovery, bbr.loss_round_start, bbr.inflight_latest) = (Recovery::Fast, true, 150.0 * P);
    let lossy = RateSample { lost: Bytes(3 * PACKET.0), ..sample(1000.0) };
    bbr.loss_events = (5, None);
    bbr.check_startup_done(&lossy);
    assert_eq!(bbr.state, State::Startup, "five ranges are no proof");
    bbr.loss_events = (6, None);
    bbr.check_startup_done(&RateSample { lost: Bytes(2 * PACKET.0), ..lossy });
    assert_eq!(bbr.state, State::Startup, "2 % are borne");
    bbr.loss_events = (6, None);
    bbr.check_startup_done(&lossy);
    assert_eq!((bbr.state, bbr.inflight_longterm), (State::Drain, 150.0 * P));
    // §10.18: it was spurious.
    bbr.notice(&Notice::Spurious { now: ms(1), in_flight: PACKET });
    assert_eq!((bbr.state, bbr.full_bw_reached), (State::Startup, false));
}

#[test]
fn a_timeout_leaves_a_packet_and_the_window_comes_back_after_it() {
    let mut bbr = known(State::Cruise);
    for number in 0..20 {
        bbr.sent(&Sent::new(ms(1), number, PACKET, Bytes((number + 1) * PACKET.0)));
    }
    let all = Bytes(20 * PACKET.0);
    (0..20).for_each(|number| bbr.packet_lost(&PacketLost::new(ms(300), number, PACKET, ms(1))));
    bbr.lost(&Lost::new(ms(300), LossKind::Timeout, all).with_bytes(all));
    assert_eq!(bbr.cwnd, P);
    bbr.ack_processed(&AckProcessed::new(ms(300)));
    assert_eq!(bbr.cwnd, P, "nothing was acknowledged");
    bbr.sent(&Sent::new(ms(301), 0, PACKET, PACKET).with_retransmission(true));
    bbr.acked(&Acked::new(ms(400), 0, PACKET, ms(301)));
    assert_eq!(bbr.recovery, Recovery::Timeout(19));
    bbr.sent(&Sent::new(ms(401), 20, PACKET, PACKET));
    bbr.acked(&Acked::new(ms(500), 20, PACKET, ms(401)));
    bbr.ack_processed(&AckProcessed::new(ms(500)));
    assert_eq!((bbr.recovery, bbr.cwnd), (Recovery::Open, 200.0 * P));
}

#[test]
fn after_a_pause_packets_leave_at_the_rate_of_the_path() {
    let mut bbr = known(State::Down);
    bbr.set_pacing_rate(0.9);
    bbr.notice(&Notice::AppLimited { now: ms(5), in_flight: Bytes::ZERO });
    bbr.sent(&Sent::new(ms(900), 1, PACKET, PACKET));
    assert!(bbr.idle_restart);
    assert!((bbr.pacing_rate - 990.0 * P).abs() < 1e-6);
    // §10.11: the pause was probe enough.
    bbr.probe_rtt_expired = true;
    bbr.check_probe_rtt(&RateSample::default());
    assert_eq!(bbr.state, State::Down);
}
