//! Each rule by hand.

use std::vec::Vec;

use super::*;
use crate::Unknown;
use crate::lotka_volterra::Bandwidth;
use crate::measurement::{Measurement, Reading};
use crate::observer::{Arrival, Excess, Findings, Observer};
use crate::test_path::{PACKET, ack, setup};

fn ms(ms: f64) -> Span {
    Span::from_secs(ms / 1e3)
}

fn at_ms(at: f64) -> Instant {
    Instant::after(ms(at))
}

const SETTINGS: Settings = Settings { alpha: 0.1, probe_every: 5, probe_rtts: 0.0, randomiser: 0.0, fresh_pairs: false, all_losses: true };

/// A sender without a randomiser.
fn sender() -> Hcc {
    Hcc::new(&setup(10), SETTINGS, None)
}

fn report(hcc: &mut Hcc, now: Instant, gap: f64, weight: f64, excess: Option<(f64, f64)>) {
    let excess = excess.map(|(sent_at, jitter)| Excess { sent_at: at_ms(sent_at), jitter: ms(jitter) });
    // Its pairs left an RTT ago.
    hcc.report(&Report::Receiver { now, findings: Findings { gap: ms(gap), weight, left: now - ms(100.0), excess } });
}

/// Sends packets as they are permitted until `until`; when each left.
fn departures(hcc: &mut Hcc, mut now: Instant, until: Instant) -> Vec<Instant> {
    let mut left = Vec::new();
    loop {
        match hcc.permit(&Ask { now, in_flight: PACKET }).departure {
            Departure::At(at) | Departure::IgnoreWindow(at) if at > until => return left,
            Departure::At(at) | Departure::IgnoreWindow(at) => now = now.max(at),
            Departure::Now => {}
        }
        let number = left.len() as u64;
        hcc.sent(&Sent { now, number, bytes: PACKET, in_flight: PACKET, ready_at: now, retransmission: false, app_limited: false });
        left.push(now);
    }
}

/// A sender that has sent its first pair at 0 and heard at 100 ms that it arrived 5 ms apart: P = 10 ms.
fn started() -> Hcc {
    let mut hcc = sender();
    hcc.sent(&Sent {
        now: Instant::START,
        number: 0,
        bytes: PACKET,
        in_flight: PACKET,
        ready_at: Instant::START,
        retransmission: false,
        app_limited: false,
    });
    assert_eq!(departures(&mut hcc, Instant::START, at_ms(50.0)), [Instant::START], "the second of the pair, then silence");
    hcc.acked(&Acked { rtt: Some(ms(100.0)), ..ack() });
    report(&mut hcc, at_ms(100.0), 5.0, 0.1, None);
    hcc
}

fn period(hcc: &Hcc) -> f64 {
    hcc.period.get().unwrap().millis()
}

#[test]
fn it_starts_with_a_pair_and_twice_its_gap() {
    let mut hcc = sender();
    let alone = Ask { now: Instant::START, in_flight: Bytes::ZERO };
    assert_eq!(hcc.permit(&alone), Permit { window: Bytes(2 * PACKET.0), departure: Departure::Now });
    hcc = started();
    assert_eq!(period(&hcc), 10.0);
    // 4 + 2·100 ms/10 ms packets.
    assert_eq!(hcc.permit(&alone).window, Bytes(24 * PACKET.0));
}

#[test]
fn every_fifth_packet_leaves_with_the_one_before_and_the_rate_is_kept() {
    let mut hcc = started();
    let left: Vec<f64> = departures(&mut hcc, at_ms(100.0), at_ms(290.0)).iter().map(|at| at.millis() - 100.0).collect();
    // The pair of the start is long paid for. Then five packets in five periods.
    assert_eq!(left, [0., 10., 20., 30., 30., 50., 60., 70., 80., 80., 100., 110., 120., 130., 130., 150., 160., 170., 180., 180.]);
}

