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
