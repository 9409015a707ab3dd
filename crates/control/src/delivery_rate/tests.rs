use std::vec::Vec;

use super::*;
use crate::test_path::PACKET;

fn ms(ms: u64) -> Instant {
    Instant::from_millis(ms)
}

fn span(ms: u64) -> Span {
    Span::from_millis(ms)
}

/// A packet leaves at that time, so many in flight with it.
fn sends(rate: &mut DeliveryRate, at: u64, number: u64, in_flight: u64) {
    rate.sent(&Sent::new(ms(at), number, PACKET, Bytes(in_flight * PACKET.0)));
}

fn acks(rate: &mut DeliveryRate, at: u64, numbers: &[u64]) -> RateSample {
    numbers.iter().for_each(|number| rate.acked(&Acked::new(ms(at), *number, PACKET, Instant::START)));
    rate.take(ms(at))
}

#[test]
fn a_steady_flight_shows_the_rate_of_its_acks() {
    let mut rate = DeliveryRate::default();
    // Ten packets at once; from 100 ms on one arrives every 5 ms: 200 packets a second.
    (0..10).for_each(|number| sends(&mut rate, 0, number, number + 1));
    let first = acks(&mut rate, 100, &[0]);
    assert_eq!((first.delivered, first.interval, first.rtt), (PACKET, span(100), Some(span(100))));
    assert_eq!(first.prior_delivered, Some(0));
    let rates: Vec<f64> = (1..10).map(|i| acks(&mut rate, 100 + 5 * i, &[i]).rate.unwrap().bytes_per_s()).collect();
    // All left before anything arrived: the sample spans from the first departure, 10 packets in 145 ms.
    assert!((rates[8] - 10_000.0 / 0.145).abs() < 1.0, "{rates:?}");
    // A packet that leaves at 145 ms, after the last ACK, and one at 150 ms.
    sends(&mut rate, 145, 10, 1);
    sends(&mut rate, 150, 11, 2);
    acks(&mut rate, 245, &[10]);
    let sample = acks(&mut rate, 250, &[11]);
    // Idle before: the interval begins with the departure; both were delivered within 105 ms of it.
    assert_eq!((sample.delivered, sample.interval), (Bytes(2000), span(105)));
}

#[test]
fn acks_that_come_together_are_capped_by_the_send_rate() {
    let mut rate = DeliveryRate::default();
    // One packet in 10 ms; all ACKs at once at 200 ms. The ACK rate of the last alone would be without end.
    (0..10).for_each(|i| sends(&mut rate, 10 * i, i, i + 1));
    let sample = acks(&mut rate, 200, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!((sample.delivered, sample.interval, sample.newly_acked), (Bytes(10_000), span(200), Bytes(10_000)));
    assert_eq!(sample.rtt, Some(span(110)), "of the packet that left last");
    // The next flight leaves in 90 ms after that ACK, and its ACKs come within 1 ms: the send rate is the lesser one.
    (10..20).for_each(|i| sends(&mut rate, 10 * i + 100, i, i - 9));
    acks(&mut rate, 400, &[10, 11, 12, 13, 14, 15, 16, 17, 18]);
    let sample = acks(&mut rate, 401, &[19]);
    assert_eq!((sample.delivered, sample.interval), (Bytes(10_000), span(201)));
}

#[test]
fn losses_are_counted_between_departure_and_ack() {
    let mut rate = DeliveryRate::default();
    (0..5).for_each(|i| sends(&mut rate, i, i, i + 1));
    let lost = |rate: &mut DeliveryRate, number| rate.lost(&PacketLost::new(ms(50), number, PACKET, Instant::START));
    assert_eq!(lost(&mut rate, 1), Some(LostPacket { tx_in_flight: Bytes(2000), lost: Bytes(1000), app_limited: false }));
    assert_eq!(lost(&mut rate, 1), None, "its record has ended");
    let sample = acks(&mut rate, 51, &[4]);
    assert_eq!((sample.lost, sample.newly_lost, sample.tx_in_flight), (Bytes(2000), Bytes(2000), Bytes(5000)));
    rate.sent(&Sent::new(ms(60), 1, PACKET, PACKET).with_retransmission(true));
    assert_eq!(acks(&mut rate, 61, &[1]).rate, None, "1 ms is less than any RTT: the ACK was of the original");
}

#[test]
fn a_bubble_marks_the_samples_of_a_round_trip() {
    let mut rate = DeliveryRate::default();
    sends(&mut rate, 0, 0, 1);
    rate.limited(PACKET);
    sends(&mut rate, 50, 1, 2);
    assert!(!acks(&mut rate, 100, &[0]).app_limited, "left before");
    sends(&mut rate, 110, 2, 2);
    assert!(acks(&mut rate, 150, &[1]).app_limited);
    assert!(!rate.is_app_limited(), "two packets are more than what was delivered and in flight at the mark");
    sends(&mut rate, 160, 3, 2);
    assert!(acks(&mut rate, 210, &[2]).app_limited);
    assert!(!acks(&mut rate, 260, &[3]).app_limited);
}

#[test]
fn numbers_that_make_no_sense_cost_no_memory() {
    let mut rate = DeliveryRate::default();
    for number in [u64::MAX, 0, 1 << 40, 7, u64::MAX - 1, 3] {
        sends(&mut rate, 1, number, 1);
    }
    assert_eq!(acks(&mut rate, 2, &[u64::MAX, 1 << 40]).prior_delivered, None, "forgotten");
    assert_eq!(acks(&mut rate, 3, &[3]).prior_delivered, Some(0));
}