#[test]
fn pairs_average_and_losses_double_once_in_an_rtt_and_two_periods() {
    let mut hcc = started();
    report(&mut hcc, at_ms(200.0), 5.0, 0.1, None);
    assert_eq!(period(&hcc), 9.5, "0.9·10 + 0.1·5");
    let lost = |hcc: &mut Hcc, at: f64| hcc.lost(&Lost::new(at_ms(at), LossKind::FastRetransmit, PACKET));
    lost(&mut hcc, 300.0);
    assert_eq!(period(&hcc), 19.0);
    // RTT + 2P = 138 ms.
    lost(&mut hcc, 438.0);
    assert_eq!(period(&hcc), 19.0);
    lost(&mut hcc, 438.1);
    assert_eq!(period(&hcc), 38.0);
}

#[test]
fn a_jitter_is_added_to_the_period_of_its_packets_once() {
    let mut hcc = started();
    // Packets of 150 and 160 ms took 2 ms longer each; they were sent with 10 ms.
    report(&mut hcc, at_ms(260.0), 0.0, 0.0, Some((160.0, 2.0)));
    assert_eq!(period(&hcc), 12.0);
    // Those of 200 ms were on their way with 10 ms, too, and say the same: it is not added again.
    report(&mut hcc, at_ms(300.0), 0.0, 0.0, Some((200.0, 2.0)));
    assert_eq!(period(&hcc), 12.0);
    // Those of 270 ms were sent with 12 ms.
    report(&mut hcc, at_ms(370.0), 0.0, 0.0, Some((270.0, 2.0)));
    assert_eq!(period(&hcc), 14.0);
    // A link was out for ten seconds: no more than the least RTT of 100 ms is added.
    report(&mut hcc, at_ms(10_480.0), 0.0, 0.0, Some((380.0, 10_000.0)));
    assert_eq!(period(&hcc), 114.0);
    report(&mut hcc, at_ms(10_490.0), 10_000.0, 0.1, None);
    assert_eq!(period(&hcc), 112.6, "0.9·114 + 0.1·100: nor does a pair that it parted tell more");
}

#[test]
fn after_a_timeout_only_pairs_leave_until_the_receiver_is_heard() {
    let mut hcc = started();
    departures(&mut hcc, at_ms(100.0), at_ms(190.0));
    let expired = |hcc: &mut Hcc, at: f64| hcc.lost(&Lost::new(at_ms(at), LossKind::Timeout, PACKET));
    for at in [1000.0, 3000.0] {
        expired(&mut hcc, at);
        assert_eq!(period(&hcc), 20.0, "doubled once, not at each timeout");
        let ask = Ask { now: at_ms(at), in_flight: Bytes::ZERO };
        assert_eq!(hcc.permit(&ask), Permit { window: Bytes(2 * PACKET.0), departure: Departure::Now });
        hcc.sent(&Sent {
            now: at_ms(at),
            number: 7,
            bytes: PACKET,
            in_flight: PACKET,
            ready_at: at_ms(at),
            retransmission: true,
            app_limited: false,
        });
        assert_eq!(departures(&mut hcc, at_ms(at), at_ms(at + 900.0)), [at_ms(at)], "the second of the pair, nothing more");
    }
    report(&mut hcc, at_ms(3100.0), 0.0, 0.0, None);
    assert_eq!(departures(&mut hcc, at_ms(3100.0), at_ms(3119.0)), [at_ms(3100.0)], "on at the old rate");
}

/// Packets that a timer of 7 ms lets go: at the next multiple of what was asked for.
#[test]
fn what_the_timer_rounds_up_is_caught_up_with_and_a_pause_is_not() {
    for (timer, packets) in [(7.0, 100), (0.0, 71)] {
        let mut hcc = Hcc::new(&crate::Setup { timer: ms(timer), ..setup(10) }, Settings { probe_every: 1_000_000, ..SETTINGS }, None);
        report(&mut hcc, at_ms(0.0), 5.0, 0.1, None);
        let (mut now, mut left) = (Instant::START, 0);
        while now < at_ms(1000.0) {
            hcc.sent(&Sent {
                now,
                number: left,
                bytes: PACKET,
                in_flight: PACKET,
                ready_at: now,
                retransmission: false,
                app_limited: false,
            });
            left += 1;
            let Departure::At(at) = hcc.permit(&Ask { now, in_flight: PACKET }).departure else { panic!("it keeps a rate") };
            now = now.max(Instant(at.0.next_multiple_of(ms(7.0).0)));
        }
        // One in 10 ms; not told of the timer, it takes 14 for each.
        assert!(left.abs_diff(packets) <= 1, "{left} packets");
        let pause = now + ms(500.0);
        hcc.sent(&Sent {
            now: pause,
            number: left,
            bytes: PACKET,
            in_flight: PACKET,
            ready_at: pause,
            retransmission: false,
            app_limited: false,
        });
        let Departure::At(at) = hcc.permit(&Ask { now: pause, in_flight: PACKET }).departure else { panic!("it keeps a rate") };
        assert!(at >= pause + ms(10.0 - timer), "{at} after a pause that ended at {pause}");
    }
}

