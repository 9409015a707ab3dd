use alloc::collections::VecDeque;

use super::*;
use crate::Ask;
use crate::measurement::until::path;
use crate::params::Values;

const PACKET: Bytes = Bytes(1500);
const BASE: Span = Span::from_millis(10);

/// What a flow says of K after three seconds alone on a link that takes `service` for a packet, and what it has got through of the link; from a host with
/// that timer, whose loop is put aside for `aside` at each turn.
fn alone(service: Span, timer: Span, aside: Span) -> (Option<f64>, f64) {
    let entry = crate::registry::find("symbiosis").unwrap();
    let setup = Setup::new(PACKET).with_timer(timer).with_clock(timer).with_seed(1);
    let mut flow = (entry.build)(&setup, &Values::resolve(entry.params, &[]).unwrap());
    let (mut now, mut free_at, mut number, end) = (Instant::START, Instant::START, 0, Instant::from_millis(3000));
    let mut flight: VecDeque<(Instant, u64, Instant)> = VecDeque::new();
    // Since when nothing but the plan holds the next packet back.
    let (mut ready_at, mut full) = (Instant::START, false);
    while now < end {
        while let Some((came, number, sent_at)) = flight.pop_front_if(|(ack, ..)| *ack <= now) {
            let in_flight = Bytes(PACKET.0 * flight.len() as u64);
            // The kernel says when an ACK came.
            flow.acked(&Acked::new(came, number, PACKET, sent_at).with_rtt(Some(came - sent_at)).with_in_flight(in_flight));
            if full && in_flight + PACKET <= flow.permit(&Ask { now: came, in_flight }).window {
                (ready_at, full) = (came, false);
            }
        }
        let wake = loop {
            let in_flight = Bytes(PACKET.0 * flight.len() as u64);
            let permit = flow.permit(&Ask { now, in_flight });
            let fits = flight.is_empty() || in_flight + PACKET <= permit.window;
            let (at, fits) = match permit.departure {
                Departure::Now => (now, fits),
                Departure::At(at) => (at, fits),
                Departure::IgnoreWindow(at) => (at, true),
            };
            // A host leaves early what lies less ahead than it can tell.
            if !fits || at > now.saturating_add(timer) {
                (ready_at, full) = (if fits { ready_at } else { now }, !fits);
                let ack = flight.front().map_or(Instant::NEVER, |(ack, ..)| *ack);
                break if fits { at.min(ack) } else { ack };
            }
            free_at = free_at.max(now) + service;
            flight.push_back((free_at + BASE, number, now));
            flow.sent(&Sent::new(now, number, PACKET, in_flight + PACKET).with_ready_at(ready_at));
            number += 1;
        };
        now = wake.max(now) + aside;
    }
    let mut capacity = None;
    flow.gauges(&mut |name, value| capacity = if name == "K_mbps" { Some(value) } else { capacity });
    (capacity, number as f64 * service.secs() / (end - Instant::START).secs())
}

#[test]
fn a_link_that_is_faster_than_the_host_can_tell_is_not_measured() {
    // 1500 bytes in 120 µs are 100 Mbit/s.
    let service = Span::from_micros(120);
    for timer in [0, 20, 50, 100] {
        let k = alone(service, Span::from_micros(timer), Span::ZERO).0.unwrap();
        // Measured: 0.8 % with exact departures, 1.1 % with those that are early by up to 100 µs.
        assert!((k - 100.0).abs() < 2.0, "{k} Mbit/s with a timer of {timer} µs");
    }
    for timer in [130, 500] {
        assert_eq!(alone(service, Span::from_micros(timer), Span::ZERO).0, None, "{timer} µs");
    }
}

