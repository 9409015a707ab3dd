use alloc::collections::VecDeque;

use super::*;
use crate::Ask;
use crate::params::Values;

const PACKET: Bytes = Bytes(1500);
const BASE: Span = Span::from_millis(10);

/// What a flow says of K after three seconds alone on a link that takes `service` for a packet, from a host with that timer.
fn capacity(service: Span, timer: Span) -> Option<f64> {
    let entry = crate::registry::find("symbiosis").unwrap();
    let setup = Setup::new(PACKET).with_timer(timer).with_seed(1);
    let mut flow = (entry.build)(&setup, &Values::resolve(entry.params, &[]).unwrap());
    let (mut now, mut free_at, mut number) = (Instant::START, Instant::START, 0);
    let mut flight: VecDeque<(Instant, u64, Instant)> = VecDeque::new();
    while now < Instant::from_millis(3000) {
        let in_flight = Bytes(PACKET.0 * flight.len() as u64);
        let permit = flow.permit(&Ask { now, in_flight });
        let (at, fits) = match permit.departure {
            Departure::Now => (now, in_flight + PACKET <= permit.window),
            Departure::At(at) => (at, in_flight + PACKET <= permit.window),
            Departure::IgnoreWindow(at) => (at, true),
        };
        // A host leaves early what lies less ahead than it can tell.
        if (fits || flight.is_empty()) && at <= now.saturating_add(timer) {
            free_at = free_at.max(now) + service;
            flight.push_back((free_at + BASE, number, now));
            let in_flight = Bytes(PACKET.0 * flight.len() as u64);
            flow.sent(&Sent { now, number, bytes: PACKET, in_flight, ready_at: now, retransmission: false, app_limited: false });
            number += 1;
            continue;
        }
        let ack = flight.front().map_or(Instant::NEVER, |(ack, ..)| *ack);
        if fits && at < ack {
            now = at;
            continue;
        }
        let (ack, number, sent_at) = flight.pop_front().unwrap();
        now = ack;
        flow.acked(&Acked {
            now,
            number,
            bytes: PACKET,
            sent_at,
            received_at: None,
            rtt: Some(now - sent_at),
            answered_late: Span::ZERO,
            in_flight: Bytes(PACKET.0 * flight.len() as u64),
            app_limited: false,
            recovering: false,
            grows: true,
        });
    }
    let mut capacity = None;
    flow.gauges(&mut |name, value| capacity = if name == "K_mbps" { Some(value) } else { capacity });
    capacity
}

#[test]
fn a_link_that_is_faster_than_the_host_can_tell_is_not_measured() {
    // 1500 bytes in 120 µs are 100 Mbit/s.
    let service = Span::from_micros(120);
    for timer in [0, 20, 50, 100] {
        let k = capacity(service, Span::from_micros(timer)).unwrap();
        // Measured: 0.8 % with exact departures, 1.1 % with those that are early by up to 100 µs.
        assert!((k - 100.0).abs() < 2.0, "{k} Mbit/s with a timer of {timer} µs");
    }
    for timer in [130, 500] {
        assert_eq!(capacity(service, Span::from_micros(timer)), None, "{timer} µs");
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