#[test]
fn pairs_keep_the_distance_asked_for() {
    let mut hcc = started();
    hcc.settings.probe_rtts = 1.0;
    let left: Vec<f64> = departures(&mut hcc, at_ms(100.0), at_ms(290.0)).iter().map(|at| at.millis() - 100.0).collect();
    // An RTT is 100 ms: the first pair, in this test at 0, is long ago.
    assert_eq!(left, [0., 10., 20., 30., 30., 50., 60., 70., 80., 90., 100., 110., 120., 130., 130., 150., 160., 170., 180., 190.]);
}

#[test]
fn only_fresh_pairs_may_take_a_doubling_back() {
    for (fresh_pairs, periods) in [(false, [20.0, 18.5, 17.15]), (true, [20.0, 20.0, 18.5])] {
        let mut hcc = started();
        hcc.settings.fresh_pairs = fresh_pairs;
        hcc.lost(&Lost::new(at_ms(300.0), LossKind::FastRetransmit, PACKET));
        let mut seen = std::vec![period(&hcc)];
        // Pairs that left at 299 and at 301 ms.
        for at in [399.0, 401.0] {
            report(&mut hcc, at_ms(at), 5.0, 0.1, None);
            seen.push(period(&hcc));
        }
        assert_eq!(seen, periods);
    }
}

/// Reads the same A whatever happens; nothing is wanted of departures.
struct Constant(Rate);

impl Measurement for Constant {
    fn sent(&mut self, _: &Sent) {}

    fn packet_lost(&mut self, _: &PacketLost) {}

    fn acked(&mut self, _: &Acked) -> Option<Reading> {
        Some(Reading::certain(Bandwidth { capacity: Rate::from_mbps(100.0), available: self.0 }))
    }

    fn report(&mut self, _: &Report) -> Option<Reading> {
        None
    }

    fn departure(&self) -> Departure {
        Departure::Now
    }

    fn holds(&self) -> bool {
        true
    }

    fn unknown(&self) -> Unknown {
        Unknown::Measuring
    }

    fn wants_arrivals(&self) -> bool {
        false
    }

    fn is_held_back(&self) -> bool {
        false
    }

    fn forget(&mut self) {}

    fn copy(&self) -> Box<dyn Measurement> {
        Box::new(Constant(self.0))
    }
}

#[test]
fn readings_take_the_place_of_pairs() {
    // A packet of 1000 bytes takes 8 ms at 1 Mbit/s; at 0.1 it takes 80 ms, but four packets must go into an RTT of 100 ms.
    for mbps in [1.0, 0.1] {
        let mut hcc = started();
        hcc.host = Some(Host::new(Box::new(Constant(Rate::from_mbps(mbps)))));
        hcc.acked(&Acked { now: at_ms(150.0), ..ack() });
        // The RTT is smoothed: 50 ms of `ack` take it from 100 to 93.75.
        let wanted = if mbps == 1.0 { 9.0 + 0.1 * 8.0 } else { 9.0 + 0.1 * 93.75 / 4.0 };
        assert!((period(&hcc) - wanted).abs() < 1e-5, "{} of {wanted}", period(&hcc));
        report(&mut hcc, at_ms(160.0), 5.0, 0.1, None);
        assert!((period(&hcc) - wanted).abs() < 1e-5, "pairs say nothing now");
        let left = departures(&mut hcc, at_ms(200.0), at_ms(290.0));
        assert!(left.windows(2).all(|two| two[0] < two[1]), "and none is sent: {left:?}");
    }
    let mut receiver = HccReceiver::new(&setup(10), 0.5, 2, 4.0, true);
    receiver.arrived(&Arrival { now: at_ms(1.0).into(), serial: 0, bytes: PACKET, sent_at: Instant::START, probe: false });
    assert!(receiver.urgent(), "it is told of each packet");
    receiver.take();
    assert!(!receiver.urgent());
}