/// A host whose turns are milliseconds apart can keep no distance of a packet's time. Of the link there remain .13 to .79 where each is asked for, and costs
/// a turn.
#[test]
fn distances_that_the_host_is_too_late_for_cost_little() {
    for (service_us, aside_ms) in [(240, 1), (240, 3), (120, 3), (60, 3)] {
        let (k, used) = alone(Span::from_micros(service_us), Span::from_micros(20), Span::from_millis(aside_ms));
        let capacity = 12e3 / service_us as f64;
        assert!(used > 0.94, "{used} of a link of {capacity} Mbit/s");
        assert!((k.unwrap() / capacity - 1.0).abs() < 0.02, "{k:?} Mbit/s");
    }
}

/// A host that begins to hand packets up together contradicts what pairs told before. Until it is known anew K is what it was: as Reno a flow that bears 1 % of
/// loss would have ten packets in flight, and so few pairs that it stays there.
#[test]
fn what_is_in_doubt_is_as_it_was() {
    let (mut measured, mut random) = (ImTcp::new(&Setup::new(PACKET)), symbiosis_base::Random::new(1, 0));
    let (mut contradicted, mut unknown) = (0, 0);
    for pair in 0..2000 {
        let at = Instant::from_millis(3 * pair);
        for i in 0..2 {
            measured.sent(&Sent::new(at, 2 * pair + i, PACKET, Bytes::ZERO));
        }
        // Of 120 µs, in the second half by a host that looks once in 1 ms.
        let phase = random.uniform() * 1e6;
        let seen = |ns: f64| if pair < 1000 { ns } else { libm::ceil((ns + phase) / 1e6) * 1e6 - phase };
        for (i, ns) in [(0, 120e3), (1, 240e3)] {
            let now = at + BASE + Span(seen(ns) as u64);
            measured.acked(&Acked::new(now, 2 * pair + i, PACKET, at).with_rtt(Some(now - at)));
        }
        contradicted += u32::from(pair > 1000 && measured.capacity.estimate(PACKET.as_f64()).is_none());
        unknown += u32::from(pair > 10 && !(measured.holds() && measured.known_capacity.is_some()));
    }
    assert!(contradicted > 20 && unknown < contradicted / 5, "{contradicted}, {unknown}");
    let k = measured.known_capacity.unwrap().0.mbps();
    assert!((70.0..140.0).contains(&k), "{k} Mbit/s");
}

/// Of a buffer that is short the train is what overflows it; in a queue of more packets than a stream has others do, too.
#[test]
fn only_what_trains_overflow_rests_the_measurement() {
    for (queued, rests) in [(6, true), (8, false)] {
        let (mut measured, mut number) = (ImTcp::new(&Setup::new(PACKET)), 0);
        for at in 0..100 {
            burst(&mut measured, &mut number, Instant::from_millis(at), 2, false);
        }
        let (at, service) = (Instant::from_millis(200), Span::from_micros(120));
        measured.sent(&Sent::new(at, number, PACKET, Bytes::ZERO));
        let now = at + BASE + service * (1 + queued);
        measured.acked(&Acked::new(now, number, PACKET, at).with_rtt(Some(now - at)));
        for number in [5, 3] {
            assert!(measured.cost.allows_bursts(), "packet 5 is of no train");
            measured.packet_lost(&PacketLost::new(now, number, PACKET, at));
        }
        assert_eq!(measured.cost.allows_bursts(), !rests, "{queued} packets wait");
    }
}

/// A burst that leaves at `at`, and the arrivals of its packets; whether K holds then. Only the last of an ACK's packets has a round-trip time.
fn burst(measured: &mut ImTcp, number: &mut u64, at: Instant, packets: u64, merged: bool) -> bool {
    let service = Span::from_micros(120);
    for i in 0..packets {
        measured.sent(&Sent::new(at, *number + i, PACKET, Bytes::ZERO));
    }
    for i in 0..packets {
        let last = i + 1 == packets;
        let now = at + BASE + service * if merged { packets } else { i + 1 };
        measured.acked(&Acked::new(now, *number + i, PACKET, at).with_rtt((last || !merged).then(|| now - at)));
    }
    *number += packets;
    measured.holds()
}

