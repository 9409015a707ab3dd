use alloc::vec::Vec;

use super::*;

const SIZE: Bytes = Bytes(1500);
const GAP: Span = Span::from_micros(1000);

fn sent(number: u64, now: Instant) -> Sent {
    Sent { now, number, bytes: SIZE, in_flight: Bytes::ZERO, ready_at: now, retransmission: false, app_limited: false }
}

fn acked(number: u64, sent_at: Instant, now: Instant) -> Acked {
    let in_flight = Bytes::ZERO;
    Acked {
        now,
        number,
        bytes: SIZE,
        sent_at,
        received_at: None,
        rtt: None,
        answered_late: Span::ZERO,
        in_flight,
        app_limited: false,
        recovering: false,
        grows: true,
    }
}

/// So many gaps after the start.
fn at_gap(gaps: u64) -> Instant {
    Instant::after(GAP * gaps)
}

/// Three packets a gap apart and the pair's second have left.
fn stream() -> (Stream, [Instant; 4]) {
    let mut stream = Stream::new(3, SIZE, Span::ZERO);
    let times = [10, 11, 12, 12].map(at_gap);
    for (number, now) in (7..).zip(times) {
        assert!(!stream.is_sent());
        stream.sent(&sent(number, now), if number == 10 { Span::ZERO } else { GAP }).unwrap();
    }
    assert!(stream.is_sent());
    (stream, times)
}

const ARRIVALS: [Instant; 4] = [Instant(60_000_000), Instant(61_500_000), Instant(62_300_000), Instant(62_420_000)];

#[test]
fn a_valid_stream_tells_delays_rates_and_pairs() {
    let (mut stream, times) = stream();
    let service = Span::from_micros(120);
    assert_eq!(stream.acked(&acked(6, at_gap(1), at_gap(50)), service), Ok(false), "before the stream");
    for (i, whole) in [(0, false), (1, false), (2, false), (3, true)] {
        assert_eq!(stream.acked(&acked(7 + i as u64, times[i], ARRIVALS[i]), service), Ok(whole));
    }
    let near = |got: Vec<f64>, wanted: &[f64]| {
        assert!(got.len() == wanted.len() && got.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6 * b.abs()), "{got:?}");
    };
    near(stream.delays().skip(1).collect(), &[0.5e-3, 0.3e-3]);
    near(stream.rates().flat_map(|(sent, arrived)| [sent, arrived]).collect(), &[1.5e6, 1e6, 1.5e6, 1.875e6]);
    // 3000 bytes in 2.3 ms.
    near([stream.arrival_rate()].into(), &[3000.0 / 2.3e-3]);
    assert_eq!(stream.least_delay(), SignedSpan(50_000_000));
    near(stream.pairs(SignedSpan(49_000_000)).map(|pair| pair.waited).collect(), &[1e-3, 1.5e-3, 1.3e-3]);
    let last = stream.pairs(SignedSpan::ZERO).last().unwrap();
    assert_eq!((last.sent, last.arrived), (0.0, 120e-6));
}

#[test]
fn a_packet_may_be_as_late_as_a_coarse_timer_makes_it() {
    let gap = Span::from_micros(137);
    for (after, wanted) in [(150, Ok(())), (187, Ok(())), (188, Err(Cause::Late)), (86, Err(Cause::Early))] {
        let mut stream = Stream::new(3, SIZE, Span::from_micros(50));
        stream.sent(&sent(1, at_gap(1)), gap).unwrap();
        assert_eq!(stream.sent(&sent(2, at_gap(1) + Span::from_micros(after)), gap), wanted, "{after}");
    }
}

#[test]
fn a_packet_that_leaves_off_its_time_is_no_reading() {
    let micros = Span::from_micros;
    for (after, wanted) in [(899, Err(Cause::Early)), (900, Ok(())), (1100, Ok(())), (1101, Err(Cause::Late))] {
        let mut stream = Stream::new(3, SIZE, Span::ZERO);
        stream.sent(&sent(1, at_gap(1)), GAP).unwrap();
        assert_eq!(stream.sent(&sent(2, at_gap(1) + micros(after)), GAP), wanted, "{after}");
    }
    for (after, wanted) in [(0, Ok(())), (50, Ok(())), (51, Err(Cause::Late))] {
        let mut stream = Stream::new(3, SIZE, Span::ZERO);
        stream.sent(&sent(1, at_gap(1)), GAP).unwrap();
        assert_eq!(stream.sent(&sent(2, at_gap(1) + micros(after)), Span::ZERO), wanted, "{after} after at once");
    }
}

#[test]
fn a_packet_that_is_no_neighbour_or_not_full_is_no_reading() {
    let begun = || {
        let mut stream = Stream::new(3, SIZE, Span::ZERO);
        stream.sent(&sent(u64::MAX - 1, at_gap(1)), GAP).unwrap();
        stream
    };
    let next = sent(u64::MAX, at_gap(2));
    assert_eq!(begun().sent(&next, GAP), Ok(()));
    assert_eq!(begun().sent(&Sent { retransmission: true, ..next }, GAP), Err(Cause::Missing));
    assert_eq!(begun().sent(&Sent { number: 3, ..next }, GAP), Err(Cause::Missing));
    assert_eq!(begun().sent(&Sent { bytes: Bytes(40), ..next }, GAP), Err(Cause::Size));
    assert_eq!(Stream::new(3, SIZE, Span::ZERO).sent(&Sent { retransmission: true, ..next }, GAP), Err(Cause::Missing));
}

#[test]
fn what_is_lost_repeated_or_merged_on_the_way_is_no_reading() {
    let service = Span::from_micros(120);
    let second = |ack: Acked| {
        let (mut stream, times) = stream();
        assert_eq!(stream.acked(&acked(7, times[0], ARRIVALS[0]), service), Ok(false));
        stream.acked(&ack, service)
    };
    let right = acked(8, at_gap(11), ARRIVALS[1]);
    assert_eq!(second(right), Ok(false));
    assert_eq!(second(Acked { number: 9, sent_at: at_gap(12), ..right }), Err(Cause::Missing), "8 is lost");
    assert_eq!(second(Acked { number: 11, ..right }), Err(Cause::Missing), "all others are lost");
    assert_eq!(second(Acked { sent_at: at_gap(20), ..right }), Err(Cause::Missing), "8 was sent again");
    assert_eq!(second(Acked { recovering: true, ..right }), Err(Cause::Missing));
    assert_eq!(second(Acked { now: ARRIVALS[0], ..right }), Err(Cause::Merged));
    assert_eq!(second(Acked { now: ARRIVALS[0] + Span::from_micros(59), ..right }), Err(Cause::Merged), "half of 120 µs is 60");
    assert_eq!(second(Acked { now: ARRIVALS[0] + Span::from_micros(60), ..right }), Ok(false));
    assert_eq!(second(Acked { received_at: Some(ARRIVALS[1].into()), ..right }), Err(Cause::Merged), "the first had no receiver's time");
}

#[test]
fn while_it_leaves_others_acks_are_not_its_own() {
    let mut stream = Stream::new(3, SIZE, Span::ZERO);
    assert_eq!(stream.acked(&acked(7, at_gap(1), at_gap(1)), GAP), Ok(false));
    stream.sent(&sent(7, at_gap(1)), GAP).unwrap();
    assert_eq!(stream.acked(&acked(9, at_gap(1), at_gap(2)), GAP), Ok(false));
    assert_eq!(stream.acked(&acked(7, at_gap(1), at_gap(3)), GAP), Ok(false));
    stream.clear();
    assert_eq!((stream.left(), stream.last_sent()), (0, None));
}