#[test]
fn a_loss_without_a_queue_may_be_the_wire_s() {
    let lost = |hcc: &mut Hcc, at: f64, kind| hcc.lost(&Lost::new(at_ms(at), kind, PACKET));
    let seen = |hcc: &mut Hcc, rtt: f64| hcc.acked(&Acked { rtt: Some(ms(rtt)), ..ack() });
    let mut hcc = started();
    hcc.settings.all_losses = false;
    // A packet takes 5 ms. 15 ms are a pair and rounding, 16 ms are a queue.
    for (rtt, period_after) in [(100.0, 10.0), (115.0, 10.0), (116.0, 20.0)] {
        seen(&mut hcc, rtt);
        lost(&mut hcc, 1000.0, LossKind::FastRetransmit);
        assert_eq!(period(&hcc), period_after, "RTT {rtt}");
    }
    seen(&mut hcc, 100.0);
    lost(&mut hcc, 3000.0, LossKind::Ecn);
    assert_eq!(period(&hcc), 40.0, "a mark is a queue's");
    lost(&mut hcc, 6000.0, LossKind::Timeout);
    assert_eq!(period(&hcc), 80.0, "nobody knows what silence is");
}

#[test]
fn the_randomiser_adds_a_twentieth_on_average_and_holds_between_reports() {
    let mut hcc = Hcc::new(&setup(10), Settings { randomiser: 0.1, ..SETTINGS }, None);
    let mut sum = 0.0;
    for _ in 0..2000 {
        report(&mut hcc, at_ms(1.0), 10.0, 1.0, None);
        report(&mut hcc, at_ms(1.0), 10.0, 1.0, None);
        let applied = hcc.applied().unwrap();
        assert!((10.0..11.0).contains(&applied.millis()), "{applied}");
        report(&mut hcc, at_ms(1.0), 0.0, 0.0, None);
        assert_eq!(hcc.applied(), Some(applied), "a report that changes nothing draws nothing");
        sum += applied.millis();
    }
    // The mean of 2000 draws deviates by 0.1·10/√12/√2000 = 0.006.
    assert!((sum / 2000.0 - 10.5).abs() < 0.025, "{sum}");
}

#[test]
fn from_the_longest_period_pairs_lead_back_in_six_hundred_packets() {
    let mut hcc = started();
    let lost = |at: u64| Lost::new(Instant::from_millis(at), LossKind::FastRetransmit, PACKET);
    (0..100).for_each(|i| hcc.lost(&lost(10_000 * i)));
    assert_eq!(period(&hcc), 1000.0, "bounded");
    // To 1 % above 5 ms: ln(995/0.05)/−ln(0.9) = 94 pairs.
    (0..94).for_each(|_| report(&mut hcc, at_ms(1e6), 5.0, 0.1, None));
    assert!((5.0..=5.05).contains(&period(&hcc)), "{}", period(&hcc));
}

/// A receiver that gives a pair the weight ½, and what it finds in packets of `(serial, left, arrived, probe)`, times in ms.
fn found(packets: &[(u64, f64, f64, bool)]) -> Findings {
    let mut receiver = HccReceiver::new(&setup(10), 0.5, 2, 4.0, false);
    for (serial, left, arrived, probe) in packets {
        receiver.arrived(&Arrival { now: at_ms(*arrived).into(), serial: *serial, bytes: PACKET, sent_at: at_ms(*left), probe: *probe });
    }
    let urgent = receiver.urgent();
    let findings = receiver.take();
    assert_eq!(urgent, findings.excess.is_some());
    assert_eq!((receiver.take(), receiver.urgent()), (Findings::default(), false), "it is told once");
    findings
}