/// Of bursts that pass as one the link takes longer than the host's clock is coarse by, also where it takes less for a packet.
#[test]
fn bursts_tell_k_of_a_link_that_is_too_fast_for_packets() {
    for (packets, known) in [(1, false), (32, true)] {
        let (mut measured, mut number) = (ImTcp::new(&Setup::new(PACKET).with_clock(Span::from_micros(20))), 0);
        let mut at = Instant::START;
        for _ in 0..200 {
            // Two that leave together, one behind the other, and a pause in which the link is idle.
            for burst in 1..=2 {
                let service = Span::from_micros(12) * packets * burst;
                for i in 0..packets {
                    measured.sent(&Sent::new(at, number + i, PACKET, Bytes::ZERO));
                }
                for i in 0..packets {
                    let now = at + BASE + service;
                    measured.acked(&Acked::new(now, number + i, PACKET, at).with_rtt((i + 1 == packets).then(|| now - at)));
                }
                number += packets;
            }
            at += Span::from_micros(12) * packets * 3;
        }
        let k = measured.known_capacity.map_or(0.0, |(k, _)| k.mbps());
        assert!((k - 1000.0).abs() < 10.0, "{k} Mbit/s");
        assert_eq!(measured.holds(), known, "{packets} packets");
        assert_eq!(measured.unknown() == Unknown::Timer, !known);
    }
}

/// Where one ACK answers a burst of eight nothing tells that the link has changed: K is believed for ten seconds.
#[test]
fn what_merged_arrivals_do_not_confirm_is_not_believed_for_ever() {
    let (mut measured, mut number) = (ImTcp::new(&Setup::new(PACKET)), 0);
    let ms = Instant::from_millis;
    for at in 0..1000 {
        burst(&mut measured, &mut number, ms(at), 2, false);
    }
    let k = measured.known_capacity.unwrap().0.mbps();
    assert!((k - 100.0).abs() < 1.0, "{k}");
    let held =
        |measured: &mut ImTcp, number: &mut u64, from: u64, to: u64| (from..to).all(|at| burst(measured, number, ms(2 * at), 8, true));
    assert!(held(&mut measured, &mut number, 500, 5_000), "for nine seconds");
    assert!(!held(&mut measured, &mut number, 5_000, 5_600), "for ten, and no longer");
    assert_eq!(measured.unknown(), Unknown::Merged);
    assert!(
        burst(&mut measured, &mut number, ms(11_300), 2, false) || burst(&mut measured, &mut number, ms(11_301), 2, false),
        "until a pair confirms it"
    );
}

/// A flow that measures for its own sake sends streams again and again; one whose window goes by it fills the link by itself once it knows how.
#[test]
fn a_window_needs_no_streams_once_a_is_known() {
    let setup = Setup::new(PACKET);
    for (mut measured, always) in [(ImTcp::new(&setup), true), (ImTcp::for_window(&setup), false)] {
        let [few, many] = [trains::FLIGHT - 1, trains::FLIGHT].map(|packets| Bytes(packets * PACKET.0));
        measured.tight = Some(Span::from_micros(120));
        assert!(measured.may_stream(many), "until then");
        measured.result = Some(Reading::certain(path(30.0)));
        assert_eq!([few, many].map(|flight| measured.may_stream(flight)), [true, always]);
    }
}

/// Each distance that a timer cannot keep costs one of its steps: of a flow of 25 Mbit/s whose timer has steps of 4 ms streams took three quarters of the rate.
#[test]
fn a_host_that_cannot_keep_their_distances_sends_no_streams() {
    for (timer, may) in [(0, true), (119, true), (120, false), (4_000, false)] {
        let mut measured = ImTcp::new(&Setup::new(PACKET).with_timer(Span::from_micros(timer)));
        measured.tight = Some(Span::from_micros(120));
        assert_eq!(measured.may_stream(Bytes(100 * PACKET.0)), may, "a timer of {timer} µs");
    }
}
