use alloc::vec::Vec;

use super::*;

const SIZE: Bytes = Bytes(1500);
const GAP: Nanos = Nanos::from_micros(1000);

fn sent(number: u64, now: Nanos) -> Sent {
    Sent { now, number, bytes: SIZE, in_flight: Bytes::ZERO, retransmission: false, app_limited: false }
}

fn acked(number: u64, sent_at: Nanos, now: Nanos) -> Acked {
    let in_flight = Bytes::ZERO;
    Acked { now, number, bytes: SIZE, sent_at, received_at: None, rtt: None, in_flight, app_limited: false, recovering: false, grows: true }
}

/// Three packets a gap apart and the pair's second have left.
fn stream() -> (Stream, [Nanos; 4]) {
    let mut stream = Stream::new(3, SIZE, Nanos::ZERO);
    let times = [GAP * 10, GAP * 11, GAP * 12, GAP * 12];
    for (number, now) in (7..).zip(times) {
        assert!(!stream.is_sent());
        stream.sent(&sent(number, now), if number == 10 { Nanos::ZERO } else { GAP }).unwrap();
    }
    assert!(stream.is_sent());
    (stream, times)
}

const ARRIVALS: [Nanos; 4] = [Nanos(60_000_000), Nanos(61_500_000), Nanos(62_300_000), Nanos(62_420_000)];

#[test]
fn a_valid_stream_tells_delays_rates_and_pairs() {
    let (mut stream, times) = stream();
    let service = Nanos::from_micros(120);
    assert_eq!(stream.acked(&acked(6, GAP, GAP * 50), service), Ok(false), "before the stream");
    for (i, whole) in [(0, false), (1, false), (2, false), (3, true)] {
        assert_eq!(stream.acked(&acked(7 + i as u64, times[i], ARRIVALS[i]), service), Ok(whole));
    }
    let near = |got: Vec<f64>, wanted: &[f64]| {
        assert!(got.len() == wanted.len() && got.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6 * b.abs()), "{got:?}");
    };
    near(stream.delay_differences().collect(), &[0.5e-3, -0.2e-3]);
    near(stream.rates().flat_map(|(sent, arrived)| [sent, arrived]).collect(), &[1.5e6, 1e6, 1.5e6, 1.875e6]);
    // 3000 bytes in 2.3 ms.
    near([stream.arrival_rate()].into(), &[3000.0 / 2.3e-3]);
    assert_eq!(stream.least_delay(), 50_000_000);
    near(stream.pairs(49_000_000).map(|pair| pair.waited).collect(), &[1e-3, 1.5e-3, 1.3e-3]);
    let last = stream.pairs(0).last().unwrap();
    assert_eq!((last.sent, last.arrived), (0.0, 120e-6));
}

#[test]
fn a_packet_may_be_as_late_as_a_coarse_timer_makes_it() {
    let gap = Nanos::from_micros(137);
    for (after, wanted) in [(150, Ok(())), (187, Ok(())), (188, Err(Cause::Late)), (86, Err(Cause::Early))] {
        let mut stream = Stream::new(3, SIZE, Nanos::from_micros(50));
        stream.sent(&sent(1, GAP), gap).unwrap();
        assert_eq!(stream.sent(&sent(2, GAP + Nanos::from_micros(after)), gap), wanted, "{after}");
    }
}

#[test]
fn a_packet_that_leaves_off_its_time_is_no_reading() {
    let micros = Nanos::from_micros;
    for (after, wanted) in [(899, Err(Cause::Early)), (900, Ok(())), (1100, Ok(())), (1101, Err(Cause::Late))] {
        let mut stream = Stream::new(3, SIZE, Nanos::ZERO);
        stream.sent(&sent(1, GAP), GAP).unwrap();
        assert_eq!(stream.sent(&sent(2, GAP + micros(after)), GAP), wanted, "{after}");
    }
    for (after, wanted) in [(0, Ok(())), (50, Ok(())), (51, Err(Cause::Late))] {
        let mut stream = Stream::new(3, SIZE, Nanos::ZERO);
        stream.sent(&sent(1, GAP), GAP).unwrap();
        assert_eq!(stream.sent(&sent(2, GAP + micros(after)), Nanos::ZERO), wanted, "{after} after at once");
    }
}

#[test]
fn a_packet_that_is_no_neighbour_or_not_full_is_no_reading() {
    let begun = || {
        let mut stream = Stream::new(3, SIZE, Nanos::ZERO);
        stream.sent(&sent(u64::MAX - 1, GAP), GAP).unwrap();
        stream
    };
    let next = sent(u64::MAX, GAP * 2);
    assert_eq!(begun().sent(&next, GAP), Ok(()));
    assert_eq!(begun().sent(&Sent { retransmission: true, ..next }, GAP), Err(Cause::Missing));
    assert_eq!(begun().sent(&Sent { number: 3, ..next }, GAP), Err(Cause::Missing));
    assert_eq!(begun().sent(&Sent { bytes: Bytes(40), ..next }, GAP), Err(Cause::Size));
    assert_eq!(Stream::new(3, SIZE, Nanos::ZERO).sent(&Sent { retransmission: true, ..next }, GAP), Err(Cause::Missing));
}

#[test]
fn what_is_lost_repeated_or_merged_on_the_way_is_no_reading() {
    let service = Nanos::from_micros(120);
    let second = |ack: Acked| {
        let (mut stream, times) = stream();
        assert_eq!(stream.acked(&acked(7, times[0], ARRIVALS[0]), service), Ok(false));
        stream.acked(&ack, service)
    };
    let right = acked(8, GAP * 11, ARRIVALS[1]);
    assert_eq!(second(right), Ok(false));
    assert_eq!(second(Acked { number: 9, sent_at: GAP * 12, ..right }), Err(Cause::Missing), "8 is lost");
    assert_eq!(second(Acked { number: 11, ..right }), Err(Cause::Missing), "all others are lost");
    assert_eq!(second(Acked { sent_at: GAP * 20, ..right }), Err(Cause::Missing), "8 was sent again");
    assert_eq!(second(Acked { recovering: true, ..right }), Err(Cause::Missing));
    assert_eq!(second(Acked { now: ARRIVALS[0], ..right }), Err(Cause::Merged));
    assert_eq!(second(Acked { now: ARRIVALS[0] + Nanos::from_micros(59), ..right }), Err(Cause::Merged), "half of 120 µs is 60");
    assert_eq!(second(Acked { now: ARRIVALS[0] + Nanos::from_micros(60), ..right }), Ok(false));
    assert_eq!(second(Acked { received_at: Some(ARRIVALS[1]), ..right }), Err(Cause::Merged), "the first had no receiver's time");
}

#[test]
fn while_it_leaves_others_acks_are_not_its_own() {
    let mut stream = Stream::new(3, SIZE, Nanos::ZERO);
    assert_eq!(stream.acked(&acked(7, GAP, GAP), GAP), Ok(false));
    stream.sent(&sent(7, GAP), GAP).unwrap();
    assert_eq!(stream.acked(&acked(9, GAP, GAP * 2), GAP), Ok(false));
    assert_eq!(stream.acked(&acked(7, GAP, GAP * 3), GAP), Ok(false));
    stream.clear();
    assert_eq!((stream.left(), stream.last_sent()), (0, None));
}