#[test]
fn pairs_are_weighed_as_if_each_had_been_reported_alone() {
    // Gaps of 8 and 12 ms at α = ½ on a period P: ½(½P + ½·8) + ½·12 = ¼P + 8 = ¼P + ¾·gap.
    let got = found(&[(0, 0., 50., false), (1, 0., 58., true), (2, 40., 90., false), (3, 40., 102., true)]);
    assert_eq!(got.weight, 0.75);
    assert!((got.gap.millis() - 8.0 / 0.75).abs() < 1e-5, "{got:?}");
}

#[test]
fn what_is_no_pair_measures_nothing() {
    for (second, why) in [
        ((1, 0., 58., false), "evenly sent"),
        ((2, 0., 58., true), "the first of the pair is missing"),
        ((1, 9., 58., true), "left further apart than it arrived"),
        ((1, 0., 50., true), "arrived as one"),
    ] {
        assert_eq!(found(&[(0, 0., 50., false), second]).weight, 0.0, "{why}");
    }
    let mut receiver = HccReceiver::new(&setup(10), 0.5, 2, 4.0, false);
    let arrival = |serial, now, bytes| Arrival { now: at_ms(now).into(), serial, bytes, sent_at: Instant::START, probe: serial == 1 };
    receiver.arrived(&arrival(0, 50.0, PACKET));
    receiver.arrived(&arrival(1, 54.0, Bytes(500)));
    assert_eq!(receiver.take().weight, 0.0, "a small packet takes less");
}

#[test]
fn two_positive_jitters_in_a_row_are_an_excess_of_their_mean() {
    let excess = |packets: &[(u64, f64, f64, bool)]| found(packets).excess.map(|e| (e.sent_at.millis(), e.jitter.millis()));
    // Sent 10 ms apart; 12 and 14 ms apart on arrival.
    assert_eq!(excess(&[(0, 0., 50., false), (1, 10., 62., false), (2, 20., 76., false)]), Some((20.0, 3.0)));
    // Longer, shorter, longer.
    assert_eq!(excess(&[(0, 0., 50., false), (1, 10., 62., false), (2, 20., 70., false), (3, 30., 82., false)]), None);
    // A pair between them.
    assert_eq!(excess(&[(0, 0., 50., false), (1, 10., 62., false), (2, 10., 67., true), (3, 30., 89., false)]), None);
    // A packet is missing: 4 ms in two periods are 2 in each.
    assert_eq!(excess(&[(0, 0., 50., false), (1, 10., 62., false), (3, 30., 86., false)]), Some((30.0, 2.0)));
}

#[test]
fn reports_wait_for_a_part_of_a_round_trip() {
    for (reports, wait) in [(4.0, 25.0), (1.0, 100.0), (0.0, 100.0)] {
        assert_eq!(HccReceiver::new(&setup(10), 0.5, 2, reports, false).patience(ms(100.0)), ms(wait));
    }
}

/// Whatever the clocks of the two ends differ by.
#[test]
fn only_differences_of_the_senders_clock_count() {
    let packets = |offset: f64| [(0, offset, 50., false), (1, offset + 10., 62., false), (2, offset + 20., 76., false)];
    assert_eq!(found(&packets(0.0)).excess.unwrap().jitter, found(&packets(1e9)).excess.unwrap().jitter);
}

#[test]
fn what_a_host_cannot_tell_apart_is_no_jitter() {
    let excess = |clock_ms| {
        let mut receiver = HccReceiver::new(&crate::Setup { clock: ms(clock_ms), ..setup(10) }, 0.5, 2, 4.0, false);
        // Sent 10 ms apart, and twice 3 ms late.
        for (serial, left, arrived) in [(0, 0.0, 50.0), (1, 10.0, 63.0), (2, 20.0, 76.0)] {
            receiver.arrived(&Arrival { now: at_ms(arrived).into(), serial, bytes: PACKET, sent_at: at_ms(left), probe: false });
        }
        receiver.take().excess.map(|excess| excess.jitter)
    };
    assert_eq!((excess(0.0), excess(2.9), excess(3.0)), (Some(ms(3.0)), Some(ms(3.0)), None));
}
